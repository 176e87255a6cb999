#include "cuda/gpu.cuh"

#include <cstdio>

namespace ooze
{

bool record_error(Gpu *gpu, cudaError_t result)
{
    if (gpu->failed == cudaSuccess) {
        gpu->failed = result;
    }
    return gpu->failed == cudaSuccess;
}

/* ---- on a GPU, and on the processor ---- */

#ifdef __CUDACC__
static void *device_alloc(Gpu *gpu, size_t size)
{
    void *memory = nullptr;
    cudaError_t result = cudaMalloc(&memory, size);
    if (result != cudaSuccess) {
        (void)cudaGetLastError(); /* resets the error: running out of memory is not fatal */
        gpu->failed_size = gpu->failed == cudaSuccess ? size : gpu->failed_size;
        record_error(gpu, result);
        return nullptr;
    }
    gpu->allocated += size;
    return memory;
}

static void device_free(Gpu *gpu, void *memory, size_t size)
{
    if (memory) {
        cudaFree(memory);
        gpu->allocated -= size;
    }
}

size_t free_bytes(void)
{
    size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
}

static const char *reason(cudaError_t code)
{
    return cudaGetErrorString(code);
}

void copy_in(Gpu *gpu, void *to, const void *from_host, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        gpu->counts.launches++;
        record_error(gpu,
                     cudaMemcpyAsync(to, from_host, size, cudaMemcpyHostToDevice, gpu->stream));
    }
}

void copy_out(Gpu *gpu, void *to_host, const void *from, size_t size)
{
    if (size == 0 || gpu->failed != cudaSuccess) {
        return;
    }
    bool small = size <= 256;
    gpu->counts.launches++;
    gpu->counts.waits++;
    void *to = small ? gpu->scalars_host : to_host;
    record_error(gpu, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, gpu->stream));
    if (record_error(gpu, cudaStreamSynchronize(gpu->stream)) && small) {
        memcpy(to_host, to, size);
    }
}

void copy(Gpu *gpu, void *to, const void *from, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        gpu->counts.launches++;
        record_error(gpu, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, gpu->stream));
    }
}

void clear(Gpu *gpu, void *memory, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        gpu->counts.launches++;
        record_error(gpu, cudaMemsetAsync(memory, 0, size, gpu->stream));
    }
}

void gpu_wait(Gpu *gpu)
{
    record_error(gpu, cudaStreamSynchronize(gpu->stream));
}

bool poll_unfinished(Gpu *gpu, int k, const int32_t *off)
{
    volatile int32_t *watched = static_cast<volatile int32_t *>(gpu->polled);
    if (gpu->failed != cudaSuccess) {
        return false;
    }
    gpu->counts.launches++;
    gpu->counts.waits += k > 0 ? 1 : 0;
    if (k > 0) {
        record_error(gpu, cudaEventSynchronize(gpu->poll_event[(k - 1) % 2]));
        if (gpu->failed != cudaSuccess || watched[(k - 1) % 2]) {
            return false;
        }
    }
    record_error(gpu, cudaMemcpyAsync(static_cast<int32_t *>(gpu->polled) + k % 2, off, sizeof *off,
                                      cudaMemcpyDeviceToHost, gpu->stream));
    record_error(gpu, cudaEventRecord(gpu->poll_event[k % 2], gpu->stream));
    return gpu->failed == cudaSuccess;
}

static bool create_streams(Gpu *gpu)
{
    record_error(gpu, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking));
    record_error(gpu, cudaMallocHost(&gpu->scalars_host, 256));
    record_error(gpu, cudaMallocHost(&gpu->polled, 64));
    record_error(gpu, cudaEventCreateWithFlags(&gpu->poll_event[0], cudaEventDisableTiming));
    record_error(gpu, cudaEventCreateWithFlags(&gpu->poll_event[1], cudaEventDisableTiming));
    return gpu->failed == cudaSuccess;
}

static void destroy_streams(Gpu *gpu)
{
    cudaStreamSynchronize(gpu->stream);
    cudaFreeHost(gpu->scalars_host);
    cudaFreeHost(gpu->polled);
    cudaEventDestroy(gpu->poll_event[0]);
    cudaEventDestroy(gpu->poll_event[1]);
    cudaStreamDestroy(gpu->stream);
}
#else
static void *device_alloc(Gpu *gpu, size_t size)
{
    void *memory = nullptr;
    if (posix_memalign(&memory, 64, size) != 0) {
        gpu->failed_size = size;
        record_error(gpu, cudaErrorMemoryAllocation);
        return nullptr;
    }
    gpu->allocated += size;
    return memory;
}

