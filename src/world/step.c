/* A step: emission, then substeps of solids, neighbours, method, heat and finish. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/fail.h"
#include "world/world.h"

#define STEPS_MAX 9.0e15 /* a double holds every integer up to this one */

/* ---- solids ----------------------------------------------------------------------------- */

static double end_of_substep(const OozeWorld *world)
{
    const OozeSubstep *sub = &world->substep;
    bool last = sub->done + sub->units == OOZE_SUBSTEP_UNITS;
    return last ? (double)(world->step + 1) * world->def.time_step : sub->time + sub->dt;
}

/* Poses at the end of the whole step; move_solids interpolates those of substeps. */
static OozeStatus advance_solids(OozeWorld *world, OozeError *error)
{
    double end = (double)(world->step + 1) * world->def.time_step;
    for (int i = 0; i < world->solids.count; i++) {
        ooze_solid_advance(&world->solids.items[i], end, world->def.time_step);
    }
    return ooze_world_prepare_loads(world, error);
}

static OozeStatus move_solids(OozeWorld *world, OozeError *error)
{
    (void)error;
    const OozeSubstep *sub = &world->substep;
    double from = (double)sub->done / OOZE_SUBSTEP_UNITS;
    double to = (double)(sub->done + sub->units) / OOZE_SUBSTEP_UNITS;
    for (int i = 0; i < world->solids.count; i++) {
        ooze_solid_set_substep(&world->solids.items[i], from, to, sub->time, end_of_substep(world));
    }
    ooze_world_predict_solids(world);
    return OOZE_OK;
}

/* ---- method ----------------------------------------------------------------------------- */

static const void *field_or_null(OozeWorld *world, int field)
{
    return field < 0 ? NULL : ooze_particles_data(world->particles, field);
}

OozeStepContext ooze_world_step_context(OozeWorld *world)
{
    return (OozeStepContext){
        .time = world->time,
        .dt = world->def.time_step,
        .whole_step = world->def.time_step,
        .longest_travel = INFINITY,
        .free_speed = INFINITY,
        .step = world->step,
        .spacing = world->def.spacing,
        .support = world->support,
        .gravity = world->def.gravity,
        .periodic = world->periodic,
        .particles = world->particles,
        .prescribed = field_or_null(world, world->nozzle_field),
        .bodies = world->bodies.items,
        .body_count = world->bodies.count,
        .body = field_or_null(world, world->body_field),
        .pin = field_or_null(world, world->pin_field),
        .rest = field_or_null(world, world->rest_field),
        .temperature = field_or_null(world, world->temperature_field),
        .phase = field_or_null(world, world->phase_field),
        .fluid = &world->fluid,
        .fluid_boundary = &world->fluid_boundary,
        .boundary = &world->boundary,
        .solids = world->solids.items,
        .solid_count = world->solids.count,
        .dynamic = world->dynamic_count > 0 ? &world->dynamic : NULL,
        .materials = world->materials.items,
        .material_count = world->materials.count,
        .method = world->method,
        .params = world->params,
        .threads = world->threads,
        .arena = world->arena,
        .report = &world->substep_report,
        .timer = &world->timer,
    };
}

void ooze_world_record_stress(OozeWorld *world)
{
    world->records_stress = true;
}

const OozeSym3 *ooze_world_stress(const OozeWorld *world)
{
    return world->stress;
}

static OozeStatus reserve_stress(OozeWorld *world, OozeError *error)
{
    uint64_t n = ooze_particles_count(world->particles);
    if (n > world->stress_capacity || !world->stress) {
        ooze_free(world->stress);
        world->stress_capacity = n;
        world->stress = ooze_alloc(n + 1, sizeof *world->stress);
    }
    for (uint64_t i = 0; i < n && world->stress; i++) {
        world->stress[i] = ooze_sym3(NAN, NAN, NAN, NAN, NAN, NAN);
    }
    return world->stress ? OOZE_OK
                         : ooze_fail_memory(error, "the stresses", n * sizeof *world->stress);
}

static OozeStatus run_method(OozeWorld *world, OozeError *error)
{
    OozeStepContext context = ooze_world_step_context(world);
    OozeStatus status = world->records_stress ? reserve_stress(world, error) : OOZE_OK;
    if (status) {
        return status;
    }
    context.stress = world->records_stress ? world->stress : NULL;
    world->substep_report = ooze_step_report_none();
    bool unlimited = !ooze_world_uses_substeps(world) || world->substep.units == 1;
    context.time = world->substep.time;
    context.dt = world->substep.dt;
    context.free_speed = world->substep.free_speed;
    context.longest_travel = unlimited ? INFINITY : world->def.max_travel * world->def.spacing;
    ooze_timer_begin(&world->timer, "method");
    status = world->engine->step(world->engine_data, &context, error);
    ooze_timer_lap(&world->timer, "rest");
    return status;
}

/* ---- finish ----------------------------------------------------------------------------- */

