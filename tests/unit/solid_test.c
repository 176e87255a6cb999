#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "physics/contact.h"
#include "solids/sweep_formula.h"

static const double s = 0.01; /* particle spacing */

static OozeSolid make(const OozeSolidDef *def)
{
    OozeSolid solid;
    CHECK_OK(ooze_solid_create(&solid, def, OOZE_AXIS_Y, s, NULL, &error));
    return solid;
}

static OozeSolidDef box(OozeVec3 size)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    return def;
}

static double gap(OozeVec3 a, OozeVec3 b)
{
    return vec3_length(vec3_sub(a, b));
}

static double random_between(uint64_t element, uint64_t draw, double low, double high)
{
    return low + (high - low) * ooze_random01(7, element, draw);
}

static void defaults_are_sane(void **state)
{
    (void)state;
    OozeSolidDef def = ooze_solid_def_default();
    assert_true(def.collides && def.sampled);
    OozeSolid solid = make(&def);
    /* fluid does not slip; what touches the solid dry slides */
    assert_true(isnan(def.friction) && isinf(ooze_solid_fluid_friction(&solid)));
    CHECK_NEAR(ooze_solid_dry_friction(&solid), 0.5, 0.0);
    CHECK_OK(ooze_solid_set(&solid, OOZE_SOLID_FRICTION, 0.2, &error));
    CHECK_NEAR(ooze_solid_fluid_friction(&solid), 0.2, 0.0);
    CHECK_NEAR(ooze_solid_dry_friction(&solid), 0.2, 0.0);
    CHECK_NEAR(ooze_solid_contact(&solid, vec3(3, 0.2, 1)).distance, 0.2, 1e-15);
    ooze_solid_free(&solid);
}

/* A box turned by 90 degrees about z that spins about y: distance, normal and surface velocity. */
static void contact_follows_the_pose(void **state)
{
    (void)state;
    OozeSolidDef def = box(vec3(0.2, 0.6, 1.0));
    def.shape.position = vec3(1, 2, 3);
    def.shape.rotation = quat_from_vector(vec3(0, 0, 0.5 * 3.14159265358979323846));
    def.motion.velocity = vec3(0.5, 0, 0);
    def.motion.spin = ooze_vec3_degrees(vec3(0, 4, 0));
    OozeSolid solid = make(&def);
    OozeContact contact = ooze_solid_contact(&solid, vec3(1.4, 2, 3));
    CHECK_NEAR(contact.distance, 0.1, 1e-14); /* half of 0.6 lies along x */
    CHECK_NEAR(gap(contact.normal, vec3(1, 0, 0)), 0.0, 1e-14);
    /* at the surface, 0.3 from the centre: (0.5, 0, 0) + (0, 4, 0) x (0.3, 0, 0) */
    CHECK_NEAR(gap(contact.velocity, vec3(0.5, 0, -1.2)), 0.0, 1e-13);
    ooze_solid_advance(&solid, 0.1, 0.1);
    CHECK_NEAR(gap(solid.previous.position, vec3(1, 2, 3)), 0.0, 0.0);
    CHECK_NEAR(gap(solid.pose.position, vec3(1.05, 2, 3)), 0.0, 1e-15);
    ooze_solid_free(&solid);
}

static void driven_solid_arrives_then_follows(void **state)
{
    (void)state;
    OozeSolidDef def = box(vec3(1, 1, 1));
    def.motion.velocity = vec3(9, 9, 9); /* taken over: no longer counts */
    OozeSolid solid = make(&def);
    OozePose pose = {vec3(1, 0, 0), {0, 0, 0, 2}, vec3(0, 3, 0), vec3(0, 0, 2)};
    CHECK_OK(ooze_solid_drive(&solid, &pose, &error));
    ooze_solid_advance(&solid, 0.1, 0.1);
    CHECK_NEAR(gap(solid.pose.position, vec3(1, 0, 0)), 0.0, 0.0);
    CHECK_NEAR(gap(solid.previous.position, vec3(0, 0, 0)), 0.0, 0.0);
    CHECK_NEAR(solid.pose.rotation.w, 1.0, 0.0);
    ooze_solid_advance(&solid, 0.2, 0.1);
    CHECK_NEAR(gap(solid.pose.position, vec3(1, 0.3, 0)), 0.0, 1e-15);
    CHECK_NEAR(solid.pose.rotation.z, sin(0.1), 1e-15); /* 0.2 rad */
    CHECK_NEAR(gap(solid.previous.position, vec3(1, 0, 0)), 0.0, 0.0);
    pose.spin.x = NAN;
    CHECK_FAILS(ooze_solid_drive(&solid, &pose, &error), OOZE_ERROR_ARGUMENT, "not finite");
    ooze_solid_free(&solid);
}

