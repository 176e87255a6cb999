/* Levels of the background grids on the GPU: see solvers/multigrid/levels.h. */
#ifndef OOZE_SOLVERS_MULTIGRID_CUDA_LEVELS_CUH
#define OOZE_SOLVERS_MULTIGRID_CUDA_LEVELS_CUH

#include "cuda/grid_cells.cuh"

extern "C" {
#include "solvers/multigrid/cycle_formula.h"
#include "solvers/multigrid/links_formula.h"
}

namespace ooze
{

/* Buffers of a level, by what their sizes depend on. */
enum { LEVEL_CELLS, LEVEL_CHILDREN, LEVEL_LINKS, LEVEL_NODES, LEVEL_BUFFERS };

/* Memory that is kept from step to step. Starts as zero. */
struct DeviceHierarchy : OozeHierarchy {
    Gpu *gpu;             /* of the build */
    uint32_t *cell_of;    /* cell of each of `child` of the first level; not with links */
    uint32_t *element_of; /* with links, per particle: its cell */
    DeviceBuffer particle_buffer, level_buffer[OOZE_MULTIGRID_LEVELS][LEVEL_BUFFERS];
    /* The cycle of the first level with few nodes is one launch: a launch of each step would take
       longer than the work. Its steps are kept in device memory, because threads would wait for
       each other longer if each of them found the next step by itself. */
    int small_level, small_steps;
    OozeCycleStep *small_step;
    DeviceBuffer step_buffer;
};
void hierarchy_free(Gpu *gpu, DeviceHierarchy *h);
/* Before a build: no levels. */
void hierarchy_clear(Gpu *gpu, DeviceHierarchy *h);

/* As the functions of cpu/levels.h. All of them wait and use scratch memory, which is free again on
   return. */
void hierarchy_set_axes(DeviceHierarchy *h, const Axes &axes);
void hierarchy_find_cells(DeviceHierarchy *h, const float4 *x);
/* Finds the levels; stages other than the first are those of any kind. */
void hierarchy_find(DeviceHierarchy *h, void (*find_first)(OozeHierarchy *));

/* Finds the steps of the cycle of the first level that has at most so many nodes; of none, if all
   have more. `dense`: the last level is solved directly. */
void hierarchy_find_steps(DeviceHierarchy *h, OozeCyclePlan plan, bool dense, uint64_t nodes);

static inline Axes axes_of(const OozeHierarchy *h)
{
    return {{h->axis[0], h->axis[1], h->axis[2]}};
}

/* first[k] = sum of count[0 .. k - 1], in place of n counts; first[n], and the result: their sum.
   Waits. */
uint32_t sum_counts(Gpu *gpu, uint32_t *first, uint64_t n);

/* Moves the links of each cell from its place in `found` into level->link; level->link_first holds
   their numbers. place NULL: there is room for OOZE_LINK_SLOTS each. Waits. */
void store_links(DeviceHierarchy *h, int k, const uint32_t *found, const uint32_t *place);

/* ---- the cycle ---- */

#ifdef __CUDACC__
unsigned multiprocessors(Gpu *gpu); /* 1 where the GPU has failed */
#endif

OOZE_DEVICE bool is_off(const int32_t *off)
{
    return off && *off;
}

/* Value of corner c of a cell at a place in it, 0 to 1. */
OOZE_DEVICE float corner_weight(float4 into, uint32_t c)
{
    float x = c & 1 ? into.x : 1.0f - into.x, y = c & 2 ? into.y : 1.0f - into.y;
    return x * y * (c & 4 ? into.z : 1.0f - into.z);
}

/* corner_sums: 8 per cell of the first level, P^T r by cell; then set(i, sum) for each node, unless
   the flag *off is set; off may be NULL. zero: of the type of r. */
template <class Value, class Set>
void restrict_particles(Gpu *gpu, const OozeHierarchy *h, const Value *r, Value *corner_sums,
                        Value zero, const int32_t *off, Set set)
{
    const OozeMultigridLevel level = h->level[0];
    const float4 *all = h->into;
    for_each(
        gpu, 8 * level.cells, OOZE_BODY(uint32_t i) {
            if (is_off(off)) {
                return;
            }
            Value sum = zero;
            for (uint32_t e = level.child_first[i / 8]; e < level.child_first[i / 8 + 1]; e++) {
                sum = sum + corner_weight(all[e], i) * r[level.child[e]];
            }
            corner_sums[i] = sum;
        });
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            if (is_off(off)) {
                return;
            }
            Value sum = zero;
            for (uint32_t e = level.node_first[i]; e < level.node_first[i + 1]; e++) {
                sum = sum + corner_sums[level.node_corner[e]];
            }
            set(i, sum);
        });
}

/* The cycle of the first level, whose b and first direction of the smoother are known, as those of
   other levels are after RESTRICT. launch(step) launches a step, small() the cycle of the small
   level. */
template <class Launch, class Small>
void launch_cycle(const DeviceHierarchy *h, OozeCyclePlan plan, bool dense, Launch launch,
                  Small small)
{
    OozeCycle cycle;
    OozeCycleStep step;
    if (h->small_level == 0) {
        small();
        return;
    }
    ooze_cycle_start(&cycle, plan, 0, h->levels - 1, dense);
    while (ooze_cycle_next(&cycle, &step)) {
        if (step.kind != OOZE_CYCLE_ZERO) {
            launch(step);
        }
        if (step.kind == OOZE_CYCLE_RESTRICT && step.level == h->small_level) {
            small();
            ooze_cycle_skip(&cycle);
        }
    }
}

} // namespace ooze

#endif
