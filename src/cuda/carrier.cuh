/* Takes arrays from the device to the host's ordinary memory at the speed of the bus: by way of two pinned pieces, of
   which one is filled while threads empty the other. */
#ifndef OOZE_CUDA_CARRIER_CUH
#define OOZE_CUDA_CARRIER_CUH

#include "cuda/machine.cuh"

namespace ooze
{

struct Carrier;

Carrier *carrier_create(void); /* NULL: no memory for it */
void carrier_free(Carrier *carrier);

struct Load {
    void *to_host;
    const void *from;
    size_t size;
};
enum { LOADS_MAX = 32 };
/* Waits until all are there. */
void carry_home(Machine *m, Carrier *carrier, const Load *loads, int count);

/* The same on a thread and a stream beside the machine's, once the machine has done what it was told so far. Nobody
   else touches either end until carrier_end, which waits. One at a time. */
void carrier_begin(Machine *m, Carrier *carrier, const Load *loads, int count);
void carrier_end(Machine *m, Carrier *carrier);

/* Whether the device can spare so many bytes beyond what steps may yet ask for. */
bool memory_is_ample(size_t size);

} // namespace ooze

#endif
