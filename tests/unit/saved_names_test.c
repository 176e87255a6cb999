/* Runs of an earlier version: values missing in a frame take their defaults, unknown ones are
   refused by name. The runs were written by tests/fixtures/runs/write.py. */
#include "scratch_folder.h"

#include "methods/method.h"
#include "ooze/scene.h"

enum { VIEWS_MAX = 64, COLUMNS_MAX = 256 };
enum { FIRST_ORDER = 0, SECOND_ORDER = 1, AUTO_ORDER = 2 }; /* choices of time_integration */

static const char *const methods[] = {"conformation", "links", "springs"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* A frame of one of the runs, and what a test makes of it. */
typedef struct Case {
    OozeWorld *world;
    OozeFrame *saved;
    OozeFrame frame;
    OozeFieldView fields[VIEWS_MAX], state[VIEWS_MAX];
    const char *columns[COLUMNS_MAX];
} Case;

static Case *begin(const char *method)
{
    char path[512];
    Case *c = calloc(1, sizeof *c);
    OozeScene *scene = NULL;
    snprintf(path, sizeof path, "%s/tests/fixtures/runs/%s/scene.yaml", OOZE_SOURCE_DIR, method);
    CHECK_OK(ooze_scene_load_run(path, NULL, 0, &scene, &error));
    CHECK_OK(ooze_scene_build(scene, NULL, &c->world, &error));
    ooze_scene_free(scene);
    snprintf(path, sizeof path, "%s/tests/fixtures/runs/%s/frames/frame_000002.h5", OOZE_SOURCE_DIR,
             method);
    CHECK_OK(ooze_frame_open(path, &c->saved, &error));
    c->frame = *c->saved;
    memcpy(c->fields, c->saved->fields, (size_t)c->saved->field_count * sizeof *c->fields);
    memcpy(c->state, c->saved->state, (size_t)c->saved->state_count * sizeof *c->state);
    c->frame.fields = c->fields;
    c->frame.state = c->state;
    return c;
}

static void end(Case *c)
{
    ooze_frame_close(c->saved);
    ooze_world_destroy(c->world);
    free(c);
}

static OozeFieldView *table(Case *c, const char *name)
{
    OozeFieldView *view = (OozeFieldView *)ooze_frame_state(&c->frame, name);
    assert_non_null(view);
    return view;
}

/* Leaves one of the views out. */
static void drop(OozeFieldView *views, int *count, const OozeFieldView *which)
{
    ptrdiff_t k = which - views;
    memmove(views + k, views + k + 1, (size_t)(*count - k - 1) * sizeof *views);
    --*count;
}

/* Leaves column k out; returns the new data, which the caller frees. */
static double *drop_column(Case *c, OozeFieldView *view, int k)
{
    int width = view->components - 1;
    double *data = calloc((size_t)view->count * (size_t)width + 1, sizeof *data);
    for (int j = 0, at = 0; j <= width; j++) {
        if (j != k) {
            for (uint64_t i = 0; i < view->count; i++) {
                data[i * (uint64_t)width + (uint64_t)at] = ooze_field_value(view, i, j);
            }
            c->columns[at++] = view->columns[j];
        }
    }
    view->components = view->stride = width;
    view->data = data;
    view->columns = c->columns;
    return data;
}

/* By way of a file, as a run does. */
static OozeStatus restore(Case *c, OozeError *report)
{
    char path[64];
    OozeFrame *frame = NULL;
    snprintf(path, sizeof path, "%s/frame.h5", folder);
    CHECK_OK(ooze_frame_write(&c->frame, path, &error));
    CHECK_OK(ooze_frame_open(path, &frame, &error));
    OozeStatus status = ooze_world_restore(c->world, frame, report);
    ooze_frame_close(frame);
    return status;
}

static bool equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* ---- a run as it was written ----------------------------------------------------------------- */

static bool is_gone(const char *method, const char *key)
{
    return ooze_method_gone(ooze_method_find(method), key, NULL) != NULL;
}

static void runs_of_earlier_versions_are_resumed(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        Case *c = begin(methods[m]);
        CHECK_OK(restore(c, &error));
        const OozeFrame *now = ooze_world_frame(c->world);
        assert_int_equal(now->step, 10);
        assert_int_equal(now->particle_count, c->saved->particle_count);
        for (int t = 0; t < c->saved->state_count; t++) {
            const OozeFieldView *old = &c->saved->state[t];
            const OozeFieldView *view = ooze_frame_state(now, old->name);
            assert_true(view && view->count == old->count);
            for (uint64_t i = 0; i < old->count; i++) {
                for (int k = 0; k < old->components; k++) {
                    int column = old->columns ? ooze_field_column(view, old->columns[k]) : k;
                    bool gone = column < 0 && is_gone(methods[m], old->columns[k]);
                    assert_true(gone || column >= 0);
                    assert_true(gone || equal(ooze_field_value(old, i, k),
                                              ooze_field_value(view, i, column)));
                }
            }
        }
        for (int step = 0; step < 10; step++) {
            CHECK_OK(ooze_world_step(c->world, &error));
        }
        end(c);
    }
}

