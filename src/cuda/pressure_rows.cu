/* The operators of the pressure grid: see solvers/pressure/pressure_rows.c. */
#include "cuda/pressure_grid.cuh"

namespace ooze
{

/* ---- rows ---- */

void pressure_find_diagonal(Gpu *gpu, const PressureGrid *grid)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) { ooze_pressure_diagonal_of(&v, a); });
}

void pressure_find_rows(Gpu *gpu, const PressureGrid *grid)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t g) { ooze_pressure_find_row(&v, g); });
}

/* ---- rates ---- */

/* Sums over the particles of each cell, a thread for each of its corners. */
static void sum_corners(Gpu *gpu, const PressureGrid *grid, const float4 *u, bool exact)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, 8 * (uint64_t)grid->cells, OOZE_BODY(uint32_t c) {
            const uint32_t cell = c / 8;
            float4 sum = f32x4(0, 0, 0), turn = f32x4(0, 0, 0);
            for (uint32_t i = v.child_first[cell]; i < v.child_first[cell + 1]; i++) {
                const float4 into = v.into[i], own = u[v.child[i]];
                const OozePressureHat hat = ooze_pressure_hat(v.edge, into, (int)(c % 8));
                if (exact) {
                    float4 cross = ooze_vector_cross(ooze_pressure_place(v.edge, into), own);
                    sum = ooze_vector_add(sum, ooze_pressure_moved(&hat, own));
                    turn = ooze_vector_add(turn, ooze_vector_scale(hat.n, cross));
                } else {
                    sum.w += ooze_pressure_plain_rate(&hat, own);
                }
            }
            v.corner[0][c] = sum;
            if (exact) {
                v.corner[1][c] = turn;
            }
        });
}

void pressure_rate(Gpu *gpu, const PressureGrid *grid, const float4 *u, bool exact, float *rate)
{
    const OozePressureView v = grid->view;
    sum_corners(gpu, grid, u, exact);
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) {
            if (exact) {
                ooze_pressure_gather(&v, a);
            } else {
                ooze_pressure_gather_plain(&v, a);
            }
        });
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t g) { rate[g] = ooze_pressure_rate_of(&v, g, exact); });
    if (exact) {
        pressure_centre(gpu, grid, rate);
    }
}

/* ---- forces ---- */

static void spread(Gpu *gpu, const PressureGrid *grid, const float *p, bool exact)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) { ooze_pressure_spread(&v, a, p, exact); });
}

void pressure_force(Gpu *gpu, const PressureGrid *grid, const float *p, bool exact, float4 *force)
{
    const OozePressureView v = grid->view;
    const uint32_t *cell_of = grid->multigrid->cell_of;
    spread(gpu, grid, p, exact);
    for_each(
        gpu, grid->n, OOZE_BODY(uint32_t i) {
            const float4 into = v.into[i];
            if (exact) {
                float4 value[8], turn[8];
                ooze_pressure_load_corners(&v, cell_of[i], value, turn);
                force[v.child[i]] = ooze_pressure_force_at(v.edge, into, value, turn);
            } else {
                force[v.child[i]] = ooze_pressure_plain_force_at(&v, cell_of[i], into);
            }
        });
}

/* ---- vectors of unknowns ---- */

void pressure_centre(Gpu *gpu, const PressureGrid *grid, float *p)
{
    const uint8_t *idle = grid->view.idle;
    const Sum1 none = {0.0}, *mean = grid->mean;
    const double unknowns = grid->unknowns;
    const StoreSum<Sum1> store = {grid->mean};
    if (!grid->closed || unknowns == 0.0) {
        return;
    }
    sum_each(
        gpu, grid->nodes, none,
        OOZE_BODY(uint32_t g) {
            Sum1 sum = {idle[g] ? 0.0 : (double)p[g]};
            return sum;
        },
        store);
    for_each(
        gpu, grid->nodes,
        OOZE_BODY(uint32_t g) { p[g] -= idle[g] ? 0.0f : (float)(mean->a / unknowns); });
}

void pressure_precondition(Gpu *gpu, const PressureGrid *grid, const float *r, float *z)
{
    const uint8_t *idle = grid->view.idle;
    grid_multigrid_cycle(gpu, grid->multigrid, r, z);
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t g) { z[g] = idle[g] ? 0.0f : z[g]; });
}

/* ---- values of particles ---- */

void pressure_to_particles(Gpu *gpu, const PressureGrid *grid, const float *p, float4 *values)
{
    const OozePressureView v = grid->view;
    const uint32_t *cell_of = grid->multigrid->cell_of;
    spread(gpu, grid, p, false);
    for_each(
        gpu, grid->n, OOZE_BODY(uint32_t i) {
            values[v.child[i]] = ooze_pressure_value_at(&v, cell_of[i], v.into[i]);
        });
}

void pressure_from_particles(Gpu *gpu, const PressureGrid *grid, const float4 *values, float *p)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) { p[a] = ooze_pressure_mean_at(&v, a, values); });
}

void pressure_collect(Gpu *gpu, const PressureGrid *grid, const float4 *values, float *sum)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, grid->nodes,
        OOZE_BODY(uint32_t a) { v.value[a] = ooze_pressure_total_at(&v, a, values); });
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t g) { sum[g] = ooze_pressure_collected(&v, g); });
}

void pressure_reaches(Gpu *gpu, const PressureGrid *grid, float *reached)
{
    const OozePressureView v = grid->view;
    const uint32_t *cell_of = grid->multigrid->cell_of;
    for_each(
        gpu, grid->n, OOZE_BODY(uint32_t i) {
            reached[v.child[i]] = ooze_pressure_reaches_cell(&v, cell_of[i]) ? 1.0f : 0.0f;
        });
}

void pressure_walled(Gpu *gpu, const PressureGrid *grid, float *walled)
{
    const OozePressureView v = grid->view;
    const uint32_t *cell_of = grid->multigrid->cell_of;
    for_each(
        gpu, grid->nodes,
        OOZE_BODY(uint32_t a) { v.value[a] = ooze_pressure_follows_walled(&v, a) ? 1.0f : 0.0f; });
    for_each(
        gpu, grid->n,
        OOZE_BODY(uint32_t i) { walled[v.child[i]] = ooze_pressure_most_of_cell(&v, cell_of[i]); });
}

} // namespace ooze
