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

/* ---- messages to the host ---- */

static __global__ void __launch_bounds__(BLOCK)
    message_kernel(const unsigned char *from, uint32_t size, MessageSender sender)
{
    for (uint32_t k = threadIdx.x; k < size; k += BLOCK) {
        sender.to->bytes[k] = from[k];
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) {
        sender.finish();
    }
}

static MessageSender sender_of(Gpu *gpu, int slot)
{
    gpu->expected++;
    return {gpu->messages + slot, gpu->sent};
}

MessageSender message_sender(Gpu *gpu)
{
    return sender_of(gpu, MESSAGE_RESULT);
}

/* Sends at most 256 bytes; returns the number of the message. */
static uint32_t send_message(Gpu *gpu, int slot, const void *from, size_t size)
{
    gpu->counts.launches++;
    launch(gpu, 1, message_kernel, static_cast<const unsigned char *>(from), (uint32_t)size,
           sender_of(gpu, slot));
    return gpu->expected;
}

/* Waits until a message has arrived: reading its number takes less time than the driver's calls,
   which follow where it takes long. NULL where the GPU has failed. */
static const unsigned char *read_message(Gpu *gpu, int slot, uint32_t number)
{
    const int spins = 1 << 20, query_every = 1 << 16;
    const Message *message = gpu->messages + slot;
    gpu->counts.waits++;
    for (int k = 0; k < spins && gpu->failed == cudaSuccess; k++) {
        if (__atomic_load_n(&message->number, __ATOMIC_ACQUIRE) == number) {
            return message->bytes;
        }
        if (k % query_every == query_every - 1) { /* of a failed GPU nothing arrives */
            cudaError_t result = cudaStreamQuery(gpu->stream);
            if (result == cudaErrorNotReady) {
                (void)cudaGetLastError(); /* libraries would report it as theirs */
            } else {
                record_error(gpu, result);
            }
        }
    }
    record_error(gpu, cudaStreamSynchronize(gpu->stream));
    return gpu->failed == cudaSuccess ? message->bytes : nullptr;
}

bool receive_bytes(Gpu *gpu, void *to, size_t size)
{
    const unsigned char *bytes =
        gpu->failed == cudaSuccess ? read_message(gpu, MESSAGE_RESULT, gpu->expected) : nullptr;
    if (bytes) {
        memcpy(to, bytes, size);
    }
    return bytes != nullptr;
}

void copy_out(Gpu *gpu, void *to_host, const void *from, size_t size)
{
    if (size == 0 || gpu->failed != cudaSuccess) {
        return;
    }
    if (size <= sizeof gpu->messages->bytes) {
        send_message(gpu, MESSAGE_RESULT, from, size);
        receive_bytes(gpu, to_host, size);
        return;
    }
    gpu->counts.launches++;
    gpu->counts.waits++;
    record_error(gpu, cudaMemcpyAsync(to_host, from, size, cudaMemcpyDeviceToHost, gpu->stream));
    record_error(gpu, cudaStreamSynchronize(gpu->stream));
}

void gpu_wait(Gpu *gpu)
{
    record_error(gpu, cudaStreamSynchronize(gpu->stream));
}

bool poll_unfinished(Gpu *gpu, int k, const int32_t *off)
{
    if (gpu->failed != cudaSuccess) {
        return false;
    }
    if (k > 0) {
        const int before = (k - 1) % 2;
        const unsigned char *bytes = read_message(gpu, MESSAGE_POLL + before, gpu->polled[before]);
        int32_t stopped = 1;
        if (bytes) {
            memcpy(&stopped, bytes, sizeof stopped);
        }
        if (stopped) {
            return false;
        }
    }
    gpu->polled[k % 2] = send_message(gpu, MESSAGE_POLL + k % 2, off, sizeof *off);
    return gpu->failed == cudaSuccess;
}

char *pinned_alloc(size_t size)
{
    void *memory = nullptr;
    if (cudaMallocHost(&memory, size) != cudaSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    return static_cast<char *>(memory);
}

void pinned_free(void *memory)
{
    cudaFreeHost(memory);
}

static bool create_streams(Gpu *gpu)
{
    void *messages = nullptr;
    record_error(gpu, cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking));
    record_error(gpu, cudaMallocHost(&messages, MESSAGES * sizeof(Message)));
    gpu->messages = static_cast<Message *>(messages);
    if (gpu->failed != cudaSuccess) {
        return false;
    }
    memset(messages, 0, MESSAGES * sizeof(Message));
    gpu->sent = static_cast<uint32_t *>(device_alloc(gpu, sizeof *gpu->sent));
    clear(gpu, gpu->sent, sizeof *gpu->sent);
    return gpu->failed == cudaSuccess;
}

