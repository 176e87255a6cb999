/* Paths at the surfaces of clear media: refraction, reflection, thin panes. */
#include "render/path.h"

enum { LEAD_DEPTH = 6 };   /* of the surfaces where a path leads */
#define BRANCH_CHANCE 3.0f /* of a branch, times its share of the light */

/* Whether a solid is so close behind the point where the path leaves the fluid that they are in
   contact and there is no air between. */
static bool touches_solid(const OozeTrace *trace, const OozePath *path, const OozeHit *hit)
{
    float contact_gap = trace->tracer->contact_gap,
          epsilon = ooze_ray_scene_epsilon(trace->tracer->scene);
    float cosine = maxf(fabsf(f3_dot(path->ray.direction, hit->geometric_normal)), 0.25f);
    float near = epsilon, far = contact_gap / cosine;
    const OozeRay ray = {hit->point, path->ray.direction, path->ray.time};
    OozeHit next = {.is_fluid = true};
    bool any = contact_gap > 0.0f && hit->is_fluid;
    do { /* a pane may be between */
        any = any && ooze_ray_scene_intersect(trace->tracer->scene, &ray, near, far, &next);
        near = any ? next.distance + epsilon : near;
    } while (any && next.is_wall && next.bsdf->kind == OOZE_LOOK_CLEAR);
    return any && !next.is_fluid && next.bsdf->kind != OOZE_LOOK_CLEAR;
}

static void cross_straight(OozeTrace *trace, OozePath *path, const OozeHit *hit)
{
    float side = f3_dot(path->ray.direction, hit->geometric_normal) < 0.0f ? -1.0f : 1.0f;
    path->ray.origin = ooze_path_offset_point(trace, hit, side);
}

static void reflect(OozeTrace *trace, OozePath *path, const OozeHit *hit, OozeF3 normal, float side)
{
    float cosine = f3_dot(path->ray.direction, normal);
    OozeF3 out = f3_unit(f3_madd(path->ray.direction, -2.0f * cosine, normal));
    if (side * f3_dot(out, hit->geometric_normal) <= 0.0f) { /* would enter the surface */
        out = f3_unit(f3_madd(path->ray.direction,
                              -2.0f * f3_dot(path->ray.direction, hit->geometric_normal),
                              hit->geometric_normal));
    }
    path->ray.direction = out;
    path->ray.origin = ooze_path_offset_point(trace, hit, side);
}

/* Traces the reflected share of a path from the camera as a path of its own, so that highlights
   have no noise; the path keeps the rest. */
static void split_reflection(OozeTrace *trace, OozePath *path, const OozeHit *hit, OozeF3 normal,
                             float reflected)
{
    OozePath reflected_path = *path;
    reflected_path.from_camera = false;
    reflected_path.throughput = f3_scale(path->throughput, reflected);
    reflect(trace, &reflected_path, hit, normal, hit->front ? 1.0f : -1.0f);
    ooze_path_trace_branch(trace, reflected_path);
    path->throughput = f3_scale(path->throughput, 1.0f - reflected);
}

static void refract(OozeTrace *trace, OozePath *path, const OozeHit *hit, OozeF3 direction)
{
    path->ray.direction = direction;
    path->ray.origin = ooze_path_offset_point(trace, hit, hit->front ? -1.0f : 1.0f);
    path->medium = hit->front ? hit->bsdf_index : -1;
}

/* A path that leads takes the likelier way; the other one is a path of its own, or left out by
   chance where little light comes from there. */
static void split_by_share(OozeTrace *trace, OozePath *path, const OozeHit *hit, OozeF3 normal,
                           float reflected, OozeF3 refracted)
{
    bool reflects = reflected > 0.5f;
    float share = reflects ? 1.0f - reflected : reflected;
    float probability = minf(BRANCH_CHANCE * share * f3_max(path->throughput), 1.0f);
    OozePath branch = *path;
    branch.throughput = f3_scale(path->throughput, share / probability);
    path->by_chance = branch.by_chance = true; /* a bright light may be behind either way */
    bool traced = ooze_sampler_pair(trace->sampler).u < probability;
    path->throughput = f3_scale(path->throughput, 1.0f - share);
    reflect(trace, reflects ? path : &branch, hit, normal, hit->front ? 1.0f : -1.0f);
    refract(trace, reflects ? &branch : path, hit, refracted);
    if (traced) {
        ooze_path_trace_branch(trace, branch);
    }
}

