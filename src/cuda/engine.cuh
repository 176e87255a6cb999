/* The engine's inside: what outlives a step. */
#ifndef OOZE_CUDA_ENGINE_CUH
#define OOZE_CUDA_ENGINE_CUH

#include "cuda/solids.cuh"
#include "cuda/store.cuh"

namespace ooze
{

/* Below, launching loops takes the time, not gathering. */
enum { PACK_FROM = FEW };

struct Engine {
    Machine machine;
    uint64_t
        pack_from; /* particles from which on iterations gather rounded numbers, see packed.cuh */
    Store store;
    Grid
        grid; /* of positions at the beginning of a stroke, then of where they are predicted to be */
    Lists fluid;       /* neighbours there */
    Lists fluid_walls; /* samples of walls near each particle */
    Lists near,
        near_walls; /* of the density stage: neighbours where particles are predicted to be */
    Solids solids;
    Walls walls;
};

/* Whether the method runs here with these settings; if not, why. */
bool conformation_takes(const OozeStepContext *context, char *why, size_t size);
/* One stroke of the conformation method on what stands in the store, lists made. */
OozeStatus conformation_step(Engine *engine, OozeStepContext *context, OozeError *error);

} // namespace ooze

#endif
