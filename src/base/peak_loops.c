#include "base/clock.h"
#include "base/four.h"
#include "base/peak.h"

/* As many as hide the latency of the units (four cycles of four units at most), and fit the registers together
   with the factors. */
#if defined(__aarch64__) || defined(__AVX512F__)
enum { CHAINS = 16 };
#else
enum { CHAINS = 12 };
#endif
/* An element takes some tenths of a millisecond: a thread that has to share its core is seldom interrupted within
   one, so that their median is what the core can do. */
enum { TURNS = 1 << 17 };

/* The compiler must take the value for a new one: else it would multiply once for all chains. */
#if defined(__aarch64__)
#define RENEW(value) __asm__ volatile("" : "+w"(value))
#elif defined(__x86_64__)
#define RENEW(value) __asm__ volatile("" : "+x"(value))
#else
#define RENEW(value) (void)(value)
#endif

/* Chains stay in registers only where no loop over them is left. */
#define UNROLLED _Pragma("GCC unroll 16")

static void four_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePeakJob *job = data;
    OozeFour a = ooze_four_splat(0.999f), b = ooze_four_splat(1e-3f), c[CHAINS], sum = {0};
    UNROLLED
    for (int k = 0; k < CHAINS; k++) {
        c[k] = ooze_four_splat((float)k);
    }
    double start = ooze_clock();
    for (uint64_t turn = begin * TURNS; turn < end * TURNS; turn++) {
        UNROLLED
        for (int k = 0; k < CHAINS; k++) {
            c[k] = ooze_four_fma(a, b, c[k]);
            RENEW(a);
        }
    }
    UNROLLED
    for (int k = 0; k < CHAINS; k++) {
        sum += c[k];
    }
    job->sink[begin] = ooze_four_sum(sum);
    job->seconds[begin] = ooze_clock() - start;
}

static void wide_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePeakJob *job = data;
    OozeWide a = ooze_wide_splat(0.999f), b = ooze_wide_splat(1e-3f), c[CHAINS], sum;
    UNROLLED
    for (int k = 0; k < CHAINS; k++) {
        c[k] = ooze_wide_splat((float)k);
    }
    double start = ooze_clock();
    for (uint64_t turn = begin * TURNS; turn < end * TURNS; turn++) {
        UNROLLED
        for (int k = 0; k < CHAINS; k++) {
            c[k] = ooze_wide_fma(a, b, c[k]);
            RENEW(a);
        }
    }
    sum = c[0];
    UNROLLED
    for (int k = 1; k < CHAINS; k++) {
        sum += c[k];
    }
    job->sink[begin] = sum[0];
    job->seconds[begin] = ooze_clock() - start;
}

const OozePeakLoops OOZE_LOOPS(ooze_peak_loops) = {
    .four = four_range,
    .wide = wide_range,
    .four_flops = (double)TURNS * CHAINS * 2 * 4,
    .wide_flops = (double)TURNS * CHAINS * 2 * OOZE_WIDE_LANES,
};
