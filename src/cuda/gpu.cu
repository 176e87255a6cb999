#include "cuda/gpu.cuh"

#include <cstdio>

namespace ooze
{

bool note(Gpu *m, cudaError_t answer)
{
    if (m->failed == cudaSuccess) {
        m->failed = answer;
    }
    return m->failed == cudaSuccess;
}

/* ---- what differs between a GPU and a processor ---- */

#ifdef __CUDACC__
static void *take(Gpu *m, size_t size)
{
    void *memory = nullptr;
    cudaError_t answer = cudaMalloc(&memory, size);
    if (answer != cudaSuccess) {
        (void)cudaGetLastError(); /* a full card is no lasting fault */
        m->asked = m->failed == cudaSuccess ? size : m->asked;
        note(m, answer);
        return nullptr;
    }
    m->held += size;
    return memory;
}

static void give_back(Gpu *m, void *memory, size_t size)
{
    if (memory) {
        cudaFree(memory);
        m->held -= size;
    }
}

size_t free_bytes(void)
{
    size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
}

static const char *reason(cudaError_t answer)
{
    return cudaGetErrorString(answer);
}

void copy_in(Gpu *m, void *to, const void *from_host, size_t size)
{
    if (size > 0 && m->failed == cudaSuccess) {
        note(m, cudaMemcpyAsync(to, from_host, size, cudaMemcpyHostToDevice, m->stream));
    }
}

void copy_out(Gpu *m, void *to_host, const void *from, size_t size)
{
    if (size == 0 || m->failed != cudaSuccess) {
        return;
    }
    bool small = size <= 256;
    void *to = small ? m->answer_host : to_host;
    note(m, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, m->stream));
    if (note(m, cudaStreamSynchronize(m->stream)) && small) {
        memcpy(to_host, to, size);
    }
}

void copy(Gpu *m, void *to, const void *from, size_t size)
{
    if (size > 0 && m->failed == cudaSuccess) {
        note(m, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, m->stream));
    }
}

void clear(Gpu *m, void *memory, size_t size)
{
    if (size > 0 && m->failed == cudaSuccess) {
        note(m, cudaMemsetAsync(memory, 0, size, m->stream));
    }
}

void gpu_wait(Gpu *m)
{
    note(m, cudaStreamSynchronize(m->stream));
}

bool watch_goes_on(Gpu *m, int k, const int32_t *off)
{
    volatile int32_t *watched = static_cast<volatile int32_t *>(m->watched);
    if (m->failed != cudaSuccess) {
        return false;
    }
    if (k > 0) {
        note(m, cudaEventSynchronize(m->sent[(k - 1) % 2]));
        if (m->failed != cudaSuccess || watched[(k - 1) % 2]) {
            return false;
        }
    }
    note(m, cudaMemcpyAsync(static_cast<int32_t *>(m->watched) + k % 2, off, sizeof *off,
                            cudaMemcpyDeviceToHost, m->stream));
    note(m, cudaEventRecord(m->sent[k % 2], m->stream));
    return m->failed == cudaSuccess;
}

static bool open_streams(Gpu *m)
{
    note(m, cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking));
    note(m, cudaMallocHost(&m->answer_host, 256));
    note(m, cudaMallocHost(&m->watched, 64));
    note(m, cudaEventCreateWithFlags(&m->sent[0], cudaEventDisableTiming));
    note(m, cudaEventCreateWithFlags(&m->sent[1], cudaEventDisableTiming));
    return m->failed == cudaSuccess;
}

static void close_streams(Gpu *m)
{
    cudaStreamSynchronize(m->stream);
    cudaFreeHost(m->answer_host);
    cudaFreeHost(m->watched);
    cudaEventDestroy(m->sent[0]);
    cudaEventDestroy(m->sent[1]);
    cudaStreamDestroy(m->stream);
}
#else
static void *take(Gpu *m, size_t size)
{
    void *memory = nullptr;
    if (posix_memalign(&memory, 64, size) != 0) {
        m->asked = size;
        note(m, cudaErrorMemoryAllocation);
        return nullptr;
    }
    m->held += size;
    return memory;
}

static void give_back(Gpu *m, void *memory, size_t size)
{
    free(memory);
    m->held -= memory ? size : 0;
}

size_t free_bytes(void)
{
    return 0;
}

static const char *reason(cudaError_t answer)
{
    return answer == cudaErrorMemoryAllocation ? "out of memory" : "failed";
}

void copy_in(Gpu *m, void *to, const void *from_host, size_t size)
{
    copy(m, to, from_host, size);
}

void copy_out(Gpu *m, void *to_host, const void *from, size_t size)
{
    copy(m, to_host, from, size);
}

void copy(Gpu *m, void *to, const void *from, size_t size)
{
    if (size > 0 && m->failed == cudaSuccess) {
        memmove(to, from, size);
    }
}

void clear(Gpu *m, void *memory, size_t size)
{
    if (size > 0 && m->failed == cudaSuccess) {
        memset(memory, 0, size);
    }
}

void gpu_wait(Gpu *m)
{
    (void)m;
}

bool watch_goes_on(Gpu *m, int k, const int32_t *off)
{
    (void)k;
    return m->failed == cudaSuccess && !*off;
}

static bool open_streams(Gpu *m)
{
    m->answer_host = malloc(256);
    return m->answer_host != nullptr;
}

