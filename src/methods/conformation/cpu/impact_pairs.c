/* Search for pairs of particles at free surfaces that meet within a long step: see impact_solve.h.
   */
#include "methods/conformation/cpu/impact_solve.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "particles/grid_cells.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

/* Search at which a number first meets another. */
enum { NOT_MET = UINT8_MAX };

struct OozeImpactMemory {
    OozeGrid *grid;
};

void ooze_impact_memory_destroy(OozeImpactMemory *memory)
{
    if (memory) {
        ooze_grid_destroy(memory->grid);
        ooze_free(memory);
    }
}

uint64_t ooze_impact_memory_bytes(const OozeImpactMemory *memory)
{
    return memory ? ooze_grid_bytes(memory->grid) : 0;
}

static OozeStatus create_memory(OozeImpactMemory **memory, OozeError *error)
{
    if (!*memory) {
        *memory = ooze_alloc_zero(1, sizeof **memory);
    }
    if (*memory && !(*memory)->grid) {
        (*memory)->grid = ooze_grid_create();
    }
    return *memory && (*memory)->grid
               ? OOZE_OK
               : ooze_fail_memory(error, "contacts within the step", sizeof **memory);
}

typedef OozeImpactSurface Surface;

static bool is_at_surface(const OozeConformationStep *s, uint64_t i)
{
    return ooze_impact_is_at_surface(s->surface_indicator[i], s->flat_gradient,
                                     s->correction[i].xx == 0.0f);
}

static void count_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Surface *surface = data;
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; i++) {
        count += is_at_surface(surface->step, i);
    }
    surface->chunk[begin / GRAIN] = count;
}

static void number_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Surface *surface = data;
    uint64_t at = surface->chunk[begin / GRAIN];
    for (uint64_t i = begin; i < end; i++) {
        if (is_at_surface(surface->step, i)) {
            surface->index[at++] = (uint32_t)i;
        }
    }
}

static void trace_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i++) {
        solve->own->trace[i] = ooze_sym3_trace(solve->stiffness[i]);
    }
}

/* The particles of this process. */
static OozeStatus find_own_surface(Surface *surface, OozeError *error)
{
    const OozeConformationStep *s = surface->step;
    OozeArena *arena = s->context->arena;
    uint64_t chunks = (s->n + GRAIN - 1) / GRAIN;
    surface->chunk = ooze_arena_alloc(arena, chunks, sizeof *surface->chunk);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", s->n);
    }
    ooze_parallel_for(s->context->threads, s->n, GRAIN, count_range, surface);
    for (uint64_t k = 0; k < chunks; k++) {
        uint64_t count = surface->chunk[k];
        surface->chunk[k] = surface->count;
        surface->count += count;
    }
    surface->index = ooze_arena_alloc(arena, surface->count, sizeof *surface->index);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", surface->count * 4);
    }
    ooze_parallel_for(s->context->threads, s->n, GRAIN, number_range, surface);
    return OOZE_OK;
}

static OozeStatus find_surface(Surface *surface, OozeLodge *solve, OozeError *error)
{
    const OozeConformationStep *s = surface->step;
    OozeArena *arena = s->context->arena;
    OozeStatus status = find_own_surface(surface, error);
    solve->own->trace = ooze_arena_alloc(arena, s->n, sizeof *solve->own->trace);
    if (!status && solve->own->trace) {
        ooze_parallel_for(s->context->threads, s->n, GRAIN, trace_range, solve);
        surface->x0 = s->x0;
        surface->u = s->u;
        surface->inward = s->edge_sum;
        surface->trace = solve->own->trace;
        status = s->context->halo ? ooze_impact_gather_surface(surface, solve, error) : OOZE_OK;
    }
    if (status) {
        return status;
    }
    uint64_t n = surface->count, numbers = s->context->halo ? n : s->n;
    surface->met = ooze_arena_alloc(arena, numbers, sizeof *surface->met);
    surface->particle = ooze_arena_alloc(arena, n, sizeof *surface->particle);
    surface->x = ooze_arena_alloc(arena, n, sizeof *surface->x);
    surface->sorted = ooze_arena_alloc(arena, n + 1, sizeof *surface->sorted);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", n * 40);
    }
    memset(surface->met, NOT_MET, numbers * sizeof *surface->met);
    return OOZE_OK;
}

