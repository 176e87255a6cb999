/* Replaces frame files in a build without HDF5: every call fails with OOZE_ERROR_UNSUPPORTED. */
#include "base/fail.h"
#include "output/frame_file.h"

static OozeStatus fail_unsupported(OozeError *error)
{
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "use a build with HDF5",
                     "this ooze was built without frame files");
}

OozeStatus ooze_frame_open(const char *path, OozeFrame **frame, OozeError *error)
{
    (void)path;
    OOZE_REQUIRE(frame, error);
    *frame = NULL;
    return fail_unsupported(error);
}

void ooze_frame_close(OozeFrame *frame)
{
    (void)frame; /* ooze_frame_open gives none */
}

OozeStatus ooze_frame_write(const OozeFrame *frame, const char *path, OozeError *error)
{
    (void)frame;
    (void)path;
    return fail_unsupported(error);
}

uint64_t ooze_frame_file_bytes(const OozeFrame *frame)
{
    (void)frame;
    return 0;
}
