/* Stages of the blend method on the GPU that are in files of their own, and what their loops
   capture. */
#ifndef OOZE_METHODS_BLEND_CUDA_STAGES_CUH
#define OOZE_METHODS_BLEND_CUDA_STAGES_CUH

#include "cuda/machine.cuh"

extern "C" {
#include "methods/blend/stages.h"
}

namespace ooze
{

/* Kept between steps: regions, whose arrays are in these buffers. */
struct BlendData : OozeRegions {
    DeviceBuffer reference_buffer, region_of_buffer, share_buffer, cell_buffer, near_buffer,
        list_first_buffer, list_buffer;
};

/* Captured by loop bodies. */
struct BlendView : OozeBlendStep {
    PairView<OozeBlendConstants> pairs; /* positions at the beginning of the substep */
    SolidsView solids;
    OozeRegions r; /* in place of `regions`, which are on the host */
};

static inline BlendView view_of(const OozeBlendStep *step)
{
    return {*step, pairs_of(step->machine, step->k), engine_of(step->machine)->solids.view,
            *step->regions};
}

/* reference.cu */
OozeBlendGate blend_measure_gate(OozeBlendStep *step, uint16_t material);
void blend_take_positions(OozeBlendStep *step, uint16_t material);
bool blend_regions_fit(OozeBlendStep *step);
/* regions.cu */
OozeStatus blend_build_regions(OozeBlendStep *step, const OozeRegionsInput *input, uint32_t *slot,
                               OozeError *error);
/* sph.cu */
void blend_sum_densities(OozeBlendStep *step);
void blend_sum_forces(OozeBlendStep *step);
/* points.cu */
void blend_place_points(OozeBlendStep *step);
extern const OozeBlendSharingStages blend_sharing_stages;
/* matching.cu */
void blend_fit_cells(OozeBlendStep *step);
void blend_fit_cell_velocities(OozeBlendStep *step);
void blend_pull_cells(OozeBlendStep *step);
void blend_fit_particles(OozeBlendStep *step);
void blend_pull_particles(OozeBlendStep *step);
/* contact.cu */
OozeStatus blend_find_walls(OozeBlendStep *step, OozeError *error);
float blend_move(OozeBlendStep *step);

} // namespace ooze

#endif
