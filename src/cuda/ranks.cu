/* Messages between the ranks of steps that several processes share. */
#include "cuda/ranks.cuh"

#include "cuda/rank_sums.cuh"

namespace ooze
{

/* ---- memory ---- */

#ifdef __CUDACC__
void copy_to_pinned(Gpu *gpu, void *to, const void *from, size_t size)
{
    if (size > 0 && gpu->failed == cudaSuccess) {
        gpu->counts.launches++;
        record_error(gpu, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, gpu->stream));
    }
}
#else
void copy_to_pinned(Gpu *gpu, void *to, const void *from, size_t size)
{
    copy(gpu, to, from, size);
}
#endif

/* NULL, and the GPU has failed: out of memory. Copies from it have ended. */
char *pinned_bytes(Gpu *gpu, PinnedBuffer *buffer, size_t size)
{
    if (size > buffer->size || !buffer->memory) {
        gpu_wait(gpu);
        pinned_free(buffer->memory);
        buffer->size = size + size / 4 + 4096;
        buffer->memory = pinned_alloc(buffer->size);
        if (!buffer->memory) {
            buffer->size = 0;
            record_error(gpu, cudaErrorMemoryAllocation);
        }
    }
    return buffer->memory;
}

void pinned_trim(PinnedBuffer *buffer, size_t moved)
{
    const size_t few = 64 << 20;
    if (moved > few) {
        pinned_free(buffer->memory);
        *buffer = {nullptr, 0};
    }
}

RankShare *share_create(OozeRanks *ranks)
{
    const size_t count = (size_t)ranks->count;
    RankShare *share = static_cast<RankShare *>(ooze_alloc_zero(1, sizeof(RankShare)));
    if (!share) {
        return nullptr;
    }
    share->split.ranks = ranks;
    share->counts = static_cast<uint64_t *>(ooze_alloc_zero(count, sizeof(uint64_t)));
    if (!ooze_message_plan_create(share, ranks, nullptr) || !share->counts ||
        !ooze_ranks_shares_create(&share->shares, ranks)) {
        share_destroy(nullptr, share);
        return nullptr;
    }
    return share;
}

void share_destroy(Gpu *gpu, RankShare *share)
{
    if (!share) {
        return;
    }
    for (PinnedBuffer &buffer : share->pinned) {
        pinned_free(buffer.memory);
    }
    for (PinnedBuffer &buffer : share->along_pinned) {
        pinned_free(buffer.memory);
    }
    DeviceBuffer *buffers[] = {&share->send_buffer, &share->packed, &share->incoming,
                               &share->gathered, &share->asked};
    for (DeviceBuffer *buffer : buffers) {
        if (buffer->memory) {
            buffer_free(gpu, buffer);
        }
    }
    ooze_split_free(&share->split);
    ooze_ranks_shares_free(&share->shares);
    ooze_free(share->counts);
    ooze_message_plan_free(share);
    ooze_free(share);
}

uint64_t all_particles(const Gpu *gpu, uint64_t n)
{
    return gpu->share ? gpu->share->total : n;
}

Range needed_particles(const Gpu *gpu, uint64_t n)
{
    const RankShare *share = gpu->share;
    return share ? Range{share->begin / SLICE * SLICE, share->begin + share->own} : Range{0, n};
}

OwnRange own_range(const Gpu *gpu, uint64_t n)
{
    const RankShare *share = gpu->share;
    return share ? OwnRange{(uint32_t)share->begin, (uint32_t)share->own}
                 : OwnRange{0, (uint32_t)n};
}

/* ---- ghosts ---- */

/* Which bytes of which elements a message has. Captured by loop bodies. */
template <class Word> struct Packing {
    Word *data;
    const uint32_t *place; /* see RefreshedPart */
    uint64_t stride, offset;
    uint32_t width; /* words of an element that are sent */
    /* where they are in an element of the message */
    uint64_t sent_stride, sent_offset;
    __device__ Word *word(uint32_t i, uint32_t w) const
    {
        const uint64_t element = place ? place[i] : i;
        return data + element * stride + offset + w;
    }
    __device__ uint64_t sent(uint32_t e, uint32_t w) const
    {
        return e * sent_stride + sent_offset + w;
    }
};

/* A part of each element of a message. */
struct SentPart {
    RefreshedPart part;
    size_t stride, offset; /* in the message */
};

template <class Word> static Packing<Word> packing_of(const SentPart &sent)
{
    const RefreshedPart &part = sent.part;
    const size_t size = sizeof(Word);
    return {
        static_cast<Word *>(part.data), part.place,         part.stride / size, part.offset / size,
        (uint32_t)(part.size / size),   sent.stride / size, sent.offset / size};
}

