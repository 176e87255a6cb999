#include "cuda/grid_multigrid.cuh"

#include "cuda/grid_cells.cuh"

extern "C" {
#include "solvers/multigrid/grid_multigrid_dense.h"
}

namespace ooze
{

/* ---- memory ---- */

enum { CELL_NUMBERS, CELLS, NODE_NUMBERS, NODES, BUFFERS };
enum { PAD = 4 }; /* zeros behind vectors of nodes */

void grid_multigrid_free(Gpu *gpu, GridMultigrid *mg)
{
    for (int k = 0; k < OOZE_MULTIGRID_LEVELS; k++) {
        for (int b = 0; b < BUFFERS; b++) {
            buffer_free(gpu, &mg->buffer[k][b]);
        }
    }
    buffer_free(gpu, &mg->particle_buffer);
    buffer_free(gpu, &mg->shared_buffer);
    *mg = {};
}

/* ---- the box of the particles ---- */

static Axes find_axes(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input)
{
    const float *mass = input->mass;
    Extent box = find_extent(
        gpu, input->x, input->n,
        OOZE_BODY(uint32_t i) { return mass && mass[i] > 0.0f ? 1.0f : 0.0f; });
    Axes axes = axes_of(box, input->spacing, input->periodic);
    for (int k = 0; k < 3; k++) {
        mg->axis[k] = axes.axis[k];
        mg->inverse[k] = (float)axes.axis[k].inverse;
    }
    mg->singular = box.largest == 0.0f; /* no particle is coupled to pressure 0 */
    return axes;
}

/* ---- cells of the first level ---- */

template <class Key>
static void find_first_cells(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input,
                             const Axes &axes)
{
    MultigridLevel *level = &mg->level[0];
    Mark mark = scratch_mark(gpu);
    Pairs<Key> pairs = make_pairs<Key>(gpu, mg->n, ooze_multigrid_bits(level->shape.cells));
    Key *to_key = pairs.to_key;
    uint32_t *to_value = pairs.to_value;
    const OozeMultigridShape shape = level->shape;
    const float4 *x = input->x;
    for_each(
        gpu, mg->n, OOZE_BODY(uint32_t i) {
            float4 into;
            to_key[i] = (Key)cell_at(axes, shape, x[i], &into);
            to_value[i] = i;
        });
    Groups groups = find_groups(gpu, &pairs);
    level->cells = groups.count;
    bool ok = divide(gpu, &mg->buffer[0][CELL_NUMBERS], [=](Slab *slab) {
        slab->take(&level->cell, level->cells);
        slab->take(&level->child_first, (uint64_t)level->cells + 1);
    });
    ok = ok && divide(gpu, &mg->particle_buffer, [=](Slab *slab) {
             slab->take(&level->child, mg->n);
             slab->take(&mg->into, mg->n);
             slab->take(&mg->cell_of, mg->n);
         });
    if (ok) {
        write_groups(gpu, &pairs, groups, level->cell, level->child_first);
        const uint32_t *value = pairs.value[1];
        uint32_t *child = level->child, *cell_of = mg->cell_of;
        float4 *all = mg->into;
        for_each(
            gpu, mg->n, OOZE_BODY(uint32_t i) {
                float4 into = f32x4(0.0f, 0.0f, 0.0f);
                (void)cell_at(axes, shape, x[value[i]], &into);
                all[i] = into;
                child[i] = value[i];
                cell_of[i] = (uint32_t)(groups.before[i + 1] - 1);
            });
    }
    scratch_rewind(gpu, mark);
}

/* ---- nodes ---- */

template <class Key> static void find_nodes(Gpu *gpu, GridMultigrid *mg, int k)
{
    MultigridLevel *level = &mg->level[k];
    const uint64_t corners = 8 * (uint64_t)level->cells;
    Mark mark = scratch_mark(gpu);
    Pairs<Key> pairs = make_pairs<Key>(gpu, corners, ooze_multigrid_bits(level->shape.nodes));
    number_corners(gpu, level->shape, level->cell, level->cells, pairs);
    Groups groups = find_groups(gpu, &pairs);
    level->nodes = groups.count;
    bool ok = divide(gpu, &mg->buffer[k][NODE_NUMBERS], [=](Slab *slab) {
        slab->take(&level->node, level->nodes);
        slab->take(&level->node_first, (uint64_t)level->nodes + 1);
    });
    ok = ok && divide(gpu, &mg->buffer[k][CELLS], [=](Slab *slab) {
             slab->take(&level->corner_node, corners);
             slab->take(&level->node_corner, corners);
             slab->take(&level->parent, level->cells);
             slab->take(&level->place, level->cells);
         });
    if (ok) {
        write_groups(gpu, &pairs, groups, level->node, level->node_first);
        const uint32_t *value = pairs.value[1];
        uint32_t *corner_node = level->corner_node, *node_corner = level->node_corner;
        for_each(
            gpu, corners, OOZE_BODY(uint32_t i) {
                node_corner[i] = value[i];
                corner_node[value[i]] = (uint32_t)(groups.before[i + 1] - 1);
            });
    }
    scratch_rewind(gpu, mark);
}

/* ---- coarser levels ---- */

/* Cells that have a parent, ascending, in scratch: all that share a corner with another cell.
   Waits for their number. */
static uint64_t select_children(Gpu *gpu, const MultigridLevel *level, uint32_t *kept)
{
    const uint32_t *corner_node = level->corner_node, *node_first = level->node_first;
    uint8_t *isolated = scratch<uint8_t>(gpu, level->cells);
    for_each(
        gpu, level->cells, OOZE_BODY(uint32_t c) {
            uint32_t most = 0;
            for (int a = 0; a < 8; a++) {
                uint32_t node = corner_node[8 * (uint64_t)c + (uint64_t)a];
                uint32_t count = node_first[node + 1] - node_first[node];
                most = count > most ? count : most;
            }
            isolated[c] = most == 1 ? 1 : 0;
        });
    return select_unflagged(gpu, isolated, kept, level->cells);
}

template <class Key> static void find_coarser_cells(Gpu *gpu, GridMultigrid *mg, int k)
{
    MultigridLevel *fine = &mg->level[k], *coarse = fine + 1;
    Mark mark = scratch_mark(gpu);
    uint32_t *kept = scratch<uint32_t>(gpu, fine->cells);
    const uint64_t count = select_children(gpu, fine, kept);
    Pairs<Key> pairs = make_pairs<Key>(gpu, count, ooze_multigrid_bits(coarse->shape.cells));
    Key *to_key = pairs.to_key;
    uint32_t *to_value = pairs.to_value, *parent = fine->parent;
    uint8_t *place = fine->place;
    const OozeMultigridShape shape = fine->shape, coarse_shape = coarse->shape;
    const uint64_t *cell = fine->cell;
    for_each(
        gpu, fine->cells, OOZE_BODY(uint32_t c) {
            parent[c] = OOZE_MULTIGRID_NONE;
            place[c] = 0;
        });
    for_each(
        gpu, count, OOZE_BODY(uint32_t i) {
            uint32_t c = kept[i];
            to_key[i] = (Key)ooze_multigrid_parent(&shape, &coarse_shape, cell[c], &place[c]);
            to_value[i] = c;
        });
    Groups groups = find_groups(gpu, &pairs);
    coarse->cells = groups.count;
    bool ok = divide(gpu, &mg->buffer[k + 1][CELL_NUMBERS], [=](Slab *slab) {
        slab->take(&coarse->cell, coarse->cells);
        slab->take(&coarse->child_first, (uint64_t)coarse->cells + 1);
        slab->take(&coarse->child, count);
    });
    if (ok) {
        write_groups(gpu, &pairs, groups, coarse->cell, coarse->child_first);
        const uint32_t *value = pairs.value[1];
        uint32_t *child = coarse->child;
        for_each(
            gpu, count, OOZE_BODY(uint32_t i) {
                child[i] = value[i];
                parent[value[i]] = (uint32_t)(groups.before[i + 1] - 1);
            });
    }
    scratch_rewind(gpu, mark);
}

static void find_levels(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input)
{
    const Axes axes = find_axes(gpu, mg, input);
    mg->level[0].shape = shape_of(axes);
    if (wide(mg->level[0].shape.cells)) {
        find_first_cells<uint64_t>(gpu, mg, input, axes);
    } else {
        find_first_cells<uint32_t>(gpu, mg, input, axes);
    }
    while (gpu->failed == cudaSuccess && mg->levels < OOZE_MULTIGRID_LEVELS &&
           mg->level[mg->levels].cells > 0) {
        const int k = mg->levels++;
        MultigridLevel *level = &mg->level[k];
        if (wide(level->shape.nodes)) {
            find_nodes<uint64_t>(gpu, mg, k);
        } else {
            find_nodes<uint32_t>(gpu, mg, k);
        }
        if (gpu->failed != cudaSuccess || level->nodes <= OOZE_MULTIGRID_DENSE ||
            mg->levels == OOZE_MULTIGRID_LEVELS) {
            break;
        }
        level[1].shape = ooze_multigrid_coarser(&level->shape);
        if (wide(level[1].shape.cells)) {
            find_coarser_cells<uint64_t>(gpu, mg, k);
        } else {
            find_coarser_cells<uint32_t>(gpu, mg, k);
        }
    }
}

/* ---- matrices ---- */

static void first_elements(Gpu *gpu, const GridMultigrid *mg, const GridMultigridInput *input)
{
    const MultigridLevel level = mg->level[0];
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
                ooze_multigrid_element_row(&sum, a, level.elements + 64 * (uint64_t)c + 8 * a);
            }
            for (uint64_t k = 0; held && k < 64; k++) {
                const uint32_t *node = level.corner_node + 8 * (uint64_t)c;
                if (held[node[k / 8]] || held[node[k % 8]]) {
                    level.elements[64 * (uint64_t)c + k] = 0.0f;
                }
            }
        });
}

