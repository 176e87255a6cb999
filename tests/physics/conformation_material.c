/* Acceptance tests of the conformation method: the simulated material has the given numbers.
   Stiffness, relaxation, viscosity and normal stress, waves and decay, and flows with known
   solutions. */
#include "physics/channel.h"

static const double density = 1000;

/* ---- shear modes of a periodic cell ---------------------------------------------------------- */

/* Transverse motion m sin(k n . x) in a periodic cell, along an axis or at 45 degrees. */
typedef struct Mode {
    OozeVec3 along, motion;
    double k;
    double size; /* of what is imposed: m/s, or strain */
} Mode;

typedef struct Cell {
    const char *method; /* NULL: conformation */
    double spacing, time_step, jitter;
    int across; /* particles along the wave's box */
    bool diagonal;
    Matter matter;
} Cell;

static Mode mode_of(const Cell *c, double size)
{
    double half = sqrt(0.5);
    double length = c->across * c->spacing * (c->diagonal ? half : 1);
    return (Mode){c->diagonal ? vec3(half, half, 0) : vec3(1, 0, 0),
                  c->diagonal ? vec3(-half, half, 0) : vec3(0, 1, 0), 2 * REFERENCE_PI / length,
                  size};
}

static OozeVec3 standing_wave(OozeVec3 x, uint64_t i, const void *user)
{
    (void)i;
    const Mode *m = user;
    return vec3_scale(m->motion, m->size * sin(m->k * vec3_dot(m->along, x)));
}

/* A slab that is long along the wave only: a box is at least three supports wide. */
static OozeWorld *make_cell(const Cell *c, const Mode *m, bool moving)
{
    int n[3] = {c->across, c->diagonal ? c->across : 7, 7};
    double d = c->spacing;
    OozeWorld *world = make_world((Setup){.method = c->method,
                                          .spacing = d,
                                          .time_step = c->time_step,
                                          .box = vec3(n[0] * d, n[1] * d, n[2] * d)});
    add_matter(world, c->matter);
    add_lattice(world, (Lattice){.n = {n[0], n[1], n[2]},
                                 .spacing = d,
                                 .jitter = c->jitter,
                                 .velocity = moving ? standing_wave : NULL,
                                 .user = m});
    return world;
}

/* Part of the velocity that is in the mode. */
static double mode_amplitude(OozeWorld *world, const Mode *m, bool cosine)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    double sum = 0.0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double phase = m->k * vec3_dot(m->along, read_vector(x, i));
        sum += vec3_dot(read_vector(v, i), m->motion) * (cosine ? cos(phase) : sin(phase));
    }
    return 2 * sum / (double)frame->particle_count;
}

/* ---- T05 to T07: the material functions ------------------------------------------------------ */

/* Q - I after a shear of strain e sin(k n . x): e sin (m n^T + n m^T). */
static void strained(OozeVec3 x, const void *user, float *q)
{
    const Mode *m = user;
    double e = m->size * sin(m->k * vec3_dot(m->along, x));
    OozeVec3 a = m->motion, n = m->along;
    q[0] = (float)(2 * e * a.x * n.x);
    q[1] = (float)(2 * e * a.y * n.y);
    q[2] = (float)(2 * e * a.z * n.z);
    q[3] = (float)(e * (a.x * n.y + a.y * n.x));
    q[4] = (float)(e * (a.x * n.z + a.z * n.x));
    q[5] = (float)(e * (a.y * n.z + a.z * n.y));
}

/* Modulus from the momentum that a strained cell gains in one short step: rho du/dt = k G e cos. */
static double pushed_modulus(Formulation formulation, double compliance, bool diagonal)
{
    Cell cell = {.method = method_of(formulation),
                 .spacing = 0.1,
                 .time_step = 1e-4,
                 .across = diagonal ? 28 : 20,
                 .diagonal = diagonal,
                 .matter = paper_matter(INFINITY, compliance)};
    Mode mode = mode_of(&cell, 0.01);
    OozeWorld *world = make_cell(&cell, &mode, false);
    set_formulation(world, formulation);
    set_field(world, "conformation", strained, &mode);
    Census before = take_census(world);
    step_world(world);
    check_kept(before, take_census(world), 1);
    double gained = mode_amplitude(world, &mode, true);
    ooze_world_destroy(world);
    return density * gained / (cell.time_step * mode.k * mode.size);
}

