#include "check.h"

#include "base/memory.h"
#include "solids/motion.h"

/* The spin that carries rotation a to b within dt, by finite difference. */
static OozeVec3 difference_spin(OozeQuat a, OozeQuat b, double dt)
{
    OozeQuat d = quat_mul(b, quat_conjugate(a));
    double sign = d.w < 0.0 ? -1.0 : 1.0;
    return vec3_scale(vec3(d.x, d.y, d.z), 2.0 * sign / dt);
}

static double gap(OozeVec3 a, OozeVec3 b)
{
    return vec3_length(vec3_sub(a, b));
}

/* Velocity and spin must be the derivatives of position and rotation. A central difference over
   2e-5 s of motion with third derivatives of order 1e4 errs by about 1e-6 at most, plus rounding of
   order 1e-10. */
static void check_derivatives(const OozeMotion *motion, double from, double to)
{
    const double e = 1e-5;
    for (int i = 0; i <= 97; i++) {
        double t = from + (to - from) * (i + 0.37) / 98.0;
        OozePose a = ooze_motion_pose(motion, t - e), b = ooze_motion_pose(motion, t + e);
        OozePose pose = ooze_motion_pose(motion, t);
        OozeVec3 velocity = vec3_scale(vec3_sub(b.position, a.position), 0.5 / e);
        CHECK_NEAR(gap(velocity, pose.velocity), 0.0, 2e-6);
        CHECK_NEAR(gap(difference_spin(a.rotation, b.rotation, 2.0 * e), pose.spin), 0.0, 2e-6);
    }
}

static const OozeKeyframe keys[] = {
    {0.5, {0, 0, 0}, {0, 0, 0, 1}},
    {1.0, {1, 2, 0}, {0, 0, 0.479425538604203, 0.877582561890373}}, /* 1 rad about z */
    {1.7, {1.5, 1, 3}, {0.5, 0.5, 0.5, 0.5}},
    {2.0, {2, 1, 2}, {0, 1, 0, 0}},
};

static OozeMotion make(const OozeMotionDef *def)
{
    OozeMotion motion;
    CHECK_OK(
        ooze_motion_create(&motion, def, vec3(1, 2, 3), quat_from_vector(vec3(0.3, 0, 0)), &error));
    return motion;
}

static OozeMotionDef keyed(const OozeKeyframe *frames, int count, OozeInterpolation interpolation)
{
    OozeMotionDef def = ooze_motion_def_default();
    def.keyframes = frames;
    def.keyframe_count = count;
    def.interpolation = interpolation;
    return def;
}

static void default_motion_is_still(void **state)
{
    (void)state;
    OozeMotionDef def = ooze_motion_def_default();
    OozeMotion motion = make(&def);
    assert_true(ooze_motion_is_still(&motion));
    OozePose pose = ooze_motion_pose(&motion, 1e6);
    CHECK_NEAR(gap(pose.position, vec3(1, 2, 3)), 0.0, 0.0);
    CHECK_NEAR(vec3_length(pose.velocity) + vec3_length(pose.spin), 0.0, 0.0);
    ooze_motion_free(&motion);
}

static void keys_are_met_and_held(void **state)
{
    (void)state;
    for (int linear = 0; linear < 2; linear++) {
        OozeMotionDef def = keyed(keys, 4, linear ? OOZE_MOTION_LINEAR : OOZE_MOTION_SMOOTH);
        OozeMotion motion = make(&def);
        assert_false(ooze_motion_is_still(&motion));
        for (int i = 0; i < 4; i++) {
            OozePose pose = ooze_motion_pose(&motion, keys[i].time);
            CHECK_NEAR(gap(pose.position, keys[i].position), 0.0, 1e-14);
            CHECK_NEAR(vec3_length(difference_spin(pose.rotation, keys[i].rotation, 1.0)), 0.0,
                       1e-14);
        }
        double outside[] = {-1e300, 0.0, 0.4999, 2.0, 3.0, 1e300};
        for (int i = 0; i < 6; i++) {
            OozePose pose = ooze_motion_pose(&motion, outside[i]);
            CHECK_NEAR(gap(pose.position, keys[i < 3 ? 0 : 3].position), 0.0, 0.0);
            CHECK_NEAR(vec3_length(pose.velocity) + vec3_length(pose.spin), 0.0, 0.0);
        }
        ooze_motion_free(&motion);
    }
}

