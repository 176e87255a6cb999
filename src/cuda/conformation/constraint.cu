/* The formulations `consistent` and `paper`: see methods/conformation/constraint_formulations.c. */
#include "cuda/conformation/constraint.cuh"

#include "physics/spin.h"

namespace ooze
{

/* ---- beginning of the step ---- */

static const OozeConstraintMaterial *send_materials(Step *step)
{
    enum { AT_ONCE = 64 };
    OozeConstraintMaterial some[AT_ONCE];
    int count = step->plan.row_count;
    OozeConstraintMaterial *all = scratch<OozeConstraintMaterial>(step->m, (uint64_t)count);
    for (int k = 0; k < count; k++) {
        some[k % AT_ONCE] = ooze_constraint_material(
            &step->plan.rheology[k], step->plan.settings.formulation, step->context->dt);
        if (k % AT_ONCE == AT_ONCE - 1 || k + 1 == count) {
            copy_in(step->m, all + k / AT_ONCE * AT_ONCE, some,
                    (size_t)(k % AT_ONCE + 1) * sizeof *some);
        }
    }
    return all;
}

/* What the position stage and the end of the step need as well; the rest is gone after the velocity stage. */
static void create_constraint(Step *step)
{
    Machine *m = step->m;
    const OozeConformationSettings *set = &step->plan.settings;
    uint64_t n = step->view.n;
    ConstraintView *c = step->constraint;
    c->materials = send_materials(step);
    c->printed = set->formulation == OOZE_FORMULATION_PAPER;
    c->deviatoric = set->deviatoric_only;
    c->corotation = set->corotation;
    c->state = step->state;
    c->lambda = scratch<OozeSym3>(m, n);
    c->diagonal = scratch<OozeSym3>(m, n);
    c->flux = scratch<float4>(m, 3 * (n + 1));
    c->base = scratch<float4>(m, n);
    c->star = scratch<float4>(m, n);
    copy(m, c->star, step->view.u, (n + 1) * sizeof *c->star);
    clear(m, c->flux + 3 * n, 3 * sizeof *c->flux); /* what fills up lists */
    c->pack = pack_places(step);
    if (c->pack.going) {
        pack_sums(step, &c->pack);
    }
}

/* The velocity stage's own. */
static void create_velocity_stage(Step *step)
{
    Machine *m = step->m;
    uint64_t n = step->view.n;
    ConstraintView *c = step->constraint;
    c->known = scratch<OozeSym3>(m, n);
    c->before = scratch<OozeSym3>(m, n);
    c->free = scratch<float4>(m, n);
    c->rows = c->pack.going ? scratch<OozeSym3>(m, n) : nullptr;
    if (!c->printed && step->plan.settings.solver == OOZE_CONSTRAINT_CONJUGATE_GRADIENTS) {
        c->direction = scratch<OozeSym3>(m, n);
        c->product = scratch<OozeSym3>(m, n);
        c->change = scratch<float4>(m, n);
        c->active = scratch<uint8_t>(m, n);
        clear(m, c->change + n, sizeof *c->change);
    }
}

/* ---- consistent ---- */

/* The constraint at zero velocity. It knows the rotation of the step: Q turns with it, and what I + W stretches
   beyond a rotation is taken back. */
template <int LANES, bool WRAPS> static void known_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            OozeSym3 stored = strain_beyond_rest(s, i), turn = ooze_sym3_identity(0);
            if (c.corotation) {
                RawRows raw = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
                OozeMat3 l = ooze_mat3_mul_sym3(raw.gradient, sym3_at(s.correction, i));
                OozeSpin w = ooze_spin(l, s.dt, 0.5f);
                stored = ooze_sym3_push(ooze_spin_rotation(w), stored);
                turn = ooze_spin_square(w);
            }
            if (lane == 0) {
                float share = c.materials[s.material[i]].share;
                sym3_to(c.known, i, ooze_sym3_add(ooze_sym3_scale(stored, share), turn));
            }
        });
}

static void recall_multipliers(Step *step, float share)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            const float4 *saved = reinterpret_cast<const float4 *>(s.push + 8 * (uint64_t)i);
            float4 a = saved[0], b = saved[1];
            OozeSym3 l = ooze_sym3(a.x, a.y, a.z, a.w, b.x, b.y);
            sym3_to(c.lambda, i, ooze_sym3_scale(l, share));
        });
}

