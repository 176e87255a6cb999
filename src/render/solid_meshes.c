#include "render/solid_meshes.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "scene/scene.h"
#include "solids/display_mesh.h"
#include "solids/motion.h"
#include "solids/shape.h"

#define STEP_ANGLE 0.1 /* rad, that a solid turns between two time steps of a blurred picture */
enum { STEPS_MAX = 65 };

#define CEILING_COSINE -0.5f /* of the angle between up and the normal of a ceiling, at most */

static OozeStatus copy_mesh(OozeSolidMesh *solid_mesh, const OozeMesh *mesh, OozeError *error)
{
    solid_mesh->vertex_count = mesh->vertex_count;
    solid_mesh->triangle_count = mesh->triangle_count;
    uint64_t corners = 3 * mesh->triangle_count;
    solid_mesh->positions = ooze_alloc(mesh->vertex_count, 3 * sizeof(float));
    solid_mesh->world_positions = ooze_alloc(mesh->vertex_count, 3 * sizeof(float));
    solid_mesh->triangles = ooze_alloc(corners, sizeof(uint32_t));
    solid_mesh->world_triangles = ooze_alloc(corners, sizeof(uint32_t));
    solid_mesh->normals = ooze_alloc(corners, 3 * sizeof(float));
    solid_mesh->world_normals = ooze_alloc(corners, 3 * sizeof(float));
    if (!solid_mesh->positions || !solid_mesh->world_positions || !solid_mesh->triangles ||
        !solid_mesh->world_triangles || !solid_mesh->normals || !solid_mesh->world_normals) {
        return ooze_fail_memory(error, "the triangles of a solid", corners * 9 * sizeof(float));
    }
    solid_mesh->low = vec3(INFINITY, INFINITY, INFINITY);
    solid_mesh->high = vec3(-INFINITY, -INFINITY, -INFINITY);
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 v = mesh->vertices[i];
        OozeF3 at = f3_of(v);
        memcpy(solid_mesh->positions + 3 * i, &at, sizeof at);
        solid_mesh->low = vec3(fmin(solid_mesh->low.x, v.x), fmin(solid_mesh->low.y, v.y),
                               fmin(solid_mesh->low.z, v.z));
        solid_mesh->high = vec3(fmax(solid_mesh->high.x, v.x), fmax(solid_mesh->high.y, v.y),
                                fmax(solid_mesh->high.z, v.z));
    }
    memcpy(solid_mesh->triangles, mesh->triangles, corners * sizeof(uint32_t));
    return ooze_corner_normals(solid_mesh->positions, solid_mesh->vertex_count,
                               solid_mesh->triangles, solid_mesh->triangle_count,
                               solid_mesh->normals, error);
}

static OozeStatus make_solid_mesh(OozeSolidMesh *solid_mesh, const OozeSolidDef *solid,
                                  const OozeSceneDef *scene, OozeError *error)
{
    const OozeShapeDef *def = &solid->shape;
    solid_mesh->name = solid->name;
    solid_mesh->up = scene->world.up;
    solid_mesh->rest = (OozePose){.position = def->position, .rotation = def->rotation};
    solid_mesh->world_low = vec3(INFINITY, INFINITY, INFINITY);
    solid_mesh->world_high = vec3(-INFINITY, -INFINITY, -INFINITY);
    solid_mesh->hidden = !solid->visible;
    if (solid_mesh->hidden) {
        return OOZE_OK;
    }
    if (def->kind == OOZE_SHAPE_PLANE) {
        solid_mesh->is_plane = true;
        solid_mesh->normal = vec3_unit(def->normal, vec3_axis(scene->world.up));
        solid_mesh->normal = vec3_scale(solid_mesh->normal, def->inverted ? -1.0 : 1.0);
        return OOZE_OK;
    }
    OozeMesh *mesh = NULL;
    OozeShape *shape = NULL;
    OozeStatus status =
        ooze_shape_display_mesh(def, scene->world.up, scene->world.spacing, &mesh, &shape, error);
    status = status ? status : copy_mesh(solid_mesh, mesh, error);
    ooze_mesh_free(mesh);
    if (def->inverted) {
        solid_mesh->container = shape;
    } else {
        ooze_shape_destroy(shape);
    }
    return status;
}

