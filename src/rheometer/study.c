#include "rheometer/study.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "methods/method.h"

static const char *const key_names[OOZE_KEY_COUNT] = {
    [OOZE_KEY_VISCOSITY_SLOW] = "eta slow",
    [OOZE_KEY_VISCOSITY] = "eta",
    [OOZE_KEY_VISCOSITY_FAST] = "eta fast",
    [OOZE_KEY_NORMAL] = "N1/s",
    [OOZE_KEY_NORMAL_FAST] = "N1/s fast",
    [OOZE_KEY_STORAGE] = "G'",
    [OOZE_KEY_LOSS] = "G''",
    [OOZE_KEY_CROSSOVER] = "crossover",
    [OOZE_KEY_TIME] = "time",
    [OOZE_KEY_MOMENTUM] = "momentum",
};

const char *ooze_key_name(OozeKeyNumber key)
{
    return key_names[key];
}

void ooze_study_refinements(OozeVariation *v)
{
    v[0] = (OozeVariation){.spacing = 1.0, .time_step = 1.0, .iterations = 1.0};
    v[1] = (OozeVariation){.spacing = 1.0, .time_step = 0.5, .iterations = 1.0};
    v[2] = (OozeVariation){.spacing = 0.5, .time_step = 1.0, .iterations = 1.0};
    v[3] = (OozeVariation){.spacing = 1.0, .time_step = 1.0, .iterations = 2.0};
}

void ooze_study_grid(OozeVariation *v)
{
    static const double factors[3] = {1.0, 0.7, 0.5};
    for (int i = 0; i < OOZE_STUDY_GRID; i++) {
        v[i] = (OozeVariation){.spacing = factors[i / 6],
                               .time_step = factors[i / 2 % 3],
                               .iterations = i % 2 ? 2.0 : 1.0};
    }
}

/* Scales every integer setting whose key contains "iterations". */
static void scale_iterations(const OozeMethod *method, double factor, const double *from,
                             double *params)
{
    const OozeMethodInfo *info = &method->info;
    for (int i = 0; i < info->param_count; i++) {
        params[i] = from ? from[i] : NAN;
    }
    for (int i = 0; i < info->param_count; i++) {
        const OozeParamInfo *p = &info->params[i];
        if (strstr(p->key, "iterations") && p->kind == OOZE_PARAM_INTEGER) {
            params[i] = fmin(round(ooze_method_param(method, params, i) * factor), p->max);
        }
    }
}

/* ---- what is measured ------------------------------------------------------------------------ */

enum { FLOW, OSCILLATION, RELAXATION, STUDY_EXPERIMENTS };

static void plan(const OozeTheory *t, double time, double dt, OozeExperiment *e)
{
    double max = OOZE_PROTOCOL_STRAIN / dt;
    bool solid = ooze_theory_is_solid(t);
    e[FLOW] = (OozeExperiment){
        .kind = OOZE_EXPERIMENT_FLOW,
        .count = solid ? 0 : 3,
        .x = {fmin(0.1 / time, 0.1 * max), fmin(1.0 / time, 0.3 * max), fmin(3.0 / time, max)},
        .seconds = isfinite(t->yield) ? ooze_protocol_seconds(t, dt)
                                      : ooze_protocol_capped(6.0 * time, dt)};
    double memory = ooze_theory_time(t);
    double base = fmax(0.5 / fmax(memory, 8.0 * dt), ooze_protocol_slowest(dt));
    e[OSCILLATION] = (OozeExperiment){.kind = OOZE_EXPERIMENT_OSCILLATION,
                                      .count = 3,
                                      .x = {base, 2.0 * base, 4.0 * base},
                                      .size = fmin(0.04, 0.3 * t->yield),
                                      .seconds = ooze_protocol_capped(5.0 * memory, dt)};
    e[RELAXATION] = (OozeExperiment){
        .kind = OOZE_EXPERIMENT_RELAXATION,
        .count = memory > dt ? 2 : 0,
        .x = {ooze_protocol_capped(0.5 * memory, dt), ooze_protocol_capped(1.5 * memory, dt)},
        .size = fmin(0.1, 0.3 * t->yield)};
}

static double ratio_to_theory(OozeMeasured m, bool momentum)
{
    double value = momentum ? m.momentum : ooze_measured_value(m);
    return m.expected > 0.0 ? value / m.expected : NAN;
}

