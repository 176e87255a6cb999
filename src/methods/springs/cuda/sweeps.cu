/* The Gauss-Seidel sweeps on the device: see cpu/sweep_loops.c. A warp sweeps a cell,
   one particle after the other. The lanes share the neighbours of a particle: at once where these
   do not depend on each other, else lane after lane. */
#include "methods/springs/cuda/stages.cuh"

namespace ooze
{

/* sweep(i, lane) for the particles of each cell of the schedule, in its order, and refresh(step)
   after each colour, where other processes have changed ghosts. All lanes of a cell call it with
   the same particle. */
template <class Sweep>
static void each_colour(OozeSpringsStep *step, const SpringsSchedule *schedule, Sweep sweep,
                        void (*refresh)(OozeSpringsStep *))
{
    Gpu *gpu = gpu_of(step->machine);
    const uint32_t *begin = schedule->begin, *end = schedule->end, *sequence = schedule->sequence;
    uint32_t first = 0;
    for (int k = 0; k < OOZE_SPRINGS_COLOURS_MAX; k++) {
        const uint32_t cells = schedule->count[k];
        for_lanes<CELL_LANES>(
            gpu, cells, OOZE_BODY(uint32_t cell, uint32_t lane) {
                const uint32_t last = end[first + cell];
                for (uint32_t k = begin[first + cell]; k < last; k++) {
                    sweep(sequence[k], lane);
                    lanes_sync<CELL_LANES>();
                }
            });
        first += cells;
        if (schedule->used[k]) {
            refresh(step);
        }
    }
}

/* What a lane has of a vector that all lanes know; all lanes must call it. */
OOZE_DEVICE float4 vector_of_lane(float4 a, uint32_t lane)
{
    return f32x4(lanes_get<CELL_LANES>(a.x, lane), lanes_get<CELL_LANES>(a.y, lane),
                 lanes_get<CELL_LANES>(a.z, lane));
}

OOZE_DEVICE uint32_t component(uint4 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : k == 2 ? a.z : a.w;
}

/* ---- double density relaxation ---- */

/* A neighbour: the vector to it, 1 - q and 1/r. 1/r is 0 for coincident particles, which have no
   direction; 1 - q is 0 beyond the support. */
struct Near {
    float4 d;
    float t, inverse;
};

OOZE_DEVICE Near near_at(const SpringsView &s, float4 x, uint32_t j)
{
    Near w = {f32x4(0, 0, 0), 0.0f, 0.0f};
    if (j != s.neighbours.dummy) {
        const float smallest = ooze_springs_smallest(&s.k);
        w.d = vector_to(s, x, s.x[j]);
        w.t = fmaxf(1.0f - s.k.inverse_h * w.d.w, 0.0f);
        w.inverse = w.d.w > smallest ? 1.0f / fmaxf(w.d.w, smallest) : 0.0f;
    }
    return w;
}

/* (a + b) + (c + d) of the sums over every fourth neighbour, then over the lanes. */
OOZE_DEVICE float sum_of(float4 a)
{
    return lanes_sum<CELL_LANES>((a.x + a.y) + (a.z + a.w));
}

OOZE_DEVICE void relax(const SpringsView &s, uint32_t i, uint32_t lane)
{
    const OozeSpringsCoefficients *own = coefficients_of(s, i);
    const float4 x = s.x[i];
    const Slice slice = slice_of(s.neighbours.begin[i / SLICE]);
    const uint4 *list = s.neighbours.index + slice.first + i % SLICE;
    float4 density = f32x4(0, 0, 0), near_density = density, back = density;
    for (uint32_t q = lane; q < slice.quads; q += CELL_LANES) {
        const uint4 j = list[(uint64_t)q * SLICE];
        const float t[4] = {near_at(s, x, j.x).t, near_at(s, x, j.y).t, near_at(s, x, j.z).t,
                            near_at(s, x, j.w).t};
        density = f32x4(density.x + t[0] * t[0], density.y + t[1] * t[1], density.z + t[2] * t[2],
                        density.w + t[3] * t[3]);
        near_density =
            f32x4(near_density.x + t[0] * t[0] * t[0], near_density.y + t[1] * t[1] * t[1],
                  near_density.z + t[2] * t[2] * t[2], near_density.w + t[3] * t[3] * t[3]);
    }
    const float pressure = ooze_double_pressure(own->stiffness, sum_of(density), own->rest_density);
    const float near_pressure = own->near_stiffness * sum_of(near_density);
    const float half = 0.5f * s.k.h * s.k.dt_units2;
    for (uint32_t q = lane; q < slice.quads; q += CELL_LANES) {
        const uint4 four = list[(uint64_t)q * SLICE];
        for (int k = 0; k < 4; k++) {
            const uint32_t j = component(four, k);
            const Near w = near_at(s, x, j);
            const float4 d = OOZE_SPRINGS_PUSH(half, pressure, near_pressure, w.t, w.inverse) * w.d;
            back = back - d;
            if (j != s.neighbours.dummy && !s.prescribed[j]) {
                s.x[j] = s.x[j] + d;
                s.shift[j] = s.shift[j] + d;
            }
        }
    }
    back = lanes_sum<CELL_LANES>(back);
    if (lane == 0 && !s.prescribed[i]) {
        s.x[i] = x + back;
        s.shift[i] = s.shift[i] + back;
    }
}

void springs_relax(OozeSpringsStep *step)
{
    const SpringsView s = view_of(step);
    each_colour(
        step, &data_of(step)->schedule, OOZE_BODY(uint32_t i, uint32_t lane) { relax(s, i, lane); },
        springs_refresh_points);
}

/* ---- springs ---- */

/* Each spring acts on the position that the springs before it have left. What does not depend on
   these is loaded by all lanes at once. */
OOZE_DEVICE void pull(const SpringsView &s, uint32_t i, uint32_t lane)
{
    const OozeLink *row = s.springs + s.first[i];
    const uint32_t count = s.count[i];
    const OozeSpringsCoefficients own = *coefficients_of(s, i);
    const bool fixed = s.prescribed[i] != 0;
    float4 x = s.x[i], shift = s.shift[i];
    for (uint32_t base = 0; base < count; base += CELL_LANES) {
        const uint32_t left = count - base, lanes = left < CELL_LANES ? left : (uint32_t)CELL_LANES;
        const OozeLink spring = lane < lanes ? row[base + lane] : OozeLink{i, -1.0f};
        const uint32_t j = spring.other;
        const float4 other_x = s.x[j], other_shift = s.shift[j];
        const OozeSpringsCoefficients other = *coefficients_of(s, j);
        const bool other_fixed = s.prescribed[j] != 0;
        for (uint32_t turn = 0; turn < lanes; turn++) {
            float4 d = f32x4(0, 0, 0);
            if (lane == turn && spring.rest > 0.0f) { /* negative: see springs_pull_long */
                d = vector_to(s, x, other_x);
                d = ooze_springs_pull(&s.k, &own, &other, spring.rest, d.w) * d;
                if (!other_fixed) {
                    s.x[j] = other_x + d;
                    s.shift[j] = other_shift + d;
                }
            }
            d = vector_of_lane(d, turn);
            x = fixed ? x : x - d;
            shift = fixed ? shift : shift - d;
        }
    }
    if (lane == 0 && !fixed) {
        s.x[i] = x;
        s.shift[i] = shift;
    }
}

OozeStatus springs_pull(OozeSpringsStep *step, OozeError *)
{
    const SpringsView s = view_of(step);
    each_colour(
        step, &data_of(step)->schedule, OOZE_BODY(uint32_t i, uint32_t lane) { pull(s, i, lane); },
        springs_refresh_points);
    return OOZE_OK;
}

/* ---- viscosity ---- */

/* A neighbour j whose pair particle i applies. */
struct DragPair {
    uint32_t j; /* the padding of lists: none */
    bool fixed; /* its velocity is prescribed */
    float4 d, u;
    OozeSpringsCoefficients coefficients;
};

OOZE_DEVICE bool is_prescribed(const SpringsView &s, uint32_t i)
{
    return s.store_prescribed && s.store_prescribed[i];
}

OOZE_DEVICE DragPair drag_pair(const SpringsView &s, uint32_t i, uint32_t j)
{
    DragPair pair = {};
    pair.j = s.fluid.dummy;
    if (j != s.fluid.dummy && s.store_id[j] > s.store_id[i]) {
        pair.j = j;
        pair.fixed = is_prescribed(s, j);
        pair.d = vector_to(s, s.x0[i], s.x0[j]);
        pair.u = s.u[j];
        pair.coefficients = s.coefficients[s.store_material[j]];
    }
    return pair;
}

/* Returns the velocity u of particle i after its pair with j. */
OOZE_DEVICE float4 drag_one(const SpringsView &s, const OozeSpringsCoefficients &own, bool fixed,
                            const DragPair &pair, float4 u)
{
    const float along = dot(u - pair.u, pair.d);
    if (pair.j == s.fluid.dummy || !ooze_springs_approach(&s.k, along, pair.d.w)) {
        return u;
    }
    const float4 change =
        ooze_springs_drag(&s.k, &own, &pair.coefficients, along, pair.d.w) * pair.d;
    if (!pair.fixed) {
        s.u[pair.j] = pair.u + change;
    }
    return fixed ? u : u - change;
}

/* Each pair acts on the velocity that the pairs before it have left; see pull. */
OOZE_DEVICE void drag(const SpringsView &s, uint32_t i, uint32_t lane)
{
    const Slice slice = slice_of(s.fluid.begin[i / SLICE]);
    const uint4 *list = s.fluid.index + slice.first + i % SLICE;
    const uint32_t none = s.fluid.dummy;
    const OozeSpringsCoefficients own = s.coefficients[s.store_material[i]];
    const bool fixed = is_prescribed(s, i);
    float4 u = s.u[i];
    for (uint32_t base = 0; base < slice.quads; base += CELL_LANES) {
        const uint32_t left = slice.quads - base,
                       lanes = left < CELL_LANES ? left : (uint32_t)CELL_LANES;
        const uint4 four = lane < lanes ? list[(uint64_t)(base + lane) * SLICE]
                                        : make_uint4(none, none, none, none);
        const DragPair a = drag_pair(s, i, four.x), b = drag_pair(s, i, four.y),
                       c = drag_pair(s, i, four.z), d = drag_pair(s, i, four.w);
        for (uint32_t turn = 0; turn < lanes; turn++) {
            if (lane == turn) {
                u = drag_one(s, own, fixed, a, u);
                u = drag_one(s, own, fixed, b, u);
                u = drag_one(s, own, fixed, c, u);
                u = drag_one(s, own, fixed, d, u);
            }
            u = vector_of_lane(u, turn);
        }
    }
    if (lane == 0) {
        s.u[i] = u;
    }
}

static void refresh_velocities(OozeSpringsStep *step)
{
    ooze_machine_refresh(step->machine, step->u, sizeof *step->u);
}

/* The grid still holds the cells of the store. */
OozeStatus springs_apply_viscosity(OozeSpringsStep *step, OozeError *)
{
    SpringsSchedule schedule = {};
    const SpringsView s = view_of(step);
    springs_schedule(step, s.x0, s.store_key, &schedule);
    each_colour(
        step, &schedule, OOZE_BODY(uint32_t i, uint32_t lane) { drag(s, i, lane); },
        refresh_velocities);
    return OOZE_OK;
}

} // namespace ooze
