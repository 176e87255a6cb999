/* Positions at the end of a step: see methods/conformation/cpu/positions.c. */
#include "methods/conformation/cuda/positions.cuh"

#include "cuda/density.cuh"
#include "cuda/machine.cuh"
#include "cuda/rank_sums.cuh"
#include "methods/conformation/bodies/cuda/bodies.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"

namespace ooze
{

OozeStatus solve_density(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    DensityJob job = {ooze_conformation_density_job(s), {}};
    OozeStatus placed = dynamic_density(step, &job, error);
    if (placed) {
        return placed;
    }
    bodies_density(step, &job);
    return density_solve(step->engine, &job, s->x, s->shift, error);
}

void predict(OozeConformationStep *step)
{
    const StepView s = step_of(step)->view;
    for_each(
        step_of(step)->gpu, s.n, OOZE_BODY(uint32_t i) { ooze_step_predict(&s, i); });
}

/* Waits. */
OozeStatus arrive(OozeConformationStep *of, float *distance, OozeError *)
{
    Step *step = step_of(of);
    const StepView s = step->view;
    const SolveState *state = step->state;
    StepEnd *end = step->end;
    const Arrival none = {0.0f, 0.0f};
    StepEnd found = {none, {}};
    const MessageSender sender = message_sender(step->gpu);
    sum_particles(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            const float4 relieved = s.position_only_shift[i];
            s.x[i] = s.x[i] + s.shift[i] + (s.drift[i] + relieved);
            const float4 travel = ooze_step_arrive(&s, i);
            Arrival own = {dot(travel, travel), dot(relieved, relieved)};
            return own;
        },
        OOZE_BODY(Arrival all) {
            const StepEnd now = {all, state->residual};
            *end = now;
            sender(now);
        });
    receive(step->gpu, &found);
    refresh(step->gpu, s.x, sizeof *s.x);
    refresh(step->gpu, s.position_only_shift, sizeof *s.position_only_shift);
    of->residual = found.residual;
    *distance = step->gpu->failed == cudaSuccess ? sqrtf(found.arrival.square) : 0.0f;
    return OOZE_OK;
}

void place_bodies(OozeConformationStep *s)
{
    bodies_place(step_of(s), s->x, s->u);
}

void store(OozeConformationStep *step)
{
    const StepView s = step_of(step)->view;
    const OozeMachineMotion to = ooze_machine_load(step->machine);
    float4 *position = static_cast<float4 *>(to.x), *velocity = static_cast<float4 *>(to.u);
    for_each(
        step_of(step)->gpu, s.n, OOZE_BODY(uint32_t i) {
            float4 at = s.x[i], u = s.u[i];
            position[i] = f32x4(at.x, at.y, at.z);
            velocity[i] = f32x4(u.x, u.y, u.z);
        });
}

} // namespace ooze
