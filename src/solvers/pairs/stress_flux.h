/* Stress fluxes of four particles at a time: see stress_flux_formula.h. */
#ifndef OOZE_SOLVERS_PAIRS_STRESS_FLUX_H
#define OOZE_SOLVERS_PAIRS_STRESS_FLUX_H

#include "solvers/pairs/stress_flux_formula.h"
#include "solvers/vectors/tensor_f32x4.h"

typedef struct OozeStressFlux {
    const OozeMat3F32x4 *stress, *l, *correction;
    const OozeF32x4 *weighted; /* sum f (u_j - u_i), by axis */
    OozeF32x4 n;               /* hourglass coefficients */
    OozeF32x4 edge_n;          /* sum f n_j over the edges */
} OozeStressFlux;

/* For the four particles from `u`, `edge_sum`, `flux` and `base` on. The rows of a flux are
   those of F with n u in the fourth lane, which an edge (x_ji, 1) multiplies by 1. */
static inline void ooze_stress_flux(const OozeStressFlux *s, const OozeF32x4 *u,
                                    const OozeF32x4 *edge_sum, OozeRows *flux, OozeF32x4 *base)
{
    OozeMat3F32x4 f = ooze_mat3_f32x4_product(s->stress, s->correction);
    OozeFluxTerms terms = {.n = s->n, .edge_n = s->edge_n};
    OozeF32x4 v[4], sum[4], rest[3], last[3], none = {0};
    ooze_f32x4_transpose(u[0], u[1], u[2], u[3], v);
    ooze_f32x4_transpose(edge_sum[0], edge_sum[1], edge_sum[2], edge_sum[3], sum);
    for (int k = 0; k < 3; k++) {
        terms.u[k] = v[k];
        terms.weighted[k] = s->weighted[k];
        terms.edge_sum[k] = sum[k];
        last[k] = s->n * v[k];
    }
    ooze_flux_add_hourglass(&f.m[0][0], s->n, &s->l->m[0][0]);
    ooze_flux_base(&f.m[0][0], &terms, rest);
    ooze_mat3_f32x4_to_rows(&f, last, flux);
    ooze_f32x4_transpose(rest[0], rest[1], rest[2], none, base);
}

#endif
