#include "rheometer/experiment.h"

#include <math.h>

#include "materials/material.h"
#include "rheometer/harmonics.h"

static const OozeExperimentNames names[OOZE_EXPERIMENT_KIND_COUNT] = {
    [OOZE_EXPERIMENT_FLOW] =
        {"flow", "steady shear", "rate", "1/s", 2, {"viscosity", "N1"}, {"Pa s", "Pa"}},
    [OOZE_EXPERIMENT_PLATES] = {"plates",
                                "steady shear between plates",
                                "rate",
                                "1/s",
                                2,
                                {"viscosity", "N1"},
                                {"Pa s", "Pa"}},
    [OOZE_EXPERIMENT_OSCILLATION] =
        {"oscillation", "small oscillation", "omega", "rad/s", 2, {"G'", "G''"}, {"Pa", "Pa"}},
    [OOZE_EXPERIMENT_LARGE] =
        {"large", "harmonics of a large oscillation", "harmonic", "", 1, {"stress"}, {"Pa"}},
    [OOZE_EXPERIMENT_RELAXATION] =
        {"relaxation", "after a step strain", "time", "s", 1, {"modulus"}, {"Pa"}},
    [OOZE_EXPERIMENT_CREEP] = {"creep", "under constant stress", "time", "s", 1, {"strain"}, {""}},
    [OOZE_EXPERIMENT_STRETCH] =
        {"stretch", "uniaxial stretch", "rate", "1/s", 1, {"viscosity"}, {"Pa s"}},
};

const OozeExperimentNames *ooze_experiment_names(OozeExperimentKind kind)
{
    return &names[kind];
}

bool ooze_experiment_tells(const OozeExperiment *e, int curve, int point)
{
    const double lost = 0.05;
    double expected = e->y[curve][point].expected;
    double beside = e->kind == OOZE_EXPERIMENT_OSCILLATION ? e->y[1 - curve][point].expected
                    : e->kind == OOZE_EXPERIMENT_LARGE     ? e->y[0][0].expected
                                                           : 0.0;
    return expected > 0.0 && !(expected < lost * beside);
}

/* One cell's worth of work: a point of a flow or stretch, else all of the experiment. */
typedef struct Job {
    OozeExperiment *experiment;
    int point;
    const OozeSample *sample;
    const OozeTheory *theory;
    OozeStatus status;
    OozeError error;
} Job;

/* ---- steady ---------------------------------------------------------------------------------- */

/* In how many steps a flow is steady but for what its start takes to die out across the gap, and
   whether that has: then momentum tells the stress. What would take too long is not waited for. */
static int flow_steps(const Job *job, bool *settled)
{
    enum { STEPS_MAX = 2000, WAIT_MAX = 1500 };
    const OozeExperiment *e = job->experiment;
    const OozeSample *s = job->sample;
    double rate = e->x[job->point], seconds = e->seconds;
    double gap = s->spacing *
                 (e->kind == OOZE_EXPERIMENT_PLATES ? OOZE_PLATES_GAP : OOZE_CELL_GAP) / OOZE_PI;
    if (isfinite(job->theory->yield)) { /* the strain has to reach the yield strain */
        seconds = fmax(seconds, 2.0 * job->theory->yield / rate);
    }
    double viscosity = ooze_theory_viscosity(job->theory, rate, seconds);
    double lasts = s->material->values[OOZE_MATERIAL_DENSITY] * gap * gap / viscosity;
    double steps = fmin(seconds / s->time_step, STEPS_MAX), wait = 2.0 * lasts / s->time_step;
    *settled = wait <= fmax(steps, WAIT_MAX);
    steps = *settled ? fmax(steps, fmin(2.0 * wait, WAIT_MAX)) : steps;
    return (int)fmax(20.0, ceil(steps));
}

/* A quarter of the time is read, or as long as layers take to slide by a spacing, for they are not
   smooth; what is expected is the mean of the same steps. */
