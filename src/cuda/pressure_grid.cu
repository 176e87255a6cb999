/* Unknowns of the pressure grid, and their extension to ghosts and into walls: see
   solvers/pressure/pressure_grid.c. */
#include "cuda/pressure_grid.cuh"

#include "cuda/grid_cells.cuh"

extern "C" {
#include "solvers/pressure/pressure_build_formula.h"
}

namespace ooze
{

/* ---- memory ---- */

void pressure_memory_free(Gpu *gpu, PressureMemory *memory)
{
    grid_multigrid_free(gpu, &memory->multigrid);
    buffer_free(gpu, &memory->entries);
}

/* The grid of the multigrid, and arrays whose lengths follow from it. */
static void describe(Gpu *gpu, PressureGrid *grid, const PressureGridInput &input)
{
    const GridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    OozePressureView *v = &grid->view;
    const uint64_t m = level->nodes;
    grid->n = (uint32_t)input.n;
    grid->nodes = level->nodes;
    grid->cells = level->cells;
    grid->mean = scratch<Sum1>(gpu, 1);
    v->shape = level->shape;
    v->particle = (float)(input.spacing * input.spacing * input.spacing);
    for (int k = 0; k < 3; k++) {
        v->edge[k] = (float)(1.0 / mg->axis[k].inverse);
    }
    v->node = level->node;
    v->node_first = level->node_first;
    v->node_corner = level->node_corner;
    v->corner_node = level->corner_node;
    v->child_first = level->child_first;
    v->child = level->child;
    v->into = mg->into;
    v->inverse_mass = input.inverse_mass;
    v->fill = scratch<float>(gpu, m);
    v->distance = scratch<float>(gpu, m);
    v->wall = scratch<float>(gpu, m);
    v->kind = scratch<uint8_t>(gpu, m);
    v->idle = scratch<uint8_t>(gpu, m);
    v->walled = scratch<uint8_t>(gpu, m);
    v->row_first = scratch<uint32_t>(gpu, m + 1);
    v->column_first = scratch<uint32_t>(gpu, m + 1);
    v->sums = scratch<OozePressureSums>(gpu, m);
    v->row = scratch<OozePressureRow>(gpu, m);
    v->flux = scratch<float>(gpu, m);
    v->diagonal = scratch<float>(gpu, m);
    v->weight = scratch<float>(gpu, m);
    v->error = scratch<float>(gpu, m);
    v->value = scratch<float>(gpu, m);
    for (int k = 0; k < 2; k++) {
        v->corner[k] = scratch<float4>(gpu, 8 * (uint64_t)level->cells);
        v->at_node[k] = scratch<float4>(gpu, m);
    }
}

/* ---- unknowns ---- */

static void find_unknowns(Gpu *gpu, const PressureGrid *grid, const PressureGridInput &input,
                          OozeVec3 *normal)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) {
            ooze_pressure_find_near(&v, a);
            ooze_pressure_sum_node(&v, a);
            v.kind[a] = OOZE_PRESSURE_GHOST;
        });
    pressure_walls(gpu, grid, input, normal);
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) {
            ooze_pressure_find_kind(&v, a);
            ooze_pressure_wet_walls(&v.sums[a], ooze_pressure_wetted(v.fill[a]));
        });
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) {
            ooze_pressure_find_distance(&v, a);
            ooze_pressure_find_ring(&v, a);
        });
}

/* ---- rows of E ---- */

static int bits_of(uint32_t count)
{
    int bits = 1;
    while (bits < 32 && count >> bits) {
        bits++;
    }
    return bits;
}

/* Columns from rows, by ascending node. */
static void transpose(Gpu *gpu, const PressureGrid *grid, uint32_t entries,
                      const uint32_t *node_of_entry)
{
    const OozePressureView v = grid->view;
    Pairs<uint32_t> pairs = make_pairs<uint32_t>(gpu, entries, bits_of(grid->nodes));
    uint32_t *to_key = pairs.to_key, *to_value = pairs.to_value;
    for_each(
        gpu, entries, OOZE_BODY(uint32_t k) {
            to_key[k] = v.row_node[k];
            to_value[k] = k;
        });
    sort_pairs(gpu, pairs.key, pairs.value, entries, pairs.bits);
    const uint32_t *key = pairs.key[1], *value = pairs.value[1];
    for_each(
        gpu, entries, OOZE_BODY(uint32_t k) {
            v.column_node[k] = node_of_entry[value[k]];
            v.column_weight[k] = v.row_weight[value[k]];
        });
    for_each(
        gpu, (uint64_t)grid->nodes + 1, OOZE_BODY(uint32_t g) {
            v.column_first[g] = first_not(entries, [&](uint32_t k) { return key[k] < g; });
        });
}

