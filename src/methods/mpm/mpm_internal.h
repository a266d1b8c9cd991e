// SPDX-License-Identifier: MIT
// Material point method: the solver's state and its stages. Equations: docs/theory/mpm.md; order of stages: README.md
// beside this file.
//
//   mpm.c        parameters, fields, bodies; the method's table     step.c       the stages of a substep, stable steps
//   blocks.c     which particles stand in which block of the grid   chunk.c      particles in and out of planes, stress
//   scatter.c    particles to the grid                              gather.c     the grid to particles
//   grid.c       sums of tiles, velocities                          mirror.c     planes of symmetry
//   flow.c       new deformation, less what is beyond yield         measure.c    energies, fields to show
//   transfer.c   what goes to the grid and back                     material.c   which law a body follows
//   volume_fix.c fluids keep their volume                           rows.h       nodes that particles see
//   tiles.c      what blocks gave, as it is kept                    walls.c      nodes in colliders
//   spin.c       angular momentum after implicit steps              wall_cache.c colliders that stand, kept at nodes
//   implicit.c   velocities of implicit steps and of implicit viscosity
//
// The grid is sparse. Its nodes stand in blocks of 4 x 4 x 4, made where particles are. A particle belongs to
// the block whose tile of 8 x 8 x 8 nodes holds all nodes that it sees, with half a cell to spare, so that particles
// are assigned to blocks again only when one has moved that far. Each block of particles writes a tile of its own; each
// block of nodes adds up the eight tiles that overlap it, in a fixed order: no atomics, the same bits at any number of
// threads.
//
//        tile of block H (8 x 8)           octants 0..7 of the tile (here 0..3) are the blocks of nodes
//        + - - - - - - - +                 H, H + z, H + y, H + y + z, H + x, ...
//        | H+x   | H+x+y |
//        |   :   |       |                 nodes along z stand side by side, four numbers each (mass, momentum): a row
//        + - - - + - - - +                 of four nodes is 16 numbers, one register of AVX-512 in single precision
//        | H     | H+y   |
//        |       |       |                 a particle sees rows of four nodes: 4 x 4 of them, or 3 x 3 (quadratic)
//        + - - - - - - - +
#pragma once

#include "core/array.h"
#include "geometry/key_table.h"
#include "materials/drucker_prager.h"
#include "materials/expansion.h"
#include "materials/fluid.h"
#include "materials/plastic.h"
#include "materials/snow.h"
#include "math/lanes.h"
#include "methods/method.h"

typedef enum phxi_mpm_kernel { MPM_CUBIC, MPM_QUADRATIC } phxi_mpm_kernel;
typedef enum phxi_mpm_transfer { MPM_APIC, MPM_FLIP, MPM_PIC } phxi_mpm_transfer;
typedef enum phxi_mpm_order { MPM_ORDER_AUTO, MPM_ORDER_FIRST, MPM_ORDER_SECOND } phxi_mpm_order;
typedef enum phxi_mpm_boundary {
    MPM_FRICTION,
    MPM_SEPARATE,
    MPM_SLIP,
    MPM_STICKY,
    MPM_MIRROR,
} phxi_mpm_boundary;
typedef enum phxi_mpm_viscous { MPM_STRAIN, MPM_IMPLICIT } phxi_mpm_viscous;
typedef enum phxi_mpm_volume { MPM_FOLLOWED, MPM_KEPT } phxi_mpm_volume;
typedef enum phxi_mpm_phase { MPM_PHASE_AUTO, MPM_PHASE_SOLID, MPM_PHASE_FLUID } phxi_mpm_phase;

typedef struct phxi_mpm_params {
    int kernel;         // phxi_mpm_kernel
    int transfer;       // phxi_mpm_transfer
    double blend;       // share of FLIP, the rest is PIC
    int order;          // phxi_mpm_order, of APIC
    double cell;        // edge of a cell of the grid, in spacings
    double courant;     // cells that sound, or a particle, goes in a substep; 0: phxi_mpm_courant
    int boundary;       // phxi_mpm_boundary
    int phase;          // phxi_mpm_phase
    double sound_speed; // m/s, of fluids; 0: chosen
    int viscous;        // phxi_mpm_viscous, of fluids
    int volume;         // phxi_mpm_volume, of fluids
    double implicit;    // substeps in those that sound allows; 0: explicit
} phxi_mpm_params;

