#include "solids/display_mesh.h"

#include <math.h>

#include "base/vec3.h"
#include "mesh/read.h"

/* Edge length at which curved shapes appear smooth: a fraction of their radius, but not below a
   fraction of the whole. */
static double edge_for_shape(const OozeShapeDef *def, double size)
{
    double scale = fmin(def->scale.x, fmin(def->scale.y, def->scale.z));
    double radius = def->kind == OOZE_SHAPE_TORUS ? def->tube_radius : def->radius;
    switch (def->kind) {
    case OOZE_SHAPE_SPHERE:
    case OOZE_SHAPE_CAPSULE:
    case OOZE_SHAPE_CYLINDER:
    case OOZE_SHAPE_CONE:
    case OOZE_SHAPE_TORUS:
    case OOZE_SHAPE_OPEN_CYLINDER:
    case OOZE_SHAPE_BOWL:
        return fmax(radius * scale / 16.0, size / 250.0);
    case OOZE_SHAPE_HEIGHTFIELD:
        return size / 200.0;
    default:
        return size;
    }
}

static double edge_length(const OozeShapeDef *def, const OozeShape *shape)
{
    OozeBounds bounds = ooze_shape_bounds(shape);
    double size = vec3_length(vec3_sub(bounds.max, bounds.min));
    double edge = edge_for_shape(def, size);
    for (int k = 0; k < def->part_count; k++) {
        edge = fmin(edge, def->scale.x * edge_for_shape(&def->parts[k], size / def->scale.x));
    }
    return edge;
}

OozeStatus ooze_shape_display_mesh(const OozeShapeDef *def, OozeAxis up, double spacing,
                                   OozeMesh **mesh, OozeShape **shape, OozeError *error)
{
    *shape = NULL;
    if (def->kind != OOZE_SHAPE_MESH || !def->path || def->inverted) {
        OozeStatus status = ooze_shape_create(def, up, spacing, shape, error);
        return status ? status
                      : ooze_shape_triangulate(*shape, edge_length(def, *shape), NULL, mesh, error);
    }
    OozeStatus status = ooze_mesh_read(def->path, mesh, error);
    for (uint64_t i = 0; !status && i < (*mesh)->vertex_count; i++) {
        OozeVec3 *v = &(*mesh)->vertices[i];
        *v = vec3(v->x * def->scale.x, v->y * def->scale.y, v->z * def->scale.z);
    }
    return status;
}
