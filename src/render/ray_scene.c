#include "render/ray_scene.h"

#include <embree3/rtcore.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "render/texture.h"

struct OozeRayScene {
    RTCDevice device;
    RTCScene embree;
    enum RTCError failure; /* the first that Embree reported */
    float epsilon;
    OozeBsdf *bsdfs;
    int bsdf_count;
    OozeRayGeometry *geometries; /* by Embree's geometry id; arrays owned, positions in Embree */
    unsigned geometry_count;
    OozePlane *planes;
    int plane_count;
    OozeF3 clear_low, clear_high; /* bounds of clear media; low > high: there are none */
    OozeF3 low, high;             /* bounds of all that Embree intersects */
};

/* ---- Embree ---------------------------------------------------------------------------------- */

static void record_failure(void *user, enum RTCError code, const char *text)
{
    (void)text;
    OozeRayScene *scene = user;
    scene->failure = scene->failure == RTC_ERROR_NONE ? code : scene->failure;
}

static OozeStatus check_embree(OozeRayScene *scene, OozeError *error)
{
    enum RTCError code = scene->failure;
    scene->failure = RTC_ERROR_NONE;
    if (code == RTC_ERROR_NONE) {
        return OOZE_OK;
    }
    if (code == RTC_ERROR_OUT_OF_MEMORY) {
        return ooze_fail_memory(error, "the ray tracer's tree", 0);
    }
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "check the installation of Embree 3",
                     "the ray tracer Embree reports error %d", (int)code);
}

OozeStatus ooze_ray_scene_create(OozeRayScene **scene, OozeError *error)
{
    OozeRayScene *made = *scene = ooze_alloc_zero(1, sizeof *made);
    if (!made) {
        return ooze_fail_memory(error, "a ray scene", sizeof *made);
    }
    /* One thread builds the tree: which of two triangles at equal distance is hit must not depend
       on the number of threads. */
    made->device = rtcNewDevice("threads=1,verbose=0");
    if (!made->device) {
        ooze_ray_scene_destroy(made);
        *scene = NULL;
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "check the installation of Embree 3",
                         "the ray tracer Embree does not start (error %d)",
                         (int)rtcGetDeviceError(NULL));
    }
    ooze_ray_scene_clear(made);
    rtcSetDeviceErrorFunction(made->device, record_failure, made);
    return OOZE_OK;
}

void ooze_ray_scene_clear(OozeRayScene *scene)
{
    if (scene->embree) {
        rtcReleaseScene(scene->embree);
        scene->embree = NULL;
    }
    for (unsigned i = 0; i < scene->geometry_count; i++) {
        OozeRayGeometry *geometry = &scene->geometries[i];
        ooze_free((void *)(uintptr_t)geometry->materials);
        ooze_free((void *)(uintptr_t)geometry->colors);
        ooze_free((void *)(uintptr_t)geometry->temperatures);
        ooze_free((void *)(uintptr_t)geometry->normals);
        ooze_free((void *)(uintptr_t)geometry->triangles);
        ooze_free((void *)(uintptr_t)geometry->texture_points);
    }
    ooze_free(scene->geometries);
    ooze_free(scene->bsdfs);
    ooze_free(scene->planes);
    scene->geometries = NULL;
    scene->bsdfs = NULL;
    scene->planes = NULL;
    scene->geometry_count = 0;
    scene->bsdf_count = scene->plane_count = 0;
    scene->clear_low = f3_all(INFINITY);
    scene->clear_high = f3_all(-INFINITY);
}

