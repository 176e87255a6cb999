/* Probes that are sums: count, centre, momentum, angular momentum, energy. */
#include "probe_frame.h"

/* Two materials, three particles: everything by hand. Mass = density * spacing^3. */
static void sums_by_hand(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add(hand, vec3(1, 2, 3), vec3(1, 0, 0), 0);
    hand_add(hand, vec3(-1, 0, 1), vec3(0, 2, 0), 0);
    hand_add(hand, vec3(0, 0, 5), vec3(0, 0, -4), 1);
    const double water = 1.0, honey = 1.42; /* kg */
    double v[8];
    OozeProbeDef def = probe_def(OOZE_PROBE_COUNT);
    CHECK_NEAR(measure_first(hand, &def), 3.0, 0.0);
    def.material.index = 0;
    CHECK_NEAR(measure_first(hand, &def), 2.0, 0.0);

    def = probe_def(OOZE_PROBE_CENTRE);
    measure_once(hand, &def, v);
    CHECK_NEAR(v[1], 2.0 * water / (2.0 * water + honey), 1e-12);
    CHECK_NEAR(v[2], (4.0 * water + 5.0 * honey) / (2.0 * water + honey), 1e-12);
    def.material.index = 1;
    measure_once(hand, &def, v);
    CHECK_NEAR(v[2], 5.0, 1e-12);

    def = probe_def(OOZE_PROBE_MOMENTUM);
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], water, 1e-12);
    CHECK_NEAR(v[1], 2.0 * water, 1e-12);
    CHECK_NEAR(v[2], -4.0 * honey, 1e-12);

    def = probe_def(OOZE_PROBE_ANGULAR_MOMENTUM);
    measure_once(hand, &def, v);
    /* (1,2,3)x(1,0,0) = (0,3,-2); (-1,0,1)x(0,2,0) = (-2,0,-2); (0,0,5)x(0,0,-4) = 0 */
    CHECK_NEAR(v[0], -2.0 * water, 1e-12);
    CHECK_NEAR(v[1], 3.0 * water, 1e-12);
    CHECK_NEAR(v[2], -4.0 * water, 1e-12);

    def = probe_def(OOZE_PROBE_ENERGY);
    def.point = vec3(0, -1, 0);
    measure_once(hand, &def, v);
    CHECK_NEAR(v[0], 0.5 * (1.0 + 4.0) * water + 0.5 * 16.0 * honey, 1e-12);
    CHECK_NEAR(v[1], 9.81 * ((3.0 + 1.0) * water + honey), 1e-12);
    hand_end(hand);
}

/* A block of nx x ny x nz lattice points about its centre, spun at w: L = I w with the lattice's
   own inertia, for which sum x^2 over n points of spacing d is d^2 n (n^2 - 1) / 12. */
static void rotating_block_has_inertia_times_spin(void **state)
{
    (void)state;
    const double dx = 0.05, n[3] = {16, 8, 6};
    Hand *hand = hand_start(dx, 2.0);
    OozeVec3 centre = vec3(0.4, 1.2, -0.3), w = vec3(2.0, -3.0, 5.0);
    OozeVec3 corner = vec3_sub(centre, vec3(7.5 * dx, 3.5 * dx, 2.5 * dx));
    hand_add_block(hand, corner, 16, 8, 6, 1);
    for (uint64_t i = 0; i < hand->frame.particle_count; i++) {
        const float *x = hand->position[i];
        OozeVec3 arm = vec3_sub(vec3((double)x[0], (double)x[1], (double)x[2]), centre);
        set_float4(hand->velocity[i], vec3_add(vec3_cross(w, arm), vec3(10, 20, 30)));
    }
    double mass = 1420.0 * dx * dx * dx, total = mass * n[0] * n[1] * n[2], square[3];
    for (int a = 0; a < 3; a++) { /* sum of m x_a^2 over the whole block */
        square[a] = total * dx * dx * (n[a] * n[a] - 1.0) / 12.0;
    }
    OozeProbeDef def = probe_def(OOZE_PROBE_ANGULAR_MOMENTUM);
    def.point = centre;
    double l[3];
    measure_once(hand, &def, l);
    /* Positions and velocities are floats: 24 bits, of numbers up to about 40. */
    double bound = 40.0 * 0x1p-23 * total * 0.5;
    CHECK_NEAR(l[0], (square[1] + square[2]) * w.x, bound);
    CHECK_NEAR(l[1], (square[0] + square[2]) * w.y, bound);
    CHECK_NEAR(l[2], (square[0] + square[1]) * w.z, bound);
    hand_end(hand);
}

/* Free flight x = v0 t + g t^2 / 2: kinetic plus potential energy stay what they were. */
static void parabola_keeps_its_energy(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand->context.gravity = vec3(1.5, -9.81, 0.5);
    OozeVec3 v0 = vec3(3.0, 7.0, -1.0), g = hand->context.gravity;
    hand_add(hand, vec3(0, 0, 0), v0, 0);
    OozeProbeDef def = probe_def(OOZE_PROBE_ENERGY);
    for (int i = 0; i <= 20; i++) {
        double t = 0.1 * i, v[2];
        set_float4(hand->position[0], vec3_madd(vec3_scale(v0, t), 0.5 * t * t, g));
        set_float4(hand->velocity[0], vec3_madd(v0, t, g));
        measure_once(hand, &def, v);
        CHECK_NEAR(v[0] + v[1], 0.5 * 59.0, 1e-4); /* 59 = v0^2, mass 1 kg; floats of order 10 */
        CHECK_NEAR(v[1], -vec3_dot(g, vec3_madd(vec3_scale(v0, t), 0.5 * t * t, g)), 1e-4);
    }
    hand_end(hand);
}

/* A fault must show: NaN in one coordinate spoils what it enters and nothing else. */
static void nan_affects_only_readings_that_use_it(void **state)
{
    (void)state;
    Hand *hand = hand_start(0.1, 2.0);
    hand_add(hand, vec3(1, 2, 3), vec3(1, 0, 0), 0);
    hand_add(hand, vec3(NAN, 2, 3), vec3(1, 0, 0), 1);
    double v[4];
    OozeProbeDef def = probe_def(OOZE_PROBE_COUNT);
    CHECK_NEAR(measure_first(hand, &def), 2.0, 0.0);
    def.kind = OOZE_PROBE_CENTRE;
    measure_once(hand, &def, v);
    assert_true(isnan(v[0]));
    CHECK_NEAR(v[1], 2.0, 1e-12);
    def.material.index = 0;
    CHECK_NEAR(measure_first(hand, &def), 1.0, 1e-12);
    def.kind = OOZE_PROBE_MOMENTUM;
    CHECK_NEAR(measure_first(hand, &def), 1.0, 1e-12);
    /* A particle of a material that the frame does not know has no mass to speak of. */
    hand->material[1] = 7;
    def.material.index = -1;
    assert_true(isnan(measure_first(hand, &def)));
    hand_end(hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_by_hand),
        cmocka_unit_test(rotating_block_has_inertia_times_spin),
        cmocka_unit_test(parabola_keeps_its_energy),
        cmocka_unit_test(nan_affects_only_readings_that_use_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
