/* The density stage on the device: see solvers/density/density.h. */
#ifndef OOZE_CUDA_DENSITY_CUH
#define OOZE_CUDA_DENSITY_CUH

#include "cuda/dynamic_solids.cuh"
#include "cuda/engine.cuh"

namespace ooze
{

/* See OozeDensityJob. Device arrays are in the order of the particle store. */
struct DensityJob {
    const OozeStepContext *context; /* spacing, dt, periodic, report, clock */
    uint64_t n;
    float support, volume, wall_scale, contact;
    int iterations;
    float tolerance, mean_tolerance;
    bool plain;
    float min_distance, drift_share;
    float4 *drift;                              /* or NULL */
    const OozeSym3 *thread_regularisation;      /* or NULL */
    const float *density_target;                /* or NULL */
    float4 *position_only_shift;                /* or NULL */
    const float *load_excess;                   /* with position_only_shift */
    float *multiplier;                          /* or NULL */
    const float *first_multiplier;              /* or NULL; may be `multiplier` */
    const float *mobility;                      /* or NULL */
    const uint16_t *rigid;                      /* or NULL */
    const float *effective_inverse_mass;        /* or NULL */
    const uint8_t *ignores_boundary;            /* or NULL */
    const float4 *start;                        /* or NULL */
    DynamicView dynamic;                        /* count 0: no solid is dynamic */
    void (*between)(void *user, float4 *shift); /* host function that launches loops; or NULL */
    void *user;
};

/* As ooze_density_solve: finds the shift of positions x, and wraps x into the box. Waits for the
   sort, the lists and the last iteration; every eighth iteration it checks for convergence. */
OozeStatus density_solve(Engine *engine, const DensityJob *job, float4 *x, float4 *shift,
                         OozeError *error);

} // namespace ooze

#endif
