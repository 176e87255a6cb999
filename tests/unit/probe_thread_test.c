/* The thread probe: lengths, radii, break and retraction of particles placed by formula, ends at
   solids, and a restored state. */
#include "ooze/ooze.h"
#include "probe_frame.h"

static const double dx = 0.1;

/* Columns of the probe. */
enum {
    CONNECTED,
    GAP,
    LOWER_LENGTH,
    UPPER_LENGTH,
    RADIUS,
    RADIUS_HEIGHT,
    RADIUS_MIDDLE,
    BREAK_TIME,
    LOWER_RETRACTION,
    UPPER_RETRACTION,
    COLUMNS
};

/* A body of revolution about y: lattice points with heights from `low` to `high` (multiples of dx)
   and distances of less than radius(height) from the axis. */
typedef double (*Radius)(double height);

static void add_body(Hand *hand, double low, double high, Radius radius, OozeVec3 velocity)
{
    int first = (int)lrint(low / dx), last = (int)lrint(high / dx), reach = 12;
    for (int j = first; j < last; j++) {
        double y = (j + 0.5) * dx, r = radius(y);
        for (int i = -reach; i <= reach; i++) {
            for (int k = -reach; k <= reach; k++) {
                OozeVec3 x = vec3(i * dx, y, k * dx);
                if (x.x * x.x + x.z * x.z < r * r) {
                    hand_add(hand, x, velocity, 0);
                }
            }
        }
    }
}

static double straight(double height)
{
    (void)height;
    return 0.82;
}

static double narrow(double height)
{
    (void)height;
    return 0.15; /* nine particles in a layer */
}

/* Thinnest at a height of 2.35 m. */
static double neck(double height)
{
    return 0.32 + 0.3 * (height - 2.35) * (height - 2.35);
}

/* Radius of the lattice points of one layer, each of cross section dx2. */
static double layer_radius(double radius)
{
    double count = 0.0;
    for (int i = -12; i <= 12; i++) {
        for (int k = -12; k <= 12; k++) {
            count += (i * i + k * k) * dx * dx < radius * radius;
        }
    }
    return sqrt(count * dx * dx / acos(-1.0));
}

static OozeProbeDef thread_def(double from, double to)
{
    OozeProbeDef def = probe_def(OOZE_PROBE_THREAD);
    def.from = from;
    def.to = to;
    return def;
}

/* Positions are floats: heights of 4 m are exact to 2.4e-7 m. */
static void cylinder_has_its_radius(void **state)
{
    (void)state;
    for (int shift = 0; shift < 4; shift++) { /* layers at any height fill the slices evenly */
        Hand *hand = hand_start(dx, 2.0);
        double up = 0.037 * shift;
        add_body(hand, 0, 4, straight, vec3(0, 0, 0));
        for (uint64_t i = 0; i < hand->frame.particle_count; i++) {
            hand->position[i][1] += (float)up;
        }
        OozeProbeDef def = thread_def(up, 4 + up);
        double v[COLUMNS];
        measure_once(hand, &def, v);
        CHECK_NEAR(v[CONNECTED], 1, 0);
        CHECK_NEAR(v[GAP], 4, 1e-12);
        CHECK_NEAR(v[LOWER_LENGTH], 4, 1e-6);
        CHECK_NEAR(v[UPPER_LENGTH], 4, 1e-6);
        CHECK_NEAR(v[RADIUS], layer_radius(0.82), 1e-5);
        CHECK_NEAR(v[RADIUS], 0.82, 0.02); /* a lattice of 8 spacings' radius */
        CHECK_NEAR(v[RADIUS_MIDDLE], layer_radius(0.82), 1e-5);
        assert_true(isnan(v[BREAK_TIME]) && isnan(v[LOWER_RETRACTION]) &&
                    isnan(v[UPPER_RETRACTION]));
        def.from = def.to = NAN; /* the extent of the fluid */
        measure_once(hand, &def, v);
        CHECK_NEAR(v[GAP], 4, 1e-6);
        CHECK_NEAR(v[RADIUS], layer_radius(0.82), 1e-5);
        def.point = vec3(0.3, 1, 0); /* heights count from the point */
        def.from = up - 1;
        def.to = up + 2;
        measure_once(hand, &def, v);
        CHECK_NEAR(v[GAP], 3, 1e-12);
        CHECK_NEAR(v[LOWER_LENGTH], 3, 1e-6);
        hand_end(hand);
    }
}

