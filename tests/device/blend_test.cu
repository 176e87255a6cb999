/* Method blend takes the same steps on the device as on the processor. */
#include "methods/blend/cuda/stages.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02;

struct Case {
    const char *name;
    Setting setting[3]; /* key NULL: none */
    double damping;     /* solvent_viscosity of the jelly, Pa s */
    bool swallows;      /* a sink removes particles, which changes the regions in each step */
};

static void add_box(OozeWorld *world, OozeMaterialId material, OozeBodyKind body, OozeVec3 size,
                    OozeVec3 position)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.body = body;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    def.shape.position = position;
    def.velocity = {0.3, -1.5, 0.2};
    def.spin = {120, -60, 60};
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

static void add_sources(OozeWorld *world, OozeMaterialId material, bool swallows)
{
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.material = material;
    nozzle.radius = 2 * SPACING;
    nozzle.position = {0.0, 0.35, 0.1};
    nozzle.speed = 1.5;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, nullptr, &error));
    OozeSinkDef sink = ooze_sink_def_default();
    sink.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    sink.shape.size = {0.06, 0.06, 0.5};
    sink.shape.position = {0.05, 0.03, 0};
    if (swallows) {
        CHECK_OK(ooze_world_add_sink(world, &sink, &error));
    }
}

/* Jelly that takes its shape anew in every check, goo, and a soft body that the bar holds. */
static OozeWorld *create_world(const Case *c, OozeDevice device)
{
    OozeWorld *world = create_device_world("blend", SPACING, false, device);
    CHECK_OK(ooze_world_set_param(world, "sound_speed", 1.5, &error));
    CHECK_OK(ooze_world_set_param(world, "update_interval", 12.0 / 240, &error));
    for (const Setting &set : c->setting) {
        if (set.key) {
            CHECK_OK(ooze_world_set_param(world, set.key, set.value, &error));
        }
    }
    OozeMaterialId jelly = add_material(world, 1000,
                                        {{"fluid_share", 0.3},
                                         {"modulus", 200},
                                         {"solvent_viscosity", c->damping},
                                         {"update_threshold", 0.1}});
    OozeMaterialId goo = add_material(world, 1300, {{"fluid_share", 0.8}, {"viscosity", 1}});
    add_floor_slope_and_bar(world, 0.5);
    add_box(world, jelly, OOZE_BODY_FLUID, {0.16, 0.12, 0.12}, {0, 0.08, 0});
    add_box(world, goo, OOZE_BODY_FLUID, {0.1, 0.1, 0.1}, {0.02, 0.2, 0.12});
    add_box(world, jelly, OOZE_BODY_SOFT, {0.16, 0.08, 0.08}, {0.22, 0.15, 0});
    add_sources(world, goo, c->swallows);
    return world;
}

static const OozeDevice devices[] = {OOZE_DEVICE_CPU, OOZE_DEVICE_CUDA};

static const Case cases[] = {
    {"cells", {}, 2, false},
    {"cells, removal", {}, 0, true},
    {"particles", {{"regions", 1}, {"region_radius", 2}, {"pressure", 1}}, 0, true},
    {"damped particles", {{"regions", 1}, {"region_radius", 1.5}}, 1, false},
    {"with gravity", {{"update_gravity", 1}, {"region_radius", 5}}, 0, false},
};

/* The largest differences of two frames. */
struct Apart {
    double x, v, rotation, contact, density;
};

static Apart measure(const OozeFrame *a, const OozeFrame *b, Apart most)
{
    return {fmax(most.x, apart(a, b, "position", 3) / SPACING),
            fmax(most.v, apart(a, b, "velocity", 3)),
            fmax(most.rotation, apart(a, b, "rotation", 4)),
            fmax(most.contact, apart(a, b, "contact_acceleration", 3)),
            fmax(most.density, apart(a, b, "density", 1))};
}

/* Number of particles whose reference position was taken after the first step. */
static uint64_t count_updated(const OozeFrame *frame)
{
    const OozeFieldView *step = ooze_frame_field(frame, "reference_step");
    uint64_t count = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        count += ooze_field_value(step, i, 0) > 1.0;
    }
    return count;
}

