/* Sums over segments: every element once, in a fixed order, and what follows from a sum. */
#include "cuda/segment_sums.cuh"

#include "device/device_check.h"

struct Moments {
    double count, value, first;
    __device__ void operator+=(const Moments &o)
    {
        count += o.count;
        value += o.value;
        first = o.first < first ? o.first : first;
    }
};

/* Segments of these numbers of elements, one after another. */
struct TestSegments {
    ooze::Segments segments;
    uint64_t elements;
};

static TestSegments make_segments(ooze::Gpu *m, const std::vector<uint32_t> &sizes)
{
    std::vector<ooze::SegmentPart> parts;
    std::vector<uint32_t> first;
    uint32_t at = 0;
    for (uint32_t k = 0; k < sizes.size(); k++) {
        const uint32_t end = at + sizes[k];
        first.push_back((uint32_t)parts.size());
        for (uint64_t p = ooze::segment_parts(sizes[k]); p > 0; p--) {
            const uint32_t next = at + ooze::SEGMENT_PART < end ? at + ooze::SEGMENT_PART : end;
            parts.push_back({at, next, k});
            at = next;
        }
    }
    first.push_back((uint32_t)parts.size());
    const ooze::Segments segments = {send(m, parts), send(m, first), (uint32_t)parts.size(),
                                     (uint32_t)sizes.size()};
    return {segments, at};
}

/* The sums of one launch, and how often `then` and `last` have followed. */
static std::vector<Moments> sums_of(ooze::Gpu *m, const TestSegments *s, const double *values,
                                    std::vector<uint32_t> *calls)
{
    const uint64_t count = s->segments.count;
    Moments *sums = ooze::scratch<Moments>(m, count), none = {0.0, 0.0, 1e30};
    uint32_t *called = ooze::scratch<uint32_t>(m, count + 2);
    ooze::clear(m, called, (count + 2) * sizeof *called);
    ooze::sum_segments(
        m, s->segments, none,
        OOZE_BODY(uint32_t i, uint32_t) {
            Moments one = {1.0, values[i], (double)i};
            return one;
        },
        OOZE_BODY(uint32_t k, Moments sum, uint32_t lane) {
            atomicAdd(&called[k], 1u);
            if (lane == 0) {
                sums[k] = sum;
            }
        },
        OOZE_BODY() {
            uint32_t done = 0;
            for (uint64_t k = 0; k < count; k++) {
                done += called[k];
            }
            called[count] += 1;
            called[count + 1] = done; /* all segments are complete by now */
        });
    *calls = fetch(m, called, count + 2);
    return fetch(m, sums, count);
}

static void every_element_counts_once(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    const std::vector<uint32_t> sizes = {1, 0, 1023, 1024, 1025, 7, 131072 + 5, 128, 2048};
    const TestSegments s = make_segments(m, sizes);
    std::vector<double> values;
    for (uint64_t i = 0; i < s.elements; i++) {
        values.push_back((double)(i * i % 1009)); /* integers: sums are exact */
    }
    const double *sent_values = send(m, values);
    std::vector<uint32_t> calls;
    for (int run = 0; run < 3; run++) { /* counters of blocks are 0 again after a launch */
        const std::vector<Moments> sums = sums_of(m, &s, sent_values, &calls);
        uint64_t at = 0;
        for (uint64_t k = 0; k < sizes.size(); k++) {
            double value = 0.0;
            for (uint64_t i = at; i < at + sizes[k]; i++) {
                value += values[i];
            }
            assert_true(sums[k].count == (double)sizes[k] && sums[k].value == value);
            assert_true(sums[k].first == (sizes[k] ? (double)at : 1e30));
            assert_int_equal(calls[k], ooze::SEGMENT_LANES);
            at += sizes[k];
        }
        assert_int_equal(calls[sizes.size()], 1);
        assert_int_equal(calls[sizes.size() + 1], sizes.size() * ooze::SEGMENT_LANES);
    }
}

static void sums_have_the_same_bits_in_every_launch(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    const TestSegments s = make_segments(m, {5000, 3, 20000});
    std::vector<double> values;
    for (uint64_t i = 0; i < s.elements; i++) {
        values.push_back(random_between(i, 1, -1.0, 1.0));
    }
    const double *sent_values = send(m, values);
    std::vector<uint32_t> calls;
    const std::vector<Moments> first = sums_of(m, &s, sent_values, &calls);
    for (int run = 0; run < 20; run++) {
        const std::vector<Moments> again = sums_of(m, &s, sent_values, &calls);
        assert_memory_equal(again.data(), first.data(), first.size() * sizeof first[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_counts_once),
        cmocka_unit_test(sums_have_the_same_bits_in_every_launch),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
