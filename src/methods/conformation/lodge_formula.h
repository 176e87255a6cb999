/* Per-particle equations of the velocity solve and its stress, between the gathers;
   docs/methods/conformation.md derives them. Valid C17 and CUDA: the processor and the GPU call
   the same functions. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_LODGE_FORMULA_H

#include "methods/conformation/plan.h"
#include "physics/spin.h"
#include "physics/yield.h"
#include "solvers/contact/contact_set_formula.h"

/* Passes before the last only provide the velocities that the next is linearised about: they
   stop at this factor times the tolerance. */
#define OOZE_LODGE_EARLY_TOLERANCE 10.0

/* Least p.Ap over r.z with the diagonal preconditioner. The operator is the mass matrix and a
   positive one, so that the ratio is at least 1 in exact arithmetic. */
#define OOZE_LODGE_MIN_CURVATURE 0.5

/* Iterations by masses before a solve finds the diagonal blocks, and those that it may take at most
   where it seems to need no more. Blocks cost as much as three products of the operator. */
#define OOZE_LODGE_TRIAL      6
#define OOZE_LODGE_TRIAL_MOST 20
/* Where blocks were expected to be faster and take more iterations than this, the grids cost about
   as much as the iterations so far. */
#define OOZE_LODGE_LATE 150

/* Iterations with multigrid at most: some 16 are usual; a solve that needs this many has failed. */
#define OOZE_LODGE_MULTIGRID_MOST 200

/* Whether a trial may suffice, where iterations by masses reduce a residual from 2 to `tolerance`
   in `expected`. The initial guess may have left less to do. */
OOZE_FORMULA bool ooze_lodge_is_near(const OozeSolveResidual *residual, double expected,
                                     double tolerance)
{
    const double most = OOZE_LODGE_TRIAL_MOST * log(2.0 / tolerance);
    return residual->target > 0.0 &&
           expected * 0.5 * log(residual->current / residual->target) <= most;
}

/* Iterations that the solve needs in all if its residual continues to fall as in the first
   OOZE_LODGE_TRIAL, from the squared residual `begin`. */
OOZE_FORMULA int ooze_lodge_trial_iterations(double begin, const OozeSolveResidual *residual)
{
    if (residual->current <= residual->target) {
        return 0;
    }
    if (!(residual->current < begin) || !(residual->target > 0.0)) {
        return INT32_MAX;
    }
    double count =
        OOZE_LODGE_TRIAL * log(begin / residual->target) / log(begin / residual->current);
    return count < 1e6 ? (int)ceil(count) : INT32_MAX;
}

/* The strain increment dt L of a step, limited to a norm of one half. */
OOZE_FORMULA OozeMat3 ooze_lodge_strain(OozeMat3 l, float dt)
{
    OozeMat3 a = ooze_mat3_scale(l, dt);
    float norm2 = ooze_mat3_norm2(a);
    return norm2 > 0.25f ? ooze_mat3_scale(a, 0.5f / sqrtf(norm2)) : a;
}

/* ---- modes ---------------------------------------------------------------------------------- */

/* A material with several relaxation times has a conformation for each, and their stresses add
   up. Arrays of tensors hold the first mode, then `more` further ones
   (OozeConformationPlan.more_modes). */
enum { OOZE_MODES = 1 + OOZE_MORE_MODES };

/* Each conformation at the end of the step, before yielding, for the strain of the step. */
OOZE_FORMULA void ooze_lodge_convect(const OozeRheology *m, OozeMat3 strain, int more, OozeSym3 *q)
{
    q[0] = ooze_lodge_update(q[0], strain, m->memory);
    for (int k = 0; k < more; k++) {
        q[k + 1] = ooze_lodge_update(q[k + 1], strain, m->more[k].memory);
    }
}

