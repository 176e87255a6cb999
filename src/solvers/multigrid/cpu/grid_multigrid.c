#include "solvers/multigrid/grid_multigrid.h"

#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/grid_multigrid_dense.h"
#include "solvers/multigrid/grid_multigrid_ranks.h"
#include "solvers/multigrid/links_formula.h"

OozeGridMultigrid *ooze_grid_multigrid_create(void)
{
    OozeGridMultigrid *mg = ooze_alloc_zero(1, sizeof *mg);
    if (mg && !ooze_hierarchy_create(&mg->grids)) {
        ooze_grid_multigrid_destroy(mg);
        return NULL;
    }
    return mg;
}

void ooze_grid_multigrid_destroy(OozeGridMultigrid *mg)
{
    if (mg) {
        ooze_hierarchy_destroy(&mg->grids);
        ooze_free(mg);
    }
}

uint64_t ooze_grid_multigrid_bytes(const OozeGridMultigrid *mg)
{
    return sizeof *mg + ooze_hierarchy_bytes(&mg->grids);
}

/* ---- matrices ---- */

typedef struct Job {
    const OozeGridMultigrid *mg;
    const OozeMultigridLevel *fine, *level;
    OozePressureRows *rows;
} Job;

static void keep_runs(OozePressureRows *rows, uint64_t i, const OozeMultigridRuns *runs)
{
    uint64_t at = OOZE_MULTIGRID_RUNS * i;
    float *coefficient = rows->coefficient + 4 * at;
    for (int k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
        rows->run[at + (uint64_t)k] = runs->run[k];
        for (int s = 0; s < 4; s++) {
            coefficient[4 * k + s] = s < 3 ? runs->coefficient[3 * k + s] : 0.0f;
        }
        if (rows->across) {
            rows->across[at + (uint64_t)k] = runs->crosses ? runs->across[k] : OOZE_MULTIGRID_NONE;
            rows->across_coefficient[at + (uint64_t)k] = runs->across_coefficient[k];
        }
    }
}

static void fill_rows(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeMultigridLevel *level = job->level;
    for (uint64_t i = begin; i < end; i++) {
        OozeMultigridRow row;
        OozeMultigridRuns runs;
        const uint32_t *corner = level->node_corner + level->node_first[i];
        ooze_multigrid_row(job->rows->element, level->corner_node, corner,
                           level->node_first[i + 1] - level->node_first[i], &row);
        int32_t x = (int32_t)(level->node[i] % (uint64_t)level->shape.nodes[0]);
        ooze_multigrid_runs(&row, &level->shape, x, &runs);
        keep_runs(job->rows, i, &runs);
        job->rows->inverse[i] = ooze_multigrid_inverse(&row);
    }
}

/* The fine nodes around each node. */
static void fine_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t *to = job->rows->fine_node + OOZE_MULTIGRID_STENCIL * i;
        for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
            to[s] = (uint32_t)job->fine->nodes;
        }
        ooze_links_list_stencil(job->level, job->fine, job->mg->grids.child, i, to, 1);
    }
}

static float *vector(OozeGridMultigrid *mg, uint64_t nodes)
{
    float *v = ooze_arena_alloc(mg->grids.kept, nodes + OOZE_MULTIGRID_PAD, sizeof *v);
    if (v) {
        memset(v, 0, (nodes + OOZE_MULTIGRID_PAD) * sizeof *v);
    }
    return v;
}

static void allocate(OozeGridMultigrid *mg, int k)
{
    const OozeMultigridLevel *level = &mg->grids.level[k];
    OozePressureRows *rows = &mg->rows[k];
    OozeArena *kept = mg->grids.kept;
    uint64_t nodes = level->nodes, runs = OOZE_MULTIGRID_RUNS * nodes;
    rows->element = ooze_arena_alloc(mg->grids.temporary, 64 * level->cells, sizeof *rows->element);
    rows->run = ooze_arena_alloc(kept, runs, sizeof *rows->run);
    rows->coefficient = ooze_arena_alloc(kept, 4 * runs, sizeof *rows->coefficient);
    if (level->shape.wraps[0]) {
        rows->across = ooze_arena_alloc(kept, runs, sizeof *rows->across);
        rows->across_coefficient = ooze_arena_alloc(kept, runs, sizeof(float));
    }
    if (k > 0) {
        rows->fine_node =
            ooze_arena_alloc(kept, OOZE_MULTIGRID_STENCIL * nodes, sizeof *rows->fine_node);
    }
    rows->inverse = ooze_arena_alloc(kept, nodes, sizeof *rows->inverse);
    rows->b = vector(mg, nodes);
    rows->r = vector(mg, nodes);
    rows->x[0] = vector(mg, nodes);
    rows->x[1] = vector(mg, nodes);
}

/* ---- building ---- */