static OozeStatus run_flow(Job *job)
{
    OozeExperiment *e = job->experiment;
    double dt = job->sample->time_step, rate = e->x[job->point];
    bool settled;
    int from = flow_steps(job, &settled);
    double slide = round(1.0 / (rate * dt));
    int steps = from + (slide > from / 4 && slide < 500.0 ? (int)slide : from / 4);
    bool plates = e->kind == OOZE_EXPERIMENT_PLATES;
    /* plates let the fluid slip by part of a spacing, and what is too thin for stress to cross the
       gap goes its own way: theory is asked of the rate that it has */
    bool loose = plates || !settled;
    OozeCell *cell = NULL;
    OozeStatus status = ooze_cell_create(job->sample, plates ? OOZE_CELL_PLATES : OOZE_CELL_SHEAR,
                                         0.0, &cell, &job->error);
    OozeShearPath path = {{0}};
    double told = 0, momentum = 0, normal = 0, local = 0, stress = 0, thrust = 0, n = steps - from;
    for (int i = 0; i < steps && !status; i++) {
        OozeCellReading r;
        status = ooze_cell_step(cell, rate, &r, &job->error);
        double expected = ooze_theory_shear(job->theory, &path, loose ? r.local : rate, dt);
        if (!status && i >= from) {
            told += r.told / n;
            momentum += r.momentum / n;
            normal += r.normal / n;
            local += r.local / n;
            stress += expected / n;
            thrust += ooze_theory_normal(job->theory, rate, r.time) / n;
        }
    }
    ooze_cell_destroy(cell);
    double flows = loose ? local : rate;
    double share = flows / rate;
    e->y[0][job->point] =
        (OozeMeasured){told / flows, settled ? momentum / flows : NAN, stress / flows};
    e->y[1][job->point] = (OozeMeasured){normal, NAN, thrust * share * share};
    return status;
}

static OozeStatus run_stretch(Job *job)
{
    OozeExperiment *e = job->experiment;
    double dt = job->sample->time_step, rate = e->x[job->point];
    int steps = (int)fmax(4.0, round(e->seconds / dt));
    OozeCell *cell = NULL;
    OozeCellReading r = {.told = NAN};
    OozeStatus status =
        ooze_cell_create(job->sample, OOZE_CELL_STRETCH, rate * steps * dt, &cell, &job->error);
    for (int i = 0; i < steps && !status; i++) {
        status = ooze_cell_step(cell, rate, &r, &job->error);
    }
    ooze_cell_destroy(cell);
    double expected = ooze_theory_stretch(job->theory, rate, steps * dt);
    e->y[0][job->point] = (OozeMeasured){r.told / rate, NAN, expected / rate};
    return status;
}

/* ---- oscillation ----------------------------------------------------------------------------- */

/* Whether stress crosses the gap while it is the same: else momentum tells more of the fluid's
   inertia and of noise. Below this many times the square of omega over that of the gap's slowest
   wave it was within some per cent. */
#define FELT 10.0
static bool is_felt(const Job *job, double omega)
{
    double gap = job->sample->spacing * OOZE_CELL_GAP / OOZE_PI;
    double stiffness =
        hypot(ooze_theory_storage(job->theory, omega), ooze_theory_loss(job->theory, omega));
    double density = job->sample->material->values[OOZE_MATERIAL_DENSITY];
    return density * gap * gap * omega * omega < FELT * stiffness;
}

/* One frequency: what the method told, what momentum did, and theory's stress over the same
   steps. */
static void read_wave(Job *job, int k, double omega, const OozeWave wave[3])
{
    OozeExperiment *e = job->experiment;
    bool felt = is_felt(job, omega);
    if (e->kind == OOZE_EXPERIMENT_LARGE) {
        e->y[0][k] = (OozeMeasured){hypot(wave[0].in, wave[0].out),
                                    felt ? hypot(wave[1].in, wave[1].out) : NAN,
                                    hypot(wave[2].in, wave[2].out)};
        return;
    }
    double scale = e->count / e->size;
    double told[2] = {wave[0].in * scale, wave[0].out * scale};
    double momentum[2] = {wave[1].in * scale, wave[1].out * scale};
    double stepped[2] = {wave[2].in * scale, wave[2].out * scale};
    double linear[2] = {ooze_theory_storage(job->theory, omega),
                        ooze_theory_loss(job->theory, omega)};
    /* A viscous stress is that of the mean rate of a step, [sin(wt) - sin(w(t - dt))]/dt, and is
       read at its end: that much of it seems to be stored, and lost too little. Elastic stress
       is that of the end, and keeps what its steps do to it. */
    double dt = job->sample->time_step, viscosity = job->theory->viscosity + job->theory->solvent;
    double late[2] = {-viscosity * (1.0 - cos(omega * dt)) / dt,
                      viscosity * (omega - sin(omega * dt) / dt)};
    for (int curve = 0; curve < 2; curve++) {
        /* what thins has no linear response: the same history by theory */
        bool thins = job->theory->thinning.time > 0.0f;
        double shift = thins ? 0.0 : late[curve];
        e->y[curve][k] = (OozeMeasured){told[curve] + shift, felt ? momentum[curve] + shift : NAN,
                                        thins ? stepped[curve] : linear[curve]};
    }
}