static void coarse_elements(Gpu *gpu, const MultigridLevel *of, const OozeMultigridChild *children)
{
    const MultigridLevel level = *of, fine = of[-1];
    for_each(
        gpu, 8 * (uint64_t)level.cells, OOZE_BODY(uint32_t i) {
            const uint32_t c = i / 8;
            float row[8] = {0, 0, 0, 0, 0, 0, 0, 0};
            for (uint32_t e = level.child_first[c]; e < level.child_first[c + 1]; e++) {
                const uint32_t cell = level.child[e];
                ooze_multigrid_coarse_row(fine.elements + 64 * (uint64_t)cell,
                                          children[fine.place[cell]].weight, (int)(i % 8), row);
            }
            for (int b = 0; b < 8; b++) {
                level.elements[8 * (uint64_t)i + (uint64_t)b] = row[b];
            }
        });
}

static void rows(Gpu *gpu, const MultigridLevel *of)
{
    const MultigridLevel level = *of;
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            OozeMultigridRow row;
            OozeMultigridRuns runs;
            const uint32_t first = level.node_first[i];
            ooze_multigrid_row(level.elements, level.corner_node, level.node_corner + first,
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

/* The fine nodes around each node, and the place of each fine node in its coarse cell. */
static void relate(Gpu *gpu, const MultigridLevel *of, const OozeMultigridChild *children)
{
    const MultigridLevel level = *of, fine = of[-1];
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            for (uint64_t s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
                level.fine_node[s * level.nodes + i] = fine.nodes;
            }
            for (uint32_t e = level.node_first[i]; e < level.node_first[i + 1]; e++) {
                const uint32_t cell = level.node_corner[e] / 8;
                const int corner = (int)(level.node_corner[e] % 8);
                for (uint32_t f = level.child_first[cell]; f < level.child_first[cell + 1]; f++) {
                    const uint64_t c = level.child[f];
                    const int8_t *slots = children[fine.place[c]].fine_slot + corner;
                    for (int b = 0; b < 8; b++) {
                        int slot = slots[8 * b];
                        if (slot >= 0) {
                            level.fine_node[(uint64_t)slot * level.nodes + i] =
                                fine.corner_node[8 * c + (uint64_t)b];
                        }
                    }
                }
            }
        });
    for_each(
        gpu, fine.nodes, OOZE_BODY(uint32_t i) {
            const uint32_t corner = fine.node_corner[fine.node_first[i]];
            fine.coarse_cell[i] = fine.parent[corner / 8];
            fine.coarse_place[i] =
                (uint8_t)ooze_multigrid_halves(fine.place[corner / 8], (int)(corner % 8));
        });
}