/* The mean conformation of all modes, weighted by their moduli. */
OOZE_FORMULA OozeSym3 ooze_lodge_mean(const OozeRheology *m, int more, const OozeSym3 *q)
{
    OozeSym3 mean = q[0];
    float modulus = m->modulus;
    for (int k = 0; k < more; k++) {
        const OozeMode *mode = &m->more[k];
        modulus += mode->modulus;
        float share = mode->modulus > 0.0f ? mode->modulus / modulus : 0.0f;
        mean = ooze_sym3_add(ooze_sym3_scale(mean, 1.0f - share), ooze_sym3_scale(q[k + 1], share));
    }
    return mean;
}

/* Fraction of the elastic strain that remains after yielding. With several modes it follows from
   their mean strain, and scales all modes alike: the yield stress is the sum of the moduli times
   the limit, however that sum is divided into modes. */
OOZE_FORMULA float ooze_lodge_yield_share(const OozeRheology *m, int more, const OozeSym3 *q)
{
    return ooze_yield_share(ooze_lodge_mean(m, more, q), m->yield);
}

/* The conformations at the end of the step, from those at its beginning. */
OOZE_FORMULA void ooze_lodge_evolve(const OozeRheology *m, OozeMat3 strain, int more, OozeSym3 *q)
{
    ooze_lodge_convect(m, strain, more, q);
    float share = ooze_lodge_yield_share(m, more, q);
    for (int k = 0; k <= more; k++) {
        q[k] = ooze_yield_to(q[k], share);
    }
}

/* Size of the elastic stress, from Q - I of each mode. */
OOZE_FORMULA float ooze_lodge_elastic_stress(const OozeRheology *m, int more,
                                             const OozeSym3 *strain)
{
    if (more == 0) {
        return m->modulus * ooze_stress_size(strain[0]);
    }
    OozeSym3 sum = ooze_sym3_scale(strain[0], m->modulus);
    for (int k = 0; k < more; k++) {
        sum = ooze_sym3_add(sum, ooze_sym3_scale(strain[k + 1], m->more[k].modulus));
    }
    return ooze_stress_size(sum);
}

/* ---- coefficients of a pass ----------------------------------------------------------------- */

/* State of a particle that its coefficients depend on, besides the material. */
typedef struct OozeLodgeState {
    OozeSym3 q[OOZE_MODES]; /* at the beginning of the step */
    int more;               /* of these, beyond the first */
    OozeMat3 l;             /* velocity gradient of the last pass */
    float expansion;        /* relative volume gained beyond rest */
    bool singular;          /* B is 0: the neighbourhood does not span three directions */
    bool later_pass;        /* l is that of a solve */
    /* second order, second stage: S0 and b of the first */
    OozeSym3 first_stress;
    float first_share;
    float dt;           /* s */
    float bulk_factor;  /* bulk over shear stiffness */
    float void_closure; /* see OozeConformationSettings */
} OozeLodgeState;

/* Moduli and viscosities after thinning and yielding at the velocities of the last pass. They are
   secants: the operator stays positive, and a pass that changes no velocity changes none of these.
   */
typedef struct OozeSoftened {
    float elastic; /* factor of every modulus */
    float viscosity, hourglass, solvent_hourglass;
} OozeSoftened;

/* Thinning scales the moduli and the viscosity, but not the solvent's. In a material that yields
   the moduli stay, and with them the yield stress and the elasticity below it; its viscosity
   thins, so that it flows by the law of Herschel and Bulkley: yield stress + viscosity(rate)
   rate. */