static void conformation_T05_stiffness(void **state)
{
    (void)state;
    double alpha[3] = {1e-3, 1e-2, 1e-1}, axis[3];
    for (int i = 0; i < 3; i++) {
        axis[i] = pushed_modulus(0, alpha[i], false);
        printf("  compliance %g: modulus %.5g Pa\n", alpha[i], axis[i]);
        /* 20 particles to a wave: the corrected gradient of the lattice is short by
           (k d)^2/6 times the mean fourth moment, 1.6% here, in gradient and divergence each */
        MEASURED("modulus over density / compliance", axis[i] * alpha[i] / density, 0.95, 1.02);
        double diagonal = pushed_modulus(0, alpha[i], true);
        MEASURED("modulus at 45 degrees over that along an axis", diagonal / axis[i], 0.95, 1.05);
    }
    MEASURED("slope of ln G over ln alpha", log(axis[2] / axis[0]) / log(alpha[2] / alpha[0]), -1.1,
             -0.9);
}

/* `consistent` is as stiff as asked in every direction. As printed the displacements are relaxed by
   5/n, n = 32 on the lattice, and the multipliers are not: the modulus is that much of the given
   one; and each row has the same compliance, so it is twice that at 45 degrees. */
static void conformation_T05_formulations(void **state)
{
    (void)state;
    for (Formulation formulation = CONSISTENT; formulation <= PAPER; formulation++) {
        double axis[2], diagonal[2], alpha[2] = {1e-2, 1e-1};
        for (int i = 0; i < 2; i++) {
            axis[i] = pushed_modulus(formulation, alpha[i], false) * alpha[i] / density;
            diagonal[i] = pushed_modulus(formulation, alpha[i], true) * alpha[i] / density;
        }
        bool printed = formulation == PAPER;
        double expected = printed ? 5.0 / 32 : 1.0;
        printf("  %s\n", printed ? "paper" : "consistent");
        MEASURED("modulus over expected", axis[0] / expected, 0.95, 1.02);
        MEASURED("modulus at 45 degrees over that along an axis", diagonal[0] / axis[0],
                 printed ? 1.9 : 0.95, printed ? 2.1 : 1.05);
        MEASURED("slope of ln G over ln alpha", log(axis[1] / axis[0]) / log(10) - 1, -1.1, -0.9);
    }
}

static Channel make_channel(double spacing, double time_step, double push, Matter matter)
{
    Channel c = open_channel(spacing, time_step, push);
    add_matter(c.world, matter);
    fill_channel(&c);
    return c;
}

/* The upper plate jumps by a twentieth of the gap and stays: the stress in the middle falls as
   exp(-t/tau). The strain is imposed by the plate alone; waves cross the gap in 10 ms and die
   out by the implicit step. */
static void conformation_T06_step_strain(void **state)
{
    (void)state;
    double taus[3] = {0.015, 0.1, 0.5}, dt = 1.0 / 240, strain = 0.05, d = 0.01;
    for (int k = 0; k < 3; k++) {
        double tau = taus[k];
        Channel c = make_channel(d, dt, 0, maxwell_matter(4e5, tau));
        set_param(c.world, "velocity_iterations", 60);
        uint64_t count = take_census(c.world).count;
        jump(&c, strain * c.height, dt);
        int settle = 10, run = (int)ceil(0.5 * tau / dt);
        advance(c.world, settle * dt);
        double before = layer_mean(&c, "conformation", 3, 0.5 * c.height);
        advance(c.world, run * dt);
        assert_int_equal(take_census(c.world).count, count);
        double after = layer_mean(&c, "conformation", 3, 0.5 * c.height);
        printf("  tau %g: strain %g at %g s, %g at %g s\n", tau, before, settle * dt, after,
               (settle + run) * dt);
        MEASURED("relaxation time over tau", run * dt / log(before / after) / tau, 0.9, 1.1);
        MEASURED("strain left over imposed exp(-t/tau)",
                 before / (strain * exp(-settle * dt / tau)), 0.8, 1.2);
        ooze_world_destroy(c.world);
    }
}

