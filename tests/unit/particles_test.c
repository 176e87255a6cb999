/* The particle store: fields, ids, adding, removing, reordering. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "particles/particles.h"

static OozeParticles *store(void)
{
    OozeParticles *particles;
    CHECK_OK(ooze_particles_create(&particles, &error));
    return particles;
}

static int add_field(OozeParticles *particles, OozeFieldInfo info)
{
    int field;
    CHECK_OK(ooze_particles_add_field(particles, &info, &field, &error));
    return field;
}

static void common_fields(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    assert_int_equal(ooze_particles_field_count(particles), OOZE_FIELD_COMMON_COUNT);
    assert_int_equal(ooze_particles_find_field(particles, "position"), OOZE_FIELD_POSITION);
    assert_int_equal(ooze_particles_find_field(particles, "material"), OOZE_FIELD_MATERIAL);
    assert_int_equal(ooze_particles_find_field(particles, "no such field"), -1);
    assert_string_equal(ooze_particles_field_info(particles, OOZE_FIELD_VELOCITY)->unit, "m/s");
    assert_int_equal(ooze_particles_count(particles), 0);
    ooze_particles_destroy(particles);
    ooze_particles_destroy(NULL);
}

/* A row added late gives existing and new particles its initial value in every component, and
   nothing in the padding. */
static void initial_values(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    CHECK_OK(ooze_particles_add(particles, 5, NULL, &error));
    int stretch = add_field(
        particles, (OozeFieldInfo){"stretch", OOZE_FIELD_FLOAT32, 3, 4, "", 1.5, true, ""});
    int colour =
        add_field(particles, (OozeFieldInfo){"c", OOZE_FIELD_UINT8, 2, 2, "", 7.0, true, ""});
    int wide =
        add_field(particles, (OozeFieldInfo){"w", OOZE_FIELD_FLOAT64, 1, 1, "", -0.25, true, ""});
    int word =
        add_field(particles, (OozeFieldInfo){"u", OOZE_FIELD_UINT32, 1, 1, "", 9e8, false, ""});
    int big =
        add_field(particles, (OozeFieldInfo){"b", OOZE_FIELD_UINT64, 1, 1, "", 1e12, false, ""});
    int small =
        add_field(particles, (OozeFieldInfo){"s", OOZE_FIELD_UINT16, 1, 1, "", 65535.0, false, ""});
    uint64_t first;
    CHECK_OK(ooze_particles_add(particles, 3000, &first, &error));
    assert_int_equal(first, 5);
    for (uint64_t i = 0; i < 3005; i++) {
        const float *s = (const float *)ooze_particles_data_const(particles, stretch) + 4 * i;
        assert_true(s[0] == 1.5f && s[1] == 1.5f && s[2] == 1.5f && s[3] == 0.0f);
        assert_int_equal(((const uint8_t *)ooze_particles_data(particles, colour))[2 * i + 1], 7);
        assert_true(((const double *)ooze_particles_data(particles, wide))[i] == -0.25);
        assert_int_equal(((const uint32_t *)ooze_particles_data(particles, word))[i], 900000000);
        assert_int_equal(((const uint64_t *)ooze_particles_data(particles, big))[i], 1000000000000);
        assert_int_equal(((const uint16_t *)ooze_particles_data(particles, small))[i], 65535);
        assert_int_equal(ooze_particles_ids(particles)[i], i);
    }
    ooze_particles_destroy(particles);
}

/* Arrays start on cache lines and can be written 16 elements beyond the count (the address
   sanitizer watches), also right after growing and after reordering. */
static void alignment_and_spare(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    add_field(particles, (OozeFieldInfo){"odd", OOZE_FIELD_UINT8, 3, 3, "", 0.0, false, ""});
    uint32_t order[5000];
    OozeArena *arena = ooze_arena_create();
    for (uint64_t count = 0; count < 5000;) {
        uint64_t more = count / 3 + 1;
        more = count + more > 5000 ? 5000 - count : more;
        CHECK_OK(ooze_particles_add(particles, more, NULL, &error));
        count += more;
        for (uint64_t i = 0; i < count; i++) {
            order[i] = (uint32_t)(count - 1 - i);
        }
        CHECK_OK(ooze_particles_reorder(particles, NULL, order, arena, &error));
        for (int f = 0; f < ooze_particles_field_count(particles); f++) {
            const OozeFieldInfo *info = ooze_particles_field_info(particles, f);
            size_t size = ooze_field_type_size(info->type) * (size_t)info->stride;
            char *data = ooze_particles_data(particles, f);
            assert_int_equal((uintptr_t)data % 64, 0);
            memset(data + count * size, 0x55, 16 * size);
        }
    }
    ooze_arena_destroy(arena);
    ooze_particles_destroy(particles);
}

