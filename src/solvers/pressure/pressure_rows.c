/* The operators of the pressure grid: sums over particles by cell, then by node, then by unknown;
   and the reverse for forces. */
#include "solvers/pressure/pressure_rows.h"

#include <math.h>
#include <string.h>

#include "solvers/multigrid/grid_multigrid_levels.h"

enum { NODE_GRAIN = 256, CELL_GRAIN = 64 };

/* A loop over nodes or cells. */
typedef struct Loop {
    OozePressureView view;
    const OozeF32x4 *u; /* of particles */
    OozeF32x4 *force;   /* likewise, that are written */
    const float *p;
    float *to;
    bool exact;
} Loop;

static void each_node(const OozePressureGrid *grid, OozeRangeBody body, void *data)
{
    ooze_parallel_for(grid->input.threads, grid->nodes, NODE_GRAIN, body, data);
}

static void each_cell(const OozePressureGrid *grid, OozeRangeBody body, void *data)
{
    ooze_parallel_for(grid->input.threads, grid->multigrid->grids.level[0].cells, CELL_GRAIN, body,
                      data);
}

OozePressureView ooze_pressure_view(const OozePressureGrid *grid)
{
    const OozeGridMultigrid *mg = grid->multigrid;
    const OozeMultigridLevel *level = &mg->grids.level[0];
    const double spacing = grid->input.spacing;
    OozePressureView view = {.shape = level->shape,
                             .edge = {grid->edge[0], grid->edge[1], grid->edge[2]},
                             .particle = (float)(spacing * spacing * spacing),
                             .node = level->node,
                             .node_first = level->node_first,
                             .node_corner = level->node_corner,
                             .corner_node = level->corner_node,
                             .child_first = level->child_first,
                             .child = level->child,
                             .into = mg->grids.into,
                             .inverse_mass = grid->input.inverse_mass,
                             .fill = grid->fill,
                             .distance = grid->distance,
                             .wall = grid->wall,
                             .kind = grid->kind,
                             .idle = grid->idle,
                             .walled = grid->walled,
                             .row_first = grid->row_first,
                             .row_node = grid->row_node,
                             .column_first = grid->column_first,
                             .column_node = grid->column_node,
                             .row_weight = grid->row_weight,
                             .column_weight = grid->column_weight,
                             .sums = grid->sums,
                             .row = grid->row,
                             .flux = grid->flux,
                             .diagonal = grid->diagonal,
                             .weight = grid->weight,
                             .error = grid->error,
                             .value = grid->value,
                             .corner = {grid->corner[0], grid->corner[1]},
                             .at_node = {grid->node[0], grid->node[1]},
                             .near = grid->near,
                             .ring = grid->ring};
    return view;
}

/* ---- sums of nodes, and rows ---- */

static void sum_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_sum_node(&s->view, (uint32_t)a);
    }
}

void ooze_pressure_sum_fluid(OozePressureGrid *grid)
{
    Loop s = {.view = ooze_pressure_view(grid)};
    each_node(grid, sum_range, &s);
}

static void row_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t g = begin; g < end; g++) {
        ooze_pressure_find_row(&s->view, (uint32_t)g);
    }
}

static void diagonal_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_diagonal_of(&s->view, (uint32_t)a);
    }
}

void ooze_pressure_find_diagonal(OozePressureGrid *grid)
{
    Loop s = {.view = ooze_pressure_view(grid)};
    each_node(grid, diagonal_range, &s);
}

void ooze_pressure_find_rows(OozePressureGrid *grid)
{
    Loop s = {.view = ooze_pressure_view(grid)};
    each_node(grid, row_range, &s);
}

/* ---- rates ---- */

/* Per corner: sum grad N . u, in the last lane. */
static void plain_corner_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    const OozePressureView *v = &s->view;
    for (uint64_t c = begin; c < end; c++) {
        float sum[8] = {0};
        for (uint32_t i = v->child_first[c]; i < v->child_first[c + 1]; i++) {
            OozeF32x4 u = s->u[v->child[i]];
            for (int k = 0; k < 8; k++) {
                OozePressureHat hat = ooze_pressure_hat(v->edge, v->into[i], k);
                sum[k] += ooze_pressure_plain_rate(&hat, u);
            }
        }
        for (uint64_t k = 0; k < 8; k++) {
            v->corner[0][8 * c + k] = ooze_f32x4(0, 0, 0, sum[k]);
        }
    }
}

static void plain_node_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_gather_plain(&s->view, (uint32_t)a);
    }
}

/* Per corner: (sum N u, sum grad N . u), and sum N y x u, y from corner 0 of the cell. */
static void corner_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    const OozePressureView *v = &s->view;
    for (uint64_t c = begin; c < end; c++) {
        OozeF32x4 sum[8] = {{0}}, turn[8] = {{0}};
        for (uint32_t i = v->child_first[c]; i < v->child_first[c + 1]; i++) {
            OozeF32x4 into = v->into[i], u = s->u[v->child[i]];
            OozeF32x4 cross = ooze_vector_cross(ooze_pressure_place(v->edge, into), u);
            for (int k = 0; k < 8; k++) {
                OozePressureHat hat = ooze_pressure_hat(v->edge, into, k);
                sum[k] += ooze_pressure_moved(&hat, u);
                turn[k] += hat.n * cross;
            }
        }
        memcpy(v->corner[0] + 8 * c, sum, sizeof sum);
        memcpy(v->corner[1] + 8 * c, turn, sizeof turn);
    }
}

