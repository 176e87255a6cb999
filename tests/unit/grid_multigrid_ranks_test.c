/* The multigrid preconditioner of pressure equations has the bits of one process on any number of
   them, however the particles are divided. */
#include "clouds.h"
#include "solvers/multigrid/grid_multigrid.h"
#include "thread_ranks.h"

static const double CELL = 2.2, SPACING = 1.0;

typedef struct Case {
    Cloud cloud; /* sorted */
    OozePeriodic periodic;
    OozeF32x4 *x;
    float *stiffness, *mass, *r, *z; /* z: the correction on one process */
} Case;

typedef struct RankJob {
    ThreadRanks ranks;
    const Case *of;
    const double *shares;
    uint64_t own, wrong;
} RankJob;

static void correct(const Case *s, OozeHalo *halo, uint64_t first, uint64_t n, float *z)
{
    OozeGridMultigrid *mg = ooze_grid_multigrid_create();
    OozeGridMultigridInput input = {.n = n,
                                    .x = s->x + first,
                                    .spacing = SPACING,
                                    .periodic = &s->periodic,
                                    .stiffness = s->stiffness + first,
                                    .mass = s->mass + first,
                                    .halo = halo};
    for (uint64_t i = 0; i < n; i++) {
        z[i] = s->r[first + i];
    }
    CHECK_OK(ooze_grid_multigrid_build(mg, &input, &error));
    ooze_grid_multigrid_apply(mg, s->r + first, z);
    ooze_grid_multigrid_apply(mg, s->r + first, z);
    ooze_grid_multigrid_destroy(mg);
}

static void *correct_part(void *data)
{
    RankJob *job = data;
    const Case *s = job->of;
    OozeRanks *ranks = &job->ranks.ranks;
    uint64_t n = s->cloud.n, count = (uint64_t)ranks->count, rank = (uint64_t)ranks->rank;
    uint64_t begin = n * rank / count, end = n * (rank + 1) / count;
    OozeSplit split = {.ranks = ranks};
    OozeHalo *halo = ooze_halo_create(ranks);
    OozeSplitPoints points = {s->cloud.points + begin, end - begin, CELL, &s->periodic};
    CHECK_OK(ooze_split_find(&split, NULL, &points, job->shares, &error));
    CHECK_OK(ooze_halo_find(halo, &split, s->cloud.points + split.first, &error));
    float *z = ooze_alloc(split.after, sizeof *z);
    correct(s, halo, split.first, split.after, z);
    job->own = split.after;
    job->wrong = split.after > 0 && memcmp(z, s->z + split.first, split.after * sizeof *z) != 0;
    ooze_free(z);
    ooze_halo_destroy(halo);
    ooze_split_free(&split);
    return NULL;
}

/* Sorts the cloud and finds the correction on one process; `open`: share of the particles that are
   coupled to pressure 0. */
static Case prepare(Cloud cloud, OozePeriodic periodic, double open)
{
    Case s = {.cloud = cloud, .periodic = periodic};
    OozeGrid *grid = ooze_grid_create();
    CHECK_OK(ooze_grid_sort(grid, NULL, s.cloud.points, s.cloud.n, CELL, &periodic, &error));
    cloud_reorder(&s.cloud, ooze_grid_order(grid));
    ooze_grid_destroy(grid);
    s.x = ooze_alloc(s.cloud.n, sizeof *s.x);
    s.stiffness = ooze_alloc(s.cloud.n, sizeof *s.stiffness);
    s.mass = ooze_alloc(s.cloud.n, sizeof *s.mass);
    s.r = ooze_alloc(s.cloud.n, sizeof *s.r);
    s.z = ooze_alloc(s.cloud.n, sizeof *s.z);
    for (uint64_t i = 0; i < s.cloud.n; i++) {
        const OozeFloat4 *x = &s.cloud.points[i];
        s.x[i] = ooze_f32x4(x->x, x->y, x->z, 0);
        s.stiffness[i] = random_between(1, i, 0, 0.5, 2.0);
        s.mass[i] = (double)random_between(1, i, 1, 0.0, 1.0) < open ? 0.3f : 0.0f;
        s.r[i] = random_between(1, i, 2, -1.0, 1.0);
    }
    correct(&s, NULL, 0, s.cloud.n, s.z);
    return s;
}

