/* From a frame to a picture: bounds, ray scene, path tracing, legend. */
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "render/denoise.h"
#include "render/film.h"
#include "render/legend.h"
#include "render/photon_map.h"
#include "render/preview.h"
#include "render/renderer_state.h"
#include "scene/scene.h"
#include "world/frame.h"

#define FADE_FROM        1.6f /* distances between which planes fade out, in radii of the view */
#define FADE_TO          6.0f
#define CONTACT_GAP      1.2f /* spacings */
#define PICTURE_SAMPLES  64   /* where none are given */
#define PHOTONS_PER_PATH 0.1
#define MANY_SAMPLES     32 /* from which on photons are those of PICTURE_SAMPLES */
#define PHOTONS_MIN      1e5
#define PHOTONS_MAX      3e6
#define MEMORY_SHARE     0.5 /* of physical memory that a picture may take */

/* ---- creation -------------------------------------------------------------------------------- */

static uint64_t memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)(MEMORY_SHARE * (double)pages * (double)size)
                                 : (uint64_t)1 << 32;
}

/* Photons cost a fraction of the paths of the picture, up to a number of samples that most pictures
   of a given time exceed: those are the same whether a time or a number ends them. */
static uint64_t photon_count(const OozeRenderDef *def)
{
    if (!def->caustics || def->preview) {
        return 0;
    }
    bool many = def->time_limit > 0.0 || def->samples >= MANY_SAMPLES;
    double samples = many ? PICTURE_SAMPLES : def->samples;
    double count = def->size.x * def->size.y * samples * PHOTONS_PER_PATH;
    return (uint64_t)fmin(fmax(count, PHOTONS_MIN), PHOTONS_MAX);
}

