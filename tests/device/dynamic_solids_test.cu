/* Solids with a density move with the particles on the device as they do on the processor. */
#include "cuda/engine.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02;

struct Case {
    const char *method;
    bool periodic;
    double tension;       /* N/m */
    double travel, speed; /* bounds after one step: spacings of particles; m/s of solids */
    Setting setting[2];   /* key NULL: none */
    Setting material;     /* key NULL: none */
    bool sticky;          /* the raft pulls particles */
    double rise;          /* m/s: of the pool */
};

static void add_dynamic(OozeWorld *world, OozeShapeDef shape, double density, double friction)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = shape;
    def.density = density;
    def.friction = friction;
    CHECK_OK(ooze_world_add_solid(world, &def, nullptr, &error));
}

/* A raft in a pool, a heavy ball that falls onto both, a rod on the ground at the pool's edge. */
static void add_solids(OozeWorld *world)
{
    OozeSolidDef floor = ooze_solid_def_default();
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    OozeShapeDef raft = ooze_shape_def_default(OOZE_SHAPE_BOX), rod = raft;
    raft.size = {0.12, 0.04, 0.1};
    raft.position = {0.02, 0.125, 0.01};
    raft.rotation = {0, 0, 0.05, 0.9987};
    add_dynamic(world, raft, 300, INFINITY);
    OozeShapeDef ball = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.radius = 0.03;
    ball.position = {-0.06, 0.17, -0.02};
    add_dynamic(world, ball, 4000, 0.4);
    rod.size = {0.04, 0.06, 0.1};
    rod.position = {0.155, 0.03, 0};
    add_dynamic(world, rod, 900, 0);
}

static OozeWorld *create_world(const Case *c, OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = c->method;
    def.spacing = SPACING;
    def.time_step = strcmp(c->method, "blend") == 0 ? 1.0 / 1000 : 1.0 / 240;
    def.max_travel = 0;
    def.device = device;
    def.periodic[2] = c->periodic;
    def.periodic_min = {0, 0, -0.12};
    def.periodic_max = {0, 0, 0.12};
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    for (const Setting &set : c->setting) {
        if (set.key) {
            CHECK_OK(ooze_world_set_param(world, set.key, set.value, &error));
        }
    }
    const char *tension = c->tension > 0 ? "surface_tension" : nullptr;
    OozeMaterialId syrup =
        add_material(world, 1200, {{"viscosity", 2}, {tension, c->tension}, c->material});
    OozeFluidDef pool = ooze_fluid_def_default();
    pool.material = syrup;
    pool.shape.size = {0.26, 0.1, 0.24};
    pool.shape.position = {0, 0.05, 0};
    pool.velocity = {0.2, c->rise, 0.1};
    CHECK_OK(ooze_world_add_fluid(world, &pool, nullptr, &error));
    add_solids(world);
    if (c->sticky) {
        CHECK_OK(ooze_world_set_solid(world, {1}, OOZE_SOLID_STICK_DISTANCE, 0.02, &error));
        CHECK_OK(ooze_world_set_solid(world, {1}, OOZE_SOLID_STICK_STRENGTH, 300, &error));
    }
    return world;
}

/* Largest difference of the velocities of solids, and of their points a spacing from the origin. */
static double solids_apart(const OozeFrame *a, const OozeFrame *b)
{
    double most = 0;
    assert_int_equal(a->solid_count, b->solid_count);
    for (int k = 0; k < a->solid_count; k++) {
        const OozeSolidPose *p = &a->solids[k].pose, *q = &b->solids[k].pose;
        const double differences[] = {
            p->velocity.x - q->velocity.x,     p->velocity.y - q->velocity.y,
            p->velocity.z - q->velocity.z,     SPACING * (p->spin.x - q->spin.x),
            SPACING * (p->spin.y - q->spin.y), SPACING * (p->spin.z - q->spin.z),
        };
        for (double difference : differences) {
            most = fmax(most, fabs(difference));
            most = difference == difference ? most : NAN;
        }
    }
    return most;
}

