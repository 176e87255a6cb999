/* Acceptance tests of heat: rods whose particles stay where they are, against closed forms. */
#include "check.h"

#include "base/vec3.h"
#include "ooze/ooze.h"
#include "physics/heat.h"

/* ---- rods: along x from 0, periodic across --------------------------------------------------- */

enum { ACROSS = 8 };
static const double dx = 0.01, h = 0.025, dt = 0.01;

static OozeWorld *make_rod(int threads)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "ballistic"; /* without forces particles stay where they are */
    def.spacing = dx;
    def.support_ratio = h / dx;
    def.time_step = dt;
    def.gravity = (OozeVec3){0};
    def.periodic[1] = def.periodic[2] = true;
    def.periodic_max = vec3(0, ACROSS * dx, ACROSS * dx);
    def.threads = threads;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
}

static OozeMaterialId add_material(OozeWorld *world, const char *key, double value)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "heat_capacity", 1000, &error));
    CHECK_OK(ooze_material_def_set(&def, key, value, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

static void add_part(OozeWorld *world, OozeMaterialId material, int from, int to, double jitter,
                     double temperature)
{
    OozeFluidDef fluid = ooze_fluid_def_default();
    double side = ACROSS * dx, length = (to - from) * dx;
    fluid.material = material;
    fluid.shape.position = vec3(from * dx + 0.5 * length, 0.5 * side, 0.5 * side);
    fluid.shape.size = vec3(length, side, side);
    fluid.fill = jitter > 0 ? OOZE_FILL_JITTERED : OOZE_FILL_LATTICE;
    fluid.jitter = jitter;
    fluid.temperature = temperature;
    uint64_t added = 0;
    CHECK_OK(ooze_world_add_fluid(world, &fluid, &added, &error));
    assert_int_equal(added, (to - from) * ACROSS * ACROSS);
}

/* A wall across the rod; temperature NAN: insulated. */
static OozeSolidId add_wall(OozeWorld *world, double x, double normal, double temperature)
{
    OozeSolidDef wall = ooze_solid_def_default();
    wall.friction = 0.5;
    OozeSolidId id = {0};
    wall.shape.position = vec3(x, 0, 0);
    wall.shape.normal = vec3(normal, 0, 0);
    wall.temperature = temperature;
    CHECK_OK(ooze_world_add_solid(world, &wall, &id, &error));
    return id;
}

static OozeProbeId add_heat_probe(OozeWorld *world, int material)
{
    OozeProbeDef def = ooze_probe_def_default();
    OozeProbeId id = {0};
    def.kind = OOZE_PROBE_HEAT;
    def.name = "heat";
    def.material.index = material;
    CHECK_OK(ooze_world_add_probe(world, &def, &id, &error));
    return id;
}

enum { MEAN, MIN, MAX, TOTAL };
static double read_probe(OozeWorld *world, OozeProbeId id, int column)
{
    OozeProbeReading reading;
    CHECK_OK(ooze_world_measure(world, false, &error));
    CHECK_OK(ooze_world_probe(world, id, &reading, &error));
    return reading.values[column];
}

static void take_steps(OozeWorld *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

/* Diffusivity of a Fourier number s_c = D dt / h^2 a step. */
static double diffusivity(double number)
{
    return number * h * h / dt;
}

/* Largest difference to a step that has spread for so many steps, about x0. */
static double erfc_error(OozeWorld *world, double x0, double number, int steps)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *t = ooze_frame_field(frame, "temperature");
    double width = 2.0 * sqrt(diffusivity(number) * dt * steps), worst = 0.0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double expected = 0.5 * erfc((ooze_field_value(x, i, 0) - x0) / width);
        worst = fmax(worst, fabs(ooze_field_value(t, i, 0) - expected));
    }
    return worst;
}

static double spread_step(double number, int steps, double jitter)
{
    OozeWorld *world = make_rod(2);
    OozeMaterialId m = add_material(world, "diffusivity", diffusivity(number));
    add_part(world, m, -48, 0, jitter, 1); /* three widths of what spreads */
    add_part(world, m, 0, 48, jitter, 0);
    take_steps(world, steps);
    double worst = erfc_error(world, 0, number, steps);
    ooze_world_destroy(world);
    return worst;
}

/* ---- conduction ------------------------------------------------------------------------------ */

/* 200 steps at s_c = 0.05 spread a step of 1 as the error function says, D being exactly what was
   asked for. */
static void heat_T06_lattice(void **state)
{
    (void)state;
    MEASURED("largest error of a unit step", spread_step(0.05, 200, 0), 0, 0.005);
}

static void heat_T06_jittered(void **state)
{
    (void)state;
    MEASURED("largest error of a unit step, jittered", spread_step(0.05, 200, 0.1), 0, 0.05);
}

/* Disorder, three materials of unlike capacity and conductivity: no heat is lost or made. */
static void heat_T07_conserved(void **state)
{
    (void)state;
    OozeWorld *world = make_rod(2);
    OozeProbeId probe = add_heat_probe(world, -1);
    double k[3] = {20, 500, 6000};
    for (int m = 0; m < 3; m++) {
        OozeMaterialId id = add_material(world, "conductivity", k[m]);
        CHECK_OK(ooze_world_set_material(world, id, "density", 500.0 + 400 * m, &error));
        add_part(world, id, 5 * m, 5 * m + 5, 0.4, 20 + 300 * (m % 2));
    }
    take_steps(world, 1);
    double first = read_probe(world, probe, TOTAL);
    take_steps(world, 500);
    MEASURED("heat gained, relative", read_probe(world, probe, TOTAL) / first - 1, -1e-10, 1e-10);
    MEASURED("hottest (degC)", read_probe(world, probe, MAX), 20, 300);
    ooze_world_destroy(world);
}

/* What one side of an interface loses is what the other gains, whatever they conduct. */
static void heat_T07_interface(void **state)
{
    (void)state;
    OozeWorld *world = make_rod(2);
    OozeMaterialId a = add_material(world, "conductivity", 100);
    OozeMaterialId b = add_material(world, "conductivity", 1);
    OozeProbeId hot = add_heat_probe(world, 0), cold = add_heat_probe(world, 1);
    add_part(world, a, 0, 10, 0.2, 90);
    add_part(world, b, 10, 20, 0.2, 10);
    double lost = read_probe(world, hot, TOTAL), gained = read_probe(world, cold, TOTAL);
    take_steps(world, 100);
    lost -= read_probe(world, hot, TOTAL);
    gained = read_probe(world, cold, TOTAL) - gained;
    assert_true(lost > 1);
    MEASURED("gained over lost", gained / lost, 1 - 1e-9, 1 + 1e-9);
    ooze_world_destroy(world);
}

/* Mean slope of the temperature over the layers from .. to, by least squares. */
static double slope(OozeWorld *world, int from, int to)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *t = ooze_frame_field(frame, "temperature");
    double n = 0, sx = 0, st = 0, sxx = 0, sxt = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double at = ooze_field_value(x, i, 0), value = ooze_field_value(t, i, 0);
        if (at > from * dx && at < to * dx) {
            n++, sx += at, st += value, sxx += at * at, sxt += at * value;
        }
    }
    return (n * sxt - sx * st) / (n * sxx - sx * sx);
}

