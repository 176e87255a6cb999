#include "render/path.h"
#include "render/photon_map.h"

enum { DEPTH_MAX = 48, DEPTH_ROULETTE = 4 };
/* One of so many soft photons is asked, by paths from the camera and by others. */
enum { SOFT_STRIDE = 8, SOFT_STRIDE_BEHIND = 32 };
/* Numbers of pairs between the random numbers of a path and those of a branch. */
enum { BRANCH_PAIRS = 1 << 16 };

/* ---- surfaces -------------------------------------------------------------------------------- */

static OozeF3 leaving_value(const void *context, OozeF3 direction, float light_pdf)
{
    const OozeHit *hit = context;
    float cosine = f3_dot(direction, hit->normal);
    if (cosine <= 0.0f || f3_dot(direction, hit->geometric_normal) <= 0.0f) {
        return f3_all(0.0f);
    }
    float pdf = cosine / OOZE_PI_F;
    return f3_all(pdf * ooze_power_heuristic(light_pdf, pdf));
}

/* Light leaves a translucent medium diffusely. */
static bool leave_translucent(OozeTrace *trace, OozePath *path, OozeHit *hit)
{
    if (f3_dot(hit->normal, hit->geometric_normal) <= 0.0f) {
        hit->normal = hit->geometric_normal;
    }
    OozeShadingFrame frame = {.n = hit->normal};
    f3_frame(frame.n, &frame.s, &frame.t);
    OozeF3 point = ooze_path_offset_point(trace, hit, 1.0f);
    const OozeResponse response = {leaving_value, hit};
    path->scattered = true;
    ooze_path_add_direct_light(trace, path, point, OOZE_SHADOW_PLAIN, &response);
    OozeF3 out = ooze_sample_cosine(ooze_sampler_pair(trace->sampler));
    path->ray.direction = ooze_frame_world(&frame, out);
    path->pdf = out.z / OOZE_PI_F;
    path->ray.origin = path->scatter_point = point;
    path->medium = -1;
    path->gathered = false;
    return true;
}

/* A point of a surface that scatters a path. */
typedef struct Scattering {
    const OozeHit *hit;
    OozeShadingFrame frame;
    OozeF3 view;  /* local */
    OozeF3 point; /* moved off the surface */
    float side;   /* 1: hit from outside, -1: from inside */
    bool splits;  /* coat and base continue the path each */
} Scattering;

/* Adds the light that photons bring; it arrives from their mean direction. */
static void add_photons(OozeTrace *trace, const OozePath *path, const Scattering *at)
{
    const OozeHit *hit = at->hit;
    OozePhotonShare share = {path->from_camera ? SOFT_STRIDE : SOFT_STRIDE_BEHIND, 0};
    share.first = (uint32_t)(ooze_sampler_pair(trace->sampler).u * (float)share.stride);
    OozeF3 normal = f3_scale(hit->geometric_normal, at->side), towards;
    OozeF3 irradiance =
        ooze_photon_map_irradiance(trace->tracer->photons, hit->point, normal, share, &towards);
    OozeF3 light_local = ooze_frame_local(&at->frame, towards);
    if (f3_max(irradiance) > 0.0f && light_local.z > 0.0f) {
        float pdf;
        OozeF3 value =
            ooze_bsdf_evaluate(hit->bsdf, OOZE_LOBE_ALL, hit->color, at->view, light_local, &pdf);
        OozeF3 light = f3_mul(f3_mul(irradiance, value), path->throughput);
        ooze_path_add_radiance(trace, path, f3_scale(light, 1.0f / maxf(light_local.z, 0.05f)));
    }
}

static OozeF3 surface_value(const void *context, OozeF3 direction, float light_pdf)
{
    const Scattering *at = context;
    const OozeHit *hit = at->hit;
    OozeF3 light = ooze_frame_local(&at->frame, direction), sum = f3_all(0.0f);
    if (at->side * f3_dot(direction, hit->geometric_normal) <= 0.0f) {
        return sum;
    }
    OozeLobe first = at->splits ? OOZE_LOBE_COAT : OOZE_LOBE_ALL,
             last = at->splits ? OOZE_LOBE_BASE : OOZE_LOBE_ALL;
    for (OozeLobe lobe = first; lobe <= last; lobe++) {
        float pdf;
        OozeF3 value = ooze_bsdf_evaluate(hit->bsdf, lobe, hit->color, at->view, light, &pdf);
        sum = f3_madd(sum, ooze_power_heuristic(light_pdf, pdf), value);
    }
    return sum;
}

