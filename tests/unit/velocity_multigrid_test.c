/* The multigrid preconditioner of the velocity solve: iterations do not grow with the size of a
   body, the solution is that of the mass preconditioner, momentum is kept, and results have the
   same bits for any number of threads. */
#include "physics/coupling_fixtures.h"
#include "velocity_cases.h"

static int iterations_of(const VelocityCase *c, int preconditioner)
{
    OozeWorld *world = velocity_world(c, preconditioner, 1e-4, 2);
    OozeWorldStats stats = velocity_step(world);
    ooze_world_destroy(world);
    assert_true(stats.residual <= 1e-4);
    return stats.iterations;
}

/* Blocks of 10,648 and 32,768 particles on a floor. Masses need iterations in proportion to the
   number of layers. */
static void iterations_do_not_grow(void **state)
{
    (void)state;
    VelocityCase small = velocity_block(22, true), large = velocity_block(32, true);
    VelocityCase least = velocity_block(12, true);
    int few = iterations_of(&small, VELOCITY_MULTIGRID);
    int more = iterations_of(&large, VELOCITY_MULTIGRID);
    int diagonal = iterations_of(&least, VELOCITY_DIAGONAL);
    printf("  22 and 32 layers: %d and %d iterations; 12 layers, diagonal: %d\n", few, more,
           diagonal);
    assert_true(few <= 20 && more <= 20);
    assert_true(more <= few + 2);
    assert_true(diagonal > 3 * few);
}

/* Shapes and materials that grids represent badly. */
static void iterations_of_difficult_bodies(void **state)
{
    (void)state;
    const VelocityCase cases[] = {
        {.name = "rope", .layers = 230, .boxes = 1, .box = {{.n = {6, 150, 6}}}},
        {.name = "two blocks, a layer apart",
         .layers = 14,
         .boxes = 2,
         .box = {{.n = {14, 14, 14}}, {.n = {14, 14, 14}, .corner = {0, 15, 0}}}},
        {.name = "blocks with a gap of four spacings",
         .layers = 14,
         .boxes = 2,
         .box = {{.n = {14, 14, 14}}, {.n = {14, 14, 14}, .corner = {0, 17, 0}}}},
        {.name = "jittered", .layers = 14, .jitter = 0.3, .boxes = 1, .box = {{.n = {14, 14, 14}}}},
        {.name = "thin fluid under clay, 1e4",
         .layers = 14,
         .floor = true,
         .boxes = 2,
         .box = {{.n = {14, 3, 14}, .viscosity = 1e-4}, {.n = {14, 11, 14}, .corner = {0, 3, 0}}}},
        {.name = "clay on fluid, 1e4",
         .layers = 14,
         .floor = true,
         .boxes = 2,
         .box = {{.n = {14, 14, 14}, .viscosity = 1e-4},
                 {.n = {14, 14, 14}, .corner = {7, 14, 4}}}},
        {.name = "clay under fluid, 1e6",
         .layers = 14,
         .floor = true,
         .boxes = 2,
         .box = {{.n = {14, 14, 14}},
                 {.n = {14, 14, 14}, .corner = {7, 14, 4}, .viscosity = 1e-6}}},
        {.name = "held by friction",
         .layers = 14,
         .floor = true,
         .friction = 0.5,
         .boxes = 1,
         .box = {{.n = {14, 14, 14}}}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int count = iterations_of(&cases[k], VELOCITY_MULTIGRID);
        printf("  %s: %d\n", cases[k].name, count);
        assert_true(count <= 22);
    }
}

/* ---- the same solution ---- */

typedef enum Scene {
    BLOCK_ON_FLOOR,
    LAYERS,
    PERIODIC,
    SHORT_PERIODIC, /* four cells of the first grid along an axis, one of the third */
    RIGID_BODY,
    SOFT_BODY,
    DYNAMIC_SOLID,
    ELASTIC,
    PASTE,
    NOZZLE,
    MOVING_WALL,
    DROPS, /* each smaller than a cell */
    SCENES
} Scene;

static const char *const names[SCENES] = {"block on a floor",
                                          "layers of two fluids",
                                          "periodic box",
                                          "short periodic axis",
                                          "rigid body",
                                          "soft body",
                                          "dynamic ball",
                                          "stretched elastic fluid",
                                          "paste",
                                          "nozzle",
                                          "moving wall",
                                          "drops"};

static const double d = 0.1;

static void add_box_body(OozeWorld *world, OozeMaterialId material, OozeBodyKind kind)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.name = "body";
    def.material = material;
    def.body = kind;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = vec3(4 * d, 4 * d, 4 * d);
    def.shape.position = vec3(5 * d, 10 * d, 5 * d);
    def.velocity = vec3(0.3, -1, 0.1);
    def.spin = vec3(20, 50, -30);
    CHECK_OK(ooze_world_add_fluid(world, &def, NULL, &error));
}

