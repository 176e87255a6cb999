/* Sweeps over the velocity constraint C = known + dt (L + L^T): each row is divided by its
   diagonal, and the multipliers push velocities along the same edges. */
#include <math.h>

#include "methods/conformation/constraint/cpu/constraint_solve.h"
#include "solvers/linear/conjugate_gradients.h"

/* ---- per particle --------------------------------------------------------------------------- */

static OozeSym3 limited(const OozeConstraint *c, OozeSym3 rows)
{
    return ooze_constraint_limited(rows, c->step->plan->settings.deviatoric_only);
}

/* Flux of particle i for a change of its multipliers. */
static void set_flux(OozeConstraint *c, uint64_t i, OozeSym3 change)
{
    OozeMat3 t = ooze_constraint_flux(limited(c, change), c->correction[i], c->step->dt);
    OozeF32x4 sum = c->step->edge_sum[i], base = {0};
    for (int k = 0; k < 3; k++) {
        OozeF32x4 row = ooze_f32x4(t.m[3 * k], t.m[3 * k + 1], t.m[3 * k + 2], 0);
        c->flux[i].row[k] = row;
        base[k] = ooze_f32x4_dot3(row, sum);
    }
    c->base[i] = base;
}

/* The contacts of particle i that act in this stage; NULL: none. */
static const OozeContactSet *contacts_of(const OozeConstraint *c, uint64_t i)
{
    const OozeConformationStep *s = c->step;
    return c->with_contacts && s->contact_of[i] >= 0 ? &s->contact_sets[s->contact_of[i]] : NULL;
}

/* The velocity of particle i with contacts, from that without. */
static OozeF32x4 contact_velocity(const OozeConstraint *c, uint64_t i)
{
    const OozeContactSet *set = contacts_of(c, i);
    uint8_t unused;
    return set ? ooze_contact_velocity(set, c->free[i], &unused) : c->free[i];
}

static OozeMat3 gradient(const OozeConstraint *c, const OozeF32x4 *u, uint64_t i, bool moving_walls)
{
    OozeF32x4 unused;
    return ooze_mat3_mul_sym3(ooze_raw_gradient(c->step, u, i, &unused, moving_walls),
                              c->correction[i]);
}

static OozeSym3 residual(const OozeConstraint *c, uint64_t i, OozeSym3 rows)
{
    const OozeConstraintMaterial *m = &c->materials[c->step->material[i]];
    return ooze_constraint_residual(rows, c->lambda[i], m->normal, m->shear);
}

static double dot(OozeSym3 a, OozeSym3 b)
{
    return (double)ooze_constraint_dot(a, b);
}

static void run(OozeConstraint *c, OozeRangeBody body)
{
    ooze_parallel_for(c->step->context->threads, c->step->n, OOZE_CONFORMATION_GRAIN, body, c);
}

static double sum_of(const OozeConstraint *c, const double *parts)
{
    const OozeConformationStep *s = c->step;
    return ooze_halo_sum(s->context->halo, parts, s->n, OOZE_CONFORMATION_GRAIN);
}

/* Velocities, and fluxes, of ghosts: before loops over neighbours read them. */
static void refresh_velocities(const OozeConstraint *c, OozeF32x4 *u)
{
    ooze_halo_refresh(c->step->context->halo, u, sizeof *u);
}

static void refresh_flux(const OozeConstraint *c)
{
    ooze_halo_refresh(c->step->context->halo, c->flux, sizeof *c->flux);
}

static double run_sum(OozeConstraint *c, OozeRangeBody body)
{
    run(c, body);
    return sum_of(c, c->partial);
}

/* ---- beginning ------------------------------------------------------------------------------ */

static void lambda_flux_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    for (uint64_t i = begin; i < end; i++) {
        set_flux(c, i, c->lambda[i]);
    }
}

static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    for (uint64_t i = begin; i < end; i++) {
        c->free[i] = c->u_star[i] + ooze_constraint_velocity_change(c, i);
    }
}

static void contact_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    for (uint64_t i = begin; i < end; i++) {
        c->step->u[i] = contact_velocity(c, i);
    }
}

