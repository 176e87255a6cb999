/* Fixtures of the acceptance tests of dynamic solids: pools with a solid, and momenta of solid and
   fluid together. */
#ifndef OOZE_TESTS_PHYSICS_COUPLING_FIXTURES_H
#define OOZE_TESTS_PHYSICS_COUPLING_FIXTURES_H

#include "physics/fixtures.h"
#include "solids/pose.h"

/* A box (half sizes) or, with a radius, a ball. */
typedef struct Body {
    OozeVec3 centre, half;
    double radius, density;
    OozeVec3 velocity, spin; /* m/s, rad/s */
} Body;

static inline double volume_of(const Body *b)
{
    return b->radius > 0 ? 4.0 / 3.0 * M_PI * pow(b->radius, 3)
                         : 8 * b->half.x * b->half.y * b->half.z;
}

/* About the first axis of a cube or ball. */
static inline double inertia_of(const Body *b)
{
    double m = b->density * volume_of(b);
    return b->radius > 0 ? 0.4 * m * b->radius * b->radius
                         : m / 3 * (b->half.y * b->half.y + b->half.z * b->half.z);
}

static inline OozeSolidId add_body(OozeWorld *world, const Body *b)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.friction = 0.5;
    OozeSolidId id = {0};
    def.shape = ooze_shape_def_default(b->radius > 0 ? OOZE_SHAPE_SPHERE : OOZE_SHAPE_BOX);
    def.shape.radius = b->radius;
    def.shape.size = vec3_scale(b->half, 2);
    def.shape.position = b->centre;
    def.density = b->density;
    def.motion.velocity = b->velocity;
    def.motion.spin = ooze_vec3_degrees(b->spin);
    CHECK_OK(ooze_world_add_solid(world, &def, &id, &error));
    return id;
}

/* How far a point lies outside. */
static inline double outside(const Body *b, OozeVec3 p)
{
    OozeVec3 d = vec3_sub(p, b->centre);
    if (b->radius > 0) {
        return vec3_length(d) - b->radius;
    }
    return fmax(fabs(d.x) - b->half.x, fmax(fabs(d.y) - b->half.y, fabs(d.z) - b->half.z));
}

/* nx by ny by nz particles from `corner` on, none in the bodies. */
static inline uint64_t add_around(OozeWorld *world, const int n[3], double d, OozeVec3 corner,
                                  const Body *bodies, int count)
{
    size_t most = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    OozeVec3 *x = calloc(most, sizeof *x);
    assert_non_null(x);
    uint64_t kept = 0;
    for (int i = 0; i < (int)most; i++) {
        int at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        OozeVec3 p = vec3_madd(corner, d, vec3(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5));
        bool out = true;
        for (int k = 0; k < count; k++) {
            out = out && outside(&bodies[k], p) > 0.45 * d;
        }
        if (out) {
            x[kept++] = p;
        }
    }
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, kept, x, NULL, &error));
    free(x);
    return kept;
}

static inline OozePose pose_of(OozeWorld *world, int solid)
{
    return ooze_pose_from_public(&ooze_world_frame(world)->solids[solid].pose);
}

/* Angle between the body's own up and that of the world, degrees. */
static inline double tilt_of(OozePose pose)
{
    OozeVec3 up = quat_rotate(pose.rotation, vec3(0, 1, 0));
    return acos(fmin(1.0, fmax(-1.0, up.y))) * 180 / M_PI;
}

/* Linear and angular momentum of fluid and bodies, kg m/s and kg m2/s, about the origin; what they
   are measured by. */
typedef struct Momenta {
    OozeVec3 linear, angular;
    double speed_sum, spin_sum;
} Momenta;

static inline Momenta take_momenta(OozeWorld *world, const Body *bodies, int first, int count)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    double mass = frame->materials[0].density * pow(frame->spacing, 3);
    Momenta m = {.speed_sum = 0};
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = read_vector(x, i), u = read_vector(v, i);
        m.linear = vec3_madd(m.linear, mass, u);
        m.angular = vec3_madd(m.angular, mass, vec3_cross(p, u));
        m.speed_sum += mass * vec3_length(u);
        m.spin_sum += mass * vec3_length(vec3_cross(p, u));
    }
    for (int k = 0; k < count; k++) {
        OozePose pose = ooze_pose_from_public(&frame->solids[first + k].pose);
        double heavy = bodies[k].density * volume_of(&bodies[k]);
        m.linear = vec3_madd(m.linear, heavy, pose.velocity);
        m.angular = vec3_madd(m.angular, heavy, vec3_cross(pose.position, pose.velocity));
        m.angular = vec3_madd(m.angular, inertia_of(&bodies[k]), pose.spin);
        m.speed_sum += heavy * vec3_length(pose.velocity);
        m.spin_sum += heavy * vec3_length(vec3_cross(pose.position, pose.velocity)) +
                      inertia_of(&bodies[k]) * vec3_length(pose.spin);
    }
    return m;
}