/* ---- what is missing ------------------------------------------------------------------------- */

/* Every key of a table in turn: all others are restored, and it has its default. */
static void check_defaults(const char *method, const char *name, const OozeParamInfo *keys)
{
    Case *c = begin(method);
    const OozeFieldView whole = *table(c, name);
    for (int k = 0; k < whole.components; k++) {
        *table(c, name) = whole;
        double *data = drop_column(c, table(c, name), k);
        CHECK_OK(restore(c, &error));
        const OozeFieldView *now = ooze_frame_state(ooze_world_frame(c->world), name);
        for (uint64_t i = 0; i < whole.count; i++) {
            for (int j = 0; j < now->components; j++) {
                int old = ooze_field_column(&whole, now->columns[j]);
                bool order = strcmp(now->columns[j], "time_integration") == 0;
                double initial = order ? FIRST_ORDER : keys[j].initial;
                double expected = old < 0 || old == k ? initial : ooze_field_value(&whole, i, old);
                assert_true(equal(ooze_field_value(now, i, j), expected));
            }
        }
        free(data);
    }
    end(c);
}

static void missing_keys_take_their_default(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        check_defaults(methods[m], "method", ooze_method_find(methods[m])->info.params);
        check_defaults(methods[m], "materials", ooze_material_params(NULL));
    }
}

/* Runs from before the setting had first order; the default of new scenes is another. */
static void runs_without_an_order_in_time_keep_first_order(void **state)
{
    (void)state;
    Case *c = begin("conformation");
    assert_true(ooze_field_column(table(c, "method"), "time_integration") < 0);
    double order;
    for (int now = FIRST_ORDER; now <= AUTO_ORDER; now++) {
        CHECK_OK(ooze_world_set_param(c->world, "time_integration", now, &error));
        CHECK_OK(restore(c, &error));
        CHECK_OK(ooze_world_get_param(c->world, "time_integration", &order, &error));
        assert_true(order == FIRST_ORDER);
    }
    end(c);
}

static void missing_tables_of_keys_are_no_error(void **state)
{
    (void)state;
    static const char *const names[] = {"method", "materials", "solids", "probes"};
    Case *c = begin("conformation");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        drop(c->state, &c->frame.state_count, table(c, names[i]));
    }
    CHECK_OK(restore(c, &error));
    double value;
    CHECK_OK(
        ooze_world_get_material(c->world, (OozeMaterialId){0}, "heat_capacity", &value, &error));
    assert_true(value == 4180.0); /* the run had 2000 */
    end(c);
}

