#include "solids/mass.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"

#define OOZE_REAL double
#define OOZE_SQRT sqrt
#include "mesh/build.h"
#include "physics/eigen.h"
#include "solids/boundary.h"
#include "solids/shape_formula.h"

/* kg/m3: values beyond a thousand times osmium, or below a rarefied gas, are mistaken units. */
static const double DENSITY_MAX = 2e7, DENSITY_MIN = 1e-6;

/* ---- closed forms ---------------------------------------------------------------------------- */

/* Body of revolution of unit density: volume, moments about the centre across and along the axis,
   and height of the centre. */
typedef struct RevolutionMass {
    double volume, across, along, centre;
} RevolutionMass;

static RevolutionMass capsule_mass(double r, double h)
{
    double tube = OOZE_PI * r * r * h, caps = 4.0 / 3.0 * OOZE_PI * r * r * r;
    return (RevolutionMass){
        .volume = tube + caps,
        .along = r * r * (0.5 * tube + 0.4 * caps),
        .across = tube * (h * h / 12.0 + r * r / 4.0) +
                  caps * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r),
    };
}

static RevolutionMass cylinder_mass(double r, double h)
{
    double v = OOZE_PI * r * r * h;
    return (RevolutionMass){v, v * (3.0 * r * r + h * h) / 12.0, 0.5 * v * r * r, 0.0};
}

/* The origin is in the base. */
static RevolutionMass cone_mass(double r, double h)
{
    double v = OOZE_PI * r * r * h / 3.0;
    return (RevolutionMass){v, v * 3.0 / 80.0 * (4.0 * r * r + h * h), 0.3 * v * r * r, 0.25 * h};
}

static RevolutionMass torus_mass(double r, double tube)
{
    double v = 2.0 * OOZE_PI * OOZE_PI * r * tube * tube, t = tube * tube;
    return (RevolutionMass){v, v * (0.5 * r * r + 0.625 * t), v * (r * r + 0.75 * t), 0.0};
}

/* Adds a cylinder of density `sign` from height `low` to `high`; `across` and `centre` are the
   second moment about the plane z = 0 and the first until finish_revolution. */
static void add_cylinder(RevolutionMass *sum, double sign, double r, double low, double high)
{
    double v = sign * OOZE_PI * r * r * (high - low);
    sum->volume += v;
    sum->centre += 0.5 * v * (low + high);
    sum->across += v * (low * low + low * high + high * high) / 3.0;
    sum->along += 0.5 * v * r * r;
}

/* Adds the part of a ball of radius r about the origin that lies below z = top. */
static void add_ball_below(RevolutionMass *sum, double sign, double r, double top)
{
    double z = top, q = r * r, a = z + r, cube = z * z * z + r * r * r;
    double fifth = z * z * z * z * z + r * r * r * r * r;
    sum->volume += sign * OOZE_PI * (q * a - cube / 3.0);
    sum->centre -= sign * OOZE_PI * 0.25 * (q - z * z) * (q - z * z);
    sum->across += sign * OOZE_PI * (q * cube / 3.0 - fifth / 5.0);
    sum->along += sign * OOZE_PI * 0.5 * (q * q * a - 2.0 / 3.0 * q * cube + fifth / 5.0);
}

/* From moments about the origin to those about the centre of mass. */
static RevolutionMass finish_revolution(RevolutionMass sum)
{
    sum.centre /= sum.volume;
    sum.across += 0.5 * sum.along - sum.volume * sum.centre * sum.centre;
    return sum;
}

static RevolutionMass open_cylinder_mass(const OozeShape *shape)
{
    RevolutionMass sum = {0};
    add_cylinder(&sum, 1.0, shape->radius, 0.0, shape->height);
    add_cylinder(&sum, -1.0, shape->cavity.x, shape->cavity.z, shape->height);
    return finish_revolution(sum);
}

static RevolutionMass bowl_mass(const OozeShape *shape)
{
    double outer = ooze_bowl_sphere(shape->radius, shape->height), rim = shape->height - outer;
    RevolutionMass sum = {0};
    add_ball_below(&sum, 1.0, outer, rim);
    add_ball_below(&sum, -1.0, outer - shape->thickness, rim);
    sum = finish_revolution(sum);
    sum.centre += outer;
    return sum;
}

