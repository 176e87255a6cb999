#include "rheometer/protocol.h"

#include <math.h>

/* Largest number of steps of an experiment, and of one period of an oscillation. Slower materials
   are measured during the transient, which theory includes. */
enum { STEPS_MAX = 1000, PERIOD_MAX = 1500 };

double ooze_protocol_time(const OozeTheory *t, double time_step)
{
    double time = ooze_theory_time(t), stress = ooze_theory_yield_stress(t);
    if (isfinite(stress) && t->solvent > 0.0) {
        time = t->solvent / stress;
    } else if (time == 0.0 && t->thinning.time > 0.0f) {
        time = (double)t->thinning.time;
    }
    return time > 0.0 ? time : 20.0 * time_step;
}

double ooze_protocol_capped(double seconds, double time_step)
{
    return fmin(seconds, STEPS_MAX * time_step);
}

double ooze_protocol_slowest(double time_step)
{
    return 2.0 * OOZE_PI / (PERIOD_MAX * time_step);
}

double ooze_protocol_seconds(const OozeTheory *t, double time_step)
{
    double time = isfinite(t->yield) ? ooze_theory_time(t) : ooze_protocol_time(t, time_step);
    return ooze_protocol_capped(6.0 * time, time_step);
}

/* Sets x to factors / time; leaves out rates above `max`, but keeps at least one. */
static int add_rates(OozeExperiment *e, const double *factors, int count, double time, double max)
{
    e->count = 0;
    for (int i = 0; i < count; i++) {
        double rate = factors[i] / time;
        if (rate <= max || e->count == 0) {
            e->x[e->count++] = fmin(rate, max);
        }
    }
    return e->count;
}

/* Sets x to factors * time, rounded to ends of steps. */
static void add_times(OozeExperiment *e, const double *factors, int count, double time, double dt)
{
    for (int i = 0; i < count; i++) {
        double at = round(ooze_protocol_capped(factors[i] * time, dt) / dt) * dt;
        if (at >= dt && (e->count == 0 || at > e->x[e->count - 1])) {
            e->x[e->count++] = at;
        }
    }
}

static void plan_flow(OozeExperiment *e, const OozeTheory *t, double time, double dt)
{
    static const double usual[] = {0.1, 0.3, 1.0, 3.0};
    static const double decades[] = {0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0};
    bool thins = t->thinning.time > 0.0f;
    double about = thins ? (double)t->thinning.time : time;
    *e = (OozeExperiment){.kind = OOZE_EXPERIMENT_FLOW, .seconds = ooze_protocol_seconds(t, dt)};
    add_rates(e, thins ? decades : usual, thins ? 7 : 4, about, OOZE_PROTOCOL_STRAIN / dt);
}

static void plan_plates(OozeExperiment *e, const OozeTheory *t, double time, double dt)
{
    static const double factors[] = {0.3, 1.0};
    *e = (OozeExperiment){.kind = OOZE_EXPERIMENT_PLATES, .seconds = ooze_protocol_seconds(t, dt)};
    add_rates(e, factors, 2, time, OOZE_PROTOCOL_STRAIN / dt);
}

/* Frequencies are integer multiples of the slowest. */
static void plan_oscillation(OozeExperiment *e, const OozeTheory *t, double time, double dt)
{
    static const double multiples[] = {1.0, 3.0, 10.0, 30.0, 100.0};
    double max = 2.0 * OOZE_PI / (OOZE_PROTOCOL_PERIOD * dt), limit = t->yield;
    double slowest = fmax(0.1 / time, ooze_protocol_slowest(dt));
    *e = (OozeExperiment){.kind = OOZE_EXPERIMENT_OSCILLATION,
                          .size = fmin(0.04, 0.3 * limit),
                          .seconds =
                              ooze_protocol_capped(5.0 * ooze_theory_time(t) + 10.0 * dt, dt)};
    add_rates(e, multiples, 5, 1.0 / fmin(slowest, max), max);
}

static void plan_relaxation(OozeExperiment *e, const OozeTheory *t, double time, double dt)
{
    static const double factors[] = {0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0};
    *e = (OozeExperiment){.kind = OOZE_EXPERIMENT_RELAXATION, .size = fmin(0.1, 0.3 * t->yield)};
    add_times(e, factors, 7, time, dt);
}

static void plan_creep(OozeExperiment *e, double stress, double time, double dt)
{
    static const double factors[] = {0.1, 0.3, 0.5, 1.0, 2.0, 3.0};
    *e = (OozeExperiment){.kind = OOZE_EXPERIMENT_CREEP, .size = stress};
    add_times(e, factors, 6, fmax(time, 20.0 * dt), dt);
}

static void plan_stretch(OozeExperiment *e, double time, double dt)
{
    static const double deborah[] = {0.1, 0.25};
    *e = (OozeExperiment){.kind = OOZE_EXPERIMENT_STRETCH,
                          .seconds = ooze_protocol_capped(4.0 * time, dt)};
    add_rates(e, deborah, 2, time, 0.1 / dt);
}

int ooze_protocol(const OozeTheory *t, const OozeSample *s, OozeExperiment *list)
{
    double dt = s->time_step, time = ooze_protocol_time(t, dt), memory = ooze_theory_time(t);
    double stress = ooze_theory_yield_stress(t);
    bool solid = ooze_theory_is_solid(t), yields = isfinite(stress);
    int count = 0;
    if (!solid) {
        plan_flow(&list[count++], t, time, dt);
        plan_plates(&list[count++], t, time, dt);
    }
    plan_oscillation(&list[count++], t, memory > 0.0 ? memory : 20.0 * dt, dt);
    if (t->modes > 0) {
        plan_relaxation(&list[count], t, memory > 0.0 ? memory : 20.0 * dt, dt);
        count += list[count].count > 0; /* none where stress relaxes within a step */
        plan_creep(&list[count++], yields ? 0.5 * stress : 0.05 * ooze_theory_modulus(t), memory,
                   dt);
    }
    if (yields) {
        plan_creep(&list[count++], 1.5 * stress, memory, dt);
    } else if (!solid) {
        plan_stretch(&list[count++], time, dt);
    }
    double omega = fmin(fmax(1.0 / time, ooze_protocol_slowest(dt)),
                        2.0 * OOZE_PI / (2.0 * OOZE_PROTOCOL_PERIOD * dt));
    if (t->modes > 0 && !solid) {
        list[count++] = (OozeExperiment){.kind = OOZE_EXPERIMENT_LARGE,
                                         .count = 2,
                                         .x = {1.0, 3.0},
                                         .size = 1.0,
                                         .seconds = omega};
    }
    return count;
}
