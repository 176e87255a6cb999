/* The surface of the fluid in the ray scene. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ooze/surface.h"
#include "render/fluid.h"

/* Colours of the vertices by the colour field. */
static float *vertex_colors(const OozeSurface *surface, const OozeColorField *color_field)
{
    float *colors = ooze_alloc(surface->vertex_count, 3 * sizeof *colors);
    const OozeSurfaceField *field = surface->field_count > 0 ? &surface->fields[0] : NULL;
    for (uint64_t i = 0; colors && i < surface->vertex_count; i++) {
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

static float *copy_vectors(const float *from, uint64_t count)
{
    float *copy = ooze_alloc(count, 3 * sizeof *copy);
    if (copy) {
        memcpy(copy, from, count * 3 * sizeof *copy);
    }
    return copy;
}

static OozeStatus add_geometry(const OozeFrame *frame, const OozeSurface *surface,
                               const OozeFluidDrawing *how, OozeRayScene *ray_scene,
                               OozeError *error)
{
    bool colored = how->color_field->name != NULL;
    float *colors = colored ? vertex_colors(surface, how->color_field) : NULL;
    float *positions = copy_vectors(surface->positions, surface->vertex_count);
    float *normals = copy_vectors(surface->normals, surface->vertex_count);
    bool moves = how->open_time > 0.0 && surface->velocities;
    float *moving = NULL;
    OozeStatus status;
    if (positions && normals) {
        ooze_solid_meshes_fit_surface(how->solids, frame, surface->vertex_count, positions,
                                      normals);
        moving = moves ? ooze_fluid_moving_points(positions, surface->velocities,
                                                  surface->vertex_count, how->open_time)
                       : NULL;
    }
    if (!positions || !normals || (colored && !colors) || (moves && !moving)) {
        status = ooze_fail_memory(error, "a surface", surface->vertex_count * 9 * sizeof(float));
    } else {
        OozeRayGeometry geometry = {.is_fluid = true,
                                    .bsdf = how->first_bsdf,
                                    .materials = surface->materials,
                                    .colors = colors,
                                    .vertex_count = surface->vertex_count,
                                    .positions = moves ? moving : positions,
                                    .step_count = moves ? 2 : 1,
                                    .normals = normals,
                                    .triangle_count = surface->triangle_count,
                                    .triangles = surface->triangles};
        status = ooze_ray_scene_add_geometry(ray_scene, &geometry, error);
    }
    ooze_free(colors);
    ooze_free(positions);
    ooze_free(moving);
    ooze_free(normals);
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
    const char *fields[] = {color_field->name};
    settings.fields = fields;
    settings.field_count = color_field->name && !own ? 1 : 0;
    OozeSurface *surface = NULL;
    OozeStatus status = ooze_surface_build(frame, &settings, how->threads, &surface, error);
    status = status ? status : add_geometry(frame, surface, how, ray_scene, error);
    ooze_surface_free(surface);
    return status;
}
