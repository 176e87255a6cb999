/* A growing set of points that can be asked what is near: for placing samples one by one. */
#ifndef OOZE_SOLIDS_POINT_SET_H
#define OOZE_SOLIDS_POINT_SET_H

#include "base/vec3.h"

typedef struct OozePointSet {
    double cell;
    OozeVec3 *points;
    OozeVec3 *normals;
    uint64_t count, capacity;
    uint32_t *next;    /* next point of the same bucket + 1; 0 ends */
    uint32_t *buckets; /* first point + 1 */
    uint64_t bucket_count;
} OozePointSet;

/* `cell` must be at least the largest radius of a query. */
OozeStatus ooze_point_set_create(OozePointSet *set, double cell, OozeError *error);
void ooze_point_set_free(OozePointSet *set);
OozeStatus ooze_point_set_add(OozePointSet *set, OozeVec3 point, OozeVec3 normal, OozeError *error);
bool ooze_point_set_has_near(const OozePointSet *set, OozeVec3 point, double radius);

#endif
