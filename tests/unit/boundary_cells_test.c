/* Boundary samples in cells of a lattice: the samples of the whole surface, in the same order, and
   in a world only where fluid is near, with the same forces on every particle. */
#include "check.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "world/world.h"

static const double s = 0.05;

/* ---- lattices ------------------------------------------------------------------------------- */

static OozeShape *make_shape(OozeShapeKind kind)
{
    OozeShapeDef def = ooze_shape_def_default(kind);
    def.size = vec3(1.31, 0.87, 1.12);
    def.normal = vec3(0.3, 0.9, -0.2);
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, s, &shape, &error));
    return shape;
}

/* Cells of the samples for which `part` of the cells, chosen by their keys, are taken. */
static void check_cells(OozeShapeKind kind, int part)
{
    const OozePose unmoved = {.rotation = {0, 0, 0, 1}};
    const OozeBounds clip = ooze_bounds(vec3(-2, -2, -2), vec3(2, 2, 2));
    OozeShape *shape = make_shape(kind);
    OozeSurfaceLattice lattice;
    OozeSurfaceSamples whole = {0};
    OozeCellSet cells = {0}, around = {0};
    assert_true(ooze_surface_lattice(shape, s, &lattice));
    CHECK_OK(ooze_sample_surface(shape, s, &clip, NULL, &whole, &error));
    OozeCellMap map = ooze_lattice_cell_map(&lattice, &unmoved);
    /* half a step away from the border of the cell, against rounding */
    OozeVec3 middle = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        middle = vec3_madd(middle, 0.5 * lattice.step[k], lattice.axes[k]);
    }
    for (uint64_t i = 0; i < whole.count; i++) {
        uint64_t key = ooze_cell_of(&map, vec3_add(whole.points[i], middle));
        assert_true(ooze_lattice_touches(&lattice, key, 0));
        if ((key ^ key >> OOZE_CELL_BITS ^ key >> 2 * OOZE_CELL_BITS) % 5 >= (uint64_t)part) {
            CHECK_OK(ooze_cell_set_add(&cells, key, &error));
        }
    }
    ooze_cell_set_sort(&cells);
    uint64_t n = ooze_lattice_sample(&lattice, &cells, NULL), at = 0;
    OozeVec3 *points = ooze_alloc(n + 1, sizeof *points);
    assert_true(n > 100 && ooze_lattice_sample(&lattice, &cells, points) == n);
    for (uint64_t i = 0; i < whole.count; i++) { /* a plane has more of them beyond its clip */
        uint64_t key = ooze_cell_of(&map, vec3_add(whole.points[i], middle));
        while (ooze_cell_set_has(&cells, key) && kind == OOZE_SHAPE_PLANE && at < n &&
               memcmp(&points[at], &whole.points[i], sizeof *points) != 0) {
            assert_false(ooze_bounds_contain(&clip, points[at++]));
        }
        if (ooze_cell_set_has(&cells, key)) {
            assert_true(at < n);
            assert_memory_equal(&points[at++], &whole.points[i], sizeof *points);
        }
    }
    assert_true(kind == OOZE_SHAPE_PLANE || at == n);
    CHECK_OK(ooze_lattice_around(&lattice, &cells, 1, true, &around, &error));
    for (uint64_t i = 0; i < cells.count; i++) {
        assert_true(ooze_cell_set_has(&around, cells.keys[i]));
    }
    ooze_cell_set_free(&cells);
    ooze_cell_set_free(&around);
    ooze_free(points);
    ooze_free(whole.points);
    ooze_free(whole.normals);
    ooze_shape_destroy(shape);
}

static void cells_have_the_samples_of_the_surface_in_its_order(void **state)
{
    (void)state;
    for (int part = 0; part < 4; part++) {
        check_cells(OOZE_SHAPE_BOX, part);
        check_cells(OOZE_SHAPE_PLANE, part);
    }
}