static void start(OozeConstraint *c)
{
    run(c, lambda_flux_range);
    refresh_flux(c);
    run(c, start_range);
    run(c, contact_range);
    ooze_timer_lap(c->step->context->timer, "prepare");
}

/* ---- Jacobi and Chebyshev ------------------------------------------------------------------- */

static void multiplier_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    const OozeConformationStep *s = c->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        const OozeConstraintMaterial *m = &c->materials[s->material[i]];
        OozeSym3 change = ooze_sym3_identity(0);
        if (c->correction[i].xx != 0.0f) {
            OozeMat3 l = ooze_mat3_scale(gradient(c, s->u, i, true), s->dt);
            OozeSym3 rows = limited(c, ooze_sym3_add(c->known[i], ooze_constraint_strain(l)));
            OozeSym3 r = residual(c, i, rows);
            sum += dot(r, r);
            change = ooze_multiplier_steps(rows, c->lambda[i], c->diagonal[i], m->normal, m->shear);
            if (c->weight != 1.0f) {
                change = ooze_chebyshev_change(change, c->lambda[i], c->before[i], c->weight);
            }
            c->before[i] = c->lambda[i];
            c->lambda[i] = ooze_sym3_add(c->lambda[i], change);
        }
        set_flux(c, i, change);
    }
    c->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void velocity_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    for (uint64_t i = begin; i < end; i++) {
        c->free[i] += ooze_constraint_velocity_change(c, i);
        c->step->u[i] = contact_velocity(c, i);
    }
}

static OozeSym3 residual_at(const OozeConstraint *c, uint64_t i)
{
    if (c->correction[i].xx == 0.0f) {
        return ooze_sym3_identity(0);
    }
    OozeMat3 l = ooze_mat3_scale(gradient(c, c->step->u, i, true), c->step->dt);
    return residual(c, i, limited(c, ooze_sym3_add(c->known[i], ooze_constraint_strain(l))));
}

static void square_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeSym3 r = residual_at(c, i);
        sum += dot(r, r);
    }
    c->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void jacobi(OozeConstraint *c, int iterations, double radius, double tolerance)
{
    double square = radius * radius, weight = 1.0;
    bool continues = true;
    for (int k = 0; k < iterations && continues; k++) {
        weight = ooze_chebyshev_weight(k, square, weight);
        c->weight = (float)weight;
        refresh_velocities(c, c->step->u);
        double rr = run_sum(c, multiplier_range); /* before this sweep */
        refresh_flux(c);
        run(c, velocity_range);
        ooze_timer_lap(c->step->context->timer, "velocity_iteration");
        if (k == 0) {
            ooze_solve_residual_begin(&c->solve, rr, tolerance);
        }
        continues = ooze_solve_residual_iterated(&c->solve, rr);
    }
    if (continues && iterations > 0) { /* residual after the last sweep */
        refresh_velocities(c, c->step->u);
        c->solve.current = run_sum(c, square_range);
        ooze_timer_add(c->step->context->timer, "velocity_iteration");
    }
}

/* ---- conjugate gradients on J M^-1 J^T + a, preconditioned by the diagonal ------------------- */

/* Finds the active directions of all contacts from the free velocities; they stay active while
   directions are searched. */
static void set_active(OozeConstraint *c)
{
    const OozeConformationStep *s = c->step;
    for (uint64_t i = 0; c->with_contacts && i < s->n; i++) {
        const OozeContactSet *set = contacts_of(c, i);
        if (set) {
            ooze_contact_velocity(set, c->free[i], &c->active[s->contact_of[i]]);
        }
    }
}

static OozeSym3 preconditioned(const OozeConstraint *c, uint64_t i, OozeSym3 r)
{
    const OozeConstraintMaterial *m = &c->materials[c->step->material[i]];
    return ooze_constraint_preconditioned(r, c->diagonal[i], m->normal, m->shear);
}

/* before = residual, direction = preconditioned residual. */
static void residual_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    double sum = 0.0, square = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeSym3 r = residual_at(c, i);
        c->before[i] = r;
        c->direction[i] = preconditioned(c, i, r);
        sum += dot(r, c->direction[i]);
        square += dot(r, r);
        set_flux(c, i, c->direction[i]);
    }
    c->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
    c->squares[begin / OOZE_CONFORMATION_GRAIN] = square;
}

