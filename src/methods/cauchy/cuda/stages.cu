/* Stages of the method cauchy on the GPU: the beginning of a step, walls, edges, forces and the
   end. */
#include "cuda/shape_distance.cuh"
#include "methods/cauchy/cuda/step.cuh"

namespace ooze
{

CauchyView view_of(const OozeCauchyStep *step)
{
    const OozeStepContext *c = step->machine->context;
    const Engine *engine = engine_of(step->machine);
    CauchyView s = {};
    static_cast<OozeCauchyStep &>(s) = *step;
    s.n = (uint32_t)step->machine->n;
    s.x0 = step->x;
    s.fluid = view(&engine->fluid);
    if (engine->walls.count > 0) {
        s.near_walls = view(&engine->fluid_walls);
    }
    s.walls = engine->walls.view;
    s.solids = engine->solids.view;
    s.periodic = c->periodic;
    s.inverse2 = 1.0f / (s.k.support * s.k.support);
    s.strain = s.k.strain_scale;
    s.wall_strain = s.k.wall_strain_scale * s.k.inverse_sample;
    s.mps_weight = step->own->mps_weight;
    s.coefficient = step->own->coefficient;
    return s;
}

/* ---- the beginning ---- */

static void prepare(OozeCauchyStep *step)
{
    const Engine *engine = engine_of(step->machine);
    OozeArena *arena = step->machine->context->arena;
    step->own = static_cast<OozeCauchyOwn *>(ooze_arena_alloc(arena, 1, sizeof *step->own));
    step->x = store_positions(&engine->store);
    clear(gpu_of(step), step->solves, sizeof *step->solves);
    if (step->own) {
        *step->own = {};
        step->own->mps_weight = scratch<float4>(gpu_of(step), engine->fluid.quads);
    }
}

static void find_rows(OozeCauchyStep *step, const OozeCauchyTable *tables, uint16_t *row)
{
    const double *temperature =
        static_cast<const double *>(ooze_machine_field(step->machine, "temperature"));
    const uint16_t *material = step->material;
    for_each(
        gpu_of(step), step->machine->n, OOZE_BODY(uint32_t i) {
            row[i] = (uint16_t)ooze_cauchy_row(tables, material[i], temperature[i]);
        });
}

static void load(OozeCauchyStep *step)
{
    const CauchyView s = view_of(step);
    const float4 gravity = gravity_of(step->machine);
    const float4 *velocity = store_velocities(&engine_of(step->machine)->store);
    for_each(
        gpu_of(step), (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            if (i == s.n) { /* padding of lists */
                s.x[i] = make_float4(0, 0, 0, OOZE_DUMMY_FAR);
                s.u[i] = f32x4(0, 0, 0);
                s.mobility[i] = s.last_pressure[i] = 0.0f;
                s.pressure_correction[i] = ooze_sym3_identity(0);
                return;
            }
            ooze_cauchy_load(&s, i, velocity[i], gravity);
        });
}

/* ---- walls and edges ---- */

static OozeStatus find_walls(OozeCauchyStep *step, OozeError *)
{
    const CauchyView s = view_of(step);
    for_each(
        gpu_of(step), s.n, OOZE_BODY(uint32_t i) {
            const float4 x = s.x0[i];
            OozeContact surfaces[OOZE_ALL_SURFACES_MAX];
            int count = 0;
            for (int k = 0; k < s.solids.count; k++) {
                const SolidView &solid = s.solids.items[k];
                if (solid_near(solid, x, s.k.support, true)) {
                    count += ooze_cauchy_surfaces(&solid.shape, &solid.pose, widen(x), s.spacing,
                                                  (double)s.k.support, surfaces + count,
                                                  OOZE_ALL_SURFACES_MAX - count);
                }
            }
            s.wall[i] = ooze_cauchy_wall(&s.k, surfaces, count);
        });
    return OOZE_OK;
}

/* Sums over the neighbours of a particle. */
struct CauchySums {
    OozeSym3 moment, mps_moment; /* sum x g^T, sum x h^T */
    float4 edge, mps;            /* sum g, sum h */
    float fluid, density;        /* number density of fluid; sum of the weights of densities */
};

OOZE_DEVICE void add_moment(OozeSym3 *moment, const Delta &d, float w)
{
    const float x = w * d.x, y = w * d.y, z = w * d.z;
    moment->xx += x * d.x;
    moment->yy += y * d.y;
    moment->zz += z * d.z;
    moment->xy += y * d.x;
    moment->xz += z * d.x;
    moment->yz += z * d.y;
}

OOZE_DEVICE void add_edge(float4 *sum, const Delta &d, float w)
{
    sum->x += w * d.x;
    sum->y += w * d.y;
    sum->z += w * d.z;
    sum->w += w;
}

template <int LANES, bool WRAPS>
OOZE_DEVICE CauchySums sum_fluid(const CauchyView &s, uint32_t i, uint32_t lane)
{
    CauchySums t = {
        ooze_sym3_identity(0), ooze_sym3_identity(0), f32x4(0, 0, 0), f32x4(0, 0, 0), 0.0f, 0.0f};
    const float4 here = s.x0[i];
    const float h = s.k.support;
    const bool at_wall = s.wall[i].planes > 0;
    set_weights<LANES>(s.fluid, s.mps_weight, i, lane, [&](uint32_t j) {
        const Delta d = delta<WRAPS>(s, here, s.x0[j]);
        const float w = ooze_mps_weight(sqrtf(d.r2), h), f = edge_weight(s, d.r2);
        float half = 0.5f * s.k.laplacian * w;
        if (at_wall && s.wall[j].planes > 0) {
            half *= ooze_cauchy_pair_mirror(&s.k, &s.wall[i], &s.wall[j], d.x, d.y, d.z);
        }
        t.fluid += w;
        t.density += ooze_mps_density_weight(d.r2, h);
        add_moment(&t.moment, d, f);
        add_moment(&t.mps_moment, d, half);
        add_edge(&t.edge, d, f);
        add_edge(&t.mps, d, half);
        return half;
    });
    t.moment = lanes_sum_sym3<LANES>(t.moment);
    t.mps_moment = lanes_sum_sym3<LANES>(t.mps_moment);
    const float weight = lanes_sum<LANES>(t.edge.w);
    t.edge = lanes_sum<LANES>(t.edge);
    t.edge.w = weight;
    t.mps = lanes_sum<LANES>(t.mps);
    t.fluid = lanes_sum<LANES>(t.fluid);
    t.density = lanes_sum<LANES>(t.density);
    return t;
}

/* Sets the correction of stresses and the sum of edges, with no-slip walls. */
OOZE_DEVICE void add_walls(const CauchyView &s, uint32_t i, const CauchySums &t)
{
    const float4 here = s.x0[i];
    float4 sum = t.edge;
    OozeSym3 moment = t.moment;
    unsigned count = s.fluid.count[i];
    each_wall(s, i, [&](uint32_t b) {
        const Delta d = delta<true>(s, here, s.walls.position[b]);
        const float f = wall_weight(s, d.r2, b);
        count += s.walls.no_slip[b] ? 1u : 0u;
        add_edge(&sum, d, f);
        add_moment(&moment, d, f);
    });
    s.edge_sum[i] = sum;
    s.correction[i] = ooze_gradient_correction(moment, count);
}

template <int LANES, bool WRAPS> static void gathers(OozeCauchyStep *step)
{
    const CauchyView s = view_of(step);
    for_lanes<LANES>(
        gpu_of(step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const CauchySums t = sum_fluid<LANES, WRAPS>(s, i, lane);
            if (lane != 0) {
                return;
            }
            add_walls(s, i, t);
            s.fluid_edge_sum[i] = t.edge;
            s.mps_sum[i] = t.mps;
            ooze_cauchy_set_densities(&s, i, t.fluid, t.density, t.mps_moment, s.fluid.count[i]);
        });
}

static OozeStatus gather(OozeCauchyStep *step, OozeError *)
{
#define GATHERS(lanes, wraps) gathers<lanes, wraps>(step)
    CAUCHY_EACH_KIND(step, GATHERS);
    return OOZE_OK;
}

/* ---- surface tension as a stress ---- */

template <int LANES, bool WRAPS> static void stresses(OozeCauchyTension *tension)
{
    const CauchyView s = view_of(tension->step);
    const OozeCauchyTension t = *tension;
    for_lanes<LANES>(
        gpu_of(tension->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            float filled = 0.0f;
            if (ooze_cauchy_material_of(&s, i)->surface_tension > 0.0f) {
                each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                    const Delta d = delta<WRAPS>(s, here, s.x0[j]);
                    const float f = fmaxf(1.0f - d.r2 * s.inverse2, 0.0f);
                    filled += t.numbers.filled * f * f;
                });
            }
            filled = lanes_sum<LANES>(filled);
            if (lane == 0) {
                ooze_cauchy_set_surface_stress(&s, &t, i, filled);
            }
        });
}

