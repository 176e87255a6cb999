/* The implicit velocity solve: see methods/conformation/lodge.c, whose steps these are. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

/* Iterations between two looks whether the solve has ended. */
enum { BATCH = 4 };

/* ---- conjugate gradients ---- */

struct Begin { /* of a pass, once the residual is known */
    SolveState *state;
    double tolerance;
    bool rigid; /* bodies have yet to answer */
    __device__ void operator()(Sum1 sum) const
    {
        state->rr_own = sum.a;
        if (!rigid) {
            begin(sum.a);
        }
    }
    __device__ void begin(double square) const
    {
        state->rr = square;
        state->fresh = 1;
        state->spoilt = 0;
        state->off = !ooze_velocity_solve_begin(&state->residual, square, tolerance);
    }
};

/* p += what rigid bodies answer to the residual. */
static void add_response(Lodge *solve)
{
    LodgeView v = solve->view;
    const uint32_t *index = solve->step->bodies->index;
    const float4 *response = bodies_response(solve->step);
    for_each(
        solve->step->m, rigid_slots(solve->step), OOZE_BODY(uint32_t slot) {
            uint32_t i = index[slot];
            if (i != OOZE_NO_PARTICLE && !v.state->off) {
                v.p[i] = direction_set(v, i, v.p[i] + response[slot]);
            }
        });
}

/* The beginning with rigid bodies. Waits. */
static void begin_bodies(Lodge *solve, Begin then)
{
    double share;
    bodies_precondition(solve->step, solve->view.r, nullptr, &share);
    SolveState *state = solve->view.state;
    for_each(
        solve->step->m, 1, OOZE_BODY(uint32_t) { then.begin(state->rr_own + share); });
    add_response(solve);
}

/* r = b - A u, with b = weight u*: ap holds A u. */
static void begin(Lodge *solve, double tolerance)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    bool rigid = rigid_slots(solve->step) > 0;
    Begin then = {v.state, tolerance, rigid};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            const OozeRheology *m = &s.rheology[s.material[i]];
            float4 r = project(s, i, m->weight * v.star[i]) - v.ap[i];
            r.w = 0.0f;
            float4 p = four(r.x / m->divisor, r.y / m->divisor, r.z / m->divisor);
            v.r[i] = r;
            Sum1 sum = {(double)dot(r, p)};
            v.p[i] = direction_set(v, i, p);
            return sum;
        },
        then);
    if (rigid) {
        begin_bodies(solve, then);
    }
}

struct Advanced {
    SolveState *state;
    bool iteration;
    const int32_t *off;
    __device__ void operator()(Sum1 sum) const
    {
        if (*off) {
            return;
        }
        state->rr = sum.a;
        state->fresh = state->beta == 0.0;
        bool goes_on = iteration ? ooze_velocity_solve_go_on(&state->residual, sum.a)
                                 : ooze_velocity_solve_look(&state->residual, sum.a);
        state->off = !goes_on;
    }
};

struct NoteOwn {
    SolveState *state;
    __device__ void operator()(Sum1 sum) const { state->rr_own = sum.a; }
};

/* u and r, and the square of r without rigid bodies. */
static void stride(Lodge *solve, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    NoteOwn then = {v.state};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (!*off) {
                float alpha = (float)v.state->alpha;
                float4 r = v.r[i] - alpha * v.ap[i];
                s.u[i] = s.u[i] + alpha * v.p[i];
                v.r[i] = r;
                sum.a = (double)(dot(r, r) / s.rheology[s.material[i]].divisor);
            }
            return sum;
        },
        then);
}

/* As advance, in three loops: bodies answer to the residual as a whole, on the host, and only then the next direction is
   known. Waits. */
static void advance_bodies(Lodge *solve, bool iteration, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Advanced then = {v.state, iteration, off};
    double share;
    stride(solve, off);
    if (!bodies_precondition(solve->step, v.r, off, &share)) {
        solve->seen_off = true;
        return;
    }
    for_each(
        solve->step->m, 1, OOZE_BODY(uint32_t) {
            Sum1 sum = {v.state->rr_own + share};
            bool keeps = iteration && !v.state->spoilt;
            v.state->beta = keeps ? sum.a / v.state->rr : 0.0;
            then(sum);
        });
    for_each(
        solve->step->m, s.n, OOZE_BODY(uint32_t i) {
            if (!*off) {
                float beta = (float)v.state->beta, per = 1.0f / s.rheology[s.material[i]].divisor;
                float4 r = v.r[i], p = v.p[i];
                p = four(per * r.x + beta * p.x, per * r.y + beta * p.y, per * r.z + beta * p.z);
                v.p[i] = direction_set(v, i, p);
            }
        });
    add_response(solve);
}

