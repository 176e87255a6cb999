/* Boundary particles on the device against those of the processor, sample for sample. */
#include "device/device_check.h"

using namespace ooze;

static const double s = 0.1; /* spacing */
enum { SOLIDS = 4 };

/* A no-slip box, a sphere, a torus on its side and a plane, in a world with a GPU. */
struct Scene {
    TestGpu gpu;
    Gpu *m;
    OozeSolid solids[SOLIDS];
    OozeBoundary boundary = {};
    OozeThreads *threads;
    OozeStepContext context = {};
    Walls walls = {};

    Scene()
    {
        m = &gpu.m;
        CHECK_OK(ooze_threads_create(1, &threads, &error));
        const OozeShapeKind kinds[SOLIDS] = {OOZE_SHAPE_BOX, OOZE_SHAPE_SPHERE, OOZE_SHAPE_TORUS,
                                             OOZE_SHAPE_PLANE};
        for (int k = 0; k < SOLIDS; k++) {
            OozeSolidDef def = ooze_solid_def_default();
            def.shape = ooze_shape_def_default(kinds[k]);
            def.shape.tube_radius = 0.2;
            def.shape.position = vec3(0.55 * k, k == 3 ? -0.4 : 0.1 * k, 0.2);
            def.shape.rotation = k == 2 ? quat_unit(quat(0.5, 0.1, 0.0, 1.0)) : quat_identity();
            def.friction = k == 0 ? INFINITY : 0.5;
            CHECK_OK(ooze_solid_create(&solids[k], &def, OOZE_AXIS_Y, s, NULL, &error));
            solids[k].clip = {vec3(-1, -1, -1), vec3(1, 1, 1)};
            CHECK_OK(ooze_boundary_add(&boundary, &solids[k], k, s, NULL, &error));
        }
        context.boundary = &boundary;
        context.solids = solids;
        context.solid_count = SOLIDS;
        context.spacing = s;
        context.support = 2.0 * s;
        context.dt = 0.01;
    }
    ~Scene()
    {
        walls_free(m, &walls);
        ooze_boundary_free(&boundary);
        for (int k = 0; k < SOLIDS; k++) {
            ooze_solid_free(&solids[k]);
        }
        ooze_threads_destroy(threads);
    }
    void update(bool anew = false) { CHECK_OK(walls_update(m, &walls, &context, anew, &error)); }
    /* The motion of a solid from now on, and the pose that it has then. */
    void set_motion(int k, OozeVec3 velocity, OozeVec3 spin)
    {
        solids[k].motion.velocity = velocity;
        solids[k].motion.spin = spin;
    }
    void advance(double time)
    {
        for (int k = 0; k < SOLIDS; k++) {
            ooze_solid_advance(&solids[k], time, 0.01);
        }
    }
};

/* What the device holds, on the host, with the element that weighs nothing. */
struct Samples {
    uint64_t n;
    uint32_t *order;
    float4 *position, *velocity;
    float *volume;
    uint16_t *solid;
    uint8_t *no_slip;

    Samples(Gpu *m, const Walls *walls) : n(walls->count)
    {
        order = brought_home(m, walls->grid.order, n);
        position = brought_home(m, walls->view.position, n + 1);
        velocity = brought_home(m, walls->view.velocity, n + 1);
        volume = brought_home(m, walls->view.volume, n + 1);
        solid = brought_home(m, walls->view.solid, n + 1);
        no_slip = brought_home(m, walls->view.no_slip, n + 1);
    }
    ~Samples()
    {
        free(order);
        free(position);
        free(velocity);
        free(volume);
        free(solid);
        free(no_slip);
    }
};

static double gap(float4 a, OozeFloat4 b)
{
    return fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
}

/* Both sort in their own way what was made in one order. A fused product and sum may round
   differently on a GPU. */
