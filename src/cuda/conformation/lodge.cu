/* The implicit velocity solve: see methods/conformation/lodge.c, whose steps these are. */
#include "cuda/conformation/lodge.cuh"

#include "physics/spin.h"
#include "physics/yield.h"

namespace ooze
{

/* Passes before the last only tell what the next is linearised about. */
static const double ROUGH = 10.0;

/* Iterations between two looks whether the solve has ended. */
enum { BATCH = 4 };

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

/* p.Ap is known. The operator is the weights and more, so it is at least r.r in exact numbers; where it is not,
   rounding has spoilt the direction, and going on would blow it up: a direction that is the residual's own and
   spoilt ends the iterations. */
struct NotePap {
    SolveState *state;
    const int32_t *off;
    bool judges;
    __device__ void operator()(Sum1 sum) const
    {
        if (*off) {
            return;
        }
        state->pap = sum.a;
        if (judges) {
            state->spoilt = !(state->pap > 0.5 * state->rr);
            state->off = state->spoilt && state->fresh;
        }
    }
};

/* output = weight input - dt force, projected; returns input . output. */
OOZE_DEVICE double weigh(const StepView &s, uint32_t i, float4 input, float4 force, float4 *output,
                         bool held)
{
    float weight = s.rheology[s.material[i]].weight;
    float4 out = weight * input - s.dt * (force + output[i]);
    out = held ? out : project(s, i, out);
    out.w = 0.0f;
    output[i] = out;
    return (double)dot(out, input);
}

template <int LANES, bool WRAPS>
static void product_loop(const Lodge *solve, const float4 *input, float4 *output, bool held,
                         const int32_t *off)
{
    StepView s = solve->step->view;
    const float4 *flux = solve->view.flux;
    Sum1 none = {0.0};
    NotePap then = {solve->view.state, off, off == &solve->view.state->off};
    sum_lanes<LANES>(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum1 product = {0.0};
            if (*off) {
                return product;
            }
            float4 force = edges_flux<LANES, WRAPS>(s, flux, i, lane);
            if (lane == 0) {
                product.a = weigh(s, i, input[i], force, output, held);
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
            RawRows rows = packed_rows(s, v.pack, i);
            float4 p = v.p[i];
            Handed handed = hand_on(s, v, i, rows, p, false);
            uint4 packed[2];
            flux_pack(handed.row, handed.last, packed);
            uint4 *flux = packed_flux(s, v) + 2 * (uint64_t)i;
            flux[0] = packed[0];
            flux[1] = packed[1];
            /* with the rounded rows, so that edges push both ends alike */
            Flux rounded = flux_get(packed[0], packed[1]);
            for (int k = 0; k < 9; k++) {
                handed.row[k] = rounded.unit * rounded.row[k];
            }
            v.ap[i] = base_of(s, v, i, rows, handed, p);
        });
}

static void packed_product_loop(const Lodge *solve, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    const uint4 *flux = packed_flux(s, v);
    Sum1 none = {0.0};
    NotePap then = {v.state, off, off == &v.state->off};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 product = {0.0};
            if (!*off) {
                float4 force = packed_edges_flux(s, v.pack, flux, i);
                product.a = weigh(s, i, v.p[i], force, v.ap, false);
            }
            return product;
        },
        then);
}

void multiply_direction(Lodge *solve, const int32_t *off)
{
    LodgeView v = solve->view;
    if (!v.pack.places) {
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
    if (v.pack.places) {
        for_each(
            solve->step->m, solve->step->view.n, OOZE_BODY(uint32_t i) {
                if (!*off) {
                    v.pack.going[i] = going_pack(v.pack.places[i], v.p[i]);
                    v.p[i] = going_vector(v.pack.going[i]);
                }
            });
    }
}

/* Where the particles are, in steps of the box that they were sorted in. */
static void pack_places(Lodge *solve)
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
        p.places = scratch<uint2>(step->m, s.n);
        p.going = scratch<uint4>(step->m, s.n);
        for_each(
            step->m, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
                p.places[i] = place_pack(p, s.x0[i]);
                p.going[i] = going_pack(p.places[i], four(0, 0, 0));
            });
    }
    solve->view.pack = p;
}