static void fill_level(OozeGridMultigrid *mg, const OozeGridMultigridInput *input, int k)
{
    const OozeMultigridLevel *level = &mg->grids.level[k];
    OozePressureRows *rows = &mg->rows[k];
    Job job = {.mg = mg, .level = level, .rows = rows};
    OozeMultigridSweep sweep = {.mg = mg, .level = level, .rows = rows};
    sweep.stiffness = input->stiffness;
    sweep.mass = input->mass;
    sweep.held = k == 0 ? input->held : NULL;
    const OozeMultigridLoops *loops = ooze_multigrid_loops();
    sweep.fine = job.fine = k > 0 ? level - 1 : NULL;
    sweep.fine_rows = k > 0 ? rows - 1 : NULL;
    if (mg->shared && k == 0) {
        ooze_multigrid_share_elements(mg);
    } else if (mg->shared && k == 1) {
        ooze_multigrid_share_coarse_elements(mg);
    } else {
        ooze_parallel_for(mg->grids.threads, level->cells, OOZE_MULTIGRID_CELL_GRAIN,
                          k == 0 ? loops->elements : loops->coarse_elements, &sweep);
    }
    if (k > 0) {
        ooze_parallel_for(mg->grids.threads, level->nodes, OOZE_MULTIGRID_NODE_GRAIN, fine_nodes,
                          &job);
    }
    ooze_parallel_for(mg->grids.threads, level->nodes, OOZE_MULTIGRID_NODE_GRAIN, fill_rows, &job);
}

static void find_first(OozeHierarchy *h)
{
    OozeGridMultigrid *mg = (OozeGridMultigrid *)h;
    const OozeGridMultigridInput *in = mg->input;
    ooze_hierarchy_find_axes(h, in->x, in->spacing, in->periodic, in->halo);
    if (in->halo) {
        ooze_multigrid_share(mg, in);
    } else {
        ooze_hierarchy_find_cells(h, in->x, NULL);
    }
}

static void find_coarser(OozeHierarchy *h, int k)
{
    OozeGridMultigrid *mg = (OozeGridMultigrid *)h;
    if (mg->shared && k == 0) {
        ooze_multigrid_share_coarser(mg);
    } else {
        ooze_hierarchy_find_coarser(h, k);
    }
}

static OozeStatus find_levels(OozeGridMultigrid *mg, OozeError *error)
{
    const OozeHierarchyStages stages = {find_first, ooze_hierarchy_find_nodes, find_coarser,
                                        ooze_hierarchy_failed};
    mg->shared = NULL;
    ooze_hierarchy_find(&mg->grids, &stages);
    if (!ooze_hierarchy_failed(&mg->grids) && mg->shared) {
        ooze_multigrid_share_nodes(mg);
    }
    return ooze_hierarchy_failed(&mg->grids)
               ? ooze_fail_memory(error, "the grids of the pressure solve", mg->grids.n * 120)
               : OOZE_OK;
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
    for (uint64_t i = 0; i < mg->grids.n; i++) {
        ones[i] = 1.0f;
    }
    ooze_multigrid_restrict(mg, ones);
    memcpy(mg->node_weight, mg->rows[0].b, mg->grids.level[0].nodes * sizeof(float));
}

OozeStatus ooze_grid_multigrid_place(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                     OozeError *error)
{
    ooze_hierarchy_clear(&mg->grids, input->threads);
    memset(mg->rows, 0, sizeof mg->rows);
    mg->grids.linked = false;
    mg->grids.direct = OOZE_MULTIGRID_DENSE;
    mg->dense = NULL;
    mg->input = input;
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
    mg->grids.n = input->n;
    OozeStatus status = find_levels(mg, error);
    mg->grids.levels = status ? 0 : mg->grids.levels; /* apply adds nothing */
    return status;
}

static OozeStatus fail(OozeGridMultigrid *mg, OozeError *error)
{
    mg->grids.levels = 0;
    return ooze_fail_memory(error, "the grids of the pressure solve", mg->grids.n * 120);
}

OozeStatus ooze_grid_multigrid_fill(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                                    OozeError *error)
{
    if (mg->grids.levels == 0) {
        return OOZE_OK;
    }
    const OozeMultigridLevel *coarsest = &mg->grids.level[mg->grids.levels - 1];
    for (int k = 0; k < mg->grids.levels; k++) {
        allocate(mg, k);
    }
    if (ooze_hierarchy_is_coarsest(&mg->grids, mg->grids.levels - 1)) {
        mg->dense =
            ooze_arena_alloc(mg->grids.kept, coarsest->nodes * coarsest->nodes, sizeof(double));
    }
    mg->singular = !input->held && is_singular(input);
    float *ones = NULL;
    if (mg->singular) {
        ones = ooze_arena_alloc(mg->grids.temporary, mg->grids.n, sizeof *ones);
        mg->correction = ooze_arena_alloc(mg->grids.kept, mg->grids.n, sizeof(float));
        mg->partial =
            ooze_arena_alloc(mg->grids.kept, mg->grids.n / OOZE_SPLIT_BLOCK + 1, sizeof(double));
        mg->node_weight = ooze_arena_alloc(mg->grids.kept, mg->grids.level[0].nodes, sizeof(float));
    }
    mg->corner_sums = ooze_arena_alloc(mg->grids.kept, 8 * mg->grids.level[0].cells, sizeof(float));
    if (ooze_hierarchy_failed(&mg->grids)) {
        return fail(mg, error);
    }
    for (int k = 0; k < mg->grids.levels; k++) {
        fill_level(mg, input, k);
    }
    if (ooze_arena_failed(mg->grids.temporary)) {
        return fail(mg, error);
    }
    if (mg->dense) {
        ooze_multigrid_invert(mg->rows[mg->grids.levels - 1].element, coarsest->corner_node,
                              coarsest->cells, coarsest->nodes, mg->dense);
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
