#include "solids/surface_lattice.h"

#include "solids/boundary.h"

/* ---- shapes --------------------------------------------------------------------------------- */

static bool plane_lattice(const OozeShape *shape, double spacing, OozeSurfaceLattice *lattice)
{
    OozeVec3 normal;
    (void)ooze_shape_distance(shape, vec3(0, 0, 0), &normal);
    OozeVec3 other = fabs(normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    OozeVec3 u = vec3_unit(vec3_madd(other, -vec3_dot(other, normal), normal), other);
    *lattice = (OozeSurfaceLattice){
        .kind = OOZE_SHAPE_PLANE,
        .axes = {u, vec3_cross(normal, u), normal},
        .step = {spacing, spacing, spacing},
        .low = {-INFINITY, -INFINITY, 0.0},
        .high = {INFINITY, INFINITY, 0.0},
    };
    return true;
}

/* Divides every edge into equal steps as near to the spacing as possible. */
static bool box_lattice(const OozeShape *shape, double spacing, OozeSurfaceLattice *lattice)
{
    OozeBounds bounds = ooze_shape_bounds(shape);
    *lattice = (OozeSurfaceLattice){.kind = OOZE_SHAPE_BOX,
                                    .axes = {vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)},
                                    .origin = bounds.min,
                                    .size = vec3_sub(bounds.max, bounds.min)};
    for (int k = 0; k < 3; k++) {
        double length = vec3_component(lattice->size, k);
        double n = fmax(1.0, rint(length / spacing));
        if (!(length / n >= OOZE_SAMPLE_DISTANCE * spacing) || !(n < 1e9)) {
            return false; /* too thin: opposite faces share samples */
        }
        lattice->step[k] = length / n;
        lattice->high[k] = n;
    }
    return true;
}

bool ooze_surface_lattice(const OozeShape *shape, double spacing, OozeSurfaceLattice *lattice)
{
    OozeShapeKind kind = ooze_shape_kind(shape);
    return (kind == OOZE_SHAPE_PLANE && plane_lattice(shape, spacing, lattice)) ||
           (kind == OOZE_SHAPE_BOX && box_lattice(shape, spacing, lattice));
}

OozeSurfaceLattice ooze_surface_cells(const OozeShape *shape, double spacing)
{
    return (OozeSurfaceLattice){.kind = ooze_shape_kind(shape),
                                .shape = shape,
                                .axes = {vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)},
                                .step = {spacing, spacing, spacing}};
}

OozeVec3 ooze_lattice_point(const OozeSurfaceLattice *l, double i, double j, double k)
{
    if (l->kind == OOZE_SHAPE_PLANE) {
        return vec3_madd(vec3_scale(l->axes[0], i * l->step[0]), j * l->step[1], l->axes[1]);
    }
    return vec3(l->origin.x + l->size.x * i / l->high[0], l->origin.y + l->size.y * j / l->high[1],
                l->origin.z + l->size.z * k / l->high[2]);
}

/* ---- periodic worlds ------------------------------------------------------------------------ */

static int axis_along(const OozeSurfaceLattice *lattice, int world_axis)
{
    for (int k = 0; k < 3; k++) {
        if (fabs(vec3_component(lattice->axes[k], world_axis)) > 1.0 - 1e-9) {
            return k;
        }
    }
    return -1;
}

bool ooze_lattice_wrap(OozeSurfaceLattice *lattice, const OozePose *pose,
                       const OozePeriodic *periodic, double spacing)
{
    OozeQuat r = pose->rotation;
    bool rotated = r.x != 0.0 || r.y != 0.0 || r.z != 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double length = (double)periodic->length[axis];
        if (!(length > 0.0)) {
            continue;
        }
        int k = rotated ? -1 : axis_along(lattice, axis);
        if (k < 0) {
            return false;
        }
        lattice->undivided[k] = true;
        if (isinf(lattice->low[k])) {
            /* the end of the period coincides with its beginning */
            double last = floor((length - 1e-3 * spacing) / spacing + 1e-6);
            bool backward = vec3_component(lattice->axes[k], axis) < 0.0;
            lattice->low[k] = backward ? -last : 0.0;
            lattice->high[k] = backward ? 0.0 : last;
        }
    }
    return true;
}

/* ---- cells ---------------------------------------------------------------------------------- */

