#include "cli/bench_machine.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/peak.h"
#include "base/select.h"
#include "cli/command.h"
#include "cli/report.h"

/* ---- arithmetic --------------------------------------------------------------------------- */

enum { CHUNKS = 64 }; /* per thread */

static double measure_flops(OozeThreads *threads, OozePeakJob *job, OozeRangeBody body,
                            double flops)
{
    int workers = ooze_threads_count(threads);
    uint64_t chunks = (uint64_t)workers * CHUNKS;
    ooze_parallel_for(threads, chunks, 1, body, job);
    return workers * flops / ooze_percentile(job->seconds, chunks, 50.0);
}

/* ---- memory ------------------------------------------------------------------------------- */

enum { GRAIN = 1 << 20, COPIES = 8 };

typedef struct CopyJob {
    char *from, *to;
    double *seconds; /* per chunk */
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
    double start = ooze_clock();
    memcpy(job->to + begin, job->from + begin, end - begin);
    job->seconds[begin / GRAIN] = ooze_clock() - start;
}

/* Of either array: four times the last cache together where its size is known. */
static uint64_t array_bytes(void)
{
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    uint64_t bytes = (uint64_t)64 << 20, most = (uint64_t)1 << 30;
    bytes = cache > 0 && 2 * (uint64_t)cache > bytes ? 2 * (uint64_t)cache : bytes;
    bytes = bytes < most ? bytes : most;
    return bytes / GRAIN * GRAIN;
}

/* As with arithmetic: the median chunk of the best copy, on all threads. */
static double measure_copy(OozeThreads *threads)
{
    uint64_t bytes = array_bytes(), chunks = bytes / GRAIN;
    CopyJob job = {.from = ooze_alloc(bytes, 1),
                   .to = ooze_alloc(bytes, 1),
                   .seconds = ooze_alloc(chunks, sizeof *job.seconds)};
    double least = NAN;
    if (job.from && job.to && job.seconds) {
        ooze_parallel_for(threads, bytes, GRAIN, touch_range, &job);
        for (int k = 0; k < COPIES; k++) {
            ooze_parallel_for(threads, bytes, GRAIN, copy_range, &job);
            least = fmin(least, ooze_percentile(job.seconds, chunks, 50.0));
        }
    }
    ooze_free(job.from);
    ooze_free(job.to);
    ooze_free(job.seconds);
    return 2.0 * GRAIN * ooze_threads_count(threads) / least;
}

int ooze_bench_machine(int count, OozeBenchMachine *machine)
{
    OozeError error = {0};
    OozeThreads *threads = NULL;
    if (ooze_threads_create(count, &threads, &error)) {
        return ooze_report_error(&error);
    }
    machine->threads = ooze_threads_count(threads);
    machine->work = ooze_work;
    uint64_t chunks = (uint64_t)machine->threads * CHUNKS;
    OozePeakJob job = {.seconds = ooze_alloc(chunks, sizeof *job.seconds),
                       .sink = ooze_alloc(chunks, sizeof *job.sink)};
    const OozePeakLoops *loops = ooze_peak_loops();
    machine->flops = machine->copy = NAN;
    if (job.seconds && job.sink) {
        machine->flops = fmax(measure_flops(threads, &job, loops->four, loops->four_flops),
                              measure_flops(threads, &job, loops->wide, loops->wide_flops));
    }
    machine->copy = measure_copy(threads);
    ooze_free(job.seconds);
    ooze_free(job.sink);
    ooze_threads_destroy(threads);
    return OOZE_EXIT_OK;
}
