/* Pressure on a grid before and after the velocity solve: the pressure that balances weight, the
   position-only shifts that keep volumes, and what the next step begins with. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/components.h"
#include "methods/conformation/grid_pressure_solids.h"
#include "methods/conformation/lodge.h"
#include "methods/conformation/pressure_solve.h"
#include "solvers/density_formula.h"
#include "solvers/pressure_rows.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

/* Share of the volume error of a node that a step repairs, and the largest error that counts. */
#define REPAIR       0.3f
#define REPAIR_LIMIT 0.2f
/* Iterations of the position solve, and its tolerance: errors that are left are repaired in the
   next steps. */
#define REPAIR_ITERATIONS 8
#define REPAIR_TOLERANCE  1e-2
/* The same of the pressure that balances weight. The coupled solve finds what it leaves. */
#define KNOWN_ITERATIONS 20
#define KNOWN_ROUNDS     2
/* Of the rounds before the last: the balance of components changes forces by about this share. */
#define KNOWN_EARLY     1e-2
#define KNOWN_TOLERANCE 1e-6
/* Longest shift of a particle, spacings. */
#define REPAIR_SHIFT 0.2f

typedef struct Job {
    OozeConformationStep *step;
    OozeGridPressure *pressure;
    double *partial;
} Job;

static void run(const OozeConformationStep *s, OozeRangeBody body, void *data)
{
    ooze_parallel_for(s->context->threads, s->n, GRAIN, body, data);
}

/* ---- Poisson equation ---- */

/* Conjugate gradients for D M^-1 D^T q = r, on the nodes. */
typedef struct Poisson {
    Job *job;
    bool solids; /* dynamic ones move; else they are at rest */
    float *q, *r, *z, *p, *ap;
} Poisson;

static OozeStatus allocate_poisson(Poisson *f, Job *job, OozeError *error)
{
    OozeArena *arena = job->step->context->arena;
    uint64_t m = job->pressure->grid.nodes;
    *f = (Poisson){.job = job};
    float **const arrays[] = {&f->q, &f->r, &f->z, &f->p, &f->ap};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k] = ooze_arena_alloc(arena, m, sizeof(float));
    }
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the pressure grid", m * 20)
                                    : OOZE_OK;
}

static void scale_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        job->pressure->force[i] *= s->mobility[i];
    }
}

/* ap = D M^-1 D^T p; M^-1 D^T p stays in `force`. */
static void multiply(Poisson *f, const float *p, float *ap)
{
    OozeGridPressure *pressure = f->job->pressure;
    ooze_pressure_force(&pressure->grid, p, false, pressure->force);
    run(f->job->step, scale_range, f->job);
    ooze_pressure_rate(&pressure->grid, pressure->force, false, ap);
    if (f->solids) {
        ooze_grid_solids_add_product(f->job->step, p, ap);
    }
}

static double dot(const Poisson *f, const float *a, const float *b)
{
    double sum = 0.0;
    for (uint64_t g = 0; g < f->job->pressure->grid.nodes; g++) {
        sum += (double)(a[g] * b[g]);
    }
    return sum;
}

/* z from r; returns their product. */
static double precondition(Poisson *f)
{
    OozePressureGrid *grid = &f->job->pressure->grid;
    ooze_pressure_centre(grid, f->r);
    ooze_pressure_precondition(grid, f->r, f->z);
    ooze_pressure_centre(grid, f->z);
    return dot(f, f->r, f->z);
}

/* Ends where r.z is at most `goal`. */
static void solve_poisson(Poisson *f, int most, double goal)
{
    OozePressureGrid *grid = &f->job->pressure->grid;
    uint64_t m = grid->nodes;
    memset(f->q, 0, m * sizeof *f->q);
    double rz = precondition(f);
    memcpy(f->p, f->z, m * sizeof *f->p);
    for (int k = 0; k < most && rz > goal; k++) {
        multiply(f, f->p, f->ap);
        ooze_pressure_centre(grid, f->ap);
        double pap = dot(f, f->p, f->ap);
        float alpha = pap > 0.0 ? (float)(rz / pap) : 0.0f;
        for (uint64_t g = 0; g < m; g++) {
            f->q[g] += alpha * f->p[g];
            f->r[g] -= alpha * f->ap[g];
        }
        double next = precondition(f);
        float beta = (float)(next / rz);
        rz = next;
        for (uint64_t g = 0; g < m; g++) {
            f->p[g] = f->z[g] + beta * f->p[g];
        }
    }
}

