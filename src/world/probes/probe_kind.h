/* Shared by the probe kinds: the arrays of the frame and the probe's selection of particles. */
#ifndef OOZE_WORLD_PROBES_PROBE_KIND_H
#define OOZE_WORLD_PROBES_PROBE_KIND_H

#include <math.h>

#include "base/vec3.h"
#include "world/probes/probe.h"
#include "world/probes/probe_formula.h"

typedef struct OozeProbeView {
    uint64_t count;
    const float *position, *velocity, *rest; /* NULL where the kind does not need it */
    uint64_t position_stride, velocity_stride, rest_stride;
    const double *temperature; /* NULL where the kind does not need it */
    const uint16_t *material;
    int32_t only; /* the selected material; -1: all */
    const OozeMaterialView *materials;
    int material_count;
    double volume; /* of one particle, m3 */
    double spacing, support;
    const OozeProbe *probe;
    const OozeProbeContext *context;
} OozeProbeView;

static inline bool probe_selects(const OozeProbeView *view, uint64_t i)
{
    return view->only < 0 || view->material[i] == view->only;
}

static inline OozeVec3 probe_vector(const float *data, uint64_t stride, uint64_t i)
{
    const float *v = data + i * stride;
    return vec3((double)v[0], (double)v[1], (double)v[2]);
}

static inline OozeVec3 probe_position(const OozeProbeView *view, uint64_t i)
{
    return probe_vector(view->position, view->position_stride, i);
}

static inline OozeVec3 probe_velocity(const OozeProbeView *view, uint64_t i)
{
    return probe_vector(view->velocity, view->velocity_stride, i);
}

/* kg: rest density of the material times the volume of a lattice cell. */
static inline double probe_mass(const OozeProbeView *view, uint64_t i)
{
    int k = view->material[i];
    return k < view->material_count ? view->materials[k].density * view->volume : (double)NAN;
}

/* Calls `body` on all threads, once for every selected particle i (`all`: for every particle);
   `place` is its rank among these in the order of the frame, `*n` their number. */
typedef void (*OozeProbeEach)(void *context, uint64_t i, uint64_t place);
OozeStatus ooze_probe_each(const OozeProbeView *view, bool all, OozeProbeEach body, void *context,
                           uint64_t *n, OozeError *error);

/* The index of a solid of the frame; -1: it has none of that name. */
int ooze_probe_find_solid(const OozeFrame *frame, const char *name);

/* Writes values[0 .. column_count), which are NaN before the call. */
typedef OozeStatus (*OozeProbeMeasure)(const OozeProbeView *view, double *values, double *state,
                                       OozeError *error);
OozeStatus ooze_probe_sum(const OozeProbeView *view, double *values, double *state,
                          OozeError *error);
OozeStatus ooze_probe_percentile(const OozeProbeView *view, double *values, double *state,
                                 OozeError *error);
OozeStatus ooze_probe_density(const OozeProbeView *view, double *values, double *state,
                              OozeError *error);
OozeStatus ooze_probe_components(const OozeProbeView *view, double *values, double *state,
                                 OozeError *error);
OozeStatus ooze_probe_drift(const OozeProbeView *view, double *values, double *state,
                            OozeError *error);
OozeStatus ooze_probe_profile(const OozeProbeView *view, double *values, double *state,
                              OozeError *error);
OozeStatus ooze_probe_azimuth(const OozeProbeView *view, double *values, double *state,
                              OozeError *error);
OozeStatus ooze_probe_heat(const OozeProbeView *view, double *values, double *state,
                           OozeError *error);
OozeStatus ooze_probe_solid(const OozeProbeView *view, double *values, double *state,
                            OozeError *error);
OozeStatus ooze_probe_thread(const OozeProbeView *view, double *values, double *state,
                             OozeError *error);
OozeStatus ooze_probe_solver(const OozeProbeView *view, double *values, double *state,
                             OozeError *error);

#endif
