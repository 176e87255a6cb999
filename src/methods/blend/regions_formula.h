/* Cells of regions and the weights of a particle in them, for the processor and the GPU. */
#ifndef OOZE_METHODS_BLEND_REGIONS_FORMULA_H
#define OOZE_METHODS_BLEND_REGIONS_FORMULA_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "methods/blend/regions.h"
#include "physics/shape_matching.h"

/* Edge of the cells: lists of particles look at the 27 cells around a particle. */
OOZE_FORMULA double ooze_blend_edge(OozeRegionKind kind, double radius)
{
    return kind == OOZE_REGIONS_OF_CELLS ? ooze_match_cell_edge(radius) : radius;
}

/* Square of the distance up to which reference positions share a region, m2. Rounding must not
   decide for lattice points at exactly the radius: they are outside. */
OOZE_FORMULA double ooze_blend_reach2(double radius)
{
    return (1.0 - 1e-4) * radius * radius;
}

OOZE_FORMULA int32_t ooze_blend_cell(double q, double edge)
{
    return (int32_t)floor(q / edge);
}

/* Position q within its cell (z, y, x), from the middle, in edges: x, y, z. */
OOZE_FORMULA void ooze_blend_fraction(const float *q, double edge, const int32_t *cell, double f[3])
{
    for (int k = 0; k < 3; k++) {
        f[k] = (double)q[k] / edge - (double)cell[2 - k] - 0.5;
    }
}

/* Weight of a particle in the region of the k-th cell around its own, x fastest. */
OOZE_FORMULA double ooze_blend_weight(const double f[3], int k)
{
    double zy = ooze_match_spline_weight(f[2], k / 9) * ooze_match_spline_weight(f[1], k / 3 % 3);
    return zy * ooze_match_spline_weight(f[0], k % 3);
}

/* All weights of a particle at q in the regions of the cells around `cell` (z, y, x). */
OOZE_FORMULA void ooze_blend_weights(const float *q, double edge, const int32_t *cell, double *w)
{
    double f[3], axis[3][3];
    ooze_blend_fraction(q, edge, cell, f);
    for (int k = 0; k < 3; k++) {
        ooze_match_spline(f[k], axis[k]);
    }
    for (int z = 0; z < 3; z++) {
        for (int y = 0; y < 3; y++) {
            double zy = axis[2][z] * axis[1][y];
            for (int x = 0; x < 3; x++) {
                w[9 * z + 3 * y + x] = zy * axis[0][x];
            }
        }
    }
}

/* Number that identifies the step of a reference position, in the last lane beside it; NAN, which
   equals no other, where there is none. */
OOZE_FORMULA float ooze_blend_shape_tag(uint32_t reference_step)
{
    return reference_step ? (float)(reference_step & 0xffffff) : NAN;
}

/* Whether a slot of the regions holds this particle, or none does where it has no reference
   position. Slots that a different build of regions assigned are found out, such as those of
   another engine. */
OOZE_FORMULA bool ooze_blend_slot_fits(const OozeRegions *r, uint32_t slot, const OozeFloat4 *q,
                                       uint32_t reference_step)
{
    if (reference_step == 0 || slot >= r->n) {
        return reference_step == 0 && slot == OOZE_BLEND_SLOT_NONE;
    }
    const OozeFloat4 *held = &r->reference[slot];
    return held->x == q->x && held->y == q->y && held->z == q->z &&
           held->w == ooze_blend_shape_tag(reference_step);
}

/* Whether a particle is the one whose `rotation` its region starts from. */
OOZE_FORMULA bool ooze_regions_leads(const OozeRegions *r, uint32_t slot)
{
    return r->kind == OOZE_REGIONS_OF_PARTICLES || r->cell[r->region_of[slot]].first == slot;
}

/* ---- building: each function writes the rows of one cell or slot ---------------------------- */