OozeStatus ooze_solid_meshes_create(OozeSolidMeshes *meshes, const OozeScene *scene,
                                    OozeError *error)
{
    const OozeSceneDef *def = &scene->def;
    *meshes =
        (OozeSolidMeshes){ooze_alloc_zero((size_t)def->solid_count, sizeof(OozeSolidMesh)), 0};
    if (!meshes->meshes) {
        return ooze_fail_memory(error, "solids",
                                (uint64_t)def->solid_count * sizeof(OozeSolidMesh));
    }
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < def->solid_count && !status; i++) {
        meshes->count++;
        status = make_solid_mesh(&meshes->meshes[i], &def->solids[i], def, error);
    }
    if (status) {
        ooze_solid_meshes_free(meshes);
    }
    return status;
}

void ooze_solid_meshes_free(OozeSolidMeshes *meshes)
{
    for (int i = 0; i < meshes->count; i++) {
        OozeSolidMesh *solid_mesh = &meshes->meshes[i];
        ooze_shape_destroy(solid_mesh->container);
        ooze_free(solid_mesh->positions);
        ooze_free(solid_mesh->world_positions);
        ooze_free(solid_mesh->triangles);
        ooze_free(solid_mesh->world_triangles);
        ooze_free(solid_mesh->normals);
        ooze_free(solid_mesh->world_normals);
    }
    ooze_free(meshes->meshes);
    *meshes = (OozeSolidMeshes){NULL, 0};
}

static bool is_named(const OozeSolidView *solid, const char *name)
{
    return solid->name && strcmp(solid->name, name) == 0;
}

OozePose ooze_solid_mesh_pose(const OozeSolidMesh *solid_mesh, int index, const OozeFrame *frame)
{
    if (index < frame->solid_count && is_named(&frame->solids[index], solid_mesh->name)) {
        return ooze_pose_from_public(&frame->solids[index].pose);
    }
    for (int i = 0; i < frame->solid_count; i++) {
        if (is_named(&frame->solids[i], solid_mesh->name)) {
            return ooze_pose_from_public(&frame->solids[i].pose);
        }
    }
    return solid_mesh->rest;
}

void ooze_solid_meshes_add_bounds(OozeSolidMeshes *meshes, const OozeFrame *frame)
{
    for (int i = 0; i < meshes->count; i++) {
        OozeSolidMesh *solid_mesh = &meshes->meshes[i];
        OozePose pose = ooze_solid_mesh_pose(solid_mesh, i, frame);
        double *world_low = &solid_mesh->world_low.x, *world_high = &solid_mesh->world_high.x;
        for (int c = 0; c < 8 && !solid_mesh->is_plane && !solid_mesh->hidden; c++) {
            OozeVec3 corner = vec3(c & 1 ? solid_mesh->high.x : solid_mesh->low.x,
                                   c & 2 ? solid_mesh->high.y : solid_mesh->low.y,
                                   c & 4 ? solid_mesh->high.z : solid_mesh->low.z);
            OozeVec3 world = ooze_pose_to_world(&pose, corner);
            const double *corner_world = &world.x;
            for (int k = 0; k < 3; k++) {
                world_low[k] = corner_world[k] < world_low[k] ? corner_world[k] : world_low[k];
                world_high[k] = corner_world[k] > world_high[k] ? corner_world[k] : world_high[k];
            }
        }
    }
}

