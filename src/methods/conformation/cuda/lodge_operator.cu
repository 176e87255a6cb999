/* The operator of the velocity solve, in full precision and on rounded directions. */
#include "cuda/rank_sums.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/cuda/lodge_iteration.cuh"

namespace ooze
{

/* ---- operator ---- */

template <int LANES, bool WRAPS> static void stress_loop(const Lodge *solve, const Product &product)
{
    Gpu *gpu = solve->step->gpu;
    const StepView &s = solve->step->view;
    const StressBody<LANES, WRAPS> body = {s, solve->view, product};
    for_lanes<LANES>(gpu, needed_particles(gpu, s.n), unless_off(product.off, body));
}

template <int LANES, bool WRAPS>
static void product_loop(const Lodge *solve, const Product &product)
{
    const StepView &s = solve->step->view;
    const ProductBody<LANES, WRAPS> body = {s, solve->view, product};
    const Sum3 none = {0.0, 0.0, 0.0};
    sum_particles_lanes<LANES>(solve->step->gpu, s.n, none, unless_off(product.off, body),
                               measure_product(s, solve->view, product));
}

void multiply(Lodge *solve, const Product &product)
{
#define STRESS(lanes, wraps)  stress_loop<lanes, wraps>(solve, product)
#define PRODUCT(lanes, wraps) product_loop<lanes, wraps>(solve, product)
    Gpu *gpu = solve->step->gpu;
    if (product.input != solve->view.p || !solve->fresh_direction) {
        refresh(gpu, const_cast<float4 *>(product.input), sizeof *product.input);
    }
    dynamic_spread(solve->step, product.explicit_terms);
    OOZE_EACH_KIND(solve->step, STRESS);
    bonds_add(solve->step, product.input, solve->view.ap, product.explicit_terms, product.off);
    impact_pairs_add(solve, product.input, solve->view.ap, product.explicit_terms, product.off);
    refresh(gpu, solve->view.rows, 3 * sizeof *solve->view.rows);
    OOZE_EACH_KIND(solve->step, PRODUCT);
    dynamic_product(solve, product);
    ooze_timer_lap(solve->step->context->timer, "velocity_operator");
}

/* ---- operator on directions ---- */

static void packed_stress_loop(const Lodge *solve, const int32_t *off)
{
    Gpu *gpu = solve->step->gpu;
    const StepView &s = solve->step->view;
    const PackedStressBody body = {s, solve->view};
    for_lanes<1>(gpu, needed_particles(gpu, s.n), unless_off(off, body));
}

static void packed_product_loop(const Lodge *solve, const Product &product)
{
    const StepView &s = solve->step->view;
    const PackedProductBody body = {s, solve->view, product};
    const Sum3 none = {0.0, 0.0, 0.0};
    sum_particles_lanes<1>(solve->step->gpu, s.n, none, unless_off(product.off, body),
                           measure_product(s, solve->view, product));
}

/* The rounded directions of ghosts, and the same as vectors. */
static void refresh_directions(Lodge *solve)
{
    Gpu *gpu = solve->step->gpu;
    const LodgeView v = solve->view;
    if (!gpu->share) {
        return;
    }
    const OwnRange own = own_range(gpu, solve->step->view.n);
    if (!solve->fresh_direction) {
        refresh(gpu, v.pack.directions, sizeof *v.pack.directions);
    }
    for_each(
        gpu, solve->step->view.n, OOZE_BODY(uint32_t i) {
            if (!own.has(i)) {
                v.p[i] = direction_vector(v.pack.directions[i]);
            }
        });
}

void multiply_direction(Lodge *solve, const int32_t *off)
{
    LodgeView v = solve->view;
    Product product = {v.p, false, false, off};
    if (!v.pack.directions) {
        multiply(solve, product);
        return;
    }
    refresh_directions(solve);
    packed_stress_loop(solve, off);
    bonds_add(solve->step, v.p, v.ap, false, off);
    impact_pairs_add(solve, v.p, v.ap, false, off);
    refresh(solve->step->gpu, coarse_flux(v.rows, solve->step->view.n), sizeof(uint4));
    packed_product_loop(solve, product);
    ooze_timer_lap(solve->step->context->timer, "velocity_operator");
}

void pack_direction(Lodge *solve, const int32_t *off)
{
    LodgeView v = solve->view;
    if (v.pack.directions) {
        for_each(
            solve->step->gpu, solve->step->view.n, OOZE_BODY(uint32_t i) {
                if (!*off) {
                    v.p[i] = direction_set(v, i, v.p[i]);
                }
            });
    }
}

} // namespace ooze
