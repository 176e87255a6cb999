/* Nozzles that lead their fluid, through the world: a push from below cannot stop what is inside. */
#include "check.h"

#include "base/vec3.h"
#include "ooze/ooze.h"

static const double spacing = 0.01, speed = 0.7, dt = 1.0 / 300, length = 0.03;

static OozeWorld *make_world(const OozeMotionDef *motion, double stop)
{
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = spacing;
    def.time_step = dt;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.radius = 0.03;
    nozzle.position = vec3(0, 1, 0);
    nozzle.speed = speed;
    nozzle.length = length;
    nozzle.stop = stop;
    if (motion) {
        nozzle.motion = *motion;
    }
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    return world;
}

static double value(OozeWorld *world, const char *field, uint64_t i, int k)
{
    return ooze_field_value(ooze_frame_field(ooze_world_frame(world), field), i, k);
}

/* Inside: the jet's velocity and no gravity. Outside: in free fall since the exit. */
static void nozzle_leads_and_lets_go(void **state)
{
    (void)state;
    OozeWorld *world = make_world(NULL, INFINITY);
    CHECK_OK(ooze_world_advance(world, 0.3, NULL, NULL, &error));
    uint64_t n = ooze_world_frame(world)->particle_count, led = 0;
    for (uint64_t i = 0; i < n; i++) {
        double y = value(world, "position", i, 1), v = value(world, "velocity", i, 1);
        if (value(world, "nozzle", i, 0) > 0) {
            led++;
            CHECK_NEAR(v, -speed, 1e-5);
            /* a particle is set free at the start of the step after it passed the exit */
            assert_true(y > 1 - speed * dt - 1e-5 && y < 1 + length + 1e-5);
        } else {
            double fallen = 1 - y; /* v^2 = U^2 + 2 g h, within the step in which it left */
            CHECK_NEAR(v * v, speed * speed + 2 * 9.81 * fallen, 2 * 9.81 * speed * dt + 1e-3);
        }
    }
    assert_in_range(led, 3 * 26, 3 * 30 + 30); /* about 28 a layer, three layers and a part */
    ooze_world_destroy(world);
}

/* A closed nozzle keeps what it holds; a moving one carries it along. */
static void closed_nozzle_holds_its_fluid(void **state)
{
    (void)state;
    OozeMotionDef motion = ooze_motion_def_default();
    motion.velocity = vec3(0.5, 0, 0);
    OozeWorld *world = make_world(&motion, 0.2);
    CHECK_OK(ooze_world_advance(world, 1.0, NULL, NULL, &error));
    uint64_t n = ooze_world_frame(world)->particle_count, led = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (value(world, "nozzle", i, 0) > 0) {
            led++;
            CHECK_NEAR(value(world, "velocity", i, 0), 0.5, 1e-6);
            CHECK_NEAR(value(world, "velocity", i, 1), 0.0, 1e-6);
            CHECK_NEAR(value(world, "position", i, 0), 0.5, 0.03 + 1e-3);
        }
    }
    assert_true(led >= 3 * 26);
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nozzle_leads_and_lets_go),
        cmocka_unit_test(closed_nozzle_holds_its_fluid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
