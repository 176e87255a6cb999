#include "solids/boundary.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "solids/boundary_formula.h"
#include "solids/dynamic.h"

enum { SPARE_ELEMENTS = 16, GRAIN = 4096 };

void ooze_boundary_free(OozeBoundary *boundary)
{
    ooze_free(boundary->position);
    ooze_free(boundary->velocity);
    ooze_free(boundary->normal);
    ooze_free(boundary->volume);
    ooze_free(boundary->solid);
    ooze_free(boundary->local);
    ooze_free(boundary->local_normal);
    ooze_free(boundary->local_solid);
    ooze_free(boundary->placed);
    ooze_free(boundary->local_volume);
    ooze_free(boundary->stale);
    ooze_free(boundary->needed);
    ooze_free(boundary->poses);
    ooze_free(boundary->moved);
    ooze_free(boundary->changed);
    ooze_free(boundary->chosen);
    ooze_free(boundary->chosen_position);
    ooze_grid_destroy(boundary->grid);
    ooze_neighbours_free(&boundary->lists);
    memset(boundary, 0, sizeof *boundary);
}

uint64_t ooze_boundary_bytes(const OozeBoundary *boundary)
{
    uint64_t made = 3 * sizeof(OozeFloat4) + sizeof(uint16_t) + sizeof(float) + 1;
    uint64_t sorted =
        4 * sizeof(OozeFloat4) + sizeof(uint16_t) + sizeof(float) + sizeof(uint32_t) + 1;
    return boundary->capacity * made + boundary->sorted_capacity * sorted +
           (uint64_t)boundary->pose_count * sizeof *boundary->poses +
           (boundary->grid ? ooze_grid_bytes(boundary->grid) : 0) +
           ooze_neighbours_bytes(&boundary->lists);
}

/* ---- adding ------------------------------------------------------------------------------- */

/* Grows one array; the old one stays valid when memory runs out. */
static void *grow(void *array, uint64_t old_count, uint64_t new_count, size_t size, bool *failed)
{
    void *grown = *failed ? NULL : ooze_grow(array, old_count, new_count, size);
    *failed = !grown;
    return grown ? grown : array;
}

static OozeStatus make_room(OozeBoundary *b, uint64_t total, OozeError *error)
{
    if (total > OOZE_PARTICLES_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing",
                         "%llu boundary particles are too many; at most %llu are possible",
                         (unsigned long long)total, (unsigned long long)OOZE_PARTICLES_MAX);
    }
    uint64_t capacity = total + SPARE_ELEMENTS;
    if (capacity <= b->capacity) {
        return OOZE_OK;
    }
    bool failed = false;
    uint64_t n = b->count;
    b->local = grow(b->local, n, capacity, sizeof *b->local, &failed);
    b->local_normal = grow(b->local_normal, n, capacity, sizeof *b->local_normal, &failed);
    b->local_solid = grow(b->local_solid, n, capacity, sizeof *b->local_solid, &failed);
    b->placed = grow(b->placed, n, capacity, sizeof *b->placed, &failed);
    b->local_volume = grow(b->local_volume, n, capacity, sizeof *b->local_volume, &failed);
    b->stale = grow(b->stale, n, capacity, sizeof *b->stale, &failed);
    if (failed) {
        return ooze_fail_memory(error, "boundary particles", capacity * sizeof(OozeFloat4));
    }
    b->capacity = capacity;
    return OOZE_OK;
}

void ooze_boundary_truncate(OozeBoundary *boundary, uint64_t count)
{
    boundary->count = count < boundary->count ? count : boundary->count;
    boundary->current = false;
}

static OozeStatus append(OozeBoundary *boundary, const OozeSolid *solid, int index,
                         const OozeVec3 *points, uint64_t n, OozeError *error)
{
    OozeStatus status = make_room(boundary, boundary->count + n, error);
    for (uint64_t i = 0; i < n && !status; i++) {
        uint64_t k = boundary->count + i;
        OozeVec3 normal;
        (void)ooze_shape_distance(solid->shape, points[i], &normal);
        boundary->local[k] = ooze_to_float4(points[i]);
        boundary->local_normal[k] = ooze_to_float4(normal);
        boundary->local_solid[k] = (uint16_t)index;
        boundary->local_volume[k] = 0.0f;
        boundary->stale[k] = 1;
    }
    if (!status) {
        boundary->count += n;
        boundary->current = false;
    }
    return status;
}

static OozeStatus check_index(int index, OozeError *error)
{
    if (index < 0 || index > UINT16_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "join solids into one mesh",
                         "solid number %d cannot be sampled; at most %d can", index, UINT16_MAX);
    }
    return OOZE_OK;
}

