/* Fits of rheometer data: known materials are found from their own curves. */
#include "rheology/fit.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "rheology/figure.h"
#include "unit/fontconfig_leaks.h"
#include "unit/scratch_folder.h"

typedef struct Mode {
    double modulus, time;
} Mode;

static const Mode modes[] = {{200.0, 2.0}, {1500.0, 0.08}, {6000.0, 0.003}};

/* Evenly spread between -1 and 1, root mean square 1 after scaling by sqrt 3. */
static double scatter(double level, uint64_t i, uint64_t draw)
{
    return 1.0 + level * sqrt(3.0) * (2.0 * ooze_random01(41, i, draw) - 1.0);
}

/* Formulas written out here, not taken from the library. */
static void oscillation_of(OozeText *csv, int count, double solvent, double noise)
{
    enum { POINTS = 40 };
    ooze_text_append(csv, "# a plate-plate rheometer\nomega [rad/s],G' [Pa],G'' [Pa]\n");
    for (uint64_t i = 0; i < POINTS; i++) {
        double w = pow(10.0, -2.0 + 6.0 * (double)i / (POINTS - 1)), g1 = 0.0, g2 = solvent * w;
        for (int k = 0; k < count; k++) {
            double x = w * modes[k].time;
            g1 += modes[k].modulus * x * x / (1.0 + x * x);
            g2 += modes[k].modulus * x / (1.0 + x * x);
        }
        ooze_text_append(csv, "%.9g,%.9g,%.9g\n", w, g1 * scatter(noise, i, 0),
                         g2 * scatter(noise, i, 1));
    }
}

static OozeRheoResult fit_text(OozeText *csv)
{
    OozeRheoData data;
    OozeRheoResult result;
    CHECK_OK(ooze_rheo_parse("data.csv", csv->data, csv->length, &data, &error));
    CHECK_OK(ooze_rheo_fit(&data, &result, &error));
    ooze_rheo_free(&data);
    ooze_text_clear(csv);
    return result;
}

static void check_modes(const OozeRheoFit *fit, int count, double share)
{
    assert_int_equal(fit->model.modes, count);
    for (int k = 0; k < count; k++) { /* found from the shortest time on, listed from the longest */
        OozeRheoNumber g = ooze_rheo_number(fit, 2 * k), t = ooze_rheo_number(fit, 2 * k + 1);
        const Mode *mode = &modes[count - 1 - k];
        CHECK_NEAR(g.value / mode->modulus, 1.0, share);
        CHECK_NEAR(t.value / mode->time, 1.0, share);
        assert_true(g.low <= g.value && g.value <= g.high);
    }
}

static void exact_modes_are_found(void **state)
{
    (void)state;
    for (int count = 1; count <= 3; count++) {
        OozeText csv = {0};
        oscillation_of(&csv, count, 0.0, 0.0);
        OozeRheoResult result = fit_text(&csv);
        check_modes(&result.best, count, 0.05);
        assert_false(result.best.model.solvent);
        MEASURED("rms of an exact spectrum", result.best.rms, 0.0, 1e-4);
        assert_int_equal(result.single.model.modes, 1);
        if (count > 1) { /* one mode cannot follow modes more than a decade apart */
            assert_true(result.single.rms > 0.2);
        }
    }
}

/* Intervals hold the truth about as often as they say: of 12 numbers at least 9 (fewer by chance: 1
   in 450). */
static void noisy_modes_are_found(void **state)
{
    (void)state;
    int held = 0;
    for (int count = 1; count <= 3; count++) {
        OozeText csv = {0};
        oscillation_of(&csv, count, 0.0, 0.05);
        OozeRheoResult result = fit_text(&csv);
        check_modes(&result.best, count, 0.15);
        MEASURED("rms at 5 % noise", result.best.rms, 0.035, 0.06);
        for (int k = 0; k < count; k++) {
            const Mode *mode = &modes[count - 1 - k];
            OozeRheoNumber g = ooze_rheo_number(&result.best, 2 * k);
            OozeRheoNumber t = ooze_rheo_number(&result.best, 2 * k + 1);
            held += g.low < mode->modulus && mode->modulus < g.high;
            held += t.low < mode->time && mode->time < t.high;
        }
    }
    MEASURED("numbers within their intervals, of 12", held, 9, 12);
}

