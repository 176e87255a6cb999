/* The fluid's surface on the stage. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "ooze/surface.h"
#include "render/colour_map.h"
#include "render/fluid.h"

/* Numbers at the vertices as colours. */
static float *vertex_colors(const OozeSurface *surface, const OozeTint *tint)
{
    float *colors = ooze_alloc(surface->vertex_count, 3 * sizeof *colors);
    const OozeSurfaceField *field = surface->field_count > 0 ? &surface->fields[0] : NULL;
    for (uint64_t i = 0; colors && i < surface->vertex_count; i++) {
        double value = 0.0;
        if (strcmp(tint->field, "speed") == 0 || strcmp(tint->field, "velocity") == 0) {
            value = (double)f3_length(f3_load(surface->velocities + 3 * i));
        } else if (strcmp(tint->field, "material") == 0) {
            value = surface->materials[i];
        } else if (field) {
            value = ooze_tint_magnitude(field->values + (uint64_t)field->components * i,
                                        field->components);
        }
        OozeF3 color = ooze_tint_color(tint, value);
        memcpy(colors + 3 * i, &color, sizeof color);
    }
    return colors;
}

OozeStatus ooze_fluid_place_surface(const OozeFrame *frame, const OozeSurfaceSettings *how,
                                    const OozeTint *tint, int threads, int first_skin,
                                    OozeStage *stage, OozeError *error)
{
    OozeSurfaceSettings settings = *how;
    bool own =
        tint->field && (strcmp(tint->field, "speed") == 0 || strcmp(tint->field, "velocity") == 0 ||
                        strcmp(tint->field, "material") == 0);
    const char *fields[] = {tint->field};
    settings.fields = fields;
    settings.field_count = tint->field && !own ? 1 : 0;
    OozeSurface *surface = NULL;
    OozeStatus status = ooze_surface_build(frame, &settings, threads, &surface, error);
    if (status) {
        return status;
    }
    float *colors = tint->field ? vertex_colors(surface, tint) : NULL;
    if (tint->field && !colors) {
        status = ooze_fail_memory(error, "colours", surface->vertex_count * 3 * sizeof(float));
    } else {
        OozeThing thing = {.is_fluid = true,
                           .skin = first_skin,
                           .materials = surface->materials,
                           .colors = colors,
                           .vertex_count = surface->vertex_count,
                           .positions = surface->positions,
                           .normals = surface->normals,
                           .triangle_count = surface->triangle_count,
                           .triangles = surface->triangles};
        status = ooze_stage_add(stage, &thing, error);
    }
    ooze_free(colors);
    ooze_surface_free(surface);
    return status;
}