/* One step each from the same state, 30 times: positions agree to rounding. */
static void steps_agree_with_the_processor(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        OozeWorld *host = create_world(&c, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(&c, OOZE_DEVICE_CUDA);
        Apart most = {};
        for (int k = 0; k < 30; k++) {
            const BothSteps both = step_both(host, device);
            const OozeFrame *a = both.a, *b = both.b;
            const OozeWorldStats &here = both.here, &there = both.there;
            assert_true(apart(a, b, "reference", 3) == 0.0);
            assert_true(apart(a, b, "reference_step", 1) == 0.0);
            assert_true(apart(a, b, "pin", 1) == 0.0);
            assert_true(fabs(here.worst_density_error - there.worst_density_error) < 1e-5);
            assert_true(fabs(here.mean_density_error - there.mean_density_error) < 1e-6);
            most = measure(a, b, most);
        }
        const OozeFrame *end = ooze_world_frame(host);
        printf("  %s: %llu particles, %.1e spacings apart, velocities %.1e m/s, rotations %.1e, "
               "contact %.1e m/s2, densities %.1e\n",
               c.name, (unsigned long long)end->particle_count, most.x, most.v, most.rotation,
               most.contact, most.density);
        assert_true(most.x < 1e-4 && most.v < 1e-3 && most.rotation < 1e-5 && most.density < 1e-5);
        assert_true(most.contact < 1e-2 && apart(end, nullptr, "contact_acceleration", 3) > 1);
        assert_true(apart(end, nullptr, "pin", 1) == 3 && count_updated(end) > 100);
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

static OozeVec3 centre_of(const OozeFrame *frame)
{
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double sum[3] = {0};
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        for (int k = 0; k < 3; k++) {
            sum[k] += ooze_field_value(x, i, k) / (double)frame->particle_count;
        }
    }
    return {sum[0], sum[1], sum[2]};
}

/* 50 steps each; fluid is added on the way. */
static void runs_agree_with_the_processor(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        OozeWorld *worlds[] = {create_world(&c, OOZE_DEVICE_CPU),
                               create_world(&c, OOZE_DEVICE_CUDA)};
        for (OozeWorld *world : worlds) {
            for (int k = 0; k < 50; k++) {
                if (k == 30) {
                    add_box(world, {1}, OOZE_BODY_FLUID, {0.08, 0.08, 0.08}, {0.02, 0.3, -0.1});
                }
                CHECK_OK(ooze_world_step(world, &error));
            }
        }
        const OozeFrame *a = ooze_world_frame(worlds[0]), *b = ooze_world_frame(worlds[1]);
        OozeVec3 p = centre_of(a), q = centre_of(b);
        double far = fmax(fmax(fabs(p.x - q.x), fabs(p.y - q.y)), fabs(p.z - q.z)) / SPACING;
        printf("  %s: %llu and %llu particles after 50 steps, centres %.1e spacings apart\n",
               c.name, (unsigned long long)a->particle_count, (unsigned long long)b->particle_count,
               far);
        assert_true(far < 0.01);
        if (!c.swallows) {
            double x = apart(a, b, "position", 3) / SPACING;
            printf("  %s: particles at most %.1e\n", c.name, x);
            assert_true(apart(a, b, "reference_step", 1) == 0.0);
            assert_true(x < 0.1);
        }
        ooze_world_destroy(worlds[0]);
        ooze_world_destroy(worlds[1]);
    }
}

/* A copy of device memory; free with free. */
template <class T> static T *copy_of(ooze::Gpu *gpu, const T *from, uint64_t n)
{
    T *to = static_cast<T *>(malloc((n + 1) * sizeof(T)));
    ooze::copy_out(gpu, to, from, n * sizeof(T));
    return to;
}

/* Device and host arrays have the same elements. */
template <class T>
static void check_equal(ooze::Gpu *gpu, const T *device, const T *host, uint64_t n)
{
    T *copied = copy_of(gpu, device, n);
    assert_memory_equal(copied, host, n * sizeof(T));
    free(copied);
}

/* Regions on the device against those that the host builds of the same particles. */
static void check_regions(OozeWorld *world)
{
    ooze::Engine *engine = static_cast<ooze::Engine *>(world->engine_data);
    ooze::Gpu *gpu = &engine->gpu;
    const OozeRegions &there = *static_cast<ooze::BlendData *>(engine->method_data);
    CHECK_OK(ooze_world_sync_to_host(world, &error));
    OozeParticles *p = world->particles;
    uint64_t n = ooze_particles_count(p);
    uint32_t *slot = static_cast<uint32_t *>(malloc(n * sizeof *slot));
    auto field = [&](const char *name) {
        return ooze_particles_data(p, ooze_particles_find_field(p, name));
    };
    OozeRegions here = {};
    OozeRegionsInput input = {n,
                              static_cast<const OozeFloat4 *>(field("reference")),
                              static_cast<const uint32_t *>(field("reference_step")),
                              ooze_particles_ids(p),
                              there.kind,
                              there.radius};
    CHECK_OK(ooze_regions_build(&here, world->threads, &input, slot, &error));
    assert_memory_equal(slot, field("region_slot"), n * sizeof *slot);
    assert_true(here.n == there.n && here.n > 400 && here.n < n && here.edge == there.edge);
    assert_true(here.cells == there.cells && here.cells > 20);
    check_equal(gpu, there.reference, here.reference, here.n);
    check_equal(gpu, there.region_of, here.region_of, here.n);
    check_equal(gpu, there.cell, here.cell, here.cells + 1);
    check_equal(gpu, there.near, here.near, OOZE_BLEND_NEAR * here.cells);
    double *share = copy_of(gpu, there.share, here.n);
    for (uint64_t i = 0; i < here.n; i++) {
        assert_true(fabs(share[i] - here.share[i]) <= 1e-13 * here.share[i]);
    }
    free(share);
    if (here.kind == OOZE_REGIONS_OF_PARTICLES) {
        check_equal(gpu, there.list_first, here.list_first, here.n + 1);
        check_equal(gpu, there.list, here.list, here.list_first[here.n]);
    }
    ooze_regions_free(&here);
    free(slot);
}

