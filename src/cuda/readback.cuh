/* Copies arrays from the device to pageable host memory at the bandwidth of the bus: through two
   pinned buffers, of which the bus fills one while threads empty the other. */
#ifndef OOZE_CUDA_READBACK_CUH
#define OOZE_CUDA_READBACK_CUH

#include "cuda/gpu.cuh"

namespace ooze
{

struct Readback;

Readback *readback_create(void); /* NULL: out of memory */
void readback_free(Readback *readback);

struct ReadbackItem {
    void *to_host;
    const void *from;
    size_t size;
};
/* Waits for all copies. */
void readback_all(Gpu *gpu, Readback *readback, const ReadbackItem *items, int count);

} // namespace ooze

#endif
