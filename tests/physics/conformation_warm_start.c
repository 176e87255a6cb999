/* Acceptance tests of the iterations of the velocity solve. With the warm start slow flow takes a
   fraction of them with the same result, free flight conserves momentum, and connected components
   accept or reject it separately; rigid bodies in a stiff fluid hardly add any. T27 and T28 test
   any number of threads and resuming. */
#include "physics/fixtures.h"

static void forget(OozeVec3 x, const void *user, float *push)
{
    (void)x;
    (void)user;
    push[0] = push[1] = push[2] = 0;
}

static int iterations_of(const OozeWorld *world)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    return stats.iterations;
}

/* A column of thick fluid under its weight. */
static OozeWorld *make_column(double tolerance)
{
    double d = 0.05, viscosity = 300 * d * d * 50 * 1000; /* nu dt / d^2 = 300 */
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 50, .gravity = down()});
    add_matter(world, newtonian_matter(viscosity));
    add_floor(world, INFINITY);
    set_param(world, "velocity_iterations", 1000);
    set_param(world, "velocity_preconditioner", 1); /* diagonal: multigrid needs few in any case */
    set_param(world, "tolerance", tolerance);
    add_lattice(
        world,
        (Lattice){.n = {7, 18, 7}, .spacing = d, .corner = vec3(-3.5 * d, 0.5 * d, -3.5 * d)});
    return world;
}

/* ---- T49: slow flow -------------------------------------------------------------------------- */

typedef struct Sunk {
    int iterations; /* of the last steps, when the flow has come to be slow */
    double travel;  /* of the centre */
} Sunk;

static Sunk sink(double tolerance, bool remembers)
{
    OozeWorld *world = make_column(tolerance);
    double start = take_census(world).centre.y;
    Sunk sunk = {0};
    for (int i = 0; i < 40; i++) {
        if (!remembers) {
            set_field(world, "velocity_change", forget, NULL);
        }
        step_world(world);
        sunk.iterations += i >= 20 ? iterations_of(world) : 0;
    }
    sunk.travel = start - take_census(world).centre.y;
    ooze_world_destroy(world);
    return sunk;
}

static void conformation_T49_slow_flow(void **state)
{
    (void)state;
    Sunk with = sink(3e-3, true), without = sink(3e-3, false);
    printf("  20 steps: %d iterations with memory, %d without\n", with.iterations,
           without.iterations);
    MEASURED("iterations without memory over those with",
             (double)without.iterations / with.iterations, 2.8, 1000);
    /* residuals stand for errors up to the condition of the system, which is some hundreds here */
    MEASURED("converged: sunk with memory over that without",
             sink(1e-5, true).travel / sink(1e-5, false).travel, 0.995, 1.005);
}

/* ---- T50: momenta ---------------------------------------------------------------------------- */

static OozeVec3 spinning(OozeVec3 x, uint64_t i, const void *user)
{
    double speed = 0.3;
    (void)user;
    return vec3_add(vec3_cross(vec3(0, 3, 1), x), noise(x, i, &speed));
}

/* A shaken, spinning jelly in free flight, far from solved in every step: momenta are those of the
   start nevertheless. Bounds: a float's last bit a step. */
static void conformation_T50_free_flight(void **state)
{
    (void)state;
    const int steps = 60;
    OozeWorld *world = make_world((Setup){.spacing = 0.1, .time_step = 1.0 / 100});
    add_matter(world, maxwell_matter(1e6, INFINITY));
    set_param(world, "velocity_iterations", 3);
    set_param(world, "density_iterations", 0);
    add_lattice(world, (Lattice){.n = {6, 8, 7}, .spacing = 0.1, .velocity = spinning});
    Census before = take_census(world);
    for (int i = 0; i < steps; i++) {
        step_world(world);
    }
    Census after = take_census(world);
    check_kept(before, after, steps);
    MEASURED("change of spin over spin",
             vec3_length(vec3_sub(after.spin, before.spin)) / vec3_length(before.spin), 0,
             steps * 1e-6);
    ooze_world_destroy(world);
}

/* ---- T51: pieces ----------------------------------------------------------------------------- */

/* A drop that is thrown up beside a stiff block, which makes up all of the residual. The drop
   remembers a push that it no longer feels; it must fly as Galilei says. */
static void set_push(OozeVec3 x, const void *user, float *push)
{
    push[0] = push[2] = 0;
    push[1] = x.x > 2 ? *(const float *)user : 0;
}

static void conformation_T51_pieces(void **state)
{
    (void)state;
    const float remembered = 50; /* m/s2 */
    double d = 0.05, dt = 1.0 / 100;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = dt, .gravity = down()});
    OozeMaterialId stiff = add_matter(world, newtonian_matter(1e5));
    OozeMaterialId soft = add_matter(world, newtonian_matter(1));
    add_floor(world, INFINITY);
    set_param(world, "velocity_iterations", 5);
    add_lattice(
        world,
        (Lattice){.material = stiff, .n = {8, 8, 8}, .spacing = d, .corner = vec3(0, 0.5 * d, 0)});
    add_lattice(world,
                (Lattice){.material = soft, .n = {3, 3, 3}, .spacing = d, .corner = vec3(3, 2, 0)});
    double first = take_census(world).high.y;
    for (int i = 0; i < 5; i++) {
        step_world(world);
    }
    set_field(world, "velocity_change", set_push, &remembered);
    for (int i = 0; i < 15; i++) {
        step_world(world);
    }
    double time = 20 * dt, fallen = first - take_census(world).high.y;
    MEASURED("fallen over g t (t + dt) / 2", fallen / (0.5 * 9.81 * time * (time + dt)), 0.98,
             1.02);
    ooze_world_destroy(world);
}

