/* Shape matching of a step, per particle and per region, for the processor and the GPU. Arrays of
   OozeMatching and OozeRegions are in the memory of whichever runs this. */
#ifndef OOZE_METHODS_BLEND_MATCHING_FORMULA_H
#define OOZE_METHODS_BLEND_MATCHING_FORMULA_H

#include <stdalign.h>

#include "methods/blend/constants.h"
#include "methods/blend/regions_formula.h"

/* Position or velocity, and the weight of the particle in its regions: stiffness (or damping
   coefficient) times the share of the slot. */
typedef struct OozeMatchPoint {
    alignas(16) double at[3];
    double weight;
} OozeMatchPoint;

/* The rigid motion of a region: x_i -> r (q_i - q) + x. */
typedef struct OozeMatchMap {
    alignas(16) double r[9];
    double q[3], x[3];
    double count; /* in goals */
} OozeMatchMap;

typedef struct OozeMatching {
    const OozeRegions *regions; /* on the host */
    /* per slot */
    OozeMatchPoint *position;
    OozeMatchPoint *velocity; /* NULL: no damping */
    double (*pull)[4];        /* output, N */
    /* per region */
    double (*rotation)[4]; /* quaternion w, x, y, z: of the step before, then of this one */
    OozeMatchMap *map;
    OozeMatchVelocity *motion; /* damping only */
    /* regions of cells: of each cell; on the processor sums of its particles in the regions of the
       27 around it, on the GPU those of its region */
    double (*sums)[OOZE_MATCH_SUMS];
    /* per cell, or per slot in regions of particles: what this process needs of it; NULL: all */
    const uint8_t *role;
} OozeMatching;

/* Each includes those before it: points, the map of its region, pulls on its particles. */
enum { OOZE_MATCH_NONE, OOZE_MATCH_POINTS, OOZE_MATCH_MAP, OOZE_MATCH_PULL };

/* Whether nothing of cell or slot i is needed that has this role. */
OOZE_FORMULA bool ooze_match_skips(const OozeMatching *m, uint64_t i, int role)
{
    return m->role && m->role[i] < role;
}

/* ---- vectors of doubles --------------------------------------------------------------------- */

OOZE_FORMULA void ooze_match_widen(const OozeFloat4 *q, double to[3])
{
    to[0] = (double)q->x;
    to[1] = (double)q->y;
    to[2] = (double)q->z;
}

OOZE_FORMULA void ooze_match_subtract(const double a[3], const double b[3], double to[3])
{
    to[0] = a[0] - b[0];
    to[1] = a[1] - b[1];
    to[2] = a[2] - b[2];
}

OOZE_FORMULA void ooze_match_rotate(const double r[9], const double d[3], double to[3])
{
    to[0] = r[0] * d[0] + r[1] * d[1] + r[2] * d[2];
    to[1] = r[3] * d[0] + r[4] * d[1] + r[5] * d[2];
    to[2] = r[6] * d[0] + r[7] * d[1] + r[8] * d[2];
}

/* a + spin cross d */
OOZE_FORMULA void ooze_match_add_spin(const double a[3], const double spin[3], const double d[3],
                                      double to[3])
{
    to[0] = a[0] + spin[1] * d[2] - spin[2] * d[1];
    to[1] = a[1] + spin[2] * d[0] - spin[0] * d[2];
    to[2] = a[2] + spin[0] * d[1] - spin[1] * d[0];
}

/* ---- slots ---------------------------------------------------------------------------------- */

/* Weight of the pull towards goals, N/m, and of the pull of velocities, kg/s. `share`: of the slot.
 */
OOZE_FORMULA double ooze_match_position_weight(const OozeBlendMaterial *material, float fluid_share,
                                               double share, double dt)
{
    double elastic = material->mass * (1.0 - (double)fluid_share);
    return elastic * share * ooze_match_pull(material->response_time, dt);
}

OOZE_FORMULA double ooze_match_velocity_weight(const OozeBlendMaterial *material, float fluid_share,
                                               double share, double dt)
{
    double elastic = material->mass * (1.0 - (double)fluid_share);
    return elastic * share * ooze_match_drag(material->damping, dt);
}

/* What shape matching needs of a particle. */
typedef struct OozeBlendPoint {
    uint32_t slot, material;
    float x[3], u[3], fluid_share;
    OozeFloat4 rotation; /* that its region starts from, if it leads it */
} OozeBlendPoint;

