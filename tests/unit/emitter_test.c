#include "check.h"

#include "base/memory.h"
#include "world/emitter.h"

#define PI 3.14159265358979323846

static const double s = 0.01; /* particle spacing */

static OozeEmitterDef disc(double radius, double speed)
{
    OozeEmitterDef def = ooze_emitter_def_default();
    def.name = "tap";
    def.radius = radius;
    def.speed = speed;
    def.length = 0.0; /* an open outline; nozzles that lead have a test of their own */
    def.position = vec3(0.1, 0.7, -0.2);
    return def;
}

static OozeEmitter make(const OozeEmitterDef *def)
{
    OozeEmitter emitter;
    CHECK_OK(ooze_emitter_create(&emitter, def, OOZE_AXIS_Y, s, 2.2 * s, &error));
    return emitter;
}

static OozeParticles *make_store(void)
{
    OozeParticles *particles;
    CHECK_OK(ooze_particles_create(&particles, &error));
    return particles;
}

/* Everything emitted in steps of dt until `end`, in free flight to that time. The flight is
   computed in double from each particle's own birth, so that only the emitter's rounding shows. */
typedef struct Jet {
    OozeVec3 *x, *v;
    uint64_t count;
} Jet;

static Jet run(OozeEmitter *emitter, double dt, int steps)
{
    OozeParticles *particles = make_store();
    Jet jet = {0};
    double end = dt * steps;
    for (int i = 0; i < steps; i++) {
        uint64_t first = ooze_particles_count(particles), emitted;
        CHECK_OK(ooze_emitter_emit(emitter, particles, &(OozeEmission){dt * i, dt, -1, 0}, &emitted,
                                   &error));
        assert_int_equal(ooze_particles_count(particles), first + emitted);
        jet.x = realloc(jet.x, (jet.count + emitted + 1) * sizeof *jet.x);
        jet.v = realloc(jet.v, (jet.count + emitted + 1) * sizeof *jet.v);
        for (uint64_t k = 0; k < emitted; k++) {
            OozeFloat4 x = ooze_particles_positions(particles)[first + k];
            OozeFloat4 v = ooze_particles_velocities(particles)[first + k];
            jet.v[jet.count] = vec3((double)v.x, (double)v.y, (double)v.z);
            jet.x[jet.count] = vec3_madd(vec3((double)x.x, (double)x.y, (double)x.z),
                                         end - dt * (i + 1), jet.v[jet.count]);
            jet.count++;
        }
    }
    ooze_particles_destroy(particles);
    return jet;
}

static void free_jet(Jet *jet)
{
    free(jet->x);
    free(jet->v);
}

static double nearest_pair(const OozeVec3 *x, uint64_t n)
{
    double best = INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        for (uint64_t j = 0; j < i; j++) {
            double d = vec3_length(vec3_sub(x[i], x[j]));
            best = d < best ? d : best;
        }
    }
    return best;
}

/* The right flow, no overlap and no gap, at speeds from a hundredth of a spacing to a hundred
   spacings a step. */
