/* For tests of the parts of an engine: more of device/device.h. */
#ifndef OOZE_TESTS_DEVICE_CHECK_H
#define OOZE_TESTS_DEVICE_CHECK_H

#include "cuda/engine.cuh"
#include "device/device.h"

/* A GPU for the length of a test. */
struct TestGpu {
    ooze::Gpu m;
    TestGpu() { assert_true(ooze::gpu_create(&m)); }
    ~TestGpu() { ooze::gpu_destroy(&m); }
};

static inline double random_between(uint64_t element, uint64_t draw, double low, double high)
{
    return low + (high - low) * ooze_random01(7, element, draw);
}

/* n numbers of the device, on the host; free with free. */
template <class T> T *brought_home(ooze::Gpu *m, const T *from, uint64_t n)
{
    T *to = static_cast<T *>(malloc((n + 1) * sizeof(T)));
    ooze::copy_out(m, to, from, n * sizeof(T));
    return to;
}

#endif
