#include "cli/rheo_measure.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "methods/method.h"
#include "rheometer/figure.h"
#include "rheometer/verdict.h"
#include "scene/scene.h"

/* A material and the settings of its simulation, from a scene or a preset. */
typedef struct Subject {
    OozeScene *scene; /* NULL: a preset */
    OozeMaterialDef material;
    double temperature; /* degC */
    bool depends;       /* the material depends on temperature */
    OozeSample sample;
} Subject;

typedef struct Session {
    Subject subject;
    OozeTheory theory;
    OozeExperiment experiments[OOZE_PROTOCOL_MAX];
    int experiment_count;
    OozeVariation variations[OOZE_STUDY_GRID];
    int variation_count;
    double tolerance;
    bool grid, quick;
} Session;

/* ---- what is measured ------------------------------------------------------------------------ */

static OozeStatus choose_material(Subject *s, const char *name, OozeError *error)
{
    const OozeSceneDef *def = &s->scene->def;
    int found = name ? ooze_scene_find_material(def, name) : def->material_count > 0 ? 0 : -1;
    if (found >= 0) {
        s->material = def->materials[found];
        return OOZE_OK;
    }
    return name ? ooze_fail(error, OOZE_ERROR_ARGUMENT, "see its section `materials`",
                            "the scene has no material '%s'", name)
                : ooze_fail(error, OOZE_ERROR_ARGUMENT, "give it a section `materials`",
                            "the scene has no material");
}

static int open_scene(Subject *s, const OozeArguments *arguments, const char *path,
                      OozeError *error)
{
    const char **overrides = NULL;
    int override_count = 0;
    if (!ooze_argument_overrides(arguments, &overrides, &override_count)) {
        return OOZE_EXIT_USAGE;
    }
    OozeStatus status = ooze_scene_load(path, overrides, override_count, &s->scene, error);
    ooze_free(overrides);
    if (status && s->scene && ooze_report_scene(s->scene, NULL) > 0) {
        return OOZE_EXIT_FAILED;
    }
    status = status ? status : choose_material(s, ooze_argument_text(arguments, "material"), error);
    if (status) {
        return ooze_report_error(error);
    }
    const OozeSceneDef *def = &s->scene->def;
    s->sample.method = def->world.method;
    s->sample.params = def->method.params;
    s->sample.spacing = def->world.spacing;
    s->sample.support_ratio =
        ooze_method_support_ratio(ooze_method_find(def->world.method), def->world.support_ratio);
    s->sample.time_step = s->scene->info.time_step;
    s->temperature = def->world.air_temperature;
    return OOZE_EXIT_OK;
}

/* A preset has no time step: chooses one that resolves its relaxation. */
static int open_preset(Subject *s, const char *name, OozeError *error)
{
    OozeWorldDef def = ooze_world_def_default();
    if (ooze_material_preset(name, &s->material, error)) {
        return ooze_report_error(error);
    }
    OozeTheory theory = ooze_theory(&s->material, def.spacing, def.time_step);
    double time = ooze_protocol_time(&theory, def.time_step);
    s->temperature = def.air_temperature;
    s->sample.method = "conformation";
    s->sample.spacing = def.spacing;
    s->sample.support_ratio =
        ooze_method_support_ratio(ooze_method_find(s->sample.method), def.support_ratio);
    s->sample.time_step = fmax(fmin(def.time_step, time / 24.0), 1e-5);
    return OOZE_EXIT_OK;
}

/* Evaluates the material at the temperature and removes its temperature dependence. */
static void fix_temperature(Subject *s)
{
    OozeMaterial material = ooze_material_of(&s->material);
    OozeMaterial at = ooze_material_at(&material, s->temperature);
    const OozeMaterialDef none = ooze_material_def_default();
    for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
        s->material.values[i] = ooze_material_is_heat(i) ? none.values[i] : at.values[i];
    }
    s->depends = s->material.temperature_row_count > 0;
    s->material.temperature_table = NULL;
    s->material.temperature_row_count = 0;
}

