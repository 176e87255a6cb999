/* Dynamic solids in the density stage: see cpu/solids.c. */
#include "cuda/shape_distance.cuh"
#include "cuda/sort.cuh"
#include "solvers/density/cuda/sweep.cuh"

namespace ooze
{

/* The push of the samples of one solid on particle i for a multiplier of 1, as in sweeps.cu. */
OOZE_DEVICE OozeVec3 push_of(const DensitySweep &s, uint32_t i, int solid)
{
    const uint32_t o = s.order[i];
    const float4 x = s.first[o] + s.shift[o];
    const OozePeriodic p = s.periodic;
    const float scale =
        s.given.ignores_boundary && s.given.ignores_boundary[o] ? 0.0f : s.wall_scale;
    const float smallest = s.cubic.smallest * s.cubic.smallest;
    float4 gradient = f32x4(0, 0, 0);
    OozeCubicSum unused = {0.0f, 0.0f};
    each_true_neighbour(s.wall_list, i, [&](uint32_t b) {
        if (s.samples.solid[b] != solid) {
            return;
        }
        float4 delta = x - s.samples.position[b];
        delta.x = ooze_periodic_delta(delta.x, p.length[0], p.inverse[0]);
        delta.y = ooze_periodic_delta(delta.y, p.length[1], p.inverse[1]);
        delta.z = ooze_periodic_delta(delta.z, p.length[2], p.inverse[2]);
        float square = dot(delta, delta) + smallest, over = inverse_root(square);
        float volume = scale * s.samples.volume[b];
        float slope = ooze_cubic_add(&unused, square * over, s.cubic.inverse, volume);
        gradient = gradient + volume * slope * over * delta;
    });
    return widen(s.cubic.slope * gradient);
}

OOZE_DEVICE OozeVec3 arm_of(const DensitySweep &s, const OozeDynamicSolid &solid, uint32_t i)
{
    const uint32_t o = s.order[i];
    return dynamic_arm(s.dynamic, solid, s.given.start ? s.given.start[o] : s.first[o]);
}

OOZE_DEVICE float mobility_of(const DensitySweep &s, uint32_t o)
{
    return s.given.mobility ? s.given.mobility[o] : 1.0f;
}

/* ---- order of the sums ---- */

/* Where the lists of all processes have the particle at each place of the order of this stage over
   all particles, or UINT32_MAX. In scratch memory. */
static uint32_t *find_elements(const DensitySweep *sweep, const DynamicList &list)
{
    Gpu *gpu = gpu_of(sweep->machine);
    const DensitySweep s = *sweep;
    const uint32_t *particles = list.particles;
    const uint32_t first = (uint32_t)s.machine->first - s.own.begin;
    uint32_t *place = scratch<uint32_t>(gpu, list.count);
    uint32_t *element = scratch<uint32_t>(gpu, s.all);
    for_each(
        gpu, list.count,
        OOZE_BODY(uint32_t e) { place[e] = s.place_in_all[first + s.order[particles[e]]]; });
    for_each(
        gpu, s.all, OOZE_BODY(uint32_t k) { element[k] = UINT32_MAX; });
    const uint32_t *places = gather_list(gpu, place, list);
    for_each(
        gpu, list.all, OOZE_BODY(uint32_t e) { element[places[e]] = e; });
    return element;
}

/* Of several processes: sums over the list have the order of this stage. */
static void order_near(DensitySweep *s)
{
    Gpu *gpu = gpu_of(s->machine);
    DynamicList *list = &s->near_solids;
    const uint32_t *of_place = find_elements(s, *list);
    uint8_t *none = scratch<uint8_t>(gpu, s->all);
    uint32_t *kept = scratch<uint32_t>(gpu, s->all);
    uint32_t *element = scratch<uint32_t>(gpu, list->length);
    for_each(
        gpu, s->all, OOZE_BODY(uint32_t k) { none[k] = of_place[k] == UINT32_MAX ? 1 : 0; });
    select_unflagged(gpu, none, kept, s->all);
    for_each(
        gpu, list->length, OOZE_BODY(uint32_t e) { element[e] = of_place[kept[e]]; });
    list->element = element;
}

void density_begin_solids(OozeDensitySweep *step)
{
    DensitySweep *s = sweep_of(step);
    Gpu *gpu = gpu_of(s->machine);
    const DynamicSearch search = {s->wall_list, s->samples.solid, s->n, s->order};
    s->pushes = scratch<DynamicPush>(gpu, s->n);
    clear(gpu, s->solid_diagonal, s->n * sizeof(float));
    s->near_solids = dynamic_find_near(gpu, s->machine->context->arena, s->dynamic, search);
    s->pushing = {};
    s->pushing.count = s->pushing.length = s->n;
    if (gpu->share) {
        s->place_in_all = places_in_grid(gpu, engine_of(s->machine)->grid, s->first);
        order_near(s);
        s->pushing.particles = scratch<uint32_t>(gpu, s->n);
    }
}

/* Of several processes: the own particles that push dynamic solids. The sum over them is one over
   all particles, most of which add nothing. */
static void find_pushing(DensitySweep *sweep)
{
    Gpu *gpu = gpu_of(sweep->machine);
    const DensitySweep s = *sweep;
    DynamicList *list = &sweep->pushing;
    uint8_t *idle = scratch<uint8_t>(gpu, s.n);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            idle[i] = s.own.has(s.order[i]) && s.pushes[i].solid[0] >= 0 ? 0 : 1;
        });
    list->count = select_unflagged(gpu, idle, list->particles, s.n);
    rank_list_share(gpu, s.machine->context->arena, list);
    list->element = find_elements(sweep, *list);
    list->length = s.all;
}

