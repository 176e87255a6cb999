/* Surface tension: see methods/conformation/cpu/surface_tension.c. */
#include "cuda/ranks.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/step.cuh"
#include "methods/conformation/cuda/surface_tension.cuh"

#include "base/angle.h"
#include "methods/conformation/surface_tension_formula.h"
#include "physics/lattice.h"

namespace ooze
{

/* Captured by loop bodies; arrays in the order of the grid have an element n, of weight 0. */
struct SurfaceView {
    StepView s;
    ListView list;
    const uint32_t *order;
    OozeSurfaceEnergy e;
    bool liquids, walls;
    const float4 *x;
    const uint16_t *material, *liquid; /* in the order of the store, and of the grid */
    float4 *slope[OOZE_SURFACE_WALL];
    const float *solid_cosine;
    float4 *wall_slope; /* of each particle, for dynamic solids; NULL: there are none */
};

OOZE_DEVICE float4 field_of(const OozeSurfaceEnergy &e, Delta d, float w2)
{
    float g = e.gradient * w2;
    float4 field = f32x4(g * d.x, g * d.y, g * d.z);
    field.w = -e.deficit * w2;
    return field;
}

OOZE_DEVICE void add_to(float4 *sum, float4 a)
{
    sum->x += a.x;
    sum->y += a.y;
    sum->z += a.z;
    sum->w += a.w;
}

template <int LANES> OOZE_DEVICE float4 lanes_sum4(float4 a)
{
    float4 sum = f32x4(lanes_sum<LANES>(a.x), lanes_sum<LANES>(a.y), lanes_sum<LANES>(a.z));
    sum.w = lanes_sum<LANES>(a.w);
    return sum;
}

OOZE_DEVICE void set_part(OozeSurfaceParts *parts, int kind, float4 a)
{
    parts->kind[kind][0] = a.x;
    parts->kind[kind][1] = a.y;
    parts->kind[kind][2] = a.z;
    parts->kind[kind][3] = a.w;
}

OOZE_DEVICE float4 part_of(const OozeSurfaceParts &parts, int kind)
{
    float4 a = f32x4(parts.kind[kind][0], parts.kind[kind][1], parts.kind[kind][2]);
    a.w = parts.kind[kind][3];
    return a;
}

/* (N, d) of walls, and the mean adhesion to those that the particle sees. */
OOZE_DEVICE float4 wall_field(const SurfaceView &t, uint32_t i, float *adhesion)
{
    const float4 here = t.s.x0[i];
    const float cosine = t.s.rheology[t.s.material[i]].contact_cosine;
    float4 sum = f32x4(0, 0, 0);
    float weighted = 0.0f;
    sum.w = 0.0f;
    each_wall(t.s, i, [&](uint32_t b) {
        Delta d = delta<true>(t.s, here, t.s.walls.position[b]);
        float w = ooze_surface_weight(d.r2, t.e.wall_inverse2);
        float v = t.s.walls.volume[b] * w * w * w, g = t.e.wall_gradient * v;
        float filled = t.e.wall_deficit * v;
        sum.x += g * d.x;
        sum.y += g * d.y;
        sum.z += g * d.z;
        sum.w -= filled;
        weighted += filled * ooze_surface_adhesion(cosine, t.solid_cosine[t.s.walls.solid[b]]);
    });
    *adhesion = sum.w < 0.0f ? -weighted / sum.w : 0.0f;
    return sum;
}

/* Force of a sample on particle i, whose slopes of walls are p. */
OOZE_DEVICE float4 wall_force(const SurfaceView &t, uint32_t i, uint32_t b, float4 p)
{
    Delta d = delta<true>(t.s, t.s.x0[i], t.s.walls.position[b]);
    float w = ooze_surface_weight(d.r2, t.e.wall_inverse2), central;
    float straight = ooze_surface_wall_force(&t.e, w, t.s.walls.volume[b],
                                             d.x * p.x + d.y * p.y + d.z * p.z, p.w, &central);
    return f32x4(straight * p.x + central * d.x, straight * p.y + central * d.y,
                 straight * p.z + central * d.z);
}

/* The impulse of walls with these slopes on particle i. */
OOZE_DEVICE void push_from_walls(const SurfaceView &t, uint32_t i, float4 p)
{
    float4 force = f32x4(0, 0, 0);
    each_wall(t.s, i, [&](uint32_t b) { force = force + wall_force(t, i, b, p); });
    t.s.surface_impulse[i] = (t.s.dt * t.s.mobility[i]) * force;
    if (t.wall_slope) {
        t.wall_slope[i] = p;
    }
}

template <int LANES, bool WRAPS> static void slopes_loop(Step *step, SurfaceView t)
{
    for_lanes<LANES>(
        step->gpu, t.s.n, OOZE_BODY(uint32_t k, uint32_t lane) {
            const float4 here = t.x[k];
            float4 sums[2] = {f32x4(0, 0, 0), f32x4(0, 0, 0)};
            sums[0].w = sums[1].w = 0.0f;
            each_neighbour<LANES>(t.list, k, lane, [&](uint32_t j) {
                Delta d = delta<WRAPS>(t.s, here, t.x[j]);
                float w = ooze_surface_weight(d.r2, t.e.inverse2);
                bool other = t.liquids && t.liquid[j] != t.liquid[k];
                add_to(&sums[other ? 1 : 0], field_of(t.e, d, w * w));
            });
            sums[0] = lanes_sum4<LANES>(sums[0]);
            sums[1] = lanes_sum4<LANES>(sums[1]);
            if (lane != 0) {
                return;
            }
            const uint32_t i = t.order[k];
            float adhesion = 0.0f;
            float4 walls = f32x4(0, 0, 0);
            walls.w = 0.0f;
            OozeSurfaceParts parts;
            sums[0].w += 1.0f;
            if (t.walls) {
                walls = wall_field(t, i, &adhesion);
            }
            set_part(&parts, OOZE_SURFACE_OWN, sums[0]);
            set_part(&parts, OOZE_SURFACE_OTHER, sums[1]);
            set_part(&parts, OOZE_SURFACE_WALL, walls);
            parts = ooze_surface_slopes(&t.e, &t.s.rheology[t.s.material[i]], adhesion, &parts);
            t.slope[OOZE_SURFACE_OWN][k] = part_of(parts, OOZE_SURFACE_OWN);
            if (t.liquids) {
                t.slope[OOZE_SURFACE_OTHER][k] = part_of(parts, OOZE_SURFACE_OTHER);
            }
            t.s.surface_impulse[i] = f32x4(0, 0, 0);
            if (t.walls) {
                push_from_walls(t, i, part_of(parts, OOZE_SURFACE_WALL));
            }
        });
}

template <int LANES, bool WRAPS> static void forces_loop(Step *step, SurfaceView t)
{
    for_lanes<LANES>(
        step->gpu, t.s.n, OOZE_BODY(uint32_t k, uint32_t lane) {
            const float4 here = t.x[k];
            float4 force = f32x4(0, 0, 0);
            each_neighbour<LANES>(t.list, k, lane, [&](uint32_t j) {
                Delta d = delta<WRAPS>(t.s, here, t.x[j]);
                float w = ooze_surface_weight(d.r2, t.e.inverse2);
                bool other = t.liquids && t.liquid[j] != t.liquid[k];
                const float4 *slope = t.slope[other ? OOZE_SURFACE_OTHER : OOZE_SURFACE_OWN];
                float4 a = slope[k], b = slope[j];
                float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
                float straight = t.e.gradient * w * w;
                float along = t.e.gradient * (x * d.x + y * d.y + z * d.z);
                float central = 4.0f * t.e.inverse2 * w * (t.e.deficit * (a.w + b.w) - along);
                force.x += straight * x + central * d.x;
                force.y += straight * y + central * d.y;
                force.z += straight * z + central * d.z;
            });
            force = lanes_sum<LANES>(force);
            if (lane == 0) {
                const uint32_t i = t.order[k];
                float4 impulse = t.s.surface_impulse[i] + (t.s.dt * t.s.mobility[i]) * force;
                t.s.surface_impulse[i] = impulse;
                t.s.u[i] = t.s.u[i] + impulse;
            }
        });
}

/* Positions, and materials, in the order of the grid. */
static void load(Step *step, const SurfaceView &view, float4 *x, uint16_t *liquid)
{
    const SurfaceView t = view;
    for_each(
        step->gpu, (uint64_t)t.s.n + 1, OOZE_BODY(uint32_t k) {
            bool padding = k == t.s.n;
            x[k] = t.s.x0[padding ? k : t.order[k]];
            if (t.liquids) {
                liquid[k] = padding ? 0 : t.material[t.order[k]];
            }
        });
}

void surface_lists_free(Gpu *gpu, SurfaceLists *lists)
{
    grid_free(gpu, &lists->grid);
    lists_free(gpu, &lists->near);
}

/* Of ghosts, whose lists lack neighbours. */
static void refresh_slopes(Step *step, const SurfaceView &t)
{
    Gpu *gpu = step->gpu;
    if (!gpu->share) {
        return;
    }
    uint32_t *place = scratch<uint32_t>(gpu, t.s.n);
    const uint32_t *order = t.order;
    for_each(
        gpu, t.s.n, OOZE_BODY(uint32_t k) { place[order[k]] = k; });
    for (int kind = 0; kind < (t.liquids ? 2 : 1); kind++) {
        refresh_part(gpu, {t.slope[kind], sizeof(float4), sizeof(float4), 0, place});
    }
}

/* Contact angles of the solids, in scratch memory. */
static const float *send_cosines(Step *step)
{
    const OozeStepContext *c = step->context;
    uint64_t n = (uint64_t)c->solid_count;
    float *host = static_cast<float *>(ooze_arena_alloc(c->arena, n, sizeof(float)));
    float *cosine = scratch<float>(step->gpu, n + 1);
    for (uint64_t k = 0; host && k < n; k++) {
        host[k] = (float)cos(ooze_radians(c->solids[k].params[OOZE_SOLID_CONTACT_ANGLE]));
    }
    if (host && n > 0) {
        copy_in(step->gpu, cosine, host, n * sizeof *host);
    }
    return cosine;
}

/* Velocities of dynamic solids with the opposite of the forces on particles. */
struct PullSolid {
    OozeDynamicSolid *solids;
    double dt;
    __device__ void operator()(int k, const OozeTwist &sum) const
    {
        OozeDynamicSolid *solid = &solids[k];
        const OozeTwist change = ooze_coupling_velocity_change(solid, &sum);
        ooze_twist_add(&solid->motion_star, -dt, &change);
        solid->motion = solid->motion_star;
    }
};

static void pull_solids(Step *step, const SurfaceView &surface)
{
    const StepDynamic *dynamic = step->dynamic;
    if (!dynamic) {
        return;
    }
    const SurfaceView t = surface;
    const OozeVec3 *arm = dynamic->arm;
    PullSolid pull = {dynamic->view.solids, (double)step->view.dt};
    dynamic_sums_of_list(
        step->gpu, dynamic->view, dynamic->near,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            each_wall(t.s, i, [&](uint32_t b) {
                if (t.s.dynamic_of[b] == k) {
                    float4 force = wall_force(t, i, b, t.wall_slope[i]);
                    ooze_coupling_add(sum, arm[b],
                                      vec3((double)force.x, (double)force.y, (double)force.z));
                }
            });
        },
        pull);
    dynamic_spread(step, true);
}

