/* Algorithm 1 for links to solids. Boundary particles have no label of their own, and use the coefficient of their partner: the
   particle decides. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/links/workspace.h"
#include "solids/boundary_formula.h"

/* Where a link is held now. */
static OozeFour held_at(const OozeLinksStep *s, const OozeWallLink *link)
{
    OozeFloat4 local = {link->place[0], link->place[1], link->place[2], 0};
    OozeFloat4 x =
        ooze_sample_place(&s->context->solids[link->solid].pose, local, &s->context->periodic);
    return ooze_four(x.x, x.y, x.z, 0);
}

static float length_of(const OozeLinksStep *s, uint64_t i, OozeFour x)
{
    OozeFour d = ooze_links_apart(s, s->x[i], x);
    return sqrtf(ooze_four_dot3(d, d));
}

/* In place on the old row. */
static uint32_t keep_links(const OozeLinksStep *s, uint64_t i)
{
    const OozeLinkRows *old = &s->memory->table.walls[0];
    if (s->old_row[i] == OOZE_LINKS_NO_ROW) {
        return 0;
    }
    OozeWallLink *row = ooze_wall_links_of(old, s->old_row[i]);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < old->count[s->old_row[i]]; k++) {
        OozeWallLink link = row[k];
        if (!s->samples || !ooze_links_clings(s, link.solid)) {
            continue;
        }
        if (!s->is_elastic[i]) {
            float length = length_of(s, i, held_at(s, &link));
            if (length * length >= s->reach2) {
                continue;
            }
            if (ooze_link_is_tight(length, link.rest, s->slack)) {
                link.rest = ooze_link_extended(link.rest, s->extension[i], s->extension[i]);
            }
        }
        row[kept++] = link;
    }
    return kept;
}

static bool is_among(const OozeWallLink *links, uint32_t count, const OozeWallLink *link)
{
    for (uint32_t k = 0; k < count; k++) {
        if (links[k].solid == link->solid &&
            memcmp(links[k].place, link->place, sizeof link->place) == 0) {
            return true;
        }
    }
    return false;
}

/* What the row will be, after the links that it keeps; `to` NULL: counts. */
static uint32_t make_links(const OozeLinksStep *s, uint64_t i, const OozeWallLink *kept,
                           uint32_t count, OozeWallLink *to)
{
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->context->boundary;
    if (!s->samples || s->is_elastic[i]) {
        return count;
    }
    const uint32_t *order = ooze_grid_order(b->grid);
    uint32_t had = count;
    for (uint32_t k = 0; k < near->count[i]; k++) {
        uint32_t sample = near->index[near->first[i] + k];
        OozeFloat4 place = b->local[order[sample]], at = b->position[sample];
        OozeWallLink link = {{place.x, place.y, place.z}, 0, b->solid[sample]};
        if (!ooze_links_clings(s, link.solid) || is_among(kept, had, &link)) {
            continue;
        }
        if (to) {
            link.rest = fmaxf(length_of(s, i, ooze_four(at.x, at.y, at.z, 0)), 1e-6f * s->support);
            to[count] = link;
        }
        count++;
    }
    return count;
}

static const OozeWallLink *old_links(const OozeLinksStep *s, uint64_t i)
{
    return s->old_row[i] == OOZE_LINKS_NO_ROW
               ? NULL
               : ooze_wall_links_of(&s->memory->table.walls[0], s->old_row[i]);
}

static void keep_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    uint32_t *count = s->memory->table.walls[1].count;
    for (uint64_t i = begin; i < end; i++) {
        s->wall_kept[i] = keep_links(s, i);
        count[i] = make_links(s, i, old_links(s, i), s->wall_kept[i], NULL);
    }
}

static void write_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    const OozeLinkRows *rows = &s->memory->table.walls[1];
    for (uint64_t i = begin; i < end; i++) {
        const OozeWallLink *old = old_links(s, i);
        OozeWallLink *row = ooze_wall_links_of(rows, i);
        uint32_t kept = s->wall_kept[i];
        if (kept > 0) {
            memcpy(row, old, kept * sizeof *row);
        }
        make_links(s, i, old, kept, row);
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            OozeFour at = held_at(s, &row[k]);
            at[3] = row[k].rest;
            s->held_at[rows->first[i] + k] = at;
        }
    }
}

OozeStatus ooze_links_control_walls(OozeLinksStep *s, OozeError *error)
{
    OozeLinkRows *new = &s->memory->table.walls[1];
    s->wall_kept = ooze_arena_alloc(s->context->arena, s->n, sizeof *s->wall_kept);
    if (!s->wall_kept) {
        return ooze_fail_memory(error, "links to solids", s->n * sizeof *s->wall_kept);
    }
    OozeStatus status = ooze_link_rows_room(new, s->n, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, keep_range, s);
    uint64_t links = ooze_link_rows_lay_out(new);
    status = ooze_link_items_room(new, links, error);
    s->held_at = ooze_arena_alloc(s->context->arena, links, sizeof *s->held_at);
    if (!status && !s->held_at) {
        status = ooze_fail_memory(error, "links to solids", links * sizeof *s->held_at);
    }
    if (!status) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, write_range, s);
    }
    return status;
}
