/* Wrapping, speeds, bounds and cells of all particles, against plain loops. */
#include "device/device_check.h"

#include "cuda/bounds.cuh"

using namespace ooze;

enum { COUNT = 5000 };

/* As much of a store as these functions look at. */
struct TestStore {
    Gpu *m;
    Store store;
    float4 x[COUNT], v[COUNT];
    explicit TestStore(Gpu *gpu) : m(gpu)
    {
        memset(&store, 0, sizeof store);
        for (uint64_t i = 0; i < COUNT; i++) {
            x[i] = f32x4((float)random_between(i, 0, -3, 3), (float)random_between(i, 1, -3, 3),
                         (float)random_between(i, 2, -3, 3));
            v[i] = f32x4((float)random_between(i, 3, -1, 1), (float)random_between(i, 4, -1, 1), 0);
        }
        send();
    }
    void send()
    {
        store.n = COUNT;
        DeviceBuffer *places = &store.field[OOZE_FIELD_POSITION].buffer;
        DeviceBuffer *speeds = &store.field[OOZE_FIELD_VELOCITY].buffer;
        copy_in(m, buffer<float4>(m, places, COUNT), x, sizeof x);
        copy_in(m, buffer<float4>(m, speeds, COUNT), v, sizeof v);
    }
    ~TestStore()
    {
        buffer_free(m, &store.field[OOZE_FIELD_POSITION].buffer);
        buffer_free(m, &store.field[OOZE_FIELD_VELOCITY].buffer);
    }
    TestStore(const TestStore &) = delete;
    TestStore &operator=(const TestStore &) = delete;
};

static OozePeriodic box_along_x(void)
{
    OozePeriodic box = {};
    box.min[0] = -1.0f;
    box.length[0] = 2.0f;
    box.inverse[0] = 0.5f;
    return box;
}

static double fastest_of(const TestStore *s)
{
    double most = 0.0;
    for (int i = 0; i < COUNT; i++) {
        most = fmax(most, hypot((double)s->v[i].x, (double)s->v[i].y));
    }
    return most;
}

static void check_places(TestStore *s, const OozePeriodic *box, int but)
{
    float4 *now = brought_home(s->m, store_positions(&s->store), COUNT);
    for (int i = 0; i < COUNT; i++) {
        OozeFloat4 old = {s->x[i].x, s->x[i].y, s->x[i].z, 0.0f};
        OozeFloat4 wanted = i == but ? old : ooze_point_wrap(old, box);
        assert_true(now[i].x == wanted.x && now[i].y == wanted.y && now[i].z == wanted.z);
    }
    free(now);
}

static void wraps_along_periodic_axes(void **state)
{
    (void)state;
    TestGpu gpu;
    TestStore s(&gpu.m);
    OozePeriodic box = box_along_x();
    wrap_positions(s.m, &s.store, &box);
    check_places(&s, &box, -1);
}

static void finds_the_fastest(void **state)
{
    (void)state;
    TestGpu gpu;
    TestStore s(&gpu.m);
    CHECK_NEAR(fastest_speed(s.m, &s.store), fastest_of(&s), 1e-6);
    s.store.n = 0;
    assert_true(fastest_speed(s.m, &s.store) == 0.0);
}

static void particles_within_bounds_pass(void **state)
{
    (void)state;
    TestGpu gpu;
    TestStore s(&gpu.m);
    OozePeriodic box = box_along_x();
    OozeEngineEnd end = check_bounds(s.m, &s.store, &box, 2.0f, 10.0f);
    assert_true(end.first_bad == UINT64_MAX);
    CHECK_NEAR(end.speed, fastest_of(&s), 1e-6);
    check_places(&s, &box, -1);
}

/* The first that is too far, too fast, or no number; it stays where it is. */
static void finds_the_first_particle_out_of_bounds(void **state)
{
    (void)state;
    const float4 places[3] = {f32x4(11, 0, 0), f32x4(0, 0, 0), f32x4(NAN, 0, 0)};
    const float4 speeds[3] = {f32x4(0, 0, 0), f32x4(0, 0, INFINITY), f32x4(0, 0, 0)};
    for (int k = 0; k < 3; k++) {
        TestGpu gpu;
        TestStore s(&gpu.m);
        OozePeriodic box = box_along_x();
        s.x[4321] = s.x[3456] = places[k];
        s.v[4321] = s.v[3456] = speeds[k];
        s.send();
        OozeEngineEnd end = check_bounds(s.m, &s.store, &box, 2.0f, 10.0f);
        assert_true(end.first_bad == 3456);
        float4 *now = brought_home(s.m, store_positions(&s.store), COUNT);
        assert_int_equal(memcmp(&now[3456], &places[k], sizeof now[0]), 0);
        free(now);
    }
}