template <class Word> static void pack(Gpu *gpu, const SentPart &part, void *to_bytes)
{
    const RankShare *share = gpu->share;
    const Packing<Word> packing = packing_of<Word>(part);
    const uint32_t *send = static_cast<const uint32_t *>(share->send_buffer.memory);
    const uint32_t begin = (uint32_t)share->begin;
    Word *to = static_cast<Word *>(to_bytes);
    for_each(
        gpu, ooze_message_plan_sent(share) * packing.width, OOZE_BODY(uint32_t k) {
            const uint32_t e = k / packing.width, w = k % packing.width;
            to[packing.sent(e, w)] = *packing.word(begin + send[e], w);
        });
}

template <class Word> static void unpack(Gpu *gpu, const SentPart &part, const void *from_bytes)
{
    const RankShare *share = gpu->share;
    const Packing<Word> packing = packing_of<Word>(part);
    const uint32_t begin = (uint32_t)share->begin, own = (uint32_t)share->own;
    const Word *from = static_cast<const Word *>(from_bytes);
    for_each(
        gpu, ooze_message_plan_received(share) * packing.width, OOZE_BODY(uint32_t k) {
            const uint32_t e = k / packing.width, w = k % packing.width;
            *packing.word(e < begin ? e : e + own, w) = from[packing.sent(e, w)];
        });
}

/* Messages go from device memory to device memory: straight from there where MPI can, else by way
   of pinned memory. */
static bool goes_straight(const RankShare *share)
{
    return share->ranks->takes_device_memory && !OOZE_STAND_IN;
}

/* Elements in device memory that lie rank by rank. */
struct Exchange {
    const OozeMessagePlan *plan;
    const void *from;
    void *to;
    size_t size;
    PinnedBuffer *pinned; /* of what is sent, and of what is received */
};

/* The caller waits for the GPU between both functions. */
static void begin_exchange(Gpu *gpu, const Exchange &x)
{
    const size_t sent = ooze_message_plan_sent(x.plan) * x.size;
    if (!goes_straight(gpu->share)) {
        pinned_bytes(gpu, &x.pinned[1], ooze_message_plan_received(x.plan) * x.size);
        copy_to_pinned(gpu, pinned_bytes(gpu, &x.pinned[0], sent), x.from, sent);
    }
}

static void end_exchange(Gpu *gpu, const Exchange &x)
{
    if (gpu->failed != cudaSuccess) {
        return;
    }
    if (goes_straight(gpu->share)) {
        ooze_message_plan_exchange(x.plan, x.from, x.to, x.size);
    } else {
        char *received = x.pinned[1].memory;
        ooze_message_plan_exchange(x.plan, x.pinned[0].memory, received, x.size);
        copy_in(gpu, x.to, received, ooze_message_plan_received(x.plan) * x.size);
    }
}

void exchange_elements(Gpu *gpu, const OozeMessagePlan &plan, const void *from, void *to,
                       size_t size)
{
    if (gpu->share && gpu->failed == cudaSuccess) {
        const Exchange x = {&plan, from, to, size, gpu->share->pinned};
        begin_exchange(gpu, x);
        gpu_wait(gpu); /* also for the copy from pinned memory of the last exchange */
        end_exchange(gpu, x);
    }
}

/* Of ghosts' elements of `size` bytes. */
static Exchange exchange_of_ghosts(const RankShare *share, size_t size, PinnedBuffer *pinned)
{
    return {share, share->packed.memory, share->incoming.memory, size, pinned};
}

static bool has_words(const SentPart &sent)
{
    const RefreshedPart &part = sent.part;
    const size_t all = part.size | part.stride | part.offset | sent.stride | sent.offset;
    return all % sizeof(uint32_t) == 0;
}

/* Sends parts of several arrays in one message to each rank. Between both functions the caller
   waits for the GPU. */
static void begin_refresh(Gpu *gpu, const SentPart *parts, int count, PinnedBuffer *pinned)
{
    RankShare *share = gpu->share;
    const size_t stride = parts[0].stride;
    void *packed = buffer_bytes(gpu, &share->packed, ooze_message_plan_sent(share) * stride + 16);
    buffer_bytes(gpu, &share->incoming, ooze_message_plan_received(share) * stride + 16);
    for (int k = 0; k < count && gpu->failed == cudaSuccess; k++) {
        has_words(parts[k]) ? pack<uint32_t>(gpu, parts[k], packed)
                            : pack<uint8_t>(gpu, parts[k], packed);
    }
    begin_exchange(gpu, exchange_of_ghosts(share, stride, pinned));
}

