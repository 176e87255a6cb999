/* Loops over particles of the multigrid preconditioner of `lodge`. */
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "methods/conformation/lodge_multigrid_formula.h"
#include "solvers/vectors/tensor_f32x4.h"

/* ---- diagonal blocks of the operator -------------------------------------------------------- */

/* Symmetric tensors of four particles, one a lane: xx, yy, zz, xy, xz, yz. */
typedef struct Sym3F32x4 {
    OozeF32x4 e[6];
} Sym3F32x4;

static inline Sym3F32x4 load_four(const OozeSym3 *s, const uint32_t *j)
{
    OozeF32x4 low[4], high[4];
    ooze_f32x4_transpose(ooze_f32x4_load(&s[j[0]].xx), ooze_f32x4_load(&s[j[1]].xx),
                         ooze_f32x4_load(&s[j[2]].xx), ooze_f32x4_load(&s[j[3]].xx), low);
    ooze_f32x4_transpose(ooze_f32x4_load(&s[j[0]].zz), ooze_f32x4_load(&s[j[1]].zz),
                         ooze_f32x4_load(&s[j[2]].zz), ooze_f32x4_load(&s[j[3]].zz), high);
    Sym3F32x4 out = {{low[0], low[1], low[2], low[3], high[2], high[3]}};
    return out;
}

static inline void times(const Sym3F32x4 *s, const OozeF32x4 v[3], OozeF32x4 to[3])
{
    to[0] = ooze_f32x4_fma(s->e[4], v[2], ooze_f32x4_fma(s->e[3], v[1], s->e[0] * v[0]));
    to[1] = ooze_f32x4_fma(s->e[5], v[2], ooze_f32x4_fma(s->e[1], v[1], s->e[3] * v[0]));
    to[2] = ooze_f32x4_fma(s->e[2], v[2], ooze_f32x4_fma(s->e[5], v[1], s->e[4] * v[0]));
}

static inline OozeF32x4 dot(const OozeF32x4 a[3], const OozeF32x4 b[3])
{
    return ooze_f32x4_fma(a[2], b[2], ooze_f32x4_fma(a[1], b[1], a[0] * b[0]));
}

/* ooze_lodge_gradient_block of four particles, without F. */
static inline void add_blocks(Sym3F32x4 *sum, const OozeF32x4 g[3], const Sym3F32x4 *b,
                              const Sym3F32x4 *a, OozeF32x4 bulk, OozeF32x4 n)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    OozeF32x4 w[3], q[3];
    times(b, g, w);
    times(a, w, q);
    for (int k = 0; k < 3; k++) {
        q[k] = ooze_f32x4_fma(bulk, w[k], q[k]);
    }
    /* q now holds A w + bulk w: (w.A w) is w.q less the part of bulk */
    OozeF32x4 square = dot(w, w), half = 0.5f * square;
    OozeF32x4 same = 0.5f * (dot(w, q) - bulk * square) - n * dot(g, w);
    for (int k = 0; k < 6; k++) {
        int r = row[k], c = column[k];
        OozeF32x4 outer = ooze_f32x4_fma(w[r], q[c], q[r] * w[c]);
        sum->e[k] =
            ooze_f32x4_fma(a->e[k], half, ooze_f32x4_fma(ooze_f32x4_splat(0.5f), outer, sum->e[k]));
    }
    for (int k = 0; k < 3; k++) {
        sum->e[k] += same;
    }
}

/* The same for a stiffness a I. */
static inline void add_isotropic_blocks(Sym3F32x4 *sum, const OozeF32x4 g[3], const Sym3F32x4 *b,
                                        const OozeF32x4 coefficient[3])
{
    OozeF32x4 w[3];
    times(b, g, w);
    OozeF32x4 a = coefficient[0], both = a + coefficient[1];
    OozeF32x4 same = a * dot(w, w) - coefficient[2] * dot(g, w);
    OozeF32x4 x = both * w[0], y = both * w[1], z = both * w[2];
    sum->e[0] = ooze_f32x4_fma(x, w[0], sum->e[0] + same);
    sum->e[1] = ooze_f32x4_fma(y, w[1], sum->e[1] + same);
    sum->e[2] = ooze_f32x4_fma(z, w[2], sum->e[2] + same);
    sum->e[3] = ooze_f32x4_fma(x, w[1], sum->e[3]);
    sum->e[4] = ooze_f32x4_fma(x, w[2], sum->e[4]);
    sum->e[5] = ooze_f32x4_fma(y, w[2], sum->e[5]);
}

