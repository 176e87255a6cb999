/* Large solids of every shape have boundary samples near fluid only, which hold the fluid as those
   of the whole surface do. */
#include "check.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "solids/boundary_formula.h"
#include "world/world.h"

static const double s = 0.05;

static OozeWorld *make_world(const char *method, int threads)
{
    OozeWorld *world = NULL;
    OozeWorldDef def = ooze_world_def_default();
    def.method = method;
    def.spacing = s;
    def.threads = threads;
    def.time_step = 1.0 / 240;
    def.device = OOZE_DEVICE_CPU;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "viscosity", 10, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    return world;
}

static void add_block(OozeWorld *world, OozeVec3 centre, OozeVec3 velocity)
{
    OozeFluidDef block = ooze_fluid_def_default();
    block.shape.size = vec3(0.5, 0.3, 0.5);
    block.shape.position = centre;
    block.velocity = velocity;
    CHECK_OK(ooze_world_add_fluid(world, &block, NULL, &error));
}

static void add_solid(OozeWorld *world, const OozeShapeDef *shape, OozeVec3 velocity, OozeVec3 spin)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = *shape;
    def.motion.velocity = velocity;
    def.motion.spin = ooze_vec3_degrees(spin);
    CHECK_OK(ooze_world_add_solid(world, &def, NULL, &error));
}

