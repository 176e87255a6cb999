/* Probes that need neighbours: density error and connected components. Lists are built for one
   block of points at a time, which bounds their memory. */
#include <stdatomic.h>

#include "base/fail.h"
#include "base/memory.h"
#include "particles/neighbours.h"
#include "physics/lattice.h"
#include "world/probe_kind.h"

enum { LIST_BLOCK = 16384 };

typedef struct Gather {
    const OozeProbeView *view;
    OozeFloat4 *points;
    _Atomic bool broken; /* a coordinate is not finite */
} Gather;

static void gather_one(void *context, uint64_t i, uint64_t place)
{
    Gather *job = context;
    const OozePeriodic *periodic = &job->view->context->periodic;
    const float *x = job->view->position + i * job->view->position_stride;
    float wrapped[3];
    for (int k = 0; k < 3; k++) {
        wrapped[k] =
            ooze_periodic_wrap(x[k], periodic->min[k], periodic->length[k], periodic->inverse[k]);
        if (!isfinite(x[k]) || !isfinite(wrapped[k])) {
            atomic_store(&job->broken, true);
        }
    }
    job->points[place] = (OozeFloat4){wrapped[0], wrapped[1], wrapped[2], 0.0f};
}

/* Copies the positions of the selected particles (`all`: of all particles), wrapped along periodic
   axes, to a new array; `*finite`: every coordinate is finite. */
static OozeStatus gather(const OozeProbeView *view, bool all, OozeFloat4 **points, uint64_t *n,
                         bool *finite, OozeError *error)
{
    *finite = true;
    *n = 0;
    *points = NULL;
    if (view->count > OOZE_PARTICLES_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "measure fewer particles",
                         "probe '%s' sees %llu particles; neighbours work up to %llu",
                         view->probe->def.name, (unsigned long long)view->count,
                         (unsigned long long)OOZE_PARTICLES_MAX);
    }
    OozeFloat4 *list = ooze_alloc(view->count, sizeof *list);
    if (!list) {
        return ooze_fail_memory(error, "the positions a probe sees", view->count * sizeof *list);
    }
    Gather job = {.view = view, .points = list};
    OozeStatus status = ooze_probe_each(view, all, gather_one, &job, n, error);
    *finite = !atomic_load(&job.broken);
    *points = list;
    return status;
}

/* Points in the order of their cells. */
typedef struct Sorted {
    OozeGrid *grid;
    OozeFloat4 *points;
    uint64_t n;
    OozeNeighbours lists; /* of the current block */
} Sorted;

static void free_sorted(Sorted *sorted)
{
    ooze_grid_destroy(sorted->grid);
    ooze_neighbours_free(&sorted->lists);
    ooze_free(sorted->points);
}

typedef struct Reorder {
    const OozeFloat4 *from;
    const uint32_t *order;
    OozeFloat4 *to;
} Reorder;

static void reorder(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Reorder *job = context;
    for (uint64_t i = begin; i < end; i++) {
        job->to[i] = job->from[job->order[i]];
    }
}

static OozeStatus sort_points(Sorted *sorted, const OozeProbeView *view, const OozeFloat4 *points,
                              uint64_t n, double cell, OozeError *error)
{
    *sorted = (Sorted){.n = n};
    sorted->grid = ooze_grid_create();
    sorted->points = ooze_alloc(n, sizeof *sorted->points);
    if (!sorted->grid || !sorted->points) {
        return ooze_fail_memory(error, "the cell grid of a probe", n * sizeof *sorted->points);
    }
    OozeStatus status = ooze_grid_sort(sorted->grid, view->context->threads, points, n, cell,
                                       &view->context->periodic, error);
    if (!status) {
        Reorder job = {points, ooze_grid_order(sorted->grid), sorted->points};
        ooze_parallel_for(view->context->threads, n, 4096, reorder, &job);
    }
    return status;
}

/* Neighbours of points[0 .. n) among the sorted points; a point is its own neighbour. */
static OozeStatus find_neighbours(Sorted *sorted, const OozeProbeView *view,
                                  const OozeFloat4 *points, uint64_t n, double radius,
                                  OozeError *error)
{
    return ooze_neighbours_build(&sorted->lists, sorted->grid, view->context->threads,
                                 &(OozeNeighbourQuery){points, n, sorted->points, radius, false},
                                 error);
}

