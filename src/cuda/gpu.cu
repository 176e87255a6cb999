#include "cuda/gpu.cuh"

#include <cstdio>

namespace ooze
{

bool note(Gpu *gpu, cudaError_t answer)
{
    if (gpu->failed == cudaSuccess) {
        gpu->failed = answer;
    }
    return gpu->failed == cudaSuccess;
}

/* ---- what differs between a GPU and a processor ---- */

#ifdef __CUDACC__
static void *take(Gpu *gpu, size_t size)
{
    void *memory = nullptr;
    cudaError_t answer = cudaMalloc(&memory, size);
    if (answer != cudaSuccess) {
        (void)cudaGetLastError(); /* a full card is no lasting fault */
        gpu->asked = gpu->failed == cudaSuccess ? size : gpu->asked;
        note(gpu, answer);
        return nullptr;
    }
    gpu->held += size;
    return memory;
}

static void give_back(Gpu *gpu, void *memory, size_t size)
{
    if (memory) {
        cudaFree(memory);
        gpu->held -= size;
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

void copy_in(Gpu *gpu, void *to, const void *from_host, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        note(gpu, cudaMemcpyAsync(to, from_host, size, cudaMemcpyHostToDevice, gpu->stream));
    }
}

void copy_out(Gpu *gpu, void *to_host, const void *from, size_t size)
{
    if (size == 0 || gpu->failed != cudaSuccess) {
        return;
    }
    bool small = size <= 256;
    void *to = small ? gpu->answer_host : to_host;
    note(gpu, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, gpu->stream));
    if (note(gpu, cudaStreamSynchronize(gpu->stream)) && small) {
        memcpy(to_host, to, size);
    }
}

void copy(Gpu *gpu, void *to, const void *from, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        note(gpu, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, gpu->stream));
    }
}

void clear(Gpu *gpu, void *memory, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        note(gpu, cudaMemsetAsync(memory, 0, size, gpu->stream));
    }
}

void gpu_wait(Gpu *gpu)
{
    note(gpu, cudaStreamSynchronize(gpu->stream));
}

bool watch_goes_on(Gpu *gpu, int k, const int32_t *off)
{
    volatile int32_t *watched = static_cast<volatile int32_t *>(gpu->watched);
    if (gpu->failed != cudaSuccess) {
        return false;
    }
    if (k > 0) {
        note(gpu, cudaEventSynchronize(gpu->sent[(k - 1) % 2]));
        if (gpu->failed != cudaSuccess || watched[(k - 1) % 2]) {
            return false;
        }
    }
    note(gpu, cudaMemcpyAsync(static_cast<int32_t *>(gpu->watched) + k % 2, off, sizeof *off,
                              cudaMemcpyDeviceToHost, gpu->stream));
    note(gpu, cudaEventRecord(gpu->sent[k % 2], gpu->stream));
    return gpu->failed == cudaSuccess;
}

static bool open_streams(Gpu *gpu)
{
    note(gpu, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking));
    note(gpu, cudaMallocHost(&gpu->answer_host, 256));
    note(gpu, cudaMallocHost(&gpu->watched, 64));
    note(gpu, cudaEventCreateWithFlags(&gpu->sent[0], cudaEventDisableTiming));
    note(gpu, cudaEventCreateWithFlags(&gpu->sent[1], cudaEventDisableTiming));
    return gpu->failed == cudaSuccess;
}

static void close_streams(Gpu *gpu)
{
    cudaStreamSynchronize(gpu->stream);
    cudaFreeHost(gpu->answer_host);
    cudaFreeHost(gpu->watched);
    cudaEventDestroy(gpu->sent[0]);
    cudaEventDestroy(gpu->sent[1]);
    cudaStreamDestroy(gpu->stream);
}
#else
static void *take(Gpu *gpu, size_t size)
{
    void *memory = nullptr;
    if (posix_memalign(&memory, 64, size) != 0) {
        gpu->asked = size;
        note(gpu, cudaErrorMemoryAllocation);
        return nullptr;
    }
    gpu->held += size;
    return memory;
}

static void give_back(Gpu *gpu, void *memory, size_t size)
{
    free(memory);
    gpu->held -= memory ? size : 0;
}

size_t free_bytes(void)
{
    return 0;
}

static const char *reason(cudaError_t answer)
{
    return answer == cudaErrorMemoryAllocation ? "out of memory" : "failed";
}

void copy_in(Gpu *gpu, void *to, const void *from_host, size_t size)
{
    copy(gpu, to, from_host, size);
}

void copy_out(Gpu *gpu, void *to_host, const void *from, size_t size)
{
    copy(gpu, to_host, from, size);
}

void copy(Gpu *gpu, void *to, const void *from, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        memmove(to, from, size);
    }
}

void clear(Gpu *gpu, void *memory, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        memset(memory, 0, size);
    }
}

void gpu_wait(Gpu *gpu)
{
    (void)gpu;
}

bool watch_goes_on(Gpu *gpu, int k, const int32_t *off)
{
    (void)k;
    return gpu->failed == cudaSuccess && !*off;
}

static bool open_streams(Gpu *gpu)
{
    gpu->answer_host = malloc(256);
    return gpu->answer_host != nullptr;
}

static void close_streams(Gpu *gpu)
{
    free(gpu->answer_host);
}
#endif

/* ---- the GPU ---- */

bool gpu_create(Gpu *gpu)
{
    memset(gpu, 0, sizeof *gpu);
    if (!open_streams(gpu)) {
        return false;
    }
    gpu->answer = take(gpu, 256);
    clear(gpu, gpu->answer, 256);
    return gpu->failed == cudaSuccess;
}

