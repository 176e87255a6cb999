/* Theory of rheometer readings: closed forms of the upper-convected Maxwell fluid, of thinning and
   of yielding. */
#include "check.h"

#include "../physics/reference.h"
#include "rheology/theory.h"

typedef struct Number {
    const char *key;
    double value;
} Number;

static const double dt = 1.0 / 240.0, exact = 1e-12; /* of sums of a few doubles */

static OozeTheory make(const Number *numbers)
{
    OozeMaterialDef def = ooze_material_def_default();
    for (; numbers->key; numbers++) {
        CHECK_OK(ooze_material_def_set(&def, numbers->key, numbers->value, &error));
    }
    return ooze_theory(&def, 0.01, dt);
}

static const Maxwell first = {4000, 0.1}, second = {300, 2.0};

static OozeTheory make_one(void)
{
    return make((Number[]){{"modulus", 4000}, {"relaxation_time", 0.1}, {NULL, 0}});
}

static OozeTheory make_two(void)
{
    return make((Number[]){{"modulus", 4000},
                           {"relaxation_time", 0.1},
                           {"modulus_2", 300},
                           {"relaxation_time_2", 2},
                           {"solvent_viscosity", 5},
                           {NULL, 0}});
}

/* At a constant rate for some time, in so many steps. */
static double shear_for(const OozeTheory *t, double rate, double time, int steps)
{
    OozeShearHistory path = {{0}};
    double stress = 0.0;
    for (int i = 0; i < steps; i++) {
        stress = ooze_theory_shear(t, &path, rate, time / steps);
    }
    return stress;
}

static void small_strain_adds_over_modes(void **state)
{
    (void)state;
    OozeTheory one = make_one(), two = make_two();
    assert_int_equal(one.modes, 1);
    assert_int_equal(two.modes, 2);
    for (double w = 0.01; w < 1e4; w *= 3.0) {
        double storage = maxwell_storage(first, w), loss = maxwell_loss(first, w);
        CHECK_NEAR(ooze_theory_storage(&one, w), storage, exact * storage);
        CHECK_NEAR(ooze_theory_loss(&one, w), loss, exact * loss);
        storage += maxwell_storage(second, w);
        loss += maxwell_loss(second, w) + 5 * w;
        CHECK_NEAR(ooze_theory_storage(&two, w), storage, exact * storage);
        CHECK_NEAR(ooze_theory_loss(&two, w), loss, exact * loss);
        double sum = maxwell_step_stress(first, 1, 1 / w) + maxwell_step_stress(second, 1, 1 / w);
        CHECK_NEAR(ooze_theory_relaxation(&two, 1 / w), sum, exact * sum);
    }
    CHECK_NEAR(ooze_theory_modulus(&two), 4300, exact);
    CHECK_NEAR(ooze_theory_time(&two), 2.0, exact);
    /* the short step is wholly remembered by both, the long one for as long as each lasts */
    CHECK_NEAR(ooze_theory_resistance(&two, 0.01), 5 + 43, 1e-9);
    CHECK_NEAR(ooze_theory_resistance(&two, 100), 5 + 400 + 600, 1e-9);
}

/* Steps of any length end at the same stress, for each is integrated exactly. */
static void shear_start_up_is_exact_for_any_steps(void **state)
{
    (void)state;
    OozeTheory two = make_two();
    for (double rate = 0.1; rate < 100.0; rate *= 5.0) {
        for (double time = 0.01; time < 20.0; time *= 4.0) {
            double stress = maxwell_startup_stress(first, rate, time) +
                            maxwell_startup_stress(second, rate, time) + 5 * rate;
            CHECK_NEAR(shear_for(&two, rate, time, 1), stress, 1e-9 * stress);
            CHECK_NEAR(shear_for(&two, rate, time, 700), stress, 1e-9 * stress);
            CHECK_NEAR(shear_for(&two, -rate, time, 7), -stress, 1e-9 * stress);
            double n1 =
                maxwell_startup_n1(first, rate, time) + maxwell_startup_n1(second, rate, time);
            /* 1 - e^(-T)(1 + T) loses digits where T is small */
            CHECK_NEAR(ooze_theory_normal(&two, rate, time), n1, 1e-6 * n1);
        }
    }
}

