/* Probes of the shape: height and spread percentiles, drift from the best rigid fit. */
#include "base/hash.h"
#include "physics/rigid_fit.h"
#include "probe_frame.h"

static void height_of_a_ladder(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    for (int i = 0; i <= 100; i++) {
        int k = (i * 37) % 101;
        hand_add(hand, vec3(3, 0.5 + k, -k), vec3(0, 0, 0), k % 2);
    }
    OozeProbeDef def = probe_def(OOZE_PROBE_HEIGHT);
    def.point = vec3(100, 0.5, 7);
    CHECK_NEAR(measure_first(hand, &def), 99.0, 1e-9); /* the default: H99 */
    def.percentile = 100.0;
    CHECK_NEAR(measure_first(hand, &def), 100.0, 1e-9);
    def.percentile = 0.0;
    CHECK_NEAR(measure_first(hand, &def), 0.0, 1e-9);
    def.percentile = 50.0;
    def.material.index = 1; /* 1, 3, .. 99 */
    CHECK_NEAR(measure_first(hand, &def), 50.0, 1e-9);
    def.material.index = -1;
    def.axis = vec3(0, 0, -2); /* any length */
    CHECK_NEAR(measure_first(hand, &def), 57.0, 1e-9);
    hand->position[4][1] = NAN;
    def.axis = vec3(0, 0, 0);
    assert_true(isnan(measure_first(hand, &def)));
    hand_end(hand);
}

/* Points at distances 0..100 from a slanted axis, at any height along it. */
static void spread_about_a_slanted_axis(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    OozeVec3 point = vec3(1, 2, 3), axis = vec3_unit(vec3(1, 1, 1), vec3(0, 0, 1));
    OozeVec3 e1 = vec3_unit(vec3(1, -1, 0), axis), e2 = vec3_cross(axis, e1);
    for (int i = 0; i <= 100; i++) {
        OozeVec3 x = vec3_madd(point, i * cos(i), e1);
        x = vec3_madd(vec3_madd(x, i * sin(i), e2), 5.0 * i - 200.0, axis);
        hand_add(hand, x, vec3(0, 0, 0), 0);
    }
    OozeProbeDef def = probe_def(OOZE_PROBE_SPREAD);
    def.point = point;
    def.axis = vec3(3, 3, 3);
    CHECK_NEAR(measure_first(hand, &def), 95.0, 1e-4); /* R95; floats of order 500 */
    def.percentile = 100.0;
    CHECK_NEAR(measure_first(hand, &def), 100.0, 1e-4);
    hand_end(hand);
}

/* ---- drift -------------------------------------------------------------------------------- */

static OozeVec3 rest_of(const Hand *hand, uint64_t i)
{
    return vec3((double)hand->rest[i][0], (double)hand->rest[i][1], (double)hand->rest[i][2]);
}

static void rigid_motion_has_no_drift(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(-0.55, -0.55, -0.55), 12, 12, 12, 0);
    OozeProbeDef def = probe_def(OOZE_PROBE_DRIFT);
    const OozeVec3 turns[] = {{0, 0, 0},      {0.3, 0, 0},    {1, -2, 0.5}, {0, 3.14159265, 0},
                              {3.1, 0.01, 0}, {-2, 2.3, 0.9}, {0, 0, 1e-5}};
    for (int t = 0; t < 7; t++) {
        OozeQuat q = quat_from_vector(turns[t]);
        for (uint64_t i = 0; i < hand->frame.particle_count; i++) {
            OozeVec3 x = vec3_add(quat_rotate(q, rest_of(hand, i)), vec3(0.7, -0.2, 0.4));
            set_float4(hand->position[i], x);
        }
        CHECK_NEAR(measure_first(hand, &def), 0.0, 1e-6 * 1.2); /* of the edge, 1.2 m */
    }
    hand_end(hand);
}

/* Stretching a centred block by 1 + e along x moves a point by e x: the best fit is no rotation,
   and the RMS is e times the lattice's RMS of x, d sqrt((n^2 - 1) / 12). A turn afterwards
   changes nothing; nor does a shift of one material for the other's probe. */
