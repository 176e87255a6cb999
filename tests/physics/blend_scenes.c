/* Acceptance tests of the blend method on the scenes of the paper's figures. */
#include "physics/blend_fixtures.h"

#define FOLDER "takamatsu2011"

/* The first value of a probe of the scene, measured now. */
static double probe_value(OozeWorld *world, const char *name)
{
    OozeProbeId id = {0};
    CHECK_OK(ooze_world_find_probe(world, name, &id, &error));
    return read_probe(world, id, 0);
}

/* ---- T06: the bar of figure 2 ---------------------------------------------------------------- */

static void stop(OozeVec3 position, const void *user, float *value)
{
    (void)position;
    (void)user;
    value[0] = value[1] = value[2] = 0.0f;
}

/* Kinetic damping: the velocities are set to 0 whenever the kinetic energy has passed a maximum,
   until the bar hangs still. */
static double sag_at_rest(const char *name)
{
    static const char *const cells[] = {"method.regions=cells"};
    OozeWorld *world = begin_scene(FOLDER, name, cells, 1);
    double level = probe_value(world, "tip"), before = 0, sag = 0, change = INFINITY;
    for (int step = 0, last = 0; step < 6000 && change > 1e-3 * sag; step++) {
        step_world(world);
        double kinetic = take_census(world).energy;
        if (kinetic < before) {
            double now = level - probe_value(world, "tip");
            change = last > 0 ? fabs(now - sag) : INFINITY;
            sag = now;
            last = step;
            set_field(world, "velocity", stop, NULL);
            kinetic = 0;
        }
        before = kinetic;
    }
    ooze_world_destroy(world);
    return sag;
}

static void blend_T06_bar(void **state)
{
    (void)state;
    double sag[3] = {sag_at_rest("bar_sigma3"), sag_at_rest("bar_sigma5"),
                     sag_at_rest("bar_sigma8")};
    printf("  sag of the tip: %.4g, %.4g, %.4g m at radii of 3, 5, 8\n", sag[0], sag[1], sag[2]);
    MEASURED("sag at 3 over that at 5", sag[0] / sag[1], 1.3, INFINITY);
    MEASURED("sag at 5 over that at 8", sag[1] / sag[2], 1.3, INFINITY);
}

/* ---- T07: the cubes of figure 3 -------------------------------------------------------------- */

static void blend_T07_cubes(void **state)
{
    (void)state;
    static const char *const names[] = {"solid", "jelly", "paste", "soft", "fluid"};
    static const char *const soft[] = {"method.sound_speed=10"}; /* for time */
    OozeWorld *world = begin_scene(FOLDER, "cubes_small", soft, 1);
    Census before = take_census(world);
    advance(world, 3);
    Census after = take_census(world);
    assert_int_equal(after.count, before.count);
    double height[5];
    for (int k = 0; k < 5; k++) {
        height[k] = probe_value(world, names[k]) / 1.5;
        printf("  '%s': height over edge %.4f\n", names[k], height[k]);
    }
    MEASURED("height over edge at alpha 0", height[0], 0.9, 1.1);
    MEASURED("height over edge at alpha 1", height[4], 0, 0.35);
    for (int k = 1; k < 5; k++) {
        MEASURED("height over that of the share before", height[k] / height[k - 1], 0, 0.999);
    }
    ooze_world_destroy(world);
}

/* ---- T09: splitting and merging, figure 5 (c) ------------------------------------------------ */

/* A blob, longer than the hemisphere is wide, falls across it. Its pieces: the most, and those at
   the end. */