static int open_subject(Subject *s, const OozeArguments *arguments, OozeError *error)
{
    const char *name = arguments->operands[0];
    bool is_file = strchr(name, '/') || strchr(name, '.');
    if (!is_file &&
        (ooze_argument_given(arguments, "material") || ooze_argument_given(arguments, "set"))) {
        return ooze_usage_error(arguments->command,
                                "--material and --set are of a scene, not of a preset");
    }
    int code = is_file ? open_scene(s, arguments, name, error) : open_preset(s, name, error);
    if (code != OOZE_EXIT_OK) {
        return code;
    }
    const char *method = ooze_argument_text(arguments, "method");
    if (method && strcmp(method, s->sample.method) != 0) {
        s->sample.method = method;
        s->sample.params = NULL;
    }
    if (!ooze_argument_real(arguments, "spacing", 1e-9, 1e6, &s->sample.spacing) ||
        !ooze_argument_real(arguments, "time-step", 1e-12, 1e3, &s->sample.time_step)) {
        return OOZE_EXIT_USAGE;
    }
    if (!ooze_argument_real(arguments, "temperature", -1e6, 1e6, &s->temperature)) {
        return OOZE_EXIT_USAGE;
    }
    s->sample.material = &s->material;
    s->sample.jitter = 0.1;
    fix_temperature(s);
    return OOZE_EXIT_OK;
}

/* Progress over the cells of the protocol and the variations of the study. */
typedef struct Progress {
    OozeProgress display;
    pthread_mutex_t mutex; /* cells end on any thread */
    uint64_t finished;
} Progress;

static void show_finished(void *user)
{
    Progress *progress = user;
    pthread_mutex_lock(&progress->mutex);
    OozeProgressPoint point = {.unit = ++progress->finished, .worst_density_error = NAN};
    ooze_progress_show(&progress->display, &point, false);
    pthread_mutex_unlock(&progress->mutex);
}

static OozeStatus run_study(Session *session, Progress *progress, OozeThreads *threads,
                            OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < session->variation_count && !status; i++) {
        status = ooze_study(&session->subject.sample, &session->variations[i], 1, threads, error);
        show_finished(progress);
    }
    return status;
}

static OozeStatus measure(Session *session, OozeThreads *threads, OozeError *error)
{
    const OozeSample *sample = &session->subject.sample;
    session->theory = ooze_theory(sample->material, sample->spacing, sample->time_step);
    session->experiment_count = ooze_protocol(&session->theory, sample, session->experiments);
    session->variation_count = session->quick  ? 0
                               : session->grid ? OOZE_STUDY_GRID
                                               : OOZE_STUDY_REFINEMENTS;
    Progress progress = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    int parts = ooze_experiments_cell_count(session->experiments, session->experiment_count) +
                session->variation_count;
    ooze_progress_start(&progress.display, false, "measurement", 0, (uint64_t)parts, 0);
    OozeSample watched = *sample;
    watched.finished = show_finished;
    watched.user = &progress;
    OozeStatus status = ooze_experiments_run(session->experiments, session->experiment_count,
                                             &watched, &session->theory, threads, error);
    if (session->grid) {
        ooze_study_grid(session->variations);
    } else {
        ooze_study_refinements(session->variations);
    }
    status = status ? status : run_study(session, &progress, threads, error);
    ooze_progress_clear(&progress.display);
    pthread_mutex_destroy(&progress.mutex);
    return status;
}

/* ---- in words -------------------------------------------------------------------------------- */

static void append_value(OozeText *out, double value, double deviation)
{
    double percent = 100.0 * deviation;
    if (isnan(value)) {
        ooze_text_append(out, " %12s %8s", "-", "");
    } else if (isnan(percent)) {
        ooze_text_append(out, " %12.4g %8s", value, "");
    } else {
        ooze_text_append(out, " %12.4g %+7.1f%%", value, fabs(percent) < 0.05 ? 0.0 : percent);
    }
}

