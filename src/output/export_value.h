/* Shared by the exporters: names that other programs accept, numbers as text and as bytes. */
#ifndef OOZE_OUTPUT_EXPORT_VALUE_H
#define OOZE_OUTPUT_EXPORT_VALUE_H

#include "ooze/frame.h"
#include "output/writer.h"

/* Size of a name with its terminator; longer names are cut. */
#define OOZE_EXPORT_NAME_MAX 256

/* Letters, digits and underscores, not starting with a digit. */
void ooze_export_identifier(const char *name, char *identifier);
/* "density", "stress_0" ..., and for three components "velocity_x" ... */
void ooze_export_column(const OozeFieldView *field, int component, char *column);

/* One line of a PLY header for each solid: "comment solid", its position x y z and rotation
   x y z w, then its name, with %XX for bytes that are not printable ASCII. Programs that draw the
   solids beside the fluid read their poses there. */
void ooze_export_print_ply_solids(OozeWriter *writer, const OozeFrame *frame);

/* With as many digits as reading back the same value takes. */
void ooze_export_print_value(OozeWriter *writer, const OozeFieldView *field, uint64_t i, int c);

/* Address of a component. */
static inline const char *ooze_export_component(const OozeFieldView *field, uint64_t i, int c)
{
    size_t size = ooze_field_type_size(field->type);
    return (const char *)field->data + (i * (uint64_t)field->stride + (uint64_t)c) * size;
}

/* Writes a number of 1, 2, 4 or 8 bytes in that byte order. */
void ooze_export_put_little(OozeWriter *writer, const void *number, size_t size);
void ooze_export_put_big(OozeWriter *writer, const void *number, size_t size);

#endif
