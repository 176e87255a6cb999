#include "solvers/pairs/rank_rows.h"

#include <string.h>

#include "base/fail.h"
#include "base/search.h"

static OozeStatus fail(OozeError *error, uint64_t bytes)
{
    return ooze_fail_memory(error, "links of other processes", bytes);
}

/* ---- who reads which rows ---- */

static int owner_of(const OozeRankRows *rows, uint32_t row)
{
    return ooze_part_of(rows->at, rows->ranks->count, row);
}

/* Places of the wanted rows in messages: rank by rank, and in their order. */
static void group_by_owner(OozeRankRows *rows)
{
    int ranks = rows->ranks->count;
    uint64_t *next = rows->bytes;
    memset(rows->read_at, 0, ((size_t)ranks + 1) * sizeof *rows->read_at);
    for (uint64_t k = 0; k < rows->count; k++) {
        if (rows->wanted[k] != OOZE_LINK_ROW_NONE) {
            rows->read_at[owner_of(rows, rows->wanted[k]) + 1]++;
        }
    }
    for (int r = 0; r < ranks; r++) {
        rows->read_at[r + 1] += rows->read_at[r];
        next[r] = rows->read_at[r];
    }
    for (uint64_t k = 0; k < rows->count; k++) {
        bool is_row = rows->wanted[k] != OOZE_LINK_ROW_NONE;
        rows->slot[k] =
            is_row ? (uint32_t)next[owner_of(rows, rows->wanted[k])]++ : OOZE_LINK_ROW_NONE;
    }
}

static void exchange(OozeRankRows *rows, const void *from, const uint64_t *from_at, void *to,
                     const uint64_t *to_at, size_t size)
{
    int ranks = rows->ranks->count;
    uint64_t *send = rows->bytes, *receive = send + ranks + 1;
    for (int r = 0; r <= ranks; r++) {
        send[r] = from_at[r] * size;
        receive[r] = to_at[r] * size;
    }
    rows->ranks->exchange(rows->ranks, from, send, to, receive);
}

OozeStatus ooze_rank_rows_find(OozeRankRows *rows, const OozeStepContext *c, uint64_t n,
                               const uint32_t *wanted, uint64_t count, OozeError *error)
{
    OozeRanks *ranks = ooze_halo_ranks(c->halo);
    uint64_t size = (uint64_t)ranks->count + 1;
    *rows =
        (OozeRankRows){.ranks = ranks, .arena = c->arena, .n = n, .wanted = wanted, .count = count};
    rows->at = ooze_arena_alloc(c->arena, 5 * size, sizeof *rows->at);
    rows->slot = ooze_arena_alloc(c->arena, count, sizeof *rows->slot);
    uint32_t *asked = ooze_arena_alloc(c->arena, count, sizeof *asked);
    if (ooze_arena_failed(c->arena)) {
        return fail(error, count * 2 * sizeof *asked);
    }
    rows->read_at = rows->at + size;
    rows->serve_at = rows->read_at + size;
    rows->bytes = rows->serve_at + size;
    ranks->gather(ranks, &n, sizeof n, rows->at + 1);
    rows->at[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        rows->at[r + 1] += rows->at[r];
    }
    rows->first = rows->at[ranks->rank];
    group_by_owner(rows);
    ooze_split_receipts(ranks, rows->read_at, rows->bytes, rows->serve_at);
    uint64_t served = rows->serve_at[ranks->count];
    rows->serve = ooze_arena_alloc(c->arena, served, sizeof *rows->serve);
    if (!rows->serve) {
        return fail(error, served * sizeof *rows->serve);
    }
    for (uint64_t k = 0; k < count; k++) {
        if (rows->slot[k] != OOZE_LINK_ROW_NONE) {
            asked[rows->slot[k]] = wanted[k];
        }
    }
    exchange(rows, asked, rows->read_at, rows->serve, rows->serve_at, sizeof *asked);
    for (uint64_t k = 0; k < served; k++) {
        rows->serve[k] -= (uint32_t)rows->first;
    }
    return OOZE_OK;
}

/* ---- elements ---- */

/* Elements of own rows to the ranks that read them: element k of `to` is that of row wanted[k]. */
static OozeStatus fetch(OozeRankRows *rows, const void *from, void *to, size_t size,
                        OozeError *error)
{
    uint64_t served = rows->serve_at[rows->ranks->count], read = rows->read_at[rows->ranks->count];
    OozeArenaMark mark = ooze_arena_mark(rows->arena);
    char *send = ooze_arena_alloc(rows->arena, served, size);
    char *received = ooze_arena_alloc(rows->arena, read, size);
    if (!send || !received) {
        return fail(error, (served + read) * size);
    }
    for (uint64_t k = 0; k < served; k++) {
        memcpy(send + k * size, (const char *)from + rows->serve[k] * size, size);
    }
    exchange(rows, send, rows->serve_at, received, rows->read_at, size);
    for (uint64_t k = 0; k < rows->count; k++) {
        if (rows->slot[k] != OOZE_LINK_ROW_NONE) {
            memcpy((char *)to + k * size, received + rows->slot[k] * size, size);
        }
    }
    ooze_arena_rewind(rows->arena, mark);
    return OOZE_OK;
}

