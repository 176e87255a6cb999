/* Particles divided among ranks have the order, the neighbour lists and the sums of one process. */
#include "clouds.h"
#include "particles/halo.h"
#include "thread_ranks.h"

static const double CELL = 1.0;

/* One process. */
typedef struct Reference {
    uint64_t n;
    OozeFloat4 *sorted;
    uint32_t *order;
    OozeNeighbours lists;
    double sum; /* over blocks */
} Reference;

typedef struct RankJob {
    ThreadRanks ranks;
    const Cloud *cloud;
    const OozePeriodic *periodic;
    const Reference *reference;
    const double *shares;
    uint64_t own, wrong; /* particles, and those that differ */
} RankJob;

static double value_of(OozeFloat4 x)
{
    return sin((double)x.x) + 1e-3 * (double)x.y * (double)x.z;
}

/* Sums of the blocks of n points. */
static void sum_blocks(const OozeFloat4 *x, uint64_t n, double *sums)
{
    for (uint64_t begin = 0; begin < n; begin += OOZE_SPLIT_BLOCK) {
        double sum = 0.0;
        for (uint64_t i = begin; i < begin + OOZE_SPLIT_BLOCK && i < n; i++) {
            sum += value_of(x[i]);
        }
        sums[begin / OOZE_SPLIT_BLOCK] = sum;
    }
}

static Reference make_reference(const Cloud *cloud, const OozePeriodic *periodic)
{
    Reference r = {.n = cloud->n};
    OozeGrid *grid = ooze_grid_create();
    double *sums = ooze_alloc(cloud->n / OOZE_SPLIT_BLOCK + 1, sizeof *sums);
    r.sorted = ooze_alloc(cloud->n + 4, sizeof *r.sorted);
    r.order = ooze_alloc(cloud->n, sizeof *r.order);
    CHECK_OK(ooze_grid_sort(grid, NULL, cloud->points, cloud->n, CELL, periodic, &error));
    for (uint64_t k = 0; k < cloud->n; k++) {
        r.order[k] = ooze_grid_order(grid)[k];
        r.sorted[k] = cloud->points[r.order[k]];
    }
    OozeNeighbourQuery query = {r.sorted, r.n, r.sorted, CELL, true};
    CHECK_OK(ooze_neighbours_build(&r.lists, grid, NULL, &query, &error));
    sum_blocks(r.sorted, r.n, sums);
    r.sum = ooze_halo_sum(NULL, sums, r.n, OOZE_SPLIT_BLOCK);
    ooze_free(sums);
    ooze_grid_destroy(grid);
    return r;
}

static void free_reference(Reference *r)
{
    ooze_free(r->sorted);
    ooze_free(r->order);
    ooze_neighbours_free(&r->lists);
}

/* Own particles that are not those of one process at their places, or have other neighbours. */
static uint64_t count_wrong(const RankJob *job, const OozeHalo *halo, const OozeNeighbours *lists,
                            const uint32_t *names, uint64_t first, uint64_t n)
{
    const Reference *r = job->reference;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = first + i;
        bool same = names[i] == r->order[at] && lists->count[i] == r->lists.count[at];
        for (uint32_t k = 0; same && k < lists->count[i]; k++) {
            uint32_t j = lists->index[lists->first[i] + k];
            uint32_t wanted = r->lists.index[r->lists.first[at] + k];
            same = ooze_halo_index(halo, j) == wanted && names[j] == r->order[wanted];
        }
        wrong += !same;
    }
    return wrong;
}

/* Sums of the numbers of neighbours. */
typedef struct NeighbourSums {
    const OozeNeighbours *lists;
    const uint64_t *number;
    uint64_t *sum;
} NeighbourSums;

static void sum_neighbours(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const NeighbourSums *sums = data;
    for (uint64_t i = begin; i < end; i++) {
        sums->sum[i] = 1;
        for (uint32_t k = 0; k < sums->lists->count[i]; k++) {
            sums->sum[i] += sums->number[sums->lists->index[sums->lists->first[i] + k]];
        }
    }
}

