/* Worlds of dynamic solids and no particles. */
#ifndef OOZE_TESTS_DYNAMICS_FIXTURES_H
#define OOZE_TESTS_DYNAMICS_FIXTURES_H

#include <limits.h>

#include "check.h"

#include "base/vec3.h"
#include "ooze/frame.h"
#include "solids/dynamic.h"
#include "world/world.h"

#define PI 3.14159265358979323846

/* Values of exact_contacts_max that force one solver. */
enum { EXACT = INT_MAX, ITERATIVE = -1 };

static inline const char *solver_name(int exact_contacts_max)
{
    return exact_contacts_max == EXACT ? "exact" : "iterative";
}

static inline OozeWorld *bodies_world(double time_step, OozeVec3 gravity)
{
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.05;
    def.time_step = time_step;
    def.gravity = gravity;
    def.threads = 1;
    def.max_travel = 4.0;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
}

static inline OozeSolidDef body_def(OozeShapeKind kind, double density)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.friction = 0.5;
    def.name = "body";
    def.shape = ooze_shape_def_default(kind);
    def.shape.size = vec3(0.2, 0.2, 0.2);
    def.shape.radius = 0.1;
    def.density = density;
    return def;
}

static inline int add_body(OozeWorld *world, OozeSolidDef def)
{
    OozeSolidId id = {-1};
    CHECK_OK(ooze_world_add_solid(world, &def, &id, &error));
    return id.index;
}

static inline int add_floor(OozeWorld *world, double friction, double restitution)
{
    OozeSolidDef def = body_def(OOZE_SHAPE_PLANE, 0.0);
    def.name = "floor";
    def.friction = friction;
    def.restitution = restitution;
    return add_body(world, def);
}

static inline const OozePose *pose_of(const OozeWorld *world, int i)
{
    return &world->solids.items[i].pose;
}

static inline void run_steps(OozeWorld *world, int count)
{
    for (int i = 0; i < count; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

static inline OozeVec3 spin_momentum(const OozeWorld *world, int i)
{
    const OozeSolid *solid = &world->solids.items[i];
    return ooze_dynamic_momentum(solid, &solid->pose, solid->pose.spin);
}

/* Linear momentum and angular momentum about the origin of all dynamic solids. */
typedef struct Momenta {
    OozeVec3 linear, angular;
} Momenta;

static inline Momenta momenta(const OozeWorld *world)
{
    Momenta sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < world->solids.count; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        if (ooze_solid_is_dynamic(solid)) {
            OozeVec3 c = ooze_dynamic_centre(solid, &solid->pose);
            OozeVec3 p = vec3_scale(ooze_dynamic_velocity(solid, &solid->pose), solid->mass.mass);
            sum.linear = vec3_add(sum.linear, p);
            sum.angular = vec3_add(sum.angular, vec3_cross(c, p));
            sum.angular = vec3_add(sum.angular, spin_momentum(world, i));
        }
    }
    return sum;
}

#endif
