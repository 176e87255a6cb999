/* What materials bring to the velocity solve, and what the step leaves in them: see methods/conformation/lodge.c. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

/* ---- coefficients of a pass ---- */

/* Loops are compiled for fluids of one mode and for others: most scenes have none of the latter, and should not
   pay for them. */
template <bool MODES> OOZE_DEVICE int more_modes(const StepView &s)
{
    return MODES ? s.more_modes : 0;
}

template <bool MODES>
OOZE_DEVICE void prepare_particle(const StepView &s, const LodgeView &v, uint32_t i, OozeMat3 l,
                                  bool turned)
{
    OozeLodgeState state;
    state.more = more_modes<MODES>(s);
    modes_get(s, i, state.more, state.q);
    state.l = l;
    state.expansion = s.expansion[i];
    state.poor = s.correction[i].xx == 0.0f;
    state.turned = turned;
    state.dt = s.dt;
    state.bulk_share = s.bulk;
    state.tension = s.tension;
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

template <int LANES, bool WRAPS, bool MODES> static void prepare_loop(Lodge *solve, bool turned)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                prepare_particle<MODES>(s, v, i, ooze_mat3_mul_sym3(rows.gradient, s.correction[i]),
                                        turned);
            }
        });
}

void prepare(Lodge *solve, bool turned)
{
#define PREPARE(lanes, wraps)                                                                      \
    (solve->step->view.more_modes ? prepare_loop<lanes, wraps, true>(solve, turned)                \
                                  : prepare_loop<lanes, wraps, false>(solve, turned))
    OOZE_EACH_KIND(solve->step, PREPARE);
    sum_edges(solve->step, solve->view.hourglass, solve->view.edge_hourglass);
    ooze_stage_lap(solve->step->context->clock, OOZE_PART_PREPARE);
}

/* ---- end of step ---- */

template <int LANES, bool WRAPS, bool MODES> static void finish_loop(Step *step)
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
            const int more = more_modes<MODES>(s);
            OozeSym3 q[OOZE_MODES];
            modes_get(s, i, more, q);
            bool body = s.body && s.body[i], dry = body && s.film[i] == s.material[i];
            if (dry) { /* it has no memory but its rest shape */
                for (int k = 0; k <= more; k++) {
                    q[k] = ooze_sym3_identity(1);
                }
                modes_set(s, i, more, q);
            } else {
                ooze_lodge_remember(m, a, more, q);
                modes_set(s, i, more, q);
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
#define FINISH(lanes, wraps)                                                                       \
    (step->view.more_modes ? finish_loop<lanes, wraps, true>(step)                                 \
                           : finish_loop<lanes, wraps, false>(step))
    OOZE_EACH_KIND(step, FINISH);
}

} // namespace ooze
