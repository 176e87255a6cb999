/* The method constraint on particles: `consistent` keeps momentum and spin and has the
   modulus it was given in every direction; `paper` has the errors of the printed
   equations. */
#include "base/hash.h"
#include "base/vec3.h"
#include "check.h"
#include "ooze/ooze.h"
#include "physics/rigid_fit.h"
#include "physics/strain_weight.h"

enum { CONSISTENT, PAPER, JACOBI = 0, CHEBYSHEV = 1, GRADIENTS = 2, MOST = 4096 };

typedef struct Scene {
    double dt, gravity, modulus, relaxation, compliance;
    int formulation, threads;
    double jitter;    /* spacings */
    double period[3]; /* 0: open */
} Scene;

static const double spacing = 0.1;

static OozeWorld *make_world(const Scene *scene)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "constraint";
    def.spacing = spacing;
    def.support_ratio = 2.2;
    def.time_step = scene->dt;
    def.max_travel = 0; /* what is measured is one step of this length */
    def.gravity = vec3(0, -scene->gravity, 0);
    def.threads = scene->threads ? scene->threads : 1;
    for (int a = 0; a < 3; a++) {
        def.periodic[a] = scene->period[a] > 0.0;
    }
    def.periodic_max = vec3(scene->period[0], scene->period[1], scene->period[2]);
    OozeWorld *world;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    OozeError unused;
    if (scene->modulus > 0.0) {
        ooze_material_def_set(&material, "modulus", scene->modulus, &unused);
    } else {
        ooze_material_def_set(&material, "compliance", scene->compliance, &unused);
    }
    ooze_material_def_set(&material, "relaxation_time", scene->relaxation, &unused);
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    CHECK_OK(ooze_world_set_param(world, "formulation", scene->formulation, &error));
    return world;
}

static void set(OozeWorld *world, const char *key, double value)
{
    CHECK_OK(ooze_world_set_param(world, key, value, &error));
}

typedef struct State {
    int n;
    double x[MOST][3], v[MOST][3];
} State;

static void read_state(OozeWorld *world, State *s)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    const OozeFieldView *id = ooze_frame_field(frame, "id");
    s->n = (int)frame->particle_count;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        int k = (int)ooze_field_value(id, i, 0);
        for (int a = 0; a < 3; a++) {
            s->x[k][a] = ooze_field_value(x, i, a);
            s->v[k][a] = ooze_field_value(v, i, a);
        }
    }
}

/* A lattice with its lowest corner at `low`, jittered by a share of the spacing. */
static int fill(OozeVec3 *x, const int count[3], OozeVec3 low, double jitter)
{
    int n = 0;
    for (int k = 0; k < count[2]; k++) {
        for (int j = 0; j < count[1]; j++) {
            for (int i = 0; i < count[0]; i++) {
                uint64_t e = (uint64_t)n;
                double d[3];
                for (uint64_t a = 0; a < 3; a++) {
                    d[a] = jitter * (ooze_random01(1, e, a) - 0.5);
                }
                x[n++] = vec3(low.x + (i + d[0]) * spacing, low.y + (j + d[1]) * spacing,
                              low.z + (k + d[2]) * spacing);
            }
        }
    }
    return n;
}

static void add(OozeWorld *world, int n, const OozeVec3 *x, const OozeVec3 *v)
{
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, (uint64_t)n, x, v, &error));
}

