/* Distance to the closed surface of a height field: its top, its sides and its base. Valid C17 and CUDA. */
#ifndef OOZE_SOLIDS_HEIGHTFIELD_FORMULA_H
#define OOZE_SOLIDS_HEIGHTFIELD_FORMULA_H

#include "solids/heightfield_parts.h"
#include "solids/mesh_nearest.h"

typedef struct OozeFieldBest {
    double distance2;
    OozeVec3 point, normal; /* of the surface there, for points that lie on it */
} OozeFieldBest;

OOZE_FORMULA void ooze_field_consider(OozeFieldBest *best, OozeVec3 p, OozeVec3 candidate,
                                      OozeVec3 normal)
{
    double d2 = ooze_distance2(p, candidate);
    if (d2 < best->distance2) {
        best->distance2 = d2;
        best->point = candidate;
        best->normal = normal;
    }
}

OOZE_FORMULA double ooze_field_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* ---- top -------------------------------------------------------------------------------------- */

OOZE_FORMULA void ooze_field_consider_cell(const OozeHeightfield *field, uint32_t i, uint32_t j,
                                           OozeVec3 p, OozeFieldBest *best)
{
    OozeVec3 a = ooze_field_sample(field, i, j), b = ooze_field_sample(field, i + 1, j);
    OozeVec3 c = ooze_field_sample(field, i + 1, j + 1), d = ooze_field_sample(field, i, j + 1);
    OozeVec3 up = vec3(0.0, 0.0, 1.0), ac = vec3_sub(c, a);
    ooze_field_consider(best, p, ooze_nearest_on_triangle(a, b, c, p),
                        vec3_unit(vec3_cross(vec3_sub(b, a), ac), up));
    ooze_field_consider(best, p, ooze_nearest_on_triangle(a, c, d, p),
                        vec3_unit(vec3_cross(ac, vec3_sub(d, a)), up));
}

/* Square of the least distance to the box that holds the cells of one entry of a level. */
OOZE_FORMULA double ooze_field_box_distance2(const OozeHeightfield *field, int level, uint32_t i,
                                             uint32_t j, OozeVec3 p)
{
    const OozeHeightLevel *of = &field->levels[level];
    OozeHeightRange range = of->ranges[(uint64_t)j * of->columns + i];
    double x = (double)((uint64_t)i << level) * field->cell[0] - field->half[0];
    double y = (double)((uint64_t)j << level) * field->cell[1] - field->half[1];
    double width = (double)(1ull << level);
    OozeVec3 nearest = vec3(ooze_field_clamp(p.x, x, x + width * field->cell[0]),
                            ooze_field_clamp(p.y, y, y + width * field->cell[1]),
                            ooze_field_clamp(p.z, range.low, range.high));
    return ooze_distance2(p, nearest);
}

/* Rounding of the borders of boxes. */
#define OOZE_FIELD_SLACK (1.0 - 1e-9)

/* The entries of the next finer level that one is made of and that may be nearer than the best: nearest first, two
   bits each, and how many in the bits above. */