/* All frequencies at once, each with its share of the amplitude; one period of the slowest
   counts. */
static OozeStatus run_oscillation(Job *job)
{
    OozeExperiment *e = job->experiment;
    bool large = e->kind == OOZE_EXPERIMENT_LARGE;
    int waves = large ? 1 : e->count;
    double base = large ? e->seconds : e->x[0], dt = job->sample->time_step;
    double omega[OOZE_EXPERIMENT_POINTS] = {0};
    for (int k = 0; k < e->count; k++) {
        omega[k] = large ? base * e->x[k] : e->x[k];
    }
    double period = 2.0 * OOZE_PI / omega[0];
    int counted = (int)round(period / dt);
    int steps = counted + (large ? counted : (int)ceil(e->seconds / dt));
    OozeHarmonics told, momentum, expected;
    ooze_harmonics_begin(&told, omega, e->count);
    ooze_harmonics_begin(&momentum, omega, e->count);
    ooze_harmonics_begin(&expected, omega, e->count);
    OozeShearPath path = {{0}};
    OozeCell *cell = NULL;
    OozeStatus status = ooze_cell_create(job->sample, OOZE_CELL_SHEAR, 0.0, &cell, &job->error);
    for (int i = 0; i < steps && !status; i++) {
        double rate = 0.0;
        for (int k = 0; k < waves; k++) {
            rate += e->size / waves * (sin(omega[k] * (i + 1) * dt) - sin(omega[k] * i * dt)) / dt;
        }
        OozeCellReading r;
        status = ooze_cell_step(cell, rate, &r, &job->error);
        double stress = ooze_theory_shear(job->theory, &path, rate, dt);
        if (!status && i >= steps - counted) {
            ooze_harmonics_add(&told, r.time, r.told);
            ooze_harmonics_add(&momentum, r.time, r.momentum);
            ooze_harmonics_add(&expected, r.time, stress);
        }
    }
    ooze_cell_destroy(cell);
    OozeWave a[OOZE_EXPERIMENT_POINTS], b[OOZE_EXPERIMENT_POINTS], c[OOZE_EXPERIMENT_POINTS];
    ooze_harmonics_solve(&told, a);
    ooze_harmonics_solve(&momentum, b);
    ooze_harmonics_solve(&expected, c);
    for (int k = 0; k < e->count; k++) {
        read_wave(job, k, omega[k], (OozeWave[3]){a[k], b[k], c[k]});
    }
    return status;
}

/* ---- step strain and creep ------------------------------------------------------------------- */

/* The strain is given within one step; times count from its middle. */
static OozeStatus run_relaxation(Job *job)
{
    OozeExperiment *e = job->experiment;
    double dt = job->sample->time_step;
    OozeCell *cell = NULL;
    OozeCellReading r;
    OozeStatus status = ooze_cell_create(job->sample, OOZE_CELL_SHEAR, 0.0, &cell, &job->error);
    status = status ? status : ooze_cell_step(cell, e->size / dt, &r, &job->error);
    for (int k = 0; k < e->count && !status; k++) {
        int until = (int)fmax(1.0, round(e->x[k] / dt));
        while (!status && r.time < (until + 0.5) * dt) {
            status = ooze_cell_step(cell, 0.0, &r, &job->error);
        }
        e->x[k] = r.time - 0.5 * dt;
        e->y[0][k] = (OozeMeasured){r.told / e->size, r.momentum / e->size,
                                    ooze_theory_relaxation(job->theory, e->x[k])};
    }
    ooze_cell_destroy(cell);
    return status;
}

