#include "particles/particles.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "particles/columns.h"

enum { SPARE_ELEMENTS = 16, FIRST_CAPACITY = 1024, STRIDE_MAX = 1024 };

typedef struct Field {
    OozeFieldInfo info;
    size_t size; /* bytes of one element */
    void *data;
} Field;

/* Memory of an array that has grown since, which a view may still show. */
typedef struct KeptBlock {
    struct KeptBlock *next;
    void *data;
    size_t bytes;
} KeptBlock;

struct OozeParticles {
    uint64_t count, next_id;
    uint64_t capacity; /* every array holds at least this many elements, and some more */
    Field *fields;
    int field_count, field_capacity;
    bool keeps_blocks;
    KeptBlock *kept;
};

static uint64_t padded(uint64_t capacity)
{
    return capacity + SPARE_ELEMENTS;
}

static void fill_initial(const Field *field, uint64_t begin, uint64_t end)
{
    const OozeFieldInfo *info = &field->info;
    char *first = (char *)field->data + begin * field->size;
    memset(first, 0, (end - begin) * field->size);
    if (info->initial == 0.0) {
        return;
    }
    for (uint64_t i = 0; i < end - begin; i++) {
        for (int c = 0; c < info->components; c++) {
            uint64_t k = i * (uint64_t)info->stride + (uint64_t)c;
            switch (info->type) {
            case OOZE_FIELD_FLOAT32:
                ((float *)first)[k] = (float)info->initial;
                break;
            case OOZE_FIELD_FLOAT64:
                ((double *)first)[k] = info->initial;
                break;
            case OOZE_FIELD_UINT8:
                ((uint8_t *)first)[k] = (uint8_t)info->initial;
                break;
            case OOZE_FIELD_UINT16:
                ((uint16_t *)first)[k] = (uint16_t)info->initial;
                break;
            case OOZE_FIELD_UINT32:
                ((uint32_t *)first)[k] = (uint32_t)info->initial;
                break;
            default:
                ((uint64_t *)first)[k] = (uint64_t)info->initial;
                break;
            }
        }
    }
}

OozeStatus ooze_particles_create(OozeParticles **out, OozeError *error)
{
    *out = NULL;
    OozeParticles *particles = ooze_alloc_zero(1, sizeof *particles);
    if (!particles) {
        return ooze_fail_memory(error, "the particle store", sizeof *particles);
    }
    for (int i = 0; i < OOZE_FIELD_COMMON_COUNT; i++) {
        int field;
        OozeStatus status =
            ooze_particles_add_field(particles, &ooze_common_fields[i], &field, error);
        if (status) {
            ooze_particles_destroy(particles);
            return status;
        }
    }
    *out = particles;
    return OOZE_OK;
}

void ooze_particles_keep_blocks(OozeParticles *particles, bool keep)
{
    particles->keeps_blocks = keep;
    while (!keep && particles->kept) {
        KeptBlock *block = particles->kept;
        particles->kept = block->next;
        ooze_free(block->data);
        ooze_free(block);
    }
}

void ooze_particles_destroy(OozeParticles *particles)
{
    if (!particles) {
        return;
    }
    ooze_particles_keep_blocks(particles, false);
    for (int i = 0; i < particles->field_count; i++) {
        ooze_free(particles->fields[i].data);
    }
    ooze_free(particles->fields);
    ooze_free(particles);
}

/* ---- the field table ---- */

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_row(const OozeFieldInfo *a, const OozeFieldInfo *b)
{
    bool same_initial = a->initial == b->initial || (isnan(a->initial) && isnan(b->initial));
    return a->type == b->type && a->components == b->components && a->stride == b->stride &&
           same_initial && a->saved == b->saved && same_text(a->unit, b->unit);
}

