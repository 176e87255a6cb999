/* The multigrid preconditioner of pressure equations: symmetric, positive, the same for any number
   of threads, and few iterations for fluids of every shape. */
#include "check.h"

#include "mps_laplacian.h"

#define SPACING 0.01

/* A case that is ready to solve. */
static void prepare(Mps *s, double floor, bool closed)
{
    mps_assemble(s, floor, closed);
    mps_allocate(s);
    mps_right_side(s, closed);
    CHECK_OK(mps_build(s, &error));
}

#define NO_FLOOR (-1e9)

/* |b - A solution| / |b| */
static double true_residual(Mps *s)
{
    double square = 0.0, all = 0.0;
    memcpy(s->p, s->solution, s->n * sizeof *s->p);
    mps_multiply(s);
    for (uint64_t i = 0; i < s->n; i++) {
        double r = (double)s->b[i] - (double)s->ap[i];
        square += r * r;
        all += (double)s->b[i] * (double)s->b[i];
    }
    return sqrt(square / all);
}

static void check_solve(const char *what, Mps *s, int bound)
{
    OozeConjugateGradients cg = mps_solve(s, 1e-5, 300);
    int iterations = cg.residual.iterations;
    assert_true(ooze_solve_residual_converged(&cg.residual));
    double residual = true_residual(s);
    printf("%s: %llu particles, residual %.1e\n", what, (unsigned long long)s->n, residual);
    MEASURED("iterations", iterations, 1, bound);
    assert_true(residual < 1e-4);
}

/* M^-1 a, with omega of the diagonal. */
static void precondition(Mps *s, const float *a, float *z)
{
    for (uint64_t i = 0; i < s->n; i++) {
        z[i] = OOZE_GRID_MULTIGRID_OMEGA * a[i] / s->diagonal[i];
    }
    ooze_grid_multigrid_apply(s->multigrid, a, z);
}

static double dot(const float *a, const float *b, uint64_t n)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

static void check_symmetric(Mps *s)
{
    for (int k = 0; k < 4; k++) {
        for (uint64_t i = 0; i < s->n; i++) {
            double smooth = k & 1 ? 1.0 : 0.0;
            s->r[i] = (float)(smooth + mps_random(i + 1000003u * (uint64_t)k));
            s->p[i] = (float)(smooth + mps_random(i + 2000003u * (uint64_t)k));
        }
        precondition(s, s->r, s->z);
        precondition(s, s->p, s->ap);
        double a = dot(s->p, s->z, s->n), b = dot(s->r, s->ap, s->n);
        double size = sqrt(dot(s->r, s->z, s->n) * dot(s->p, s->ap, s->n));
        assert_true(dot(s->r, s->z, s->n) > 0.0 && dot(s->p, s->ap, s->n) > 0.0);
        CHECK_NEAR((a - b) / size, 0.0, 2e-5);
    }
}

static void test_symmetric_and_positive(void **state)
{
    (void)state;
    Mps block = {.spacing = SPACING}, closed = {.spacing = SPACING};
    mps_add_block(&block, (double[3]){0, 0, 0}, (int[3]){20, 20, 20}, 0.2);
    prepare(&block, 0.0, false);
    check_symmetric(&block);
    mps_free(&block);
    mps_add_block(&closed, (double[3]){0, 0, 0}, (int[3]){24, 12, 12}, 0.2);
    prepare(&closed, 0.0, true);
    check_symmetric(&closed);
    mps_free(&closed);
}

static void test_blocks(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        Mps s = {.spacing = SPACING};
        int side = k & 1 ? 34 : 17;
        mps_add_block(&s, (double[3]){0.3, 0, 0.1}, (int[3]){side, side, side}, k & 2 ? 0.2 : 0.0);
        prepare(&s, 0.0, false);
        check_solve(k & 2 ? "block with jitter" : "block", &s, 14);
        mps_free(&s);
    }
}

static void test_thread(void **state)
{
    (void)state;
    Mps s = {.spacing = SPACING};
    mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){4, 600, 4}, 0.1);
    prepare(&s, 0.0, false);
    check_solve("thread", &s, 12);
    mps_free(&s);
}

static void test_drops_far_apart(void **state)
{
    (void)state;
    Mps s = {.spacing = SPACING};
    mps_add_block(&s, (double[3]){-3000 * SPACING, 10, 0}, (int[3]){12, 12, 12}, 0.2);
    mps_add_block(&s, (double[3]){4000 * SPACING, -5, 17}, (int[3]){9, 9, 9}, 0.2);
    mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){1, 1, 1}, 0.2);
    prepare(&s, NO_FLOOR, false);
    check_solve("drops far apart", &s, 13);
    mps_free(&s);
}

static void test_closed_box(void **state)
{
    (void)state;
    Mps s = {.spacing = SPACING};
    mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){30, 20, 25}, 0.2);
    prepare(&s, NO_FLOOR, true);
    check_solve("closed box", &s, 12);
    mps_free(&s);
}

