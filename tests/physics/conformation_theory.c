/* Flow under weight against theory and experiment, at several spacings and steps: a dam of water
   that breaks, a standing wave, a tray that levels, a pool at rest. */
#include "physics/fixtures.h"

enum { DENSITY_STAGE, GRID }; /* of the setting `pressure` */

enum { EXCESS = 2 }; /* column of the probe `density` */

static const double GRAVITY = 9.81;

static OozeWorld *heavy_world(Setup s, int pressure, double viscosity)
{
    OozeWorld *world = make_world(s);
    set_param(world, "velocity_iterations", 200);
    set_param(world, "pressure", pressure);
    add_matter(world, newtonian_matter(viscosity));
    return world;
}

static void add_wall(OozeWorld *world, double x, double normal, double friction)
{
    OozeSolidDef wall = ooze_solid_def_default();
    wall.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    wall.shape.normal = vec3(normal, 0, 0);
    wall.shape.position = vec3(x, 0, 0);
    wall.friction = friction;
    CHECK_OK(ooze_world_add_solid(world, &wall, NULL, &error));
}

/* ---- a dam of water ---------------------------------------------------------------------- */

/* Largest lead and lag of the front, relative to the experiment. */
typedef struct Lead {
    double early; /* ahead until T = 3 */
    double ahead, behind;
    double excess; /* worst density of a particle above rest */
} Lead;

/* Column a wide and 2 a high, a = 2.25 inches, until T = 6.3. `travel`: of the fastest water in a
   step, in spacings. */
static Lead break_dam(int wide, double travel, double friction, int pressure)
{
    enum { DEEP = 7 };
    const double a = 2.25 * 0.0254, d = a / wide, scale = sqrt(2 * GRAVITY / a);
    const double dt = travel * d / sqrt(8 * GRAVITY * a);
    OozeWorld *world = heavy_world((Setup){.spacing = d,
                                           .time_step = dt,
                                           .gravity = down(),
                                           .threads = 1,
                                           .box = vec3(0, 0, DEEP * d)},
                                   pressure, 1e-3);
    add_floor(world, friction);
    add_wall(world, 0, 1, friction);
    add_lattice(world, (Lattice){.n = {wide, 2 * wide, DEEP}, .spacing = d});
    OozeProbeId density = add_probe(world, OOZE_PROBE_DENSITY);
    Lead lead = {-1, -1, -1, 0};
    for (double next = 0.8; next < 6.3; next += 0.1) {
        while (ooze_world_frame(world)->time * scale < next) {
            step_world(world);
        }
        double time = ooze_world_frame(world)->time * scale;
        double front = (take_census(world).high.x + 0.5 * d) / a;
        lead.excess = fmax(lead.excess, read_probe(world, density, EXCESS));
        double ratio = front / dam_break_front(DAM_BREAK_MARTIN_MOYCE_LARGE, time) - 1;
        if (!isnan(ratio)) {
            lead.early = time < 3 ? fmax(lead.early, ratio) : lead.early;
            lead.ahead = fmax(lead.ahead, ratio);
            lead.behind = fmax(lead.behind, -ratio);
        }
    }
    ooze_world_destroy(world);
    return lead;
}

/* ---- a standing wave --------------------------------------------------------------------- */

typedef struct Wave {
    double k, speed, depth;
} Wave;

static OozeVec3 wave_velocity(OozeVec3 x, uint64_t i, const void *user)
{
    (void)i;
    const Wave *w = user;
    double by = w->speed / sinh(w->k * w->depth);
    return vec3(-by * sin(w->k * x.x) * cosh(w->k * x.y), by * cos(w->k * x.x) * sinh(w->k * x.y),
                0);
}

/* Part of the velocities along those of the wave. */
static double wave_amplitude(OozeWorld *world, const Wave *w)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    double along = 0, own = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 mode = wave_velocity(read_vector(x, i), i, w);
        along += vec3_dot(mode, read_vector(v, i));
        own += vec3_dot(mode, mode);
    }
    return along / own;
}

