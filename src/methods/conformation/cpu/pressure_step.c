/* Pressure on a grid in the step of the processor. */
#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/cpu/grid_pressure.h"
#include "methods/conformation/grid_pressure_formula.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

static OozeStatus allocate(OozeConformationStep *s, OozeGridPressure **out, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    OozeGridPressure *pressure = ooze_arena_alloc(arena, 1, sizeof *pressure);
    if (!s->memory->pressure_multigrid) {
        s->memory->pressure_multigrid = ooze_grid_multigrid_create();
    }
    if (pressure) {
        *pressure = (OozeGridPressure){.step = s};
        pressure->applied = ooze_arena_alloc(arena, s->n, sizeof *pressure->applied);
        pressure->force = ooze_arena_alloc(arena, s->n, sizeof *pressure->force);
        pressure->root = ooze_arena_alloc(arena, s->local, sizeof *pressure->root);
        pressure->net = ooze_arena_alloc(arena, OOZE_PRESSURE_NET * s->n, sizeof *pressure->net);
        pressure->reached = ooze_arena_alloc(arena, s->n, sizeof *pressure->reached);
        pressure->walled = ooze_arena_alloc(arena, s->n, sizeof *pressure->walled);
    }
    if (ooze_arena_failed(arena) || !s->memory->pressure_multigrid) {
        return ooze_fail_memory(error, "the pressure grid", s->n * 36);
    }
    *out = pressure;
    return OOZE_OK;
}

static void describe(OozeConformationStep *s, OozeGridPressure *pressure)
{
    const OozeStepContext *c = s->context;
    const float *edge = pressure->grid.edge;
    const float spacing = (float)c->spacing;
    pressure->solve = (OozePressureSolve){
        .loops = &ooze_grid_pressure_loops,
        .velocity = &ooze_grid_velocity_loops,
        .user = pressure,
        .timer = c->timer,
        .coupled = s->own->coupling ? s : NULL,
        .dt = s->dt,
        .spacing = spacing,
        .cell = edge[0] * edge[1] * edge[2] / (spacing * spacing * spacing),
        .u = s->u,
        .force = pressure->force,
    };
}

OozeStatus ooze_grid_pressure_begin(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    OozeGridPressure *pressure = NULL;
    if (!s->plan->settings.pressure_grid) {
        return OOZE_OK;
    }
    OozeStatus status = allocate(s, &pressure, error);
    if (status) {
        return status;
    }
    OozePressureGridInput input = {.n = s->n,
                                   .x = s->x0,
                                   .spacing = c->spacing,
                                   .dt = c->dt,
                                   .periodic = &c->periodic,
                                   .inverse_mass = s->mobility,
                                   .solids = c->solids,
                                   .solid_count = c->solid_count,
                                   .threads = c->threads,
                                   .arena = c->arena};
    status = ooze_grid_solids_begin(s, &input, &pressure->solids, error);
    status = status ? status
                    : ooze_pressure_grid_build(&pressure->grid, s->memory->pressure_multigrid,
                                               &input, error);
    if (status) {
        return status;
    }
    s->own->grid_pressure = pressure;
    s->reached = pressure->reached;
    describe(s, pressure);
    return ooze_pressure_begin(&pressure->solve, error);
}

OozeStatus ooze_grid_pressure_solve(OozeLodge *solve, OozeError *error)
{
    OozeConformationStep *s = solve->step;
    OozeGridPressure *pressure = s->own->grid_pressure;
    const OozePressurePass how = {.pass = solve->pass,
                                  .accurate = s->plan->settings.second_order ||
                                              solve->pass + 1 == solve->passes,
                                  .tolerance = s->plan->settings.tolerance,
                                  .particles = (double)s->n,
                                  .gravity = vec3_length(s->context->gravity),
                                  .dt = s->context->dt,
                                  .residual = &solve->cg->residual};
    solve->multigrid = NULL;
    pressure->lodge = solve;
    return ooze_pressure_solve(&pressure->solve, &how, error);
}

void ooze_grid_pressure_add_force(OozeLodge *solve)
{
    OozeGridPressure *pressure = solve->step->own->grid_pressure;
    if (pressure) {
        ooze_pressure_find_contact_forces(&pressure->solve);
    }
}

void ooze_grid_pressure_release(OozeLodge *solve)
{
    OozeGridPressure *pressure = solve->step->own->grid_pressure;
    if (pressure) {
        ooze_pressure_release(&pressure->solve);
    }
}

typedef struct Change {
    OozeLodge *solve;
    float sign;
} Change;

static void leave_out_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Change *change = data;
    for (uint64_t i = begin; i < end; i++) {
        change->solve->u_star[i] +=
            change->sign * change->solve->step->own->grid_pressure->applied[i];
    }
}

void ooze_grid_pressure_leave_out(OozeLodge *solve, float sign)
{
    const OozeConformationStep *s = solve->step;
    Change change = {solve, sign};
    if (s->own->grid_pressure) {
        ooze_parallel_for(s->context->threads, s->n, GRAIN, leave_out_range, &change);
        ooze_grid_solids_apply(solve->step, (double)sign);
    }
}

OozeStatus ooze_grid_pressure_repair(OozeConformationStep *s, OozeError *error)
{
    OozeGridPressure *pressure = s->own->grid_pressure;
    if (!pressure) {
        return OOZE_OK;
    }
    pressure->solve.drift = s->drift;
    return ooze_pressure_repair(&pressure->solve, error);
}

void ooze_grid_pressure_store(OozeConformationStep *s)
{
    if (s->own->grid_pressure) {
        ooze_pressure_store(&s->own->grid_pressure->solve);
    }
}
