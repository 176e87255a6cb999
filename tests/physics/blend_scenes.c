/* Acceptance tests of the blend method on the scenes of the paper's figures. */
#include "physics/blend_fixtures.h"

#define FOLDER "takamatsu2011"

static const double hemisphere_radius = 0.42; /* m */

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
    OozeWorld *world = begin_scene(FOLDER, name, NULL, 0);
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

/* The modulus of the matching grows with the square of the radius. The work of a step grows with
   the numbers of neighbours of T01. */
static void blend_T06_bar(void **state)
{
    (void)state;
    double sag[3] = {sag_at_rest("bar_sigma3"), sag_at_rest("bar_sigma5"),
                     sag_at_rest("bar_sigma8")};
    printf("  sag of the tip: %.4g, %.4g, %.4g m at radii of 3, 5, 8\n", sag[0], sag[1], sag[2]);
    MEASURED("sag at 3 over that at 5, over (5/3)^2", sag[0] / sag[1] / pow(5.0 / 3, 2), 0.75,
             1.25);
    MEASURED("sag at 5 over that at 8, over (8/5)^2", sag[1] / sag[2] / pow(8.0 / 5, 2), 0.75,
             1.25);
}

/* ---- T07: the cubes of figure 3 -------------------------------------------------------------- */

static void blend_T07_cubes(void **state)
{
    (void)state;
    static const char *const names[] = {"solid", "jelly", "paste", "soft", "fluid"};
    OozeWorld *world = begin_scene(FOLDER, "cubes_small", NULL, 0);
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
        MEASURED("height over that of the share before", height[k] / height[k - 1], 0, 0.99);
    }
    ooze_world_destroy(world);
}

/* ---- T09: splitting and merging, figure 5 (c) ------------------------------------------------ */

/* A blob, longer than the hemisphere is wide, falls across it. */
static OozeWorld *blob_world(double threshold)
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
    ball.shape.radius = hemisphere_radius;
    ball.friction = 0;
    CHECK_OK(ooze_world_add_solid(world, &ball, NULL, &error));
    OozeFluidDef blob = ooze_fluid_def_default();
    blob.material = jelly;
    blob.shape = ooze_shape_def_default(OOZE_SHAPE_CAPSULE);
    blob.shape.radius = 0.3;
    blob.shape.height = 1.0;
    blob.shape.position = vec3(0, 1.2, 0);
    blob.shape.rotation = quat_from_vector(vec3(0, 0, 0.5 * OOZE_PI));
    blob.velocity = vec3(0, -3, 0);
    CHECK_OK(ooze_world_add_fluid(world, &blob, NULL, &error));
    return world;
}

typedef struct Pieces {
    double most, last; /* with links of 1.5 spacings: at any time, after 1.2 s */
    double apart;      /* largest share of the particles outside the largest piece */
    double drift;      /* m: largest RMS distance from the best rigid fit */
} Pieces;

static Pieces split(double threshold)
{
    OozeWorld *world = blob_world(threshold);
    OozeProbeDef def = ooze_probe_def_default();
    OozeProbeId components = {0}, drift = add_probe(world, OOZE_PROBE_DRIFT);
    def.kind = OOZE_PROBE_COMPONENTS;
    def.link_length = 1.5;
    CHECK_OK(ooze_world_add_probe(world, &def, &components, &error));
    Pieces p = {0};
    for (int k = 0; k < 30; k++) {
        advance(world, 0.04);
        p.last = read_probe(world, components, 0);
        p.most = fmax(p.most, p.last);
        p.apart = fmax(p.apart, 1 - read_probe(world, components, 1));
        p.drift = fmax(p.drift, read_probe(world, drift, 0));
    }
    ooze_world_destroy(world);
    return p;
}

static void blend_T09_split_and_merge(void **state)
{
    (void)state;
    Pieces p = split(6);
    MEASURED("pieces at most", p.most, 2, INFINITY);
    /* more than stray particles */
    MEASURED("share of the particles outside the largest piece, at most", p.apart, 0.1, 1);
    MEASURED("pieces on the floor", p.last, 1, 1);
    p = split(INFINITY);
    MEASURED("pieces at most, with one reference shape for ever", p.most, 1, 1);
    MEASURED("RMS distance from the best rigid fit over the radius of the hemisphere, at most",
             p.drift / hemisphere_radius, 0.1, 1);
}

/* ---- T10: balls that merge with a pool, figure 5 (d) ----------------------------------------- */

static void blend_T10_pool(void **state)
{
    (void)state;
    OozeWorld *world = begin_scene(FOLDER, "balls", NULL, 0);
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

/* The head vibrates as it flies: the distance is the largest of the last half second. */
static void blend_T12_recovery(void **state)
{
    (void)state;
    OozeWorld *world = begin_scene(FOLDER, "moai_small", NULL, 0);
    Census before = take_census(world);
    double size = before.high.y - before.low.y, lowest = INFINITY, high = 0, most = 0, late = 0;
    for (int k = 1; k <= 60; k++) {
        advance(world, 0.05);
        double y = take_census(world).low.y, distance = probe_value(world, "drift") / size;
        high = y < lowest ? 0 : fmax(high, y - lowest);
        lowest = fmin(lowest, y);
        most = fmax(most, distance);
        late = k > 50 ? fmax(late, distance) : 0;
    }
    MEASURED("rise after the impact over the height of the head", high / size, 0.1, INFINITY);
    MEASURED("RMS distance from the best rigid fit over the height, at the impact", most, 0.01, 1);
    MEASURED("the same after 3 s", late, 0, 0.01);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(blend_T06_bar), cmocka_unit_test(blend_T07_cubes),
                cmocka_unit_test(blend_T09_split_and_merge), cmocka_unit_test(blend_T10_pool),
                cmocka_unit_test(blend_T12_recovery))