/* The other direction: element k of `from` goes to row wanted[k]. */
static OozeStatus give(OozeRankRows *rows, const void *from, void *to, size_t size,
                       OozeError *error)
{
    uint64_t served = rows->serve_at[rows->ranks->count], read = rows->read_at[rows->ranks->count];
    OozeArenaMark mark = ooze_arena_mark(rows->arena);
    char *send = ooze_arena_alloc(rows->arena, read, size);
    char *received = ooze_arena_alloc(rows->arena, served, size);
    if (!send || !received) {
        return fail(error, (served + read) * size);
    }
    for (uint64_t k = 0; k < rows->count; k++) {
        if (rows->slot[k] != OOZE_LINK_ROW_NONE) {
            memcpy(send + rows->slot[k] * size, (const char *)from + k * size, size);
        }
    }
    exchange(rows, send, rows->read_at, received, rows->serve_at, size);
    for (uint64_t k = 0; k < served; k++) {
        memcpy((char *)to + rows->serve[k] * size, received + k * size, size);
    }
    ooze_arena_rewind(rows->arena, mark);
    return OOZE_OK;
}

/* ---- rows of items ---- */

/* The messages of rows of items: where those of each rank begin, in items. */
typedef struct ItemMessages {
    uint64_t *send_at, *read_at; /* per rank and one more */
    uint64_t *first;             /* per row that is read, in the order of messages, and one more */
    char *sent, *received;
} ItemMessages;

static uint64_t count_sent(const OozeRankRows *rows, const OozeLinkRows *from, uint64_t *send_at)
{
    uint64_t items = 0;
    for (int r = 0; r < rows->ranks->count; r++) {
        send_at[r] = items;
        for (uint64_t k = rows->serve_at[r]; k < rows->serve_at[r + 1]; k++) {
            items += from->count[rows->serve[k]];
        }
    }
    return send_at[rows->ranks->count] = items;
}

static uint64_t count_read(const OozeRankRows *rows, const uint32_t *count, ItemMessages *m)
{
    uint64_t items = 0, read = rows->read_at[rows->ranks->count];
    memset(m->first, 0, (read + 1) * sizeof *m->first);
    for (uint64_t k = 0; k < rows->count; k++) {
        if (rows->slot[k] != OOZE_LINK_ROW_NONE) {
            m->first[rows->slot[k]] = count[k];
        }
    }
    for (uint64_t k = 0; k <= read; k++) {
        uint64_t own = m->first[k];
        m->first[k] = items;
        items += own;
    }
    for (int r = 0; r <= rows->ranks->count; r++) {
        m->read_at[r] = m->first[rows->read_at[r]];
    }
    return items;
}

static OozeStatus begin_messages(const OozeRankRows *rows, const OozeLinkRows *from,
                                 const OozeLinkRows *to, ItemMessages *m, OozeError *error)
{
    OozeArena *arena = rows->arena;
    uint64_t size = (uint64_t)rows->ranks->count + 1;
    m->send_at = ooze_arena_alloc(arena, 2 * size, sizeof *m->send_at);
    m->first = ooze_arena_alloc(arena, rows->read_at[size - 1] + 1, sizeof *m->first);
    if (ooze_arena_failed(arena)) {
        return fail(error, 0);
    }
    m->read_at = m->send_at + size;
    uint64_t sent = count_sent(rows, from, m->send_at), read = count_read(rows, to->count, m);
    m->sent = ooze_arena_alloc(arena, sent, from->size);
    m->received = ooze_arena_alloc(arena, read, from->size);
    return ooze_arena_failed(arena) ? fail(error, (sent + read) * from->size) : OOZE_OK;
}

static const char *items_of(const OozeLinkRows *rows, uint64_t row)
{
    return (const char *)rows->items + rows->first[row] * rows->size;
}

/* Offsets of rows that begin at multiples of `pad`; returns the number of items with padding. */
static uint64_t pad_offsets(OozeLinkRows *rows, uint32_t pad)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        rows->first[i] = at;
        at += (rows->count[i] + pad - 1) / pad * pad;
    }
    return at;
}

