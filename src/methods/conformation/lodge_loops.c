/* The innermost loops of `lodge`. Every product of its operator gathers twice along the same edges: first the
   velocity gradient of each particle, from which its stress follows, then the divergence of that stress. Both
   gathers are products of four lanes: an edge is f (x_ji, 1), and since the gradient's weight is f x_ji the
   hourglass term rides in the fourth lane. Between the gathers four particles are handled together. */
#include "methods/conformation/hand_on.h"
#include "methods/conformation/lodge.h"

/* ---- first gather ------------------------------------------------------------------------------ */

/* ooze_lodge_stress of the symmetric part of l. */
static inline OozeMat3Four stress_of(const OozeMat3Four *l, const OozeMat3Four *stiffness,
                                     OozeFour bulk)
{
    OozeMat3Four twice = ooze_mat3_four_twice_symmetric(l); /* 2 D */
    OozeMat3Four product = ooze_mat3_four_product(&twice, stiffness);
    OozeMat3Four s = ooze_mat3_four_twice_symmetric(&product);
    OozeFour pressure = bulk * (l->m[0][0] + l->m[1][1] + l->m[2][2]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s.m[i][j] *= 0.5f;
        }
        s.m[i][i] += pressure;
    }
    return s;
}

/* What particles i to i + 3 hand on, from the rows that their first gather has come to. */
static inline void hand_on(OozeLodge *solve, uint64_t i, const OozeRows rows[4])
{
    OozeConformationStep *s = solve->step;
    OozeFour weighted[3];
    OozeMat3Four raw = ooze_mat3_four_from_rows(rows, weighted);
    OozeMat3Four correction = ooze_mat3_four_from_sym3(&s->correction[i]);
    OozeMat3Four stiffness = ooze_mat3_four_from_sym3(&solve->stiffness[i]);
    OozeMat3Four l = ooze_mat3_four_product(&raw, &correction);
    OozeMat3Four stress = stress_of(&l, &stiffness, ooze_four_load(solve->bulk + i));
    if (solve->with_known) {
        OozeMat3Four known = ooze_mat3_four_from_sym3(&solve->known[i]);
        for (int k = 0; k < 9; k++) {
            stress.m[k / 3][k % 3] += known.m[k / 3][k % 3];
        }
    }
    OozeHandOn hand = {.stress = &stress,
                       .l = &l,
                       .correction = &correction,
                       .weighted = weighted,
                       .n = ooze_four_load(solve->hourglass + i),
                       .edge_n = ooze_four_load(solve->edge_hourglass + i)};
    ooze_hand_on(&hand, solve->input + i, s->edge_sum + i, solve->flux + i, solve->output + i);
}

static void stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i += 4) {
        OozeRows rows[4];
        for (uint64_t k = 0; k < 4; k++) {
            rows[k] = i + k < end
                          ? ooze_raw_rows(solve->step, solve->input, i + k, solve->with_known)
                          : ooze_rows_zero();
        }
        hand_on(solve, i, rows);
    }
}

/* ---- second gather ----------------------------------------------------------------------------- */

static void product_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float weight = s->rheology[s->material[i]].weight;
        OozeFour force = solve->output[i] + ooze_edges_flux(&s->edges, solve->flux, i);
        if (s->bodies) {
            force += ooze_bond_force(s->bodies, i, solve->input, s->dt, solve->with_known);
        }
        OozeFour out = weight * solve->input[i] - s->dt * force;
        out = solve->with_held ? out : ooze_lodge_project(s, i, out);
        solve->output[i] = out;
        sum += (double)ooze_four_dot3(out, solve->input[i]);
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

/* ---- conjugate gradients ----------------------------------------------------------------------- */

/* r = b - A u, with b = weight u*: ap holds A u. */
static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        const OozeRheology *m = &s->rheology[s->material[i]];
        OozeFour r = ooze_lodge_project(s, i, m->weight * solve->star[i]) - solve->ap[i];
        r[3] = 0;
        solve->r[i] = r;
        solve->p[i] = r / m->divisor;
        sum += (double)ooze_four_dot3(r, solve->p[i]);
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void advance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeFour *u = solve->step->u;
    const OozeConformationStep *s = solve->step;
    float alpha = (float)solve->alpha;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        u[i] += alpha * solve->p[i];
        OozeFour r = solve->r[i] - alpha * solve->ap[i];
        solve->r[i] = r;
        sum += (double)(ooze_four_dot3(r, r) / s->rheology[s->material[i]].divisor);
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void turn_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    float beta = (float)solve->beta;
    const OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        float divisor = s->rheology[s->material[i]].divisor;
        solve->p[i] = solve->r[i] / divisor + beta * solve->p[i];
    }
}

static void edge_hourglass_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i++) {
        solve->edge_hourglass[i] = ooze_edges_sum(&solve->step->edges, solve->hourglass, i);
    }
}

const OozeLodgeLoops OOZE_LOOPS(ooze_lodge_loops) = {
    .stress = stress_range,
    .product = product_range,
    .start = start_range,
    .advance = advance_range,
    .turn = turn_range,
    .edge_hourglass = edge_hourglass_range,
};
