/* Axis-aligned boxes. Valid C17 and CUDA. */
#ifndef OOZE_BASE_BOUNDS_H
#define OOZE_BASE_BOUNDS_H

#include "base/vec3.h"

typedef struct OozeBounds {
    OozeVec3 min, max; /* min above max: empty; both may be infinite */
} OozeBounds;

OOZE_FORMULA OozeBounds ooze_bounds(OozeVec3 min, OozeVec3 max)
{
    OozeBounds a = {min, max};
    return a;
}

OOZE_FORMULA OozeBounds ooze_bounds_empty(void)
{
    return ooze_bounds(vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY));
}

OOZE_FORMULA OozeBounds ooze_bounds_infinite(void)
{
    return ooze_bounds(vec3(-INFINITY, -INFINITY, -INFINITY), vec3(INFINITY, INFINITY, INFINITY));
}

OOZE_FORMULA OozeBounds ooze_bounds_union(OozeBounds a, OozeBounds b)
{
    return ooze_bounds(
        vec3(fmin(a.min.x, b.min.x), fmin(a.min.y, b.min.y), fmin(a.min.z, b.min.z)),
        vec3(fmax(a.max.x, b.max.x), fmax(a.max.y, b.max.y), fmax(a.max.z, b.max.z)));
}

/* The smallest box around `a` and a point. */
OOZE_FORMULA OozeBounds ooze_bounds_include(OozeBounds a, OozeVec3 point)
{
    return ooze_bounds_union(a, ooze_bounds(point, point));
}

/* Whether the intersection has a volume. */
OOZE_FORMULA bool ooze_bounds_overlap(const OozeBounds *a, const OozeBounds *b)
{
    return a->min.x < b->max.x && b->min.x < a->max.x && a->min.y < b->max.y &&
           b->min.y < a->max.y && a->min.z < b->max.z && b->min.z < a->max.z;
}

OOZE_FORMULA bool ooze_bounds_contain(const OozeBounds *a, OozeVec3 p)
{
    return p.x > a->min.x && p.x < a->max.x && p.y > a->min.y && p.y < a->max.y && p.z > a->min.z &&
           p.z < a->max.z;
}

OOZE_FORMULA OozeBounds ooze_bounds_grow(OozeBounds a, double margin)
{
    OozeVec3 by = vec3(margin, margin, margin);
    return ooze_bounds(vec3_sub(a.min, by), vec3_add(a.max, by));
}

#endif
