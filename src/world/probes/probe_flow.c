/* Probes of the motion: the velocity profile along a line, the azimuth of a coiling thread. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "world/probes/probe_kind.h"

/* ---- profile ---------------------------------------------------------------------------- */

/* Block sums have a fixed size and are added in order: results do not depend on the threads. */
enum { PROFILE_BLOCK = 8192, PROFILE_SUMS = 4 };

typedef struct Profile {
    const OozeProbeView *view;
    OozeVec3 along; /* unit vector of the line */
    double length, half_width;
    int bins;
    double *partial; /* block by block: bins times (count, vx, vy, vz) */
} Profile;

/* The bin of a point; -1: it is too far from the line, or beyond its ends. */
static int bin_of(const Profile *profile, OozeVec3 x)
{
    OozeVec3 arm = vec3_sub(x, profile->view->probe->def.point);
    double s = vec3_dot(arm, profile->along);
    double aside = vec3_length(vec3_madd(arm, -s, profile->along));
    if (!(s >= 0.0 && s <= profile->length && aside <= profile->half_width)) {
        return -1;
    }
    int bin = (int)(s / profile->length * profile->bins);
    return bin < profile->bins ? bin : profile->bins - 1; /* s == length is in the last bin */
}

static void sum_bins(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Profile *profile = context;
    const OozeProbeView *view = profile->view;
    size_t width = (size_t)profile->bins * PROFILE_SUMS;
    double *block = profile->partial + begin / PROFILE_BLOCK * width;
    memset(block, 0, width * sizeof *block);
    for (uint64_t i = begin; i < end; i++) {
        int bin = probe_selects(view, i) ? bin_of(profile, probe_position(view, i)) : -1;
        if (bin >= 0) {
            OozeVec3 v = probe_velocity(view, i);
            double *sums = block + (size_t)bin * PROFILE_SUMS;
            sums[0] += 1.0;
            sums[1] += v.x;
            sums[2] += v.y;
            sums[3] += v.z;
        }
    }
}

OozeStatus ooze_probe_profile(const OozeProbeView *view, double *values, double *state,
                              OozeError *error)
{
    (void)state;
    const OozeProbeDef *def = &view->probe->def;
    OozeVec3 line = vec3_sub(def->end, def->point);
    Profile profile = {
        .view = view,
        .along = vec3_unit(line, def->axis),
        .length = vec3_length(line),
        .half_width = def->width > 0.0 ? def->width : view->support,
        .bins = def->bins,
    };
    uint64_t blocks = (view->count + PROFILE_BLOCK - 1) / PROFILE_BLOCK;
    size_t width = (size_t)def->bins * PROFILE_SUMS;
    profile.partial = ooze_alloc(blocks * width, sizeof(double));
    if (!profile.partial) {
        return ooze_fail_memory(error, "a velocity profile", blocks * width * sizeof(double));
    }
    ooze_parallel_for(view->context->threads, view->count, PROFILE_BLOCK, sum_bins, &profile);
    for (int bin = 0; bin < def->bins; bin++) {
        double sums[PROFILE_SUMS] = {0};
        for (uint64_t block = 0; block < blocks; block++) {
            const double *part = profile.partial + block * width + (size_t)bin * PROFILE_SUMS;
            for (int k = 0; k < PROFILE_SUMS; k++) {
                sums[k] += part[k];
            }
        }
        for (int k = 0; k < 3 && sums[0] > 0.0; k++) {
            values[3 * bin + k] = sums[k + 1] / sums[0];
        }
    }
    ooze_free(profile.partial);
    return OOZE_OK;
}

/* ---- azimuth ---------------------------------------------------------------------------- */

static void sum_contact(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = context;
    const OozeProbeDef *def = &view->probe->def;
    double reach = def->contact * view->spacing;
    for (uint64_t i = begin; i < end; i++) {
        if (!probe_selects(view, i)) {
            continue;
        }
        OozeVec3 arm = vec3_sub(probe_position(view, i), def->point);
        double height = vec3_dot(arm, def->axis);
        double sinking = -vec3_dot(probe_velocity(view, i), def->axis);
        if (isnan(height) || isnan(sinking)) {
            sums[3] = NAN; /* a NaN particle must not be ignored: there is no centroid */
        } else if (fabs(height) <= reach && (def->sinking <= 0.0 || sinking >= def->sinking)) {
            sums[0] += arm.x;
            sums[1] += arm.y;
            sums[2] += arm.z;
            sums[3] += 1.0;
        }
    }
}

/* Two unit vectors that form a right-handed frame with the axis. For a coordinate axis they are the
   next two in cyclic order: angles about y run from z to x. */
static void frame_about(OozeVec3 axis, OozeVec3 *first, OozeVec3 *second)
{
    double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    int largest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    OozeVec3 next = vec3_axis((OozeAxis)((largest + 1) % 3));
    *first = vec3_unit(vec3_madd(next, -vec3_dot(next, axis), axis), next);
    *second = vec3_cross(axis, *first);
}

OozeStatus ooze_probe_azimuth(const OozeProbeView *view, double *values, double *state,
                              OozeError *error)
{
    OozeProbeView copy = *view;
    double sums[4];
    OozeStatus status =
        ooze_parallel_sum(view->context->threads, view->count, 4, sum_contact, &copy, sums, error);
    if (status || !(sums[3] > 0.0)) {
        return status; /* no contact: no angle now; the turns so far are kept */
    }
    OozeVec3 first, second;
    frame_about(view->probe->def.axis, &first, &second);
    OozeVec3 centroid = vec3_scale(vec3(sums[0], sums[1], sums[2]), 1.0 / sums[3]);
    double a = vec3_dot(centroid, first), b = vec3_dot(centroid, second);
    double radius = sqrt(a * a + b * b);
    /* Near the axis the angle is undefined, and rounding would count spurious turns. */
    if (isfinite(radius) && radius > 1e-3 * view->spacing) {
        double turn = atan2(b, a) / (2.0 * acos(-1.0));
        if (state[OOZE_PROBE_AZIMUTH_SEEN] != 0.0) {
            state[OOZE_PROBE_AZIMUTH_TURNS] -= rint(turn - state[OOZE_PROBE_AZIMUTH_LAST]);
        }
        state[OOZE_PROBE_AZIMUTH_SEEN] = 1.0;
        state[OOZE_PROBE_AZIMUTH_LAST] = turn;
    }
    if (state[OOZE_PROBE_AZIMUTH_SEEN] != 0.0) {
        values[0] = state[OOZE_PROBE_AZIMUTH_TURNS] + state[OOZE_PROBE_AZIMUTH_LAST];
    }
    values[1] = radius;
    return OOZE_OK;
}