static void check_samples(Scene *scene)
{
    OozeBoundary *b = &scene->boundary;
    CHECK_OK(ooze_boundary_update(b, scene->threads, scene->solids, scene->context.support,
                                  &scene->context.periodic, &error));
    CHECK_OK(ooze_boundary_measure(b, scene->threads, NULL, &error));
    Samples found(scene->m, &scene->walls);
    assert_int_equal(found.n, b->count);
    assert_int_equal(scene->walls.view.count, b->count);
    uint32_t *place = static_cast<uint32_t *>(malloc(b->count * sizeof *place));
    memset(place, 0xff, b->count * sizeof *place);
    for (uint32_t k = 0; k < b->count; k++) {
        place[ooze_grid_order(b->grid)[k]] = k;
    }
    bool moving = false;
    for (uint64_t k = 0; k < found.n; k++) {
        uint32_t made = found.order[k], j = place[made];
        assert_true(made < b->count && j < b->count);
        place[made] = UINT32_MAX; /* each of them once */
        CHECK_NEAR(gap(found.position[k], b->position[j]), 0.0, 2e-7);
        CHECK_NEAR(gap(found.velocity[k], b->velocity[j]), 0.0, 1e-6);
        CHECK_NEAR(found.volume[k] / b->volume[j], 1.0, 1e-5);
        assert_int_equal(found.solid[k], b->solid[j]);
        assert_int_equal(found.no_slip[k],
                         isinf(scene->solids[b->solid[j]].params[OOZE_SOLID_FRICTION]));
        moving = moving || gap(found.velocity[k], {0, 0, 0, 0}) > 0.0;
    }
    assert_int_equal(scene->walls.moving, moving);
    float4 far = found.position[found.n];
    assert_true(far.x > 1e6f && isfinite(3.0f * far.x * far.x) && far.x == far.y && far.y == far.z);
    CHECK_NEAR(gap(found.velocity[found.n], {0, 0, 0, 0}), 0.0, 0.0);
    CHECK_NEAR(found.volume[found.n], 0.0, 0.0);
    assert_int_equal(found.solid[found.n], 0);
    assert_int_equal(found.no_slip[found.n], 0);
    free(place);
}

/* Marks a volume, to see whether it is computed again. */
static const float mark = 123.0f;

static void mark_volume(Scene *scene)
{
    copy_in(scene->m, scene->walls.volume_buffer.memory, &mark, sizeof mark);
}

static bool is_marked(Scene *scene)
{
    float volume = 0.0f;
    copy_out(scene->m, &volume, scene->walls.view.volume, sizeof volume);
    return volume == mark;
}

static void samples_of_fixed_solids_are_made_once(void **)
{
    Scene scene;
    scene.update();
    assert_true(scene.walls.count > 1000);
    check_samples(&scene);
    size_t held = scene.m->allocated;
    mark_volume(&scene);
    scene.advance(0.01);
    scene.update();
    assert_true(is_marked(&scene));
    assert_int_equal(scene.m->allocated, held);
    scene.update(true); /* the host says that samples have changed */
    assert_false(is_marked(&scene));
    check_samples(&scene);
}

/* Through several steps, with a driven solid; samples made later have the same bits.
   */
static void samples_move_with_their_solids(void **)
{
    Scene scene;
    scene.update();
    scene.set_motion(0, vec3(0.5, 0.0, -0.3), vec3(0, 0, 0));
    scene.set_motion(2, vec3(0, 0.2, 0), vec3(1.0, 4.0, -2.0));
    OozePose pose = scene.solids[1].pose;
    pose.position = vec3_add(pose.position, vec3(0.03, 0, 0));
    pose.velocity = vec3(3, 0, 0);
    CHECK_OK(ooze_solid_drive(&scene.solids[1], &pose, &error));
    for (int step = 1; step <= 4; step++) {
        scene.advance(0.01 * step);
        scene.update();
        assert_true(scene.walls.moving);
        check_samples(&scene);
    }
    Walls later = {};
    CHECK_OK(walls_update(scene.m, &later, &scene.context, false, &error));
    Samples a(scene.m, &scene.walls), b(scene.m, &later);
    assert_memory_equal(a.order, b.order, a.n * sizeof *a.order);
    assert_memory_equal(a.position, b.position, (a.n + 1) * sizeof *a.position);
    assert_memory_equal(a.velocity, b.velocity, (a.n + 1) * sizeof *a.velocity);
    assert_memory_equal(a.volume, b.volume, (a.n + 1) * sizeof *a.volume);
    walls_free(scene.m, &later);
}

