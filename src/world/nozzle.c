#include "world/nozzle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "particles/particles.h"
#include "solids/motion.h"
#include "solids/relaxation.h"
#include "solids/shape.h"

#define PI 3.14159265358979323846

/* Most spacings across an outline that is the section of a shape. */
static const double SECTION_MAX = 1e4;

enum { PATTERN_MAX = 4000000, RELAX_ROUNDS = 160 };

/* A region of the nozzle plane, given by its signed distance. */
typedef struct Outline {
    OozeOutline kind;
    double radius;
    OozeVec3 corners[2 * OOZE_STAR_POINTS_MAX]; /* polygons, counter-clockwise */
    int corner_count;
    OozeShape *shape;
    OozePose frame, shape_pose;
    OozeVec3 low, high; /* bounds */
    double area;
} Outline;

static double polygon_distance(const Outline *outline, OozeVec3 p, OozeVec3 *normal)
{
    double best = INFINITY;
    OozeVec3 nearest = p, edge_normal = vec3(1, 0, 0);
    bool inside = false;
    for (int i = 0; i < outline->corner_count; i++) {
        OozeVec3 a = outline->corners[i], b = outline->corners[(i + 1) % outline->corner_count];
        OozeVec3 edge = vec3_sub(b, a), to = vec3_sub(p, a);
        double along = vec3_dot(to, edge) / vec3_dot(edge, edge);
        along = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
        OozeVec3 q = vec3_madd(a, along, edge), off = vec3_sub(p, q);
        double squared = vec3_dot(off, off);
        if (squared < best) {
            best = squared;
            nearest = q;
            edge_normal = vec3_unit(vec3(edge.y, -edge.x, 0), vec3(1, 0, 0));
        }
        if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / edge.y * edge.x) {
            inside = !inside;
        }
    }
    OozeVec3 away = vec3_sub(p, nearest);
    *normal = vec3_unit(inside ? vec3_scale(away, -1.0) : away, edge_normal);
    return inside ? -sqrt(best) : sqrt(best);
}

/* In-plane distance to first order: the shape's distance over the in-plane part of its gradient. */
static double section_distance(const Outline *outline, OozeVec3 p, OozeVec3 *normal)
{
    OozeVec3 world = ooze_pose_to_world(&outline->frame, p), n;
    double d =
        ooze_shape_distance(outline->shape, ooze_pose_to_local(&outline->shape_pose, world), &n);
    n = quat_rotate_inverse(outline->frame.rotation, quat_rotate(outline->shape_pose.rotation, n));
    n.z = 0.0;
    double slope = vec3_length(n);
    *normal = vec3_unit(n, vec3(1, 0, 0));
    return d / fmax(slope, 0.25);
}

static double outline_distance(const void *context, OozeVec3 p, OozeVec3 *normal)
{
    const Outline *outline = context;
    if (outline->kind == OOZE_OUTLINE_DISC) {
        *normal = vec3_unit(vec3(p.x, p.y, 0), vec3(1, 0, 0));
        return sqrt(p.x * p.x + p.y * p.y) - outline->radius;
    }
    return outline->kind == OOZE_OUTLINE_SHAPE ? section_distance(outline, p, normal)
                                               : polygon_distance(outline, p, normal);
}

/* ---- outlines --------------------------------------------------------------------------- */

static void add_corner(Outline *outline, double x, double y)
{
    outline->corners[outline->corner_count++] = vec3(x, y, 0);
}

static void measure_polygon(Outline *outline)
{
    outline->low = outline->high = outline->corners[0];
    for (int i = 0; i < outline->corner_count; i++) {
        OozeVec3 a = outline->corners[i], b = outline->corners[(i + 1) % outline->corner_count];
        outline->area += 0.5 * (a.x * b.y - a.y * b.x);
        outline->low = vec3(fmin(outline->low.x, a.x), fmin(outline->low.y, a.y), 0);
        outline->high = vec3(fmax(outline->high.x, a.x), fmax(outline->high.y, a.y), 0);
    }
}