static RevolutionMass revolution_mass(const OozeShape *shape)
{
    double r = shape->radius, v;
    switch (shape->kind) {
    case OOZE_SHAPE_CAPSULE:
        return capsule_mass(r, shape->height);
    case OOZE_SHAPE_CYLINDER:
        return cylinder_mass(r, shape->height);
    case OOZE_SHAPE_CONE:
        return cone_mass(r, shape->height);
    case OOZE_SHAPE_TORUS:
        return torus_mass(r, shape->tube_radius);
    case OOZE_SHAPE_OPEN_CYLINDER:
        return open_cylinder_mass(shape);
    case OOZE_SHAPE_BOWL:
        return bowl_mass(shape);
    default:
        v = 4.0 / 3.0 * OOZE_PI * r * r * r;
        return (RevolutionMass){v, 0.4 * v * r * r, 0.4 * v * r * r, 0.0};
    }
}

/* The outer box less the cavity. */
static OozeSolidMass open_box_mass(const OozeShape *shape)
{
    OozeVec3 h = ooze_to_upright(shape->up, shape->half), c = shape->cavity;
    double top = 2.0 * h.z, box = 8.0 * h.x * h.y * h.z, air = 4.0 * c.x * c.y * (top - c.z);
    double volume = box - air, centre = (box * h.z - 0.5 * air * (top + c.z)) / volume;
    double xx = (box * h.x * h.x - air * c.x * c.x) / 3.0;
    double yy = (box * h.y * h.y - air * c.y * c.y) / 3.0;
    double zz = (box * top * top - air * (top * top + top * c.z + c.z * c.z)) / 3.0 -
                volume * centre * centre;
    return (OozeSolidMass){
        .mass = volume,
        .centre = ooze_from_upright(shape->up, vec3(0.0, 0.0, centre)),
        .moments = ooze_from_upright(shape->up, vec3(yy + zz, xx + zz, xx + yy)),
        .axes = quat_identity(),
    };
}

static OozeSolidMass primitive_mass(const OozeShape *shape)
{
    OozeSolidMass mass = {.axes = quat_identity()};
    if (shape->kind == OOZE_SHAPE_OPEN_BOX) {
        return open_box_mass(shape);
    }
    if (shape->kind == OOZE_SHAPE_BOX) {
        OozeVec3 h = shape->half, s = vec3(h.x * h.x, h.y * h.y, h.z * h.z);
        mass.mass = 8.0 * h.x * h.y * h.z;
        mass.moments = vec3_scale(vec3(s.y + s.z, s.x + s.z, s.x + s.y), mass.mass / 3.0);
        return mass;
    }
    RevolutionMass u = revolution_mass(shape);
    mass.mass = u.volume;
    mass.moments = ooze_from_upright(shape->up, vec3(u.across, u.across, u.along));
    mass.centre = ooze_from_upright(shape->up, vec3(0.0, 0.0, u.centre));
    return mass;
}

