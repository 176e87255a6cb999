/* Adding solids, fluid, emitters, sinks and probes to a world. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/fill.h"
#include "solids/fitted_fill.h"
#include "world/world.h"

static OozeStatus check_material(const OozeWorld *world, OozeMaterialId id, OozeError *error)
{
    return ooze_world_check_id(id.index, world->materials.count, "material", error);
}

/* ---- solids ----------------------------------------------------------------------------- */

OozeStatus ooze_world_add_solid(OozeWorld *world, const OozeSolidDef *def, OozeSolidId *id,
                                OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    if (world->solids.count >= UINT16_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "join solids into one mesh",
                         "a world holds at most %d solids", UINT16_MAX);
    }
    OozeSolid *solid = OOZE_LIST_RESERVE(world->solids);
    if (!solid) {
        return ooze_fail_memory(error, "a solid", sizeof *solid);
    }
    OozeStatus status =
        ooze_solid_create(solid, def, world->def.up, world->def.spacing, world->threads, error);
    if (status) {
        return status;
    }
    status = isnan(def->temperature) ? OOZE_OK : ooze_world_enable_heat(world, error);
    status = status ? status : ooze_world_add_dynamic_solid(world, solid, error);
    if (status) {
        ooze_solid_free(solid);
        return status;
    }
    ooze_solid_advance(solid, world->time, 0.0);
    if (ooze_shape_is_shell(solid->shape) && !(def->shape.thickness > 0.0)) {
        ooze_world_log(
            world, OOZE_LOG_WARNING,
            "the mesh of solid '%s' has large gaps, so it is a shell two spacings thick; "
            "close it to make it solid, or give a thickness to say that it is meant",
            solid->name);
    }
    if (id) {
        id->index = world->solids.count;
    }
    world->solids.count++;
    world->boundary_stale = true;
    return OOZE_OK;
}

static OozeStatus find_solid(const OozeWorld *world, OozeSolidId id, OozeSolid **solid,
                             OozeError *error)
{
    OozeStatus status = ooze_world_check_id(id.index, world->solids.count, "solid", error);
    *solid = status ? NULL : &world->solids.items[id.index];
    return status;
}

OozeStatus ooze_world_set_solid(OozeWorld *world, OozeSolidId id, OozeSolidParam param,
                                double value, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OozeSolid *solid = NULL;
    OozeStatus status = find_solid(world, id, &solid, error);
    if (!status && param == OOZE_SOLID_TEMPERATURE && !isnan(value)) {
        status = ooze_world_enable_heat(world, error);
    }
    return status ? status : ooze_solid_set(solid, param, value, error);
}

OozeStatus ooze_world_get_solid(const OozeWorld *world, OozeSolidId id, OozeSolidParam param,
                                double *value, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(value, error);
    OozeSolid *solid = NULL;
    OozeStatus status = find_solid(world, id, &solid, error);
    return status ? status : ooze_solid_get(solid, param, value, error);
}

OozeStatus ooze_world_set_solid_pose(OozeWorld *world, OozeSolidId id, const OozeSolidPose *pose,
                                     OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(pose, error);
    OozeSolid *solid = NULL;
    OozeStatus status = find_solid(world, id, &solid, error);
    OozePose target = ooze_pose_from_public(pose);
    return status ? status : ooze_solid_drive(solid, &target, error);
}

/* ---- fluid ------------------------------------------------------------------------------ */

static void set_rest_positions(const OozeWorld *world, OozeParticles *particles, uint64_t first,
                               uint64_t n)
{
    if (world->rest_field >= 0) {
        OozeFloat4 *rest = ooze_particles_data(particles, world->rest_field);
        memcpy(rest + first, ooze_particles_positions(particles) + first, n * sizeof *rest);
    }
}

void ooze_world_init_particles(OozeWorld *world, OozeParticles *particles, uint64_t first,
                               uint64_t n, double temperature)
{
    set_rest_positions(world, particles, first, n);
    ooze_world_init_temperatures(world, particles, first, n, temperature);
    world->needs_wrap = world->needs_wrap || n > 0;
}

