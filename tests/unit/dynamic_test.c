/* Dynamic solids in a world: substeps, loads, resuming, threads, errors. */
#include "check.h"

#include "base/vec3.h"
#include "ooze/frame.h"
#include "solids/dynamic.h"
#include "world/world.h"

#define SPACING 0.1
#define STEP    0.0625

/* ---- a method that pushes -------------------------------------------------------------------- */

static struct {
    double refuses;   /* substeps longer than this, s */
    OozeVec3 impulse; /* N s given to the first solid in each substep, per second */
    bool moves;       /* calls ooze_dynamic_move itself */
    int substeps;
} told;

static OozeStatus push(void *data, OozeStepContext *c, OozeError *error)
{
    (void)data;
    assert_non_null(c->dynamic);
    if (c->dt > told.refuses) {
        c->report->too_far = true;
        return OOZE_OK;
    }
    told.substeps++;
    c->dynamic->loads[0].impulse = vec3_scale(told.impulse, c->dt);
    return told.moves ? ooze_dynamic_move(c->dynamic, error) : OOZE_OK;
}

static const char *const no_keys[] = {NULL};
static OozeMethod pushing_method = {
    .info = {.name = "pushing", .summary = "pushes", .reference = ""},
    .material_keys = no_keys,
    .step = push,
    .pushes_solids = true,
};

static OozeSolidDef box_of(double density, OozeVec3 velocity)
{
    OozeSolidDef box = ooze_solid_def_default();
    box.name = "box";
    box.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.shape.size = vec3(0.2, 0.4, 0.6);
    box.density = density;
    box.motion.velocity = velocity;
    return box;
}

static OozeWorld *pushing_world(double gravity, OozeVec3 velocity)
{
    memset(&told, 0, sizeof told);
    told.refuses = INFINITY;
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = SPACING;
    def.time_step = STEP;
    def.gravity = vec3(0, -gravity, 0);
    def.threads = 1;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create_with(&def, &pushing_method, &world, &error));
    OozeSolidDef box = box_of(1000.0, velocity);
    CHECK_OK(ooze_world_add_solid(world, &box, NULL, &error));
    return world;
}

