/* Properties of every kind of probe: definitions, empty frames, threads, running out of memory. */
#include "base/hash.h"
#include "probe_frame.h"

enum { VALUES_MAX = 64 };

/* A definition of each kind that measures something on the blob below. */
static OozeProbeDef useful_def(OozeProbeKind kind)
{
    OozeProbeDef def = probe_def(kind);
    def.point = vec3(0.1, 0.2, 0.3);
    def.end = vec3(2.0, 2.0, 2.0);
    def.width = 0.7;
    def.contact = 6.0;
    return def;
}

/* A jittered block of two materials, large enough for several blocks of any sum. */
static Hand *make_blob(int edge)
{
    Hand *hand = hand_start(0.1, 2.0);
    hand_add_block(hand, vec3(0, 0, 0), edge, edge, edge, 0);
    for (uint64_t i = 0; i < hand->frame.particle_count; i++) {
        for (uint64_t k = 0; k < 3; k++) {
            hand->position[i][k] += (float)(0.06 * ooze_random01(1, i, k) - 0.03);
            hand->velocity[i][k] = (float)(2.0 * ooze_random01(1, i, 3 + k) - 1.0);
        }
        hand->material[i] = (uint16_t)(ooze_random01(1, i, 6) < 0.4);
    }
    return hand;
}

static void every_kind_is_described(void **state)
{
    (void)state;
    for (int kind = 0; kind < OOZE_PROBE_KIND_COUNT; kind++) {
        const OozeProbeKindInfo *info = &ooze_probe_kinds[kind];
        assert_true(info->name && info->name[0] && info->help && info->help[0]);
        /* a step is solved for all materials at once, and a solid has none */
        assert_true(kind == OOZE_PROBE_SOLVER || kind == OOZE_PROBE_SOLID ||
                    strstr(info->keys, "material"));
        OozeProbeDef def = useful_def((OozeProbeKind)kind);
        def.name = "top";
        OozeProbe probe = make_probe(&def);
        assert_true(probe.column_count > 0);
        for (int i = 0; i < probe.column_count; i++) {
            assert_int_equal(strncmp(probe.columns[i], "top.", 4), 0);
            assert_non_null(probe.units[i]);
            assert_true(isnan(probe.values[i])); /* nothing measured yet */
        }
        ooze_probe_free(&probe);
        ooze_probe_free(&probe); /* freed is empty */
    }
    assert_string_equal(ooze_probe_kinds[OOZE_PROBE_DRIFT].needs_field, "rest_position");
    OozeProbeDef def = probe_def(OOZE_PROBE_HEIGHT);
    OozeProbe probe = make_probe(&def);
    assert_string_equal(probe.columns[0], "it.height");
    assert_true(probe.def.percentile == 99.0 && probe.def.axis.y == 1.0);
    ooze_probe_free(&probe);
}

static void expect_refusal(const OozeProbeDef *def, const char *part)
{
    OozeProbe probe;
    CHECK_FAILS(ooze_probe_create(&probe, def, OOZE_AXIS_Y, &error), OOZE_ERROR_ARGUMENT, part);
    ooze_probe_free(&probe); /* harmless after a refusal */
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    OozeProbeDef def = probe_def(OOZE_PROBE_COUNT);
    def.name = "";
    expect_refusal(&def, "no name");
    def = probe_def((OozeProbeKind)99);
    expect_refusal(&def, "kind 99");
    def = probe_def(OOZE_PROBE_COUNT);
    def.material.index = -2;
    expect_refusal(&def, "material -2");
    def = probe_def(OOZE_PROBE_HEIGHT);
    def.percentile = 100.5;
    expect_refusal(&def, "100.5");
    def = probe_def(OOZE_PROBE_SPREAD);
    def.axis.x = INFINITY;
    expect_refusal(&def, "axis");
    def.axis.x = 1e308;
    def.axis.y = 1e308;
    expect_refusal(&def, "axis");
    def = probe_def(OOZE_PROBE_COMPONENTS);
    def.link_length = 0.0;
    expect_refusal(&def, "link_length");
    def.link_length = 1e9;
    expect_refusal(&def, "link_length");
    def = probe_def(OOZE_PROBE_PROFILE);
    expect_refusal(&def, "no length");
    def.end.x = 1.0;
    def.bins = 0;
    expect_refusal(&def, "0 bins");
    def.bins = 1000000;
    expect_refusal(&def, "1000000 bins");
    def.bins = 3;
    def.width = NAN;
    expect_refusal(&def, "width");
    def = probe_def(OOZE_PROBE_AZIMUTH);
    def.contact = -1.0;
    expect_refusal(&def, "contact");
    def.contact = 1.0;
    def.sinking = NAN;
    expect_refusal(&def, "sinking");
    def = probe_def(OOZE_PROBE_THREAD);
    def.link_length = 0.0;
    expect_refusal(&def, "link_length");
    def = probe_def(OOZE_PROBE_THREAD);
    def.contact = 0.0;
    expect_refusal(&def, "contact");
    def = probe_def(OOZE_PROBE_THREAD);
    def.from = 1.0;
    def.to = 1.0;
    expect_refusal(&def, "from 1 m to 1 m");
    def.to = INFINITY;
    expect_refusal(&def, "to inf m");
    def.to = 2.0;
    def.upper = "plate";
    expect_refusal(&def, "both 'upper' and 'to'");
    def.lower = "floor";
    expect_refusal(&def, "both 'lower' and 'from'");
    def = probe_def(OOZE_PROBE_THREAD);
    def.slice = 0.0;
    expect_refusal(&def, "slices of 0");
    def.slice = 1.0;
    def.margin = -1.0;
    expect_refusal(&def, "margin of -1");
    def.margin = NAN;
    expect_refusal(&def, "margin");
}

