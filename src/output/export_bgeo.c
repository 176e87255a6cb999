/* Classic Houdini geometry, version 5: big endian, numbers of 32 bits, one row per point.

   header   "Bgeo" 'V' 5, then the numbers of points, primitives, point groups, primitive groups,
            and of point, vertex, primitive and detail attributes
   list     for each point attribute: length of the name (16 bits), name, size (16 bits), type, and
            `size` default values
   points   x y z w, then the attributes in the order of the list
   end      0x00 0xff */
#include <string.h>

#include "base/fail.h"
#include "output/export.h"
#include "output/export_value.h"
#include "output/frame_file.h"
#include "particles/field.h"

enum { TYPE_FLOAT = 0, TYPE_INT = 1, TYPE_VECTOR = 5 };

static bool is_common(const OozeFieldView *field, int which)
{
    return strcmp(field->name, ooze_common_fields[which].name) == 0;
}

static void put32(OozeWriter *writer, uint32_t value)
{
    ooze_export_put_big(writer, &value, sizeof value);
}

/* Whether a 64-bit number exceeds 31 bits: then the upper halves become an attribute as well. */
static bool needs_high(const OozeFieldView *field)
{
    bool needs = false;
    for (uint64_t i = 0; field->type == OOZE_FIELD_UINT64 && i < field->count && !needs; i++) {
        for (int c = 0; c < field->components; c++) {
            uint64_t value;
            memcpy(&value, ooze_export_component(field, i, c), sizeof value);
            needs = needs || value > INT32_MAX;
        }
    }
    return needs;
}

static void put_attribute(OozeWriter *writer, const OozeFieldView *field, const char *ending)
{
    char name[OOZE_EXPORT_NAME_MAX];
    ooze_export_identifier(is_common(field, OOZE_FIELD_VELOCITY) ? "v" : field->name, name);
    bool real = field->type == OOZE_FIELD_FLOAT32 || field->type == OOZE_FIELD_FLOAT64;
    uint16_t length = (uint16_t)(strlen(name) + strlen(ending)), size = (uint16_t)field->components;
    ooze_export_put_big(writer, &length, sizeof length);
    ooze_writer_print(writer, "%s%s", name, ending);
    ooze_export_put_big(writer, &size, sizeof size);
    put32(writer, is_common(field, OOZE_FIELD_VELOCITY) ? TYPE_VECTOR
                  : real                                ? TYPE_FLOAT
                                                        : TYPE_INT);
    for (int c = 0; c < field->components; c++) {
        put32(writer, 0);
    }
}

static void put_row(OozeWriter *writer, const OozeFieldView *field, uint64_t i, bool high)
{
    for (int c = 0; c < field->components; c++) {
        const char *at = ooze_export_component(field, i, c);
        uint64_t wide;
        float real;
        switch (field->type) {
        case OOZE_FIELD_FLOAT32:
            ooze_export_put_big(writer, at, 4);
            break;
        case OOZE_FIELD_FLOAT64:
            real = (float)ooze_field_value(field, i, c);
            ooze_export_put_big(writer, &real, 4);
            break;
        case OOZE_FIELD_UINT64:
            memcpy(&wide, at, sizeof wide);
            put32(writer, (uint32_t)(high ? wide >> 32 : wide));
            break;
        default:
            put32(writer, (uint32_t)ooze_field_value(field, i, c));
            break;
        }
    }
}

static void put_header(OozeWriter *writer, const OozeFrame *frame, uint32_t attributes)
{
    ooze_writer_put(writer, "BgeoV", 5);
    const uint32_t numbers[] = {5, (uint32_t)frame->particle_count, 0, 0, 0, attributes, 0, 0, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        put32(writer, numbers[i]);
    }
}

static void put_points(OozeWriter *writer, const OozeFrame *frame, const bool *high)
{
    const OozeFieldView *position =
        ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_POSITION].name);
    const float one = 1.0f;
    for (uint64_t i = 0; i < frame->particle_count && !writer->error_number; i++) {
        put_row(writer, position, i, false);
        ooze_export_put_big(writer, &one, sizeof one);
        for (int f = 0; f < frame->field_count; f++) {
            if (&frame->fields[f] == position) {
                continue;
            }
            put_row(writer, &frame->fields[f], i, false);
            if (high[f]) {
                put_row(writer, &frame->fields[f], i, true);
            }
        }
    }
}

OozeStatus ooze_export_bgeo(const OozeFrame *frame, const char *path, OozeError *error)
{
    bool high[OOZE_FRAME_FIELDS_MAX] = {false};
    if (frame->particle_count > INT32_MAX || frame->field_count > OOZE_FRAME_FIELDS_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "export to another format",
                         "cannot write '%s': bgeo holds at most %d points", path, INT32_MAX);
    }
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    uint32_t attributes = (uint32_t)frame->field_count - 1; /* the position is not an attribute */
    for (int f = 0; f < frame->field_count; f++) {
        high[f] = needs_high(&frame->fields[f]);
        attributes += high[f];
    }
    put_header(&writer, frame, attributes);
    for (int f = 0; f < frame->field_count; f++) {
        if (is_common(&frame->fields[f], OOZE_FIELD_POSITION)) {
            continue;
        }
        put_attribute(&writer, &frame->fields[f], "");
        if (high[f]) {
            put_attribute(&writer, &frame->fields[f], "_high");
        }
    }
    put_points(&writer, frame, high);
    ooze_writer_put(&writer, "\x00\xff", 2);
    return ooze_writer_commit(&writer, error);
}