static void split(double threshold, double *most, double *last)
{
    const double d = 0.05;
    OozeWorld *world = blend_world((Setup){.spacing = d, .time_step = 1.0 / 300, .gravity = down()},
                                   2.2, OOZE_REGIONS_OF_PARTICLES);
    world->def.max_travel = 1; /* steps are divided where sound or speed ask for it */
    set_param(world, "sound_speed", 20);
    set_param(world, "update_interval", 0.04);
    OozeMaterialId jelly = add_jelly(
        world,
        (Jelly){.fluid_share = 0.85, .threshold = threshold, .viscosity = 5, .density = 1000});
    add_floor(world, 0.8);
    OozeSolidDef ball = ooze_solid_def_default();
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.42;
    ball.friction = 0;
    OozeSolidId id = {0};
    CHECK_OK(ooze_world_add_solid(world, &ball, &id, &error));
    OozeFluidDef blob = ooze_fluid_def_default();
    blob.material = jelly;
    blob.shape = ooze_shape_def_default(OOZE_SHAPE_CAPSULE);
    blob.shape.radius = 0.3;
    blob.shape.height = 1.0;
    blob.shape.position = vec3(0, 1.2, 0);
    blob.shape.rotation = quat_from_vector(vec3(0, 0, 0.5 * OOZE_PI));
    blob.velocity = vec3(0, -3, 0);
    CHECK_OK(ooze_world_add_fluid(world, &blob, NULL, &error));
    OozeProbeDef def = ooze_probe_def_default();
    def.kind = OOZE_PROBE_COMPONENTS;
    def.link_length = 1.5;
    OozeProbeId pieces = {0};
    CHECK_OK(ooze_world_add_probe(world, &def, &pieces, &error));
    *most = 0;
    for (int k = 0; k < 30; k++) {
        advance(world, 0.04);
        *last = read_probe(world, pieces, 0);
        *most = fmax(*most, *last);
    }
    ooze_world_destroy(world);
}

static void blend_T09_split_and_merge(void **state)
{
    (void)state;
    double most, last;
    split(6, &most, &last);
    MEASURED("pieces at most", most, 2, INFINITY);
    MEASURED("pieces on the floor", last, 1, 1);
    split(INFINITY, &most, &last);
    MEASURED("pieces at most, with one reference shape for ever", most, 1, 1);
}

/* ---- T10: balls that merge with a pool, figure 5 (d) ----------------------------------------- */

static void blend_T10_pool(void **state)
{
    (void)state;
    static const char *const soft[] = {"method.sound_speed=12"}; /* for time */
    OozeWorld *world = begin_scene(FOLDER, "balls", soft, 1);
    uint64_t n = ooze_world_frame(world)->particle_count;
    MEASURED("pieces at the start", probe_value(world, "components"), 5, 5);
    advance(world, 2);
    assert_int_equal(ooze_world_frame(world)->particle_count, n);
    MEASURED("pieces at the end", probe_value(world, "components"), 1, 1);
    double level = (double)n * pow(0.05, 3) / (1.6 * 1.6);
    MEASURED("height of the surface over the level of the volume",
             probe_value(world, "surface") / level, 0.9, 1.1);
    ooze_world_destroy(world);
}

/* ---- T12: shape recovery, figure 5 (a) ------------------------------------------------------- */

static void blend_T12_recovery(void **state)
{
    (void)state;
    OozeWorld *world = begin_scene(FOLDER, "moai_small", NULL, 0);
    Census before = take_census(world);
    double size = vec3_length(vec3_sub(before.high, before.low)), lowest = INFINITY, high = 0;
    for (int k = 0; k < 60; k++) {
        advance(world, 0.05);
        double y = take_census(world).low.y;
        high = y < lowest ? 0 : fmax(high, y - lowest);
        lowest = fmin(lowest, y);
    }
    printf("  it rises by %.3g m after its impact\n", high);
    MEASURED("RMS distance from the best rigid fit over the size",
             probe_value(world, "drift") / size, 0, 0.01);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(blend_T06_bar), cmocka_unit_test(blend_T07_cubes),
                cmocka_unit_test(blend_T09_split_and_merge), cmocka_unit_test(blend_T10_pool),
                cmocka_unit_test(blend_T12_recovery))
