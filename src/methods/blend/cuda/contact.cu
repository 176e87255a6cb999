/* Walls and movement on the GPU: see cpu/walls.c. */
#include "cuda/rank_sums.cuh"
#include "cuda/shape_distance.cuh"
#include "methods/blend/cuda/stages.cuh"

namespace ooze
{

OozeStatus blend_find_walls(OozeBlendStep *step, OozeError *)
{
    const BlendView s = view_of(step);
    const float h = s.k.support;
    for_each(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            const float4 x = s.x[i];
            float4 sum = f32x4(0, 0, 0);
            for (int k = 0; k < s.solids.count; k++) {
                OozeVec3 normal;
                if (!solid_near(s.solids.items[k], x, h, false)) {
                    continue;
                }
                double distance = solid_distance(s.solids.items[k], widen(x), &normal);
                sum = sum + ooze_blend_wall_gradient(distance, h) * narrow(normal);
                sum.w += ooze_blend_wall_density(distance, h);
            }
            s.wall[i] = sum;
        });
    return OOZE_OK;
}

/* Velocity change by the pressure of one wall. */
OOZE_DEVICE OozeVec3 wall_change(const BlendView &s, uint32_t i, const SolidView &solid)
{
    OozeVec3 normal;
    const double distance = solid_distance(solid, widen(s.x[i]), &normal);
    const OozeBlendState own = s.state[i];
    const float size =
        ooze_blend_wall_change(&s.k, &own, s.materials[s.material[i]].relative_mass, distance);
    return vec3_scale(normal, (double)size);
}

/* Collisions at the end of the substep; returns the sum of their velocity changes. */
OOZE_DEVICE OozeVec3 collide(const BlendView &s, uint32_t i, OozeVec3 *x, OozeVec3 *v)
{
    const float contact = s.k.contact;
    OozeVec3 all = vec3(0, 0, 0);
    for (int k = 0; k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        const bool loads = s.impulses && solid.dynamic;
        /* the pressure of particles within the support presses dynamic solids */
        const float reach = loads ? s.k.support + contact : contact;
        if (!solid_near(solid, narrow(*x), contact, false) &&
            !(loads && solid_near(solid, s.x[i], reach, true))) {
            continue;
        }
        OozeContact touched = solid_contact(solid, *x);
        OozeVec3 change = ooze_contact_collide(&touched, (double)contact, solid.restitution,
                                               solid.friction, x, v);
        all = vec3_add(all, change);
        if (loads) {
            change = vec3_add(change, wall_change(s, i, solid));
            if (vec3_dot(change, change) > 0.0) { /* others do not share the solid's mass */
                ooze_impulses_add(&s.impulses[i], k, *x, change);
            }
        }
    }
    return all;
}

/* Velocity before collisions. */
OOZE_DEVICE float4 velocity_of(const BlendView &s, uint32_t i)
{
    const float4 u = s.u[i], x = s.x[i];
    const uint32_t slot = s.slot[i];
    if (s.pin && s.pin[i]) { /* moves with the solid that it is fixed to */
        const SolidView &solid = s.solids.items[s.pin[i] - 1];
        return narrow(ooze_pose_carry(&solid.previous, &solid.pose, widen(x), s.dt));
    }
    if (s.prescribed && s.prescribed[i]) {
        return u;
    }
    const double *pull = slot != OOZE_BLEND_SLOT_NONE ? s.matching.pull[slot] : nullptr;
    return narrow(ooze_blend_velocity(widen(u), s.gravity, widen(s.acceleration[i]), pull,
                                      s.materials[s.material[i]].mass, s.dt));
}

/* Returns the squared speed before collisions. */
OOZE_DEVICE float move_particle(const BlendView &s, uint32_t i)
{
    const bool is_free = !(s.prescribed && s.prescribed[i]) && !(s.pin && s.pin[i]);
    const float4 u = velocity_of(s, i);
    if (s.impulses) {
        s.impulses[i].count = 0;
    }
    OozeVec3 v = widen(u), x = vec3_madd(widen(s.x[i]), s.dt, v);
    OozeVec3 change = is_free ? collide(s, i, &x, &v) : vec3(0, 0, 0);
    const float4 now = narrow(vec3_scale(change, 1.0 / s.dt));
    const OozeFloat4 before = s.external[i];
    s.next_external[i] = f32x4(ooze_blend_average(s.smoothing, now.x, before.x),
                               ooze_blend_average(s.smoothing, now.y, before.y),
                               ooze_blend_average(s.smoothing, now.z, before.z));
    s.next_x[i] = narrow(x);
    s.next_u[i] = narrow(v);
    return dot(u, u);
}

/* Over all particles. */
struct BlendEnd {
    double excess;  /* sum of densities above the rest density */
    float worst;    /* the largest of them */
    float fastest2; /* largest squared speed */
    __device__ void operator+=(const BlendEnd &o)
    {
        excess += o.excess;
        worst = o.worst > worst ? o.worst : worst;
        fastest2 = o.fastest2 > fastest2 ? o.fastest2 : fastest2;
    }
};

float blend_move(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    OozeStepReport *report = step->machine->context->report;
    BlendEnd none = {};
    BlendEnd all = sum_particles_to_host(
        gpu_of(step->machine), s.pairs.n, none, OOZE_BODY(uint32_t i)->BlendEnd {
            float excess = fmaxf(s.density[i] - 1.0f, 0.0f);
            return {(double)excess, excess, move_particle(s, i)};
        });
    report->worst_density_error = (double)all.worst;
    report->mean_density_error = all.excess / (double)step->machine->all;
    return all.fastest2;
}

} // namespace ooze