void gpu_destroy(Gpu *gpu)
{
    gpu_wait(gpu);
    for (int k = 0; k < gpu->chunks; k++) {
        give_back(gpu, gpu->chunk[k].memory, gpu->chunk[k].size);
    }
    buffer_free(gpu, &gpu->partial);
    buffer_free(gpu, &gpu->tickets);
    give_back(gpu, gpu->answer, 256);
    close_streams(gpu);
    memset(gpu, 0, sizeof *gpu);
}

OozeStatus status(Gpu *gpu, uint64_t particles, OozeError *error)
{
    if (gpu->failed == cudaSuccess) {
        return OOZE_OK;
    }
    cudaError_t failed = gpu->failed;
    const double mib = 1.0 / (1024.0 * 1024.0);
    if (failed != cudaErrorMemoryAllocation) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "use --device cpu, or look at the GPU's driver", "the GPU: %s",
                         reason(failed));
    }
    size_t had = gpu->held + free_bytes();
    double need = (double)(gpu->held + gpu->asked) / (double)(particles ? particles : 1);
    gpu->failed = cudaSuccess;
    return ooze_fail(error, OOZE_ERROR_MEMORY,
                     "use fewer particles (a larger spacing), or --device cpu",
                     "%llu particles need at least %.0f MiB of the GPU's memory, and %.0f MiB are "
                     "free for them: about %.0f particles would fit",
                     (unsigned long long)particles, (double)(gpu->held + gpu->asked) * mib,
                     (double)had * mib, (double)had / need);
}

/* ---- scratch ---- */

static size_t aligned(size_t size)
{
    return (size + 255) & ~(size_t)255;
}

/* The first chunk from the top on with room for so much; those above it are empty. */
static Chunk *chunk_for(Gpu *gpu, size_t size)
{
    for (; gpu->top < gpu->chunks; gpu->top++) {
        Chunk *chunk = &gpu->chunk[gpu->top];
        if (chunk->size - chunk->used >= size) {
            return chunk;
        }
    }
    size_t wanted = size < (8u << 20) ? (8u << 20) : size;
    char *memory = gpu->chunks < CHUNKS ? static_cast<char *>(take(gpu, wanted)) : nullptr;
    if (!memory) {
        note(gpu, cudaErrorMemoryAllocation);
        return nullptr;
    }
    gpu->top = gpu->chunks;
    gpu->chunk[gpu->chunks++] = {memory, wanted, 0};
    return &gpu->chunk[gpu->top];
}

void *scratch_bytes(Gpu *gpu, size_t size)
{
    size = aligned(size);
    Chunk *chunk = gpu->failed == cudaSuccess ? chunk_for(gpu, size) : nullptr;
    if (!chunk) {
        return nullptr;
    }
    char *at = chunk->memory + chunk->used;
    chunk->used += size;
    gpu->used += size;
    gpu->peak = gpu->used > gpu->peak ? gpu->used : gpu->peak;
    return at;
}

Mark scratch_mark(const Gpu *gpu)
{
    return {gpu->top, gpu->top < gpu->chunks ? gpu->chunk[gpu->top].used : 0, gpu->used};
}

void scratch_rewind(Gpu *gpu, Mark mark)
{
    for (int k = mark.top; k < gpu->chunks; k++) {
        gpu->chunk[k].used = k == mark.top ? mark.top_used : 0;
    }
    gpu->top = mark.top;
    gpu->used = mark.used;
}

void scratch_reset(Gpu *gpu)
{
    Mark empty = {0, 0, 0};
    scratch_rewind(gpu, empty);
    size_t peak = aligned(gpu->peak + gpu->peak / 64);
    gpu->peak = 0;
    if (gpu->chunks < 2) {
        return;
    }
    gpu_wait(gpu);
    for (int k = 0; k < gpu->chunks; k++) {
        give_back(gpu, gpu->chunk[k].memory, gpu->chunk[k].size);
    }
    gpu->chunks = 0;
    char *memory = static_cast<char *>(take(gpu, peak));
    if (memory) {
        gpu->chunk[gpu->chunks++] = {memory, peak, 0};
    }
}

/* ---- buffers ---- */

void *buffer_bytes(Gpu *gpu, DeviceBuffer *buffer, size_t size, size_t kept)
{
    if (gpu->failed != cudaSuccess) {
        return nullptr;
    }
    if (size <= buffer->size && buffer->memory) {
        return buffer->memory;
    }
    size_t wanted = aligned(size + (buffer->size > 0 ? size / 16 : 0));
    if (kept == 0) { /* first let go, so that both need not fit */
        gpu_wait(gpu);
        buffer_free(gpu, buffer);
    }
    void *memory = take(gpu, wanted);
    if (!memory) {
        return nullptr;
    }
    copy(gpu, memory, buffer->memory, kept);
    gpu_wait(gpu);
    buffer_free(gpu, buffer);
    buffer->memory = memory;
    buffer->size = wanted;
    return memory;
}

uint32_t *sum_tickets(Gpu *gpu, uint64_t count)
{
    size_t had = gpu->tickets.size;
    uint32_t *tickets = buffer<uint32_t>(gpu, &gpu->tickets, count);
    if (gpu->tickets.size != had) {
        clear(gpu, tickets, gpu->tickets.size);
    }
    return tickets;
}

void buffer_free(Gpu *gpu, DeviceBuffer *buffer)
{
    give_back(gpu, buffer->memory, buffer->size);
    *buffer = {nullptr, 0};
}

} // namespace ooze
