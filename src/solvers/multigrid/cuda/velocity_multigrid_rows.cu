/* Rows of the matrices of velocity_multigrid.cuh, and weights between levels. A node that a row
   reaches in several ways has one column. */
#include "solvers/multigrid/cuda/velocity_multigrid_parts.cuh"

namespace ooze
{

/* ---- columns ---- */

OOZE_DEVICE uint32_t count_bits(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc(bits);
#else
    return (uint32_t)__builtin_popcount(bits);
#endif
}

/* Columns of a node each of whose places in the stencil has one node, in the order of the stencil:
   see ooze_velocity_slot. Returns the places that it has, as bits; 0: some place has several. */
OOZE_DEVICE uint32_t find_stencil(const VelocityLevel &level, uint32_t i, uint32_t *column)
{
    uint32_t places = 0, seen = 0;
    bool plain = true;
    for (uint32_t c = level.node_first[i]; c < level.node_first[i + 1]; c++) {
        for (int b = 0; b < 8; b++) {
            places |= 1u << ooze_velocity_slot((int)(level.node_corner[c] % 8), b);
        }
    }
    for (uint32_t c = level.node_first[i]; c < level.node_first[i + 1]; c++) {
        const uint32_t corner = level.node_corner[c];
        const uint32_t *node = level.corner_node + 8 * (uint64_t)(corner / 8);
        for (int b = 0; b < 8; b++) {
            const uint32_t bit = 1u << ooze_velocity_slot((int)(corner % 8), b);
            const uint32_t at = count_bits(places & (bit - 1));
            if (!(seen & bit)) {
                column[at] = node[b];
            }
            plain = plain && column[at] == node[b];
            seen |= bit;
        }
    }
    return plain ? places : 0;
}

/* Columns of any node, in the order in which its elements have them. Returns their number. */
OOZE_DEVICE uint32_t list_columns(const VelocityLevel &level, uint32_t i, uint32_t *column)
{
    uint32_t columns = 0;
    for (uint32_t c = level.node_first[i]; c < level.node_first[i + 1]; c++) {
        const uint32_t *node = level.corner_node + 8 * (uint64_t)(level.node_corner[c] / 8);
        for (int b = 0; b < 8; b++) {
            uint32_t at = 0;
            while (at < columns && column[at] != node[b]) {
                at++;
            }
            column[at] = node[b];
            columns = at == columns ? columns + 1 : columns;
        }
    }
    return columns;
}

/* The columns of each node, found[8 node_first[i]] and on, and their number. */
static void find_columns(Gpu *gpu, const VelocityLevel &of, uint32_t *found, uint32_t *count)
{
    const VelocityLevel level = of;
    bool short_axis = false; /* across which places of a stencil are the same node */
    for (int k = 0; k < 3; k++) {
        short_axis = short_axis || (of.shape.wraps[k] && of.shape.nodes[k] < 3);
    }
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            uint32_t *column = found + 8 * (uint64_t)level.node_first[i];
            const uint32_t places = short_axis ? 0 : find_stencil(level, i, column);
            level.stencil[i] = places;
            count[i] = places ? count_bits(places) : list_columns(level, i, column);
        });
}

static bool allocate_nodes(Gpu *gpu, VelocityMultigrid *mg, int k)
{
    VelocityRows *rows = &mg->rows[k];
    const uint64_t nodes = mg->level[k].nodes;
    return divide(gpu, &mg->buffer[k][VELOCITY_NODES], [=](Slab *slab) {
        slab->take(&rows->slice_first, nodes / ROW_SLICE + 2);
        slab->take(&rows->stencil, nodes);
        slab->take(&rows->inverse, nodes);
        slab->take(&rows->b, nodes);
        slab->take(&rows->r, nodes);
        slab->take(&rows->x, nodes);
        slab->take(&rows->p[0], nodes);
        slab->take(&rows->p[1], nodes);
    });
}