static OozeStatus fail_diverged(OozeWorld *world, uint64_t i, float fastest, OozeError *error)
{
    OozeStatus status = ooze_world_sync_to_host(world, error);
    if (status) {
        return status;
    }
    if (i >= ooze_particles_count(world->particles)) {
        return ooze_fail(error, OOZE_ERROR_NUMERIC, "see the error of process 0",
                         "a particle runs away");
    }
    const OozeFloat4 *x = ooze_particles_positions(world->particles) + i;
    const OozeFloat4 *v = ooze_particles_velocities(world->particles) + i;
    double speed = sqrt((double)v->x * v->x + (double)v->y * v->y + (double)v->z * v->z);
    double distance = sqrt((double)x->x * x->x + (double)x->y * x->y + (double)x->z * x->z);
    char what[128];
    if (!isfinite(speed) || !isfinite(distance)) {
        snprintf(what, sizeof what, "is no longer finite");
    } else if (speed > (double)fastest) {
        snprintf(what, sizeof what, "runs away at %.3g m/s, %.3g spacings a step,", speed,
                 speed * world->def.time_step / world->def.spacing);
    } else {
        snprintf(what, sizeof what, "has run away to %.3g m from the origin", distance);
    }
    uint16_t material = ooze_particles_materials(world->particles)[i];
    return ooze_fail(error, OOZE_ERROR_NUMERIC,
                     "use a smaller time step, or look for absurd speeds; frames written so far "
                     "are good",
                     "particle %llu (material '%s') %s after stage 'method' of step %llu, at %g s",
                     (unsigned long long)ooze_particles_ids(world->particles)[i],
                     world->materials.items[material].name, what, (unsigned long long)world->step,
                     world->substep.time);
}

static OozeStatus finish(OozeWorld *world, OozeError *error)
{
    double spacing = world->def.spacing;
    float fastest = (float)(OOZE_SPACINGS_PER_STEP_MAX * spacing / world->def.time_step);
    float farthest = (float)(OOZE_SPACINGS_FROM_ORIGIN_MAX * spacing);
    OozeEngineEnd end = {.first_bad = UINT64_MAX, .speed = NAN};
    OozeStatus status =
        world->engine->finish(world->engine_data, &world->periodic, fastest, farthest, &end, error);
    world->engine_speed = status ? NAN : end.speed;
    return status || end.first_bad == UINT64_MAX
               ? status
               : fail_diverged(world, end.first_bad, fastest, error);
}

/* ---- the step --------------------------------------------------------------------------- */

static OozeStatus timed(OozeWorld *world, OozeStage stage,
                        OozeStatus (*work)(OozeWorld *, OozeError *), OozeError *error)
{
    double start = ooze_timer_now(&world->timer);
    OozeStatus status = work(world, error);
    world->stages[stage].seconds += ooze_timer_now(&world->timer) - start;
    return status;
}

typedef struct StageWork {
    OozeStage stage;
    OozeStatus (*work)(OozeWorld *, OozeError *);
} StageWork;

static OozeStatus run_stages(OozeWorld *world, const StageWork *stages, int count, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < count && !status; i++) {
        status = timed(world, stages[i].stage, stages[i].work, error);
    }
    return status;
}

/* One substep. It is repeated at half the length while particles move too far in it. */
static OozeStatus substep(OozeWorld *world, OozeError *error)
{
    static const StageWork stages[] = {
        {OOZE_STAGE_EMIT, ooze_world_prescribe},
        {OOZE_STAGE_SOLIDS, move_solids},
        {OOZE_STAGE_NEIGHBOURS, ooze_world_find_neighbours},
        {OOZE_STAGE_METHOD, run_method},
    };
    ooze_arena_reset(world->arena);
    OozeStatus status = ooze_world_choose_substep(world, error);
    ooze_world_begin_substep_loads(world);
    do {
        ooze_arena_reset(world->arena);
        status = status ? status : run_stages(world, stages, 4, error);
    } while (!status && world->substep_report.too_far && ooze_world_halve_substep(world));
    status = status ? status : timed(world, OOZE_STAGE_SOLIDS, ooze_world_finish_solids, error);
    status = status ? status : timed(world, OOZE_STAGE_HEAT, ooze_world_conduct, error);
    status = status ? status : timed(world, OOZE_STAGE_FINISH, finish, error);
    ooze_step_report_add(&world->report, &world->substep_report);
    world->substep.done += world->substep.units;
    world->substep.count++;
    return status;
}

/* Adds the report of the step to the totals of the world and of solver probes. */
static void record_step(OozeWorld *world)
{
    world->unconverged_steps += world->report.unconverged;
    world->worst_residual = fmax(world->worst_residual, world->report.residual);
    for (int i = 0; i < world->probes.count; i++) {
        ooze_probe_record_step(&world->probes.items[i], &world->report, world->substep.count);
    }
}