static void stretch_gives_its_rms(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(-0.45, -0.45, -0.45), 10, 10, 10, 0);
    double e = 0.02, rms = 0.1 * sqrt(99.0 / 12.0);
    OozeQuat q = quat_from_vector(vec3(0.8, -1.1, 2.0));
    for (uint64_t i = 0; i < hand->frame.particle_count; i++) {
        OozeVec3 x = rest_of(hand, i);
        x.x *= 1.0 + e;
        set_float4(hand->position[i], vec3_add(quat_rotate(q, x), vec3(0.5, 0.5, 0.5)));
    }
    hand_add(hand, vec3(9, 9, 9), vec3(0, 0, 0), 1);
    OozeProbeDef def = probe_def(OOZE_PROBE_DRIFT);
    def.material.index = 0;
    CHECK_NEAR(measure_first(hand, &def), e * rms, 1e-6);
    def.material.index = 1;
    CHECK_NEAR(measure_first(hand, &def), 0.0, 1e-12); /* one particle is always rigid */
    hand_end(hand);
}

/* A mirror image is not a rigid motion. Mirroring x of a centred cube moves each point by 2 |x| for
   every proper rotation that leaves y and z; the least is 2 rms(x) by the symmetry of the cube. */
static void mirror_image_is_not_rigid(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(-0.35, -0.35, -0.35), 8, 8, 8, 0);
    for (uint64_t i = 0; i < hand->frame.particle_count; i++) {
        hand->position[i][0] = -hand->position[i][0];
    }
    OozeProbeDef def = probe_def(OOZE_PROBE_DRIFT);
    CHECK_NEAR(measure_first(hand, &def), 2.0 * 0.1 * sqrt(63.0 / 12.0), 1e-6);
    hand_end(hand);
}

static void drift_of_nan_positions_is_nan(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(0, 0, 0), 3, 3, 3, 0);
    hand->position[5][2] = NAN;
    OozeProbeDef def = probe_def(OOZE_PROBE_DRIFT);
    assert_true(isnan(measure_first(hand, &def)));
    hand->frame.field_count = HAND_FIELDS - 1; /* without rest_position */
    OozeProbe probe = make_probe(&def);
    CHECK_FAILS(ooze_probe_measure(&probe, &hand->context, &error), OOZE_ERROR_ARGUMENT,
                "rest_position");
    ooze_probe_free(&probe);
    hand_end(hand);
}

/* The fit alone, in double: the rotation that made the points, to rounding, and none of flat
   zeros. */
static void fit_finds_the_rotation(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        OozeVec3 v =
            vec3(8.0 * ooze_random01(1, round, 0) - 4.0, 8.0 * ooze_random01(1, round, 1) - 4.0,
                 8.0 * ooze_random01(1, round, 2) - 4.0);
        OozeQuat q = quat_from_vector(v);
        double m[9] = {0}, r[9];
        for (uint64_t i = 0; i < 4 + round % 5; i++) {
            double from[3], to[3];
            OozeVec3 x = vec3(ooze_random01(2, i, 0) - 0.5, ooze_random01(2, i, 1) - 0.5,
                              round % 2 ? 0.0 : ooze_random01(2, i, 2) - 0.5); /* or flat */
            OozeVec3 y = quat_rotate(q, x);
            for (int a = 0; a < 3; a++) {
                from[a] = vec3_component(x, a);
                to[a] = vec3_component(y, a);
            }
            for (int a = 0; a < 9; a++) {
                m[a] += from[a / 3] * to[a % 3];
            }
        }
        ooze_rigid_fit(m, r);
        for (int b = 0; b < 3; b++) {
            OozeVec3 column = quat_rotate(q, vec3_axis((OozeAxis)b));
            for (int a = 0; a < 3; a++) {
                CHECK_NEAR(r[3 * a + b], vec3_component(column, a), 1e-10);
            }
        }
    }
    const double zero[9] = {0};
    double r[9];
    ooze_rigid_fit(zero, r);
    for (int a = 0; a < 9; a++) {
        assert_true(r[a] == (a / 3 == a % 3 ? 1.0 : 0.0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(height_of_a_ladder),
        cmocka_unit_test(spread_about_a_slanted_axis),
        cmocka_unit_test(rigid_motion_has_no_drift),
        cmocka_unit_test(stretch_gives_its_rms),
        cmocka_unit_test(mirror_image_is_not_rigid),
        cmocka_unit_test(drift_of_nan_positions_is_nan),
        cmocka_unit_test(fit_finds_the_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