static bool refract_or_reflect(OozeTrace *trace, OozePath *path, const OozeHit *hit)
{
    float side = hit->front ? 1.0f : -1.0f;
    float ratio = hit->front ? hit->bsdf->refraction : 1.0f / hit->bsdf->refraction;
    OozeShadingFrame frame = ooze_shading_frame(hit, path->ray.direction);
    OozeF3 normal = frame.n;
    if (hit->bsdf->alpha >= OOZE_BSDF_MIRROR) {
        OozeF3 view = ooze_frame_local(&frame, f3_scale(path->ray.direction, -1.0f));
        OozePair random = ooze_sampler_pair(trace->sampler);
        normal = ooze_frame_world(&frame, ooze_microfacet_sample(view, hit->bsdf->alpha, random));
    }
    OozeF3 in = f3_scale(path->ray.direction, -1.0f), out;
    float reflected = ooze_fresnel(maxf(f3_dot(in, normal), 0.0f), ratio);
    bool passes = ooze_refract(in, normal, ratio, &out);
    if (passes && side * f3_dot(out, hit->geometric_normal) >= 0.0f) {
        passes = ooze_refract(in, f3_scale(hit->geometric_normal, side), ratio, &out);
    }
    reflected = passes ? reflected : 1.0f;
    if (path->from_camera && passes) {
        split_reflection(trace, path, hit, normal, reflected);
        refract(trace, path, hit, out);
    } else if (path->leads && passes && path->depth < LEAD_DEPTH) {
        split_by_share(trace, path, hit, normal, reflected, out);
    } else {
        path->by_chance = passes;
        path->leads = path->leads && !passes;
        if (ooze_sampler_pair(trace->sampler).u < reflected) {
            reflect(trace, path, hit, normal, side);
        } else {
            refract(trace, path, hit, out);
        }
    }
    return true;
}

/* A thin pane: two parallel faces, with reflections back and forth between them; no refraction. */
static void cross_pane(OozeTrace *trace, OozePath *path, const OozeHit *hit)
{
    OozeF3 normal = f3_scale(hit->geometric_normal, hit->front ? 1.0f : -1.0f);
    float face = ooze_fresnel(fabsf(f3_dot(path->ray.direction, normal)), hit->bsdf->refraction);
    float reflected = 2.0f * face / (1.0f + face);
    if (path->from_camera) {
        split_reflection(trace, path, hit, normal, reflected);
    } else if (!path->scattered && ooze_sampler_pair(trace->sampler).u < reflected) {
        reflect(trace, path, hit, normal, hit->front ? 1.0f : -1.0f);
        return;
    }
    cross_straight(trace, path, hit);
}

bool ooze_path_cross_clear(OozeTrace *trace, OozePath *path, const OozeHit *hit)
{
    if (hit->is_wall) {
        cross_pane(trace, path, hit);
        return true;
    }
    if (trace->features && f3_dot(trace->features->normal, trace->features->normal) == 0.0f) {
        trace->features->normal = ooze_shading_frame(hit, path->ray.direction).n;
        trace->features->distance = hit->distance;
    }
    path->touched_clear = true;
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
    float transmitted = ooze_straight_transmittance(hit, path->ray.direction);
    if (ooze_sampler_pair(trace->sampler).u < transmitted) {
        cross_straight(trace, path, hit);
        path->medium = hit->front ? hit->bsdf_index : -1;
    } else {
        reflect(trace, path, hit, ooze_shading_frame(hit, path->ray.direction).n,
                hit->front ? 1.0f : -1.0f);
        path->pdf = 0.0f;
    }
    return true;
}
