/* Stages of the links method on the GPU that are in files of their own, and what their loops
   capture. */
#ifndef OOZE_METHODS_LINKS_CUDA_STAGES_CUH
#define OOZE_METHODS_LINKS_CUDA_STAGES_CUH

#include "cuda/dynamic_solids.cuh"
#include "cuda/heat.cuh"
#include "cuda/machine.cuh"
#include "cuda/rank_order.cuh"
#include "cuda/rank_rows.cuh"

extern "C" {
#include "methods/links/particle_formula.h"
#include "methods/links/stages.h"
}

namespace ooze
{

/* Lives as long as the engine: OozeLinksStep.memory. Each step writes the rows of [1] from those of
   [0], and swaps both. Of several processes, between steps, rows are those of a range of the
   numbers of rows, and links name rows of all processes. */
struct LinksData {
    OozeLinksRest rest;
    OozeLinkTable *host; /* rows in the host's memory, for frames */
    RankOrder order;     /* of several processes: that of predicted positions */
    LinkRows<OozeLink> links[2];
    LinkRows<OozeWallLink> walls[2];
    /* of a step */
    const MaterialTable *tables; /* NULL: extensions do not depend on temperature */
    DynamicSolids dynamic;
    DynamicList coupled; /* with samples of dynamic solids near them, or links to them */
    DynamicPush *pushes;
    float *solids_moved; /* m: bound on their travel in the iterations */
    /* Numbers of the rows before the step, per sorted particle, and how many there are of all
       processes. */
    const uint32_t *row_before;
    uint64_t rows_before;
    /* Per sorted particle, of several processes: its number among all; NULL: its index. */
    const uint32_t *number;
};

/* Captured by loop bodies. */
struct LinksView : OozeLinksStep {
    uint32_t n;
    OwnRange own;                        /* in the store; others are ghosts, and have no rows */
    PairView<OozeLinksKernel> now, next; /* present and predicted positions */
    SolidsView solids;
    /* rows */
    const uint64_t *first, *wall_first;
    const uint32_t *count, *wall_count;
    OozeLink *links;
    OozeWallLink *wall_links;
    /* dynamic solids; their number is 0 where there are none, and the pushes are NULL */
    DynamicView dynamic;
    const uint32_t *coupled;
    DynamicPush *pushes;
    float *solids_moved;
};

static inline LinksData *data_of(const OozeLinksStep *step)
{
    return reinterpret_cast<LinksData *>(step->memory);
}

LinksView view_of(const OozeLinksStep *step);

/* Fluid has links to solids with friction, and XSPH. */
OOZE_DEVICE bool has_friction(const LinksView &s, uint32_t solid)
{
    return s.solids.items[solid].friction > 0.0;
}

/* Whether sorted particle k is no ghost. */
OOZE_DEVICE bool is_own(const LinksView &s, uint32_t k)
{
    return s.own.has(s.order[k]);
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
    float4 held = wrap_point(s.periodic, f32x4((float)at.x, (float)at.y, (float)at.z));
    held.w = link.rest;
    return held;
}

/* smooth.cu */
OozeStatus links_find_densities(OozeLinksStep *step, OozeError *error);
void links_smooth(OozeLinksStep *step);
/* control.cu */
OozeStatus links_control(OozeLinksStep *step, OozeError *error);
OozeStatus links_control_walls(OozeLinksStep *step, OozeError *error);
/* solve.cu */
void links_find_multipliers(OozeLinksStep *step);
void links_correct(OozeLinksStep *step);
void links_push_out(OozeLinksStep *step);
/* coupling.cu: dynamic solids */
OozeStatus links_couple(OozeLinksStep *step, OozeError *error);
OozeStatus links_find_near(OozeLinksStep *step, OozeError *error);
void links_push_solids(OozeLinksStep *step);
void links_count_touching(OozeLinksStep *step); /* before particles are pushed out of them */
void links_push_back(OozeLinksStep *step);
void links_hold(OozeLinksStep *step);
void links_load_solids(OozeLinksStep *step);
/* ranks.cu: several processes */
OozeStatus links_follow(OozeLinksStep *step, bool *complete, OozeError *error);
OozeStatus links_divide(OozeLinksStep *step, OozeError *error); /* place, order, number */
void links_order_excess(OozeLinksStep *step);
OozeStatus links_leave(OozeLinksStep *step, OozeError *error);

} // namespace ooze

#endif