/* Particles whose sums over neighbours differ where a loop runs while ghosts arrive. */
static uint64_t count_wrong_sums(OozeHalo *halo, const OozeNeighbours *lists, const uint32_t *names,
                                 uint64_t n)
{
    uint64_t local = ooze_halo_local(halo, n), wrong = 0;
    uint64_t *number = ooze_alloc(local, sizeof *number), *sum = ooze_alloc(2 * n, sizeof *sum);
    NeighbourSums before = {lists, number, sum}, during = {lists, number, sum + n};
    for (uint64_t i = 0; i < local; i++) {
        number[i] = names[i];
    }
    sum_neighbours(&before, 0, n, 0);
    memset(sum + n, 0, n * sizeof *sum);
    memset(number + n, 0xff, (local - n) * sizeof *number);
    OozeHaloLoop loop = {NULL, n, OOZE_SPLIT_BLOCK / 2, sum_neighbours, &during};
    ooze_halo_refresh_during(halo, number, sizeof *number, &loop);
    for (uint64_t i = 0; i < n; i++) {
        wrong += sum[i] != sum[n + i];
    }
    ooze_free(number);
    ooze_free(sum);
    return wrong;
}

/* Neighbours of some own particles' neighbours that are not here. */
static uint64_t count_absent(const RankJob *job, const OozeHalo *halo, uint64_t first, uint64_t n)
{
    const OozeNeighbours *lists = &job->reference->lists;
    uint64_t absent = 0;
    for (uint64_t i = first; i < first + n; i += 1 + n / 128) {
        for (uint32_t k = 0; k < lists->count[i]; k += 1 + lists->count[i] / 32) {
            uint32_t j = lists->index[lists->first[i] + k];
            for (uint32_t m = 0; m < lists->count[j]; m++) {
                uint32_t after = lists->index[lists->first[j] + m];
                absent += ooze_halo_find_index(halo, after) == UINT64_MAX;
            }
        }
    }
    return absent;
}

/* Particles and ghosts in the order of all that do not have their number, or are not found. */
static uint64_t count_misplaced(OozeHalo *halo, uint64_t first, uint64_t n)
{
    uint64_t local = ooze_halo_local(halo, n), below = ooze_halo_below(halo), wrong = 0;
    uint64_t *number = ooze_alloc_zero(local, sizeof *number);
    for (uint64_t i = 0; i < n; i++) {
        number[below + i] = first + i;
    }
    ooze_halo_refresh_sorted(halo, number, sizeof *number);
    for (uint64_t k = 0; k < local; k++) {
        uint64_t i = k < below ? k + n : k < below + n ? k - below : k;
        wrong += (k > 0 && number[k] <= number[k - 1]) || ooze_halo_index(halo, i) != number[k] ||
                 ooze_halo_find_index(halo, number[k]) != i;
    }
    ooze_free(number);
    return wrong;
}

/* Ghosts of two layers of cells, and then those that are asked for by number. */
static uint64_t count_wrong_ghosts(const RankJob *job, OozeHalo *halo, const OozeSplit *split,
                                   const OozeFloat4 *sorted)
{
    enum { EVERY = 97 };
    uint64_t first = split->first, n = split->after, wrong = 0, asked = 0;
    uint64_t *wanted = ooze_alloc(2 * (split->total / EVERY + 1), sizeof *wanted);
    ooze_halo_set_layers(halo, 2);
    CHECK_OK(ooze_halo_find(halo, split, sorted, &error));
    wrong += count_absent(job, halo, first, n) + count_misplaced(halo, first, n);
    for (uint64_t k = (uint64_t)job->ranks.ranks.rank; k < split->total; k += EVERY) {
        wanted[asked++] = k;
        wanted[asked++] = k;
    }
    CHECK_OK(ooze_halo_add(halo, wanted, asked, &error));
    for (uint64_t k = 0; k < asked; k++) {
        wrong += ooze_halo_find_index(halo, wanted[k]) == UINT64_MAX;
    }
    ooze_free(wanted);
    return wrong + count_misplaced(halo, first, n);
}

