/* The loops of pressure_loops.h on the processor: particles before and after the velocity solve,
   and vectors of nodes. */
#include "methods/conformation/cpu/grid_pressure.h"

#include <string.h>

#include "base/fail.h"
#include "methods/conformation/cpu/components.h"
#include "methods/conformation/grid_pressure_formula.h"
#include "solvers/pressure/pressure_rows.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

static void run(OozeGridPressure *pressure, OozeRangeBody body)
{
    const OozeConformationStep *s = pressure->step;
    ooze_parallel_for(s->context->threads, s->n, GRAIN, body, pressure);
}

/* ---- memory ---- */

/* Element n is 0: the operator reads it for the padding of lists. */
static void *particles(void *user)
{
    const OozeConformationStep *s = ((OozeGridPressure *)user)->step;
    return ooze_gathered_alloc(s->context->arena, s->local, sizeof(OozeF32x4));
}

static float *nodes(void *user)
{
    const OozeGridPressure *pressure = user;
    return ooze_arena_alloc(pressure->step->context->arena, pressure->grid.nodes, sizeof(float));
}

static OozeTwist *solids(void *user)
{
    return ooze_grid_solids_vector(((OozeGridPressure *)user)->step);
}

static void mark(void *user)
{
    OozeGridPressure *pressure = user;
    pressure->mark = ooze_arena_mark(pressure->step->context->arena);
}

static void rewind_memory(void *user)
{
    OozeGridPressure *pressure = user;
    ooze_arena_rewind(pressure->step->context->arena, pressure->mark);
}

static OozeStatus status_of(void *user, OozeError *error)
{
    const OozeGridPressure *pressure = user;
    const OozeConformationStep *s = pressure->step;
    return ooze_arena_failed(s->context->arena)
               ? ooze_fail_memory(error, "the pressure grid", s->n * 32)
               : OOZE_OK;
}

/* ---- vectors of nodes ---- */

static void copy(void *user, const float *from, float *to)
{
    const size_t size = ((OozeGridPressure *)user)->grid.nodes * sizeof *to;
    if (from) {
        memcpy(to, from, size);
    } else {
        memset(to, 0, size);
    }
}

static void add(void *user, float factor, const float *a, float *b)
{
    const OozeGridPressure *pressure = user;
    for (uint64_t g = 0; g < pressure->grid.nodes; g++) {
        b[g] += factor * a[g];
    }
}

static void turn(void *user, const float *z, float beta, float *p)
{
    const OozeGridPressure *pressure = user;
    for (uint64_t g = 0; g < pressure->grid.nodes; g++) {
        p[g] = z[g] + beta * p[g];
    }
}

static void times(void *user, float factor, float *a)
{
    const OozeGridPressure *pressure = user;
    for (uint64_t g = 0; g < pressure->grid.nodes; g++) {
        a[g] *= factor;
    }
}

static double dot(void *user, const float *a, const float *b)
{
    const OozeGridPressure *pressure = user;
    double sum = 0.0;
    for (uint64_t g = 0; g < pressure->grid.nodes; g++) {
        sum += (double)(a[g] * b[g]);
    }
    return sum;
}

static void add_error(void *user, float factor, float limit, float *r)
{
    const OozePressureGrid *grid = &((OozeGridPressure *)user)->grid;
    for (uint64_t g = 0; g < grid->nodes; g++) {
        r[g] = ooze_grid_pressure_add_error(grid->idle[g], r[g], grid->error[g], factor, limit);
    }
}

static void add_flux(void *user, float factor, const float *p)
{
    OozePressureGrid *grid = &((OozeGridPressure *)user)->grid;
    for (uint64_t g = 0; g < grid->nodes; g++) {
        grid->flux[g] += factor * p[g];
    }
}

static void over_weight(void *user, float *p)
{
    const OozePressureGrid *grid = &((OozeGridPressure *)user)->grid;
    for (uint64_t g = 0; g < grid->nodes; g++) {
        p[g] = ooze_grid_pressure_over_weight(grid->idle[g], p[g], grid->weight[g]);
    }
}

static void add_compliance(void *user, const float *v, float *z)
{
    const OozeGridPressure *pressure = user;
    const OozePressureGrid *grid = &pressure->grid;
    const float *compliance = pressure->solve.compliance;
    for (uint64_t g = 0; g < grid->nodes; g++) {
        z[g] = ooze_grid_pressure_add_compliance(grid->idle[g], z[g], compliance[g], v[g]);
    }
}

