#include "render/fluid.h"

#include <stdio.h>
#include <string.h>

#include "base/color.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "render/colour_map.h"

#define PLACE_MAX 1e12 /* m; squares of distances are finite in single precision */

/* ---- colour fields --------------------------------------------------------------------------- */

const OozeFieldView *ooze_color_field_find(const OozeFrame *frame, const char *name)
{
    return ooze_frame_field(frame, strcmp(name, "speed") == 0 ? "velocity" : name);
}

OozeStatus ooze_color_field_check(const OozeFrame *frame, const char *name, OozeError *error)
{
    enum { NAMES_MAX = 64 };
    if (ooze_color_field_find(frame, name)) {
        return OOZE_OK;
    }
    const char *known[NAMES_MAX] = {"speed"};
    int count = 1;
    OozeText list = {0};
    ooze_text_append(&list, "fields are: speed");
    for (int i = 0; i < frame->field_count && count < NAMES_MAX; i++) {
        known[count++] = frame->fields[i].name;
        ooze_text_append(&list, ", %s", frame->fields[i].name);
    }
    const char *near = ooze_suggest(name, known, count);
    OozeStatus status;
    if (near) {
        char hint[128];
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, hint,
                           "the particles have no field '%s' to colour by", name);
    } else {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, list.data ? list.data : "",
                           "the particles have no field '%s' to colour by", name);
    }
    ooze_text_clear(&list);
    return status;
}

/* The Frobenius norm: off-diagonal components of a symmetric tensor count twice. */
double ooze_field_magnitude(const float *values, int components)
{
    double sum = 0.0;
    for (int k = 0; k < components; k++) {
        double twice = components == 6 && k >= 3 ? 2.0 : 1.0;
        sum += twice * (double)values[k] * (double)values[k];
    }
    return components == 1 ? (double)values[0] : sqrt(sum);
}

double ooze_color_field_value(const OozeFieldView *field, uint64_t i)
{
    enum { COMPONENTS_MAX = 16 };
    float values[COMPONENTS_MAX];
    int count = field->components < COMPONENTS_MAX ? field->components : COMPONENTS_MAX;
    for (int k = 0; k < count; k++) {
        values[k] = (float)ooze_field_value(field, i, k);
    }
    return ooze_field_magnitude(values, count);
}

OozeF3 ooze_color_field_color(const OozeColorField *color_field, double value)
{
    double range = color_field->high - color_field->low;
    return ooze_colour_map(range > 0.0 ? (float)((value - color_field->low) / range) : 0.5f);
}

const OozeFieldView *ooze_fluid_glow_field(const OozeFrame *frame, int first_bsdf,
                                           const OozeRayScene *ray_scene)
{
    bool glows = false;
    for (int m = 0; m < frame->material_count; m++) {
        glows = glows || ooze_ray_scene_bsdf(ray_scene, first_bsdf + m)->glow > 0.0f;
    }
    return glows ? ooze_frame_field(frame, "temperature") : NULL;
}

/* ---- checks ---------------------------------------------------------------------------------- */

OozeStatus ooze_fluid_check(const OozeFrame *frame, OozeError *error)
{
    const OozeFieldView *position = ooze_frame_field(frame, "position");
    if (!position && frame->particle_count > 0) {
        return ooze_fail(error, OOZE_ERROR_FORMAT, "", "frame %llu has no positions",
                         (unsigned long long)frame->index);
    }
    uint64_t bad = 0;
    bool far = false;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        bool good = true;
        for (int k = 0; k < 3; k++) {
            double at = ooze_field_value(position, i, k);
            good = good && isfinite(at);
            far = far || fabs(at) > PLACE_MAX;
        }
        bad += !good;
    }
    if (bad > 0) {
        return ooze_fail(error, OOZE_ERROR_NUMERIC, "the run went wrong before this frame",
                         "frame %llu has %llu of %llu particles at positions that are not numbers",
                         (unsigned long long)frame->index, (unsigned long long)bad,
                         (unsigned long long)frame->particle_count);
    }
    if (far) {
        return ooze_fail(error, OOZE_ERROR_NUMERIC, "a sink removes particles that leave the scene",
                         "frame %llu has particles further than %g m from the origin",
                         (unsigned long long)frame->index, PLACE_MAX);
    }
    for (int i = 0; i < frame->material_count; i++) {
        if (!ooze_color_is_valid(frame->materials[i].color)) {
            return ooze_fail(error, OOZE_ERROR_FORMAT, "linear RGB, each 0 to 1",
                             "the colour of material '%s' in frame %llu is not valid",
                             frame->materials[i].name, (unsigned long long)frame->index);
        }
    }
    return OOZE_OK;
}

