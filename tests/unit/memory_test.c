/* Blocks, failure injection and the step arena. */
#include "check.h"

#include "base/memory.h"

static void blocks_are_aligned_and_zeroed(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < 300; bytes++) {
        unsigned char *block = ooze_alloc(bytes, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % OOZE_ALIGNMENT, 0);
        memset(block, 0xaa, bytes);
        ooze_free(block);
        block = ooze_alloc_zero(bytes, 1);
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(block[i], 0);
        }
        ooze_free(block);
    }
    ooze_free(NULL);
}

static void impossible_sizes(void **state)
{
    (void)state;
    assert_null(ooze_alloc(SIZE_MAX, 2));
    assert_null(ooze_alloc(SIZE_MAX / 8 + 2, 8));
    assert_null(ooze_alloc(SIZE_MAX, 1));
    assert_null(ooze_alloc_zero(SIZE_MAX / 2, 4));
    int *block = ooze_alloc(4, sizeof *block);
    block[0] = 41;
    assert_null(ooze_grow(block, 4, SIZE_MAX / 2, sizeof *block));
    assert_int_equal(block[0], 41); /* the old block is still there */
    ooze_free(block);
}

static void grow(void **state)
{
    (void)state;
    int *block = ooze_grow(NULL, 0, 3, sizeof *block);
    for (int i = 0; i < 3; i++) {
        block[i] = 10 * i;
    }
    block = ooze_grow(block, 3, 5000, sizeof *block);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(block[i], 10 * i);
    }
    block[4999] = 7;
    block = ooze_grow(block, 5000, 2, sizeof *block);
    assert_int_equal(block[1], 10);
    ooze_free(block);
}

static void copied_text(void **state)
{
    (void)state;
    char *text = ooze_copy_text("honey");
    assert_string_equal(text, "honey");
    ooze_free(text);
    assert_null(ooze_copy_text(NULL));
    ooze_memory_fail_after(1);
    assert_null(ooze_copy_text("honey"));
    ooze_memory_fail_after(0);
}

/* The n-th allocation fails, once. */
static void injected_failure(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 10; n++) {
        ooze_memory_fail_after(n);
        for (uint64_t i = 1; i < 20; i++) {
            void *block = ooze_alloc(1, 8);
            assert_int_equal(block == NULL, i == n);
            ooze_free(block);
        }
    }
    ooze_memory_fail_after(3);
    ooze_memory_fail_after(0);
    for (int i = 0; i < 10; i++) {
        void *block = ooze_alloc(1, 8);
        assert_non_null(block);
        ooze_free(block);
    }
}

/* Blocks of one step do not overlap and keep what was written until the reset. */
static void arena_blocks(void **state)
{
    (void)state;
    OozeArena *arena = ooze_arena_create();
    unsigned char *blocks[200];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 200; i++) {
            size_t bytes = (size_t)(i * 37);
            blocks[i] = ooze_arena_alloc(arena, bytes, 1);
            assert_non_null(blocks[i]);
            assert_int_equal((uintptr_t)blocks[i] % OOZE_ALIGNMENT, 0);
            memset(blocks[i], i, bytes);
        }
        for (int i = 0; i < 200; i++) {
            for (int k = 0; k < i * 37; k++) {
                assert_int_equal(blocks[i][k], i);
            }
        }
        ooze_arena_reset(arena);
    }
    ooze_arena_destroy(arena);
    ooze_arena_destroy(NULL);
}

/* After the first reset a step like the one before allocates nothing from the system. */
static void arena_steady_state(void **state)
{
    (void)state;
    OozeArena *arena = ooze_arena_create();
    for (int step = 0; step < 5; step++) {
        ooze_arena_reset(arena);
        ooze_memory_fail_after(step >= 2 ? 1 : 0);
        for (int i = 0; i < 50; i++) {
            assert_non_null(ooze_arena_alloc(arena, 10000, 4));
        }
        ooze_memory_fail_after(0);
    }
    size_t bytes = ooze_arena_bytes(arena);
    assert_in_range(bytes, 50 * 40000, 2 * 50 * 40000);
    ooze_arena_destroy(arena);
}

static void arena_failures(void **state)
{
    (void)state;
    ooze_memory_fail_after(1);
    assert_null(ooze_arena_create());
    OozeArena *arena = ooze_arena_create();
    assert_false(ooze_arena_failed(arena));
    OozeArenaMark start = ooze_arena_mark(arena);
    ooze_memory_fail_after(1);
    assert_null(ooze_arena_alloc(arena, 100, 1));
    ooze_memory_fail_after(0);
    assert_non_null(ooze_arena_alloc(arena, 100, 1));
    ooze_arena_rewind(arena, start);
    assert_true(ooze_arena_failed(arena)); /* neither a later success nor a rewind hides it */
    ooze_arena_reset(arena);
    assert_false(ooze_arena_failed(arena));
    assert_null(ooze_arena_alloc(arena, SIZE_MAX, 2));
    assert_null(ooze_arena_alloc(arena, SIZE_MAX / 2, 1));
    assert_true(ooze_arena_failed(arena));
    char *small = ooze_arena_alloc(arena, 100, 1);
    assert_non_null(small);
    memset(small, 1, 100);
    ooze_memory_fail_after(1);
    assert_null(ooze_arena_alloc(arena, 1 << 20, 1)); /* needs a new chunk */
    assert_int_equal(small[99], 1);
    assert_non_null(ooze_arena_alloc(arena, 1 << 20, 1));
    ooze_memory_fail_after(1); /* merging chunks fails: the arena only starts anew */
    ooze_arena_reset(arena);
    ooze_memory_fail_after(0);
    assert_non_null(ooze_arena_alloc(arena, 1 << 20, 1));
    ooze_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_zeroed),
        cmocka_unit_test(impossible_sizes),
        cmocka_unit_test(grow),
        cmocka_unit_test(copied_text),
        cmocka_unit_test(injected_failure),
        cmocka_unit_test(arena_blocks),
        cmocka_unit_test(arena_steady_state),
        cmocka_unit_test(arena_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
