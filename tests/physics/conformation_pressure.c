/* Acceptance test of slow flow under weight, where pushes of the density stage resist shear. */
#include "physics/fixtures.h"

enum { DENSITY_STAGE, GRID }; /* of the setting `pressure` */

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

/* Speed over theory 1.6 s after the start. */
static double film_ratio(double viscosity, double tilt, int choice)
{
    enum { WIDTH = 8, LAYERS = 16 };
    const double step = 1.0 / 240, seconds = 1.6;
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
    const double tilt = 0.01;
    MEASURED("20 Pa s, density stage: speed over theory", film_ratio(20, tilt, DENSITY_STAGE), 0.9,
             1.1);
    if (full_sweep()) {
        MEASURED("2 Pa s, density stage", film_ratio(2, tilt, DENSITY_STAGE), 0.9, 1.1);
        MEASURED("200 Pa s, density stage", film_ratio(200, tilt, DENSITY_STAGE), 0.9, 1.1);
    }
}

/* The force of a linear pressure is the same on all particles and has no shear stress, so that the
   slope does not matter: down to 1 in 2,000, where pressure is 2,000 times the shear stress. */
static void conformation_T80_film_grid(void **state)
{
    (void)state;
    MEASURED("20 Pa s, slope 0.01, grid: speed over theory", film_ratio(20, 0.01, GRID), 0.95,
             1.05);
    if (full_sweep()) {
        MEASURED("2 Pa s, slope 0.0005", film_ratio(2, 0.0005, GRID), 0.95, 1.05);
        MEASURED("20 Pa s, slope 0.0005", film_ratio(20, 0.0005, GRID), 0.95, 1.05);
        MEASURED("200 Pa s, slope 0.0005", film_ratio(200, 0.0005, GRID), 0.95, 1.05);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T80_film),
                cmocka_unit_test(conformation_T80_film_grid))
