/* Regions of shape matching against brute force: lists of particles, cells and their weights; the
   same for any number of threads and any order of the store. */
#include "blend_regions.h"

#include "base/threads.h"
#include "methods/blend/regions_formula.h"

/* Clouds with several reference steps, particles without one, and coincident ones, on both sides of
   the origin and far from it. */
static Shaped make_case(int number)
{
    const OozeVec3 centres[] = {{0, 0, 0}, {0.3, -0.2, 0.7}, {-40, 50, 60}, {0, 0, 0}};
    Shaped s = shaped_cloud(number == 3 ? 7 : 900, 1.0, centres[number], 5 + (uint64_t)number);
    for (uint64_t i = 0; i < s.n; i++) {
        s.step[i] = number == 0 ? 1 : (uint32_t)(i % 7 == 0 ? 0 : 1 + (i % 5 == 0) * 300);
        s.id[i] = 1000000007 * (s.n - i);
        if (number == 1 && i % 11 == 1) {
            s.reference[i] = s.reference[i - 1];
        }
    }
    return s;
}
enum { CASES = 4 };

static double squared_distance(const OozeFloat4 *a, const OozeFloat4 *b)
{
    double x = (double)a->x - (double)b->x, y = (double)a->y - (double)b->y,
           z = (double)a->z - (double)b->z;
    return x * x + y * y + z * z;
}

static void check_slots(const Shaped *s, uint64_t *particle)
{
    const OozeRegions *r = &s->regions;
    uint64_t held = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        assert_true((s->step[i] == 0) == (s->slot[i] == OOZE_BLEND_SLOT_NONE));
        if (s->step[i]) {
            assert_true(s->slot[i] < r->n);
            particle[s->slot[i]] = i;
            assert_memory_equal(&r->reference[s->slot[i]], &s->reference[i], 3 * sizeof(float));
            assert_true(ooze_blend_slot_fits(r, s->slot[i], &s->reference[i], s->step[i]));
            held++;
        }
    }
    assert_int_equal(held, r->n);
    /* every slot lies in the cell of its reference position */
    for (uint64_t c = 0; c < r->cells; c++) {
        assert_true(r->cell[c].first < r->cell[c + 1].first);
        for (uint64_t k = r->cell[c].first; k < r->cell[c + 1].first; k++) {
            const float *q = &r->reference[k].x;
            assert_int_equal(r->cell[c].step, s->step[particle[k]]);
            for (int a = 0; a < 3; a++) {
                assert_int_equal(r->cell[c].at[2 - a], (int)floor((double)q[a] / r->edge));
            }
            assert_int_equal(r->region_of[k], r->kind == OOZE_REGIONS_OF_CELLS ? c : k);
            assert_true(k == r->cell[c].first || s->id[particle[k - 1]] < s->id[particle[k]]);
            assert_true(ooze_regions_leads(r, (uint32_t)k) ==
                        (r->kind == OOZE_REGIONS_OF_PARTICLES || k == r->cell[c].first));
        }
    }
    assert_int_equal(r->cell[r->cells].first, r->n);
}

static void lists_hold_every_particle_within_the_radius(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        Shaped s = make_case(number);
        uint64_t *particle = calloc(s.n, sizeof *particle), pairs = 0;
        const double radius = 0.13;
        assert_non_null(particle);
        shaped_build(&s, OOZE_REGIONS_OF_PARTICLES, radius, NULL);
        check_slots(&s, particle);
        const OozeRegions *r = &s.regions;
        for (uint64_t k = 0; k < r->n; k++) {
            uint64_t count = 0, i = particle[k];
            for (uint64_t j = 0; j < s.n; j++) {
                bool near =
                    s.step[j] == s.step[i] && squared_distance(&s.reference[i], &s.reference[j]) <
                                                  (1 - 1e-4) * radius * radius;
                bool listed = false;
                for (uint64_t e = r->list_first[k]; e < r->list_first[k + 1] && !listed; e++) {
                    listed = r->list[e] == s.slot[j];
                }
                assert_true(near == listed);
                count += near;
            }
            assert_int_equal(count, r->list_first[k + 1] - r->list_first[k]);
            CHECK_NEAR(r->share[k], 1.0 / (double)count, 0);
            pairs += count;
        }
        printf("  case %d: %llu entries of %llu particles\n", number, (unsigned long long)pairs,
               (unsigned long long)r->n);
        free(particle);
        shaped_free(&s);
    }
}

