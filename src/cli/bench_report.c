/* The results of `ooze bench` as text or JSON: times of the stages of a step, and what the authors
   of the paper measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/isa.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/quantity.h"
#include "cli/report.h"

/* The authors measured their GPU (GTX 1070) at 12 times their processor (i7-3930K). */
static const double PAPER_GPU_OVER_CPU = 12.0, PAPER_CORES = 6.0;

typedef struct Figures {
    double iterations; /* a step */
    double rate;       /* particle-iterations/s */
    double threads;
    double gpu, cpu;         /* rates of the paper; NAN: none */
    double frame, cpu_frame; /* s at the paper's number of particles */
} Figures;

static Figures figures_of(const OozeBenchPlan *plan, const OozeBenchResult *r)
{
    Figures f = {.iterations = r->velocity + r->density, .threads = r->threads};
    f.rate = r->particles * f.iterations / r->step;
    f.gpu = f.cpu = f.frame = f.cpu_frame = NAN;
    if (plan->scene) {
        const OozeBenchScene *p = plan->scene;
        f.gpu = p->particles * p->steps_a_frame * p->iterations / p->seconds_a_frame;
        f.cpu = f.gpu / PAPER_GPU_OVER_CPU;
        f.frame = r->step * r->frame_steps * p->particles / r->particles;
        f.cpu_frame = p->seconds_a_frame * PAPER_GPU_OVER_CPU;
    }
    return f;
}

static bool is_done(const OozeBenchTime *part)
{
    return part->seconds > 0.0;
}

/* Milliseconds of a stage or part in a step. */
static double step_ms(const OozeBenchResult *r, const OozeBenchTime *time)
{
    return 1e3 * time->seconds * r->particles;
}

static void json_part(OozeFacts *facts, const OozeBenchResult *r, const OozeBenchTime *part)
{
    const struct {
        const char *key;
        double value;
    } values[] = {
        {"ns_per_particle", 1e9 * part->seconds}, {"calls_per_step", part->calls},
        {"ms_per_step", step_ms(r, part)},        {"ms_per_call", step_ms(r, part) / part->calls},
        {"launches_per_step", part->launches},    {"waits_per_step", part->waits},
    };
    const int rows = OOZE_ROWS(values) - (ooze_bench_on_processor(r) ? 2 : 0);
    for (int k = 0; k < rows; k++) {
        char key[96];
        snprintf(key, sizeof key, "%s_%s_%s", values[k].key, part->stage, part->name);
        ooze_facts_real(facts, key, values[k].value, "");
    }
}

static int print_json(const OozeBenchPlan *plan, const OozeBenchResult *r, const Figures *f)
{
    OozeFacts facts;
    ooze_facts_begin(&facts, true);
    ooze_facts_text(&facts, "scene", plan->path);
    ooze_facts_text(&facts, "device", r->device);
    ooze_facts_real(&facts, "particles", r->particles, "");
    ooze_facts_count(&facts, "threads", (uint64_t)r->threads);
    ooze_facts_count(&facts, "runs", plan->runs);
    ooze_facts_count(&facts, "steps_per_run", plan->steps);
    ooze_facts_real(&facts, "neighbours", r->neighbours + r->walls, "");
    ooze_facts_real(&facts, "wall_neighbours", r->walls, "");
    ooze_facts_real(&facts, "velocity_iterations", r->velocity, "");
    ooze_facts_real(&facts, "density_iterations", r->density, "");
    ooze_facts_real(&facts, "seconds_per_step", r->step, "");
    ooze_facts_real(&facts, "seconds_per_step_fastest", r->fastest, "");
    ooze_facts_real(&facts, "particle_iterations_per_second", f->rate, "");
    ooze_facts_real(&facts, "particle_iterations_per_second_per_thread", f->rate / f->threads, "");
    ooze_facts_real(&facts, "paper_cpu_particle_iterations_per_second", f->cpu, "");
    ooze_facts_real(&facts, "paper_gpu_particle_iterations_per_second", f->gpu, "");
    ooze_facts_real(&facts, "seconds_per_paper_frame", f->frame, "");
    ooze_facts_real(&facts, "paper_cpu_seconds_per_frame", f->cpu_frame, "");
    for (int k = 0; k < r->stage_count; k++) {
        char key[64];
        snprintf(key, sizeof key, "ns_per_particle_%s", r->stages[k].name);
        ooze_facts_real(&facts, key, 1e9 * r->stages[k].seconds, "");
        snprintf(key, sizeof key, "ms_per_step_%s", r->stages[k].name);
        ooze_facts_real(&facts, key, step_ms(r, &r->stages[k]), "");
    }
    for (int k = 0; k < r->part_count; k++) {
        if (is_done(&r->parts[k])) {
            json_part(&facts, r, &r->parts[k]);
        }
    }
    ooze_facts_real(&facts, "bytes_per_particle", r->bytes, "");
    ooze_facts_text(&facts, "instruction_set", ooze_isa_name(ooze_isa()));
    return ooze_facts_end(&facts);
}

