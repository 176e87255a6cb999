/* Elements, matrices and smoother of the grids of velocity_multigrid.h. Valid C17 and CUDA. Cells
   and corners are those of grid_multigrid_formula.h.

   The matrix of an element is 24 x 24, three velocities at each of eight corners, and symmetric. It
   is summed as the 3 x 3 blocks of the pairs of corners a <= b, row by row, and stored in full: for
   each corner a the blocks with all corners b, column by column. */
#ifndef OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_FORMULA_H
#define OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_FORMULA_H

#include "physics/tensor.h"
#include "solvers/multigrid/grid_multigrid_formula.h"

enum {
    OOZE_VELOCITY_BLOCK = 9,
    OOZE_VELOCITY_HALF = 36 * OOZE_VELOCITY_BLOCK,    /* numbers of a matrix that is summed */
    OOZE_VELOCITY_CORNER = 8 * OOZE_VELOCITY_BLOCK,   /* of one corner of a stored matrix */
    OOZE_VELOCITY_ELEMENT = 8 * OOZE_VELOCITY_CORNER, /* of a stored matrix */
    OOZE_VELOCITY_ROWS = 24,
    OOZE_VELOCITY_DENSE = 48 /* nodes of the coarsest grid, which is solved directly */
};
/* Largest number of particles. */
#define OOZE_VELOCITY_PARTICLES (UINT32_MAX / 64)
/* omega of velocity_multigrid.h. */
#define OOZE_VELOCITY_OMEGA 0.8f
/* Relative increase of the diagonal of matrices that are solved directly: cells with few particles
   have motions without stiffness. */
#define OOZE_VELOCITY_SHIFT 1e-4

/* Pairs of corners a <= b. */
enum { OOZE_VELOCITY_PAIRS = 36 };

/* Place of the block of corners a <= b in a matrix that is summed. */
OOZE_FORMULA int ooze_velocity_pair(int a, int b)
{
    return (a * (17 - a) / 2 + b - a) * OOZE_VELOCITY_BLOCK;
}

/* ---- particles of a cell -------------------------------------------------------------------- */

/* A particle near a no-slip wall, or one that contacts constrain. The velocity gradient that a
   field of the grid has there is sum u_a w_a^T with w_a = B (fluid grad N_a - N_a edge). */
typedef struct OozeVelocityBoundaryParticle {
    OozeSym3 correction; /* B */
    OozeSym3 fluid;      /* sum x g^T over neighbours without walls */
    float edge[4];       /* sum of g over the samples of walls, and of f */
    float hourglass;     /* dt n */
    OozeSym3 anchor;     /* stiffness of constrained directions: e.De e e^T, summed */
} OozeVelocityBoundaryParticle;

/* Products of the functions of a cell and of their slopes at a particle. With the linear functions
   p of one axis and q(t) = ((1 - t)^2, t (1 - t), t^2, 0), square[12 k + ...] is q q of the axes
   other than k, and mixed[12 m + 4 i + 2 j + h] is q_i along axis m times p_h and p_j along the
   lower and the higher of the other two. */
typedef struct OozeVelocityBasis {
    float square[36], mixed[36];
} OozeVelocityBasis;

OOZE_FORMULA void ooze_velocity_basis(const float into[3], OozeVelocityBasis *basis)
{
    float q[3][4];
    for (int k = 0; k < 3; k++) {
        ooze_multigrid_squares(into[k], q[k]);
    }
    for (int m = 0; m < 3; m++) {
        int low = m == 0 ? 1 : 0, high = m == 2 ? 1 : 2;
        float h = into[low], j = into[high];
        float corner[4] = {(1.0f - j) * (1.0f - h), (1.0f - j) * h, j * (1.0f - h), j * h};
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 4; k++) {
                basis->square[12 * m + 4 * i + k] = q[high][i] * q[low][k];
                basis->mixed[12 * m + 4 * i + k] = q[m][i] * corner[k];
            }
        }
    }
}

