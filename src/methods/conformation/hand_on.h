/* What four particles hand to their neighbours along edges, once their stress is known, with the hourglass term:
     F_i = stress B - n L,  force_i = sum_j (F_i + F_j) g + (n_i + n_j) f (u_j - u_i).
   The rows of a flux are F with n u in the fourth lane, which meets the 1 of (x_ji, 1); `base` is the part of the
   force that takes no second gather. */
#ifndef OOZE_METHODS_CONFORMATION_HAND_ON_H
#define OOZE_METHODS_CONFORMATION_HAND_ON_H

#include "methods/tensor_four.h"

typedef struct OozeHandOn {
    const OozeMat3Four *stress, *l, *correction;
    const OozeFour *weighted; /* sum f (u_j - u_i), by axis */
    OozeFour n;               /* coefficients of the hourglass term */
    OozeFour edge_n;          /* sum over edges of f n_j */
} OozeHandOn;

/* For the particles that `u`, `edge_sum`, `flux` and `base` begin with. */
static inline void ooze_hand_on(const OozeHandOn *h, const OozeFour *u, const OozeFour *edge_sum,
                                OozeRows *flux, OozeFour *base)
{
    OozeMat3Four f = ooze_mat3_four_product(h->stress, h->correction);
    OozeFour v[4], sum[4], rest[3], last[3], none = {0};
    ooze_four_transpose(u[0], u[1], u[2], u[3], v);
    ooze_four_transpose(edge_sum[0], edge_sum[1], edge_sum[2], edge_sum[3], sum);
    for (int k = 0; k < 3; k++) {
        rest[k] = h->n * h->weighted[k] - h->edge_n * v[k];
        for (int j = 0; j < 3; j++) {
            f.m[k][j] -= h->n * h->l->m[k][j];
            rest[k] = ooze_four_fma(f.m[k][j], sum[j], rest[k]);
        }
        last[k] = h->n * v[k];
    }
    ooze_mat3_four_to_rows(&f, last, flux);
    ooze_four_transpose(rest[0], rest[1], rest[2], none, base);
}

#endif
