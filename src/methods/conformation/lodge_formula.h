/* What `lodge` makes of one particle's numbers, between the gathers. Valid C17 and CUDA: all machines call it. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_LODGE_FORMULA_H

#include "methods/conformation/plan.h"
#include "physics/spin.h"
#include "physics/yield.h"

/* Passes before the last only tell what the next is linearised about: so many times the tolerance will do. */
#define OOZE_LODGE_ROUGH 10.0

/* The strain of a step; half a strain in one step is the most that is believed. */
OOZE_FORMULA OozeMat3 ooze_lodge_strain(OozeMat3 l, float dt)
{
    OozeMat3 a = ooze_mat3_scale(l, dt);
    float norm2 = ooze_mat3_norm2(a);
    return norm2 > 0.25f ? ooze_mat3_scale(a, 0.5f / sqrtf(norm2)) : a;
}

/* ---- coefficients of a pass ----------------------------------------------------------------------- */

/* What thinning and yielding leave of a material, as seen from the velocities of the last pass. A
   secant: the operator stays positive, and a pass that changes no velocity changes nothing here. */
typedef struct OozeSoftened {
    float modulus, viscosity, hourglass;
} OozeSoftened;

OOZE_FORMULA OozeSoftened ooze_lodge_soften(const OozeRheology *m, OozeSym3 q, OozeMat3 l, float dt)
{
    OozeSoftened soft = {m->modulus, m->viscosity, m->hourglass};
    float thinned = 1.0f, left = 1.0f;
    if (m->thinning.time > 0.0f) {
        thinned = ooze_thinning(m->thinning, ooze_shear_rate(ooze_mat3_symmetric(l)));
    }
    if (isfinite(m->yield)) {
        OozeSym3 trial = ooze_lodge_update(q, ooze_lodge_strain(l, dt), m->memory);
        left = ooze_yield_share(trial, m->yield);
    }
    if (thinned != 1.0f || left != 1.0f) {
        soft.modulus = thinned * left * m->modulus;
        soft.viscosity = m->solvent + thinned * (m->viscosity - m->solvent);
        soft.hourglass =
            m->solvent_hourglass + thinned * left * (m->hourglass - m->solvent_hourglass);
    }
    return soft;
}

/* A stretched lattice is unstable in motion that alternates from particle to particle, as pairs that come nearer
   pull harder, and gradients do not see it. Its stiffness is that of the stretch, and so must the damping be; it
   slows the growth down, and does not turn it round. Small strains are left as they are. */
OOZE_FORMULA float ooze_lodge_stretch(OozeSym3 q)
{
    return ooze_max(1.0f, ooze_sym3_trace(q) - 3.0f);
}

/* What a particle brings to the operator. */
typedef struct OozeLodgeCoefficients {
    OozeSym3 stiffness; /* A */
    OozeSym3 known;     /* S0 */
    float bulk;         /* kb mu */
    float hourglass;    /* n */
    float stress;       /* size of the stress that goes with l */
} OozeLodgeCoefficients;

/* What they are made from, besides the material. */
typedef struct OozeLodgeState {
    OozeSym3 q;       /* at the beginning of the step */
    OozeMat3 l;       /* velocity gradient of the last pass */
    float expansion;  /* volume gained beyond rest, relative */
    bool poor;        /* its neighbourhood cannot tell three directions */
    bool turned;      /* Q turns with the velocity of the last pass */
    float dt;         /* s */
    float bulk_share; /* kb: bulk over shear stiffness */
    float tension;    /* bt: pull against dilation */
} OozeLodgeState;

