/* Stress models of the method cauchy from their formulas: shear rates, the published tables,
   strains with an objective rate, and the Maxwell fluid against its exact start-up. */
#include "check.h"

#include "base/hash.h"
#include "methods/cauchy/stress_formula.h"
#include "physics/reference.h"

/* Velocity gradients: simple shear du_x/dy, uniaxial extension along x, rotation about an axis. */
static OozeMat3 shearing(float rate)
{
    return (OozeMat3){{0, rate, 0, 0, 0, 0, 0, 0, 0}};
}

static OozeMat3 stretching(float rate)
{
    return (OozeMat3){{rate, 0, 0, 0, -0.5f * rate, 0, 0, 0, -0.5f * rate}};
}

static OozeMat3 rotating(float x, float y, float z)
{
    return (OozeMat3){{0, -z, y, z, 0, -x, -y, x, 0}};
}

static double rate_of(OozeMat3 l)
{
    return (double)ooze_shear_rate(ooze_mat3_symmetric(l));
}

/* ---- T1, T2 ---------------------------------------------------------------------------------- */

static void shear_rate_is_the_invariant_of_the_strain_rate(void **state)
{
    (void)state;
    assert_true(rate_of(shearing(5)) == 5);
    MEASURED("shear rate of uniaxial extension over sqrt(3) e",
             rate_of(stretching(2)) / (2 * sqrt(3)), 1 - 1e-7, 1 + 1e-7);
    assert_true(rate_of(rotating(1, 2, 3)) == 0);
}

static void published_tables_are_reproduced(void **state)
{
    (void)state;
    static const float rates[] = {0, 10, 20, 30};
    static const double mixing[] = {1, 0.7429, 0.5856, 0.5281};
    static const double viscosity[] = {0.362, 0.269, 0.212, 0.191};
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR((double)ooze_cauchy_mixing(rates[k]), mixing[k], 5.1e-5);
        CHECK_NEAR((double)ooze_cauchy_viscosity(rates[k]), viscosity[k], 5.1e-4);
    }
    /* the parabolas rise again beyond their lowest point, the measurements do not */
    static const float fast[] = {30.8f, 40, 61.5f, 1000, 1e9f};
    for (int k = 0; k < 5; k++) {
        CHECK_NEAR((double)ooze_cauchy_mixing(fast[k]), 0.5278, 5.1e-5);
        CHECK_NEAR((double)ooze_cauchy_viscosity(fast[k]), (double)ooze_cauchy_viscosity(30.9f),
                   1e-5);
    }
}

static void complex_modulus_is_that_of_the_paper(void **state)
{
    (void)state;
    const float omega = 0.785398163f;
    OozeComplexModulus thin = ooze_complex_modulus(1050, 0.362f, omega);
    OozeComplexModulus thick = ooze_complex_modulus(1050, 28, omega);
    CHECK_NEAR((double)thin.magnitude, 0.28431, 5e-6);
    CHECK_NEAR((double)thin.storage, 7.70e-5, 5e-8);
    CHECK_NEAR((double)thin.loss, 0.28431, 5e-6);
    CHECK_NEAR((double)thick.magnitude, 21.986, 5e-4);
    OozeComplexModulus none = ooze_complex_modulus(0, 0, omega);
    assert_true(none.magnitude == 0 && none.storage == 0 && none.loss == 0);
}

/* ---- stress of the models -------------------------------------------------------------------- */

static OozeCauchyMaterial make_material(OozeStressModel model)
{
    OozeCauchyMaterial m = {.relative_mass = 1,
                            .model = model,
                            .viscosity = 28.0f / 1160,
                            .modulus = 350.0f / 1160,
                            .memory = ooze_memory(INFINITY, 1e-4),
                            .mixing = NAN,
                            .frequency = 0.785398163f,
                            .inverse_reference = 1.0f / 1160};
    return m;
}

/* Stress in Pa of a strain and velocity gradient: S0 + D A + A D, less what the step adds to the
   strain. */
