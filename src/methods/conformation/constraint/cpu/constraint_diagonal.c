/* The diagonal of a Jacobi sweep. For corrected gradients it is a bound by row sums: the plain
   diagonal, scaled by the number of neighbours, is unstable at corners and edges. */
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/constraint/cpu/constraint_solve.h"

typedef struct DiagonalJob {
    OozeConstraint *constraint;
    /* Per particle and axis: sum of |J| over all rows, over its mass; NULL: plain diagonal. */
    OozeF32x4 *column;
    const OozeSym3 *correction; /* with that of ghosts; only with `column` */
} DiagonalJob;

static OozeF32x4 corrected(OozeSym3 b, OozeF32x4 g)
{
    float edge[3] = {g[0], g[1], g[2]}, out[3];
    ooze_constraint_corrected(b, edge, out);
    return ooze_f32x4(out[0], out[1], out[2], 0);
}

static void column_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const DiagonalJob *job = data;
    const OozeConstraint *c = job->constraint;
    const OozeConformationStep *s = c->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 own = corrected(c->correction[i], s->edge_sum[i]);
        float g[3] = {own[0], own[1], own[2]}, column[3] = {0, 0, 0};
        ooze_constraint_add_column(column, g);
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            OozeF32x4 other =
                corrected(job->correction[list->index[e]], ooze_edge_at(s->own->edges, i, e));
            g[0] = other[0];
            g[1] = other[1];
            g[2] = other[2];
            ooze_constraint_add_column(column, g);
        }
        job->column[i] = s->mobility[i] * ooze_f32x4(column[0], column[1], column[2], 0);
    }
}

static void add(const DiagonalJob *job, OozeSym3 *d, OozeF32x4 edge, uint64_t k)
{
    const OozeConformationStep *s = job->constraint->step;
    float g[3] = {edge[0], edge[1], edge[2]};
    if (job->column) {
        OozeF32x4 sums = job->column[k];
        float column[3] = {sums[0], sums[1], sums[2]};
        ooze_constraint_add_bound(d, g, column);
    } else {
        ooze_constraint_add_square(d, g, s->mobility[k]);
    }
}

static void diagonal_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const DiagonalJob *job = data;
    OozeConstraint *c = job->constraint;
    const OozeConformationStep *s = c->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        OozeSym3 d = ooze_sym3_identity(0);
        add(job, &d, corrected(c->correction[i], s->edge_sum[i]), i);
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            add(job, &d, corrected(c->correction[i], ooze_edge_at(s->own->edges, i, e)),
                list->index[e]);
        }
        float scale = job->column ? 1.0f / OOZE_ROW_SUM_SHARE : 1.0f;
        c->diagonal[i] = ooze_sym3_scale(d, s->dt * s->dt * scale);
    }
}

/* The corrections of particles and ghosts; NULL: out of memory. */
static const OozeSym3 *corrections(const OozeConstraint *c)
{
    const OozeConformationStep *s = c->step;
    if (!s->context->halo) {
        return c->correction;
    }
    OozeSym3 *copy = ooze_arena_alloc(s->context->arena, s->local, sizeof *copy);
    if (copy) {
        memcpy(copy, c->correction, s->n * sizeof *copy);
        ooze_halo_refresh(s->context->halo, copy, sizeof *copy);
    }
    return copy;
}

OozeStatus ooze_constraint_diagonal(OozeConstraint *c, OozeError *error)
{
    OozeConformationStep *s = c->step;
    DiagonalJob job = {.constraint = c};
    OozeThreads *threads = s->context->threads;
    if (!c->receiver) {
        job.column = ooze_arena_alloc(s->context->arena, s->local, sizeof *job.column);
        job.correction = corrections(c);
        if (!job.column || !job.correction) {
            return ooze_fail_memory(error, "the constraint's diagonal", s->n * sizeof *job.column);
        }
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, column_range, &job);
        ooze_halo_refresh(s->context->halo, job.column, sizeof *job.column);
    }
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, diagonal_range, &job);
    return OOZE_OK;
}
