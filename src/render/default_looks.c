/* Looks of solids that the scene gives neither a look nor a colour: by their name, and glass where
   they would hide the fluid. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "render/renderer_state.h"
#include "scene/scene.h"

enum { CROSSINGS_MAX = 32 };

#define HIDDEN_SHARE 0.5 /* of the fluid: a solid that hides more is made of glass */

static const char *look_of_name(const char *name)
{
    static const char *const rows[][2] = {
        {"table", "wood"},       {"board", "wood"},   {"worktop", "marble"}, {"counter", "marble"},
        {"dish", "plate"},       {"saucer", "plate"}, {"cup", "ceramic"},    {"mug", "ceramic"},
        {"tablecloth", "cloth"}, {"towel", "cloth"},  {"spoon", "metal"},    {"knife", "metal"},
        {"tank", "glass"},       {"jar", "glass"},    {"aquarium", "glass"}, {"beaker", "glass"},
    };
    for (size_t i = 0; name && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i][0], name) == 0) {
            return rows[i][1];
        }
    }
    return "matte";
}

static bool has_own_color(const OozeSolidDef *solid)
{
    OozeSolidDef plain = ooze_solid_def_default();
    return memcmp(solid->color, plain.color, sizeof plain.color) != 0;
}

const char *ooze_renderer_default_look(const OozeRenderer *renderer, int solid)
{
    const OozeSolidDef *def = &renderer->scene->def.solids[solid];
    const OozeSolidMesh *mesh = &renderer->meshes.meshes[solid];
    if (has_own_color(def) || !isnan(def->look.color[0]) || mesh->container) {
        return "matte"; /* containers are cut away: nothing is hidden */
    }
    return mesh->hides_fluid ? "glass" : look_of_name(def->name);
}

OozeStatus ooze_renderer_keep_points(OozeRenderer *renderer, const OozeFrame *frame,
                                     OozeError *error)
{
    enum { POINTS = 128 /* of one frame */ };
    const OozeFieldView *position = ooze_frame_field(frame, "position");
    uint64_t stride = frame->particle_count / POINTS + 1, old = renderer->point_count;
    uint64_t added = (frame->particle_count + stride - 1) / stride;
    OozeVec3 *points = ooze_grow(renderer->points, old, old + added, sizeof *points);
    if (!points && old + added > 0) {
        return ooze_fail_memory(error, "points of the fluid", (old + added) * sizeof *points);
    }
    for (uint64_t i = 0; i < added; i++) {
        points[old + i] = vec3(ooze_field_value(position, i * stride, 0),
                               ooze_field_value(position, i * stride, 1),
                               ooze_field_value(position, i * stride, 2));
    }
    renderer->points = points;
    renderer->point_count += added;
    return OOZE_OK;
}

/* Counts the points that each solid hides from the camera. BSDF i is that of solid i. */
static void count_hidden(const OozeRenderer *renderer, const OozeCamera *camera, uint64_t *hidden)
{
    const OozeRayScene *ray_scene = renderer->ray_scene;
    for (uint64_t i = 0; i < renderer->point_count; i++) {
        OozeF3 to_point = f3_of(vec3_sub(renderer->points[i], camera->position));
        const OozeRay ray = {f3_of(camera->position), f3_unit(to_point), 0.5f};
        float near = 0.0f, far = f3_length(to_point);
        int last = -1;
        OozeHit hit;
        for (int k = 0;
             k < CROSSINGS_MAX && ooze_ray_scene_intersect(ray_scene, &ray, near, far, &hit); k++) {
            hidden[hit.bsdf_index] += hit.front && hit.bsdf_index != last;
            last = hit.bsdf_index;
            near = hit.distance + ooze_ray_scene_epsilon(ray_scene);
        }
    }
}

OozeStatus ooze_renderer_find_hiding(OozeRenderer *renderer, const OozeFrame *frame,
                                     const OozeView *view, const OozeCamera *camera,
                                     OozeError *error)
{
    OozeSolidMeshes *meshes = &renderer->meshes;
    OozeRayScene *ray_scene = renderer->ray_scene;
    if (renderer->hiding_frames == renderer->frames || meshes->count == 0) {
        return OOZE_OK;
    }
    OozeFrame at_rest = *frame; /* all pictures of the run decide alike */
    at_rest.solid_count = 0;
    OozeSolidPlacing placing = {.camera = f3_of(camera->position)};
    uint64_t *hidden = ooze_alloc_zero((size_t)meshes->count, sizeof *hidden);
    OozeStatus status = hidden ? OOZE_OK : ooze_fail_memory(error, "solids", 0);
    ooze_ray_scene_clear(ray_scene);
    for (int i = 0; i < meshes->count && !status; i++) {
        OozeBsdf plain = {.kind = OOZE_LOOK_OPAQUE};
        status = ooze_ray_scene_add_bsdf(ray_scene, &plain, error);
    }
    status = status ? status
                    : ooze_solid_meshes_add_to_scene(meshes, &at_rest, &placing, ray_scene, error);
    status = status ? status : ooze_ray_scene_commit(ray_scene, (float)view->size, error);
    if (!status) {
        count_hidden(renderer, camera, hidden);
        for (int i = 0; i < meshes->count; i++) {
            meshes->meshes[i].hides_fluid =
                !meshes->meshes[i].is_plane &&
                (double)hidden[i] > HIDDEN_SHARE * (double)renderer->point_count;
        }
        renderer->hiding_frames = renderer->frames;
    }
    ooze_free(hidden);
    return status;
}
