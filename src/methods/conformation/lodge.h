/* The implicit velocity solve (rho - dt a[C[D(u)]]) u = rho u* + dt a[S0], by conjugate gradients:
   its data, in the memory of the machine, and its stages. Valid C17 and C++. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_H
#define OOZE_METHODS_CONFORMATION_LODGE_H

#include "methods/conformation/stages.h"

/* A solve begins with the inverse of the masses, which costs nothing, then takes 3 x 3 diagonal
   blocks of the operator, then multigrid. This is when it uses the last. */
typedef enum OozeMultigridUse {
    OOZE_MULTIGRID_NEVER,
    OOZE_MULTIGRID_IF_LATE, /* after OOZE_LODGE_LATE iterations with blocks */
    OOZE_MULTIGRID_IF_SLOW, /* in place of blocks */
    OOZE_MULTIGRID_AT_ONCE  /* likewise, without iterations by masses */
} OozeMultigridUse;

/* Arrays have one element a particle. */
typedef struct OozeLodge {
    OozeConformationStep *step;
    struct OozeLodgeOwn *own;  /* what the machine's loops alone keep */
    OozeSym3 *stiffness;       /* A */
    OozeSym3 *explicit_stress; /* S0 */
    float *bulk;               /* bulk tr A / 3 */
    float *hourglass;          /* n */
    float *edge_hourglass;     /* sum over the edges of f n_j */
    float *pressure;           /* of the passes so far, m2/s2; of long steps */
    /* Second order: the part of external forces that the first stage leaves to the second, m/s,
       and b in the last lane, 0 for particles of first order. NULL: first order. */
    OozeVector *deferred;
    OozeVector *u_star;     /* u*: velocities under external forces alone */
    OozeVector *r, *p, *ap; /* of conjugate gradients */
    int pass, passes;       /* passes: of this step */
    /* As `read` has found them; of the processor, at any time. The residual counts all passes. */
    OozeConjugateGradients *cg;
    double speed_square; /* sum rho u*^2 */
    bool guessed;        /* there was an initial guess, in the first pass of the last step's */
    /* of multigrid */
    OozeMultigridUse multigrid_use;
    bool masses_alone;   /* neither blocks nor grids in this step */
    double expected;     /* iterations by masses from velocities to the tolerance */
    bool uses_grids;     /* besides blocks; from then on in this step */
    bool loses_momentum; /* iterates were not those by masses */
    struct OozeLodgeMultigrid *multigrid; /* NULL: the preconditioner is the masses at present */
    struct OozeLodgeMultigrid *grids;     /* blocks, perhaps grids, of this step; NULL: none yet */
    OozeVector *first_u;                  /* velocities before the iterations of the pass */
} OozeLodge;

/* What the choice of the preconditioner depends on, of all processes. */
typedef struct OozeLodgeExtent {
    double largest_stiffness; /* tr A, m2/s */
    double longest;           /* m: edge of the box around the particles */
} OozeLodgeExtent;

typedef struct OozeLodgeStages {
    /* Memory of the solve, and what the density stage will begin with. */
    OozeStatus (*create)(OozeConformationStep *step, OozeLodge **solve, OozeError *error);
    /* u* and u with the pushes that they expect, speed_square. */
    void (*start)(OozeLodge *solve);
    /* Expected pushes on dynamic solids. A sign of -1 removes them after the solve. */
    void (*expect_solids)(OozeLodge *solve, double sign);

    /* A pass: coefficients, with the hourglass sums of neighbours; u where contacts prescribe it,
       and in the first stage of second order; rigid bodies. */
    void (*prepare)(OozeLodge *solve);
    void (*set_contact_velocities)(OozeLodge *solve);
    void (*begin_bodies)(OozeLodge *solve);
    /* Of second order, in later passes: the operator of the iterations is half of that of the first
       residual. */
    void (*scale_second_stage)(OozeLodge *solve, float factor);
    /* The first residual, and p; of the second stage with the deferred forces. */
    void (*begin_iterations)(OozeLodge *solve, double tolerance);
    /* Advances along the initial guess of the pass, unless the residual is small already. */
    OozeStatus (*guess)(OozeLodge *solve, OozeError *error);
    void (*read)(OozeLodge *solve); /* cg, speed_square, guessed. Waits */
    void (*iterate_by_masses)(OozeLodge *solve, int iterations);
    void (*iterate_multigrid)(OozeLodge *solve, int iterations); /* or with blocks alone */
    /* The contact force on a particle is A u - rho u*; friction of a slipping contact joins u*.
       Contacts that pull are released. */
    void (*release_contacts)(OozeLodge *solve);
    OozeStatus (*end_long_pass)(OozeLodge *solve, OozeError *error); /* see cpu/impact_solve.h */

    /* Blocks and multigrid: whether the machine has them for this step, with room for `auto`. */
    bool (*takes_blocks)(const OozeLodge *solve);
    OozeLodgeExtent (*find_extent)(OozeLodge *solve); /* waits */
    /* At this diffusion length and this number of layers, in spacings. */
    bool (*grids_save_time)(const OozeLodge *solve, double diffusion, double layers);
    OozeStatus (*save)(OozeLodge *solve, OozeError *error); /* first_u */
    void (*restore)(OozeLodge *solve);
    /* The preconditioner of the pass: blocks, and the grids where uses_grids. Without memory for
       grids `auto` keeps to blocks. Waits. */
    OozeStatus (*build)(OozeLodge *solve, OozeError *error);
    void (*start_multigrid)(OozeLodge *solve); /* p = z from the present residual */
    /* See cpu/lodge_momentum.h. */
    OozeStatus (*restore_momentum)(OozeLodge *solve, OozeError *error);

    /* Of `pressure: grid`: see pressure_solve.h. */
    OozeStatus (*solve_pressure)(OozeLodge *solve, OozeError *error);
    void (*release_walls)(OozeLodge *solve);
    void (*leave_pressure_out)(OozeLodge *solve, float sign);

    /* The velocity change for the next step's guess; u without expected pushes; impulses of rigid
       bodies; the residual of the step. */
    void (*end)(OozeLodge *solve);
    void (*report_stress)(OozeLodge *solve); /* of the context, where it is wanted */
} OozeLodgeStages;

extern const OozeLodgeStages ooze_lodge_stages; /* of the processor */

#endif
