/* Probes of the motion: velocity profile along a line, azimuth of a coiling thread. */
#include "probe_frame.h"

/* Plane Couette flow vx = 3 y on a lattice: each of ten bins across ten layers reads its layer. */
static void couette_profile(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(-0.5, 0.05, -0.5), 11, 10, 11, 0);
    for (uint64_t i = 0; i < hand->frame.particle_count; i++) {
        set_float4(hand->velocity[i], vec3(3.0 * (double)hand->position[i][1], 0.0, -1.0));
    }
    OozeProbeDef def = probe_def(OOZE_PROBE_PROFILE);
    def.end = vec3(0, 1, 0);
    def.bins = 10;
    double v[30];
    measure_once(hand, &def, v);
    for (int bin = 0; bin < 10; bin++) {
        CHECK_NEAR(v[3 * bin], 3.0 * (0.05 + 0.1 * bin), 1e-6);
        CHECK_NEAR(v[3 * bin + 1], 0.0, 0.0);
        CHECK_NEAR(v[3 * bin + 2], -1.0, 1e-7);
    }
    def.bins = 2; /* means over five layers */
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 3.0 * 0.25, 1e-6);
    CHECK_NEAR(v[3], 3.0 * 0.75, 1e-6);
    OozeProbe probe = make_probe(&def);
    assert_int_equal(probe.column_count, 6);
    assert_string_equal(probe.columns[0], "it.0.vx");
    assert_string_equal(probe.columns[5], "it.1.vz");
    assert_string_equal(probe.units[5], "m/s");
    ooze_probe_free(&probe);
    hand_end(hand);
}

/* Particles on the line are within the half width and between the ends, ends included; empty bins
   are NaN. */
static void profile_uses_only_particles_near_the_line(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add(hand, vec3(0.0, 0, 0), vec3(1, 0, 0), 0);   /* the near end: first bin */
    hand_add(hand, vec3(4.0, 0, 0), vec3(4, 0, 0), 0);   /* the far end: last bin */
    hand_add(hand, vec3(1.5, 0.4, 0), vec3(2, 0, 0), 0); /* beside, within the width */
    hand_add(hand, vec3(1.5, 0.6, 0), vec3(9, 0, 0), 0); /* beyond it */
    hand_add(hand, vec3(-0.1, 0, 0), vec3(9, 0, 0), 0);  /* before the line */
    hand_add(hand, vec3(4.1, 0, 0), vec3(9, 0, 0), 0);   /* after it */
    hand_add(hand, vec3(1.5, 0, 0), vec3(6, 0, 0), 1);   /* honey */
    hand_add(hand, vec3(NAN, 0, 0), vec3(9, 0, 0), 0);   /* nowhere */
    OozeProbeDef def = probe_def(OOZE_PROBE_PROFILE);
    def.end = vec3(4, 0, 0);
    def.bins = 4;
    def.width = 0.5;
    double v[12];
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 1.0, 0.0);
    CHECK_NEAR(v[3], 4.0, 0.0); /* mean of 2 and 6 */
    assert_true(isnan(v[6]) && isnan(v[7]) && isnan(v[8]));
    CHECK_NEAR(v[9], 4.0, 0.0);
    def.material.index = 1;
    measure_once(hand, &def, v);
    assert_true(isnan(v[0]));
    CHECK_NEAR(v[3], 6.0, 0.0);
    def.width = 0.0; /* one support: 0.2 m */
    def.material.index = 0;
    measure_once(hand, &def, v);
    assert_true(isnan(v[3]));
    hand_end(hand);
}

/* ---- azimuth ------------------------------------------------------------------------------ */

/* A small cluster with its centroid at `angle` (turns) and radius about the axis through
   `point`. */
static void place_cluster(Hand *hand, OozeVec3 point, double angle, double radius)
{
    double phi = 2.0 * acos(-1.0) * angle;
    /* about y angles run from z to x */
    OozeVec3 centre = vec3_add(point, vec3(radius * sin(phi), 0.05, radius * cos(phi)));
    const OozeVec3 around[] = {{0.03, 0, 0}, {-0.03, 0, 0}, {0, 0, 0.03}, {0, 0, -0.03}};
    hand->frame.particle_count = 0;
    for (int i = 0; i < 4; i++) {
        hand_add(hand, vec3_add(centre, around[i]), vec3(0, -1, 0), 0);
    }
    hand_add(hand, vec3_add(point, vec3(50, 3, 0)), vec3(0, -1, 0), 0); /* the thread above */
    hand_add(hand, vec3_add(point, vec3(50, -3, 0)), vec3(0, -1, 0), 0);
}

static void measure_cluster(Hand *hand, OozeProbe *probe, double angle, double radius)
{
    place_cluster(hand, probe->def.point, angle, radius);
    CHECK_OK(ooze_probe_measure(probe, &hand->context, &error));
}

