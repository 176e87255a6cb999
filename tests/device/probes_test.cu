/* What the host needs of the particles of a device: probes that the device measures without copying
   them have the values of the processor's loops on the same particles; memory. */
#include "cuda/engine.cuh"

#include "poured_world.h"

static const double SPACING = 0.02;
static const OozeProbeKind KINDS[] = {
    OOZE_PROBE_COUNT,  OOZE_PROBE_CENTRE, OOZE_PROBE_MOMENTUM, OOZE_PROBE_ANGULAR_MOMENTUM,
    OOZE_PROBE_ENERGY, OOZE_PROBE_HEIGHT, OOZE_PROBE_SPREAD,
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0], PERCENTILES = 3 };

static void add_probe(OozeWorld *world, OozeProbeKind kind, OozeMaterialId material,
                      double percentile)
{
    OozeProbeDef def = ooze_probe_def_default();
    def.kind = kind;
    def.material = material;
    def.point = {0.01, 0.02, -0.03};
    def.axis = {0.6, 0.8, 0};
    def.percentile = percentile;
    def.every_step = true;
    CHECK_OK(ooze_world_add_probe(world, &def, nullptr, &error));
}

static OozeWorld *create_world(OozeDevice device)
{
    OozeWorld *world = create_device_world("wcsph", SPACING, false, device);
    OozeMaterialDef material = ooze_material_def_default();
    OozeMaterialId first, second;
    CHECK_OK(ooze_world_add_material(world, &material, &first, &error));
    material.name = "second";
    CHECK_OK(ooze_material_def_set(&material, "density", 700, &error));
    CHECK_OK(ooze_world_add_material(world, &material, &second, &error));
    fill_poured_world(world, FLAT, SPACING, first, second);
    const double percentiles[PERCENTILES] = {0, 37.5, 100};
    const OozeMaterialId all = {-1};
    for (OozeProbeKind kind : KINDS) {
        for (double percentile : percentiles) {
            add_probe(world, kind, all, percentile);
            add_probe(world, kind, second, percentile);
        }
    }
    add_probe(world, OOZE_PROBE_SOLVER, all, 0);
    return world;
}

static void assert_close(double a, double b)
{
    assert_true((isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * (1.0 + fabs(b)));
}

/* The readings on the device and, after all particles were copied, on the host. */
static void probes_agree_with_the_host(void **)
{
    OozeWorld *world = create_world(OOZE_DEVICE_CUDA);
    for (int step = 0; step < 5; step++) {
        CHECK_OK(ooze_world_step(world, &error));
        CHECK_OK(ooze_world_measure(world, true, &error));
        assert_int_equal(world->data_location, OOZE_DATA_ON_ENGINE); /* nothing was copied */
        double device[KIND_COUNT * PERCENTILES * 2][4];
        const int count = world->probes.count - 1; /* the last one is that of the solver */
        assert_int_equal(count, KIND_COUNT * PERCENTILES * 2);
        for (int k = 0; k < count; k++) {
            const OozeProbe *probe = &world->probes.items[k];
            memcpy(device[k], probe->values, (size_t)probe->column_count * sizeof(double));
        }
        OozeProbeContext context = {};
        context.frame = ooze_world_frame(world);
        context.gravity = world->def.gravity;
        context.threads = world->threads;
        for (int k = 0; k < count; k++) {
            OozeProbe *probe = &world->probes.items[k];
            CHECK_OK(ooze_probe_measure(probe, &context, &error));
            for (int c = 0; c < probe->column_count; c++) {
                assert_close(device[k][c], probe->values[c]);
            }
        }
        assert_true(device[0][0] > 100.0);
    }
    ooze_world_destroy(world);
}

/* Sums have a fixed order. */
static void readings_repeat_to_the_last_bit(void **)
{
    OozeWorld *world = create_world(OOZE_DEVICE_CUDA);
    CHECK_OK(ooze_world_step(world, &error));
    CHECK_OK(ooze_world_measure(world, true, &error));
    double first[KIND_COUNT * PERCENTILES * 2];
    for (int k = 0; k < KIND_COUNT * PERCENTILES * 2; k++) {
        first[k] = world->probes.items[k].values[0];
    }
    CHECK_OK(ooze_world_measure(world, true, &error));
    for (int k = 0; k < KIND_COUNT * PERCENTILES * 2; k++) {
        assert_memory_equal(&first[k], &world->probes.items[k].values[0], sizeof first[k]);
    }
    ooze_world_destroy(world);
}

/* Lists and scratch arrays of steps are in the memory of the device. */
static void the_host_needs_memory_for_particles_alone(void **)
{
    OozeWorld *device = create_device_world("conformation", SPACING, false, OOZE_DEVICE_CUDA);
    OozeWorld *host = create_device_world("conformation", SPACING, false, OOZE_DEVICE_CPU);
    const double row = ooze_world_bytes_per_particle(device) / 3.0;
    assert_true(row > 42.0); /* position, velocity, id, material, and what the method keeps */
    assert_true(ooze_world_bytes_per_particle(host) > 4.0 * row + 20.0 * 30.0);
    ooze_world_destroy(device);
    ooze_world_destroy(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_agree_with_the_host),
        cmocka_unit_test(readings_repeat_to_the_last_bit),
        cmocka_unit_test(the_host_needs_memory_for_particles_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
