/* Conjugate gradients on small systems: as many iterations as distinct eigenvalues, the same sums
   for any number of threads, an end where the operator is not positive, a restart after a lost
   direction. */
#include "check.h"

#include "solvers/linear/conjugate_gradients.h"

enum { N = 64, GRAIN = 16 };

/* A tridiagonal matrix with `diagonal` and -1 beside it, preconditioned by its diagonal. */
typedef struct System {
    double diagonal[N], x[N], r[N], p[N], ap[N], partial[N / GRAIN];
    OozeThreads *threads;
    int products, lies; /* products so far, and the number of the one that returns a wrong p.Ap */
} System;

static void multiply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    System *s = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        double sides = (i > 0 ? s->p[i - 1] : 0.0) + (i + 1 < N ? s->p[i + 1] : 0.0);
        s->ap[i] = s->diagonal[i] * s->p[i] - sides;
        sum += s->p[i] * s->ap[i];
    }
    s->partial[begin / GRAIN] = sum;
}

static double multiply(void *user)
{
    System *s = user;
    OozeBlockSum sum = {s->threads, N, GRAIN, s->partial, NULL};
    double pap = ooze_block_sum(&sum, multiply_range, s);
    return ++s->products == s->lies ? 0.0 : pap;
}

static double advance(void *user, double alpha, double *square)
{
    System *s = user;
    double rz = *square = 0.0;
    for (int i = 0; i < N; i++) {
        s->x[i] += alpha * s->p[i];
        s->r[i] -= alpha * s->ap[i];
        rz += s->r[i] * s->r[i] / s->diagonal[i];
        *square += s->r[i] * s->r[i];
    }
    return rz;
}

static void update(void *user, double beta)
{
    System *s = user;
    for (int i = 0; i < N; i++) {
        s->p[i] = s->r[i] / s->diagonal[i] + beta * s->p[i];
    }
}

/* Solves A x = 1 from x = 0 and returns the state; s->r is the residual of the recurrence. */
static OozeConjugateGradients solve(System *s, bool restarts, int iterations, double tolerance)
{
    static const OozeCgOperations operations = {multiply, advance, update};
    OozeConjugateGradients cg = {.min_curvature = 1e-6, .restarts = restarts};
    double rz = 0.0;
    for (int i = 0; i < N; i++) {
        s->r[i] = 1.0;
        s->p[i] = s->r[i] / s->diagonal[i];
        rz += s->r[i] * s->p[i];
    }
    ooze_cg_begin(&cg, rz, N, tolerance);
    ooze_conjugate_gradients(&cg, &operations, s, iterations);
    return cg;
}

static System make(double diagonal)
{
    System s = {.products = 0};
    for (int i = 0; i < N; i++) {
        s.diagonal[i] = diagonal;
    }
    return s;
}

static double true_residual(System *s)
{
    double square = 0.0;
    memcpy(s->p, s->x, sizeof s->p);
    multiply(s);
    for (int i = 0; i < N; i++) {
        square += (1.0 - s->ap[i]) * (1.0 - s->ap[i]);
    }
    return sqrt(square / N);
}

static void test_solves(void **state)
{
    (void)state;
    System s = make(2.0);
    OozeConjugateGradients cg = solve(&s, true, 1000, 1e-9);
    assert_true(ooze_solve_residual_converged(&cg.residual));
    /* the right-hand side is symmetric, so half of the eigenvectors are left out */
    assert_true(cg.residual.iterations <= N / 2);
    assert_true(true_residual(&s) < 1e-8);
    System t = make(2.0);
    cg = solve(&t, true, 10, 1e-9);
    assert_true(cg.residual.iterations == 10 && !ooze_solve_residual_converged(&cg.residual));
}

static void test_same_for_any_threads(void **state)
{
    (void)state;
    System one = make(2.5), many = make(2.5);
    OozeError error;
    assert_int_equal(ooze_threads_create(4, &many.threads, &error), OOZE_OK);
    solve(&one, true, 20, 0.0);
    solve(&many, true, 20, 0.0);
    ooze_threads_destroy(many.threads);
    assert_memory_equal(one.x, many.x, sizeof one.x);
}

static void test_breakdown(void **state)
{
    (void)state;
    System indefinite = make(1.0);
    OozeConjugateGradients cg = solve(&indefinite, true, 100, 1e-9);
    assert_true(cg.off && cg.lost && cg.residual.iterations == 0);
    System s = make(2.0);
    s.lies = 4;
    cg = solve(&s, false, 100, 1e-9); /* ends at the lost direction */
    assert_true(cg.off && cg.lost && s.products == 4 && cg.residual.iterations == 3);
    System again = make(2.0);
    again.lies = 4;
    cg = solve(&again, true, 200, 1e-9); /* continues from the residual */
    assert_true(ooze_solve_residual_converged(&cg.residual) && true_residual(&again) < 1e-8);
}

static void test_guess_length(void **state)
{
    (void)state;
    assert_true(ooze_cg_guess_length(3.0, 2.0) == 1.0 && ooze_cg_guess_length(1.0, 2.0) == 0.5);
    assert_true(ooze_cg_guess_length(-1.0, 2.0) == 0.0 && ooze_cg_guess_length(1.0, 0.0) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),
        cmocka_unit_test(test_same_for_any_threads),
        cmocka_unit_test(test_breakdown),
        cmocka_unit_test(test_guess_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
