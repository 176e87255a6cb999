/* The formulation `paper`: see methods/conformation/constraint/cpu/constraint_formulations.c and
   paper_positions.c. */
#include "methods/conformation/constraint/cuda/constraint.cuh"
#include "methods/conformation/constraint/paper_formula.h"

namespace ooze
{

/* ---- velocities ---- */

static OozeStatus solve_paper(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    const OozeConformationSettings *set = &step->view.plan->settings;
    OozeStatus status = create_constraint(step, error);
    if (status) {
        return status;
    }
    ConstraintView *c = step->constraint;
    c->free = step->view.u; /* there are no contacts in this stage */
    refresh(step->gpu, s->u, sizeof *s->u);
    if (!set->positions_only) {
        clear(step->gpu, c->lambda, step->view.n * sizeof *c->lambda);
        find_plain_diagonal(step);
        ooze_timer_lap(step->context->timer, "prepare");
        sweep_velocities(step, set->velocity_iterations, 0.0, set->tolerance);
    }
    return OOZE_OK;
}

/* ---- positions: eqs 14 to 18, kernel gradients afresh in every sweep ---- */

/* Captured by loop bodies, with the views of the step and of the constraint. */
struct PaperPositions {
    Step *step;
    const float4 *start; /* positions before the stage */
    float4 *x;           /* start + shift; element n is far away */
};

OOZE_DEVICE float4 vector_of(const Delta &d)
{
    return f32x4(d.x, d.y, d.z);
}

template <int LANES, bool WRAPS>
OOZE_DEVICE OozePaperSums sum_fluid(const KernelView &s, const float4 *x, uint32_t i, uint32_t lane)
{
    OozePaperSums sums = {};
    const float4 here = x[i], here0 = s.x0[i];
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        if (j == s.fluid.dummy) {
            return;
        }
        Delta d = delta<WRAPS>(s, here, x[j]), d0 = delta<WRAPS>(s, here0, s.x0[j]);
        const float4 g = edge_weight(s, d.r2) * vector_of(d);
        ooze_paper_add_square(&sums, g, s.mobility[j]);
        ooze_paper_add(&sums, vector_of(d), vector_of(d0), g);
    });
    for (int k = 0; k < 9; k++) {
        sums.moved.m[k] = lanes_sum<LANES>(sums.moved.m[k]);
        sums.resting.m[k] = lanes_sum<LANES>(sums.resting.m[k]);
        sums.covariance.m[k] = lanes_sum<LANES>(sums.covariance.m[k]);
    }
    sums.centre = lanes_sum<LANES>(sums.centre);
    sums.centre0 = lanes_sum<LANES>(sums.centre0);
    sums.edges = lanes_sum<LANES>(sums.edges);
    sums.diagonal = lanes_sum_sym3<LANES>(sums.diagonal);
    sums.count = lanes_sum<LANES>(sums.count);
    return sums;
}

/* Adds the samples of walls that the fluid clung to when the step began. */
OOZE_DEVICE void add_walls(const KernelView &s, const float4 *x, uint32_t i, OozePaperSums *sums)
{
    const float4 here = x[i], here0 = s.x0[i];
    each_wall(s, i, [&](uint32_t b) {
        const float4 end = s.walls.position[b];
        if (wall_weight(s, delta<true>(s, here0, end).r2, b) == 0.0f) {
            return;
        }
        Delta d = delta<true>(s, here, end);
        Delta d0 = delta<true>(s, here0, end - s.dt * s.walls.velocity[b]);
        ooze_paper_add(sums, vector_of(d), vector_of(d0), wall_weight(s, d.r2, b) * vector_of(d));
    });
}

