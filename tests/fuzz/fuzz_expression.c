// SPDX-License-Identifier: MIT
// Expressions: any text is refused with a column or gives a program that can be evaluated.
#include "core/expression.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static const char* const names[] = {"t", "x", "y", "z"};
    char* text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    memcpy(text, bytes, size);
    text[size] = 0;
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_expression *one = NULL, *three[3];
    if (phxi_expression_parse(&heap, text, names, 4, &one) == PHX_OK) {
        const double at[][4] = {{0, 0, 0, 0}, {0.1, -0.2, 0.3, 1}, {1e9, 1e-9, -1e9, 1e300}};
        for (int i = 0; i < 3; ++i) {
            double value = phxi_expression_value(one, at[i]), same = phxi_expression_jet(one, at[i], 0).value;
            if (value != same && value == value) {
                abort();
            }
        }
        phxi_expression_destroy(&heap, one);
    } else if (one || strncmp(phx_error_message(), "column ", 7) != 0) {
        abort();
    }
    if (phxi_expression_parse_vector(&heap, text, names, 4, three) == PHX_OK) {
        for (int i = 0; i < 3; ++i) {
            phxi_expression_destroy(&heap, three[i]);
        }
    }
    if (heap.live_bytes) {
        abort();
    }
    phxi_heap_destroy(&heap);
    free(text);
    return 0;
}
