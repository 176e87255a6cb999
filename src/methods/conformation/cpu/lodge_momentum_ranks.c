/* Momentum of components of fluid that several processes have particles of. Every process has the
   sums of all of them, which are few; those of components of one process stay there. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/search.h"
#include "methods/conformation/cpu/component_sharing.h"
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/cpu/lodge_momentum.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

typedef struct OozeMomentumOrigin {
    OozeF32x4 x;
    uint64_t lowest; /* index in the order of all particles */
} Origin;

/* What a chunk or a particle adds to a shared component. */
typedef struct Contribution {
    uint64_t component;
    OozeMomentumSums sums;
} Contribution;

/* ---- numbers and origins ---- */

/* The lowest particles of shared components: each is on one process. */
static OozeStatus find_origins(OozeMomentumJob *job, OozeError *error)
{
    const OozeLodge *solve = job->solve;
    const OozeConformationStep *s = solve->step;
    Origin *own = NULL;
    uint64_t count = 0;
    for (int round = 0; round < 2; round++) { /* counts, then lists */
        count = 0;
        for (uint64_t i = 0; i < s->n; i++) {
            uint32_t root = solve->own->components.root[i];
            uint64_t index = ooze_halo_index(s->context->halo, i);
            if (ooze_component_is_shared(solve, root) &&
                ooze_component_lowest(solve, root) == index) {
                if (own) {
                    own[count] = (Origin){s->x0[i], index};
                }
                count++;
            }
        }
        own = own ? own : ooze_arena_alloc(s->context->arena, count, sizeof *own);
        if (!own) {
            return ooze_fail_memory(error, "the velocity solve", count * sizeof *own);
        }
    }
    OozeHaloList list = {.own = own, .count = count, .size = sizeof *own};
    OozeStatus status = ooze_halo_gather_list(s->context->halo, s->context->arena, &list, error);
    job->origins = list.all;
    job->origin_count = list.total;
    return status;
}

/* Place of a shared component among the origins, which ascend. */
static uint64_t find_origin(const OozeMomentumJob *job, uint64_t lowest)
{
    return ooze_lower_bound(&job->origins->lowest, sizeof *job->origins, job->origin_count, lowest);
}

static void number_roots(OozeMomentumJob *job, OozeF32x4 *origin)
{
    const OozeLodge *solve = job->solve;
    const OozeConformationStep *s = solve->step;
    memcpy(origin, s->x0, s->local * sizeof *origin);
    for (uint64_t i = 0; i < s->local; i++) {
        bool own =
            solve->own->components.root[i] == i && !ooze_component_is_shared(solve, (uint32_t)i);
        job->number[i] = (uint32_t)job->components;
        job->components += own;
    }
    job->shared = job->components;
    job->components += job->origin_count;
    for (uint64_t i = 0; i < s->local; i++) {
        if (solve->own->components.root[i] == i && ooze_component_is_shared(solve, (uint32_t)i)) {
            uint64_t at = find_origin(job, ooze_component_lowest(solve, (uint32_t)i));
            job->number[i] = (uint32_t)(job->shared + at);
            origin[i] = job->origins[at].x;
        }
    }
    job->origin = origin;
}

OozeStatus ooze_momentum_number_shared(OozeMomentumJob *job, OozeError *error)
{
    OozeLodge *solve = job->solve;
    const OozeConformationStep *s = solve->step;
    OozeArena *arena = s->context->arena;
    int solids = s->own->coupling ? s->own->coupling->count : 0;
    uint64_t pairs = solve->own->all_pairs ? solve->own->all_pairs->count : 0,
             count = (uint64_t)solids + pairs;
    double *lowest = ooze_arena_alloc(arena, count, sizeof *lowest);
    uint64_t *first = ooze_arena_alloc(arena, count, sizeof *first);
    OozeF32x4 *origin = ooze_arena_alloc(arena, s->local, sizeof *origin);
    if (!lowest || !first || !origin) {
        return ooze_fail_memory(error, "the velocity solve", s->local * sizeof *origin);
    }
    for (uint64_t k = 0; k < count; k++) {
        first[k] = k < (uint64_t)solids ? job->solid_first[k]
                                        : solve->own->pair_particle[k - (uint64_t)solids];
    }
    OozeComponentSets sets = {(int)count, first, lowest};
    ooze_component_sharing_find(solve, count > 0 ? &sets : NULL);
    OozeStatus status = find_origins(job, error);
    if (status) {
        return status;
    }
    number_roots(job, origin);
    for (int k = 0; k < solids; k++) {
        if (isfinite(lowest[k])) {
            uint64_t at = find_origin(job, (uint64_t)lowest[k]);
            job->solid_number[k] = (uint32_t)(job->shared + at);
            job->solid_origin[k] = job->origins[at].x;
        }
    }
    return OOZE_OK;
}

/* ---- sums ---- */

/* Adds to components of this process, and lists what all processes are to add to others. Without a
   list it counts these. */
static uint64_t contribute(const OozeMomentumJob *job, Contribution *list)
{
    const OozeLodge *solve = job->solve;
    uint64_t n = solve->step->n, count = 0;
    for (uint64_t begin = 0; begin < n; begin += GRAIN) {
        const OozeMomentumChunk *chunk = &job->chunks[begin / GRAIN];
        uint64_t end = chunk->mixed ? (begin + GRAIN < n ? begin + GRAIN : n) : begin + 1;
        for (uint64_t i = begin; i < end; i++) {
            uint64_t number = job->number[solve->own->components.root[i]];
            OozeMomentumSums sums = {0};
            if (list && chunk->mixed) {
                ooze_momentum_add_particle(job, i, &sums);
            } else if (list) {
                sums = chunk->sums;
            }
            if (number >= job->shared && list) {
                list[count] = (Contribution){number - job->shared, sums};
            } else if (list) {
                ooze_momentum_add_sums(&job->sums[number], &sums);
            }
            count += number >= job->shared;
        }
    }
    return count;
}

OozeStatus ooze_momentum_collect_shared(OozeMomentumJob *job, OozeError *error)
{
    const OozeConformationStep *s = job->solve->step;
    OozeHaloList list = {.count = contribute(job, NULL), .size = sizeof(Contribution)};
    Contribution *own = ooze_arena_alloc(s->context->arena, list.count, sizeof *own);
    if (!own) {
        return ooze_fail_memory(error, "the velocity solve", list.count * sizeof *own);
    }
    contribute(job, own);
    list.own = own;
    OozeStatus status = ooze_halo_gather_list(s->context->halo, s->context->arena, &list, error);
    const Contribution *all = list.all;
    for (uint64_t k = 0; k < list.total && !status; k++) {
        ooze_momentum_add_sums(&job->sums[job->shared + all[k].component], &all[k].sums);
    }
    return status;
}