/* Continues a path in a direction that a lobe scatters to; false where it ends. */
static bool continue_from(OozeTrace *trace, OozePath *path, const Scattering *at, OozeLobe lobe)
{
    const OozeHit *hit = at->hit;
    OozePair random = ooze_sampler_pair(trace->sampler), choice = ooze_sampler_pair(trace->sampler);
    OozeBsdfSample sample = ooze_bsdf_sample(hit->bsdf, lobe, hit->color, at->view, random, choice);
    path->throughput = f3_mul(path->throughput, sample.weight);
    path->ray.direction = ooze_frame_world(&at->frame, sample.direction);
    path->pdf = sample.pdf;
    path->from_camera = path->leads = false;
    float out = at->side * f3_dot(path->ray.direction, hit->geometric_normal);
    if (sample.enters) {
        path->gathered = false;
        path->medium = hit->bsdf_index;
        path->ray.origin = ooze_path_offset_point(trace, hit, -at->side);
        path->scattered = true;
        return out < 0.0f && f3_max(path->throughput) > 0.0f;
    }
    path->ray.origin = path->scatter_point = at->point;
    path->scattered = path->scattered || sample.pdf > 0.0f;
    path->gathered = trace->tracer->photons && sample.pdf > 0.0f;
    path->touched_clear = false;
    return out > 0.0f && f3_max(path->throughput) > 0.0f;
}

/* Opaque and metal surfaces, and translucent ones from outside. */
static bool scatter_at_surface(OozeTrace *trace, OozePath *path, const OozeHit *hit)
{
    Scattering at = {.hit = hit,
                     .frame = ooze_shading_frame(hit, path->ray.direction),
                     .side = hit->front ? 1.0f : -1.0f,
                     .splits = path->leads && ooze_bsdf_has_lobes(hit->bsdf)};
    at.view = ooze_frame_local(&at.frame, f3_scale(path->ray.direction, -1.0f));
    at.view.z = maxf(at.view.z, 1e-4f);
    at.point = ooze_path_offset_point(trace, hit, at.side);
    ooze_path_record_features(trace, f3_mul(path->throughput, hit->color), at.frame.n,
                              hit->distance);
    unsigned shadow = OOZE_SHADOW_PLAIN;
    if (trace->tracer->photons) {
        add_photons(trace, path, &at);
        shadow = OOZE_SHADOW_CLEAR;
    }
    const OozeResponse response = {surface_value, &at};
    ooze_path_add_direct_light(trace, path, at.point, shadow, &response);
    if (!at.splits) {
        return continue_from(trace, path, &at, OOZE_LOBE_ALL);
    }
    OozePath coat = *path;
    bool continues = continue_from(trace, path, &at, OOZE_LOBE_BASE);
    if (continue_from(trace, &coat, &at, OOZE_LOBE_COAT)) {
        ooze_path_trace_branch(trace, coat);
    }
    return continues;
}

/* ---- paths ----------------------------------------------------------------------------------- */

float ooze_plane_fade(const OozeTracer *tracer, const OozeHit *hit)
{
    if (!hit->is_plane || !(tracer->fade_to > 0.0f)) {
        return 0.0f;
    }
    float distance = f3_length(f3_sub(hit->point, tracer->centre));
    return smoothstepf(tracer->fade_from, tracer->fade_to, distance);
}

/* Whether photons bring the light at the end of this path. */
static bool is_for_photons(const OozePath *path)
{
    return path->gathered && path->touched_clear;
}

static void add_backdrop(OozeTrace *trace, const OozePath *path, float weight)
{
    const OozeLights *lights = trace->tracer->lights;
    if (lights->environment && is_for_photons(path)) {
        return;
    }
    OozeF3 light = ooze_lights_backdrop(lights, path->ray.direction, path->from_camera);
    if (path->pdf > 0.0f && lights->environment) {
        weight *= ooze_power_heuristic(path->pdf,
                                       ooze_lights_environment_pdf(lights, path->ray.direction));
    }
    ooze_path_add_radiance(trace, path, f3_scale(f3_mul(light, path->throughput), weight));
}

/* Whether the path ends at a light within `far`. Area lights are invisible to the camera. */
static bool add_light_hit(OozeTrace *trace, const OozePath *path, float far)
{
    OozeF3 from = path->pdf > 0.0f ? path->scatter_point : path->ray.origin;
    OozeLightSample light;
    float before = f3_length(f3_sub(path->ray.origin, from)); /* crossed straight so far */
    if (path->from_camera ||
        !ooze_lights_hit(trace->tracer->lights, from, path->ray.direction, before + far, &light)) {
        return false;
    }
    if (is_for_photons(path)) {
        return true;
    }
    float weight = path->pdf > 0.0f ? ooze_power_heuristic(path->pdf, light.pdf) : 1.0f;
    ooze_path_add_radiance(trace, path, f3_scale(f3_mul(light.radiance, path->throughput), weight));
    return true;
}

/* Russian roulette: paths of small throughput continue with a probability and are scaled by its
   inverse. */
static bool survives_roulette(OozeTrace *trace, OozePath *path)
{
    float largest = f3_max(path->throughput);
    if (++path->depth < DEPTH_ROULETTE || largest >= 1.0f) {
        return path->depth < DEPTH_MAX && largest > 0.0f;
    }
    float probability = minf(largest, 0.95f);
    if (path->depth >= DEPTH_MAX || ooze_sampler_pair(trace->sampler).u >= probability) {
        return false;
    }
    path->throughput = f3_scale(path->throughput, 1.0f / probability);
    return true;
}