static OozeSym3 stress_of(const OozeCauchyMaterial *m, OozeSym3 strain, OozeMat3 l)
{
    OozeCauchyStress s = ooze_cauchy_stress(m, strain, l, 0);
    OozeSym3 viscous = ooze_lodge_stress(ooze_mat3_symmetric(l), s.stiffness, 0);
    return ooze_sym3_scale(ooze_sym3_add(s.explicit_stress, viscous), 1160);
}

static void models_mix_viscous_and_elastic_stress(void **state)
{
    (void)state;
    const OozeSym3 strain = ooze_sym3(0, 0, 0, 0.1f, 0, 0);
    const OozeMat3 slow = shearing(1e-6f), l = shearing(10);
    OozeCauchyMaterial m = make_material(OOZE_STRESS_VISCOUS);
    CHECK_NEAR((double)stress_of(&m, strain, l).xy, 280, 1e-3); /* eta du/dy */
    m.model = OOZE_STRESS_ELASTIC;
    CHECK_NEAR((double)stress_of(&m, strain, l).xy, 70, 1e-3); /* 2 mu eps_xy */
    m.model = OOZE_STRESS_MIXED;
    CHECK_NEAR((double)stress_of(&m, strain, l).xy, 0.7429 * 280 + (1 - 0.7429) * 70, 2e-2);
    CHECK_NEAR((double)stress_of(&m, strain, slow).xy, 0, 1e-3); /* alpha is 1 at rest */
    m.mixing = 0.5f;
    CHECK_NEAR((double)stress_of(&m, strain, l).xy, 175, 1e-3);
    m.model = OOZE_STRESS_COMPLEX;
    CHECK_NEAR((double)stress_of(&m, strain, l).xy, 21.986 * 0.1, 1e-4);
    m.measured_viscosity = true; /* eq 21 at rest: 0.362 Pa s */
    CHECK_NEAR((double)stress_of(&m, strain, slow).xy, 0.28431 * 0.1, 1e-6);
    /* the elastic stress has no mean normal part */
    m = make_material(OOZE_STRESS_ELASTIC);
    OozeSym3 s = stress_of(&m, ooze_sym3(0.3f, 0.1f, -0.05f, 0, 0, 0), ooze_mat3_zero());
    CHECK_NEAR((double)ooze_sym3_trace(s), 0, 1e-3);
    CHECK_NEAR((double)(s.xx - s.yy), 700 * 0.2, 1e-2);
}

/* ---- strain ---------------------------------------------------------------------------------- */

static double norm2(OozeSym3 s)
{
    return (double)ooze_mat3_norm2(ooze_mat3_from_sym3(s));
}

static OozeSym3 random_strain(uint64_t i, double size)
{
    float v[6];
    for (uint64_t k = 0; k < 6; k++) {
        v[k] = (float)(size * (2 * ooze_random01(5, i, k) - 1));
    }
    return ooze_sym3(v[0], v[1], v[2], v[3], v[4], v[5]);
}

/* Ten turns of 100 steps each. */
static void rotation_keeps_the_invariants_of_strains(void **state)
{
    (void)state;
    double worst = 0, maxwell = 0;
    OozeCauchyMaterial m = make_material(OOZE_STRESS_MAXWELL);
    for (uint64_t i = 0; i < 20; i++) {
        OozeSym3 first = random_strain(i, 0.5), eps = first, hencky = first;
        OozeMat3 l = rotating((float)ooze_random01(6, i, 0), (float)ooze_random01(6, i, 1), 1);
        float dt = 0.0628f / sqrtf(0.5f * ooze_mat3_norm2(l));
        for (int k = 0; k < 1000; k++) {
            eps = ooze_jaumann_update(eps, l, dt);
            m.memory = ooze_memory(INFINITY, (double)dt);
            hencky = ooze_cauchy_strain(&m, hencky, l, dt);
        }
        worst = fmax(worst, fabs(norm2(eps) / norm2(first) - 1));
        worst = fmax(worst, fabs((double)(ooze_sym3_trace(eps) - ooze_sym3_trace(first))));
        worst = fmax(worst, fabs((double)(ooze_sym3_det(eps) - ooze_sym3_det(first))));
        maxwell = fmax(maxwell, fabs(norm2(hencky) / norm2(first) - 1));
        maxwell = fmax(maxwell, fabs((double)(ooze_sym3_trace(hencky) - ooze_sym3_trace(first))));
    }
    /* rounding of the rotation, whose bits are the same in all 1,000 steps: 1e-6 a step */
    MEASURED("invariants of Jaumann's strain after 10 turns", worst, 0, 1e-3);
    MEASURED("invariants of Hencky's strain after 10 turns", maxwell, 0, 2e-3);
}

