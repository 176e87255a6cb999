/* Loops of the velocity solve with pressure on a grid: see
   methods/conformation/cpu/pressure_solve.c. */
#include "methods/conformation/cuda/grid_pressure.cuh"

#include "base/vec3.h"

namespace ooze
{

static GridPressure *of(void *user)
{
    return static_cast<GridPressure *>(user);
}

static Gpu *gpu_of(void *user)
{
    return of(user)->step->gpu;
}

static float4 *velocities(const OozePressureVector *a)
{
    return static_cast<float4 *>(a->u);
}

/* ---- vectors ---- */

/* Slots are written and read on the device; the host waits for them in read_slots alone. */
struct StoreSlot {
    double *to;
    __device__ void operator()(Sum1 sum) const { *to = sum.a; }
};

/* In the norm of momenta over masses, and of rates over the diagonal. */
static void dot_vectors(void *user, const OozePressureVector *a, const OozePressureVector *b,
                        int slot)
{
    const StepView s = of(user)->step->view;
    const PressureGrid *grid = &of(user)->grid;
    const float4 *u = velocities(a), *w = velocities(b);
    const float *p = a->p, *q = b->p, *diagonal = grid->view.diagonal;
    const uint8_t *idle = grid->view.idle;
    const Sum1 none = {0.0};
    const StoreSlot store = {of(user)->slots + slot};
    sum_each(
        gpu_of(user), (uint64_t)s.n + grid->nodes, none,
        OOZE_BODY(uint32_t i) {
            Sum1 one = {0.0};
            if (i < s.n) {
                one.a = (double)(dot(u[i], w[i]) / s.rheology[s.material[i]].relative_mass);
            } else if (!idle[i - s.n]) {
                const uint32_t g = i - s.n;
                one.a = (double)(p[g] * q[g] / diagonal[g]);
            }
            return one;
        },
        store);
}

/* Waits. */
static void read_slots(void *user, int count, double *to)
{
    memset(to, 0, (size_t)count * sizeof *to);
    copy_out(gpu_of(user), to, of(user)->slots, (size_t)count * sizeof *to);
}

/* b += factor a; with `slot`, factor times the number there. */
static void add_times(void *user, float factor, const double *slot, const OozePressureVector *a,
                      const OozePressureVector *b)
{
    const uint32_t n = of(user)->step->view.n;
    const float4 *from = velocities(a);
    float4 *to = velocities(b);
    const float *p = a->p;
    float *q = b->p;
    for_each(
        gpu_of(user), (uint64_t)n + of(user)->grid.nodes, OOZE_BODY(uint32_t i) {
            const float by = slot ? factor * (float)*slot : factor;
            if (i < n) {
                to[i] = to[i] + by * from[i];
            } else {
                q[i - n] += by * p[i - n];
            }
        });
}

static void subtract(void *user, int slot, const OozePressureVector *a, const OozePressureVector *b)
{
    add_times(user, -1.0f, of(user)->slots + slot, a, b);
}

static void add_vector(void *user, double factor, const OozePressureVector *a,
                       const OozePressureVector *b)
{
    add_times(user, (float)factor, nullptr, a, b);
}

static void scale_vector(void *user, double factor, const OozePressureVector *a)
{
    const uint32_t n = of(user)->step->view.n;
    const float by = (float)factor;
    float4 *u = velocities(a);
    float *p = a->p;
    for_each(
        gpu_of(user), (uint64_t)n + of(user)->grid.nodes, OOZE_BODY(uint32_t i) {
            if (i < n) {
                u[i] = by * u[i];
            } else {
                p[i - n] *= by;
            }
        });
}

static void copy_particles(void *user, const void *from, void *to)
{
    copy(gpu_of(user), to, from, of(user)->step->view.n * sizeof(float4));
}

static void copy_vector(void *user, const OozePressureVector *from, const OozePressureVector *to)
{
    copy_particles(user, from->u, to->u);
    copy(gpu_of(user), to->p, from->p, of(user)->grid.nodes * sizeof *to->p);
}

/* ---- operator and preconditioner ---- */

/* to = from + factor Pi force */
static void push(void *user, float factor, const float4 *from, float4 *to)
{
    const StepView s = of(user)->step->view;
    const float4 *force = of(user)->force;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            const float4 sum = from[i] + factor * project(s, i, force[i]);
            to[i] = f32x4(sum.x, sum.y, sum.z);
        });
}

static void subtract_force(void *user, const void *v)
{
    push(user, -1.0f, static_cast<const float4 *>(v), of(user)->lodge->view.r);
}