static void append_experiment(OozeText *out, const OozeExperiment *e)
{
    const OozeExperimentNames *names = ooze_experiment_names(e->kind);
    ooze_text_append(out, "\n%s", names->what);
    if (e->kind == OOZE_EXPERIMENT_CREEP) {
        ooze_text_append(out, " of %.4g Pa", e->size);
    }
    ooze_text_append(out, "\n%12s %-11s %12s %12s %8s %12s\n", names->x, names->x_unit, "theory",
                     "by stress", "", "by momentum");
    for (int curve = 0; curve < names->curves; curve++) {
        for (int k = 0; k < e->count; k++) {
            OozeMeasured m = e->y[curve][k];
            if (!isnan(m.expected) && !(m.expected <= 0.0)) {
                ooze_text_append(out, "%12.4g %-11s %12.4g", e->x[k], names->y[curve], m.expected);
                append_value(out, m.reported, ooze_experiment_deviation(e, curve, k, m.reported));
                append_value(out, m.momentum, ooze_experiment_deviation(e, curve, k, m.momentum));
                ooze_text_append(out, "\n");
            }
        }
    }
}

static void append_variations(OozeText *out, const Session *session)
{
    const OozeSample *sample = &session->subject.sample;
    ooze_text_append(out, "\nover theory, 1 is exact\n%10s %10s %4s", "spacing", "time step",
                     "it.");
    for (int k = 0; k < OOZE_KEY_COUNT; k++) {
        ooze_text_append(out, " %9s", ooze_key_name((OozeKeyNumber)k));
    }
    ooze_text_append(out, "\n");
    for (int i = 0; i < session->variation_count; i++) {
        const OozeVariation *v = &session->variations[i];
        ooze_text_append(out, "%10.4g %10.4g %3.0fx", v->spacing * sample->spacing,
                         v->time_step * sample->time_step, v->iterations);
        for (int k = 0; k < OOZE_KEY_COUNT; k++) {
            if (isnan(v->value[k])) {
                ooze_text_append(out, " %9s", "-");
            } else {
                ooze_text_append(out, " %9.3f", v->value[k]);
            }
        }
        ooze_text_append(out, "\n");
    }
}

static OozeFindings findings_of(const Session *session)
{
    return (OozeFindings){.usual = session->variations,
                          .experiments = session->experiments,
                          .experiment_count = session->experiment_count,
                          .tolerance = session->tolerance};
}