/* Largest travel of a surface relative to another in the step, m. */
static float travel_of(const Surface *surface)
{
    const OozeConformationStep *s = surface->step;
    OozeF32x4 low = ooze_f32x4_splat(INFINITY), high = ooze_f32x4_splat(-INFINITY);
    for (uint64_t k = 0; k < surface->count; k++) {
        OozeF32x4 u = surface->u[surface->index[k]];
        low = ooze_f32x4_min(low, u);
        high = ooze_f32x4_max(high, u);
    }
    OozeF32x4 range = high - low;
    return surface->count ? s->dt * sqrtf(ooze_f32x4_dot3(range, range)) : 0.0f;
}

/* Largest reach of a search, m: cells of a periodic box are a third of it at most. */
static double widest_reach(const OozeStepContext *c)
{
    double widest = OOZE_IMPACT_WIDEST * c->spacing;
    for (int k = 0; k < 3; k++) {
        double length = (double)c->periodic.length[k];
        widest = length > 0.0 ? fmin(widest, 0.333 * length) : widest;
    }
    return widest;
}

/* ---- the searches of a window ---- */

static void place_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Surface *surface = data;
    const OozeConformationStep *s = surface->step;
    const OozePeriodic *p = &s->context->periodic;
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = surface->index[k];
        OozeF32x4 x = surface->x0[i] + surface->window.middle * s->dt * surface->u[i];
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = ooze_periodic_wrap(x[axis], p->min[axis], p->length[axis], p->inverse[axis]);
        }
        x[3] = 0;
        surface->x[k] = x;
    }
}

/* Sorts the surfaces, placed in the middle of the window. */
static OozeStatus sort_surface(Surface *surface, OozeImpactMemory *memory, OozeError *error)
{
    const OozeStepContext *c = surface->step->context;
    const double cell = surface->window.reach * (1.0 + 1e-5);
    uint64_t n = surface->count;
    ooze_parallel_for(c->threads, n, GRAIN, place_range, surface);
    OozeStatus status = ooze_grid_sort(memory->grid, c->threads, (const OozeFloat4 *)surface->x, n,
                                       cell, &c->periodic, error);
    if (status) {
        return status;
    }
    const uint32_t *order = ooze_grid_order(memory->grid);
    for (uint64_t k = 0; k < n; k++) {
        surface->sorted[k] = surface->x[order[k]];
        surface->particle[k] = surface->index[order[k]];
    }
    surface->grid = memory->grid;
    return OOZE_OK;
}

/* The particles that one meets in a window, one after the other. */
typedef struct Walk {
    const Surface *surface;
    OozeGridCursor cursor;
    OozeGridRun runs[OOZE_GRID_RUNS_MAX];
    int run, run_count;
    uint64_t a, b;    /* in the order of the grid */
    int search;       /* at which they meet */
    OozeF32x4 middle; /* from b to a, in the middle of the window */
} Walk;

static void walk_from(Walk *walk, uint64_t a)
{
    const OozeGrid *grid = walk->surface->grid;
    OozeF32x4 x = walk->surface->sorted[a];
    int32_t cell[3];
    for (int k = 0; k < 3; k++) {
        cell[k] = ooze_grid_number(&grid->axis[k], x[k]);
    }
    walk->run_count = ooze_grid_runs(grid, &walk->cursor, cell, walk->runs);
    walk->run = 0;
    walk->a = a;
    walk->b = walk->run_count > 0 ? walk->runs[0].begin : 0;
}

