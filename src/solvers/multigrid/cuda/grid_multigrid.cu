/* Memory and matrices of the grids of pressure equations: see cpu/grid_multigrid.c. */
#include "cuda/grid_multigrid.cuh"

extern "C" {
#include "solvers/multigrid/grid_multigrid_dense.h"
}

namespace ooze
{

void grid_multigrid_free(Gpu *gpu, GridMultigrid *mg)
{
    hierarchy_free(gpu, mg);
    for (int k = 0; k < OOZE_MULTIGRID_LEVELS; k++) {
        buffer_free(gpu, &mg->rows_buffer[k]);
    }
    buffer_free(gpu, &mg->shared_buffer);
    *mg = {};
}

/* ---- levels ---- */

static void find_first(OozeHierarchy *h)
{
    GridMultigrid *mg = static_cast<GridMultigrid *>(h);
    const GridMultigridInput *input = mg->input;
    const float *mass = input->mass;
    Extent box = find_extent(
        mg->gpu, input->x, input->n,
        OOZE_BODY(uint32_t i) { return mass && mass[i] > 0.0f ? 1.0f : 0.0f; });
    mg->singular = box.largest == 0.0f; /* no particle is coupled to pressure 0 */
    hierarchy_set_axes(mg, axes_of(box, input->spacing, input->periodic));
    hierarchy_find_cells(mg, input->x);
}

/* ---- matrices ---- */

static void first_elements(Gpu *gpu, const GridMultigrid *mg, const GridMultigridInput *input)
{
    const MultigridLevel level = mg->host_level[0];
    const float4 *into = mg->into;
    const float *stiffness = input->stiffness, *mass = input->mass;
    const uint8_t *held = input->held;
    const float4 inverse = f32x4(mg->inverse[0], mg->inverse[1], mg->inverse[2]);
    for_each(
        gpu, level.cells, OOZE_BODY(uint32_t c) {
            OozeMultigridMoments sum = {};
            for (uint32_t i = level.child_first[c]; i < level.child_first[c + 1]; i++) {
                uint32_t particle = level.child[i];
                const float t[3] = {into[i].x, into[i].y, into[i].z};
                ooze_multigrid_add_particle(&sum, t, stiffness[particle],
                                            mass ? mass[particle] : 0.0f);
            }
            const float edges[3] = {inverse.x, inverse.y, inverse.z};
            ooze_multigrid_scale(&sum, edges);
            for (int a = 0; a < 8; a++) {
                ooze_multigrid_element_row(&sum, a, level.element + 64 * (uint64_t)c + 8 * a);
            }
            for (uint64_t k = 0; held && k < 64; k++) {
                const uint32_t *node = level.corner_node + 8 * (uint64_t)c;
                if (held[node[k / 8]] || held[node[k % 8]]) {
                    level.element[64 * (uint64_t)c + k] = 0.0f;
                }
            }
        });
}

static void coarse_elements(Gpu *gpu, const GridMultigrid *mg, int k)
{
    const MultigridLevel level = mg->host_level[k], fine = mg->host_level[k - 1];
    const OozeMultigridChild *children = mg->child;
    for_each(
        gpu, 8 * (uint64_t)level.cells, OOZE_BODY(uint32_t i) {
            const uint32_t c = i / 8;
            float row[8] = {0, 0, 0, 0, 0, 0, 0, 0};
            for (uint32_t e = level.child_first[c]; e < level.child_first[c + 1]; e++) {
                const uint32_t cell = level.child[e];
                ooze_multigrid_coarse_row(fine.element + 64 * (uint64_t)cell,
                                          children[fine.place[cell]].weight, (int)(i % 8), row);
            }
            for (int b = 0; b < 8; b++) {
                level.element[8 * (uint64_t)i + (uint64_t)b] = row[b];
            }
        });
}

static void fill_rows(Gpu *gpu, const GridMultigrid *mg, int k)
{
    const MultigridLevel level = mg->host_level[k];
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            OozeMultigridRow row;
            OozeMultigridRuns runs;
            const uint32_t first = level.node_first[i];
            ooze_multigrid_row(level.element, level.corner_node, level.node_corner + first,
                               level.node_first[i + 1] - first, &row);
            int32_t x = (int32_t)(level.node[i] % (uint64_t)level.shape.nodes[0]);
            ooze_multigrid_runs(&row, &level.shape, x, &runs);
            for (uint64_t k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
                level.run[k * level.nodes + i] = runs.run[k];
                if (level.across) {
                    level.across[k * level.nodes + i] =
                        runs.crosses ? runs.across[k] : OOZE_MULTIGRID_NONE;
                    level.across_coefficient[k * level.nodes + i] = runs.across_coefficient[k];
                }
            }
            for (uint64_t s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
                level.coefficient[s * level.nodes + i] = runs.coefficient[s];
            }
            level.inverse[i] = ooze_multigrid_inverse(&row);
        });
}

/* The fine nodes around each node. */
static void find_fine_nodes(Gpu *gpu, const GridMultigrid *mg, int k)
{
    const MultigridLevel level = mg->host_level[k];
    const OozeMultigridLevel fine = mg->level[k - 1];
    const OozeMultigridChild *children = mg->child;
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            for (uint64_t s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
                level.fine_node[s * level.nodes + i] = (uint32_t)fine.nodes;
            }
            ooze_links_list_stencil(&level, &fine, children, i, level.fine_node + i, level.nodes);
        });
}

