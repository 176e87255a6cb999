/* The velocity solve on the processor: what its loops share. Arrays have four zero elements after
   the last one, unless said otherwise. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_LODGE_H
#define OOZE_METHODS_CONFORMATION_CPU_LODGE_H

#include "base/isa.h"
#include "methods/conformation/bodies/step_bodies.h"
#include "methods/conformation/cpu/gradient.h"
#include "methods/conformation/expected_push_formula.h"
#include "methods/conformation/lodge.h"
#include "solvers/linear/conjugate_gradients.h"

/* Connected components of the fluid, of the initial guess and of the momenta: see components.h.
   Arrays have an element a particle. */
typedef struct OozeLodgeComponents {
    uint32_t *root;
    _Atomic uint32_t *parent;
    struct OozeComponent *of_root; /* at the root of each */
    struct OozeComponentChunk *chunks;
    struct OozeComponentSharing *sharing; /* of components among processes; NULL: there is one */
} OozeLodgeComponents;

/* OozeLodge.own. */
typedef struct OozeLodgeOwn {
    OozeConjugateGradients cg;
    struct OozeRows *flux; /* rows of F = S B - n L with n u in the fourth lane */
    double *partial;       /* sums of fixed blocks */
    const OozeVector *input;
    OozeVector *output; /* between the gathers: the part of the force without a second gather */
    bool with_explicit_terms;          /* with S0 and moving walls: A u - b, not A p */
    bool unprojected;                  /* without contact projection: gives the contact forces */
    struct OozeImpactPairs *pairs;     /* of long steps; NULL: none */
    bool new_pairs;                    /* the last pass has added some */
    struct OozeImpactPairs *all_pairs; /* of all processes, by numbers of OozeImpactSurface */
    uint64_t *pair_particle; /* per pair of these: one of its particles here, or UINT64_MAX */
    float *trace;            /* of the stiffness; for new pairs */
    double alpha, beta;
    OozeLodgeComponents components; /* of the initial guess */
    struct OozeTwist *first_motion; /* of dynamic solids before the iterations of the pass */
} OozeLodgeOwn;

/* Bodies of parallel loops over an OozeLodge, in chunks of OOZE_CONFORMATION_GRAIN. */
typedef struct OozeLodgeLoops {
    OozeRangeBody stress;  /* first gather: gradient of the input, stress, flux */
    OozeRangeBody product; /* second: output = rho input - dt a, projected; sums input . output */
    OozeRangeBody start, advance, update; /* of conjugate gradients */
    OozeRangeBody edge_hourglass;
} OozeLodgeLoops;
OOZE_LOOPS_DECLARE(OozeLodgeLoops, ooze_lodge_loops);

/* Removes the contact directions of particle i from v. */
static inline OozeF32x4 ooze_lodge_project(const OozeConformationStep *s, uint64_t i, OozeF32x4 v)
{
    if (s->contact_of[i] >= 0) {
        v = ooze_contact_project(&s->contact_sets[s->contact_of[i]], v, OOZE_CONTACT_ALL);
    }
    return v;
}

/* Entries of the boundary list of particle i, in `wall_edge`. */
typedef struct OozeWallRange {
    uint64_t first, last;
} OozeWallRange;
static inline OozeWallRange ooze_lodge_walls(const OozeConformationStep *s, uint64_t i)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    OozeWallRange none = {0, 0};
    if (s->context->boundary->count == 0) {
        return none;
    }
    OozeWallRange range = {walls->first[i], walls->first[i] + walls->count[i]};
    return range;
}

/* Whether samples of a no-slip wall are within its support. */
static inline bool ooze_lodge_near_no_slip_wall(const OozeConformationStep *s, uint64_t i)
{
    OozeWallRange walls = ooze_lodge_walls(s, i);
    bool no_slip = false;
    for (uint64_t e = walls.first; e < walls.last && !no_slip; e++) {
        no_slip = s->own->wall_edge[e][3] > 0.0f;
    }
    return no_slip;
}

/* L_i of the velocities u. */
OozeMat3 ooze_velocity_gradient(const OozeConformationStep *step, uint64_t i);
/* Runs a loop and returns the sum of `partial`. */
double ooze_lodge_sum(OozeLodge *solve, OozeRangeBody body);
/* ap = A p. Returns p.Ap. */
double ooze_lodge_multiply(OozeLodge *solve);
/* ap = A input, with explicit terms A input - b. Returns the product with the input. */
double ooze_lodge_multiply_by(OozeLodge *solve, const OozeF32x4 *input, bool with_explicit_terms);

/* The operator of the second stage's iterations is half of that of its first residual. */
void ooze_lodge_scale_second_stage(OozeLodge *solve, float factor);
/* p = z + beta p */
void ooze_lodge_next_direction(OozeLodge *solve, double beta);
/* u += alpha p, r -= alpha ap. Returns r.z; `square` is r.z of the diagonal preconditioner. */
double ooze_lodge_advance(void *solve, double alpha, double *square);
/* Coefficients of a pass: lodge_material.c. */
void ooze_lodge_prepare(OozeLodge *solve);
/* Conformations and the next guess at the end of the step: likewise. */
void ooze_lodge_finish(OozeConformationStep *step);
void ooze_lodge_report_stress(OozeLodge *solve);

/* ---- contacts with solids: lodge_contact.c ---- */

/* Contact directions of u take the velocity of the surface; before the iterations of a pass. */
void ooze_lodge_set_contact_velocities(OozeLodge *solve);
/* Releases contacts that pull, after them. */
void ooze_lodge_release_contacts(OozeLodge *solve);

/* ---- rows of dynamic solids: dynamic_solids.c. No effect without dynamic solids ---- */

/* Before a product: velocities of samples from the motion of solids, or from the search
   direction. */
void ooze_lodge_solids_spread(OozeLodge *solve);
/* After its gathers. Returns the solids' part of p.Ap. */
double ooze_lodge_solids_product(OozeLodge *solve);
/* Steps of conjugate gradients; the first two return the squared residual. */
double ooze_lodge_solids_start(OozeLodge *solve);
double ooze_lodge_solids_advance(OozeLodge *solve);
void ooze_lodge_solids_update(OozeLodge *solve);
/* The solids' part of r.z, where the preconditioner is not diagonal. */
double ooze_lodge_solids_precondition(const OozeLodge *solve);
/* p.r */
double ooze_lodge_solids_dot(const OozeLodge *solve);
/* Search direction for a given one of the particles: zero, or the rigid motion nearest to the
   fluid around. */
void ooze_lodge_solids_zero(OozeLodge *solve);
void ooze_lodge_solids_follow(OozeLodge *solve);

/* ---- initial guess: warm_start.c ---- */

void ooze_warm_start_allocate(OozeLodge *solve);
/* Advances along the initial guess of the pass, then continues from the residual. */
OozeStatus ooze_warm_start(OozeLodge *solve, OozeError *error);
/* Records u - u* when the solve is done, and stores it when the step is. */
void ooze_warm_start_record(OozeLodge *solve);
void ooze_warm_start_store(OozeConformationStep *step);

#endif
