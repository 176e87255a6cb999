/* What happens to one particle in a step, beside sums over its neighbours; for the processor and
   the GPU. */
#ifndef OOZE_METHODS_CAUCHY_PARTICLE_FORMULA_H
#define OOZE_METHODS_CAUCHY_PARTICLE_FORMULA_H

#include "methods/cauchy/gather_formula.h"
#include "methods/cauchy/move_formula.h"
#include "methods/cauchy/pressure_formula.h"
#include "methods/cauchy/step.h"
#include "methods/cauchy/stress_formula.h"
#include "methods/cauchy/tension_formula.h"

OOZE_FORMULA const OozeCauchyMaterial *ooze_cauchy_material_of(const OozeCauchyStep *s, uint64_t i)
{
    return &s->materials[s->material[i]];
}

OOZE_FORMULA OozeVector ooze_cauchy_wall_edge(const OozeCauchyStep *s, uint64_t i)
{
    const float *e = s->wall[i].edge;
    return ooze_vector(e[0], e[1], e[2], 0.0f);
}

/* Sum h over fluid and half of that over walls: its length tells a surface from the inside. */
OOZE_FORMULA OozeVector ooze_cauchy_inward(const OozeCauchyStep *s, uint64_t i)
{
    return ooze_vector_madd(s->mps_sum[i], 0.5f, ooze_cauchy_wall_edge(s, i));
}

/* In the classic scheme the pressure of the free surface is 0. */
OOZE_FORMULA bool ooze_cauchy_at_surface(const OozeCauchyStep *s, uint64_t i)
{
    return s->k.classic && s->density[i] < OOZE_CAUCHY_CLASSIC_SURFACE;
}

/* Whether the pressure of a particle is an unknown of the solve. */
OOZE_FORMULA bool ooze_cauchy_is_free(const OozeCauchyStep *s, const OozeCauchyPressure *p,
                                      uint64_t i)
{
    return p->diagonal[i] > 0.0f && !ooze_cauchy_at_surface(s, i);
}

/* b = (s - D u)/dt */
OOZE_FORMULA void ooze_cauchy_set_right_side(const OozeCauchyStep *s, const OozeCauchyPressure *p,
                                             uint64_t i, float divergence)
{
    const float b = (s->divergence_target[i] - divergence) / s->k.dt;
    p->divergence[i] = divergence;
    p->r[i] = ooze_cauchy_is_free(s, p, i) ? b : 0.0f;
}

/* Whether a particle is coupled to the pressure 0. */
OOZE_FORMULA bool ooze_cauchy_is_open(const OozeCauchyStep *s, uint64_t i)
{
    return ooze_cauchy_at_surface(s, i) || s->mobility[i] * s->air[i] > 0.0f;
}

OOZE_FORMULA OozeVector ooze_cauchy_apply(OozeSym3 b, OozeVector v)
{
    float x = ooze_vector_lane(v, 0), y = ooze_vector_lane(v, 1), z = ooze_vector_lane(v, 2);
    return ooze_vector(b.xx * x + b.xy * y + b.xz * z, b.xy * x + b.yy * y + b.yz * z,
                       b.xz * x + b.yz * y + b.zz * z, 0.0f);
}

OOZE_FORMULA float ooze_cauchy_balance_of(const OozeCauchyStep *s, uint64_t i)
{
    return ooze_cauchy_balance(ooze_cauchy_material_of(s, i), s->number[i]);
}

/* State at the beginning of the step. */
OOZE_FORMULA void ooze_cauchy_load(const OozeCauchyStep *s, uint64_t i, OozeVector velocity,
                                   OozeVector gravity)
{
    const OozeCauchyMaterial *m = ooze_cauchy_material_of(s, i);
    const bool prescribed = s->prescribed && s->prescribed[i];
    s->u[i] = ooze_vector_with_last(velocity, 0.0f);
    s->mobility[i] = prescribed ? 0.0f : 1.0f / m->relative_mass;
    s->force[i] = ooze_vector_scale(m->relative_mass, gravity);
    s->last_pressure[i] =
        ooze_cauchy_last_pressure(&s->k, m, s->pressure[i] * s->inverse_reference);
}

/* Of mps_sum, and sums over the fluid: of weights, of those of densities, of h x^T. */
OOZE_FORMULA void ooze_cauchy_set_densities(const OozeCauchyStep *s, uint64_t i, float fluid,
                                            float density, OozeSym3 moment, unsigned count)
{
    const OozeCauchyWall *wall = &s->wall[i];
    const OozeSym3 all = ooze_sym3_add(moment, wall->moment);
    const float number = fluid / s->k.number_density + wall->number;
    s->pressure_correction[i] = ooze_cauchy_pressure_correction(&s->k, all, count);
    s->number[i] = number;
    s->density[i] = s->k.inverse_density * (1.0f + density) + wall->density;
    const OozeVector inward = ooze_cauchy_inward(s, i);
    s->air[i] = ooze_cauchy_air(&s->k, number, sqrtf(ooze_vector_dot(inward, inward)));
    s->divergence_target[i] = ooze_cauchy_divergence_target(&s->k, s->density[i]);
}

