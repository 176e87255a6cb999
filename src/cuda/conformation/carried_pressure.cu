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
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeCarriedPressure next = {0.0f, 0.0f};
            float stiffness = v.bulk[i];
            if (carries_pressure(s, i)) {
                OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
                float guess = ooze_carried_guess(carried_by(s, i), stiffness);
                next = ooze_carried_next(guess, stiffness, (float)(l.m[0] + l.m[4] + l.m[8]),
                                         s.expansion[i], s.dt);
            }
            s.next_pressure[i] = next;
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