static void smooth_keys_have_exact_continuous_rates(void **state)
{
    (void)state;
    OozeMotionDef def = keyed(keys, 4, OOZE_MOTION_SMOOTH);
    OozeMotion motion = make(&def);
    for (int i = 0; i < 3; i++) {
        check_derivatives(&motion, keys[i].time + 1e-4, keys[i + 1].time - 1e-4);
    }
    /* Across a key the rates change by no more than an acceleration of order 100 over 2e-9 s. */
    for (int i = 0; i < 4; i++) {
        OozePose a = ooze_motion_pose(&motion, keys[i].time - 1e-9);
        OozePose b = ooze_motion_pose(&motion, keys[i].time + 1e-9);
        CHECK_NEAR(gap(a.velocity, b.velocity), 0.0, 1e-6);
        CHECK_NEAR(gap(a.spin, b.spin), 0.0, 1e-6);
    }
    ooze_motion_free(&motion);
}

static void smooth_keys_do_not_overshoot(void **state)
{
    (void)state;
    OozeKeyframe step[] = {{0, {0, 0, 0}, {0, 0, 0, 1}},
                           {1, {0, 0, 0}, {0, 0, 0, 1}},
                           {1.1, {1, 0, 0}, {0, 0, 0, 1}},
                           {3, {1, 0, 0}, {0, 0, 0, 1}}};
    OozeMotionDef def = keyed(step, 4, OOZE_MOTION_SMOOTH);
    OozeMotion motion = make(&def);
    double last = 0.0;
    for (int i = 0; i <= 3000; i++) {
        double x = ooze_motion_pose(&motion, i * 0.001).position.x;
        assert_true(x >= last - 1e-15 && x <= 1.0 + 1e-15);
        last = x;
    }
    ooze_motion_free(&motion);
}

/* Two keys at rest: the cubic 3u2 - 2u3, in position and in angle. */
static void two_smooth_keys_make_the_known_cubic(void **state)
{
    (void)state;
    OozeKeyframe two[] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {2, {4, 0, 0}, {0, 0, 0, 1}}};
    OozeVec3 axis = vec3(0.6, 0.0, 0.8);
    two[1].rotation = quat_from_vector(vec3_scale(axis, 2.5));
    OozeMotionDef def = keyed(two, 2, OOZE_MOTION_SMOOTH);
    OozeMotion motion = make(&def);
    for (int i = 1; i < 20; i++) {
        double u = i / 20.0, s = u * u * (3 - 2 * u), rate = 6 * u * (1 - u) / 2.0;
        OozePose pose = ooze_motion_pose(&motion, 2 * u);
        CHECK_NEAR(pose.position.x, 4 * s, 1e-14);
        CHECK_NEAR(pose.velocity.x, 4 * rate, 1e-14);
        OozeQuat q = quat_from_vector(vec3_scale(axis, 2.5 * s));
        CHECK_NEAR(vec3_length(difference_spin(pose.rotation, q, 1.0)), 0.0, 1e-13);
        CHECK_NEAR(gap(pose.spin, vec3_scale(axis, 2.5 * rate)), 0.0, 1e-13);
    }
    ooze_motion_free(&motion);
}

static void linear_keys_move_at_constant_rate(void **state)
{
    (void)state;
    OozeMotionDef def = keyed(keys, 4, OOZE_MOTION_LINEAR);
    OozeMotion motion = make(&def);
    OozePose pose = ooze_motion_pose(&motion, 0.625);
    CHECK_NEAR(gap(pose.position, vec3(0.25, 0.5, 0)), 0.0, 1e-15);
    CHECK_NEAR(gap(pose.velocity, vec3(2, 4, 0)), 0.0, 1e-14);
    CHECK_NEAR(gap(pose.spin, vec3(0, 0, 2)), 0.0, 1e-13); /* 1 rad in 0.5 s */
    for (int i = 0; i < 3; i++) {
        check_derivatives(&motion, keys[i].time + 1e-4, keys[i + 1].time - 1e-4);
    }
    ooze_motion_free(&motion);
}