/* Two layers between walls: the slopes are as the conductivities, crosswise. Steps far beyond the
   explicit bound. */
static void heat_T07_layers(void **state)
{
    (void)state;
    OozeWorld *world = make_rod(2);
    OozeMaterialId a = add_material(world, "diffusivity", diffusivity(20));
    OozeMaterialId b = add_material(world, "diffusivity", diffusivity(5));
    add_wall(world, 0, 1, 0);
    add_wall(world, 20 * dx, -1, 100);
    add_part(world, a, 0, 10, 0, 50);
    add_part(world, b, 10, 20, 0, 50);
    take_steps(world, 200);
    MEASURED("ratio of slopes, k = 4 : 1", slope(world, 13, 20) / slope(world, 0, 7), 3.99, 4.01);
    /* 100 K over two layers of 0.1 m, the second four times as steep; pairs across see a mean */
    MEASURED("slope in the better conductor (K/m)", slope(world, 0, 7), 190, 210);
    ooze_world_destroy(world);
}

/* Far beyond the bound of one sweep: temperatures stay between those there were, and the profile is
   right. */
static void heat_T20_beyond_the_bound(void **state)
{
    (void)state;
    OozeWorld *world = make_rod(2);
    OozeMaterialId m = add_material(world, "diffusivity", diffusivity(2.5));
    OozeProbeId probe = add_heat_probe(world, -1);
    add_part(world, m, -48, 0, 0, 1);
    add_part(world, m, 0, 48, 0, 0);
    double first = read_probe(world, probe, TOTAL);
    take_steps(world, 1);
    MEASURED("coldest after a step of s_c = 2.5", read_probe(world, probe, MIN), -1e-12, 1e-12);
    MEASURED("hottest", read_probe(world, probe, MAX), 1 - 1e-12, 1 + 1e-12);
    take_steps(world, 3);
    MEASURED("heat gained, relative", read_probe(world, probe, TOTAL) / first - 1, -1e-12, 1e-12);
    MEASURED("error of the step after four", erfc_error(world, 0, 2.5, 4), 0, 0.02);
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *t = ooze_frame_field(frame, "temperature");
    double at[96], rise = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        at[(int)(ooze_field_value(x, i, 0) / dx + 48)] = ooze_field_value(t, i, 0);
    }
    for (int k = 1; k < 96; k++) {
        rise = fmax(rise, at[k] - at[k - 1]);
    }
    MEASURED("largest rise along the way down", rise, 0, 1e-12);
    ooze_world_destroy(world);
}

