#include "solids/manifold.h"

#include <math.h>

#include "solids/boundary.h"
#include "solids/shape_formula.h"

enum { DIRECTIONS = 3, OF_EACH = 4, CANDIDATES_MAX = 512 };

/* Normals with a larger cosine between them count as one direction. */
static const double SAME_DIRECTION = 0.85;
/* Of the smaller solid's size: points nearer to each other than this are one. */
static const double SAME_POINT = 1e-3;

OozeSweptSolid ooze_swept_solid(const OozeShape *shape, const OozePointShell *shell,
                                const OozePose *from, const OozePose *to)
{
    OozeBounds own = ooze_shape_bounds(shape);
    OozeSweptSolid swept = {.shape = shape, .shell = shell, .from = *from, .to = *to};
    swept.bounds = shell->count > 0 ? ooze_bounds_union(ooze_bounds_transform(&own, from, false),
                                                        ooze_bounds_transform(&own, to, false))
                                    : ooze_bounds_infinite();
    return swept;
}

/* ---- candidates ---------------------------------------------------------------------------- */

typedef struct Candidates {
    OozeManifoldPoint items[CANDIDATES_MAX];
    int count;
} Candidates;

/* Where the array is full, the candidate with the widest gap is replaced. */
static void add_candidate(Candidates *c, OozeManifoldPoint point)
{
    if (c->count < CANDIDATES_MAX) {
        c->items[c->count++] = point;
        return;
    }
    int widest = 0;
    for (int k = 1; k < c->count; k++) {
        widest = c->items[k].gap > c->items[widest].gap ? k : widest;
    }
    if (point.gap < c->items[widest].gap) {
        c->items[widest] = point;
    }
}

/* A rotation matrix, by rows, and a translation. */
typedef struct Transform {
    OozeVec3 x, y, z, offset;
} Transform;

/* From the frame of pose a to that of pose b. */
static Transform transform_between(const OozePose *a, const OozePose *b)
{
    OozeQuat back = quat_mul(quat_conjugate(a->rotation), b->rotation);
    return (Transform){
        .x = quat_rotate(back, vec3(1, 0, 0)),
        .y = quat_rotate(back, vec3(0, 1, 0)),
        .z = quat_rotate(back, vec3(0, 0, 1)),
        .offset = ooze_pose_to_local(b, a->position),
    };
}

static inline OozeVec3 transform(const Transform *t, OozeVec3 p)
{
    return vec3(vec3_dot(t->x, p) + t->offset.x, vec3_dot(t->y, p) + t->offset.y,
                vec3_dot(t->z, p) + t->offset.z);
}

/* The shell of one solid against the signed distance of the other. */
typedef struct Test {
    const OozeSweptSolid *shell, *surface;
    Transform from, to; /* of shell points into the frame of the surface */
    double reach;
    bool swapped; /* the shell is that of b */
    Candidates *candidates;
} Test;

/* Gap and normal are those of the end of the substep, so that a point which passes over an edge is
   not stopped by it. A fast point that ends inside, or beyond the far side, takes those of the
   place where it enters. */
static void test_point(const Test *t, OozeVec3 local, double depth)
{
    const OozeSweptSolid *a = t->shell, *b = t->surface;
    OozeVec3 before = transform(&t->from, local), after = transform(&t->to, local);
    OozeVec3 moved = vec3_sub(after, before), normal, first;
    double gap = ooze_shape_distance_at(b->shape, after, &normal) - depth;
    OozeQuat rotation = b->to.rotation;
    double length = vec3_length(moved);
    if (length > depth) {
        double start_gap = ooze_shape_distance_at(b->shape, before, &first) - depth;
        if (start_gap < length && start_gap > -depth && vec3_dot(first, normal) < 0.0) {
            gap = start_gap + vec3_dot(first, moved);
            normal = first;
            rotation = b->from.rotation;
        }
    }
    if (gap < t->reach) {
        double start_gap = gap - vec3_dot(normal, moved);
        OozeVec3 start = ooze_pose_to_world(&a->from, local);
        normal = quat_rotate(rotation, normal);
        add_candidate(t->candidates,
                      (OozeManifoldPoint){vec3_madd(start, -(depth + 0.5 * start_gap), normal),
                                          t->swapped ? vec3_scale(normal, -1.0) : normal, gap});
    }
}