enum {
    MPM_G,           // F - I of the elastic part, 3 * row + column
    MPM_AFFINE = 9,  // C, gradient of velocity, 3 * row + column
    MPM_AMOUNT = 18, // accumulated plastic strain
    MPM_SWELL = 19,  // opening of grains and fluids; J_p - 1 of snow
    MPM_PLACE = 20,  // where it stood when it was last assigned to a block
    MPM_FIELD_COUNT,
};
extern const phxi_field_def phxi_mpm_fields[MPM_FIELD_COUNT];

enum { MPM_WORD_STEPS, MPM_WORD_SORTS, MPM_WORD_SOUND, MPM_WORD_SOLVES, MPM_WORD_COUNT };

/// What linear solves leave a node: all, all but along a direction, only along one, or nothing.
typedef enum phxi_mpm_bound { MPM_FREE, MPM_NOT_ALONG, MPM_ALONG, MPM_HELD } phxi_mpm_bound;

typedef enum phxi_mpm_kind { MPM_ELASTIC, MPM_PLASTIC, MPM_GRAINS, MPM_SNOW, MPM_FLUID } phxi_mpm_kind;

/// The material law of a body.
typedef struct phxi_mpm_material {
    phxi_mpm_kind kind;
    phxi_elastic elastic;
    phxi_plastic plastic;
    phxi_drucker_prager grains;
    phxi_snow snow;
    phxi_fluid fluid;
} phxi_mpm_material;

enum {
    MPM_SIDE = 4,                              // nodes of a block along an axis
    MPM_TILE = 2 * MPM_SIDE,                   // of a tile
    MPM_ROW = 4 * MPM_SIDE,                    // numbers of four nodes along z
    MPM_BLOCK = MPM_SIDE * MPM_SIDE * MPM_ROW, // numbers of a block of nodes
    MPM_TILE_NUMBERS = 8 * MPM_BLOCK,          // of a tile
    MPM_ALONG_Y = 4 * MPM_TILE,                // from row to row in a tile
    MPM_ALONG_X = MPM_TILE * MPM_ALONG_Y,      //
    MPM_CHUNK = 64,                            // particles at a time
    MPM_MANY = 24,                             // of a block, above which they are taken to see all of its tile
    MPM_STRIDE = MPM_CHUNK + 16,               // of planes: not of a size that falls into the same cache sets
};

/// Nodes nearer than this to a collider's surface are on it, in cells: spacings of single precision put the hundredth
/// node of a wall somewhere.
#define MPM_ON_SURFACE 1e-4

/// Rows of four nodes of a tile that particles see (rows.h).
typedef struct phxi_mpm_rows {
    uint64_t half[2];
} phxi_mpm_rows;

/// Particles that write to one tile: order[begin .. begin + count).
typedef struct phxi_mpm_block {
    uint64_t key; // of the block, see blocks.c
    int begin, count;
    int at[3];          // the tile's first node, counted from the grid's origin
    int nodes[8];       // blocks of nodes that the octants are of
    int held;           // how many of its particles are fixed; this substep
    int bad;            // lowest particle that is not finite, of it or of others of its batch; -1: none
    int chunk;          // number of its first chunk; implicit steps
    int tile;           // where its rows are kept in `tiles`, counted in rows
    uint8_t starts[8];  // rows of it before those of each octant; this substep
    phxi_mpm_rows rows; // this substep: those that its particles see; all, where these are many
    bool alone;         // no other block has particles that see one of these; its rows are kept as velocities
    bool taken;         // alone, and so few that what they take is less than their rows: that is kept instead
} phxi_mpm_block;

