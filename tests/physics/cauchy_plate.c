/* Acceptance test of the upper plate of a drawing rig: speed and displacement at every step. */
#include "physics/fixtures.h"

/* The plate of paper 004: its speed rises as a sine and reaches 0.18 m/s after 100 steps. */
static const double pull_speed = 0.18, step_length = 1e-4, plate_height = 0.05;
enum { RAMP_STEPS = 100, STEPS = 300 };

static OozeWorld *plate_world(double max_travel)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "cauchy";
    def.spacing = 0.002;
    def.time_step = step_length;
    def.max_travel = max_travel;
    def.threads = 1;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialId fluid = add_matter(world, newtonian_matter(1));
    /* slides along the floor, two spacings per step: substeps follow where max_travel is not 0 */
    OozeVec3 x = vec3(1, 0.001, 0), v = vec3(40, 0, 0);
    CHECK_OK(ooze_world_add_particles(world, fluid, 1, &x, &v, &error));
    add_floor(world, 0);
    OozeSolidDef plate = ooze_solid_def_default();
    plate.friction = 0.5;
    plate.name = "plate";
    plate.shape = ooze_shape_def_default(OOZE_SHAPE_CYLINDER);
    plate.shape.radius = 0.02;
    plate.shape.height = 0.004;
    plate.shape.position = vec3(0, plate_height, 0);
    plate.motion.velocity = vec3(0, pull_speed, 0);
    plate.motion.ramp_time = RAMP_STEPS * step_length;
    CHECK_OK(ooze_world_add_solid(world, &plate, NULL, &error));
    OozeProbeDef probe = ooze_probe_def_default();
    probe.name = "plate";
    probe.kind = OOZE_PROBE_SOLID;
    probe.solid = "plate";
    CHECK_OK(ooze_world_add_probe(world, &probe, NULL, &error));
    return world;
}

/* Speed and displacement at the end of step n. */
static double speed_at(int n)
{
    return pull_speed * (n < RAMP_STEPS ? sin(0.5 * REFERENCE_PI * n / RAMP_STEPS) : 1.0);
}

static double displacement_at(int n)
{
    double ramp = RAMP_STEPS * step_length, in = fmin(n, RAMP_STEPS);
    double risen = 2 * ramp / REFERENCE_PI * (1 - cos(0.5 * REFERENCE_PI * in / RAMP_STEPS));
    return pull_speed * (risen + (n - in) * step_length);
}

/* Largest errors of speed and displacement over 300 steps. */
static void check_plate(double max_travel)
{
    OozeWorld *world = plate_world(max_travel), *resumed = plate_world(max_travel);
    double speed_error = 0, place_error = 0;
    int substeps = 0;
    for (int n = 0; n <= STEPS; n++) {
        const OozeFrame *frame = ooze_world_frame(world);
        const OozeSolidPose *pose = &frame->solids[1].pose;
        double moved = pose->position.y - plate_height;
        speed_error = fmax(speed_error, fabs(pose->velocity.y - speed_at(n)));
        place_error = fmax(place_error, fabs(moved - displacement_at(n)));
        if (n == RAMP_STEPS / 2) {
            CHECK_OK(ooze_world_restore(resumed, frame, &error));
        }
        if (n > RAMP_STEPS / 2) {
            CHECK_OK(ooze_world_step(resumed, &error));
            const OozeSolidPose *other = &ooze_world_frame(resumed)->solids[1].pose;
            assert_memory_equal(other, pose, sizeof *pose);
        }
        if (n < STEPS) {
            CHECK_OK(ooze_world_step(world, &error));
            OozeWorldStats stats;
            ooze_world_stats(world, &stats);
            substeps = stats.substeps > substeps ? stats.substeps : substeps;
        }
    }
    printf("  %d substeps per step\n", substeps);
    assert_true((substeps > 1) == (max_travel > 0));
    /* rounding of times of 0.03 s and of heights of 0.1 m */
    MEASURED("largest error of the speed (m/s)", speed_error, 0, 1e-15);
    MEASURED("largest error of the displacement (m)", place_error, 0, 3e-17);
    ooze_world_destroy(world);
    ooze_world_destroy(resumed);
}

/* The speed after step n is 0.18 sin(pi n / 200) m/s up to n = 100, then 0.18 m/s; the displacement
   is its integral, with and without substeps, and the same bits follow a restored state. */
static void cauchy_T09_plate(void **state)
{
    (void)state;
    check_plate(0);
    check_plate(0.5);
}

ACCEPTANCE_MAIN(cmocka_unit_test(cauchy_T09_plate))