static void expect_same(const Case *s, const double *shares, int count)
{
    RankJob jobs[THREAD_RANKS_MAX];
    uint64_t total = 0;
    for (int r = 0; r < count; r++) {
        jobs[r] = (RankJob){.of = s, .shares = shares};
    }
    run_on_ranks(count, correct_part, jobs, sizeof *jobs);
    for (int r = 0; r < count; r++) {
        assert_int_equal(jobs[r].wrong, 0);
        total += jobs[r].own;
    }
    assert_int_equal(total, s->cloud.n);
}

static void release(Case *s)
{
    cloud_free(&s->cloud);
    ooze_free(s->x);
    ooze_free(s->stiffness);
    ooze_free(s->mass);
    ooze_free(s->r);
    ooze_free(s->z);
}

static const OozePeriodic nowhere = {{0}, {0}, {0}};

static void every_number_of_ranks(void **state)
{
    (void)state;
    Case s = prepare(cloud_random(12000, 23.0, -4.0, 1.0, 2.0, 3), nowhere, 0.2);
    for (int count = 1; count <= 7; count++) {
        expect_same(&s, NULL, count);
    }
    release(&s);
}

static void uneven_and_empty_shares(void **state)
{
    (void)state;
    const double shares[] = {0.0, 0.05, 0.05, 0.9, 1.0};
    Case s = prepare(cloud_random(8000, 20.0, 0.0, 0.0, 0.0, 5), nowhere, 0.2);
    expect_same(&s, shares, 4);
    release(&s);
}

/* Without particles that are coupled to pressure 0 the mean is taken out. */
static void closed_boxes(void **state)
{
    (void)state;
    OozePeriodic box = {{-4.0f, 0.0f, 2.0f}, {23.0f, 0.0f, 9.0f}, {1 / 23.0f, 0.0f, 1 / 9.0f}};
    Case s = prepare(cloud_random(6000, 9.0, -4.0, 1.0, 2.0, 4), box, 0.0);
    expect_same(&s, NULL, 3);
    expect_same(&s, NULL, 5);
    release(&s);
}

/* Cells that share no corner with others have no coarser grid. */
static void single_particles_far_apart(void **state)
{
    (void)state;
    Case s = prepare(cloud_random(2000, 400.0, 0.0, 0.0, 0.0, 6), nowhere, 0.5);
    expect_same(&s, NULL, 3);
    expect_same(&s, NULL, 7);
    release(&s);
}

/* The first level is solved directly. */
static void few_cells(void **state)
{
    (void)state;
    Case s = prepare(cloud_random(1500, 3.0, 0.1, 0.1, 0.1, 7), nowhere, 0.1);
    expect_same(&s, NULL, 4);
    release(&s);
}

/* A layer of particles has few cells along the axis that divides it. */
static void flat_layers(void **state)
{
    (void)state;
    Cloud cloud = cloud_random(6000, 60.0, 0.0, 0.0, 0.0, 8);
    for (uint64_t i = 0; i < cloud.n; i++) {
        cloud.points[i].z *= 0.02f;
    }
    Case s = prepare(cloud, nowhere, 0.2);
    expect_same(&s, NULL, 4);
    expect_same(&s, NULL, 7);
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_ranks),
        cmocka_unit_test(uneven_and_empty_shares),
        cmocka_unit_test(closed_boxes),
        cmocka_unit_test(few_cells),
        cmocka_unit_test(single_particles_far_apart),
        cmocka_unit_test(flat_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
