/* Impacts in long steps are the same on the device as on the processor: clay that crosses several
   spacings in a step lands on solids, and on other clay and bodies. */
#include "cuda/engine.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02, SPEED = 7, TRAVEL = 6; /* m, m/s, spacings a step */

enum Kind { LANDS, COLLIDES, BODIES };
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
    def.shape.size = {0.12, body == OOZE_BODY_FLUID ? 0.2 : 0.1, 0.14};
    def.shape.position = position;
    def.velocity = velocity;
    def.spin = {5, 20, -10};
    if (body == OOZE_BODY_FLUID) {
        def.fill = OOZE_FILL_JITTERED;
        def.jitter = 0.05;
    }
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

/* A floor, and a ball that comes up. */
static void add_solids(OozeWorld *world)
{
    OozeSolidDef floor = ooze_solid_def_default(), ball = floor;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = 0.5;
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.05;
    ball.shape.position = {0.05, 0.0, 0.02};
    ball.motion.velocity = {0, 0.4, 0};
    ball.friction = 0.2;
    CHECK_OK(ooze_world_add_solid(world, &ball, nullptr, &error));
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
    OozeMaterialId clay =
        add_material(world, 1000, {{"modulus", 1e5}, {"relaxation_time", 0.03}});
    if (c->kind == COLLIDES) {
        add_box(world, clay, OOZE_BODY_FLUID, {-0.11, 0, 0}, {0.5 * SPEED, 0, 0.3});
        add_box(world, clay, OOZE_BODY_FLUID, {0.11, 0.05, 0.06}, {-0.5 * SPEED, 0, 0.3});
        return world;
    }
    add_solids(world);
    add_box(world, clay, OOZE_BODY_FLUID, {0, 0.21, 0}, {0.2, -SPEED, 0.5});
    if (c->kind == BODIES) {
        OozeMaterialId wood = add_material(world, 700, {});
        OozeMaterialId rubber = add_material(world, 1100, {{"modulus", 3e4}});
        add_box(world, wood, OOZE_BODY_RIGID, {0.02, 0.42, 0}, {0, -SPEED, 0});
        add_box(world, rubber, OOZE_BODY_SOFT, {-0.02, 0.58, 0}, {0, -SPEED, 0});
    }
    return world;
}

/* Steps from the same state. Compared with a device that takes them without impact_passes, too:
   there must be impacts. */
static void compare(const Case *c)
{
    OozeWorld *host = create_world(c, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(c, OOZE_DEVICE_CUDA);
    OozeWorld *without = create_world(c, OOZE_DEVICE_CUDA);
    CHECK_OK(ooze_world_set_param(without, "impact_passes", 0, &error));
    CHECK_OK(ooze_world_step(device, &error)); /* now there is an engine */
    static_cast<ooze::Engine *>(device->engine_data)->pack_from = c->packed ? 0 : UINT64_MAX;
    double x = 0, u = 0, other = 0;
    for (int k = 0; k < c->steps; k++) {
        CHECK_OK(ooze_world_restore(without, ooze_world_frame(host), &error));
        CHECK_OK(ooze_world_set_param(without, "impact_passes", 0, &error));
        CHECK_OK(ooze_world_step(without, &error));
        const BothSteps both = step_both(host, device);
        double step_x = apart(both.a, both.b, "position", 3) / SPACING;
        double step_u = apart(both.a, both.b, "velocity", 3) / SPEED;
        printf("   step %d: x %.1e u %.1e, %d and %d iterations, other %.2e\n", k, step_x, step_u,
               both.here.iterations, both.there.iterations,
               apart(both.a, ooze_world_frame(without), "velocity", 3) / SPEED);
        x = fmax(x, step_x);
        u = fmax(u, step_u);
        other = fmax(other, apart(both.a, ooze_world_frame(without), "velocity", 3) / SPEED);
    }
    printf("  %s: x %.1e u %.1e, without impact_passes u %.1e\n", c->name, x, u, other);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    ooze_world_destroy(without);
}

static void impacts_are_the_same(void **state)
{
    (void)state;
    const Case cases[] = {
        {"landing", LANDS, false, false, MULTIGRID, 5},
        {"landing, masses", LANDS, false, false, MASS, 3},
        {"landing, packed", LANDS, false, true, MULTIGRID, 3},
        {"collision", COLLIDES, false, false, MULTIGRID, 3},
        {"collision, periodic", COLLIDES, true, false, MULTIGRID, 3},
        {"collision, packed", COLLIDES, false, true, MULTIGRID, 3},
        {"bodies", BODIES, false, false, MULTIGRID, 4},
    };
    for (const Case &c : cases) {
        compare(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_the_same),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