OOZE_FORMULA OozeSoftened ooze_lodge_soften(const OozeRheology *m, const OozeLodgeState *s)
{
    OozeSoftened soft = {1.0f, m->viscosity, m->hourglass, m->solvent_hourglass};
    bool plastic = isfinite(m->yield);
    float thinned = 1.0f, left = 1.0f;
    if (m->thinning.time > 0.0f) {
        thinned = ooze_thinning(m->thinning, ooze_shear_rate(ooze_mat3_symmetric(s->l)));
    }
    if (plastic) {
        OozeSym3 trial[OOZE_MODES];
        for (int k = 0; k <= s->more; k++) {
            trial[k] = s->q[k];
        }
        ooze_lodge_convect(m, ooze_lodge_strain(s->l, s->dt), s->more, trial);
        left = ooze_lodge_yield_share(m, s->more, trial);
    }
    if (thinned != 1.0f || left != 1.0f) {
        soft.elastic = plastic ? left : thinned;
        soft.viscosity =
            plastic ? thinned * m->viscosity : m->solvent + thinned * (m->viscosity - m->solvent);
        soft.solvent_hourglass = plastic ? thinned * m->solvent_hourglass : m->solvent_hourglass;
        soft.hourglass =
            soft.solvent_hourglass + soft.elastic * (m->hourglass - m->solvent_hourglass);
    }
    return soft;
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Fluid counts as pulled apart above these values of its expansion, or of its contraction across
   the stretch, which is 1 less the second largest eigenvalue of Q. It does so in full above twice
   the first or three times the second. Sheared or compressed fluid has neither. */
#define OOZE_LODGE_PULLED_EXPANSION   0.03f
#define OOZE_LODGE_PULLED_CONTRACTION 0.1f

/* How much more the hourglass coefficient grows with the stretch where fluid is pulled apart. With
   10 an elastic thread parts at 4.5 times its length, with 30 it holds beyond 6. */
#define OOZE_LODGE_PULLED_HOURGLASS 30.0f

/* Fluid counts as stretched above this largest eigenvalue of Q, and in full this range further.
   Spinning bodies, creams and impacts stay below. */
#define OOZE_LODGE_STRETCHED       1.4f
#define OOZE_LODGE_STRETCHED_RANGE 0.4f

OOZE_FORMULA float ooze_lodge_ramp(float x)
{
    return ooze_min(ooze_max(x, 0.0f), 1.0f);
}

/* Eigenvalues of a conformation, and how far its fluid is pulled apart: from 0, at rest, sheared or
   compressed, to 1. */
typedef struct OozeLodgePull {
    float most, pulled;
    float least; /* where pulled is above 0 */
} OozeLodgePull;

OOZE_FORMULA OozeLodgePull ooze_lodge_pull(OozeSym3 q, float expansion)
{
    OozeLodgePull p;
    p.most = -ooze_sym3_min_eigenvalue(ooze_sym3_scale(q, -1.0f));
    p.least = p.pulled = 0.0f;
    if (!(p.most > OOZE_LODGE_STRETCHED)) {
        return p; /* nearly all fluid */
    }
    p.least = ooze_sym3_min_eigenvalue(q);
    float across = ooze_sym3_trace(q) - p.least - p.most;
    float stretched = ooze_lodge_ramp((p.most - OOZE_LODGE_STRETCHED) / OOZE_LODGE_STRETCHED_RANGE);
    /* along one axis: a puddle that spreads is stretched along two */
    float uniaxial = ooze_lodge_ramp(6.0f - 5.0f * across);
    p.pulled =
        stretched * uniaxial *
        ooze_max(ooze_lodge_ramp(expansion / OOZE_LODGE_PULLED_EXPANSION - 1.0f),
                 ooze_lodge_ramp(0.5f * ((1.0f - across) / OOZE_LODGE_PULLED_CONTRACTION - 1.0f)));
    return p;
}

/* Factor of the hourglass coefficient. Stretched fluid is unstable in motion that alternates from
   particle to particle, which gradients do not resolve. Particles of a thread gather, and gaps open
   between them that no stress resists. The growth rate of that motion increases with the stretch,
   and this factor increases the damping with it. Small strains have factor 1. */
OOZE_FORMULA float ooze_lodge_stretch(OozeSym3 q, float expansion)
{
    float stretch = ooze_sym3_trace(q) - 3.0f;
    float pulled = stretch > 1e-3f ? ooze_lodge_pull(q, expansion).pulled : 0.0f;
    return ooze_max(1.0f, (1.0f + OOZE_LODGE_PULLED_HOURGLASS * pulled) * stretch);
}

/* Ranges over which thread regularisation of fluids that relax sets in. The first is of Weissenberg
   numbers, rate of extension times the longest relaxation time. It ends at the coil-stretch
   transition, beyond which the stress of a steady extension grows without bound. The second is of
   the largest eigenvalue of Q, so that fluid that was stretched before stays regularised. Its last
   value in slower extension is 1/(1 - 2 Wi). */
#define OOZE_LODGE_REGULARISED_WEISSENBERG       0.25f
#define OOZE_LODGE_REGULARISED_WEISSENBERG_RANGE 0.25f
#define OOZE_LODGE_REGULARISED_STRETCH           2.0f
#define OOZE_LODGE_REGULARISED_STRETCH_RANGE     1.0f

/* Share of thread regularisation in fluid that is pulled apart, 0 to 1. The shifts carry mass along
   the stretch that no velocity carries. The velocities strain the fluid by as much less: at a
   Weissenberg number of 0.25 that would be a tenth of the extensional viscosity. */
OOZE_FORMULA float ooze_lodge_regularised_share(float relaxation, float rate, float most)
{
    if (isinf(relaxation)) {
        return 1.0f;
    }
    float fast = (relaxation * rate - OOZE_LODGE_REGULARISED_WEISSENBERG) /
                 OOZE_LODGE_REGULARISED_WEISSENBERG_RANGE;
    float stretched =
        (most - OOZE_LODGE_REGULARISED_STRETCH) / OOZE_LODGE_REGULARISED_STRETCH_RANGE;
    return ooze_lodge_ramp(ooze_max(fast, stretched));
}

/* Tensor of OozeDensityJob.thread_regularisation: 1 along the axes along which fluid that is pulled
   apart is stretched, 0 across them. Particles then keep an even distance along a thread or sheet
   and stay within it. */
OOZE_FORMULA OozeSym3 ooze_lodge_thread_regularisation(const OozeRheology *m,
                                                       const OozeLodgeState *s)
{
    OozeSym3 mean = ooze_lodge_mean(m, s->more, s->q);
    OozeLodgePull pull = ooze_lodge_pull(mean, s->expansion);
    if (!(pull.pulled > 0.0f)) {
        return ooze_sym3_identity(0);
    }
    OozeSym3 above = ooze_sym3_add(mean, ooze_sym3_identity(-pull.least));
    OozeSym3 d = ooze_mat3_symmetric(s->l);
    float rate = ooze_sym3_dot(above, d) / ooze_sym3_trace(above); /* of extension, 1/s */
    float share =
        pull.pulled * ooze_lodge_regularised_share(m->longest_relaxation, rate, pull.most);
    return ooze_sym3_scale(above, share / pull.most);
}

/* Coefficients of a particle in the operator. */
typedef struct OozeLodgeCoefficients {
    OozeSym3 stiffness;       /* A */
    OozeSym3 explicit_stress; /* S0 */
    float bulk;               /* bulk tr A / 3 */
    float hourglass;          /* n */
    float stress;             /* size of the stress that goes with l */
    float share;              /* b of a stage of second order; first order: 0 */
    bool first_stage;         /* of second order */
} OozeLodgeCoefficients;

/* Stress size, and no hourglass term where gradients are singular. */
OOZE_FORMULA OozeLodgeCoefficients ooze_lodge_complete(OozeLodgeCoefficients c,
                                                       const OozeLodgeState *s)
{
    OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(s->l), c.stiffness, c.bulk);
    c.stress = ooze_stress_size(ooze_sym3_add(c.explicit_stress, stress));
    c.hourglass = s->singular ? 0.0f : c.hourglass;
    return c;
}