/* Exact solution of Jaumann's rate in shear: eps_xy = sin(g)/2, eps_xx = (1 - cos g)/2 at the shear
   g; of second order in the step. */
static void jaumann_strain_follows_simple_shear(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        int steps = k ? 80 : 40;
        const double shear = 1.5;
        OozeSym3 eps = ooze_sym3_identity(0);
        for (int n = 0; n < steps; n++) {
            eps = ooze_jaumann_update(eps, shearing(3), (float)(shear / 3 / steps));
        }
        error[k] = fmax(fabs((double)eps.xy - 0.5 * sin(shear)),
                        fabs((double)eps.xx - 0.5 * (1 - cos(shear))));
        CHECK_NEAR((double)ooze_sym3_trace(eps), 0, 1e-6);
    }
    MEASURED("error at 40 steps", error[0], 0, 1e-4);
    MEASURED("error at 40 steps over that at 80", error[0] / error[1], 3.5, 4.5);
}

static void strains_and_conformations_are_inverse(void **state)
{
    (void)state;
    double worst = 0;
    for (uint64_t i = 0; i < 500; i++) {
        OozeSym3 eps = random_strain(i, i % 2 ? 0.1 : 1.2);
        OozeSym3 back = ooze_strain_of_conformation(ooze_conformation_of_strain(eps));
        worst = fmax(worst, sqrt(norm2(ooze_sym3_add(eps, ooze_sym3_scale(back, -1)))));
    }
    MEASURED("strain to conformation and back, error", worst, 0, 2e-4);
    OozeSym3 q = ooze_conformation_of_strain(ooze_sym3(logf(2), 0, -logf(2), 0, 0, 0));
    CHECK_NEAR((double)q.xx, 4, 1e-5);
    CHECK_NEAR((double)q.yy, 1, 1e-6);
    CHECK_NEAR((double)q.zz, 0.25, 1e-6);
    /* singular and indefinite conformations give finite strains */
    OozeSym3 limit = ooze_strain_of_conformation(ooze_sym3(1, 0, -1, 0, 0, 0));
    CHECK_NEAR((double)limit.yy, 0.5 * log(1e-6), 1e-3);
    CHECK_NEAR((double)limit.zz, 0.5 * log(1e-6), 1e-3);
}

/* ---- the Maxwell fluid ----------------------------------------------------------------------- */

typedef struct StartUp {
    double shear, n1; /* xy and xx - yy of the stress over G */
} StartUp;

/* Stress over G after a time of a steady velocity gradient; tau is 1 s. */
static StartUp start_up(OozeMat3 l, double time, int steps)
{
    OozeCauchyMaterial m = make_material(OOZE_STRESS_MAXWELL);
    OozeSym3 strain = ooze_sym3_identity(0);
    double dt = time / steps;
    m.memory = ooze_memory(1, dt);
    for (int k = 0; k < steps; k++) {
        strain = ooze_cauchy_strain(&m, strain, l, (float)dt);
    }
    OozeSym3 q = ooze_conformation_of_strain(strain);
    return (StartUp){(double)q.xy, (double)(q.xx - q.yy)};
}