template <int LANES, bool WRAPS> static void multiplier_loop(const PaperPositions *job)
{
    const KernelView s = view_of<KernelView>(job->step);
    const ConstraintView c = *job->step->constraint;
    const OozePaperSwitches acts = {c.corotation, c.deviatoric_only};
    const float4 *x = job->x;
    for_lanes<LANES>(
        job->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            OozePaperSums sums = sum_fluid<LANES, WRAPS>(s, x, i, lane);
            if (lane != 0) {
                return;
            }
            add_walls(s, x, i, &sums);
            ooze_paper_add_square(&sums, sums.edges, s.mobility[i]);
            OozeSym3 lambda = sym3_at(c.lambda, i);
            OozeMat3 t = ooze_paper_sweep(&sums, strain_beyond_rest(s, i), acts,
                                          c.materials[s.material[i]], s.dt, &lambda);
            sym3_to(c.lambda, i, lambda);
            float base[3];
            for (int k = 0; k < 3; k++) {
                const float4 row = f32x4(t.m[3 * k], t.m[3 * k + 1], t.m[3 * k + 2]);
                c.flux[3 * (uint64_t)i + k] = row;
                base[k] = dot(row, sums.edges);
            }
            c.base[i] = f32x4(base[0], base[1], base[2]);
        });
}

template <int LANES, bool WRAPS> static void shift_loop(const PaperPositions *job, float4 *shift)
{
    typedef Printed<LANES, WRAPS> Gather;
    KernelView moved = view_of<KernelView>(job->step);
    moved.x0 = job->x; /* of the edges */
    const KernelView s = moved;
    const ConstraintView c = *job->step->constraint;
    for_lanes<LANES>(
        job->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 push = velocity_change<Gather>(s, c, i, lane);
            if (lane == 0) {
                shift[i] = shift[i] + push;
            }
        });
}

/* One sweep: `between` of the density stage. */
static void sweep_positions(void *user, float4 *shift)
{
    const PaperPositions *job = static_cast<const PaperPositions *>(user);
    Step *step = job->step;
    const uint32_t n = step->view.n;
    const float4 *start = job->start;
    float4 *x = job->x;
    for_each(
        step->gpu, (uint64_t)n + 1, OOZE_BODY(uint32_t i) {
            float4 at = i < n ? start[i] + shift[i] : f32x4(0, 0, 0);
            x[i] = f32x4(at.x, at.y, at.z, i < n ? 0.0f : OOZE_DUMMY_FAR);
        });
#define MULTIPLIERS(lanes, wraps) multiplier_loop<lanes, wraps>(job)
#define SHIFTS(lanes, wraps)      shift_loop<lanes, wraps>(job, shift)
    refresh(step->gpu, x, sizeof *x);
    OOZE_EACH_KIND(step, MULTIPLIERS);
    refresh_part(step->gpu, flux_part(step, false));
    OOZE_EACH_KIND(step, SHIFTS);
}

static OozeStatus positions_paper(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    PaperPositions printed = {step, s->x, nullptr};
    DensityJob job = {ooze_conformation_density_job(s), {}};
    job.drift = nullptr;
    job.density_target = nullptr;
    job.position_only_shift = nullptr;
    job.start = nullptr;
    job.plain = true;
    if (!step->view.plan->settings.velocity_only) {
        OozeSym3 *lambda = step->constraint->lambda; /* that of velocities is no longer needed */
        clear(step->gpu, lambda, step->view.n * sizeof *lambda);
        printed.x = scratch<float4>(step->gpu, step->view.n);
        job.between = sweep_positions;
        job.user = &printed;
    }
    return density_solve(step->engine, &job, s->x, s->shift, error);
}

/* ---- end of the step ---- */

template <int LANES, bool WRAPS> static void finish_loop(Step *step)
{
    const KernelView s = view_of<KernelView>(step);
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows raw = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                float tau = s.rheology[s.material[i]].relaxation;
                strain_set(s, i,
                           ooze_paper_conformation(strain_get(s, i), raw.gradient, s.dt, tau));
            }
        });
}

static void finish_paper(OozeConformationStep *s)
{
    Step *step = step_of(s);
#define FINISH_PAPER(lanes, wraps) finish_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, FINISH_PAPER);
}

const OozeFormulation formulation_paper = {true, solve_paper, positions_paper, finish_paper};

} // namespace ooze
