/* The part of each surface that has boundary samples. Samples of small solids are created once. An
   infinite plane is sampled within a clip box around the fluid. Where that box would have very many
   samples, and on large solids, the surface is sampled in cells near fluid only, so that particles
   far from the others, and large solids, cost nothing.

   Forces on particles do not depend on the cells that are sampled: these include every sample that
   a particle can see in a substep, and every sample that contributes to the volume of one of them;
   the samples of a cell, and the order of two samples, do not depend on the others. Cells are
   therefore not saved. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "world/world.h"

/* Samples per particle above which a larger plane or box is sampled in cells, and below which it no
   longer is: where fluid is almost everywhere, updates of cells cost more than the samples. Other
   shapes always are: without cells their samples would be others. */
#define CELLS_ABOVE 4.0
#define CELLS_BELOW 2.0
/* Largest number of samples of a plane that is not aligned with the axes of a periodic box. */
#define TILTED_SAMPLES_MAX 4e6
/* Largest number of periodic images in which a solid is sampled in cells. */
#define IMAGES_MAX 256.0

enum { REACH_MAX = 4 }; /* cells, for runs that diverge */

/* Bounds of the particles and emitters; false: there are none. */
static bool fluid_bounds(const OozeWorld *world, const float low[3], const float high[3],
                         OozeBounds *bounds)
{
    bool any = low[0] <= high[0];
    *bounds = (OozeBounds){vec3(low[0], low[1], low[2]), vec3(high[0], high[1], high[2])};
    for (int i = 0; i < world->emitters.count; i++) {
        OozePose pose = ooze_motion_pose(&world->emitters.items[i].motion, 0.0);
        *bounds = ooze_bounds_include(*bounds, pose.position);
    }
    return any || world->emitters.count > 0;
}

static bool contains(const OozeBounds *outer, const OozeBounds *inner)
{
    return outer->min.x <= inner->min.x && outer->max.x >= inner->max.x &&
           outer->min.y <= inner->min.y && outer->max.y >= inner->max.y &&
           outer->min.z <= inner->min.z && outer->max.z >= inner->max.z;
}

static bool is_plane(const OozeSolid *solid)
{
    return ooze_shape_kind(solid->shape) == OOZE_SHAPE_PLANE;
}

/* Largest distance of a particle from a sample in a cell that is sampled because of it, m. */
static double farthest_sample(const OozeWorld *world)
{
    return (REACH_MAX + 2) * 2.0 * OOZE_CELL_STEPS * world->def.spacing;
}

/* Whether a bounded solid can be sampled in cells at any pose: few periodic images of the box are
   near it, and it is within the range of cells. */
static bool can_have_cells(const OozeWorld *world, const OozeSolid *solid)
{
    OozeBounds bounds = ooze_shape_bounds(solid->shape);
    double longest = vec3_length(vec3_sub(bounds.max, bounds.min)), count = 1.0;
    double farthest = fmax(vec3_length(bounds.min), vec3_length(bounds.max));
    double range = 0.9 * OOZE_CELL_FARTHEST * OOZE_CELL_STEPS * world->def.spacing;
    for (int axis = 0; axis < 3; axis++) {
        double length = (double)world->periodic.length[axis];
        if (length > 0.0) {
            count *= ceil((longest + 2.0 * farthest_sample(world)) / length) + 1.0;
        }
    }
    return farthest < range && count <= IMAGES_MAX;
}

bool ooze_world_find_lattice(const OozeWorld *world, const OozeSolid *solid,
                             OozeSurfaceLattice *lattice)
{
    double spacing = world->def.spacing;
    bool regular = ooze_surface_lattice(solid->shape, spacing, lattice);
    if (regular && ooze_lattice_wrap(lattice, &solid->pose, &world->periodic, spacing)) {
        return true;
    }
    if (is_plane(solid) || !can_have_cells(world, solid)) {
        return false;
    }
    if (!ooze_surface_lattice(solid->shape, spacing, lattice)) {
        *lattice = ooze_surface_cells(solid->shape, spacing);
    }
    return true;
}

/* Whether a solid with that many samples is better sampled in cells. */
static bool prefers_cells(const OozeWorld *world, const OozeSolid *solid, double samples)
{
    double particles = (double)ooze_world_particle_count(world);
    double limit = (solid->sampled_in_cells ? CELLS_BELOW : CELLS_ABOVE) * particles;
    return samples > OOZE_CELL_SAMPLES_MIN && samples > limit;
}

