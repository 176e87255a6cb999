/* Acceptance tests of pressure in the velocity solve (pressure: velocity_solve): slow flow under
   weight, where pushes of the density stage resist shear. */
#include "physics/fixtures.h"

static const double SPACING = 0.01;

static OozeWorld *make_heavy_world(double step, double tilt, OozeVec3 box, double viscosity,
                                   int choice)
{
    OozeWorld *world = make_world((Setup){
        .spacing = SPACING, .time_step = step, .gravity = vec3(9.81 * tilt, -9.81, 0), .box = box});
    set_param(world, "velocity_iterations", 200);
    set_param(world, "pressure", choice);
    add_matter(world, newtonian_matter(viscosity));
    add_floor(world, INFINITY);
    return world;
}

/* Mean velocity of a film that starts from rest, of height h and kinematic viscosity nu. */
static double film_speed(double g, double h, double nu, double t)
{
    const double pi = acos(-1.0);
    double sum = g * h * h / (3 * nu);
    for (int k = 0; k < 20; k++) {
        double q = (k + 0.5) * pi;
        sum -= 2 * g * h * h / nu * pow(q, -4) * exp(-q * q * nu * t / (h * h));
    }
    return sum;
}

static double film_ratio(double viscosity, double step, int choice)
{
    enum { WIDTH = 8, LAYERS = 16 };
    const double tilt = 0.01, seconds = 1.6;
    OozeWorld *world =
        make_heavy_world(step, tilt, vec3(WIDTH * SPACING, 0, WIDTH * SPACING), viscosity, choice);
    add_lattice(world, (Lattice){.n = {WIDTH, LAYERS, WIDTH}, .spacing = SPACING});
    advance(world, seconds);
    Census c = take_census(world);
    double theory = film_speed(9.81 * tilt, LAYERS * SPACING, viscosity / 1000, seconds);
    ooze_world_destroy(world);
    return c.momentum.x / c.mass / theory;
}

/* A film of 16 layers on a floor, driven by a hundredth of gravity: pressure is a hundred times
   the shear stress. The stress of pushes of the density stage must not carry a part of it. */
static void conformation_T80_film(void **state)
{
    (void)state;
    MEASURED("20 Pa s, 1/240 s: speed over theory", film_ratio(20, 1.0 / 240, 1), 0.95, 1.05);
    MEASURED("20 Pa s, 1/60 s", film_ratio(20, 1.0 / 60, 1), 0.95, 1.05);
    MEASURED("2 Pa s, 1/240 s", film_ratio(2, 1.0 / 240, 1), 0.9, 1.1);
    MEASURED("20 Pa s, 1/240 s, density stage alone", film_ratio(20, 1.0 / 240, 0), 0.9, 1.1);
    if (full_sweep()) {
        MEASURED("0.5 Pa s, 1/240 s", film_ratio(0.5, 1.0 / 240, 1), 0.9, 1.1);
        MEASURED("2 Pa s, 1/240 s, density stage alone", film_ratio(2, 1.0 / 240, 0), 0.9, 1.1);
        MEASURED("200 Pa s, 1/240 s, density stage alone", film_ratio(200, 1.0 / 240, 0), 0.9, 1.1);
    }
}

static void add_wall(OozeWorld *world, OozeVec3 position, OozeVec3 normal)
{
    OozeSolidDef wall = ooze_solid_def_default();
    wall.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    wall.shape.normal = normal;
    wall.shape.position = position;
    wall.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &wall, NULL, &error));
}