static void jet_is_steady_at_any_speed(void **state)
{
    (void)state;
    const double speeds[] = {0.01,          0.1,           1.0 / PI, 0.5, 1.0,
                             1.41421356237, 2.71828182846, 7.3,      50,  100};
    for (int i = 0; i < 10; i++) {
        double dt = 1e-3, length = 40.0; /* of the jet, spacings */
        int steps = (int)ceil(length / speeds[i]);
        double speed = speeds[i] * s / dt, radius = 4.3 * s;
        OozeEmitterDef def = disc(radius, speed);
        OozeEmitter emitter = make(&def);
        Jet jet = run(&emitter, dt, steps);
        double volume = (double)jet.count * s * s * s;
        double expected = PI * radius * radius * speed * dt * steps;
        /* layers come whole: one may be missing, and the count per layer is rounded */
        CHECK_NEAR(volume / expected, 1.0 - 0.5 / length, 0.02 + 0.5 / length);
        uint64_t layer = emitter.pattern.count, layers = jet.count / layer;
        assert_int_equal(jet.count % layer, 0);
        for (uint64_t k = 0; k < jet.count; k++) {
            double along = 0.7 - jet.x[k].y, first = 0.7 - jet.x[k % layer].y; /* jets go down */
            double due = first - s * (double)(k / layer);
            /* float positions near 1 m: 6e-8, on velocities of 1e3 m/s at most likewise */
            CHECK_NEAR(along, due, 1e-6 + 1e-6 * fabs(along));
            CHECK_NEAR(jet.v[k].y, -speed, 1e-6 * speed);
        }
        /* the newest layer is spread over a spacing, and less than one away from the nozzle */
        double nearest = INFINITY, farthest = 0;
        for (uint64_t k = (layers - 1) * layer; k < jet.count; k++) {
            nearest = fmin(nearest, 0.7 - jet.x[k].y);
            farthest = fmax(farthest, 0.7 - jet.x[k].y);
        }
        assert_true(nearest > -1e-6 && nearest < s * 1.05);
        assert_true(farthest - nearest > 0.9 * s && farthest - nearest < s);
        uint64_t three = jet.count < 3 * layer ? jet.count : 3 * layer;
        assert_true(nearest_pair(jet.x, three) > 0.8 * s);
        free_jet(&jet);
        ooze_emitter_free(&emitter);
    }
}

/* Of points by x and y alone. */
static double nearest_across(const OozeVec3 *x, uint64_t n)
{
    OozeVec3 *flat = calloc(n, sizeof *flat);
    for (uint64_t i = 0; i < n; i++) {
        flat[i] = vec3(x[i].x, x[i].y, 0);
    }
    double best = nearest_pair(flat, n);
    free(flat);
    return best;
}

static double mean_nearest(const OozeVec3 *x, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        double best = INFINITY;
        for (uint64_t j = 0; j < n; j++) {
            best = j == i ? best : fmin(best, vec3_length(vec3_sub(x[i], x[j])));
        }
        sum += best;
    }
    return sum / (double)n;
}

/* A jet that is stretched along its axis, at constant volume, stays evenly spaced. The nearest
   neighbours of flat layers would be at 1/sqrt(stretch), 0.35 spacings at eight times. */
static void stretched_jet_stays_even(void **state)
{
    (void)state;
    OozeEmitterDef def = disc(4.3 * s, 0.3);
    OozeEmitter emitter = make(&def);
    Jet jet = run(&emitter, 1e-3, 400);
    OozeVec3 *x = calloc(jet.count, sizeof *x);
    for (double stretch = 1; stretch < 8.1; stretch *= sqrt(2.0)) {
        for (uint64_t k = 0; k < jet.count; k++) {
            double across = 1.0 / sqrt(stretch);
            x[k] = vec3(across * jet.x[k].x, stretch * jet.x[k].y, across * jet.x[k].z);
        }
        double mean = mean_nearest(x, jet.count) / s;
        printf("  stretched %.2f times: nearest neighbour at %.3f spacings\n", stretch, mean);
        assert_true(mean > 0.8);
    }
    free(x);
    free_jet(&jet);
    ooze_emitter_free(&emitter);
}

static void flow_is_right_for_discs_of_any_size(void **state)
{
    (void)state;
    for (double r = 4.0; r < 14.0; r += 0.61) {
        OozeEmitterDef def = disc(r * s, 1.0);
        OozeEmitter emitter = make(&def);
        CHECK_NEAR((double)emitter.pattern.count / (PI * r * r), 1.0, 0.03);
        CHECK_NEAR(emitter.pattern.area, PI * r * r * s * s, 1e-12);
        for (uint64_t i = 0; i < emitter.pattern.count; i++) {
            assert_true(vec3_length(emitter.pattern.points[i]) < r * s);
        }
        assert_true(nearest_across(emitter.pattern.points, emitter.pattern.count) > 0.85 * s);
        ooze_emitter_free(&emitter);
    }
}

static double star_area(double outer, double inner, int points)
{
    return points * outer * inner * sin(PI / points);
}

