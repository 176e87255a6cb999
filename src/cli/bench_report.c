#include <math.h>
#include <stdio.h>

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
    double gpu, cpu;          /* the paper's, NAN without one */
    double frame, cpu_frame;  /* s at the paper's number of particles */
    double bytes, neighbours; /* per particle */
} Figures;

static Figures figures_of(const OozeBenchResult *r)
{
    Figures f = {.iterations = r->velocity + r->density, .threads = r->stats.threads};
    f.rate = r->particles * f.iterations / r->step;
    f.gpu = f.cpu = f.frame = f.cpu_frame = NAN;
    if (r->scene) {
        const OozeBenchScene *p = r->scene;
        f.gpu = p->particles * p->steps_a_frame * p->iterations / p->seconds_a_frame;
        f.cpu = f.gpu / PAPER_GPU_OVER_CPU;
        f.frame = r->step * r->frame_steps * p->particles / r->particles;
        f.cpu_frame = p->seconds_a_frame * PAPER_GPU_OVER_CPU;
    }
    f.bytes = (double)r->stats.particle_bytes / (double)r->stats.particles;
    f.neighbours = (double)r->stats.neighbour_pairs / (double)r->stats.particles;
    return f;
}

static int print_json(const OozeBenchResult *r, const Figures *f)
{
    OozeFacts facts;
    ooze_facts_begin(&facts, true);
    ooze_facts_text(&facts, "scene", r->path);
    ooze_facts_real(&facts, "particles", r->particles, "");
    ooze_facts_count(&facts, "threads", (uint64_t)r->stats.threads);
    ooze_facts_count(&facts, "runs", r->plan->runs);
    ooze_facts_count(&facts, "steps_per_run", r->plan->steps);
    ooze_facts_real(&facts, "neighbours", f->neighbours, "");
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
        snprintf(key, sizeof key, "ns_per_particle_%s", r->stats.stages[k].name);
        ooze_facts_real(&facts, key, 1e9 * r->stages[k], "");
    }
    ooze_facts_real(&facts, "bytes_per_particle", f->bytes, "");
    return ooze_facts_end(&facts);
}

static int print_text(const OozeBenchResult *r, const Figures *f)
{
    char count[OOZE_QUANTITY_SIZE];
    printf("%s: %s particles, %d threads, median of %llu runs of %llu steps\n", r->path,
           ooze_quantity_count(count, (uint64_t)r->particles), r->stats.threads,
           (unsigned long long)r->plan->runs, (unsigned long long)r->plan->steps);
    printf(
        "  step         %.2f ms (fastest %.2f), %.0f iterations on velocities and %.0f on density, "
        "%.1f neighbours\n",
        1e3 * r->step, 1e3 * r->fastest, r->velocity, r->density, f->neighbours);
    printf("  iterations   %.2f million particle-iterations/s, %.2f per thread (%.0f ns each)\n",
           1e-6 * f->rate, 1e-6 * f->rate / f->threads, 1e9 * f->threads / f->rate);
    if (r->scene) {
        printf("  paper        %.2f on six cores (%.2f per core), %.1f on its GPU: %.1f times the "
               "former, %.1f times per core\n",
               1e-6 * f->cpu, 1e-6 * f->cpu / PAPER_CORES, 1e-6 * f->gpu, f->rate / f->cpu,
               f->rate / f->threads / (f->cpu / PAPER_CORES));
        printf("  frame        %.2f s for the paper's %.0fk particles; the paper implies %.2f s on "
               "six "
               "cores\n",
               f->frame, 1e-3 * r->scene->particles, f->cpu_frame);
    }
    printf("  stages       ns per particle and step:");
    for (int k = 0; k < r->stage_count; k++) {
        printf(" %s %.0f%s", r->stats.stages[k].name, 1e9 * r->stages[k],
               k + 1 < r->stage_count ? "," : "\n");
    }
    printf("  memory       %.0f bytes per particle\n", f->bytes);
    return OOZE_EXIT_OK;
}

int ooze_bench_print(const OozeBenchResult *result, bool json)
{
    Figures figures = figures_of(result);
    return json ? print_json(result, &figures) : print_text(result, &figures);
}
