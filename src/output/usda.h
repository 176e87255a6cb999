/* What layers of Universal Scene Description as text have in common. */
#ifndef OOZE_OUTPUT_USDA_H
#define OOZE_OUTPUT_USDA_H

#include "ooze/frame.h"
#include "output/export_value.h"
#include "output/writer.h"

/* The beginning of a frame's layer, up to inside the prim "ooze"; `remark` is a line of comment, or
   NULL. */
void ooze_usda_print_head(OozeWriter *writer, const OozeFrame *frame, const char *remark);
/* What the prim of a solid is called, in every layer. */
void ooze_usda_solid_name(const OozeFrame *frame, int i, char name[OOZE_EXPORT_NAME_MAX]);
/* The layer with the shapes of solids, beside the stage. */
#define OOZE_USDA_SOLIDS "solids.usda"
/* A text between quotes. */
void ooze_usda_print_quoted(OozeWriter *writer, const char *text);

#endif
