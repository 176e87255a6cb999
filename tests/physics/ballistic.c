/* Acceptance tests of the ballistic method: motion with closed forms, and properties of every
   method: threads, restoring, periodic boxes. */
#include "check.h"

#include "base/angle.h"
#include "ooze/ooze.h"

static const double g = 9.81;

static OozeWorld *make_spaced_world(double spacing, double time_step, int threads)
{
    OozeWorldDef def = ooze_world_def_default();
    def.time_step = time_step;
    def.threads = threads;
    def.spacing = spacing;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
}

static OozeWorld *make_world(double time_step, int threads)
{
    return make_spaced_world(0.02, time_step, threads);
}

static OozeMaterialId add_material(OozeWorld *world, double drag)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "drag", drag, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

static void add_particle(OozeWorld *world, OozeVec3 position, OozeVec3 velocity)
{
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &position, &velocity, &error));
}

static void advance(OozeWorld *world, double seconds)
{
    CHECK_OK(ooze_world_advance(world, seconds, NULL, NULL, &error));
}

static OozeVec3 read_vector(OozeWorld *world, const char *name)
{
    const OozeFieldView *field = ooze_frame_field(ooze_world_frame(world), name);
    return vec3(ooze_field_value(field, 0, 0), ooze_field_value(field, 0, 1),
                ooze_field_value(field, 0, 2));
}

static OozeSolidId add_plane(OozeWorld *world, OozeVec3 normal, double friction, double restitution)
{
    OozeSolidDef def = ooze_solid_def_default();
    OozeSolidId id = {0};
    def.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    def.shape.normal = normal;
    def.friction = friction;
    def.restitution = restitution;
    CHECK_OK(ooze_world_add_solid(world, &def, &id, &error));
    return id;
}

/* x = v t, y = h + w t - g t^2 / 2 exactly, whatever the time step. */
static void ballistic_T01_parabola(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        OozeWorld *world = make_world((double[]){1.0 / 30, 1.0 / 240, 1e-3}[k], 1);
        add_material(world, 0.0);
        add_particle(world, vec3(1, 5, -2), vec3(3, 4, 0.5));
        advance(world, 1.0);
        OozeVec3 x = read_vector(world, "position"), v = read_vector(world, "velocity");
        double miss = vec3_length(vec3_sub(x, vec3(4, 5 + 4 - 0.5 * g, -1.5)));
        /* 1,000 float additions near 5 round by up to 2.4e-7 each; the errors mostly cancel */
        MEASURED("miss after 1 s (m)", miss, 0, 5e-5);
        MEASURED("vertical speed error (m/s)", fabs(v.y - (4 - g)), 0, 5e-5);
        ooze_world_destroy(world);
    }
}

/* dv/dt = g - k v: terminal speed g/k, and the closed form on the way there. */
static void ballistic_T02_drag(void **state)
{
    (void)state;
    double k = 5.0, t = 0.3;
    OozeWorld *world = make_world(1.0 / 100, 1);
    add_material(world, k);
    add_particle(world, vec3(0, 0, 0), vec3(2, 0, 0));
    advance(world, t);
    OozeVec3 x = read_vector(world, "position");
    double decay = 1.0 - exp(-k * t);
    MEASURED("glide error (m)", fabs(x.x - 2 * decay / k), 0, 2e-6);
    MEASURED("fall error (m)", fabs(x.y + g * (t - decay / k) / k), 0, 2e-6);
    advance(world, 5.0);
    MEASURED("terminal speed over g/k", -read_vector(world, "velocity").y * k / g, 0.99999,
             1.00001);
    ooze_world_destroy(world);
}

/* Restitution e: the first rebound rises to e^2 of the drop. */
static void ballistic_T03_bounce(void **state)
{
    (void)state;
    double contact = 0.5 * 0.02; /* half a spacing: where centres stop */
    for (int k = 0; k < 3; k++) {
        double e = (double[]){0.0, 0.5, 0.9}[k], drop = 1.0;
        OozeWorld *world = make_world(1e-3, 1);
        add_material(world, 0.0);
        add_plane(world, vec3(0, 0, 0), 0.0, e);
        add_particle(world, vec3(0, drop + contact, 0), vec3(0, 0, 0));
        double fall = sqrt(2 * drop / g), highest = 0.0;
        advance(world, fall + 0.002);
        for (double t = 0; t < 1.0; t += 1e-3) {
            advance(world, 1e-3);
            highest = fmax(highest, read_vector(world, "position").y - contact);
        }
        /* a step of 1 ms at 4.4 m/s leaves the moment of contact open by 4.4 mm of fall */
        MEASURED("rebound height over e^2 drop", highest / drop, e * e - 0.01, e * e + 0.01);
        ooze_world_destroy(world);
    }
}

