/* Acceptance tests of the method cauchy: flows with exact solutions. */
#include "physics/cauchy_fixtures.h"

#include "world/world.h"

enum { LAYERS = 20, ACROSS = 7 };

/* ---- T6: plane Couette flow ------------------------------------------------------------------ */

/* u/U at the height y/H, nu t/H^2 after the upper plate starts to move. */
static double couette(double y, double time)
{
    double u = y;
    for (int n = 1; n < 200; n++) {
        double k = n * REFERENCE_PI;
        u += 2 / k * (n % 2 ? -1 : 1) * sin(k * y) * exp(-k * k * time);
    }
    return u;
}

static OozeWorld *couette_world(double time_step)
{
    const double d = mukai_spacing;
    OozeWorld *world = cauchy_world(
        (Setup){.spacing = d, .time_step = time_step, .box = vec3(ACROSS * d, 0, ACROSS * d)});
    OozeMaterialId fluid = add_liquid(world, (Fluid){.model = OOZE_STRESS_VISCOUS,
                                                     .density = mukai_density,
                                                     .viscosity = mukai_viscosity});
    add_plate(world, 0, 1, 0);
    add_plate(world, LAYERS * d, -1, mukai_speed);
    add_lattice(world, (Lattice){.material = fluid, .n = {ACROSS, LAYERS, ACROSS}, .spacing = d});
    return world;
}

/* L2 error of u over U; `middle` becomes u/U at half the height, `across` the largest velocity
   along y. */
static double profile_error(OozeWorld *world, double time, double *middle, double *across)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    const double height = LAYERS * mukai_spacing;
    double sum = 0, count = 0, half = 0;
    *across = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 at = read_vector(x, i), u = vec3_scale(read_vector(v, i), 1 / mukai_speed);
        double error = u.x - couette(at.y / height, time);
        sum += error * error;
        *across = fmax(*across, fabs(u.y));
        if (fabs(at.y / height - 0.5) < 1.01 / LAYERS) {
            half += u.x;
            count++;
        }
    }
    *middle = half / count;
    return sqrt(sum / (double)frame->particle_count);
}

/* The fluid fills the gap: it has no free surface. At the paper's step and five times that. What is
   missing to the steady profile at nu t/H^2 = 0.6 is 0.0017 U. */
static void cauchy_T06_couette(void **state)
{
    (void)state;
    const double height = LAYERS * mukai_spacing;
    const double diffusion = height * height * mukai_density / mukai_viscosity;
    for (int k = 0; k < 2; k++) {
        const double dt = k ? mukai_step : 5 * mukai_step;
        double middle, across;
        OozeWorld *world = couette_world(dt);
        step_many(world, (int)rint(0.1 * diffusion / dt));
        double time = ooze_world_frame(world)->time / diffusion;
        double error = profile_error(world, time, &middle, &across);
        printf("  step %g s, nu dt/d^2 = %.3f; series at nu t/H^2 = %.4f: %.4f\n", dt,
               mukai_viscosity / mukai_density * dt / (mukai_spacing * mukai_spacing), time,
               couette(0.5, time));
        MEASURED("start-up, u(H/2)/U", middle, 0.2627 - 0.02, 0.2627 + 0.02);
        MEASURED("start-up, L2 error of u/U", error, 0, 0.03);
        step_many(world, (int)rint(0.5 * diffusion / dt));
        error = profile_error(world, INFINITY, &middle, &across);
        MEASURED("steady, L2 error of u/U", error, 0, 0.03);
        MEASURED("steady, largest velocity across over U", across, 0, 0.1);
        take_census(world);
        ooze_world_destroy(world);
    }
}

/* ---- T8: creep ------------------------------------------------------------------------------- */

/* Mean displacement along x of a slab of thickness H on a no-slip floor, with a free surface, under
   a body force g along x. The stress is rho g (H - y) from the first diffusion of momentum on, a
   time of rho H^2 (2/pi)^2 / (alpha eta), here 3 ms: each layer creeps by
     gamma = rho g (H - y) / ((1 - alpha) mu) (1 - exp(-t/tau)), tau = alpha eta / ((1 - alpha) mu),
   and the mean displacement ends at rho g H^2 / (3 (1 - alpha) mu). */