OozeCellMap ooze_lattice_cell_map(const OozeSurfaceLattice *lattice, const OozePose *pose)
{
    OozeCellMap map = {0};
    for (int k = 0; k < 3; k++) {
        if (!lattice->undivided[k]) {
            double scale = 1.0 / (OOZE_CELL_STEPS * lattice->step[k]);
            map.rows[k] = vec3_scale(quat_rotate(pose->rotation, lattice->axes[k]), scale);
            map.offset[k] = -vec3_dot(map.rows[k], pose->position) -
                            scale * vec3_dot(lattice->axes[k], lattice->origin);
        }
    }
    return map;
}

/* Cell of an index; that of an infinite one is out of the range of cells. */
static double cell_of_index(const OozeSurfaceLattice *lattice, int axis, double index)
{
    return lattice->undivided[axis] ? 0.0 : floor(index / OOZE_CELL_STEPS);
}

/* Whether the surface of a shape can pass through a cell or those within `reach`: its distance from
   the middle is at least the absolute value of the signed distance. */
static bool surface_is_near(const OozeSurfaceLattice *lattice, uint64_t cell, int reach)
{
    OozeVec3 normal;
    double side = OOZE_CELL_STEPS * lattice->step[0];
    OozeVec3 middle = vec3(((double)ooze_cell_coordinate(cell, 0) + 0.5) * side,
                           ((double)ooze_cell_coordinate(cell, 1) + 0.5) * side,
                           ((double)ooze_cell_coordinate(cell, 2) + 0.5) * side);
    double distance = fabs(ooze_shape_distance(lattice->shape, middle, &normal));
    return !(distance > sqrt(3.0) * side * (reach + 0.5) + lattice->step[0]);
}

bool ooze_lattice_touches(const OozeSurfaceLattice *lattice, uint64_t cell, int reach)
{
    if (lattice->shape) {
        return surface_is_near(lattice, cell, reach);
    }
    bool inside = true, at_end = false;
    for (int k = 0; k < 3; k++) {
        double at = (double)ooze_cell_coordinate(cell, k);
        double first = cell_of_index(lattice, k, lattice->low[k]);
        double last = cell_of_index(lattice, k, lattice->high[k]);
        inside = inside && at >= first - reach && at <= last + reach;
        at_end = at_end || fabs(at - first) <= reach || fabs(at - last) <= reach;
    }
    return inside && at_end;
}

static OozeStatus add_around(const OozeSurfaceLattice *lattice, uint64_t cell, int reach,
                             bool sampled, OozeCellSet *around, OozeError *error)
{
    int64_t r[3], c[3];
    for (int k = 0; k < 3; k++) {
        r[k] = lattice->undivided[k] ? 0 : reach;
        c[k] = ooze_cell_coordinate(cell, k);
    }
    OozeStatus status = OOZE_OK;
    for (int64_t z = c[2] - r[2]; z <= c[2] + r[2]; z++) {
        for (int64_t y = c[1] - r[1]; y <= c[1] + r[1]; y++) {
            for (int64_t x = c[0] - r[0]; x <= c[0] + r[0] && !status; x++) {
                uint64_t key = ooze_cell_key(x, y, z);
                if (!sampled || ooze_lattice_touches(lattice, key, 0)) {
                    status = ooze_cell_set_add(around, key, error);
                }
            }
        }
    }
    return status;
}

/* Adds to each cell those within `reach` of it along one axis. */
static OozeStatus widen(OozeCellSet *cells, int axis, int reach, OozeError *error)
{
    uint64_t count = cells->count;
    OozeStatus status = OOZE_OK;
    for (uint64_t i = 0; i < count; i++) {
        for (int64_t shift = -reach; shift <= reach && !status; shift++) {
            int64_t at[3];
            for (int k = 0; k < 3; k++) {
                at[k] = ooze_cell_coordinate(cells->keys[i], k) + (k == axis ? shift : 0);
            }
            status = shift == 0
                         ? OOZE_OK
                         : ooze_cell_set_add(cells, ooze_cell_key(at[0], at[1], at[2]), error);
        }
    }
    ooze_cell_set_sort(cells);
    return status;
}