/* ---- clip boxes of planes ------------------------------------------------------------------- */

/* Limits the clip box to one period along each periodic axis that lies in the plane: samples beyond
   it would coincide with samples inside. A rotated plane is not periodic along these axes. */
static void clip_to_period(const OozeWorld *world, const OozeSolid *plane, OozeBounds *clip)
{
    OozeQuat r = plane->pose.rotation;
    OozeVec3 normal;
    (void)ooze_shape_distance(plane->shape, vec3(0, 0, 0), &normal);
    bool rotated = r.x != 0.0 || r.y != 0.0 || r.z != 0.0;
    double *low[3] = {&clip->min.x, &clip->min.y, &clip->min.z};
    double *high[3] = {&clip->max.x, &clip->max.y, &clip->max.z};
    for (int axis = 0; axis < 3; axis++) {
        double length = (double)world->periodic.length[axis];
        if (length > 0.0 && !rotated && fabs(vec3_component(normal, axis)) < 1e-9) {
            *low[axis] = 0.0;
            *high[axis] =
                length - 1e-3 * world->def.spacing; /* the end coincides with the beginning */
        }
    }
}

/* Number of samples of a plane within a clip box, or somewhat more. */
static double samples_in(const OozeBounds *clip, const OozeSurfaceLattice *lattice)
{
    OozeVec3 centre = vec3_scale(vec3_add(clip->min, clip->max), 0.5);
    OozeVec3 half = vec3_scale(vec3_sub(clip->max, clip->min), 0.5);
    double extent[3]; /* half of that of the box along the axes of the lattice */
    for (int k = 0; k < 3; k++) {
        OozeVec3 a = lattice->axes[k];
        extent[k] = half.x * fabs(a.x) + half.y * fabs(a.y) + half.z * fabs(a.z);
    }
    bool apart = fabs(vec3_dot(centre, lattice->axes[2])) > extent[2] + lattice->step[2];
    return apart ? 0.0
                 : (2.0 * extent[0] / lattice->step[0] + 1.0) *
                       (2.0 * extent[1] / lattice->step[1] + 1.0);
}

/* The new clip box of a plane, in its frame, where the fluid has come near the border of the
   present one, else the present one. It is part of the saved state: a resumed run has the same
   samples. */
static OozeBounds follow_fluid(const OozeWorld *world, const OozeSolid *plane,
                               const OozeBounds *fluid, double samples_max)
{
    OozeBounds near = ooze_bounds_transform(fluid, &plane->pose, true);
    OozeBounds around = ooze_bounds_grow(near, 2.0 * world->support);
    clip_to_period(world, plane, &around);
    if (contains(&plane->clip, &around)) {
        return plane->clip;
    }
    OozeVec3 size = vec3_sub(near.max, near.min);
    double reach = fmax(size.x, fmax(size.y, size.z)) + 8.0 * world->support;
    double widest = world->def.spacing * sqrt(samples_max);
    OozeVec3 centre = vec3_scale(vec3_add(near.min, near.max), 0.5);
    double half[3] = {size.x, size.y, size.z};
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = fmin(0.5 * half[axis] + 0.5 * reach, 0.5 * widest);
    }
    OozeVec3 extent = vec3(half[0], half[1], half[2]);
    OozeBounds clip = {vec3_sub(centre, extent), vec3_add(centre, extent)};
    clip_to_period(world, plane, &clip);
    /* at its largest size: fluid beyond it collides, but finds no samples */
    return contains(&plane->clip, &clip) ? plane->clip : clip;
}

