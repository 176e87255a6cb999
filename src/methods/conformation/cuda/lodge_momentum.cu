/* Momentum of components of fluid in free flight: see methods/conformation/cpu/lodge_momentum.c. */
#include "methods/conformation/cuda/component_sums.cuh"
#include "methods/conformation/cuda/grid_pressure.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"

extern "C" {
#include "methods/conformation/lodge_momentum_formula.h"
}

namespace ooze
{

/* Numbers of a particle that are summed: mass, its moments, and the lack of momenta; then whether
   it is far across a periodic axis. */
enum { MOMENTS = 16, NUMBERS };

struct Largest {
    float of[MOMENTS];
    __device__ void operator+=(const Largest &o)
    {
        for (int k = 0; k < MOMENTS; k++) {
            of[k] = o.of[k] > of[k] ? o.of[k] : of[k];
        }
    }
};

struct RecordUnits {
    double *unit, n;
    __device__ void operator()(Largest largest) const
    {
        for (int k = 0; k < MOMENTS; k++) {
            unit[k] = sum_unit(largest.of[k], n);
        }
    }
};

/* The numbers as an array, and back. */
OOZE_DEVICE void sums_to_numbers(const OozeMomentumSums &s, double a[MOMENTS])
{
    a[0] = s.mass;
    for (int k = 0; k < 3; k++) {
        a[1 + k] = s.first[k];
        a[10 + k] = s.p[k];
        a[13 + k] = s.l[k];
    }
    for (int k = 0; k < 6; k++) {
        a[4 + k] = s.second[k];
    }
}

OOZE_DEVICE OozeMomentumSums numbers_to_sums(const double a[MOMENTS])
{
    OozeMomentumSums s = {};
    s.mass = a[0];
    for (int k = 0; k < 3; k++) {
        s.first[k] = a[1 + k];
        s.p[k] = a[10 + k];
        s.l[k] = a[13 + k];
    }
    for (int k = 0; k < 6; k++) {
        s.second[k] = a[4 + k];
    }
    return s;
}

OOZE_DEVICE void arm_of(const StepView &s, uint32_t root, uint32_t i, double x[3])
{
    Delta d = delta<true>(s, s.x0[root], s.x0[i]);
    x[0] = (double)d.x;
    x[1] = (double)d.y;
    x[2] = (double)d.z;
}

OOZE_DEVICE OozeMomentumSums particle_sums(const StepView &s, const LodgeView &v, uint32_t root,
                                           uint32_t i)
{
    OozeMomentumSums sums = {};
    const float4 wanted = v.u_star[i], now = s.u[i];
    const double u[3] = {(double)wanted.x - (double)now.x, (double)wanted.y - (double)now.y,
                         (double)wanted.z - (double)now.z};
    double x[3];
    arm_of(s, root, i, x);
    ooze_momentum_add(&sums, (double)s.rheology[s.material[i]].relative_mass, x, u,
                      s.periodic.length, false);
    return sums;
}

/* held: at the roots of components on which walls, nozzles or contacts act. Returns whether some
   component is free; waits. */
static bool find_held(Lodge *solve, const uint32_t *root, uint8_t *held)
{
    Step *step = solve->step;
    const StepView s = step->view;
    const float *walled = step->pressure ? step->pressure->walled : nullptr;
    const OozeRigid *bodies = rigid_slots(step) > 0 ? step->bodies->rigid.body : nullptr;
    const Max1 none = {0.0f};
    clear(step->gpu, held, s.n);
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            bool touches = bodies && s.rigid_of[i] && bodies[s.rigid_of[i] - 1].contact_count > 0;
            if (s.anchored[i] || ooze_step_contacts(&s, i) || touches ||
                (walled && walled[i] > 0.0f)) {
                held[root[i]] = 1;
            }
        });
    Max1 free = sum_to_host(
        step->gpu, s.n, none, OOZE_BODY(uint32_t i) {
            Max1 own = {held[root[i]] ? 0.0f : 1.0f};
            return own;
        });
    return free.a > 0.0f;
}

/* sums: NUMBERS at each root, in units of `unit`. */
static void sum_moments(Lodge *solve, const uint32_t *root, const uint8_t *held, double *unit,
                        unsigned long long *sums, const int32_t *never)
{
    Gpu *gpu = solve->step->gpu;
    const StepView s = solve->step->view;
    const LodgeView v = solve->view;
    const Largest none = {};
    const RecordUnits units = {unit, (double)s.n};
    sum_each(
        gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Largest own = none;
            double a[MOMENTS];
            if (!held[root[i]]) {
                sums_to_numbers(particle_sums(s, v, root[i], i), a);
                for (int k = 0; k < MOMENTS; k++) {
                    own.of[k] = (float)fabs(a[k]);
                }
            }
            return own;
        },
        units);
    clear(gpu, sums, NUMBERS * (uint64_t)s.n * sizeof *sums);
    sum_components<NUMBERS>(
        gpu, s.n, root, sums, never, OOZE_BODY(uint32_t i, long long *value) {
            double a[MOMENTS];
            if (!held[root[i]]) {
                const OozeMomentumSums own = particle_sums(s, v, root[i], i);
                sums_to_numbers(own, a);
                for (int k = 0; k < MOMENTS; k++) {
                    value[k] = llrint(a[k] / unit[k]);
                }
                value[MOMENTS] = llrint(own.wraps);
            }
        });
}

OozeStatus restore_momentum(OozeLodge *of, OozeError *)
{
    Lodge *solve = lodge_of(of);
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const double spacing = step->context->spacing;
    Mark mark = scratch_mark(gpu);
    uint32_t *root = scratch<uint32_t>(gpu, s.n);
    uint8_t *held = scratch<uint8_t>(gpu, s.n);
    int32_t *never = scratch<int32_t>(gpu, 1);
    clear(gpu, never, sizeof *never);
    find_components(step, true, root, never);
    impact_pairs_join(solve, root);
    grid_pressure_join(solve, root);
    if (find_held(solve, root, held)) {
        double *unit = scratch<double>(gpu, MOMENTS),
               *motion = scratch<double>(gpu, 6 * (uint64_t)s.n);
        unsigned long long *sums = scratch<unsigned long long>(gpu, NUMBERS * (uint64_t)s.n);
        sum_moments(solve, root, held, unit, sums, never);
        for_each(
            gpu, s.n, OOZE_BODY(uint32_t i) {
                if (root[i] == i && !held[i]) {
                    const unsigned long long *own = sums + NUMBERS * (uint64_t)i;
                    double a[MOMENTS];
                    for (int k = 0; k < MOMENTS; k++) {
                        a[k] = (double)(long long)own[k] * unit[k];
                    }
                    OozeMomentumSums all = numbers_to_sums(a);
                    all.wraps = (double)own[MOMENTS];
                    ooze_momentum_motion(&all, spacing, motion + 6 * (uint64_t)i);
                }
            });
        for_each(
            gpu, s.n, OOZE_BODY(uint32_t i) {
                if (!held[root[i]]) {
                    double x[3];
                    float change[3];
                    arm_of(s, root[i], i, x);
                    ooze_momentum_velocity(motion + 6 * (uint64_t)root[i], x, change);
                    s.u[i] = s.u[i] + f32x4(change[0], change[1], change[2]);
                }
            });
    }
    scratch_rewind(gpu, mark);
    ooze_timer_lap(step->context->timer, "velocity_vectors");
    return OOZE_OK;
}

} // namespace ooze
