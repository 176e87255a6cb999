/* Staggers the particles of a layer along the jet. Flat layers part like discs once a jet is
   stretched to twice its length: within them particles are near, between them far. Staggered
   particles stay evenly spaced while the jet is stretched. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "world/nozzle.h"

enum { PHASES = 32 };
/* Neighbours that are considered, in spacings. */
static const double REACH = 2.2;

/* Cells of the size of the reach, with the numbers of the points in them. */
typedef struct Cells {
    double low[2], size;
    int64_t width, height;
    uint64_t *first; /* per cell, and one more: the first of its points in `point` */
    uint32_t *point;
} Cells;

static uint64_t cell_of(const Cells *c, OozeVec3 x)
{
    int64_t i = (int64_t)((x.x - c->low[0]) / c->size), j = (int64_t)((x.y - c->low[1]) / c->size);
    return (uint64_t)(j * c->width + i);
}

static OozeStatus make_cells(const OozeNozzlePattern *p, double spacing, Cells *c, OozeError *error)
{
    double high[2] = {-INFINITY, -INFINITY};
    c->low[0] = c->low[1] = INFINITY;
    c->size = REACH * spacing;
    for (uint64_t k = 0; k < p->count; k++) {
        c->low[0] = fmin(c->low[0], p->points[k].x);
        c->low[1] = fmin(c->low[1], p->points[k].y);
        high[0] = fmax(high[0], p->points[k].x);
        high[1] = fmax(high[1], p->points[k].y);
    }
    c->width = (int64_t)((high[0] - c->low[0]) / c->size) + 1;
    c->height = (int64_t)((high[1] - c->low[1]) / c->size) + 1;
    uint64_t cells = (uint64_t)(c->width * c->height);
    c->first = ooze_alloc_zero(cells + 2, sizeof *c->first);
    c->point = ooze_alloc(p->count, sizeof *c->point);
    if (!c->first || !c->point) {
        return ooze_fail_memory(error, "the pattern of a nozzle", cells * sizeof *c->first);
    }
    for (uint64_t k = 0; k < p->count; k++) {
        c->first[cell_of(c, p->points[k]) + 2]++;
    }
    for (uint64_t k = 2; k < cells + 2; k++) {
        c->first[k] += c->first[k - 1];
    }
    for (uint64_t k = 0; k < p->count; k++) {
        c->point[c->first[cell_of(c, p->points[k]) + 1]++] = (uint32_t)k;
    }
    return OOZE_OK;
}

/* Two particles r apart across the jet and z along it are sqrt(r^2/s + s^2 z^2) apart after a
   stretch by s, at least in proportion to (r^2 z)^(1/3), whatever s is. Sets the least r^2 z of
   each phase to the neighbours of point k that have theirs, those before it. */
static void score_phases(const OozeNozzlePattern *p, const Cells *c, uint64_t k, double spacing,
                         double *least)
{
    int64_t own = (int64_t)cell_of(c, p->points[k]), column = own % c->width, row = own / c->width;
    for (int64_t j = row > 0 ? row - 1 : 0; j <= row + 1 && j < c->height; j++) {
        for (int64_t i = column > 0 ? column - 1 : 0; i <= column + 1 && i < c->width; i++) {
            const uint64_t cell = (uint64_t)(j * c->width + i);
            for (uint64_t e = c->first[cell]; e < c->first[cell + 1]; e++) {
                OozeVec3 other = p->points[c->point[e]];
                double x = other.x - p->points[k].x, y = other.y - p->points[k].y;
                double square = x * x + y * y;
                for (int m = 0; c->point[e] < k && square < c->size * c->size && m < PHASES; m++) {
                    double apart = fabs((double)m / PHASES - other.z / spacing);
                    apart = fmin(apart, 1.0 - apart); /* layers follow each other */
                    least[m] = fmin(least[m], square * apart);
                }
            }
        }
    }
}

OozeStatus ooze_nozzle_stagger(OozeNozzlePattern *p, double spacing, OozeError *error)
{
    Cells cells = {.first = NULL};
    OozeStatus status = p->count > 0 ? make_cells(p, spacing, &cells, error) : OOZE_OK;
    for (uint64_t k = 0; k < p->count && !status; k++) {
        double least[PHASES];
        int best = 0;
        for (int m = 0; m < PHASES; m++) {
            least[m] = INFINITY;
        }
        score_phases(p, &cells, k, spacing, least);
        for (int m = 1; m < PHASES; m++) {
            best = least[m] > least[best] ? m : best;
        }
        p->points[k].z = spacing * best / PHASES;
    }
    ooze_free(cells.first);
    ooze_free(cells.point);
    return status;
}