typedef struct Decay {
    double rate, period; /* over theory */
} Decay;

/* A wave of `length` spacings, 0.4 m long, on water half as deep, without friction at the floor,
   viscosity 1e-4 m2/s: its amplitude decays at the rate 2 nu k^2. */
static Decay decay_of_wave(int length, double step, int pressure)
{
    enum { DEEP = 7, MOST = 64 };
    const double d = 0.4 / length, nu = 1e-4;
    Wave wave = {.k = 2 * REFERENCE_PI / 0.4, .depth = 0.2};
    double omega = sqrt(GRAVITY * wave.k * tanh(wave.k * wave.depth));
    wave.speed = 0.03 * 0.4 * omega; /* a height of 3% of the length */
    OozeWorld *world = heavy_world((Setup){.spacing = d,
                                           .time_step = step,
                                           .gravity = down(),
                                           .threads = 1,
                                           .box = vec3(0.4, 0, DEEP * d)},
                                   pressure, 1000 * nu);
    add_floor(world, 0);
    add_lattice(world, (Lattice){.n = {length, length / 2, DEEP},
                                 .spacing = d,
                                 .velocity = wave_velocity,
                                 .user = &wave});
    /* crests of |amplitude|: slope of their logarithm over time, from the second on */
    double before = 1, last = 1, n = 0, st = 0, sa = 0, stt = 0, sta = 0, first = 0, end = 0;
    while (n < 12 && ooze_world_frame(world)->time < 6) {
        step_world(world);
        double now = fabs(wave_amplitude(world, &wave)), t = ooze_world_frame(world)->time - step;
        if (last > before && last >= now && t > 0.3 / omega) {
            double value = log(last);
            first = n > 0 ? first : t;
            end = t;
            n++;
            st += t;
            sa += value;
            stt += t * t;
            sta += t * value;
        }
        before = last;
        last = now;
    }
    ooze_world_destroy(world);
    double slope = (n * sta - st * sa) / (n * stt - st * st);
    return (Decay){-slope / (2 * nu * wave.k * wave.k),
                   (end - first) / (n - 1) * omega / REFERENCE_PI};
}

/* ---- a tray that levels ------------------------------------------------------------------ */

/* Rate at which the wave k on fluid of depth h levels without inertia. */
static double levelling_rate(double k, double h, double nu)
{
    double c = cosh(k * h);
    return GRAVITY / (2 * nu * k) * (sinh(k * h) * c - k * h) / (c * c + k * k * h * h);
}

/* Travel of the centre of the fluid in a tray of length l over the final one, after time t. */
static double levelled(double l, double h, double nu, double t)
{
    double left = 0;
    for (int n = 1; n < 40; n += 2) {
        double rate = levelling_rate(n * REFERENCE_PI / l, h, nu);
        left += 96 / pow(REFERENCE_PI * n, 4) * exp(-rate * t);
    }
    return 1 - left;
}

typedef struct Levelling {
    double rate, travel; /* over theory */
} Levelling;

/* Fluid of 50 Pa s, 0.48 m long between walls without friction and 0.08 m deep, in gravity tilted
   by `tilt`: time until 1 - 1/e of the travel, and the travel after `times` times that. */
