/* Unknowns of the pressure grid, and their extension to ghosts and into walls. */
#include "solvers/pressure_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "solvers/grid_multigrid_levels.h"
#include "solvers/pressure_rows.h"

enum { NODE_GRAIN = 256, CENTRE = 13, MOST_ENTRIES = 256 };

typedef struct Build {
    OozePressureGrid *grid;
    uint32_t *near;   /* 27 per node: nodes around it, x fastest, or OOZE_MULTIGRID_NONE */
    OozeVec3 *normal; /* per node: out of the nearest wall */
    uint32_t *ring;   /* per node: 1: a ghost beside an unknown, 2: beside such a ghost, else 0 */
    uint32_t *count;  /* entries of the rows of E */
} Build;

static void run(const OozePressureGrid *grid, OozeRangeBody body, void *data)
{
    ooze_parallel_for(grid->input.threads, grid->nodes, NODE_GRAIN, body, data);
}

OozeVec3 ooze_pressure_node_position(const OozePressureGrid *grid, uint64_t node)
{
    const OozeGridMultigrid *mg = grid->multigrid;
    int32_t at[3];
    double x[3];
    ooze_multigrid_place(mg->level[0].shape.nodes, mg->level[0].node[node], at);
    for (int k = 0; k < 3; k++) {
        x[k] = mg->axis[k].origin + (double)at[k] / mg->axis[k].inverse;
    }
    return vec3(x[0], x[1], x[2]);
}

/* ---- nodes around nodes ---- */

static void near_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    const OozeMultigridLevel *level = &b->grid->multigrid->level[0];
    for (uint64_t a = begin; a < end; a++) {
        uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * a;
        for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
            near[s] = OOZE_MULTIGRID_NONE;
        }
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
            uint64_t cell = level->node_corner[e] / 8;
            int first = CENTRE - ooze_multigrid_corner_slot((int)(level->node_corner[e] % 8));
            for (int c = 0; c < 8; c++) {
                near[first + ooze_multigrid_corner_slot(c)] =
                    level->corner_node[8 * cell + (uint64_t)c];
            }
        }
    }
}

/* ---- unknowns ---- */

/* Of the nodes around one as well: few particles fit beside a body in the hat function of a node
   inside it, and a node that seems dry would add a false force that grows with depth. */
static float fill_around(const Build *b, uint64_t a)
{
    const OozePressureGrid *grid = b->grid;
    const uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * a;
    float cell = grid->edge[0] * grid->edge[1] * grid->edge[2], fluid = 0.0f, open = 0.0f;
    float particle = (float)(grid->input.spacing * grid->input.spacing * grid->input.spacing);
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        if (near[s] != OOZE_MULTIGRID_NONE) {
            fluid += grid->sums[near[s]].weight * particle / cell;
            open += 1.0f - grid->sums[near[s]].wall;
        }
    }
    return fluid / fmaxf(open, 1e-3f);
}

static void kind_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    OozePressureGrid *grid = b->grid;
    float cell = grid->edge[0] * grid->edge[1] * grid->edge[2];
    float particle = (float)(grid->input.spacing * grid->input.spacing * grid->input.spacing);
    for (uint64_t a = begin; a < end; a++) {
        OozePressureSums *sums = &grid->sums[a];
        grid->wall[a] = sums->wall;
        grid->fill[a] = sums->weight * particle / cell / fmaxf(1.0f - sums->wall, 1e-3f);
        if (grid->kind[a] != OOZE_PRESSURE_WALL) {
            grid->kind[a] =
                grid->fill[a] > OOZE_PRESSURE_CUT ? OOZE_PRESSURE_UNKNOWN : OOZE_PRESSURE_GHOST;
        }
        float wet = ooze_pressure_wetted(ooze_pressure_bodies_at(grid, a) ? fill_around(b, a)
                                                                          : grid->fill[a]);
        ooze_pressure_bodies_wet(grid, a, wet);
        sums->flux *= wet;
        sums->fixed *= wet;
        for (int k = 0; k < 3; k++) {
            sums->wall_gradient[k] *= wet;
            sums->wall_turn[k] *= wet;
        }
    }
}

