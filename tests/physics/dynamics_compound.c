/* Acceptance tests of bodies made of several shapes. */
#include "physics/dynamics_fixtures.h"

/* A foot of 0.2 with an arm on it that reaches out: how far it has turned after two seconds. */
static double lean(double arm)
{
    OozeWorld *world = bodies_world(1.0 / 240.0, vec3(0, -9.81, 0));
    add_floor(world, 0.8, 0.0);
    OozeShapeDef parts[2] = {body_def(OOZE_SHAPE_BOX, 0.0).shape,
                             body_def(OOZE_SHAPE_BOX, 0.0).shape};
    parts[0].size = vec3(0.2, 0.1, 0.2);
    parts[1].size = vec3(arm, 0.1, 0.2);
    parts[1].position = vec3(0.5 * arm - 0.1, 0.1, 0);
    OozeSolidDef def = body_def(OOZE_SHAPE_COMPOUND, 800.0);
    def.shape.parts = parts;
    def.shape.part_count = 2;
    def.shape.position.y = 0.05;
    def.friction = 0.8;
    int body = add_body(world, def);
    run_steps(world, 480);
    OozeVec3 up = quat_rotate(pose_of(world, body)->rotation, vec3(0, 1, 0));
    ooze_world_destroy(world);
    return acos(fmin(up.y, 1.0));
}

/* Foot and arm weigh as they are long: the centre is over the foot's edge at an arm of 0.2 +
   sqrt(0.08) = 0.483. With 0.46 it is 9 mm within, with 0.505 9 mm beyond; edges are round by
   2.5 mm. */
static void dynamics_T15_balance(void **state)
{
    (void)state;
    MEASURED("centre over the foot: turned by, rad", lean(0.46), 0.0, 1e-3);
    MEASURED("centre beyond the foot: turned by, rad", lean(0.505), 0.2, PI);
}

/* Two wheels on an axle roll down a slope: g sin(a) / (1 + I / (m r^2)), with I and m of all
   three. */
static void dynamics_T16_wheels(void **state)
{
    (void)state;
    const double angle = 0.2, t = 0.5, r = 0.1, thin = 0.02, wide = 0.04, apart = 0.16;
    OozeWorld *world = bodies_world(1.0 / 480.0, vec3(9.81 * sin(angle), -9.81 * cos(angle), 0));
    add_floor(world, 1.0, 0.0);
    OozeShapeDef parts[3];
    for (int k = 0; k < 3; k++) {
        parts[k] = body_def(OOZE_SHAPE_CYLINDER, 0.0).shape;
        parts[k].radius = k < 2 ? r : thin;
        parts[k].height = k < 2 ? wide : apart;
        parts[k].position.y = k == 2 ? 0.0 : (k == 0 ? -0.5 : 0.5) * (apart + wide);
    }
    OozeSolidDef def = body_def(OOZE_SHAPE_COMPOUND, 1000.0);
    def.shape.parts = parts;
    def.shape.part_count = 3;
    def.shape.position.y = r;
    def.shape.rotation = quat_from_vector(vec3(0.5 * PI, 0, 0)); /* axle along z */
    def.friction = 1.0;
    int body = add_body(world, def);
    run_steps(world, 240);
    double wheels = 2.0 * r * r * wide, axle = thin * thin * apart; /* over pi density */
    double share = 0.5 * (wheels * r * r + axle * thin * thin) / ((wheels + axle) * r * r);
    double travel = 0.5 * 9.81 * sin(angle) / (1.0 + share) * t * t;
    MEASURED("way, of the formula", pose_of(world, body)->position.x / travel, 0.98, 1.02);
    MEASURED("height over the floor, m", pose_of(world, body)->position.y, r - 1e-3, r + 1e-3);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(dynamics_T15_balance), cmocka_unit_test(dynamics_T16_wheels))