/* Values of the eight functions of a cell: weights of its corners. */
OOZE_FORMULA void ooze_velocity_weights(const float into[3], float w[8])
{
    float x[2] = {1.0f - into[0], into[0]}, y[2] = {1.0f - into[1], into[1]};
    for (int c = 0; c < 4; c++) {
        float flat = x[c & 1] * y[c >> 1];
        w[c + 4] = flat * into[2];
        w[c] = flat - w[c + 4];
    }
}

/* Coefficients of a particle: the stiffness tensor, then bulk. */
enum { OOZE_VELOCITY_BULK = 6, OOZE_VELOCITY_COEFFICIENTS = 7 };

/* Sums over the particles of a cell, of which the element's matrix is a combination. */
typedef struct OozeVelocityMoments {
    OozeVelocityBasis of[OOZE_VELOCITY_COEFFICIENTS]; /* coefficient times products of slopes */
    float mass[36];                                   /* mass q q q: [12 z + 4 y + x] */
} OozeVelocityMoments;

OOZE_FORMULA void ooze_velocity_add_basis(OozeVelocityBasis *sum, const OozeVelocityBasis *basis,
                                          float coefficient)
{
    for (int k = 0; k < 36; k++) {
        sum->square[k] += coefficient * basis->square[k];
    }
    for (int k = 0; k < 36; k++) {
        sum->mixed[k] += coefficient * basis->mixed[k];
    }
}

OOZE_FORMULA void ooze_velocity_add_mass(float mass[36], const float into[3], float m)
{
    float x[4], y[4], z[4];
    ooze_multigrid_squares(into[0], x);
    ooze_multigrid_squares(into[1], y);
    ooze_multigrid_squares(into[2], z);
    for (int k = 0; k < 9; k++) {
        float yz = m * z[k / 3] * y[k % 3];
        for (int j = 0; j < 4; j++) {
            mass[4 * k + j] += yz * x[j];
        }
    }
}

/* Stiffness is nearly the same in all directions: its mean serves the grids as well. */
OOZE_FORMULA bool ooze_velocity_is_isotropic(OozeSym3 a)
{
    OozeSym3 d = ooze_sym3_deviator(a);
    float square =
        d.xx * d.xx + d.yy * d.yy + d.zz * d.zz + 2.0f * (d.xy * d.xy + d.xz * d.xz + d.yz * d.yz);
    float mean = ooze_sym3_trace(a) / 3.0f;
    return square <= 0.04f * mean * mean;
}

/* The same, with this ratio of bulk to shear. */
OOZE_FORMULA bool ooze_velocity_has_ratio(OozeSym3 a, float bulk, float ratio)
{
    float wanted = ratio * (ooze_sym3_trace(a) / 3.0f);
    return ooze_velocity_is_isotropic(a) && fabsf(bulk - wanted) <= 0.02f * bulk;
}

/* Coefficient c of a particle. */
OOZE_FORMULA float ooze_velocity_coefficient(OozeSym3 a, float bulk, int c)
{
    return c == 0   ? a.xx
           : c == 1 ? a.yy
           : c == 2 ? a.zz
           : c == 3 ? a.xy
           : c == 4 ? a.xz
           : c == 5 ? a.yz
                    : bulk;
}

/* Adds a particle. Where all of a cell are isotropic, with the same ratio of bulk to shear, it is
   enough to sum the first coefficient, as the mean stiffness. */
OOZE_FORMULA void ooze_velocity_add_particle(OozeVelocityMoments *sum, const float into[3],
                                             float mass, OozeSym3 a, float bulk)
{
    OozeVelocityBasis basis;
    ooze_velocity_basis(into, &basis);
    for (int c = 0; c < OOZE_VELOCITY_COEFFICIENTS; c++) {
        ooze_velocity_add_basis(&sum->of[c], &basis, ooze_velocity_coefficient(a, bulk, c));
    }
    ooze_velocity_add_mass(sum->mass, into, mass);
}

