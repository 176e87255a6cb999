/* Particles in free flight do not divide steps; those that meet particles or solids do. */
#include "check.h"

#include "base/vec3.h"
#include "methods/springs/cpu/loops.h"
#include "world/world.h"

#define SPACING 0.1
#define STEP    0.01
#define FAST    (40 * SPACING / STEP) /* m/s: 40 spacings a step, 64 substeps */

/* ---- a method that moves particles by their velocities --------------------------------------- */

static OozeStatus move(void *data, OozeStepContext *c, OozeError *error)
{
    (void)data;
    (void)error;
    OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    for (uint64_t i = 0; i < ooze_particles_count(c->particles); i++) {
        x[i].x += v[i].x * (float)c->dt;
        x[i].y += v[i].y * (float)c->dt;
        x[i].z += v[i].z * (float)c->dt;
    }
    return OOZE_OK;
}

static const char *const no_keys[] = {NULL};
static const OozeMethod moving_method = {
    .info = {.name = "moving", .summary = "moves", .reference = ""},
    .material_keys = no_keys,
    .step = move,
};

static OozeWorldDef world_def(void)
{
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = SPACING;
    def.time_step = STEP;
    def.gravity = vec3(0, 0, 0);
    def.threads = 2;
    return def;
}

static OozeWorld *create_world(const OozeWorldDef *def, const OozeMethod *method)
{
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create_with(def, method, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    return world;
}

/* A cube of across^3 particles, the first at `corner`. */
static void add_cube(OozeWorld *world, int across, OozeVec3 corner, OozeVec3 velocity)
{
    double d = world->def.spacing;
    for (int i = 0; i < across * across * across; i++) {
        OozeVec3 cell = vec3(i % across, i / across % across, i / across / across);
        OozeVec3 x = vec3_madd(corner, d, cell);
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, &velocity, &error));
    }
}

static int substeps_of_step(OozeWorld *world)
{
    CHECK_OK(ooze_world_step(world, &error));
    return world->substep.count;
}

/* Substeps of the first step with a cube of particles at rest at the origin and two fast ones. */
static int substeps_with(const OozeWorldDef *def, OozeVec3 x0, OozeVec3 v0, OozeVec3 x1,
                         OozeVec3 v1)
{
    OozeWorld *world = create_world(def, &moving_method);
    OozeVec3 x[2] = {x0, x1}, v[2] = {v0, v1};
    add_cube(world, 6, vec3(0, 0, 0), vec3(0, 0, 0));
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 2, x, v, &error));
    int count = substeps_of_step(world);
    ooze_world_destroy(world);
    return count;
}

/* ---- other particles ------------------------------------------------------------------------- */

static void paths_near_other_particles_are_divided(void **state)
{
    (void)state;
    const OozeWorldDef def = world_def();
    const OozeVec3 away = vec3(50, 50, 0), ahead = vec3(FAST, 0, 0), rest = vec3(0, 0, 0);
    /* leaves the cube; flies past it at a distance; crosses its corner; begins beside it */
    assert_int_equal(substeps_with(&def, vec3(3, 0, 0), ahead, away, rest), 1);
    assert_int_equal(substeps_with(&def, vec3(-2, 2.5, 0), ahead, away, rest), 1);
    assert_true(substeps_with(&def, vec3(-2, 0.7, 0), ahead, away, rest) > 4);
    assert_true(substeps_with(&def, vec3(0.7, 0, 0), ahead, away, rest) > 4);
    /* the end of the path in the cube: long substeps first, then short ones */
    int count = substeps_with(&def, vec3(-4.1, 0, 0), ahead, away, rest);
    assert_in_range(count, 4, 40);
}

