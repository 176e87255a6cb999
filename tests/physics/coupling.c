/* Acceptance tests of dynamic solids in the fluids of `conformation`: draft by Archimedes' law,
   momentum of solid and fluid, stability for any mass, drag and torque of viscous flow. */
#include "base/memory.h"
#include "physics/coupling_fixtures.h"
#include "world/world.h"

/* ---- T01: Archimedes ------------------------------------------------------------------------- */

/* A pool of `n` particles a side, periodic along two axes, on a floor. */
static OozeWorld *make_pool(int n, double d, double step, Matter matter)
{
    OozeWorld *world = make_world((Setup){.spacing = d,
                                          .time_step = step,
                                          .gravity = down(),
                                          .box = vec3(n * d, 0, n * d),
                                          .threads = 1});
    add_matter(world, matter);
    add_floor(world, INFINITY);
    return world;
}

/* A cube of 6 spacings is let go at the surface. Its draft follows from where it comes to rest and
   the volume of the fluid, which is at rest density to 0.2%. */
static void check_draft(double ratio)
{
    const double d = 0.01, a = 6 * d;
    const int n[3] = {14, 10, 14};
    OozeWorld *world = make_pool(n[0], d, 1.0 / 240, newtonian_matter(2));
    Body body = {.centre = vec3(n[0] * d / 2, n[1] * d - ratio * a + a / 2 + d, n[2] * d / 2),
                 .half = vec3(a / 2, a / 2, a / 2),
                 .density = 1000 * ratio};
    add_body(world, &body);
    uint64_t count = add_around(world, n, d, vec3(0, 0, 0), &body, 1);
    advance(world, 1.2);
    OozePose pose = pose_of(world, 1);
    double area = n[0] * d * n[2] * d, bottom = pose.position.y - a / 2;
    double level = ((double)count * d * d * d - a * a * bottom) / (area - a * a);
    printf("  density ratio %g: bottom at %.2f, surface at %.2f spacings\n", ratio, bottom / d,
           level / d);
    MEASURED("draft over height, less density ratio", (level - bottom) / a - ratio, -0.1, 0.1);
    MEASURED("tilt (degrees)", tilt_of(pose), 0, 10);
    MEASURED("speed at the end (m/s)", vec3_length(pose.velocity), 0, 0.02);
    ooze_world_destroy(world);
}

static void coupling_T01_archimedes(void **state)
{
    (void)state;
    check_draft(0.3);
    check_draft(0.5);
    check_draft(0.8);
}

/* A cube that is heavier than the fluid goes to the bottom and stays there, upright. Returns the
   height of its lower face, spacings. */
static double sunken(double ratio)
{
    const double d = 0.01, a = 6 * d;
    const int n[3] = {14, 10, 14};
    OozeWorld *world = make_pool(n[0], d, 1.0 / 240, newtonian_matter(2));
    Body body = {.centre = vec3(n[0] * d / 2, a / 2 + 3 * d, n[2] * d / 2),
                 .half = vec3(a / 2, a / 2, a / 2),
                 .density = 1000 * ratio};
    add_body(world, &body);
    add_around(world, n, d, vec3(0, 0, 0), &body, 1);
    advance(world, 0.6);
    OozePose pose = pose_of(world, 1);
    printf("  density ratio %g\n", ratio);
    MEASURED("tilt (degrees)", tilt_of(pose), 0, 10);
    MEASURED("speed at the end (m/s)", vec3_length(pose.velocity), 0, 0.02);
    ooze_world_destroy(world);
    return (pose.position.y - a / 2) / d;
}

/* A film of two layers of particles carries 6% of its pressure as shear before it flows: at one and
   a half times the density the last two layers are not squeezed out, at three times they are. */
static void coupling_T08_bottom(void **state)
{
    (void)state;
    if (!ooze_dynamics_find()) {
        SKIP_TEST("nothing holds a solid up");
    }
    KNOWN_GAP("bottom of the cube (spacings)", sunken(1.5), -0.1, 0.1, 1.97);
    MEASURED("bottom of the cube (spacings)", sunken(3), -0.1, 0.1);
}

/* A ball of a hundredth of the density of water is let go where fluid stands already: what is in it
   comes out, and it shoots up no faster than from a depth of three radii with twice the
   acceleration of gravity, as if nothing but its added mass held it. */
