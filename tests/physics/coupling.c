/* Acceptance tests of solids with a density in the fluids of `conformation`: they float as Archimedes says, keep momentum together
   with the fluid, and stay calm whatever they weigh. */
#include "physics/coupling_fixtures.h"

/* ---- T01: Archimedes ------------------------------------------------------------------------------- */

typedef struct Afloat {
    double draft, tilt, level, bottom, speed;
} Afloat;

/* A cube of 6 spacings in a pool, wide and periodic, which ends at a level that the tops of columns tell. */
static Afloat let_float(double ratio)
{
    const double d = 0.01;
    const int n[3] = {14, 14, 14};
    OozeWorld *world = make_world((Setup){.spacing = d,
                                          .time_step = 1.0 / 240,
                                          .gravity = down(),
                                          .box = vec3(n[0] * d, 0, n[2] * d),
                                          .threads = 1});
    add_matter(world, newtonian_matter(1));
    add_floor(world, INFINITY);
    double a = 6 * d, start = n[1] * d - ratio * a;
    Body body = {.centre = vec3(n[0] * d / 2, start + a / 2 + 0.5 * d, n[2] * d / 2),
                 .half = vec3(a / 2, a / 2, a / 2),
                 .density = 1000 * ratio};
    if (ratio > 1) {
        body.centre.y = a / 2 + 3 * d;
    }
    add_body(world, &body);
    add_around(world, n, d, vec3(0, 0, 0), &body, 1);
    advance(world, ratio > 1 ? 2 : 2);
    OozePose pose = pose_of(world, 1);
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double top[14 * 14] = {0}, level = 0;
    int columns = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = read_vector(x, i);
        int at = (int)(p.x / d) % 14 + 14 * ((int)(p.z / d) % 14);
        top[at] = fmax(top[at], p.y);
    }
    for (int k = 0; k < 14 * 14; k++) {
        double dx = (k % 14 + 0.5) * d - pose.position.x, dz = (k / 14 + 0.5) * d - pose.position.z;
        dx -= rint(dx / (14 * d)) * 14 * d;
        dz -= rint(dz / (14 * d)) * 14 * d;
        if (fmax(fabs(dx), fabs(dz)) > 5 * d && top[k] > 0) {
            level += top[k];
            columns++;
        }
    }
    level = level / columns + 0.5 * d;
    Afloat f = {.level = level,
                .bottom = pose.position.y - a / 2,
                .tilt = tilt_of(pose),
                .speed = vec3_length(pose.velocity)};
    f.draft = (level - f.bottom) / a;
    printf("  ratio %g: bottom %.4f, level %.4f, draft %.3f, tilt %.2f, speed %.4f m/s, fastest %.3f\n",
           ratio, f.bottom / d, level / d, f.draft, f.tilt, f.speed, take_census(world).fastest);
    ooze_world_destroy(world);
    return f;
}

static void coupling_T01_archimedes(void **state)
{
    (void)state;
    const double ratios[] = {0.3, 0.5, 0.8};
    for (int k = 0; k < 3; k++) {
        Afloat f = let_float(ratios[k]);
        MEASURED("draft less density ratio", f.draft - ratios[k], -0.1, 0.1);
        MEASURED("tilt (degrees)", f.tilt, 0, 10);
    }
}

/* ---- T03: momentum ---------------------------------------------------------------------------------- */