static bool allocate(Gpu *gpu, GridMultigrid *mg, int k)
{
    MultigridLevel *level = &mg->level[k];
    const uint64_t nodes = level->nodes, padded = nodes + PAD, runs = OOZE_MULTIGRID_RUNS * nodes;
    const bool last = k + 1 == mg->levels;
    level->elements = scratch<float>(gpu, 64 * (uint64_t)level->cells);
    bool ok = divide(gpu, &mg->buffer[k][NODES], [=](Slab *slab) {
        slab->take(&level->run, runs);
        slab->take(&level->coefficient, 3 * runs);
        slab->take(&level->across, level->shape.wraps[0] ? runs : 0);
        slab->take(&level->across_coefficient, level->shape.wraps[0] ? runs : 0);
        slab->take(&level->fine_node, k > 0 ? 3 * runs : 0);
        slab->take(&level->coarse_cell, last ? 0 : nodes);
        slab->take(&level->coarse_place, last ? 0 : nodes);
        slab->take(&level->inverse, nodes);
        slab->take(&level->b, padded);
        slab->take(&level->r, padded);
        slab->take(&level->x[0], padded);
        slab->take(&level->x[1], padded);
    });
    if (!level->shape.wraps[0]) {
        level->across = nullptr;
    }
    if (ok) {
        clear(gpu, level->b + nodes, PAD * sizeof(float));
        clear(gpu, level->r + nodes, PAD * sizeof(float));
        clear(gpu, level->x[0] + nodes, PAD * sizeof(float));
        clear(gpu, level->x[1] + nodes, PAD * sizeof(float));
    }
    return ok;
}

