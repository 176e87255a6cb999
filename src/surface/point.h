/* The field at any point, and which particles make it. */
#ifndef OOZE_SURFACE_POINT_H
#define OOZE_SURFACE_POINT_H

#include "surface/cloud.h"

enum { OOZE_POINT_PARTS_MAX = 128 };

typedef struct OozePointParts {
    float value, gradient[3];
    uint32_t nearest; /* particle, by its sorted number */
    int count; /* particles that make the field here, at most OOZE_POINT_PARTS_MAX; never 0 */
    uint32_t particle[OOZE_POINT_PARTS_MAX];
    float share[OOZE_POINT_PARTS_MAX]; /* of the field; together 1 */
} OozePointParts;

float ooze_field_at(const OozeCloud *cloud, const float point[3]);
/* A point beyond all kernels belongs to the nearest particle that is found. */
void ooze_field_parts(const OozeCloud *cloud, const float point[3], OozePointParts *parts);

#endif