static void destroy_streams(Gpu *gpu)
{
    cudaStreamSynchronize(gpu->stream);
    device_free(gpu, gpu->sent, sizeof *gpu->sent);
    cudaFreeHost(gpu->messages);
    cudaStreamDestroy(gpu->stream);
}
#else
char *pinned_alloc(size_t size)
{
    return static_cast<char *>(malloc(size));
}

void pinned_free(void *memory)
{
    free(memory);
}

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

MessageSender message_sender(Gpu *gpu)
{
    return {gpu->messages, gpu->sent};
}

bool receive_bytes(Gpu *gpu, void *to, size_t size)
{
    gpu->counts.waits++;
    memcpy(to, gpu->messages->bytes, size);
    return gpu->failed == cudaSuccess;
}

static bool create_streams(Gpu *gpu)
{
    gpu->messages = static_cast<Message *>(calloc(1, sizeof(Message)));
    gpu->sent = static_cast<uint32_t *>(calloc(1, sizeof(uint32_t)));
    return gpu->messages && gpu->sent;
}

static void destroy_streams(Gpu *gpu)
{
    free(gpu->messages);
    free(gpu->sent);
}
#endif

uint64_t few_particles(void)
{
    const char *few = getenv("OOZE_FEW");
    return few ? strtoull(few, nullptr, 10) : (uint64_t)FEW;
}

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
    buffer_free(gpu, &gpu->barrier);
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
    copy_in(gpu, gpu->sent, &gpu->expected, sizeof gpu->expected); /* launches were left out */
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

/* Frees empty chunks from `first` on. Marks name no chunk above the top, and one that names an
   empty chunk then names the beginning of the next. */
static void free_empty_chunks(Gpu *gpu, int first)
{
    int kept = first;
    gpu_wait(gpu);
    for (int k = first; k < gpu->chunks; k++) {
        if (gpu->chunk[k].used > 0) {
            gpu->chunk[kept++] = gpu->chunk[k];
        } else {
            device_free(gpu, gpu->chunk[k].memory, gpu->chunk[k].size);
        }
    }
    gpu->chunks = kept;
}

/* A new chunk. Where memory does not suffice, first frees the chunks that are too small (in a first
   step, whose arrays have a chunk each, these may be a fifth of all memory) and what is spare. */
static char *chunk_alloc(Gpu *gpu, size_t size, int first)
{
    if (gpu->chunks == CHUNKS || size > free_bytes()) {
        free_empty_chunks(gpu, first);
    }
    if (gpu->spare && size > free_bytes()) {
        buffer_free(gpu, gpu->spare);
    }
    return gpu->chunks < CHUNKS ? static_cast<char *>(device_alloc(gpu, size)) : nullptr;
}

/* The first chunk with room for `size` bytes, from the top on; those above it are empty. */
static Chunk *chunk_for(Gpu *gpu, size_t size)
{
    const int first = gpu->top;
    for (; gpu->top < gpu->chunks; gpu->top++) {
        Chunk *chunk = &gpu->chunk[gpu->top];
        if (chunk->size - chunk->used >= size) {
            return chunk;
        }
    }
    size_t wanted = size < (8u << 20) ? (8u << 20) : size;
    char *memory = chunk_alloc(gpu, wanted, first);
    gpu->top = gpu->chunks;
    if (!memory) {
        record_error(gpu, cudaErrorMemoryAllocation);
        return nullptr;
    }
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

void scratch_trim(Gpu *gpu)
{
    if (gpu->chunks > gpu->top + 1) {
        free_empty_chunks(gpu, gpu->top);
    }
}

void scratch_reset(Gpu *gpu)
{
    Mark empty = {0, 0, 0};
    scratch_rewind(gpu, empty);
    const size_t peak = aligned(gpu->peak), spare = aligned(gpu->peak / 64);
    gpu->peak = 0;
    if (gpu->chunks < 2) {
        return;
    }
    gpu_wait(gpu);
    for (int k = 0; k < gpu->chunks; k++) {
        device_free(gpu, gpu->chunk[k].memory, gpu->chunk[k].size);
    }
    gpu->chunks = 0;
    const size_t free = free_bytes(), wanted = free && peak + spare > free ? peak : peak + spare;
    char *memory = static_cast<char *>(device_alloc(gpu, wanted));
    if (memory) {
        gpu->chunk[gpu->chunks++] = {memory, wanted, 0};
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