/* Tests the point of each circle that is nearest to the surface: there a wheel touches. */
static void test_circles(const Test *t)
{
    const OozePointShell *shell = t->shell->shell;
    for (int k = 0; k < shell->circle_count; k++) {
        const OozeShellCircle *circle = &shell->circles[k];
        OozeVec3 point = circle->centre, normal;
        bool upright = true; /* not parallel to the surface */
        for (int round = 0; round < 3 && upright; round++) {
            (void)ooze_shape_distance_at(t->surface->shape, transform(&t->to, point), &normal);
            /* the rotation's transpose */
            normal = vec3_madd(vec3_madd(vec3_scale(t->to.x, normal.x), normal.y, t->to.y),
                               normal.z, t->to.z);
            OozeVec3 down =
                vec3_madd(vec3_scale(normal, -1.0), vec3_dot(normal, circle->axis), circle->axis);
            upright = vec3_length(down) >= 1e-6;
            point = vec3_madd(circle->centre, circle->radius, vec3_unit(down, circle->axis));
        }
        if (upright) {
            test_point(t, point, circle->depth);
        }
    }
}

/* Whether the shell's bounding sphere stays clear of the surface during the substep. */
static bool is_clear(const Test *t)
{
    double radius = t->shell->shell->reach;
    OozeVec3 turn =
        vec3(vec3_length(vec3_sub(t->to.x, t->from.x)), vec3_length(vec3_sub(t->to.y, t->from.y)),
             vec3_length(vec3_sub(t->to.z, t->from.z)));
    double travel =
        vec3_length(vec3_sub(t->to.offset, t->from.offset)) + radius * vec3_length(turn);
    return ooze_shape_distance(t->surface->shape, t->to.offset, NULL) > radius + t->reach + travel;
}

static bool is_container(const OozeShape *shape)
{
    return shape->kind == OOZE_SHAPE_OPEN_BOX || shape->kind == OOZE_SHAPE_OPEN_CYLINDER ||
           shape->kind == OOZE_SHAPE_BOWL;
}

/* Against planes, convex shapes and the inside of convex containers, edge points of both shells
   suffice. Other surfaces may touch a face between them. */
static bool needs_face_points(const OozeShape *surface)
{
    return surface->field || surface->grid || surface->stretched || surface->parts ||
           is_container(surface) || (surface->inverted && surface->kind == OOZE_SHAPE_TORUS);
}

static OozePose pose_within(const OozePose *inner, const OozePose *outer)
{
    return (OozePose){.position = ooze_pose_to_local(outer, inner->position),
                      .rotation = quat_mul(quat_conjugate(outer->rotation), inner->rotation)};
}

/* Box of the surface in the frame of the shell, at both ends. */
static OozeBounds surface_box(const OozeSweptSolid *shell, const OozeSweptSolid *surface,
                              double margin)
{
    OozePose from = pose_within(&surface->from, &shell->from);
    OozePose to = pose_within(&surface->to, &shell->to);
    OozeBounds own = ooze_bounds_grow(ooze_shape_bounds(surface->shape), margin);
    return ooze_bounds_union(ooze_bounds_transform(&own, &from, false),
                             ooze_bounds_transform(&own, &to, false));
}

static void test_shell(const OozeSweptSolid *a, const OozeSweptSolid *b, double reach, bool swapped,
                       Candidates *candidates)
{
    const OozePointShell *shell = a->shell;
    Test t = {.shell = a, .surface = b, .reach = reach, .swapped = swapped};
    t.from = transform_between(&a->from, &b->from);
    t.to = transform_between(&a->to, &b->to);
    t.candidates = candidates;
    if (shell->count == 0 || is_clear(&t)) {
        return;
    }
    bool finite = b->shell->count > 0; /* planes and containers have no box */
    int count = needs_face_points(b->shape) ? shell->count : shell->edge_count;
    OozeBounds box = finite ? surface_box(a, b, reach + shell->depth_max) : ooze_bounds_infinite();
    for (int k = 0; k < count; k++) {
        if (ooze_bounds_contain(&box, shell->points[k])) {
            test_point(&t, shell->points[k], shell->depths[k]);
        }
    }
    test_circles(&t);
}

/* ---- selection ------------------------------------------------------------------------------ */

typedef struct Selection {
    OozeManifoldPoint items[OF_EACH];
    int count;
} Selection;

