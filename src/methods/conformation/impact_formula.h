/* Impacts in long steps, per particle, for the processor and the GPU: see impact.c. */
#ifndef OOZE_METHODS_CONFORMATION_IMPACT_FORMULA_H
#define OOZE_METHODS_CONFORMATION_IMPACT_FORMULA_H

#include "physics/tensor.h"
#include "solvers/contact_set_formula.h"

/* A step is long where some particle crosses more than this many spacings in it, or where an impact
   has left a density above this. */
#define OOZE_IMPACT_TRAVEL  0.5f
#define OOZE_IMPACT_DENSITY 1.01f
/* Gap to a solid, in spacings, up to which a particle that would close it is in contact from the
   first pass on, whatever lies between. */
#define OOZE_IMPACT_NEAR 0.5
/* Penetration of a solid at the end of the step, in spacings, that a pass must not leave. */
#define OOZE_IMPACT_DEPTH 0.1
/* A neighbour screens a particle from a solid if it is nearer than this many spacings, and its
   direction is within 45 degrees of the solid's. */
#define OOZE_IMPACT_SCREEN 1.5f
/* Resistance to change of volume over that to shear in a long step: a body that a floor stops within
   a step is compressed by (speed dt / height) (height / dt)^2 rho / (this G). */
#define OOZE_IMPACT_BULK 500.0f

/* Over all particles: square of the largest speed, and the largest density. */
typedef struct OozeImpactExtremes {
    float square, density;
} OozeImpactExtremes;

OOZE_FORMULA OozeImpactExtremes ooze_impact_widen(OozeImpactExtremes a, OozeImpactExtremes b)
{
    a.square = ooze_max(a.square, b.square);
    a.density = ooze_max(a.density, b.density);
    return a;
}

OOZE_FORMULA bool ooze_impact_is_long(OozeImpactExtremes all, float spacing, float dt)
{
    float limit = OOZE_IMPACT_TRAVEL * spacing / dt;
    return all.square > limit * limit || all.density > OOZE_IMPACT_DENSITY;
}

/* Strain that returns a particle of this density to rest, limited to what a step may remove. */
OOZE_FORMULA float ooze_impact_excess(float density)
{
    return density > 1.0f ? ooze_min(1.0f - 1.0f / density, 0.1f) : 0.0f;
}

/* Whether a neighbour at x_ji screens a particle from the solid that it meets along -normal. */
OOZE_FORMULA bool ooze_impact_screens(const float *x_ji, OozeVec3 normal, float spacing)
{
    float along = -(x_ji[0] * (float)normal.x + x_ji[1] * (float)normal.y +
                    x_ji[2] * (float)normal.z);
    float square = ooze_contact_dot(x_ji, x_ji);
    float reach = OOZE_IMPACT_SCREEN * spacing;
    return along > 0.0f && square < reach * reach && along * along > 0.5f * square;
}

/* Whether the gap to a solid is so wide that other particles may have to stop this one. */
OOZE_FORMULA bool ooze_impact_is_far(const OozeContactScale *scale, const OozeContact *contact)
{
    return contact->distance - scale->distance > OOZE_IMPACT_NEAR * scale->spacing;
}

/* Path of a particle from x with velocity u until a solid stops it. Distances are 1-Lipschitz: a
   path that advances by them does not miss a surface. */
typedef struct OozeImpactPath {
    OozeVec3 x, u;
    double at, end; /* m along the path; of the step */
    double speed;   /* least velocity along the normal that keeps the contact distance */
} OozeImpactPath;

OOZE_FORMULA OozeImpactPath ooze_impact_path(const OozeContactScale *scale, OozeVec3 x, OozeVec3 u)
{
    OozeImpactPath path = {x, u, 0.0, vec3_length(u) * scale->dt, 0.0};
    return path;
}

OOZE_FORMULA OozeVec3 ooze_impact_point(const OozeContactScale *scale, const OozeImpactPath *path)
{
    return vec3_madd(path->x, path->end > 0.0 ? path->at / path->end * scale->dt : 0.0, path->u);
}

/* Advances from the present point, with the contact there. True: the solid stops the particle. */
OOZE_FORMULA bool ooze_impact_advance(const OozeContactScale *scale, const OozeContact *contact,
                                      OozeImpactPath *path)
{
    const double close = 0.01 * scale->spacing;
    double gap = contact->distance - scale->distance;
    OozeVec3 travelled = vec3_sub(ooze_impact_point(scale, path), path->x);
    path->speed = (vec3_dot(travelled, contact->normal) - gap) / scale->dt;
    path->at += fmax(gap, close);
    return gap < close && vec3_dot(path->u, contact->normal) < path->speed;
}

#endif
