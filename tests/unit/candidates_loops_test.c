/* Candidates and selection on every instruction set: exactly the points that the float test for
   neighbours takes, which the header of neighbours.h lays down, in ascending order. */
#include "brute_force.h"
#include "loops_case.h"
#include "particles/candidates.h"

/* dx*dx + dy*dy + dz*dz < radius*radius, in that order, on nearest images. */
static bool is_near(OozeFloat4 a, OozeFloat4 b, const OozePeriodic *wrap)
{
    float d[3] = {a.x - b.x, a.y - b.y, a.z - b.z};
    for (int k = 0; wrap && k < 3; k++) {
        d[k] = ooze_periodic_delta(d[k], wrap->length[k], wrap->inverse[k]);
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < SUPPORT * SUPPORT;
}

typedef struct Search {
    const OozeCandidatesLoops *loops;
    OozeCompactTable table;
    OozeCandidates found;
    OozeGridRun runs[3];
    int run_count;
} Search;

/* Three runs with gaps between them, of lengths that fill no register; one may be empty. */
static void set_runs(Search *s, uint64_t n)
{
    uint64_t third = n / 3;
    s->runs[0] = (OozeGridRun){.begin = 0, .end = third};
    s->runs[1] = (OozeGridRun){.begin = third, .end = third + (n > 4 ? 1 : 0)};
    s->runs[2] = (OozeGridRun){.begin = third + (n > 9 ? 3 : n > 4 ? 1 : 0), .end = n};
    s->run_count = 3;
}

static bool in_runs(const Search *s, uint64_t i)
{
    bool in = false;
    for (int r = 0; r < s->run_count; r++) {
        in |= i >= s->runs[r].begin && i < s->runs[r].end;
    }
    return in;
}

/* Neighbours of every point among the candidates, itself left out by its place. */
static void check_selection(Search *s, const Case *c, const OozePeriodic *wrap)
{
    uint32_t *to = ooze_alloc(s->found.used + OOZE_CANDIDATES_OVERRUN, sizeof *to);
    assert_non_null(to);
    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t self = in_runs(s, i) ? ooze_candidates_find(&s->found, (uint32_t)i) : UINT64_MAX;
        uint32_t count =
            s->loops->select(&s->found, &s->table, c->point[i], SUPPORT, wrap, self, to);
        uint32_t at = 0;
        for (uint64_t j = 0; j < c->n; j++) {
            if (in_runs(s, j) && j != i && is_near(c->point[i], c->point[j], wrap)) {
                assert_true(at < count);
                assert_int_equal(to[at++], j);
            }
        }
        assert_int_equal(count, at);
    }
    OozeFloat4 nowhere = {NAN, 0.0f, 0.0f, 0.0f};
    assert_int_equal(s->loops->select(&s->found, &s->table, nowhere, SUPPORT, wrap, UINT64_MAX, to),
                     0);
    ooze_free(to);
}

/* All points of the runs, in their order, with their numbers and places. */
static void check_all(Search *s, const Case *c)
{
    const OozeCandidateSource source = {c->point, c->n, s->runs, s->run_count};
    assert_true(s->loops->gather(&s->found, &s->table, &source, NULL));
    uint64_t at = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        if (in_runs(s, i)) {
            assert_int_equal(s->found.index[at], i);
            assert_true(s->found.x[at] == c->point[i].x && s->found.y[at] == c->point[i].y &&
                        s->found.z[at] == c->point[i].z);
            at++;
        }
    }
    assert_int_equal(s->found.count, at);
    assert_true(s->found.used >= at);
}

/* What a box around some points leaves out is near none of them. */
static void check_box(Search *s, const Case *c)
{
    uint64_t group = c->n < 9 ? c->n : 9;
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t i = 0; i < group; i++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], (&c->point[i].x)[k]);
            high[k] = fmaxf(high[k], (&c->point[i].x)[k]);
        }
    }
    const OozeCandidateSource source = {c->point, c->n, s->runs, s->run_count};
    const OozeCandidateBox box = {low, high, SUPPORT};
    assert_true(s->loops->gather(&s->found, &s->table, &source, &box));
    uint64_t at = 0;
    for (uint64_t j = 0; j < c->n; j++) {
        bool taken = at < s->found.count && s->found.index[at] == j;
        at += taken;
        for (uint64_t i = 0; i < group && in_runs(s, j); i++) {
            assert_true(taken || !is_near(c->point[i], c->point[j], NULL));
        }
        assert_true(in_runs(s, j) || !taken);
    }
    assert_int_equal(s->found.count, at);
}

static void every_table(void **state)
{
    (void)state;
    const OozeCandidatesLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_candidates_loops);
    for (int k = 0; k < SETTING_COUNT; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            Case *c = case_create(&settings[k]);
            Search *s = ooze_alloc_zero(1, sizeof *s);
            assert_non_null(s);
            s->loops = tables[isa];
            s->loops->fill_table(&s->table);
            set_runs(s, c->n);
            check_box(s, c);
            check_all(s, c);
            check_selection(s, c, NULL);
            if (settings[k].periodic > 0) {
                check_selection(s, c, &c->context.periodic);
            }
            ooze_candidates_free(&s->found);
            ooze_free(s);
            case_destroy(c);
        }
    }
}

/* Lists from the grid, which takes the best table, are those of the reference. */
static void lists_of_every_setting(void **state)
{
    (void)state;
    for (int k = 0; k < SETTING_COUNT; k++) {
        Case *c = case_create(&settings[k]);
        OozeNeighbours slow = {0};
        brute_force(&slow, &(OozeNeighbourQuery){c->point, c->n, c->point, (double)SUPPORT, true},
                    c->n, &c->context.periodic);
        assert_int_equal(slow.pairs, c->fluid.pairs);
        assert_memory_equal(slow.first, c->fluid.first, (c->n + 1) * sizeof *slow.first);
        assert_memory_equal(slow.index, c->fluid.index, slow.first[c->n] * sizeof *slow.index);
        ooze_neighbours_free(&slow);
        case_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table),
        cmocka_unit_test(lists_of_every_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