static bool allocate(Gpu *gpu, GridMultigrid *mg, int k)
{
    const OozeMultigridLevel *level = &mg->level[k];
    OozePressureRows *rows = &mg->rows[k];
    const uint64_t nodes = level->nodes, runs = OOZE_MULTIGRID_RUNS * nodes;
    const uint64_t padded = nodes + OOZE_MULTIGRID_PAD, across = level->shape.wraps[0] ? runs : 0;
    rows->element = scratch<float>(gpu, 64 * level->cells);
    bool ok = divide(gpu, &mg->rows_buffer[k], [=](Slab *slab) {
        slab->take(&rows->run, runs);
        slab->take(&rows->coefficient, 3 * runs);
        slab->take(&rows->across, across);
        slab->take(&rows->across_coefficient, across);
        slab->take(&rows->fine_node, k > 0 ? 3 * runs : 0);
        slab->take(&rows->inverse, nodes);
        slab->take(&rows->b, padded);
        slab->take(&rows->r, padded);
        slab->take(&rows->x[0], padded);
        slab->take(&rows->x[1], padded);
    });
    rows->across = across > 0 ? rows->across : nullptr;
    float *const vectors[] = {rows->b, rows->r, rows->x[0], rows->x[1]};
    for (int v = 0; v < 4 && ok; v++) {
        clear(gpu, vectors[v] + nodes, OOZE_MULTIGRID_PAD * sizeof(float));
    }
    return ok;
}

/* Inverts the coarsest matrix on the host. Waits. */
static void invert_coarsest(Gpu *gpu, GridMultigrid *mg)
{
    const MultigridLevel *level = &mg->host_level[mg->levels - 1];
    enum { CELLS_MAX = OOZE_MULTIGRID_DENSE }; /* corner 0 of each cell is another node */
    float elements[64 * CELLS_MAX];
    uint32_t corner_node[8 * CELLS_MAX];
    copy_out(gpu, elements, level->element, 64 * level->cells * sizeof(float));
    copy_out(gpu, corner_node, level->corner_node, 8 * level->cells * sizeof(uint32_t));
    if (gpu->failed == cudaSuccess) {
        ooze_multigrid_invert(elements, corner_node, level->cells, level->nodes, mg->dense_host);
        copy_in(gpu, mg->dense, mg->dense_host,
                (size_t)level->nodes * level->nodes * sizeof(double));
    }
}

static void fill_levels(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input)
{
    mg->child = make_children(gpu);
    for (int k = 0; k < mg->levels; k++) {
        if (k == 0) {
            first_elements(gpu, mg, input);
        } else {
            coarse_elements(gpu, mg, k);
            find_fine_nodes(gpu, mg, k);
        }
        fill_rows(gpu, mg, k);
    }
    if (mg->dense) {
        invert_coarsest(gpu, mg);
    }
    if (mg->singular) {
        float *ones = scratch<float>(gpu, mg->n);
        for_each(
            gpu, mg->n, OOZE_BODY(uint32_t i) { ones[i] = 1.0f; });
        multigrid_restrict(gpu, mg, ones, nullptr);
        copy(gpu, mg->node_weight, mg->rows[0].b, mg->level[0].nodes * sizeof(float));
    }
}

/* ---- building ---- */

OozeStatus grid_multigrid_place(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input,
                                OozeError *error)
{
    hierarchy_clear(gpu, mg);
    mg->linked = false;
    mg->direct = OOZE_MULTIGRID_DENSE;
    mg->input = input;
    if (input->n == 0) {
        return OOZE_OK;
    }
    if (input->n > UINT32_MAX / 8) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or fewer particles",
                         "%llu particles in a pressure solve; at most %llu are possible",
                         (unsigned long long)input->n, (unsigned long long)UINT32_MAX / 8);
    }
    mg->n = input->n;
    Mark mark = scratch_mark(gpu);
    hierarchy_find(mg, find_first);
    scratch_rewind(gpu, mark);
    OozeStatus result = status(gpu, input->n, error);
    mg->levels = result ? 0 : mg->levels;
    return result;
}

OozeStatus grid_multigrid_fill(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input,
                               OozeError *error)
{
    if (mg->levels == 0) {
        return OOZE_OK;
    }
    Mark mark = scratch_mark(gpu);
    bool ok = gpu->failed == cudaSuccess;
    mg->singular = mg->singular && !input->held;
    for (int k = 0; k < mg->levels && ok; k++) {
        ok = allocate(gpu, mg, k);
    }
    if (ok) {
        const OozeMultigridLevel *first = &mg->level[0], *last = &mg->level[mg->levels - 1];
        const bool direct = last->nodes <= OOZE_MULTIGRID_DENSE;
        divide(gpu, &mg->shared_buffer, [=](Slab *slab) {
            slab->take(&mg->corner_sums, 8 * (uint64_t)first->cells);
            slab->take(&mg->node_weight, mg->singular ? first->nodes : 0);
            slab->take(&mg->mean, 1);
            slab->take(&mg->device_level, OOZE_MULTIGRID_LEVELS);
            slab->take(&mg->dense, direct ? (uint64_t)last->nodes * last->nodes : 0);
        });
        mg->dense = direct ? mg->dense : nullptr;
        for (int k = 0; k < mg->levels; k++) {
            mg->host_level[k] = {{mg->level[k]}, {mg->rows[k]}};
        }
        copy_in(gpu, mg->device_level, mg->host_level, sizeof mg->host_level);
        multigrid_find_steps(mg);
        fill_levels(gpu, mg, input);
    }
    scratch_rewind(gpu, mark);
    OozeStatus result = status(gpu, input->n, error);
    mg->levels = result ? 0 : mg->levels;
    return result;
}

OozeStatus grid_multigrid_build(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input,
                                OozeError *error)
{
    OozeStatus result = grid_multigrid_place(gpu, mg, input, error);
    return result ? result : grid_multigrid_fill(gpu, mg, input, error);
}

} // namespace ooze
