/* Data of the GPU engine that lives longer than a step. */
#ifndef OOZE_CUDA_ENGINE_CUH
#define OOZE_CUDA_ENGINE_CUH

#include "cuda/solids.cuh"
#include "cuda/store.cuh"

extern "C" {
#include "world/engine.h"
}

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

/* Copies of particles to the host while steps go on. Starts as zero. */
struct Fetches {
    bool created;
    cudaStream_t stream;
    cudaEvent_t kept, copied; /* of the last fetch */
    DeviceBuffer particles;   /* as they were at the last fetch */
};
/* As OozeEngine.fetch. */
struct Engine;
bool fetch_begin(Engine *engine, OozeFetch *fetch, OozeFieldView *fields, int count);
void fetches_free(Gpu *gpu, Fetches *fetches); /* waits for the last one */

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
    Fetches fetches;
};

} // namespace ooze

#endif
