/* Memory of a surface: a frame of 12 million particles shall be meshed within 4 GiB. */
#include <sys/resource.h>

#include "check.h"
#include "surface_frame.h"

#if defined(__has_feature)
#define WATCHED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHED true
#else
#define WATCHED false
#endif

/* Largest resident memory of the process so far. */
static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* Beyond the frame itself. 4 GiB less the 1 GiB of a frame, over 12 million, are 268 bytes; here a
   quarter of the particles is near the surface, there a tenth. */
static void test_bytes_per_particle(void **state)
{
    (void)state;
    if (WATCHED) {
        SKIP_TEST("a sanitizer keeps freed memory");
    }
    CloudFrame *cloud = cloud_block(64, 64, 64, 0.1, 3, 1.0);
    double before = peak_bytes();
    OozeSurfaceSettings settings = ooze_surface_default();
    OozeSurface *surface = NULL;
    CHECK_OK(ooze_surface_build(&cloud->frame, &settings, 1, &surface, &error));
    MEASURED("bytes per particle", (peak_bytes() - before) / (64.0 * 64.0 * 64.0), 40.0, 268.0);
    ooze_surface_free(surface);
    cloud_free(cloud);
}

ACCEPTANCE_MAIN(cmocka_unit_test(test_bytes_per_particle))
