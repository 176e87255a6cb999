/* Shared by the writers of layers of Universal Scene Description. */
#ifndef OOZE_OUTPUT_USDA_H
#define OOZE_OUTPUT_USDA_H

#include "ooze/frame.h"
#include "output/export_value.h"
#include "output/writer.h"

/* The beginning of the layer of a frame, with the opened prim "ooze"; `remark` is a comment, or
   NULL. */
void ooze_usda_print_head(OozeWriter *writer, const OozeFrame *frame, const char *remark);
/* Name of the prim of a solid, in every layer. */
void ooze_usda_solid_name(const OozeFrame *frame, int i, char name[OOZE_EXPORT_NAME_MAX]);
/* File of the layer with the shapes of solids. */
#define OOZE_USDA_SOLIDS "solids.usda"
/* A text in quotes, with quotes and backslashes escaped. */
void ooze_usda_print_quoted(OozeWriter *writer, const char *text);

#endif
