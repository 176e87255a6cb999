/* Neighbourhoods for tests of innermost loops, from random ones to lines, planes and single
   particles: sorted in space, with lists, walls and a context as in a step. Arrays have exactly
   the length that the loops may read, so that the address sanitizer finds reads beyond it. */
#ifndef OOZE_TESTS_LOOPS_CASE_H
#define OOZE_TESTS_LOOPS_CASE_H

#include "base/hash.h"
#include "base/isa.h"
#include "check.h"
#include "solvers/pairs/gather.h"

/* All tables of a name, in the order of OozeIsa; those up to ooze_isa() can run here. */
#if defined(OOZE_LOOPS_EVERY)
#define EVERY_TABLE(name)                                                                          \
    {                                                                                              \
        &name##_base, &name##_avx2, &name##_avx512                                                 \
    }
#else
#define EVERY_TABLE(name)                                                                          \
    {                                                                                              \
        &name##_base                                                                               \
    }
#endif

#define SPACING   0.1
#define SUPPORT   0.21f
#define TIME_STEP 0.01

enum { CASE_BLOCKS = 64, CASE_SAMPLES = 100 };

typedef enum Shape {
    SHAPE_BLOCK, /* a lattice shaken by a fifth of its spacing */
    SHAPE_APART, /* no particle has a neighbour */
    SHAPE_COINCIDENT,
    SHAPE_PLANE,
    SHAPE_LINE,
    SHAPE_CLUMP /* all within four tenths of a support */
} Shape;

typedef struct Setting {
    const char *name;
    Shape shape;
    uint64_t n;
    int periodic; /* axes that wrap */
    bool walls;   /* a floor of samples, half of it no-slip, in motion */
} Setting;

static const Setting settings[] = {
    {"alone", SHAPE_BLOCK, 1, 0, false},
    {"one neighbour", SHAPE_BLOCK, 2, 0, false},
    {"two neighbours", SHAPE_BLOCK, 3, 0, false},
    {"five", SHAPE_BLOCK, 5, 0, false},
    {"no neighbours", SHAPE_APART, 6, 0, false},
    {"shaken block", SHAPE_BLOCK, 257, 0, false},
    {"coincident", SHAPE_COINCIDENT, 131, 0, false},
    {"in a plane", SHAPE_PLANE, 67, 0, false},
    {"on a line", SHAPE_LINE, 21, 0, false},
    {"200 neighbours", SHAPE_CLUMP, 201, 0, false},
    {"periodic", SHAPE_BLOCK, 343, 3, false},
    {"coincident, periodic", SHAPE_COINCIDENT, 150, 3, false},
    {"on a floor", SHAPE_BLOCK, 174, 0, true},
    {"coincident, on a floor", SHAPE_COINCIDENT, 58, 0, true},
    {"periodic, on a floor", SHAPE_BLOCK, 198, 2, true},
};
enum { SETTING_COUNT = sizeof settings / sizeof settings[0] };

typedef struct Case {
    const Setting *setting;
    uint64_t n;
    OozeF32x4 *x;      /* n + 1; last lane 1 */
    OozeFloat4 *point; /* the same as the lists see them */
    OozeNeighbours fluid, walls;
    OozeBoundary boundary;
    OozeSolid solids[2]; /* the first is no-slip */
    OozeStepContext context;
    void *block[CASE_BLOCKS];
    int blocks;
} Case;

/* Zeroed, freed with the case; not of ooze_alloc, which rounds sizes up. */
static inline void *case_array(Case *c, uint64_t count, size_t size)
{
    assert_true(c->blocks < CASE_BLOCKS);
    void *block = calloc(count > 0 ? count : 1, size);
    assert_non_null(block);
    c->block[c->blocks++] = block;
    return block;
}

static inline float between(uint64_t seed, uint64_t i, uint64_t draw, double low, double high)
{
    return (float)(low + (high - low) * ooze_random01(seed, i, draw));
}

