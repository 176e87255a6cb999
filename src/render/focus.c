/* The lens of the camera: what is in focus, and how wide it is open. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/select.h"
#include "base/vec3.h"
#include "render/frame_bounds.h"
#include "render/renderer_state.h"
#include "solids/motion.h"

#define NEARER_PERCENT 25.0 /* of the particles in focus are nearer than the plane in focus */

static double depth_of(const OozeCamera *camera, OozeVec3 point)
{
    return vec3_dot(vec3_sub(point, camera->position), camera->forward);
}

/* Depth that a share of the particles of a material (of all: -1) is nearer than; NAN: there are
   none. */
static OozeStatus particle_depth(const OozeFrame *frame, int material, const OozeCamera *camera,
                                 double *depth, OozeError *error)
{
    const OozeFieldView *position = ooze_frame_field(frame, "position");
    const OozeFieldView *index = ooze_frame_field(frame, "material");
    double *depths = ooze_alloc(frame->particle_count, sizeof *depths);
    if (!depths && frame->particle_count > 0) {
        return ooze_fail_memory(error, "the focus", frame->particle_count * sizeof *depths);
    }
    uint64_t count = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        if (material < 0 || (index && (int)ooze_field_value(index, i, 0) == material)) {
            depths[count++] = depth_of(camera, vec3(ooze_field_value(position, i, 0),
                                                    ooze_field_value(position, i, 1),
                                                    ooze_field_value(position, i, 2)));
        }
    }
    *depth = count > 0 ? ooze_percentile(depths, count, NEARER_PERCENT) : NAN;
    ooze_free(depths);
    return OOZE_OK;
}

/* Depth of the solid in focus; NAN: there is none of that name. */
static double solid_depth(const OozeRenderer *renderer, const OozeFrame *frame,
                          const OozeCamera *camera)
{
    for (int i = 0; i < renderer->meshes.count; i++) {
        const OozeSolidMesh *mesh = &renderer->meshes.meshes[i];
        if (mesh->name && strcmp(mesh->name, renderer->def.focus) == 0) {
            OozePose pose = ooze_solid_mesh_pose(mesh, i, frame);
            bool has_bounds = mesh->vertex_count > 0;
            OozeVec3 centre =
                has_bounds ? vec3_scale(vec3_add(mesh->low, mesh->high), 0.5) : vec3(0, 0, 0);
            return depth_of(camera, ooze_pose_to_world(&pose, centre));
        }
    }
    return NAN;
}

static OozeStatus find_depth(const OozeRenderer *renderer, const OozeFrame *frame,
                             const OozeCamera *camera, double *depth, OozeError *error)
{
    const char *name = renderer->def.focus;
    int material = name ? ooze_frame_find_material(frame, name) : -1;
    *depth = NAN;
    if (name && material < 0) {
        *depth = solid_depth(renderer, frame, camera);
        return !isnan(*depth)
                   ? OOZE_OK
                   : ooze_fail(error, OOZE_ERROR_ARGUMENT, "`focus` names a material or a solid",
                               "there is no material or solid '%s' to focus on", name);
    }
    return particle_depth(frame, material, camera, depth, error);
}

OozeStatus ooze_renderer_focus(const OozeRenderer *renderer, const OozeFrame *frame,
                               const OozeView *view, OozeCamera *camera, OozeError *error)
{
    const OozeRenderDef *def = &renderer->def;
    camera->lens_radius = 0.0;
    if (isnan(def->aperture) && isnan(def->f_number)) {
        return OOZE_OK;
    }
    double depth = def->focus_distance;
    OozeStatus status = isnan(depth) ? find_depth(renderer, frame, camera, &depth, error) : OOZE_OK;
    if (status) {
        return status;
    }
    depth = isnan(depth) ? depth_of(camera, view->centre) : depth;
    camera->focus_distance = fmax(depth, 1e-6); /* what is behind the camera cannot be in focus */
    camera->lens_radius =
        0.5 * (isnan(def->aperture)
                   ? ooze_camera_focal_length(camera, camera->focus_distance) / def->f_number
                   : def->aperture);
    return OOZE_OK;
}
