#include "particles/candidates.h"

#include <math.h>
#include <string.h>

enum { BYTES = 18, LANES = OOZE_WIDE_LANES, BLOCK = OOZE_WIDE_BLOCK };
enum { LANE_BITS = (1 << LANES) - 1 };

void ooze_candidates_free(OozeCandidates *candidates)
{
    ooze_free(candidates->x);
    *candidates = (OozeCandidates){0};
}

uint64_t ooze_candidates_bytes(const OozeCandidates *candidates)
{
    return candidates->room * BYTES;
}

bool ooze_candidates_reserve(OozeCandidates *candidates, uint64_t wanted)
{
    if (wanted <= candidates->room) {
        return true;
    }
    uint64_t room = (wanted + 63) / 64 * 64;
    float *block = ooze_alloc_zero(room, BYTES);
    if (!block) {
        return false;
    }
    ooze_free(candidates->x);
    candidates->room = room;
    candidates->x = block;
    candidates->y = block + room;
    candidates->z = block + 2 * room;
    candidates->index = (uint32_t *)(block + 3 * room);
    candidates->bits = candidates->index + room;
    return true;
}

static void fill_block(OozeCandidates *candidates, uint64_t count)
{
    candidates->count = count;
    candidates->used = (count + BLOCK - 1) / BLOCK * BLOCK;
    for (uint64_t i = count; i < candidates->used; i++) {
        candidates->x[i] = INFINITY;
    }
}

/* ---- gathering: copy the runs, mark what is within reach, keep that. Three plain loops beat one,
   in which the way from mark to place would be waited for again and again. ---- */

static inline void copy_lanes(const OozeCandidates *to, const OozeFloat4 *from, uint64_t index,
                              uint64_t at)
{
    OozeWide p[3];
    ooze_wide_split(&from->x, p);
    ooze_wide_store(p[0], to->x + at);
    ooze_wide_store(p[1], to->y + at);
    ooze_wide_store(p[2], to->z + at);
    ooze_wide_store_uint(ooze_wide_count_from((uint32_t)index), to->index + at);
}

/* Copies whole lanes; what is too much is overwritten by what follows. */
static void copy_runs(OozeCandidates *candidates, const OozeFloat4 *all, uint64_t n,
                      const OozeGridRun *runs, int run_count)
{
    const OozeCandidates to = *candidates; /* a copy that no store can change */
    uint64_t at = 0;
    for (int r = 0; r < run_count; r++) {
        uint64_t i = runs[r].begin, end = runs[r].end, count = end - i;
        uint64_t inside = end + LANES <= n ? end : i + count / LANES * LANES;
        uint64_t k = at;
        for (; i < inside; i += LANES, k += LANES) {
            copy_lanes(&to, all + i, i, k);
        }
        if (i < end) { /* the end of the array: do not read beyond it */
            OozeFloat4 last[LANES] = {{0}};
            memcpy(last, all + i, (end - i) * sizeof *last);
            copy_lanes(&to, last, i, k);
        }
        at += count;
    }
    fill_block(candidates, at);
}

/* Distances from the box, in the very operations of the test for neighbours. Rounding never changes
   the order of two numbers, so no point of the box is nearer than this says: what is left out here
   would fail the test for every point of the group. */
static void mark_reach(const OozeCandidates *candidates, const float low[3], const float high[3],
                       float radius)
{
    const OozeWide limit = ooze_wide_splat(radius * radius);
    const OozeWide low_x = ooze_wide_splat(low[0]), high_x = ooze_wide_splat(high[0]);
    const OozeWide low_y = ooze_wide_splat(low[1]), high_y = ooze_wide_splat(high[1]);
    const OozeWide low_z = ooze_wide_splat(low[2]), high_z = ooze_wide_splat(high[2]);
    const float *x = candidates->x, *y = candidates->y, *z = candidates->z;
    uint32_t *bits = candidates->bits;
    const uint64_t used = candidates->used;
    for (uint64_t k = 0; k < used; k += BLOCK) {
        OozeWideMask near[BLOCK / LANES];
        for (int i = 0; i < BLOCK / LANES; i++) {
            OozeWide dx = ooze_wide_load(x + k + i * LANES);
            OozeWide dy = ooze_wide_load(y + k + i * LANES);
            OozeWide dz = ooze_wide_load(z + k + i * LANES);
            dx -= ooze_wide_min(ooze_wide_max(dx, low_x), high_x);
            dy -= ooze_wide_min(ooze_wide_max(dy, low_y), high_y);
            dz -= ooze_wide_min(ooze_wide_max(dz, low_z), high_z);
            near[i] = dx * dx + dy * dy + dz * dz < limit;
        }
        bits[k / BLOCK] = ooze_wide_block_bits(near);
    }
}

/* In place: what is written never lies beyond what has been read. */
static void keep_marked(OozeCandidates *candidates, const OozeWideCompact *table)
{
    const OozeCandidates here = *candidates;
    uint64_t at = 0;
    for (uint64_t k = 0; k < here.used; k += BLOCK) {
        const uint32_t bits = here.bits[k / BLOCK];
        for (int i = 0; i < BLOCK / LANES; i++) {
            uint32_t some = bits >> (i * LANES) & LANE_BITS;
            uint64_t from = k + (uint64_t)(i * LANES);
            OozeWideUint x = (OozeWideUint)ooze_wide_load(here.x + from);
            OozeWideUint y = (OozeWideUint)ooze_wide_load(here.y + from);
            OozeWideUint z = (OozeWideUint)ooze_wide_load(here.z + from);
            OozeWideUint index = ooze_wide_load_uint(here.index + from);
            ooze_wide_compact(table, some, x, (uint32_t *)(here.x + at));
            ooze_wide_compact(table, some, y, (uint32_t *)(here.y + at));
            ooze_wide_compact(table, some, z, (uint32_t *)(here.z + at));
            ooze_wide_compact(table, some, index, here.index + at);
            at += ooze_wide_count(table, some);
        }
    }
    fill_block(candidates, at);
}