static void node_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_gather(&s->view, (uint32_t)a);
    }
}

static void rate_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t g = begin; g < end; g++) {
        s->to[g] = ooze_pressure_rate_of(&s->view, (uint32_t)g, s->exact);
    }
}

void ooze_pressure_rate(OozePressureGrid *grid, const OozeF32x4 *u, bool exact, float *rate)
{
    Loop s = {.view = ooze_pressure_view(grid), .u = u, .to = rate, .exact = exact};
    each_cell(grid, exact ? corner_range : plain_corner_range, &s);
    each_node(grid, exact ? node_range : plain_node_range, &s);
    each_node(grid, rate_range, &s);
    if (exact) {
        ooze_pressure_centre(grid, rate);
    }
}

/* ---- forces ---- */

static void spread_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t a = begin; a < end; a++) {
        ooze_pressure_spread(&s->view, (uint32_t)a, s->p, s->exact);
    }
}

static void force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    const OozePressureView *v = &s->view;
    for (uint64_t c = begin; c < end; c++) {
        OozeF32x4 value[8], turn[8];
        ooze_pressure_load_corners(v, (uint32_t)c, value, turn);
        for (uint32_t i = v->child_first[c]; i < v->child_first[c + 1]; i++) {
            s->force[v->child[i]] = ooze_pressure_force_at(v->edge, v->into[i], value, turn);
        }
    }
}

static void plain_force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    const OozePressureView *v = &s->view;
    for (uint64_t c = begin; c < end; c++) {
        for (uint32_t i = v->child_first[c]; i < v->child_first[c + 1]; i++) {
            s->force[v->child[i]] = ooze_pressure_plain_force_at(v, (uint32_t)c, v->into[i]);
        }
    }
}

void ooze_pressure_force(OozePressureGrid *grid, const float *p, bool exact, OozeF32x4 *force)
{
    Loop s = {.view = ooze_pressure_view(grid), .p = p, .force = force, .exact = exact};
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
    const Loop *s = data;
    const OozePressureView *v = &s->view;
    for (uint64_t c = begin; c < end; c++) {
        for (uint32_t i = v->child_first[c]; i < v->child_first[c + 1]; i++) {
            s->force[v->child[i]] = ooze_pressure_value_at(v, (uint32_t)c, v->into[i]);
        }
    }
}

void ooze_pressure_to_particles(OozePressureGrid *grid, const float *p, OozeF32x4 *values)
{
    Loop s = {.view = ooze_pressure_view(grid), .p = p, .force = values};
    each_node(grid, spread_range, &s);
    each_cell(grid, to_particles_range, &s);
}

static void from_particles_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t a = begin; a < end; a++) {
        s->to[a] = ooze_pressure_mean_at(&s->view, (uint32_t)a, s->u);
    }
}

void ooze_pressure_from_particles(OozePressureGrid *grid, const OozeF32x4 *values, float *p)
{
    Loop s = {.view = ooze_pressure_view(grid), .u = values, .to = p};
    each_node(grid, from_particles_range, &s);
}

static void total_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t a = begin; a < end; a++) {
        s->view.value[a] = ooze_pressure_total_at(&s->view, (uint32_t)a, s->u);
    }
}

static void collect_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t g = begin; g < end; g++) {
        s->to[g] = ooze_pressure_collected(&s->view, (uint32_t)g);
    }
}

void ooze_pressure_collect(OozePressureGrid *grid, const OozeF32x4 *values, float *sum)
{
    Loop s = {.view = ooze_pressure_view(grid), .u = values, .to = sum};
    each_node(grid, total_range, &s);
    each_node(grid, collect_range, &s);
}

static void reaches_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    const OozePressureView *v = &s->view;
    for (uint64_t c = begin; c < end; c++) {
        float reached = ooze_pressure_reaches_cell(v, (uint32_t)c) ? 1.0f : 0.0f;
        for (uint32_t i = v->child_first[c]; i < v->child_first[c + 1]; i++) {
            s->to[v->child[i]] = reached;
        }
    }
}

/* Per node: 1 where its pressure follows an unknown that acts on walls. */
static void follows_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    for (uint64_t a = begin; a < end; a++) {
        s->view.value[a] = ooze_pressure_follows_walled(&s->view, (uint32_t)a) ? 1.0f : 0.0f;
    }
}

static void walled_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *s = data;
    const OozePressureView *v = &s->view;
    for (uint64_t c = begin; c < end; c++) {
        float most = ooze_pressure_most_of_cell(v, (uint32_t)c);
        for (uint32_t i = v->child_first[c]; i < v->child_first[c + 1]; i++) {
            s->to[v->child[i]] = most;
        }
    }
}

void ooze_pressure_walled(OozePressureGrid *grid, float *walled)
{
    Loop s = {.view = ooze_pressure_view(grid), .to = walled};
    each_node(grid, follows_range, &s);
    each_cell(grid, walled_range, &s);
}

void ooze_pressure_reaches(OozePressureGrid *grid, float *reached)
{
    Loop s = {.view = ooze_pressure_view(grid), .to = reached};
    each_cell(grid, reaches_range, &s);
}
