// SPDX-License-Identifier: MIT
// Version and precision of this build, as one text.
#include <phyxel/base.h>

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

const char* phx_version(void) {
    return TEXT(PHX_VERSION_MAJOR) "." TEXT(PHX_VERSION_MINOR) "." TEXT(PHX_VERSION_PATCH)
#ifdef PHX_DOUBLE
        " (double)";
#else
        " (float)";
#endif
}