static void missing_fields_of_the_method_take_their_initial_value(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        const OozeMethod *method = ooze_method_find(methods[m]);
        for (int f = 0; f < method->field_count; f++) {
            const OozeFieldInfo *info = &method->fields[f];
            Case *c = begin(methods[m]);
            const OozeFieldView *saved = ooze_frame_field(&c->frame, info->name);
            if (saved) {
                drop(c->fields, &c->frame.field_count, saved);
            }
            CHECK_OK(restore(c, &error));
            const OozeFieldView *now = ooze_frame_field(ooze_world_frame(c->world), info->name);
            for (uint64_t i = 0; info->saved && i < now->count; i++) {
                assert_true(ooze_field_value(now, i, 0) == info->initial);
            }
            end(c);
        }
    }
}

static void missing_state_is_refused(void **state)
{
    (void)state;
    Case *c = begin("links");
    drop(c->fields, &c->frame.field_count, ooze_frame_field(&c->frame, "nozzle"));
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "it lacks the field 'nozzle'");
    end(c);
    c = begin("links");
    drop(c->state, &c->frame.state_count, table(c, "counters"));
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "it lacks 'counters'");
    end(c);
    c = begin("links");
    double *data = drop_column(c, table(c, "emitters"), 1);
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "it lacks 'emitters.speed'");
    free(data);
    end(c);
    c = begin("links");
    drop(c->state, &c->frame.state_count, table(c, "link_rest"));
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "'link_rest' is missing");
    end(c);
}

/* ---- what is gone ---------------------------------------------------------------------------- */

/* Changes a setting that the frame has, or adds it in the place of another. */
static double *set_setting(Case *c, const char *key, const char *instead_of, double value)
{
    OozeFieldView *view = table(c, "method");
    int k = ooze_field_column(view, instead_of ? instead_of : key);
    assert_true(k >= 0 && view->count == 1);
    double *data = calloc((size_t)view->components, sizeof *data);
    for (int j = 0; j < view->components; j++) {
        data[j] = ooze_field_value(view, 0, j);
        c->columns[j] = view->columns[j];
    }
    data[k] = value;
    c->columns[k] = key;
    view->data = data;
    view->columns = c->columns;
    return data;
}

/* A run goes on without a setting that is gone only if it had no effect. */
static void runs_in_which_a_setting_acted_that_is_gone_are_refused(void **state)
{
    (void)state;
    Case *c = begin("conformation");
    double *data = set_setting(c, "divergence_iterations", NULL, 2);
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "holds 'divergence_iterations'");
    free(data);
    end(c);
    c = begin("conformation"); /* of a version that had `velocity_solve` as number 1 */
    data = set_setting(c, "pressure", "hourglass", 1);
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "holds 'pressure.velocity_solve'");
    free(data);
    end(c);
    c = begin("conformation");
    data = set_setting(c, "hourglass_reach", NULL, 2);
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "holds 'hourglass_reach'");
    free(data);
    end(c);
    c = begin("conformation");
    data = set_setting(c, "formulation", NULL, 2);
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "holds 'formulation'");
    free(data);
    end(c);
    c = begin("conformation"); /* of `lodge`, in which the others had no effect */
    data = set_setting(c, "position_iterations", NULL, 20);
    double *also = set_setting(c, "solver", NULL, 2);
    CHECK_OK(restore(c, &error));
    free(also);
    free(data);
    end(c);
    c = begin("conformation"); /* of a version in which number 1 is `grid` */
    data = drop_column(c, table(c, "method"),
                       ooze_field_column(table(c, "method"), "divergence_iterations"));
    double *other = set_setting(c, "pressure", "hourglass", 1);
    CHECK_OK(restore(c, &error));
    free(other);
    free(data);
    end(c);
}

static void write_scene(char path[64], const char *settings)
{
    snprintf(path, 64, "%s/scene.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "ooze: 2\nmethod: {name: conformation, %s}\nspacing: 0.1\ntime_step: 1/240\n"
            "duration: 1\nrender: {adaptive: false}\n",
            settings);
    assert_int_equal(fclose(file), 0);
}

