/* One step, as a table of contents: emit, then as many strokes as it takes of solids, neighbours, method,
   heat, finish. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "world/world.h"

/* ---- emit --------------------------------------------------------------------------------- */

static OozeStatus remove_from_store(OozeWorld *world, uint64_t *removed, OozeError *error)
{
    uint64_t n = ooze_particles_count(world->particles);
    uint8_t *remove = ooze_arena_alloc(world->arena, n, 1);
    if (!remove) {
        return ooze_fail_memory(error, "removing particles", n);
    }
    memset(remove, 0, n);
    for (int i = 0; i < world->sinks.count; i++) {
        ooze_sink_mark(&world->sinks.items[i], world->threads, world->particles, world->time,
                       remove);
    }
    return ooze_particles_remove(world->particles, world->threads, remove, removed, error);
}

static OozeStatus remove_sunk(OozeWorld *world, OozeError *error)
{
    uint64_t removed = 0;
    if (world->sinks.count == 0 || ooze_world_particle_count(world) == 0) {
        return OOZE_OK;
    }
    OozeStatus status =
        world->engine ? world->engine->remove(world->engine_data, world->sinks.items,
                                              world->sinks.count, world->time, &removed, error)
                      : remove_from_store(world, &removed, error);
    if (removed > 0) {
        world->engine_speed = NAN;
    }
    world->removed += removed;
    return status;
}

static void wrap_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeWorld *world = data;
    OozeFloat4 *x = ooze_particles_positions(world->particles);
    for (uint64_t i = begin; i < end; i++) {
        x[i] = ooze_point_wrap(x[i], &world->periodic);
    }
}

static OozeStatus wrap_newcomers(OozeWorld *world, OozeError *error)
{
    const OozePeriodic *p = &world->periodic;
    bool open = p->length[0] == 0.0f && p->length[1] == 0.0f && p->length[2] == 0.0f;
    bool needed = world->newcomers && !open;
    world->newcomers = false;
    if (needed && world->engine) {
        return world->engine->wrap(world->engine_data, p, error);
    }
    if (needed) {
        uint64_t n = ooze_particles_count(world->particles);
        ooze_parallel_for(world->threads, n, 8192, wrap_range, world);
    }
    return OOZE_OK;
}

/* A nozzle that is filled later than those that run from the start, in the second step: an earlier one may have left some
   fluid where it stands. */
static bool is_refilled(const OozeWorld *world, const OozeEmitter *emitter)
{
    double dt = world->def.time_step;
    return world->step > 1 && ooze_emitter_fills(emitter, world->time - dt, dt);
}

/* Those nozzles look where particles are, on the processor. */
static OozeStatus look_around(OozeWorld *world, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->emitters.count && !status; i++) {
        if (is_refilled(world, &world->emitters.items[i])) {
            status = ooze_world_bring_home(world, error);
        }
    }
    return status;
}

static OozeStatus run_emitter(OozeWorld *world, int i, OozeParticles *arrivals, OozeError *error)
{
    double dt = world->def.time_step;
    OozeEmitter *emitter = &world->emitters.items[i];
    bool refilled = is_refilled(world, emitter);
    uint64_t first = ooze_particles_count(arrivals), emitted = 0, removed = 0;
    OozeStatus status = ooze_emitter_emit(emitter, arrivals, world->time - dt, dt, world->led_field,
                                          (uint16_t)(i + 1), &emitted, error);
    if (!status && refilled && emitted > 0) {
        status = ooze_world_thin_fill(world, arrivals, first, &removed, error);
        emitted -= removed;
        emitter->state.emitted -= removed;
    }
    if (status) {
        return status;
    }
    ooze_world_welcome(world, arrivals, first, emitted, emitter->temperature);
    world->emitted += emitted;
    if (emitted > 0 && emitter->limit > 0 && emitter->state.emitted >= emitter->limit) {
        ooze_world_log(world, OOZE_LOG_INFO, "emitter '%s' has given its %llu particles",
                       emitter->name, (unsigned long long)emitter->limit);
    }
    return OOZE_OK;
}

