/* Frames with one array of the saved state spoilt, which a world must refuse. */
#ifndef OOZE_TESTS_SPOILT_FRAMES_H
#define OOZE_TESTS_SPOILT_FRAMES_H

#include "physics/fixtures.h"
#include "scratch_folder.h"

typedef struct Spoilt {
    const char *array;
    void (*spoil)(OozeFieldView *view);
    const char *says;
} Spoilt;

static inline void raise_first(OozeFieldView *view)
{
    ((uint32_t *)view->data)[0] = 4000000000u;
}

static inline void no_length(OozeFieldView *view)
{
    ((float *)view->data)[0] = NAN;
}

static inline void shorter(OozeFieldView *view)
{
    view->count--;
}

/* Frees the world. */
static inline void refuse_spoilt(OozeWorld *world, const Spoilt *cases, size_t count)
{
    char path[64];
    snprintf(path, sizeof path, "%s/spoilt.h5", folder);
    CHECK_OK(ooze_frame_write(ooze_world_frame(world), path, &error));
    for (size_t k = 0; k < count; k++) {
        OozeFrame *saved = NULL;
        CHECK_OK(ooze_frame_open(path, &saved, &error));
        cases[k].spoil((OozeFieldView *)ooze_frame_state(saved, cases[k].array));
        CHECK_FAILS(ooze_world_restore(world, saved, &error), OOZE_ERROR_FORMAT, cases[k].says);
        ooze_frame_close(saved);
    }
    ooze_world_destroy(world);
}

#endif
