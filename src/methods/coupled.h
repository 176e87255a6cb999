/* Dynamic solids among the particles of a step: six unknowns each, a velocity and a spin, and the momentum that they have got
   from the particles so far.

   Masses are in units of one particle of the method's reference density, so that sums over particles and solids mix.
   Arms and centres are those of the beginning of the step, and so is what a push turns: with places that move by velocity
   times dt, the change of x cross u is x0 cross the push, and angular momentum is kept. */
#ifndef OOZE_METHODS_COUPLED_H
#define OOZE_METHODS_COUPLED_H

#include "methods/four.h"
#include "methods/method.h"
#include "methods/six.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_COUPLED_GRAIN = 256 };

typedef struct OozeCoupledSolid {
    int solid;         /* among those of the world */
    double mass;       /* in particles */
    double inverse[6]; /* of the inertia; in particles, m2 */
    OozeVec3 centre;   /* of mass, when the step began */
    double reach;      /* m, from there to its farthest sample */
    OozeSix given;     /* motion without the particles */
    OozeSix star;      /* the same with what was done to it before the velocity solve */
    OozeSix motion;    /* with what they did to it so far */
    OozeSix sum;       /* what was collected last */
    OozeSix direction, residual, product; /* room for a solver */
    double crowd;                         /* see ooze_density_ease_solids */
    double touching;                      /* particles that are put out of it at once */
} OozeCoupledSolid;

typedef struct OozeCoupled {
    OozeStepContext *context; /* as the world made it */
    OozeCoupledSolid *solids;
    int count;
    int *number; /* per solid of the world: which of these, or -1 */
    double unit; /* kg of a particle of the reference density */
    OozeBoundary
        view;        /* samples in the order of the lists; dynamic ones stand where the step began,
                          and their velocities follow `motion` */
    OozeVec3 *arm;   /* per sample of the view: from the centre; of dynamic solids */
    OozeFloat4 *way; /* per sample of the view: velocity of a search direction; 0 for others */
    uint64_t chunks;
    OozeSix *partial; /* per chunk and solid */
    uint8_t *live;    /* per chunk: it has something in `partial` */
    uint8_t *near; /* per chunk: some sample of a dynamic solid is in the lists of its particles */
} OozeCoupled;

/* Solids as they would go on without particles; `unit` as above. The arena's, and nothing but it and the poses of
   dynamic solids changes. */
OozeStatus ooze_coupled_begin(OozeCoupled *coupled, OozeStepContext *context, double unit,
                              OozeError *error);

static inline bool ooze_coupled_is_dynamic(const OozeCoupled *coupled, int solid)
{
    return coupled->number[solid] >= 0;
}

/* Inverse mass times a momentum. */
OozeSix ooze_coupled_respond(const OozeCoupledSolid *solid, const OozeSix *momentum);
/* Twice the energy of a push at an arm: push times how far its point gives way along it. */
double ooze_coupled_yield(const OozeCoupledSolid *solid, OozeVec3 arm, OozeVec3 push);
/* Mass times a motion. */
OozeSix ooze_coupled_momentum(const OozeCoupled *coupled, const OozeCoupledSolid *solid,
                              const OozeSix *motion);

/* Velocities of the samples of the view by `motion`; or `way` by `direction`. */
void ooze_coupled_spread_motion(OozeCoupled *coupled);
void ooze_coupled_spread_direction(OozeCoupled *coupled);

/* ---- sums over particles, in chunks of OOZE_COUPLED_GRAIN: the same for any number of threads ---- */

/* Which chunks have samples of dynamic solids in these lists. */
void ooze_coupled_look(OozeCoupled *coupled, const OozeNeighbours *lists, uint64_t n,
                       const OozeBoundary *boundary);
/* Sums of one chunk, per solid of `solids`; 0 when first asked for since the last collection. */
OozeSix *ooze_coupled_chunk(OozeCoupled *coupled, uint64_t begin);
/* Adds them all up, into `sum`. */
void ooze_coupled_collect(OozeCoupled *coupled);

/* A push at a point, both of floats, into a sum. */
static inline void ooze_coupled_add(OozeSix *sum, OozeVec3 arm, OozeVec3 push)
{
    OozeVec3 turn = vec3_cross(arm, push);
    sum->v[0] += push.x;
    sum->v[1] += push.y;
    sum->v[2] += push.z;
    sum->v[3] += turn.x;
    sum->v[4] += turn.y;
    sum->v[5] += turn.z;
}

/* From a solid's centre to a particle at x, both when the step began. */
static inline OozeVec3 ooze_coupled_arm(const OozeCoupled *coupled, const OozeCoupledSolid *solid,
                                        OozeFour x)
{
    OozeFour centre =
        ooze_four((float)solid->centre.x, (float)solid->centre.y, (float)solid->centre.z, 0);
    OozeFour d = ooze_four_nearest(x - centre, &coupled->context->periodic);
    OozeVec3 rest = vec3(solid->centre.x - (double)centre[0], solid->centre.y - (double)centre[1],
                         solid->centre.z - (double)centre[2]);
    return vec3_sub(vec3((double)d[0], (double)d[1], (double)d[2]), rest);
}

/* ---- where they come to ---------------------------------------------------------------------------- */

/* Poses by `motion`. */
void ooze_coupled_place(OozeCoupled *coupled);
/* The same, with the samples of the world's boundary, sorted anew; or moved in their order. */
OozeStatus ooze_coupled_place_samples(OozeCoupled *coupled, OozeError *error);
void ooze_coupled_move_samples(OozeCoupled *coupled);
/* What the particles gave joins the loads of the stage. */
void ooze_coupled_load(OozeCoupled *coupled);

#endif
