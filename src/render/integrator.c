#include "render/integrator.h"

enum { DEPTH_MAX = 48, DEPTH_ROULETTE = 4, CROSSINGS_MAX = 32 };

#define MEAN_COSINE 0.4f /* mean cosine of scattering in a cloudy medium */

typedef struct Path {
    OozeF3 origin, direction, throughput;
    OozeF3 scatter_point; /* of the last scattering */
    float pdf;            /* of the direction sampled there; 0: specular, or from the camera */
    bool scattered;       /* not specular only: crosses clear media straight */
    bool from_camera;     /* no interaction since the camera */
    int medium;           /* index of the BSDF of the medium it is in; -1: air */
    int depth;
} Path;

typedef struct Trace {
    const OozeTracer *tracer;
    OozeSampler *sampler;
    OozeFeatures *features; /* NULL once recorded */
    OozeF3 radiance;
} Trace;

static void add_radiance(Trace *trace, const Path *path, OozeF3 light)
{
    float limit = trace->tracer->radiance_max, largest = f3_max(light);
    if (path->scattered && limit > 0.0f && largest > limit) {
        light = f3_scale(light, limit / largest);
    }
    trace->radiance = f3_add(trace->radiance, light);
}

/* Weight of a sample whose strategy has the first pdf (Veach and Guibas 1995). */
static float balance_heuristic(float pdf, float other_pdf)
{
    return pdf / (pdf + other_pdf);
}

/* The first call for a path counts; the normal of a clear surface before it is kept. */
static void record_features(Trace *trace, OozeF3 albedo, OozeF3 normal, float distance)
{
    if (trace->features) {
        OozeFeatures *features = trace->features;
        features->albedo = f3(fminf(albedo.x, 1.0f), fminf(albedo.y, 1.0f), fminf(albedo.z, 1.0f));
        if (f3_dot(features->normal, features->normal) == 0.0f) {
            features->normal = normal;
            features->distance = distance;
        }
        trace->features = NULL;
    }
}

/* Beer's law. */
static OozeF3 transmittance(OozeF3 absorption, float distance)
{
    return f3_exp(f3_scale(absorption, -distance));
}

/* ---- direct light ---------------------------------------------------------------------------- */

static float straight_transmittance(const OozeHit *hit, OozeF3 direction)
{
    float cosine = fabsf(f3_dot(direction, hit->normal));
    return 1.0f - ooze_fresnel(cosine, hit->bsdf->refraction);
}

OozeF3 ooze_trace_transmittance(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction,
                                float distance)
{
    float epsilon = ooze_ray_scene_epsilon(tracer->scene), at = 0.0f, near = epsilon;
    OozeF3 transmitted = f3_all(1.0f);
    for (int i = 0; i < CROSSINGS_MAX; i++) {
        OozeHit hit;
        if (!ooze_ray_scene_intersect(tracer->scene, origin, direction, near, distance - epsilon,
                                      &hit)) {
            return transmitted;
        }
        near = hit.distance + epsilon;
        if (hit.is_wall) {
            continue;
        }
        if (hit.bsdf->kind != OOZE_LOOK_CLEAR) {
            return f3_all(0.0f);
        }
        transmitted = f3_scale(transmitted, straight_transmittance(&hit, direction));
        if (!hit.front) { /* the segment up to here was inside */
            OozeF3 extinction = f3_add(hit.bsdf->absorption, f3_all(hit.bsdf->scattering));
            transmitted = f3_mul(transmitted, transmittance(extinction, hit.distance - at));
        }
        at = hit.distance;
    }
    return f3_all(0.0f);
}

/* Samples a point on a light; false where that light does not illuminate `point`. */
static bool sample_light(Trace *trace, OozeF3 point, OozeLightSample *light)
{
    OozePair place = ooze_sampler_pair(trace->sampler), choice = ooze_sampler_pair(trace->sampler);
    *light = ooze_lights_sample(trace->tracer->lights, point, place, choice.u);
    return light->pdf > 0.0f;
}

/* Transmitted radiance of the sample over its pdf. */
static OozeF3 incoming_light(const Trace *trace, OozeF3 point, const OozeLightSample *light)
{
    OozeF3 transmitted =
        ooze_trace_transmittance(trace->tracer, point, light->direction, light->distance);
    return f3_mul(transmitted, f3_scale(light->radiance, 1.0f / light->pdf));
}

/* ---- surfaces -------------------------------------------------------------------------------- */

typedef struct Frame {
    OozeF3 n, s, t;
} Frame;

