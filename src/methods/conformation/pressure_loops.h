/* What the solve of pressure_solve.h does with particles and nodes: loops of the processor or of
   the GPU. The order of the solve, in pressure_solve.c and grid_pressure.c, is the same for both.
   It calls these loops and does not read what their vectors hold. Valid C17 and C++. */
#ifndef OOZE_METHODS_CONFORMATION_PRESSURE_LOOPS_H
#define OOZE_METHODS_CONFORMATION_PRESSURE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "ooze/status.h"
#include "solvers/linear/conjugate_gradients_formula.h"
#include "step/timer.h"

struct OozeTwist;
struct OozeConformationStep;

/* Vectors of the cycle of FGMRES, and numbers in `slots` of the loops. */
enum { OOZE_PRESSURE_VECTORS = 12, OOZE_PRESSURE_SLOTS_OF_DOTS = OOZE_PRESSURE_VECTORS + 2 };

/* A vector of the solve for velocities and pressure. */
typedef struct OozePressureVector {
    void *u;             /* four numbers a particle: momentum or velocity */
    float *p;            /* a number a node */
    struct OozeTwist *b; /* momentum or velocity per dynamic solid; of the processor */
} OozePressureVector;

/* `user` is that of OozePressureSolve. Vectors named `force`, `applied` and so on are those of
   that struct. Loops over particles take a vector of four numbers a particle as void *, loops over
   nodes a number a node; nodes that are no unknowns have 0. */
typedef struct OozePressureLoops {
    /* Memory. What is allocated between mark and rewind is temporary. */
    void *(*particles)(void *user);
    float *(*nodes)(void *user);
    struct OozeTwist *(*solids)(void *user); /* per dynamic solid */
    void (*mark)(void *user);
    void (*rewind)(void *user);
    OozeStatus (*status)(void *user, OozeError *error);

    /* Vectors of nodes. */
    void (*copy)(void *user, const float *from, float *to);          /* from NULL: zeros */
    void (*add)(void *user, float factor, const float *a, float *b); /* b += factor a */
    void (*turn)(void *user, const float *z, float beta, float *p);  /* p = z + beta p */
    void (*times)(void *user, float factor, float *a);
    double (*dot)(void *user, const float *a, const float *b);

    /* The grid: see pressure_grid.h. */
    void (*centre)(void *user, float *p);
    void (*precondition)(void *user, const float *r, float *z);
    void (*rate)(void *user, const void *u, bool exact, float *rate);
    void (*find_force)(void *user, const float *p, bool exact); /* force = Dc^T p, or D^T p */
    void (*to_particles)(void *user, const float *p);           /* force = (gradient, value) of p */
    void (*from_particles)(void *user, float *p);               /* p of the values in force */
    void (*collect)(void *user, float *sum);                    /* of the last lanes of force */
    void (*add_flux)(void *user, float factor, const float *p); /* flux of walls += factor p */
    void (*find_reached)(void *user);
    void (*find_walled)(void *user); /* particles on which walls act by pressure */
    bool (*release_walls)(void *user, const float *p); /* then find_rows is due */
    void (*find_rows)(void *user);

    void (*over_weight)(void *user, float *p); /* p over the weight of its row */
    /* z = -(z + compliance v), 0 at nodes that are idle. */
    void (*add_compliance)(void *user, const float *v, float *z);
    void (*find_lack)(void *user, float *p); /* p = -(p + flux), 0 at nodes that are idle */

    /* Particles before the solve. */
    OozeStatus (*find_components)(void *user, OozeError *error);
    void (*read_minors)(void *user); /* force = (0, dt times the minors of grad u) */
    void (*read_guess)(void *user);  /* force = the change of the last step over dt */
    void (*read_kick)(void *user);   /* force = velocity by the forces that are known */
    void (*read_known)(void *user);  /* force = (mass force, dt p_known of the last step) */
    void (*apply)(void *user);       /* applied = -M^-1 force */
    void (*balance)(void *user);     /* applied gets the net force of `force` per component */
    void (*add_applied)(void *user); /* force += applied */
    void (*mobilise)(void *user);    /* force = M^-1 force */

    /* Positions. */
    void (*join_shifts)(void *user); /* drift += the relief of overlaps, where the grid reaches */
    /* r += factor times the error, which counts up to a limit; 0 at nodes that are idle. */
    void (*add_error)(void *user, float factor, float limit, float *r);
    /* drift -= force, at most this long; relief of overlaps ends where the grid reaches. */
    void (*shift)(void *user, float limit);

    /* The end: `force` over dt, moved with the particles, is kept for the next step. */
    void (*store_guess)(void *user);
    void (*store_known)(void *user);
} OozePressureLoops;

