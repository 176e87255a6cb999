/* Cost of a scene as a function of the number of threads or particles. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "base/system_memory.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/report.h"

/* ---- measuring ---------------------------------------------------------------------------- */

/* Core-nanoseconds per particle and step. */
static double cost(const OozeBenchResult *r)
{
    return 1e9 * r->step * r->threads / r->particles;
}

/* Core-seconds per particle and step of the first row, divided by those of this row. */
static double efficiency_of(const OozeBenchScaling *scaling, int row)
{
    return cost(&scaling->rows[0]) / cost(&scaling->rows[row]);
}

/* The largest cost per particle and step of all rows over the smallest, minus 1. */
static double unevenness_of(const OozeBenchScaling *scaling)
{
    double max = 0.0, min = INFINITY;
    for (int k = 0; k < scaling->count; k++) {
        max = fmax(max, cost(&scaling->rows[k]));
        min = fmin(min, cost(&scaling->rows[k]));
    }
    return max / min - 1.0;
}

/* 1, 2, 4, ... threads up to the plan's. Returns the exit code. */
static int collect_threads(const OozeBenchPlan *plan, OozeBenchScaling *scaling)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t max = plan->threads > 0 ? plan->threads : (uint64_t)(cores > 0 ? cores : 1);
    *scaling = (OozeBenchScaling){.by_threads = true};
    int code = OOZE_EXIT_OK;
    for (uint64_t threads = 1; !code && scaling->count < OOZE_BENCH_ROWS_MAX;) {
        OozeBenchPlan part = *plan;
        part.threads = threads;
        code = ooze_bench_measure(&part, &scaling->rows[scaling->count]);
        scaling->count += code == OOZE_EXIT_OK;
        if (threads == max) {
            break;
        }
        threads = 2 * threads < max ? 2 * threads : max;
    }
    return code;
}

/* Building a scene temporarily takes half as much memory again. */
static bool has_room(const OozeBenchScaling *scaling, uint64_t particles)
{
    const double host_peak = 1.5, device_peak = 1.05;
    if (scaling->count == 0) {
        return true;
    }
    const OozeBenchResult *last = &scaling->rows[scaling->count - 1];
    bool here = host_peak * last->host_bytes * (double)particles < ooze_available_memory();
    double there = last->device_free_bytes + last->bytes * last->particles;
    return here &&
           (ooze_bench_on_processor(last) || device_peak * last->bytes * (double)particles < there);
}

/* 30k to 4M particles (GPU: 100k to 200M), up to the plan's number. Returns the exit code. */
static int collect_particles(const OozeBenchPlan *plan, OozeBenchScaling *scaling)
{
    enum { SIZES = 7 };
    static const uint64_t here[SIZES] = {30000, 100000, 300000, 1000000, 4000000};
    static const uint64_t there[SIZES] = {100000,   1000000,   4000000,  12000000,
                                          40000000, 150000000, 200000000};
    const uint64_t *sizes = plan->device == OOZE_DEVICE_CUDA ? there : here;
    *scaling = (OozeBenchScaling){.by_threads = false};
    int code = OOZE_EXIT_OK;
    for (int k = 0; k < SIZES && sizes[k] > 0 && !code; k++) {
        bool beyond = plan->particles > 0 && sizes[k] > plan->particles;
        if (k > 0 && beyond) {
            break;
        }
        if (!has_room(scaling, sizes[k])) {
            scaling->left_out = sizes[k];
            break;
        }
        OozeBenchPlan part = *plan;
        part.particles = beyond ? plan->particles : sizes[k];
        code = ooze_bench_measure(&part, &scaling->rows[scaling->count]);
        scaling->count += code == OOZE_EXIT_OK;
    }
    return code;
}

/* ---- telling ------------------------------------------------------------------------------ */

static void append_fact(OozeText *out, const char *key, double value)
{
    ooze_text_append(out, ", \"%s\": ", key);
    ooze_json_number(out, value);
}

static void append_row(OozeText *out, const OozeBenchScaling *scaling, int k)
{
    const OozeBenchResult *r = &scaling->rows[k];
    ooze_text_append(out, "%s\n    {\"threads\": %d", k > 0 ? "," : "", r->threads);
    append_fact(out, "particles", r->particles);
    append_fact(out, "neighbours", r->neighbours + r->walls);
    append_fact(out, "seconds_per_step", r->step);
    append_fact(out, "seconds_per_step_fastest", r->fastest);
    append_fact(out, "core_ns_per_particle", cost(r));
    append_fact(out, "relative", efficiency_of(scaling, k));
    append_fact(out, "bytes_per_particle", r->bytes);
    ooze_text_append(out, "}");
}

static int print_json(const OozeBenchPlan *plan, const OozeBenchScaling *scaling)
{
    OozeText out = {0};
    ooze_text_append(&out, "{\n  \"scene\": ");
    ooze_json_text(&out, plan->path);
    if (scaling->by_threads) {
        append_fact(&out, "efficiency", efficiency_of(scaling, scaling->count - 1));
    } else {
        append_fact(&out, "unevenness", unevenness_of(scaling));
        append_fact(&out, "left_out_particles", (double)scaling->left_out);
    }
    ooze_text_append(&out, ",\n  \"rows\": [");
    for (int k = 0; k < scaling->count; k++) {
        append_row(&out, scaling, k);
    }
    ooze_text_append(&out, "\n  ]\n}\n");
    bool failed = out.failed;
    fputs(failed ? "" : out.data, stdout);
    ooze_text_clear(&out);
    return failed ? OOZE_EXIT_FAILED : OOZE_EXIT_OK;
}

static void print_row(const OozeBenchScaling *scaling, int k)
{
    const OozeBenchResult *r = &scaling->rows[k];
    printf("  %7d %9.0f %10.1f %10.2f %8.0f %8.0f%% %7.0f", r->threads, r->particles,
           r->neighbours + r->walls, 1e3 * r->step, cost(r), 100.0 * efficiency_of(scaling, k),
           r->bytes);
    printf("\n");
}

static int print_text(const OozeBenchPlan *plan, const OozeBenchScaling *scaling)
{
    printf("%s: median of %llu runs of %llu steps\n"
           "core-ns per particle and step\n",
           plan->path, (unsigned long long)plan->runs, (unsigned long long)plan->steps);
    printf("  %7s %9s %10s %10s %8s %9s %7s", "threads", "particles", "neighbours", "ms a step",
           "core-ns", "relative", "bytes");
    printf("\n");
    for (int k = 0; k < scaling->count; k++) {
        print_row(scaling, k);
    }
    int last = scaling->count - 1;
    if (scaling->by_threads) {
        printf("parallel efficiency of %d threads: %.0f%%\n", scaling->rows[last].threads,
               100.0 * efficiency_of(scaling, last));
    } else {
        printf("cost per particle even within %.0f%%\n", 100.0 * unevenness_of(scaling));
    }
    if (scaling->left_out > 0) {
        char count[OOZE_QUANTITY_SIZE];
        printf("no memory for %s particles\n", ooze_quantity_count(count, scaling->left_out));
    }
    return OOZE_EXIT_OK;
}

int ooze_bench_scale(const OozeBenchPlan *plan, bool by_threads)
{
    OozeBenchScaling scaling;
    int code = by_threads ? collect_threads(plan, &scaling) : collect_particles(plan, &scaling);
    if (code) {
        return code;
    }
    return plan->json ? print_json(plan, &scaling) : print_text(plan, &scaling);
}
