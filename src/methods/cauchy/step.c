/* One step of the method cauchy: edges, forces, velocity solve, pressure solve, movement,
   strain. */
#include "methods/cauchy/stages.h"

static const char name[] = "the cauchy step";

static OozeStatus set_materials(OozeCauchyStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    OozeCauchyRows rows;
    OozeStatus status = ooze_cauchy_rows(machine->context, &rows, error);
    if (status) {
        return status;
    }
    s->inverse_reference = rows.materials[0].inverse_reference;
    s->materials =
        ooze_machine_send(machine, rows.materials, (uint64_t)rows.count, sizeof *rows.materials);
    if (rows.tables) { /* some material depends on temperature */
        const uint64_t count = (uint64_t)machine->context->material_count;
        const OozeCauchyTable *tables =
            ooze_machine_send(machine, rows.tables, count, sizeof *tables);
        uint16_t *row = ooze_machine_alloc(machine, machine->local, sizeof *row);
        status = ooze_machine_status(machine, name, error);
        if (!status) {
            s->stages->find_rows(s, tables, row);
        }
        s->material = row;
    }
    return status;
}

static OozeStatus begin(OozeCauchyStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    s->material = ooze_machine_field(machine, "material");
    s->prescribed = ooze_machine_field(machine, "nozzle");
    s->elastic_strain = ooze_machine_field(machine, "strain");
    s->pressure = ooze_machine_field(machine, "pressure");
    s->density = ooze_machine_field(machine, "density");
    s->u = ooze_cauchy_gathered(s, sizeof *s->u);
    s->edge_sum = ooze_cauchy_gathered(s, sizeof *s->edge_sum);
    s->fluid_edge_sum = ooze_cauchy_gathered(s, sizeof *s->fluid_edge_sum);
    s->mps_sum = ooze_cauchy_gathered(s, sizeof *s->mps_sum);
    s->wall = ooze_cauchy_gathered(s, sizeof *s->wall);
    s->number = ooze_cauchy_gathered(s, sizeof *s->number);
    s->air = ooze_cauchy_gathered(s, sizeof *s->air);
    s->correction = ooze_cauchy_gathered(s, sizeof *s->correction);
    s->pressure_correction = ooze_cauchy_gathered(s, sizeof *s->pressure_correction);
    s->mobility = ooze_cauchy_gathered(s, sizeof *s->mobility);
    s->divergence_target = ooze_cauchy_gathered(s, sizeof *s->divergence_target);
    s->force = ooze_cauchy_gathered(s, sizeof *s->force);
    s->stiffness = ooze_cauchy_gathered(s, sizeof *s->stiffness);
    s->explicit_stress = ooze_cauchy_gathered(s, sizeof *s->explicit_stress);
    s->viscosity = ooze_cauchy_gathered(s, sizeof *s->viscosity);
    s->rate = ooze_cauchy_gathered(s, sizeof *s->rate);
    s->last_pressure = ooze_cauchy_gathered(s, sizeof *s->last_pressure);
    s->next_x = ooze_machine_alloc(machine, machine->n, sizeof *s->next_x);
    s->next_pressure = ooze_machine_alloc(machine, machine->n, sizeof *s->next_pressure);
    s->solves = ooze_machine_alloc(machine, 1, sizeof *s->solves);
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (!status) {
        s->stages->prepare(s);
        status = ooze_machine_status(machine, name, error);
    }
    status = status ? status : set_materials(s, error);
    if (!status) {
        s->stages->load(s);
        ooze_machine_lap(machine, "load");
    }
    return status;
}

/* Walls, edges, corrections and densities. */
static OozeStatus gather(OozeCauchyStep *s, OozeError *error)
{
    OozeStatus status = s->stages->find_walls(s, error);
    if (status) {
        return status;
    }
    ooze_machine_lap(s->machine, "walls");
    status = s->stages->gather(s, error);
    if (!status) {
        ooze_machine_refresh(s->machine, s->pressure_correction, sizeof *s->pressure_correction);
        ooze_machine_lap(s->machine, "gather");
    }
    return status;
}

/* ---- forces --------------------------------------------------------------------------------- */

