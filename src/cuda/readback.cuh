/* Takes arrays from the device to the host's ordinary memory at the speed of the bus: by way of two
   pinned pieces, of which one is filled while threads empty the other. */
#ifndef OOZE_CUDA_READBACK_CUH
#define OOZE_CUDA_READBACK_CUH

#include "cuda/gpu.cuh"

namespace ooze
{

struct Readback;

Readback *readback_create(void); /* NULL: no memory for it */
void readback_free(Readback *readback);

struct ReadbackItem {
    void *to_host;
    const void *from;
    size_t size;
};
/* Waits until all are there. */
void readback_all(Gpu *gpu, Readback *readback, const ReadbackItem *items, int count);

} // namespace ooze

#endif
