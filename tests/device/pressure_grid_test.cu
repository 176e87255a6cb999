/* `pressure: grid` takes the same steps on the device as on the processor: a pool of two densities
   at rest, a film on a slope, and an elastic column that falls onto solids. */
#include "cuda/engine.cuh"

#include <algorithm>

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02;
/* After a step from the same state and a solve to 1e-6, positions in spacings and velocities over
   the largest: rounding of sums. A node on the border between unknown and ghost, or a contact that
   is a tie, would show as 1e-2 and more. */
static const double NEAR = 5e-4;
/* Positions in a box: particles that begin as deep in one wall as in another leave through either,
   and the repair of volumes follows. */
static const double EDGES = 5e-2;
/* After many steps of runs of their own; splashes amplify differences. */
static const double FAR = 2e-2;
enum { MANY = 20, SPLASH = 15 };

enum Kind { REST, POOL, TANK, FILM, COLUMN };
enum { MASS = 1, MULTIGRID = 2 };

struct Case {
    const char *name;
    Kind kind;
    int preconditioner;
    bool second_order;
    int steps; /* of runs of their own */
};

static const Case cases[] = {
    {"pool, diagonal", POOL, MASS, false, MANY},
    {"pool", POOL, MULTIGRID, false, MANY},
    {"tank", TANK, MULTIGRID, false, MANY},
    {"film", FILM, MULTIGRID, false, MANY},
    {"column", COLUMN, MULTIGRID, false, SPLASH},
    {"column, second order", COLUMN, MULTIGRID, true, SPLASH},
};

/* The value of a setting whose choice has that name. */
static double choice_of(const char *key, const char *choice)
{
    const OozeMethodInfo *info = &ooze_method_find("conformation")->info;
    for (int k = 0; k < info->param_count; k++) {
        if (strcmp(info->params[k].key, key) == 0) {
            const char *choices = info->params[k].choices, *found = strstr(choices, choice);
            assert_non_null(found);
            return (double)std::count(choices, found, '|');
        }
    }
    fail_msg("no setting '%s'", key);
    return NAN;
}

static void add_block(OozeWorld *world, OozeMaterialId material, OozeVec3 size, OozeVec3 middle,
                      OozeVec3 velocity)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    def.shape.position = middle;
    def.velocity = velocity;
    def.fill = OOZE_FILL_JITTERED; /* no two distances are equal */
    def.jitter = 0.05;
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

static OozeSolidDef solid_def(OozeShapeKind kind, double friction)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = ooze_shape_def_default(kind);
    def.friction = friction;
    return def;
}

static void add_planes(OozeWorld *world)
{
    static const OozeVec3 planes[][2] = {{{0, 0, 0}, {0, 1, 0}},
                                         {{0.13, 0, 0}, {-1, 0, 0}},
                                         {{-0.13, 0, 0}, {1, 0, 0}},
                                         {{0, 0, 0.11}, {0, 0, -1}},
                                         {{0, 0, -0.11}, {0, 0, 1}}};
    for (const OozeVec3 *at : planes) {
        OozeSolidDef plane = solid_def(OOZE_SHAPE_PLANE, 0.0);
        plane.shape.position = at[0];
        plane.shape.normal = at[1];
        CHECK_OK(ooze_world_add_solid(world, &plane, nullptr, &error));
    }
}

static void add_tank(OozeWorld *world)
{
    OozeSolidDef tank = solid_def(OOZE_SHAPE_BOX, 0.0);
    tank.shape.size = {0.26, 0.8, 0.22};
    tank.shape.position = {0, 0.4, 0};
    tank.shape.inverted = true;
    CHECK_OK(ooze_world_add_solid(world, &tank, nullptr, &error));
}

/* Two fluids one on the other. */
static void add_pool(OozeWorld *world)
{
    OozeMaterialId heavy = add_material(world, 1400, {{"viscosity", 10}});
    OozeMaterialId light = add_material(world, 900, {{"viscosity", 2}});
    add_block(world, heavy, {0.26, 0.14, 0.22}, {0, 0.07, 0}, {0, 0, 0});
    add_block(world, light, {0.26, 0.1, 0.22}, {0, 0.19, 0}, {0, 0, 0});
}

/* Along x, in a box that is periodic along x and z. */
static void add_film(OozeWorld *world)
{
    OozeSolidDef floor = solid_def(OOZE_SHAPE_PLANE, INFINITY);
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    OozeMaterialId syrup = add_material(world, 1200, {{"viscosity", 5}});
    add_block(world, syrup, {0.32, 0.12, 0.24}, {0, 0.06, 0}, {0, 0, 0});
}