static void advance(OozeWorld *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

/* Per unit of particle mass: linear momentum per particle, and angular momentum about the
   centre. */
static double momentum(const State *s, double *spin)
{
    double c[3] = {0}, p[3] = {0};
    for (int i = 0; i < s->n; i++) {
        for (int a = 0; a < 3; a++) {
            c[a] += s->x[i][a] / s->n;
            p[a] += s->v[i][a] / s->n;
        }
    }
    *spin = 0.0;
    for (int i = 0; i < s->n; i++) {
        *spin +=
            (s->x[i][0] - c[0]) * (s->v[i][1] - p[1]) - (s->x[i][1] - c[1]) * (s->v[i][0] - p[0]);
    }
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

static State before, after;

/* ---- free flight ---------------------------------------------------------------------------- */

/* L after / before of a block of 6 x 6 x 6 that turns at 5 rad/s. */
static double spin_kept(const Scene *scene, double seconds, int solver, double corotation,
                        int positions_only)
{
    enum { N = 6 };
    OozeVec3 x[N * N * N], v[N * N * N];
    double low = -0.5 * (N - 1) * spacing, l0, l1;
    int n = fill(x, (int[]){N, N, N}, vec3(low, low, low), scene->jitter);
    for (int i = 0; i < n; i++) {
        v[i] = vec3(-5.0 * x[i].y, 5.0 * x[i].x, 0);
    }
    OozeWorld *world = make_world(scene);
    set(world, "solver", solver);
    set(world, "corotation", corotation);
    set(world, "projection", positions_only);
    add(world, n, x, v);
    read_state(world, &before);
    advance(world, (int)round(seconds / scene->dt));
    read_state(world, &after);
    ooze_world_destroy(world);
    momentum(&before, &l0);
    momentum(&after, &l1);
    return l1 / l0;
}

/* Forces without torque about the positions at the beginning of the step keep L of x = x0 + dt u to
   rounding. In a jittered block the density stage is at work against elasticity all the time;
   pushing along the lines between x it would spin the block up by a tenth. */
static void consistent_keeps_spin(void **state)
{
    (void)state;
    Scene rigid = {.dt = 1.0 / 240, .formulation = CONSISTENT};
    Scene elastic = {
        .dt = 0.03, .modulus = 64000, .relaxation = INFINITY, .formulation = CONSISTENT};
    Scene rough = elastic;
    rough.jitter = 0.3;
    MEASURED("L/L0, jittered, 30 ms", spin_kept(&rough, 0.99, CHEBYSHEV, 1, 0), 0.998, 1.002);
    for (int solver = JACOBI; solver <= GRADIENTS; solver++) {
        MEASURED("L/L0, tau = alpha = 0, 1/240 s", spin_kept(&rigid, 0.5, solver, 1, 0), 0.999,
                 1.001);
        MEASURED("L/L0, elastic, 30 ms", spin_kept(&elastic, 0.99, solver, 1, 0), 0.998, 1.002);
    }
}

/* Backward differences alone lose 1 - 1/sqrt(1 + w^2 dt t) = 2.5 % in half a second; without
   corotation the rotation itself counts as strain, and in the velocity stage as printed too. */
static void paper_loses_spin(void **state)
{
    (void)state;
    Scene scene = {.dt = 1.0 / 240, .formulation = PAPER};
    double with = spin_kept(&scene, 0.5, JACOBI, 1, 1);
    double without = spin_kept(&scene, 0.5, JACOBI, 0, 1);
    MEASURED("L/L0, positions only, corotated", with, 0.85, 0.985);
    MEASURED("share lost, corotated over not", (1 - with) / (1 - without), 0.0, 0.3);
    MEASURED("L/L0, doubly constrained", spin_kept(&scene, 0.5, JACOBI, 1, 0), 0.0, 0.1);
}

/* |p| per particle gained in free flight by a jittered elastic block that was thrown into
   disorder. */
static double momentum_gained(int formulation)
{
    enum { N = 6 };
    OozeVec3 x[N * N * N], v[N * N * N];
    Scene scene = {
        .dt = 1.0 / 240, .modulus = 16000, .relaxation = INFINITY, .formulation = formulation};
    int n = fill(x, (int[]){N, N, N}, vec3(0, 0, 0), 0.3);
    for (int i = 0; i < n; i++) {
        uint64_t e = (uint64_t)i;
        v[i] = vec3(ooze_random01(2, e, 0) - 0.5, ooze_random01(2, e, 1) - 0.5,
                    ooze_random01(2, e, 2) - 0.5);
    }
    OozeWorld *world = make_world(&scene);
    add(world, n, x, v);
    read_state(world, &before);
    advance(world, 60);
    read_state(world, &after);
    ooze_world_destroy(world);
    double gained = 0.0;
    for (int a = 0; a < 3; a++) {
        double change = 0.0;
        for (int i = 0; i < n; i++) {
            change += (after.v[i][a] - before.v[i][a]) / n;
        }
        gained += change * change;
    }
    return sqrt(gained);
}

/* Floats of size 1 m/s round at 6e-8; 60 steps of them walk. The receiver's beta/n is not the
   sender's, so the printed form pushes itself along. */
static void momentum_is_kept(void **state)
{
    (void)state;
    MEASURED("m/s gained, consistent", momentum_gained(CONSISTENT), 0.0, 2e-6);
    MEASURED("m/s gained, paper", momentum_gained(PAPER), 1e-4, 1.0);
}

/* ---- standing shear wave --------------------------------------------------------------------- */

/* Angular frequency of a standing wave of 2 m along x, or of its square root of two along the
   diagonal, from its first two zeros. */
static double wave_frequency(const Scene *given, int diagonal, int positions_only)
{
    static OozeVec3 x[MOST], v[MOST];
    Scene scene = *given;
    int count[3] = {20, diagonal ? 20 : 7, 7};
    for (int a = 0; a < 3; a++) {
        scene.period[a] = count[a] * spacing;
    }
    double k = OOZE_PI, half = 0.5 * spacing, zeros[2], last = 1.0;
    int n = fill(x, count, vec3(half, half, half), 0.0), found = 0;
    double along = diagonal ? sqrt(0.5) : 0.0, across = diagonal ? -sqrt(0.5) : 1.0;
    for (int i = 0; i < n; i++) {
        double wave = 0.01 * sin(k * (x[i].x + (diagonal ? x[i].y : 0.0)));
        v[i] = vec3(along * wave, across * wave, 0);
    }
    OozeWorld *world = make_world(&scene);
    set(world, "projection", positions_only);
    add(world, n, x, v);
    for (int step = 1; step <= 400 && found < 2; step++) {
        advance(world, 1);
        read_state(world, &after);
        double now = 0.0;
        for (int i = 0; i < n; i++) {
            double phase = k * (after.x[i][0] + (diagonal ? after.x[i][1] : 0.0));
            now += (along * after.v[i][0] + across * after.v[i][1]) * sin(phase);
        }
        if (now * last <= 0.0) {
            zeros[found++] = scene.dt * (step - now / (now - last));
        }
        last = now;
    }
    ooze_world_destroy(world);
    assert_int_equal(found, 2);
    return OOZE_PI / (zeros[1] - zeros[0]);
}

/* What the gradient of the weight makes of the wave number on the lattice: sum f x sin k.x for
   k. */
static double seen_wave_number(int diagonal)
{
    const double h = 2.2 * spacing, k = OOZE_PI;
    double scale = ooze_strain_weight_scale(spacing, h), sum = 0.0;
    for (int e = 0; e < 125; e++) {
        double x = (e % 5 - 2) * spacing, y = (e / 5 % 5 - 2) * spacing, z = (e / 25 - 2) * spacing;
        double f = (double)ooze_strain_weight((float)sqrt(x * x + y * y + z * z), (float)h);
        sum += scale * spacing * spacing * spacing * f * x * sin(k * (x + (diagonal ? y : 0.0)));
    }
    return diagonal ? sqrt(2.0) * sum : sum;
}

/* Shear speed sqrt(G/rho) = 4 m/s times the wave number that 20 and 14 spacings a wave leave of pi
   and of sqrt(2) pi: within 1 %, which is what the step and the hourglass term take. Theory
   without a lattice is 12.57 and 17.77, within 3 and 6 %. */
static void consistent_waves(void **state)
{
    (void)state;
    Scene scene = {
        .dt = 1.0 / 240, .modulus = 16000, .relaxation = INFINITY, .formulation = CONSISTENT};
    double axis = 4.0 * seen_wave_number(0), diagonal = 4.0 * seen_wave_number(1);
    MEASURED("rad/s of the lattice", axis, 0.97 * 12.566, 12.566);
    MEASURED("rad/s along the axis", wave_frequency(&scene, 0, 0), 0.99 * axis, 1.01 * axis);
    MEASURED("rad/s of the lattice", diagonal, 0.94 * 17.772, 17.772);
    MEASURED("rad/s at 45 degrees", wave_frequency(&scene, 1, 0), 0.99 * diagonal, 1.01 * diagonal);
    scene.dt = 1.0 / 60;
    MEASURED("rad/s along the axis, 1/60 s", wave_frequency(&scene, 0, 0), 0.97 * axis,
             1.03 * axis);
}

/* As printed the modulus is beta/n of the given one, n = 32 on the lattice, and twice that at 45
   degrees: sqrt(5/32) 12.36 = 4.88, and sqrt(2 * 5/32) 17.14 = 9.58. */
static void paper_waves(void **state)
{
    (void)state;
    Scene scene = {.dt = 1.0 / 120, .modulus = 16000, .relaxation = INFINITY, .formulation = PAPER};
    MEASURED("rad/s along the axis", wave_frequency(&scene, 0, 1), 4.74, 5.03);
    MEASURED("rad/s at 45 degrees", wave_frequency(&scene, 1, 1), 9.3, 9.9);
}

/* ---- falling cube ---------------------------------------------------------------------------- */

static void add_floor(OozeWorld *world)
{
    OozeSolidDef floor = ooze_solid_def_default();
    floor.name = "floor";
    floor.shape.kind = OOZE_SHAPE_PLANE;
    floor.shape.normal = vec3(0, 1, 0);
    floor.sampled = false;
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
}

/* Root mean square distance from the best rigid fit to the start. */
static double drift(void)
{
    double a[3] = {0}, b[3] = {0}, m[9] = {0}, r[9], sum = 0.0;
    int n = before.n;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            a[k] += before.x[i][k] / n;
            b[k] += after.x[i][k] / n;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 9; k++) {
            m[k] += (before.x[i][k / 3] - a[k / 3]) * (after.x[i][k % 3] - b[k % 3]);
        }
    }
    ooze_rigid_fit(m, r);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            double off = after.x[i][k] - b[k];
            for (int l = 0; l < 3; l++) {
                off -= r[3 * k + l] * (before.x[i][l] - a[l]);
            }
            sum += off * off;
        }
    }
    return sqrt(sum / n);
}