static Levelling level_tray(double tilt, double times, int pressure)
{
    enum { WIDTH = 7, LAYERS = 8 };
    const double h = 0.08, l = 0.48, d = h / LAYERS, nu = 0.05;
    OozeWorld *world = heavy_world((Setup){.spacing = d,
                                           .time_step = 1.0 / 240,
                                           .threads = 1,
                                           .gravity = vec3(GRAVITY * tilt, -GRAVITY, 0),
                                           .box = vec3(0, 0, WIDTH * d)},
                                   pressure, 1000 * nu);
    add_floor(world, INFINITY);
    add_wall(world, -0.5 * l, 1, 0);
    add_wall(world, 0.5 * l, -1, 0);
    add_lattice(
        world,
        (Lattice){.n = {6 * LAYERS, LAYERS, WIDTH}, .spacing = d, .corner = vec3(-0.5 * l, 0, 0)});
    const double final = tilt * l * l / (12 * h), share = 1 - exp(-1);
    double start = take_census(world).centre.x, expected = 0, taken = NAN, travel = 0;
    while (levelled(l, h, nu, expected) < share) {
        expected += 1e-3;
    }
    while (ooze_world_frame(world)->time < times * expected) {
        step_world(world);
        travel = (take_census(world).centre.x - start) / final;
        if (isnan(taken) && travel > share) {
            taken = ooze_world_frame(world)->time;
        }
    }
    travel /= levelled(l, h, nu, ooze_world_frame(world)->time);
    ooze_world_destroy(world);
    return (Levelling){isnan(taken) ? 0 : expected / taken, travel};
}

/* ---- a pool at rest ---------------------------------------------------------------------- */

enum { POOL_LENGTH = 12, POOL_LAYERS = 8 };

typedef struct Rest {
    double moved, sunk, depth; /* over the spacing: root mean square, centre; over half the depth */
    double early, late;        /* moved in the first and in the last two seconds */
} Rest;

/* Positions by id. */
static OozeVec3 *positions(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    uint64_t n = frame->particle_count;
    OozeVec3 *at = calloc(n, sizeof *at);
    assert_non_null(at);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t id = (uint64_t)ooze_field_value(ooze_frame_field(frame, "id"), i, 0);
        assert_true(id < n);
        at[id] = read_vector(ooze_frame_field(frame, "position"), i);
    }
    return at;
}

/* The shortest displacement in a box that is periodic along z, and along x unless its length
   there is 0. */
static OozeVec3 shortest(OozeVec3 delta, OozeVec3 box)
{
    delta.x -= box.x > 0 ? box.x * round(delta.x / box.x) : 0;
    delta.z -= box.z * round(delta.z / box.z);
    return delta;
}

/* Root mean square of the travel since `before`, in spacings. */
static double travel_since(OozeWorld *world, const OozeVec3 *before, double d, OozeVec3 box)
{
    uint64_t n = ooze_world_frame(world)->particle_count;
    OozeVec3 *now = positions(world);
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        OozeVec3 moved = shortest(vec3_sub(now[i], before[i]), box);
        sum += vec3_dot(moved, moved) / (double)n;
    }
    free(now);
    return sqrt(sum) / d;
}

/* 12 by 8 by 12 particles between walls: what moves in 10 s after the first two. */
static Rest rest_pool(double viscosity, double step, int pressure)
{
    const double d = 0.01, half = 0.5 * POOL_LENGTH * d;
    const OozeVec3 box = vec3(0, 0, POOL_LENGTH * d);
    OozeWorld *world =
        heavy_world((Setup){.spacing = d, .time_step = step, .gravity = down(), .box = box},
                    pressure, viscosity);
    add_floor(world, INFINITY);
    add_wall(world, -half, 1, INFINITY);
    add_wall(world, half, -1, INFINITY);
    add_lattice(world, (Lattice){.n = {POOL_LENGTH, POOL_LAYERS, POOL_LENGTH},
                                 .spacing = d,
                                 .corner = vec3(-half, 0, 0)});
    advance(world, 2);
    OozeVec3 *first = positions(world);
    double before = take_census(world).centre.y;
    advance(world, 2);
    double early = travel_since(world, first, d, box);
    advance(world, 6);
    OozeVec3 *last = positions(world);
    advance(world, 2);
    double after = take_census(world).centre.y;
    Rest rest = {.moved = travel_since(world, first, d, box),
                 .sunk = (before - after) / d,
                 .depth = after / (0.5 * POOL_LAYERS * d),
                 .early = early,
                 .late = travel_since(world, last, d, box)};
    free(first);
    free(last);
    ooze_world_destroy(world);
    return rest;
}