/* p: the tensile stress that closes voids. */
OOZE_FORMULA float ooze_lodge_void_stress(const OozeLodgeState *s, float bulk)
{
    return s->expansion > 0.0f ? bulk * s->void_closure / s->dt * ooze_min(s->expansion, 0.1f)
                               : 0.0f;
}

/* (dt/2) W^T W, the part of F F^T that a rotation alone would add, is no strain. */
OOZE_FORMULA OozeSym3 ooze_lodge_spin_strain(OozeSpin w, float dt)
{
    return ooze_sym3_scale(ooze_spin_square(w), 0.5f / dt);
}

/* ---- second order in time ------------------------------------------------------------------- */

/* b of viscous stress: with one half a viscous motion decays by 1/(1 + v/2)^2 a step,
   monotonically for every v. */
#define OOZE_LODGE_VISCOUS_SHARE 0.5f

/* b of elastic stress over the least that is stable in a body without contacts. With 3% more a bar
   that hits a wall and leaves it at random steps gains energy; with 20% it does not. */
#define OOZE_LODGE_SHARE_MARGIN 1.2f

/* b: share of the change of stress in a step that a stage treats implicitly, from the stiffness A
   and its isotropic viscous part. Elastic motion is stable for every step if
   b >= s/(8 + 4 sqrt(2 - s)), where s, from 1 to 2, is the stiffness of the stiffest direction of
   shear over that of the operator, which takes the mean of two directions. */
