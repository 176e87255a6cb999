#include "solvers/multigrid/velocity_multigrid.h"

#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/velocity_multigrid_ranks.h"

OozeVelocityMultigrid *ooze_velocity_multigrid_create(void)
{
    OozeVelocityMultigrid *mg = ooze_alloc_zero(1, sizeof *mg);
    if (mg) {
        for (int place = 0; place < OOZE_MULTIGRID_PLACES; place++) {
            ooze_multigrid_child(place, &mg->child[place]);
        }
        mg->kept = ooze_arena_create();
        mg->temporary = ooze_arena_create();
        if (!mg->kept || !mg->temporary) {
            ooze_velocity_multigrid_destroy(mg);
            return NULL;
        }
    }
    return mg;
}

void ooze_velocity_multigrid_destroy(OozeVelocityMultigrid *mg)
{
    if (mg) {
        ooze_arena_destroy(mg->kept);
        ooze_arena_destroy(mg->temporary);
        ooze_free(mg);
    }
}

uint64_t ooze_velocity_multigrid_bytes(const OozeVelocityMultigrid *mg)
{
    return mg ? sizeof *mg + ooze_arena_bytes(mg->kept) + ooze_arena_bytes(mg->temporary) : 0;
}

/* ---- matrices ---- */

/* Matrices of elements that are on this rank. */
static uint64_t matrix_count(const OozeVelocityMultigrid *mg, const OozeVelocityLevel *level)
{
    return level->local ? mg->sharing->local_count : level->elements;
}

/* Matrices of the elements of a level, on all ranks that need them. */
static OozeStatus fill_elements(OozeVelocityMultigrid *mg, OozeVelocitySweep *sweep, int k,
                                OozeError *error)
{
    const OozeVelocityLoops *loops = ooze_velocity_loops();
    const OozeVelocitySharing *sharing = mg->sharing;
    const OozeVelocityLevel *level = sweep->level;
    if (sharing && k == 0) {
        ooze_velocity_fetch_migrants(mg, sweep->input);
        ooze_velocity_each_listed(mg->threads, sharing->owned, sharing->owned_count,
                                  loops->elements, sweep);
        ooze_velocity_fetch_matrices(mg);
        return OOZE_OK;
    }
    uint64_t begin = 0, end = level->elements;
    if (ooze_velocity_is_gathered(mg, level)) {
        begin = sharing->parent_at[sharing->ranks->rank];
        end = sharing->parent_at[sharing->ranks->rank + 1];
    }
    ooze_velocity_each_between(mg->threads, begin, end, OOZE_VELOCITY_ELEMENT_GRAIN,
                               k == 0 ? loops->elements : loops->coarse_elements, sweep);
    return ooze_velocity_is_gathered(mg, level) ? ooze_velocity_gather_matrices(mg, error)
                                                : OOZE_OK;
}

static OozeStatus fill_level(OozeVelocityMultigrid *mg, const OozeVelocityMultigridInput *input,
                             int k, OozeError *error)
{
    OozeVelocityLevel *level = &mg->level[k];
    OozeVelocitySweep sweep = {.mg = mg, .level = level, .input = input};
    OozeStatus status = fill_elements(mg, &sweep, k, error);
    if (status || ooze_velocity_multigrid_failed(mg)) {
        return status;
    }
    ooze_velocity_each_between(mg->threads, level->node_begin, level->node_end,
                               OOZE_VELOCITY_NODE_GRAIN, ooze_velocity_loops()->rows, &sweep);
    bool dense = k + 1 == mg->levels && mg->dense;
    if (dense) {
        ooze_velocity_factorise_level(level, mg->dense);
    } else {
        ooze_parallel_for(mg->threads, level->isolated_count, 1, ooze_velocity_invert_isolated,
                          level);
    }
    return OOZE_OK;
}