static void *divide(void *data)
{
    RankJob *job = data;
    OozeRanks *ranks = &job->ranks.ranks;
    uint64_t n = job->cloud->n, count = (uint64_t)ranks->count, rank = (uint64_t)ranks->rank;
    uint64_t begin = n * rank / count, end = n * (rank + 1) / count;
    OozeSplit split = {.ranks = ranks};
    OozeHalo *halo = ooze_halo_create(ranks);
    OozeGrid *grid = ooze_grid_create();
    OozeNeighbours lists = {0};
    OozeFloat4 *x = ooze_alloc(n + 4, sizeof *x), *sorted = ooze_alloc(n + 4, sizeof *sorted);
    uint32_t *name = ooze_alloc(n + 4, sizeof *name), *names = ooze_alloc(n + 4, sizeof *names);
    double *sums = ooze_alloc(n / OOZE_SPLIT_BLOCK + 1, sizeof *sums);
    for (uint64_t i = begin; i < end; i++) {
        name[i - begin] = (uint32_t)i;
    }
    OozeSplitPoints points = {job->cloud->points + begin, end - begin, CELL, job->periodic};
    CHECK_OK(ooze_split_find(&split, NULL, &points, job->shares, &error));
    OozeColumn columns[] = {{(void *)points.points, x, sizeof *x}, {name, name, sizeof *name}};
    CHECK_OK(ooze_split_move(&split, columns, 2, &error));
    CHECK_OK(ooze_grid_sort(grid, NULL, x, split.after, CELL, job->periodic, &error));
    for (uint64_t k = 0; k < split.after; k++) {
        sorted[k] = x[ooze_grid_order(grid)[k]];
        names[k] = name[ooze_grid_order(grid)[k]];
    }
    sum_blocks(sorted, split.after, sums);
    CHECK_OK(ooze_halo_find(halo, &split, sorted, &error));
    ooze_halo_refresh(halo, sorted, sizeof *sorted);
    ooze_halo_refresh(halo, names, sizeof *names);
    OozeNeighbourQuery query = {sorted, split.after, sorted, CELL, true};
    CHECK_OK(ooze_halo_lists(halo, &lists, grid, NULL, &query, job->periodic, &error));
    job->own = split.after;
    job->wrong = count_wrong(job, halo, &lists, names, split.first, split.after);
    job->wrong += count_wrong_sums(halo, &lists, names, split.after);
    double sum = ooze_halo_sum(halo, sums, split.after, OOZE_SPLIT_BLOCK);
    job->wrong += memcmp(&sum, &job->reference->sum, sizeof sum) != 0;
    CHECK_OK(ooze_split_move_back(&split, columns + 1, 1, &error));
    for (uint64_t i = begin; i < end; i++) {
        job->wrong += name[i - begin] != i;
    }
    job->wrong += count_wrong_ghosts(job, halo, &split, sorted);
    ooze_free(x);
    ooze_free(sorted);
    ooze_free(name);
    ooze_free(names);
    ooze_free(sums);
    ooze_neighbours_free(&lists);
    ooze_grid_destroy(grid);
    ooze_halo_destroy(halo);
    ooze_split_free(&split);
    return NULL;
}

static void expect_same(const Cloud *cloud, const OozePeriodic *periodic, const double *shares,
                        int count)
{
    RankJob jobs[THREAD_RANKS_MAX];
    Reference reference = make_reference(cloud, periodic);
    uint64_t total = 0;
    for (int r = 0; r < count; r++) {
        jobs[r] = (RankJob){
            .cloud = cloud, .periodic = periodic, .reference = &reference, .shares = shares};
    }
    run_on_ranks(count, divide, jobs, sizeof *jobs);
    for (int r = 0; r < count; r++) {
        assert_int_equal(jobs[r].wrong, 0);
        total += jobs[r].own;
    }
    assert_int_equal(total, cloud->n);
    free_reference(&reference);
}

static void every_number_of_ranks(void **state)
{
    (void)state;
    OozePeriodic open = {{0}, {0}, {0}};
    Cloud cloud = cloud_random(9000, 9.0, -4.0, 1.0, 2.0, 3);
    for (int count = 1; count <= 7; count++) {
        expect_same(&cloud, &open, NULL, count);
    }
    cloud_free(&cloud);
}

