/* One step of the links method, in the order of the paper's algorithm 2. */
#include "methods/links/stages.h"

static const char name[] = "the links step";

OozeStatus ooze_links_allocate_sorted(OozeLinksStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const uint64_t n = machine->n, local = machine->local;
    s->x = ooze_machine_alloc(machine, local, sizeof *s->x);
    s->shift = ooze_machine_alloc(machine, n, sizeof *s->shift);
    s->x_lambda = ooze_machine_alloc(machine, local, sizeof *s->x_lambda);
    s->inverse_mass = ooze_machine_alloc(machine, local, sizeof *s->inverse_mass);
    s->effective_inverse_mass =
        ooze_machine_alloc(machine, local, sizeof *s->effective_inverse_mass);
    s->extension = ooze_machine_alloc(machine, local, sizeof *s->extension);
    s->is_elastic = ooze_machine_alloc(machine, local, sizeof *s->is_elastic);
    s->is_new = ooze_machine_alloc(machine, local, sizeof *s->is_new);
    s->old_row = ooze_machine_alloc(machine, n, sizeof *s->old_row);
    s->material = ooze_machine_alloc(machine, local, sizeof *s->material);
    s->share = ooze_machine_alloc(machine, local, sizeof *s->share);
    s->excess = ooze_machine_alloc(machine, n, sizeof *s->excess);
    return ooze_machine_status(machine, name, error);
}

static OozeStatus begin(OozeLinksStep *s, const OozeLinksStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeStepContext *c = machine->context;
    const uint64_t materials = (uint64_t)c->material_count;
    OozeLinksMaterial *rows = ooze_arena_alloc(c->arena, materials, sizeof *rows);
    if (rows) {
        ooze_links_materials(c, rows);
    }
    s->materials = ooze_machine_send(machine, rows, materials, sizeof *rows);
    s->store_material = ooze_machine_field(machine, "material");
    s->prescribed = ooze_machine_field(machine, "nozzle");
    s->row = ooze_machine_field(machine, "link_row");
    s->elastic = ooze_machine_field(machine, "elastic");
    s->temperature = ooze_machine_field(machine, "temperature");
    s->phase = ooze_machine_field(machine, "phase");
    s->u = ooze_machine_alloc(machine, machine->n, sizeof *s->u);
    s->change = ooze_machine_alloc(machine, machine->n, sizeof *s->change);
    s->store_inverse_mass =
        ooze_machine_alloc(machine, machine->local, sizeof *s->store_inverse_mass);
    OozeStatus status = ooze_machine_status(machine, name, error);
    status = !status && c->dynamic ? stages->couple(s, error) : status;
    status = status ? status : stages->load(s, error);
    ooze_machine_lap(machine, "load");
    return status;
}

static OozeStatus smooth(OozeLinksStep *s, const OozeLinksStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    if (s->k.xsph == 0.0f && s->k.wall_xsph == 0.0f) {
        return OOZE_OK;
    }
    const OozeMachineMark mark = ooze_machine_mark(machine);
    s->moving = ooze_machine_alloc(machine, machine->local, sizeof *s->moving);
    s->wall_motion = ooze_machine_alloc(machine, machine->n, sizeof *s->wall_motion);
    OozeStatus status = ooze_machine_status(machine, "smoothed velocities", error);
    if (!status) {
        ooze_machine_refresh(machine, s->store_inverse_mass, sizeof *s->store_inverse_mass);
        status = stages->find_densities(s, error);
    }
    if (!status) {
        ooze_machine_refresh(machine, s->moving, sizeof *s->moving);
        stages->smooth(s);
    }
    ooze_machine_rewind(machine, mark);
    return status;
}

/* If memory runs out, all links are removed: half-written rows would connect wrong particles. */
static OozeStatus control_links(OozeLinksStep *s, const OozeLinksStages *stages, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    if (s->k.linked) {
        status = stages->control_links(s, error);
        status = status ? status : stages->control_walls(s, error);
    }
    s->lost = status || !s->k.linked;
    if (s->lost) {
        stages->clear_links(s);
    }
    stages->number_rows(s);
    return status;
}

/* Velocities that predict positions; `complete`: whether ghosts suffice for these. */
static OozeStatus begin_motion(OozeLinksStep *s, const OozeLinksStages *stages, bool *complete,
                               OozeError *error)
{
    OozeStatus status = smooth(s, stages, error);
    ooze_machine_lap(s->machine, "smooth");
    *complete = true;
    if (!status) {
        stages->predict(s);
        status = s->machine->ranks ? stages->follow(s, complete, error) : OOZE_OK;
    }
    return status;
}

static OozeStatus predict(OozeLinksStep *s, const OozeLinksStages *stages, OozeError *error)
{
    OozeStatus status = stages->sort(s, error);
    ooze_machine_lap(s->machine, "sort");
    status = status ? status : stages->find_neighbours(s, error);
    ooze_machine_lap(s->machine, "lists");
    status = status ? status : control_links(s, stages, error);
    ooze_machine_lap(s->machine, "links");
    return status;
}

/* Density and links are corrected together, both from the same positions. */
static void iterate(OozeLinksStep *s, const OozeLinksStages *stages)
{
    OozeMachine *machine = s->machine;
    const OozeStepContext *c = machine->context;
    stages->find_multipliers(s);
    if (c->dynamic) {
        stages->push_solids(s);
    }
    ooze_machine_refresh(machine, s->x_lambda, sizeof *s->x_lambda);
    ooze_machine_refresh(machine, s->share, sizeof *s->share);
    ooze_machine_lap(machine, "density_multipliers");
    stages->correct(s);
    ooze_machine_lap(machine, "density_corrections");
    if (c->solid_count > 0) {
        stages->push_out(s);
    }
    if (c->dynamic) {
        stages->push_back(s);
    }
    if (c->dynamic && s->k.linked) {
        stages->hold(s);
    }
    ooze_machine_refresh(machine, s->x, sizeof *s->x);
    ooze_machine_lap(machine, "push_out");
}

static OozeStatus solve(OozeLinksStep *s, const OozeLinksStages *stages, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    const int iterations = (int)c->params[OOZE_LINKS_ITERATIONS];
    OozeStatus status = stages->begin_solve(s, error);
    status = !status && c->dynamic ? stages->find_near(s, error) : status;
    for (int k = 0; k < iterations && !status; k++) {
        iterate(s, stages);
    }
    if (!status && iterations > 0) {
        if (s->machine->ranks) {
            stages->order_excess(s);
        }
        ooze_machine_report_excess(s->machine, s->excess);
    }
    return status;
}

OozeStatus ooze_links_step(OozeMachine *machine, const OozeLinksStages *stages,
                           struct OozeLinksMemory *memory, OozeLinksRest *rest, OozeError *error)
{
    const OozeStepContext *c = machine->context;
    OozeLinksStep s = {.machine = machine, .memory = memory, .periodic = c->periodic};
    if (machine->all == 0) {
        stages->clear_links(&s);
        return OOZE_OK;
    }
    s.k = ooze_links_constants(rest, c);
    OozeStatus status = begin(&s, stages, error);
    bool complete = false;
    status = status ? status : begin_motion(&s, stages, &complete, error);
    if (status || !complete) {
        return status;
    }
    status = predict(&s, stages, error);
    status = status ? status : solve(&s, stages, error);
    if (status) {
        return status;
    }
    stages->store(&s);
    status = machine->ranks ? stages->leave(&s, error) : OOZE_OK;
    if (!status && c->dynamic) {
        stages->load_solids(&s);
    }
    ooze_machine_lap(machine, "store");
    return status ? status : ooze_machine_status(machine, name, error);
}