/* Lattice points at exactly the radius are outside wherever the lattice is: 93 points are nearer
   than 3 spacings, 123 with those at 3. */
static void rounding_does_not_decide_for_lattice_points(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int n[3] = {9, 9, 9};
        double spacing = 0.1 / (1 + k);
        Shaped s = shaped_lattice(n, spacing, vec3(0.3 * k, -7.7 * k, 0.123));
        shaped_build(&s, OOZE_REGIONS_OF_PARTICLES, 3 * spacing, NULL);
        uint32_t middle = s.slot[364];
        assert_int_equal(s.regions.list_first[middle + 1] - s.regions.list_first[middle], 93);
        shaped_free(&s);
    }
}

/* Quadratic B-spline of a particle at q in the region of a cell, by distance to its middle. */
static double membership(const OozeRegionCell *cell, const OozeFloat4 *q, double edge)
{
    double product = 1;
    for (int a = 0; a < 3; a++) {
        double d = fabs((double)(&q->x)[a] / edge - (cell->at[2 - a] + 0.5));
        product *= d < 0.5 ? 0.75 - d * d : d < 1.5 ? 0.5 * (1.5 - d) * (1.5 - d) : 0;
    }
    return product;
}

static void cells_hold_spline_weights(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        Shaped s = make_case(number);
        uint64_t *particle = calloc(s.n, sizeof *particle);
        assert_non_null(particle);
        shaped_build(&s, OOZE_REGIONS_OF_CELLS, 0.2, NULL);
        check_slots(&s, particle);
        const OozeRegions *r = &s.regions;
        for (uint64_t c = 0; c < r->cells; c++) {
            const uint32_t *near = r->near + OOZE_BLEND_NEAR * c;
            assert_int_equal(near[OOZE_BLEND_SELF], c);
            for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
                if (near[k] != OOZE_BLEND_CELL_NONE) {
                    /* the neighbour sees this cell on the opposite side */
                    assert_int_equal(
                        r->near[OOZE_BLEND_NEAR * near[k] + (uint64_t)(OOZE_BLEND_NEAR - 1 - k)],
                        c);
                }
            }
            for (uint64_t k = r->cell[c].first; k < r->cell[c + 1].first; k++) {
                double w[OOZE_BLEND_NEAR], sum = 0, listed = 0;
                ooze_blend_weights(&r->reference[k].x, r->edge, r->cell[c].at, w);
                for (uint64_t other = 0; other < r->cells; other++) {
                    double count = (double)(r->cell[other + 1].first - r->cell[other].first);
                    bool same = r->cell[other].step == r->cell[c].step;
                    sum +=
                        same ? count * membership(&r->cell[other], &r->reference[k], r->edge) : 0;
                }
                for (int b = 0; b < OOZE_BLEND_NEAR; b++) {
                    const OozeRegionCell *other = &r->cell[near[b]];
                    if (near[b] != OOZE_BLEND_CELL_NONE) {
                        CHECK_NEAR(w[b], membership(other, &r->reference[k], r->edge), 1e-12);
                        listed += w[b] * (double)(other[1].first - other[0].first);
                    }
                }
                CHECK_NEAR(listed, sum, 1e-11 * sum);
                CHECK_NEAR(r->share[k] * sum, 1, 1e-11);
            }
        }
        free(particle);
        shaped_free(&s);
    }
}

static void assert_same_regions(const OozeRegions *a, const OozeRegions *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->cells, b->cells);
    assert_memory_equal(a->reference, b->reference, a->n * sizeof *a->reference);
    assert_memory_equal(a->region_of, b->region_of, a->n * sizeof *a->region_of);
    assert_memory_equal(a->share, b->share, a->n * sizeof *a->share);
    assert_memory_equal(a->near, b->near, a->cells * OOZE_BLEND_NEAR * sizeof *a->near);
    if (a->kind == OOZE_REGIONS_OF_PARTICLES) {
        assert_memory_equal(a->list_first, b->list_first, (a->n + 1) * sizeof *a->list_first);
        assert_memory_equal(a->list, b->list, a->list_first[a->n] * sizeof *a->list);
    }
}