static void test_periodic(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        Mps s = {.spacing = SPACING};
        int size[3] = {48, 24, 20};
        for (int a = 0; a < 3; a++) {
            s.box[a] = k == 2 || (a != 1 && (k == 1 || a == 0)) ? size[a] * SPACING : 0.0;
        }
        mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){size[0], size[1], size[2]}, 0.2);
        prepare(&s, k == 2 ? NO_FLOOR : 0.0, k == 2);
        check_symmetric(&s);
        check_solve(k == 0 ? "periodic along x" : k == 1 ? "along x and z" : "all axes", &s, 18);
        mps_free(&s);
    }
}

static void test_density_ratio(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Mps s = {.spacing = SPACING};
        mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){20, 24, 20}, 0.1);
        for (uint64_t i = 0; i < s.n; i++) {
            bool upper = (double)s.x[i][1] > 12 * SPACING;
            s.inverse_density[i] = upper == (k == 1) ? 1e-3f : 1.0f;
        }
        prepare(&s, 0.0, false);
        check_solve(k ? "heavy above light" : "light above heavy", &s, 17);
        mps_free(&s);
    }
}

static void test_same_for_any_threads(void **state)
{
    (void)state;
    OozeThreads *threads[2];
    float *solution = NULL;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ooze_threads_create(k ? 3 : 1, &threads[k], &error));
        Mps s = {.spacing = SPACING, .threads = threads[k]};
        mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){40, 30, 30}, 0.2);
        prepare(&s, 0.0, false);
        for (int again = 0; again < 2; again++) { /* nothing is kept from the first build */
            mps_solve(&s, 0.0, 5);
            CHECK_OK(mps_build(&s, &error));
        }
        if (k == 0) {
            solution = s.solution;
            s.solution = NULL;
        } else {
            assert_memory_equal(solution, s.solution, s.n * sizeof *solution);
        }
        mps_free(&s);
        ooze_threads_destroy(threads[k]);
    }
    ooze_free(solution);
}

static void test_small_inputs(void **state)
{
    (void)state;
    Mps none = {.spacing = SPACING}, one = {.spacing = SPACING};
    CHECK_OK(mps_build(&none, &error));
    ooze_grid_multigrid_apply(none.multigrid, NULL, NULL);
    mps_free(&none);
    mps_add_block(&one, (double[3]){1, 2, 3}, (int[3]){1, 1, 1}, 0.0);
    prepare(&one, NO_FLOOR, false);
    check_solve("one particle", &one, 3);
    one.mass[0] = 0.0f; /* inside a wall: nothing couples it to anything */
    CHECK_OK(mps_build(&one, &error));
    float r = 1.0f, z = 0.0f;
    ooze_grid_multigrid_apply(one.multigrid, &r, &z);
    assert_true(isfinite(z) && z >= 0.0f);
    mps_free(&one);
}

/* All particles at the same place, or one at infinity, give finite results. */
static void test_degenerate_positions(void **state)
{
    (void)state;
    Mps s = {.spacing = SPACING};
    mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){4, 4, 4}, 0.0);
    prepare(&s, 0.0, false);
    for (int k = 0; k < 3; k++) {
        for (uint64_t i = 0; i < s.n; i++) {
            s.x[i] = k == 0 ? s.x[0] : s.x[i];
            s.r[i] = 1.0f;
        }
        s.x[5][1] = k == 0 ? s.x[5][1] : k == 1 ? INFINITY : NAN;
        CHECK_OK(mps_build(&s, &error));
        precondition(&s, s.r, s.z);
        for (uint64_t i = 0; i < s.n; i++) {
            assert_true(isfinite(s.z[i]));
        }
    }
    mps_free(&s);
}

static void test_memory(void **state)
{
    (void)state;
    Mps s = {.spacing = SPACING};
    mps_add_block(&s, (double[3]){0, 0, 0}, (int[3]){20, 20, 20}, 0.2);
    prepare(&s, 0.0, false);
    CHECK_OK(mps_build(&s, &error));
    ooze_memory_fail_after(1); /* a second build allocates nothing */
    CHECK_OK(mps_build(&s, &error));
    ooze_memory_fail_after(0);
    double each = (double)ooze_grid_multigrid_bytes(s.multigrid) / (double)s.n;
    MEASURED("bytes per particle", each, 20, 300);
    for (uint64_t k = 1; k < 40; k++) {
        ooze_grid_multigrid_destroy(s.multigrid);
        s.multigrid = ooze_grid_multigrid_create();
        OozeError error = {0};
        ooze_memory_fail_after(k);
        OozeStatus status = mps_build(&s, &error);
        ooze_memory_fail_after(0);
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
        precondition(&s, s.b, s.z);
    }
    mps_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric_and_positive),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_thread),
        cmocka_unit_test(test_drops_far_apart),
        cmocka_unit_test(test_closed_box),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_density_ratio),
        cmocka_unit_test(test_same_for_any_threads),
        cmocka_unit_test(test_small_inputs),
        cmocka_unit_test(test_degenerate_positions),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
