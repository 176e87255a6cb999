#include "world/emitter.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "world/nozzle.h"
#include "world/source_formula.h"

OozeEmitterDef ooze_emitter_def_default(void)
{
    OozeEmitterDef def;
    memset(&def, 0, sizeof def);
    def.outline = OOZE_OUTLINE_DISC;
    def.radius = 0.05;
    def.inner_radius = 0.025;
    def.points = 6;
    def.size = vec3(0.1, 0.1, 0.0);
    def.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.speed = 1.0;
    def.length = NAN;
    def.stop = INFINITY;
    def.motion = ooze_motion_def_default();
    def.temperature = NAN;
    return def;
}

static OozeStatus check_def(const OozeEmitterDef *def, const char *name, double spacing,
                            OozeError *error)
{
    if (!(spacing > 0.0) || !isfinite(spacing)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give the particle spacing in metres",
                         "emitter '%s' was given the spacing %g m", name, spacing);
    }
    if (!(def->speed >= 0.0) || !isfinite(def->speed)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "turn the direction round instead",
                         "speed of emitter '%s' is %g m/s; it must be 0 or more", name, def->speed);
    }
    if (!isfinite(def->start) || !(def->stop >= def->start)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "start must be finite and stop not before it; stop may be infinite",
                         "emitter '%s' runs from %g s to %g s", name, def->start, def->stop);
    }
    if (!isnan(def->length) && !(def->length >= 0.0 && isfinite(def->length))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "0 lets go of the fluid at once",
                         "length of emitter '%s' is %g m; it must be 0 or more", name, def->length);
    }
    if (!vec3_is_finite(def->position) || !vec3_is_finite(def->direction) || !isfinite(def->roll)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                         "position, direction or roll of emitter '%s' is not finite", name);
    }
    if (def->material.index < 0 || def->material.index > UINT16_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "add a material first and use its id",
                         "emitter '%s' has material %d", name, def->material.index);
    }
    return OOZE_OK;
}

static OozeQuat aim(const OozeEmitterDef *def, OozeAxis up)
{
    OozeVec3 direction = vec3_unit(def->direction, vec3_scale(vec3_axis(up), -1.0));
    return quat_mul(quat_from_vector(vec3_scale(direction, ooze_radians(def->roll))),
                    quat_between(vec3(0, 0, 1), direction));
}

OozePose ooze_emitter_pose(const OozeEmitter *emitter, double time)
{
    OozePose pose = ooze_motion_pose(&emitter->motion, time);
    pose.rotation = quat_unit(quat_mul(pose.rotation, emitter->aim));
    return pose;
}

OozeStatus ooze_emitter_create(OozeEmitter *emitter, const OozeEmitterDef *def, OozeAxis up,
                               double spacing, double support, OozeError *error)
{
    memset(emitter, 0, sizeof *emitter);
    const char *name = def->name ? def->name : "";
    OozeStatus status = check_def(def, name, spacing, error);
    if (status) {
        return status;
    }
    emitter->name = ooze_copy_text(name);
    if (!emitter->name) {
        return ooze_fail_memory(error, "an emitter's name", strlen(name) + 1);
    }
    emitter->material = (uint16_t)def->material.index;
    emitter->start = def->start;
    emitter->stop = def->stop;
    emitter->limit = def->limit;
    emitter->temperature = def->temperature;
    emitter->spacing = spacing;
    emitter->aim = aim(def, up);
    emitter->state.speed = def->speed;
    emitter->scale = ooze_scale_nozzle(def, NULL);
    /* A layer enters after a spacing of jet, over which its particles are spread: half a spacing
       farther in, the nozzle holds its volume in the mean. It is full at the start. A jet of k
       spacings has exactly k layers, whatever the rounding. */
    emitter->length = isnan(def->length) ? support : def->length;
    emitter->length += emitter->length > 0.0 ? 0.5 * spacing : 0.0;
    emitter->state.travelled = 1e-6 * spacing + emitter->length;
    status =
        ooze_motion_create(&emitter->motion, &def->motion, def->position, quat_identity(), error);
    if (!status) {
        OozePose frame = ooze_emitter_pose(emitter, 0.0);
        status = ooze_nozzle_pattern(def, up, spacing, &frame, &emitter->pattern, error);
    }
    if (status) {
        ooze_emitter_free(emitter);
    }
    return status;
}