static void append_report(OozeText *out, const Session *session)
{
    const OozeSample *s = &session->subject.sample;
    ooze_text_append(out, "%s: method %s, spacing %.4g m, time step %.4g s",
                     session->subject.material.name, s->method, s->spacing, s->time_step);
    if (session->subject.depends) {
        ooze_text_append(out, ", %.4g degC", session->subject.temperature);
    }
    ooze_text_append(out, "\n");
    for (int i = 0; i < session->experiment_count; i++) {
        append_experiment(out, &session->experiments[i]);
    }
    if (session->quick) {
        return;
    }
    OozeFindings findings = findings_of(session);
    append_variations(out, session);
    ooze_text_append(out, "\n");
    if (session->grid) {
        ooze_verdict_append_experiments(out, &findings);
        double worst = 0.0;
        for (int i = 0; i < session->variation_count; i++) {
            for (int k = 0; k < OOZE_KEY_COUNT; k++) {
                double off = fabs(session->variations[i].value[k] - 1.0);
                worst = off > worst ? off : worst;
            }
        }
        ooze_text_append(out, "worst of all rows: %.1f %% off theory\n", 100.0 * worst);
        return;
    }
    OozeVerdict verdict = ooze_verdict(&findings);
    ooze_verdict_append(out, &verdict, &findings, s);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void json_experiment(OozeText *out, const OozeExperiment *e)
{
    const OozeExperimentNames *names = ooze_experiment_names(e->kind);
    ooze_text_append(out, "{\"experiment\": \"%s\", \"points\": [", names->name);
    for (int curve = 0, first = 1; curve < names->curves; curve++) {
        for (int k = 0; k < e->count; k++, first = 0) {
            OozeMeasured m = e->y[curve][k];
            ooze_text_append(out, "%s", first ? "" : ", ");
            ooze_json_member(out, "{", names->x, e->x[k]);
            ooze_text_append(out, ", \"what\": \"%s\"", names->y[curve]);
            ooze_json_member(out, ", ", "theory", m.expected);
            ooze_json_member(out, ", ", "stress", m.reported);
            ooze_json_member(out, ", ", "momentum", m.momentum);
            ooze_text_append(out, "}");
        }
    }
    ooze_text_append(out, "]}");
}

static void json_all(OozeText *out, const Session *session)
{
    const OozeSample *s = &session->subject.sample;
    ooze_text_append(out, "{\n  \"material\": ");
    ooze_json_text(out, session->subject.material.name);
    ooze_text_append(out, ",\n  \"method\": \"%s\"", s->method);
    ooze_json_member(out, ",\n  ", "spacing", s->spacing);
    ooze_json_member(out, ",\n  ", "time_step", s->time_step);
    ooze_text_append(out, ",\n  \"experiments\": [");
    for (int i = 0; i < session->experiment_count; i++) {
        ooze_text_append(out, "%s\n    ", i ? "," : "");
        json_experiment(out, &session->experiments[i]);
    }
    ooze_text_append(out, "],\n  \"over_theory\": [");
    for (int i = 0; i < session->variation_count; i++) {
        const OozeVariation *v = &session->variations[i];
        ooze_text_append(out, "%s\n    ", i ? "," : "");
        ooze_json_member(out, "{", "spacing", v->spacing * s->spacing);
        ooze_json_member(out, ", ", "time_step", v->time_step * s->time_step);
        ooze_json_member(out, ", ", "iterations", v->iterations);
        for (int k = 0; k < OOZE_KEY_COUNT; k++) {
            ooze_json_member(out, ", ", ooze_key_name((OozeKeyNumber)k), v->value[k]);
        }
        ooze_text_append(out, "}");
    }
    ooze_text_append(out, "]");
    if (!session->grid && !session->quick) {
        OozeFindings findings = findings_of(session);
        OozeVerdict verdict = ooze_verdict(&findings);
        ooze_text_append(out, ",\n  \"converged\": %s, \"compared\": %d, \"outside\": %d",
                         verdict.converged ? "true" : "false", verdict.compared, verdict.outside);
    }
    ooze_text_append(out, "\n}\n");
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run_session(Session *session, const OozeArguments *arguments, OozeError *error)
{
    int code = open_subject(&session->subject, arguments, error);
    uint64_t count = 0;
    session->tolerance = 0.05;
    session->grid = ooze_argument_given(arguments, "grid");
    session->quick = ooze_argument_given(arguments, "quick");
    if (code != OOZE_EXIT_OK) {
        return code;
    }
    if (session->grid && session->quick) {
        return ooze_usage_error(arguments->command, "--quick leaves out what --grid asks for");
    }
    if (!ooze_argument_integer(arguments, "threads", 0, 4096, &count) ||
        !ooze_argument_real(arguments, "tolerance", 1e-6, 10.0, &session->tolerance)) {
        return OOZE_EXIT_USAGE;
    }
    OozeThreads *threads = NULL;
    OozeStatus status = ooze_threads_create((int)count, &threads, error);
    status = status ? status : measure(session, threads, error);
    ooze_threads_destroy(threads);
    const char *folder = ooze_argument_text(arguments, "output");
    if (!status && folder) {
        status =
            ooze_rheometer_draw(session->experiments, session->experiment_count, &session->theory,
                                session->subject.material.name, folder, error);
    }
    OozeText out = {0};
    if (!status && ooze_argument_given(arguments, "json")) {
        json_all(&out, session);
    } else if (!status) {
        append_report(&out, session);
    }
    status = status ? status : out.failed ? ooze_fail_memory(error, "a report", 0) : OOZE_OK;
    if (!status) {
        fputs(out.data, stdout);
    }
    ooze_text_clear(&out);
    return status ? ooze_report_error(error) : OOZE_EXIT_OK;
}

int ooze_rheo_measure(const OozeArguments *arguments)
{
    OozeError error = {0};
    Session *session = ooze_alloc_zero(1, sizeof *session);
    if (!session) {
        ooze_fail_memory(&error, "the rheometer", sizeof *session);
        return ooze_report_error(&error);
    }
    int code = run_session(session, arguments, &error);
    ooze_scene_free(session->subject.scene);
    ooze_free(session);
    return code;
}
