#include "render/props.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "scene/scene.h"
#include "solids/motion.h"
#include "solids/shape.h"

/* Edges short enough that round things look round: a fortieth of the radius of the roundest part, but
   never more than a few hundred along the whole. */
static double edge_within(const OozeShapeDef *def, double size)
{
    double scale = fmin(def->scale.x, fmin(def->scale.y, def->scale.z));
    double radius = def->kind == OOZE_SHAPE_TORUS ? def->tube_radius : def->radius;
    switch (def->kind) {
    case OOZE_SHAPE_SPHERE:
    case OOZE_SHAPE_CAPSULE:
    case OOZE_SHAPE_CYLINDER:
    case OOZE_SHAPE_CONE:
    case OOZE_SHAPE_TORUS:
        return fmax(radius * scale / 16.0, size / 250.0);
    case OOZE_SHAPE_HEIGHTFIELD:
        return size / 200.0;
    default:
        return size;
    }
}

static double edge_of(const OozeShapeDef *def, const OozeShape *shape)
{
    OozeBounds bounds = ooze_shape_bounds(shape);
    double size = vec3_length(vec3_sub(bounds.max, bounds.min));
    double edge = edge_within(def, size);
    for (int k = 0; k < def->part_count; k++) {
        edge = fmin(edge, def->scale.x * edge_within(&def->parts[k], size / def->scale.x));
    }
    return edge;
}

static OozeStatus take_mesh(OozeProp *prop, const OozeMesh *mesh, OozeVec3 scale, OozeError *error)
{
    prop->vertex_count = mesh->vertex_count;
    prop->triangle_count = mesh->triangle_count;
    uint64_t corners = 3 * mesh->triangle_count;
    prop->positions = ooze_alloc(mesh->vertex_count, 3 * sizeof(float));
    prop->placed = ooze_alloc(mesh->vertex_count, 3 * sizeof(float));
    prop->triangles = ooze_alloc(corners, sizeof(uint32_t));
    prop->normals = ooze_alloc(corners, 3 * sizeof(float));
    prop->turned = ooze_alloc(corners, 3 * sizeof(float));
    if (!prop->positions || !prop->placed || !prop->triangles || !prop->normals || !prop->turned) {
        return ooze_fail_memory(error, "the triangles of a solid", corners * 9 * sizeof(float));
    }
    prop->low = vec3(INFINITY, INFINITY, INFINITY);
    prop->high = vec3(-INFINITY, -INFINITY, -INFINITY);
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 v = mesh->vertices[i];
        v = vec3(v.x * scale.x, v.y * scale.y, v.z * scale.z);
        OozeF3 at = f3_of(v);
        memcpy(prop->positions + 3 * i, &at, sizeof at);
        prop->low = vec3(fmin(prop->low.x, v.x), fmin(prop->low.y, v.y), fmin(prop->low.z, v.z));
        prop->high =
            vec3(fmax(prop->high.x, v.x), fmax(prop->high.y, v.y), fmax(prop->high.z, v.z));
    }
    memcpy(prop->triangles, mesh->triangles, corners * sizeof(uint32_t));
    return ooze_corner_normals(prop->positions, prop->vertex_count, prop->triangles,
                               prop->triangle_count, prop->normals, error);
}

/* A mesh is drawn as it is read; other shapes are cut into triangles. */
static OozeStatus make_prop(OozeProp *prop, const OozeSolidDef *solid, const OozeSceneDef *scene,
                            OozeError *error)
{
    const OozeShapeDef *def = &solid->shape;
    prop->name = solid->name;
    prop->rest = (OozePose){.position = def->position, .rotation = def->rotation};
    prop->one_sided = def->inverted;
    prop->least = vec3(INFINITY, INFINITY, INFINITY);
    prop->most = vec3(-INFINITY, -INFINITY, -INFINITY);
    prop->hidden = !solid->visible;
    if (prop->hidden) {
        return OOZE_OK;
    }
    if (def->kind == OOZE_SHAPE_PLANE) {
        prop->is_plane = true;
        prop->normal = vec3_unit(def->normal, vec3_axis(scene->world.up));
        prop->normal = vec3_scale(prop->normal, def->inverted ? -1.0 : 1.0);
        return OOZE_OK;
    }
    OozeMesh *mesh = NULL;
    OozeShape *shape = NULL;
    OozeVec3 scale = vec3(1, 1, 1);
    OozeStatus status;
    if (def->kind == OOZE_SHAPE_MESH && def->path && !def->inverted) {
        scale = def->scale;
        status = ooze_mesh_read(def->path, &mesh, error);
    } else {
        status = ooze_shape_create(def, scene->world.up, scene->world.spacing, &shape, error);
        status = status ? status
                        : ooze_shape_triangulate(shape, edge_of(def, shape), NULL, &mesh, error);
    }
    status = status ? status : take_mesh(prop, mesh, scale, error);
    ooze_mesh_free(mesh);
    ooze_shape_destroy(shape);
    return status;
}

