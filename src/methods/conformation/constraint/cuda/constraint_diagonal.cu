/* The diagonal of a Jacobi sweep: see methods/conformation/constraint/cpu/constraint_diagonal.c. */
#include "methods/conformation/constraint/cuda/constraint.cuh"

namespace ooze
{

struct Corrected {
    float g[3];
};

OOZE_DEVICE Corrected corrected(OozeSym3 b, float f, float x, float y, float z)
{
    float g[3] = {f * x, f * y, f * z};
    Corrected c;
    ooze_constraint_corrected(b, g, c.g);
    return c;
}

OOZE_DEVICE Corrected corrected_sum(const StepView &s, OozeSym3 b, uint32_t i)
{
    float4 sum = s.edge_sum[i];
    return corrected(b, 1.0f, sum.x, sum.y, sum.z);
}

/* Per axis: sum of |J| over all rows, over the mass of the particle. */
template <int LANES, bool WRAPS> static void column_loop(Step *step, float4 *column)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            float sum[3] = {0, 0, 0};
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                Delta d = delta<WRAPS>(s, here, s.x0[j]);
                Corrected other =
                    corrected(sym3_at(s.correction, j), edge_weight(s, d.r2), d.x, d.y, d.z);
                ooze_constraint_add_column(sum, other.g);
            });
            for (int k = 0; k < 3; k++) {
                sum[k] = lanes_sum<LANES>(sum[k]);
            }
            if (lane == 0) {
                ooze_constraint_add_column(sum, corrected_sum(s, sym3_at(s.correction, i), i).g);
                column[i] = s.mobility[i] * f32x4(sum[0], sum[1], sum[2]);
            }
        });
}

OOZE_DEVICE void add_bound(OozeSym3 *d, Corrected edge, float4 sums)
{
    float column[3] = {sums.x, sums.y, sums.z};
    ooze_constraint_add_bound(d, edge.g, column);
}

/* The bound by row sums. */
template <int LANES, bool WRAPS> static void bound_loop(Step *step, const float4 *column)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    float scale = s.dt * s.dt * (1.0f / OOZE_ROW_SUM_SHARE);
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            OozeSym3 d = ooze_sym3_identity(0), b = sym3_at(s.correction, i);
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                Delta e = delta<WRAPS>(s, here, s.x0[j]);
                add_bound(&d, corrected(b, edge_weight(s, e.r2), e.x, e.y, e.z), column[j]);
            });
            d = lanes_sum_sym3<LANES>(d);
            if (lane == 0) {
                add_bound(&d, corrected_sum(s, b, i), column[i]);
                sym3_to(c.diagonal, i, ooze_sym3_scale(d, scale));
            }
        });
}

void find_diagonal(Step *step)
{
    Gpu *gpu = step->gpu;
    uint64_t n = step->view.n;
    Mark mark = scratch_mark(gpu);
    float4 *column = scratch<float4>(gpu, n);
    clear(gpu, column + n, sizeof *column);
    clear(gpu, step->view.correction + n, sizeof *step->view.correction);
#define COLUMN(lanes, wraps) column_loop<lanes, wraps>(step, column)
#define BOUND(lanes, wraps)  bound_loop<lanes, wraps>(step, column)
    refresh(gpu, step->view.correction, sizeof *step->view.correction);
    OOZE_EACH_KIND(step, COLUMN);
    refresh(gpu, column, sizeof *column);
    OOZE_EACH_KIND(step, BOUND);
    scratch_rewind(gpu, mark);
}

template <int LANES, bool WRAPS> static void square_loop(Step *step)
{
    const KernelView s = view_of<KernelView>(step);
    ConstraintView c = *step->constraint;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            OozeSym3 d = ooze_sym3_identity(0);
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                Delta e = delta<WRAPS>(s, here, s.x0[j]);
                float f = edge_weight(s, e.r2), g[3] = {f * e.x, f * e.y, f * e.z};
                ooze_constraint_add_square(&d, g, s.mobility[j]);
            });
            d = lanes_sum_sym3<LANES>(d);
            if (lane == 0) {
                float4 sum = s.edge_sum[i];
                float own[3] = {sum.x, sum.y, sum.z};
                ooze_constraint_add_square(&d, own, s.mobility[i]);
                sym3_to(c.diagonal, i, ooze_sym3_scale(d, s.dt * s.dt));
            }
        });
}

void find_plain_diagonal(Step *step)
{
#define SQUARE(lanes, wraps) square_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, SQUARE);
}

} // namespace ooze
