/* Initial guess of the velocity solve: see methods/conformation/warm_start.c. Sums over
   components are of integers, which do not depend on the order. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

OOZE_DEVICE float4 guess_of(const StepView &s, uint32_t i)
{
    const float *a = s.warm_start + 8 * (uint64_t)i;
    return f32x4(s.dt * a[0], s.dt * a[1], s.dt * a[2]);
}

/* ---- sums over components ---- */

/* OozeComponentGain in units of `unit`. */
struct Gain {
    unsigned long long residual, curvature, anchors;
};

OOZE_DEVICE void add_gain(Gain *gain, const long long value[3])
{
    atomicAdd(&gain->residual, (unsigned long long)value[0]);
    atomicAdd(&gain->curvature, (unsigned long long)value[1]);
    atomicAdd(&gain->anchors, (unsigned long long)value[2]);
}

#ifdef __CUDACC__
/* Blocks that belong to one component, nearly all in a connected fluid, are summed in shared
   memory first. */
template <class Body>
__global__ void __launch_bounds__(BLOCK)
    gain_kernel(uint32_t n, const uint32_t *root, Gain *gain, const int32_t *off, Body body)
{
    __shared__ long long sum[3][BLOCK];
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
            add_gain(&gain[mine], value);
        }
        return;
    }
    for (int c = 0; c < 3; c++) {
        sum[c][threadIdx.x] = value[c];
    }
    __syncthreads();
    for (unsigned k = BLOCK / 2; k > 0; k /= 2) {
        for (int c = 0; c < 3 && threadIdx.x < k; c++) {
            sum[c][threadIdx.x] += sum[c][threadIdx.x + k];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        long long all[3] = {sum[0][0], sum[1][0], sum[2][0]};
        add_gain(&gain[first], all);
    }
}
#endif

template <class Body>
static void sum_gains(Gpu *gpu, uint64_t n, const uint32_t *root, Gain *gain, const int32_t *off,
                      Body body)
{
    if (gpu->failed != cudaSuccess) {
        return;
    }
#ifdef __CUDACC__
    gain_kernel<<<(unsigned)((n + BLOCK - 1) / BLOCK), BLOCK, 0, gpu->stream>>>((uint32_t)n, root,
                                                                                gain, off, body);
    record_error(gpu, cudaGetLastError());
#else
    for (uint64_t i = 0; i < n && !*off; i++) {
        long long value[3] = {0, 0, 0};
        body((uint32_t)i, value);
        add_gain(&gain[root[i]], value);
    }
#endif
}

/* The unit in which no sum over all particles exceeds 62 bits. */
struct RecordUnit {
    double *unit;
    double n;
    __device__ void operator()(Max1 largest) const
    {
        *unit = largest.a > 0.0f ? (double)largest.a * n / 4e18 : 1.0;
    }
};

OOZE_DEVICE float accepted_fraction(Gain g)
{
    OozeComponentGain gain = {(double)(long long)g.residual, (double)(long long)g.curvature,
                              (double)g.anchors};
    return ooze_warm_start_accepted_fraction(gain);
}

struct RecordPartly {
    SolveState *state;
    __device__ void operator()(Sum1 partly) const
    {
        state->again_off = state->warm_start_off || !(partly.a > 0.0);
    }
};

/* Scales p by the accepted fractions; state->again_off: all components accept all of it. */
static void scale_by_component(Lodge *solve, const uint32_t *root)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    LodgeView v = solve->view;
    const int32_t *off = &v.state->warm_start_off;
    Gain *gain = scratch<Gain>(gpu, s.n);
    float *fraction = scratch<float>(gpu, s.n);
    double *unit = scratch<double>(gpu, 1);
    clear(gpu, gain, s.n * sizeof *gain);
    Max1 smallest = {0.0f};
    RecordUnit units = {unit, (double)s.n};
    sum_each(
        gpu, s.n, smallest,
        OOZE_BODY(uint32_t i) {
            Max1 largest = {fmaxf(fabsf(dot(v.p[i], v.r[i])), fabsf(dot(v.p[i], v.ap[i])))};
            return largest;
        },
        units);
    sum_gains(
        gpu, s.n, root, gain, off, OOZE_BODY(uint32_t i, long long *value) {
            double per = 1.0 / *unit;
            bool fixed =
                s.contact_of && s.contact_of[i] >= 0 && s.contact_sets[s.contact_of[i]].count == 3;
            value[0] = llrint((double)dot(v.p[i], v.r[i]) * per);
            value[1] = llrint((double)dot(v.p[i], v.ap[i]) * per);
            value[2] = s.anchored[i] || fixed ? 1 : 0;
        });
    Sum1 none = {0.0};
    RecordPartly partly = {v.state};
    sum_each(
        gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 one = {0.0};
            if (!*off && root[i] == i) {
                fraction[i] = accepted_fraction(gain[i]);
                one.a = (long long)gain[i].curvature > 0 && fraction[i] < 1.0f ? 1.0 : 0.0;
            }
            return one;
        },
        partly);
    const int32_t *again_off = &v.state->again_off;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!*again_off) {
                float4 p = fraction[root[i]] * v.p[i];
                v.p[i] = p;
            }
        });
}

