/* Search for pairs of particles at free surfaces that meet within a long step: see impact_solve.h.
   */
#include "methods/conformation/cpu/impact_solve.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "particles/grid.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

struct OozeImpactMemory {
    OozeGrid *grid;
    OozeNeighbours near;
};

void ooze_impact_memory_destroy(OozeImpactMemory *memory)
{
    if (memory) {
        ooze_grid_destroy(memory->grid);
        ooze_neighbours_free(&memory->near);
        ooze_free(memory);
    }
}

uint64_t ooze_impact_memory_bytes(const OozeImpactMemory *memory)
{
    return memory ? ooze_grid_bytes(memory->grid) + ooze_neighbours_bytes(&memory->near) : 0;
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
    memset(surface->met, 0, numbers * sizeof *surface->met);
    return OOZE_OK;
}

static int count_searches(const Surface *surface)
{
    const OozeConformationStep *s = surface->step;
    OozeF32x4 low = ooze_f32x4_splat(INFINITY), high = ooze_f32x4_splat(-INFINITY);
    for (uint64_t k = 0; k < surface->count; k++) {
        OozeF32x4 u = surface->u[surface->index[k]];
        low = ooze_f32x4_min(low, u);
        high = ooze_f32x4_max(high, u);
    }
    OozeF32x4 range = high - low;
    float travel = surface->count ? s->dt * sqrtf(ooze_f32x4_dot3(range, range)) : 0.0f;
    return ooze_impact_searches(travel, (float)s->context->spacing);
}

static void place_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Surface *surface = data;
    const OozeConformationStep *s = surface->step;
    const OozePeriodic *p = &s->context->periodic;
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = surface->index[k];
        OozeF32x4 x = surface->x0[i] + surface->fraction * s->dt * surface->u[i];
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = ooze_periodic_wrap(x[axis], p->min[axis], p->length[axis], p->inverse[axis]);
        }
        x[3] = 0;
        surface->x[k] = x;
    }
}

static OozeStatus search(Surface *surface, OozeImpactMemory *memory, OozeError *error)
{
    const OozeStepContext *c = surface->step->context;
    double reach = (double)OOZE_IMPACT_MEETING * c->spacing;
    uint64_t n = surface->count;
    ooze_parallel_for(c->threads, n, GRAIN, place_range, surface);
    OozeStatus status = ooze_grid_sort(memory->grid, c->threads, (const OozeFloat4 *)surface->x, n,
                                       reach, &c->periodic, error);
    if (status) {
        return status;
    }
    const uint32_t *order = ooze_grid_order(memory->grid);
    for (uint64_t k = 0; k < n; k++) {
        surface->sorted[k] = surface->x[order[k]];
        surface->particle[k] = surface->index[order[k]];
    }
    OozeNeighbourQuery query = {(const OozeFloat4 *)surface->sorted, n,
                                (const OozeFloat4 *)surface->sorted, reach, true};
    return ooze_neighbours_build(&memory->near, memory->grid, c->threads, &query, error);
}

/* Whether a pair was apart at the beginning of the step and approaches. */
static bool is_new(const Surface *surface, uint64_t a, uint64_t b, OozeF32x4 *meeting,
                   OozeF32x4 *start)
{
    const OozeConformationStep *s = surface->step;
    uint32_t i = surface->particle[a], j = surface->particle[b];
    OozeF32x4 velocity = surface->u[i] - surface->u[j];
    *start = ooze_f32x4_nearest(surface->x0[i] - surface->x0[j], &s->context->periodic);
    *meeting = ooze_f32x4_nearest(surface->sorted[a] - surface->sorted[b], &s->context->periodic);
    return ooze_impact_is_new((const float *)start, (const float *)meeting,
                              (const float *)&velocity, (float)s->context->spacing);
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

static void add_pair(const Surface *surface, OozeImpactPairs *pairs, uint32_t i, uint32_t j,
                     OozeF32x4 meeting, OozeF32x4 start)
{
    const OozeConformationStep *s = surface->step;
    OozeImpactPair *pair = &pairs->pair[pairs->count++];
    const float *inward_i = (const float *)&surface->inward[i],
                *inward_j = (const float *)&surface->inward[j];
    float traces = surface->trace[i] + surface->trace[j];
    float spacing = (float)s->context->spacing;
    *pair = ooze_impact_pair(inward_i, inward_j, (const float *)&meeting, (const float *)&start,
                             spacing, s->dt);
    pair->i = i;
    pair->j = j;
    pair->stiffness = ooze_impact_pair_stiffness(traces, spacing, s->dt);
}

/* One of the two loops that end a search. With `marks` it marks the particles that meet another
   one; without, it adds the pairs. A surface screens what lies behind it: a pair is added only if
   one of its particles meets another for the first time in this search. */
static void collect(Surface *surface, const OozeNeighbours *near, OozeImpactPairs *pairs,
                    bool marks)
{
    uint8_t *met = surface->met;
    OozeF32x4 meeting, start;
    for (uint64_t a = 0; a < surface->count; a++) {
        uint32_t i = surface->particle[a];
        for (uint64_t e = near->first[a], last = e + near->count[a]; e < last; e++) {
            uint64_t b = near->index[e];
            uint32_t j = surface->particle[b];
            bool seen = marks || met[i] == 1 || met[j] == 1;
            if (b > a || !seen || !is_new(surface, a, b, &meeting, &start)) {
                continue;
            }
            if (marks) {
                met[i] = met[i] ? met[i] : 1;
                met[j] = met[j] ? met[j] : 1;
            } else if (pairs->count < pairs->room && !is_known(pairs, i, j)) {
                add_pair(surface, pairs, i, j, meeting, start);
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

static void end_search(Surface *surface, const OozeNeighbours *near, OozeImpactPairs *pairs)
{
    uint64_t before = pairs->count;
    collect(surface, near, pairs, true);
    collect(surface, near, pairs, false);
    if (pairs->count > before) {
        ooze_impact_list_pairs(pairs, pairs->n);
    }
    for (uint64_t k = 0; k < surface->count; k++) {
        uint8_t *met = &surface->met[surface->index[k]];
        *met = *met ? 2 : 0;
    }
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
    int searches = count_searches(&surface);
    if (searches > 0) {
        status = create_memory(&s->memory->impact, error);
        if (!status && !*pairs) {
            status = create_pairs(solve, shared ? surface.count : s->n,
                                  OOZE_IMPACT_PAIRS_EACH * surface.count, pairs, error);
        }
        uint64_t before = status ? 0 : (*pairs)->count;
        for (int k = 1; k <= searches && !status; k++) {
            surface.fraction = (float)k / (float)searches;
            status = search(&surface, s->memory->impact, error);
            if (!status) {
                end_search(&surface, &s->memory->impact->near, *pairs);
            }
        }
        *added = status ? 0 : (*pairs)->count - before;
    }
    return status || !shared || !*pairs ? status : ooze_impact_take_pairs(&surface, solve, error);
}
