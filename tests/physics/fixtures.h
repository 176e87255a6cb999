/* Fixtures of the acceptance tests: materials, lattices, planes, nozzles and probes; momenta and
   extent of a world, and a check for NaN. */
#ifndef OOZE_TESTS_PHYSICS_FIXTURES_H
#define OOZE_TESTS_PHYSICS_FIXTURES_H

#include "check.h"

#include "base/angle.h"
#include "base/hash.h"
#include "ooze/ooze.h"
#include "physics/reference.h"
#include "world/world.h"

/* ---- worlds and materials -------------------------------------------------------------------- */

/* What the methods conformation and constraint solve: OozeFormulationKind. */
typedef enum Formulation { LODGE, CONSISTENT, PAPER } Formulation;

static inline const char *method_of(Formulation formulation)
{
    return formulation == LODGE ? "conformation" : "constraint";
}

typedef struct Setup {
    const char *method; /* NULL: conformation */
    double spacing, time_step;
    OozeVec3 gravity;
    OozeVec3 box;      /* periodic from 0; 0 along an axis: open */
    int threads;       /* 0: one, as a test runs on each core */
    OozeDevice device; /* zero: as OOZE_DEVICE says */
} Setup;

static inline OozeWorld *make_world(Setup s)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = s.method ? s.method : "conformation";
    def.spacing = s.spacing;
    def.time_step = s.time_step;
    def.max_travel = 0; /* steps as they are asked for */
    def.gravity = s.gravity;
    def.device = s.device;
    def.threads = s.threads ? s.threads : 1;
    def.periodic_max = s.box;
    def.periodic[0] = s.box.x > 0;
    def.periodic[1] = s.box.y > 0;
    def.periodic[2] = s.box.z > 0;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
}

/* For what is a property of the processor's steps: its allocations, calls of the method. */
static inline void use_processor(OozeWorld *world)
{
    world->device = OOZE_DEVICE_CPU;
}

/* The world of scenes/FOLDER/NAME.yaml with overrides, on one thread. */
static inline OozeWorld *begin_scene(const char *folder, const char *name,
                                     const char *const *overrides, int count)
{
    char path[1024];
    snprintf(path, sizeof path, OOZE_SOURCE_DIR "/scenes/%s/%s.yaml", folder, name);
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    OozeBuildOptions options = {.threads = 1};
    CHECK_OK(ooze_scene_load(path, overrides, count, &scene, &error));
    CHECK_OK(ooze_scene_build(scene, &options, &world, &error));
    ooze_scene_free(scene);
    return world;
}

static inline OozeVec3 down(void)
{
    return vec3(0, -9.81, 0);
}

static inline void set_param(OozeWorld *world, const char *key, double value)
{
    CHECK_OK(ooze_world_set_param(world, key, value, &error));
}

/* Of a world whose method is method_of(formulation). */
static inline void set_formulation(OozeWorld *world, Formulation formulation)
{
    if (formulation != LODGE) {
        set_param(world, "formulation", formulation - CONSISTENT);
    }
}

/* Numbers of a material in SI units; NAN: not given. */
typedef struct Matter {
    double density, viscosity, modulus, relaxation, compliance, solvent;
} Matter;

static inline Matter maxwell_matter(double modulus, double relaxation)
{
    return (Matter){1000, NAN, modulus, relaxation, NAN, NAN};
}

static inline Matter newtonian_matter(double viscosity)
{
    return (Matter){1000, viscosity, NAN, NAN, NAN, NAN};
}

/* The two numbers of the paper. */
static inline Matter paper_matter(double relaxation, double compliance)
{
    return (Matter){1000, NAN, NAN, relaxation, compliance, NAN};
}