/* After the last particle, before the blocks; inverse: 1 / edge along each axis. */
OOZE_FORMULA void ooze_velocity_scale_basis(OozeVelocityBasis *sum, const float inverse[3])
{
    for (int m = 0; m < 3; m++) {
        int low = m == 0 ? 1 : 0, high = m == 2 ? 1 : 2;
        for (int k = 0; k < 12; k++) {
            sum->square[12 * m + k] *= inverse[m] * inverse[m];
            sum->mixed[12 * m + k] *= inverse[low] * inverse[high];
        }
    }
}

/* g[3 k + l]: sum of coefficient (dN_a/dx_k) (dN_b/dx_l). */
OOZE_FORMULA void ooze_velocity_slopes(const OozeVelocityBasis *sum, int a, int b, float g[9])
{
    for (int m = 0; m < 3; m++) {
        int low = m == 0 ? 1 : 0, high = m == 2 ? 1 : 2;
        int a_low = a >> low & 1, a_high = a >> high & 1, a_m = a >> m & 1;
        int b_low = b >> low & 1, b_high = b >> high & 1, b_m = b >> m & 1;
        float along = sum->square[12 * m + 4 * (a_high + b_high) + a_low + b_low];
        const float *mixed = sum->mixed + 12 * m + 4 * (a_m + b_m);
        float up = mixed[2 * a_high + b_low], down = mixed[2 * b_high + a_low];
        g[4 * m] = a_m == b_m ? along : -along;
        g[3 * low + high] = a_low == b_high ? up : -up;
        g[3 * high + low] = a_high == b_low ? down : -down;
    }
}

/* Block of corners a and b, without mass:
   1/2 [w_b (A w_a)^T + (w_a.A w_b) I + A (w_a.w_b) + (A w_b) w_a^T] + bulk w_a w_b^T
   with w = grad N; see docs/methods/conformation.md. */
OOZE_FORMULA void ooze_velocity_isotropic_block(const OozeVelocityBasis *of, int a, int b,
                                                float ratio, float block[9])
{
    float g[9];
    ooze_velocity_slopes(of, a, b, g);
    float trace = g[0] + g[4] + g[8];
    for (int r = 0; r < 3; r++) {
        for (int q = 0; q < 3; q++) {
            block[3 * r + q] = g[3 * q + r] + ratio * g[3 * r + q] + (r == q ? trace : 0.0f);
        }
    }
}

/* Place of entry (r, q) in a symmetric tensor. */
OOZE_FORMULA int ooze_velocity_entry(int r, int q)
{
    return r == q ? r : r + q + 2;
}

OOZE_FORMULA void ooze_velocity_tensor_block(const OozeVelocityBasis *of, int a, int b,
                                             float block[9])
{
    float g[OOZE_VELOCITY_COEFFICIENTS][9], along = 0.0f;
    for (int c = 0; c < OOZE_VELOCITY_COEFFICIENTS; c++) {
        ooze_velocity_slopes(&of[c], a, b, g[c]);
    }
    for (int k = 0; k < 9; k++) {
        along += g[ooze_velocity_entry(k / 3, k % 3)][k];
    }
    for (int r = 0; r < 3; r++) {
        for (int q = 0; q < 3; q++) {
            const float *own = g[ooze_velocity_entry(r, q)];
            float twice = own[0] + own[4] + own[8] + (r == q ? along : 0.0f);
            for (int m = 0; m < 3; m++) {
                twice += g[ooze_velocity_entry(q, m)][3 * m + r];
                twice += g[ooze_velocity_entry(r, m)][3 * q + m];
            }
            block[3 * r + q] = 0.5f * twice + g[OOZE_VELOCITY_BULK][3 * r + q];
        }
    }
}

/* Adds the block of corners a <= b to that of an element. `of`: sums of all coefficients, or with a
   ratio of bulk to shear that is not negative of the mean stiffness alone; mass: see
   OozeVelocityMoments. */
