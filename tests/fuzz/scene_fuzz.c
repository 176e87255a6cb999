/* Fuzz target of the scene reader: any bytes give a scene or errors, and a good scene's canonical
   text reads back as itself. Includes are left out: the bytes alone decide. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ooze/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OozeScene *scene = NULL, *again = NULL;
    OozeStatus status =
        ooze_scene_load_text((const char *)data, size, "/nowhere/fuzz.yaml", &scene, NULL);
    if (!scene || (status == OOZE_OK) != (ooze_scene_diagnostic_count(scene) == 0)) {
        abort();
    }
    if (status == OOZE_OK) {
        const char *text = ooze_scene_canonical(scene);
        if (ooze_scene_load_text(text, strlen(text), "again.yaml", &again, NULL) ||
            strcmp(ooze_scene_canonical(again), text) != 0) {
            abort();
        }
    }
    ooze_scene_free(again);
    ooze_scene_free(scene);
    return 0;
}