static void coupling_T09_put_into_water(void **state)
{
    (void)state;
    const double d = 0.01;
    const int n[3] = {12, 12, 12};
    OozeWorld *world = make_pool(n[0], d, 1.0 / 240, newtonian_matter(0.001));
    Body ball = {.centre = vec3(6 * d, 6 * d, 6 * d), .radius = 2.5 * d, .density = 10};
    add_body(world, &ball);
    add_around(world, n, d, vec3(0, 0, 0), NULL, 0);
    double fastest = 0, highest = 0;
    for (int k = 0; k < 60; k++) {
        step_world(world);
        fastest = fmax(fastest, take_census(world).fastest);
        highest = fmax(highest, vec3_length(pose_of(world, 1).velocity));
    }
    double most = sqrt(2 * 2 * 9.81 * 3 * ball.radius);
    MEASURED("fastest of the ball over that", highest / most, 0, 1.5);
    MEASURED("fastest particle over that", fastest / most, 0, 1.5);
    MEASURED("where the ball is (spacings)", pose_of(world, 1).position.y / d, n[1], 60);
    ooze_world_destroy(world);
}

/* ---- T02: momentum --------------------------------------------------------------------------- */

/* A light cube that spins and a heavy ball in a drop that another ball meets, in empty space. Fluid
   is not at rest density about a body that was just put there, and what settles moves without a
   push, as do particles that are kept apart: neither keeps angular momentum, so that is measured
   after the first and without the second. */
static void coupling_T02_momentum(void **state)
{
    (void)state;
    const double d = 0.01;
    const int n[3] = {10, 10, 10};
    Body bodies[3] = {{.centre = vec3(-2.5 * d, 0, 0),
                       .half = vec3(1.5 * d, 1.5 * d, 1.5 * d),
                       .density = 100,
                       .spin = vec3(2, 5, 1)},
                      {.centre = vec3(2.5 * d, 0, 0),
                       .radius = 1.5 * d,
                       .density = 3000,
                       .velocity = vec3(0, 0.2, 0)},
                      {.centre = vec3(0, 7.5 * d, d),
                       .radius = 1.5 * d,
                       .density = 500,
                       .velocity = vec3(0, -0.5, 0)}};
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 240, .threads = 1});
    add_matter(world, newtonian_matter(1));
    set_param(world, "min_distance", 0);
    for (int k = 0; k < 3; k++) {
        add_body(world, &bodies[k]);
    }
    add_around(world, n, d, centred(n, d), bodies, 2);
    Momenta first = take_momenta(world, bodies, 0, 3), at_rest = first;
    for (int k = 0; k < 1000; k++) {
        step_world(world);
        at_rest = k == 99 ? take_momenta(world, bodies, 0, 3) : at_rest;
    }
    Momenta last = take_momenta(world, bodies, 0, 3);
    MEASURED("change of momentum over sum m |v|, 1000 steps",
             vec3_length(vec3_sub(last.linear, first.linear)) / first.speed_sum, 0, 1e-6);
    MEASURED("change of angular momentum over sum |x m v|, with what settles",
             vec3_length(vec3_sub(last.angular, first.angular)) / first.spin_sum, 0, 1e-3);
    MEASURED("change of angular momentum over sum |x m v|, last 900 steps",
             vec3_length(vec3_sub(last.angular, at_rest.angular)) / first.spin_sum, 0, 2e-6);
    ooze_world_destroy(world);
}

/* ---- T03: light and heavy in honey ----------------------------------------------------------- */

/* How far particles are in the ball, in spacings. */
/* A ball falls on honey at the default step. */
static void drop_in_honey(double ratio)
{
    const double d = 0.005;
    const int n[3] = {14, 10, 14};
    OozeMaterialDef honey;
    OozeMaterialId id = {0};
    OozeWorld *world = make_world((Setup){.spacing = d,
                                          .time_step = ooze_world_def_default().time_step,
                                          .gravity = down(),
                                          .box = vec3(n[0] * d, 0, n[2] * d),
                                          .threads = 1});
    CHECK_OK(ooze_material_preset("honey", &honey, &error));
    CHECK_OK(ooze_world_add_material(world, &honey, &id, &error));
    add_floor(world, INFINITY);
    watch_drop(world, n, d, 1420 * ratio, ratio,
               (DropBounds){.steps = 72, .fastest = 1.2, .lowest_top = 5});
    ooze_world_destroy(world);
}

static void coupling_T03_honey(void **state)
{
    (void)state;
    drop_in_honey(0.01);
    if (!ooze_dynamics_find()) {
        SKIP_TEST("without ODE a heavy ball falls through the floor");
    }
    drop_in_honey(100);
}

/* ---- T04: drag ------------------------------------------------------------------------------- */