OozeStatus ooze_props_create(OozeProps *props, const OozeScene *scene, OozeError *error)
{
    const OozeSceneDef *def = &scene->def;
    *props = (OozeProps){ooze_alloc_zero((size_t)def->solid_count, sizeof(OozeProp)), 0};
    if (!props->props) {
        return ooze_fail_memory(error, "solids", (uint64_t)def->solid_count * sizeof(OozeProp));
    }
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < def->solid_count && !status; i++) {
        props->count++;
        status = make_prop(&props->props[i], &def->solids[i], def, error);
    }
    if (status) {
        ooze_props_free(props);
    }
    return status;
}

void ooze_props_free(OozeProps *props)
{
    for (int i = 0; i < props->count; i++) {
        OozeProp *prop = &props->props[i];
        ooze_free(prop->positions);
        ooze_free(prop->placed);
        ooze_free(prop->triangles);
        ooze_free(prop->normals);
        ooze_free(prop->turned);
    }
    ooze_free(props->props);
    *props = (OozeProps){NULL, 0};
}

OozePose ooze_prop_pose(const OozeProp *prop, int index, const OozeFrame *frame)
{
    if (index < frame->solid_count && strcmp(frame->solids[index].name, prop->name) == 0) {
        return frame->solids[index].pose;
    }
    for (int i = 0; i < frame->solid_count; i++) {
        if (strcmp(frame->solids[i].name, prop->name) == 0) {
            return frame->solids[i].pose;
        }
    }
    return prop->rest;
}

void ooze_props_survey(OozeProps *props, const OozeFrame *frame)
{
    for (int i = 0; i < props->count; i++) {
        OozeProp *prop = &props->props[i];
        OozePose pose = ooze_prop_pose(prop, i, frame);
        double *least = &prop->least.x, *most = &prop->most.x;
        for (int c = 0; c < 8 && !prop->is_plane && !prop->hidden; c++) {
            OozeVec3 corner =
                vec3(c & 1 ? prop->high.x : prop->low.x, c & 2 ? prop->high.y : prop->low.y,
                     c & 4 ? prop->high.z : prop->low.z);
            OozeVec3 world = ooze_pose_to_world(&pose, corner);
            const double *at = &world.x;
            for (int k = 0; k < 3; k++) {
                least[k] = at[k] < least[k] ? at[k] : least[k];
                most[k] = at[k] > most[k] ? at[k] : most[k];
            }
        }
    }
}

static void place(OozeProp *prop, const OozePose *pose)
{
    for (uint64_t i = 0; i < prop->vertex_count; i++) {
        const float *p = prop->positions + 3 * i;
        OozeVec3 local = vec3((double)p[0], (double)p[1], (double)p[2]);
        OozeF3 at = f3_of(ooze_pose_to_world(pose, local));
        memcpy(prop->placed + 3 * i, &at, sizeof at);
    }
    for (uint64_t i = 0; i < 3 * prop->triangle_count; i++) {
        const float *n = prop->normals + 3 * i;
        OozeVec3 local = vec3((double)n[0], (double)n[1], (double)n[2]);
        OozeF3 turned = f3_of(quat_rotate(pose->rotation, local));
        memcpy(prop->turned + 3 * i, &turned, sizeof turned);
    }
}

OozeStatus ooze_props_place(OozeProps *props, const OozeFrame *frame, int first_skin, float line,
                            OozeStage *stage, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < props->count && !status; i++) {
        OozeProp *prop = &props->props[i];
        OozePose pose = ooze_prop_pose(prop, i, frame);
        if (prop->hidden) {
            continue;
        }
        if (prop->is_plane) {
            OozeVec3 normal = quat_rotate(pose.rotation, prop->normal);
            bool level = vec3_dot(normal, vec3_axis(frame->up)) > 0.99;
            OozePlane plane = {.point = f3_of(pose.position),
                               .normal = f3_of(normal),
                               .skin = first_skin + i,
                               .line = level ? line : 0.0f};
            status = ooze_stage_add_plane(stage, &plane, error);
            continue;
        }
        place(prop, &pose);
        OozeThing thing = {.one_sided = prop->one_sided,
                           .skin = first_skin + i,
                           .vertex_count = prop->vertex_count,
                           .positions = prop->placed,
                           .normals = prop->turned,
                           .corner_normals = true,
                           .triangle_count = prop->triangle_count,
                           .triangles = prop->triangles};
        status = ooze_stage_add(stage, &thing, error);
    }
    return status;
}
