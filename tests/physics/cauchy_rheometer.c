/* Acceptance tests of the Maxwell fluid of the method cauchy in the rheometer's cell: modulus,
   relaxation time, viscosity and normal stress. */
#include "check.h"

#include "materials/material.h"
#include "methods/cauchy/constants.h"
#include "ooze/ooze.h"
#include "physics/reference.h"
#include "rheometer/cell.h"

static const Maxwell slime = {4000, 0.1};
static const double dt = 1.0 / 240;

static OozeCell *make_cell(OozeCellKind kind, double hencky_max, bool shifts)
{
    double params[OOZE_CAUCHY_PARAM_COUNT];
    for (int k = 0; k < OOZE_CAUCHY_PARAM_COUNT; k++) {
        params[k] = NAN;
    }
    params[OOZE_CAUCHY_SHIFT_DISTANCE] = shifts ? NAN : 0;
    OozeMaterialDef def = ooze_material_def_default();
    def.name = "slime";
    def.values[OOZE_MATERIAL_MODULUS] = slime.modulus;
    def.values[OOZE_MATERIAL_RELAXATION] = slime.relaxation;
    OozeSample sample = {.method = "cauchy",
                         .params = params,
                         .material = &def,
                         .spacing = 0.01,
                         .support_ratio = 2.2,
                         .time_step = dt,
                         .jitter = 0.1};
    OozeCell *cell = NULL;
    CHECK_OK(ooze_cell_create(&sample, kind, hencky_max, &cell, &error));
    return cell;
}

/* Takes steps at one rate; returns the means of the last `mean`. */
static OozeCellReading run_cell(OozeCell *cell, double rate, int steps, int mean)
{
    OozeCellReading sum = {0}, r = {0};
    for (int k = 0; k < steps; k++) {
        CHECK_OK(ooze_cell_step(cell, rate, &r, &error));
        if (k >= steps - mean) {
            sum.local_rate += r.local_rate / mean;
            sum.reported += r.reported / mean;
            sum.momentum += r.momentum / mean;
            sum.normal += r.normal / mean;
        }
    }
    sum.time = r.time;
    return sum;
}

/* A shear strain of 0.05 in one step. */
static void cauchy_T17_step_strain(void **state)
{
    (void)state;
    const double strain = 0.05;
    OozeCell *cell = make_cell(OOZE_CELL_SHEAR, 0, true);
    OozeCellReading first = run_cell(cell, strain / dt, 1, 1);
    OozeCellReading a = run_cell(cell, 0, 6, 1), b = run_cell(cell, 0, 24, 1);
    double time = (b.time - a.time) / log(a.reported / b.reported);
    /* relaxed since the middle of the step */
    double modulus = a.reported / strain * exp((a.time - 0.5 * dt) / slime.relaxation);
    double momentum = a.momentum / strain * exp((a.time - 0.5 * dt) / slime.relaxation);
    printf("  %.4g Pa after the first step\n", first.reported);
    MEASURED("modulus over that of the material", modulus / slime.modulus, 0.95, 1.05);
    MEASURED("modulus by momentum", momentum / slime.modulus, 0.95, 1.05);
    MEASURED("relaxation time over that of the material", time / slime.relaxation, 0.95, 1.05);
    ooze_cell_destroy(cell);
}

/* Steady shear at De = 0.1 and 1, at De = 1 also without shifts. */
static void cauchy_T18_shear(void **state)
{
    (void)state;
    double eta = slime.modulus * slime.relaxation;
    for (int k = 0; k < 3; k++) {
        double rate = k ? 10 : 1;
        OozeCell *cell = make_cell(OOZE_CELL_SHEAR, 0, k < 2);
        OozeCellReading r = run_cell(cell, rate, 144, 24);
        double n1 = maxwell_startup_n1(slime, rate, 0.55);
        printf("  De = %g, %s shifts:\n", rate * slime.relaxation, k < 2 ? "with" : "without");
        MEASURED("viscosity by stress over that of the material", r.reported / rate / eta, 0.95,
                 1.05);
        MEASURED("viscosity by momentum", r.momentum / rate / eta, 0.95, 1.05);
        MEASURED("shear rate in the middle", r.local_rate / rate, 0.9, 1.1);
        if (k) {
            MEASURED("first normal stress difference", r.normal / n1, 0.9, 1.1);
        } else { /* of the order of the noise */
            printf("  first normal stress difference %.3g of %.3g Pa\n", r.normal, n1);
        }
        ooze_cell_destroy(cell);
    }
}

/* Uniaxial extension at De = 0.25 to a Hencky strain of 0.5, of which tau is 0.25. */
static void cauchy_T19_stretch(void **state)
{
    (void)state;
    const double rate = 2.5, seconds = 0.2, de = rate * slime.relaxation;
    OozeCell *cell = make_cell(OOZE_CELL_STRETCH, rate * seconds, true);
    OozeCellReading r = run_cell(cell, rate, (int)rint(seconds / dt), 1);
    double t = r.time / slime.relaxation;
    double along = (1 - 2 * de * exp(-(1 - 2 * de) * t)) / (1 - 2 * de);
    double across = (1 + de * exp(-(1 + de) * t)) / (1 + de);
    MEASURED("tensile stress over that of start-up", r.reported / slime.modulus / (along - across),
             0.9, 1.1);
    MEASURED("rate in the middle", r.local_rate / rate, 0.9, 1.1);
    ooze_cell_destroy(cell);
}

ACCEPTANCE_MAIN(cmocka_unit_test(cauchy_T17_step_strain), cmocka_unit_test(cauchy_T18_shear),
                cmocka_unit_test(cauchy_T19_stretch))
