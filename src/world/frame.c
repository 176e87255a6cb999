/* Frames: checks, look-up of fields by name, and the hash of the state. */
#include "world/frame.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

/* ---- checks ---------------------------------------------------------------------------------- */

static OozeStatus fail_array(OozeError *error, const char *kind, const char *problem)
{
    return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                     "give a frame of ooze_world_frame or ooze_frame_open",
                     "the frame is not valid: %s %s", kind, problem);
}

static OozeStatus check_array(const void *items, int count, const char *kind, OozeError *error)
{
    if (count < 0) {
        return fail_array(error, kind, "has a negative length");
    }
    return count > 0 && !items ? fail_array(error, kind, "is NULL") : OOZE_OK;
}

static bool has_columns(const OozeFieldView *view)
{
    for (int k = 0; view->columns && k < view->components; k++) {
        if (!view->columns[k]) {
            return false;
        }
    }
    return true;
}

static OozeStatus check_views(const OozeFieldView *views, int count, const char *kind,
                              OozeError *error)
{
    OozeStatus status = check_array(views, count, kind, error);
    for (int i = 0; i < count && !status; i++) {
        const OozeFieldView *view = &views[i];
        if (!view->name || !has_columns(view)) {
            status = fail_array(error, kind, "has an entry or a column without a name");
        } else if (!ooze_field_type_size(view->type) || view->components < 1 ||
                   view->stride < view->components || (view->count > 0 && !view->data)) {
            status = fail_array(error, kind, "has an entry without data, or of an unknown type");
        }
    }
    return status;
}

OozeStatus ooze_frame_check_arrays(const OozeFrame *frame, OozeError *error)
{
    OOZE_REQUIRE(frame, error);
    if ((unsigned)frame->up > OOZE_AXIS_Z) {
        return fail_array(error, "`up`", "is not an axis");
    }
    OozeStatus status = check_views(frame->fields, frame->field_count, "`fields`", error);
    status = status ? status : check_views(frame->state, frame->state_count, "`state`", error);
    status = status ? status : check_array(frame->solids, frame->solid_count, "`solids`", error);
    status = status ? status
                    : check_array(frame->materials, frame->material_count, "`materials`", error);
    for (int i = 0; i < frame->field_count && !status; i++) {
        if (frame->fields[i].count != frame->particle_count) {
            status =
                fail_array(error, "`fields`", "has an entry of another length than the particles");
        }
    }
    return status;
}

/* ---- look-up --------------------------------------------------------------------------------- */

static const OozeFieldView *find(const OozeFieldView *views, int count, const char *name)
{
    for (int i = 0; views && i < count; i++) {
        if (views[i].name && strcmp(views[i].name, name) == 0) {
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
        if (field->columns[k] && strcmp(field->columns[k], column) == 0) {
            return k;
        }
    }
    return -1;
}

double ooze_field_value(const OozeFieldView *field, uint64_t i, int component)
{
    if (!field || !field->data) {
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

/* ---- hash ------------------------------------------------------------------------------------ */

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
    if (ooze_frame_check_arrays(frame, NULL)) {
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
