/* Shares of walls in the hat functions of nodes, for one part of a cell. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_PRESSURE_PRESSURE_WALLS_FORMULA_H
#define OOZE_SOLVERS_PRESSURE_PRESSURE_WALLS_FORMULA_H

#include <math.h>

#include "solids/solid.h"
#include "solvers/pressure/pressure_rows_formula.h"

/* Parts of a cell that a wall cuts, along an axis. */
enum { OOZE_PRESSURE_PARTS = 4 };

/* Part of a cell, its middle from a node. */
typedef struct OozePressureBox {
    double middle[3];
    int parts;   /* of the cell along an axis */
    double bend; /* curvature of a body there, 1/m: div of the normal */
} OozePressureBox;

/* The middle of the cell of a node of which the node is `corner`, from the node. */
OOZE_FORMULA void ooze_pressure_cell_middle(const float edge[3], int corner, double middle[3])
{
    for (int k = 0; k < 3; k++) {
        middle[k] = (corner >> k & 1 ? -0.5 : 0.5) * (double)edge[k];
    }
}

/* Part p of a cell with this middle. */
OOZE_FORMULA void ooze_pressure_part_middle(const float edge[3], const double middle[3], int p,
                                            OozePressureBox *box)
{
    const int parts = box->parts;
    const int at[3] = {p % parts, p / parts % parts, p / (parts * parts)};
    for (int k = 0; k < 3; k++) {
        box->middle[k] = middle[k] + ((at[k] + 0.5) / parts - 0.5) * (double)edge[k];
    }
}

/* Shares by tangent planes of boxes are a mean over the width of a box. Around a convex body there
   is more room outside than inside: without the bend, a ball of radius 2 spacings would be 4 % too
   large. */
OOZE_FORMULA double ooze_pressure_share_of(const OozePressureBox *box, double distance, double size)
{
    double d = distance + box->bend * size * size / 24.0;
    return fmin(1.0, fmax(0.0, 0.5 - d / fmax(size, 1e-12)));
}

/* Share of a box in a wall that has this contact with its middle, and the middle y of the share,
   from the node. */
OOZE_FORMULA double ooze_pressure_box_share(const float edge[3], const OozePressureBox *box,
                                            const OozeContact *c, double y[3])
{
    double size = 0.0;
    const double n[3] = {c->normal.x, c->normal.y, c->normal.z};
    for (int k = 0; k < 3; k++) {
        size += fabs(n[k]) * (double)edge[k] / box->parts;
    }
    double in = ooze_pressure_share_of(box, c->distance, size);
    for (int k = 0; k < 3; k++) {
        y[k] = box->middle[k] - 0.5 * (1.0 - in) * n[k] * (double)edge[k] / box->parts;
    }
    return in;
}

/* Adds a part of a wall, `volume` in cells, at y from the node, to wall, gradient, turn and flux.
   Returns its integral of the gradient of the hat function. */
OOZE_FORMULA OozeVec3 ooze_pressure_add_part(OozePressureSums *sum, const float edge[3],
                                             const double y[3], double volume, OozeVec3 velocity)
{
    double w[3], g[3];
    for (int k = 0; k < 3; k++) {
        w[k] = 1.0 - fabs(y[k]) / (double)edge[k];
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

/* From cells to volumes of particles. */
OOZE_FORMULA void ooze_pressure_scale_walls(OozePressureSums *sum, float scale)
{
    sum->flux *= scale;
    for (int k = 0; k < 3; k++) {
        sum->gradient[k] *= scale;
        sum->turn[k] *= scale;
    }
}

/* Sums over walls alone become those of a node. */
OOZE_FORMULA void ooze_pressure_store_walls(const OozePressureSums *walls, OozePressureSums *to)
{
    to->wall = walls->wall;
    to->flux = walls->flux;
    to->fixed = walls->fixed;
    for (int k = 0; k < 3; k++) {
        to->wall_gradient[k] = walls->gradient[k];
        to->wall_turn[k] = walls->turn[k];
    }
}

/* ---- walls that would pull ---- */

/* The unknown that a node follows most; OOZE_MULTIGRID_NONE: it follows none. */
OOZE_FORMULA uint32_t ooze_pressure_owner_of(const OozePressureView *v, uint32_t a)
{
    uint32_t owner = OOZE_MULTIGRID_NONE;
    float most = 0.0f;
    for (uint32_t k = v->row_first[a]; k < v->row_first[a + 1]; k++) {
        float weight = fabsf(v->row_weight[k]);
        owner = weight > most ? v->row_node[k] : owner;
        most = fmaxf(most, weight);
    }
    return owner;
}

/* Lets go of the fluid at a node where the pressure p is negative. Returns whether it did. */
OOZE_FORMULA bool ooze_pressure_release_node(const OozePressureView *v, uint32_t a, const float *p)
{
    OozePressureSums *sums = &v->sums[a];
    uint32_t owner = sums->fixed > 0.0f ? ooze_pressure_owner_of(v, a) : OOZE_MULTIGRID_NONE;
    if (owner == OOZE_MULTIGRID_NONE || v->idle[owner] || !(p[owner] < 0.0f)) {
        return false;
    }
    sums->flux = sums->fixed = 0.0f;
    for (int k = 0; k < 3; k++) {
        sums->wall_gradient[k] = sums->wall_turn[k] = 0.0f;
    }
    return true;
}

#endif