/* ---- conjugate gradients ---- */

struct Begin { /* of a pass, once the residual is known */
    SolveState *state;
    double tolerance;
    __device__ void operator()(Sum1 sum) const
    {
        state->rr = sum.a;
        state->fresh = 1;
        state->spoilt = 0;
        state->off = !ooze_velocity_solve_begin(&state->residual, sum.a, tolerance);
    }
};

/* r = b - A u, with b = weight u*: ap holds A u. */
static void begin(Lodge *solve, double tolerance)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    Begin then = {v.state, tolerance};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            const OozeRheology *m = &s.rheology[s.material[i]];
            float4 r = project(s, i, m->weight * v.star[i]) - v.ap[i];
            r.w = 0.0f;
            float4 p = four(r.x / m->divisor, r.y / m->divisor, r.z / m->divisor);
            v.r[i] = r;
            Sum1 sum = {(double)dot(r, p)};
            if (v.pack.places) {
                uint4 packed = going_pack(v.pack.places[i], p);
                v.pack.going[i] = packed;
                p = going_vector(packed);
            }
            v.p[i] = p;
            return sum;
        },
        then);
}

struct Advanced {
    SolveState *state;
    AdvanceKind kind;
    const int32_t *off;
    __device__ void operator()(Sum1 sum) const
    {
        if (*off) {
            return;
        }
        if (kind == ADVANCE_RECALL) {
            state->rr = sum.a;
            state->off = !ooze_velocity_solve_look(&state->residual, sum.a);
            return;
        }
        state->beta = state->spoilt ? 0.0 : sum.a / state->rr;
        state->rr = state->spoilt ? state->rr : sum.a;
        state->fresh = state->spoilt;
        state->off = !ooze_velocity_solve_go_on(&state->residual, state->rr);
    }
};

/* How far to go along p. */
OOZE_DEVICE double stride(SolveState state, AdvanceKind kind)
{
    if (kind == ADVANCE_RECALL) {
        return state.alpha;
    }
    return state.spoilt ? 0.0 : state.rr / state.pap;
}

void advance(Lodge *solve, AdvanceKind kind, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    Advanced then = {v.state, kind, off};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (*off) {
                return sum;
            }
            float alpha = (float)stride(*v.state, kind);
            float4 r = v.r[i] - alpha * v.ap[i];
            s.u[i] = s.u[i] + alpha * v.p[i];
            v.r[i] = r;
            sum.a = (double)(dot(r, r) / s.rheology[s.material[i]].divisor);
            return sum;
        },
        then);
}

void turn(Lodge *solve, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_each(
        solve->step->m, s.n, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            float beta = (float)v.state->beta, divisor = s.rheology[s.material[i]].divisor;
            float4 r = v.r[i], p = v.p[i];
            p = four(r.x / divisor + beta * p.x, r.y / divisor + beta * p.y,
                     r.z / divisor + beta * p.z);
            if (v.pack.places) {
                uint4 packed = going_pack(v.pack.places[i], p);
                v.pack.going[i] = packed;
                p = going_vector(packed);
            }
            v.p[i] = p;
        });
}

static void conjugate_gradients(Lodge *solve, int pass)
{
    Step *step = solve->step;
    const OozeConformationSettings *set = &step->plan.settings;
    LodgeView v = solve->view;
    const int32_t *off = &v.state->off;
    bool last = pass + 1 == set->passes;
    int32_t *never = &v.state->again_off;
    clear(step->m, never, sizeof *never);
    multiply(solve, step->view.u, v.ap, true, false, never);
    begin(solve, (last ? 1.0 : ROUGH) * set->tolerance);
    ooze_stage_more(step->context->clock, OOZE_PART_VELOCITY_VECTORS);
    if (set->velocity_iterations > 0 && (pass == 0 || step->any_holds)) {
        recall(solve, pass);
    }
    for (int k = 0; k < set->velocity_iterations; k++) {
        if (k % BATCH == 0 && !watch_goes_on(step->m, k / BATCH, off)) {
            break;
        }
        multiply_direction(solve, off);
        advance(solve, ADVANCE_ITERATION, off);
        turn(solve, off);
        ooze_stage_lap(step->context->clock, OOZE_PART_VELOCITY_VECTORS);
    }
}

