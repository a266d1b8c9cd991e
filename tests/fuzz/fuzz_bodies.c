// SPDX-License-Identifier: MIT
// What a run says about its bodies (bodies.csv): any text is refused with file and line or gives bodies that can be
// drawn.
#include "render/look.h"
#include "show/shown_bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool can_be_drawn(const phxi_shown_body* body) {
    return phxi_look_check(&body->look) == PHX_OK && body->draw > PHX_DRAW_AUTO && body->draw <= PHX_DRAW_POINTS &&
           body->spacing >= 0 && isfinite(body->spacing) && body->thickness >= 0 && isfinite(body->thickness) &&
           body->volume >= 0 && isfinite(body->volume);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    char* text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, bytes, size);
    text[size] = 0;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_shown_bodies bodies = {0};
    phx_result result = phxi_shown_bodies_parse(&heap, "bodies.csv", text, &bodies);
    for (int i = 0; result == PHX_OK && i < bodies.count; ++i) {
        if (!can_be_drawn(&bodies.items[i])) {
            abort();
        }
    }
    if (result != PHX_OK && strncmp(phx_error_message(), "bodies.csv:", 11) != 0) {
        abort();
    }
    phxi_heap_destroy(&heap);
    free(text);
    return 0;
}