/* Inverts the coarsest matrix on the host. Waits. */
static void invert_coarsest(Gpu *gpu, GridMultigrid *mg)
{
    const MultigridLevel *level = &mg->level[mg->levels - 1];
    enum { CELLS_MAX = OOZE_MULTIGRID_DENSE }; /* corner 0 of each cell is another node */
    float elements[64 * CELLS_MAX];
    uint32_t corner_node[8 * CELLS_MAX];
    copy_out(gpu, elements, level->elements, 64 * level->cells * sizeof(float));
    copy_out(gpu, corner_node, level->corner_node, 8 * level->cells * sizeof(uint32_t));
    if (gpu->failed == cudaSuccess) {
        ooze_multigrid_invert(elements, corner_node, level->cells, level->nodes, mg->dense_host);
        copy_in(gpu, mg->dense, mg->dense_host,
                (size_t)level->nodes * level->nodes * sizeof(double));
    }
}

static void fill_levels(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input)
{
    OozeMultigridChild *children = make_children(gpu);
    for (int k = 0; k < mg->levels; k++) {
        if (k == 0) {
            first_elements(gpu, mg, input);
        } else {
            coarse_elements(gpu, &mg->level[k], children);
            relate(gpu, &mg->level[k], children);
        }
        rows(gpu, &mg->level[k]);
    }
    if (mg->dense) {
        invert_coarsest(gpu, mg);
    }
    if (mg->singular) {
        float *ones = scratch<float>(gpu, mg->n);
        for_each(
            gpu, mg->n, OOZE_BODY(uint32_t i) { ones[i] = 1.0f; });
        multigrid_restrict(gpu, mg, ones, nullptr);
        copy(gpu, mg->node_weight, mg->level[0].b, mg->level[0].nodes * sizeof(float));
    }
}

/* ---- building ---- */

OozeStatus grid_multigrid_place(Gpu *gpu, GridMultigrid *mg, const GridMultigridInput *input,
                                OozeError *error)
{
    mg->levels = 0;
    mg->n = 0;
    memset(mg->level, 0, sizeof mg->level);
    if (input->n == 0) {
        return OOZE_OK;
    }
    if (input->n > UINT32_MAX / 8) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or fewer particles",
                         "%llu particles in a pressure solve; at most %llu are possible",
                         (unsigned long long)input->n, (unsigned long long)UINT32_MAX / 8);
    }
    mg->n = (uint32_t)input->n;
    Mark mark = scratch_mark(gpu);
    find_levels(gpu, mg, input);
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
        const MultigridLevel *first = &mg->level[0], *last = &mg->level[mg->levels - 1];
        const bool direct = last->nodes <= OOZE_MULTIGRID_DENSE;
        divide(gpu, &mg->shared_buffer, [=](Slab *slab) {
            slab->take(&mg->corner_sums, 8 * (uint64_t)first->cells);
            slab->take(&mg->node_weight, mg->singular ? first->nodes : 0);
            slab->take(&mg->mean, 1);
            slab->take(&mg->device_level, OOZE_MULTIGRID_LEVELS);
            slab->take(&mg->dense, direct ? (uint64_t)last->nodes * last->nodes : 0);
        });
        mg->dense = direct ? mg->dense : nullptr;
        copy_in(gpu, mg->device_level, mg->level, sizeof mg->level);
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