/* What entered the nozzles during the step that ends now takes part in the next one. */
static OozeStatus run_emitters(OozeWorld *world, OozeParticles *arrivals, OozeError *error)
{
    OozeStatus status = look_around(world, error);
    for (int i = 0; i < world->emitters.count && !status; i++) {
        status = run_emitter(world, i, arrivals, error);
    }
    return status ? status : ooze_world_hand_over(world, error);
}

static OozeStatus emit(OozeWorld *world, OozeError *error)
{
    OozeParticles *arrivals = NULL;
    OozeStatus status = remove_sunk(world, error);
    if (!status && world->emitters.count > 0) {
        status = ooze_world_open_door(world, &arrivals, error);
        status = status ? status : run_emitters(world, arrivals, error);
        status = status ? status : ooze_world_let_in(world, error);
    }
    /* after what has entered, before what moves: a jet's new speed acts on the coming step */
    ooze_world_apply_changes(world);
    return status ? status : wrap_newcomers(world, error);
}

/* Nozzles lead what is inside them. */
static OozeStatus lead(OozeWorld *world, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->emitters.count && !status; i++) {
        const OozeEmitter *emitter = &world->emitters.items[i];
        uint16_t mark = (uint16_t)(i + 1);
        if (world->engine) {
            status = world->engine->lead(world->engine_data, emitter, world->sub.time, mark, error);
        } else {
            ooze_emitter_lead(emitter, world->particles, world->threads, world->sub.time,
                              world->led_field, mark);
        }
    }
    return status;
}

double ooze_world_forecast(const OozeWorld *world, double end)
{
    double particles = (double)ooze_world_particle_count(world);
    double dt = world->def.time_step; /* emitters lag by one step: see emit */
    for (int i = 0; i < world->emitters.count; i++) {
        const OozeEmitter *emitter = &world->emitters.items[i];
        particles += ooze_emitter_forecast(emitter, world->time - dt, end - dt) -
                     (double)emitter->state.emitted;
    }
    return particles;
}

/* ---- solids ------------------------------------------------------------------------------- */

static double end_of_sub_step(const OozeWorld *world)
{
    const OozeSubStep *sub = &world->sub;
    bool last = sub->done + sub->units == OOZE_SUB_UNITS;
    return last ? (double)(world->step + 1) * world->def.time_step : sub->time + sub->dt;
}

/* Where the whole step takes them; what the method sees are parts of it. */
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
    const OozeSubStep *sub = &world->sub;
    double from = (double)sub->done / OOZE_SUB_UNITS;
    double to = (double)(sub->done + sub->units) / OOZE_SUB_UNITS;
    for (int i = 0; i < world->solids.count; i++) {
        ooze_solid_part(&world->solids.items[i], from, to, sub->time, end_of_sub_step(world));
    }
    ooze_world_fly_solids(world);
    return OOZE_OK;
}

/* ---- method ------------------------------------------------------------------------------- */

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
        .step = world->step,
        .spacing = world->def.spacing,
        .support = world->support,
        .gravity = world->def.gravity,
        .periodic = world->periodic,
        .particles = world->particles,
        .led = field_or_null(world, world->led_field),
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
        .params = world->params,
        .threads = world->threads,
        .arena = world->arena,
        .report = &world->stroke,
        .clock = &world->clock,
    };
}

void ooze_world_ask_stress(OozeWorld *world)
{
    world->asks_stress = true;
}

const OozeSym3 *ooze_world_stress(const OozeWorld *world)
{
    return world->stress;
}

