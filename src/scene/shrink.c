/* Fluids of a trial: smaller copies of the volumes of a scene, at the scene's own spacing, so that
   a step costs as much per particle as in the scene itself. */
#include <math.h>

#include "base/vec3.h"
#include "scene/scene.h"
#include "solids/shape.h"

/* Width in spacings below which a fluid is not shrunk: thin sheets keep their thickness. */
static const double WIDTH_MIN = 8.0;

/* Bounds of a shape, scaled, before it is rotated and moved. */
static OozeStatus find_bounds(const OozeWorldDef *world, const OozeShapeDef *def,
                              OozeBounds *bounds, OozeError *error)
{
    const double coarse = 8.0; /* spacings of the distance grid */
    OozeShape *shape = NULL;
    OozeStatus status = ooze_shape_create(def, world->up, coarse * world->spacing, &shape, error);
    if (!status) {
        *bounds = ooze_shape_bounds(shape);
        ooze_shape_destroy(shape);
    }
    return status;
}

/* Factors along the axes of a shape `width` spacings wide, whose product is `share` where
   WIDTH_MIN permits. */
static void choose_factors(const double width[3], double share, bool equal, double factor[3])
{
    bool fixed[3] = {false, false, false};
    for (int pass = 0; pass < 3; pass++) {
        double rest = share, f;
        int free = 0;
        for (int k = 0; k < 3; k++) {
            rest /= fixed[k] ? factor[k] : 1.0;
            free += !fixed[k];
        }
        f = free > 0 ? fmin(1.0, pow(rest, 1.0 / free)) : 1.0;
        for (int k = 0; k < 3; k++) {
            double smallest = fmin(1.0, WIDTH_MIN / width[k]);
            if (!fixed[k]) {
                factor[k] = fmax(f, smallest);
                fixed[k] = smallest > f;
            }
        }
    }
    for (int k = 0; k < 3 && equal; k++) {
        factor[k] = fmax(factor[0], fmax(factor[1], factor[2]));
    }
}

OozeStatus ooze_scene_fluid_bounds(const OozeScene *scene, OozeBounds *bounds, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    *bounds = ooze_bounds_empty();
    for (int i = 0; i < scene->def.fluid_count && !status; i++) {
        const OozeShapeDef *def = &scene->def.fluids[i].def.shape;
        OozeBounds local;
        status = find_bounds(&scene->def.world, def, &local, error);
        OozePose pose = {.position = def->position, .rotation = quat_unit(def->rotation)};
        *bounds = ooze_bounds_union(*bounds,
                                    status ? *bounds : ooze_bounds_transform(&local, &pose, false));
    }
    return status;
}

/* Largest coordinate of a shape along `down`. */
static double lowest_point(const OozeBounds *local, const OozePose *pose, OozeVec3 down)
{
    OozeBounds b = ooze_bounds_transform(local, pose, false);
    return fmax(b.min.x * down.x, b.max.x * down.x) + fmax(b.min.y * down.y, b.max.y * down.y) +
           fmax(b.min.z * down.z, b.max.z * down.z);
}

OozeStatus ooze_scene_shrink(const OozeWorldDef *world, OozeShapeDef *shape, double share,
                             OozeError *error)
{
    double factor[3];
    OozeBounds bounds;
    OozeStatus status = find_bounds(world, shape, &bounds, error);
    if (status) {
        return status;
    }
    OozeVec3 size = vec3_scale(vec3_sub(bounds.max, bounds.min), 1.0 / world->spacing);
    const double width[3] = {size.x, size.y, size.z};
    choose_factors(width, share, shape->kind == OOZE_SHAPE_COMPOUND, factor);
    OozePose pose = {.position = shape->position, .rotation = quat_unit(shape->rotation)};
    OozeVec3 down = vec3_unit(world->gravity, vec3(0, 0, 0));
    double before = lowest_point(&bounds, &pose, down);
    bounds.min = vec3(bounds.min.x * factor[0], bounds.min.y * factor[1], bounds.min.z * factor[2]);
    bounds.max = vec3(bounds.max.x * factor[0], bounds.max.y * factor[1], bounds.max.z * factor[2]);
    double raised = before - lowest_point(&bounds, &pose, down);
    shape->position = vec3_madd(shape->position, raised, down);
    shape->scale =
        vec3(shape->scale.x * factor[0], shape->scale.y * factor[1], shape->scale.z * factor[2]);
    return OOZE_OK;
}