/* 50 spacings a step at a plate one spacing thick, from both sides and at all angles: none may
   pass, though every end point lies far beyond. */
static void fast_particles_do_not_cross_a_thin_plate(void **state)
{
    (void)state;
    OozeSolidDef def = box(vec3(400 * s, s, 400 * s));
    def.shape.rotation = quat_from_vector(vec3(0.3, 0.2, 0.1));
    def.shape.position = vec3(0.1, -0.2, 0.3);
    OozeSolid plate = make(&def);
    OozeContactRule rule = {.margin = 0.25 * s, .tolerance = 0.1 * s, .dt = 1e-3};
    int crossed = 0, hits = 0, clear = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        double side = i % 2 ? 1.0 : -1.0;
        OozeVec3 from = vec3(random_between(i, 0, -50 * s, 50 * s),
                             side * random_between(i, 1, 0.75 * s, 60 * s),
                             random_between(i, 2, -50 * s, 50 * s));
        OozeVec3 travel =
            vec3_unit(vec3(random_between(i, 3, -1, 1), -side * random_between(i, 4, 0.01, 1.0),
                           random_between(i, 5, -1, 1)),
                      vec3(0, -side, 0));
        OozeVec3 to = vec3_madd(from, 50 * s, travel);
        OozeVec3 x = ooze_pose_to_world(&plate.pose, to),
                 start = ooze_pose_to_world(&plate.pose, from);
        OozeVec3 v = vec3_scale(vec3_sub(x, start), 1.0 / rule.dt);
        OozeBounds box = ooze_shape_bounds(plate.shape);
        OozeTrace trace =
            ooze_shape_trace(plate.shape, &box, from, to, rule.margin, rule.tolerance);
        /* it meets the plate where the line comes within the margin of the face */
        double expected = (fabs(from.y) - 0.75 * s) / (50 * s * fabs(travel.y));
        assert_int_equal(trace.hit, expected <= 1.0);
        assert_false(trace.hit && trace.clear);
        if (trace.hit) {
            CHECK_NEAR(trace.fraction, expected, 1e-9);
            hits++;
        }
        /* the way is 50 spacings long, and a tenth is the tolerance */
        clear += trace.clear;
        assert_int_equal(trace.clear, fabs(from.y) - 0.75 * s > 50.1 * s);
        ooze_contact_resolve(&plate, 1, &rule, start, &x, &v, NULL);
        double y = ooze_pose_to_local(&plate.pose, x).y;
        crossed += y * side < 0.75 * s - 1e-6 * s;
    }
    assert_int_equal(crossed, 0);
    assert_true(hits > 5000);
    assert_true(clear > 1000);
    ooze_solid_free(&plate);
}

