/* Vectors and rotations. */
#include "check.h"

#include "base/hash.h"
#include "base/vec3.h"

static const double pi = 3.14159265358979323846;

static OozeVec3 random_vector(uint64_t i)
{
    return vec3(2 * ooze_random01(1, i, 0) - 1, 2 * ooze_random01(1, i, 1) - 1,
                2 * ooze_random01(1, i, 2) - 1);
}

static void check_same(OozeVec3 a, OozeVec3 b, double tolerance)
{
    CHECK_NEAR(vec3_length(vec3_sub(a, b)), 0.0, tolerance);
}

static void vector_algebra(void **state)
{
    (void)state;
    check_same(vec3_cross(vec3(1, 0, 0), vec3(0, 1, 0)), vec3(0, 0, 1), 0.0);
    check_same(vec3_madd(vec3(1, 2, 3), 2.0, vec3(4, 5, 6)), vec3(9, 12, 15), 0.0);
    CHECK_NEAR(vec3_length(vec3(2, 3, 6)), 7.0, 0.0);
    check_same(vec3_unit(vec3(0, 0, 0), vec3(0, 1, 0)), vec3(0, 1, 0), 0.0);
    check_same(vec3_unit(vec3(0, NAN, 0), vec3(0, 1, 0)), vec3(0, 1, 0), 0.0);
    assert_false(vec3_is_finite(vec3(0, INFINITY, 0)));
    for (int axis = 0; axis < 3; axis++) {
        CHECK_NEAR(vec3_component(vec3_axis((OozeAxis)axis), axis), 1.0, 0.0);
        CHECK_NEAR(vec3_length(vec3_axis((OozeAxis)axis)), 1.0, 0.0);
    }
    for (uint64_t i = 0; i < 100; i++) {
        OozeVec3 a = random_vector(2 * i), b = random_vector(2 * i + 1), c = vec3_cross(a, b);
        CHECK_NEAR(vec3_dot(a, c), 0.0, 1e-15);
        /* Lagrange: |a x b|^2 = |a|^2 |b|^2 - (a b)^2 */
        CHECK_NEAR(vec3_dot(c, c),
                   vec3_dot(a, a) * vec3_dot(b, b) - vec3_dot(a, b) * vec3_dot(a, b), 1e-14);
    }
}

static void rotations_have_the_right_sign(void **state)
{
    (void)state;
    OozeQuat quarter = quat_from_vector(vec3(0, 0, 0.5 * pi));
    check_same(quat_rotate(quarter, vec3(1, 0, 0)), vec3(0, 1, 0), 1e-15);
    check_same(quat_rotate_inverse(quarter, vec3(0, 1, 0)), vec3(1, 0, 0), 1e-15);
    check_same(quat_rotate(quat_from_vector(vec3(0, 0, 0)), vec3(1, 2, 3)), vec3(1, 2, 3), 0.0);
    for (uint64_t i = 0; i < 100; i++) {
        OozeVec3 v = random_vector(3 * i), axis = random_vector(3 * i + 1);
        OozeQuat a = quat_from_vector(vec3_scale(axis, 3.0));
        OozeQuat b = quat_from_vector(random_vector(3 * i + 2));
        /* Rodrigues' formula, term by term. */
        double angle = 3.0 * vec3_length(axis);
        OozeVec3 k = vec3_unit(axis, vec3(1, 0, 0));
        OozeVec3 expected =
            vec3_madd(vec3_madd(vec3_scale(v, cos(angle)), sin(angle), vec3_cross(k, v)),
                      (1.0 - cos(angle)) * vec3_dot(k, v), k);
        check_same(quat_rotate(a, v), expected, 1e-14);
        check_same(quat_rotate_inverse(a, quat_rotate(a, v)), v, 1e-14);
        check_same(quat_rotate(quat_mul(a, b), v), quat_rotate(a, quat_rotate(b, v)), 1e-14);
    }
}

static void rotation_between_directions(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        OozeVec3 a = vec3_unit(random_vector(2 * i), vec3(1, 0, 0));
        OozeVec3 b = i % 10 == 0 ? vec3_scale(a, i % 20 ? 1.0 : -1.0)
                                 : vec3_unit(random_vector(2 * i + 1), vec3(0, 1, 0));
        OozeQuat q = quat_between(a, b);
        check_same(quat_rotate(q, a), b, 1e-7); /* nearly opposite ones lose half the digits */
        CHECK_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-12);
    }
    OozeQuat none = quat_unit((OozeQuat){0, 0, 0, 0});
    CHECK_NEAR(none.w, 1.0, 0.0);
    CHECK_NEAR(quat_unit((OozeQuat){0, 0, 3, 4}).w, 0.8, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_algebra),
        cmocka_unit_test(rotations_have_the_right_sign),
        cmocka_unit_test(rotation_between_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
