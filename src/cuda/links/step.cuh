/* Data of one substep of the links method on the device: see methods/links/step.h. */
#ifndef OOZE_CUDA_LINKS_STEP_CUH
#define OOZE_CUDA_LINKS_STEP_CUH

#include "cuda/link_rows.cuh"
#include "cuda/method.cuh"
#include "cuda/pairs.cuh"

extern "C" {
#include "methods/links/arrays.h"
#include "methods/links/constants.h"
}

namespace ooze
{

/* Lives as long as the engine. Each step writes the rows of [1] from those of [0], and swaps
   both. */
struct LinksData {
    OozeLinksRest rest;
    OozeLinkTable *host; /* rows in the host's memory, for frames */
    LinkRows<OozeLink> links[2];
    LinkRows<OozeWallLink> walls[2];
};

struct LinksMaterial {
    float inverse_mass, extension; /* see ooze_links_materials */
    uint32_t elastic;
};

/* Captured by loop bodies. Arrays have n + 1 elements, in the order of the grid of predicted
   positions unless noted. */
struct LinksView {
    OozeLinksConstants k;
    PairView<OozeLinksKernel> now, next; /* present and predicted positions */
    SolidsView solids;
    const LinksMaterial *materials;
    /* in the order of the store */
    const uint16_t *material, *prescribed; /* prescribed NULL: no nozzle prescribes any velocity */
    uint32_t *row;
    uint8_t *elastic;
    float4 *u; /* velocities that positions are predicted with */
    /* in the order of the step */
    const uint32_t *order; /* index in the store */
    float4 *x, *shift;     /* positions, and the sum of their corrections */
    float4 *before;        /* positions before a correction, the multiplier in the last lane */
    float4 *change;        /* correction without the multipliers of neighbours */
    float *inverse_mass;   /* 0: its velocity is prescribed */
    float *share;          /* 1 over the number of taut links */
    float *excess;         /* density above the rest density */
    uint32_t *old_row;     /* OOZE_LINK_ROW_NONE: it is new */
    /* rows */
    const uint64_t *first, *wall_first;
    const uint32_t *count, *wall_count; /* NULL: there are no links */
    const OozeLink *links;
    const float4
        *held_at; /* per link to a solid: position of its fixed end; last lane: rest length */
};

struct LinksStep {
    Engine *engine;
    Gpu *gpu;
    LinksData *data;
    OozeStepContext *context;
    LinksView view;
};

OOZE_DEVICE LinksMaterial material_of(const LinksView &s, uint32_t i)
{
    return s.materials[s.material[s.order[i]]];
}

/* Fluid clings to solids with friction: it has links to them, and XSPH. */
OOZE_DEVICE bool clings(const LinksView &s, uint32_t solid)
{
    return s.solids.items[solid].friction > 0.0;
}

/* Coherent motion (XSPH) of view.u. */
void links_smooth(LinksStep *step);
/* Algorithm 1: deletes, extends and makes links at the predicted positions. */
OozeStatus links_control(LinksStep *step, OozeError *error);
/* Algorithm 2, lines 12 to 20: view.x and view.shift. */
void links_solve(LinksStep *step);

} // namespace ooze

#endif
