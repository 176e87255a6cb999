/* Rigid particle bodies over many steps on the device: as on the processor, with the same bits in
   every run, with their momenta, and held or sliding on solids as friction demands. */
#include "cuda/engine.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02;

static OozeWorld *create_world(OozeVec3 gravity, OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "conformation";
    def.spacing = SPACING;
    def.time_step = 1.0 / 240;
    def.max_travel = 0;
    def.gravity = gravity;
    def.device = device;
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_world_set_param(world, "tolerance", 1e-5, &error));
    CHECK_OK(ooze_world_set_param(world, "velocity_iterations", 300, &error));
    return world;
}

static void add_box(OozeWorld *world, OozeMaterialId material, OozeBodyKind kind, OozeVec3 size,
                    OozeVec3 position, OozeVec3 velocity, double turns)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.body = kind;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    def.shape.position = position;
    def.velocity = velocity;
    def.spin = ooze_vec3_degrees(vec3(turns, -turns, 2 * turns));
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

static void add_plane(OozeWorld *world, OozeVec3 normal, double friction)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    def.shape.normal = normal;
    def.friction = friction;
    CHECK_OK(ooze_world_add_solid(world, &def, nullptr, &error));
}

static OozeMaterialId add_slime(OozeWorld *world)
{
    return add_material(world, 1400,
                        {{"viscosity", 20}, {"modulus", 1000}, {"relaxation_time", 0.05}});
}

/* A cube that lands on a pool and another beside it on the floor, one edge first. */
static OozeWorld *create_landing(OozeDevice device)
{
    OozeWorld *world = create_world({0, -9.81, 0}, device);
    OozeMaterialId slime = add_slime(world), wood = add_material(world, 700, {});
    OozeMaterialId rubber = add_material(world, 1100, {{"modulus", 3e4}});
    add_plane(world, {0, 1, 0}, 0.5);
    add_box(world, slime, OOZE_BODY_FLUID, {0.2, 0.1, 0.2}, {0, 0.05, 0}, {0, 0, 0}, 0.0);
    add_box(world, wood, OOZE_BODY_RIGID, {0.1, 0.08, 0.1}, {0, 0.16, 0}, {0.1, -0.5, 0}, 0.5);
    add_box(world, wood, OOZE_BODY_RIGID, {0.1, 0.1, 0.1}, {0.3, 0.08, 0}, {0.2, -0.5, 0.1}, 1.0);
    add_box(world, rubber, OOZE_BODY_SOFT, {0.08, 0.08, 0.08}, {-0.25, 0.07, 0}, {0, -0.5, 0}, 0.5);
    return world;
}

static void fifty_steps_are_those_of_the_processor(void **state)
{
    (void)state;
    OozeWorld *host = create_landing(OOZE_DEVICE_CPU), *device = create_landing(OOZE_DEVICE_CUDA);
    double after_one = 0.0;
    for (int k = 0; k < 50; k++) {
        CHECK_OK(ooze_world_step(host, &error));
        CHECK_OK(ooze_world_step(device, &error));
        if (k == 0) {
            after_one = apart(ooze_world_frame(host), ooze_world_frame(device), "position", 3);
        }
    }
    double far = apart(ooze_world_frame(host), ooze_world_frame(device), "position", 3);
    printf("  positions are apart by %.1e spacings after a step, %.1e after 50\n",
           after_one / SPACING, far / SPACING);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    /* rounding, which contacts that begin a step sooner or later amplify */
    assert_true(after_one < 1e-4 * SPACING);
    assert_true(far < 0.005 * SPACING);
}

static void runs_have_the_same_bits(void **state)
{
    (void)state;
    check_runs_are_equal([] { return create_landing(OOZE_DEVICE_CUDA); }, 12, 5);
}

/* ---- momentum ---- */

struct Momentum {
    double p[3], l[3];
};

/* Of all particles, whose masses are the densities of their materials times one volume. */
static Momentum momentum_of(OozeWorld *world, const double *densities)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position"),
                        *u = ooze_frame_field(frame, "velocity"),
                        *material = ooze_frame_field(frame, "material");
    Momentum sum = {{0, 0, 0}, {0, 0, 0}};
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        const double mass = densities[(int)ooze_field_value(material, i, 0)];
        const OozeVec3 at = {ooze_field_value(x, i, 0), ooze_field_value(x, i, 1),
                             ooze_field_value(x, i, 2)};
        const OozeVec3 p = {mass * ooze_field_value(u, i, 0), mass * ooze_field_value(u, i, 1),
                            mass * ooze_field_value(u, i, 2)};
        const OozeVec3 l = vec3_cross(at, p);
        const double parts[6] = {p.x, p.y, p.z, l.x, l.y, l.z};
        for (int c = 0; c < 3; c++) {
            sum.p[c] += parts[c];
            sum.l[c] += parts[3 + c];
        }
    }
    return sum;
}

