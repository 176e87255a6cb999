/* The neighbourhood stage: boundary samples, particles sorted in space, neighbour lists. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

/* Samples of an infinite plane at most: it is cut so as not to need more. */
#define PLANE_SAMPLES_MAX 4e6

static void include_point(OozeBounds *bounds, OozeVec3 p)
{
    bounds->min.x = p.x < bounds->min.x ? p.x : bounds->min.x;
    bounds->min.y = p.y < bounds->min.y ? p.y : bounds->min.y;
    bounds->min.z = p.z < bounds->min.z ? p.z : bounds->min.z;
    bounds->max.x = p.x > bounds->max.x ? p.x : bounds->max.x;
    bounds->max.y = p.y > bounds->max.y ? p.y : bounds->max.y;
    bounds->max.z = p.z > bounds->max.z ? p.z : bounds->max.z;
}

/* Where fluid is or comes from. */
static OozeBounds fluid_bounds(OozeWorld *world)
{
    OozeBounds bounds = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    uint64_t n = ooze_particles_count(world->particles);
    for (uint64_t i = 0; i < n; i++) {
        include_point(&bounds, vec3(x[i].x, x[i].y, x[i].z));
    }
    for (int i = 0; i < world->emitters.count; i++) {
        include_point(&bounds, ooze_motion_pose(&world->emitters.items[i].motion, 0.0).position);
    }
    return bounds;
}

static bool contains(const OozeBounds *outer, const OozeBounds *inner, double margin)
{
    return outer->min.x <= inner->min.x - margin && outer->max.x >= inner->max.x + margin &&
           outer->min.y <= inner->min.y - margin && outer->max.y >= inner->max.y + margin &&
           outer->min.z <= inner->min.z - margin && outer->max.z >= inner->max.z + margin;
}

static bool has_sampled_plane(const OozeWorld *world)
{
    for (int i = 0; i < world->solids.count; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        if (solid->sampled && ooze_shape_kind(solid->shape) == OOZE_SHAPE_PLANE) {
            return true;
        }
    }
    return false;
}

/* Infinite planes are sampled in a box around the fluid that grows in bounds, half its size at a
   time. The box is part of the saved state: a resumed run must sample the same points in the same
   order. */
static void grow_clip(OozeWorld *world)
{
    if (!has_sampled_plane(world)) {
        return;
    }
    OozeBounds fluid = fluid_bounds(world);
    if (!(fluid.min.x <= fluid.max.x) ||
        contains(&world->boundary_clip, &fluid, 2.0 * world->support)) {
        return;
    }
    OozeVec3 size = vec3_sub(fluid.max, fluid.min);
    double reach = fmax(size.x, fmax(size.y, size.z)) + 8.0 * world->support;
    double widest = world->def.spacing * sqrt(PLANE_SAMPLES_MAX);
    OozeVec3 centre = vec3_scale(vec3_add(fluid.min, fluid.max), 0.5);
    double half[3] = {size.x, size.y, size.z};
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = fmin(0.5 * half[axis] + 0.5 * reach, 0.5 * widest);
    }
    OozeVec3 extent = vec3(half[0], half[1], half[2]);
    OozeBounds clip = {vec3_sub(centre, extent), vec3_add(centre, extent)};
    if (contains(&world->boundary_clip, &clip, 0.0)) {
        return; /* already as large as is allowed: fluid beyond meets the plane without samples */
    }
    world->boundary_clip = clip;
    world->boundary_stale = true;
}

static OozeStatus sample_solids(OozeWorld *world, OozeError *error)
{
    ooze_boundary_free(&world->boundary);
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->solids.count && !status; i++) {
        if (world->solids.items[i].sampled) {
            status = ooze_boundary_add(&world->boundary, &world->solids.items[i], i,
                                       world->def.spacing, &world->boundary_clip, error);
        }
    }
    world->boundary_stale = status != OOZE_OK;
    if (!status) {
        ooze_world_log(world, OOZE_LOG_INFO, "%llu boundary particles on the solids",
                       (unsigned long long)world->boundary.count);
    }
    return status;
}

static OozeStatus update_boundary(OozeWorld *world, OozeError *error)
{
    if (!world->method->uses_boundary_neighbours) {
        return OOZE_OK;
    }
    grow_clip(world);
    OozeStatus status = world->boundary_stale ? sample_solids(world, error) : OOZE_OK;
    if (!status && world->boundary.count > 0) {
        status = ooze_boundary_update(&world->boundary, world->threads, world->solids.items,
                                      world->support, &world->periodic, error);
    }
    return status;
}

OozeStatus ooze_world_find_neighbours(OozeWorld *world, OozeError *error)
{
    OozeStatus status = update_boundary(world, error);
    uint64_t n = ooze_particles_count(world->particles);
    if (!status) {
        status =
            ooze_grid_sort(world->grid, world->threads, ooze_particles_positions(world->particles),
                           n, world->support, &world->periodic, error);
    }
    if (!status) {
        status = ooze_particles_reorder(world->particles, world->threads,
                                        ooze_grid_order(world->grid), error);
    }
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    if (!status && world->method->uses_fluid_neighbours) {
        status = ooze_neighbours_build(&world->fluid, world->grid, world->threads, x, n, x,
                                       world->support, true, error);
    }
    if (!status && world->method->uses_boundary_neighbours && world->boundary.count > 0) {
        status =
            ooze_neighbours_build(&world->fluid_boundary, world->boundary.grid, world->threads, x,
                                  n, world->boundary.position, world->support, false, error);
    }
    return status;
}
