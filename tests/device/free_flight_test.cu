/* Particles in free flight do not divide steps on the device; those that meet others do, as on the
   processor. */
#include "cuda/engine.cuh"

#include "frames_apart.h"

static const double SPACING = 0.02;

struct Particles {
    OozeVec3 corner;
    int across;
    double speed; /* along y, spacings a step */
};

/* Cubes of particles, the first at rest, and a ball beside the path of the second. */
static OozeWorld *create_world(const char *method, Particles fast, Particles drop,
                               OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = method;
    def.spacing = SPACING;
    def.time_step = 1.0 / 240;
    def.gravity = {0, 0, 0};
    def.device = device;
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    OozeMaterialId id;
    CHECK_OK(ooze_world_add_material(world, &material, &id, &error));
    OozeSolidDef ball = ooze_solid_def_default();
    ball.friction = 0.5;
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.1;
    ball.shape.position = {0.35, 0.9, 0.05};
    CHECK_OK(ooze_world_add_solid(world, &ball, nullptr, &error));
    const Particles all[3] = {{{0, 0, 0}, 6, 0}, fast, drop};
    for (const Particles &p : all) {
        for (int i = 0; i < p.across * p.across * p.across; i++) {
            OozeVec3 x = {p.corner.x + SPACING * (i % p.across),
                          p.corner.y + SPACING * (i / p.across % p.across),
                          p.corner.z + SPACING * (i / p.across / p.across)};
            OozeVec3 v = {0, p.speed * SPACING / def.time_step, 0};
            CHECK_OK(ooze_world_add_particles(world, id, 1, &x, &v, &error));
        }
    }
    return world;
}

/* Substeps of each of 5 steps, on both devices; positions agree at the end within `farthest`
   spacings. An impact amplifies rounding. */
static void compare(const char *method, Particles fast, Particles drop, double farthest,
                    int substeps[5])
{
    OozeWorld *here = create_world(method, fast, drop, OOZE_DEVICE_CPU);
    OozeWorld *there = create_world(method, fast, drop, OOZE_DEVICE_CUDA);
    for (int k = 0; k < 5; k++) {
        CHECK_OK(ooze_world_step(here, &error));
        CHECK_OK(ooze_world_step(there, &error));
        substeps[k] = there->substep.count;
        assert_int_equal(here->substep.count, there->substep.count);
    }
    double far = apart(ooze_world_frame(here), ooze_world_frame(there), "position", 3) / SPACING;
    printf("  %s: substeps %d %d %d %d %d, %.3g spacings apart\n", method, substeps[0], substeps[1],
           substeps[2], substeps[3], substeps[4], far);
    assert_true(far < farthest);
    ooze_world_destroy(here);
    ooze_world_destroy(there);
}

static const char *const methods[] = {"conformation", "links"};

static void particles_that_fly_off_do_not_divide_steps(void **state)
{
    (void)state;
    for (const char *method : methods) {
        int substeps[5];
        compare(method, {{0.05, 0.5, 0.05}, 1, 40}, {{0.05, -0.5, 0.05}, 2, -30}, 0.02, substeps);
        for (int count : substeps) {
            assert_int_equal(count, 1);
        }
    }
}

static void particles_that_meet_others_divide_steps(void **state)
{
    (void)state;
    for (const char *method : methods) {
        int substeps[5];
        compare(method, {{0.05, 1.91, 0.05}, 1, -40}, {{0.05, -0.5, 0.05}, 2, -30}, 0.2, substeps);
        assert_int_equal(substeps[0], 1);
        assert_true(substeps[2] > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_that_fly_off_do_not_divide_steps),
        cmocka_unit_test(particles_that_meet_others_divide_steps),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