/* Whether a vector stays finite when it is stored as floats. */
static bool fits(OozeVec3 a)
{
    return isfinite((float)a.x) && isfinite((float)a.y) && isfinite((float)a.z);
}

static OozeStatus add_particles(OozeWorld *world, OozeMaterialId material, uint64_t n,
                                const OozeVec3 *positions, const OozeVec3 *velocities,
                                OozeError *error)
{
    OozeStatus status = check_material(world, material, error);
    for (uint64_t i = 0; i < n && !status; i++) {
        if (!fits(positions[i]) || (velocities && !fits(velocities[i]))) {
            status =
                ooze_fail(error, OOZE_ERROR_ARGUMENT, "check where the numbers come from",
                          "position or velocity of particle %llu of those to add is not finite, "
                          "or beyond what a float holds",
                          (unsigned long long)i);
        }
    }
    uint64_t first = 0;
    status = status ? status : ooze_world_own_on_host(world, error);
    if (!status) {
        status = ooze_particles_add(world->particles, n, &first, error);
    }
    if (status) {
        return status;
    }
    OozeFloat4 *x = ooze_particles_positions(world->particles) + first;
    OozeFloat4 *v = ooze_particles_velocities(world->particles) + first;
    uint16_t *m = ooze_particles_materials(world->particles) + first;
    for (uint64_t i = 0; i < n; i++) {
        OozeVec3 speed = velocities ? velocities[i] : vec3(0, 0, 0);
        x[i] = (OozeFloat4){(float)positions[i].x, (float)positions[i].y, (float)positions[i].z, 0};
        v[i] = (OozeFloat4){(float)speed.x, (float)speed.y, (float)speed.z, 0};
        m[i] = (uint16_t)material.index;
    }
    ooze_world_init_particles(world, world->particles, first, n, NAN);
    return OOZE_OK;
}

/* The volume of particles that are given one by one. */
static OozeScaleVolume volume_of(const OozeWorld *world, OozeMaterialId material, uint64_t n,
                                 const OozeVec3 *positions, const OozeVec3 *velocities)
{
    double half = 0.5 * world->def.spacing;
    OozeScaleVolume volume = {.material = material.index,
                              .body = OOZE_BODY_FLUID,
                              .min = {INFINITY, INFINITY, INFINITY},
                              .max = {-INFINITY, -INFINITY, -INFINITY},
                              .temperature = NAN};
    for (uint64_t i = 0; i < n; i++) {
        OozeVec3 x = positions[i];
        volume.min = vec3(fmin(volume.min.x, x.x - half), fmin(volume.min.y, x.y - half),
                          fmin(volume.min.z, x.z - half));
        volume.max = vec3(fmax(volume.max.x, x.x + half), fmax(volume.max.y, x.y + half),
                          fmax(volume.max.z, x.z + half));
        volume.velocity = fmax(volume.velocity, velocities ? vec3_length(velocities[i]) : 0.0);
    }
    OozeVec3 side = vec3_sub(volume.max, volume.min);
    volume.shortest = fmin(side.x, fmin(side.y, side.z));
    volume.longest = fmax(side.x, fmax(side.y, side.z));
    volume.fastest = volume.velocity;
    return volume;
}

OozeStatus ooze_world_add_particles(OozeWorld *world, OozeMaterialId material, uint64_t n,
                                    const OozeVec3 *positions, const OozeVec3 *velocities,
                                    OozeError *error)
{
    OOZE_REQUIRE(world, error);
    if (n > 0) {
        OOZE_REQUIRE(positions, error);
    }
    OozeScaleVolume *volume = OOZE_LIST_RESERVE(world->volumes);
    if (!volume) {
        return ooze_fail_memory(error, "a volume", sizeof *volume);
    }
    OozeStatus status = add_particles(world, material, n, positions, velocities, error);
    if (!status && n > 0) {
        *volume = volume_of(world, material, n, positions, velocities);
        world->volumes.count++;
    }
    return status;
}

typedef struct AddJob {
    const OozeVec3 *added;
    OozeFloat4 *velocities;
} AddJob;

static void add_velocity_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const AddJob *job = context;
    for (uint64_t i = begin; i < end; i++) {
        OozeFloat4 *v = &job->velocities[i];
        v->x = (float)((double)v->x + job->added[i].x);
        v->y = (float)((double)v->y + job->added[i].y);
        v->z = (float)((double)v->z + job->added[i].z);
    }
}