static void equal_fields_are_added_once(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    OozeFieldInfo row = {"strain", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true, "one"};
    int field = add_field(particles, row), again;
    row.help = "other words";
    CHECK_OK(ooze_particles_add_field(particles, &row, &again, &error));
    assert_int_equal(again, field);
    OozeFieldInfo other = row;
    other.stride = 6;
    CHECK_FAILS(ooze_particles_add_field(particles, &other, &again, &error), OOZE_ERROR_ARGUMENT,
                "'strain'");
    other = row;
    other.unit = "m";
    CHECK_FAILS(ooze_particles_add_field(particles, &other, &again, &error), OOZE_ERROR_ARGUMENT,
                "'strain'");
    other = row;
    other.initial = NAN;
    other.name = "unknown";
    CHECK_OK(ooze_particles_add_field(particles, &other, &again, &error));
    CHECK_OK(ooze_particles_add_field(particles, &other, &again, &error));
    ooze_particles_destroy(particles);
}

static void bad_fields_are_refused(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    const OozeFieldInfo rows[] = {
        {"", OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true, ""},
        {NULL, OOZE_FIELD_FLOAT32, 1, 1, "", 0.0, true, ""},
        {"a", (OozeFieldType)77, 1, 1, "", 0.0, true, ""},
        {"a", OOZE_FIELD_FLOAT32, 0, 1, "", 0.0, true, ""},
        {"a", OOZE_FIELD_FLOAT32, 3, 2, "", 0.0, true, ""},
        {"a", OOZE_FIELD_FLOAT32, 1, 1 << 20, "", 0.0, true, ""},
        {"a", OOZE_FIELD_UINT8, 1, 1, "", 256.0, true, ""},
        {"a", OOZE_FIELD_UINT16, 1, 1, "", -1.0, true, ""},
        {"a", OOZE_FIELD_UINT64, 1, 1, "", 0x1p64, true, ""},
        {"a", OOZE_FIELD_UINT32, 1, 1, "", NAN, true, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int field = 0;
        CHECK_FAILS(ooze_particles_add_field(particles, &rows[i], &field, &error),
                    OOZE_ERROR_ARGUMENT, "field");
        assert_int_equal(field, -1);
    }
    assert_int_equal(ooze_particles_field_count(particles), OOZE_FIELD_COMMON_COUNT);
    ooze_particles_destroy(particles);
}

static void too_many_particles_and_ids_are_refused(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    CHECK_OK(ooze_particles_add(particles, 10, NULL, &error));
    CHECK_FAILS(ooze_particles_add(particles, OOZE_PARTICLES_MAX - 9, NULL, &error),
                OOZE_ERROR_LIMIT, "at most 4294967280");
    CHECK_FAILS(ooze_particles_add(particles, UINT64_MAX, NULL, &error), OOZE_ERROR_LIMIT,
                "at most 4294967280");
    CHECK_FAILS(ooze_particles_resize(particles, UINT64_MAX, &error), OOZE_ERROR_LIMIT, "at most");
    ooze_particles_set_next_id(particles, UINT64_MAX - 3);
    CHECK_FAILS(ooze_particles_add(particles, 4, NULL, &error), OOZE_ERROR_LIMIT, "ids");
    CHECK_OK(ooze_particles_add(particles, 3, NULL, &error));
    ooze_particles_destroy(particles);
}

static void resize(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    CHECK_OK(ooze_particles_add(particles, 100, NULL, &error));
    ooze_particles_positions(particles)[7].x = 3.0f;
    CHECK_OK(ooze_particles_resize(particles, 40, &error));
    assert_int_equal(ooze_particles_count(particles), 40);
    assert_int_equal(ooze_particles_next_id(particles), 40);
    assert_true(ooze_particles_positions(particles)[7].x == 0.0f);
    assert_int_equal(ooze_particles_ids(particles)[39], 39);
    ooze_particles_destroy(particles);
}

/* ---- random operations against a naive model: an array of structs ---- */

typedef struct Model {
    uint64_t id;
    float x;
    uint16_t material;
    uint32_t mark;
} Model;

enum { MODEL_MAX = 400 };

static float place_of(uint64_t id)
{
    return (float)ooze_random01(5, id, 0);
}

static void compare_with_model(OozeParticles *particles, int mark, const Model *model, uint64_t n)
{
    assert_int_equal(ooze_particles_count(particles), n);
    const OozeFloat4 *position = ooze_particles_positions(particles);
    const uint32_t *marks = ooze_particles_data(particles, mark);
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(ooze_particles_ids(particles)[i], model[i].id);
        assert_int_equal(ooze_particles_materials(particles)[i], model[i].material);
        assert_int_equal(marks[i], model[i].mark);
        assert_true(position[i].x == model[i].x && position[i].x == place_of(model[i].id));
    }
}

