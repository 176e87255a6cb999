/* Flexible GMRES for velocities and the change of pressure. The preconditioner is block triangular:
   q = -S^-1 r_p, u = K^-1 (r_u - Dc^T q), with one cycle of multigrid for K and
   S^-1 = (D M^-1 D^T)^-1 + viscosity / (mass of the row) (Cahouet and Chabard 1988). */
#include "methods/conformation/pressure_solve.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/grid_pressure_solids.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/lodge_multigrid.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN, VECTORS = 12, MOST = 120 };
/* Of the velocity that weight adds in a step: rounding leaves residuals below it. */
#define FLOOR 1e-2

typedef struct Vector {
    OozeF32x4 *u; /* momentum or velocity per particle */
    float *p;     /* per node */
    OozeTwist *b; /* momentum or velocity per dynamic solid */
} Vector;

typedef struct OozePressureKrylov {
    OozeLodge *solve;
    OozeGridPressure *pressure;
    Vector residual, v[VECTORS + 1], z[VECTORS];
    double h[VECTORS][VECTORS + 2], cosine[VECTORS], sine[VECTORS], g[VECTORS + 1];
    /* of the loops */
    const Vector *from;
    Vector *to;
    float factor;
} OozePressureKrylov;
typedef OozePressureKrylov Krylov;

static void run(const Krylov *k, OozeRangeBody body)
{
    const OozeConformationStep *s = k->solve->step;
    ooze_parallel_for(s->context->threads, s->n, GRAIN, body, (void *)k);
}

/* ---- vectors ---- */

static void dot_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Krylov *k = data;
    const OozeConformationStep *s = k->solve->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].relative_mass;
        sum += (double)(ooze_f32x4_dot3(k->from->u[i], k->to->u[i]) / mass);
    }
    k->solve->partial[begin / GRAIN] = sum;
}

/* In the norm of momenta over masses, and of rates over the diagonal: both are energies. */
static double dot(Krylov *k, const Vector *a, Vector *b)
{
    const OozePressureGrid *grid = &k->pressure->grid;
    const OozeConformationStep *s = k->solve->step;
    k->from = a;
    k->to = b;
    OozeBlockSum sum = {s->context->threads, s->n, GRAIN, k->solve->partial, NULL};
    double total = ooze_block_sum(&sum, dot_range, k);
    for (uint64_t g = 0; g < grid->nodes; g++) {
        if (!grid->idle[g]) {
            total += (double)(a->p[g] * b->p[g] / grid->diagonal[g]);
        }
    }
    return total + ooze_grid_solids_dot(s, a->b, b->b);
}

static void add_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Krylov *k = data;
    for (uint64_t i = begin; i < end; i++) {
        k->to->u[i] += k->factor * k->from->u[i];
    }
}

/* b += factor a */
static void add(Krylov *k, double factor, const Vector *a, Vector *b)
{
    k->from = a;
    k->to = b;
    k->factor = (float)factor;
    run(k, add_range);
    for (uint64_t g = 0; g < k->pressure->grid.nodes; g++) {
        b->p[g] += k->factor * a->p[g];
    }
    ooze_grid_solids_add(k->solve->step, (double)k->factor, a->b, b->b);
}

static void scale_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Krylov *k = data;
    for (uint64_t i = begin; i < end; i++) {
        k->to->u[i] *= k->factor;
    }
}

static void scale(Krylov *k, double factor, Vector *b)
{
    k->to = b;
    k->factor = (float)factor;
    run(k, scale_range);
    for (uint64_t g = 0; g < k->pressure->grid.nodes; g++) {
        b->p[g] *= k->factor;
    }
    ooze_grid_solids_scale(k->solve->step, (double)k->factor, b->b);
}

/* ---- operator and preconditioner ---- */

/* to->u = from->u + factor Pi force */
static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Krylov *k = data;
    const OozeConformationStep *s = k->solve->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 force = ooze_lodge_project(s, i, k->pressure->force[i]);
        k->to->u[i] = k->from->u[i] + k->factor * force;
    }
}

static void push(Krylov *k, float factor, const Vector *from, Vector *to)
{
    k->from = from;
    k->to = to;
    k->factor = factor;
    run(k, push_range);
}