/* A pool levels: its surface becomes normal to gravity. */
static void conformation_T81_pool(void **state)
{
    (void)state;
    enum { LENGTH = 24, LAYERS = 8, WIDTH = 7 };
    const double tilt = 0.01, length = LENGTH * SPACING, height = LAYERS * SPACING;
    OozeWorld *world = make_heavy_world(1.0 / 240, tilt, vec3(0, 0, WIDTH * SPACING), 2, 1);
    for (int side = -1; side <= 1; side += 2) {
        add_wall(world, vec3(0.5 * side * length, 0, 0), vec3(-side, 0, 0));
    }
    add_lattice(world, (Lattice){.n = {LENGTH, LAYERS, WIDTH},
                                 .spacing = SPACING,
                                 .corner = vec3(-0.5 * length, 0, 0)});
    advance(world, 2.0);
    double moved = 0.0;
    const int samples = 20;
    for (int k = 0; k < samples; k++) {
        advance(world, 0.1);
        moved += take_census(world).centre.x / samples;
    }
    MEASURED("travel of the centre over theory", moved / (tilt * length * length / (12 * height)),
             0.85, 1.15);
    MEASURED("height of the centre over half the depth",
             take_census(world).centre.y / (0.5 * height), 0.98, 1.02);
    ooze_world_destroy(world);
}

/* A pool between walls rests after 2.5 s. Returns the height of its centre over half the depth. */
static double rest_of_pool(double viscosity)
{
    enum { LENGTH = 12, LAYERS = 8 };
    const double half = 0.5 * LENGTH * SPACING, step = 1.0 / 240;
    OozeWorld *world = make_heavy_world(step, 0, vec3(0, 0, 0), viscosity, 1);
    for (int side = -1; side <= 1; side += 2) {
        add_wall(world, vec3(side * half, 0, 0), vec3(-side, 0, 0));
        add_wall(world, vec3(0, 0, side * half), vec3(0, 0, -side));
    }
    add_lattice(world, (Lattice){.n = {LENGTH, LAYERS, LENGTH},
                                 .spacing = SPACING,
                                 .corner = vec3(-half, 0, -half)});
    advance(world, 2.5);
    Census c = take_census(world);
    printf("  %g Pa s: %.2f mm/s\n", viscosity, 1e3 * c.speed_sum / c.mass);
    MEASURED("mean speed over g dt", c.speed_sum / c.mass / (9.81 * step), 0, 0.1);
    ooze_world_destroy(world);
    return c.centre.y / (0.5 * LAYERS * SPACING);
}

/* Fluid does not sink through itself by motion that gradients do not see. */
static void conformation_T81_rest(void **state)
{
    (void)state;
    MEASURED("5 Pa s: height of the centre over half the depth", rest_of_pool(5), 0.99, 1.01);
    if (full_sweep()) { /* 0.987 on one processor, 0.9887 on another */
        KNOWN_GAP("0.5 Pa s: height of the centre over half the depth", rest_of_pool(0.5), 0.99,
                  1.01, 0.987);
    }
}

/* A block that melts releases the pressure that only stiff fluid withstands. */
static void conformation_T82_melting(void **state)
{
    (void)state;
    enum { WIDTH = 8 };
    OozeWorld *world = make_heavy_world(1.0 / 240, 0, vec3(0, 0, 0), 1e4, 1);
    add_lattice(world, (Lattice){.n = {WIDTH, WIDTH, WIDTH}, .spacing = SPACING});
    advance(world, 0.25);
    OozeMaterialId fluid = {0};
    CHECK_OK(ooze_world_set_material(world, fluid, "viscosity", 1, &error));
    double fastest = 0.0, highest = 0.0;
    for (int k = 0; k < 60; k++) {
        step_world(world);
        Census c = take_census(world);
        fastest = fmax(fastest, c.fastest);
        highest = fmax(highest, c.high.y);
    }
    MEASURED("fastest particle over fall from the top", fastest / sqrt(2 * 9.81 * WIDTH * SPACING),
             0.1, 1);
    MEASURED("highest particle over the height of the block", highest / (WIDTH * SPACING), 0.5, 1);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T80_film), cmocka_unit_test(conformation_T81_pool),
                cmocka_unit_test(conformation_T81_rest), cmocka_unit_test(conformation_T82_melting))
