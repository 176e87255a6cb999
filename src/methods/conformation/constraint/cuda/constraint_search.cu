/* Conjugate gradients on J M^-1 J^T + a, the multipliers of the velocity constraint, preconditioned
   by the diagonal, in full precision: see
   methods/conformation/constraint/cpu/constraint_loops.c. */
#include "methods/conformation/constraint/cuda/constraint.cuh"

namespace ooze
{

/* Captured by loop bodies, with the views of the step and of the constraint, whose `before` holds
   the residual. */
struct SearchView {
    OozeSym3 *direction;
    OozeSym3 *product; /* matrix times direction */
    float4 *change;    /* M^-1 J^T direction; of element n 0 */
    uint8_t *active;   /* per contact set: see ooze_contact_velocity */
};

OOZE_DEVICE OozeSym3 preconditioned(const StepView &s, const ConstraintView &c, uint32_t i,
                                    OozeSym3 r)
{
    const OozeConstraintMaterial m = c.materials[s.material[i]];
    return ooze_constraint_preconditioned(r, sym3_at(c.diagonal, i), m.normal, m.shear);
}

/* Active directions of all contacts from the free velocities; they stay active while directions
   are searched. */
static void set_active(Step *step, SearchView v)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    if (s.contact_of) {
        for_each(
            step->gpu, s.n, OOZE_BODY(uint32_t i) {
                const OozeContactSet *set = ooze_step_contacts(&s, i);
                if (set) {
                    ooze_contact_velocity(set, c.free[i], &v.active[s.contact_of[i]]);
                }
            });
    }
}

/* ---- beginning: residual, and direction = preconditioned residual ---- */

struct SearchStart {
    SolveState *state;
    double tolerance;
    __device__ void operator()(CgSums sums) const
    {
        /* directions end where rounding dominates them, or contacts contradict each other */
        state->min_curvature = 0.0;
        state->max_growth = OOZE_CONSTRAINT_GROWTH;
        state->restarts = false;
        ooze_cg_begin(state, sums.rz, sums.square, tolerance);
    }
};

template <int LANES, bool WRAPS>
static void residual_loop(Step *step, SearchView v, double tolerance)
{
    typedef Full<LANES, WRAPS> Gather;
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    CgSums none = {0.0, 0.0};
    SearchStart start = {c.state, tolerance};
    sum_particles_lanes<LANES>(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            CgSums sums = {0.0, 0.0};
            OozeSym3 correction = sym3_at(s.correction, i), r = ooze_sym3_identity(0);
            OozeSym3 rows = Gather::rows(s, c, i, lane, correction, true);
            if (lane == 0) {
                if (correction.xx != 0.0f) {
                    const OozeConstraintMaterial m = c.materials[s.material[i]];
                    rows = ooze_constraint_limited(rows, c.deviatoric_only);
                    r = ooze_constraint_residual(rows, sym3_at(c.lambda, i), m.normal, m.shear);
                }
                OozeSym3 z = preconditioned(s, c, i, r);
                sym3_to(c.before, i, r);
                sym3_to(v.direction, i, z);
                sums.rz = (double)ooze_constraint_dot(r, z);
                sums.square = (double)ooze_constraint_dot(r, r);
                set_flux<Gather>(s, c, i, correction, z);
            }
            return sums;
        },
        start);
}

/* ---- iterations ---- */

template <int LANES, bool WRAPS> static void change_loop(Step *step, SearchView v)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (c.state->off) {
                return;
            }
            float4 by = velocity_change<Full<LANES, WRAPS>>(s, c, i, lane);
            if (lane == 0) {
                const OozeContactSet *set = ooze_step_contacts(&s, i);
                v.change[i] = set ? ooze_contact_project(set, by, v.active[s.contact_of[i]]) : by;
            }
        });
}

