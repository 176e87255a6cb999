#include "cuda/probes.cuh"

#include "base/order_key.h"
#include "cuda/sort.cuh"

namespace ooze
{

struct ProbeSums {
    double sum[OOZE_PROBE_SUMS_MAX];
    __device__ void operator+=(const ProbeSums &o)
    {
        for (int k = 0; k < OOZE_PROBE_SUMS_MAX; k++) {
            sum[k] += o.sum[k];
        }
    }
};

/* Particles that a percentile is of, and those of them that are not a number. */
struct ProbeCounts {
    uint64_t selected, not_a_number;
    __device__ void operator+=(const ProbeCounts &o)
    {
        selected += o.selected;
        not_a_number += o.not_a_number;
    }
};

OOZE_DEVICE OozeVec3 vector_of(float4 a)
{
    return vec3((double)a.x, (double)a.y, (double)a.z);
}

static void measure_sums(Gpu *gpu, const Store *store, const OozeProbeQuery *query,
                         const double *masses, int count, double *values)
{
    const OozeProbeQuery q = *query;
    const float4 *x = store_positions(store), *v = store_velocities(store);
    const uint16_t *material = store_materials(store);
    double *mass = scratch<double>(gpu, (uint64_t)count);
    copy_in(gpu, mass, masses, (size_t)count * sizeof *mass);
    const ProbeSums none = {{0.0, 0.0, 0.0, 0.0}};
    const ProbeSums found = sum_to_host(
        gpu, store->n, none, OOZE_BODY(uint32_t i) {
            ProbeSums own = none;
            const int kind = material[i];
            if (q.only < 0 || kind == q.only) {
                ooze_probe_add(&q, vector_of(x[i]), vector_of(v[i]),
                               kind < count ? mass[kind] : (double)NAN, own.sum);
            }
            return own;
        });
    if (gpu->failed == cudaSuccess) {
        ooze_probe_from_sums(q.kind, found.sum, values);
    }
}

/* Keys in the order of the lengths; particles that are not selected come last. */
static ProbeCounts list_keys(Gpu *gpu, const Store *store, const OozeProbeQuery *query,
                             uint64_t *key, uint32_t *index)
{
    const OozeProbeQuery q = *query;
    const float4 *x = store_positions(store);
    const uint16_t *material = store_materials(store);
    const ProbeCounts none = {0, 0};
    return sum_to_host(
        gpu, store->n, none, OOZE_BODY(uint32_t i) {
            const bool selected = q.only < 0 || material[i] == q.only;
            const double length = ooze_probe_length(&q, vector_of(x[i]));
            const ProbeCounts own = {selected ? 1u : 0u, selected && length != length ? 1u : 0u};
            key[i] = selected ? ooze_order_key(length) : UINT64_MAX;
            index[i] = i;
            return own;
        });
}

static void measure_percentile(Gpu *gpu, const Store *store, const OozeProbeQuery *query,
                               double *values)
{
    enum { KEY_BITS = 64 };
    const uint64_t n = store->n;
    uint64_t *key[2] = {scratch<uint64_t>(gpu, n), scratch<uint64_t>(gpu, n)};
    uint32_t *index[2] = {scratch<uint32_t>(gpu, n), scratch<uint32_t>(gpu, n)};
    const int side = sort_input_side(KEY_BITS);
    const ProbeCounts found = list_keys(gpu, store, query, key[side], index[side]);
    if (gpu->failed != cudaSuccess || found.selected == 0 || found.not_a_number > 0) {
        return;
    }
    sort_pairs(gpu, key, index, n, KEY_BITS);
    const OozeRank rank = ooze_percentile_rank(found.selected, query->percentile);
    uint64_t ends[2] = {0, 0};
    copy_out(gpu, ends, key[1] + rank.low, (rank.fraction > 0.0 ? 2 : 1) * sizeof *ends);
    const double low = ooze_order_value(ends[0]);
    values[0] =
        rank.fraction > 0.0 ? ooze_percentile_between(rank, low, ooze_order_value(ends[1])) : low;
}

OozeStatus probe_measure(Gpu *gpu, const Store *store, const OozeProbeQuery *query,
                         const double *masses, int count, double *values, OozeError *error)
{
    Mark mark = scratch_mark(gpu);
    if (ooze_probe_is_percentile(query->kind)) {
        if (store->n > 0) {
            measure_percentile(gpu, store, query, values);
        }
    } else {
        measure_sums(gpu, store, query, masses, count, values);
    }
    scratch_rewind(gpu, mark);
    return status(gpu, store->n, error);
}

} // namespace ooze
