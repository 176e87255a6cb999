/* Data of one substep of the blend method on the device: see methods/blend/step.h. */
#ifndef OOZE_CUDA_BLEND_STEP_CUH
#define OOZE_CUDA_BLEND_STEP_CUH

#include "cuda/contact_loads.cuh"
#include "cuda/heat.cuh"
#include "cuda/method.cuh"
#include "cuda/pairs.cuh"

extern "C" {
#include "methods/blend/contact_formula.h"
#include "methods/blend/matching_formula.h"
#include "methods/blend/reference_formula.h"
#include "methods/blend/sph_formula.h"
}

namespace ooze
{

/* Lives as long as the engine. */
struct BlendData {
    OozeRegions regions; /* arrays on the device, in the buffers below */
    DeviceBuffer reference, region_of, share, cell, near, list_first, list;
};

/* Captured by loop bodies. Arrays in the order of the store. */
struct BlendView {
    PairView<OozeBlendConstants> pairs; /* positions at the beginning of the substep */
    SolidsView solids;
    OozeVec3 gravity;
    double dt;
    bool compares_shapes; /* forces between some particles depend on whether they share a region */
    float smoothing;      /* share of this substep in the average of contact accelerations */
    const OozeBlendMaterial *materials;
    const MaterialTable *tables;           /* NULL: no material has one */
    const double *temperature;             /* NULL: no heat */
    const uint8_t *phase;                  /* NULL: nothing melts */
    const uint16_t *material, *prescribed; /* prescribed NULL: no nozzle prescribes any velocity */
    const uint16_t *body, *pin;            /* see OozeStepContext; NULL: 0 for all */
    const float4 *u;
    /* fields */
    OozeFloat4 *reference, *rotation, *external;
    uint32_t *reference_step, *slot;
    float *density;
    uint8_t *elastic;
    /* n + 1, scratch */
    float4 *shape;        /* reference position, and ooze_blend_shape_tag */
    float4 *state;        /* see pack_state */
    float4 *acceleration; /* of the SPH half and of walls; without gravity */
    float4 *wall;         /* sum of normals times kernel gradients, 1/m; and of densities */
    float4 *next_x, *next_u, *next_external;
    OozeSolidImpulses *impulses; /* NULL: no solid is dynamic */
};

/* Shape matching, captured by loop bodies. Arrays are scratch. */
struct MatchView {
    OozeMatching m;
    OozeRegions r;
    double (*sums)[OOZE_MATCH_SUMS]; /* per region of cells */
};

struct BlendStep {
    Engine *engine;
    Gpu *gpu;
    BlendData *data;
    OozeStepContext *context;
    const OozeBlendMaterial *materials; /* host */
    bool damped;
    BlendView view;
    MatchView match;
};

/* OozeBlendState as one aligned element. */
OOZE_DEVICE float4 pack_state(OozeBlendState s)
{
    return f32x4(s.pressure, s.inverse_density, s.viscosity, s.fluid_share);
}

OOZE_DEVICE OozeBlendState unpack_state(float4 s)
{
    return {s.x, s.y, s.z, s.w};
}

/* Takes new reference positions where they are due and builds the regions again if needed. */
OozeStatus blend_update(BlendStep *step, OozeError *error);
/* Builds data->regions and view.slot from the reference positions. A failure leaves no regions.
   Waits for the numbers of slots, cells and entries of lists. */
OozeStatus blend_build_regions(BlendStep *step, OozeError *error);
/* view.density, view.state and view.acceleration. */
void blend_sum_densities(BlendStep *step);
void blend_sum_forces(BlendStep *step);
/* match.m.pull and rotation. */
void blend_match_shapes(BlendStep *step);
/* view.wall. */
void blend_find_walls(BlendStep *step);
/* New positions, velocities and contact accelerations into view.next_*; fills the report and the
   loads of dynamic solids. */
OozeStatus blend_move(BlendStep *step, OozeError *error);

} // namespace ooze

#endif
