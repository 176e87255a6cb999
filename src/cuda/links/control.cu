/* Algorithm 1 on the device: see methods/links/control.c and control_walls.c. Each particle writes
   its own rows; both ends of a link come to the same result. */
#include "cuda/links/step.cuh"
#include "cuda/shape_distance.cuh"

namespace ooze
{

/* ---- between particles ------------------------------------------------------------------ */

struct Control {
    const uint64_t *old_first;
    const uint32_t *old_count, *new_of_old; /* per old row: its new number; n: removed */
    OozeLink *old;                          /* kept links are moved to the front of their row */
    OozeWallLink *old_walls;
    const uint64_t *old_wall_first;
    const uint32_t *old_wall_count;
    uint32_t *kept, *kept_walls;
    const float4 *local;   /* boundary particles in the frame of their solid */
    const uint32_t *order; /* of the grid of boundary particles: index in `local` */
};

/* Lines 2 to 7. False: the link is deleted. */
OOZE_DEVICE bool control_link(const LinksView &s, uint32_t i, OozeLink *link)
{
    LinksMaterial own = material_of(s, i), other = material_of(s, link->other);
    if (own.elastic && other.elastic) {
        return true;
    }
    float4 d = separation(s.next.periodic, s.x[i], s.x[link->other]);
    if (!(dot(d, d) < s.k.reach2)) {
        return false;
    }
    if (ooze_link_is_tight(d.w, link->rest, s.k.slack)) {
        link->rest = ooze_link_extended(link->rest, own.extension, other.extension);
    }
    return true;
}

/* Keeps old links, with new numbers, sorted by insertion: rows are almost in order. */
OOZE_DEVICE uint32_t keep_links(const LinksView &s, const Control &c, uint32_t i)
{
    uint32_t old = s.old_row[i], kept = 0;
    if (old == OOZE_LINK_ROW_NONE) {
        return 0;
    }
    OozeLink *row = c.old + c.old_first[old];
    for (uint32_t k = 0; k < c.old_count[old]; k++) {
        OozeLink link = row[k];
        link.other = c.new_of_old[link.other];
        if (link.other == s.next.n || !control_link(s, i, &link)) {
            continue;
        }
        row_insert(row, kept++, link);
    }
    return kept;
}

/* f(j, d) for the neighbours that get a new link, in ascending order. */
template <class F>
OOZE_DEVICE void each_new_link(const LinksView &s, const Control &c, uint32_t i, F f)
{
    const uint32_t kept = c.kept[i], old = s.old_row[i];
    const OozeLink *row = kept ? c.old + c.old_first[old] : nullptr;
    const LinksMaterial own = material_of(s, i);
    uint32_t at = 0;
    each_pair<1>(s.next, i, 0, [&](uint32_t j, float4 d) {
        for (; at < kept && row[at].other < j; at++) {
        }
        bool has = at < kept && row[at].other == j;
        bool is_new = old == OOZE_LINK_ROW_NONE || s.old_row[j] == OOZE_LINK_ROW_NONE;
        bool same = s.material[s.order[i]] == s.material[s.order[j]];
        if (!has && ooze_link_is_made(own.elastic && material_of(s, j).elastic, is_new, same)) {
            f(j, d);
        }
    });
}

/* Kept and new links of a row, merged. */
OOZE_DEVICE void write_links(const LinksView &s, const Control &c, uint32_t i, OozeLink *to)
{
    const uint32_t kept = c.kept[i];
    const OozeLink *row = kept ? c.old + c.old_first[s.old_row[i]] : nullptr;
    uint32_t at = 0;
    each_new_link(s, c, i, [&](uint32_t j, float4 d) {
        for (; at < kept && row[at].other < j; at++) {
            *to++ = row[at];
        }
        /* coincident particles: no direction, and a positive rest length */
        *to++ = {j, fmaxf(d.w, 1e-6f * s.k.support)};
    });
    for (; at < kept; at++) {
        *to++ = row[at];
    }
}

static void control_pairs(LinksStep *step, Control *control)
{
    Gpu *gpu = step->gpu;
    LinksView s = step->view;
    LinkRows<OozeLink> *old = &step->data->links[0], *now = &step->data->links[1];
    const uint32_t n = s.next.n;
    control->new_of_old = rows_map(gpu, s.old_row, n, n, old->n);
    control->old_first = old->first();
    control->old_count = old->count();
    control->old = old->items();
    control->kept = scratch<uint32_t>(gpu, n);
    rows_resize(gpu, now, n);
    const Control c = *control;
    uint32_t *count = now->count();
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            c.kept[i] = keep_links(s, c, i);
            uint32_t made = 0;
            each_new_link(s, c, i, [&](uint32_t, float4) { made++; });
            count[i] = c.kept[i] + made;
        });
    rows_lay_out(gpu, now);
    const uint64_t *first = now->first();
    OozeLink *items = now->items();
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { write_links(s, c, i, items + first[i]); });
}

