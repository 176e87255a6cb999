/* Density and links corrected together on the device: see methods/links/sweep_loops.c. */
#include "cuda/links/step.cuh"
#include "cuda/shape_distance.cuh"

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
        sum->stiffness +=
            material_of(s, j).inverse_mass * (s.k.volume * slope) * (s.k.volume * slope);
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
        gpu, s.next.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            LinkSum sum = {};
            add_densities<LANES>(s, i, lane, &sum);
            if (s.count) {
                add_links<LANES>(s, i, lane, &sum);
            }
            sum_lanes_of<LANES>(&sum);
            if (lane != 0) {
                return;
            }
            const float4 own = sum.fluid + sum.walls;
            float stiffness = sum.stiffness + material_of(s, i).inverse_mass * dot(own, own);
            float centre = s.k.volume * ooze_links_value(&s.next.kernel, 0.0f);
            float error = centre - 1.0f + sum.density;
            float lambda =
                ooze_links_multiplier(error, s.k.cohesion, s.k.relaxation, stiffness, s.k.softness);
            float share = ooze_link_share(sum.taut);
            s.excess[i] = fmaxf(error, 0.0f);
            s.share[i] = share;
            s.change[i] = lambda * (own + sum.walls) + sum.separating - share * sum.pull;
            float4 x = s.x[i];
            s.before[i] = f32x4(x.x, x.y, x.z, lambda);
        });
}

/* Eqs 8, 10 and 11. */
template <int LANES> static void correct(Gpu *gpu, const LinksView &view)
{
    LinksView s = view;
    s.next.x = s.before;
    for_lanes<LANES>(
        gpu, s.next.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 sum = f32x4(0, 0, 0);
            const float4 here = s.before[i];
            const float own = s.inverse_mass[i], share = s.share[i];
            each_pair<LANES>(s.next, i, lane, [&](uint32_t j, float4 d) {
                float slope = ooze_links_slope(&s.next.kernel, d.w);
                sum = sum + s.before[j].w * gradient(s, s.k.volume, slope, d);
            });
            const OozeLink *row = s.count ? s.links + s.first[i] : nullptr;
            for (uint32_t k = lane; s.count && k < s.count[i]; k += LANES) {
                uint32_t j = row[k].other;
                float4 d = separation(s.next.periodic, here, s.before[j]);
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

/* Moves particles to the contact distance of solids: see solvers/density/push_out.c. */
static void push_out(Gpu *gpu, const LinksView &view, float contact)
{
    const LinksView s = view;
    if (s.solids.count == 0) {
        return;
    }
    for_each(
        gpu, s.next.n, OOZE_BODY(uint32_t i) {
            if (s.inverse_mass[i] == 0.0f) {
                if (s.pushes) {
                    s.pushes[i] = no_push();
                }
                return;
            }
            DynamicPush record = no_push();
            const float reach = contact + (s.pushes ? *s.solids_moved : 0.0f);
            for (int k = 0; k < s.solids.count; k++) {
                const SolidView &solid = s.solids.items[k];
                OozeVec3 normal;
                if (!solid_near(solid, s.x[i], reach, false)) {
                    continue;
                }
                double distance = solid_distance(solid, widen(s.x[i]), &normal);
                if (distance < (double)contact) {
                    double push = (double)contact - distance;
                    const int32_t index = s.pushes && solid.dynamic ? s.dynamic.index_of[k] : -1;
                    push *= index >= 0 ? push_share(s.dynamic, index, s.now.x[s.order[i]], normal,
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

struct LinkExcess {
    double sum;
    float worst;
    __device__ void operator+=(const LinkExcess &o)
    {
        sum += o.sum;
        worst = o.worst > worst ? o.worst : worst;
    }
};

static void report(LinksStep *step)
{
    const LinksView s = step->view;
    LinkExcess none = {};
    LinkExcess all = sum_to_host(
        step->gpu, s.next.n, none, OOZE_BODY(uint32_t i)->LinkExcess {
            return {(double)s.excess[i], s.excess[i]};
        });
    step->context->report->worst_density_error = (double)all.worst;
    step->context->report->mean_density_error = all.sum / (double)s.next.n;
}

void links_solve(LinksStep *step)
{
    Gpu *gpu = step->gpu;
    const OozeStepContext *c = step->context;
    links_couple_iterations(step);
    const LinksView &s = step->view;
    const int iterations = (int)c->params[OOZE_LINKS_ITERATIONS];
    const float contact = (float)(c->params[OOZE_LINKS_CONTACT_DISTANCE] * c->spacing);
    for (int k = 0; k < iterations; k++) {
#define FIND_MULTIPLIERS(LANES) find_multipliers<LANES>(gpu, s)
#define CORRECT(LANES)          correct<LANES>(gpu, s)
        OOZE_LANES(s.next.n, FIND_MULTIPLIERS);
        links_push_solids(step);
        ooze_timer_lap(c->timer, "density_multipliers");
        OOZE_LANES(s.next.n, CORRECT);
        ooze_timer_lap(c->timer, "density_corrections");
        links_count_touching(step, contact);
        push_out(gpu, s, contact);
        links_push_back(step);
        ooze_timer_lap(c->timer, "push_out");
    }
    if (iterations > 0) {
        report(step);
    }
}

} // namespace ooze