void ooze_ray_scene_destroy(OozeRayScene *scene)
{
    if (scene) {
        ooze_ray_scene_clear(scene);
        if (scene->device) {
            rtcReleaseDevice(scene->device);
        }
        ooze_free(scene);
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

OozeStatus ooze_ray_scene_add_bsdf(OozeRayScene *scene, const OozeBsdf *bsdf, OozeError *error)
{
    size_t count = (size_t)scene->bsdf_count;
    OozeBsdf *grown = ooze_grow(scene->bsdfs, count, count + 1, sizeof *grown);
    if (!grown) {
        return ooze_fail_memory(error, "BSDFs", (count + 1) * sizeof *grown);
    }
    grown[scene->bsdf_count++] = *bsdf;
    scene->bsdfs = grown;
    return OOZE_OK;
}

OozeStatus ooze_ray_scene_add_plane(OozeRayScene *scene, const OozePlane *plane, OozeError *error)
{
    size_t count = (size_t)scene->plane_count;
    OozePlane *grown = ooze_grow(scene->planes, count, count + 1, sizeof *grown);
    if (!grown) {
        return ooze_fail_memory(error, "planes", (count + 1) * sizeof *grown);
    }
    grown[scene->plane_count++] = *plane;
    scene->planes = grown;
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

static bool copy_geometry(const OozeRayGeometry *from, OozeRayGeometry *to)
{
    uint64_t normals = from->corner_normals ? 3 * from->triangle_count : from->vertex_count;
    const void *arrays[6];
    bool good = copy_array(from->materials, from->vertex_count, sizeof(uint16_t), &arrays[0]);
    good = copy_array(from->colors, from->vertex_count, 3 * sizeof(float), &arrays[1]) && good;
    good = copy_array(from->normals, normals, 3 * sizeof(float), &arrays[2]) && good;
    good =
        copy_array(from->triangles, from->triangle_count, 3 * sizeof(uint32_t), &arrays[3]) && good;
    good =
        copy_array(from->texture_points, from->vertex_count, 3 * sizeof(float), &arrays[4]) && good;
    good = copy_array(from->temperatures, from->vertex_count, sizeof(float), &arrays[5]) && good;
    *to = *from;
    to->texture_points = arrays[4];
    to->temperatures = arrays[5];
    to->materials = arrays[0];
    to->colors = arrays[1];
    to->normals = arrays[2];
    to->triangles = arrays[3];
    to->positions = NULL;
    return good;
}

/* Ignores hits of a one-sided geometry from behind. */
static void reject_back_faces(const struct RTCFilterFunctionNArguments *args)
{
    const struct RTCRay *ray = (const struct RTCRay *)args->ray;
    const struct RTCHit *hit = (const struct RTCHit *)args->hit;
    float cosine = ray->dir_x * hit->Ng_x + ray->dir_y * hit->Ng_y + ray->dir_z * hit->Ng_z;
    if (args->valid[0] == -1 && cosine > 0.0f) {
        args->valid[0] = 0;
    }
}

static unsigned step_count(const OozeRayGeometry *from)
{
    return from->step_count > 1 ? (unsigned)from->step_count : 1;
}

/* The buffer of the vertices of a time step; NULL: out of memory. */
static float *new_vertices(RTCGeometry geometry, unsigned step, enum RTCFormat format,
                           const OozeRayGeometry *from)
{
    size_t floats = format == RTC_FORMAT_FLOAT4 ? 4 : 3;
    return rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, format,
                                   floats * sizeof(float), from->vertex_count);
}

static RTCGeometry make_spheres(RTCDevice device, const OozeRayGeometry *from)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (geometry) {
        rtcSetGeometryTimeStepCount(geometry, step_count(from));
    }
    for (unsigned step = 0; geometry && step < step_count(from); step++) {
        float *to = new_vertices(geometry, step, RTC_FORMAT_FLOAT4, from);
        const float *positions = from->positions + 3 * from->vertex_count * step;
        for (uint64_t i = 0; to && i < from->vertex_count; i++) {
            memcpy(to + 4 * i, positions + 3 * i, 3 * sizeof(float));
            to[4 * i + 3] = from->radius;
        }
    }
    return geometry;
}

static RTCGeometry make_triangles(RTCDevice device, const OozeRayGeometry *from)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) {
        return NULL;
    }
    rtcSetGeometryTimeStepCount(geometry, step_count(from));
    for (unsigned step = 0; step < step_count(from); step++) {
        float *to = new_vertices(geometry, step, RTC_FORMAT_FLOAT3, from);
        if (to) {
            memcpy(to, from->positions + 3 * from->vertex_count * step,
                   from->vertex_count * 3 * sizeof(float));
        }
    }
    uint32_t *triangles =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                3 * sizeof(uint32_t), from->triangle_count);
    if (triangles) {
        memcpy(triangles, from->triangles, from->triangle_count * 3 * sizeof(uint32_t));
    }
    return geometry;
}

