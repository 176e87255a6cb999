/* What materials bring to the velocity solve, and what the step leaves in them: see methods/conformation/lodge.c. */
#include "cuda/conformation/lodge.cuh"

#include "physics/spin.h"
#include "physics/yield.h"

namespace ooze
{

/* ---- coefficients of a pass ---- */

/* The strain of a step; half a strain in one step is the most that is believed. */
OOZE_DEVICE OozeMat3 strain_of(OozeMat3 l, float dt)
{
    OozeMat3 a = ooze_mat3_scale(l, dt);
    float norm2 = ooze_mat3_norm2(a);
    return norm2 > 0.25f ? ooze_mat3_scale(a, 0.5f / sqrtf(norm2)) : a;
}

/* What thinning and yielding leave of a material: see soften of lodge.c. */
struct Softened {
    float modulus, viscosity, hourglass;
};

OOZE_DEVICE Softened soften(const StepView &s, const OozeRheology *m, OozeSym3 q, OozeMat3 l)
{
    Softened soft = {m->modulus, m->viscosity, m->hourglass};
    float thinned = 1.0f, left = 1.0f;
    if (m->thinning.time > 0.0f) {
        thinned = ooze_thinning(m->thinning, ooze_shear_rate(ooze_mat3_symmetric(l)));
    }
    if (isfinite(m->yield)) {
        left = ooze_yield_share(ooze_lodge_update(q, strain_of(l, s.dt), m->memory), m->yield);
    }
    if (thinned != 1.0f || left != 1.0f) {
        soft.modulus = thinned * left * m->modulus;
        soft.viscosity = m->solvent + thinned * (m->viscosity - m->solvent);
        soft.hourglass =
            m->solvent_hourglass + thinned * left * (m->hourglass - m->solvent_hourglass);
    }
    return soft;
}

/* Gradients at the surface of a body count too little of the strain: see OOZE_FILM. Beside the film's, a soft
   body has a viscosity of its own. */
OOZE_DEVICE void thicken_film(const StepView &s, const LodgeView &v, uint32_t i)
{
    const OozeRheology *own = &s.rheology[s.material[i]];
    const float film = OOZE_FILM;
    v.stiffness[i] =
        ooze_sym3_add(ooze_sym3_scale(v.stiffness[i], film), ooze_sym3_identity(own->viscosity));
    v.known[i] = ooze_sym3_scale(v.known[i], film);
    v.bulk[i] = film * v.bulk[i] + s.bulk * own->viscosity;
    v.hourglass[i] = film * v.hourglass[i] + own->hourglass;
}

OOZE_DEVICE void prepare_particle(const StepView &s, const LodgeView &v, uint32_t i, OozeMat3 l,
                                  bool turned)
{
    const OozeRheology *m = &s.rheology[s.film[i]];
    float dt = s.dt;
    OozeSpin w = ooze_spin(l, dt, 0.5f);
    OozeSym3 before = strain_get(s, i);
    OozeSym3 q = turned ? ooze_sym3_push(ooze_spin_rotation(w), before) : before;
    Softened soft = soften(s, m, before, l);
    OozeSym3 a = ooze_lodge_stiffness(q, soft.modulus, soft.viscosity, dt, m->memory);
    float bulk = s.bulk * (ooze_sym3_trace(a) / 3.0f);
    /* what a rigid turn adds to F F^T must not count as strain: dt/2 W^T W, per dt */
    OozeSym3 ww = ooze_sym3_scale(ooze_spin_square(w), 0.5f / dt);
    OozeSym3 known = ooze_lodge_stress(ww, a, bulk);
    float rg = m->memory.r * soft.modulus;
    known = ooze_sym3_add(known, ooze_sym3(rg * (q.xx - 1), rg * (q.yy - 1), rg * (q.zz - 1),
                                           rg * q.xy, rg * q.xz, rg * q.yz));
    float expansion = s.expansion[i];
    float pull = expansion > 0.0f ? bulk * s.tension / dt * fminf(expansion, 0.1f) : 0.0f;
    known = ooze_sym3_add(known, ooze_sym3_identity(pull));
    v.stiffness[i] = a;
    v.bulk[i] = bulk;
    v.known[i] = known;
    OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(l), a, bulk);
    s.stress[i] = ooze_stress_size(ooze_sym3_add(known, stress));
    /* a stretched lattice needs damping as stiff as its stretch: see stretch_of of lodge.c */
    float stretch = fmaxf(1.0f, ooze_sym3_trace(q) - 3.0f);
    float elastic = soft.hourglass - m->solvent_hourglass;
    bool poor = s.correction[i].xx == 0.0f;
    v.hourglass[i] = poor ? 0.0f : m->solvent_hourglass + stretch * elastic;
    if (s.body && s.film[i] != s.material[i]) {
        thicken_film(s, v, i);
    }
}

template <int LANES, bool WRAPS> static void prepare_loop(Lodge *solve, bool turned)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                prepare_particle(s, v, i, ooze_mat3_mul_sym3(rows.gradient, s.correction[i]),
                                 turned);
            }
        });
}

void prepare(Lodge *solve, bool turned)
{
#define PREPARE(lanes, wraps) prepare_loop<lanes, wraps>(solve, turned)
    OOZE_EACH_KIND(solve->step, PREPARE);
    sum_edges(solve->step, solve->view.hourglass, solve->view.edge_hourglass);
    ooze_stage_lap(solve->step->context->clock, OOZE_PART_PREPARE);
}

/* ---- end of step ---- */

/* Share of a remembered expansion that is forgotten in a step: the pull acts within a few. */
static const float FORGET = 0.02f;

/* How much a particle's surroundings have expanded beyond rest: see expand of lodge.c. */
OOZE_DEVICE float expand(const StepView &s, uint32_t i, OozeMat3 a, float forget)
{
    float open = s.open[i] / (s.surface * s.flat_gradient), inside = fmaxf(0.0f, 1.0f - open);
    float remembered = (s.expansion[i] + a.m[0] + a.m[4] + a.m[8]) * (1.0f - forget);
    float seen = 1.0f / s.density[i] - 1.0f;
    float expansion = remembered + inside * (seen - remembered);
    return fminf(fmaxf(expansion, -0.5f), 0.5f);
}

template <int LANES, bool WRAPS> static void finish_loop(Step *step)
{
    StepView s = step->view;
    float forget = FORGET;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
            OozeMat3 a = strain_of(l, s.dt);
            const OozeRheology *m = &s.rheology[s.film[i]];
            OozeSym3 q = ooze_lodge_update(strain_get(s, i), a, m->memory);
            bool body = s.body && s.body[i], dry = body && s.film[i] == s.material[i];
            if (dry) { /* it has no memory but its rest shape */
                strain_set(s, i, ooze_sym3_identity(1));
            } else {
                strain_set(s, i, ooze_yield(q, m->yield));
                s.expansion[i] = body ? 0.0f : expand(s, i, a, forget);
            }
            float4 pushed = s.pushed[i];
            float *push = s.push + 8 * (uint64_t)i;
            push[0] = pushed.x;
            push[1] = pushed.y;
            push[2] = pushed.z;
        });
}

void finish_lodge(Step *step)
{
#define FINISH(lanes, wraps) finish_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, FINISH);
}

} // namespace ooze