static OozeStatus check_length(const char *name, const char *what, double value, OozeError *error)
{
    if (value > 0.0 && isfinite(value)) {
        return OOZE_OK;
    }
    return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give it in metres, more than 0",
                     "%s of emitter '%s' is %g", what, name, value);
}

static OozeStatus make_disc(Outline *outline, const OozeEmitterDef *def, const char *name,
                            OozeError *error)
{
    OozeStatus status = check_length(name, "the radius", def->radius, error);
    outline->radius = def->radius;
    outline->area = PI * def->radius * def->radius;
    outline->low = vec3(-def->radius, -def->radius, 0);
    outline->high = vec3(def->radius, def->radius, 0);
    return status;
}

static OozeStatus make_rectangle(Outline *outline, const OozeEmitterDef *def, const char *name,
                                 OozeError *error)
{
    OozeStatus status = check_length(name, "the first edge", def->size.x, error);
    if (!status) {
        status = check_length(name, "the second edge", def->size.y, error);
    }
    double x = 0.5 * def->size.x, y = 0.5 * def->size.y;
    add_corner(outline, -x, -y);
    add_corner(outline, x, -y);
    add_corner(outline, x, y);
    add_corner(outline, -x, y);
    measure_polygon(outline);
    return status;
}

static OozeStatus make_star(Outline *outline, const OozeEmitterDef *def, const char *name,
                            OozeError *error)
{
    OozeStatus status = check_length(name, "the radius", def->radius, error);
    if (!status) {
        status = check_length(name, "the inner radius", def->inner_radius, error);
    }
    if (!status && def->inner_radius > def->radius) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "swap the two",
                           "the inner radius %g m of emitter '%s' is larger than its radius %g m",
                           def->inner_radius, name, def->radius);
    }
    if (!status && (def->points < OOZE_STAR_POINTS_MIN || def->points > OOZE_STAR_POINTS_MAX)) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "five to twelve are usual",
                           "the star of emitter '%s' has %d points; %d to %d are possible", name,
                           def->points, OOZE_STAR_POINTS_MIN, OOZE_STAR_POINTS_MAX);
    }
    if (status) {
        return status;
    }
    for (int i = 0; i < 2 * def->points; i++) {
        double angle = PI * i / def->points;
        double radius = i % 2 ? def->inner_radius : def->radius;
        add_corner(outline, radius * cos(angle), radius * sin(angle));
    }
    measure_polygon(outline);
    return OOZE_OK;
}

/* Area and bounds of the section, from the covered share of small cells: it is taken as linear in
   the signed distance of the cell's centre. */
static void measure_section(Outline *outline, double spacing)
{
    double width = outline->high.x - outline->low.x, depth = outline->high.y - outline->low.y;
    double cell = fmax(spacing / 8.0, fmax(width, depth) / 2048.0);
    OozeVec3 low = vec3(INFINITY, INFINITY, 0), high = vec3(-INFINITY, -INFINITY, 0);
    int columns = (int)ceil(width / cell), rows = (int)ceil(depth / cell);
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i < columns; i++) {
            OozeVec3 p = vec3(outline->low.x + (i + 0.5) * cell, outline->low.y + (j + 0.5) * cell,
                              0),
                     n;
            double share = 0.5 - section_distance(outline, p, &n) / cell;
            if (share > 0.0) {
                outline->area += (share < 1.0 ? share : 1.0) * cell * cell;
                low = vec3(fmin(low.x, p.x), fmin(low.y, p.y), 0);
                high = vec3(fmax(high.x, p.x), fmax(high.y, p.y), 0);
            }
        }
    }
    outline->low = low;
    outline->high = high;
}