/* Mass and moments after scaling along the principal axes, which are those of the shape. */
static void stretch_mass(OozeSolidMass *mass, OozeVec3 s)
{
    double volume = s.x * s.y * s.z;
    OozeVec3 i = mass->moments;
    double xx = 0.5 * (i.y + i.z - i.x) * s.x * s.x, yy = 0.5 * (i.x + i.z - i.y) * s.y * s.y;
    double zz = 0.5 * (i.x + i.y - i.z) * s.z * s.z;
    mass->mass *= volume;
    mass->centre = ooze_scaled(mass->centre, s);
    mass->moments = vec3_scale(vec3(yy + zz, xx + zz, xx + yy), volume);
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* Integrals over a volume: of 1, of x, of x x^T. */
typedef struct Integrals {
    double volume;
    OozeVec3 first;
    double second[6]; /* xx, yy, zz, xy, xz, yz */
} Integrals;

/* Adds the signed tetrahedron from the origin to a triangle (divergence theorem). */
static void add_tetrahedron(Integrals *sum, OozeVec3 a, OozeVec3 b, OozeVec3 c)
{
    double d = vec3_dot(a, vec3_cross(b, c));
    OozeVec3 s = vec3_add(a, vec3_add(b, c));
    sum->volume += d / 6.0;
    sum->first = vec3_madd(sum->first, d / 24.0, s);
    const OozeVec3 v[4] = {a, b, c, s};
    for (int k = 0; k < 4; k++) {
        double w = d / 120.0;
        sum->second[0] += w * v[k].x * v[k].x;
        sum->second[1] += w * v[k].y * v[k].y;
        sum->second[2] += w * v[k].z * v[k].z;
        sum->second[3] += w * v[k].x * v[k].y;
        sum->second[4] += w * v[k].x * v[k].z;
        sum->second[5] += w * v[k].y * v[k].z;
    }
}

/* Principal axes of the inertia as a rotation, right-handed. */
static OozeSolidMass principal(double volume, OozeVec3 centre, OozeSym3 inertia)
{
    OozeEigen3 e = ooze_sym3_eigen(inertia);
    const double *m = e.vectors.m;
    OozeVec3 x = vec3(m[0], m[3], m[6]), y = vec3(m[1], m[4], m[7]);
    x = vec3_unit(x, vec3(1, 0, 0));
    y = vec3_unit(vec3_madd(y, -vec3_dot(x, y), x), vec3(0, 1, 0));
    OozeQuat first = quat_between(vec3(1, 0, 0), x);
    OozeVec3 along = quat_rotate_inverse(first, y);
    OozeQuat roll = quat_from_vector(vec3(atan2(along.z, along.y), 0, 0));
    return (OozeSolidMass){
        .mass = volume,
        .centre = centre,
        .moments = vec3(e.values[0], e.values[1], e.values[2]),
        .axes = quat_unit(quat_mul(first, roll)),
    };
}

static OozeSolidMass mass_of_integrals(const Integrals *sum, OozeVec3 origin)
{
    double v = sum->volume;
    if (!(v > 0.0)) {
        return (OozeSolidMass){.axes = quat_identity()};
    }
    OozeVec3 c = vec3_scale(sum->first, 1.0 / v);
    double xx = sum->second[0] - v * c.x * c.x, yy = sum->second[1] - v * c.y * c.y;
    double zz = sum->second[2] - v * c.z * c.z;
    OozeSym3 inertia = ooze_sym3(yy + zz, xx + zz, xx + yy, v * c.x * c.y - sum->second[3],
                                 v * c.x * c.z - sum->second[4], v * c.y * c.z - sum->second[5]);
    return principal(v, vec3_add(origin, c), inertia);
}

/* Relative to a vertex: far from the origin the terms would cancel. */
static OozeSolidMass mesh_mass(const OozeMesh *mesh)
{
    Integrals sum = {0};
    if (mesh->triangle_count == 0) {
        return (OozeSolidMass){.axes = quat_identity()};
    }
    OozeVec3 origin = ooze_mesh_corner(mesh, 0, 0);
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        add_tetrahedron(&sum, vec3_sub(ooze_mesh_corner(mesh, t, 0), origin),
                        vec3_sub(ooze_mesh_corner(mesh, t, 1), origin),
                        vec3_sub(ooze_mesh_corner(mesh, t, 2), origin));
    }
    return mass_of_integrals(&sum, origin);
}

static OozeStatus simple_mass(const OozeShape *shape, OozeSolidMass *mass, OozeError *error)
{
    OozeMesh *mesh = NULL;
    OozeStatus status =
        shape->grid ? ooze_distance_grid_surface(shape->grid, &mesh, error) : OOZE_OK;
    if (!status) {
        *mass = mesh ? mesh_mass(mesh) : primitive_mass(shape);
        if (shape->stretched) {
            stretch_mass(mass, shape->stretch);
        }
    }
    ooze_mesh_free(mesh);
    return status;
}

/* ---- compounds ------------------------------------------------------------------------------- */

