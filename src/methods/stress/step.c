/* One explicit step of the stress method: stress of the present state, velocities, positions,
   density, conformation.

   Forces along an edge are equal and opposite, which conserves linear momentum. Stresses are
   symmetric and the divergence is the adjoint of the corrected gradient, which conserves angular
   momentum. */
#include <math.h>

#include "methods/stress/stages.h"
#include "physics/lattice.h"

static const char name[] = "the stress step";

static const OozeStressMaterial *send_materials(OozeMachine *machine)
{
    const OozeStepContext *c = machine->context;
    const uint64_t count = (uint64_t)c->material_count;
    OozeStressMaterial *rows = ooze_arena_alloc(c->arena, count, sizeof *rows);
    for (uint64_t m = 0; m < count && rows; m++) {
        rows[m] = ooze_stress_substep_material(c, (int)m);
    }
    return ooze_machine_send(machine, rows, count, sizeof *rows);
}

static OozeStatus begin(OozeStressStep *s, const OozeStressStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const uint64_t n = machine->n, local = machine->local;
    OozeMachineMotion now = ooze_machine_load(machine);
    s->x = now.x;
    s->u = now.u;
    s->materials = send_materials(machine);
    s->material = ooze_machine_field(machine, "material");
    s->strain = ooze_machine_field(machine, "conformation");
    s->next_x = ooze_machine_alloc(machine, n, sizeof *s->next_x);
    s->next_u = ooze_machine_alloc(machine, local, sizeof *s->next_u);
    s->stiffness = ooze_machine_alloc(machine, local, sizeof *s->stiffness);
    s->load = ooze_machine_alloc(machine, n, sizeof *s->load);
    s->flux = ooze_machine_alloc(machine, local, sizeof *s->flux);
    s->shift = ooze_machine_alloc(machine, n, sizeof *s->shift);
    s->density_target = ooze_machine_alloc(machine, n, sizeof *s->density_target);
    OozeStatus status = ooze_machine_status(machine, name, error);
    return status ? status : stages->gather(s, error);
}

/* Whether the step is longer than the bound of the present state, and can be divided. */
static bool is_unstable(OozeStressStep *s, const OozeStressStages *stages)
{
    OozeMachine *machine = s->machine;
    if (isinf(machine->context->longest_travel)) {
        return false;
    }
    stages->find_stiffness(s);
    ooze_machine_refresh(machine, s->stiffness, sizeof *s->stiffness);
    stages->find_load(s);
    const double worst = ooze_machine_max(machine, s->load);
    ooze_machine_lap(machine, "stability");
    return ooze_stress_exceeds_bound(machine->context, (float)worst);
}

static OozeStatus correct_density(OozeStressStep *s, const OozeStressStages *stages,
                                  OozeError *error)
{
    ooze_machine_report_density(s->machine, s->density);
    stages->find_density_target(s, ooze_stress_kept_share(s->machine->context));
    const OozeStepContext *c = s->machine->context;
    OozeDensityJob job = {
        .context = c,
        .n = s->machine->n,
        .support = s->support,
        .volume = s->volume,
        .wall_scale = s->wall_scale,
        .contact = (float)s->contact.margin,
        .iterations = (int)c->params[OOZE_STRESS_DENSITY_ITERATIONS],
        .tolerance = -1.0f,
        .plain = true, /* its noise keeps sheared particles from forming rows */
        .density_target = s->density_target,
    };
    OozeStatus status = stages->solve_density(s, &job, error);
    if (!status) {
        stages->add_shift(s);
    }
    return status;
}

static OozeStatus advance(OozeStressStep *s, const OozeStressStages *stages, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const OozeMachineMotion next = {s->next_x, s->next_u};
    stages->find_flux(s);
    ooze_machine_refresh(machine, s->flux, sizeof *s->flux);
    stages->apply_forces(s);
    ooze_machine_lap(machine, "forces");
    ooze_machine_move(machine, &s->contact, s->x, next);
    ooze_machine_lap(machine, "contact");
    if (!stages->finds_neighbours(s)) {
        return OOZE_OK;
    }
    OozeStatus status = correct_density(s, stages, error);
    if (status) {
        return status;
    }
    ooze_machine_refresh(machine, s->next_u, sizeof *s->next_u);
    stages->carry_strain(s);
    ooze_machine_lap(machine, "stress");
    ooze_machine_store(machine, next);
    ooze_machine_lap(machine, "store");
    return ooze_machine_status(machine, name, error);
}

OozeStatus ooze_stress_step(OozeMachine *machine, const OozeStressStages *stages, void *memory,
                            OozeError *error)
{
    OozeStepContext *c = machine->context;
    OozeStressStep s = {
        .machine = machine,
        .memory = memory,
        .support = (float)c->support,
        .volume = (float)(1.0 / ooze_lattice_sum(c->spacing, c->support)),
        .wall_scale = (float)ooze_lattice_wall_scale(c->spacing, c->support),
        .dt = c->dt,
        .contact = ooze_stress_contact_rule(c),
    };
    if (machine->all == 0) {
        return OOZE_OK;
    }
    OozeStatus status = begin(&s, stages, error);
    if (status) {
        return status;
    }
    if (is_unstable(&s, stages)) {
        c->report->too_far = true;
        return ooze_machine_status(machine, name, error);
    }
    return advance(&s, stages, error);
}