static inline void put(Case *c, uint64_t i, const double at[3])
{
    static const double corner[3] = {-0.3, 1.7, 0.4};
    float *to = &c->point[i].x;
    for (int k = 0; k < 3; k++) {
        to[k] = (float)(corner[k] + at[k]);
        to[k] = ooze_periodic_wrap(to[k], c->context.periodic.min[k], c->context.periodic.length[k],
                                   c->context.periodic.inverse[k]);
    }
}

static inline void place(Case *c)
{
    for (uint64_t i = 0; i < c->n; i++) {
        double at[3];
        const double cell[3] = {(double)(i % 7), (double)(i / 7 % 7), (double)(i / 49)};
        for (int k = 0; k < 3; k++) {
            double random = ooze_random01(11, i, (uint64_t)k) - 0.5;
            at[k] = SPACING * (cell[k] + 0.4 * random);
            at[k] = c->setting->shape == SHAPE_APART ? 9 * SPACING * (cell[k] + random) : at[k];
            at[k] = c->setting->shape == SHAPE_CLUMP ? 0.46 * (double)SUPPORT * random : at[k];
        }
        if (c->setting->shape == SHAPE_PLANE) {
            at[1] += at[2];
            at[2] = 0.07;
        } else if (c->setting->shape == SHAPE_LINE) {
            at[0] = SPACING * ((double)i + 0.3 * ooze_random01(12, i, 0));
            at[1] = at[2] = 0.03;
        }
        put(c, i, at);
        /* every third where the one before it is, every seventh next to it, and six on one spot */
        if (c->setting->shape == SHAPE_COINCIDENT && i > 0 && (i % 3 == 0 || (i > 20 && i < 26))) {
            c->point[i] = c->point[i - 1];
        } else if (c->setting->shape == SHAPE_COINCIDENT && i % 7 == 1) {
            c->point[i] = c->point[i - 1];
            c->point[i].x = nextafterf(c->point[i].x, INFINITY);
        }
    }
}

static inline void sort_points(OozeFloat4 *points, uint64_t n, OozeGrid *grid,
                               const OozePeriodic *periodic)
{
    OozeFloat4 *sorted = ooze_alloc(n, sizeof *sorted);
    assert_non_null(sorted);
    CHECK_OK(ooze_grid_sort(grid, NULL, points, n, (double)SUPPORT, periodic, &error));
    for (uint64_t i = 0; i < n; i++) {
        sorted[i] = points[ooze_grid_order(grid)[i]];
    }
    memcpy(points, sorted, n * sizeof *sorted);
    ooze_free(sorted);
}

/* A floor under the block, of samples with volumes of their own. */
static inline void build_floor(Case *c)
{
    OozeBoundary *b = &c->boundary;
    c->solids[0].params[OOZE_SOLID_FRICTION] = INFINITY;
    c->solids[1].params[OOZE_SOLID_FRICTION] = 0.5;
    const uint64_t room = CASE_SAMPLES + 1; /* the one that fills up fours has no volume */
    b->position = case_array(c, room, sizeof *b->position);
    b->velocity = case_array(c, room, sizeof *b->velocity);
    b->volume = case_array(c, room, sizeof *b->volume);
    b->solid = case_array(c, room, sizeof *b->solid);
    for (uint64_t k = 0; c->setting->walls && k < CASE_SAMPLES; k++) {
        const double at[3] = {0.07 * ((double)(k % 10) - 0.5), 0.07 * ((double)(k / 10) - 0.5),
                              -0.05};
        OozeFloat4 point = c->point[0];
        put(c, 0, at);
        b->position[k] = c->point[0];
        c->point[0] = point;
        b->velocity[k] = (OozeFloat4){between(13, k, 0, -1, 1), between(13, k, 1, -1, 1),
                                      between(13, k, 2, -1, 1), 0.0f};
        b->volume[k] = between(13, k, 3, 2e-4, 7e-4);
        b->solid[k] = k % 2;
    }
    b->count = c->setting->walls ? CASE_SAMPLES : 0;
    OozeGrid *grid = ooze_grid_create();
    assert_non_null(grid);
    if (b->count > 0) {
        b->position[3] = c->point[c->n / 2]; /* a particle lies on a sample */
        sort_points(b->position, b->count, grid, &c->context.periodic);
        CHECK_OK(ooze_neighbours_build(
            &c->walls, grid, NULL,
            &(OozeNeighbourQuery){c->point, c->n, b->position, (double)SUPPORT, false}, &error));
        assert_true(c->walls.pairs > 0);
    }
    ooze_grid_destroy(grid);
}

