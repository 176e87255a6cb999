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

bool ooze_experiment_is_significant(const OozeExperiment *e, int curve, int point)
{
    const double negligible = 0.05;
    double expected = e->y[curve][point].expected;
    double beside = e->kind == OOZE_EXPERIMENT_OSCILLATION ? e->y[1 - curve][point].expected
                    : e->kind == OOZE_EXPERIMENT_LARGE     ? e->y[0][0].expected
                                                           : 0.0;
    return expected > 0.0 && !(expected < negligible * beside);
}

double ooze_experiment_deviation(const OozeExperiment *e, int curve, int point, double value)
{
    bool compared = ooze_experiment_is_significant(e, curve, point);
    return compared ? value / e->y[curve][point].expected - 1.0 : NAN;
}

/* The work of one cell: a point of a flow or extension, otherwise the whole experiment. */
typedef struct Job {
    OozeExperiment *experiment;
    int point;
    const OozeSample *sample;
    const OozeTheory *theory;
    OozeStatus status;
    OozeError error;
} Job;

/* ---- steady ---------------------------------------------------------------------------------- */

/* Number of steps until a flow is steady. `*settled`: also the transient of momentum diffusion
   across the gap has decayed, so that the stress follows from momentum; a longer transient than
   WAIT_MAX steps is not simulated. */
static int flow_steps(const Job *job, bool *settled)
{
    enum { STEPS_MAX = 2000, WAIT_MAX = 1500 };
    const OozeExperiment *e = job->experiment;
    const OozeSample *s = job->sample;
    double rate = e->x[job->point], seconds = e->seconds;
    double gap = s->spacing *
                 (e->kind == OOZE_EXPERIMENT_PLATES ? OOZE_PLATES_GAP : OOZE_CELL_GAP) / OOZE_PI;
    if (isfinite(job->theory->yield)) { /* flow begins beyond the yield strain */
        seconds = fmax(seconds, 2.0 * job->theory->yield / rate);
    }
    double viscosity = ooze_theory_viscosity(job->theory, rate, seconds);
    double diffusion_time = s->material->values[OOZE_MATERIAL_DENSITY] * gap * gap / viscosity;
    double steps = fmin(seconds / s->time_step, STEPS_MAX),
           wait = 2.0 * diffusion_time / s->time_step;
    *settled = wait <= fmax(steps, WAIT_MAX);
    steps = *settled ? fmax(steps, fmin(2.0 * wait, WAIT_MAX)) : steps;
    return (int)fmax(20.0, ceil(steps));
}

/* Averages over a quarter of the time, or over the time in which layers slide by one spacing, since
   the stress varies with their position; the expected value is averaged over the same steps. */
static OozeStatus run_flow(Job *job)
{
    OozeExperiment *e = job->experiment;
    double dt = job->sample->time_step, rate = e->x[job->point];
    bool settled;
    int from = flow_steps(job, &settled);
    double slide = round(1.0 / (rate * dt));
    int steps = from + (slide > from / 4 && slide < 500.0 ? (int)slide : from / 4);
    bool plates = e->kind == OOZE_EXPERIMENT_PLATES;
    /* The rate in the fluid differs from the prescribed one where it slips along plates or the flow
       is not steady: theory then uses the measured rate. */
    bool slips = plates || !settled;
    OozeCell *cell = NULL;
    OozeStatus status = ooze_cell_create(job->sample, plates ? OOZE_CELL_PLATES : OOZE_CELL_SHEAR,
                                         0.0, &cell, &job->error);
    OozeShearHistory path = {{0}};
    double reported = 0, momentum = 0, normal = 0, local_rate = 0, stress = 0, expected_normal = 0,
           n = steps - from;
    for (int i = 0; i < steps && !status; i++) {
        OozeCellReading r;
        status = ooze_cell_step(cell, rate, &r, &job->error);
        double expected = ooze_theory_shear(job->theory, &path, slips ? r.local_rate : rate, dt);
        if (!status && i >= from) {
            reported += r.reported / n;
            momentum += r.momentum / n;
            normal += r.normal / n;
            local_rate += r.local_rate / n;
            stress += expected / n;
            expected_normal += ooze_theory_normal(job->theory, rate, r.time) / n;
        }
    }
    ooze_cell_destroy(cell);
    double flow_rate = slips ? local_rate : rate;
    double share = flow_rate / rate;
    e->y[0][job->point] = (OozeMeasured){reported / flow_rate, settled ? momentum / flow_rate : NAN,
                                         stress / flow_rate};
    e->y[1][job->point] = (OozeMeasured){normal, NAN, expected_normal * share * share};
    return status;
}

