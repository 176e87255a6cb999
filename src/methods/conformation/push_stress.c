#include "methods/conformation/push_stress.h"

#include "base/fail.h"

void ooze_push_stress_allocate(OozeConformationStep *s)
{
    s->push_multiplier = NULL;
    if (s->isotropic_pushes) {
        s->push_multiplier =
            ooze_gathered_alloc(s->context->arena, s->n, sizeof *s->push_multiplier);
    }
}

OozeStatus ooze_push_stress_measure(OozeConformationStep *s, OozePushStress *push,
                                    const OozeF32x4 *shift, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    *push = (OozePushStress){.step = s, .shift = shift, .cubic = ooze_cubic(s->support, s->volume)};
    if (!s->push_multiplier) {
        return OOZE_OK;
    }
    push->flux = ooze_gathered_alloc(arena, s->n, sizeof *push->flux);
    push->change = ooze_arena_alloc(arena, s->n, sizeof *push->change);
    push->energy =
        ooze_arena_alloc(arena, s->n / OOZE_CONFORMATION_GRAIN + 1, sizeof *push->energy);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the conformation step", s->n * 64);
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN,
                      ooze_push_stress_loops()->moments, push);
    return OOZE_OK;
}

static void add_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePushStress *push = data;
    for (uint64_t i = begin; i < end; i++) {
        push->step->u[i] += push->factor * push->change[i];
    }
}

void ooze_push_stress_remove(OozePushStress *push)
{
    OozeConformationStep *s = push->step;
    OozeThreads *threads = s->context->threads;
    OozePushEnergy all = {0, 0, 0};
    if (!push->flux) {
        return;
    }
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, ooze_push_stress_loops()->changes,
                      push);
    for (uint64_t k = 0; k * OOZE_CONFORMATION_GRAIN < s->n; k++) {
        all.removed += push->energy[k].removed;
        all.along += push->energy[k].along;
        all.own += push->energy[k].own;
    }
    push->factor = ooze_push_stress_factor(all);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, add_range, push);
}