/* Surface tension as a stress; `filled`: c of OozeSurfaceSums over the fluid. */
OOZE_FORMULA void ooze_cauchy_set_surface_stress(const OozeCauchyStep *s,
                                                 const OozeCauchyTension *t, uint64_t i,
                                                 float filled)
{
    const float tension = ooze_cauchy_material_of(s, i)->surface_tension;
    const OozeVector inward = s->fluid_edge_sum[i], sum = s->edge_sum[i];
    OozeSurfaceSums sums = {{0.0f, 0.0f, 0.0f}, 1.0f};
    float base[3];
    if (tension > 0.0f) {
        sums.filled = filled;
        for (int a = 0; a < 3; a++) {
            sums.inward[a] = ooze_vector_lane(inward, a);
        }
        ooze_cauchy_add_walls(&s->k, &s->wall[i], &sums);
    }
    const OozeMat3 m = ooze_surface_flux(t->numbers, sums, tension, s->correction[i]);
    for (int k = 0; k < 3; k++) {
        const OozeVector row = ooze_vector(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], 0.0f);
        t->flux[3 * i + (uint64_t)k] = row;
        base[k] = ooze_vector_dot(row, sum);
    }
    t->base[i] = ooze_vector(base[0], base[1], base[2], 0.0f);
}

OOZE_FORMULA OozeSym3 ooze_cauchy_strain_at(const OozeCauchyStep *s, uint64_t i)
{
    const float *e = s->elastic_strain + 8 * i;
    return ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]);
}

/* Coefficients of the velocity solve, with the velocity gradient at the beginning of the step. */
OOZE_FORMULA void ooze_cauchy_set_coefficients(const OozeCauchyStep *s, const OozeCauchyVelocity *v,
                                               uint64_t i, OozeMat3 l)
{
    const OozeCauchyStress c =
        ooze_cauchy_stress(ooze_cauchy_material_of(s, i), ooze_cauchy_strain_at(s, i), l, s->k.dt);
    const bool singular = s->correction[i].xx == 0.0f;
    s->rate[i] = ooze_shear_rate(ooze_mat3_symmetric(l));
    s->stiffness[i] = c.stiffness;
    s->explicit_stress[i] = c.explicit_stress;
    s->viscosity[i] = c.viscosity;
    v->hourglass[i] = singular ? 0.0f : s->k.hourglass * c.hourglass;
    v->u_star[i] = s->u[i];
}

/* With the velocity gradient at the end of the step. */
OOZE_FORMULA void ooze_cauchy_carry_strain(const OozeCauchyStep *s, uint64_t i, OozeMat3 l)
{
    float *e = s->elastic_strain + 8 * i;
    const OozeSym3 strain =
        ooze_cauchy_strain(ooze_cauchy_material_of(s, i), ooze_cauchy_strain_at(s, i), l, s->k.dt);
    e[0] = strain.xx;
    e[1] = strain.yy;
    e[2] = strain.zz;
    e[3] = strain.xy;
    e[4] = strain.xz;
    e[5] = strain.yz;
}

OOZE_FORMULA OozeVector ooze_cauchy_limit_shift(const OozeCauchyStep *s, uint64_t i,
                                                OozeVector shift)
{
    const OozeVector inward = ooze_cauchy_inward(s, i);
    const float side2 = ooze_vector_dot(inward, inward), along = ooze_vector_dot(shift, inward);
    if (along < 0.0f) {
        const float share = ooze_cauchy_held_share(sqrtf(side2) / (0.5f * s->k.flat_edge));
        shift = ooze_vector_madd(shift, -(share * along / side2), inward);
    }
    shift = ooze_vector_scale(ooze_cauchy_wall_freedom(&s->wall[i]), shift);
    const float most = ooze_cauchy_longest_shift(s->rate[i], s->k.dt) * s->k.spacing;
    return ooze_vector_scale(ooze_cauchy_shortening(ooze_vector_dot(shift, shift), most), shift);
}

/* Of sums over neighbours: change of velocity by collisions, shift, and that of particles that
   overlap. */
OOZE_FORMULA void ooze_cauchy_set_motion(const OozeCauchyStep *s, const OozeCauchyMotion *m,
                                         uint64_t i, OozeVector change, OozeVector shift,
                                         OozeVector parting)
{
    const float most = OOZE_CAUCHY_LONGEST_SHIFT * s->k.spacing;
    const bool is_free = s->mobility[i] > 0.0f;
    const float share = ooze_cauchy_shortening(ooze_vector_dot(parting, parting), most);
    m->collided[i] = is_free ? ooze_vector_add(s->u[i], change) : s->u[i];
    parting = ooze_vector_scale(share, parting);
    m->shift[i] = is_free ? ooze_vector_add(ooze_cauchy_limit_shift(s, i, shift), parting)
                          : ooze_vector_zero();
}

/* A solid as contact sees it. */
typedef struct OozeCauchySolid {
    const OozeShape *shape;
    const OozePose *pose;
    double friction;
    double support; /* m: particles within it press on it */
    int index;
    bool dynamic;
} OozeCauchySolid;

/* Velocity of a particle at x after the contact with a solid; a dynamic one gets the impulse. */
OOZE_FORMULA OozeVec3 ooze_cauchy_meet(const OozeCauchyStep *s, uint64_t i,
                                       const OozeCauchySolid *solid, OozeVec3 x, OozeVec3 v)
{
    const OozeCauchyTouch touch = {s->spacing, (double)s->k.contact_distance, s->dt,
                                   solid->friction};
    const OozeVec3 before = v;
    v = ooze_cauchy_touch(solid->shape, solid->pose, &touch, x, v);
    if (s->impulses && solid->dynamic) {
        const OozeCauchyPress press = {s->spacing, solid->support, s->dt, s->pressure_correction[i],
                                       s->mobility[i] * s->last_pressure[i]};
        const OozeVec3 change = vec3_add(
            vec3_sub(v, before), ooze_cauchy_pressed(&s->k, &press, solid->shape, solid->pose, x));
        if (vec3_dot(change, change) > 0.0) { /* others do not share the solid's mass */
            ooze_impulses_add(&s->impulses[i], solid->index, x, change);
        }
    }
    return v;
}

#endif
