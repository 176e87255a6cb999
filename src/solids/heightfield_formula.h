/* Distance to the closed surface of a height field: top, sides and base. Valid C17 and CUDA. */
#ifndef OOZE_SOLIDS_HEIGHTFIELD_FORMULA_H
#define OOZE_SOLIDS_HEIGHTFIELD_FORMULA_H

#include "mesh/nearest.h"
#include "solids/heightfield_data.h"

typedef struct OozeHeightfieldBest {
    double distance2;
    OozeVec3 point, normal; /* of the surface there, for points that lie on it */
} OozeHeightfieldBest;

OOZE_FORMULA void ooze_heightfield_consider(OozeHeightfieldBest *best, OozeVec3 p,
                                            OozeVec3 candidate, OozeVec3 normal)
{
    double d2 = ooze_distance2(p, candidate);
    if (d2 < best->distance2) {
        best->distance2 = d2;
        best->point = candidate;
        best->normal = normal;
    }
}

OOZE_FORMULA double ooze_heightfield_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* ---- top ------------------------------------------------------------------------------------ */

OOZE_FORMULA void ooze_heightfield_consider_cell(const OozeHeightfield *field, uint32_t i,
                                                 uint32_t j, OozeVec3 p, OozeHeightfieldBest *best)
{
    OozeVec3 a = ooze_heightfield_sample(field, i, j), b = ooze_heightfield_sample(field, i + 1, j);
    OozeVec3 c = ooze_heightfield_sample(field, i + 1, j + 1),
             d = ooze_heightfield_sample(field, i, j + 1);
    OozeVec3 up = vec3(0.0, 0.0, 1.0), ac = vec3_sub(c, a);
    ooze_heightfield_consider(best, p, ooze_nearest_on_triangle(a, b, c, p),
                              vec3_unit(vec3_cross(vec3_sub(b, a), ac), up));
    ooze_heightfield_consider(best, p, ooze_nearest_on_triangle(a, c, d, p),
                              vec3_unit(vec3_cross(ac, vec3_sub(d, a)), up));
}

/* Square of the least distance to the box that holds the cells of one entry of a level. */
OOZE_FORMULA double ooze_heightfield_box_distance2(const OozeHeightfield *field, int level,
                                                   uint32_t i, uint32_t j, OozeVec3 p)
{
    const OozeHeightLevel *of = &field->levels[level];
    OozeHeightRange range = of->ranges[(uint64_t)j * of->columns + i];
    double x = (double)((uint64_t)i << level) * field->cell[0] - field->half[0];
    double y = (double)((uint64_t)j << level) * field->cell[1] - field->half[1];
    double width = (double)(1ull << level);
    OozeVec3 nearest = vec3(ooze_heightfield_clamp(p.x, x, x + width * field->cell[0]),
                            ooze_heightfield_clamp(p.y, y, y + width * field->cell[1]),
                            ooze_heightfield_clamp(p.z, range.low, range.high));
    return ooze_distance2(p, nearest);
}

/* Covers the rounding of the bounds of boxes. */
#define OOZE_HEIGHTFIELD_SLACK (1.0 - 1e-9)

/* The children of an entry, of the next finer level, that may be nearer than the best: nearest
   first, two bits each, and their number in the bits above. */
OOZE_FORMULA uint16_t ooze_heightfield_children(const OozeHeightfield *field, int level, uint32_t i,
                                                uint32_t j, OozeVec3 p,
                                                const OozeHeightfieldBest *best)
{
    const OozeHeightLevel *fine = &field->levels[level - 1];
    uint32_t before[4] = {0, 0, 0, 0}, order = 0, count = 0;
    double far[4];
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t a = 2 * i + (k & 1), b = 2 * j + (k >> 1);
        bool there = a < fine->columns && b < fine->rows;
        far[k] = there ? ooze_heightfield_box_distance2(field, level - 1, a, b, p) : INFINITY;
        count += far[k] * OOZE_HEIGHTFIELD_SLACK <= best->distance2;
    }
    for (int k = 1; k < 4; k++) {
        for (int c = 0; c < k; c++) {
            bool nearer = far[k] <= far[c];
            before[c] += nearer;
            before[k] += !nearer;
        }
    }
    for (uint32_t k = 0; k < 4; k++) {
        order |= k << 2 * before[k];
    }
    return (uint16_t)(count << 8 | order);
}

/* Descends from the coarsest level to the cells that may be nearer than the best so far. The state
   of a level is two bytes, since on a GPU every thread has its own. */
