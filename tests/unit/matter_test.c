/* Yielding, shear thinning, surface tension and powers from their formulas, in double to see past
   rounding. */
#define OOZE_REAL double
#define OOZE_SQRT sqrt
#include "check.h"

#include "base/hash.h"
#include "physics/surface_stress.h"
#include "physics/thinning.h"
#include "physics/yield.h"

static void powers_agree_with_the_library(void **state)
{
    (void)state;
    for (int i = 0; i < 4000; i++) {
        double x = pow(10.0, 24 * ooze_random01(1, (uint64_t)i, 0) - 12);
        double y = 2.4 * ooze_random01(1, (uint64_t)i, 1) - 1.2;
        /* the series are cut at 2e-10 of the logarithm, which a power of 27 multiplies by 27 */
        CHECK_NEAR(ooze_power(x, y) / pow(x, y), 1, 1e-8);
    }
    assert_true(ooze_power(1, 0.37) == 1 && ooze_power(5, 0) == 1);
    assert_true(isfinite(ooze_power(1e-300, 2)) && isfinite(ooze_power(1e300, 2)));
}

/* ---- thinning -------------------------------------------------------------------------------- */

static void shear_rate_is_that_of_shear(void **state)
{
    (void)state;
    OozeSym3 shear = ooze_sym3(0, 0, 0, 0.5 * 7, 0, 0); /* du_x/dy = 7 */
    CHECK_NEAR(ooze_shear_rate(shear), 7, 1e-12);
    /* uniaxial extension at rate e: sqrt(2 (1 + 1/4 + 1/4)) e, and no rate for a change of
       volume */
    CHECK_NEAR(ooze_shear_rate(ooze_sym3(3 + 2, 3 - 1, 3 - 1, 0, 0, 0)), 2 * sqrt(3), 1e-12);
}

static void thinning_follows_its_law(void **state)
{
    (void)state;
    OozeThinning carreau = {OOZE_THINNING_CARREAU, 0.5, 0.4, 0.1};
    for (double rate = 0; rate < 1e4; rate = 2 * rate + 0.01) {
        double share = pow(1 + 0.25 * rate * rate, -0.3);
        CHECK_NEAR(ooze_thinning(carreau, rate), 0.1 + 0.9 * share, 1e-8);
    }
    CHECK_NEAR(ooze_thinning(carreau, 0), 1, 1e-12);
    CHECK_NEAR(ooze_thinning(carreau, 1e12), 0.1, 1e-6);
    OozeThinning power = {OOZE_THINNING_POWER_LAW, 0.5, 0.4, 0.01};
    CHECK_NEAR(ooze_thinning(power, 2), 1, 1e-8);
    CHECK_NEAR(ooze_thinning(power, 20), pow(10, -0.6), 1e-8);
    CHECK_NEAR(ooze_thinning(power, 1e9), 0.01, 1e-12);
    CHECK_NEAR(ooze_thinning(power, 0), OOZE_THINNING_FACTOR_MAX, 1e-12);
    OozeThinning thickening = {OOZE_THINNING_CARREAU, 1, 1.5, 0};
    CHECK_NEAR(ooze_thinning(thickening, 3), pow(10, 0.25), 1e-8);
    OozeThinning none = {OOZE_THINNING_CARREAU, 0, 0.4, 0.1};
    assert_true(ooze_thinning(none, 100) == 1);
}

/* ---- yielding -------------------------------------------------------------------------------- */

static OozeMat3 random_matrix(uint64_t i, double size)
{
    OozeMat3 m;
    for (int k = 0; k < 9; k++) {
        m.m[k] = size * (2 * ooze_random01(7, i, (uint32_t)k) - 1);
    }
    return m;
}

/* F F^T of any F is a conformation. */
static OozeSym3 random_conformation(uint64_t i)
{
    OozeMat3 f = random_matrix(i, 0.2 + 3 * ooze_random01(8, i, 0));
    f.m[0] += 1;
    f.m[4] += 1;
    f.m[8] += 1;
    OozeSym3 q = ooze_sym3_congruence(f, ooze_sym3_identity(1));
    q.xx += 1e-3;
    q.yy += 1e-3;
    q.zz += 1e-3;
    return q;
}

static OozeSym3 yielded(OozeSym3 q, double limit)
{
    return ooze_yield_to(q, ooze_yield_share(q, limit));
}

static void strain_within_the_limit_is_kept(void **state)
{
    (void)state;
    OozeSym3 q = ooze_sym3(1 + 0.09, 1, 1, 0.3, 0, 0);  /* sheared by 0.3 */
    CHECK_NEAR(ooze_elastic_strain(q), 0.3, 0.3 * 0.3); /* to second order */
    OozeSym3 kept = yielded(q, 0.31);
    assert_memory_equal(&kept, &q, sizeof q);
    assert_true(ooze_yield_share(q, 0.31) == 1);
    OozeSym3 elastic = yielded(q, INFINITY);
    assert_memory_equal(&elastic, &q, sizeof q);
}

