#include "methods/blend/regions.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/blend/regions_formula.h"

enum { GRAIN = 512 };

/* A particle to sort: the bytes of step, cell and id are its key. */
typedef struct Item {
    uint64_t id;
    uint32_t at[3]; /* cell, from the lowest: x, y, z */
    uint32_t step, index;
} Item;

void ooze_regions_free(OozeRegions *r)
{
    ooze_free(r->reference);
    ooze_free(r->region_of);
    ooze_free(r->share);
    ooze_free(r->cell);
    ooze_free(r->near);
    ooze_free(r->list_first);
    ooze_free(r->list);
    *r = (OozeRegions){0};
}

uint64_t ooze_regions_bytes(const OozeRegions *r)
{
    uint64_t slot =
        sizeof *r->reference + sizeof *r->region_of + sizeof *r->share + sizeof *r->list_first;
    uint64_t cell = sizeof *r->cell + OOZE_BLEND_NEAR * sizeof *r->near;
    return r->slot_room * slot + r->cell_room * cell + r->list_room * sizeof *r->list;
}

/* ---- sorting -------------------------------------------------------------------------------- */

/* Byte k of the key, the least significant first. */
static uint8_t key_byte(const Item *item, int k)
{
    if (k < 8) {
        return (uint8_t)(item->id >> (8 * k));
    }
    uint32_t word = k < 20 ? item->at[(k - 8) / 4] : item->step;
    return (uint8_t)(word >> (8 * (k % 4)));
}

enum { KEY_BYTES = 24 };

/* Radix sort; bytes that all keys share are skipped. Returns the array that holds the result. */
static Item *sort_items(Item *items, Item *other, uint64_t n)
{
    for (int k = 0; k < KEY_BYTES; k++) {
        uint64_t first[257] = {0};
        for (uint64_t i = 0; i < n; i++) {
            first[key_byte(&items[i], k) + 1]++;
        }
        if (first[key_byte(&items[0], k) + 1] == n) {
            continue;
        }
        for (int b = 0; b < 256; b++) {
            first[b + 1] += first[b];
        }
        for (uint64_t i = 0; i < n; i++) {
            other[first[key_byte(&items[i], k)]++] = items[i];
        }
        Item *sorted = other;
        other = items;
        items = sorted;
    }
    return items;
}

static int32_t cell_of(float q, double edge)
{
    return ooze_blend_cell((double)q, edge);
}

/* Items of the particles with a reference position; returns their number. */
static uint64_t list_items(const OozeRegionsInput *in, double edge, Item *items, int32_t low[3])
{
    uint64_t n = 0;
    low[0] = low[1] = low[2] = INT32_MAX;
    for (uint64_t i = 0; i < in->n; i++) {
        if (in->reference_step[i] == 0) {
            continue;
        }
        const OozeFloat4 *q = &in->reference[i];
        const int32_t at[3] = {cell_of(q->x, edge), cell_of(q->y, edge), cell_of(q->z, edge)};
        Item *item = &items[n++];
        *item = (Item){.id = in->id[i], .step = in->reference_step[i], .index = (uint32_t)i};
        for (int k = 0; k < 3; k++) {
            item->at[k] = (uint32_t)at[k];
            low[k] = at[k] < low[k] ? at[k] : low[k];
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            items[i].at[k] -= (uint32_t)low[k];
        }
    }
    return n;
}

/* ---- cells ---------------------------------------------------------------------------------- */

static bool same_cell(const Item *a, const Item *b)
{
    return a->step == b->step && memcmp(a->at, b->at, sizeof a->at) == 0;
}

static void near_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeRegions *r = data;
    for (uint64_t c = begin; c < end; c++) {
        for (int row = 0; row < 9; row++) {
            ooze_regions_find_near(r, c, row);
        }
    }
}

static uint64_t count_cells(const Item *items, uint64_t n)
{
    uint64_t cells = 0;
    for (uint64_t i = 0; i < n; i++) {
        cells += i == 0 || !same_cell(&items[i], &items[i - 1]);
    }
    return cells;
}

static void set_cells(OozeRegions *r, const Item *items, const int32_t low[3])
{
    uint64_t cells = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        if (i == 0 || !same_cell(&items[i], &items[i - 1])) {
            OozeRegionCell *cell = &r->cell[cells++];
            *cell = (OozeRegionCell){.step = items[i].step, .first = i};
            for (int k = 0; k < 3; k++) {
                cell->at[2 - k] = (int32_t)(items[i].at[k] + (uint32_t)low[k]);
            }
        }
    }
    r->cells = cells;
    for (uint64_t c = 0; c < cells; c++) {
        uint64_t end = c + 1 < cells ? r->cell[c + 1].first : r->n;
        for (uint64_t i = r->cell[c].first; i < end; i++) {
            r->region_of[i] = (uint32_t)(r->kind == OOZE_REGIONS_OF_CELLS ? c : i);
        }
    }
    r->cell[cells] = (OozeRegionCell){.first = r->n};
}

/* ---- memberships ---------------------------------------------------------------------------- */

