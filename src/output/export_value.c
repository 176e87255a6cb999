#include "output/export_value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void ooze_export_identifier(const char *name, char *identifier)
{
    size_t n = 0;
    if (isdigit((unsigned char)name[0]) || !name[0]) {
        identifier[n++] = '_';
    }
    for (const char *c = name; *c && n < OOZE_EXPORT_NAME_MAX - 1; c++) {
        bool plain = isalnum((unsigned char)*c) && (unsigned char)*c < 0x80;
        identifier[n++] = plain ? *c : '_';
    }
    identifier[n] = '\0';
}

void ooze_export_column(const OozeFieldView *field, int component, char *column)
{
    char name[OOZE_EXPORT_NAME_MAX];
    ooze_export_identifier(field->name, name);
    name[OOZE_EXPORT_NAME_MAX - 16] = '\0'; /* space for the number */
    if (field->components == 1) {
        snprintf(column, OOZE_EXPORT_NAME_MAX, "%s", name);
    } else if (field->components == 3) {
        snprintf(column, OOZE_EXPORT_NAME_MAX, "%.240s_%c", name, "xyz"[component]);
    } else {
        snprintf(column, OOZE_EXPORT_NAME_MAX, "%.240s_%d", name, component);
    }
}

void ooze_export_print_ply_solids(OozeWriter *writer, const OozeFrame *frame)
{
    for (int i = 0; i < frame->solid_count; i++) {
        const OozeSolidPose *pose = &frame->solids[i].pose;
        ooze_writer_print(writer, "comment solid %.9g %.9g %.9g %.9g %.9g %.9g %.9g ",
                          pose->position.x, pose->position.y, pose->position.z, pose->rotation.x,
                          pose->rotation.y, pose->rotation.z, pose->rotation.w);
        for (const char *c = frame->solids[i].name; c && *c; c++) {
            bool plain = *c >= 0x20 && *c < 0x7f && *c != '%';
            ooze_writer_print(writer, plain ? "%c" : "%%%02X", (unsigned char)*c);
        }
        ooze_writer_put(writer, "\n", 1);
    }
}

static void print_real(OozeWriter *writer, double value, int digits)
{
    char *space = ooze_writer_reserve(writer, 64);
    int length = isnan(value) ? snprintf(space, 64, "nan") /* printf may add a sign */
                              : snprintf(space, 64, "%.*g", digits, value);
    ooze_writer_advance(writer, (size_t)length);
}

void ooze_export_print_value(OozeWriter *writer, const OozeFieldView *field, uint64_t i, int c)
{
    const char *at = ooze_export_component(field, i, c);
    if (field->type == OOZE_FIELD_FLOAT32 || field->type == OOZE_FIELD_FLOAT64) {
        print_real(writer, ooze_field_value(field, i, c),
                   field->type == OOZE_FIELD_FLOAT32 ? 9 : 17);
        return;
    }
    uint64_t value; /* a double would lose the low bits of a 64-bit number */
    if (field->type == OOZE_FIELD_UINT64) {
        memcpy(&value, at, sizeof value);
    } else {
        value = (uint64_t)ooze_field_value(field, i, c);
    }
    char digits[20];
    size_t n = sizeof digits;
    do {
        digits[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    ooze_writer_put(writer, digits + n, sizeof digits - n);
}

static void put_bytes(OozeWriter *writer, const void *number, size_t size, bool reversed)
{
    char *bytes = ooze_writer_reserve(writer, 8);
    const char *from = number;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = from[reversed ? size - 1 - i : i];
    }
    ooze_writer_advance(writer, size);
}

void ooze_export_put_little(OozeWriter *writer, const void *number, size_t size)
{
    put_bytes(writer, number, size, __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__);
}

void ooze_export_put_big(OozeWriter *writer, const void *number, size_t size)
{
    put_bytes(writer, number, size, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}