static void transform_vertices(const OozeSolidMesh *solid_mesh, const OozePose *pose, float *to)
{
    for (uint64_t i = 0; i < solid_mesh->vertex_count; i++) {
        const float *p = solid_mesh->positions + 3 * i;
        OozeVec3 local = vec3((double)p[0], (double)p[1], (double)p[2]);
        OozeF3 at = f3_of(ooze_pose_to_world(pose, local));
        memcpy(to + 3 * i, &at, sizeof at);
    }
}

/* Number of time steps of the vertices while the shutter is open: paths of a spinning solid are
   arcs. */
static int step_count_of(const OozePose *pose, double open_time)
{
    double angle = vec3_length(pose->spin) * open_time;
    bool moves = open_time > 0.0 && (angle > 0.0 || vec3_length(pose->velocity) > 0.0);
    return moves ? 2 + (int)fmin(angle / STEP_ANGLE, STEPS_MAX - 2) : 1;
}

/* Vertices of all time steps; the pose of the frame is that in the middle. NULL: out of memory. */
static float *moving_vertices(const OozeSolidMesh *solid_mesh, const OozePose *pose,
                              double open_time, int step_count)
{
    uint64_t size = 3 * solid_mesh->vertex_count;
    float *steps = ooze_alloc(size * (uint64_t)step_count, sizeof *steps);
    for (int k = 0; steps && k < step_count; k++) {
        double time = open_time * ((double)k / (step_count - 1) - 0.5);
        OozeQuat turn = quat_from_vector(vec3_scale(pose->spin, time));
        OozePose then = {.position = vec3_madd(pose->position, time, pose->velocity),
                         .rotation = quat_unit(quat_mul(turn, pose->rotation))};
        transform_vertices(solid_mesh, &then, steps + size * (uint64_t)k);
    }
    return steps;
}

static void transform(OozeSolidMesh *solid_mesh, const OozePose *pose)
{
    transform_vertices(solid_mesh, pose, solid_mesh->world_positions);
    for (uint64_t i = 0; i < 3 * solid_mesh->triangle_count; i++) {
        const float *n = solid_mesh->normals + 3 * i;
        OozeVec3 local = vec3((double)n[0], (double)n[1], (double)n[2]);
        OozeF3 world_normals = f3_of(quat_rotate(pose->rotation, local));
        memcpy(solid_mesh->world_normals + 3 * i, &world_normals, sizeof world_normals);
    }
    solid_mesh->world_triangle_count = solid_mesh->triangle_count;
    memcpy(solid_mesh->world_triangles, solid_mesh->triangles,
           3 * solid_mesh->triangle_count * sizeof(uint32_t));
}

/* A normal of length twice the area, of a triangle in its pose; `point`: one of its corners. */
static OozeF3 triangle_normal(const OozeSolidMesh *solid_mesh, uint64_t i, OozeF3 *point)
{
    const uint32_t *corner = solid_mesh->triangles + 3 * i;
    const float *positions = solid_mesh->world_positions;
    OozeF3 a = f3_load(positions + 3 * (size_t)corner[0]);
    OozeF3 b = f3_load(positions + 3 * (size_t)corner[1]);
    OozeF3 c = f3_load(positions + 3 * (size_t)corner[2]);
    *point = a;
    return f3_cross(f3_sub(b, a), f3_sub(c, a));
}

static bool faces(const OozeSolidMesh *solid_mesh, uint64_t i, OozeF3 camera)
{
    OozeF3 point, normal = triangle_normal(solid_mesh, i, &point);
    return f3_dot(normal, f3_sub(camera, point)) > 0.0f;
}

/* Removes the walls of a container that face away from the camera, which would hide the inside.
   Seen from outside it has no ceiling either. */