/* The scene of a run has every setting, and is read to show its frames as well. */
static void scenes_of_runs_may_have_settings_that_are_gone(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int warnings;
    } cases[] = {{"divergence_iterations: 0, pressure: density_stage", 0},
                 {"divergence_iterations: 2", 1},
                 {"void_closure_cutoff: 0.7, hourglass_reach: 3", 0},
                 {"hourglass_reach: 4", 1},
                 {"formulation: lodge, solver: chebyshev, projection: doubly_constrained, bulk: 5, "
                  "position_iterations: 7, corotation: true, warm_start: 0.8, "
                  "density_tolerance: 0.0001",
                  0},
                 {"formulation: paper", 1},
                 {"bulk: 25", 1},
                 {"velocity_preconditioner: mass", 1},
                 {"pressure: velocity_solve", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[64];
        OozeScene *scene = NULL;
        write_scene(path, cases[i].settings);
        CHECK_OK(ooze_scene_load_run(path, NULL, 0, &scene, &error));
        assert_int_equal(ooze_scene_diagnostic_count(scene), cases[i].warnings);
        assert_null(strstr(ooze_scene_canonical(scene), "divergence_iterations"));
        assert_non_null(strstr(ooze_scene_canonical(scene), "pressure: density_stage"));
        bool diagonal = strstr(cases[i].settings, ": mass") != NULL; /* the new name */
        assert_non_null(
            strstr(ooze_scene_canonical(scene), diagonal ? "velocity_preconditioner: diagonal"
                                                         : "velocity_preconditioner: auto"));
        ooze_scene_free(scene);
    }
}

/* ---- a field that is gone -------------------------------------------------------------------- */

enum { OLD = 6 }; /* numbers of `warm_start` */

/* Rows of `warm_start` as earlier versions wrote them: those of particle 0, all others 0. */
static float *set_warm_start(Case *c, const float first[OLD])
{
    OozeFieldView *view = (OozeFieldView *)ooze_frame_field(&c->frame, "warm_start");
    assert_true(view && view->components == OLD && view->count > 1);
    float *data = calloc((size_t)view->count * OLD, sizeof *data);
    memcpy(data, first, OLD * sizeof *data);
    view->data = data;
    view->stride = OLD;
    return data;
}

static double first_of(const Case *c, const char *name, int component)
{
    const OozeFieldView *view = ooze_frame_field(ooze_world_frame(c->world), name);
    assert_non_null(view);
    return ooze_field_value(view, 0, component);
}

static void check_first(const Case *c, const char *name, double x, double y, double z)
{
    assert_true(first_of(c, name, 0) == x && first_of(c, name, 1) == y &&
                first_of(c, name, 2) == z);
}

static void warm_start_is_divided_by_what_it_meant(void **state)
{
    (void)state;
    Case *c = begin("conformation");
    float *data = set_warm_start(c, (const float[OLD]){1, 2, 3, 4, 5, 6});
    CHECK_OK(restore(c, &error));
    check_first(c, "velocity_change", 1, 2, 3);
    check_first(c, "push", 4, 5, 6);
    assert_null(ooze_frame_field(ooze_world_frame(c->world), "warm_start"));
    free(data);
    end(c);
    c = begin("conformation"); /* m, -m, -m was a multiplier */
    double *settings = set_setting(c, "density_warm_start", "hourglass", 1);
    data = set_warm_start(c, (const float[OLD]){1, 2, 3, 4, -4, -4});
    CHECK_OK(restore(c, &error));
    check_first(c, "velocity_change", 1, 2, 3);
    check_first(c, "push", 0, 0, 0);
    assert_true(first_of(c, "multiplier", 0) == 4);
    free(data);
    free(settings);
    end(c);
    c = begin("conformation");
    settings = drop_column(c, table(c, "method"),
                           ooze_field_column(table(c, "method"), "divergence_iterations"));
    double *grid = set_setting(c, "pressure", "hourglass", 1);
    data = set_warm_start(c, (const float[OLD]){1, 2, 3, 4, 5, 0});
    CHECK_OK(restore(c, &error));
    check_first(c, "pressure_change_gradient", 1, 2, 3);
    assert_true(first_of(c, "pressure_change", 0) == 4);
    assert_true(first_of(c, "weight_pressure", 0) == 5);
    free(data);
    free(grid);
    free(settings);
    end(c);
}

