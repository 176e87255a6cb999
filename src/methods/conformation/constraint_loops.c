/* Sweeps over the velocity constraint C = known + dt (L + L^T): each row is divided by its diagonal,
   and the multipliers push velocities along the same edges. */
#include <math.h>

#include "methods/conformation/constraint_solve.h"

/* ---- what both gathers need ---------------------------------------------------------------- */

static OozeSym3 limited(const OozeConstraint *c, OozeSym3 rows)
{
    return c->step->settings.deviatoric_only ? ooze_constraint_deviator(rows) : rows;
}

/* What a change of multipliers is as a stress, times dt. */
static OozeSym3 stress_of(const OozeConstraint *c, OozeSym3 change)
{
    return ooze_sym3_scale(ooze_constraint_transpose(limited(c, change)), -c->step->dt);
}

/* What particle i hands on for a change of its multipliers. */
static void set_flux(OozeConstraint *c, uint64_t i, OozeSym3 change)
{
    OozeSym3 s = stress_of(c, change);
    OozeMat3 t = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(s), c->correction[i]);
    OozeFour sum = c->step->edge_sum[i], base = {0};
    for (int k = 0; k < 3; k++) {
        OozeFour row = ooze_four(t.m[3 * k], t.m[3 * k + 1], t.m[3 * k + 2], 0);
        c->flux[i].row[k] = row;
        base[k] = ooze_four_dot3(row, sum);
    }
    c->base[i] = base;
}

/* What the solids do to particle i when it would fly with v. A solid only pushes: along its normals
   the particle moves at least as fast as the surface; along tangents it moves with the surface if
   friction, limited by the push, can make it. `sticks` tells which directions came to the speed of
   the surface. */
static OozeFour hold_back(const OozeConstraint *c, uint64_t i, OozeFour v, uint8_t *sticks)
{
    const OozeConformationStep *s = c->step;
    *sticks = 0;
    if (!c->held || s->hold_of[i] < 0) {
        return v;
    }
    const OozeHold *hold = &s->holds[s->hold_of[i]];
    OozeFour drag = {0};
    float push = 0;
    uint8_t tangents = 0;
    for (int k = 0; k < hold->count; k++) {
        float lack = hold->speed[k] - ooze_four_dot3(v, hold->direction[k]);
        if (k >= hold->normals) {
            drag += lack * hold->direction[k];
            tangents |= (uint8_t)(1 << k);
        } else if (lack > 0) {
            push += lack;
            v += lack * hold->direction[k];
            *sticks |= (uint8_t)(1 << k);
        }
    }
    float size = sqrtf(ooze_four_dot3(drag, drag)), most = hold->friction * push;
    if (push > 0 && size > most) {
        drag *= most / size;
    } else if (push > 0) {
        *sticks |= tangents;
    }
    return push > 0 ? v + drag : v;
}

static OozeMat3 gradient(const OozeConstraint *c, const OozeFour *u, uint64_t i, bool moving_walls)
{
    OozeFour unused;
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
    double sum = 0.0;
    for (uint64_t k = 0; k * OOZE_CONFORMATION_GRAIN < c->step->n; k++) {
        sum += parts[k];
    }
    return sum;
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
        c->free[i] = c->star[i] + ooze_constraint_pushed(c, i);
    }
}

static void hold_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    for (uint64_t i = begin; i < end; i++) {
        uint8_t unused;
        c->step->u[i] = hold_back(c, i, c->free[i], &unused);
    }
}

