/* The ray scene of a frame: fluid, solids, and a ground where the scene has none. */
#include <string.h>

#include "base/vec3.h"
#include "plot/axis.h"
#include "render/fluid.h"
#include "render/renderer_state.h"
#include "render/texture.h"
#include "scene/scene.h"
#include "solids/motion.h"
#include "solids/shape.h"

#define GROUND_GAP 2e-3 /* below the floor of a container, in radii of the view */

/* Containers without a colour that are seen from outside are lighter than other solids, so that the
   fluid stands out. Seen from inside they are not: light walls all around are overexposed. */
static const float *solid_color(const OozeRenderer *renderer, const OozeFrame *frame, int i,
                                OozeVec3 camera)
{
    static const float light[3] = {0.76f, 0.76f, 0.75f};
    const OozeSolidDef *solid = &renderer->scene->def.solids[i];
    const OozeSolidMesh *mesh = &renderer->meshes.meshes[i];
    OozeSolidDef plain = ooze_solid_def_default();
    if (!mesh->container || memcmp(solid->color, plain.color, sizeof plain.color) != 0) {
        return solid->color;
    }
    OozePose pose = ooze_solid_mesh_pose(mesh, i, frame);
    bool inside =
        ooze_shape_distance(mesh->container, ooze_pose_to_local(&pose, camera), NULL) > 0.0;
    return inside ? solid->color : light;
}

/* Of a plate its radius. */
static float texture_scale(const OozeSolidMesh *mesh, OozeTexture texture, const OozeView *view)
{
    if (texture == OOZE_TEXTURE_PLATE && mesh->vertex_count > 0) {
        const double x = fmax(-mesh->low.x, mesh->high.x), y = fmax(-mesh->low.y, mesh->high.y),
                     z = fmax(-mesh->low.z, mesh->high.z);
        return (float)(mesh->up == OOZE_AXIS_X   ? fmax(y, z)
                       : mesh->up == OOZE_AXIS_Y ? fmax(x, z)
                                                 : fmax(x, y));
    }
    return ooze_texture_default_scale(texture, (float)view->size);
}

/* BSDFs of the materials, then of the solids. */
static OozeStatus add_bsdfs(OozeRenderer *renderer, const OozeFrame *frame, const OozeView *view,
                            OozeVec3 camera, OozeError *error)
{
    const OozeSceneDef *def = &renderer->scene->def;
    double extent = cbrt((double)(renderer->most_particles + 1)) * frame->spacing;
    bool spheres = renderer->def.particles || renderer->def.preview;
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < frame->material_count && !status; i++) {
        OozeLookDef look = ooze_look_def_default();
        const char *name = frame->materials[i].name ? frame->materials[i].name : "";
        for (int k = 0; k < def->material_count; k++) {
            look = strcmp(def->materials[k].name, name) == 0 ? def->materials[k].look : look;
        }
        OozeBsdf bsdf = ooze_bsdf_make(&look, name, "glossy", frame->materials[i].color, extent);
        if (renderer->def.color_by) {
            look.type = 0;
            bsdf = ooze_bsdf_make(&look, "", "glossy", frame->materials[i].color, extent);
            bsdf.vertex_color = true;
            bsdf.glow = 0.0f;
        }
        bsdf = spheres ? ooze_bsdf_opaque(&bsdf) : bsdf;
        status = ooze_ray_scene_add_bsdf(renderer->ray_scene, &bsdf, error);
    }
    for (int i = 0; i < def->solid_count && !status; i++) {
        const OozeSolidDef *solid = &def->solids[i];
        const float *color = solid_color(renderer, frame, i, camera);
        OozeBsdf bsdf = ooze_bsdf_make(&solid->look, solid->name,
                                       ooze_renderer_default_look(renderer, i), color, extent);
        bsdf = renderer->def.preview ? ooze_bsdf_opaque(&bsdf) : bsdf;
        if (bsdf.texture && isnan(solid->look.scale)) {
            bsdf.texture_scale = texture_scale(&renderer->meshes.meshes[i], bsdf.texture, view);
        }
        status = ooze_ray_scene_add_bsdf(renderer->ray_scene, &bsdf, error);
    }
    return status;
}

/* Adds a plane below everything where no plane of the scene faces up. */
static OozeStatus add_ground(OozeRenderer *renderer, const OozeFrame *frame, const OozeView *view,
                             float grid_spacing, OozeError *error)
{
    OozeVec3 up = vec3_axis(frame->up), point = view->low;
    for (int i = 0; i < renderer->meshes.count; i++) {
        const OozeSolidMesh *mesh = &renderer->meshes.meshes[i];
        if (mesh->container) { /* its floor must not coincide with the ground */
            point = vec3_madd(view->low, -GROUND_GAP * view->size, up);
        }
        OozePose pose = ooze_solid_mesh_pose(mesh, i, frame);
        if (mesh->is_plane && vec3_dot(quat_rotate(pose.rotation, mesh->normal), up) > 0.5) {
            return OOZE_OK;
        }
    }
    OozeLookDef look = ooze_look_def_default();
    const float color[3] = {0.62f, 0.61f, 0.60f};
    OozeBsdf bsdf = ooze_bsdf_make(&look, "", "matte", color, 1.0);
    OozePlane plane = {.point = f3_of(point),
                       .normal = f3_of(up),
                       .bsdf = frame->material_count + renderer->meshes.count,
                       .grid_spacing = grid_spacing};
    OozeStatus status = ooze_ray_scene_add_bsdf(renderer->ray_scene, &bsdf, error);
    return status ? status : ooze_ray_scene_add_plane(renderer->ray_scene, &plane, error);
}

OozeStatus ooze_renderer_build_scene(OozeRenderer *renderer, const OozeFrame *frame,
                                     const OozeView *view, const OozeCamera *camera,
                                     OozeError *error)
{
    OozeRayScene *ray_scene = renderer->ray_scene;
    const OozeRenderDef *def = &renderer->def;
    OozeColorField color_field = ooze_renderer_color_field(renderer);
    bool has_grid = def->backdrop == OOZE_BACKDROP_GRID;
    float grid_spacing = has_grid ? (float)ooze_axis_step_below(view->size / 3.0) : 0.0f;
    double open_time = def->shutter / renderer->scene->def.frame_rate;
    OozeStatus status = ooze_renderer_find_hiding(renderer, frame, view, camera, error);
    ooze_ray_scene_clear(ray_scene);
    status = status ? status : add_bsdfs(renderer, frame, view, camera->position, error);
    if (!status && frame->particle_count > 0) {
        bool spheres = def->particles || def->preview;
        OozeFluidDrawing how = {.settings = &renderer->scene->def.surface,
                                .color_field = &color_field,
                                .solids = &renderer->meshes,
                                .threads = def->threads,
                                .open_time = open_time};
        status = spheres ? ooze_fluid_add_spheres(frame, &how, ray_scene, error)
                         : ooze_fluid_add_surface(frame, &how, ray_scene, error);
    }
    OozeSolidPlacing placing = {frame->material_count, grid_spacing, f3_of(camera->position),
                                open_time};
    status = status ? status
                    : ooze_solid_meshes_add_to_scene(&renderer->meshes, frame, &placing, ray_scene,
                                                     error);
    status = status ? status : add_ground(renderer, frame, view, grid_spacing, error);
    return status ? status : ooze_ray_scene_commit(ray_scene, (float)view->size, error);
}