OozeStatus ooze_world_add_velocities(OozeWorld *world, uint64_t n, const OozeVec3 *velocities,
                                     OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(velocities, error);
    OozeStatus status = ooze_world_own_on_host(world, error);
    uint64_t count = ooze_particles_count(world->particles);
    if (!status && n != count) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "emitters and sinks change the number of particles: ask for it again "
                         "after each step",
                         "%llu velocities for %llu particles", (unsigned long long)n,
                         (unsigned long long)count);
    }
    for (uint64_t i = 0; i < n && !status; i++) {
        if (!fits(velocities[i])) {
            status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "check where the numbers come from",
                               "the velocity to add to particle %llu is not finite, or beyond what "
                               "a float holds",
                               (unsigned long long)i);
        }
    }
    if (!status) {
        AddJob job = {velocities, ooze_particles_velocities(world->particles)};
        ooze_parallel_for(world->threads, n, 0, add_velocity_range, &job);
    }
    return status;
}

/* Warns where a lattice leaves much of a shape with curved surfaces empty, as it does where the
   shape is few particles wide. */
static void warn_if_underfilled(const OozeWorld *world, const OozeFluidDef *def,
                                const OozeShape *shape, uint64_t n)
{
    const double warn_below = 0.9;
    double s = world->def.spacing;
    if (def->fill == OOZE_FILL_FITTED || n == 0) {
        return;
    }
    /* coarse: an error of one per cent does not matter here */
    double volume = ooze_shape_volume(shape, 0.0, 8.0 * s, world->threads);
    double filled = (double)n * s * s * s / volume;
    if (filled < warn_below) {
        ooze_world_log(
            world, OOZE_LOG_WARNING,
            "the particles of fluid '%s' make up %.0f %% of the volume of its shape; fill "
            "it 'fitted', or with a smaller spacing, to have all of it",
            def->name ? def->name : "", 100.0 * filled);
    }
}

static OozeStatus add_filled(OozeWorld *world, const OozeFluidDef *def, const OozeVec3 *positions,
                             uint64_t n, OozeError *error)
{
    OozeVec3 *velocities = ooze_alloc(n, sizeof *velocities);
    if (!velocities) {
        return ooze_fail_memory(error, "fluid velocities", n * sizeof *velocities);
    }
    OozeVec3 spin = ooze_vec3_radians(def->spin);
    for (uint64_t i = 0; i < n; i++) {
        OozeVec3 arm = vec3_sub(positions[i], def->shape.position);
        velocities[i] = vec3_add(def->velocity, vec3_cross(spin, arm));
    }
    uint64_t first = ooze_world_particle_count(world);
    OozeStatus status = ooze_world_prepare_body(world, def, n, positions, error);
    if (!status) {
        status = add_particles(world, def->material, n, positions, velocities, error);
    }
    if (!status) {
        ooze_world_init_temperatures(world, world->particles, first, n, def->temperature);
        ooze_world_add_body(world, def->body, first, n);
    }
    ooze_free(velocities);
    return status;
}

/* Logs a fitted fill that takes more than a second: relaxing a particle takes some ten microseconds
   of one core. */
static void announce_fill(const OozeWorld *world, const OozeFluidDef *def,
                          const OozeFillRequest *request)
{
    const double core_seconds = 1e-5;
    double count;
    if (!world->def.log || def->fill != OOZE_FILL_FITTED ||
        ooze_fill_count(request, &count, NULL) ||
        count * core_seconds < ooze_threads_count(world->threads)) {
        return;
    }
    ooze_world_log(world, OOZE_LOG_INFO, "filling fluid '%s' with about %.3g million particles",
                   def->name ? def->name : "", 1e-6 * count);
}