/* ---- contact ---- */

/* Held directions take the velocity of the surface. */
static void hold_velocities(Step *step)
{
    StepView s = step->view;
    if (!s.hold_of) {
        return;
    }
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            if (s.hold_of[i] >= 0) {
                const Hold *hold = &s.holds[s.hold_of[i]];
                float4 v = project(s, i, s.u[i]);
                for (int k = 0; k < hold->count; k++) {
                    v = v + hold->direction[k].w * hold->direction[k];
                }
                v.w = 0.0f;
                s.u[i] = v;
            }
        });
}

/* A solid pushes and does not pull, and friction holds up to its coefficient times the push: see let_go of lodge.c. */
OOZE_DEVICE float4 let_go(Hold *hold, float4 given)
{
    float push = 0;
    int kept = 0;
    for (int k = 0; k < hold->normals; k++) {
        float along = dot(given, hold->direction[k]);
        if (along >= 0.0f) {
            push += along;
            hold->direction[kept++] = hold->direction[k];
        }
    }
    float4 drag = four(0, 0, 0);
    for (int k = hold->normals; k < hold->count; k++) {
        drag = drag + dot(given, hold->direction[k]) * hold->direction[k];
    }
    float size = sqrtf(dot(drag, drag));
    bool sticks = kept > 0 && size <= hold->friction * push;
    for (int k = hold->normals; k < hold->count && sticks; k++) {
        hold->direction[kept++] = hold->direction[k];
    }
    hold->released = kept < hold->count;
    hold->normals = sticks ? hold->normals : kept;
    hold->count = kept;
    bool slips = !sticks && kept > 0 && size > 0.0f;
    return slips ? (hold->friction * push / size) * drag : four(0, 0, 0);
}

/* What a solid gives a particle is A u - weight u*; friction of what slips joins u*. */
static void release_holds(Lodge *solve)
{
    Step *step = solve->step;
    StepView s = step->view;
    LodgeView v = solve->view;
    if (!step->any_holds) {
        return;
    }
    int32_t *never = &v.state->again_off;
    clear(step->m, never, sizeof *never);
    multiply(solve, s.u, v.ap, true, true, never);
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            if (s.hold_of[i] >= 0 && s.mobility[i] > 0.0f) {
                float weight = s.rheology[s.material[i]].weight;
                float4 given = v.ap[i] - weight * v.star[i];
                float4 slip = let_go(&s.holds[s.hold_of[i]], given);
                v.star[i] = v.star[i] + (1.0f / weight) * slip;
            }
        });
    ooze_stage_lap(step->context->clock, OOZE_PART_CONTACT);
}

/* ---- coefficients of a pass ---- */

/* The strain of a step; half a strain in one step is the most that is believed. */
OOZE_DEVICE OozeMat3 strain_of(OozeMat3 l, float dt)
{
    OozeMat3 a = ooze_mat3_scale(l, dt);
    float norm2 = ooze_mat3_norm2(a);
    return norm2 > 0.25f ? ooze_mat3_scale(a, 0.5f / sqrtf(norm2)) : a;
}

/* What thinning and yielding leave of a material: see soften of lodge.c. */
struct Softened {
    float modulus, viscosity, hourglass;
};

