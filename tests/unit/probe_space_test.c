/* Probes that need neighbours: density error, connected components. */
#include "physics/lattice.h"
#include "probe_frame.h"

enum { MEAN, ERROR, EXCESS, INTERIOR_ERROR, INTERIOR_SHARE };

/* A lattice that fills a periodic box has its rest density everywhere, also where particles sit
   outside the box and mean their image. Floats of a 12-spacing box: 1e-5. */
static void periodic_lattice_is_at_rest(void **state)
{
    (void)state;
    const double ratios[] = {2.0, 2.5, 3.1, 4.0};
    for (int r = 0; r < 4; r++) {
        Hand *hand = hand_start(0.1, ratios[r]);
        hand_add_block(hand, vec3(-0.55, 0.05, 2.05), 12, 12, 12, 0);
        hand->material[5] = 1;
        hand_make_periodic(hand, 0, -0.6, 1.2);
        hand_make_periodic(hand, 1, 0.0, 1.2);
        hand_make_periodic(hand, 2, 2.0, 1.2);
        hand->position[7][0] += 1.2f;
        hand->position[8][2] -= 2.4f;
        OozeProbeDef def = probe_def(OOZE_PROBE_DENSITY);
        double v[5];
        for (int only = -1; only < 2; only++) { /* neighbours of any material count */
            def.material.index = only;
            measure_once(hand, &def, v);
            CHECK_NEAR(v[MEAN], 1.0, 1e-5);
            CHECK_NEAR(v[ERROR], 0.0, 1e-5);
            CHECK_NEAR(v[EXCESS], 0.0, 1e-5);
            CHECK_NEAR(v[INTERIOR_ERROR], 0.0, 1e-5);
            CHECK_NEAR(v[INTERIOR_SHARE], 1.0, 0.0);
        }
        hand_end(hand);
    }
}

/* Squeezed by 1 % along every axis the sum is the lattice sum at 0.99 dx; the worst excess is that
   of one particle pushed onto another. */
static void squeezed_lattice_has_its_excess(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.099, 2.5);
    hand_add_block(hand, vec3(0.0, 0.0, 0.0), 12, 12, 12, 0);
    for (int axis = 0; axis < 3; axis++) {
        hand_make_periodic(hand, axis, 0.0, 12 * 0.099);
    }
    hand->frame.spacing = 0.1;
    hand->frame.support = 0.25;
    double expected = ooze_lattice_sum(0.099, 0.25) / ooze_lattice_sum(0.1, 0.25);
    OozeProbeDef def = probe_def(OOZE_PROBE_DENSITY);
    double v[5];
    measure_once(hand, &def, v);
    CHECK_NEAR(expected, 1.0 / (0.99 * 0.99 * 0.99), 0.005); /* as it should be, nearly */
    CHECK_NEAR(v[MEAN], expected, 1e-5);
    CHECK_NEAR(v[ERROR], expected - 1.0, 1e-5);
    CHECK_NEAR(v[EXCESS], expected - 1.0, 1e-5);
    hand_add(hand, vec3(5 * 0.099, 5 * 0.099, 5 * 0.099), vec3(0, 0, 0), 0);
    measure_once(hand, &def, v);
    double own = (double)ooze_cubic_value(0.0f, 0.25f) / ooze_lattice_sum(0.1, 0.25);
    CHECK_NEAR(v[EXCESS], expected - 1.0 + own, 1e-5);
    hand_end(hand);
}

/* A free block: its surface lacks neighbours and shows in the mean, its inside does not. At h = 2
   dx one layer is surface: 8^3 of 10^3 are inside. */
static void free_block_has_a_sound_interior(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(0, 0, 0), 10, 10, 10, 0);
    OozeProbeDef def = probe_def(OOZE_PROBE_DENSITY);
    double v[5];
    measure_once(hand, &def, v);
    CHECK_NEAR(v[INTERIOR_SHARE], 0.512, 1e-12);
    CHECK_NEAR(v[INTERIOR_ERROR], 0.0, 1e-5);
    CHECK_NEAR(v[EXCESS], 0.0, 1e-5);
    assert_true(v[MEAN] < 0.95 && v[ERROR] > 0.05);
    CHECK_NEAR(v[ERROR], 1.0 - v[MEAN], 1e-5); /* nothing is compressed */
    hand_end(hand);
    /* A flat sheet looks the same on both sides, and still has no inside. */
    hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(0, 0, 0), 10, 1, 10, 0);
    measure_once(hand, &def, v);
    CHECK_NEAR(v[INTERIOR_SHARE], 0.0, 0.0);
    assert_true(isnan(v[INTERIOR_ERROR]));
    hand_end(hand);
}