static void turns_are_counted_forward_and_back(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    OozeProbeDef def = probe_def(OOZE_PROBE_AZIMUTH);
    def.point = vec3(2, 1, -3);
    OozeProbe probe = make_probe(&def);
    assert_string_equal(probe.columns[0], "it.turns");
    assert_string_equal(probe.columns[1], "it.radius");
    double angle = 0.3;
    for (int i = 0; i <= 100; i++) { /* 3.7 turns on, across the wrap at half a turn */
        angle = 0.3 + 0.037 * i;
        measure_cluster(hand, &probe, angle, 0.4);
        CHECK_NEAR(probe.values[0], angle, 1e-6);
        CHECK_NEAR(probe.values[1], 0.4, 1e-6);
    }
    for (int i = 0; i <= 200; i++) { /* 8.2 turns back, past the start */
        angle = 4.0 - 0.041 * i;
        measure_cluster(hand, &probe, angle, 0.25);
        CHECK_NEAR(probe.values[0], angle, 1e-6);
    }
    CHECK_NEAR(probe.values[1], 0.25, 1e-6);
    ooze_probe_free(&probe);
    hand_end(hand);
}

/* Losing contact, or sitting on the axis, forgets nothing and invents nothing. */
static void turns_survive_gaps(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    OozeProbeDef def = probe_def(OOZE_PROBE_AZIMUTH);
    OozeProbe probe = make_probe(&def);
    hand_add(hand, vec3(0, 7, 0), vec3(0, 0, 0), 0);
    CHECK_OK(ooze_probe_measure(&probe, &hand->context, &error));
    assert_true(isnan(probe.values[0]) && isnan(probe.values[1])); /* nothing touched yet */
    for (int i = 0; i <= 10; i++) {
        measure_cluster(hand, &probe, 0.2 * i, 0.3);
    }
    CHECK_NEAR(probe.values[0], 2.0, 1e-6);
    place_cluster(hand, vec3(0, 9, 0), 0.2, 0.3); /* lifted off */
    CHECK_OK(ooze_probe_measure(&probe, &hand->context, &error));
    assert_true(isnan(probe.values[0]));
    measure_cluster(hand, &probe, 0.0, 0.0); /* on the axis: the last angle stands */
    CHECK_NEAR(probe.values[0], 2.0, 1e-6);
    CHECK_NEAR(probe.values[1], 0.0, 1e-6);
    measure_cluster(hand, &probe, 0.3, 0.3);
    CHECK_NEAR(probe.values[0], 2.3, 1e-6);
    CHECK_OK(ooze_probe_measure(&probe, &hand->context, &error)); /* twice is like once */
    CHECK_NEAR(probe.values[0], 2.3, 1e-6);
    hand->position[0][1] = NAN;
    CHECK_OK(ooze_probe_measure(&probe, &hand->context, &error));
    assert_true(isnan(probe.values[0]));
    measure_cluster(hand, &probe, 0.4, 0.3);
    CHECK_NEAR(probe.values[0], 2.4, 1e-6);
    ooze_probe_free(&probe);
    hand_end(hand);
}

/* A probe made anew with the saved state goes on bit by bit as the old one. */
static void state_resumes_bitwise(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    OozeProbeDef def = probe_def(OOZE_PROBE_AZIMUTH);
    OozeProbe whole = make_probe(&def), resumed = make_probe(&def);
    for (int i = 0; i < 60; i++) {
        if (i == 23) {
            memcpy(resumed.state, whole.state, sizeof whole.state);
        }
        measure_cluster(hand, &whole, 0.21 * i, 0.3);
        if (i >= 23) {
            CHECK_OK(ooze_probe_measure(&resumed, &hand->context, &error));
            assert_memory_equal(resumed.values, whole.values, 2 * sizeof(double));
            assert_memory_equal(resumed.state, whole.state, sizeof whole.state);
        }
    }
    ooze_probe_free(&whole);
    ooze_probe_free(&resumed);
    hand_end(hand);
}

/* Particles at rest in a pile on one side drown a thread on the other, unless only what sinks
   counts; and the angle about z runs from x to y. */
static void pile_at_rest_can_be_left_out(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    OozeProbeDef def = probe_def(OOZE_PROBE_AZIMUTH);
    def.axis = vec3(0, 0, 5);
    for (int i = 0; i < 20; i++) {
        hand_add(hand, vec3(1.0 + 0.1 * i, 0, 0), vec3(0, 0, 0), 0);
    }
    hand_add(hand, vec3(0, 0.5, 0.1), vec3(0, 0, -2), 0);
    CHECK_NEAR(measure_first(hand, &def), 0.0, 0.01);
    def.sinking = 1.0;
    double v[2];
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 0.25, 1e-9);
    CHECK_NEAR(v[1], 0.5, 1e-9);
    hand_end(hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couette_profile),
        cmocka_unit_test(profile_uses_only_particles_near_the_line),
        cmocka_unit_test(turns_are_counted_forward_and_back),
        cmocka_unit_test(turns_survive_gaps),
        cmocka_unit_test(state_resumes_bitwise),
        cmocka_unit_test(pile_at_rest_can_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