static inline Case *case_create(const Setting *setting)
{
    static const float corner[3] = {-0.3f, 1.7f, 0.4f};
    Case *c = ooze_alloc_zero(1, sizeof *c);
    assert_non_null(c);
    c->setting = setting;
    c->n = setting->n;
    for (int k = 0; k < setting->periodic; k++) {
        c->context.periodic.min[k] = corner[k];
        c->context.periodic.length[k] = (float)(7 * SPACING);
        c->context.periodic.inverse[k] = 1.0f / (float)(7 * SPACING);
    }
    c->point = case_array(c, c->n, sizeof *c->point);
    c->x = case_array(c, c->n + 1, sizeof *c->x);
    place(c);
    OozeGrid *grid = ooze_grid_create();
    assert_non_null(grid);
    sort_points(c->point, c->n, grid, &c->context.periodic);
    CHECK_OK(ooze_neighbours_build(
        &c->fluid, grid, NULL,
        &(OozeNeighbourQuery){c->point, c->n, c->point, (double)SUPPORT, true}, &error));
    ooze_grid_destroy(grid);
    for (uint64_t i = 0; i < c->n; i++) {
        c->x[i] = ooze_f32x4(c->point[i].x, c->point[i].y, c->point[i].z, 1.0f);
    }
    c->x[c->n] = c->x[c->n / 2]; /* where it would count if it could */
    build_floor(c);
    c->context.dt = TIME_STEP;
    c->context.support = (double)SUPPORT;
    c->context.spacing = SPACING;
    c->context.fluid = &c->fluid;
    c->context.fluid_boundary = &c->walls;
    c->context.boundary = &c->boundary;
    c->context.solids = c->solids;
    c->context.solid_count = 2;
    return c;
}

static inline void case_destroy(Case *c)
{
    for (int k = 0; k < c->blocks; k++) {
        free(c->block[k]);
    }
    ooze_neighbours_free(&c->fluid);
    ooze_neighbours_free(&c->walls);
    ooze_free(c);
}

/* What ooze_gather sets up, in arrays of the case. strain_scale 0: edges by the cubic spline. */
static inline OozeGather case_gather(Case *c, float strain_scale)
{
    OozeGather g = {.context = &c->context, .n = c->n, .support = SUPPORT, .x = c->x};
    g.volume = 0.00097f;
    g.wall_scale = 1.3f;
    g.strain_scale = strain_scale;
    g.wall_strain_scale = 1.7f * strain_scale;
    g.edges = (OozeEdges){.list = &c->fluid,
                          .x = c->x,
                          .weight = case_array(c, c->fluid.first[c->n], sizeof(float)),
                          .box = ooze_box(&c->context.periodic),
                          .periodic = ooze_periodic_any(&c->context.periodic)};
    uint64_t wall_edges = c->boundary.count ? c->walls.first[c->n] : 0;
    g.wall_edge = case_array(c, wall_edges, sizeof *g.wall_edge);
    g.edge_sum = case_array(c, c->n + OOZE_LIST_PAD, sizeof *g.edge_sum);
    g.correction = case_array(c, c->n + OOZE_LIST_PAD, sizeof *g.correction);
    g.density = case_array(c, c->n, sizeof *g.density);
    g.surface_indicator = case_array(c, c->n, sizeof *g.surface_indicator);
    return g;
}

/* The scale that makes the moment of a rest lattice the identity. */
static inline float case_strain_scale(void)
{
    return (float)ooze_strain_weight_scale(SPACING, (double)SUPPORT);
}

/* Runs a body as a step does. */
static inline void run_all(const Case *c, OozeRangeBody body, void *data)
{
    ooze_parallel_for(NULL, c->n, OOZE_GATHER_GRAIN, body, data);
}

#endif
