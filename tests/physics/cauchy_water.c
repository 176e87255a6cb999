/* Acceptance tests of the method cauchy with water: columns at rest and a dam break. */
#include "physics/cauchy_fixtures.h"

static const double gravity = 9.81, water_density = 1000;

static OozeMaterialId add_water(OozeWorld *world)
{
    return add_liquid(world, (Fluid){.density = water_density, .viscosity = 1e-3});
}

/* ---- T14: dam break -------------------------------------------------------------------------- */

/* Largest deviations of the front from a series, relative to it. */
typedef struct Deviation {
    double ahead, behind;
} Deviation;

static void compare_front(Deviation *d, DamBreakSeries series, double time, double front)
{
    double expected = dam_break_front(series, time);
    if (!isnan(expected)) {
        d->ahead = fmax(d->ahead, front / expected - 1);
        d->behind = fmax(d->behind, 1 - front / expected);
    }
}

/* A column a wide and 2a high, with a = 14.6 cm as in Koshizuka and Oka 1996, periodic across,
   without friction. Their simulation runs up to 22 % ahead of their experiment from T = 2.3 on, so
   that no front can be within 8 % of both. */
static void cauchy_T14_dam_break(void **state)
{
    (void)state;
    enum { DEEP = 7, WIDTH = 12 };
    const double a = 0.146, d = a / WIDTH, scale = sqrt(2 * gravity / a), dt = 5e-4;
    OozeWorld *world = cauchy_world(
        (Setup){.spacing = d, .time_step = dt, .gravity = down(), .box = vec3(0, 0, DEEP * d)});
    OozeMaterialId water = add_water(world);
    add_floor(world, 0);
    add_side(world, vec3(0, 0, 0), vec3(1, 0, 0));
    uint64_t n = add_lattice(
        world, (Lattice){.material = water, .n = {WIDTH, 2 * WIDTH, DEEP}, .spacing = d});
    Deviation simulated = {0}, early = {0}, late = {0};
    for (int k = 0; k * dt * scale < 3; k++) {
        double time = k * dt * scale;
        if (k % 10 == 0) {
            double front = (take_census(world).high.x + 0.5 * d) / a;
            compare_front(&simulated, DAM_BREAK_KOSHIZUKA_OKA_MPS, time, front);
            compare_front(time < 1 ? &early : &late, DAM_BREAK_KOSHIZUKA_OKA, time, front);
        }
        step_world(world);
    }
    MEASURED("ahead of the MPS simulation", simulated.ahead, 0, 0.08);
    MEASURED("behind it", simulated.behind, 0, 0.08);
    MEASURED("ahead of the experiment before T = 1", early.ahead, 0, 0.08);
    MEASURED("behind it", early.behind, 0, 0.08);
    KNOWN_GAP("ahead of the experiment before T = 3", late.ahead, 0, 0.08, 0.224);
    MEASURED("behind it", late.behind, 0, 0.08);
    assert_int_equal(ooze_world_frame(world)->particle_count, n);
    ooze_world_destroy(world);
}

/* ---- T15: columns at rest -------------------------------------------------------------------- */

/* Slope of the pressure over the height, by least squares, over -rho g. */
static double pressure_slope(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *p = ooze_frame_field(frame, "pressure");
    double n = (double)frame->particle_count, sy = 0, sp = 0, syy = 0, syp = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double y = ooze_field_value(x, i, 1), value = ooze_field_value(p, i, 0);
        sy += y / n;
        sp += value / n;
        syy += y * y / n;
        syp += y * value / n;
    }
    return (syp - sy * sp) / (syy - sy * sy) / (-water_density * gravity);
}

enum { WIDE = 8, HIGH = 20 };

static OozeWorld *column_world(bool boxed, double d)
{
    OozeVec3 box = boxed ? vec3(0, 0, 0) : vec3(WIDE * d, 0, WIDE * d);
    OozeWorld *world =
        cauchy_world((Setup){.spacing = d, .time_step = 1e-3, .gravity = down(), .box = box});
    OozeMaterialId water = add_water(world);
    add_floor(world, 0);
    if (boxed) {
        add_side(world, vec3(0, 0, 0), vec3(1, 0, 0));
        add_side(world, vec3(WIDE * d, 0, 0), vec3(-1, 0, 0));
        add_side(world, vec3(0, 0, 0), vec3(0, 0, 1));
        add_side(world, vec3(0, 0, WIDE * d), vec3(0, 0, -1));
    }
    add_lattice(world, (Lattice){.material = water, .n = {WIDE, HIGH, WIDE}, .spacing = d});
    return world;
}

/* The lattice stays for a tenth of a second, then it becomes disordered. The fluid goes on
   moving then. In the box it does so from the start. Measured: slopes of 0.991 and 0.992. */
static void cauchy_T15_rest(void **state)
{
    (void)state;
    for (int boxed = 0; boxed < 2; boxed++) {
        const double d = 0.01, height = HIGH * d;
        OozeWorld *world = column_world(boxed, d);
        double slope = 0;
        for (int k = 0; k < 300; k++) {
            step_world(world);
            slope += k >= 200 ? pressure_slope(world) / 100 : 0;
            if (!boxed && k == 80) {
                MEASURED("lattice: slope of the pressure over rho g", pressure_slope(world), 0.99,
                         1.01);
            }
        }
        Census c = take_census(world);
        printf("  disordered, %s:\n", boxed ? "in a box" : "periodic");
        MEASURED("slope of the pressure over rho g", slope, 0.985, 1.015);
        MEASURED("height of the centre of mass over H/2", c.centre.y / (0.5 * height), 0.98, 1.02);
        MEASURED("99th percentile of the height over H", (height99(world) + 0.5 * d) / height, 0.97,
                 1.03);
        MEASURED("fastest particle over sqrt(g H)", c.fastest / sqrt(gravity * height), 0, 0.3);
        ooze_world_destroy(world);
    }
}

/* ---- T20: repeated projections --------------------------------------------------------------- */

/* A disordered column with random velocities takes steps so short that nothing moves: each step is
   one more projection, and gravity adds 3e-4 m/s in all. A pressure gradient that is not 0 for a
   constant pressure makes the projection amplify divergence by the square of the height. */
static void cauchy_T20_projection(void **state)
{
    (void)state;
    const double d = 0.01, dt = 1e-6, speed = 1e-3;
    static const int layers[] = {10, 20, 40};
    static const double most[] = {2, 2, 2};
    for (int k = 0; k < 3; k++) {
        OozeWorld *world = cauchy_world((Setup){
            .spacing = d, .time_step = dt, .gravity = down(), .box = vec3(WIDE * d, 0, WIDE * d)});
        OozeMaterialId water = add_water(world);
        set_param(world, "density_relaxation", 1e9); /* compressed fluid does not expand */
        add_floor(world, 0);
        add_lattice(world, (Lattice){.material = water,
                                     .n = {WIDE, layers[k], WIDE},
                                     .spacing = d,
                                     .jitter = 0.3,
                                     .velocity = noise,
                                     .user = &speed});
        double before = take_census(world).fastest, fastest = 0;
        for (int n = 0; n < 30; n++) {
            step_world(world);
            fastest = fmax(fastest, take_census(world).fastest);
        }
        printf("  %d layers:\n", layers[k]);
        MEASURED("fastest particle over that at the start", fastest / before, 0, most[k]);
        ooze_world_destroy(world);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(cauchy_T14_dam_break), cmocka_unit_test(cauchy_T15_rest),
                cmocka_unit_test(cauchy_T20_projection))
