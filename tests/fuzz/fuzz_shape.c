// SPDX-License-Identifier: MIT
// Shape expressions: any text is refused with a column or gives a shape that answers every question.
#include "geometry/shape.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    char* text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, bytes, size);
    text[size] = 0;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_shape* shape = NULL;
    if (phxi_shape_parse(&heap, text, &shape) == PHX_OK) {
        const phx_vec3 points[] = {{0, 0, 0}, {0.1, -0.2, 0.3}, {1e9, 1e-9, -1e9}, {1e300, 0, -1e300}};
        for (int i = 0; i < 4; ++i) {
            phx_vec3 normal;
            double distance = phxi_shape_distance_normal(shape, points[i], &normal);
            double length = phxi_length(normal);
            if (distance != distance || !(length > 0.999 && length < 1.001)) {
                abort();
            }
        }
        phxi_box box;
        if (phxi_shape_bounds(shape, &box) && !(box.low.x <= box.high.x && box.low.y <= box.high.y)) {
            abort();
        }
        phxi_shape_destroy(&heap, shape);
    } else if (shape || strncmp(phx_error_message(), "column ", 7) != 0) {
        abort();
    }
    if (heap.live_bytes) {
        abort();
    }
    phxi_heap_destroy(&heap);
    free(text);
    return 0;
}
