/* Loops over particles and nodes before and after the velocity solve: see
   methods/conformation/cpu/grid_pressure.c. */
#include "methods/conformation/cuda/grid_pressure.cuh"

#include "methods/conformation/cuda/component_sums.cuh"

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

/* ---- memory ---- */

/* Element n is 0: the operator reads it for the padding of lists. */
static void *particles(void *user)
{
    const uint64_t n = of(user)->step->view.n;
    float4 *made = scratch<float4>(gpu_of(user), n);
    clear(gpu_of(user), made + n, sizeof *made);
    return made;
}

static float *nodes(void *user)
{
    return scratch<float>(gpu_of(user), of(user)->grid.nodes);
}

static OozeTwist *solids(void *)
{
    return nullptr;
}

static void mark(void *user)
{
    of(user)->mark = scratch_mark(gpu_of(user));
}

static void rewind_memory(void *user)
{
    scratch_rewind(gpu_of(user), of(user)->mark);
}

static OozeStatus status_of(void *user, OozeError *error)
{
    return status(gpu_of(user), of(user)->step->view.n, error);
}

/* ---- vectors of nodes ---- */

static void copy_nodes(void *user, const float *from, float *to)
{
    const size_t size = of(user)->grid.nodes * sizeof *to;
    if (from) {
        copy(gpu_of(user), to, from, size);
    } else {
        clear(gpu_of(user), to, size);
    }
}

static void add(void *user, float factor, const float *a, float *b)
{
    for_each(
        gpu_of(user), of(user)->grid.nodes, OOZE_BODY(uint32_t g) { b[g] += factor * a[g]; });
}

static void turn(void *user, const float *z, float beta, float *p)
{
    for_each(
        gpu_of(user), of(user)->grid.nodes, OOZE_BODY(uint32_t g) { p[g] = z[g] + beta * p[g]; });
}

static void times(void *user, float factor, float *a)
{
    for_each(
        gpu_of(user), of(user)->grid.nodes, OOZE_BODY(uint32_t g) { a[g] *= factor; });
}

/* Waits. */
static double dot_nodes(void *user, const float *a, const float *b)
{
    const Sum1 none = {0.0};
    const Sum1 sum = sum_to_host(
        gpu_of(user), of(user)->grid.nodes, none, OOZE_BODY(uint32_t g) {
            Sum1 one = {(double)(a[g] * b[g])};
            return one;
        });
    return sum.a;
}

static void add_error(void *user, float factor, float limit, float *r)
{
    const OozePressureView v = of(user)->grid.view;
    for_each(
        gpu_of(user), of(user)->grid.nodes, OOZE_BODY(uint32_t g) {
            r[g] = ooze_grid_pressure_add_error(v.idle[g], r[g], v.error[g], factor, limit);
        });
}

static void add_flux(void *user, float factor, const float *p)
{
    const OozePressureView v = of(user)->grid.view;
    for_each(
        gpu_of(user), of(user)->grid.nodes, OOZE_BODY(uint32_t g) { v.flux[g] += factor * p[g]; });
}

static void over_weight(void *user, float *p)
{
    const OozePressureView v = of(user)->grid.view;
    for_each(
        gpu_of(user), of(user)->grid.nodes, OOZE_BODY(uint32_t g) {
            p[g] = ooze_grid_pressure_over_weight(v.idle[g], p[g], v.weight[g]);
        });
}

static void add_compliance(void *user, const float *from, float *z)
{
    const OozePressureView v = of(user)->grid.view;
    const float *compliance = of(user)->solve.compliance;
    for_each(
        gpu_of(user), of(user)->grid.nodes, OOZE_BODY(uint32_t g) {
            z[g] = ooze_grid_pressure_add_compliance(v.idle[g], z[g], compliance[g], from[g]);
        });
}

static void find_lack(void *user, float *p)
{
    const OozePressureView v = of(user)->grid.view;
    for_each(
        gpu_of(user), of(user)->grid.nodes,
        OOZE_BODY(uint32_t g) { p[g] = ooze_grid_pressure_lack(v.idle[g], p[g], v.flux[g]); });
}

/* ---- the grid ---- */

static void centre(void *user, float *p)
{
    pressure_centre(gpu_of(user), &of(user)->grid, p);
}

static void precondition(void *user, const float *r, float *z)
{
    pressure_precondition(gpu_of(user), &of(user)->grid, r, z);
}

static void rate(void *user, const void *u, bool exact, float *to)
{
    pressure_rate(gpu_of(user), &of(user)->grid, static_cast<const float4 *>(u), exact, to);
}

