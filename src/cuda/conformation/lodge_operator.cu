/* The operator of the velocity solve, in full and on rounded directions: see methods/conformation/lodge_loops.c. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

/* ---- operator ---- */

/* The stress of a velocity gradient, handed on. */
OOZE_DEVICE Handed stress_handed(const StepView &s, const LodgeView &v, uint32_t i,
                                 const RawRows &rows, float4 input, bool known)
{
    OozeSym3 correction = s.correction[i];
    OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, correction);
    OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(l), v.stiffness[i], v.bulk[i]);
    if (known) {
        stress = ooze_sym3_add(stress, v.known[i]);
    }
    return hand_on(stress, correction, l, v.hourglass[i], input);
}

OOZE_DEVICE float4 base_of(const StepView &s, const LodgeView &v, uint32_t i, const RawRows &rows,
                           const Handed &handed, float4 input)
{
    return handed_base(handed, s.edge_sum[i], rows, v.hourglass[i], v.edge_hourglass[i], input);
}

template <int LANES, bool WRAPS>
static void stress_loop(const Lodge *solve, const float4 *input, float4 *output, bool known,
                        const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (*off) {
                return;
            }
            RawRows rows = raw_rows<LANES, WRAPS>(s, input, i, lane, known);
            if (lane == 0) {
                Handed handed = stress_handed(s, v, i, rows, input[i], known);
                flux_set(v.flux, i, handed);
                output[i] = base_of(s, v, i, rows, handed, input[i]);
            }
        });
}

/* p.Ap is known, and in an iteration how far to go along p and what of it the next direction keeps. The operator is the
   weights and more, so p.Ap is at least r.r in exact numbers; where it is not, rounding has spoilt the direction, and
   going on would blow it up: a direction that is the residual's own and spoilt ends the iterations. */
struct NotePap {
    SolveState *state;
    const int32_t *off;
    bool searches;
    __device__ void operator()(Sum3 sum) const
    {
        if (*off) {
            return;
        }
        state->pap = sum.a;
        if (searches) {
            bool spoilt = !(sum.a > 0.5 * state->rr);
            double alpha = spoilt ? 0.0 : state->rr / sum.a;
            /* r.r after the stride, from what is known before it: good enough to choose a direction by */
            double next = state->rr - alpha * (2.0 * sum.b - alpha * sum.c);
            state->alpha = alpha;
            state->beta = spoilt || !(next > 0.0) ? 0.0 : next / state->rr;
            state->spoilt = spoilt;
            state->off = spoilt && state->fresh;
        }
    }
};

/* output = weight input - dt force, projected; returns input . output, and where r is given, r . output and output . output over
   the preconditioner. */
OOZE_DEVICE Sum3 weigh(const StepView &s, uint32_t i, float4 input, float4 force, float4 *output,
                       bool held, const float4 *r)
{
    const OozeRheology *m = &s.rheology[s.material[i]];
    float4 out = m->weight * input - s.dt * (force + output[i]);
    out = held ? out : project(s, i, out);
    out.w = 0.0f;
    output[i] = out;
    Sum3 sum = {(double)dot(out, input), 0.0, 0.0};
    if (r) {
        sum.b = (double)(dot(out, r[i]) / m->divisor);
        sum.c = (double)(dot(out, out) / m->divisor);
    }
    return sum;
}

template <int LANES, bool WRAPS>
static void product_loop(const Lodge *solve, const float4 *input, float4 *output, bool held,
                         const int32_t *off)
{
    StepView s = solve->step->view;
    const float4 *flux = solve->view.flux;
    bool searches = off == &solve->view.state->off;
    const float4 *r = searches ? solve->view.r : nullptr;
    Sum3 none = {0.0, 0.0, 0.0};
    NotePap then = {solve->view.state, off, searches};
    sum_lanes<LANES>(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum3 product = {0.0, 0.0, 0.0};
            if (*off) {
                return product;
            }
            float4 force = edges_flux<LANES, WRAPS>(s, flux, i, lane);
            if (lane == 0) {
                product = weigh(s, i, input[i], force, output, held, r);
            }
            return product;
        },
        then);
}

void multiply(Lodge *solve, const float4 *input, float4 *output, bool known, bool held,
              const int32_t *off)
{
#define STRESS(lanes, wraps)  stress_loop<lanes, wraps>(solve, input, output, known, off)
#define PRODUCT(lanes, wraps) product_loop<lanes, wraps>(solve, input, output, held, off)
    OOZE_EACH_KIND(solve->step, STRESS);
    bonds_add(solve->step, input, output, known, off);
    OOZE_EACH_KIND(solve->step, PRODUCT);
    ooze_stage_lap(solve->step->context->clock, OOZE_PART_VELOCITY_OPERATOR);
}

/* ---- operator on directions ---- */

static void packed_stress_loop(const Lodge *solve, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_each(
        solve->step->m, s.n, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            float damped[3];
            RawRows rows = packed_rows(s, v.pack, v.hourglass, i, damped);
            float4 p = v.p[i];
            Handed handed = stress_handed(s, v, i, rows, p, false);
            lean_set(lean_flux(v.flux, s.n), i, handed.row);
            float4 base = base_of(s, v, i, rows, handed, p);
            v.ap[i] = four(base.x + damped[0], base.y + damped[1], base.z + damped[2]);
        });
}

static void packed_product_loop(const Lodge *solve, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    const uint4 *flux = lean_flux(v.flux, s.n);
    bool searches = off == &v.state->off;
    const float4 *r = searches ? v.r : nullptr;
    Sum3 none = {0.0, 0.0, 0.0};
    NotePap then = {v.state, off, searches};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum3 product = {0.0, 0.0, 0.0};
            if (!*off) {
                float4 force = lean_edges_flux(s, v.pack, flux, i);
                product = weigh(s, i, v.p[i], force, v.ap, false, r);
            }
            return product;
        },
        then);
}

void multiply_direction(Lodge *solve, const int32_t *off)
{
    LodgeView v = solve->view;
    if (!v.pack.going) {
        multiply(solve, v.p, v.ap, false, false, off);
        return;
    }
    packed_stress_loop(solve, off);
    bonds_add(solve->step, v.p, v.ap, false, off);
    packed_product_loop(solve, off);
    ooze_stage_lap(solve->step->context->clock, OOZE_PART_VELOCITY_OPERATOR);
}

void pack_direction(Lodge *solve, const int32_t *off)
{
    LodgeView v = solve->view;
    if (v.pack.going) {
        for_each(
            solve->step->m, solve->step->view.n, OOZE_BODY(uint32_t i) {
                if (!*off) {
                    v.p[i] = direction_set(v, i, v.p[i]);
                }
            });
    }
}

} // namespace ooze