OozeStatus ooze_world_add_fluid(OozeWorld *world, const OozeFluidDef *def, uint64_t *added,
                                OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    OozeStatus status = check_material(world, def->material, error);
    OozeScaleVolume *volume = status ? NULL : OOZE_LIST_RESERVE(world->volumes);
    if (!status && !volume) {
        status = ooze_fail_memory(error, "a volume", sizeof *volume);
    }
    if (!status && (!vec3_is_finite(def->velocity) || !vec3_is_finite(def->spin))) {
        status =
            ooze_fail(error, OOZE_ERROR_ARGUMENT, "give finite numbers",
                      "velocity or spin of fluid '%s' is not finite", def->name ? def->name : "");
    }
    status =
        status ? status : ooze_world_check_temperature(def->temperature, "fluid", def->name, error);
    if (!status && !isnan(def->temperature)) {
        status = ooze_world_enable_heat(world, error);
    }
    OozeShape *shape = NULL;
    if (!status) {
        status = ooze_shape_create_with(&def->shape, world->def.up, world->def.spacing,
                                        world->threads, &shape, error);
    }
    if (status) {
        return status;
    }
    OozeFillRequest request = {
        .shape = shape,
        .pose = {.position = def->shape.position, .rotation = quat_unit(def->shape.rotation)},
        .fill = def->fill,
        .spacing = world->def.spacing,
        .jitter = def->jitter,
        .seed = world->def.seed,
        .limit = OOZE_PARTICLES_MAX - ooze_world_particle_count(world),
        .threads = world->threads,
    };
    uint64_t n = 0;
    OozeVec3 *positions = NULL;
    announce_fill(world, def, &request);
    status = ooze_fill(&request, &n, &positions, error);
    if (!status) {
        status = add_filled(world, def, positions, n, error);
    }
    if (!status) {
        *volume = ooze_scale_volume(def, shape, world->def.spacing);
        world->volumes.count++;
    }
    if (!status && world->def.log) {
        warn_if_underfilled(world, def, shape, n);
    }
    ooze_free(positions);
    ooze_shape_destroy(shape);
    if (!status && added) {
        *added = n;
    }
    return status;
}

/* ---- emitters, sinks, probes ------------------------------------------------------------ */

/* A nozzle with a length needs a field that marks the particles inside it. */
static OozeStatus add_nozzle_field(OozeWorld *world, const OozeEmitter *emitter, OozeError *error)
{
    static const OozeFieldInfo prescribed = {
        "nozzle", OOZE_FIELD_UINT16,
        1,        1,
        "",       0.0,
        true,     "0: free; k: inside the nozzle of emitter k - 1, which prescribes its velocity"};
    if (world->nozzle_field >= 0 || !(emitter->length > 0.0)) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_world_own_on_host(world, error);
    return status ? status
                  : ooze_particles_add_field(world->particles, &prescribed, &world->nozzle_field,
                                             error);
}

OozeStatus ooze_world_add_emitter(OozeWorld *world, const OozeEmitterDef *def, OozeEmitterId *id,
                                  OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    OozeStatus status = check_material(world, def->material, error);
    status = status ? status
                    : ooze_world_check_temperature(def->temperature, "emitter", def->name, error);
    if (!status && world->emitters.count >= UINT16_MAX - 1) {
        status = ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer emitters",
                           "a world holds at most %d emitters", UINT16_MAX - 1);
    }
    if (status) {
        return status;
    }
    OozeEmitter *emitter = OOZE_LIST_RESERVE(world->emitters);
    if (!emitter) {
        return ooze_fail_memory(error, "an emitter", sizeof *emitter);
    }
    status =
        ooze_emitter_create(emitter, def, world->def.up, world->def.spacing, world->support, error);
    if (status) {
        return status;
    }
    status = add_nozzle_field(world, emitter, error);
    if (!status && !isnan(emitter->temperature)) {
        status = ooze_world_enable_heat(world, error);
    }
    if (status) {
        ooze_emitter_free(emitter);
        return status;
    }
    if (id) {
        id->index = world->emitters.count;
    }
    world->emitters.count++;
    return OOZE_OK;
}

OozeStatus ooze_world_set_emitter_speed(OozeWorld *world, OozeEmitterId id, double speed,
                                        OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OozeStatus status = ooze_world_check_id(id.index, world->emitters.count, "emitter", error);
    if (status) {
        return status;
    }
    if (!(speed >= 0.0 && isfinite(speed))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "turn the direction round instead",
                         "speed of emitter '%s' is %g; it must be 0 or more",
                         world->emitters.items[id.index].name, speed);
    }
    world->emitters.items[id.index].state.speed = speed;
    return OOZE_OK;
}

