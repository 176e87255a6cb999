/* The operators of the pressure grid: sums over particles by cell, then by node, then by unknown;
   and the reverse for forces. */
#include "solvers/pressure_rows.h"

#include <math.h>
#include <string.h>

#include "solvers/conjugate_gradients.h"
#include "solvers/grid_multigrid_levels.h"

enum { NODE_GRAIN = 256, CELL_GRAIN = 64 };

static void each_node(const OozePressureGrid *grid, OozeRangeBody body, void *data)
{
    ooze_parallel_for(grid->input.threads, grid->nodes, NODE_GRAIN, body, data);
}

static void each_cell(const OozePressureGrid *grid, OozeRangeBody body, void *data)
{
    ooze_parallel_for(grid->input.threads, grid->multigrid->level[0].cells, CELL_GRAIN, body, data);
}

/* Hat function of a corner of a cell at a place in it, its gradient, and the position from it. */
typedef struct Hat {
    float n, gradient[3], y[3];
} Hat;

static inline Hat hat_at(const float edge[3], OozeF32x4 into, int corner)
{
    Hat hat;
    float w[3], slope[3];
    for (int k = 0; k < 3; k++) {
        int upper = corner >> k & 1;
        w[k] = upper ? into[k] : 1.0f - into[k];
        slope[k] = (upper ? 1.0f : -1.0f) / edge[k];
        hat.y[k] = (into[k] - (float)upper) * edge[k];
    }
    hat.n = w[0] * w[1] * w[2];
    hat.gradient[0] = slope[0] * w[1] * w[2];
    hat.gradient[1] = slope[1] * w[0] * w[2];
    hat.gradient[2] = slope[2] * w[0] * w[1];
    return hat;
}

/* ---- sums of nodes ---- */

static void add_hat(OozePressureSums *sum, const Hat *hat)
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

static void sum_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePressureGrid *grid = data;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    for (uint64_t a = begin; a < end; a++) {
        OozePressureSums sum = {0};
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
            uint64_t cell = level->node_corner[e] / 8;
            int corner = (int)(level->node_corner[e] % 8);
            for (uint32_t i = level->child_first[cell]; i < level->child_first[cell + 1]; i++) {
                Hat hat = hat_at(grid->edge, mg->into[i], corner);
                add_hat(&sum, &hat);
            }
        }
        grid->sums[a] = sum;
    }
}

void ooze_pressure_sum_fluid(OozePressureGrid *grid)
{
    each_node(grid, sum_range, grid);
}

/* ---- rows ---- */

/* Position of node a from node g. */
static inline void between(const OozePressureGrid *grid, uint64_t g, uint64_t a, float d[3])
{
    const OozeMultigridLevel *level = &grid->multigrid->level[0];
    int32_t to[3], from[3];
    d[0] = d[1] = d[2] = 0.0f;
    if (g == a) {
        return;
    }
    ooze_multigrid_place(level->shape.nodes, level->node[a], to);
    ooze_multigrid_place(level->shape.nodes, level->node[g], from);
    for (int k = 0; k < 3; k++) {
        int32_t steps = to[k] - from[k], count = level->shape.nodes[k];
        if (level->shape.wraps[k]) {
            steps -= 2 * steps > count ? count : 2 * steps < -count ? -count : 0;
        }
        d[k] = (float)steps * grid->edge[k];
    }
}

/* Adds the sums of a node at d from the node of the row. */
static void add_sums(OozePressureSums *to, const OozePressureSums *s, const float d[3],
                     float weight)
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

static void row_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozePressureGrid *grid = data;
    for (uint64_t g = begin; g < end; g++) {
        OozePressureSums sum = {0};
        float d[3];
        for (uint32_t k = grid->column_first[g]; k < grid->column_first[g + 1]; k++) {
            uint32_t a = grid->column_node[k];
            between(grid, g, a, d);
            add_sums(&sum, &grid->sums[a], d, grid->column_weight[k]);
        }
        grid->row[g] = ooze_pressure_row(&sum, grid->edge[0]);
        grid->flux[g] = sum.flux;
        grid->weight[g] = sum.weight;
        grid->walled[g] = !grid->idle[g] && sum.fixed > 0.0f;
    }
}

