/* Shape matching on the device: see methods/blend/matching_loops.c. Each region of cells gathers
   from the particles of the 27 cells around it, so that no sums per pair of cells are stored. */
#include "cuda/blend/step.cuh"

namespace ooze
{

/* Threads that share a region of cells, which has some 500 particles. */
#ifdef __CUDACC__
enum { REGION_LANES = 8 };
#else
enum { REGION_LANES = 1 };
#endif

static void allocate(BlendStep *step)
{
    Gpu *gpu = step->gpu;
    MatchView *v = &step->match;
    const uint64_t n = v->r.n, count = ooze_regions_count(&v->r);
    v->m.position = scratch<OozeMatchPoint>(gpu, n);
    v->m.velocity = step->damped ? scratch<OozeMatchPoint>(gpu, n) : nullptr;
    v->m.pull = scratch<double[4]>(gpu, n);
    v->m.rotation = scratch<double[4]>(gpu, count);
    v->m.map = scratch<OozeMatchMap>(gpu, count);
    v->m.motion = step->damped ? scratch<OozeMatchVelocity>(gpu, count) : nullptr;
    bool of_cells = v->r.kind == OOZE_REGIONS_OF_CELLS;
    v->sums = of_cells ? scratch<double[OOZE_MATCH_SUMS]>(gpu, count) : nullptr;
}

/* Positions, velocities and weights in slot order, and rotations of the step before. */
static void fill_slots(BlendStep *step)
{
    const BlendView s = step->view;
    const MatchView v = step->match;
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            const uint32_t slot = s.slot[i];
            if (slot == OOZE_BLEND_SLOT_NONE) {
                return;
            }
            const OozeBlendMaterial *own = &s.materials[s.material[i]];
            const float fluid_share = s.state[i].w;
            const double share = v.r.share[slot];
            const float4 x = s.pairs.x[i], u = s.u[i];
            v.m.position[slot] = {{(double)x.x, (double)x.y, (double)x.z},
                                  ooze_match_position_weight(own, fluid_share, share, s.dt)};
            if (v.m.velocity) {
                v.m.velocity[slot] = {{(double)u.x, (double)u.y, (double)u.z},
                                      ooze_match_velocity_weight(own, fluid_share, share, s.dt)};
            }
            if (ooze_regions_leads(&v.r, slot)) {
                ooze_match_read_rotation(&s.rotation[i], v.m.rotation[v.r.region_of[slot]]);
            }
        });
}

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

static void fit_cells(Gpu *gpu, const MatchView &view)
{
    const MatchView v = view;
    for_lanes<REGION_LANES>(
        gpu, v.r.cells, OOZE_BODY(uint32_t c, uint32_t lane) {
            double sums[OOZE_MATCH_SUMS] = {0}, q0[3];
            const uint64_t first = v.r.cell[c].first;
            const double *x0 = v.m.position[first].at;
            ooze_match_widen(&v.r.reference[first], q0);
            each_member<REGION_LANES>(v.r, c, lane, [&](uint64_t i, double w) {
                ooze_match_gather(&v.m, &v.r, i, w, x0, q0, sums);
            });
            store_sums<REGION_LANES>(sums, lane, v.sums[c]);
        });
    for_each(
        gpu, v.r.cells, OOZE_BODY(uint32_t c) {
            double q0[3];
            const uint64_t first = v.r.cell[c].first;
            ooze_match_widen(&v.r.reference[first], q0);
            OozeMatchRegion region = ooze_match_centre(v.sums[c], v.m.position[first].at, q0);
            ooze_match_set_map(&v.m.map[c], &region, (double)(v.r.cell[c + 1].first - first),
                               v.m.rotation[c]);
        });
}

static void fit_cell_velocities(Gpu *gpu, const MatchView &view)
{
    const MatchView v = view;
    for_lanes<REGION_LANES>(
        gpu, v.r.cells, OOZE_BODY(uint32_t c, uint32_t lane) {
            double sums[OOZE_MATCH_SUMS] = {0};
            const double *x0 = v.m.position[v.r.cell[c].first].at;
            each_member<REGION_LANES>(v.r, c, lane, [&](uint64_t i, double w) {
                ooze_match_gather_velocity(&v.m, i, w, x0, sums);
            });
            store_sums<REGION_LANES>(sums, lane, v.sums[c]);
        });
    for_each(
        gpu, v.r.cells, OOZE_BODY(uint32_t c) {
            v.m.motion[c] = ooze_match_velocity(v.sums[c], v.m.position[v.r.cell[c].first].at);
        });
}

/* Cell of each slot, for kinds whose region_of is the cell. Particles of a cell are adjacent, so
   that a warp reads few different maps. */
static void pull_cells(Gpu *gpu, const MatchView &view)
{
    const MatchView v = view;
    for_each(
        gpu, v.r.n, OOZE_BODY(uint32_t i) {
            const uint32_t c = v.r.region_of[i];
            const uint32_t *near = v.r.near + (uint64_t)OOZE_BLEND_NEAR * c;
            double goal[3] = {0}, velocity[3] = {0}, at[3];
            ooze_blend_fraction(&v.r.reference[i].x, v.r.edge, v.r.cell[c].at, at);
            OOZE_ROLLED
            for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
                if (near[k] != OOZE_BLEND_CELL_NONE) {
                    double w = ooze_blend_weight(at, k) * v.m.map[near[k]].count;
                    ooze_match_add_region(&v.m, &v.r, i, near[k], w, goal, velocity);
                }
            }
            ooze_match_set_pull(&v.m, i, goal, velocity);
        });
}

/* ---- regions of particles --------------------------------------------------------------- */

static void fit_particles(Gpu *gpu, const MatchView &view)
{
    const MatchView v = view;
    for_each(
        gpu, v.r.n, OOZE_BODY(uint32_t i) { ooze_match_fit_particle(&v.m, &v.r, i); });
    if (v.m.velocity) {
        for_each(
            gpu, v.r.n, OOZE_BODY(uint32_t i) { ooze_match_fit_particle_velocity(&v.m, &v.r, i); });
    }
}

static void pull_particles(Gpu *gpu, const MatchView &view)
{
    const MatchView v = view;
    for_each(
        gpu, v.r.n, OOZE_BODY(uint32_t i) { ooze_match_pull_particle(&v.m, &v.r, i); });
}

void blend_match_shapes(BlendStep *step)
{
    Gpu *gpu = step->gpu;
    OozeStepTimer *timer = step->context->timer;
    MatchView *v = &step->match;
    v->r = step->data->regions;
    if (v->r.n == 0) {
        return;
    }
    allocate(step);
    fill_slots(step);
    ooze_timer_lap(timer, "slots");
    bool of_cells = v->r.kind == OOZE_REGIONS_OF_CELLS;
    if (of_cells) {
        fit_cells(gpu, *v);
        if (step->damped) {
            fit_cell_velocities(gpu, *v);
        }
    } else {
        fit_particles(gpu, *v);
    }
    ooze_timer_lap(timer, "regions");
    if (of_cells) {
        pull_cells(gpu, *v);
    } else {
        pull_particles(gpu, *v);
    }
    ooze_timer_lap(timer, "goals");
}

} // namespace ooze
