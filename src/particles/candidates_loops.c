#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "particles/candidates.h"

enum { LANES = OOZE_WIDE_LANES, BLOCK = OOZE_WIDE_BLOCK };
enum { LANE_BITS = (1 << LANES) - 1 };

static void fill_block(OozeCandidates *candidates, uint64_t count)
{
    candidates->count = count;
    candidates->used = (count + BLOCK - 1) / BLOCK * BLOCK;
    for (uint64_t i = count; i < candidates->used; i++) {
        candidates->x[i] = INFINITY;
    }
}

/* ---- gathering ---- */

typedef struct Reach {
    OozeWide low[3], high[3], limit;
} Reach;

/* Distance from the box, in the very operations of the test for neighbours. Rounding never changes
   the order of two numbers, so no point of the box is nearer than this says: what is left out here
   would fail the test for every point of the group. */
static inline OozeWideMask within_reach(const Reach *reach, const OozeWide p[3])
{
    OozeWide d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = p[k] - ooze_wide_min(ooze_wide_max(p[k], reach->low[k]), reach->high[k]);
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach->limit;
}

/* Takes those of the LANES points from `from` on that `reach` and `allowed` let pass. */
static inline uint64_t take(const OozeCandidates *to, const OozeWideCompact *table,
                            const Reach *reach, const OozeFloat4 *from, uint32_t allowed,
                            uint64_t index, uint64_t at)
{
    OozeWide p[3];
    ooze_wide_split(&from->x, p);
    uint32_t bits = allowed & ooze_wide_bits(within_reach(reach, p));
    ooze_wide_compact(table, bits, (OozeWideUint)p[0], (uint32_t *)(to->x + at));
    ooze_wide_compact(table, bits, (OozeWideUint)p[1], (uint32_t *)(to->y + at));
    ooze_wide_compact(table, bits, (OozeWideUint)p[2], (uint32_t *)(to->z + at));
    ooze_wide_compact(table, bits, ooze_wide_count_from((uint32_t)index), to->index + at);
    return at + ooze_wide_count(table, bits);
}

static uint64_t take_runs(const OozeCandidates *candidates, const OozeWideCompact *table,
                          const OozeFloat4 *all, uint64_t n, const OozeGridRun *runs, int run_count,
                          const Reach *within)
{
    const OozeCandidates to = *candidates; /* copies that no store can change */
    const Reach reach = *within;
    uint64_t at = 0;
    for (int r = 0; r < run_count; r++) {
        uint64_t i = runs[r].begin, end = runs[r].end;
        for (; i + LANES <= end; i += LANES) {
            at = take(&to, table, &reach, all + i, LANE_BITS, i, at);
        }
        uint32_t rest = (1u << (end - i)) - 1;
        if (i + LANES <= n) {
            at = take(&to, table, &reach, all + i, rest, i, at);
        } else if (rest) { /* do not read beyond the array */
            OozeFloat4 last[LANES] = {{0}};
            memcpy(last, all + i, (end - i) * sizeof *last);
            at = take(&to, table, &reach, last, rest, i, at);
        }
    }
    return at;
}

static bool gather(OozeCandidates *candidates, const OozeCompactTable *memory,
                   const OozeFloat4 *all, uint64_t n, const OozeGridRun *runs, int run_count,
                   const float low[3], const float high[3], float radius)
{
    const OozeWideCompact *table = (const void *)memory;
    uint64_t wanted = LANES + BLOCK;
    for (int r = 0; r < run_count; r++) {
        wanted += runs[r].end - runs[r].begin;
    }
    if (wanted > candidates->room && !ooze_candidates_reserve(candidates, wanted + wanted / 2)) {
        return false;
    }
    Reach reach = {.limit = ooze_wide_splat(low ? radius * radius : INFINITY)};
    for (int k = 0; k < 3; k++) {
        reach.low[k] = ooze_wide_splat(low ? low[k] : -INFINITY);
        reach.high[k] = ooze_wide_splat(low ? high[k] : INFINITY);
    }
    fill_block(candidates, take_runs(candidates, table, all, n, runs, run_count, &reach));
    return true;
}

/* ---- selecting ---- */

/* As ooze_periodic_delta, which it equals bit for bit. */
static OozeWide nearest_image(OozeWide delta, float length, float inverse)
{
    return delta - ooze_wide_rint(delta * inverse) * length;
}

/* Sets the bit of every candidate within the radius. Compiled twice: `wraps` is a constant at each call. */
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

/* Two loops, one that computes bits and one that moves indices, beat one that does both. */
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
            uint32_t some = bits >> (i * LANES) & LANE_BITS;
            ooze_wide_compact(table, some, ooze_wide_load_uint(here.index + k + i * LANES), at);
            at += ooze_wide_count(table, some);
        }
    }
    return (uint32_t)(at - to);
}

static void fill_table(OozeCompactTable *memory)
{
    _Static_assert(sizeof(OozeWideCompact) <= sizeof(OozeCompactTable), "room for every set");
    ooze_wide_compact_fill((void *)memory);
}

const OozeCandidatesLoops OOZE_LOOPS(ooze_candidates_loops) = {
    .fill_table = fill_table,
    .gather = gather,
    .select = select_near,
};
