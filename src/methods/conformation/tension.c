/* Surface tension and cohesion, explicit: stresses of the beginning of the step. Their forces go along
   the same edges as all others, equal and opposite, and the stresses are symmetric: momentum and
   angular momentum are kept. */
#include <math.h>

#include "base/fail.h"
#include "methods/conformation/gradient.h"
#include "physics/surface_stress.h"

typedef struct Tension {
    OozeConformationStep *step;
    float scale;       /* of the strain weight, with the particle's volume */
    float wall_scale;  /* likewise with a boundary sample's Akinci volume */
    float flat;        /* |N| at a flat surface */
    float calibration; /* from |N| to |grad c|, and to the share of the tension along the surface */
    float cohesion;    /* K over the surface tension, 1/m */
    float filled;      /* what a neighbour counts for in c, times its weight */
    float wall_filled; /* likewise a boundary sample, per Akinci volume */
    OozeRows *flux;
    OozeFour *base;
} Tension;

/* What a particle sees about it: walls count as fluid, for where fluid meets them no surface is free. */
typedef struct Seen {
    OozeFour inward; /* N */
    float filled;    /* c */
} Seen;

static void add(Seen *seen, OozeFour d, float support, float scale, float share)
{
    float f = ooze_strain_weight(sqrtf(ooze_four_dot3(d, d)), support);
    seen->inward += d * (scale * f);
    seen->filled += share * f * f;
}

static Seen look(const Tension *t, uint64_t i)
{
    const OozeConformationStep *s = t->step;
    const OozeStepContext *c = s->context;
    const OozeNeighbours *list = c->fluid, *walls = c->fluid_boundary;
    Seen seen = {.filled = 0};
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeFour d = ooze_four_nearest(s->x0[list->index[e]] - s->x0[i], &c->periodic);
        add(&seen, d, s->support, t->scale, t->filled);
    }
    for (uint32_t k = 0; c->boundary->count && k < walls->count[i]; k++) {
        uint32_t b = walls->index[walls->first[i] + k];
        OozeFloat4 p = c->boundary->position[b];
        OozeFour d = ooze_four_nearest(ooze_four(p.x, p.y, p.z, 0) - s->x0[i], &c->periodic);
        float volume = c->boundary->volume[b];
        add(&seen, d, s->support, t->wall_scale * volume, t->wall_filled * volume);
    }
    return seen;
}

static void stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Tension *t = data;
    const OozeConformationStep *s = t->step;
    for (uint64_t i = begin; i < end; i++) {
        float tension = s->rheology[s->material[i]].tension;
        Seen seen = {.filled = 1};
        if (tension > 0.0f) {
            seen = look(t, i);
        }
        OozeFour n = seen.inward;
        float length = sqrtf(ooze_four_dot3(n, n));
        float pull = tension * t->calibration * ooze_surface_density(length, t->flat);
        OozeSym3 stress = ooze_surface_stress(n[0], n[1], n[2], pull);
        OozeMat3 m = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), s->correction[i]);
        float together = tension * t->cohesion * ooze_max(0.0f, 1.0f - seen.filled);
        OozeFour sum = s->edge_sum[i], base = {0};
        OozeRows flux;
        for (int k = 0; k < 3; k++) {
            flux.row[k] = ooze_four(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], 0);
            flux.row[k][k] += together;
            base[k] = ooze_four_dot3(flux.row[k], sum);
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
        OozeFour force = t->base[i] + ooze_edges_flux(&s->edges, t->flux, i);
        s->u[i] += (s->dt * s->mobility[i]) * force;
        s->u[i][3] = 0;
    }
}

OozeStatus ooze_conformation_tension(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    bool any = false;
    for (int m = 0; m < s->row_count; m++) {
        any = any || s->rheology[m].tension > 0.0f;
    }
    if (!any) {
        return OOZE_OK;
    }
    OozeArenaMark mark = ooze_arena_mark(c->arena);
    double sum = ooze_cohesion_sum(c->spacing, c->support);
    double scale = ooze_strain_weight_scale(c->spacing, c->support);
    Tension t = {
        .step = s,
        .scale = (float)(scale * (double)s->volume),
        .wall_scale = (float)(scale * (double)s->wall_scale),
        .flat = s->flat_gradient,
        .calibration =
            (float)(OOZE_SURFACE_ALONG * ooze_surface_calibration(c->spacing, c->support)),
        .cohesion = (float)(OOZE_COHESION / c->spacing),
        .filled = (float)(1.0 / sum),
        .wall_filled = (float)((double)s->wall_scale / ((double)s->volume * sum)),
        .flux = ooze_gathered_alloc(c->arena, s->n, sizeof *t.flux),
        .base = ooze_arena_alloc(c->arena, s->n, sizeof *t.base),
    };
    if (!t.flux || !t.base) {
        return ooze_fail_memory(error, "surface tension", s->n * sizeof *t.flux);
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, stress_range, &t);
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, push_range, &t);
    ooze_couple_pull(s, t.flux);
    ooze_arena_rewind(c->arena, mark);
    return OOZE_OK;
}