static void add_point(Integrals *sum, double volume, OozeVec3 p)
{
    sum->volume += volume;
    sum->first = vec3_madd(sum->first, volume, p);
    sum->second[0] += volume * p.x * p.x;
    sum->second[1] += volume * p.y * p.y;
    sum->second[2] += volume * p.z * p.z;
    sum->second[3] += volume * p.x * p.y;
    sum->second[4] += volume * p.x * p.z;
    sum->second[5] += volume * p.y * p.z;
}

/* Adds second moments about a centre, given along rotated axes. */
static void add_second_moments(Integrals *sum, OozeQuat axes, OozeVec3 spread)
{
    for (int k = 0; k < 3; k++) {
        Integrals own = {0};
        add_point(&own, vec3_component(spread, k), quat_rotate(axes, vec3_axis((OozeAxis)k)));
        for (int m = 0; m < 6; m++) {
            sum->second[m] += own.second[m];
        }
    }
}

static OozeStatus add_part(Integrals *sum, const OozeShapePart *part, OozeVec3 origin,
                           OozeError *error)
{
    OozeSolidMass own;
    OozeStatus status = simple_mass(&part->shape, &own, error);
    if (!status) {
        OozeVec3 i = own.moments;
        add_point(sum, own.mass, vec3_sub(ooze_pose_to_world(&part->pose, own.centre), origin));
        add_second_moments(
            sum, quat_mul(part->pose.rotation, own.axes),
            vec3_scale(vec3(i.y + i.z - i.x, i.x + i.z - i.y, i.x + i.y - i.z), 0.5));
    }
    return status;
}

/* The box, in the frame of part `own`, in which earlier parts may overlap it; sets near[k] for
   these parts. Empty: none. */
static OozeBounds overlap_box(const OozeShape *shape, int own, bool near[OOZE_SHAPE_PARTS_MAX])
{
    const OozeShapePart *parts = shape->parts;
    OozeBounds room = ooze_shape_bounds(&parts[own].shape);
    OozeBounds all = {vec3(INFINITY, INFINITY, INFINITY), vec3(-INFINITY, -INFINITY, -INFINITY)};
    for (int k = 0; k < own; k++) {
        OozePose pose = {
            .rotation = quat_mul(quat_conjugate(parts[own].pose.rotation), parts[k].pose.rotation)};
        pose.position = ooze_pose_to_local(&parts[own].pose, parts[k].pose.position);
        OozeBounds b = ooze_shape_bounds(&parts[k].shape);
        b = ooze_bounds_transform(&b, &pose, false);
        OozeVec3 low =
            vec3(fmax(b.min.x, room.min.x), fmax(b.min.y, room.min.y), fmax(b.min.z, room.min.z));
        OozeVec3 high =
            vec3(fmin(b.max.x, room.max.x), fmin(b.max.y, room.max.y), fmin(b.max.z, room.max.z));
        near[k] = low.x < high.x && low.y < high.y && low.z < high.z;
        if (near[k]) {
            all.min = vec3(fmin(all.min.x, low.x), fmin(all.min.y, low.y), fmin(all.min.z, low.z));
            all.max =
                vec3(fmax(all.max.x, high.x), fmax(all.max.y, high.y), fmax(all.max.z, high.z));
        }
    }
    return all;
}

/* Subtracts the volume that part `own` shares with earlier parts: cells of a grid whose centres are
   inside both. Parts that only touch share no cell. */