/* A slope of angle a: slides with g (sin a - mu cos a), or not at all when mu > tan a. */
static void ballistic_T04_slope(void **state)
{
    (void)state;
    double a = 0.5, mus[] = {0.0, 0.3, 0.7, INFINITY};
    OozeVec3 normal = vec3(sin(a), cos(a), 0), down = vec3(cos(a), -sin(a), 0);
    for (int k = 0; k < 4; k++) {
        OozeWorld *world = make_world(1.0 / 1000, 1);
        add_material(world, 0.0);
        add_plane(world, normal, mus[k], 0.0);
        add_particle(world, vec3_scale(normal, 0.01), vec3(0, 0, 0));
        advance(world, 1.0);
        double pull = mus[k] < tan(a) ? g * (sin(a) - mus[k] * cos(a)) : 0.0;
        double speed = vec3_dot(read_vector(world, "velocity"), down);
        MEASURED("speed after 1 s over g", speed / g, pull / g - 0.005, pull / g + 0.005);
        double height = vec3_dot(read_vector(world, "position"), normal);
        MEASURED("height above the slope (spacings)", height / 0.02, 0.49, 0.52);
        ooze_world_destroy(world);
    }
}

/* Under a ceiling a particle hangs while k d (1 - d/D) can exceed g, and falls when it cannot. */
static void ballistic_T05_stick(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = make_world(1.0 / 500, 1);
        add_material(world, 2.0);
        OozeSolidDef def = ooze_solid_def_default();
        def.friction = 0.5;
        def.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        def.shape.normal = vec3(0, -1, 0);
        def.stick_distance = 0.1;
        /* the greatest pull is k D / 4: make it 4 g, then g / 2 */
        def.stick_strength = (k == 0 ? 16.0 : 2.0) * g / def.stick_distance;
        CHECK_OK(ooze_world_add_solid(world, &def, NULL, &error));
        add_particle(world, vec3(0, -0.03, 0), vec3(0, 0, 0));
        advance(world, 2.0);
        double depth = -read_vector(world, "position").y;
        if (k == 0) {
            MEASURED("hangs at (m)", depth, 0.0, 0.1);
        } else {
            MEASURED("fell to (m)", depth, 0.5, 100.0);
        }
        ooze_world_destroy(world);
    }
}

/* 50 spacings a step against a plate one spacing thick. */
static void ballistic_T06_fast_against_thin(void **state)
{
    (void)state;
    OozeWorld *world = make_world(1.0 / 100, 1);
    add_material(world, 0.0);
    OozeSolidDef def = ooze_solid_def_default();
    def.friction = 0.5;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = vec3(0.02, 4, 4);
    CHECK_OK(ooze_world_add_solid(world, &def, NULL, &error));
    for (int i = 0; i < 200; i++) {
        add_particle(world, vec3(-1.0 - 0.01 * i, 1 - 0.01 * i, 0.3), vec3(100, 0, 0));
    }
    advance(world, 0.2);
    const OozeFieldView *x = ooze_frame_field(ooze_world_frame(world), "position");
    double furthest = -INFINITY;
    for (uint64_t i = 0; i < x->count; i++) {
        furthest = fmax(furthest, ooze_field_value(x, i, 0));
    }
    MEASURED("furthest particle (m), plate face at -0.01", furthest, -0.03, -0.0199);
    ooze_world_destroy(world);
}

/* A rising plate carries, a spinning turntable drags round. */
static void ballistic_T07_moving_solids(void **state)
{
    (void)state;
    OozeWorld *world = make_world(1.0 / 500, 1);
    add_material(world, 0.0);
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = ooze_shape_def_default(OOZE_SHAPE_CYLINDER);
    def.shape.radius = 1.0;
    def.shape.height = 0.2;
    def.motion.velocity = vec3(0, 0.5, 0);
    def.motion.spin = ooze_vec3_degrees(vec3(0, 2.0, 0));
    def.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &def, NULL, &error));
    add_particle(world, vec3(0.3, 0.11, 0), vec3(0, 0, 0));
    advance(world, 1.0);
    OozeVec3 x = read_vector(world, "position"), v = read_vector(world, "velocity");
    MEASURED("lifted to (m)", x.y, 0.605, 0.615);
    /* at rest on the table it shares the table's velocity: w x r */
    OozeVec3 shared = vec3_add(vec3(0, 0.5, 0), vec3_cross(vec3(0, 2, 0), vec3(x.x, 0, x.z)));
    MEASURED("speed relative to the table (m/s)", vec3_length(vec3_sub(v, shared)), 0, 0.03);
    double azimuth = atan2(-x.z, x.x);
    MEASURED("turned by (rad)", azimuth, 1.9, 2.1);
    ooze_world_destroy(world);
}

