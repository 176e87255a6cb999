/* One step of the blend method: reference shape, walls, densities, forces of SPH, pulls of shape
   matching, velocities and positions with collisions. */
#include <math.h>

#include "base/fail.h"
#include "methods/blend/stages.h"

static const char name[] = "the blend step";

OozeStatus ooze_blend_check(const OozeStepContext *c, OozeError *error)
{
    if (ooze_periodic_any(&c->periodic)) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "leave `periodic` out, or use another method",
                         "method 'blend' has no periodic boundaries: a reference shape cannot "
                         "cross them");
    }
    for (int k = 0; k < c->body_count; k++) {
        if (c->bodies[k].kind == OOZE_BODY_RIGID) {
            return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                             "use body: soft, a dynamic solid, or method: {name: conformation}",
                             "method 'blend' has no rigid particle bodies");
        }
    }
    return OOZE_OK;
}

/* ---- beginning ------------------------------------------------------------------------------ */

static const OozeBlendMaterial *send_materials(OozeBlendStep *s)
{
    const OozeStepContext *c = s->machine->context;
    const uint64_t count = (uint64_t)c->material_count;
    OozeBlendMaterial *rows = ooze_arena_alloc(c->arena, count, sizeof *rows);
    bool elastic = false, blended = s->k.blended_pressure;
    for (uint64_t m = 0; m < count && rows; m++) {
        rows[m] = ooze_blend_material(c, (int)m);
        elastic = elastic || rows[m].melts || rows[m].has_table || rows[m].fluid_share < 1.0f;
        blended = blended || rows[m].viscosity > 0.0f;
        s->damped = s->damped || rows[m].damping > 0.0;
    }
    s->compares_shapes = elastic && blended;
    return ooze_machine_send(s->machine, rows, count, sizeof *rows);
}

static void find_fields(OozeBlendStep *s)
{
    OozeMachine *machine = s->machine;
    s->material = ooze_machine_field(machine, "material");
    s->prescribed = ooze_machine_field(machine, "nozzle");
    s->body = ooze_machine_field(machine, "body");
    s->pin = ooze_machine_field(machine, "pin");
    s->temperature = ooze_machine_field(machine, "temperature");
    s->phase = ooze_machine_field(machine, "phase");
    s->reference = ooze_machine_field(machine, "reference");
    s->reference_step = ooze_machine_field(machine, "reference_step");
    s->rotation = ooze_machine_field(machine, "rotation");
    s->external = ooze_machine_field(machine, "contact_acceleration");
    s->density = ooze_machine_field(machine, "density");
    s->elastic = ooze_machine_field(machine, "elastic");
    s->slot = ooze_machine_field(machine, "region_slot");
}

static OozeStatus begin(OozeBlendStep *s, const OozeBlendStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const uint64_t n = machine->n, local = machine->local;
    find_fields(s);
    s->materials = send_materials(s);
    s->shape = ooze_machine_alloc(machine, local, sizeof *s->shape);
    s->state = ooze_machine_alloc(machine, local, sizeof *s->state);
    s->acceleration = ooze_machine_alloc(machine, n, sizeof *s->acceleration);
    s->wall = ooze_machine_alloc(machine, n, sizeof *s->wall);
    s->next_x = ooze_machine_alloc(machine, n, sizeof *s->next_x);
    s->next_u = ooze_machine_alloc(machine, n, sizeof *s->next_u);
    s->next_external = ooze_machine_alloc(machine, n, sizeof *s->next_external);
    if (machine->context->dynamic) {
        s->impulses = ooze_machine_alloc(machine, n, sizeof *s->impulses);
    }
    OozeStatus status = ooze_machine_status(machine, name, error);
    return status ? status : stages->load(s, error);
}

/* ---- the reference shape -------------------------------------------------------------------- */

/* Every process has the regions of all particles, with the slots of one process. */
static OozeStatus build_regions(OozeBlendStep *s, const OozeBlendStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeMachineMark mark = ooze_machine_mark(machine);
    const uint64_t *id = ooze_machine_field(machine, "id");
    OozeRegionsInput input = {.n = machine->all, .kind = s->k.kind, .radius = s->k.radius};
    input.reference = ooze_machine_gather(machine, s->reference, sizeof *s->reference);
    input.reference_step =
        ooze_machine_gather(machine, s->reference_step, sizeof *s->reference_step);
    input.id = ooze_machine_gather(machine, id, sizeof *id);
    uint32_t *slot =
        machine->ranks ? ooze_machine_alloc(machine, machine->all, sizeof *slot) : s->slot;
    OozeStatus status = ooze_machine_status(machine, "the reference shapes", error);
    status = status ? status : stages->build_regions(s, &input, slot, error);
    if (!status) {
        ooze_machine_keep(machine, slot, s->slot, sizeof *slot);
    }
    ooze_machine_rewind(machine, mark);
    return status;
}

/* Takes new reference positions where they are due (section 3.2 of the paper), and builds the
   regions again where they do not fit. */
