#include "render/photons.h"

#include "base/fail.h"
#include "base/memory.h"
#include "render/path.h"

enum { PHOTON_DEPTH_MAX = 24, PHOTON_GRAIN = 1024 };

/* Streams of random numbers, apart from those of pixels. */
#define PHOTON_STREAM 0x70686f746f6e7300ull

typedef uint8_t Arrival; /* nowhere, or as a photon of one kind */
enum { LOST, SHARP, SOFT };

typedef struct Emission {
    const OozePhotonJob *job;
    const OozeTracer *tracer;
    const OozePhotonTarget *target;
    OozePhoton *photons; /* one for each that is emitted */
    Arrival *arrived;
} Emission;

bool ooze_photon_target(const OozeTracer *tracer, OozePhotonTarget *target)
{
    if (!ooze_ray_scene_clear_bounds(tracer->scene, &target->low, &target->high)) {
        return false;
    }
    /* Strays far from the view are not worth photons. */
    float most = tracer->fade_to;
    const float *centre = &tracer->centre.x;
    float *low = &target->low.x, *high = &target->high.x;
    for (int k = 0; k < 3; k++) {
        float gap = 4.0f * ooze_ray_scene_epsilon(tracer->scene);
        low[k] = (most > 0.0f ? fmaxf(low[k], centre[k] - most) : low[k]) - gap;
        high[k] = (most > 0.0f ? fminf(high[k], centre[k] + most) : high[k]) + gap;
    }
    OozeF3 size = f3_sub(target->high, target->low);
    target->area = 0.5f * (size.x * size.y + size.y * size.z + size.z * size.x);
    return size.x > 0.0f && size.y > 0.0f && size.z > 0.0f;
}

/* ---- emission -------------------------------------------------------------------------------- */

/* A point on the faces of the box that have a positive weight, one of each pair at most: `side` -1,
   0 or 1 for the low face, none, the high face of each axis. False where there is none. */
static bool sample_faces(const OozePhotonTarget *target, const int side[3], const float weights[3],
                         OozePair random, OozeF3 *point, int *axis)
{
    float total = weights[0] + weights[1] + weights[2], choice = random.u * total;
    if (!(total > 0.0f)) {
        return false;
    }
    int k = 0;
    while (k < 2 && (weights[k] <= 0.0f || choice >= weights[k])) {
        choice -= weights[k++];
    }
    float u = clampf(choice / weights[k], 0.0f, 1.0f);
    const float *low = &target->low.x, *high = &target->high.x;
    float *at = &point->x;
    int next = (k + 1) % 3, last = (k + 2) % 3;
    at[k] = side[k] < 0 ? low[k] : high[k];
    at[next] = low[next] + u * (high[next] - low[next]);
    at[last] = low[last] + random.v * (high[last] - low[last]);
    *axis = k;
    return weights[k] > 0.0f;
}

static float face_area(const OozePhotonTarget *target, int axis)
{
    OozeF3 size = f3_sub(target->high, target->low);
    const float *edge = &size.x;
    return edge[(axis + 1) % 3] * edge[(axis + 2) % 3];
}

/* From a point of a square light to a point of the faces that it sees. */
static bool emit_from_square(const OozePhotonTarget *target, const OozeLight *light, OozePair place,
                             OozePair aim, OozePath *path, OozeF3 *to_light)
{
    OozeF3 from = f3_madd(f3_madd(light->centre, 2.0f * place.u - 1.0f, light->right),
                          2.0f * place.v - 1.0f, light->up);
    const float *x = &from.x, *low = &target->low.x, *high = &target->high.x;
    float weights[3], total = 0.0f;
    int side[3], axis;
    for (int k = 0; k < 3; k++) {
        side[k] = x[k] < low[k] ? -1 : x[k] > high[k] ? 1 : 0;
        weights[k] = side[k] != 0 ? face_area(target, k) : 0.0f;
        total += weights[k];
    }
    OozeF3 point;
    if (!sample_faces(target, side, weights, aim, &point, &axis)) {
        return false;
    }
    *to_light = f3_sub(from, point);
    OozeF3 direction = f3_unit(f3_scale(*to_light, -1.0f));
    float cosine = f3_dot(direction, light->axis), face_cosine = fabsf((&direction.x)[axis]);
    path->ray = (OozeRay){point, direction, 0.5f};
    path->throughput = f3_scale(light->radiance, light->area * fmaxf(cosine, 0.0f) * total *
                                                     face_cosine / f3_dot(*to_light, *to_light));
    return cosine > 0.0f;
}

/* Parallel light from a direction: evenly over the shadow of the box. `radiance`: over the pdf of
   the direction. */
static bool emit_parallel(const OozePhotonTarget *target, OozeF3 towards, OozeF3 radiance,
                          OozePair aim, OozePath *path)
{
    float weights[3], total = 0.0f;
    int side[3], axis;
    for (int k = 0; k < 3; k++) {
        float cosine = (&towards.x)[k];
        side[k] = cosine < 0.0f ? -1 : 1;
        weights[k] = face_area(target, k) * fabsf(cosine);
        total += weights[k];
    }
    OozeF3 point;
    if (!sample_faces(target, side, weights, aim, &point, &axis)) {
        return false;
    }
    path->ray = (OozeRay){point, f3_scale(towards, -1.0f), 0.5f};
    path->throughput = f3_scale(radiance, total);
    return true;
}

