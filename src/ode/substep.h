/* A substep of dynamic solids, shared by the files of this folder. */
#ifndef OOZE_ODE_SUBSTEP_H
#define OOZE_ODE_SUBSTEP_H

#include <ode/ode.h>

#include "solids/dynamic.h"
#include "solids/manifold.h"

/* How the island of a solid is solved. */
typedef enum OozeOdeSolver {
    OOZE_ODE_NONE,     /* no contact and no joint: free flight */
    OOZE_ODE_EXACT,    /* dWorldStep: pivoting, cubic in the contacts of an island */
    OOZE_ODE_ITERATIVE /* dWorldQuickStep: successive over-relaxation, linear in contacts */
} OozeOdeSolver;

typedef struct OozeOdeContact {
    int a, b; /* solids; a is dynamic */
    OozeVec3 point, normal;
    OozeVec3 slide; /* unit tangent along the relative velocity */
    double friction;
    double touching;     /* m/s: normal velocity at which the solids end just touching; above 0 they
                            overlap now */
    double tolerance;    /* m/s: the part of `touching` by which solids may overlap */
    double bounce;       /* m/s: normal velocity after an impact; -INFINITY: no impact */
    double inverse_mass; /* 1/kg, of both */
} OozeOdeContact;

typedef struct OozeOdeSubstep {
    const OozeDynamicStage *stage;
    /* of each solid: */
    OozePose *start; /* at the beginning of the substep, with the velocity after load and gravity */
    OozePose *velocities;  /* at the beginning, with the velocity after contacts and joints */
    OozePose *corrections; /* as `velocities`, with overlaps and joint errors corrected */
    OozeSweptSolid *swept;
    OozeOdeSolver *solver; /* also of prescribed solids, where they are in contact */
    int *island;           /* parent in a union-find forest; roots are their own */
    int *island_contacts;  /* of each root */
    dBodyID *bodies;
    OozeOdeContact *contacts;
    int contact_count, contact_room;
} OozeOdeSubstep;

/* The islands of one solver as one system of equations. */
typedef struct OozeOdeSystem {
    const OozeOdeSubstep *substep;
    OozeOdeSolver islands; /* which */
    bool iterative;
    bool corrects;     /* corrects overlaps and joint errors */
    double dither;     /* m/s: see solve.c */
    int attempt;       /* chooses the dither */
    OozePose *results; /* of each solid of the islands: velocity and spin */
    bool complete;     /* ODE had the memory it needs */
} OozeOdeSystem;

/* Fills the contacts of all pairs closer than the contact margin. */
OozeStatus ooze_ode_find_contacts(OozeOdeSubstep *substep, OozeError *error);

/* Assigns a solver to every island of solids that contacts and joints connect. */
void ooze_ode_assign_solvers(OozeOdeSubstep *substep);
bool ooze_ode_has_contact(const OozeOdeSystem *system, const OozeOdeContact *contact);
bool ooze_ode_has_joint(const OozeOdeSystem *system, const OozeJoint *joint);

/* m/s: lower bound of the normal velocity at a contact. */
double ooze_ode_contact_velocity(const OozeOdeSystem *system, const OozeOdeContact *contact);

/* Solves a system (OozeOdeSystem): writes `results` and `complete`. */
void ooze_ode_solve(void *system);

#endif
