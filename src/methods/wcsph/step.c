/* One explicit step of the wcsph method: density, pressure by the equation of state, pressure and
   viscous forces, velocities, positions. */
#include "methods/wcsph/stages.h"

static const OozeWcsphMaterial *send_materials(OozeMachine *machine)
{
    const OozeStepContext *c = machine->context;
    const uint64_t count = (uint64_t)c->material_count;
    OozeWcsphMaterial *rows = ooze_arena_alloc(c->arena, count, sizeof *rows);
    for (uint64_t m = 0; m < count && rows; m++) {
        rows[m] = ooze_wcsph_material(c, (int)m);
    }
    return ooze_machine_send(machine, rows, count, sizeof *rows);
}

static void begin(OozeWcsphStep *s)
{
    OozeMachine *machine = s->machine;
    s->materials = send_materials(machine);
    s->material = ooze_machine_field(machine, "material");
    s->prescribed = ooze_machine_field(machine, "nozzle");
    OozeMachineMotion now = ooze_machine_load(machine);
    s->x = now.x;
    s->u = now.u;
    s->next_x = ooze_machine_alloc(machine, machine->n, sizeof *s->next_x);
    s->next_u = ooze_machine_alloc(machine, machine->n, sizeof *s->next_u);
    s->density = ooze_machine_alloc(machine, machine->n, sizeof *s->density);
    s->state = ooze_machine_alloc(machine, machine->local, sizeof *s->state);
}

OozeStatus ooze_wcsph_step(OozeMachine *machine, const OozeWcsphStages *stages, OozeError *error)
{
    static const char name[] = "the wcsph step";
    OozeWcsphStep s = {
        .machine = machine,
        .constants = ooze_wcsph_constants(machine->context),
    };
    const OozeContactRule contact = ooze_wcsph_contact_rule(machine->context);
    if (machine->all == 0) {
        return OOZE_OK;
    }
    begin(&s);
    if (stages->allocate) {
        stages->allocate(&s);
    }
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (status) {
        return status;
    }
    ooze_machine_lap(machine, "load");
    stages->find_densities(&s);
    ooze_machine_report_density(machine, s.density);
    ooze_machine_refresh(machine, s.state, sizeof *s.state);
    ooze_machine_lap(machine, "density");
    stages->apply_forces(&s);
    ooze_machine_lap(machine, "forces");
    ooze_machine_move(machine, &contact, s.x, (OozeMachineMotion){s.next_x, s.next_u});
    ooze_machine_lap(machine, "contact");
    ooze_machine_store(machine, (OozeMachineMotion){s.next_x, s.next_u});
    ooze_machine_lap(machine, "store");
    return ooze_machine_status(machine, name, error);
}