static void regions_do_not_depend_on_threads_or_order(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * CASES; k++) {
        OozeRegionKind kind = k % 2 ? OOZE_REGIONS_OF_CELLS : OOZE_REGIONS_OF_PARTICLES;
        Shaped first = make_case(k / 2), other = make_case(k / 2);
        shaped_build(&first, kind, 0.15, NULL);
        for (int threads = 1; threads <= 3; threads++) {
            OozeThreads *pool = NULL;
            CHECK_OK(ooze_threads_create(threads, &pool, &error));
            shaped_build(&other, kind, 0.15, pool);
            assert_same_regions(&first.regions, &other.regions);
            assert_memory_equal(first.slot, other.slot, first.n * sizeof *first.slot);
            ooze_threads_destroy(pool);
        }
        for (uint64_t i = 0; i < first.n; i++) { /* 13 shares no factor with the numbers */
            uint64_t from = (13 * i + 5) % first.n;
            other.reference[i] = first.reference[from];
            other.step[i] = first.step[from];
            other.id[i] = first.id[from];
        }
        shaped_build(&other, kind, 0.15, NULL);
        assert_same_regions(&first.regions, &other.regions);
        for (uint64_t i = 0; i < first.n; i++) {
            assert_int_equal(other.slot[i], first.slot[(13 * i + 5) % first.n]);
        }
        shaped_free(&first);
        shaped_free(&other);
    }
}

/* The same structure serves fewer and more particles, none, and again some. */
static void regions_are_rebuilt_at_any_size(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        OozeRegionKind kind = k ? OOZE_REGIONS_OF_CELLS : OOZE_REGIONS_OF_PARTICLES;
        const uint64_t sizes[] = {100, 10, 0, 1, 700, 300};
        OozeRegions kept = {0};
        for (int n = 0; n < 6; n++) {
            Shaped s = shaped_cloud(sizes[n], 1, vec3(0, 0, 0), 7), fresh;
            fresh = shaped_cloud(sizes[n], 1, vec3(0, 0, 0), 7);
            s.regions = kept;
            shaped_build(&s, kind, 0.2, NULL);
            shaped_build(&fresh, kind, 0.2, NULL);
            assert_int_equal(s.regions.n, sizes[n]);
            assert_same_regions(&s.regions, &fresh.regions);
            kept = s.regions;
            s.regions = (OozeRegions){0};
            shaped_free(&s);
            shaped_free(&fresh);
        }
        assert_true(ooze_regions_bytes(&kept) > 700 * 16);
        ooze_regions_free(&kept);
        /* no particle has a reference position */
        Shaped none = shaped_cloud(20, 1, vec3(0, 0, 0), 7);
        memset(none.step, 0, none.n * sizeof *none.step);
        shaped_build(&none, kind, 0.2, NULL);
        assert_int_equal(none.regions.n, 0);
        assert_int_equal(none.slot[3], OOZE_BLEND_SLOT_NONE);
        shaped_free(&none);
    }
}

/* Each allocation that fails gives an error and no slots; the next build succeeds. */
static void failed_allocations_leave_no_regions(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        int failures = 0;
        Shaped s = make_case(1);
        for (uint64_t n = 1; n < 20; n++) {
            OozeError error = {0};
            OozeRegionsInput input = {s.n, s.reference, s.step, s.id, (OozeRegionKind)k, 0.2};
            ooze_regions_free(&s.regions);
            ooze_memory_fail_after(n);
            OozeStatus status = ooze_regions_build(&s.regions, NULL, &input, s.slot, &error);
            ooze_memory_fail_after(0);
            failures += status == OOZE_ERROR_MEMORY;
            assert_true(status == OOZE_OK || (status == OOZE_ERROR_MEMORY && s.regions.n == 0));
        }
        assert_true(failures >= 8);
        shaped_build(&s, (OozeRegionKind)k, 0.2, NULL);
        assert_true(s.regions.n > 0);
        shaped_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_hold_every_particle_within_the_radius),
        cmocka_unit_test(rounding_does_not_decide_for_lattice_points),
        cmocka_unit_test(cells_hold_spline_weights),
        cmocka_unit_test(regions_do_not_depend_on_threads_or_order),
        cmocka_unit_test(regions_are_rebuilt_at_any_size),
        cmocka_unit_test(failed_allocations_leave_no_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
