#include "solids/shape.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "mesh/build.h"
#include "mesh/read.h"
#include "mesh/refine.h"
#include "solids/compound.h"
#include "solids/shape_formula.h"

static const char *const kind_names[OOZE_SHAPE_KIND_COUNT] = {
    [OOZE_SHAPE_PLANE] = "plane",       [OOZE_SHAPE_BOX] = "box",
    [OOZE_SHAPE_SPHERE] = "sphere",     [OOZE_SHAPE_CAPSULE] = "capsule",
    [OOZE_SHAPE_CYLINDER] = "cylinder", [OOZE_SHAPE_CONE] = "cone",
    [OOZE_SHAPE_TORUS] = "torus",       [OOZE_SHAPE_HEIGHTFIELD] = "heightfield",
    [OOZE_SHAPE_MESH] = "mesh",         [OOZE_SHAPE_COMPOUND] = "compound",
    [OOZE_SHAPE_OPEN_BOX] = "open box", [OOZE_SHAPE_OPEN_CYLINDER] = "open cylinder",
    [OOZE_SHAPE_BOWL] = "bowl",
};

OozeShapeDef ooze_shape_def_default(OozeShapeKind kind)
{
    OozeShapeDef def = {.kind = kind,
                        .size = {1.0, 1.0, 1.0},
                        .radius = 0.5,
                        .tube_radius = 0.1,
                        .height = 1.0,
                        .height_scale = 1.0,
                        .rotation = {0.0, 0.0, 0.0, 1.0},
                        .scale = {1.0, 1.0, 1.0}};
    if (kind == OOZE_SHAPE_HEIGHTFIELD) {
        def.size = vec3(0.0, 0.0, 0.0); /* that of the file, where it has one */
    }
    if (kind == OOZE_SHAPE_BOWL) {
        def.height = def.radius; /* half a sphere */
    }
    if (kind == OOZE_SHAPE_OPEN_BOX || kind == OOZE_SHAPE_OPEN_CYLINDER ||
        kind == OOZE_SHAPE_BOWL) {
        def.thickness = 0.05;
    }
    return def;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static OozeStatus check_length(const OozeShapeDef *def, const char *key, double value,
                               OozeError *error)
{
    if (!(value > 0.0) || !(value <= OOZE_MESH_COORDINATE_MAX)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a positive length in metres",
                         "the %s has %s = %g", kind_names[def->kind], key, value);
    }
    return OOZE_OK;
}

static OozeStatus check_placement(const OozeShapeDef *def, OozeError *error)
{
    OozeVec3 s = def->scale;
    OozeQuat q = def->rotation;
    double length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!vec3_is_finite(s) || !(s.x > 0.0 && s.y > 0.0 && s.z > 0.0) ||
        fmax(s.x, fmax(s.y, s.z)) > OOZE_MESH_COORDINATE_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give three positive factors",
                         "the %s has scale = (%g, %g, %g)", kind_names[def->kind], s.x, s.y, s.z);
    }
    if (!vec3_is_finite(def->position)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give three coordinates in metres",
                         "the %s has position = (%g, %g, %g)", kind_names[def->kind],
                         def->position.x, def->position.y, def->position.z);
    }
    if (!(length > 0.0) || !isfinite(length)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "the identity is (0, 0, 0, 1)",
                         "the %s has rotation = (%g, %g, %g, %g)", kind_names[def->kind], q.x, q.y,
                         q.z, q.w);
    }
    return OOZE_OK;
}

/* The thickness of a container must leave a cavity. */
static OozeStatus check_thickness(const OozeShapeDef *def, OozeAxis up, OozeError *error)
{
    OozeVec3 size = ooze_to_upright(up, def->size);
    double max = INFINITY;
    if (def->kind == OOZE_SHAPE_OPEN_BOX) {
        max = fmin(fmin(0.5 * size.x, 0.5 * size.y), size.z);
    } else if (def->kind == OOZE_SHAPE_OPEN_CYLINDER) {
        max = fmin(def->radius, def->height);
    } else { /* the inner sphere must reach the rim */
        double outer = ooze_bowl_sphere(def->radius, def->height);
        max = outer - fabs(def->height - outer);
    }
    OozeStatus status = check_length(def, "thickness", def->thickness, error);
    if (!status && !(def->thickness < (1.0 - 1e-9) * max)) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "use thinner walls or a larger container",
                           "the %s has thickness = %g, which leaves no cavity: it must be below %g",
                           kind_names[def->kind], def->thickness, max);
    }
    return status;
}

