/* The neighbourhood stage: boundary samples, particles sorted in space, neighbour lists. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

/* Largest number of samples of an infinite plane: its clip box is limited accordingly. */
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

/* Bounding box of the particles when they were sorted; low > high where there are none. */
typedef struct Box {
    float low[3], high[3];
} Box;

static Box empty_box(void)
{
    return (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

/* Bounds of the particles and emitters; false: there are none. */
static bool fluid_bounds(const OozeWorld *world, const Box *box, OozeBounds *bounds)
{
    const float *low = box->low, *high = box->high;
    bool any = low[0] <= high[0];
    *bounds = (OozeBounds){vec3(low[0], low[1], low[2]), vec3(high[0], high[1], high[2])};
    for (int i = 0; i < world->emitters.count; i++) {
        include_point(bounds, ooze_motion_pose(&world->emitters.items[i].motion, 0.0).position);
    }
    return any || world->emitters.count > 0;
}

static bool contains(const OozeBounds *outer, const OozeBounds *inner)
{
    return outer->min.x <= inner->min.x && outer->max.x >= inner->max.x &&
           outer->min.y <= inner->min.y && outer->max.y >= inner->max.y &&
           outer->min.z <= inner->min.z && outer->max.z >= inner->max.z;
}

static bool is_sampled_plane(const OozeSolid *solid)
{
    return solid->sampled && ooze_shape_kind(solid->shape) == OOZE_SHAPE_PLANE;
}

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

/* An infinite plane is sampled within a clip box around the fluid, given in the plane's frame. When
   the fluid comes near the border, the plane gets a new clip box and new samples. The box is part
   of the saved state: a resumed run must sample the same points in the same order. */
static void follow_fluid(OozeWorld *world, OozeSolid *plane, const OozeBounds *fluid)
{
    OozeBounds near = ooze_bounds_transform(fluid, &plane->pose, true), around = near;
    OozeVec3 margin = vec3_scale(vec3(2, 2, 2), world->support);
    around.min = vec3_sub(near.min, margin);
    around.max = vec3_add(near.max, margin);
    clip_to_period(world, plane, &around);
    if (contains(&plane->clip, &around)) {
        return;
    }
    OozeVec3 size = vec3_sub(near.max, near.min);
    double reach = fmax(size.x, fmax(size.y, size.z)) + 8.0 * world->support;
    double widest = world->def.spacing * sqrt(PLANE_SAMPLES_MAX);
    OozeVec3 centre = vec3_scale(vec3_add(near.min, near.max), 0.5);
    double half[3] = {size.x, size.y, size.z};
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = fmin(0.5 * half[axis] + 0.5 * reach, 0.5 * widest);
    }
    OozeVec3 extent = vec3(half[0], half[1], half[2]);
    OozeBounds clip = {vec3_sub(centre, extent), vec3_add(centre, extent)};
    clip_to_period(world, plane, &clip);
    if (contains(&plane->clip, &clip)) {
        return; /* at its largest size: fluid beyond it collides, but finds no samples */
    }
    plane->clip = clip;
    world->planes_stale = true;
}

static void update_clip_boxes(OozeWorld *world, const Box *box)
{
    OozeBounds fluid;
    if (!fluid_bounds(world, box, &fluid)) {
        return;
    }
    for (int i = 0; i < world->solids.count; i++) {
        if (is_sampled_plane(&world->solids.items[i])) {
            follow_fluid(world, &world->solids.items[i], &fluid);
        }
    }
}

static OozeStatus add_samples(OozeWorld *world, bool planes, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < world->solids.count && !status; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        if (solid->sampled && is_sampled_plane(solid) == planes) {
            status = ooze_boundary_add(&world->boundary, solid, i, world->def.spacing, error);
        }
    }
    return status;
}

/* Samples of planes come last, so that they can be replaced without the others. A resumed run
   creates the same order. */
static OozeStatus sample_solids(OozeWorld *world, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    if (world->boundary_stale) {
        ooze_boundary_free(&world->boundary);
        status = add_samples(world, false, error);
        world->bounded_samples = world->boundary.count;
    }
    ooze_boundary_truncate(&world->boundary, world->bounded_samples);
    status = status ? status : add_samples(world, true, error);
    world->boundary_stale = status != OOZE_OK;
    world->samples_sent = false;
    if (!status) {
        world->planes_stale = false;
        ooze_world_log(world, OOZE_LOG_INFO, "%llu boundary particles on the solids",
                       (unsigned long long)world->boundary.count);
    }
    return status;
}

static OozeStatus update_samples(OozeWorld *world, const Box *box, OozeError *error)
{
    update_clip_boxes(world, box);
    bool stale = world->boundary_stale || world->planes_stale;
    return stale ? sample_solids(world, error) : OOZE_OK;
}

OozeStatus ooze_world_find_neighbours(OozeWorld *world, OozeError *error)
{
    const OozeEngine *engine = world->engine;
    OozeStepContext context = ooze_world_step_context(world);
    Box box = empty_box();
    ooze_timer_begin(&world->timer, "neighbours");
    OozeStatus status = engine->sort(world->engine_data, &context, box.low, box.high, error);
    if (!status && world->method->uses_boundary_neighbours) {
        status = update_samples(world, &box, error);
        ooze_timer_lap(&world->timer, "boundary");
    }
    if (!status) {
        bool resampled = !world->samples_sent;
        status = engine->find_neighbours(world->engine_data, &context, resampled, error);
        world->samples_sent = !status;
    }
    return status;
}
