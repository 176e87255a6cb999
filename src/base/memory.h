/* Memory: aligned blocks, overflow-checked arrays, and the step arena. */
#ifndef OOZE_BASE_MEMORY_H
#define OOZE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ooze/status.h"

/* Every block starts on a cache line, so that float arrays also suit 32-byte vector loads. */
#define OOZE_ALIGNMENT 64

/* count * size bytes, not cleared; NULL when out of memory or when the product overflows.
   A zero-byte request gives a valid pointer. Free with ooze_free. */
void *ooze_alloc(size_t count, size_t size);
void *ooze_alloc_zero(size_t count, size_t size);
/* Grows a block to new_count elements, keeping the first old_count; NULL leaves the old one. */
void *ooze_grow(void *block, size_t old_count, size_t new_count, size_t size);
void ooze_free(void *block);
/* A block of at least `wanted` elements: one that is too small is replaced by one with a quarter
   more, without its contents. It is freed first, since both together may be too much; false: out of
   memory, and there is none. */
bool ooze_reserve(void **block, size_t *capacity, size_t wanted, size_t size);

char *ooze_copy_text(const char *text); /* NULL for NULL or when out of memory */

/* Test hook: the n-th allocation from now fails (1 = the next); 0 turns it off. */
void ooze_memory_fail_after(uint64_t allocations);

/* A step arena: bump allocation that is reset at the start of every step. The first steps grow it;
   afterwards a step allocates nothing from the system. */
typedef struct OozeArena OozeArena;
OozeArena *ooze_arena_create(void);
void ooze_arena_destroy(OozeArena *arena);
/* Not cleared, aligned to OOZE_ALIGNMENT, valid until the next reset; NULL when out of memory. */
void *ooze_arena_alloc(OozeArena *arena, size_t count, size_t size);
/* Whether an allocation since the last reset returned NULL: code that needs several arrays
   allocates them all and checks once before it writes to any of them. A rewind keeps it. */
bool ooze_arena_failed(const OozeArena *arena);
void ooze_arena_reset(OozeArena *arena); /* frees every block and clears the failure */
/* Rewinding to a mark frees every block allocated after it: consecutive stages share memory. */
typedef struct OozeArenaMark {
    void *chunk;
    size_t used, live;
} OozeArenaMark;
OozeArenaMark ooze_arena_mark(const OozeArena *arena);
void ooze_arena_rewind(OozeArena *arena, OozeArenaMark mark);
size_t ooze_arena_bytes(const OozeArena *arena);

#endif
