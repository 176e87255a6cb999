#include "methods/density.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "physics/kernels.h"

enum { GRAIN = 1024 };

OozeStatus ooze_density_memory_create(void **memory, OozeError *error)
{
    OozeDensityMemory *own = ooze_alloc_zero(1, sizeof *own);
    if (own) {
        own->grid = ooze_grid_create();
    }
    if (!own || !own->grid) {
        ooze_free(own);
        return ooze_fail_memory(error, "the density stage", sizeof *own);
    }
    *memory = own;
    return OOZE_OK;
}

void ooze_density_memory_destroy(void *memory)
{
    OozeDensityMemory *own = memory;
    if (own) {
        ooze_grid_destroy(own->grid);
        ooze_neighbours_free(&own->near);
        ooze_neighbours_free(&own->near_walls);
        ooze_free(own);
    }
}

typedef struct Stage {
    const OozeDensityJob *job;
    const OozeNeighbours *list, *walls;
    OozeFour *x;     /* sorted; last lane: the multiplier */
    OozeFour *moved; /* the same while the others are being corrected */
    OozeFour *shift; /* all corrections of a particle added up */
    float *limit;    /* sorted, or NULL */
    float *mobility; /* sorted */
    OozeFour *start; /* sorted, or NULL */
    float *excess;   /* per chunk: largest density beyond rest */
    double *sum;     /* per chunk: all density beyond rest */
} Stage;

/* lambda = -C / (sum |grad C|^2 + eps), C = max(density - limit, 0) */
static void multiplier_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    const OozeDensityJob *job = stage->job;
    const OozeBoundary *boundary = job->context->boundary;
    const OozePeriodic *periodic = &job->context->periodic;
    float own = ooze_cubic_value(0, job->support), excess = 0.0f;
    double total = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour x = stage->x[i], sum = {0};
        float density = own, square = 0;
        for (uint64_t e = stage->list->first[i], last = e + stage->list->count[i]; e < last; e++) {
            OozeFour d = ooze_four_nearest(x - stage->x[stage->list->index[e]], periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f = job->volume * ooze_kernel_gradient_scale(ooze_cubic_slope(r, job->support), r,
                                                               job->support);
            density += ooze_cubic_value(r, job->support);
            OozeFour g = f * d;
            sum += g;
            square += stage->mobility[stage->list->index[e]] * ooze_four_dot3(g, g);
        }
        density *= job->volume;
        for (uint32_t w = 0; boundary->count && w < stage->walls->count[i]; w++) {
            uint32_t b = stage->walls->index[stage->walls->first[i] + w];
            OozeFloat4 p = boundary->position[b];
            OozeFour d = ooze_four_nearest(x - ooze_four(p.x, p.y, p.z, 0), periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f =
                job->wall_scale * boundary->volume[b] *
                ooze_kernel_gradient_scale(ooze_cubic_slope(r, job->support), r, job->support);
            density += job->wall_scale * boundary->volume[b] * ooze_cubic_value(r, job->support);
            sum += f * d;
        }
        excess = density - 1.0f > excess ? density - 1.0f : excess;
        total += density > 1.0f ? (double)(density - 1.0f) : 0.0;
        float c = density - (stage->limit ? stage->limit[i] : 1.0f);
        square += stage->mobility[i] * ooze_four_dot3(sum, sum);
        /* eps in units of 1/h^2: an isolated pair must not divide by nothing */
        float eps = 0.05f / (job->support * job->support);
        stage->moved[i] = x;
        stage->moved[i][3] = c > 0 ? -c / (square + eps) : 0;
    }
    stage->excess[begin / GRAIN] = excess;
    stage->sum[begin / GRAIN] = total;
}

/* Density as of the last look, before its correction. */
static void report_excess(const Stage *stage)
{
    OozeStepReport *report = stage->job->context->report;
    float worst = 0.0f;
    double sum = 0.0;
    for (uint64_t k = 0; k * GRAIN < stage->job->n; k++) {
        worst = stage->excess[k] > worst ? stage->excess[k] : worst;
        sum += stage->sum[k];
    }
    report->worst_density_error = (double)worst;
    report->mean_density_error = sum / (double)stage->job->n;
}

/* d turned into the direction of the pair at the beginning of the step, unless the two have moved
   around each other since. The same for both but for its sign. */
