/* The operators of pressure_grid.h, for one particle, cell, node or unknown. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_PRESSURE_PRESSURE_ROWS_FORMULA_H
#define OOZE_SOLVERS_PRESSURE_PRESSURE_ROWS_FORMULA_H

#include "solvers/multigrid/grid_multigrid_formula.h"
#include "solvers/pressure/pressure_grid_formula.h"
#include "solvers/vectors/vector_formula.h"

typedef enum OozePressureNode {
    OOZE_PRESSURE_UNKNOWN,
    OOZE_PRESSURE_GHOST, /* beyond the surface */
    OOZE_PRESSURE_WALL   /* inside a wall */
} OozePressureNode;

/* Arrays of a grid, of the processor or of the GPU: see OozePressureGrid and OozeMultigridLevel. */
typedef struct OozePressureView {
    OozeMultigridShape shape;
    float edge[3];
    float particle; /* volume of one */
    const uint64_t *node;
    const uint32_t *node_first, *node_corner, *corner_node, *child_first, *child;
    const OozeVector *into;
    const float *inverse_mass;
    float *fill, *distance, *wall;
    uint8_t *kind, *idle, *walled;
    uint32_t *row_first, *row_node, *column_first, *column_node;
    float *row_weight, *column_weight;
    OozePressureSums *sums;
    OozePressureRow *row;
    float *flux, *diagonal, *weight, *error, *value;
    OozeVector *corner[2], *at_node[2];
    uint32_t *near; /* 27 per node: nodes around it, x fastest, or OOZE_MULTIGRID_NONE */
    uint32_t *ring; /* per node: see pressure_build_formula.h */
} OozePressureView;

/* ---- hat functions ---- */

/* Hat function of a corner of a cell at a place in it, its gradient, and the position from it. */
typedef struct OozePressureHat {
    float n, gradient[3], y[3];
} OozePressureHat;

OOZE_FORMULA OozePressureHat ooze_pressure_hat(const float edge[3], OozeVector into, int corner)
{
    OozePressureHat hat;
    float w[3], slope[3];
    OOZE_UNROLLED
    for (int k = 0; k < 3; k++) {
        int upper = corner >> k & 1;
        float t = ooze_vector_lane(into, k);
        w[k] = upper ? t : 1.0f - t;
        slope[k] = (upper ? 1.0f : -1.0f) / edge[k];
        hat.y[k] = (t - (float)upper) * edge[k];
    }
    hat.n = w[0] * w[1] * w[2];
    hat.gradient[0] = slope[0] * w[1] * w[2];
    hat.gradient[1] = slope[1] * w[0] * w[2];
    hat.gradient[2] = slope[2] * w[0] * w[1];
    return hat;
}

OOZE_FORMULA OozeVector ooze_pressure_hat_gradient(const OozePressureHat *hat, float last)
{
    return ooze_vector(hat->gradient[0], hat->gradient[1], hat->gradient[2], last);
}

/* Position in a cell from its corner 0, and of another corner. */
OOZE_FORMULA OozeVector ooze_pressure_place(const float edge[3], OozeVector into)
{
    return ooze_vector(ooze_vector_lane(into, 0) * edge[0], ooze_vector_lane(into, 1) * edge[1],
                       ooze_vector_lane(into, 2) * edge[2], 0.0f);
}

OOZE_FORMULA OozeVector ooze_pressure_corner_place(const float edge[3], int corner)
{
    return ooze_vector(corner & 1 ? edge[0] : 0.0f, corner & 2 ? edge[1] : 0.0f,
                       corner & 4 ? edge[2] : 0.0f, 0.0f);
}

/* Position of node a from node g. */
OOZE_FORMULA OozeVector ooze_pressure_between(const OozePressureView *v, uint32_t g, uint32_t a)
{
    int32_t to[3], from[3];
    float d[3] = {0.0f, 0.0f, 0.0f};
    if (g == a) {
        return ooze_vector_zero();
    }
    ooze_multigrid_place(v->shape.nodes, v->node[a], to);
    ooze_multigrid_place(v->shape.nodes, v->node[g], from);
    OOZE_UNROLLED
    for (int k = 0; k < 3; k++) {
        int32_t steps = to[k] - from[k], count = v->shape.nodes[k];
        if (v->shape.wraps[k]) {
            steps -= 2 * steps > count ? count : 2 * steps < -count ? -count : 0;
        }
        d[k] = (float)steps * v->edge[k];
    }
    return ooze_vector(d[0], d[1], d[2], 0.0f);
}

