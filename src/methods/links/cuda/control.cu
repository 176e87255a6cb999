/* Algorithm 1 on the device: see cpu/control.c and cpu/control_walls.c. Each particle writes
   its own rows; both ends of a link come to the same result. */
#include "cuda/shape_distance.cuh"
#include "methods/links/cuda/stages.cuh"

namespace ooze
{

/* ---- between particles ------------------------------------------------------------------ */

/* Rows of the view are the old ones; kept links are moved to their front. */
struct Control {
    const uint32_t *new_of_old; /* per old row: its new number; n: removed */
    uint32_t *kept;             /* per particle: links */
};

/* Lines 2 to 7. False: the link is deleted. */
OOZE_DEVICE bool control_link(const LinksView &s, uint32_t i, OozeLink *link)
{
    const uint32_t j = link->other;
    if (s.is_elastic[i] && s.is_elastic[j]) {
        return true;
    }
    float4 d = separation(s.next.periodic, s.x[i], s.x[j]);
    if (!(dot(d, d) < s.k.reach2)) {
        return false;
    }
    if (ooze_link_is_tight(d.w, link->rest, s.k.slack)) {
        link->rest = ooze_link_extended(link->rest, s.extension[i], s.extension[j]);
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
    OozeLink *row = s.links + s.first[old];
    for (uint32_t k = 0; k < s.count[old]; k++) {
        OozeLink link = row[k];
        link.other = c.new_of_old[link.other];
        if (link.other == s.n || !control_link(s, i, &link)) {
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
    const uint32_t kept = c.kept[i];
    const OozeLink *row = kept ? s.links + s.first[s.old_row[i]] : nullptr;
    uint32_t at = 0;
    if (!is_own(s, i)) {
        return;
    }
    each_pair<1>(s.next, i, 0, [&](uint32_t j, float4 d) {
        for (; at < kept && row[at].other < j; at++) {
        }
        bool has = at < kept && row[at].other == j;
        if (!has && ooze_link_is_made(s.is_elastic[i] && s.is_elastic[j],
                                      s.is_new[i] || s.is_new[j], s.material[i] == s.material[j])) {
            f(j, d);
        }
    });
}

/* Kept and new links of a row, merged. */
OOZE_DEVICE void write_links(const LinksView &s, const Control &c, uint32_t i, OozeLink *to)
{
    const uint32_t kept = c.kept[i];
    const OozeLink *row = kept ? s.links + s.first[s.old_row[i]] : nullptr;
    uint32_t at = 0;
    each_new_link(s, c, i, [&](uint32_t j, float4 d) {
        for (; at < kept && row[at].other < j; at++) {
            *to++ = row[at];
        }
        *to++ = {j, ooze_links_new_rest(&s.k, d.w)};
    });
    for (; at < kept; at++) {
        *to++ = row[at];
    }
}

OozeStatus links_control(OozeLinksStep *step, OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    const LinksView s = view_of(step);
    LinksData *data = data_of(step);
    LinkRows<OozeLink> *now = &data->links[1];
    const uint32_t n = s.n;
    const Control c = {rows_map(gpu, data->row_before, n, n, data->rows_before),
                       scratch<uint32_t>(gpu, n)};
    rows_resize(gpu, now, n);
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
    return status(gpu, n, error);
}

/* ---- to solids -------------------------------------------------------------------------- */

struct WallControl {
    uint32_t *kept;        /* per particle: links */
    const float4 *local;   /* boundary particles in the frame of their solid */
    const uint32_t *order; /* of the grid of boundary particles: index in `local` */
};

/* Moves the links that are kept to the front of the old row; returns their number. */
OOZE_DEVICE uint32_t keep_walls(const LinksView &s, uint32_t i)
{
    uint32_t old = s.old_row[i], kept = 0;
    if (old == OOZE_LINK_ROW_NONE || !s.k.samples) {
        return 0;
    }
    OozeWallLink *row = s.wall_links + s.wall_first[old];
    for (uint32_t k = 0; k < s.wall_count[old]; k++) {
        OozeWallLink link = row[k];
        if (!has_friction(s, link.solid)) {
            continue;
        }
        if (!s.is_elastic[i]) {
            float length = separation(s.next.periodic, s.x[i], place_held(s, link)).w;
            if (!ooze_links_keep_wall(&s.k, length, s.extension[i], &link)) {
                continue;
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
OOZE_DEVICE void each_new_wall(const LinksView &s, const WallControl &c, uint32_t i, F f)
{
    if (s.is_elastic[i] || !is_own(s, i)) {
        return;
    }
    const uint32_t kept = c.kept[i];
    const OozeWallLink *row = kept ? s.wall_links + s.wall_first[s.old_row[i]] : nullptr;
    each_wall_pair<1>(s.next, i, 0, [&](uint32_t b, float4 d) {
        float4 place = c.local[c.order[b]];
        OozeWallLink link = {
            {place.x, place.y, place.z}, ooze_links_new_rest(&s.k, d.w), s.next.boundary.solid[b]};
        bool wanted = has_friction(s, link.solid);
        for (uint32_t k = 0; k < kept && wanted; k++) {
            wanted = !is_same(row[k], link);
        }
        if (wanted) {
            f(link);
        }
    });
}

/* The rows that this and links_control have written become those of the step. */
OozeStatus links_control_walls(OozeLinksStep *step, OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    const LinksView s = view_of(step);
    const Walls *walls = &engine_of(step->machine)->walls;
    LinksData *data = data_of(step);
    LinkRows<OozeWallLink> *now = &data->walls[1];
    const uint32_t n = s.n;
    const WallControl c = {scratch<uint32_t>(gpu, n),
                           static_cast<const float4 *>(walls->local_buffer.memory),
                           walls->grid.order};
    rows_resize(gpu, now, n);
    uint32_t *count = now->count();
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            c.kept[i] = keep_walls(s, i);
            uint32_t made = 0;
            each_new_wall(s, c, i, [&](const OozeWallLink &) { made++; });
            count[i] = c.kept[i] + made;
        });
    rows_lay_out(gpu, now);
    const uint64_t *first = now->first();
    OozeWallLink *items = now->items();
    float4 *held = scratch<float4>(gpu, now->item_count);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            OozeWallLink *to = items + first[i];
            for (uint32_t k = 0; k < c.kept[i]; k++) {
                *to++ = s.wall_links[s.wall_first[s.old_row[i]] + k];
            }
            each_new_wall(s, c, i, [&](const OozeWallLink &link) { *to++ = link; });
            for (uint64_t k = first[i]; items + k < to; k++) {
                held[k] = place_held(s, items[k]);
            }
        });
    step->held_at = held;
    rows_swap(data->links);
    rows_swap(data->walls);
    return status(gpu, n, error);
}

} // namespace ooze