static OozeFour along_start(const Stage *stage, uint64_t i, uint32_t j, OozeFour d)
{
    OozeFour d0 =
        ooze_four_nearest(stage->start[i] - stage->start[j], &stage->job->context->periodic);
    float square = ooze_four_dot3(d, d), square0 = ooze_four_dot3(d0, d0);
    float along = ooze_four_dot3(d, d0);
    return along > 0.0f && along * along > 0.5f * square * square0 ? d0 * sqrtf(square / square0)
                                                                   : d;
}

static void correct_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    const OozeDensityJob *job = stage->job;
    const OozeBoundary *boundary = job->context->boundary;
    const OozePeriodic *periodic = &job->context->periodic;
    const OozeFour *in = stage->moved;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour x = in[i], shift = {0};
        for (uint64_t e = stage->list->first[i], last = e + stage->list->count[i]; e < last; e++) {
            uint32_t j = stage->list->index[e];
            OozeFour other = in[j];
            float lambda = x[3] + other[3];
            if (lambda == 0) {
                continue;
            }
            OozeFour d = ooze_four_nearest(x - other, periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f = job->volume * ooze_kernel_gradient_scale(ooze_cubic_slope(r, job->support), r,
                                                               job->support);
            shift += lambda * f * (stage->start ? along_start(stage, i, j, d) : d);
        }
        for (uint32_t w = 0; x[3] != 0 && boundary->count && w < stage->walls->count[i]; w++) {
            uint32_t b = stage->walls->index[stage->walls->first[i] + w];
            OozeFloat4 p = boundary->position[b];
            OozeFour d = ooze_four_nearest(x - ooze_four(p.x, p.y, p.z, 0), periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f =
                job->wall_scale * boundary->volume[b] *
                ooze_kernel_gradient_scale(ooze_cubic_slope(r, job->support), r, job->support);
            shift += x[3] * f * d;
        }
        shift *= stage->mobility[i];
        shift[3] = 0;
        x[3] = 0;
        stage->x[i] = x + shift;
        stage->shift[i] += shift;
    }
}

/* Puts what is inside a solid on its surface. */
static void push_out_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    const OozeDensityJob *job = stage->job;
    const OozeStepContext *c = job->context;
    for (uint64_t i = begin; i < end; i++) {
        for (int k = 0; k < c->solid_count && stage->mobility[i] > 0.0f; k++) {
            const OozeSolid *solid = &c->solids[k];
            if (solid->params[OOZE_SOLID_COLLIDES] == 0.0) {
                continue;
            }
            OozeVec3 x = vec3(stage->x[i][0], stage->x[i][1], stage->x[i][2]);
            OozeContact contact = ooze_solid_contact(solid, x);
            double push = job->contact - contact.distance;
            if (push > 0) {
                OozeFour out =
                    ooze_four((float)(push * contact.normal.x), (float)(push * contact.normal.y),
                              (float)(push * contact.normal.z), 0);
                stage->x[i] += out;
                stage->shift[i] += out;
            }
        }
    }
}

/* At most a tenth of the distance kept: several close neighbours must not throw a particle. */
static void drift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    const OozeDensityJob *job = stage->job;
    float near2 = job->apart * job->apart, most = 0.1f * job->apart;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour x = stage->x[i], drift = {0};
        for (uint64_t e = stage->list->first[i], last = e + stage->list->count[i]; e < last; e++) {
            OozeFour d =
                ooze_four_nearest(x - stage->x[stage->list->index[e]], &job->context->periodic);
            float r2 = ooze_four_dot3(d, d);
            if (r2 < near2 && r2 > 0.0f) {
                float r = sqrtf(r2);
                drift += d * (0.25f * (job->apart - r) / r);
            }
        }
        drift *= stage->mobility[i] > 0.0f ? 1.0f : 0.0f;
        drift[3] = 0;
        float length = sqrtf(ooze_four_dot3(drift, drift));
        stage->moved[i] = length > most ? drift * (most / length) : drift;
    }
}

static void wrap(OozeFour *x, uint64_t n, const OozePeriodic *p)
{
    for (uint64_t i = 0; i < n; i++) {
        for (int axis = 0; axis < 3; axis++) {
            x[i][axis] =
                ooze_periodic_wrap(x[i][axis], p->min[axis], p->length[axis], p->inverse[axis]);
        }
    }
}

