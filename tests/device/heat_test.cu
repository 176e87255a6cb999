/* Temperatures and phases on the device agree with the processor's, and change the motion of every
   method in the same way. */
#include "cuda/engine.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02;

/* Numbers of the two materials of a case, besides those of heat. */
struct Case {
    const char *method;
    bool periodic;
    double air;    /* W/(m2 K) of the air; 0: insulated surfaces */
    bool melts;    /* the first material melts at 40 degC and freezes at 30 */
    bool tables;   /* numbers of both depend on temperature */
    double travel; /* bound of differences of positions after one step, spacings */
};

static OozeTemperatureRow row_at(double temperature, double scale)
{
    OozeTemperatureRow row = ooze_temperature_row_default();
    row.temperature = temperature;
    row.viscosity = 20 / scale;
    row.modulus = 2000 / scale;
    row.stretch_rate = 1 + 3 * scale;
    row.fluid_share = 0.1 * scale;
    return row;
}

static OozeMaterialId add_warm_material(OozeWorld *world, const Case *c, double density, bool first)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id;
    const OozeTemperatureRow rows[] = {row_at(10, 1), row_at(35, 4), row_at(90, 9)};
    CHECK_OK(ooze_material_def_set(&def, "density", density, &error));
    CHECK_OK(ooze_material_def_set(&def, "conductivity", first ? 400 : 80, &error));
    CHECK_OK(ooze_material_def_set(&def, "heat_capacity", 300, &error));
    CHECK_OK(ooze_material_def_set(&def, "viscosity", 10, &error));
    if (strcmp(c->method, "blend") == 0) {
        CHECK_OK(ooze_material_def_set(&def, "fluid_share", 0.3, &error));
    }
    if (c->melts && first) {
        CHECK_OK(ooze_material_def_set(&def, "melting_temperature", 40, &error));
        CHECK_OK(ooze_material_def_set(&def, "freezing_temperature", 30, &error));
    }
    def.temperature_table = c->tables ? rows : nullptr;
    def.temperature_row_count = c->tables ? 3 : 0;
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

static void add_warm_box(OozeWorld *world, OozeMaterialId material, OozeVec3 position,
                         double temperature)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = {0.12, 0.1, 0.12};
    def.shape.position = position;
    def.velocity = {0.1, -0.3, 0.1};
    def.temperature = temperature;
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

/* A hot floor that conducts, a cold sphere, a heater, a thermostat that stops, and a warm jet. */
static void add_sources_of_heat(OozeWorld *world, OozeMaterialId material)
{
    OozeSolidDef floor = ooze_solid_def_default(), ball = floor;
    ball.friction = 0.5;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.temperature = 90;
    floor.conductivity = 200;
    floor.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.05;
    ball.shape.position = {0.1, 0.06, 0};
    ball.motion.velocity = {-0.2, 0, 0};
    ball.temperature = 5;
    CHECK_OK(ooze_world_add_solid(world, &ball, nullptr, &error));
    OozeHeatSourceDef heater = ooze_heat_source_def_default(), thermostat = heater;
    heater.shape.size = {0.08, 0.08, 0.08};
    heater.shape.position = {0, 0.08, 0};
    heater.power = 3e7;
    CHECK_OK(ooze_world_add_heat_source(world, &heater, &error));
    thermostat.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    thermostat.shape.radius = 0.03;
    thermostat.shape.position = {0, 0.16, 0};
    thermostat.temperature = 70;
    thermostat.stop = 0.035;
    CHECK_OK(ooze_world_add_heat_source(world, &thermostat, &error));
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.material = material;
    nozzle.radius = 2 * SPACING;
    nozzle.position = {0.0, 0.35, 0};
    nozzle.speed = 1.5;
    nozzle.temperature = 60;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, nullptr, &error));
}

static OozeWorld *create_world(const Case *c, OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = c->method;
    def.spacing = SPACING;
    def.time_step = strcmp(c->method, "blend") == 0 ? 1.0 / 1000 : 1.0 / 240;
    def.max_travel = 0;
    def.device = device;
    def.air_temperature = 15;
    def.air_transfer = c->air;
    def.periodic[2] = c->periodic;
    def.periodic_min = {0, 0, -0.12};
    def.periodic_max = {0, 0, 0.12};
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialId wax = add_warm_material(world, c, 1000, true);
    OozeMaterialId oil = add_warm_material(world, c, 900, false);
    add_warm_box(world, wax, {0, 0.06, 0}, 25);
    add_warm_box(world, oil, {0, 0.16, 0}, 45);
    add_sources_of_heat(world, wax);
    return world;
}

/* Share of the particles whose phases differ, 0 where there are none. */
static double phases_apart(const OozeFrame *a, const OozeFrame *b)
{
    if (!ooze_frame_field(a, "phase")) {
        return 0.0;
    }
    double *x = by_id(a, "phase", 1), *y = by_id(b, "phase", 1), count = 0;
    for (uint64_t i = 0; i < FRAME_IDS; i++) {
        count += x[i] != y[i];
    }
    free(x);
    free(y);
    return count / (double)a->particle_count;
}