static void spin_turns_about_the_pivot(void **state)
{
    (void)state;
    OozeMotionDef def = ooze_motion_def_default();
    def.spin = ooze_vec3_degrees(vec3(0, 0, 2));
    def.pivot = vec3(0.5, 0, 0);
    OozeMotion motion = make(&def);
    OozePose pose = ooze_motion_pose(&motion, 0.25 * 3.14159265358979323846); /* a quarter turn */
    /* the shape's place is half a metre left of the pivot; a quarter turn puts it below */
    CHECK_NEAR(gap(pose.position, vec3(1.5, 1.5, 3)), 0.0, 1e-14);
    CHECK_NEAR(gap(pose.velocity, vec3(1, 0, 0)), 0.0, 1e-14);
    CHECK_NEAR(gap(pose.spin, vec3(0, 0, 2)), 0.0, 0.0);
    CHECK_NEAR(vec3_length(ooze_pose_velocity_at(&pose, vec3(1.5, 2, 3))), 0.0, 1e-14);
    ooze_motion_free(&motion);
}

static void window_bounds_velocity_and_sine(void **state)
{
    (void)state;
    OozeMotionDef def = ooze_motion_def_default();
    def.velocity = vec3(2, 0, 0);
    def.sine_amplitude = vec3(0, 0.5, 0);
    def.sine_frequency = 2.0;
    def.sine_phase = ooze_degrees(0.7);
    def.start = 1.0;
    def.stop = 1.5;
    OozeMotion motion = make(&def);
    OozePose before = ooze_motion_pose(&motion, 0.9), after = ooze_motion_pose(&motion, 9.0);
    CHECK_NEAR(gap(before.position, vec3(1, 2 + 0.5 * sin(0.7), 3)), 0.0, 1e-15);
    CHECK_NEAR(gap(after.position, vec3(2, 2 + 0.5 * sin(0.7), 3)), 0.0, 1e-14);
    CHECK_NEAR(vec3_length(before.velocity) + vec3_length(after.velocity), 0.0, 0.0);
    check_derivatives(&motion, 1.0001, 1.4999);
    CHECK_NEAR(gap(ooze_motion_pose(&motion, 1.5).position, after.position), 0.0, 0.0);
    ooze_motion_free(&motion);
}

/* Velocity v sin(pi t / (2 T)) up to T, then v; displacement (2 T / pi)(1 - cos(pi t / (2 T))) v up
   to T, then v (t - T) more. Expected values are sums of less than 1 m. */
static void ramp_has_the_displacement_of_a_sine(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, ramp = 0.01, speed = 0.18, start = 0.3;
    OozeMotionDef def = ooze_motion_def_default();
    def.velocity = vec3(0, speed, 0);
    def.start = start;
    def.ramp_time = ramp;
    OozeMotion motion;
    CHECK_OK(ooze_motion_create(&motion, &def, vec3(0, 0, 0), quat_identity(), &error));
    for (int i = -10; i <= 400; i++) {
        double t = 1.37e-4 * i, in = fmax(fmin(t, ramp), 0), after = fmax(t - ramp, 0);
        OozePose pose = ooze_motion_pose(&motion, start + t);
        double distance = speed * (2 * ramp / pi * (1 - cos(0.5 * pi * in / ramp)) + after);
        CHECK_NEAR(pose.position.y, distance, 1e-16);
        CHECK_NEAR(pose.velocity.y, speed * sin(0.5 * pi * in / ramp), 1e-14);
    }
    ooze_motion_free(&motion);
    /* pi v t2 / (4 T) for small t: no digits are lost at the start */
    def.start = 0;
    CHECK_OK(ooze_motion_create(&motion, &def, vec3(0, 0, 0), quat_identity(), &error));
    CHECK_NEAR(ooze_motion_pose(&motion, 1e-10).position.y / (0.25 * pi * speed * 1e-20 / ramp), 1,
               1e-14);
    ooze_motion_free(&motion);
}