static OozeStatus update_reference(OozeBlendStep *s, const OozeBlendStages *stages,
                                   OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    const OozeRegions *r = s->regions;
    bool changed = false;
    for (int m = 0; m < c->material_count && ooze_blend_checks_shapes(c); m++) {
        const OozeBlendGate gate = stages->measure_gate(s, (uint16_t)m);
        if (ooze_blend_is_due(c->materials[m].values[OOZE_MATERIAL_UPDATE_THRESHOLD], &gate)) {
            stages->take_positions(s, (uint16_t)m);
            changed = true;
        }
    }
    OozeStatus status = ooze_machine_status(s->machine, name, error);
    if (!status &&
        (changed || r->kind != s->k.kind || r->radius != s->k.radius || !stages->regions_fit(s))) {
        status = build_regions(s, stages, error);
    }
    return status;
}

/* ---- shape matching ------------------------------------------------------------------------- */

static OozeStatus begin_matching(OozeBlendStep *s, const OozeBlendStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    OozeMatching *m = &s->matching;
    const uint64_t n = s->regions->n, count = ooze_regions_count(s->regions);
    m->regions = s->regions;
    m->position = ooze_machine_alloc(machine, n, sizeof *m->position);
    m->pull = ooze_machine_alloc(machine, n, sizeof *m->pull);
    m->rotation = ooze_machine_alloc(machine, count, sizeof *m->rotation);
    m->map = ooze_machine_alloc(machine, count, sizeof *m->map);
    if (s->damped) {
        m->velocity = ooze_machine_alloc(machine, n, sizeof *m->velocity);
        m->motion = ooze_machine_alloc(machine, count, sizeof *m->motion);
    }
    if (s->regions->kind == OOZE_REGIONS_OF_CELLS) {
        m->sums = ooze_machine_alloc(machine, count * stages->sums_per_cell, sizeof *m->sums);
    }
    return ooze_machine_status(machine, "shape matching", error);
}

void ooze_blend_run_matching(OozeBlendStep *s, const OozeBlendStages *stages)
{
    const bool of_cells = s->regions->kind == OOZE_REGIONS_OF_CELLS;
    if (!of_cells) {
        stages->fit_particles(s);
    } else {
        stages->fit_cells(s);
        if (s->matching.velocity) {
            stages->fit_cell_velocities(s);
        }
    }
    ooze_machine_lap(s->machine, "regions");
    if (of_cells) {
        stages->pull_cells(s);
    } else {
        stages->pull_particles(s);
    }
    ooze_machine_lap(s->machine, "goals");
}

static OozeStatus match_shapes(OozeBlendStep *s, const OozeBlendStages *stages, OozeError *error)
{
    if (s->regions->n == 0) {
        return OOZE_OK;
    }
    OozeStatus status = begin_matching(s, stages, error);
    if (!status) {
        stages->place_points(s);
        status = s->machine->ranks ? ooze_blend_share_points(s, stages->sharing, error) : OOZE_OK;
    }
    if (!status) {
        ooze_machine_lap(s->machine, "slots");
        ooze_blend_run_matching(s, stages);
    }
    return status;
}

/* ---- movement ------------------------------------------------------------------------------- */

/* A step that fails stores nothing: it can be done again. */
static OozeStatus move(OozeBlendStep *s, const OozeBlendStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    OozeStepContext *c = machine->context;
    const float travel = s->k.dt * sqrtf(stages->move(s));
    c->report->too_far = (double)travel > c->longest_travel;
    OozeStatus status = ooze_machine_status(machine, name, error);
    if (!status && !c->report->too_far && s->impulses) {
        status = stages->load_solids(s, error);
    }
    ooze_machine_lap(machine, "contact");
    if (status || c->report->too_far) {
        return status;
    }
    stages->store(s);
    ooze_machine_lap(machine, "store");
    return ooze_machine_status(machine, name, error);
}

OozeStatus ooze_blend_step(OozeMachine *machine, const OozeBlendStages *stages,
                           OozeRegions *regions, OozeError *error)
{
    const OozeStepContext *c = machine->context;
    OozeBlendStep s = {.machine = machine,
                       .regions = regions,
                       .k = ooze_blend_constants(c),
                       .dt = c->dt,
                       .gravity = c->gravity,
                       .smoothing = ooze_blend_smoothing(c)};
    if (machine->all == 0) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_blend_check(c, error);
    status = status ? status : begin(&s, stages, error);
    status = status ? status : update_reference(&s, stages, error);
    if (status) {
        return status;
    }
    stages->set_shapes(&s);
    ooze_machine_refresh(machine, s.shape, sizeof *s.shape);
    ooze_machine_lap(machine, "reference");
    status = stages->find_walls(&s, error);
    if (status) {
        return status;
    }
    ooze_machine_lap(machine, "walls");
    stages->sum_densities(&s);
    ooze_machine_refresh(machine, s.state, sizeof *s.state);
    ooze_machine_lap(machine, "density");
    stages->sum_forces(&s);
    ooze_machine_lap(machine, "forces");
    status = match_shapes(&s, stages, error);
    return status ? status : move(&s, stages, error);
}
