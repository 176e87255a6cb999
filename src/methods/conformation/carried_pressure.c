#include "methods/conformation/carried_pressure.h"

/* Fluid that overlaps, and fluid that nozzles move, carry none. In long steps the pressure begins
   anew: see impact.h. */
static bool carries(const OozeConformationStep *s, uint64_t i)
{
    return s->mobility[i] > 0.0f && s->relief_progress[i] >= 1.0f && !s->long_step;
}

static OozeCarriedPressure carried_by(const OozeConformationStep *s, uint64_t i)
{
    const float *lanes = s->warm_start + 8 * i + OOZE_CARRIED_LANE;
    return (OozeCarriedPressure){lanes[0], lanes[1]};
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
        ooze_carried_apply(carried_by(s, i), s->carried_inertia, &c->bulk, &c->hourglass,
                           &c->explicit_stress);
    }
}

static void record_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeCarriedPressure next = {0.0f, 0.0f};
        float stiffness = solve->bulk[i];
        if (carries(s, i)) {
            OozeMat3 l = ooze_velocity_gradient(s, i);
            float guess = ooze_carried_guess(carried_by(s, i), stiffness);
            next = ooze_carried_next(guess, stiffness, (float)(l.m[0] + l.m[4] + l.m[8]),
                                     s->expansion[i], s->dt);
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
        float *lanes = s->warm_start + 8 * i + OOZE_CARRIED_LANE;
        lanes[0] = s->next_pressure[i].value;
        lanes[1] = s->next_pressure[i].stiffness;
    }
}

void ooze_carried_store(OozeConformationStep *s)
{
    if (s->settings.carries_pressure) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, store_range, s);
    }
}
