/* Stages of the stress method on the GPU. */
#include "cuda/density.cuh"
#include "cuda/machine.cuh"
#include "cuda/method.cuh"
#include "cuda/ranks.cuh"

extern "C" {
#include "methods/stress/particle_formula.h"
#include "methods/stress/stages.h"
#include "physics/gradient_correction.h"
#include "physics/kernels.h"
}

namespace ooze
{

/* Of OozeGather. */
struct StressKernel {
    float support, volume, wall_scale;
};

/* Captured by loop bodies. */
struct StressView : OozeStressStep {
    PairView<StressKernel> pairs; /* positions at the beginning of the substep */
    float4 gravity;
};

static StressView view_of(const OozeStressStep *step)
{
    const StressKernel kernel = {step->support, step->volume, step->wall_scale};
    return {*step, pairs_of(step->machine, kernel), gravity_of(step->machine)};
}

/* ---- edges ---- */

/* f of an edge of length r. */
OOZE_DEVICE float edge_weight(const StressKernel &k, float r)
{
    return -k.volume * ooze_kernel_gradient_scale(ooze_cubic_slope(r, k.support), r, k.support);
}

/* The same to sample b of a wall; 0 where the fluid does not cling to it. */
OOZE_DEVICE float wall_weight(const StressView &s, float r, uint32_t b)
{
    const StressKernel &k = s.pairs.kernel;
    const float volume = s.pairs.boundary.no_slip[b] ? s.pairs.boundary.volume[b] : 0.0f;
    return k.wall_scale / k.volume * volume * edge_weight(k, r);
}

/* g(j, f, d) for the neighbours j of this lane: edges are f x_ji = -f d. */
template <int LANES, class G>
OOZE_DEVICE void each_edge(const StressView &s, uint32_t i, uint32_t lane, G g)
{
    each_pair<LANES>(s.pairs, i, lane,
                     [&](uint32_t j, float4 d) { g(j, edge_weight(s.pairs.kernel, d.w), d); });
}

/* The same for boundary samples. */
template <int LANES, class G>
OOZE_DEVICE void each_wall_edge(const StressView &s, uint32_t i, uint32_t lane, G g)
{
    each_wall_pair<LANES>(s.pairs, i, lane,
                          [&](uint32_t b, float4 d) { g(b, wall_weight(s, d.w, b), d); });
}

/* Sums over the neighbours of a particle. */
struct StressSums {
    OozeSym3 moment; /* sum x_ji g^T */
    float4 edge;     /* sum g */
    float value;     /* sum W, with the volumes of samples over the particle's */
};

OOZE_DEVICE void add_edge(StressSums *sums, float f, float4 d)
{
    const float x = f * d.x, y = f * d.y, z = f * d.z;
    sums->moment = ooze_sym3_add(sums->moment,
                                 ooze_sym3(x * d.x, y * d.y, z * d.z, x * d.y, x * d.z, y * d.z));
    sums->edge = sums->edge - f * d;
}

/* Distance from a sample at the beginning of the substep: compression by the motion of a wall
   during it does not count. */
OOZE_DEVICE float distance_at_start(const StressView &s, float4 d, uint32_t b)
{
    const float4 start = d + (float)s.dt * s.pairs.boundary.velocity[b];
    return sqrtf(dot(start, start));
}

/* Corrections, sums of edges and densities: see solvers/pairs/gather_loops.c. */
template <int LANES> static void gathers(OozeStressStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const StressView s = view_of(step);
    const float h = s.pairs.kernel.support, own = ooze_cubic_value(0.0f, h);
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const StressKernel &k = s.pairs.kernel;
            StressSums sums = {ooze_sym3_identity(0), f32x4(0, 0, 0), 0.0f};
            each_edge<LANES>(s, i, lane, [&](uint32_t, float f, float4 d) {
                sums.value += ooze_cubic_value(d.w, h);
                add_edge(&sums, f, d);
            });
            each_wall_edge<LANES>(s, i, lane, [&](uint32_t b, float f, float4 d) {
                sums.value += k.wall_scale / k.volume * s.pairs.boundary.volume[b] *
                              ooze_cubic_value(distance_at_start(s, d, b), h);
                add_edge(&sums, f, d);
            });
            const OozeSym3 m = sums.moment;
            const OozeSym3 moment =
                ooze_sym3(lanes_sum<LANES>(m.xx), lanes_sum<LANES>(m.yy), lanes_sum<LANES>(m.zz),
                          lanes_sum<LANES>(m.xy), lanes_sum<LANES>(m.xz), lanes_sum<LANES>(m.yz));
            sums.edge = lanes_sum<LANES>(sums.edge);
            sums.value = lanes_sum<LANES>(sums.value);
            if (lane == 0) {
                const uint32_t wall_count = s.pairs.walls.begin ? s.pairs.walls.count[i] : 0;
                s.edge_sum[i] = sums.edge;
                s.density[i] = k.volume * (own + sums.value);
                s.correction[i] =
                    ooze_gradient_correction(moment, s.pairs.fluid.count[i] + wall_count);
            }
        });
}

