/* Evaluation of rheometer measurements: harmonics of a signal, slopes, verdict on a table. */
#include "check.h"

#include "rheometer/harmonics.h"
#include "rheometer/slope.h"
#include "rheometer/verdict.h"

#define PI 3.14159265358979323846

/* ---- waves ----------------------------------------------------------------------------------- */

static double signal(const double *omega, const OozeWave *waves, int count, double time)
{
    double sum = 17.0; /* a constant belongs to no harmonic */
    for (int k = 0; k < count; k++) {
        sum += waves[k].in * sin(omega[k] * time) + waves[k].out * cos(omega[k] * time);
    }
    return sum;
}

/* Exact also where samples do not fill whole periods and amplitudes are decades apart. */
static void harmonics_are_separated(void **state)
{
    (void)state;
    const double omega[] = {1.0, 3.0, 10.0, 30.0, 100.0};
    const OozeWave waves[] = {{2, 0.5}, {-1, 3}, {0, 0}, {0.001, -0.02}, {5, 5}};
    const double lengths[] = {2 * PI, 6.0, 9.5};
    for (int l = 0; l < 3; l++) {
        OozeHarmonics h;
        OozeWave found[5];
        ooze_harmonics_begin(&h, omega, 5);
        for (int i = 0; i < 900; i++) {
            double time = 40.0 + lengths[l] * i / 900;
            ooze_harmonics_add(&h, time, signal(omega, waves, 5, time));
        }
        ooze_harmonics_solve(&h, found);
        for (int k = 0; k < 5; k++) {
            CHECK_NEAR(found[k].in, waves[k].in, 1e-10);
            CHECK_NEAR(found[k].out, waves[k].out, 1e-10);
        }
    }
}

/* As many waves as there may be, which come to the same matrix as few. */
static void the_largest_number_of_harmonics_is_separated(void **state)
{
    (void)state;
    double omega[OOZE_HARMONICS_MAX];
    OozeWave waves[OOZE_HARMONICS_MAX], found[OOZE_HARMONICS_MAX];
    for (int k = 0; k < OOZE_HARMONICS_MAX; k++) {
        omega[k] = k + 1;
        waves[k] = (OozeWave){cos(7.0 * k), sin(5.0 * k)};
    }
    OozeHarmonics h;
    ooze_harmonics_begin(&h, omega, OOZE_HARMONICS_MAX);
    for (int i = 0; i < 100; i++) {
        double time = 2 * PI * i / 100;
        ooze_harmonics_add(&h, time, signal(omega, waves, OOZE_HARMONICS_MAX, time));
    }
    ooze_harmonics_solve(&h, found);
    for (int k = 0; k < OOZE_HARMONICS_MAX; k++) {
        CHECK_NEAR(found[k].in, waves[k].in, 1e-12);
        CHECK_NEAR(found[k].out, waves[k].out, 1e-12);
    }
}