static void regions_are_those_of_the_processor(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        OozeWorld *world = create_world(&c, OOZE_DEVICE_CUDA);
        for (int k = 0; k < 30; k++) {
            CHECK_OK(ooze_world_step(world, &error));
        }
        check_regions(world);
        ooze_world_destroy(world);
    }
}

/* Two runs, and one whose state passed through a frame, end with the same bits. */
static void runs_are_equal(void **state)
{
    (void)state;
    for (int k = 1; k < 4; k += 2) {
        check_runs_are_equal([&] { return create_world(&cases[k], OOZE_DEVICE_CUDA); }, 20, 8);
    }
}

/* Steps 12 times with slots of regions that another build assigned in between. */
static uint64_t hash_after_slots_change(OozeDevice device, bool changed)
{
    OozeWorld *world = create_world(&cases[0], device);
    for (int k = 0; k < 12; k++) {
        CHECK_OK(ooze_world_step(world, &error));
        if (k == 5 && changed) {
            CHECK_OK(ooze_world_own_on_host(world, &error));
            OozeParticles *p = world->particles;
            uint32_t *slot = static_cast<uint32_t *>(
                ooze_particles_data(p, ooze_particles_find_field(p, "region_slot")));
            for (uint64_t i = 1; i < ooze_particles_count(p); i += 2) {
                uint32_t other = slot[i];
                slot[i] = slot[i - 1];
                slot[i - 1] = other;
            }
        }
    }
    uint64_t hash = ooze_frame_hash(ooze_world_frame(world));
    ooze_world_destroy(world);
    return hash;
}

/* Slots of particles may come from the regions of the other engine: the regions are then built
   again. */
static void slots_of_other_regions_are_detected(void **state)
{
    (void)state;
    for (OozeDevice device : devices) {
        assert_true(hash_after_slots_change(device, true) ==
                    hash_after_slots_change(device, false));
    }
}

/* A step in which a particle would move too far is divided. */
static void long_steps_are_divided(void **state)
{
    (void)state;
    double height[2];
    for (OozeDevice device : devices) {
        OozeWorldDef def = ooze_world_def_default();
        def.method = "blend";
        def.spacing = SPACING;
        def.time_step = 1.0 / 60;
        def.max_travel = 0.2;
        def.device = device;
        OozeWorld *world = nullptr;
        OozeWorldStats stats;
        CHECK_OK(ooze_world_create(&def, &world, &error));
        OozeMaterialId jelly = add_material(world, 1000, {{"fluid_share", 0.5}});
        add_floor_slope_and_bar(world, 0.5);
        add_box(world, jelly, OOZE_BODY_FLUID, {0.1, 0.1, 0.1}, {0, 0.1, 0});
        CHECK_OK(ooze_world_step(world, &error));
        CHECK_OK(ooze_world_step(world, &error));
        ooze_world_stats(world, &stats);
        assert_true(stats.substeps > 10);
        height[device == OOZE_DEVICE_CUDA] = centre_of(ooze_world_frame(world)).y;
        ooze_world_destroy(world);
    }
    assert_true(fabs(height[0] - height[1]) < 0.01 * SPACING);
}

/* The printed equations make energy: ten steps each from the same state. */
static void printed_kernels_agree_with_the_processor(void **state)
{
    (void)state;
    OozeWorld *host = create_world(&cases[0], OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(&cases[0], OOZE_DEVICE_CUDA);
    OozeWorld *plain = create_world(&cases[0], OOZE_DEVICE_CPU);
    CHECK_OK(ooze_world_set_param(host, "kernels", 1, &error));
    CHECK_OK(ooze_world_set_param(device, "kernels", 1, &error));
    Apart most = {};
    for (int k = 0; k < 10; k++) {
        const BothSteps both = step_both(host, device);
        most = measure(both.a, both.b, most);
        CHECK_OK(ooze_world_step(plain, &error));
    }
    printf("  printed kernels: %.1e spacings apart, velocities %.1e m/s\n", most.x, most.v);
    assert_true(most.x < 1e-4 && most.v < 1e-3);
    /* and are not the others */
    assert_true(apart(ooze_world_frame(host), ooze_world_frame(plain), "velocity", 3) > 0.01);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    ooze_world_destroy(plain);
}

/* Whichever piece of memory cannot be had: the step is refused, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    int refused =
        count_refused_steps([&] { return create_world(&cases[3], OOZE_DEVICE_CUDA); }, 10);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_processor),
        cmocka_unit_test(runs_agree_with_the_processor),
        cmocka_unit_test(regions_are_those_of_the_processor),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(slots_of_other_regions_are_detected),
        cmocka_unit_test(long_steps_are_divided),
        cmocka_unit_test(printed_kernels_agree_with_the_processor),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
