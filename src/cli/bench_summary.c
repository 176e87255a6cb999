/* ooze bench summary: every figure that is aimed for, beside its aim. */
#include <math.h>
#include <stdio.h>

#include "cli/bench_summary.h"
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/report.h"

OozeBenchFigure *ooze_bench_figure(OozeBenchSummary *s, const char *key, const char *what,
                                   double value, double aim, const char *unit)
{
    OozeBenchFigure *figure =
        &s->figures[s->count < OOZE_BENCH_FIGURES_MAX - 1 ? s->count++
                                                          : OOZE_BENCH_FIGURES_MAX - 1];
    *figure = (OozeBenchFigure){.key = key, .what = what, .value = value, .aim = aim, .unit = unit};
    return figure;
}

/* ---- what is measured --------------------------------------------------------------------- */

/* The blocks of the paper's Figure 4, standing on the floor, so that boundaries count from the first step. */
static const char *const standing[] = {
    "fluids.yellow.shape.position=[-0.6, 0.15, 0]",
    "fluids.magenta.shape.position=[0, 0.15, 0]",
    "fluids.cyan.shape.position=[0.6, 0.15, 0]",
    "method.formulation=consistent",
};
enum { STANDING = 3, CONSISTENT = 4 };

uint64_t ooze_bench_at_most(const OozeBenchSummary *s, uint64_t particles)
{
    uint64_t most = s->plan->particles;
    return most > 0 && most < particles ? most : particles;
}

OozeBenchPlan ooze_bench_plan_of(const OozeBenchSummary *s, const char *name, OozeText *path,
                                 int *code)
{
    OozeBenchPlan plan = *s->plan;
    plan.scene = ooze_bench_find(name);
    *code = ooze_bench_locate(&plan, path);
    plan.path = path->data;
    return plan;
}

static void add_rate(OozeBenchSummary *s, const OozeBenchResult *r, OozeWorkKind kind,
                     const char *what, double aim)
{
    OozeBenchRow row;
    if (ooze_bench_row(r, &s->machine, kind, &row)) {
        OozeBenchFigure *figure = ooze_bench_figure(s, ooze_work_name(kind), what, 1e-6 * row.rate,
                                                    aim, "million/s/core");
        snprintf(figure->note, sizeof figure->note, "%.0f%% of flops, %.0f%% of copy",
                 100.0 * row.of_flops, 100.0 * row.of_copy);
    }
}

/* Rates, efficiency and evenness, all of the same blocks. */
static int measure_blocks(OozeBenchSummary *s)
{
    OozeText path = {0};
    OozeBenchScaling scaling;
    OozeBenchResult consistent;
    int code;
    OozeBenchPlan plan = ooze_bench_plan_of(s, "blocks", &path, &code);
    plan.overrides = standing;
    plan.override_count = STANDING;
    plan.particles = ooze_bench_at_most(s, s->full ? 4000000 : 300000);
    code = code ? code : ooze_bench_collect_particles(&plan, &scaling);
    double unevenness = code ? NAN : ooze_bench_unevenness(&scaling);
    OozeBenchResult first = scaling.rows[0], last = scaling.rows[code ? 0 : scaling.count - 1];
    plan.particles = ooze_bench_at_most(s, 30000);
    plan.override_count = CONSISTENT;
    code = code ? code : ooze_bench_measure(&plan, &consistent);
    plan.override_count = STANDING;
    plan.processor = false; /* waiting counts */
    code = code ? code : ooze_bench_collect_threads(&plan, &scaling);
    ooze_text_clear(&path);
    if (code) {
        return code;
    }
    add_rate(s, &first, OOZE_WORK_DENSITY, "density iteration", 8);
    add_rate(s, &first, OOZE_WORK_VELOCITY, "velocity operator", 9);
    add_rate(s, &consistent, OOZE_WORK_POSITION, "position iteration", 3.5);
    add_rate(s, &first, OOZE_WORK_NEIGHBOURS, "sort and neighbour lists", 5);
    OozeBenchFigure *figure = ooze_bench_figure(s, "bytes_per_particle", "memory per particle",
                                                last.bytes, 1000, "bytes");
    figure->at_most = true;
    snprintf(figure->note, sizeof figure->note, "%.0f particles", last.particles);
    int threads = scaling.rows[scaling.count - 1].threads;
    figure = ooze_bench_figure(s, "efficiency", "parallel efficiency",
                               100.0 * ooze_bench_efficiency(&scaling, scaling.count - 1),
                               threads > 2 ? 70 : 85, "%");
    snprintf(figure->note, sizeof figure->note, "%d threads", threads);
    figure = ooze_bench_figure(s, "unevenness", "cost per particle, spread", 100.0 * unevenness, 20,
                               "%");
    figure->at_most = true;
    snprintf(figure->note, sizeof figure->note, "%.0f to %.0f particles", first.particles,
             last.particles);
    return OOZE_EXIT_OK;
}

