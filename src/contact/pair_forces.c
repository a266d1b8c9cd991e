// SPDX-License-Identifier: MIT
// What particles that touch exert on each other (pairs.h): contacts of this substep, pushes, friction, sums.
//
// A contact is computed once, for its lower particle first, so that both sides get the same number; every particle then
// sums over its contacts in order of the partners' indices.
#include "contact/pairs_internal.h"

enum { GRAIN = 256, SWEEPS = 12 };
static const double settled = 1e-3; // friction that changes by less of its bound is found

double phxi_contact_lightness(const phxi_particles* particles, int i) {
    return particles->fixed[i] ? 0 : 1 / (double)particles->mass[i];
}

double phxi_contact_stiffness(const phxi_contact_body* body, double volume, double spacing) {
    return body->traits.stiffness > 0 ? 2 * body->traits.stiffness : body->young * volume / (spacing * spacing);
}

// ---------------------------------------------------------------------------------------------------------- contacts

typedef struct force_context {
    contact_set* set;
    int* counts;      // contacts found in a block of candidates
    phx_vec3* rate;   // by node: velocity over 2 dt and acceleration by all but friction, m/s^2
    phx_vec3* sum;    // by node: friction, N
    int* node_of;     // by listed particle
    uint8_t* changed; // by block of contacts
    phx_real* const* force;
    double* energy;
} force_context;

static phx_vec3 position_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

static phx_vec3 velocity_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
}

// The numbers of a contact that come from its two bodies.
static void set_law(contact* c, const phxi_contact_scene* scene) {
    const phxi_particles* p = scene->particles;
    const phxi_contact_body *a = &scene->bodies[p->body[c->i]], *b = &scene->bodies[p->body[c->j]];
    double side_a = phxi_contact_stiffness(a, p->volume[c->i], p->spacing[c->i]);
    double side_b = phxi_contact_stiffness(b, p->volume[c->j], p->spacing[c->j]);
    c->stiffness = side_a * (side_b / (side_a + side_b));
    c->damping = 0.5 * (a->traits.damping + b->traits.damping);
    c->grip = sqrt(a->traits.friction * b->traits.friction); // for now the coefficient
}

// Contacts of a block of candidates go to the front of the block's own part.
static void find_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    const contact_set* set = f->set;
    const phxi_particles* p = set->scene->particles;
    int found = 0;
    for (int k = begin; k < end; ++k) {
        const contact_candidate* candidate = &set->pairs->candidates.items[k];
        int i = set->pairs->listed.items[candidate->a], j = set->pairs->listed.items[candidate->b];
        phx_vec3 arm = phxi_sub(position_of(p, j), position_of(p, i));
        double square = phxi_dot(arm, arm), lightness = phxi_contact_lightness(p, i) + phxi_contact_lightness(p, j);
        if (!(square < candidate->distance * candidate->distance) || lightness == 0) {
            continue;
        }
        contact* c = &set->items[begin + found++];
        *c = (contact){.a = candidate->a, .b = candidate->b, .i = i, .j = j, .mass = 1 / lightness};
        c->normal = phxi_normalize(arm, phxi_vec3(0, 0, 1));
        c->depth = candidate->distance - sqrt(square);
        set_law(c, set->scene);
    }
    f->counts[index] = found;
}

static phx_result find_contacts(force_context* f) {
    contact_set* set = f->set;
    int count = set->pairs->candidates.count, blocks = phxi_block_count(count, GRAIN);
    set->items = phxi_arena_take(set->scene->arena, (size_t)count, sizeof *set->items);
    f->counts = phxi_arena_take(set->scene->arena, (size_t)blocks, sizeof(int));
    if (!set->items || !f->counts) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(set->scene->pool, count, GRAIN, find_block, f);
    set->count = 0;
    for (int b = 0; b < blocks; ++b) {
        for (int k = 0; k < f->counts[b]; ++k) {
            set->items[set->count++] = set->items[b * GRAIN + k];
        }
    }
    return PHX_OK;
}

