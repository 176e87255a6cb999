/* What materials bring to the velocity solve, and what the step leaves in them: see methods/conformation/lodge.c. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

/* ---- coefficients of a pass ---- */

OOZE_DEVICE void prepare_particle(const StepView &s, const LodgeView &v, uint32_t i, OozeMat3 l,
                                  bool turned)
{
    OozeLodgeState state = {strain_get(s, i), l,    s.expansion[i], s.correction[i].xx == 0.0f,
                            turned,           s.dt, s.bulk,         s.tension};
    OozeLodgeCoefficients c = ooze_lodge_coefficients(&s.rheology[s.film[i]], &state);
    s.stress[i] = c.stress;
    if (s.body && s.film[i] != s.material[i]) {
        c = ooze_lodge_thicken(c, &s.rheology[s.material[i]], s.bulk);
    }
    v.stiffness[i] = c.stiffness;
    v.known[i] = c.known;
    v.bulk[i] = c.bulk;
    v.hourglass[i] = c.hourglass;
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

template <int LANES, bool WRAPS> static void finish_loop(Step *step)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
            OozeMat3 a = ooze_lodge_strain(l, s.dt);
            const OozeRheology *m = &s.rheology[s.film[i]];
            OozeSym3 q = ooze_lodge_update(strain_get(s, i), a, m->memory);
            bool body = s.body && s.body[i], dry = body && s.film[i] == s.material[i];
            if (dry) { /* it has no memory but its rest shape */
                strain_set(s, i, ooze_sym3_identity(1));
            } else {
                strain_set(s, i, ooze_yield(q, m->yield));
                float open = s.open[i] / (s.surface * s.flat_gradient);
                s.expansion[i] =
                    body ? 0.0f : ooze_lodge_expand(s.expansion[i], a, s.density[i], open);
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