/* ---- sums of nodes ---- */

OOZE_FORMULA void ooze_pressure_add_hat(OozePressureSums *sum, const OozePressureHat *hat)
{
    const float *y = hat->y, *g = hat->gradient;
    sum->weight += hat->n;
    for (int k = 0; k < 3; k++) {
        sum->first[k] += hat->n * y[k];
        sum->second[k] += hat->n * y[k] * y[k];
        sum->gradient[k] += g[k];
    }
    sum->second[3] += hat->n * y[0] * y[1];
    sum->second[4] += hat->n * y[0] * y[2];
    sum->second[5] += hat->n * y[1] * y[2];
    sum->turn[0] += y[1] * g[2] - y[2] * g[1];
    sum->turn[1] += y[2] * g[0] - y[0] * g[2];
    sum->turn[2] += y[0] * g[1] - y[1] * g[0];
}

OOZE_FORMULA OozePressureSums ooze_pressure_no_sums(void)
{
    OozePressureSums sum;
    sum.weight = sum.wall = sum.flux = sum.fixed = 0.0f;
    for (int k = 0; k < 3; k++) {
        sum.first[k] = sum.gradient[k] = sum.turn[k] = 0.0f;
        sum.second[k] = sum.second[3 + k] = 0.0f;
        sum.wall_gradient[k] = sum.wall_turn[k] = 0.0f;
    }
    return sum;
}

/* Sums over fluid. */
OOZE_FORMULA void ooze_pressure_sum_node(const OozePressureView *v, uint32_t a)
{
    OozePressureSums sum = ooze_pressure_no_sums();
    for (uint32_t e = v->node_first[a]; e < v->node_first[a + 1]; e++) {
        uint32_t cell = v->node_corner[e] / 8;
        int corner = (int)(v->node_corner[e] % 8);
        for (uint32_t i = v->child_first[cell]; i < v->child_first[cell + 1]; i++) {
            OozePressureHat hat = ooze_pressure_hat(v->edge, v->into[i], corner);
            ooze_pressure_add_hat(&sum, &hat);
        }
    }
    v->sums[a] = sum;
}

/* ---- rows ---- */

/* Adds the sums of a node at d from the node of the row. */
OOZE_FORMULA void ooze_pressure_add_sums(OozePressureSums *to, const OozePressureSums *s,
                                         const float d[3], float weight)
{
    float w = fabsf(weight), g[3], turn[3];
    to->weight += w * s->weight;
    to->flux += weight * s->flux;
    to->fixed += w * s->fixed;
    const int row[6] = {0, 1, 2, 0, 0, 1}, of[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 3; k++) {
        to->first[k] += w * (s->first[k] + d[k] * s->weight);
        g[k] = s->gradient[k] + s->wall_gradient[k];
        turn[k] = s->turn[k] + s->wall_turn[k];
        to->gradient[k] += weight * g[k];
    }
    for (int k = 0; k < 6; k++) {
        int p = row[k], q = of[k];
        to->second[k] +=
            w * (s->second[k] + d[p] * s->first[q] + d[q] * s->first[p] + d[p] * d[q] * s->weight);
    }
    to->turn[0] += weight * (turn[0] + d[1] * g[2] - d[2] * g[1]);
    to->turn[1] += weight * (turn[1] + d[2] * g[0] - d[0] * g[2]);
    to->turn[2] += weight * (turn[2] + d[0] * g[1] - d[1] * g[0]);
}

OOZE_FORMULA void ooze_pressure_find_row(const OozePressureView *v, uint32_t g)
{
    OozePressureSums sum = ooze_pressure_no_sums();
    for (uint32_t k = v->column_first[g]; k < v->column_first[g + 1]; k++) {
        uint32_t a = v->column_node[k];
        OozeVector off = ooze_pressure_between(v, g, a);
        const float d[3] = {ooze_vector_lane(off, 0), ooze_vector_lane(off, 1),
                            ooze_vector_lane(off, 2)};
        ooze_pressure_add_sums(&sum, &v->sums[a], d, v->column_weight[k]);
    }
    v->row[g] = ooze_pressure_row(&sum, v->edge[0]);
    v->flux[g] = sum.flux;
    v->weight[g] = sum.weight;
    v->walled[g] = !v->idle[g] && sum.fixed > 0.0f;
}

