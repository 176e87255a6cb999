/* Density and links corrected together on the device: see cpu/sweep_loops.c. */
#include "cuda/shape_distance.cuh"
#include "methods/links/cuda/stages.cuh"

namespace ooze
{

struct LinkSum {
    float density, stiffness, taut;
    float4 fluid, walls;     /* gradients at the particle, of fluid and of boundary particles */
    float4 separating, pull; /* by artificial pressure; by taut links to solids */
};

template <int LANES>
OOZE_DEVICE void add_densities(const LinksView &s, uint32_t i, uint32_t lane, LinkSum *sum)
{
    const OozeLinksKernel *kernel = &s.next.kernel;
    each_pair<LANES>(s.next, i, lane, [&](uint32_t j, float4 d) {
        float value = ooze_links_value(kernel, d.w), slope = ooze_links_slope(kernel, d.w);
        float4 g = gradient(s, s.k.volume, slope, d);
        sum->density += s.k.volume * value;
        sum->stiffness += s.effective_inverse_mass[j] * (s.k.volume * slope) * (s.k.volume * slope);
        sum->fluid = sum->fluid + g;
        sum->separating =
            sum->separating +
            ooze_artificial_pressure(s.k.pressure_scale, value, s.k.pressure_reference) * g;
    });
    each_wall_pair<LANES>(s.next, i, lane, [&](uint32_t b, float4 d) {
        float value = ooze_links_value(kernel, d.w);
        float volume = s.k.wall_scale * s.next.boundary.volume[b];
        float4 g = gradient(s, volume, ooze_links_slope(kernel, d.w), d);
        sum->density += volume * value;
        sum->walls = sum->walls + g;
        sum->separating =
            sum->separating +
            ooze_artificial_pressure(s.k.pressure_scale, value, s.k.pressure_reference) * g;
    });
}

template <int LANES>
OOZE_DEVICE void add_links(const LinksView &s, uint32_t i, uint32_t lane, LinkSum *sum)
{
    const float4 x = s.x[i];
    const OozeLink *row = s.links + s.first[i];
    for (uint32_t k = lane; k < s.count[i]; k += LANES) {
        sum->taut += separation(s.next.periodic, x, s.x[row[k].other]).w > row[k].rest;
    }
    const float own = s.inverse_mass[i], strength = own > 0.0f ? s.k.strength / own : 0.0f;
    const float4 *held = s.held_at + s.wall_first[i];
    for (uint32_t k = lane; k < s.wall_count[i]; k += LANES) {
        float4 d = separation(s.next.periodic, x, held[k]);
        float excess = fmaxf(d.w - held[k].w, 0.0f);
        sum->taut += d.w > held[k].w;
        sum->pull = sum->pull + (strength * excess / fmaxf(d.w, 1e-6f * s.k.support)) * d;
    }
}

template <int LANES> OOZE_DEVICE void sum_lanes_of(LinkSum *sum)
{
    sum->density = lanes_sum<LANES>(sum->density);
    sum->stiffness = lanes_sum<LANES>(sum->stiffness);
    sum->taut = lanes_sum<LANES>(sum->taut);
    sum->fluid = lanes_sum<LANES>(sum->fluid);
    sum->walls = lanes_sum<LANES>(sum->walls);
    sum->separating = lanes_sum<LANES>(sum->separating);
    sum->pull = lanes_sum<LANES>(sum->pull);
}

/* Eqs 4 to 7, taut links, and the part of the correction without the multipliers of neighbours. */
template <int LANES> static void find_multipliers(Gpu *gpu, const LinksView &view)
{
    const LinksView s = view;
    for_lanes<LANES>(
        gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            LinkSum sum = {};
            add_densities<LANES>(s, i, lane, &sum);
            if (s.k.linked) {
                add_links<LANES>(s, i, lane, &sum);
            }
            sum_lanes_of<LANES>(&sum);
            if (lane != 0) {
                return;
            }
            const float4 own = sum.fluid + sum.walls;
            float stiffness = sum.stiffness + s.effective_inverse_mass[i] * dot(own, own);
            float centre = s.k.volume * ooze_links_value(&s.next.kernel, 0.0f);
            float error = centre - 1.0f + sum.density;
            float lambda =
                ooze_links_multiplier(error, s.k.cohesion, s.k.relaxation, stiffness, s.k.softness);
            float share = ooze_link_share(sum.taut);
            s.excess[i] = fmaxf(error, 0.0f);
            s.share[i] = share;
            s.change[i] = lambda * (own + sum.walls) + sum.separating - share * sum.pull;
            float4 x = s.x[i];
            s.x_lambda[i] = f32x4(x.x, x.y, x.z, lambda);
        });
}