static void solvent_is_found(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        OozeText csv = {0};
        oscillation_of(&csv, 2, 3.0, noisy ? 0.05 : 0.0);
        OozeRheoResult result = fit_text(&csv);
        check_modes(&result.best, 2, noisy ? 0.15 : 0.05);
        assert_true(result.best.model.solvent);
        CHECK_NEAR(ooze_rheo_number(&result.best, 4).value / 3.0, 1.0, noisy ? 0.15 : 0.05);
    }
}

static void relaxation_modes_are_found(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        OozeText csv = {0};
        ooze_text_append(&csv, "time [ms],modulus [kPa]\n0,%.9g\n",
                         1e-3 * (modes[0].modulus + modes[1].modulus));
        for (uint64_t i = 0; i < 50; i++) {
            double t = pow(10.0, -3.0 + 4.0 * (double)i / 49.0), g = 0.0;
            for (int k = 0; k < 2; k++) {
                g += modes[k].modulus * exp(-t / modes[k].time);
            }
            ooze_text_append(&csv, "%.9g,%.9g\n", 1e3 * t,
                             1e-3 * g * scatter(noisy ? 0.05 : 0.0, i, 2));
        }
        OozeRheoResult result = fit_text(&csv);
        check_modes(&result.best, 2, noisy ? 0.15 : 0.05);
    }
}

/* viscosity [Pa s] over `decades` from 0.01 / s on */
static void flow_of(OozeText *csv, double decades, double rest, double rate, double n, double floor,
                    double noise)
{
    ooze_text_append(csv, "shear rate [1/s],viscosity [Pa s]\n");
    for (uint64_t i = 0; i < 31; i++) {
        double r = pow(10.0, -2.0 + decades * (double)i / 30.0), x = r / rate;
        double eta = rest * (floor + (1.0 - floor) * pow(1.0 + x * x, 0.5 * (n - 1.0)));
        ooze_text_append(csv, "%.9g,%.9g\n", r, eta * scatter(noise, i, 3));
    }
}

static void carreau_law_is_found(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        OozeText csv = {0};
        double share = noisy ? 0.15 : 0.05;
        flow_of(&csv, 3.0, 25.0, 0.2, 0.35, 0.0, noisy ? 0.05 : 0.0);
        OozeRheoFit fit = fit_text(&csv).best;
        assert_int_equal(fit.model.law, OOZE_RHEO_CARREAU);
        assert_false(fit.model.floor);
        CHECK_NEAR(ooze_rheo_number(&fit, 0).value / 25.0, 1.0, share);
        CHECK_NEAR(ooze_rheo_number(&fit, 1).value / 0.35, 1.0, share);
        CHECK_NEAR(ooze_rheo_number(&fit, 2).value / 0.2, 1.0, share);
    }
    OozeText csv = {0};
    flow_of(&csv, 5.0, 25.0, 0.2, 0.35, 0.04, 0.0);
    OozeRheoFit fit = fit_text(&csv).best;
    assert_true(fit.model.law == OOZE_RHEO_CARREAU && fit.model.floor);
    CHECK_NEAR(ooze_rheo_number(&fit, 3).value / 0.04, 1.0, 0.05);
}

