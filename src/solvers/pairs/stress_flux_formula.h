/* Fluxes of a stress along edges, with the hourglass term of coefficient n:

     F_i = S_i B_i - n_i L_i,   a_i = sum_j (F_i + F_j) g + (n_i + n_j) f (u_j - u_i).

   Neighbours gather F_j x_ji + n_j u_j; the rest of a_i needs no second gather:

     base_i = F_i sum g + n_i sum f (u_j - u_i) - u_i sum f n_j.

   Valid C17 and CUDA; a number is one particle's on the GPU and those of four particles on the
   processor. */
#ifndef OOZE_SOLVERS_PAIRS_STRESS_FLUX_FORMULA_H
#define OOZE_SOLVERS_PAIRS_STRESS_FLUX_FORMULA_H

#include "base/formula.h"

#ifdef __cplusplus
typedef float OozeFluxReal;
#define OOZE_FLUX_MADD(a, b, c) ((a) * (b) + (c))
#else
#include "base/f32x4.h"
typedef OozeF32x4 OozeFluxReal;
#define OOZE_FLUX_MADD(a, b, c) ooze_f32x4_fma((a), (b), (c))
#endif

typedef struct OozeFluxTerms {
    OozeFluxReal n, edge_n;   /* n, and sum f n_j over the edges */
    OozeFluxReal u[3];        /* velocity of the particle */
    OozeFluxReal weighted[3]; /* sum f (u_j - u_i) */
    OozeFluxReal edge_sum[3]; /* sum g */
} OozeFluxTerms;

/* f = S B on entry, F on return, by rows; `l` is the velocity gradient. */
OOZE_FORMULA void ooze_flux_add_hourglass(OozeFluxReal *f, OozeFluxReal n, const OozeFluxReal *l)
{
    for (int k = 0; k < 9; k++) {
        f[k] -= n * l[k];
    }
}

OOZE_FORMULA void ooze_flux_base(const OozeFluxReal *f, const OozeFluxTerms *t, OozeFluxReal *base)
{
    for (int k = 0; k < 3; k++) {
        base[k] = t->n * t->weighted[k] - t->edge_n * t->u[k];
        for (int j = 0; j < 3; j++) {
            base[k] = OOZE_FLUX_MADD(f[3 * k + j], t->edge_sum[j], base[k]);
        }
    }
}

#endif