/// Blocks first .. first + count that go through planes together: one, or several whose particles fill one chunk at
/// most.
typedef struct phxi_mpm_batch {
    int first, count;
} phxi_mpm_batch;

/// A block of nodes and the blocks of particles whose tiles overlap it; -1: none there.
typedef struct phxi_mpm_nodes {
    int at[3]; // its first node
    int blocks[8];
    int held;      // block of velocities that fixed particles see; -1: no fixed one is near
    uint32_t rows; // that particles see, this substep (rows.h)
} phxi_mpm_nodes;

/// 4 x 4 x 4 nodes: a block of nodes, or an octant of a tile.
typedef struct phxi_mpm_cube {
    int at[3];            // its first node
    uint32_t rows;        // that particles see
    phx_real* numbers;    // of its first node
    int along_x, along_y; // from row to row
    int block;            // which block of nodes; -1: none
    int place;            // the block of nodes that it stands at
    bool again;           // its nodes have met colliders in this substep
} phxi_mpm_cube;

/// A collider, in this substep.
typedef struct phxi_mpm_wall {
    bool mirror;               // a plane of symmetry
    bool flat;                 // one plane everywhere; then
    phx_vec3 normal;           // outward
    double distance, along[3]; // m, of the grid's node 0; what it grows by from node to node
    bool plain, slips;         // it stands and nobody asks what it does; it holds what leaves it, too
    double friction;           // coefficient
    bool cached;               // nodes know it (wall_cache.c)
} phxi_mpm_wall;

enum { MPM_WALLS = 3 }; // of a collider that a node may be in: a corner has three

/// What a node knows of a collider.
typedef struct phxi_mpm_wall_node {
    double distance;  // m; more than half a cell: at least that
    int first, count; // of `normals`: the surfaces that it is behind
} phxi_mpm_wall_node;

/// What blocks of nodes know of a collider that stands; see wall_cache.c.
typedef struct phxi_mpm_wall_cache {
    uint64_t plan; // of the collider; with its pose and the grid, what the rest holds for
    phxi_collider_pose pose;
    double h;
    phx_vec3 origin;
    phxi_key_table table;
    PHXI_ARRAY(phxi_mpm_wall_node) nodes;
    PHXI_ARRAY(phx_vec3) normals;
    PHXI_ARRAY(int) of_block; // by block of nodes: which 64 of `nodes`; -1: it is far
    int64_t sorts;            // the value of `builds` for which that holds
} phxi_mpm_wall_cache;

/// A plane of symmetry at node `at` of an axis; the body is on its positive or negative side.
typedef struct phxi_mpm_mirror {
    int collider, axis, at, side;
} phxi_mpm_mirror;

/// What a particle gives to the rows of four nodes that it sees: row (i, j) is wx_i wy_j (k + i x + j y), in lanes
/// z = 0..3 of (mass, momentum).
typedef struct phxi_mpm_gift {
    _Alignas(64) phx_real k[MPM_ROW], x[MPM_ROW], y[MPM_ROW];
    phx_real wx[4], wy[4], wz[4];
    int base; // of its first row in the tile
} phxi_mpm_gift;

/// Numbers of particles in planes that gifts are made of: mass, momentum; columns of the affine matrix, by a cell.
typedef struct phxi_mpm_gift_planes {
    _Alignas(64) phx_real m[MPM_STRIDE], q[3][MPM_STRIDE], a[9][MPM_STRIDE];
} phxi_mpm_gift_planes;

/// What it takes: sums of w_x w_y, i w_x w_y and j w_x w_y times the rows.
typedef struct phxi_mpm_take {
    _Alignas(64) phx_real s[MPM_ROW], x[MPM_ROW], y[MPM_ROW];
} phxi_mpm_take;
_Static_assert(sizeof(phxi_mpm_take) == 3 * MPM_ROW * sizeof(phx_real), "three rows, see phxi_mpm_block.taken");