OOZE_FORMULA float ooze_lodge_implicit_share(OozeSym3 a, float viscous)
{
    float mean = ooze_sym3_trace(a) / 3.0f, elastic = mean - viscous;
    float least = ooze_sym3_min_eigenvalue(a) - viscous;
    float most = -ooze_sym3_min_eigenvalue(ooze_sym3_scale(a, -1.0f)) - viscous;
    float sum = ooze_max(0.0f, most) + ooze_max(0.0f, least);
    float stiff = sum > 0.0f ? ooze_min(2.0f * ooze_max(0.0f, most) / sum, 2.0f) : 1.0f;
    float share = OOZE_LODGE_SHARE_MARGIN * stiff / (8.0f + 4.0f * sqrtf(2.0f - stiff));
    return mean > 0.0f ? (share * elastic + OOZE_LODGE_VISCOUS_SHARE * viscous) / mean
                       : OOZE_LODGE_VISCOUS_SHARE;
}

/* What both orders start from, over all modes. */
typedef struct OozeLodgeSums {
    OozeSym3 stiffness; /* A */
    OozeSym3 stress;    /* G (Q - I) at the beginning of the step */
    OozeSym3 retained;  /* r G (Q - I) */
    float viscous;      /* part of A that does not follow Q */
    float whole;        /* the modulus over that of A: more than 1 where a material yields */
    float hourglass;
} OozeLodgeSums;

/* A plastic material yields at the end of a step. Its stress at the beginning is that of the whole
   modulus; the change of the stress is that of the reduced modulus. */
OOZE_FORMULA OozeLodgeSums ooze_lodge_sum_modes(const OozeRheology *m, const OozeSoftened *soft,
                                                const OozeLodgeState *s, const OozeSym3 *q)
{
    OozeLodgeSums sums;
    const float dt = s->dt;
    float modulus = soft->elastic * m->modulus;
    sums.whole = isfinite(m->yield) ? 1.0f / soft->elastic : 1.0f;
    float elastic = soft->hourglass - soft->solvent_hourglass;
    sums.stiffness = ooze_lodge_stiffness(q[0], modulus, soft->viscosity, dt, m->memory);
    sums.retained = ooze_lodge_retained_stress(q[0], modulus, m->memory);
    sums.viscous = modulus * m->memory.m1_dt * dt + soft->viscosity;
    sums.hourglass = soft->solvent_hourglass + ooze_lodge_stretch(q[0], s->expansion) * elastic;
    OozeMemory lasting = m->memory;
    lasting.r = 1;
    sums.stress = ooze_lodge_retained_stress(q[0], sums.whole * modulus, lasting);
    for (int k = 0; k < s->more; k++) {
        const OozeMode *mode = &m->more[k];
        OozeSym3 qk = q[k + 1];
        float gk = soft->elastic * mode->modulus;
        OozeSym3 stiffness = ooze_lodge_stiffness(qk, gk, 0.0f, dt, mode->memory);
        OozeSym3 retained = ooze_lodge_retained_stress(qk, gk, mode->memory);
        OozeSym3 stress = ooze_lodge_retained_stress(qk, sums.whole * gk, lasting);
        sums.stiffness = ooze_sym3_add(sums.stiffness, stiffness);
        sums.retained = ooze_sym3_add(sums.retained, retained);
        sums.stress = ooze_sym3_add(sums.stress, stress);
        sums.viscous += gk * mode->memory.m1_dt * dt;
        sums.hourglass += ooze_lodge_stretch(qk, s->expansion) * (soft->elastic * mode->hourglass);
    }
    return sums;
}