/* ---- to solids -------------------------------------------------------------------------- */

/* Moves the links that are kept to the front of the old row; returns their number. */
OOZE_DEVICE uint32_t keep_walls(const LinksView &s, const Control &c, uint32_t i)
{
    uint32_t old = s.old_row[i], kept = 0;
    const LinksMaterial own = material_of(s, i);
    if (old == OOZE_LINK_ROW_NONE || !s.k.samples) {
        return 0;
    }
    OozeWallLink *row = c.old_walls + c.old_wall_first[old];
    for (uint32_t k = 0; k < c.old_wall_count[old]; k++) {
        OozeWallLink link = row[k];
        if (!has_friction(s, link.solid)) {
            continue;
        }
        if (!own.elastic) {
            float length = separation(s.next.periodic, s.x[i], place_held(s, link)).w;
            if (length * length >= s.k.reach2) {
                continue;
            }
            if (ooze_link_is_tight(length, link.rest, s.k.slack)) {
                link.rest = ooze_link_extended(link.rest, own.extension, own.extension);
            }
        }
        row[kept++] = link;
    }
    return kept;
}

OOZE_DEVICE bool is_same(const OozeWallLink &a, const OozeWallLink &b)
{
    return a.solid == b.solid && a.place[0] == b.place[0] && a.place[1] == b.place[1] &&
           a.place[2] == b.place[2];
}

/* f(link) for the boundary particles near i that get a new link. */
template <class F>
OOZE_DEVICE void each_new_wall(const LinksView &s, const Control &c, uint32_t i, F f)
{
    if (material_of(s, i).elastic) {
        return;
    }
    const uint32_t kept = c.kept_walls[i];
    const OozeWallLink *row = kept ? c.old_walls + c.old_wall_first[s.old_row[i]] : nullptr;
    each_wall_pair<1>(s.next, i, 0, [&](uint32_t b, float4 d) {
        float4 place = c.local[c.order[b]];
        OozeWallLink link = {
            {place.x, place.y, place.z}, fmaxf(d.w, 1e-6f * s.k.support), s.next.boundary.solid[b]};
        bool wanted = has_friction(s, link.solid);
        for (uint32_t k = 0; k < kept && wanted; k++) {
            wanted = !is_same(row[k], link);
        }
        if (wanted) {
            f(link);
        }
    });
}

static void control_walls(LinksStep *step, Control *control)
{
    Gpu *gpu = step->gpu;
    LinksView s = step->view;
    const Walls *walls = &step->engine->walls;
    LinkRows<OozeWallLink> *old = &step->data->walls[0], *now = &step->data->walls[1];
    const uint32_t n = s.next.n;
    control->old_walls = old->items();
    control->old_wall_first = old->first();
    control->old_wall_count = old->count();
    control->kept_walls = scratch<uint32_t>(gpu, n);
    control->local = static_cast<const float4 *>(walls->local_buffer.memory);
    control->order = walls->grid.order;
    rows_resize(gpu, now, n);
    const Control c = *control;
    uint32_t *count = now->count();
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            c.kept_walls[i] = keep_walls(s, c, i);
            uint32_t made = 0;
            each_new_wall(s, c, i, [&](const OozeWallLink &) { made++; });
            count[i] = c.kept_walls[i] + made;
        });
    rows_lay_out(gpu, now);
    const uint64_t *first = now->first();
    OozeWallLink *items = now->items();
    float4 *held = scratch<float4>(gpu, now->item_count);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            OozeWallLink *to = items + first[i];
            for (uint32_t k = 0; k < c.kept_walls[i]; k++) {
                *to++ = c.old_walls[c.old_wall_first[s.old_row[i]] + k];
            }
            each_new_wall(s, c, i, [&](const OozeWallLink &link) { *to++ = link; });
            for (uint64_t k = first[i]; items + k < to; k++) {
                held[k] = place_held(s, items[k]);
            }
        });
    step->view.held_at = held;
}

OozeStatus links_control(LinksStep *step, OozeError *error)
{
    Gpu *gpu = step->gpu;
    LinksData *data = step->data;
    LinksView *s = &step->view;
    const uint32_t n = s->next.n;
    if (s->k.linked) {
        Control control = {};
        control_pairs(step, &control);
        control_walls(step, &control);
        rows_swap(data->links);
        rows_swap(data->walls);
        s->first = data->links[0].first();
        s->count = data->links[0].count();
        s->links = data->links[0].items();
        s->wall_first = data->walls[0].first();
        s->wall_count = data->walls[0].count();
        s->wall_links = data->walls[0].items();
    }
    OozeStatus result = status(gpu, n, error);
    if (result || !s->k.linked) { /* rows that are half written belong to no particle */
        data->links[0].n = data->walls[0].n = 0;
    }
    const bool lost = !s->k.linked;
    const LinksView v = *s;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { v.row[v.order[i]] = lost ? OOZE_LINK_ROW_NONE : i; });
    return result;
}

} // namespace ooze