static void find_force(void *user, const float *p, bool exact)
{
    pressure_force(gpu_of(user), &of(user)->grid, p, exact, of(user)->force);
}

static void to_particles(void *user, const float *p)
{
    pressure_to_particles(gpu_of(user), &of(user)->grid, p, of(user)->force);
}

static void from_particles(void *user, float *p)
{
    pressure_from_particles(gpu_of(user), &of(user)->grid, of(user)->force, p);
}

static void collect(void *user, float *sum)
{
    pressure_collect(gpu_of(user), &of(user)->grid, of(user)->force, sum);
}

static void find_reached(void *user)
{
    pressure_reaches(gpu_of(user), &of(user)->grid, of(user)->reached);
}

static void find_walled(void *user)
{
    pressure_walled(gpu_of(user), &of(user)->grid, of(user)->walled);
}

static bool release_walls(void *user, const float *p)
{
    return pressure_release_walls(gpu_of(user), &of(user)->grid, p);
}

static void find_rows(void *user)
{
    pressure_find_rows(gpu_of(user), &of(user)->grid);
}

/* ---- particles before the solve ---- */

static OozeStatus find_all_components(void *user, OozeError *error)
{
    find_components(of(user)->step, true, of(user)->root, of(user)->never);
    return status_of(user, error);
}

template <int LANES, bool WRAPS> static void minors_loop(GridPressure *pressure)
{
    const StepView s = pressure->step->view;
    float4 *force = pressure->force;
    for_lanes<LANES>(
        pressure->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
                force[i] = f32x4(0, 0, 0, s.dt * ooze_pressure_minors(l));
            }
        });
}

static void read_minors(void *user)
{
    GridPressure *pressure = of(user);
#define MINORS(lanes, wraps) minors_loop<lanes, wraps>(pressure)
    OOZE_EACH_KIND(pressure->step, MINORS);
}

static void read_guess(void *user)
{
    const StepView s = of(user)->step->view;
    float4 *force = of(user)->force;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            force[i] = ooze_grid_pressure_guess(s.pressure_change_gradient + 3 * (uint64_t)i,
                                                s.pressure_change[i]);
        });
}

static void read_kick(void *user)
{
    const StepView s = of(user)->step->view;
    float4 *force = of(user)->force;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            force[i] = ooze_grid_pressure_kick(s.u[i], s.velocity[i], s.mobility[i]);
        });
}

static void read_known(void *user)
{
    const StepView s = of(user)->step->view;
    float4 *force = of(user)->force;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            const float mass = s.rheology[s.material[i]].relative_mass;
            force[i] = ooze_grid_pressure_known(force[i], mass, s.dt, s.weight_pressure[i]);
        });
}

static void apply(void *user)
{
    const StepView s = of(user)->step->view;
    const float4 *force = of(user)->force;
    float4 *applied = of(user)->applied;
    for_each(
        gpu_of(user), s.n,
        OOZE_BODY(uint32_t i) { applied[i] = ooze_vector_scale(-s.mobility[i], force[i]); });
}

static void add_applied(void *user)
{
    float4 *force = of(user)->force;
    const float4 *applied = of(user)->applied;
    for_each(
        gpu_of(user), of(user)->step->view.n,
        OOZE_BODY(uint32_t i) { force[i] = force[i] + applied[i]; });
}

static void mobilise(void *user)
{
    const StepView s = of(user)->step->view;
    float4 *force = of(user)->force;
    for_each(
        gpu_of(user), s.n,
        OOZE_BODY(uint32_t i) { force[i] = ooze_vector_scale(s.mobility[i], force[i]); });
}

/* ---- net forces of components ---- */

struct LargestNet {
    float of[OOZE_PRESSURE_NET];
    __device__ void operator+=(const LargestNet &o)
    {
        for (int k = 0; k < OOZE_PRESSURE_NET; k++) {
            of[k] = o.of[k] > of[k] ? o.of[k] : of[k];
        }
    }
};

struct RecordNetUnits {
    double *unit, n;
    __device__ void operator()(LargestNet largest) const
    {
        for (int k = 0; k < OOZE_PRESSURE_NET; k++) {
            unit[k] = sum_unit(largest.of[k], n);
        }
    }
};