static void steps(OozeWorld *world, int count)
{
    for (int i = 0; i < count; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

/* The largest distance of the point of the solid nearest to a particle from samples, of particles
   within a support of it; and the largest depth of a particle. */
static void measure(const OozeWorld *world, double *hole, double *depth)
{
    const OozeSolid *solid = &world->solids.items[0];
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    const OozeBoundary *b = &world->boundary;
    for (uint64_t p = 0; p < ooze_particles_count(world->particles); p++) {
        OozeVec3 at = vec3(x[p].x, x[p].y, x[p].z);
        OozeContact contact = ooze_solid_contact(solid, at);
        OozeVec3 foot = vec3_madd(at, -contact.distance, contact.normal);
        double nearest = contact.distance > world->support ? 0.0 : INFINITY;
        for (uint64_t k = 0; k < b->count && nearest > 0.5 * s; k++) {
            OozeVec3 q = vec3(b->position[k].x, b->position[k].y, b->position[k].z);
            nearest = fmin(nearest, vec3_length(vec3_sub(foot, q)));
        }
        *hole = fmax(*hole, nearest);
        *depth = fmax(*depth, -contact.distance);
    }
}

static OozeWorld *puddle_on_a_planet(const char *method, int threads)
{
    OozeShapeDef planet = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    planet.radius = 50;
    OozeWorld *world = make_world(method, threads);
    add_solid(world, &planet, vec3(0, 0, 0), vec3(0, 0, 0));
    add_block(world, vec3(0, 50.16, 0), vec3(2, 0, 0.5));
    return world;
}

/* The sphere has 12.6 million samples. */
static void puddles_lie_on_a_large_sphere(void **state)
{
    (void)state;
    static const char *const methods[] = {"links", "conformation", "wcsph"};
    for (int k = 0; k < 3; k++) {
        OozeWorld *world = puddle_on_a_planet(methods[k], 2);
        OozeWorldStats stats;
        double hole = 0.0, depth = 0.0;
        for (int i = 0; i < 20; i++) {
            steps(world, 3);
            measure(world, &hole, &depth);
        }
        ooze_world_stats(world, &stats);
        assert_true(world->solids.items[0].sampled_in_cells);
        printf("  %s: ", methods[k]);
        MEASURED("samples", (double)stats.boundary_particles, 500, 10000);
        MEASURED("memory, MB", (double)stats.memory_bytes * 1e-6, 0.1, 60);
        MEASURED("widest hole, spacings", hole / s, 0, 1);
        MEASURED("largest depth, spacings", depth / s, 0, 0.1);
        ooze_world_destroy(world);
    }
}

static void puddles_have_the_same_bits_on_threads_and_resumed(void **state)
{
    (void)state;
    enum { STEPS = 60 };
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
        OozeWorld *world = puddle_on_a_planet("links", run == 1 ? 3 : 1);
        if (run == 2) {
            OozeWorld *first = world;
            steps(first, 37);
            world = puddle_on_a_planet("links", 1);
            CHECK_OK(ooze_world_restore(world, ooze_world_frame(first), &error));
            ooze_world_destroy(first);
        }
        steps(world, STEPS - (int)world->step);
        hash[run] = ooze_frame_hash(ooze_world_frame(world));
        ooze_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

/* Shapes that move and turn under the fluid. */
static void cells_follow_moving_solids(void **state)
{
    (void)state;
    OozeShapeDef torus = ooze_shape_def_default(OOZE_SHAPE_TORUS);
    torus.radius = 5;
    torus.tube_radius = 1.5;
    torus.scale = vec3(3, 0.5, 1.2);
    OozeShapeDef parts[2] = {ooze_shape_def_default(OOZE_SHAPE_BOX),
                             ooze_shape_def_default(OOZE_SHAPE_CYLINDER)};
    parts[0].size = vec3(20, 1.5, 20);
    parts[1].radius = 9;
    parts[1].height = 1.2;
    parts[1].position = vec3(10, 0, 0);
    OozeShapeDef plate = ooze_shape_def_default(OOZE_SHAPE_COMPOUND);
    plate.parts = parts;
    plate.part_count = 2;
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = make_world("links", 2);
        double hole = 0.0, depth = 0.0;
        add_solid(world, k ? &plate : &torus, vec3(1, 0, 0.5), vec3(0, 0.1, 0));
        add_block(world, k ? vec3(9.8, 0.92, 0) : vec3(0, 0.9, 6), vec3(1, 0, 0));
        for (int i = 0; i < 15; i++) {
            steps(world, 4);
            measure(world, &hole, &depth);
            assert_in_range(world->boundary.count, 500, 10000);
        }
        assert_true(world->solids.items[0].sampled_in_cells);
        MEASURED("widest hole, spacings", hole / s, 0, 1);
        MEASURED("largest depth, spacings", depth / s, 0, 0.2);
        ooze_world_destroy(world);
    }
}

/* A box that is not aligned with the periodic axes and crosses the ends of the periodic box: the
   number of samples near each particle is that of all samples, wrapped. */
static void tilted_boxes_have_cells_in_periodic_worlds(void **state)
{
    (void)state;
    OozeWorld *world = NULL;
    OozeWorldDef def = ooze_world_def_default();
    def.method = "wcsph";
    def.spacing = s;
    def.time_step = 5e-4;
    def.gravity = vec3(0, 0, 0);
    def.device = OOZE_DEVICE_CPU;
    def.periodic[0] = def.periodic[2] = true;
    def.periodic_min = vec3(-3, 0, -3);
    def.periodic_max = vec3(3, 0, 3);
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "viscosity", 10, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeShapeDef box = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.size = vec3(14, 0.3, 9);
    box.rotation = quat_from_vector(vec3(0.04, 0.4, 0.16));
    add_solid(world, &box, vec3(0, 0, 0), vec3(0, 0, 0));
    const OozeSolid *solid = &world->solids.items[0];
    /* above the upper face, some of them in other images of the periodic box */
    OozeVec3 above[4] = {vec3(2.9, 0.17, 0.3), vec3(6.5, 0.17, 4), vec3(-6.8, 0.17, -4.2),
                         vec3(0, 0.17, -3)};
    for (int i = 0; i < 4; i++) {
        OozeVec3 x = ooze_pose_to_world(&solid->pose, above[i]);
        x = vec3(x.x - 6 * floor((x.x + 3) / 6), x.y, x.z - 6 * floor((x.z + 3) / 6));
        assert_true(ooze_solid_distance(solid, x, &(OozeVec3){0}) > 0.01);
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, NULL, &error));
    }
    steps(world, 1);
    assert_true(solid->sampled_in_cells);
    OozeSurfaceSamples whole = {0};
    CHECK_OK(ooze_sample_surface(solid->shape, s, NULL, NULL, &whole, &error));
    assert_true(whole.count > 100000 && world->boundary.count < whole.count);
    uint64_t found = 0;
    for (uint64_t i = 0; i < 4; i++) {
        OozeFloat4 at = ooze_particles_positions(world->particles)[i];
        uint64_t near = 0, within = 0;
        for (uint64_t k = 0; k < whole.count; k++) {
            OozeFloat4 y = ooze_sample_position(&solid->pose, ooze_to_float4(whole.points[k]),
                                                &world->periodic);
            const OozePeriodic *p = &world->periodic;
            double dx = ooze_periodic_delta(at.x - y.x, p->length[0], p->inverse[0]);
            double dz = ooze_periodic_delta(at.z - y.z, p->length[2], p->inverse[2]);
            double apart = hypot(hypot(dx, dz), (double)(at.y - y.y));
            near += apart < 1.02 * world->support;
            within += apart < 0.98 * world->support;
        }
        assert_in_range(world->fluid_boundary.count[i], within, near);
        found += within;
    }
    assert_true(found > 40);
    ooze_free(whole.points);
    ooze_free(whole.normals);
    ooze_world_destroy(world);
}

/* A sphere that wraps around a narrow periodic box a thousand times. */
static void too_many_images_are_refused_by_name(void **state)
{
    (void)state;
    OozeWorld *world = NULL;
    OozeWorldDef def = ooze_world_def_default();
    def.method = "wcsph";
    def.spacing = s;
    def.device = OOZE_DEVICE_CPU;
    def.periodic[2] = true;
    def.periodic_max = vec3(0, 0, 1);
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeSolidDef planet = ooze_solid_def_default();
    planet.name = "planet";
    planet.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    planet.shape.radius = 500;
    CHECK_OK(ooze_world_add_solid(world, &planet, NULL, &error));
    OozeVec3 x = vec3(0, 501, 0);
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, NULL, &error));
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_LIMIT,
                "solid 'planet' would have 1.26e+09 boundary particles at a spacing of 0.05 m");
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_true(stats.memory_bytes < 10e6);
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puddles_lie_on_a_large_sphere),
        cmocka_unit_test(puddles_have_the_same_bits_on_threads_and_resumed),
        cmocka_unit_test(cells_follow_moving_solids),
        cmocka_unit_test(tilted_boxes_have_cells_in_periodic_worlds),
        cmocka_unit_test(too_many_images_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