static void maxwell_fluid_starts_to_shear_as_it_should(void **state)
{
    (void)state;
    const Maxwell fluid = {1, 1};
    static const double rates[] = {0.2, 1, 3}, times[] = {0.25, 1, 4};
    double worst = 0, normal = 0;
    for (int k = 0; k < 9; k++) {
        double rate = rates[k / 3], t = times[k % 3];
        StartUp s = start_up(shearing((float)rate), t, (int)(1000 * t));
        worst = fmax(worst, fabs(s.shear / maxwell_startup_stress(fluid, rate, t) - 1));
        normal = fmax(normal, fabs(s.n1 / maxwell_startup_n1(fluid, rate, t) - 1));
    }
    MEASURED("shear stress, relative error at dt = tau/1000", worst, 0, 5e-4);
    MEASURED("first normal stress difference", normal, 0, 0.002);
    /* second order: the rotation of the step is divided about the strain rate */
    double coarse = start_up(shearing(1), 1, 25).n1 / maxwell_startup_n1(fluid, 1, 1);
    MEASURED("N1 of 25 steps over the exact one", coarse, 0.998, 1.002);
}

/* Stress over G of uniaxial extension at De < 1/2 after t/tau. */
static double extension_stress(double de, double t)
{
    double along = (1 - 2 * de * exp(-(1 - 2 * de) * t)) / (1 - 2 * de);
    double across = (1 + de * exp(-(1 + de) * t)) / (1 + de);
    return along - across;
}

static void maxwell_fluid_stretches_as_it_should(void **state)
{
    (void)state;
    static const double rates[] = {0.1, 0.25, 0.4}, steady[] = {3.41, 4.80, 10.7};
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        double de = rates[k];
        for (double t = 0.5; t <= 4; t *= 2) {
            StartUp s = start_up(stretching((float)de), t, (int)(400 * t));
            worst = fmax(worst, fabs(s.n1 / extension_stress(de, t) - 1));
        }
        double late = start_up(stretching((float)de), 40, 16000).n1 / de;
        printf("  De %g: extensional viscosity %.4f eta\n", de, late);
        CHECK_NEAR(late / maxwell_extension(de), 1, 0.01);
        CHECK_NEAR(late / steady[k], 1, 0.015);
    }
    MEASURED("tensile stress of the start-up, relative error", worst, 0, 0.01);
}

/* A step strain relaxes as exp(-t/tau), and N1 over the shear stress is the strain. */
static void step_strain_relaxes(void **state)
{
    (void)state;
    OozeCauchyMaterial m = make_material(OOZE_STRESS_MAXWELL);
    m.memory = ooze_memory(1, 0.01);
    OozeSym3 strain = ooze_sym3_identity(0);
    strain = ooze_strain_of_conformation(ooze_sym3(1.25f, 1, 1, 0.5f, 0, 0)); /* gamma 0.5 */
    for (int k = 0; k < 100; k++) {
        strain = ooze_cauchy_strain(&m, strain, ooze_mat3_zero(), 0.01f);
    }
    OozeSym3 q = ooze_conformation_of_strain(strain);
    MEASURED("shear stress after tau over exp(-1)", (double)q.xy / (0.5 * exp(-1)), 0.9999, 1.0001);
    MEASURED("N1 over shear stress", (double)((q.xx - q.yy) / q.xy), 0.4998, 0.5002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear_rate_is_the_invariant_of_the_strain_rate),
        cmocka_unit_test(published_tables_are_reproduced),
        cmocka_unit_test(complex_modulus_is_that_of_the_paper),
        cmocka_unit_test(models_mix_viscous_and_elastic_stress),
        cmocka_unit_test(rotation_keeps_the_invariants_of_strains),
        cmocka_unit_test(jaumann_strain_follows_simple_shear),
        cmocka_unit_test(strains_and_conformations_are_inverse),
        cmocka_unit_test(maxwell_fluid_starts_to_shear_as_it_should),
        cmocka_unit_test(maxwell_fluid_stretches_as_it_should),
        cmocka_unit_test(step_strain_relaxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