template <int LANES, bool WRAPS> static void product_loop(Step *step, SearchView v)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    Sum1 none = {0.0};
    CgStepLength found = {c.state};
    sum_particles_lanes<LANES>(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 sum = {0.0};
            if (c.state->off) {
                return sum;
            }
            RawRows raw = raw_rows<LANES, WRAPS>(s, v.change, i, lane, false);
            if (lane == 0) {
                const OozeConstraintMaterial m = c.materials[s.material[i]];
                OozeSym3 correction = sym3_at(s.correction, i), out = ooze_sym3_identity(0);
                OozeSym3 p = sym3_at(v.direction, i);
                if (correction.xx != 0.0f) {
                    OozeSym3 rows = strain_rows(s, correction, raw);
                    rows = ooze_constraint_limited(rows, c.deviatoric_only);
                    out = ooze_sym3_scale(ooze_constraint_residual(rows, p, m.normal, m.shear), -1);
                }
                sym3_to(v.product, i, out);
                sum.a = (double)ooze_constraint_dot(p, out);
            }
            return sum;
        },
        found);
}

static void advance_search(Step *step, SearchView v)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    CgSums none = {0.0, 0.0};
    CgIterated iterated = {c.state};
    sum_particles(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            CgSums sums = {0.0, 0.0};
            if (!c.state->off) {
                const float alpha = (float)c.state->alpha;
                OozeSym3 p = sym3_at(v.direction, i), ap = sym3_at(v.product, i);
                OozeSym3 r = ooze_sym3_add(sym3_at(c.before, i), ooze_sym3_scale(ap, -alpha));
                sym3_to(c.lambda, i,
                        ooze_sym3_add(sym3_at(c.lambda, i), ooze_sym3_scale(p, alpha)));
                s.u[i] = s.u[i] + alpha * v.change[i];
                sym3_to(c.before, i, r);
                sums.rz = (double)ooze_constraint_dot(r, preconditioned(s, c, i, r));
                sums.square = (double)ooze_constraint_dot(r, r);
            }
            return sums;
        },
        iterated);
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!c.state->off) {
                OozeSym3 z = preconditioned(s, c, i, sym3_at(c.before, i));
                OozeSym3 last = ooze_sym3_scale(sym3_at(v.direction, i), (float)c.state->beta);
                OozeSym3 p = ooze_sym3_add(z, last);
                sym3_to(v.direction, i, p);
                set_flux<Full<1, false>>(s, c, i, sym3_at(s.correction, i), p);
            }
        });
    refresh_part(step->gpu, flux_part(step, false));
}

static void search(Step *step, SearchView v, int iterations, double tolerance)
{
    OozeStepTimer *timer = step->context->timer;
#define RESIDUALS(lanes, wraps) residual_loop<lanes, wraps>(step, v, tolerance)
#define CHANGES(lanes, wraps)   change_loop<lanes, wraps>(step, v)
#define PRODUCTS(lanes, wraps)  product_loop<lanes, wraps>(step, v)
    set_active(step, v);
    refresh_with_sum(step->gpu, flux_part(step, false));
    OOZE_EACH_KIND(step, RESIDUALS);
    ooze_timer_add(timer, "velocity_vectors");
    conjugate_gradients(step->gpu, step->state, iterations, [&]() {
        OOZE_EACH_KIND(step, CHANGES);
        refresh(step->gpu, v.change, sizeof *v.change);
        OOZE_EACH_KIND(step, PRODUCTS);
        ooze_timer_lap(timer, "velocity_operator");
        advance_search(step, v);
        ooze_timer_lap(timer, "velocity_vectors");
    });
    apply_multipliers(step);
}

/* Whether some particle, of any rank, is in contact. Waits. */
static bool has_contacts(const Step *step)
{
    const int32_t *contact_of = step->view.contact_of;
    Sum1 none = {0.0}, count = none;
    if (contact_of) {
        count = sum_particles_to_host(
            step->gpu, step->view.n, none, OOZE_BODY(uint32_t i) {
                Sum1 one = {contact_of[i] >= 0 ? 1.0 : 0.0};
                return one;
            });
    }
    return count.a > 0.0;
}

void search_velocities(Step *step, int iterations, double radius, double tolerance)
{
    Gpu *gpu = step->gpu;
    uint64_t n = step->view.n;
    SearchView v = {scratch<OozeSym3>(gpu, n), scratch<OozeSym3>(gpu, n), scratch<float4>(gpu, n),
                    scratch<uint8_t>(gpu, step->view.contact_room)};
    clear(gpu, v.change + n, sizeof *v.change);
    if (has_contacts(step)) {
        int third = iterations / 3;
        sweep_velocities(step, third, radius, tolerance);
        search(step, v, third, tolerance);
        iterations -= 2 * third;
    }
    search(step, v, iterations, tolerance);
}

} // namespace ooze