static bool has_field(const Case *c, const char *name)
{
    return ooze_frame_field(ooze_world_frame(c->world), name) != NULL;
}

static void settings_decide_on_optional_fields(void **state)
{
    (void)state;
    Case *c = begin("conformation");
    assert_true(has_field(c, "velocity_change") && has_field(c, "push"));
    assert_true(!has_field(c, "multiplier") && !has_field(c, "weight_pressure"));
    float *data = set_warm_start(c, (const float[OLD]){1, 2, 3, 4, 5, 6});
    CHECK_OK(restore(c, &error));
    CHECK_OK(ooze_world_set_param(c->world, "pressure", 1, &error));
    assert_true(has_field(c, "weight_pressure") && has_field(c, "pressure_change"));
    CHECK_OK(ooze_world_set_param(c->world, "pressure", 0, &error));
    check_first(c, "push", 0, 0, 0); /* forgotten */
    free(data);
    end(c);
}

/* ---- what does not belong -------------------------------------------------------------------- */

static void unknown_names_are_refused(void **state)
{
    (void)state;
    static const char *const tables[] = {"method", "materials", "solids", "probes", "emitters"};
    Case *c = begin("springs");
    uint64_t hash = ooze_frame_hash(ooze_world_frame(c->world));
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        OozeFieldView *view = table(c, tables[t]);
        const char *const *own = view->columns;
        char expected[64];
        for (int k = 0; k < view->components; k++) {
            c->columns[k] = own[k];
        }
        c->columns[view->components / 2] = "glow";
        view->columns = c->columns;
        snprintf(expected, sizeof expected, "'%s.glow', which this version", tables[t]);
        CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, expected);
        view->columns = own;
    }
    table(c, "change_start")->name = "lamps";
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "it lacks 'change_start'");
    end(c);
    c = begin("springs");
    c->state[c->frame.state_count] = *table(c, "change_start");
    c->state[c->frame.state_count++].name = "lamps";
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "'lamps', which this version");
    c->frame.state_count--;
    c->fields[c->frame.field_count] = *ooze_frame_field(&c->frame, "velocity");
    c->fields[c->frame.field_count++].name = "glow";
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "'particles.glow', which this version");
    assert_true(ooze_frame_hash(ooze_world_frame(c->world)) == hash); /* nothing was changed */
    end(c);
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    Case *c = begin("conformation");
    table(c, "materials")->count = 1;
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "'materials' has 1 rows instead of 2");
    table(c, "materials")->count = 2;
    table(c, "materials")->columns = NULL;
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "'materials' has another type or shape");
    end(c);
    c = begin("conformation");
    table(c, "solid_sampled_box")->components = 5;
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "'solid_sampled_box' has another type");
    table(c, "solid_sampled_box")->components = 6;
    ((uint8_t *)table(c, "solid_driven")->data)[1] = 2;
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "'solid_driven' has a value above 1");
    ((uint8_t *)table(c, "solid_driven")->data)[1] = 0;
    c->frame.solid_count = 1;
    CHECK_FAILS(restore(c, &error), OOZE_ERROR_FORMAT, "it has 1 solids instead of 2");
    c->frame.solid_count = 2;
    CHECK_OK(restore(c, &error));
    end(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_earlier_versions_are_resumed),
        cmocka_unit_test(warm_start_is_divided_by_what_it_meant),
        cmocka_unit_test(settings_decide_on_optional_fields),
        cmocka_unit_test(missing_keys_take_their_default),
        cmocka_unit_test(runs_without_an_order_in_time_keep_first_order),
        cmocka_unit_test(missing_tables_of_keys_are_no_error),
        cmocka_unit_test(missing_fields_of_the_method_take_their_initial_value),
        cmocka_unit_test(missing_state_is_refused),
        cmocka_unit_test(runs_in_which_a_setting_acted_that_is_gone_are_refused),
        cmocka_unit_test(scenes_of_runs_may_have_settings_that_are_gone),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(wrong_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