static void fast_particles_that_meet_are_divided(void **state)
{
    (void)state;
    const OozeWorldDef def = world_def();
    const OozeVec3 right = vec3(FAST, 0, 0), left = vec3(-FAST, 0, 0), up = vec3(0, FAST, 0);
    const OozeVec3 here = vec3(10, 0, 0);
    /* head on; past each other; crossing at the same time and at different times */
    assert_true(substeps_with(&def, here, right, vec3(14, 0.1, 0), left) > 4);
    assert_int_equal(substeps_with(&def, here, right, vec3(14, 1, 0), left), 1);
    assert_true(substeps_with(&def, here, right, vec3(12, -2, 0), up) > 4);
    assert_int_equal(substeps_with(&def, here, right, vec3(13, 0, 0), up), 1);
    /* side by side, and one that overtakes another by more than max_travel */
    OozeVec3 beside = vec3(10, 0.1, 0);
    assert_int_equal(substeps_with(&def, here, right, beside, vec3(1.02 * FAST, 0, 0)), 1);
    int count = substeps_with(&def, here, right, beside, vec3(1.06 * FAST, 0, 0));
    assert_in_range(count, 2, 8);
}

static void too_many_fast_particles_are_divided(void **state)
{
    (void)state;
    const OozeWorldDef def = world_def();
    for (int across = 10; across <= 11; across++) { /* 1000 and 1331 particles */
        OozeWorld *world = create_world(&def, &moving_method);
        add_cube(world, across, vec3(0, 0, 0), vec3(FAST, 0, 0));
        assert_int_equal(substeps_of_step(world), across == 10 ? 1 : OOZE_SUBSTEP_UNITS);
        ooze_world_destroy(world);
    }
}

/* Many particles at 1.5 spacings a step need 2 substeps; one in free flight needs no more. */
static void free_flight_among_many_fast_particles(void **state)
{
    (void)state;
    const OozeWorldDef def = world_def();
    OozeWorld *world = create_world(&def, &moving_method);
    OozeVec3 x = vec3(5, 5, 5), v = vec3(0, FAST, 0);
    add_cube(world, 11, vec3(0, 0, 0), vec3(1.5 * SPACING / STEP, 0, 0));
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, &v, &error));
    assert_int_equal(substeps_of_step(world), 2);
    ooze_world_destroy(world);
}

static void paths_wrap_in_periodic_boxes(void **state)
{
    (void)state;
    OozeWorldDef def = world_def();
    def.periodic[0] = def.periodic[1] = true;
    def.periodic_max = vec3(3.03, 6.07, 0);
    const OozeVec3 ahead = vec3(FAST, 0, 0), rest = vec3(0, 0, 0), away = vec3(0, 0, 50);
    /* around the box into the cube; around it beside the cube; into the image across the border */
    assert_true(substeps_with(&def, vec3(2, 0, 0), ahead, away, rest) > 4);
    assert_int_equal(substeps_with(&def, vec3(2, 3, 0), ahead, away, rest), 1);
    assert_true(substeps_with(&def, vec3(2, 6, 0), ahead, away, rest) > 4);
    /* of two fast particles, in one box length */
    assert_true(substeps_with(&def, vec3(0, 3, 0), ahead, vec3(2.5, 3, 0), rest) > 4);
    assert_true(substeps_with(&def, vec3(0, 3, 0), ahead, vec3(2.5, 3, 0), vec3(-FAST, 0, 0)) > 4);
}

/* ---- solids ---------------------------------------------------------------------------------- */

/* Substeps of the first step of a fast particle at the origin with a ball. */
static int substeps_with_ball(OozeVec3 position, OozeVec3 velocity, bool arriving)
{
    const OozeWorldDef def = world_def();
    OozeWorld *world = create_world(&def, &moving_method);
    OozeVec3 x = vec3(0, 0, 0), v = vec3(FAST, 0, 0);
    OozeSolidDef ball = ooze_solid_def_default();
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.5;
    ball.shape.position = position;
    ball.motion.velocity = arriving ? vec3(0, 0, 0) : velocity;
    CHECK_OK(ooze_world_add_solid(world, &ball, NULL, &error));
    if (arriving) { /* placed by the API, with a velocity of 0 */
        OozeSolidPose pose = {.position = vec3_madd(position, STEP, velocity),
                              .rotation = quat_identity()};
        CHECK_OK(ooze_world_set_solid_pose(world, (OozeSolidId){0}, &pose, &error));
    }
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, &v, &error));
    int count = substeps_of_step(world);
    ooze_world_destroy(world);
    return count;
}