void velocity_find_rows(Gpu *gpu, VelocityMultigrid *mg, int k)
{
    VelocityRows *rows = &mg->rows[k];
    if (!allocate_nodes(gpu, mg, k)) {
        return;
    }
    const VelocityLevel of = {{mg->level[k]}, {*rows}};
    const uint32_t slices = (uint32_t)((of.nodes + ROW_SLICE - 1) / ROW_SLICE);
    Mark mark = scratch_mark(gpu);
    uint32_t *found = scratch<uint32_t>(gpu, 64 * of.cells);
    uint32_t *count = scratch<uint32_t>(gpu, of.nodes);
    find_columns(gpu, of, found, count);
    for_each(
        gpu, slices, OOZE_BODY(uint32_t s) {
            uint32_t most = 0;
            for (uint32_t i = s * ROW_SLICE; i < of.nodes && i < (s + 1) * ROW_SLICE; i++) {
                most = count[i] > most ? count[i] : most;
            }
            of.slice_first[s] = most;
        });
    const uint64_t entries = ROW_SLICE * (uint64_t)sum_counts(gpu, of.slice_first, slices);
    const uint64_t inverse = (uint64_t)OOZE_VELOCITY_ROWS * OOZE_VELOCITY_ROWS;
    bool ok = divide(gpu, &mg->buffer[k][VELOCITY_ROWS], [=](Slab *slab) {
        slab->take(&rows->column, entries);
        slab->take(&rows->block, OOZE_VELOCITY_BLOCK * entries);
        slab->take(&rows->isolated_inverse, inverse * of.isolated_count);
    });
    if (ok) {
        uint32_t *to = rows->column;
        for_each(
            gpu, ROW_SLICE * (uint64_t)slices, OOZE_BODY(uint32_t i) {
                uint32_t first = of.slice_first[i / ROW_SLICE];
                uint32_t last = of.slice_first[i / ROW_SLICE + 1];
                uint32_t columns = i < of.nodes ? count[i] : 0;
                for (uint32_t e = 0; e < last - first; e++) {
                    uint32_t own = i < of.nodes ? i : 0;
                    to[ROW_SLICE * (uint64_t)(first + e) + i % ROW_SLICE] =
                        e < columns ? found[8 * (uint64_t)of.node_first[i] + e] : own;
                }
            });
    }
    scratch_rewind(gpu, mark);
}

/* ---- values ---- */

/* The block of the row of node i at a place of its stencil: sum over the elements of both. */
OOZE_DEVICE void sum_place(const VelocityLevel &level, uint32_t i, int place, float sum[9])
{
    const int x = place % 3 - 1, y = place / 3 % 3 - 1, z = place / 9 - 1;
    for (uint32_t c = level.node_first[i]; c < level.node_first[i + 1]; c++) {
        const uint64_t e = level.node_corner[c] / 8;
        const int a = (int)(level.node_corner[c] % 8);
        const int bx = (a & 1) + x, by = (a >> 1 & 1) + y, bz = (a >> 2) + z;
        if (((bx | by | bz) & ~1) == 0) { /* each is 0 or 1 */
            const float *block = level.element + OOZE_VELOCITY_ELEMENT * e +
                                 OOZE_VELOCITY_CORNER * a +
                                 OOZE_VELOCITY_BLOCK * (bx + 2 * by + 4 * bz);
            for (int k = 0; k < 9; k++) {
                sum[k] += block[k];
            }
        }
    }
}

/* The same of a column. */
OOZE_DEVICE void sum_column(const VelocityLevel &level, uint32_t i, uint32_t column, float sum[9])
{
    for (uint32_t c = level.node_first[i]; c < level.node_first[i + 1]; c++) {
        const uint64_t e = level.node_corner[c] / 8;
        const uint32_t a = level.node_corner[c] % 8, *node = level.corner_node + 8 * e;
        const float *row = level.element + OOZE_VELOCITY_ELEMENT * e + OOZE_VELOCITY_CORNER * a;
        for (int b = 0; b < 8; b++) {
            if (node[b] == column) {
                for (int k = 0; k < 9; k++) {
                    sum[k] += row[OOZE_VELOCITY_BLOCK * b + k];
                }
            }
        }
    }
}