struct StoreRowSum {
    OozeDynamicSolid *solids;
    __device__ void operator()(int k, const OozeTwist &sum) const { solids[k].row_sum = sum.v[0]; }
};

void density_find_solid_diagonals(OozeDensitySweep *step)
{
    const DensitySweep s = *sweep_of(step);
    const int sweep_k = iteration_of(&s).k;
    StoreRowSum store = {s.dynamic.solids};
    dynamic_sums_of_list(
        gpu_of(s.machine), s.dynamic, s.near_solids,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            if (is_converged(s, sweep_k)) {
                return;
            }
            const OozeDynamicSolid &solid = s.dynamic.solids[k];
            const double before = k > 0 ? (double)s.solid_diagonal[i] : 0.0;
            const double size = sqrt(
                ooze_coupling_compliance(&solid, arm_of(s, solid, i), push_of(s, i, solid.solid)));
            sum->v[0] = size;
            s.solid_diagonal[i] =
                (float)(before + OOZE_COUPLING_SHARE_OF_ROW * size * solid.row_sum);
        },
        store);
}

static MoveSolid mover_of(const DensitySweep &s)
{
    return solid_mover(s.dynamic, s.solids, &s.state->solids_moved, s.dt);
}

void density_push_solids(OozeDensitySweep *step)
{
    const DensitySweep s = *sweep_of(step);
    const int sweep_k = iteration_of(&s).k;
    dynamic_sums_of_list(
        gpu_of(s.machine), s.dynamic, s.near_solids,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const float lambda = bits_to_float(s.fixed_x0[i].w);
            if (is_converged(s, sweep_k) || lambda == 0.0f ||
                !(mobility_of(s, s.order[i]) > 0.0f)) {
                return;
            }
            const OozeDynamicSolid &solid = s.dynamic.solids[k];
            ooze_coupling_add(sum, arm_of(s, solid, i),
                              vec3_scale(push_of(s, i, solid.solid), -(double)lambda));
        },
        mover_of(s));
    dynamic_move_samples(engine_of(s.machine), s.dynamic);
}

struct StoreTouching {
    OozeDynamicSolid *solids;
    __device__ void operator()(int k, const OozeTwist &sum) const { solids[k].touching = sum.v[0]; }
};

void density_count_touching(const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    const int sweep_k = iteration_of(sweep).k;
    StoreTouching store = {s.dynamic.solids};
    dynamic_sums_of_particles(
        gpu_of(s.machine), s.dynamic, s.n,
        OOZE_BODY(int k, uint32_t particle, OozeTwist *sum) {
            const uint32_t i = s.place_of_particle ? s.place_of_particle[particle] : particle;
            const uint32_t o = s.order[i];
            if (is_converged(s, sweep_k) || !(mobility_of(s, o) > 0.0f) || is_rigid(s, o)) {
                return;
            }
            const int index = s.dynamic.solids[k].solid;
            const SolidView &solid = s.solids.items[index];
            const float4 x = s.first[o] + s.shift[o];
            OozeVec3 normal;
            bool inside = false;
            if (solid_near(solid, x, push_out_reach(s), false) &&
                penetration(s, index, o, solid_distance(solid, widen(x), &normal), &inside) > 0.0) {
                sum->v[0] = 1.0;
            }
        },
        store);
}

void density_push_back(DensitySweep *sweep)
{
    Gpu *gpu = gpu_of(sweep->machine);
    const int sweep_k = iteration_of(sweep).k;
    const Mark mark = scratch_mark(gpu);
    if (gpu->share) {
        find_pushing(sweep);
    }
    const DensitySweep s = *sweep;
    dynamic_sums_of_list(
        gpu, s.dynamic, s.pushing,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            if (is_converged(s, sweep_k)) {
                return;
            }
            const uint32_t o = s.order[i];
            add_reaction(s.dynamic, k, s.pushes[i], s.given.start ? s.given.start[o] : s.first[o],
                         mobility_of(s, o), sum);
        },
        mover_of(s));
    scratch_rewind(gpu, mark);
    dynamic_move_samples(engine_of(s.machine), s.dynamic);
}

} // namespace ooze
