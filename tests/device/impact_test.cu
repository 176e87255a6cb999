/* Impacts in long steps are the same on the device as on the processor: clay that crosses six
   spacings in a step lands on solids, on other clay, and on particle bodies. */
#include "cuda/engine.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02, SPEED = 7, TRAVEL = 6; /* m, m/s, spacings a step */
/* Positions after a step, in spacings: some 1e-5 to 3e-4, and where iterations gather rounded
   numbers up to 2e-2. A contact or a pair that only one device finds moves a particle by some
   0.1. */
static const double NEAR = 2e-3, ROUNDED = 5e-2;

enum Kind { LANDS, COLLIDES, CARRIES };
enum { MASS = 1, MULTIGRID = 2 };

struct Case {
    const char *name;
    Kind kind;
    bool periodic, packed;
    int preconditioner;
    int steps;
};

static void add_box(OozeWorld *world, OozeMaterialId material, OozeBodyKind body, OozeVec3 position,
                    OozeVec3 velocity)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.body = body;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = {0.12, body == OOZE_BODY_FLUID ? 0.16 : 0.08, 0.12};
    def.shape.position = position;
    def.velocity = velocity;
    def.spin = {1, 3, -2};
    if (body == OOZE_BODY_FLUID) { /* no two distances are equal */
        def.fill = OOZE_FILL_JITTERED;
        def.jitter = 0.05;
    }
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

/* A floor, and a slope that rises. */
static void add_solids(OozeWorld *world)
{
    OozeSolidDef floor = ooze_solid_def_default(), slope = floor;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = 0.5;
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    slope.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    slope.shape.normal = {0.6, 0.8, 0};
    slope.shape.position = {-0.02, 0, 0};
    slope.motion.velocity = {0, 0.4, 0};
    slope.friction = 0.2;
    CHECK_OK(ooze_world_add_solid(world, &slope, nullptr, &error));
}

static OozeWorld *create_world(const Case *c, OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "conformation";
    def.spacing = SPACING;
    def.time_step = TRAVEL * SPACING / SPEED;
    def.max_travel = 0;
    def.device = device;
    if (c->periodic) {
        def.periodic[2] = true;
        def.periodic_min = {0, 0, -0.16};
        def.periodic_max = {0, 0, 0.16};
    }
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    const Setting settings[] = {{"impact_passes", 3},
                                {"velocity_iterations", 2000},
                                {"tolerance", 1e-6},
                                {"velocity_preconditioner", (double)c->preconditioner}};
    for (const Setting &set : settings) {
        CHECK_OK(ooze_world_set_param(world, set.key, set.value, &error));
    }
    OozeMaterialId clay = add_material(world, 1000, {{"modulus", 1e5}, {"relaxation_time", 0.03}});
    if (c->kind == COLLIDES) { /* across the border of a periodic box */
        add_box(world, clay, OOZE_BODY_FLUID, {-0.11, 0, 0.08}, {0.5 * SPEED, 0, 0.3});
        add_box(world, clay, OOZE_BODY_FLUID, {0.11, 0.03, 0.12}, {-0.5 * SPEED, 0, 0.3});
        return world;
    }
    add_solids(world);
    add_box(world, clay, OOZE_BODY_FLUID, {0, 0.19, 0}, {0.2, -SPEED, 0.5});
    if (c->kind == CARRIES) {
        OozeMaterialId wood = add_material(world, 700, {});
        OozeMaterialId rubber = add_material(world, 1100, {{"modulus", 3e4}});
        add_box(world, wood, OOZE_BODY_RIGID, {0.02, 0.36, 0}, {0, -SPEED, 0});
        add_box(world, rubber, OOZE_BODY_SOFT, {-0.02, 0.5, 0}, {0, -SPEED, 0});
    }
    return world;
}

/* Steps from the same state on both. A step without impact_passes ends elsewhere: there are
   impacts. */
static void compare(const Case *c)
{
    OozeWorld *host = create_world(c, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(c, OOZE_DEVICE_CUDA);
    OozeWorld *without = create_world(c, OOZE_DEVICE_CUDA);
    CHECK_OK(ooze_world_set_param(without, "impact_passes", 0, &error));
    CHECK_OK(ooze_world_step(without, &error));
    CHECK_OK(ooze_world_step(device, &error)); /* now there is an engine */
    static_cast<ooze::Engine *>(device->engine_data)->pack_from = c->packed ? 0 : UINT64_MAX;
    double x = 0, u = 0, other = 0;
    for (int k = 0; k < c->steps; k++) {
        const BothSteps both = step_both(host, device);
        x = fmax(x, apart(both.a, both.b, "position", 3) / SPACING);
        u = fmax(u, apart(both.a, both.b, "velocity", 3) / SPEED);
        if (k == 0) {
            other = apart(both.a, ooze_world_frame(without), "velocity", 3) / SPEED;
        }
    }
    printf("  %s: x %.1e u %.1e, without impact_passes u %.1e\n", c->name, x, u, other);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    ooze_world_destroy(without);
    assert_true(x < (c->packed ? ROUNDED : NEAR) && u * TRAVEL < (c->packed ? ROUNDED : NEAR));
    assert_true(other > 0.05);
}

static void impacts_are_the_same(void **state)
{
    (void)state;
    const Case cases[] = {
        {"landing", LANDS, false, false, MULTIGRID, 3},
        {"landing, diagonal", LANDS, false, false, MASS, 1},
        {"landing, packed", LANDS, false, true, MULTIGRID, 2},
        {"collision", COLLIDES, false, false, MULTIGRID, 2},
        {"collision, periodic", COLLIDES, true, false, MULTIGRID, 1},
        {"collision, packed", COLLIDES, false, true, MULTIGRID, 1},
        {"bodies", CARRIES, false, false, MULTIGRID, 2},
    };
    for (const Case &c : cases) {
        compare(&c);
    }
}

static void runs_repeat(void **state)
{
    (void)state;
    const Case carries = {"", CARRIES, false, false, MULTIGRID, 0};
    const Case collides = {"", COLLIDES, true, true, MULTIGRID, 0};
    check_runs_are_equal([&] { return create_world(&carries, OOZE_DEVICE_CUDA); }, 2, 1);
    check_runs_are_equal([&] { return create_world(&collides, OOZE_DEVICE_CUDA); }, 2, 1);
}

/* Whichever piece of memory cannot be had: the step is refused, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    const Case c = {"", LANDS, false, false, MULTIGRID, 0};
    int refused = count_refused_steps(
        [&] {
            OozeWorld *world = create_world(&c, OOZE_DEVICE_CUDA);
            CHECK_OK(ooze_world_set_param(world, "tolerance", 1e-2, &error));
            return world;
        },
        10);
    printf("  refused %d times\n", refused);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_the_same),
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