static void neck_is_found_at_its_height(void **state)
{
    (void)state;
    Hand *hand = hand_start(dx, 2.0);
    add_body(hand, 0, 4, neck, vec3(0, 0, 0));
    OozeProbeDef def = thread_def(0, 4);
    double v[COLUMNS];
    measure_once(hand, &def, v);
    CHECK_NEAR(v[RADIUS], layer_radius(neck(2.35)), 1e-5);
    assert_true(fabs(v[RADIUS_HEIGHT] - 2.35) < 0.3); /* layers nearby have as many particles */
    assert_true(v[RADIUS_MIDDLE] > v[RADIUS] && v[RADIUS_MIDDLE] < layer_radius(neck(1.3)));
    def.slice = 5; /* thicker slices average */
    double coarse[COLUMNS];
    measure_once(hand, &def, coarse);
    assert_true(coarse[RADIUS] >= v[RADIUS] && coarse[RADIUS] < 1.2 * v[RADIUS]);
    def.slice = 1;
    def.margin = 18; /* slices from 1.8 m to 2.2 m only */
    measure_once(hand, &def, coarse);
    assert_true(coarse[RADIUS_HEIGHT] > 1.8 && coarse[RADIUS_HEIGHT] < 2.2);
    def.margin = 20; /* nothing is left between the margins */
    measure_once(hand, &def, coarse);
    assert_true(isnan(coarse[RADIUS]) && isnan(coarse[RADIUS_HEIGHT]));
    CHECK_NEAR(coarse[RADIUS_MIDDLE], v[RADIUS_MIDDLE], 0);
    hand_end(hand);
}

/* The tips move towards their ends at 0.5 and 0.7 m/s; a drop between them belongs to neither. */
static void two_halves_have_lengths_and_tips(void **state)
{
    (void)state;
    Hand *hand = hand_start(dx, 2.0);
    add_body(hand, 0, 1.2, narrow, vec3(0, 0, 0));
    add_body(hand, 1.2, 1.5, narrow, vec3(3, -0.5, 0));
    add_body(hand, 1.9, 2.2, narrow, vec3(0, -9, 0));
    add_body(hand, 2.5, 2.8, narrow, vec3(0, 0.7, 4));
    add_body(hand, 2.8, 4, narrow, vec3(0, 0, 0));
    OozeProbeDef def = thread_def(0, 4);
    double v[COLUMNS];
    measure_once(hand, &def, v);
    CHECK_NEAR(v[CONNECTED], 0, 0);
    CHECK_NEAR(v[LOWER_LENGTH], 1.5, 1e-6);
    CHECK_NEAR(v[UPPER_LENGTH], 1.5, 1e-6);
    CHECK_NEAR(v[LOWER_RETRACTION], 0.5, 1e-6);
    CHECK_NEAR(v[UPPER_RETRACTION], 0.7, 1e-6);
    assert_true(isnan(v[RADIUS]) && isnan(v[RADIUS_HEIGHT]) && isnan(v[RADIUS_MIDDLE]));
    assert_true(isnan(v[BREAK_TIME])); /* was never connected */
    def.link_length = 6;               /* links over 0.4 m and 0.3 m */
    measure_once(hand, &def, v);
    CHECK_NEAR(v[CONNECTED], 1, 0);
    CHECK_NEAR(v[RADIUS], 0, 1e-12); /* an empty slice */
    hand_end(hand);
}