/* ---- pressure that balances weight ---- */

static void read_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const float *w = job->step->warm_start;
    for (uint64_t i = begin; i < end; i++) {
        job->pressure->force[i] = ooze_f32x4(w[8 * i], w[8 * i + 1], w[8 * i + 2], w[8 * i + 3]);
    }
}

/* Velocity by the plain force of the known pressure. */
static void apply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        job->pressure->applied[i] = -s->mobility[i] * job->pressure->force[i];
    }
}

typedef struct OozePressureNet {
    double mass, momentum[3], walled;
} Net;

/* The plain force gets the net force of the exact one in every component that no wall holds: a false
   net force would drive it. Between walls the plain force is right, and that of the exact rows
   depends on where the walls stand in their cells: a level tray flowed as if tilted by 0.1 %. */
static void balance(const Job *job)
{
    const OozeConformationStep *s = job->step;
    const OozeGridPressure *pressure = job->pressure;
    Net *net = pressure->net;
    memset(net, 0, s->n * sizeof *net);
    for (uint64_t i = 0; i < s->n; i++) {
        Net *of = &net[pressure->root[i]];
        double mass = s->mobility[i] > 0.0f ? 1.0 / (double)s->mobility[i] : 0.0;
        OozeF32x4 exact = -s->mobility[i] * pressure->force[i];
        of->mass += mass;
        of->walled += (double)pressure->walled[i];
        for (int k = 0; k < 3; k++) {
            of->momentum[k] += mass * ((double)exact[k] - (double)pressure->applied[i][k]);
        }
    }
    for (uint64_t i = 0; i < s->n; i++) {
        const Net *of = &net[pressure->root[i]];
        for (int k = 0; k < 3 && s->mobility[i] > 0.0f && of->walled == 0.0; k++) {
            pressure->applied[i][k] += (float)(of->momentum[k] / of->mass);
        }
    }
}

/* `applied`, from the known pressure. */
static void find_applied(const Job *job)
{
    OozeGridPressure *pressure = job->pressure;
    ooze_pressure_force(&pressure->grid, pressure->known, false, pressure->force);
    run(job->step, apply_range, (void *)job);
    ooze_pressure_force(&pressure->grid, pressure->known, true, pressure->force);
    balance(job);
    ooze_grid_solids_find_applied(job->step);
}

/* Velocity by the force that is known before the solve: weight. */
static void kick_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeConformationStep *s = job->step;
    const OozeFloat4 *v = ooze_particles_velocities(s->context->particles);
    for (uint64_t i = begin; i < end; i++) {
        bool moves = s->mobility[i] > 0.0f;
        OozeF32x4 kick = s->u[i] - ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        kick[3] = 0;
        job->pressure->force[i] = moves ? kick : kick - kick;
    }
}

/* The known pressure of the last step, with the gradient that balances weight. */
static void read_known_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].relative_mass;
        OozeF32x4 value = mass * job->pressure->force[i];
        value[3] = s->dt * s->warm_start[8 * i + 4];
        job->pressure->force[i] = value;
    }
}

static void add_applied_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    for (uint64_t i = begin; i < end; i++) {
        job->pressure->force[i] += job->pressure->applied[i];
    }
}

/* The pressure with which weight changes no volume: D (kick + applied) = 0. The balance of
   components is a small part of `applied`, which rounds take in. */