static void solve_consistent(Step *step)
{
    const OozeConformationSettings *set = &step->plan.settings;
    create_constraint(step);
    Mark mark = scratch_mark(step->m);
    create_velocity_stage(step);
    find_diagonal(step);
    recall_multipliers(step, set->positions_only ? 0.0f : set->warm_start);
#define KNOWN(lanes, wraps) known_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, KNOWN);
    apply_multipliers(step);
    if (set->positions_only) {
        scratch_rewind(step->m, mark);
        return;
    }
    double radius = (double)set->chebyshev;
    if (set->solver == OOZE_CONSTRAINT_CONJUGATE_GRADIENTS) {
        search_velocities(step, set->velocity_iterations, radius, set->tolerance);
    } else {
        bool plain = set->solver == OOZE_CONSTRAINT_JACOBI;
        sweep_velocities(step, set->velocity_iterations, plain ? 0.0 : radius, set->tolerance);
    }
    scratch_rewind(step->m, mark);
}

template <int LANES, bool WRAPS> static void finish_consistent_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows raw = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeMat3 l = ooze_mat3_mul_sym3(raw.gradient, sym3_at(s.correction, i));
            OozeMat3 f = ooze_mat3_add(ooze_mat3_identity(), ooze_mat3_scale(l, s.dt));
            OozeMat3 r = c.corotation ? ooze_polar_rotation(f) : ooze_mat3_identity();
            float tau = s.rheology[s.material[i]].relaxation;
            float kept = tau > 0.0f ? 1.0f / (1.0f + s.dt / tau) : 0.0f;
            OozeSym3 q = ooze_corotated_update(strain_get(s, i), r,
                                               ooze_corotated_strain(f, r, OOZE_MOST_STRAIN), kept);
            strain_set(s, i, ooze_conformation_at_least(q, OOZE_LEAST_STRETCH));
            OozeSym3 lambda = sym3_at(c.lambda, i);
            float4 *saved = reinterpret_cast<float4 *>(s.push + 8 * (uint64_t)i);
            saved[0] = make_float4(lambda.xx, lambda.yy, lambda.zz, lambda.xy);
            saved[1] = make_float4(lambda.xz, lambda.yz, 0, 0);
        });
}

static void finish_consistent(Step *step)
{
#define FINISH_CONSISTENT(lanes, wraps) finish_consistent_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, FINISH_CONSISTENT);
}

/* One sweep of density, one of conformation, in turn. */
static OozeStatus positions_consistent(Step *step, float4 *x, float4 *shift, OozeError *error)
{
    const OozeConformationSettings *set = &step->plan.settings;
    DensityJob job = density_job(step);
    job.iterations = set->position_iterations;
    if (!set->velocity_only) {
        corotated_begin(step, job.iterations);
        job.between = corotated_sweep;
        job.user = step;
    }
    return density_solve(step->engine, &job, x, shift, error);
}

/* ---- paper ---- */

static void solve_paper(Step *step)
{
    const OozeConformationSettings *set = &step->plan.settings;
    Machine *m = step->m;
    create_constraint(step);
    if (set->positions_only) {
        return;
    }
    Mark mark = scratch_mark(m);
    create_velocity_stage(step);
    find_diagonal(step);
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            sym3_to(c.lambda, i, ooze_sym3_identity(0));
            sym3_to(c.known, i, strain_beyond_rest(s, i));
            c.free[i] = s.u[i];
        });
    sweep_velocities(step, set->velocity_iterations, 0.0, set->tolerance);
    scratch_rewind(m, mark);
}

template <int LANES, bool WRAPS> static void finish_paper_loop(Step *step)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows raw = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                float tau = s.rheology[s.material[i]].relaxation;
                OozeMat3 turned = ooze_mat3_transpose(raw.gradient);
                strain_set(s, i, ooze_conformation_implicit(strain_get(s, i), turned, s.dt, tau));
            }
        });
}

static void finish_paper(Step *step)
{
#define FINISH_PAPER(lanes, wraps) finish_paper_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, FINISH_PAPER);
}

static OozeStatus positions_paper(Step *step, float4 *x, float4 *shift, OozeError *error)
{
    const OozeConformationSettings *set = &step->plan.settings;
    Printed printed;
    DensityJob job = density_job(step);
    job.iterations = set->position_iterations;
    job.drift = nullptr;
    job.limit = nullptr;
    job.settled = nullptr;
    job.start = nullptr;
    job.plain = true;
    if (!set->velocity_only) {
        printed_begin(&printed, step, x);
        job.between = printed_sweep;
        job.user = &printed;
    }
    return density_solve(step->engine, &job, x, shift, error);
}

const Formulation formulation_consistent = {solve_consistent, positions_consistent,
                                            finish_consistent};
const Formulation formulation_paper = {solve_paper, positions_paper, finish_paper};

} // namespace ooze
