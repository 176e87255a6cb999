#include "solids/lattice_rows.h"

#include "solids/motion.h"
#include "solids/shape_data.h"

OozeLatticeRows ooze_lattice_rows(const OozeShape *shape, double margin)
{
    OozeLatticeRows rows = {.box_count = 1};
    rows.boxes[0] = ooze_bounds_grow(ooze_shape_bounds(shape), margin);
    if (shape->parts) {
        rows.box_count = shape->part_count;
        for (int i = 0; i < shape->part_count; i++) {
            OozeBounds own = ooze_shape_bounds(&shape->parts[i].shape);
            own = ooze_bounds_transform(&own, &shape->parts[i].pose, false);
            rows.boxes[i] = ooze_bounds_grow(own, margin);
        }
    }
    return rows;
}

double ooze_lattice_rows_max(const OozeLatticeRows *rows, double step)
{
    double sum = 0.0;
    for (int i = 0; i < rows->box_count; i++) {
        OozeVec3 size = vec3_sub(rows->boxes[i].max, rows->boxes[i].min);
        sum += (floor(size.y / step) + 1.0) * (floor(size.z / step) + 1.0);
    }
    return sum;
}

void ooze_lattice_rows_begin(OozeLatticeRows *rows, OozeVec3 first, double step, int64_t columns,
                             int64_t layers)
{
    rows->y = first.y;
    rows->z = first.z;
    rows->step = step;
    rows->columns = columns;
    rows->layers = layers;
    rows->j = columns; /* the next row is in the next layer */
    rows->k = -1;
    rows->visited = 0;
}

/* The smallest index from `from` on whose coordinate, origin + index step, is between the ends of a
   box; half a step of slack covers rounding. */
static int64_t first_index(double low, double high, double origin, double step, int64_t from)
{
    double at = origin + (double)from * step;
    if (at > high + 0.5 * step) {
        return INT64_MAX;
    }
    double skipped = floor((low - 0.5 * step - at) / step);
    return skipped > 0.0 ? from + (int64_t)fmin(skipped, 1e18) : from;
}

static int64_t next_layer(const OozeLatticeRows *rows, int64_t from)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < rows->box_count; i++) {
        const OozeBounds *b = &rows->boxes[i];
        int64_t k = first_index(b->min.z, b->max.z, rows->z, rows->step, from);
        next = k < next ? k : next;
    }
    return next;
}

/* Of the boxes in the current layer. */
static int64_t next_column(const OozeLatticeRows *rows, int64_t from)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < rows->box_count; i++) {
        const OozeBounds *b = &rows->boxes[i];
        if (first_index(b->min.z, b->max.z, rows->z, rows->step, rows->k) == rows->k) {
            int64_t j = first_index(b->min.y, b->max.y, rows->y, rows->step, from);
            next = j < next ? j : next;
        }
    }
    return next;
}

bool ooze_lattice_rows_next(OozeLatticeRows *rows)
{
    int64_t j = rows->j < rows->columns ? next_column(rows, rows->j + 1) : INT64_MAX;
    while (j >= rows->columns) {
        rows->k = next_layer(rows, rows->k + 1);
        if (rows->k >= rows->layers) {
            return false;
        }
        j = next_column(rows, 0);
    }
    rows->j = j;
    rows->visited++;
    return true;
}
