/* The device's particle store: downloads equal uploads, and operations give the same particles as
   those of the host's store. */
#include "cuda/store.cuh"
#include "points.h"

/* The rows of every world and some of other sizes: 32 bytes, 12, 3, 4 and 1. */
static OozeParticles *rows(void)
{
    static const OozeFieldInfo more[] = {
        {"tensor", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true, ""},
        {"odd", OOZE_FIELD_FLOAT32, 3, 3, "", 1.0, true, ""},
        {"small", OOZE_FIELD_UINT8, 3, 3, "", 0.0, false, ""},
        {"relief_progress", OOZE_FIELD_FLOAT32, 1, 1, "", 0.5, true, ""},
        {"flag", OOZE_FIELD_UINT8, 1, 1, "", 0.0, true, ""},
    };
    OozeParticles *particles;
    CHECK_OK(ooze_particles_create(&particles, &error));
    for (const OozeFieldInfo &info : more) {
        int field;
        CHECK_OK(ooze_particles_add_field(particles, &info, &field, &error));
    }
    return particles;
}

static size_t element_size(const OozeParticles *particles, int field)
{
    const OozeFieldInfo *info = ooze_particles_field_info(particles, field);
    return ooze_field_type_size(info->type) * (size_t)info->stride;
}

/* n more particles, every byte of every field but the id its own. */
static void add_particles(OozeParticles *particles, uint64_t n, uint64_t seed)
{
    uint64_t first;
    CHECK_OK(ooze_particles_add(particles, n, &first, &error));
    for (int f = 0; f < ooze_particles_field_count(particles); f++) {
        size_t size = element_size(particles, f);
        unsigned char *data = static_cast<unsigned char *>(ooze_particles_data(particles, f));
        for (uint64_t k = first * size; k < (first + n) * size && f != OOZE_FIELD_ID; k++) {
            data[k] = (unsigned char)ooze_mix(ooze_mix(k + seed) + (uint64_t)f);
        }
    }
}

static void assert_same_particles(const OozeParticles *a, const OozeParticles *b)
{
    assert_int_equal(ooze_particles_count(a), ooze_particles_count(b));
    for (int f = 0; f < ooze_particles_field_count(a) && ooze_particles_count(a) > 0; f++) {
        assert_memory_equal(ooze_particles_data_const(a, f), ooze_particles_data_const(b, f),
                            ooze_particles_count(a) * element_size(a, f));
    }
}

/* What the device has is what the host has, and the elements beyond are zero. */
static void check_same(ooze::Gpu *m, const ooze::Store *store, const OozeParticles *expected)
{
    OozeParticles *back = rows();
    ooze_particles_set_next_id(back, 77);
    CHECK_OK(ooze::store_download(m, store, back, &error));
    assert_int_equal(ooze_particles_next_id(back), 77);
    assert_same_particles(back, expected);
    ooze_particles_destroy(back);
    assert_true(store->n <= store->capacity);
    for (int f = 0; f < store->field_count; f++) {
        size_t size = store->field[f].size;
        const uint8_t *data = static_cast<const uint8_t *>(store->field[f].buffer.memory);
        assert_true(store->field[f].buffer.size >= (store->capacity + ooze::PADDING) * size);
        std::vector<uint8_t> spare = fetch(m, data + store->n * size, ooze::PADDING * size);
        for (uint8_t byte : spare) {
            assert_int_equal(byte, 0);
        }
    }
}

static void uploaded_particles_are_downloaded_unchanged(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Store store = {};
    OozeParticles *particles = rows();
    const uint64_t counts[] = {0, 1, 17, 5000, 300, 250000}; /* the last in several pieces */
    for (uint64_t count : counts) {
        CHECK_OK(ooze_particles_resize(particles, 0, &error));
        add_particles(particles, count, count);
        CHECK_OK(ooze::store_upload(&gpu.m, &store, particles, &error));
        assert_int_equal(store.n, count);
        check_same(&gpu.m, &store, particles);
    }
    assert_ptr_equal(ooze::store_data(&store, "tensor"), store.field[4].buffer.memory);
    assert_ptr_equal(ooze::store_data(&store, "position"), ooze::store_positions(&store));
    assert_null(ooze::store_data(&store, "no such field"));
    ooze_particles_destroy(particles);
    ooze::store_free(&gpu.m, &store);
}

static void append(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Store store = {};
    OozeParticles *all = rows(), *few = rows();
    add_particles(all, 100, 1);
    CHECK_OK(ooze::store_upload(&gpu.m, &store, all, &error));
    for (uint64_t k = 0; k < 6; k++) {
        CHECK_OK(ooze_particles_resize(few, 0, &error));
        add_particles(few, 40 * k * k, k + 3);
        CHECK_OK(ooze::store_append(&gpu.m, &store, few, &error));
        uint64_t first;
        CHECK_OK(ooze_particles_add(all, 40 * k * k, &first, &error));
        for (int f = 0; f < ooze_particles_field_count(all); f++) {
            size_t size = element_size(all, f);
            memcpy(static_cast<char *>(ooze_particles_data(all, f)) + first * size,
                   ooze_particles_data_const(few, f), 40 * k * k * size);
        }
        check_same(&gpu.m, &store, all);
    }
    ooze_particles_destroy(all);
    ooze_particles_destroy(few);
    ooze::store_free(&gpu.m, &store);
}