/* Adds the light behind the wall of a container, which is sampled through it. */
static void add_light_behind_wall(OozeTrace *trace, const OozePath *path, const OozeHit *hit)
{
    const OozeLights *lights = trace->tracer->lights;
    OozeF3 from = path->scatter_point, direction = path->ray.direction;
    OozeLightSample light;
    if (is_for_photons(path)) {
        return;
    }
    unsigned shadow = path->gathered ? OOZE_SHADOW_CLEAR : OOZE_SHADOW_PLAIN;
    if (!ooze_lights_hit(lights, from, direction, INFINITY, &light)) {
        if (!lights->environment) {
            return;
        }
        light = (OozeLightSample){direction, ooze_lights_backdrop(lights, direction, false),
                                  INFINITY, ooze_lights_environment_pdf(lights, direction), true};
        shadow |= OOZE_SHADOW_FADES;
    }
    float distance = light.distance - f3_length(f3_sub(hit->point, from));
    const OozeRay ray = {hit->point, direction, path->ray.time};
    OozeF3 transmitted = ooze_trace_transmittance(trace->tracer, &ray, distance, shadow);
    OozeF3 incoming = f3_mul(f3_mul(light.radiance, path->throughput), transmitted);
    ooze_path_add_radiance(trace, path,
                           f3_scale(incoming, ooze_power_heuristic(path->pdf, light.pdf)));
}

static bool scatter(OozeTrace *trace, OozePath *path, OozeHit *hit)
{
    const OozeBsdf *bsdf = hit->bsdf;
    if (bsdf->kind == OOZE_LOOK_CLEAR) {
        return ooze_path_cross_clear(trace, path, hit);
    }
    if (bsdf->kind == OOZE_LOOK_TRANSLUCENT && !hit->front && path->medium == hit->bsdf_index) {
        return leave_translucent(trace, path, hit);
    }
    if (!trace->is_photon && f3_max(hit->emission) > 0.0f) {
        ooze_path_add_radiance(trace, path, f3_mul(hit->emission, path->throughput));
    }
    return scatter_at_surface(trace, path, hit);
}

/* Follows the path to its end. */
static void follow(OozeTrace *trace, OozePath path)
{
    const OozeTracer *tracer = trace->tracer;
    do {
        OozeHit hit;
        bool any = ooze_ray_scene_intersect(tracer->scene, &path.ray, 0.0f, INFINITY, &hit);
        /* A path that hits a clear surface from behind has been in that medium since its start. */
        if (any && !hit.front && hit.bsdf->kind == OOZE_LOOK_CLEAR && !hit.is_wall &&
            path.medium < 0) {
            path.medium = hit.bsdf_index;
        }
        if (any && path.medium >= 0 && ooze_path_traverse_medium(trace, &path, hit.distance)) {
            continue;
        }
        if (add_light_hit(trace, &path, any ? hit.distance : INFINITY)) {
            ooze_path_record_features(trace, path.throughput, f3_scale(path.ray.direction, -1.0f),
                                      0.0f);
            return;
        }
        if (any && hit.is_wall && hit.bsdf->kind != OOZE_LOOK_CLEAR && path.pdf > 0.0f) {
            add_light_behind_wall(trace, &path, &hit);
        }
        float fade = any ? ooze_plane_fade(tracer, &hit) : 1.0f;
        if (fade > 0.0f) {
            add_backdrop(trace, &path, fade);
        }
        if (fade >= 1.0f) {
            ooze_path_record_features(trace, path.throughput, f3_scale(path.ray.direction, -1.0f),
                                      0.0f);
            return;
        }
        path.throughput = f3_scale(path.throughput, 1.0f - fade);
        if (!scatter(trace, &path, &hit)) {
            return;
        }
    } while (survives_roulette(trace, &path));
}

void ooze_path_trace_branch(OozeTrace *trace, OozePath branch)
{
    OozeFeatures *features = trace->features;
    OozeSampler *sampler = trace->sampler, own = *sampler;
    own.pair += BRANCH_PAIRS;
    trace->features = NULL;
    trace->sampler = &own;
    branch.leads = false;
    branch.depth = branch.depth < DEPTH_ROULETTE - 1 ? DEPTH_ROULETTE - 1 : branch.depth;
    follow(trace, branch);
    trace->features = features;
    trace->sampler = sampler;
}

OozeF3 ooze_trace(const OozeTracer *tracer, const OozeRay *ray, OozeSampler *sampler,
                  OozeFeatures *features)
{
    *features = (OozeFeatures){.distance = 0.0f};
    OozeTrace trace = {.tracer = tracer, .sampler = sampler, .features = features};
    follow(&trace, (OozePath){.ray = *ray,
                              .throughput = f3_all(1.0f),
                              .from_camera = true,
                              .leads = true,
                              .medium = -1});
    return trace.radiance;
}