/* A cube with tau = alpha = 0 falls 0.5 m; drift after 0.8 s. */
static double cube_drift(int formulation, double dt, int solver, int velocity, int position)
{
    static OozeVec3 x[MOST];
    Scene scene = {.dt = dt, .gravity = 9.81, .formulation = formulation};
    int n = fill(x, (int[]){8, 8, 8}, vec3(-0.35, 0.55, -0.35), 0.0);
    OozeWorld *world = make_world(&scene);
    set(world, "solver", solver);
    set(world, "velocity_iterations", velocity);
    set(world, "position_iterations", position);
    add(world, n, x, NULL);
    add_floor(world);
    read_state(world, &before);
    advance(world, (int)round(0.8 / dt));
    read_state(world, &after);
    ooze_world_destroy(world);
    return drift();
}

/* The solids are in the velocity solve, and the iterations reach from the floor to the top. */
static void consistent_cube_keeps_its_shape(void **state)
{
    (void)state;
    double printed = cube_drift(PAPER, 0.03, JACOBI, 20, 5);
    for (int k = 0; k < 2; k++) {
        double dt = k ? 0.06 : 0.03;
        double chebyshev = cube_drift(CONSISTENT, dt, CHEBYSHEV, 20, 5);
        MEASURED("drift, m, Chebyshev", chebyshev, 0.0, 0.003);
        MEASURED("drift, m, conjugate gradients", cube_drift(CONSISTENT, dt, GRADIENTS, 20, 5), 0.0,
                 0.001);
        MEASURED("printed at 30 ms over it", printed / chebyshev, 20.0, 1e6);
    }
    double few = cube_drift(CONSISTENT, 0.03, JACOBI, 10, 5);
    MEASURED("drift, 10 over 40 sweeps", few / cube_drift(CONSISTENT, 0.03, JACOBI, 40, 5), 1.5,
             1e6);
}

