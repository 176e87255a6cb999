#include "cuda/store.cuh"

#include "cuda/readback.cuh"
#include "cuda/sort.cuh"

namespace ooze
{

void store_free(Gpu *gpu, Store *store)
{
    readback_free(store->readback);
    for (int f = 0; f < store->field_count; f++) {
        buffer_free(gpu, &store->field[f].buffer);
    }
    *store = {};
}

void *store_data(const Store *store, const char *name)
{
    for (int f = 0; f < store->field_count; f++) {
        if (strcmp(store->field[f].info.name, name) == 0) {
            return store->field[f].buffer.memory;
        }
    }
    return nullptr;
}

/* ---- fields ---- */

/* Captured by loop bodies. */
struct FieldTable {
    struct {
        char *data, *sorted;
        uint64_t size;
    } row[FIELDS_MAX];
    int count;
};

static FieldTable field_table(const Store *store)
{
    FieldTable table = {};
    table.count = store->field_count;
    for (int f = 0; f < store->field_count; f++) {
        table.row[f].data = static_cast<char *>(store->field[f].buffer.memory);
        table.row[f].size = store->field[f].size;
    }
    return table;
}

static uint64_t particle_bytes(const Store *store)
{
    uint64_t bytes = 0;
    for (int f = 0; f < store->field_count; f++) {
        bytes += store->field[f].size;
    }
    return bytes;
}

/* Copies an element, in words as wide as its size allows. */
OOZE_DEVICE void copy_element(char *to, const char *from, uint64_t size)
{
    if (size % 16 == 0) {
        for (uint64_t k = 0; k < size; k += 16) {
            *reinterpret_cast<uint4 *>(to + k) = *reinterpret_cast<const uint4 *>(from + k);
        }
    } else if (size % 4 == 0) {
        for (uint64_t k = 0; k < size; k += 4) {
            *reinterpret_cast<uint32_t *>(to + k) = *reinterpret_cast<const uint32_t *>(from + k);
        }
    } else {
        for (uint64_t k = 0; k < size; k++) {
            to[k] = from[k];
        }
    }
}

static void clear_padding(Gpu *gpu, const Store *store)
{
    const FieldTable table = field_table(store);
    uint64_t n = store->n;
    for_each(
        gpu, (uint64_t)PADDING * table.count, OOZE_BODY(uint32_t i) {
            uint64_t size = table.row[i / PADDING].size;
            char *element = table.row[i / PADDING].data + (n + i % PADDING) * size;
            for (uint64_t k = 0; k < size; k++) {
                element[k] = 0;
            }
        });
}

/* ---- from the host ---- */

static OozeStatus reserve(Gpu *gpu, Store *store, uint64_t total, OozeError *error)
{
    if (total > OOZE_PARTICLES_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or fewer particles",
                         "%llu particles asked for; one store holds at most %llu",
                         (unsigned long long)total, (unsigned long long)OOZE_PARTICLES_MAX);
    }
    if (total <= store->capacity && store->field[0].buffer.memory) {
        return OOZE_OK;
    }
    store->capacity = UINT64_MAX; /* becomes the smallest of all fields, after a failure as well */
    for (int f = 0; f < store->field_count; f++) {
        DeviceBuffer *buffer = &store->field[f].buffer;
        size_t size = store->field[f].size;
        buffer_bytes(gpu, buffer, (total + PADDING) * size, store->n * size);
        uint64_t fits = buffer->size / size;
        fits = fits > PADDING ? fits - PADDING : 0;
        store->capacity = fits < store->capacity ? fits : store->capacity;
    }
    return status(gpu, total, error);
}

static bool same_fields(const Store *store, const OozeParticles *particles)
{
    if (store->field_count != ooze_particles_field_count(particles)) {
        return false;
    }
    for (int f = 0; f < store->field_count; f++) {
        const OozeFieldInfo *a = &store->field[f].info,
                            *b = ooze_particles_field_info(particles, f);
        if (strcmp(a->name, b->name) != 0 || a->type != b->type || a->stride != b->stride) {
            return false;
        }
    }
    return true;
}

static OozeStatus copy_field_infos(Gpu *gpu, Store *store, const OozeParticles *particles,
                                   OozeError *error)
{
    int count = ooze_particles_field_count(particles);
    if (count > FIELDS_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use --device cpu",
                         "particles have %d fields; the GPU's store holds at most %d", count,
                         (int)FIELDS_MAX);
    }
    store_free(gpu, store);
    store->readback = readback_create();
    for (int f = 0; f < count; f++) {
        const OozeFieldInfo *info = ooze_particles_field_info(particles, f);
        store->field[f].info = *info;
        store->field[f].size = ooze_field_type_size(info->type) * (size_t)info->stride;
    }
    store->field_count = count;
    return OOZE_OK;
}