/* Full nodes are one cell farther inside than the nearest partly filled node along an axis. */
static void distance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    const OozePressureGrid *grid = b->grid;
    const int along[6] = {12, 14, 10, 16, 4, 22};
    for (uint64_t a = begin; a < end; a++) {
        float least = 2.0f;
        const uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * a;
        for (int s = 0; s < 6 && grid->fill[a] > OOZE_PRESSURE_FULL; s++) {
            uint32_t o = near[along[s]];
            if (o != OOZE_MULTIGRID_NONE && grid->kind[o] != OOZE_PRESSURE_WALL &&
                grid->fill[o] <= OOZE_PRESSURE_FULL) {
                least = fminf(least, fmaxf(0.0f, ooze_pressure_distance(grid->fill[o])));
            }
        }
        grid->distance[a] = grid->fill[a] > OOZE_PRESSURE_FULL
                                ? (least < 2.0f ? 1.0f + least : OOZE_PRESSURE_DEEP)
                                : ooze_pressure_distance(grid->fill[a]);
    }
}

static void ring_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    const OozePressureGrid *grid = b->grid;
    for (uint64_t a = begin; a < end; a++) {
        const uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * a;
        bool beside = false;
        for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
            beside = beside || (near[s] != OOZE_MULTIGRID_NONE && near[s] != a &&
                                grid->kind[near[s]] == OOZE_PRESSURE_UNKNOWN);
        }
        b->ring[a] = grid->kind[a] == OOZE_PRESSURE_GHOST && beside;
    }
}

/* ---- rows of E ---- */

typedef struct Entries {
    uint32_t count;
    uint32_t node[MOST_ENTRIES];
    float weight[MOST_ENTRIES];
} Entries;

static void add(Entries *to, uint32_t node, float weight)
{
    uint32_t k = 0;
    while (k < to->count && to->node[k] != node) {
        k++;
    }
    if (k < to->count) {
        to->weight[k] += weight;
    } else if (k < MOST_ENTRIES) {
        to->node[k] = node;
        to->weight[k] = weight;
        to->count++;
    }
}

/* Pressure over distance to the surface, by the unknowns around a ghost of the first ring. */
static void add_slope(const Build *b, uint64_t a, float scale, Entries *to)
{
    const OozePressureGrid *grid = b->grid;
    const uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * a;
    float square = 0.0f;
    for (int pass = 0; pass < 2; pass++) {
        for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
            uint32_t o = near[s];
            if (o == OOZE_MULTIGRID_NONE || grid->kind[o] != OOZE_PRESSURE_UNKNOWN) {
                continue;
            }
            float d = grid->distance[o];
            if (pass == 0) {
                square += d * d;
            } else {
                add(to, o, scale * d / square);
            }
        }
    }
}

/* Ghosts: the distance beyond the surface times the slope there. */
static void add_ghost(const Build *b, uint64_t a, float scale, Entries *to)
{
    const uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * a;
    float d = scale * b->grid->distance[a];
    if (b->ring[a] == 1) {
        add_slope(b, a, d, to);
        return;
    }
    float count = 0.0f;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        count += near[s] != OOZE_MULTIGRID_NONE && b->ring[near[s]] == 1 ? 1.0f : 0.0f;
    }
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        if (near[s] != OOZE_MULTIGRID_NONE && b->ring[near[s]] == 1) {
            add_slope(b, near[s], d / count, to);
        }
    }
}

static void add_fluid_node(const Build *b, uint64_t a, float scale, Entries *to)
{
    if (b->grid->kind[a] == OOZE_PRESSURE_UNKNOWN) {
        add(to, (uint32_t)a, scale);
    } else {
        add_ghost(b, a, scale, to);
    }
}

