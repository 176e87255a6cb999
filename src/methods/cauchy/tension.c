/* Surface tension as a stress along free surfaces, and cohesion: see physics/surface_stress.h.
   Walls count as fluid, so that a surface meets them at 90 degrees; wetting adds the work of
   adhesion. */
#include <math.h>

#include "base/fail.h"
#include "methods/cauchy/operators.h"
#include "methods/cauchy/tension_formula.h"

typedef struct Tension {
    OozeCauchyStep *step;
    OozeSurfaceTension numbers;
    OozeRows *flux; /* gathered */
    OozeF32x4 *base;
} Tension;

/* N and c of a particle. */
static OozeSurfaceSums surface_sums(const Tension *t, uint64_t i)
{
    const OozeCauchyStep *s = t->step;
    const OozeNeighbours *list = s->edges.list;
    OozeF32x4 inward = s->edge_sum[i];
    OozeSurfaceSums sums = {{inward[0], inward[1], inward[2]}, 0.0f};
    float inverse = 1.0f / s->k.strain_scale;
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        float f = s->edges.weight[e] * inverse;
        sums.filled += t->numbers.filled * f * f;
    }
    ooze_cauchy_add_walls(&s->k, &s->wall[i], &sums);
    return sums;
}

static void stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
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
            t->flux[i].row[k] = ooze_f32x4(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], 0);
            base[k] = ooze_f32x4_dot3(t->flux[i].row[k], s->clinging_sum[i]);
        }
        t->base[i] = base;
    }
}

static void pull_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
    OozeCauchyStep *s = t->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 force = t->base[i] + ooze_edges_flux(&s->edges, t->flux, i);
        float wetting[3] = {0, 0, 0};
        ooze_cauchy_add_wetting(&s->k, &s->materials[s->material[i]], &s->wall[i], wetting);
        force += ooze_f32x4(wetting[0], wetting[1], wetting[2], 0);
        force[3] = 0;
        s->force[i] += force;
    }
}

OozeStatus ooze_cauchy_tension(OozeCauchyStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeArenaMark mark = ooze_arena_mark(c->arena);
    Tension t = {
        .step = s,
        .numbers = ooze_surface_tension(c->spacing, c->support,
                                        (float)(c->spacing * c->spacing * c->spacing), 1.0f,
                                        s->k.flat_strain),
        .flux = ooze_gathered_alloc(c->arena, s->local, sizeof *t.flux),
        .base = ooze_arena_alloc(c->arena, s->n, sizeof *t.base),
    };
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "surface tension", s->n * sizeof *t.flux);
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CAUCHY_GRAIN, stress_range, &t);
    ooze_cauchy_refresh(s, t.flux, sizeof *t.flux);
    ooze_parallel_for(c->threads, s->n, OOZE_CAUCHY_GRAIN, pull_range, &t);
    ooze_arena_rewind(c->arena, mark);
    return OOZE_OK;
}
