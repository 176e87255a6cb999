/* Algorithm 1 for pairs of particles. Both ends come to the same result by themselves: distances,
   mean coefficients and labels are the same from either side, to the last bit. */
#include <math.h>

#include "base/fail.h"
#include "methods/links/fours.h"

typedef struct Control {
    OozeLinksStep *s;
    const OozeNeighbours *near; /* of now */
    float *rest;                /* per entry of it */
    uint32_t *new_of_old;    /* per old row, and the one that fills up: its number now, n: gone */
    uint32_t *left, *stayed; /* per particle: kept links to particles that are no neighbours */
} Control;

typedef struct Row {
    uint64_t i;
    const uint32_t *index; /* neighbours of now, in ascending order */
    float *rest;
    uint32_t count;
    uint32_t found; /* links that have been put into their places */
} Row;

static float length_of(const OozeLinksStep *s, uint64_t i, uint32_t j)
{
    OozeF32x4 d = ooze_links_separation(s, s->x[i], s->x[j]);
    return sqrtf(ooze_f32x4_dot3(d, d));
}

/* Place of j among the neighbours; `count`: it is none. */
static uint32_t find(const Row *row, uint32_t j)
{
    uint32_t low = 0, left = row->count;
    while (left > 0) {
        uint32_t half = left / 2;
        bool after = row->index[low + half] < j;
        low = after ? low + half + 1 : low;
        left = after ? left - half - 1 : half;
    }
    return low < row->count && row->index[low] == j ? low : row->count;
}

/* Some links of an old row, read at once, looked at four at a time and filed one by one: one after
   the other would wait for each other's lengths. */
enum { BLOCK = 64 };

typedef struct Links {
    uint32_t other[BLOCK]; /* now */
    float rest[BLOCK];
    float square[BLOCK]; /* of lengths */
} Links;

/* Lines 2 to 7: rest lengths as they become, OOZE_LINKS_NO_LINK where a link goes. Links to what is
   gone go, and so does what fills up. */
OOZE_LINKS_LOOP void judge_on(const OozeLinksStep *s, uint64_t i, Links *links, uint32_t count,
                              OozeLinksKind kind)
{
    const OozeF32x4 *others = s->x, x = others[i];
    const OozeBox box = s->box;
    const float reach2 = s->k.reach2, slack = s->k.slack;
    const bool may_be_bound = s->any_elastic && s->is_elastic[i];
    const OozeF32x4 own = ooze_f32x4_splat(s->extension[i]),
                    none = ooze_f32x4_splat(OOZE_LINKS_NO_LINK);
    for (uint32_t k = 0; k < count; k += 4) {
        const uint32_t *j = links->other + k;
        OozeF32x4 d[4], rest = ooze_f32x4_load(links->rest + k), extension = own;
        ooze_f32x4_deltas(x, others, j, box, kind.periodic, d);
        OozeF32x4 square = ooze_f32x4_dots(d, d), length = ooze_f32x4_sqrt(square);
        if (!s->same_extension) {
            extension = 0.5f * (own + ooze_links_pick(s->extension, j));
        }
        OozeF32x4Mask stays = square < reach2, tight = rest - length - slack * rest < 0.0f;
        if (may_be_bound) {
            OozeF32x4Mask bound = {-s->is_elastic[j[0]], -s->is_elastic[j[1]], -s->is_elastic[j[2]],
                                   -s->is_elastic[j[3]]};
            stays |= bound;
            tight &= ~bound;
        }
        rest = ooze_f32x4_select(tight & (rest < none), rest * extension, rest);
        ooze_f32x4_store(ooze_f32x4_select(stays, rest, none), links->rest + k);
        ooze_f32x4_store(square, links->square + k);
    }
}

static void judge(const OozeLinksStep *s, uint64_t i, Links *links, uint32_t count)
{
    if (s->periodic) {
        judge_on(s, i, links, count, (OozeLinksKind){.periodic = true});
    } else {
        judge_on(s, i, links, count, (OozeLinksKind){.periodic = false});
    }
}

/* Puts links to neighbours into their places. The others come to the front; gives their number.
   Lists change little from step to step: most often the next link leads to the next neighbour.
   Particles clearly beyond the support are none. */
static uint32_t file(const OozeLinksStep *s, Row *row, Links *links, uint32_t count)
{
    const float beyond = 1.001f * (s->k.support * s->k.support);
    const uint32_t *index = row->index, all = row->count;
    float *to = row->rest;
    uint32_t others = 0, next = 0, found = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = links->other[k];
        float rest = links->rest[k];
        if (next >= all || index[next] != j) {
            if (!(rest < OOZE_LINKS_NO_LINK)) {
                continue;
            }
            uint32_t e = links->square[k] > beyond ? all : find(row, j);
            if (e == all) {
                links->other[others] = j;
                links->rest[others++] = rest;
                continue;
            }
            next = e;
        }
        to[next++] = rest;
        found += rest < OOZE_LINKS_NO_LINK;
    }
    row->found += found;
    return others;
}

