/* The pressure that particles carry from step to step: see
   methods/conformation/carried_pressure.h. */
#include "cuda/conformation/lodge.cuh"

namespace ooze
{

template <int LANES, bool WRAPS> static void record_loop(Lodge *solve)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->gpu, needed_particles(solve->step->gpu, s.n),
        OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeCarriedPressure next = {0.0f, 0.0f};
            float slow = 0.0f;
            if (carries_pressure(s, i)) {
                OozeCarriedPressure carried = ooze_carried_get(s.warm_start, i);
                OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
                next = ooze_carried_next(carried, v.bulk[i], l, s.expansion[i], s.dt);
                slow = ooze_carried_slow(carried, l, s.carried);
            }
            s.next_pressure[i] = next;
            s.slow[i] = slow;
        });
}

void carried_record(Lodge *solve)
{
    if (solve->step->view.next_pressure) {
#define RECORD(lanes, wraps) record_loop<lanes, wraps>(solve)
        OOZE_EACH_KIND(solve->step, RECORD);
    }
}

} // namespace ooze
