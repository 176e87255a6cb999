#include "render/frame_bounds.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/select.h"
#include "base/vec3.h"

int ooze_frame_find_material(const OozeFrame *frame, const char *name)
{
    for (int i = 0; i < frame->material_count; i++) {
        if (frame->materials[i].name && strcmp(frame->materials[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Ends of the coordinates of one axis: those of the given share, and a margin beyond. */
static void find_ends(const double *values, uint64_t count, double *low, double *high)
{
    double beyond = 100.0 * 0.5 * (1.0 - OOZE_BOUNDS_SHARE), least = INFINITY, most = -INFINITY;
    double from = ooze_percentile(values, count, beyond);
    double to = ooze_percentile(values, count, 100.0 - beyond);
    for (uint64_t i = 0; i < count; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    *low = fmax(least, from - OOZE_BOUNDS_MARGIN * (to - from));
    *high = fmin(most, to + OOZE_BOUNDS_MARGIN * (to - from));
}

OozeStatus ooze_frame_bounds(const OozeFrame *frame, int material, OozeBounds *bounds,
                             OozeError *error)
{
    const OozeFieldView *position = ooze_frame_field(frame, "position");
    const OozeFieldView *index = ooze_frame_field(frame, "material");
    *bounds = ooze_bounds_empty();
    if (frame->particle_count == 0) {
        return OOZE_OK;
    }
    double *values = ooze_alloc(frame->particle_count, sizeof *values);
    if (!values) {
        return ooze_fail_memory(error, "the bounds of a frame",
                                frame->particle_count * sizeof *values);
    }
    double *low = &bounds->min.x, *high = &bounds->max.x;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            if (material < 0 || (index && (int)ooze_field_value(index, i, 0) == material)) {
                values[count++] = ooze_field_value(position, i, axis);
            }
        }
        if (count > 0) {
            find_ends(values, count, &low[axis], &high[axis]);
        }
    }
    ooze_free(values);
    return OOZE_OK;
}