OOZE_FORMULA OozeMatchPoint ooze_match_point(const float at[3], double weight)
{
    OozeMatchPoint point;
    for (int k = 0; k < 3; k++) {
        point.at[k] = (double)at[k];
    }
    point.weight = weight;
    return point;
}

/* The field `rotation` of a particle as a unit quaternion; identity where it holds none. */
OOZE_FORMULA void ooze_match_read_rotation(const OozeFloat4 *q, double to[4])
{
    double size2 =
        (double)q->x * q->x + (double)q->y * q->y + (double)q->z * q->z + (double)q->w * q->w;
    double scale = size2 > 0.25 ? 1.0 / sqrt(size2) : 0.0;
    to[0] = scale > 0.0 ? scale * (double)q->x : 1.0;
    to[1] = scale * (double)q->y;
    to[2] = scale * (double)q->z;
    to[3] = scale * (double)q->w;
}

OOZE_FORMULA OozeFloat4 ooze_match_write_rotation(const double q[4])
{
    OozeFloat4 to;
    to.x = (float)q[0];
    to.y = (float)q[1];
    to.z = (float)q[2];
    to.w = (float)q[3];
    return to;
}

/* Sets position and velocity of the point's slot, and the rotation of the region that it leads:
   every particle of a cell holds that, so that it survives the removal of others. `materials`: one
   a material. */
OOZE_FORMULA void ooze_match_place(const OozeMatching *m, const OozeRegions *r,
                                   const OozeBlendMaterial *materials, const OozeBlendPoint *point,
                                   double dt)
{
    const double share = r->share[point->slot];
    const OozeBlendMaterial *own = &materials[point->material];
    m->position[point->slot] =
        ooze_match_point(point->x, ooze_match_position_weight(own, point->fluid_share, share, dt));
    if (m->velocity) {
        m->velocity[point->slot] = ooze_match_point(
            point->u, ooze_match_velocity_weight(own, point->fluid_share, share, dt));
    }
    if (ooze_regions_leads(r, point->slot)) {
        ooze_match_read_rotation(&point->rotation, m->rotation[r->region_of[point->slot]]);
    }
}

/* ---- roles on several processes ------------------------------------------------------------- */

/* Cell c gets at least the role before `from` where a cell around it has the role `from`. */
OOZE_FORMULA void ooze_match_spread_role(const OozeRegions *r, uint64_t c, uint8_t from,
                                         uint8_t *role)
{
    const uint32_t *near = r->near + OOZE_BLEND_NEAR * c;
    bool beside = false;
    for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
        beside = beside || (near[k] != OOZE_BLEND_CELL_NONE && role[near[k]] == from);
    }
    if (beside && role[c] + 1 < from) {
        role[c] = (uint8_t)(from - 1);
    }
}

/* Whether a process whose bits `needed` are needs the point in this slot. */
OOZE_FORMULA bool ooze_match_is_needed(const OozeRegions *r, uint32_t slot, const uint8_t *needed)
{
    return slot != OOZE_BLEND_SLOT_NONE &&
           ooze_regions_needs(needed, ooze_regions_cell_of(r, slot));
}

/* ---- regions -------------------------------------------------------------------------------- */

/* Adds slot j, with membership w in the region, to sums about x0 and q0. */
OOZE_FORMULA void ooze_match_gather(const OozeMatching *m, const OozeRegions *r, uint64_t j,
                                    double w, const double x0[3], const double q0[3],
                                    double sums[OOZE_MATCH_SUMS])
{
    double q[3], dx[3], dq[3], terms[OOZE_MATCH_SUMS];
    ooze_match_widen(&r->reference[j], q);
    ooze_match_subtract(m->position[j].at, x0, dx);
    ooze_match_subtract(q, q0, dq);
    ooze_match_terms(w * m->position[j].weight, dx, dq, terms);
    for (int t = 0; t < OOZE_MATCH_SUMS; t++) {
        sums[t] += terms[t];
    }
}

OOZE_FORMULA void ooze_match_gather_velocity(const OozeMatching *m, uint64_t j, double w,
                                             const double x0[3], double sums[OOZE_MATCH_SUMS])
{
    double dx[3], terms[OOZE_MATCH_SUMS];
    ooze_match_subtract(m->position[j].at, x0, dx);
    ooze_match_velocity_terms(w * m->velocity[j].weight, dx, m->velocity[j].at, terms);
    for (int t = 0; t < OOZE_MATCH_SUMS; t++) {
        sums[t] += terms[t];
    }
}