/* Far above its rate Carreau's law is a power law, far below it Newton's. */
static void simpler_laws_are_preferred(void **state)
{
    (void)state;
    OozeText csv = {0};
    flow_of(&csv, 3.0, 25.0, 1e-6, 0.35, 0.0, 0.03);
    OozeRheoFit fit = fit_text(&csv).best;
    assert_int_equal(fit.model.law, OOZE_RHEO_POWER_LAW);
    CHECK_NEAR(ooze_rheo_number(&fit, 1).value, 0.35, 0.02);
    /* at its lowest rate, 1e4 times the rate of Carreau */
    CHECK_NEAR(ooze_rheo_number(&fit, 0).value / (25.0 * pow(1e4, -0.65)), 1.0, 0.05);
    CHECK_NEAR(fit.model.reference, 0.01, 1e-9);
    flow_of(&csv, 3.0, 25.0, 1e6, 0.35, 0.0, 0.05);
    fit = fit_text(&csv).best;
    assert_int_equal(fit.model.law, OOZE_RHEO_NEWTON);
    CHECK_NEAR(ooze_rheo_number(&fit, 0).value / 25.0, 1.0, 0.05);
}

/* 32 Pa + 20 rate^0.43: as stress, the way pastes are reported, and with 3 % of noise. */
static void herschel_bulkley_law_is_found(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        OozeText csv = {0};
        ooze_text_append(&csv, "shear rate [1/s],shear stress [kPa]\n");
        for (uint64_t i = 0; i < 25; i++) {
            double r = pow(10.0, -2.0 + 4.0 * (double)i / 24.0);
            double stress = 32.0 + 20.0 * pow(r, 0.43);
            ooze_text_append(&csv, "%.9g,%.9g\n", r,
                             1e-3 * stress * scatter(noisy ? 0.03 : 0.0, i, 6));
        }
        OozeRheoFit fit = fit_text(&csv).best;
        assert_int_equal(fit.model.law, OOZE_RHEO_PASTE);
        OozeRheoNumber eta = ooze_rheo_number(&fit, 0), n = ooze_rheo_number(&fit, 1);
        double k = eta.value * pow(fit.model.reference, 1.0 - n.value);
        double share = noisy ? 0.15 : 0.001;
        MEASURED("yield stress, Pa, over the true one", ooze_rheo_number(&fit, 2).value / 32.0,
                 1.0 - share, 1.0 + share);
        MEASURED("K over the true one", k / 20.0, 1.0 - share, 1.0 + share);
        MEASURED("n over the true one", n.value / 0.43, 1.0 - share, 1.0 + share);
    }
    /* what has no yield stress is not given one */
    OozeText csv = {0};
    flow_of(&csv, 3.0, 25.0, 1e-6, 0.35, 0.0, 0.03);
    assert_int_equal(fit_text(&csv).best.model.law, OOZE_RHEO_POWER_LAW);
}

/* Few points with scatter are no spectrum: each mode has three frequencies at least, and times a
   factor apart. */
static void few_points_make_few_modes(void **state)
{
    (void)state;
    int alone = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        OozeText csv = {0};
        ooze_text_append(&csv, "omega,G',G''\n");
        for (uint64_t i = 0; i < 8; i++) {
            double w = pow(10.0, -1.0 + 3.0 * (double)i / 7.0), x = 0.3 * w;
            ooze_text_append(&csv, "%.9g,%.9g,%.9g\n", w,
                             50.0 * x * x / (1.0 + x * x) * scatter(0.05, 8 * seed + i, 7),
                             50.0 * x / (1.0 + x * x) * scatter(0.05, 8 * seed + i, 8));
        }
        OozeRheoFit fit = fit_text(&csv).best;
        alone += fit.model.modes == 1;
        assert_true(fit.model.modes <= 2);
    }
    MEASURED("of 20 single modes with 5 % noise, found single", alone, 18, 20);
    /* a spectrum without end, six exact points: two modes are the most that it is given */
    OozeText csv = {0};
    ooze_text_append(&csv, "omega,G',G''\n");
    for (int i = 0; i < 6; i++) {
        double w = pow(10.0, -1.0 + 0.6 * i);
        ooze_text_append(&csv, "%.9g,%.9g,%.9g\n", w, 10.0 * sqrt(w), 10.0 * sqrt(w));
    }
    assert_true(fit_text(&csv).best.model.modes <= 2);
}

/* Native silk feedstock as published with the program RepTate (data/LVE_StickyReptation): 15
   frequencies over two decades, a broad spectrum. */