OOZE_FORMULA uint16_t ooze_field_parts(const OozeHeightfield *field, int level, uint32_t i,
                                       uint32_t j, OozeVec3 p, const OozeFieldBest *best)
{
    const OozeHeightLevel *fine = &field->levels[level - 1];
    uint32_t before[4] = {0, 0, 0, 0}, order = 0, count = 0;
    double far[4];
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t a = 2 * i + (k & 1), b = 2 * j + (k >> 1);
        bool there = a < fine->columns && b < fine->rows;
        far[k] = there ? ooze_field_box_distance2(field, level - 1, a, b, p) : INFINITY;
        count += far[k] * OOZE_FIELD_SLACK <= best->distance2;
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

/* Down from the coarsest level to wherever the top may be nearer than the best so far. What is left to see of a
   level is two bytes: on a GPU thousands of points are asked for at once, and each has its own. */
OOZE_FORMULA void ooze_field_search_top(const OozeHeightfield *field, OozeVec3 p,
                                        OozeFieldBest *best)
{
    const int coarsest = field->level_count - 1;
    uint16_t left[OOZE_HEIGHT_LEVELS];
    int level = coarsest;
    uint32_t i = 0, j = 0;
    if (level == 0 || !(best->distance2 < (double)INFINITY)) {
        return; /* the only cell is the one that was guessed; and from infinity all are as far */
    }
    left[level] = ooze_field_parts(field, level, i, j, p, best);
    while (level <= coarsest) {
        uint32_t parts = left[level];
        if (parts >> 8 == 0) {
            level++;
            i >>= 1;
            j >>= 1;
            continue;
        }
        left[level] = (uint16_t)(((parts - 256) & 0x700) | (parts >> 2 & 0x3f));
        uint32_t a = 2 * i + (parts & 1), b = 2 * j + (parts >> 1 & 1);
        double far = ooze_field_box_distance2(field, level - 1, a, b, p);
        if (far * OOZE_FIELD_SLACK > best->distance2) {
            left[level] = 0; /* nor may those that are farther */
        } else if (level == 1) {
            ooze_field_consider_cell(field, a, b, p, best);
        } else {
            level--;
            i = a;
            j = b;
            left[level] = ooze_field_parts(field, level, i, j, p, best);
        }
    }
}

/* The cell over or under a point of the span, and where in it. */
OOZE_FORMULA uint32_t ooze_field_find_cell(double x, double half, double cell, uint32_t samples,
                                           double *part)
{
    double place = ooze_field_clamp((x + half) / cell, 0.0, (double)(samples - 1));
    uint32_t i = (uint32_t)place;
    i = i > samples - 2 ? samples - 2 : i;
    *part = place - i;
    return i;
}

OOZE_FORMULA double ooze_field_height_at(const OozeHeightfield *field, double x, double y)
{
    double u, v;
    uint32_t i = ooze_field_find_cell(x, field->half[0], field->cell[0], field->columns, &u);
    uint32_t j = ooze_field_find_cell(y, field->half[1], field->cell[1], field->rows, &v);
    const float *h = field->heights + (uint64_t)j * field->columns + i;
    double a = h[0], b = h[1], d = h[field->columns], c = h[field->columns + 1];
    return u >= v ? a + u * (b - a) + v * (c - b) : a + v * (d - a) + u * (c - d);
}

/* ---- sides and base --------------------------------------------------------------------------- */

/* A side counts where the foot of the perpendicular falls on it. Elsewhere its nearest point is on its
   outline, and belongs to the top, to the base or to an upright edge. */
OOZE_FORMULA void ooze_field_consider_sides(const OozeHeightfield *field, OozeVec3 p,
                                            OozeFieldBest *best)
{
    double hx = field->half[0], hy = field->half[1];
    for (int side = -1; side <= 1; side += 2) {
        OozeVec3 foot = vec3(side * hx, p.y, p.z);
        if (fabs(p.y) <= hy && p.z >= field->base &&
            p.z <= ooze_field_height_at(field, foot.x, foot.y)) {
            ooze_field_consider(best, p, foot, vec3(side, 0.0, 0.0));
        }
        foot = vec3(p.x, side * hy, p.z);
        if (fabs(p.x) <= hx && p.z >= field->base &&
            p.z <= ooze_field_height_at(field, foot.x, foot.y)) {
            ooze_field_consider(best, p, foot, vec3(0.0, side, 0.0));
        }
        for (int other = -1; other <= 1; other += 2) { /* upright edges */
            double x = side * hx, y = other * hy;
            ooze_field_consider(
                best, p,
                vec3(x, y, ooze_field_clamp(p.z, field->base, ooze_field_height_at(field, x, y))),
                vec3(side, 0.0, 0.0));
        }
    }
    ooze_field_consider(
        best, p, vec3(ooze_field_clamp(p.x, -hx, hx), ooze_field_clamp(p.y, -hy, hy), field->base),
        vec3(0.0, 0.0, -1.0));
}

/* Signed distance and outward normal, exact everywhere. */
OOZE_FORMULA_CALL double ooze_field_distance(const OozeHeightfield *field, OozeVec3 point,
                                             OozeVec3 *normal)
{
    OozeVec3 p = ooze_field_from_local(field, point);
    OozeFieldBest best = {INFINITY, p, vec3(0.0, 0.0, 1.0)};
    double u, v;
    uint32_t i = ooze_field_find_cell(p.x, field->half[0], field->cell[0], field->columns, &u);
    uint32_t j = ooze_field_find_cell(p.y, field->half[1], field->cell[1], field->rows, &v);
    ooze_field_consider_cell(field, i, j, p, &best); /* a good guess saves most of the search */
    ooze_field_consider_sides(field, p, &best);
    ooze_field_search_top(field, p, &best);
    bool inside = fabs(p.x) < field->half[0] && fabs(p.y) < field->half[1] && p.z > field->base &&
                  p.z < ooze_field_height_at(field, p.x, p.y);
    double distance = sqrt(best.distance2);
    OozeVec3 away = vec3_sub(p, best.point), outward = best.normal;
    if (distance > 1e-9 * (field->cell[0] + field->cell[1])) {
        outward = vec3_scale(away, (inside ? -1.0 : 1.0) / distance);
    }
    *normal = ooze_field_to_local(field, outward);
    return inside ? -distance : distance;
}

#endif
