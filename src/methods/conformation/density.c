/* Position-based density: Macklin and Mueller 2013, one-sided, on neighbours of the positions that the
   velocity solve predicts. Solids push back after every iteration. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/conformation.h"
#include "methods/conformation/workspace.h"
#include "physics/kernels.h"

typedef struct DensityJob {
    OozeConformationStep *step;
    const OozeNeighbours *list, *walls;
    OozeFour *x;     /* sorted; last lane: the multiplier */
    OozeFour *moved; /* the same while the others are being corrected */
    OozeFour *shift; /* all corrections of a particle added up */
} DensityJob;

static OozeFour nearest(OozeFour d, const OozePeriodic *p)
{
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = ooze_periodic_delta(d[axis], p->length[axis], p->inverse[axis]);
    }
    return d;
}

/* lambda = -C / (sum |grad C|^2 + eps), C = max(density - 1, 0) */
static void multiplier_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    DensityJob *job = data;
    OozeConformationStep *s = job->step;
    const OozeBoundary *boundary = s->context->boundary;
    const OozePeriodic *periodic = &s->context->periodic;
    float own = ooze_cubic_value(0, s->support);
    for (uint64_t i = begin; i < end; i++) {
        OozeFour x = job->x[i], sum = {0};
        float density = own, square = 0;
        for (uint64_t e = job->list->first[i], last = e + job->list->count[i]; e < last; e++) {
            OozeFour d = nearest(x - job->x[job->list->index[e]], periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f = s->volume *
                      ooze_kernel_gradient_scale(ooze_cubic_slope(r, s->support), r, s->support);
            density += ooze_cubic_value(r, s->support);
            OozeFour g = f * d;
            sum += g;
            square += ooze_four_dot3(g, g);
        }
        density *= s->volume;
        for (uint32_t w = 0; boundary->count && w < job->walls->count[i]; w++) {
            uint32_t b = job->walls->index[job->walls->first[i] + w];
            OozeFloat4 p = boundary->position[b];
            OozeFour d = nearest(x - ooze_four(p.x, p.y, p.z, 0), periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f = boundary->volume[b] *
                      ooze_kernel_gradient_scale(ooze_cubic_slope(r, s->support), r, s->support);
            density += boundary->volume[b] * ooze_cubic_value(r, s->support);
            sum += f * d;
        }
        float c = density - 1.0f;
        square += ooze_four_dot3(sum, sum);
        /* eps in units of 1/h^2: an isolated pair must not divide by nothing */
        float eps = 0.05f / (s->support * s->support);
        job->moved[i] = x;
        job->moved[i][3] = c > 0 ? -c / (square + eps) : 0;
    }
}

static void correct_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    DensityJob *job = data;
    OozeConformationStep *s = job->step;
    const OozeBoundary *boundary = s->context->boundary;
    const OozePeriodic *periodic = &s->context->periodic;
    const OozeFour *in = job->moved;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour x = in[i], shift = {0};
        for (uint64_t e = job->list->first[i], last = e + job->list->count[i]; e < last; e++) {
            OozeFour other = in[job->list->index[e]];
            float lambda = x[3] + other[3];
            if (lambda == 0) {
                continue;
            }
            OozeFour d = nearest(x - other, periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f = s->volume *
                      ooze_kernel_gradient_scale(ooze_cubic_slope(r, s->support), r, s->support);
            shift += lambda * f * d;
        }
        for (uint32_t w = 0; x[3] != 0 && boundary->count && w < job->walls->count[i]; w++) {
            uint32_t b = job->walls->index[job->walls->first[i] + w];
            OozeFloat4 p = boundary->position[b];
            OozeFour d = nearest(x - ooze_four(p.x, p.y, p.z, 0), periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f = boundary->volume[b] *
                      ooze_kernel_gradient_scale(ooze_cubic_slope(r, s->support), r, s->support);
            shift += x[3] * f * d;
        }
        shift[3] = 0;
        x[3] = 0;
        job->x[i] = x + shift;
        job->shift[i] += shift;
    }
}

/* Puts what is inside a solid on its surface. */
static void push_out_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    DensityJob *job = data;
    OozeConformationStep *s = job->step;
    const OozeStepContext *c = s->context;
    for (uint64_t i = begin; i < end; i++) {
        for (int k = 0; k < c->solid_count; k++) {
            const OozeSolid *solid = &c->solids[k];
            if (solid->params[OOZE_SOLID_COLLIDES] == 0.0) {
                continue;
            }
            OozeVec3 x = vec3(job->x[i][0], job->x[i][1], job->x[i][2]);
            OozeContact contact = ooze_solid_contact(solid, x);
            double push = s->settings.contact - contact.distance;
            if (push > 0) {
                OozeFour out =
                    ooze_four((float)(push * contact.normal.x), (float)(push * contact.normal.y),
                              (float)(push * contact.normal.z), 0);
                job->x[i] += out;
                job->shift[i] += out;
            }
        }
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

OozeStatus ooze_conformation_density(OozeConformationStep *s, OozeConformationData *own,
                                     const OozeFour *x, OozeFour *shift, OozeError *error)
{
    const OozeStepContext *c = s->context;
    OozeArena *arena = c->arena;
    DensityJob job = {.step = s, .list = &own->near, .walls = &own->near_walls};
    OozeFour *wrapped = ooze_arena_alloc(arena, s->n + 16, sizeof *wrapped);
    job.x = ooze_arena_alloc(arena, s->n + 16, sizeof *job.x);
    job.moved = ooze_arena_alloc(arena, s->n + 16, sizeof *job.moved);
    job.shift = ooze_arena_alloc(arena, s->n, sizeof *job.shift);
    if (!job.x || !job.moved || !job.shift || !wrapped) {
        return ooze_fail_memory(error, "the density stage", s->n * 48);
    }
    for (uint64_t i = 0; i < s->n; i++) {
        wrapped[i] = x[i];
        wrapped[i][3] = 0;
    }
    wrap(wrapped, s->n, &c->periodic);
    OozeStatus status = ooze_grid_sort(own->grid, c->threads, (const OozeFloat4 *)wrapped, s->n,
                                       s->support, &c->periodic, error);
    if (status) {
        return status;
    }
    const uint32_t *order = ooze_grid_order(own->grid);
    for (uint64_t k = 0; k < s->n; k++) {
        job.x[k] = wrapped[order[k]];
        job.shift[k] = ooze_four(0, 0, 0, 0);
    }
    status = ooze_neighbours_build(&own->near, own->grid, c->threads, (const OozeFloat4 *)job.x,
                                   s->n, (const OozeFloat4 *)job.x, s->support, true, error);
    if (!status && c->boundary->count) {
        status = ooze_neighbours_build(&own->near_walls, c->boundary->grid, c->threads,
                                       (const OozeFloat4 *)job.x, s->n, c->boundary->position,
                                       s->support, false, error);
    }
    if (status) {
        return status;
    }
    for (int k = 0; k < s->settings.density_iterations; k++) {
        ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, multiplier_range, &job);
        ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, correct_range, &job);
        ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, push_out_range, &job);
    }
    for (uint64_t k = 0; k < s->n; k++) {
        shift[order[k]] = job.shift[k];
    }
    return OOZE_OK;
}
