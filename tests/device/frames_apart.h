/* How far the frames of two worlds are apart, particle by particle. */
#ifndef OOZE_TESTS_DEVICE_FRAMES_APART_H
#define OOZE_TESTS_DEVICE_FRAMES_APART_H

extern "C" {
#include "check.h"
#include "ooze/world.h"
#include "world/world.h"
}

enum { FRAME_IDS = 20000 }; /* more than any test's */

/* Field values of a frame, by the id of their particle. */
static double *by_id(const OozeFrame *frame, const char *name, int components)
{
    const OozeFieldView *field = ooze_frame_field(frame, name), *id = ooze_frame_field(frame, "id");
    double *values =
        static_cast<double *>(calloc((size_t)FRAME_IDS * (size_t)components, sizeof(double)));
    assert_non_null(field);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        size_t at = (size_t)ooze_field_value(id, i, 0);
        assert_true(at < FRAME_IDS);
        for (int k = 0; k < components; k++) {
            values[at * (size_t)components + (size_t)k] = ooze_field_value(field, i, k);
        }
    }
    return values;
}

/* The largest difference of a field between two frames, or the largest value where there is no
   other. */
static double apart(const OozeFrame *a, const OozeFrame *b, const char *name, int components)
{
    double *x = by_id(a, name, components), *y = b ? by_id(b, name, components) : nullptr, most = 0;
    assert_true(!b || a->particle_count == b->particle_count);
    for (uint64_t i = 0; i < FRAME_IDS * (uint64_t)components; i++) {
        double far = fabs(x[i] - (y ? y[i] : 0.0));
        most = far > most || !(far == far) ? far : most;
    }
    free(x);
    free(y);
    return most;
}

/* Share of the particles whose positions differ by more than this. */
static inline double share_apart(const OozeFrame *a, const OozeFrame *b, double distance)
{
    double *x = by_id(a, "position", 3), *y = by_id(b, "position", 3);
    uint64_t count = 0;
    for (uint64_t i = 0; i < FRAME_IDS; i++) {
        double square = 0;
        for (uint64_t k = 3 * i; k < 3 * i + 3; k++) {
            square += (x[k] - y[k]) * (x[k] - y[k]);
        }
        count += square > distance * distance;
    }
    free(x);
    free(y);
    return (double)count / (double)a->particle_count;
}

#endif
