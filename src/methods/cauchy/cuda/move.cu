/* Collisions, shifts, new positions and contact with solids on the device: see
   methods/cauchy/cpu/move.c. */
#include "cuda/shape_distance.cuh"
#include "methods/cauchy/cuda/step.cuh"

namespace ooze
{

/* Velocity change by collisions, and shift. */
template <int LANES, bool WRAPS> static void collisions(OozeCauchyMotion *motion)
{
    const CauchyView s = view_of(motion->step);
    const OozeCauchyMotion m = *motion;
    const float reach = ooze_cauchy_close_distance(&s.k);
    for_lanes<LANES>(
        gpu_of(motion->step), s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i], u = s.u[i];
            float4 change = f32x4(0, 0, 0), shift = change, parting = change;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                const Delta d = delta<WRAPS>(s, here, s.x0[j]);
                if (d.r2 >= reach * reach || d.r2 == 0.0f) {
                    return;
                }
                const float4 apart = f32x4(d.x, d.y, d.z);
                const float r = sqrtf(d.r2), approach = -dot(s.u[j] - u, apart) / r;
                const float push = ooze_cauchy_collision(r, approach, s.k.collision_distance,
                                                         s.mobility[i], s.mobility[j]);
                change = change - (push / r) * apart;
                shift = shift - (ooze_cauchy_shift(r, s.k.shift_distance) / r) * apart;
                parting = parting - (ooze_cauchy_shift(r, s.k.overlap_distance) / r) * apart;
            });
            change = lanes_sum<LANES>(change);
            shift = lanes_sum<LANES>(shift);
            parting = lanes_sum<LANES>(parting);
            if (lane == 0) {
                ooze_cauchy_set_motion(&s, &m, i, change, shift, parting);
            }
        });
}

/* Contact of a particle that moves at most `reach` with the solids. */
OOZE_DEVICE OozeVec3 meet_solids(const CauchyView &s, uint32_t i, float reach, OozeVec3 v)
{
    const float4 x = s.x0[i];
    for (int k = 0; k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        if (solid_near(solid, x, reach, true)) {
            const OozeCauchySolid one = {&solid.shape,        &solid.pose, solid.friction,
                                         (double)s.k.support, k,           solid.dynamic};
            v = ooze_cauchy_meet(&s, i, &one, widen(x), v);
        }
    }
    return v;
}

/* Moves a position out of solids near the former position. */
OOZE_DEVICE OozeVec3 push_out(const CauchyView &s, float4 from, float reach, OozeVec3 x)
{
    const double margin = OOZE_CAUCHY_PUSH_OUT * (double)s.k.contact_distance;
    for (int k = 0; k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        if (solid_near(solid, from, reach, true)) {
            OozeVec3 normal;
            const double distance = solid_distance(solid, x, &normal);
            x = distance < margin ? vec3_madd(x, margin - distance, normal) : x;
        }
    }
    return x;
}

/* Over all particles. */
struct CauchyEnd {
    double excess;  /* sum of densities above the rest density */
    float worst;    /* the largest of them */
    float fastest2; /* largest squared speed before contact */
    __device__ void operator+=(const CauchyEnd &o)
    {
        excess += o.excess;
        worst = o.worst > worst ? o.worst : worst;
        fastest2 = o.fastest2 > fastest2 ? o.fastest2 : fastest2;
    }
};

OOZE_DEVICE CauchyEnd move_particle(const CauchyView &s, const OozeCauchyMotion &m, uint32_t i)
{
    const float4 from = s.x0[i], collided = m.collided[i];
    const float speed2 = dot(collided, collided), excess = fmaxf(s.density[i] - 1.0f, 0.0f);
    float reach = (float)OOZE_CAUCHY_CLINGS * s.k.contact_distance + s.k.dt * sqrtf(speed2) +
                  2.0f * OOZE_CAUCHY_LONGEST_SHIFT * s.k.spacing;
    if (s.impulses) { /* the pressure of particles within the support presses dynamic solids */
        reach = fmaxf(reach, s.k.support);
        s.impulses[i].count = 0;
    }
    const bool is_free = s.mobility[i] > 0.0f;
    OozeVec3 v = widen(collided);
    v = is_free ? meet_solids(s, i, reach, v) : v;
    OozeVec3 x = vec3_add(vec3_madd(widen(from), s.dt, v), widen(m.shift[i]));
    s.next_x[i] = narrow(is_free ? push_out(s, from, reach, x) : x);
    s.u[i] = narrow(v);
    return {(double)excess, excess, speed2};
}

static void collide(OozeCauchyMotion *motion)
{
#define COLLISIONS(lanes, wraps) collisions<lanes, wraps>(motion)
    CAUCHY_EACH_KIND(motion->step, COLLISIONS);
}

static double move(OozeCauchyMotion *motion)
{
    const OozeCauchyStep *step = motion->step;
    const CauchyView s = view_of(step);
    const OozeCauchyMotion m = *motion;
    CauchyEnd none = {};
    CauchyEnd all = sum_particles_to_host(
        gpu_of(step), s.n, none,
        OOZE_BODY(uint32_t i)->CauchyEnd { return move_particle(s, m, i); });
    step->own->worst_error = (double)all.worst;
    step->own->sum_error = all.excess;
    return (double)(s.k.dt * sqrtf(all.fastest2));
}

static void report_density(OozeCauchyStep *step)
{
    OozeStepReport *report = step->machine->context->report;
    report->worst_density_error = step->own->worst_error;
    report->mean_density_error = step->own->sum_error / (double)step->machine->all;
}

static OozeStatus share_impulses(OozeCauchyStep *step, OozeError *error)
{
    return impulses_share(engine_of(step->machine), step->machine->context, step->impulses, step->u,
                          error);
}

extern const OozeCauchyMotionStages cauchy_motion_stages = {
    collide,
    move,
    report_density,
    share_impulses,
};

} // namespace ooze