/* Extends the bounds of clear media by the vertices of a geometry that have a clear BSDF. */
static void add_clear_bounds(OozeRayScene *scene, const OozeRayGeometry *from)
{
    float *low = &scene->clear_low.x, *high = &scene->clear_high.x;
    uint64_t count = from->is_wall ? 0 : from->vertex_count * step_count(from);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t vertex = i % from->vertex_count;
        int bsdf = from->bsdf + (from->materials ? from->materials[vertex] : 0);
        for (int k = 0; k < 3 && scene->bsdfs[bsdf].kind == OOZE_LOOK_CLEAR; k++) {
            float at = from->positions[3 * i + (uint64_t)k];
            low[k] = fminf(low[k], at - from->radius);
            high[k] = fmaxf(high[k], at + from->radius);
        }
    }
}

bool ooze_ray_scene_clear_bounds(const OozeRayScene *scene, OozeF3 *low, OozeF3 *high)
{
    *low = scene->clear_low;
    *high = scene->clear_high;
    return low->x <= high->x;
}

static OozeStatus open_scene(OozeRayScene *scene, OozeError *error)
{
    if (!scene->embree) {
        scene->embree = rtcNewScene(scene->device);
        if (scene->embree) {
            rtcSetSceneFlags(scene->embree, RTC_SCENE_FLAG_ROBUST);
        }
    }
    return check_embree(scene, error);
}

OozeStatus ooze_ray_scene_add_geometry(OozeRayScene *scene, const OozeRayGeometry *geometry,
                                       OozeError *error)
{
    uint64_t count = geometry->triangles ? geometry->triangle_count : geometry->vertex_count;
    if (count == 0) {
        return OOZE_OK;
    }
    if (geometry->vertex_count > UINT32_MAX / 4 || geometry->triangle_count > UINT32_MAX / 4) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "render a coarser surface",
                         "a surface of %llu triangles is more than the ray tracer takes",
                         (unsigned long long)geometry->triangle_count);
    }
    OozeStatus status = open_scene(scene, error);
    if (status) {
        return status;
    }
    unsigned id = scene->geometry_count;
    OozeRayGeometry *grown = ooze_grow(scene->geometries, id, id + 1, sizeof *grown);
    scene->geometries = grown ? grown : scene->geometries;
    scene->geometry_count += grown != NULL;
    if (!grown || !copy_geometry(geometry, &grown[id])) {
        return ooze_fail_memory(error, "a surface", geometry->vertex_count * 3 * sizeof(float));
    }
    add_clear_bounds(scene, geometry);
    RTCGeometry made = geometry->triangles ? make_triangles(scene->device, geometry)
                                           : make_spheres(scene->device, geometry);
    if (made) {
        if (geometry->one_sided) {
            rtcSetGeometryIntersectFilterFunction(made, reject_back_faces);
        }
        rtcCommitGeometry(made);
        rtcAttachGeometryByID(scene->embree, made, id);
        rtcReleaseGeometry(made);
    }
    return check_embree(scene, error);
}

OozeStatus ooze_ray_scene_commit(OozeRayScene *scene, float size, OozeError *error)
{
    scene->epsilon = 1e-5f * size;
    OozeStatus status = open_scene(scene, error);
    if (!status) {
        rtcCommitScene(scene->embree);
        status = check_embree(scene, error);
    }
    if (!status) {
        struct RTCLinearBounds bounds;
        rtcGetSceneLinearBounds(scene->embree, &bounds);
        const struct RTCBounds *a = &bounds.bounds0, *b = &bounds.bounds1;
        OozeF3 gap = f3_all(4.0f * scene->epsilon);
        scene->low = f3_sub(f3(fminf(a->lower_x, b->lower_x), fminf(a->lower_y, b->lower_y),
                               fminf(a->lower_z, b->lower_z)),
                            gap);
        scene->high = f3_add(f3(fmaxf(a->upper_x, b->upper_x), fmaxf(a->upper_y, b->upper_y),
                                fmaxf(a->upper_z, b->upper_z)),
                             gap);
    }
    return status;
}

float ooze_ray_scene_epsilon(const OozeRayScene *scene)
{
    return scene->epsilon;
}

const OozeBsdf *ooze_ray_scene_bsdf(const OozeRayScene *scene, int index)
{
    return &scene->bsdfs[index];
}

/* ---- intersection ---------------------------------------------------------------------------- */