/* Nodes inside walls: linear along the direction to a neighbour that is nearest to the normal. */
static void add_wall_node(const Build *b, uint64_t a, Entries *to)
{
    const OozePressureGrid *grid = b->grid;
    const uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * a;
    int best = -1;
    double most = -INFINITY;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        if (near[s] == OOZE_MULTIGRID_NONE || s == CENTRE ||
            grid->kind[near[s]] == OOZE_PRESSURE_WALL) {
            continue;
        }
        OozeVec3 e =
            vec3((s % 3 - 1) * (double)grid->edge[0], (s / 3 % 3 - 1) * (double)grid->edge[1],
                 (s / 9 - 1) * (double)grid->edge[2]);
        double along = vec3_dot(e, b->normal[a]) / vec3_length(e);
        if (along > most) {
            most = along;
            best = s;
        }
    }
    if (best < 0) {
        return;
    }
    uint32_t first = near[best],
             second = b->near[OOZE_MULTIGRID_STENCIL * (uint64_t)first + (uint64_t)best];
    bool has = second != OOZE_MULTIGRID_NONE && grid->kind[second] != OOZE_PRESSURE_WALL;
    add_fluid_node(b, first, has ? 2.0f : 1.0f, to);
    if (has) {
        add_fluid_node(b, second, -1.0f, to);
    }
}

static void find_row(const Build *b, uint64_t a, Entries *to)
{
    to->count = 0;
    if (b->grid->kind[a] == OOZE_PRESSURE_WALL) {
        add_wall_node(b, a, to);
    } else {
        add_fluid_node(b, a, 1.0f, to);
    }
}

static void count_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t a = begin; a < end; a++) {
        Entries row;
        find_row(b, a, &row);
        b->count[a] = row.count;
    }
}

static void fill_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    OozePressureGrid *grid = b->grid;
    for (uint64_t a = begin; a < end; a++) {
        Entries row;
        find_row(b, a, &row);
        for (uint32_t k = 0; k < row.count; k++) {
            grid->row_node[grid->row_first[a] + k] = row.node[k];
            grid->row_weight[grid->row_first[a] + k] = row.weight[k];
        }
    }
}

/* Columns from rows, by ascending node. */
static void transpose(OozePressureGrid *grid, uint32_t *at)
{
    uint32_t entries = grid->row_first[grid->nodes], first = 0;
    memset(at, 0, grid->nodes * sizeof *at);
    for (uint32_t k = 0; k < entries; k++) {
        at[grid->row_node[k]]++;
    }
    for (uint64_t a = 0; a < grid->nodes; a++) {
        grid->column_first[a] = first;
        first += at[a];
        at[a] = grid->column_first[a];
    }
    grid->column_first[grid->nodes] = first;
    for (uint64_t a = 0; a < grid->nodes; a++) {
        for (uint32_t k = grid->row_first[a]; k < grid->row_first[a + 1]; k++) {
            uint32_t to = at[grid->row_node[k]]++;
            grid->column_node[to] = (uint32_t)a;
            grid->column_weight[to] = grid->row_weight[k];
        }
    }
}

static OozeStatus find_extension(Build *b, OozeError *error)
{
    OozePressureGrid *grid = b->grid;
    OozeArena *arena = grid->input.arena;
    uint32_t entries = 0;
    run(grid, count_range, b);
    for (uint64_t a = 0; a < grid->nodes; a++) {
        grid->row_first[a] = entries;
        entries += b->count[a];
    }
    grid->row_first[grid->nodes] = entries;
    grid->row_node = ooze_arena_alloc(arena, entries, sizeof *grid->row_node);
    grid->row_weight = ooze_arena_alloc(arena, entries, sizeof *grid->row_weight);
    grid->column_node = ooze_arena_alloc(arena, entries, sizeof *grid->column_node);
    grid->column_weight = ooze_arena_alloc(arena, entries, sizeof *grid->column_weight);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the pressure grid", (size_t)entries * 16);
    }
    run(grid, fill_range, b);
    transpose(grid, b->count);
    return OOZE_OK;
}

/* ---- volume errors ---- */