// Contacts are sorted by a, then b: those where a particle is b come first, in order of the partner, then the others.
static phx_result find_incidence(force_context* f) {
    contact_set* set = f->set;
    int listed = set->pairs->listed.count;
    phxi_arena* arena = set->scene->arena;
    set->start = phxi_arena_take(arena, (size_t)listed + 1, sizeof(int));
    set->incident = phxi_arena_take(arena, 2 * (size_t)set->count, sizeof(int));
    set->nodes = phxi_arena_take(arena, 2 * (size_t)set->count, sizeof(int));
    f->node_of = phxi_arena_take(arena, (size_t)listed, sizeof(int));
    if (!set->start || !set->incident || !set->nodes || !f->node_of) {
        return PHX_ERROR_MEMORY;
    }
    for (int n = 0; n <= listed; ++n) {
        set->start[n] = 0;
    }
    for (int k = 0; k < set->count; ++k) {
        ++set->start[set->items[k].a];
        ++set->start[set->items[k].b];
    }
    set->node_count = 0;
    for (int n = 0, sum = 0; n <= listed; ++n) { // the end of each, from which filling backwards goes to its start
        if (n < listed && set->start[n] > 0) {
            f->node_of[n] = set->node_count;
            set->nodes[set->node_count++] = n;
        }
        sum += set->start[n];
        set->start[n] = sum;
    }
    for (int k = set->count; k-- > 0;) {
        set->incident[--set->start[set->items[k].a]] = k;
        set->incident[--set->start[set->items[k].b]] = k;
    }
    return PHX_OK;
}

static int crowd(const contact_set* set, const contact* c) {
    int a = set->start[c->a + 1] - set->start[c->a], b = set->start[c->b + 1] - set->start[c->b];
    return a > b ? a : b;
}

// ------------------------------------------------------------------------------------------------------------- pushes

static void push_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    const phxi_particles* p = f->set->scene->particles;
    double dt = f->set->scene->dt;
    (void)index;
    for (int k = begin; k < end; ++k) {
        contact* c = &f->set->items[k];
        double most = dt > 0 ? c->mass / (2 * crowd(f->set, c) * dt) : INFINITY;
        double drag = fmin(2 * c->damping * sqrt(c->stiffness * c->mass), most);
        double speed = phxi_dot(phxi_sub(velocity_of(p, c->j), velocity_of(p, c->i)), c->normal);
        c->push = fmax(0, c->stiffness * c->depth - drag * speed);
        c->grip *= c->push;
    }
}

// ----------------------------------------------------------------------------------------------------------- friction

// What acts on the particle of a node by its contacts: pushes, or friction.
static phx_vec3 node_sum(const contact_set* set, int node, bool friction) {
    int n = set->nodes[node];
    phx_vec3 sum = {0, 0, 0};
    for (int k = set->start[n]; k < set->start[n + 1]; ++k) {
        const contact* c = &set->items[set->incident[k]];
        double sign = c->b == n ? 1 : -1;
        sum = friction ? phxi_add_scaled(sum, sign, c->friction) : phxi_add_scaled(sum, sign * c->push, c->normal);
    }
    return sum;
}

static void rate_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    const phxi_contact_scene* scene = f->set->scene;
    (void)index;
    for (int node = begin; node < end; ++node) {
        int i = f->set->pairs->listed.items[f->set->nodes[node]];
        phx_vec3 acts = phxi_add(node_sum(f->set, node, false), scene->load(scene->context, i));
        phx_vec3 rate = phxi_scale(0.5 / scene->dt, velocity_of(scene->particles, i));
        f->rate[node] = phxi_add_scaled(rate, phxi_contact_lightness(scene->particles, i), acts);
        f->sum[node] = phxi_vec3(0, 0, 0);
    }
}

static void sum_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    (void)index;
    for (int node = begin; node < end; ++node) {
        f->sum[node] = node_sum(f->set, node, true);
    }
}

static phx_vec3 rate_with_friction(const force_context* f, int listed, int particle) {
    int node = f->node_of[listed];
    double lightness = phxi_contact_lightness(f->set->scene->particles, particle);
    return phxi_add_scaled(f->rate[node], lightness, f->sum[node]);
}

