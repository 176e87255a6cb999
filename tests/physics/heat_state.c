/* Acceptance tests of heat as part of a world: threads, resuming, phases, and worlds without
   any. */
#include "check.h"

#include "base/vec3.h"
#include "ooze/ooze.h"
#include "physics/heat.h"

static OozeWorld *make_world(const char *method, int threads)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = method;
    def.spacing = 0.02;
    def.time_step = 1.0 / 240;
    def.air_transfer = 50;
    def.threads = threads;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
}

static OozeMaterialId add_material(OozeWorld *world, double viscosity, double melting)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "viscosity", viscosity, &error));
    CHECK_OK(ooze_material_def_set(&def, "diffusivity", 2e-3, &error));
    CHECK_OK(ooze_material_def_set(&def, "melting_temperature", melting, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

static void add_box(OozeWorld *world, double height, double temperature)
{
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.shape.position = vec3(0, height, 0);
    fluid.shape.size = vec3(0.16, 0.16, 0.16);
    fluid.temperature = temperature;
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
}

static void add_floor(OozeWorld *world, double temperature)
{
    OozeSolidDef floor = ooze_solid_def_default();
    floor.friction = 0.5;
    floor.temperature = temperature;
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
}

/* Everything at once: two temperatures, a hot floor, air, a source, a nozzle. */
static OozeWorld *make_busy(const char *method, int threads)
{
    OozeWorld *world = make_world(method, threads);
    add_material(world, 5, 60);
    add_floor(world, 90);
    add_box(world, 0.09, 20);
    add_box(world, 0.26, 80);
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.position = vec3(0, 0.6, 0);
    nozzle.temperature = 99;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    OozeHeatSourceDef source = ooze_heat_source_def_default();
    source.shape.position = vec3(0.08, 0.1, 0);
    source.shape.size = vec3(0.1, 0.1, 0.1);
    source.power = 1e7;
    source.stop = 0.1;
    CHECK_OK(ooze_world_add_heat_source(world, &source, &error));
    return world;
}

static void advance(OozeWorld *world, double seconds)
{
    CHECK_OK(ooze_world_advance(world, seconds, NULL, NULL, &error));
}

static uint64_t hash(OozeWorld *world)
{
    return ooze_frame_hash(ooze_world_frame(world));
}

/* Steps do not depend on the number of threads. */
static void heat_T25_threads(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (int threads = 1; threads <= 3; threads++) {
        OozeWorld *world = make_busy("conformation", threads);
        advance(world, 0.1);
        expected = threads == 1 ? hash(world) : expected;
        assert_true(hash(world) == expected);
        ooze_world_destroy(world);
    }
}

/* A world restored from a frame goes on to the last bit: with temperatures, phases and a wall's
   temperature. */
static void heat_T26_restore(void **state)
{
    (void)state;
    OozeWorld *first = make_busy("ballistic", 2), *second = make_busy("ballistic", 1);
    advance(first, 0.08);
    CHECK_OK(ooze_world_set_solid(first, (OozeSolidId){0}, OOZE_SOLID_TEMPERATURE, 70, &error));
    advance(first, 0.02);
    CHECK_OK(ooze_world_restore(second, ooze_world_frame(first), &error));
    assert_true(hash(first) == hash(second));
    advance(first, 0.1);
    advance(second, 0.1);
    assert_true(hash(first) == hash(second));
    ooze_world_destroy(first);
    ooze_world_destroy(second);
}

static void compare_field(OozeWorld *a, OozeWorld *b, const char *name)
{
    const OozeFieldView *x = ooze_frame_field(ooze_world_frame(a), name);
    const OozeFieldView *y = ooze_frame_field(ooze_world_frame(b), name);
    assert_true(x && y && x->count == y->count && x->count > 0);
    for (uint64_t i = 0; i < x->count; i++) {
        for (int k = 0; k < x->components; k++) {
            assert_true(ooze_field_value(x, i, k) == ooze_field_value(y, i, k));
        }
    }
}

/* Without a temperature there is no field and no time spent; and heat that nothing depends on moves
   nothing. */
static void heat_T27_without(void **state)
{
    (void)state;
    OozeWorld *plain = make_world("conformation", 2), *warm = make_world("conformation", 2);
    OozeWorld *worlds[2] = {plain, warm};
    for (int k = 0; k < 2; k++) {
        add_material(worlds[k], 5, 60);
        add_floor(worlds[k], k ? 90 : NAN);
        add_box(worlds[k], 0.1, k ? 50 : NAN);
        advance(worlds[k], 0.1);
    }
    assert_null(ooze_frame_field(ooze_world_frame(plain), "temperature"));
    assert_null(ooze_frame_field(ooze_world_frame(plain), "phase"));
    assert_non_null(ooze_frame_field(ooze_world_frame(warm), "temperature"));
    compare_field(plain, warm, "position");
    compare_field(plain, warm, "velocity");
    compare_field(plain, warm, "id");
    ooze_world_destroy(plain);
    ooze_world_destroy(warm);
}

static int count_solid(OozeWorld *world)
{
    const OozeFieldView *phase = ooze_frame_field(ooze_world_frame(world), "phase");
    assert_non_null(phase);
    int n = 0;
    for (uint64_t i = 0; i < phase->count; i++) {
        n += ooze_field_value(phase, i, 0) == OOZE_PHASE_SOLID;
    }
    return n;
}

/* A block melts above one temperature and freezes below another; between the two it stays what it
   is. */
static void heat_T28_phase(void **state)
{
    (void)state;
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.02;
    def.gravity = (OozeVec3){0};
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialId m = add_material(world, 1, 60);
    CHECK_OK(ooze_world_set_material(world, m, "freezing_temperature", 40, &error));
    OozeSolidDef around = ooze_solid_def_default(); /* a bath that sets its temperature */
    around.friction = 0.5;
    around.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    around.shape.radius = 1;
    around.collides = false;
    CHECK_OK(ooze_world_add_solid(world, &around, NULL, &error));
    add_box(world, 0, 50);
    assert_int_equal(count_solid(world), 512);
    const struct {
        double temperature;
        int solid;
    } travel[] = {{59, 512}, {61, 0}, {50, 0}, {41, 0}, {39, 512}, {50, 512}, {59, 512}, {61, 0}};
    for (size_t k = 0; k < sizeof travel / sizeof travel[0]; k++) {
        CHECK_OK(ooze_world_set_solid(world, (OozeSolidId){0}, OOZE_SOLID_TEMPERATURE,
                                      travel[k].temperature, &error));
        advance(world, 1);
        assert_int_equal(count_solid(world), travel[k].solid);
    }
    ooze_world_destroy(world);
}

/* The paper's extension coefficient: a line between two temperatures, constant beyond. */
static void heat_T09_beta(void **state)
{
    (void)state;
    const double t[7] = {-300, 20, 30, 40, 60, 80, 1e5};
    const double beta[7] = {
        1.001, 1.001, 1.0016666666666667, 1.0023333333333333, 1.0036666666666667, 1.005, 1.005};
    for (int k = 0; k < 7; k++) {
        CHECK_NEAR(ooze_heat_ramp(t[k], 20, 1.001, 80, 1.005), beta[k], 1e-15);
    }
    assert_true(ooze_heat_ramp(20, 20, 1.001, 80, 1.005) == 1.001);
    assert_true(ooze_heat_ramp(80, 20, 1.001, 80, 1.005) == 1.005);
}

ACCEPTANCE_MAIN(cmocka_unit_test(heat_T25_threads), cmocka_unit_test(heat_T26_restore),
                cmocka_unit_test(heat_T27_without), cmocka_unit_test(heat_T28_phase),
                cmocka_unit_test(heat_T09_beta))
