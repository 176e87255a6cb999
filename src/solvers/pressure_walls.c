/* Shares of walls in the hat functions of nodes, from the distance fields of the solids. A cell
   that a wall cuts is divided; of each part the tangent plane at its middle cuts off a share, taken
   at the share's own middle: exact for planes along the axes. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/broad_phase.h"
#include "solvers/grid_multigrid_levels.h"
#include "solvers/pressure_grid.h"

enum { PARTS = 4, GROUP = OOZE_BROAD_PHASE_GROUP, NODE_GRAIN = 32 * GROUP };

typedef struct Walls {
    OozePressureGrid *grid;
    OozeBroadPhase nearby;
    OozeF32x4 *x;     /* nodes */
    OozeVec3 *normal; /* per node */
    double half;      /* half a diagonal of a cell */
} Walls;

/* The nearest of some solids, at the beginning of the step. */
static OozeContact nearest(const Walls *w, uint64_t near, OozeVec3 x, int *solid)
{
    const OozePressureGridInput *in = &w->grid->input;
    OozeContact best = {.distance = INFINITY};
    for (int k = 0; k < in->solid_count; k++) {
        if (ooze_broad_phase_has(near, k) && w->nearby.items[k].collides) {
            OozeContact contact = ooze_solid_contact(&in->solids[k], x);
            contact.distance += in->dt * vec3_dot(contact.velocity, contact.normal);
            *solid = contact.distance < best.distance ? k : *solid;
            best = contact.distance < best.distance ? contact : best;
        }
    }
    return best;
}

/* Adds a part of a wall, `volume` in cells, at y from the node. Returns its integral of the
   gradient of the hat function. */
static OozeVec3 add_part(OozePressureSums *sum, const float edge[3], const double y[3],
                         double volume, OozeVec3 velocity)
{
    double w[3], g[3], cell = 1.0;
    for (int k = 0; k < 3; k++) {
        w[k] = 1.0 - fabs(y[k]) / (double)edge[k];
        cell *= (double)edge[k];
    }
    for (int k = 0; k < 3; k++) {
        g[k] = (y[k] < 0.0 ? 1.0 : -1.0) / (double)edge[k] * w[(k + 1) % 3] * w[(k + 2) % 3];
        sum->gradient[k] += (float)(volume * g[k]);
    }
    sum->wall += (float)(volume * w[0] * w[1] * w[2]);
    sum->turn[0] += (float)(volume * (y[1] * g[2] - y[2] * g[1]));
    sum->turn[1] += (float)(volume * (y[2] * g[0] - y[0] * g[2]));
    sum->turn[2] += (float)(volume * (y[0] * g[1] - y[1] * g[0]));
    sum->flux += (float)(volume * (g[0] * velocity.x + g[1] * velocity.y + g[2] * velocity.z));
    return vec3(volume * g[0], volume * g[1], volume * g[2]);
}

typedef struct Sum {
    OozePressureSums walls;
    OozePressureSlot *slots; /* of the node; NULL: there are no bodies */
} Sum;

/* Number of a solid among the bodies, whose velocity is unknown, or -1. */
static int body_of(const Walls *w, int solid)
{
    const OozePressureGridInput *in = &w->grid->input;
    return in->body_count > 0 ? in->body[solid] : -1;
}

/* Part of a cell, its middle from a node. */
typedef struct Box {
    double middle[3];
    int parts;   /* of the cell along an axis */
    double bend; /* curvature of a body there, 1/m: div of the normal */
} Box;

/* Shares by tangent planes of boxes are a mean over the width of a box. Around a convex body there
   is more room outside than inside: without the bend, a ball of radius 2 spacings would be 4 % too
   large. */
static double share_of(const Box *box, double distance, double size)
{
    double d = distance + box->bend * size * size / 24.0;
    return fmin(1.0, fmax(0.0, 0.5 - d / fmax(size, 1e-12)));
}

static void add_box(const Walls *w, uint64_t near, OozeVec3 x0, const Box *box, Sum *sum)
{
    const float *edge = w->grid->edge;
    const double *middle = box->middle;
    int solid = 0, parts = box->parts;
    OozeVec3 x = vec3_add(x0, vec3(middle[0], middle[1], middle[2]));
    OozeContact c = nearest(w, near, x, &solid);
    double share = 1.0 / (double)(parts * parts * parts), size = 0.0;
    const double n[3] = {c.normal.x, c.normal.y, c.normal.z};
    for (int k = 0; k < 3; k++) {
        size += fabs(n[k]) * (double)edge[k] / parts;
    }
    double in = share_of(box, c.distance, size);
    if (in > 0.0) {
        double y[3];
        int body = body_of(w, solid);
        float flux = sum->walls.flux, before = sum->walls.wall;
        for (int k = 0; k < 3; k++) {
            y[k] = middle[k] - 0.5 * (1.0 - in) * n[k] * (double)edge[k] / parts;
        }
        OozeVec3 gradient = add_part(&sum->walls, edge, y, in * share, c.velocity);
        bool added = false;
        if (body >= 0) {
            OozeVec3 arm =
                vec3_sub(vec3_add(x0, vec3(y[0], y[1], y[2])), w->grid->input.body_centre[body]);
            added = ooze_pressure_bodies_add(sum->slots, body, gradient, arm);
        }
        sum->walls.flux = added ? flux : sum->walls.flux;
        sum->walls.fixed += added ? 0.0f : sum->walls.wall - before;
    }
}

