/* The reference solutions against numbers published for them, and against the equations they
   solve. */
#include "check.h"

#include "physics/reference.h"

/* Centre-line values that three independent codes agree on to the digits given. */
static void waters_king_matches_published_values(void **state)
{
    (void)state;
    static const double times[] = {0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    static const double ninth[] = {1.4896, 2.4662, 2.4595, 2.0580, 1.3214,
                                   1.3171, 1.5237, 1.5546, 1.4849, 1.5039};
    static const double tenth[] = {1.4926, 2.4954, 2.4801, 2.0679, 1.3064,
                                   1.3085, 1.5289, 1.5591, 1.4830, 1.5046};
    for (int i = 0; i < 10; i++) {
        /* half a unit of the last digit, and the spread of the codes of 1e-5 */
        CHECK_NEAR(waters_king((WatersKing){1, 1.0 / 9}, 0, times[i]), ninth[i], 6e-5);
        CHECK_NEAR(waters_king((WatersKing){1, 0.1}, 0, times[i]), tenth[i], 6e-5);
    }
    static const double slow[][2] = {{1, 0.300}, {3, 0.876}, {8, 1.396}};
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(waters_king((WatersKing){0.1, 0.1}, 0, slow[i][0]), slow[i][1], 6e-4);
    }
}

static void waters_king_peaks_match_published_values(void **state)
{
    (void)state;
    static const struct {
        WatersKing fluid;
        double height, time, digit;
    } peaks[] = {{{1, 1.0 / 9}, 2.5513, 1.22, 6e-5},
                 {{1, 0.1}, 2.580, 1.21, 6e-4},
                 {{1, 0.5}, 1.887, 1.34, 6e-4},
                 {{10, 0.1}, 5.80, 0.31, 6e-3}};
    for (int i = 0; i < 4; i++) {
        double height, time;
        waters_king_peak(peaks[i].fluid, &height, &time);
        CHECK_NEAR(height, peaks[i].height, peaks[i].digit);
        CHECK_NEAR(time, peaks[i].time, 6e-3);
    }
}

/* Nothing moves at the start, nothing slips at the plates, and the end is the parabola of mean
   1. */
static void waters_king_keeps_its_limits(void **state)
{
    (void)state;
    WatersKing fluid = {1, 0.1};
    double mean = 0.0;
    for (int i = 0; i <= 20; i++) {
        double y = -1.0 + 0.1 * i;
        CHECK_NEAR(waters_king(fluid, y, 0), 0, 1e-5);
        CHECK_NEAR(waters_king(fluid, y, 200), 1.5 * (1 - y * y), 1e-5);
        CHECK_NEAR(waters_king(fluid, -y, 1.3), waters_king(fluid, y, 1.3), 1e-9);
        mean += waters_king(fluid, y, 200) * (i == 0 || i == 20 ? 0.05 : 0.1) / 2;
    }
    CHECK_NEAR(waters_king(fluid, 1, 0.7), 0, 1e-9);
    CHECK_NEAR(mean, 1, 3e-3); /* trapezoids of 0.1 */
}

/* The Newtonian fluid (beta = 1) has the plain series of viscous start-up in the time E T. */
static void waters_king_is_newtonian_without_polymer(void **state)
{
    (void)state;
    for (double t = 0.05; t < 2; t += 0.15) {
        double sum = 0.0;
        for (int k = 1; k < 400; k++) {
            double n = (2 * k - 1) * REFERENCE_PI;
            sum += sin(n / 2) / (n * n * n) * exp(-n * n * t / 4);
        }
        CHECK_NEAR(waters_king((WatersKing){1, 1}, 0, t), 1.5 - 48 * sum, 1e-6);
    }
}

/* s' = G gd - s / tau and N' = 2 gd s - N / tau, stepped finely, give the start-up functions. */
static void maxwell_startup_solves_its_equations(void **state)
{
    (void)state;
    Maxwell m = {180, 0.08};
    double rate = 7, s = 0, n = 0, dt = 1e-6, t = 0;
    for (int i = 0; i < 100000; i++) {
        double middle = s + 0.5 * dt * (m.modulus * rate - s / m.relaxation);
        double n_middle = n + 0.5 * dt * (2 * rate * s - n / m.relaxation);
        n += dt * (2 * rate * middle - n_middle / m.relaxation);
        s += dt * (m.modulus * rate - middle / m.relaxation);
        t += dt;
    }
    CHECK_NEAR(maxwell_startup_stress(m, rate, t) / s, 1, 1e-8);
    CHECK_NEAR(maxwell_startup_n1(m, rate, t) / n, 1, 1e-8);
    double sigma = maxwell_startup_stress(m, rate, INFINITY);
    CHECK_NEAR(sigma, m.modulus * m.relaxation * rate, 1e-9);
    CHECK_NEAR(maxwell_startup_n1(m, rate, INFINITY) / sigma, 2 * m.relaxation * rate, 1e-12);
}