/* A lattice of one fluid between planes. */
static void add_still_pool(OozeWorld *world)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = add_material(world, 1000, {{"viscosity", 1}});
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = {0.26, 0.24, 0.22};
    def.shape.position = {0, 0.12, 0};
    add_planes(world);
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

/* A tetrahedron of four triangles lies on the floor, and a box comes from the side. */
static void add_column(OozeWorld *world)
{
    static const OozeVec3 corners[] = {
        {-0.05, 0, -0.05}, {0.06, 0, -0.04}, {0, 0, 0.07}, {0.01, 0.07, 0}};
    static const uint32_t triangles[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    OozeSolidDef floor = solid_def(OOZE_SHAPE_PLANE, 0.4), rock = solid_def(OOZE_SHAPE_MESH, 0.2);
    OozeSolidDef box = solid_def(OOZE_SHAPE_BOX, 0.5);
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    rock.shape.mesh.vertices = corners;
    rock.shape.mesh.vertex_count = 4;
    rock.shape.mesh.triangles = triangles;
    rock.shape.mesh.triangle_count = 4;
    CHECK_OK(ooze_world_add_solid(world, &rock, nullptr, &error));
    box.shape.size = {0.1, 0.2, 0.3};
    box.shape.position = {0.2, 0.1, 0};
    box.motion.velocity = {-0.3, 0, 0};
    CHECK_OK(ooze_world_add_solid(world, &box, nullptr, &error));
    OozeMaterialId gel =
        add_material(world, 1000, {{"modulus", 500}, {"relaxation_time", 0.3}, {"viscosity", 2}});
    add_block(world, gel, {0.2, 0.22, 0.18}, {0, 0.2, 0}, {0, -0.5, 0});
}

static OozeWorld *create_world(const Case *c, double tolerance, OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "conformation";
    def.spacing = SPACING;
    def.time_step = 1.0 / 240;
    def.max_travel = 0;
    def.device = device;
    if (c->kind == FILM) {
        def.gravity = {2, -9.6, 0};
        def.periodic[0] = def.periodic[2] = true;
        def.periodic_min = {-0.16, 0, -0.12};
        def.periodic_max = {0.16, 0, 0.12};
    }
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    const Setting settings[] = {
        {"pressure", choice_of("pressure", "grid")},
        {"tolerance", tolerance},
        {"velocity_preconditioner", (double)c->preconditioner},
        {"time_integration",
         choice_of("time_integration", c->second_order ? "second_order" : "first_order")}};
    for (const Setting &set : settings) {
        CHECK_OK(ooze_world_set_param(world, set.key, set.value, &error));
    }
    if (c->kind == REST) {
        add_still_pool(world);
    } else if (c->kind == POOL) {
        add_planes(world);
        add_pool(world);
    } else if (c->kind == TANK) {
        add_tank(world);
        add_pool(world);
    } else if (c->kind == FILM) {
        add_film(world);
    } else {
        add_column(world);
    }
    return world;
}

/* The largest difference of all numbers that the next step begins with. Pressures moved with their
   particles differ as positions do, which is little beside the largest gradient. */
static double pressures_apart(const OozeFrame *a, const OozeFrame *b)
{
    const double values =
        fmax(apart(a, b, "weight_pressure", 1), apart(a, b, "pressure_change", 1));
    return fmax(values, apart(a, b, "pressure_change_gradient", 3));
}

/* Steps from the same state on both, as the processor goes on. */
static void compare(const Case *c, int steps, int every)
{
    OozeWorld *host = create_world(c, 1e-6, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(c, 1e-6, OOZE_DEVICE_CUDA);
    double x = 0, u = 0, p = 0, speed = 0;
    for (int k = 0; k < steps; k++) {
        if (k % every) {
            CHECK_OK(ooze_world_step(host, &error));
            continue;
        }
        const BothSteps both = step_both(host, device);
        const double fastest = fmax(apart(both.a, nullptr, "velocity", 3), 1e-2);
        speed = fmax(speed, fastest);
        x = fmax(x, apart(both.a, both.b, "position", 3) / SPACING);
        u = fmax(u, apart(both.a, both.b, "velocity", 3) / fastest);
        p = fmax(p, pressures_apart(both.a, both.b) / pressures_apart(both.a, nullptr));
    }
    printf("  %s: x %.1e u %.1e pressure %.1e, speeds to %.2f m/s\n", c->name, x, u, p, speed);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    assert_true(x < (c->kind == TANK ? EDGES : NEAR) && u < NEAR && p < NEAR);
}

static void a_step_is_the_same(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        compare(&c, 13, 3);
    }
}

/* Sum over the particles of a component, over their number. */
static double mean_of(const OozeFrame *frame, const char *name, int k)
{
    const OozeFieldView *field = ooze_frame_field(frame, name);
    double sum = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        sum += ooze_field_value(field, i, k);
    }
    return sum / (double)frame->particle_count;
}

