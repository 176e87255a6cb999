/* Data of one substep of the links method on the device: see methods/links/step.h. */
#ifndef OOZE_CUDA_LINKS_STEP_CUH
#define OOZE_CUDA_LINKS_STEP_CUH

#include "cuda/dynamic_solids.cuh"
#include "cuda/heat.cuh"
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
    uint32_t melts;                       /* solid particles are elastic, not liquid ones */
    double given_extension, stretch_rate; /* of the material; NAN: not given */
};

/* Captured by loop bodies. Arrays have n + 1 elements, in the order of the grid of predicted
   positions unless noted. */
struct LinksView {
    OozeLinksConstants k;
    PairView<OozeLinksKernel> now, next; /* present and predicted positions */
    SolidsView solids;
    const LinksMaterial *materials;
    const MaterialTable *tables; /* NULL: extensions do not depend on temperature */
    /* in the order of the store */
    const uint16_t *material, *prescribed; /* prescribed NULL: no nozzle prescribes any velocity */
    uint32_t *row;
    const double *temperature; /* NULL: no heat */
    const uint8_t *phase;      /* NULL: nothing melts */
    uint8_t *elastic;
    float4 *u; /* velocities that positions are predicted with */
    /* in the order of the step */
    const uint32_t *order; /* index in the store */
    float4 *x, *shift;     /* positions, and the sum of their corrections */
    float4 *before;        /* positions before a correction, the multiplier in the last lane */
    float4 *change;        /* correction without the multipliers of neighbours */
    float *inverse_mass;   /* 0: its velocity is prescribed */
    float *extension;      /* at the temperature of each; NULL: that of its material */
    float *share;          /* 1 over the number of taut links */
    float *excess;         /* density above the rest density */
    uint32_t *old_row;     /* OOZE_LINK_ROW_NONE: it is new */
    /* rows */
    const uint64_t *first, *wall_first;
    const uint32_t *count, *wall_count; /* NULL: there are no links */
    const OozeLink *links;
    const float4
        *held_at; /* per link to a solid: position of its fixed end; last lane: rest length */
    const OozeWallLink *wall_links;
    /* dynamic solids */
    DynamicView dynamic;
    const uint32_t *near; /* particles with samples of them in their lists, or links to them */
    uint64_t near_count;
    DynamicPush *pushes; /* NULL: no solid is dynamic */
    float *solids_moved; /* m: bound on their travel in the iterations */
};

struct LinksStep {
    Engine *engine;
    Gpu *gpu;
    LinksData *data;
    OozeStepContext *context;
    LinksView view;
    DynamicSolids dynamic;
};

/* The material of a particle at its temperature. */
OOZE_DEVICE LinksMaterial material_of(const LinksView &s, uint32_t i)
{
    LinksMaterial own = s.materials[s.material[s.order[i]]];
    if (s.extension) {
        own.extension = s.extension[i];
    }
    if (own.melts) {
        own.elastic = s.elastic[s.order[i]];
    }
    return own;
}

/* Fluid has links to solids with friction, and XSPH. */
OOZE_DEVICE bool has_friction(const LinksView &s, uint32_t solid)
{
    return s.solids.items[solid].friction > 0.0;
}

/* Gradient of the kernel along d, times a volume. */
OOZE_DEVICE float4 gradient(const LinksView &s, float volume, float slope, float4 d)
{
    return (volume * slope / fmaxf(d.w, 1e-6f * s.k.support)) * d;
}

/* Present position of the fixed end of a link; last lane: its rest length. */
OOZE_DEVICE float4 place_held(const LinksView &s, const OozeWallLink &link)
{
    const OozePose *pose = &s.solids.items[link.solid].pose;
    OozeVec3 place = vec3(link.place[0], link.place[1], link.place[2]);
    OozeVec3 at = vec3_add(pose->position, quat_rotate(pose->rotation, place));
    float4 held = wrap_point(s.next.periodic, f32x4((float)at.x, (float)at.y, (float)at.z));
    held.w = link.rest;
    return held;
}

/* ---- dynamic solids, coupling.cu: see methods/links/coupling.c. They return at once without
   any. ---- */

/* At the beginning of the step, and of its iterations. */
OozeStatus links_couple(LinksStep *step, OozeError *error);
void links_couple_iterations(LinksStep *step);
/* Between multipliers and corrections: divides the corrections, and moves the solids. */
void links_push_solids(LinksStep *step);
/* Before and after the push-out. */
void links_count_touching(LinksStep *step, float contact);
void links_push_back(LinksStep *step);

/* Coherent motion (XSPH) of view.u. */
void links_smooth(LinksStep *step);
/* Algorithm 1: deletes, extends and makes links at the predicted positions. */
OozeStatus links_control(LinksStep *step, OozeError *error);
/* Algorithm 2, lines 12 to 20: view.x and view.shift. */
void links_solve(LinksStep *step);

} // namespace ooze

#endif
