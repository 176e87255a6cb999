#include "surface/cloud.h"

#include <math.h>

#include "base/fail.h"
#include "particles/field.h"
#include "physics/surface_field.h"

static OozeStatus check_frame(const OozeFrame *frame, const OozeFieldView **position,
                              OozeError *error)
{
    *position = ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_POSITION].name);
    if (!(frame->spacing > 0.0) || !isfinite(frame->spacing)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "fill spacing with the particles' distance",
                         "frame %llu has a spacing of %g m: a surface needs one above 0",
                         (unsigned long long)frame->index, frame->spacing);
    }
    if (!*position || (*position)->components != 3 || (*position)->count < frame->particle_count) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "every frame of a run has positions",
                         "frame %llu has no position for each of its %llu particles",
                         (unsigned long long)frame->index,
                         (unsigned long long)frame->particle_count);
    }
    if (frame->particle_count > OOZE_PARTICLES_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "split the frame",
                         "frame %llu has %llu particles; a surface takes at most %llu",
                         (unsigned long long)frame->index,
                         (unsigned long long)frame->particle_count, OOZE_PARTICLES_MAX);
    }
    return OOZE_OK;
}

static OozeStatus read_positions(const OozeFrame *frame, const OozeFieldView *position,
                                 OozeFloat4 *points, OozeError *error)
{
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        points[i] = (OozeFloat4){(float)ooze_field_value(position, i, 0),
                                 (float)ooze_field_value(position, i, 1),
                                 (float)ooze_field_value(position, i, 2), 0.0f};
        if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].z)) {
            return ooze_fail(error, OOZE_ERROR_NUMERIC,
                             "the simulation went wrong before this frame was written",
                             "particle %llu of frame %llu is at (%g, %g, %g)",
                             (unsigned long long)i, (unsigned long long)frame->index,
                             (double)points[i].x, (double)points[i].y, (double)points[i].z);
        }
    }
    return OOZE_OK;
}

typedef struct Sort {
    const OozeFloat4 *from;
    const uint32_t *order;
    OozeFloat4 *to;
} Sort;

static void reorder(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Sort *sort = context;
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        sort->to[i] = sort->from[sort->order[i]];
    }
}

/* Numbers the materials that particles have, in ascending order. More than a label can tell apart
   count as one. */
static OozeStatus read_labels(OozeCloud *cloud, OozeError *error)
{
    const OozeFieldView *material =
        ooze_frame_field(cloud->frame, ooze_common_fields[OOZE_FIELD_MATERIAL].name);
    enum { MATERIALS = UINT16_MAX + 1 };
    cloud->label_count = 1;
    uint8_t *label_of = material ? ooze_alloc_zero(MATERIALS, 1) : NULL;
    if (!label_of) {
        return material ? ooze_fail_memory(error, "materials", MATERIALS) : OOZE_OK;
    }
    for (uint64_t i = 0; i < cloud->n; i++) {
        label_of[(uint16_t)ooze_field_value(material, i, 0)] = 1;
    }
    int count = 0;
    for (int m = 0; m < MATERIALS; m++) {
        count += label_of[m];
        if (label_of[m] && count < 256) {
            label_of[m] = (uint8_t)count;
            cloud->material_of[count] = (uint16_t)m;
        }
    }
    OozeStatus status = OOZE_OK;
    if (count > 1 && count < 255) {
        cloud->label_count = count;
        cloud->label = ooze_alloc(cloud->n, 1);
        cloud->at_interface = ooze_alloc(cloud->n, 1);
        if (!cloud->label || !cloud->at_interface) {
            status = ooze_fail_memory(error, "materials", 2 * cloud->n);
        }
        for (uint64_t i = 0; i < cloud->n && !status; i++) {
            cloud->label[i] = label_of[(uint16_t)ooze_field_value(material, cloud->order[i], 0)];
        }
    }
    ooze_free(label_of);
    return status;
}