static OozeStatus make_section(Outline *outline, const OozeEmitterDef *def, OozeAxis up,
                               double spacing, const char *name, OozeError *error)
{
    OozeStatus status = ooze_shape_create(&def->shape, up, spacing, &outline->shape, error);
    if (status) {
        return status;
    }
    OozeBounds bounds = ooze_shape_bounds(outline->shape);
    if (ooze_shape_inverted(outline->shape) || !vec3_is_finite(bounds.min) ||
        !vec3_is_finite(bounds.max)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use a bounded shape that is not inverted",
                         "the outline of emitter '%s' has no end", name);
    }
    outline->shape_pose.position = def->shape.position;
    outline->shape_pose.rotation = quat_unit(def->shape.rotation);
    outline->low = vec3(INFINITY, INFINITY, 0);
    outline->high = vec3(-INFINITY, -INFINITY, 0);
    for (int i = 0; i < 8; i++) {
        OozeVec3 corner =
            vec3(i & 1 ? bounds.max.x : bounds.min.x, i & 2 ? bounds.max.y : bounds.min.y,
                 i & 4 ? bounds.max.z : bounds.min.z);
        OozeVec3 p =
            ooze_pose_to_local(&outline->frame, ooze_pose_to_world(&outline->shape_pose, corner));
        outline->low = vec3(fmin(outline->low.x, p.x), fmin(outline->low.y, p.y), 0);
        outline->high = vec3(fmax(outline->high.x, p.x), fmax(outline->high.y, p.y), 0);
    }
    double size = fmax(outline->high.x - outline->low.x, outline->high.y - outline->low.y);
    if (!(size <= SECTION_MAX * spacing)) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a smaller shape or several emitters",
                         "the outline of emitter '%s' is %g m across; at most %g spacings are "
                         "possible, %g m",
                         name, size, SECTION_MAX, SECTION_MAX * spacing);
    }
    measure_section(outline, spacing);
    if (!(outline->area > 0.0)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "move the nozzle into the shape, or turn it",
                         "the plane of emitter '%s' does not cut its outline shape", name);
    }
    return OOZE_OK;
}

/* ---- the pattern ------------------------------------------------------------------------ */

typedef struct Candidate {
    OozeVec3 point;
    double distance;
    uint64_t index;
} Candidate;

static int deeper_first(const void *a, const void *b)
{
    const Candidate *p = a, *q = b;
    if (p->distance != q->distance) {
        return p->distance < q->distance ? -1 : 1;
    }
    return p->index < q->index ? -1 : p->index > q->index;
}

static int centre_first(const void *a, const void *b)
{
    const OozeVec3 *p = a, *q = b;
    double x = vec3_dot(*p, *p), y = vec3_dot(*q, *q);
    if (x != y) {
        return x < y ? -1 : 1;
    }
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->y < q->y ? -1 : p->y > q->y;
}

/* The `count` deepest points of a hexagonal lattice with one point per spacing^2. */
static OozeStatus seed(const Outline *outline, double spacing, uint64_t count, OozeVec3 *points,
                       OozeError *error)
{
    double step = spacing * sqrt(2.0 / sqrt(3.0)), row = step * sqrt(3.0) / 2.0;
    OozeVec3 middle = vec3_scale(vec3_add(outline->low, outline->high), 0.5);
    int half_rows = (int)ceil(0.5 * (outline->high.y - outline->low.y) / row) + 3;
    int half_columns = (int)ceil(0.5 * (outline->high.x - outline->low.x) / step) + 3;
    uint64_t all = (uint64_t)(2 * half_rows + 1) * (uint64_t)(2 * half_columns + 1), n = 0;
    Candidate *candidates = ooze_alloc(all, sizeof *candidates);
    if (!candidates) {
        return ooze_fail_memory(error, "a nozzle pattern", all * sizeof *candidates);
    }
    for (int j = -half_rows; j <= half_rows; j++) {
        for (int i = -half_columns; i <= half_columns; i++) {
            Candidate *c = &candidates[n];
            OozeVec3 normal;
            c->point = vec3(middle.x + (i + (j & 1 ? 0.5 : 0.0)) * step, middle.y + j * row, 0);
            c->distance = outline_distance(outline, c->point, &normal);
            c->index = n++;
        }
    }
    qsort(candidates, n, sizeof *candidates, deeper_first);
    for (uint64_t i = 0; i < count; i++) {
        points[i] = candidates[i < n ? i : n - 1].point;
    }
    ooze_free(candidates);
    return OOZE_OK;
}

