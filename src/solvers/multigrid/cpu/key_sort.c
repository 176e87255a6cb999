#include "solvers/multigrid/key_sort.h"

#include <string.h>

/* [0, n) is divided into at most BLOCKS blocks, each with its own counts. */
enum { BLOCKS = 64, BLOCK_MIN = 8192, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

typedef struct Pass {
    const OozeKeySort *sort;
    int from, shift;
    uint64_t block;
} Pass;

static uint64_t block_of(uint64_t n)
{
    uint64_t block = (n + BLOCKS - 1) / BLOCKS;
    return block < BLOCK_MIN ? (uint64_t)BLOCK_MIN : block;
}

void ooze_key_sort_alloc(OozeKeySort *sort, OozeArena *arena, uint64_t n)
{
    uint64_t blocks = (n + block_of(n) - 1) / block_of(n);
    for (int side = 0; side < 2; side++) {
        sort->key[side] = ooze_arena_alloc(arena, n, sizeof *sort->key[side]);
        sort->value[side] = ooze_arena_alloc(arena, n, sizeof *sort->value[side]);
    }
    sort->counts = ooze_arena_alloc(arena, blocks * DIGITS, sizeof *sort->counts);
}

static void count_digits(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Pass *pass = data;
    const uint64_t *key = pass->sort->key[pass->from];
    uint32_t *counts = pass->sort->counts + begin / pass->block * DIGITS;
    memset(counts, 0, DIGITS * sizeof *counts);
    for (uint64_t i = begin; i < end; i++) {
        counts[key[i] >> pass->shift & (DIGITS - 1)]++;
    }
}

static void scatter(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Pass *pass = data;
    const uint64_t *key = pass->sort->key[pass->from];
    const uint32_t *value = pass->sort->value[pass->from];
    uint64_t *to_key = pass->sort->key[!pass->from];
    uint32_t *to_value = pass->sort->value[!pass->from];
    uint32_t *place = pass->sort->counts + begin / pass->block * DIGITS;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t to = place[key[i] >> pass->shift & (DIGITS - 1)]++;
        to_key[to] = key[i];
        to_value[to] = value[i];
    }
}

void ooze_key_sort(OozeKeySort *sort, OozeThreads *threads, uint64_t n, int bits)
{
    Pass pass = {.sort = sort, .block = block_of(n)};
    uint64_t blocks = (n + pass.block - 1) / pass.block;
    for (; pass.shift < bits; pass.shift += DIGIT_BITS, pass.from = !pass.from) {
        ooze_parallel_for(threads, n, pass.block, count_digits, &pass);
        uint32_t total = 0;
        for (uint32_t digit = 0; digit < DIGITS; digit++) {
            for (uint64_t b = 0; b < blocks; b++) {
                uint32_t *count = &sort->counts[b * DIGITS + digit], here = *count;
                *count = total;
                total += here;
            }
        }
        ooze_parallel_for(threads, n, pass.block, scatter, &pass);
    }
    if (pass.from == 1) {
        uint64_t *key = sort->key[0];
        uint32_t *value = sort->value[0];
        sort->key[0] = sort->key[1];
        sort->value[0] = sort->value[1];
        sort->key[1] = key;
        sort->value[1] = value;
    }
}