static void steps(OozeWorld *world, int count)
{
    for (int i = 0; i < count; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

/* Only impulses and gravity change the momentum, for any substeps, moved by method or world. */
static void loads_add_up(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        OozeWorld *world = pushing_world(2.0, vec3(0.5, 0, 0));
        told.impulse = vec3(0, 0, 48.0); /* 1 m/s2 */
        told.moves = k & 1;
        told.refuses = k & 2 ? STEP / 3.0 : INFINITY;
        steps(world, 8);
        OozePose pose = world->solids.items[0].pose;
        CHECK_NEAR(pose.velocity.x, 0.5, 1e-14);
        CHECK_NEAR(pose.velocity.y, -2.0 * 8 * STEP, 1e-14);
        CHECK_NEAR(pose.velocity.z, 8 * STEP, 1e-14);
        CHECK_NEAR(pose.position.x, 0.5 * 8 * STEP, 1e-14);
        assert_int_equal(told.substeps, k & 2 ? 8 * 4 : 8);
        int solids = 0;
        CHECK_NEAR(ooze_world_solid_loads(world, &solids)[0].impulse.z, 48.0 * STEP, 1e-13);
        assert_int_equal(solids, 1);
        ooze_world_destroy(world);
    }
}

/* 3.3 m/s are 2.06 spacings a step: cut into four. A corner that turns as fast is cut for as
   well. */
static void fast_solids_divide_steps(void **state)
{
    (void)state;
    OozeWorld *world = pushing_world(0.0, vec3(3.3, 0, 0));
    steps(world, 1);
    assert_int_equal(world->substep.count, 4);
    ooze_world_destroy(world);
    world = pushing_world(0.0, vec3(0, 0, 0));
    double arm = sqrt(0.01 + 0.04 + 0.09);
    OozeSolidPose pose = ooze_world_frame(world)->solids[0].pose;
    pose.spin = vec3(0, ooze_degrees(3.3 / arm), 0);
    CHECK_OK(ooze_world_set_solid_pose(world, (OozeSolidId){0}, &pose, &error));
    steps(world, 1);
    assert_int_equal(world->substep.count, 4);
    ooze_world_destroy(world);
}

/* ---- ballistic particles --------------------------------------------------------------------- */

/* A light box in a shower, over a floor. */
static OozeWorld *shower(int threads)
{
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.02;
    def.gravity = vec3(0, 0, 0);
    def.threads = threads;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    material.name = "sand";
    CHECK_OK(ooze_material_def_set(&material, "density", 2000, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeSolidDef box = box_of(20.0, vec3(0, 0, 0));
    box.friction = 0.3;
    box.restitution = 0.5;
    CHECK_OK(ooze_world_add_solid(world, &box, NULL, &error));
    OozeFluidDef cloud = ooze_fluid_def_default();
    cloud.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    cloud.shape.size = vec3(0.3, 0.3, 0.3);
    cloud.shape.position = vec3(0.03, 0.5, 0.1);
    cloud.velocity = vec3(0.3, -2, 0);
    CHECK_OK(ooze_world_add_fluid(world, &cloud, NULL, &error));
    return world;
}

typedef struct Motion {
    OozeVec3 momentum, moment; /* about the origin */
} Motion;

static Motion motion_of(OozeWorld *world)
{
    const OozeSolid *solid = &world->solids.items[0];
    OozeVec3 c = ooze_dynamic_centre(solid, &solid->pose);
    OozeVec3 p = vec3_scale(ooze_pose_velocity_at(&solid->pose, c), solid->mass.mass);
    Motion sum = {p, vec3_add(vec3_cross(c, p),
                              ooze_dynamic_momentum(solid, &solid->pose, solid->pose.spin))};
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    const OozeFloat4 *v = ooze_particles_velocities(world->particles);
    for (uint64_t i = 0; i < ooze_particles_count(world->particles); i++) {
        OozeVec3 q = vec3_scale(vec3(v[i].x, v[i].y, v[i].z), 2000.0 * 8e-6);
        sum.momentum = vec3_add(sum.momentum, q);
        sum.moment = vec3_add(sum.moment, vec3_cross(vec3(x[i].x, x[i].y, x[i].z), q));
    }
    return sum;
}

static void particles_and_solid_conserve_momentum(void **state)
{
    (void)state;
    OozeWorld *world = shower(1);
    Motion before = motion_of(world);
    steps(world, 60);
    Motion after = motion_of(world);
    double all = vec3_length(before.momentum);
    /* velocities are floats: 3400 particles that round 60 times, each to 6e-8 of its own */
    CHECK_NEAR(vec3_length(vec3_sub(after.momentum, before.momentum)) / all, 0.0, 1e-6);
    const OozePose *pose = &world->solids.items[0].pose;
    assert_true(pose->velocity.y < -0.5);           /* it was hit, */
    assert_true(vec3_length(pose->velocity) < 2.5); /* and not shot away */
    ooze_world_destroy(world);
}

static uint64_t run_shower(int threads, int resume_at)
{
    OozeWorld *world = shower(threads);
    steps(world, resume_at);
    if (resume_at) {
        OozeWorld *other = shower(threads);
        CHECK_OK(ooze_world_restore(other, ooze_world_frame(world), &error));
        ooze_world_destroy(world);
        world = other;
    }
    steps(world, 60 - resume_at);
    uint64_t hash = ooze_frame_hash(ooze_world_frame(world));
    ooze_world_destroy(world);
    return hash;
}

static void resumed_runs_and_more_threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash = run_shower(1, 0);
    assert_true(run_shower(3, 0) == hash);
    assert_true(run_shower(2, 37) == hash);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void methods_without_coupling_refuse_dynamic_solids(void **state)
{
    (void)state;
    OozeMethod idle = pushing_method;
    idle.pushes_solids = false;
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create_with(&def, &idle, &world, &error));
    OozeSolidDef box = box_of(1000.0, vec3(0, 0, 0));
    CHECK_FAILS(ooze_world_add_solid(world, &box, NULL, &error), OOZE_ERROR_UNSUPPORTED,
                "method 'pushing' does not push solids");
    box.density = 0.0;
    CHECK_OK(ooze_world_add_solid(world, &box, NULL, &error));
    ooze_world_destroy(world);
}

static void a_diverged_solid_is_an_error(void **state)
{
    (void)state;
    OozeWorld *world = pushing_world(0.0, vec3(0, 0, 0));
    told.impulse = vec3(1e30, 0, 0);
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_NUMERIC, "solid 'box' runs away");
    ooze_world_destroy(world);
}

/* A box on a floor, joined to a ball: one step, with every allocation failing in turn. */
static OozeStatus try_bodies(OozeError *error)
{
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 4.0 * SPACING; /* a coarse mesh is soon made */
    def.threads = 1;
    OozeWorld *world = NULL;
    OozeSolidDef box = box_of(500.0, vec3(0, 0, 0)), floor = ooze_solid_def_default(), ball = box;
    box.shape.position.y = 0.2;
    floor.name = "floor";
    ball.name = "ball";
    ball.shape.kind = OOZE_SHAPE_SPHERE;
    ball.shape.scale = vec3(0.2, 0.4, 0.2); /* uneven: a mesh */
    ball.shape.position = vec3(1, 1, 0);
    OozeJointDef joint = ooze_joint_def_default();
    joint.solid.index = 1;
    joint.other.index = 2;
    OozeStatus status = ooze_world_create(&def, &world, error);
    status = status ? status : ooze_world_add_solid(world, &floor, NULL, error);
    status = status ? status : ooze_world_add_solid(world, &box, NULL, error);
    status = status ? status : ooze_world_add_solid(world, &ball, NULL, error);
    if (!status && ooze_dynamics_find()) {
        status = ooze_world_add_joint(world, &joint, NULL, error);
    }
    status = status ? status : ooze_world_step(world, error);
    ooze_world_destroy(world);
    return status;
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    OozeStatus status = OOZE_ERROR_MEMORY;
    for (uint64_t k = 1; status; k++) {
        OozeError error = {0};
        assert_true(k < 5000);
        ooze_memory_fail_after(k);
        status = try_bodies(&error);
        ooze_memory_fail_after(0);
        assert_true(!status || (status == OOZE_ERROR_MEMORY && error.message[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_add_up),
        cmocka_unit_test(fast_solids_divide_steps),
        cmocka_unit_test(particles_and_solid_conserve_momentum),
        cmocka_unit_test(resumed_runs_and_more_threads_give_the_same_bits),
        cmocka_unit_test(methods_without_coupling_refuse_dynamic_solids),
        cmocka_unit_test(a_diverged_solid_is_an_error),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