static inline OozeMaterialId add_matter(OozeWorld *world, Matter m)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "density", m.density, &error));
    CHECK_OK(ooze_material_def_set(&def, "viscosity", m.viscosity, &error));
    CHECK_OK(ooze_material_def_set(&def, "modulus", m.modulus, &error));
    CHECK_OK(ooze_material_def_set(&def, "relaxation_time", m.relaxation, &error));
    CHECK_OK(ooze_material_def_set(&def, "compliance", m.compliance, &error));
    CHECK_OK(ooze_material_def_set(&def, "solvent_viscosity", m.solvent, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

/* ---- particles ------------------------------------------------------------------------------- */

typedef OozeVec3 (*VelocityField)(OozeVec3 position, uint64_t particle, const void *user);

/* nx by ny by nz particles from `corner` on, half a spacing inside. */
typedef struct Lattice {
    OozeMaterialId material;
    int n[3];
    double spacing;
    double jitter; /* each coordinate moves within +- half of this, in spacings */
    OozeVec3 corner;
    VelocityField velocity; /* NULL: at rest */
    const void *user;
} Lattice;

static inline uint64_t add_lattice(OozeWorld *world, Lattice l)
{
    uint64_t count = (uint64_t)l.n[0] * (uint64_t)l.n[1] * (uint64_t)l.n[2], at = 0;
    OozeVec3 *x = calloc(count, sizeof *x), *v = calloc(count, sizeof *v);
    assert_true(x && v);
    for (int k = 0; k < l.n[2]; k++) {
        for (int j = 0; j < l.n[1]; j++) {
            for (int i = 0; i < l.n[0]; i++) {
                OozeVec3 shake = vec3(ooze_random01(1, at, 0) - 0.5, ooze_random01(1, at, 1) - 0.5,
                                      ooze_random01(1, at, 2) - 0.5);
                OozeVec3 place = vec3_madd(vec3(i + 0.5, j + 0.5, k + 0.5), l.jitter, shake);
                x[at] = vec3_madd(l.corner, l.spacing, place);
                v[at] = l.velocity ? l.velocity(x[at], at, l.user) : vec3(0, 0, 0);
                at++;
            }
        }
    }
    CHECK_OK(ooze_world_add_particles(world, l.material, count, x, v, &error));
    free(x);
    free(v);
    return count;
}

/* A block about the origin. */
static inline OozeVec3 centred(const int n[3], double spacing)
{
    return vec3_scale(vec3(n[0], n[1], n[2]), -0.5 * spacing);
}

/* `user` is the spin, rad/s, about the origin. */
static inline OozeVec3 turning(OozeVec3 x, uint64_t particle, const void *user)
{
    (void)particle;
    return vec3_cross(*(const OozeVec3 *)user, x);
}

/* `user` is the speed along each axis, at most. */
static inline OozeVec3 noise(OozeVec3 x, uint64_t i, const void *user)
{
    (void)x;
    double speed = *(const double *)user;
    return vec3_scale(vec3(ooze_random01(3, i, 0) - 0.5, ooze_random01(3, i, 1) - 0.5,
                           ooze_random01(3, i, 2) - 0.5),
                      2 * speed);
}

/* ---- solids and nozzles ---------------------------------------------------------------------- */

static inline OozeSolidId add_plane(OozeWorld *world, double height, double normal, double friction)
{
    OozeSolidDef plane = ooze_solid_def_default();
    OozeSolidId id = {0};
    plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    plane.shape.position = vec3(0, height, 0);
    plane.shape.normal = vec3(0, normal, 0);
    plane.friction = friction;
    CHECK_OK(ooze_world_add_solid(world, &plane, &id, &error));
    return id;
}

static inline OozeSolidId add_floor(OozeWorld *world, double friction)
{
    return add_plane(world, 0, 1, friction);
}

/* A jet straight down from a height. */
static inline OozeEmitterDef jet(double height, double speed)
{
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.position = vec3(0, height, 0);
    nozzle.speed = speed;
    return nozzle;
}

/* ---- probes ---------------------------------------------------------------------------------- */

static inline OozeProbeId add_probe(OozeWorld *world, OozeProbeKind kind)
{
    OozeProbeDef def = ooze_probe_def_default();
    OozeProbeId id = {0};
    def.kind = kind;
    def.name = "probe";
    CHECK_OK(ooze_world_add_probe(world, &def, &id, &error));
    return id;
}

/* One column of a probe as of now. */
static inline double read_probe(OozeWorld *world, OozeProbeId id, int column)
{
    OozeProbeReading reading;
    CHECK_OK(ooze_world_measure(world, false, &error));
    CHECK_OK(ooze_world_probe(world, id, &reading, &error));
    assert_true(column < reading.column_count);
    return reading.values[column];
}

/* ---- readings -------------------------------------------------------------------------------- */

static inline OozeVec3 read_vector(const OozeFieldView *field, uint64_t i)
{
    return vec3(ooze_field_value(field, i, 0), ooze_field_value(field, i, 1),
                ooze_field_value(field, i, 2));
}

/* Momenta and extent; masses are rest densities, a particle of density 1 counting as 1. */
typedef struct Census {
    uint64_t count;
    double mass, energy;
    double speed_sum; /* sum of mass |v|: what momentum is compared with */
    double fastest;
    OozeVec3 momentum, centre;
    OozeVec3 spin;      /* angular momentum about the centre of mass */
    OozeVec3 low, high; /* corners of what the particles fill */
} Census;

/* Fails where anything is NaN or infinite. */
static inline Census take_census(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    const OozeFieldView *q = ooze_frame_field(frame, "conformation");
    const OozeFieldView *material = ooze_frame_field(frame, "material");
    Census c = {.count = frame->particle_count,
                .low = vec3(INFINITY, INFINITY, INFINITY),
                .high = vec3(-INFINITY, -INFINITY, -INFINITY)};
    OozeVec3 spin = vec3(0, 0, 0);
    for (uint64_t i = 0; i < c.count; i++) {
        OozeVec3 p = read_vector(x, i), u = read_vector(v, i);
        double mass = frame->materials[(int)ooze_field_value(material, i, 0)].density;
        double speed = vec3_length(u), sum = vec3_length(p) + speed;
        for (int k = 0; q && k < 6; k++) {
            sum += ooze_field_value(q, i, k);
        }
        if (!isfinite(sum)) {
            fail_msg("particle %llu is not finite at %g s", (unsigned long long)i, frame->time);
        }
        c.mass += mass;
        c.energy += 0.5 * mass * speed * speed;
        c.speed_sum += mass * speed;
        c.fastest = fmax(c.fastest, speed);
        c.momentum = vec3_madd(c.momentum, mass, u);
        c.centre = vec3_madd(c.centre, mass, p);
        spin = vec3_madd(spin, mass, vec3_cross(p, u));
        c.low = vec3(fmin(c.low.x, p.x), fmin(c.low.y, p.y), fmin(c.low.z, p.z));
        c.high = vec3(fmax(c.high.x, p.x), fmax(c.high.y, p.y), fmax(c.high.z, p.z));
    }
    if (c.count) {
        c.centre = vec3_scale(c.centre, 1 / c.mass);
        c.spin = vec3_sub(spin, vec3_cross(c.centre, c.momentum));
    }
    return c;
}

/* What no run without outside forces may change: the number of particles, and linear momentum. The
   bound is rounding: half the last bit of float for all particles alike, twice a step, as
   velocities are written by the solve and again by the corrections of positions. */
static inline void check_kept(Census before, Census after, int steps)
{
    assert_int_equal(after.count, before.count);
    double scale = fmax(before.speed_sum, after.speed_sum);
    double change = vec3_length(vec3_sub(after.momentum, before.momentum));
    MEASURED("change of momentum over sum |m v|", scale > 0 ? change / scale : 0, 0,
             6e-8 * (10 + 2 * steps));
}

static inline void advance(OozeWorld *world, double seconds)
{
    CHECK_OK(ooze_world_advance(world, seconds, NULL, NULL, &error));
}

static inline void step_world(OozeWorld *world)
{
    CHECK_OK(ooze_world_step(world, &error));
}

/* Writes a particle field of floats: the world goes on from a copy of its own frame with other
   numbers. `set` gets the position and fills the components. */
typedef void (*FieldSetter)(OozeVec3 position, const void *user, float *value);

static inline void set_field(OozeWorld *world, const char *name, FieldSetter set, const void *user)
{
    OozeFrame frame = *ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(&frame, "position");
    OozeFieldView *fields = calloc((size_t)frame.field_count, sizeof *fields);
    assert_non_null(fields);
    memcpy(fields, frame.fields, (size_t)frame.field_count * sizeof *fields);
    bool found = false;
    for (int f = 0; f < frame.field_count; f++) {
        size_t stride = (size_t)fields[f].stride;
        size_t bytes = (size_t)frame.particle_count * stride * ooze_field_type_size(fields[f].type);
        void *data = malloc(bytes);
        assert_non_null(data);
        memcpy(data, fields[f].data, bytes);
        if (strcmp(fields[f].name, name) == 0) {
            assert_int_equal(fields[f].type, OOZE_FIELD_FLOAT32);
            for (uint64_t i = 0; i < frame.particle_count; i++) {
                set(read_vector(x, i), user, (float *)data + i * stride);
            }
            found = true;
        }
        fields[f].data = data;
    }
    assert_true(found);
    frame.fields = fields;
    CHECK_OK(ooze_world_restore(world, &frame, &error));
    for (int f = 0; f < frame.field_count; f++) {
        free((void *)fields[f].data);
    }
    free(fields);
}

static inline void step_many(OozeWorld *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        step_world(world);
    }
}

/* Two blocks side by side of particles that fly about: after so many steps they are as many, with
   the same momentum. */
static inline void keep_momentum(OozeWorld *world, OozeMaterialId light, OozeMaterialId heavy,
                                 double spacing, int steps)
{
    const double speed = 0.5;
    add_lattice(world, (Lattice){.material = light,
                                 .n = {5, 9, 9},
                                 .spacing = spacing,
                                 .velocity = noise,
                                 .user = &speed});
    add_lattice(world, (Lattice){.material = heavy,
                                 .n = {5, 9, 9},
                                 .spacing = spacing,
                                 .corner = vec3(5 * spacing, 0, 0),
                                 .velocity = noise,
                                 .user = &speed});
    Census before = take_census(world);
    step_many(world, steps);
    check_kept(before, take_census(world), steps);
}

static inline int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double percentile(double *values, uint64_t n, double share)
{
    assert_true(n > 0);
    qsort(values, n, sizeof *values, compare_numbers);
    return values[(uint64_t)(share * (double)(n - 1))];
}

/* 99th percentile of height above y = 0. */
static inline double height99(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double *y = calloc(frame->particle_count, sizeof *y);
    assert_non_null(y);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        y[i] = ooze_field_value(x, i, 1);
    }
    double high = percentile(y, frame->particle_count, 0.99);
    free(y);
    return high;
}

/* A wall without friction. */
static inline void add_side(OozeWorld *world, OozeVec3 at, OozeVec3 normal)
{
    OozeSolidDef plane = ooze_solid_def_default();
    plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    plane.shape.position = at;
    plane.shape.normal = normal;
    plane.friction = 0;
    CHECK_OK(ooze_world_add_solid(world, &plane, NULL, &error));
}

#endif
