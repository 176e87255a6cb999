/* The implicit velocity solve of `lodge` on the processor. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_H
#define OOZE_METHODS_CONFORMATION_LODGE_H

#include "base/isa.h"
#include "methods/conformation/bodies/step_bodies.h"
#include "methods/conformation/cpu/gradient.h"
#include "methods/conformation/expected_push_formula.h"
#include "solvers/linear/conjugate_gradients.h"

/* When a solve changes from the diagonal preconditioner to multigrid. */
typedef enum OozeMultigridUse {
    OOZE_MULTIGRID_NEVER,
    OOZE_MULTIGRID_IF_LATE, /* after OOZE_LODGE_LATE diagonal iterations */
    OOZE_MULTIGRID_IF_SLOW, /* after a few iterations from a warm start, or at once without */
    OOZE_MULTIGRID_AT_ONCE
} OozeMultigridUse;

/* Arrays have one element a particle and four zero ones after them, unless said otherwise. */
typedef struct OozeLodge {
    OozeConformationStep *step;
    OozeSym3 *stiffness;       /* A */
    OozeSym3 *explicit_stress; /* S0 */
    float *bulk;               /* bulk tr A / 3 */
    float *hourglass;          /* n */
    float *pressure;           /* of the passes so far, m2/s2; of long steps */
    /* Second order: the part of external forces that the first stage leaves to the second, m/s,
       and b in the last lane, 0 for particles of first order. NULL: first order. */
    OozeF32x4 *deferred;
    bool first_pass;
    int passes;                /* of this step */
    float *edge_hourglass;     /* sum over the edges of f n_j */
    OozeRows *flux;            /* rows of F = S B - n L with n u in the fourth lane */
    OozeF32x4 *u_star;         /* u*: velocities under external forces alone; n of them */
    OozeF32x4 *r, *p, *ap;     /* of conjugate gradients */
    double *partial;           /* sums of fixed blocks */
    OozeConjugateGradients cg; /* its residual counts all passes */
    double speed_square;       /* sum rho u*^2 */
    /* of the loops */
    const OozeF32x4 *input;
    OozeF32x4 *output; /* between the gathers: the part of the force without a second gather */
    bool with_explicit_terms;          /* with S0 and moving walls: A u - b, not A p */
    bool unprojected;                  /* without contact projection: gives the contact forces */
    struct OozeImpactPairs *pairs;     /* of long steps; NULL: none */
    bool new_pairs;                    /* the last pass has added some */
    struct OozeImpactPairs *all_pairs; /* of all processes, by numbers of OozeImpactSurface */
    uint64_t *pair_particle; /* per pair of these: one of its particles here, or UINT64_MAX */
    float *trace;            /* of the stiffness; for new pairs */
    double alpha, beta;
    /* of the warm start */
    uint32_t *root; /* see components.h */
    _Atomic uint32_t *parent;
    struct OozeComponent *components; /* at the root of each */
    struct OozeComponentChunk *chunks;
    struct OozeComponentSharing *sharing; /* of components among processes; NULL: there is one */
    OozeStatus status;                    /* of the initial guess */
    /* of multigrid */
    OozeMultigridUse multigrid_use;
    struct OozeLodgeMultigrid *multigrid; /* NULL: the preconditioner is diagonal at present */
    struct OozeLodgeMultigrid *grids;     /* that were built in this step; NULL: none yet */
    OozeF32x4 *first_u;                   /* velocities before the iterations of the pass */
    OozeTwist *first_motion;              /* the same of dynamic solids */
} OozeLodge;

/* See expected_push_formula.h. */
static inline OozeF32x4 ooze_lodge_expected_push(const OozeConformationStep *s, uint64_t i)
{
    bool expected = s->expects_pushes && s->mobility[i] > 0.0f;
    if (s->first_push) {
        float share = s->rheology[s->material[i]].expected_push_share;
        return ooze_push_rate(expected, share, s->dt) * s->first_push[i];
    }
    OozePush push = ooze_push_expected(s->warm_start, i, expected ? s->dt : 0.0f);
    return ooze_f32x4(push.x, push.y, push.z, 0);
}

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
        no_slip = s->wall_edge[e][3] > 0.0f;
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
void ooze_lodge_scale_second_stage(OozeLodge *solve, int pass, float factor);

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
/* p = velocity change of the last step's solve, projected, for the components that accept it; ap
   = A p, cg.pap = p.Ap. False: there is no guess. */
bool ooze_warm_start_last_step(OozeLodge *solve);
/* p = the same along directions that contacts have just released, from the velocities there; ap,
   cg.pap. */
bool ooze_warm_start_released(OozeLodge *solve);
/* Records u - u* when the solve is done, and stores it when the step is. */
void ooze_warm_start_record(OozeLodge *solve);
void ooze_warm_start_store(OozeConformationStep *step);

#endif