/* ---- solids ---------------------------------------------------------------------------------- */

/* Between two walls a straight line stands, and reaches the walls' temperatures on their
   surfaces. */
static void heat_T21_walls(void **state)
{
    (void)state;
    OozeWorld *world = make_rod(2);
    OozeMaterialId m = add_material(world, "diffusivity", diffusivity(5));
    add_wall(world, 0, 1, 10);
    add_wall(world, 16 * dx, -1, 90);
    add_part(world, m, 0, 16, 0, 20);
    take_steps(world, 150);
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *t = ooze_frame_field(frame, "temperature");
    double worst = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double line = 10 + 80 * ooze_field_value(x, i, 0) / (16 * dx);
        worst = fmax(worst, fabs(ooze_field_value(t, i, 0) - line));
    }
    MEASURED("off the straight line, of 80 K", worst, 0, 0.01);
    ooze_world_destroy(world);
}

/* A wall without a temperature lets nothing through; one that conducts badly, less. Changes set a
   wall's temperature in time. */
static void heat_T22_insulation(void **state)
{
    (void)state;
    double gained[3];
    for (int k = 0; k < 3; k++) {
        OozeWorld *world = make_rod(2);
        OozeMaterialId m = add_material(world, "conductivity", 1);
        OozeProbeId probe = add_heat_probe(world, -1);
        OozeSolidId wall = add_wall(world, 0, 1, k == 0 ? NAN : 100);
        add_part(world, m, 0, 6, 0, 20);
        if (k == 2) { /* harmonic mean of 1 and 1/3: half of 1 */
            CHECK_OK(ooze_world_set_solid(world, wall, OOZE_SOLID_CONDUCTIVITY, 1.0 / 3, &error));
        }
        double first = read_probe(world, probe, TOTAL);
        take_steps(world, 10);
        gained[k] = read_probe(world, probe, TOTAL) - first;
        ooze_world_destroy(world);
    }
    MEASURED("heat through an insulated wall (J)", gained[0], -1e-9, 1e-9);
    assert_true(gained[1] > 1);
    MEASURED("share through a bad conductor", gained[2] / gained[1], 0.499, 0.501);
}

static void heat_T22_keyframes(void **state)
{
    (void)state;
    OozeWorld *world = make_rod(2);
    OozeMaterialId m = add_material(world, "diffusivity", diffusivity(50));
    OozeProbeId probe = add_heat_probe(world, -1);
    add_wall(world, 0, 1, 20);
    add_part(world, m, 0, 6, 0, NAN);
    OozeChangeDef change = ooze_change_def_default();
    change.target = OOZE_CHANGE_SOLID;
    change.key = "temperature";
    change.value = 80;
    change.time = 10 * dt;
    change.ramp = 10 * dt;
    CHECK_OK(ooze_world_add_change(world, &change, &error));
    take_steps(world, 10);
    MEASURED("before (degC)", read_probe(world, probe, MEAN), 20 - 1e-9, 20 + 1e-9);
    take_steps(world, 6);
    MEASURED("on the ramp (degC)", read_probe(world, probe, MEAN), 35, 60);
    take_steps(world, 40);
    MEASURED("after (degC)", read_probe(world, probe, MEAN), 79.9, 80 + 1e-9);
    ooze_world_destroy(world);
}