static void region_without_fluid_is_not_connected(void **state)
{
    (void)state;
    Hand *hand = hand_start(dx, 2.0);
    add_body(hand, 0, 1, narrow, vec3(0, 0, 0));
    OozeProbeDef def = thread_def(5, 7);
    double v[COLUMNS];
    measure_once(hand, &def, v);
    CHECK_NEAR(v[CONNECTED], 0, 0);
    CHECK_NEAR(v[GAP], 2, 0);
    CHECK_NEAR(v[LOWER_LENGTH] + v[UPPER_LENGTH], 0, 0);
    for (int i = RADIUS; i < COLUMNS; i++) {
        assert_true(isnan(v[i]));
    }
    def = thread_def(0, 7); /* only the lower end has fluid */
    measure_once(hand, &def, v);
    CHECK_NEAR(v[LOWER_LENGTH], 1, 1e-6);
    CHECK_NEAR(v[UPPER_LENGTH], 0, 0);
    hand->position[3][1] = NAN;
    measure_once(hand, &def, v);
    for (int i = 0; i < COLUMNS; i++) {
        assert_true(isnan(v[i]));
    }
    def.lower = "missing";
    def.from = NAN;
    hand->position[3][1] = 0;
    measure_once(hand, &def, v);
    assert_true(isnan(v[CONNECTED]));
    hand_end(hand);
}

/* The first break counts, also after the parts have met again. */
static void break_time_is_that_of_the_first_break(void **state)
{
    (void)state;
    Hand *hand = hand_start(dx, 2.0);
    add_body(hand, 0, 2, narrow, vec3(0, 0, 0));
    uint64_t half = hand->frame.particle_count;
    add_body(hand, 2, 4, narrow, vec3(0, 0, 0));
    OozeProbeDef def = thread_def(NAN, NAN);
    OozeProbe probe = make_probe(&def);
    const double rises[] = {0, 0.05, 0.2, 0.3, 0, 0.5};
    for (int n = 0; n < 6; n++) {
        for (uint64_t i = half; i < hand->frame.particle_count; i++) {
            hand->position[i][1] = hand->rest[i][1] + (float)rises[n];
        }
        hand->frame.time = 0.25 * n;
        CHECK_OK(ooze_probe_measure(&probe, &hand->context, &error));
        CHECK_NEAR(probe.values[CONNECTED], rises[n] < 0.06, 0);
        CHECK_NEAR(probe.values[GAP], 4 + rises[n], 1e-6);
        if (n < 2) {
            assert_true(isnan(probe.values[BREAK_TIME]));
        } else {
            CHECK_NEAR(probe.values[BREAK_TIME], 0.5, 0);
        }
    }
    ooze_probe_free(&probe);
    hand_end(hand);
}

/* ---- worlds --------------------------------------------------------------------------------- */

static void add_plate(OozeWorld *world, const char *name, double height, double speed)
{
    OozeSolidDef plate = ooze_solid_def_default();
    plate.name = name;
    plate.shape = ooze_shape_def_default(OOZE_SHAPE_CYLINDER);
    plate.shape.radius = 0.6;
    plate.shape.height = 0.2;
    plate.shape.position = vec3(0, height, 0);
    plate.motion.velocity = vec3(0, speed, 0);
    CHECK_OK(ooze_world_add_solid(world, &plate, NULL, &error));
}

/* Two columns of 1 m, one on a plate at rest, one under a plate that rises with it at 2 m/s; one
   particle lies on the upper plate. */
