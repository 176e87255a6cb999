/* Flexible GMRES for velocities and the change of pressure. The preconditioner is block triangular:
   q = -S^-1 r_p, u = K^-1 (r_u - Dc^T q), with one cycle of multigrid for K and
   S^-1 = (D M^-1 D^T)^-1 + viscosity / (mass of the row) (Cahouet and Chabard 1988). */
#include "methods/conformation/pressure_solve.h"

#include <math.h>

#include "methods/conformation/cpu/grid_pressure_solids.h"
#include "methods/conformation/lodge_formula.h"

enum { VECTORS = OOZE_PRESSURE_VECTORS, MOST = 120 };
/* Of the velocity that weight adds in a step: rounding leaves residuals below it. */
#define FLOOR 1e-2

typedef OozePressureSolve Solve;
typedef OozePressureKrylov Krylov;
typedef OozePressureVector Vector;

/* In the norm of momenta over masses, and of rates over the diagonal: both are energies. */
static double square_of(Solve *f, const Vector *a)
{
    double square = 0.0;
    f->velocity->dot_vectors(f->user, a, a, 0);
    f->velocity->read_slots(f->user, 1, &square);
    return square;
}

/* ---- operator and preconditioner ---- */

/* z = P^-1 v; leaves Dc^T z.p in `force`. */
static void precondition(Solve *f, const Vector *v, Vector *z)
{
    const OozePressureLoops *loops = f->loops;
    loops->precondition(f->user, v->p, z->p);
    loops->add_compliance(f->user, v->p, z->p);
    loops->centre(f->user, z->p);
    ooze_timer_lap(f->timer, "pressure_cycle");
    loops->find_force(f->user, z->p, true);
    f->velocity->subtract_force(f->user, v->u);
    ooze_grid_solids_push(f->coupled, v->b, z->p);
    ooze_timer_lap(f->timer, "pressure_rows");
    f->velocity->respond(f->user, z->u);
    ooze_grid_solids_respond(f->coupled, z->b);
}

/* w = A z, with Dc^T z.p in `force`. */
static void multiply(Solve *f, const Vector *z, Vector *w)
{
    ooze_grid_solids_direct(f->coupled, z->b);
    f->velocity->multiply(f->user, z->u, w->u);
    f->loops->rate(f->user, z->u, true, w->p);
    ooze_grid_solids_multiply(f->coupled, z->b, z->p, w->b, w->p);
    ooze_timer_lap(f->timer, "pressure_rows");
}

/* Of u and q; returns its square. */
static double find_residual(Solve *f)
{
    const OozePressureLoops *loops = f->loops;
    Vector *r = &f->krylov.residual;
    loops->find_force(f->user, f->change, true);
    f->velocity->find_residual(f->user, r->u);
    loops->rate(f->user, f->u, true, r->p);
    ooze_grid_solids_residual(f->coupled, f->change, r->b, r->p);
    loops->find_lack(f->user, r->p);
    loops->centre(f->user, r->p);
    return square_of(f, r);
}

void ooze_pressure_find_contact_forces(OozePressureSolve *f)
{
    const OozePressureLoops *loops = f->loops;
    loops->find_force(f->user, f->change, true);
    f->velocity->add_contact_force(f->user);
    loops->to_particles(f->user, ooze_pressure_total(f));
}

/* ---- the solve ---- */

/* Turns column `c` of h with the rotations so far and one more. */
static void rotate(Krylov *k, int c)
{
    double *h = k->h[c];
    for (int q = 0; q < c; q++) {
        double a = k->cosine[q] * h[q] + k->sine[q] * h[q + 1];
        h[q + 1] = -k->sine[q] * h[q] + k->cosine[q] * h[q + 1];
        h[q] = a;
    }
    double size = hypot(h[c], h[c + 1]);
    k->cosine[c] = size > 0.0 ? h[c] / size : 1.0;
    k->sine[c] = size > 0.0 ? h[c + 1] / size : 0.0;
    h[c] = size;
    h[c + 1] = 0.0;
    k->g[c + 1] = -k->sine[c] * k->g[c];
    k->g[c] *= k->cosine[c];
}

/* Orthonormalises w = v[c + 1] against v[0] to v[c]. */
static void extend(Solve *f, int c)
{
    Krylov *k = &f->krylov;
    Vector *w = &k->v[c + 1];
    for (int q = 0; q <= c; q++) {
        f->velocity->dot_vectors(f->user, &k->v[q], w, q);
        f->velocity->subtract(f->user, q, &k->v[q], w);
    }
    f->velocity->dot_vectors(f->user, w, w, c + 1);
    f->velocity->read_slots(f->user, c + 2, k->h[c]);
    k->h[c][c + 1] = sqrt(k->h[c][c + 1]);
    f->velocity->scale_vector(f->user, k->h[c][c + 1] > 0.0 ? 1.0 / k->h[c][c + 1] : 0.0, w);
    rotate(k, c);
}

