/* Surface tension and cohesion, explicit: stresses of the beginning of the step. Their forces go
   along the same edges as all others, equal and opposite, and the stresses are symmetric: momentum
   and angular momentum are conserved. */
#include <math.h>

#include "base/fail.h"
#include "methods/conformation/gradient.h"
#include "solvers/surface_tension_formula.h"

typedef struct Tension {
    OozeConformationStep *step;
    OozeSurfaceTension numbers;
    OozeRows *flux;
    OozeF32x4 *base;
} Tension;

typedef struct Sums {
    OozeF32x4 inward; /* see OozeSurfaceSums */
    float filled;
} Sums;

static void add(Sums *sums, OozeF32x4 d, float support, float scale, float share)
{
    float f = ooze_strain_weight(sqrtf(ooze_f32x4_dot3(d, d)), support);
    sums->inward += d * (scale * f);
    sums->filled += share * f * f;
}

static Sums gather_surface(const Tension *t, uint64_t i)
{
    const OozeConformationStep *s = t->step;
    const OozeStepContext *c = s->context;
    const OozeNeighbours *list = c->fluid, *walls = c->fluid_boundary;
    Sums sums = {.filled = 0};
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeF32x4 d = ooze_f32x4_nearest(s->x0[list->index[e]] - s->x0[i], &c->periodic);
        add(&sums, d, s->support, t->numbers.scale, t->numbers.filled);
    }
    for (uint32_t k = 0; c->boundary->count && k < walls->count[i]; k++) {
        uint32_t b = walls->index[walls->first[i] + k];
        OozeFloat4 p = c->boundary->position[b];
        OozeF32x4 d = ooze_f32x4_nearest(ooze_f32x4(p.x, p.y, p.z, 0) - s->x0[i], &c->periodic);
        float volume = c->boundary->volume[b];
        add(&sums, d, s->support, t->numbers.wall_scale * volume, t->numbers.wall_filled * volume);
    }
    return sums;
}

static void stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
    const OozeConformationStep *s = t->step;
    for (uint64_t i = begin; i < end; i++) {
        float tension = s->rheology[s->material[i]].surface_tension;
        Sums sums = {.filled = 1};
        if (tension > 0.0f) {
            sums = gather_surface(t, i);
        }
        OozeF32x4 n = sums.inward;
        OozeSurfaceSums surface = {{n[0], n[1], n[2]}, sums.filled};
        OozeMat3 m = ooze_surface_flux(t->numbers, surface, tension, s->correction[i]);
        OozeF32x4 sum = s->edge_sum[i], base = {0};
        OozeRows flux;
        for (int k = 0; k < 3; k++) {
            flux.row[k] = ooze_f32x4(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], 0);
            base[k] = ooze_f32x4_dot3(flux.row[k], sum);
        }
        t->flux[i] = flux;
        t->base[i] = base;
    }
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
    OozeConformationStep *s = t->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 force = t->base[i] + ooze_edges_flux(&s->edges, t->flux, i);
        s->u[i] += (s->dt * s->mobility[i]) * force;
        s->u[i][3] = 0;
    }
}

OozeStatus ooze_conformation_tension(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    if (!(s->largest_surface_tension > 0.0f)) {
        return OOZE_OK;
    }
    OozeArenaMark mark = ooze_arena_mark(c->arena);
    Tension t = {
        .step = s,
        .numbers = ooze_surface_tension(c->spacing, c->support, s->volume, s->wall_scale,
                                        s->flat_gradient),
        .flux = ooze_gathered_alloc(c->arena, s->n, sizeof *t.flux),
        .base = ooze_arena_alloc(c->arena, s->n, sizeof *t.base),
    };
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "surface tension", s->n * sizeof *t.flux);
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, stress_range, &t);
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, push_range, &t);
    ooze_lodge_solids_pull(s, t.flux);
    ooze_arena_rewind(c->arena, mark);
    return OOZE_OK;
}
