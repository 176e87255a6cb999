/* Probes that are sums over particles, or percentiles of a length. Valid C17 and CUDA. */
#ifndef OOZE_WORLD_PROBES_PROBE_FORMULA_H
#define OOZE_WORLD_PROBES_PROBE_FORMULA_H

#include "base/vec3.h"
#include "ooze/world.h"

enum { OOZE_PROBE_SUMS_MAX = 4 };

/* What such a probe measures. */
typedef struct OozeProbeQuery {
    OozeProbeKind kind;
    int32_t only; /* the selected material; -1: all */
    OozeVec3 point, axis, gravity;
    double percentile;
} OozeProbeQuery;

OOZE_FORMULA bool ooze_probe_is_sum(OozeProbeKind kind)
{
    return kind == OOZE_PROBE_COUNT || kind == OOZE_PROBE_CENTRE || kind == OOZE_PROBE_MOMENTUM ||
           kind == OOZE_PROBE_ANGULAR_MOMENTUM || kind == OOZE_PROBE_ENERGY;
}

OOZE_FORMULA bool ooze_probe_is_percentile(OozeProbeKind kind)
{
    return kind == OOZE_PROBE_HEIGHT || kind == OOZE_PROBE_SPREAD;
}

/* Number of sums of a probe that is one. */
OOZE_FORMULA int ooze_probe_sum_count(OozeProbeKind kind)
{
    return kind == OOZE_PROBE_COUNT    ? 1
           : kind == OOZE_PROBE_CENTRE ? 4
           : kind == OOZE_PROBE_ENERGY ? 2
                                       : 3;
}

OOZE_FORMULA void ooze_probe_add_vector(OozeVec3 v, double scale, double *sums)
{
    sums[0] += scale * v.x;
    sums[1] += scale * v.y;
    sums[2] += scale * v.z;
}

/* Adds a selected particle. */
OOZE_FORMULA void ooze_probe_add(const OozeProbeQuery *query, OozeVec3 x, OozeVec3 v, double mass,
                                 double *sums)
{
    OozeVec3 arm = vec3_sub(x, query->point);
    if (query->kind == OOZE_PROBE_COUNT) {
        sums[0] += 1.0;
    } else if (query->kind == OOZE_PROBE_CENTRE) {
        ooze_probe_add_vector(x, mass, sums);
        sums[3] += mass;
    } else if (query->kind == OOZE_PROBE_MOMENTUM) {
        ooze_probe_add_vector(v, mass, sums);
    } else if (query->kind == OOZE_PROBE_ANGULAR_MOMENTUM) {
        ooze_probe_add_vector(vec3_cross(arm, v), mass, sums);
    } else {
        sums[0] += 0.5 * mass * vec3_dot(v, v);
        sums[1] -= mass * vec3_dot(query->gravity, arm);
    }
}

/* The values of the probe; a centre without mass leaves them as they are. */
OOZE_FORMULA void ooze_probe_from_sums(OozeProbeKind kind, const double *sums, double *values)
{
    bool centre = kind == OOZE_PROBE_CENTRE;
    int count = centre ? 3 : ooze_probe_sum_count(kind);
    for (int k = 0; k < count && !(centre && !(sums[3] > 0.0)); k++) {
        values[k] = centre ? sums[k] / sums[3] : sums[k];
    }
}

/* The length of which a probe is a percentile: height along the axis, or distance from it. */
OOZE_FORMULA double ooze_probe_length(const OozeProbeQuery *query, OozeVec3 x)
{
    OozeVec3 arm = vec3_sub(x, query->point);
    double height = vec3_dot(arm, query->axis);
    return query->kind == OOZE_PROBE_HEIGHT ? height
                                            : vec3_length(vec3_madd(arm, -height, query->axis));
}

#endif