static void silk_data_are_fitted(void **state)
{
    (void)state;
    static const double measured[15][3] = {
        {0.1, 418.7, 1256.7},    {0.141, 696.5, 1624.3},  {0.199, 1110.3, 2013.2},
        {0.282, 1663.9, 2344.8}, {0.398, 2291.6, 2613.7}, {0.562, 3004.5, 2834.9},
        {0.793, 3723.3, 2974},   {1.12, 4447.1, 3125.2},  {1.581, 5182.4, 3165.4},
        {2.233, 5949.7, 3253.6}, {3.153, 6685.1, 3275.9}, {4.452, 7512.4, 3254.4},
        {6.287, 8287, 3131},     {8.878, 8933.7, 2875.4}, {12.537, 9748.8, 2636},
    };
    OozeText csv = {0};
    ooze_text_append(&csv, "omega,G',G''\n");
    for (int i = 0; i < 15; i++) {
        ooze_text_append(&csv, "%g,%g,%g\n", measured[i][0], measured[i][1], measured[i][2]);
    }
    OozeRheoResult result = fit_text(&csv);
    assert_true(result.best.determined && result.best.model.modes >= 2);
    MEASURED("rms of the spectrum", result.best.rms, 0.0, 0.03);
    MEASURED("rms of one mode", result.single.rms, 0.15, 1.0);
}

static OozeStatus parse(const char *text, OozeError *error)
{
    OozeRheoData data;
    OozeStatus status = ooze_rheo_parse("d.csv", text, strlen(text), &data, error);
    if (!status) {
        ooze_rheo_free(&data);
    }
    return status;
}

static void invalid_definitions_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "is empty"},
        {"\n# old\nrate,viscosity\n", "'d.csv' has no rows below line 3"},
        {"rate,viscosity\n1,2\n10,2\n", "'d.csv' ends at line 3 with 2 points, fewer than"},
        {"rate,viscosity\n1,2\n# x\n\n2,-3\n5,1\n10,1\n", "line 5: viscosity is -3; it must lie"},
        {"rate,viscosity\n1,2\n2,nan\n5,1\n10,1\n", "line 3: viscosity is missing or not a finite"},
        {"rate,stress\n1,2\n2,-3\n5,1\n10,1\n", "line 3: stress is -3; it must lie above 0"},
        {"rate,stress,eta\n1,2,2\n", "column 'eta' says what another one says too"},
        {"rate,viscosity\n1,2\n2,1e999\n5,1\n10,1\n", "line 3: viscosity is missing or not"},
        {"rate,viscosity\n0,2\n2,3\n5,1\n10,1\n", "line 2: rate is 0; it must lie above 0"},
        {"rate,viscosity\n1,2\n2,many\n5,1\n10,1\n", "line 3"},
        {"rate,colour\n1,2\n2,2\n5,1\n10,1\n", "line 1: column 'colour' is nothing a fit knows"},
        {"1,2\n2,2\n5,1\n10,1\n", "column 'x' is nothing a fit knows"},
        {"rate,viscosity [Pa]\n1,2\n", "line 1: column 'viscosity' cannot be in 'Pa'"},
        {"omega,G'\n1,2\n2,2\n5,1\n10,1\n", "column 'G''' of the oscillation is missing"},
        {"rate,eta,viscosity\n1,2,2\n", "column 'viscosity' says what another one says too"},
        {"rate,viscosity,time\n1,2,2\n", "columns of more than one experiment"},
        {"rate,viscosity\n1,2\n2,2\n4,1\n9,1\n", "rate goes from 1 to 9 1/s only; a fit needs a"},
        {"time,modulus\n0,2\n0,2\n0,1\n0,1\n", "a fit needs a decade"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_FAILS(parse(cases[i].text, &error), OOZE_ERROR_FORMAT, cases[i].said);
    }
    CHECK_OK(parse("Frequency [Hz],G1,G2\r\n1,2,1\r\n2,2,1\r\n4,1,1\r\n10,1,1\r\n", &error));
    OozeText long_file = {0};
    ooze_text_append(&long_file, "rate,viscosity\n");
    for (int i = 0; i <= OOZE_RHEO_ROWS_MAX; i++) {
        ooze_text_append(&long_file, "%d,1\n", i + 1);
    }
    CHECK_FAILS(parse(long_file.data, &error), OOZE_ERROR_FORMAT, "5000 are the most");
    ooze_text_clear(&long_file);
}