/* One stage of two: docs/methods/conformation.md derives them. Stress and velocity are half a step
   apart, as in a leapfrog: the force of a step is that of the stress at its beginning, with
   implicit terms that vanish where the strain rate is constant. Volume changes elastically, and
   only where it exceeds that of rest; the density stage opposes the rest. The coefficients of the
   second stage are those of its first residual, twice those of its iterations: see
   ooze_lodge_scale. */
OOZE_FORMULA OozeLodgeCoefficients ooze_lodge_stage(const OozeLodgeSums *sums, float viscosity,
                                                    const OozeLodgeState *s)
{
    OozeLodgeCoefficients c;
    bool second = s->later_pass;
    float times = second ? 2.0f : 1.0f;
    c.first_stage = !second;
    c.share = second ? s->first_share : ooze_lodge_implicit_share(sums->stiffness, sums->viscous);
    float bulk = s->bulk_factor * (ooze_sym3_trace(sums->stiffness) / 3.0f);
    float implicit_bulk = s->expansion > 0.0f ? c.share * s->void_closure * bulk : 0.0f;
    OozeSym3 a = ooze_sym3_scale(sums->stiffness, c.share);
    OozeSym3 ww = ooze_lodge_spin_strain(ooze_spin(s->l, s->dt, 0.5f), s->dt);
    OozeSym3 s0 = ooze_lodge_stress(ww, a, implicit_bulk);
    OozeSym3 later = ooze_sym3_scale(sums->retained, c.share * sums->whole);
    if (second) {
        s0 = ooze_sym3_add(s0, ooze_sym3_add(s->first_stress, later));
    } else {
        OozeMat3 strain = ooze_lodge_strain(s->l, s->dt);
        OozeSym3 d = ooze_sym3_add(ooze_sym3_scale(ooze_mat3_symmetric(strain), 1.0f / s->dt), ww);
        OozeSym3 viscous = ooze_sym3_scale(d, 2.0f * viscosity);
        OozeSym3 before = ooze_sym3_scale(ooze_lodge_stress(d, a, implicit_bulk), -2.0f);
        s0 = ooze_sym3_add(ooze_sym3_add(s0, sums->stress), ooze_sym3_scale(later, -1.0f));
        s0 = ooze_sym3_add(s0, ooze_sym3_add(viscous, before));
    }
    float part = second ? c.share : 1.0f - c.share;
    c.explicit_stress = ooze_sym3_add_pressure(s0, part * ooze_lodge_void_stress(s, bulk));
    c.stiffness = ooze_sym3_scale(a, times);
    c.bulk = times * implicit_bulk;
    c.hourglass = times * OOZE_LODGE_VISCOUS_SHARE * sums->hourglass;
    return ooze_lodge_complete(c, s);
}

