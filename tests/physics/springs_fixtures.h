/* Fixtures of the tests of the springs method: worlds in the paper's units, in which a support is
   one metre and a time unit one second, and measurements of a frame. */
#ifndef OOZE_TESTS_PHYSICS_SPRINGS_FIXTURES_H
#define OOZE_TESTS_PHYSICS_SPRINGS_FIXTURES_H

#include "physics/fixtures.h"

#include "physics/springs.h"
#include "world/world.h"

typedef struct Bulk {
    double time_step; /* 0: 1 */
    OozeVec3 gravity;
    int threads;
    bool sequential;
    int seed;
} Bulk;

static inline OozeWorld *springs_world(Bulk b)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "springs";
    def.spacing = OOZE_SPRINGS_BULK_SPACING;
    def.support_ratio = 1 / OOZE_SPRINGS_BULK_SPACING;
    def.time_step = b.time_step > 0 ? b.time_step : 1;
    def.max_travel = 0;
    def.gravity = b.gravity;
    def.threads = b.threads ? b.threads : 1;
    def.device = b.sequential ? OOZE_DEVICE_CPU : OOZE_DEVICE_AUTO;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    set_param(world, "unit", 1);
    set_param(world, "order", b.sequential);
    set_param(world, "order_seed", b.seed);
    return world;
}

static inline void set_number(OozeWorld *world, OozeMaterialId material, const char *key,
                              double value)
{
    CHECK_OK(ooze_world_set_material(world, material, key, value, &error));
}

/* Published constants, and viscosities that are not. */
static inline OozeMaterialId add_paper_fluid(OozeWorld *world, double linear, double quadratic)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "linear_viscosity", linear, &error));
    CHECK_OK(ooze_material_def_set(&def, "quadratic_viscosity", quadratic, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

/* Nothing but springs, and what moves by itself. */
static inline OozeMaterialId add_dust(OozeWorld *world)
{
    OozeMaterialId id = add_paper_fluid(world, 0, 0);
    set_number(world, id, "stiffness", 0);
    set_number(world, id, "near_stiffness", 0);
    return id;
}

/* A ball cut out of a lattice of the bulk's spacing; gives the number of particles. */
static inline uint64_t add_drop(OozeWorld *world, OozeMaterialId material, double radius,
                                OozeVec3 centre)
{
    const double dx = OOZE_SPRINGS_BULK_SPACING;
    int reach = (int)(radius / dx) + 1, side = 2 * reach;
    OozeVec3 *x = calloc((size_t)(side * side * side), sizeof *x);
    uint64_t n = 0;
    assert_non_null(x);
    for (int k = 0; k < side * side * side; k++) {
        OozeVec3 at = vec3_scale(vec3(k % side - reach + 0.5, k / side % side - reach + 0.5,
                                      k / side / side - reach + 0.5),
                                 dx);
        if (vec3_length(at) < radius) {
            x[n++] = vec3_add(centre, at);
        }
    }
    CHECK_OK(ooze_world_add_particles(world, material, n, x, NULL, &error));
    free(x);
    return n;
}

/* Densities of eqs 1 and 4, and the nearest neighbour, of each particle: by all pairs. */
typedef struct Crowd {
    uint64_t n;
    OozeVec3 *x;
    double *density, *near, *nearest;
} Crowd;

static inline Crowd look_at(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    Crowd c = {.n = frame->particle_count};
    c.x = calloc(c.n, sizeof *c.x);
    c.density = calloc(3 * c.n, sizeof *c.density);
    assert_true(c.x && c.density);
    c.near = c.density + c.n;
    c.nearest = c.near + c.n;
    for (uint64_t i = 0; i < c.n; i++) {
        c.x[i] = read_vector(x, i);
        c.nearest[i] = INFINITY;
    }
    for (uint64_t i = 0; i < c.n; i++) {
        for (uint64_t j = i + 1; j < c.n; j++) {
            double r = vec3_length(vec3_sub(c.x[i], c.x[j])), t = fmax(1 - r, 0);
            c.density[i] += t * t;
            c.density[j] += t * t;
            c.near[i] += t * t * t;
            c.near[j] += t * t * t;
            c.nearest[i] = fmin(c.nearest[i], r);
            c.nearest[j] = fmin(c.nearest[j], r);
        }
    }
    return c;
}

static inline void forget(Crowd c)
{
    free(c.x);
    free(c.density);
}

/* What a blob of fluid about the origin has come to. */
typedef struct Blob {
    double radius;        /* of the ball with the same spread */
    double density, near; /* means inside 0.45 of it */
    double cubic;         /* <x^4 + y^4 + z^4 - 0.6 r^4> / R^4: 0 for a ball */
    double nearest;       /* least distance of two */
} Blob;

static inline Blob measure_blob(OozeWorld *world)
{
    Crowd c = look_at(world);
    Blob b = {.nearest = INFINITY};
    OozeVec3 centre = take_census(world).centre;
    double squares = 0, inside = 0;
    for (uint64_t i = 0; i < c.n; i++) {
        c.x[i] = vec3_sub(c.x[i], centre);
        squares += vec3_dot(c.x[i], c.x[i]) / (double)c.n;
        b.nearest = fmin(b.nearest, c.nearest[i]);
    }
    b.radius = sqrt(squares * 5 / 3);
    for (uint64_t i = 0; i < c.n; i++) {
        OozeVec3 x = c.x[i];
        double r2 = vec3_dot(x, x);
        b.cubic += (pow(x.x, 4) + pow(x.y, 4) + pow(x.z, 4) - 0.6 * r2 * r2) /
                   (pow(b.radius, 4) * (double)c.n);
        if (sqrt(r2) < 0.45 * b.radius) {
            b.density += c.density[i];
            b.near += c.near[i];
            inside++;
        }
    }
    b.density /= inside;
    b.near /= inside;
    forget(c);
    return b;
}

/* The world goes on with positions moved and velocities set. */
typedef struct Deformation {
    OozeVec3 stretch; /* factors */
    bool still;       /* velocities 0 */
} Deformation;

static inline void deform(OozeWorld *world, Deformation d)
{
    OozeParticles *particles = world->particles;
    CHECK_OK(ooze_world_own_on_host(world, &error));
    OozeFloat4 *x = ooze_particles_positions(particles), *v = ooze_particles_velocities(particles);
    for (uint64_t i = 0; i < ooze_particles_count(particles); i++) {
        x[i] = (OozeFloat4){x[i].x * (float)d.stretch.x, x[i].y * (float)d.stretch.y,
                            x[i].z * (float)d.stretch.z, 0};
        v[i] = d.still ? (OozeFloat4){0, 0, 0, 0} : v[i];
    }
}

#endif