static void mass_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Krylov *k = data;
    const OozeConformationStep *s = k->solve->step;
    for (uint64_t i = begin; i < end; i++) {
        k->to->u[i] = k->solve->r[i] / s->rheology[s->material[i]].relative_mass;
    }
}

/* z = P^-1 v; leaves Dc^T z.p in `force`. */
static void precondition(Krylov *k, const Vector *v, Vector *z)
{
    OozeLodge *solve = k->solve;
    OozeGridPressure *pressure = k->pressure;
    OozePressureGrid *grid = &pressure->grid;
    const OozeConformationStep *s = solve->step;
    Vector residual = {solve->r, NULL, NULL};
    ooze_pressure_precondition(grid, v->p, z->p);
    for (uint64_t g = 0; g < grid->nodes; g++) {
        z->p[g] = grid->idle[g] ? 0.0f : -(z->p[g] + pressure->compliance[g] * v->p[g]);
    }
    ooze_pressure_centre(grid, z->p);
    ooze_timer_lap(s->context->timer, "pressure_cycle");
    ooze_pressure_force(grid, z->p, true, pressure->force);
    push(k, -1.0f, v, &residual);
    ooze_grid_solids_push(solve, v->b, z->p);
    ooze_timer_lap(s->context->timer, "pressure_rows");
    if (solve->multigrid) {
        ooze_lodge_multigrid_precondition(solve);
        memcpy(z->u, solve->multigrid->z, s->n * sizeof *z->u);
    } else {
        k->to = z;
        run(k, mass_range);
    }
    ooze_grid_solids_respond(solve, z->b);
}

/* w = A z, with Dc^T z.p in `force`. */
static void multiply(Krylov *k, const Vector *z, Vector *w)
{
    OozeLodge *solve = k->solve;
    Vector product = {solve->ap, NULL, NULL};
    ooze_grid_solids_direct(solve, z->b);
    ooze_lodge_multiply_by(solve, z->u, false);
    push(k, 1.0f, &product, w);
    ooze_pressure_rate(&k->pressure->grid, z->u, true, w->p);
    ooze_grid_solids_multiply(solve, z->b, z->p, w->b, w->p);
    ooze_timer_lap(solve->step->context->timer, "pressure_rows");
}

static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Krylov *k = data;
    const OozeLodge *solve = k->solve;
    const OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].relative_mass;
        OozeF32x4 r = ooze_lodge_project(s, i, mass * solve->u_star[i]) - solve->ap[i];
        r -= ooze_lodge_project(s, i, k->pressure->force[i]);
        r[3] = 0;
        k->residual.u[i] = r;
    }
}

/* Of u and q; returns its square. */
static double find_residual(Krylov *k)
{
    OozeLodge *solve = k->solve;
    OozePressureGrid *grid = &k->pressure->grid;
    Vector *r = &k->residual;
    ooze_lodge_multiply_by(solve, solve->step->u, true);
    ooze_pressure_force(grid, k->pressure->change, true, k->pressure->force);
    run(k, start_range);
    ooze_pressure_rate(grid, solve->step->u, true, r->p);
    ooze_grid_solids_residual(solve, k->pressure->change, r->b, r->p);
    for (uint64_t g = 0; g < grid->nodes; g++) {
        r->p[g] = grid->idle[g] ? 0.0f : -(r->p[g] + grid->flux[g]);
    }
    ooze_pressure_centre(grid, r->p);
    return dot(k, r, r);
}

typedef struct Change {
    OozeLodge *solve;
    float sign;
} Change;

static void add_force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Change *change = data;
    for (uint64_t i = begin; i < end; i++) {
        change->solve->ap[i] += change->solve->step->grid_pressure->force[i];
    }
}

void ooze_grid_pressure_add_force(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    OozeGridPressure *pressure = s->grid_pressure;
    Change change = {.solve = solve};
    if (pressure) {
        ooze_pressure_force(&pressure->grid, pressure->change, true, pressure->force);
        ooze_parallel_for(s->context->threads, s->n, GRAIN, add_force_range, &change);
        for (uint64_t g = 0; g < pressure->grid.nodes; g++) {
            pressure->compliance[g] = pressure->known[g] + pressure->change[g];
        }
        ooze_pressure_to_particles(&pressure->grid, pressure->compliance, pressure->force);
    }
}

