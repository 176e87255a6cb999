#include "solvers/multigrid/velocity_multigrid.h"

#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/velocity_multigrid_ranks.h"

OozeVelocityMultigrid *ooze_velocity_multigrid_create(void)
{
    OozeVelocityMultigrid *mg = ooze_alloc_zero(1, sizeof *mg);
    if (mg && !ooze_hierarchy_create(&mg->grids)) {
        ooze_velocity_multigrid_destroy(mg);
        return NULL;
    }
    return mg;
}

void ooze_velocity_multigrid_destroy(OozeVelocityMultigrid *mg)
{
    if (mg) {
        ooze_hierarchy_destroy(&mg->grids);
        ooze_free(mg);
    }
}

uint64_t ooze_velocity_multigrid_bytes(const OozeVelocityMultigrid *mg)
{
    return mg ? sizeof *mg + ooze_hierarchy_bytes(&mg->grids) : 0;
}

/* ---- matrices ---- */

/* Matrices of elements that are on this rank. */
static uint64_t matrix_count(const OozeVelocityMultigrid *mg, int k)
{
    return mg->rows[k].local ? mg->sharing->local_count : mg->grids.level[k].cells;
}

/* Matrices of the elements of a level, on all ranks that need them. */
static OozeStatus fill_elements(OozeVelocityMultigrid *mg, OozeVelocitySweep *sweep, int k,
                                OozeError *error)
{
    const OozeVelocityLoops *loops = ooze_velocity_loops();
    const OozeVelocitySharing *sharing = mg->sharing;
    if (sharing && k == 0) {
        ooze_velocity_fetch_migrants(mg, sweep->input);
        ooze_velocity_each_listed(mg->grids.threads, sharing->owned, sharing->owned_count,
                                  loops->elements, sweep);
        ooze_velocity_fetch_matrices(mg);
        return OOZE_OK;
    }
    uint64_t begin = 0, end = sweep->level->cells;
    if (ooze_velocity_is_gathered(mg, k)) {
        begin = sharing->parent_at[sharing->ranks->rank];
        end = sharing->parent_at[sharing->ranks->rank + 1];
    }
    ooze_velocity_each_between(mg->grids.threads, begin, end, OOZE_VELOCITY_ELEMENT_GRAIN,
                               k == 0 ? loops->elements : loops->coarse_elements, sweep);
    return ooze_velocity_is_gathered(mg, k) ? ooze_velocity_gather_matrices(mg, error) : OOZE_OK;
}

static OozeStatus fill_level(OozeVelocityMultigrid *mg, const OozeVelocityMultigridInput *input,
                             int k, OozeError *error)
{
    const OozeMultigridLevel *level = &mg->grids.level[k];
    const OozeVelocityRows *rows = &mg->rows[k];
    OozeVelocitySweep sweep = {.mg = mg, .level = level, .rows = rows, .input = input};
    OozeStatus status = fill_elements(mg, &sweep, k, error);
    if (status || ooze_hierarchy_failed(&mg->grids)) {
        return status;
    }
    ooze_velocity_each_between(mg->grids.threads, rows->node_begin, rows->node_end,
                               OOZE_VELOCITY_NODE_GRAIN, ooze_velocity_loops()->rows, &sweep);
    bool dense = k + 1 == mg->grids.levels && mg->dense;
    if (dense) {
        ooze_velocity_factorise_level(mg, k, mg->dense);
    } else {
        ooze_parallel_for(mg->grids.threads, level->isolated_count, 1,
                          ooze_velocity_invert_isolated, &sweep);
    }
    return OOZE_OK;
}

