#include "render/stage.h"

#include <embree3/rtcore.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* A thing as it stays on the stage. */
typedef struct Actor {
    OozeThing thing; /* arrays owned, positions left to Embree */
    const OozeStage *stage;
} Actor;

struct OozeStage {
    RTCDevice device;
    RTCScene scene;
    enum RTCError failure; /* the first that Embree reported */
    float hair;
    OozeSkin *skins;
    int skin_count;
    Actor **actors; /* by geometry number */
    unsigned actor_count;
    OozePlane *planes;
    int plane_count;
};

/* ---- Embree ---------------------------------------------------------------------------------- */

static void note_failure(void *user, enum RTCError code, const char *text)
{
    (void)text;
    OozeStage *stage = user;
    stage->failure = stage->failure == RTC_ERROR_NONE ? code : stage->failure;
}

static OozeStatus check_embree(OozeStage *stage, OozeError *error)
{
    enum RTCError code = stage->failure;
    stage->failure = RTC_ERROR_NONE;
    if (code == RTC_ERROR_NONE) {
        return OOZE_OK;
    }
    if (code == RTC_ERROR_OUT_OF_MEMORY) {
        return ooze_fail_memory(error, "the ray tracer's tree", 0);
    }
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "check the installation of Embree 3",
                     "the ray tracer Embree reports error %d", (int)code);
}

OozeStatus ooze_stage_create(OozeStage **stage, OozeError *error)
{
    OozeStage *made = *stage = ooze_alloc_zero(1, sizeof *made);
    if (!made) {
        return ooze_fail_memory(error, "a stage", sizeof *made);
    }
    /* One building thread: the tree, and with it ties between triangles, never depends on how many
       there are. */
    made->device = rtcNewDevice("threads=1,verbose=0");
    if (!made->device) {
        ooze_stage_destroy(made);
        *stage = NULL;
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "check the installation of Embree 3",
                         "the ray tracer Embree does not start (error %d)",
                         (int)rtcGetDeviceError(NULL));
    }
    rtcSetDeviceErrorFunction(made->device, note_failure, made);
    return OOZE_OK;
}

void ooze_stage_clear(OozeStage *stage)
{
    if (stage->scene) {
        rtcReleaseScene(stage->scene);
        stage->scene = NULL;
    }
    for (unsigned i = 0; i < stage->actor_count; i++) {
        OozeThing *thing = &stage->actors[i]->thing;
        ooze_free((void *)(uintptr_t)thing->materials);
        ooze_free((void *)(uintptr_t)thing->colors);
        ooze_free((void *)(uintptr_t)thing->normals);
        ooze_free((void *)(uintptr_t)thing->triangles);
        ooze_free(stage->actors[i]);
    }
    ooze_free(stage->actors);
    ooze_free(stage->skins);
    ooze_free(stage->planes);
    stage->actors = NULL;
    stage->skins = NULL;
    stage->planes = NULL;
    stage->actor_count = 0;
    stage->skin_count = stage->plane_count = 0;
}