/* The map of a region; `rotation`: of the step before, then of this one. */
OOZE_FORMULA void ooze_match_set_map(OozeMatchMap *map, const OozeMatchRegion *region, double count,
                                     double rotation[4])
{
    ooze_match_rotation(region->a, rotation);
    ooze_quaternion_matrix(rotation, map->r);
    for (int k = 0; k < 3; k++) {
        map->q[k] = region->q[k];
        map->x[k] = region->x[k];
    }
    map->count = count;
}

/* ---- goals ---------------------------------------------------------------------------------- */

/* Adds w times the way from x to the goal of a region for a particle whose reference position is
   q. */
OOZE_FORMULA void ooze_match_add_goal(const OozeMatchMap *map, const double q[3], const double x[3],
                                      double w, double goal[3])
{
    double d[3], turned[3];
    ooze_match_subtract(q, map->q, d);
    ooze_match_rotate(map->r, d, turned);
    for (int a = 0; a < 3; a++) {
        goal[a] += w * (turned[a] + (map->x[a] - x[a]));
    }
}

/* Adds w times the difference from velocity v at x to that of the region. */
OOZE_FORMULA void ooze_match_add_motion(const OozeMatchVelocity *motion, const double x[3],
                                        const double v[3], double w, double velocity[3])
{
    double d[3], rigid[3];
    ooze_match_subtract(x, motion->x, d);
    ooze_match_add_spin(motion->v, motion->spin, d, rigid);
    for (int a = 0; a < 3; a++) {
        velocity[a] += w * (rigid[a] - v[a]);
    }
}

/* Adds the goals of one region of a particle in slot i, with membership w. */
OOZE_FORMULA void ooze_match_add_region(const OozeMatching *m, const OozeRegions *r, uint64_t i,
                                        uint32_t region, double w, double goal[3],
                                        double velocity[3])
{
    double q[3];
    ooze_match_widen(&r->reference[i], q);
    ooze_match_add_goal(&m->map[region], q, m->position[i].at, w, goal);
    if (m->velocity) {
        ooze_match_add_motion(&m->motion[region], m->position[i].at, m->velocity[i].at, w,
                              velocity);
    }
}

OOZE_FORMULA void ooze_match_set_pull(const OozeMatching *m, uint64_t i, const double goal[3],
                                      const double velocity[3])
{
    for (int a = 0; a < 3; a++) {
        m->pull[i][a] = m->position[i].weight * goal[a];
        m->pull[i][a] += m->velocity ? m->velocity[i].weight * velocity[a] : 0.0;
    }
    m->pull[i][3] = 0.0;
}

/* ---- regions of particles ------------------------------------------------------------------- */

OOZE_FORMULA void ooze_match_fit_particle(const OozeMatching *m, const OozeRegions *r, uint64_t i)
{
    double sums[OOZE_MATCH_SUMS] = {0}, q0[3];
    const double *x0 = m->position[i].at;
    ooze_match_widen(&r->reference[i], q0);
    for (uint64_t e = r->list_first[i]; e < r->list_first[i + 1]; e++) {
        ooze_match_gather(m, r, r->list[e], 1.0, x0, q0, sums);
    }
    OozeMatchRegion region = ooze_match_centre(sums, x0, q0);
    ooze_match_set_map(&m->map[i], &region, 1.0, m->rotation[i]);
}

OOZE_FORMULA void ooze_match_fit_particle_velocity(const OozeMatching *m, const OozeRegions *r,
                                                   uint64_t i)
{
    double sums[OOZE_MATCH_SUMS] = {0};
    for (uint64_t e = r->list_first[i]; e < r->list_first[i + 1]; e++) {
        ooze_match_gather_velocity(m, r->list[e], 1.0, m->position[i].at, sums);
    }
    m->motion[i] = ooze_match_velocity(sums, m->position[i].at);
}

OOZE_FORMULA void ooze_match_pull_particle(const OozeMatching *m, const OozeRegions *r, uint64_t i)
{
    double goal[3] = {0}, velocity[3] = {0};
    for (uint64_t e = r->list_first[i]; e < r->list_first[i + 1]; e++) {
        ooze_match_add_region(m, r, i, r->list[e], 1.0, goal, velocity);
    }
    ooze_match_set_pull(m, i, goal, velocity);
}

#endif
