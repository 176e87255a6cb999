/* Pressure on a grid in the step of the device: see methods/conformation/cpu/pressure_step.c. */
#include "methods/conformation/cuda/grid_pressure.cuh"
#include "particles/components_formula.h"

namespace ooze
{

static void allocate(GridPressure *pressure)
{
    Gpu *gpu = pressure->step->gpu;
    const uint64_t n = pressure->step->view.n;
    pressure->applied = scratch<float4>(gpu, n);
    pressure->force = scratch<float4>(gpu, n);
    pressure->root = scratch<uint32_t>(gpu, n);
    pressure->reached = scratch<float>(gpu, n);
    pressure->walled = scratch<float>(gpu, n);
    pressure->net = scratch<unsigned long long>(gpu, OOZE_PRESSURE_NET * n);
    pressure->unit = scratch<double>(gpu, OOZE_PRESSURE_NET);
    pressure->slots = scratch<double>(gpu, OOZE_PRESSURE_SLOTS_OF_DOTS);
    pressure->never = scratch<int32_t>(gpu, 1);
    clear(gpu, pressure->never, sizeof *pressure->never);
}

static void describe(GridPressure *pressure)
{
    const Step *step = pressure->step;
    const float *edge = pressure->grid.view.edge;
    const float spacing = step->view.spacing;
    OozePressureSolve *solve = &pressure->solve;
    solve->loops = &grid_pressure_loops;
    solve->velocity = &pressure_velocity_loops;
    solve->user = pressure;
    solve->timer = step->context->timer;
    solve->dt = step->view.dt;
    solve->spacing = spacing;
    solve->cell = edge[0] * edge[1] * edge[2] / (spacing * spacing * spacing);
    solve->u = step->view.u;
    solve->force = pressure->force;
}

OozeStatus grid_pressure_begin(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    const OozeStepContext *c = step->context;
    GridPressure *pressure = nullptr;
    if (!step->view.plan->settings.pressure_grid) {
        return OOZE_OK;
    }
    OozeStatus result = host_memory(step, &pressure, error);
    if (result) {
        return result;
    }
    pressure->step = step;
    allocate(pressure);
    PressureGridInput input = {};
    input.n = step->view.n;
    input.x = step->view.x0;
    input.spacing = c->spacing;
    input.dt = c->dt;
    input.periodic = &c->periodic;
    input.inverse_mass = step->view.mobility;
    input.solids = step->view.solids;
    result = pressure_grid_build(step->gpu, &pressure->grid, step->pressure_memory, input, error);
    if (result) {
        return result;
    }
    describe(pressure);
    step->pressure = pressure;
    step->view.reached = pressure->reached;
    return ooze_pressure_begin(&pressure->solve, error);
}

void grid_pressure_leave_out(OozeLodge *solve, float sign)
{
    const Lodge *lodge = lodge_of(solve);
    const GridPressure *pressure = lodge->step->pressure;
    float4 *u_star = lodge->view.u_star;
    const float4 *applied = pressure->applied;
    for_each(
        lodge->step->gpu, lodge->step->view.n,
        OOZE_BODY(uint32_t i) { u_star[i] = u_star[i] + sign * applied[i]; });
}

void grid_pressure_add_force(Lodge *lodge)
{
    if (lodge->step->pressure) {
        ooze_pressure_find_contact_forces(&lodge->step->pressure->solve);
    }
}

void grid_pressure_release(OozeLodge *solve)
{
    ooze_pressure_release(&lodge_of(solve)->step->pressure->solve);
}

/* See join_by_pressure of methods/conformation/cpu/lodge_momentum.c. */
void grid_pressure_join(const Lodge *lodge, uint32_t *root)
{
    Gpu *gpu = lodge->step->gpu;
    if (!lodge->step->pressure) {
        return;
    }
    const PressureGrid *grid = &lodge->step->pressure->grid;
    const OozePressureView v = grid->view;
    const uint32_t *cell_of = grid->multigrid->cell_of;
    for_each(
        gpu, grid->n, OOZE_BODY(uint32_t i) {
            ooze_component_join(root, v.child[i], v.child[v.child_first[cell_of[i]]]);
        });
    for_each(
        gpu, grid->nodes, OOZE_BODY(uint32_t g) {
            const uint32_t first = ooze_pressure_child_at(&v, v.node_first[g]);
            for (uint32_t k = v.column_first[g]; k < v.column_first[g + 1] && !v.idle[g]; k++) {
                const uint32_t a = v.column_node[k];
                for (uint32_t e = v.node_first[a]; e < v.node_first[a + 1]; e++) {
                    ooze_component_join(root, ooze_pressure_child_at(&v, e), first);
                }
            }
        });
    for_each(
        gpu, grid->n, OOZE_BODY(uint32_t i) { root[i] = ooze_component_root(root, i); });
}

OozeStatus grid_pressure_repair(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    if (!step->pressure) {
        return OOZE_OK;
    }
    step->pressure->solve.drift = step->view.drift;
    return ooze_pressure_repair(&step->pressure->solve, error);
}

void grid_pressure_store(OozeConformationStep *s)
{
    Step *step = step_of(s);
    if (step->pressure) {
        step->pressure->x = s->x;
        ooze_pressure_store(&step->pressure->solve);
    }
}

} // namespace ooze