static OozeF3 interpolate(const float *values, const uint32_t corner[3], float u, float v)
{
    OozeF3 a = f3_load(values + 3 * (size_t)corner[0]);
    OozeF3 b = f3_load(values + 3 * (size_t)corner[1]);
    OozeF3 c = f3_load(values + 3 * (size_t)corner[2]);
    return f3_madd(f3_madd(f3_scale(a, 1.0f - u - v), u, b), v, c);
}

/* Axes of textures: y points up. */
static OozeF3 texture_axes(OozeAxis up, OozeF3 v)
{
    return up == OOZE_AXIS_X ? f3(v.y, v.x, v.z) : up == OOZE_AXIS_Z ? f3(v.x, v.z, v.y) : v;
}

static OozeF3 textured_color(const OozeRayGeometry *geometry, const uint32_t corner[3], float u,
                             float v, const OozeBsdf *bsdf, OozeF3 color)
{
    const float *points = geometry->texture_points;
    OozeF3 a = f3_load(points + 3 * (size_t)corner[0]);
    OozeF3 b = f3_load(points + 3 * (size_t)corner[1]);
    OozeF3 c = f3_load(points + 3 * (size_t)corner[2]);
    OozeF3 normal = f3_cross(f3_sub(b, a), f3_sub(c, a));
    return ooze_texture_color(bsdf->texture, color, bsdf->texture_scale,
                              texture_axes(geometry->texture_up, interpolate(points, corner, u, v)),
                              texture_axes(geometry->texture_up, normal));
}

static OozeF3 emission_of(const OozeRayGeometry *geometry, const uint32_t corner[3], float u,
                          float v, const OozeBsdf *bsdf)
{
    if (!(bsdf->glow > 0.0f)) {
        return f3_all(0.0f);
    }
    float temperature = bsdf->glow_temperature;
    if (geometry->temperatures) {
        const float *t = geometry->temperatures;
        temperature = (1.0f - u - v) * t[corner[0]] + u * t[corner[1]] + v * t[corner[2]];
    }
    return ooze_bsdf_glow(bsdf, temperature);
}

/* Fills in everything but distance and point. */
static void describe_hit(const OozeRayScene *scene, const struct RTCRayHit *found, OozeF3 direction,
                         OozeHit *hit)
{
    const OozeRayGeometry *geometry = &scene->geometries[found->hit.geomID];
    uint32_t primitive = found->hit.primID, corner[3] = {primitive, primitive, primitive};
    float u = found->hit.u, v = found->hit.v;
    hit->geometric_normal = f3_unit(f3(found->hit.Ng_x, found->hit.Ng_y, found->hit.Ng_z));
    hit->normal = hit->geometric_normal;
    if (geometry->triangles) {
        memcpy(corner, geometry->triangles + 3 * (size_t)primitive, sizeof corner);
        if (geometry->normals && geometry->corner_normals) {
            const uint32_t own[3] = {3 * primitive, 3 * primitive + 1, 3 * primitive + 2};
            hit->normal = f3_unit(interpolate(geometry->normals, own, u, v));
        } else if (geometry->normals) {
            hit->normal = f3_unit(interpolate(geometry->normals, corner, u, v));
        }
    }
    if (geometry->step_count > 1 && f3_dot(geometry->turn, geometry->turn) > 0.0f) {
        hit->normal = f3_rotate(f3_scale(geometry->turn, found->ray.time - 0.5f), hit->normal);
    }
    hit->front = f3_dot(direction, hit->geometric_normal) < 0.0f;
    hit->bsdf_index = geometry->bsdf + (geometry->materials ? geometry->materials[corner[0]] : 0);
    hit->bsdf = &scene->bsdfs[hit->bsdf_index];
    hit->color = hit->bsdf->color;
    if (hit->bsdf->vertex_color && geometry->colors) {
        hit->color = interpolate(geometry->colors, corner, u, v);
    }
    if (geometry->texture_points && hit->bsdf->texture_scale > 0.0f) {
        hit->color = textured_color(geometry, corner, u, v, hit->bsdf, hit->color);
    }
    hit->emission = emission_of(geometry, corner, u, v, hit->bsdf);
    hit->is_fluid = geometry->is_fluid;
    hit->is_wall = geometry->is_wall;
    hit->is_plane = false;
}