void ooze_emitter_free(OozeEmitter *emitter)
{
    ooze_free(emitter->name);
    ooze_free(emitter->pattern.points);
    ooze_motion_free(&emitter->motion);
    memset(emitter, 0, sizeof *emitter);
}

/* The layers that enter the nozzle within a step. */
typedef struct Batch {
    double end;       /* when the nozzle stops within the step, or the step's end */
    double travelled; /* m of jet at that time since the last layer of earlier steps */
    uint64_t layers, particles;
} Batch;

static bool has_reached_limit(const OozeEmitter *emitter)
{
    return emitter->limit > 0 && emitter->state.emitted >= emitter->limit;
}

static OozeStatus plan(const OozeEmitter *emitter, double time, double dt, Batch *batch,
                       OozeError *error)
{
    const OozeEmitterState *state = &emitter->state;
    memset(batch, 0, sizeof *batch);
    double begin = fmax(time, emitter->start);
    batch->end = fmin(time + dt, emitter->stop);
    batch->travelled = state->travelled;
    if (!(batch->end > begin) || !(state->speed > 0.0) || has_reached_limit(emitter)) {
        return OOZE_OK;
    }
    batch->travelled += state->speed * (batch->end - begin);
    double layers = floor(batch->travelled / emitter->spacing);
    double pattern = (double)emitter->pattern.count;
    if (emitter->limit > 0) { /* as many layers as reach the limit, at most */
        layers = fmin(layers, ceil((double)(emitter->limit - state->emitted) / pattern));
    }
    if (!(layers * pattern <= (double)OOZE_PARTICLES_MAX)) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "lower its speed or the time step",
                         "emitter '%s' would emit %.3g particles in one step", emitter->name,
                         layers * pattern);
    }
    batch->layers = (uint64_t)layers;
    batch->particles = batch->layers * emitter->pattern.count;
    if (emitter->limit > 0 && batch->particles > emitter->limit - state->emitted) {
        batch->particles = emitter->limit - state->emitted;
    }
    return OOZE_OK;
}

/* Position and velocity of particle i of layer k (1 is the first to enter) at the end of the step.
   True: it is inside the nozzle, which prescribes its velocity. */
static bool place(const OozeEmitter *emitter, const Batch *batch, uint64_t k, uint64_t i,
                  double step_end, OozeFloat4 *position, OozeFloat4 *velocity)
{
    OozeVec3 point = emitter->pattern.points[i];
    double along = batch->travelled - (double)k * emitter->spacing + point.z - emitter->length;
    bool prescribed = along < 0.0;
    double left = fmax(batch->end - along / emitter->state.speed, emitter->start);
    double moment = prescribed ? step_end : left;
    double inside = prescribed ? along : 0.0;
    OozePose pose = ooze_emitter_pose(emitter, moment);
    OozeVec3 jet = quat_rotate(pose.rotation, vec3(0, 0, emitter->state.speed));
    OozeVec3 x = ooze_pose_to_world(&pose, vec3(point.x, point.y, inside));
    OozeVec3 v = vec3_add(jet, ooze_pose_velocity_at(&pose, x));
    x = vec3_madd(x, step_end - moment, v);
    *position = (OozeFloat4){(float)x.x, (float)x.y, (float)x.z, 0.0f};
    *velocity = (OozeFloat4){(float)v.x, (float)v.y, (float)v.z, 0.0f};
    return prescribed;
}