/* Runs of their own: particles stay near each other, and the fluid has the same centre. */
static void runs_stay_together(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        OozeWorld *host = create_world(&c, 1e-5, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(&c, 1e-5, OOZE_DEVICE_CUDA);
        for (int k = 0; k < c.steps; k++) {
            CHECK_OK(ooze_world_step(host, &error));
            CHECK_OK(ooze_world_step(device, &error));
        }
        const OozeFrame *a = ooze_world_frame(host), *b = ooze_world_frame(device);
        const double x = apart(a, b, "position", 3) / SPACING;
        double centre = 0;
        for (int k = 0; k < 3; k++) {
            centre = fmax(centre, fabs(mean_of(a, "position", k) - mean_of(b, "position", k)));
        }
        const double many = share_apart(a, b, FAR * SPACING);
        printf("  %s: x %.1e, share beyond %.0e: %.1e, centre %.1e spacings\n", c.name, x, FAR,
               many, centre / SPACING);
        ooze_world_destroy(host);
        ooze_world_destroy(device);
        assert_true(many < 0.01 && centre < 1e-3 * SPACING);
    }
}

/* Root mean square of the velocities. */
static double speed_of(const OozeFrame *frame)
{
    const OozeFieldView *u = ooze_frame_field(frame, "velocity");
    double sum = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        for (int k = 0; k < 3; k++) {
            sum += pow(ooze_field_value(u, i, k), 2);
        }
    }
    return sqrt(sum / (double)frame->particle_count);
}

/* Pressure balances weight: a pool gains a small part of the speed of free fall, since particles at
   its surface settle, and the same on both devices. */
static void a_pool_stays_at_rest(void **state)
{
    (void)state;
    const Case rest = {"rest", REST, MULTIGRID, false, MANY};
    const double fall = 9.81 * MANY / 240;
    double speed[2];
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = create_world(&rest, 1e-4, k ? OOZE_DEVICE_CUDA : OOZE_DEVICE_CPU);
        for (int step = 0; step < rest.steps; step++) {
            CHECK_OK(ooze_world_step(world, &error));
        }
        speed[k] = speed_of(ooze_world_frame(world));
        ooze_world_destroy(world);
    }
    printf("  speed of a pool after %d steps, over free fall: processor %.2e, device %.2e\n",
           rest.steps, speed[0] / fall, speed[1] / fall);
    assert_true(speed[1] < 0.02 * fall && fabs(speed[1] - speed[0]) < 1e-3 * fall);
}

static void runs_repeat(void **state)
{
    (void)state;
    for (const Case &c : {cases[1], cases[3], cases[5]}) {
        check_runs_are_equal([&] { return create_world(&c, 1e-3, OOZE_DEVICE_CUDA); }, 5, 2);
    }
}

static void dynamic_solids_are_refused(void **state)
{
    (void)state;
    OozeWorld *world = create_world(&cases[1], 1e-3, OOZE_DEVICE_CUDA);
    OozeSolidDef ball = solid_def(OOZE_SHAPE_SPHERE, 0.0);
    ball.shape.radius = 0.04;
    ball.shape.position = {0, 0.4, 0};
    ball.density = 500;
    CHECK_OK(ooze_world_add_solid(world, &ball, nullptr, &error));
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_UNSUPPORTED,
                "because 'pressure: grid' with dynamic solids runs on the processor alone");
    CHECK_OK(
        ooze_world_set_param(world, "pressure", choice_of("pressure", "density_stage"), &error));
    CHECK_OK(ooze_world_set_param(world, "velocity_preconditioner", MASS, &error));
    CHECK_OK(ooze_world_step(world, &error));
    ooze_world_destroy(world);
}

/* Whichever piece of memory cannot be had: the step is refused, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    int refused =
        count_refused_steps([&] { return create_world(&cases[4], 1e-1, OOZE_DEVICE_CUDA); }, 10);
    printf("  refused %d times\n", refused);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_the_same),
        cmocka_unit_test(runs_stay_together),
        cmocka_unit_test(a_pool_stays_at_rest),
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(dynamic_solids_are_refused),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