/* The plate moves 50 spacings in a step through particles at rest: it takes them along. */
static void fast_plate_does_not_pass_particles(void **state)
{
    (void)state;
    OozeSolidDef def = box(vec3(100 * s, s, 100 * s));
    double dt = 1e-3;
    def.motion.velocity = vec3(0, 50 * s / dt, 0);
    def.motion.spin = ooze_vec3_degrees(vec3(0, 0, 50.0));
    OozeSolid plate = make(&def);
    ooze_solid_advance(&plate, dt, dt);
    OozeContactRule rule = {.margin = 0.5 * s, .tolerance = 0.1 * s, .dt = dt};
    for (uint64_t i = 0; i < 2000; i++) {
        OozeVec3 x =
            vec3(random_between(i, 0, -20 * s, 20 * s), random_between(i, 1, 3 * s, 45 * s),
                 random_between(i, 2, -20 * s, 20 * s));
        OozeVec3 start = x, v = vec3(0, 0, 0);
        ooze_contact_resolve(&plate, 1, &rule, start, &x, &v, NULL);
        OozeContact contact = ooze_solid_contact(&plate, x);
        assert_true(ooze_pose_to_local(&plate.pose, x).y > 0.0); /* still in front */
        CHECK_NEAR(contact.distance, 0.5 * s, 1e-6 * s);
        assert_true(vec3_dot(vec3_sub(v, contact.velocity), contact.normal) > -1e-4);
    }
    ooze_solid_free(&plate);
}

static void container_holds_everything(void **state)
{
    (void)state;
    OozeSolidDef def = box(vec3(20 * s, 20 * s, 20 * s));
    def.shape.inverted = true;
    def.restitution = 0.8;
    def.friction = 0.1;
    OozeSolidDef inner = ooze_solid_def_default();
    inner.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    inner.shape.radius = 4 * s;
    OozeSolid solids[2] = {make(&def), make(&inner)};
    OozeContactRule rule = {.margin = 0.5 * s, .tolerance = 0.1 * s, .dt = 1e-3};
    for (uint64_t i = 0; i < 200; i++) {
        OozeVec3 x = vec3(-8 * s, random_between(i, 0, -9 * s, 9 * s), 8 * s);
        OozeVec3 v = vec3(random_between(i, 1, -1, 1), random_between(i, 2, -1, 1),
                          random_between(i, 3, -1, 1));
        v = vec3_scale(v, 60 * s / rule.dt); /* three box widths a step */
        for (int step = 0; step < 50; step++) {
            OozeVec3 from = x;
            x = vec3_madd(x, rule.dt, v);
            ooze_contact_resolve(solids, 2, &rule, from, &x, &v, NULL);
            assert_true(ooze_solid_contact(&solids[0], x).distance > 0.499 * s);
            assert_true(ooze_solid_contact(&solids[1], x).distance > 0.499 * s);
        }
    }
    ooze_solid_free(&solids[0]);
    ooze_solid_free(&solids[1]);
}

static OozeContactVector bounce(double vx, double vy, double restitution, double friction)
{
    return ooze_contact_bounce(ooze_contact_vector((float)vx, (float)vy, 0.0f),
                               ooze_contact_vector(0.0f, 1.0f, 0.0f), (float)restitution,
                               (float)friction);
}

static void bounce_and_friction_follow_coulomb(void **state)
{
    (void)state;
    OozeContactVector v = bounce(3, -2, 0, 0);
    CHECK_NEAR(v.x, 3, 0.0);
    CHECK_NEAR(v.y, 0, 0.0);
    v = bounce(3, -2, 0.5, 0); /* e = 0.5 */
    CHECK_NEAR(v.y, 1, 1e-7);
    v = bounce(3, -2, 0.5, 0.25); /* loses 0.25 of the push 3 */
    CHECK_NEAR(v.x, 2.25, 1e-6);
    v = bounce(3, -2, 0, 10); /* stops, never reverses */
    CHECK_NEAR(v.x, 0, 0.0);
    v = bounce(3, -2, 0, INFINITY);
    CHECK_NEAR(v.x, 0, 0.0);
    v = bounce(3, 0, 0, INFINITY); /* no slip even without a push */
    CHECK_NEAR(v.x, 0, 0.0);
    v = bounce(3, 0, 0, 0.5);
    CHECK_NEAR(v.x, 3, 0.0);
    v = bounce(3, 2, 0.5, INFINITY); /* leaving: untouched */
    CHECK_NEAR(v.x, 3, 0.0);
    CHECK_NEAR(v.y, 2, 0.0);
    v = bounce(0, -1, 0, 0.5); /* no tangential speed: nothing divided by it */
    CHECK_NEAR(v.x, 0, 0.0);
}

