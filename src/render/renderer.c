/* From a frame to a picture, stage by stage. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "render/camera.h"
#include "render/colour_map.h"
#include "render/denoise.h"
#include "render/film.h"
#include "render/fluid.h"
#include "render/preview.h"
#include "render/props.h"
#include "render/renderer.h"
#include "scene/scene.h"

#define FADE_FROM    1.6f /* planes end softly, in sizes of the scene */
#define FADE_TO      6.0f
#define WET          1.2f /* spacings */
#define BRIGHTEST    12.0f
#define MEMORY_SHARE 0.5 /* of the machine's that a picture may take */

struct OozeRenderer {
    const OozeScene *scene;
    OozeRenderDef def;
    OozeThreads *threads;
    OozeStage *stage;
    OozeProps props;
    uint64_t frames;    /* surveyed */
    OozeVec3 low, high; /* of all particles of these */
    uint64_t most_particles;
    double spacing;
    double tint_low, tint_high; /* found in them */
    char tint_unit[16];
};

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)(MEMORY_SHARE * (double)pages * (double)size)
                                 : (uint64_t)1 << 32;
}

static OozeStatus check_def(const OozeRenderDef *def, OozeError *error)
{
    if (!(def->size.x >= 1.0 && def->size.y >= 1.0 && def->size.x <= OOZE_PICTURE_SIDE_MAX &&
          def->size.y <= OOZE_PICTURE_SIDE_MAX)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "such as 960 by 540",
                         "a picture cannot have %g x %g pixels; each side is 1 to %d", def->size.x,
                         def->size.y, OOZE_PICTURE_SIDE_MAX);
    }
    if (def->samples < 1 || def->samples > OOZE_PICTURE_SAMPLES_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "64 are usual",
                         "a pixel cannot have %d samples; 1 to %d are allowed", def->samples,
                         OOZE_PICTURE_SAMPLES_MAX);
    }
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
    OozeStatus status = check_def(def, error);
    if (status) {
        return status;
    }
    OozeRenderer *made = ooze_alloc_zero(1, sizeof *made);
    if (!made) {
        return ooze_fail_memory(error, "a renderer", sizeof *made);
    }
    made->scene = scene;
    made->def = *def;
    made->low = vec3(INFINITY, INFINITY, INFINITY);
    made->high = vec3(-INFINITY, -INFINITY, -INFINITY);
    made->tint_low = INFINITY;
    made->tint_high = -INFINITY;
    status = ooze_threads_create(def->threads, &made->threads, error);
    status = status ? status : ooze_stage_create(&made->stage, error);
    status = status ? status : ooze_props_create(&made->props, scene, error);
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
        ooze_props_free(&renderer->props);
        ooze_stage_destroy(renderer->stage);
        ooze_threads_destroy(renderer->threads);
        ooze_free(renderer);
    }
}

/* ---- survey ---------------------------------------------------------------------------------- */

OozeStatus ooze_renderer_survey(OozeRenderer *renderer, const OozeFrame *frame, OozeError *error)
{
    OOZE_REQUIRE(renderer, error);
    OOZE_REQUIRE(frame, error);
    OozeStatus status = ooze_fluid_check(frame, error);
    const char *tint = renderer->def.color_by;
    status = !status && tint ? ooze_tint_check(frame, tint, error) : status;
    if (status) {
        return status;
    }
    const OozeFieldView *position = ooze_frame_field(frame, "position");
    const OozeFieldView *field = tint ? ooze_tint_field(frame, tint) : NULL;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = vec3(ooze_field_value(position, i, 0), ooze_field_value(position, i, 1),
                          ooze_field_value(position, i, 2));
        OozeVec3 *low = &renderer->low, *high = &renderer->high;
        *low = vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = vec3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
        double value = field ? ooze_tint_value(field, i) : NAN;
        if (isfinite(value)) {
            renderer->tint_low = fmin(renderer->tint_low, value);
            renderer->tint_high = fmax(renderer->tint_high, value);
        }
    }
    if (field) {
        snprintf(renderer->tint_unit, sizeof renderer->tint_unit, "%s", field->unit);
    }
    ooze_props_survey(&renderer->props, frame);
    renderer->most_particles = frame->particle_count > renderer->most_particles
                                   ? frame->particle_count
                                   : renderer->most_particles;
    renderer->spacing = frame->spacing;
    renderer->frames++;
    return OOZE_OK;
}