static void print_stages(const OozeBenchResult *r)
{
    const bool counts = !ooze_bench_on_processor(r);
    double launches = 0.0, waits = 0.0;
    printf("  %-24s %10s %10s %10s %10s%s\n", "stage", "ns", "ms", "calls", "ms a call",
           counts ? "   launches      waits" : "");
    for (int k = 0; k < r->stage_count; k++) {
        const OozeBenchTime *stage = &r->stages[k];
        printf("  %-24s %10.1f %10.3f\n", stage->name, 1e9 * stage->seconds, step_ms(r, stage));
        for (int i = 0; i < r->part_count; i++) {
            const OozeBenchTime *part = &r->parts[i];
            if (is_done(part) && strcmp(part->stage, stage->name) == 0) {
                double ms = step_ms(r, part);
                printf("    %-22s %10.1f %10.3f %10.1f %10.4f", part->name, 1e9 * part->seconds, ms,
                       part->calls, ms / part->calls);
                if (counts) {
                    printf(" %10.1f %10.1f", part->launches, part->waits);
                }
                printf("\n");
                launches += part->launches;
                waits += part->waits;
            }
        }
    }
    if (counts) {
        printf("  launches     %.1f a step, and %.1f waits of the host\n", launches, waits);
    }
}

static void print_paper(const OozeBenchPlan *plan, const OozeBenchResult *r, const Figures *f)
{
    const OozeBenchScene *scene = plan->scene;
    if (isnan(scene->seconds_a_frame)) {
        printf("  frame        %.2f ms for the paper's %.0fk particles\n", 1e3 * f->frame,
               1e-3 * scene->particles);
        return;
    }
    if (!ooze_bench_on_processor(r)) {
        printf("  paper        %.1f on its GPU: %.1f times that\n", 1e-6 * f->gpu,
               f->rate / f->gpu);
        printf("  frame        %.2f ms for the paper's %.0fk particles; the paper's GPU took %.0f "
               "ms\n",
               1e3 * f->frame, 1e-3 * scene->particles, 1e3 * scene->seconds_a_frame);
        return;
    }
    printf("  paper        %.2f on six cores (%.2f per core), %.1f on its GPU: %.1f times the "
           "former, %.1f times per core\n",
           1e-6 * f->cpu, 1e-6 * f->cpu / PAPER_CORES, 1e-6 * f->gpu, f->rate / f->cpu,
           f->rate / f->threads / (f->cpu / PAPER_CORES));
    printf("  frame        %.2f s for the paper's %.0fk particles; the paper implies %.2f s on six "
           "cores\n",
           f->frame, 1e-3 * scene->particles, f->cpu_frame);
}

static int print_text(const OozeBenchPlan *plan, const OozeBenchResult *r, const Figures *f)
{
    char count[OOZE_QUANTITY_SIZE];
    bool here = ooze_bench_on_processor(r);
    printf("%s: %s particles, ", plan->path, ooze_quantity_count(count, (uint64_t)r->particles));
    if (here) {
        printf("%d threads, ", r->threads);
    } else {
        printf("device %s, ", r->device);
    }
    printf("median of %llu runs of %llu steps\n", (unsigned long long)plan->runs,
           (unsigned long long)plan->steps);
    printf(
        "  step         %.2f ms (fastest %.2f), %.0f iterations on velocities and %.0f on density, "
        "%.1f neighbours and %.1f on walls\n",
        1e3 * r->step, 1e3 * r->fastest, r->velocity, r->density, r->neighbours, r->walls);
    printf("  iterations   %.2f million particle-iterations/s", 1e-6 * f->rate);
    if (here) {
        printf(", %.2f per thread", 1e-6 * f->rate / f->threads);
    }
    printf(" (%.3g ns each)\n", 1e9 * f->threads / f->rate);
    if (plan->scene) {
        print_paper(plan, r, f);
    }
    printf("  memory       %.0f bytes per particle%s\n", r->bytes, here ? "" : " on the device");
    printf("\nPer step: nanoseconds per particle%s, milliseconds%s\n",
           here ? " (of all threads together)" : "",
           here ? "" : "; the machine waited for after each part, which the step above is without");
    print_stages(r);
    return OOZE_EXIT_OK;
}

int ooze_bench_print(const OozeBenchPlan *plan, const OozeBenchResult *result)
{
    Figures figures = figures_of(plan, result);
    return plan->json ? print_json(plan, result, &figures) : print_text(plan, result, &figures);
}