void advance(Lodge *solve, bool iteration, const int32_t *off)
{
    if (rigid_slots(solve->step) > 0) {
        advance_bodies(solve, iteration, off);
        return;
    }
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    Advanced then = {v.state, iteration, off};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (*off) {
                return sum;
            }
            float alpha = (float)v.state->alpha, beta = (float)v.state->beta;
            float per = 1.0f / s.rheology[s.material[i]].divisor;
            float4 p = v.p[i], r = v.r[i] - alpha * v.ap[i];
            s.u[i] = s.u[i] + alpha * p;
            v.r[i] = r;
            sum.a = (double)(per * dot(r, r));
            p = four(per * r.x + beta * p.x, per * r.y + beta * p.y, per * r.z + beta * p.z);
            v.p[i] = direction_set(v, i, p);
            return sum;
        },
        then);
}

static void conjugate_gradients(Lodge *solve, int pass)
{
    Step *step = solve->step;
    const OozeConformationSettings *set = &step->plan.settings;
    LodgeView v = solve->view;
    const int32_t *off = &v.state->off;
    bool last = pass + 1 == set->passes;
    int32_t *never = &v.state->again_off;
    solve->seen_off = false;
    clear(step->m, never, sizeof *never);
    multiply(solve, step->view.u, v.ap, true, false, never);
    begin(solve, (last ? 1.0 : OOZE_LODGE_ROUGH) * set->tolerance);
    ooze_stage_more(step->context->clock, OOZE_PART_VELOCITY_VECTORS);
    if (set->velocity_iterations > 0 && (pass == 0 || step->any_holds)) {
        recall(solve, pass);
    }
    for (int k = 0; k < set->velocity_iterations && !solve->seen_off; k++) {
        if (k % BATCH == 0 && !watch_goes_on(step->m, k / BATCH, off)) {
            break;
        }
        multiply_direction(solve, off);
        advance(solve, true, off);
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
    bool rigid = rigid_slots(step) > 0;
    if (!step->any_holds && !rigid) {
        return;
    }
    int32_t *never = &v.state->again_off;
    clear(step->m, never, sizeof *never);
    multiply(solve, s.u, v.ap, true, true, never);
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            float weight = s.rheology[s.material[i]].weight;
            if (s.hold_of && s.hold_of[i] >= 0 && s.mobility[i] > 0.0f) {
                float4 given = v.ap[i] - weight * v.star[i];
                float4 slip = let_go(&s.holds[s.hold_of[i]], given);
                v.star[i] = v.star[i] + (1.0f / weight) * slip;
            }
            if (rigid) { /* what bodies have to take up */
                v.r[i] = weight * v.star[i] - v.ap[i];
            }
        });
    bodies_release(step, v.r);
    ooze_stage_lap(step->context->clock, OOZE_PART_CONTACT);
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
    v->pack = pack_places(solve->step);
    pack_apart(solve->step, &v->pack);
}

struct
    NoteSpeed { /* a residual bounds the error of the velocities, so one that is small beside them is small */
    SolveState *state;
    __device__ void operator()(Sum1 sum) const { state->residual.first = sum.a; }
};

static void solve_lodge(Step *step)
{
    Machine *m = step->m;
    uint64_t n = step->view.n;
    Mark mark = scratch_mark(m);
    Lodge solve;
    memset(&solve, 0, sizeof solve);
    solve.step = step;
    allocate(&solve);
    StepView s = step->view;
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
        hold_velocities(step);
        bodies_hold(step, solve.view.star);
        pack_hourglass(step, &solve.view.pack, solve.view.hourglass);
        conjugate_gradients(&solve, pass);
        if (pass + 1 < step->plan.settings.passes) {
            release_holds(&solve);
        }
    }
    recall_note(&solve);
    bodies_settle(step);
    scratch_rewind(m, mark);
}

const Formulation formulation_lodge = {solve_lodge, solve_density, finish_lodge};

} // namespace ooze