bool ooze_candidates_gather(OozeCandidates *candidates, const OozeWideCompact *table,
                            const OozeFloat4 *all, uint64_t n, const OozeGridRun *runs,
                            int run_count, const float low[3], const float high[3], float radius)
{
    uint64_t wanted = LANES + BLOCK;
    for (int r = 0; r < run_count; r++) {
        wanted += runs[r].end - runs[r].begin;
    }
    if (wanted > candidates->room && !ooze_candidates_reserve(candidates, wanted + wanted / 2)) {
        return false;
    }
    copy_runs(candidates, all, n, runs, run_count);
    if (low) {
        mark_reach(candidates, low, high, radius);
        keep_marked(candidates, table);
    }
    return true;
}

uint64_t ooze_candidates_find(const OozeCandidates *candidates, uint32_t index)
{
    uint64_t low = 0, size = candidates->count;
    while (size > 0) {
        uint64_t half = size / 2;
        low += candidates->index[low + half] < index ? size - half : 0;
        size = half;
    }
    return low < candidates->count && candidates->index[low] == index ? low : UINT64_MAX;
}

/* ---- selecting ---- */

/* As ooze_periodic_delta, which it equals bit for bit. */
static OozeWide nearest_image(OozeWide delta, float length, float inverse)
{
    return delta - ooze_wide_rint(delta * inverse) * length;
}

static void mark(const OozeCandidates *candidates, OozeFloat4 p, float radius)
{
    const OozeWide px = ooze_wide_splat(p.x), py = ooze_wide_splat(p.y), pz = ooze_wide_splat(p.z);
    const OozeWide limit = ooze_wide_splat(radius * radius);
    const float *x = candidates->x, *y = candidates->y, *z = candidates->z;
    uint32_t *bits = candidates->bits;
    const uint64_t used = candidates->used;
    for (uint64_t k = 0; k < used; k += BLOCK) {
        OozeWideMask near[BLOCK / LANES];
        for (int i = 0; i < BLOCK / LANES; i++) {
            OozeWide dx = px - ooze_wide_load(x + k + i * LANES);
            OozeWide dy = py - ooze_wide_load(y + k + i * LANES);
            OozeWide dz = pz - ooze_wide_load(z + k + i * LANES);
            near[i] = dx * dx + dy * dy + dz * dz < limit;
        }
        bits[k / BLOCK] = ooze_wide_block_bits(near);
    }
}

static void mark_images(const OozeCandidates *candidates, OozeFloat4 p, float radius,
                        OozePeriodic wrap)
{
    const OozeWide px = ooze_wide_splat(p.x), py = ooze_wide_splat(p.y), pz = ooze_wide_splat(p.z);
    const OozeWide limit = ooze_wide_splat(radius * radius);
    const float *x = candidates->x, *y = candidates->y, *z = candidates->z;
    uint32_t *bits = candidates->bits;
    const uint64_t used = candidates->used;
    for (uint64_t k = 0; k < used; k += BLOCK) {
        OozeWideMask near[BLOCK / LANES];
        for (int i = 0; i < BLOCK / LANES; i++) {
            OozeWide dx = px - ooze_wide_load(x + k + i * LANES);
            OozeWide dy = py - ooze_wide_load(y + k + i * LANES);
            OozeWide dz = pz - ooze_wide_load(z + k + i * LANES);
            dx = nearest_image(dx, wrap.length[0], wrap.inverse[0]);
            dy = nearest_image(dy, wrap.length[1], wrap.inverse[1]);
            dz = nearest_image(dz, wrap.length[2], wrap.inverse[2]);
            near[i] = dx * dx + dy * dy + dz * dz < limit;
        }
        bits[k / BLOCK] = ooze_wide_block_bits(near);
    }
}

/* Two loops, one that computes bits and one that moves indices, beat one that does both. */
uint32_t ooze_candidates_select(const OozeCandidates *candidates, const OozeWideCompact *table,
                                OozeFloat4 p, float radius, const OozePeriodic *wrap, uint64_t self,
                                uint32_t *to)
{
    if (wrap) {
        mark_images(candidates, p, radius, *wrap);
    } else {
        mark(candidates, p, radius);
    }
    if (self < candidates->used) {
        candidates->bits[self / BLOCK] &= ~(1u << self % BLOCK);
    }
    const OozeCandidates here = *candidates;
    uint32_t *at = to;
    for (uint64_t k = 0; k < here.used; k += BLOCK) {
        const uint32_t bits = here.bits[k / BLOCK];
        for (int i = 0; i < BLOCK / LANES; i++) {
            uint32_t some = bits >> (i * LANES) & LANE_BITS;
            ooze_wide_compact(table, some, ooze_wide_load_uint(here.index + k + i * LANES), at);
            at += ooze_wide_count(table, some);
        }
    }
    return (uint32_t)(at - to);
}
