/* Probes of the fluid's shape: height and spread percentiles, drift from a rigid body. */
#include "base/fail.h"
#include "base/memory.h"
#include "base/select.h"
#include "physics/rigid_fit.h"
#include "world/probes/probe_kind.h"

typedef struct ListJob {
    const OozeProbeView *view;
    OozeProbeQuery query;
    double *values;
} ListJob;

static void list_one(void *context, uint64_t i, uint64_t place)
{
    const ListJob *list = context;
    list->values[place] = ooze_probe_length(&list->query, probe_position(list->view, i));
}

OozeStatus ooze_probe_percentile(const OozeProbeView *view, double *values, double *state,
                                 OozeError *error)
{
    (void)state;
    double *list = ooze_alloc(view->count, sizeof *list);
    if (!list) {
        return ooze_fail_memory(error, "a percentile", view->count * sizeof *list);
    }
    uint64_t n;
    ListJob job = {
        .view = view,
        .query = ooze_probe_query(view->probe, view->context->gravity),
        .values = list,
    };
    OozeStatus status = ooze_probe_each(view, false, list_one, &job, &n, error);
    if (!status) {
        values[0] = ooze_percentile(list, n, job.query.percentile);
    }
    ooze_free(list);
    return status;
}

/* ---- drift ------------------------------------------------------------------------------ */

typedef struct Fit {
    const OozeProbeView *view;
    OozeVec3 rest_mean, mean;
    double rotation[9]; /* row by row */
} Fit;

static OozeVec3 rest_of(const OozeProbeView *view, uint64_t i)
{
    return probe_vector(view->rest, view->rest_stride, i);
}

static void sum_means(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = ((const Fit *)context)->view;
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(view, i)) {
            OozeVec3 x = probe_position(view, i), rest = rest_of(view, i);
            sums[0] += rest.x;
            sums[1] += rest.y;
            sums[2] += rest.z;
            sums[3] += x.x;
            sums[4] += x.y;
            sums[5] += x.z;
            sums[6] += 1.0;
        }
    }
}

static void sum_products(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const Fit *fit = context;
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(fit->view, i)) {
            OozeVec3 from = vec3_sub(rest_of(fit->view, i), fit->rest_mean);
            OozeVec3 to = vec3_sub(probe_position(fit->view, i), fit->mean);
            for (int a = 0; a < 3; a++) {
                double scale = vec3_component(from, a);
                sums[3 * a] += scale * to.x;
                sums[3 * a + 1] += scale * to.y;
                sums[3 * a + 2] += scale * to.z;
            }
        }
    }
}

/* Sums squared differences: a difference of sums of squares would lose half the digits. */
static void sum_residuals(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const Fit *fit = context;
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(fit->view, i)) {
            OozeVec3 from = vec3_sub(rest_of(fit->view, i), fit->rest_mean);
            OozeVec3 to = vec3_sub(probe_position(fit->view, i), fit->mean);
            for (int a = 0; a < 3; a++) {
                const double *row = fit->rotation + 3 * a;
                double off =
                    vec3_component(to, a) - (row[0] * from.x + row[1] * from.y + row[2] * from.z);
                sums[0] += off * off;
            }
        }
    }
}

OozeStatus ooze_probe_drift(const OozeProbeView *view, double *values, double *state,
                            OozeError *error)
{
    (void)state;
    OozeThreads *threads = view->context->threads;
    Fit fit = {.view = view};
    double s[9];
    OozeStatus status = ooze_parallel_sum(threads, view->count, 7, sum_means, &fit, s, error);
    double n = s[6];
    if (status || n == 0.0) {
        return status;
    }
    fit.rest_mean = vec3(s[0] / n, s[1] / n, s[2] / n);
    fit.mean = vec3(s[3] / n, s[4] / n, s[5] / n);
    status = ooze_parallel_sum(threads, view->count, 9, sum_products, &fit, s, error);
    if (status) {
        return status;
    }
    ooze_rigid_fit(s, fit.rotation);
    status = ooze_parallel_sum(threads, view->count, 1, sum_residuals, &fit, s, error);
    if (!status) {
        values[0] = sqrt(s[0] / n);
    }
    return status;
}
