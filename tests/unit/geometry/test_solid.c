// SPDX-License-Identifier: MIT
// The distance of a solid: meshes against the shapes that they were made of.
#include "geometry/shape_mesh.h"
#include "geometry/solid.h"
#include "support/test.h"

static phxi_solid* solid_of(phxi_heap* heap, const char* shape, const phx_mesh* mesh) {
    phx_body_def def = phx_body_def_default();
    phxi_solid* solid = NULL;
    def.shape = mesh ? NULL : shape;
    def.mesh = mesh;
    def.rotate = phxi_vec3(0, 0, 30);
    def.translate = phxi_vec3(0.1, 0.2, 0.3);
    return phxi_solid_create(heap, &def, &solid) == PHX_OK ? solid : NULL;
}

TEST(meshes_agree_with_shapes) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    const char* text = "torus(major=0.3,minor=0.15)";
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phxi_mesh_from_shape(NULL, text, 0.03, &mesh));
    phxi_solid *by_shape = solid_of(&heap, text, NULL), *by_mesh = solid_of(&heap, NULL, mesh);
    REQUIRE(by_shape && by_mesh);
    uint64_t random = 5;
    for (int k = 0; k < 2000; ++k) {
        phx_vec3 n1, n2,
            point = phxi_vec3(phxt_random(&random) - 0.4, phxt_random(&random) - 0.3, phxt_random(&random));
        double d1 = phxi_solid_distance(by_shape, point, &n1), d2 = phxi_solid_distance(by_mesh, point, &n2);
        ENSURE_NEAR(d1, d2, 2e-3);
        ENSURE_NEAR(phxi_length(n1), 1, 1e-9);
        ENSURE_NEAR(phxi_length(n2), 1, 1e-9);
        if (fabs(d1) < 0.05) { // near the surface a step along the normal leads away from it by as much
            ENSURE_NEAR(phxi_solid_distance(by_mesh, phxi_add_scaled(point, 1e-3, n2), NULL) - d2, 1e-3, 2e-4);
        }
    }
    phxi_solid_destroy(by_shape);
    phxi_solid_destroy(by_mesh);
    phxi_solid_destroy(NULL);
    phx_mesh_destroy(mesh);
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}