/* Diagonal of D M^-1 D^T without the extension: of an unknown's own hat function. */
OOZE_FORMULA void ooze_pressure_diagonal_of(const OozePressureView *v, uint32_t a)
{
    float sum = 0.0f, least = 1e-3f / (v->edge[0] * v->edge[0]);
    for (uint32_t e = v->node_first[a]; e < v->node_first[a + 1]; e++) {
        uint32_t cell = v->node_corner[e] / 8;
        int corner = (int)(v->node_corner[e] % 8);
        for (uint32_t i = v->child_first[cell]; i < v->child_first[cell + 1]; i++) {
            OozePressureHat hat = ooze_pressure_hat(v->edge, v->into[i], corner);
            float square = hat.gradient[0] * hat.gradient[0] + hat.gradient[1] * hat.gradient[1] +
                           hat.gradient[2] * hat.gradient[2];
            sum += square * v->inverse_mass[v->child[i]];
        }
    }
    v->idle[a] = v->kind[a] != OOZE_PRESSURE_UNKNOWN || !(sum > least);
    v->diagonal[a] = v->idle[a] ? 0.0f : sum;
}

/* ---- rates ---- */

/* The rate of a particle in a corner: grad N . u. */
OOZE_FORMULA float ooze_pressure_plain_rate(const OozePressureHat *hat, OozeVector u)
{
    return hat->gradient[0] * ooze_vector_lane(u, 0) + hat->gradient[1] * ooze_vector_lane(u, 1) +
           hat->gradient[2] * ooze_vector_lane(u, 2);
}

/* (N u, grad N . u) */
OOZE_FORMULA OozeVector ooze_pressure_moved(const OozePressureHat *hat, OozeVector u)
{
    return ooze_vector_with_last(ooze_vector_scale(hat->n, u), ooze_pressure_plain_rate(hat, u));
}

/* Sums of the corners of a node. */
OOZE_FORMULA void ooze_pressure_gather_plain(const OozePressureView *v, uint32_t a)
{
    OozeVector sum = ooze_vector_zero();
    for (uint32_t e = v->node_first[a]; e < v->node_first[a + 1]; e++) {
        sum = ooze_vector_add(sum, v->corner[0][v->node_corner[e]]);
    }
    v->at_node[0][a] = sum;
}

/* The same with turns, which are about corner 0 of the cell there and about the node here. */
OOZE_FORMULA void ooze_pressure_gather(const OozePressureView *v, uint32_t a)
{
    OozeVector sum = ooze_vector_zero(), turn = ooze_vector_zero();
    for (uint32_t e = v->node_first[a]; e < v->node_first[a + 1]; e++) {
        uint32_t c = v->node_corner[e];
        OozeVector at = ooze_pressure_corner_place(v->edge, (int)(c % 8)), own = v->corner[0][c];
        sum = ooze_vector_add(sum, own);
        turn = ooze_vector_add(
            turn,
            ooze_vector_add(v->corner[1][c], ooze_vector_scale(-1.0f, ooze_vector_cross(at, own))));
    }
    v->at_node[0][a] = sum;
    v->at_node[1][a] = turn;
}

OOZE_FORMULA OozeVector ooze_pressure_of_array(const float a[3])
{
    return ooze_vector(a[0], a[1], a[2], 0.0f);
}

/* a - b, of three lanes; the last is 0 where that of both is. */
OOZE_FORMULA OozeVector ooze_pressure_minus(OozeVector a, OozeVector b)
{
    return ooze_vector_add(a, ooze_vector_scale(-1.0f, b));
}

