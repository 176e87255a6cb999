/* The particle store on the device: the same fields, element for element, as the host's. */
#ifndef OOZE_CUDA_STORE_CUH
#define OOZE_CUDA_STORE_CUH

#include "cuda/lists.cuh"

namespace ooze
{

enum { FIELDS_MAX = 32 };
/* Zero elements after the last particle: the padding of lists. */
enum { PADDING = 16 };

struct Readback; /* see readback.cuh */

struct Store {
    uint64_t n;
    uint64_t changes;  /* number of times that particles were uploaded or removed */
    uint64_t capacity; /* particles that every field has room for, beside PADDING elements */
    int field_count;
    struct {
        OozeFieldInfo info;
        size_t size; /* bytes of an element, padding of its stride included */
        DeviceBuffer buffer;
    } field[FIELDS_MAX];
    /* around the positions, where it is known */
    bool box_known;
    PointBox box;
    Readback *readback; /* NULL: fields are copied without pinned memory */
};

void store_free(Gpu *gpu, Store *store);
/* Copy all fields from the host, or to it. The download resizes the host's store, keeps its next
   id, and waits. */
OozeStatus store_upload(Gpu *gpu, Store *store, const OozeParticles *particles, OozeError *error);
OozeStatus store_download(Gpu *gpu, const Store *store, OozeParticles *particles, OozeError *error);
/* Appends all particles of a host's store with the same fields. */
OozeStatus store_append(Gpu *gpu, Store *store, const OozeParticles *arrivals, OozeError *error);
/* Removes every particle with remove[i] != 0 (device bytes), keeping the order of the rest. Waits
   for their number. */
OozeStatus store_remove(Gpu *gpu, Store *store, const uint8_t *remove, uint64_t *removed,
                        OozeError *error);
/* New element i = old element order[i], for every field, by way of scratch. */
OozeStatus store_reorder(Gpu *gpu, Store *store, const uint32_t *order, OozeError *error);

/* Makes room for n particles and keeps as many as there are; those beyond are not initialised. */
OozeStatus store_resize(Gpu *gpu, Store *store, uint64_t n, OozeError *error);
/* Moves `count` particles from index `from` to index `to`, by way of scratch. */
void store_shift(Gpu *gpu, Store *store, uint64_t from, uint64_t to, uint64_t count);

/* Device arrays; NULL where there is no such field. */
void *store_data(const Store *store, const char *name);
static inline float4 *store_positions(const Store *store)
{
    return static_cast<float4 *>(store->field[OOZE_FIELD_POSITION].buffer.memory);
}
static inline const uint16_t *store_materials(const Store *store)
{
    return static_cast<const uint16_t *>(store_data(store, "material"));
}
static inline float4 *store_velocities(const Store *store)
{
    return static_cast<float4 *>(store->field[OOZE_FIELD_VELOCITY].buffer.memory);
}

} // namespace ooze

#endif
