/* One substep of the stress method on the device, in the order of methods/stress/method.c. */
#include "cuda/contact_sweep.cuh"
#include "cuda/density.cuh"
#include "cuda/method.cuh"
#include "cuda/pairs.cuh"
#include "cuda/rank_sums.cuh"

extern "C" {
#include "methods/stress/particle_formula.h"
#include "physics/gradient_correction.h"
#include "physics/kernels.h"
#include "physics/lattice.h"
}

namespace ooze
{

/* Of OozeGather. */
struct StressKernel {
    float support, volume, wall_scale;
};

/* Captured by loop bodies. Arrays in the order of the store. */
struct StressView {
    PairView<StressKernel> pairs; /* positions at the beginning of the substep */
    ContactView contact;
    double dt;
    float4 gravity;
    const OozeStressMaterial *materials;
    const uint16_t *material;
    const float4 *u; /* velocities at the beginning of the substep */
    float *strain;   /* eight floats a particle */
    /* n + 1, scratch */
    OozeSym3 *correction;
    float4 *edge_sum; /* sum of edges g = f x_ji */
    float *density, *density_target;
    float *stiffness; /* w of the stability bound */
    float4 *flux;     /* three a particle: rows of F, with n in the last lane of the first */
    float4 *next_x, *next_u, *shift;
};

struct StressStep {
    Engine *engine;
    Gpu *gpu;
    OozeStepContext *context;
    StressView view;
};

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
    const float volume = s.pairs.boundary.clings[b] ? s.pairs.boundary.volume[b] : 0.0f;
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
template <int LANES> static void gather(Gpu *gpu, const StressView &view)
{
    const StressView s = view;
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

template <int LANES> static float worst_row(Gpu *gpu, const StressView &view)
{
    const StressView s = view;
    float *row = s.density_target; /* not set yet */
    for_each(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            s.stiffness[i] = ooze_stress_particle_stiffness(
                &material_of(s, i), s.strain + 8 * (uint64_t)i, s.correction[i], s.dt);
        });
    refresh(gpu, s.stiffness, sizeof *s.stiffness);
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
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
                row[i] = sum / (float)material_of(s, i).relative_mass;
            }
        });
    Max1 none = {0.0f};
    return sum_particles_to_host(
               gpu, s.pairs.n, none, OOZE_BODY(uint32_t i)->Max1 { return {row[i]}; })
        .a;
}

/* Whether the step is longer than the bound of the present state, and can be divided. Waits. */
static bool is_unstable(StressStep *step)
{
    const OozeStepContext *c = step->context;
    float worst = 0.0f;
    if (isinf(c->longest_travel)) {
        return false;
    }
#define WORST_ROW(LANES) worst = worst_row<LANES>(step->gpu, step->view)
    OOZE_LANES(all_particles(step->gpu, step->view.pairs.n), WORST_ROW);
    ooze_timer_lap(c->timer, "stability");
    return ooze_stress_exceeds_bound(c, worst);
}

/* ---- velocities ---- */

OOZE_DEVICE float4 apply_flux(const float4 *flux, float4 g)
{
    return f32x4(dot(flux[0], g), dot(flux[1], g), dot(flux[2], g));
}

template <int LANES> static void find_fluxes(Gpu *gpu, const StressView &view)
{
    const StressView s = view;
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
            float4 *to = s.flux + 3 * (uint64_t)i;
            to[0] = f32x4(f.m[0], f.m[1], f.m[2], n);
            to[1] = f32x4(f.m[3], f.m[4], f.m[5]);
            to[2] = f32x4(f.m[6], f.m[7], f.m[8]);
        });
}

template <int LANES> static void kick(Gpu *gpu, const StressView &view)
{
    const StressView s = view;
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 own = s.u[i], *flux = s.flux + 3 * (uint64_t)i;
            const float n = flux[0].w;
            float4 force = f32x4(0, 0, 0);
            each_edge<LANES>(s, i, lane, [&](uint32_t j, float f, float4 d) {
                const float4 *other = s.flux + 3 * (uint64_t)j;
                force = force + f * ((n + other[0].w) * (s.u[j] - own) - apply_flux(other, d));
            });
            each_wall_edge<LANES>(s, i, lane, [&](uint32_t b, float f, float4) {
                force = force + n * f * (s.pairs.boundary.velocity[b] - own);
            });
            force = lanes_sum<LANES>(force);
            if (lane == 0) {
                const float mass = (float)material_of(s, i).relative_mass, dt = (float)s.dt;
                force = force + apply_flux(flux, s.edge_sum[i]);
                s.next_u[i] = f32x4(own.x + dt * (s.gravity.x + force.x / mass),
                                    own.y + dt * (s.gravity.y + force.y / mass),
                                    own.z + dt * (s.gravity.z + force.z / mass));
            }
        });
}

