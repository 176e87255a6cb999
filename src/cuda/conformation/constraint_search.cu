/* Conjugate gradients on J M^-1 J^T + a, preconditioned by the diagonal: see methods/conformation/constraint_loops.c. */
#include "cuda/conformation/constraint.cuh"

namespace ooze
{

/* Iterations between two looks whether the search has ended. */
enum { SEARCH_BATCH = 4 };

/* What the solids hold now, from the free velocities; both stay so while directions are searched. */
static void set_active(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    if (!s.hold_of) {
        return;
    }
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            uint8_t sticks;
            (void)hold_back(s, c, i, c.free[i], &sticks);
            c.active[i] = sticks;
        });
}

OOZE_DEVICE OozeSym3 preconditioned(const StepView &s, const ConstraintView &c, uint32_t i,
                                    OozeSym3 r)
{
    const OozeConstraintMaterial m = c.materials[s.material[i]];
    /* a step of the multipliers from residual r, which has the compliance in it already */
    return ooze_multiplier_steps(ooze_sym3_scale(r, -1), ooze_sym3_identity(0),
                                 sym3_at(c.diagonal, i), m.normal, m.shear);
}

struct SearchBegun {
    SolveState *state;
    double tolerance;
    __device__ void operator()(Sum3 sum) const
    {
        state->rr = state->rr_first = sum.a;
        bool goes_on = ooze_velocity_solve_begin(&state->residual, sum.b, tolerance);
        state->off = !(goes_on && sum.a > 0.0);
    }
};

/* before = residual, direction = preconditioned residual; in full. */
template <class GATHER> static void residual_loop(Step *step, double tolerance)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    Sum3 none = {0.0, 0.0, 0.0};
    SearchBegun begun = {c.state, tolerance};
    sum_lanes<GATHER::LANES>(
        step->m, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum3 sum = {0.0, 0.0, 0.0};
            OozeSym3 correction = correction_of(s, c, i), r = ooze_sym3_identity(0);
            OozeSym3 rows = GATHER::rows(s, c, i, lane, correction, true);
            if (lane == 0) {
                const OozeConstraintMaterial m = c.materials[s.material[i]];
                if (correction.xx != 0.0f) {
                    r = ooze_constraint_residual(limited(c, rows), sym3_at(c.lambda, i), m.normal,
                                                 m.shear);
                }
                OozeSym3 p = preconditioned(s, c, i, r);
                sym3_to(c.before, i, r);
                sym3_to(c.direction, i, p);
                sum.a = (double)ooze_constraint_dot(r, p);
                sum.b = (double)ooze_constraint_dot(r, r);
            }
            return sum;
        },
        begun);
}

template <class GATHER> static void change_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (c.state->off) {
                return;
            }
            float4 v = pushed_by<GATHER>(s, c, i, lane);
            if (lane != 0) {
                return;
            }
            if (s.hold_of && s.hold_of[i] >= 0) {
                const Hold *hold = &s.holds[s.hold_of[i]];
                for (int k = 0; k < hold->count; k++) {
                    float4 d = hold->direction[k];
                    float along = c.active[i] >> k & 1 ? dot(v, d) : 0.0f;
                    v = v - along * d;
                }
            }
            GATHER::set_change(s, c, i, v);
        });
}

/* Rounding may have eaten the direction, or held particles contradict each other. */
struct SearchFound {
    SolveState *state;
    __device__ void operator()(Sum1 pap) const
    {
        if (!state->off) {
            bool grown = !(state->rr < OOZE_CONSTRAINT_GROWTH * state->rr_first);
            state->off = !(pap.a > 0.0) || grown;
            state->alpha = state->rr / pap.a;
        }
    }
};

template <class GATHER> static void search_product_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    Sum1 none = {0.0};
    SearchFound found = {c.state};
    sum_lanes<GATHER::LANES>(
        step->m, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 sum = {0.0};
            if (c.state->off) {
                return sum;
            }
            RawRows raw = GATHER::changes(s, c, i, lane);
            if (lane == 0) {
                const OozeConstraintMaterial m = c.materials[s.material[i]];
                OozeSym3 correction = correction_of(s, c, i), out = ooze_sym3_identity(0);
                OozeSym3 p = sym3_at(c.direction, i);
                if (correction.xx != 0.0f) {
                    OozeSym3 a = limited(c, strain_rows(s, correction, raw));
                    out = ooze_sym3_scale(ooze_constraint_residual(a, p, m.normal, m.shear), -1);
                }
                sym3_to(c.product, i, out);
                sum.a = (double)ooze_constraint_dot(p, out);
            }
            return sum;
        },
        found);
}

