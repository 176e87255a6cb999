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
    const double step = 1.0 / 240;
    MEASURED("20 Pa s, density stage: speed over theory", film_ratio(20, step, DENSITY_STAGE), 0.9,
             1.1);
    if (full_sweep()) {
        MEASURED("2 Pa s, density stage", film_ratio(2, step, DENSITY_STAGE), 0.9, 1.1);
        MEASURED("200 Pa s, density stage", film_ratio(200, step, DENSITY_STAGE), 0.9, 1.1);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T80_film))