static void leave_out_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Change *change = data;
    for (uint64_t i = begin; i < end; i++) {
        change->solve->u_star[i] += change->sign * change->solve->step->grid_pressure->applied[i];
    }
}

void ooze_grid_pressure_leave_out(OozeLodge *solve, float sign)
{
    const OozeConformationStep *s = solve->step;
    Change change = {solve, sign};
    if (s->grid_pressure) {
        ooze_parallel_for(s->context->threads, s->n, GRAIN, leave_out_range, &change);
        ooze_grid_solids_apply(solve->step, (double)sign);
    }
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
static void extend(Krylov *k, int c)
{
    Vector *w = &k->v[c + 1];
    for (int q = 0; q <= c; q++) {
        k->h[c][q] = dot(k, &k->v[q], w);
        add(k, -k->h[c][q], &k->v[q], w);
    }
    k->h[c][c + 1] = sqrt(dot(k, w, w));
    scale(k, k->h[c][c + 1] > 0.0 ? 1.0 / k->h[c][c + 1] : 0.0, w);
    rotate(k, c);
}

/* u, q += the combination of the first `count` z with the least residual, which follows. */
static void combine(Krylov *k, int count)
{
    double y[VECTORS] = {0};
    const OozeConformationStep *s = k->solve->step;
    Vector solution = {s->u, k->pressure->change, k->pressure->solids.work};
    for (int c = count; c-- > 0;) {
        y[c] = k->g[c];
        for (int q = c + 1; q < count; q++) {
            y[c] -= k->h[q][c] * y[q];
        }
        y[c] = k->h[c][c] > 0.0 ? y[c] / k->h[c][c] : 0.0;
    }
    scale(k, y[0], &k->z[0]);
    for (int c = 1; c < count; c++) {
        add(k, y[c], &k->z[c], &k->z[0]);
    }
    ooze_grid_solids_save(s, solution.b);
    add(k, 1.0, &k->z[0], &solution);
    ooze_grid_solids_set(s, solution.b);
    ooze_pressure_force(&k->pressure->grid, k->z[0].p, true, k->pressure->force);
    multiply(k, &k->z[0], &k->v[0]);
    add(k, -1.0, &k->v[0], &k->residual);
}

static void copy(const Krylov *k, const Vector *from, Vector *to)
{
    memcpy(to->u, from->u, k->solve->step->n * sizeof *to->u);
    memcpy(to->p, from->p, k->pressure->grid.nodes * sizeof *to->p);
    ooze_grid_solids_copy(k->solve->step, from->b, to->b);
}

/* One cycle of FGMRES. Returns whether the residual has met its target. */
static bool cycle(Krylov *k, int most)
{
    OozeSolveResidual *residual = &k->solve->cg.residual;
    double square = dot(k, &k->residual, &k->residual);
    if (!ooze_solve_residual_check(residual, square)) {
        return true;
    }
    k->g[0] = sqrt(square);
    copy(k, &k->residual, &k->v[0]);
    scale(k, 1.0 / k->g[0], &k->v[0]);
    int c = 0;
    bool done = false;
    for (; c < VECTORS && c < most && !done; c++) {
        precondition(k, &k->v[c], &k->z[c]);
        multiply(k, &k->z[c], &k->v[c + 1]);
        extend(k, c);
        done = !ooze_solve_residual_iterated(residual, k->g[c + 1] * k->g[c + 1]);
        ooze_timer_lap(k->solve->step->context->timer, "velocity_vectors");
    }
    combine(k, c);
    return done;
}

static OozeStatus allocate(OozeLodge *solve, OozeError *error)
{
    const OozeConformationStep *s = solve->step;
    OozeArena *arena = s->context->arena;
    uint64_t m = s->grid_pressure->grid.nodes;
    Krylov *k = ooze_arena_alloc(arena, 1, sizeof *k);
    if (!k) {
        return ooze_fail_memory(error, "the velocity solve", sizeof *k);
    }
    *k = (Krylov){.solve = solve, .pressure = s->grid_pressure};
    k->residual.u = ooze_arena_alloc(arena, s->n, sizeof *k->residual.u);
    k->residual.p = ooze_arena_alloc(arena, m, sizeof(float));
    k->residual.b = ooze_grid_solids_vector(s);
    for (int c = 0; c <= VECTORS; c++) {
        k->v[c].u = ooze_arena_alloc(arena, s->n, sizeof *k->v[c].u);
        k->v[c].p = ooze_arena_alloc(arena, m, sizeof(float));
        k->v[c].b = ooze_grid_solids_vector(s);
    }
    for (int c = 0; c < VECTORS; c++) {
        k->z[c].u = ooze_gathered_alloc(arena, s->local, sizeof *k->z[c].u);
        k->z[c].p = ooze_arena_alloc(arena, m, sizeof(float));
        k->z[c].b = ooze_grid_solids_vector(s);
    }
    s->grid_pressure->krylov = k;
    return ooze_arena_failed(arena)
               ? ooze_fail_memory(error, "the velocity solve", s->n * 32 * VECTORS)
               : OOZE_OK;
}

/* Starts from the velocities and the pressure of the last step where their residual is less than
   that of u* without pressure. */
static void choose_start(Krylov *k)
{
    const OozeConformationStep *s = k->solve->step;
    size_t bytes = s->n * sizeof *s->u, nodes = k->pressure->grid.nodes * sizeof(float);
    double free = find_residual(k);
    memcpy(k->z[0].u, s->u, bytes);
    ooze_grid_solids_save(s, k->z[0].b);
    memcpy(k->pressure->change, k->pressure->guess, nodes);
    ooze_grid_pressure_last(k->solve, s->u);
    ooze_grid_solids_set_last(s);
    if (find_residual(k) > free) {
        memcpy(s->u, k->z[0].u, bytes);
        ooze_grid_solids_set(s, k->z[0].b);
        memset(k->pressure->change, 0, nodes);
        find_residual(k);
    }
}

/* Viscous part of S^-1: a mode of compression resists with (2 + bulk) times the viscosity. */
static void find_compliance(const OozeLodge *solve, OozeGridPressure *pressure)
{
    const OozeConformationStep *s = solve->step;
    OozePressureGrid *grid = &pressure->grid;
    for (uint64_t i = 0; i < s->n; i++) {
        float a = ooze_sym3_trace(solve->stiffness[i]) / 3.0f;
        pressure->force[i] = ooze_f32x4(0, 0, 0, s->dt * (2.0f * a + solve->bulk[i]));
    }
    ooze_pressure_from_particles(grid, pressure->force, pressure->compliance);
    for (uint64_t g = 0; g < grid->nodes; g++) {
        pressure->compliance[g] /= grid->idle[g] ? 1.0f : fmaxf(grid->weight[g], 1e-3f);
    }
}

OozeStatus ooze_grid_pressure_solve(OozeLodge *solve, int pass, OozeError *error)
{
    OozeConformationStep *s = solve->step;
    OozeSolveResidual *residual = &solve->cg.residual;
    OozeStatus status = pass == 0 ? allocate(solve, error) : OOZE_OK;
    if (status) {
        return status;
    }
    Krylov *k = s->grid_pressure->krylov;
    solve->multigrid = NULL;
    if (pass == 0) {
        choose_start(k);
    } else {
        find_residual(k);
    }
    ooze_lodge_scale_second_stage(solve, pass, 0.5f);
    if (solve->multigrid_use != OOZE_MULTIGRID_NEVER) {
        status = ooze_lodge_multigrid_begin(solve, error);
    }
    find_compliance(solve, k->pressure);
    bool accurate = s->settings.second_order || pass + 1 == solve->passes;
    double tolerance = (accurate ? 1.0 : OOZE_LODGE_EARLY_TOLERANCE) * s->settings.tolerance;
    double kick = FLOOR * vec3_length(s->context->gravity) * s->context->dt;
    residual->target = (residual->initial + (double)s->n * kick * kick) * tolerance * tolerance;
    residual->has_tolerance = true;
    int last = residual->iterations + MOST;
    bool done = status != OOZE_OK;
    while (!done && residual->iterations < last) {
        done = cycle(k, last - residual->iterations);
    }
    return status;
}
