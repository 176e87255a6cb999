/* Algorithm 1 for pairs of particles. Both ends compute the same result, because distances, mean
   coefficients and labels have the same bits from either side. */
#include <math.h>

#include "base/fail.h"
#include "methods/links/cpu/fours.h"
#include "methods/links/particle_formula.h"

typedef struct Control {
    OozeLinksStep *s;
    const OozeNeighbours *near; /* at the predicted positions */
    float *rest;                /* per entry of `near` */
    uint32_t *new_of_old;       /* per old row, and the padding: its new number; local: removed */
    uint32_t *kept_near, *kept_far; /* per particle: kept links to other particles than
                                        neighbours, from both parts of the old row */
} Control;

typedef struct Row {
    uint64_t i;
    const uint32_t *index; /* neighbours, in the order of all particles */
    float *rest;
    uint32_t count;
    uint32_t found; /* links to neighbours found so far */
} Row;

static float length_of(const OozeLinksStep *s, uint64_t i, uint32_t j)
{
    OozeF32x4 d = ooze_links_separation(s, s->x[i], s->x[j]);
    return sqrtf(ooze_f32x4_dot3(d, d));
}

/* Index of j among the neighbours; `count`: not found. */
static uint32_t find(const OozeLinksStep *s, const Row *row, uint32_t j)
{
    uint32_t low = 0, remaining = row->count, place = ooze_links_place(s, j);
    while (remaining > 0) {
        uint32_t half = remaining / 2;
        bool after = ooze_links_place(s, row->index[low + half]) < place;
        low = after ? low + half + 1 : low;
        remaining = after ? remaining - half - 1 : half;
    }
    return low < row->count && row->index[low] == j ? low : row->count;
}

/* Links of an old row are processed in blocks: reading, updating and storing are loops of their
   own, which hides latencies. */
enum { BLOCK = 64 };

typedef struct LinkBlock {
    uint32_t other[BLOCK]; /* new number */
    float rest[BLOCK];
    float square[BLOCK]; /* squared lengths */
} LinkBlock;

/* Lines 2 to 7: new rest lengths; OOZE_LINKS_NO_LINK for deleted links, which include those to
   removed particles and padding. */
OOZE_LINKS_LOOP void update_rest_lengths(const OozeLinksStep *s, uint64_t i, LinkBlock *links,
                                         uint32_t count, OozeLinksKind kind)
{
    const OozeF32x4 *others = s->x, x = others[i];
    const OozeBox box = ooze_box(&s->periodic);
    const float reach2 = s->k.reach2, slack = s->k.slack;
    const bool elastic = s->any_elastic && s->is_elastic[i];
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
        OozeF32x4Mask kept = square < reach2, tight = rest - length - slack * rest < 0.0f;
        if (elastic) {
            OozeF32x4Mask both_elastic = {-s->is_elastic[j[0]], -s->is_elastic[j[1]],
                                          -s->is_elastic[j[2]], -s->is_elastic[j[3]]};
            kept |= both_elastic;
            tight &= ~both_elastic;
        }
        rest = ooze_f32x4_select(tight & (rest < none), rest * extension, rest);
        ooze_f32x4_store(ooze_f32x4_select(kept, rest, none), links->rest + k);
        ooze_f32x4_store(square, links->square + k);
    }
}

static void update_links(const OozeLinksStep *s, uint64_t i, LinkBlock *links, uint32_t count)
{
    if (s->wraps) {
        update_rest_lengths(s, i, links, count, (OozeLinksKind){.periodic = true});
    } else {
        update_rest_lengths(s, i, links, count, (OozeLinksKind){.periodic = false});
    }
}

/* Stores the rest lengths of links to neighbours. Moves the other links to the front of the block
   and returns their number. Lists change little from step to step, so that the next link mostly
   leads to the next neighbour. */
static uint32_t store_links(const OozeLinksStep *s, Row *row, LinkBlock *links, uint32_t count)
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
            uint32_t e = links->square[k] > beyond ? all : find(s, row, j);
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

/* Keeps links to particles that are no longer neighbours in the old row; returns their number. */
static uint32_t keep_near(const Control *c, Row *row, uint32_t old)
{
    OozeLinkTable *table = &c->s->memory->table;
    const OozeNeighbours *near = &table->near[0];
    uint64_t first = near->first[old];
    uint32_t *index = near->index + first, all = ooze_link_fours(near->count[old]), kept_near = 0;
    float *rest = table->rest[0].values + first;
    for (uint32_t k = 0; k < all; k += BLOCK) {
        uint32_t count = all - k < BLOCK ? all - k : BLOCK;
        LinkBlock links;
        for (uint32_t m = 0; m < count; m++) {
            links.other[m] = c->new_of_old[index[k + m]];
            links.rest[m] = rest[k + m];
        }
        update_links(c->s, row->i, &links, count);
        uint32_t others = store_links(c->s, row, &links, count);
        for (uint32_t m = 0; m < others; m++, kept_near++) {
            index[kept_near] = links.other[m];
            rest[kept_near] = links.rest[m];
        }
    }
    return kept_near;
}