/* Q - I of a uniform shear: gamma = *user. */
static void sheared(OozeVec3 x, const void *user, float *q)
{
    double gamma = *(const double *)user;
    (void)x;
    q[0] = (float)(gamma * gamma);
    q[1] = q[2] = q[4] = q[5] = 0;
    q[3] = (float)gamma;
}

/* A periodic cell of 10^3 particles with a shear of 0.05 that is held: its stress falls as
   exp(-t/tau) in `lodge`, which integrates relaxation exactly, and as (1 + dt/tau)^-n, with the
   time dt/ln(1 + dt/tau), where a step of relaxation is implicit (eq 6 of the paper). */
static void conformation_T06_held_cell(void **state)
{
    (void)state;
    const double taus[3] = {0.015, 0.1, 0.5}, dt = 1.0 / 240, gamma = 0.05, d = 0.1;
    const char *names[3] = {"lodge", "consistent", "paper"};
    for (Formulation formulation = LODGE; formulation <= PAPER; formulation++) {
        for (int k = 0; k < 3; k++) {
            OozeWorld *world = make_world((Setup){.method = method_of(formulation),
                                                  .spacing = d,
                                                  .time_step = dt,
                                                  .box = vec3(10 * d, 10 * d, 10 * d)});
            add_matter(world, maxwell_matter(4000, taus[k]));
            set_formulation(world, formulation);
            add_lattice(world, (Lattice){.n = {10, 10, 10}, .spacing = d});
            set_field(world, "conformation", sheared, &gamma);
            int steps = (int)ceil(taus[k] / dt);
            step_many(world, steps);
            const OozeFrame *frame = ooze_world_frame(world);
            const OozeFieldView *q = ooze_frame_field(frame, "conformation");
            double left = 0;
            for (uint64_t i = 0; i < frame->particle_count; i++) {
                left += ooze_field_value(q, i, 3) / (double)frame->particle_count;
            }
            double expected = formulation ? dt / log(1 + dt / taus[k]) : taus[k];
            printf("  %s, tau %g\n", names[formulation], taus[k]);
            MEASURED("fitted relaxation time over expected",
                     steps * dt / log(gamma / left) / expected, 0.9, 1.1);
            ooze_world_destroy(world);
        }
    }
}

/* A pushed channel: the shear stress is rho g times the height above its middle whatever the fluid,
   so the viscosity follows from the measured slope of the velocity. Rate times relaxation time
   is up to 3 where it is measured, and twice that at the walls. */
static void conformation_T07_steady_shear(void **state)
{
    (void)state;
    double tau = 0.1, modulus = 4000, d = 0.05;
    double weissenberg[4] = {0.1, 0.5, 1, 3};
    for (int k = 0; k < 4; k++) {
        /* rate = rho g y / eta at a quarter of the gap from the middle */
        double y = 0.25 * CHANNEL_LAYERS * d;
        double push = weissenberg[k] / tau * modulus * tau / (density * y);
        Channel c = make_channel(d, 1.0 / 240, push, maxwell_matter(modulus, tau));
        uint64_t count = take_census(c.world).count;
        advance(c.world, 1.25); /* the slowest mode, (gap/pi)^2 rho/eta = 0.25 s, is gone to 1% */
        assert_int_equal(take_census(c.world).count, count);
        double middle = 0.5 * c.height, at = middle + y, eta = modulus * tau;
        double rate =
            (layer_mean(&c, "velocity", 0, at + d) - layer_mean(&c, "velocity", 0, at - d)) /
            (2 * d);
        double stress = -density * push * y; /* falls from the middle up */
        double qxy = layer_mean(&c, "conformation", 3, at);
        double n1 = layer_mean(&c, "conformation", 0, at) - layer_mean(&c, "conformation", 1, at);
        printf("  rate %g 1/s (expected %g)\n", rate, stress / eta);
        MEASURED("viscosity over modulus times tau", stress / rate / eta, 0.9, 1.1);
        MEASURED("shear strain over rate tau", qxy / (rate * tau), 0.9, 1.1);
        MEASURED("N1 over 2 G (rate tau)^2", n1 / (2 * rate * tau * rate * tau), 0.9, 1.1);
        ooze_world_destroy(c.world);
    }
}