static void close_streams(Gpu *m)
{
    free(m->answer_host);
}
#endif

/* ---- the GPU ---- */

bool gpu_create(Gpu *m)
{
    memset(m, 0, sizeof *m);
    if (!open_streams(m)) {
        return false;
    }
    m->answer = take(m, 256);
    clear(m, m->answer, 256);
    return m->failed == cudaSuccess;
}

void gpu_destroy(Gpu *m)
{
    gpu_wait(m);
    for (int k = 0; k < m->chunks; k++) {
        give_back(m, m->chunk[k].memory, m->chunk[k].size);
    }
    buffer_free(m, &m->partial);
    buffer_free(m, &m->tickets);
    give_back(m, m->answer, 256);
    close_streams(m);
    memset(m, 0, sizeof *m);
}

OozeStatus status(Gpu *m, uint64_t particles, OozeError *error)
{
    if (m->failed == cudaSuccess) {
        return OOZE_OK;
    }
    cudaError_t failed = m->failed;
    const double mib = 1.0 / (1024.0 * 1024.0);
    if (failed != cudaErrorMemoryAllocation) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "use --device cpu, or look at the GPU's driver", "the GPU: %s",
                         reason(failed));
    }
    size_t had = m->held + free_bytes();
    double need = (double)(m->held + m->asked) / (double)(particles ? particles : 1);
    m->failed = cudaSuccess;
    return ooze_fail(error, OOZE_ERROR_MEMORY,
                     "use fewer particles (a larger spacing), or --device cpu",
                     "%llu particles need at least %.0f MiB of the GPU's memory, and %.0f MiB are "
                     "free for them: about %.0f particles would fit",
                     (unsigned long long)particles, (double)(m->held + m->asked) * mib,
                     (double)had * mib, (double)had / need);
}

/* ---- scratch ---- */

static size_t aligned(size_t size)
{
    return (size + 255) & ~(size_t)255;
}

/* The first chunk from the top on with room for so much; those above it are empty. */
static Chunk *chunk_for(Gpu *m, size_t size)
{
    for (; m->top < m->chunks; m->top++) {
        Chunk *chunk = &m->chunk[m->top];
        if (chunk->size - chunk->used >= size) {
            return chunk;
        }
    }
    size_t wanted = size < (8u << 20) ? (8u << 20) : size;
    char *memory = m->chunks < CHUNKS ? static_cast<char *>(take(m, wanted)) : nullptr;
    if (!memory) {
        note(m, cudaErrorMemoryAllocation);
        return nullptr;
    }
    m->top = m->chunks;
    m->chunk[m->chunks++] = {memory, wanted, 0};
    return &m->chunk[m->top];
}

void *scratch_bytes(Gpu *m, size_t size)
{
    size = aligned(size);
    Chunk *chunk = m->failed == cudaSuccess ? chunk_for(m, size) : nullptr;
    if (!chunk) {
        return nullptr;
    }
    char *at = chunk->memory + chunk->used;
    chunk->used += size;
    m->used += size;
    m->peak = m->used > m->peak ? m->used : m->peak;
    return at;
}

Mark scratch_mark(const Gpu *m)
{
    return {m->top, m->top < m->chunks ? m->chunk[m->top].used : 0, m->used};
}

void scratch_rewind(Gpu *m, Mark mark)
{
    for (int k = mark.top; k < m->chunks; k++) {
        m->chunk[k].used = k == mark.top ? mark.top_used : 0;
    }
    m->top = mark.top;
    m->used = mark.used;
}

void scratch_reset(Gpu *m)
{
    Mark empty = {0, 0, 0};
    scratch_rewind(m, empty);
    size_t peak = aligned(m->peak + m->peak / 64);
    m->peak = 0;
    if (m->chunks < 2) {
        return;
    }
    gpu_wait(m);
    for (int k = 0; k < m->chunks; k++) {
        give_back(m, m->chunk[k].memory, m->chunk[k].size);
    }
    m->chunks = 0;
    char *memory = static_cast<char *>(take(m, peak));
    if (memory) {
        m->chunk[m->chunks++] = {memory, peak, 0};
    }
}

/* ---- buffers ---- */

void *buffer_bytes(Gpu *m, DeviceBuffer *buffer, size_t size, size_t kept)
{
    if (m->failed != cudaSuccess) {
        return nullptr;
    }
    if (size <= buffer->size && buffer->memory) {
        return buffer->memory;
    }
    size_t wanted = aligned(size + (buffer->size > 0 ? size / 16 : 0));
    if (kept == 0) { /* first let go, so that both need not fit */
        gpu_wait(m);
        buffer_free(m, buffer);
    }
    void *memory = take(m, wanted);
    if (!memory) {
        return nullptr;
    }
    copy(m, memory, buffer->memory, kept);
    gpu_wait(m);
    buffer_free(m, buffer);
    buffer->memory = memory;
    buffer->size = wanted;
    return memory;
}

uint32_t *sum_tickets(Gpu *m, uint64_t count)
{
    size_t had = m->tickets.size;
    uint32_t *tickets = buffer<uint32_t>(m, &m->tickets, count);
    if (m->tickets.size != had) {
        clear(m, tickets, m->tickets.size);
    }
    return tickets;
}

void buffer_free(Gpu *m, DeviceBuffer *buffer)
{
    give_back(m, buffer->memory, buffer->size);
    *buffer = {nullptr, 0};
}

} // namespace ooze