/* ---- positions and density ---- */

static void advect(StressStep *step)
{
    const StressView s = step->view;
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            const float4 x = s.pairs.x[i];
            float4 u = s.next_u[i], to = x + (float)s.dt * u;
            if (s.contact.solids.count > 0) {
                contact_advance(s.contact, x, &to, &u);
                s.next_u[i] = u;
            }
            s.next_x[i] = f32x4(to.x, to.y, to.z);
        });
}

/* Sum and largest of the densities above rest. */
struct StressExcess {
    double sum;
    float worst;
    __device__ void operator+=(const StressExcess &o)
    {
        sum += o.sum;
        worst = o.worst > worst ? o.worst : worst;
    }
};

static OozeStatus correct_density(StressStep *step, OozeError *error)
{
    const StressView s = step->view;
    const OozeStepContext *c = step->context;
    const float kept_share = ooze_stress_kept_share(c);
    StressExcess none = {};
    StressExcess all = sum_particles_to_host(
        step->gpu, s.pairs.n, none, OOZE_BODY(uint32_t i)->StressExcess {
            const float excess = ooze_stress_excess(s.density[i]);
            s.density_target[i] = ooze_stress_density_target(excess, kept_share);
            return {(double)excess, excess};
        });
    c->report->worst_density_error = (double)all.worst;
    c->report->mean_density_error = all.sum / (double)all_particles(step->gpu, s.pairs.n);
    refresh(step->gpu, s.next_x, sizeof *s.next_x);
    DensityJob job = {};
    job.context = c;
    job.n = s.pairs.n;
    job.support = s.pairs.kernel.support;
    job.volume = s.pairs.kernel.volume;
    job.wall_scale = s.pairs.kernel.wall_scale;
    job.contact = (float)(c->params[OOZE_STRESS_CONTACT_DISTANCE] * c->spacing);
    job.iterations = (int)c->params[OOZE_STRESS_DENSITY_ITERATIONS];
    job.tolerance = -1.0f;
    job.plain = true;
    job.density_target = s.density_target;
    OozeStatus result = density_solve(step->engine, &job, s.next_x, s.shift, error);
    const float dt = (float)s.dt;
    for_each(
        step->gpu, result ? 0 : s.pairs.n, OOZE_BODY(uint32_t i) {
            const float4 shift = s.shift[i], u = s.next_u[i];
            s.next_x[i] = s.next_x[i] + shift;
            s.next_u[i] = f32x4(u.x + shift.x / dt, u.y + shift.y / dt, u.z + shift.z / dt);
        });
    return result;
}

/* ---- conformation ---- */

template <int LANES> static void carry_strain(Gpu *gpu, const StressView &view)
{
    const StressView s = view;
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeMat3 l = gradient_of<LANES>(s, s.next_u, i, lane);
            if (lane == 0) {
                ooze_stress_carry(s.strain + 8 * (uint64_t)i, l, (float)material_of(s, i).rate,
                                  (float)s.dt);
            }
        });
}

static void store_results(StressStep *step)
{
    const StressView s = step->view;
    float4 *x = store_positions(&step->engine->store), *u = store_velocities(&step->engine->store);
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            const float4 to = s.next_x[i];
            x[i] = f32x4(to.x, to.y, to.z);
            u[i] = s.next_u[i];
        });
}

/* ---- the step ---- */

static OozeStatus send_materials(StressStep *step, OozeError *error)
{
    const OozeStepContext *c = step->context;
    uint64_t count = (uint64_t)c->material_count;
    OozeStressMaterial *rows =
        static_cast<OozeStressMaterial *>(ooze_arena_alloc(c->arena, count, sizeof *rows));
    OozeStressMaterial *sent = scratch<OozeStressMaterial>(step->gpu, count);
    if (!rows) {
        return ooze_fail_memory(error, "materials", count * sizeof *rows);
    }
    for (uint64_t k = 0; k < count; k++) {
        rows[k] = ooze_stress_substep_material(c, (int)k);
    }
    copy_in(step->gpu, sent, rows, count * sizeof *rows);
    step->view.materials = sent;
    return OOZE_OK;
}

