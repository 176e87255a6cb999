/* The rotation nearest to a matrix, regular or singular; rotation by a spin. */
#include "physics/polar.h"

#include "base/hash.h"
#include "check.h"
#include "physics/spin.h"

static OozeMat3 rotation(double w, double x, double y, double z)
{
    double n = 1.0 / (w * w + x * x + y * y + z * z);
    double r[9] = {(w * w + x * x - y * y - z * z) * n,
                   2 * (x * y - w * z) * n,
                   2 * (x * z + w * y) * n,
                   2 * (x * y + w * z) * n,
                   (w * w - x * x + y * y - z * z) * n,
                   2 * (y * z - w * x) * n,
                   2 * (x * z - w * y) * n,
                   2 * (y * z + w * x) * n,
                   (w * w - x * x - y * y + z * z) * n};
    OozeMat3 out;
    for (int k = 0; k < 9; k++) {
        out.m[k] = (float)r[k];
    }
    return out;
}

static OozeMat3 random_rotation(uint64_t k)
{
    return rotation(ooze_random01(7, k, 0) - 0.5, ooze_random01(7, k, 1) - 0.5,
                    ooze_random01(7, k, 2) - 0.5, ooze_random01(7, k, 3) - 0.5);
}

static double distance(OozeMat3 a, OozeMat3 b)
{
    return sqrt((double)ooze_mat3_norm2(ooze_mat3_add(a, ooze_mat3_scale(b, -1))));
}

static double overlap(OozeMat3 r, OozeMat3 a)
{
    double sum = 0.0;
    for (int k = 0; k < 9; k++) {
        sum += (double)r.m[k] * (double)a.m[k];
    }
    return sum;
}

static void is_proper(OozeMat3 r)
{
    OozeMat3 square = ooze_mat3_mul(r, ooze_mat3_transpose(r));
    assert_true(distance(square, ooze_mat3_identity()) < 1e-5);
    CHECK_NEAR(ooze_mat3_det(r), 1.0, 1e-5);
}

/* R times a symmetric positive matrix has polar factor R, at every scale; floats keep about 1e-7 of
   a stretch of up to 4, lost once more in the inverse. */
static void finds_the_rotation_of_a_stretch(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint64_t k = 0; k < 200; k++) {
        OozeMat3 r = random_rotation(2 * k), axes = random_rotation(2 * k + 1);
        float stretch[3];
        for (int a = 0; a < 3; a++) {
            stretch[a] = (float)exp(2.0 * (ooze_random01(9, k, (uint64_t)a) - 0.5) * log(4.0));
        }
        OozeSym3 s =
            ooze_sym3_congruence(axes, ooze_sym3(stretch[0], stretch[1], stretch[2], 0, 0, 0));
        OozeMat3 f = ooze_mat3_mul_sym3(r, s);
        for (int scale = -1; scale <= 1; scale++) {
            OozeMat3 got = ooze_polar_rotation(ooze_mat3_scale(f, powf(1e6f, (float)scale)));
            worst = fmax(worst, distance(got, r));
        }
    }
    MEASURED("distance from the rotation", worst, 0.0, 2e-5);
}

/* Mirror images, flat and thin neighbourhoods: a proper rotation that no other beats. */
static void reflections_and_singular_matrices_give_the_best_rotation(void **state)
{
    (void)state;
    static const float shapes[][3] = {{1, 1, -0.1f}, {1, 0.8f, -0.5f}, {1, 0.7f, 0},
                                      {1, 0, 0},     {1, 1e-4f, 0},    {1, 0.6f, 1e-3f}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        OozeMat3 axes = random_rotation(100 + k), r = random_rotation(200 + k);
        OozeSym3 s = ooze_sym3_congruence(
            axes, ooze_sym3(shapes[k][0], shapes[k][1], shapes[k][2], 0, 0, 0));
        OozeMat3 f = ooze_mat3_mul_sym3(r, s);
        OozeMat3 got = ooze_polar_rotation(f);
        is_proper(got);
        double best = overlap(got, f);
        /* the singular values, the smallest with its sign: what the best rotation reaches */
        CHECK_NEAR(best, (double)(shapes[k][0] + shapes[k][1] + shapes[k][2]), 1e-5);
        for (uint64_t other = 0; other < 300; other++) {
            assert_true(overlap(random_rotation(1000 + other), f) <= best + 1e-5);
        }
    }
}

static void zero_and_nan_give_the_identity(void **state)
{
    (void)state;
    OozeMat3 bad = ooze_mat3_identity();
    bad.m[4] = NAN;
    assert_true(distance(ooze_polar_rotation(ooze_mat3_zero()), ooze_mat3_identity()) == 0.0);
    assert_true(distance(ooze_polar_rotation(bad), ooze_mat3_identity()) == 0.0);
    bad.m[4] = INFINITY;
    assert_true(distance(ooze_polar_rotation(bad), ooze_mat3_identity()) == 0.0);
}

/* Cayley: exact axis, angle 2 atan(w/2), orthonormal to rounding; and I + W stretches by W^T
   W/2. */
static void rotation_by_a_spin_has_its_angle(void **state)
{
    (void)state;
    OozeMat3 l = ooze_mat3_zero();
    l.m[1] = -3; /* 3 rad/s about z */
    l.m[3] = 3;
    OozeSpin w = ooze_spin(l, 0.1f, 0.5f);
    CHECK_NEAR(w.z, 0.3, 1e-7);
    OozeMat3 r = ooze_spin_rotation(w);
    is_proper(r);
    CHECK_NEAR(atan2((double)r.m[3], (double)r.m[0]), 2.0 * atan(0.15), 1e-6);
    CHECK_NEAR(ooze_spin(l, 1.0f, 0.5f).z, 0.5, 1e-6); /* capped */
    OozeMat3 f = ooze_mat3_add(ooze_mat3_identity(), ooze_mat3_scale(l, 0.1f));
    OozeMat3 away = ooze_mat3_add(f, ooze_mat3_scale(ooze_polar_rotation(f), -1));
    OozeSym3 stretch = ooze_mat3_symmetric(away), predicted = ooze_spin_square(w);
    /* 1 - cos atan(.3) = .0422 against .3^2/2: fourth order apart */
    CHECK_NEAR(stretch.xx, predicted.xx / 2, 0.3 * 0.3 * 0.3 * 0.3 / 2);
    CHECK_NEAR(stretch.zz, 0.0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_rotation_of_a_stretch),
        cmocka_unit_test(reflections_and_singular_matrices_give_the_best_rotation),
        cmocka_unit_test(zero_and_nan_give_the_identity),
        cmocka_unit_test(rotation_by_a_spin_has_its_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