typedef struct Stillness {
    double moved, speed; /* travel, and largest root mean square of the speed, in spacings */
} Stillness;

/* Fluid of 5 Pa s in a shaft of 8 by 8 spacings without side walls: what moves in `seconds` after
   the first `settling`. */
static Stillness rest_in_shaft(int layers, double settling, double seconds, int pressure)
{
    enum { ACROSS = 8 };
    const double d = 0.01;
    const OozeVec3 box = vec3(ACROSS * d, 0, ACROSS * d);
    OozeWorld *world = heavy_world(
        (Setup){.spacing = d, .time_step = 1.0 / 240, .gravity = down(), .box = box}, pressure, 5);
    add_floor(world, INFINITY);
    add_lattice(world, (Lattice){.n = {ACROSS, layers, ACROSS}, .spacing = d});
    advance(world, settling);
    OozeVec3 *first = positions(world);
    double speed = 0;
    for (int k = 0; k < 20; k++) {
        advance(world, seconds / 20);
        Census now = take_census(world);
        speed = fmax(speed, sqrt(2 * now.energy / now.mass) / d);
    }
    Stillness found = {travel_since(world, first, d, box), speed};
    free(first);
    ooze_world_destroy(world);
    return found;
}

/* ---- tests ------------------------------------------------------------------------------- */

/* Fronts of converged simulations are 0.05 to 0.15 ahead of the experiment, whose gate takes time
   to open; water that is less viscous runs further ahead. */
static void conformation_T104_dam_break(void **state)
{
    (void)state;
    const int wide[] = {12, 12, 8, 16};
    const double travel[] = {0.4, 0.2, 0.4, 0.4};
    for (int k = 0; k < (full_sweep() ? 4 : 1); k++) {
        Lead lead = break_dam(wide[k], travel[k], 0, DENSITY_STAGE);
        printf("  %d spacings wide, %g spacings a step\n", wide[k], travel[k]);
        KNOWN_GAP("front ahead of Martin and Moyce until T = 3", lead.early, -0.05, 0.05, 0.155);
        MEASURED("until T = 6.3", lead.ahead, 0, 0.17);
        MEASURED("behind", lead.behind, -1, 0.06);
    }
}

/* The decay of theory within a fifth. What is beyond it grows as the wave becomes slower: shear
   stress of pushes that is not removed, a fifth of it beside the floor. */
static void conformation_T105_wave(void **state)
{
    (void)state;
    if (!full_sweep()) {
        SKIP_TEST("takes minutes: only in make test-all");
    }
    const int length[] = {20, 30};
    const double today[] = {6.55, 3.43};
    for (int k = 0; k < 2; k++) {
        Decay decay = decay_of_wave(length[k], 1.0 / 250, DENSITY_STAGE);
        printf("  %d spacings long\n", length[k]);
        MEASURED("period over theory", decay.period, 0.97, 1.03);
        KNOWN_GAP("decay over theory", decay.rate, 0.8, 1.2, today[k]);
    }
}

/* Where pushes of the density stage keep their shear stress beside walls, fluid goes too far: 2.5
   of its way at 0.001. */
static void conformation_T106_tray(void **state)
{
    (void)state;
    if (!full_sweep()) {
        SKIP_TEST("takes minutes: only in make test-all");
    }
    Levelling steep = level_tray(0.02, 4, DENSITY_STAGE);
    MEASURED("tilt 0.02: rate over theory", steep.rate, 0.85, 1.15);
    MEASURED("travel over theory", steep.travel, 0.85, 1.15);
    Levelling flat = level_tray(0.001, 4, DENSITY_STAGE);
    MEASURED("tilt 0.001: rate over theory", flat.rate, 0.85, 1.15);
    /* motion of single particles counts here: 1.13 on one processor, 1.26 on another */
    KNOWN_GAP("travel over theory", flat.travel, 0.85, 1.15, 1.263);
}