/* The rate is what theory asks for, less what the last step was off the stress. */
static OozeStatus run_creep(Job *job)
{
    OozeExperiment *e = job->experiment;
    double dt = job->sample->time_step, off = 0.0, expected = 0.0;
    OozeCell *cell = NULL;
    OozeCellReading r = {.time = 0.0};
    OozeShearPath path = {{0}}, driven = {{0}};
    OozeStatus status = ooze_cell_create(job->sample, OOZE_CELL_SHEAR, 0.0, &cell, &job->error);
    for (int k = 0; k < e->count && !status; k++) {
        while (!status && r.time < e->x[k] - 0.5 * dt) {
            double ideal = ooze_theory_rate_for(job->theory, &path, e->size, dt);
            ooze_theory_shear(job->theory, &path, ideal, dt);
            expected += ideal * dt;
            double rate = ooze_theory_rate_for(job->theory, &driven, e->size - off, dt);
            double foreseen = ooze_theory_shear(job->theory, &driven, rate, dt);
            status = ooze_cell_step(cell, rate, &r, &job->error);
            off = (isnan(r.told) ? r.momentum : r.told) - foreseen;
        }
        e->x[k] = r.time;
        bool blind = isnan(r.told); /* then momentum gave it */
        e->y[0][k] = (OozeMeasured){blind ? NAN : r.strain, blind ? r.strain : NAN, expected};
    }
    ooze_cell_destroy(cell);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_by_point(OozeExperimentKind kind)
{
    return kind == OOZE_EXPERIMENT_FLOW || kind == OOZE_EXPERIMENT_PLATES ||
           kind == OOZE_EXPERIMENT_STRETCH;
}

static void run_jobs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    static OozeStatus (*const run[OOZE_EXPERIMENT_KIND_COUNT])(Job *) = {
        [OOZE_EXPERIMENT_FLOW] = run_flow,
        [OOZE_EXPERIMENT_PLATES] = run_flow,
        [OOZE_EXPERIMENT_OSCILLATION] = run_oscillation,
        [OOZE_EXPERIMENT_LARGE] = run_oscillation,
        [OOZE_EXPERIMENT_RELAXATION] = run_relaxation,
        [OOZE_EXPERIMENT_CREEP] = run_creep,
        [OOZE_EXPERIMENT_STRETCH] = run_stretch,
    };
    Job *jobs = data;
    for (uint64_t i = begin; i < end; i++) {
        jobs[i].status = run[jobs[i].experiment->kind](&jobs[i]);
    }
}

static void forget_points(OozeExperiment *e, int point)
{
    const OozeMeasured none = {NAN, NAN, NAN};
    for (int k = 0; k < e->count; k++) {
        for (int curve = 0; curve < OOZE_EXPERIMENT_CURVES; curve++) {
            if (point < 0 || k == point) {
                e->y[curve][k] = none;
            }
        }
    }
}

OozeStatus ooze_experiments_run(OozeExperiment *experiments, int count, const OozeSample *sample,
                                const OozeTheory *theory, OozeThreads *threads, OozeError *error)
{
    enum { JOBS_MAX = 64 };
    Job jobs[JOBS_MAX];
    int job_count = 0;
    for (int i = 0; i < count; i++) {
        OozeExperiment *e = &experiments[i];
        forget_points(e, -1);
        int parts = is_by_point(e->kind) ? e->count : 1;
        for (int k = 0; k < parts && job_count < JOBS_MAX; k++) {
            jobs[job_count++] = (Job){.experiment = e,
                                      .point = parts > 1 || is_by_point(e->kind) ? k : -1,
                                      .sample = sample,
                                      .theory = theory};
        }
    }
    ooze_parallel_for(threads, (uint64_t)job_count, 1, run_jobs, jobs);
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < job_count; i++) {
        if (jobs[i].status) {
            forget_points(jobs[i].experiment, jobs[i].point);
        }
        if (jobs[i].status && !status) {
            status = jobs[i].status;
            if (error) {
                *error = jobs[i].error;
            }
        }
    }
    return status;
}