/* Whether no surface is beside it: then it may be too empty as well as too full. */
static bool is_inner(const Build *b, uint64_t a)
{
    const OozePressureGrid *grid = b->grid;
    const uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * a;
    bool inner = grid->kind[a] == OOZE_PRESSURE_UNKNOWN;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL && inner; s++) {
        inner = near[s] == OOZE_MULTIGRID_NONE || grid->kind[near[s]] != OOZE_PRESSURE_GHOST;
    }
    return inner;
}

static float excess(const OozePressureGrid *grid, uint64_t a)
{
    float open = fmaxf(1.0f - grid->wall[a], 1e-3f);
    return (grid->fill[a] - 1.0f) * open;
}

/* The error of nodes inside walls belongs to the unknowns that they follow. */
static void error_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    OozePressureGrid *grid = b->grid;
    for (uint64_t g = begin; g < end; g++) {
        float sum = 0.0f;
        for (uint32_t k = grid->column_first[g]; k < grid->column_first[g + 1]; k++) {
            uint32_t a = grid->column_node[k];
            float e = excess(grid, a);
            if (a == g) {
                sum += e > 0.0f || b->ring[a] ? e : 0.0f;
            } else if (grid->kind[a] == OOZE_PRESSURE_WALL) {
                bool all = true;
                for (uint32_t q = grid->row_first[a]; q < grid->row_first[a + 1]; q++) {
                    all = all && b->ring[grid->row_node[q]];
                }
                sum += all ? grid->column_weight[k] * e : 0.0f;
            }
        }
        grid->value[g] = grid->idle[g] ? 0.0f : sum;
    }
}

/* Hat functions sample disordered particles, and lattices that do not match the cells, with errors
   of some per cent, which a mean over the neighbours takes out. */
static void smooth_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    OozePressureGrid *grid = b->grid;
    for (uint64_t g = begin; g < end; g++) {
        const uint32_t *near = b->near + OOZE_MULTIGRID_STENCIL * g;
        float sum = 0.0f, weights = 0.0f;
        for (int s = 0; s < OOZE_MULTIGRID_STENCIL && !grid->idle[g]; s++) {
            int off = abs(s % 3 - 1) + abs(s / 3 % 3 - 1) + abs(s / 9 - 1);
            float weight = 1.0f / (float)(1 << off);
            if (near[s] != OOZE_MULTIGRID_NONE && !grid->idle[near[s]]) {
                sum += weight * grid->value[near[s]];
                weights += weight;
            }
        }
        grid->error[g] = weights > 0.0f ? sum / weights : 0.0f;
    }
}

static void inner_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t a = begin; a < end; a++) {
        b->ring[a] = is_inner(b, a);
    }
}

/* ---- building ---- */

static OozeStatus allocate(Build *b, OozeError *error)
{
    OozePressureGrid *grid = b->grid;
    OozeArena *arena = grid->input.arena;
    const OozeMultigridLevel *level = &grid->multigrid->level[0];
    uint64_t m = grid->nodes;
    grid->fill = ooze_arena_alloc(arena, m, sizeof(float));
    grid->distance = ooze_arena_alloc(arena, m, sizeof(float));
    grid->wall = ooze_arena_alloc(arena, m, sizeof(float));
    grid->kind = ooze_arena_alloc(arena, m, 1);
    grid->idle = ooze_arena_alloc(arena, m, 1);
    grid->walled = ooze_arena_alloc(arena, m, 1);
    grid->row_first = ooze_arena_alloc(arena, m + 1, sizeof *grid->row_first);
    grid->column_first = ooze_arena_alloc(arena, m + 1, sizeof *grid->column_first);
    grid->sums = ooze_arena_alloc(arena, m, sizeof *grid->sums);
    grid->row = ooze_arena_alloc(arena, m, sizeof *grid->row);
    grid->flux = ooze_arena_alloc(arena, m, sizeof(float));
    grid->diagonal = ooze_arena_alloc(arena, m, sizeof(float));
    grid->weight = ooze_arena_alloc(arena, m, sizeof(float));
    grid->error = ooze_arena_alloc(arena, m, sizeof(float));
    grid->value = ooze_arena_alloc(arena, m, sizeof(float));
    for (int k = 0; k < 2; k++) {
        grid->corner[k] = ooze_arena_alloc(arena, 8 * level->cells, sizeof(OozeF32x4));
        grid->node[k] = ooze_arena_alloc(arena, m, sizeof(OozeF32x4));
    }
    b->near = ooze_arena_alloc(arena, OOZE_MULTIGRID_STENCIL * m, sizeof *b->near);
    b->normal = ooze_arena_alloc(arena, m, sizeof *b->normal);
    b->ring = ooze_arena_alloc(arena, m, sizeof *b->ring);
    b->count = ooze_arena_alloc(arena, m + 1, sizeof *b->count);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the pressure grid", m * 400)
                                    : OOZE_OK;
}

