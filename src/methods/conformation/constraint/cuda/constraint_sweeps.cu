/* Jacobi and Chebyshev on the velocity constraint: see
   methods/conformation/constraint/cpu/constraint_loops.c. */
#include "methods/conformation/constraint/cuda/constraint.cuh"

namespace ooze
{

/* Iterations between two checks by the host. */
enum { SWEEP_BATCH = 4 };

/* ---- ghosts ---- */

RefreshedPart flux_part(const Step *step, bool packed)
{
    const ConstraintView *c = step->constraint;
    const size_t size = packed ? 2 * sizeof(uint4) : 3 * sizeof *c->flux;
    void *flux = packed ? static_cast<void *>(packed_flux(c->flux, (uint32_t)step->view.n))
                        : static_cast<void *>(c->flux);
    return {flux, size, size, 0, nullptr};
}

/* Velocities, or their rounded changes, that the next sweep reads at neighbours. */
static void refresh_velocities(Step *step)
{
    const ConstraintView *c = step->constraint;
    if (is_packed(step)) {
        refresh(step->gpu, c->pack.directions, sizeof *c->pack.directions);
    } else {
        refresh(step->gpu, step->view.u, sizeof *step->view.u);
    }
}

/* ---- beginning ---- */

template <class GATHER> static void apply_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 push = velocity_change<GATHER>(s, c, i, lane);
            if (lane == 0) {
                float4 v = c.u_star[i] + push;
                c.free[i] = v;
                s.u[i] = contact_velocity(s, i, v);
            }
        });
}

/* In full precision: removes the rounding errors of packed iterations. */
void apply_multipliers(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            set_flux<Full<1, false>>(s, c, i, sym3_at(s.correction, i), sym3_at(c.lambda, i));
        });
#define APPLY(lanes, wraps) apply_loop<Full<lanes, wraps>>(step)
    refresh_part(step->gpu, flux_part(step, false));
    OOZE_EACH_KIND(step, APPLY);
    refresh(step->gpu, s.u, sizeof *s.u);
    ooze_timer_lap(step->context->timer, "prepare");
}

template <class GATHER> static void begin_rows_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            OozeSym3 rows = GATHER::rows(s, c, i, lane, sym3_at(s.correction, i), true);
            if (lane == 0) {
                sym3_to(c.rows, i, rows);
            }
        });
}

/* ---- sweeps ---- */

/* The velocities of the last sweep are still updated, so that they match the multipliers. */
struct SweepFound {
    SolveState *state;
    bool first;
    double tolerance;
    __device__ void operator()(Sum1 sum) const
    {
        state->again_off = state->off;
        if (state->off) {
            return;
        }
        if (first) {
            ooze_solve_residual_begin(&state->residual, sum.a, tolerance);
        }
        state->off = !ooze_solve_residual_iterated(&state->residual, sum.a);
    }
};

OOZE_DEVICE double residual_square(const StepView &s, const ConstraintView &c, uint32_t i,
                                   OozeSym3 rows, OozeSym3 lambda)
{
    const OozeConstraintMaterial m = c.materials[s.material[i]];
    OozeSym3 r = ooze_constraint_residual(rows, lambda, m.normal, m.shear);
    return (double)ooze_constraint_dot(r, r);
}

/* Changes the multipliers by a Jacobi step with Chebyshev weight; returns the change. */
OOZE_DEVICE OozeSym3 change_multipliers(const StepView &s, const ConstraintView &c, uint32_t i,
                                        OozeSym3 rows, OozeSym3 lambda, float weight)
{
    const OozeConstraintMaterial m = c.materials[s.material[i]];
    OozeSym3 change =
        ooze_multiplier_steps(rows, lambda, sym3_at(c.diagonal, i), m.normal, m.shear);
    if (weight != 1.0f) {
        change = ooze_chebyshev_change(change, lambda, sym3_at(c.before, i), weight);
    }
    if (c.before) {
        sym3_to(c.before, i, lambda);
    }
    sym3_to(c.lambda, i, ooze_sym3_add(lambda, change));
    return change;
}

