#include "methods/conformation/cpu/push_stress.h"

#include "base/fail.h"

static void add_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePushStress *push = data;
    const OozeConformationStep *s = push->step;
    for (uint64_t i = begin; i < end; i++) {
        ooze_push_stress_add(s, i, push->factor * push->change[i], s->plan->isotropic_shifts);
    }
}

OozeStatus ooze_push_stress_remove(OozeConformationStep *s, OozeError *error)
{
    OozeF32x4 *x = s->x;
    const OozePushStressLoops *loops = ooze_push_stress_loops();
    OozeThreads *threads = s->context->threads;
    OozeArena *arena = s->context->arena;
    if (!s->plan->isotropic_pushes) {
        return OOZE_OK;
    }
    OozePushStress push = {.step = s,
                           .x = x,
                           .edge_x = s->plan->isotropic_shifts ? s->x0 : x,
                           .cubic = ooze_cubic(s->support, s->volume),
                           .inverse2 = 1.0f / (s->support * s->support),
                           .edge_scale = s->plan->strain_scale * s->volume};
    uint64_t chunks = s->n / OOZE_CONFORMATION_GRAIN + 1;
    push.flux = ooze_gathered_alloc(arena, s->local, sizeof *push.flux);
    push.change = ooze_arena_alloc(arena, s->n, sizeof *push.change);
    push.energy = ooze_arena_alloc(arena, chunks, sizeof *push.energy);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the conformation step", s->n * 64);
    }
    OozeHalo *halo = s->context->halo;
    ooze_halo_refresh(halo, x, sizeof *x);
    ooze_halo_refresh(halo, s->density_multiplier, sizeof *s->density_multiplier);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, loops->moments, &push);
    ooze_halo_refresh(halo, push.flux, sizeof *push.flux);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, loops->changes, &push);
    OozePushEnergy all;
    ooze_halo_sums(halo, &push.energy->removed, s->n, OOZE_CONFORMATION_GRAIN,
                   sizeof all / sizeof(double), &all.removed);
    push.factor = ooze_push_stress_factor(all);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, add_range, &push);
    ooze_timer_lap(s->context->timer, "push_stress");
    return OOZE_OK;
}