OOZE_FORMULA void ooze_velocity_add_pair(const OozeVelocityBasis *of, const float *mass, int a,
                                         int b, float ratio, float *to)
{
    float block[9];
    if (ratio >= 0.0f) {
        ooze_velocity_isotropic_block(of, a, b, ratio, block);
    } else {
        ooze_velocity_tensor_block(of, a, b, block);
    }
    int x = (a & 1) + (b & 1), y = (a >> 1 & 1) + (b >> 1 & 1), z = (a >> 2) + (b >> 2);
    float same = mass[12 * z + 4 * y + x];
    for (int k = 0; k < 9; k++) {
        to[k] += block[k] + (k % 4 == 0 ? same : 0.0f);
    }
}

/* Stores the block of corners a <= b that was summed. */
OOZE_FORMULA void ooze_velocity_store_pair(const float *block, int a, int b, float *element)
{
    float *upper = element + OOZE_VELOCITY_CORNER * a + OOZE_VELOCITY_BLOCK * b;
    float *lower = element + OOZE_VELOCITY_CORNER * b + OOZE_VELOCITY_BLOCK * a;
    for (int k = 0; k < 9; k++) {
        upper[3 * (k % 3) + k / 3] = block[k];
        lower[k] = block[k];
    }
}

/* A stored matrix from one that was summed. */
OOZE_FORMULA void ooze_velocity_store(const float *half, float *element)
{
    for (int a = 0; a < 8; a++) {
        for (int b = a; b < 8; b++) {
            ooze_velocity_store_pair(half + ooze_velocity_pair(a, b), a, b, element);
        }
    }
}

/* ---- particles with walls or held directions ------------------------------------------------ */

OOZE_FORMULA void ooze_velocity_times(OozeSym3 a, const float v[3], float to[3])
{
    to[0] = a.xx * v[0] + a.xy * v[1] + a.xz * v[2];
    to[1] = a.xy * v[0] + a.yy * v[1] + a.yz * v[2];
    to[2] = a.xz * v[0] + a.yz * v[1] + a.zz * v[2];
}

OOZE_FORMULA float ooze_velocity_dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Values of the eight functions of a cell and their slopes along the three axes. */
OOZE_FORMULA void ooze_velocity_functions(const float into[3], const float inverse[3],
                                          float value[8], float slope[24])
{
    for (int c = 0; c < 8; c++) {
        float s[3], d[3];
        for (int k = 0; k < 3; k++) {
            s[k] = c >> k & 1 ? into[k] : 1.0f - into[k];
            d[k] = c >> k & 1 ? inverse[k] : -inverse[k];
        }
        value[c] = s[0] * s[1] * s[2];
        slope[3 * c] = d[0] * s[1] * s[2];
        slope[3 * c + 1] = s[0] * d[1] * s[2];
        slope[3 * c + 2] = s[0] * s[1] * d[2];
    }
}

/* A boundary particle at the corners of its cell. */
typedef struct OozeVelocityCorners {
    float value[8];            /* N */
    float w[24];               /* gradient of a unit velocity, see above */
    float raw[24], spread[24]; /* fluid grad N - N edge; fluid grad N */
    float slope[24], aw[24];   /* grad N; stiffness times w */
} OozeVelocityCorners;

OOZE_FORMULA void ooze_velocity_corners(const OozeVelocityBoundaryParticle *s, const float into[3],
                                        const float inverse[3], OozeSym3 a, OozeVelocityCorners *c)
{
    ooze_velocity_functions(into, inverse, c->value, c->slope);
    for (int k = 0; k < 24; k += 3) {
        ooze_velocity_times(s->fluid, c->slope + k, c->spread + k);
        for (int m = 0; m < 3; m++) {
            c->raw[k + m] = c->spread[k + m] - c->value[k / 3] * s->edge[m];
        }
        ooze_velocity_times(s->correction, c->raw + k, c->w + k);
        ooze_velocity_times(a, c->w + k, c->aw + k);
    }
}

/* Mass and stiffness of a particle. */
typedef struct OozeVelocityParticle {
    float mass;
    OozeSym3 stiffness;
    float bulk;
} OozeVelocityParticle;

