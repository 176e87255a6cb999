/* The scenes of the paper's Table 1, by name. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/shared_path.h"

/* Table 1 of Barreiro et al. 2017, which has no time for the cake, and the default number of
   particles: that of the paper where the benchmark then takes seconds on two cores. */
static const OozeBenchScene scenes[] = {
    {"blocks", "blocks", "cubes of three materials (Figure 4)", 10e3, 8, 20, 0.16, 0},
    {"coiling", "coiling_top", "four coiling ropes (Figure 5)", 89e3, 8, 40, 1.08, 10000},
    {"interactive", "hand_and_bowl", "a thread on a hand (Figures 8 and 10)", 15e3, 3, 8, 0.03,
     5000},
    {"waffle", "waffle_thick", "cream from a star nozzle (Figure 9)", 80e3, 10, 40, 1.42, 10000},
    {"honey", "honey", "a thread of honey (Figure 12)", 105e3, 10, 10, 0.15, 10000},
    {"cake", "cake", "cream, syrup, rigid and soft bodies (Figure 1)", 150e3, 25, 15, NAN, 0},
    {"massive", "massive", "seven animals of clay (Figure 11)", 12e6, 5, 15, 19, 100000},
};

const OozeBenchScene *ooze_bench_scene(int index)
{
    return index < OOZE_ROWS(scenes) ? &scenes[index] : NULL;
}

const OozeBenchScene *ooze_bench_find(const char *name)
{
    for (int i = 0; i < OOZE_ROWS(scenes); i++) {
        if (strcmp(scenes[i].name, name) == 0) {
            return &scenes[i];
        }
    }
    return NULL;
}

/* Searches the scenes of the paper: in --scenes, installed, or in the source tree. */
static bool find_file(const OozeBenchPlan *plan, OozeText *path)
{
    OozeText name = {0};
    ooze_text_append(&name, "scenes/barreiro2017/%s%s.yaml", plan->scene->file,
                     plan->small ? "_small" : "");
    bool found = false;
    if (!name.failed && plan->folder) {
        ooze_text_append(path, "%s/%s", plan->folder, name.data + strlen("scenes/"));
        found = !path->failed && ooze_file_exists(path->data);
    }
    if (!name.failed && !found) {
        found = ooze_shared_path(name.data, name.data, path);
    }
    ooze_text_clear(&name);
    return found;
}

int ooze_bench_locate(const OozeBenchPlan *plan, OozeText *path)
{
    if (find_file(plan, path)) {
        return OOZE_EXIT_OK;
    }
    OozeError error = {0};
    ooze_fail(&error, OOZE_ERROR_FILE, "say where they are with --scenes DIR",
              "the scenes of the paper stand neither beside this command nor in the tree it was "
              "built in");
    return ooze_report_error(&error);
}
