/* Algorithm 1 for links to solids. Label and extension are those of the particle. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/links/cpu/loops.h"
#include "methods/links/particle_formula.h"
#include "solids/boundary_formula.h"

typedef struct Control {
    OozeLinksStep *s;
    uint32_t *kept; /* per particle: kept links of its old row */
    uint8_t *made;  /* per entry of the lists of samples: 1: it gets a link */
} Control;

OozeF32x4 ooze_links_held_at(const OozeLinksStep *s, const OozeWallLink *link)
{
    const OozeLinksSolid *solid = &s->poses[link->solid];
    OozeF32x4 at = solid->origin + solid->axes[0] * link->place[0] +
                   (solid->axes[1] * link->place[1] + solid->axes[2] * link->place[2]);
    if (s->wraps) {
        OozeFloat4 x = ooze_point_wrap((OozeFloat4){at[0], at[1], at[2], 0}, &s->periodic);
        at = ooze_f32x4(x.x, x.y, x.z, 0);
    }
    at[3] = link->rest;
    return at;
}

static float length_of(const OozeLinksStep *s, uint64_t i, OozeF32x4 x)
{
    OozeF32x4 d = ooze_links_separation(s, s->x[i], x);
    return sqrtf(ooze_f32x4_dot3(d, d));
}

/* Moves kept links to the front of the old row; returns their number. */
static uint32_t keep_links(const OozeLinksStep *s, uint64_t i)
{
    const OozeLinkRows *old = &s->memory->table.walls[0];
    if (s->old_row[i] == OOZE_LINK_ROW_NONE) {
        return 0;
    }
    OozeWallLink *row = ooze_wall_links_of(old, s->old_row[i]);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < old->count[s->old_row[i]]; k++) {
        OozeWallLink link = row[k];
        if (!s->k.samples || !s->poses[link.solid].has_friction) {
            continue;
        }
        if (!s->is_elastic[i]) {
            float length = length_of(s, i, ooze_links_held_at(s, &link));
            if (!ooze_links_keep_wall(&s->k, length, s->extension[i], &link)) {
                continue;
            }
        }
        row[kept++] = link;
    }
    return kept;
}

/* ---- samples that have a link already --------------------------------------------------- */

/* Hash table of the links of a row by their points. Slots hold 1 + the index in the row. */
enum { SLOTS = 512, ROW_MAX = SLOTS / 2 };

typedef struct LinkHash {
    uint16_t slot[SLOTS];
    const OozeWallLink *links;
    uint32_t count;
} LinkHash;

static uint32_t slot_of(const float place[3])
{
    uint32_t bits[3];
    memcpy(bits, place, sizeof bits);
    uint32_t mixed = bits[0] * 0x9e3779b1u ^ bits[1] * 0x85ebca77u ^ bits[2] * 0xc2b2ae3du;
    return (mixed ^ mixed >> 15) >> 8 & (SLOTS - 1);
}

static bool is_same(const OozeWallLink *a, const OozeWallLink *b)
{
    return a->solid == b->solid && memcmp(a->place, b->place, sizeof a->place) == 0;
}

/* Slots are empty between rows. */
static void hash_fill(LinkHash *hash, const OozeWallLink *links, uint32_t count)
{
    hash->links = links;
    hash->count = count;
    for (uint32_t k = 0; k < count && count <= ROW_MAX; k++) {
        uint32_t at = slot_of(links[k].place);
        while (hash->slot[at]) {
            at = (at + 1) % SLOTS;
        }
        hash->slot[at] = (uint16_t)(k + 1);
    }
}

static void hash_clear(LinkHash *hash)
{
    if (hash->count > 0 && hash->count <= ROW_MAX) {
        memset(hash->slot, 0, sizeof hash->slot);
    }
}

static bool hash_has(const LinkHash *hash, const OozeWallLink *link)
{
    if (hash->count > ROW_MAX) {
        uint32_t k = 0;
        while (k < hash->count && !is_same(&hash->links[k], link)) {
            k++;
        }
        return k < hash->count;
    }
    uint32_t at = slot_of(link->place);
    while (hash->slot[at]) {
        if (is_same(&hash->links[hash->slot[at] - 1], link)) {
            return true;
        }
        at = (at + 1) % SLOTS;
    }
    return false;
}

/* ---- rows ------------------------------------------------------------------------------- */

static OozeWallLink link_to(const OozeBoundary *b, const uint32_t *order, uint32_t sample)
{
    OozeFloat4 place = b->local[order[sample]];
    return (OozeWallLink){{place.x, place.y, place.z}, 0, b->solid[sample]};
}