static void end_refresh(Gpu *gpu, const SentPart *parts, int count, PinnedBuffer *pinned)
{
    const void *incoming = gpu->share->incoming.memory;
    end_exchange(gpu, exchange_of_ghosts(gpu->share, parts[0].stride, pinned));
    for (int k = 0; k < count && gpu->failed == cudaSuccess; k++) {
        has_words(parts[k]) ? unpack<uint32_t>(gpu, parts[k], incoming)
                            : unpack<uint8_t>(gpu, parts[k], incoming);
    }
}

static void refresh_parts(Gpu *gpu, const SentPart *parts, int count)
{
    PinnedBuffer *pinned = gpu->share->pinned;
    begin_refresh(gpu, parts, count, pinned);
    gpu_wait(gpu); /* also for the copy from pinned memory of the last exchange */
    end_refresh(gpu, parts, count, pinned);
}

void refresh_part(Gpu *gpu, const RefreshedPart &part)
{
    if (gpu->share && gpu->failed == cudaSuccess) {
        const SentPart sent = {part, part.size, 0};
        refresh_parts(gpu, &sent, 1);
    }
}

void refresh_with_sum(Gpu *gpu, const RefreshedPart &part)
{
    if (gpu->share) {
        gpu->share->along = part;
    }
}

void refresh_store(Gpu *gpu, const Store *store)
{
    const size_t word = sizeof(uint32_t);
    SentPart parts[FIELDS_MAX];
    size_t stride = 0;
    for (int f = 0; f < store->field_count; f++) {
        const size_t size = store->field[f].size;
        parts[f] = {{store->field[f].buffer.memory, size, size, 0, nullptr}, 0, stride};
        stride += (size + word - 1) / word * word;
    }
    for (int f = 0; f < store->field_count; f++) {
        parts[f].stride = stride;
    }
    refresh_parts(gpu, parts, store->field_count);
}

void refresh(Gpu *gpu, void *data, size_t size)
{
    refresh_part(gpu, {data, size, size, 0, nullptr});
}

void rank_list_share(Gpu *gpu, OozeArena *arena, RankList *list)
{
    list->count = gpu->failed == cudaSuccess ? list->count : 0;
    list->all = list->count;
    if (!gpu->share) {
        return;
    }
    OozeRanks *ranks = gpu->share->ranks;
    if (!list->counts) {
        list->counts = static_cast<uint64_t *>(
            ooze_arena_alloc(arena, (size_t)ranks->count, sizeof *list->counts));
    }
    if (!list->counts) {
        record_error(gpu, cudaErrorMemoryAllocation);
    }
    if (gpu->failed != cudaSuccess) {
        return;
    }
    ranks->gather(ranks, &list->count, sizeof list->count, list->counts);
    list->all = 0;
    for (int r = 0; r < ranks->count; r++) {
        list->all += list->counts[r];
    }
}

uint64_t rank_list_begin(const Gpu *gpu, const RankList &list)
{
    uint64_t begin = 0;
    for (int r = 0; gpu->share && gpu->failed == cudaSuccess && r < gpu->share->ranks->rank; r++) {
        begin += list.counts[r];
    }
    return begin;
}

const void *gather_list(Gpu *gpu, const void *own, const RankList &list, size_t size)
{
    RankShare *share = gpu->share;
    OozeRanks *ranks = share->ranks;
    uint64_t *bytes = share->bytes;
    if (gpu->failed != cudaSuccess) {
        return nullptr;
    }
    for (int r = 0; r < ranks->count; r++) {
        bytes[r] = list.counts[r] * size;
    }
    void *gathered = scratch_bytes(gpu, (list.all + 1) * size);
    char *sent = pinned_bytes(gpu, &share->pinned[0], list.count * size);
    char *received = pinned_bytes(gpu, &share->pinned[1], list.all * size);
    copy_to_pinned(gpu, sent, own, list.count * size);
    gpu_wait(gpu); /* also for the copy from pinned memory of the last exchange */
    if (gpu->failed != cudaSuccess) {
        return nullptr;
    }
    ranks->gather_varied(ranks, sent, bytes, received);
    copy_in(gpu, gathered, received, list.all * size);
    return gathered;
}

const void *gather_elements(Gpu *gpu, const void *data, size_t size)
{
    const RankShare *share = gpu->share;
    if (!share) {
        return data;
    }
    const RankList all = {share->own, share->counts, share->total};
    return gather_list(gpu, static_cast<const char *>(data) + share->begin * size, all, size);
}

/* ---- numbers of all ranks ---- */

void max_over_ranks(Gpu *gpu, double *values, int count)
{
    if (gpu->share && gpu->failed == cudaSuccess) {
        gpu->share->ranks->max(gpu->share->ranks, values, count);
    }
}

void sum_over_ranks(Gpu *gpu, uint64_t *values, int count)
{
    if (gpu->share && gpu->failed == cudaSuccess) {
        gpu->share->ranks->sum(gpu->share->ranks, values, count);
    }
}