static inline Sym3F32x4 add_isotropic_neighbours(const OozeLodgeMultigrid *mg, uint64_t i,
                                                 Sym3F32x4 sum, bool periodic)
{
    const OozeConformationStep *s = mg->solve->step;
    const OozeEdges *edges = s->own->edges;
    const OozeF32x4 *c = mg->isotropic, near_end = ooze_near_end(edges, i), *x = edges->x;
    uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    const float *weight = edges->weight + first;
    for (; j < last; j += 4, weight += 4) {
        OozeF32x4 f = ooze_f32x4_load(weight), d[4], coefficient[4];
        ooze_f32x4_transpose(ooze_edge_delta(near_end, x[j[0]], edges->box, periodic),
                             ooze_edge_delta(near_end, x[j[1]], edges->box, periodic),
                             ooze_edge_delta(near_end, x[j[2]], edges->box, periodic),
                             ooze_edge_delta(near_end, x[j[3]], edges->box, periodic), d);
        ooze_f32x4_transpose(c[j[0]], c[j[1]], c[j[2]], c[j[3]], coefficient);
        OozeF32x4 g[3] = {d[0] * f, d[1] * f, d[2] * f};
        Sym3F32x4 b = load_four(mg->correction, j);
        add_isotropic_blocks(&sum, g, &b, coefficient);
    }
    return sum;
}

/* Blocks of neighbours, summed over the edges of particle i. */
static inline Sym3F32x4 add_neighbours(const OozeLodgeMultigrid *mg, uint64_t i, Sym3F32x4 sum,
                                       bool periodic)
{
    const OozeLodge *solve = mg->solve;
    const OozeConformationStep *s = solve->step;
    const OozeEdges *edges = s->own->edges;
    uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    const float *weight = edges->weight + first;
    const OozeF32x4 near_end = ooze_near_end(edges, i), *x = edges->x;
    for (; j < last; j += 4, weight += 4) {
        OozeF32x4 f = ooze_f32x4_load(weight), d[4];
        ooze_f32x4_transpose(ooze_edge_delta(near_end, x[j[0]], edges->box, periodic),
                             ooze_edge_delta(near_end, x[j[1]], edges->box, periodic),
                             ooze_edge_delta(near_end, x[j[2]], edges->box, periodic),
                             ooze_edge_delta(near_end, x[j[3]], edges->box, periodic), d);
        OozeF32x4 g[3] = {d[0] * f, d[1] * f, d[2] * f};
        Sym3F32x4 b = load_four(mg->correction, j), a = load_four(solve->stiffness, j);
        const float *k = solve->bulk, *n = solve->hourglass;
        add_blocks(&sum, g, &b, &a, ooze_f32x4(k[j[0]], k[j[1]], k[j[2]], k[j[3]]),
                   ooze_f32x4(n[j[0]], n[j[1]], n[j[2]], n[j[3]]));
    }
    return sum;
}

/* The particle's own gradient, in the first lane. */
static inline Sym3F32x4 add_own(const OozeLodgeMultigrid *mg, uint64_t i)
{
    const OozeLodge *solve = mg->solve;
    const OozeConformationStep *s = solve->step;
    const uint32_t pad = (uint32_t)s->local, j[4] = {(uint32_t)i, pad, pad, pad};
    OozeF32x4 e = s->edge_sum[i];
    OozeF32x4 g[3] = {{e[0], 0, 0, 0}, {e[1], 0, 0, 0}, {e[2], 0, 0, 0}};
    Sym3F32x4 sum = {{{0}}};
    Sym3F32x4 b = load_four(mg->correction, j), a = load_four(solve->stiffness, j);
    add_blocks(&sum, g, &b, &a, ooze_f32x4(solve->bulk[i], 0, 0, 0),
               ooze_f32x4(solve->hourglass[i], 0, 0, 0));
    return sum;
}