/* Diagonal of D M^-1 D^T without the extension: of an unknown's own hat function. */
static void diagonal_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozePressureGrid *grid = data;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    float least = 1e-3f / (grid->edge[0] * grid->edge[0]);
    for (uint64_t a = begin; a < end; a++) {
        float sum = 0.0f;
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
            uint64_t cell = level->node_corner[e] / 8;
            int corner = (int)(level->node_corner[e] % 8);
            for (uint32_t i = level->child_first[cell]; i < level->child_first[cell + 1]; i++) {
                Hat hat = hat_at(grid->edge, mg->into[i], corner);
                float square = hat.gradient[0] * hat.gradient[0] +
                               hat.gradient[1] * hat.gradient[1] +
                               hat.gradient[2] * hat.gradient[2];
                sum += square * grid->input.inverse_mass[level->child[i]];
            }
        }
        grid->idle[a] = grid->kind[a] != OOZE_PRESSURE_UNKNOWN || !(sum > least);
        grid->diagonal[a] = grid->idle[a] ? 0.0f : sum;
    }
}

void ooze_pressure_find_rows(OozePressureGrid *grid)
{
    each_node(grid, diagonal_range, grid);
    each_node(grid, row_range, grid);
}

/* ---- rates ---- */

typedef struct Product {
    OozePressureGrid *grid;
    const OozeF32x4 *u;
    OozeF32x4 *force;
    const float *p;
    float *to;
    bool exact;
} Product;

/* Per corner: sum grad N . u, in the last lane. */
static void plain_corner_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    OozePressureGrid *grid = s->grid;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    for (uint64_t c = begin; c < end; c++) {
        float sum[8] = {0};
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            OozeF32x4 u = s->u[level->child[i]];
            for (int k = 0; k < 8; k++) {
                Hat hat = hat_at(grid->edge, mg->into[i], k);
                sum[k] += hat.gradient[0] * u[0] + hat.gradient[1] * u[1] + hat.gradient[2] * u[2];
            }
        }
        for (uint64_t k = 0; k < 8; k++) {
            grid->corner[0][8 * c + k] = ooze_f32x4(0, 0, 0, sum[k]);
        }
    }
}

static void plain_node_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    OozePressureGrid *grid = s->grid;
    const OozeMultigridLevel *level = &grid->multigrid->level[0];
    for (uint64_t a = begin; a < end; a++) {
        OozeF32x4 sum = {0};
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
            sum += grid->corner[0][level->node_corner[e]];
        }
        grid->node[0][a] = sum;
    }
}

/* Per corner: (sum N u, sum grad N . u), and sum N y x u, y from corner 0 of the cell. */
static void corner_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    OozePressureGrid *grid = s->grid;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    for (uint64_t c = begin; c < end; c++) {
        OozeF32x4 sum[8] = {{0}}, turn[8] = {{0}};
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            OozeF32x4 into = mg->into[i], u = s->u[level->child[i]];
            float y[3] = {into[0] * grid->edge[0], into[1] * grid->edge[1],
                          into[2] * grid->edge[2]};
            OozeF32x4 cross = {y[1] * u[2] - y[2] * u[1], y[2] * u[0] - y[0] * u[2],
                               y[0] * u[1] - y[1] * u[0], 0};
            u[3] = 0;
            for (int k = 0; k < 8; k++) {
                Hat hat = hat_at(grid->edge, into, k);
                OozeF32x4 add = hat.n * u;
                add[3] = hat.gradient[0] * u[0] + hat.gradient[1] * u[1] + hat.gradient[2] * u[2];
                sum[k] += add;
                turn[k] += hat.n * cross;
            }
        }
        memcpy(grid->corner[0] + 8 * c, sum, sizeof sum);
        memcpy(grid->corner[1] + 8 * c, turn, sizeof turn);
    }
}

static inline OozeF32x4 cross3(const float a[3], OozeF32x4 b)
{
    return ooze_f32x4(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                      a[0] * b[1] - a[1] * b[0], 0);
}

static void corner_place(const OozePressureGrid *grid, int corner, float at[3])
{
    for (int k = 0; k < 3; k++) {
        at[k] = (corner >> k & 1) ? grid->edge[k] : 0.0f;
    }
}

/* Sums of corners, with turns about the node. */
static void node_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    OozePressureGrid *grid = s->grid;
    const OozeMultigridLevel *level = &grid->multigrid->level[0];
    for (uint64_t a = begin; a < end; a++) {
        OozeF32x4 sum = {0}, turn = {0};
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
            uint32_t c = level->node_corner[e];
            float at[3];
            corner_place(grid, (int)(c % 8), at);
            sum += grid->corner[0][c];
            turn += grid->corner[1][c] - cross3(at, grid->corner[0][c]);
        }
        grid->node[0][a] = sum;
        grid->node[1][a] = turn;
    }
}

