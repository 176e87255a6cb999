#include "methods/conformation/carried_pressure.h"

static bool carries(const OozeConformationStep *s, uint64_t i)
{
    return ooze_carries_pressure(s->mobility[i], s->relief_progress[i], s->long_step);
}

/* The smallest of the materials present, for all particles: what is left of the shifts then
   conserves momentum. */
static void find_still_share(OozeConformationStep *s)
{
    s->still_share = 1.0f;
    for (uint64_t i = 0; i < s->n; i++) {
        float still = s->rheology[s->material[i]].still;
        s->still_share = still < s->still_share ? still : s->still_share;
    }
    double least = -(double)s->still_share;
    ooze_halo_max(s->context->halo, &least, 1);
    s->still_share = (float)-least;
}

void ooze_carried_allocate(OozeConformationStep *s)
{
    OozeArena *arena = s->context->arena;
    if (s->settings.carries_pressure) {
        s->next_pressure = ooze_arena_alloc(arena, s->n, sizeof *s->next_pressure);
        s->carried_partial = ooze_arena_alloc(arena, 2 * (s->n / OOZE_CONFORMATION_GRAIN + 1),
                                              sizeof *s->carried_partial);
        find_still_share(s);
    }
}

void ooze_carried_add(OozeConformationStep *s, uint64_t i, OozeMat3 gradient,
                      OozeLodgeCoefficients *c)
{
    if (carries(s, i)) {
        ooze_carried_apply(ooze_carried_get(s->warm_start, i), gradient, s->carried, &c->bulk,
                           &c->hourglass, &c->explicit_stress);
    }
}

static void record_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    double slow = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeCarriedPressure next = {0.0f, 0.0f};
        if (carries(s, i)) {
            OozeMat3 gradient = ooze_velocity_gradient(s, i);
            OozeCarriedPressure carried = ooze_carried_get(s->warm_start, i);
            next = ooze_carried_next(carried, solve->bulk[i], gradient, s->expansion[i], s->dt);
            slow += (double)ooze_carried_slow(carried, gradient, s->carried);
        }
        s->next_pressure[i] = next;
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = slow;
}

void ooze_carried_record(OozeLodge *solve)
{
    OozeConformationStep *s = solve->step;
    if (s->settings.carries_pressure) {
        ooze_halo_refresh(s->context->halo, s->u, sizeof *s->u);
        s->carried_sums.slow = ooze_lodge_sum(solve, record_range);
    }
}

static void sum_pressure_and_multiplier_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    double pressure = 0.0, multiplier = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        pressure += (double)s->next_pressure[i].value;
        multiplier += carries(s, i) ? (double)s->density_multiplier[i] : 0.0;
    }
    s->carried_partial[2 * (begin / OOZE_CONFORMATION_GRAIN)] = pressure;
    s->carried_partial[2 * (begin / OOZE_CONFORMATION_GRAIN) + 1] = multiplier;
}

void ooze_carried_share(OozeConformationStep *s)
{
    if (s->settings.carries_pressure) {
        OozeHalo *halo = s->context->halo;
        double sums[2];
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN,
                          sum_pressure_and_multiplier_range, s);
        ooze_halo_sums(halo, s->carried_partial, s->n, OOZE_CONFORMATION_GRAIN, 2, sums);
        s->carried_sums.pressure = sums[0];
        s->carried_sums.multiplier = sums[1];
        s->still_share = ooze_carried_still_now(s->still_share, s->carried_sums,
                                                ooze_halo_all(halo, s->n), s->dt);
    }
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeCarriedPressure next = s->next_pressure[i];
        if (carries(s, i)) {
            next.value +=
                ooze_carried_feed(s->density_multiplier[i], next.value, s->carried, s->dt);
        }
        ooze_carried_set(s->warm_start, i, next);
    }
}

void ooze_carried_store(OozeConformationStep *s)
{
    if (s->settings.carries_pressure) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, store_range, s);
    }
}