/* Eqs 8, 10 and 11. */
template <int LANES> static void correct(Gpu *gpu, const LinksView &view)
{
    LinksView s = view;
    s.next.x = s.x_lambda;
    for_lanes<LANES>(
        gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 sum = f32x4(0, 0, 0);
            const float4 here = s.x_lambda[i];
            const float own = s.inverse_mass[i], share = s.share[i];
            each_pair<LANES>(s.next, i, lane, [&](uint32_t j, float4 d) {
                float slope = ooze_links_slope(&s.next.kernel, d.w);
                sum = sum + s.x_lambda[j].w * gradient(s, s.k.volume, slope, d);
            });
            const OozeLink *row = s.k.linked ? s.links + s.first[i] : nullptr;
            for (uint32_t k = lane; s.k.linked && k < s.count[i]; k += LANES) {
                uint32_t j = row[k].other;
                float4 d = separation(s.next.periodic, here, s.x_lambda[j]);
                float pull =
                    d.w > row[k].rest
                        ? ooze_link_correction(d.w, row[k].rest, s.k.strength,
                                               fminf(share, s.share[j]), own, s.inverse_mass[j])
                        : 0.0f;
                sum = sum - (pull / fmaxf(d.w, 1e-6f * s.k.support)) * d;
            }
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                float4 all = own * (s.change[i] + sum);
                s.x[i] = s.x[i] + all;
                s.shift[i] = s.shift[i] + all;
            }
        });
}

void links_find_multipliers(OozeLinksStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const LinksView s = view_of(step);
#define FIND_MULTIPLIERS(LANES) find_multipliers<LANES>(gpu, s)
    OOZE_LANES(step->machine->all, FIND_MULTIPLIERS);
}

void links_correct(OozeLinksStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const LinksView s = view_of(step);
#define CORRECT(LANES) correct<LANES>(gpu, s)
    OOZE_LANES(step->machine->all, CORRECT);
}

/* Moves particles to the contact distance of solids: see solvers/density/push_out.c. */
void links_push_out(OozeLinksStep *step)
{
    const LinksView s = view_of(step);
    if (s.pushes) {
        links_count_touching(step);
    }
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t i) {
            if (s.inverse_mass[i] == 0.0f) {
                if (s.pushes) {
                    s.pushes[i] = no_push();
                }
                return;
            }
            DynamicPush record = no_push();
            const float reach = s.k.contact + (s.pushes ? *s.solids_moved : 0.0f);
            for (int k = 0; k < s.solids.count; k++) {
                const SolidView &solid = s.solids.items[k];
                OozeVec3 normal;
                if (!solid_near(solid, s.x[i], reach, false)) {
                    continue;
                }
                double distance = solid_distance(solid, widen(s.x[i]), &normal);
                if (distance < (double)s.k.contact) {
                    double push = (double)s.k.contact - distance;
                    const int32_t index = s.pushes && solid.dynamic ? s.dynamic.index_of[k] : -1;
                    push *= index >= 0 ? push_share(s.dynamic, index, s.x0[s.order[i]], normal,
                                                    s.inverse_mass[i])
                                       : 1.0;
                    float4 delta = narrow(vec3_scale(normal, push));
                    if (index >= 0) {
                        record_push(index, delta, &record);
                    }
                    s.x[i] = s.x[i] + delta;
                    s.shift[i] = s.shift[i] + delta;
                }
            }
            if (s.pushes) {
                s.pushes[i] = record;
            }
        });
}

} // namespace ooze