static void slip_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    f->changed[index] = 0;
    for (int k = begin; k < end; ++k) {
        contact* c = &f->set->items[k];
        phx_vec3 slip = phxi_sub(rate_with_friction(f, c->b, c->j), rate_with_friction(f, c->a, c->i));
        phx_vec3 hold = phxi_add_scaled(c->friction, -c->mass / crowd(f->set, c), slip);
        hold = phxi_add_scaled(hold, -phxi_dot(hold, c->normal), c->normal);
        double strength = phxi_length(hold);
        hold = strength > c->grip ? phxi_scale(c->grip / strength, hold) : hold;
        f->changed[index] |= phxi_distance(hold, c->friction) > settled * c->grip;
        c->friction = hold;
    }
}

static bool is_slippery(const contact_set* set) {
    for (int k = 0; k < set->count; ++k) {
        if (set->items[k].grip > 0) {
            return false;
        }
    }
    return true;
}

static phx_result find_friction(force_context* f) {
    contact_set* set = f->set;
    phxi_arena* arena = set->scene->arena;
    phxi_pool* pool = set->scene->pool;
    int blocks = phxi_block_count(set->count, GRAIN);
    f->rate = phxi_arena_take(arena, (size_t)set->node_count, sizeof *f->rate);
    f->sum = phxi_arena_take(arena, (size_t)set->node_count, sizeof *f->sum);
    f->changed = phxi_arena_take(arena, (size_t)blocks, 1);
    if (!f->rate || !f->sum || !f->changed) {
        return PHX_ERROR_MEMORY;
    }
    phxi_parallel_for(pool, set->node_count, GRAIN, rate_block, f);
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        phxi_parallel_for(pool, set->count, GRAIN, slip_block, f);
        bool changed = false;
        for (int b = 0; b < blocks; ++b) {
            changed = changed || f->changed[b];
        }
        if (!changed) {
            break;
        }
        phxi_parallel_for(pool, set->node_count, GRAIN, sum_block, f);
    }
    return PHX_OK;
}

// --------------------------------------------------------------------------------------------------------------- sums

static void gather_block(void* context, int begin, int end, int index) {
    const force_context* f = context;
    const contact_set* set = f->set;
    (void)index;
    for (int node = begin; node < end; ++node) {
        int n = set->nodes[node], i = set->pairs->listed.items[n];
        phx_vec3 sum = phxi_add(node_sum(set, node, false), node_sum(set, node, true));
        f->force[0][i] += (phx_real)sum.x;
        f->force[1][i] += (phx_real)sum.y;
        f->force[2][i] += (phx_real)sum.z;
        for (int k = set->start[n]; f->energy && k < set->start[n + 1]; ++k) {
            const contact* c = &set->items[set->incident[k]];
            f->energy[i] += 0.25 * c->stiffness * c->depth * c->depth;
        }
    }
}

phx_result phxi_pairs_add_forces(phxi_pairs* pairs, const phxi_contact_scene* scene, phx_real* const force[3],
                                 double* energy) {
    bool any;
    PHXI_TRY(phxi_pairs_update(pairs, scene, &any));
    contact_set set = {.pairs = pairs, .scene = scene};
    force_context f = {.set = &set, .force = force, .energy = energy};
    if (any) {
        PHXI_TRY(find_contacts(&f));
    }
    if (set.count == 0) {
        return PHX_OK;
    }
    PHXI_TRY(find_incidence(&f));
    phxi_parallel_for(scene->pool, set.count, GRAIN, push_block, &f);
    contact_cluster* clusters = NULL;
    bool rubs = scene->dt > 0 && !is_slippery(&set);
    if (rubs) {
        PHXI_TRY(phxi_couples_prepare(&set, f.node_of, &clusters));
        PHXI_TRY(find_friction(&f));
    }
    phxi_parallel_for(scene->pool, set.node_count, GRAIN, gather_block, &f);
    return rubs ? phxi_couples_add(&set, clusters, force) : PHX_OK;
}
