/* Which nodes the rows of matrices and the weights between grids refer to. */
#include <string.h>

#include "solvers/multigrid/links_formula.h"
#include "solvers/multigrid/velocity_multigrid_levels.h"
#include "solvers/multigrid/velocity_multigrid_ranks.h"

/* Loops run over the nodes of this rank, from `begin` on. */
typedef struct Job {
    const OozeVelocityMultigrid *mg;
    uint64_t begin;
    OozeMultigridLevel *fine, *level;
    OozeVelocityRows *rows; /* of the level */
    uint32_t *found;        /* eight a corner of these nodes */
    uint32_t *count;        /* per node */
} Job;

/* Columns that are found for node i. */
static uint32_t *found_of(const Job *job, uint64_t i)
{
    const uint32_t *first = job->level->node_first;
    return job->found + 8 * (uint64_t)(first[i] - first[job->begin]);
}

static void find_columns(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeMultigridLevel *level = job->level;
    const OozeVelocityRows *rows = job->rows;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t i = job->begin + k;
        const uint32_t *corner = level->node_corner + level->node_first[i];
        uint32_t corners = level->node_first[i + 1] - level->node_first[i];
        uint32_t *column = found_of(job, i), count = 0;
        OozeVelocityRow row;
        ooze_velocity_find_row(level->corner_node, corner, corners, &row);
        ooze_velocity_number_row(&row);
        for (int place = 0; place < OOZE_MULTIGRID_STENCIL; place++) {
            if (row.node[place] != OOZE_MULTIGRID_NONE) {
                column[count++] = row.node[place];
            }
        }
        for (uint32_t c = 0; c < 8 * corners && row.split; c++) {
            uint32_t at = corner[c / 8] % 8, element = corner[c / 8] / 8;
            uint32_t node = level->corner_node[8 * (uint64_t)element + c % 8];
            if (ooze_velocity_column(&row, column, count, (int)at, (int)(c % 8), node) == count) {
                column[count++] = node;
            }
        }
        job->count[k] = count;
        rows->regular[i] = row.count == OOZE_MULTIGRID_STENCIL && !row.split;
    }
}

static void copy_columns(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeVelocityRows *rows = job->rows;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t i = job->begin + k;
        memcpy(rows->column + rows->row_first[i], found_of(job, i),
               job->count[k] * sizeof *rows->column);
    }
}

void ooze_velocity_find_rows(OozeVelocityMultigrid *mg, int k)
{
    OozeMultigridLevel *level = &mg->grids.level[k];
    OozeVelocityRows *rows = &mg->rows[k];
    uint64_t n = level->nodes, own = rows->node_end - rows->node_begin;
    uint64_t corners = level->node_first[rows->node_end] - level->node_first[rows->node_begin];
    OozeArenaMark mark = ooze_arena_mark(mg->grids.temporary);
    uint32_t *count = ooze_arena_alloc(mg->grids.temporary, own, sizeof *count);
    uint32_t *found = ooze_arena_alloc(mg->grids.temporary, 8 * corners, sizeof *found);
    rows->row_first = ooze_arena_alloc(mg->grids.kept, n + 1, sizeof *rows->row_first);
    rows->regular = ooze_arena_alloc(mg->grids.kept, n, sizeof *rows->regular);
    if (ooze_arena_failed(mg->grids.kept) || ooze_arena_failed(mg->grids.temporary)) {
        return;
    }
    Job job = {.mg = mg, .begin = rows->node_begin, .level = level, .rows = rows};
    job.found = found;
    job.count = count;
    ooze_parallel_for(mg->grids.threads, own, OOZE_VELOCITY_NODE_GRAIN, find_columns, &job);
    uint32_t total = 0;
    for (uint64_t i = 0; i < n; i++) {
        rows->row_first[i] = total;
        total += i >= rows->node_begin && i < rows->node_end ? count[i - rows->node_begin] : 0;
    }
    rows->row_first[n] = total;
    rows->column = ooze_arena_alloc(mg->grids.kept, total, sizeof *rows->column);
    /* blocks are read in groups of four numbers */
    rows->block =
        ooze_arena_alloc(mg->grids.kept, (uint64_t)OOZE_VELOCITY_BLOCK * total + 4, sizeof(float));
    if (!ooze_arena_failed(mg->grids.kept)) {
        memset(rows->block + (uint64_t)OOZE_VELOCITY_BLOCK * total, 0, 4 * sizeof(float));
        ooze_parallel_for(mg->grids.threads, own, OOZE_VELOCITY_NODE_GRAIN, copy_columns, &job);
    }
    ooze_arena_rewind(mg->grids.temporary, mark);
}

/* ---- between levels ---- */

static void count_fine_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    for (uint64_t i = job->begin + begin; i < job->begin + end; i++) {
        job->rows->fine_first[i] =
            ooze_links_list_fine_nodes(job->level, job->fine, job->mg->grids.child, i, NULL, NULL);
    }
}

static void copy_fine_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    for (uint64_t i = job->begin + begin; i < job->begin + end; i++) {
        uint32_t first = job->rows->fine_first[i];
        ooze_links_list_fine_nodes(job->level, job->fine, job->mg->grids.child, i,
                                   job->rows->fine_node + first, job->rows->fine_weight + first);
    }
}

void ooze_velocity_find_weights(OozeVelocityMultigrid *mg, int k)
{
    OozeMultigridLevel *level = &mg->grids.level[k];
    OozeVelocityRows *rows = &mg->rows[k];
    OozeArena *kept = mg->grids.kept;
    uint64_t begin, end;
    ooze_velocity_coarse_range(mg, k, &begin, &end);
    Job job = {.mg = mg, .begin = begin, .fine = level - 1, .level = level, .rows = rows};
    rows->fine_first = ooze_arena_alloc(kept, level->nodes + 1, sizeof *rows->fine_first);
    if (ooze_arena_failed(kept)) {
        return;
    }
    memset(rows->fine_first, 0, (level->nodes + 1) * sizeof *rows->fine_first);
    ooze_parallel_for(mg->grids.threads, end - begin, OOZE_VELOCITY_NODE_GRAIN, count_fine_nodes,
                      &job);
    uint32_t total = ooze_sum_counts(rows->fine_first, level->nodes);
    rows->fine_node = ooze_arena_alloc(kept, total, sizeof *rows->fine_node);
    rows->fine_weight = ooze_arena_alloc(kept, total, sizeof *rows->fine_weight);
    if (!ooze_arena_failed(kept)) {
        ooze_parallel_for(mg->grids.threads, end - begin, OOZE_VELOCITY_NODE_GRAIN, copy_fine_nodes,
                          &job);
    }
}