static OozeStatus find_known(Job *job, OozeError *error)
{
    OozeConformationStep *s = job->step;
    OozeGridPressure *pressure = job->pressure;
    OozePressureGrid *grid = &pressure->grid;
    OozeArena *arena = s->context->arena;
    OozeArenaMark mark = ooze_arena_mark(arena);
    Poisson f;
    OozeStatus status = allocate_poisson(&f, job, error);
    if (!status) {
        f.solids = true;
        run(s, kick_range, job);
        ooze_pressure_rate(grid, pressure->force, false, f.r);
        ooze_grid_solids_add_kick(s, false, f.r);
        run(s, read_known_range, job);
        ooze_pressure_from_particles(grid, pressure->force, pressure->known);
        ooze_pressure_centre(grid, pressure->known);
        double goal = KNOWN_TOLERANCE * KNOWN_TOLERANCE * precondition(&f);
        for (int round = 0; round < KNOWN_ROUNDS; round++) {
            find_applied(job);
            run(s, kick_range, job);
            run(s, add_applied_range, job);
            ooze_pressure_rate(grid, pressure->force, false, f.r);
            ooze_grid_solids_add_kick(s, true, f.r);
            bool last = round + 1 == KNOWN_ROUNDS;
            double loose = KNOWN_EARLY * KNOWN_EARLY * precondition(&f);
            solve_poisson(&f, KNOWN_ITERATIONS, last ? goal : fmax(goal, loose));
            for (uint64_t g = 0; g < grid->nodes; g++) {
                pressure->known[g] += f.q[g];
            }
        }
        find_applied(job);
    }
    ooze_arena_rewind(arena, mark);
    return status;
}

static void volume_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeMat3 l = ooze_velocity_gradient(s, i);
        OozeF32x4 value = {0, 0, 0, s->dt * ooze_pressure_minors(l)};
        job->pressure->force[i] = value;
    }
}

/* To keep its volume in a step, fluid that rotates must contract, and fluid that is stretched must
   expand: det (I + dt L) = 1. */
static void add_finite_rotation(Job *job)
{
    OozeConformationStep *s = job->step;
    OozePressureGrid *grid = &job->pressure->grid;
    run(s, volume_range, job);
    ooze_pressure_collect(grid, job->pressure->force, job->pressure->turned);
    for (uint64_t g = 0; g < grid->nodes; g++) {
        grid->flux[g] -= job->pressure->turned[g];
    }
}

static OozeStatus apply_known(Job *job, OozeError *error)
{
    OozeConformationStep *s = job->step;
    OozeGridPressure *pressure = job->pressure;
    OozeArena *arena = s->context->arena;
    OozeArenaMark mark = ooze_arena_mark(arena);
    OozeParent *parent = ooze_arena_alloc(arena, s->local, sizeof *parent);
    if (!parent) {
        return ooze_fail_memory(error, "the pressure grid", s->n * sizeof *parent);
    }
    ooze_conformation_find_components(s, true, parent, pressure->root);
    ooze_arena_rewind(arena, mark);
    OozeStatus status = find_known(job, error);
    return status;
}

/* ---- in the solve ---- */

typedef struct Last {
    const OozeConformationStep *step;
    OozeF32x4 *u;
} Last;

static void last_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Last *last = data;
    const OozeConformationStep *s = last->step;
    const OozeFloat4 *v = ooze_particles_velocities(s->context->particles);
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 u = {v[i].x, v[i].y, v[i].z, 0};
        const OozeContactSet *set =
            s->contact_of[i] >= 0 ? &s->contact_sets[s->contact_of[i]] : NULL;
        last->u[i] = set ? ooze_contact_prescribed(set, u) : u;
    }
}

void ooze_grid_pressure_release(OozeLodge *solve)
{
    OozeGridPressure *pressure = solve->step->grid_pressure;
    if (!pressure) {
        return;
    }
    OozePressureGrid *grid = &pressure->grid;
    for (uint64_t g = 0; g < grid->nodes; g++) {
        pressure->compliance[g] = pressure->known[g] + pressure->change[g];
    }
    if (ooze_pressure_release_walls(grid, pressure->compliance)) {
        ooze_pressure_find_rows(grid);
        for (uint64_t g = 0; g < grid->nodes; g++) {
            grid->flux[g] -= pressure->turned[g];
        }
    }
}

