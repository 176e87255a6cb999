/* Algorithm 1 for pairs of particles. Both ends come to the same result by themselves: distances, mean coefficients and
   labels are the same from either side, to the last bit. */
#include <math.h>

#include "base/fail.h"
#include "methods/links/workspace.h"

typedef struct Control {
    OozeLinksStep *s;
    uint32_t *new_of_old; /* per old row: its number now */
    uint32_t *kept;       /* per particle: entries of its old row that stay */
} Control;

static float length_of(const OozeLinksStep *s, uint64_t i, uint32_t j)
{
    OozeFour d = ooze_links_apart(s, s->x[i], s->x[j]);
    return sqrtf(ooze_four_dot3(d, d));
}

/* Rows are almost in order: particles change places with near ones only. */
static void sort_row(OozeLink *row, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        OozeLink link = row[k];
        uint32_t at = k;
        for (; at > 0 && row[at - 1].other > link.other; at--) {
            row[at] = row[at - 1];
        }
        row[at] = link;
    }
}

/* Lines 2 to 7, in place on the old row; links to what is gone go. */
static uint32_t keep_links(const Control *c, uint64_t i)
{
    const OozeLinksStep *s = c->s;
    const OozeLinkRows *old = &s->memory->table.fluid[0];
    if (s->old_row[i] == OOZE_LINKS_NO_ROW) {
        return 0;
    }
    OozeLink *row = ooze_links_of(old, s->old_row[i]);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < old->count[s->old_row[i]]; k++) {
        OozeLink link = {c->new_of_old[row[k].other], row[k].rest};
        if (link.other == OOZE_LINKS_NO_ROW) {
            continue;
        }
        if (!s->is_elastic[i] || !s->is_elastic[link.other]) {
            float length = length_of(s, i, link.other);
            if (length * length >= s->reach2) {
                continue;
            }
            if (ooze_link_is_tight(length, link.rest, s->slack)) {
                link.rest =
                    ooze_link_extended(link.rest, s->extension[i], s->extension[link.other]);
            }
        }
        row[kept++] = link;
    }
    sort_row(row, kept);
    return kept;
}

/* Lines 9 and 10, and the links that an elastic object gets when it is made: between particles of one material of which one
   at least is new. Such that come from a nozzle grow together. */
static bool may_link(const OozeLinksStep *s, uint64_t i, uint32_t j)
{
    return !s->is_elastic[i] || !s->is_elastic[j] ||
           ((s->is_new[i] || s->is_new[j]) && s->material[i] == s->material[j]);
}

/* Merges what is kept with what is new; `to` NULL: counts. */
static uint32_t merge_row(const Control *c, uint64_t i, OozeLink *to)
{
    const OozeLinksStep *s = c->s;
    const OozeNeighbours *near = &s->memory->near;
    const OozeLinkRows *rows = &s->memory->table.fluid[0];
    const uint32_t *j = near->index + near->first[i], *last = j + near->count[i];
    uint32_t left = c->kept[i], count = 0;
    const OozeLink *old = left ? ooze_links_of(rows, s->old_row[i]) : NULL;
    while (left > 0 || j < last) {
        bool from_old = left > 0 && (j == last || old->other <= *j);
        if (from_old) {
            j += j < last && *j == old->other;
            if (to) {
                to[count] = *old;
            }
            old++;
            left--;
            count++;
        } else {
            if (may_link(s, i, *j)) {
                float length = to ? length_of(s, i, *j) : 0.0f;
                if (to) { /* in one place there is no direction, and no length to hold */
                    to[count] = (OozeLink){*j, fmaxf(length, 1e-6f * s->support)};
                }
                count++;
            }
            j++;
        }
    }
    return count;
}

static void keep_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Control *c = data;
    uint32_t *count = c->s->memory->table.fluid[1].count;
    for (uint64_t i = begin; i < end; i++) {
        c->kept[i] = keep_links(c, i);
        count[i] = merge_row(c, i, NULL);
    }
}

static void write_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Control *c = data;
    const OozeLinkRows *rows = &c->s->memory->table.fluid[1];
    for (uint64_t i = begin; i < end; i++) {
        merge_row(c, i, ooze_links_of(rows, i));
    }
}

OozeStatus ooze_links_control(OozeLinksStep *s, OozeError *error)
{
    OozeLinkTable *table = &s->memory->table;
    OozeLinkRows *old = &table->fluid[0], *new = &table->fluid[1];
    OozeArena *arena = s->context->arena;
    Control c = {
        .s = s,
        .new_of_old = ooze_arena_alloc(arena, old->n, sizeof *c.new_of_old),
        .kept = ooze_arena_alloc(arena, s->n, sizeof *c.kept),
    };
    if (!c.new_of_old || !c.kept) {
        return ooze_fail_memory(error, "links", (old->n + s->n) * sizeof *c.kept);
    }
    for (uint64_t k = 0; k < old->n; k++) {
        c.new_of_old[k] = OOZE_LINKS_NO_ROW;
    }
    for (uint64_t i = 0; i < s->n; i++) {
        if (s->old_row[i] != OOZE_LINKS_NO_ROW) {
            c.new_of_old[s->old_row[i]] = (uint32_t)i;
        }
    }
    OozeStatus status = ooze_link_rows_room(new, s->n, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, keep_range, &c);
    status = ooze_link_items_room(new, ooze_link_rows_lay_out(new), error);
    if (!status) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, write_range, &c);
    }
    return status;
}
