/* What layers of Universal Scene Description as text have in common. */
#ifndef OOZE_OUTPUT_USDA_H
#define OOZE_OUTPUT_USDA_H

#include "ooze/frame.h"
#include "output/writer.h"

/* The beginning of a frame's layer, up to inside the prim "ooze"; `remark` is a line of comment, or
   NULL. */
void ooze_usda_print_head(OozeWriter *writer, const OozeFrame *frame, const char *remark);
/* A text between quotes. */
void ooze_usda_print_quoted(OozeWriter *writer, const char *text);

#endif