static OozeStatus check_row(const OozeFieldInfo *info, OozeError *error)
{
    const char *hint = "correct the row of the field table";
    if (!info->name || !info->name[0]) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, hint, "a particle field has no name");
    }
    if (ooze_field_type_size(info->type) == 0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, hint, "particle field '%s' has no known type",
                         info->name);
    }
    if (info->components < 1 || info->stride < info->components || info->stride > STRIDE_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, hint,
                         "particle field '%s' has %d components at stride %d; the stride must hold "
                         "them and be at most %d",
                         info->name, info->components, info->stride, STRIDE_MAX);
    }
    /* The largest value of each integer type, or below it where a double cannot hold it. */
    static const double largest[OOZE_FIELD_TYPE_COUNT] = {
        [OOZE_FIELD_UINT8] = 0xff,
        [OOZE_FIELD_UINT16] = 0xffff,
        [OOZE_FIELD_UINT32] = 0xffffffff,
        [OOZE_FIELD_UINT64] = 0x1.fffffffffffffp63,
    };
    bool whole = info->type != OOZE_FIELD_FLOAT32 && info->type != OOZE_FIELD_FLOAT64;
    if (whole && !(info->initial >= 0.0 && info->initial <= largest[info->type])) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, hint,
                         "particle field '%s' cannot start at %g, which its integer type does not "
                         "hold",
                         info->name, info->initial);
    }
    return OOZE_OK;
}

static OozeStatus grow_tables(OozeParticles *particles, OozeError *error)
{
    if (particles->field_count == particles->field_capacity) {
        int wanted = particles->field_capacity * 2 + 8;
        Field *fields = ooze_grow(particles->fields, (size_t)particles->field_count, (size_t)wanted,
                                  sizeof *fields);
        if (!fields) {
            return ooze_fail_memory(error, "the field table", (size_t)wanted * sizeof *fields);
        }
        particles->fields = fields;
        particles->field_capacity = wanted;
    }
    return OOZE_OK;
}

OozeStatus ooze_particles_add_field(OozeParticles *particles, const OozeFieldInfo *info, int *out,
                                    OozeError *error)
{
    *out = -1;
    OozeStatus status = check_row(info, error);
    if (status) {
        return status;
    }
    int existing = ooze_particles_find_field(particles, info->name);
    if (existing >= 0) {
        if (!same_row(info, &particles->fields[existing].info)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give one of the two another name",
                             "particle field '%s' exists already with another type, size, unit or "
                             "initial value",
                             info->name);
        }
        *out = existing;
        return OOZE_OK;
    }
    status = grow_tables(particles, error);
    if (status) {
        return status;
    }
    Field field = {.info = *info};
    field.size = ooze_field_type_size(info->type) * (size_t)info->stride;
    field.data = ooze_alloc_zero(padded(particles->capacity), field.size);
    if (!field.data) {
        return ooze_fail_memory(error, info->name, padded(particles->capacity) * field.size);
    }
    fill_initial(&field, 0, particles->count);
    *out = particles->field_count;
    particles->fields[particles->field_count++] = field;
    return OOZE_OK;
}

OozeStatus ooze_particles_match_fields(const OozeParticles *model, OozeParticles *copy,
                                       OozeError *error)
{
    OozeStatus status = OOZE_OK;
    int count = ooze_particles_field_count(model), field;
    for (int i = ooze_particles_field_count(copy); i < count && !status; i++) {
        status = ooze_particles_add_field(copy, ooze_particles_field_info(model, i), &field, error);
    }
    return status;
}

int ooze_particles_field_count(const OozeParticles *particles)
{
    return particles->field_count;
}

const OozeFieldInfo *ooze_particles_field_info(const OozeParticles *particles, int field)
{
    return &particles->fields[field].info;
}