static void fill_busy_scene(OozeWorld *world)
{
    OozeMaterialId honey = add_material(world, 0.1);
    add_material(world, 3.0);
    add_plane(world, vec3(0, 1, 0.1), 0.4, 0.6);
    OozeSolidDef bowl = ooze_solid_def_default();
    bowl.friction = 0.5;
    bowl.shape = ooze_shape_def_default(OOZE_SHAPE_TORUS);
    bowl.shape.radius = 0.3;
    bowl.shape.tube_radius = 0.1;
    bowl.shape.position = vec3(0, 0.3, 0);
    bowl.motion.spin = ooze_vec3_degrees(vec3(0.3, 1, 0));
    bowl.motion.sine_amplitude = vec3(0, 0.1, 0);
    bowl.motion.sine_frequency = 2;
    CHECK_OK(ooze_world_add_solid(world, &bowl, NULL, &error));
    OozeFluidDef ball = ooze_fluid_def_default();
    ball.material = honey;
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.25;
    ball.shape.position = vec3(0, 1, 0);
    ball.fill = OOZE_FILL_JITTERED;
    ball.jitter = 0.2;
    CHECK_OK(ooze_world_add_fluid(world, &ball, NULL, &error));
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.material.index = 1;
    nozzle.outline = OOZE_OUTLINE_DISC;
    nozzle.radius = 0.1;
    nozzle.position = vec3(0.4, 1, 0);
    nozzle.speed = 1.7;
    nozzle.motion.spin = ooze_vec3_degrees(vec3(0, 2, 0));
    nozzle.motion.pivot = vec3(-0.4, 0, 0);
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    OozeSinkDef sink = ooze_sink_def_default();
    sink.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    sink.shape.size = vec3(1.04, 4, 1.04);
    sink.shape.inverted = true;
    CHECK_OK(ooze_world_add_sink(world, &sink, &error));
    OozeProbeDef probe = ooze_probe_def_default();
    probe.kind = OOZE_PROBE_DRIFT;
    probe.name = "drift";
    CHECK_OK(ooze_world_add_probe(world, &probe, NULL, &error));
}

/* The state is the same to the last bit for any number of threads. */
static void ballistic_T08_threads(void **state)
{
    (void)state;
    uint64_t expected = 0;
    int counts[] = {1, 2, 3, 7};
    for (int k = 0; k < 4; k++) {
        OozeWorld *world = make_spaced_world(0.04, 1.0 / 240, counts[k]);
        fill_busy_scene(world);
        advance(world, 1.5);
        OozeWorldStats stats;
        ooze_world_stats(world, &stats);
        uint64_t hash = ooze_frame_hash(ooze_world_frame(world));
        printf("  %d threads: %016llx, %llu particles, %llu emitted, %llu removed\n", counts[k],
               (unsigned long long)hash, (unsigned long long)stats.particles,
               (unsigned long long)stats.emitted, (unsigned long long)stats.removed);
        assert_true(stats.emitted > 100 && stats.removed > 10);
        expected = k == 0 ? hash : expected;
        assert_true(hash == expected);
        ooze_world_destroy(world);
    }
}

/* A world restored from a frame goes on exactly as the first one does. */
static void ballistic_T09_restore(void **state)
{
    (void)state;
    OozeWorld *first = make_spaced_world(0.04, 1.0 / 240, 2);
    OozeWorld *second = make_spaced_world(0.04, 1.0 / 240, 1);
    fill_busy_scene(first);
    fill_busy_scene(second);
    advance(first, 0.4);
    CHECK_OK(ooze_world_set_material(first, (OozeMaterialId){0}, "drag", 0.7, &error));
    CHECK_OK(ooze_world_set_solid(first, (OozeSolidId){1}, OOZE_SOLID_FRICTION, 0.9, &error));
    CHECK_OK(ooze_world_set_emitter_speed(first, (OozeEmitterId){0}, 2.3, &error));
    advance(first, 0.1);
    CHECK_OK(ooze_world_restore(second, ooze_world_frame(first), &error));
    assert_true(ooze_frame_hash(ooze_world_frame(first)) ==
                ooze_frame_hash(ooze_world_frame(second)));
    advance(first, 0.6);
    advance(second, 0.6);
    assert_true(ooze_frame_hash(ooze_world_frame(first)) ==
                ooze_frame_hash(ooze_world_frame(second)));
    ooze_world_destroy(first);
    ooze_world_destroy(second);
}

/* Particles cross a periodic border and come in on the other side, with their ids. */
static void ballistic_T10_periodic(void **state)
{
    (void)state;
    OozeWorldDef def = ooze_world_def_default();
    def.gravity = (OozeVec3){0};
    def.periodic[0] = true;
    def.periodic_min.x = -0.5;
    def.periodic_max.x = 0.5;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    add_material(world, 0.0);
    add_particle(world, vec3(0.1, 0, 0), vec3(0.7, 0, 0));
    advance(world, 1.0);
    MEASURED("position after 1 s (m)", read_vector(world, "position").x, -0.2001, -0.1999);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(ballistic_T01_parabola), cmocka_unit_test(ballistic_T02_drag),
                cmocka_unit_test(ballistic_T03_bounce), cmocka_unit_test(ballistic_T04_slope),
                cmocka_unit_test(ballistic_T05_stick),
                cmocka_unit_test(ballistic_T06_fast_against_thin),
                cmocka_unit_test(ballistic_T07_moving_solids),
                cmocka_unit_test(ballistic_T08_threads), cmocka_unit_test(ballistic_T09_restore),
                cmocka_unit_test(ballistic_T10_periodic))