/* Exactly on the yield surface, along the deviator, with the volume kept, positive definite. */
static void strain_beyond_flows(void **state)
{
    (void)state;
    int flowed = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        OozeSym3 q = random_conformation(i);
        double limit = pow(10, 2 * ooze_random01(9, i, 0) - 2);
        if (ooze_elastic_strain(q) <= limit) {
            continue;
        }
        flowed++;
        OozeSym3 y = yielded(q, limit);
        CHECK_NEAR(ooze_elastic_strain(y) / limit, 1, 1e-12);
        double size = pow(ooze_sym3_trace(q) / 3, 3); /* what the cubic's terms are of */
        CHECK_NEAR(ooze_sym3_det(y), ooze_sym3_det(q), 1e-9 * size + 1e-9);
        assert_true(ooze_sym3_min_eigenvalue(y) > 0);
        OozeSym3 a = ooze_sym3_deviator(q), b = ooze_sym3_deviator(y);
        double share = ooze_yield_share(q, limit);
        CHECK_NEAR(b.xy, share * a.xy, 1e-12 * (1 + fabs(a.xy)));
        CHECK_NEAR(b.zz, share * a.zz, 1e-12 * (1 + fabs(a.zz)));
        OozeSym3 again = yielded(y, limit * (1 + 1e-12));
        CHECK_NEAR(again.xx, y.xx, 1e-12 * (1 + fabs(y.xx)));
    }
    assert_true(flowed > 1000);
}

/* Sheared on and on, the stress stays and with it the isotropic part: nothing swells. */
static void endless_shear_is_steady(void **state)
{
    (void)state;
    OozeSym3 q = ooze_sym3_identity(1);
    double limit = 0.2, mean[2] = {0};
    for (int step = 0; step < 20000; step++) {
        OozeMat3 f = ooze_mat3_zero();
        f.m[0] = f.m[4] = f.m[8] = 1;
        f.m[1] = 1e-3;
        q = yielded(ooze_sym3_congruence(f, q), limit);
        mean[step >= 10000] = ooze_sym3_trace(q) / 3;
    }
    CHECK_NEAR(ooze_elastic_strain(q), limit, 1e-12);
    CHECK_NEAR(mean[1], mean[0], 1e-9);
    CHECK_NEAR(ooze_sym3_det(q), 1, 1e-9);
    assert_true(q.xy > 0.9 * limit); /* the stress of the flow is a shear stress */
}

/* ---- surfaces -------------------------------------------------------------------------------- */

static void surface_stress_lies_in_the_surface(void **state)
{
    (void)state;
    double n[3] = {1, -2, 0.5};
    OozeSym3 s = ooze_surface_stress(n[0], n[1], n[2], 3);
    CHECK_NEAR(ooze_sym3_trace(s), 2 * 3, 1e-12);
    CHECK_NEAR(s.xx * n[0] + s.xy * n[1] + s.xz * n[2], 0, 1e-12);
    CHECK_NEAR(s.xy * n[0] + s.yy * n[1] + s.yz * n[2], 0, 1e-12);
    CHECK_NEAR(s.xz * n[0] + s.yz * n[1] + s.zz * n[2], 0, 1e-12);
    OozeSym3 none = ooze_surface_stress(0, 0, 0, 3);
    assert_true(none.xx == 0 && none.yz == 0);
}

/* The layers of half a lattice, one by one, carry a tension of 1 in all. */
static void flat_surface_has_its_tension(void **state)
{
    (void)state;
    double d = 0.3;
    for (double ratio = 1.8; ratio < 3.1; ratio += 0.4) {
        double h = ratio * d, scale = ooze_strain_weight_scale(d, h) * d * d * d;
        double flat = ooze_strain_weight_surface(d, h), total = 0, filled = 0;
        for (int layer = 0; layer < 5; layer++) {
            double n = 0;
            for (int i = 0; i < 11 * 11 * 11; i++) {
                int x = i % 11 - 5, y = i / 11 % 11 - 5, z = i / 121 - 5;
                double r = d * sqrt(x * x + y * y + z * z);
                if (z <= layer) { /* what is there */
                    n += scale * ooze_strain_weight(r, h) * z * d;
                }
                filled += layer == 0 && r > 0 ? pow(ooze_strain_weight(r, h), 2) : 0;
            }
            total += d * ooze_surface_calibration(d, h) * ooze_surface_density(fabs(n), flat);
        }
        CHECK_NEAR(total, 1, 1e-9);
        CHECK_NEAR(ooze_cohesion_sum(d, h), filled, 1e-9);
    }
    assert_true(ooze_surface_density(0.2, 1) == 0); /* disorder inside is no surface */
}

static void capillary_step_follows_the_dispersion_relation(void **state)
{
    (void)state;
    /* omega = sqrt(sigma k^3/rho), k = pi/d: the step is 2/omega */
    double k = 3.14159265358979 / 0.001;
    CHECK_NEAR(ooze_capillary_step(0.072, 1000, 0.001) * sqrt(0.072 * k * k * k / 1000), 2, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_agree_with_the_library),
        cmocka_unit_test(shear_rate_is_that_of_shear),
        cmocka_unit_test(thinning_follows_its_law),
        cmocka_unit_test(strain_within_the_limit_is_kept),
        cmocka_unit_test(strain_beyond_flows),
        cmocka_unit_test(endless_shear_is_steady),
        cmocka_unit_test(surface_stress_lies_in_the_surface),
        cmocka_unit_test(flat_surface_has_its_tension),
        cmocka_unit_test(capillary_step_follows_the_dispersion_relation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