static void stick_pulls_most_at_half_its_reach(void **state)
{
    (void)state;
    float dt = 0.01f, k = 50.0f, reach = 0.2f;
    CHECK_NEAR(ooze_stick_impulse(dt, k, 0.0f, reach), 0.0, 0.0);
    CHECK_NEAR(ooze_stick_impulse(dt, k, reach, reach), 0.0, 0.0);
    CHECK_NEAR(ooze_stick_impulse(dt, k, -0.1f, reach), 0.0, 0.0);
    double most = ooze_stick_impulse(dt, k, 0.1f, reach);
    CHECK_NEAR(most, 0.01 * 50 * 0.1 * 0.5, 1e-8);
    for (int i = 1; i < 20; i++) {
        assert_true(ooze_stick_impulse(dt, k, 0.01f * (float)i, reach) <= (float)most);
    }
    OozeSolidDef def = ooze_solid_def_default(); /* a floor seen from above: pulled down */
    def.stick_distance = 0.2;
    def.stick_strength = 50;
    OozeSolid floor = make(&def);
    OozeContact contact = ooze_solid_contact(&floor, vec3(0, 0.1, 0));
    OozeVec3 pull = ooze_contact_stick(&floor, &contact, contact.distance, 0.01);
    CHECK_NEAR(gap(pull, vec3(0, -most, 0)), 0.0, 1e-9);
    ooze_solid_free(&floor);
}

/* A particle on a tilted plane slides with g (sin a - mu cos a), or not at all. */
static void particle_slides_down_a_slope(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        double angle = 0.5, mu = rough ? 0.7 : 0.2, dt = 1e-3, g = 9.81;
        OozeSolidDef def = ooze_solid_def_default();
        def.shape.normal = vec3(sin(angle), cos(angle), 0);
        def.friction = mu;
        OozeSolid slope = make(&def);
        OozeContactRule rule = {.margin = 0.5 * s, .tolerance = 0.1 * s, .dt = dt};
        OozeVec3 x = vec3_scale(def.shape.normal, 0.5 * s), v = vec3(0, 0, 0);
        for (int step = 0; step < 500; step++) {
            OozeVec3 from = x;
            v.y -= g * dt;
            x = vec3_madd(x, dt, v);
            ooze_contact_resolve(&slope, 1, &rule, from, &x, &v, NULL);
        }
        CHECK_NEAR(ooze_solid_contact(&slope, x).distance, 0.5 * s, 1e-6 * s);
        double expected = rough ? 0.0 : g * (sin(angle) - mu * cos(angle)) * 0.5;
        /* single precision over 500 contacts */
        CHECK_NEAR(vec3_length(v), expected, 1e-4);
        ooze_solid_free(&slope);
    }
}

static OozeVec3 rounded(OozeVec3 a)
{
    return vec3((double)(float)a.x, (double)(float)a.y, (double)(float)a.z);
}

/* Without friction it travels g sin(a) t^2/2: rounding of a velocity along the surface, or of a
   position on it, stops no particle. Positions and velocities are in single precision, as methods
   keep them. */
static void particle_slides_without_stalling(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        double angle = 0.05 + 0.03 * k, around = 0.7 * k, dt = 1e-3, g = 9.81;
        OozeSolidDef def = ooze_solid_def_default();
        def.shape.normal = vec3(sin(angle) * cos(around), cos(angle), sin(angle) * sin(around));
        def.friction = 0;
        OozeSolid slope = make(&def);
        OozeContactRule rule = {.margin = 0.5 * s, .tolerance = 0.1 * s, .dt = dt};
        OozeVec3 start = vec3_scale(def.shape.normal, 0.5 * s), x = start, v = vec3(0, 0, 0);
        for (int step = 0; step < 500; step++) {
            OozeVec3 from = x;
            v.y -= g * dt;
            x = vec3_madd(x, dt, v);
            ooze_contact_resolve(&slope, 1, &rule, from, &x, &v, NULL);
            x = rounded(x);
            v = rounded(v);
        }
        CHECK_NEAR(gap(x, start), 0.5 * g * sin(angle) * 0.25, 0.005 * g * sin(angle) * 0.25);
        CHECK_NEAR(ooze_solid_contact(&slope, x).distance, 0.5 * s, 1e-4 * s);
        ooze_solid_free(&slope);
    }
}