static OozeStatus check_memory(const OozeRenderDef *def, OozeError *error)
{
    uint64_t photons = photon_count(def);
    uint64_t bytes = ooze_film_bytes((uint64_t)def->size.x, (uint64_t)def->size.y);
    bytes += photons > 0 ? ooze_photon_map_bytes(photons) : 0;
    uint64_t limit = memory_limit();
    if (bytes > limit) {
        return ooze_fail(error, OOZE_ERROR_LIMIT,
                         photons > 0 ? "choose a smaller size, or `caustics: false`"
                                     : "choose a smaller size",
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
    OozeRenderDef given = def ? *def : scene->def.render;
    OozeStatus status = ooze_render_def_check(&given, error);
    given.samples = given.samples > 0 ? given.samples : PICTURE_SAMPLES;
    status = status ? status : check_memory(&given, error);
    if (status) {
        return status;
    }
    OozeRenderer *made = ooze_alloc_zero(1, sizeof *made);
    if (!made) {
        return ooze_fail_memory(error, "a renderer", sizeof *made);
    }
    made->scene = scene;
    made->def = given;
    made->bounds = ooze_bounds_empty();
    made->field_low = INFINITY;
    made->field_high = -INFINITY;
    status = ooze_threads_create(given.threads, &made->threads, error);
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
        ooze_free(renderer->points);
        ooze_ray_scene_destroy(renderer->ray_scene);
        ooze_threads_destroy(renderer->threads);
        ooze_free(renderer);
    }
}

/* ---- the picture ----------------------------------------------------------------------------- */

static OozeStatus expose(OozeRenderer *renderer, const OozeExposeJob *job, unsigned char *pixels,
                         OozeError *error)
{
    const OozeRenderDef *def = &renderer->def;
    OozeFilm film;
    OozeStatus status = ooze_film_create(&film, (uint32_t)def->size.x, (uint32_t)def->size.y,
                                         memory_limit(), error);
    status = status
                 ? status
                 : ooze_film_expose(&film, job, renderer->threads, &renderer->mean_samples, error);
    if (!status && def->denoise && !def->preview) {
        status = ooze_denoise(&film, renderer->threads, error);
    }
    if (!status) {
        ooze_film_develop(&film, def->exposure, pixels);
    }
    ooze_film_free(&film);
    return status;
}

/* Exposes with the caustics of the scene, where they are wanted and there are any. */
static OozeStatus expose_with_photons(OozeRenderer *renderer, OozeTracer *tracer,
                                      const OozeExposeJob *job, unsigned char *pixels,
                                      OozeError *error)
{
    const OozeRenderDef *def = &renderer->def;
    OozePhotonMap photons = {.sharp = {.count = 0}};
    OozeStatus status = OOZE_OK;
    const uint64_t emitted = photon_count(def);
    if (emitted > 0) {
        OozePhotonJob photon_job = {tracer, emitted, def->seed, renderer->threads};
        status = ooze_photon_map_create(&photons, &photon_job, error);
        bool any = photons.sharp.count + photons.soft.count > 0;
        tracer->photons = any ? &photons : NULL;
    }
    status = status ? status : expose(renderer, job, pixels, error);
    ooze_photon_map_free(&photons);
    return status;
}

static void make_lights(OozeRenderer *renderer, const OozeLightPlace *place, OozeLights *lights)
{
    const OozeRenderDef *def = &renderer->def;
    bool has_environment = def->environment != OOZE_ENVIRONMENT_BACKDROP && !def->preview;
    if (has_environment) {
        ooze_environment_make(&renderer->environment, def, place->up, place->forward);
    }
    ooze_lights_make(lights, def, place, has_environment ? &renderer->environment : NULL);
}

static OozeLightPlace light_place(const OozeFrame *frame, const OozeView *view,
                                  const OozeCamera *camera)
{
    OozeVec3 up = vec3_axis(frame->up);
    OozeVec3 horizontal = vec3_madd(camera->forward, -vec3_dot(camera->forward, up), up);
    return (OozeLightPlace){f3_of(view->centre), f3_of(up),
                            f3_of(vec3_unit(horizontal, camera->up)), (float)view->size};
}

/* Surveys the frame where none was, and moves what follows it. */
static OozeStatus prepare(OozeRenderer *renderer, const OozeFrame *frame, OozeError *error)
{
    OozeStatus status = ooze_frame_check_arrays(frame, error);
    status = status ? status : ooze_fluid_check(frame, error);
    if (!status && renderer->frames == 0) {
        status = ooze_renderer_survey(renderer, frame, error);
    }
    if (!status && renderer->def.follow) {
        OozeBounds bounds;
        status = ooze_renderer_shown_bounds(renderer, frame, &bounds, error);
        ooze_renderer_follow(renderer, &bounds);
    }
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
    double start = ooze_clock();
    OozeStatus status = prepare(renderer, frame, error);
    if (status) {
        return status;
    }
    OozeView view = ooze_renderer_view(renderer);
    OozeCamera camera = ooze_renderer_camera(renderer);
    camera.shutter = def->shutter > 0.0;
    status = ooze_renderer_focus(renderer, frame, &view, &camera, error);
    status = status ? status : ooze_renderer_build_scene(renderer, frame, &view, &camera, error);
    if (status) {
        return status;
    }
    OozeLightPlace place = light_place(frame, &view, &camera);
    OozeLights lights;
    make_lights(renderer, &place, &lights);
    OozeTracer tracer = {.scene = renderer->ray_scene,
                         .lights = &lights,
                         .centre = place.centre,
                         .fade_from = FADE_FROM * place.size,
                         .fade_to = FADE_TO * place.size,
                         .contact_gap = CONTACT_GAP * (float)frame->spacing,
                         .radiance_max = (float)def->firefly_limit};
    const uint32_t preview_samples = 2;
    OozeExposeJob job = {.tracer = &tracer,
                         .camera = &camera,
                         .shade = def->preview ? ooze_preview : ooze_trace,
                         .samples = def->preview ? preview_samples : (uint32_t)def->samples,
                         .deadline =
                             def->time_limit > 0.0 && !def->preview ? start + def->time_limit : 0.0,
                         .seed = def->seed,
                         .progress = progress,
                         .user = user};
    status = expose_with_photons(renderer, &tracer, &job, pixels, error);
    if (!status && def->color_by) {
        OozeColorField color_field = ooze_renderer_color_field(renderer);
        OozeLegend legend = {color_field.name, renderer->field_unit, color_field.low,
                             color_field.high};
        status = ooze_legend_draw(&legend, pixels, (int)def->size.x, (int)def->size.y, error);
    }
    return status;
}

double ooze_renderer_mean_samples(const OozeRenderer *renderer)
{
    return renderer ? renderer->mean_samples : 0.0;
}
