/* Shares of walls in the hat functions of nodes: see solvers/pressure/pressure_walls.c. */
#include "cuda/pressure_grid.cuh"
#include "cuda/shape_distance.cuh"
#include "cuda/sort.cuh"

extern "C" {
#include "solvers/pressure/pressure_walls_formula.h"
}

namespace ooze
{

/* Captured by loop bodies. */
struct WallShares {
    OozePressureView view;
    OozeMultigridAxis axis[3];
    SolidsView solids;
    double dt, half; /* half: half a diagonal of a cell */
};

/* The nearest solid within a diagonal of a cell, at the beginning of the step. */
OOZE_DEVICE OozeContact nearest_wall(const WallShares &w, OozeVec3 x)
{
    OozeContact best = {};
    const float reach = 2.0f * (float)w.half;
    best.distance = INFINITY;
    for (int k = 0; k < w.solids.count; k++) {
        const SolidView &solid = w.solids.items[k];
        if (solid_near(solid, narrow(x), reach, true)) {
            OozeContact contact = solid_contact(solid, x);
            contact.distance += w.dt * vec3_dot(contact.velocity, contact.normal);
            best = contact.distance < best.distance ? contact : best;
        }
    }
    return best;
}

/* Walls in the cell of a node at x0 on the sides of `corner` of it that the node is. */
OOZE_DEVICE OozePressureSums walls_of_cell(const WallShares &w, OozeVec3 x0, int corner)
{
    const float *edge = w.view.edge;
    OozePressureSums sum = ooze_pressure_no_sums();
    double middle[3], y[3];
    ooze_pressure_cell_middle(edge, corner, middle);
    const double d = nearest_wall(w, vec3_add(x0, vec3(middle[0], middle[1], middle[2]))).distance;
    if (d > w.half) {
        return sum;
    }
    const int parts = d < -w.half ? 1 : OOZE_PRESSURE_PARTS, count = parts * parts * parts;
    OozePressureBox box = {{0.0, 0.0, 0.0}, parts, 0.0};
    OOZE_ROLLED
    for (int p = 0; p < count; p++) {
        ooze_pressure_part_middle(edge, middle, p, &box);
        const OozeContact c =
            nearest_wall(w, vec3_add(x0, vec3(box.middle[0], box.middle[1], box.middle[2])));
        const double in = ooze_pressure_box_share(edge, &box, &c, y);
        if (in > 0.0) {
            (void)ooze_pressure_add_part(&sum, edge, y, in / count, c.velocity);
        }
    }
    return sum;
}

/* What the walls in a cell add to a node. */
struct WallPart {
    float wall, fixed, flux, gradient[3], turn[3];
};

OOZE_DEVICE OozeVec3 node_position(const WallShares &w, uint32_t a)
{
    int32_t at[3];
    ooze_multigrid_place(w.view.shape.nodes, w.view.node[a], at);
    return vec3(w.axis[0].origin + (double)at[0] / w.axis[0].inverse,
                w.axis[1].origin + (double)at[1] / w.axis[1].inverse,
                w.axis[2].origin + (double)at[2] / w.axis[2].inverse);
}

static WallShares describe(const PressureGrid *grid, const PressureGridInput &input)
{
    WallShares w = {};
    double square = 0.0;
    w.view = grid->view;
    w.solids = input.solids;
    w.dt = input.dt;
    for (int k = 0; k < 3; k++) {
        w.axis[k] = grid->multigrid->axis[k];
        square += (double)grid->view.edge[k] * (double)grid->view.edge[k];
    }
    w.half = 0.5 * sqrt(square);
    return w;
}

/* The parts of the nodes `near`, 8 each, a thread for each. */
static void find_parts(Gpu *gpu, const WallShares &shares, const uint32_t *near, uint64_t count,
                       WallPart *part)
{
    const WallShares w = shares;
    for_each(
        gpu, 8 * count, OOZE_BODY(uint32_t i) {
            const OozePressureSums sum =
                walls_of_cell(w, node_position(w, near[i / 8]), (int)(i % 8));
            WallPart own = {sum.wall, sum.wall, sum.flux, {0, 0, 0}, {0, 0, 0}};
            for (int k = 0; k < 3; k++) {
                own.gradient[k] = sum.gradient[k];
                own.turn[k] = sum.turn[k];
            }
            part[i] = own;
        });
}

static void add_parts(Gpu *gpu, const PressureGrid *grid, const uint32_t *near, uint64_t count,
                      float scale, const WallPart *part)
{
    const OozePressureView v = grid->view;
    for_each(
        gpu, count, OOZE_BODY(uint32_t i) {
            OozePressureSums sum = ooze_pressure_no_sums();
            for (uint64_t c = 0; c < 8; c++) {
                const WallPart &own = part[8 * (uint64_t)i + c];
                sum.wall += own.wall;
                sum.fixed += own.fixed;
                sum.flux += own.flux;
                for (int k = 0; k < 3; k++) {
                    sum.gradient[k] += own.gradient[k];
                    sum.turn[k] += own.turn[k];
                }
            }
            ooze_pressure_scale_walls(&sum, scale);
            ooze_pressure_store_walls(&sum, &v.sums[near[i]]);
        });
}

void pressure_walls(Gpu *gpu, const PressureGrid *grid, const PressureGridInput &input,
                    OozeVec3 *normal)
{
    const WallShares w = describe(grid, input);
    const float *edge = w.view.edge;
    const double inside = -1e-6 * input.spacing;
    if (input.solids.count == 0) {
        return;
    }
    Mark mark = scratch_mark(gpu);
    uint8_t *far = scratch<uint8_t>(gpu, grid->nodes);
    uint32_t *near = scratch<uint32_t>(gpu, grid->nodes);
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t a) {
            const OozeContact c = nearest_wall(w, node_position(w, a));
            normal[a] = c.normal;
            far[a] = c.distance < 2.0 * w.half ? 0 : 1;
            if (c.distance < inside) {
                w.view.kind[a] = OOZE_PRESSURE_WALL;
            }
        });
    const uint64_t count = select_unflagged(gpu, far, near, grid->nodes);
    WallPart *part = scratch<WallPart>(gpu, 8 * count);
    find_parts(gpu, w, near, count, part);
    add_parts(gpu, grid, near, count, edge[0] * edge[1] * edge[2] / w.view.particle, part);
    scratch_rewind(gpu, mark);
}

bool pressure_release_walls(Gpu *gpu, const PressureGrid *grid, const float *p)
{
    const OozePressureView v = grid->view;
    const Max1 none = {0.0f};
    if (grid->closed) {
        return false;
    }
    const Max1 any = sum_to_host(
        gpu, grid->nodes, none, OOZE_BODY(uint32_t a) {
            Max1 one = {ooze_pressure_release_node(&v, a, p) ? 1.0f : 0.0f};
            return one;
        });
    return any.a > 0.0f;
}

} // namespace ooze
