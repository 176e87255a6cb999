#include "solids/heightfield.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/refine.h"
#include "solids/heightfield_data.h"

enum { SIDE_MAX = 1 << 20 };

/* ---- lowest and highest sample, cell by cell and coarser ------------------------------------ */

static void measure_cells(OozeHeightfield *field)
{
    const OozeHeightLevel *level = &field->levels[0];
    for (uint32_t j = 0; j < level->rows; j++) {
        for (uint32_t i = 0; i < level->columns; i++) {
            const float *h = field->heights + (uint64_t)j * field->columns + i;
            float a = h[0], b = h[1], c = h[field->columns], d = h[field->columns + 1];
            OozeHeightRange *range = &level->ranges[(uint64_t)j * level->columns + i];
            range->low = fminf(fminf(a, b), fminf(c, d));
            range->high = fmaxf(fmaxf(a, b), fmaxf(c, d));
        }
    }
}

static void measure_level(const OozeHeightLevel *fine, const OozeHeightLevel *level)
{
    for (uint32_t j = 0; j < level->rows; j++) {
        for (uint32_t i = 0; i < level->columns; i++) {
            OozeHeightRange range = {INFINITY, -INFINITY};
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t x = 2 * i + (k & 1), y = 2 * j + (k >> 1);
                if (x < fine->columns && y < fine->rows) {
                    OozeHeightRange child = fine->ranges[(uint64_t)y * fine->columns + x];
                    range.low = fminf(range.low, child.low);
                    range.high = fmaxf(range.high, child.high);
                }
            }
            level->ranges[(uint64_t)j * level->columns + i] = range;
        }
    }
}

static OozeStatus build_levels(OozeHeightfield *field, OozeError *error)
{
    uint32_t columns = field->columns - 1, rows = field->rows - 1;
    for (;;) {
        OozeHeightLevel *level = &field->levels[field->level_count];
        uint64_t count = (uint64_t)columns * rows;
        *level = (OozeHeightLevel){columns, rows, ooze_alloc(count, sizeof *level->ranges)};
        if (!level->ranges) {
            return ooze_fail_memory(error, "a height field", count * sizeof *level->ranges);
        }
        if (field->level_count == 0) {
            measure_cells(field);
        } else {
            measure_level(level - 1, level);
        }
        field->level_count++;
        if (columns == 1 && rows == 1) {
            return OOZE_OK;
        }
        columns = (columns + 1) / 2;
        rows = (rows + 1) / 2;
    }
}

/* ---- creation ------------------------------------------------------------------------------- */

static OozeStatus load(const OozeShapeDef *def, OozeHeightMap *map, OozeError *error)
{
    if (!def->path) {
        if (!def->field.heights || def->field.columns == 0 || def->field.rows == 0) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a path, or heights in memory",
                             "the heightfield has no heights");
        }
        uint64_t count = (uint64_t)def->field.columns * def->field.rows;
        map->columns = def->field.columns;
        map->rows = def->field.rows;
        map->heights = ooze_alloc(count, sizeof *map->heights);
        if (!map->heights) {
            return ooze_fail_memory(error, "a height field", count * sizeof *map->heights);
        }
        memcpy(map->heights, def->field.heights, count * sizeof *map->heights);
        return OOZE_OK;
    }
    return ooze_height_map_read(def->path, map, error);
}

static void flip_rows(OozeHeightMap *map)
{
    for (uint32_t j = 0; j < map->rows / 2; j++) {
        float *a = map->heights + (uint64_t)j * map->columns;
        float *b = map->heights + (uint64_t)(map->rows - 1 - j) * map->columns;
        for (uint32_t i = 0; i < map->columns; i++) {
            float kept = a[i];
            a[i] = b[i];
            b[i] = kept;
        }
    }
}

static OozeStatus check_map(const OozeShapeDef *def, const OozeHeightMap *map, OozeError *error)
{
    if (map->columns < 2 || map->rows < 2 || map->columns > SIDE_MAX || map->rows > SIDE_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use between 2 and 1048576 a side",
                         "the heightfield has %u columns and %u rows", map->columns, map->rows);
    }
    if (map->in_grey && !(def->height_scale > 0.0 && isfinite(def->height_scale))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give the metres of the full grey range",
                         "the heightfield has height_scale = %g", def->height_scale);
    }
    for (uint64_t i = 0; i < (uint64_t)map->columns * map->rows; i++) {
        if (!(fabsf(map->heights[i]) <= (float)OOZE_MESH_COORDINATE_MAX)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give metres",
                             "the heightfield has height %g in column %llu of row %llu",
                             (double)map->heights[i], (unsigned long long)(i % map->columns),
                             (unsigned long long)(i / map->columns));
        }
    }
    return OOZE_OK;
}