static OozeF3 to_local(const Frame *frame, OozeF3 v)
{
    return f3(f3_dot(v, frame->s), f3_dot(v, frame->t), f3_dot(v, frame->n));
}

static OozeF3 to_world(const Frame *frame, OozeF3 v)
{
    return f3_madd(f3_madd(f3_scale(frame->s, v.x), v.y, frame->t), v.z, frame->n);
}

/* Frame of the shading normal on the side of the ray, or of the geometric normal where the shading
   normal faces away. */
static Frame shading_frame(const OozeHit *hit, OozeF3 direction)
{
    Frame frame;
    float side = hit->front ? 1.0f : -1.0f;
    frame.n = f3_scale(hit->normal, side);
    if (f3_dot(frame.n, direction) >= -1e-3f) {
        frame.n = f3_scale(hit->geometric_normal, side);
    }
    f3_frame(frame.n, &frame.s, &frame.t);
    return frame;
}

static OozeF3 offset_point(const Trace *trace, const OozeHit *hit, float side)
{
    return f3_madd(hit->point, side * ooze_ray_scene_epsilon(trace->tracer->scene),
                   hit->geometric_normal);
}

/* Light leaves a translucent medium diffusely. */
static bool leave_translucent(Trace *trace, Path *path, const OozeHit *hit)
{
    Frame frame = {.n = hit->normal};
    if (f3_dot(hit->normal, hit->geometric_normal) <= 0.0f) {
        frame.n = hit->geometric_normal;
    }
    f3_frame(frame.n, &frame.s, &frame.t);
    OozeF3 point = offset_point(trace, hit, 1.0f);
    OozeLightSample target;
    if (sample_light(trace, point, &target)) {
        float cosine = f3_dot(target.direction, frame.n);
        if (cosine > 0.0f && f3_dot(target.direction, hit->geometric_normal) > 0.0f) {
            float bsdf_pdf = cosine / OOZE_PI_F;
            OozeF3 light = incoming_light(trace, point, &target);
            light = f3_scale(f3_mul(light, path->throughput),
                             bsdf_pdf * balance_heuristic(target.pdf, bsdf_pdf));
            path->scattered = true;
            add_radiance(trace, path, light);
        }
    }
    OozeF3 out = ooze_sample_cosine(ooze_sampler_pair(trace->sampler));
    path->direction = to_world(&frame, out);
    path->pdf = out.z / OOZE_PI_F;
    path->origin = path->scatter_point = point;
    path->medium = -1;
    path->scattered = true;
    return true;
}

/* Opaque and metal surfaces, and translucent ones from outside. */
static bool scatter_at_surface(Trace *trace, Path *path, const OozeHit *hit)
{
    Frame frame = shading_frame(hit, path->direction);
    float side = hit->front ? 1.0f : -1.0f;
    OozeF3 view = to_local(&frame, f3_scale(path->direction, -1.0f));
    view.z = fmaxf(view.z, 1e-4f);
    record_features(trace, f3_mul(path->throughput, hit->color), frame.n, hit->distance);
    OozeF3 point = offset_point(trace, hit, side);
    OozeLightSample target;
    if (sample_light(trace, point, &target)) {
        float bsdf_pdf;
        OozeF3 light_local = to_local(&frame, target.direction);
        OozeF3 value = ooze_bsdf_evaluate(hit->bsdf, hit->color, view, light_local, &bsdf_pdf);
        if (f3_max(value) > 0.0f && side * f3_dot(target.direction, hit->geometric_normal) > 0.0f) {
            OozeF3 light = incoming_light(trace, point, &target);
            light = f3_mul(f3_mul(light, value), path->throughput);
            add_radiance(trace, path, f3_scale(light, balance_heuristic(target.pdf, bsdf_pdf)));
        }
    }
    OozePair random = ooze_sampler_pair(trace->sampler), choice = ooze_sampler_pair(trace->sampler);
    OozeBsdfSample sample = ooze_bsdf_sample(hit->bsdf, hit->color, view, random, choice);
    path->throughput = f3_mul(path->throughput, sample.weight);
    path->direction = to_world(&frame, sample.direction);
    path->pdf = sample.pdf;
    float out = side * f3_dot(path->direction, hit->geometric_normal);
    if (sample.enters) {
        path->medium = hit->bsdf_index;
        path->origin = offset_point(trace, hit, -side);
        path->scattered = true;
        return out < 0.0f && f3_max(path->throughput) > 0.0f;
    }
    path->origin = path->scatter_point = point;
    path->scattered = path->scattered || sample.pdf > 0.0f;
    return out > 0.0f && f3_max(path->throughput) > 0.0f;
}