static void start(OozeConstraint *c)
{
    run(c, lambda_flux_range);
    run(c, start_range);
    run(c, hold_range);
    ooze_stage_lap(c->step->context->clock, OOZE_PART_PREPARE);
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
            if (c->weight != 1.0f) { /* lambda + change <- before + w (lambda + change - before) */
                OozeSym3 past = ooze_sym3_add(c->lambda[i], ooze_sym3_scale(c->before[i], -1.0f));
                change = ooze_sym3_add(ooze_sym3_scale(change, c->weight),
                                       ooze_sym3_scale(past, c->weight - 1.0f));
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
        c->free[i] += ooze_constraint_pushed(c, i);
        uint8_t unused;
        c->step->u[i] = hold_back(c, i, c->free[i], &unused);
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

static void look_range(void *data, uint64_t begin, uint64_t end, int worker)
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
    bool goes_on = true;
    for (int k = 0; k < iterations && goes_on; k++) {
        weight = ooze_chebyshev_weight(k, square, weight);
        c->weight = (float)weight;
        double rr = run_sum(c, multiplier_range); /* before this sweep */
        run(c, velocity_range);
        ooze_stage_lap(c->step->context->clock, OOZE_PART_VELOCITY_ITERATION);
        if (k == 0) {
            ooze_velocity_solve_begin(&c->solve, rr, tolerance);
        }
        goes_on = ooze_velocity_solve_go_on(&c->solve, rr);
    }
    if (goes_on && iterations > 0) { /* the last sweep has not been looked at */
        c->solve.last = run_sum(c, look_range);
        ooze_stage_more(c->step->context->clock, OOZE_PART_VELOCITY_ITERATION);
    }
}

/* ---- conjugate gradients on J M^-1 J^T + a, preconditioned by the diagonal ------------------- */

/* What the solids hold now, from the free velocities; both stay so while directions are searched. */
static void set_active(OozeConstraint *c)
{
    const OozeConformationStep *s = c->step;
    for (uint64_t i = 0; c->held && i < s->n; i++) {
        if (s->hold_of[i] >= 0) {
            hold_back(c, i, c->free[i], &c->active[s->hold_of[i]]);
        }
    }
}

static OozeSym3 preconditioned(const OozeConstraint *c, uint64_t i, OozeSym3 r)
{
    const OozeConstraintMaterial *m = &c->materials[c->step->material[i]];
    /* a step of the multipliers from residual r, which has the compliance in it already */
    return ooze_multiplier_steps(ooze_sym3_scale(r, -1), ooze_sym3_identity(0), c->diagonal[i],
                                 m->normal, m->shear);
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
        OozeFour v = ooze_constraint_pushed(c, i);
        if (c->held && s->hold_of[i] >= 0) {
            const OozeHold *hold = &s->holds[s->hold_of[i]];
            for (int k = 0; k < hold->count; k++) {
                bool active = c->active[s->hold_of[i]] >> k & 1;
                v -= (active ? ooze_four_dot3(v, hold->direction[k]) : 0) * hold->direction[k];
            }
        }
        c->change[i] = v;
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
        c->lambda[i] =
            ooze_sym3_add(c->lambda[i], ooze_sym3_scale(c->direction[i], c->step_length));
        c->step->u[i] += c->step_length * c->change[i];
        OozeSym3 r = ooze_sym3_add(c->before[i], ooze_sym3_scale(c->product[i], -c->step_length));
        c->before[i] = r;
        sum += dot(r, preconditioned(c, i, r));
        square += dot(r, r);
    }
    c->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
    c->squares[begin / OOZE_CONFORMATION_GRAIN] = square;
}

static void turn_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    for (uint64_t i = begin; i < end; i++) {
        c->direction[i] = ooze_sym3_add(preconditioned(c, i, c->before[i]),
                                        ooze_sym3_scale(c->direction[i], c->turn));
        set_flux(c, i, c->direction[i]);
    }
}

static void search(OozeConstraint *c, int iterations, double tolerance)
{
    set_active(c);
    double rz = run_sum(c, residual_range), first = rz;
    bool goes_on = ooze_velocity_solve_begin(&c->solve, sum_of(c, c->squares), tolerance);
    ooze_stage_more(c->step->context->clock, OOZE_PART_VELOCITY_VECTORS);
    for (int k = 0; k < iterations && goes_on && rz > 0.0; k++) {
        run(c, change_range);
        double pap = run_sum(c, product_range);
        ooze_stage_lap(c->step->context->clock, OOZE_PART_VELOCITY_OPERATOR);
        /* rounding has eaten the direction, or held particles contradict each other */
        if (!(pap > 0.0) || !(rz < OOZE_CONSTRAINT_GROWTH * first)) {
            break;
        }
        c->step_length = (float)(rz / pap);
        double next = run_sum(c, advance_range);
        c->turn = (float)(next / rz);
        rz = next;
        goes_on = ooze_velocity_solve_go_on(&c->solve, sum_of(c, c->squares));
        run(c, turn_range);
        ooze_stage_lap(c->step->context->clock, OOZE_PART_VELOCITY_VECTORS);
    }
    start(c);
}

/* A linear solver cannot find out by itself which particles a solid pushes and which would only pull
   at it, so where there is contact some sweeps of Chebyshev tell first, and half-way it is asked
   again. */
static void conjugate_gradients(OozeConstraint *c, int iterations, double radius, double tolerance)
{
    if (c->held && c->step->hold_count > 0) {
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