/* How deep particles are in a ball that is at `at`, spacings. */
static inline double deepest_in(OozeWorld *world, Body ball, OozeVec3 at)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double deepest = 0;
    ball.centre = at;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        deepest = fmax(deepest, -outside(&ball, read_vector(x, i)));
    }
    return deepest / frame->spacing;
}

/* What a ball that falls on fluid is held to. */
typedef struct DropBounds {
    int steps;
    double fastest;    /* particle, over the fastest that the ball was */
    double lowest_top; /* of a light ball, layers above the fluid */
} DropBounds;

/* A ball of radius 3 spacings falls at 0.5 m/s on n layers of fluid that are still to come: nothing
   is thrown up faster than it came, nothing is in the ball, and a light one stays on top. */
static inline void watch_drop(OozeWorld *world, const int n[3], double d, double density,
                              double ratio, DropBounds bounds)
{
    Body ball = {.centre = vec3(n[0] * d / 2, (n[1] + 4) * d, n[2] * d / 2),
                 .radius = 3 * d,
                 .density = density,
                 .velocity = vec3(0, -0.5, 0)};
    add_body(world, &ball);
    add_around(world, n, d, vec3(0, 0, 0), NULL, 0);
    double fastest = 0, deepest = 0, came = 0;
    OozePose pose = pose_of(world, 1);
    for (int k = 0; k < bounds.steps; k++) {
        step_world(world);
        pose = pose_of(world, 1);
        came = fmax(came, -pose.velocity.y);
        fastest = fmax(fastest, take_census(world).fastest);
        deepest = fmax(deepest, deepest_in(world, ball, pose.position));
    }
    printf("  density ratio %g: ends at %.2f spacings with %.3f m/s\n", ratio, pose.position.y / d,
           pose.velocity.y);
    MEASURED("fastest particle over the fastest that the ball was", fastest / came, 0,
             bounds.fastest);
    MEASURED("how deep particles got into the ball (spacings)", deepest, 0, 0.1);
    double top = (pose.position.y + ball.radius) / d;
    MEASURED("top of the ball (spacings)", top, ratio < 1 ? n[1] + bounds.lowest_top : 0,
             ratio < 1 ? n[1] + 8 : n[1]);
}

/* A light cube on top of a pool of n layers, and a heavy ball that turns in it. */
static inline void add_mixed(OozeWorld *world, const int n[3], double d)
{
    Body bodies[2] = {{.centre = vec3(3 * d, 9.2 * d, 3 * d),
                       .half = vec3(1.5 * d, 1.5 * d, 1.5 * d),
                       .density = 200},
                      {.centre = vec3(7 * d, 5 * d, 7 * d),
                       .radius = 2 * d,
                       .density = 1500,
                       .spin = vec3(0, 3, 0)}};
    add_body(world, &bodies[0]);
    add_body(world, &bodies[1]);
    add_around(world, n, d, vec3(0, 0, 0), bodies, 2);
}

/* For any number of threads, and after going on from a frame. */
static inline void check_same_bits(OozeWorld *(*make_mixed)(int threads))
{
    OozeWorld *one = make_mixed(1), *four = make_mixed(4), *resumed = make_mixed(2);
    advance(one, 0.1);
    advance(four, 0.1);
    assert_true(ooze_frame_hash(ooze_world_frame(one)) == ooze_frame_hash(ooze_world_frame(four)));
    CHECK_OK(ooze_world_restore(resumed, ooze_world_frame(one), &error));
    advance(one, 0.1);
    advance(resumed, 0.1);
    assert_true(ooze_frame_hash(ooze_world_frame(one)) ==
                ooze_frame_hash(ooze_world_frame(resumed)));
    ooze_world_destroy(one);
    ooze_world_destroy(four);
    ooze_world_destroy(resumed);
}

/* The velocity of all particles of a lattice: `user` is an OozeVec3. */
static inline OozeVec3 uniform_velocity(OozeVec3 x, uint64_t particle, const void *user)
{
    (void)x;
    (void)particle;
    return *(const OozeVec3 *)user;
}

/* Fluid at 1 m/s along x meets a ball at rest in empty space: momentum passes over, and their sum
   changes by at most `bound`. */
static inline void check_momentum_passes_over(OozeWorld *world, const Body *ball, int steps,
                                              double bound)
{
    Momenta before = take_momenta(world, ball, 0, 1), after = before;
    double worst = 0, turn = 0;
    for (int k = 0; k < steps; k++) {
        step_world(world);
        after = take_momenta(world, ball, 0, 1);
        worst = fmax(worst, vec3_length(vec3_sub(after.linear, before.linear)));
        turn = fmax(turn, vec3_length(vec3_sub(after.angular, before.angular)));
    }
    MEASURED("change of momentum over sum |m v|", worst / before.speed_sum, 0, bound);
    MEASURED("change of angular momentum over sum |m x v|", turn / after.spin_sum, 0, 0.02);
    MEASURED("speed of the ball over the fluid's", pose_of(world, 0).velocity.x, 0.3, 2);
    MEASURED("fastest particle (m/s)", take_census(world).fastest, 0, 2.5);
}

#endif
