/* Initial guess of the velocity solve: see methods/conformation/cpu/warm_start.c. */
#include "cuda/rank_sums.cuh"
#include "methods/conformation/cuda/component_sums.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/lodge.cuh"
#include "methods/conformation/cuda/rank_components.cuh"
#include "methods/conformation/lodge_particle_formula.h"

namespace ooze
{

/* ---- sums over components ---- */

/* OozeComponentGain in units of `unit`. */
enum { RESIDUAL, CURVATURE, ANCHORS, GAINS };

struct RecordUnit {
    double *unit;
    double n;
    __device__ void operator()(Max1 largest) const { *unit = sum_unit(largest.a, n); }
};

OOZE_DEVICE float accepted_fraction(const unsigned long long *g)
{
    OozeComponentGain gain = {(double)(long long)g[RESIDUAL], (double)(long long)g[CURVATURE],
                              (double)g[ANCHORS]};
    return ooze_warm_start_accepted_fraction(gain);
}

struct RecordPartly {
    SolveState *state;
    __device__ void operator()(Sum1 partly) const
    {
        state->again_off = state->warm_start_off || !(partly.a > 0.0);
    }
};

/* Scales p by the accepted fractions; state->again_off: all components accept all of it. Between
   two products the fluxes are not needed: their memory holds gains and components, without which
   the largest scenes would need 28 bytes a particle more. */
static void scale_by_component(Lodge *solve)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    LodgeView v = solve->view;
    const int32_t *off = &v.state->warm_start_off;
    unsigned long long *gain = (unsigned long long *)v.rows;
    uint32_t *root = (uint32_t *)(gain + GAINS * (uint64_t)s.n);
    find_components(step, false, root, off);
    Mark mark = scratch_mark(gpu);
    double *unit = scratch<double>(gpu, 1);
    Max1 smallest = {0.0f};
    RecordUnit units = {unit, (double)all_particles(gpu, s.n)};
    const OwnRange own_particles = own_range(gpu, s.n);
    if (gpu->share) { /* of ghosts, which may be the first of their component */
        clear(gpu, gain, GAINS * (uint64_t)s.n * sizeof *gain);
    }
    sum_particles(
        gpu, s.n, smallest,
        OOZE_BODY(uint32_t i) {
            Max1 largest = {fmaxf(fabsf(dot(v.p[i], v.r[i])), fabsf(dot(v.p[i], v.ap[i])))};
            for (uint64_t k = 0; k < GAINS; k++) {
                gain[GAINS * (uint64_t)i + k] = 0;
            }
            return largest;
        },
        units);
    sum_components<GAINS>(
        gpu, s.n, root, gain, off, OOZE_BODY(uint32_t i, long long *value) {
            if (!own_particles.has(i)) {
                return;
            }
            double per = 1.0 / *unit;
            bool fixed =
                s.contact_of && s.contact_of[i] >= 0 && s.contact_sets[s.contact_of[i]].count == 3;
            value[RESIDUAL] = llrint((double)dot(v.p[i], v.r[i]) * per);
            value[CURVATURE] = llrint((double)dot(v.p[i], v.ap[i]) * per);
            value[ANCHORS] = s.anchored[i] || fixed ? 1 : 0;
        });
    sum_components_over_ranks(gpu, s.n, root, gain, GAINS, off);
    Sum1 none = {0.0};
    RecordPartly partly = {v.state};
    sum_particles(
        gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 one = {0.0};
            if (!*off) {
                const unsigned long long *own = gain + GAINS * (uint64_t)root[i];
                one.a = (long long)own[CURVATURE] > 0 && accepted_fraction(own) < 1.0f ? 1.0 : 0.0;
            }
            return one;
        },
        partly);
    const int32_t *again_off = &v.state->again_off;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!*again_off) {
                float4 p = accepted_fraction(gain + GAINS * (uint64_t)root[i]) * v.p[i];
                v.p[i] = p;
            }
        });
    scratch_rewind(gpu, mark);
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
    sum_particles(
        gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (!v.state->off) {
                float4 p = project(s, i, ooze_lodge_last_change(&s, &v, i));
                v.p[i] = p;
                sum.a = (double)dot(p, p);
            }
            return sum;
        },
        any);
    bodies_project_velocities(step, v.p, &v.state->warm_start_off);
    pack_direction(solve, &v.state->warm_start_off);
    dynamic_follow(solve, &v.state->warm_start_off);
    multiply_direction(solve, &v.state->warm_start_off);
    scale_by_component(solve);
    pack_direction(solve, &v.state->again_off);
    dynamic_follow(solve, &v.state->again_off);
    multiply_direction(solve, &v.state->again_off);
}

/* p = the same along directions that contacts have just released, from the velocities there; ap,
   state->pap. */
static void warm_start_released(Lodge *solve)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    RecordAny any = {v.state};
    sum_particles(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 count = {0.0};
            if (!v.state->off) {
                bool released = s.contact_of[i] >= 0 && s.contact_sets[s.contact_of[i]].released;
                float4 delta = v.u_star[i] + ooze_lodge_last_change(&s, &v, i) - s.u[i];
                delta.w = 0.0f;
                v.p[i] = released ? project(s, i, delta) : f32x4(0, 0, 0);
                count.a = released ? 1.0 : 0.0;
            }
            return count;
        },
        any);
    pack_direction(solve, &v.state->warm_start_off);
    dynamic_zero_direction(solve->step);
    multiply_direction(solve, &v.state->warm_start_off);
}

/* Receives p.r. Without a guess the step length is 0, and p becomes the preconditioned residual. */
struct SetGuessLength {
    SolveState *state;
    DynamicView dynamic;
    __device__ void operator()(Sum1 along) const
    {
        for (int k = 0; k < dynamic.count; k++) {
            along.a += ooze_twist_dot(&dynamic.solids[k].direction, &dynamic.solids[k].residual);
        }
        double pap = state->warm_start_off ? 0.0 : state->pap;
        state->alpha = ooze_cg_guess_length(along.a, pap);
        state->beta = 0.0;
    }
};

/* Advances along the guess of the pass, then continues from the residual. */
OozeStatus warm_start(OozeLodge *of, OozeError *)
{
    Lodge *solve = lodge_of(of);
    Step *step = solve->step;
    StepView s = step->view;
    LodgeView v = solve->view;
    if (of->pass == 0) {
        warm_start_last_step(solve);
    } else {
        warm_start_released(solve);
    }
    Sum1 none = {0.0};
    SetGuessLength along = {v.state, dynamic_view(step)};
    sum_particles(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {(double)dot(v.p[i], v.r[i])};
            return sum;
        },
        along);
    advance(solve, false, &v.state->off);
    ooze_timer_add(step->context->timer, "velocity_vectors");
    return OOZE_OK;
}

/* ---- memory ---- */

void warm_start_record(Lodge *solve)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_each(
        solve->step->gpu, s.n,
        OOZE_BODY(uint32_t i) { ooze_lodge_record_change(&s, &v, i, &v.state->residual); });
}

} // namespace ooze