static void rate_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    for (uint64_t g = begin; g < end; g++) {
        float rate = 0.0f;
        const OozePressureRow *row = &grid->row[g];
        const OozeF32x4 shift = {row->shift[0], row->shift[1], row->shift[2], 0};
        const OozeF32x4 turn = {row->turn[0], row->turn[1], row->turn[2], 0};
        for (uint32_t k = grid->column_first[g]; k < grid->column_first[g + 1] && !grid->idle[g];
             k++) {
            uint32_t a = grid->column_node[k];
            OozeF32x4 sum = grid->node[0][a];
            rate += grid->column_weight[k] * sum[3];
            if (s->exact) {
                float d[3];
                between(grid, g, a, d);
                for (int q = 0; q < 3; q++) {
                    d[q] -= row->centre[q];
                }
                float change = ooze_f32x4_dot3(shift, sum) +
                               ooze_f32x4_dot3(turn, grid->node[1][a] + cross3(d, sum));
                rate += fabsf(grid->column_weight[k]) * change;
            }
        }
        s->to[g] = rate;
    }
}

void ooze_pressure_rate(OozePressureGrid *grid, const OozeF32x4 *u, bool exact, float *rate)
{
    Product s = {.grid = grid, .u = u, .to = rate, .exact = exact};
    each_cell(grid, exact ? corner_range : plain_corner_range, &s);
    each_node(grid, exact ? node_range : plain_node_range, &s);
    each_node(grid, rate_range, &s);
    if (exact) {
        ooze_pressure_centre(grid, rate);
    }
}

/* ---- forces ---- */

/* Per node: (shift, E p) and turn. */
static void spread_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    for (uint64_t a = begin; a < end; a++) {
        OozeF32x4 sum = {0}, turns = {0};
        for (uint32_t k = grid->row_first[a]; k < grid->row_first[a + 1]; k++) {
            uint32_t g = grid->row_node[k];
            const OozePressureRow *row = &grid->row[g];
            float p = s->p[g];
            OozeF32x4 add = {0, 0, 0, grid->row_weight[k] * p};
            if (s->exact) {
                const OozeF32x4 shift = {row->shift[0], row->shift[1], row->shift[2], 0};
                const OozeF32x4 turn = {row->turn[0], row->turn[1], row->turn[2], 0};
                float d[3], w = fabsf(grid->row_weight[k]) * p;
                between(grid, g, a, d);
                for (int q = 0; q < 3; q++) {
                    d[q] -= row->centre[q];
                }
                add += w * (shift - cross3(d, turn)); /* turn x d */
                turns += w * turn;
            }
            sum += add;
        }
        grid->node[0][a] = sum;
        grid->node[1][a] = turns;
    }
}

/* The values of the corners of a cell, turns about its corner 0. */
static void load_corners(const OozePressureGrid *grid, uint64_t cell, OozeF32x4 value[8],
                         OozeF32x4 turn[8])
{
    const uint32_t *node = grid->multigrid->level[0].corner_node + 8 * cell;
    for (int k = 0; k < 8; k++) {
        float at[3];
        corner_place(grid, k, at);
        turn[k] = grid->node[1][node[k]];
        value[k] = grid->node[0][node[k]] + cross3(at, turn[k]); /* turn x (-at) */
    }
}

static void force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    for (uint64_t c = begin; c < end; c++) {
        OozeF32x4 value[8], turn[8];
        load_corners(grid, c, value, turn);
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            OozeF32x4 into = mg->into[i], force = {0}, turns = {0};
            float y[3] = {into[0] * grid->edge[0], into[1] * grid->edge[1],
                          into[2] * grid->edge[2]};
            for (int k = 0; k < 8; k++) {
                Hat hat = hat_at(grid->edge, into, k);
                const OozeF32x4 g = {hat.gradient[0], hat.gradient[1], hat.gradient[2], 0};
                force += hat.n * value[k] + g * value[k][3];
                turns += hat.n * turn[k];
            }
            force -= cross3(y, turns); /* turn x y */
            force[3] = 0;
            s->force[level->child[i]] = force;
        }
    }
}

static void plain_force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    for (uint64_t c = begin; c < end; c++) {
        const uint32_t *node = level->corner_node + 8 * c;
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            OozeF32x4 force = {0};
            for (int k = 0; k < 8; k++) {
                Hat hat = hat_at(grid->edge, mg->into[i], k);
                const OozeF32x4 g = {hat.gradient[0], hat.gradient[1], hat.gradient[2], 0};
                force += g * grid->node[0][node[k]][3];
            }
            s->force[level->child[i]] = force;
        }
    }
}

void ooze_pressure_force(OozePressureGrid *grid, const float *p, bool exact, OozeF32x4 *force)
{
    Product s = {.grid = grid, .p = p, .force = force, .exact = exact};
    each_node(grid, spread_range, &s);
    each_cell(grid, exact ? force_range : plain_force_range, &s);
}

