#include "methods/conformation/impact_solve.h"

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

/* Particles at free surfaces. */
typedef struct Surface {
    const OozeConformationStep *step;
    uint64_t count;
    uint64_t *chunk;       /* per chunk of particles: index of its first */
    uint32_t *index;       /* of the particle */
    OozeF32x4 *x, *sorted; /* at the time of the search; the same in the order of the grid */
    uint32_t *particle;    /* of each in the order of the grid */
    uint8_t *met;          /* per particle of the step: 1: at this search, 2: at an earlier one */
    float fraction;        /* of the step at the search */
} Surface;

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
        surface->met[i] = 0;
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

static OozeStatus find_surface(Surface *surface, OozeError *error)
{
    const OozeConformationStep *s = surface->step;
    OozeArena *arena = s->context->arena;
    uint64_t chunks = (s->n + GRAIN - 1) / GRAIN;
    surface->chunk = ooze_arena_alloc(arena, chunks, sizeof *surface->chunk);
    surface->met = ooze_arena_alloc(arena, s->n, sizeof *surface->met);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", s->n);
    }
    ooze_parallel_for(s->context->threads, s->n, GRAIN, count_range, surface);
    for (uint64_t k = 0; k < chunks; k++) {
        uint64_t count = surface->chunk[k];
        surface->chunk[k] = surface->count;
        surface->count += count;
    }
    uint64_t n = surface->count;
    surface->index = ooze_arena_alloc(arena, n, sizeof *surface->index);
    surface->particle = ooze_arena_alloc(arena, n, sizeof *surface->particle);
    surface->x = ooze_arena_alloc(arena, n, sizeof *surface->x);
    surface->sorted = ooze_arena_alloc(arena, n + 1, sizeof *surface->sorted);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", n * 40);
    }
    ooze_parallel_for(s->context->threads, s->n, GRAIN, number_range, surface);
    return OOZE_OK;
}

static int count_searches(const Surface *surface)
{
    const OozeConformationStep *s = surface->step;
    OozeF32x4 low = ooze_f32x4_splat(INFINITY), high = ooze_f32x4_splat(-INFINITY);
    for (uint64_t k = 0; k < surface->count; k++) {
        OozeF32x4 u = s->u[surface->index[k]];
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
        OozeF32x4 x = s->x0[i] + surface->fraction * s->dt * s->u[i];
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
    OozeF32x4 velocity = s->u[i] - s->u[j];
    *start = ooze_f32x4_nearest(s->x0[i] - s->x0[j], &s->context->periodic);
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

static void add_pair(OozeLodge *solve, uint32_t i, uint32_t j, OozeF32x4 meeting, OozeF32x4 start)
{
    const OozeConformationStep *s = solve->step;
    OozeImpactPair *pair = &solve->pairs->pair[solve->pairs->count++];
    const float *inward_i = (const float *)&s->edge_sum[i],
                *inward_j = (const float *)&s->edge_sum[j];
    float traces = ooze_sym3_trace(solve->stiffness[i]) + ooze_sym3_trace(solve->stiffness[j]);
    float spacing = (float)s->context->spacing;
    *pair = ooze_impact_pair(inward_i, inward_j, (const float *)&meeting, (const float *)&start,
                             spacing, s->dt);
    pair->i = i;
    pair->j = j;
    pair->stiffness = ooze_impact_pair_stiffness(traces, spacing, s->dt);
}

/* The pairs of this search: first marks the particles that meet another in it, then adds the pairs
   of these. A surface hides what lies behind it: particles that have met others at an earlier
   search are added only as what others meet first. */
static void collect(Surface *surface, const OozeNeighbours *near, OozeLodge *solve, bool marks)
{
    OozeImpactPairs *pairs = solve->pairs;
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
                add_pair(solve, i, j, meeting, start);
            }
        }
    }
}

/* Lists of the pairs of each particle. */
static void list_pairs(OozeImpactPairs *pairs, uint64_t n)
{
    memset(pairs->first, 0, (n + 1) * sizeof *pairs->first);
    for (uint64_t k = 0; k < pairs->count; k++) {
        pairs->first[pairs->pair[k].i + 1]++;
        pairs->first[pairs->pair[k].j + 1]++;
    }
    for (uint64_t i = 0; i < n; i++) {
        pairs->first[i + 1] += pairs->first[i];
    }
    for (uint64_t k = pairs->count; k-- > 0;) { /* each list is filled from its end */
        pairs->entry[--pairs->first[pairs->pair[k].j + 1]] = (uint32_t)(2 * k + 1);
        pairs->entry[--pairs->first[pairs->pair[k].i + 1]] = (uint32_t)(2 * k);
    }
    /* now first[i + 1] is where the list of i begins */
    memmove(pairs->first, pairs->first + 1, n * sizeof *pairs->first);
    pairs->first[n] = (uint32_t)(2 * pairs->count);
}

static OozeStatus create_pairs(OozeLodge *solve, uint64_t room, OozeError *error)
{
    OozeArena *arena = solve->step->context->arena;
    OozeImpactPairs *pairs = ooze_arena_alloc(arena, 1, sizeof *pairs);
    uint64_t n = solve->step->n;
    if (pairs) {
        *pairs = (OozeImpactPairs){.room = room};
        pairs->pair = ooze_arena_alloc(arena, room, sizeof *pairs->pair);
        pairs->first = ooze_arena_alloc(arena, n + 1, sizeof *pairs->first);
        pairs->entry = ooze_arena_alloc(arena, 2 * room, sizeof *pairs->entry);
    }
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts within the step", room * sizeof *pairs->pair);
    }
    list_pairs(pairs, n);
    solve->pairs = pairs;
    return OOZE_OK;
}

static void end_search(Surface *surface, const OozeNeighbours *near, OozeLodge *solve)
{
    uint64_t before = solve->pairs->count;
    collect(surface, near, solve, true);
    collect(surface, near, solve, false);
    if (solve->pairs->count > before) {
        list_pairs(solve->pairs, solve->step->n);
    }
    for (uint64_t k = 0; k < surface->count; k++) {
        uint8_t *met = &surface->met[surface->index[k]];
        *met = *met ? 2 : 0;
    }
}

OozeStatus ooze_impact_find_pairs(OozeLodge *solve, uint64_t *added, OozeError *error)
{
    const OozeConformationStep *s = solve->step;
    OozeImpactPairs *pairs = solve->pairs;
    Surface surface = {.step = s};
    for (uint64_t k = 0; pairs && k < pairs->count; k++) {
        OozeImpactPair *pair = &pairs->pair[k];
        OozeF32x4 n = ooze_f32x4(pair->normal[0], pair->normal[1], pair->normal[2], 0);
        ooze_impact_pair_update(pair, ooze_f32x4_dot3(n, s->u[pair->i] - s->u[pair->j]));
    }
    *added = 0;
    OozeStatus status = find_surface(&surface, error);
    int searches = status ? 0 : count_searches(&surface);
    if (searches > 0) {
        status = create_memory(s->impact_memory, error);
        if (!status && !solve->pairs) {
            status = create_pairs(solve, OOZE_IMPACT_PAIRS_EACH * surface.count, error);
        }
        uint64_t before = status ? 0 : solve->pairs->count;
        for (int k = 1; k <= searches && !status; k++) {
            surface.fraction = (float)k / (float)searches;
            status = search(&surface, *s->impact_memory, error);
            if (!status) {
                end_search(&surface, &(*s->impact_memory)->near, solve);
            }
        }
        *added = status ? 0 : solve->pairs->count - before;
    }
    return status;
}
