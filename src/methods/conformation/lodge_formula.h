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

/* ---- modes ---------------------------------------------------------------------------------------- */

/* A material with several relaxation times has a conformation for each, and their stresses add up. The tensors of
   a particle stand together, that of the first mode first, with `more` behind it: as many as the step's
   plan says, where most scenes have none. */
enum { OOZE_MODES = 1 + OOZE_MORE_MODES };

/* Each conformation at the end of the step, before yielding, for the strain of the step. */
OOZE_FORMULA void ooze_lodge_carry(const OozeRheology *m, OozeMat3 strain, int more, OozeSym3 *q)
{
    q[0] = ooze_lodge_update(q[0], strain, m->memory);
    for (int k = 0; k < more; k++) {
        q[k + 1] = ooze_lodge_update(q[k + 1], strain, m->more[k].memory);
    }
}

/* What yielding leaves of the elastic strain. With several modes the strain that counts is the mean of theirs,
   weighed by the moduli: the yield stress is the sum of the moduli times the limit, however it is
   shared out, and all modes give way alike. */
OOZE_FORMULA float ooze_lodge_yield_share(const OozeRheology *m, int more, const OozeSym3 *q)
{
    OozeSym3 mean = q[0];
    float modulus = m->modulus;
    for (int k = 0; k < more; k++) {
        const OozeMode *mode = &m->more[k];
        modulus += mode->modulus;
        float share = mode->modulus > 0.0f ? mode->modulus / modulus : 0.0f;
        mean = ooze_sym3_add(ooze_sym3_scale(mean, 1.0f - share), ooze_sym3_scale(q[k + 1], share));
    }
    return ooze_yield_share(mean, m->yield);
}

/* The conformations at the end of the step, from those at its beginning. */
OOZE_FORMULA void ooze_lodge_remember(const OozeRheology *m, OozeMat3 strain, int more, OozeSym3 *q)
{
    ooze_lodge_carry(m, strain, more, q);
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

/* ---- coefficients of a pass ----------------------------------------------------------------------- */

/* What they are made from, besides the material. */
typedef struct OozeLodgeState {
    OozeSym3 q[OOZE_MODES]; /* at the beginning of the step */
    int more;               /* of these, beside the first */
    OozeMat3 l;             /* velocity gradient of the last pass */
    float expansion;        /* volume gained beyond rest, relative */
    bool poor;              /* its neighbourhood cannot tell three directions */
    bool turned;            /* Q turns with the velocity of the last pass */
    float dt;               /* s */
    float bulk_share;       /* kb: bulk over shear stiffness */
    float tension;          /* bt: pull against dilation */
} OozeLodgeState;

/* What thinning and yielding leave of a material, as seen from the velocities of the last pass. A
   secant: the operator stays positive, and a pass that changes no velocity changes nothing here. */
typedef struct OozeSoftened {
    float elastic; /* share of every modulus */
    float viscosity, hourglass, solvent_hourglass;
} OozeSoftened;

/* A fluid that thins does so by its moduli and its viscosity, and not by its solvent's. Of one that yields the
   moduli stay, and with them the yield stress and what it is below it; its viscosity thins, so that it flows by
   the law of Herschel and Bulkley: yield stress + viscosity(rate) rate. */
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
        ooze_lodge_carry(m, ooze_lodge_strain(s->l, s->dt), s->more, trial);
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

OOZE_FORMULA OozeLodgeCoefficients ooze_lodge_coefficients(const OozeRheology *m,
                                                           const OozeLodgeState *s)
{
    OozeLodgeCoefficients c;
    OozeSpin w = ooze_spin(s->l, s->dt, 0.5f);
    OozeSym3 q[OOZE_MODES];
    for (int k = 0; k <= s->more; k++) {
        q[k] = s->turned ? ooze_sym3_push(ooze_spin_rotation(w), s->q[k]) : s->q[k];
    }
    OozeSoftened soft = ooze_lodge_soften(m, s);
    float modulus = soft.elastic * m->modulus;
    c.stiffness = ooze_lodge_stiffness(q[0], modulus, soft.viscosity, s->dt, m->memory);
    OozeSym3 held = ooze_lodge_held(q[0], modulus, m->memory);
    float elastic = soft.hourglass - soft.solvent_hourglass;
    c.hourglass = soft.solvent_hourglass + ooze_lodge_stretch(q[0]) * elastic;
    for (int k = 0; k < s->more; k++) {
        const OozeMode *mode = &m->more[k];
        OozeSym3 qk = q[k + 1];
        float gk = soft.elastic * mode->modulus;
        OozeSym3 stiffness = ooze_lodge_stiffness(qk, gk, 0.0f, s->dt, mode->memory);
        c.stiffness = ooze_sym3_add(c.stiffness, stiffness);
        held = ooze_sym3_add(held, ooze_lodge_held(qk, gk, mode->memory));
        c.hourglass += ooze_lodge_stretch(qk) * (soft.elastic * mode->hourglass);
    }
    c.bulk = s->bulk_share * (ooze_sym3_trace(c.stiffness) / 3.0f);
    /* what a rigid turn adds to F F^T must not count as strain: dt/2 W^T W, per dt */
    OozeSym3 ww = ooze_sym3_scale(ooze_spin_square(w), 0.5f / s->dt);
    c.known = ooze_sym3_add(ooze_lodge_stress(ww, c.stiffness, c.bulk), held);
    if (s->expansion > 0.0f) {
        float pull = c.bulk * s->tension / s->dt * ooze_min(s->expansion, 0.1f);
        c.known.xx += pull;
        c.known.yy += pull;
        c.known.zz += pull;
    }
    OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(s->l), c.stiffness, c.bulk);
    c.stress = ooze_stress_size(ooze_sym3_add(c.known, stress));
    c.hourglass = s->poor ? 0.0f : c.hourglass;
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
    return m->bond > 0.0f || m->longest > dt;
}

#endif