OozeStatus ooze_cloud_open(const OozeFrame *frame, OozeThreads *threads, OozeCloud *cloud,
                           OozeError *error)
{
    const OozeFieldView *position;
    *cloud = (OozeCloud){.frame = frame, .n = frame->particle_count, .spacing = frame->spacing};
    OozeStatus status = check_frame(frame, &position, error);
    if (status) {
        return status;
    }
    uint64_t capacity = cloud->n + 16; /* wide loads read past the end */
    OozeFloat4 *points = ooze_alloc_zero(capacity, sizeof *points);
    cloud->x = ooze_alloc_zero(capacity, sizeof *cloud->x);
    cloud->grid = ooze_grid_create();
    if (!points || !cloud->x || !cloud->grid) {
        status =
            ooze_fail_memory(error, "the particles of a surface", 2 * capacity * sizeof *points);
    }
    status = status ? status : read_positions(frame, position, points, error);
    if (!status) {
        OozePeriodic open = {0};
        status = ooze_grid_sort(cloud->grid, threads, points, cloud->n,
                                OOZE_SURFACE_NEIGHBOURHOOD * cloud->spacing, &open, error);
    }
    if (!status) {
        cloud->order = ooze_grid_order(cloud->grid);
        Sort sort = {points, cloud->order, cloud->x};
        ooze_parallel_for(threads, cloud->n, 4096, reorder, &sort);
    }
    ooze_free(points);
    status = status ? status : read_labels(cloud, error);
    if (status) {
        ooze_cloud_close(cloud);
    }
    return status;
}

void ooze_cloud_close(OozeCloud *cloud)
{
    ooze_grid_destroy(cloud->grid);
    ooze_free(cloud->x);
    ooze_free(cloud->kernels);
    ooze_free(cloud->slot);
    ooze_free(cloud->fill);
    ooze_free(cloud->label);
    ooze_free(cloud->at_interface);
    *cloud = (OozeCloud){0};
}

/* ---- particles in a box ------------------------------------------------------------------- */

OozeCloudRows ooze_cloud_rows(const OozeCloud *cloud, const float low[3], const float high[3])
{
    OozeCloudRows rows = {.cloud = cloud};
    for (int a = 0; a < 3; a++) {
        const OozeGridAxis *axis = &cloud->grid->axis[a];
        int32_t first = ooze_grid_number(axis, low[a]), last = ooze_grid_number(axis, high[a]);
        rows.low[a] = first > 0 ? first : 0;
        rows.high[a] = last < axis->count - 1 ? last : axis->count - 1;
    }
    bool none = cloud->n == 0 || rows.low[0] > rows.high[0] || rows.low[1] > rows.high[1];
    rows.y = rows.low[1];
    rows.z = none ? rows.high[2] + 1 : rows.low[2];
    return rows;
}

static OozeGridRun row_run(const OozeCloudRows *rows)
{
    const OozeGrid *grid = rows->cloud->grid;
    if (!grid->sparse) {
        uint64_t row = ((uint64_t)rows->z * (uint64_t)grid->axis[1].count + (uint64_t)rows->y) *
                       (uint64_t)grid->axis[0].count;
        return (OozeGridRun){grid->start[row + (uint64_t)rows->low[0]],
                             grid->start[row + (uint64_t)rows->high[0] + 1]};
    }
    uint32_t first, last;
    if (!ooze_grid_sparse_row(grid, rows->y, rows->z, &first, &last)) {
        return (OozeGridRun){0, 0};
    }
    uint32_t hint = first;
    return ooze_grid_sparse_run(grid, first, last, &hint, rows->low[0], rows->high[0]);
}

bool ooze_cloud_next(OozeCloudRows *rows, OozeGridRun *run)
{
    while (rows->z <= rows->high[2]) {
        *run = row_run(rows);
        if (rows->y++ == rows->high[1]) {
            rows->y = rows->low[1];
            rows->z++;
        }
        if (run->begin < run->end) {
            return true;
        }
    }
    return false;
}
