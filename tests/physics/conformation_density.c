/* Acceptance tests of what keeps the conformation method's fluid incompressible: the density stage and the
   optional one on velocities. */
#include "physics/fixtures.h"

/* ---- T32: impact ----------------------------------------------------------------------------- */

typedef struct Column {
    int layers;
    double spacing, time_step, lift; /* m above the floor */
    double viscosity;
    int density_iterations, divergence_iterations;
} Column;

/* Water in a periodic shaft of 8 by 8 spacings, lifted off its floor. */
static OozeWorld *make_column(const Column *c)
{
    double d = c->spacing;
    OozeWorld *world = make_world((Setup){
        .spacing = d, .time_step = c->time_step, .gravity = down(), .box = vec3(8 * d, 0, 8 * d)});
    add_matter(world, newtonian_matter(c->viscosity));
    add_floor(world, 0);
    set_param(world, "density_iterations", c->density_iterations);
    add_lattice(world,
                (Lattice){.n = {8, c->layers, 8}, .spacing = d, .corner = vec3(0, c->lift, 0)});
    return world;
}

/* A column that drops on a floor stays a column: its energy does not rise above what it fell with, nothing is
   thrown above where it was, and it comes to rest. Density sweeps that overshoot make it burst: with whole
   Jacobi steps the last of these drops ends with four times the energy and particles 18 m up. */
static void conformation_T32_impact(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        Column column = {.layers = k == 2 ? 40 : 24,
                         .spacing = 0.02,
                         .time_step = k == 1 ? 1.0 / 120 : 1.0 / 240,
                         .lift = 0.1,
                         .viscosity = 0.001,
                         .density_iterations = 5};
        OozeWorld *world = make_column(&column);
        OozeProbeId energy = add_probe(world, OOZE_PROBE_ENERGY);
        double first = read_probe(world, energy, 1), most = 0, highest = 0;
        double top = take_census(world).high.y;
        for (int i = 0; i < 10; i++) {
            advance(world, 0.075);
            most = fmax(most, read_probe(world, energy, 0) + read_probe(world, energy, 1));
            highest = fmax(highest, take_census(world).high.y);
        }
        Census end = take_census(world);
        printf("  %d layers, step %g s\n", column.layers, column.time_step);
        MEASURED("largest energy over the first", most / first, 0, 1.01);
        MEASURED("highest particle over the first", highest / top, 0, 1);
        MEASURED("energy of motion at the end over that of the fall",
                 end.energy / (end.mass * 9.81 * column.lift), 0, 0.1);
        MEASURED("height of the centre at the end over half the column's",
                 end.centre.y / (0.5 * column.layers * column.spacing), 0.9, 1.02);
        ooze_world_destroy(world);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T32_impact))