static void describe(StressStep *step)
{
    const OozeStepContext *c = step->context;
    const Engine *engine = step->engine;
    const Store *store = &engine->store;
    Gpu *gpu = step->gpu;
    StressView *s = &step->view;
    const uint64_t n = store->n;
    s->pairs.n = (uint32_t)n;
    s->pairs.x = store_positions(store);
    s->pairs.fluid = view(&engine->fluid);
    s->pairs.boundary = engine->walls.view;
    s->pairs.periodic = c->periodic;
    s->pairs.kernel = {(float)c->support, (float)(1.0 / ooze_lattice_sum(c->spacing, c->support)),
                       (float)ooze_lattice_wall_scale(c->spacing, c->support)};
    if (engine->walls.count > 0) {
        s->pairs.walls = view(&engine->fluid_walls);
    }
    s->contact.solids = engine->solids.view;
    s->contact.rule = ooze_stress_contact_rule(c);
    s->dt = c->dt;
    s->gravity = f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z);
    s->material = static_cast<const uint16_t *>(store_data(store, "material"));
    s->u = store_velocities(store);
    s->strain = static_cast<float *>(store_data(store, "conformation"));
    s->correction = scratch<OozeSym3>(gpu, n);
    s->edge_sum = scratch<float4>(gpu, n);
    s->density = scratch<float>(gpu, n);
    s->density_target = scratch<float>(gpu, n);
    s->stiffness = scratch<float>(gpu, n);
    s->flux = scratch<float4>(gpu, 3 * n);
    s->next_x = scratch<float4>(gpu, n);
    s->next_u = scratch<float4>(gpu, n);
    s->shift = scratch<float4>(gpu, n);
}

/* Whether ghosts suffice for the neighbours of the next positions. */
static bool finds_neighbours(StressStep *step)
{
    const StressView s = step->view;
    if (step->gpu->share) {
        const OozePeriodic periodic = s.pairs.periodic;
        for_each(
            step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
                s.shift[i] = separation(periodic, s.next_x[i], s.pairs.x[i]);
            });
    }
    return ghosts_suffice(step->gpu, s.shift, nullptr, s.pairs.n, 1.0f, s.pairs.kernel.support);
}

static OozeStatus finish(StressStep *step, OozeError *error)
{
#define FIND_FLUXES(LANES)  find_fluxes<LANES>(step->gpu, step->view)
#define KICK(LANES)         kick<LANES>(step->gpu, step->view)
#define CARRY_STRAIN(LANES) carry_strain<LANES>(step->gpu, step->view)
    OozeStepTimer *timer = step->context->timer;
    OOZE_LANES(all_particles(step->gpu, step->view.pairs.n), FIND_FLUXES);
    refresh(step->gpu, step->view.flux, 3 * sizeof *step->view.flux);
    OOZE_LANES(all_particles(step->gpu, step->view.pairs.n), KICK);
    ooze_timer_lap(timer, "forces");
    advect(step);
    ooze_timer_lap(timer, "contact");
    if (!finds_neighbours(step)) {
        return OOZE_OK;
    }
    OozeStatus result = correct_density(step, error);
    if (!result) {
        refresh(step->gpu, step->view.next_u, sizeof *step->view.next_u);
        OOZE_LANES(all_particles(step->gpu, step->view.pairs.n), CARRY_STRAIN);
        ooze_timer_lap(timer, "stress");
        store_results(step);
        ooze_timer_lap(timer, "store");
        result = status(step->gpu, step->view.pairs.n, error);
    }
    return result;
}

static OozeStatus step(Engine *engine, void *, OozeStepContext *context, OozeError *error)
{
    StressStep step = {};
    step.engine = engine;
    step.gpu = &engine->gpu;
    step.context = context;
    if (all_particles(step.gpu, engine->store.n) == 0) {
        return OOZE_OK;
    }
    describe(&step);
    OozeStatus result = send_materials(&step, error);
    if (result) {
        return result;
    }
#define GATHER(LANES) gather<LANES>(step.gpu, step.view)
    OOZE_LANES(all_particles(step.gpu, step.view.pairs.n), GATHER);
    ooze_timer_lap(context->timer, "gather");
    if (is_unstable(&step)) {
        context->report->too_far = true;
        return status(step.gpu, engine->store.n, error);
    }
    return finish(&step, error);
}

const DeviceMethod stress_method = {
    "stress", nullptr, nullptr, nullptr, step, nullptr, nullptr, shares_all_steps,
};

} // namespace ooze
