/* Acceptance tests of dynamic solids with the pressure grid: momentum of solid and fluid, draft by
   Archimedes' law, solids of any mass. */
#include "physics/coupling_fixtures.h"

enum { GRID = 1 };

static OozeWorld *make_grid_world(Setup setup, double viscosity)
{
    OozeWorld *world = make_world(setup);
    set_param(world, "pressure", GRID);
    add_matter(world, newtonian_matter(viscosity));
    return world;
}

/* ---- momentum ---- */

/* Largest change over the sum of |m v| at the beginning. */
static double lost_momentum(OozeWorld *world, const Body *bodies, int count, int steps)
{
    Momenta first = take_momenta(world, bodies, 0, count);
    double worst = 0;
    for (int k = 0; k < steps; k++) {
        step_world(world);
        Momenta now = take_momenta(world, bodies, 0, count);
        worst = fmax(worst, vec3_length(vec3_sub(now.linear, first.linear)) / first.speed_sum);
    }
    return worst;
}

/* A heavy ball that flies and a light cube that spins, in a drop in empty space. */
static void coupling_T16_momentum_of_a_drop(void **state)
{
    (void)state;
    const double d = 0.01;
    const int n[3] = {12, 12, 12};
    Body bodies[2] = {{.centre = vec3(-3 * d, 0, 0),
                       .half = vec3(1.5 * d, 1.5 * d, 1.5 * d),
                       .density = 100,
                       .spin = vec3(2, 5, 1)},
                      {.centre = vec3(2.5 * d, 0, 0),
                       .radius = 2 * d,
                       .density = 3000,
                       .velocity = vec3(0, 0.2, 0)}};
    OozeWorld *world =
        make_grid_world((Setup){.spacing = d, .time_step = 1.0 / 240, .threads = 1}, 1);
    add_body(world, &bodies[0]);
    add_body(world, &bodies[1]);
    add_around(world, n, d, centred(n, d), bodies, 2);
    Momenta first = take_momenta(world, bodies, 0, 2);
    MEASURED("change of momentum over sum m |v|, 200 steps", lost_momentum(world, bodies, 2, 200),
             0, 1e-6);
    Momenta last = take_momenta(world, bodies, 0, 2);
    MEASURED("change of angular momentum over sum |x m v|, with what settles",
             vec3_length(vec3_sub(last.angular, first.angular)) / first.spin_sum, 0, 0.02);
    ooze_world_destroy(world);
}

/* A ball that flies through fluid that fills a periodic box. */
static void coupling_T17_momentum_in_a_box(void **state)
{
    (void)state;
    const double d = 0.01;
    const int n[3] = {14, 14, 14};
    Body ball = {.centre = vec3(7 * d, 7 * d, 7 * d),
                 .radius = 2.5 * d,
                 .density = 2000,
                 .velocity = vec3(0.1, 0.05, 0)};
    OozeWorld *world = make_grid_world((Setup){.spacing = d,
                                               .time_step = 1.0 / 240,
                                               .box = vec3(n[0] * d, n[1] * d, n[2] * d),
                                               .threads = 1},
                                       1);
    add_body(world, &ball);
    add_around(world, n, d, vec3(0, 0, 0), &ball, 1);
    MEASURED("change of momentum over sum m |v|, 100 steps", lost_momentum(world, &ball, 1, 100), 0,
             1e-6);
    ooze_world_destroy(world);
}

/* ---- floating ---- */

/* A cube of 6 spacings is let go at the surface; its draft follows from where it comes to rest and
   the volume of the fluid. */
static void check_draft(double ratio)
{
    const double d = 0.01, a = 6 * d;
    const int n[3] = {14, 10, 14};
    OozeWorld *world = make_grid_world((Setup){.spacing = d,
                                               .time_step = 1.0 / 240,
                                               .gravity = down(),
                                               .box = vec3(n[0] * d, 0, n[2] * d),
                                               .threads = 1},
                                       2);
    add_floor(world, INFINITY);
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

static void coupling_T18_archimedes(void **state)
{
    (void)state;
    check_draft(0.3);
    check_draft(0.5);
    check_draft(0.8);
}

/* A ball of a hundredth of the density of water rises in it as its added mass lets it. */
static void coupling_T19_light_ball(void **state)
{
    (void)state;
    const double d = 0.01;
    const int n[3] = {14, 16, 14};
    OozeWorld *world = make_grid_world((Setup){.spacing = d,
                                               .time_step = 1.0 / 240,
                                               .gravity = down(),
                                               .box = vec3(n[0] * d, 0, n[2] * d),
                                               .threads = 1},
                                       0.001);
    add_floor(world, INFINITY);
    Body ball = {.centre = vec3(7 * d, 6 * d, 7 * d), .radius = 2.5 * d, .density = 10};
    add_body(world, &ball);
    add_around(world, n, d, vec3(0, 0, 0), &ball, 1);
    advance(world, 2.0 / 240);
    double begin = pose_of(world, 1).velocity.y;
    advance(world, 12.0 / 240); /* by two spacings: single steps differ by as much as 0.1 m/s */
    double acceleration = (pose_of(world, 1).velocity.y - begin) * 240 / 12;
    /* in unbounded fluid (1 - r) g/(r + 1/2), r the ratio of densities */
    MEASURED("acceleration over that of theory", acceleration / (9.81 * 0.99 / 0.51), 0.7, 1.1);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(coupling_T16_momentum_of_a_drop),
                cmocka_unit_test(coupling_T17_momentum_in_a_box),
                cmocka_unit_test(coupling_T18_archimedes),
                cmocka_unit_test(coupling_T19_light_ball))