/* Whether a meets b; sets `search` and `middle`. */
static bool meets(Walk *walk, float far)
{
    const Surface *surface = walk->surface;
    const OozePeriodic *p = &surface->step->context->periodic;
    const uint64_t a = walk->a, b = walk->b;
    walk->middle = ooze_f32x4_nearest(surface->sorted[a] - surface->sorted[b], p);
    if (a == b || !(ooze_f32x4_dot3(walk->middle, walk->middle) < far)) {
        return false;
    }
    const uint32_t i = surface->particle[a], j = surface->particle[b];
    const OozeF32x4 velocity = surface->u[i] - surface->u[j];
    walk->search = ooze_impact_first_search(&surface->window, (const float *)&walk->middle,
                                            (const float *)&velocity);
    if (walk->search == 0) {
        return false;
    }
    const OozeF32x4 start = ooze_f32x4_nearest(surface->x0[i] - surface->x0[j], p);
    return ooze_impact_was_apart((const float *)&start, surface->window.spacing);
}

/* Advances to the next b that a meets; false: there is none. */
static bool walk_on(Walk *walk)
{
    const double reach = walk->surface->window.reach;
    const float far = (float)(reach * reach * (1.0 + 1e-5));
    while (walk->run < walk->run_count) {
        for (; walk->b < walk->runs[walk->run].end; walk->b++) {
            if (meets(walk, far)) {
                walk->b++;
                return true;
            }
        }
        walk->run++;
        walk->b = walk->run < walk->run_count ? walk->runs[walk->run].begin : 0;
    }
    return false;
}

/* Finds the searches at which particles first meet another. */
static void meet_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Surface *surface = data;
    Walk walk = {.surface = surface};
    for (uint64_t a = begin; a < end; a++) {
        uint8_t *met = &surface->met[surface->particle[a]];
        if (*met == NOT_MET) { /* else in an earlier window */
            int first = NOT_MET;
            for (walk_from(&walk, a); walk_on(&walk);) {
                first = walk.search < first ? walk.search : first;
            }
            *met = (uint8_t)first;
        }
    }
}

static bool is_known(const OozeImpactPairs *pairs, uint32_t i, uint32_t j)
{
    bool known = false;
    for (uint32_t e = pairs->first[i]; e < pairs->first[i + 1] && !known; e++) {
        const OozeImpactPair *pair = &pairs->pair[pairs->entry[e] / 2];
        known = pair->i == j || pair->j == j;
    }
    return known;
}

/* The pair of a and the b before the walk's. */
static void add_pair(const Walk *walk, OozeImpactPairs *pairs, uint32_t i, uint32_t j)
{
    const Surface *surface = walk->surface;
    const OozeConformationStep *s = surface->step;
    OozeImpactPair *pair = &pairs->pair[pairs->count++];
    const float *inward_i = (const float *)&surface->inward[i],
                *inward_j = (const float *)&surface->inward[j];
    float traces = surface->trace[i] + surface->trace[j];
    float spacing = (float)s->context->spacing;
    const OozeF32x4 start =
        ooze_f32x4_nearest(surface->x0[i] - surface->x0[j], &s->context->periodic);
    const OozeF32x4 now = walk->middle + ooze_impact_search_time(&surface->window, walk->search) *
                                             (surface->u[i] - surface->u[j]);
    *pair = ooze_impact_pair(inward_i, inward_j, (const float *)&now, (const float *)&start,
                             spacing, s->dt);
    pair->i = i;
    pair->j = j;
    pair->stiffness = ooze_impact_pair_stiffness(traces, spacing, s->dt);
}

/* Adds the pairs of two particles of which one meets no other at an earlier search: a surface
   screens what lies behind it. */
static void add_pairs(const Surface *surface, OozeImpactPairs *pairs)
{
    Walk walk = {.surface = surface};
    for (uint64_t a = 0; a < surface->count; a++) {
        const uint32_t i = surface->particle[a];
        if (surface->met[i] == NOT_MET) {
            continue;
        }
        for (walk_from(&walk, a); walk_on(&walk);) {
            const uint32_t j = surface->particle[walk.b - 1];
            const bool seen = walk.search == surface->met[i] || walk.search == surface->met[j];
            if (walk.b - 1 < a && seen && pairs->count < pairs->room && !is_known(pairs, i, j)) {
                add_pair(&walk, pairs, i, j);
            }
        }
    }
}

