/* Links as arrays of a frame: each once, in the row of its lower end. Rows are in ascending order,
   which determines the rows of both ends. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/links/table.h"

enum { COUNT, OTHER, REST, WALL_COUNT, WALL_PLACE, WALL_SOLID };

const OozeFieldInfo ooze_link_arrays[OOZE_LINK_ARRAYS] = {
    [COUNT] = {"link_count", OOZE_FIELD_UINT32, 1, 1, "", 0, true,
               "links of each row to rows with higher numbers"},
    [OTHER] = {"link_other", OOZE_FIELD_UINT32, 1, 1, "", 0, true,
               "rows at their other end, row by row"},
    [REST] = {"link_rest", OOZE_FIELD_FLOAT32, 1, 1, "m", 0, true, "their rest lengths"},
    [WALL_COUNT] = {"wall_link_count", OOZE_FIELD_UINT32, 1, 1, "", 0, true,
                    "links of each row to solids"},
    [WALL_PLACE] = {"wall_link_place", OOZE_FIELD_FLOAT32, 4, 4, "m", 0, true,
                    "points of the solids, in their own frame, and rest lengths"},
    [WALL_SOLID] = {"wall_link_solid", OOZE_FIELD_UINT16, 1, 1, "", 0, true,
                    "numbers of the solids"},
};

/* ---- saving ----------------------------------------------------------------------------- */

/* Replaces an array by one of `wanted` elements; false: out of memory. */
static bool replace(void *array, uint64_t wanted, size_t size)
{
    void **place = array;
    ooze_free(*place);
    *place = ooze_alloc(wanted, size);
    return *place != NULL;
}

static bool reserve_packed(OozeLinkTable *t, uint64_t rows, uint64_t links, uint64_t walls)
{
    if (rows > t->packed_rows || !t->packed_count) {
        bool made = replace(&t->packed_count, rows, sizeof *t->packed_count) &&
                    replace(&t->packed_wall_count, rows, sizeof *t->packed_wall_count);
        t->packed_rows = made ? rows : 0;
        if (!made) {
            return false;
        }
    }
    if (links > t->packed_links || !t->packed_other) {
        bool made = replace(&t->packed_other, links, sizeof *t->packed_other) &&
                    replace(&t->packed_rest, links, sizeof *t->packed_rest);
        t->packed_links = made ? links : 0;
        if (!made) {
            return false;
        }
    }
    if (walls > t->packed_walls || !t->packed_place) {
        bool made = replace(&t->packed_place, 4 * walls, sizeof *t->packed_place) &&
                    replace(&t->packed_solid, walls, sizeof *t->packed_solid);
        t->packed_walls = made ? walls : 0;
        return made;
    }
    return true;
}

/* Merges the links of row i to rows with higher numbers, in ascending order; returns their number.
   `other` NULL: only counts. */
static uint32_t pack_row(const OozeLinkTable *t, uint64_t i, uint32_t *other, float *rest)
{
    const OozeNeighbours *near = &t->near[0];
    const OozeLink *far = ooze_links_of(&t->far[0], i), *last = far + t->far[0].count[i];
    uint64_t e = near->n ? near->first[i] : 0, end = near->n ? e + near->count[i] : 0;
    uint32_t count = 0;
    while (e < end || far < last) {
        bool is_near = e < end && (far == last || near->index[e] < far->other);
        OozeLink link = is_near ? (OozeLink){near->index[e], t->rest[0].values[e]} : *far;
        e += is_near;
        far += !is_near;
        if (link.other > t->first_row + i && link.rest < OOZE_LINKS_NO_LINK) {
            if (other) {
                other[count] = link.other;
                rest[count] = link.rest;
            }
            count++;
        }
    }
    return count;
}