/* Entry e of the row of node i. Padding, which names the own node again, has zeros. */
OOZE_DEVICE void sum_entry(const VelocityLevel &level, uint32_t i, uint32_t e, float sum[9])
{
    const uint32_t first = level.slice_first[i / ROW_SLICE], lane = i % ROW_SLICE;
    const uint32_t column = level.column[ROW_SLICE * (uint64_t)(first + e) + lane];
    uint32_t places = level.stencil[i];
    bool padding = places && e >= count_bits(places);
    if (places && !padding) {
        for (uint32_t d = 0; d < e; d++) {
            places &= places - 1;
        }
        sum_place(level, i, (int)count_bits((places & (0u - places)) - 1), sum);
    } else if (!padding) {
        for (uint32_t d = 0; d < e && column == i; d++) {
            padding = padding || level.column[ROW_SLICE * (uint64_t)(first + d) + lane] == i;
        }
        if (!padding) {
            sum_column(level, i, column, sum);
        }
    }
    if (column == i && !padding) {
        level.inverse[i] =
            ooze_velocity_inverse(ooze_sym3(sum[0], sum[4], sum[8], sum[1], sum[2], sum[5]));
    }
}

void velocity_fill_rows(Gpu *gpu, const VelocityLevel *of)
{
    const VelocityLevel level = *of;
    enum { LANES = 8 }; /* threads that share the entries of a row */
    for_each(
        gpu, LANES * ROW_SLICE * (uint64_t)((level.nodes + ROW_SLICE - 1) / ROW_SLICE),
        OOZE_BODY(uint32_t thread) {
            const uint32_t slice = thread / (LANES * ROW_SLICE), lane = thread % ROW_SLICE;
            const uint32_t i = ROW_SLICE * slice + lane, first = level.slice_first[slice];
            const uint32_t columns = level.slice_first[slice + 1] - first;
            for (uint32_t e = thread / ROW_SLICE % LANES; e < columns; e += LANES) {
                float sum[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
                float *to =
                    level.block + ROW_SLICE * OOZE_VELOCITY_BLOCK * (uint64_t)(first + e) + lane;
                if (i < level.nodes) {
                    sum_entry(level, i, e, sum);
                }
                for (int k = 0; k < 9; k++) {
                    to[ROW_SLICE * k] = sum[k];
                }
            }
        });
}

/* ---- between levels ---- */

/* Of level k and the finer one. */
void velocity_find_weights(Gpu *gpu, VelocityMultigrid *mg, int k)
{
    VelocityRows *rows = &mg->rows[k];
    const OozeMultigridLevel level = mg->level[k], fine = mg->level[k - 1];
    const OozeMultigridChild *children = mg->child;
    Mark mark = scratch_mark(gpu);
    uint32_t *first = scratch<uint32_t>(gpu, level.nodes + 1);
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            first[i] = ooze_links_list_fine_nodes(&level, &fine, children, i, nullptr, nullptr);
        });
    const uint64_t total = sum_counts(gpu, first, level.nodes), nodes = level.nodes;
    bool ok = divide(gpu, &mg->buffer[k][VELOCITY_FINE_NODES], [=](Slab *slab) {
        slab->take(&rows->fine_first, nodes + 1);
        slab->take(&rows->fine_node, total);
        slab->take(&rows->fine_weight, total);
    });
    if (ok) {
        uint32_t *node = rows->fine_node;
        float *weight = rows->fine_weight;
        copy(gpu, rows->fine_first, first, (nodes + 1) * sizeof *first);
        for_each(
            gpu, nodes, OOZE_BODY(uint32_t i) {
                (void)ooze_links_list_fine_nodes(&level, &fine, children, i, node + first[i],
                                                 weight + first[i]);
            });
    }
    scratch_rewind(gpu, mark);
}

} // namespace ooze