/* Cell sizes, from the size of the definition or the cell of the file. */
static OozeStatus set_cells(OozeHeightfield *field, const OozeShapeDef *def, double file_cell,
                            OozeError *error)
{
    static const char *const keys[3] = {"size.x", "size.y", "size.z"};
    double requested[2];
    for (int k = 0; k < 2; k++) {
        requested[k] = vec3_component(def->size, field->axes[k]);
    }
    bool from_file = requested[0] == 0.0 && requested[1] == 0.0 && file_cell > 0.0;
    for (int k = 0; k < 2; k++) {
        double cells = (k == 0 ? field->columns : field->rows) - 1;
        double size = from_file ? file_cell * cells : requested[k];
        if (!(size > 0.0) || !(size <= OOZE_MESH_COORDINATE_MAX)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a positive length in metres",
                             "the heightfield has %s = %g", keys[field->axes[k]], size);
        }
        size *= vec3_component(def->scale, field->axes[k]);
        field->half[k] = 0.5 * size;
        field->cell[k] = size / cells;
    }
    return OOZE_OK;
}

static OozeStatus set_heights(OozeHeightfield *field, const OozeShapeDef *def,
                              const OozeHeightMap *map, OozeError *error)
{
    double scale = vec3_component(def->scale, field->axes[2]);
    scale *= map->in_grey ? def->height_scale : 1.0;
    uint64_t count = (uint64_t)field->columns * field->rows;
    for (uint64_t i = 0; i < count; i++) {
        field->heights[i] = (float)(scale * (double)field->heights[i]);
    }
    double low = field->heights[0], high = low;
    for (uint64_t i = 1; i < count; i++) {
        double h = field->heights[i];
        low = h < low ? h : low;
        high = h > high ? h : high;
    }
    if (!(low >= -OOZE_MESH_COORDINATE_MAX && high <= OOZE_MESH_COORDINATE_MAX)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use a smaller scale",
                         "the heightfield is %g to %g m high", low, high);
    }
    field->high = high;
    field->base = low - fmax(field->cell[0], field->cell[1]);
    return OOZE_OK;
}

static OozeStatus fill(OozeHeightfield *field, const OozeShapeDef *def, OozeAxis up,
                       OozeHeightMap *map, OozeError *error)
{
    OozeStatus status = load(def, map, error);
    field->heights = map->heights; /* the field owns them from here on */
    status = status ? status : check_map(def, map, error);
    if (status) {
        return status;
    }
    if (def->path && up != OOZE_AXIS_Y) {
        flip_rows(map);
    }
    field->columns = map->columns;
    field->rows = map->rows;
    field->axes[0] = up == OOZE_AXIS_X ? 1 : 0;
    field->axes[1] = up == OOZE_AXIS_Z ? 1 : 2;
    field->axes[2] = (int)up;
    field->mirrored = up == OOZE_AXIS_Y; /* x, z, y is left-handed */
    status = set_cells(field, def, map->cell, error);
    status = status ? status : set_heights(field, def, map, error);
    return status ? status : build_levels(field, error);
}

OozeStatus ooze_heightfield_create(const OozeShapeDef *def, OozeAxis up, OozeHeightfield **out,
                                   OozeError *error)
{
    *out = NULL;
    OozeHeightfield *field = ooze_alloc_zero(1, sizeof *field);
    if (!field) {
        return ooze_fail_memory(error, "a height field", sizeof *field);
    }
    OozeHeightMap map = {0};
    OozeStatus status = fill(field, def, up, &map, error);
    if (status) {
        ooze_heightfield_destroy(field);
        return status;
    }
    *out = field;
    return OOZE_OK;
}

void ooze_heightfield_destroy(OozeHeightfield *field)
{
    if (field) {
        for (int l = 0; l < OOZE_HEIGHT_LEVELS; l++) {
            ooze_free(field->levels[l].ranges);
        }
        ooze_free(field->heights);
        ooze_free(field);
    }
}

uint64_t ooze_heightfield_bytes(const OozeHeightfield *field)
{
    uint64_t bytes = sizeof *field + (uint64_t)field->columns * field->rows * sizeof(float);
    for (int l = 0; l < field->level_count; l++) {
        bytes +=
            (uint64_t)field->levels[l].columns * field->levels[l].rows * sizeof(OozeHeightRange);
    }
    return bytes;
}

void ooze_heightfield_bounds(const OozeHeightfield *field, OozeVec3 *min, OozeVec3 *max)
{
    *max = ooze_heightfield_to_local(field, vec3(field->half[0], field->half[1], field->high));
    *min = ooze_heightfield_to_local(field, vec3(-field->half[0], -field->half[1], field->base));
}

/* ---- triangles ------------------------------------------------------------------------------ */