static void pack(OozeLinkTable *t)
{
    const OozeLinkRows *walls = &t->walls[0];
    uint64_t link = 0, wall = 0;
    for (uint64_t i = 0; i < ooze_link_table_rows(t); i++) {
        t->packed_count[i] = pack_row(t, i, t->packed_other + link, t->packed_rest + link);
        link += t->packed_count[i];
        const OozeWallLink *held = ooze_wall_links_of(walls, i);
        for (uint32_t k = 0; k < walls->count[i]; k++, wall++) {
            memcpy(t->packed_place + 4 * wall, held[k].place, sizeof held[k].place);
            t->packed_place[4 * wall + 3] = held[k].rest;
            t->packed_solid[wall] = (uint16_t)held[k].solid;
        }
        t->packed_wall_count[i] = walls->count[i];
    }
}

static uint64_t count_links(const OozeLinkTable *t)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < ooze_link_table_rows(t); i++) {
        sum += pack_row(t, i, NULL, NULL);
    }
    return sum;
}

static uint64_t count_walls(const OozeLinkRows *walls)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < walls->n; i++) {
        sum += walls->count[i];
    }
    return sum;
}

OozeStatus ooze_link_table_save(OozeLinkTable *t, OozeFieldView *views, OozeError *error)
{
    uint64_t rows = ooze_link_table_rows(t), links = count_links(t);
    uint64_t walls = count_walls(&t->walls[0]);
    if (!reserve_packed(t, rows, links, walls)) {
        return ooze_fail_memory(error, "links of a frame", links * sizeof(OozeLink));
    }
    pack(t);
    const uint64_t counts[OOZE_LINK_ARRAYS] = {rows, links, links, rows, walls, walls};
    const void *data[OOZE_LINK_ARRAYS] = {t->packed_count,      t->packed_other, t->packed_rest,
                                          t->packed_wall_count, t->packed_place, t->packed_solid};
    for (int k = 0; k < OOZE_LINK_ARRAYS; k++) {
        views[k].count = counts[k];
        views[k].data = data[k];
    }
    return OOZE_OK;
}

/* ---- restoring ----------------------------------------------------------------------- */

static OozeStatus refuse(OozeError *error, const char *what)
{
    return ooze_fail(error, OOZE_ERROR_FORMAT,
                     "resume with the scene and the version of Ooze that wrote the run",
                     "the saved links are not sound: %s", what);
}

typedef struct Saved {
    uint64_t rows, links, walls;
    const uint32_t *count, *other, *wall_count;
    const float *rest, *place;
    const uint16_t *solid;
    int place_stride;
} Saved;

static OozeStatus check_links(const Saved *s, OozeError *error)
{
    uint64_t link = 0;
    for (uint64_t i = 0; i < s->rows; i++) {
        uint64_t before = i;
        if (s->count[i] > s->links - link) {
            return refuse(error, "rows have more links than there are");
        }
        for (uint32_t k = 0; k < s->count[i]; k++, link++) {
            if (s->other[link] <= before || s->other[link] >= s->rows) {
                return refuse(error, "a link leads nowhere, or to an end it has already");
            }
            if (!(s->rest[link] > 0.0f) || !isfinite(s->rest[link])) {
                return refuse(error, "a rest length is not a length");
            }
            before = s->other[link];
        }
    }
    return link == s->links ? OOZE_OK : refuse(error, "some links belong to no row");
}

static OozeStatus check_walls(const Saved *s, int solid_count, OozeError *error)
{
    uint64_t wall = 0;
    for (uint64_t i = 0; i < s->rows; i++) {
        if (s->wall_count[i] > s->walls - wall) {
            return refuse(error, "rows have more links to solids than there are");
        }
        wall += s->wall_count[i];
    }
    bool valid = wall == s->walls;
    for (uint64_t k = 0; k < s->walls && valid; k++) {
        const float *place = s->place + k * (uint64_t)s->place_stride;
        valid = s->solid[k] < solid_count && isfinite(place[0]) && isfinite(place[1]) &&
                isfinite(place[2]) && isfinite(place[3]) && place[3] > 0.0f;
    }
    return valid ? OOZE_OK : refuse(error, "one to a solid leads nowhere");
}

/* No two particles share a row. */
static OozeStatus check_rows(const uint32_t *row_of, uint64_t particles, uint64_t rows,
                             OozeError *error)
{
    bool valid = false;
    OozeStatus status = ooze_link_rows_check_owners(row_of, particles, rows, &valid, error);
    return status || valid ? status
                           : refuse(error, "two particles have the same, or one has none of them");
}