static void change_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    const OozeConformationStep *s = c->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 v = ooze_constraint_velocity_change(c, i);
        const OozeContactSet *set = contacts_of(c, i);
        c->change[i] = set ? ooze_contact_project(set, v, c->active[s->contact_of[i]]) : v;
    }
}

static void product_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    const OozeConformationStep *s = c->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        const OozeConstraintMaterial *m = &c->materials[s->material[i]];
        OozeSym3 p = c->direction[i], out = ooze_sym3_identity(0);
        if (c->correction[i].xx != 0.0f) {
            OozeMat3 l = ooze_mat3_scale(gradient(c, c->change, i, false), s->dt);
            OozeSym3 a = limited(c, ooze_constraint_strain(l));
            out = ooze_sym3_scale(ooze_constraint_residual(a, p, m->normal, m->shear), -1);
        }
        c->product[i] = out;
        sum += dot(p, out);
    }
    c->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void advance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    double sum = 0.0, square = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        c->lambda[i] = ooze_sym3_add(c->lambda[i], ooze_sym3_scale(c->direction[i], c->alpha));
        c->step->u[i] += c->alpha * c->change[i];
        OozeSym3 r = ooze_sym3_add(c->before[i], ooze_sym3_scale(c->product[i], -c->alpha));
        c->before[i] = r;
        sum += dot(r, preconditioned(c, i, r));
        square += dot(r, r);
    }
    c->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
    c->squares[begin / OOZE_CONFORMATION_GRAIN] = square;
}

static void update_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    for (uint64_t i = begin; i < end; i++) {
        c->direction[i] = ooze_sym3_add(preconditioned(c, i, c->before[i]),
                                        ooze_sym3_scale(c->direction[i], c->beta));
        set_flux(c, i, c->direction[i]);
    }
}

static double multiply(void *user)
{
    OozeConstraint *c = user;
    refresh_flux(c);
    run(c, change_range);
    refresh_velocities(c, c->change);
    double pap = run_sum(c, product_range);
    ooze_timer_lap(c->step->context->timer, "velocity_operator");
    return pap;
}

static double advance(void *user, double alpha, double *square)
{
    OozeConstraint *c = user;
    c->alpha = (float)alpha;
    double rz = run_sum(c, advance_range);
    *square = sum_of(c, c->squares);
    return rz;
}

static void update(void *user, double beta)
{
    OozeConstraint *c = user;
    c->beta = (float)beta;
    run(c, update_range);
    ooze_timer_lap(c->step->context->timer, "velocity_vectors");
}

static void search(OozeConstraint *c, int iterations, double tolerance)
{
    static const OozeCgOperations operations = {multiply, advance, update};
    /* directions end where rounding dominates them, or contacts contradict each other */
    OozeConjugateGradients cg = {.residual = c->solve, .max_growth = OOZE_CONSTRAINT_GROWTH};
    set_active(c);
    refresh_velocities(c, c->step->u);
    double rz = run_sum(c, residual_range);
    ooze_cg_begin(&cg, rz, sum_of(c, c->squares), tolerance);
    ooze_timer_add(c->step->context->timer, "velocity_vectors");
    ooze_conjugate_gradients(&cg, &operations, c, iterations);
    c->solve = cg.residual;
    start(c);
}

/* A linear solver cannot decide which contacts push and which would pull, so where there is contact
   some sweeps of Chebyshev find the active ones first, and again after a third of the
   iterations. */
static void conjugate_gradients(OozeConstraint *c, int iterations, double radius, double tolerance)
{
    if (c->with_contacts && c->step->any_contacts) {
        int third = iterations / 3;
        jacobi(c, third, radius, tolerance);
        search(c, third, tolerance);
        iterations -= 2 * third;
    }
    search(c, iterations, tolerance);
}

const OozeConstraintLoops OOZE_LOOPS(ooze_constraint_loops) = {
    .start = start,
    .jacobi = jacobi,
    .conjugate_gradients = conjugate_gradients,
};
