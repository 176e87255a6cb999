#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

enum { THREADS_MAX = 1024, SPINS = 4000, SPINS_SHARED_CORES = 20 };

typedef struct Job {
    OozeRangeBody body;
    void *context;
    uint64_t count, grain, chunks;
    int workers; /* that take part, the calling thread included */
} Job;

/* Polled by a worker, on a cache line of its own. */
typedef struct Worker {
    _Alignas(OOZE_ALIGNMENT) _Atomic uint64_t jobs; /* jobs that it was notified of */
    OozeThreads *threads;
    int number;
    _Alignas(OOZE_ALIGNMENT) _Atomic uint64_t next; /* first chunk of its share not handed out */
} Worker;

struct OozeThreads {
    int count;   /* workers including the calling thread */
    int started; /* pthreads that exist */
    int spins;   /* polls before sleeping: few where threads share cores */
    pthread_t *handles;
    Worker *workers; /* by number; 0 is the calling thread */
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    Job job;
    _Atomic int busy; /* notified workers that have not finished the job */
    _Atomic int sleepers;
    _Atomic bool stop;
};

static void cpu_relax(void)
{
#if defined(__aarch64__)
    __asm__ volatile("yield");
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* One past the last chunk of a worker's share. */
static uint64_t share_end(const Job *job, int worker)
{
    return job->chunks * (uint64_t)(worker + 1) / (uint64_t)job->workers;
}

/* A worker begins with its own share, the same memory in every loop over the same range: data that
   it wrote is still in its caches, and pages are on its NUMA node. Then it takes chunks of the
   others. */
static void work(OozeThreads *threads, int worker)
{
    const Job *job = &threads->job;
    for (int k = 0; k < job->workers; k++) {
        int share = (worker + k) % job->workers;
        uint64_t end = share_end(job, share), chunk;
        _Atomic uint64_t *next = &threads->workers[share].next;
        while (atomic_load(next) < end && (chunk = atomic_fetch_add(next, 1)) < end) {
            uint64_t begin = chunk * job->grain, left = job->count - begin;
            job->body(job->context, begin, begin + (left < job->grain ? left : job->grain), worker);
        }
    }
}

/* Spins first, since stages follow each other within microseconds, then sleeps. */
static uint64_t wait_for_job(OozeThreads *threads, const Worker *worker, uint64_t seen)
{
    for (int spin = 0; spin < threads->spins; spin++) {
        uint64_t now = atomic_load(&worker->jobs);
        if (now != seen) {
            return now;
        }
        cpu_relax();
    }
    pthread_mutex_lock(&threads->mutex);
    atomic_fetch_add(&threads->sleepers, 1); /* before the last poll: see notify_workers */
    while (atomic_load(&worker->jobs) == seen) {
        pthread_cond_wait(&threads->wake, &threads->mutex);
    }
    atomic_fetch_sub(&threads->sleepers, 1);
    uint64_t now = atomic_load(&worker->jobs);
    pthread_mutex_unlock(&threads->mutex);
    return now;
}

static void *worker_main(void *argument)
{
    Worker *worker = argument;
    OozeThreads *threads = worker->threads;
    uint64_t seen = 0;
    for (;;) {
        seen = wait_for_job(threads, worker, seen);
        if (atomic_load(&threads->stop)) {
            return NULL;
        }
        work(threads, worker->number);
        if (atomic_fetch_sub(&threads->busy, 1) == 1) {
            pthread_mutex_lock(&threads->mutex);
            pthread_cond_signal(&threads->done);
            pthread_mutex_unlock(&threads->mutex);
        }
    }
}

static int core_count(void)
{
#if defined(__EMSCRIPTEN__)
    return 1; /* a module without threads */
#else
    cpu_set_t set; /* the cores that this process may use, not all of the host */
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
#endif
}

OozeStatus ooze_threads_create(int count, OozeThreads **out, OozeError *error)
{
    *out = NULL;
    if (count < 0 || count > THREADS_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use 0 for one thread per core",
                         "%d threads requested; between 0 and %d are possible", count, THREADS_MAX);
    }
    OozeThreads *threads = ooze_alloc_zero(1, sizeof *threads);
    if (!threads) {
        return ooze_fail_memory(error, "the thread pool", sizeof *threads);
    }
    int cores = core_count();
    threads->count = count > 0 ? count : cores;
    threads->spins = threads->count <= cores ? SPINS : SPINS_SHARED_CORES;
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_cond_init(&threads->wake, NULL);
    pthread_cond_init(&threads->done, NULL);
    threads->handles = ooze_alloc((size_t)threads->count, sizeof *threads->handles);
    threads->workers = ooze_alloc_zero((size_t)threads->count, sizeof *threads->workers);
    if (!threads->handles || !threads->workers) {
        ooze_threads_destroy(threads);
        return ooze_fail_memory(error, "the thread pool", 0);
    }
    for (int i = 1; i < threads->count; i++) {
        Worker *worker = &threads->workers[i];
        worker->threads = threads;
        worker->number = i;
        if (pthread_create(&threads->handles[threads->started], NULL, worker_main, worker) != 0) {
            int wanted = threads->count;
            ooze_threads_destroy(threads);
            return ooze_fail(error, OOZE_ERROR_LIMIT, "ask for fewer threads",
                             "the system refused to start thread %d of %d", i + 1, wanted);
        }
        threads->started++;
    }
    *out = threads;
    return OOZE_OK;
}