template <int LANES, bool WRAPS> static void pulls(OozeCauchyTension *tension)
{
    const CauchyView s = view_of(tension->step);
    const float4 *flux = tension->flux, *base = tension->base;
    for_lanes<LANES>(
        gpu_of(tension->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 force = edges_flux<LANES, WRAPS>(s, flux, i, lane);
            if (lane == 0) {
                float wetting[3] = {0.0f, 0.0f, 0.0f};
                ooze_cauchy_add_wetting(&s.k, ooze_cauchy_material_of(&s, i), &s.wall[i], wetting);
                s.force[i] = s.force[i] + base[i] + force +
                             make_float4(wetting[0], wetting[1], wetting[2], 0.0f);
            }
        });
}

static void find_surface_stress(OozeCauchyTension *tension)
{
    clear(gpu_of(tension->step), tension->flux + 3 * tension->step->machine->n, 3 * sizeof(float4));
#define STRESSES(lanes, wraps) stresses<lanes, wraps>(tension)
    CAUCHY_EACH_KIND(tension->step, STRESSES);
}

static void add_surface_stress(OozeCauchyTension *tension)
{
#define PULLS(lanes, wraps) pulls<lanes, wraps>(tension)
    CAUCHY_EACH_KIND(tension->step, PULLS);
}

