/* The stages of a step of the method cauchy, in order: loops of the processor or of the GPU. Valid
   C17 and C++. */
#ifndef OOZE_METHODS_CAUCHY_STAGES_H
#define OOZE_METHODS_CAUCHY_STAGES_H

#include "methods/cauchy/step.h"

typedef struct OozeCauchyVelocityStages {
    /* rate, stiffness, explicit_stress, viscosity; hourglass, u_star */
    void (*find_coefficients)(OozeCauchyVelocity *solve);
    void (*sum_hourglass)(OozeCauchyVelocity *solve); /* edge_hourglass */
    /* flux, and the part of ap that needs no second gather */
    void (*find_flux)(OozeCauchyVelocity *solve);
    /* ap = A input; in an iteration, the length of the step along the input */
    void (*apply_flux)(OozeCauchyVelocity *solve);
    void (*step_explicitly)(OozeCauchyVelocity *solve); /* u = u* + dt M^-1 div S(u) */
    void (*start)(OozeCauchyVelocity *solve);           /* r, p */
    void (*advance)(OozeCauchyVelocity *solve);         /* u, r, p */
} OozeCauchyVelocityStages;

typedef struct OozeCauchyPressureStages {
    OozeStatus (*build_grids)(OozeCauchyPressure *solve, OozeError *error); /* diagonal, mass */
    void (*find_right_side)(OozeCauchyPressure *solve);       /* divergence, r, mean */
    void (*start)(OozeCauchyPressure *solve);                 /* r without its mean, q = 0, z, p */
    void (*multiply)(OozeCauchyPressure *solve);              /* ap = L p, and the step length */
    void (*advance)(OozeCauchyPressure *solve);               /* q, r, z, p */
    void (*clamp)(OozeCauchyPressure *solve);                 /* q is not negative */
    void (*find_classic_gradient)(OozeCauchyPressure *solve); /* acceleration */
    void (*find_share)(OozeCauchyPressure *solve);
    void (*apply)(OozeCauchyPressure *solve); /* u, last_pressure, next_pressure */
} OozeCauchyPressureStages;

typedef struct OozeCauchyMotionStages {
    void (*collide)(OozeCauchyMotion *motion); /* collided, shift */
    /* next_x, u, impulses. Returns how far the fastest particle moves. Waits. */
    double (*move)(OozeCauchyMotion *motion);
    void (*report_density)(OozeCauchyStep *step);
    OozeStatus (*share_impulses)(OozeCauchyStep *step, OozeError *error);
} OozeCauchyMotionStages;

typedef struct OozeCauchyStages {
    void (*prepare)(OozeCauchyStep *step); /* own, x; solves are zero */
    void (*find_rows)(OozeCauchyStep *step, const OozeCauchyTable *tables, uint16_t *row);
    void (*load)(OozeCauchyStep *step); /* x, u, mobility, force, last_pressure */
    OozeStatus (*find_walls)(OozeCauchyStep *step, OozeError *error);
    OozeStatus (*gather)(OozeCauchyStep *step, OozeError *error); /* sums, corrections, densities */
    void (*add_cohesion)(OozeCauchyStep *step); /* to force: by the potential between particles */
    void (*find_surface_stress)(OozeCauchyTension *tension); /* flux, base */
    void (*add_surface_stress)(OozeCauchyTension *tension);  /* to force */
    /* to = M^-1 D^T pressure */
    void (*accelerate)(OozeCauchyStep *step, const float *pressure, OozeVector *to);
    /* u under `force` and an acceleration; NULL: none */
    void (*apply_forces)(OozeCauchyStep *step, OozeVector *acceleration);
    void (*carry_strain)(OozeCauchyStep *step);
    void (*store)(OozeCauchyStep *step);
    const OozeCauchyVelocityStages *velocity;
    const OozeCauchyPressureStages *pressure;
    const OozeCauchyMotionStages *motion;
} OozeCauchyStages;

extern const OozeCauchyStages ooze_cauchy_stages; /* of the processor */

/* `memory`: of this machine, see OozeCauchyStep. */
OozeStatus ooze_cauchy_step(OozeMachine *machine, const OozeCauchyStages *stages, void *memory,
                            OozeError *error);

/* ---- of that programme ---- */

/* u under forces and stress. */
OozeStatus ooze_cauchy_solve_velocities(OozeCauchyStep *step, OozeError *error);
/* Removes the divergence of u. */
OozeStatus ooze_cauchy_project(OozeCauchyStep *step, OozeError *error);

/* Memory of the step that loops read at neighbours. */
static inline void *ooze_cauchy_gathered(const OozeCauchyStep *step, size_t size)
{
    return ooze_machine_gathered(step->machine, step->machine->local, size);
}

#endif