OozeStatus ooze_world_add_sink(OozeWorld *world, const OozeSinkDef *def, OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    OozeSink *sink = OOZE_LIST_RESERVE(world->sinks);
    if (!sink) {
        return ooze_fail_memory(error, "a sink", sizeof *sink);
    }
    OozeStatus status = ooze_sink_create(sink, def, world->def.up, world->def.spacing, error);
    if (!status) {
        world->sinks.count++;
    }
    return status;
}

OozeStatus ooze_world_add_rest_positions(OozeWorld *world, OozeError *error)
{
    static const OozeFieldInfo rest = {"rest_position",
                                       OOZE_FIELD_FLOAT32,
                                       3,
                                       4,
                                       "m",
                                       0.0,
                                       true,
                                       "position at which it was added"};
    if (world->rest_field >= 0) {
        return OOZE_OK;
    }
    int field = -1;
    OozeStatus status = ooze_world_own_on_host(world, error);
    status = status ? status : ooze_particles_add_field(world->particles, &rest, &field, error);
    if (!status) {
        world->rest_field = field;
        set_rest_positions(world, world->particles, 0, ooze_particles_count(world->particles));
    }
    return status;
}

/* Adds the particle field that a probe needs; NULL: none. */
static OozeStatus add_probe_field(OozeWorld *world, const char *name, OozeError *error)
{
    if (name && strcmp(name, "temperature") == 0) {
        return ooze_world_enable_heat(world, error);
    }
    if (name && strcmp(name, "rest_position") != 0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "a probe needs the unknown field '%s'",
                         name);
    }
    return name ? ooze_world_add_rest_positions(world, error) : OOZE_OK;
}

/* Along a periodic axis a thread has no ends. */
static OozeStatus check_thread_axis(const OozeWorld *world, const OozeProbeDef *def,
                                    OozeError *error)
{
    OozeVec3 axis = vec3_unit(def->axis, vec3_axis(world->def.up));
    for (int k = 0; k < 3 && def->kind == OOZE_PROBE_THREAD; k++) {
        if (world->def.periodic[k] && fabs(vec3_component(axis, k)) > 1e-6) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                             "choose an axis normal to the periodic one",
                             "the axis of thread probe '%s' runs along the periodic %c axis",
                             def->name ? def->name : "", "xyz"[k]);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_world_add_probe(OozeWorld *world, const OozeProbeDef *def, OozeProbeId *id,
                                OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(def, error);
    if (def->material.index != -1) {
        OozeStatus status = check_material(world, def->material, error);
        if (status) {
            return status;
        }
    }
    OozeStatus status = check_thread_axis(world, def, error);
    if (status) {
        return status;
    }
    OozeProbe *probe = OOZE_LIST_RESERVE(world->probes);
    if (!probe) {
        return ooze_fail_memory(error, "a probe", sizeof *probe);
    }
    status = ooze_probe_create(probe, def, world->def.up, error);
    if (status) {
        return status;
    }
    status = add_probe_field(world, ooze_probe_kinds[def->kind].needs_field, error);
    if (status) {
        ooze_probe_free(probe);
        return status;
    }
    if (id) {
        id->index = world->probes.count;
    }
    world->probes.count++;
    return OOZE_OK;
}

int ooze_world_probe_count(const OozeWorld *world)
{
    return world ? world->probes.count : 0;
}

OozeStatus ooze_world_probe(const OozeWorld *world, OozeProbeId id, OozeProbeReading *reading,
                            OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(reading, error);
    OozeStatus status = ooze_world_check_id(id.index, world->probes.count, "probe", error);
    if (status) {
        return status;
    }
    const OozeProbe *probe = &world->probes.items[id.index];
    *reading = (OozeProbeReading){
        .name = probe->def.name,
        .every_step = probe->def.every_step,
        .column_count = probe->column_count,
        .columns = (const char *const *)probe->columns,
        .units = probe->units,
        .values = probe->values,
    };
    return OOZE_OK;
}
