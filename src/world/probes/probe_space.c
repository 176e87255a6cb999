/* Probes that need neighbours: density error and connected components. */
#include "base/fail.h"
#include "base/memory.h"
#include "physics/lattice.h"
#include "world/probes/probe_points.h"

/* ---- density ---------------------------------------------------------------------------- */

/* A particle is in the interior if it has at least half the neighbours of the rest lattice, and
   their centroid is within this share of the support from it. The distance of the centroid is 3/8
   of the support at a flat surface, 1/8 half a support below it, and 0 one support below it. */
static const float interior_offset = 0.1f;

/* Sums over some particles. */
typedef struct Tally {
    double n, inside, relative, error, excess, inside_error;
} Tally;

enum { CHUNK = 256, CHUNKS = OOZE_PROBE_LIST_BLOCK / CHUNK };

typedef struct Density {
    const OozeProbeView *view;
    const OozeProbePoints *sorted;
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

static OozeStatus tally_density(Density *density, OozeProbePoints *sorted, const OozeFloat4 *points,
                                uint64_t n, Tally *tally, OozeError *error)
{
    const OozeProbeView *view = density->view;
    for (uint64_t begin = 0; begin < n; begin += OOZE_PROBE_LIST_BLOCK) {
        uint64_t size = ooze_probe_block_size(n, begin);
        OozeStatus status =
            ooze_probe_points_find(sorted, view, points + begin, size, view->support, error);
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
    OozeProbePoints sorted = {0};
    Tally tally = {0};
    Density *density = ooze_alloc(1, sizeof *density);
    OozeStatus status = density ? OOZE_OK : ooze_fail_memory(error, "densities", sizeof *density);
    status = status ? status : ooze_probe_gather(view, true, &all, &n_all, &finite, error);
    bool every = view->only < 0; /* all particles are selected */
    n = n_all;
    if (!status && !every) {
        status = ooze_probe_gather(view, false, &chosen, &n, &chosen_finite, error);
    }
    if (!status && finite && n > 0) {
        density->view = view;
        density->sorted = &sorted;
        density->rest_sum = ooze_lattice_sum(view->spacing, view->support);
        density->rest_count = lattice_count(view->spacing, view->support);
        status = ooze_probe_points_sort(&sorted, view, all, n_all, view->support, error);
        status = status ? status
                        : tally_density(density, &sorted, every ? all : chosen, n, &tally, error);
        ooze_probe_points_free(&sorted);
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

static OozeStatus count_components(const OozeProbeView *view, const OozeFloat4 *points, uint64_t n,
                                   double *values, OozeError *error)
{
    uint32_t *root = ooze_alloc(n, sizeof *root);
    uint32_t *members = ooze_alloc_zero(n, sizeof *members);
    OozeStatus status = root && members ? ooze_probe_find_components(view, points, n, root, error)
                                        : ooze_fail_memory(error, "components", n * sizeof *root);
    if (!status) {
        uint32_t count = 0, largest = 0;
        for (uint64_t i = 0; i < n; i++) {
            count += members[root[i]] == 0;
            members[root[i]]++;
            largest = members[root[i]] > largest ? members[root[i]] : largest;
        }
        values[0] = (double)count;
        values[1] = (double)largest / (double)n;
    }
    ooze_free(root);
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
    OozeStatus status = ooze_probe_gather(view, false, &points, &n, &finite, error);
    if (!status && n == 0) {
        values[0] = 0.0;
    } else if (!status && finite) {
        status = count_components(view, points, n, values, error);
    }
    ooze_free(points);
    return status;
}
