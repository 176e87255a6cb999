/* From a frame to a picture: bounds, ray scene, path tracing, legend. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "plot/axis.h"
#include "render/camera.h"
#include "render/denoise.h"
#include "render/film.h"
#include "render/fluid.h"
#include "render/frame_bounds.h"
#include "render/legend.h"
#include "render/preview.h"
#include "render/renderer.h"
#include "render/solid_meshes.h"
#include "scene/scene.h"
#include "solids/motion.h"
#include "solids/shape.h"
#include "world/frame.h"

#define FADE_FROM    1.6f /* distances between which planes fade out, in radii of the view */
#define FADE_TO      6.0f
#define CONTACT_GAP  1.2f /* spacings */
#define GROUND_GAP   2e-3 /* below the floor of a container, in radii of the view */
#define RADIANCE_MAX 12.0f
#define MEMORY_SHARE 0.5 /* of physical memory that a picture may take */

struct OozeRenderer {
    const OozeScene *scene;
    OozeRenderDef def;
    OozeThreads *threads;
    OozeRayScene *ray_scene;
    OozeSolidMeshes meshes;
    uint64_t frames;      /* number of surveyed frames */
    OozeBounds bounds;    /* of the particles of all of them, or of the followed material */
    OozeVec3 half_extent; /* the largest of the followed material in any of them */
    OozeVec3 focus;       /* its centre in the frame surveyed or rendered last */
    uint64_t most_particles;
    double spacing;
    double field_low, field_high; /* range of the colour field in all of them */
    char field_unit[16];
};

/* ---- creation -------------------------------------------------------------------------------- */

static uint64_t memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)(MEMORY_SHARE * (double)pages * (double)size)
                                 : (uint64_t)1 << 32;
}

static OozeStatus check_memory(const OozeRenderDef *def, OozeError *error)
{
    uint64_t bytes = ooze_film_bytes((uint64_t)def->size.x, (uint64_t)def->size.y);
    uint64_t limit = memory_limit();
    if (bytes > limit) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "choose a smaller size",
                         "a picture of %.0f x %.0f pixels needs %.1f GB of memory; %.1f GB may be "
                         "used on this machine",
                         def->size.x, def->size.y, (double)bytes * 1e-9, (double)limit * 1e-9);
    }
    return OOZE_OK;
}

OozeStatus ooze_renderer_create(const OozeScene *scene, const OozeRenderDef *def,
                                OozeRenderer **renderer, OozeError *error)
{
    OOZE_REQUIRE(scene, error);
    OOZE_REQUIRE(renderer, error);
    *renderer = NULL;
    if (scene->error_count > 0) {
        return ooze_fail(error, OOZE_ERROR_SCENE, "see its diagnostics", "the scene has %d error%s",
                         scene->error_count, scene->error_count == 1 ? "" : "s");
    }
    def = def ? def : &scene->def.render;
    OozeStatus status = ooze_render_def_check(def, error);
    status = status ? status : check_memory(def, error);
    if (status) {
        return status;
    }
    OozeRenderer *made = ooze_alloc_zero(1, sizeof *made);
    if (!made) {
        return ooze_fail_memory(error, "a renderer", sizeof *made);
    }
    made->scene = scene;
    made->def = *def;
    made->bounds = ooze_bounds_empty();
    made->field_low = INFINITY;
    made->field_high = -INFINITY;
    status = ooze_threads_create(def->threads, &made->threads, error);
    status = status ? status : ooze_ray_scene_create(&made->ray_scene, error);
    status = status ? status : ooze_solid_meshes_create(&made->meshes, scene, error);
    if (status) {
        ooze_renderer_free(made);
        return status;
    }
    *renderer = made;
    return OOZE_OK;
}

void ooze_renderer_free(OozeRenderer *renderer)
{
    if (renderer) {
        ooze_solid_meshes_free(&renderer->meshes);
        ooze_ray_scene_destroy(renderer->ray_scene);
        ooze_threads_destroy(renderer->threads);
        ooze_free(renderer);
    }
}

/* ---- survey ---------------------------------------------------------------------------------- */

