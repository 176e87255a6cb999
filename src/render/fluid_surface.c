/* The surface of the fluid in the ray scene. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ooze/surface.h"
#include "render/fluid.h"

static const OozeSurfaceField *find_field(const OozeSurface *surface, const char *name)
{
    for (int i = 0; i < surface->field_count; i++) {
        if (strcmp(surface->fields[i].name, name) == 0) {
            return &surface->fields[i];
        }
    }
    return NULL;
}

/* Colours of the vertices by the colour field. */
static float *vertex_colors(const OozeSurface *surface, const OozeColorField *color_field)
{
    uint64_t n = surface->vertex_count + surface->interface_vertex_count;
    float *colors = ooze_alloc(n, 3 * sizeof *colors);
    const OozeSurfaceField *field = find_field(surface, color_field->name);
    for (uint64_t i = 0; colors && i < n; i++) {
        double value = 0.0;
        if (strcmp(color_field->name, "speed") == 0 || strcmp(color_field->name, "velocity") == 0) {
            value = (double)f3_length(f3_load(surface->velocities + 3 * i));
        } else if (strcmp(color_field->name, "material") == 0) {
            value = surface->materials[i];
        } else if (field) {
            value = ooze_field_magnitude(field->values + (uint64_t)field->components * i,
                                         field->components);
        }
        OozeF3 color = ooze_color_field_color(color_field, value);
        memcpy(colors + 3 * i, &color, sizeof color);
    }
    return colors;
}

static float *copy_numbers(const float *from, uint64_t count)
{
    float *copy = ooze_alloc(count, sizeof *copy);
    if (copy) {
        memcpy(copy, from, count * sizeof *copy);
    }
    return copy;
}

static float *copy_vectors(const float *from, uint64_t count)
{
    return copy_numbers(from, 3 * count);
}

/* Arrays of the whole surface, 3 numbers per vertex. */
typedef struct Vertices {
    float *positions, *normals, *colors;
    float *velocities;   /* NULL: they do not move while the shutter is open */
    float *temperatures; /* one per vertex; NULL: nothing glows by its temperature */
} Vertices;

static void free_vertices(Vertices *vertices)
{
    ooze_free(vertices->positions);
    ooze_free(vertices->normals);
    ooze_free(vertices->colors);
    ooze_free(vertices->velocities);
    ooze_free(vertices->temperatures);
}

/* Adds a geometry with these vertices, at both ends of the time that the shutter is open. */
static OozeStatus add_vertices(OozeRayGeometry geometry, const Vertices *vertices, double open_time,
                               OozeRayScene *ray_scene, OozeError *error)
{
    uint64_t n = geometry.vertex_count;
    float *moving = NULL;
    geometry.positions = vertices->positions;
    geometry.normals = vertices->normals;
    geometry.temperatures = vertices->temperatures;
    if (vertices->velocities) {
        moving = ooze_fluid_moving_points(vertices->positions, vertices->velocities, n, open_time);
        if (!moving) {
            return ooze_fail_memory(error, "a surface", n * 6 * sizeof(float));
        }
        geometry.positions = moving;
        geometry.step_count = 2;
    }
    OozeStatus status = ooze_ray_scene_add_geometry(ray_scene, &geometry, error);
    ooze_free(moving);
    return status;
}

/* Whether an interface is drawn as part of a material: the one through which less is seen. Between
   two of the same kind nothing is drawn. */
static bool draws_interface(const OozeRayScene *ray_scene, int first_bsdf, uint16_t own,
                            uint16_t other)
{
    static const int opacity[OOZE_LOOK_KIND_COUNT] = {
        [OOZE_LOOK_OPAQUE] = 2, [OOZE_LOOK_METAL] = 2, [OOZE_LOOK_TRANSLUCENT] = 1};
    return opacity[ooze_ray_scene_bsdf(ray_scene, first_bsdf + own)->kind] >
           opacity[ooze_ray_scene_bsdf(ray_scene, first_bsdf + other)->kind];
}

/* The triangles drawn with a material; returns their number. */
static uint64_t list_triangles(const OozeSurface *surface, const OozeRayScene *ray_scene,
                               int first_bsdf, uint16_t material, uint32_t *triangles)
{
    uint64_t count = 0;
    for (uint64_t t = 0; t < surface->triangle_count; t++) {
        if (surface->triangle_materials[t] == material) {
            memcpy(triangles + 3 * count++, surface->triangles + 3 * t, 3 * sizeof *triangles);
        }
    }
    for (uint64_t t = 0; t < surface->interface_count; t++) {
        const uint16_t *sides = surface->interface_materials + 2 * t;
        bool behind = sides[0] == material;
        if ((behind || sides[1] == material) &&
            draws_interface(ray_scene, first_bsdf, material, sides[behind])) {
            const uint32_t *c = surface->interfaces + 3 * t;
            const uint32_t turned[3] = {c[0], c[behind ? 1 : 2], c[behind ? 2 : 1]};
            memcpy(triangles + 3 * count++, turned, sizeof turned);
        }
    }
    return count;
}