/* ---- T20, T21: waves and decay --------------------------------------------------------------- */

/* Half a period lies between the first two zeros of the amplitude; `size`: m/s at the start. */
static double wave_frequency(const Cell *c, double longest, double size)
{
    Mode mode = mode_of(c, size);
    OozeWorld *world = make_cell(c, &mode, true);
    Census before = take_census(world);
    double zero[2], last = 1.0;
    int found = 0, steps = 0;
    for (; steps * c->time_step < longest && found < 2; steps++) {
        step_world(world);
        double now = mode_amplitude(world, &mode, false);
        if (now * last < 0.0) {
            zero[found++] = c->time_step * (steps + 1 - now / (now - last));
        }
        last = now;
    }
    check_kept(before, take_census(world), steps);
    ooze_world_destroy(world);
    assert_int_equal(found, 2);
    return REFERENCE_PI / (zero[1] - zero[0]);
}

/* A standing wave strains the cell by 5%, there and back: its frequency gives the modulus. */
static double swung_modulus(double compliance, bool diagonal)
{
    Cell cell = {.spacing = 0.1,
                 .across = diagonal ? 28 : 20,
                 .diagonal = diagonal,
                 .matter = paper_matter(INFINITY, compliance)};
    double k = mode_of(&cell, 0).k, strain = 0.05;
    double expected = shear_wave_frequency(density / compliance, density, k);
    double period = 2 * REFERENCE_PI / expected;
    cell.time_step = period / 160;
    double found = wave_frequency(&cell, 2 * period, strain * expected / k);
    return density * found * found / (k * k);
}

static void conformation_T05_swung(void **state)
{
    (void)state;
    double alpha[3] = {1e-3, 1e-2, 1e-1}, axis[3];
    for (int i = 0; i < 3; i++) {
        axis[i] = swung_modulus(alpha[i], false);
        printf("  compliance %g: modulus %.5g Pa\n", alpha[i], axis[i]);
        MEASURED("modulus over density / compliance", axis[i] * alpha[i] / density, 0.94, 1.02);
        MEASURED("modulus at 45 degrees over that along an axis",
                 swung_modulus(alpha[i], true) / axis[i], 0.95, 1.05);
    }
    MEASURED("slope of ln G over ln alpha", log(axis[2] / axis[0]) / log(alpha[2] / alpha[0]), -1.1,
             -0.9);
}

/* Gradients on a lattice miss a part of a wave that falls with the square of the spacing over its
   length: 3% at 20 particles along it. Theory's frequency is what two spacings extrapolate to. */
static void conformation_T20_shear_wave(void **state)
{
    (void)state;
    double coarse = 0;
    for (int k = 0; k < 8; k++) {
        bool fine = k & 1, quick = k & 2, diagonal = k & 4;
        int across = fine ? 25 : 20;
        Cell cell = {.spacing = 2.0 / across,
                     .time_step = quick ? 1.0 / 240 : 1.0 / 120,
                     .diagonal = diagonal,
                     .across = diagonal ? across * 7 / 5 : across,
                     .matter = maxwell_matter(16000, INFINITY)};
        printf("  spacing %g, step 1/%.0f, %s\n", cell.spacing, 1 / cell.time_step,
               diagonal ? "45 degrees" : "axis");
        double theory = shear_wave_frequency(cell.matter.modulus, density, mode_of(&cell, 0).k);
        double ratio = wave_frequency(&cell, 1.0, 0.01) / theory;
        MEASURED("frequency over theory", ratio, 0.96, 1.01);
        if (fine) {
            double square = 20.0 * 20 / (25 * 25);
            MEASURED("the same at no spacing", ratio + (ratio - coarse) * square / (1 - square),
                     0.985, 1.015);
        }
        coarse = ratio;
    }
}

