#include "solvers/multigrid/grid_multigrid.h"

#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/grid_multigrid_dense.h"
#include "solvers/multigrid/grid_multigrid_ranks.h"

OozeGridMultigrid *ooze_grid_multigrid_create(void)
{
    OozeGridMultigrid *mg = ooze_alloc_zero(1, sizeof *mg);
    if (mg) {
        for (int place = 0; place < OOZE_MULTIGRID_PLACES; place++) {
            ooze_multigrid_child(place, &mg->child[place]);
        }
        mg->kept = ooze_arena_create();
        mg->temporary = ooze_arena_create();
        if (!mg->kept || !mg->temporary) {
            ooze_grid_multigrid_destroy(mg);
            return NULL;
        }
    }
    return mg;
}

void ooze_grid_multigrid_destroy(OozeGridMultigrid *mg)
{
    if (mg) {
        ooze_arena_destroy(mg->kept);
        ooze_arena_destroy(mg->temporary);
        ooze_free(mg);
    }
}

uint64_t ooze_grid_multigrid_bytes(const OozeGridMultigrid *mg)
{
    return sizeof *mg + ooze_arena_bytes(mg->kept) + ooze_arena_bytes(mg->temporary);
}

/* ---- matrices ---- */

typedef struct Job {
    OozeGridMultigrid *mg;
    OozeMultigridLevel *fine, *level;
} Job;

static void keep_runs(OozeMultigridLevel *level, uint64_t i, const OozeMultigridRuns *runs)
{
    uint64_t at = OOZE_MULTIGRID_RUNS * i;
    float *coefficient = level->coefficient + 4 * at;
    for (int k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
        level->run[at + (uint64_t)k] = runs->run[k];
        for (int s = 0; s < 4; s++) {
            coefficient[4 * k + s] = s < 3 ? runs->coefficient[3 * k + s] : 0.0f;
        }
        if (level->across) {
            level->across[at + (uint64_t)k] = runs->crosses ? runs->across[k] : OOZE_MULTIGRID_NONE;
            level->across_coefficient[at + (uint64_t)k] = runs->across_coefficient[k];
        }
    }
}

static void rows(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    OozeMultigridLevel *level = job->level;
    for (uint64_t i = begin; i < end; i++) {
        OozeMultigridRow row;
        OozeMultigridRuns runs;
        const uint32_t *corner = level->node_corner + level->node_first[i];
        ooze_multigrid_row(level->elements, level->corner_node, corner,
                           level->node_first[i + 1] - level->node_first[i], &row);
        int32_t x = (int32_t)(level->node[i] % (uint64_t)level->shape.nodes[0]);
        ooze_multigrid_runs(&row, &level->shape, x, &runs);
        keep_runs(level, i, &runs);
        level->inverse[i] = ooze_multigrid_inverse(&row);
    }
}

/* The fine nodes around each node, by way of the cells around it and their children. */
static void fine_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeMultigridLevel *level = job->level, *fine = job->fine;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t *to = level->fine_node + OOZE_MULTIGRID_STENCIL * i;
        for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
            to[s] = (uint32_t)fine->nodes;
        }
        for (uint32_t e = level->node_first[i]; e < level->node_first[i + 1]; e++) {
            uint64_t cell = level->node_corner[e] / 8;
            int corner = (int)(level->node_corner[e] % 8);
            for (uint32_t f = level->child_first[cell]; f < level->child_first[cell + 1]; f++) {
                uint64_t c = level->child[f];
                const int8_t *slots = job->mg->child[fine->place[c]].fine_slot + corner;
                for (int b = 0; b < 8; b++) {
                    int slot = slots[8 * b];
                    if (slot >= 0) {
                        to[slot] = fine->corner_node[8 * c + (uint64_t)b];
                    }
                }
            }
        }
    }
}

/* Where each node of the finer level is in its cell of this one. */
static void coarse_cells(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeMultigridLevel *fine = job->fine;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t corner = fine->node_corner[fine->node_first[i]];
        int child = fine->place[corner / 8];
        fine->coarse_cell[i] = fine->parent[corner / 8];
        fine->coarse_place[i] = (uint8_t)ooze_multigrid_halves(child, (int)(corner % 8));
    }
}

static float *vector(OozeGridMultigrid *mg, uint64_t nodes)
{
    float *v = ooze_arena_alloc(mg->kept, nodes + OOZE_MULTIGRID_PAD, sizeof *v);
    if (v) {
        memset(v, 0, (nodes + OOZE_MULTIGRID_PAD) * sizeof *v);
    }
    return v;
}

static void allocate(OozeGridMultigrid *mg, int k)
{
    OozeMultigridLevel *level = &mg->level[k];
    uint64_t nodes = level->nodes, runs = OOZE_MULTIGRID_RUNS * nodes;
    level->elements = ooze_arena_alloc(mg->temporary, 64 * level->cells, sizeof *level->elements);
    level->run = ooze_arena_alloc(mg->kept, runs, sizeof *level->run);
    level->coefficient = ooze_arena_alloc(mg->kept, 4 * runs, sizeof *level->coefficient);
    if (level->shape.wraps[0]) {
        level->across = ooze_arena_alloc(mg->kept, runs, sizeof *level->across);
        level->across_coefficient =
            ooze_arena_alloc(mg->kept, runs, sizeof *level->across_coefficient);
    }
    if (k + 1 < mg->levels) {
        level->coarse_cell = ooze_arena_alloc(mg->kept, nodes, sizeof *level->coarse_cell);
        level->coarse_place = ooze_arena_alloc(mg->kept, nodes, sizeof *level->coarse_place);
    }
    if (k > 0) {
        level->fine_node =
            ooze_arena_alloc(mg->kept, OOZE_MULTIGRID_STENCIL * nodes, sizeof *level->fine_node);
    }
    level->inverse = ooze_arena_alloc(mg->kept, nodes, sizeof *level->inverse);
    level->b = vector(mg, nodes);
    level->r = vector(mg, nodes);
    level->x[0] = vector(mg, nodes);
    level->x[1] = vector(mg, nodes);
}

