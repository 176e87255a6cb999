/* PLY, binary little endian: one vertex per particle with the usual x y z and vx vy vz, every other
   field under its own name. */
#include <string.h>

#include "output/export.h"
#include "output/export_value.h"
#include "particles/field.h"

/* PLY has no integers of 64 bits; a double holds ids up to 2^53 exactly. Integers of 16 bits are
   widened: meshio and others do not read `ushort`. */
static const char *const type_names[OOZE_FIELD_TYPE_COUNT] = {
    [OOZE_FIELD_FLOAT32] = "float", [OOZE_FIELD_FLOAT64] = "double", [OOZE_FIELD_UINT8] = "uchar",
    [OOZE_FIELD_UINT16] = "uint",   [OOZE_FIELD_UINT32] = "uint",    [OOZE_FIELD_UINT64] = "double",
};

static void print_property(OozeWriter *writer, const OozeFieldView *field, int component)
{
    char column[OOZE_EXPORT_NAME_MAX];
    ooze_export_column(field, component, column);
    ooze_writer_print(writer, "property %s ", type_names[field->type]);
    if (strcmp(field->name, ooze_common_fields[OOZE_FIELD_POSITION].name) == 0) {
        ooze_writer_print(writer, "%c\n", "xyz"[component]);
    } else if (strcmp(field->name, ooze_common_fields[OOZE_FIELD_VELOCITY].name) == 0) {
        ooze_writer_print(writer, "v%c\n", "xyz"[component]);
    } else {
        ooze_writer_print(writer, "%s\n", column);
    }
}

static void print_header(OozeWriter *writer, const OozeFrame *frame)
{
    ooze_writer_print(writer,
                      "ply\nformat binary_little_endian 1.0\n"
                      "comment ooze frame %llu, step %llu, time %.17g s, up %c\n",
                      (unsigned long long)frame->index, (unsigned long long)frame->step,
                      frame->time, "xyz"[frame->up]);
    for (int f = 0; f < frame->field_count; f++) {
        char name[OOZE_EXPORT_NAME_MAX], unit[OOZE_EXPORT_NAME_MAX];
        const char *text = frame->fields[f].unit;
        ooze_export_identifier(frame->fields[f].name, name);
        size_t n = 0;
        for (; text && text[n] && n < sizeof unit - 1; n++) {
            unit[n] = text[n] == '\n' || text[n] == '\r' ? ' ' : text[n];
        }
        unit[n] = '\0';
        ooze_writer_print(writer, "comment unit of %s: %s\n", name, n ? unit : "1");
    }
    ooze_export_print_ply_solids(writer, frame);
    ooze_writer_print(writer, "element vertex %llu\n", (unsigned long long)frame->particle_count);
    for (int f = 0; f < frame->field_count; f++) {
        for (int c = 0; c < frame->fields[f].components; c++) {
            print_property(writer, &frame->fields[f], c);
        }
    }
    ooze_writer_print(writer, "end_header\n");
}

OozeStatus ooze_export_ply(const OozeFrame *frame, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    print_header(&writer, frame);
    for (uint64_t i = 0; i < frame->particle_count && !writer.error_number; i++) {
        for (int f = 0; f < frame->field_count; f++) {
            const OozeFieldView *field = &frame->fields[f];
            for (int c = 0; c < field->components; c++) {
                double value = ooze_field_value(field, i, c);
                if (field->type == OOZE_FIELD_UINT64) {
                    ooze_export_put_little(&writer, &value, sizeof value);
                } else if (field->type == OOZE_FIELD_UINT16) {
                    uint32_t wide = (uint32_t)value;
                    ooze_export_put_little(&writer, &wide, sizeof wide);
                } else {
                    ooze_export_put_little(&writer, ooze_export_component(field, i, c),
                                           ooze_field_type_size(field->type));
                }
            }
        }
    }
    return ooze_writer_commit(&writer, error);
}