/* Particles of that phase. */
static uint64_t count_phase(const OozeFrame *frame, double phase)
{
    const OozeFieldView *field = ooze_frame_field(frame, "phase");
    uint64_t count = 0;
    for (uint64_t i = 0; field && i < frame->particle_count; i++) {
        count += ooze_field_value(field, i, 0) == phase;
    }
    return count;
}

static const Case cases[] = {
    {"conformation", false, 200, false, true, 1e-4}, {"conformation", true, 0, false, true, 1e-4},
    {"links", false, 200, true, true, 0.02},         {"links", true, 0, false, false, 0.02},
    {"blend", false, 200, true, true, 1e-4},         {"cauchy", false, 200, false, true, 1e-4},
};

/* Steps from the same state: temperatures, in a range of 85 degrees, agree to the rounding of the
   positions that conduct; a phase may differ only where a temperature equals a limit to
   rounding. */
static void steps_agree_with_the_processor(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        OozeWorld *host = create_world(&c, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(&c, OOZE_DEVICE_CUDA);
        double *start = nullptr, t = 0, x = 0, phases = 0, changed = 0;
        uint64_t liquid = count_phase(ooze_world_frame(host), 0);
        for (int k = 0; k < (strcmp(c.method, "blend") == 0 ? 50 : 12); k++) {
            const BothSteps both = step_both(host, device);
            t = fmax(t, apart(both.a, both.b, "temperature", 1));
            x = fmax(x, apart(both.a, both.b, "position", 3) / SPACING);
            phases = fmax(phases, phases_apart(both.a, both.b));
            start = start ? start : by_id(both.a, "temperature", 1);
        }
        double *end = by_id(ooze_world_frame(device), "temperature", 1);
        for (uint64_t i = 0; i < FRAME_IDS; i++) {
            changed = start[i] != 0.0 ? fmax(changed, fabs(end[i] - start[i])) : changed;
        }
        bool melted = count_phase(ooze_world_frame(device), 0) > liquid + 50;
        printf("  %s: %.1e degrees and %.1e spacings apart; temperatures change by %.0f\n",
               c.method, t, x, changed);
        assert_true(t < (c.travel > 1e-3 ? 0.2 : 2e-3) && x < c.travel && phases <= 0.001);
        assert_true(changed > 10 && melted == c.melts);
        free(start);
        free(end);
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

/* Fifty steps on each device, and fifty of which the device takes the middle thirty: the heat of
   all particles is the same, and the hottest and the coldest of them are. */
static void runs_may_change_the_device(void **state)
{
    (void)state;
    const Case *c = &cases[0];
    OozeWorld *host = create_world(c, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(c, OOZE_DEVICE_CUDA),
              *other = create_world(c, OOZE_DEVICE_CPU);
    OozeWorld *middle = create_world(c, OOZE_DEVICE_CUDA);
    double mean[3] = {0, 0, 0};
    for (int k = 0; k < 50; k++) {
        if (k == 10) {
            CHECK_OK(ooze_world_restore(middle, ooze_world_frame(other), &error));
        } else if (k == 40) {
            CHECK_OK(ooze_world_restore(other, ooze_world_frame(middle), &error));
        }
        CHECK_OK(ooze_world_step(host, &error));
        CHECK_OK(ooze_world_step(device, &error));
        CHECK_OK(ooze_world_step(k >= 10 && k < 40 ? middle : other, &error));
    }
    const OozeWorld *const worlds[] = {host, device, other};
    for (int k = 0; k < 3; k++) {
        const OozeFrame *frame = ooze_world_frame((OozeWorld *)worlds[k]);
        const OozeFieldView *t = ooze_frame_field(frame, "temperature");
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            mean[k] += ooze_field_value(t, i, 0) / (double)frame->particle_count;
        }
    }
    printf("  mean temperatures after 50 steps: %.5f, %.5f, %.5f degrees\n", mean[0], mean[1],
           mean[2]);
    assert_true(fabs(mean[1] - mean[0]) < 0.02 && fabs(mean[2] - mean[0]) < 0.02);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    ooze_world_destroy(other);
    ooze_world_destroy(middle);
}

static void runs_are_equal(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        check_runs_are_equal([&] { return create_world(&c, OOZE_DEVICE_CUDA); }, 12, 5);
    }
}

/* A step that conduction would need too many stages for is refused, as on the processor. */
static void too_stiff_heat_is_refused(void **state)
{
    (void)state;
    OozeWorld *world = create_world(&cases[1], OOZE_DEVICE_CUDA);
    OozeError error;
    CHECK_OK(ooze_world_step(world, &error));
    CHECK_OK(ooze_world_set_material(world, {0}, "diffusivity", 1e6, &error));
    assert_int_equal(ooze_world_step(world, &error), OOZE_ERROR_NUMERIC);
    assert_non_null(strstr(error.message, "explicit limit of heat conduction"));
    ooze_world_destroy(world);
}

static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    int refused =
        count_refused_steps([&] { return create_world(&cases[2], OOZE_DEVICE_CUDA); }, 10);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_processor),
        cmocka_unit_test(runs_may_change_the_device),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(too_stiff_heat_is_refused),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