static OozeStatus check_sizes(const OozeShapeDef *def, OozeAxis up, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    switch (def->kind) {
    case OOZE_SHAPE_PLANE:
        if (!vec3_is_finite(def->normal)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "leave it out for the world's up",
                             "the plane has normal = (%g, %g, %g)", def->normal.x, def->normal.y,
                             def->normal.z);
        }
        return OOZE_OK;
    case OOZE_SHAPE_BOX:
    case OOZE_SHAPE_OPEN_BOX:
        status = check_length(def, "size.x", def->size.x, error);
        status = status ? status : check_length(def, "size.y", def->size.y, error);
        status = status ? status : check_length(def, "size.z", def->size.z, error);
        return status || def->kind == OOZE_SHAPE_BOX ? status : check_thickness(def, up, error);
    case OOZE_SHAPE_SPHERE:
        return check_length(def, "radius", def->radius, error);
    case OOZE_SHAPE_CAPSULE:
    case OOZE_SHAPE_CYLINDER:
    case OOZE_SHAPE_CONE:
        status = check_length(def, "radius", def->radius, error);
        return status ? status : check_length(def, "height", def->height, error);
    case OOZE_SHAPE_OPEN_CYLINDER:
    case OOZE_SHAPE_BOWL:
        status = check_length(def, "radius", def->radius, error);
        status = status ? status : check_length(def, "height", def->height, error);
        return status ? status : check_thickness(def, up, error);
    case OOZE_SHAPE_TORUS:
        status = check_length(def, "radius", def->radius, error);
        status = status ? status : check_length(def, "tube_radius", def->tube_radius, error);
        if (!status && def->tube_radius >= def->radius) {
            status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "leave a hole in the middle",
                               "the torus has tube_radius = %g, not below its radius = %g",
                               def->tube_radius, def->radius);
        }
        return status;
    default:
        return OOZE_OK;
    }
}

/* ---- creation ------------------------------------------------------------------------------- */

static void set_sizes(OozeShape *shape, const OozeShapeDef *def, OozeVec3 s)
{
    OozeVec3 upright = ooze_to_upright(shape->up, s), size = ooze_to_upright(shape->up, def->size);
    bool box = shape->kind == OOZE_SHAPE_OPEN_BOX;
    shape->radius = def->radius * upright.x;
    shape->tube_radius = def->tube_radius * upright.x;
    shape->height = def->height * upright.z;
    shape->thickness = def->thickness * upright.x;
    shape->half = vec3(0.5 * def->size.x * s.x, 0.5 * def->size.y * s.y, 0.5 * def->size.z * s.z);
    shape->cavity = vec3(((box ? 0.5 * size.x : def->radius) - def->thickness) * upright.x,
                         ((box ? 0.5 * size.y : def->radius) - def->thickness) * upright.y,
                         def->thickness * upright.z);
    OozeVec3 n = vec3_unit(def->normal, vec3_axis(shape->up));
    shape->normal = vec3_unit(vec3(n.x / s.x, n.y / s.y, n.z / s.z), n);
}

/* Scaled sizes; false where the scale changes the kind of shape. */
static bool scale_primitive(OozeShape *shape, const OozeShapeDef *def)
{
    OozeVec3 s = def->scale, upright = ooze_to_upright(shape->up, s);
    bool even = s.x == s.y && s.y == s.z, round = upright.x == upright.y;
    set_sizes(shape, def, s);
    switch (shape->kind) {
    case OOZE_SHAPE_PLANE:
    case OOZE_SHAPE_BOX:
    case OOZE_SHAPE_OPEN_BOX:
        return true;
    case OOZE_SHAPE_CYLINDER:
    case OOZE_SHAPE_CONE:
    case OOZE_SHAPE_OPEN_CYLINDER:
        return round;
    default:
        return even;
    }
}

static OozeStatus scale_mesh(OozeMesh *mesh, OozeVec3 s, OozeError *error)
{
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 *v = &mesh->vertices[i];
        *v = vec3(v->x * s.x, v->y * s.y, v->z * s.z);
        if (!(vec3_length(*v) <= OOZE_MESH_COORDINATE_MAX)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use a smaller scale",
                             "the mesh scaled by (%g, %g, %g) is too large", s.x, s.y, s.z);
        }
    }
    return OOZE_OK;
}

/* A round shape with different scales keeps its sizes before scaling. */
static void stretch_primitive(OozeShape *shape, const OozeShapeDef *def)
{
    set_sizes(shape, def, vec3(1.0, 1.0, 1.0));
    shape->stretched = true;
    shape->stretch = def->scale;
}

static OozeStatus build_mesh(OozeShape *shape, const OozeShapeDef *def, OozeError *error)
{
    OozeStatus status = def->path ? ooze_mesh_read(def->path, &shape->mesh, error)
                                  : ooze_mesh_from_view(&def->mesh, &shape->mesh, error);
    return status ? status : scale_mesh(shape->mesh, def->scale, error);
}

