#include "cli/run_scene.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/diff.h"
#include "cli/report.h"

static int refuse_changed_scene(const OozeScene *scene, const OozeRunScene *run)
{
    OozeText diff = {0};
    ooze_diff_unified(&diff, "scene of the run", run->kept, "scene given now",
                      ooze_scene_canonical(scene));
    OozeError error = {0};
    OozeText hint = {0};
    if (run->given) {
        ooze_text_append(&hint, "resume with the old scene, or start a new run in another folder; "
                                "--frames may differ");
    } else {
        ooze_text_append(&hint,
                         "undo the edits (cp '%s' '%s/scene.yaml'), or start a new run with "
                         "the edited scene in another folder",
                         run->original, run->folder);
    }
    ooze_fail(&error, OOZE_ERROR_SCENE, hint.data,
              run->given ? "the scene is not the one of the run in '%s'"
                         : "scene.yaml of '%s' was edited after the run began",
              run->folder);
    ooze_text_clear(&hint);
    int code = ooze_report_error(&error);
    if (diff.data) {
        fputs(diff.data, stderr);
    }
    ooze_text_clear(&diff);
    return code;
}

/* Whether the given scene equals that of the run. Keys that are newer than the run have their
   defaults in both. */
static bool same_scene(const OozeScene *scene, const OozeRunScene *run)
{
    OozeScene *old = NULL;
    const char *now = ooze_scene_canonical(scene);
    bool same =
        strcmp(run->kept, now) == 0 || (!ooze_scene_load_run(run->original, NULL, 0, &old, NULL) &&
                                        strcmp(ooze_scene_canonical(old), now) == 0);
    ooze_scene_free(old);
    return same;
}

int ooze_run_check_scene(const OozeScene *scene, const OozeRunScene *run)
{
    return same_scene(scene, run) ? OOZE_EXIT_OK : refuse_changed_scene(scene, run);
}