/* The velocity solve. */
typedef struct OozeVelocityLoops {
    /* `slot`: of a number that dot_vectors leaves, and read_slots gives. */
    void (*dot_vectors)(void *user, const OozePressureVector *a, const OozePressureVector *b,
                        int slot);
    void (*read_slots)(void *user, int count, double *to);
    void (*subtract)(void *user, int slot, const OozePressureVector *a,
                     const OozePressureVector *b); /* b -= slot a */
    void (*add_vector)(void *user, double factor, const OozePressureVector *a,
                       const OozePressureVector *b); /* b += factor a */
    void (*scale_vector)(void *user, double factor, const OozePressureVector *a);
    void (*copy_vector)(void *user, const OozePressureVector *from, const OozePressureVector *to);
    void (*copy_particles)(void *user, const void *from, void *to);
    void (*read_last)(void *user); /* u = velocities of the last step, with those of contacts */
    /* Before the iterations of a pass, from the first residual on. */
    OozeStatus (*begin_pass)(void *user, int pass, OozeError *error);
    void (*read_viscosity)(void *user); /* force = (0, dt viscosity against compression) */
    void (*subtract_force)(void *user, const void *v);    /* residual = v - Pi force */
    void (*respond)(void *user, void *z);                 /* z = K^-1 residual, about */
    void (*multiply)(void *user, const void *z, void *w); /* w = K z + Pi force */
    void (*find_residual)(void *user, void *r); /* r = Pi rho u* - K u + explicit terms - force */
    void (*add_contact_force)(void *user);      /* forces of contacts += force */
} OozeVelocityLoops;

/* FGMRES. */
typedef struct OozePressureKrylov {
    OozePressureVector residual, v[OOZE_PRESSURE_VECTORS + 1], z[OOZE_PRESSURE_VECTORS];
    double h[OOZE_PRESSURE_VECTORS][OOZE_PRESSURE_VECTORS + 2];
    double cosine[OOZE_PRESSURE_VECTORS], sine[OOZE_PRESSURE_VECTORS];
    double g[OOZE_PRESSURE_VECTORS + 1];
} OozePressureKrylov;

typedef struct OozePressureSolve {
    const OozePressureLoops *loops;
    const OozeVelocityLoops *velocity;
    void *user;
    OozeStepTimer *timer;
    struct OozeConformationStep *coupled; /* of the processor, with dynamic solids; else NULL */
    float dt, spacing;
    float cell;        /* its volume over that of a particle */
    float *known;      /* per node: dt p_known */
    float *change;     /* per node: q */
    float *guess;      /* per node: q of the last step */
    float *compliance; /* per node: of viscous stress, in S^-1 */
    float *turned;     /* per node: volume by which finite rotation would expand it */
    void *u, *drift;   /* per particle: velocities; shifts that enter no velocity */
    void *force;       /* per particle: what loops leave for the next one */
    OozePressureKrylov krylov;
} OozePressureSolve;

/* What a pass of the velocity solve depends on. */
typedef struct OozePressurePass {
    int pass;
    bool accurate; /* to the tolerance of the step; else it is an early pass */
    double tolerance;
    double particles, gravity, dt; /* their number; m/s^2; s */
    OozeSolveResidual *residual;
} OozePressurePass;

/* ---- grid_pressure.c ---- */

/* Once the grid is built: the known pressure, from the velocities that u has gained so far. */
OozeStatus ooze_pressure_begin(OozePressureSolve *solve, OozeError *error);
/* See ooze_grid_pressure_repair and ooze_grid_pressure_store. */
OozeStatus ooze_pressure_repair(OozePressureSolve *solve, OozeError *error);
void ooze_pressure_store(OozePressureSolve *solve);
/* The known pressure and its change, times dt. Takes the place of the compliance, which each pass
   finds again. */
const float *ooze_pressure_total(OozePressureSolve *solve);
/* See ooze_grid_pressure_release. */
void ooze_pressure_release(OozePressureSolve *solve);

/* ---- pressure_solve.c ---- */

/* Iterations of a pass, from u and the change so far. */
OozeStatus ooze_pressure_solve(OozePressureSolve *solve, const OozePressurePass *pass,
                               OozeError *error);
/* Adds Dc^T q to the forces of contacts, and leaves the pressure of the particles in the last lanes
   of `force`. */
void ooze_pressure_find_contact_forces(OozePressureSolve *solve);

#endif