static void paths_near_solids_are_divided(void **state)
{
    (void)state;
    const OozeVec3 rest = vec3(0, 0, 0);
    assert_int_equal(substeps_with_ball(vec3(-1, 0, 0), rest, false), 1); /* behind it */
    assert_int_equal(substeps_with_ball(vec3(2, 1, 0), rest, false), 1);
    assert_true(substeps_with_ball(vec3(2, 0.6, 0), rest, false) > 4);
    assert_true(substeps_with_ball(vec3(3.5, 0, 0), rest, false) > 4);
    for (int arriving = 0; arriving < 2; arriving++) { /* through the path in a step */
        assert_true(substeps_with_ball(vec3(2, 2, 0), vec3(0, -4 / STEP, 0), arriving) > 4);
        assert_int_equal(substeps_with_ball(vec3(2, 4, 0), vec3(0, -1 / STEP, 0), arriving), 1);
    }
}

static void particles_inside_solids_are_divided(void **state)
{
    (void)state;
    /* short substeps until it has left the ball, then long ones */
    assert_in_range(substeps_with_ball(vec3(0, 0, 0), vec3(0, 0, 0), false), 8, 24);
}

/* ---- bound particles ------------------------------------------------------------------------- */

static const OozeFieldInfo held_field = {"held", OOZE_FIELD_UINT8, 1, 1, "", 1, true, "held"};

static double far_reach(const OozeStepContext *c)
{
    return 100 * c->support;
}

static OozeStatus mark_all(void *data, const OozeStepContext *c, const uint32_t *particles,
                           int count, bool *linked, OozeError *error)
{
    (void)data;
    (void)c;
    (void)error;
    for (int k = 0; k < count; k++) {
        assert_true(particles[k] < ooze_particles_count(c->particles));
        linked[k] = true;
    }
    return OOZE_OK;
}

static void links_keep_particles_from_free_flight(void **state)
{
    (void)state;
    OozeMethod methods[4] = {moving_method, moving_method, moving_method, moving_method};
    methods[1].reach = far_reach;
    methods[2].mark_linked = mark_all;
    methods[3].fields = &held_field;
    methods[3].field_count = 1;
    methods[3].unbounded_field = "held";
    for (int k = 0; k < 4; k++) {
        const OozeWorldDef def = world_def();
        OozeWorld *world = create_world(&def, &methods[k]);
        OozeVec3 x[2] = {vec3(0, 0, 0), vec3(0, 10, 0)}, v[2] = {vec3(FAST, 0, 0), vec3(0, 0, 0)};
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 2, x, v, &error));
        assert_int_equal(substeps_of_step(world), k == 0 ? 1 : OOZE_SUBSTEP_UNITS);
        ooze_world_destroy(world);
    }
}

/* A jet fills a nozzle that is longer than a step of it. */
static void particles_in_nozzles_are_divided(void **state)
{
    (void)state;
    const OozeWorldDef def = world_def();
    for (int nozzle = 0; nozzle < 2; nozzle++) {
        OozeWorld *world = create_world(&def, &moving_method);
        OozeEmitterDef jet = ooze_emitter_def_default();
        jet.radius = SPACING;
        jet.speed = 4 * SPACING / STEP;
        jet.length = nozzle ? 20 * SPACING : 0.0;
        CHECK_OK(ooze_world_add_emitter(world, &jet, NULL, &error));
        CHECK_OK(ooze_world_step(world, &error));
        CHECK_OK(ooze_world_step(world, &error));
        assert_true(ooze_world_particle_count(world) > 0);
        assert_int_equal(substeps_of_step(world), nozzle ? 4 : 1);
        ooze_world_destroy(world);
    }
}

/* ---- methods --------------------------------------------------------------------------------- */

typedef struct Case {
    const char *method;
    double time_step; /* s */
    bool same_bits;   /* fluid at rest has the same bits with and without particles in flight */
} Case;

