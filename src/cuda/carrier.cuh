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
/* Waits until all are there. */
void carry_home(Machine *m, Carrier *carrier, const Load *loads, int count);

} // namespace ooze

#endif