static OozeVec3 swirl(OozeVec3 x, uint64_t i, const void *user)
{
    (void)user;
    return vec3(sin(3 * x.y) + 0.02 * ooze_random01(1, i, 0), -1 + 0.3 * cos(4 * x.x),
                0.5 * sin(2 * x.x + x.z));
}

static void stretch(OozeVec3 x, const void *user, float *values)
{
    (void)user;
    values[0] = 3.0f + (float)x.x;
    values[1] = values[2] = -0.4f;
    values[3] = 0.5f;
    values[4] = values[5] = 0.0f;
}

static OozeWorld *make_scene(Scene scene, int preconditioner, int threads, double tolerance)
{
    OozeVec3 box = vec3(0, 0, 0);
    box.x = scene == PERIODIC ? 10 * d : scene == SHORT_PERIODIC ? 7 * d : 0;
    box.z = scene == PERIODIC ? 10 * d : 0;
    OozeWorld *world = make_world((Setup){.spacing = d,
                                          .time_step = 1.0 / 120,
                                          .gravity = down(),
                                          .box = box,
                                          .threads = threads,
                                          .device = OOZE_DEVICE_CPU});
    Matter matter = newtonian_matter(2e4);
    matter = scene == ELASTIC || scene == PASTE ? maxwell_matter(1e6, 1) : matter;
    set_param(world, "time_integration", 0); /* counts of iterations are those of first order */
    OozeMaterialId clay = add_matter(world, matter);
    OozeMaterialId thin = add_matter(world, newtonian_matter(scene == LAYERS ? 20 : 2e3));
    OozeMaterialId jelly = add_matter(world, maxwell_matter(5e5, INFINITY));
    Lattice block = {.material = clay, .n = {10, 8, 10}, .spacing = d, .velocity = swirl};
    block.n[0] = scene == SHORT_PERIODIC ? 7 : 10;
    if (scene != ELASTIC && scene != DROPS) {
        OozeSolidId floor = add_floor(world, INFINITY);
        (void)floor;
    }
    if (scene == DYNAMIC_SOLID) {
        OozeSolidDef ball = ooze_solid_def_default();
        ball.name = "ball";
        ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
        ball.shape.radius = 2.5 * d;
        ball.shape.position = vec3(5 * d, 11.2 * d, 5 * d);
        ball.density = 500;
        ball.friction = INFINITY;
        ball.motion.velocity = vec3(0.2, -1, 0);
        CHECK_OK(ooze_world_add_solid(world, &ball, NULL, &error));
    }
    if (scene == MOVING_WALL) {
        OozeSolidDef wall = ooze_solid_def_default();
        wall.name = "wall";
        wall.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
        wall.shape.size = vec3(2 * d, 20 * d, 20 * d);
        wall.shape.position = vec3(-d, 10 * d, 5 * d);
        wall.friction = INFINITY;
        wall.motion.velocity = vec3(0, 0.5, 0);
        CHECK_OK(ooze_world_add_solid(world, &wall, NULL, &error));
    }
    if (scene == NOZZLE) {
        OozeEmitterDef nozzle = jet(14 * d, 0.5);
        nozzle.position.x = nozzle.position.z = 5 * d;
        nozzle.radius = 2.5 * d;
        nozzle.material = clay;
        CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    }
    if (scene == DROPS) {
        for (int k = 0; k < 40; k++) {
            Lattice drop = {.material = clay, .n = {2, 2, 2 + k % 2}, .spacing = d};
            drop.velocity = swirl;
            drop.corner = vec3(0.6 * (k % 4), 0.7 * (k / 4 % 4), 0.65 * (k / 16));
            add_lattice(world, drop);
        }
    } else {
        add_lattice(world, block);
    }
    if (scene == LAYERS) {
        Lattice above = block;
        above.material = thin;
        above.n[1] = 4;
        above.corner.y = 8 * d;
        add_lattice(world, above);
    }
    if (scene == RIGID_BODY || scene == SOFT_BODY) {
        add_box_body(world, jelly, scene == RIGID_BODY ? OOZE_BODY_RIGID : OOZE_BODY_SOFT);
    }
    if (scene == ELASTIC) {
        set_field(world, "conformation", stretch, NULL);
    }
    set_param(world, "velocity_preconditioner", preconditioner);
    set_param(world, "tolerance", tolerance);
    set_param(world, "velocity_iterations", 3000);
    return world;
}

