/* Acceptance tests of rigid bodies: joints and motors, rolling, meshes, solids that are
   prescribed. */
#include "physics/dynamics_fixtures.h"

static int join(OozeWorld *world, OozeJointDef def)
{
    OozeJointId id = {-1};
    def.name = "joint";
    CHECK_OK(ooze_world_add_joint(world, &def, &id, &error));
    return id.index;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* A rod that hangs by its end and swings by 0.1 rad: T = 2 pi sqrt(I / (m g l)) (1 + a^2 / 16). */
static double period_of(OozeJointKind kind)
{
    const double angle = 0.1, half = 0.5;
    OozeWorld *world = bodies_world(1e-3, vec3(0, -9.81, 0));
    world->def.max_travel = 0.0;
    OozeSolidDef def = body_def(OOZE_SHAPE_BOX, 1000.0);
    def.shape.size = vec3(0.05, 2 * half, 0.05);
    def.shape.position = vec3(half * sin(angle), -half * cos(angle), 0);
    def.shape.rotation = quat_from_vector(vec3(0, 0, angle));
    int body = add_body(world, def);
    OozeJointDef joint = ooze_joint_def_default();
    joint.kind = kind;
    joint.solid.index = body;
    joint.anchor = vec3(0, 0, 0);
    joint.axis = vec3(0, 0, 1);
    join(world, joint);
    double crossed = 0.0, first = 0.0, before = pose_of(world, body)->position.x, off = 0.0;
    int crossings = 0;
    for (int i = 1; i <= 5000 && crossings < 5; i++) {
        run_steps(world, 1);
        const OozePose *p = pose_of(world, body);
        if ((before > 0.0) != (p->position.x > 0.0)) {
            crossed = (i - p->position.x / (p->position.x - before)) * 1e-3;
            first = crossings++ == 0 ? crossed : first;
        }
        before = p->position.x;
        off = fmax(off, vec3_length(ooze_pose_to_world(p, vec3(0, half, 0))));
    }
    MEASURED("joint came apart by, m", off, 0, 2e-5);
    ooze_world_destroy(world);
    double m = 1000.0 * 0.05 * 0.05, inertia = m * (1.0 / 3.0 + 0.0025 / 12.0);
    double formula = 2 * PI * sqrt(inertia / (m * 9.81 * half)) * (1 + angle * angle / 16);
    return (crossed - first) / 2.0 / formula;
}

static void dynamics_T08_pendulum(void **state)
{
    (void)state;
    MEASURED("hinge: period, of the formula", period_of(OOZE_JOINT_HINGE), 0.998, 1.002);
    MEASURED("ball: period, of the formula", period_of(OOZE_JOINT_BALL), 0.998, 1.002);
}

/* A wheel: its motor gives all it has until it is as fast as it is to be; then it stays so. */
static void dynamics_T09_motor(void **state)
{
    (void)state;
    OozeWorld *world = bodies_world(1e-3, vec3(0, -9.81, 0));
    OozeSolidDef def = body_def(OOZE_SHAPE_CYLINDER, 1000.0);
    def.shape.height = 0.1;
    int wheel = add_body(world, def);
    double inertia = world->solids.items[wheel].mass.moments.y;
    OozeJointDef joint = ooze_joint_def_default();
    joint.kind = OOZE_JOINT_HINGE;
    joint.solid.index = wheel;
    joint.axis = vec3(0, 1, 0);
    joint.speed = ooze_degrees(8.0);
    joint.force = 10.0 * inertia; /* 10 rad/s2 */
    int motor = join(world, joint);
    run_steps(world, 400);
    MEASURED("spin under way, rad/s", pose_of(world, wheel)->spin.y, 3.99, 4.01);
    run_steps(world, 800);
    MEASURED("spin reached, rad/s", pose_of(world, wheel)->spin.y, 7.999, 8.001);
    CHECK_OK(ooze_world_set_joint(world, (OozeJointId){motor}, OOZE_JOINT_SPEED, ooze_degrees(-2.0),
                                  &error));
    run_steps(world, 1200);
    MEASURED("spin after a change, rad/s", pose_of(world, wheel)->spin.y, -2.001, -1.999);
    MEASURED("came off its axle by, m", vec3_length(pose_of(world, wheel)->position), 0, 1e-5);
    ooze_world_destroy(world);
}

/* A slider falls to its stop; a fixed joint holds a beam out by its end. */
static void dynamics_T10_stops(void **state)
{
    (void)state;
    OozeWorld *world = bodies_world(1.0 / 240.0, vec3(0, -9.81, 0));
    OozeSolidDef def = body_def(OOZE_SHAPE_BOX, 1000.0);
    int lift = add_body(world, def);
    OozeJointDef joint = ooze_joint_def_default();
    joint.kind = OOZE_JOINT_SLIDER;
    joint.solid.index = lift;
    joint.axis = vec3(0, 1, 0);
    joint.low = -0.3;
    joint.high = 0.1;
    join(world, joint);
    def.shape.position = vec3(2, 0, 0);
    def.shape.size = vec3(1.0, 0.1, 0.1);
    int beam = add_body(world, def);
    joint = ooze_joint_def_default();
    joint.kind = OOZE_JOINT_FIXED;
    joint.solid.index = beam;
    joint.anchor = vec3(1.5, 0, 0);
    join(world, joint);
    run_steps(world, 480);
    MEASURED("lift at its stop, m", pose_of(world, lift)->position.y, -0.3005, -0.2995);
    MEASURED("end of the beam hangs by, m",
             -ooze_pose_to_world(pose_of(world, beam), vec3(0.5, 0, 0)).y, -1e-6, 1e-3);
    ooze_world_destroy(world);
}

/* Two balls that a fixed joint makes one body, thrown and spun: it stays one, and keeps its
   momenta. */
static void dynamics_T14_welded(void **state)
{
    (void)state;
    OozeWorld *world = bodies_world(1e-3, vec3(0, 0, 0));
    OozeSolidDef def = body_def(OOZE_SHAPE_SPHERE, 1000.0);
    def.shape.position.x = -0.15;
    def.motion.velocity = vec3(1, 0, -0.15 * 5.0);
    def.motion.spin = ooze_vec3_degrees(vec3(0, -5, 0));
    int heavy = add_body(world, def);
    def.shape.position.x = 0.15;
    def.motion.velocity = vec3(1, 0, 0.15 * 5.0);
    int light = add_body(world, def);
    OozeJointDef joint = ooze_joint_def_default();
    joint.kind = OOZE_JOINT_FIXED;
    joint.solid.index = heavy;
    joint.other.index = light;
    join(world, joint);
    Momenta before = momenta(world);
    run_steps(world, 1000);
    Momenta after = momenta(world);
    OozeVec3 apart = vec3_sub(pose_of(world, light)->position, pose_of(world, heavy)->position);
    MEASURED("balls apart, m", vec3_length(apart), 0.2999, 0.3001);
    double p = vec3_length(vec3_sub(after.linear, before.linear)) / vec3_length(before.linear);
    double l = vec3_length(vec3_sub(after.angular, before.angular)) / vec3_length(before.angular);
    MEASURED("momentum, relative change", p, 0, 1e-12);
    /* a joint turns speeds into its new direction and so loses (spin dt)^2 / 2 of them a step: 1.2
       % */
    MEASURED("angular momentum, relative change", l, 0, 0.0125);
    MEASURED("spin, rad/s", pose_of(world, heavy)->spin.y, -5.0, -4.93);
    ooze_world_destroy(world);
}

/* ---- rolling, meshes, prescribed solids ------------------------------------------------------ */

/* Down a slope without slipping: a = g sin / (1 + I / (m r^2)). */
static double roll(OozeShapeKind kind, double share)
{
    const double angle = 0.2, t = 0.5;
    OozeWorld *world = bodies_world(1.0 / 480.0, vec3(9.81 * sin(angle), -9.81 * cos(angle), 0));
    add_floor(world, 1.0, 0.0);
    OozeSolidDef def = body_def(kind, 1000.0);
    def.shape.height = 0.15;
    def.shape.position.y = 0.1;
    def.friction = 1.0;
    def.shape.rotation = quat_from_vector(vec3(0.5 * PI, 0, 0)); /* axis along z */
    int body = add_body(world, def);
    run_steps(world, 240);
    double travel = pose_of(world, body)->position.x;
    ooze_world_destroy(world);
    return travel / (0.5 * 9.81 * sin(angle) / (1.0 + share) * t * t);
}

static void dynamics_T11_rolling(void **state)
{
    (void)state;
    MEASURED("ball, of the formula", roll(OOZE_SHAPE_SPHERE, 0.4), 0.98, 1.02);
    MEASURED("cylinder, of the formula", roll(OOZE_SHAPE_CYLINDER, 0.5), 0.98, 1.02);
}

/* A turned box as triangles falls on a box that is carried along: it comes to rest on it, and goes
   with it. */
static void dynamics_T12_mesh_carried(void **state)
{
    (void)state;
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    OozeVec3 corners[8];
    for (int k = 0; k < 8; k++) {
        corners[k] = vec3(k & 1 ? 0.15 : -0.15, k & 2 ? 0.1 : -0.1, k & 4 ? 0.2 : -0.2);
    }
    OozeWorld *world = bodies_world(1.0 / 240.0, vec3(0, -9.81, 0));
    OozeSolidDef tray = body_def(OOZE_SHAPE_BOX, 0.0);
    tray.shape.size = vec3(2, 0.2, 2);
    tray.shape.position.y = -0.1;
    tray.friction = 0.8;
    tray.motion.velocity = vec3(0.3, 0, 0);
    add_body(world, tray);
    OozeSolidDef def = body_def(OOZE_SHAPE_MESH, 600.0);
    def.shape.mesh = (OozeMeshView){corners, 8, triangles, 12};
    def.shape.position.y = 0.35;
    def.shape.rotation = quat_from_vector(vec3(0.3, 0, 0.4));
    def.friction = 0.8;
    int body = add_body(world, def);
    run_steps(world, 720);
    const OozePose *p = pose_of(world, body);
    MEASURED("height at rest, m", p->position.y, 0.097, 0.103);
    MEASURED("speed relative to the tray, m/s", vec3_length(vec3_sub(p->velocity, vec3(0.3, 0, 0))),
             0, 2e-3);
    ooze_world_destroy(world);
}

/* At 40 m/s, 17 cm a step, against a wall of 2 cm; and in a container, whose outside is solid. */
static void dynamics_T13_no_tunnels(void **state)
{
    (void)state;
    OozeWorld *world = bodies_world(1.0 / 240.0, vec3(0, 0, 0));
    world->def.max_travel = 0.0;
    OozeSolidDef wall = body_def(OOZE_SHAPE_BOX, 0.0);
    wall.shape.size = vec3(0.02, 2, 2);
    wall.shape.position.x = 1.0;
    add_body(world, wall);
    OozeSolidDef room = body_def(OOZE_SHAPE_BOX, 0.0);
    room.shape.size = vec3(4, 4, 4);
    room.shape.inverted = true;
    add_body(world, room);
    OozeSolidDef def = body_def(OOZE_SHAPE_SPHERE, 1000.0);
    def.shape.radius = 0.05;
    def.restitution = 0.9;
    def.motion.velocity = vec3(40, 0, 0);
    int ball = add_body(world, def);
    def.motion.velocity = vec3(-30, 20, 25);
    def.shape.position = vec3(-1, 0, 0.5);
    int other = add_body(world, def);
    double most = -4.0, farthest = 0.0;
    for (int i = 0; i < 240; i++) {
        run_steps(world, 1);
        most = fmax(most, pose_of(world, ball)->position.x);
        OozeVec3 p = pose_of(world, other)->position;
        farthest = fmax(farthest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    MEASURED("farthest at the wall, m", most, 0.5, 0.941);
    MEASURED("farthest in the room, m", farthest, 1.5, 1.951);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(dynamics_T08_pendulum), cmocka_unit_test(dynamics_T09_motor),
                cmocka_unit_test(dynamics_T10_stops), cmocka_unit_test(dynamics_T11_rolling),
                cmocka_unit_test(dynamics_T12_mesh_carried),
                cmocka_unit_test(dynamics_T13_no_tunnels), cmocka_unit_test(dynamics_T14_welded))
