#include "methods/conformation/carried_pressure.h"

static bool carries(const OozeConformationStep *s, uint64_t i)
{
    return ooze_carries_pressure(s->mobility[i], s->relief_progress[i], s->long_step);
}

/* The smallest of the materials present: what is left of the shifts then conserves momentum. */
static void find_still_share(OozeConformationStep *s)
{
    s->still_share = 1.0f;
    for (uint64_t i = 0; i < s->n; i++) {
        float still = s->rheology[s->material[i]].still;
        s->still_share = still < s->still_share ? still : s->still_share;
    }
}

void ooze_carried_allocate(OozeConformationStep *s)
{
    OozeArena *arena = s->context->arena;
    if (s->settings.carries_pressure) {
        s->next_pressure = ooze_arena_alloc(arena, s->n, sizeof *s->next_pressure);
        find_still_share(s);
    }
}

void ooze_carried_add(OozeConformationStep *s, uint64_t i, OozeLodgeCoefficients *c)
{
    if (carries(s, i)) {
        ooze_carried_apply(ooze_carried_get(s->warm_start, i), s->carried_inertia, &c->bulk,
                           &c->hourglass, &c->explicit_stress);
    }
}

static void record_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeCarriedPressure next = {0.0f, 0.0f};
        if (carries(s, i)) {
            next = ooze_carried_next(ooze_carried_get(s->warm_start, i), solve->bulk[i],
                                     ooze_velocity_gradient(s, i), s->expansion[i], s->dt);
        }
        s->next_pressure[i] = next;
    }
}

void ooze_carried_record(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    if (s->settings.carries_pressure) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, record_range, solve);
    }
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        ooze_carried_set(s->warm_start, i, s->next_pressure[i]);
    }
}

void ooze_carried_store(OozeConformationStep *s)
{
    if (s->settings.carries_pressure) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, store_range, s);
    }
}
