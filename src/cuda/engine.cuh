/* Data of the GPU engine that lives longer than a step. */
#ifndef OOZE_CUDA_ENGINE_CUH
#define OOZE_CUDA_ENGINE_CUH

#include "cuda/solids.cuh"
#include "cuda/store.cuh"

namespace ooze
{

/* Bonds of soft bodies, on the host and on the device. Starts as zero. */
struct Bonds {
    OozeBonds *made; /* NULL: none yet */
    /* for these slots and particles, see Store.changes, `valid` are the bonds; NULL: none */
    bool found;
    uint64_t found_slots, found_of;
    const OozeBonds *valid;
    bool sent;
    uint64_t sent_slots, sent_of; /* of the copy on the device, see OozeBonds */
    DeviceBuffer first, other, length, share;
};
void bonds_free(Gpu *gpu, Bonds *bonds);

struct DeviceMethod; /* see method.cuh */

struct Engine {
    Gpu gpu;
    const DeviceMethod *method;
    void *method_data;
    bool uses_lists; /* the method reads neighbours; else only heat does */
    /* particles from which on iterations gather rounded numbers, see packed.cuh: with fewer of them
       launches dominate the time, not gathers */
    uint64_t pack_from;
    /* `auto` weighs times of a GPU, with launches; false, for tests: those of the processor */
    bool counts_launches;
    Store store;
    /* of positions at the beginning of a substep, then of predicted positions */
    Grid grid;
    Lists fluid;       /* neighbours at the beginning of a substep */
    Lists fluid_walls; /* boundary particles near each particle */
    /* the same at predicted positions */
    Lists near, near_walls;
    Solids solids;
    Walls walls;
    Bonds bonds;
};

} // namespace ooze

#endif