/* A solid that stops where it is has other velocities and the same volumes; so has one that becomes
   no-slip. */
static void only_changed_samples_are_made_again(void **)
{
    Scene scene;
    scene.set_motion(2, vec3(0, 0.2, 0), vec3(1.0, 4.0, -2.0));
    scene.advance(0.01);
    scene.update();
    check_samples(&scene);
    mark_volume(&scene);
    OozePose pose = scene.solids[2].pose;
    pose.velocity = pose.spin = vec3(0, 0, 0);
    scene.solids[2].pose = pose;
    CHECK_OK(ooze_solid_set(&scene.solids[1], OOZE_SOLID_FRICTION, INFINITY, &error));
    scene.update();
    assert_true(is_marked(&scene));
    scene.update(true);
    check_samples(&scene);
    assert_false(scene.walls.moving);
}

static void samples_wrap_around(void **)
{
    Scene scene;
    OozePeriodic *p = &scene.context.periodic;
    p->min[0] = -0.2f;
    p->length[0] = 2.1f;
    p->inverse[0] = 1.0f / 2.1f;
    p->min[2] = 0.0f;
    p->length[2] = 3.0f;
    p->inverse[2] = 1.0f / 3.0f;
    scene.set_motion(1, vec3(9.0, 0, 0), vec3(0, 3.0, 0));
    for (int step = 0; step < 3; step++) {
        scene.advance(0.1 * step);
        scene.update();
        check_samples(&scene);
        Samples found(scene.m, &scene.walls);
        for (uint64_t k = 0; k < found.n; k++) {
            assert_true(found.position[k].x >= -0.2f && found.position[k].x < 1.9f);
            assert_true(found.position[k].z >= 0.0f && found.position[k].z < 3.0f);
        }
    }
}

static void samples_are_added_and_removed(void **)
{
    Scene scene;
    scene.update();
    uint64_t all = scene.boundary.count;
    ooze_boundary_truncate(&scene.boundary, all / 2);
    scene.update(true);
    assert_int_equal(scene.walls.count, all / 2);
    check_samples(&scene);
    scene.solids[3].clip = {vec3(-2, -2, -2), vec3(2, 2, 2)};
    CHECK_OK(ooze_boundary_add(&scene.boundary, &scene.solids[3], 3, s, NULL, &error));
    scene.update(true);
    assert_true(scene.walls.count > all / 2);
    check_samples(&scene);
    ooze_boundary_truncate(&scene.boundary, 0);
    scene.update(true);
    assert_int_equal(scene.walls.view.count, 0);
    assert_false(scene.walls.moving);
    float volume = 1.0f;
    copy_out(scene.m, &volume, scene.walls.view.volume, sizeof volume);
    CHECK_NEAR(volume, 0.0, 0.0);
}

static void running_out_of_memory_is_survived(void **)
{
    Scene scene;
    ooze_memory_fail_after(1);
    CHECK_FAILS(walls_update(scene.m, &scene.walls, &scene.context, true, &error),
                OOZE_ERROR_MEMORY, "boundary particles");
    ooze_memory_fail_after(0);
    scene.update();
    check_samples(&scene);
    scene.set_motion(1, vec3(1, 0, 0), vec3(0, 0, 0));
    scene.advance(0.01);
    record_error(scene.m, cudaErrorMemoryAllocation);
    CHECK_FAILS(walls_update(scene.m, &scene.walls, &scene.context, false, &error),
                OOZE_ERROR_MEMORY, "GPU");
    scene.update();
    check_samples(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_fixed_solids_are_made_once),
        cmocka_unit_test(samples_move_with_their_solids),
        cmocka_unit_test(only_changed_samples_are_made_again),
        cmocka_unit_test(samples_wrap_around),
        cmocka_unit_test(samples_are_added_and_removed),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
