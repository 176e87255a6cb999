/* The method `constraint` as the engine calls it, and its formulation `consistent`: see
   methods/conformation/constraint/cpu/constraint_formulations.c. */
#include "cuda/method.cuh"
#include "methods/conformation/constraint/cuda/constraint.cuh"

namespace ooze
{

/* ---- beginning of the step ---- */

static const OozeConstraintMaterial *send_materials(Step *step)
{
    enum { AT_ONCE = 64 };
    OozeConstraintMaterial chunk[AT_ONCE];
    int count = step->view.plan->row_count;
    OozeConstraintMaterial *all = scratch<OozeConstraintMaterial>(step->gpu, (uint64_t)count);
    for (int k = 0; k < count; k++) {
        chunk[k % AT_ONCE] =
            ooze_constraint_material(&step->view.plan->rheology[k],
                                     step->view.plan->settings.formulation, step->context->dt);
        if (k % AT_ONCE == AT_ONCE - 1 || k + 1 == count) {
            copy_in(step->gpu, all + k / AT_ONCE * AT_ONCE, chunk,
                    (size_t)(k % AT_ONCE + 1) * sizeof *chunk);
        }
    }
    return all;
}

OozeStatus create_constraint(Step *step, OozeError *error)
{
    OozeStatus status = host_memory(step, &step->constraint, error);
    if (status) {
        return status;
    }
    Gpu *gpu = step->gpu;
    const OozeConformationSettings *set = &step->view.plan->settings;
    uint64_t n = step->view.n;
    ConstraintView *c = step->constraint;
    c->materials = send_materials(step);
    c->saved = static_cast<float *>(store_data(&step->engine->store, "multipliers"));
    c->state = step->state;
    c->corotation = set->corotation;
    c->deviatoric_only = set->deviatoric_only;
    c->lambda = scratch<OozeSym3>(gpu, n);
    c->diagonal = scratch<OozeSym3>(gpu, n);
    c->flux = scratch<float4>(gpu, 3 * (n + 1));
    c->base = scratch<float4>(gpu, n);
    clear(gpu, c->flux + 3 * n, 3 * sizeof *c->flux); /* padding of lists */
    return OOZE_OK;
}

/* Further arrays of `consistent` for the whole step. */
static OozeStatus create_consistent(Step *step, OozeError *error)
{
    uint64_t n = step->view.n;
    OozeStatus status = create_constraint(step, error);
    if (status) {
        return status;
    }
    ConstraintView *c = step->constraint;
    c->u_star = scratch<float4>(step->gpu, n);
    copy(step->gpu, c->u_star, step->view.u, (n + 1) * sizeof *c->u_star);
    c->pack = pack_places(step);
    if (c->pack.directions) {
        pack_sums(step, &c->pack);
    }
    return OOZE_OK;
}

/* Arrays of the velocity stage alone. */
static void create_velocity_stage(Step *step)
{
    Gpu *gpu = step->gpu;
    uint64_t n = step->view.n;
    bool plain = step->view.plan->settings.solver == OOZE_CONSTRAINT_JACOBI;
    ConstraintView *c = step->constraint;
    c->known = scratch<OozeSym3>(gpu, n);
    c->before = plain ? nullptr : scratch<OozeSym3>(gpu, n);
    c->free = scratch<float4>(gpu, n);
    c->rows = c->pack.directions ? scratch<OozeSym3>(gpu, n) : nullptr;
}

/* ---- consistent ---- */

template <int LANES, bool WRAPS> static void known_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows raw = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                OozeMat3 l = ooze_mat3_mul_sym3(raw.gradient, sym3_at(s.correction, i));
                l = c.corotation ? l : ooze_mat3_scale(l, 0.0f);
                float share = c.materials[s.material[i]].share;
                sym3_to(c.known, i,
                        ooze_constraint_known(strain_beyond_rest(s, i), l, s.dt, share));
            }
        });
}

static void warm_start_multipliers(Step *step, float share)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const float4 *saved = reinterpret_cast<const float4 *>(c.saved + 8 * (uint64_t)i);
            float4 a = saved[0], b = saved[1];
            OozeSym3 l = ooze_sym3(a.x, a.y, a.z, a.w, b.x, b.y);
            sym3_to(c.lambda, i, ooze_sym3_scale(l, share));
        });
}

static OozeStatus solve_consistent(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    const OozeConformationSettings *set = &step->view.plan->settings;
    const double radius = (double)set->chebyshev;
    OozeStatus status = create_consistent(step, error);
    if (status) {
        return status;
    }
    Mark mark = scratch_mark(step->gpu);
    create_velocity_stage(step);
    find_diagonal(step);
    warm_start_multipliers(step, set->positions_only ? 0.0f : set->warm_start);
#define KNOWN(lanes, wraps) known_loop<lanes, wraps>(step)
    refresh(step->gpu, s->u, sizeof *s->u);
    OOZE_EACH_KIND(step, KNOWN);
    apply_multipliers(step);
    if (!set->positions_only && set->solver == OOZE_CONSTRAINT_CONJUGATE_GRADIENTS) {
        search_velocities(step, set->velocity_iterations, radius, set->tolerance);
    } else if (!set->positions_only) {
        sweep_velocities(step, set->velocity_iterations,
                         set->solver == OOZE_CONSTRAINT_JACOBI ? 0.0 : radius, set->tolerance);
    }
    scratch_rewind(step->gpu, mark);
    return OOZE_OK;
}

template <int LANES, bool WRAPS> static void finish_consistent_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows raw = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeMat3 l = ooze_mat3_mul_sym3(raw.gradient, sym3_at(s.correction, i));
            float tau = s.rheology[s.material[i]].relaxation;
            strain_set(s, i,
                       ooze_constraint_conformation(strain_get(s, i), l, c.corotation, s.dt, tau));
            OozeSym3 lambda = sym3_at(c.lambda, i);
            float4 *saved = reinterpret_cast<float4 *>(c.saved + 8 * (uint64_t)i);
            saved[0] = make_float4(lambda.xx, lambda.yy, lambda.zz, lambda.xy);
            saved[1] = make_float4(lambda.xz, lambda.yz, 0, 0);
        });
}

static void finish_consistent(OozeConformationStep *s)
{
    Step *step = step_of(s);
#define FINISH_CONSISTENT(lanes, wraps) finish_consistent_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, FINISH_CONSISTENT);
}

/* Sweeps of density and of the constraint alternate. */
static OozeStatus positions_consistent(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    DensityJob job = {ooze_conformation_density_job(s), {}};
    if (!step->view.plan->settings.velocity_only) {
        corotated_begin(step, job.iterations);
        job.between = corotated_sweep;
        job.user = step;
    }
    return density_solve(step->engine, &job, s->x, s->shift, error);
}

static const OozeFormulation formulation_consistent = {false, solve_consistent,
                                                       positions_consistent, finish_consistent};

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    bool paper = ooze_conformation_settings(context).formulation == OOZE_FORMULATION_PAPER;
    return conformation_step(engine, data, context,
                             paper ? &formulation_paper : &formulation_consistent, error);
}

const DeviceMethod constraint_method = {
    "constraint", nullptr, conformation_create, conformation_destroy, step, nullptr,
    nullptr,      nullptr, conformation_reach,
};

} // namespace ooze