static void count_unknowns(OozePressureGrid *grid)
{
    grid->closed = true;
    grid->unknowns = 0.0;
    for (uint64_t a = 0; a < grid->nodes; a++) {
        grid->closed = grid->closed && grid->kind[a] != OOZE_PRESSURE_GHOST;
        grid->unknowns += grid->idle[a] ? 0.0 : 1.0;
    }
}

/* The preconditioner: pressure 0 beyond the surface. */
static OozeStatus fill_multigrid(Build *b, OozeGridMultigridInput *input, OozeError *error)
{
    OozePressureGrid *grid = b->grid;
    uint8_t *held = (uint8_t *)b->count; /* not used any more */
    float *mass = ooze_arena_alloc(grid->input.arena, grid->input.n, sizeof *mass);
    if (!mass) {
        return ooze_fail_memory(error, "the pressure grid", grid->input.n * sizeof *mass);
    }
    memset(mass, 0, grid->input.n * sizeof *mass);
    for (uint64_t a = 0; a < grid->nodes; a++) {
        held[a] = grid->kind[a] == OOZE_PRESSURE_GHOST;
    }
    input->stiffness = grid->input.inverse_mass;
    input->mass = mass;
    input->held = held;
    return ooze_grid_multigrid_fill(grid->multigrid, input, error);
}

OozeStatus ooze_pressure_grid_build(OozePressureGrid *grid, OozeGridMultigrid *multigrid,
                                    const OozePressureGridInput *input, OozeError *error)
{
    OozeGridMultigridInput cells = {.n = input->n,
                                    .x = input->x,
                                    .spacing = input->spacing,
                                    .periodic = input->periodic,
                                    .threads = input->threads};
    Build b = {.grid = grid};
    *grid = (OozePressureGrid){.input = *input, .multigrid = multigrid};
    OozeStatus status = ooze_grid_multigrid_place(multigrid, &cells, error);
    grid->nodes = status ? 0 : multigrid->level[0].nodes;
    for (int k = 0; k < 3; k++) {
        grid->edge[k] = (float)(1.0 / multigrid->axis[k].inverse);
    }
    status = status ? status : allocate(&b, error);
    if (status) {
        return status;
    }
    run(grid, near_range, &b);
    ooze_pressure_sum_fluid(grid);
    memset(grid->kind, OOZE_PRESSURE_GHOST, grid->nodes);
    status = ooze_pressure_bodies_begin(grid, error);
    status = status ? status : ooze_pressure_walls(grid, b.normal, error);
    if (status) {
        return status;
    }
    run(grid, kind_range, &b);
    run(grid, distance_range, &b);
    run(grid, ring_range, &b);
    status = find_extension(&b, error);
    if (status) {
        return status;
    }
    ooze_pressure_bodies_extend(grid, b.normal);
    ooze_pressure_find_rows(grid);
    status = ooze_pressure_bodies_find_rows(grid, error);
    if (status) {
        return status;
    }
    count_unknowns(grid);
    run(grid, inner_range, &b);
    run(grid, error_range, &b);
    run(grid, smooth_range, &b);
    return fill_multigrid(&b, &cells, error);
}