/* No particles, or none of the material asked for: sums and counts are 0, the rest is NaN. */
static void empty_selections_have_defined_readings(void **state)
{
    (void)state;
    Hand *empty = hand_start(0.1, 2.0), *blob = make_blob(4);
    for (uint64_t i = 0; i < blob->frame.particle_count; i++) {
        blob->material[i] = 0;
    }
    for (int kind = 0; kind < OOZE_PROBE_KIND_COUNT; kind++) {
        OozeProbeDef def = useful_def((OozeProbeKind)kind);
        bool sum = kind == OOZE_PROBE_COUNT || kind == OOZE_PROBE_MOMENTUM ||
                   kind == OOZE_PROBE_ANGULAR_MOMENTUM || kind == OOZE_PROBE_ENERGY;
        double v[VALUES_MAX];
        for (int k = 0; k < 2; k++) {
            def.material.index = k ? 1 : -1;
            measure_once(k ? blob : empty, &def, v);
            if (sum || kind == OOZE_PROBE_COMPONENTS || kind == OOZE_PROBE_THREAD) {
                assert_true(v[0] == 0.0);
            } else {
                assert_true(isnan(v[0]));
            }
        }
    }
    hand_end(empty);
    hand_end(blob);
}

static void readings_do_not_depend_on_threads(void **state)
{
    (void)state;
    Hand *hand = make_blob(22); /* 10,648 particles */
    for (int kind = 0; kind < OOZE_PROBE_KIND_COUNT; kind++) {
        OozeProbeDef def = useful_def((OozeProbeKind)kind);
        for (int only = -1; only < 2; only++) {
            const int counts[] = {1, 2, 3, 7};
            double first[VALUES_MAX], v[VALUES_MAX];
            def.material.index = only;
            memset(first, 0, sizeof first);
            measure_once(hand, &def, first);
            for (int c = 0; c < 4; c++) {
                CHECK_OK(ooze_threads_create(counts[c], &hand->context.threads, &error));
                memset(v, 0, sizeof v);
                measure_once(hand, &def, v);
                ooze_threads_destroy(hand->context.threads);
                hand->context.threads = NULL;
                if (memcmp(first, v, sizeof v) != 0) {
                    fail_msg("%s differs with %d threads", ooze_probe_kinds[kind].name, counts[c]);
                }
            }
        }
    }
    hand_end(hand);
}

/* Fails every allocation in turn, in making and in measuring; the leak checker sees what is
   lost. */
static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    Hand *hand = make_blob(6);
    for (int kind = 0; kind < OOZE_PROBE_KIND_COUNT; kind++) {
        OozeProbeDef def = useful_def((OozeProbeKind)kind);
        OozeStatus status = OOZE_ERROR_MEMORY;
        uint64_t failures = 0;
        while (status) {
            OozeProbe probe;
            OozeError error = {0};
            ooze_memory_fail_after(failures + 1);
            status = ooze_probe_create(&probe, &def, OOZE_AXIS_Y, &error);
            if (!status) {
                status = ooze_probe_measure(&probe, &hand->context, &error);
                ooze_probe_free(&probe);
            }
            ooze_memory_fail_after(0);
            assert_true(!status || (status == OOZE_ERROR_MEMORY && error.message[0]));
            failures += status != OOZE_OK;
            assert_true(failures < 1000);
        }
        assert_true(failures >= 5); /* name, three arrays, a column at least */
    }
    hand_end(hand);
}

/* A frame read from a file may be laid out otherwise, or lack something. */
static void foreign_frames_are_read_or_refused(void **state)
{
    (void)state;
    const float packed[] = {1, 2, 3, 3, 4, 5};
    const uint16_t material[] = {0, 0};
    OozeFieldView fields[] = {
        {"position", OOZE_FIELD_FLOAT32, 3, 3, "m", "", 2, packed, NULL},
        {"material", OOZE_FIELD_UINT16, 1, 1, "", "", 2, material, NULL},
    };
    OozeFrame frame = {.spacing = 0.1,
                       .support = 0.2,
                       .particle_count = 2,
                       .field_count = 2,
                       .fields = fields,
                       .material_count = 2,
                       .materials = hand_materials};
    OozeProbeContext context = {.frame = &frame};
    OozeProbeDef def = probe_def(OOZE_PROBE_CENTRE);
    OozeProbe probe = make_probe(&def);
    CHECK_OK(ooze_probe_measure(&probe, &context, &error));
    CHECK_NEAR(probe.values[2], 4.0, 1e-12);
    frame.particle_count = 3;
    CHECK_FAILS(ooze_probe_measure(&probe, &context, &error), OOZE_ERROR_ARGUMENT, "position");
    assert_true(isnan(probe.values[2])); /* an old reading must not look like a new one */
    frame.particle_count = 2;
    fields[0].type = OOZE_FIELD_FLOAT64;
    CHECK_FAILS(ooze_probe_measure(&probe, &context, &error), OOZE_ERROR_ARGUMENT, "position");
    fields[0].type = OOZE_FIELD_FLOAT32;
    frame.spacing = NAN;
    CHECK_FAILS(ooze_probe_measure(&probe, &context, &error), OOZE_ERROR_ARGUMENT, "spacing");
    ooze_probe_free(&probe);
    frame.spacing = 0.1;
    def.kind = OOZE_PROBE_ENERGY;
    probe = make_probe(&def);
    CHECK_FAILS(ooze_probe_measure(&probe, &context, &error), OOZE_ERROR_ARGUMENT, "velocity");
    ooze_probe_free(&probe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_described),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(empty_selections_have_defined_readings),
        cmocka_unit_test(readings_do_not_depend_on_threads),
        cmocka_unit_test(running_out_of_memory_is_an_error),
        cmocka_unit_test(foreign_frames_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
