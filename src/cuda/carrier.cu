#include "cuda/carrier.cuh"

extern "C" {
#include "base/memory.h"
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
};

void carrier_free(Carrier *carrier)
{
    if (!carrier) {
        return;
    }
    for (Piece &piece : carrier->piece) {
        if (piece.memory) {
            free_pinned(piece.memory);
        }
        if (piece.full) {
            event_free(piece.full);
        }
    }
    ooze_threads_destroy(carrier->threads);
    ooze_free(carrier);
}

Carrier *carrier_create(void)
{
    Carrier *carrier = static_cast<Carrier *>(ooze_alloc_zero(1, sizeof(Carrier)));
    bool made = carrier && ooze_threads_create(HELPERS, &carrier->threads, nullptr) == OOZE_OK;
    for (int k = 0; k < 2 && made; k++) {
        Piece *piece = &carrier->piece[k];
        piece->memory = static_cast<char *>(take_pinned(PIECE));
        made = piece->memory && event_create(&piece->full);
    }
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

} // namespace ooze
