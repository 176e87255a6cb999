/* Rows of links (or springs) on the device: see solvers/pairs/link_table.h. */
#ifndef OOZE_CUDA_LINK_ROWS_CUH
#define OOZE_CUDA_LINK_ROWS_CUH

#include "cuda/sort.cuh"

extern "C" {
#include "solvers/pairs/link_table.h"
}

namespace ooze
{

/* first[i] .. first[i] + count[i] of the items. Starts as zero. */
template <class Item> struct LinkRows {
    uint64_t n, item_count;
    DeviceBuffer first_buffer, count_buffer, item_buffer;
    uint64_t *first() const { return static_cast<uint64_t *>(first_buffer.memory); }
    uint32_t *count() const { return static_cast<uint32_t *>(count_buffer.memory); }
    Item *items() const { return static_cast<Item *>(item_buffer.memory); }
};

template <class Item> void rows_free(Gpu *gpu, LinkRows<Item> *rows)
{
    buffer_free(gpu, &rows->first_buffer);
    buffer_free(gpu, &rows->count_buffer);
    buffer_free(gpu, &rows->item_buffer);
}

/* Reserves offsets and counts of n rows. */
template <class Item> void rows_resize(Gpu *gpu, LinkRows<Item> *rows, uint64_t n)
{
    rows->n = n;
    buffer<uint64_t>(gpu, &rows->first_buffer, n);
    buffer<uint32_t>(gpu, &rows->count_buffer, n);
}

/* Sets the offsets of the rows from their counts. Waits for the sum. */
template <class Item> void rows_lay_out(Gpu *gpu, LinkRows<Item> *rows)
{
    running_sum(gpu, rows->count(), rows->first(), rows->n);
    copy_out(gpu, &rows->item_count, rows->first() + rows->n, sizeof rows->item_count);
    if (gpu->failed == cudaSuccess) {
        buffer<Item>(gpu, &rows->item_buffer, rows->item_count);
    }
}

template <class Item> void rows_swap(LinkRows<Item> rows[2])
{
    LinkRows<Item> old = rows[0];
    rows[0] = rows[1];
    rows[1] = old;
}

/* new_of_old[r]: the particle whose old row is r, from old_row (per particle); `missing` if
   none. */
static inline uint32_t *rows_map(Gpu *gpu, const uint32_t *old_row, uint32_t n, uint32_t missing,
                                 uint64_t old)
{
    uint32_t *new_of_old = scratch<uint32_t>(gpu, old);
    for_each(
        gpu, old, OOZE_BODY(uint32_t k) { new_of_old[k] = missing; });
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            if (old_row[i] != OOZE_LINK_ROW_NONE) {
                new_of_old[old_row[i]] = i;
            }
        });
    return new_of_old;
}

/* Adds a link to `count` links that are sorted by `other`. Rows are almost in order. */
OOZE_DEVICE void row_insert(OozeLink *row, uint32_t count, OozeLink link)
{
    uint32_t at = count;
    for (; at > 0 && row[at - 1].other > link.other; at--) {
        row[at] = row[at - 1];
    }
    row[at] = link;
}

/* ---- frames: rows are copied, and packed and unpacked on the host ---- */

template <class Item>
OozeStatus rows_download(Gpu *gpu, const LinkRows<Item> *rows, OozeLinkRows *to, OozeError *error)
{
    OozeStatus result = ooze_link_rows_reserve(to, rows->n, error);
    uint64_t items = rows->n ? rows->item_count : 0;
    result = result ? result : ooze_link_items_reserve(to, items, error);
    if (!result && rows->n > 0) {
        copy_out(gpu, to->first, rows->first(), rows->n * sizeof *to->first);
        copy_out(gpu, to->count, rows->count(), rows->n * sizeof *to->count);
        copy_out(gpu, to->items, rows->items(), items * sizeof(Item));
    }
    return result;
}

/* `from` must not change until the copies are done: see gpu_wait. */
template <class Item> void rows_upload(Gpu *gpu, LinkRows<Item> *rows, const OozeLinkRows *from)
{
    rows->n = from->n;
    rows->item_count = 0;
    for (uint64_t i = 0; i < from->n; i++) {
        uint64_t end = from->first[i] + from->count[i];
        rows->item_count = end > rows->item_count ? end : rows->item_count;
    }
    uint64_t *first = buffer<uint64_t>(gpu, &rows->first_buffer, from->n);
    uint32_t *count = buffer<uint32_t>(gpu, &rows->count_buffer, from->n);
    Item *items = buffer<Item>(gpu, &rows->item_buffer, rows->item_count);
    if (gpu->failed == cudaSuccess) {
        copy_in(gpu, first, from->first, from->n * sizeof *first);
        copy_in(gpu, count, from->count, from->n * sizeof *count);
        copy_in(gpu, items, from->items, rows->item_count * sizeof(Item));
    }
}

} // namespace ooze

#endif
