/* Fuzz target of the scene reader: any bytes give a scene or errors, and a good scene's canonical
   text reads back as itself. Text that was upgraded stays as it is when it is upgraded again.
   Includes are left out: the bytes alone decide. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ooze/scene.h"
#include "scene/upgrade.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void upgrade(const uint8_t *data, size_t size)
{
    OozeText once = {0}, twice = {0};
    const OozeOldScene old = {"fuzz.yaml", (const char *)data, size, OOZE_ANGLES_RADIANS};
    if (!ooze_scene_upgrade(&old, &once, NULL, NULL)) {
        const OozeOldScene present = {"again.yaml", once.data, once.length, OOZE_ANGLES_RADIANS};
        if (ooze_scene_upgrade(&present, &twice, NULL, NULL) || once.length != twice.length ||
            memcmp(once.data, twice.data, once.length) != 0) {
            abort();
        }
    }
    ooze_text_clear(&twice);
    ooze_text_clear(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    upgrade(data, size);
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
