/* Where the velocity solve begins: see methods/conformation/recall.c. What its pieces come to is summed in whole
   numbers, for which the order does not matter. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

OOZE_DEVICE float4 push_of(const StepView &s, uint32_t i)
{
    const float *push = s.push + 8 * (uint64_t)i;
    return four(s.dt * push[0], s.dt * push[1], s.dt * push[2]);
}

/* ---- sums of pieces ---- */

/* Of a piece: push . residual and push . A push in units of `unit`, and how many of its particles are anchored. */
struct Worth {
    unsigned long long along, own, anchors;
};

#ifdef __CUDACC__
/* Blocks of one piece add up among themselves first: in calm fluid that is nearly all of them. */
template <class Body>
__global__ void __launch_bounds__(BLOCK)
    worth_kernel(uint32_t n, const uint32_t *root, Worth *worth, const int32_t *off, Body body)
{
    __shared__ long long along[BLOCK], own[BLOCK], anchors[BLOCK];
    __shared__ uint32_t first;
    uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
    if (*off) {
        return;
    }
    if (threadIdx.x == 0) {
        first = root[i];
    }
    __syncthreads();
    uint32_t mine = i < n ? root[i] : first;
    long long value[3] = {0, 0, 0};
    if (i < n) {
        body(i, value);
    }
    if (__syncthreads_or(mine != first)) {
        if (i < n) {
            atomicAdd(&worth[mine].along, (unsigned long long)value[0]);
            atomicAdd(&worth[mine].own, (unsigned long long)value[1]);
            atomicAdd(&worth[mine].anchors, (unsigned long long)value[2]);
        }
        return;
    }
    along[threadIdx.x] = value[0];
    own[threadIdx.x] = value[1];
    anchors[threadIdx.x] = value[2];
    __syncthreads();
    for (unsigned k = BLOCK / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) {
            along[threadIdx.x] += along[threadIdx.x + k];
            own[threadIdx.x] += own[threadIdx.x + k];
            anchors[threadIdx.x] += anchors[threadIdx.x + k];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(&worth[first].along, (unsigned long long)along[0]);
        atomicAdd(&worth[first].own, (unsigned long long)own[0]);
        atomicAdd(&worth[first].anchors, (unsigned long long)anchors[0]);
    }
}
#endif

template <class Body>
static void sum_worth(Machine *m, uint64_t n, const uint32_t *root, Worth *worth,
                      const int32_t *off, Body body)
{
    if (m->failed != cudaSuccess) {
        return;
    }
#ifdef __CUDACC__
    worth_kernel<<<(unsigned)((n + BLOCK - 1) / BLOCK), BLOCK, 0, m->stream>>>((uint32_t)n, root,
                                                                               worth, off, body);
    note(m, cudaGetLastError());
#else
    for (uint64_t i = 0; i < n && !*off; i++) {
        long long value[3] = {0, 0, 0};
        body((uint32_t)i, value);
        worth[root[i]].along += (unsigned long long)value[0];
        worth[root[i]].own += (unsigned long long)value[1];
        worth[root[i]].anchors += (unsigned long long)value[2];
    }
#endif
}

struct NoteUnit { /* so that no sum of all particles leaves 62 bits */
    double *unit;
    double n;
    __device__ void operator()(Most1 most) const
    {
        *unit = most.a > 0.0f ? (double)most.a * n / 4e18 : 1.0;
    }
};

OOZE_DEVICE float takes(Worth w)
{
    return ooze_recall_takes((double)(long long)w.along, (double)(long long)w.own,
                             (double)w.anchors);
}

struct NoteLess {
    SolveState *state;
    __device__ void operator()(Sum1 less) const
    {
        state->again_off = state->recall_off || !(less.a > 0.0);
    }
};