/* Shifts into the caller's order, and back with what the caller has added. */
static void call_between(Stage *stage, const uint32_t *order, OozeFour *shift)
{
    const OozeDensityJob *job = stage->job;
    for (uint64_t k = 0; k < job->n; k++) {
        shift[order[k]] = stage->shift[k];
    }
    job->between(job->user, shift);
    for (uint64_t k = 0; k < job->n; k++) {
        OozeFour now = shift[order[k]];
        stage->x[k] += now - stage->shift[k];
        stage->x[k][3] = 0;
        stage->shift[k] = now;
    }
}

OozeStatus ooze_density_solve(const OozeDensityJob *job, const OozeFour *x, OozeFour *shift,
                              OozeError *error)
{
    const OozeStepContext *c = job->context;
    OozeArena *arena = c->arena;
    Stage stage = {.job = job, .list = job->near, .walls = job->near_walls};
    OozeFour *wrapped = ooze_arena_alloc(arena, job->n + 16, sizeof *wrapped);
    stage.x = ooze_arena_alloc(arena, job->n + 16, sizeof *stage.x);
    stage.moved = ooze_arena_alloc(arena, job->n + 16, sizeof *stage.moved);
    stage.shift = ooze_arena_alloc(arena, job->n, sizeof *stage.shift);
    stage.mobility = ooze_arena_alloc(arena, job->n + 16, sizeof *stage.mobility);
    stage.excess = ooze_arena_alloc(arena, job->n / GRAIN + 1, sizeof *stage.excess);
    stage.sum = ooze_arena_alloc(arena, job->n / GRAIN + 1, sizeof *stage.sum);
    stage.limit = job->limit ? ooze_arena_alloc(arena, job->n, sizeof *stage.limit) : NULL;
    stage.start = job->start ? ooze_arena_alloc(arena, job->n, sizeof *stage.start) : NULL;
    if (!stage.x || !stage.moved || !stage.shift || !stage.mobility || !stage.excess ||
        !stage.sum || !wrapped || (job->limit && !stage.limit) || (job->start && !stage.start)) {
        return ooze_fail_memory(error, "the density stage", job->n * 48);
    }
    for (uint64_t i = 0; i < job->n; i++) {
        wrapped[i] = x[i];
        wrapped[i][3] = 0;
    }
    wrap(wrapped, job->n, &c->periodic);
    OozeStatus status = ooze_grid_sort(job->grid, c->threads, (const OozeFloat4 *)wrapped, job->n,
                                       job->support, &c->periodic, error);
    if (status) {
        return status;
    }
    const uint32_t *order = ooze_grid_order(job->grid);
    for (uint64_t k = 0; k < job->n; k++) {
        stage.x[k] = wrapped[order[k]];
        stage.shift[k] = ooze_four(0, 0, 0, 0);
        stage.mobility[k] = job->mobility ? job->mobility[order[k]] : 1.0f;
        if (job->limit) {
            stage.limit[k] = job->limit[order[k]];
        }
        if (job->start) {
            stage.start[k] = job->start[order[k]];
        }
    }
    status = ooze_neighbours_build(job->near, job->grid, c->threads, (const OozeFloat4 *)stage.x,
                                   job->n, (const OozeFloat4 *)stage.x, job->support, true, error);
    if (!status && c->boundary->count) {
        status = ooze_neighbours_build(job->near_walls, c->boundary->grid, c->threads,
                                       (const OozeFloat4 *)stage.x, job->n, c->boundary->position,
                                       job->support, false, error);
    }
    if (status) {
        return status;
    }
    for (int k = 0; k < job->iterations; k++) {
        ooze_parallel_for(c->threads, job->n, GRAIN, multiplier_range, &stage);
        ooze_parallel_for(c->threads, job->n, GRAIN, correct_range, &stage);
        if (job->between) {
            call_between(&stage, order, shift);
        }
        ooze_parallel_for(c->threads, job->n, GRAIN, push_out_range, &stage);
    }
    if (job->iterations > 0 && job->n > 0) {
        report_excess(&stage);
    }
    if (job->drift) {
        ooze_parallel_for(c->threads, job->n, GRAIN, drift_range, &stage);
    }
    for (uint64_t k = 0; k < job->n; k++) {
        shift[order[k]] = stage.shift[k];
        if (job->drift) {
            job->drift[order[k]] = stage.moved[k];
        }
    }
    return OOZE_OK;
}
