/* A step of the ballistic method: particles fly, and collide with solids along their paths. */
#include "methods/ballistic/stages.h"

static OozeContactRule contact_rule(const OozeStepContext *c)
{
    return (OozeContactRule){.margin = c->params[OOZE_BALLISTIC_CONTACT_DISTANCE] * c->spacing,
                             .tolerance = 0.1 * c->spacing,
                             .dt = c->dt,
                             .dry = true};
}

/* The last row is the motion that a nozzle prescribes. */
static const OozeFlight *send_flights(OozeMachine *machine)
{
    const OozeStepContext *c = machine->context;
    const uint64_t count = (uint64_t)c->material_count;
    OozeFlight *rows = ooze_arena_alloc(c->arena, count + 1, sizeof *rows);
    for (uint64_t m = 0; m < count && rows; m++) {
        rows[m] = ooze_flight(c->materials[m].values[OOZE_MATERIAL_DRAG], c->dt);
    }
    if (rows) {
        rows[count] = (OozeFlight){.keep = 1.0f, .glide = (float)c->dt};
    }
    return ooze_machine_send(machine, rows, count + 1, sizeof *rows);
}

OozeStatus ooze_ballistic_step(OozeMachine *machine, const OozeBallisticStages *stages,
                               OozeError *error)
{
    static const char name[] = "the ballistic step";
    OozeBallisticStep s = {.machine = machine, .contact = contact_rule(machine->context)};
    if (machine->all == 0) {
        return OOZE_OK;
    }
    s.flights = send_flights(machine);
    s.material = ooze_machine_field(machine, "material");
    if (machine->context->dynamic) {
        s.impulses = ooze_machine_alloc(machine, machine->n, sizeof *s.impulses);
    }
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (status) {
        return status;
    }
    stages->fly(&s);
    return s.impulses ? stages->load_solids(&s, error) : ooze_machine_status(machine, name, error);
}