static OozeStatus run_stretch(Job *job)
{
    OozeExperiment *e = job->experiment;
    double dt = job->sample->time_step, rate = e->x[job->point];
    int steps = (int)fmax(4.0, round(e->seconds / dt));
    OozeCell *cell = NULL;
    OozeCellReading r = {.reported = NAN};
    OozeStatus status =
        ooze_cell_create(job->sample, OOZE_CELL_STRETCH, rate * steps * dt, &cell, &job->error);
    for (int i = 0; i < steps && !status; i++) {
        status = ooze_cell_step(cell, rate, &r, &job->error);
    }
    ooze_cell_destroy(cell);
    double expected = ooze_theory_stretch(job->theory, rate, steps * dt);
    e->y[0][job->point] = (OozeMeasured){r.reported / rate, NAN, expected / rate};
    return status;
}

/* ---- oscillation ----------------------------------------------------------------------------- */

/* Whether inertia is small at this frequency, so that momentum gives the stress: limit of (omega /
   frequency of the slowest shear wave of the gap)^2, up to which both agreed within some per cent.
   */
#define QUASI_STATIC_MAX 10.0
static bool is_quasi_static(const Job *job, double omega)
{
    double gap = job->sample->spacing * OOZE_CELL_GAP / OOZE_PI;
    double stiffness =
        hypot(ooze_theory_storage(job->theory, omega), ooze_theory_loss(job->theory, omega));
    double density = job->sample->material->values[OOZE_MATERIAL_DENSITY];
    return density * gap * gap * omega * omega < QUASI_STATIC_MAX * stiffness;
}

/* Results of one frequency. `wave`: stress as reported, from momentum, and in theory. */
static void read_wave(Job *job, int k, double omega, const OozeWave wave[3])
{
    OozeExperiment *e = job->experiment;
    bool quasi_static = is_quasi_static(job, omega);
    if (e->kind == OOZE_EXPERIMENT_LARGE) {
        e->y[0][k] = (OozeMeasured){hypot(wave[0].in, wave[0].out),
                                    quasi_static ? hypot(wave[1].in, wave[1].out) : NAN,
                                    hypot(wave[2].in, wave[2].out)};
        return;
    }
    double scale = e->count / e->size;
    double reported[2] = {wave[0].in * scale, wave[0].out * scale};
    double momentum[2] = {wave[1].in * scale, wave[1].out * scale};
    double stepped[2] = {wave[2].in * scale, wave[2].out * scale};
    double linear[2] = {ooze_theory_storage(job->theory, omega),
                        ooze_theory_loss(job->theory, omega)};
    /* A viscous stress follows the mean rate of a step, [sin(wt) - sin(w(t - dt))]/dt, but is read
       at its end: corrects the resulting errors of G' and G''. Elastic stress is that of the end of
       the step and is not corrected. */
    double dt = job->sample->time_step, viscosity = job->theory->viscosity + job->theory->solvent;
    double late[2] = {-viscosity * (1.0 - cos(omega * dt)) / dt,
                      viscosity * (omega - sin(omega * dt) / dt)};
    for (int curve = 0; curve < 2; curve++) {
        /* no linear response with thinning: theory integrates the same history */
        bool thins = job->theory->thinning.time > 0.0f;
        double shift = thins ? 0.0 : late[curve];
        e->y[curve][k] =
            (OozeMeasured){reported[curve] + shift, quasi_static ? momentum[curve] + shift : NAN,
                           thins ? stepped[curve] : linear[curve]};
    }
}

