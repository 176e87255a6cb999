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

/* ---- all fields at once ---- */

/* To be captured by bodies. */
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

/* An element, in words as wide as its size allows. */
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

static void clear_spare(Gpu *gpu, const Store *store)
{
    const FieldTable table = field_table(store);
    uint64_t n = store->n;
    for_each(
        gpu, (uint64_t)SPARE * table.count, OOZE_BODY(uint32_t i) {
            uint64_t size = table.row[i / SPARE].size;
            char *element = table.row[i / SPARE].data + (n + i % SPARE) * size;
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
    store->capacity = UINT64_MAX; /* what there is room for, also where not all could be had */
    for (int f = 0; f < store->field_count; f++) {
        DeviceBuffer *buffer = &store->field[f].buffer;
        size_t size = store->field[f].size;
        buffer_bytes(gpu, buffer, (total + SPARE) * size, store->n * size);
        uint64_t fits = buffer->size / size;
        fits = fits > SPARE ? fits - SPARE : 0;
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

static OozeStatus take_fields(Gpu *gpu, Store *store, const OozeParticles *particles,
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

static void copy_from(Gpu *gpu, Store *store, const OozeParticles *particles)
{
    uint64_t n = ooze_particles_count(particles);
    for (int f = 0; f < store->field_count; f++) {
        size_t size = store->field[f].size;
        char *to = static_cast<char *>(store->field[f].buffer.memory) + store->n * size;
        copy_in(gpu, to, ooze_particles_data_const(particles, f), n * size);
    }
    store->n += n;
    clear_spare(gpu, store);
}

OozeStatus store_upload(Gpu *gpu, Store *store, const OozeParticles *particles, OozeError *error)
{
    OozeStatus answer = OOZE_OK;
    store->n = 0;
    if (!same_fields(store, particles)) {
        answer = take_fields(gpu, store, particles, error);
    }
    uint64_t n = ooze_particles_count(particles);
    if (!answer) {
        answer = reserve(gpu, store, n, error);
    }
    if (answer) {
        return answer;
    }
    copy_from(gpu, store, particles);
    return status(gpu, n, error);
}

OozeStatus store_append(Gpu *gpu, Store *store, const OozeParticles *newcomers, OozeError *error)
{
    uint64_t n = store->n, more = ooze_particles_count(newcomers);
    if (!same_fields(store, newcomers)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give both stores the same rows",
                         "particles with other fields than those on the GPU cannot join them");
    }
    if (more == 0) {
        return OOZE_OK;
    }
    OozeStatus answer = reserve(gpu, store, n + more, error);
    if (answer) {
        return answer;
    }
    copy_from(gpu, store, newcomers);
    answer = status(gpu, n + more, error);
    store->n = answer ? n : store->n;
    return answer;
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
    OozeStatus answer = ooze_particles_resize(particles, store->n, error);
    ooze_particles_set_next_id(particles, next);
    return answer;
}

OozeStatus store_download(Gpu *gpu, const Store *store, OozeParticles *particles, OozeError *error)
{
    OozeStatus answer = size_to_fit(store, particles, error);
    if (answer) {
        return answer;
    }
    ReadbackItem items[FIELDS_MAX];
    for (int f = 0; f < store->field_count; f++) {
        items[f] = {ooze_particles_data(particles, f), store->field[f].buffer.memory,
                    store->n * store->field[f].size};
    }
    readback_all(gpu, store->readback, items, store->field_count);
    return status(gpu, store->n, error);
}

/* ---- another order ---- */

/* So few bytes that all fields are carried by two launches. */
enum { TOGETHER = 64 << 20 };

static void carry_together(Gpu *gpu, Store *store, const uint32_t *order, uint64_t n)
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

static void carry_each(Gpu *gpu, Store *store, const uint32_t *order, uint64_t n)
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

/* The first n elements of all fields become those of `order`. */
static void carry_fields(Gpu *gpu, Store *store, const uint32_t *order, uint64_t n)
{
    Mark mark = scratch_mark(gpu);
    if (n * particle_bytes(store) <= TOGETHER) {
        carry_together(gpu, store, order, n);
    } else {
        carry_each(gpu, store, order, n);
    }
    scratch_rewind(gpu, mark);
}

OozeStatus store_reorder(Gpu *gpu, Store *store, const uint32_t *order, OozeError *error)
{
    carry_fields(gpu, store, order, store->n);
    return status(gpu, store->n, error);
}

OozeStatus store_remove(Gpu *gpu, Store *store, const uint8_t *remove, uint64_t *removed,
                        OozeError *error)
{
    uint64_t n = store->n;
    Mark mark = scratch_mark(gpu);
    uint32_t *order = scratch<uint32_t>(gpu, n);
    uint64_t kept = pick_unflagged(gpu, remove, order, n);
    if (gpu->failed == cudaSuccess && kept < n) {
        carry_fields(gpu, store, order, kept);
        store->n = kept;
        clear_spare(gpu, store);
    }
    scratch_rewind(gpu, mark);
    if (removed) {
        *removed = n - store->n;
    }
    return status(gpu, n, error);
}

} // namespace ooze
