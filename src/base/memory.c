#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic uint64_t fail_countdown;

void ooze_memory_fail_after(uint64_t allocations)
{
    atomic_store(&fail_countdown, allocations);
}

static bool injected_failure(void)
{
    uint64_t left = atomic_load(&fail_countdown);
    while (left > 0) {
        if (atomic_compare_exchange_weak(&fail_countdown, &left, left - 1)) {
            return left == 1;
        }
    }
    return false;
}

/* Huge pages for large arrays: gathers of neighbours would miss the TLB with small pages. */
enum { HUGE_PAGE = 1 << 21, HUGE_FROM = 4 * HUGE_PAGE };

void *ooze_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2 || injected_failure()) {
        return NULL;
    }
    if (bytes < HUGE_FROM) {
        bytes = (bytes + OOZE_ALIGNMENT) / OOZE_ALIGNMENT * OOZE_ALIGNMENT;
        return aligned_alloc(OOZE_ALIGNMENT, bytes);
    }
    bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *block = aligned_alloc(HUGE_PAGE, bytes);
    if (block) {
        (void)madvise(block, bytes, MADV_HUGEPAGE); /* small pages are correct too, only slower */
    }
    return block;
}

void *ooze_alloc_zero(size_t count, size_t size)
{
    void *block = ooze_alloc(count, size);
    if (block) {
        memset(block, 0, count * size);
    }
    return block;
}

void *ooze_grow(void *block, size_t old_count, size_t new_count, size_t size)
{
    void *grown = ooze_alloc(new_count, size);
    if (!grown) {
        return NULL;
    }
    size_t kept = old_count < new_count ? old_count : new_count;
    if (block && kept > 0) {
        memcpy(grown, block, kept * size);
    }
    ooze_free(block);
    return grown;
}

void ooze_free(void *block)
{
    free(block);
}

bool ooze_reserve(void **block, size_t *capacity, size_t wanted, size_t size)
{
    if (!*block || wanted > *capacity) {
        ooze_free(*block);
        *block = ooze_alloc(wanted + wanted / 4, size);
        *capacity = *block ? wanted + wanted / 4 : 0;
    }
    return *block != NULL;
}

char *ooze_copy_text(const char *text)
{
    if (!text) {
        return NULL;
    }
    size_t length = strlen(text);
    char *copy = ooze_alloc(length + 1, 1);
    if (copy) {
        memcpy(copy, text, length + 1);
    }
    return copy;
}

/* ---- arena: a list of chunks; reset merges them into one chunk that holds the whole step ---- */

typedef struct Chunk {
    struct Chunk *next;
    size_t capacity, used;
} Chunk;

struct OozeArena {
    Chunk *chunks; /* newest first */
    size_t live;   /* bytes of the blocks in use */
    size_t peak;   /* largest value of live since the last reset */
    bool failed;   /* an allocation since the last reset returned NULL */
};

enum { CHUNK_HEADER = OOZE_ALIGNMENT, CHUNK_MIN = 1 << 16 };
_Static_assert(sizeof(Chunk) <= CHUNK_HEADER, "a chunk header must not spoil alignment");

OozeArena *ooze_arena_create(void)
{
    return ooze_alloc_zero(1, sizeof(OozeArena));
}

static void free_chunks(OozeArena *arena)
{
    for (Chunk *chunk = arena->chunks; chunk;) {
        Chunk *next = chunk->next;
        ooze_free(chunk);
        chunk = next;
    }
    arena->chunks = NULL;
}

void ooze_arena_destroy(OozeArena *arena)
{
    if (arena) {
        free_chunks(arena);
        ooze_free(arena);
    }
}

static Chunk *add_chunk(OozeArena *arena, size_t bytes)
{
    size_t capacity = bytes > CHUNK_MIN ? bytes : CHUNK_MIN;
    Chunk *chunk = ooze_alloc(capacity + CHUNK_HEADER, 1);
    if (chunk) {
        *chunk = (Chunk){.next = arena->chunks, .capacity = capacity};
        arena->chunks = chunk;
    }
    return chunk;
}

void *ooze_arena_alloc(OozeArena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4) {
        arena->failed = true;
        return NULL;
    }
    bytes = (bytes + OOZE_ALIGNMENT) / OOZE_ALIGNMENT * OOZE_ALIGNMENT;
    Chunk *chunk = arena->chunks;
    if (!chunk || chunk->capacity - chunk->used < bytes) {
        chunk = add_chunk(arena, bytes);
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
    }
    void *block = (char *)chunk + CHUNK_HEADER + chunk->used;
    chunk->used += bytes;
    arena->live += bytes;
    arena->peak = arena->live > arena->peak ? arena->live : arena->peak;
    return block;
}

bool ooze_arena_failed(const OozeArena *arena)
{
    return arena->failed;
}

void ooze_arena_reset(OozeArena *arena)
{
    arena->failed = false;
    Chunk *newest = arena->chunks;
    if (newest && (newest->next || arena->peak > newest->capacity)) {
        size_t wanted = arena->peak + arena->peak / 32; /* so that a slow growth still fits */
        free_chunks(arena);
        add_chunk(arena, wanted); /* after a failure, ooze_arena_alloc tries again */
    } else if (newest) {
        newest->used = 0;
    }
    arena->live = arena->peak = 0;
}

OozeArenaMark ooze_arena_mark(const OozeArena *arena)
{
    const Chunk *chunk = arena->chunks;
    return (OozeArenaMark){arena->chunks, chunk ? chunk->used : 0, arena->live};
}

void ooze_arena_rewind(OozeArena *arena, OozeArenaMark mark)
{
    while (arena->chunks != mark.chunk) { /* chunks added after the mark */
        Chunk *next = arena->chunks->next;
        ooze_free(arena->chunks);
        arena->chunks = next;
    }
    if (arena->chunks) {
        arena->chunks->used = mark.used;
    }
    arena->live = mark.live;
}

size_t ooze_arena_bytes(const OozeArena *arena)
{
    size_t bytes = 0;
    for (const Chunk *chunk = arena->chunks; chunk; chunk = chunk->next) {
        bytes += chunk->capacity + CHUNK_HEADER;
    }
    return bytes;
}
