/* Replaces the renderer in a build without one: every call fails with OOZE_ERROR_UNSUPPORTED. */
#include "base/fail.h"
#include "ooze/render.h"
#include "render/png.h"
#include "render/video.h"

static OozeStatus fail_unsupported(OozeError *error)
{
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                     "install libembree-dev and libpng-dev, then build again",
                     "this ooze was built without its renderer");
}

OozeStatus ooze_renderer_create(const OozeScene *scene, const OozeRenderDef *def,
                                OozeRenderer **renderer, OozeError *error)
{
    (void)scene;
    (void)def;
    OOZE_REQUIRE(renderer, error);
    *renderer = NULL;
    return fail_unsupported(error);
}

void ooze_renderer_free(OozeRenderer *renderer)
{
    (void)renderer;
}

OozeStatus ooze_renderer_survey(OozeRenderer *renderer, const OozeFrame *frame, OozeError *error)
{
    (void)renderer;
    (void)frame;
    return fail_unsupported(error);
}

OozeStatus ooze_render_frame(OozeRenderer *renderer, const OozeFrame *frame,
                             OozeRenderProgress progress, void *user, unsigned char *pixels,
                             OozeError *error)
{
    (void)renderer;
    (void)frame;
    (void)progress;
    (void)user;
    (void)pixels;
    return fail_unsupported(error);
}

double ooze_renderer_mean_samples(const OozeRenderer *renderer)
{
    (void)renderer;
    return 0.0;
}

uint64_t ooze_renderer_hash(const OozeRenderer *renderer)
{
    (void)renderer;
    return 0;
}

OozeStatus ooze_png_write(const char *path, const unsigned char *pixels, uint32_t width,
                          uint32_t height, const char *key, const char *text, OozeError *error)
{
    (void)path;
    (void)pixels;
    (void)width;
    (void)height;
    (void)key;
    (void)text;
    return fail_unsupported(error);
}

bool ooze_png_has_text(const char *path, const char *key, const char *text)
{
    (void)path;
    (void)key;
    (void)text;
    return false;
}

OozeStatus ooze_video_write(const char *path, const char *const *pictures, uint64_t count,
                            double rate, OozeError *error)
{
    (void)path;
    (void)pictures;
    (void)count;
    (void)rate;
    return fail_unsupported(error);
}