static void share_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeRegions *r = data;
    for (uint64_t c = begin; c < end; c++) {
        for (uint64_t i = r->cell[c].first; i < r->cell[c + 1].first; i++) {
            r->share[i] = ooze_regions_cell_share(r, c, i);
        }
    }
}

/* Counts the slots within the radius of each slot of these cells, or writes them once list_first
   holds offsets. */
typedef struct ListJob {
    OozeRegions *regions;
    bool write;
} ListJob;

static void list_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const ListJob *job = data;
    OozeRegions *r = job->regions;
    for (uint64_t c = begin; c < end; c++) {
        for (uint64_t i = r->cell[c].first; i < r->cell[c + 1].first; i++) {
            uint32_t *list = job->write ? r->list + r->list_first[i] : NULL;
            uint64_t count = ooze_regions_list(r, c, i, list);
            if (!job->write) {
                r->list_first[i + 1] = count;
                r->share[i] = 1.0 / (double)count;
            }
        }
    }
}

static OozeStatus build_lists(OozeRegions *r, OozeThreads *threads, OozeError *error)
{
    ListJob job = {r, false};
    ooze_parallel_for(threads, r->cells, GRAIN / 16, list_range, &job);
    r->list_first[0] = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        r->list_first[i + 1] += r->list_first[i];
    }
    uint64_t entries = r->list_first[r->n];
    if (entries > r->list_room) {
        ooze_free(r->list);
        r->list = ooze_alloc(entries, sizeof *r->list);
        r->list_room = r->list ? entries : 0;
        if (!r->list) {
            return ooze_fail_memory(error, "regions of particles", entries * sizeof *r->list);
        }
    }
    job.write = true;
    ooze_parallel_for(threads, r->cells, GRAIN / 16, list_range, &job);
    return OOZE_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

static OozeStatus reserve_slots(OozeRegions *r, uint64_t n, OozeError *error)
{
    if (n <= r->slot_room && r->reference) {
        return OOZE_OK;
    }
    ooze_free(r->reference);
    ooze_free(r->region_of);
    ooze_free(r->share);
    ooze_free(r->list_first);
    r->reference = ooze_alloc(n, sizeof *r->reference);
    r->region_of = ooze_alloc(n, sizeof *r->region_of);
    r->share = ooze_alloc(n, sizeof *r->share);
    r->list_first = ooze_alloc(n + 1, sizeof *r->list_first);
    bool made = r->reference && r->region_of && r->share && r->list_first;
    r->slot_room = made ? n : 0;
    return made ? OOZE_OK : ooze_fail_memory(error, "slots of regions", n * 32);
}

static OozeStatus reserve_cells(OozeRegions *r, uint64_t cells, OozeError *error)
{
    if (cells <= r->cell_room && r->cell) {
        return OOZE_OK;
    }
    ooze_free(r->cell);
    ooze_free(r->near);
    r->cell = ooze_alloc(cells + 1, sizeof *r->cell);
    r->near = ooze_alloc(OOZE_BLEND_NEAR * cells, sizeof *r->near);
    r->cell_room = r->cell && r->near ? cells : 0;
    return r->cell && r->near
               ? OOZE_OK
               : ooze_fail_memory(error, "cells of regions", cells * sizeof *r->cell);
}

static OozeStatus fill(OozeRegions *r, OozeThreads *threads, const OozeRegionsInput *in,
                       Item *items[2], uint32_t *slot, OozeError *error)
{
    int32_t low[3];
    r->n = list_items(in, r->edge, items[0], low);
    const Item *sorted = r->n > 0 ? sort_items(items[0], items[1], r->n) : items[0];
    OozeStatus status = reserve_slots(r, r->n, error);
    status = status ? status : reserve_cells(r, count_cells(sorted, r->n), error);
    if (status) {
        return status;
    }
    for (uint64_t i = 0; i < in->n; i++) {
        slot[i] = OOZE_BLEND_SLOT_NONE;
    }
    for (uint64_t k = 0; k < r->n; k++) {
        slot[sorted[k].index] = (uint32_t)k;
        r->reference[k] = in->reference[sorted[k].index];
        r->reference[k].w = ooze_blend_shape_tag(sorted[k].step);
    }
    set_cells(r, sorted, low);
    ooze_parallel_for(threads, r->cells, GRAIN, near_range, r);
    if (r->kind == OOZE_REGIONS_OF_PARTICLES) {
        return build_lists(r, threads, error);
    }
    ooze_parallel_for(threads, r->cells, GRAIN / 16, share_range, r);
    return OOZE_OK;
}

OozeStatus ooze_regions_build(OozeRegions *r, OozeThreads *threads, const OozeRegionsInput *in,
                              uint32_t *slot, OozeError *error)
{
    Item *items[2] = {ooze_alloc(in->n, sizeof **items), ooze_alloc(in->n, sizeof **items)};
    r->kind = in->kind;
    r->radius = in->radius;
    r->edge = ooze_blend_edge(in->kind, in->radius);
    OozeStatus status = items[0] && items[1]
                            ? fill(r, threads, in, items, slot, error)
                            : ooze_fail_memory(error, "regions", in->n * 2 * sizeof **items);
    ooze_free(items[0]);
    ooze_free(items[1]);
    if (status) {
        r->n = r->cells = 0;
    }
    return status;
}