/* As ooze_lattice_around, with few evaluations of the distance. */
static OozeStatus around_surface(const OozeSurfaceLattice *lattice, const OozeCellSet *cells,
                                 int reach, bool sampled, OozeCellSet *around, OozeError *error)
{
    uint64_t kept = 0;
    around->count = 0;
    OozeStatus status = ooze_cell_set_reserve(around, cells->count, error);
    for (uint64_t i = 0; i < cells->count && !status; i++) {
        around->keys[around->count++] = cells->keys[i];
    }
    for (int axis = 0; axis < 3 && !status; axis++) {
        status = widen(around, axis, reach, error);
    }
    for (uint64_t i = 0; i < around->count; i++) {
        if (!sampled || surface_is_near(lattice, around->keys[i], 0)) {
            around->keys[kept++] = around->keys[i];
        }
    }
    around->count = kept;
    return status;
}

OozeStatus ooze_lattice_around(const OozeSurfaceLattice *lattice, const OozeCellSet *cells,
                               int reach, bool sampled, OozeCellSet *around, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    if (lattice->shape) {
        return around_surface(lattice, cells, reach, sampled, around, error);
    }
    around->count = 0;
    for (uint64_t i = 0; i < cells->count && !status; i++) {
        status = add_around(lattice, cells->keys[i], reach, sampled, around, error);
    }
    ooze_cell_set_sort(around);
    return status;
}

/* ---- samples -------------------------------------------------------------------------------- */

typedef struct Sampling {
    const OozeSurfaceLattice *lattice;
    const OozeCellSet *cells;
    OozeVec3 *points;
    uint64_t count;
} Sampling;

/* First and last index in a cell, along an axis. */
static void index_range(const Sampling *s, uint64_t cell, int axis, double range[2])
{
    const OozeSurfaceLattice *l = s->lattice;
    double first = (double)(ooze_cell_coordinate(cell, axis) * OOZE_CELL_STEPS);
    double last = first + OOZE_CELL_STEPS - 1;
    range[0] = l->undivided[axis] ? l->low[axis] : fmax(first, l->low[axis]);
    range[1] = l->undivided[axis] ? l->high[axis] : fmin(last, l->high[axis]);
}

static bool is_end(const OozeSurfaceLattice *l, int axis, double index)
{
    return index == l->low[axis] || index == l->high[axis];
}

/* Samples of row j, k in one cell: all where the row is at an end of the lattice, else its ends. */
static void sample_row(Sampling *s, uint64_t cell, double j, double k)
{
    double range[2];
    index_range(s, cell, 0, range);
    bool full = is_end(s->lattice, 1, j) || is_end(s->lattice, 2, k);
    for (double i = range[0]; i <= range[1]; i += 1.0) {
        if (full || is_end(s->lattice, 0, i)) {
            if (s->points) {
                s->points[s->count] = ooze_lattice_point(s->lattice, i, j, k);
            }
            s->count++;
        }
    }
}

/* End of the cells from `begin` on with the same coordinates as it: the third, or the last two. */
static uint64_t group_end(const OozeCellSet *cells, uint64_t begin, uint64_t limit, int bits)
{
    uint64_t end = begin + 1;
    while (end < limit && cells->keys[end] >> bits == cells->keys[begin] >> bits) {
        end++;
    }
    return end;
}

static void sample_layer(Sampling *s, uint64_t begin, uint64_t end, double k)
{
    for (uint64_t at = begin, next; at < end; at = next) {
        double rows[2];
        next = group_end(s->cells, at, end, OOZE_CELL_BITS);
        index_range(s, s->cells->keys[at], 1, rows);
        for (double j = rows[0]; j <= rows[1]; j += 1.0) {
            for (uint64_t c = at; c < next; c++) {
                sample_row(s, s->cells->keys[c], j, k);
            }
        }
    }
}

uint64_t ooze_lattice_sample(const OozeSurfaceLattice *lattice, const OozeCellSet *cells,
                             OozeVec3 *points)
{
    Sampling s = {.lattice = lattice, .cells = cells, .points = points};
    for (uint64_t at = 0, next; at < cells->count; at = next) {
        double layers[2];
        next = group_end(cells, at, cells->count, 2 * OOZE_CELL_BITS);
        index_range(&s, cells->keys[at], 2, layers);
        for (double k = layers[0]; k <= layers[1]; k += 1.0) {
            sample_layer(&s, at, next, k);
        }
    }
    return s.count;
}
