/* Unknowns of the pressure grid, and their extension to ghosts and into walls. */
#include "solvers/pressure/pressure_grid.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "solvers/multigrid/grid_multigrid_levels.h"
#include "solvers/pressure/pressure_build_formula.h"
#include "solvers/pressure/pressure_rows.h"

enum { NODE_GRAIN = 256 };

typedef struct Build {
    OozePressureGrid *grid;
    OozePressureView view;
    OozeVec3 *normal; /* per node: out of the nearest wall */
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
    ooze_multigrid_place(mg->grids.level[0].shape.nodes, mg->grids.level[0].node[node], at);
    for (int k = 0; k < 3; k++) {
        x[k] = mg->grids.axis[k].origin + (double)at[k] / mg->grids.axis[k].inverse;
    }
    return vec3(x[0], x[1], x[2]);
}

/* ---- loops over nodes ---- */

static void near_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_find_near(&b->view, (uint32_t)a);
    }
}

/* Of the nodes around one as well: few particles fit beside a body in the hat function of a node
   inside it, and a node that seems dry would add a false force that grows with depth. */
static float fill_around(const Build *b, uint64_t a)
{
    const OozePressureGrid *grid = b->grid;
    const uint32_t *near = ooze_pressure_near(&b->view, (uint32_t)a);
    float cell = grid->edge[0] * grid->edge[1] * grid->edge[2], fluid = 0.0f, open = 0.0f;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        if (near[s] != OOZE_MULTIGRID_NONE) {
            fluid += grid->sums[near[s]].weight * b->view.particle / cell;
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
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_find_kind(&b->view, (uint32_t)a);
        float wet = ooze_pressure_wetted(ooze_pressure_bodies_at(grid, a) ? fill_around(b, a)
                                                                          : grid->fill[a]);
        ooze_pressure_bodies_wet(grid, a, wet);
        ooze_pressure_wet_walls(&grid->sums[a], wet);
    }
}

static void distance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_find_distance(&b->view, (uint32_t)a);
    }
}

static void ring_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_find_ring(&b->view, (uint32_t)a);
    }
}

/* ---- rows of E ---- */

static void count_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t a = begin; a < end; a++) {
        OozePressureEntries row;
        ooze_pressure_find_entries(&b->view, (uint32_t)a, b->normal[a], &row);
        b->count[a] = row.count;
    }
}

static void fill_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    OozePressureGrid *grid = b->grid;
    for (uint64_t a = begin; a < end; a++) {
        OozePressureEntries row;
        ooze_pressure_find_entries(&b->view, (uint32_t)a, b->normal[a], &row);
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
    b->view = ooze_pressure_view(grid);
    return OOZE_OK;
}

/* ---- volume errors ---- */

static void error_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t g = begin; g < end; g++) {
        ooze_pressure_find_error(&b->view, (uint32_t)g);
    }
}

static void smooth_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t g = begin; g < end; g++) {
        ooze_pressure_smooth_error(&b->view, (uint32_t)g);
    }
}

static void inner_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Build *b = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_find_inner(&b->view, (uint32_t)a);
    }
}

/* ---- building ---- */

static OozeStatus allocate(Build *b, OozeError *error)
{
    OozePressureGrid *grid = b->grid;
    OozeArena *arena = grid->input.arena;
    const OozeMultigridLevel *level = &grid->multigrid->grids.level[0];
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
    grid->near = ooze_arena_alloc(arena, OOZE_MULTIGRID_STENCIL * m, sizeof *grid->near);
    b->normal = ooze_arena_alloc(arena, m, sizeof *b->normal);
    grid->ring = ooze_arena_alloc(arena, m, sizeof *grid->ring);
    b->count = ooze_arena_alloc(arena, m + 1, sizeof *b->count);
    b->view = ooze_pressure_view(grid);
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
    grid->nodes = status ? 0 : multigrid->grids.level[0].nodes;
    for (int k = 0; k < 3; k++) {
        grid->edge[k] = (float)(1.0 / multigrid->grids.axis[k].inverse);
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
    ooze_pressure_find_diagonal(grid);
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