/* Links to those that are no neighbours any more are kept in the old row. Gives their number. */
static uint32_t keep_near(const Control *c, Row *row, uint32_t old)
{
    OozeLinkTable *table = &c->s->memory->table;
    const OozeNeighbours *near = &table->near[0];
    uint64_t first = near->first[old];
    uint32_t *index = near->index + first, all = ooze_link_fours(near->count[old]), left = 0;
    float *rest = table->rest[0].values + first;
    for (uint32_t k = 0; k < all; k += BLOCK) {
        uint32_t count = all - k < BLOCK ? all - k : BLOCK;
        Links links;
        for (uint32_t m = 0; m < count; m++) {
            links.other[m] = c->new_of_old[index[k + m]];
            links.rest[m] = rest[k + m];
        }
        judge(c->s, row->i, &links, count);
        uint32_t others = file(c->s, row, &links, count);
        for (uint32_t m = 0; m < others; m++, left++) {
            index[left] = links.other[m];
            rest[left] = links.rest[m];
        }
    }
    return left;
}

static uint32_t keep_far(const Control *c, Row *row, uint32_t old)
{
    const OozeLinkRows *far = &c->s->memory->table.far[0];
    OozeLink *link = ooze_links_of(far, old);
    uint32_t all = ooze_link_fours(far->count[old]), stayed = 0;
    for (uint32_t k = 0; k < all; k += BLOCK) {
        uint32_t count = all - k < BLOCK ? all - k : BLOCK;
        Links links;
        for (uint32_t m = 0; m < count; m++) {
            links.other[m] = c->new_of_old[link[k + m].other];
            links.rest[m] = link[k + m].rest;
        }
        judge(c->s, row->i, &links, count);
        uint32_t others = file(c->s, row, &links, count);
        for (uint32_t m = 0; m < others; m++) {
            link[stayed++] = (OozeLink){links.other[m], links.rest[m]};
        }
    }
    return stayed;
}

static bool may_link(const OozeLinksStep *s, uint64_t i, uint32_t j)
{
    return ooze_link_is_made(s->is_elastic[i] && s->is_elastic[j], s->is_new[i] || s->is_new[j],
                             s->material[i] == s->material[j]);
}

static void make_links(const OozeLinksStep *s, const Row *row)
{
    for (uint32_t e = 0; e < row->count && row->found < row->count; e++) {
        if (row->rest[e] == OOZE_LINKS_NO_LINK && may_link(s, row->i, row->index[e])) {
            /* in one place there is no direction, and no length to hold */
            row->rest[e] = fmaxf(length_of(s, row->i, row->index[e]), 1e-6f * s->k.support);
        }
    }
}

static void keep_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Control *c = data;
    const OozeLinksStep *s = c->s;
    uint32_t *count = s->memory->table.far[1].count;
    bool had_neighbours = s->memory->table.near[0].n > 0;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t first = c->near->first[i];
        Row row = {i, c->near->index + first, c->rest + first, c->near->count[i], 0};
        for (uint32_t e = 0; e < ooze_link_fours(row.count); e++) {
            row.rest[e] = OOZE_LINKS_NO_LINK;
        }
        uint32_t old = s->old_row[i];
        bool had_row = old != OOZE_LINK_ROW_NONE;
        c->left[i] = had_row && had_neighbours ? keep_near(c, &row, old) : 0;
        c->stayed[i] = had_row ? keep_far(c, &row, old) : 0;
        count[i] = c->left[i] + c->stayed[i];
        make_links(s, &row);
    }
}

static void write_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Control *c = data;
    const OozeLinksStep *s = c->s;
    const OozeLinkTable *table = &s->memory->table;
    const OozeLinkRows *rows = &table->far[1];
    for (uint64_t i = begin; i < end; i++) {
        OozeLink *row = ooze_links_of(rows, i);
        uint32_t old = s->old_row[i];
        for (uint32_t k = 0; k < c->stayed[i]; k++) {
            row[k] = ooze_links_of(&table->far[0], old)[k];
        }
        for (uint32_t k = 0; k < c->left[i]; k++) {
            uint64_t e = table->near[0].first[old] + k;
            row[c->stayed[i] + k] = (OozeLink){table->near[0].index[e], table->rest[0].values[e]};
        }
        ooze_link_row_sort(row, rows->count[i]);
        ooze_link_fill_up(row, rows->count[i], (uint32_t)s->n);
    }
}

static OozeStatus begin(Control *c, OozeError *error)
{
    OozeLinksStep *s = c->s;
    OozeLinkTable *table = &s->memory->table;
    OozeArena *arena = s->context->arena;
    uint64_t old = ooze_link_table_rows(table);
    c->near = &table->near[1];
    c->rest = ooze_edge_values(&table->rest[1], NULL, c->near->first[s->n]);
    c->new_of_old = ooze_arena_alloc(arena, old + 1, sizeof *c->new_of_old);
    c->left = ooze_arena_alloc(arena, s->n, sizeof *c->left);
    c->stayed = ooze_arena_alloc(arena, s->n, sizeof *c->stayed);
    if (!c->rest || ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "links", c->near->first[s->n] * sizeof *c->rest);
    }
    ooze_link_rows_map(s->old_row, s->n, (uint32_t)s->n, c->new_of_old, old + 1);
    return ooze_link_rows_reserve(&table->far[1], s->n, error);
}

OozeStatus ooze_links_control(OozeLinksStep *s, OozeError *error)
{
    OozeLinkRows *far = &s->memory->table.far[1];
    Control c = {.s = s};
    OozeStatus status = begin(&c, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, keep_range, &c);
    status = ooze_link_items_reserve(far, ooze_link_rows_offsets_by_four(far), error);
    if (!status) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, write_range, &c);
    }
    return status;
}