static OozeStatus build_grid(OozeShape *shape, const OozeShapeDef *def, double resolution,
                             OozeThreads *threads, OozeError *error)
{
    if (!(resolution > 0.0) || !isfinite(resolution)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a positive length in metres",
                         "the spacing is %g", resolution);
    }
    if (!(def->thickness >= 0.0) || !isfinite(def->thickness)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "0 means two spacings",
                         "the mesh has thickness = %g", def->thickness);
    }
    OozeStatus status = build_mesh(shape, def, error);
    if (!status) {
        status = ooze_distance_grid_create(shape->mesh, resolution, def->thickness, threads,
                                           &shape->grid, error);
    }
    ooze_mesh_free(shape->mesh); /* the grid has a repaired copy */
    shape->mesh = NULL;
    return status;
}

OozeStatus ooze_shape_create(const OozeShapeDef *def, OozeAxis up, double resolution,
                             OozeShape **out, OozeError *error)
{
    return ooze_shape_create_with(def, up, resolution, NULL, out, error);
}

OozeStatus ooze_shape_create_with(const OozeShapeDef *def, OozeAxis up, double resolution,
                                  OozeThreads *threads, OozeShape **out, OozeError *error)
{
    *out = NULL;
    if ((int)def->kind < 0 || def->kind >= OOZE_SHAPE_KIND_COUNT) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of OozeShapeKind",
                         "there is no shape of kind %d", (int)def->kind);
    }
    OozeStatus status = check_placement(def, error);
    status = status ? status : check_sizes(def, up, error);
    if (status) {
        return status;
    }
    OozeShape *shape = ooze_alloc_zero(1, sizeof *shape);
    if (!shape) {
        return ooze_fail_memory(error, "a shape", sizeof *shape);
    }
    shape->kind = def->kind;
    shape->up = up;
    shape->inverted = def->inverted;
    if (def->kind == OOZE_SHAPE_HEIGHTFIELD) {
        status = ooze_heightfield_create(def, up, &shape->field, error);
    } else if (def->kind == OOZE_SHAPE_COMPOUND) {
        status = ooze_compound_create(shape, def, resolution, threads, error);
    } else if (def->kind == OOZE_SHAPE_MESH) {
        status = build_grid(shape, def, resolution, threads, error);
    } else if (!scale_primitive(shape, def)) {
        stretch_primitive(shape, def);
    }
    if (status) {
        ooze_shape_destroy(shape);
        return status;
    }
    *out = shape;
    return OOZE_OK;
}

static void free_simple(OozeShape *shape)
{
    ooze_mesh_free(shape->mesh);
    ooze_distance_grid_destroy(shape->grid);
    ooze_heightfield_destroy(shape->field);
}

void ooze_shape_destroy(OozeShape *shape)
{
    if (shape) {
        for (int k = 0; k < shape->part_count; k++) {
            free_simple(&shape->parts[k].shape);
        }
        free_simple(shape);
        ooze_free(shape->parts);
        ooze_free(shape);
    }
}

static uint64_t simple_bytes(const OozeShape *shape)
{
    uint64_t bytes = sizeof *shape;
    bytes += shape->grid ? ooze_distance_grid_bytes(shape->grid) : 0;
    bytes += shape->field ? ooze_heightfield_bytes(shape->field) : 0;
    return bytes;
}

uint64_t ooze_shape_bytes(const OozeShape *shape)
{
    uint64_t bytes = simple_bytes(shape);
    for (int k = 0; k < shape->part_count; k++) {
        bytes += simple_bytes(&shape->parts[k].shape) + sizeof(OozePose);
    }
    return bytes;
}

bool ooze_shape_is_shell(const OozeShape *shape)
{
    bool shell = shape->grid && ooze_distance_grid_is_shell(shape->grid);
    for (int k = 0; k < shape->part_count; k++) {
        const OozeDistanceGrid *grid = shape->parts[k].shape.grid;
        shell = shell || (grid && ooze_distance_grid_is_shell(grid));
    }
    return shell;
}

bool ooze_shape_is_interpolated(const OozeShape *shape)
{
    bool interpolated = shape->grid != NULL;
    for (int k = 0; k < shape->part_count; k++) {
        interpolated = interpolated || shape->parts[k].shape.grid;
    }
    return interpolated;
}

OozeShapeKind ooze_shape_kind(const OozeShape *shape)
{
    return shape->kind;
}

bool ooze_shape_inverted(const OozeShape *shape)
{
    return shape->inverted;
}