/* Long after its start a stretch has the steady viscosity; shortly after, three times what shear
   has. */
static void extensional_stress_has_its_limits(void **state)
{
    (void)state;
    OozeTheory one = make_one();
    for (double de = 0.05; de < 0.46; de += 0.1) {
        double rate = de / 0.1, steady = 400 * maxwell_extension(de);
        CHECK_NEAR(ooze_theory_stretch(&one, rate, 50.0) / rate, steady, 1e-6 * steady);
        double early = 3.0 * maxwell_startup_stress(first, rate, 1e-5);
        CHECK_NEAR(ooze_theory_stretch(&one, rate, 1e-5), early, 1e-3 * early);
    }
    /* De = 1/2 is no pole of the growth: between its neighbours */
    double below = ooze_theory_stretch(&one, 5 - 1e-6, 0.3);
    double above = ooze_theory_stretch(&one, 5 + 1e-6, 0.3);
    double at = ooze_theory_stretch(&one, 5, 0.3);
    assert_true(below < at && at < above);
    OozeTheory solid = make((Number[]){{"modulus", 1500}, {NULL, 0}});
    double rubber = 1500 * (exp(2 * 0.5) - exp(-0.5)); /* G (lambda^2 - 1/lambda) */
    CHECK_NEAR(ooze_theory_stretch(&solid, 5, 0.1), rubber, 1e-9 * rubber);
    assert_true(ooze_theory_is_solid(&solid));
    assert_false(ooze_theory_is_solid(&one));
    OozeTheory water = make((Number[]){{"viscosity", 0.001}, {NULL, 0}});
    CHECK_NEAR(ooze_theory_stretch(&water, 7, 1), 3 * 0.001 * 7, exact);
    CHECK_NEAR(shear_for(&water, 7, 1, 3), 0.001 * 7, exact);
    assert_int_equal(water.modes, 0);
    assert_true(ooze_theory_storage(&water, 3) == 0.0 && ooze_theory_time(&water) == 0.0);
}

/* Below the yield strain elastic, above it the yield stress and K rate^n. */
static void pastes_yield(void **state)
{
    (void)state;
    OozeTheory paste = make((Number[]){{"modulus", 320},
                                       {"yield_strain", 0.1},
                                       {"solvent_viscosity", 6.5},
                                       {"thinning", OOZE_THINNING_POWER_LAW},
                                       {"thinning_rate", 1},
                                       {"thinning_exponent", 0.43},
                                       {NULL, 0}});
    CHECK_NEAR(ooze_theory_yield_stress(&paste), 32, exact);
    assert_false(ooze_theory_is_solid(&paste));
    for (double rate = 0.01; rate < 1000.0; rate *= 4.0) {
        double viscous = 6.5 * pow(rate, 0.43); /* the share is told in float */
        CHECK_NEAR(shear_for(&paste, rate, 0.05 / rate, 20), 320 * 0.05 + viscous, 1e-4 * viscous);
        CHECK_NEAR(shear_for(&paste, rate, 0.3 / rate, 20), 32 + viscous, 1e-4 * viscous);
        CHECK_NEAR(shear_for(&paste, -rate, 0.3 / rate, 20), -32 - viscous, 1e-4 * viscous);
    }
    assert_true(isnan(ooze_theory_normal(&paste, 1, 1)));
    assert_true(isnan(ooze_theory_stretch(&paste, 1, 1)));
    OozeTheory jelly = make((Number[]){{"modulus", 320}, {NULL, 0}});
    assert_true(isinf(ooze_theory_yield_stress(&jelly)));
}

