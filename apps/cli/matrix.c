// SPDX-License-Identifier: MIT
// phyxel methods --matrix: what goes together, as the Markdown of docs/guide/what-goes-together.md.
#include "matrix.h"

static void print_head(const char* corner) {
    printf("| %s |", corner);
    for (int m = 0; m < phx_method_count(); ++m) {
        printf(" %s |", phx_method_name(m));
    }
    printf("\n|---|");
    for (int m = 0; m < phx_method_count(); ++m) {
        printf(":-:|");
    }
    printf("\n");
}

static void print_capabilities(void) {
    print_head("can");
    for (int c = 0; c < phx_capability_count(); ++c) {
        printf("| %s |", phx_capability_name(c, NULL));
        for (int m = 0; m < phx_method_count(); ++m) {
            printf(" %s |", phx_method_can(m, c) ? "yes" : "");
        }
        printf("\n");
    }
    printf("\n");
    for (int c = 0; c < phx_capability_count(); ++c) {
        const char* help;
        const char* name = phx_capability_name(c, &help);
        printf("- **%s**: %s\n", name, help);
    }
}

static void print_meetings(void) {
    print_head("meets");
    for (int a = 0; a < phx_method_count(); ++a) {
        printf("| %s |", phx_method_name(a));
        for (int b = 0; b < phx_method_count(); ++b) {
            printf(" %s |", phx_methods_meet(a, b));
        }
        printf("\n");
    }
}

void print_matrix(void) {
    printf("# What goes together\n\n"
           "Made by `phyxel methods --matrix` from the tables of the methods; a test compares.\n\n"
           "## What a method can do\n\n"
           "A scene that asks a method for something it cannot do is refused, with the names of those that can.\n\n");
    print_capabilities();
    printf(
        "\n## Who acts on whom\n\n"
        "Whatever two bodies are made of and however they step, action is reaction: momentum is kept, and so is "
        "angular\n"
        "momentum, up to the forces within sand and fluids that are not central (1e-3 and 1e-4 of what is exchanged).\n"
        "`contact`: with friction ([contact.md](contact.md)); `one continuum`: their method sees to it; `flow`: a "
        "fluid\n"
        "along a boundary.\n\n");
    print_meetings();
    printf("\nColliders hold all of them but what drivers alone move. Heat flows between all of them.\n");
}