static void outlines_have_their_area(void **state)
{
    (void)state;
    OozeEmitterDef def = disc(9 * s, 1.0);
    def.outline = OOZE_OUTLINE_STAR;
    def.inner_radius = 4.5 * s;
    def.points = 8;
    OozeEmitter emitter = make(&def);
    CHECK_NEAR(emitter.pattern.area, star_area(9 * s, 4.5 * s, 8), 1e-12);
    assert_int_equal(emitter.pattern.count, rint(emitter.pattern.area / (s * s)));
    assert_true(nearest_across(emitter.pattern.points, emitter.pattern.count) > 0.8 * s);
    int tips = 0;
    for (uint64_t i = 0; i < emitter.pattern.count; i++) {
        tips += vec3_length(emitter.pattern.points[i]) > 7 * s;
    }
    assert_true(tips >= 8); /* the points of the star are filled */
    ooze_emitter_free(&emitter);

    def.outline = OOZE_OUTLINE_RECTANGLE;
    def.size = vec3(12 * s, 5 * s, 0);
    emitter = make(&def);
    assert_int_equal(emitter.pattern.count, 60); /* whole spacings: the exact square lattice */
    CHECK_NEAR(nearest_across(emitter.pattern.points, 60), s, 1e-9);
    ooze_emitter_free(&emitter);
    def.size = vec3(10.4 * s, 4.6 * s, 0);
    emitter = make(&def);
    assert_int_equal(emitter.pattern.count, 48); /* 47.84 */
    assert_true(nearest_across(emitter.pattern.points, 48) > 0.8 * s);
    ooze_emitter_free(&emitter);

    /* a sphere cut off its middle: a disc of radius sqrt(R2 - h2) */
    def.outline = OOZE_OUTLINE_SHAPE;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.shape.radius = 10 * s;
    def.shape.position = vec3(0.13, 0.76, -0.2);
    emitter = make(&def);
    CHECK_NEAR(emitter.pattern.area / (PI * 64 * s * s), 1.0, 0.01);
    double sum = 0.0;
    for (uint64_t i = 0; i < emitter.pattern.count; i++) {
        OozeVec3 p = emitter.pattern.points[i];
        OozeVec3 world = vec3_add(def.position, quat_rotate(emitter.aim, vec3(p.x, p.y, 0)));
        CHECK_NEAR(world.y, 0.7, 1e-12);
        sum += world.x;
    }
    CHECK_NEAR(sum / (double)emitter.pattern.count, 0.13, 0.1 * s); /* centred on the sphere */
    ooze_emitter_free(&emitter);
}

static void start_and_stop_are_exact(void **state)
{
    (void)state;
    OozeEmitterDef def = disc(2 * s, 0.037);
    def.start = 0.1234;
    def.stop = 1.0;
    OozeEmitter emitter = make(&def);
    Jet jet = run(&emitter, 0.01, 150);
    for (uint64_t i = 0; i < jet.count; i++) {
        double moment = 1.5 - (0.7 - jet.x[i].y) / def.speed;
        assert_true(moment > def.start - 1e-5 && moment < def.stop + 1e-5);
    }
    double layers = (double)jet.count / (double)emitter.pattern.count;
    CHECK_NEAR(layers, rint((def.stop - def.start) * def.speed / s), 0.0);
    free_jet(&jet);
    ooze_emitter_free(&emitter);
    /* a run of exactly 30 spacings gives 30 layers, whatever the rounding of steps */
    for (int n = 1; n <= 40; n++) {
        def = disc(2 * s, 0.3);
        def.stop = 1.0;
        emitter = make(&def);
        jet = run(&emitter, 1.1 / n, n);
        assert_int_equal(jet.count, 30 * emitter.pattern.count);
        free_jet(&jet);
        ooze_emitter_free(&emitter);
    }
}

/* A nozzle that moves and spins: the layer of each moment must stand where that moment's pose put
   it, so steps of any length give the same jet. */