/* ---- worlds --------------------------------------------------------------------------------- */

static int samplings; /* times that a world created samples */

static void count_samplings(void *user, OozeLogLevel level, const char *line)
{
    (void)user;
    (void)level;
    samplings += strstr(line, "boundary particles") != NULL;
}

static OozeWorld *make_world(const char *method, int threads, double max_travel)
{
    OozeWorld *world = NULL;
    OozeWorldDef def = ooze_world_def_default();
    def.method = method;
    def.spacing = s;
    def.threads = threads;
    def.time_step = strcmp(method, "wcsph") == 0 ? 5e-4 : 1.0 / 240;
    def.max_travel = max_travel;
    def.device = OOZE_DEVICE_CPU;
    def.log = count_samplings;
    samplings = 0;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "viscosity", 10, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    return world;
}

static void add_block(OozeWorld *world, OozeVec3 centre, double edge, OozeVec3 velocity)
{
    OozeFluidDef block = ooze_fluid_def_default();
    block.shape.size = vec3(edge, edge, edge);
    block.shape.position = centre;
    block.velocity = velocity;
    CHECK_OK(ooze_world_add_fluid(world, &block, NULL, &error));
}

static void add_floor(OozeWorld *world)
{
    OozeSolidDef floor = ooze_solid_def_default();
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
}

/* From corner 0 to corner `size`. */
static void add_room(OozeWorld *world, double size)
{
    OozeSolidDef room = ooze_solid_def_default();
    room.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    room.shape.size = vec3(size, size, size);
    room.shape.position = vec3_scale(room.shape.size, 0.5);
    room.shape.inverted = true;
    CHECK_OK(ooze_world_add_solid(world, &room, NULL, &error));
}