/* u, q += the combination of the first `count` z with the least residual, which follows. */
static void combine(Solve *f, int count)
{
    const OozePressureLoops *loops = f->loops;
    Krylov *k = &f->krylov;
    double y[VECTORS] = {0};
    Vector solution = {f->u, f->change, ooze_grid_solids_saved(f->coupled)};
    for (int c = count; c-- > 0;) {
        y[c] = k->g[c];
        for (int q = c + 1; q < count; q++) {
            y[c] -= k->h[q][c] * y[q];
        }
        y[c] = k->h[c][c] > 0.0 ? y[c] / k->h[c][c] : 0.0;
    }
    f->velocity->scale_vector(f->user, y[0], &k->z[0]);
    for (int c = 1; c < count; c++) {
        f->velocity->add_vector(f->user, y[c], &k->z[c], &k->z[0]);
    }
    f->velocity->add_vector(f->user, 1.0, &k->z[0], &solution);
    ooze_grid_solids_set(f->coupled, solution.b);
    loops->find_force(f->user, k->z[0].p, true);
    multiply(f, &k->z[0], &k->v[0]);
    f->velocity->add_vector(f->user, -1.0, &k->v[0], &k->residual);
}

/* One cycle of FGMRES. Returns whether the residual has met its target. */
static bool cycle(Solve *f, OozeSolveResidual *residual, int most)
{
    Krylov *k = &f->krylov;
    double square = square_of(f, &k->residual);
    if (!ooze_solve_residual_check(residual, square)) {
        return true;
    }
    k->g[0] = sqrt(square);
    f->velocity->copy_vector(f->user, &k->residual, &k->v[0]);
    f->velocity->scale_vector(f->user, 1.0 / k->g[0], &k->v[0]);
    int c = 0;
    bool done = false;
    for (; c < VECTORS && c < most && !done; c++) {
        precondition(f, &k->v[c], &k->z[c]);
        multiply(f, &k->z[c], &k->v[c + 1]);
        extend(f, c);
        done = !ooze_solve_residual_iterated(residual, k->g[c + 1] * k->g[c + 1]);
        ooze_timer_lap(f->timer, "velocity_vectors");
    }
    combine(f, c);
    return done;
}

static Vector make_vector(Solve *f)
{
    const OozePressureLoops *loops = f->loops;
    return (Vector){loops->particles(f->user), loops->nodes(f->user), loops->solids(f->user)};
}

static OozeStatus allocate(Solve *f, OozeError *error)
{
    Krylov *k = &f->krylov;
    k->residual = make_vector(f);
    for (int c = 0; c <= VECTORS; c++) {
        k->v[c] = make_vector(f);
    }
    for (int c = 0; c < VECTORS; c++) {
        k->z[c] = make_vector(f);
    }
    return f->loops->status(f->user, error);
}

/* Starts from the velocities and the pressure of the last step where their residual is less than
   that of u* without pressure. */
static void choose_start(Solve *f)
{
    const OozePressureLoops *loops = f->loops;
    Vector *kept = &f->krylov.z[0];
    double free = find_residual(f);
    f->velocity->copy_particles(f->user, f->u, kept->u);
    ooze_grid_solids_save(f->coupled, kept->b);
    loops->copy(f->user, f->guess, f->change);
    f->velocity->read_last(f->user);
    ooze_grid_solids_set_last(f->coupled);
    if (find_residual(f) > free) {
        f->velocity->copy_particles(f->user, kept->u, f->u);
        ooze_grid_solids_set(f->coupled, kept->b);
        loops->copy(f->user, NULL, f->change);
        find_residual(f);
    }
}

/* Viscous part of S^-1: a mode of compression resists with (2 + bulk) times the viscosity. */
static void find_compliance(Solve *f)
{
    f->velocity->read_viscosity(f->user);
    f->loops->from_particles(f->user, f->compliance);
    f->loops->over_weight(f->user, f->compliance);
}

OozeStatus ooze_pressure_solve(OozePressureSolve *f, const OozePressurePass *pass, OozeError *error)
{
    OozeSolveResidual *residual = pass->residual;
    OozeStatus status = pass->pass == 0 ? allocate(f, error) : OOZE_OK;
    if (status) {
        return status;
    }
    if (pass->pass == 0) {
        choose_start(f);
    } else {
        find_residual(f);
    }
    status = f->velocity->begin_pass(f->user, pass->pass, error);
    find_compliance(f);
    double tolerance = (pass->accurate ? 1.0 : OOZE_LODGE_EARLY_TOLERANCE) * pass->tolerance;
    double kick = FLOOR * pass->gravity * pass->dt;
    residual->target = (residual->initial + pass->particles * kick * kick) * tolerance * tolerance;
    residual->has_tolerance = true;
    int last = residual->iterations + MOST;
    bool done = status != OOZE_OK;
    while (!done && residual->iterations < last) {
        done = cycle(f, residual, last - residual->iterations);
    }
    return status;
}
