#include "solids/mass.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"

#define OOZE_REAL double
#define OOZE_SQRT sqrt
#include "physics/eigen.h"
#include "solids/mesh_build.h"
#include "solids/shape_parts.h"

/* kg/m3: a thousand times osmium; more is a slip of units, and so is less than a gas in a vacuum chamber. */
static const double DENSITY_MOST = 2e7, DENSITY_LEAST = 1e-6;

/* ---- closed forms ---------------------------------------------------------------------------- */

/* Volume, moments of unit density across and along the axis about the centre, and the centre's height. */
typedef struct Upright {
    double volume, across, along, centre;
} Upright;

static Upright weigh_capsule(double r, double h)
{
    double tube = OOZE_PI * r * r * h, caps = 4.0 / 3.0 * OOZE_PI * r * r * r;
    return (Upright){
        .volume = tube + caps,
        .along = r * r * (0.5 * tube + 0.4 * caps),
        .across = tube * (h * h / 12.0 + r * r / 4.0) +
                  caps * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r),
    };
}

static Upright weigh_cylinder(double r, double h)
{
    double v = OOZE_PI * r * r * h;
    return (Upright){v, v * (3.0 * r * r + h * h) / 12.0, 0.5 * v * r * r, 0.0};
}

/* Stands on its origin. */
static Upright weigh_cone(double r, double h)
{
    double v = OOZE_PI * r * r * h / 3.0;
    return (Upright){v, v * 3.0 / 80.0 * (4.0 * r * r + h * h), 0.3 * v * r * r, 0.25 * h};
}

static Upright weigh_torus(double r, double tube)
{
    double v = 2.0 * OOZE_PI * OOZE_PI * r * tube * tube, t = tube * tube;
    return (Upright){v, v * (0.5 * r * r + 0.625 * t), v * (r * r + 0.75 * t), 0.0};
}

static Upright weigh_round(const OozeShape *shape)
{
    double r = shape->radius, v;
    switch (shape->kind) {
    case OOZE_SHAPE_CAPSULE:
        return weigh_capsule(r, shape->height);
    case OOZE_SHAPE_CYLINDER:
        return weigh_cylinder(r, shape->height);
    case OOZE_SHAPE_CONE:
        return weigh_cone(r, shape->height);
    case OOZE_SHAPE_TORUS:
        return weigh_torus(r, shape->tube_radius);
    default:
        v = 4.0 / 3.0 * OOZE_PI * r * r * r;
        return (Upright){v, 0.4 * v * r * r, 0.4 * v * r * r, 0.0};
    }
}

