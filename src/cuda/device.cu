#include "cuda/device.h"

#include <cstdio>

#ifdef __CUDACC__
#include <cuda_runtime.h>

extern "C" int ooze_cuda_describe(char *line, size_t size)
{
    int count = 0, version = 0;
    cudaError_t result = cudaGetDeviceCount(&count);
    cudaRuntimeGetVersion(&version);
    cudaDeviceProp properties;
    if (result == cudaSuccess && count > 0) {
        result = cudaGetDeviceProperties(&properties, 0);
    }
    if (result != cudaSuccess || count == 0) {
        snprintf(line, size, "no GPU: %s; CUDA %d.%d",
                 result == cudaSuccess ? "none found" : cudaGetErrorString(result), version / 1000,
                 version % 1000 / 10);
        return 0;
    }
    snprintf(line, size, "%s, %.0f GiB, compute %d.%d; CUDA %d.%d", properties.name,
             (double)properties.totalGlobalMem / (1024.0 * 1024.0 * 1024.0), properties.major,
             properties.minor, version / 1000, version % 1000 / 10);
    return count;
}

extern "C" void ooze_cuda_select(int number)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) {
        cudaSetDevice(number % count);
    }
    (void)cudaGetLastError(); /* the first allocation reports a GPU that cannot be used */
}
#else
extern "C" void ooze_cuda_select(int number)
{
    (void)number;
}

extern "C" int ooze_cuda_describe(char *line, size_t size)
{
    snprintf(line, size, "device code on the processor, for tests");
    return 1;
}
#endif
