/* Coefficients of the velocity solve, and conformations at the end of the step: see
   methods/conformation/lodge.c. */
#include "cuda/ranks.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/lodge_particle_formula.h"

namespace ooze
{

/* ---- coefficients of a pass ---- */

/* Loops are compiled for fluids of one mode and for others: further modes cost registers, and
   most scenes have none. */
template <bool MODES> OOZE_DEVICE int more_modes(const StepView &s)
{
    return MODES ? s.more_modes : 0;
}

template <int LANES, bool WRAPS, bool MODES, bool LONG_STEP = false>
static void prepare_loop(Lodge *solve, bool later_pass)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->gpu, needed_particles(solve->step->gpu, s.n),
        OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                OozeLodgeState state;
                state.more = more_modes<MODES>(s);
                modes_get(s, i, state.more, state.q);
                state.l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
                state.later_pass = later_pass;
                ooze_lodge_prepare_particle(&s, &v, i, LONG_STEP, &state);
            }
        });
}

void scale_second_stage(OozeLodge *of, float factor)
{
    Lodge *solve = lodge_of(of);
    LodgeView v = solve->view;
    for_each(
        solve->step->gpu, solve->step->view.n,
        OOZE_BODY(uint32_t i) { ooze_lodge_scale_particle(&v, i, factor); });
    refresh(solve->step->gpu, v.hourglass, sizeof *v.hourglass);
    sum_edges(solve->step, v.hourglass, v.edge_hourglass);
    pack_hourglass(solve->step, &solve->view.pack, v.hourglass);
}

void prepare(OozeLodge *of)
{
    Lodge *solve = lodge_of(of);
    const bool later_pass = of->pass > 0;
#define PREPARE(lanes, wraps)                                                                      \
    (solve->step->view.more_modes ? prepare_loop<lanes, wraps, true>(solve, later_pass)            \
                                  : prepare_loop<lanes, wraps, false>(solve, later_pass))
/* one kernel for all kinds of fluids and boxes: few scenes have long steps */
#define PREPARE_LONG(lanes) prepare_loop<lanes, true, true, true>(solve, later_pass)
    if (solve->impact) {
        OOZE_LANES(all_particles(solve->step->gpu, solve->step->view.n), PREPARE_LONG);
    } else {
        OOZE_EACH_KIND(solve->step, PREPARE);
    }
    refresh(solve->step->gpu, solve->view.hourglass, sizeof *solve->view.hourglass);
    sum_edges(solve->step, solve->view.hourglass, solve->view.edge_hourglass);
}

/* ---- end of step ---- */

template <int LANES, bool WRAPS, bool MODES> static void finish_loop(Step *step)
{
    StepView s = step->view;
    const DynamicView dynamic = dynamic_view(step);
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeLodgeEnd particle;
            particle.more = more_modes<MODES>(s);
            modes_get(s, i, particle.more, particle.q);
            ooze_lodge_end_particle(&s, i, ooze_mat3_mul_sym3(rows.gradient, s.correction[i]),
                                    &particle);
            modes_set(s, i, particle.more, particle.q);
            if (s.reached) { /* pressures are kept instead: grid_pressure.cu */
                return;
            }
            float share = s.expects_pushes ? dynamic_push_share(s, dynamic, i) : 0.0f;
            ooze_lodge_store_guess(&s, i, share);
        });
}

void finish_lodge(OozeConformationStep *s)
{
    Step *step = step_of(s);
#define FINISH(lanes, wraps)                                                                       \
    (step->view.more_modes ? finish_loop<lanes, wraps, true>(step)                                 \
                           : finish_loop<lanes, wraps, false>(step))
    OOZE_EACH_KIND(step, FINISH);
}

} // namespace ooze
