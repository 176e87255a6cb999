/* Sinks and nozzles on the device against those of the processor. */
#include "device/device_check.h"

#include "cuda/sources.cuh"

using namespace ooze;

enum { COUNT = 20000 };

/* Particles on both machines, some of them prescribed by nozzles 1 and 2. */
struct Scene {
    Engine engine = {};
    OozeParticles *particles, *back;
    OozeThreads *threads;
    int prescribed;

    Scene()
    {
        assert_true(gpu_create(&engine.gpu));
        CHECK_OK(ooze_threads_create(1, &threads, &error));
        const OozeFieldInfo info = {"nozzle", OOZE_FIELD_UINT16, 1, 1, "", 0.0,
                                    false,    "prescribed by"};
        for (OozeParticles **store : {&particles, &back}) {
            CHECK_OK(ooze_particles_create(store, &error));
            CHECK_OK(ooze_particles_add_field(*store, &info, &prescribed, &error));
        }
        uint64_t first;
        CHECK_OK(ooze_particles_add(particles, COUNT, &first, &error));
        for (uint64_t i = 0; i < COUNT; i++) {
            OozeFloat4 *x = ooze_particles_positions(particles) + i;
            x->x = (float)random_between(i, 0, -2, 2);
            x->y = (float)random_between(i, 1, -2, 2);
            x->z = (float)random_between(i, 2, -2, 2);
            ooze_particles_velocities(particles)[i].x = 7.0f;
            static_cast<uint16_t *>(ooze_particles_data(particles, prescribed))[i] =
                (uint16_t)(i % 3);
        }
        CHECK_OK(store_upload(&engine.gpu, &engine.store, particles, &error));
    }
    ~Scene()
    {
        store_free(&engine.gpu, &engine.store);
        solids_free(&engine.gpu, &engine.solids);
        gpu_destroy(&engine.gpu);
        ooze_particles_destroy(particles);
        ooze_particles_destroy(back);
        ooze_threads_destroy(threads);
    }
    /* Both machines have the same particles in the same order; speeds may round differently. */
    void check()
    {
        CHECK_OK(store_download(&engine.gpu, &engine.store, back, &error));
        uint64_t n = ooze_particles_count(particles);
        assert_int_equal(ooze_particles_count(back), n);
        assert_memory_equal(ooze_particles_ids(back), ooze_particles_ids(particles),
                            n * sizeof(uint64_t));
        assert_memory_equal(ooze_particles_positions(back), ooze_particles_positions(particles),
                            n * sizeof(OozeFloat4));
        assert_memory_equal(ooze_particles_data(back, prescribed),
                            ooze_particles_data(particles, prescribed), n * sizeof(uint16_t));
        const OozeFloat4 *a = ooze_particles_velocities(back);
        const OozeFloat4 *b = ooze_particles_velocities(particles);
        for (uint64_t i = 0; i < n; i++) {
            CHECK_NEAR(a[i].x, b[i].x, 2e-6);
            CHECK_NEAR(a[i].y, b[i].y, 2e-6);
            CHECK_NEAR(a[i].z, b[i].z, 2e-6);
        }
    }
};

/* ---- sinks ------------------------------------------------------------------------------ */

static const OozeVec3 corners[4] = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {0, 1.5, 0}};
static const uint32_t faces[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};

static OozeSink sink_of(OozeShapeKind kind, double start, double stop, bool inverted)
{
    OozeSinkDef def = ooze_sink_def_default();
    def.name = "drain";
    def.shape = ooze_shape_def_default(kind);
    def.shape.position = vec3(0.5, -0.3, 0.2);
    def.shape.rotation = quat_unit(quat(0.2, -0.1, 0.5, 1.0));
    def.shape.mesh.vertices = corners;
    def.shape.mesh.vertex_count = 4;
    def.shape.mesh.triangles = faces;
    def.shape.mesh.triangle_count = 4;
    def.shape.radius = inverted ? 2.0 : 0.5;
    def.shape.inverted = inverted;
    def.start = start;
    def.stop = stop;
    OozeSink sink;
    CHECK_OK(ooze_sink_create(&sink, &def, OOZE_AXIS_Y, 0.1, &error));
    return sink;
}