static void steps(OozeWorld *world, int count)
{
    for (int i = 0; i < count; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

/* 125 particles on a floor, and 8 that fly along it: at first near it, later far away. */
static OozeWorld *stray_world(int threads)
{
    OozeWorld *world = make_world("conformation", threads, 1);
    add_floor(world);
    add_block(world, vec3(0, 0.125, 0), 0.25, vec3(0, 0, 0));
    add_block(world, vec3(1, 0.3, 0), 0.1, vec3(30, 3, 5));
    assert_int_equal(ooze_particles_count(world->particles), 133);
    return world;
}

/* 8 particles at 30 m/s are 60 m away after 2 s: 1.4 million spacings^2 between them and the rest.
   A particle near the floor has samples in at most 7 x 7 cells of 64 of them. */
static void particles_far_away_do_not_add_samples_between(void **state)
{
    (void)state;
    OozeWorld *world = stray_world(2);
    uint64_t largest = 0;
    int substeps = 0;
    for (int i = 0; i < 480; i++) {
        steps(world, 1);
        substeps += world->substep.count;
        largest = world->boundary.count > largest ? world->boundary.count : largest;
    }
    const OozeSolid *floor = &world->solids.items[0];
    assert_true(floor->sampled_in_cells);
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    MEASURED("samples at most", (double)largest, 2000, 1.2e5);
    MEASURED("samples at last", (double)world->boundary.count, 1000, 9.0 * 49 * 64);
    MEASURED("memory, MB", (double)stats.memory_bytes * 1e-6, 0.1, 40);
    /* at most one spacing in a substep, and a margin of 8 */
    MEASURED("samplings per substep", (double)samplings / substeps, 0, 0.125);
    ooze_world_destroy(world);
}

static void strays_have_the_same_bits_on_threads_and_resumed(void **state)
{
    (void)state;
    enum { STEPS = 160 };
    uint64_t hash[4];
    for (int run = 0; run < 4; run++) {
        OozeWorld *world = stray_world(run == 1 ? 1 : 2);
        if (run >= 2) { /* resumed before and after cells are used */
            OozeWorld *first = world;
            steps(first, run == 2 ? 11 : 133);
            assert_true(first->solids.items[0].sampled_in_cells == (run == 3));
            world = stray_world(1);
            CHECK_OK(ooze_world_restore(world, ooze_world_frame(first), &error));
            ooze_world_destroy(first);
        }
        steps(world, STEPS - (int)world->step);
        hash[run] = ooze_frame_hash(ooze_world_frame(world));
        ooze_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2] && hash[2] == hash[3]);
}

/* Position of the particle with this id. */
static OozeFloat4 position_of(const OozeWorld *world, uint64_t id)
{
    const uint64_t *ids = ooze_particles_ids(world->particles);
    uint64_t i = 0;
    while (ids[i] != id) {
        i++;
    }
    return ooze_particles_positions(world->particles)[i];
}

/* A pool on a floor: one more particle, 200 m away, makes the floor be sampled in cells, and
   changes no bit of the pool. The method has no sums over all particles. */
static void pools_have_the_same_bits_in_cells(void **state)
{
    (void)state;
    OozeWorld *worlds[2];
    for (int k = 0; k < 2; k++) {
        OozeVec3 far = vec3(200, 0.02, 0);
        worlds[k] = make_world("wcsph", 2, 0);
        add_floor(worlds[k]);
        add_block(worlds[k], vec3(0, 0.2, 0), 0.4, vec3(1, 0, 0.2));
        if (k == 1) {
            CHECK_OK(
                ooze_world_add_particles(worlds[k], (OozeMaterialId){0}, 1, &far, NULL, &error));
        }
        steps(worlds[k], 400);
        assert_true(worlds[k]->solids.items[0].sampled_in_cells == (k == 1));
    }
    MEASURED("samples in cells", (double)worlds[1]->boundary.count, 1000, 20000);
    for (uint64_t id = 0; id < 512; id++) {
        OozeFloat4 a = position_of(worlds[0], id), b = position_of(worlds[1], id);
        assert_memory_equal(&a, &b, sizeof a);
    }
    ooze_world_destroy(worlds[0]);
    ooze_world_destroy(worlds[1]);
}

/* Fluid in the corner of rooms: the first is sampled completely, the others in cells; 6 walls of
   50 m have 6 million samples. */
static void rooms_have_samples_near_fluid_only(void **state)
{
    (void)state;
    static const double sizes[] = {6, 8, 50, 400};
    OozeWorld *worlds[4];
    double apart[4] = {0};
    for (int k = 0; k < 4; k++) {
        OozeWorldStats stats;
        worlds[k] = make_world("conformation", 2, 0);
        add_room(worlds[k], sizes[k]);
        add_block(worlds[k], vec3(0.2, 0.25, 0.2), 0.4, vec3(0, 0, 0));
        steps(worlds[k], 10);
        ooze_world_stats(worlds[k], &stats);
        assert_true(worlds[k]->solids.items[0].sampled_in_cells == (k > 0));
        if (k > 0) {
            MEASURED("samples", (double)stats.boundary_particles, 1000, 20000);
            MEASURED("memory, MB", (double)stats.memory_bytes * 1e-6, 0.1, 60);
        }
        for (uint64_t id = 0; id < 512; id++) {
            OozeFloat4 a = position_of(worlds[0], id), b = position_of(worlds[k], id);
            apart[k] = fmax(apart[k], hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z));
        }
    }
    /* Samples are rounded to floats in the frame of the room, whose origin is in its middle:
       equally in the first two, to 2e-6 m and 2e-5 m in the others. */
    MEASURED("8 m, spacings from the room of 6 m", apart[1] / s, 0, 0);
    MEASURED("50 m, spacings from the room of 6 m", apart[2] / s, 0, 5e-3);
    MEASURED("400 m, spacings from the room of 6 m", apart[3] / s, 0, 2e-2);
    for (int k = 0; k < 4; k++) {
        ooze_world_destroy(worlds[k]);
    }
}