static const Case cases[] = {
    {"conformation", 1.0 / 240, true},
    {"links", 1.0 / 240, true},
    {"springs", 1.0 / 240, true},
    {"wcsph", 1e-3, true},
    {"stress", 1e-3, true},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static double no_free_flight(const OozeStepContext *c)
{
    (void)c;
    return INFINITY;
}

static OozeWorld *method_world(const Case *c, bool free_flight, int threads)
{
    OozeMethod method = *ooze_method_find(c->method);
    static OozeMethod divided[CASES]; /* lives as long as its worlds */
    method.reach = no_free_flight;
    divided[c - cases] = method;
    OozeWorldDef def = world_def();
    def.spacing = 0.02;
    def.time_step = c->time_step;
    def.threads = threads;
    return create_world(&def, free_flight ? ooze_method_find(c->method) : &divided[c - cases]);
}

static OozeVec3 speed_of(const OozeWorld *world, double spacings)
{
    return vec3(0, spacings * world->def.spacing / world->def.time_step, 0);
}

/* A block, and on request a particle and a drop of 8 that fly off. */
static OozeWorld *block_and_strays(const Case *c, bool free_flight, bool strays, int threads)
{
    OozeWorld *world = method_world(c, free_flight, threads);
    add_cube(world, 6, vec3(0, 0, 0), vec3(0, 0, 0));
    if (strays) {
        add_cube(world, 1, vec3(0.05, 0.5, 0.05), speed_of(world, 40));
        add_cube(world, 2, vec3(0.05, -0.5, 0.05), speed_of(world, -30));
    }
    return world;
}

static OozeFloat4 of_id(OozeWorld *world, uint64_t id)
{
    const uint64_t *ids = ooze_particles_ids(world->particles);
    uint64_t i = 0;
    while (i < ooze_particles_count(world->particles) && ids[i] != id) {
        i++;
    }
    assert_true(i < ooze_particles_count(world->particles));
    return ooze_particles_positions(world->particles)[i];
}

static void particles_that_fly_off_do_not_divide_steps(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const Case *c = &cases[k];
        OozeWorld *with = block_and_strays(c, true, true, 2);
        OozeWorld *without = block_and_strays(c, true, false, 2);
        OozeWorld *divided = block_and_strays(c, false, true, 2);
        assert_int_equal(substeps_of_step(divided), OOZE_SUBSTEP_UNITS);
        for (int step = 0; step < 8; step++) {
            assert_int_equal(substeps_of_step(with), 1);
            assert_int_equal(substeps_of_step(without), 1);
        }
        double apart = 0.0;
        for (uint64_t id = 0; id < 216; id++) {
            OozeFloat4 a = of_id(with, id), b = of_id(without, id);
            apart = fmax(
                apart, hypot((double)(a.x - b.x), hypot((double)(a.y - b.y), (double)(a.z - b.z))));
        }
        double flown = ((double)of_id(with, 216).y - 0.5) / (8 * 40 * 0.02);
        printf("  %s: block %.3g spacings apart, flight of 1 %.6f\n", c->method, apart / 0.02,
               flown);
        assert_true(c->same_bits ? apart == 0.0 : apart < 1e-4);
        CHECK_NEAR(flown, 1, 1e-4);
        for (uint64_t id = 217; id < 225; id++) { /* the drop stays together */
            CHECK_NEAR((double)of_id(with, id).y, -0.5 - 8 * 30 * 0.02, 3 * 0.02);
        }
        ooze_world_destroy(with);
        ooze_world_destroy(without);
        ooze_world_destroy(divided);
    }
}

static void flights_have_the_same_bits_on_threads_and_resumed(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        uint64_t hash[3];
        for (int run = 0; run < 3; run++) {
            OozeWorld *world = block_and_strays(&cases[k], true, true, run + 1);
            for (int step = 0; step < 6; step++) {
                assert_int_equal(substeps_of_step(world), 1);
                if (run == 1 && step == 2) {
                    OozeWorld *resumed = block_and_strays(&cases[k], true, false, 2);
                    CHECK_OK(ooze_world_restore(resumed, ooze_world_frame(world), &error));
                    ooze_world_destroy(world);
                    world = resumed;
                }
            }
            hash[run] = ooze_frame_hash(ooze_world_frame(world));
            ooze_world_destroy(world);
        }
        assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    }
}