int ooze_particles_find_field(const OozeParticles *particles, const char *name)
{
    for (int i = 0; i < particles->field_count; i++) {
        if (strcmp(particles->fields[i].info.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- access ---- */

uint64_t ooze_particles_count(const OozeParticles *particles)
{
    return particles->count;
}

uint64_t ooze_particles_bytes(const OozeParticles *particles)
{
    uint64_t bytes = sizeof *particles + (uint64_t)particles->field_capacity * sizeof(Field);
    for (int i = 0; i < particles->field_count; i++) {
        bytes += padded(particles->capacity) * particles->fields[i].size;
    }
    for (const KeptBlock *block = particles->kept; block; block = block->next) {
        bytes += sizeof *block + block->bytes;
    }
    return bytes;
}

uint64_t ooze_particles_next_id(const OozeParticles *particles)
{
    return particles->next_id;
}

void ooze_particles_set_next_id(OozeParticles *particles, uint64_t next_id)
{
    particles->next_id = next_id;
}

void *ooze_particles_data(OozeParticles *particles, int field)
{
    return particles->fields[field].data;
}

const void *ooze_particles_data_const(const OozeParticles *particles, int field)
{
    return particles->fields[field].data;
}

void *ooze_particles_find_data(OozeParticles *particles, const char *name)
{
    int field = name ? ooze_particles_find_field(particles, name) : -1;
    return field < 0 ? NULL : ooze_particles_data(particles, field);
}

OozeFloat4 *ooze_particles_positions(OozeParticles *particles)
{
    return ooze_particles_data(particles, OOZE_FIELD_POSITION);
}

OozeFloat4 *ooze_particles_velocities(OozeParticles *particles)
{
    return ooze_particles_data(particles, OOZE_FIELD_VELOCITY);
}

uint64_t *ooze_particles_ids(OozeParticles *particles)
{
    return ooze_particles_data(particles, OOZE_FIELD_ID);
}

uint16_t *ooze_particles_materials(OozeParticles *particles)
{
    return ooze_particles_data(particles, OOZE_FIELD_MATERIAL);
}

/* ---- adding ---- */

/* The old block is freed, or kept for views. */
static OozeStatus grow_array(OozeParticles *particles, Field *field, uint64_t capacity,
                             OozeError *error)
{
    size_t size = field->size, used = particles->count * size, bytes = padded(capacity) * size;
    KeptBlock *block = particles->keeps_blocks ? ooze_alloc_zero(1, sizeof *block) : NULL;
    void *grown = block || !particles->keeps_blocks ? ooze_alloc(padded(capacity), size) : NULL;
    if (!grown) {
        ooze_free(block);
        return ooze_fail_memory(error, field->info.name, bytes);
    }
    memcpy(grown, field->data, used);
    memset((char *)grown + used, 0, bytes - used);
    if (block) {
        *block = (KeptBlock){particles->kept, field->data, padded(particles->capacity) * size};
        particles->kept = block;
    } else {
        ooze_free(field->data);
    }
    field->data = grown;
    return OOZE_OK;
}

/* Arrays grow one after the other; when one fails, those before it are larger than `capacity`, and
   the store stays valid. */
static OozeStatus set_capacity(OozeParticles *particles, uint64_t capacity, OozeError *error)
{
    for (int i = 0; i < particles->field_count; i++) {
        Field *field = &particles->fields[i];
        OozeStatus status = grow_array(particles, field, capacity, error);
        if (status) {
            return status;
        }
    }
    particles->capacity = capacity;
    return OOZE_OK;
}

static OozeStatus check_total(uint64_t total, OozeError *error)
{
    if (total > OOZE_PARTICLES_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or fewer particles",
                         "%llu particles requested; one store holds at most %llu",
                         (unsigned long long)total, (unsigned long long)OOZE_PARTICLES_MAX);
    }
    return OOZE_OK;
}

OozeStatus ooze_particles_add(OozeParticles *particles, uint64_t n, uint64_t *first,
                              OozeError *error)
{
    uint64_t total, last_id;
    if (__builtin_add_overflow(particles->count, n, &total)) {
        total = UINT64_MAX;
    }
    OozeStatus status = check_total(total, error);
    if (status) {
        return status;
    }
    if (__builtin_add_overflow(particles->next_id, n, &last_id)) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "check the next id that was restored",
                         "no particle ids are left after %llu",
                         (unsigned long long)particles->next_id);
    }
    if (total > particles->capacity) {
        uint64_t wanted = particles->capacity + particles->capacity / 2;
        wanted = wanted < FIRST_CAPACITY ? FIRST_CAPACITY : wanted;
        wanted = wanted < total ? total : wanted;
        wanted = wanted > OOZE_PARTICLES_MAX ? OOZE_PARTICLES_MAX : wanted;
        status = set_capacity(particles, wanted, error);
        if (status) {
            return status;
        }
    }
    for (int i = 0; i < particles->field_count; i++) {
        fill_initial(&particles->fields[i], particles->count, total);
    }
    uint64_t *ids = ooze_particles_ids(particles);
    for (uint64_t i = particles->count; i < total; i++) {
        ids[i] = particles->next_id++;
    }
    if (first) {
        *first = particles->count;
    }
    particles->count = total;
    return OOZE_OK;
}

OozeStatus ooze_particles_resize(OozeParticles *particles, uint64_t n, OozeError *error)
{
    particles->count = 0;
    particles->next_id = 0;
    return ooze_particles_add(particles, n, NULL, error);
}

void ooze_particles_reset_field(OozeParticles *particles, int field)
{
    fill_initial(&particles->fields[field], 0, particles->count);
}

OozeStatus ooze_particles_reserve(OozeParticles *particles, uint64_t n, OozeError *error)
{
    OozeStatus status = check_total(n, error);
    return status || n <= particles->capacity ? status : set_capacity(particles, n + n / 8, error);
}

void ooze_particles_set_count(OozeParticles *particles, uint64_t n)
{
    particles->count = n;
}

OozeStatus ooze_particles_release(OozeParticles *particles, OozeError *error)
{
    particles->count = 0;
    return set_capacity(particles, 0, error);
}

/* ---- removing and reordering ---- */

typedef struct RemoveJob {
    OozeParticles *particles;
    const uint8_t *remove;
    uint64_t first; /* first index to remove */
} RemoveJob;

/* Moves each run of kept particles down over the removed ones; each field on its own. */
static void compact_fields(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const RemoveJob *job = context;
    uint64_t count = job->particles->count;
    for (uint64_t f = begin; f < end; f++) {
        const Field *field = &job->particles->fields[f];
        char *data = field->data;
        uint64_t kept = job->first;
        for (uint64_t i = job->first; i < count;) {
            uint64_t run = i;
            while (run < count && !job->remove[run]) {
                run++;
            }
            memmove(data + kept * field->size, data + i * field->size, (run - i) * field->size);
            kept += run - i;
            while (run < count && job->remove[run]) {
                run++;
            }
            i = run;
        }
    }
}

OozeStatus ooze_particles_remove(OozeParticles *particles, OozeThreads *threads,
                                 const uint8_t *remove, uint64_t *removed, OozeError *error)
{
    (void)error;
    RemoveJob job = {.particles = particles, .remove = remove, .first = particles->count};
    uint64_t count = 0;
    for (uint64_t i = 0; i < particles->count; i++) {
        count += remove[i] != 0;
    }
    if (count > 0) {
        job.first = 0;
        while (!remove[job.first]) {
            job.first++;
        }
        ooze_parallel_for(threads, (uint64_t)particles->field_count, 1, compact_fields, &job);
        particles->count -= count;
    }
    if (removed) {
        *removed = count;
    }
    return OOZE_OK;
}

OozeStatus ooze_particles_reorder(OozeParticles *particles, OozeThreads *threads,
                                  const uint32_t *order, OozeArena *arena, OozeError *error)
{
    size_t largest = 0;
    for (int f = 0; f < particles->field_count; f++) {
        largest = particles->fields[f].size > largest ? particles->fields[f].size : largest;
    }
    OozeArenaMark mark = ooze_arena_mark(arena);
    char *sorted = ooze_arena_alloc(arena, particles->count, largest);
    if (!sorted) {
        return ooze_fail_memory(error, "reordering particles", particles->count * largest);
    }
    for (int f = 0; f < particles->field_count; f++) {
        Field *field = &particles->fields[f];
        OozeColumnCopy there = {sorted, field->data, field->size, order, particles->count};
        OozeColumnCopy back = {field->data, sorted, field->size, NULL, particles->count};
        ooze_column_gather(threads, &there);
        ooze_column_gather(threads, &back);
    }
    ooze_arena_rewind(arena, mark);
    return OOZE_OK;
}