void ooze_stage_destroy(OozeStage *stage)
{
    if (stage) {
        ooze_stage_clear(stage);
        if (stage->device) {
            rtcReleaseDevice(stage->device);
        }
        ooze_free(stage);
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

OozeStatus ooze_stage_add_skin(OozeStage *stage, const OozeSkin *skin, OozeError *error)
{
    size_t count = (size_t)stage->skin_count;
    OozeSkin *grown = ooze_grow(stage->skins, count, count + 1, sizeof *grown);
    if (!grown) {
        return ooze_fail_memory(error, "skins", (count + 1) * sizeof *grown);
    }
    grown[stage->skin_count++] = *skin;
    stage->skins = grown;
    return OOZE_OK;
}

OozeStatus ooze_stage_add_plane(OozeStage *stage, const OozePlane *plane, OozeError *error)
{
    size_t count = (size_t)stage->plane_count;
    OozePlane *grown = ooze_grow(stage->planes, count, count + 1, sizeof *grown);
    if (!grown) {
        return ooze_fail_memory(error, "planes", (count + 1) * sizeof *grown);
    }
    grown[stage->plane_count++] = *plane;
    stage->planes = grown;
    return OOZE_OK;
}

/* A copy of an array that may be absent; false when out of memory. */
static bool copy_array(const void *from, uint64_t count, size_t size, const void **to)
{
    *to = NULL;
    if (!from) {
        return true;
    }
    void *copy = ooze_alloc(count, size);
    if (copy) {
        memcpy(copy, from, count * size);
    }
    *to = copy;
    return copy != NULL;
}

static bool copy_thing(Actor *actor, const OozeThing *from)
{
    OozeThing *to = &actor->thing;
    uint64_t normals = from->corner_normals ? 3 * from->triangle_count : from->vertex_count;
    const void *arrays[4];
    bool good = copy_array(from->materials, from->vertex_count, sizeof(uint16_t), &arrays[0]);
    good = copy_array(from->colors, from->vertex_count, 3 * sizeof(float), &arrays[1]) && good;
    good = copy_array(from->normals, normals, 3 * sizeof(float), &arrays[2]) && good;
    good =
        copy_array(from->triangles, from->triangle_count, 3 * sizeof(uint32_t), &arrays[3]) && good;
    *to = *from;
    to->materials = arrays[0];
    to->colors = arrays[1];
    to->normals = arrays[2];
    to->triangles = arrays[3];
    to->positions = NULL;
    return good;
}

/* Lets rays through a one-sided thing from behind. */
static void pass_from_behind(const struct RTCFilterFunctionNArguments *args)
{
    const struct RTCRay *ray = (const struct RTCRay *)args->ray;
    const struct RTCHit *hit = (const struct RTCHit *)args->hit;
    float along = ray->dir_x * hit->Ng_x + ray->dir_y * hit->Ng_y + ray->dir_z * hit->Ng_z;
    if (args->valid[0] == -1 && along > 0.0f) {
        args->valid[0] = 0;
    }
}

static RTCGeometry make_spheres(RTCDevice device, const OozeThing *thing)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    float *to =
        geometry ? rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                           4 * sizeof(float), thing->vertex_count)
                 : NULL;
    for (uint64_t i = 0; to && i < thing->vertex_count; i++) {
        memcpy(to + 4 * i, thing->positions + 3 * i, 3 * sizeof(float));
        to[4 * i + 3] = thing->radius;
    }
    return geometry;
}

static RTCGeometry make_triangles(RTCDevice device, const OozeThing *thing)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices =
        geometry ? rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                           3 * sizeof(float), thing->vertex_count)
                 : NULL;
    uint32_t *triangles =
        vertices ? rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                           3 * sizeof(uint32_t), thing->triangle_count)
                 : NULL;
    if (triangles) {
        memcpy(vertices, thing->positions, thing->vertex_count * 3 * sizeof(float));
        memcpy(triangles, thing->triangles, thing->triangle_count * 3 * sizeof(uint32_t));
    }
    return geometry;
}

static OozeStatus open_scene(OozeStage *stage, OozeError *error)
{
    if (!stage->scene) {
        stage->scene = rtcNewScene(stage->device);
        if (stage->scene) {
            rtcSetSceneFlags(stage->scene, RTC_SCENE_FLAG_ROBUST);
        }
    }
    return check_embree(stage, error);
}

OozeStatus ooze_stage_add(OozeStage *stage, const OozeThing *thing, OozeError *error)
{
    uint64_t count = thing->triangles ? thing->triangle_count : thing->vertex_count;
    if (count == 0) {
        return OOZE_OK;
    }
    if (thing->vertex_count > UINT32_MAX / 4 || thing->triangle_count > UINT32_MAX / 4) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "render a coarser surface",
                         "a surface of %llu triangles is more than the ray tracer takes",
                         (unsigned long long)thing->triangle_count);
    }
    OozeStatus status = open_scene(stage, error);
    if (status) {
        return status;
    }
    Actor **grown =
        ooze_grow(stage->actors, stage->actor_count, stage->actor_count + 1, sizeof *grown);
    stage->actors = grown ? grown : stage->actors;
    Actor *actor = grown ? ooze_alloc_zero(1, sizeof *actor) : NULL;
    if (!actor) {
        return ooze_fail_memory(error, "the stage", sizeof *actor);
    }
    stage->actors[stage->actor_count++] = actor;
    actor->stage = stage;
    if (!copy_thing(actor, thing)) {
        return ooze_fail_memory(error, "a surface", thing->vertex_count * 3 * sizeof(float));
    }
    RTCGeometry geometry = thing->triangles ? make_triangles(stage->device, thing)
                                            : make_spheres(stage->device, thing);
    if (geometry) {
        if (thing->one_sided) {
            rtcSetGeometryIntersectFilterFunction(geometry, pass_from_behind);
        }
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(stage->scene, geometry, stage->actor_count - 1);
        rtcReleaseGeometry(geometry);
    }
    return check_embree(stage, error);
}

OozeStatus ooze_stage_finish(OozeStage *stage, float size, OozeError *error)
{
    stage->hair = 1e-5f * size;
    OozeStatus status = open_scene(stage, error);
    if (!status) {
        rtcCommitScene(stage->scene);
        status = check_embree(stage, error);
    }
    return status;
}

float ooze_stage_hair(const OozeStage *stage)
{
    return stage->hair;
}