/* A particle flies past a ball, a wall and a corner of a box, and does not touch them. */
static void flights_past_solids_are_straight(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        OozeWorld *world = method_world(&cases[k], true, 2);
        double d = world->def.spacing;
        OozeSolidDef ball = ooze_solid_def_default(), wall = ball, box = ball;
        ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
        ball.shape.radius = 5 * d;
        ball.shape.position = vec3(15 * d, 20 * d, 0);
        CHECK_OK(ooze_world_add_solid(world, &ball, NULL, &error));
        box.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
        box.shape.size = vec3(10 * d, 10 * d, 10 * d);
        box.shape.position = vec3(0, 100 * d, 15 * d);
        CHECK_OK(ooze_world_add_solid(world, &box, NULL, &error));
        wall.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        wall.shape.normal = vec3(1, 0, 0);
        wall.shape.position = vec3(-8 * d, 0, 0);
        CHECK_OK(ooze_world_add_solid(world, &wall, NULL, &error));
        OozeVec3 x = vec3(0, 0, 0), v = speed_of(world, 40);
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, &v, &error));
        for (int step = 0; step < 5; step++) {
            assert_int_equal(substeps_of_step(world), 1);
        }
        OozeFloat4 end = of_id(world, 0);
        printf("  %s: ends at %.4f %.4f %.4f spacings\n", cases[k].method, (double)end.x / d,
               (double)end.y / d, (double)end.z / d);
        CHECK_NEAR((double)end.x, 0, 1e-3 * d);
        CHECK_NEAR((double)end.y, 200 * d, 1e-3 * d);
        CHECK_NEAR((double)end.z, 0, 1e-3 * d);
        ooze_world_destroy(world);
    }
}

/* A particle is torn off a cube. The spring of a material without plasticity stays; a link of a
   viscous fluid breaks, and that of an elastic one does not. */
static int substeps_when_torn_off(const Case *c, const char *key, double value)
{
    OozeWorld *world = method_world(c, true, 2);
    OozeMaterialDef material = ooze_material_def_default();
    OozeMaterialId id;
    CHECK_OK(ooze_material_def_set(&material, "plasticity", 0, &error));
    CHECK_OK(ooze_material_def_set(&material, key, value, &error));
    CHECK_OK(ooze_world_add_material(world, &material, &id, &error));
    OozeVec3 x[3] = {vec3(0, 0, 0), vec3(0.02, 0, 0), vec3(0.01, 0.015, 0)};
    OozeVec3 v[3] = {vec3(0, 0, 0), vec3(0, 0, 0), speed_of(world, 40)};
    CHECK_OK(ooze_world_add_particles(world, id, 3, x, v, &error));
    CHECK_OK(ooze_world_step(world, &error));
    CHECK_OK(ooze_world_step(world, &error));
    int count = substeps_of_step(world);
    printf("  %s, %s %g: %d substeps, at %.3f m\n", c->method, key, value, count,
           (double)of_id(world, 2).y);
    ooze_world_destroy(world);
    return count;
}

static void long_links_divide_steps(void **state)
{
    (void)state;
    const Case *links = &cases[1], *springs = &cases[2];
    assert_int_equal(substeps_when_torn_off(springs, "spring_stiffness", 0), 1);
    assert_true(substeps_when_torn_off(springs, "spring_stiffness", 1e-3) > 16);
    assert_int_equal(substeps_when_torn_off(links, "label", 0), 1);
    assert_true(substeps_when_torn_off(links, "label", 1) > 16);
}

/* Springs within a drop do not keep it from free flight. */
static void drops_with_springs_fly_freely(void **state)
{
    (void)state;
    OozeWorld *world = method_world(&cases[2], true, 2);
    CHECK_OK(ooze_world_set_material(world, (OozeMaterialId){0}, "spring_stiffness", 0.3, &error));
    add_cube(world, 2, vec3(0, 0, 0), speed_of(world, 40));
    for (int step = 0; step < 3; step++) {
        assert_int_equal(substeps_of_step(world), 1);
    }
    assert_true(((OozeSpringsMemory *)world->method_data)->table.rows[0].n == 8);
    assert_true(((OozeSpringsMemory *)world->method_data)->table.rows[0].count[0] > 0);
    ooze_world_destroy(world);
}