static OozeSolidMass weigh_primitive(const OozeShape *shape)
{
    OozeSolidMass mass = {.axes = quat_identity()};
    if (shape->kind == OOZE_SHAPE_BOX) {
        OozeVec3 h = shape->half, s = vec3(h.x * h.x, h.y * h.y, h.z * h.z);
        mass.mass = 8.0 * h.x * h.y * h.z;
        mass.moments = vec3_scale(vec3(s.y + s.z, s.x + s.z, s.x + s.y), mass.mass / 3.0);
        return mass;
    }
    Upright u = weigh_round(shape);
    mass.mass = u.volume;
    mass.moments = ooze_from_upright(shape->up, vec3(u.across, u.across, u.along));
    mass.centre = ooze_from_upright(shape->up, vec3(0.0, 0.0, u.centre));
    return mass;
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* Integrals over a volume: of 1, of x, of x x^T. */
typedef struct Integrals {
    double volume;
    OozeVec3 first;
    double second[6]; /* xx, yy, zz, xy, xz, yz */
} Integrals;

/* Of the tetrahedron from the origin to a triangle, signed: the divergence theorem in its simplest dress. */
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

/* The inertia's principal axes as a rotation: right-handed, whatever order they came in. */
static OozeSolidMass principal(double volume, OozeVec3 centre, OozeSym3 inertia)
{
    OozeEigen3 e = ooze_sym3_eigen(inertia);
    const double *m = e.vectors.m;
    OozeVec3 x = vec3(m[0], m[3], m[6]), y = vec3(m[1], m[4], m[7]);
    x = vec3_unit(x, vec3(1, 0, 0));
    y = vec3_unit(vec3_madd(y, -vec3_dot(x, y), x), vec3(0, 1, 0));
    OozeQuat first = quat_between(vec3(1, 0, 0), x);
    OozeVec3 along = quat_rotate_back(first, y);
    OozeQuat roll = quat_from_vector(vec3(atan2(along.z, along.y), 0, 0));
    return (OozeSolidMass){
        .mass = volume,
        .centre = centre,
        .moments = vec3(e.values[0], e.values[1], e.values[2]),
        .axes = quat_unit(quat_mul(first, roll)),
    };
}

/* Measured from a point of the mesh: far from the origin the terms would cancel badly. */
static OozeSolidMass weigh_mesh(const OozeMesh *mesh)
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
    double v = sum.volume;
    if (!(v > 0.0)) {
        return (OozeSolidMass){.axes = quat_identity()};
    }
    OozeVec3 c = vec3_scale(sum.first, 1.0 / v);
    double xx = sum.second[0] - v * c.x * c.x, yy = sum.second[1] - v * c.y * c.y;
    double zz = sum.second[2] - v * c.z * c.z;
    OozeSym3 inertia = ooze_sym3(yy + zz, xx + zz, xx + yy, v * c.x * c.y - sum.second[3],
                                 v * c.x * c.z - sum.second[4], v * c.y * c.z - sum.second[5]);
    return principal(v, vec3_add(origin, c), inertia);
}

/* ---- any shape ------------------------------------------------------------------------------- */

static OozeStatus refuse(const OozeShape *shape, double density, const char *name, OozeError *error)
{
    if (!(density >= DENSITY_LEAST && density <= DENSITY_MOST)) {
        return ooze_fail(
            error, OOZE_ERROR_ARGUMENT, "water has 1000; 0 lets its motion lead it",
            "the density of solid '%s' is %g; it must be between %g and %g kg/m3, or 0", name,
            density, DENSITY_LEAST, DENSITY_MOST);
    }
    const char *what = shape->inverted                             ? "a container"
                       : shape->kind == OOZE_SHAPE_PLANE           ? "a plane"
                       : shape->kind == OOZE_SHAPE_HEIGHTFIELD     ? "a height field"
                       : shape->grid && ooze_shape_is_shell(shape) ? "an open mesh"
                                                                   : NULL;
    return what ? ooze_fail(error, OOZE_ERROR_ARGUMENT,
                            "leave its density out, or give it a closed shape",
                            "solid '%s' has a density but is %s, which encloses no volume to weigh",
                            name, what)
                : OOZE_OK;
}

OozeStatus ooze_shape_weigh(const OozeShape *shape, double density, const char *name,
                            OozeSolidMass *mass, OozeError *error)
{
    OozeMesh *mesh = NULL;
    OozeStatus status = refuse(shape, density, name, error);
    if (!status && shape->grid) {
        status = ooze_distance_grid_surface(shape->grid, &mesh, error);
    }
    if (status) {
        return status;
    }
    *mass = mesh ? weigh_mesh(mesh) : weigh_primitive(shape);
    ooze_mesh_free(mesh);
    mass->density = density;
    mass->mass *= density;
    mass->moments = vec3_scale(mass->moments, density);
    OozeVec3 i = mass->moments;
    double least = fmin(i.x, fmin(i.y, i.z));
    if (!(mass->mass > 0.0) || !isfinite(mass->mass) || !(least > 0.0) || !vec3_is_finite(i) ||
        !isfinite(1.0 / least)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "look at its size and at the mesh",
                         "solid '%s' has a density but no volume that could be weighed: %g kg",
                         name, mass->mass);
    }
    return OOZE_OK;
}
