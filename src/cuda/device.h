/* The GPUs of this computer, and what runs on the first. Built with the cuda preset
   only. */
#ifndef OOZE_CUDA_DEVICE_H
#define OOZE_CUDA_DEVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "surface/device.h"
#include "world/engine.h"

/* Writes one line about the first GPU ("NVIDIA H200, 139 GiB, compute 9.0; CUDA 13.0"), or why
   there is none. Returns the number of GPUs. */
int ooze_cuda_describe(char *line, size_t size);

/* From now on this thread uses the GPU `number`, modulo their number. */
void ooze_cuda_select(int number);

extern const OozeEngine ooze_cuda_engine;
extern const OozeSurfaceDevice ooze_cuda_surface;

#ifdef __cplusplus
}
#endif
#endif