OozeStatus ooze_world_step(OozeWorld *world, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    static const StageWork stages[] = {
        {OOZE_STAGE_EMIT, ooze_world_emit},
        {OOZE_STAGE_SOLIDS, advance_solids},
    };
    ooze_arena_reset(world->arena);
    world->substep = (OozeSubstep){.time = world->time, .free_speed = INFINITY};
    world->report = ooze_step_report_none();
    OozeStatus status = ooze_world_derive_presets(world, error);
    status = status ? status : ooze_world_choose_engine(world, error);
    status = status ? status : ooze_world_upload(world, error);
    status = status ? status : run_stages(world, stages, 2, error);
    while (!status && world->substep.done < OOZE_SUBSTEP_UNITS) {
        status = substep(world, error);
    }
    if (!status) {
        world->step++;
        world->time = (double)world->step * world->def.time_step;
        record_step(world);
    }
    return status;
}

OozeStatus ooze_world_advance(OozeWorld *world, double seconds, OozeProgressCallback progress,
                              void *user, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    if (!(seconds >= 0.0 && isfinite(seconds))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a time in seconds",
                         "cannot advance by %g s", seconds);
    }
    double end = world->time + seconds;
    if (end / world->def.time_step > STEPS_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "advance by a shorter time",
                         "%g s are more steps than can be counted", seconds);
    }
    /* half a step of tolerance: ends at the step nearest to `end` */
    while (world->time + 0.5 * world->def.time_step < end) {
        OozeStatus status = ooze_world_step(world, error);
        if (status) {
            return status;
        }
        if (progress && !progress(user, world->time, end)) {
            return ooze_fail(error, OOZE_ERROR_CANCELLED, "",
                             "stopped at %g s by the progress callback", world->time);
        }
    }
    return OOZE_OK;
}

/* ---- probes ----------------------------------------------------------------------------- */

/* Whether the engine measures a probe where the particles are. */
static bool measures_on_engine(const OozeWorld *world, const OozeProbe *probe)
{
    OozeProbeKind kind = probe->def.kind;
    return world->data_location != OOZE_DATA_ON_HOST && world->engine->measure &&
           (ooze_probe_is_sum(kind) || ooze_probe_is_percentile(kind));
}

static OozeStatus measure_on_engine(OozeWorld *world, OozeProbe *probe, OozeError *error)
{
    const double volume = world->def.spacing * world->def.spacing * world->def.spacing;
    const int count = world->materials.count;
    const OozeProbeQuery query = ooze_probe_query(probe, world->def.gravity);
    double *masses = ooze_alloc((uint64_t)count + 1, sizeof *masses);
    if (!masses) {
        return ooze_fail_memory(error, "a probe", (uint64_t)count * sizeof *masses);
    }
    for (int k = 0; k < count; k++) {
        masses[k] = world->materials.items[k].values[OOZE_MATERIAL_DENSITY] * volume;
    }
    for (int k = 0; k < probe->column_count; k++) {
        probe->values[k] = NAN;
    }
    OozeStatus status =
        world->engine->measure(world->engine_data, &query, masses, count, probe->values, error);
    ooze_free(masses);
    return status;
}

static OozeStatus measure_probes(OozeWorld *world, bool steps_only, const OozeFrame *frame,
                                 OozeError *error)
{
    OozeProbeContext context = {
        .frame = frame,
        .gravity = world->def.gravity,
        .periodic = world->periodic,
        .threads = world->threads,
        .report = world->step > 0 ? &world->report : NULL,
        .substeps = world->substep.count,
        .materials = world->materials.items,
        .material_count = world->materials.count,
        .solids = world->solids.items,
        .solid_count = world->solids.count,
        .time_step = world->def.time_step,
    };
    OozeStatus status = OOZE_OK;
    context.loads = ooze_world_solid_loads(world, &context.load_count);
    for (int i = 0; i < world->probes.count && !status; i++) {
        OozeProbe *probe = &world->probes.items[i];
        if (!steps_only || probe->def.every_step) {
            status = measures_on_engine(world, probe) ? measure_on_engine(world, probe, error)
                                                      : ooze_probe_measure(probe, &context, error);
        }
    }
    return status;
}

OozeStatus ooze_world_measure(OozeWorld *world, bool steps_only, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    double start = ooze_clock();
    bool on_host = false; /* particles are read there */
    for (int i = 0; i < world->probes.count; i++) {
        const OozeProbe *probe = &world->probes.items[i];
        on_host = on_host ||
                  ((!steps_only || probe->def.every_step) && !measures_on_engine(world, probe) &&
                   ooze_probe_reads_particles(probe->def.kind));
    }
    OozeStatus status = on_host ? ooze_world_sync_to_host(world, error) : OOZE_OK;
    const OozeFrame *frame = on_host && !status ? ooze_world_frame(world) : NULL;
    if (!status && on_host && !frame) {
        status = ooze_fail_memory(error, "the frame view", 0);
    }
    status = status ? status : measure_probes(world, steps_only, frame, error);
    world->stages[OOZE_STAGE_PROBES].seconds += ooze_clock() - start;
    return status;
}