OOZE_DEVICE Softened soften(const StepView &s, const OozeRheology *m, OozeSym3 q, OozeMat3 l)
{
    Softened soft = {m->modulus, m->viscosity, m->hourglass};
    float thinned = 1.0f, left = 1.0f;
    if (m->thinning.time > 0.0f) {
        thinned = ooze_thinning(m->thinning, ooze_shear_rate(ooze_mat3_symmetric(l)));
    }
    if (isfinite(m->yield)) {
        left = ooze_yield_share(ooze_lodge_update(q, strain_of(l, s.dt), m->memory), m->yield);
    }
    if (thinned != 1.0f || left != 1.0f) {
        soft.modulus = thinned * left * m->modulus;
        soft.viscosity = m->solvent + thinned * (m->viscosity - m->solvent);
        soft.hourglass =
            m->solvent_hourglass + thinned * left * (m->hourglass - m->solvent_hourglass);
    }
    return soft;
}

OOZE_DEVICE void prepare_particle(const StepView &s, const LodgeView &v, uint32_t i, OozeMat3 l,
                                  bool turned)
{
    const OozeRheology *m = &s.rheology[s.material[i]];
    float dt = s.dt;
    OozeSpin w = ooze_spin(l, dt, 0.5f);
    OozeSym3 before = strain_get(s, i);
    OozeSym3 q = turned ? ooze_sym3_push(ooze_spin_rotation(w), before) : before;
    Softened soft = soften(s, m, before, l);
    OozeSym3 a = ooze_lodge_stiffness(q, soft.modulus, soft.viscosity, dt, m->memory);
    float bulk = s.bulk * (ooze_sym3_trace(a) / 3.0f);
    /* what a rigid turn adds to F F^T must not count as strain: dt/2 W^T W, per dt */
    OozeSym3 ww = ooze_sym3_scale(ooze_spin_square(w), 0.5f / dt);
    OozeSym3 known = ooze_lodge_stress(ww, a, bulk);
    float rg = m->memory.r * soft.modulus;
    known = ooze_sym3_add(known, ooze_sym3(rg * (q.xx - 1), rg * (q.yy - 1), rg * (q.zz - 1),
                                           rg * q.xy, rg * q.xz, rg * q.yz));
    float expansion = s.expansion[i];
    float pull = expansion > 0.0f ? bulk * s.tension / dt * fminf(expansion, 0.1f) : 0.0f;
    known = ooze_sym3_add(known, ooze_sym3_identity(pull));
    v.stiffness[i] = a;
    v.bulk[i] = bulk;
    v.known[i] = known;
    OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(l), a, bulk);
    s.stress[i] = ooze_stress_size(ooze_sym3_add(known, stress));
    /* a stretched lattice needs damping as stiff as its stretch: see stretch_of of lodge.c */
    float stretch = fmaxf(1.0f, ooze_sym3_trace(q) - 3.0f);
    float elastic = soft.hourglass - m->solvent_hourglass;
    bool poor = s.correction[i].xx == 0.0f;
    v.hourglass[i] = poor ? 0.0f : m->solvent_hourglass + stretch * elastic;
}

template <int LANES, bool WRAPS> static void prepare_loop(Lodge *solve, bool turned)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                prepare_particle(s, v, i, ooze_mat3_mul_sym3(rows.gradient, s.correction[i]),
                                 turned);
            }
        });
}

template <int LANES, bool WRAPS> static void edge_hourglass_loop(Lodge *solve)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            float sum = 0.0f;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                sum += edge_weight(s, way<WRAPS>(s, here, s.x0[j]).r2) * v.hourglass[j];
            });
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                v.edge_hourglass[i] = sum;
            }
        });
}

static void prepare(Lodge *solve, bool turned)
{
#define PREPARE(lanes, wraps)        prepare_loop<lanes, wraps>(solve, turned)
#define EDGE_HOURGLASS(lanes, wraps) edge_hourglass_loop<lanes, wraps>(solve)
    OOZE_EACH_KIND(solve->step, PREPARE);
    OOZE_EACH_KIND(solve->step, EDGE_HOURGLASS);
    hold_velocities(solve->step);
    ooze_stage_lap(solve->step->context->clock, OOZE_PART_PREPARE);
}

/* ---- the solve ---- */

