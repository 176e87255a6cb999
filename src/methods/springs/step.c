/* One step of the springs method, in the order of the paper's algorithm 1. */
#include "methods/springs/stages.h"

static const char name[] = "the springs step";

OozeStatus ooze_springs_allocate_sorted(OozeSpringsStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const uint64_t n = machine->local;
    s->p = ooze_machine_alloc(machine, n, sizeof *s->p);
    s->point = ooze_machine_alloc(machine, n, sizeof *s->point);
    s->material = ooze_machine_alloc(machine, n, sizeof *s->material);
    s->id = ooze_machine_alloc(machine, n, sizeof *s->id);
    s->key = ooze_machine_alloc(machine, n, sizeof *s->key);
    s->prescribed = ooze_machine_alloc(machine, n, sizeof *s->prescribed);
    s->old_row = ooze_machine_alloc(machine, n, sizeof *s->old_row);
    s->long_count = ooze_machine_alloc(machine, n, sizeof *s->long_count);
    return ooze_machine_status(machine, name, error);
}

static OozeStatus begin(OozeSpringsStep *s, const OozeSpringsStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeStepContext *c = machine->context;
    const uint64_t materials = (uint64_t)c->material_count;
    OozeSpringsCoefficients *rows = ooze_arena_alloc(c->arena, materials, sizeof *rows);
    if (rows) {
        s->any = ooze_springs_coefficients(c, rows);
    }
    s->coefficients = ooze_machine_send(machine, rows, materials, sizeof *rows);
    s->store_material = ooze_machine_field(machine, "material");
    s->store_prescribed = ooze_machine_field(machine, "nozzle");
    s->store_id = ooze_machine_field(machine, "id");
    s->row = ooze_machine_field(machine, "spring_row");
    s->any_prescribed = s->store_prescribed != NULL;
    s->u = ooze_machine_alloc(machine, machine->local, sizeof *s->u);
    s->store_key = ooze_machine_alloc(machine, machine->local, sizeof *s->store_key);
    OozeStatus status = ooze_machine_status(machine, name, error);
    return status ? status : stages->load(s, error);
}

static OozeStatus apply_viscosity(OozeSpringsStep *s, const OozeSpringsStages *stages,
                                  OozeError *error)
{
    const OozeMachineMark mark = ooze_machine_mark(s->machine);
    OozeStatus status = stages->apply_viscosity(s, error);
    ooze_machine_rewind(s->machine, mark);
    return status;
}

/* If memory runs out, the table is cleared: a half-written table would connect wrong particles. */
static OozeStatus adjust_springs(OozeSpringsStep *s, const OozeSpringsStages *stages,
                                 OozeError *error)
{
    OozeStatus status = s->any.springs ? stages->update_springs(s, error) : OOZE_OK;
    if (status || !s->any.springs) {
        s->any.springs = false;
        stages->clear_springs(s);
    }
    stages->number_rows(s);
    return status;
}

static OozeStatus predict(OozeSpringsStep *s, const OozeSpringsStages *stages, OozeError *error)
{
    OozeStatus status = stages->sort(s, error);
    ooze_machine_lap(s->machine, "sort");
    status = status ? status : stages->find_neighbours(s, error);
    ooze_machine_lap(s->machine, "lists");
    status = status ? status : adjust_springs(s, stages, error);
    ooze_machine_lap(s->machine, "predict");
    return status;
}

static OozeStatus pull(OozeSpringsStep *s, const OozeSpringsStages *stages, OozeError *error)
{
    OozeStatus status = stages->pull(s, error);
    status = status ? status : stages->pull_long(s, error);
    ooze_machine_lap(s->machine, "springs");
    return status;
}

OozeStatus ooze_springs_step(OozeMachine *machine, const OozeSpringsStages *stages,
                             struct OozeSpringsMemory *memory, OozeError *error)
{
    const OozeStepContext *c = machine->context;
    OozeSpringsStep s = {.machine = machine,
                         .memory = memory,
                         .k = ooze_springs_constants(c),
                         .periodic = c->periodic,
                         .rule = ooze_springs_contact_rule(c)};
    if (machine->all == 0) {
        stages->clear_springs(&s);
        return OOZE_OK;
    }
    OozeStatus status = begin(&s, stages, error);
    ooze_machine_lap(machine, "load");
    status = !status && s.any.viscosity ? apply_viscosity(&s, stages, error) : status;
    ooze_machine_lap(machine, "viscosity");
    bool complete = true;
    status = !status && machine->ranks ? stages->follow(&s, &complete, error) : status;
    if (status || !complete) {
        return status;
    }
    status = predict(&s, stages, error);
    status = !status && s.any.springs ? pull(&s, stages, error) : status;
    if (status) {
        return status;
    }
    stages->relax(&s);
    ooze_machine_lap(machine, "double_density");
    status = ooze_springs_collide(&s, stages, error);
    status = !status && machine->ranks ? stages->leave(&s, error) : status;
    ooze_machine_lap(machine, "collisions");
    return status ? status : ooze_machine_status(machine, name, error);
}