/* ---- surface tension by the potential between particles ---- */

OOZE_DEVICE float4 wall_cohesion(const CauchyView &s, uint32_t i)
{
    const OozeCauchyMaterial &own = *ooze_cauchy_material_of(&s, i);
    const float4 here = s.x0[i];
    const float strength = own.adhesion * own.cohesion * s.k.inverse_sample;
    float4 force = f32x4(0, 0, 0);
    each_wall(s, i, [&](uint32_t b) {
        const Delta d = delta<true>(s, here, s.walls.position[b]);
        const float r = fmaxf(sqrtf(d.r2), 1e-3f * s.k.support);
        const float pull =
            strength * s.walls.volume[b] / r * ooze_mps_wall_cohesion(r, s.k.spacing, s.k.support);
        force = force + pull * f32x4(d.x, d.y, d.z);
    });
    return force;
}

template <int LANES, bool WRAPS> static void cohesions(OozeCauchyStep *step)
{
    const CauchyView s = view_of(step);
    for_lanes<LANES>(
        gpu_of(step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float own = ooze_cauchy_material_of(&s, i)->cohesion,
                        balance = ooze_cauchy_balance_of(&s, i);
            const float4 here = s.x0[i];
            float4 force = f32x4(0, 0, 0);
            each_weighted<LANES>(s.fluid, s.mps_weight, i, lane, [&](uint32_t j, float w) {
                if (j == s.fluid.dummy) {
                    return;
                }
                const Delta d = delta<WRAPS>(s, here, s.x0[j]);
                const float r = fmaxf(sqrtf(d.r2), 1e-3f * s.k.support);
                const float other = ooze_cauchy_material_of(&s, j)->cohesion;
                const float c = own == other ? own : sqrtf(own * other);
                const float pull = c / r * ooze_mps_cohesion(r, s.k.spacing, s.k.support) -
                                   (balance + ooze_cauchy_balance_of(&s, j)) * w;
                force = force + pull * f32x4(d.x, d.y, d.z);
            });
            force = lanes_sum<LANES>(force);
            if (lane == 0) {
                force = force + wall_cohesion(s, i) - balance * ooze_cauchy_wall_edge(&s, i);
                s.force[i] = s.force[i] + force;
            }
        });
}

