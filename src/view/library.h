/* The scenes that a page can open: YAML files in the folders beside the first scene. A page names
   them by number, so that no path comes from a page. */
#ifndef OOZE_VIEW_LIBRARY_H
#define OOZE_VIEW_LIBRARY_H

#include "base/text.h"

typedef struct OozeViewLibrary {
    char **folders, **names,
        **paths; /* "gallery", "honey_coil", "scenes/gallery/honey_coil.yaml" */
    int count, capacity;
} OozeViewLibrary;

/* The folders beside the one of `scene`, if that is called `scenes/NAME`; else the scenes of the
   scene's own folder. A folder that cannot be read is left out. */
OozeStatus ooze_view_library_create(OozeViewLibrary *library, const char *scene, OozeError *error);
void ooze_view_library_free(OozeViewLibrary *library);
void ooze_view_library_describe(const OozeViewLibrary *library, OozeText *json);

#endif
