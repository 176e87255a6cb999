/* Acceptance tests of the links method with heat: extension by temperature, freezing and melting.
   */
#include "physics/links_fixtures.h"

#include "world/world.h"

/* ---- beta(T) ---------------------------------------------------------------------------- */

/* What the rest length of the link of two particles that are pulled apart grows by in a step, at a
   temperature. */
static double growth_at(double temperature)
{
    const double dx = 0.02;
    OozeTemperatureRow rows[2] = {ooze_temperature_row_default(), ooze_temperature_row_default()};
    rows[0].temperature = 30; /* T_a */
    rows[0].extension = 1.001;
    rows[1].temperature = 70; /* T_b */
    rows[1].extension = 1.005;
    OozeWorld *world = make_world((Setup){.method = "links", .spacing = dx, .time_step = 1e-3});
    set_param(world, "cohesion", 0);
    set_param(world, "artificial_pressure", 0);
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    def.temperature_table = rows;
    def.temperature_row_count = 2;
    CHECK_OK(ooze_material_def_set(&def, "diffusivity", 0, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    OozeFluidDef pair = ooze_fluid_def_default();
    pair.material = id;
    pair.shape.size = vec3(2 * dx, dx, dx);
    pair.temperature = temperature;
    uint64_t n = 0;
    CHECK_OK(ooze_world_add_fluid(world, &pair, &n, &error));
    assert_int_equal(n, 2);
    double rest[2] = {0, 0};
    for (int step = 0; step < 53; step++) {
        CHECK_OK(ooze_world_own_on_host(world, &error));
        const OozeFloat4 *x = ooze_particles_positions(world->particles);
        OozeFloat4 *v = ooze_particles_velocities(world->particles);
        for (int i = 0; i < 2; i++) {
            v[i].x += x[i].x > x[1 - i].x ? 0.1f : -0.1f;
        }
        step_world(world);
        if (step == 2 || step == 52) {
            rest[step == 52] =
                ooze_field_value(ooze_frame_state(ooze_world_frame(world), "link_rest"), 0, 0);
        }
    }
    ooze_world_destroy(world);
    return pow(rest[1] / rest[0], 1.0 / 50);
}

static void links_T09_extension_by_temperature(void **state)
{
    (void)state;
    const double temperature[7] = {-10, 30, 40, 50, 60, 70, 200};
    const double extension[7] = {1.001, 1.001, 1.002, 1.003, 1.004, 1.005, 1.005};
    for (int k = 0; k < 7; k++) { /* floats a step: 6e-8 */
        double milli = 1000 * (extension[k] - 1);
        MEASURED("1000 (extension - 1)", 1000 * (growth_at(temperature[k]) - 1), milli - 0.002,
                 milli + 0.002);
    }
}

/* ---- freezing and melting --------------------------------------------------------------- */

/* A block that slumps on a floor; the floor cools it below its freezing point, where it stands, and
   heats it again. */
static void links_T10_phase(void **state)
{
    (void)state;
    const double dx = 0.02;
    OozeWorld *world =
        make_world((Setup){.method = "links", .spacing = dx, .time_step = 2e-3, .gravity = down()});
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId wax = {0};
    CHECK_OK(ooze_material_def_set(&def, "stretch_rate", 3, &error));
    CHECK_OK(ooze_material_def_set(&def, "diffusivity", 0.05, &error));
    CHECK_OK(ooze_material_def_set(&def, "melting_temperature", 42, &error));
    CHECK_OK(ooze_material_def_set(&def, "freezing_temperature", 38, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &wax, &error));
    OozeSolidId floor = add_floor(world, INFINITY);
    CHECK_OK(ooze_world_set_solid(world, floor, OOZE_SOLID_TEMPERATURE, 60, &error));
    OozeFluidDef block = ooze_fluid_def_default();
    block.material = wax;
    block.shape.size = vec3(8 * dx, 8 * dx, 8 * dx);
    block.shape.position = vec3(0, 4 * dx, 0);
    block.temperature = 60;
    uint64_t n = 0;
    CHECK_OK(ooze_world_add_fluid(world, &block, &n, &error));
    advance(world, 0.1);
    assert_true(elastic_share(world) == 0);
    CHECK_OK(ooze_world_set_solid(world, floor, OOZE_SOLID_TEMPERATURE, 20, &error));
    while (elastic_share(world) < 1 && world->time < 3) {
        step_world(world);
    }
    advance(world, 0.1); /* it comes to rest */
    printf("  solid after %.3g s\n", world->time);
    double frozen = height99(world);
    uint64_t links = count_links(world, 1);
    advance(world, 2.0);
    MEASURED("change of height in 2 s, frozen", fabs(height99(world) / frozen - 1), 0, 0.01);
    assert_int_equal(count_links(world, 1), links);
    CHECK_OK(ooze_world_set_solid(world, floor, OOZE_SOLID_TEMPERATURE, 60, &error));
    advance(world, 2.0);
    MEASURED("share that is solid after heating", elastic_share(world), 0, 0);
    MEASURED("height over that of the frozen block", height99(world) / frozen, 0, 0.7);
    assert_int_equal(take_census(world).count, n);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(links_T09_extension_by_temperature),
                cmocka_unit_test(links_T10_phase))
