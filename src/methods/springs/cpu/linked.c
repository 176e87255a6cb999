/* Fast particles with springs, which do not fly freely: see OozeMethod.mark_linked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/search.h"
#include "methods/springs/cpu/loops.h"

/* The fast particles of all processes. */
typedef struct Fast {
    const OozeStepContext *context;
    int count;
    uint64_t first_row; /* rows of the processes before this one */
    /* Per particle: number of its row, or -1, and position. */
    double (*particle)[4];
    int32_t *number; /* per row of this process: 1 + the number in the list of its particle, or 0 */
    uint64_t *sorted; /* rows, and in the lower half numbers in the list, ascending */
} Fast;

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void load(Fast *f, const uint32_t *row_of, const uint32_t *particles)
{
    const OozeFloat4 *x = ooze_particles_positions(f->context->particles);
    for (int k = 0; k < f->count; k++) {
        bool is_here = particles[k] != UINT32_MAX;
        uint32_t i = is_here ? particles[k] : 0;
        bool has_row = is_here && row_of[i] != OOZE_LINK_ROW_NONE;
        f->particle[k][0] = has_row ? (double)row_of[i] : -1.0;
        f->particle[k][1] = is_here ? (double)x[i].x : -INFINITY;
        f->particle[k][2] = is_here ? (double)x[i].y : -INFINITY;
        f->particle[k][3] = is_here ? (double)x[i].z : -INFINITY;
    }
    ooze_halo_max(f->context->halo, f->particle[0], 4 * f->count);
}

static void number_rows(Fast *f, uint64_t rows)
{
    memset(f->number, 0, rows * sizeof *f->number);
    for (int k = 0; k < f->count; k++) {
        double row = f->particle[k][0];
        uint64_t number = row >= 0.0 ? (uint64_t)row : UINT32_MAX;
        f->sorted[k] = number << 32 | (uint64_t)k;
        if (number - f->first_row < rows) {
            f->number[number - f->first_row] = k + 1;
        }
    }
    qsort(f->sorted, (size_t)f->count, sizeof *f->sorted, compare);
}

/* 1 + the number in the list of the particle of a row, or 0. */
static int32_t find(const Fast *f, uint64_t rows, uint32_t row)
{
    if (row - f->first_row < rows) {
        return f->number[row - f->first_row];
    }
    uint64_t count = (uint64_t)f->count,
             at = ooze_lower_bound(f->sorted, sizeof *f->sorted, count, (uint64_t)row << 32);
    bool found = at < count && f->sorted[at] >> 32 == row;
    return found ? (int32_t)(f->sorted[at] & UINT32_MAX) + 1 : 0;
}

/* Whether two particles are farther apart than the support. */
static bool are_far(const Fast *f, int32_t a, int32_t b)
{
    const double *x = f->particle[a - 1], *y = f->particle[b - 1];
    const OozePeriodic *p = &f->context->periodic;
    float d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = ooze_periodic_delta((float)x[k + 1] - (float)y[k + 1], p->length[k], p->inverse[k]);
    }
    return (double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) >
           f->context->support * f->context->support;
}

static void mark_rows(const Fast *f, const OozeLinkRows *rows, bool *linked)
{
    for (uint64_t r = 0; r < rows->n; r++) {
        const OozeLink *row = ooze_links_of(rows, r);
        for (uint32_t k = 0; k < rows->count[r]; k++) {
            int32_t a = f->number[r], b = find(f, rows->n, row[k].other);
            bool both = a > 0 && b > 0;
            if ((a > 0 || b > 0) && (!both || are_far(f, a, b))) {
                linked[(a > 0 ? a : b) - 1] = linked[(b > 0 ? b : a) - 1] = true;
            }
        }
    }
}

/* What one process has found holds for all. */
static void share_marks(const Fast *f, bool *linked)
{
    for (int k = 0; k < f->count; k++) {
        f->particle[k][0] = linked[k];
    }
    ooze_halo_max(f->context->halo, f->particle[0], 4 * f->count);
    for (int k = 0; k < f->count; k++) {
        linked[k] = f->particle[k][0] > 0.0;
    }
}

OozeStatus ooze_springs_mark_linked(void *data, const OozeStepContext *c, const uint32_t *particles,
                                    int count, bool *linked, OozeError *error)
{
    const OozeLinkRows *rows = &((OozeSpringsMemory *)data)->table.rows[0];
    OozeRanks *ranks = ooze_halo_ranks(c->halo);
    uint64_t n = rows->n, size = (uint64_t)ooze_rank_count(ranks);
    int row = ooze_particles_find_field(c->particles, "spring_row");
    Fast f = {.context = c,
              .count = count,
              .particle = ooze_arena_alloc(c->arena, (size_t)count, sizeof *f.particle),
              .number = ooze_arena_alloc(c->arena, n + 1, sizeof *f.number),
              .sorted = ooze_arena_alloc(c->arena, (size_t)count, sizeof *f.sorted)};
    uint64_t *counts = ooze_arena_alloc(c->arena, size, sizeof *counts);
    if (!f.particle || !f.number || !f.sorted || !counts) {
        return ooze_fail_memory(error, "fast particles", n * sizeof *f.number);
    }
    if (ranks) {
        ranks->gather(ranks, &n, sizeof n, counts);
    }
    for (int r = 0; r < ooze_rank(ranks); r++) {
        f.first_row += counts[r];
    }
    load(&f, ooze_particles_data(c->particles, row), particles);
    number_rows(&f, n);
    mark_rows(&f, rows, linked);
    share_marks(&f, linked);
    return OOZE_OK;
}