/* What is to be in view: all particles ever, and solids that are not much larger than these. */
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

static void include_props(View *view, const OozeRenderer *renderer, bool any_size)
{
    double most = any_size ? INFINITY : 4.0 * view->size;
    for (int i = 0; i < renderer->props.count; i++) {
        const OozeProp *prop = &renderer->props.props[i];
        bool known = prop->least.x <= prop->most.x;
        if (known && 0.5 * vec3_length(vec3_sub(prop->most, prop->least)) <= most) {
            include(view, prop->least);
            include(view, prop->most);
        }
    }
}

static View view_of(const OozeRenderer *renderer)
{
    View view = {.low = renderer->low, .high = renderer->high};
    bool empty = !(renderer->low.x <= renderer->high.x);
    if (!empty) {
        double r = renderer->spacing * OOZE_PARTICLE_RADIUS;
        view.low = vec3_sub(view.low, vec3(r, r, r));
        view.high = vec3_add(view.high, vec3(r, r, r));
        finish_view(&view);
    }
    include_props(&view, renderer, empty);
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

OozeTint ooze_renderer_tint(const OozeRenderer *renderer)
{
    const OozeRenderDef *def = &renderer->def;
    OozeTint tint = {def->color_by, def->color_low, def->color_high};
    /* A range that begins near nothing begins at nothing. */
    double least = renderer->tint_low, most = renderer->tint_high;
    least = least > 0.0 && least < 0.05 * most ? 0.0 : least;
    tint.low = isnan(tint.low) ? least : tint.low;
    tint.high = isnan(tint.high) ? renderer->tint_high : tint.high;
    if (!(tint.low <= tint.high)) { /* nothing surveyed */
        tint.low = 0.0;
        tint.high = 1.0;
    }
    return tint;
}

uint64_t ooze_renderer_hash(const OozeRenderer *renderer)
{
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
                              renderer->low.x,
                              renderer->low.y,
                              renderer->low.z,
                              renderer->high.x,
                              renderer->high.y,
                              renderer->high.z,
                              (double)renderer->most_particles,
                              renderer->tint_low,
                              renderer->tint_high};
    uint64_t hash = ooze_hash_text(OOZE_HASH_START, ooze_version().text);
    hash = ooze_hash_text(hash, ooze_scene_canonical(renderer->scene));
    hash = ooze_hash_text(hash, def->color_by ? def->color_by : "");
    return ooze_hash_bytes(hash, numbers, sizeof numbers);
}

/* ---- the stage ------------------------------------------------------------------------------- */

static OozeStatus add_skins(OozeRenderer *renderer, const OozeFrame *frame, OozeError *error)
{
    const OozeSceneDef *def = &renderer->scene->def;
    double extent = cbrt((double)(renderer->most_particles + 1)) * frame->spacing;
    bool spheres = renderer->def.particles || renderer->def.preview;
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < frame->material_count && !status; i++) {
        OozeLookDef look = ooze_look_def_default();
        const char *name = frame->materials[i].name;
        for (int k = 0; k < def->material_count; k++) {
            look = strcmp(def->materials[k].name, name) == 0 ? def->materials[k].look : look;
        }
        OozeSkin skin = ooze_skin_make(&look, name, "glossy", frame->materials[i].color, extent);
        if (renderer->def.color_by) {
            look.type = 0;
            skin = ooze_skin_make(&look, "", "glossy", frame->materials[i].color, extent);
            skin.vertex_color = true;
        }
        skin = spheres ? ooze_skin_opaque(&skin) : skin;
        status = ooze_stage_add_skin(renderer->stage, &skin, error);
    }
    for (int i = 0; i < def->solid_count && !status; i++) {
        const OozeSolidDef *solid = &def->solids[i];
        OozeSkin skin = ooze_skin_make(&solid->look, solid->name, "matte", solid->color, extent);
        skin = renderer->def.preview ? ooze_skin_opaque(&skin) : skin;
        status = ooze_stage_add_skin(renderer->stage, &skin, error);
    }
    return status;
}