/* Before memory is allocated for them. */
static OozeStatus check_samples(const OozeSolid *solid, double spacing, OozeError *error)
{
    double count;
    if (!(spacing > 0.0) || ooze_shape_kind(solid->shape) == OOZE_SHAPE_PLANE) {
        return OOZE_OK; /* refused, or limited, by ooze_sample_surface */
    }
    OozeStatus status = ooze_count_samples(solid->shape, spacing, &count, error);
    if (status || count <= OOZE_BOUNDARY_SOLID_MAX) {
        return status;
    }
    return ooze_fail(error, OOZE_ERROR_LIMIT,
                     "align it with the axes of the periodic box, use a larger spacing or a larger "
                     "box, or turn off sampling of the solid",
                     "solid '%s' would have %.3g boundary particles at a spacing of %g m; at most "
                     "%g are possible",
                     solid->name, count, spacing, OOZE_BOUNDARY_SOLID_MAX);
}

OozeStatus ooze_boundary_add(OozeBoundary *boundary, const OozeSolid *solid, int index,
                             double spacing, OozeThreads *threads, OozeError *error)
{
    OozeSurfaceSamples samples = {0};
    OozeStatus status = check_index(index, error);
    status = status ? status : check_samples(solid, spacing, error);
    if (!status) {
        status = ooze_sample_surface(solid->shape, spacing, &solid->clip, threads, &samples, error);
    }
    if (!status) {
        status = append(boundary, solid, index, samples.points, samples.count, error);
    }
    ooze_free(samples.points);
    ooze_free(samples.normals);
    return status;
}

OozeStatus ooze_boundary_add_points(OozeBoundary *boundary, const OozeSolid *solid, int index,
                                    const OozeVec3 *points, uint64_t count, OozeError *error)
{
    OozeStatus status = check_index(index, error);
    return status ? status : append(boundary, solid, index, points, count, error);
}

OozeStatus ooze_boundary_add_cells(OozeBoundary *boundary, const OozeSolid *solid, int index,
                                   const OozeSurfaceLattice *lattice, const OozeCellSet *cells,
                                   OozeError *error)
{
    OozeStatus status = check_index(index, error);
    uint64_t n = status ? 0 : ooze_lattice_sample(lattice, cells, NULL);
    OozeVec3 *points = ooze_alloc(n + 1, sizeof *points);
    if (!points) {
        return ooze_fail_memory(error, "boundary particles", n * sizeof *points);
    }
    if (!status) {
        (void)ooze_lattice_sample(lattice, cells, points);
        status = append(boundary, solid, index, points, n, error);
    }
    ooze_free(points);
    return status;
}

/* ---- moving ------------------------------------------------------------------------------- */

typedef struct Update {
    OozeBoundary *boundary;
    const OozeSolid *solids;
    const OozePeriodic *periodic;
    const uint32_t *order;
    bool all;          /* no earlier update */
    OozeBounds around; /* union of the changed bounds */
} Update;

static void place(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Update *update = context;
    OozeBoundary *b = update->boundary;
    for (uint64_t i = begin; i < end; i++) {
        if (update->all || b->moved[b->local_solid[i]]) {
            const OozePose *pose = &update->solids[b->local_solid[i]].pose;
            b->placed[i] = ooze_sample_position(pose, b->local[i], update->periodic);
        }
    }
}

static bool contains(const OozeBounds *b, OozeFloat4 p)
{
    return (double)p.x >= b->min.x && (double)p.x <= b->max.x && (double)p.y >= b->min.y &&
           (double)p.y <= b->max.y && (double)p.z >= b->min.z && (double)p.z <= b->max.z;
}

static bool is_changed(const Update *update, uint64_t k)
{
    const OozeBoundary *b = update->boundary;
    if (update->all || b->moved[b->solid[k]]) {
        return true;
    }
    bool changed = false, near = contains(&update->around, b->position[k]);
    for (int i = 0; i < b->changed_count && near && !changed; i++) {
        changed = contains(&b->changed[i], b->position[k]);
    }
    return changed;
}

static void gather(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Update *update = context;
    OozeBoundary *b = update->boundary;
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = update->order[k];
        const OozePose *pose = &update->solids[b->local_solid[i]].pose;
        b->position[k] = b->placed[i];
        b->velocity[k] = ooze_sample_velocity(pose, b->local[i]);
        b->normal[k] = ooze_sample_normal(pose, b->local_normal[i]);
        b->solid[k] = b->local_solid[i];
        b->volume[k] = b->local_volume[i];
        b->needed[k] = 0;
        if (is_changed(update, k)) {
            b->stale[i] = 1;
        }
    }
}

/* ---- what has moved ----------------------------------------------------------------------- */

static bool same_place(const OozePose *a, const OozePose *b)
{
    return memcmp(&a->position, &b->position, sizeof a->position) == 0 &&
           memcmp(&a->rotation, &b->rotation, sizeof a->rotation) == 0;
}

