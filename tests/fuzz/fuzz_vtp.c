// SPDX-License-Identifier: MIT
// Frames: a file is refused with a message, or gives a frame that can be checked and drawn from.
#include "io/frame_read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static phxi_frame_parser* const parsers[] = {phxi_frame_parse_vtp, phxi_frame_parse_ply, phxi_frame_parse_obj};
    static const char* const names[] = {"fuzz.vtp", "fuzz.ply", "fuzz.obj"};
    for (int i = 0; i < 3; ++i) {
        phx_frame* frame = NULL;
        phx_result result = parsers[i](names[i], (const char*)bytes, size, NULL, &frame);
        if (result == PHX_OK ? !frame || phx_frame_check(frame) != PHX_OK : frame || result != PHX_ERROR_FORMAT) {
            abort();
        }
        phx_frame_destroy(frame);
    }
    (void)phxi_frame_peek_time((const char*)bytes, size);
    return 0;
}