static void bodies_in_flight_are_divided(void **state)
{
    (void)state;
    OozeWorld *world = method_world(&cases[0], true, 2);
    OozeFluidDef ball = ooze_fluid_def_default();
    ball.body = OOZE_BODY_RIGID;
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.05;
    ball.velocity = speed_of(world, 40);
    CHECK_OK(ooze_world_add_fluid(world, &ball, NULL, &error));
    assert_int_equal(substeps_of_step(world), OOZE_SUBSTEP_UNITS);
    ooze_world_destroy(world);
}

/* Momentum of the block, in velocities of a particle, and the lowest position of the projectile. */
typedef struct Impact {
    double momentum, lowest;
    int most, total; /* substeps */
} Impact;

static Impact shoot(const Case *c, bool free_flight, bool at_floor)
{
    OozeWorld *world = method_world(c, free_flight, 2);
    Impact impact = {.lowest = INFINITY};
    if (at_floor) {
        OozeSolidDef floor = ooze_solid_def_default();
        floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
    } else {
        add_cube(world, 6, vec3(0, 0, 0), vec3(0, 0, 0));
    }
    uint64_t id = ooze_particles_count(world->particles);
    OozeVec3 x = vec3(0.05, 3.11, 0.05), v = speed_of(world, -40);
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, &v, &error));
    for (int step = 0; step < 5; step++) {
        int count = substeps_of_step(world);
        impact.most = count > impact.most ? count : impact.most;
        impact.total += count;
        impact.lowest = fmin(impact.lowest, (double)of_id(world, id).y);
    }
    const uint64_t *ids = ooze_particles_ids(world->particles);
    for (uint64_t i = 0; i < ooze_particles_count(world->particles); i++) {
        double u = (double)ooze_particles_velocities(world->particles)[i].y;
        impact.momentum += ids[i] != id ? u / vec3_length(v) : 0.0;
    }
    ooze_world_destroy(world);
    return impact;
}

static void impacts_are_as_in_divided_steps(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        for (int at_floor = 0; at_floor < 2; at_floor++) {
            Impact free = shoot(&cases[k], true, at_floor);
            Impact divided = shoot(&cases[k], false, at_floor);
            printf("  %s on %s: substeps %d of %d, at most %d of %d; momentum %.4f, %.4f; lowest "
                   "%.4f, %.4f m\n",
                   cases[k].method, at_floor ? "floor" : "block", free.total, divided.total,
                   free.most, divided.most, free.momentum, divided.momentum, free.lowest,
                   divided.lowest);
            assert_true(free.most > 4 && free.total < divided.total / 4);
            CHECK_NEAR(free.momentum, divided.momentum, 0.01);
            CHECK_NEAR(free.lowest, divided.lowest, 0.5 * 0.02);
            assert_true(!at_floor || free.lowest > 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_near_other_particles_are_divided),
        cmocka_unit_test(fast_particles_that_meet_are_divided),
        cmocka_unit_test(too_many_fast_particles_are_divided),
        cmocka_unit_test(free_flight_among_many_fast_particles),
        cmocka_unit_test(paths_wrap_in_periodic_boxes),
        cmocka_unit_test(paths_near_solids_are_divided),
        cmocka_unit_test(particles_inside_solids_are_divided),
        cmocka_unit_test(links_keep_particles_from_free_flight),
        cmocka_unit_test(particles_in_nozzles_are_divided),
        cmocka_unit_test(particles_that_fly_off_do_not_divide_steps),
        cmocka_unit_test(flights_have_the_same_bits_on_threads_and_resumed),
        cmocka_unit_test(flights_past_solids_are_straight),
        cmocka_unit_test(long_links_divide_steps),
        cmocka_unit_test(drops_with_springs_fly_freely),
        cmocka_unit_test(bodies_in_flight_are_divided),
        cmocka_unit_test(impacts_are_as_in_divided_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
