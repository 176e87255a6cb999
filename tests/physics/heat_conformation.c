/* Acceptance tests of heat in the conformation method: warm fluid has its table's viscosity. */
#include "physics/fixtures.h"

static const double dx = 0.02;

/* Thick when cold, ten times thinner when hot, in equal ratios between. */
static const OozeTemperatureRow rows[2] = {
    {20, 1000, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
    {80, 100, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
};

static OozeWorld *make_floor_world(const char *method)
{
    OozeWorld *world = make_world(
        (Setup){.method = method, .spacing = 0.02, .time_step = 1.0 / 120, .gravity = down()});
    add_floor(world, INFINITY);
    return world;
}

static OozeMaterialId add_honey(OozeWorld *world, double viscosity, bool table)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "viscosity", viscosity, &error));
    CHECK_OK(ooze_material_def_set(&def, "diffusivity", 0, &error));
    def.temperature_table = table ? rows : NULL;
    def.temperature_row_count = table ? 2 : 0;
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

static void add_box(OozeWorld *world, OozeMaterialId material, double x, OozeVec3 n,
                    double temperature)
{
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.material = material;
    fluid.shape.size = vec3_scale(n, dx);
    fluid.shape.position = vec3(x, 0.5 * n.y * dx, 0);
    fluid.temperature = temperature;
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
}

/* Mean height of what was added between two ids. */
static double mean_height(OozeWorld *world, uint64_t from, uint64_t to)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *id = ooze_frame_field(frame, "id");
    double sum = 0, n = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double k = ooze_field_value(id, i, 0);
        if (k >= (double)from && k < (double)to) {
            sum += ooze_field_value(x, i, 1);
            n++;
        }
    }
    return sum / n;
}

static const double fall_time = 0.2;

/* How far the middle of a cube of one viscosity comes down. */
static double sag_of(double viscosity, double temperature)
{
    OozeWorld *world = make_floor_world("conformation");
    bool table = !isnan(temperature);
    add_box(world, add_honey(world, viscosity, table), 0, vec3(8, 8, 8), temperature);
    double before = mean_height(world, 0, 512);
    CHECK_OK(ooze_world_advance(world, fall_time, NULL, NULL, &error));
    double sag = before - mean_height(world, 0, 512);
    ooze_world_destroy(world);
    return sag;
}

/* A cube at a temperature sags as one of the viscosity that the table has there, whatever the
   material's own. */
static void heat_T30_table(void **state)
{
    (void)state;
    const double temperature[4] = {20, 50, 80, 300};
    const double viscosity[4] = {1000, 316.2278, 100, 100};
    double last = 0;
    for (int k = 0; k < 4; k++) {
        double plain = sag_of(viscosity[k], NAN);
        MEASURED("sag over that of a plain fluid", sag_of(7, temperature[k]) / plain, 0.98, 1.02);
        assert_true(k == 3 || plain > 1.3 * last);
        last = plain;
    }
}

/* Two cubes in one world, one hot: each sags as if alone. Joined to one block, the hot half sags
   more than the cold one, and both less and more than alone. */
static void heat_T31_halves(void **state)
{
    (void)state;
    double thick = sag_of(1000, NAN), thin = sag_of(100, NAN);
    OozeWorld *apart = make_floor_world("conformation"), *joined = make_floor_world("conformation");
    add_honey(apart, 1, true);
    add_honey(joined, 1, true);
    OozeMaterialId m = {0};
    add_box(apart, m, -1, vec3(8, 8, 8), 20);
    add_box(apart, m, 1, vec3(8, 8, 8), 80);
    add_box(joined, m, -4 * dx, vec3(8, 8, 8), 20);
    add_box(joined, m, 4 * dx, vec3(8, 8, 8), 80);
    double before = mean_height(apart, 0, 512);
    CHECK_OK(ooze_world_advance(apart, fall_time, NULL, NULL, &error));
    CHECK_OK(ooze_world_advance(joined, fall_time, NULL, NULL, &error));
    double cold = before - mean_height(apart, 0, 512);
    double hot = before - mean_height(apart, 512, 1024);
    MEASURED("cold cube over thick fluid", cold / thick, 0.98, 1.02);
    MEASURED("hot cube over thin fluid", hot / thin, 0.98, 1.02);
    double cold_half = before - mean_height(joined, 0, 512);
    double hot_half = before - mean_height(joined, 512, 1024);
    MEASURED("cold half over thick fluid", cold_half / thick, 0.7, 1.6);
    MEASURED("hot half over cold half", hot_half / cold_half, 1.5, hot / cold);
    ooze_world_destroy(apart);
    ooze_world_destroy(joined);
}

/* A block that melts on a hot plate spreads; on a cold one it stays. Soft bodies and other
   formulations have rows for temperatures too. */
static void heat_T32_melts(void **state)
{
    (void)state;
    double spread[2];
    for (int hot = 0; hot < 2; hot++) {
        OozeWorld *world = make_floor_world("conformation");
        OozeMaterialId m = add_honey(world, 1, true);
        CHECK_OK(ooze_world_set_material(world, m, "diffusivity", 0.02, &error));
        CHECK_OK(ooze_world_set_solid(world, (OozeSolidId){0}, OOZE_SOLID_TEMPERATURE,
                                      hot ? 80 : 20, &error));
        add_box(world, m, 0, vec3(8, 8, 8), 20);
        OozeProbeId r = add_probe(world, OOZE_PROBE_SPREAD);
        double first = read_probe(world, r, 0);
        CHECK_OK(ooze_world_advance(world, 0.4, NULL, NULL, &error));
        spread[hot] = read_probe(world, r, 0) - first;
        ooze_world_destroy(world);
    }
    MEASURED("spread on a hot plate over a cold one", spread[1] / spread[0], 1.5, 10);
}

/* Every formulation, and soft bodies, have rows for temperatures: the hotter, the lower. */
static void heat_T33_kinds(void **state)
{
    (void)state;
    const OozeTemperatureRow stiff[2] = {
        {20, NAN, 20000, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
        {80, NAN, 2000, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
    };
    for (int kind = 0; kind < 4; kind++) { /* lodge, consistent, paper; a soft body */
        double height[2];
        for (int hot = 0; hot < 2; hot++) {
            const Formulation formulation = (Formulation)(kind % 3);
            OozeWorld *world = make_floor_world(method_of(formulation));
            OozeMaterialDef def = ooze_material_def_default();
            OozeFluidDef fluid = ooze_fluid_def_default();
            def.temperature_table = kind == 3 ? stiff : rows;
            def.temperature_row_count = 2;
            CHECK_OK(ooze_world_add_material(world, &def, &fluid.material, &error));
            set_formulation(world, formulation);
            fluid.body = kind == 3 ? OOZE_BODY_SOFT : OOZE_BODY_FLUID;
            fluid.shape.size = vec3(8 * dx, 8 * dx, 8 * dx);
            fluid.shape.position = vec3(0, 4 * dx, 0);
            fluid.temperature = hot ? 80 : 20;
            CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
            CHECK_OK(ooze_world_advance(world, 0.1, NULL, NULL, &error));
            height[hot] = mean_height(world, 0, 512);
            ooze_world_destroy(world);
        }
        printf("  kind %d: mean height %.5g m cold, %.5g m hot\n", kind, height[0], height[1]);
        assert_true(height[1] < height[0] - 0.001);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(heat_T30_table), cmocka_unit_test(heat_T31_halves),
                cmocka_unit_test(heat_T32_melts), cmocka_unit_test(heat_T33_kinds))
