#include "methods/springs/table.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

enum { COUNT, OTHER, REST };

const OozeFieldInfo ooze_spring_arrays[OOZE_SPRING_ARRAYS] = {
    [COUNT] = {"spring_count", OOZE_FIELD_UINT32, 1, 1, "", 0, true, "springs of each row"},
    [OTHER] = {"spring_other", OOZE_FIELD_UINT32, 1, 1, "", 0, true,
               "rows at their other end, row by row"},
    [REST] = {"spring_rest", OOZE_FIELD_FLOAT32, 1, 1, "m", 0, true, "their rest lengths"},
};

void ooze_spring_table_begin(OozeSpringTable *table)
{
    *table = (OozeSpringTable){0};
    table->rows[0].size = table->rows[1].size = sizeof(OozeLink);
}

void ooze_spring_table_free(OozeSpringTable *table)
{
    ooze_link_rows_free(&table->rows[0]);
    ooze_link_rows_free(&table->rows[1]);
    ooze_free(table->packed_other);
    ooze_free(table->packed_rest);
}

uint64_t ooze_spring_table_bytes(const OozeSpringTable *table)
{
    return ooze_link_rows_bytes(&table->rows[0]) + ooze_link_rows_bytes(&table->rows[1]) +
           table->packed_room * (sizeof(uint32_t) + sizeof(float));
}

void ooze_spring_table_clear(OozeSpringTable *table)
{
    table->rows[0].n = 0;
}

void ooze_spring_table_swap(OozeSpringTable *table)
{
    OozeLinkRows rows = table->rows[0];
    table->rows[0] = table->rows[1];
    table->rows[1] = rows;
}

OozeStatus ooze_spring_table_keep_part(OozeSpringTable *table, int part, int parts,
                                       OozeError *error)
{
    const uint64_t rows = table->rows[0].n, begin = rows * (uint64_t)part / (uint64_t)parts,
                   end = rows * ((uint64_t)part + 1) / (uint64_t)parts;
    return ooze_link_rows_keep(&table->rows[0], &table->rows[1], begin, end, error);
}

/* ---- saving ---------------------------------------------------------------------------------- */

static OozeStatus reserve_packed(OozeSpringTable *t, uint64_t springs, OozeError *error)
{
    if (springs <= t->packed_room && t->packed_other) {
        return OOZE_OK;
    }
    ooze_free(t->packed_other);
    ooze_free(t->packed_rest);
    t->packed_other = ooze_alloc(springs, sizeof *t->packed_other);
    t->packed_rest = ooze_alloc(springs, sizeof *t->packed_rest);
    t->packed_room = springs;
    if (!t->packed_other || !t->packed_rest) {
        ooze_free(t->packed_other);
        ooze_free(t->packed_rest);
        t->packed_other = NULL;
        t->packed_rest = NULL;
        t->packed_room = 0;
        return ooze_fail_memory(error, "springs of a frame", springs * sizeof(OozeLink));
    }
    return OOZE_OK;
}

OozeStatus ooze_spring_table_save(OozeSpringTable *t, OozeFieldView *views, OozeError *error)
{
    const OozeLinkRows *rows = &t->rows[0];
    uint64_t springs = 0, at = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        springs += rows->count[i];
    }
    OozeStatus status = reserve_packed(t, springs, error);
    if (status) {
        return status;
    }
    for (uint64_t i = 0; i < rows->n; i++) {
        const OozeLink *row = ooze_links_of(rows, i);
        for (uint32_t k = 0; k < rows->count[i]; k++, at++) {
            t->packed_other[at] = row[k].other;
            t->packed_rest[at] = row[k].rest;
        }
    }
    views[COUNT].count = rows->n;
    views[COUNT].data = rows->n ? (const void *)rows->count : t->packed_other;
    views[OTHER].count = views[REST].count = springs;
    views[OTHER].data = t->packed_other;
    views[REST].data = t->packed_rest;
    return OOZE_OK;
}

/* ---- restoring ------------------------------------------------------------------------------- */

static OozeStatus refuse_saved(OozeError *error, const char *what)
{
    return ooze_fail(error, OOZE_ERROR_FORMAT,
                     "resume with the scene and the version of Ooze that wrote the run",
                     "the saved springs are not sound: %s", what);
}

static OozeStatus check_springs(const OozeFieldView *const *views, OozeError *error)
{
    const uint32_t *count = views[COUNT]->data, *other = views[OTHER]->data;
    const float *rest = views[REST]->data;
    uint64_t rows = views[COUNT]->count, springs = views[OTHER]->count, at = 0;
    for (uint64_t i = 0; i < rows; i++) {
        if (count[i] > springs - at) {
            return refuse_saved(error, "rows have more of them than there are");
        }
        for (uint32_t k = 0; k < count[i]; k++, at++) {
            bool rises = k == 0 || other[at] > other[at - 1];
            if (!rises || other[at] == i || other[at] >= rows) {
                return refuse_saved(error, "one leads nowhere, or to an end it has already");
            }
            if (!(rest[at] > 0.0f) || !isfinite(rest[at])) {
                return refuse_saved(error, "a rest length is not a length");
            }
        }
    }
    return at == springs ? OOZE_OK : refuse_saved(error, "some belong to no row");
}

/* Two particles must not share a row. */
static OozeStatus check_rows(const uint32_t *row_of, uint64_t particles, uint64_t rows,
                             OozeError *error)
{
    bool valid = false;
    OozeStatus status = ooze_link_rows_check_owners(row_of, particles, rows, &valid, error);
    return status || valid
               ? status
               : refuse_saved(error, "two particles have the same, or one has none of them");
}

OozeStatus ooze_spring_table_unpack(OozeSpringTable *t, const OozeFieldView *const *views,
                                    OozeError *error)
{
    uint64_t rows = views[COUNT]->count, springs = views[OTHER]->count;
    if (views[REST]->count != springs || rows > OOZE_PARTICLES_MAX) {
        return refuse_saved(error, "its arrays do not belong together");
    }
    OozeStatus status = check_springs(views, error);
    status = status ? status : ooze_link_rows_reserve(&t->rows[1], rows, error);
    status = status ? status : ooze_link_items_reserve(&t->rows[1], springs, error);
    if (status) {
        return status;
    }
    const uint32_t *other = views[OTHER]->data;
    const float *rest = views[REST]->data;
    OozeLink *items = t->rows[1].items;
    if (rows > 0) {
        memcpy(t->rows[1].count, views[COUNT]->data, rows * sizeof *t->rows[1].count);
    }
    ooze_link_rows_offsets(&t->rows[1]);
    for (uint64_t k = 0; k < springs; k++) {
        items[k] = (OozeLink){other[k], rest[k]};
    }
    ooze_spring_table_swap(t);
    return OOZE_OK;
}

OozeStatus ooze_spring_table_restore(OozeSpringTable *t, const OozeFieldView *const *views,
                                     const uint32_t *row_of, uint64_t particles, OozeError *error)
{
    OozeStatus status = check_rows(row_of, particles, views[COUNT]->count, error);
    return status ? status : ooze_spring_table_unpack(t, views, error);
}
