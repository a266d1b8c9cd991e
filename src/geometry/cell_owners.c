// SPDX-License-Identifier: MIT
// From pieces and walls to the complex.
//
// Each cell's pieces and walls must fit together to a closed surface: every side is used as often one way as the other.
// Those joined along sides form the shells of a cell. A cell of a body with thin parts may have several, one in each
// sheet that it reaches into; only the one with its particle inside (or the largest) is the particle's, the others, and
// the shells of cells without a particle, belong to whom they share the largest wall with.
#include "geometry/cell_cut.h"

#include "core/hash.h"

#include <string.h>

typedef struct shell {
    int cell, owner;     // particle, -1: none yet
    double volume, turn; // turn: solid angle around the site / 4 pi
    int into;            // the shell it is a hole of, or itself
} shell;

typedef struct giving {
    phxi_cutting* cut;
    int* group;     // of pieces, then of walls seen from their lower and higher cell: union-find
    int node_count; // of them
    int* shell_of;  // by root, -1: not numbered; later by node
    PHXI_ARRAY(shell) shells;
    phxi_key_table sides;         // by cell and two vertices
    PHXI_ARRAY(int) side_node;    // a node that uses the side
    PHXI_ARRAY(int) side_balance; // uses up minus uses down
} giving;

static int wall_node(const giving* g, int wall, int side) {
    return g->cut->pieces.count + 2 * wall + side;
}

static int node_cell(const giving* g, int node) {
    const phxi_cutting* cut = g->cut;
    int wall = node - cut->pieces.count;
    return wall < 0 ? cut->pieces.items[node].cell : cut->walls.items[wall / 2].cell[wall % 2];
}