OozeStatus ooze_rank_rows_fetch_items(OozeRankRows *rows, const OozeLinkRows *from,
                                      OozeLinkRows *to, uint32_t pad, OozeError *error)
{
    size_t size = from->size;
    OozeArenaMark mark = ooze_arena_mark(rows->arena);
    ItemMessages m = {0};
    OozeStatus status = ooze_link_rows_reserve(to, rows->count, error);
    if (status) {
        return status;
    }
    memset(to->count, 0, rows->count * sizeof *to->count);
    status = fetch(rows, from->count, to->count, sizeof *to->count, error);
    status = status ? status : begin_messages(rows, from, to, &m, error);
    status = status ? status : ooze_link_items_reserve(to, pad_offsets(to, pad), error);
    if (status) {
        return status;
    }
    char *next = m.sent;
    for (uint64_t k = 0; k < rows->serve_at[rows->ranks->count]; k++) {
        size_t bytes = from->count[rows->serve[k]] * size;
        if (bytes > 0) {
            memcpy(next, items_of(from, rows->serve[k]), bytes);
        }
        next += bytes;
    }
    exchange(rows, m.sent, m.send_at, m.received, m.read_at, size);
    for (uint64_t k = 0; k < rows->count; k++) {
        if (to->count[k] > 0) {
            memcpy((char *)to->items + to->first[k] * size,
                   m.received + m.first[rows->slot[k]] * size, to->count[k] * size);
        }
    }
    ooze_arena_rewind(rows->arena, mark);
    return OOZE_OK;
}

/* ---- links that follow particles ---- */

/* Other ends in rows of other ranks, in the order of the rows; `other` NULL: only counts. */
static uint64_t list_others(const OozeRankRows *plan, const OozeLinkRows *rows, uint32_t *other)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        const OozeLink *row = ooze_links_of(rows, i);
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            if (row[k].other - plan->first >= plan->n) {
                if (other) {
                    other[count] = row[k].other;
                }
                count++;
            }
        }
    }
    return count;
}

/* Names the other ends by their new numbers, and removes links to those that have none. */
static void rename_others(const OozeRankRows *plan, OozeLinkRows *rows, const uint32_t *own,
                          const uint32_t *others)
{
    for (uint64_t i = 0; i < rows->n; i++) {
        OozeLink *row = ooze_links_of(rows, i);
        uint32_t kept = 0;
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            uint64_t at = row[k].other - plan->first;
            uint32_t number = at < plan->n ? own[at] : *others++;
            if (number != OOZE_LINK_ROW_NONE) {
                row[kept++] = (OozeLink){number, row[k].rest};
            }
        }
        rows->count[i] = kept;
    }
}

OozeStatus ooze_rank_rows_follow(OozeRankRows *plan, const OozeStepContext *c, OozeLinkRows *from,
                                 OozeLinkRows *to, uint32_t pad, OozeError *error)
{
    OozeArena *arena = c->arena;
    uint64_t count = list_others(plan, from, NULL);
    uint32_t *number = ooze_arena_alloc(arena, plan->count, sizeof *number);
    uint32_t *own = ooze_arena_alloc(arena, from->n, sizeof *own);
    uint32_t *other = ooze_arena_alloc(arena, count, sizeof *other);
    uint32_t *renamed = ooze_arena_alloc(arena, count, sizeof *renamed);
    if (ooze_arena_failed(arena)) {
        return fail(error, count * 2 * sizeof *other);
    }
    for (uint64_t i = 0; i < plan->count; i++) {
        number[i] = (uint32_t)ooze_halo_index(c->halo, i);
    }
    memset(own, 0xff, from->n * sizeof *own); /* OOZE_LINK_ROW_NONE */
    list_others(plan, from, other);
    OozeRankRows others;
    OozeStatus status = give(plan, number, own, sizeof *own, error);
    status = status ? status : ooze_rank_rows_find(&others, c, from->n, other, count, error);
    status = status ? status : fetch(&others, own, renamed, sizeof *own, error);
    if (!status) {
        rename_others(plan, from, own, renamed);
        status = ooze_rank_rows_fetch_items(plan, from, to, pad, error);
    }
    return status;
}

OozeStatus ooze_rank_rows_localize(const OozeStepContext *c, OozeLinkRows *rows, OozeError *error)
{
    uint64_t count = 0, n = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        count += rows->count[i];
    }
    OozeArenaMark mark = ooze_arena_mark(c->arena);
    uint64_t *wanted = ooze_arena_alloc(c->arena, count, sizeof *wanted);
    if (!wanted) {
        return fail(error, count * sizeof *wanted);
    }
    for (uint64_t i = 0; i < rows->n; i++) {
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            wanted[n++] = ooze_links_of(rows, i)[k].other;
        }
    }
    OozeStatus status = ooze_halo_add(c->halo, wanted, count, error);
    for (uint64_t i = 0; i < rows->n && !status; i++) {
        OozeLink *row = ooze_links_of(rows, i);
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            row[k].other = (uint32_t)ooze_halo_find_index(c->halo, row[k].other);
        }
    }
    ooze_arena_rewind(c->arena, mark);
    return status;
}
