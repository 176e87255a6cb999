/* Dynamic solids: see cpu/coupling.c. */
#include "cuda/shape_distance.cuh"
#include "cuda/sort.cuh"
#include "methods/links/cuda/stages.cuh"

namespace ooze
{

OozeStatus links_couple(OozeLinksStep *step, OozeError *error)
{
    OozeStepContext *c = step->machine->context;
    Engine *engine = engine_of(step->machine);
    DynamicSolids *dynamic = &data_of(step)->dynamic;
    OozeStatus result = dynamic_begin(engine, dynamic, c, ooze_links_particle_mass(c), error);
    if (!result && c->dynamic->dynamics) { /* contacts change the free motion */
        dynamic_move_samples(engine, dynamic->view);
    }
    return result;
}

void links_load_solids(OozeLinksStep *step)
{
    dynamic_load(gpu_of(step->machine), &data_of(step)->dynamic);
}

/* f(b, d) for the samples of a solid near particle i; g(link, held) for its links to it. */
template <class F, class G>
OOZE_DEVICE void each_of_solid(const LinksView &s, uint32_t i, uint32_t solid, F f, G g)
{
    each_wall_pair<1>(s.next, i, 0, [&](uint32_t b, float4 d) {
        if (s.next.boundary.solid[b] == solid) {
            f(b, d);
        }
    });
    for (uint32_t k = 0; s.k.linked && k < s.wall_count[i]; k++) {
        const uint64_t e = s.wall_first[i] + k;
        if (s.wall_links[e].solid == solid) {
            g(s.held_at[e]);
        }
    }
}

/* Waits for the number of particles near dynamic solids. */
OozeStatus links_find_near(OozeLinksStep *step, OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    LinksData *data = data_of(step);
    const uint64_t n = step->machine->n;
    uint8_t *far = scratch<uint8_t>(gpu, n);
    uint32_t *coupled = scratch<uint32_t>(gpu, n);
    data->pushes = scratch<DynamicPush>(gpu, n);
    data->solids_moved = scratch<float>(gpu, 1);
    clear(gpu, data->solids_moved, sizeof(float));
    const LinksView s = view_of(step);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            bool found = false;
            each_wall_pair<1>(s.next, i, 0, [&](uint32_t b, float4) {
                found = found || s.dynamic.index_of[s.next.boundary.solid[b]] >= 0;
            });
            for (uint32_t k = 0; s.k.linked && k < s.wall_count[i]; k++) {
                found = found || s.dynamic.index_of[s.wall_links[s.wall_first[i] + k].solid] >= 0;
            }
            far[i] = found && s.inverse_mass[i] > 0.0f && is_own(s, i) ? 0 : 1;
        });
    data->coupled.count = select_unflagged(gpu, far, coupled, n);
    data->coupled.particles = coupled;
    rank_order_list(gpu, step->machine->context->arena, data->number, &data->coupled);
    return status(gpu, n, error);
}

/* Correction of particle i by the samples and links of one solid: see find_multipliers. */
OOZE_DEVICE OozeVec3 push_of(const LinksView &s, uint32_t i, uint32_t solid)
{
    const OozeLinksKernel *kernel = &s.next.kernel;
    const float lambda = s.x_lambda[i].w, strength = s.k.strength / s.inverse_mass[i];
    float4 push = f32x4(0, 0, 0), pull = push;
    each_of_solid(
        s, i, solid,
        [&](uint32_t b, float4 d) {
            const float volume = s.k.wall_scale * s.next.boundary.volume[b];
            const float apart = ooze_artificial_pressure(
                s.k.pressure_scale, ooze_links_value(kernel, d.w), s.k.pressure_reference);
            push = push +
                   (2.0f * lambda + apart) * gradient(s, volume, ooze_links_slope(kernel, d.w), d);
        },
        [&](float4 held) {
            const float4 d = separation(s.next.periodic, s.x[i], held);
            const float excess = fmaxf(d.w - held.w, 0.0f);
            pull = pull + (strength * excess / fmaxf(d.w, 1e-6f * s.k.support)) * d;
        });
    return widen(push - (s.k.linked ? s.share[i] : 0.0f) * pull);
}

struct StoreTouching {
    OozeDynamicSolid *solids;
    __device__ void operator()(int k, const OozeTwist &sum) const { solids[k].touching = sum.v[0]; }
};

void links_push_solids(OozeLinksStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const DynamicList &coupled = data_of(step)->coupled;
    const LinksView s = view_of(step);
    StoreTouching store = {s.dynamic.solids};
    dynamic_sums_of_list(
        gpu, s.dynamic, coupled,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const OozeVec3 push = push_of(s, i, (uint32_t)s.dynamic.solids[k].solid);
            sum->v[0] = vec3_dot(push, push) > 0.0 ? 1.0 : 0.0;
        },
        store);
    dynamic_sums_of_list(
        gpu, s.dynamic, coupled,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const OozeDynamicSolid &solid = s.dynamic.solids[k];
            const OozeVec3 push = push_of(s, i, (uint32_t)solid.solid);
            if (!(vec3_dot(push, push) > 0.0)) {
                return;
            }
            const OozeVec3 arm = dynamic_arm(s.dynamic, solid, s.x0[s.order[i]]);
            const OozeVec3 along = vec3_scale(push, 1.0 / vec3_length(push));
            const double share = ooze_coupling_push_share(&solid, arm, along, s.inverse_mass[i]);
            const float4 whole = narrow(push), given_back = (float)(1.0 - share) * whole;
            s.change[i] = s.change[i] - given_back;
            ooze_coupling_add(sum, arm, vec3_scale(widen(whole - given_back), -1.0));
        },
        solid_mover(s.dynamic, s.solids, s.solids_moved, s.k.dt));
    dynamic_move_samples(engine_of(step->machine), s.dynamic);
}

void links_count_touching(OozeLinksStep *step)
{
    const LinksView s = view_of(step);
    StoreTouching store = {s.dynamic.solids};
    dynamic_sums_of_sorted(
        gpu_of(step->machine), s.dynamic, &data_of(step)->order, s.n,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const SolidView &solid = s.solids.items[s.dynamic.solids[k].solid];
            OozeVec3 normal;
            if (s.inverse_mass[i] > 0.0f &&
                solid_near(solid, s.x[i], s.k.contact + *s.solids_moved, false) &&
                solid_distance(solid, widen(s.x[i]), &normal) < (double)s.k.contact) {
                sum->v[0] = 1.0;
            }
        },
        store);
}

void links_hold(OozeLinksStep *step)
{
    const LinksView s = view_of(step);
    for_each(
        gpu_of(step->machine), data_of(step)->coupled.count, OOZE_BODY(uint32_t e) {
            const uint32_t i = s.coupled[e];
            for (uint64_t k = s.wall_first[i]; k < s.wall_first[i] + s.wall_count[i]; k++) {
                if (s.dynamic.index_of[s.wall_links[k].solid] >= 0) {
                    s.held_at[k] = place_held(s, s.wall_links[k]);
                }
            }
        });
}

void links_push_back(OozeLinksStep *step)
{
    const LinksView s = view_of(step);
    dynamic_sums_of_sorted(
        gpu_of(step->machine), s.dynamic, &data_of(step)->order, s.n,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            add_reaction(s.dynamic, k, s.pushes[i], s.x0[s.order[i]], s.inverse_mass[i], sum);
        },
        solid_mover(s.dynamic, s.solids, s.solids_moved, s.k.dt));
    dynamic_move_samples(engine_of(step->machine), s.dynamic);
}

} // namespace ooze