/* Damaged bytes are either refused or still positive numbers. */
static void damaged_files_are_refused_or_give_positive_numbers(void **state)
{
    (void)state;
    OozeText csv = {0};
    oscillation_of(&csv, 1, 0.0, 0.0);
    int refused = 0;
    for (uint64_t round = 0; round < 3000; round++) {
        char text[4096];
        assert_true(csv.length < sizeof text);
        memcpy(text, csv.data, csv.length);
        for (uint64_t k = 0; k < 1 + round % 4; k++) {
            size_t at = (size_t)(ooze_random01(8, round, 2 * k) * (double)csv.length);
            text[at] = (char)(int)(ooze_random01(8, round, 2 * k + 1) * 256.0 - 128.0);
        }
        OozeRheoData data;
        OozeError error = {0};
        if (ooze_rheo_parse("d.csv", text, csv.length, &data, &error)) {
            assert_true(error.message[0] != '\0');
            refused++;
            continue;
        }
        for (size_t i = 0; i < 2 * data.rows; i++) {
            assert_true(data.y[i] > 0.0 && isfinite(data.y[i]));
        }
        ooze_rheo_free(&data);
    }
    assert_true(refused > 300);
    ooze_text_clear(&csv);
}

/* Curves that no law here makes still end in finite numbers. */
static void odd_data_do_no_harm(void **state)
{
    (void)state;
    OozeText csv = {0};
    ooze_text_append(&csv, "omega,G',G''\n");
    for (uint64_t i = 0; i < 12; i++) {
        ooze_text_append(&csv, "%g,%g,%g\n", pow(10.0, (double)i / 3.0),
                         pow(10.0, 300.0 * ooze_random01(5, i, 0) - 150.0),
                         pow(10.0, 300.0 * ooze_random01(5, i, 1) - 150.0));
    }
    OozeRheoResult result = fit_text(&csv);
    assert_true(isfinite(result.best.rms));
    assert_false(result.best.determined && result.best.rms < 0.1);
    /* a solid: G' alone, hardly any loss: the time lies beyond the data */
    ooze_text_append(&csv, "omega,G',G''\n0.1,500,1e-3\n1,500,1e-3\n10,500,1e-3\n100,500,1e-3\n");
    result = fit_text(&csv);
    assert_int_equal(result.best.model.modes, 1);
    assert_false(result.best.determined);
    /* a jelly, whose losses no single mode follows: its modulus must not suffer from that */
    ooze_text_append(&csv, "omega,G',G''\n0.1,500,5\n1,501,4\n10,503,5\n50,502,7\n100,510,9\n");
    result = fit_text(&csv);
    CHECK_NEAR(ooze_rheo_number(&result.single, 0).value / 500.0, 1.0, 0.05);
}

