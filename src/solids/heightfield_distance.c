/* Distance to the closed surface of a height field: its top, its sides and its base. */
#include "solids/heightfield_parts.h"
#include "solids/mesh_nearest.h"

typedef struct Best {
    double distance2;
    OozeVec3 point, normal; /* of the surface there, for points that lie on it */
} Best;

static void consider(Best *best, OozeVec3 p, OozeVec3 candidate, OozeVec3 normal)
{
    double d2 = ooze_distance2(p, candidate);
    if (d2 < best->distance2) {
        *best = (Best){d2, candidate, normal};
    }
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* ---- top -------------------------------------------------------------------------------------- */

static void consider_cell(const OozeHeightfield *field, uint32_t i, uint32_t j, OozeVec3 p,
                          Best *best)
{
    OozeVec3 a = ooze_field_sample(field, i, j), b = ooze_field_sample(field, i + 1, j);
    OozeVec3 c = ooze_field_sample(field, i + 1, j + 1), d = ooze_field_sample(field, i, j + 1);
    OozeVec3 up = vec3(0.0, 0.0, 1.0), ac = vec3_sub(c, a);
    consider(best, p, ooze_nearest_on_triangle(a, b, c, p),
             vec3_unit(vec3_cross(vec3_sub(b, a), ac), up));
    consider(best, p, ooze_nearest_on_triangle(a, c, d, p),
             vec3_unit(vec3_cross(ac, vec3_sub(d, a)), up));
}

typedef struct Visit {
    int level;
    uint32_t i, j;
    double distance2;
} Visit;

/* Least distance to the box that holds the cells of one entry of a level. */
static Visit make_visit(const OozeHeightfield *field, int level, uint32_t i, uint32_t j, OozeVec3 p)
{
    const OozeHeightLevel *of = &field->levels[level];
    OozeHeightRange range = of->ranges[(uint64_t)j * of->columns + i];
    double x = (double)((uint64_t)i << level) * field->cell[0] - field->half[0];
    double y = (double)((uint64_t)j << level) * field->cell[1] - field->half[1];
    double width = (double)(1ull << level);
    OozeVec3 nearest =
        vec3(clamp(p.x, x, x + width * field->cell[0]), clamp(p.y, y, y + width * field->cell[1]),
             clamp(p.z, range.low, range.high));
    return (Visit){level, i, j, ooze_distance2(p, nearest)};
}

static void search_top(const OozeHeightfield *field, OozeVec3 p, Best *best)
{
    enum { WAITING = 4 * OOZE_HEIGHT_LEVELS };
    const double slack = 1.0 - 1e-9; /* rounding of the borders of boxes */
    Visit stack[WAITING];
    int waiting = 0;
    stack[waiting++] = make_visit(field, field->level_count - 1, 0, 0, p);
    while (waiting > 0) {
        Visit at = stack[--waiting];
        if (at.distance2 * slack > best->distance2) {
            continue;
        }
        if (at.level == 0) {
            consider_cell(field, at.i, at.j, p, best);
            continue;
        }
        const OozeHeightLevel *fine = &field->levels[at.level - 1];
        int first = waiting;
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t i = 2 * at.i + (k & 1), j = 2 * at.j + (k >> 1);
            if (i >= fine->columns || j >= fine->rows) {
                continue;
            }
            Visit child = make_visit(field, at.level - 1, i, j, p);
            int place = waiting++;
            for (; place > first && stack[place - 1].distance2 < child.distance2; place--) {
                stack[place] = stack[place - 1];
            }
            stack[place] = child; /* nearest last: it is taken first */
        }
    }
}

/* The cell over or under a point of the span, and where in it. */
static uint32_t find_cell(double x, double half, double cell, uint32_t samples, double *part)
{
    double place = clamp((x + half) / cell, 0.0, (double)(samples - 1));
    uint32_t i = (uint32_t)place;
    i = i > samples - 2 ? samples - 2 : i;
    *part = place - i;
    return i;
}

static double height_at(const OozeHeightfield *field, double x, double y)
{
    double u, v;
    uint32_t i = find_cell(x, field->half[0], field->cell[0], field->columns, &u);
    uint32_t j = find_cell(y, field->half[1], field->cell[1], field->rows, &v);
    const float *h = field->heights + (uint64_t)j * field->columns + i;
    double a = h[0], b = h[1], d = h[field->columns], c = h[field->columns + 1];
    return u >= v ? a + u * (b - a) + v * (c - b) : a + v * (d - a) + u * (c - d);
}

/* ---- sides and base --------------------------------------------------------------------------- */

/* A side counts where the foot of the perpendicular falls on it. Elsewhere its nearest point is on its
   outline, and belongs to the top, to the base or to an upright edge. */
static void consider_sides(const OozeHeightfield *field, OozeVec3 p, Best *best)
{
    double hx = field->half[0], hy = field->half[1];
    for (int side = -1; side <= 1; side += 2) {
        OozeVec3 foot = vec3(side * hx, p.y, p.z);
        if (fabs(p.y) <= hy && p.z >= field->base && p.z <= height_at(field, foot.x, foot.y)) {
            consider(best, p, foot, vec3(side, 0.0, 0.0));
        }
        foot = vec3(p.x, side * hy, p.z);
        if (fabs(p.x) <= hx && p.z >= field->base && p.z <= height_at(field, foot.x, foot.y)) {
            consider(best, p, foot, vec3(0.0, side, 0.0));
        }
        for (int other = -1; other <= 1; other += 2) { /* upright edges */
            double x = side * hx, y = other * hy;
            consider(best, p, vec3(x, y, clamp(p.z, field->base, height_at(field, x, y))),
                     vec3(side, 0.0, 0.0));
        }
    }
    consider(best, p, vec3(clamp(p.x, -hx, hx), clamp(p.y, -hy, hy), field->base),
             vec3(0.0, 0.0, -1.0));
}

double ooze_heightfield_distance(const OozeHeightfield *field, OozeVec3 point, OozeVec3 *normal)
{
    OozeVec3 p = ooze_field_from_local(field, point);
    Best best = {INFINITY, p, vec3(0.0, 0.0, 1.0)};
    double u, v;
    uint32_t i = find_cell(p.x, field->half[0], field->cell[0], field->columns, &u);
    uint32_t j = find_cell(p.y, field->half[1], field->cell[1], field->rows, &v);
    consider_cell(field, i, j, p, &best); /* a good guess saves most of the search */
    consider_sides(field, p, &best);
    search_top(field, p, &best);
    bool inside = fabs(p.x) < field->half[0] && fabs(p.y) < field->half[1] && p.z > field->base &&
                  p.z < height_at(field, p.x, p.y);
    double distance = sqrt(best.distance2);
    OozeVec3 away = vec3_sub(p, best.point), outward = best.normal;
    if (distance > 1e-9 * (field->cell[0] + field->cell[1])) {
        outward = vec3_scale(away, (inside ? -1.0 : 1.0) / distance);
    }
    *normal = ooze_field_to_local(field, outward);
    return inside ? -distance : distance;
}
