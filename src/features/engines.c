/* Engines and builders of surfaces besides the processor. */
#include <string.h>

#include "surface/device.h"
#include "world/engine.h"

#ifdef OOZE_WITH_CUDA
#include "cuda/device.h"
#endif

const OozeEngine *ooze_engine_find(const char *name)
{
#ifdef OOZE_WITH_CUDA
    if (strcmp(name, ooze_cuda_engine.name) == 0) {
        return &ooze_cuda_engine;
    }
#else
    (void)name;
#endif
    return NULL;
}

const OozeSurfaceDevice *ooze_surface_device(void)
{
#ifdef OOZE_WITH_CUDA
    return &ooze_cuda_surface;
#else
    return NULL;
#endif
}