/* Copies the vertices that the triangles use and numbers them anew. */
static uint64_t take_vertices(const Vertices *from, uint32_t *triangles, uint64_t corner_count,
                              uint32_t *number, uint64_t number_count, Vertices *to)
{
    uint64_t count = 0;
    memset(number, 0xff, number_count * sizeof *number);
    for (uint64_t k = 0; k < corner_count; k++) {
        uint32_t v = triangles[k];
        if (number[v] == UINT32_MAX) {
            number[v] = (uint32_t)count;
            memcpy(to->positions + 3 * count, from->positions + 3 * (uint64_t)v, 12);
            memcpy(to->normals + 3 * count, from->normals + 3 * (uint64_t)v, 12);
            if (from->colors) {
                memcpy(to->colors + 3 * count, from->colors + 3 * (uint64_t)v, 12);
            }
            if (from->velocities) {
                memcpy(to->velocities + 3 * count, from->velocities + 3 * (uint64_t)v, 12);
            }
            if (from->temperatures) {
                to->temperatures[count] = from->temperatures[v];
            }
            count++;
        }
        triangles[k] = number[v];
    }
    return count;
}

/* One geometry for each material: at a border every triangle has one of them. */
static OozeStatus add_materials(const OozeFrame *frame, const OozeSurface *surface,
                                const OozeFluidDrawing *how, const Vertices *vertices,
                                OozeRayScene *ray_scene, OozeError *error)
{
    uint64_t n = surface->vertex_count + surface->interface_vertex_count;
    uint64_t triangles_max = surface->triangle_count + surface->interface_count;
    uint32_t *number = ooze_alloc(n, sizeof *number);
    uint32_t *triangles = ooze_alloc(triangles_max, 3 * sizeof *triangles);
    bool moves = vertices->velocities != NULL, warm = vertices->temperatures != NULL;
    Vertices own = {ooze_alloc(n, 12), ooze_alloc(n, 12), ooze_alloc(n, 12),
                    moves ? ooze_alloc(n, 12) : NULL, warm ? ooze_alloc(n, 4) : NULL};
    OozeStatus status = OOZE_OK;
    if (!number || !triangles || !own.positions || !own.normals || !own.colors ||
        (moves && !own.velocities) || (warm && !own.temperatures)) {
        status = ooze_fail_memory(error, "a surface", n * 56 + triangles_max * 12);
    }
    for (int m = 0; m < frame->material_count && !status; m++) {
        uint64_t count =
            list_triangles(surface, ray_scene, how->first_bsdf, (uint16_t)m, triangles);
        if (count == 0) {
            continue;
        }
        OozeRayGeometry geometry = {.is_fluid = true,
                                    .bsdf = how->first_bsdf + m,
                                    .colors = vertices->colors ? own.colors : NULL,
                                    .triangle_count = count,
                                    .triangles = triangles};
        geometry.vertex_count = take_vertices(vertices, triangles, 3 * count, number, n, &own);
        status = add_vertices(geometry, &own, how->open_time, ray_scene, error);
    }
    ooze_free(number);
    ooze_free(triangles);
    free_vertices(&own);
    return status;
}

static OozeStatus add_geometry(const OozeFrame *frame, const OozeSurface *surface,
                               const OozeFluidDrawing *how, OozeRayScene *ray_scene,
                               OozeError *error)
{
    bool colored = how->color_field->name != NULL;
    bool moves = how->open_time > 0.0 && surface->velocities;
    const OozeSurfaceField *heat = ooze_fluid_glow_field(frame, how->first_bsdf, ray_scene)
                                       ? find_field(surface, "temperature")
                                       : NULL;
    uint64_t n = surface->vertex_count + surface->interface_vertex_count;
    Vertices vertices = {copy_vectors(surface->positions, n), copy_vectors(surface->normals, n),
                         colored ? vertex_colors(surface, how->color_field) : NULL,
                         moves ? copy_vectors(surface->velocities, n) : NULL,
                         heat ? copy_numbers(heat->values, n) : NULL};
    OozeStatus status;
    if (!vertices.positions || !vertices.normals || (colored && !vertices.colors) ||
        (moves && !vertices.velocities) || (heat && !vertices.temperatures)) {
        status = ooze_fail_memory(error, "a surface", n * 12 * sizeof(float));
    } else {
        ooze_solid_meshes_fit_surface(how->solids, frame, surface->vertex_count, vertices.positions,
                                      vertices.normals);
        OozeRayGeometry geometry = {.is_fluid = true,
                                    .bsdf = how->first_bsdf,
                                    .materials = surface->materials,
                                    .colors = vertices.colors,
                                    .vertex_count = surface->vertex_count,
                                    .triangle_count = surface->triangle_count,
                                    .triangles = surface->triangles};
        status = surface->interface_count > 0
                     ? add_materials(frame, surface, how, &vertices, ray_scene, error)
                     : add_vertices(geometry, &vertices, how->open_time, ray_scene, error);
    }
    free_vertices(&vertices);
    return status;
}

OozeStatus ooze_fluid_add_surface(const OozeFrame *frame, const OozeFluidDrawing *how,
                                  OozeRayScene *ray_scene, OozeError *error)
{
    OozeSurfaceSettings settings = *how->settings;
    const OozeColorField *color_field = how->color_field;
    bool own = color_field->name && (strcmp(color_field->name, "speed") == 0 ||
                                     strcmp(color_field->name, "velocity") == 0 ||
                                     strcmp(color_field->name, "material") == 0);
    const char *fields[1];
    settings.fields = fields;
    settings.field_count = 0;
    if (color_field->name && !own) {
        fields[settings.field_count++] = color_field->name;
    } else if (ooze_fluid_glow_field(frame, how->first_bsdf, ray_scene)) {
        fields[settings.field_count++] = "temperature";
    }
    OozeSurface *surface = NULL;
    OozeStatus status = ooze_surface_build(frame, &settings, how->threads, &surface, error);
    status = status ? status : add_geometry(frame, surface, how, ray_scene, error);
    ooze_surface_free(surface);
    return status;
}