static uint64_t block_size(uint64_t n, uint64_t begin)
{
    return n - begin < LIST_BLOCK ? n - begin : LIST_BLOCK;
}

/* ---- density ---------------------------------------------------------------------------- */

/* A particle is in the interior if it has at least half the neighbours of the rest lattice, and
   their centroid is within this share of the support from it. The distance of the centroid is 3/8
   of the support at a flat surface, 1/8 half a support below it, and 0 one support below it. */
static const float interior_offset = 0.1f;

/* Sums over some particles. */
typedef struct Tally {
    double n, inside, relative, error, excess, inside_error;
} Tally;

enum { CHUNK = 256, CHUNKS = LIST_BLOCK / CHUNK };

typedef struct Density {
    const OozeProbeView *view;
    const Sorted *sorted;
    const OozeFloat4 *points; /* the block */
    double rest_sum;          /* sum of W on the rest lattice */
    double rest_count;        /* neighbours on the rest lattice within the support */
    Tally tallies[CHUNKS]; /* per chunk of the block, added in order: independent of the threads */
} Density;

static void tally_one(Tally *tally, double relative, bool inside)
{
    double off = relative - 1.0;
    tally->relative += relative;
    tally->error += fabs(off);
    tally->excess = tally->n == 0.0 || off > tally->excess ? off : tally->excess;
    tally->n += 1.0;
    if (inside) {
        tally->inside += 1.0;
        tally->inside_error += fabs(off);
    }
}

static void add_tally(Tally *to, const Tally *from)
{
    to->relative += from->relative;
    to->error += from->error;
    to->excess = to->n == 0.0 || from->excess > to->excess ? from->excess : to->excess;
    to->n += from->n;
    to->inside += from->inside;
    to->inside_error += from->inside_error;
}

static void measure_density(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Density *density = context;
    const OozePeriodic *periodic = &density->view->context->periodic;
    const OozeNeighbours *lists = &density->sorted->lists;
    float h = (float)density->view->support;
    Tally *tally = &density->tallies[begin / CHUNK];
    *tally = (Tally){0};
    for (uint64_t i = begin; i < end; i++) {
        OozeFloat4 x = density->points[i];
        double sum = 0.0, offset[3] = {0};
        for (uint64_t k = lists->first[i]; k < lists->first[i] + lists->count[i]; k++) {
            OozeFloat4 y = density->sorted->points[lists->index[k]];
            float d[3] = {y.x - x.x, y.y - x.y, y.z - x.z};
            for (int a = 0; a < 3; a++) {
                d[a] = ooze_periodic_delta(d[a], periodic->length[a], periodic->inverse[a]);
                offset[a] += (double)d[a];
            }
            float r = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            sum += (double)ooze_cubic_value(r, h);
        }
        double others = (double)lists->count[i] - 1.0; /* without itself */
        double away = sqrt(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]);
        tally_one(tally, sum / density->rest_sum,
                  others >= 0.5 * density->rest_count && others > 0.0 &&
                      away <= (double)(interior_offset * h) * others);
    }
}

/* Neighbours on the rest lattice at less than the support radius. */
static double lattice_count(double spacing, double h)
{
    int reach = (int)(h / spacing) + 1;
    double count = -1.0;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                count += (double)(i * i + j * j + k * k) * spacing * spacing < h * h ? 1.0 : 0.0;
            }
        }
    }
    return count;
}