/* A syrup of 8 Pa s; G' is what the instrument makes of nothing. */
static void inelastic_liquids_are_fitted_as_flow_curves(void **state)
{
    (void)state;
    OozeText csv = {0};
    ooze_text_append(&csv, "omega,G',G''\n");
    for (uint64_t i = 0; i < 25; i++) {
        double w = pow(10.0, -1.0 + 3.0 * (double)i / 24.0);
        ooze_text_append(&csv, "%.9g,%.9g,%.9g\n", w, 1e-3 + 0.01 * ooze_random01(6, i, 0),
                         8.0 * w * scatter(0.02, i, 5));
    }
    OozeRheoData data;
    OozeRheoResult result;
    CHECK_OK(ooze_rheo_parse("data.csv", csv.data, csv.length, &data, &error));
    CHECK_OK(ooze_rheo_fit(&data, &result, &error));
    assert_true(ooze_rheo_convert_to_flow(&data, &result.best));
    CHECK_OK(ooze_rheo_fit(&data, &result, &error));
    assert_int_equal(result.single.model.law, OOZE_RHEO_NEWTON);
    CHECK_NEAR(ooze_rheo_number(&result.single, 0).value, 8.0, 0.1);
    ooze_rheo_free(&data);
    ooze_text_clear(&csv);
    /* a mode that is well measured stays one, however little it stores */
    ooze_text_append(&csv, "omega,G',G''\n");
    for (int i = 0; i < 12; i++) {
        double w = pow(10.0, -1.0 + i / 6.0), x = 1e-3 * w;
        ooze_text_append(&csv, "%.9g,%.9g,%.9g\n", w, 500.0 * x * x / (1.0 + x * x),
                         500.0 * x / (1.0 + x * x));
    }
    CHECK_OK(ooze_rheo_parse("data.csv", csv.data, csv.length, &data, &error));
    CHECK_OK(ooze_rheo_fit(&data, &result, &error));
    assert_false(ooze_rheo_convert_to_flow(&data, &result.best));
    CHECK_NEAR(ooze_rheo_number(&result.best, 1).value / 1e-3, 1.0, 0.05);
    ooze_rheo_free(&data);
    ooze_text_clear(&csv);
}

static void figures_are_written(void **state)
{
    (void)state;
    OozeText csv = {0};
    oscillation_of(&csv, 2, 0.0, 0.05);
    OozeRheoData data;
    OozeRheoResult result;
    CHECK_OK(ooze_rheo_parse("data.csv", csv.data, csv.length, &data, &error));
    CHECK_OK(ooze_rheo_fit(&data, &result, &error));
    CHECK_OK(ooze_rheo_draw(&data, &result, folder, &error));
    char path[64];
    static const char *const endings[] = {"svg", "png", "pdf"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/fit.%s", folder, endings[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        fclose(file);
    }
    ooze_rheo_free(&data);
    ooze_text_clear(&csv);
}

static OozeStatus whole_path(const OozeText *csv, OozeError *error)
{
    OozeRheoData data;
    OozeRheoResult result;
    OozeStatus status = ooze_rheo_parse("data.csv", csv->data, csv->length, &data, error);
    if (!status) {
        status = ooze_rheo_fit(&data, &result, error);
        status = status ? status : ooze_rheo_draw(&data, &result, folder, error);
        ooze_rheo_free(&data);
    }
    return status;
}

/* Every allocation in turn fails; the sanitizers tell of leaks. */
static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    OozeText csv = {0};
    ooze_text_append(&csv, "rate,viscosity\n1,5\n3,5\n10,5\n30,5\n");
    OozeStatus status = OOZE_ERROR_MEMORY;
    uint64_t n = 0;
    while (status) {
        OozeError error = {0};
        ooze_memory_fail_after(++n);
        status = whole_path(&csv, &error);
        ooze_memory_fail_after(0);
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
        assert_true(n < 1000);
    }
    assert_true(n > 5);
    ooze_text_clear(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_modes_are_found),
        cmocka_unit_test(noisy_modes_are_found),
        cmocka_unit_test(solvent_is_found),
        cmocka_unit_test(relaxation_modes_are_found),
        cmocka_unit_test(carreau_law_is_found),
        cmocka_unit_test(simpler_laws_are_preferred),
        cmocka_unit_test(herschel_bulkley_law_is_found),
        cmocka_unit_test(few_points_make_few_modes),
        cmocka_unit_test(silk_data_are_fitted),
        cmocka_unit_test(invalid_definitions_are_errors),
        cmocka_unit_test(damaged_files_are_refused_or_give_positive_numbers),
        cmocka_unit_test(odd_data_do_no_harm),
        cmocka_unit_test(inelastic_liquids_are_fitted_as_flow_curves),
        cmocka_unit_test_setup_teardown(figures_are_written, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(running_out_of_memory_is_an_error, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