typedef struct Surface {
    const OozeHeightfield *field;
    OozeMeshBuild build;
    uint32_t below; /* from a sample to the point of the base under it */
    OozeError *error;
} Surface;

/* The order of corners depends on the handedness of the field's axes. */
static OozeStatus add(Surface *surface, OozeStatus before, uint32_t a, uint32_t b, uint32_t c)
{
    bool mirrored = surface->field->mirrored;
    return before ? before
                  : ooze_mesh_build_triangle(&surface->build, a, mirrored ? c : b, mirrored ? b : c,
                                             surface->error);
}

/* The side below the samples a and b, seen from outside from left to right. */
static OozeStatus add_side(Surface *surface, OozeStatus before, uint32_t a, uint32_t b)
{
    OozeStatus status = add(surface, before, a + surface->below, b + surface->below, b);
    return add(surface, status, a + surface->below, b, a);
}

static OozeStatus add_corners(Surface *surface)
{
    const OozeHeightfield *field = surface->field;
    OozeStatus status = OOZE_OK;
    for (int floor = 0; floor < 2; floor++) {
        for (uint32_t j = 0; !status && j < field->rows; j++) {
            for (uint32_t i = 0; !status && i < field->columns; i++) {
                OozeVec3 p = ooze_heightfield_sample(field, i, j);
                p.z = floor ? field->base : p.z;
                status = ooze_mesh_build_vertex(
                    &surface->build, ooze_heightfield_to_local(field, p), surface->error);
            }
        }
    }
    return status;
}

static OozeStatus add_triangles(Surface *surface)
{
    uint32_t columns = surface->field->columns, rows = surface->field->rows, d = surface->below;
    OozeStatus status = OOZE_OK;
    for (uint32_t j = 0; !status && j + 1 < rows; j++) {
        for (uint32_t i = 0; !status && i + 1 < columns; i++) {
            uint32_t a = j * columns + i, b = a + 1, c = b + columns, e = a + columns;
            status = add(surface, status, a, b, c);
            status = add(surface, status, a, c, e);
            status = add(surface, status, a + d, c + d, b + d);
            status = add(surface, status, a + d, e + d, c + d);
        }
    }
    uint32_t last = (rows - 1) * columns;
    for (uint32_t i = 0; !status && i + 1 < columns; i++) {
        status = add_side(surface, status, i, i + 1);
        status = add_side(surface, status, last + i + 1, last + i);
    }
    for (uint32_t j = 0; !status && j + 1 < rows; j++) {
        uint32_t left = j * columns, right = left + columns - 1;
        status = add_side(surface, status, left + columns, left);
        status = add_side(surface, status, right, right + columns);
    }
    return status;
}

static double triangle_area(OozeVec3 a, OozeVec3 b, OozeVec3 c)
{
    return 0.5 * vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

double ooze_heightfield_area(const OozeHeightfield *field)
{
    double area = 4.0 * field->half[0] * field->half[1];
    for (uint32_t j = 0; j < field->rows; j++) {
        for (uint32_t i = 0; i < field->columns; i++) {
            OozeVec3 a = ooze_heightfield_sample(field, i, j);
            bool row_end = i + 1 == field->columns, column_end = j + 1 == field->rows;
            if (!row_end && !column_end) {
                OozeVec3 c = ooze_heightfield_sample(field, i + 1, j + 1);
                area += triangle_area(a, ooze_heightfield_sample(field, i + 1, j), c) +
                        triangle_area(a, c, ooze_heightfield_sample(field, i, j + 1));
            }
            double side = (i == 0 || row_end ? field->cell[1] : 0.0) +
                          (j == 0 || column_end ? field->cell[0] : 0.0);
            area += side * (a.z - field->base);
        }
    }
    return area;
}

OozeStatus ooze_heightfield_triangulate(const OozeHeightfield *field, double edge, OozeMesh **mesh,
                                        OozeError *error)
{
    *mesh = NULL;
    uint64_t samples = (uint64_t)field->columns * field->rows;
    Surface surface = {.field = field, .build = {.name = "the heightfield"}, .error = error};
    if (samples > UINT32_MAX / 8) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a coarser map",
                         "a heightfield of %u by %u samples has too many triangles", field->columns,
                         field->rows);
    }
    surface.below = (uint32_t)samples;
    OozeStatus status = ooze_mesh_build_reserve(&surface.build, 2 * samples, 4 * samples, error);
    status = status ? status : add_corners(&surface);
    status = status ? status : add_triangles(&surface);
    if (status) {
        ooze_mesh_build_free(&surface.build);
        return status;
    }
    status = ooze_mesh_build_finish(&surface.build, mesh, error);
    return status ? status : ooze_mesh_refine(mesh, edge, error);
}
