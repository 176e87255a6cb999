/* Rows of links (or springs) of several ranks: see solvers/pairs/rank_rows.h. Between steps each
   rank has a contiguous range of the rows of all ranks, and links name rows by their numbers in
   all. Only rows that other ranks need travel: they are written behind those of the table. */
#ifndef OOZE_CUDA_RANK_ROWS_CUH
#define OOZE_CUDA_RANK_ROWS_CUH

#include "cuda/link_rows.cuh"
#include "cuda/rank_order.cuh"

namespace ooze
{

/* Where in a table rows are. Captured by loop bodies. */
struct RowPlaces {
    uint64_t *first;
    uint32_t *count;
};

/* Who reads which rows of which rank, without those that a rank has itself. Memory of the step. */
struct RowReaders {
    uint64_t first, own, all; /* rows of the ranks before this one, its own, of all */
    OozeMessagePlan serve;    /* rows to those that read them */
    const uint32_t *served;   /* own rows in messages, without `first` */
    const uint32_t *reader;   /* per row that comes: the element of `wanted` that it is for */
    __device__ bool has(uint32_t row) const { return row - (uint32_t)first < (uint32_t)own; }
};

/* `wanted`: numbers of `count` rows of all ranks, OOZE_LINK_ROW_NONE: none; the rank has `own`
   rows. Waits. */
OozeStatus row_readers_find(Gpu *gpu, OozeArena *arena, const uint32_t *wanted, uint64_t count,
                            uint64_t own, RowReaders *readers, OozeError *error);

/* The plan of the items of rows: `sent` and `received` are where those of each row begin. Waits.
   False: out of memory. */
bool plan_items(Gpu *gpu, OozeArena *arena, const OozeMessagePlan &rows, const uint64_t *sent,
                const uint64_t *received, OozeMessagePlan *items);

/* Sends the rows `sent` of a table, as `plan` says, and writes those that come behind all others;
   returns where these are, in the order of messages. Waits. */
template <class Item>
RowPlaces rows_exchange(Gpu *gpu, OozeArena *arena, LinkRows<Item> *rows,
                        const OozeMessagePlan &plan, const uint32_t *sent)
{
    const uint64_t out = ooze_message_plan_sent(&plan), in = ooze_message_plan_received(&plan);
    const RowPlaces came = {scratch<uint64_t>(gpu, in), scratch<uint32_t>(gpu, in)};
    uint32_t *count = scratch<uint32_t>(gpu, out);
    uint64_t *at = scratch<uint64_t>(gpu, out);
    const uint64_t *first_of_row = rows->first();
    const uint32_t *count_of_row = rows->count();
    for_each(
        gpu, out, OOZE_BODY(uint32_t e) { count[e] = count_of_row[sent[e]]; });
    exchange_elements(gpu, plan, count, came.count, sizeof *count);
    running_sum(gpu, count, at, out);
    running_sum(gpu, came.count, came.first, in);
    OozeMessagePlan items;
    if (!plan_items(gpu, arena, plan, at, came.first, &items)) {
        return came;
    }
    Item *packed = scratch<Item>(gpu, ooze_message_plan_sent(&items));
    const Item *from = rows->items();
    for_each(
        gpu, out, OOZE_BODY(uint32_t e) {
            for (uint32_t k = 0; k < count[e]; k++) {
                packed[at[e] + k] = from[first_of_row[sent[e]] + k];
            }
        });
    const uint64_t begin = rows->item_count;
    rows->item_count += ooze_message_plan_received(&items);
    Item *to = buffer<Item>(gpu, &rows->item_buffer, rows->item_count, begin);
    exchange_elements(gpu, items, packed, to ? to + begin : nullptr, sizeof(Item));
    for_each(
        gpu, in, OOZE_BODY(uint32_t e) { came.first[e] += begin; });
    return came;
}

/* The rows of n particles, of which `wanted` and `readers` are the own ones; others have none. */
template <class Item>
RowPlaces rows_of_particles(Gpu *gpu, OozeArena *arena, LinkRows<Item> *rows,
                            const RowReaders &readers, const uint32_t *wanted, OwnRange own,
                            uint64_t n)
{
    const RowPlaces places = {scratch<uint64_t>(gpu, n), scratch<uint32_t>(gpu, n)};
    const RowPlaces came = rows_exchange(gpu, arena, rows, readers.serve, readers.served);
    const uint64_t *first = rows->first();
    const uint32_t *count = rows->count();
    const RowReaders r = readers;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            const uint32_t row = own.has(i) ? wanted[i - own.begin] : OOZE_LINK_ROW_NONE;
            const bool has = row != OOZE_LINK_ROW_NONE && r.has(row);
            places.first[i] = has ? first[row - r.first] : 0;
            places.count[i] = has ? count[row - r.first] : 0;
        });
    for_each(
        gpu, ooze_message_plan_received(&readers.serve), OOZE_BODY(uint32_t e) {
            places.first[own.begin + r.reader[e]] = came.first[e];
            places.count[own.begin + r.reader[e]] = came.count[e];
        });
    return places;
}

/* The table becomes that of n rows at these places. */
template <class Item>
void rows_replace(Gpu *gpu, LinkRows<Item> *rows, uint64_t n, const RowPlaces &places)
{
    rows_resize(gpu, rows, n);
    copy(gpu, rows->first(), places.first, n * sizeof *places.first);
    copy(gpu, rows->count(), places.count, n * sizeof *places.count);
}

/* Back: the table becomes that of the range of rows of this rank, from one with a row for each
   sorted particle of the store. */
template <class Item>
void rows_return(Gpu *gpu, OozeArena *arena, LinkRows<Item> *rows, const RankOrder *order)
{
    const OozeSplit *split = &order->split;
    const int me = split->ranks->rank;
    const uint64_t below = split->send[me], stay = split->send[me + 1] - below;
    const uint64_t came_below = split->receive[me];
    const uint32_t *list = order->own, *place = order->place;
    uint32_t *sent = scratch<uint32_t>(gpu, ooze_message_plan_sent(&order->plan));
    for_each(
        gpu, ooze_message_plan_sent(&order->plan),
        OOZE_BODY(uint32_t e) { sent[e] = list[e < below ? e : e + stay]; });
    const RowPlaces came = rows_exchange(gpu, arena, rows, order->plan, sent);
    const RowPlaces all = {scratch<uint64_t>(gpu, split->after),
                           scratch<uint32_t>(gpu, split->after)};
    const uint64_t *first = rows->first();
    const uint32_t *count = rows->count();
    for_each(
        gpu, split->after, OOZE_BODY(uint32_t m) {
            const bool stays = m - came_below < stay;
            const uint64_t from = stays            ? list[below + (m - came_below)]
                                  : m < came_below ? m
                                                   : m - stay;
            all.first[place[m]] = stays ? first[from] : came.first[from];
            all.count[place[m]] = stays ? count[from] : came.count[from];
        });
    rows_replace(gpu, rows, split->after, all);
}

/* Asks for particles to become ghosts in a repetition of this substep. `present`: per row of all
   ranks, the particle of the store that has it, n: none. Particle i asks for the other ends of its
   links, `rows`, that are not present, where asks[i] != 0. True: the substep is to be repeated. A
   repetition asks for none, since what it lacks is nowhere. Waits. */
bool ask_for_ends(Gpu *gpu, OozeArena *arena, const uint8_t *asks, const RowPlaces &rows,
                  const OozeLink *links, const uint32_t *present, uint64_t n);

} // namespace ooze

#endif
