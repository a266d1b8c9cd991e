// SPDX-License-Identifier: MIT
#include "io/probe_line.h"

#include "world/world.h"

#include <string.h>

const char phxi_probe_head[] =
    "time[s],dt[s],kinetic[J],elastic[J],potential[J],contact[J],work[J],px[kg m/s],py[kg m/s],pz[kg m/s],"
    "lx[kg m^2/s],ly[kg m^2/s],lz[kg m^2/s],x[m],y[m],z[m],fx[N],fy[N],fz[N],rx[N],ry[N],rz[N],min_det,"
    "max_stress[Pa],max_speed[m/s],thermal[J],heat_driven[J],heat_air[J],heat_fixed[J],mean_temperature[C],"
    "min_temperature[C],max_temperature[C],min_x[m],min_y[m],min_z[m],max_x[m],max_y[m],max_z[m],expansion[J],cx[N],cy["
    "N],cz[N],jx[N s],"
    "jy[N s],jz[N s],gap[m]\n";

phx_result phxi_probe_line(const phx_world* world, phx_probe_id probe, double time,
                           double numbers[PHXI_PROBE_COLUMNS]) {
    phx_totals t;
    PHXI_TRY(phx_probe_measure(world, probe, &t));
    const double all[PHXI_PROBE_COLUMNS] = {time,
                                            world->last_dt,
                                            t.kinetic,
                                            t.elastic,
                                            t.potential,
                                            t.contact,
                                            t.external_work,
                                            t.momentum.x,
                                            t.momentum.y,
                                            t.momentum.z,
                                            t.angular_momentum.x,
                                            t.angular_momentum.y,
                                            t.angular_momentum.z,
                                            t.mean_position.x,
                                            t.mean_position.y,
                                            t.mean_position.z,
                                            t.force.x,
                                            t.force.y,
                                            t.force.z,
                                            t.reaction.x,
                                            t.reaction.y,
                                            t.reaction.z,
                                            t.min_det,
                                            t.max_stress,
                                            t.max_speed,
                                            t.thermal,
                                            t.heat_driven,
                                            t.heat_air,
                                            t.heat_fixed,
                                            t.mean_temperature,
                                            t.min_temperature,
                                            t.max_temperature,
                                            t.lowest.x,
                                            t.lowest.y,
                                            t.lowest.z,
                                            t.highest.x,
                                            t.highest.y,
                                            t.highest.z,
                                            t.expansion_work,
                                            t.contact_force.x,
                                            t.contact_force.y,
                                            t.contact_force.z,
                                            t.contact_impulse.x,
                                            t.contact_impulse.y,
                                            t.contact_impulse.z,
                                            t.gap};
    memcpy(numbers, all, sizeof all);
    return PHX_OK;
}

int phxi_probe_column(const char* name) {
    size_t length = strlen(name);
    int column = 0;
    for (const char* at = phxi_probe_head; at && *at; ++column) {
        size_t size = strcspn(at, "[,\n");
        if (size == length && strncmp(at, name, length) == 0) {
            return column;
        }
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    return -1;
}
