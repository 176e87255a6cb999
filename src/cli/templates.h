/* Scenes of scenes/templates, compiled in: cmake/templates.cmake writes the table. */
#ifndef OOZE_CLI_TEMPLATES_H
#define OOZE_CLI_TEMPLATES_H

#include <stddef.h>

typedef struct OozeTemplate {
    const char *name; /* that of the file, without .yaml */
    const char *text;
    size_t length;
} OozeTemplate;

extern const OozeTemplate ooze_templates[];
extern const int ooze_template_count;

#endif