static uint32_t keep_far(const Control *c, Row *row, uint32_t old)
{
    const OozeLinkRows *far = &c->s->memory->table.far[0];
    OozeLink *link = ooze_links_of(far, old);
    uint32_t all = ooze_link_fours(far->count[old]), kept_far = 0;
    for (uint32_t k = 0; k < all; k += BLOCK) {
        uint32_t count = all - k < BLOCK ? all - k : BLOCK;
        LinkBlock links;
        for (uint32_t m = 0; m < count; m++) {
            links.other[m] = c->new_of_old[link[k + m].other];
            links.rest[m] = link[k + m].rest;
        }
        update_links(c->s, row->i, &links, count);
        uint32_t others = store_links(c->s, row, &links, count);
        for (uint32_t m = 0; m < others; m++) {
            link[kept_far++] = (OozeLink){links.other[m], links.rest[m]};
        }
    }
    return kept_far;
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
            row->rest[e] = ooze_links_new_rest(&s->k, length_of(s, row->i, row->index[e]));
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
        c->kept_near[i] = had_row && had_neighbours ? keep_near(c, &row, old) : 0;
        c->kept_far[i] = had_row ? keep_far(c, &row, old) : 0;
        count[i] = c->kept_near[i] + c->kept_far[i];
        make_links(s, &row);
    }
}

/* Sorts a row in the order of all particles. */
static void sort_row(const OozeLinksStep *s, OozeLink *row, uint32_t count)
{
    uint32_t n = (uint32_t)s->machine->n, below = s->below;
    for (uint32_t k = 0; below > 0 && k < count; k++) {
        row[k].other = ooze_links_place(s, row[k].other);
    }
    ooze_link_row_sort(row, count);
    for (uint32_t k = 0; below > 0 && k < count; k++) {
        uint32_t at = row[k].other;
        row[k].other = at < below ? at + n : at < below + n ? at - below : at;
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
        for (uint32_t k = 0; k < c->kept_far[i]; k++) {
            row[k] = ooze_links_of(&table->far[0], old)[k];
        }
        for (uint32_t k = 0; k < c->kept_near[i]; k++) {
            uint64_t e = table->near[0].first[old] + k;
            row[c->kept_far[i] + k] = (OozeLink){table->near[0].index[e], table->rest[0].values[e]};
        }
        sort_row(s, row, rows->count[i]);
        ooze_link_fill_up(row, rows->count[i], (uint32_t)s->machine->local);
    }
}

static OozeStatus begin(Control *c, OozeError *error)
{
    OozeLinksStep *s = c->s;
    OozeLinkTable *table = &s->memory->table;
    OozeArena *arena = s->machine->context->arena;
    const uint64_t n = s->machine->n;
    bool shared = s->machine->context->halo != NULL; /* rows have been renumbered already */
    uint64_t old = shared ? s->machine->local : ooze_link_table_rows(table);
    c->near = &table->near[1];
    c->rest = ooze_edge_values(&table->rest[1], NULL, c->near->first[n]);
    c->new_of_old = ooze_arena_alloc(arena, old + 1, sizeof *c->new_of_old);
    c->kept_near = ooze_arena_alloc(arena, n, sizeof *c->kept_near);
    c->kept_far = ooze_arena_alloc(arena, n, sizeof *c->kept_far);
    if (!c->rest || ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "links", c->near->first[n] * sizeof *c->rest);
    }
    if (!shared) {
        ooze_link_rows_map(s->old_row, n, (uint32_t)n, c->new_of_old, old + 1);
    }
    for (uint64_t k = 0; shared && k <= old; k++) {
        c->new_of_old[k] = (uint32_t)k;
    }
    return ooze_link_rows_reserve(&table->far[1], n, error);
}

static void run(Control *c, OozeRangeBody body)
{
    ooze_parallel_for(c->s->machine->context->threads, c->s->machine->n, OOZE_LINKS_GRAIN, body, c);
}

OozeStatus ooze_links_control(OozeLinksStep *s, OozeError *error)
{
    OozeLinkRows *far = &s->memory->table.far[1];
    Control c = {.s = s};
    OozeStatus status = begin(&c, error);
    if (status) {
        return status;
    }
    run(&c, keep_range);
    status = ooze_link_items_reserve(far, ooze_link_rows_offsets_by_four(far), error);
    if (!status) {
        run(&c, write_range);
    }
    return status;
}