/* Waits for the number of entries. */
static uint32_t count_entries(Gpu *gpu, const PressureGrid *grid, const OozeVec3 *normal)
{
    const OozePressureView v = grid->view;
    uint32_t *count = scratch<uint32_t>(gpu, grid->nodes);
    uint64_t *before = scratch<uint64_t>(gpu, grid->nodes), entries = 0;
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) {
            OozePressureEntries row;
            ooze_pressure_find_entries(&v, a, normal[a], &row);
            count[a] = row.count;
        });
    running_sum(gpu, count, before, grid->nodes);
    for_each(
        gpu, (uint64_t)grid->nodes + 1,
        OOZE_BODY(uint32_t a) { v.row_first[a] = (uint32_t)before[a]; });
    copy_out(gpu, &entries, before + grid->nodes, sizeof entries);
    if (entries > UINT32_MAX) {
        record_error(gpu, cudaErrorMemoryAllocation);
    }
    return gpu->failed == cudaSuccess ? (uint32_t)entries : 0;
}

static void find_extension(Gpu *gpu, PressureGrid *grid, const OozeVec3 *normal, uint32_t entries)
{
    const OozePressureView v = grid->view;
    uint32_t *node_of_entry = scratch<uint32_t>(gpu, entries);
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) {
            OozePressureEntries row;
            ooze_pressure_find_entries(&v, a, normal[a], &row);
            for (uint32_t k = 0; k < row.count; k++) {
                v.row_node[v.row_first[a] + k] = row.node[k];
                v.row_weight[v.row_first[a] + k] = row.weight[k];
                node_of_entry[v.row_first[a] + k] = a;
            }
        });
    transpose(gpu, grid, entries, node_of_entry);
}

static bool allocate_entries(Gpu *gpu, PressureGrid *grid, uint32_t entries)
{
    OozePressureView *v = &grid->view;
    return divide(gpu, &grid->memory->entries, [=](Slab *slab) {
        slab->take(&v->row_node, entries);
        slab->take(&v->row_weight, entries);
        slab->take(&v->column_node, entries);
        slab->take(&v->column_weight, entries);
    });
}

/* ---- rows, volume errors and the preconditioner ---- */

/* Waits. */
static void count_unknowns(Gpu *gpu, PressureGrid *grid)
{
    const OozePressureView v = grid->view;
    const Sum3 none = {0.0, 0.0, 0.0};
    const Sum3 sum = sum_to_host(
        gpu, grid->nodes, none, OOZE_BODY(uint32_t a) {
            Sum3 one = {v.idle[a] ? 0.0 : 1.0, v.kind[a] == OOZE_PRESSURE_GHOST ? 1.0 : 0.0, 0.0};
            return one;
        });
    grid->unknowns = sum.a;
    grid->closed = sum.b == 0.0;
}

static void find_errors(Gpu *gpu, const PressureGrid *grid)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) { ooze_pressure_find_inner(&v, a); });
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) { ooze_pressure_find_error(&v, a); });
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) { ooze_pressure_smooth_error(&v, a); });
}

/* Pressure 0 beyond the surface. */
static OozeStatus fill_multigrid(Gpu *gpu, const PressureGrid *grid, GridMultigridInput *input,
                                 OozeError *error)
{
    const OozePressureView v = grid->view;
    uint8_t *held = scratch<uint8_t>(gpu, grid->nodes);
    for_each(
        gpu, grid->nodes,
        OOZE_BODY(uint32_t a) { held[a] = v.kind[a] == OOZE_PRESSURE_GHOST ? 1 : 0; });
    input->stiffness = v.inverse_mass;
    input->held = held;
    return grid_multigrid_fill(gpu, grid->multigrid, input, error);
}

/* All but the multigrid's matrices, once its cells are known. */
static void build_rows(Gpu *gpu, PressureGrid *grid, const PressureGridInput &input)
{
    const uint64_t m = grid->nodes;
    Mark mark = scratch_mark(gpu);
    grid->view.near = scratch<uint32_t>(gpu, OOZE_MULTIGRID_STENCIL * m);
    grid->view.ring = scratch<uint32_t>(gpu, m);
    OozeVec3 *normal = scratch<OozeVec3>(gpu, m);
    find_unknowns(gpu, grid, input, normal);
    const uint32_t entries = count_entries(gpu, grid, normal);
    if (allocate_entries(gpu, grid, entries)) {
        find_extension(gpu, grid, normal, entries);
    }
    pressure_find_diagonal(gpu, grid);
    pressure_find_rows(gpu, grid);
    count_unknowns(gpu, grid);
    find_errors(gpu, grid);
    scratch_rewind(gpu, mark);
}

OozeStatus pressure_grid_build(Gpu *gpu, PressureGrid *grid, PressureMemory *memory,
                               const PressureGridInput &input, OozeError *error)
{
    GridMultigridInput cells = {};
    cells.n = input.n;
    cells.x = input.x;
    cells.spacing = input.spacing;
    cells.periodic = input.periodic;
    memset(grid, 0, sizeof *grid);
    grid->memory = memory;
    grid->multigrid = &memory->multigrid;
    OozeStatus result = grid_multigrid_place(gpu, grid->multigrid, &cells, error);
    if (result) {
        return result;
    }
    describe(gpu, grid, input);
    build_rows(gpu, grid, input);
    return fill_multigrid(gpu, grid, &cells, error);
}

} // namespace ooze