/* ---- clear media ----------------------------------------------------------------------------- */

/* Whether a solid is so close behind the point where the path leaves the fluid that they are in
   contact and there is no air between. */
static bool touches_solid(const Trace *trace, const Path *path, const OozeHit *hit)
{
    float contact_gap = trace->tracer->contact_gap,
          epsilon = ooze_ray_scene_epsilon(trace->tracer->scene);
    float cosine = fmaxf(fabsf(f3_dot(path->direction, hit->geometric_normal)), 0.25f);
    float near = epsilon, far = contact_gap / cosine;
    OozeHit next = {.is_fluid = true};
    bool any = contact_gap > 0.0f && hit->is_fluid;
    do { /* a pane may be between */
        any = any && ooze_ray_scene_intersect(trace->tracer->scene, hit->point, path->direction,
                                              near, far, &next);
        near = any ? next.distance + epsilon : near;
    } while (any && next.is_wall && next.bsdf->kind == OOZE_LOOK_CLEAR);
    return any && !next.is_fluid && next.bsdf->kind != OOZE_LOOK_CLEAR;
}

static void cross_straight(Trace *trace, Path *path, const OozeHit *hit)
{
    float side = f3_dot(path->direction, hit->geometric_normal) < 0.0f ? -1.0f : 1.0f;
    path->origin = offset_point(trace, hit, side);
}

static void reflect(Trace *trace, Path *path, const OozeHit *hit, OozeF3 normal, float side)
{
    float cosine = f3_dot(path->direction, normal);
    OozeF3 out = f3_unit(f3_madd(path->direction, -2.0f * cosine, normal));
    if (side * f3_dot(out, hit->geometric_normal) <= 0.0f) { /* would enter the surface */
        out =
            f3_unit(f3_madd(path->direction, -2.0f * f3_dot(path->direction, hit->geometric_normal),
                            hit->geometric_normal));
    }
    path->direction = out;
    path->origin = offset_point(trace, hit, side);
}

static void trace_path(Trace *trace, Path path);

/* Traces the reflected share of a path from the camera as a path of its own, so that highlights
   have no noise; the path keeps the rest. */
static void split_reflection(Trace *trace, Path *path, const OozeHit *hit, OozeF3 normal,
                             float reflected)
{
    Path reflected_path = *path;
    reflected_path.from_camera = false;
    reflected_path.throughput = f3_scale(path->throughput, reflected);
    reflect(trace, &reflected_path, hit, normal, hit->front ? 1.0f : -1.0f);
    OozeFeatures *features = trace->features;
    trace->features = NULL;
    trace_path(trace, reflected_path);
    trace->features = features;
    path->throughput = f3_scale(path->throughput, 1.0f - reflected);
}

static bool refract_or_reflect(Trace *trace, Path *path, const OozeHit *hit)
{
    float side = hit->front ? 1.0f : -1.0f;
    float ratio = hit->front ? hit->bsdf->refraction : 1.0f / hit->bsdf->refraction;
    Frame frame = shading_frame(hit, path->direction);
    OozeF3 normal = frame.n;
    if (hit->bsdf->alpha >= OOZE_BSDF_MIRROR) {
        OozeF3 view = to_local(&frame, f3_scale(path->direction, -1.0f));
        OozePair random = ooze_sampler_pair(trace->sampler);
        normal = to_world(&frame, ooze_microfacet_sample(view, hit->bsdf->alpha, random));
    }
    OozeF3 in = f3_scale(path->direction, -1.0f), out;
    float reflected = ooze_fresnel(fmaxf(f3_dot(in, normal), 0.0f), ratio);
    bool passes = ooze_refract(in, normal, ratio, &out);
    if (passes && side * f3_dot(out, hit->geometric_normal) >= 0.0f) {
        passes = ooze_refract(in, f3_scale(hit->geometric_normal, side), ratio, &out);
    }
    reflected = passes ? reflected : 1.0f;
    if (path->from_camera && passes) {
        split_reflection(trace, path, hit, normal, reflected);
    } else if (ooze_sampler_pair(trace->sampler).u < reflected) {
        reflect(trace, path, hit, normal, side);
        return true;
    }
    path->direction = out;
    path->origin = offset_point(trace, hit, -side);
    path->medium = hit->front ? hit->bsdf_index : -1;
    return true;
}

