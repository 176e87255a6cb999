#include "cli/bench_machine.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/four.h"
#include "base/memory.h"
#include "base/select.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/report.h"

/* ---- arithmetic --------------------------------------------------------------------------- */

/* As many as hide the latency of the units (four cycles of four units at most), and fit the registers together
   with the factors. */
#if defined(__aarch64__) || defined(__AVX512F__)
enum { CHAINS = 16 };
#else
enum { CHAINS = 12 };
#endif
/* A chunk takes some tenths of a millisecond: a thread that has to share its core is seldom interrupted within
   one, so that their median is what the core can do. */
enum { TURNS = 1 << 17, CHUNKS = 64 };

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

typedef struct FmaJob {
    double *seconds; /* per chunk */
    float *sink;     /* likewise: what must not be left out */
} FmaJob;

static void four_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FmaJob *job = data;
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
    const FmaJob *job = data;
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

static double measure_flops(OozeThreads *threads, const FmaJob *job, OozeRangeBody body, int lanes)
{
    int workers = ooze_threads_count(threads);
    uint64_t chunks = (uint64_t)workers * CHUNKS;
    ooze_parallel_for(threads, chunks, 1, body, (void *)job);
    double median = ooze_percentile(job->seconds, chunks, 50.0);
    return workers * (double)TURNS * CHAINS * 2.0 * lanes / median;
}

/* ---- memory ------------------------------------------------------------------------------- */

enum { GRAIN = 1 << 18, COPIES = 16 };

typedef struct CopyJob {
    char *from, *to;
} CopyJob;

/* Pages belong to the memory of the core that writes them first. */
static void touch_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const CopyJob *job = data;
    memset(job->from + begin, 1, end - begin);
    memset(job->to + begin, 0, end - begin);
}

static void copy_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const CopyJob *job = data;
    memcpy(job->to + begin, job->from + begin, end - begin);
}

/* Of either array: four times the last cache together where its size is known. */
static uint64_t array_bytes(void)
{
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    uint64_t bytes = (uint64_t)64 << 20, most = (uint64_t)1 << 30;
    bytes = cache > 0 && 2 * (uint64_t)cache > bytes ? 2 * (uint64_t)cache : bytes;
    return bytes < most ? bytes : most;
}

static double measure_copy(OozeThreads *threads)
{
    uint64_t bytes = array_bytes();
    CopyJob job = {.from = ooze_alloc(bytes, 1), .to = ooze_alloc(bytes, 1)};
    double best = NAN;
    if (job.from && job.to) {
        ooze_parallel_for(threads, bytes, GRAIN, touch_range, &job);
        for (int k = 0; k < COPIES; k++) { /* whatever disturbs makes it slower: the best counts */
            double start = ooze_clock();
            ooze_parallel_for(threads, bytes, GRAIN, copy_range, &job);
            best = fmax(best, 2.0 * (double)bytes / (ooze_clock() - start));
        }
    }
    ooze_free(job.from);
    ooze_free(job.to);
    return best;
}

int ooze_bench_machine(int count, OozeBenchMachine *machine)
{
    OozeError error = {0};
    OozeThreads *threads = NULL;
    if (ooze_threads_create(count, &threads, &error)) {
        return ooze_report_error(&error);
    }
    machine->threads = ooze_threads_count(threads);
    uint64_t chunks = (uint64_t)machine->threads * CHUNKS;
    FmaJob job = {.seconds = ooze_alloc(chunks, sizeof *job.seconds),
                  .sink = ooze_alloc(chunks, sizeof *job.sink)};
    machine->flops = machine->copy = NAN;
    if (job.seconds && job.sink) {
        machine->flops = measure_flops(threads, &job, four_range, 4);
        if (OOZE_WIDE_LANES != 4) {
            double wide = measure_flops(threads, &job, wide_range, OOZE_WIDE_LANES);
            machine->flops = fmax(machine->flops, wide);
        }
    }
    ooze_free(job.seconds);
    machine->copy = measure_copy(threads);
    ooze_free(job.sink);
    ooze_threads_destroy(threads);
    return OOZE_EXIT_OK;
}