/* ---- building ---- */

static void fill_level(OozeGridMultigrid *mg, const OozeGridMultigridInput *input, int k)
{
    OozeMultigridLevel *level = &mg->level[k];
    Job job = {.mg = mg, .level = level};
    OozeMultigridSweep sweep = {.mg = mg, .level = level};
    sweep.stiffness = input->stiffness;
    sweep.mass = input->mass;
    sweep.held = k == 0 ? input->held : NULL;
    const OozeMultigridLoops *loops = ooze_multigrid_loops();
    sweep.fine = k > 0 ? level - 1 : NULL;
    if (mg->shared && k == 0) {
        ooze_multigrid_share_elements(mg);
    } else if (mg->shared && k == 1) {
        ooze_multigrid_share_coarse_elements(mg);
    } else {
        ooze_parallel_for(mg->threads, level->cells, OOZE_MULTIGRID_CELL_GRAIN,
                          k == 0 ? loops->elements : loops->coarse_elements, &sweep);
    }
    if (k > 0) {
        job.fine = level - 1;
        ooze_parallel_for(mg->threads, level->nodes, OOZE_MULTIGRID_NODE_GRAIN, fine_nodes, &job);
        ooze_parallel_for(mg->threads, job.fine->nodes, OOZE_MULTIGRID_NODE_GRAIN, coarse_cells,
                          &job);
    }
    ooze_parallel_for(mg->threads, level->nodes, OOZE_MULTIGRID_NODE_GRAIN, rows, &job);
}

static bool is_singular(const OozeGridMultigridInput *input)
{
    uint64_t i = 0;
    while (i < input->n && !(input->mass[i] > 0.0f)) {
        i++;
    }
    return !ooze_halo_any(input->halo, i < input->n);
}

/* P^T 1; ones: room for a number per particle. */
static void sum_weights(OozeGridMultigrid *mg, float *ones)
{
    for (uint64_t i = 0; i < mg->n; i++) {
        ones[i] = 1.0f;
    }
    ooze_multigrid_restrict(mg, ones);
    memcpy(mg->node_weight, mg->level[0].b, mg->level[0].nodes * sizeof(float));
}

OozeStatus ooze_grid_multigrid_place(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                     OozeError *error)
{
    ooze_arena_reset(mg->kept);
    ooze_arena_reset(mg->temporary);
    memset(mg->level, 0, sizeof mg->level);
    mg->levels = 0;
    mg->dense = NULL;
    mg->n = 0;
    mg->threads = input->threads;
    mg->halo = input->halo;
    mg->all = ooze_halo_all(input->halo, input->n);
    if (mg->all == 0) {
        return OOZE_OK;
    }
    if (input->n > UINT32_MAX / 8) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or fewer particles",
                         "%llu particles in a pressure solve; at most %llu are possible",
                         (unsigned long long)input->n, (unsigned long long)UINT32_MAX / 8);
    }
    mg->n = input->n;
    OozeStatus status = ooze_multigrid_find_levels(mg, input, error);
    mg->levels = status ? 0 : mg->levels; /* apply adds nothing */
    return status;
}

static OozeStatus fail(OozeGridMultigrid *mg, OozeError *error)
{
    mg->levels = 0;
    return ooze_fail_memory(error, "the grids of the pressure solve", mg->n * 120);
}

OozeStatus ooze_grid_multigrid_fill(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                    OozeError *error)
{
    if (mg->levels == 0) {
        return OOZE_OK;
    }
    const OozeMultigridLevel *coarsest = &mg->level[mg->levels - 1];
    for (int k = 0; k < mg->levels; k++) {
        allocate(mg, k);
    }
    if (ooze_multigrid_is_coarsest(mg, mg->levels - 1)) {
        mg->dense = ooze_arena_alloc(mg->kept, coarsest->nodes * coarsest->nodes, sizeof(double));
    }
    mg->singular = !input->held && is_singular(input);
    float *ones = NULL;
    if (mg->singular) {
        ones = ooze_arena_alloc(mg->temporary, mg->n, sizeof *ones);
        mg->correction = ooze_arena_alloc(mg->kept, mg->n, sizeof(float));
        mg->partial = ooze_arena_alloc(mg->kept, mg->n / OOZE_SPLIT_BLOCK + 1, sizeof(double));
        mg->node_weight = ooze_arena_alloc(mg->kept, mg->level[0].nodes, sizeof(float));
    }
    mg->corner_sums = ooze_arena_alloc(mg->kept, 8 * mg->level[0].cells, sizeof(float));
    if (ooze_multigrid_failed(mg)) {
        return fail(mg, error);
    }
    for (int k = 0; k < mg->levels; k++) {
        fill_level(mg, input, k);
    }
    if (ooze_arena_failed(mg->temporary)) {
        return fail(mg, error);
    }
    if (mg->dense) {
        ooze_multigrid_invert(coarsest->elements, coarsest->corner_node, coarsest->cells,
                              coarsest->nodes, mg->dense);
    }
    if (mg->singular) {
        sum_weights(mg, ones);
    }
    return OOZE_OK;
}

OozeStatus ooze_grid_multigrid_build(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                     OozeError *error)
{
    OozeStatus status = ooze_grid_multigrid_place(mg, input, error);
    return status ? status : ooze_grid_multigrid_fill(mg, input, error);
}