/* ---- sources and air ------------------------------------------------------------------------- */

static OozeHeatSourceDef source_box(int from, int to)
{
    OozeHeatSourceDef def = ooze_heat_source_def_default();
    def.shape.position = vec3(0.5 * (from + to) * dx, 0, 0);
    def.shape.size = vec3((to - from) * dx, 1, 1);
    return def;
}

/* Power times volume times time, also where it starts and stops within a step. */
static void heat_T23_source(void **state)
{
    (void)state;
    OozeWorld *world = make_rod(2);
    OozeMaterialId m = add_material(world, "diffusivity", diffusivity(3));
    OozeProbeId probe = add_heat_probe(world, -1);
    add_part(world, m, 0, 10, 0, 20);
    OozeHeatSourceDef source = source_box(2, 6);
    source.power = 3e6;
    source.start = 2.5 * dt;
    source.stop = 17.25 * dt;
    CHECK_OK(ooze_world_add_heat_source(world, &source, &error));
    double first = read_probe(world, probe, TOTAL);
    take_steps(world, 30);
    double expected = 3e6 * 4 * ACROSS * ACROSS * dx * dx * dx * 14.75 * dt;
    MEASURED("heat gained over heat given", (read_probe(world, probe, TOTAL) - first) / expected,
             1 - 1e-6, 1 + 1e-6);
    ooze_world_destroy(world);
}

/* A place that is held at a temperature is a wall of that temperature. */
static void heat_T23_held(void **state)
{
    (void)state;
    OozeWorld *world = make_rod(2);
    OozeMaterialId m = add_material(world, "diffusivity", diffusivity(50));
    OozeProbeId probe = add_heat_probe(world, -1);
    add_part(world, m, 0, 10, 0, 20);
    OozeHeatSourceDef source = source_box(0, 3);
    source.temperature = 70;
    CHECK_OK(ooze_world_add_heat_source(world, &source, &error));
    take_steps(world, 1);
    MEASURED("hottest (degC)", read_probe(world, probe, MAX), 70, 70);
    take_steps(world, 60);
    MEASURED("coldest in the end (degC)", read_probe(world, probe, MIN), 69.9, 70);
    ooze_world_destroy(world);
}

/* Ends of a rod in air cool by Newton's law: dT/dt = -2 a (T - T_air) / (rho c L) while it is warm
   throughout. One end stands on an insulated wall: the other alone cools. */
static void heat_T24_air(void **state)
{
    (void)state;
    for (int walls = 0; walls < 2; walls++) {
        OozeWorldDef def = ooze_world_def_default();
        def.spacing = dx;
        def.support_ratio = h / dx;
        def.time_step = dt;
        def.gravity = (OozeVec3){0};
        def.periodic[1] = def.periodic[2] = true;
        def.periodic_max = vec3(0, ACROSS * dx, ACROSS * dx);
        def.air_temperature = 20;
        def.air_transfer = 2000;
        OozeWorld *world = NULL;
        CHECK_OK(ooze_world_create(&def, &world, &error));
        OozeMaterialId m = add_material(world, "diffusivity", diffusivity(20));
        OozeProbeId probe = add_heat_probe(world, -1);
        if (walls) {
            add_wall(world, 0, 1, NAN);
        }
        add_part(world, m, 0, 10, 0, 120);
        take_steps(world, 1000);
        double rate = (walls ? 1 : 2) * def.air_transfer / (1000.0 * 1000 * 10 * dx);
        double expected = 20 + 100 * exp(-rate * 1000 * dt);
        MEASURED("mean temperature over Newton's law", read_probe(world, probe, MEAN) / expected,
                 0.998, 1.002);
        ooze_world_destroy(world);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(heat_T06_lattice), cmocka_unit_test(heat_T06_jittered),
                cmocka_unit_test(heat_T07_conserved), cmocka_unit_test(heat_T07_interface),
                cmocka_unit_test(heat_T07_layers), cmocka_unit_test(heat_T20_beyond_the_bound),
                cmocka_unit_test(heat_T21_walls), cmocka_unit_test(heat_T22_insulation),
                cmocka_unit_test(heat_T22_keyframes), cmocka_unit_test(heat_T23_source),
                cmocka_unit_test(heat_T23_held), cmocka_unit_test(heat_T24_air))