static void subtract_overlap(Integrals *sum, const OozeShape *shape, int own, OozeVec3 origin)
{
    enum { ACROSS = 80 };
    const OozeShapePart *part = &shape->parts[own];
    bool near[OOZE_SHAPE_PARTS_MAX];
    OozeBounds box = overlap_box(shape, own, near);
    OozeVec3 size = vec3_sub(box.max, box.min), cell = vec3_scale(size, 1.0 / ACROSS), normal;
    double volume = cell.x * cell.y * cell.z, margin = 1e-9 * vec3_length(size);
    Integrals shared = {0}; /* of cells of volume 1 */
    if (!(size.x > 0.0)) {
        return;
    }
    for (int i = 0; i < ACROSS * ACROSS * ACROSS; i++) {
        OozeVec3 p = vec3(box.min.x + (i % ACROSS + 0.5) * cell.x,
                          box.min.y + (i / ACROSS % ACROSS + 0.5) * cell.y,
                          box.min.z + (i / (ACROSS * ACROSS) + 0.5) * cell.z);
        OozeVec3 q = ooze_pose_to_world(&part->pose, p);
        bool within = false;
        if (ooze_simple_distance(&part->shape, p, &normal) < -margin) {
            for (int k = 0; k < own && !within; k++) {
                within = near[k] && ooze_part_distance(&shape->parts[k], q, &normal) < -margin;
            }
        }
        if (within) {
            add_point(&shared, 1.0, vec3_sub(q, origin));
        }
    }
    OozeVec3 spread = vec3(cell.x * cell.x, cell.y * cell.y, cell.z * cell.z);
    add_second_moments(&shared, part->pose.rotation, vec3_scale(spread, shared.volume / 12.0));
    sum->volume -= volume * shared.volume;
    sum->first = vec3_madd(sum->first, -volume, shared.first);
    for (int k = 0; k < 6; k++) {
        sum->second[k] -= volume * shared.second[k];
    }
}

static OozeStatus compound_mass(const OozeShape *shape, OozeSolidMass *mass, OozeError *error)
{
    Integrals sum = {0};
    OozeVec3 origin = vec3_scale(vec3_add(shape->box.min, shape->box.max), 0.5);
    OozeStatus status = OOZE_OK;
    for (int k = 0; k < shape->part_count && !status; k++) {
        status = add_part(&sum, &shape->parts[k], origin, error);
        if (!status) {
            subtract_overlap(&sum, shape, k, origin);
        }
    }
    if (!status) {
        *mass = mass_of_integrals(&sum, origin);
    }
    return status;
}

/* ---- any shape ------------------------------------------------------------------------------- */

static OozeStatus check(const OozeShape *shape, double density, const char *name, OozeError *error)
{
    if (!(density >= DENSITY_MIN && density <= DENSITY_MAX)) {
        return ooze_fail(
            error, OOZE_ERROR_ARGUMENT, "water has 1000; 0 lets its motion lead it",
            "the density of solid '%s' is %g; it must be between %g and %g kg/m3, or 0", name,
            density, DENSITY_MIN, DENSITY_MAX);
    }
    bool open = ooze_shape_is_shell(shape);
    const char *what = shape->inverted                         ? "a container"
                       : shape->kind == OOZE_SHAPE_PLANE       ? "a plane"
                       : shape->kind == OOZE_SHAPE_HEIGHTFIELD ? "a height field"
                       : open && shape->parts                  ? "a compound with an open mesh"
                       : open                                  ? "an open mesh"
                                                               : NULL;
    return what ? ooze_fail(error, OOZE_ERROR_ARGUMENT,
                            "leave its density out, or give it a closed shape",
                            "solid '%s' has a density but is %s, which encloses no volume to weigh",
                            name, what)
                : OOZE_OK;
}

OozeStatus ooze_shape_mass(const OozeShape *shape, double density, const char *name,
                           OozeSolidMass *mass, OozeError *error)
{
    OozeStatus status = check(shape, density, name, error);
    if (!status) {
        status = shape->parts ? compound_mass(shape, mass, error) : simple_mass(shape, mass, error);
    }
    if (status) {
        return status;
    }
    mass->density = density;
    mass->mass *= density;
    mass->moments = vec3_scale(mass->moments, density);
    OozeVec3 i = mass->moments;
    double min = fmin(i.x, fmin(i.y, i.z));
    if (!(mass->mass > 0.0) || !isfinite(mass->mass) || !(min > 0.0) || !vec3_is_finite(i) ||
        !isfinite(1.0 / min)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "look at its size and at the mesh",
                         "solid '%s' has a density but no volume that could be weighed: %g kg",
                         name, mass->mass);
    }
    return OOZE_OK;
}