static void cauchy_T08_creep(void **state)
{
    (void)state;
    enum { THICK = 10, READINGS = 3 };
    const double d = 1e-3, push = 0.5, mixing = 0.5, height = THICK * d, dt = 1e-3;
    const double modulus = (1 - mixing) * mukai_modulus;
    OozeWorld *world = cauchy_world((Setup){.spacing = d,
                                            .time_step = dt,
                                            .gravity = vec3(push, 0, 0),
                                            .box = vec3(ACROSS * d, 0, ACROSS * d)});
    OozeMaterialId fluid = add_liquid(world, (Fluid){.model = OOZE_STRESS_MIXED,
                                                     .density = mukai_density,
                                                     .viscosity = mukai_viscosity,
                                                     .modulus = mukai_modulus,
                                                     .mixing = mixing});
    add_plate(world, 0, 1, 0);
    add_lattice(world, (Lattice){.material = fluid, .n = {ACROSS, THICK, ACROSS}, .spacing = d});
    const OozeFieldView *v;
    double moved = 0, reading[READINGS];
    for (int k = 0; k < READINGS * 80; k++) {
        step_world(world);
        const OozeFrame *frame = ooze_world_frame(world);
        v = ooze_frame_field(frame, "velocity");
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            moved += dt * ooze_field_value(v, i, 0) / (double)frame->particle_count;
        }
        reading[k / 80] = moved;
    }
    double time = 80 * dt / log((reading[1] - reading[0]) / (reading[2] - reading[1]));
    double end = mukai_density * push * height * height / (3 * modulus);
    double expected = end * (1 - exp(-3));
    MEASURED("retardation time (s); alpha eta / ((1 - alpha) mu) is 0.08", time, 0.068, 0.092);
    MEASURED("displacement after 0.24 s over that of the slab", moved / expected, 0.9, 1.1);
    MEASURED("fastest at the end over the first speed", take_census(world).fastest * 0.08 / end, 0,
             0.2);
    ooze_world_destroy(world);
}

/* ---- T3: a pair of particles ----------------------------------------------------------------- */

/* Two particles under the published potential, at first nearer and farther than a spacing. Without
   neighbours in other directions no viscous stress acts on them; the pressure slows them. */
static void cauchy_T03_pair(void **state)
{
    (void)state;
    const double d = mukai_spacing;
    static const double gaps[] = {0.8, 1.2, 2.0};
    for (int k = 0; k < 3; k++) {
        OozeWorld *world = cauchy_world((Setup){.spacing = d, .time_step = mukai_step});
        OozeMaterialId fluid = add_liquid(world, (Fluid){.model = OOZE_STRESS_VISCOUS,
                                                         .density = mukai_density,
                                                         .viscosity = mukai_viscosity,
                                                         .surface_tension = 0.07});
        set_param(world, "tension", 1);
        OozeVec3 x[2] = {vec3(0, 0, 0), vec3(gaps[k] * d, 0, 0)};
        CHECK_OK(ooze_world_add_particles(world, fluid, 2, x, NULL, &error));
        step_world(world);
        Census c = take_census(world);
        double first = (c.high.x - c.low.x) / d;
        assert_true(k == 0 ? first > gaps[k] : first < gaps[k]);
        step_many(world, 8000);
        c = take_census(world);
        MEASURED("final distance (spacings)", (c.high.x - c.low.x) / d, 0.99, 1.01);
        MEASURED("speed (m/s)", c.fastest, 0, 1e-3);
        ooze_world_destroy(world);
    }
}

/* ---- T13: the viscous step ------------------------------------------------------------------- */

/* A cube with random velocities in zero gravity. Returns the final kinetic energy over the first,
   or INFINITY if the run failed; `substeps` becomes the largest number in a step. */