/* Notifies workers 1 to `count` of a job. A worker that goes to sleep increments `sleepers` and
   then polls `jobs` once more; here `jobs` is incremented first and `sleepers` read after it, so
   that at least one side sees the other's write. */
static void notify_workers(OozeThreads *threads, int count)
{
    for (int i = 1; i <= count; i++) {
        atomic_fetch_add(&threads->workers[i].jobs, 1);
    }
    if (atomic_load(&threads->sleepers) > 0) {
        pthread_mutex_lock(&threads->mutex);
        pthread_cond_broadcast(&threads->wake);
        pthread_mutex_unlock(&threads->mutex);
    }
}

void ooze_threads_destroy(OozeThreads *threads)
{
    if (!threads) {
        return;
    }
    atomic_store(&threads->stop, true);
    notify_workers(threads, threads->started);
    for (int i = 0; i < threads->started; i++) {
        pthread_join(threads->handles[i], NULL);
    }
    pthread_mutex_destroy(&threads->mutex);
    pthread_cond_destroy(&threads->wake);
    pthread_cond_destroy(&threads->done);
    ooze_free(threads->handles);
    ooze_free(threads->workers);
    ooze_free(threads);
}

int ooze_threads_count(const OozeThreads *threads)
{
    return threads ? threads->count : 1;
}

void ooze_parallel_for(OozeThreads *threads, uint64_t count, uint64_t grain, OozeRangeBody body,
                       void *context)
{
    if (count == 0) {
        return;
    }
    uint64_t workers = (uint64_t)ooze_threads_count(threads);
    if (grain == 0) {
        grain = (count + workers - 1) / workers;
    }
    if (workers == 1 || count <= grain) {
        for (uint64_t begin = 0; begin < count; begin += grain) {
            uint64_t left = count - begin;
            body(context, begin, begin + (left < grain ? left : grain), 0);
        }
        return;
    }
    /* Workers without a chunk are not woken. */
    uint64_t chunks = (count + grain - 1) / grain;
    int notified = chunks - 1 < (uint64_t)threads->started ? (int)(chunks - 1) : threads->started;
    threads->job = (Job){.body = body,
                         .context = context,
                         .count = count,
                         .grain = grain,
                         .chunks = chunks,
                         .workers = notified + 1};
    for (int i = 0; i <= notified; i++) {
        atomic_store(&threads->workers[i].next, i > 0 ? share_end(&threads->job, i - 1) : 0);
    }
    atomic_store(&threads->busy, notified);
    notify_workers(threads, notified);
    work(threads, 0);
    for (int spin = 0; spin < threads->spins && atomic_load(&threads->busy) > 0; spin++) {
        cpu_relax();
    }
    pthread_mutex_lock(&threads->mutex);
    while (atomic_load(&threads->busy) > 0) {
        pthread_cond_wait(&threads->done, &threads->mutex);
    }
    pthread_mutex_unlock(&threads->mutex);
}

typedef struct SumJob {
    OozeSumBody body;
    void *context;
    int width;
    double *partial;
} SumJob;

static void sum_blocks(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SumJob *job = context;
    double *sums = job->partial + begin / OOZE_SUM_BLOCK * (uint64_t)job->width;
    memset(sums, 0, (size_t)job->width * sizeof *sums);
    job->body(job->context, begin, end, sums);
}

OozeStatus ooze_parallel_sum(OozeThreads *threads, uint64_t count, int width, OozeSumBody body,
                             void *context, double *sums, OozeError *error)
{
    memset(sums, 0, (size_t)width * sizeof *sums);
    uint64_t blocks = (count + OOZE_SUM_BLOCK - 1) / OOZE_SUM_BLOCK;
    SumJob job = {.body = body, .context = context, .width = width};
    job.partial = ooze_alloc(blocks * (uint64_t)width, sizeof(double));
    if (!job.partial) {
        return ooze_fail_memory(error, "partial sums", blocks * (uint64_t)width * sizeof(double));
    }
    ooze_parallel_for(threads, count, OOZE_SUM_BLOCK, sum_blocks, &job);
    for (uint64_t block = 0; block < blocks; block++) {
        for (int k = 0; k < width; k++) {
            sums[k] += job.partial[block * (uint64_t)width + (uint64_t)k];
        }
    }
    ooze_free(job.partial);
    return OOZE_OK;
}
