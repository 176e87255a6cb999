/* Pressure on a grid before and after the velocity solve: the pressure that balances weight, the
   position-only shifts that keep volumes, and what the next step begins with. */
#include <math.h>

#include "methods/conformation/cpu/grid_pressure_solids.h"
#include "methods/conformation/pressure_solve.h"

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

/* ---- Poisson equation ---- */

/* Conjugate gradients for D M^-1 D^T q = r, on the nodes. */
typedef struct Poisson {
    OozePressureSolve *solve;
    bool solids; /* dynamic ones move; else they are at rest */
    float *q, *r, *z, *p, *ap;
} Poisson;

static OozeStatus allocate_poisson(Poisson *f, OozePressureSolve *solve, OozeError *error)
{
    const OozePressureLoops *loops = solve->loops;
    *f = (Poisson){.solve = solve};
    float **const arrays[] = {&f->q, &f->r, &f->z, &f->p, &f->ap};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k] = loops->nodes(solve->user);
    }
    return loops->status(solve->user, error);
}

/* ap = D M^-1 D^T p; M^-1 D^T p stays in `force`. */
static void multiply(Poisson *f, const float *p, float *ap)
{
    OozePressureSolve *solve = f->solve;
    solve->loops->find_force(solve->user, p, false);
    solve->loops->mobilise(solve->user);
    solve->loops->rate(solve->user, solve->force, false, ap);
    if (f->solids) {
        ooze_grid_solids_add_product(solve->coupled, p, ap);
    }
}

/* z from r; returns their product. */
static double precondition(Poisson *f)
{
    OozePressureSolve *solve = f->solve;
    solve->loops->centre(solve->user, f->r);
    solve->loops->precondition(solve->user, f->r, f->z);
    solve->loops->centre(solve->user, f->z);
    return solve->loops->dot(solve->user, f->r, f->z);
}

/* Ends where r.z is at most `goal`. */
static void solve_poisson(Poisson *f, int most, double goal)
{
    const OozePressureLoops *loops = f->solve->loops;
    void *user = f->solve->user;
    loops->copy(user, NULL, f->q);
    double rz = precondition(f);
    loops->copy(user, f->z, f->p);
    for (int k = 0; k < most && rz > goal; k++) {
        multiply(f, f->p, f->ap);
        loops->centre(user, f->ap);
        double pap = loops->dot(user, f->p, f->ap);
        float alpha = pap > 0.0 ? (float)(rz / pap) : 0.0f;
        loops->add(user, alpha, f->p, f->q);
        loops->add(user, -alpha, f->ap, f->r);
        double next = precondition(f);
        float beta = (float)(next / rz);
        rz = next;
        loops->turn(user, f->z, beta, f->p);
    }
}

/* ---- pressure that balances weight ---- */

/* Sets `applied`, the plain force of the known pressure. In every component of fluid that no wall
   touches, it gets the net force of the exact rows: a false net force would accelerate the
   component. Between walls the plain force is right. The force of the exact rows depends there on
   the position of the walls in their cells: a level tray flowed as if tilted by 0.1 %. */
static void find_applied(OozePressureSolve *solve)
{
    const OozePressureLoops *loops = solve->loops;
    loops->find_force(solve->user, solve->known, false);
    loops->apply(solve->user);
    loops->find_force(solve->user, solve->known, true);
    loops->balance(solve->user);
    ooze_grid_solids_find_applied(solve->coupled);
}

/* A guess from the pressure of the last step. Returns r.z of weight alone. */
static double begin_known(Poisson *f)
{
    OozePressureSolve *solve = f->solve;
    const OozePressureLoops *loops = solve->loops;
    loops->read_kick(solve->user);
    loops->rate(solve->user, solve->force, false, f->r);
    ooze_grid_solids_add_kick(solve->coupled, false, f->r);
    loops->read_known(solve->user);
    loops->from_particles(solve->user, solve->known);
    loops->centre(solve->user, solve->known);
    return precondition(f);
}

/* The pressure with which weight changes no volume: D (kick + applied) = 0. The balance of
   components is a small part of `applied`, which rounds take in. */