void ooze_grid_pressure_last(OozeLodge *solve, OozeF32x4 *u)
{
    Last last = {solve->step, u};
    run(solve->step, last_range, &last);
}

/* ---- beginning of a step ---- */

static OozeStatus allocate(OozeConformationStep *s, OozeGridPressure **out, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    OozeGridPressure *pressure = ooze_arena_alloc(arena, 1, sizeof *pressure);
    if (!*s->pressure_multigrid) {
        *s->pressure_multigrid = ooze_grid_multigrid_create();
    }
    if (pressure) {
        *pressure = (OozeGridPressure){0};
        pressure->applied = ooze_arena_alloc(arena, s->n, sizeof *pressure->applied);
        pressure->force = ooze_arena_alloc(arena, s->n, sizeof *pressure->force);
        pressure->root = ooze_arena_alloc(arena, s->local, sizeof *pressure->root);
        pressure->net = ooze_arena_alloc(arena, s->n, sizeof *pressure->net);
        pressure->reached = ooze_arena_alloc(arena, s->n, sizeof *pressure->reached);
        pressure->walled = ooze_arena_alloc(arena, s->n, sizeof *pressure->walled);
    }
    if (ooze_arena_failed(arena) || !*s->pressure_multigrid) {
        return ooze_fail_memory(error, "the pressure grid", s->n * 36);
    }
    *out = pressure;
    return OOZE_OK;
}

static OozeStatus allocate_nodes(OozeConformationStep *s, OozeGridPressure *pressure,
                                 OozeError *error)
{
    OozeArena *arena = s->context->arena;
    uint64_t m = pressure->grid.nodes;
    pressure->known = ooze_arena_alloc(arena, m, sizeof(float));
    pressure->change = ooze_arena_alloc(arena, m, sizeof(float));
    pressure->guess = ooze_arena_alloc(arena, m, sizeof(float));
    pressure->compliance = ooze_arena_alloc(arena, m, sizeof(float));
    pressure->turned = ooze_arena_alloc(arena, m, sizeof(float));
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the pressure grid", m * 12);
    }
    memset(pressure->known, 0, m * sizeof(float));
    memset(pressure->change, 0, m * sizeof(float));
    return OOZE_OK;
}

OozeStatus ooze_grid_pressure_begin(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    OozeGridPressure *pressure = NULL;
    if (!s->settings.pressure_grid) {
        return OOZE_OK;
    }
    OozeStatus status = allocate(s, &pressure, error);
    if (status) {
        return status;
    }
    OozePressureGridInput input = {.n = s->n,
                                   .x = s->x0,
                                   .spacing = c->spacing,
                                   .dt = c->dt,
                                   .periodic = &c->periodic,
                                   .inverse_mass = s->mobility,
                                   .solids = c->solids,
                                   .solid_count = c->solid_count,
                                   .threads = c->threads,
                                   .arena = c->arena};
    status = ooze_grid_solids_begin(s, &input, &pressure->solids, error);
    status = status
                 ? status
                 : ooze_pressure_grid_build(&pressure->grid, *s->pressure_multigrid, &input, error);
    status = status ? status : allocate_nodes(s, pressure, error);
    if (status) {
        return status;
    }
    s->grid_pressure = pressure;
    Job job = {.step = s, .pressure = pressure};
    ooze_pressure_reaches(&pressure->grid, pressure->reached);
    add_finite_rotation(&job);
    ooze_pressure_walled(&pressure->grid, pressure->walled);
    run(s, read_range, &job);
    ooze_pressure_from_particles(&pressure->grid, pressure->force, pressure->guess);
    for (uint64_t g = 0; g < pressure->grid.nodes; g++) {
        pressure->guess[g] *= s->dt;
    }
    ooze_pressure_centre(&pressure->grid, pressure->guess);
    status = apply_known(&job, error);
    ooze_grid_solids_join(s);
    ooze_timer_lap(c->timer, "pressure_grid");
    return status;
}

