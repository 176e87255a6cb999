#include "methods/conformation/cuda/rank_components.cuh"

#include <cstdlib>

#include "cuda/sort.cuh"

namespace ooze
{

/* A component that reaches beyond a rank, and its sums there. */
struct SharedComponent {
    unsigned long long label; /* lowest index of its particles in the order of all */
    unsigned long long sum[COMPONENT_WIDTH_MAX];
};

/* label[root]: of the component in the fluid of all ranks. Ranks tell each other the labels of
   their ghosts until they agree, at most as often as a component crosses from rank to rank. */
static void find_labels(Gpu *gpu, uint64_t n, const uint32_t *root, uint32_t *label)
{
    const RankShare *share = gpu->share;
    const OwnRange own = own_range(gpu, n);
    const uint32_t first = (uint32_t)share->first;
    Mark mark = scratch_mark(gpu);
    uint32_t *of = scratch<uint32_t>(gpu, n), *differs = scratch<uint32_t>(gpu, 1);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            of[i] = first + (i - own.begin);
            label[i] = UINT32_MAX;
        });
    refresh(gpu, of, sizeof *of);
    for (bool again = true; again && gpu->failed == cudaSuccess;) {
        uint32_t found = 0;
        clear(gpu, differs, sizeof *differs);
        for_each(
            gpu, n, OOZE_BODY(uint32_t i) {
                if (of[i] < label[root[i]]) {
                    atomicMin(&label[root[i]], of[i]);
                }
            });
        for_each(
            gpu, n, OOZE_BODY(uint32_t i) { of[i] = label[root[i]]; });
        refresh(gpu, of, sizeof *of);
        for_each(
            gpu, n, OOZE_BODY(uint32_t i) {
                if (of[i] != label[root[i]]) {
                    *differs = 1;
                }
            });
        copy_out(gpu, &found, differs, sizeof found);
        double any = found;
        max_over_ranks(gpu, &any, 1);
        again = any > 0.0;
    }
    scratch_rewind(gpu, mark);
}

/* Roots of the components with ghosts, or with particles that are ghosts elsewhere. */
static uint64_t list_shared(Gpu *gpu, uint64_t n, const uint32_t *root, uint32_t *list)
{
    const RankShare *share = gpu->share;
    const OwnRange own = own_range(gpu, n);
    const uint32_t *send = static_cast<const uint32_t *>(share->send_buffer.memory);
    uint8_t *inside = scratch<uint8_t>(gpu, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { inside[i] = 1; });
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            if (!own.has(i)) {
                inside[root[i]] = 0;
            }
        });
    for_each(
        gpu, share->send_at[share->ranks->count],
        OOZE_BODY(uint32_t k) { inside[root[own.begin + send[k]]] = 0; });
    return n > 0 ? select_unflagged(gpu, inside, list, n) : 0;
}

static int compare_labels(const void *a, const void *b)
{
    const unsigned long long x = static_cast<const SharedComponent *>(a)->label,
                             y = static_cast<const SharedComponent *>(b)->label;
    return (x > y) - (x < y);
}

/* Adds the entries of each label to the first of them; returns the number of labels. `all` is
   sorted. */
static uint64_t add_labels(SharedComponent *all, uint64_t count)
{
    uint64_t labels = 0;
    for (uint64_t k = 0; k < count; k++) {
        if (labels > 0 && all[labels - 1].label == all[k].label) {
            for (int c = 0; c < COMPONENT_WIDTH_MAX; c++) {
                all[labels - 1].sum[c] += all[k].sum[c];
            }
        } else {
            all[labels++] = all[k];
        }
    }
    return labels;
}

/* The sums of the components of this rank become those of all ranks. False: out of memory. */
static bool add_over_ranks(OozeRanks *ranks, SharedComponent *own, uint64_t count)
{
    uint64_t *bytes = static_cast<uint64_t *>(ooze_alloc((size_t)ranks->count, sizeof *bytes));
    if (!bytes) {
        return false;
    }
    uint64_t total = 0;
    ranks->gather(ranks, &count, sizeof count, bytes);
    for (int r = 0; r < ranks->count; r++) {
        total += bytes[r];
        bytes[r] *= sizeof *own;
    }
    SharedComponent *all = static_cast<SharedComponent *>(ooze_alloc(total + 1, sizeof *all));
    if (all) {
        ranks->gather_varied(ranks, own, bytes, all);
        qsort(all, total, sizeof *all, compare_labels);
        const uint64_t labels = add_labels(all, total);
        for (uint64_t k = 0; k < count; k++) {
            const void *sum = bsearch(&own[k], all, labels, sizeof *all, compare_labels);
            own[k] = *static_cast<const SharedComponent *>(sum);
        }
    }
    ooze_free(bytes);
    ooze_free(all);
    return all != nullptr;
}

void sum_components_over_ranks(Gpu *gpu, uint64_t n, const uint32_t *root, unsigned long long *sums,
                               int width, const int32_t *off)
{
    int32_t is_off = 0;
    if (!gpu->share) {
        return;
    }
    copy_out(gpu, &is_off, off, sizeof is_off);
    if (is_off || gpu->failed != cudaSuccess) {
        return;
    }
    Mark mark = scratch_mark(gpu);
    uint32_t *label = scratch<uint32_t>(gpu, n), *list = scratch<uint32_t>(gpu, n);
    find_labels(gpu, n, root, label);
    const uint64_t count = list_shared(gpu, n, root, list);
    SharedComponent *sent = scratch<SharedComponent>(gpu, count);
    SharedComponent *host = static_cast<SharedComponent *>(ooze_alloc(count + 1, sizeof *host));
    for_each(
        gpu, count, OOZE_BODY(uint32_t k) {
            SharedComponent one = {label[list[k]], {0, 0, 0}};
            for (int c = 0; c < width; c++) {
                one.sum[c] = sums[(uint64_t)width * list[k] + (uint64_t)c];
            }
            sent[k] = one;
        });
    if (host) {
        copy_out(gpu, host, sent, count * sizeof *host);
    }
    if (gpu->failed == cudaSuccess && (!host || !add_over_ranks(gpu->share->ranks, host, count))) {
        record_error(gpu, cudaErrorMemoryAllocation);
    }
    if (host) {
        copy_in(gpu, sent, host, count * sizeof *host);
    }
    for_each(
        gpu, count, OOZE_BODY(uint32_t k) {
            for (int c = 0; c < width; c++) {
                sums[(uint64_t)width * list[k] + (uint64_t)c] = sent[k].sum[c];
            }
        });
    gpu_wait(gpu); /* the copy from `host` */
    ooze_free(host);
    scratch_rewind(gpu, mark);
}

uint32_t *components_of_all(Gpu *gpu, uint64_t n, uint32_t *root)
{
    if (!gpu->share) {
        return root;
    }
    uint32_t *label = scratch<uint32_t>(gpu, n), *own = scratch<uint32_t>(gpu, n);
    find_labels(gpu, n, root, label);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { own[i] = label[root[i]]; });
    return const_cast<uint32_t *>(gather_elements(gpu, own));
}

} // namespace ooze