/* A heavy ball moves through thick fluid, with its images in a cubic array: the drag is Stokes's
   times Hasimoto's factor (1959), and slows the ball and hastens the fluid. A ball of radius 3
   spacings is a coarse one, with too little drag. */
static void coupling_T04_drag(void **state)
{
    (void)state;
    const double d = 0.01, mu = 50, rho = 1e5;
    const int n[3] = {16, 16, 16};
    OozeVec3 box = vec3(16 * d, 16 * d, 16 * d);
    OozeWorld *world =
        make_world((Setup){.spacing = d, .time_step = 1.0 / 240, .box = box, .threads = 1});
    add_matter(world, newtonian_matter(mu));
    Body ball = {.centre = vec3_scale(box, 0.5),
                 .radius = 3 * d,
                 .density = rho,
                 .velocity = vec3(0.02, 0, 0)};
    add_body(world, &ball);
    double fluid = 1000 * d * d * d * (double)add_around(world, n, d, vec3(0, 0, 0), &ball, 1);
    double part = volume_of(&ball) / (box.x * box.y * box.z), c = cbrt(part);
    double factor = 1 / (1 - 1.7601 * c + part - 1.5593 * part * part);
    double drag = 6 * M_PI * mu * ball.radius * factor;
    double rate = drag * (1 / (rho * volume_of(&ball)) + 1 / fluid), before = 0;
    for (int k = 0; k < 2; k++) {
        advance(world, k ? 0.1 : 0.05);
        Census all = take_census(world);
        double now = pose_of(world, 0).velocity.x - all.momentum.x / all.mass;
        if (k == 1) {
            KNOWN_GAP("drag over Hasimoto's", log(before / now) / 0.1 / rate, 0.9, 1.1, 0.753);
        }
        before = now;
    }
    ooze_world_destroy(world);
}

/* ---- T14: a falling ball --------------------------------------------------------------------- */

/* Eight times as heavy as the fluid, its weight is far above the yield stress that particles under
   pressure have. */
static void check_fall(double rate)
{
    const double d = 0.01, mu = 60;
    const int n[3] = {12, 20, 12};
    OozeWorld *world = make_pool(n[0], d, 1 / rate, newtonian_matter(mu));
    Body ball = {.centre = vec3(6 * d, 15 * d, 6 * d), .radius = 3 * d, .density = 8000};
    add_body(world, &ball);
    add_around(world, n, d, vec3(0, 0, 0), &ball, 1);
    double part = volume_of(&ball) / pow(n[0] * d, 3), c = cbrt(part);
    double factor = 1 / (1 - 1.7601 * c + part - 1.5593 * part * part);
    double stokes = 7000 * 9.81 * volume_of(&ball) / (6 * M_PI * mu * ball.radius * factor);
    advance(world, 0.15); /* fluid at rest is put on a floor: it swings */
    double before = pose_of(world, 1).position.y;
    advance(world, 0.15);
    double travel = before - pose_of(world, 1).position.y;
    printf("  1/%g s: from %.2f by %.2f spacings\n", rate, before / d, travel / d);
    MEASURED("speed over that of Stokes and Hasimoto", travel / 0.15 / stokes, 0.85, 1.15);
    ooze_world_destroy(world);
}

static void coupling_T14_settling(void **state)
{
    (void)state;
    check_fall(480);
    check_fall(960);
}

/* ---- T05: a ball in shear -------------------------------------------------------------------- */

static const double RATE = 2.0; /* 1/s */

static OozeVec3 sheared(OozeVec3 p, double middle)
{
    return vec3(RATE * (p.y - middle), 0, 0);
}

static void add_sheared_fluid(OozeWorld *world, const int n[3], double d, const Body *ball)
{
    OozeVec3 x[16 * 16 * 16], v[16 * 16 * 16];
    uint64_t count = 0;
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        OozeVec3 p =
            vec3((i % n[0] + 0.5) * d, (i / n[0] % n[1] + 0.5) * d, (i / n[0] / n[1] + 0.5) * d);
        if (outside(ball, p) > 0.45 * d) {
            v[count] = sheared(p, ball->centre.y);
            x[count++] = p;
        }
    }
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, count, x, v, &error));
}

/* Between two walls that move, a ball that is as heavy as the fluid turns at half the rate of
   shear. */