static OozeStatus gather(OozeStressStep *step, OozeError *)
{
    OozeMachine *machine = step->machine;
    step->correction =
        static_cast<OozeSym3 *>(ooze_machine_alloc(machine, machine->n, sizeof *step->correction));
    step->edge_sum =
        static_cast<float4 *>(ooze_machine_alloc(machine, machine->n, sizeof *step->edge_sum));
    step->density =
        static_cast<float *>(ooze_machine_alloc(machine, machine->n, sizeof *step->density));
#define GATHERS(LANES) gathers<LANES>(step)
    OOZE_LANES(step->machine->all, GATHERS);
    ooze_machine_lap(step->machine, "gather");
    return OOZE_OK;
}

/* L = (sum u_ji g^T) B, walls included; returned to all lanes. */
template <int LANES>
OOZE_DEVICE OozeMat3 gradient_of(const StressView &s, const float4 *u, uint32_t i, uint32_t lane)
{
    OozeMat3 raw = {{0, 0, 0, 0, 0, 0, 0, 0, 0}};
    const float4 own = u[i];
    auto add = [&](float4 other, float f, float4 d) {
        const float v[3] = {f * (own.x - other.x), f * (own.y - other.y), f * (own.z - other.z)};
        for (int k = 0; k < 3; k++) {
            raw.m[3 * k] += v[k] * d.x;
            raw.m[3 * k + 1] += v[k] * d.y;
            raw.m[3 * k + 2] += v[k] * d.z;
        }
    };
    each_edge<LANES>(s, i, lane, [&](uint32_t j, float f, float4 d) { add(u[j], f, d); });
    each_wall_edge<LANES>(s, i, lane, [&](uint32_t b, float f, float4 d) {
        add(s.pairs.boundary.velocity[b], f, d);
    });
    for (int k = 0; k < 9; k++) {
        raw.m[k] = lanes_sum<LANES>(raw.m[k]);
    }
    return ooze_mat3_mul_sym3(raw, s.correction[i]);
}

OOZE_DEVICE const OozeStressMaterial &material_of(const StressView &s, uint32_t i)
{
    return s.materials[s.material[i]];
}

/* ---- stability ---- */

static void find_stiffness(OozeStressStep *step)
{
    const StressView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            s.stiffness[i] = ooze_stress_particle_stiffness(
                &material_of(s, i), s.strain + 8 * (uint64_t)i, s.correction[i], s.dt);
        });
}

template <int LANES> static void loads(OozeStressStep *step)
{
    const StressView s = view_of(step);
    for_lanes<LANES>(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float own = s.stiffness[i];
            float sum = 0.0f;
            each_edge<LANES>(s, i, lane, [&](uint32_t j, float f, float4) {
                sum += ooze_stress_row_term(own, s.stiffness[j], f);
            });
            each_wall_edge<LANES>(s, i, lane, [&](uint32_t, float f, float4) {
                sum += ooze_stress_wall_row_term(own, f);
            });
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                s.load[i] = sum / (float)material_of(s, i).relative_mass;
            }
        });
}

static void find_load(OozeStressStep *step)
{
#define LOADS(LANES) loads<LANES>(step)
    OOZE_LANES(step->machine->all, LOADS);
}

/* ---- velocities ---- */

OOZE_DEVICE float4 apply_flux(const OozeStressFlux &f, float4 g)
{
    return f32x4(dot(f.row[0], g), dot(f.row[1], g), dot(f.row[2], g));
}

