/* The density stage: a programme for the processor, the GPU and several processes. Its iterations
   find the multipliers of densities, the position corrections that follow from these, and push
   particles out of solids. */
#include "solvers/density/density_formula.h"
#include "solvers/density/stages.h"

static const char name[] = "the density stage";

static OozeStatus allocate(OozeDensitySweep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    const uint64_t n = machine->local;
    s->multiplier = ooze_machine_alloc(machine, n, sizeof *s->multiplier);
    s->pair_flags = ooze_machine_alloc(machine, n, sizeof *s->pair_flags);
    if (s->has_walls) {
        s->wall_push = ooze_machine_alloc(machine, n, sizeof *s->wall_push);
    }
    if (s->has_dynamic) {
        s->solid_diagonal = ooze_machine_alloc(machine, n, sizeof *s->solid_diagonal);
    }
    return ooze_machine_status(machine, name, error);
}

static OozeStatus begin(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityStages *stages = s->stages;
    OozeStatus status = stages->enter(s, error);
    s->cubic = ooze_cubic(s->job->support, s->job->volume);
    status = status ? status : stages->sort(s, error);
    ooze_machine_lap(s->machine, "density_sort");
    status = status ? status : stages->find_pairs(s, error);
    ooze_machine_lap(s->machine, "density_lists");
    status = status ? status : allocate(s, error);
    status = status ? status : stages->load(s, error);
    if (s->has_dynamic && !status) {
        stages->begin_solids(s);
        stages->find_solid_diagonals(s); /* the first sweep needs the sums of the rows */
    }
    ooze_machine_lap(s->machine, "density_lines");
    return status;
}

static void find_multipliers(OozeDensitySweep *s)
{
    if (s->has_dynamic) {
        s->stages->find_solid_diagonals(s);
    }
    s->stages->find_multipliers(s);
    if (s->has_dynamic) {
        s->stages->push_solids(s);
    }
    ooze_machine_lap(s->machine, "density_multipliers");
}

static void iterate_once(OozeDensitySweep *s)
{
    const OozeDensityJob *job = s->job;
    const OozeDensityStages *stages = s->stages;
    s->momentum = ooze_projected_momentum(s->k, job->iterations);
    find_multipliers(s);
    stages->correct(s);
    ooze_machine_lap(s->machine, "density_corrections");
    if (job->between) {
        stages->call_between(s);
        ooze_machine_lap(s->machine, job->rigid ? "rest" : "conformation_sweep");
    }
    stages->push_out(s);
    ooze_machine_lap(s->machine, "push_out");
    s->k++;
}

/* What acts between the sweeps may move particles apart again: with it, all iterations are due. */
static void iterate(OozeDensitySweep *s)
{
    const OozeDensityJob *job = s->job;
    const OozeDensityStages *stages = s->stages;
    s->may_stop = !job->between && (job->tolerance >= 0.0f || job->mean_tolerance > 0.0f);
    if (job->iterations > 0) {
        iterate_once(s);
        const int repeated = stages->repeat(s, job->iterations - 1);
        s->k += repeated;
        if (repeated > 0) {
            ooze_machine_lap(s->machine, "density_corrections");
        }
    }
    while (s->k < job->iterations && (!s->may_stop || stages->continues(s))) {
        iterate_once(s);
    }
}

/* Position-only shifts: relieve overlaps down to 1 + load_excess, and move particles out of solids.
   Dynamic solids no longer move. */
static OozeStatus relieve(OozeDensitySweep *s, bool overlaps, OozeError *error)
{
    const OozeDensityStages *stages = s->stages;
    OozeStatus status = stages->begin_relief(s, error);
    if (status) {
        return status;
    }
    s->relieving = true;
    s->momentum = 0.0f;
    for (int k = 0; k < (overlaps ? OOZE_RELIEF_ITERATIONS : 0); k++) {
        stages->find_multipliers(s);
        stages->correct(s);
    }
    stages->push_out(s);
    stages->end_relief(s);
    ooze_machine_lap(s->machine, "settling");
    return OOZE_OK;
}

static OozeStatus finish(OozeDensitySweep *s, OozeError *error)
{
    const OozeDensityJob *job = s->job;
    const OozeDensityStages *stages = s->stages;
    OozeStatus status = OOZE_OK;
    if (job->multiplier) {
        stages->store_multipliers(s);
    }
    if (s->k > 0) {
        const OozeDensityFound found = stages->measure(s);
        job->context->report->worst_density_error = found.worst;
        job->context->report->mean_density_error = found.sum / (double)s->machine->all;
        if (job->position_only_shift && (found.overlaps || found.inside)) {
            status = relieve(s, found.overlaps, error);
        }
    }
    if (job->drift && !status) {
        stages->drift(s);
        ooze_machine_lap(s->machine, "drift");
    }
    return status;
}

OozeStatus ooze_density_step(OozeDensitySweep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    if (machine->all == 0) {
        return OOZE_OK;
    }
    const OozeMachineMark mark = ooze_machine_mark(machine);
    OozeStatus status = begin(s, error);
    if (!status) {
        iterate(s);
        status = finish(s, error);
    }
    status = status ? status : s->stages->leave(s, error);
    ooze_machine_rewind(machine, mark);
    return status ? status : ooze_machine_status(machine, name, error);
}
