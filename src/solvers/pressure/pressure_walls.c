/* Shares of walls in the hat functions of nodes, from the distance fields of the solids. A cell
   that a wall cuts is divided; of each part the tangent plane at its middle cuts off a share, taken
   at the share's own middle: exact for planes along the axes. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/broad_phase.h"
#include "solvers/multigrid/grid_multigrid_levels.h"
#include "solvers/pressure/pressure_rows.h"
#include "solvers/pressure/pressure_walls_formula.h"

enum { GROUP = OOZE_BROAD_PHASE_GROUP, NODE_GRAIN = 32 * GROUP };

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

static void add_box(const Walls *w, uint64_t near, OozeVec3 x0, const OozePressureBox *box,
                    Sum *sum)
{
    const float *edge = w->grid->edge;
    const double *middle = box->middle;
    int solid = 0, parts = box->parts;
    OozeContact c = nearest(w, near, vec3_add(x0, vec3(middle[0], middle[1], middle[2])), &solid);
    double share = 1.0 / (double)(parts * parts * parts), y[3];
    double in = ooze_pressure_box_share(edge, box, &c, y);
    if (in > 0.0) {
        int body = body_of(w, solid);
        float flux = sum->walls.flux, before = sum->walls.wall;
        OozeVec3 gradient = ooze_pressure_add_part(&sum->walls, edge, y, in * share, c.velocity);
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
    ooze_pressure_cell_middle(edge, corner, middle);
    OozeVec3 x = vec3_add(x0, vec3(middle[0], middle[1], middle[2]));
    int solid = 0;
    double d = nearest(w, near, x, &solid).distance;
    if (d > w->half) {
        return;
    }
    OozePressureBox box = {.parts = d < -w->half ? 1 : OOZE_PRESSURE_PARTS};
    int parts = box.parts;
    box.bend = parts > 1 && body_of(w, solid) >= 0 ? bend_at(w, near, x, d) : 0.0;
    for (int p = 0; p < parts * parts * parts; p++) {
        ooze_pressure_part_middle(edge, middle, p, &box);
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
    ooze_pressure_scale_walls(&sum->walls, scale);
    for (int k = 0; sum->slots && k < OOZE_PRESSURE_SLOTS; k++) {
        OozeTwist row = sum->slots[k].row;
        ooze_twist_add(&sum->slots[k].row, (double)scale - 1.0, &row);
    }
}

static void sum_node(const Walls *w, uint64_t near, uint64_t a, OozeVec3 x0)
{
    OozePressureGrid *grid = w->grid;
    OozePressureSlot *slots = grid->bodies.slot;
    Sum sum = {.slots = slots ? slots + OOZE_PRESSURE_SLOTS * a : NULL};
    sum_cells(w, near, x0, &sum);
    ooze_pressure_store_walls(&sum.walls, &grid->sums[a]);
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

bool ooze_pressure_release_walls(OozePressureGrid *grid, const float *p)
{
    const OozePressureView view = ooze_pressure_view(grid);
    bool any = false;
    for (uint64_t a = 0; a < grid->nodes && !grid->closed; a++) {
        bool released =
            !ooze_pressure_bodies_at(grid, a) && ooze_pressure_release_node(&view, (uint32_t)a, p);
        any = any || released;
    }
    return any;
}