static void conformation_T21_viscous_decay(void **state)
{
    (void)state;
    double eta = 40, seconds = 0.25;
    for (int k = 0; k < 4; k++) {
        double dt = (double[]){1.0 / 480, 1.0 / 240, 1.0 / 60, 1.0 / 240}[k];
        Cell cell = {.spacing = 0.1,
                     .time_step = dt,
                     .across = 20,
                     .diagonal = k == 3,
                     .matter = newtonian_matter(eta)};
        cell.across = cell.diagonal ? 28 : 20;
        Mode mode = mode_of(&cell, 0.01);
        OozeWorld *world = make_cell(&cell, &mode, true);
        Census before = take_census(world);
        advance(world, seconds);
        check_kept(before, take_census(world), (int)round(seconds / dt));
        double left = mode_amplitude(world, &mode, false) / mode.size;
        double fitted = -log(left) / (mode.k * mode.k * seconds);
        printf("  step %g s%s\n", dt, cell.diagonal ? ", 45 degrees" : "");
        MEASURED("decay rate over k^2 eta/rho", fitted / (eta / density), 0.95, 1.05);
        ooze_world_destroy(world);
    }
}

/* ---- T22, T23: flows ------------------------------------------------------------------------- */

/* A Maxwell fluid with a tenth of solvent between plates, pushed from rest: its velocity overshoots
   as that of Waters and King does (E = 1, beta = 0.1). */
static void conformation_T22_poiseuille(void **state)
{
    (void)state;
    double d = 0.05, half = 0.5, relaxation = 1, push = 0.15, dt = 0.01, beta = 0.1;
    double total = density * half * half / relaxation;
    Matter matter = maxwell_matter((1 - beta) * total / relaxation, relaxation);
    matter.solvent = beta * total;
    Channel c = make_channel(d, dt, push, matter);
    uint64_t count = take_census(c.world).count;
    double mean = density * push * half * half / (3 * total), peak = 0.0, when = 0.0;
    for (int i = 1; i <= 400; i++) {
        step_world(c.world);
        double u = layer_mean(&c, "velocity", 0, half) / mean;
        if (i % 50 == 0) {
            printf("  T = %.1f: %.4f (exact %.4f)\n", i * dt, u,
                   waters_king((WatersKing){1, beta}, 0.5 * d / half, i * dt));
        }
        when = u > peak ? i * dt : when;
        peak = fmax(peak, u);
    }
    assert_int_equal(take_census(c.world).count, count);
    double height, time;
    waters_king_peak((WatersKing){1, beta}, &height, &time);
    MEASURED("overshoot over exact", peak / height, 0.8, 1.2);
    MEASURED("its time over exact", when / time, 0.8, 1.2);
    ooze_world_destroy(c.world);
}

static OozeVec3 vortices(OozeVec3 x, uint64_t i, const void *user)
{
    (void)i;
    double k = 2 * REFERENCE_PI, speed = *(const double *)user;
    return vec3(speed * taylor_green_u(k, x.x, x.y), speed * taylor_green_v(k, x.x, x.y), 0);
}

static void set_vortices(OozeVec3 x, const void *user, float *velocity)
{
    OozeVec3 u = vortices(x, 0, user);
    velocity[0] = (float)u.x;
    velocity[1] = (float)u.y;
    velocity[2] = (float)u.z;
}

typedef struct Vortices {
    double viscosity, spacing, time_step, speed;
    bool disordered; /* it has flowed before; otherwise it begins on the lattice */
} Vortices;

static const double vortex_seconds = 0.3;

