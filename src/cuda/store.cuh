/* The particle store on the device: the same fields, element for element, as the host's. */
#ifndef OOZE_CUDA_STORE_CUH
#define OOZE_CUDA_STORE_CUH

#include "cuda/lists.cuh"

namespace ooze
{

enum {
    FIELDS_MAX = 32,
    SPARE =
        16 /* elements beyond the last particle, all zero: whatever reads the dummy's finds nothing */
};

struct Carrier; /* see carrier.cuh */

struct Store {
    uint64_t n;
    uint64_t capacity; /* particles that every field has room for, beside SPARE elements */
    int field_count;
    struct {
        OozeFieldInfo info;
        size_t size; /* bytes of an element, padding of its stride included */
        Room room;
    } field[FIELDS_MAX];
    Carrier *carrier; /* takes fields home; NULL: they go the slow way */
    Room copy_room;   /* what is on its way home while steps go on */
};

void store_free(Machine *m, Store *store);
/* Everything from the host, or back to it (the host's store is sized to fit; next ids are the host's). The latter
   waits. */
OozeStatus store_upload(Machine *m, Store *store, const OozeParticles *particles, OozeError *error);
OozeStatus store_download(Machine *m, const Store *store, OozeParticles *particles,
                          OozeError *error);
/* The same of a copy, while steps go on: until store_download_end, which waits, nobody else touches the host's store.
   *begun false: the device has no memory to spare for a copy, and nothing has happened. */
OozeStatus store_download_begin(Machine *m, Store *store, OozeParticles *particles, bool *begun,
                                OozeError *error);
OozeStatus store_download_end(Machine *m, Store *store, OozeError *error);
/* All particles of a host's store with the same fields join the end. */
OozeStatus store_append(Machine *m, Store *store, const OozeParticles *newcomers, OozeError *error);
/* Removes every particle with remove[i] != 0 (device bytes), keeping the order of the rest. Waits for their number. */
OozeStatus store_remove(Machine *m, Store *store, const uint8_t *remove, uint64_t *removed,
                        OozeError *error);
/* New element i = old element order[i], for every field, by way of scratch. */
OozeStatus store_reorder(Machine *m, Store *store, const uint32_t *order, OozeError *error);

/* Device arrays; NULL where there is no such field. */
void *store_data(const Store *store, const char *name);
static inline float4 *store_positions(const Store *store)
{
    return static_cast<float4 *>(store->field[OOZE_FIELD_POSITION].room.memory);
}
static inline float4 *store_velocities(const Store *store)
{
    return static_cast<float4 *>(store->field[OOZE_FIELD_VELOCITY].room.memory);
}

} // namespace ooze

#endif