OozeStatus ooze_emitter_emit(OozeEmitter *emitter, OozeParticles *particles,
                             const OozeEmission *emission, uint64_t *emitted, OozeError *error)
{
    *emitted = 0;
    Batch batch;
    OozeStatus status = plan(emitter, emission->time, emission->dt, &batch, error);
    uint64_t first = 0;
    if (!status && batch.particles > 0) {
        status = ooze_particles_add(particles, batch.particles, &first, error);
    }
    if (status) {
        return status;
    }
    if (batch.particles > 0) {
        OozeFloat4 *x = ooze_particles_positions(particles) + first;
        OozeFloat4 *v = ooze_particles_velocities(particles) + first;
        uint16_t *material = ooze_particles_materials(particles) + first;
        int field = emission->nozzle_field;
        uint16_t *prescribed = field < 0 ? NULL : ooze_particles_data(particles, field);
        double step_end = emission->time + emission->dt;
        uint64_t done = 0;
        for (uint64_t k = 1; done < batch.particles; k++) {
            uint64_t n = batch.particles - done;
            n = n < emitter->pattern.count ? n : emitter->pattern.count;
            for (uint64_t i = 0; i < n; i++, done++) {
                bool inside = place(emitter, &batch, k, i, step_end, &x[done], &v[done]);
                if (prescribed) {
                    prescribed[first + done] = inside ? emission->mark : 0;
                }
            }
        }
        for (uint64_t i = 0; i < batch.particles; i++) {
            material[i] = emitter->material;
        }
    }
    emitter->state.travelled = batch.travelled - (double)batch.layers * emitter->spacing;
    emitter->state.layers += batch.layers;
    emitter->state.emitted += batch.particles;
    *emitted = batch.particles;
    return OOZE_OK;
}

bool ooze_emitter_fills(const OozeEmitter *emitter, double time, double dt)
{
    bool open = fmin(time + dt, emitter->stop) > fmax(time, emitter->start);
    return open && emitter->length > 0.0 && emitter->state.layers == 0 &&
           emitter->state.speed > 0.0;
}

double ooze_emitter_forecast_particles(const OozeEmitter *emitter, double time, double end)
{
    const OozeEmitterState *state = &emitter->state;
    double open = fmin(end, emitter->stop) - fmax(time, emitter->start), layers = 0.0;
    if (open > 0.0 && state->speed > 0.0) {
        layers = floor((state->travelled + state->speed * open) / emitter->spacing);
    }
    double total = (double)state->emitted + layers * (double)emitter->pattern.count;
    return emitter->limit > 0 ? fmin(total, (double)emitter->limit) : total;
}

typedef struct PrescribeJob {
    OozeNozzleFlow flow;
    uint16_t mark;
    const OozeFloat4 *positions;
    OozeFloat4 *velocities;
    uint16_t *prescribed;
} PrescribeJob;

static void prescribe_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const PrescribeJob *job = data;
    for (uint64_t i = begin; i < end; i++) {
        if (job->prescribed[i] != job->mark) {
            continue;
        }
        const OozeFloat4 *p = &job->positions[i];
        OozeVec3 v;
        if (!ooze_nozzle_velocity(&job->flow, vec3(p->x, p->y, p->z), &v)) {
            job->prescribed[i] = 0;
            continue;
        }
        job->velocities[i] = (OozeFloat4){(float)v.x, (float)v.y, (float)v.z, 0.0f};
    }
}

bool ooze_emitter_flow_at(const OozeEmitter *emitter, double time, OozeNozzleFlow *flow)
{
    flow->pose = ooze_emitter_pose(emitter, time);
    flow->jet = quat_rotate(flow->pose.rotation, vec3(0, 0, emitter->state.speed));
    flow->over = time >= emitter->stop || has_reached_limit(emitter);
    return emitter->length > 0.0;
}

void ooze_emitter_prescribe(const OozeEmitter *emitter, OozeParticles *particles,
                            OozeThreads *threads, double time, int nozzle_field, uint16_t mark)
{
    PrescribeJob job = {.mark = mark};
    if (nozzle_field < 0 || !ooze_emitter_flow_at(emitter, time, &job.flow)) {
        return;
    }
    job.positions = ooze_particles_positions(particles);
    job.velocities = ooze_particles_velocities(particles);
    job.prescribed = ooze_particles_data(particles, nozzle_field);
    ooze_parallel_for(threads, ooze_particles_count(particles), 8192, prescribe_range, &job);
}