/* Crossover frequency of G' and G'', interpolated on logarithmic axes, over that of theory. */
static double find_crossover(const OozeExperiment *e, const OozeTheory *t)
{
    double time = ooze_theory_time(t);
    for (int k = 0; k + 1 < e->count && t->modes == 1 && time > 0.0; k++) {
        double a = log(ooze_measured_value(e->y[0][k]) / ooze_measured_value(e->y[1][k]));
        double b = log(ooze_measured_value(e->y[0][k + 1]) / ooze_measured_value(e->y[1][k + 1]));
        double c = log(e->y[0][k].expected / e->y[1][k].expected);
        double d = log(e->y[0][k + 1].expected / e->y[1][k + 1].expected);
        if (a <= 0.0 && b > 0.0) {
            double ratio = log(e->x[k + 1] / e->x[k]);
            return exp(ratio * (-a / (b - a))) / exp(ratio * (-c / (d - c)));
        }
    }
    return NAN;
}

static void read_numbers(const OozeExperiment *e, const OozeTheory *t, double *value)
{
    for (int k = 0; k < OOZE_KEY_COUNT; k++) {
        value[k] = NAN;
    }
    if (e[FLOW].count == 3) {
        const OozeMeasured *eta = e[FLOW].y[0], *n1 = e[FLOW].y[1];
        value[OOZE_KEY_VISCOSITY_SLOW] = ratio_to_theory(eta[0], false);
        value[OOZE_KEY_VISCOSITY] = ratio_to_theory(eta[1], false);
        value[OOZE_KEY_VISCOSITY_FAST] = ratio_to_theory(eta[2], false);
        value[OOZE_KEY_NORMAL] = ratio_to_theory(n1[1], false) / ratio_to_theory(eta[1], false);
        value[OOZE_KEY_NORMAL_FAST] =
            ratio_to_theory(n1[2], false) / ratio_to_theory(eta[2], false);
        value[OOZE_KEY_MOMENTUM] = ratio_to_theory(eta[1], true);
    }
    for (int curve = 0; curve < 2; curve++) {
        if (ooze_experiment_is_significant(&e[OSCILLATION], curve, 1)) {
            value[OOZE_KEY_STORAGE + curve] = ratio_to_theory(e[OSCILLATION].y[curve][1], false);
        }
    }
    value[OOZE_KEY_CROSSOVER] = find_crossover(&e[OSCILLATION], t);
    if (e[RELAXATION].count == 2) {
        const OozeMeasured *g = e[RELAXATION].y[0];
        value[OOZE_KEY_TIME] = log(g[0].expected / g[1].expected) /
                               log(ooze_measured_value(g[0]) / ooze_measured_value(g[1]));
    }
}

static OozeStatus measure(const OozeSample *sample, const OozeMethod *method, OozeVariation *v,
                          OozeThreads *threads, OozeError *error)
{
    double *params = ooze_alloc((size_t)method->info.param_count + 1, sizeof *params);
    OozeExperiment *e = ooze_alloc(STUDY_EXPERIMENTS, sizeof *e);
    OozeStatus status = OOZE_OK;
    if (!params || !e) {
        status = ooze_fail_memory(error, "the rheometer", sizeof *e);
    } else {
        OozeSample s = *sample;
        s.spacing *= v->spacing;
        s.time_step *= v->time_step;
        s.params = params;
        scale_iterations(method, v->iterations, sample->params, params);
        OozeTheory theory = ooze_theory(s.material, s.spacing, s.time_step);
        /* independent of the variation's step, so that all variations measure the same rates */
        double time = ooze_protocol_time(&theory, sample->time_step);
        plan(&theory, time, s.time_step, e);
        status = ooze_experiments_run(e, STUDY_EXPERIMENTS, &s, &theory, threads, error);
        read_numbers(e, &theory, v->value);
    }
    ooze_free(params);
    ooze_free(e);
    return status;
}

OozeStatus ooze_study(const OozeSample *sample, OozeVariation *variations, int count,
                      OozeThreads *threads, OozeError *error)
{
    const OozeMethod *method = ooze_method_find(sample->method);
    if (!method) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "see `ooze methods`", "no method '%s'",
                         sample->method);
    }
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < count && !status; i++) {
        status = measure(sample, method, &variations[i], threads, error);
    }
    return status;
}
