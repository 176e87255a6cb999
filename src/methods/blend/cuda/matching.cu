/* Shape matching on the GPU: see cpu/matching_loops.c. Each region of cells gathers from the
   particles of the 27 cells around it, so that no sums per pair of cells are stored. */
#include "methods/blend/cuda/stages.cuh"

namespace ooze
{

/* Threads that share a region of cells, which has some 500 particles. */
#ifdef __CUDACC__
enum { REGION_LANES = 8 };
#else
enum { REGION_LANES = 1 };
#endif

/* ---- regions of cells ------------------------------------------------------------------- */

/* f(slot, membership) for the particles of the region of cell c, of this lane. */
template <int LANES, class F>
OOZE_DEVICE void each_member(const OozeRegions &r, uint32_t c, uint32_t lane, F f)
{
    const uint32_t *near = r.near + (uint64_t)OOZE_BLEND_NEAR * c;
    OOZE_ROLLED
    for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
        if (near[k] == OOZE_BLEND_CELL_NONE) {
            continue;
        }
        const OozeRegionCell *cell = &r.cell[near[k]];
        OOZE_ROLLED
        for (uint64_t i = cell[0].first + lane; i < cell[1].first; i += LANES) {
            double at[3];
            ooze_blend_fraction(&r.reference[i].x, r.edge, cell->at, at);
            f(i, ooze_blend_weight(at, OOZE_BLEND_NEAR - 1 - k));
        }
    }
}

template <int LANES>
OOZE_DEVICE void store_sums(double sums[OOZE_MATCH_SUMS], uint32_t lane, double to[OOZE_MATCH_SUMS])
{
    for (int t = 0; t < OOZE_MATCH_SUMS; t++) {
        double sum = lanes_sum<LANES>(sums[t]);
        if (lane == 0) {
            to[t] = sum;
        }
    }
}

void blend_fit_cells(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    for_lanes<REGION_LANES>(
        gpu_of(step->machine), s.r.cells, OOZE_BODY(uint32_t c, uint32_t lane) {
            double sums[OOZE_MATCH_SUMS] = {0}, q0[3];
            const uint64_t first = s.r.cell[c].first;
            const double *x0 = s.matching.position[first].at;
            ooze_match_widen(&s.r.reference[first], q0);
            if (!ooze_match_skips(&s.matching, c, OOZE_MATCH_MAP)) {
                each_member<REGION_LANES>(s.r, c, lane, [&](uint64_t i, double w) {
                    ooze_match_gather(&s.matching, &s.r, i, w, x0, q0, sums);
                });
            }
            store_sums<REGION_LANES>(sums, lane, s.matching.sums[c]);
        });
    for_each(
        gpu_of(step->machine), s.r.cells, OOZE_BODY(uint32_t c) {
            if (ooze_match_skips(&s.matching, c, OOZE_MATCH_MAP)) {
                return;
            }
            double q0[3];
            const uint64_t first = s.r.cell[c].first;
            ooze_match_widen(&s.r.reference[first], q0);
            OozeMatchRegion region =
                ooze_match_centre(s.matching.sums[c], s.matching.position[first].at, q0);
            ooze_match_set_map(&s.matching.map[c], &region, (double)(s.r.cell[c + 1].first - first),
                               s.matching.rotation[c]);
        });
}

void blend_fit_cell_velocities(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    for_lanes<REGION_LANES>(
        gpu_of(step->machine), s.r.cells, OOZE_BODY(uint32_t c, uint32_t lane) {
            double sums[OOZE_MATCH_SUMS] = {0};
            const double *x0 = s.matching.position[s.r.cell[c].first].at;
            if (!ooze_match_skips(&s.matching, c, OOZE_MATCH_MAP)) {
                each_member<REGION_LANES>(s.r, c, lane, [&](uint64_t i, double w) {
                    ooze_match_gather_velocity(&s.matching, i, w, x0, sums);
                });
            }
            store_sums<REGION_LANES>(sums, lane, s.matching.sums[c]);
        });
    for_each(
        gpu_of(step->machine), s.r.cells, OOZE_BODY(uint32_t c) {
            if (!ooze_match_skips(&s.matching, c, OOZE_MATCH_MAP)) {
                s.matching.motion[c] = ooze_match_velocity(
                    s.matching.sums[c], s.matching.position[s.r.cell[c].first].at);
            }
        });
}

/* Cell of each slot, for kinds whose region_of is the cell. Particles of a cell are adjacent, so
   that a warp reads few different maps. */
void blend_pull_cells(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.r.n, OOZE_BODY(uint32_t i) {
            const uint32_t c = s.r.region_of[i];
            if (ooze_match_skips(&s.matching, c, OOZE_MATCH_PULL)) {
                return;
            }
            const uint32_t *near = s.r.near + (uint64_t)OOZE_BLEND_NEAR * c;
            double goal[3] = {0}, velocity[3] = {0}, at[3];
            ooze_blend_fraction(&s.r.reference[i].x, s.r.edge, s.r.cell[c].at, at);
            OOZE_ROLLED
            for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
                if (near[k] != OOZE_BLEND_CELL_NONE) {
                    double w = ooze_blend_weight(at, k) * s.matching.map[near[k]].count;
                    ooze_match_add_region(&s.matching, &s.r, i, near[k], w, goal, velocity);
                }
            }
            ooze_match_set_pull(&s.matching, i, goal, velocity);
        });
}

/* ---- regions of particles --------------------------------------------------------------- */

void blend_fit_particles(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.r.n, OOZE_BODY(uint32_t i) {
            if (!ooze_match_skips(&s.matching, i, OOZE_MATCH_MAP)) {
                ooze_match_fit_particle(&s.matching, &s.r, i);
            }
        });
    if (s.matching.velocity) {
        for_each(
            gpu_of(step->machine), s.r.n, OOZE_BODY(uint32_t i) {
                if (!ooze_match_skips(&s.matching, i, OOZE_MATCH_MAP)) {
                    ooze_match_fit_particle_velocity(&s.matching, &s.r, i);
                }
            });
    }
}

void blend_pull_particles(OozeBlendStep *step)
{
    const BlendView s = view_of(step);
    for_each(
        gpu_of(step->machine), s.r.n, OOZE_BODY(uint32_t i) {
            if (!ooze_match_skips(&s.matching, i, OOZE_MATCH_PULL)) {
                ooze_match_pull_particle(&s.matching, &s.r, i);
            }
        });
}

} // namespace ooze
