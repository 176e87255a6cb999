/* Surfaces of solids near a particle, and contact with them; for the processor and the GPU. */
#ifndef OOZE_METHODS_CAUCHY_WALLS_FORMULA_H
#define OOZE_METHODS_CAUCHY_WALLS_FORMULA_H

#include "base/vec3.h"
#include "methods/cauchy/constants.h"
#include "physics/contact.h"
#include "physics/mps.h"
#include "solids/shape_formula.h"
#include "solids/solid.h"

/* Of one solid, and of all solids near a particle. */
enum { OOZE_SURFACES_MAX = 3, OOZE_ALL_SURFACES_MAX = 6 };

/* The surfaces of a solid within `range` of x, which meet in concave edges and corners. Beside the
   nearest surface, the next is the nearest one to a point farther from the first. Returns their
   number, at most `room`. */
OOZE_FORMULA int ooze_cauchy_surfaces(const OozeShape *shape, const OozePose *pose, OozeVec3 x,
                                      double spacing, double range, OozeContact *surfaces, int room)
{
    OozeVec3 at = x;
    int count = 0;
    for (int k = 0; k < room && k < OOZE_SURFACES_MAX; k++) {
        OozeContact contact = ooze_placed_contact(shape, pose, at);
        contact.distance -= vec3_dot(vec3_sub(at, x), contact.normal);
        bool fresh = contact.distance < range;
        for (int m = 0; m < count; m++) {
            fresh = fresh && vec3_dot(contact.normal, surfaces[m].normal) < 0.7;
        }
        if (fresh) {
            surfaces[count++] = contact;
        } else if (k == 0) {
            return 0;
        }
        /* aside by more than the distance of the surfaces that are found already */
        at = vec3_madd(at, range > spacing ? range : spacing, contact.normal);
    }
    return count;
}

/* What surfaces, and the wall and dummy particles that would fill the space behind them, add to the
   sums of a particle. */
typedef struct OozeCauchyPlane {
    float normal[3], distance; /* m */
    float share;               /* see ooze_mps_wall_share */
} OozeCauchyPlane;

typedef struct OozeCauchyWall {
    float edge[3];   /* sum of c w x */
    float number;    /* over n0 */
    float density;   /* relative to rest */
    OozeMat3 flux;   /* sum of v (c w x)^T, v the velocity of the wall */
    OozeSym3 moment; /* sum of h x^T along normals */
    OozeCauchyPlane plane[OOZE_SURFACES_MAX];
    int32_t planes; /* of these */
} OozeCauchyWall;

OOZE_FORMULA OozeCauchyWall ooze_cauchy_wall(const OozeCauchyConstants *k,
                                             const OozeContact *surfaces, int count)
{
    OozeCauchyWall wall;
    wall.edge[0] = wall.edge[1] = wall.edge[2] = wall.number = wall.density = 0.0f;
    wall.flux = ooze_mat3_zero();
    wall.moment = ooze_sym3_identity(0);
    wall.planes = count < OOZE_SURFACES_MAX ? count : OOZE_SURFACES_MAX;
    for (int m = 0; m < count; m++) {
        const OozeContact *own = &surfaces[m];
        float f = (float)ooze_mps_wall_share(own->distance, (double)k->spacing, (double)k->support);
        float edge = -f * k->flat_edge, normal = f * k->normal;
        float n[3] = {(float)own->normal.x, (float)own->normal.y, (float)own->normal.z};
        float v[3] = {(float)own->velocity.x, (float)own->velocity.y, (float)own->velocity.z};
        float number = f * k->flat_number *
                       (1.0f - ooze_min(wall.number / k->flat_number, 1.0f) * k->corner_number);
        wall.number += number;
        wall.density += number * (k->flat_density / k->flat_number);
        wall.moment =
            ooze_sym3_add(wall.moment, ooze_sym3(normal * n[0] * n[0], normal * n[1] * n[1],
                                                 normal * n[2] * n[2], normal * n[0] * n[1],
                                                 normal * n[0] * n[2], normal * n[1] * n[2]));
        for (int a = 0; a < 3; a++) {
            wall.edge[a] += edge * n[a];
            for (int c = 0; c < 3; c++) {
                wall.flux.m[3 * a + c] += v[a] * edge * n[c];
            }
        }
        if (m < OOZE_SURFACES_MAX) {
            OozeCauchyPlane *plane = &wall.plane[m];
            plane->normal[0] = n[0];
            plane->normal[1] = n[1];
            plane->normal[2] = n[2];
            plane->distance = (float)own->distance;
            plane->share = f;
        }
    }
    return wall;
}

/* Factor of the shifts of a particle: those at walls stay, or they would creep along them. */
OOZE_FORMULA float ooze_cauchy_wall_freedom(const OozeCauchyWall *wall)
{
    float freedom = 1.0f;
    for (int m = 0; m < wall->planes; m++) {
        freedom *= 1.0f - ooze_min(wall->plane[m].share, 1.0f);
    }
    return freedom;
}

/* Factor of the weight of the pair of a particle with another at x from it: see ooze_mps_mirror. */
OOZE_FORMULA float ooze_cauchy_mirror(const OozeCauchyConstants *k, const OozeCauchyWall *wall,
                                      float x, float y, float z)
{
    double factor = 1.0;
    for (int m = 0; m < wall->planes; m++) {
        const OozeCauchyPlane *plane = &wall->plane[m];
        const float *n = plane->normal;
        float other = plane->distance + n[0] * x + n[1] * y + n[2] * z;
        factor *= ooze_mps_mirror(
            (double)k->mirror, (double)plane->share,
            ooze_mps_wall_share((double)other, (double)k->spacing, (double)k->support));
    }
    return (float)factor;
}

/* What presses a particle against solids. */
typedef struct OozeCauchyPress {
    double spacing, support, dt; /* m, m, s */
    OozeSym3 correction;         /* of pressure gradients */
    float drive;                 /* mobility times pressure */
} OozeCauchyPress;

/* Velocity change of a particle at x by the pressure of one solid in this step. */
OOZE_FORMULA OozeVec3 ooze_cauchy_pressed(const OozeCauchyConstants *k,
                                          const OozeCauchyPress *press, const OozeShape *shape,
                                          const OozePose *pose, OozeVec3 x)
{
    OozeContact surfaces[OOZE_SURFACES_MAX];
    int count = ooze_cauchy_surfaces(shape, pose, x, press->spacing, press->support, surfaces,
                                     OOZE_SURFACES_MAX);
    OozeCauchyWall wall = ooze_cauchy_wall(k, surfaces, count);
    OozeSym3 b = press->correction;
    const float *e = wall.edge;
    double size = -press->dt * (double)press->drive;
    return vec3_scale(vec3((double)(b.xx * e[0] + b.xy * e[1] + b.xz * e[2]),
                           (double)(b.xy * e[0] + b.yy * e[1] + b.yz * e[2]),
                           (double)(b.xz * e[0] + b.yz * e[1] + b.zz * e[2])),
                      size);
}

#endif
