#include "world/ranks_arrays.h"

#include "base/fail.h"

void ooze_ranks_arrays_free(OozeRanksArrays *memory)
{
    for (int i = 0; i < OOZE_METHOD_ARRAYS_MAX; i++) {
        ooze_free(memory->data[i]);
        memory->data[i] = NULL;
    }
}

static size_t size_of(const OozeFieldView *array)
{
    return ooze_field_type_size(array->type) * (size_t)array->stride;
}

static OozeStatus fail(OozeError *error, uint64_t bytes)
{
    return ooze_fail_memory(error, "arrays of all processes", bytes);
}

OozeStatus ooze_ranks_broadcast_arrays(OozeRanks *ranks, const OozeMethod *method,
                                       const OozeFieldView *arrays, OozeFieldView *all,
                                       OozeRanksArrays *memory, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < method->array_count && !status; i++) {
        all[i] = arrays[i];
        ranks->broadcast(ranks, &all[i].count, sizeof all[i].count);
        uint64_t bytes = all[i].count * size_of(&all[i]);
        if (ranks->rank > 0) {
            all[i].data = memory->data[i] = ooze_alloc(bytes + 1, 1);
        }
        status = all[i].data || bytes == 0 ? OOZE_OK : fail(error, bytes);
        if (!status && bytes > 0) {
            ranks->broadcast(ranks, (void *)all[i].data, bytes);
        }
    }
    return status;
}

OozeStatus ooze_ranks_divide_arrays(OozeRanks *ranks, const OozeMethod *method, void *data,
                                    const OozeStepContext *context, const OozeFieldView *arrays,
                                    OozeError *error)
{
    OozeFieldView all[OOZE_METHOD_ARRAYS_MAX];
    const OozeFieldView *views[OOZE_METHOD_ARRAYS_MAX];
    OozeRanksArrays copies = {{NULL}};
    OozeStatus status = ooze_ranks_broadcast_arrays(ranks, method, arrays, all, &copies, error);
    for (int i = 0; i < method->array_count; i++) {
        views[i] = &all[i];
    }
    status = status ? status : method->restore(data, context, views, error);
    status = status ? status : method->keep_part(data, ranks->rank, ranks->count, error);
    ooze_ranks_arrays_free(&copies);
    return status;
}

/* Where the parts are sent and received, in bytes: 2 (ranks + 1) numbers. */
static uint64_t place_parts(const OozeRanks *ranks, const uint64_t *counts, bool on_all,
                            size_t size, uint64_t *at)
{
    uint64_t *receive = at + ranks->count + 1, own = counts[ranks->rank] * size;
    at[0] = receive[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        at[r + 1] = own; /* all of it to rank 0 */
        receive[r + 1] = receive[r] + (ranks->rank == 0 || on_all ? counts[r] * size : 0);
    }
    return receive[ranks->count];
}

static OozeStatus gather(OozeRanks *ranks, bool on_all, OozeFieldView *array, void **memory,
                         uint64_t *numbers, OozeError *error)
{
    uint64_t *counts = numbers, *at = numbers + ranks->count, own = array->count;
    size_t size = size_of(array);
    ranks->gather(ranks, &own, sizeof own, counts);
    uint64_t bytes = place_parts(ranks, counts, on_all, size, at);
    ooze_free(*memory);
    *memory = ooze_alloc(bytes + 1, 1);
    if (!*memory) {
        return fail(error, bytes);
    }
    if (on_all) {
        for (int r = 0; r < ranks->count; r++) {
            counts[r] *= size;
        }
        ranks->gather_varied(ranks, array->data, counts, *memory);
    } else {
        ranks->exchange(ranks, array->data, at, *memory, at + ranks->count + 1);
    }
    array->data = *memory;
    array->count = bytes / size;
    return OOZE_OK;
}

OozeStatus ooze_ranks_gather_arrays(OozeRanks *ranks, const OozeMethod *method, bool on_all,
                                    OozeFieldView *arrays, OozeRanksArrays *memory,
                                    OozeError *error)
{
    uint64_t *numbers = ooze_alloc(3 * ((size_t)ranks->count + 1), sizeof *numbers);
    OozeStatus status = numbers ? OOZE_OK : fail(error, 0);
    for (int i = 0; i < method->array_count && !status; i++) {
        status = gather(ranks, on_all, &arrays[i], &memory->data[i], numbers, error);
    }
    ooze_free(numbers);
    return status;
}