OozeStatus ooze_velocity_multigrid_refill(OozeVelocityMultigrid *mg,
                                          const OozeVelocityMultigridInput *input, OozeError *error)
{
    ooze_arena_reset(mg->temporary);
    for (int k = 0; k < mg->levels; k++) {
        OozeVelocityLevel *level = &mg->level[k];
        level->element = ooze_arena_alloc(
            mg->temporary, OOZE_VELOCITY_ELEMENT * matrix_count(mg, level), sizeof *level->element);
    }
    OozeStatus status = OOZE_OK;
    for (int k = 0; k < mg->levels && !status && !ooze_arena_failed(mg->temporary); k++) {
        status = fill_level(mg, input, k, error);
    }
    if (!status && ooze_arena_failed(mg->temporary)) {
        status = ooze_fail_memory(error, "the grids of the velocity solve", mg->n * 200);
    }
    ooze_arena_reset(mg->temporary);
    return status;
}

/* ---- building ---- */

static void allocate(OozeVelocityMultigrid *mg, OozeVelocityLevel *level)
{
    const size_t size = sizeof(OozeF32x4);
    const uint64_t inverse = OOZE_VELOCITY_ROWS * OOZE_VELOCITY_ROWS;
    level->inverse = ooze_arena_alloc(mg->kept, level->nodes, sizeof *level->inverse);
    level->isolated_inverse =
        ooze_arena_alloc(mg->kept, inverse * level->isolated_count, sizeof(float));
    level->b = ooze_arena_alloc(mg->kept, level->nodes, size);
    level->r = ooze_arena_alloc(mg->kept, level->nodes, size);
    level->x = ooze_arena_alloc(mg->kept, level->nodes, size);
    level->p[0] = ooze_arena_alloc(mg->kept, level->nodes, size);
    level->p[1] = ooze_arena_alloc(mg->kept, level->nodes, size);
}

static void allocate_coarsest(OozeVelocityMultigrid *mg)
{
    uint64_t rows = 3 * mg->level[mg->levels - 1].nodes;
    if (rows <= 3 * (uint64_t)OOZE_VELOCITY_DENSE) {
        mg->dense = ooze_arena_alloc(mg->kept, rows * rows, sizeof *mg->dense);
        mg->dense_vector = ooze_arena_alloc(mg->kept, rows, sizeof *mg->dense_vector);
    }
    mg->corner_sums =
        ooze_arena_alloc(mg->kept, 8 * matrix_count(mg, &mg->level[0]), sizeof *mg->corner_sums);
}

OozeStatus ooze_velocity_multigrid_build(OozeVelocityMultigrid *mg,
                                         const OozeVelocityMultigridInput *input, OozeError *error)
{
    ooze_arena_reset(mg->kept);
    ooze_arena_reset(mg->temporary);
    memset(mg->level, 0, sizeof mg->level);
    mg->levels = 0;
    mg->dense = NULL;
    mg->threads = input->threads;
    mg->n = input->n;
    uint64_t all = ooze_halo_all(input->halo, input->n);
    if (all > OOZE_VELOCITY_PARTICLES) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use velocity_preconditioner: mass",
                         "%llu particles in a velocity solve by multigrid; at most %llu are "
                         "possible",
                         (unsigned long long)all, (unsigned long long)OOZE_VELOCITY_PARTICLES);
    }
    ooze_velocity_share(mg, input->halo);
    OozeStatus status = all > 0 ? ooze_velocity_find_levels(mg, input, error) : OOZE_OK;
    if (status || mg->levels == 0) {
        return status;
    }
    for (int k = 0; k < mg->levels && !ooze_velocity_multigrid_failed(mg); k++) {
        allocate(mg, &mg->level[k]);
        ooze_velocity_find_rows(mg, &mg->level[k]);
        if (k > 0 && !ooze_velocity_multigrid_failed(mg)) {
            ooze_velocity_find_weights(mg, &mg->level[k - 1], &mg->level[k]);
        }
    }
    if (mg->sharing && !ooze_velocity_multigrid_failed(mg)) {
        ooze_velocity_share_values(mg);
    }
    allocate_coarsest(mg);
    if (ooze_velocity_multigrid_failed(mg)) {
        return ooze_fail_memory(error, "the grids of the velocity solve", mg->n * 400);
    }
    return ooze_velocity_multigrid_refill(mg, input, error);
}