/* Sums are gathered in a fixed order: any number of threads gives the same bits. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    static OozeVec3 x[MOST];
    for (int formulation = CONSISTENT; formulation <= PAPER; formulation++) {
        for (int threads = 1; threads <= 3; threads += 2) {
            Scene scene = {.dt = 0.01,
                           .gravity = 9.81,
                           .modulus = 16000,
                           .relaxation = 0.1,
                           .formulation = formulation,
                           .threads = threads};
            int n = fill(x, (int[]){13, 10, 10}, vec3(0, 0.06, 0), 0.2);
            OozeWorld *world = make_world(&scene);
            set(world, "solver", GRADIENTS);
            add(world, n, x, NULL);
            add_floor(world);
            advance(world, 5);
            read_state(world, threads == 1 ? &before : &after);
            ooze_world_destroy(world);
        }
        assert_memory_equal(before.x, after.x, sizeof *before.x * (size_t)before.n);
        assert_memory_equal(before.v, after.v, sizeof *before.v * (size_t)before.n);
    }
}

/* Two blocks that lie in each other at twice the density of rest come apart without being thrown:
   the targets of densities follow the iterations that the position stage takes. Counted as one
   iteration they were thrown at 2.4 m/s. */
static void overlaps_are_relieved_without_a_burst(void **state)
{
    (void)state;
    static OozeVec3 x[2 * 216];
    Scene scene = {.dt = 1.0 / 60,
                   .gravity = 9.81,
                   .modulus = 1000,
                   .relaxation = 0.1,
                   .formulation = CONSISTENT};
    OozeWorld *world = make_world(&scene);
    int n = fill(x, (int[3]){6, 6, 6}, vec3(0, 0, 0), 0.02);
    n += fill(x + n, (int[3]){6, 6, 6}, vec3(0.25, 0.05, 0.01), 0.02);
    add(world, n, x, NULL);
    double fastest = 0.0;
    for (int step = 1; step <= 30; step++) {
        advance(world, 1);
        read_state(world, &after);
        for (int i = 0; i < n; i++) {
            const double *v = after.v[i], fall = v[1] + 9.81 * step * scene.dt;
            fastest = fmax(fastest, sqrt(v[0] * v[0] + fall * fall + v[2] * v[2]));
        }
    }
    MEASURED("fastest particle beside the fall (m/s)", fastest, 0.0, 1.0);
    ooze_world_destroy(world);
}

