/* Momentum of components of fluid in free flight: see methods/conformation/cpu/lodge_momentum.c. */
#include "methods/conformation/cuda/component_sums.cuh"
#include "methods/conformation/cuda/grid_pressure.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"
#include "methods/conformation/cuda/rank_components.cuh"

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

/* Fields of the particles of all ranks, in their order. Captured by loop bodies. */
struct AllParticles {
    uint32_t n;
    const float4 *x0, *u_star, *u;
    const float *mass;
    const uint8_t *touched; /* a wall, a nozzle or a contact acts on it */
    uint32_t *root;         /* of its component */
};

OOZE_DEVICE void arm_of(const StepView &s, const float4 *x0, uint32_t root, uint32_t i, double x[3])
{
    Delta d = delta<true>(s, x0[root], x0[i]);
    x[0] = (double)d.x;
    x[1] = (double)d.y;
    x[2] = (double)d.z;
}

OOZE_DEVICE OozeMomentumSums particle_sums(const StepView &s, const AllParticles &all, uint32_t i)
{
    OozeMomentumSums sums = {};
    const float4 wanted = all.u_star[i], now = all.u[i];
    const double u[3] = {(double)wanted.x - (double)now.x, (double)wanted.y - (double)now.y,
                         (double)wanted.z - (double)now.z};
    double x[3];
    arm_of(s, all.x0, all.root[i], i, x);
    ooze_momentum_add(&sums, (double)all.mass[i], x, u, s.periodic.length, false);
    return sums;
}

/* In scratch memory. Waits for the other ranks. */
static AllParticles find_all(Lodge *solve)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const float *walled = step->pressure ? step->pressure->walled : nullptr;
    const OozeRigid *bodies = rigid_slots(step) > 0 ? step->bodies->rigid.body : nullptr;
    uint32_t *root = scratch<uint32_t>(gpu, s.n);
    int32_t *never = scratch<int32_t>(gpu, 1);
    float *mass = scratch<float>(gpu, s.n);
    uint8_t *touched = scratch<uint8_t>(gpu, s.n);
    clear(gpu, never, sizeof *never);
    find_components(step, true, root, never);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            bool touches = bodies && s.rigid_of[i] && bodies[s.rigid_of[i] - 1].contact_count > 0;
            touched[i] = s.anchored[i] || ooze_step_contacts(&s, i) || touches ||
                         (walled && walled[i] > 0.0f);
            mass[i] = s.rheology[s.material[i]].relative_mass;
        });
    AllParticles all = {};
    all.n = (uint32_t)all_particles(gpu, s.n);
    all.x0 = gather_elements(gpu, s.x0);
    all.u_star = gather_elements(gpu, solve->view.u_star);
    all.u = gather_elements(gpu, s.u);
    all.mass = gather_elements(gpu, mass);
    all.touched = gather_elements(gpu, touched);
    all.root = components_of_all(gpu, s.n, root);
    impact_pairs_join(solve, all.root);
    grid_pressure_join(solve, all.root);
    return all;
}

/* held: at the roots of components on which walls, nozzles or contacts act. Returns whether some
   component is free; waits. */
static bool find_held(Gpu *gpu, const AllParticles &particles, uint8_t *held)
{
    const AllParticles all = particles;
    const Max1 none = {0.0f};
    clear(gpu, held, all.n);
    for_each(
        gpu, all.n, OOZE_BODY(uint32_t i) {
            if (all.touched[i]) {
                held[all.root[i]] = 1;
            }
        });
    Max1 free = sum_to_host(
        gpu, all.n, none, OOZE_BODY(uint32_t i) {
            Max1 own = {held[all.root[i]] ? 0.0f : 1.0f};
            return own;
        });
    return free.a > 0.0f;
}

/* sums: NUMBERS at each root, in units of `unit`. */
static void sum_moments(Step *step, const AllParticles &particles, const uint8_t *held,
                        double *unit, unsigned long long *sums)
{
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const AllParticles all = particles;
    const Largest none = {};
    const RecordUnits units = {unit, (double)all.n};
    int32_t *never = scratch<int32_t>(gpu, 1);
    clear(gpu, never, sizeof *never);
    sum_each(
        gpu, all.n, none,
        OOZE_BODY(uint32_t i) {
            Largest own = none;
            double a[MOMENTS];
            if (!held[all.root[i]]) {
                sums_to_numbers(particle_sums(s, all, i), a);
                for (int k = 0; k < MOMENTS; k++) {
                    own.of[k] = (float)fabs(a[k]);
                }
            }
            return own;
        },
        units);
    clear(gpu, sums, NUMBERS * (uint64_t)all.n * sizeof *sums);
    sum_components<NUMBERS>(
        gpu, all.n, all.root, sums, never, OOZE_BODY(uint32_t i, long long *value) {
            double a[MOMENTS];
            if (!held[all.root[i]]) {
                const OozeMomentumSums own = particle_sums(s, all, i);
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
    const AllParticles all = find_all(solve);
    uint8_t *held = scratch<uint8_t>(gpu, all.n);
    if (find_held(gpu, all, held)) {
        double *unit = scratch<double>(gpu, MOMENTS),
               *motion = scratch<double>(gpu, 6 * (uint64_t)all.n);
        unsigned long long *sums = scratch<unsigned long long>(gpu, NUMBERS * (uint64_t)all.n);
        const OwnRange own = own_range(gpu, s.n);
        const uint32_t first = (uint32_t)step->view.machine->first;
        sum_moments(step, all, held, unit, sums);
        for_each(
            gpu, all.n, OOZE_BODY(uint32_t i) {
                if (all.root[i] == i && !held[i]) {
                    const unsigned long long *found = sums + NUMBERS * (uint64_t)i;
                    double a[MOMENTS];
                    for (int k = 0; k < MOMENTS; k++) {
                        a[k] = (double)(long long)found[k] * unit[k];
                    }
                    OozeMomentumSums total = numbers_to_sums(a);
                    total.wraps = (double)found[MOMENTS];
                    ooze_momentum_motion(&total, spacing, motion + 6 * (uint64_t)i);
                }
            });
        for_each(
            gpu, own.count, OOZE_BODY(uint32_t k) {
                const uint32_t i = own.begin + k, root = all.root[first + k];
                if (!held[root]) {
                    double x[3];
                    float change[3];
                    arm_of(s, all.x0, root, first + k, x);
                    ooze_momentum_velocity(motion + 6 * (uint64_t)root, x, change);
                    s.u[i] = s.u[i] + f32x4(change[0], change[1], change[2]);
                }
            });
    }
    scratch_rewind(gpu, mark);
    ooze_timer_lap(step->context->timer, "velocity_vectors");
    return OOZE_OK;
}

} // namespace ooze