/* Adds a boundary particle to the block of corners i <= j of its element. */
OOZE_FORMULA void ooze_velocity_add_boundary_pair(const OozeVelocityBoundaryParticle *s,
                                                  const OozeVelocityCorners *c,
                                                  const OozeVelocityParticle *own, int i, int j,
                                                  float *to)
{
    OozeMat3 full = ooze_mat3_from_sym3(own->stiffness), anchor = ooze_mat3_from_sym3(s->anchor);
    const float *g = c->w + 3 * i, *ag = c->aw + 3 * i;
    const float *h = c->w + 3 * j, *ah = c->aw + 3 * j;
    float gh = ooze_velocity_dot(g, h), both = c->value[i] * c->value[j];
    float damping = s->edge[3] * both + ooze_velocity_dot(c->slope + 3 * i, c->spread + 3 * j) -
                    ooze_velocity_dot(c->raw + 3 * i, h);
    float diagonal = own->mass * both + 0.5f * ooze_velocity_dot(g, ah) + s->hourglass * damping;
    for (int r = 0; r < 3; r++) {
        for (int q = 0; q < 3; q++) {
            float twice = h[r] * ag[q] + full.m[3 * r + q] * gh + ah[r] * g[q];
            to[3 * r + q] += 0.5f * twice + own->bulk * g[r] * h[q] + both * anchor.m[3 * r + q] +
                             (r == q ? diagonal : 0.0f);
        }
    }
}

/* Adds a boundary particle to the matrix of its element. */
OOZE_FORMULA void ooze_velocity_add_boundary_particle(const OozeVelocityBoundaryParticle *s,
                                                      const OozeVelocityCorners *c,
                                                      const OozeVelocityParticle *own,
                                                      float *element)
{
    for (int i = 0; i < 8; i++) {
        for (int j = i; j < 8; j++) {
            ooze_velocity_add_boundary_pair(s, c, own, i, j, element + ooze_velocity_pair(i, j));
        }
    }
}

/* ---- coarser elements ----------------------------------------------------------------------- */

/* Adds P^T K P of a child to the blocks of corner i of its parent with all corners; weight: see
   OozeMultigridChild. */
OOZE_FORMULA void ooze_velocity_add_child(const float *element, const float *weight, int i,
                                          float to[OOZE_VELOCITY_CORNER])
{
    float row[OOZE_VELOCITY_CORNER];
    for (int k = 0; k < OOZE_VELOCITY_CORNER; k++) {
        row[k] = 0.0f;
    }
    for (int a = 0; a < 8; a++) {
        const float w = weight[8 * a + i];
        if (w > 0.0f) {
            for (int k = 0; k < OOZE_VELOCITY_CORNER; k++) {
                row[k] += w * element[OOZE_VELOCITY_CORNER * a + k];
            }
        }
    }
    OOZE_UNROLLED
    for (int b = 0; b < 8; b++) {
        OOZE_UNROLLED
        for (int j = 0; j < 8; j++) {
            const float w = weight[8 * b + j];
            for (int k = 0; k < OOZE_VELOCITY_BLOCK; k++) {
                to[OOZE_VELOCITY_BLOCK * j + k] += w * row[OOZE_VELOCITY_BLOCK * b + k];
            }
        }
    }
}

/* ---- matrices of nodes ---------------------------------------------------------------------- */

/* Columns of a row. The node at corner b of an element with the row's node at corner a is in place
   13 + ooze_multigrid_corner_slot(b) - ooze_multigrid_corner_slot(a) of a stencil of 27. Where both
   sides of a gap meet the node, places have several nodes: those beyond the first of a place come
   after the stencil. */
typedef struct OozeVelocityRow {
    uint32_t node[OOZE_MULTIGRID_STENCIL];   /* OOZE_MULTIGRID_NONE: there is none */
    uint32_t number[OOZE_MULTIGRID_STENCIL]; /* of the column */
    uint32_t count;                          /* columns of the stencil */
    bool split;                              /* some place has several nodes */
} OozeVelocityRow;

OOZE_FORMULA int ooze_velocity_slot(int a, int b)
{
    return 13 + ooze_multigrid_corner_slot(b) - ooze_multigrid_corner_slot(a);
}