/* A scene of the paper poured to `particles`, and its seconds a frame, in proportion for as many as the paper
   has. */
static int measure_frame(const OozeBenchSummary *s, const char *name, uint64_t particles,
                         double *seconds, OozeBenchResult *r)
{
    OozeText path = {0};
    int code;
    OozeBenchPlan plan = ooze_bench_plan_of(s, name, &path, &code);
    plan.particles = ooze_bench_at_most(s, particles);
    plan.processor = false; /* what somebody in front of it waits for */
    code = code ? code : ooze_bench_measure(&plan, r);
    ooze_text_clear(&path);
    *seconds = code ? NAN : r->step * r->frame_steps * plan.scene->particles / r->particles;
    return code;
}

static int measure_frames(OozeBenchSummary *s)
{
    OozeBenchResult interactive, honey;
    double seconds = NAN, poured = NAN;
    int code = measure_frame(s, "interactive", 15000, &seconds, &interactive);
    code = code ? code : measure_frame(s, "honey", s->full ? 105000 : 10000, &poured, &honey);
    if (code) {
        return code;
    }
    OozeBenchFigure *figure = ooze_bench_figure(s, "interactive", "interactive scene, 15k",
                                                1.0 / seconds, 30, "frames/s");
    snprintf(figure->note, sizeof figure->note, "measured with %.0f particles",
             interactive.particles);
    figure =
        ooze_bench_figure(s, "honey", "honey, 105k; the paper's GPU", poured, 0.14, "s a frame");
    figure->at_most = true;
    snprintf(figure->note, sizeof figure->note, "measured with %.0f particles", honey.particles);
    return OOZE_EXIT_OK;
}

/* ---- telling ------------------------------------------------------------------------------ */

static bool is_met(const OozeBenchFigure *figure)
{
    return figure->at_most ? figure->value <= figure->aim : figure->value >= figure->aim;
}

static int print_json(const OozeBenchSummary *s)
{
    OozeText out = {0};
    ooze_text_append(&out,
                     "{\n  \"threads\": %d, \"machine_flops_per_second\": ", s->machine.threads);
    ooze_json_number(&out, s->machine.flops);
    ooze_text_append(&out, ", \"machine_copy_bytes_per_second\": ");
    ooze_json_number(&out, s->machine.copy);
    ooze_text_append(&out, ",\n  \"figures\": [");
    for (int k = 0; k < s->count; k++) {
        const OozeBenchFigure *f = &s->figures[k];
        ooze_text_append(&out, "%s\n    {\"name\": \"%s\", \"value\": ", k > 0 ? "," : "", f->key);
        ooze_json_number(&out, f->value);
        ooze_text_append(&out, ", \"aim\": %g, \"at_most\": %s, \"met\": %s, \"unit\": \"%s\"",
                         f->aim, f->at_most ? "true" : "false", is_met(f) ? "true" : "false",
                         f->unit);
        ooze_text_append(&out, ", \"note\": \"%s\"}", f->note);
    }
    ooze_text_append(&out, "\n  ]\n}\n");
    bool failed = out.failed;
    fputs(failed ? "" : out.data, stdout);
    ooze_text_clear(&out);
    return failed ? OOZE_EXIT_FAILED : OOZE_EXIT_OK;
}

static int print_text(const OozeBenchSummary *s)
{
    if (s->plan->device == OOZE_DEVICE_CUDA) {
        printf("a GPU that copies at %.0f GB/s as measured now; aims are those of one H200",
               1e-9 * s->machine.copy);
    } else {
        printf("%d threads, %.1f Gflop/s and %.1f GB/s as measured now", s->machine.threads,
               1e-9 * s->machine.flops, 1e-9 * s->machine.copy);
    }
    printf("; median of %llu runs of %llu steps\n", (unsigned long long)s->plan->runs,
           (unsigned long long)s->plan->steps);
    printf("  %-30s %10s %12s  %-15s %-4s\n", "figure", "measured", "aim", "", "met");
    for (int k = 0; k < s->count; k++) {
        const OozeBenchFigure *f = &s->figures[k];
        printf("  %-30s %10.4g %3s %8g  %-15s %-4s %s\n", f->what, f->value,
               f->at_most ? "<=" : ">=", f->aim, f->unit, is_met(f) ? "yes" : "no", f->note);
    }
    return OOZE_EXIT_OK;
}

int ooze_bench_summary(const OozeBenchPlan *plan, bool full)
{
    OozeBenchSummary summary = {.plan = plan, .full = full};
    int code;
    if (plan->device == OOZE_DEVICE_CUDA) {
        code = ooze_bench_measure_gpu(&summary);
    } else {
        code = ooze_bench_machine((int)plan->threads, &summary.machine);
        code = code ? code : measure_blocks(&summary);
        code = code ? code : measure_frames(&summary);
    }
    if (code) {
        return code;
    }
    return plan->json ? print_json(&summary) : print_text(&summary);
}