static OozeStatus tally_density(Density *density, Sorted *sorted, const OozeFloat4 *points,
                                uint64_t n, Tally *tally, OozeError *error)
{
    const OozeProbeView *view = density->view;
    for (uint64_t begin = 0; begin < n; begin += LIST_BLOCK) {
        uint64_t size = block_size(n, begin);
        OozeStatus status =
            find_neighbours(sorted, view, points + begin, size, view->support, error);
        if (status) {
            return status;
        }
        density->points = points + begin;
        ooze_parallel_for(view->context->threads, size, CHUNK, measure_density, density);
        for (uint64_t c = 0; c < (size + CHUNK - 1) / CHUNK; c++) {
            add_tally(tally, &density->tallies[c]);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_probe_density(const OozeProbeView *view, double *values, double *state,
                              OozeError *error)
{
    (void)state;
    OozeFloat4 *all = NULL, *chosen = NULL;
    uint64_t n_all = 0, n;
    bool finite, chosen_finite;
    Sorted sorted = {0};
    Tally tally = {0};
    Density *density = ooze_alloc(1, sizeof *density);
    OozeStatus status = density ? OOZE_OK : ooze_fail_memory(error, "densities", sizeof *density);
    status = status ? status : gather(view, true, &all, &n_all, &finite, error);
    bool every = view->only < 0; /* all particles are selected */
    n = n_all;
    if (!status && !every) {
        status = gather(view, false, &chosen, &n, &chosen_finite, error);
    }
    if (!status && finite && n > 0) {
        density->view = view;
        density->sorted = &sorted;
        density->rest_sum = ooze_lattice_sum(view->spacing, view->support);
        density->rest_count = lattice_count(view->spacing, view->support);
        status = sort_points(&sorted, view, all, n_all, view->support, error);
        status = status ? status
                        : tally_density(density, &sorted, every ? all : chosen, n, &tally, error);
        free_sorted(&sorted);
    }
    if (!status && tally.n > 0.0) {
        values[0] = tally.relative / tally.n;
        values[1] = tally.error / tally.n;
        values[2] = tally.excess;
        values[3] = tally.inside > 0.0 ? tally.inside_error / tally.inside : (double)NAN;
        values[4] = tally.inside / tally.n;
    }
    ooze_free(density);
    ooze_free(all);
    ooze_free(chosen);
    return status;
}

/* ---- components ------------------------------------------------------------------------- */

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The smaller root becomes the parent, so that the roots do not depend on the order of links. */
static void join(uint32_t *parent, uint32_t i, uint32_t j)
{
    uint32_t a = find_root(parent, i), b = find_root(parent, j);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

static OozeStatus link_all(Sorted *sorted, const OozeProbeView *view, double link, uint32_t *parent,
                           OozeError *error)
{
    for (uint64_t i = 0; i < sorted->n; i++) {
        parent[i] = (uint32_t)i;
    }
    for (uint64_t begin = 0; begin < sorted->n; begin += LIST_BLOCK) {
        uint64_t size = block_size(sorted->n, begin);
        OozeStatus status =
            find_neighbours(sorted, view, sorted->points + begin, size, link, error);
        if (status) {
            return status;
        }
        const OozeNeighbours *lists = &sorted->lists;
        for (uint64_t i = 0; i < size; i++) {
            for (uint64_t k = lists->first[i]; k < lists->first[i] + lists->count[i]; k++) {
                if (lists->index[k] < begin + i) {
                    join(parent, (uint32_t)(begin + i), lists->index[k]);
                }
            }
        }
    }
    return OOZE_OK;
}

static OozeStatus count_components(const OozeProbeView *view, const OozeFloat4 *points, uint64_t n,
                                   double *values, OozeError *error)
{
    Sorted sorted = {0};
    double link = view->probe->def.link_length * view->spacing;
    uint32_t *parent = ooze_alloc(n, sizeof *parent);
    uint32_t *members = ooze_alloc_zero(n, sizeof *members);
    OozeStatus status = parent && members
                            ? sort_points(&sorted, view, points, n, link, error)
                            : ooze_fail_memory(error, "components", n * sizeof *parent);
    status = status ? status : link_all(&sorted, view, link, parent, error);
    if (!status) {
        uint32_t count = 0, largest = 0;
        for (uint64_t i = 0; i < n; i++) {
            uint32_t root = find_root(parent, (uint32_t)i);
            count += members[root] == 0;
            members[root]++;
            largest = members[root] > largest ? members[root] : largest;
        }
        values[0] = (double)count;
        values[1] = (double)largest / (double)n;
    }
    free_sorted(&sorted);
    ooze_free(parent);
    ooze_free(members);
    return status;
}

OozeStatus ooze_probe_components(const OozeProbeView *view, double *values, double *state,
                                 OozeError *error)
{
    (void)state;
    OozeFloat4 *points = NULL;
    uint64_t n;
    bool finite;
    OozeStatus status = gather(view, false, &points, &n, &finite, error);
    if (!status && n == 0) {
        values[0] = 0.0;
    } else if (!status && finite) {
        status = count_components(view, points, n, values, error);
    }
    ooze_free(points);
    return status;
}