/// Particles at[0 .. count) of a batch in planes; [c][k] is number c of particle k.
typedef struct phxi_mpm_chunk {
    const int* at;
    int count;
    bool packed; // they stand side by side in memory, too
    int turn;    // of the first one in `order`
    const phxi_mpm_block* blocks;
    int block_count;
    _Alignas(64) phx_real g[9][MPM_STRIDE];
    _Alignas(64) phx_real p[9][MPM_STRIDE];   // first Piola stress, then scratch
    _Alignas(64) phx_real tau[6][MPM_STRIDE]; // Kirchhoff stress, xx yy zz xy xz yz
    _Alignas(64) phx_real c[9][MPM_STRIDE];
    _Alignas(64) phx_real v[3][MPM_STRIDE], old[3][MPM_STRIDE];
    _Alignas(64) phx_real f[3][MPM_STRIDE]; // from its first node, in cells
    _Alignas(64) phx_real w[3][4][MPM_STRIDE];
    _Alignas(64) phx_real excess[MPM_STRIDE]; // how much more than full the space around it is; if s->fixes_volume
    _Alignas(64) phx_real amount[MPM_STRIDE], swell[MPM_STRIDE], energy[MPM_STRIDE], temperature[MPM_STRIDE];
    int base[MPM_CHUNK];
} phxi_mpm_chunk;

typedef struct phxi_mpm {
    phxi_heap* heap;
    double words[MPM_WORD_COUNT];
    const phxi_mpm_params* params; // of the first body: shared by all, but for `cell`
    double h;                      // m, edge of a cell
    phx_vec3 origin;               // m, node 0: planes of symmetry go through nodes
    double mass_unit;              // kg, the lightest particle
    int own_count;                 // particles of all own bodies that are assigned to blocks; -1: not known
    bool settled;                  // blocks are those of the saved places
    bool placed;                   // the places are of this grid
    phxi_mpm_mirror mirrors[6];
    int mirror_count;

    PHXI_ARRAY(phxi_mpm_material) materials; // by body of the world
    PHXI_ARRAY(phxi_mpm_wall) walls;         // by collider
    PHXI_ARRAY(phxi_mpm_wall_cache) wall_caches;
    int64_t builds; // how often blocks of nodes were made

    PHXI_ARRAY(phxi_mpm_block) blocks;
    PHXI_ARRAY(phxi_mpm_batch) batches;
    PHXI_ARRAY(phxi_mpm_nodes) nodes;
    PHXI_ARRAY(int) order;    // particles by block, place in it, index
    PHXI_ARRAY(int) block_of; // scratch of sorting, by turn of a particle
    PHXI_ARRAY(int) spare;
    PHXI_ARRAY(phxi_mpm_block) unsorted;
    phxi_key_table table;
    PHXI_ARRAY(phx_real) tiles, old_tiles, held_tiles;          // rows that blocks see, see tiles.c
    PHXI_ARRAY(phx_real) velocity, old_velocity, held_velocity; // MPM_BLOCK each: (mass, velocity)

    // of fluids that keep their volume
    bool fixes_volume;
    double full;                // kg, of a cell
    PHXI_ARRAY(phx_real) space; // by node: share of its cell that is not in colliders

    // of linear solves
    bool solves;                   // implicit steps, or fluids whose viscosity is implicit
    bool sharpens;                 // transfers are of second order: particles carry sharper velocities on
    bool keeps_old;                // there is another velocity: before forces (FLIP, viscosity), or that sharper one
    bool every_row;                // also nodes that no particle sees are asked for
    PHXI_ARRAY(phx_real) tangents; // PHXI_TANGENT_NUMBERS * MPM_STRIDE a chunk
    PHXI_ARRAY(phx_real) bound;    // by node: phxi_mpm_bound, and its direction
    PHXI_ARRAY(phx_real) change, rest, direction, image, gain; // by node, as velocities: vectors of the solve

    // of this substep
    phxi_step* step;
    phx_real* field[MPM_FIELD_COUNT];
    uint64_t* place;
    double dt;
    int held_count, held_nodes;
    phxi_collider_push* pushes; // by block of nodes and collider; NULL: not wanted
} phxi_mpm;