static void moving_nozzle_does_not_depend_on_the_step(void **state)
{
    (void)state;
    OozeEmitterDef def = disc(3 * s, 1.0);
    def.direction = vec3(1, -2, 0.5);
    def.roll = ooze_degrees(0.4);
    def.motion.velocity = vec3(0.3, 0, 0.2);
    def.motion.spin = ooze_vec3_degrees(vec3(0.5, 3, 0));
    def.motion.sine_amplitude = vec3(0, 0, 0.05);
    def.motion.sine_frequency = 3;
    OozeEmitter coarse = make(&def), fine = make(&def);
    Jet a = run(&coarse, 0.25, 2), b = run(&fine, 0.5 / 137, 137);
    assert_int_equal(a.count, b.count);
    for (uint64_t i = 0; i < a.count; i++) {
        CHECK_NEAR(vec3_length(vec3_sub(a.x[i], b.x[i])), 0.0, 2e-6);
        CHECK_NEAR(vec3_length(vec3_sub(a.v[i], b.v[i])), 0.0, 2e-6);
    }
    free_jet(&a);
    free_jet(&b);
    ooze_emitter_free(&coarse);
    ooze_emitter_free(&fine);
}

static void velocity_includes_the_nozzle(void **state)
{
    (void)state;
    OozeEmitterDef def = disc(2 * s, 2.0);
    def.direction = vec3(1, 0, 0);
    def.motion.velocity = vec3(0, 0.5, 0);
    def.motion.spin =
        ooze_vec3_degrees(vec3(4, 0, 0)); /* about the jet: each particle gets its swirl */
    OozeEmitter emitter = make(&def);
    Jet jet = run(&emitter, 0.005, 1); /* one layer */
    assert_int_equal(jet.count, emitter.pattern.count);
    for (uint64_t i = 0; i < jet.count; i++) {
        double age = (jet.x[i].x - 0.1) / 2.0;
        assert_true(age > -1e-6 && age < 0.005 + 1e-6);
        OozeVec3 centre = vec3(0.1, 0.7 + 0.5 * (0.005 - age), -0.2);
        OozeVec3 arm = vec3_sub(vec3_madd(jet.x[i], -age, jet.v[i]), centre);
        OozeVec3 expected = vec3(2.0, 0.5 - 4 * arm.z, 4 * arm.y);
        CHECK_NEAR(vec3_length(vec3_sub(jet.v[i], expected)), 0.0, 1e-5);
    }
    free_jet(&jet);
    ooze_emitter_free(&emitter);
}

static void limit_holds_to_the_particle(void **state)
{
    (void)state;
    OozeEmitterDef def = disc(4 * s, 1.0);
    def.limit = 777;
    OozeEmitter emitter = make(&def);
    Jet jet = run(&emitter, 0.013, 100);
    assert_int_equal(jet.count, 777);
    assert_int_equal(emitter.state.emitted, 777);
    free_jet(&jet);
    ooze_emitter_free(&emitter);
    def.speed = 1e200; /* the limit holds before any number overflows */
    emitter = make(&def);
    jet = run(&emitter, 0.013, 3);
    assert_int_equal(jet.count, 777);
    free_jet(&jet);
    ooze_emitter_free(&emitter);
}

static void resumed_emitter_repeats_every_bit(void **state)
{
    (void)state;
    OozeEmitterDef def = disc(3 * s, 0.77);
    def.motion.spin = ooze_vec3_degrees(vec3(1, 2, 3));
    OozeEmitter whole = make(&def), resumed = make(&def);
    OozeParticles *a = make_store(), *b = make_store();
    uint64_t emitted;
    double dt = 0.0071;
    for (int i = 0; i < 60; i++) {
        if (i == 25) {
            whole.state.speed = 1.9; /* changed while running */
        }
        if (i == 30) {
            resumed.state = whole.state;
        }
        CHECK_OK(
            ooze_emitter_emit(&whole, a, &(OozeEmission){dt * i, dt, -1, 0}, &emitted, &error));
        if (i < 30) {
            continue;
        }
        uint64_t first = ooze_particles_count(b);
        CHECK_OK(
            ooze_emitter_emit(&resumed, b, &(OozeEmission){dt * i, dt, -1, 0}, &emitted, &error));
        uint64_t from = ooze_particles_count(a) - emitted;
        assert_memory_equal(ooze_particles_positions(a) + from, ooze_particles_positions(b) + first,
                            emitted * sizeof(OozeFloat4));
        assert_memory_equal(ooze_particles_velocities(a) + from,
                            ooze_particles_velocities(b) + first, emitted * sizeof(OozeFloat4));
        assert_memory_equal(&whole.state, &resumed.state, sizeof whole.state);
    }
    double layers = (double)whole.state.layers; /* 25 steps at 0.77 m/s, 35 at 1.9 m/s */
    CHECK_NEAR(layers, (25 * 0.77 + 35 * 1.9) * dt / s, 1.0);
    ooze_particles_destroy(a);
    ooze_particles_destroy(b);
    ooze_emitter_free(&whole);
    ooze_emitter_free(&resumed);
}

