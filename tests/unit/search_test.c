/* Binary searches: the same as searches one by one, in arrays of every small length. */
#include "base/search.h"

#include "check.h"

enum { LENGTH_MAX = 33 };

typedef struct Labelled {
    uint32_t label;
    uint64_t number;
} Labelled;

static uint64_t first_not_below(const uint64_t *numbers, uint64_t count, uint64_t least)
{
    uint64_t k = 0;
    while (k < count && numbers[k] < least) {
        k++;
    }
    return k;
}

static int last_begun(const uint64_t *first, int count, uint64_t element)
{
    int last = 0;
    for (int k = 1; k < count; k++) {
        last = first[k] <= element ? k : last;
    }
    return last;
}

/* Ascending numbers with repetitions and gaps. */
static void fill(uint64_t *numbers, uint64_t count, uint64_t repeated)
{
    for (uint64_t k = 0; k < count; k++) {
        numbers[k] = 3 * (k / repeated) + 2;
    }
}

static void lower_bounds(void **state)
{
    (void)state;
    for (uint64_t count = 0; count <= LENGTH_MAX; count++) {
        for (uint64_t repeated = 1; repeated <= 4; repeated++) {
            uint64_t numbers[LENGTH_MAX];
            fill(numbers, count, repeated);
            for (uint64_t least = 0; least <= 3 * LENGTH_MAX + 4; least++) {
                assert_int_equal(ooze_lower_bound(numbers, sizeof *numbers, count, least),
                                 first_not_below(numbers, count, least));
            }
            assert_int_equal(ooze_lower_bound(numbers, sizeof *numbers, count, UINT64_MAX), count);
        }
    }
}

static void lower_bounds_in_structs(void **state)
{
    (void)state;
    uint64_t numbers[LENGTH_MAX];
    Labelled labelled[LENGTH_MAX];
    fill(numbers, LENGTH_MAX, 2);
    for (uint32_t k = 0; k < LENGTH_MAX; k++) {
        labelled[k] = (Labelled){k, numbers[k]};
    }
    for (uint64_t least = 0; least <= 3 * LENGTH_MAX; least++) {
        assert_int_equal(ooze_lower_bound(&labelled->number, sizeof *labelled, LENGTH_MAX, least),
                         first_not_below(numbers, LENGTH_MAX, least));
    }
}

/* Numbers that repeat are parts without elements: the last of them has those that follow. */
static void parts(void **state)
{
    (void)state;
    for (int count = 1; count <= LENGTH_MAX; count++) {
        for (uint64_t repeated = 1; repeated <= 4; repeated++) {
            uint64_t first[LENGTH_MAX];
            fill(first, (uint64_t)count, repeated);
            for (uint64_t element = 0; element <= 3 * LENGTH_MAX + 4; element++) {
                assert_int_equal(ooze_part_of(first, count, element),
                                 last_begun(first, count, element));
            }
            assert_int_equal(ooze_part_of(first, count, UINT64_MAX), count - 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_bounds),
        cmocka_unit_test(lower_bounds_in_structs),
        cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