/* Largest difference of velocities over the largest of them. */
static double difference(OozeWorld *a, OozeWorld *b)
{
    const OozeFieldView *u = ooze_frame_field(ooze_world_frame(a), "velocity");
    const OozeFieldView *v = ooze_frame_field(ooze_world_frame(b), "velocity");
    double most = 0, largest = 0;
    assert_int_equal(u->count, v->count);
    for (uint64_t i = 0; i < u->count; i++) {
        most = fmax(most, vec3_length(vec3_sub(read_vector(u, i), read_vector(v, i))));
        largest = fmax(largest, vec3_length(read_vector(v, i)));
    }
    return most / largest;
}

/* With both preconditioners the solve ends at the same velocities. The bound: a residual of 1e-6
   bounds the error of the velocities, and contacts that press with next to no force may be released
   in one of the two. */
static void solutions_are_those_of_the_diagonal(void **state)
{
    (void)state;
    for (int scene = 0; scene < SCENES; scene++) {
        OozeWorld *diagonal = make_scene((Scene)scene, VELOCITY_DIAGONAL, 2, 1e-6);
        OozeWorld *grids = make_scene((Scene)scene, VELOCITY_MULTIGRID, 2, 1e-6);
        double worst = 0;
        int many = 0, few = 0;
        /* along a wall that moves, rounding decides which contacts of the edge are released */
        int steps = scene == NOZZLE ? 10 : scene == MOVING_WALL ? 1 : 3;
        for (int k = 0; k < steps; k++) {
            many += velocity_step(diagonal).iterations;
            few += velocity_step(grids).iterations;
            worst = fmax(worst, difference(diagonal, grids));
        }
        printf("  %s: differ by %.2g; %d iterations, diagonal %d\n", names[scene], worst, few,
               many);
        assert_true(worst < 1e-3);
        /* drops of some ten particles are solved by the diagonal as fast */
        assert_true(few > 0 && few <= (scene == DROPS ? 1.5 * many : many));
        /* 65, and 99 where cells of a short axis are 2.3 spacings long; more where the coarsest
           matrix lacks columns across it */
        assert_true(scene == PERIODIC ? few <= 70 : scene == SHORT_PERIODIC ? few <= 105 : true);
        ooze_world_destroy(diagonal);
        ooze_world_destroy(grids);
    }
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int scene = 0; scene < SCENES; scene++) {
        OozeWorld *one = make_scene((Scene)scene, VELOCITY_MULTIGRID, 1, 1e-4);
        OozeWorld *three = make_scene((Scene)scene, VELOCITY_MULTIGRID, 3, 1e-4);
        for (int k = 0; k < 3; k++) {
            step_world(one);
            step_world(three);
        }
        assert_true(difference(one, three) == 0.0);
        ooze_world_destroy(one);
        ooze_world_destroy(three);
    }
}

/* ---- momentum ---- */

static OozeVec3 tumbling(OozeVec3 x, uint64_t i, const void *user)
{
    OozeVec3 shake = noise(x, i, user);
    return vec3_add(vec3_add(vec3(0.7, 0.2, -0.4), vec3_cross(vec3(3, -2, 5), x)), shake);
}

/* A block of clay and, apart from it, one of half the density, in free flight with noise: the solve
   stops at a tolerance of 1e-2, and momenta are kept to rounding, as with the diagonal. */
static void momentum_is_kept(void **state)
{
    (void)state;
    static const double shake = 0.5;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 120});
    OozeMaterialId clay = add_matter(world, newtonian_matter(2e4));
    Matter light = newtonian_matter(3e3);
    light.density = 500;
    OozeMaterialId foam = add_matter(world, light);
    Lattice block = {.material = clay, .n = {12, 10, 9}, .spacing = d, .velocity = tumbling};
    block.user = &shake;
    block.corner = vec3(-0.6, -0.5, -0.45);
    add_lattice(world, block);
    block.material = foam;
    block.corner.x += 2.5;
    add_lattice(world, block);
    set_param(world, "velocity_preconditioner", VELOCITY_MULTIGRID);
    set_param(world, "velocity_iterations", 200);
    set_param(world, "tolerance", 1e-2);
    Census before = take_census(world);
    for (int k = 0; k < 20; k++) {
        step_world(world);
    }
    Census after = take_census(world);
    double lost = vec3_length(vec3_sub(after.momentum, before.momentum)) / before.speed_sum;
    double turned = vec3_length(vec3_sub(after.spin, before.spin)) / vec3_length(before.spin);
    printf("  change of momentum over sum |m v|: %.2g; of angular momentum: %.2g\n", lost, turned);
    assert_true(lost < 20 * 6e-8); /* a rounding a step */
    assert_true(turned < 1e-4);
    ooze_world_destroy(world);
}