/* Up to this many bytes, one copy and one launch send all fields. */
enum { SENT_AT_ONCE_BYTES = 1 << 20 };

/* False where memory is short. */
static bool send_at_once(Gpu *gpu, const Store *store, const OozeParticles *particles, uint64_t n)
{
    FieldTable table = field_table(store);
    const uint64_t bytes = n * particle_bytes(store) + 16 * FIELDS_MAX;
    char *packed = static_cast<char *>(ooze_alloc_zero(bytes, 1));
    if (!packed) {
        return false;
    }
    Mark mark = scratch_mark(gpu);
    char *sent = static_cast<char *>(scratch_bytes(gpu, bytes));
    uint64_t used = 0;
    for (int f = 0; f < store->field_count; f++) {
        const uint64_t size = n * table.row[f].size;
        memcpy(packed + used, ooze_particles_data_const(particles, f), size);
        table.row[f].sorted = sent + used;
        table.row[f].data += store->n * table.row[f].size;
        used += (size + 15) / 16 * 16;
    }
    copy_in(gpu, sent, packed, used);
    const FieldTable t = table;
    const uint32_t count = (uint32_t)n;
    for_each(
        gpu, n * (uint64_t)t.count, OOZE_BODY(uint32_t k) {
            uint32_t f = k / count, i = k % count;
            uint64_t size = t.row[f].size;
            copy_element(t.row[f].data + i * size, t.row[f].sorted + i * size, size);
        });
    scratch_rewind(gpu, mark);
    ooze_free(packed);
    return true;
}

static void copy_from(Gpu *gpu, Store *store, const OozeParticles *particles)
{
    uint64_t n = ooze_particles_count(particles);
    bool sent = n > 0 && n * particle_bytes(store) <= SENT_AT_ONCE_BYTES &&
                send_at_once(gpu, store, particles, n);
    for (int f = 0; f < store->field_count && !sent; f++) {
        size_t size = store->field[f].size;
        char *to = static_cast<char *>(store->field[f].buffer.memory) + store->n * size;
        copy_in(gpu, to, ooze_particles_data_const(particles, f), n * size);
    }
    store->n += n;
    clear_padding(gpu, store);
}

OozeStatus store_upload(Gpu *gpu, Store *store, const OozeParticles *particles, OozeError *error)
{
    OozeStatus result = OOZE_OK;
    const uint64_t changes = store->changes;
    store->n = 0;
    store->box_known = false;
    if (!same_fields(store, particles)) {
        result = copy_field_infos(gpu, store, particles, error);
    }
    store->changes = changes + 1;
    uint64_t n = ooze_particles_count(particles);
    if (!result) {
        result = reserve(gpu, store, n, error);
    }
    if (result) {
        return result;
    }
    copy_from(gpu, store, particles);
    return status(gpu, n, error);
}

OozeStatus store_append(Gpu *gpu, Store *store, const OozeParticles *arrivals, OozeError *error)
{
    uint64_t n = store->n, more = ooze_particles_count(arrivals);
    if (!same_fields(store, arrivals)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give both stores the same rows",
                         "particles with other fields than those on the GPU cannot join them");
    }
    if (more == 0) {
        return OOZE_OK;
    }
    OozeStatus result = reserve(gpu, store, n + more, error);
    if (result) {
        return result;
    }
    copy_from(gpu, store, arrivals);
    result = status(gpu, n + more, error);
    store->n = result ? n : store->n;
    const OozeFloat4 *x =
        static_cast<const OozeFloat4 *>(ooze_particles_data_const(arrivals, OOZE_FIELD_POSITION));
    for (uint64_t i = 0; i < more; i++) {
        const float zero_if_finite = (x[i].x - x[i].x) + (x[i].y - x[i].y) + (x[i].z - x[i].z);
        store->box += box_of_point(x[i].x, x[i].y, x[i].z);
        store->box_known = store->box_known && zero_if_finite == 0.0f;
    }
    return result;
}

/* ---- back to it ---- */

/* Gives the host's store as many particles; ids that are free there stay free. */
static OozeStatus size_to_fit(const Store *store, OozeParticles *particles, OozeError *error)
{
    if (!same_fields(store, particles)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give both stores the same rows",
                         "particles with other fields than those on the GPU cannot take them");
    }
    if (ooze_particles_count(particles) == store->n) {
        return OOZE_OK;
    }
    uint64_t next = ooze_particles_next_id(particles);
    OozeStatus result = ooze_particles_resize(particles, store->n, error);
    ooze_particles_set_next_id(particles, next);
    return result;
}