/* Superposes all frequencies with equal amplitudes; fits the last period of the slowest. */
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
    OozeHarmonics reported, momentum, expected;
    ooze_harmonics_begin(&reported, omega, e->count);
    ooze_harmonics_begin(&momentum, omega, e->count);
    ooze_harmonics_begin(&expected, omega, e->count);
    OozeShearHistory path = {{0}};
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
            ooze_harmonics_add(&reported, r.time, r.reported);
            ooze_harmonics_add(&momentum, r.time, r.momentum);
            ooze_harmonics_add(&expected, r.time, stress);
        }
    }
    ooze_cell_destroy(cell);
    OozeWave a[OOZE_EXPERIMENT_POINTS], b[OOZE_EXPERIMENT_POINTS], c[OOZE_EXPERIMENT_POINTS];
    ooze_harmonics_solve(&reported, a);
    ooze_harmonics_solve(&momentum, b);
    ooze_harmonics_solve(&expected, c);
    for (int k = 0; k < e->count; k++) {
        read_wave(job, k, omega[k], (OozeWave[3]){a[k], b[k], c[k]});
    }
    return status;
}

/* ---- step strain and creep ------------------------------------------------------------------- */

/* The strain is applied in one step; times count from the middle of that step. */
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
        e->y[0][k] = (OozeMeasured){r.reported / e->size, r.momentum / e->size,
                                    ooze_theory_relaxation(job->theory, e->x[k])};
    }
    ooze_cell_destroy(cell);
    return status;
}

/* Controls the stress: the rate that gives it in theory, corrected by the error of the last step.
   */
static OozeStatus run_creep(Job *job)
{
    OozeExperiment *e = job->experiment;
    double dt = job->sample->time_step, off = 0.0, expected = 0.0;
    OozeCell *cell = NULL;
    OozeCellReading r = {.time = 0.0};
    OozeShearHistory path = {{0}}, driven = {{0}};
    OozeStatus status = ooze_cell_create(job->sample, OOZE_CELL_SHEAR, 0.0, &cell, &job->error);
    for (int k = 0; k < e->count && !status; k++) {
        while (!status && r.time < e->x[k] - 0.5 * dt) {
            double ideal = ooze_theory_rate_for(job->theory, &path, e->size, dt);
            ooze_theory_shear(job->theory, &path, ideal, dt);
            expected += ideal * dt;
            double rate = ooze_theory_rate_for(job->theory, &driven, e->size - off, dt);
            double foreseen = ooze_theory_shear(job->theory, &driven, rate, dt);
            status = ooze_cell_step(cell, rate, &r, &job->error);
            off = (isnan(r.reported) ? r.momentum : r.reported) - foreseen;
        }
        e->x[k] = r.time;
        bool by_momentum = isnan(r.reported); /* the stress was controlled by momentum */
        e->y[0][k] =
            (OozeMeasured){by_momentum ? NAN : r.strain, by_momentum ? r.strain : NAN, expected};
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
        const OozeSample *sample = jobs[i].sample;
        jobs[i].status = run[jobs[i].experiment->kind](&jobs[i]);
        if (sample->finished) {
            sample->finished(sample->user);
        }
    }
}

static void clear_points(OozeExperiment *e, int point)
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

enum { JOBS_MAX = 64 };

int ooze_experiments_cell_count(const OozeExperiment *experiments, int count)
{
    int cells = 0;
    for (int i = 0; i < count; i++) {
        cells += is_by_point(experiments[i].kind) ? experiments[i].count : 1;
    }
    return cells < JOBS_MAX ? cells : JOBS_MAX;
}

OozeStatus ooze_experiments_run(OozeExperiment *experiments, int count, const OozeSample *sample,
                                const OozeTheory *theory, OozeThreads *threads, OozeError *error)
{
    Job jobs[JOBS_MAX];
    int job_count = 0;
    for (int i = 0; i < count; i++) {
        OozeExperiment *e = &experiments[i];
        clear_points(e, -1);
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
            clear_points(jobs[i].experiment, jobs[i].point);
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
