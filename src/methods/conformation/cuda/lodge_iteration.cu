#include "methods/conformation/cuda/lodge_iteration.cuh"

#include "methods/conformation/cuda/impact.cuh"

namespace ooze
{

/* Rigid bodies, bonds, dynamic solids and pairs of impacts have loops of their own in an
   iteration. */
static bool is_plain(const Lodge *solve)
{
    const Step *step = solve->step;
    const bool bonds = step->bodies && step->bodies->bonds.first;
    const bool pairs = solve->impact && solve->impact->pairs.count > 0;
    return rigid_slots(step) == 0 && !bonds && !pairs && !step->dynamic;
}

/* `stress` and `complete`: the two loops of a product, with LANES lanes a particle. The sum of an
   advance tells whether iterations have ended, and is complete before the second loop of the next
   product: the first one needs the directions alone, and what it writes is not read afterwards. */
template <int LANES, class Stress, class Complete, class Sum, class Advance, class Then>
static void repeat_loops(const Lodge *solve, int iterations, const Stress &stress,
                         const Complete &complete, Sum none, const Advance &advance,
                         const Then &advanced)
{
    const StepView &s = solve->step->view;
    const LodgeView &v = solve->view;
    const int32_t *off = &v.state->off;
    const Product product = {v.p, false, false, off};
    repeat(solve->step->gpu, iterations, off, each_loop<LANES>(s.n, stress),
           sum_loop<LANES>(s.n, Sum3{0.0, 0.0, 0.0}, complete, measure_product(s, v, product)),
           late_sum_loop<1>(s.n, none, advance, advanced));
}

template <int LANES, class Stress, class Complete>
static void repeat_with(const Lodge *solve, int iterations, const Stress &stress,
                        const Complete &complete)
{
    const StepView &s = solve->step->view;
    const LodgeView &v = solve->view;
    if (v.blocks) {
        repeat_loops<LANES>(solve, iterations, stress, complete, CgSums{0.0, 0.0},
                            BlocksAdvanceBody{s, v}, CgAdvanced{v.state});
    } else {
        repeat_loops<LANES>(solve, iterations, stress, complete, Sum1{0.0}, AdvanceBody{s, v},
                            CgAdvance{v.state, &v.state->off, true});
    }
}

template <int LANES, bool WRAPS> static void repeat_plain(const Lodge *solve, int iterations)
{
    const StepView &s = solve->step->view;
    const LodgeView &v = solve->view;
    const Product product = {v.p, false, false, &v.state->off};
    const StressBody<LANES, WRAPS> stress = {s, v, product};
    const ProductBody<LANES, WRAPS> complete = {s, v, product};
    repeat_with<LANES>(solve, iterations, stress, complete);
}

static void repeat_packed(const Lodge *solve, int iterations)
{
    const StepView &s = solve->step->view;
    const LodgeView &v = solve->view;
    const Product product = {v.p, false, false, &v.state->off};
    const PackedStressBody stress = {s, v};
    const PackedProductBody complete = {s, v, product};
    repeat_with<1>(solve, iterations, stress, complete);
}

bool repeat_iterations(Lodge *solve, int iterations)
{
#define REPEAT(lanes, wraps) repeat_plain<lanes, wraps>(solve, iterations)
    if (!is_plain(solve) || !repeats(solve->step->gpu, solve->step->view.n)) {
        return false;
    }
    if (solve->view.pack.directions) {
        repeat_packed(solve, iterations);
    } else {
        OOZE_EACH_KIND(solve->step, REPEAT);
    }
    ooze_timer_lap(solve->step->context->timer, "velocity_solve");
    return true;
}

} // namespace ooze