/* Writes all links to `far` rows; the next step finds which lead to neighbours. Links of row i to
   lower rows are written before it, in ascending order. */
static void unpack_links(const Saved *s, OozeLinkRows *rows)
{
    uint64_t link = 0;
    memset(rows->count, 0, rows->n * sizeof *rows->count);
    for (uint64_t i = 0; i < rows->n; i++) {
        for (uint32_t k = 0; k < s->count[i]; k++, link++) {
            rows->count[i]++;
            rows->count[s->other[link]]++;
        }
    }
    ooze_link_rows_offsets_by_four(rows);
    memset(rows->count, 0, rows->n * sizeof *rows->count);
    link = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        for (uint32_t k = 0; k < s->count[i]; k++, link++) {
            uint32_t j = s->other[link];
            ooze_links_of(rows, i)[rows->count[i]++] = (OozeLink){j, s->rest[link]};
            ooze_links_of(rows, j)[rows->count[j]++] = (OozeLink){(uint32_t)i, s->rest[link]};
        }
    }
    for (uint64_t i = 0; i < rows->n; i++) {
        ooze_link_fill_up(ooze_links_of(rows, i), rows->count[i], (uint32_t)rows->n);
    }
}

static void unpack_walls(const Saved *s, OozeLinkRows *rows)
{
    uint64_t wall = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        rows->count[i] = s->wall_count[i];
    }
    ooze_link_rows_offsets_by_four(rows);
    for (uint64_t i = 0; i < rows->n; i++) {
        for (uint32_t k = 0; k < s->wall_count[i]; k++, wall++) {
            const float *place = s->place + wall * (uint64_t)s->place_stride;
            ooze_wall_links_of(rows, i)[k] =
                (OozeWallLink){{place[0], place[1], place[2]}, place[3], s->solid[wall]};
        }
    }
}

static Saved saved_of(const OozeFieldView *const *views)
{
    return (Saved){.rows = views[COUNT]->count,
                   .links = views[OTHER]->count,
                   .walls = views[WALL_PLACE]->count,
                   .count = views[COUNT]->data,
                   .other = views[OTHER]->data,
                   .wall_count = views[WALL_COUNT]->data,
                   .rest = views[REST]->data,
                   .place = views[WALL_PLACE]->data,
                   .solid = views[WALL_SOLID]->data,
                   .place_stride = views[WALL_PLACE]->stride};
}

OozeStatus ooze_link_table_unpack(OozeLinkTable *t, const OozeFieldView *const *views,
                                  OozeError *error)
{
    Saved s = saved_of(views);
    OozeStatus status = ooze_link_rows_reserve(&t->far[1], s.rows, error);
    status = status ? status : ooze_link_items_reserve(&t->far[1], 2 * s.links + 3 * s.rows, error);
    status = status ? status : ooze_link_rows_reserve(&t->walls[1], s.rows, error);
    status = status ? status : ooze_link_items_reserve(&t->walls[1], s.walls + 3 * s.rows, error);
    if (!status) {
        unpack_links(&s, &t->far[1]);
        unpack_walls(&s, &t->walls[1]);
        t->near[1].n = 0;
        ooze_link_table_swap(t);
    }
    return status;
}

OozeStatus ooze_link_table_restore(OozeLinkTable *t, const OozeFieldView *const *views,
                                   const uint32_t *row_of, uint64_t particles, int solid_count,
                                   OozeError *error)
{
    Saved s = saved_of(views);
    if (views[REST]->count != s.links || views[WALL_COUNT]->count != s.rows ||
        views[WALL_SOLID]->count != s.walls || s.rows > OOZE_PARTICLES_MAX) {
        return refuse(error, "its arrays do not belong together");
    }
    OozeStatus status = check_links(&s, error);
    status = status ? status : check_walls(&s, solid_count, error);
    status = status ? status : check_rows(row_of, particles, s.rows, error);
    return status ? status : ooze_link_table_unpack(t, views, error);
}