/* A thin pane: two parallel faces, with reflections back and forth between them; no refraction. */
static void cross_pane(Trace *trace, Path *path, const OozeHit *hit)
{
    OozeF3 normal = f3_scale(hit->geometric_normal, hit->front ? 1.0f : -1.0f);
    float face = ooze_fresnel(fabsf(f3_dot(path->direction, normal)), hit->bsdf->refraction);
    float reflected = 2.0f * face / (1.0f + face);
    if (path->from_camera) {
        split_reflection(trace, path, hit, normal, reflected);
    } else if (!path->scattered && ooze_sampler_pair(trace->sampler).u < reflected) {
        reflect(trace, path, hit, normal, hit->front ? 1.0f : -1.0f);
        return;
    }
    cross_straight(trace, path, hit);
}

static bool cross_clear_surface(Trace *trace, Path *path, const OozeHit *hit)
{
    if (hit->is_wall) {
        cross_pane(trace, path, hit);
        return true;
    }
    if (trace->features && f3_dot(trace->features->normal, trace->features->normal) == 0.0f) {
        trace->features->normal = shading_frame(hit, path->direction).n;
        trace->features->distance = hit->distance;
    }
    if (!hit->front && !path->scattered && touches_solid(trace, path, hit)) {
        cross_straight(trace, path, hit);
        return true;
    }
    if (!path->scattered) {
        path->pdf = 0.0f;
        bool continues = refract_or_reflect(trace, path, hit);
        path->from_camera = false;
        return continues;
    }
    float transmitted = straight_transmittance(hit, path->direction);
    if (ooze_sampler_pair(trace->sampler).u < transmitted) {
        cross_straight(trace, path, hit);
        path->medium = hit->front ? hit->bsdf_index : -1;
    } else {
        reflect(trace, path, hit, shading_frame(hit, path->direction).n, hit->front ? 1.0f : -1.0f);
        path->pdf = 0.0f;
    }
    return true;
}

/* ---- scattering media ------------------------------------------------------------------------ */

/* Henyey and Greenstein 1941. */
static float phase_function(float cosine)
{
    float d = 1.0f + MEAN_COSINE * MEAN_COSINE - 2.0f * MEAN_COSINE * cosine;
    return (1.0f - MEAN_COSINE * MEAN_COSINE) / (4.0f * OOZE_PI_F * d * sqrtf(d));
}

static OozeF3 sample_phase_function(OozeF3 direction, OozePair random)
{
    float s =
        (1.0f - MEAN_COSINE * MEAN_COSINE) / (1.0f - MEAN_COSINE + 2.0f * MEAN_COSINE * random.u);
    float z = (1.0f + MEAN_COSINE * MEAN_COSINE - s * s) / (2.0f * MEAN_COSINE);
    float r = sqrtf(fmaxf(0.0f, 1.0f - z * z)), phi = 2.0f * OOZE_PI_F * random.v;
    return f3_from_frame(direction, f3(r * cosf(phi), r * sinf(phi), z));
}

static void scatter_in_medium(Trace *trace, Path *path, OozeF3 point)
{
    record_features(trace, path->throughput, f3_scale(path->direction, -1.0f), 0.0f);
    path->origin = path->scatter_point = point;
    OozeLightSample target;
    if (sample_light(trace, point, &target)) {
        float phase_pdf = phase_function(f3_dot(path->direction, target.direction));
        OozeF3 light = incoming_light(trace, point, &target);
        light = f3_scale(f3_mul(light, path->throughput),
                         phase_pdf * balance_heuristic(target.pdf, phase_pdf));
        path->scattered = true;
        add_radiance(trace, path, light);
    }
    OozeF3 out = sample_phase_function(path->direction, ooze_sampler_pair(trace->sampler));
    path->pdf = phase_function(f3_dot(path->direction, out));
    path->direction = out;
    path->scattered = true;
    path->from_camera = false;
}

/* Attenuates the path along `distance` in its medium; true where it was scattered before the end.
   */