OozeStatus store_download(Gpu *gpu, const Store *store, OozeParticles *particles, OozeError *error)
{
    OozeStatus result = size_to_fit(store, particles, error);
    if (result) {
        return result;
    }
    ReadbackItem items[FIELDS_MAX];
    for (int f = 0; f < store->field_count; f++) {
        items[f] = {ooze_particles_data(particles, f), store->field[f].buffer.memory,
                    store->n * store->field[f].size};
    }
    readback_all(gpu, store->readback, items, store->field_count);
    return status(gpu, store->n, error);
}

/* ---- reordering ---- */

/* Up to this many bytes, two launches reorder all fields. */
enum { AT_ONCE_BYTES = 64 << 20 };

static void reorder_at_once(Gpu *gpu, Store *store, const uint32_t *order, uint64_t n)
{
    FieldTable table = field_table(store);
    char *next =
        static_cast<char *>(scratch_bytes(gpu, n * particle_bytes(store) + 16 * FIELDS_MAX));
    for (int f = 0; f < store->field_count; f++) {
        table.row[f].sorted = next;
        next += (n * table.row[f].size + 15) / 16 * 16;
    }
    const FieldTable t = table;
    const uint32_t count = (uint32_t)n;
    for_each(
        gpu, n * (uint64_t)t.count, OOZE_BODY(uint32_t k) {
            uint32_t f = k / count, i = k % count;
            uint64_t size = t.row[f].size;
            copy_element(t.row[f].sorted + i * size, t.row[f].data + order[i] * size, size);
        });
    for_each(
        gpu, n * (uint64_t)t.count, OOZE_BODY(uint32_t k) {
            uint32_t f = k / count, i = k % count;
            uint64_t size = t.row[f].size;
            copy_element(t.row[f].data + i * size, t.row[f].sorted + i * size, size);
        });
}

static void reorder_each(Gpu *gpu, Store *store, const uint32_t *order, uint64_t n)
{
    size_t largest = 0;
    for (int f = 0; f < store->field_count; f++) {
        largest = store->field[f].size > largest ? store->field[f].size : largest;
    }
    void *sorted = scratch_bytes(gpu, n * largest);
    for (int f = 0; f < store->field_count; f++) {
        size_t size = store->field[f].size;
        void *data = store->field[f].buffer.memory;
        reorder(gpu, order, n, data, sorted, size);
        copy(gpu, data, sorted, n * size);
    }
}

/* New element i = old element order[i], i < n, for all fields. */
static void reorder_fields(Gpu *gpu, Store *store, const uint32_t *order, uint64_t n)
{
    Mark mark = scratch_mark(gpu);
    if (n * particle_bytes(store) <= AT_ONCE_BYTES) {
        reorder_at_once(gpu, store, order, n);
    } else {
        reorder_each(gpu, store, order, n);
    }
    scratch_rewind(gpu, mark);
}

OozeStatus store_reorder(Gpu *gpu, Store *store, const uint32_t *order, OozeError *error)
{
    reorder_fields(gpu, store, order, store->n);
    return status(gpu, store->n, error);
}

OozeStatus store_resize(Gpu *gpu, Store *store, uint64_t n, OozeError *error)
{
    OozeStatus result = reserve(gpu, store, n, error);
    if (!result) {
        store->n = n;
        clear_padding(gpu, store);
    }
    return result;
}

void store_shift(Gpu *gpu, Store *store, uint64_t from, uint64_t to, uint64_t count)
{
    if (from == to || count == 0) {
        return;
    }
    Mark mark = scratch_mark(gpu);
    size_t largest = 0;
    for (int f = 0; f < store->field_count; f++) {
        largest = store->field[f].size > largest ? store->field[f].size : largest;
    }
    void *moved = scratch_bytes(gpu, count * largest);
    for (int f = 0; f < store->field_count; f++) {
        const size_t size = store->field[f].size;
        char *data = static_cast<char *>(store->field[f].buffer.memory);
        copy(gpu, moved, data + from * size, count * size);
        copy(gpu, data + to * size, moved, count * size);
    }
    scratch_rewind(gpu, mark);
}

OozeStatus store_remove(Gpu *gpu, Store *store, const uint8_t *remove, uint64_t *removed,
                        OozeError *error)
{
    uint64_t n = store->n;
    Mark mark = scratch_mark(gpu);
    uint32_t *order = scratch<uint32_t>(gpu, n);
    uint64_t kept = select_unflagged(gpu, remove, order, n);
    if (gpu->failed == cudaSuccess && kept < n) {
        reorder_fields(gpu, store, order, kept);
        store->n = kept;
        store->changes++;
        store->box_known = false;
        clear_padding(gpu, store);
    }
    scratch_rewind(gpu, mark);
    if (removed) {
        *removed = n - store->n;
    }
    return status(gpu, n, error);
}

} // namespace ooze