static OozeWorld *drawing_rig(void)
{
    OozeWorldDef world_def = ooze_world_def_default();
    world_def.method = "ballistic";
    world_def.spacing = dx;
    world_def.time_step = 0.01;
    world_def.gravity = vec3(0, 0, 0);
    world_def.threads = 2;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&world_def, &world, &error));
    OozeMaterialDef water = ooze_material_def_default();
    OozeMaterialId id;
    CHECK_OK(ooze_world_add_material(world, &water, &id, &error));
    for (int i = 0; i < 20; i++) {
        OozeVec3 x = vec3(0.01, (i + 0.5) * dx, 0), v = vec3(0, i < 10 ? 0 : 2, 0);
        CHECK_OK(ooze_world_add_particles(world, id, 1, &x, &v, &error));
    }
    OozeVec3 x = vec3(0, 2.25, 0), v = vec3(0, 2, 0);
    CHECK_OK(ooze_world_add_particles(world, id, 1, &x, &v, &error));
    add_plate(world, "floor", -0.1, 0);
    add_plate(world, "plate", 2.1, 2);
    OozeProbeDef def = probe_def(OOZE_PROBE_THREAD);
    def.lower = "floor";
    def.upper = "plate";
    def.every_step = true;
    CHECK_OK(ooze_world_add_probe(world, &def, NULL, &error));
    return world;
}

static const double *measure_world(OozeWorld *world)
{
    OozeProbeReading reading;
    CHECK_OK(ooze_world_measure(world, true, &error));
    CHECK_OK(ooze_world_probe(world, (OozeProbeId){0}, &reading, &error));
    assert_int_equal(reading.column_count, COLUMNS);
    return reading.values;
}

/* The columns are connected up to a distance of 1.6 spacings, which they pass between 0.03 s and
   0.04 s. A world restored from a later frame has the same readings, the break included. */
static void ends_at_plates_and_restored_break(void **state)
{
    (void)state;
    OozeWorld *world = drawing_rig(), *resumed = drawing_rig();
    for (int n = 0; n <= 12; n++) {
        const double *v = measure_world(world);
        CHECK_NEAR(v[CONNECTED], n <= 3, 0);
        CHECK_NEAR(v[GAP], 2 + 0.02 * n, 1e-6);
        CHECK_NEAR(v[LOWER_LENGTH], n <= 3 ? 2 + 0.02 * n : 1, 1e-5);
        CHECK_NEAR(v[UPPER_LENGTH], n <= 3 ? 2 + 0.02 * n : 1, 1e-5);
        if (n <= 3) {
            assert_true(isnan(v[BREAK_TIME]));
        } else {
            CHECK_NEAR(v[BREAK_TIME], 0.04, 1e-15);
            CHECK_NEAR(v[LOWER_RETRACTION], 0, 1e-6);
            CHECK_NEAR(v[UPPER_RETRACTION], 0, 1e-6); /* moves with its plate */
        }
        if (n == 6) {
            CHECK_OK(ooze_world_restore(resumed, ooze_world_frame(world), &error));
        }
        if (n >= 6) {
            assert_memory_equal(measure_world(resumed), v, COLUMNS * sizeof *v);
            CHECK_OK(ooze_world_step(resumed, &error));
        }
        CHECK_OK(ooze_world_step(world, &error));
    }
    ooze_world_destroy(world);
    ooze_world_destroy(resumed);
}

static void periodic_axis_is_refused(void **state)
{
    (void)state;
    OozeWorldDef world_def = ooze_world_def_default();
    world_def.method = "ballistic";
    world_def.spacing = dx;
    world_def.time_step = 0.01;
    world_def.periodic[1] = true;
    world_def.periodic_max = vec3(0, 2, 0);
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&world_def, &world, &error));
    OozeProbeDef def = probe_def(OOZE_PROBE_THREAD);
    CHECK_FAILS(ooze_world_add_probe(world, &def, NULL, &error), OOZE_ERROR_ARGUMENT,
                "periodic y axis");
    def.axis = vec3(1, 0, 0);
    CHECK_OK(ooze_world_add_probe(world, &def, NULL, &error));
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinder_has_its_radius),
        cmocka_unit_test(neck_is_found_at_its_height),
        cmocka_unit_test(two_halves_have_lengths_and_tips),
        cmocka_unit_test(region_without_fluid_is_not_connected),
        cmocka_unit_test(break_time_is_that_of_the_first_break),
        cmocka_unit_test(ends_at_plates_and_restored_break),
        cmocka_unit_test(periodic_axis_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
