/* Surface tension as a stress along free surfaces, and cohesion: see physics/surface_stress.h.
   Walls count as fluid, so that a surface meets them at 90 degrees; wetting adds the work of
   adhesion. */
#include "methods/cauchy/cpu/operators.h"
#include "methods/cauchy/tension_formula.h"

/* N and c of a particle. */
static OozeSurfaceSums surface_sums(const OozeCauchyTension *t, uint64_t i)
{
    const OozeCauchyStep *s = t->step;
    const OozeNeighbours *list = s->own->edges.list;
    OozeF32x4 inward = s->fluid_edge_sum[i];
    OozeSurfaceSums sums = {{inward[0], inward[1], inward[2]}, 0.0f};
    float inverse = 1.0f / s->k.strain_scale;
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        float f = s->own->edges.weight[e] * inverse;
        sums.filled += t->numbers.filled * f * f;
    }
    ooze_cauchy_add_walls(&s->k, &s->wall[i], &sums);
    return sums;
}

static void stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyTension *t = data;
    const OozeCauchyStep *s = t->step;
    for (uint64_t i = begin; i < end; i++) {
        float tension = s->materials[s->material[i]].surface_tension;
        OozeSurfaceSums sums = {{0, 0, 0}, 1.0f};
        if (tension > 0.0f) {
            sums = surface_sums(t, i);
        }
        OozeMat3 m = ooze_surface_flux(t->numbers, sums, tension, s->correction[i]);
        OozeF32x4 base = {0};
        for (int k = 0; k < 3; k++) {
            OozeF32x4 row = ooze_f32x4(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], 0);
            t->flux[3 * i + (uint64_t)k] = row;
            base[k] = ooze_f32x4_dot3(row, s->edge_sum[i]);
        }
        t->base[i] = base;
    }
}

static void add_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyTension *t = data;
    OozeCauchyStep *s = t->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 force =
            t->base[i] + ooze_edges_flux(&s->own->edges, (const OozeRows *)t->flux, i);
        float wetting[3] = {0, 0, 0};
        ooze_cauchy_add_wetting(&s->k, &s->materials[s->material[i]], &s->wall[i], wetting);
        force += ooze_f32x4(wetting[0], wetting[1], wetting[2], 0);
        force[3] = 0;
        s->force[i] += force;
    }
}

static void find_stress(OozeCauchyTension *t)
{
    ooze_cauchy_run(t->step, stress_range, t);
}

static void add_stress(OozeCauchyTension *t)
{
    ooze_cauchy_run(t->step, add_range, t);
}

static void add_cohesion(OozeCauchyStep *s)
{
    ooze_cauchy_run(s, ooze_cauchy_loops()->cohesion, s);
}

const OozeCauchyTensionStages ooze_cauchy_tension_stages = {
    .add_cohesion = add_cohesion,
    .find_stress = find_stress,
    .add_stress = add_stress,
};