static uint64_t remove_here(Scene *scene, const OozeSink *sinks, int count, double time)
{
    uint8_t remove[COUNT] = {0};
    uint64_t removed = 0;
    for (int k = 0; k < count; k++) {
        ooze_sink_mark(&sinks[k], scene->threads, scene->particles, time, remove);
    }
    CHECK_OK(ooze_particles_remove(scene->particles, scene->threads, remove, &removed, &error));
    return removed;
}

static void open_sinks_remove_particles(void **)
{
    Scene scene;
    OozeSink sinks[] = {
        sink_of(OOZE_SHAPE_BOX, 0.0, 1.0, false),     sink_of(OOZE_SHAPE_MESH, 1.0, 2.0, false),
        sink_of(OOZE_SHAPE_PLANE, 2.0, 3.0, false),   sink_of(OOZE_SHAPE_SPHERE, 2.0, 3.0, true),
        sink_of(OOZE_SHAPE_CAPSULE, 1.5, 2.0, false),
    };
    const double times[] = {-1.0, 0.5, 1.25, 1.75, 2.5, 7.0};
    for (double time : times) {
        uint64_t before = ooze_particles_count(scene.particles), removed = COUNT;
        uint64_t right = remove_here(&scene, sinks, 5, time);
        CHECK_OK(sources_remove(&scene.engine, sinks, 5, time, &removed, &error));
        assert_int_equal(removed, right);
        assert_int_equal(removed > 0, time > 0.0 && time < 3.0);
        assert_true(removed < before / 2 || time > 2.0);
        scene.check();
    }
    for (OozeSink &sink : sinks) {
        ooze_sink_free(&sink);
    }
}

/* ---- nozzles ---------------------------------------------------------------------------- */

static OozeEmitter nozzle_of(double length)
{
    OozeEmitterDef def = ooze_emitter_def_default();
    def.radius = 0.3;
    def.length = length;
    def.speed = 2.0;
    def.direction = vec3(1.0, -2.0, 0.5);
    def.motion.velocity = vec3(0.5, 0.0, 0.0);
    def.motion.spin = ooze_vec3_degrees(vec3(0.0, 2.0, 1.0));
    def.stop = 0.5;
    OozeEmitter emitter;
    CHECK_OK(ooze_emitter_create(&emitter, &def, OOZE_AXIS_Y, 0.1, 0.2, &error));
    return emitter;
}

/* While it runs a nozzle gives the jet's speed; what has passed the exit is free for good, all of
   it once it has stopped. */
static void nozzles_prescribe_velocities_of_their_particles(void **)
{
    Scene scene;
    OozeEmitter leads = nozzle_of(0.4), open = nozzle_of(0.0);
    const uint16_t *prescribed =
        static_cast<uint16_t *>(ooze_particles_data(scene.particles, scene.prescribed));
    uint64_t left = COUNT;
    for (double time : {0.1, 0.3, 0.6}) {
        ooze_emitter_prescribe(&leads, scene.particles, scene.threads, time, scene.prescribed, 2);
        ooze_emitter_prescribe(&open, scene.particles, scene.threads, time, scene.prescribed, 1);
        CHECK_OK(sources_prescribe(&scene.engine, &leads, time, 2, &error));
        CHECK_OK(sources_prescribe(&scene.engine, &open, time, 1, &error));
        scene.check();
        uint64_t now[3] = {0, 0, 0};
        for (uint64_t i = 0; i < COUNT; i++) {
            now[prescribed[i]]++;
        }
        assert_int_equal(now[1], (COUNT + 1) / 3); /* an open outline leads none, and frees none */
        assert_true(time < leads.stop ? now[2] > 100 && now[2] < left : now[2] == 0);
        left = now[2];
    }
    ooze_emitter_free(&leads);
    ooze_emitter_free(&open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_sinks_remove_particles),
        cmocka_unit_test(nozzles_prescribe_velocities_of_their_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
