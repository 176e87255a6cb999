/* What follows the iterations of the density stage: settling and drift, which are no velocities. */
#include "cuda/density_sweep.cuh"

namespace ooze
{

/* Iterations that settle in a step; the next step goes on. */
enum { SETTLING = 2 };

OOZE_DEVICE float4 at_most(float4 a, float most)
{
    float length = sqrtf(dot(a, a));
    return length > most ? most / length * a : a;
}

static void settle_begin(Machine *m, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            s.settled[i] = s.shift[i];
            s.pushed[i].found = s.pushed[i].carried = 0.0f;
        });
}

/* At most an eighth of the support a step: deep in a solid lie many, and one step would put them all into its
   skin. */
static void settle_end(Machine *m, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    for_each(
        m, s.n, OOZE_BODY(uint32_t o) {
            float4 before = s.settled[o], by = s.shift[o] - before;
            s.shift[o] = before;
            s.settled[o] = is_rigid(s, o) ? four(0, 0, 0) : at_most(by, 0.125f * s.support);
        });
}

void density_settle(Machine *m, DensitySweep *sweep, bool strangers)
{
    const DensityIteration iteration = {0, 0.0f, false};
    settle_begin(m, sweep);
    sweep->settles = true;
    for (int k = 0; k < (strangers ? SETTLING : 0); k++) {
        density_multipliers(m, sweep, iteration);
        density_corrections(m, sweep, iteration);
        density_turn(sweep);
    }
    density_turn(sweep); /* solids move what stands where it will be */
    density_push_out(m, sweep, iteration);
    density_turn(sweep);
    settle_end(m, sweep);
    sweep->settles = false;
}

/* At most a tenth of the distance kept: several close neighbours must not throw a particle. */
template <int LANES, bool OPEN>
static void drift(Machine *m, const DensitySweep *sweep, float distance)
{
    const DensitySweep s = *sweep;
    const float apart = distance / s.dial.unit;
    for_lanes<LANES>(
        m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const uint2 own = s.place[i];
            float4 sum = four(0, 0, 0);
            each_neighbour<LANES>(s.list, i, lane, [&](uint32_t j) {
                float4 way = way_between<OPEN>(s.dial, own, s.place[j]);
                float square = dot(way, way);
                bool near = square < apart * apart && square > 0.0f && j != s.list.dummy;
                float inverse = inverse_root(near ? square : 1.0f);
                sum = sum + (near ? 0.25f * (apart * inverse - 1.0f) : 0.0f) * way;
            });
            sum = four(lanes_sum<LANES>(sum.x), lanes_sum<LANES>(sum.y), lanes_sum<LANES>(sum.z));
            if (lane == 0) {
                uint32_t o = s.order[i];
                bool moves = !(s.mobility && s.mobility[o] <= 0.0f) && !is_rigid(s, o);
                s.drift[o] = moves ? at_most(s.dial.unit * sum, 0.1f * distance) : four(0, 0, 0);
            }
        });
}

void density_drift(Machine *m, const DensitySweep *sweep, float apart)
{
#define IN_THE_OPEN(lanes) drift<lanes, true>(m, sweep, apart)
#define IN_A_BOX(lanes)    drift<lanes, false>(m, sweep, apart)
    if (sweep->open) {
        OOZE_LANES(sweep->n, IN_THE_OPEN);
    } else {
        OOZE_LANES(sweep->n, IN_A_BOX);
    }
}

} // namespace ooze
