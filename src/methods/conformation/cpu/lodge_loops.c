/* The innermost loops of `lodge`. A product of the operator gathers twice along the same edges:
   first the velocity gradient of each particle, from which its stress follows, then the
   divergence of that stress. Both gathers are products of four lanes: an edge is f (x_ji, 1), so
   the fourth lane takes the hourglass term. Between the gathers four particles are computed
   together. */
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/cpu/lodge.h"
#include "solvers/pairs/stress_flux.h"

/* ---- first gather --------------------------------------------------------------------------- */

/* ooze_lodge_stress of the symmetric part of l. */
static inline OozeMat3F32x4 stress_of(const OozeMat3F32x4 *l, const OozeMat3F32x4 *stiffness,
                                      OozeF32x4 bulk)
{
    OozeMat3F32x4 twice = ooze_mat3_f32x4_twice_symmetric(l); /* 2 D */
    OozeMat3F32x4 product = ooze_mat3_f32x4_product(&twice, stiffness);
    OozeMat3F32x4 s = ooze_mat3_f32x4_twice_symmetric(&product);
    OozeF32x4 pressure = bulk * (l->m[0][0] + l->m[1][1] + l->m[2][2]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s.m[i][j] *= 0.5f;
        }
        s.m[i][i] += pressure;
    }
    return s;
}

/* Fluxes of particles i to i + 3, from the rows of their first gather. */
static inline void set_fluxes(OozeLodge *solve, uint64_t i, const OozeRows rows[4])
{
    OozeConformationStep *s = solve->step;
    OozeF32x4 weighted[3];
    OozeMat3F32x4 raw = ooze_mat3_f32x4_from_rows(rows, weighted);
    OozeMat3F32x4 correction = ooze_mat3_f32x4_from_sym3(&s->correction[i]);
    OozeMat3F32x4 stiffness = ooze_mat3_f32x4_from_sym3(&solve->stiffness[i]);
    OozeMat3F32x4 l = ooze_mat3_f32x4_product(&raw, &correction);
    OozeMat3F32x4 stress = stress_of(&l, &stiffness, ooze_f32x4_load(solve->bulk + i));
    if (solve->own->with_explicit_terms) {
        OozeMat3F32x4 s0 = ooze_mat3_f32x4_from_sym3(&solve->explicit_stress[i]);
        for (int k = 0; k < 9; k++) {
            stress.m[k / 3][k % 3] += s0.m[k / 3][k % 3];
        }
    }
    OozeStressFlux flux = {.stress = &stress,
                           .l = &l,
                           .correction = &correction,
                           .weighted = weighted,
                           .n = ooze_f32x4_load(solve->hourglass + i),
                           .edge_n = ooze_f32x4_load(solve->edge_hourglass + i)};
    ooze_stress_flux(&flux, solve->own->input + i, s->edge_sum + i, solve->own->flux + i,
                     solve->own->output + i);
}

static void stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i += 4) {
        OozeRows rows[4];
        for (uint64_t k = 0; k < 4; k++) {
            rows[k] = i + k < end ? ooze_raw_rows(solve->step, solve->own->input, i + k,
                                                  solve->own->with_explicit_terms)
                                  : ooze_rows_zero();
        }
        set_fluxes(solve, i, rows);
    }
}

/* ---- second gather -------------------------------------------------------------------------- */

static void product_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].relative_mass;
        OozeF32x4 force =
            solve->own->output[i] + ooze_edges_flux(s->own->edges, solve->own->flux, i);
        if (s->own->bodies) {
            force += ooze_bond_force(s->own->bodies, i, solve->own->input, s->dt,
                                     solve->own->with_explicit_terms);
        }
        OozeF32x4 out = mass * solve->own->input[i] - s->dt * force;
        if (solve->own->pairs) {
            out += ooze_impact_pull(solve->own->pairs, i, solve->own->input,
                                    solve->own->with_explicit_terms);
        }
        out = solve->own->unprojected ? out : ooze_lodge_project(s, i, out);
        solve->own->output[i] = out;
        sum += (double)ooze_f32x4_dot3(out, solve->own->input[i]);
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

/* ---- conjugate gradients -------------------------------------------------------------------- */

/* r = b - A u with b = rho u*; ap holds A u. p = z. */
static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        const OozeRheology *m = &s->rheology[s->material[i]];
        OozeF32x4 r = ooze_lodge_project(s, i, m->relative_mass * solve->u_star[i]) - solve->ap[i];
        r[3] = 0;
        solve->r[i] = r;
        solve->p[i] = r / m->preconditioner_mass;
        sum += (double)ooze_f32x4_dot3(r, solve->p[i]);
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void advance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeF32x4 *u = solve->step->u;
    const OozeConformationStep *s = solve->step;
    float alpha = (float)solve->own->alpha;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        u[i] += alpha * solve->p[i];
        OozeF32x4 r = solve->r[i] - alpha * solve->ap[i];
        solve->r[i] = r;
        sum += (double)(ooze_f32x4_dot3(r, r) / s->rheology[s->material[i]].preconditioner_mass);
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void update_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    float beta = (float)solve->own->beta;
    const OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].preconditioner_mass;
        solve->p[i] = solve->r[i] / mass + beta * solve->p[i];
    }
}

static void edge_hourglass_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i++) {
        solve->edge_hourglass[i] = ooze_edges_sum(solve->step->own->edges, solve->hourglass, i);
    }
}

const OozeLodgeLoops OOZE_LOOPS(ooze_lodge_loops) = {
    .stress = stress_range,
    .product = product_range,
    .start = start_range,
    .advance = advance_range,
    .update = update_range,
    .edge_hourglass = edge_hourglass_range,
};