static void viscosity_thins(void **state)
{
    (void)state;
    OozeTheory carreau = make((Number[]){{"viscosity", 50},
                                         {"thinning_rate", 2},
                                         {"thinning_exponent", 0.4},
                                         {"thinning_floor", 0.01},
                                         {NULL, 0}});
    for (double rate = 0.001; rate < 1e5; rate *= 5.0) {
        double share = 0.01 + 0.99 * pow(1 + rate * rate / 4, -0.3);
        double stress = 50 * rate * share;
        CHECK_NEAR(shear_for(&carreau, rate, 1, 3), stress, 1e-5 * stress); /* float */
        CHECK_NEAR(ooze_theory_stretch(&carreau, rate / sqrt(3), 1), sqrt(3) * stress,
                   1e-5 * stress);
    }
    /* a fluid with memory thins in its moduli, and the solvent beside them does not */
    OozeTheory melt = make((Number[]){{"modulus", 4000},
                                      {"relaxation_time", 0.1},
                                      {"solvent_viscosity", 5},
                                      {"thinning_rate", 1},
                                      {"thinning_exponent", 0.5},
                                      {NULL, 0}});
    double share = pow(101, -0.25), thrust = 2 * 4000 * share;
    CHECK_NEAR(shear_for(&melt, 10, 5, 50), 4000 * share + 50, 1e-2);
    CHECK_NEAR(ooze_theory_normal(&melt, 10, 5), thrust, 1e-5 * thrust);
}

/* The rate that a stress asks for, given back by the stress that a rate gives. */
static void rates_are_found_for_stresses(void **state)
{
    (void)state;
    OozeTheory fluids[] = {
        make_one(), make_two(),
        make((Number[]){
            {"viscosity", 50}, {"thinning_rate", 2}, {"thinning_exponent", 0.4}, {NULL, 0}}),
        make((Number[]){
            {"modulus", 320}, {"yield_strain", 0.1}, {"solvent_viscosity", 6.5}, {NULL, 0}})};
    for (int f = 0; f < 4; f++) {
        for (double rate = -40.0; rate < 41.0; rate += 2.5) {
            OozeShearHistory path = {.stress = {20.0}}, trial = path;
            path.stress[0] = trial.stress[0] = fluids[f].modes ? 20.0 : 0.0;
            double stress = ooze_theory_shear(&fluids[f], &trial, rate, dt);
            double found = ooze_theory_rate_for(&fluids[f], &path, stress, dt);
            trial = path;
            /* thinning is told in float, and its stress with it */
            CHECK_NEAR(ooze_theory_shear(&fluids[f], &trial, found, dt), stress,
                       1e-6 * (fabs(stress) + 1));
            CHECK_NEAR(found, rate, 1e-5 * 40);
        }
    }
    /* out of reach: the most that is allowed, never more */
    OozeShearHistory path = {{0}};
    CHECK_NEAR(ooze_theory_rate_for(&fluids[0], &path, 1e12, dt), 0.5 / dt, 1e-6);
    CHECK_NEAR(ooze_theory_rate_for(&fluids[0], &path, -1e12, dt), -0.5 / dt, 1e-6);
}

/* Compliance is the density over the modulus; 0 stands for what crosses so many spacings a step. */
static void compliance_gives_the_modulus(void **state)
{
    (void)state;
    OozeTheory t = make(
        (Number[]){{"density", 1200}, {"compliance", 0.3}, {"relaxation_time", 0.5}, {NULL, 0}});
    CHECK_NEAR(t.modulus[0], 4000, 1e-9);
    OozeTheory stiff =
        make((Number[]){{"density", 1200}, {"compliance", 0}, {"relaxation_time", 0.5}, {NULL, 0}});
    double speed = 35 * 0.01 / dt;
    CHECK_NEAR(stiff.modulus[0], 1200 * speed * speed, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_strain_adds_over_modes),
        cmocka_unit_test(shear_start_up_is_exact_for_any_steps),
        cmocka_unit_test(extensional_stress_has_its_limits),
        cmocka_unit_test(pastes_yield),
        cmocka_unit_test(viscosity_thins),
        cmocka_unit_test(rates_are_found_for_stresses),
        cmocka_unit_test(compliance_gives_the_modulus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