/* ---- queries --------------------------------------------------------------------------------- */

OozeBounds ooze_bounds_transform(const OozeBounds *bounds, const OozePose *pose, bool to_local)
{
    OozeBounds box = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
    for (int i = 0; i < 8; i++) {
        OozeVec3 corner =
            vec3(i & 1 ? bounds->max.x : bounds->min.x, i & 2 ? bounds->max.y : bounds->min.y,
                 i & 4 ? bounds->max.z : bounds->min.z);
        OozeVec3 p = to_local ? ooze_pose_to_local(pose, corner) : ooze_pose_to_world(pose, corner);
        box.min = vec3(fmin(box.min.x, p.x), fmin(box.min.y, p.y), fmin(box.min.z, p.z));
        box.max = vec3(fmax(box.max.x, p.x), fmax(box.max.y, p.y), fmax(box.max.z, p.z));
    }
    return box;
}

double ooze_shape_distance(const OozeShape *shape, OozeVec3 point, OozeVec3 *normal)
{
    OozeVec3 outward;
    return ooze_shape_distance_at(shape, point, normal ? normal : &outward);
}

/* Half extents of the bounding box. */
static OozeVec3 upright_reach(const OozeShape *shape)
{
    double r = shape->radius, end = 0.5 * shape->height;
    switch (shape->kind) {
    case OOZE_SHAPE_BOX:
    case OOZE_SHAPE_OPEN_BOX:
        return ooze_to_upright(shape->up, shape->half);
    case OOZE_SHAPE_BOWL:
        r = r < shape->height ? ooze_bowl_sphere(r, shape->height) : r;
        return vec3(r, r, end);
    case OOZE_SHAPE_SPHERE:
        return vec3(r, r, r);
    case OOZE_SHAPE_CAPSULE:
        return vec3(r, r, r + end);
    case OOZE_SHAPE_TORUS:
        return vec3(r + shape->tube_radius, r + shape->tube_radius, shape->tube_radius);
    default:
        return vec3(r, r, end);
    }
}

static bool stands_on_origin(const OozeShape *shape)
{
    return shape->kind == OOZE_SHAPE_CONE || shape->kind == OOZE_SHAPE_OPEN_BOX ||
           shape->kind == OOZE_SHAPE_OPEN_CYLINDER || shape->kind == OOZE_SHAPE_BOWL;
}

OozeBounds ooze_shape_bounds(const OozeShape *shape)
{
    OozeBounds bounds = ooze_bounds_infinite();
    if (shape->parts) {
        bounds = shape->box;
    } else if (shape->grid) {
        ooze_distance_grid_bounds(shape->grid, &bounds.min, &bounds.max);
    } else if (shape->field) {
        ooze_heightfield_bounds(shape->field, &bounds.min, &bounds.max);
    } else if (shape->kind != OOZE_SHAPE_PLANE) {
        OozeVec3 reach = upright_reach(shape);
        bounds.max = ooze_from_upright(shape->up, reach);
        bounds.min = vec3_scale(bounds.max, -1.0);
        if (stands_on_origin(shape)) {
            OozeVec3 rise = vec3_scale(vec3_axis(shape->up), reach.z);
            bounds.min = vec3_add(bounds.min, rise);
            bounds.max = vec3_add(bounds.max, rise);
        }
        if (shape->stretched) {
            bounds.min = ooze_scaled(bounds.min, shape->stretch);
            bounds.max = ooze_scaled(bounds.max, shape->stretch);
        }
    }
    return bounds;
}

OozeStatus ooze_shape_triangulate(const OozeShape *shape, double edge, const OozeBounds *clip,
                                  OozeMesh **mesh, OozeError *error)
{
    *mesh = NULL;
    OozeStatus status = ooze_mesh_check_size(0.0, edge, error);
    if (status) {
        return status;
    }
    if (shape->grid) {
        status = ooze_distance_grid_surface(shape->grid, mesh, error);
        status = status ? status : ooze_mesh_refine(mesh, edge, error);
    } else if (shape->field) {
        status = ooze_heightfield_triangulate(shape->field, edge, mesh, error);
    } else if (shape->parts) {
        status = ooze_compound_triangulate(shape, edge, mesh, error);
    } else {
        OozeVec3 s = shape->stretch;
        double max = shape->stretched ? fmax(s.x, fmax(s.y, s.z)) : 1.0;
        status = ooze_primitive_triangulate(shape, edge / max, clip, mesh, error);
        if (!status && shape->stretched) {
            status = scale_mesh(*mesh, s, error);
        }
    }
    if (!status && shape->inverted) { /* outward of a container is into its cavity */
        ooze_mesh_flip(*mesh);
    }
    return status;
}