static inline const phxi_mpm_params* phxi_mpm_params_of(const phxi_body* body) {
    return body->params;
}
/// Cells from a particle to its first node, at least: 1 (cubic) or 1/2 (quadratic).
static inline double phxi_mpm_reach(const phxi_mpm* s) {
    return s->params->kernel == MPM_CUBIC ? 1 : 0.5;
}
/// sum_i w_i (x_i - x)^2 along an axis, in cells^2, inverted.
static inline double phxi_mpm_inverse_moment(const phxi_mpm* s) {
    return s->params->kernel == MPM_CUBIC ? 3 : 4;
}

/// Makes an array of `s` have so many items, of no value; fails for the caller.
#define PHXI_MPM_RESERVE(array, wanted)                                                                                \
    do {                                                                                                               \
        (array)->count = 0;                                                                                            \
        if (!phxi_array_reserve((array), (wanted), s->heap, "mpm")) {                                                  \
            return PHX_ERROR_MEMORY;                                                                                   \
        }                                                                                                              \
        (array)->count = (wanted);                                                                                     \
    } while (0)

// blocks.c
/// Of the block with this first node.
uint64_t phxi_mpm_block_key(const int at[3]);
/// The first node that a particle with this place sees in its tile: 64 x + 8 y + z.
int phxi_mpm_first_node(uint64_t place);
/// Assigns particles to blocks by where they are; `trouble`: one is nowhere.
phx_result phxi_mpm_settle(phxi_mpm* s, phxi_trouble* trouble);
/// Particles of a new body in the order of their blocks: those of one stand side by side in memory, and what moves as a
/// whole stays so.
phx_result phxi_mpm_sort_body(phxi_mpm* s, phxi_step* step, int body);
void phxi_mpm_release(phxi_mpm* s);

// material.c
/// What of materials the method does not have.
phx_result phxi_mpm_check_material(const phxi_body* body);
phx_result phxi_mpm_reserve_materials(phxi_mpm* s, int body);
/// The speed of sound of fluids, as long as nothing has moved.
void phxi_mpm_choose_sound(phxi_mpm* s, const phxi_step* step);
/// Fields, and laws of all own bodies.
void phxi_mpm_bind(phxi_mpm* s, phxi_step* step);
/// Cells that sound, or the fastest particle, goes in the largest substep. After phxi_mpm_bind.
double phxi_mpm_courant(const phxi_mpm* s);
/// The fastest waves of a body as it is, m/s.
double phxi_mpm_sound(const phxi_mpm* s, int body);
double phxi_mpm_modulus(const void* state, const phxi_step* step, int body);
/// Of a particle of a fluid, at the rate of its last substep, Pa s.
double phxi_mpm_viscosity(const phxi_mpm* s, const phxi_fluid* fluid, int particle);

// chunk.c
/// How many particles a batch has.
int phxi_mpm_batch_size(const phxi_mpm* s, const phxi_mpm_batch* batch);
/// Particles of a batch from number `from` of its first block on, as many as a chunk holds. Nothing is in planes yet.
void phxi_mpm_open_chunk(const phxi_mpm* s, const phxi_mpm_batch* batch, int from, phxi_mpm_chunk* chunk);
/// Particles [*begin, *end) of a chunk are of its block number `b`.
void phxi_mpm_part_of_block(const phxi_mpm_chunk* chunk, int b, int* begin, int* end);
/// One number of all particles of a chunk from its array to a plane, and back.
void phxi_mpm_load_plane(const phxi_mpm_chunk* chunk, const phx_real* from, phx_real* plane);
void phxi_mpm_store_plane(const phxi_mpm_chunk* chunk, const phx_real* plane, phx_real* to);
/// End of the particles from `begin` on that are of one body, and which.
int phxi_mpm_run(const phxi_mpm* s, const phxi_mpm_chunk* chunk, int begin, int* body);
/// First nodes of the particles of a chunk; and weights of the nodes they see, too.
void phxi_mpm_find_bases(const phxi_mpm* s, phxi_mpm_chunk* chunk);
void phxi_mpm_weigh(const phxi_mpm* s, phxi_mpm_chunk* chunk);
/// How much longer warmth makes particles [begin, end) of a chunk; NULL: nothing expands.
const phx_real* phxi_mpm_thermal(const phxi_mpm* s, const phxi_mpm_chunk* chunk, int begin, int end,
                                 phx_real thermal[MPM_STRIDE]);
