#include "cli/dry_run.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "output/frame_file.h"

#define TRIAL_SECONDS 2.0
enum { TRIAL_STEPS = 50 };

/* Free bytes where `path` would be, looking at the nearest folder that exists; negative: unknown. */
static double free_bytes(const char *path)
{
    OozeText place = {0};
    ooze_text_append(&place, "%s", path);
    double bytes = -1.0;
    while (!place.failed && bytes < 0.0) {
        struct statvfs info;
        if (statvfs(place.data[0] ? place.data : ".", &info) == 0) {
            bytes = (double)info.f_bavail * (double)info.f_frsize;
            break;
        }
        char *slash = strrchr(place.data, '/');
        if (!place.data[0]) {
            break;
        }
        /* "/x" leads to "/", "x" to the present folder. */
        place.data[slash == place.data && place.data[1] ? 1
                   : slash                              ? slash - place.data
                                                        : 0] = '\0';
    }
    ooze_text_clear(&place);
    return bytes;
}

/* Steps for at most two seconds; the first one, which allocates, does not count unless alone. */
static OozeStatus trial(OozeWorld *world, uint64_t steps, uint64_t *taken, double *seconds_a_step,
                        OozeError *error)
{
    double first = ooze_clock(), start = first;
    *taken = 0;
    while (*taken < steps && *taken < TRIAL_STEPS && ooze_clock() - first < TRIAL_SECONDS) {
        OozeStatus status = ooze_world_step(world, error);
        status = status ? status : ooze_world_measure(world, true, error);
        if (status) {
            return status;
        }
        if (++*taken == 1) {
            *seconds_a_step = ooze_clock() - first;
            start = ooze_clock();
        }
    }
    if (*taken > 1) {
        *seconds_a_step = (ooze_clock() - start) / (double)(*taken - 1);
    }
    return OOZE_OK;
}

int ooze_dry_run(OozeWorld *world, const OozeSceneInfo *info, uint64_t last_frame,
                 const char *folder)
{
    OozeError error = {0};
    OozeWorldStats before, after;
    ooze_world_stats(world, &before);
    uint64_t steps = last_frame * info->steps_per_frame, taken = 0;
    double seconds_a_step = 0.0;
    if (trial(world, steps, &taken, &seconds_a_step, &error)) {
        return ooze_report_error(&error);
    }
    ooze_world_stats(world, &after);
    const OozeFrame *frame = ooze_world_frame(world);
    if (!frame) {
        ooze_fail_memory(&error, "the frame view", 0);
        return ooze_report_error(&error);
    }
    double frame_bytes = (double)ooze_frame_file_bytes(frame);
    double disk = frame_bytes * (double)(last_frame + 1);
    char a[OOZE_QUANTITY_SIZE], b[OOZE_QUANTITY_SIZE];
    printf("particles    %s", ooze_quantity_count(a, before.particles));
    if (after.emitted > 0) {
        printf(", and emitters add to them (%s after %s steps)",
               ooze_quantity_count(a, after.particles), ooze_quantity_count(b, taken));
    }
    printf("\nboundary     %s\n", ooze_quantity_count(a, after.boundary_particles));
    printf("frames       0 to %s, %g s of simulated time\n", ooze_quantity_count(a, last_frame),
           (double)steps * info->time_step);
    printf("steps        %s of %g s, %s a frame\n", ooze_quantity_count(a, steps), info->time_step,
           ooze_quantity_count(b, info->steps_per_frame));
    printf("memory       %s\n", ooze_quantity_bytes(a, (double)after.memory_bytes));
    printf("disk         %s, %s a frame\n", ooze_quantity_bytes(a, disk),
           ooze_quantity_bytes(b, frame_bytes));
    printf("time         %s, from a trial of %s steps with %d thread%s\n",
           ooze_quantity_seconds(a, seconds_a_step * (double)steps), ooze_quantity_count(b, taken),
           after.threads, after.threads == 1 ? "" : "s");
    double room = folder ? free_bytes(folder) : -1.0;
    if (room >= 0.0 && room < disk) {
        ooze_report_warning("'%s' has room for %s only", folder, ooze_quantity_bytes(a, room));
    }
    return OOZE_EXIT_OK;
}
