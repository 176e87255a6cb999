/* Coefficients of the velocity solve, and conformations at the end of the step: see
   methods/conformation/lodge.c. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

/* ---- coefficients of a pass ---- */

/* Loops are compiled for fluids of one mode and for others: further modes cost registers, and
   most scenes have none. */
template <bool MODES> OOZE_DEVICE int more_modes(const StepView &s)
{
    return MODES ? s.more_modes : 0;
}

template <bool MODES>
OOZE_DEVICE void prepare_particle(const StepView &s, const LodgeView &v, uint32_t i, OozeMat3 l,
                                  bool rotated)
{
    OozeLodgeState state;
    state.more = more_modes<MODES>(s);
    modes_get(s, i, state.more, state.q);
    state.l = l;
    state.expansion = s.expansion[i];
    state.singular = s.correction[i].xx == 0.0f;
    state.rotated = rotated;
    state.dt = s.dt;
    state.bulk_factor = s.bulk;
    state.void_closure = s.void_closure;
    OozeLodgeCoefficients c = ooze_lodge_coefficients(&s.rheology[s.film[i]], &state);
    s.stress[i] = c.stress;
    if (s.body && s.film[i] != s.material[i]) {
        c = ooze_lodge_wet_body(c, &s.rheology[s.material[i]], s.bulk);
    }
    v.stiffness[i] = c.stiffness;
    v.explicit_stress[i] = c.explicit_stress;
    v.bulk[i] = c.bulk;
    v.hourglass[i] = c.hourglass;
}

template <int LANES, bool WRAPS, bool MODES> static void prepare_loop(Lodge *solve, bool rotated)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                prepare_particle<MODES>(s, v, i, ooze_mat3_mul_sym3(rows.gradient, s.correction[i]),
                                        rotated);
            }
        });
}

void prepare(Lodge *solve, bool rotated)
{
#define PREPARE(lanes, wraps)                                                                      \
    (solve->step->view.more_modes ? prepare_loop<lanes, wraps, true>(solve, rotated)               \
                                  : prepare_loop<lanes, wraps, false>(solve, rotated))
    OOZE_EACH_KIND(solve->step, PREPARE);
    sum_edges(solve->step, solve->view.hourglass, solve->view.edge_hourglass);
    ooze_timer_lap(solve->step->context->timer, "prepare");
}

/* ---- end of step ---- */

template <int LANES, bool WRAPS, bool MODES> static void finish_loop(Step *step)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeLodgeEnd particle;
            particle.more = more_modes<MODES>(s);
            particle.body = s.body && s.body[i];
            if (particle.body && s.film[i] == s.material[i]) { /* dry: it has no conformation */
                for (int k = 0; k <= particle.more; k++) {
                    particle.q[k] = ooze_sym3_identity(1);
                }
            } else {
                modes_get(s, i, particle.more, particle.q);
                particle.expansion = s.expansion[i];
                particle.density = s.density[i];
                particle.surface =
                    s.surface_indicator[i] / (s.void_closure_cutoff * s.flat_gradient);
                particle.dt = s.dt;
                ooze_lodge_end(&s.rheology[s.film[i]],
                               ooze_mat3_mul_sym3(rows.gradient, s.correction[i]), &particle);
                s.expansion[i] = particle.expansion;
            }
            modes_set(s, i, particle.more, particle.q);
            float4 next = s.next_warm_start[i];
            float *stored = s.warm_start + 8 * (uint64_t)i;
            stored[0] = next.x;
            stored[1] = next.y;
            stored[2] = next.z;
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
