/* The engine's inside: what outlives a step. */
#ifndef OOZE_CUDA_ENGINE_CUH
#define OOZE_CUDA_ENGINE_CUH

#include "cuda/solids.cuh"
#include "cuda/store.cuh"

namespace ooze
{

/* Below, launching loops takes the time, not gathering. */
enum { PACK_FROM = FEW };

/* Of soft bodies: as the host has made them, and where they were sent. Starts as zero. */
struct Bonds {
    OozeBonds *made; /* NULL: none yet */
    bool sent;
    uint64_t sent_slots, sent_of; /* of what was sent, see OozeBonds */
    Room first, other, length, share;
};
void bonds_free(Machine *m, Bonds *bonds);

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
    Bonds bonds;
};

/* One stroke of the conformation method on what stands in the store, lists made. */
OozeStatus conformation_step(Engine *engine, OozeStepContext *context, OozeError *error);

} // namespace ooze

#endif
