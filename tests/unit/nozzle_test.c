/* Nozzles that prescribe the velocity of the particles inside: forces do not change it. */
#include "check.h"

#include "base/vec3.h"
#include "ooze/ooze.h"

static const double spacing = 0.01, speed = 0.7, dt = 1.0 / 300, length = 0.03;

static OozeEmitterDef nozzle_def(double stop)
{
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.radius = 0.03;
    nozzle.position = vec3(0, 1, 0);
    nozzle.speed = speed;
    nozzle.length = length;
    nozzle.stop = stop;
    return nozzle;
}

static OozeWorld *world_of(const OozeEmitterDef *nozzle, const char *method)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = method;
    def.threads = 1;
    def.spacing = spacing;
    def.time_step = dt;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    CHECK_OK(ooze_world_add_emitter(world, nozzle, NULL, &error));
    return world;
}

static OozeWorld *make_world(const OozeMotionDef *motion, double stop)
{
    OozeEmitterDef nozzle = nozzle_def(stop);
    if (motion) {
        nozzle.motion = *motion;
    }
    return world_of(&nozzle, "ballistic");
}

static OozeWorld *limited_world(uint64_t limit)
{
    OozeEmitterDef nozzle = nozzle_def(INFINITY);
    nozzle.limit = limit;
    return world_of(&nozzle, "ballistic");
}

static double value(OozeWorld *world, const char *field, uint64_t i, int k)
{
    return ooze_field_value(ooze_frame_field(ooze_world_frame(world), field), i, k);
}

/* Inside: the jet's velocity and no gravity. Outside: in free fall since the exit. */
static void velocity_is_prescribed_inside_the_nozzle_only(void **state)
{
    (void)state;
    OozeWorld *world = make_world(NULL, INFINITY);
    CHECK_OK(ooze_world_advance(world, 0.3, NULL, NULL, &error));
    uint64_t n = ooze_world_frame(world)->particle_count, prescribed = 0;
    for (uint64_t i = 0; i < n; i++) {
        double y = value(world, "position", i, 1), v = value(world, "velocity", i, 1);
        if (value(world, "nozzle", i, 0) > 0) {
            prescribed++;
            CHECK_NEAR(v, -speed, 1e-5);
            /* a particle is set free at the start of the step after it passed the exit */
            assert_true(y > 1 - speed * dt - 1e-5 && y < 1 + length + 1e-5);
        } else {
            double fallen = 1 - y; /* v^2 = U^2 + 2 g h, within the step in which it left */
            CHECK_NEAR(v * v, speed * speed + 2 * 9.81 * fallen, 2 * 9.81 * speed * dt + 1e-3);
        }
    }
    assert_in_range(prescribed, 3 * 26,
                    3 * 30 + 30); /* about 28 a layer, three layers and a part */
    ooze_world_destroy(world);
}

/* A nozzle at speed 0, between two pulses, keeps what it holds; a moving one carries it along. */
static void paused_nozzle_holds_its_fluid(void **state)
{
    (void)state;
    OozeMotionDef motion = ooze_motion_def_default();
    motion.velocity = vec3(0.5, 0, 0);
    OozeWorld *world = make_world(&motion, INFINITY);
    CHECK_OK(ooze_world_advance(world, 0.2, NULL, NULL, &error));
    CHECK_OK(ooze_world_set_emitter_speed(world, (OozeEmitterId){0}, 0.0, &error));
    CHECK_OK(ooze_world_advance(world, 0.8, NULL, NULL, &error));
    uint64_t n = ooze_world_frame(world)->particle_count, prescribed = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (value(world, "nozzle", i, 0) > 0) {
            prescribed++;
            CHECK_NEAR(value(world, "velocity", i, 0), 0.5, 1e-6);
            CHECK_NEAR(value(world, "velocity", i, 1), 0.0, 1e-6);
            CHECK_NEAR(value(world, "position", i, 0), 0.5, 0.03 + 1e-3);
        }
    }
    assert_true(prescribed >= 3 * 26);
    ooze_world_destroy(world);
}

/* A nozzle that has stopped, or given all it has to give, lets go of what it holds: at the jet's
   speed, and then it falls. */
static void stopped_nozzle_releases_its_fluid(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        const double stop = 60 * dt, later = 3 * dt;
        OozeWorld *world = limited ? limited_world(400) : make_world(NULL, stop);
        if (limited) {
            while (ooze_world_frame(world)->particle_count < 400) {
                CHECK_OK(ooze_world_step(world, &error));
            }
        } else {
            CHECK_OK(ooze_world_advance(world, stop, NULL, NULL, &error));
        }
        double from = ooze_world_frame(world)->time;
        CHECK_OK(ooze_world_advance(world, later, NULL, NULL, &error));
        uint64_t n = ooze_world_frame(world)->particle_count, inside = 0;
        for (uint64_t i = 0; i < n; i++) {
            assert_true(value(world, "nozzle", i, 0) == 0);
            if (value(world, "position", i, 1) > 1) { /* it was inside all the while */
                inside++;
                double v = -speed - 9.81 * (ooze_world_frame(world)->time - from);
                CHECK_NEAR(value(world, "velocity", i, 1), v, 0.05 * speed + 2 * 9.81 * dt);
            }
        }
        assert_true(inside >= 26);
        CHECK_OK(ooze_world_advance(world, 0.3, NULL, NULL, &error));
        n = ooze_world_frame(world)->particle_count;
        for (uint64_t i = 0; i < n; i++) {
            assert_true(value(world, "position", i, 1) < 1);
        }
        ooze_world_destroy(world);
    }
}

/* Two bursts from the same place, without and with a pause. A nozzle starts full, except where
   there are particles, so that the second burst does not overlap the first. */
static void a_second_burst_is_not_faster_than_free_fall(void **state)
{
    (void)state;
    enum { STEPS = 45 };
    static const char *const methods[] = {"conformation", "links"};
    for (int k = 0; k < 4; k++) {
        const double pause[] = {0, 6 * dt};
        const double stop = 20 * dt;
        OozeEmitterDef first = nozzle_def(stop), second = nozzle_def(INFINITY);
        OozeWorld *world = world_of(&first, methods[k / 2]);
        second.start = stop + pause[k % 2];
        CHECK_OK(ooze_world_add_emitter(world, &second, NULL, &error));
        double fastest = 0;
        for (int i = 0; i < STEPS; i++) {
            CHECK_OK(ooze_world_step(world, &error));
            uint64_t n = ooze_world_frame(world)->particle_count;
            for (uint64_t j = 0; j < n; j++) {
                OozeVec3 v = vec3(value(world, "velocity", j, 0), value(world, "velocity", j, 1),
                                  value(world, "velocity", j, 2));
                fastest = fmax(fastest, vec3_length(v));
            }
        }
        double fall = speed + 9.81 * STEPS * dt;
        printf("  %s, a pause of %.3f s: at most %.2f m/s, free fall %.2f\n", methods[k / 2],
               pause[k % 2], fastest, fall);
        assert_true(fastest < 1.1 * fall);
        ooze_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_is_prescribed_inside_the_nozzle_only),
        cmocka_unit_test(paused_nozzle_holds_its_fluid),
        cmocka_unit_test(stopped_nozzle_releases_its_fluid),
        cmocka_unit_test(a_second_burst_is_not_faster_than_free_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
