/* Frames while steps go on: the particles are copied within device memory, then to pinned host
   memory on a stream of their own. */
#include "cuda/engine.cuh"

#include <initializer_list>

namespace ooze
{

#ifdef __CUDACC__
static bool create_event(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDisableTiming) == cudaSuccess;
}

static void free_event(void *event)
{
    cudaEventDestroy(static_cast<cudaEvent_t>(event));
}

static bool create(Fetches *fetches)
{
    bool made = create_event(&fetches->kept) && create_event(&fetches->copied) &&
                cudaStreamCreateWithFlags(&fetches->stream, cudaStreamNonBlocking) == cudaSuccess;
    (void)cudaGetLastError();
    return made;
}

static void destroy(Fetches *fetches)
{
    if (fetches->stream) {
        cudaStreamSynchronize(fetches->stream);
        cudaStreamDestroy(fetches->stream);
    }
    for (cudaEvent_t event : {fetches->kept, fetches->copied}) {
        if (event) {
            cudaEventDestroy(event);
        }
    }
}

static void wait_copied(Gpu *gpu, const Fetches *fetches)
{
    record_error(gpu, cudaStreamSynchronize(fetches->stream));
}

/* The next launches wait until the memory of the last fetch may be overwritten. */
static void begin_keeping(Gpu *gpu, const Fetches *fetches)
{
    record_error(gpu, cudaStreamWaitEvent(gpu->stream, fetches->copied, 0));
}

static void begin_copying(Gpu *gpu, const Fetches *fetches, OozeFetch *fetch, size_t size)
{
    const cudaEvent_t done = static_cast<cudaEvent_t>(fetch->event);
    record_error(gpu, cudaEventRecord(fetches->kept, gpu->stream));
    record_error(gpu, cudaStreamWaitEvent(fetches->stream, fetches->kept, 0));
    record_error(gpu, cudaMemcpyAsync(fetch->data, fetches->particles.memory, size,
                                      cudaMemcpyDeviceToHost, fetches->stream));
    record_error(gpu, cudaEventRecord(fetches->copied, fetches->stream));
    record_error(gpu, cudaEventRecord(done, fetches->stream));
}

static OozeStatus wait(OozeFetch *fetch, OozeError *error)
{
    const cudaError_t result = cudaEventSynchronize(static_cast<cudaEvent_t>(fetch->event));
    return result == cudaSuccess ? OOZE_OK
                                 : ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                                             "use --device cpu, or look at the GPU's driver",
                                             "the GPU: %s", cudaGetErrorString(result));
}

static bool create_event_of(OozeFetch *fetch)
{
    cudaEvent_t event = nullptr;
    bool made = create_event(&event);
    fetch->event = event;
    return made;
}
#else
static void free_event(void *) {}
static bool create(Fetches *)
{
    return true;
}
static void destroy(Fetches *) {}
static void wait_copied(Gpu *, const Fetches *) {}
static void begin_keeping(Gpu *, const Fetches *) {}
static void begin_copying(Gpu *gpu, const Fetches *fetches, OozeFetch *fetch, size_t size)
{
    copy(gpu, fetch->data, fetches->particles.memory, size);
}
static OozeStatus wait(OozeFetch *, OozeError *)
{
    return OOZE_OK;
}
static bool create_event_of(OozeFetch *)
{
    return true;
}
#endif

static void free_fetch(OozeFetch *fetch)
{
    if (fetch->event) {
        (void)wait(fetch, nullptr);
        free_event(fetch->event);
    }
    pinned_free(fetch->data);
    *fetch = {};
}

static bool reserve_host(OozeFetch *fetch, size_t size)
{
    if (size <= fetch->capacity) {
        return true;
    }
    const bool grows = fetch->capacity > 0;
    if (fetch->free) {
        fetch->free(fetch);
    }
    fetch->wait = wait;
    fetch->free = free_fetch;
    const size_t wanted = grows ? size + size / 4 : size;
    fetch->data = reinterpret_cast<unsigned char *>(pinned_alloc(wanted));
    const bool made = fetch->data && create_event_of(fetch);
    fetch->capacity = made ? wanted : 0;
    return made;
}

void fetches_free(Gpu *gpu, Fetches *fetches)
{
    destroy(fetches);
    gpu->spare = nullptr;
    buffer_free(gpu, &fetches->particles);
    *fetches = {};
}

/* Takes a quarter of the free memory at most, and gives it back to steps that need it. Without this
   memory frames are read back as before, which is no failure. */
static bool reserve_device(Gpu *gpu, Fetches *fetches, size_t size)
{
    const size_t more = size > fetches->particles.size ? size : 0, left = free_bytes();
    if (!fetches->created && !create(fetches)) {
        fetches_free(gpu, fetches);
        return false;
    }
    fetches->created = true;
    if (more > 0) {
        wait_copied(gpu, fetches);
    }
    if (more > 0 && left > 0 && more > left / 4) {
        buffer_free(gpu, &fetches->particles);
        return false;
    }
    gpu->spare = &fetches->particles;
    const bool sound = gpu->failed == cudaSuccess;
    const bool reserved = buffer_bytes(gpu, &fetches->particles, size) != nullptr;
    if (sound && gpu->failed == cudaErrorMemoryAllocation) {
        gpu->failed = cudaSuccess;
    }
    return reserved;
}

static size_t field_bytes(const OozeFieldView *field, uint64_t n)
{
    return n * (size_t)field->stride * ooze_field_type_size(field->type);
}

static size_t padded_bytes(const OozeFieldView *field, uint64_t n)
{
    return (field_bytes(field, n) + OOZE_ALIGNMENT - 1) / OOZE_ALIGNMENT * OOZE_ALIGNMENT;
}

bool fetch_begin(Engine *e, OozeFetch *fetch, OozeFieldView *fields, int count)
{
    Gpu *gpu = &e->gpu;
    const uint64_t n = e->store.n;
    size_t size = OOZE_ALIGNMENT, at = 0;
    for (int k = 0; k < count; k++) {
        size += padded_bytes(&fields[k], n);
    }
    if (!reserve_device(gpu, &e->fetches, size) || !reserve_host(fetch, size)) {
        return false;
    }
    char *kept = static_cast<char *>(e->fetches.particles.memory);
    begin_keeping(gpu, &e->fetches);
    for (int k = 0; k < count; k++) {
        OozeFieldView *field = &fields[k];
        const size_t bytes = field_bytes(field, n), padded = padded_bytes(field, n);
        copy(gpu, kept + at, store_data(&e->store, field->name), bytes);
        clear(gpu, kept + at + bytes, padded - bytes);
        field->count = n;
        field->data = fetch->data + at;
        at += padded;
    }
    begin_copying(gpu, &e->fetches, fetch, at);
    return gpu->failed == cudaSuccess;
}

} // namespace ooze
