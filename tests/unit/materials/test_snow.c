// SPDX-License-Identifier: MIT
// Snow, one particle: returns made by hand; the wide form against the scalar one.
#include "core/hash.h"
#include "materials/material.h"
#include "materials/snow.h"
#include "support/test.h"

#include <phyxel/world.h>

#include <math.h>

static const phxi_snow snow = {0.025, 0.0075, 10};

TEST(within_the_limits_it_is_elastic) {
    double s[3] = {-0.02, 0.007, 0}, packed = 0.1;
    phxi_snow_return(&snow, s, &packed);
    ENSURE(s[0] == -0.02 && s[1] == 0.007 && s[2] == 0);
    ENSURE_NEAR(packed, 0.1, 1e-15);
}

TEST(beyond_them_it_packs_and_parts) {
    double s[3] = {-0.1, 0, 0}, packed = 0;
    phxi_snow_return(&snow, s, &packed);
    ENSURE_NEAR(s[0], -0.025, 0);
    ENSURE_NEAR(packed, 0.9 / 0.975 - 1, 1e-15); // what left F_e is in F_p
    ENSURE_NEAR(phxi_snow_stiffness(&snow, packed), exp(10 * (1 - 0.9 / 0.975)), 1e-12);
    double pulled[3] = {0.05, 0.02, -0.01};
    packed = 0;
    phxi_snow_return(&snow, pulled, &packed);
    ENSURE_NEAR(pulled[0], 0.0075, 0);
    ENSURE_NEAR(pulled[1], 0.0075, 0);
    ENSURE_NEAR(pulled[2], -0.01, 0);
    ENSURE_NEAR(packed, 1.05 * 1.02 / (1.0075 * 1.0075) - 1, 1e-15);
    ENSURE(phxi_snow_stiffness(&snow, packed) < 1);
}

TEST(it_does_not_pack_without_end) {
    double packed = 0;
    for (int k = 0; k < 20; ++k) {
        double s[3] = {-0.2, -0.2, -0.2};
        phxi_snow_return(&snow, s, &packed);
    }
    ENSURE_NEAR(packed, -0.4, 1e-15);
    for (int k = 0; k < 60; ++k) {
        double s[3] = {0.2, 0.2, 0.2};
        phxi_snow_return(&snow, s, &packed);
    }
    ENSURE_NEAR(packed, 19, 1e-12);
}

/// But for its stretch and packing, which the preset names with the reason: snow at 6 m/s is to fall apart.
TEST(the_preset_is_that_of_the_paper_made_to_part) {
    const phx_preset* preset;
    REQUIRE_OK(phx_preset_find("snow", &preset));
    const phxi_snow law = phxi_snow_from(&preset->def);
    ENSURE(phxi_snow_is(&preset->def));
    ENSURE(law.compression == 0.025 && preset->def.young == 1e5 && preset->def.poisson == 0.2);
    ENSURE(law.stretch == 0.002 && law.packing == 5);
    ENSURE(strstr(preset->source, "there 0.0075") && strstr(preset->source, "there 5 to 10"));
    phx_material_def usual = phx_material_def_default();
    ENSURE(!phxi_snow_is(&usual));
}

TEST(lanes_are_as_one) {
    uint64_t seed = 3;
    for (int round = 0; round < 50; ++round) {
        phxi_rw stretch[3], packed;
        for (int lane = 0; lane < PHXI_LANES; ++lane) {
            for (int a = 0; a < 4; ++a) {
                seed = phxi_hash_pair(seed, 5);
                double value = -0.1 + 0.2 * (double)(seed >> 11) / 9007199254740992.0;
                (a < 3 ? &stretch[a] : &packed)[0][lane] = (phx_real)value;
            }
        }
        const phxi_rw before[4] = {stretch[0], stretch[1], stretch[2], packed};
        phxi_snow_lanes(&snow, stretch, &packed);
        for (int lane = 0; lane < PHXI_LANES; ++lane) {
            double s[3] = {(double)before[0][lane], (double)before[1][lane], (double)before[2][lane]},
                   one = (double)before[3][lane];
            phxi_snow_return(&snow, s, &one);
            for (int a = 0; a < 3; ++a) {
                ENSURE_NEAR((double)stretch[a][lane], s[a], 1e-8);
            }
            ENSURE_NEAR((double)packed[lane], one, 3e-7);
        }
    }
}