/* How far a point lies from the selected point, outside the line of two, or the triangle of three,
   seen along the normal. */
static double spread(const Selection *selected, const OozeManifoldPoint *m)
{
    const OozeManifoldPoint *c = selected->items;
    OozeVec3 n = c[0].normal, from = vec3_sub(m->point, c[0].point);
    from = vec3_madd(from, -vec3_dot(from, n), n);
    if (selected->count == 1) {
        return vec3_length(from);
    }
    OozeVec3 edge = vec3_sub(c[1].point, c[0].point);
    double side = vec3_dot(n, vec3_cross(edge, from));
    if (selected->count == 2) {
        return fabs(side) / fmax(vec3_length(edge), 1e-300);
    }
    double max = 0.0, winding = vec3_dot(n, vec3_cross(edge, vec3_sub(c[2].point, c[0].point)));
    for (int k = 0; k < 3; k++) {
        OozeVec3 a = c[k].point, along = vec3_sub(c[(k + 1) % 3].point, a);
        double out = vec3_dot(n, vec3_cross(along, vec3_sub(m->point, a)));
        out = (winding > 0.0 ? -out : out) / fmax(vec3_length(along), 1e-300);
        max = fmax(max, out);
    }
    return max;
}

/* 1 for points in contact, 0 at `reach`: a manifold of distant points would omit those that carry
   the load, and the solid would rock. */
static double weight_of_gap(double gap, double reach)
{
    double share = gap > 0.0 ? 1.0 - gap / reach : 1.0;
    return share * share;
}

/* Selects the deepest unused candidate, and others of its direction. */
static Selection select_points(const Candidates *c, const bool *used, double min, double reach)
{
    Selection selected = {.count = 0};
    int next = -1;
    for (int k = 0; k < c->count; k++) {
        if (!used[k] && (next < 0 || c->items[k].gap < c->items[next].gap)) {
            next = k;
        }
    }
    while (next >= 0) {
        selected.items[selected.count++] = c->items[next];
        next = -1;
        double max = min;
        for (int k = 0; k < c->count && selected.count < OF_EACH; k++) {
            const OozeManifoldPoint *m = &c->items[k];
            if (used[k] || vec3_dot(m->normal, selected.items[0].normal) <= SAME_DIRECTION) {
                continue;
            }
            double gain = spread(&selected, m) * weight_of_gap(m->gap, reach);
            next = gain > max ? k : next;
            max = fmax(max, gain);
        }
    }
    return selected;
}

static bool is_convex(const OozeShape *shape)
{
    return !shape->field && !shape->grid && !shape->stretched && !shape->parts &&
           !shape->inverted && shape->kind != OOZE_SHAPE_TORUS && !is_container(shape);
}

/* Marks candidates of the selected direction, and those that oppose it where both solids are
   convex: deep in each other, convex solids have points with opposing normals, which would hold
   them there. */
static void mark_used(const Candidates *c, OozeVec3 normal, bool convex, bool *used)
{
    for (int k = 0; k < c->count; k++) {
        double cosine = vec3_dot(c->items[k].normal, normal);
        used[k] = used[k] || cosine > SAME_DIRECTION || (convex && cosine < 0.0);
    }
}

int ooze_contact_manifold(const OozeSweptSolid *a, const OozeSweptSolid *b, double reach,
                          OozeManifoldPoint points[OOZE_MANIFOLD_POINTS_MAX])
{
    Candidates c;
    bool used[CANDIDATES_MAX] = {false};
    double size = ooze_point_shell_smaller(a->shell, b->shell);
    OozeBounds near = ooze_bounds_grow(a->bounds, reach);
    bool convex = is_convex(a->shape) && is_convex(b->shape);
    int count = 0;
    c.count = 0;
    if (!ooze_bounds_overlap(&near, &b->bounds)) {
        return 0;
    }
    test_shell(a, b, reach, false, &c);
    test_shell(b, a, reach, true, &c);
    for (int d = 0; d < DIRECTIONS && c.count > 0; d++) {
        Selection selected = select_points(&c, used, SAME_POINT * size, reach);
        for (int k = 0; k < selected.count; k++) {
            points[count++] = selected.items[k];
        }
        if (selected.count > 0) {
            mark_used(&c, selected.items[0].normal, convex, used);
        }
    }
    return count;
}
