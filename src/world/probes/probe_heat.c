/* The probe of temperatures and heat. */
#include "heat/heat.h"
#include "world/probes/probe_kind.h"

static void sum_heat(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = context;
    const OozeProbeContext *c = view->context;
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(view, i)) {
            int m = view->material[i];
            double mass = probe_mass(view, i);
            double capacity = m < c->material_count
                                  ? ooze_heat_capacity(&c->materials[m], view->spacing)
                                  : (double)NAN;
            sums[0] += mass * view->temperature[i];
            sums[1] += mass;
            sums[2] += capacity * view->temperature[i];
        }
    }
}

OozeStatus ooze_probe_heat(const OozeProbeView *view, double *values, double *state,
                           OozeError *error)
{
    (void)state;
    OozeProbeView copy = *view; /* a sum's context is not const */
    double sums[3];
    OozeStatus status =
        ooze_parallel_sum(view->context->threads, view->count, 3, sum_heat, &copy, sums, error);
    if (status) {
        return status;
    }
    values[0] = sums[1] > 0.0 ? sums[0] / sums[1] : (double)NAN;
    values[3] = sums[2];
    for (uint64_t i = 0; i < view->count; i++) {
        if (probe_selects(view, i)) {
            values[1] = fmin(values[1], view->temperature[i]); /* fmin ignores the initial NaN */
            values[2] = fmax(values[2], view->temperature[i]);
        }
    }
    return OOZE_OK;
}