static void invalid_definitions_are_errors(void **state)
{
    (void)state;
    OozeEmitter e;
    OozeEmitterDef def = disc(s, -1.0);
    CHECK_FAILS(ooze_emitter_create(&e, &def, OOZE_AXIS_Y, s, 2.2 * s, &error), OOZE_ERROR_ARGUMENT,
                "speed of emitter 'tap' is -1");
    def = disc(0.0, 1.0);
    CHECK_FAILS(ooze_emitter_create(&e, &def, OOZE_AXIS_Y, s, 2.2 * s, &error), OOZE_ERROR_ARGUMENT,
                "the radius of emitter 'tap' is 0");
    def = disc(1e4, 1.0);
    CHECK_FAILS(ooze_emitter_create(&e, &def, OOZE_AXIS_Y, s, 2.2 * s, &error), OOZE_ERROR_LIMIT,
                "3141592653590 particles in each layer");
    def = disc(s, 1.0);
    def.outline = OOZE_OUTLINE_STAR;
    def.inner_radius = 2 * s;
    CHECK_FAILS(ooze_emitter_create(&e, &def, OOZE_AXIS_Y, s, 2.2 * s, &error), OOZE_ERROR_ARGUMENT,
                "inner radius");
    def.inner_radius = 0.5 * s;
    def.points = 2;
    CHECK_FAILS(ooze_emitter_create(&e, &def, OOZE_AXIS_Y, s, 2.2 * s, &error), OOZE_ERROR_ARGUMENT,
                "2 points");
    def.outline = OOZE_OUTLINE_SHAPE;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.shape.position = vec3(0, 100, 0);
    CHECK_FAILS(ooze_emitter_create(&e, &def, OOZE_AXIS_Y, s, 2.2 * s, &error), OOZE_ERROR_ARGUMENT,
                "does not cut");
    def.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    CHECK_FAILS(ooze_emitter_create(&e, &def, OOZE_AXIS_Y, s, 2.2 * s, &error), OOZE_ERROR_ARGUMENT,
                "has no end");
    def = disc(s, 1e300);
    OozeParticles *particles = make_store();
    uint64_t emitted;
    e = make(&def);
    CHECK_FAILS(
        ooze_emitter_emit(&e, particles, &(OozeEmission){0.0, 1.0, -1, 0}, &emitted, &error),
        OOZE_ERROR_LIMIT, "in one step");
    ooze_emitter_free(&e);
    ooze_particles_destroy(particles);
}

static void memory_failures_leak_nothing(void **state)
{
    (void)state;
    OozeEmitterDef def = disc(4 * s, 1.0);
    OozeStatus status = OOZE_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == OOZE_ERROR_MEMORY) {
        OozeEmitter emitter;
        ooze_memory_fail_after(++n);
        status = ooze_emitter_create(&emitter, &def, OOZE_AXIS_Y, s, 2.2 * s, NULL);
        ooze_memory_fail_after(0);
        if (!status) {
            ooze_emitter_free(&emitter);
        }
    }
    assert_int_equal(status, OOZE_OK);
    assert_true(n > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jet_is_steady_at_any_speed),
        cmocka_unit_test(stretched_jet_stays_even),
        cmocka_unit_test(flow_is_right_for_discs_of_any_size),
        cmocka_unit_test(outlines_have_their_area),
        cmocka_unit_test(start_and_stop_are_exact),
        cmocka_unit_test(moving_nozzle_does_not_depend_on_the_step),
        cmocka_unit_test(velocity_includes_the_nozzle),
        cmocka_unit_test(limit_holds_to_the_particle),
        cmocka_unit_test(resumed_emitter_repeats_every_bit),
        cmocka_unit_test(invalid_definitions_are_errors),
        cmocka_unit_test(memory_failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
