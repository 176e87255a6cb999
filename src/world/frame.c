/* Frames: look-up of fields by name, and the hash of the state. */
#include "ooze/frame.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

static const OozeFieldView *find(const OozeFieldView *views, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(views[i].name, name) == 0) {
            return &views[i];
        }
    }
    return NULL;
}

const OozeFieldView *ooze_frame_field(const OozeFrame *frame, const char *name)
{
    return frame && name ? find(frame->fields, frame->field_count, name) : NULL;
}

const OozeFieldView *ooze_frame_state(const OozeFrame *frame, const char *name)
{
    return frame && name ? find(frame->state, frame->state_count, name) : NULL;
}

int ooze_field_column(const OozeFieldView *field, const char *column)
{
    for (int k = 0; field && column && field->columns && k < field->components; k++) {
        if (strcmp(field->columns[k], column) == 0) {
            return k;
        }
    }
    return -1;
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

/* The stride is not part of the hash: rows have padding in memory and none in a file. */
static uint64_t hash_field(uint64_t hash, const OozeFieldView *field)
{
    enum { ROWS = 1024, ROW_BYTES = 128 };
    unsigned char packed[ROWS * ROW_BYTES];
    hash = ooze_hash_text(hash, field->name);
    for (int k = 0; field->columns && k < field->components; k++) {
        hash = ooze_hash_text(hash, field->columns[k]);
    }
    size_t size = ooze_field_type_size(field->type);
    size_t used = size * (size_t)field->components;
    size_t step = size * (size_t)field->stride;
    uint64_t block = used > ROW_BYTES ? 1 : ROWS;
    for (uint64_t begin = 0; begin < field->count; begin += block) {
        const char *from = (const char *)field->data + begin * step;
        uint64_t n = field->count - begin < block ? field->count - begin : block;
        for (uint64_t i = 0; i < n && block > 1; i++) {
            memcpy(packed + i * used, from + i * step, used);
        }
        hash = ooze_hash_bytes(hash, block > 1 ? packed : (const void *)from, n * used);
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
