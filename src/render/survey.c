/* What the frames of a run have in common: the box in view, the camera, the range of colours. */
#include <stdio.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "render/frame_bounds.h"
#include "render/renderer_state.h"
#include "scene/scene.h"
#include "world/frame.h"

OozeStatus ooze_renderer_shown_bounds(const OozeRenderer *renderer, const OozeFrame *frame,
                                      OozeBounds *bounds, OozeError *error)
{
    const char *follow = renderer->def.follow;
    int material = follow ? ooze_frame_find_material(frame, follow) : -1;
    if (follow && material < 0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "`camera: follow` names a material",
                         "there is no material '%s' to follow", follow);
    }
    return ooze_frame_bounds(frame, material, bounds, error);
}

void ooze_renderer_follow(OozeRenderer *renderer, const OozeBounds *bounds)
{
    if (bounds->min.x <= bounds->max.x) {
        renderer->focus = vec3_scale(vec3_add(bounds->min, bounds->max), 0.5);
    }
}

static OozeStatus survey_bounds(OozeRenderer *renderer, const OozeFrame *frame, OozeError *error)
{
    OozeBounds bounds;
    OozeStatus status = ooze_renderer_shown_bounds(renderer, frame, &bounds, error);
    if (!status && bounds.min.x <= bounds.max.x) {
        OozeVec3 half = vec3_scale(vec3_sub(bounds.max, bounds.min), 0.5),
                 *most = &renderer->half_extent;
        *most = vec3(fmax(most->x, half.x), fmax(most->y, half.y), fmax(most->z, half.z));
        renderer->bounds = ooze_bounds_union(renderer->bounds, bounds);
        ooze_renderer_follow(renderer, &bounds);
    }
    return status;
}

OozeStatus ooze_renderer_survey(OozeRenderer *renderer, const OozeFrame *frame, OozeError *error)
{
    OOZE_REQUIRE(renderer, error);
    OOZE_REQUIRE(frame, error);
    OozeStatus status = ooze_frame_check_arrays(frame, error);
    status = status ? status : ooze_fluid_check(frame, error);
    const char *color_by = renderer->def.color_by;
    status = !status && color_by ? ooze_color_field_check(frame, color_by, error) : status;
    status = status ? status : survey_bounds(renderer, frame, error);
    status = status ? status : ooze_renderer_keep_points(renderer, frame, error);
    if (status) {
        return status;
    }
    const OozeFieldView *field = color_by ? ooze_color_field_find(frame, color_by) : NULL;
    for (uint64_t i = 0; i < frame->particle_count && field; i++) {
        double value = ooze_color_field_value(field, i);
        if (isfinite(value)) {
            renderer->field_low = fmin(renderer->field_low, value);
            renderer->field_high = fmax(renderer->field_high, value);
        }
    }
    if (field) {
        snprintf(renderer->field_unit, sizeof renderer->field_unit, "%s", field->unit);
    }
    ooze_solid_meshes_add_bounds(&renderer->meshes, frame);
    renderer->most_particles = frame->particle_count > renderer->most_particles
                                   ? frame->particle_count
                                   : renderer->most_particles;
    renderer->spacing = frame->spacing;
    renderer->frames++;
    return OOZE_OK;
}

static void include(OozeView *view, OozeVec3 p)
{
    double *low = &view->low.x, *high = &view->high.x;
    const double *at = &p.x;
    for (int k = 0; k < 3; k++) {
        low[k] = at[k] < low[k] ? at[k] : low[k];
        high[k] = at[k] > high[k] ? at[k] : high[k];
    }
}

static void finish_view(OozeView *view)
{
    view->centre = vec3_scale(vec3_add(view->low, view->high), 0.5);
    view->size = 0.5 * vec3_length(vec3_sub(view->high, view->low));
}

static void include_solids(OozeView *view, const OozeRenderer *renderer, bool any_size)
{
    double largest = any_size ? INFINITY : 4.0 * view->size;
    for (int i = 0; i < renderer->meshes.count; i++) {
        const OozeSolidMesh *mesh = &renderer->meshes.meshes[i];
        bool known = mesh->world_low.x <= mesh->world_high.x;
        double size = 0.5 * vec3_length(vec3_sub(mesh->world_high, mesh->world_low));
        if (known && size <= largest) {
            include(view, mesh->world_low);
            include(view, mesh->world_high);
        }
    }
}

OozeView ooze_renderer_view(const OozeRenderer *renderer)
{
    const OozeRenderDef *def = &renderer->def;
    OozeView view = {.low = renderer->bounds.min, .high = renderer->bounds.max};
    bool empty = !(renderer->bounds.min.x <= renderer->bounds.max.x),
         boxed = !isnan(def->view_low.x);
    if (boxed || (def->follow && !empty)) {
        view.low = boxed ? def->view_low : vec3_sub(renderer->focus, renderer->half_extent);
        view.high = boxed ? def->view_high : vec3_add(renderer->focus, renderer->half_extent);
        finish_view(&view);
        return view;
    }
    if (!empty) {
        double r = renderer->spacing * OOZE_PARTICLE_RADIUS;
        view.low = vec3_sub(view.low, vec3(r, r, r));
        view.high = vec3_add(view.high, vec3(r, r, r));
        finish_view(&view);
    }
    include_solids(&view, renderer, empty);
    if (!(view.low.x <= view.high.x)) {
        view.low = vec3(-0.5, -0.5, -0.5);
        view.high = vec3(0.5, 0.5, 0.5);
    }
    finish_view(&view);
    return view;
}

OozeCamera ooze_renderer_camera(const OozeRenderer *renderer)
{
    OozeView view = ooze_renderer_view(renderer);
    return ooze_camera_make(&renderer->def, renderer->scene->def.world.up, view.low, view.high,
                            renderer->def.size.x / renderer->def.size.y);
}

OozeColorField ooze_renderer_color_field(const OozeRenderer *renderer)
{
    const OozeRenderDef *def = &renderer->def;
    OozeColorField color_field = {def->color_by, def->color_low, def->color_high};
    double low = renderer->field_low, high = renderer->field_high;
    low = low > 0.0 && low < 0.05 * high ? 0.0 : low; /* a small lower end becomes zero */
    color_field.low = isnan(color_field.low) ? low : color_field.low;
    color_field.high = isnan(color_field.high) ? high : color_field.high;
    if (!(color_field.low <= color_field.high)) { /* nothing surveyed */
        color_field.low = 0.0;
        color_field.high = 1.0;
    }
    return color_field;
}