static const Case cases[] = {
    {"conformation", false, 0, 1e-4, 2e-4, {{"tolerance", 1e-6}}, {}, false, -0.2},
    {"conformation", true, 0.1, 1e-4, 2e-4, {{"tolerance", 1e-6}}, {}, false, -0.2},
    {"conformation",
     false,
     0,
     1e-4,
     2e-4,
     {{"tolerance", 1e-6}, {"time_integration", 1}},
     {"modulus", 50},
     false,
     -0.2},
    {"blend", false, 0, 1e-4, 1e-4, {}, {}, false, -0.2},
    {"links", false, 0, 1e-4, 1e-3, {{"link_strength", 0}}, {}, false, -0.2},
    {"links", true, 0, 0.02, 0.1, {}, {}, false, -0.2},
    {"cauchy",
     false,
     0,
     1e-4,
     1e-3,
     {{"velocity_tolerance", 1e-6}, {"pressure_tolerance", 1e-6}},
     {},
     false,
     -0.2},
    {"springs", false, 0, 1e-4, 1e-4, {{"unit", 1.0 / 200}}, {}, false, -0.2},
    {"springs", true, 0, 1e-4, 1e-4, {{"unit", 1.0 / 200}}, {"spring_stiffness", 0.3}, true, -0.2},
    {"ballistic", true, 0, 1e-4, 1e-4, {}, {"drag", 0.5}, true, 1},
};

/* Indices of some of them. */
enum { POOL = 0, PERIODIC_POOL = 1, SPRINGS = 8, BALLISTIC = 9 };

/* From the same state; the loads of the particles change velocities by far more than the bound,
   which is twice the rounding of the pressure on a solid in sixty steps of `conformation`.
   Whether a particle touches a solid is a decision: in one step of twenty it may be a tie, which
   the devices decide differently. */
static void steps_agree_with_the_processor(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        OozeWorld *host = create_world(&c, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(&c, OOZE_DEVICE_CUDA);
        double x = 0, speed = 0;
        int ties = 0;
        OozeVec3 raft = {0, 0, 0};
        for (int k = 0; k < 20; k++) {
            const BothSteps both = step_both(host, device);
            double travel = apart(both.a, both.b, "position", 3) / SPACING;
            double now = solids_apart(both.a, both.b);
            raft = both.b->solids[1].pose.velocity;
            if (travel < c.travel && now < c.speed) {
                x = fmax(x, travel);
                speed = fmax(speed, now);
            } else {
                assert_true(travel < 100 * c.travel && now < 100 * c.speed);
                ties++;
            }
        }
        printf("  %s: particles %.1e spacings apart, solids %.1e m/s; raft at %.3f, %.3f, %.3f\n",
               c.method, x, speed, raft.x, raft.y, raft.z);
        assert_true(ties <= 1);
        assert_true(fabs(raft.x) > 0.02);
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

/* Fifty steps on each device, and fifty of which the device takes the middle thirty. */
static void change_the_device(const Case *c)
{
    OozeWorld *host = create_world(c, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(c, OOZE_DEVICE_CUDA);
    OozeWorld *other = create_world(c, OOZE_DEVICE_CPU);
    OozeWorld *middle = create_world(c, OOZE_DEVICE_CUDA);
    for (int k = 0; k < 50; k++) {
        if (k == 10) {
            CHECK_OK(ooze_world_restore(middle, ooze_world_frame(other), &error));
        } else if (k == 40) {
            CHECK_OK(ooze_world_restore(other, ooze_world_frame(middle), &error));
        }
        CHECK_OK(ooze_world_step(host, &error));
        CHECK_OK(ooze_world_step(device, &error));
        CHECK_OK(ooze_world_step(k >= 10 && k < 40 ? middle : other, &error));
    }
    double far = solids_apart(ooze_world_frame(host), ooze_world_frame(device));
    double changed = solids_apart(ooze_world_frame(host), ooze_world_frame(other));
    printf("  %s: after 50 steps solids are %.1e and %.1e m/s apart\n", c->method, far, changed);
    assert_true(far < 0.02 && changed < 0.02);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    ooze_world_destroy(other);
    ooze_world_destroy(middle);
}

static void runs_may_change_the_device(void **state)
{
    (void)state;
    change_the_device(&cases[POOL]);
    change_the_device(&cases[SPRINGS]);
    change_the_device(&cases[BALLISTIC]);
}

static void runs_are_equal(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        check_runs_are_equal([&] { return create_world(&c, OOZE_DEVICE_CUDA); }, 12, 5);
    }
}

static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    const int least[][2] = {{PERIODIC_POOL, 20}, {SPRINGS, 20}, {BALLISTIC, 10}};
    for (const int(&row)[2] : least) {
        const Case *c = &cases[row[0]];
        int refused = count_refused_steps([&] { return create_world(c, OOZE_DEVICE_CUDA); }, 10);
        printf("  %s: %d steps are refused\n", c->method, refused);
        assert_true(refused > row[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_processor),
        cmocka_unit_test(runs_may_change_the_device),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
