/* The operator of the velocity solve, in full and on rounded directions: see methods/conformation/lodge_loops.c. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

/* ---- operator ---- */

/* What a particle hands on along its edges, see hand_on.h: rows of a flux and what goes with them. */
struct Handed {
    float row[9], last[3];
};

OOZE_DEVICE Handed hand_on(const StepView &s, const LodgeView &v, uint32_t i, const RawRows &rows,
                           float4 input, bool known)
{
    OozeSym3 correction = s.correction[i];
    OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, correction);
    OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(l), v.stiffness[i], v.bulk[i]);
    if (known) {
        stress = ooze_sym3_add(stress, v.known[i]);
    }
    OozeMat3 f = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), correction);
    float n = v.hourglass[i];
    Handed handed;
    for (int k = 0; k < 9; k++) {
        handed.row[k] = f.m[k] - n * l.m[k];
    }
    handed.last[0] = n * input.x;
    handed.last[1] = n * input.y;
    handed.last[2] = n * input.z;
    return handed;
}

/* The part of the force that takes no second gather. */
OOZE_DEVICE float4 base_of(const StepView &s, const LodgeView &v, uint32_t i, const RawRows &rows,
                           const Handed &handed, float4 input)
{
    float4 sum = s.edge_sum[i];
    float n = v.hourglass[i], edge_n = v.edge_hourglass[i], rest[3];
    float u[3] = {input.x, input.y, input.z};
    for (int k = 0; k < 3; k++) {
        const float *row = handed.row + 3 * k;
        rest[k] =
            n * rows.weighted[k] - edge_n * u[k] + row[0] * sum.x + row[1] * sum.y + row[2] * sum.z;
    }
    return four(rest[0], rest[1], rest[2]);
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
                Handed handed = hand_on(s, v, i, rows, input[i], known);
                float4 *flux = v.flux + 3 * (uint64_t)i;
                for (int k = 0; k < 3; k++) {
                    const float *row = handed.row + 3 * k;
                    flux[k] = four(row[0], row[1], row[2], handed.last[k]);
                }
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
    OOZE_EACH_KIND(solve->step, PRODUCT);
    ooze_stage_lap(solve->step->context->clock, OOZE_PART_VELOCITY_OPERATOR);
}

/* ---- operator on directions ---- */

/* Packed fluxes end where the others do: what fills up lists is the same for both, and written once. */
static __host__ __device__ uint4 *packed_flux(const StepView &s, const LodgeView &v)
{
    return reinterpret_cast<uint4 *>(v.flux + s.n);
}

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
            Handed handed = hand_on(s, v, i, rows, p, false);
            uint4 own = v.pack.going[i], packed[2];
            uint2 place = {own.x, own.y};
            flux_pack(place, handed.row, packed);
            uint4 *flux = packed_flux(s, v) + 2 * (uint64_t)i;
            flux[0] = packed[0];
            flux[1] = packed[1];
            /* with the rounded rows, so that edges push both ends alike */
            Flux rounded = flux_get(packed[0], packed[1]);
            for (int k = 0; k < 9; k++) {
                handed.row[k] = rounded.unit * rounded.row[k];
            }
            float4 base = base_of(s, v, i, rows, handed, p);
            v.ap[i] = four(base.x + damped[0], base.y + damped[1], base.z + damped[2]);
        });
}

static void packed_product_loop(const Lodge *solve, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    const uint4 *flux = packed_flux(s, v);
    bool searches = off == &v.state->off;
    const float4 *r = searches ? v.r : nullptr;
    Sum3 none = {0.0, 0.0, 0.0};
    NotePap then = {v.state, off, searches};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum3 product = {0.0, 0.0, 0.0};
            if (!*off) {
                float4 force = packed_edges_flux(s, v.pack, flux, i);
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

/* Which coefficients of the hourglass term there are; after they were prepared. */
void pack_hourglass(Lodge *solve)
{
    LodgeView v = solve->view;
    if (v.pack.going) {
        HourglassRange none = {INFINITY, 0.0f};
        Answer<HourglassRange> answer = {const_cast<HourglassRange *>(v.pack.hourglass)};
        sum_each(
            solve->step->m, solve->step->view.n, none,
            OOZE_BODY(uint32_t i) {
                float n = v.hourglass[i];
                HourglassRange range = {n > 0.0f ? n : INFINITY, n};
                return range;
            },
            answer);
    }
}

/* Where the particles are, in steps of the box that they were sorted in. */
void pack_places(Lodge *solve)
{
    Step *step = solve->step;
    StepView s = step->view;
    const Grid *grid = &step->engine->grid;
    PackView p;
    memset(&p, 0, sizeof p);
    if (s.n >= step->engine->pack_from && !step->wraps && s.strain > 0.0f) {
        float widest = 0.0f;
        for (int k = 0; k < 3; k++) {
            p.low[k] = grid->low[k];
            widest = fmaxf(widest, grid->high[k] - grid->low[k]);
        }
        p.step = fmaxf(widest, s.support) / 2097151.0f;
        p.inverse = 1.0f / p.step;
        p.going = scratch<uint4>(step->m, s.n);
        p.hourglass = scratch<HourglassRange>(step->m, 1);
        for_each(
            step->m, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
                p.going[i] = going_pack(place_pack(p, s.x0[i]), four(0, 0, 0), false);
            });
    }
    solve->view.pack = p;
}

} // namespace ooze