OozeStatus ooze_velocity_multigrid_refill(OozeVelocityMultigrid *mg,
                                          const OozeVelocityMultigridInput *input, OozeError *error)
{
    ooze_arena_reset(mg->grids.temporary);
    for (int k = 0; k < mg->grids.levels; k++) {
        mg->rows[k].element = ooze_arena_alloc(
            mg->grids.temporary, OOZE_VELOCITY_ELEMENT * matrix_count(mg, k), sizeof(float));
    }
    OozeStatus status = OOZE_OK;
    for (int k = 0; k < mg->grids.levels && !status && !ooze_arena_failed(mg->grids.temporary);
         k++) {
        status = fill_level(mg, input, k, error);
    }
    if (!status && ooze_arena_failed(mg->grids.temporary)) {
        status = ooze_fail_memory(error, "the grids of the velocity solve", mg->grids.n * 200);
    }
    ooze_arena_reset(mg->grids.temporary);
    return status;
}

/* ---- building ---- */

static void allocate(OozeVelocityMultigrid *mg, int k)
{
    const OozeMultigridLevel *level = &mg->grids.level[k];
    OozeVelocityRows *rows = &mg->rows[k];
    const size_t size = sizeof(OozeF32x4);
    const uint64_t inverse = OOZE_VELOCITY_ROWS * OOZE_VELOCITY_ROWS;
    rows->inverse = ooze_arena_alloc(mg->grids.kept, level->nodes, sizeof *rows->inverse);
    rows->isolated_inverse =
        ooze_arena_alloc(mg->grids.kept, inverse * level->isolated_count, sizeof(float));
    rows->b = ooze_arena_alloc(mg->grids.kept, level->nodes, size);
    rows->r = ooze_arena_alloc(mg->grids.kept, level->nodes, size);
    rows->x = ooze_arena_alloc(mg->grids.kept, level->nodes, size);
    rows->p[0] = ooze_arena_alloc(mg->grids.kept, level->nodes, size);
    rows->p[1] = ooze_arena_alloc(mg->grids.kept, level->nodes, size);
}

static void allocate_coarsest(OozeVelocityMultigrid *mg)
{
    uint64_t rows = 3 * mg->grids.level[mg->grids.levels - 1].nodes;
    if (rows <= 3 * (uint64_t)OOZE_VELOCITY_DENSE) {
        mg->dense = ooze_arena_alloc(mg->grids.kept, rows * rows, sizeof *mg->dense);
        mg->dense_vector = ooze_arena_alloc(mg->grids.kept, rows, sizeof *mg->dense_vector);
    }
    mg->corner_sums =
        ooze_arena_alloc(mg->grids.kept, 8 * matrix_count(mg, 0), sizeof *mg->corner_sums);
}

OozeStatus ooze_velocity_multigrid_build(OozeVelocityMultigrid *mg,
                                         const OozeVelocityMultigridInput *input, OozeError *error)
{
    ooze_hierarchy_clear(&mg->grids, input->threads);
    memset(mg->rows, 0, sizeof mg->rows);
    mg->dense = NULL;
    mg->input = input;
    mg->grids.n = input->n;
    mg->grids.linked = true;
    mg->grids.direct = OOZE_VELOCITY_DENSE;
    uint64_t all = ooze_halo_all(input->halo, input->n);
    if (all > OOZE_VELOCITY_PARTICLES) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use velocity_preconditioner: diagonal",
                         "%llu particles in a velocity solve by multigrid; at most %llu are "
                         "possible",
                         (unsigned long long)all, (unsigned long long)OOZE_VELOCITY_PARTICLES);
    }
    ooze_velocity_share(mg, input->halo);
    OozeStatus status = all > 0 ? ooze_velocity_find_levels(mg, error) : OOZE_OK;
    if (status || mg->grids.levels == 0) {
        return status;
    }
    for (int k = 0; k < mg->grids.levels && !ooze_hierarchy_failed(&mg->grids); k++) {
        allocate(mg, k);
        ooze_velocity_find_rows(mg, k);
        if (k > 0 && !ooze_hierarchy_failed(&mg->grids)) {
            ooze_velocity_find_weights(mg, k);
        }
    }
    if (mg->sharing && !ooze_hierarchy_failed(&mg->grids)) {
        ooze_velocity_share_values(mg);
    }
    allocate_coarsest(mg);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return ooze_fail_memory(error, "the grids of the velocity solve", mg->grids.n * 400);
    }
    return ooze_velocity_multigrid_refill(mg, input, error);
}
