/* Positions at the end of a step, from the solved velocities and the density stage. */
#include "methods/conformation/cpu/positions.h"

#include "base/fail.h"
#include "methods/conformation/step_formula.h"

static void run(OozeConformationStep *s, OozeRangeBody body)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, body, s);
}

static void predict_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        ooze_step_predict(s, i);
    }
}

void ooze_conformation_predict(OozeConformationStep *s)
{
    run(s, predict_range);
}

typedef struct Arrival {
    OozeConformationStep *step;
    float *farthest; /* per chunk, squared */
} Arrival;

static void arrive_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Arrival *arrival = data;
    OozeConformationStep *s = arrival->step;
    float farthest = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        s->x[i] += s->shift[i] + (s->drift[i] + s->position_only_shift[i]);
        OozeF32x4 travel = ooze_step_arrive(s, i);
        farthest = ooze_max(farthest, ooze_f32x4_dot3(travel, travel));
    }
    arrival->farthest[begin / OOZE_CONFORMATION_GRAIN] = farthest;
}

OozeStatus ooze_conformation_arrive(OozeConformationStep *s, float *distance, OozeError *error)
{
    const uint64_t chunks = s->n / OOZE_CONFORMATION_GRAIN + 1;
    Arrival arrival = {s, ooze_arena_alloc(s->context->arena, chunks, sizeof *arrival.farthest)};
    if (!arrival.farthest) {
        return ooze_fail_memory(error, "the conformation step", chunks * sizeof *arrival.farthest);
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, arrive_range, &arrival);
    double all = 0.0;
    for (uint64_t k = 0; k * OOZE_CONFORMATION_GRAIN < s->n; k++) {
        all = fmax(all, (double)arrival.farthest[k]);
    }
    ooze_halo_max(s->context->halo, &all, 1);
    *distance = sqrtf((float)all);
    return OOZE_OK;
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    OozeFloat4 *position = ooze_particles_positions(s->context->particles);
    OozeFloat4 *velocity = ooze_particles_velocities(s->context->particles);
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x = s->x[i], u = s->u[i];
        position[i] = (OozeFloat4){x[0], x[1], x[2], 0};
        velocity[i] = (OozeFloat4){u[0], u[1], u[2], 0};
    }
}

void ooze_conformation_store(OozeConformationStep *s)
{
    run(s, store_range);
}