static bool same_pose(const OozePose *a, const OozePose *b)
{
    return same_place(a, b) && memcmp(&a->velocity, &b->velocity, sizeof a->velocity) == 0 &&
           memcmp(&a->spin, &b->spin, sizeof a->spin) == 0;
}

/* Where a solid that moved changes volumes of samples: within a support of its old and new bounds;
   everywhere along periodic axes, because of images. */
static OozeBounds changed_bounds(const OozeSolid *solid, const OozePose *old, double support,
                                 const OozePeriodic *periodic)
{
    OozeBounds shape = ooze_shape_bounds(solid->shape);
    if (!vec3_is_finite(shape.min) || !vec3_is_finite(shape.max)) {
        return (OozeBounds){vec3(-INFINITY, -INFINITY, -INFINITY),
                            vec3(INFINITY, INFINITY, INFINITY)};
    }
    OozeBounds a = ooze_bounds_transform(&shape, old, false),
               b = ooze_bounds_transform(&shape, &solid->pose, false);
    double margin = 1.01 * support, low[3], high[3];
    for (int k = 0; k < 3; k++) {
        bool wraps = periodic->length[k] > 0.0f;
        low[k] = fmin(vec3_component(a.min, k), vec3_component(b.min, k)) - margin;
        high[k] = fmax(vec3_component(a.max, k), vec3_component(b.max, k)) + margin;
        low[k] = wraps ? -INFINITY : low[k];
        high[k] = wraps ? INFINITY : high[k];
    }
    return (OozeBounds){vec3(low[0], low[1], low[2]), vec3(high[0], high[1], high[2])};
}

/* ---- the update --------------------------------------------------------------------------- */

static OozeStatus make_sorted_room(OozeBoundary *b, OozeError *error)
{
    if (!b->grid) {
        b->grid = ooze_grid_create();
    }
    uint64_t needed = b->count + SPARE_ELEMENTS, old = b->sorted_capacity;
    bool failed = false;
    if (needed > old) {
        b->position = grow(b->position, old, needed, sizeof *b->position, &failed);
        b->velocity = grow(b->velocity, old, needed, sizeof *b->velocity, &failed);
        b->normal = grow(b->normal, old, needed, sizeof *b->normal, &failed);
        b->volume = grow(b->volume, old, needed, sizeof *b->volume, &failed);
        b->solid = grow(b->solid, old, needed, sizeof *b->solid, &failed);
        b->needed = grow(b->needed, old, needed, sizeof *b->needed, &failed);
        b->chosen = grow(b->chosen, old, needed, sizeof *b->chosen, &failed);
        b->chosen_position =
            grow(b->chosen_position, old, needed, sizeof *b->chosen_position, &failed);
    }
    if (failed) {
        return ooze_fail_memory(error, "boundary particles", needed * sizeof(OozeFloat4));
    }
    if (!b->grid) {
        return ooze_fail_memory(error, "the boundary grid", 0);
    }
    b->sorted_capacity = needed > old ? needed : old;
    for (uint64_t i = b->count; i < needed; i++) {
        b->position[i] = b->velocity[i] = b->normal[i] = (OozeFloat4){0};
        b->volume[i] = 0.0f;
        b->solid[i] = 0;
    }
    return OOZE_OK;
}

static int solid_count(const OozeBoundary *b)
{
    int max = -1;
    for (uint64_t i = 0; i < b->count; i++) {
        max = b->local_solid[i] > max ? b->local_solid[i] : max;
    }
    return max + 1;
}

/* Allocates one pose per solid; keeps the poses of an up-to-date boundary. */
static OozeStatus make_pose_room(OozeBoundary *b, OozeError *error)
{
    if (b->current) {
        return OOZE_OK;
    }
    size_t count = (size_t)solid_count(b);
    ooze_free(b->poses);
    ooze_free(b->moved);
    ooze_free(b->changed);
    b->poses = ooze_alloc_zero(count, sizeof *b->poses);
    b->moved = ooze_alloc_zero(count, sizeof *b->moved);
    b->changed = ooze_alloc_zero(count, sizeof *b->changed);
    b->pose_count = 0;
    if (!b->poses || !b->moved || !b->changed) {
        return ooze_fail_memory(error, "boundary particles", count * sizeof *b->poses);
    }
    b->pose_count = (int)count;
    return OOZE_OK;
}

/* True where no pose has changed since the last update. */
static bool compare_poses(OozeBoundary *b, const OozeSolid *solids, const OozePeriodic *periodic)
{
    bool same = b->current;
    b->moving = false;
    b->changed_count = 0;
    for (int i = 0; i < b->pose_count; i++) {
        const OozeSolid *solid = &solids[i];
        b->moved[i] = solid->sampled && !same_place(&solid->pose, &b->poses[i]);
        if (b->moved[i]) {
            b->changed[b->changed_count++] =
                changed_bounds(solid, &b->poses[i], b->support, periodic);
        }
        if (solid->sampled) {
            same = same && same_pose(&solid->pose, &b->poses[i]);
            b->moving = b->moving || solid->driven || ooze_solid_is_dynamic(solid) ||
                        !ooze_motion_is_still(&solid->motion);
        }
    }
    return same;
}