static uint64_t add_to_both(OozeParticles *particles, int mark, Model *model, uint64_t n,
                            uint64_t more, uint64_t *next_id)
{
    uint64_t first;
    CHECK_OK(ooze_particles_add(particles, more, &first, &error));
    assert_int_equal(first, n);
    for (uint64_t i = n; i < n + more; i++) {
        uint64_t id = (*next_id)++;
        model[i] = (Model){id, place_of(id), (uint16_t)(id % 1000), (uint32_t)(id * 2654435761u)};
        ooze_particles_positions(particles)[i].x = model[i].x;
        ooze_particles_materials(particles)[i] = model[i].material;
        ((uint32_t *)ooze_particles_data(particles, mark))[i] = model[i].mark;
    }
    return n + more;
}

static uint64_t remove_from_both(OozeParticles *particles, OozeThreads *threads, Model *model,
                                 uint64_t n, uint64_t seed)
{
    uint8_t remove[MODEL_MAX] = {0};
    double share = ooze_random01(seed, 1, 1) * 0.5;
    uint64_t kept = 0, removed;
    for (uint64_t i = 0; i < n; i++) {
        remove[i] = ooze_random01(seed, i, 2) < share ? (uint8_t)(1 + i % 255) : 0;
        if (!remove[i]) {
            model[kept++] = model[i];
        }
    }
    CHECK_OK(ooze_particles_remove(particles, threads, remove, &removed, &error));
    assert_int_equal(removed, n - kept);
    return kept;
}