static void allocate(Lodge *solve)
{
    Machine *m = solve->step->m;
    uint64_t n = solve->step->view.n;
    LodgeView *v = &solve->view;
    v->state = solve->step->state;
    v->stiffness = scratch<OozeSym3>(m, n);
    v->known = scratch<OozeSym3>(m, n);
    v->bulk = scratch<float>(m, n);
    v->hourglass = scratch<float>(m, n);
    v->edge_hourglass = scratch<float>(m, n);
    v->flux = scratch<float4>(m, 3 * (n + 1));
    v->r = scratch<float4>(m, n);
    v->p = scratch<float4>(m, n);
    v->ap = scratch<float4>(m, n);
    v->star = scratch<float4>(m, n);
    /* what fills up lists */
    clear(m, v->hourglass + n, sizeof *v->hourglass);
    clear(m, v->flux + 3 * n, 3 * sizeof *v->flux);
    clear(m, v->p + n, sizeof *v->p);
    pack_places(solve);
}

struct
    NoteSpeed { /* a residual bounds the error of the velocities, so one that is small beside them is small */
    SolveState *state;
    __device__ void operator()(Sum1 sum) const { state->residual.first = sum.a; }
};

void solve_lodge(Step *step)
{
    Machine *m = step->m;
    uint64_t n = step->view.n;
    step->view.pushed = scratch<float4>(m, n);
    Mark mark = scratch_mark(m);
    Lodge solve;
    memset(&solve, 0, sizeof solve);
    solve.step = step;
    allocate(&solve);
    StepView s = step->view;
    clear(m, solve.view.state, sizeof *solve.view.state);
    copy(m, solve.view.star, s.u, n * sizeof *s.u);
    Sum1 none = {0.0};
    NoteSpeed speed = {solve.view.state};
    sum_each(
        m, n, none,
        OOZE_BODY(uint32_t i) {
            float4 u = s.u[i];
            Sum1 sum = {(double)s.rheology[s.material[i]].weight * (double)dot(u, u)};
            return sum;
        },
        speed);
    for (int pass = 0; pass < step->plan.settings.passes; pass++) {
        prepare(&solve, pass > 0);
        conjugate_gradients(&solve, pass);
        if (pass + 1 < step->plan.settings.passes) {
            release_holds(&solve);
        }
    }
    recall_note(&solve);
    scratch_rewind(m, mark);
}

/* ---- end of step ---- */

/* Share of a remembered expansion that is forgotten in a step: the pull acts within a few. */
static const float FORGET = 0.02f;

/* How much a particle's surroundings have expanded beyond rest: see expand of lodge.c. */
OOZE_DEVICE float expand(const StepView &s, uint32_t i, OozeMat3 a, float forget)
{
    float open = s.open[i] / (s.surface * s.flat_gradient), inside = fmaxf(0.0f, 1.0f - open);
    float remembered = (s.expansion[i] + a.m[0] + a.m[4] + a.m[8]) * (1.0f - forget);
    float seen = 1.0f / s.density[i] - 1.0f;
    float expansion = remembered + inside * (seen - remembered);
    return fminf(fmaxf(expansion, -0.5f), 0.5f);
}

template <int LANES, bool WRAPS> static void finish_loop(Step *step)
{
    StepView s = step->view;
    float forget = FORGET;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
            OozeMat3 a = strain_of(l, s.dt);
            const OozeRheology *m = &s.rheology[s.material[i]];
            OozeSym3 q = ooze_lodge_update(strain_get(s, i), a, m->memory);
            strain_set(s, i, ooze_yield(q, m->yield));
            s.expansion[i] = expand(s, i, a, forget);
            float4 pushed = s.pushed[i];
            float *push = s.push + 8 * (uint64_t)i;
            push[0] = pushed.x;
            push[1] = pushed.y;
            push[2] = pushed.z;
        });
}

void finish_lodge(Step *step)
{
#define FINISH(lanes, wraps) finish_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, FINISH);
}

} // namespace ooze