/* Starts a photon at the box; false where its light does not reach it. */
static bool emit(const Emission *emission, uint64_t i, OozeSampler *sampler, OozePath *path,
                 Arrival *kind)
{
    const OozeLights *lights = emission->tracer->lights;
    /* Photons of one light are consecutive: the points of a Sobol sequence. */
    float choice = ((float)i + 0.5f) / (float)emission->job->emitted;
    int index = ooze_lights_choose(lights, choice);
    bool is_sun = index >= 0 && lights->lights[index].is_sun;
    *kind = is_sun ? SHARP : SOFT;
    OozePair place = ooze_sampler_pair(sampler), aim = ooze_sampler_pair(sampler);
    OozeF3 to_light;
    float distance = INFINITY, probability;
    bool good;
    if (index >= 0 && !is_sun) {
        const OozeLight *light = &lights->lights[index];
        probability = light->probability;
        good = emit_from_square(emission->target, light, place, aim, path, &to_light);
        distance = f3_length(to_light);
    } else {
        OozeLightSample sample = ooze_lights_sample_direction(lights, index, place);
        probability =
            index < 0 ? lights->environment_probability : lights->lights[index].probability;
        to_light = sample.direction;
        good = sample.pdf > 0.0f &&
               emit_parallel(emission->target, to_light,
                             f3_scale(sample.radiance, 1.0f / sample.pdf), aim, path);
    }
    if (!good) {
        return false;
    }
    const OozeRay back = {path->ray.origin, f3_unit(to_light), path->ray.time};
    OozeF3 transmitted = ooze_trace_transmittance(
        emission->tracer, &back, distance, index < 0 ? OOZE_SHADOW_FADES : OOZE_SHADOW_PLAIN);
    path->throughput = f3_scale(f3_mul(path->throughput, transmitted),
                                1.0f / (probability * (float)emission->job->emitted));
    return f3_max(path->throughput) > 0.0f;
}

/* ---- flight ---------------------------------------------------------------------------------- */

/* Follows a photon to the first surface that is not clear; true where it arrives there after it
   passed a clear medium. */
static bool fly(OozeTrace *trace, OozePath *path, OozePhoton *photon)
{
    const OozeRayScene *scene = trace->tracer->scene;
    for (int depth = 0; depth < PHOTON_DEPTH_MAX; depth++) {
        OozeHit hit;
        if (!ooze_ray_scene_intersect(scene, &path->ray, 0.0f, INFINITY, &hit)) {
            return false;
        }
        if (path->medium >= 0 && ooze_path_traverse_medium(trace, path, hit.distance)) {
            path->touched_clear = true;
            continue;
        }
        if (hit.bsdf->kind == OOZE_LOOK_CLEAR) {
            ooze_path_cross_clear(trace, path, &hit);
            continue;
        }
        photon->position = hit.point;
        photon->direction = path->ray.direction;
        photon->flux = path->throughput;
        return path->touched_clear && f3_max(path->throughput) > 0.0f;
    }
    return false;
}

static void trace_photons(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Emission *emission = context;
    for (uint64_t i = begin; i < end; i++) {
        OozeSampler sampler = ooze_sampler(emission->job->seed, PHOTON_STREAM, (uint32_t)i);
        OozeTrace trace = {.tracer = emission->tracer, .sampler = &sampler, .is_photon = true};
        OozePath path = {.medium = -1};
        OozePhoton *photon = &emission->photons[i];
        Arrival kind;
        bool arrives = emit(emission, i, &sampler, &path, &kind) && fly(&trace, &path, photon);
        emission->arrived[i] = arrives ? kind : LOST;
    }
}

/* Photons that arrived, those of suns first. */
static OozePhoton *list_arrived(const Emission *emission, uint64_t *sharp, uint64_t *count)
{
    uint64_t counts[3] = {0}, at[3] = {0};
    for (uint64_t i = 0; i < emission->job->emitted; i++) {
        counts[emission->arrived[i]]++;
    }
    *sharp = at[SOFT] = counts[SHARP];
    *count = counts[SHARP] + counts[SOFT];
    OozePhoton *list = ooze_alloc(*count > 0 ? *count : 1, sizeof *list);
    for (uint64_t i = 0; list && i < emission->job->emitted; i++) {
        Arrival kind = emission->arrived[i];
        if (kind != LOST) {
            list[at[kind]++] = emission->photons[i];
        }
    }
    return list;
}

OozeStatus ooze_photons_trace(const OozePhotonJob *job, const OozePhotonTarget *target,
                              OozePhoton **photons, uint64_t *sharp, uint64_t *count,
                              OozeError *error)
{
    const uint64_t emitted = job->emitted;
    Emission emission = {job, job->tracer, target, NULL, NULL};
    *photons = NULL;
    emission.photons = ooze_alloc(emitted, sizeof *emission.photons);
    emission.arrived = ooze_alloc_zero(emitted, sizeof *emission.arrived);
    if (emission.photons && emission.arrived) {
        ooze_parallel_for(job->threads, emitted, PHOTON_GRAIN, trace_photons, &emission);
        *photons = list_arrived(&emission, sharp, count);
    }
    ooze_free(emission.photons);
    ooze_free(emission.arrived);
    return *photons ? OOZE_OK : ooze_fail_memory(error, "photons", emitted * sizeof **photons);
}