void ooze_impact_list_pairs(OozeImpactPairs *pairs, uint64_t n)
{
    uint32_t *first = pairs->first;
    memset(first, 0, (n + 1) * sizeof *first);
    for (uint64_t k = 0; k < pairs->count; k++) {
        uint32_t i = pairs->pair[k].i, j = pairs->pair[k].j;
        first[i < n ? i : n]++;
        first[j < n ? j : n]++;
    }
    first[n] = 0; /* ends that other processes have */
    for (uint64_t i = 0, total = 0; i <= n; i++) {
        total += first[i];
        first[i] = (uint32_t)total;
    }
    for (uint64_t k = pairs->count; k-- > 0;) { /* each list is filled from its end */
        uint32_t i = pairs->pair[k].i, j = pairs->pair[k].j;
        if (j < n) {
            pairs->entry[--first[j]] = (uint32_t)(2 * k + 1);
        }
        if (i < n) {
            pairs->entry[--first[i]] = (uint32_t)(2 * k);
        }
    }
}

/* Room for the pairs of n numbers. */
static OozeStatus create_pairs(OozeLodge *solve, uint64_t n, uint64_t room,
                               OozeImpactPairs **created, OozeError *error)
{
    OozeArena *arena = solve->step->context->arena;
    OozeImpactPairs *pairs = ooze_arena_alloc(arena, 1, sizeof *pairs);
    if (pairs) {
        *pairs = (OozeImpactPairs){.room = room, .n = n};
        pairs->pair = ooze_arena_alloc(arena, room, sizeof *pairs->pair);
        pairs->first = ooze_arena_alloc(arena, n + 1, sizeof *pairs->first);
        pairs->entry = ooze_arena_alloc(arena, 2 * room, sizeof *pairs->entry);
    }
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", room * sizeof *pairs->pair);
    }
    ooze_impact_list_pairs(pairs, n);
    *created = pairs;
    return OOZE_OK;
}

static OozeStatus search_window(Surface *surface, OozeImpactMemory *memory, OozeImpactPairs *pairs,
                                OozeError *error)
{
    uint64_t before = pairs->count;
    OozeStatus status = sort_surface(surface, memory, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(surface->step->context->threads, surface->count, GRAIN, meet_range, surface);
    add_pairs(surface, pairs);
    if (pairs->count > before) {
        ooze_impact_list_pairs(pairs, pairs->n);
    }
    return OOZE_OK;
}

static void update_pairs(const Surface *surface, OozeImpactPairs *pairs)
{
    for (uint64_t k = 0; pairs && k < pairs->count; k++) {
        OozeImpactPair *pair = &pairs->pair[k];
        ooze_impact_pair_update(
            pair, ooze_impact_pair_rate(pair, surface->u[pair->i], surface->u[pair->j]));
    }
}

OozeStatus ooze_impact_find_pairs(OozeLodge *solve, uint64_t *added, OozeError *error)
{
    const OozeConformationStep *s = solve->step;
    bool shared = s->context->halo != NULL;
    OozeImpactPairs **pairs = shared ? &solve->own->all_pairs : &solve->own->pairs;
    Surface surface = {.step = s};
    *added = 0;
    OozeStatus status = find_surface(&surface, solve, error);
    if (status) {
        return status;
    }
    update_pairs(&surface, *pairs);
    const float travel = travel_of(&surface);
    const int searches = ooze_impact_searches(travel, (float)s->context->spacing);
    if (searches > 0) {
        status = create_memory(&s->memory->impact, error);
        if (!status && !*pairs) {
            status = create_pairs(solve, shared ? surface.count : s->n,
                                  OOZE_IMPACT_PAIRS_EACH * surface.count, pairs, error);
        }
        uint64_t before = status ? 0 : (*pairs)->count;
        while (surface.window.last < searches && !status) {
            surface.window = ooze_impact_window(surface.window.last + 1, searches, travel, s->dt,
                                                s->context->spacing, widest_reach(s->context));
            status = search_window(&surface, s->memory->impact, *pairs, error);
        }
        *added = status ? 0 : (*pairs)->count - before;
    }
    return status || !shared || !*pairs ? status : ooze_impact_take_pairs(&surface, solve, error);
}
