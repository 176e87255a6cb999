/* The read-only frame view: looking things up in it, and its hash. */
#include "ooze/frame.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

const OozeFieldView *ooze_frame_field(const OozeFrame *frame, const char *name)
{
    for (int i = 0; frame && name && i < frame->field_count; i++) {
        if (strcmp(frame->fields[i].name, name) == 0) {
            return &frame->fields[i];
        }
    }
    return NULL;
}

double ooze_field_value(const OozeFieldView *field, uint64_t i, int component)
{
    if (!field) {
        return NAN;
    }
    uint64_t k = i * (uint64_t)field->stride + (uint64_t)component;
    switch (field->type) {
    case OOZE_FIELD_FLOAT32:
        return ((const float *)field->data)[k];
    case OOZE_FIELD_FLOAT64:
        return ((const double *)field->data)[k];
    case OOZE_FIELD_UINT8:
        return ((const uint8_t *)field->data)[k];
    case OOZE_FIELD_UINT16:
        return ((const uint16_t *)field->data)[k];
    case OOZE_FIELD_UINT32:
        return ((const uint32_t *)field->data)[k];
    case OOZE_FIELD_UINT64:
        return (double)((const uint64_t *)field->data)[k];
    default:
        return 0.0;
    }
}

/* Hashes the meaningful components only, in blocks so that the strides of memory and file, which
   differ, cannot show. */
static uint64_t hash_field(uint64_t hash, const OozeFieldView *field)
{
    enum { BLOCK = 1024, COMPONENTS_MAX = 16 };
    unsigned char packed[BLOCK * COMPONENTS_MAX * 8];
    hash = ooze_hash_text(hash, field->name);
    size_t size = ooze_field_type_size(field->type);
    size_t used = size * (size_t)field->components;
    size_t step = size * (size_t)field->stride;
    if (used > COMPONENTS_MAX * 8) { /* wider than any row of the table: one by one */
        for (uint64_t i = 0; i < field->count; i++) {
            hash = ooze_hash_bytes(hash, (const char *)field->data + i * step, used);
        }
        return hash;
    }
    for (uint64_t begin = 0; begin < field->count; begin += BLOCK) {
        uint64_t n = field->count - begin < BLOCK ? field->count - begin : BLOCK;
        for (uint64_t i = 0; i < n; i++) {
            memcpy(packed + i * used, (const char *)field->data + (begin + i) * step, used);
        }
        hash = ooze_hash_bytes(hash, packed, n * used);
    }
    return hash;
}

uint64_t ooze_frame_hash(const OozeFrame *frame)
{
    uint64_t hash = OOZE_HASH_START;
    if (!frame) {
        return 0;
    }
    hash = ooze_hash_bytes(hash, &frame->step, sizeof frame->step);
    hash = ooze_hash_bytes(hash, &frame->time, sizeof frame->time);
    hash = ooze_hash_bytes(hash, &frame->particle_count, sizeof frame->particle_count);
    for (int i = 0; i < frame->field_count; i++) {
        hash = hash_field(hash, &frame->fields[i]);
    }
    for (int i = 0; i < frame->solid_count; i++) {
        hash = ooze_hash_bytes(hash, &frame->solids[i].pose, sizeof frame->solids[i].pose);
    }
    for (int i = 0; i < frame->state_count; i++) {
        hash = hash_field(hash, &frame->state[i]);
    }
    return hash;
}