/* Coordinates along the plane (x, z) and along its normal (y). */
static OozeF3 plane_coordinates(const OozePlane *plane, OozeF3 point)
{
    OozeF3 s, t, from = f3_sub(point, plane->point);
    f3_frame(plane->normal, &s, &t);
    return f3(f3_dot(from, s), f3_dot(from, plane->normal), f3_dot(from, t));
}

/* Darkens lines along two axes of the plane. */
static OozeF3 grid_color(const OozePlane *plane, OozeF3 point, OozeF3 color)
{
    OozeF3 at = plane_coordinates(plane, point);
    float a = at.x / plane->grid_spacing, b = at.z / plane->grid_spacing;
    float to_line = fminf(fabsf(a - rintf(a)), fabsf(b - rintf(b)));
    return f3_scale(color, to_line < 0.012f ? 0.45f : 1.0f);
}

static bool intersect_plane(const OozeRayScene *scene, const OozeRay *ray, float near, float far,
                            OozeHit *hit)
{
    const OozePlane *first = NULL;
    for (int i = 0; i < scene->plane_count; i++) {
        const OozePlane *plane = &scene->planes[i];
        float cosine = f3_dot(ray->direction, plane->normal);
        float distance = f3_dot(f3_sub(plane->point, ray->origin), plane->normal) / cosine;
        if (cosine < 0.0f && distance > near && distance < far) {
            far = distance;
            first = plane;
        }
    }
    if (!first) {
        return false;
    }
    *hit = (OozeHit){.distance = far,
                     .point = f3_madd(ray->origin, far, ray->direction),
                     .geometric_normal = first->normal,
                     .normal = first->normal,
                     .bsdf = &scene->bsdfs[first->bsdf],
                     .bsdf_index = first->bsdf,
                     .front = true,
                     .is_plane = true};
    hit->color = hit->bsdf->color;
    hit->emission = ooze_bsdf_glow(hit->bsdf, hit->bsdf->glow_temperature);
    if (hit->bsdf->texture_scale > 0.0f) {
        hit->color = ooze_texture_color(hit->bsdf->texture, hit->color, hit->bsdf->texture_scale,
                                        plane_coordinates(first, hit->point), f3(0, 1, 0));
    }
    if (first->grid_spacing > 0.0f) {
        hit->color = grid_color(first, hit->point, hit->color);
    }
    return true;
}

/* Whether a ray comes near the box of everything. Most rays of a picture do not, and asking Embree
   takes several times as long. A coordinate that does not change along the ray gives infinities, or
   NAN on a face, which the comparisons leave out. */
static bool passes_box(const OozeRayScene *scene, const OozeRay *ray, float near, float far)
{
    const float *from = &ray->origin.x, *along = &ray->direction.x;
    const float *low = &scene->low.x, *high = &scene->high.x;
    for (int k = 0; k < 3; k++) {
        float inverse = 1.0f / along[k];
        float a = (low[k] - from[k]) * inverse, b = (high[k] - from[k]) * inverse;
        float first = a < b ? a : b, last = a < b ? b : a;
        near = first > near ? first : near;
        far = last < far ? last : far;
    }
    return near <= far;
}

bool ooze_ray_scene_intersect(const OozeRayScene *scene, const OozeRay *ray, float near, float far,
                              OozeHit *hit)
{
    bool any = intersect_plane(scene, ray, near, far, hit);
    if (scene->geometry_count == 0 || !passes_box(scene, ray, near, any ? hit->distance : far)) {
        return any;
    }
    struct RTCRayHit found;
    memset(&found, 0, sizeof found);
    found.ray.org_x = ray->origin.x;
    found.ray.org_y = ray->origin.y;
    found.ray.org_z = ray->origin.z;
    found.ray.dir_x = ray->direction.x;
    found.ray.dir_y = ray->direction.y;
    found.ray.dir_z = ray->direction.z;
    found.ray.tnear = near;
    found.ray.tfar = any ? hit->distance : far;
    found.ray.time = ray->time;
    found.ray.mask = UINT32_MAX;
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    found.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene->embree, &context, &found);
    if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) {
        return any;
    }
    hit->distance = found.ray.tfar;
    hit->point = f3_madd(ray->origin, hit->distance, ray->direction);
    describe_hit(scene, &found, ray->direction, hit);
    return true;
}