/* Few particles are carried in one go, many field by field. */
static void reorder(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Store store = {};
    OozeArena *arena = ooze_arena_create();
    const uint64_t counts[] = {1, 1000, 700000};
    for (uint64_t n : counts) {
        OozeParticles *particles = rows();
        add_particles(particles, n, 5);
        std::vector<uint32_t> order(n);
        for (uint64_t i = 0; i < n; i++) {
            order[i] =
                (uint32_t)((i * 7919 + 13) % n); /* a prime that divides none of the counts */
        }
        CHECK_OK(ooze::store_upload(&gpu.m, &store, particles, &error));
        CHECK_OK(ooze_particles_reorder(particles, NULL, order.data(), arena, &error));
        CHECK_OK(ooze::store_reorder(&gpu.m, &store, send(&gpu.m, order), &error));
        check_same(&gpu.m, &store, particles);
        ooze_particles_destroy(particles);
    }
    ooze_arena_destroy(arena);
    ooze::store_free(&gpu.m, &store);
}

static void removal(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Store store = {};
    OozeParticles *particles = rows();
    add_particles(particles, 3000, 5);
    CHECK_OK(ooze::store_upload(&gpu.m, &store, particles, &error));
    const double shares[] = {0.0, 0.1, 0.7, 1.0, 0.5};
    for (double share : shares) {
        std::vector<uint8_t> remove(ooze_particles_count(particles));
        uint64_t expected, removed;
        for (uint64_t i = 0; i < remove.size(); i++) {
            remove[i] = ooze_random01(9, i, 0) < share ? (uint8_t)(1 + i % 200) : 0;
        }
        CHECK_OK(ooze_particles_remove(particles, NULL, remove.data(), &expected, &error));
        CHECK_OK(ooze::store_remove(&gpu.m, &store, send(&gpu.m, remove), &removed, &error));
        assert_int_equal(removed, expected);
        check_same(&gpu.m, &store, particles);
    }
    assert_int_equal(store.n, 0);
    ooze_particles_destroy(particles);
    ooze::store_free(&gpu.m, &store);
}

/* Without pinned memory fields are copied directly. */
static void without_pinned_memory(void **state)
{
    (void)state;
    TestGpu gpu;
    OozeParticles *particles = rows();
    add_particles(particles, 3000, 1);
    for (uint64_t k = 1; k < 12; k++) {
        ooze::Store store = {};
        ooze_memory_fail_after(k);
        CHECK_OK(ooze::store_upload(&gpu.m, &store, particles, &error));
        ooze_memory_fail_after(0);
        assert_true(k > 1 || !store.readback);
        check_same(&gpu.m, &store, particles);
        ooze::store_free(&gpu.m, &store);
    }
    ooze_particles_destroy(particles);
}

/* A device that is full says so, and goes on with what it had. */
static void out_of_memory(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Gpu *m = &gpu.m;
    ooze::Store store = {};
    OozeParticles *particles = rows(), *few = rows();
    add_particles(particles, 3000, 1);
    add_particles(few, 20, 2);
    CHECK_OK(ooze::store_upload(m, &store, particles, &error));
    std::vector<uint32_t> order(3000, 0);
    std::vector<uint8_t> remove(3000, 1);
    const uint32_t *sent = send(m, order);
    const uint8_t *marked = send(m, remove);
    uint64_t removed = 9;
    m->failed = cudaErrorMemoryAllocation;
    CHECK_FAILS(ooze::store_append(m, &store, few, &error), OOZE_ERROR_MEMORY, "3020 particles");
    m->failed = cudaErrorMemoryAllocation;
    CHECK_FAILS(ooze::store_reorder(m, &store, sent, &error), OOZE_ERROR_MEMORY, "3000 particles");
    m->failed = cudaErrorMemoryAllocation;
    CHECK_FAILS(ooze::store_remove(m, &store, marked, &removed, &error), OOZE_ERROR_MEMORY, "3000");
    assert_int_equal(removed, 0);
    check_same(m, &store, particles);
    CHECK_OK(ooze::store_append(m, &store, few, &error));
    assert_int_equal(store.n, 3020);
    ooze_particles_destroy(particles);
    ooze_particles_destroy(few);
    ooze::store_free(m, &store);
}

static void refusals(void **state)
{
    (void)state;
    TestGpu gpu;
    ooze::Store store = {};
    OozeParticles *particles = rows(), *plain, *wide = rows();
    CHECK_OK(ooze_particles_create(&plain, &error));
    CHECK_OK(ooze::store_upload(&gpu.m, &store, particles, &error));
    CHECK_FAILS(ooze::store_append(&gpu.m, &store, plain, &error), OOZE_ERROR_ARGUMENT,
                "other fields");
    CHECK_FAILS(ooze::store_download(&gpu.m, &store, plain, &error), OOZE_ERROR_ARGUMENT,
                "other fields");
    char names[32][8];
    for (int k = 0; k < 32; k++) {
        snprintf(names[k], sizeof names[k], "f%d", k);
        OozeFieldInfo info = {names[k], OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true, ""};
        int field;
        CHECK_OK(ooze_particles_add_field(wide, &info, &field, &error));
    }
    CHECK_FAILS(ooze::store_upload(&gpu.m, &store, wide, &error), OOZE_ERROR_LIMIT,
                "particles have 41 fields");
    /* another table of fields takes the place of the last */
    add_particles(plain, 10, 0);
    CHECK_OK(ooze::store_upload(&gpu.m, &store, plain, &error));
    assert_int_equal(store.field_count, OOZE_FIELD_COMMON_COUNT);
    ooze_particles_destroy(particles);
    ooze_particles_destroy(plain);
    ooze_particles_destroy(wide);
    ooze::store_free(&gpu.m, &store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uploaded_particles_are_downloaded_unchanged),
        cmocka_unit_test(append),
        cmocka_unit_test(reorder),
        cmocka_unit_test(removal),
        cmocka_unit_test(without_pinned_memory),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
