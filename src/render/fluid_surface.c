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

OozeStatus ooze_fluid_add_surface(const OozeFrame *frame, const OozeSurfaceSettings *how,
                                  const OozeColorField *color_field, int threads, int first_bsdf,
                                  OozeRayScene *ray_scene, OozeError *error)
{
    OozeSurfaceSettings settings = *how;
    bool own = color_field->name && (strcmp(color_field->name, "speed") == 0 ||
                                     strcmp(color_field->name, "velocity") == 0 ||
                                     strcmp(color_field->name, "material") == 0);
    const char *fields[] = {color_field->name};
    settings.fields = fields;
    settings.field_count = color_field->name && !own ? 1 : 0;
    OozeSurface *surface = NULL;
    OozeStatus status = ooze_surface_build(frame, &settings, threads, &surface, error);
    if (status) {
        return status;
    }
    float *colors = color_field->name ? vertex_colors(surface, color_field) : NULL;
    if (color_field->name && !colors) {
        status = ooze_fail_memory(error, "colours", surface->vertex_count * 3 * sizeof(float));
    } else {
        OozeRayGeometry geometry = {.is_fluid = true,
                                    .bsdf = first_bsdf,
                                    .materials = surface->materials,
                                    .colors = colors,
                                    .vertex_count = surface->vertex_count,
                                    .positions = surface->positions,
                                    .normals = surface->normals,
                                    .triangle_count = surface->triangle_count,
                                    .triangles = surface->triangles};
        status = ooze_ray_scene_add_geometry(ray_scene, &geometry, error);
    }
    ooze_free(colors);
    ooze_surface_free(surface);
    return status;
}