static void add_cohesion(OozeCauchyStep *step)
{
#define COHESIONS(lanes, wraps) cohesions<lanes, wraps>(step)
    CAUCHY_EACH_KIND(step, COHESIONS);
}

/* ---- forces ---- */

template <int LANES, bool WRAPS>
static void accelerates(OozeCauchyStep *step, const float *p, float4 *to)
{
    const CauchyView s = view_of(step);
    for_lanes<LANES>(
        gpu_of(step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            float4 force = f32x4(0, 0, 0);
            each_weighted<LANES>(s.fluid, s.mps_weight, i, lane, [&](uint32_t j, float w) {
                const Delta d = delta<WRAPS>(s, here, s.x0[j]);
                force = force + ooze_cauchy_apply(ooze_sym3_scale(s.pressure_correction[j], p[j]),
                                                  f32x4(w * d.x, w * d.y, w * d.z));
            });
            force = lanes_sum<LANES>(force);
            if (lane == 0) {
                const OozeSym3 own = ooze_sym3_scale(s.pressure_correction[i], p[i]);
                to[i] =
                    -s.mobility[i] *
                    (force + ooze_cauchy_apply(own, s.mps_sum[i] + ooze_cauchy_wall_edge(&s, i)));
            }
        });
}

static void accelerate(OozeCauchyStep *step, const float *p, float4 *to)
{
#define ACCELERATES(lanes, wraps) accelerates<lanes, wraps>(step, p, to)
    CAUCHY_EACH_KIND(step, ACCELERATES);
}

static void apply_forces(OozeCauchyStep *step, float4 *acceleration)
{
    const CauchyView s = view_of(step);
    for_each(
        gpu_of(step), s.n, OOZE_BODY(uint32_t i) {
            float4 force = s.force[i];
            if (acceleration) {
                force = force + ooze_cauchy_material_of(&s, i)->relative_mass * acceleration[i];
            }
            s.u[i] = s.u[i] + (s.k.dt * s.mobility[i]) * force;
        });
}

/* ---- the end ---- */

template <int LANES, bool WRAPS> static void strains(OozeCauchyStep *step)
{
    const CauchyView s = view_of(step);
    for_lanes<LANES>(
        gpu_of(step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeMat3 l = velocity_gradient<LANES, WRAPS>(s, i, lane);
            if (lane == 0) {
                ooze_cauchy_carry_strain(&s, i, l);
            }
        });
}

static void carry_strain(OozeCauchyStep *step)
{
#define STRAINS(lanes, wraps) strains<lanes, wraps>(step)
    CAUCHY_EACH_KIND(step, STRAINS);
}

static void store(OozeCauchyStep *step)
{
    const CauchyView s = view_of(step);
    float4 *x = step->x, *u = store_velocities(&engine_of(step->machine)->store);
    for_each(
        gpu_of(step), s.n, OOZE_BODY(uint32_t i) {
            x[i] = s.next_x[i];
            s.pressure[i] = s.next_pressure[i];
            u[i] = s.u[i];
        });
}

static const OozeCauchyStages stages = {
    prepare,
    find_rows,
    load,
    find_walls,
    gather,
    add_cohesion,
    find_surface_stress,
    add_surface_stress,
    accelerate,
    apply_forces,
    carry_strain,
    store,
    &cauchy_velocity_stages,
    &cauchy_pressure_stages,
    &cauchy_motion_stages,
};

/* ---- the method ---- */

static OozeStatus create(Engine *, void **out, OozeError *error)
{
    *out = ooze_alloc_zero(1, sizeof(GridMultigrid));
    return *out ? OOZE_OK : ooze_fail_memory(error, "the cauchy method", sizeof(GridMultigrid));
}

static void destroy(Engine *engine, void *data)
{
    if (data) {
        grid_multigrid_free(&engine->gpu, static_cast<GridMultigrid *>(data));
        ooze_free(data);
    }
}

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = machine_of(engine, context);
    return ooze_cauchy_step(&machine, &stages, data, error);
}

const DeviceMethod cauchy_method = {
    "cauchy", nullptr, create, destroy, step,
};

} // namespace ooze
