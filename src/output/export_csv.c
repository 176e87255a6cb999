/* Comma-separated values after RFC 4180: a header "position_x [m]", then one row per particle. */
#include <string.h>

#include "output/export.h"
#include "output/export_value.h"

/* Only a unit can hold characters that have to be quoted. */
static void print_header(OozeWriter *writer, const OozeFieldView *field, int component)
{
    char column[OOZE_EXPORT_NAME_MAX];
    ooze_export_column(field, component, column);
    const char *unit = field->unit ? field->unit : "";
    bool quoted = strpbrk(unit, ",\"\r\n") != NULL;
    ooze_writer_print(writer, quoted ? "\"%s" : "%s", column);
    if (unit[0]) {
        ooze_writer_print(writer, " [");
        for (const char *c = unit; *c; c++) {
            ooze_writer_print(writer, *c == '"' ? "\"\"" : "%c", *c);
        }
        ooze_writer_print(writer, "]");
    }
    ooze_writer_print(writer, quoted ? "\"" : "");
}

OozeStatus ooze_export_csv(const OozeFrame *frame, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    for (int f = 0; f < frame->field_count; f++) {
        for (int c = 0; c < frame->fields[f].components; c++) {
            ooze_writer_put(&writer, ",", f + c > 0);
            print_header(&writer, &frame->fields[f], c);
        }
    }
    ooze_writer_put(&writer, "\r\n", 2);
    for (uint64_t i = 0; i < frame->particle_count && !writer.error_number; i++) {
        for (int f = 0; f < frame->field_count; f++) {
            for (int c = 0; c < frame->fields[f].components; c++) {
                ooze_writer_put(&writer, ",", f + c > 0);
                ooze_export_print_value(&writer, &frame->fields[f], i, c);
            }
        }
        ooze_writer_put(&writer, "\r\n", 2);
    }
    return ooze_writer_commit(&writer, error);
}