/* The cells of all particles, against a plain loop; the set has no others. */
static void finds_the_cells_of_particles(void **state)
{
    (void)state;
    TestGpu gpu;
    TestStore s(&gpu.m);
    OozeCellMap map = {{vec3(3, 0.5, 0), vec3(-0.5, 3, 0), vec3(0, 0, 2)}, {0.1, -0.2, 7}};
    OozeCellSet expected = {}, found = {};
    for (int i = 0; i < COUNT; i++) {
        OozeVec3 p = vec3((double)s.x[i].x, (double)s.x[i].y, (double)s.x[i].z);
        CHECK_OK(ooze_cell_set_add(&expected, ooze_cell_of(&map, p), &error));
    }
    CHECK_OK(find_cells(s.m, &s.store, &map, INFINITY, &found, &error));
    assert_true(found.count <= COUNT);
    ooze_cell_set_sort(&expected);
    ooze_cell_set_sort(&found);
    assert_int_equal(found.count, expected.count);
    assert_int_equal(memcmp(found.keys, expected.keys, found.count * sizeof *found.keys), 0);
    /* those of particles that are not fast */
    expected.count = found.count = 0;
    for (int i = 0; i < COUNT; i++) {
        OozeVec3 p = vec3((double)s.x[i].x, (double)s.x[i].y, (double)s.x[i].z);
        if (hypot((double)s.v[i].x, (double)s.v[i].y) < 0.5) {
            CHECK_OK(ooze_cell_set_add(&expected, ooze_cell_of(&map, p), &error));
        }
    }
    CHECK_OK(find_cells(s.m, &s.store, &map, 0.5f, &found, &error));
    ooze_cell_set_sort(&expected);
    ooze_cell_set_sort(&found);
    assert_int_equal(found.count, expected.count);
    assert_int_equal(memcmp(found.keys, expected.keys, found.count * sizeof *found.keys), 0);
    found.count = s.store.n = 0;
    CHECK_OK(find_cells(s.m, &s.store, &map, INFINITY, &found, &error));
    assert_int_equal(found.count, 0);
    ooze_cell_set_free(&expected);
    ooze_cell_set_free(&found);
}

/* All of them where they are few, only their number where they are many. */
static void lists_fast_particles(void **state)
{
    (void)state;
    TestGpu gpu;
    TestStore s(&gpu.m);
    OozeFastParticle found[COUNT];
    bool listed[COUNT] = {};
    uint64_t expected = 0, count = 0;
    for (int i = 0; i < COUNT; i++) {
        expected += hypot((double)s.v[i].x, (double)s.v[i].y) > 1.2;
    }
    OozeFastQuery query = {1.2f, nullptr, expected};
    CHECK_OK(find_fast(s.m, &s.store, &query, found, &count, &error));
    assert_true(count == expected && count > 100 && count < COUNT / 4);
    for (uint64_t k = 0; k < count; k++) {
        uint32_t i = found[k].index;
        assert_true(i < COUNT && !listed[i] && found[k].bound == 0);
        assert_true(hypot((double)s.v[i].x, (double)s.v[i].y) > 1.2);
        assert_true(found[k].position[2] == s.x[i].z && found[k].velocity[1] == s.v[i].y);
        listed[i] = true;
    }
    query.capacity = expected - 1;
    found[0].index = COUNT;
    CHECK_OK(find_fast(s.m, &s.store, &query, found, &count, &error));
    assert_true(count == expected && found[0].index == COUNT);
    s.store.n = 0;
    CHECK_OK(find_fast(s.m, &s.store, &query, found, &count, &error));
    assert_true(count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wraps_along_periodic_axes),
        cmocka_unit_test(finds_the_fastest),
        cmocka_unit_test(particles_within_bounds_pass),
        cmocka_unit_test(finds_the_first_particle_out_of_bounds),
        cmocka_unit_test(finds_the_cells_of_particles),
        cmocka_unit_test(lists_fast_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
