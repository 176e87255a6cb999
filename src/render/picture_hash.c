/* The hash of everything that a picture depends on besides its frame. */
#include "base/hash.h"
#include "render/renderer_state.h"
#include "scene/scene.h"

uint64_t ooze_renderer_hash(const OozeRenderer *renderer)
{
    if (!renderer) {
        return 0;
    }
    const OozeRenderDef *def = &renderer->def;
    const double numbers[] = {def->camera_position.x,
                              def->camera_position.y,
                              def->camera_position.z,
                              def->look_at.x,
                              def->look_at.y,
                              def->look_at.z,
                              def->field_of_view,
                              def->size.x,
                              def->size.y,
                              def->samples,
                              def->time_limit,
                              def->f_number,
                              def->aperture,
                              def->focus_distance,
                              def->shutter,
                              (double)def->environment,
                              def->environment_rotation,
                              def->environment_strength,
                              def->caustics,
                              def->firefly_limit,
                              (double)def->backdrop,
                              def->exposure,
                              def->denoise,
                              def->color_low,
                              def->color_high,
                              def->particles,
                              def->preview,
                              (double)def->seed,
                              def->view_low.x,
                              def->view_low.y,
                              def->view_low.z,
                              def->view_high.x,
                              def->view_high.y,
                              def->view_high.z,
                              renderer->bounds.min.x,
                              renderer->bounds.min.y,
                              renderer->bounds.min.z,
                              renderer->bounds.max.x,
                              renderer->bounds.max.y,
                              renderer->bounds.max.z,
                              renderer->half_extent.x,
                              renderer->half_extent.y,
                              renderer->half_extent.z,
                              (double)renderer->most_particles,
                              renderer->field_low,
                              renderer->field_high};
    uint64_t hash = ooze_hash_text(OOZE_HASH_START, ooze_version().text);
    hash = ooze_hash_text(hash, ooze_scene_canonical(renderer->scene));
    hash = ooze_hash_text(hash, def->color_by ? def->color_by : "");
    hash = ooze_hash_text(hash, def->follow ? def->follow : "");
    hash = ooze_hash_text(hash, def->focus ? def->focus : "");
    return ooze_hash_bytes(hash, numbers, sizeof numbers);
}
