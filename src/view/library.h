/* The scenes that a page can open: YAML files in the folders beside the first scene. A page names
   them by number, so that no path comes from a page. */
#ifndef OOZE_VIEW_LIBRARY_H
#define OOZE_VIEW_LIBRARY_H

#include "base/text.h"

typedef struct OozeViewScene {
    char *folder, *name, *path; /* "gallery", "honey_coil", "scenes/gallery/honey_coil.yaml" */
    char *title;                /* "Honey coiling"; the name where the file has no title */
    int small_of;               /* index of the scene of which this is a small variant; -1: none */
} OozeViewScene;

typedef struct OozeViewLibrary {
    OozeViewScene *items;
    int count, capacity;
} OozeViewLibrary;

/* The folders beside the one of `scene`, if that is called `scenes/NAME`; else the scenes of the
   scene's own folder. A folder that cannot be read is left out, and so is a file that only others
   include. */
OozeStatus ooze_view_library_create(OozeViewLibrary *library, const char *scene, OozeError *error);
void ooze_view_library_free(OozeViewLibrary *library);
void ooze_view_library_describe(const OozeViewLibrary *library, OozeText *json);

#endif