static int find(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// ------------------------------------------------------------------------------------------------------------ closure

static phx_result use_side(giving* g, int node, int from, int to) {
    uint64_t key =
        phxi_hash_pair(from < to ? phxi_key_pair(from, to) : phxi_key_pair(to, from), (uint64_t)node_cell(g, node));
    int* slot = phxi_key_slot(&g->sides, key);
    if (!slot || !phxi_array_reserve(&g->side_node, 1, g->cut->heap, "cell sides") ||
        !phxi_array_reserve(&g->side_balance, 1, g->cut->heap, "cell sides")) {
        return PHX_ERROR_MEMORY;
    }
    if (*slot < 0) {
        *slot = g->side_node.count;
        g->side_node.items[g->side_node.count++] = node;
        g->side_balance.items[g->side_balance.count++] = 0;
    }
    g->side_balance.items[*slot] += from < to ? 1 : -1;
    int a = find(g->group, node), b = find(g->group, g->side_node.items[*slot]);
    g->group[a > b ? a : b] = a > b ? b : a;
    return PHX_OK;
}

static phx_result join_sides(giving* g) {
    phxi_cutting* cut = g->cut;
    for (int p = 0; p < cut->pieces.count; ++p) {
        const phxi_cut_piece* piece = &cut->pieces.items[p];
        const int* v = cut->piece_vertices.items + piece->begin;
        for (int k = 0; k < piece->count; ++k) {
            PHXI_TRY(use_side(g, p, v[k], v[k + 1 < piece->count ? k + 1 : 0]));
        }
    }
    for (int w = 0; w < cut->walls.count; ++w) {
        const phxi_cut_wall* wall = &cut->walls.items[w];
        for (int k = wall->edge_begin; k < wall->edge_begin + wall->edge_count; ++k) {
            PHXI_TRY(use_side(g, wall_node(g, w, 0), cut->wall_edges.items[k].from, cut->wall_edges.items[k].to));
            PHXI_TRY(use_side(g, wall_node(g, w, 1), cut->wall_edges.items[k].to, cut->wall_edges.items[k].from));
        }
    }
    for (int i = 0; i < g->side_balance.count; ++i) {
        if (g->side_balance.items[i] != 0) {
            int cell = node_cell(g, g->side_node.items[i]);
            return phxi_cut_degenerate(cut, "the surface of a cell is not closed", cut->voronoi.sites[cell]);
        }
    }
    return PHX_OK;
}

// ------------------------------------------------------------------------------------------------------------- shells

// Adds the cone from the site to a triangle: volume, and solid angle (van Oosterom and Strackee).
static void add_cone(const phxi_cutting* cut, shell* s, const int v[3], double sign) {
    phx_vec3 site = phxi_add(phxi_voronoi_unshear(cut->voronoi.sites[s->cell]), cut->center);
    phx_vec3 a = phxi_sub(cut->vertices.items[v[0]].position, site);
    phx_vec3 b = phxi_sub(cut->vertices.items[v[1]].position, site);
    phx_vec3 c = phxi_sub(cut->vertices.items[v[2]].position, site);
    double six = phxi_dot(a, phxi_cross(b, c)), la = phxi_length(a), lb = phxi_length(b), lc = phxi_length(c);
    double below = la * lb * lc + phxi_dot(a, b) * lc + phxi_dot(b, c) * la + phxi_dot(c, a) * lb;
    s->volume += sign * six / 6;
    s->turn += sign * atan2(six, below) / (2 * 3.14159265358979323846);
}

static phx_result number_shells(giving* g) {
    phxi_cutting* cut = g->cut;
    for (int n = 0; n < g->node_count; ++n) {
        int root = find(g->group, n);
        if (g->shell_of[root] < 0) {
            if (!phxi_array_reserve(&g->shells, 1, cut->heap, "cell shells")) {
                return PHX_ERROR_MEMORY;
            }
            g->shell_of[root] = g->shells.count;
            g->shells.items[g->shells.count] = (shell){.cell = node_cell(g, n), .owner = -1, .into = g->shells.count};
            ++g->shells.count;
        }
        g->shell_of[n] = g->shell_of[root];
        shell* s = &g->shells.items[g->shell_of[n]];
        int wall = n - cut->pieces.count;
        if (wall < 0) {
            const int* v = cut->piece_vertices.items + cut->pieces.items[n].begin;
            for (int k = 1; k + 1 < cut->pieces.items[n].count; ++k) {
                add_cone(cut, s, (const int[3]){v[0], v[k], v[k + 1]}, 1);
            }
            continue;
        }
        const phxi_cut_wall* w = &cut->walls.items[wall / 2];
        for (int k = w->begin; k < w->begin + w->count; ++k) {
            add_cone(cut, s, cut->wall_triangles.items[k].v, wall % 2 ? -1 : 1);
        }
    }
    return PHX_OK;
}

// The shell of each particle's cell that is the particle's own; hollows go into the largest shell of their cell.
static phx_result choose_own(giving* g) {
    phxi_cutting* cut = g->cut;
    int *best = NULL, cells = cut->voronoi.site_count;
    PHXI_NEW(best, cut->heap, 2 * (size_t)cells, "cell shells");
    memset(best, 0xFF, 2 * (size_t)cells * sizeof *best); // -1
    int* largest = best + cells;
    for (int i = 0; i < g->shells.count; ++i) {
        const shell *s = &g->shells.items[i], *items = g->shells.items;
        int *own = &best[s->cell], *most = &largest[s->cell];
        bool around = s->turn > 0.5, had = *own >= 0 && items[*own].turn > 0.5;
        if (*own < 0 || around > had || (around == had && s->volume > items[*own].volume)) {
            *own = i;
        }
        if (*most < 0 || s->volume > items[*most].volume) {
            *most = i;
        }
    }
    for (int i = 0; i < g->shells.count; ++i) {
        shell* s = &g->shells.items[i];
        if (s->volume < 0) {
            s->into = largest[s->cell];
        }
        if (s->cell < cut->particle_count && best[s->cell] == i) {
            s->owner = s->cell;
        }
    }
    // a particle whose own shell is a hollow has the shell around it
    for (int i = 0; i < g->shells.count; ++i) {
        shell* s = &g->shells.items[i];
        if (s->into != i && s->owner >= 0) {
            g->shells.items[s->into].owner = s->owner;
        }
    }
    phxi_free(cut->heap, best);
    return PHX_OK;
}

static int shell_at(const giving* g, int node) {
    return g->shells.items[g->shell_of[node]].into;
}

static double wall_area(const phxi_cutting* cut, const phxi_cut_wall* wall) {
    double sum = 0;
    for (int k = wall->begin; k < wall->begin + wall->count; ++k) {
        const int* v = cut->wall_triangles.items[k].v;
        phx_vec3 a = cut->vertices.items[v[0]].position;
        sum += phxi_length(phxi_cross(phxi_sub(cut->vertices.items[v[1]].position, a),
                                      phxi_sub(cut->vertices.items[v[2]].position, a)));
    }
    return 0.5 * sum;
}

/// Shells without an owner get that of the neighbour across their largest wall, in rounds from the owned ones outward.
static phx_result give_away(giving* g) {
    phxi_cutting* cut = g->cut;
    double* most = NULL;
    int* whom = NULL;
    most = phxi_alloc(cut->heap, (size_t)g->shells.count, sizeof *most, "cell owners");
    whom = phxi_alloc(cut->heap, (size_t)g->shells.count, sizeof *whom, "cell owners");
    bool changed = most && whom;
    while (changed) {
        changed = false;
        for (int i = 0; i < g->shells.count; ++i) {
            most[i] = -1;
        }
        for (int w = 0; w < cut->walls.count; ++w) {
            int s[2] = {shell_at(g, wall_node(g, w, 0)), shell_at(g, wall_node(g, w, 1))};
            for (int k = 0; k < 2; ++k) {
                int owner = g->shells.items[s[1 - k]].owner;
                if (g->shells.items[s[k]].owner < 0 && owner >= 0) {
                    double area = wall_area(cut, &cut->walls.items[w]);
                    if (area > most[s[k]]) {
                        most[s[k]] = area;
                        whom[s[k]] = owner;
                    }
                }
            }
        }
        for (int i = 0; i < g->shells.count; ++i) {
            if (most[i] >= 0) {
                g->shells.items[i].owner = whom[i];
                changed = true;
            }
        }
    }
    phx_result result = most && whom ? PHX_OK : PHX_ERROR_MEMORY;
    phxi_free(cut->heap, most);
    phxi_free(cut->heap, whom);
    return result;
}

// What hangs together with no particle at all belongs to the particle nearest to its cell's site.
static void give_strays(giving* g) {
    const phxi_cutting* cut = g->cut;
    for (int i = 0; i < g->shells.count; ++i) {
        shell* s = &g->shells.items[i];
        double best = INFINITY;
        if (s->owner < 0 && s->into == i) {
            for (int p = 0; p < cut->particle_count; ++p) {
                double d = phxi_distance(cut->voronoi.sites[p], cut->voronoi.sites[s->cell]);
                if (d < best) {
                    best = d;
                    s->owner = p;
                }
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------------------- result

static int owner_of(const giving* g, int node) {
    return g->shells.items[shell_at(g, node)].owner;
}

static phx_result copy_vertices(const phxi_cutting* cut, phxi_cell_complex* c) {
    c->vertex_count = cut->vertices.count;
    PHXI_NEW(c->vertices, c->heap, c->vertex_count, "cell vertices");
    PHXI_NEW(c->kinds, c->heap, c->vertex_count, "cell vertices");
    PHXI_NEW(c->anchors, c->heap, c->vertex_count, "cell vertices");
    for (int i = 0; i < c->vertex_count; ++i) {
        const phxi_cut_vertex* v = &cut->vertices.items[i];
        c->vertices[i] = v->position;
        c->kinds[i] = (uint8_t)v->kind;
        c->anchors[i][0] = v->from[0];
        c->anchors[i][1] = v->from[1];
    }
    return PHX_OK;
}

static phx_result copy_pieces(const giving* g, phxi_cell_complex* c) {
    const phxi_cutting* cut = g->cut;
    c->piece_count = cut->piece_vertices.count - 2 * cut->pieces.count;
    PHXI_NEW(c->pieces, c->heap, c->piece_count, "cell pieces");
    PHXI_NEW(c->piece_particle, c->heap, c->piece_count, "cell pieces");
    PHXI_NEW(c->piece_source, c->heap, c->piece_count, "cell pieces");
    int count = 0;
    for (int p = 0; p < cut->pieces.count; ++p) {
        const int* v = cut->piece_vertices.items + cut->pieces.items[p].begin;
        for (int k = 1; k + 1 < cut->pieces.items[p].count; ++k, ++count) {
            c->pieces[count] = (phxi_cell_triangle){{v[0], v[k], v[k + 1]}};
            c->piece_particle[count] = owner_of(g, p);
            c->piece_source[count] = cut->pieces.items[p].triangle;
        }
    }
    return PHX_OK;
}

static phx_result copy_walls(const giving* g, phxi_cell_complex* c) {
    const phxi_cutting* cut = g->cut;
    PHXI_NEW(c->walls, c->heap, cut->walls.count, "cell walls");
    PHXI_NEW(c->wall_triangles, c->heap, cut->wall_triangles.count, "cell walls");
    for (int w = 0; w < cut->walls.count; ++w) {
        const phxi_cut_wall* wall = &cut->walls.items[w];
        int low = owner_of(g, wall_node(g, w, 0)), high = owner_of(g, wall_node(g, w, 1));
        if (low == high) {
            continue;
        }
        c->walls[c->wall_count++] =
            (phxi_cell_wall){{low < high ? low : high, low < high ? high : low}, c->wall_triangle_count, wall->count};
        for (int k = wall->begin; k < wall->begin + wall->count; ++k) {
            const int* v = cut->wall_triangles.items[k].v;
            c->wall_triangles[c->wall_triangle_count++] =
                low < high ? (phxi_cell_triangle){{v[0], v[1], v[2]}} : (phxi_cell_triangle){{v[0], v[2], v[1]}};
        }
    }
    return PHX_OK;
}

static phx_result sum_volumes(const giving* g, phxi_cell_complex* c) {
    c->particle_count = g->cut->particle_count;
    c->volumes = phxi_alloc_zero(c->heap, (size_t)c->particle_count, sizeof *c->volumes, "cell volumes");
    if (!c->volumes) {
        return PHX_ERROR_MEMORY;
    }
    for (int i = 0; i < g->shells.count; ++i) {
        c->volumes[g->shells.items[g->shells.items[i].into].owner] += g->shells.items[i].volume;
    }
    return PHX_OK;
}

static phx_result give(giving* g, phxi_cell_complex* complex) {
    phxi_cutting* cut = g->cut;
    g->node_count = cut->pieces.count + 2 * cut->walls.count;
    PHXI_NEW(g->group, cut->heap, g->node_count, "cell shells");
    PHXI_NEW(g->shell_of, cut->heap, g->node_count, "cell shells");
    for (int n = 0; n < g->node_count; ++n) {
        g->group[n] = n;
        g->shell_of[n] = -1;
    }
    PHXI_TRY(join_sides(g));
    PHXI_TRY(number_shells(g));
    PHXI_TRY(choose_own(g));
    PHXI_TRY(give_away(g));
    give_strays(g);
    PHXI_TRY(copy_vertices(cut, complex));
    PHXI_TRY(copy_pieces(g, complex));
    PHXI_TRY(copy_walls(g, complex));
    return sum_volumes(g, complex);
}

phx_result phxi_cut_owners(phxi_cutting* cut, phxi_cell_complex* complex) {
    giving g = {.cut = cut, .sides = {.heap = cut->heap}};
    phx_result result = give(&g, complex);
    phxi_free(cut->heap, g.group);
    phxi_free(cut->heap, g.shell_of);
    phxi_array_destroy(&g.shells, cut->heap);
    phxi_array_destroy(&g.side_node, cut->heap);
    phxi_array_destroy(&g.side_balance, cut->heap);
    phxi_key_destroy(&g.sides);
    return result;
}
