/* One step of the methods conformation and constraint, for every machine: velocities, then
   positions, then the new conformation. */
#include "methods/conformation/position_stage_formula.h"
#include "methods/conformation/stages.h"

static const char name[] = "the conformation step";

static void describe(OozeConformationStep *s, const OozeConformationPlan *plan)
{
    s->context = s->machine->context;
    s->plan = plan;
    s->n = s->machine->n;
    s->local = s->machine->local;
    s->dt = plan->dt;
    s->support = plan->support;
    s->volume = plan->volume;
    s->flat_gradient = plan->flat_gradient;
    s->wall_scale = plan->wall_scale;
    s->expects_pushes = plan->expects_pushes;
    s->more_modes = plan->more_modes;
    s->spacing = (float)s->context->spacing;
    s->free_speed = (float)s->context->free_speed;
    s->bulk = plan->settings.bulk;
    s->void_closure = plan->settings.void_closure;
    s->contact_distance = plan->settings.contact_distance;
}

/* Velocities under all forces but those of density. */
static OozeStatus solve_velocities(OozeConformationStep *s, OozeError *error)
{
    const OozeConformationStages *stages = s->stages;
    OozeStatus status = stages->gather(s, error);
    status = status ? status : stages->apply_surface_tension(s, error);
    status = status ? status : stages->begin_pressure(s, error);
    status = status ? status : stages->begin_bodies(s, error);
    ooze_machine_lap(s->machine, "rest");
    status = status ? status : stages->find_contacts(s, error);
    ooze_machine_lap(s->machine, "contact");
    return status ? status : s->formulation->solve_velocities(s, error);
}

static OozeStatus allocate_positions(OozeConformationStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    s->x = ooze_machine_gathered(machine, s->local, sizeof *s->x);
    s->shift = ooze_machine_alloc(machine, s->n, sizeof *s->shift);
    s->drift = ooze_machine_alloc(machine, s->n, sizeof *s->drift);
    s->position_only_shift = ooze_machine_alloc(machine, s->local, sizeof *s->position_only_shift);
    s->density_target = ooze_machine_alloc(machine, s->n, sizeof *s->density_target);
    s->load_excess = ooze_machine_alloc(machine, s->n, sizeof *s->load_excess);
    return ooze_machine_status(machine, name, error);
}

OozeDensityJob ooze_conformation_density_job(const OozeConformationStep *s)
{
    OozeDensityJob job = ooze_conformation_density_settings(s->context, s->plan);
    job.n = s->n;
    job.mobility = s->mobility;
    job.thread_regularisation = s->thread_regularisation;
    job.drift = job.min_distance > 0.0f ? s->drift : NULL;
    job.density_target = s->density_target;
    job.position_only_shift = s->position_only_shift;
    job.load_excess = s->load_excess;
    job.multiplier = s->density_multiplier;
    job.first_multiplier = s->first_multiplier;
    job.start = s->x0;
    return job;
}

/* The density stage, in memory that is free again after it. */
static OozeStatus correct_positions(OozeConformationStep *s, OozeError *error)
{
    const OozeConformationStages *stages = s->stages;
    OozeStatus status = allocate_positions(s, error);
    status = status ? status : stages->find_density_targets(s, error);
    if (status) {
        return status;
    }
    stages->predict(s);
    ooze_machine_lap(s->machine, "predict");
    const OozeMachineMark mark = ooze_machine_mark(s->machine);
    status = s->formulation->solve_positions(s, error);
    ooze_machine_rewind(s->machine, mark);
    return status ? status : stages->repair_volumes(s, error);
}

/* Shifts without expansion are motion, which strains the fluid, if they remove the stress of
   pushes in all of it; otherwise the conformation does not see what removes this stress. */
static OozeStatus strain(OozeConformationStep *s, OozeError *error)
{
    const OozeConformationStages *stages = s->stages;
    const bool first = s->plan->isotropic_shifts;
    OozeStatus status = s->regathers_edges ? stages->gather(s, error) : OOZE_OK;
    status = !status && first ? stages->remove_push_stress(s, error) : status;
    if (status) {
        return status;
    }
    ooze_machine_refresh(s->machine, s->u, sizeof *s->u);
    s->formulation->finish(s); /* u includes position_only_shift / dt here: it strains the fluid */
    ooze_machine_lap(s->machine, "finish");
    return first ? OOZE_OK : stages->remove_push_stress(s, error);
}

/* Corrections of compression by motion change velocities too. Relief of overlaps changes positions
   only. */
static OozeStatus move(OozeConformationStep *s, OozeError *error)
{
    const OozeConformationStages *stages = s->stages;
    float distance = 0.0f;
    OozeStatus status = correct_positions(s, error);
    status = status ? status : stages->arrive(s, &distance, error);
    if (status) {
        return status;
    }
    if (ooze_travels_too_far(distance, s->context->longest_travel)) {
        s->context->report->too_far = true;
        return OOZE_OK;
    }
    ooze_machine_lap(s->machine, "rest");
    stages->spread_solids(s);
    status = strain(s, error);
    status = status ? status : stages->end_relief(s, error);
    ooze_machine_lap(s->machine, "rest");
    if (status) {
        return status;
    }
    stages->place_bodies(s);
    stages->store_pressure(s);
    stages->store(s);
    ooze_machine_lap(s->machine, "store");
    return OOZE_OK;
}

static void report(const OozeConformationStep *s)
{
    OozeStepReport *to = s->context->report;
    if (!s->plan->settings.positions_only) {
        ooze_solve_residual_report(&s->residual, to);
        to->multigrid = s->used_multigrid;
    }
}

OozeStatus ooze_conformation_run(OozeMachine *machine, OozeConformationStep *s, OozeError *error)
{
    OozeConformationPlan plan;
    const OozeConformationStages *stages = s->stages;
    if (machine->all == 0) {
        return OOZE_OK;
    }
    s->machine = machine;
    OozeStatus status = ooze_conformation_plan(machine->context, &plan, error);
    if (status) {
        return status;
    }
    describe(s, &plan);
    ooze_conformation_find_fields(s);
    status = stages->load(s, error);
    ooze_machine_lap(machine, "load");
    status = status ? status : solve_velocities(s, error);
    if (status) {
        return status;
    }
    stages->free_edges(s);
    if (!stages->ghosts_suffice(s)) {
        return OOZE_OK;
    }
    status = move(s, error);
    if (!status) {
        report(s);
        status = ooze_machine_status(machine, name, error);
    }
    if (!status && !machine->context->report->too_far) {
        stages->load_solids(s);
    }
    return status;
}
