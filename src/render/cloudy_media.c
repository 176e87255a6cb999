/* Paths within media: absorption, and scattering in cloudy ones. */
#include "render/path.h"

#define MEAN_COSINE 0.4f /* of the angle of scattering */

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
    float r = sqrtf(maxf(1.0f - z * z, 0.0f)), phi = 2.0f * OOZE_PI_F * random.v;
    return f3_from_frame(direction, f3(r * cosf(phi), r * sinf(phi), z));
}

static OozeF3 medium_value(const void *context, OozeF3 direction, float light_pdf)
{
    const OozePath *path = context;
    float pdf = phase_function(f3_dot(path->ray.direction, direction));
    return f3_all(pdf * ooze_power_heuristic(light_pdf, pdf));
}

static void scatter_in_medium(OozeTrace *trace, OozePath *path, OozeF3 point)
{
    ooze_path_record_features(trace, path->throughput, f3_scale(path->ray.direction, -1.0f), 0.0f);
    path->ray.origin = path->scatter_point = point;
    if (!trace->is_photon) {
        const OozeResponse response = {medium_value, path};
        path->scattered = true;
        ooze_path_add_direct_light(trace, path, point, OOZE_SHADOW_PLAIN, &response);
    }
    OozeF3 out = sample_phase_function(path->ray.direction, ooze_sampler_pair(trace->sampler));
    path->pdf = phase_function(f3_dot(path->ray.direction, out));
    path->ray.direction = out;
    path->scattered = !trace->is_photon;
    path->gathered = false;
    path->from_camera = path->leads = false;
}

bool ooze_path_traverse_medium(OozeTrace *trace, OozePath *path, float distance)
{
    const OozeBsdf *medium = ooze_ray_scene_bsdf(trace->tracer->scene, path->medium);
    if (medium->kind == OOZE_LOOK_CLEAR && medium->scattering > 0.0f) {
        float free_path = -logf(1.0f - ooze_sampler_pair(trace->sampler).u) / medium->scattering;
        if (free_path < distance) {
            path->throughput = f3_mul(path->throughput, ooze_beer(medium->absorption, free_path));
            scatter_in_medium(trace, path,
                              f3_madd(path->ray.origin, free_path, path->ray.direction));
            return true;
        }
    }
    path->throughput = f3_mul(path->throughput, ooze_beer(medium->absorption, distance));
    return false;
}