/* ---- T94: rigid bodies in a stiff fluid ------------------------------------------------------ */

typedef struct Sinking {
    int iterations; /* of the last steps */
    double height;  /* of the centre of all particles */
} Sinking;

/* Four rigid cubes on a layer of cream in which momentum diffuses 35 spacings a step. */
static Sinking sink_cubes(bool cubes, int preconditioner, double tolerance)
{
    const double d = 0.003, dt = 1.0 / 750, viscosity = 35.0 * 35.0 * d * d / dt * 1000;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = dt, .gravity = down()});
    OozeMaterialId cream = add_matter(world, newtonian_matter(viscosity));
    OozeMaterialId chocolate = add_matter(world, (Matter){1250, NAN, NAN, NAN, NAN, NAN});
    add_floor(world, INFINITY);
    set_param(world, "velocity_preconditioner", preconditioner);
    set_param(world, "tolerance", tolerance);
    add_lattice(world, (Lattice){.material = cream,
                                 .n = {24, 4, 24},
                                 .spacing = d,
                                 .corner = vec3(-12 * d, 0.5 * d, -12 * d)});
    for (int k = 0; cubes && k < 4; k++) {
        OozeFluidDef def = ooze_fluid_def_default();
        def.material = chocolate;
        def.body = OOZE_BODY_RIGID;
        def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
        def.shape.size = vec3(4 * d, 6 * d, 4 * d);
        def.shape.position = vec3((k % 2 ? 5 : -6) * d, 7 * d, (k / 2 ? 5 : -6) * d);
        CHECK_OK(ooze_world_add_fluid(world, &def, NULL, &error));
    }
    Sinking sinking = {0};
    for (int i = 0; i < 12; i++) {
        step_world(world);
        sinking.iterations += i >= 6 ? iterations_of(world) : 0;
    }
    sinking.height = take_census(world).centre.y;
    ooze_world_destroy(world);
    return sinking;
}

/* Each cube adds six motions whose stiffness is that of the fluid around it; preconditioned by
   the diagonal preconditioner they take several times the iterations of the layer without cubes. */
static void conformation_T94_rigid_in_cream(void **state)
{
    (void)state;
    Sinking with = sink_cubes(true, 2, 3e-4), without = sink_cubes(false, 2, 3e-4);
    printf("  six steps: %d iterations with cubes, %d without\n", with.iterations,
           without.iterations);
    MEASURED("iterations with cubes over those without",
             (double)with.iterations / without.iterations, 0.5, 1.5);
    double exact = sink_cubes(true, 1, 1e-6).height;
    MEASURED("height over that with the diagonal preconditioner, converged", with.height / exact,
             0.9999, 1.0001);
}

/* ---- T95: diagonal blocks ------------------------------------------------------------------- */

/* Iterations of five steps of a thick column on a floor, perhaps beside one whose fluid is ten
   thousand times as thin. */
static int two_columns(bool thin)
{
    const double d = 0.05, viscosity = 300 * d * d * 50 * 1000;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 50, .gravity = down()});
    OozeMaterialId of[2] = {add_matter(world, newtonian_matter(viscosity)),
                            add_matter(world, newtonian_matter(1e-4 * viscosity))};
    add_floor(world, INFINITY);
    set_param(world, "velocity_preconditioner", 1); /* diagonal */
    for (int k = 0; k < (thin ? 2 : 1); k++) {
        add_lattice(world, (Lattice){.material = of[k],
                                     .n = {7, 12, 7},
                                     .spacing = d,
                                     .corner = vec3((20 * k - 3.5) * d, 0.5 * d, -3.5 * d)});
    }
    int iterations = 0;
    for (int i = 0; i < 5; i++) {
        step_world(world);
        iterations += iterations_of(world);
    }
    ooze_world_destroy(world);
    return iterations;
}

/* Preconditioned by the masses alone, the thin column takes part in every iteration of the thick
   one and adds motions whose stiffness is a ten thousandth: 1.6 times as many. */
static void conformation_T95_contrast(void **state)
{
    (void)state;
    int one = two_columns(false), two = two_columns(true);
    printf("  five steps: %d iterations with the thick column, %d with both\n", one, two);
    MEASURED("iterations with both columns over those with one", (double)two / one, 0.5, 1.1);
}

/* A stiffer jelly, solved to its tolerance with diagonal blocks, whose iterates do not keep
   momenta: the solve restores them at its end. Otherwise momentum changes by 0.004. */
static void conformation_T95_free_flight(void **state)
{
    (void)state;
    const int steps = 20;
    OozeWorld *world = make_world((Setup){.spacing = 0.1, .time_step = 1.0 / 100});
    add_matter(world, maxwell_matter(1e8, INFINITY));
    set_param(world, "velocity_preconditioner", 1); /* diagonal */
    set_param(world, "density_iterations", 0);
    add_lattice(world, (Lattice){.n = {6, 8, 7}, .spacing = 0.1, .velocity = spinning});
    Census before = take_census(world);
    for (int i = 0; i < steps; i++) {
        step_world(world);
    }
    check_kept(before, take_census(world), steps);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T49_slow_flow),
                cmocka_unit_test(conformation_T95_contrast),
                cmocka_unit_test(conformation_T95_free_flight),
                cmocka_unit_test(conformation_T50_free_flight),
                cmocka_unit_test(conformation_T51_pieces),
                cmocka_unit_test(conformation_T94_rigid_in_cream))