/* ---- vectors of unknowns ---- */

void ooze_pressure_centre(const OozePressureGrid *grid, float *p)
{
    double sum = 0.0;
    if (!grid->closed || grid->unknowns == 0.0) {
        return;
    }
    for (uint64_t g = 0; g < grid->nodes; g++) {
        sum += grid->idle[g] ? 0.0 : (double)p[g];
    }
    for (uint64_t g = 0; g < grid->nodes; g++) {
        p[g] -= grid->idle[g] ? 0.0f : (float)(sum / grid->unknowns);
    }
}

void ooze_pressure_precondition(OozePressureGrid *grid, const float *r, float *z)
{
    ooze_grid_multigrid_cycle(grid->multigrid, r, z);
    for (uint64_t g = 0; g < grid->nodes; g++) {
        z[g] = grid->idle[g] ? 0.0f : z[g];
    }
}

/* ---- values of particles ---- */

static void to_particles_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    for (uint64_t c = begin; c < end; c++) {
        const uint32_t *node = level->corner_node + 8 * c;
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            OozeF32x4 sum = {0};
            for (int k = 0; k < 8; k++) {
                Hat hat = hat_at(grid->edge, mg->into[i], k);
                const OozeF32x4 add = {hat.gradient[0], hat.gradient[1], hat.gradient[2], hat.n};
                sum += grid->node[0][node[k]][3] * add;
            }
            s->force[level->child[i]] = sum;
        }
    }
}

void ooze_pressure_to_particles(OozePressureGrid *grid, const float *p, OozeF32x4 *values)
{
    Product s = {.grid = grid, .p = p, .force = values};
    each_node(grid, spread_range, &s);
    each_cell(grid, to_particles_range, &s);
}

static void from_particles_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    for (uint64_t a = begin; a < end; a++) {
        float sum = 0.0f, weight = 0.0f;
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1] && !grid->idle[a];
             e++) {
            uint64_t cell = level->node_corner[e] / 8;
            int corner = (int)(level->node_corner[e] % 8);
            for (uint32_t i = level->child_first[cell]; i < level->child_first[cell + 1]; i++) {
                Hat hat = hat_at(grid->edge, mg->into[i], corner);
                OozeF32x4 value = s->u[level->child[i]];
                sum += hat.n *
                       (value[3] - value[0] * hat.y[0] - value[1] * hat.y[1] - value[2] * hat.y[2]);
                weight += hat.n;
            }
        }
        s->to[a] = weight > 0.0f ? sum / weight : 0.0f;
    }
}

void ooze_pressure_from_particles(OozePressureGrid *grid, const OozeF32x4 *values, float *p)
{
    Product s = {.grid = grid, .u = values, .to = p};
    each_node(grid, from_particles_range, &s);
}

static void total_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->level[0];
    for (uint64_t a = begin; a < end; a++) {
        float sum = 0.0f;
        for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
            uint64_t cell = level->node_corner[e] / 8;
            int corner = (int)(level->node_corner[e] % 8);
            for (uint32_t i = level->child_first[cell]; i < level->child_first[cell + 1]; i++) {
                Hat hat = hat_at(grid->edge, mg->into[i], corner);
                sum += hat.n * s->u[level->child[i]][3];
            }
        }
        grid->value[a] = sum;
    }
}

static void collect_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    for (uint64_t g = begin; g < end; g++) {
        float sum = 0.0f;
        for (uint32_t k = grid->column_first[g]; k < grid->column_first[g + 1]; k++) {
            sum += grid->column_weight[k] * grid->value[grid->column_node[k]];
        }
        s->to[g] = grid->idle[g] ? 0.0f : sum;
    }
}

void ooze_pressure_collect(OozePressureGrid *grid, const OozeF32x4 *values, float *sum)
{
    Product s = {.grid = grid, .u = values, .to = sum};
    each_node(grid, total_range, &s);
    each_node(grid, collect_range, &s);
}

static void reaches_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Product *s = data;
    const OozePressureGrid *grid = s->grid;
    const OozeMultigridLevel *level = &grid->multigrid->level[0];
    for (uint64_t c = begin; c < end; c++) {
        bool any = false;
        for (int k = 0; k < 8; k++) {
            uint32_t a = level->corner_node[8 * c + (uint64_t)k];
            any = any || !grid->idle[a];
        }
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            s->to[level->child[i]] = any ? 1.0f : 0.0f;
        }
    }
}

void ooze_pressure_reaches(OozePressureGrid *grid, float *reached)
{
    Product s = {.grid = grid, .to = reached};
    each_cell(grid, reaches_range, &s);
}