/* A ball in the middle of a block of clay, in free flight: what the clay loses the ball gains. */
static void momentum_of_fluid_and_solid_is_kept(void **state)
{
    (void)state;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 120});
    Body ball = {.centre = vec3(0, 0, 0), .radius = 2.2 * d, .density = 3000};
    ball.velocity = vec3(1, -0.5, 0.3);
    ball.spin = vec3(2, 3, -4);
    add_matter(world, newtonian_matter(2e4));
    add_body(world, &ball);
    add_around(world, (int[]){10, 10, 10}, d, vec3(-0.5, -0.5, -0.5), &ball, 1);
    set_param(world, "velocity_preconditioner", VELOCITY_MULTIGRID);
    set_param(world, "velocity_iterations", 200);
    set_param(world, "tolerance", 1e-2);
    set_param(world, "density_iterations", 0); /* the velocity solve alone */
    set_param(world, "min_distance", 0);
    Momenta before = take_momenta(world, &ball, 0, 1);
    step_many(world, 20);
    Momenta after = take_momenta(world, &ball, 0, 1);
    double lost = vec3_length(vec3_sub(after.linear, before.linear)) / before.speed_sum;
    double turned = vec3_length(vec3_sub(after.angular, before.angular)) / before.spin_sum;
    printf("  change of momentum over sum m |v|: %.2g, of angular momentum %.2g\n", lost, turned);
    assert_true(lost < 1e-6 && turned < 1e-5);
    ooze_world_destroy(world);
}

/* ---- the choice ---- */

/* Thin fluid, few layers, or few iterations: the diagonal, with its bits. A tall block of clay with
   enough iterations: multigrid. */
static void auto_chooses(void **state)
{
    (void)state;
    VelocityCase tall = velocity_block(22, true), low = velocity_block(6, true), thin = tall;
    thin.box[0].viscosity = 1e-4;
    const VelocityCase *cases[] = {&tall, &low, &thin, &tall};
    for (int k = 0; k < 4; k++) {
        OozeWorld *chosen = velocity_world(cases[k], VELOCITY_AUTO, 1e-4, 2);
        OozeWorld *diagonal = velocity_world(cases[k], VELOCITY_DIAGONAL, 1e-4, 2);
        OozeProbeId probe = add_probe(chosen, OOZE_PROBE_SOLVER);
        set_param(chosen, "velocity_iterations", k == 3 ? 20 : 3000);
        set_param(diagonal, "velocity_iterations", k == 3 ? 20 : 3000);
        step_world(chosen);
        step_world(diagonal);
        bool multigrid = read_probe(chosen, probe, 11) == 1.0;
        assert_true(multigrid == (k == 0));
        assert_true(multigrid || difference(chosen, diagonal) == 0.0);
        ooze_world_destroy(chosen);
        ooze_world_destroy(diagonal);
    }
}

/* With iterations for neither preconditioner the solve is repeated with the diagonal, and has its
   bits. With a few more multigrid meets its tolerance. */
static void failed_solves_are_repeated_with_the_diagonal(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        Scene scene = k % 2 ? DYNAMIC_SOLID : BLOCK_ON_FLOOR;
        int iterations = k / 2 ? 30 : 3;
        OozeWorld *diagonal = make_scene(scene, VELOCITY_DIAGONAL, 2, 1e-4);
        OozeWorld *grids = make_scene(scene, VELOCITY_MULTIGRID, 2, 1e-4);
        OozeProbeId probe = add_probe(grids, OOZE_PROBE_SOLVER);
        set_param(diagonal, "velocity_iterations", iterations);
        set_param(grids, "velocity_iterations", iterations);
        for (int i = 0; i < 2; i++) {
            step_world(diagonal);
            step_world(grids);
        }
        bool multigrid = read_probe(grids, probe, 11) == 1.0;
        bool same = difference(diagonal, grids) == 0;
        assert_true(multigrid == (iterations == 30));
        assert_true(same == !multigrid);
        ooze_world_destroy(diagonal);
        ooze_world_destroy(grids);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_do_not_grow),
        cmocka_unit_test(iterations_of_difficult_bodies),
        cmocka_unit_test(solutions_are_those_of_the_diagonal),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(momentum_of_fluid_and_solid_is_kept),
        cmocka_unit_test(auto_chooses),
        cmocka_unit_test(failed_solves_are_repeated_with_the_diagonal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