/* At the surface of a body that is at the distance d from the middle x of a cell: from the
   Laplacian of the distance there, which is 2/r around a ball. */
static double bend_at(const Walls *w, uint64_t near, OozeVec3 x, double d)
{
    const float *edge = w->grid->edge;
    double sum = 0.0, square = 0.0;
    int solid = 0;
    for (int p = 0; p < 8; p++) {
        OozeVec3 off =
            vec3((p & 1 ? 0.25 : -0.25) * (double)edge[0], (p & 2 ? 0.25 : -0.25) * (double)edge[1],
                 (p & 4 ? 0.25 : -0.25) * (double)edge[2]);
        sum += nearest(w, near, vec3_add(x, off), &solid).distance / 8.0;
        square += vec3_dot(off, off) / 24.0;
    }
    double most = 2.0 / sqrt(square) / 4.0, bend = 2.0 * (sum - d) / square;
    bend = fmin(most, fmax(-most, bend));
    return fmin(most, bend / fmax(0.25, 1.0 - 0.5 * d * bend));
}

/* The cell of a node on the sides of `corner` of it that the node is. */
static void add_cell(const Walls *w, uint64_t near, OozeVec3 x0, int corner, Sum *sum)
{
    const float *edge = w->grid->edge;
    double middle[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = (corner >> k & 1 ? -0.5 : 0.5) * (double)edge[k];
    }
    OozeVec3 x = vec3_add(x0, vec3(middle[0], middle[1], middle[2]));
    int solid = 0;
    double d = nearest(w, near, x, &solid).distance;
    if (d > w->half) {
        return;
    }
    Box box = {.parts = d < -w->half ? 1 : PARTS};
    int parts = box.parts;
    box.bend = parts > 1 && body_of(w, solid) >= 0 ? bend_at(w, near, x, d) : 0.0;
    for (int p = 0; p < parts * parts * parts; p++) {
        const int at[3] = {p % parts, p / parts % parts, p / (parts * parts)};
        for (int k = 0; k < 3; k++) {
            box.middle[k] = middle[k] + ((at[k] + 0.5) / parts - 0.5) * (double)edge[k];
        }
        add_box(w, near, x0, &box, sum);
    }
}

static void sum_cells(const Walls *w, uint64_t near, OozeVec3 x0, Sum *sum)
{
    const float *edge = w->grid->edge;
    const double spacing = w->grid->input.spacing;
    float scale = edge[0] * edge[1] * edge[2] / (float)(spacing * spacing * spacing);
    for (int corner = 0; corner < 8; corner++) {
        add_cell(w, near, x0, corner, sum);
    }
    sum->walls.flux *= scale;
    for (int k = 0; k < 3; k++) {
        sum->walls.gradient[k] *= scale;
        sum->walls.turn[k] *= scale;
    }
    for (int k = 0; sum->slots && k < OOZE_PRESSURE_SLOTS; k++) {
        OozeTwist row = sum->slots[k].row;
        ooze_twist_add(&sum->slots[k].row, (double)scale - 1.0, &row);
    }
}

static void sum_node(const Walls *w, uint64_t near, uint64_t a, OozeVec3 x0)
{
    OozePressureGrid *grid = w->grid;
    OozePressureSums *to = &grid->sums[a];
    Sum sum = {.slots = grid->bodies.slot};
    sum.slots += sum.slots ? OOZE_PRESSURE_SLOTS * a : 0;
    sum_cells(w, near, x0, &sum);
    to->wall = sum.walls.wall;
    to->flux = sum.walls.flux;
    to->fixed = sum.walls.fixed;
    for (int k = 0; k < 3; k++) {
        to->wall_gradient[k] = sum.walls.gradient[k];
        to->wall_turn[k] = sum.walls.turn[k];
    }
}

static void missing_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Walls *w = data;
    for (uint64_t k = begin; k < end; k++) {
        OozePressureMissing *m = &w->grid->bodies.missing[k];
        const OozeF32x4 x = {(float)m->x.x, (float)m->x.y, (float)m->x.z, 0};
        uint64_t near =
            ooze_broad_phase_find(&w->nearby, &x, 0, 1, 2.0f * (float)w->half, true, UINT64_MAX);
        Sum sum = {.slots = m->slot};
        int solid = 0;
        m->normal = nearest(w, near, m->x, &solid).normal;
        sum_cells(w, near, m->x, &sum);
    }
}