/* Shaken particles come to rest, and flow for as long as the measurement takes. */
static void disorder(OozeWorld *world, const Vortices *v)
{
    step_many(world, 60);
    set_field(world, "velocity", set_vortices, &v->speed);
    advance(world, vortex_seconds);
    set_field(world, "velocity", set_vortices, &v->speed);
}

/* Kinematic viscosity from the decay of the vortices' kinetic energy, which never grows. */
static double vortex_viscosity(Vortices v)
{
    int across = (int)round(1 / v.spacing), steps = (int)round(vortex_seconds / v.time_step);
    double k = 2 * REFERENCE_PI;
    OozeWorld *world = make_world(
        (Setup){.spacing = v.spacing, .time_step = v.time_step, .box = vec3(1, 1, 7 * v.spacing)});
    add_matter(world, newtonian_matter(v.viscosity));
    add_lattice(world, (Lattice){.n = {across, across, 7},
                                 .spacing = v.spacing,
                                 .jitter = v.disordered ? 0.6 : 0,
                                 .velocity = v.disordered ? NULL : vortices,
                                 .user = &v.speed});
    if (v.disordered) {
        disorder(world, &v);
    }
    Census before = take_census(world), after = before;
    double rise = 0;
    for (int i = 0; i < steps; i++) {
        double energy = after.energy;
        step_world(world);
        after = take_census(world);
        rise = fmax(rise, after.energy / energy - 1);
    }
    check_kept(before, after, steps);
    MEASURED("largest rise of energy in a step", rise, 0, 1e-5); /* rounding of velocities */
    ooze_world_destroy(world);
    return -log(after.energy / before.energy) / (4 * k * k * steps * v.time_step);
}

static void conformation_T23_taylor_green(void **state)
{
    (void)state;
    double d = 1.0 / 20, dt = 1.0 / 240;
    MEASURED("fitted over set viscosity, 50 Pa s",
             vortex_viscosity((Vortices){50, d, dt, 0.2, false}) / 0.05, 0.8, 1.2);
    MEASURED("fitted over set viscosity, 20 Pa s",
             vortex_viscosity((Vortices){20, d, dt, 0.2, false}) / 0.02, 0.8, 1.2);
}

/* With no viscosity set, what remains is numerical. Water that acts thinner than oil needs less
   than 0.2 U dx (1 Pa s at 5 mm and 1 m/s). The vortices begin on the lattice, which resists shear
   like a crystal until it breaks up: 0.41, which misses that; 0.67 where pushes of the density
   stage are not isotropic. */
static void conformation_T23_numerical(void **state)
{
    (void)state;
    double lattice = vortex_viscosity((Vortices){0, 1.0 / 20, 1.0 / 240, 1, false});
    KNOWN_GAP("numerical viscosity over speed times spacing", 20 * lattice, 0, 0.2, 0.41);
    for (int k = 0; k < 6; k++) {
        double d = 1.0 / (double[]){14, 20, 28}[k / 2], travel = k % 2 ? 0.4 : 0.1;
        double nu = vortex_viscosity((Vortices){0, d, travel * d, 1, true});
        printf("  spacing 1/%.0f m, %.1f spacings a step: %.3g m2/s\n", 1 / d, travel, nu);
        MEASURED("the same of fluid that has flowed", nu / d, 0, 0.1);
    }
}

ACCEPTANCE_MAIN(
    cmocka_unit_test(conformation_T05_stiffness), cmocka_unit_test(conformation_T05_formulations),
    cmocka_unit_test(conformation_T05_swung), cmocka_unit_test(conformation_T06_step_strain),
    cmocka_unit_test(conformation_T06_held_cell), cmocka_unit_test(conformation_T07_steady_shear),
    cmocka_unit_test(conformation_T20_shear_wave), cmocka_unit_test(conformation_T21_viscous_decay),
    cmocka_unit_test(conformation_T22_poiseuille), cmocka_unit_test(conformation_T23_taylor_green),
    cmocka_unit_test(conformation_T23_numerical))