/* ---- guesses ---- */

struct RecordAny {
    SolveState *state;
    __device__ void operator()(Sum1 sum) const
    {
        state->warm_start_off = state->off || !(sum.a > 0.0);
    }
};

/* p = velocity change of the last step's solve, projected, for the components that accept it;
   ap, state->pap. */
static void warm_start_last_step(Lodge *solve)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    RecordAny any = {v.state};
    sum_each(
        gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (!v.state->off) {
                float4 p = project(s, i, guess_of(s, i));
                v.p[i] = p;
                sum.a = (double)dot(p, p);
            }
            return sum;
        },
        any);
    bodies_project_velocities(step, v.p, &v.state->warm_start_off);
    Mark mark = scratch_mark(gpu);
    uint32_t *root = scratch<uint32_t>(gpu, s.n);
    find_components(step, root, &v.state->warm_start_off);
    pack_direction(solve, &v.state->warm_start_off);
    multiply_direction(solve, &v.state->warm_start_off);
    scale_by_component(solve, root);
    pack_direction(solve, &v.state->again_off);
    multiply_direction(solve, &v.state->again_off);
    scratch_rewind(gpu, mark);
}

/* p = the same along directions that contacts have just released, from the velocities there; ap,
   state->pap. */
static void warm_start_released(Lodge *solve)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    RecordAny any = {v.state};
    sum_each(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 count = {0.0};
            if (!v.state->off) {
                bool released = s.contact_of[i] >= 0 && s.contact_sets[s.contact_of[i]].released;
                float4 delta = v.u_star[i] + guess_of(s, i) - s.u[i];
                delta.w = 0.0f;
                v.p[i] = released ? project(s, i, delta) : f32x4(0, 0, 0);
                count.a = released ? 1.0 : 0.0;
            }
            return count;
        },
        any);
    pack_direction(solve, &v.state->warm_start_off);
    multiply_direction(solve, &v.state->warm_start_off);
}

/* Receives p.r. Without a guess the step length is 0, and p becomes the preconditioned residual. */
struct SetGuessLength {
    SolveState *state;
    __device__ void operator()(Sum1 along) const
    {
        double pap = state->warm_start_off ? 0.0 : state->pap;
        state->alpha = ooze_cg_guess_length(along.a, pap);
        state->beta = 0.0;
    }
};

/* Advances along the guess of the pass, then continues from the residual. */
void warm_start(Lodge *solve, int pass)
{
    Step *step = solve->step;
    StepView s = step->view;
    LodgeView v = solve->view;
    if (pass == 0) {
        warm_start_last_step(solve);
    } else {
        warm_start_released(solve);
    }
    Sum1 none = {0.0};
    SetGuessLength along = {v.state};
    sum_each(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {(double)dot(v.p[i], v.r[i])};
            return sum;
        },
        along);
    advance(solve, false, &v.state->off);
    ooze_timer_add(step->context->timer, "velocity_vectors");
}

/* ---- memory ---- */

void warm_start_record(Lodge *solve)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_each(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            float4 u = s.u[i], u_star = v.u_star[i], next = f32x4(0, 0, 0);
            ooze_warm_start_next(&s.rheology[s.material[i]], &v.state->residual, s.dt, &u.x,
                                 &u_star.x, &next.x);
            s.next_warm_start[i] = next;
        });
}

} // namespace ooze