void any_over_ranks(Gpu *gpu, uint8_t *flags, uint64_t count)
{
    enum { FLAGS_MAX = 4096 }; /* in one message */
    if (!gpu->share || count == 0 || gpu->failed != cudaSuccess) {
        return;
    }
    uint8_t bytes[FLAGS_MAX];
    double values[FLAGS_MAX];
    for (uint64_t done = 0; done < count; done += FLAGS_MAX) {
        const uint64_t here = count - done < FLAGS_MAX ? count - done : (uint64_t)FLAGS_MAX;
        copy_out(gpu, bytes, flags + done, here);
        for (uint64_t k = 0; k < here; k++) {
            values[k] = bytes[k];
        }
        max_over_ranks(gpu, values, (int)here);
        for (uint64_t k = 0; k < here; k++) {
            bytes[k] = (uint8_t)values[k];
        }
        copy_in(gpu, flags + done, bytes, here);
        gpu_wait(gpu);
    }
}

static void box_to_maxima(const PointBox &box, double most[6])
{
    for (int k = 0; k < 3; k++) {
        most[k] = -(double)box.low[k];
        most[3 + k] = (double)box.high[k];
    }
}

OozeStatus box_over_ranks(Gpu *gpu, const float4 *points, uint64_t n, PointBox *box,
                          OozeError *error)
{
    const OwnRange own = own_range(gpu, n);
    *box = box_of_none();
    OozeStatus result =
        own.count > 0 ? find_box(gpu, box, points + own.begin, own.count, error) : OOZE_OK;
    if (result) {
        return result;
    }
    double most[6];
    box_to_maxima(*box, most);
    max_over_ranks(gpu, most, 6);
    for (int k = 0; k < 3; k++) {
        box->low[k] = (float)-most[k];
        box->high[k] = (float)most[3 + k];
    }
    return OOZE_OK;
}

bool ghosts_suffice(Gpu *gpu, const float4 *u, const float4 *push, uint64_t n, float dt,
                    float support)
{
    RankShare *share = gpu->share;
    if (!share) {
        return true;
    }
    const OwnRange own = own_range(gpu, n);
    const float4 *own_u = u + own.begin, *own_push = push ? push + own.begin : nullptr;
    const float over = 1.0f / dt;
    const PointBox none = box_of_none();
    const PointBox range = sum_to_host(
        gpu, own.count, none, OOZE_BODY(uint32_t i) {
            const float4 v = own_push ? own_u[i] + over * own_push[i] : own_u[i];
            return box_of_point(v.x, v.y, v.z);
        });
    double most[6];
    box_to_maxima(range, most);
    max_over_ranks(gpu, most, 6);
    bool suffice = true;
    for (int k = 0; k < 3; k++) {
        const float spread = dt * (float)(most[k] + most[3 + k]) * (1.0f + 1e-4f);
        suffice = suffice && !(spread > share->spread[k]);
        share->spread[k] = 1.25f * spread + 0.02f * support;
    }
    share->again = !suffice;
    return suffice;
}

/* ---- sums ---- */

uint64_t share_grain(uint64_t total)
{
#ifdef __CUDACC__
    return total >= GROUPED_FROM ? (uint64_t)GROUP * BLOCK : (uint64_t)OOZE_SPLIT_BLOCK;
#else
    (void)total;
    return OOZE_SPLIT_BLOCK;
#endif
}

void *gather_partials(Gpu *gpu, const void *own, size_t size, uint64_t grain, uint64_t *count)
{
    RankShare *share = gpu->share;
    OozeRanks *ranks = share->ranks;
    uint64_t *bytes = share->bytes, all = 0;
    for (int r = 0; r < ranks->count; r++) {
        bytes[r] = (share->counts[r] + grain - 1) / grain * size;
        all += bytes[r];
    }
    char *sent = pinned_bytes(gpu, &share->pinned[0], bytes[ranks->rank]);
    char *received = pinned_bytes(gpu, &share->pinned[1], all);
    void *gathered = buffer_bytes(gpu, &share->gathered, 2 * all + size);
    copy_to_pinned(gpu, sent, own, bytes[ranks->rank]);
    const SentPart along = {share->along, share->along.size, 0};
    share->along.data = nullptr;
    if (along.part.data) {
        begin_refresh(gpu, &along, 1, share->along_pinned);
    }
    gpu_wait(gpu);
    if (gpu->failed != cudaSuccess) {
        return nullptr;
    }
    ranks->gather_varied(ranks, sent, bytes, received);
    copy_in(gpu, gathered, received, all);
    *count = all / size;
    if (along.part.data) {
        end_refresh(gpu, &along, 1, share->along_pinned);
    }
    return gathered;
}

} // namespace ooze