/* A rigid and a soft body fly into a drop, without weight or solids. */
static void impacts_conserve_momentum(void **state)
{
    (void)state;
    OozeWorld *world = create_world({0, 0, 0}, OOZE_DEVICE_CUDA);
    const double densities[] = {1400, 2000, 1100};
    OozeMaterialId slime = add_slime(world), stone = add_material(world, 2000, {});
    OozeMaterialId rubber = add_material(world, 1100, {{"modulus", 3e4}});
    add_box(world, slime, OOZE_BODY_FLUID, {0.16, 0.16, 0.16}, {0, 0, 0}, {0, 0, 0}, 0.0);
    add_box(world, stone, OOZE_BODY_RIGID, {0.08, 0.1, 0.08}, {0.14, 0.02, 0}, {-1, 0, 0.2}, 1.0);
    add_box(world, rubber, OOZE_BODY_SOFT, {0.08, 0.08, 0.08}, {0, -0.13, 0.02}, {0, 1, 0}, 0.0);
    const Momentum before = momentum_of(world, densities);
    double size = 0.0, spin = 0.0, linear = 0.0, angular = 0.0;
    for (int k = 0; k < 30; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    const Momentum after = momentum_of(world, densities);
    for (int c = 0; c < 3; c++) {
        size = fmax(size, fabs(before.p[c]));
        spin = fmax(spin, fabs(before.l[c]));
        linear = fmax(linear, fabs(after.p[c] - before.p[c]));
        angular = fmax(angular, fabs(after.l[c] - before.l[c]));
    }
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_string_equal(stats.device, "cuda");
    printf("  momentum changed by %.1e, angular momentum by %.1e of the largest component\n",
           linear / size, angular / spin);
    ooze_world_destroy(world);
    /* rounding; angular momentum also changes by the finite length of a step, in which pairs push
       along their lines at its beginning */
    assert_true(linear < 1e-5 * size && angular < 4e-3 * spin);
}

/* ---- contact ---- */

/* Velocity and displacement along x of a block after 40 steps on a floor, with gravity tilted by 20
   degrees. */
struct Slide {
    double speed, distance, lowest;
};

static Slide slide(double friction)
{
    const double tilt = 20.0 * OOZE_PI / 180.0;
    OozeWorld *world = create_world({9.81 * sin(tilt), -9.81 * cos(tilt), 0}, OOZE_DEVICE_CUDA);
    OozeMaterialId wood = add_material(world, 700, {});
    add_plane(world, {0, 1, 0}, friction);
    add_box(world, wood, OOZE_BODY_RIGID, {0.16, 0.06, 0.12}, {0, 0.03, 0}, {0, 0, 0}, 0.0);
    double *before = by_id(ooze_world_frame(world), "position", 3);
    for (int k = 0; k < 40; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    const OozeFrame *frame = ooze_world_frame(world);
    double *x = by_id(frame, "position", 3), *u = by_id(frame, "velocity", 3);
    Slide found = {0.0, 0.0, INFINITY};
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        found.speed += u[3 * i] / (double)frame->particle_count;
        found.distance = fmax(found.distance, fabs(x[3 * i] - before[3 * i]));
        found.lowest = fmin(found.lowest, x[3 * i + 1]);
    }
    free(before);
    free(x);
    free(u);
    ooze_world_destroy(world);
    return found;
}

static void friction_holds_or_lets_slide(void **state)
{
    (void)state;
    const double tilt = 20.0 * OOZE_PI / 180.0, time = 40.0 / 240;
    const Slide held = slide(0.5), slips = slide(0.1);
    const double expected = 9.81 * (sin(tilt) - 0.1 * cos(tilt)) * time;
    printf("  held: moved %.1e spacings, %.1e m/s; sliding: %.4f m/s, Coulomb's law %.4f\n",
           held.distance / SPACING, held.speed, slips.speed, expected);
    assert_true(held.distance < 1e-3 * SPACING && fabs(held.speed) < 1e-4);
    assert_true(fabs(slips.speed - expected) < 0.01 * expected);
    /* centres stay half a spacing above the floor */
    assert_true(fabs(held.lowest - 0.5 * SPACING) < 0.01 * SPACING);
    assert_true(fabs(slips.lowest - 0.5 * SPACING) < 0.01 * SPACING);
}

/* ---- waits ---- */

/* Waits of the host in one step with so many iterations of the density stage. */
static uint64_t waits_of(int iterations)
{
    OozeWorld *world = create_landing(OOZE_DEVICE_CUDA);
    CHECK_OK(ooze_world_set_param(world, "density_iterations", iterations, &error));
    CHECK_OK(ooze_world_set_param(world, "velocity_iterations", 4, &error));
    CHECK_OK(ooze_world_set_param(world, "velocity_preconditioner", 0, &error));
    for (int k = 0; k < 3; k++) { /* memory has grown by then */
        CHECK_OK(ooze_world_step(world, &error));
    }
    const ooze::Engine *engine = static_cast<const ooze::Engine *>(world->engine_data);
    const uint64_t before = engine->gpu.counts.waits;
    CHECK_OK(ooze_world_step(world, &error));
    const uint64_t waits = engine->gpu.counts.waits - before;
    ooze_world_destroy(world);
    return waits;
}

static void iterations_do_not_wait_for_the_host(void **state)
{
    (void)state;
    const uint64_t few = waits_of(3), many = waits_of(20);
    printf("  waits of a step: %d with 3 iterations, %d with 20\n", (int)few, (int)many);
    assert_true(few > 0);
    assert_int_equal(few, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifty_steps_are_those_of_the_processor),
        cmocka_unit_test(runs_have_the_same_bits),
        cmocka_unit_test(impacts_conserve_momentum),
        cmocka_unit_test(friction_holds_or_lets_slide),
        cmocka_unit_test(iterations_do_not_wait_for_the_host),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