static void device_free(Gpu *gpu, void *memory, size_t size)
{
    free(memory);
    gpu->allocated -= memory ? size : 0;
}

size_t free_bytes(void)
{
    return 0;
}

static const char *reason(cudaError_t code)
{
    return code == cudaErrorMemoryAllocation ? "out of memory" : "failed";
}

void copy_in(Gpu *gpu, void *to, const void *from_host, size_t size)
{
    copy(gpu, to, from_host, size);
}

void copy_out(Gpu *gpu, void *to_host, const void *from, size_t size)
{
    copy(gpu, to_host, from, size);
    gpu->counts.waits += size > 0 ? 1 : 0;
}

void copy(Gpu *gpu, void *to, const void *from, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        gpu->counts.launches++;
        memmove(to, from, size);
    }
}

void clear(Gpu *gpu, void *memory, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        gpu->counts.launches++;
        memset(memory, 0, size);
    }
}

void gpu_wait(Gpu *gpu)
{
    (void)gpu;
}

bool poll_unfinished(Gpu *gpu, int k, const int32_t *off)
{
    gpu->counts.launches++;
    gpu->counts.waits += k > 0 ? 1 : 0;
    return gpu->failed == cudaSuccess && !*off;
}

static bool create_streams(Gpu *gpu)
{
    gpu->scalars_host = malloc(256);
    return gpu->scalars_host != nullptr;
}

static void destroy_streams(Gpu *gpu)
{
    free(gpu->scalars_host);
}
#endif

/* ---- the GPU ---- */

bool gpu_create(Gpu *gpu)
{
    memset(gpu, 0, sizeof *gpu);
    if (!create_streams(gpu)) {
        return false;
    }
    gpu->scalars = device_alloc(gpu, 256);
    clear(gpu, gpu->scalars, 256);
    return gpu->failed == cudaSuccess;
}

void gpu_destroy(Gpu *gpu)
{
    gpu_wait(gpu);
    for (int k = 0; k < gpu->chunks; k++) {
        device_free(gpu, gpu->chunk[k].memory, gpu->chunk[k].size);
    }
    buffer_free(gpu, &gpu->partial);
    buffer_free(gpu, &gpu->tickets);
    device_free(gpu, gpu->scalars, 256);
    destroy_streams(gpu);
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
    size_t available = gpu->allocated + free_bytes();
    double need = (double)(gpu->allocated + gpu->failed_size) / (double)(particles ? particles : 1);
    gpu->failed = cudaSuccess;
    return ooze_fail(
        error, OOZE_ERROR_MEMORY, "use fewer particles (a larger spacing), or --device cpu",
        "%llu particles need at least %.0f MiB of the GPU's memory, and %.0f MiB are "
        "free for them: about %.0f particles would fit",
        (unsigned long long)particles, (double)(gpu->allocated + gpu->failed_size) * mib,
        (double)available * mib, (double)available / need);
}

/* ---- scratch ---- */

static size_t aligned(size_t size)
{
    return (size + 255) & ~(size_t)255;
}

/* The first chunk with room for `size` bytes, from the top on; those above it are empty. */
static Chunk *chunk_for(Gpu *gpu, size_t size)
{
    for (; gpu->top < gpu->chunks; gpu->top++) {
        Chunk *chunk = &gpu->chunk[gpu->top];
        if (chunk->size - chunk->used >= size) {
            return chunk;
        }
    }
    size_t wanted = size < (8u << 20) ? (8u << 20) : size;
    char *memory = gpu->chunks < CHUNKS ? static_cast<char *>(device_alloc(gpu, wanted)) : nullptr;
    if (!memory) {
        record_error(gpu, cudaErrorMemoryAllocation);
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
        device_free(gpu, gpu->chunk[k].memory, gpu->chunk[k].size);
    }
    gpu->chunks = 0;
    char *memory = static_cast<char *>(device_alloc(gpu, peak));
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
    if (kept == 0) { /* freed first: both need not fit at once */
        gpu_wait(gpu);
        buffer_free(gpu, buffer);
    }
    void *memory = device_alloc(gpu, wanted);
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
    size_t before = gpu->tickets.size;
    uint32_t *tickets = buffer<uint32_t>(gpu, &gpu->tickets, count);
    if (gpu->tickets.size != before) {
        clear(gpu, tickets, gpu->tickets.size);
    }
    return tickets;
}

void buffer_free(Gpu *gpu, DeviceBuffer *buffer)
{
    device_free(gpu, buffer->memory, buffer->size);
    *buffer = {nullptr, 0};
}

} // namespace ooze