static OozeStatus make_room_for_stress(OozeWorld *world, OozeError *error)
{
    uint64_t n = ooze_particles_count(world->particles);
    if (n > world->stress_room || !world->stress) {
        ooze_free(world->stress);
        world->stress_room = n;
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
    OozeStatus asked = world->asks_stress ? make_room_for_stress(world, error) : OOZE_OK;
    if (asked) {
        return asked;
    }
    context.stress = world->asks_stress ? world->stress : NULL;
    world->stroke = ooze_step_report_none();
    bool free = !ooze_world_cuts_steps(world) || world->sub.units == 1;
    context.time = world->sub.time;
    context.dt = world->sub.dt;
    context.longest_travel = free ? INFINITY : world->def.max_travel * world->def.spacing;
    ooze_stage_mark(&world->clock);
    OozeStatus status = world->engine ? world->engine->step(world->engine_data, &context, error)
                                      : world->method->step(world->method_data, &context, error);
    ooze_stage_lap(&world->clock, OOZE_PART_REST);
    return status;
}

/* ---- finish ------------------------------------------------------------------------------- */

/* What no fluid does: beyond these a run has gone wrong, long before numbers overflow. */
static const float SPACINGS_A_STEP = 1000.0f;
static const float SPACINGS_FROM_ORIGIN = 4e6f; /* floats tell quarters of a spacing there */

typedef struct FinishJob {
    OozeFloat4 *positions;
    const OozeFloat4 *velocities;
    OozePeriodic periodic;
    float fastest, farthest;
    _Atomic uint64_t
        first_bad; /* lowest index of a particle that is out of bounds, or not finite */
} FinishJob;

static void wrap_and_check(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    FinishJob *job = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeFloat4 *x = &job->positions[i];
        const OozeFloat4 *v = &job->velocities[i];
        /* false for NaN, and for what has overflowed */
        bool near = x->x * x->x + x->y * x->y + x->z * x->z <= job->farthest * job->farthest;
        bool slow = v->x * v->x + v->y * v->y + v->z * v->z <= job->fastest * job->fastest;
        if (!near || !slow) {
            uint64_t lowest = atomic_load(&job->first_bad);
            while (i < lowest && !atomic_compare_exchange_weak(&job->first_bad, &lowest, i)) {
            }
            continue;
        }
        *x = ooze_point_wrap(*x, &job->periodic);
    }
}

static OozeStatus report_bad(OozeWorld *world, uint64_t i, float fastest, OozeError *error)
{
    OozeStatus status = ooze_world_bring_home(world, error);
    if (status) {
        return status;
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
                     world->sub.time);
}

static uint64_t finish_store(OozeWorld *world, float fastest, float farthest)
{
    FinishJob job = {
        .positions = ooze_particles_positions(world->particles),
        .velocities = ooze_particles_velocities(world->particles),
        .periodic = world->periodic,
        .fastest = fastest,
        .farthest = farthest,
        .first_bad = UINT64_MAX,
    };
    ooze_parallel_for(world->threads, ooze_particles_count(world->particles), 8192, wrap_and_check,
                      &job);
    return atomic_load(&job.first_bad);
}

static OozeStatus finish(OozeWorld *world, OozeError *error)
{
    double spacing = world->def.spacing;
    float fastest = (float)(SPACINGS_A_STEP * spacing / world->def.time_step);
    float farthest = (float)(SPACINGS_FROM_ORIGIN * spacing);
    OozeEngineEnd end = {.first_bad = UINT64_MAX, .speed = NAN};
    OozeStatus status = OOZE_OK;
    if (world->engine) {
        status = world->engine->finish(world->engine_data, &world->periodic, fastest, farthest,
                                       &end, error);
        world->engine_speed = status ? NAN : end.speed;
    } else {
        end.first_bad = finish_store(world, fastest, farthest);
    }
    return status || end.first_bad == UINT64_MAX ? status
                                                 : report_bad(world, end.first_bad, fastest, error);
}

/* ---- the step ----------------------------------------------------------------------------- */