static void update_plane(OozeWorld *world, OozeSolid *plane, const OozeBounds *fluid)
{
    OozeSurfaceLattice lattice;
    bool divisible = ooze_world_find_lattice(world, plane, &lattice);
    OozeBounds clip = follow_fluid(world, plane, fluid, divisible ? INFINITY : TILTED_SAMPLES_MAX);
    bool in_cells = divisible && prefers_cells(world, plane, samples_in(&clip, &lattice));
    if (in_cells) {
        clip = ooze_bounds(vec3(0, 0, 0), vec3(0, 0, 0));
    }
    if (in_cells != plane->sampled_in_cells || memcmp(&clip, &plane->clip, sizeof clip) != 0) {
        plane->clip = clip;
        plane->sampled_in_cells = in_cells;
        plane->sampled_cells.count = 0;
        world->planes_stale = true;
    }
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Cells from a particle to the farthest sample that affects it in a substep: its travel, one
   support to a sample, and one more to the samples that contribute to the volume of that one. */
static OozeStatus find_reach(OozeWorld *world, const OozeSurfaceLattice *lattice, int *reach,
                             OozeError *error)
{
    double speed = 0.0, dt = world->substep.dt;
    OozeStatus status = ooze_world_fastest_particle(world, &speed, error);
    speed = fmin(speed, world->substep.free_speed); /* particles in free flight see no samples */
    double travel = (speed + vec3_length(world->def.gravity) * dt) * dt;
    if (ooze_world_uses_substeps(world)) { /* what moves farther in the shortest substep diverges */
        travel = fmin(travel, 2.0 * world->def.max_travel * world->def.spacing);
    }
    double distance = 2.0 * world->support + 2.0 * world->def.spacing + travel;
    double step = fmin(lattice->step[0], fmin(lattice->step[1], lattice->step[2]));
    *reach = (int)fmin(ceil(distance / (step * OOZE_CELL_STEPS)), REACH_MAX);
    return status;
}

/* Numbers of the first and last periodic image of the particles near a solid, along each axis. */
static void find_images(const OozeWorld *world, const OozeSolid *solid,
                        const OozeSurfaceLattice *lattice, const OozeBounds *fluid, int range[3][2])
{
    OozeBounds shape = ooze_shape_bounds(solid->shape);
    OozeBounds near = ooze_bounds_transform(&shape, &solid->pose, false);
    double reach = farthest_sample(world);
    for (int axis = 0; axis < 3; axis++) {
        double length = (double)world->periodic.length[axis];
        bool wraps = length > 0.0 && !is_plane(solid) && !lattice->undivided[0] &&
                     !lattice->undivided[1] && !lattice->undivided[2];
        range[axis][0] = range[axis][1] = 0;
        if (wraps) {
            double first = vec3_component(near.min, axis) - vec3_component(fluid->max, axis);
            double last = vec3_component(near.max, axis) - vec3_component(fluid->min, axis);
            range[axis][0] = (int)ceil((first - reach) / length);
            range[axis][1] = (int)floor((last + reach) / length);
        }
    }
}

/* Adds the cells near the surface that one image of the particles is in. */
static OozeStatus add_image(OozeWorld *world, const OozeSurfaceLattice *lattice, OozeCellMap map,
                            const int image[3], int reach, OozeCellSet *occupied, OozeError *error)
{
    OozeCellSet found = {0};
    const float *length = world->periodic.length;
    OozeVec3 shift = vec3(image[0] * (double)length[0], image[1] * (double)length[1],
                          image[2] * (double)length[2]);
    for (int k = 0; k < 3; k++) {
        map.offset[k] += vec3_dot(map.rows[k], shift);
    }
    OozeStatus status =
        world->engine->find_cells(world->engine_data, &map, INFINITY, &found, error);
    ooze_cell_set_sort(&found);
    for (uint64_t i = 0; i < found.count && !status; i++) {
        if (ooze_lattice_touches(lattice, found.keys[i], reach)) {
            status = ooze_cell_set_add(occupied, found.keys[i], error);
        }
    }
    ooze_cell_set_free(&found);
    return status;
}

/* Cells within `reach` cells of the surface that particles, or periodic images of them, are in. */
static OozeStatus find_occupied(OozeWorld *world, const OozeSolid *solid,
                                const OozeSurfaceLattice *lattice, const OozeBounds *fluid,
                                int reach, OozeCellSet *occupied, OozeError *error)
{
    OozeCellMap map = ooze_lattice_cell_map(lattice, &solid->pose);
    int range[3][2], at[3];
    OozeStatus status = OOZE_OK;
    find_images(world, solid, lattice, fluid, range);
    for (at[2] = range[2][0]; at[2] <= range[2][1]; at[2]++) {
        for (at[1] = range[1][0]; at[1] <= range[1][1]; at[1]++) {
            for (at[0] = range[0][0]; at[0] <= range[0][1] && !status; at[0]++) {
                status = add_image(world, lattice, map, at, reach, occupied, error);
            }
        }
    }
    ooze_cell_set_sort(occupied);
    return status;
}

/* Forgets the cells of a box that begins or ends to be aligned with periodic axes: its cells are
   others then. */
static void compare_axes(OozeSolid *solid, const OozeSurfaceLattice *lattice)
{
    if (memcmp(solid->undivided, lattice->undivided, sizeof solid->undivided) != 0) {
        memcpy(solid->undivided, lattice->undivided, sizeof solid->undivided);
        solid->sampled_cells.count = 0;
    }
}

/* The cells of a solid have margins, so that they change in few steps only: they include all
   neighbours of cells that fluid was in. They are recomputed when fluid gets into another cell, and
   where most of them are no longer needed; where that happens in every substep, margins are of no
   use and left out. `fluid` is NULL without particles. */
static OozeStatus update_cells(OozeWorld *world, OozeSolid *solid, const OozeBounds *fluid,
                               OozeError *error)
{
    enum { SURPLUS_MAX = 8 };
    OozeSurfaceLattice lattice;
    int reach;
    (void)ooze_world_find_lattice(world, solid, &lattice);
    compare_axes(solid, &lattice);
    OozeCellSet occupied = {0};
    OozeStatus status = find_reach(world, &lattice, &reach, error);
    if (!status && fluid) {
        status = find_occupied(world, solid, &lattice, fluid, reach + 1, &occupied, error);
    }
    bool missing = reach > solid->sampled_reach;
    for (uint64_t i = 0; i < occupied.count && !status; i++) {
        uint64_t cell = occupied.keys[i];
        missing = missing || (!ooze_cell_set_has(&solid->sampled_cells, cell) &&
                              ooze_lattice_touches(&lattice, cell, reach));
    }
    bool again = missing || solid->sampled_cells.count / SURPLUS_MAX > 27 * occupied.count;
    if (!status && again) {
        int margin = solid->resampled ? 0 : 1;
        status =
            ooze_lattice_around(&lattice, &occupied, margin, false, &solid->sampled_cells, error);
        solid->sampled_reach = reach;
        world->planes_stale = true;
        world->large_stale = world->large_stale || !is_plane(solid);
    }
    solid->resampled = again;
    ooze_cell_set_free(&occupied);
    return status;
}

static OozeStatus add_in_cells(OozeWorld *world, OozeSolid *solid, int index, OozeError *error)
{
    OozeSurfaceLattice lattice;
    OozeCellSet sampled = {0};
    (void)ooze_world_find_lattice(world, solid, &lattice);
    OozeStatus status = ooze_lattice_around(&lattice, &solid->sampled_cells, solid->sampled_reach,
                                            true, &sampled, error);
    if (!status && lattice.shape) {
        OozeCellSamples *samples = &solid->cell_samples;
        status = ooze_cell_samples_update(samples, solid->shape, world->def.spacing, &sampled,
                                          world->threads, error);
        status = status ? status
                        : ooze_boundary_add_points(&world->boundary, solid, index, samples->points,
                                                   ooze_cell_samples_count(samples), error);
    } else if (!status) {
        status = ooze_boundary_add_cells(&world->boundary, solid, index, &lattice, &sampled, error);
    }
    ooze_cell_set_free(&sampled);
    return status;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Groups of solids: samples of the first are created once, those of a later group can be replaced
   without the earlier ones. A resumed run creates the same order. */
typedef enum Group { GROUP_FIXED, GROUP_LARGE, GROUP_PLANES } Group;

static Group group_of(const OozeWorld *world, const OozeSolid *solid)
{
    OozeSurfaceLattice lattice;
    if (is_plane(solid)) {
        return GROUP_PLANES;
    }
    bool large = solid->sample_count > OOZE_CELL_SAMPLES_MIN &&
                 (can_have_cells(world, solid) ||
                  ooze_surface_lattice(solid->shape, world->def.spacing, &lattice));
    return large ? GROUP_LARGE : GROUP_FIXED;
}

static OozeStatus add_group(OozeWorld *world, Group group, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->solids.count && !status; i++) {
        OozeSolid *solid = &world->solids.items[i];
        if (!solid->sampled || group_of(world, solid) != group) {
            continue;
        }
        status = solid->sampled_in_cells
                     ? add_in_cells(world, solid, i, error)
                     : ooze_boundary_add(&world->boundary, solid, i, world->def.spacing,
                                         world->threads, error);
    }
    return status;
}

static OozeStatus sample_solids(OozeWorld *world, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    if (world->boundary_stale) {
        ooze_boundary_free(&world->boundary);
        status = add_group(world, GROUP_FIXED, error);
        world->fixed_samples = world->boundary.count;
    }
    if (world->boundary_stale || world->large_stale) {
        ooze_boundary_truncate(&world->boundary, world->fixed_samples);
        status = status ? status : add_group(world, GROUP_LARGE, error);
        world->bounded_samples = world->boundary.count;
    }
    ooze_boundary_truncate(&world->boundary, world->bounded_samples);
    status = status ? status : add_group(world, GROUP_PLANES, error);
    world->boundary_stale = status != OOZE_OK;
    world->samples_sent = false;
    if (!status) {
        world->large_stale = world->planes_stale = false;
        ooze_world_log(world, OOZE_LOG_INFO, "%llu boundary particles on the solids",
                       (unsigned long long)world->boundary.count);
    }
    return status;
}

/* Decides whether a bounded solid is sampled in cells. */
static OozeStatus update_bounded(OozeWorld *world, OozeSolid *solid, OozeError *error)
{
    OozeSurfaceLattice lattice;
    OozeStatus status = OOZE_OK;
    if (solid->sample_count == 0.0) {
        status = ooze_count_samples(solid->shape, world->def.spacing, &solid->sample_count, error);
        solid->sample_count = status ? 0.0 : fmax(solid->sample_count, 1.0);
    }
    bool large = solid->sample_count > OOZE_CELL_SAMPLES_MIN;
    bool in_cells = large && ooze_world_find_lattice(world, solid, &lattice) &&
                    (lattice.shape || prefers_cells(world, solid, solid->sample_count));
    if (!status && in_cells != solid->sampled_in_cells) {
        solid->sampled_in_cells = in_cells;
        solid->sampled_cells.count = 0;
        world->large_stale = true;
    }
    return status;
}

double ooze_world_count_samples(const OozeWorld *world, const OozeBounds *fluid, double particles)
{
    double total = 0.0, spacing = world->def.spacing;
    for (int i = 0; i < world->solids.count && world->method->uses_boundary_neighbours; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        OozeSurfaceLattice lattice;
        bool divisible = ooze_world_find_lattice(world, solid, &lattice);
        double count = 0.0;
        if (is_plane(solid) &&
            (divisible || ooze_surface_lattice(solid->shape, spacing, &lattice))) {
            OozeBounds clip =
                follow_fluid(world, solid, fluid, divisible ? INFINITY : TILTED_SAMPLES_MAX);
            count = samples_in(&clip, &lattice);
        } else if (!is_plane(solid) &&
                   ooze_count_samples(solid->shape, spacing, &count, NULL) != OOZE_OK) {
            count = 0.0;
        }
        if (divisible && count > OOZE_CELL_SAMPLES_MIN) { /* in cells near fluid, if it has more */
            count = fmin(count, CELLS_ABOVE * particles);
        }
        total += solid->sampled ? count : 0.0;
    }
    return total;
}

OozeStatus ooze_world_update_samples(OozeWorld *world, const float low[3], const float high[3],
                                     OozeError *error)
{
    OozeBounds fluid, particles = {vec3(low[0], low[1], low[2]), vec3(high[0], high[1], high[2])};
    bool any = fluid_bounds(world, low, high, &fluid);
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->solids.count && !status; i++) {
        OozeSolid *solid = &world->solids.items[i];
        if (solid->sampled && is_plane(solid) && any) {
            update_plane(world, solid, &fluid);
        } else if (solid->sampled && !is_plane(solid)) {
            status = update_bounded(world, solid, error);
        }
        if (!status && solid->sampled && solid->sampled_in_cells) {
            status = update_cells(world, solid, low[0] <= high[0] ? &particles : NULL, error);
        }
    }
    bool stale = world->boundary_stale || world->large_stale || world->planes_stale;
    return status || !stale ? status : sample_solids(world, error);
}