/* ---- geometry -------------------------------------------------------------------------------- */

float *ooze_fluid_moving_points(const float *positions, const float *velocities, uint64_t count,
                                double open_time)
{
    float *steps = ooze_alloc(6 * count, sizeof *steps), half = (float)(0.5 * open_time);
    for (uint64_t i = 0; steps && i < 3 * count; i++) {
        steps[i] = positions[i] - half * velocities[i];
        steps[3 * count + i] = positions[i] + half * velocities[i];
    }
    return steps;
}

/* Three components of a field of the particles; NULL: out of memory. */
static float *vectors_of(const OozeFieldView *field, uint64_t count)
{
    float *vectors = ooze_alloc(count, 3 * sizeof *vectors);
    for (uint64_t i = 0; vectors && i < 3 * count; i++) {
        vectors[i] = (float)ooze_field_value(field, i / 3, (int)(i % 3));
    }
    return vectors;
}

/* Positions of the spheres, of one or two time steps. */
static float *sphere_positions(const OozeFrame *frame, double open_time, int *step_count)
{
    uint64_t n = frame->particle_count;
    const OozeFieldView *velocity = ooze_frame_field(frame, "velocity");
    float *positions = vectors_of(ooze_frame_field(frame, "position"), n);
    *step_count = velocity && open_time > 0.0 ? 2 : 1;
    if (*step_count == 1 || !positions) {
        return positions;
    }
    float *velocities = vectors_of(velocity, n);
    float *steps =
        velocities ? ooze_fluid_moving_points(positions, velocities, n, open_time) : NULL;
    ooze_free(positions);
    ooze_free(velocities);
    return steps;
}

OozeStatus ooze_fluid_add_spheres(const OozeFrame *frame, const OozeFluidDrawing *how,
                                  OozeRayScene *ray_scene, OozeError *error)
{
    const OozeColorField *color_field = how->color_field;
    uint64_t n = frame->particle_count;
    int step_count;
    float *positions = sphere_positions(frame, how->open_time, &step_count);
    float *colors = color_field->name ? ooze_alloc(n, 3 * sizeof *colors) : NULL;
    uint16_t *materials = ooze_alloc_zero(n, sizeof *materials);
    const OozeFieldView *heat = ooze_fluid_glow_field(frame, how->first_bsdf, ray_scene);
    float *temperatures = heat ? ooze_alloc(n, sizeof *temperatures) : NULL;
    OozeStatus status = OOZE_OK;
    if (!positions || !materials || (color_field->name && !colors) || (heat && !temperatures)) {
        status = ooze_fail_memory(error, "particles", n * 6 * sizeof(float));
    } else {
        const OozeFieldView *material = ooze_frame_field(frame, "material");
        const OozeFieldView *field =
            color_field->name ? ooze_color_field_find(frame, color_field->name) : NULL;
        for (uint64_t i = 0; i < n; i++) {
            double m = material ? ooze_field_value(material, i, 0) : 0.0;
            materials[i] = m < frame->material_count ? (uint16_t)m : 0;
            if (heat) {
                temperatures[i] = (float)ooze_field_value(heat, i, 0);
            }
            if (field) {
                OozeF3 color =
                    ooze_color_field_color(color_field, ooze_color_field_value(field, i));
                memcpy(colors + 3 * i, &color, sizeof color);
            }
        }
        OozeRayGeometry geometry = {.is_fluid = true,
                                    .bsdf = how->first_bsdf,
                                    .materials = materials,
                                    .colors = colors,
                                    .temperatures = temperatures,
                                    .vertex_count = n,
                                    .positions = positions,
                                    .step_count = step_count,
                                    .radius = (float)(OOZE_PARTICLE_RADIUS * frame->spacing)};
        status = ooze_ray_scene_add_geometry(ray_scene, &geometry, error);
    }
    ooze_free(positions);
    ooze_free(colors);
    ooze_free(temperatures);
    ooze_free(materials);
    return status;
}