OOZE_FORMULA OozeLodgeCoefficients ooze_lodge_coefficients(const OozeRheology *m,
                                                           const OozeLodgeState *s)
{
    OozeSpin w = ooze_spin(s->l, s->dt, 0.5f);
    OozeSym3 q[OOZE_MODES];
    bool rotated = s->later_pass && !m->second_order;
    for (int k = 0; k <= s->more; k++) {
        q[k] = rotated ? ooze_sym3_congruence(ooze_spin_rotation(w), s->q[k]) : s->q[k];
    }
    OozeSoftened soft = ooze_lodge_soften(m, s);
    OozeLodgeSums sums = ooze_lodge_sum_modes(m, &soft, s, q);
    if (m->second_order) {
        return ooze_lodge_stage(&sums, soft.viscosity, s);
    }
    OozeLodgeCoefficients c;
    c.share = 0.0f;
    c.first_stage = false;
    c.stiffness = sums.stiffness;
    c.hourglass = sums.hourglass;
    c.bulk = s->bulk_factor * (ooze_sym3_trace(c.stiffness) / 3.0f);
    OozeSym3 ww = ooze_lodge_spin_strain(w, s->dt);
    c.explicit_stress = ooze_sym3_add(ooze_lodge_stress(ww, c.stiffness, c.bulk), sums.retained);
    c.explicit_stress =
        ooze_sym3_add_pressure(c.explicit_stress, ooze_lodge_void_stress(s, c.bulk));
    return ooze_lodge_complete(c, s);
}

/* Second order: contacts do not constrain tangents in a stage. A contact that sticks in one stage
   and slips in the other would drive motion that the step does not resolve. */
OOZE_FORMULA void ooze_lodge_free_tangents(OozeContactSet *set)
{
    bool has = set->friction > 0.0f && isfinite(set->friction) && set->normals > 0;
    set->count = has ? set->normals : set->count;
}

/* The impulse of friction, which takes their place. It stops u* where Coulomb's limit allows.
   `force` is the contact force times dt, `u` is u*. To be called before ooze_contact_release. */
OOZE_FORMULA void ooze_lodge_friction(OozeContactSet *set, const float *force, const float *u,
                                      float mass, float *friction)
{
    float normal = 0.0f, size2 = 0.0f;
    for (int k = 0; k < set->normals; k++) {
        normal += ooze_max(0.0f, ooze_contact_dot(force, ooze_contact_lanes(set, k)));
    }
    for (int c = 0; c < 3; c++) {
        friction[c] = 0.0f;
    }
    for (int k = set->normals; k < 3 && set->normals > 0; k++) {
        const float *d = ooze_contact_lanes(set, k);
        float along = mass * (set->speed[k] - ooze_contact_dot(u, d));
        size2 += along * along;
        for (int c = 0; c < 3; c++) {
            friction[c] += along * d[c];
        }
    }
    bool rubs = set->friction > 0.0f && isfinite(set->friction);
    float limit = rubs ? set->friction * normal : 0.0f, size = sqrtf(size2);
    for (int c = 0; c < 3 && size > limit; c++) {
        friction[c] *= limit / size;
    }
}

/* The coefficients of the second stage for its iterations, once its first residual is known, are
   half of those. */
OOZE_FORMULA void ooze_lodge_scale(OozeSym3 *stiffness, float *bulk, float *hourglass, float factor)
{
    *stiffness = ooze_sym3_scale(*stiffness, factor);
    *bulk *= factor;
    *hourglass *= factor;
}

/* Coefficients of a body particle that fluid wets: those of the fluid times OOZE_FILM, and the
   viscosity of the body itself, where it is soft. */
OOZE_FORMULA OozeLodgeCoefficients ooze_lodge_wet_body(OozeLodgeCoefficients c,
                                                       const OozeRheology *body, float bulk_factor)
{
    const float film = OOZE_FILM;
    float own = c.first_stage ? OOZE_LODGE_VISCOUS_SHARE : 1.0f;
    c.stiffness = ooze_sym3_add(ooze_sym3_scale(c.stiffness, film),
                                ooze_sym3_identity(own * body->viscosity));
    c.explicit_stress = ooze_sym3_scale(c.explicit_stress, film);
    c.bulk = film * c.bulk + own * bulk_factor * body->viscosity;
    c.hourglass = film * c.hourglass + own * body->hourglass;
    return c;
}

/* ---- end of step ---------------------------------------------------------------------------- */

/* Fraction of the integrated divergence that decays in a step: void closure acts within a few. */
#define OOZE_LODGE_EXPANSION_DECAY 0.02f

