/* A path that is being traced, shared by the files of the path tracer. */
#ifndef OOZE_RENDER_PATH_H
#define OOZE_RENDER_PATH_H

#include "render/integrator.h"

typedef struct OozePath {
    OozeRay ray;
    OozeF3 throughput;
    OozeF3 scatter_point; /* of the last scattering */
    float pdf;            /* of the direction sampled there; 0: specular, or from the camera */
    bool scattered;       /* not specular only: crosses clear media straight */
    bool from_camera;     /* no interaction since the camera */
    bool leads;           /* features follow it: it takes the likelier way at every clear surface */
    bool by_chance;       /* one of several ways on was chosen at random: may be a firefly */
    bool gathered;        /* the last scattering has the light of photons */
    bool touched_clear;   /* since then, or since its start, it met a clear medium */
    int medium;           /* index of the BSDF of the medium it is in; -1: air */
    int depth;
} OozePath;

typedef struct OozeTrace {
    const OozeTracer *tracer;
    OozeSampler *sampler;
    OozeFeatures *features; /* NULL once recorded */
    bool is_photon;         /* from a light: takes no light on its way */
    OozeF3 radiance;
} OozeTrace;

typedef struct OozeShadingFrame {
    OozeF3 n, s, t;
} OozeShadingFrame;

static inline OozeF3 ooze_frame_local(const OozeShadingFrame *frame, OozeF3 v)
{
    return f3(f3_dot(v, frame->s), f3_dot(v, frame->t), f3_dot(v, frame->n));
}

static inline OozeF3 ooze_frame_world(const OozeShadingFrame *frame, OozeF3 v)
{
    return f3_madd(f3_madd(f3_scale(frame->s, v.x), v.y, frame->t), v.z, frame->n);
}

/* Frame of the shading normal on the side of the ray, or of the geometric normal where the shading
   normal faces away. */
OozeShadingFrame ooze_shading_frame(const OozeHit *hit, OozeF3 direction);
/* The point of the hit, moved off the surface: outwards where `side` is 1. */
OozeF3 ooze_path_offset_point(const OozeTrace *trace, const OozeHit *hit, float side);

/* Weight of a sample whose strategy has the first pdf (Veach and Guibas 1995). */
static inline float ooze_power_heuristic(float pdf, float other_pdf)
{
    float ratio = other_pdf / pdf;
    return 1.0f / (1.0f + ratio * ratio);
}

/* Beer's law. */
static inline OozeF3 ooze_beer(OozeF3 absorption, float distance)
{
    return f3_exp(f3_scale(absorption, -distance));
}

/* Adds light that arrives along the path, limited where chance may have made it a firefly. */
void ooze_path_add_radiance(OozeTrace *trace, const OozePath *path, OozeF3 light);
/* The first call for a path counts; the normal of a clear surface before it is kept. */
void ooze_path_record_features(OozeTrace *trace, OozeF3 albedo, OozeF3 normal, float distance);

/* Share of the light that passes a clear surface straight. */
float ooze_straight_transmittance(const OozeHit *hit, OozeF3 direction);

/* How a point answers to light: the value of the scattering from a direction, times the cosine,
   weighted against the sampling of directions (ooze_power_heuristic) where a light is sampled in
   that direction with the pdf `light_pdf`. */
typedef struct OozeResponse {
    OozeF3 (*weighted_value)(const void *context, OozeF3 direction, float light_pdf);
    const void *context;
} OozeResponse;
/* Adds the light that a point of the path scatters: a sample of every light, and a shadow ray to
   the one that is chosen by what they bring (Talbot and others 2005), so that chance does not
   choose a light that the surface does not see or reflect. */
void ooze_path_add_direct_light(OozeTrace *trace, const OozePath *path, OozeF3 point,
                                unsigned shadow, const OozeResponse *response);
/* Traces another path on from here, without features, with random numbers of its own. */
void ooze_path_trace_branch(OozeTrace *trace, OozePath branch);

/* Refracts, reflects or passes straight; false where the path ends. */
bool ooze_path_cross_clear(OozeTrace *trace, OozePath *path, const OozeHit *hit);
/* Attenuates the path along `distance` in its medium; true where it was scattered before the end.
   */
bool ooze_path_traverse_medium(OozeTrace *trace, OozePath *path, float distance);

#endif