static void periodic_boxes(void **state)
{
    (void)state;
    OozePeriodic box = {{-4.0f, 0.0f, 2.0f}, {8.0f, 0.0f, 4.0f}, {1 / 8.0f, 0.0f, 1 / 4.0f}};
    Cloud cloud = cloud_random(6000, 4.0, -4.0, 1.0, 2.0, 4);
    expect_same(&cloud, &box, NULL, 3);
    expect_same(&cloud, &box, NULL, 5);
    cloud_free(&cloud);
}

static void uneven_and_empty_shares(void **state)
{
    (void)state;
    OozePeriodic open = {{0}, {0}, {0}};
    const double shares[] = {0.0, 0.05, 0.05, 0.9, 1.0};
    Cloud cloud = cloud_random(5000, 6.0, 0.0, 0.0, 0.0, 5),
          few = cloud_random(100, 2.0, 0, 0, 0, 6);
    expect_same(&cloud, &open, shares, 4);
    expect_same(&few, &open, NULL, 4); /* one block: all particles are one rank's */
    cloud_free(&cloud);
    cloud_free(&few);
}

/* All particles in one cell: cuts are inside it. */
static void one_cell(void **state)
{
    (void)state;
    OozePeriodic open = {{0}, {0}, {0}};
    Cloud cloud = cloud_random(1500, 0.5, 0.1, 0.1, 0.1, 7);
    expect_same(&cloud, &open, NULL, 4);
    cloud_free(&cloud);
}

/* Rank r lists 3 r % 5 elements, some ranks none. */
enum { ELEMENTS_MAX = 4 };

static uint64_t element_count(int rank)
{
    return (uint64_t)(3 * rank % 5);
}

static uint64_t element(int rank, uint64_t k)
{
    return 100 * (uint64_t)rank + k;
}

static uint64_t count_wrong_list(const OozeHaloList *list, int rank, int ranks)
{
    const uint64_t *all = list->all;
    uint64_t wrong = 0, at = 0;
    for (int r = 0; r < ranks; r++) {
        wrong += list->at && list->at[r] != at;
        wrong += r == rank && list->first != at;
        for (uint64_t k = 0; k < element_count(r); k++) {
            wrong += at >= list->total || all[at] != element(r, k);
            at++;
        }
    }
    return wrong + (list->total != at) + (list->at && list->at[ranks] != at);
}

static void *gather_lists(void *data)
{
    RankJob *job = data;
    OozeRanks *ranks = &job->ranks.ranks;
    OozeHalo *halo = ooze_halo_create(ranks);
    OozeArena *arena = ooze_arena_create();
    uint64_t own[ELEMENTS_MAX], at[THREAD_RANKS_MAX + 1];
    for (uint64_t k = 0; k < element_count(ranks->rank); k++) {
        own[k] = element(ranks->rank, k);
    }
    for (int wants_places = 0; wants_places < 2; wants_places++) {
        OozeHaloList list = {.own = own,
                             .count = element_count(ranks->rank),
                             .at = wants_places ? at : NULL,
                             .size = sizeof *own};
        CHECK_OK(ooze_halo_gather_list(halo, arena, &list, &error));
        job->wrong += count_wrong_list(&list, ranks->rank, ranks->count);
    }
    ooze_arena_destroy(arena);
    ooze_halo_destroy(halo);
    return NULL;
}

static void lists_of_all_ranks(void **state)
{
    (void)state;
    for (int count = 1; count <= 7; count++) {
        RankJob jobs[THREAD_RANKS_MAX] = {0};
        run_on_ranks(count, gather_lists, jobs, sizeof *jobs);
        for (int r = 0; r < count; r++) {
            assert_int_equal(jobs[r].wrong, 0);
        }
    }
    uint64_t own[] = {3, 1, 4}, at[2];
    OozeHaloList alone = {.own = own, .count = 3, .at = at, .size = sizeof *own};
    CHECK_OK(ooze_halo_gather_list(NULL, NULL, &alone, &error));
    assert_ptr_equal(alone.all, own);
    assert_int_equal(alone.total, 3);
    assert_int_equal(alone.first, 0);
    assert_int_equal(at[0], 0);
    assert_int_equal(at[1], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_ranks),   cmocka_unit_test(periodic_boxes),
        cmocka_unit_test(uneven_and_empty_shares), cmocka_unit_test(one_cell),
        cmocka_unit_test(lists_of_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
