/* The position stage as printed: eqs 14 to 18, kernel gradients and Jacobians afresh in every
   sweep. */
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/constraint/cpu/constraint_solve.h"
#include "methods/conformation/constraint/paper_formula.h"

static OozePaperSums sum_neighbours(const OozePaperPositions *job, uint64_t i)
{
    const OozeConformationStep *s = job->constraint->step;
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    const OozeBoundary *boundary = s->context->boundary;
    const OozePeriodic *periodic = &s->context->periodic;
    OozePaperSums n = {.count = 0};
    float value;
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        uint32_t j = list->index[e];
        OozeF32x4 d = ooze_f32x4_nearest(job->x[j] - job->x[i], periodic);
        OozeF32x4 d0 = ooze_f32x4_nearest(s->x0[j] - s->x0[i], periodic);
        OozeF32x4 g = ooze_edge(d, s->support, s->volume, 0.0f, &value);
        job->edges.weight[e] = g[3];
        ooze_paper_add_square(&n, g, s->mobility[j]);
        ooze_paper_add(&n, d, d0, g);
    }
    for (uint32_t w = 0; boundary->count && w < walls->count[i]; w++) {
        uint32_t b = walls->index[walls->first[i] + w];
        if (s->own->wall_edge[walls->first[i] + w][3] == 0.0f) {
            continue; /* the solid is not no-slip */
        }
        OozeFloat4 p = boundary->position[b], v = boundary->velocity[b];
        OozeF32x4 end = ooze_f32x4(p.x, p.y, p.z, 0);
        OozeF32x4 begin = end - s->dt * ooze_f32x4(v.x, v.y, v.z, 0);
        OozeF32x4 d = ooze_f32x4_nearest(end - job->x[i], periodic);
        OozeF32x4 d0 = ooze_f32x4_nearest(begin - s->x0[i], periodic);
        float volume = s->wall_scale * boundary->volume[b];
        ooze_paper_add(&n, d, d0, ooze_edge(d, s->support, volume, 0.0f, &value));
    }
    ooze_paper_add_square(&n, n.edges, s->mobility[i]);
    return n;
}

static void multiplier_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozePaperPositions *job = data;
    OozeConstraint *c = job->constraint;
    const OozeConformationStep *s = c->step;
    const OozePaperSwitches acts = {s->plan->settings.corotation,
                                    s->plan->settings.deviatoric_only};
    for (uint64_t i = begin; i < end; i++) {
        OozePaperSums n = sum_neighbours(job, i);
        OozeMat3 t = ooze_paper_sweep(&n, ooze_strain_beyond_rest(s, i), acts,
                                      c->materials[s->material[i]], s->dt, &job->lambda[i]);
        OozeF32x4 base = {0};
        for (int k = 0; k < 3; k++) {
            OozeF32x4 row = ooze_f32x4(t.m[3 * k], t.m[3 * k + 1], t.m[3 * k + 2], 0);
            c->flux[i].row[k] = row;
            base[k] = ooze_f32x4_dot3(row, n.edges);
        }
        c->base[i] = base;
    }
}

static void shift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozePaperPositions *job = data;
    OozeConstraint *c = job->constraint;
    const OozeConformationStep *s = c->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 push = c->base[i] + ooze_edges_flux(&job->edges, c->flux, i);
        push[3] = 0;
        job->shift[i] += c->receiver[i] * s->mobility[i] * push;
    }
}

OozeStatus ooze_paper_positions_begin(OozePaperPositions *job, OozeConstraint *c,
                                      const OozeF32x4 *start, OozeError *error)
{
    OozeConformationStep *s = c->step;
    OozeArena *arena = s->context->arena;
    uint64_t edges = s->context->fluid->first[s->n];
    job->constraint = c;
    job->start = start;
    job->x = ooze_gathered_alloc(arena, s->local, sizeof *job->x);
    job->edges = *s->own->edges;
    job->edges.x = job->x;
    job->edges.weight = ooze_arena_alloc(arena, edges, sizeof(float));
    job->lambda = ooze_arena_alloc(arena, s->n, sizeof *job->lambda);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the position stage", edges * sizeof(float));
    }
    memset(job->edges.weight, 0, edges * sizeof(float)); /* padding stays so */
    for (uint64_t i = 0; i < s->n; i++) {
        job->lambda[i] = ooze_sym3_identity(0);
    }
    return OOZE_OK;
}

void ooze_paper_positions_sweep(OozePaperPositions *job, OozeF32x4 *shift)
{
    job->shift = shift;
    const OozeConformationStep *s = job->constraint->step;
    OozeThreads *threads = s->context->threads;
    for (uint64_t i = 0; i < s->n; i++) {
        job->x[i] = job->start[i] + job->shift[i];
        job->x[i][3] = 1;
    }
    ooze_halo_refresh(s->context->halo, job->x, sizeof *job->x);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, multiplier_range, job);
    ooze_halo_refresh(s->context->halo, job->constraint->flux, sizeof *job->constraint->flux);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, shift_range, job);
}