/* Notes are for dynamic solids: others act though no note can be taken any more. */
static void a_full_list_of_touches_hides_no_wall(void **state)
{
    (void)state;
    OozeSolid floor;
    OozeSolidDef def = ooze_solid_def_default();
    def.friction = 0.0;
    CHECK_OK(ooze_solid_create(&floor, &def, OOZE_AXIS_Y, 0.01, NULL, &error));
    const OozeContactRule rule = {.margin = 0.005, .tolerance = 0.001, .dt = 0.01};
    OozeTouches touches = {.count = OOZE_TOUCHES_MAX};
    for (int k = 0; k < OOZE_TOUCHES_MAX; k++) {
        touches.item[k] = (OozeTouch){.solid = 1};
    }
    OozeVec3 x = vec3(0.01, -0.05, 0), v = vec3(1, -10, 0);
    ooze_contact_resolve(&floor, 1, &rule, vec3(0, 0.05, 0), &x, &v, &touches);
    CHECK_NEAR(v.x, 1.0, 1e-6);
    CHECK_NEAR(v.y, 0.0, 1e-6);
    ooze_solid_free(&floor);
}

static void invalid_definitions_are_errors(void **state)
{
    (void)state;
    OozeSolid solid;
    OozeSolidDef def = ooze_solid_def_default();
    def.name = "wall";
    def.friction = -1;
    CHECK_FAILS(ooze_solid_create(&solid, &def, OOZE_AXIS_Y, s, NULL, &error), OOZE_ERROR_ARGUMENT,
                "friction of solid 'wall' is -1");
    def.friction = INFINITY; /* never slips: allowed */
    def.restitution = 1.5;
    CHECK_FAILS(ooze_solid_create(&solid, &def, OOZE_AXIS_Y, s, NULL, &error), OOZE_ERROR_ARGUMENT,
                "restitution of solid 'wall' is 1.5");
    def.restitution = 0;
    def.stick_strength = NAN;
    CHECK_FAILS(ooze_solid_create(&solid, &def, OOZE_AXIS_Y, s, NULL, &error), OOZE_ERROR_ARGUMENT,
                "stick_strength");
    def.stick_strength = 0;
    def.shape.position.x = INFINITY;
    CHECK_FAILS(ooze_solid_create(&solid, &def, OOZE_AXIS_Y, s, NULL, &error), OOZE_ERROR_ARGUMENT,
                "position");
}

static void memory_failures_leak_nothing(void **state)
{
    (void)state;
    OozeKeyframe key = {0, {0, 0, 0}, {0, 0, 0, 1}};
    OozeSolidDef def = box(vec3(1, 1, 1));
    def.motion.keyframes = &key;
    def.motion.keyframe_count = 1;
    OozeStatus status = OOZE_ERROR_MEMORY;
    for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
        OozeSolid solid;
        OozeError error;
        ooze_memory_fail_after(n);
        status = ooze_solid_create(&solid, &def, OOZE_AXIS_Y, s, NULL, &error);
        ooze_memory_fail_after(0);
        if (!status) {
            assert_true(n > 2);
            ooze_solid_free(&solid);
        }
    }
    assert_int_equal(status, OOZE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_sane),
        cmocka_unit_test(contact_follows_the_pose),
        cmocka_unit_test(driven_solid_arrives_then_follows),
        cmocka_unit_test(fast_particles_do_not_cross_a_thin_plate),
        cmocka_unit_test(fast_plate_does_not_pass_particles),
        cmocka_unit_test(container_holds_everything),
        cmocka_unit_test(bounce_and_friction_follow_coulomb),
        cmocka_unit_test(stick_pulls_most_at_half_its_reach),
        cmocka_unit_test(particle_slides_down_a_slope),
        cmocka_unit_test(particle_slides_without_stalling),
        cmocka_unit_test(a_full_list_of_touches_hides_no_wall),
        cmocka_unit_test(invalid_definitions_are_errors),
        cmocka_unit_test(memory_failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
