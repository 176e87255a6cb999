#include "cuda/readback.cuh"

extern "C" {
#include "base/memory.h"
#include "base/threads.h"
}

namespace ooze
{

/* Bytes of a pinned buffer: large enough for the bandwidth of the bus, small enough for the caches
   of the threads that empty it. */
enum { PIECE = 8 << 20 };
enum { PARTS = 32 }; /* items, or parts of items, per buffer */
enum { GRAIN = 1 << 18, HELPERS = 4 };

#ifdef __CUDACC__
typedef cudaEvent_t Event;
static bool event_create(Event *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDisableTiming) == cudaSuccess;
}
static void event_free(Event event)
{
    cudaEventDestroy(event);
}
static void copy_async(Gpu *gpu, void *to, const void *from, size_t size)
{
    if (gpu->failed == cudaSuccess) {
        record_error(gpu, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, gpu->stream));
    }
}
static void event_set(Gpu *gpu, Event event)
{
    record_error(gpu, cudaEventRecord(event, gpu->stream));
}
static void event_wait(Gpu *gpu, Event event)
{
    record_error(gpu, cudaEventSynchronize(event));
}
#else
typedef int Event;
static bool event_create(Event *event)
{
    *event = 1;
    return true;
}
static void event_free(Event) {}
static void copy_async(Gpu *gpu, void *to, const void *from, size_t size)
{
    copy_out(gpu, to, from, size);
}
static void event_set(Gpu *, Event) {}
static void event_wait(Gpu *, Event) {}
#endif

struct Piece {
    char *memory; /* pinned */
    Event full;
    ReadbackItem part[PARTS]; /* `from` points into `memory` */
    int parts;
};

struct Readback {
    Piece piece[2];
    OozeThreads *threads;
};

void readback_free(Readback *readback)
{
    if (!readback) {
        return;
    }
    for (Piece &piece : readback->piece) {
        pinned_free(piece.memory);
        if (piece.full) {
            event_free(piece.full);
        }
    }
    ooze_threads_destroy(readback->threads);
    ooze_free(readback);
}

Readback *readback_create(void)
{
    Readback *readback = static_cast<Readback *>(ooze_alloc_zero(1, sizeof(Readback)));
    bool made = readback && ooze_threads_create(HELPERS, &readback->threads, nullptr) == OOZE_OK;
    for (int k = 0; k < 2 && made; k++) {
        Piece *piece = &readback->piece[k];
        piece->memory = pinned_alloc(PIECE);
        made = piece->memory && event_create(&piece->full);
    }
    if (!made) {
        readback_free(readback);
        return nullptr;
    }
    return readback;
}

/* Fills a pinned buffer, beginning `done` bytes into item `next`. */
static void fill_piece(Gpu *gpu, Piece *piece, const ReadbackItem *items, int count, int *next,
                       size_t *done)
{
    size_t used = 0;
    piece->parts = 0;
    while (*next < count && used < PIECE && piece->parts < PARTS) {
        const ReadbackItem *item = &items[*next];
        size_t left = item->size - *done, room = PIECE - used, size = left < room ? left : room;
        char *at = piece->memory + used;
        if (size > 0) {
            copy_async(gpu, at, static_cast<const char *>(item->from) + *done, size);
            piece->part[piece->parts++] = {static_cast<char *>(item->to_host) + *done, at, size};
        }
        used += size;
        *done += size;
        if (*done == item->size) {
            *next += 1;
            *done = 0;
        }
    }
    event_set(gpu, piece->full);
}

static void copy_range(void *context, uint64_t begin, uint64_t end, int)
{
    const ReadbackItem *part = static_cast<const ReadbackItem *>(context);
    memcpy(static_cast<char *>(part->to_host) + begin,
           static_cast<const char *>(part->from) + begin, end - begin);
}

static void empty_piece(Gpu *gpu, Readback *readback, Piece *piece)
{
    event_wait(gpu, piece->full);
    for (int k = 0; k < piece->parts && gpu->failed == cudaSuccess; k++) {
        ReadbackItem *part = &piece->part[k];
        ooze_parallel_for(part->size > GRAIN ? readback->threads : nullptr, part->size, GRAIN,
                          copy_range, part);
    }
    piece->parts = 0;
}

void readback_all(Gpu *gpu, Readback *readback, const ReadbackItem *items, int count)
{
    if (!readback) {
        for (int k = 0; k < count; k++) {
            copy_out(gpu, items[k].to_host, items[k].from, items[k].size);
        }
        return;
    }
    int next = 0, k = 0;
    size_t done = 0;
    Piece *filling = &readback->piece[k];
    fill_piece(gpu, filling, items, count, &next, &done);
    while (filling->parts > 0) {
        Piece *full = filling;
        k = !k;
        filling = &readback->piece[k];
        fill_piece(gpu, filling, items, count, &next, &done);
        empty_piece(gpu, readback, full);
    }
}

} // namespace ooze