OozeStatus apply_surface_tension(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    const OozeStepContext *c = step->context;
    const OozeConformationPlan *plan = step->view.plan;
    if (!(plan->largest_surface_tension > 0.0f)) {
        return OOZE_OK;
    }
    Gpu *gpu = step->gpu;
    SurfaceLists *own = step->surface;
    uint64_t n = step->view.n;
    step->view.surface_impulse = scratch<float4>(gpu, n);
    Mark mark = scratch_mark(gpu);
    const double reach = OOZE_SURFACE_REACH * c->support;
    own->grid.known_box = gpu->share ? &gpu->share->box : nullptr;
    OozeStatus status = grid_sort(gpu, &own->grid, step->view.x0, n, reach, &c->periodic, error);
    if (status) {
        return status;
    }
    SurfaceView t = {};
    t.s = step->view;
    t.order = own->grid.order;
    t.e = ooze_surface_energy(c->spacing, c->support,
                              ooze_lattice_sample_volume(c->spacing, c->support));
    t.liquids = plan->interfaces;
    t.walls = step->view.near_walls.begin != nullptr;
    t.material = static_cast<const uint16_t *>(store_data(&step->engine->store, "material"));
    float4 *x = scratch<float4>(gpu, n + 1);
    uint16_t *liquid = scratch<uint16_t>(gpu, t.liquids ? n + 1 : 0);
    t.x = x;
    t.liquid = liquid;
    t.slope[OOZE_SURFACE_OWN] = scratch<float4>(gpu, n + 1);
    t.slope[OOZE_SURFACE_OTHER] = scratch<float4>(gpu, t.liquids ? n + 1 : 0);
    for (int kind = 0; kind < (t.liquids ? 2 : 1); kind++) {
        clear(gpu, t.slope[kind] + n, sizeof(float4));
    }
    t.solid_cosine = send_cosines(step);
    t.wall_slope = step->dynamic ? scratch<float4>(gpu, n) : nullptr;
    load(step, t, x, liquid);
    status = lists_build(gpu, &own->near, &own->grid, {x, n, x, reach, true}, error);
    if (!status) {
        t.list = view(&own->near);
#define SURFACE_SLOPES(lanes, wraps) slopes_loop<lanes, wraps>(step, t)
#define SURFACE_FORCES(lanes, wraps) forces_loop<lanes, wraps>(step, t)
        OOZE_EACH_KIND(step, SURFACE_SLOPES);
        refresh_slopes(step, t);
        OOZE_EACH_KIND(step, SURFACE_FORCES);
        pull_solids(step, t);
    }
    scratch_rewind(gpu, mark);
    ooze_timer_lap(c->timer, "surface_tension");
    return status;
}

} // namespace ooze
