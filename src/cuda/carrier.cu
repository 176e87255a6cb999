#include "cuda/carrier.cuh"

extern "C" {
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/threads.h"
}

namespace ooze
{

enum {
    PIECE =
        8
        << 20, /* bytes: long enough for the bus, short enough for the caches of the threads that empty it */
    PARTS = 32, /* loads, or parts of them, of a piece */
    GRAIN = 1 << 18,
    HELPERS = 4
};

#ifdef __CUDACC__
static void *take_pinned(size_t size)
{
    void *memory = nullptr;
    if (cudaMallocHost(&memory, size) != cudaSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    return memory;
}
static void free_pinned(void *memory)
{
    cudaFreeHost(memory);
}
typedef cudaEvent_t Event;
static bool event_create(Event *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDisableTiming) == cudaSuccess;
}
static void event_free(Event event)
{
    cudaEventDestroy(event);
}
static void bring(Machine *m, void *to, const void *from, size_t size)
{
    if (m->failed == cudaSuccess) {
        note(m, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, m->stream));
    }
}
static void event_set(Machine *m, Event event)
{
    note(m, cudaEventRecord(event, m->stream));
}
static void event_wait(Machine *m, Event event)
{
    note(m, cudaEventSynchronize(event));
}
/* What is asked of the stream from now on comes after the event. */
static void event_follow(Machine *m, Event event)
{
    note(m, cudaStreamWaitEvent(m->stream, event, 0));
}
static bool stream_create(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking) == cudaSuccess;
}
static void stream_free(cudaStream_t stream)
{
    cudaStreamDestroy(stream);
}
bool memory_is_ample(size_t size)
{
    size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess && free >= size && free - size >= total / 8;
}
#else
static void *take_pinned(size_t size)
{
    return malloc(size);
}
static void free_pinned(void *memory)
{
    free(memory);
}
typedef int Event;
static bool event_create(Event *event)
{
    *event = 1;
    return true;
}
static void event_free(Event) {}
static void bring(Machine *m, void *to, const void *from, size_t size)
{
    copy_out(m, to, from, size);
}
static void event_set(Machine *, Event) {}
static void event_wait(Machine *, Event) {}
static void event_follow(Machine *, Event) {}
static bool stream_create(cudaStream_t *stream)
{
    *stream = 1;
    return true;
}
static void stream_free(cudaStream_t) {}
bool memory_is_ample(size_t)
{
    return true;
}
#endif

struct Piece {
    char *memory; /* pinned */
    Event full;
    Load part[PARTS]; /* `from` is inside of `memory` */
    int parts;
};

struct Carrier {
    Piece piece[2];
    OozeThreads *threads;
    /* beside the machine */
    OozePipeline *beside;
    Machine side; /* of which only the stream and what has failed are used */
    Event ready;
    Load load[LOADS_MAX];
    int loads;
};

static OozeStatus work_beside(void *context, int, OozeError *)
{
    Carrier *carrier = static_cast<Carrier *>(context);
    carry_home(&carrier->side, carrier, carrier->load, carrier->loads);
    return OOZE_OK; /* failures are the machine's to tell */
}

void carrier_free(Carrier *carrier)
{
    if (!carrier) {
        return;
    }
    ooze_pipeline_destroy(carrier->beside);
    for (Piece &piece : carrier->piece) {
        if (piece.memory) {
            free_pinned(piece.memory);
        }
        if (piece.full) {
            event_free(piece.full);
        }
    }
    if (carrier->ready) {
        event_free(carrier->ready);
    }
    if (carrier->side.stream) {
        stream_free(carrier->side.stream);
    }
    ooze_threads_destroy(carrier->threads);
    ooze_free(carrier);
}

Carrier *carrier_create(void)
{
    const OozePipelineWork work[] = {work_beside};
    Carrier *carrier = static_cast<Carrier *>(ooze_alloc_zero(1, sizeof(Carrier)));
    bool made = carrier && ooze_threads_create(HELPERS, &carrier->threads, nullptr) == OOZE_OK;
    for (int k = 0; k < 2 && made; k++) {
        Piece *piece = &carrier->piece[k];
        piece->memory = static_cast<char *>(take_pinned(PIECE));
        made = piece->memory && event_create(&piece->full);
    }
    made = made && event_create(&carrier->ready) && stream_create(&carrier->side.stream) &&
           ooze_pipeline_create(1, 1, work, carrier, &carrier->beside, nullptr) == OOZE_OK;
    if (!made) {
        carrier_free(carrier);
        return nullptr;
    }
    return carrier;
}

/* Sends for as much as the piece holds, beginning `done` bytes into load `next`. */
static void fill_piece(Machine *m, Piece *piece, const Load *loads, int count, int *next,
                       size_t *done)
{
    size_t used = 0;
    piece->parts = 0;
    while (*next < count && used < PIECE && piece->parts < PARTS) {
        const Load *load = &loads[*next];
        size_t left = load->size - *done, room = PIECE - used, size = left < room ? left : room;
        char *at = piece->memory + used;
        if (size > 0) {
            bring(m, at, static_cast<const char *>(load->from) + *done, size);
            piece->part[piece->parts++] = {static_cast<char *>(load->to_host) + *done, at, size};
        }
        used += size;
        *done += size;
        if (*done == load->size) {
            *next += 1;
            *done = 0;
        }
    }
    event_set(m, piece->full);
}

static void copy_range(void *context, uint64_t begin, uint64_t end, int)
{
    const Load *part = static_cast<const Load *>(context);
    memcpy(static_cast<char *>(part->to_host) + begin,
           static_cast<const char *>(part->from) + begin, end - begin);
}

static void empty_piece(Machine *m, Carrier *carrier, Piece *piece)
{
    event_wait(m, piece->full);
    for (int k = 0; k < piece->parts && m->failed == cudaSuccess; k++) {
        Load *part = &piece->part[k];
        ooze_parallel_for(part->size > GRAIN ? carrier->threads : nullptr, part->size, GRAIN,
                          copy_range, part);
    }
    piece->parts = 0;
}

void carry_home(Machine *m, Carrier *carrier, const Load *loads, int count)
{
    if (!carrier) {
        for (int k = 0; k < count; k++) {
            copy_out(m, loads[k].to_host, loads[k].from, loads[k].size);
        }
        return;
    }
    int next = 0, turn = 0;
    size_t done = 0;
    Piece *filling = &carrier->piece[turn];
    fill_piece(m, filling, loads, count, &next, &done);
    while (filling->parts > 0) {
        Piece *full = filling;
        turn = !turn;
        filling = &carrier->piece[turn];
        fill_piece(m, filling, loads, count, &next, &done);
        empty_piece(m, carrier, full);
    }
}

void carrier_begin(Machine *m, Carrier *carrier, const Load *loads, int count)
{
    int slot;
    carrier_end(m, carrier);
    if (m->failed != cudaSuccess || count > LOADS_MAX ||
        ooze_pipeline_take(carrier->beside, &slot, nullptr) != OOZE_OK) {
        return;
    }
    memcpy(carrier->load, loads, (size_t)count * sizeof *loads);
    carrier->loads = count;
    event_set(m, carrier->ready);
    event_follow(&carrier->side, carrier->ready);
    ooze_pipeline_put(carrier->beside);
}

void carrier_end(Machine *m, Carrier *carrier)
{
    (void)ooze_pipeline_drain(carrier->beside, nullptr);
    note(m, carrier->side.failed);
    carrier->side.failed = cudaSuccess;
}

} // namespace ooze
