/* The loops of pressure_loops.h on the processor: the velocity solve. */
#include <string.h>

#include "methods/conformation/cpu/grid_pressure.h"
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/step_formula.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

typedef OozePressureVector Vector;

/* A loop over particles. */
typedef struct Loop {
    OozeGridPressure *pressure;
    const OozeF32x4 *from;
    OozeF32x4 *to;
    float factor;
} Loop;

static void run(Loop *loop, OozeRangeBody body)
{
    const OozeConformationStep *s = loop->pressure->step;
    ooze_parallel_for(s->context->threads, s->n, GRAIN, body, loop);
}

/* ---- vectors ---- */

static void dot_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *loop = data;
    const OozeConformationStep *s = loop->pressure->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].relative_mass;
        sum += (double)(ooze_f32x4_dot3(loop->from[i], loop->to[i]) / mass);
    }
    loop->pressure->lodge->own->partial[begin / GRAIN] = sum;
}

static void dot_vectors(void *user, const Vector *a, const Vector *b, int slot)
{
    OozeGridPressure *pressure = user;
    const OozePressureGrid *grid = &pressure->grid;
    const OozeConformationStep *s = pressure->step;
    Loop loop = {.pressure = pressure, .from = a->u, .to = b->u};
    OozeBlockSum sum = {s->context->threads, s->n, GRAIN, pressure->lodge->own->partial, NULL};
    double total = ooze_block_sum(&sum, dot_range, &loop);
    for (uint64_t g = 0; g < grid->nodes; g++) {
        if (!grid->idle[g]) {
            total += (double)(a->p[g] * b->p[g] / grid->diagonal[g]);
        }
    }
    pressure->slots[slot] = total + ooze_grid_solids_dot(s, a->b, b->b);
}

static void read_slots(void *user, int count, double *to)
{
    memcpy(to, ((OozeGridPressure *)user)->slots, (size_t)count * sizeof *to);
}

static void add_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *loop = data;
    for (uint64_t i = begin; i < end; i++) {
        loop->to[i] += loop->factor * loop->from[i];
    }
}

static void add_vector(void *user, double factor, const Vector *a, const Vector *b)
{
    OozeGridPressure *pressure = user;
    Loop loop = {pressure, a->u, b->u, (float)factor};
    run(&loop, add_range);
    for (uint64_t g = 0; g < pressure->grid.nodes; g++) {
        b->p[g] += loop.factor * a->p[g];
    }
    ooze_grid_solids_add(pressure->step, (double)loop.factor, a->b, b->b);
}

static void subtract(void *user, int slot, const Vector *a, const Vector *b)
{
    add_vector(user, -((OozeGridPressure *)user)->slots[slot], a, b);
}

static void scale_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *loop = data;
    for (uint64_t i = begin; i < end; i++) {
        loop->to[i] *= loop->factor;
    }
}

static void scale_vector(void *user, double factor, const Vector *a)
{
    OozeGridPressure *pressure = user;
    Loop loop = {pressure, NULL, a->u, (float)factor};
    run(&loop, scale_range);
    for (uint64_t g = 0; g < pressure->grid.nodes; g++) {
        a->p[g] *= loop.factor;
    }
    ooze_grid_solids_scale(pressure->step, (double)loop.factor, a->b);
}

static void copy_particles(void *user, const void *from, void *to)
{
    memcpy(to, from, ((OozeGridPressure *)user)->step->n * sizeof(OozeF32x4));
}

static void copy_vector(void *user, const Vector *from, const Vector *to)
{
    const OozeGridPressure *pressure = user;
    copy_particles(user, from->u, to->u);
    memcpy(to->p, from->p, pressure->grid.nodes * sizeof *to->p);
    ooze_grid_solids_copy(pressure->step, from->b, to->b);
}

/* ---- operator and preconditioner ---- */

/* to = from + factor Pi force */
static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *loop = data;
    const OozeConformationStep *s = loop->pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 force = ooze_lodge_project(s, i, loop->pressure->force[i]);
        loop->to[i] = loop->from[i] + loop->factor * force;
    }
}