static void coupling_T05_shear(void **state)
{
    (void)state;
    const double d = 0.01;
    const int n[3] = {16, 16, 16};
    OozeWorld *world = make_world((Setup){
        .spacing = d, .time_step = 1.0 / 240, .box = vec3(16 * d, 0, 16 * d), .threads = 1});
    add_matter(world, newtonian_matter(20));
    Body ball = {.centre = vec3(8 * d, 8 * d, 8 * d), .radius = 3 * d, .density = 1000};
    for (int k = 0; k < 2; k++) {
        OozeSolidDef plane = ooze_solid_def_default();
        OozeSolidId id = {0};
        plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        plane.shape.position = vec3(0, k ? n[1] * d : 0, 0);
        plane.shape.normal = vec3(0, k ? -1 : 1, 0);
        plane.friction = INFINITY;
        plane.motion.velocity = sheared(plane.shape.position, ball.centre.y);
        CHECK_OK(ooze_world_add_solid(world, &plane, &id, &error));
    }
    add_body(world, &ball);
    add_sheared_fluid(world, n, d, &ball);
    OozePose before = pose_of(world, 2);
    advance(world, 0.4);
    OozePose now = pose_of(world, 2);
    OozeVec3 axis = quat_rotate(now.rotation, vec3(0, 1, 0));
    double turned = atan2(axis.x, axis.y);
    MEASURED("turning over half the rate of shear", turned / (0.4 * 0.5 * RATE), 0.9, 1.1);
    MEASURED("how far it has strayed (spacings)",
             vec3_length(vec3_sub(now.position, before.position)) / d, 0, 0.1);
    ooze_world_destroy(world);
}

/* ---- T06: the same bits ---------------------------------------------------------------------- */

static OozeWorld *make_mixed(int threads)
{
    const double d = 0.01;
    const int n[3] = {10, 8, 10};
    OozeWorld *world = make_world((Setup){.spacing = d,
                                          .time_step = 1.0 / 240,
                                          .gravity = down(),
                                          .box = vec3(n[0] * d, 0, n[2] * d),
                                          .threads = threads});
    add_matter(world, newtonian_matter(1));
    add_floor(world, INFINITY);
    add_mixed(world, n, d);
    return world;
}

static void coupling_T06_threads_and_resume(void **state)
{
    (void)state;
    check_same_bits(make_mixed);
}

/* ---- T07: what is refused -------------------------------------------------------------------- */

static void coupling_T07_refusals(void **state)
{
    (void)state;
    OozeWorld *world =
        make_world((Setup){.method = "constraint", .spacing = 0.1, .time_step = 0.01});
    OozeSolidDef ball = ooze_solid_def_default();
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.density = 500;
    CHECK_FAILS(ooze_world_add_solid(world, &ball, NULL, &error), OOZE_ERROR_UNSUPPORTED,
                "'constraint' does not push solids");
    ooze_world_destroy(world);
}

/* ---- T10: memory ----------------------------------------------------------------------------- */

static OozeStatus step_with_little(const char *method, uint64_t allocations, OozeError *report)
{
    const double d = 0.01;
    const int n[3] = {6, 4, 6};
    OozeWorld *world =
        make_world((Setup){.method = method, .spacing = d, .time_step = 1.0 / 240, .threads = 1});
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "density", 1000, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    Body ball = {.centre = vec3(3 * d, 4 * d, 3 * d), .radius = 1.5 * d, .density = 500};
    add_body(world, &ball);
    add_around(world, n, d, vec3(0, 0, 0), &ball, 1);
    ooze_memory_fail_after(allocations);
    OozeStatus status = ooze_world_step(world, report);
    ooze_memory_fail_after(0);
    ooze_world_destroy(world);
    return status;
}

/* Whichever allocation of the first step fails, it is told, and nothing leaks. */
static void coupling_T10_memory(void **state)
{
    (void)state;
    const char *methods[] = {"conformation", "links"};
    for (int m = 0; m < 2; m++) {
        OozeStatus status = OOZE_ERROR_MEMORY;
        uint64_t k = 0;
        while (status) {
            OozeError error = {0};
            status = step_with_little(methods[m], ++k, &error);
            assert_true(k < 5000);
            assert_true(!status || (status == OOZE_ERROR_MEMORY && error.message[0]));
        }
        printf("  %s: %llu allocations\n", methods[m], (unsigned long long)k - 1);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(coupling_T01_archimedes), cmocka_unit_test(coupling_T02_momentum),
                cmocka_unit_test(coupling_T03_honey), cmocka_unit_test(coupling_T04_drag),
                cmocka_unit_test(coupling_T05_shear),
                cmocka_unit_test(coupling_T06_threads_and_resume),
                cmocka_unit_test(coupling_T07_refusals), cmocka_unit_test(coupling_T08_bottom),
                cmocka_unit_test(coupling_T09_put_into_water),
                cmocka_unit_test(coupling_T10_memory), cmocka_unit_test(coupling_T14_settling))