static void slopes(void **state)
{
    (void)state;
    OozeSlope line = {0}, scattered = {0};
    for (int i = 0; i < 100; i++) {
        double x = 3.0 + 0.01 * i;
        ooze_slope_add(&line, x, 5.0 - 2.5 * x);
        ooze_slope_add(&scattered, x, 5.0 - 2.5 * x + (i % 2 ? 0.1 : -0.1));
    }
    CHECK_NEAR(ooze_slope(&line), -2.5, 1e-9);
    /* noise that alternates: 12 * 0.1 / (n^2 * 0.01) */
    CHECK_NEAR(ooze_slope(&scattered), -2.5, 0.013);
    assert_true(ooze_slope(&scattered) != -2.5);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* A table where every number is exact. */
static void fill(OozeVariation *rows)
{
    ooze_study_refinements(rows);
    for (int i = 0; i < OOZE_STUDY_REFINEMENTS; i++) {
        for (int k = 0; k < OOZE_KEY_COUNT; k++) {
            rows[i].value[k] = 1.0;
        }
    }
}

static void set_numbers(OozeVariation *rows, OozeKeyNumber key, const double values[4])
{
    for (int i = 0; i < OOZE_STUDY_REFINEMENTS; i++) {
        rows[i].value[key] = values[i];
    }
}

static const OozeSample sample = {.spacing = 0.02, .time_step = 0.004};

static OozeVerdict judge(const OozeVariation *rows, double tolerance)
{
    return ooze_verdict(&(OozeFindings){.usual = rows, .tolerance = tolerance});
}

/* What it says, in words. */
static bool says_of(const OozeFindings *findings, const char *part)
{
    OozeText out = {0};
    OozeVerdict verdict = ooze_verdict(findings);
    ooze_verdict_append(&out, &verdict, findings, &sample);
    bool found = !out.failed && strstr(out.data, part);
    bool clean = !strstr(out.data, "nan") && !strstr(out.data, "inf");
    ooze_text_clear(&out);
    return found && clean;
}

static bool says(const OozeVariation *rows, const char *part)
{
    return says_of(&(OozeFindings){.usual = rows, .tolerance = 0.05}, part);
}

static void deviations_within_the_tolerance_are_converged(void **state)
{
    (void)state;
    OozeVariation rows[OOZE_STUDY_REFINEMENTS];
    fill(rows);
    set_numbers(rows, OOZE_KEY_LOSS, (double[]){0.96, 0.99, 0.97, 0.96});
    OozeVerdict v = judge(rows, 0.05);
    assert_true(v.converged);
    assert_int_equal(v.remedy[OOZE_KEY_LOSS], OOZE_REMEDY_NONE);
    CHECK_NEAR(v.change[OOZE_KEY_LOSS], 0.03, 1e-12);
    assert_int_equal(v.compared, OOZE_KEY_COUNT * OOZE_STUDY_REFINEMENTS);
    assert_true(says(rows, "converged: all 40 figures compared are within 5 % of theory (worst "
                           "4.0 %)"));
    assert_false(says(rows, "not converged"));
    assert_false(judge(rows, 0.03).converged);
}

static void the_most_effective_change_is_named(void **state)
{
    (void)state;
    static const double tables[][4] = {
        {1.20, 1.04, 1.15, 1.20}, {0.80, 0.82, 0.95, 0.81},
        {1.10, 1.10, 1.09, 1.01}, {1.10, 1.09, 1.08, 1.11}, /* all too little to be worth it */
        {1.10, 0.80, 1.30, 1.20},                           /* each makes it worse */
    };
    static const OozeRemedy expected[] = {OOZE_REMEDY_TIME_STEP, OOZE_REMEDY_SPACING,
                                          OOZE_REMEDY_ITERATIONS, OOZE_REMEDY_UNKNOWN,
                                          OOZE_REMEDY_UNKNOWN};
    static const char *const words[] = {
        "eta is +20.0 % off theory: time_step: 0.002 makes that +4.0 %",
        "eta is -20.0 % off theory: spacing: 0.01 makes that -5.0 %",
        "eta is +10.0 % off theory: twice the iterations make that +1.0 %",
        "neither half the time step",
        "neither half the time step",
    };
    for (int i = 0; i < 5; i++) {
        OozeVariation rows[OOZE_STUDY_REFINEMENTS];
        fill(rows);
        set_numbers(rows, OOZE_KEY_VISCOSITY, tables[i]);
        OozeVerdict v = judge(rows, 0.05);
        assert_false(v.converged);
        assert_int_equal(v.remedy[OOZE_KEY_VISCOSITY], expected[i]);
        assert_int_equal(v.remedy[OOZE_KEY_LOSS], OOZE_REMEDY_NONE);
        assert_true(says(rows, words[i]));
        assert_true(says(rows, "not converged to 5 %"));
    }
}

/* A number that has no meaning decides nothing, and a finer row that failed is no remedy. */
static void unknown_values_are_ignored(void **state)
{
    (void)state;
    OozeVariation rows[OOZE_STUDY_REFINEMENTS];
    fill(rows);
    set_numbers(rows, OOZE_KEY_NORMAL, (double[]){NAN, NAN, NAN, NAN});
    set_numbers(rows, OOZE_KEY_STORAGE, (double[]){NAN, 1.0, 1.02, NAN});
    assert_true(judge(rows, 0.05).converged);
    assert_true(says(rows, "converged: all 34 figures compared are within"));
    set_numbers(rows, OOZE_KEY_VISCOSITY, (double[]){1.2, NAN, 1.05, NAN});
    OozeVerdict v = judge(rows, 0.05);
    assert_int_equal(v.remedy[OOZE_KEY_VISCOSITY], OOZE_REMEDY_SPACING);
    CHECK_NEAR(v.change[OOZE_KEY_VISCOSITY], 0.15, 1e-12);
}

/* Finer settings that leave the tolerance show that these have not converged. */
static void a_finer_row_outside_is_not_converged(void **state)
{
    (void)state;
    OozeVariation rows[OOZE_STUDY_REFINEMENTS];
    fill(rows);
    set_numbers(rows, OOZE_KEY_LOSS, (double[]){1.01, 1.0, 1.07, 1.01});
    OozeVerdict v = judge(rows, 0.05);
    assert_false(v.converged);
    assert_int_equal(v.outside, 1);
    CHECK_NEAR(v.worst, 0.07, 1e-12);
    assert_true(says(rows, "G'' is +1.0 % off theory, but spacing: 0.01 makes that +7.0 %\n"));
    set_numbers(rows, OOZE_KEY_LOSS, (double[]){NAN, 1.07, 1.0, 1.0});
    assert_true(says(rows, "G'' has no value at these settings, but time_step: 0.002 makes that "
                           "+7.0 %\n"));
}

/* A figure of an experiment that is off is named, however exact the study is. */
static void a_figure_of_an_experiment_outside_is_named(void **state)
{
    (void)state;
    OozeVariation rows[OOZE_STUDY_REFINEMENTS];
    OozeExperiment e[3] = {
        {.kind = OOZE_EXPERIMENT_STRETCH, .count = 2, .x = {1.8, 4.5}},
        {.kind = OOZE_EXPERIMENT_FLOW, .count = 1, .x = {18}},
        {.kind = OOZE_EXPERIMENT_OSCILLATION, .count = 1, .x = {2}},
    };
    OozeFindings findings = {
        .usual = rows, .experiments = e, .experiment_count = 3, .tolerance = 0.05};
    fill(rows);
    e[0].y[0][0] = (OozeMeasured){148.8, NAN, 150};
    e[0].y[0][1] = (OozeMeasured){149, NAN, 150};
    e[1].y[0][0] = (OozeMeasured){50, 51, 50};
    e[1].y[1][0] = (OozeMeasured){1, NAN, 0}; /* theory has no N1 */
    e[2].y[0][0] = (OozeMeasured){30, 30, 1}; /* below a twentieth of G'' */
    e[2].y[1][0] = (OozeMeasured){100, NAN, 100};
    OozeVerdict v = ooze_verdict(&findings);
    assert_true(v.converged);
    assert_int_equal(v.compared, 40 + 5); /* each value that has a theory, and no other */
    CHECK_NEAR(v.worst, 0.02, 1e-12);
    e[0].y[0][1].reported = -207;
    e[1].y[0][0].momentum = 55;
    v = ooze_verdict(&findings);
    assert_false(v.converged);
    assert_int_equal(v.outside, 2);
    assert_true(says_of(&findings, "uniaxial stretch, viscosity by stress at rate 4.5 1/s is "
                                   "-238.0 % off theory\n"));
    assert_true(says_of(&findings, "steady shear, viscosity by momentum at rate 18 1/s is +10.0 % "
                                   "off theory\n"));
    assert_true(says_of(&findings, "not converged to 5 % at these settings: 2 of 45 figures "
                                   "compared are outside (worst 238.0 %)\n"));
    assert_false(says_of(&findings, "rate 1.8"));
    assert_false(says_of(&findings, "oscillation"));
}

/* Nothing that could be compared is no proof. */
static void nothing_measured_is_not_converged(void **state)
{
    (void)state;
    OozeVariation rows[OOZE_STUDY_REFINEMENTS];
    fill(rows);
    for (int k = 0; k < OOZE_KEY_COUNT; k++) {
        set_numbers(rows, (OozeKeyNumber)k, (double[]){NAN, NAN, NAN, NAN});
    }
    assert_false(judge(rows, 0.05).converged);
    assert_true(says(rows, "nothing here can be compared with theory"));
}

static void tables_of_variations(void **state)
{
    (void)state;
    OozeVariation grid[OOZE_STUDY_GRID];
    ooze_study_grid(grid);
    for (int i = 0; i < OOZE_STUDY_GRID; i++) {
        for (int j = 0; j < i; j++) { /* each once */
            assert_true(grid[i].spacing != grid[j].spacing ||
                        grid[i].time_step != grid[j].time_step ||
                        grid[i].iterations != grid[j].iterations);
        }
    }
    for (int k = 0; k < OOZE_KEY_COUNT; k++) {
        assert_non_null(ooze_key_name((OozeKeyNumber)k));
    }
    OozeSample unknown = {.method = "porridge"};
    CHECK_FAILS(ooze_study(&unknown, grid, 1, NULL, &error), OOZE_ERROR_ARGUMENT, "'porridge'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmonics_are_separated),
        cmocka_unit_test(the_largest_number_of_harmonics_is_separated),
        cmocka_unit_test(slopes),
        cmocka_unit_test(deviations_within_the_tolerance_are_converged),
        cmocka_unit_test(the_most_effective_change_is_named),
        cmocka_unit_test(unknown_values_are_ignored),
        cmocka_unit_test(a_finer_row_outside_is_not_converged),
        cmocka_unit_test(a_figure_of_an_experiment_outside_is_named),
        cmocka_unit_test(nothing_measured_is_not_converged),
        cmocka_unit_test(tables_of_variations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
