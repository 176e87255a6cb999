/* Rigid and soft bodies take the same step on the device as on the processor: in and beside a pool,
   on solids and fixed to one that moves, and with particles that a sink has removed. */
#include "cuda/engine.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02;
static const double NEAR = 1e-4; /* of positions after a step, in spacings */

struct Case {
    const char *name;
    bool periodic, fluid, packed;
    bool swallows; /* a sink takes parts of the bodies */
    double friction;
    bool multigrid; /* preconditions the velocity solve */
};

static void add_box(OozeWorld *world, OozeMaterialId material, OozeBodyKind kind, OozeVec3 size,
                    OozeVec3 position, OozeVec3 velocity)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.body = kind;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    def.shape.position = position;
    def.velocity = velocity;
    def.spin = ooze_vec3_degrees(vec3(1, kind == OOZE_BODY_FLUID ? 0.0 : 2.0, -1));
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

/* A floor, a slope, and a hand that moves and turns. */
static void add_solids(OozeWorld *world, const Case *c)
{
    OozeSolidDef floor = ooze_solid_def_default(), slope = floor, hand = floor;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    slope.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    slope.shape.normal = {0.8, 0.6, 0};
    slope.shape.position = {-0.2, 0, 0};
    slope.friction = c->friction;
    CHECK_OK(ooze_world_add_solid(world, &slope, nullptr, &error));
    hand.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    hand.shape.size = {0.05, 0.2, 0.2};
    hand.shape.position = {0.35, 0.15, 0};
    hand.motion.velocity = {-0.3, -0.2, 0.1};
    hand.motion.spin = ooze_vec3_degrees(vec3(0, 0, 2));
    hand.motion.pivot = hand.shape.position;
    hand.friction = c->friction;
    CHECK_OK(ooze_world_add_solid(world, &hand, nullptr, &error));
}

static void add_sink(OozeWorld *world)
{
    OozeSinkDef def = ooze_sink_def_default();
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = {1, 0.03, 0.05};
    def.shape.position = {0, 0.15, 0};
    def.stop = 2.5 / 240;
    CHECK_OK(ooze_world_add_sink(world, &def, &error));
}

static OozeWorld *create_world(const Case *c, OozeDevice device)
{
    OozeWorld *world = create_device_world("conformation", SPACING, c->periodic, device);
    CHECK_OK(ooze_world_set_param(world, "velocity_preconditioner", c->multigrid ? 2 : 0, &error));
    if (c->multigrid) {
        CHECK_OK(ooze_world_set_param(world, "velocity_iterations", 200, &error));
    }
    OozeMaterialId slime = add_material(
        world, 1400, {{"viscosity", 20}, {"modulus", 1000}, {"relaxation_time", 0.05}});
    OozeMaterialId wood = add_material(world, 700, {});
    OozeMaterialId rubber = add_material(world, 1100, {{"modulus", 3e4}});
    OozeVec3 none = {0, 0, 0}, down = {0.2, -0.8, 0.1};
    add_solids(world, c);
    if (c->fluid) {
        add_box(world, slime, OOZE_BODY_FLUID, {0.24, 0.12, 0.24}, {0, 0.07, 0}, none);
    }
    add_box(world, wood, OOZE_BODY_RIGID, {0.10, 0.08, 0.12}, {-0.02, 0.175, 0}, down);
    add_box(world, rubber, OOZE_BODY_SOFT, {0.24, 0.06, 0.08}, {0.25, 0.165, 0}, none);
    add_box(world, wood, OOZE_BODY_RIGID, {0.08, 0.12, 0.08}, {-0.17, 0.08, 0.02}, down);
    /* across the border of a periodic box */
    add_box(world, rubber, OOZE_BODY_SOFT, {0.08, 0.08, 0.08}, {0.06, 0.2, 0.15}, down);
    if (c->swallows) {
        add_sink(world);
    }
    return world;
}

static ooze::Engine *engine_of(OozeWorld *world)
{
    CHECK_OK(ooze_world_step(world, &error)); /* now there is an engine */
    assert_non_null(world->engine_data);
    return static_cast<ooze::Engine *>(world->engine_data);
}

/* One step each from the same state, at several times. */
static void compare(const Case *c)
{
    OozeWorld *host = create_world(c, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(c, OOZE_DEVICE_CUDA);
    engine_of(device)->pack_from = c->packed ? 0 : UINT64_MAX;
    uint64_t before = ooze_world_frame(host)->particle_count;
    double x = 0, u = 0, q = 0;
    int most = 0;
    for (int k = 0; k < 12; k++) {
        const BothSteps both = step_both(host, device);
        const OozeFrame *a = both.a, *b = both.b;
        x = fmax(x, apart(a, b, "position", 3) / SPACING);
        u = fmax(u, apart(a, b, "velocity", 3) / 240 / SPACING);
        q = fmax(q, apart(a, b, "conformation", 6));
        int off = abs(both.there.iterations - both.here.iterations);
        most = off > most ? off : most;
    }
    printf("  %s: x %.1e u %.1e Q %.1e, iterations differ by %d\n", c->name, x, u, q, most);
    assert_true((ooze_world_frame(host)->particle_count < before) == c->swallows);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    if (!(x < NEAR && u < NEAR && q < NEAR && most <= 1)) {
        fail_msg("%s: positions are %.3g spacings apart, velocities %.3g a step, Q %.3g", c->name,
                 x, u, q);
    }
}

static void bodies_take_the_same_step(void **state)
{
    (void)state;
    const Case cases[] = {
        {"bodies alone", false, false, false, false, 0.4, false},
        {"with fluid", false, true, false, false, 0.4, false},
        {"periodic", true, true, false, false, 0.0, false},
        {"no slip", false, true, false, false, INFINITY, false},
        {"swallowed", false, true, false, true, 0.4, false},
        {"multigrid", false, true, false, false, 0.4, true},
        {"multigrid, periodic, swallowed", true, true, false, true, INFINITY, true},
    };
    for (const Case &c : cases) {
        compare(&c);
    }
}

/* Numbers that are rounded in large scenes: these are small, and their steps of a place fine. */
static void rounded_directions_keep_bodies_rigid(void **state)
{
    (void)state;
    const Case diagonal = {"packed", false, true, true, false, 0.4, false};
    const Case multigrid = {"packed, multigrid", false, true, true, false, 0.4, true};
    compare(&diagonal);
    compare(&multigrid);
}

/* Whichever piece of memory cannot be had: the step is refused, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    const Case c = {"memory", false, false, false, false, 0.4, false};
    int refused = count_refused_steps([&] { return create_world(&c, OOZE_DEVICE_CUDA); }, 20);
    printf("  refused %d times\n", refused);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_take_the_same_step),
        cmocka_unit_test(rounded_directions_keep_bodies_rigid),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