static OozeStatus timed(OozeWorld *world, OozeStage stage,
                        OozeStatus (*work)(OozeWorld *, OozeError *), OozeError *error)
{
    double start = ooze_stage_now(&world->clock);
    OozeStatus status = work(world, error);
    world->stages[stage].seconds += ooze_stage_now(&world->clock) - start;
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

/* One stroke; where the method says that it would go too far, a shorter one in its place. */
static OozeStatus sub_step(OozeWorld *world, OozeError *error)
{
    static const StageWork stages[] = {
        {OOZE_STAGE_EMIT, lead},
        {OOZE_STAGE_SOLIDS, move_solids},
        {OOZE_STAGE_NEIGHBOURS, ooze_world_find_neighbours},
        {OOZE_STAGE_METHOD, run_method},
    };
    ooze_arena_reset(world->arena);
    OozeStatus status = ooze_world_choose_sub_step(world, error);
    ooze_world_start_stroke(world);
    do {
        ooze_arena_reset(world->arena);
        status = status ? status : run_stages(world, stages, 4, error);
    } while (!status && world->stroke.too_far && ooze_world_halve_sub_step(world));
    status = status ? status : timed(world, OOZE_STAGE_SOLIDS, ooze_world_settle_solids, error);
    status = status ? status : timed(world, OOZE_STAGE_HEAT, ooze_world_conduct, error);
    status = status ? status : timed(world, OOZE_STAGE_FINISH, finish, error);
    ooze_step_report_add(&world->report, &world->stroke);
    world->sub.done += world->sub.units;
    world->sub.count++;
    return status;
}

/* What outlives the step: totals of the world, and what probes remember until they are read. */
static void note_step(OozeWorld *world)
{
    world->unmet_steps += world->report.unmet;
    world->worst_residual = fmax(world->worst_residual, world->report.residual);
    for (int i = 0; i < world->probes.count; i++) {
        ooze_probe_note_step(&world->probes.items[i], &world->report, world->sub.count);
    }
}

OozeStatus ooze_world_step(OozeWorld *world, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    static const StageWork stages[] = {
        {OOZE_STAGE_EMIT, emit},
        {OOZE_STAGE_SOLIDS, advance_solids},
    };
    ooze_arena_reset(world->arena);
    world->sub = (OozeSubStep){.time = world->time};
    world->report = ooze_step_report_none();
    OozeStatus status = ooze_world_choose_machine(world, error);
    status = status ? status : ooze_world_hand_over(world, error);
    status = status ? status : run_stages(world, stages, 2, error);
    while (!status && world->sub.done < OOZE_SUB_UNITS) {
        status = sub_step(world, error);
    }
    if (!status) {
        world->step++;
        world->time = (double)world->step * world->def.time_step;
        note_step(world);
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
    /* Half a step of tolerance: the end falls on the nearest step. */
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

OozeStatus ooze_world_measure(OozeWorld *world, bool steps_only, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    double start = ooze_clock();
    OozeStatus status = ooze_world_bring_home(world, error);
    if (status) {
        return status;
    }
    OozeProbeContext context = {
        .frame = ooze_world_frame(world),
        .gravity = world->def.gravity,
        .periodic = world->periodic,
        .threads = world->threads,
        .report = world->step > 0 ? &world->report : NULL,
        .sub_steps = world->sub.count,
        .materials = world->materials.items,
        .material_count = world->materials.count,
        .solids = world->solids.items,
        .solid_count = world->solids.count,
        .time_step = world->def.time_step,
    };
    context.taken = ooze_world_taken(world, &context.taken_count);
    if (!context.frame) {
        status = ooze_fail_memory(error, "the frame view", 0);
    }
    for (int i = 0; i < world->probes.count && !status; i++) {
        OozeProbe *probe = &world->probes.items[i];
        if (!steps_only || probe->def.every_step) {
            status = ooze_probe_measure(probe, &context, error);
        }
    }
    world->stages[OOZE_STAGE_PROBES].seconds += ooze_clock() - start;
    return status;
}
