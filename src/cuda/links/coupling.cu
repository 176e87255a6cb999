/* Dynamic solids: see methods/links/coupling.c. */
#include "cuda/links/step.cuh"
#include "cuda/shape_distance.cuh"
#include "cuda/sort.cuh"

namespace ooze
{

OozeStatus links_couple(LinksStep *step, OozeError *error)
{
    OozeStepContext *c = step->context;
    if (!c->dynamic) {
        return OOZE_OK;
    }
    const double unit =
        c->materials[0].values[OOZE_MATERIAL_DENSITY] * c->spacing * c->spacing * c->spacing;
    OozeStatus result = dynamic_begin(step->engine, &step->dynamic, c, unit, error);
    if (!result && c->dynamic->dynamics) { /* contacts change the free motion */
        dynamic_move_samples(step->engine, step->dynamic.view);
    }
    step->view.dynamic = step->dynamic.view;
    return result;
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
    for (uint32_t k = 0; s.wall_count && k < s.wall_count[i]; k++) {
        const uint64_t e = s.wall_first[i] + k;
        if (s.wall_links[e].solid == solid) {
            g(s.held_at[e]);
        }
    }
}

/* Waits for the number of particles near dynamic solids. */
void links_couple_iterations(LinksStep *step)
{
    Gpu *gpu = step->gpu;
    if (step->view.dynamic.count == 0) {
        return;
    }
    const uint64_t n = step->view.next.n;
    uint8_t *far = scratch<uint8_t>(gpu, n);
    uint32_t *near = scratch<uint32_t>(gpu, n);
    step->view.pushes = scratch<DynamicPush>(gpu, n);
    step->view.solids_moved = scratch<float>(gpu, 1);
    clear(gpu, step->view.solids_moved, sizeof(float));
    const LinksView s = step->view;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            bool found = false;
            each_wall_pair<1>(s.next, i, 0, [&](uint32_t b, float4) {
                found = found || s.dynamic.index_of[s.next.boundary.solid[b]] >= 0;
            });
            for (uint32_t k = 0; s.wall_count && k < s.wall_count[i]; k++) {
                found = found || s.dynamic.index_of[s.wall_links[s.wall_first[i] + k].solid] >= 0;
            }
            far[i] = found && s.inverse_mass[i] > 0.0f ? 0 : 1;
        });
    uint64_t count = select_unflagged(gpu, far, near, n);
    step->view.near = near;
    step->view.near_count = gpu->failed == cudaSuccess ? count : 0;
}

/* Correction of particle i by the samples and links of one solid: see find_multipliers. */
OOZE_DEVICE OozeVec3 push_of(const LinksView &s, uint32_t i, uint32_t solid)
{
    const OozeLinksKernel *kernel = &s.next.kernel;
    const float lambda = s.before[i].w, strength = s.k.strength / s.inverse_mass[i];
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
    return widen(push - (s.wall_count ? s.share[i] : 0.0f) * pull);
}

struct StoreTouching {
    OozeDynamicSolid *solids;
    __device__ void operator()(int k, const OozeTwist &sum) const { solids[k].touching = sum.v[0]; }
};

void links_push_solids(LinksStep *step)
{
    const LinksView s = step->view;
    if (s.dynamic.count == 0) {
        return;
    }
    StoreTouching store = {s.dynamic.solids};
    dynamic_sums(
        step->gpu, s.dynamic, s.near, s.near_count,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const OozeVec3 push = push_of(s, i, (uint32_t)s.dynamic.solids[k].solid);
            sum->v[0] = vec3_dot(push, push) > 0.0 ? 1.0 : 0.0;
        },
        store);
    dynamic_sums(
        step->gpu, s.dynamic, s.near, s.near_count,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const OozeDynamicSolid &solid = s.dynamic.solids[k];
            const OozeVec3 push = push_of(s, i, (uint32_t)solid.solid);
            if (!(vec3_dot(push, push) > 0.0)) {
                return;
            }
            const OozeVec3 arm = dynamic_arm(s.dynamic, solid, s.now.x[s.order[i]]);
            const OozeVec3 along = vec3_scale(push, 1.0 / vec3_length(push));
            const double share = ooze_coupling_push_share(&solid, arm, along, s.inverse_mass[i]);
            const float4 whole = narrow(push), given_back = (float)(1.0 - share) * whole;
            s.change[i] = s.change[i] - given_back;
            ooze_coupling_add(sum, arm, vec3_scale(widen(whole - given_back), -1.0));
        },
        solid_mover(s.dynamic, s.solids, s.solids_moved, s.k.dt));
    dynamic_move_samples(step->engine, s.dynamic);
}

void links_count_touching(LinksStep *step, float contact)
{
    const LinksView s = step->view;
    StoreTouching store = {s.dynamic.solids};
    dynamic_sums(
        step->gpu, s.dynamic, nullptr, s.next.n,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const SolidView &solid = s.solids.items[s.dynamic.solids[k].solid];
            OozeVec3 normal;
            if (s.inverse_mass[i] > 0.0f &&
                solid_near(solid, s.x[i], contact + *s.solids_moved, false) &&
                solid_distance(solid, widen(s.x[i]), &normal) < (double)contact) {
                sum->v[0] = 1.0;
            }
        },
        store);
}

/* The fixed ends of links move with the solids. */
static void update_held(LinksStep *step)
{
    const LinksView s = step->view;
    if (!s.wall_count) {
        return;
    }
    float4 *held = const_cast<float4 *>(s.held_at);
    for_each(
        step->gpu, s.near_count, OOZE_BODY(uint32_t e) {
            const uint32_t i = s.near[e];
            for (uint64_t k = s.wall_first[i]; k < s.wall_first[i] + s.wall_count[i]; k++) {
                if (s.dynamic.index_of[s.wall_links[k].solid] >= 0) {
                    held[k] = place_held(s, s.wall_links[k]);
                }
            }
        });
}

void links_push_back(LinksStep *step)
{
    const LinksView s = step->view;
    if (s.dynamic.count == 0) {
        return;
    }
    dynamic_sums(
        step->gpu, s.dynamic, nullptr, s.next.n,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            add_reaction(s.dynamic, k, s.pushes[i], s.now.x[s.order[i]], s.inverse_mass[i], sum);
        },
        solid_mover(s.dynamic, s.solids, s.solids_moved, s.k.dt));
    dynamic_move_samples(step->engine, s.dynamic);
    update_held(step);
}

} // namespace ooze