static void find_lack(void *user, float *p)
{
    const OozePressureGrid *grid = &((OozeGridPressure *)user)->grid;
    for (uint64_t g = 0; g < grid->nodes; g++) {
        p[g] = ooze_grid_pressure_lack(grid->idle[g], p[g], grid->flux[g]);
    }
}

/* ---- the grid ---- */

static void centre(void *user, float *p)
{
    ooze_pressure_centre(&((OozeGridPressure *)user)->grid, p);
}

static void precondition(void *user, const float *r, float *z)
{
    ooze_pressure_precondition(&((OozeGridPressure *)user)->grid, r, z);
}

static void rate(void *user, const void *u, bool exact, float *to)
{
    ooze_pressure_rate(&((OozeGridPressure *)user)->grid, u, exact, to);
}

static void find_force(void *user, const float *p, bool exact)
{
    OozeGridPressure *pressure = user;
    ooze_pressure_force(&pressure->grid, p, exact, pressure->force);
}

static void to_particles(void *user, const float *p)
{
    OozeGridPressure *pressure = user;
    ooze_pressure_to_particles(&pressure->grid, p, pressure->force);
}

static void from_particles(void *user, float *p)
{
    OozeGridPressure *pressure = user;
    ooze_pressure_from_particles(&pressure->grid, pressure->force, p);
}

static void collect(void *user, float *sum)
{
    OozeGridPressure *pressure = user;
    ooze_pressure_collect(&pressure->grid, pressure->force, sum);
}

static void find_reached(void *user)
{
    OozeGridPressure *pressure = user;
    ooze_pressure_reaches(&pressure->grid, pressure->reached);
}

static void find_walled(void *user)
{
    OozeGridPressure *pressure = user;
    ooze_pressure_walled(&pressure->grid, pressure->walled);
}

static bool release_walls(void *user, const float *p)
{
    return ooze_pressure_release_walls(&((OozeGridPressure *)user)->grid, p);
}

static void find_rows(void *user)
{
    ooze_pressure_find_rows(&((OozeGridPressure *)user)->grid);
}

/* ---- particles before the solve ---- */

static OozeStatus find_components(void *user, OozeError *error)
{
    OozeGridPressure *pressure = user;
    OozeConformationStep *s = pressure->step;
    OozeArena *arena = s->context->arena;
    OozeArenaMark begin = ooze_arena_mark(arena);
    OozeParent *parent = ooze_arena_alloc(arena, s->local, sizeof *parent);
    if (!parent) {
        return ooze_fail_memory(error, "the pressure grid", s->n * sizeof *parent);
    }
    ooze_conformation_find_components(s, true, parent, pressure->root);
    ooze_arena_rewind(arena, begin);
    return OOZE_OK;
}

static void minors_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    const OozeConformationStep *s = pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeMat3 l = ooze_velocity_gradient(s, i);
        pressure->force[i] = ooze_f32x4(0, 0, 0, s->dt * ooze_pressure_minors(l));
    }
}

static void guess_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    const OozeConformationStep *s = pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        pressure->force[i] =
            ooze_grid_pressure_guess(s->pressure_change_gradient + 3 * i, s->pressure_change[i]);
    }
}

static void kick_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    const OozeConformationStep *s = pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        pressure->force[i] = ooze_grid_pressure_kick(s->u[i], s->velocity[i], s->mobility[i]);
    }
}

static void known_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    const OozeConformationStep *s = pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].relative_mass;
        pressure->force[i] =
            ooze_grid_pressure_known(pressure->force[i], mass, s->dt, s->weight_pressure[i]);
    }
}

static void apply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    for (uint64_t i = begin; i < end; i++) {
        pressure->applied[i] = -pressure->step->mobility[i] * pressure->force[i];
    }
}

static void add_applied_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    for (uint64_t i = begin; i < end; i++) {
        pressure->force[i] += pressure->applied[i];
    }
}

static void mobilise_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    for (uint64_t i = begin; i < end; i++) {
        pressure->force[i] *= pressure->step->mobility[i];
    }
}

static void read_minors(void *user)
{
    run(user, minors_range);
}

static void read_guess(void *user)
{
    run(user, guess_range);
}

static void read_kick(void *user)
{
    run(user, kick_range);
}

static void read_known(void *user)
{
    run(user, known_range);
}

static void apply(void *user)
{
    run(user, apply_range);
}