/* Marks the samples that get a link; returns their number. */
static uint32_t choose_samples(const Control *c, uint64_t i, LinkHash *hash)
{
    const OozeLinksStep *s = c->s;
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->machine->context->boundary;
    const uint32_t *order = ooze_grid_order(b->grid);
    uint32_t chosen = 0;
    for (uint64_t e = near->first[i], last = e + near->count[i]; e < last; e++) {
        uint32_t sample = near->index[e];
        OozeWallLink link = link_to(b, order, sample);
        c->made[e] =
            !s->is_elastic[i] && s->poses[link.solid].has_friction && !hash_has(hash, &link);
        chosen += c->made[e];
    }
    return chosen;
}

static const OozeWallLink *old_links(const OozeLinksStep *s, uint64_t i)
{
    return s->old_row[i] == OOZE_LINK_ROW_NONE
               ? NULL
               : ooze_wall_links_of(&s->memory->table.walls[0], s->old_row[i]);
}

static void keep_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Control *c = data;
    const OozeLinksStep *s = c->s;
    uint32_t *count = s->memory->table.walls[1].count;
    LinkHash hash = {.count = 0};
    for (uint64_t i = begin; i < end; i++) {
        count[i] = c->kept[i] = keep_links(s, i);
        if (s->k.samples && s->memory->near_walls.count[i] > 0) {
            hash_fill(&hash, old_links(s, i), c->kept[i]);
            count[i] += choose_samples(c, i, &hash);
            hash_clear(&hash);
        }
    }
}

/* Writes links to the chosen samples. */
static void make_links(const Control *c, uint64_t i, OozeWallLink *to)
{
    const OozeLinksStep *s = c->s;
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->machine->context->boundary;
    const uint32_t *order = ooze_grid_order(b->grid);
    for (uint64_t e = near->first[i], last = e + near->count[i]; e < last; e++) {
        if (c->made[e]) {
            OozeFloat4 at = b->position[near->index[e]];
            float length = length_of(s, i, ooze_f32x4(at.x, at.y, at.z, 0));
            *to = link_to(b, order, near->index[e]);
            to->rest = ooze_links_new_rest(&s->k, length);
            to++;
        }
    }
}

static void write_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Control *c = data;
    const OozeLinksStep *s = c->s;
    const OozeLinkRows *rows = &s->memory->table.walls[1];
    for (uint64_t i = begin; i < end; i++) {
        OozeWallLink *row = ooze_wall_links_of(rows, i);
        uint32_t kept = c->kept[i], count = rows->count[i];
        if (kept > 0) {
            memcpy(row, old_links(s, i), kept * sizeof *row);
        }
        if (count > kept) {
            make_links(c, i, row + kept);
        }
        OozeF32x4 *held = s->held_at + rows->first[i];
        for (uint32_t k = 0; k < count; k++) {
            held[k] = ooze_links_held_at(s, &row[k]);
        }
        for (uint32_t k = count; k < ooze_link_fours(count); k++) {
            held[k] = ooze_f32x4(0, 0, 0, OOZE_LINKS_NO_LINK);
        }
    }
}

static void run(Control *c, OozeRangeBody body)
{
    ooze_parallel_for(c->s->machine->context->threads, c->s->machine->n, OOZE_LINKS_GRAIN, body, c);
}

OozeStatus ooze_links_control_walls(OozeLinksStep *s, OozeError *error)
{
    OozeLinkRows *new = &s->memory->table.walls[1];
    OozeArena *arena = s->machine->context->arena;
    const uint64_t n = s->machine->n, near = s->k.samples ? s->memory->near_walls.first[n] : 0;
    Control c = {
        .s = s,
        .kept = ooze_arena_alloc(arena, n, sizeof *c.kept),
        .made = ooze_arena_alloc(arena, near, sizeof *c.made),
    };
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "links to solids", n * sizeof *c.kept + near);
    }
    OozeStatus status = ooze_link_rows_reserve(new, n, error);
    if (status) {
        return status;
    }
    run(&c, keep_range);
    uint64_t links = ooze_link_rows_offsets_by_four(new);
    status = ooze_link_items_reserve(new, links, error);
    s->held_at = ooze_arena_alloc(arena, links, sizeof *s->held_at);
    if (!status && !s->held_at) {
        status = ooze_fail_memory(error, "links to solids", links * sizeof *s->held_at);
    }
    if (!status) {
        run(&c, write_range);
    }
    return status;
}