/// F - I of the particles, and their stress. `energy`: J/m^3 too.
void phxi_mpm_stress(const phxi_mpm* s, phxi_mpm_chunk* chunk, bool energy);

// flow.c
/// F <- (I + dt C) F; what is beyond yield leaves it.
void phxi_mpm_flow(const phxi_mpm* s, phxi_mpm_chunk* chunk);

// scatter.c, gather.c: called through PHXI_LANES_CALL
void phxi_mpm_scatter(phx_real* tile, const phxi_mpm_gift* gifts, int count, bool cubic);
void phxi_mpm_scatter_avx512(phx_real* tile, const phxi_mpm_gift* gifts, int count, bool cubic);
// what particles [begin, end) of a chunk take of the tile of their block
void phxi_mpm_gather(const phx_real* tile, const phxi_mpm_chunk* chunk, int begin, int end, bool cubic,
                     phxi_mpm_take* takes);
void phxi_mpm_gather_avx512(const phx_real* tile, const phxi_mpm_chunk* chunk, int begin, int end, bool cubic,
                            phxi_mpm_take* takes);

// tiles.c
/// Gives blocks of particles room for their rows; `total`: numbers of all.
phx_result phxi_mpm_place_tiles(phxi_mpm* s, int* total);
/// Zeros to rows of a tile.
void phxi_mpm_clear_tile(const phxi_mpm_rows* rows, phx_real* tile);
/// Rows of the tile of a block to where they are kept.
void phxi_mpm_keep_tile(phxi_mpm_block* block, const phx_real* tile, phx_real* tiles);
/// Rows of a block of nodes from the tiles of the blocks of particles around it, or of those with fixed particles.
void phxi_mpm_add_tiles(const phxi_mpm* s, const phxi_mpm_nodes* nodes, const phx_real* tiles, bool held,
                        phx_real* sum);
/// The same back.
void phxi_mpm_restore_tile(const phxi_mpm_block* block, const phx_real* tiles, phx_real* tile);
/// Rows of the tile of a block, from the blocks of nodes it overlaps; blocks[n] < 0: zeros.
void phxi_mpm_fill_tile(const phx_real* numbers, const int blocks[8], const phxi_mpm_rows* rows, phx_real* tile);

// transfer.c
/// Sums along z: velocity and, where `gradient`, C.
void phxi_mpm_finish_takes(const phxi_mpm* s, phxi_mpm_chunk* c, const phxi_mpm_take* takes, phx_real (*v)[MPM_STRIDE],
                           bool gradient);
/// What the particles of a chunk give, from what stands in planes.
void phxi_mpm_make_gifts(const phxi_mpm_chunk* c, const phxi_mpm_gift_planes* planes, phxi_mpm_gift* gifts);
void phxi_mpm_to_grid(phxi_mpm* s);
void phxi_mpm_to_particles(phxi_mpm* s);
/// What nodes would be given if nothing else happened, to `old_tiles`.
void phxi_mpm_give_again(phxi_mpm* s);

// grid.c
phx_result phxi_mpm_advance_grid(phxi_mpm* s);
/// Momenta in the tile of a block that is alone become velocities.
void phxi_mpm_move_alone(phxi_mpm* s, const phxi_mpm_block* block, phx_real* tile);
/// Whether somebody asks what colliders exert.
bool phxi_mpm_wants_pushes(const phxi_step* step);

// walls.c
/// Where colliders are; before any of them is met. After phxi_mpm_find_mirrors.
phx_result phxi_mpm_find_walls(phxi_mpm* s);
void phxi_mpm_meet_colliders(phxi_mpm* s, const phxi_mpm_cube* cube);
/// Linear solves leave a node of a block of nodes what it has.
void phxi_mpm_hold_node(phxi_mpm* s, const phxi_mpm_cube* cube, int n);

