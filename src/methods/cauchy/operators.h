/* The innermost loops of the method cauchy: bodies of parallel loops in chunks of
   OOZE_CAUCHY_GRAIN. */
#ifndef OOZE_METHODS_CAUCHY_OPERATORS_H
#define OOZE_METHODS_CAUCHY_OPERATORS_H

#include "methods/cauchy/step.h"

/* The velocity solve (M - dt K) u = M u*. */
typedef struct OozeCauchyVelocity {
    OozeCauchyStep *step;
    float *hourglass;      /* n */
    float *edge_hourglass; /* sum over the edges of f n_j */
    OozeRows *flux;        /* gathered; rows of F = S B - n L with n u in the fourth lane */
    OozeF32x4 *u_star;     /* n */
    OozeF32x4 *r, *p, *ap; /* gathered; of conjugate gradients */
    double *partial;       /* sums of fixed blocks */
    double alpha, beta;
    const OozeF32x4 *input;
    OozeF32x4 *output;
    bool with_explicit_terms; /* with S0 and moving walls */
} OozeCauchyVelocity;

/* The pressure solve L q = b. */
typedef struct OozeCauchyPressure {
    OozeCauchyStep *step;
    float *q, *r, *z, *p, *ap; /* gathered */
    float *diagonal;           /* of the operator */
    OozeF32x4 *acceleration;   /* gathered: M^-1 D^T of the input */
    OozeSym3 *weighted;        /* gathered: input times B */
    float *divergence;         /* of the velocities before the solve, 1/s */
    OozeConjugateGradients cg; /* all passes stop at the same residual */
    int pass;                  /* from 0 */
    float share;               /* of q that acts */
    uint8_t *surface;          /* of the classic scheme: the pressure is 0; else NULL */
    double *partial;
    double alpha, beta;
    const float *input;
    float *output;
} OozeCauchyPressure;

typedef struct OozeCauchyLoops {
    OozeRangeBody gather;  /* of an OozeCauchyStep */
    OozeRangeBody tension; /* likewise: adds cohesion to the forces */
    /* of an OozeCauchyVelocity */
    OozeRangeBody edge_hourglass, stress, product;
    /* of an OozeCauchyPressure */
    OozeRangeBody weigh;      /* input times B */
    OozeRangeBody accelerate; /* acceleration by the input */
    OozeRangeBody multiply;   /* output = operator of the input; sums input . output */
    OozeRangeBody diagonal;
    OozeRangeBody right_side;       /* r = b */
    OozeRangeBody classic_gradient; /* acceleration by q in the classic scheme */
} OozeCauchyLoops;
OOZE_LOOPS_DECLARE(OozeCauchyLoops, ooze_cauchy_loops);

/* Adds sum u_w g^T over walls on which the fluid does not slip. */
static inline OozeRows ooze_cauchy_wall_rows(const OozeCauchyStep *s, uint64_t i, OozeRows rows)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    const OozeBoundary *boundary = s->context->boundary;
    if (boundary->count == 0) {
        return rows;
    }
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
        if (s->wall_clings[e]) {
            OozeF32x4 v = ooze_f32x4_load(&boundary->velocity[walls->index[e]].x);
            rows = ooze_rows_outer(v, s->wall_edge[e], rows);
        }
    }
    return rows;
}

/* sum over all entries of a b */
static inline float ooze_cauchy_contract(OozeRows rows, OozeSym3 b)
{
    const OozeF32x4 *m = rows.row;
    return m[0][0] * b.xx + m[1][1] * b.yy + m[2][2] * b.zz + (m[0][1] + m[1][0]) * b.xy +
           (m[0][2] + m[2][0]) * b.xz + (m[1][2] + m[2][1]) * b.yz;
}

/* Divergence of u: sum (u_j - u_i) . B h over fluid and walls. */
static inline float ooze_cauchy_divergence(const OozeCauchyStep *s, const OozeF32x4 *u, uint64_t i)
{
    const float *v = s->wall[i].flux.m;
    OozeRows rows = {{ooze_f32x4(v[0], v[1], v[2], 0), ooze_f32x4(v[3], v[4], v[5], 0),
                      ooze_f32x4(v[6], v[7], v[8], 0)}};
    rows = ooze_rows_outer(u[i], -(s->mps_sum[i] + ooze_cauchy_wall_edge(s, i)), rows);
    rows = ooze_edges_outer(&s->mps, u, i, rows);
    return ooze_cauchy_contract(rows, s->pressure_correction[i]);
}

#endif