const OozeSkin *ooze_stage_skin(const OozeStage *stage, int index)
{
    return &stage->skins[index];
}

/* ---- asking ---------------------------------------------------------------------------------- */

static OozeF3 blend(const float *values, const uint32_t corner[3], float u, float v)
{
    OozeF3 a = f3_load(values + 3 * (size_t)corner[0]);
    OozeF3 b = f3_load(values + 3 * (size_t)corner[1]);
    OozeF3 c = f3_load(values + 3 * (size_t)corner[2]);
    return f3_madd(f3_madd(f3_scale(a, 1.0f - u - v), u, b), v, c);
}

static void describe(const OozeStage *stage, const struct RTCRayHit *found, OozeF3 direction,
                     OozeHit *hit)
{
    const OozeThing *thing = &stage->actors[found->hit.geomID]->thing;
    uint32_t primitive = found->hit.primID, corner[3] = {primitive, primitive, primitive};
    float u = found->hit.u, v = found->hit.v;
    hit->facing = f3_unit(f3(found->hit.Ng_x, found->hit.Ng_y, found->hit.Ng_z));
    hit->normal = hit->facing;
    if (thing->triangles) {
        memcpy(corner, thing->triangles + 3 * (size_t)primitive, sizeof corner);
        if (thing->normals && thing->corner_normals) {
            const uint32_t own[3] = {3 * primitive, 3 * primitive + 1, 3 * primitive + 2};
            hit->normal = f3_unit(blend(thing->normals, own, u, v));
        } else if (thing->normals) {
            hit->normal = f3_unit(blend(thing->normals, corner, u, v));
        }
    }
    hit->front = f3_dot(direction, hit->facing) < 0.0f;
    hit->skin_index = thing->skin + (thing->materials ? thing->materials[corner[0]] : 0);
    hit->skin = &stage->skins[hit->skin_index];
    hit->color = hit->skin->color;
    if (hit->skin->vertex_color && thing->colors) {
        hit->color = blend(thing->colors, corner, u, v);
    }
    hit->is_fluid = thing->is_fluid;
    hit->is_plane = false;
}

/* Lines every `line` metres on the two axes of the plane, a hundredth of that wide. */
static OozeF3 grid_color(const OozePlane *plane, OozeF3 point, OozeF3 color)
{
    OozeF3 s, t, from = f3_sub(point, plane->point);
    f3_frame(plane->normal, &s, &t);
    float a = f3_dot(from, s) / plane->line, b = f3_dot(from, t) / plane->line;
    float to_line = fminf(fabsf(a - rintf(a)), fabsf(b - rintf(b)));
    return f3_scale(color, to_line < 0.012f ? 0.45f : 1.0f);
}

static bool hit_plane(const OozeStage *stage, OozeF3 origin, OozeF3 direction, float near,
                      float far, OozeHit *hit)
{
    const OozePlane *first = NULL;
    for (int i = 0; i < stage->plane_count; i++) {
        const OozePlane *plane = &stage->planes[i];
        float along = f3_dot(direction, plane->normal);
        float distance = f3_dot(f3_sub(plane->point, origin), plane->normal) / along;
        if (along < 0.0f && distance > near && distance < far) {
            far = distance;
            first = plane;
        }
    }
    if (!first) {
        return false;
    }
    *hit = (OozeHit){.distance = far,
                     .point = f3_madd(origin, far, direction),
                     .facing = first->normal,
                     .normal = first->normal,
                     .skin = &stage->skins[first->skin],
                     .skin_index = first->skin,
                     .front = true,
                     .is_plane = true};
    hit->color = hit->skin->color;
    if (first->line > 0.0f) {
        hit->color = grid_color(first, hit->point, hit->color);
    }
    return true;
}

bool ooze_stage_hit(const OozeStage *stage, OozeF3 origin, OozeF3 direction, float near, float far,
                    OozeHit *hit)
{
    bool any = hit_plane(stage, origin, direction, near, far, hit);
    if (stage->actor_count == 0) {
        return any;
    }
    struct RTCRayHit found;
    memset(&found, 0, sizeof found);
    found.ray.org_x = origin.x;
    found.ray.org_y = origin.y;
    found.ray.org_z = origin.z;
    found.ray.dir_x = direction.x;
    found.ray.dir_y = direction.y;
    found.ray.dir_z = direction.z;
    found.ray.tnear = near;
    found.ray.tfar = any ? hit->distance : far;
    found.ray.mask = UINT32_MAX;
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    found.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(stage->scene, &context, &found);
    if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
        return any;
    }
    hit->distance = found.ray.tfar;
    hit->point = f3_madd(origin, hit->distance, direction);
    describe(stage, &found, direction, hit);
    return true;
}
