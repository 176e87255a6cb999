#include "solids/near_points.h"

#include <string.h>

#include "base/memory.h"

void ooze_near_points_free(OozeNearPoints *near)
{
    ooze_free(near->rows);
    ooze_free(near->entries);
    ooze_free(near->scratch);
    memset(near, 0, sizeof *near);
}

static OozeStatus make_room(OozeNearPoints *near, uint64_t rows, uint64_t count, OozeError *error)
{
    if (rows > near->row_capacity) {
        ooze_free(near->rows);
        near->row_capacity = 0;
        near->rows = ooze_alloc(rows, sizeof *near->rows);
        near->row_capacity = near->rows ? rows : 0;
    }
    if (count > near->capacity) {
        uint64_t capacity = count + count / 4;
        ooze_free(near->entries);
        ooze_free(near->scratch);
        near->entries = ooze_alloc(capacity, sizeof *near->entries);
        near->scratch = ooze_alloc(capacity, sizeof *near->scratch);
        near->capacity = near->entries && near->scratch ? capacity : 0;
    }
    if (near->row_capacity < rows || near->capacity < count) {
        return ooze_fail_memory(error, "surface samples", count * sizeof *near->entries);
    }
    return OOZE_OK;
}

static int64_t block_of(const OozeNearPoints *near, OozeVec3 place, int axis)
{
    double at = floor(vec3_component(place, axis) / near->side) - near->base[axis];
    double last = (double)(near->size[axis] - 1);
    return (int64_t)fmin(fmax(at, 0.0), last);
}

/* From the number of each key to the sum of the numbers before it: a counting sort. */
static void add_up(uint32_t *first, uint64_t keys)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < keys; i++) {
        uint32_t own = first[i];
        first[i] = sum;
        sum += own;
    }
}

OozeStatus ooze_near_points_sort(OozeNearPoints *near, const OozeVec3 *points, uint64_t count,
                                 const OozeBounds *bounds, double side, OozeError *error)
{
    near->side = side;
    for (int k = 0; k < 3; k++) {
        near->base[k] = floor(vec3_component(bounds->min, k) / side);
        near->size[k] = (int64_t)(floor(vec3_component(bounds->max, k) / side) - near->base[k]) + 1;
    }
    uint64_t rows = (uint64_t)(near->size[1] * near->size[2]);
    uint64_t keys = rows + 1 > (uint64_t)near->size[0] ? rows + 1 : (uint64_t)near->size[0];
    OozeStatus status = make_room(near, keys, count, error);
    if (status) {
        return status;
    }
    memset(near->rows, 0, keys * sizeof *near->rows);
    for (uint64_t i = 0; i < count; i++) {
        near->rows[block_of(near, points[i], 0)]++;
    }
    add_up(near->rows, (uint64_t)near->size[0]);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t x = (uint32_t)block_of(near, points[i], 0);
        near->scratch[near->rows[x]++] = (OozeBlockEntry){x, (uint32_t)i};
    }
    memset(near->rows, 0, keys * sizeof *near->rows);
    for (uint64_t i = 0; i < count; i++) {
        near->rows[block_of(near, points[i], 1) + near->size[1] * block_of(near, points[i], 2)]++;
    }
    add_up(near->rows, rows + 1);
    for (uint64_t i = 0; i < count; i++) {
        OozeVec3 p = points[near->scratch[i].point];
        int64_t row = block_of(near, p, 1) + near->size[1] * block_of(near, p, 2);
        near->entries[near->rows[row]++] = near->scratch[i];
    }
    memmove(near->rows + 1, near->rows, rows * sizeof *near->rows); /* ends to beginnings */
    near->rows[0] = 0;
    return OOZE_OK;
}

OozeNearWalk ooze_near_walk(const OozeNearPoints *near, OozeVec3 place)
{
    return (OozeNearWalk){.near = near,
                          .x = block_of(near, place, 0),
                          .y = block_of(near, place, 1),
                          .z = block_of(near, place, 2)};
}

/* Entries of the next row within one block of the place. */
static void next_row(OozeNearWalk *walk)
{
    const OozeNearPoints *near = walk->near;
    int64_t y = walk->y + walk->row % 3 - 1, z = walk->z + walk->row / 3 - 1;
    walk->row++;
    walk->at = walk->end = 0;
    if (y < 0 || z < 0 || y >= near->size[1] || z >= near->size[2]) {
        return;
    }
    uint32_t low = near->rows[y + near->size[1] * z], high = near->rows[y + near->size[1] * z + 1];
    walk->end = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((int64_t)near->entries[middle].block < walk->x - 1) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    walk->at = low;
}

int64_t ooze_near_next(OozeNearWalk *walk)
{
    for (;;) {
        if (walk->at < walk->end) {
            const OozeBlockEntry *entry = &walk->near->entries[walk->at++];
            if ((int64_t)entry->block <= walk->x + 1) {
                return entry->point;
            }
            walk->at = walk->end;
        } else if (walk->row < 9) {
            next_row(walk);
        } else {
            return -1;
        }
    }
}