/* corner[0 .. count - 1]: the corners 8 element + k at which the node is. */
OOZE_FORMULA void ooze_velocity_find_row(const uint32_t *corner_node, const uint32_t *corner,
                                         uint32_t count, OozeVelocityRow *row)
{
    for (int k = 0; k < OOZE_MULTIGRID_STENCIL; k++) {
        row->node[k] = OOZE_MULTIGRID_NONE;
    }
    row->split = false;
    for (uint32_t c = 0; c < count; c++) {
        const uint32_t *node = corner_node + (uint64_t)(corner[c] - corner[c] % 8);
        int a = (int)(corner[c] % 8);
        for (int b = 0; b < 8; b++) {
            uint32_t *slot = &row->node[ooze_velocity_slot(a, b)];
            row->split = row->split || (*slot != OOZE_MULTIGRID_NONE && *slot != node[b]);
            *slot = *slot == OOZE_MULTIGRID_NONE ? node[b] : *slot;
        }
    }
}

OOZE_FORMULA void ooze_velocity_number_row(OozeVelocityRow *row)
{
    row->count = 0;
    for (int k = 0; k < OOZE_MULTIGRID_STENCIL; k++) {
        row->number[k] = row->count;
        row->count += row->node[k] != OOZE_MULTIGRID_NONE ? 1u : 0u;
    }
}

/* Number of the column of a node among `count`; `count` itself where it has none yet. */
OOZE_FORMULA uint32_t ooze_velocity_column(const OozeVelocityRow *row, const uint32_t *column,
                                           uint32_t count, int a, int b, uint32_t node)
{
    int slot = ooze_velocity_slot(a, b);
    uint32_t at = row->number[slot];
    if (row->node[slot] != node) {
        at = row->count;
        while (at < count && column[at] != node) {
            at++;
        }
    }
    return at;
}

/* Inverse of the block of a node, 0 where the node has no weight. */
OOZE_FORMULA OozeSym3 ooze_velocity_inverse(OozeSym3 d)
{
    float trace = ooze_sym3_trace(d);
    if (!(trace > 1e-30f)) {
        return ooze_sym3_identity(0.0f);
    }
    OozeSym3 scaled = ooze_sym3_scale(d, 1.0f / trace);
    scaled.xx += 1e-6f;
    scaled.yy += 1e-6f;
    scaled.zz += 1e-6f;
    return ooze_sym3_scale(ooze_sym3_inverse(scaled), 1.0f / trace);
}

/* The smoother: Chebyshev polynomials of block-Jacobi on an interval of the eigenvalues of D^-1 A.
   The matrix of an element is positive semidefinite, so that it is at most 8 times its diagonal,
   one time for each corner; with 8 for the upper end smoothing never diverges, whatever the
   particles. Largest eigenvalues are 3.6 to 5.5, and the interval that belongs to them saves less
   than one iteration. Direction k is p_k = carry p_(k-1) + step D^-1 r. */
typedef struct OozeVelocityChebyshev {
    float theta, delta, sigma, rho;
    float carry, step;
} OozeVelocityChebyshev;

OOZE_FORMULA void ooze_velocity_chebyshev_next(OozeVelocityChebyshev *c)
{
    float next = 1.0f / (2.0f * c->sigma - c->rho);
    c->carry = next * c->rho;
    c->step = 2.0f * next / c->delta;
    c->rho = next;
}

OOZE_FORMULA OozeVelocityChebyshev ooze_velocity_chebyshev(int direction)
{
    OozeVelocityChebyshev c;
    const float low = 1.6f, high = 8.0f;
    c.theta = 0.5f * (high + low);
    c.delta = 0.5f * (high - low);
    c.sigma = c.theta / c.delta;
    c.rho = 1.0f / c.sigma;
    c.carry = 0.0f;
    c.step = 1.0f / c.theta;
    for (int k = 0; k < direction; k++) {
        ooze_velocity_chebyshev_next(&c);
    }
    return c;
}

#endif