OOZE_FORMULA void ooze_heightfield_search_top(const OozeHeightfield *field, OozeVec3 p,
                                              OozeHeightfieldBest *best)
{
    const int coarsest = field->level_count - 1;
    uint16_t left[OOZE_HEIGHT_LEVELS];
    int level = coarsest;
    uint32_t i = 0, j = 0;
    if (level == 0 || !(best->distance2 < (double)INFINITY)) {
        return; /* the only cell was the first guess; from infinity all are equally far */
    }
    left[level] = ooze_heightfield_children(field, level, i, j, p, best);
    while (level <= coarsest) {
        uint32_t children = left[level];
        if (children >> 8 == 0) {
            level++;
            i >>= 1;
            j >>= 1;
            continue;
        }
        left[level] = (uint16_t)(((children - 256) & 0x700) | (children >> 2 & 0x3f));
        uint32_t a = 2 * i + (children & 1), b = 2 * j + (children >> 1 & 1);
        double far = ooze_heightfield_box_distance2(field, level - 1, a, b, p);
        if (far * OOZE_HEIGHTFIELD_SLACK > best->distance2) {
            left[level] = 0; /* the rest are farther */
        } else if (level == 1) {
            ooze_heightfield_consider_cell(field, a, b, p, best);
        } else {
            level--;
            i = a;
            j = b;
            left[level] = ooze_heightfield_children(field, level, i, j, p, best);
        }
    }
}

/* The cell at a coordinate, clamped to the span, and the fraction within it. */
OOZE_FORMULA uint32_t ooze_heightfield_find_cell(double x, double half, double cell,
                                                 uint32_t samples, double *fraction)
{
    double at = ooze_heightfield_clamp((x + half) / cell, 0.0, (double)(samples - 1));
    uint32_t i = (uint32_t)at;
    i = i > samples - 2 ? samples - 2 : i;
    *fraction = at - i;
    return i;
}

OOZE_FORMULA double ooze_heightfield_height_at(const OozeHeightfield *field, double x, double y)
{
    double u, v;
    uint32_t i = ooze_heightfield_find_cell(x, field->half[0], field->cell[0], field->columns, &u);
    uint32_t j = ooze_heightfield_find_cell(y, field->half[1], field->cell[1], field->rows, &v);
    const float *h = field->heights + (uint64_t)j * field->columns + i;
    double a = h[0], b = h[1], d = h[field->columns], c = h[field->columns + 1];
    return u >= v ? a + u * (b - a) + v * (c - b) : a + v * (d - a) + u * (c - d);
}

/* ---- sides and base ------------------------------------------------------------------------- */

/* A side counts where the projection of p falls on it. Elsewhere its nearest point is on its
   outline, which belongs to the top, to the base or to a vertical edge. */
OOZE_FORMULA void ooze_heightfield_consider_sides(const OozeHeightfield *field, OozeVec3 p,
                                                  OozeHeightfieldBest *best)
{
    double hx = field->half[0], hy = field->half[1];
    for (int side = -1; side <= 1; side += 2) {
        OozeVec3 projection = vec3(side * hx, p.y, p.z);
        if (fabs(p.y) <= hy && p.z >= field->base &&
            p.z <= ooze_heightfield_height_at(field, projection.x, projection.y)) {
            ooze_heightfield_consider(best, p, projection, vec3(side, 0.0, 0.0));
        }
        projection = vec3(p.x, side * hy, p.z);
        if (fabs(p.x) <= hx && p.z >= field->base &&
            p.z <= ooze_heightfield_height_at(field, projection.x, projection.y)) {
            ooze_heightfield_consider(best, p, projection, vec3(0.0, side, 0.0));
        }
        for (int other = -1; other <= 1; other += 2) { /* vertical edges */
            double x = side * hx, y = other * hy;
            ooze_heightfield_consider(
                best, p,
                vec3(x, y,
                     ooze_heightfield_clamp(p.z, field->base,
                                            ooze_heightfield_height_at(field, x, y))),
                vec3(side, 0.0, 0.0));
        }
    }
    ooze_heightfield_consider(best, p,
                              vec3(ooze_heightfield_clamp(p.x, -hx, hx),
                                   ooze_heightfield_clamp(p.y, -hy, hy), field->base),
                              vec3(0.0, 0.0, -1.0));
}

/* Signed distance and outward normal, exact everywhere. */
OOZE_FORMULA_CALL double ooze_heightfield_distance(const OozeHeightfield *field, OozeVec3 point,
                                                   OozeVec3 *normal)
{
    OozeVec3 p = ooze_heightfield_from_local(field, point);
    OozeHeightfieldBest best = {INFINITY, p, vec3(0.0, 0.0, 1.0)};
    double u, v;
    uint32_t i =
        ooze_heightfield_find_cell(p.x, field->half[0], field->cell[0], field->columns, &u);
    uint32_t j = ooze_heightfield_find_cell(p.y, field->half[1], field->cell[1], field->rows, &v);
    ooze_heightfield_consider_cell(field, i, j, p,
                                   &best); /* a good first guess saves most of the search */
    ooze_heightfield_consider_sides(field, p, &best);
    ooze_heightfield_search_top(field, p, &best);
    bool inside = fabs(p.x) < field->half[0] && fabs(p.y) < field->half[1] && p.z > field->base &&
                  p.z < ooze_heightfield_height_at(field, p.x, p.y);
    double distance = sqrt(best.distance2);
    OozeVec3 away = vec3_sub(p, best.point), outward = best.normal;
    if (distance > 1e-9 * (field->cell[0] + field->cell[1])) {
        outward = vec3_scale(away, (inside ? -1.0 : 1.0) / distance);
    }
    *normal = ooze_heightfield_to_local(field, outward);
    return inside ? -distance : distance;
}

#endif