/* Where no plane of the scene carries the things, one stands below them all. */
static OozeStatus add_ground(OozeRenderer *renderer, const OozeFrame *frame, const View *view,
                             float line, OozeError *error)
{
    OozeVec3 up = vec3_axis(frame->up);
    for (int i = 0; i < renderer->props.count; i++) {
        const OozeProp *prop = &renderer->props.props[i];
        OozePose pose = ooze_prop_pose(prop, i, frame);
        if (prop->is_plane && vec3_dot(quat_rotate(pose.rotation, prop->normal), up) > 0.5) {
            return OOZE_OK;
        }
    }
    OozeLookDef look = ooze_look_def_default();
    const float color[3] = {0.62f, 0.61f, 0.60f};
    OozeSkin skin = ooze_skin_make(&look, "", "matte", color, 1.0);
    OozePlane plane = {.point = f3_of(view->low),
                       .normal = f3_of(up),
                       .skin = frame->material_count + renderer->props.count,
                       .line = line};
    OozeStatus status = ooze_stage_add_skin(renderer->stage, &skin, error);
    return status ? status : ooze_stage_add_plane(renderer->stage, &plane, error);
}

/* 1, 2 or 5 times a power of ten, about a sixth of the size. */
static float grid_line(double size)
{
    double wanted = size / 3.0, ten = pow(10.0, floor(log10(wanted))), rest = wanted / ten;
    return (float)(ten * (rest < 2.0 ? 1.0 : rest < 5.0 ? 2.0 : 5.0));
}

static OozeStatus set_stage(OozeRenderer *renderer, const OozeFrame *frame, const View *view,
                            OozeError *error)
{
    OozeStage *stage = renderer->stage;
    const OozeRenderDef *def = &renderer->def;
    OozeTint tint = ooze_renderer_tint(renderer);
    float line = def->backdrop == OOZE_BACKDROP_GRID ? grid_line(view->size) : 0.0f;
    ooze_stage_clear(stage);
    OozeStatus status = add_skins(renderer, frame, error);
    if (!status && frame->particle_count > 0) {
        bool spheres = def->particles || def->preview;
        status = spheres ? ooze_fluid_place_spheres(frame, &tint, 0, stage, error)
                         : ooze_fluid_place_surface(frame, &renderer->scene->def.surface, &tint,
                                                    def->threads, 0, stage, error);
    }
    status = status ? status
                    : ooze_props_place(&renderer->props, frame, frame->material_count, line, stage,
                                       error);
    status = status ? status : add_ground(renderer, frame, view, line, error);
    return status ? status : ooze_stage_finish(stage, (float)view->size, error);
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
    OozeStatus status = ooze_fluid_check(frame, error);
    if (!status && renderer->frames == 0) {
        status = ooze_renderer_survey(renderer, frame, error);
    }
    View view = view_of(renderer);
    status = status ? status : set_stage(renderer, frame, &view, error);
    if (status) {
        return status;
    }
    OozeCamera camera = ooze_renderer_camera(renderer);
    OozeVec3 up = vec3_axis(frame->up);
    OozeVec3 level = vec3_madd(camera.forward, -vec3_dot(camera.forward, up), up);
    OozeLightPlace place = {f3_of(view.centre), f3_of(up), f3_of(vec3_unit(level, camera.up)),
                            (float)view.size};
    OozeLights lights;
    ooze_lights_make(&lights, def, &place);
    OozeTracer tracer = {.stage = renderer->stage,
                         .lights = &lights,
                         .centre = place.centre,
                         .fade_from = FADE_FROM * place.size,
                         .fade_to = FADE_TO * place.size,
                         .wet = WET * (float)frame->spacing,
                         .brightest = BRIGHTEST};
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
        OozeTint tint = ooze_renderer_tint(renderer);
        ooze_draw_legend(pixels, (uint32_t)def->size.x, (uint32_t)def->size.y, tint.field,
                         renderer->tint_unit, tint.low, tint.high);
    }
    return status;
}