static void node_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Walls *w = data;
    OozePressureGrid *grid = w->grid;
    for (uint64_t first = begin; first < end; first += GROUP) {
        uint64_t last = first + GROUP < end ? first + GROUP : end;
        uint64_t near = ooze_broad_phase_find(&w->nearby, w->x, first, last, 2.0f * (float)w->half,
                                              true, UINT64_MAX);
        for (uint64_t a = first; a < last && near; a++) {
            OozeVec3 x0 = ooze_pressure_node_position(grid, a);
            int solid = 0;
            OozeContact c = nearest(w, near, x0, &solid);
            w->normal[a] = c.normal;
            if (c.distance < 2.0 * w->half) {
                sum_node(w, near, a, x0);
            }
            if (c.distance < -1e-6 * grid->input.spacing) {
                grid->kind[a] = OOZE_PRESSURE_WALL;
            }
        }
    }
}

static void place_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Walls *w = data;
    for (uint64_t a = begin; a < end; a++) {
        OozeVec3 x = ooze_pressure_node_position(w->grid, a);
        w->x[a] = ooze_f32x4((float)x.x, (float)x.y, (float)x.z, 0);
        w->normal[a] = vec3(0, 0, 0);
    }
}

OozeStatus ooze_pressure_walls(OozePressureGrid *grid, OozeVec3 *normal, OozeError *error)
{
    const OozePressureGridInput *in = &grid->input;
    Walls w = {.grid = grid, .normal = normal};
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        square += (double)grid->edge[k] * (double)grid->edge[k];
    }
    w.half = 0.5 * sqrt(square);
    if (in->solid_count == 0) {
        return OOZE_OK;
    }
    w.x = ooze_arena_alloc(in->arena, grid->nodes, sizeof *w.x);
    if (!w.x) {
        return ooze_fail_memory(error, "walls of the pressure grid", grid->nodes * sizeof *w.x);
    }
    OozeStatus status = ooze_broad_phase_begin(&w.nearby, in->solids, in->solid_count, in->spacing,
                                               in->dt, in->arena, error);
    if (!status) {
        ooze_parallel_for(in->threads, grid->nodes, NODE_GRAIN, place_range, &w);
        ooze_parallel_for(in->threads, grid->nodes, NODE_GRAIN, node_range, &w);
        status = ooze_pressure_bodies_find_missing(grid, error);
    }
    if (!status) {
        ooze_parallel_for(in->threads, grid->bodies.missing_count, GROUP, missing_range, &w);
    }
    return status;
}

/* ---- walls that would pull ---- */

/* The unknown that a node follows most; OOZE_MULTIGRID_NONE: it follows none. */
static uint32_t owner_of(const OozePressureGrid *grid, uint64_t a)
{
    uint32_t owner = OOZE_MULTIGRID_NONE;
    float most = 0.0f;
    for (uint32_t k = grid->row_first[a]; k < grid->row_first[a + 1]; k++) {
        float weight = fabsf(grid->row_weight[k]);
        owner = weight > most ? grid->row_node[k] : owner;
        most = fmaxf(most, weight);
    }
    return owner;
}

bool ooze_pressure_release_walls(OozePressureGrid *grid, const float *p)
{
    bool any = false;
    for (uint64_t a = 0; a < grid->nodes && !grid->closed; a++) {
        OozePressureSums *sums = &grid->sums[a];
        if (!(sums->fixed > 0.0f) || ooze_pressure_bodies_at(grid, a)) {
            continue;
        }
        uint32_t owner = owner_of(grid, a);
        if (owner != OOZE_MULTIGRID_NONE && !grid->idle[owner] && p[owner] < 0.0f) {
            any = true;
            sums->flux = sums->fixed = 0.0f;
            for (int k = 0; k < 3; k++) {
                sums->wall_gradient[k] = sums->wall_turn[k] = 0.0f;
            }
        }
    }
    return any;
}

/* ---- particles on which walls act ---- */

typedef struct Walled {
    OozePressureGrid *grid;
    float *walled;
} Walled;

/* Per node: 1 where its pressure follows an unknown that acts on walls. */
static void follows_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePressureGrid *grid = ((const Walled *)data)->grid;
    for (uint64_t a = begin; a < end; a++) {
        bool any = false;
        for (uint32_t k = grid->row_first[a]; k < grid->row_first[a + 1]; k++) {
            any = any || grid->walled[grid->row_node[k]];
        }
        grid->value[a] = any ? 1.0f : 0.0f;
    }
}

static void walled_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Walled *to = data;
    const OozeMultigridLevel *level = &to->grid->multigrid->level[0];
    for (uint64_t c = begin; c < end; c++) {
        float most = 0.0f;
        for (int k = 0; k < 8; k++) {
            most = fmaxf(most, to->grid->value[level->corner_node[8 * c + (uint64_t)k]]);
        }
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            to->walled[level->child[i]] = most;
        }
    }
}

void ooze_pressure_walled(OozePressureGrid *grid, float *walled)
{
    Walled to = {grid, walled};
    ooze_parallel_for(grid->input.threads, grid->nodes, NODE_GRAIN, follows_range, &to);
    ooze_parallel_for(grid->input.threads, grid->multigrid->level[0].cells, NODE_GRAIN,
                      walled_range, &to);
}