static void maxwell_moduli_cross_at_the_relaxation_rate(void **state)
{
    (void)state;
    Maxwell m = {500, 0.25};
    CHECK_NEAR(maxwell_storage(m, 4), 250, 1e-9);
    CHECK_NEAR(maxwell_loss(m, 4), 250, 1e-9);
    CHECK_NEAR(maxwell_loss(m, 1e-4) / 1e-4, m.modulus * m.relaxation, 1e-6);
    CHECK_NEAR(maxwell_storage(m, 1e6), m.modulus, 1e-6);
    CHECK_NEAR(maxwell_step_stress(m, 0.1, 0.25), 50 / exp(1), 1e-9);
    CHECK_NEAR(maxwell_step_n1(m, 0.1, 0.25), 5 / exp(1), 1e-9);
}

static void maxwell_extension_matches_published_values(void **state)
{
    (void)state;
    CHECK_NEAR(maxwell_extension(0), 3, 1e-12);
    CHECK_NEAR(maxwell_extension(0.1), 3.41, 5e-3);
    CHECK_NEAR(maxwell_extension(0.25), 4.80, 5e-3);
    CHECK_NEAR(maxwell_extension(0.4), 10.7, 5e-2);
    assert_true(isnan(maxwell_extension(0.5)));
}

/* The two fields are free of divergence and solve u' = nu lap u, by differences. */
static void taylor_green_is_a_flow(void **state)
{
    (void)state;
    double k = 2 * REFERENCE_PI, h = 1e-4, nu = 0.03;
    for (int i = 0; i < 10; i++) {
        double x = 0.13 * i, y = 0.29 * i;
        double divergence = (taylor_green_u(k, x + h, y) - taylor_green_u(k, x - h, y) +
                             taylor_green_v(k, x, y + h) - taylor_green_v(k, x, y - h)) /
                            (2 * h);
        CHECK_NEAR(divergence, 0, 1e-6);
        double u = taylor_green_u(k, x, y);
        double laplacian = (taylor_green_u(k, x + h, y) + taylor_green_u(k, x - h, y) +
                            taylor_green_u(k, x, y + h) + taylor_green_u(k, x, y - h) - 4 * u) /
                           (h * h);
        double slope = (taylor_green_decay(nu, k, h) - taylor_green_decay(nu, k, -h)) / (2 * h);
        CHECK_NEAR(nu * laplacian, slope * u, 1e-5);
    }
}

/* Fronts run forward, and the experiments agree with one another within a quarter of a width. */
static void dam_break_series_are_consistent(void **state)
{
    (void)state;
    size_t counts[DAM_BREAK_SERIES_COUNT] = {10, 13, 8, 7};
    for (int s = 0; s < DAM_BREAK_SERIES_COUNT; s++) {
        size_t count;
        const DamBreakPoint *p = dam_break((DamBreakSeries)s, &count);
        assert_int_equal(count, counts[s]);
        for (size_t i = 1; i < count; i++) {
            assert_true(p[i].time > p[i - 1].time && p[i].front > p[i - 1].front);
        }
    }
    for (double t = 0.9; t < 2.9; t += 0.1) {
        double small = dam_break_front(DAM_BREAK_MARTIN_MOYCE_SMALL, t);
        CHECK_NEAR(dam_break_front(DAM_BREAK_MARTIN_MOYCE_LARGE, t), small, 0.25);
        /* the gate of the later experiment opens more slowly: behind by up to half a width */
        CHECK_NEAR(dam_break_front(DAM_BREAK_KOSHIZUKA_OKA, t), small, 0.5);
    }
    CHECK_NEAR(dam_break_front(DAM_BREAK_MARTIN_MOYCE_LARGE, 8.031), 11.977, 1e-12);
    assert_true(isnan(dam_break_front(DAM_BREAK_KOSHIZUKA_OKA, 5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waters_king_matches_published_values),
        cmocka_unit_test(waters_king_peaks_match_published_values),
        cmocka_unit_test(waters_king_keeps_its_limits),
        cmocka_unit_test(waters_king_is_newtonian_without_polymer),
        cmocka_unit_test(maxwell_startup_solves_its_equations),
        cmocka_unit_test(maxwell_moduli_cross_at_the_relaxation_rate),
        cmocka_unit_test(maxwell_extension_matches_published_values),
        cmocka_unit_test(taylor_green_is_a_flow),
        cmocka_unit_test(dam_break_series_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
