/* census SCENE STEPS [KEY=VALUE]...: simulates on one thread and prints what there is afterwards. A
   line of JSON, then id, position and velocity of each particle. Compiled for this processor and
   for WebAssembly, to compare both. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ooze/ooze.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const OozeScene *scene, const OozeError *error)
{
    fprintf(stderr, "census: %s\n", error->message);
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        const OozeDiagnostic *d = ooze_scene_diagnostic(scene, i);
        fprintf(stderr, "%s:%d: %s\n", d->file, d->line, d->message);
    }
    return 1;
}

static void print(const OozeFrame *frame, double took)
{
    const OozeFieldView *id = ooze_frame_field(frame, "id");
    const OozeFieldView *fields[] = {ooze_frame_field(frame, "position"),
                                     ooze_frame_field(frame, "velocity")};
    printf("{\"particles\": %llu, \"steps\": %llu, \"time\": %.17g, \"spacing\": %.17g, "
           "\"hash\": \"%016llx\", \"steps_per_second\": %.4g}\n",
           (unsigned long long)frame->particle_count, (unsigned long long)frame->step, frame->time,
           frame->spacing, (unsigned long long)ooze_frame_hash(frame), (double)frame->step / took);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        printf("%.0f", ooze_field_value(id, i, 0));
        for (int k = 0; k < 6; k++) {
            printf(" %.9g", ooze_field_value(fields[k / 3], i, k % 3));
        }
        printf("\n");
    }
}

int main(int count, char **words)
{
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    OozeError error = {0};
    if (count < 3) {
        fprintf(stderr, "census SCENE STEPS [KEY=VALUE]...\n");
        return 2;
    }
    const OozeBuildOptions options = {.threads = 1, .device = OOZE_DEVICE_CPU};
    OozeStatus status =
        ooze_scene_load(words[1], (const char *const *)words + 3, count - 3, &scene, &error);
    status = status ? status : ooze_scene_build(scene, &options, &world, &error);
    double began = seconds();
    for (long step = strtol(words[2], NULL, 10); !status && step > 0; step--) {
        status = ooze_world_step(world, &error);
    }
    const OozeFrame *frame = status ? NULL : ooze_world_frame(world);
    if (frame) {
        print(frame, seconds() - began);
    }
    int result = frame ? 0 : fail(scene, &error);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return result;
}
