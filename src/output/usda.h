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
/* Declares a primvar with one element per vertex of `element_size` values; its unit becomes its
   documentation: readers with small grammars fail at dictionaries of attributes. */
void ooze_usda_print_primvar(OozeWriter *writer, const char *type, const char *name,
                             int element_size, const char *unit);

#endif