template <class GATHER> static void multiplier_loop(Step *step, float weight, SweepFound found)
{
    const typename GATHER::View s = GATHER::view(step);
    ConstraintView c = *step->constraint;
    bool first = found.first;
    Sum1 none = {0.0};
    sum_particles_lanes<GATHER::LANES>(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 sum = {0.0};
            if (c.state->off) {
                return sum;
            }
            OozeSym3 correction = GATHER::correction(s, i), change = ooze_sym3_identity(0);
            OozeSym3 rows = ooze_constraint_limited(GATHER::rows(s, c, i, lane, correction, first),
                                                    c.deviatoric_only);
            if (lane == 0) {
                if (correction.xx != 0.0f) {
                    OozeSym3 lambda = sym3_at(c.lambda, i);
                    sum.a = residual_square(s, c, i, rows, lambda);
                    change = change_multipliers(s, c, i, rows, lambda, weight);
                }
                set_flux<GATHER>(s, c, i, correction, change);
            }
            return sum;
        },
        found);
}

template <class GATHER> static void velocity_loop(Step *step)
{
    const typename GATHER::View s = GATHER::view(step);
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (c.state->again_off) {
                return;
            }
            float4 push = velocity_change<GATHER>(s, c, i, lane);
            if (lane == 0) {
                float4 v = c.free[i] + push;
                c.free[i] = v;
                GATHER::move_to(s, c, i, contact_velocity(s, i, v));
            }
        });
}

struct ResidualFound {
    SolveState *state;
    __device__ void operator()(Sum1 sum) const
    {
        if (!state->off) {
            state->residual.current = sum.a;
        }
    }
};

template <class GATHER> static void residual_loop(Step *step)
{
    const typename GATHER::View s = GATHER::view(step);
    ConstraintView c = *step->constraint;
    Sum1 none = {0.0};
    ResidualFound found = {c.state};
    sum_particles_lanes<GATHER::LANES>(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 sum = {0.0};
            if (c.state->off) {
                return sum;
            }
            OozeSym3 correction = GATHER::correction(s, i);
            OozeSym3 rows = ooze_constraint_limited(GATHER::rows(s, c, i, lane, correction, false),
                                                    c.deviatoric_only);
            if (lane == 0 && correction.xx != 0.0f) {
                sum.a = residual_square(s, c, i, rows, sym3_at(c.lambda, i));
            }
            return sum;
        },
        found);
}

void sweep_velocities(Step *step, int iterations, double radius, double tolerance)
{
    OozeStepTimer *timer = step->context->timer;
    SolveState *state = step->state;
    double square = radius * radius, weight = 1.0;
#define BEGIN_ROWS(lanes, wraps) begin_rows_loop<Full<lanes, wraps>>(step)
#define MULTIPLIERS(...)         multiplier_loop<__VA_ARGS__>(step, (float)weight, found)
#define VELOCITIES(...)          velocity_loop<__VA_ARGS__>(step)
#define RESIDUAL(...)            residual_loop<__VA_ARGS__>(step)
    clear(step->gpu, &state->off, sizeof state->off);
    if (iterations > 0 && step->constraint->pack.directions) {
        OOZE_EACH_KIND(step, BEGIN_ROWS);
    }
    for (int k = 0; k < iterations; k++) {
        if (k % SWEEP_BATCH == 0 && !poll_unfinished(step->gpu, k / SWEEP_BATCH, &state->off)) {
            break;
        }
        weight = ooze_chebyshev_weight(k, square, weight);
        SweepFound found = {state, k == 0, tolerance};
        refresh_with_sum(step->gpu, flux_part(step, is_packed(step)));
        OOZE_EACH_GATHER(step, MULTIPLIERS);
        OOZE_EACH_GATHER(step, VELOCITIES);
        refresh_velocities(step);
        ooze_timer_lap(timer, "velocity_iteration");
    }
    if (is_packed(step)) {
        refresh(step->gpu, step->view.u, sizeof *step->view.u);
    }
    if (iterations > 0) { /* residual after the last sweep */
        OOZE_EACH_GATHER(step, RESIDUAL);
        ooze_timer_add(timer, "velocity_iteration");
    }
}

} // namespace ooze