static void cut_away(OozeSolidMesh *solid_mesh, OozeF3 camera, OozeF3 up)
{
    bool outside = false;
    for (uint64_t i = 0; i < solid_mesh->triangle_count && !outside; i++) {
        outside = !faces(solid_mesh, i, camera);
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < solid_mesh->triangle_count; i++) {
        OozeF3 point, normal = triangle_normal(solid_mesh, i, &point);
        bool is_ceiling = f3_dot(normal, up) < CEILING_COSINE * f3_length(normal);
        if (faces(solid_mesh, i, camera) && !(outside && is_ceiling)) {
            memmove(solid_mesh->world_triangles + 3 * kept, solid_mesh->triangles + 3 * i,
                    3 * sizeof(uint32_t));
            memmove(solid_mesh->world_normals + 9 * kept, solid_mesh->world_normals + 9 * i,
                    9 * sizeof(float));
            kept++;
        }
    }
    solid_mesh->world_triangle_count = kept;
}

/* Walls are cut away, except panes, which are visible from both sides. */
static bool is_cut(const OozeSolidMesh *solid_mesh, const OozeRayScene *ray_scene, int bsdf)
{
    return solid_mesh->container && ooze_ray_scene_bsdf(ray_scene, bsdf)->kind != OOZE_LOOK_CLEAR;
}

static OozeStatus add_mesh(const OozeSolidMesh *solid_mesh, const OozePose *pose,
                           const OozeSolidPlacing *placing, int bsdf, OozeRayScene *ray_scene,
                           OozeError *error)
{
    int steps = step_count_of(pose, placing->open_time);
    float *moving = steps > 1 ? moving_vertices(solid_mesh, pose, placing->open_time, steps) : NULL;
    if (steps > 1 && !moving) {
        return ooze_fail_memory(error, "a moving solid",
                                solid_mesh->vertex_count * (uint64_t)steps * 3 * sizeof(float));
    }
    bool textured = ooze_ray_scene_bsdf(ray_scene, bsdf)->texture_scale > 0.0f;
    OozeRayGeometry geometry = {.is_wall = solid_mesh->container != NULL,
                                .one_sided = is_cut(solid_mesh, ray_scene, bsdf),
                                .bsdf = bsdf,
                                .vertex_count = solid_mesh->vertex_count,
                                .positions = moving ? moving : solid_mesh->world_positions,
                                .step_count = steps,
                                .turn = f3_of(vec3_scale(pose->spin, placing->open_time)),
                                .normals = solid_mesh->world_normals,
                                .corner_normals = true,
                                .triangle_count = solid_mesh->world_triangle_count,
                                .triangles = solid_mesh->world_triangles,
                                .texture_points = textured ? solid_mesh->positions : NULL,
                                .texture_up = solid_mesh->up};
    OozeStatus status = ooze_ray_scene_add_geometry(ray_scene, &geometry, error);
    ooze_free(moving);
    return status;
}

OozeStatus ooze_solid_meshes_add_to_scene(OozeSolidMeshes *meshes, const OozeFrame *frame,
                                          const OozeSolidPlacing *placing, OozeRayScene *ray_scene,
                                          OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < meshes->count && !status; i++) {
        OozeSolidMesh *solid_mesh = &meshes->meshes[i];
        OozePose pose = ooze_solid_mesh_pose(solid_mesh, i, frame);
        if (solid_mesh->hidden) {
            continue;
        }
        if (solid_mesh->is_plane) {
            OozeVec3 normal = quat_rotate(pose.rotation, solid_mesh->normal);
            bool faces_up = vec3_dot(normal, vec3_axis(frame->up)) > 0.99;
            OozePlane plane = {.point = f3_of(pose.position),
                               .normal = f3_of(normal),
                               .bsdf = placing->first_bsdf + i,
                               .grid_spacing = faces_up ? placing->grid_spacing : 0.0f};
            status = ooze_ray_scene_add_plane(ray_scene, &plane, error);
            continue;
        }
        transform(solid_mesh, &pose);
        int bsdf = placing->first_bsdf + i;
        if (is_cut(solid_mesh, ray_scene, bsdf)) {
            cut_away(solid_mesh, placing->camera, f3_of(vec3_axis(frame->up)));
        }
        status = add_mesh(solid_mesh, &pose, placing, bsdf, ray_scene, error);
    }
    return status;
}
