/* What tests of device code include: cmocka's checks as C++ sees them, a GPU, and arrays to and
   from it. */
#ifndef OOZE_TESTS_DEVICE_H
#define OOZE_TESTS_DEVICE_H

#include <vector>

#include "cuda/lists.cuh"

extern "C" {
#include "base/hash.h"
#include "check.h"
#include "particles/neighbours.h"
}

/* Machines are made once a test: a failure must not pass on. */
static inline void open_machine(ooze::Gpu *m)
{
    if (!ooze::gpu_create(m)) {
        fail_msg("no device to test on");
    }
}

/* A device array of these elements and one more of zeros, gone with the GPU's scratch. */
template <class T> T *send(ooze::Gpu *m, const std::vector<T> &values)
{
    T *to = ooze::scratch<T>(m, values.size());
    ooze::clear(m, to, (values.size() + 1) * sizeof(T));
    ooze::copy_in(m, to, values.data(), values.size() * sizeof(T));
    assert_int_equal(m->failed, cudaSuccess);
    return to;
}

template <class T> std::vector<T> fetch(ooze::Gpu *m, const T *from, uint64_t n)
{
    std::vector<T> values(n);
    ooze::copy_out(m, values.data(), from, n * sizeof(T));
    assert_int_equal(m->failed, cudaSuccess);
    return values;
}

#endif