/* Below 0, 0 or above 0 as a comes before, is or comes after b: by step, then z, y, x. */
OOZE_FORMULA int ooze_regions_compare(const OozeRegionCell *a, const OozeRegionCell *b)
{
    if (a->step != b->step) {
        return a->step < b->step ? -1 : 1;
    }
    for (int k = 0; k < 3; k++) {
        if (a->at[k] != b->at[k]) {
            return a->at[k] < b->at[k] ? -1 : 1;
        }
    }
    return 0;
}

/* First cell that is not before `wanted`. */
OOZE_FORMULA uint64_t ooze_regions_find_cell(const OozeRegions *r, const OozeRegionCell *wanted)
{
    uint64_t low = 0, high = r->cells;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (ooze_regions_compare(&r->cell[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The cell of a slot. */
OOZE_FORMULA uint64_t ooze_regions_cell_of(const OozeRegions *r, uint64_t slot)
{
    if (r->kind == OOZE_REGIONS_OF_CELLS) {
        return r->region_of[slot];
    }
    uint64_t low = 0, high = r->cells;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (r->cell[middle].first <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether a bit of `needed`, one a cell, is set. */
OOZE_FORMULA bool ooze_regions_needs(const uint8_t *needed, uint64_t cell)
{
    return needed[cell / 8] >> cell % 8 & 1;
}

/* Finds the three cells of row 0 to 8 (y fastest) around cell c, into r->near. */
OOZE_FORMULA void ooze_regions_find_near(const OozeRegions *r, uint64_t c, int row)
{
    OozeRegionCell wanted = r->cell[c];
    wanted.at[0] += row / 3 - 1;
    wanted.at[1] += row % 3 - 1;
    wanted.at[2] -= 1;
    uint64_t found = ooze_regions_find_cell(r, &wanted);
    for (int k = 0; k < 3; k++, wanted.at[2]++) {
        bool is = found < r->cells && ooze_regions_compare(&r->cell[found], &wanted) == 0;
        r->near[OOZE_BLEND_NEAR * c + (uint64_t)(3 * row + k)] =
            is ? (uint32_t)found : OOZE_BLEND_CELL_NONE;
        found += is ? 1 : 0;
    }
}

/* Share of slot i, which is in cell c, in regions of cells. */
OOZE_FORMULA double ooze_regions_cell_share(const OozeRegions *r, uint64_t c, uint64_t i)
{
    const uint32_t *near = r->near + OOZE_BLEND_NEAR * c;
    double f[3], sum = 0.0;
    ooze_blend_fraction(&r->reference[i].x, r->edge, r->cell[c].at, f);
    for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
        if (near[k] != OOZE_BLEND_CELL_NONE) {
            const OozeRegionCell *other = &r->cell[near[k]];
            sum += ooze_blend_weight(f, k) * (double)(other[1].first - other[0].first);
        }
    }
    return 1.0 / sum;
}

OOZE_FORMULA bool ooze_regions_is_near(const OozeRegions *r, uint64_t i, uint64_t j)
{
    const OozeFloat4 *a = &r->reference[i], *b = &r->reference[j];
    double x = (double)a->x - (double)b->x, y = (double)a->y - (double)b->y;
    double z = (double)a->z - (double)b->z;
    return x * x + y * y + z * z < ooze_blend_reach2(r->radius);
}

/* Number of slots within the radius of slot i, which is in cell c; they are written to `list`
   unless it is NULL. */
OOZE_FORMULA uint32_t ooze_regions_list(const OozeRegions *r, uint64_t c, uint64_t i,
                                        uint32_t *list)
{
    uint32_t count = 0;
    for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
        uint32_t near = r->near[OOZE_BLEND_NEAR * c + (uint64_t)k];
        uint64_t j = near == OOZE_BLEND_CELL_NONE ? 0 : r->cell[near].first;
        uint64_t last = near == OOZE_BLEND_CELL_NONE ? 0 : r->cell[near + 1].first;
        for (; j < last; j++) {
            if (ooze_regions_is_near(r, i, j)) {
                if (list) {
                    list[count] = (uint32_t)j;
                }
                count++;
            }
        }
    }
    return count;
}

#endif