static OozeStatus add_surface_stress(OozeCauchyStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const double spacing = machine->context->spacing;
    OozeCauchyTension t = {
        .step = s,
        .numbers =
            ooze_surface_tension(spacing, machine->context->support,
                                 (float)(spacing * spacing * spacing), 1.0f, s->k.flat_strain),
        .flux = ooze_cauchy_gathered(s, 3 * sizeof *t.flux),
        .base = ooze_machine_alloc(machine, machine->n, sizeof *t.base),
    };
    OozeStatus status = ooze_machine_status(machine, "surface tension", error);
    if (!status) {
        s->stages->find_surface_stress(&t);
        ooze_machine_refresh(machine, t.flux, 3 * sizeof *t.flux);
        s->stages->add_surface_stress(&t);
    }
    return status;
}

/* Gravity, surface tension and the pressure of the last step: see ooze_cauchy_last_pressure. */
static OozeStatus apply_forces(OozeCauchyStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeMachineMark mark = ooze_machine_mark(machine);
    OozeVector *acceleration = NULL;
    OozeStatus status = OOZE_OK;
    if (s->k.any_tension && s->k.potential) {
        ooze_machine_refresh(machine, s->number, sizeof *s->number);
        s->stages->add_cohesion(s);
    } else if (s->k.any_tension) {
        status = add_surface_stress(s, error);
    }
    if (!status && !s->k.classic) {
        acceleration = ooze_cauchy_gathered(s, sizeof *acceleration);
        status = ooze_machine_status(machine, "the pressure", error);
    }
    if (!status && acceleration) {
        ooze_machine_refresh(machine, s->last_pressure, sizeof *s->last_pressure);
        s->stages->accelerate(s, s->last_pressure, acceleration);
    }
    if (!status) {
        s->stages->apply_forces(s, acceleration);
    }
    ooze_machine_rewind(machine, mark);
    ooze_machine_lap(machine, "forces");
    return status;
}

/* ---- motion --------------------------------------------------------------------------------- */

/* Collisions and contact, new positions. */
static OozeStatus move(OozeCauchyStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    OozeStepContext *c = machine->context;
    if (c->dynamic) {
        s->impulses = ooze_machine_alloc(machine, machine->n, sizeof *s->impulses);
    }
    const OozeMachineMark mark = ooze_machine_mark(machine);
    OozeCauchyMotion m = {
        .step = s,
        .collided = ooze_machine_alloc(machine, machine->n, sizeof *m.collided),
        .shift = ooze_machine_alloc(machine, machine->n, sizeof *m.shift),
    };
    OozeStatus status = ooze_machine_status(machine, "new positions", error);
    if (status) {
        return status;
    }
    ooze_machine_refresh(machine, s->u, sizeof *s->u);
    s->stages->motion->collide(&m);
    const double travel = s->stages->motion->move(&m);
    c->report->too_far = c->report->too_far || travel > c->longest_travel;
    ooze_machine_rewind(machine, mark);
    if (!c->report->too_far) {
        s->stages->motion->report_density(s);
    }
    ooze_machine_lap(machine, "contact");
    return c->dynamic && !c->report->too_far ? s->stages->motion->share_impulses(s, error)
                                             : OOZE_OK;
}

/* Waits for the solves. */
static void report_solves(OozeCauchyStep *s)
{
    OozeCauchySolves solves = {0};
    OozeStepReport *to = s->machine->context->report;
    ooze_machine_read(s->machine, &solves, s->solves, sizeof solves);
    ooze_solve_residual_report(&solves.velocity.residual, to);
    const bool unconverged = to->unconverged || solves.missed;
    ooze_solve_residual_report(&solves.pressure.residual, to);
    to->unconverged = to->unconverged || unconverged;
}

OozeStatus ooze_cauchy_step(OozeMachine *machine, const OozeCauchyStages *stages, void *memory,
                            OozeError *error)
{
    OozeCauchyStep s = {
        .machine = machine,
        .stages = stages,
        .memory = memory,
        .k = ooze_cauchy_constants(machine->context),
        .dt = machine->context->dt,
        .spacing = machine->context->spacing,
    };
    if (machine->all == 0) {
        return OOZE_OK;
    }
    OozeStatus status = begin(&s, error);
    status = status ? status : gather(&s, error);
    status = status ? status : apply_forces(&s, error);
    status = status ? status : ooze_cauchy_solve_velocities(&s, error);
    status = status ? status : ooze_cauchy_project(&s, error);
    status = status ? status : move(&s, error);
    if (status) {
        return status;
    }
    report_solves(&s);
    if (!machine->context->report->too_far) {
        ooze_machine_refresh(machine, s.u, sizeof *s.u);
        stages->carry_strain(&s);
        ooze_machine_lap(machine, "strain");
        stages->store(&s);
        ooze_machine_lap(machine, "store");
    }
    return ooze_machine_status(machine, name, error);
}