/* A drop with a light and a heavy body in it and a ball that meets it, in empty space. */
static void coupling_T03_momentum(void **state)
{
    (void)state;
    const double d = 0.01;
    const int n[3] = {12, 12, 12};
    Body bodies[3] = {{.centre = vec3(-3 * d, 0, 0),
                       .half = vec3(2 * d, 2 * d, 2 * d),
                       .density = 100,
                       .spin = vec3(2, 5, 1)},
                      {.centre = vec3(3 * d, 0, 0),
                       .radius = 2 * d,
                       .density = 3000,
                       .velocity = vec3(0, 0.2, 0)},
                      {.centre = vec3(0, 9 * d, d),
                       .radius = 2 * d,
                       .density = 500,
                       .velocity = vec3(0, -0.5, 0)}};
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 240, .threads = 2});
    add_matter(world, newtonian_matter(1));
    for (int k = 0; k < 3; k++) {
        add_body(world, &bodies[k]);
    }
    add_around(world, n, d, centred(n, d), bodies, 2);
    Momenta before = take_momenta(world, bodies, 0, 3), after = before;
    if (getenv("APART")) set_param(world, "keep_apart", 0);
    for (int k = 0; k < (getenv("STEPS") ? atoi(getenv("STEPS")) : 1000); k++) {
        step_world(world);
    if (k < 20 || k % 100 == 99) { Momenta m = take_momenta(world, bodies, 0, 3); printf("%d: %.3g %.3g  %.3g\n", k, vec3_length(vec3_sub(m.linear, before.linear))/before.speed_sum, vec3_length(vec3_sub(m.angular, before.angular))/before.spin_sum, take_census(world).fastest); }
    }
    after = take_momenta(world, bodies, 0, 3);
    MEASURED("change of momentum over sum m |v|",
             vec3_length(vec3_sub(after.linear, before.linear)) / before.speed_sum, 0, 1e-6);
    MEASURED("change of angular momentum over sum |x m v|",
             vec3_length(vec3_sub(after.angular, before.angular)) / before.spin_sum, 0, 1e-5);
    ooze_world_destroy(world);
}

/* ---- T04: light and heavy in honey ------------------------------------------------------------------- */

static void drop_in_honey(double ratio)
{
    const double d = 0.005;
    const int n[3] = {14, 12, 14};
    OozeWorldDef def = ooze_world_def_default();
    printf("default step %g\n", def.time_step);
    OozeWorld *world = make_world((Setup){.spacing = d,
                                          .time_step = def.time_step,
                                          .gravity = down(),
                                          .box = vec3(n[0] * d, 0, n[2] * d),
                                          .threads = 1});
    OozeMaterialDef honey = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_preset("honey", &honey, &error));
    CHECK_OK(ooze_world_add_material(world, &honey, &id, &error));
    add_floor(world, INFINITY);
    Body ball = {.centre = vec3(n[0] * d / 2, (n[1] + 6) * d, n[2] * d / 2),
                 .radius = 3 * d,
                 .density = 1420 * ratio,
                 .velocity = vec3(0, -0.5, 0)};
    add_body(world, &ball);
    add_around(world, n, d, vec3(0, 0, 0), NULL, 0);
    for (int k = 0; k < 12; k++) {
        advance(world, 0.05);
        Census c = take_census(world);
        OozePose pose = pose_of(world, 1);
        printf("  %.2f s: height %.3f spacings, speed %.4f, fastest particle %.3f top %.2f\n", 0.05 * (k + 1),
               pose.position.y / d, pose.velocity.y, c.fastest, c.high.y / d);
    }
    ooze_world_destroy(world);
}

static void coupling_T04_honey(void **state)
{
    (void)state;
    drop_in_honey(0.01);
    drop_in_honey(1);
    drop_in_honey(100);
}

/* ---- T05: a ball that sinks ------------------------------------------------------------------------------ */

/* Haberman and Sayre 1958: drag of a ball on the axis of a tube over Stokes's, by the ratio of radii; to 2% up to 0.6. */
static double tube_factor(double l)
{
    double l5 = pow(l, 5);
    return (1 - 0.75857 * l5) / (1 - 2.1050 * l + 2.0865 * pow(l, 3) - 1.7068 * l5 + 0.72603 * l * l5);
}