static void subtract_force(void *user, const void *v)
{
    OozeGridPressure *pressure = user;
    Loop loop = {pressure, v, pressure->lodge->r, -1.0f};
    run(&loop, push_range);
}

static void mass_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *loop = data;
    const OozeConformationStep *s = loop->pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        loop->to[i] = loop->from[i] / s->rheology[s->material[i]].relative_mass;
    }
}

static void respond(void *user, void *z)
{
    OozeGridPressure *pressure = user;
    OozeLodge *solve = pressure->lodge;
    if (solve->multigrid) {
        ooze_lodge_multigrid_precondition(solve);
        copy_particles(user, solve->multigrid->z, z);
    } else {
        Loop loop = {.pressure = pressure, .from = solve->r, .to = z};
        run(&loop, mass_range);
    }
}

static void multiply(void *user, const void *z, void *w)
{
    OozeGridPressure *pressure = user;
    Loop loop = {pressure, pressure->lodge->ap, w, 1.0f};
    ooze_lodge_multiply_by(pressure->lodge, z, false);
    run(&loop, push_range);
}

static void residual_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *loop = data;
    const OozeLodge *solve = loop->pressure->lodge;
    const OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].relative_mass;
        OozeF32x4 r = ooze_lodge_project(s, i, mass * solve->u_star[i]) - solve->ap[i];
        r -= ooze_lodge_project(s, i, loop->pressure->force[i]);
        r[3] = 0;
        loop->to[i] = r;
    }
}

static void find_residual(void *user, void *r)
{
    OozeGridPressure *pressure = user;
    Loop loop = {.pressure = pressure, .to = r};
    ooze_lodge_multiply_by(pressure->lodge, pressure->step->u, true);
    run(&loop, residual_range);
}

/* ---- beginning and end ---- */

static void last_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *loop = data;
    const OozeConformationStep *s = loop->pressure->step;
    for (uint64_t i = begin; i < end; i++) {
        const OozeContactSet *set = ooze_step_contacts(s, i);
        loop->to[i] = set ? ooze_contact_prescribed(set, s->velocity[i]) : s->velocity[i];
    }
}

static void read_last(void *user)
{
    OozeGridPressure *pressure = user;
    Loop loop = {.pressure = pressure, .to = pressure->step->u};
    run(&loop, last_range);
}

static OozeStatus begin_pass(void *user, int pass, OozeError *error)
{
    OozeLodge *solve = ((OozeGridPressure *)user)->lodge;
    if (solve->deferred && pass > 0) {
        ooze_lodge_scale_second_stage(solve, 0.5f);
    }
    return solve->multigrid_use == OOZE_MULTIGRID_NEVER ? OOZE_OK
                                                        : ooze_lodge_multigrid_begin(solve, error);
}

static void viscosity_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Loop *loop = data;
    const OozeLodge *solve = loop->pressure->lodge;
    for (uint64_t i = begin; i < end; i++) {
        float a = ooze_sym3_trace(solve->stiffness[i]) / 3.0f;
        loop->to[i] = ooze_f32x4(0, 0, 0, solve->step->dt * (2.0f * a + solve->bulk[i]));
    }
}

static void read_viscosity(void *user)
{
    OozeGridPressure *pressure = user;
    Loop loop = {.pressure = pressure, .to = pressure->force};
    run(&loop, viscosity_range);
}

static void add_contact_force(void *user)
{
    OozeGridPressure *pressure = user;
    Loop loop = {pressure, pressure->force, pressure->lodge->ap, 1.0f};
    run(&loop, add_range);
}

const OozeVelocityLoops ooze_grid_velocity_loops = {
    .dot_vectors = dot_vectors,
    .read_slots = read_slots,
    .subtract = subtract,
    .add_vector = add_vector,
    .scale_vector = scale_vector,
    .copy_vector = copy_vector,
    .copy_particles = copy_particles,
    .read_last = read_last,
    .begin_pass = begin_pass,
    .read_viscosity = read_viscosity,
    .subtract_force = subtract_force,
    .respond = respond,
    .multiply = multiply,
    .find_residual = find_residual,
    .add_contact_force = add_contact_force,
};