/* One particle: W(0) over the lattice sum. */
static void lone_particle_has_its_own_density(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add(hand, vec3(1e4, -1e4, 3), vec3(0, 0, 0), 0);
    OozeProbeDef def = probe_def(OOZE_PROBE_DENSITY);
    double own = 8.0 / OOZE_PI / pow(2.0, 3.0) / ooze_lattice_sum(1.0, 2.0);
    CHECK_NEAR(measure_first(hand, &def), own, 1e-5);
    hand_end(hand);
}

/* ---- components --------------------------------------------------------------------------- */

static void two_blobs_are_two(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(0, 0, 0), 5, 5, 5, 0);   /* 125 */
    hand_add_block(hand, vec3(0.9, 0, 0), 3, 5, 5, 1); /* 75, half a metre beyond */
    hand_add(hand, vec3(77, 0, 0), vec3(0, 0, 0), 0);  /* one on its own */
    OozeProbeDef def = probe_def(OOZE_PROBE_COMPONENTS);
    double v[2];
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 3.0, 0.0);
    CHECK_NEAR(v[1], 125.0 / 201.0, 1e-15);
    def.material.index = 1;
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 1.0, 0.0);
    CHECK_NEAR(v[1], 1.0, 0.0);
    def.material.index = -1;
    def.link_length = 5.01; /* 0.5 m apart now links */
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 2.0, 0.0);
    CHECK_NEAR(v[1], 200.0 / 201.0, 1e-15);
    def.link_length = 4.99;
    CHECK_NEAR(measure_first(hand, &def), 3.0, 0.0);
    def.link_length = 0.9; /* nothing links to anything */
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 201.0, 0.0);
    CHECK_NEAR(v[1], 1.0 / 201.0, 1e-15);
    hand_end(hand);
}

/* A long thin spiral is one piece however it is cut into blocks of work; every 1,000th bead taken
   out makes one piece more. */
static void long_thread_is_one_piece(void **state)
{
    (void)state;
    enum { BEADS = 20001 };
    Hand *hand = hand_start(0.1, 2.0);
    double angle = 0.0;
    for (int i = 0; i < BEADS; i++) {
        double radius = 1.0 + 0.05 * angle;
        hand_add(hand, vec3(radius * cos(angle), 0.0, radius * sin(angle)), vec3(0, 0, 0),
                 i % 1000 == 500);
        angle += 0.1 / radius;
    }
    OozeProbeDef def = probe_def(OOZE_PROBE_COMPONENTS);
    double v[2];
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 1.0, 0.0);
    CHECK_NEAR(v[1], 1.0, 0.0);
    def.material.index = 0;
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 21.0, 0.0);
    hand_end(hand);
}

static void pieces_join_across_a_periodic_border(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(0.05, 0, 0), 3, 2, 2, 0);
    hand_add_block(hand, vec3(1.75, 0, 0), 3, 2, 2, 0);
    OozeProbeDef def = probe_def(OOZE_PROBE_COMPONENTS);
    CHECK_NEAR(measure_first(hand, &def), 2.0, 0.0);
    hand_make_periodic(hand, 0, 0.0, 2.0);
    CHECK_NEAR(measure_first(hand, &def), 1.0, 0.0);
    hand_end(hand);
}

static void positions_that_are_not_finite_give_nan(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(0, 0, 0), 3, 3, 3, 0);
    hand->position[4][1] = INFINITY;
    double v[5];
    OozeProbeDef def = probe_def(OOZE_PROBE_DENSITY);
    measure_once(hand, &def, v);
    for (int i = 0; i < 5; i++) {
        assert_true(isnan(v[i]));
    }
    def.kind = OOZE_PROBE_COMPONENTS;
    measure_once(hand, &def, v);
    assert_true(isnan(v[0]) && isnan(v[1]));
    hand_end(hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periodic_lattice_is_at_rest),
        cmocka_unit_test(squeezed_lattice_has_its_excess),
        cmocka_unit_test(free_block_has_a_sound_interior),
        cmocka_unit_test(lone_particle_has_its_own_density),
        cmocka_unit_test(two_blobs_are_two),
        cmocka_unit_test(long_thread_is_one_piece),
        cmocka_unit_test(pieces_join_across_a_periodic_border),
        cmocka_unit_test(positions_that_are_not_finite_give_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