/* Relative expansion beyond rest, from that of the last step, the strain increment, the density,
   and the surface indicator over its cutoff. Inside the fluid it follows from the density; at a
   surface, where density misses neighbours, it is the decaying integral of the divergence. A
   stretched thread would otherwise gain volume until it breaks. */
OOZE_FORMULA float ooze_lodge_expansion(float before, OozeMat3 strain, float density, float surface)
{
    float inside = ooze_max(0.0f, 1.0f - surface);
    float integrated =
        (before + strain.m[0] + strain.m[4] + strain.m[8]) * (1.0f - OOZE_LODGE_EXPANSION_DECAY);
    float measured = 1.0f / density - 1.0f;
    float expansion = integrated + inside * (measured - integrated);
    return ooze_min(ooze_max(expansion, -0.5f), 0.5f);
}

/* State of a particle that the end of the step changes, and what the change depends on. */
typedef struct OozeLodgeEnd {
    OozeSym3 q[OOZE_MODES];
    int more;        /* of these, beyond the first */
    float expansion; /* see ooze_lodge_expansion; of bodies 0 */
    float density, surface, dt;
    bool body;
} OozeLodgeEnd;

/* `l` is the velocity gradient of the final motion. */
OOZE_FORMULA void ooze_lodge_end(const OozeRheology *m, OozeMat3 l, OozeLodgeEnd *end)
{
    OozeMat3 strain = ooze_lodge_strain(l, end->dt);
    ooze_lodge_evolve(m, strain, end->more, end->q);
    end->expansion =
        end->body ? 0.0f : ooze_lodge_expansion(end->expansion, strain, end->density, end->surface);
}

/* ---- warm start of the velocity solve: see warm_start.c ------------------------------------- */

/* Fraction that is kept of the velocity change of a solve that ended before it met its
   tolerance. The errors of such solves add up from step to step: very viscous fluid on a
   rotating solid, with five iterations a step, would rotate ever faster. */
#define OOZE_WARM_START_UNCONVERGED 0.9f

/* Gain of the initial guess p for a component of fluid: p.r and p.Ap, and the number of its
   particles that are anchored. */
typedef struct OozeComponentGain {
    double residual, curvature, anchors;
} OozeComponentGain;

/* Fraction of the initial guess that a component accepts, by the step length p.r / p.Ap of the
   component alone: 1 from three quarters on, 0 below a quarter. At least three of its particles
   must be anchored: rigid motion strains nothing, so iterations remove its error last, and with
   few of them a component in free flight would keep an acceleration that has long ended. */
OOZE_FORMULA float ooze_warm_start_accepted_fraction(OozeComponentGain gain)
{
    const double all = 0.75, none = 0.25, enough = 3.0;
    double alpha =
        gain.curvature > 0.0 && gain.anchors >= enough ? gain.residual / gain.curvature : 0.0;
    return (float)fmin(1.0, fmax(0.0, (alpha - none) / (all - none)));
}

OOZE_FORMULA bool ooze_warm_start_is_elastic(const OozeRheology *m, float dt)
{
    return m->bond_modulus > 0.0f || m->longest_relaxation > dt;
}

/* What the next step starts from. Viscous fluid: acceleration by the velocity solve, from u* to u.
   Elastic fluid: the solved velocity u itself. Its forces oscillate, so that those of the last
   step are out of phase and feed the oscillation. Second order: none, since a stage has forces of
   its own. */
OOZE_FORMULA void ooze_warm_start_next(const OozeRheology *m, const OozeSolveResidual *residual,
                                       float dt, const float *u, const float *u_star, float *next)
{
    float kept = ooze_solve_residual_converged(residual) ? 1.0f : OOZE_WARM_START_UNCONVERGED;
    bool elastic = ooze_warm_start_is_elastic(m, dt);
    for (int c = 0; c < 3; c++) {
        next[c] = m->second_order ? 0.0f : elastic ? u[c] : kept * (u[c] - u_star[c]) / dt;
    }
}

#endif