static void reorder_both(OozeParticles *particles, OozeThreads *threads, Model *model, uint64_t n,
                         uint64_t seed)
{
    uint32_t order[MODEL_MAX];
    Model old[MODEL_MAX];
    memcpy(old, model, n * sizeof *old);
    for (uint64_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
    }
    for (uint64_t i = n; i > 1; i--) {
        uint64_t k = (uint64_t)(ooze_random01(seed, i, 3) * (double)i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    for (uint64_t i = 0; i < n; i++) {
        model[i] = old[order[i]];
    }
    OozeArena *arena = ooze_arena_create();
    CHECK_OK(ooze_particles_reorder(particles, threads, order, arena, &error));
    ooze_arena_destroy(arena);
}

static void ten_thousand_operations(void **state)
{
    (void)state;
    OozeThreads *threads;
    CHECK_OK(ooze_threads_create(2, &threads, &error));
    OozeParticles *particles = store();
    int mark =
        add_field(particles, (OozeFieldInfo){"mark", OOZE_FIELD_UINT32, 1, 1, "", 0.0, true, ""});
    static Model model[MODEL_MAX];
    uint64_t n = 0, next_id = 0;
    for (uint64_t turn = 0; turn < 10000; turn++) {
        uint64_t kind = (uint64_t)(3.0 * ooze_random01(7, turn, 0));
        if (kind == 0) {
            uint64_t more = (uint64_t)(40.0 * ooze_random01(7, turn, 1));
            more = n + more > MODEL_MAX ? MODEL_MAX - n : more;
            n = add_to_both(particles, mark, model, n, more, &next_id);
        } else if (kind == 1) {
            n = remove_from_both(particles, threads, model, n, turn);
        } else {
            reorder_both(particles, threads, model, n, turn);
        }
        compare_with_model(particles, mark, model, n);
    }
    assert_int_equal(ooze_particles_next_id(particles), next_id);
    ooze_particles_destroy(particles);
    ooze_threads_destroy(threads);
}

/* Reordering, once the arena has the room, and removing allocate nothing, so they cannot fail for
   lack of memory. */
static void steady_state(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    CHECK_OK(ooze_particles_add(particles, 100, NULL, &error));
    uint32_t order[100];
    uint8_t remove[100] = {1};
    for (uint32_t i = 0; i < 100; i++) {
        order[i] = (i + 37) % 100;
    }
    uint64_t bytes = ooze_particles_bytes(particles);
    OozeArena *arena = ooze_arena_create();
    assert_non_null(ooze_arena_alloc(arena, 100, 64));
    ooze_arena_reset(arena);
    ooze_memory_fail_after(1);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(ooze_particles_reorder(particles, NULL, order, arena, &error));
    }
    CHECK_OK(ooze_particles_remove(particles, NULL, remove, NULL, &error));
    ooze_memory_fail_after(0);
    assert_int_equal(bytes, ooze_particles_bytes(particles));
    assert_int_equal(ooze_particles_ids(particles)[0], (3 * 37 + 1) % 100);
    ooze_arena_destroy(arena);
    ooze_particles_destroy(particles);
}

/* Whichever allocation fails, the store reports it, stays whole and can go on. */
static void memory_failures(void **state)
{
    (void)state;
    int failures = 0;
    for (uint64_t k = 1; k < 100; k++) {
        OozeError failure = {0};
        OozeParticles *particles;
        ooze_memory_fail_after(k);
        OozeStatus status = ooze_particles_create(&particles, &failure);
        if (status == OOZE_OK) {
            OozeFieldInfo row = {"q", OOZE_FIELD_FLOAT32, 9, 12, "", 2.0, true, ""};
            int field;
            uint64_t first;
            status = ooze_particles_add_field(particles, &row, &field, &failure);
            if (status == OOZE_OK) {
                status = ooze_particles_add(particles, 50, &first, &failure);
            }
            if (status == OOZE_OK) {
                status = ooze_particles_add(particles, 5000, &first, &failure);
            }
            uint64_t before = ooze_particles_count(particles);
            ooze_memory_fail_after(0);
            assert_true(before == 0 || before == 50 || before == 5050);
            CHECK_OK(ooze_particles_add(particles, 7000, &first, &error));
            for (uint64_t i = 0; i < before + 7000; i++) {
                assert_int_equal(ooze_particles_ids(particles)[i], i);
            }
        }
        ooze_memory_fail_after(0);
        failures += status != OOZE_OK;
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
        ooze_particles_destroy(particles);
    }
    assert_in_range(failures, 15, 60);
}

/* Kept blocks show the state before growth until they are released. */
static void old_arrays_are_kept_for_views(void **state)
{
    (void)state;
    OozeParticles *particles = store();
    CHECK_OK(ooze_particles_add(particles, 1000, NULL, &error));
    ooze_particles_keep_blocks(particles, true);
    const uint64_t *ids = ooze_particles_ids(particles);
    OozeFloat4 *old = ooze_particles_positions(particles);
    old[999].x = 3.0f;
    uint64_t before = ooze_particles_bytes(particles);
    CHECK_OK(ooze_particles_add(particles, 100000, NULL, &error));
    CHECK_OK(ooze_particles_add(particles, 100000, NULL, &error));
    assert_ptr_not_equal(ooze_particles_positions(particles), old);
    ooze_particles_positions(particles)[999].x = 4.0f;
    assert_true(old[999].x == 3.0f && ids[999] == 999);
    assert_true(ooze_particles_positions(particles)[999].x == 4.0f);
    uint64_t kept = ooze_particles_bytes(particles);
    ooze_particles_keep_blocks(particles, false);
    uint64_t released = ooze_particles_bytes(particles);
    assert_true(kept >= released + before);
    CHECK_OK(ooze_particles_add(particles, 300000, NULL, &error)); /* is not kept any more */
    ooze_particles_keep_blocks(particles, true);
    CHECK_OK(ooze_particles_add(particles, 900000, NULL, &error));
    ooze_particles_destroy(particles); /* frees what is kept */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_fields),
        cmocka_unit_test(initial_values),
        cmocka_unit_test(alignment_and_spare),
        cmocka_unit_test(equal_fields_are_added_once),
        cmocka_unit_test(bad_fields_are_refused),
        cmocka_unit_test(too_many_particles_and_ids_are_refused),
        cmocka_unit_test(resize),
        cmocka_unit_test(ten_thousand_operations),
        cmocka_unit_test(steady_state),
        cmocka_unit_test(memory_failures),
        cmocka_unit_test(old_arrays_are_kept_for_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