/* Bonds of soft bodies. */
static inline OozeSym3 add_bonds(const OozeStepBodies *b, uint64_t i, float dt, OozeSym3 d)
{
    uint32_t slot = b->slot[i];
    if (b->bonds && slot != UINT32_MAX) {
        for (uint64_t e = b->bonds->first[slot]; e < b->bonds->first[slot + 1]; e++) {
            d = ooze_sym3_add(
                d, ooze_lodge_bond_block((const float *)&b->pull[e], dt * b->stiffness[e]));
        }
    }
    return d;
}

/* Pairs of an impact. */
static inline OozeSym3 add_pairs(const OozeImpactPairs *pairs, uint64_t i, OozeSym3 d)
{
    for (uint32_t e = pairs->first[i]; e < pairs->first[i + 1]; e++) {
        d = ooze_sym3_add(d, ooze_impact_pair_block(&pairs->pair[pairs->entry[e] / 2]));
    }
    return d;
}

static void diagonal_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    const OozeLodge *solve = mg->solve;
    const OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        Sym3F32x4 sum = add_own(mg, i);
        if (mg->anisotropic) {
            sum = s->own->edges->periodic ? add_neighbours(mg, i, sum, true)
                                          : add_neighbours(mg, i, sum, false);
        } else {
            sum = s->own->edges->periodic ? add_isotropic_neighbours(mg, i, sum, true)
                                          : add_isotropic_neighbours(mg, i, sum, false);
        }
        OozeSym3 d = {ooze_f32x4_sum(sum.e[0]), ooze_f32x4_sum(sum.e[1]), ooze_f32x4_sum(sum.e[2]),
                      ooze_f32x4_sum(sum.e[3]), ooze_f32x4_sum(sum.e[4]), ooze_f32x4_sum(sum.e[5])};
        float edges = solve->hourglass[i] * s->edge_sum[i][3] + solve->edge_hourglass[i];
        d = ooze_sym3_add(d, ooze_sym3_identity(edges));
        d = s->own->bodies ? add_bonds(s->own->bodies, i, s->dt, d) : d;
        float mass = s->rheology[s->material[i]].relative_mass;
        mg->diagonal[i] = ooze_sym3_add(ooze_sym3_scale(d, s->dt), ooze_sym3_identity(mass));
        if (solve->own->pairs) {
            mg->diagonal[i] = add_pairs(solve->own->pairs, i, mg->diagonal[i]);
        }
    }
}

/* ---- coefficients of the grids -------------------------------------------------------------- */

static void stiffness_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    const OozeConformationStep *s = mg->solve->step;
    for (uint64_t i = begin; i < end; i++) {
        float f = s->edge_sum[i][3], own = mg->shear[i];
        OozeWallRange walls = ooze_lodge_walls(s, i);
        for (uint64_t e = walls.first; e < walls.last; e++) {
            f -= s->own->wall_edge[e][3];
        }
        float mean = f > 0.0f ? ooze_edges_sum(s->own->edges, mg->shear, i) / f : 0.0f;
        ooze_lodge_grid_stiffen(own, mean, s->plan->settings.bulk, &mg->stiffness[i], &mg->bulk[i]);
    }
}

/* ---- conjugate gradients -------------------------------------------------------------------- */

static void precondition_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    const OozeLodge *solve = mg->solve;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeSym3 d = mg->inverse[i];
        OozeF32x4 r = solve->r[i], x = {d.xx, d.xy, d.xz, 0}, y = {d.xy, d.yy, d.yz, 0},
                  w = {d.xz, d.yz, d.zz, 0};
        OozeF32x4 z = ooze_lodge_project(solve->step, i, mg->z[i]);
        z += r[0] * x + r[1] * y + r[2] * w;
        z += mg->response ? mg->response[i] : ooze_f32x4(0, 0, 0, 0);
        mg->z[i] = z;
        sum += (double)ooze_f32x4_dot3(z, r);
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void update_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    OozeLodge *solve = mg->solve;
    float beta = (float)solve->own->beta;
    for (uint64_t i = begin; i < end; i++) {
        solve->p[i] = mg->z[i] + beta * solve->p[i];
    }
}

const OozeLodgeMultigridLoops OOZE_LOOPS(ooze_lodge_multigrid_loops) = {
    .diagonal = diagonal_range,
    .stiffness = stiffness_range,
    .precondition = precondition_range,
    .update = update_range,
};