static OozeBounds all_changed(const OozeBoundary *b)
{
    OozeBounds all = ooze_bounds_empty();
    for (int i = 0; i < b->changed_count; i++) {
        all = ooze_bounds_union(all, b->changed[i]);
    }
    return all;
}

static OozeStatus refresh(Update *update, OozeThreads *threads, OozeError *error)
{
    OozeBoundary *b = update->boundary;
    update->all = !b->current;
    update->around = all_changed(b);
    b->current = false; /* until the update has succeeded */
    OozeStatus status = make_sorted_room(b, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(threads, b->count, GRAIN, place, update);
    status =
        ooze_grid_sort(b->grid, threads, b->placed, b->count, b->support, update->periodic, error);
    if (status) {
        return status;
    }
    update->order = ooze_grid_order(b->grid);
    ooze_parallel_for(threads, b->count, GRAIN, gather, update);
    b->any_stale = b->any_stale || update->all || b->changed_count > 0;
    b->periodic = *update->periodic;
    for (int i = 0; i < b->pose_count; i++) {
        b->poses[i] = update->solids[i].pose;
    }
    b->current = true;
    return OOZE_OK;
}

OozeStatus ooze_boundary_update(OozeBoundary *boundary, OozeThreads *threads,
                                const OozeSolid *solids, double support,
                                const OozePeriodic *periodic, OozeError *error)
{
    if (boundary->count == 0) {
        return OOZE_OK;
    }
    if (support != boundary->support) {
        boundary->support = support;
        boundary->current = false;
    }
    OozeStatus status = make_pose_room(boundary, error);
    if (!status && !compare_poses(boundary, solids, periodic)) {
        Update update = {.boundary = boundary, .solids = solids, .periodic = periodic};
        status = refresh(&update, threads, error);
    }
    return status;
}

/* ---- volumes ------------------------------------------------------------------------------ */

static void measure(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBoundary *b = context;
    const OozePeriodic *p = &b->periodic;
    const uint32_t *order = ooze_grid_order(b->grid);
    float h = (float)b->support, peak = ooze_cubic_value(0.0f, h);
    for (uint64_t n = begin; n < end; n++) {
        uint64_t k = b->chosen[n];
        OozeFloat4 x = b->position[k];
        const uint32_t *index = b->lists.index + b->lists.first[n];
        int64_t sum = 0;
        for (uint32_t m = 0; m < b->lists.count[n]; m++) {
            sum += ooze_sample_fixed_weight(x, b->position[index[m]], p, h, peak);
        }
        b->volume[k] = ooze_sample_volume(sum, peak);
        b->local_volume[order[k]] = b->volume[k];
        b->stale[order[k]] = 0;
    }
}

typedef struct MarkJob {
    OozeBoundary *boundary;
    const OozeNeighbours *lists;
} MarkJob;

/* Threads may mark the same sample at once: all write 1. */
static void mark_needed(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const MarkJob *job = context;
    const OozeNeighbours *lists = job->lists;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t *index = lists->index + lists->first[i];
        for (uint32_t m = 0; m < lists->count[i]; m++) {
            __atomic_store_n(&job->boundary->needed[index[m]], 1, __ATOMIC_RELAXED);
        }
    }
}

OozeStatus ooze_boundary_measure(OozeBoundary *boundary, OozeThreads *threads,
                                 const OozeNeighbours *near, OozeError *error)
{
    OozeBoundary *b = boundary;
    if (!b->any_stale || b->count == 0) {
        return OOZE_OK;
    }
    near = b->moving ? near : NULL; /* samples at rest are measured once */
    if (near) {
        MarkJob job = {b, near};
        ooze_parallel_for(threads, near->n, GRAIN, mark_needed, &job);
    }
    const uint32_t *order = ooze_grid_order(b->grid);
    uint64_t n = 0;
    for (uint64_t k = 0; k < b->count; k++) {
        if ((!near || b->needed[k]) && b->stale[order[k]]) {
            b->chosen_position[n] = b->position[k];
            b->chosen[n++] = (uint32_t)k;
        }
        b->needed[k] = 0;
    }
    if (n == 0) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_neighbours_build(
        &b->lists, b->grid, threads,
        &(OozeNeighbourQuery){b->chosen_position, n, b->position, b->support, false}, error);
    if (!status) {
        ooze_parallel_for(threads, n, GRAIN, measure, b);
        b->any_stale = near != NULL;
    }
    return status;
}