static void add_applied(void *user)
{
    run(user, add_applied_range);
}

static void mobilise(void *user)
{
    run(user, mobilise_range);
}

static void balance(void *user)
{
    const OozeGridPressure *pressure = user;
    const OozeConformationStep *s = pressure->step;
    double *net = pressure->net;
    memset(net, 0, OOZE_PRESSURE_NET * s->n * sizeof *net);
    for (uint64_t i = 0; i < s->n; i++) {
        double own[OOZE_PRESSURE_NET], *of = net + OOZE_PRESSURE_NET * (uint64_t)pressure->root[i];
        ooze_grid_pressure_net(s->mobility[i], pressure->force[i], pressure->applied[i],
                               pressure->walled[i], own);
        for (int k = 0; k < OOZE_PRESSURE_NET; k++) {
            of[k] += own[k];
        }
    }
    for (uint64_t i = 0; i < s->n; i++) {
        const double *of = net + OOZE_PRESSURE_NET * (uint64_t)pressure->root[i];
        pressure->applied[i] =
            ooze_grid_pressure_balanced(pressure->applied[i], s->mobility[i], of);
    }
}

/* ---- positions ---- */

/* Where the grid holds the fluid, relief of overlaps changes no volume of it. */
static void join_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    OozeConformationStep *s = pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        s->drift[i] += pressure->reached[i] * s->position_only_shift[i];
    }
}

static void join_shifts(void *user)
{
    run(user, join_range);
}

typedef struct Shift {
    const OozeGridPressure *pressure;
    float limit;
} Shift;

static void shift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Shift *job = data;
    const OozeGridPressure *pressure = job->pressure;
    OozeConformationStep *s = pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        if (pressure->reached[i] > 0.0f) {
            s->position_only_shift[i] = ooze_f32x4(0, 0, 0, 0);
        }
        s->drift[i] =
            ooze_grid_pressure_shift(s->drift[i], pressure->force[i], s->mobility[i], job->limit);
    }
}

static void shift(void *user, float limit)
{
    const OozeGridPressure *pressure = user;
    const OozeConformationStep *s = pressure->step;
    Shift job = {pressure, limit};
    ooze_parallel_for(s->context->threads, s->n, GRAIN, shift_range, &job);
}

/* ---- end ---- */

static float moved_value(const OozeConformationStep *s, uint64_t i, OozeF32x4 value)
{
    OozeF32x4 moved = s->x[i] - s->x0[i];
    return ooze_grid_pressure_moved(value, ooze_f32x4_nearest(moved, &s->context->periodic));
}

static void store_guess_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    const OozeConformationStep *s = pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 value = pressure->force[i] / s->dt;
        for (uint64_t k = 0; k < 3; k++) {
            s->pressure_change_gradient[3 * i + k] = value[k];
        }
        s->pressure_change[i] = moved_value(s, i, value);
    }
}

static void store_known_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridPressure *pressure = data;
    const OozeConformationStep *s = pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        s->weight_pressure[i] = moved_value(s, i, pressure->force[i] / s->dt);
    }
}

static void store_guess(void *user)
{
    run(user, store_guess_range);
}

static void store_known(void *user)
{
    run(user, store_known_range);
}

const OozePressureLoops ooze_grid_pressure_loops = {
    .particles = particles,
    .nodes = nodes,
    .solids = solids,
    .mark = mark,
    .rewind = rewind_memory,
    .status = status_of,
    .copy = copy,
    .add = add,
    .turn = turn,
    .times = times,
    .dot = dot,
    .centre = centre,
    .precondition = precondition,
    .rate = rate,
    .find_force = find_force,
    .to_particles = to_particles,
    .from_particles = from_particles,
    .collect = collect,
    .add_flux = add_flux,
    .find_reached = find_reached,
    .find_walled = find_walled,
    .release_walls = release_walls,
    .find_rows = find_rows,
    .find_components = find_components,
    .read_minors = read_minors,
    .read_guess = read_guess,
    .read_kick = read_kick,
    .read_known = read_known,
    .apply = apply,
    .balance = balance,
    .add_applied = add_applied,
    .mobilise = mobilise,
    .join_shifts = join_shifts,
    .add_error = add_error,
    .shift = shift,
    .store_guess = store_guess,
    .store_known = store_known,
    .over_weight = over_weight,
    .add_compliance = add_compliance,
    .find_lack = find_lack,
};