/* A rectangle whose edges are whole spacings gets the exact square lattice. */
static bool seed_square(const Outline *outline, double spacing, OozeVec3 *points)
{
    double width = outline->high.x - outline->low.x, depth = outline->high.y - outline->low.y;
    double columns = rint(width / spacing), rows = rint(depth / spacing);
    if (outline->kind != OOZE_OUTLINE_RECTANGLE || columns < 1.0 || rows < 1.0 ||
        fabs(width / spacing - columns) > 0.02 || fabs(depth / spacing - rows) > 0.02 ||
        rint(outline->area / (spacing * spacing)) != columns * rows) {
        return false;
    }
    uint64_t n = 0;
    for (int j = 0; j < (int)rows; j++) {
        for (int i = 0; i < (int)columns; i++) {
            points[n++] = vec3(outline->low.x + (i + 0.5) * width / columns,
                               outline->low.y + (j + 0.5) * depth / rows, 0);
        }
    }
    return true;
}

static OozeStatus make_outline(Outline *outline, const OozeEmitterDef *def, OozeAxis up,
                               double spacing, const char *name, OozeError *error)
{
    switch (def->outline) {
    case OOZE_OUTLINE_DISC:
        return make_disc(outline, def, name, error);
    case OOZE_OUTLINE_RECTANGLE:
        return make_rectangle(outline, def, name, error);
    case OOZE_OUTLINE_STAR:
        return make_star(outline, def, name, error);
    case OOZE_OUTLINE_SHAPE:
        return make_section(outline, def, up, spacing, name, error);
    default:
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of the OozeOutline names",
                         "emitter '%s' has the unknown outline %d", name, (int)def->outline);
    }
}

static OozeStatus fill_outline(const Outline *outline, double spacing, const char *name,
                               OozeNozzlePattern *pattern, OozeError *error)
{
    double wanted = fmax(1.0, rint(outline->area / (spacing * spacing)));
    /* the candidates cover the bounding box, so its size is limited too */
    double box = (outline->high.x - outline->low.x) * (outline->high.y - outline->low.y) /
                 (spacing * spacing);
    if (!(wanted <= PATTERN_MAX) || !(box <= 16.0 * PATTERN_MAX)) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a smaller nozzle or a larger spacing",
                         "emitter '%s' would emit %.0f particles in each layer; at most %d are "
                         "possible",
                         name, wanted, PATTERN_MAX);
    }
    uint64_t n = (uint64_t)wanted;
    OozeVec3 *made = ooze_alloc(n, sizeof *made);
    if (!made) {
        return ooze_fail_memory(error, "a nozzle pattern", n * sizeof *made);
    }
    OozeStatus status = OOZE_OK;
    if (!seed_square(outline, spacing, made)) {
        status = seed(outline, spacing, n, made, error);
        if (!status) {
            OozeRelaxation relaxation = {.kind = OOZE_RELAX_AREA,
                                         .spacing = sqrt(outline->area / wanted),
                                         .rounds = RELAX_ROUNDS,
                                         .distance = outline_distance,
                                         .context = outline};
            status = ooze_relax(&relaxation, made, n, error);
        }
    }
    if (status) {
        ooze_free(made);
        return status;
    }
    /* centre first: a layer that the emitter's limit truncates consists of the middle points */
    qsort(made, n, sizeof *made, centre_first);
    pattern->count = n;
    pattern->points = made;
    return OOZE_OK;
}

OozeStatus ooze_nozzle_pattern(const OozeEmitterDef *def, OozeAxis up, double spacing,
                               const OozePose *frame, OozeNozzlePattern *pattern, OozeError *error)
{
    const char *name = def->name ? def->name : "";
    Outline *outline = ooze_alloc_zero(1, sizeof *outline);
    if (!outline) {
        return ooze_fail_memory(error, "a nozzle outline", sizeof *outline);
    }
    outline->kind = def->outline;
    outline->frame = *frame;
    OozeStatus status = make_outline(outline, def, up, spacing, name, error);
    if (!status) {
        status = fill_outline(outline, spacing, name, pattern, error);
    }
    if (!status) {
        status = ooze_nozzle_stagger(pattern, spacing, error);
    }
    pattern->area = outline->area;
    ooze_shape_destroy(outline->shape);
    ooze_free(outline);
    return status;
}