/* Bounds of the particles that the camera shows: of the followed material, or of all. */
static OozeStatus shown_bounds(const OozeRenderer *renderer, const OozeFrame *frame,
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

static void focus_on(OozeRenderer *renderer, const OozeBounds *bounds)
{
    if (bounds->min.x <= bounds->max.x) {
        renderer->focus = vec3_scale(vec3_add(bounds->min, bounds->max), 0.5);
    }
}

static OozeStatus survey_bounds(OozeRenderer *renderer, const OozeFrame *frame, OozeError *error)
{
    OozeBounds bounds;
    OozeStatus status = shown_bounds(renderer, frame, &bounds, error);
    if (!status && bounds.min.x <= bounds.max.x) {
        OozeVec3 half = vec3_scale(vec3_sub(bounds.max, bounds.min), 0.5),
                 *most = &renderer->half_extent;
        *most = vec3(fmax(most->x, half.x), fmax(most->y, half.y), fmax(most->z, half.z));
        renderer->bounds = ooze_bounds_union(renderer->bounds, bounds);
        focus_on(renderer, &bounds);
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

/* What is in view: the box of the definition; or the followed material; or the particles of all
   frames, and solids that are not much larger. */
typedef struct View {
    OozeVec3 low, high, centre;
    double size; /* half the diagonal */
} View;

static void include(View *view, OozeVec3 p)
{
    double *low = &view->low.x, *high = &view->high.x;
    const double *at = &p.x;
    for (int k = 0; k < 3; k++) {
        low[k] = at[k] < low[k] ? at[k] : low[k];
        high[k] = at[k] > high[k] ? at[k] : high[k];
    }
}

static void finish_view(View *view)
{
    view->centre = vec3_scale(vec3_add(view->low, view->high), 0.5);
    view->size = 0.5 * vec3_length(vec3_sub(view->high, view->low));
}

static void include_solids(View *view, const OozeRenderer *renderer, bool any_size)
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

static View view_of(const OozeRenderer *renderer)
{
    const OozeRenderDef *def = &renderer->def;
    View view = {.low = renderer->bounds.min, .high = renderer->bounds.max};
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
    View view = view_of(renderer);
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
    return ooze_hash_bytes(hash, numbers, sizeof numbers);
}

/* ---- the ray scene --------------------------------------------------------------------------- */

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

/* BSDFs of the materials, then of the solids. */
static OozeStatus add_bsdfs(OozeRenderer *renderer, const OozeFrame *frame, OozeVec3 camera,
                            OozeError *error)
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
        }
        bsdf = spheres ? ooze_bsdf_opaque(&bsdf) : bsdf;
        status = ooze_ray_scene_add_bsdf(renderer->ray_scene, &bsdf, error);
    }
    for (int i = 0; i < def->solid_count && !status; i++) {
        const OozeSolidDef *solid = &def->solids[i];
        const float *color = solid_color(renderer, frame, i, camera);
        OozeBsdf bsdf = ooze_bsdf_make(&solid->look, solid->name, "matte", color, extent);
        bsdf = renderer->def.preview ? ooze_bsdf_opaque(&bsdf) : bsdf;
        status = ooze_ray_scene_add_bsdf(renderer->ray_scene, &bsdf, error);
    }
    return status;
}