/* Rate of an unknown, from the sums of nodes. */
OOZE_FORMULA float ooze_pressure_rate_of(const OozePressureView *v, uint32_t g, bool exact)
{
    float rate = 0.0f;
    const OozePressureRow *row = &v->row[g];
    const OozeVector shift = ooze_pressure_of_array(row->shift);
    const OozeVector turn = ooze_pressure_of_array(row->turn);
    const OozeVector centre = ooze_pressure_of_array(row->centre);
    if (v->idle[g]) {
        return 0.0f;
    }
    for (uint32_t k = v->column_first[g]; k < v->column_first[g + 1]; k++) {
        uint32_t a = v->column_node[k];
        OozeVector sum = v->at_node[0][a];
        rate += v->column_weight[k] * ooze_vector_last(sum);
        if (exact) {
            OozeVector d = ooze_pressure_minus(ooze_pressure_between(v, g, a), centre);
            OozeVector about = ooze_vector_add(v->at_node[1][a], ooze_vector_cross(d, sum));
            float change = ooze_vector_dot(shift, sum) + ooze_vector_dot(turn, about);
            rate += fabsf(v->column_weight[k]) * change;
        }
    }
    return rate;
}

/* ---- forces ---- */

/* Per node: (shift, E p) and turn. */
OOZE_FORMULA void ooze_pressure_spread(const OozePressureView *v, uint32_t a, const float *p,
                                       bool exact)
{
    OozeVector sum = ooze_vector_zero(), turns = ooze_vector_zero();
    for (uint32_t k = v->row_first[a]; k < v->row_first[a + 1]; k++) {
        uint32_t g = v->row_node[k];
        OozeVector add = ooze_vector(0.0f, 0.0f, 0.0f, v->row_weight[k] * p[g]);
        if (exact) {
            const OozePressureRow *row = &v->row[g];
            const OozeVector shift = ooze_pressure_of_array(row->shift);
            const OozeVector turn = ooze_pressure_of_array(row->turn);
            OozeVector d = ooze_pressure_minus(ooze_pressure_between(v, g, a),
                                               ooze_pressure_of_array(row->centre));
            float w = fabsf(v->row_weight[k]) * p[g];
            OozeVector at = ooze_pressure_minus(shift, ooze_vector_cross(d, turn)); /* turn x d */
            add = ooze_vector_add(add, ooze_vector_scale(w, at));
            turns = ooze_vector_add(turns, ooze_vector_scale(w, turn));
        }
        sum = ooze_vector_add(sum, add);
    }
    v->at_node[0][a] = sum;
    v->at_node[1][a] = turns;
}

/* The values at the corners of a cell, turns about its corner 0. */
OOZE_FORMULA void ooze_pressure_load_corners(const OozePressureView *v, uint32_t cell,
                                             OozeVector value[8], OozeVector turn[8])
{
    const uint32_t *node = v->corner_node + 8 * (uint64_t)cell;
    OOZE_UNROLLED
    for (int k = 0; k < 8; k++) {
        OozeVector at = ooze_pressure_corner_place(v->edge, k);
        turn[k] = v->at_node[1][node[k]];
        value[k] = ooze_vector_add(v->at_node[0][node[k]],
                                   ooze_vector_cross(at, turn[k])); /* turn x (-at) */
    }
}

/* Force on a particle, from the values at the corners of its cell. */
OOZE_FORMULA OozeVector ooze_pressure_force_at(const float edge[3], OozeVector into,
                                               const OozeVector value[8], const OozeVector turn[8])
{
    OozeVector force = ooze_vector_zero(), turns = ooze_vector_zero();
    OozeVector y = ooze_pressure_place(edge, into);
    OOZE_UNROLLED
    for (int k = 0; k < 8; k++) {
        OozePressureHat hat = ooze_pressure_hat(edge, into, k);
        OozeVector g = ooze_pressure_hat_gradient(&hat, 0.0f);
        force = ooze_vector_add(force,
                                ooze_vector_add(ooze_vector_scale(hat.n, value[k]),
                                                ooze_vector_scale(ooze_vector_last(value[k]), g)));
        turns = ooze_vector_add(turns, ooze_vector_scale(hat.n, turn[k]));
    }
    force = ooze_pressure_minus(force, ooze_vector_cross(y, turns)); /* turn x y */
    return ooze_vector_with_last(force, 0.0f);
}

/* The first particle of a cell around a node; corner: an index of node_corner. */
OOZE_FORMULA uint32_t ooze_pressure_child_at(const OozePressureView *v, uint32_t corner)
{
    return v->child[v->child_first[v->node_corner[corner] / 8]];
}

/* ---- values of particles ---- */