static void coupling_T05_stokes(void **state)
{
    (void)state;
    const double d = 0.005, tube = 10 * d, height = 24 * d, mu = 50;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 240, .gravity = down(), .threads = 1});
    add_matter(world, newtonian_matter(mu));
    OozeSolidDef wall = ooze_solid_def_default();
    OozeSolidId id = {0};
    wall.shape = ooze_shape_def_default(OOZE_SHAPE_CYLINDER);
    wall.shape.radius = tube;
    wall.shape.height = 2 * height;
    wall.shape.inverted = true;
    wall.shape.position = vec3(0, height, 0);
    wall.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &wall, &id, &error));
    Body ball = {.centre = vec3(0, 13 * d, 0), .radius = 3 * d, .density = 8000};
    add_body(world, &ball);
    const int n[3] = {20, 24, 20};
    Body keep[1] = {ball};
    uint64_t count = 0;
    OozeVec3 *x = calloc(20 * 24 * 20, sizeof *x);
    for (int j = 0; j < n[1]; j++) {
        for (int ring = 0; ring < 10; ring++) {
            int many = (int)rint(2 * M_PI * (ring + 0.5));
            for (int k = 0; k < many; k++) {
                double r = (ring + 0.5) * d, angle = 2 * M_PI * (k + 0.5 * (j % 2)) / many;
                OozeVec3 p = vec3(r * cos(angle), (j + 0.5) * d, r * sin(angle));
                if (outside(&keep[0], p) > 0.45 * d) {
                    x[count++] = p;
                }
            }
        }
    }
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, count, x, NULL, &error));
    free(x);
    if (getenv("ITER")) set_param(world, "velocity_iterations", atoi(getenv("ITER")));
    if (getenv("DI")) set_param(world, "density_iterations", atoi(getenv("DI")));
    double stokes = 2.0 / 9 * 7000 * 9.81 * ball.radius * ball.radius / mu;
    double expected = stokes / tube_factor(ball.radius / tube), before = ball.centre.y;
    for (int k = 0; k < 12; k++) {
        advance(world, 0.05);
        OozePose pose = pose_of(world, 1);
        OozeWorldStats st; ooze_world_stats(world, &st);
        printf("  %.2f s: height %.3f d, speed %.5f, mean over expected %.3f; fastest %.3f x %.3g\n", 0.05 * (k + 1), pose.position.y / d,
               pose.velocity.y, (before - pose.position.y) / 0.05 / expected, take_census(world).fastest, pose.position.x / d);
        before = pose.position.y;
    }
    printf("expected %g (stokes %g) n %d\n", expected, stokes, (int)count);
    ooze_world_destroy(world);
}

/* ---- T06: a ball in shear --------------------------------------------------------------------------------- */

static OozeVec3 shear(OozeVec3 p, double rate, double mid)
{
    return vec3(rate * (p.y - mid), 0, 0);
}

static void coupling_T06_shear(void **state)
{
    (void)state;
    const double d = 0.01, rate = 2;
    const int n[3] = {16, 16, 16};
    double mid = 8 * d;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 240, .box = vec3(16 * d, 0, 16 * d), .threads = 1});
    add_matter(world, newtonian_matter(20));
    for (int k = 0; k < 2; k++) {
        OozeSolidDef plane = ooze_solid_def_default();
        OozeSolidId id = {0};
        plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        plane.shape.position = vec3(0, k ? 16 * d : 0, 0);
        plane.shape.normal = vec3(0, k ? -1 : 1, 0);
        plane.friction = INFINITY;
        plane.motion.velocity = shear(plane.shape.position, rate, mid);
        CHECK_OK(ooze_world_add_solid(world, &plane, &id, &error));
    }
    Body ball = {.centre = vec3(8 * d, mid, 8 * d), .radius = 3 * d, .density = 1000};
    add_body(world, &ball);
    uint64_t count = 0;
    OozeVec3 *x = calloc(16 * 16 * 16, sizeof *x), *v = calloc(16 * 16 * 16, sizeof *v);
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        OozeVec3 p = vec3((i % 16 + 0.5) * d, (i / 16 % 16 + 0.5) * d, (i / 256 + 0.5) * d);
        if (outside(&ball, p) > 0.45 * d) {
            v[count] = shear(p, rate, mid);
            x[count++] = p;
        }
    }
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, count, x, v, &error));
    free(x);
    free(v);
    for (int k = 0; k < 6; k++) {
        advance(world, 0.1);
        OozePose pose = pose_of(world, 2);
        printf("  %.2f s: spin over half the rate %.4f %.4f %.4f; at %.3f %.3f %.3f\n", 0.1 * (k + 1), pose.spin.x / rate * 2, pose.spin.y / rate * 2,
               -pose.spin.z / rate * 2, pose.position.x / d, pose.position.y / d, pose.position.z / d);
    }
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(coupling_T01_archimedes), cmocka_unit_test(coupling_T03_momentum),
                cmocka_unit_test(coupling_T04_honey), cmocka_unit_test(coupling_T05_stokes), cmocka_unit_test(coupling_T06_shear))