static bool traverse_medium(Trace *trace, Path *path, float distance)
{
    const OozeBsdf *medium = ooze_ray_scene_bsdf(trace->tracer->scene, path->medium);
    if (medium->kind == OOZE_LOOK_CLEAR && medium->scattering > 0.0f) {
        float free_path = -logf(1.0f - ooze_sampler_pair(trace->sampler).u) / medium->scattering;
        if (free_path < distance) {
            path->throughput =
                f3_mul(path->throughput, transmittance(medium->absorption, free_path));
            scatter_in_medium(trace, path, f3_madd(path->origin, free_path, path->direction));
            return true;
        }
    }
    path->throughput = f3_mul(path->throughput, transmittance(medium->absorption, distance));
    return false;
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

static void add_backdrop(Trace *trace, const Path *path, float weight)
{
    OozeF3 light = ooze_lights_backdrop(trace->tracer->lights, path->direction);
    add_radiance(trace, path, f3_scale(f3_mul(light, path->throughput), weight));
}

/* Whether the path ends at a light within `far`. Area lights are invisible to the camera. */
static bool add_light_hit(Trace *trace, const Path *path, float far)
{
    OozeF3 from = path->pdf > 0.0f ? path->scatter_point : path->origin;
    OozeLightSample light;
    float before = f3_length(f3_sub(path->origin, from)); /* crossed straight so far */
    if (path->from_camera ||
        !ooze_lights_hit(trace->tracer->lights, from, path->direction, before + far, &light)) {
        return false;
    }
    float weight = path->pdf > 0.0f ? balance_heuristic(path->pdf, light.pdf) : 1.0f;
    add_radiance(trace, path, f3_scale(f3_mul(light.radiance, path->throughput), weight));
    return true;
}

/* Russian roulette: paths of small throughput continue with a probability and are scaled by its
   inverse. */
static bool survives_roulette(Trace *trace, Path *path)
{
    float largest = f3_max(path->throughput);
    if (++path->depth < DEPTH_ROULETTE || largest >= 1.0f) {
        return path->depth < DEPTH_MAX && largest > 0.0f;
    }
    float probability = fminf(largest, 0.95f);
    if (path->depth >= DEPTH_MAX || ooze_sampler_pair(trace->sampler).u >= probability) {
        return false;
    }
    path->throughput = f3_scale(path->throughput, 1.0f / probability);
    return true;
}

/* Adds the light behind the wall of a container, which is sampled through it. */
static void add_light_behind_wall(Trace *trace, const Path *path, const OozeHit *hit)
{
    OozeF3 from = path->scatter_point;
    OozeLightSample light;
    if (!ooze_lights_hit(trace->tracer->lights, from, path->direction, INFINITY, &light)) {
        return;
    }
    float distance = light.distance - f3_length(f3_sub(hit->point, from));
    OozeF3 transmitted =
        ooze_trace_transmittance(trace->tracer, hit->point, path->direction, distance);
    OozeF3 incoming = f3_mul(f3_mul(light.radiance, path->throughput), transmitted);
    add_radiance(trace, path, f3_scale(incoming, balance_heuristic(path->pdf, light.pdf)));
}

static bool scatter(Trace *trace, Path *path, OozeHit *hit)
{
    const OozeBsdf *bsdf = hit->bsdf;
    if (bsdf->kind == OOZE_LOOK_CLEAR) {
        return cross_clear_surface(trace, path, hit);
    }
    if (bsdf->kind == OOZE_LOOK_TRANSLUCENT && !hit->front && path->medium == hit->bsdf_index) {
        return leave_translucent(trace, path, hit);
    }
    bool continues = scatter_at_surface(trace, path, hit);
    path->from_camera = false;
    return continues;
}

static void trace_path(Trace *trace, Path path)
{
    const OozeTracer *tracer = trace->tracer;
    do {
        OozeHit hit;
        bool any = ooze_ray_scene_intersect(tracer->scene, path.origin, path.direction, 0.0f,
                                            INFINITY, &hit);
        /* A path that hits a clear surface from behind has been in that medium since its start. */
        if (any && !hit.front && hit.bsdf->kind == OOZE_LOOK_CLEAR && !hit.is_wall &&
            path.medium < 0) {
            path.medium = hit.bsdf_index;
        }
        if (any && path.medium >= 0 && traverse_medium(trace, &path, hit.distance)) {
            continue;
        }
        if (add_light_hit(trace, &path, any ? hit.distance : INFINITY)) {
            record_features(trace, path.throughput, f3_scale(path.direction, -1.0f), 0.0f);
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
            record_features(trace, path.throughput, f3_scale(path.direction, -1.0f), 0.0f);
            return;
        }
        path.throughput = f3_scale(path.throughput, 1.0f - fade);
        if (!scatter(trace, &path, &hit)) {
            return;
        }
    } while (survives_roulette(trace, &path));
}

OozeF3 ooze_trace(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction, OozeSampler *sampler,
                  OozeFeatures *features)
{
    *features = (OozeFeatures){.distance = 0.0f};
    Trace trace = {.tracer = tracer, .sampler = sampler, .features = features};
    trace_path(&trace, (Path){.origin = origin,
                              .direction = direction,
                              .throughput = f3_all(1.0f),
                              .from_camera = true,
                              .medium = -1});
    return trace.radiance;
}