struct SearchAdvanced {
    SolveState *state;
    __device__ void operator()(Sum3 sum) const
    {
        if (!state->off) {
            state->beta = sum.a / state->rr;
            state->rr = sum.a;
            bool goes_on = ooze_velocity_solve_go_on(&state->residual, sum.b);
            state->off = !(goes_on && sum.a > 0.0);
        }
    }
};

static void advance_search(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    Sum3 none = {0.0, 0.0, 0.0};
    SearchAdvanced advanced = {c.state};
    sum_each(
        step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum3 sum = {0.0, 0.0, 0.0};
            if (c.state->off) {
                return sum;
            }
            float alpha = (float)c.state->alpha;
            OozeSym3 way = ooze_sym3_scale(sym3_at(c.direction, i), alpha);
            OozeSym3 less = ooze_sym3_scale(sym3_at(c.product, i), -alpha);
            OozeSym3 r = ooze_sym3_add(sym3_at(c.before, i), less);
            sym3_to(c.lambda, i, ooze_sym3_add(sym3_at(c.lambda, i), way));
            sym3_to(c.before, i, r);
            s.u[i] = s.u[i] + alpha * c.change[i];
            sum.a = (double)ooze_constraint_dot(r, preconditioned(s, c, i, r));
            sum.b = (double)ooze_constraint_dot(r, r);
            return sum;
        },
        advanced);
}

/* The next direction, or what it hands on alone at the `first`. */
template <class GATHER> static void turn_search(Step *step, bool first)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            if (c.state->off) {
                return;
            }
            OozeSym3 p = sym3_at(c.direction, i);
            if (!first) {
                OozeSym3 past = ooze_sym3_scale(p, (float)c.state->beta);
                p = ooze_sym3_add(preconditioned(s, c, i, sym3_at(c.before, i)), past);
                sym3_to(c.direction, i, p);
            }
            set_flux<GATHER>(s, c, i, correction_of(s, c, i), p);
        });
}

static void search(Step *step, int iterations, double tolerance)
{
    OozeStageClock *clock = step->context->clock;
    const int32_t *off = &step->state->off;
#define RESIDUAL(lanes, wraps) residual_loop<Full<lanes, wraps>>(step, tolerance)
#define CHANGE(...)            change_loop<__VA_ARGS__>(step)
#define SEARCHED(...)          search_product_loop<__VA_ARGS__>(step)
#define TURN(...)              turn_search<__VA_ARGS__>(step, k < 0)
    set_active(step);
    OOZE_EACH_KIND(step, RESIDUAL);
    int k = -1;
    OOZE_EACH_GATHER(step, TURN);
    ooze_stage_more(clock, OOZE_PART_VELOCITY_VECTORS);
    for (k = 0; k < iterations; k++) {
        if (k % SEARCH_BATCH == 0 && !watch_goes_on(step->m, k / SEARCH_BATCH, off)) {
            break;
        }
        OOZE_EACH_GATHER(step, CHANGE);
        OOZE_EACH_GATHER(step, SEARCHED);
        ooze_stage_lap(clock, OOZE_PART_VELOCITY_OPERATOR);
        advance_search(step);
        OOZE_EACH_GATHER(step, TURN);
        ooze_stage_lap(clock, OOZE_PART_VELOCITY_VECTORS);
    }
    apply_multipliers(step);
}

/* Whether solids hold any particle: waits for it. */
static bool any_held(Step *step)
{
    StepView s = step->view;
    if (!step->any_holds) {
        return false;
    }
    Most1 none = {0.0f};
    Most1 held = sum_now(
        step->m, s.n, none, OOZE_BODY(uint32_t i) {
            Most1 one = {s.hold_of[i] >= 0 ? 1.0f : 0.0f};
            return one;
        });
    return held.a > 0.0f;
}

/* See conjugate_gradients of constraint_loops.c. */
void search_velocities(Step *step, int iterations, double radius, double tolerance)
{
    if (any_held(step)) {
        int third = iterations / 3;
        sweep_velocities(step, third, radius, tolerance);
        search(step, third, tolerance);
        iterations -= 2 * third;
    }
    search(step, iterations, tolerance);
}

} // namespace ooze
