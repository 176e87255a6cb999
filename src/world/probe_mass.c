/* Probes that are sums over particles: count, centre, momentum, angular momentum, energy. */
#include "world/probe_kind.h"

static void add_vector(double *sums, OozeVec3 v, double scale)
{
    sums[0] += scale * v.x;
    sums[1] += scale * v.y;
    sums[2] += scale * v.z;
}

static OozeStatus sum(const OozeProbeView *view, int width, OozeSumBody body, double *sums,
                      OozeError *error)
{
    OozeProbeView copy = *view; /* a sum's context is not const */
    return ooze_parallel_sum(view->context->threads, view->count, width, body, &copy, sums, error);
}

static void sum_count(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = context;
    for (uint64_t i = begin; i < end; i++) {
        sums[0] += probe_selects(view, i) ? 1.0 : 0.0;
    }
}

OozeStatus ooze_probe_count(const OozeProbeView *view, double *values, double *state,
                            OozeError *error)
{
    (void)state;
    return sum(view, 1, sum_count, values, error);
}

static void sum_centre(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = context;
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(view, i)) {
            double mass = probe_mass(view, i);
            add_vector(sums, probe_position(view, i), mass);
            sums[3] += mass;
        }
    }
}

OozeStatus ooze_probe_centre(const OozeProbeView *view, double *values, double *state,
                             OozeError *error)
{
    (void)state;
    double sums[4];
    OozeStatus status = sum(view, 4, sum_centre, sums, error);
    for (int k = 0; k < 3 && !status && sums[3] > 0.0; k++) {
        values[k] = sums[k] / sums[3];
    }
    return status;
}

static void sum_momentum(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = context;
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(view, i)) {
            add_vector(sums, probe_velocity(view, i), probe_mass(view, i));
        }
    }
}

OozeStatus ooze_probe_momentum(const OozeProbeView *view, double *values, double *state,
                               OozeError *error)
{
    (void)state;
    return sum(view, 3, sum_momentum, values, error);
}

static void sum_angular_momentum(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = context;
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(view, i)) {
            OozeVec3 arm = vec3_sub(probe_position(view, i), view->probe->def.point);
            add_vector(sums, vec3_cross(arm, probe_velocity(view, i)), probe_mass(view, i));
        }
    }
}

OozeStatus ooze_probe_angular_momentum(const OozeProbeView *view, double *values, double *state,
                                       OozeError *error)
{
    (void)state;
    return sum(view, 3, sum_angular_momentum, values, error);
}

static void sum_energy(void *context, uint64_t begin, uint64_t end, double *sums)
{
    const OozeProbeView *view = context;
    for (uint64_t i = begin; i < end; i++) {
        if (probe_selects(view, i)) {
            OozeVec3 v = probe_velocity(view, i);
            OozeVec3 x = vec3_sub(probe_position(view, i), view->probe->def.point);
            double mass = probe_mass(view, i);
            sums[0] += 0.5 * mass * vec3_dot(v, v);
            sums[1] -= mass * vec3_dot(view->context->gravity, x);
        }
    }
}

OozeStatus ooze_probe_energy(const OozeProbeView *view, double *values, double *state,
                             OozeError *error)
{
    (void)state;
    return sum(view, 2, sum_energy, values, error);
}
