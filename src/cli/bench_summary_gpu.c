/* ooze bench summary --device cuda: the figures that are aimed for on one H200. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/bench_summary.h"
#include "cli/command.h"

enum { MASSIVE = 12000000 };

typedef struct Setting {
    const char *const *overrides;
    int count;
} Setting;

/* One pass, so that iterations are as many as are asked for. */
static const char *const fifteen[] = {"method.velocity_iterations=15", "method.passes=1",
                                      "method.density_iterations=15"};
static const char *const ten_and_five[] = {"method.velocity_iterations=10", "method.passes=1",
                                           "method.density_iterations=5"};
static const char *const consistent[] = {"method.formulation=consistent",
                                         "method.velocity_iterations=10",
                                         "method.position_iterations=5"};

static int measure(OozeBenchSummary *s, const char *name, uint64_t particles, Setting setting,
                   OozeBenchResult *r)
{
    OozeText path = {0};
    int code;
    OozeBenchPlan plan = ooze_bench_plan_of(s, name, &path, &code);
    plan.particles = ooze_bench_at_most(s, particles);
    plan.overrides = setting.overrides;
    plan.override_count = setting.count;
    code = code ? code : ooze_bench_measure(&plan, r);
    code = code ? code : ooze_bench_machine_of(&plan, r, &s->machine);
    ooze_text_clear(&path);
    return code;
}

static OozeBenchFigure *add_limit(OozeBenchSummary *s, const char *key, const char *what,
                                  double value, double aim, const char *unit,
                                  const OozeBenchResult *r)
{
    OozeBenchFigure *figure = ooze_bench_figure(s, key, what, value, aim, unit);
    figure->at_most = true;
    snprintf(figure->note, sizeof figure->note, "%.0f particles, %.1f neighbours", r->particles,
             r->neighbours + r->walls);
    return figure;
}

static void add_iteration(OozeBenchSummary *s, const OozeBenchResult *r, OozeWorkKind kind,
                          const char *what, double aim)
{
    OozeBenchRow row;
    if (ooze_bench_row(r, &s->machine, kind, &row)) {
        double ms = 1e3 * row.seconds * r->particles;
        OozeBenchFigure *figure = add_limit(s, ooze_work_name(kind), what, ms, aim, "ms", r);
        snprintf(figure->note, sizeof figure->note,
                 "%.0f particles, %.1f neighbours, %.0f%% of copy", r->particles,
                 r->neighbours + r->walls, 100.0 * row.of_copy);
    }
}

/* Eight creatures with the paper's number of particles: iterations, a step's preparation, frames, memory. */
static int measure_massive(OozeBenchSummary *s)
{
    OozeBenchResult r, few, other;
    int code = measure(s, "massive", MASSIVE, (Setting){fifteen, OOZE_ROWS(fifteen)}, &r);
    code = code ? code
                : measure(s, "massive", MASSIVE, (Setting){ten_and_five, OOZE_ROWS(ten_and_five)},
                          &few);
    code =
        code ? code
             : measure(s, "massive", MASSIVE, (Setting){consistent, OOZE_ROWS(consistent)}, &other);
    if (code) {
        return code;
    }
    add_iteration(s, &r, OOZE_WORK_DENSITY, "density iteration", 1.9);
    add_iteration(s, &r, OOZE_WORK_VELOCITY, "velocity iteration", 3.0);
    add_iteration(s, &other, OOZE_WORK_POSITION, "position iteration", 3.5);
    add_iteration(s, &r, OOZE_WORK_NEIGHBOURS, "sort, reorder, lists", 6.0);
    add_limit(s, "massive_15_15", "massive frame, 15 + 15", r.step * r.frame_steps, 0.55, "s", &r);
    add_limit(s, "massive_10_5", "massive frame, 10 + 5", few.step * few.frame_steps, 0.3, "s",
              &few);
    add_limit(s, "bytes_per_particle", "memory per particle", r.bytes, 600, "bytes", &r);
    return OOZE_EXIT_OK;
}

static int measure_frames(OozeBenchSummary *s)
{
    static const struct {
        const char *name, *what;
        uint64_t particles;
        double ms;
    } frames[] = {
        {"interactive", "interactive frame, 15k", 15000, 2.0},
        {"honey", "honey frame, 105k", 105000, 10.0},
        {"cake", "cake frame, 150k", 150000, 35.0},
    };
    for (int k = 0; k < OOZE_ROWS(frames); k++) {
        OozeBenchResult r;
        bool bounded = ooze_bench_at_most(s, frames[k].particles) < frames[k].particles;
        if (bounded && strcmp(frames[k].name, "cake") == 0) {
            continue; /* has tens of thousands from the beginning */
        }
        int code = measure(s, frames[k].name, frames[k].particles, (Setting){0}, &r);
        if (code) {
            return code;
        }
        add_limit(s, frames[k].name, frames[k].what, 1e3 * r.step * r.frame_steps, frames[k].ms,
                  "ms", &r);
    }
    return OOZE_EXIT_OK;
}

/* From a million on; `--full`: up to 150 million. */
static int measure_evenness(OozeBenchSummary *s)
{
    static const uint64_t sizes[] = {1000000, 4000000, 12000000, 40000000, 150000000};
    OozeBenchScaling scaling = {.by_threads = false};
    int count = s->full ? OOZE_ROWS(sizes) : 3;
    for (int k = 0; k < count; k++) {
        if (k > 0 && ooze_bench_at_most(s, sizes[k]) < sizes[k]) {
            break;
        }
        int code = measure(s, "massive", sizes[k], (Setting){ten_and_five, OOZE_ROWS(ten_and_five)},
                           &scaling.rows[scaling.count]);
        if (code) {
            return code;
        }
        scaling.count++;
    }
    const OozeBenchResult *first = &scaling.rows[0], *last = &scaling.rows[scaling.count - 1];
    OozeBenchFigure *figure = add_limit(s, "unevenness", "cost per particle, spread",
                                        100.0 * ooze_bench_unevenness(&scaling), 15, "%", last);
    snprintf(figure->note, sizeof figure->note, "%.0f to %.0f particles, %.0f bytes each at last",
             first->particles, last->particles, last->bytes);
    return OOZE_EXIT_OK;
}

int ooze_bench_measure_gpu(OozeBenchSummary *s)
{
    int code = measure_massive(s);
    code = code ? code : measure_frames(s);
    return code ? code : measure_evenness(s);
}