/* In units that depend on the largest number. */
static void sum_nets(GridPressure *pressure)
{
    const StepView s = pressure->step->view;
    const float4 *force = pressure->force, *applied = pressure->applied;
    const float *walled = pressure->walled;
    double *unit = pressure->unit;
    const LargestNet none = {};
    const RecordNetUnits units = {unit, (double)s.n};
    sum_each(
        pressure->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            double net[OOZE_PRESSURE_NET];
            LargestNet own;
            ooze_grid_pressure_net(s.mobility[i], force[i], applied[i], walled[i], net);
            for (int k = 0; k < OOZE_PRESSURE_NET; k++) {
                own.of[k] = (float)fabs(net[k]);
            }
            return own;
        },
        units);
    clear(pressure->step->gpu, pressure->net,
          OOZE_PRESSURE_NET * (uint64_t)s.n * sizeof *pressure->net);
    sum_components<OOZE_PRESSURE_NET>(
        pressure->step->gpu, s.n, pressure->root, pressure->net, pressure->never,
        OOZE_BODY(uint32_t i, long long *value) {
            double net[OOZE_PRESSURE_NET];
            ooze_grid_pressure_net(s.mobility[i], force[i], applied[i], walled[i], net);
            for (int k = 0; k < OOZE_PRESSURE_NET; k++) {
                value[k] = llrint(net[k] / unit[k]);
            }
        });
}

static void balance(void *user)
{
    GridPressure *pressure = of(user);
    const StepView s = pressure->step->view;
    const uint32_t *root = pressure->root;
    const unsigned long long *net = pressure->net;
    const double *unit = pressure->unit;
    float4 *applied = pressure->applied;
    sum_nets(pressure);
    for_each(
        pressure->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            double sum[OOZE_PRESSURE_NET];
            for (uint64_t k = 0; k < OOZE_PRESSURE_NET; k++) {
                sum[k] =
                    (double)(long long)net[OOZE_PRESSURE_NET * (uint64_t)root[i] + k] * unit[k];
            }
            applied[i] = ooze_grid_pressure_balanced(applied[i], s.mobility[i], sum);
        });
}

/* ---- positions ---- */

static void join_shifts(void *user)
{
    const StepView s = of(user)->step->view;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            s.drift[i] = s.drift[i] + s.reached[i] * s.position_only_shift[i];
        });
}

static void shift(void *user, float limit)
{
    const StepView s = of(user)->step->view;
    const float4 *force = of(user)->force;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            if (s.reached[i] > 0.0f) {
                s.position_only_shift[i] = f32x4(0, 0, 0);
            }
            s.drift[i] = ooze_grid_pressure_shift(s.drift[i], force[i], s.mobility[i], limit);
        });
}

/* ---- end ---- */

OOZE_DEVICE float4 over(float4 a, float b)
{
    return f32x4(a.x / b, a.y / b, a.z / b, a.w / b);
}

OOZE_DEVICE float moved_value(const StepView &s, const float4 *x, uint32_t i, float4 value)
{
    const Delta d = delta<true>(s, s.x0[i], x[i]);
    return ooze_grid_pressure_moved(value, f32x4(d.x, d.y, d.z));
}

static void store_guess(void *user)
{
    const StepView s = of(user)->step->view;
    const float4 *force = of(user)->force, *x = of(user)->x;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            const float4 value = over(force[i], s.dt);
            float *to = s.pressure_change_gradient + 3 * (uint64_t)i;
            to[0] = value.x;
            to[1] = value.y;
            to[2] = value.z;
            s.pressure_change[i] = moved_value(s, x, i, value);
        });
}

static void store_known(void *user)
{
    const StepView s = of(user)->step->view;
    const float4 *force = of(user)->force, *x = of(user)->x;
    for_each(
        gpu_of(user), s.n, OOZE_BODY(uint32_t i) {
            const float4 value = over(force[i], s.dt);
            s.weight_pressure[i] = moved_value(s, x, i, value);
        });
}

/* In the order of OozePressureLoops. */
extern const OozePressureLoops grid_pressure_loops = {
    particles,
    nodes,
    solids,
    mark,
    rewind_memory,
    status_of,
    copy_nodes,
    add,
    turn,
    times,
    dot_nodes,
    centre,
    precondition,
    rate,
    find_force,
    to_particles,
    from_particles,
    collect,
    add_flux,
    find_reached,
    find_walled,
    release_walls,
    find_rows,
    over_weight,
    add_compliance,
    find_lack,
    find_all_components,
    read_minors,
    read_guess,
    read_kick,
    read_known,
    apply,
    balance,
    add_applied,
    mobilise,
    join_shifts,
    add_error,
    shift,
    store_guess,
    store_known,
};

} // namespace ooze
