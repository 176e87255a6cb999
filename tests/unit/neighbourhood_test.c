/* Boundary samples in a world: planes are sampled near the fluid, other solids once, and a restored
   world has the same samples to the last bit. */
#include "check.h"

#include "base/hash.h"
#include "base/vec3.h"
#include "world/world.h"

static const double s = 0.05;

/* Everything drifts with its velocity. */
static OozeStatus drift(void *data, OozeStepContext *context, OozeError *error)
{
    (void)data;
    (void)error;
    OozeFloat4 *x = ooze_particles_positions(context->particles);
    const OozeFloat4 *v = ooze_particles_velocities(context->particles);
    float dt = (float)context->dt;
    for (uint64_t i = 0; i < ooze_particles_count(context->particles); i++) {
        x[i].x += dt * v[i].x;
        x[i].y += dt * v[i].y;
        x[i].z += dt * v[i].z;
    }
    return OOZE_OK;
}

static const OozeMethod drifting_method = {
    .info = {.name = "drifting", .summary = "drifts", .reference = ""},
    .uses_boundary_neighbours = true,
    .step = drift,
};

static int samplings; /* times that the world told of new samples */

static void hear(void *user, OozeLogLevel level, const char *line)
{
    (void)user;
    (void)level;
    samplings += strstr(line, "boundary particles") != NULL;
}

/* A block that flies along a floor, past a ball. `belt`: the floor runs below it, and tilts. */
static OozeWorld *make_world(bool belt)
{
    OozeWorld *world = NULL;
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = s;
    def.threads = 2;
    def.time_step = 0.01;
    def.log = hear;
    samplings = 0;
    CHECK_OK(ooze_world_create_with(&def, &drifting_method, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    OozeFluidDef block = ooze_fluid_def_default();
    block.shape.size = vec3(0.2, 0.2, 0.2);
    block.shape.position = vec3(0, 0.1, 0);
    block.velocity = vec3(4, 0, 1);
    OozeSolidDef floor = ooze_solid_def_default(), ball = ooze_solid_def_default();
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.3;
    ball.shape.position = vec3(0, 0.5, 2);
    if (belt) {
        floor.motion.velocity = vec3(-0.7, 0, 0.3);
        floor.motion.spin = ooze_vec3_degrees(vec3(0, 0.5, 0.1));
    }
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
    CHECK_OK(ooze_world_add_solid(world, &ball, NULL, &error));
    CHECK_OK(ooze_world_add_fluid(world, &block, NULL, &error));
    return world;
}

static void steps(OozeWorld *world, int count)
{
    for (int i = 0; i < count; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

static uint64_t hash_boundary(OozeWorld *world)
{
    OozeBoundary *b = &world->boundary;
    CHECK_OK(ooze_boundary_measure(b, NULL, NULL, &error));
    uint64_t hash = ooze_hash_bytes(OOZE_HASH_START, b->position, b->count * sizeof *b->position);
    hash = ooze_hash_bytes(hash, b->velocity, b->count * sizeof *b->velocity);
    hash = ooze_hash_bytes(hash, b->volume, b->count * sizeof *b->volume);
    return ooze_hash_bytes(hash, b->solid, b->count * sizeof *b->solid);
}

/* The sample nearest to the place below each particle is no farther than half the diagonal of their
   lattice, anywhere on the way. */
static void check_floor_below(const OozeWorld *world)
{
    const OozeBoundary *b = &world->boundary;
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    for (uint64_t i = 0; i < ooze_particles_count(world->particles); i++) {
        OozeVec3 p = vec3(x[i].x, x[i].y, x[i].z);
        OozeContact contact = ooze_solid_contact(&world->solids.items[0], p);
        OozeVec3 foot = vec3_madd(p, -contact.distance, contact.normal);
        double nearest = INFINITY;
        for (uint64_t k = 0; k < b->count; k++) {
            OozeVec3 q = vec3(b->position[k].x, b->position[k].y, b->position[k].z);
            nearest = b->solid[k] == 0 ? fmin(nearest, vec3_length(vec3_sub(foot, q))) : nearest;
        }
        assert_true(nearest <= s);
    }
}

static void planes_follow_the_fluid(void **state)
{
    (void)state;
    for (int belt = 0; belt < 2; belt++) {
        OozeWorld *world = make_world(belt);
        for (int i = 0; i < 10; i++) {
            steps(world, 10);
            check_floor_below(world);
        }
        /* 4 m of way, of which a clip has some 0.3 m to spare: one sampling in eight steps at
           most */
        assert_in_range(samplings, 2, 20);
        ooze_world_destroy(world);
    }
}

static void restored_samples_are_the_same(void **state)
{
    (void)state;
    for (int belt = 0; belt < 2; belt++) {
        OozeWorld *whole = make_world(belt);
        steps(whole, 60);
        for (int stop = 7; stop < 60; stop += 13) {
            OozeWorld *first = make_world(belt), *second = make_world(belt);
            steps(first, stop);
            CHECK_OK(ooze_world_restore(second, ooze_world_frame(first), &error));
            steps(second, 60 - stop);
            assert_true(ooze_frame_hash(ooze_world_frame(second)) ==
                        ooze_frame_hash(ooze_world_frame(whole)));
            assert_int_equal(second->boundary.count, whole->boundary.count);
            assert_true(hash_boundary(second) == hash_boundary(whole));
            ooze_world_destroy(first);
            ooze_world_destroy(second);
        }
        ooze_world_destroy(whole);
    }
}

/* In a periodic box a floor has one sample to each cell of the lattice, however high the fluid
   stands and wherever the floor has gone, and they are evenly spread: equal volumes. */
static void periodic_planes_are_sampled_once(void **state)
{
    (void)state;
    for (int belt = 0; belt < 2; belt++) {
        OozeWorld *world = NULL;
        OozeWorldDef def = ooze_world_def_default();
        def.spacing = s;
        def.time_step = 0.01;
        def.periodic[0] = def.periodic[2] = true;
        def.periodic_min = vec3(-8 * s, 0, 0);
        def.periodic_max = vec3(8 * s, 0, 10 * s);
        CHECK_OK(ooze_world_create_with(&def, &drifting_method, &world, &error));
        OozeMaterialDef material = ooze_material_def_default();
        CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
        OozeSolidDef floor = ooze_solid_def_default();
        floor.motion.velocity = belt ? vec3(-0.7, 0, 0.3) : vec3(0, 0, 0);
        CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
        OozeVec3 x[2] = {vec3(0, 0.5 * s, 0), vec3(0, 50 * s, 0)},
                 v[2] = {vec3(1, 0, 2), vec3(0, 3, 0)};
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 2, x, v, &error));
        for (int i = 0; i < 5; i++) {
            steps(world, 20);
            OozeBoundary *b = &world->boundary;
            CHECK_OK(ooze_boundary_measure(b, NULL, NULL, &error));
            assert_int_equal(b->count, 16 * 10);
            for (uint64_t k = 0; k < b->count; k++) {
                CHECK_NEAR(b->volume[k] / b->volume[0], 1, 1e-4);
            }
        }
        ooze_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_follow_the_fluid),
        cmocka_unit_test(restored_samples_are_the_same),
        cmocka_unit_test(periodic_planes_are_sampled_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