/* Without the hydrostatic part the constraint does not resist a uniform expansion. */
static void deviatoric_only_does_not_constrain_volume(void **state)
{
    (void)state;
    enum { N = 6 };
    double left[2];
    for (int deviatoric = 0; deviatoric < 2; deviatoric++) {
        OozeVec3 x[N * N * N], v[N * N * N];
        Scene scene = {.dt = 1.0 / 240, .formulation = CONSISTENT};
        double low = -0.5 * (N - 1) * spacing, rate = 0.0;
        int n = fill(x, (int[]){N, N, N}, vec3(low, low, low), 0.0);
        for (int i = 0; i < n; i++) {
            v[i] = vec3_scale(x[i], 0.5);
        }
        OozeWorld *world = make_world(&scene);
        set(world, "deviatoric_only", deviatoric);
        add(world, n, x, v);
        advance(world, 1);
        read_state(world, &after);
        ooze_world_destroy(world);
        double square = 0.0;
        for (int i = 0; i < n; i++) {
            for (int a = 0; a < 3; a++) {
                rate += after.v[i][a] * after.x[i][a];
                square += after.x[i][a] * after.x[i][a];
            }
        }
        left[deviatoric] = rate / square / 0.5;
    }
    MEASURED("expansion left, six rows", left[0], -0.05, 0.05);
    MEASURED("expansion left, shear rows only", left[1], 0.95, 1.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consistent_keeps_spin),
        cmocka_unit_test(paper_loses_spin),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(consistent_waves),
        cmocka_unit_test(paper_waves),
        cmocka_unit_test(consistent_cube_keeps_its_shape),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(overlaps_are_relieved_without_a_burst),
        cmocka_unit_test(deviatoric_only_does_not_constrain_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