static double damp_noise(double time_step, bool is_explicit, bool divided, int *substeps)
{
    const double d = mukai_spacing, speed = 0.1;
    OozeWorld *world = cauchy_world((Setup){.spacing = d, .time_step = time_step});
    world->def.max_travel = divided ? 0.4 : 0;
    set_param(world, "viscous_step", is_explicit);
    OozeMaterialId fluid = add_liquid(world, (Fluid){.model = OOZE_STRESS_VISCOUS,
                                                     .density = mukai_density,
                                                     .viscosity = mukai_viscosity});
    add_lattice(
        world,
        (Lattice){
            .material = fluid, .n = {8, 8, 8}, .spacing = d, .velocity = noise, .user = &speed});
    double before = take_census(world).energy, after = INFINITY;
    OozeStatus status = OOZE_OK;
    *substeps = 0;
    for (int n = 0; n < 50 && !status; n++) {
        OozeError error = {0};
        OozeWorldStats stats;
        status = ooze_world_step(world, &error);
        ooze_world_stats(world, &stats);
        *substeps = stats.substeps > *substeps ? stats.substeps : *substeps;
    }
    if (!status) {
        after = take_census(world).energy;
    }
    ooze_world_destroy(world);
    return after / before;
}

/* The paper's step has nu dt/d^2 = 0.268, the limit of a stencil of seven points is 1/6: explicit
   steps are divided in two. */
static void cauchy_T13_viscous_step(void **state)
{
    (void)state;
    int substeps;
    MEASURED("implicit, 0.268: final energy", damp_noise(mukai_step, false, true, &substeps), 0,
             0.01);
    MEASURED("substeps", substeps, 1, 1);
    MEASURED("implicit, 26.8: final energy", damp_noise(100 * mukai_step, false, false, &substeps),
             0, 0.01);
    MEASURED("explicit, 0.268: final energy", damp_noise(mukai_step, true, true, &substeps), 0,
             0.01);
    MEASURED("substeps", substeps, 2, 2);
    MEASURED("explicit, 2.68 divided: final energy",
             damp_noise(10 * mukai_step, true, true, &substeps), 0, 0.01);
    MEASURED("substeps", substeps, 16, 32);
    MEASURED("explicit, 2.68 in one: final energy",
             damp_noise(10 * mukai_step, true, false, &substeps), 1, INFINITY);
}

/* ---- T16: momenta ---------------------------------------------------------------------------- */

/* Two fluids side by side, one with random velocities and one that rotates, in zero gravity. */
static void cauchy_T16_momenta(void **state)
{
    (void)state;
    const double d = mukai_spacing, speed = 0.1;
    const OozeVec3 spin = vec3(3, 5, -2);
    for (int k = 0; k < 4; k++) {
        OozeWorld *world = cauchy_world((Setup){.spacing = d, .time_step = mukai_step});
        set_param(world, "tension", k % 2);
        Fluid f = {.model = k < 2 ? OOZE_STRESS_VISCOUS : OOZE_STRESS_MAXWELL,
                   .density = mukai_density,
                   .viscosity = mukai_viscosity,
                   .relaxation = k < 2 ? 0 : 0.08,
                   .surface_tension = 0.07};
        OozeMaterialId heavy = add_liquid(world, f);
        f.density = 800;
        OozeMaterialId light = add_liquid(world, f);
        add_lattice(world, (Lattice){.material = heavy,
                                     .n = {4, 7, 7},
                                     .spacing = d,
                                     .corner = vec3(-4 * d, -3.5 * d, -3.5 * d),
                                     .velocity = noise,
                                     .user = &speed});
        add_lattice(world, (Lattice){.material = light,
                                     .n = {3, 7, 7},
                                     .spacing = d,
                                     .corner = vec3(0, -3.5 * d, -3.5 * d),
                                     .velocity = turning,
                                     .user = &spin});
        Census before = take_census(world);
        step_many(world, 200);
        Census after = take_census(world);
        double change = vec3_length(vec3_sub(after.momentum, before.momentum));
        double turn = vec3_length(vec3_sub(after.spin, before.spin));
        assert_int_equal(after.count, before.count);
        printf("  %s, tension by %s:\n", k < 2 ? "viscous" : "Maxwell",
               k % 2 ? "a potential" : "stress");
        MEASURED("change of momentum over sum |m v|", change / before.speed_sum, 0, 1e-6);
        MEASURED("change of angular momentum, relative", turn / vec3_length(before.spin), 0, 0.02);
        MEASURED("kinetic energy over that at the start", after.energy / before.energy, 0, 0.5);
        ooze_world_destroy(world);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(cauchy_T03_pair), cmocka_unit_test(cauchy_T06_couette),
                cmocka_unit_test(cauchy_T08_creep), cmocka_unit_test(cauchy_T13_viscous_step),
                cmocka_unit_test(cauchy_T16_momenta))
