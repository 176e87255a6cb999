/* Vector loops of candidates.h: gather the points near a group, then select the neighbours of each
   point among them. */
#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "particles/candidates.h"

enum { LANES = OOZE_WIDE_LANES, BLOCK = OOZE_WIDE_BLOCK };
enum { LANE_BITS = (1 << LANES) - 1 };

static void pad_block(OozeCandidates *candidates, uint64_t count)
{
    candidates->count = count;
    candidates->used = (count + BLOCK - 1) / BLOCK * BLOCK;
    for (uint64_t i = count; i < candidates->used; i++) {
        candidates->x[i] = INFINITY;
    }
}

/* ---- gathering ---- */

typedef struct Range {
    OozeWide low[3], high[3], limit;
} Range;

/* Compares the distance from the box, with the same operations as the neighbour test. Rounding is
   monotone, so no point of the box is nearer than this distance: a point left out here would fail
   the neighbour test for every point of the group. */
static inline OozeWideMask in_range(const Range *range, const OozeWide p[3])
{
    OozeWide d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = p[k] - ooze_wide_min(ooze_wide_max(p[k], range->low[k]), range->high[k]);
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < range->limit;
}

/* Appends those of the LANES points at `from` that are in range and whose bit in `allowed` is set.
   */
static inline uint64_t append(const OozeCandidates *to, const OozeWideCompact *table,
                              const Range *range, const OozeFloat4 *from, uint32_t allowed,
                              uint64_t index, uint64_t at)
{
    OozeWide p[3];
    ooze_wide_load_xyz(&from->x, p);
    uint32_t bits = allowed & ooze_wide_bits(in_range(range, p));
    ooze_wide_compact(table, bits, (OozeWideUint)p[0], (uint32_t *)(to->x + at));
    ooze_wide_compact(table, bits, (OozeWideUint)p[1], (uint32_t *)(to->y + at));
    ooze_wide_compact(table, bits, (OozeWideUint)p[2], (uint32_t *)(to->z + at));
    ooze_wide_compact(table, bits, ooze_wide_iota((uint32_t)index), to->index + at);
    return at + ooze_wide_count(table, bits);
}

/* Appends the points of all runs of the source that lie within the range; returns their number. */
static uint64_t append_runs(const OozeCandidates *candidates, const OozeWideCompact *table,
                            const OozeCandidateSource *source, const Range *within)
{
    const OozeCandidates to = *candidates; /* copies that no store can change */
    const Range range = *within;
    const OozeFloat4 *points = source->points;
    uint64_t at = 0;
    for (int r = 0; r < source->run_count; r++) {
        uint64_t i = source->runs[r].begin, end = source->runs[r].end;
        for (; i + LANES <= end; i += LANES) {
            at = append(&to, table, &range, points + i, LANE_BITS, i, at);
        }
        uint32_t rest = (1u << (end - i)) - 1;
        if (i + LANES <= source->n) {
            at = append(&to, table, &range, points + i, rest, i, at);
        } else if (rest) { /* do not read beyond the array */
            OozeFloat4 last[LANES] = {{0}};
            memcpy(last, points + i, (end - i) * sizeof *last);
            at = append(&to, table, &range, last, rest, i, at);
        }
    }
    return at;
}

static bool gather(OozeCandidates *candidates, const OozeCompactTable *memory,
                   const OozeCandidateSource *source, const OozeCandidateBox *box)
{
    const OozeWideCompact *table = (const void *)memory;
    uint64_t wanted = LANES + BLOCK;
    for (int r = 0; r < source->run_count; r++) {
        wanted += source->runs[r].end - source->runs[r].begin;
    }
    if (wanted > candidates->capacity &&
        !ooze_candidates_reserve(candidates, wanted + wanted / 2)) {
        return false;
    }
    Range range = {.limit = ooze_wide_splat(box ? box->radius * box->radius : INFINITY)};
    for (int k = 0; k < 3; k++) {
        range.low[k] = ooze_wide_splat(box ? box->low[k] : -INFINITY);
        range.high[k] = ooze_wide_splat(box ? box->high[k] : INFINITY);
    }
    pad_block(candidates, append_runs(candidates, table, source, &range));
    return true;
}

/* ---- selecting ---- */

/* Bitwise equal to ooze_periodic_delta. */
static OozeWide nearest_image(OozeWide delta, float length, float inverse)
{
    return delta - ooze_wide_rint(delta * inverse) * length;
}

/* Sets the bit of every candidate within the radius. Compiled twice: `wraps` is a constant at each
   call. */
static inline void mark(const OozeCandidates *candidates, OozeFloat4 p, float radius, bool wraps,
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
            if (wraps) {
                dx = nearest_image(dx, wrap.length[0], wrap.inverse[0]);
                dy = nearest_image(dy, wrap.length[1], wrap.inverse[1]);
                dz = nearest_image(dz, wrap.length[2], wrap.inverse[2]);
            }
            near[i] = dx * dx + dy * dy + dz * dz < limit;
        }
        bits[k / BLOCK] = ooze_wide_block_bits(near);
    }
}

/* Separate loops for bits and indices are faster than one loop. */
static uint32_t select_near(const OozeCandidates *candidates, const OozeCompactTable *memory,
                            OozeFloat4 p, float radius, const OozePeriodic *wrap, uint64_t self,
                            uint32_t *to)
{
    const OozeWideCompact *table = (const void *)memory;
    if (wrap) {
        mark(candidates, p, radius, true, *wrap);
    } else {
        mark(candidates, p, radius, false, (OozePeriodic){0});
    }
    if (self < candidates->used) {
        candidates->bits[self / BLOCK] &= ~(1u << self % BLOCK);
    }
    const OozeCandidates here = *candidates;
    uint32_t *at = to;
    for (uint64_t k = 0; k < here.used; k += BLOCK) {
        const uint32_t bits = here.bits[k / BLOCK];
        for (int i = 0; i < BLOCK / LANES; i++) {
            uint32_t lanes = bits >> (i * LANES) & LANE_BITS;
            ooze_wide_compact(table, lanes, ooze_wide_load_uint(here.index + k + i * LANES), at);
            at += ooze_wide_count(table, lanes);
        }
    }
    return (uint32_t)(at - to);
}

static void fill_table(OozeCompactTable *memory)
{
    _Static_assert(sizeof(OozeWideCompact) <= sizeof(OozeCompactTable),
                   "large enough for every set");
    ooze_wide_compact_fill((void *)memory);
}

const OozeCandidatesLoops OOZE_LOOPS(ooze_candidates_loops) = {
    .fill_table = fill_table,
    .gather = gather,
    .select = select_near,
};