OOZE_FORMULA OozeLodgeCoefficients ooze_lodge_coefficients(const OozeRheology *m,
                                                           const OozeLodgeState *s)
{
    OozeLodgeCoefficients c;
    OozeSpin w = ooze_spin(s->l, s->dt, 0.5f);
    OozeSym3 q = s->turned ? ooze_sym3_push(ooze_spin_rotation(w), s->q) : s->q;
    OozeSoftened soft = ooze_lodge_soften(m, s->q, s->l, s->dt);
    c.stiffness = ooze_lodge_stiffness(q, soft.modulus, soft.viscosity, s->dt, m->memory);
    c.bulk = s->bulk_share * (ooze_sym3_trace(c.stiffness) / 3.0f);
    /* what a rigid turn adds to F F^T must not count as strain: dt/2 W^T W, per dt */
    OozeSym3 ww = ooze_sym3_scale(ooze_spin_square(w), 0.5f / s->dt);
    float rg = m->memory.r * soft.modulus;
    c.known = ooze_sym3_add(ooze_lodge_stress(ww, c.stiffness, c.bulk),
                            ooze_sym3(rg * (q.xx - 1), rg * (q.yy - 1), rg * (q.zz - 1), rg * q.xy,
                                      rg * q.xz, rg * q.yz));
    if (s->expansion > 0.0f) {
        float pull = c.bulk * s->tension / s->dt * ooze_min(s->expansion, 0.1f);
        c.known.xx += pull;
        c.known.yy += pull;
        c.known.zz += pull;
    }
    OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(s->l), c.stiffness, c.bulk);
    c.stress = ooze_stress_size(ooze_sym3_add(c.known, stress));
    float elastic = soft.hourglass - m->solvent_hourglass;
    c.hourglass = s->poor ? 0.0f : m->solvent_hourglass + ooze_lodge_stretch(q) * elastic;
    return c;
}

/* Gradients at the surface of a body count too little of the strain: see OOZE_FILM. Beside the film's, a soft
   body has a viscosity of its own. */
OOZE_FORMULA OozeLodgeCoefficients ooze_lodge_thicken(OozeLodgeCoefficients c,
                                                      const OozeRheology *own, float bulk_share)
{
    const float film = OOZE_FILM;
    c.stiffness =
        ooze_sym3_add(ooze_sym3_scale(c.stiffness, film), ooze_sym3_identity(own->viscosity));
    c.known = ooze_sym3_scale(c.known, film);
    c.bulk = film * c.bulk + bulk_share * own->viscosity;
    c.hourglass = film * c.hourglass + own->hourglass;
    return c;
}

/* ---- end of step ---------------------------------------------------------------------------------- */

/* Share of a remembered expansion that is forgotten in a step: the pull acts within a few. */
#define OOZE_LODGE_FORGET 0.02f

/* How much a particle's surroundings have expanded beyond rest, from what they had, the strain of the step, the
   density and how `open` it is: 1 where the fluid counts as surface. Inside the fluid the density tells;
   at a surface it cannot, and what was gained is remembered: the integral of the divergence, forgotten
   over some steps. A thread that is stretched would otherwise gain volume until it parts. */
OOZE_FORMULA float ooze_lodge_expand(float before, OozeMat3 strain, float density, float open)
{
    float inside = ooze_max(0.0f, 1.0f - open);
    float remembered =
        (before + strain.m[0] + strain.m[4] + strain.m[8]) * (1.0f - OOZE_LODGE_FORGET);
    float seen = 1.0f / density - 1.0f;
    float expansion = remembered + inside * (seen - remembered);
    return ooze_min(ooze_max(expansion, -0.5f), 0.5f);
}

/* ---- what is remembered for the next solve: see recall.c --------------------------------------------- */

/* What is remembered of a solve that ended before its tolerance was met. What such solves leave over adds up from
   step to step: very thick fluid on a turning solid, with five iterations a step, would turn ever faster. */
#define OOZE_RECALL_UNFOUND 0.9f

/* Share of its push that a piece takes, by how far it would go along it by itself, `along` over `own`: all from three
   quarters on, none below one. Three of its particles must be anchored. Rigid motion strains nothing: of all that a
   guess gets wrong, the iterations take it out last, and where they are few a piece in flight would go on with a push
   that has long ended, or gain speed by it in every step. */
OOZE_FORMULA float ooze_recall_takes(double along, double own, double anchors)
{
    const double all = 0.75, none = 0.25, enough = 3.0;
    double alpha = own > 0.0 && anchors >= enough ? along / own : 0.0;
    return (float)fmin(1.0, fmax(0.0, (alpha - none) / (all - none)));
}

/* Elastic forces swing: those of the last step are late, and where iterations are few that feeds the swing. */
OOZE_FORMULA bool ooze_recall_is_elastic(const OozeRheology *m, float dt)
{
    return m->bond > 0.0f || (m->modulus > 0.0f && m->relaxation > dt);
}

#endif