/* (gradient, value) of what is spread. */
OOZE_FORMULA OozeVector ooze_pressure_value_at(const OozePressureView *v, uint32_t cell,
                                               OozeVector into)
{
    const uint32_t *node = v->corner_node + 8 * (uint64_t)cell;
    OozeVector sum = ooze_vector_zero();
    OOZE_UNROLLED
    for (int k = 0; k < 8; k++) {
        OozePressureHat hat = ooze_pressure_hat(v->edge, into, k);
        float p = ooze_vector_last(v->at_node[0][node[k]]);
        sum = ooze_vector_add(sum, ooze_vector_scale(p, ooze_pressure_hat_gradient(&hat, hat.n)));
    }
    return sum;
}

OOZE_FORMULA OozeVector ooze_pressure_plain_force_at(const OozePressureView *v, uint32_t cell,
                                                     OozeVector into)
{
    return ooze_vector_with_last(ooze_pressure_value_at(v, cell, into), 0.0f);
}

/* Value of an unknown from (gradient, value) of the particles around. */
OOZE_FORMULA float ooze_pressure_mean_at(const OozePressureView *v, uint32_t a,
                                         const OozeVector *values)
{
    float sum = 0.0f, weight = 0.0f;
    if (v->idle[a]) {
        return 0.0f;
    }
    for (uint32_t e = v->node_first[a]; e < v->node_first[a + 1]; e++) {
        uint32_t cell = v->node_corner[e] / 8;
        int corner = (int)(v->node_corner[e] % 8);
        for (uint32_t i = v->child_first[cell]; i < v->child_first[cell + 1]; i++) {
            OozePressureHat hat = ooze_pressure_hat(v->edge, v->into[i], corner);
            OozeVector value = values[v->child[i]];
            sum += hat.n *
                   (ooze_vector_last(value) - ooze_vector_lane(value, 0) * hat.y[0] -
                    ooze_vector_lane(value, 1) * hat.y[1] - ooze_vector_lane(value, 2) * hat.y[2]);
            weight += hat.n;
        }
    }
    return weight > 0.0f ? sum / weight : 0.0f;
}

/* Sum over the particles of the hat function of a node times their last lanes. */
OOZE_FORMULA float ooze_pressure_total_at(const OozePressureView *v, uint32_t a,
                                          const OozeVector *values)
{
    float sum = 0.0f;
    for (uint32_t e = v->node_first[a]; e < v->node_first[a + 1]; e++) {
        uint32_t cell = v->node_corner[e] / 8;
        int corner = (int)(v->node_corner[e] % 8);
        for (uint32_t i = v->child_first[cell]; i < v->child_first[cell + 1]; i++) {
            OozePressureHat hat = ooze_pressure_hat(v->edge, v->into[i], corner);
            sum += hat.n * ooze_vector_last(values[v->child[i]]);
        }
    }
    return sum;
}

/* E^T of `value`. */
OOZE_FORMULA float ooze_pressure_collected(const OozePressureView *v, uint32_t g)
{
    float sum = 0.0f;
    for (uint32_t k = v->column_first[g]; k < v->column_first[g + 1]; k++) {
        sum += v->column_weight[k] * v->value[v->column_node[k]];
    }
    return v->idle[g] ? 0.0f : sum;
}

/* Whether the pressure of a node follows an unknown that acts on walls. */
OOZE_FORMULA bool ooze_pressure_follows_walled(const OozePressureView *v, uint32_t a)
{
    bool any = false;
    for (uint32_t k = v->row_first[a]; k < v->row_first[a + 1]; k++) {
        any = any || v->walled[v->row_node[k]];
    }
    return any;
}

/* The largest `value` at the corners of a cell. */
OOZE_FORMULA float ooze_pressure_most_of_cell(const OozePressureView *v, uint32_t cell)
{
    float most = 0.0f;
    for (int k = 0; k < 8; k++) {
        most = fmaxf(most, v->value[v->corner_node[8 * (uint64_t)cell + (uint64_t)k]]);
    }
    return most;
}

/* Whether a node with a pressure is at a corner of a cell. */
OOZE_FORMULA bool ooze_pressure_reaches_cell(const OozePressureView *v, uint32_t cell)
{
    bool any = false;
    for (int k = 0; k < 8; k++) {
        any = any || !v->idle[v->corner_node[8 * (uint64_t)cell + (uint64_t)k]];
    }
    return any;
}

#endif