static OozeStatus find_known(OozePressureSolve *solve, OozeError *error)
{
    const OozePressureLoops *loops = solve->loops;
    void *user = solve->user;
    Poisson f;
    loops->mark(user);
    OozeStatus status = allocate_poisson(&f, solve, error);
    if (!status) {
        f.solids = true;
        double goal = KNOWN_TOLERANCE * KNOWN_TOLERANCE * begin_known(&f);
        for (int round = 0; round < KNOWN_ROUNDS; round++) {
            find_applied(solve);
            loops->read_kick(user);
            loops->add_applied(user);
            loops->rate(user, solve->force, false, f.r);
            ooze_grid_solids_add_kick(solve->coupled, true, f.r);
            bool last = round + 1 == KNOWN_ROUNDS;
            double loose = KNOWN_EARLY * KNOWN_EARLY * precondition(&f);
            solve_poisson(&f, KNOWN_ITERATIONS, last ? goal : fmax(goal, loose));
            loops->add(user, 1.0f, f.q, solve->known);
        }
        find_applied(solve);
    }
    loops->rewind(user);
    return status;
}

/* To keep its volume in a step, fluid that rotates must contract, and fluid that is stretched must
   expand: det (I + dt L) = 1. */
static void add_finite_rotation(OozePressureSolve *solve)
{
    const OozePressureLoops *loops = solve->loops;
    loops->read_minors(solve->user);
    loops->collect(solve->user, solve->turned);
    loops->add_flux(solve->user, -1.0f, solve->turned);
}

static OozeStatus allocate_nodes(OozePressureSolve *solve, OozeError *error)
{
    const OozePressureLoops *loops = solve->loops;
    float **const arrays[] = {&solve->known, &solve->change, &solve->guess, &solve->compliance,
                              &solve->turned};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k] = loops->nodes(solve->user);
    }
    return loops->status(solve->user, error);
}

OozeStatus ooze_pressure_begin(OozePressureSolve *solve, OozeError *error)
{
    const OozePressureLoops *loops = solve->loops;
    void *user = solve->user;
    OozeStatus status = allocate_nodes(solve, error);
    if (status) {
        return status;
    }
    loops->copy(user, NULL, solve->change);
    loops->find_reached(user);
    add_finite_rotation(solve);
    loops->find_walled(user);
    loops->read_guess(user);
    loops->from_particles(user, solve->guess);
    loops->times(user, solve->dt, solve->guess);
    loops->centre(user, solve->guess);
    status = loops->find_components(user, error);
    status = status ? status : find_known(solve, error);
    ooze_grid_solids_join(solve->coupled);
    ooze_timer_lap(solve->timer, "pressure_grid");
    return status;
}

/* ---- between passes ---- */

const float *ooze_pressure_total(OozePressureSolve *solve)
{
    const OozePressureLoops *loops = solve->loops;
    loops->copy(solve->user, solve->known, solve->compliance);
    loops->add(solve->user, 1.0f, solve->change, solve->compliance);
    return solve->compliance;
}

void ooze_pressure_release(OozePressureSolve *solve)
{
    const OozePressureLoops *loops = solve->loops;
    void *user = solve->user;
    if (loops->release_walls(user, ooze_pressure_total(solve))) {
        loops->find_rows(user);
        loops->add_flux(user, -1.0f, solve->turned);
    }
}

/* ---- positions ---- */

OozeStatus ooze_pressure_repair(OozePressureSolve *solve, OozeError *error)
{
    const OozePressureLoops *loops = solve->loops;
    void *user = solve->user;
    Poisson f;
    loops->mark(user);
    OozeStatus status = allocate_poisson(&f, solve, error);
    if (!status) {
        loops->join_shifts(user);
        loops->rate(user, solve->drift, false, f.r);
        loops->add_error(user, REPAIR * solve->cell, REPAIR_LIMIT, f.r);
        double goal = REPAIR_TOLERANCE * REPAIR_TOLERANCE * precondition(&f);
        solve_poisson(&f, REPAIR_ITERATIONS, goal);
        multiply(&f, f.q, f.ap);
        loops->shift(user, REPAIR_SHIFT * solve->spacing);
    }
    loops->rewind(user);
    ooze_timer_lap(solve->timer, "pressure_positions");
    return status;
}

/* ---- end ---- */

void ooze_pressure_store(OozePressureSolve *solve)
{
    const OozePressureLoops *loops = solve->loops;
    loops->to_particles(solve->user, solve->change);
    loops->store_guess(solve->user);
    loops->to_particles(solve->user, solve->known);
    loops->store_known(solve->user);
}