static void ramp_raises_the_spin_and_ends_at_stop(void **state)
{
    (void)state;
    OozeMotionDef def = ooze_motion_def_default();
    def.velocity = vec3(1, -2, 3);
    def.spin = ooze_vec3_degrees(vec3(1, 2, -1));
    def.pivot = vec3(0.2, 0.3, 0.4);
    def.ramp_time = 0.5;
    OozeMotion motion = make(&def);
    check_derivatives(&motion, 0.001, 0.499);
    check_derivatives(&motion, 0.501, 1.5);
    CHECK_NEAR(vec3_length(ooze_motion_pose(&motion, 0).spin), 0.0, 0.0);
    CHECK_NEAR(gap(ooze_motion_pose(&motion, 0.5).spin, vec3(1, 2, -1)), 0.0, 1e-14);
    ooze_motion_free(&motion);

    def.stop = 0.25; /* within the ramp */
    motion = make(&def);
    OozePose stopped = ooze_motion_pose(&motion, 0.25), later = ooze_motion_pose(&motion, 9);
    OozePose before = ooze_motion_pose(&motion, 0.25 - 1e-12);
    CHECK_NEAR(gap(stopped.position, later.position), 0.0, 0.0);
    CHECK_NEAR(gap(stopped.position, before.position), 0.0, 1e-11);
    CHECK_NEAR(vec3_length(later.velocity) + vec3_length(later.spin), 0.0, 0.0);
    ooze_motion_free(&motion);
}

static void everything_at_once_has_exact_rates(void **state)
{
    (void)state;
    OozeMotionDef def = keyed(keys, 4, OOZE_MOTION_SMOOTH);
    def.velocity = vec3(1, -2, 3);
    def.spin = ooze_vec3_degrees(vec3(1, 2, -1));
    def.pivot = vec3(0.2, 0.3, 0.4);
    def.sine_amplitude = vec3(0.1, 0.2, 0.3);
    def.sine_frequency = 1.5;
    OozeMotion motion = make(&def);
    check_derivatives(&motion, 1.001, 1.699);
    ooze_motion_free(&motion);
}

static void invalid_definitions_are_errors(void **state)
{
    (void)state;
    OozeMotion m;
    OozeVec3 p = vec3(0, 0, 0);
    OozeQuat q = quat_identity();
    OozeKeyframe bad[2] = {{1, {0, 0, 0}, {0, 0, 0, 1}}, {1, {0, 0, 0}, {0, 0, 0, 1}}};
    OozeMotionDef def = keyed(bad, 2, OOZE_MOTION_SMOOTH);
    CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_ARGUMENT,
                "keyframe 2 at 1 s does not come after keyframe 1 at 1 s");
    bad[1].time = NAN;
    CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_ARGUMENT, "keyframe 2");
    bad[1].time = 2;
    bad[1].rotation.w = 0;
    CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_ARGUMENT, "not a rotation");
    def.keyframes = NULL;
    CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_ARGUMENT, "2 keyframes");
    def = ooze_motion_def_default();
    def.velocity.y = INFINITY;
    CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_ARGUMENT, "velocity");
    def = ooze_motion_def_default();
    def.start = 2;
    def.stop = 1;
    CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_ARGUMENT, "2 s to 1 s");
    def.stop = NAN;
    CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_ARGUMENT, "acts from");
    const double bad_ramps[] = {-0.01, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        def = ooze_motion_def_default();
        def.ramp_time = bad_ramps[i];
        CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_ARGUMENT, "ramp time");
    }
    def = keyed(keys, 4, OOZE_MOTION_SMOOTH);
    ooze_memory_fail_after(1);
    CHECK_FAILS(ooze_motion_create(&m, &def, p, q, &error), OOZE_ERROR_MEMORY, "keyframes");
    ooze_memory_fail_after(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_motion_is_still),
        cmocka_unit_test(keys_are_met_and_held),
        cmocka_unit_test(smooth_keys_have_exact_continuous_rates),
        cmocka_unit_test(smooth_keys_do_not_overshoot),
        cmocka_unit_test(two_smooth_keys_make_the_known_cubic),
        cmocka_unit_test(linear_keys_move_at_constant_rate),
        cmocka_unit_test(spin_turns_about_the_pivot),
        cmocka_unit_test(window_bounds_velocity_and_sine),
        cmocka_unit_test(ramp_has_the_displacement_of_a_sine),
        cmocka_unit_test(ramp_raises_the_spin_and_ends_at_stop),
        cmocka_unit_test(everything_at_once_has_exact_rates),
        cmocka_unit_test(invalid_definitions_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