template <int LANES> static void fluxes(OozeStressStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const StressView s = view_of(step);
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeMat3 l = gradient_of<LANES>(s, s.u, i, lane);
            if (lane != 0) {
                return;
            }
            const OozeStressMaterial &m = material_of(s, i);
            const OozeSym3 stress = ooze_stress_of(&m, s.strain + 8 * (uint64_t)i, l);
            const float n = ooze_stress_hourglass(&m, s.correction[i]);
            const OozeMat3 f = ooze_stress_flux(stress, s.correction[i], l, n);
            s.flux[i].row[0] = f32x4(f.m[0], f.m[1], f.m[2], n);
            s.flux[i].row[1] = f32x4(f.m[3], f.m[4], f.m[5]);
            s.flux[i].row[2] = f32x4(f.m[6], f.m[7], f.m[8]);
        });
}

static void find_flux(OozeStressStep *step)
{
#define FLUXES(LANES) fluxes<LANES>(step)
    OOZE_LANES(step->machine->all, FLUXES);
}

template <int LANES> static void forces(OozeStressStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const StressView s = view_of(step);
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 own = s.u[i];
            const float n = s.flux[i].row[0].w;
            float4 force = f32x4(0, 0, 0);
            each_edge<LANES>(s, i, lane, [&](uint32_t j, float f, float4 d) {
                const OozeStressFlux &other = s.flux[j];
                force = force + f * ((n + other.row[0].w) * (s.u[j] - own) - apply_flux(other, d));
            });
            each_wall_edge<LANES>(s, i, lane, [&](uint32_t b, float f, float4) {
                force = force + n * f * (s.pairs.boundary.velocity[b] - own);
            });
            force = lanes_sum<LANES>(force);
            if (lane == 0) {
                const float mass = (float)material_of(s, i).relative_mass, dt = (float)s.dt;
                force = force + apply_flux(s.flux[i], s.edge_sum[i]);
                s.next_u[i] = f32x4(own.x + dt * (s.gravity.x + force.x / mass),
                                    own.y + dt * (s.gravity.y + force.y / mass),
                                    own.z + dt * (s.gravity.z + force.z / mass));
            }
        });
}

static void apply_forces(OozeStressStep *step)
{
#define FORCES(LANES) forces<LANES>(step)
    OOZE_LANES(step->machine->all, FORCES);
}

/* ---- positions and density ---- */

static bool finds_neighbours(OozeStressStep *step)
{
    const StressView s = view_of(step);
    Gpu *gpu = gpu_of(step->machine);
    if (gpu->share) {
        const OozePeriodic periodic = s.pairs.periodic;
        for_each(
            gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
                s.shift[i] = separation(periodic, s.next_x[i], s.pairs.x[i]);
            });
    }
    return ghosts_suffice(gpu, s.shift, nullptr, s.pairs.n, 1.0f, s.pairs.kernel.support);
}

static void find_density_target(OozeStressStep *step, float kept_share)
{
    const StressView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            s.density_target[i] =
                ooze_stress_density_target(ooze_stress_excess(s.density[i]), kept_share);
        });
}

static OozeStatus solve_density(OozeStressStep *step, OozeDensityJob *settings, OozeError *error)
{
    const DensityJob job = {*settings, {}};
    ooze_machine_refresh(step->machine, step->next_x, sizeof *step->next_x);
    return density_solve(engine_of(step->machine), &job, step->next_x, step->shift, error);
}

static void add_shift(OozeStressStep *step)
{
    const StressView s = view_of(step);
    const float dt = (float)s.dt;
    for_each(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            const float4 shift = s.shift[i], u = s.next_u[i];
            s.next_x[i] = s.next_x[i] + shift;
            s.next_u[i] = f32x4(u.x + shift.x / dt, u.y + shift.y / dt, u.z + shift.z / dt);
        });
}

/* ---- conformation ---- */

template <int LANES> static void strains(OozeStressStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const StressView s = view_of(step);
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeMat3 l = gradient_of<LANES>(s, s.next_u, i, lane);
            if (lane == 0) {
                ooze_stress_carry(s.strain + 8 * (uint64_t)i, l, (float)material_of(s, i).rate,
                                  (float)s.dt);
            }
        });
}

static void carry_strain(OozeStressStep *step)
{
#define STRAINS(LANES) strains<LANES>(step)
    OOZE_LANES(step->machine->all, STRAINS);
}

static const OozeStressStages stages = {
    gather,           find_stiffness,      find_load,     find_flux, apply_forces,
    finds_neighbours, find_density_target, solve_density, add_shift, carry_strain,
};

static OozeStatus step(Engine *engine, void *, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = machine_of(engine, context);
    return ooze_stress_step(&machine, &stages, nullptr, error);
}

const DeviceMethod stress_method = {
    "stress", nullptr, nullptr, nullptr, step,
};

} // namespace ooze