/* What rests does not travel. The pool settles: its particles travel at a rate of 0.35 spacings
   over the time that has passed. */
static void conformation_T107_pool(void **state)
{
    (void)state;
    if (!full_sweep()) {
        SKIP_TEST("takes minutes: only in make test-all");
    }
    Rest rest = rest_pool(5, 1.0 / 240, DENSITY_STAGE);
    KNOWN_GAP("travel of a particle in 10 s over the spacing", rest.moved, 0, 0.001, 0.425);
    MEASURED("the same from 10 to 12 s over that from 2 to 4 s", rest.late / rest.early, 0, 0.6);
    MEASURED("change of the centre's height over the spacing", rest.sunk, -0.05, 0.05);
    MEASURED("height of the centre over half the depth", rest.depth, 0.96, 1.02);
}

/* ---- tests with the grid --------------------------------------------------------------------- */

static void conformation_T104_dam_break_grid(void **state)
{
    (void)state;
    if (!full_sweep()) {
        SKIP_TEST("takes a quarter of a minute: only in make test-all");
    }
    Lead lead = break_dam(12, 0.4, 0, GRID);
    KNOWN_GAP("grid: front ahead of Martin and Moyce until T = 3", lead.early, -0.05, 0.05, 0.136);
    MEASURED("grid: front behind until T = 6.3", lead.behind, -1, 0.05);
    MEASURED("grid: worst density above rest", lead.excess, 0, 0.2);
}

static void conformation_T105_wave_grid(void **state)
{
    (void)state;
    if (!full_sweep()) {
        SKIP_TEST("takes a third of a minute: only in make test-all");
    }
    Decay decay = decay_of_wave(20, 1.0 / 250, GRID);
    KNOWN_GAP("grid: period over theory", decay.period, 0.97, 1.03, 1.07);
    KNOWN_GAP("grid: decay over theory", decay.rate, 0.8, 1.3, 8.9);
}

/* The travel at each time is a multiple of theory's: its beginning stands for the whole. Walls may
   stand anywhere in the cells of the grid: a false force of 0.1 % of the weight would double the
   travel at the least tilt. */
static void conformation_T106_tray_grid(void **state)
{
    (void)state;
    if (!full_sweep()) {
        SKIP_TEST("takes a third of a minute: only in make test-all");
    }
    MEASURED("grid, tilt 0.02: rate over theory", level_tray(0.02, 1.05, GRID).rate, 0.95, 1.05);
    MEASURED("grid, tilt 0.001: travel over theory, at half of the time",
             level_tray(0.001, 0.5, GRID).travel, 0.95, 1.05);
}

/* The force of the pressure of a fluid at rest is the same on all of its particles. */
static void conformation_T107_pool_grid(void **state)
{
    (void)state;
    Stillness deep = rest_in_shaft(40, 0.25, full_sweep() ? 0.5 : 0.25, GRID);
    MEASURED("grid, 40 layers: travel of a particle over the spacing", deep.moved, 0, 0.001);
    MEASURED("grid, 40 layers: speed in spacings a second", deep.speed, 0, 0.005);
    if (full_sweep()) {
        Stillness shallow = rest_in_shaft(8, 2, 10, GRID);
        MEASURED("grid, 8 layers: travel of a particle in 10 s over the spacing", shallow.moved, 0,
                 0.01);
        MEASURED("grid, 8 layers: speed in spacings a second", shallow.speed, 0, 0.005);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T104_dam_break),
                cmocka_unit_test(conformation_T105_wave), cmocka_unit_test(conformation_T106_tray),
                cmocka_unit_test(conformation_T107_pool),
                cmocka_unit_test(conformation_T104_dam_break_grid),
                cmocka_unit_test(conformation_T105_wave_grid),
                cmocka_unit_test(conformation_T106_tray_grid),
                cmocka_unit_test(conformation_T107_pool_grid))
