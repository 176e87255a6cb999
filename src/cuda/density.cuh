/* The density stage on the device: see methods/density.h, whose job this is. */
#ifndef OOZE_CUDA_DENSITY_CUH
#define OOZE_CUDA_DENSITY_CUH

#include "cuda/engine.cuh"

namespace ooze
{

/* Numbers and device arrays in the order of the particle store; those that may be NULL say so. Meanings are those of
   OozeDensityJob. */
struct DensityJob {
    const OozeStepContext *context; /* spacing, dt, periodic, report, clock */
    uint64_t n;
    float support, volume, wall_scale, contact;
    int iterations;
    float tolerance;
    bool plain;
    float apart;
    float4 *drift;                              /* or NULL */
    const float *limit;                         /* or NULL */
    float4 *settled;                            /* or NULL */
    const float *borne;                         /* with settled */
    const float *mobility;                      /* or NULL */
    const uint16_t *rigid;                      /* or NULL */
    const float *ease;                          /* or NULL */
    const uint8_t *bare;                        /* or NULL */
    const float4 *start;                        /* or NULL */
    void (*between)(void *user, float4 *shift); /* host function that launches loops; or NULL */
    void *user;
};

/* As ooze_density_solve: the shift that positions x need, which are wrapped into the box. Waits for the sort and the
   lists, and once when the iterations are through; after every eighth of more iterations it looks whether an earlier one
   was the last. */
OozeStatus density_solve(Engine *engine, const DensityJob *job, float4 *x, float4 *shift,
                         OozeError *error);

} // namespace ooze

#endif