/* Adds a plane below everything where no plane of the scene faces up. */
static OozeStatus add_ground(OozeRenderer *renderer, const OozeFrame *frame, const View *view,
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

static OozeStatus build_ray_scene(OozeRenderer *renderer, const OozeFrame *frame, const View *view,
                                  const OozeCamera *camera, OozeError *error)
{
    OozeRayScene *ray_scene = renderer->ray_scene;
    const OozeRenderDef *def = &renderer->def;
    OozeColorField color_field = ooze_renderer_color_field(renderer);
    bool has_grid = def->backdrop == OOZE_BACKDROP_GRID;
    float grid_spacing = has_grid ? (float)ooze_axis_step_below(view->size / 3.0) : 0.0f;
    ooze_ray_scene_clear(ray_scene);
    OozeStatus status = add_bsdfs(renderer, frame, camera->position, error);
    if (!status && frame->particle_count > 0) {
        bool spheres = def->particles || def->preview;
        OozeFluidSurface how = {.settings = &renderer->scene->def.surface,
                                .color_field = &color_field,
                                .solids = &renderer->meshes,
                                .threads = def->threads};
        status = spheres ? ooze_fluid_add_spheres(frame, &color_field, 0, ray_scene, error)
                         : ooze_fluid_add_surface(frame, &how, ray_scene, error);
    }
    OozeSolidPlacing placing = {frame->material_count, grid_spacing, f3_of(camera->position)};
    status = status ? status
                    : ooze_solid_meshes_add_to_scene(&renderer->meshes, frame, &placing, ray_scene,
                                                     error);
    status = status ? status : add_ground(renderer, frame, view, grid_spacing, error);
    return status ? status : ooze_ray_scene_commit(ray_scene, (float)view->size, error);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static OozeStatus expose(OozeRenderer *renderer, const OozeExposeJob *job, unsigned char *pixels,
                         OozeError *error)
{
    const OozeRenderDef *def = &renderer->def;
    OozeFilm film;
    OozeStatus status = ooze_film_create(&film, (uint32_t)def->size.x, (uint32_t)def->size.y,
                                         memory_limit(), error);
    status = status ? status : ooze_film_expose(&film, job, renderer->threads, error);
    if (!status && def->denoise && !def->preview) {
        status = ooze_denoise(&film, renderer->threads, error);
    }
    if (!status) {
        ooze_film_develop(&film, def->exposure, pixels);
    }
    ooze_film_free(&film);
    return status;
}

OozeStatus ooze_render_frame(OozeRenderer *renderer, const OozeFrame *frame,
                             OozeRenderProgress progress, void *user, unsigned char *pixels,
                             OozeError *error)
{
    OOZE_REQUIRE(renderer, error);
    OOZE_REQUIRE(frame, error);
    OOZE_REQUIRE(pixels, error);
    const OozeRenderDef *def = &renderer->def;
    OozeStatus status = ooze_frame_check_arrays(frame, error);
    status = status ? status : ooze_fluid_check(frame, error);
    if (!status && renderer->frames == 0) {
        status = ooze_renderer_survey(renderer, frame, error);
    }
    if (!status && def->follow) {
        OozeBounds bounds;
        status = shown_bounds(renderer, frame, &bounds, error);
        focus_on(renderer, &bounds);
    }
    View view = view_of(renderer);
    OozeCamera camera = ooze_renderer_camera(renderer);
    status = status ? status : build_ray_scene(renderer, frame, &view, &camera, error);
    if (status) {
        return status;
    }
    OozeVec3 up = vec3_axis(frame->up);
    OozeVec3 horizontal = vec3_madd(camera.forward, -vec3_dot(camera.forward, up), up);
    OozeLightPlace place = {f3_of(view.centre), f3_of(up), f3_of(vec3_unit(horizontal, camera.up)),
                            (float)view.size};
    OozeLights lights;
    ooze_lights_make(&lights, def, &place);
    OozeTracer tracer = {.scene = renderer->ray_scene,
                         .lights = &lights,
                         .centre = place.centre,
                         .fade_from = FADE_FROM * place.size,
                         .fade_to = FADE_TO * place.size,
                         .contact_gap = CONTACT_GAP * (float)frame->spacing,
                         .radiance_max = RADIANCE_MAX};
    const uint32_t preview_samples = 2;
    OozeExposeJob job = {.tracer = &tracer,
                         .camera = &camera,
                         .shade = def->preview ? ooze_preview : ooze_trace,
                         .samples = def->preview ? preview_samples : (uint32_t)def->samples,
                         .seed = def->seed,
                         .progress = progress,
                         .user = user};
    status = expose(renderer, &job, pixels, error);
    if (!status && def->color_by) {
        OozeColorField color_field = ooze_renderer_color_field(renderer);
        OozeLegend legend = {color_field.name, renderer->field_unit, color_field.low,
                             color_field.high};
        status = ooze_legend_draw(&legend, pixels, (int)def->size.x, (int)def->size.y, error);
    }
    return status;
}