static void respond(void *user, void *z)
{
    Lodge *lodge = of(user)->lodge;
    const StepView s = of(user)->step->view;
    const float4 *r = lodge->view.r;
    float4 *to = static_cast<float4 *>(z);
    if (lodge->view.multigrid) {
        multigrid_precondition(lodge);
        copy_particles(user, lodge->view.multigrid->z, z);
        return;
    }
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            to[i] = ooze_vector_scale(1.0f / s.rheology[s.material[i]].relative_mass, r[i]);
        });
}

static void multiply(void *user, const void *z, void *w)
{
    Lodge *lodge = of(user)->lodge;
    const Product product = {static_cast<const float4 *>(z), false, false,
                             &lodge->view.state->never};
    multiply(lodge, product);
    push(user, 1.0f, lodge->view.ap, static_cast<float4 *>(w));
}

static void find_residual(void *user, void *to)
{
    Lodge *lodge = of(user)->lodge;
    const StepView s = of(user)->step->view;
    const LodgeView v = lodge->view;
    const float4 *force = of(user)->force;
    float4 *r = static_cast<float4 *>(to);
    const Product product = {s.u, true, false, &v.state->never};
    multiply(lodge, product);
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            const float mass = s.rheology[s.material[i]].relative_mass;
            const float4 own = project(s, i, mass * v.u_star[i]) - v.ap[i];
            const float4 rest = own - project(s, i, force[i]);
            r[i] = f32x4(rest.x, rest.y, rest.z);
        });
}

/* ---- beginning and end ---- */

static void read_last(void *user)
{
    const StepView s = of(user)->step->view;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            const float4 v = s.velocity[i], u = f32x4(v.x, v.y, v.z);
            const OozeContactSet *set = ooze_step_contacts(&s, i);
            s.u[i] = set ? ooze_contact_prescribed(set, u) : u;
        });
}

/* Waits where the preconditioner is multigrid. */
static OozeStatus begin_pass(void *user, int pass, OozeError *error)
{
    Lodge *lodge = of(user)->lodge;
    if (lodge->view.deferred && pass > 0) {
        scale_second_stage(&lodge->view, 0.5f);
    }
    return lodge->view.multigrid_use == OOZE_MULTIGRID_NEVER ? OOZE_OK
                                                             : multigrid_begin(&lodge->view, error);
}

static void read_viscosity(void *user)
{
    const StepView s = of(user)->step->view;
    const LodgeView v = of(user)->lodge->view;
    float4 *force = of(user)->force;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            const float a = ooze_sym3_trace(v.stiffness[i]) / 3.0f;
            force[i] = f32x4(0, 0, 0, s.dt * (2.0f * a + v.bulk[i]));
        });
}

static void add_contact_force(void *user)
{
    const LodgeView v = of(user)->lodge->view;
    const float4 *force = of(user)->force;
    for_each(
        gpu_of(user), of(user)->step->view.n,
        OOZE_BODY(uint32_t i) { v.ap[i] = v.ap[i] + force[i]; });
}

/* In the order of OozeVelocityLoops. */
extern const OozeVelocityLoops pressure_velocity_loops = {
    dot_vectors,    read_slots,     subtract,  add_vector,    scale_vector,
    copy_vector,    copy_particles, read_last, begin_pass,    read_viscosity,
    subtract_force, respond,        multiply,  find_residual, add_contact_force,
};

/* ---- the solve ---- */

OozeStatus grid_pressure_solve(OozeLodge *solve, OozeError *error)
{
    Lodge *lodge = lodge_of(solve);
    Step *step = lodge->step;
    GridPressure *pressure = step->pressure;
    const OozeStepContext *c = step->context;
    const OozeConformationSettings *set = &step->view.plan->settings;
    OozeSolveResidual *residual = &pressure->residual;
    pressure->lodge = lodge;
    solve->multigrid = nullptr;
    if (solve->pass == 0) {
        copy_out(step->gpu, residual, &lodge->view.state->residual, sizeof *residual);
    }
    OozePressurePass how = {};
    how.pass = solve->pass;
    how.accurate = set->second_order || solve->pass + 1 == solve->passes;
    how.tolerance = set->tolerance;
    how.particles = (double)step->view.n;
    how.gravity = vec3_length(c->gravity);
    how.dt = c->dt;
    how.residual = residual;
    OozeStatus result = ooze_pressure_solve(&pressure->solve, &how, error);
    copy_in(step->gpu, &lodge->view.state->residual, residual, sizeof *residual);
    return result;
}

} // namespace ooze