/* Fluid that falls beside a room's wall and a room that moves: samples are wherever it is. */
static void cells_follow_fluid_and_solid(void **state)
{
    (void)state;
    OozeWorld *world = make_world("conformation", 2, 1);
    OozeSolidDef room = ooze_solid_def_default();
    room.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    room.shape.size = vec3(40, 40, 40);
    room.shape.inverted = true;
    room.motion.velocity = vec3(1, 0, 0.5);
    room.motion.spin = ooze_vec3_degrees(vec3(0, 0.02, 0));
    CHECK_OK(ooze_world_add_solid(world, &room, NULL, &error));
    add_block(world, vec3(0, -19.8, 0), 0.3, vec3(-2, 0, 0));
    for (int i = 0; i < 40; i++) {
        steps(world, 3);
        const OozeSolid *solid = &world->solids.items[0];
        const OozeFloat4 *x = ooze_particles_positions(world->particles);
        const OozeBoundary *b = &world->boundary;
        assert_in_range(b->count, 500, 20000);
        for (uint64_t p = 0; p < ooze_particles_count(world->particles); p++) {
            OozeVec3 at = vec3(x[p].x, x[p].y, x[p].z);
            OozeContact contact = ooze_solid_contact(solid, at);
            OozeVec3 foot = vec3_madd(at, -contact.distance, contact.normal);
            double nearest = contact.distance > world->support ? 0.0 : INFINITY;
            for (uint64_t k = 0; k < b->count && nearest > s; k++) {
                OozeVec3 q = vec3(b->position[k].x, b->position[k].y, b->position[k].z);
                nearest = fmin(nearest, vec3_length(vec3_sub(foot, q)));
            }
            assert_true(nearest <= s);
        }
    }
    ooze_world_destroy(world);
}

/* Along a periodic axis a cell is as long as the period, so that samples near one end of the box
   are found from the other end. */
static void floors_in_periodic_channels_have_cells(void **state)
{
    (void)state;
    OozeWorld *world = NULL;
    OozeWorldDef def = ooze_world_def_default();
    def.method = "wcsph";
    def.spacing = s;
    def.time_step = 5e-4;
    def.device = OOZE_DEVICE_CPU;
    def.periodic[2] = true;
    def.periodic_min = vec3(0, 0, -0.3);
    def.periodic_max = vec3(0, 0, 0.7);
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "viscosity", 10, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    add_floor(world);
    OozeVec3 x[2] = {vec3(0, 0.02, 0.69), vec3(200, 0.02, -0.29)};
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 2, x, NULL, &error));
    steps(world, 1);
    assert_true(world->solids.items[0].sampled_in_cells);
    OozeBoundary *b = &world->boundary;
    assert_in_range(b->count, 20 * 16, 2 * 20 * 7 * 8);
    assert_int_equal(b->count % 20, 0);
    CHECK_OK(ooze_boundary_measure(b, NULL, NULL, &error));
    for (uint64_t i = 0; i < 2; i++) { /* as many samples on each side, of the same volume */
        const OozeNeighbours *lists = &world->fluid_boundary;
        assert_true(lists->count[i] >= 12);
        double volume = b->volume[lists->index[lists->first[0]]];
        for (uint32_t k = 0; k < lists->count[i]; k++) {
            CHECK_NEAR(b->volume[lists->index[lists->first[i] + k]] / volume, 1, 1e-3);
        }
    }
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_the_samples_of_the_surface_in_its_order),
        cmocka_unit_test(particles_far_away_do_not_add_samples_between),
        cmocka_unit_test(strays_have_the_same_bits_on_threads_and_resumed),
        cmocka_unit_test(pools_have_the_same_bits_in_cells),
        cmocka_unit_test(rooms_have_samples_near_fluid_only),
        cmocka_unit_test(cells_follow_fluid_and_solid),
        cmocka_unit_test(floors_in_periodic_channels_have_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