/* ---- positions ---- */

/* Where the grid holds the fluid, relief of overlaps changes no volume of it. */
static void join_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        s->drift[i] += job->pressure->reached[i] * s->position_only_shift[i];
    }
}

static void shift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    OozeConformationStep *s = job->step;
    float limit = REPAIR_SHIFT * (float)s->context->spacing;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 shift = s->drift[i] - job->pressure->force[i];
        if (job->pressure->reached[i] > 0.0f) {
            s->position_only_shift[i] = ooze_f32x4(0, 0, 0, 0);
        }
        shift[3] = 0;
        float length = sqrtf(ooze_f32x4_dot3(shift, shift));
        s->drift[i] =
            s->mobility[i] > 0.0f ? shift * ooze_shortened(length, limit) : ooze_f32x4(0, 0, 0, 0);
    }
}

OozeStatus ooze_grid_pressure_repair(OozeConformationStep *s, OozeError *error)
{
    OozeGridPressure *pressure = s->grid_pressure;
    if (!pressure) {
        return OOZE_OK;
    }
    OozePressureGrid *grid = &pressure->grid;
    OozeArena *arena = s->context->arena;
    OozeArenaMark mark = ooze_arena_mark(arena);
    Job job = {.step = s, .pressure = pressure};
    Poisson f;
    OozeStatus status = allocate_poisson(&f, &job, error);
    if (status) {
        return status;
    }
    float spacing = (float)s->context->spacing;
    float cell = grid->edge[0] * grid->edge[1] * grid->edge[2] / (spacing * spacing * spacing);
    run(s, join_range, &job);
    ooze_pressure_rate(grid, s->drift, false, f.r);
    for (uint64_t g = 0; g < grid->nodes; g++) {
        float e = fmaxf(-REPAIR_LIMIT, fminf(REPAIR_LIMIT, grid->error[g]));
        f.r[g] = grid->idle[g] ? 0.0f : f.r[g] + REPAIR * cell * e;
    }
    solve_poisson(&f, REPAIR_ITERATIONS, REPAIR_TOLERANCE * REPAIR_TOLERANCE * precondition(&f));
    multiply(&f, f.q, f.ap);
    run(s, shift_range, &job);
    ooze_arena_rewind(arena, mark);
    ooze_timer_lap(s->context->timer, "pressure_positions");
    return OOZE_OK;
}

/* ---- end ---- */

/* A value per particle moves with it, along its gradient in the first lanes. */
static float moved_value(const OozeConformationStep *s, uint64_t i, OozeF32x4 value)
{
    OozeFloat4 x = ooze_particles_positions(s->context->particles)[i];
    OozeF32x4 moved = ooze_f32x4(x.x, x.y, x.z, 0) - s->x0[i];
    moved = ooze_f32x4_nearest(moved, &s->context->periodic);
    return value[3] + ooze_f32x4_dot3(value, moved);
}

static void store_guess_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 value = job->pressure->force[i] / s->dt;
        float *w = s->warm_start + 8 * i;
        for (int k = 0; k < 3; k++) {
            w[k] = value[k];
        }
        w[3] = moved_value(s, i, value);
    }
}

static void store_known_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeConformationStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        s->warm_start[8 * i + 4] = moved_value(s, i, job->pressure->force[i] / s->dt);
    }
}

void ooze_grid_pressure_store(OozeConformationStep *s)
{
    OozeGridPressure *pressure = s->grid_pressure;
    if (pressure) {
        Job job = {.step = s, .pressure = pressure};
        ooze_pressure_to_particles(&pressure->grid, pressure->change, pressure->force);
        run(s, store_guess_range, &job);
        ooze_pressure_to_particles(&pressure->grid, pressure->known, pressure->force);
        run(s, store_known_range, &job);
    }
}