// wall_cache.c
/// Blocks of nodes ask colliders that stand, where they have not yet. After phxi_mpm_settle.
phx_result phxi_mpm_fill_wall_caches(phxi_mpm* s);
void phxi_mpm_release_wall_caches(phxi_mpm* s);
/// Surfaces that a node in a collider is behind: in corners there is another one half a cell before the nearest.
int phxi_mpm_find_surfaces(const phxi_mpm* s, const phxi_collider* collider, phx_vec3 position,
                           phxi_surface_point at[MPM_WALLS]);
/// False if no node of a cube is within half a cell of a collider.
bool phxi_mpm_block_near(const phxi_mpm* s, const phxi_collider* collider, const phxi_mpm_cube* cube);

// spin.c
/// Angular momentum that a particle's gradient of velocity carries about it, kg m^2/s: sum w d x C d with sum w d d^T =
/// D I.
phx_vec3 phxi_mpm_spin_of(const phxi_mpm* s, int i);
/// Angular momentum that own bodies will have after a substep by outer forces alone, by own body; NULL where nothing is
/// to be given back. In the arena.
phx_result phxi_mpm_begin_spin(phxi_mpm* s, phx_vec3** given);
/// Takes off what the substep made beyond that.
phx_result phxi_mpm_end_spin(phxi_mpm* s, const phx_vec3* given);

// implicit.c
/// Reserves room, and leaves all nodes unconstrained.
phx_result phxi_mpm_begin_implicit(phxi_mpm* s);
/// Binds a node (its four numbers in `bound`) along one more normal.
void phxi_mpm_bind_along(phx_real* bound, phx_vec3 normal);
/// Velocities of the grid become those of an implicit step.
phx_result phxi_mpm_solve_implicit(phxi_mpm* s);

// volume_fix.c
phx_result phxi_mpm_begin_volume_fix(phxi_mpm* s);
/// All nodes of a block have all of their cell.
void phxi_mpm_clear_space(phxi_mpm* s, int block);
/// A collider's surface is at this distance of a node (below 0: the node is in it).
void phxi_mpm_take_space(phxi_mpm* s, int block, int node, double distance);
/// Masses of nodes become what is more than full of their cells: what particles take in their place.
void phxi_mpm_find_excess(phxi_mpm* s);
/// Fluids [begin, end) in overfull cells lose volume, so that pressure rises until there is room.
void phxi_mpm_fix_volumes(const phxi_mpm* s, const phxi_fluid* fluid, phxi_mpm_chunk* c, int begin, int end);

// mirror.c
phx_result phxi_mpm_find_mirrors(phxi_mpm* s, const phxi_step* step);
bool phxi_mpm_is_mirror(const phxi_mpm* s, int collider);
void phxi_mpm_fold(const phxi_mpm* s);
void phxi_mpm_unfold(const phxi_mpm* s);
/// The same for one array of blocks of nodes, and how planes bind nodes.
void phxi_mpm_fold_numbers(const phxi_mpm* s, phx_real* numbers);
void phxi_mpm_unfold_numbers(const phxi_mpm* s, phx_real* numbers);
void phxi_mpm_bind_mirrors(const phxi_mpm* s);
/// Nodes on planes get the mass of the other half.
void phxi_mpm_double_planes(const phxi_mpm* s);

// step.c
double phxi_mpm_stable_dt(void* state, phxi_step* step, char reason[160]);
phx_result phxi_mpm_substep(void* state, phxi_step* step, double dt, phxi_trouble* trouble);

// measure.c
enum { MPM_DERIVED_COUNT = 6 };
extern const phxi_derived_field phxi_mpm_derived[MPM_DERIVED_COUNT];
void phxi_mpm_measure(void* state, phxi_step* step, int body, const uint8_t* selected, phx_totals* totals);
void phxi_mpm_derive(void* state, phxi_step* step, int body, int field, phx_real* values);
