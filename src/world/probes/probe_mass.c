/* Probes that are sums over particles: count, centre, momentum, angular momentum, energy. */
#include "world/probes/probe_kind.h"

static void sum_range(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = context;
    const OozeProbeQuery query = ooze_probe_query(view->probe, view->context->gravity);
    const OozeVec3 at_rest = vec3(0, 0, 0);
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(view, i)) {
            ooze_probe_add(&query, probe_position(view, i),
                           view->velocity ? probe_velocity(view, i) : at_rest, probe_mass(view, i),
                           sums);
        }
    }
}

OozeStatus ooze_probe_sum(const OozeProbeView *view, double *values, double *state,
                          OozeError *error)
{
    (void)state;
    OozeProbeView copy = *view; /* a sum's context is not const */
    const OozeProbeKind kind = view->probe->def.kind;
    double sums[OOZE_PROBE_SUMS_MAX];
    OozeStatus status =
        ooze_parallel_sum(view->context->threads, view->count, ooze_probe_sum_count(kind),
                          sum_range, &copy, sums, error);
    if (!status) {
        ooze_probe_from_sums(kind, sums, values);
    }
    return status;
}
