/* Which nodes the rows of matrices and the weights between grids refer to. */
#include <string.h>

#include "solvers/multigrid/velocity_multigrid_levels.h"
#include "solvers/multigrid/velocity_multigrid_links_formula.h"
#include "solvers/multigrid/velocity_multigrid_ranks.h"

/* Loops run over the nodes of this rank, from `begin` on. */
typedef struct Job {
    const OozeVelocityMultigrid *mg;
    uint64_t begin;
    OozeVelocityLevel *fine, *level;
    uint32_t *found; /* eight a corner of these nodes */
    uint32_t *count; /* per node */
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
    const OozeVelocityLevel *level = job->level;
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
        level->regular[i] = row.count == OOZE_MULTIGRID_STENCIL && !row.split;
    }
}

static void copy_columns(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeVelocityLevel *level = job->level;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t i = job->begin + k;
        memcpy(level->column + level->row_first[i], found_of(job, i),
               job->count[k] * sizeof *level->column);
    }
}

void ooze_velocity_find_rows(OozeVelocityMultigrid *mg, OozeVelocityLevel *level)
{
    uint64_t n = level->nodes, own = level->node_end - level->node_begin;
    uint64_t corners = level->node_first[level->node_end] - level->node_first[level->node_begin];
    OozeArenaMark mark = ooze_arena_mark(mg->temporary);
    uint32_t *count = ooze_arena_alloc(mg->temporary, own, sizeof *count);
    uint32_t *found = ooze_arena_alloc(mg->temporary, 8 * corners, sizeof *found);
    level->row_first = ooze_arena_alloc(mg->kept, n + 1, sizeof *level->row_first);
    level->regular = ooze_arena_alloc(mg->kept, n, sizeof *level->regular);
    if (ooze_arena_failed(mg->kept) || ooze_arena_failed(mg->temporary)) {
        return;
    }
    Job job = {.mg = mg, .begin = level->node_begin, .level = level};
    job.found = found;
    job.count = count;
    ooze_parallel_for(mg->threads, own, OOZE_VELOCITY_NODE_GRAIN, find_columns, &job);
    uint32_t total = 0;
    for (uint64_t i = 0; i < n; i++) {
        level->row_first[i] = total;
        total += i >= level->node_begin && i < level->node_end ? count[i - level->node_begin] : 0;
    }
    level->row_first[n] = total;
    level->column = ooze_arena_alloc(mg->kept, total, sizeof *level->column);
    /* blocks are read in groups of four numbers */
    level->block =
        ooze_arena_alloc(mg->kept, (uint64_t)OOZE_VELOCITY_BLOCK * total + 4, sizeof(float));
    if (!ooze_arena_failed(mg->kept)) {
        memset(level->block + (uint64_t)OOZE_VELOCITY_BLOCK * total, 0, 4 * sizeof(float));
        ooze_parallel_for(mg->threads, own, OOZE_VELOCITY_NODE_GRAIN, copy_columns, &job);
    }
    ooze_arena_rewind(mg->temporary, mark);
}

/* ---- between levels ---- */

/* A node of the finer level takes its value from the parent of the first of its elements. */
static void coarse_elements(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeVelocityLevel *fine = job->fine;
    for (uint64_t i = job->begin + begin; i < job->begin + end; i++) {
        uint32_t corner = fine->node_corner[fine->node_first[i]];
        fine->coarse_element[i] = fine->parent[corner / 8];
        fine->coarse_place[i] =
            (uint8_t)ooze_multigrid_halves(fine->place[corner / 8], (int)(corner % 8));
    }
}

static OozeVelocityFamily family(const Job *job)
{
    const OozeVelocityLevel *level = job->level, *fine = job->fine;
    return (OozeVelocityFamily){{level->corner_node, level->node_first, level->node_corner},
                                {fine->corner_node, fine->node_first, fine->node_corner},
                                level->child_first,
                                level->child,
                                fine->place,
                                job->mg->child};
}

static void count_fine_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeVelocityFamily of = family(job);
    for (uint64_t i = job->begin + begin; i < job->begin + end; i++) {
        job->level->fine_first[i] = ooze_velocity_list_fine_nodes(&of, i, NULL, NULL);
    }
}

static void copy_fine_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeVelocityFamily of = family(job);
    for (uint64_t i = job->begin + begin; i < job->begin + end; i++) {
        uint32_t first = job->level->fine_first[i];
        ooze_velocity_list_fine_nodes(&of, i, job->level->fine_node + first,
                                      job->level->fine_weight + first);
    }
}

void ooze_velocity_find_weights(OozeVelocityMultigrid *mg, OozeVelocityLevel *fine,
                                OozeVelocityLevel *level)
{
    Job job = {.mg = mg, .begin = fine->node_begin, .fine = fine, .level = level};
    uint64_t begin = 0, end = level->nodes;
    if (mg->sharing) {
        ooze_velocity_coarse_range(mg, level, &begin, &end);
    }
    fine->coarse_element = ooze_arena_alloc(mg->kept, fine->nodes, sizeof *fine->coarse_element);
    fine->coarse_place = ooze_arena_alloc(mg->kept, fine->nodes, sizeof *fine->coarse_place);
    level->fine_first = ooze_arena_alloc(mg->kept, level->nodes + 1, sizeof *level->fine_first);
    if (ooze_arena_failed(mg->kept)) {
        return;
    }
    ooze_parallel_for(mg->threads, fine->node_end - fine->node_begin, OOZE_VELOCITY_NODE_GRAIN,
                      coarse_elements, &job);
    memset(level->fine_first, 0, (level->nodes + 1) * sizeof *level->fine_first);
    job.begin = begin;
    ooze_parallel_for(mg->threads, end - begin, OOZE_VELOCITY_NODE_GRAIN, count_fine_nodes, &job);
    uint32_t total = 0;
    for (uint64_t i = 0; i < level->nodes; i++) {
        uint32_t here = level->fine_first[i];
        level->fine_first[i] = total;
        total += here;
    }
    level->fine_first[level->nodes] = total;
    level->fine_node = ooze_arena_alloc(mg->kept, total, sizeof *level->fine_node);
    level->fine_weight = ooze_arena_alloc(mg->kept, total, sizeof *level->fine_weight);
    if (!ooze_arena_failed(mg->kept)) {
        ooze_parallel_for(mg->threads, end - begin, OOZE_VELOCITY_NODE_GRAIN, copy_fine_nodes,
                          &job);
    }
}