/* The push of pieces that it would not serve is taken out of p; state->again_off: none of it. */
static void share_out(Lodge *solve, const uint32_t *root)
{
    Step *step = solve->step;
    Machine *m = step->m;
    StepView s = step->view;
    LodgeView v = solve->view;
    const int32_t *off = &v.state->recall_off;
    Worth *worth = scratch<Worth>(m, s.n);
    float *share = scratch<float>(m, s.n);
    double *unit = scratch<double>(m, 1);
    clear(m, worth, s.n * sizeof *worth);
    Most1 least = {0.0f};
    NoteUnit units = {unit, (double)s.n};
    sum_each(
        m, s.n, least,
        OOZE_BODY(uint32_t i) {
            Most1 most = {fmaxf(fabsf(dot(v.p[i], v.r[i])), fabsf(dot(v.p[i], v.ap[i])))};
            return most;
        },
        units);
    sum_worth(
        m, s.n, root, worth, off, OOZE_BODY(uint32_t i, long long *value) {
            double per = 1.0 / *unit;
            bool held = s.hold_of && s.hold_of[i] >= 0 && s.holds[s.hold_of[i]].count == 3;
            value[0] = llrint((double)dot(v.p[i], v.r[i]) * per);
            value[1] = llrint((double)dot(v.p[i], v.ap[i]) * per);
            value[2] = s.anchored[i] || held ? 1 : 0;
        });
    Sum1 none = {0.0};
    NoteLess less = {v.state};
    sum_each(
        m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 one = {0.0};
            if (!*off && root[i] == i) {
                share[i] = takes(worth[i]);
                one.a = (long long)worth[i].own > 0 && share[i] < 1.0f ? 1.0 : 0.0;
            }
            return one;
        },
        less);
    const int32_t *again_off = &v.state->again_off;
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            if (!*again_off) {
                float4 p = share[root[i]] * v.p[i];
                v.p[i] = p;
            }
        });
}

/* ---- directions ---- */

struct NoteAny {
    SolveState *state;
    __device__ void operator()(Sum1 sum) const { state->recall_off = state->off || !(sum.a > 0.0); }
};

/* p = what the last step did to the velocities, as far as it is possible now. */
static void recall_push(Lodge *solve)
{
    Step *step = solve->step;
    Machine *m = step->m;
    StepView s = step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    NoteAny any = {v.state};
    sum_each(
        m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (!v.state->off) {
                float4 p = project(s, i, push_of(s, i));
                v.p[i] = p;
                sum.a = (double)dot(p, p);
            }
            return sum;
        },
        any);
    bodies_keep_motion(step, v.p, &v.state->recall_off);
    Mark mark = scratch_mark(m);
    uint32_t *root = scratch<uint32_t>(m, s.n);
    find_pieces(step, root, &v.state->recall_off);
    pack_direction(solve, &v.state->recall_off);
    multiply_direction(solve, &v.state->recall_off);
    share_out(solve, root);
    pack_direction(solve, &v.state->again_off);
    multiply_direction(solve, &v.state->again_off);
    scratch_rewind(m, mark);
}

/* p = the same in the directions that the solids have just let go of, from where they held them. */
static void recall_released(Lodge *solve)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    NoteAny any = {v.state};
    sum_each(
        solve->step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 count = {0.0};
            if (!v.state->off) {
                bool released = s.hold_of[i] >= 0 && s.holds[s.hold_of[i]].released;
                float4 way = v.star[i] + push_of(s, i) - s.u[i];
                way.w = 0.0f;
                v.p[i] = released ? project(s, i, way) : four(0, 0, 0);
                count.a = released ? 1.0 : 0.0;
            }
            return count;
        },
        any);
    pack_direction(solve, &v.state->recall_off);
    multiply_direction(solve, &v.state->recall_off);
}

struct
    NoteAlong { /* goes to where the error, measured by the operator, is least, and no farther than p */
    SolveState *state;
    __device__ void operator()(Sum1 along) const
    {
        /* nothing to go along: p becomes the residual's own direction again */
        bool any = !state->recall_off && state->pap > 0.0;
        state->alpha = any ? fmin(fmax(along.a / state->pap, 0.0), 1.0) : 0.0;
        state->beta = 0.0;
    }
};

/* Begins with what is remembered, and turns to the residual. */
void recall(Lodge *solve, int pass)
{
    Step *step = solve->step;
    StepView s = step->view;
    LodgeView v = solve->view;
    if (pass == 0) {
        recall_push(solve);
    } else {
        recall_released(solve);
    }
    Sum1 none = {0.0};
    NoteAlong along = {v.state};
    sum_each(
        step->m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {(double)dot(v.p[i], v.r[i])};
            return sum;
        },
        along);
    advance(solve, false, &v.state->off);
    ooze_stage_more(step->context->clock, OOZE_PART_VELOCITY_VECTORS);
}

/* ---- memory ---- */

/* What the solve has added to u*; what is remembered of one that did not end fades. */
void recall_note(Lodge *solve)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_each(
        solve->step->m, s.n, OOZE_BODY(uint32_t i) {
            const OozeVelocitySolve *residual = &v.state->residual;
            bool found = residual->asked && residual->last <= residual->stop;
            float share = (found ? 1.0f : OOZE_RECALL_UNFOUND) / s.dt;
            float4 push = share * (s.u[i] - v.star[i]);
            bool elastic = ooze_recall_is_elastic(&s.rheology[s.material[i]], s.dt);
            s.pushed[i] = elastic ? four(0, 0, 0) : push;
        });
}

} // namespace ooze
