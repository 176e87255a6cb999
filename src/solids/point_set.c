#include "solids/point_set.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"

static uint64_t bucket_of(const OozePointSet *set, int64_t x, int64_t y, int64_t z)
{
    uint64_t key = ooze_mix((uint64_t)x);
    key = ooze_mix(key ^ (uint64_t)y);
    key = ooze_mix(key ^ (uint64_t)z);
    return key & (set->bucket_count - 1);
}

static int64_t cell_of(const OozePointSet *set, double x)
{
    double cell = floor(x / set->cell);
    return cell < -9e15 ? (int64_t)-9e15 : cell > 9e15 ? (int64_t)9e15 : (int64_t)cell;
}

static uint64_t bucket_at(const OozePointSet *set, OozeVec3 p)
{
    return bucket_of(set, cell_of(set, p.x), cell_of(set, p.y), cell_of(set, p.z));
}

OozeStatus ooze_point_set_create(OozePointSet *set, double cell, OozeError *error)
{
    memset(set, 0, sizeof *set);
    set->cell = cell;
    set->bucket_count = 1024;
    set->buckets = ooze_alloc_zero(set->bucket_count, sizeof *set->buckets);
    if (!set->buckets) {
        return ooze_fail_memory(error, "placing samples", set->bucket_count * sizeof(uint32_t));
    }
    return OOZE_OK;
}

void ooze_point_set_free(OozePointSet *set)
{
    ooze_free(set->points);
    ooze_free(set->normals);
    ooze_free(set->next);
    ooze_free(set->buckets);
    memset(set, 0, sizeof *set);
}

/* Keeps about one point per bucket. */
static OozeStatus grow_buckets(OozePointSet *set, OozeError *error)
{
    uint64_t count = 2 * set->bucket_count;
    uint32_t *buckets = ooze_alloc_zero(count, sizeof *buckets);
    if (!buckets) {
        return ooze_fail_memory(error, "placing samples", count * sizeof *buckets);
    }
    ooze_free(set->buckets);
    set->buckets = buckets;
    set->bucket_count = count;
    for (uint64_t i = 0; i < set->count; i++) {
        uint64_t bucket = bucket_at(set, set->points[i]);
        set->next[i] = buckets[bucket];
        buckets[bucket] = (uint32_t)(i + 1);
    }
    return OOZE_OK;
}

static OozeStatus grow(OozePointSet *set, OozeError *error)
{
    uint64_t capacity = set->capacity + set->capacity / 2 + 256;
    if (capacity > UINT32_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing",
                         "a surface would need more than %u samples", UINT32_MAX);
    }
    OozeVec3 *points = ooze_grow(set->points, set->count, capacity, sizeof *points);
    set->points = points ? points : set->points;
    OozeVec3 *normals = ooze_grow(set->normals, set->count, capacity, sizeof *normals);
    set->normals = normals ? normals : set->normals;
    uint32_t *next = ooze_grow(set->next, set->count, capacity, sizeof *next);
    set->next = next ? next : set->next;
    if (!points || !normals || !next) {
        return ooze_fail_memory(error, "placing samples", capacity * 2 * sizeof *points);
    }
    set->capacity = capacity;
    return OOZE_OK;
}

OozeStatus ooze_point_set_add(OozePointSet *set, OozeVec3 point, OozeVec3 normal, OozeError *error)
{
    if (set->count == set->capacity) {
        OozeStatus status = grow(set, error);
        if (status) {
            return status;
        }
    }
    if (set->count >= set->bucket_count) {
        OozeStatus status = grow_buckets(set, error);
        if (status) {
            return status;
        }
    }
    uint64_t bucket = bucket_at(set, point);
    set->points[set->count] = point;
    set->normals[set->count] = normal;
    set->next[set->count] = set->buckets[bucket];
    set->buckets[bucket] = (uint32_t)++set->count;
    return OOZE_OK;
}

bool ooze_point_set_has_near(const OozePointSet *set, OozeVec3 point, double radius)
{
    int64_t x = cell_of(set, point.x), y = cell_of(set, point.y), z = cell_of(set, point.z);
    for (int i = 0; i < 27; i++) {
        uint64_t bucket = bucket_of(set, x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1);
        for (uint32_t at = set->buckets[bucket]; at; at = set->next[at - 1]) {
            OozeVec3 d = vec3_sub(set->points[at - 1], point);
            if (vec3_dot(d, d) < radius * radius) {
                return true;
            }
        }
    }
    return false;
}
