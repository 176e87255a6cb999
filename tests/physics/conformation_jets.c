/* Acceptance tests of the conformation method on jets: threads coil, sheets fold, cream keeps the
   ridges of its nozzle. */
#include "physics/fixtures.h"

/* ---- T14: coiling ---------------------------------------------------------------------------- */

enum { SAMPLES_MAX = 4096 };

typedef struct Coil {
    double spacing, radius, height, speed, time_step, seconds;
    Matter matter;
    int iterations; /* 0: the default */
} Coil;

typedef struct Coiling {
    double turns;  /* of the thread where it falls, in the whole run */
    double spread; /* longest less shortest period over their mean, last three turns; NAN: fewer */
    double omega;  /* rad/s over these */
    double thread; /* radius of the thread above the pile, m */
    double speed;  /* of the thread there, m/s */
    double coil;   /* radius of the coil's centre line, m */
    double swing;  /* of the falling thread to the side, in the second half of the run, m */
} Coiling;

/* Periods of the last three whole turns of an unwrapped angle. */
static void find_periods(const double *turn, int count, double dt, Coiling *found)
{
    double sign = turn[count - 1] < 0 ? -1 : 1, crossing[4], next = sign * turn[count - 1];
    int have = 0;
    found->turns = sign * (turn[count - 1] - turn[0]);
    for (int i = count - 1; i > 0 && have < 4; i--) {
        double a = sign * turn[i - 1], b = sign * turn[i];
        if (a < next && b >= next) {
            crossing[have++] = dt * (i - 1 + (next - a) / (b - a));
            next -= 1;
        }
    }
    found->spread = found->omega = NAN;
    if (have == 4) {
        double p[3] = {crossing[0] - crossing[1], crossing[1] - crossing[2],
                       crossing[2] - crossing[3]};
        double mean = (p[0] + p[1] + p[2]) / 3;
        found->spread = (fmax(p[0], fmax(p[1], p[2])) - fmin(p[0], fmin(p[1], p[2]))) / mean;
        found->omega = 2 * REFERENCE_PI / mean;
    }
}

/* Thread and pile at the end: the thread in a slab above the pile, the coil from what was laid
   last. */
static void measure_coil(OozeWorld *world, const Coil *c, double flow, Coiling *found)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    double top = 0.0; /* of what has come to rest */
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = read_vector(x, i);
        if (vec3_length(read_vector(v, i)) < 0.25 * c->speed) {
            top = fmax(top, p.y);
        }
    }
    double slab = 4 * c->spacing, count = 0.0, laid = 0.0, distance = 0.0;
    OozeVec3 centre = vec3(0, 0, 0);
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            OozeVec3 p = read_vector(x, i);
            bool resting = vec3_length(read_vector(v, i)) < 0.5 * c->speed;
            if (pass == 0 && fabs(p.y - top - 2 * c->radius) < 0.5 * slab && !resting) {
                count += 1;
            }
            if (resting && p.y > top - 4 * c->radius) {
                laid += pass == 0 ? 1 : 0;
                OozeVec3 arm = vec3_sub(p, centre);
                centre = pass == 0 ? vec3_add(centre, p) : centre;
                distance += pass == 1 ? hypot(arm.x, arm.z) / laid : 0;
            }
        }
        centre = pass == 0 ? vec3_scale(centre, 1 / laid) : centre;
    }
    double volume = c->spacing * c->spacing * c->spacing;
    double area = count * volume / slab;
    found->thread = sqrt(area / REFERENCE_PI);
    found->speed = flow * volume / area;
    /* the mean distance in a ring of radius R and thickness a is R + a^2 / (4 R) */
    double a = found->thread;
    found->coil = 0.5 * (distance + sqrt(fmax(distance * distance - a * a, 0)));
    printf("  pile of %.4f m, %g laid last, mean distance %.4f m\n", top, laid, distance);
}

static Coiling run_coil(const Coil *c)
{
    static double turn[SAMPLES_MAX];
    OozeWorld *world =
        make_world((Setup){.spacing = c->spacing, .time_step = c->time_step, .gravity = down()});
    add_matter(world, c->matter);
    add_floor(world, INFINITY);
    if (c->iterations) {
        set_param(world, "velocity_iterations", c->iterations);
    }
    OozeEmitterDef nozzle = jet(c->height, c->speed);
    nozzle.radius = c->radius;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    OozeProbeDef probe = ooze_probe_def_default();
    OozeProbeId azimuth;
    probe.kind = OOZE_PROBE_AZIMUTH;
    probe.name = "thread";
    probe.contact = 4;
    probe.sinking = 0.3 * c->speed;
    probe.point = vec3(0, 0.45 * c->height, 0);
    CHECK_OK(ooze_world_add_probe(world, &probe, &azimuth, &error));
    int steps = (int)round(c->seconds / c->time_step), count = 0;
    double swing = 0, swings = 0, last = NAN, turned = 0;
    assert_true(steps <= SAMPLES_MAX);
    for (int i = 0; i < steps; i++) {
        step_world(world);
        double now = read_probe(world, azimuth, 0), aside = read_probe(world, azimuth, 1);
        if (!isnan(now)) {
            /* a thread that falls straight crosses its axis by chance: these are no turns */
            bool turns = aside > 0.1 * c->radius && !isnan(last);
            turned += turns ? now - last : 0;
            last = now;
            turn[count++] = turned;
            swing += 2 * i >= steps ? aside : 0;
            swings += 2 * i >= steps ? 1 : 0;
        }
    }
    Coiling found = {.swing = swing / swings};
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_int_equal(take_census(world).count, stats.emitted);
    find_periods(turn, count, c->time_step, &found);
    measure_coil(world, c, (double)stats.emitted / c->seconds, &found);
    printf("  compliance %g: %.2f turns, swing %.4f m, %.1f rad/s, thread of %.4f m at %.3f m/s, "
           "coil of %.4f m\n",
           c->matter.compliance, found.turns, found.swing, found.omega, found.thread, found.speed,
           found.coil);
    ooze_world_destroy(world);
    return found;
}

/* A thread of honey that falls 20 times its radius coils, evenly, and lays down as much as comes:
   the speed of the coil round its axis is that of the thread. Ten times as compliant it spreads to
   a puddle. */
static void conformation_T14_coiling(void **state)
{
    (void)state;
    Coil coil = {.spacing = 0.006,
                 .radius = 0.015,
                 .height = 0.3,
                 .speed = 0.6,
                 .time_step = 1.0 / 400,
                 .seconds = 2.0,
                 .matter = paper_matter(0.02, 0.1)};
    Coiling stiff = run_coil(&coil);
    MEASURED("turns", stiff.turns, 3, 100);
    MEASURED("spread of the last three periods", stiff.spread, 0, 0.3);
    MEASURED("omega R over the speed of the thread", stiff.omega * stiff.coil / stiff.speed, 0.8,
             1.2);
    coil.matter = paper_matter(0.02, 1);
    Coiling soft = run_coil(&coil);
    MEASURED("turns of a thread ten times as compliant, over these", fabs(soft.turns) / stiff.turns,
             0, 0.8);
}

/* The paper's rope, as far as it tells: tau 0.15 s, compliance 0, a nozzle 8 spacings wide, a fall
   of 12 nozzles. It turns three times, evenly, and a soft one of compliance 1 does not swing. Today
   it bends like a rod, and leans far over before its first loop: after 3 s it has turned 1.55
   times (four minutes of a core), and at half the speed 1.9 times after 6 s. */
static void conformation_T14_rope(void **state)
{
    (void)state;
    if (!full_sweep()) {
        SKIP_TEST("takes minutes: only in make test-all");
    }
    Coil coil = {.spacing = 0.0025,
                 .radius = 0.01,
                 .height = 0.24,
                 .speed = 0.48,
                 .time_step = 1.0 / 240,
                 .seconds = 2,
                 .matter = paper_matter(0.15, 0),
                 .iterations = 40};
    Coiling stiff = run_coil(&coil);
    KNOWN_GAP("turns", stiff.turns, 3, 100, 0.41);
    if (stiff.turns >= 3) {
        MEASURED("spread of the last three periods", stiff.spread, 0, 0.3);
    }
    coil.matter = paper_matter(0.15, 1);
    coil.seconds = 1.2;
    Coiling soft = run_coil(&coil);
    MEASURED("swing of a soft rope over that of the stiff one", soft.swing / stiff.swing, 0, 0.3);
}

/* ---- T30: sheet buckling --------------------------------------------------------------------- */

typedef struct Folding {
    int folds;     /* swings to one side or the other by at least a third of the thickness */
    double spread; /* longest less shortest swing over their mean, last three */
    double aside;  /* largest swing along the sheet over that across it */
} Folding;

/* Where the falling sheet crosses a height above the pile, on average. */
static OozeVec3 falling_at(OozeWorld *world, double height, double spacing, double speed)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    OozeVec3 sum = vec3(0, 0, 0);
    double count = 0.0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = read_vector(x, i);
        if (fabs(p.y - height) < 3 * spacing && ooze_field_value(v, i, 1) < -0.3 * speed) {
            sum = vec3_add(sum, p);
            count += 1;
        }
    }
    return count > 0 ? vec3_scale(sum, 1 / count) : vec3(0, 0, 0);
}

static Folding run_sheet(Matter matter, double seconds)
{
    double d = 0.006, wide = 0.06, thick = 0.018, height = 0.25, speed = 0.5, dt = 1.0 / 400;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = dt, .gravity = down()});
    add_matter(world, matter);
    add_floor(world, INFINITY);
    OozeEmitterDef slot = jet(height, speed);
    slot.outline = OOZE_OUTLINE_RECTANGLE;
    slot.size = vec3(wide, thick, 0);
    CHECK_OK(ooze_world_add_emitter(world, &slot, NULL, &error));
    double across = 0.0, along = 0.0, swing = 0.0, side = 0.0, when[64], time = 0.0;
    Folding found = {0, NAN, 0};
    for (int i = 0; i < (int)round(seconds / dt); i++) {
        step_world(world);
        OozeVec3 at = falling_at(world, 0.4 * height, d, speed);
        across = fmax(across, fabs(at.z));
        along = fmax(along, fabs(at.x));
        /* a swing counts once it has gone over to the other side */
        if (fabs(at.z) > thick / 3 && at.z * side <= 0 && found.folds < 64) {
            side = at.z;
            swing = 0.0;
            found.folds++;
        }
        if (found.folds > 0 && at.z * side > 0 && fabs(at.z) > swing) {
            swing = fabs(at.z);
            time = (i + 1) * dt;
            when[found.folds - 1] = time;
        }
    }
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_int_equal(take_census(world).count, stats.emitted);
    if (found.folds >= 5) { /* the last swing may not be over */
        const double *w = when + found.folds - 5;
        double a = w[1] - w[0], b = w[2] - w[1], c = w[3] - w[2];
        found.spread = (fmax(a, fmax(b, c)) - fmin(a, fmin(b, c))) / ((a + b + c) / 3);
    }
    found.aside = along / across;
    ooze_world_destroy(world);
    return found;
}

/* A sheet of honey from a slot folds to and fro across its thickness; thin fluid does not. */
static void conformation_T30_sheet(void **state)
{
    (void)state;
    Folding thick = run_sheet(paper_matter(0.02, 0.1), 2);
    MEASURED("folds", thick.folds, 5, 64);
    MEASURED("spread of the times between them", thick.spread, 0, 0.3);
    /* particles of the slot's layers are staggered, and not alike on both sides */
    MEASURED("swing along the sheet over that across it", thick.aside, 0, 0.25);
    Folding thin = run_sheet(paper_matter(0.02, 10), 0.8);
    MEASURED("folds of a thin fluid", thin.folds, 0, 1);
}

/* ---- T31: ridges ----------------------------------------------------------------------------- */

typedef struct Slice {
    double low, high;
    int points;
} Slice;

/* How much a slice has the shape of a star: |sum r^2 e^(i p angle)| / sum r^2 over its
   particles. */
static double ridges(OozeWorld *world, Slice s)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double c = 0.0, i = 0.0, sum = 0.0;
    for (uint64_t n = 0; n < frame->particle_count; n++) {
        OozeVec3 p = read_vector(x, n);
        if (p.y > s.low && p.y < s.high) {
            double r2 = p.x * p.x + p.z * p.z, angle = s.points * atan2(p.z, p.x);
            c += r2 * cos(angle);
            i += r2 * sin(angle);
            sum += r2;
        }
    }
    return hypot(c, i) / sum;
}

typedef struct Ridges {
    double fresh; /* at the nozzle */
    double laid;  /* lower down, when the nozzle stops */
    double later; /* there, a second later */
    double
        recoil; /* height of the middle particle 0.05 s after the nozzle stops, over that before */
    double height; /* a second after, over the former */
} Ridges;

/* A star nozzle rises as it lays down a column, stops, and waits a second. */
static Ridges run_cream(Matter matter)
{
    double d = 0.005, rise = 0.1, stop = 0.8;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 240, .gravity = down()});
    add_matter(world, matter);
    add_floor(world, INFINITY);
    OozeEmitterDef star = jet(0.02, 2 * rise);
    star.outline = OOZE_OUTLINE_STAR;
    star.radius = 0.03;
    star.inner_radius = 0.55 * star.radius;
    star.points = 6;
    star.motion.velocity = vec3(0, rise, 0);
    star.stop = star.motion.stop = stop;
    CHECK_OK(ooze_world_add_emitter(world, &star, NULL, &error));
    OozeProbeDef middle = ooze_probe_def_default();
    OozeProbeId height;
    middle.kind = OOZE_PROBE_HEIGHT;
    middle.name = "middle";
    middle.percentile = 50;
    CHECK_OK(ooze_world_add_probe(world, &middle, &height, &error));
    Ridges found;
    advance(world, stop);
    Census then = take_census(world);
    double top = then.high.y, before = read_probe(world, height, 0);
    found.fresh = ridges(world, (Slice){top - 3 * d, top + d, 6});
    found.laid = ridges(world, (Slice){0.01, 0.04, 6});
    advance(world, 0.05);
    double free = read_probe(world, height, 0);
    advance(world, 0.95);
    Census now = take_census(world);
    assert_int_equal(now.count, then.count);
    found.later = ridges(world, (Slice){0.01, 0.04, 6});
    found.recoil = free / before;
    found.height = read_probe(world, height, 0) / free;
    printf("  ridges: %.4f at the nozzle, %.4f laid, %.4f a second later, recoil %.4f, then height "
           "kept %.4f\n",
           found.fresh, found.laid, found.later, found.recoil, found.height);
    ooze_world_destroy(world);
    return found;
}

/* Whipped cream as in the paper (relaxation 0.1 s, compliance 0) keeps the ridges of its nozzle; a
   runny one loses them. The nozzle presses twice as much onto the column as it makes room for, and
   the cream under it remembers that compression for its relaxation time. Once the nozzle stops the
   column springs back within a few steps: by 3.1, 6.6 and 12.3% with relaxation times of 0.05, 0.1
   and 0.2 s. */
static void conformation_T31_cream(void **state)
{
    (void)state;
    Ridges cream = run_cream(paper_matter(0.1, 0));
    MEASURED("ridges laid over those of the nozzle", cream.laid / cream.fresh, 0.5, 1.5);
    KNOWN_GAP("ridges after a second over those laid", cream.later / cream.laid, 0.9, 1.1, 1.12);
    MEASURED("height after the nozzle stops, over that before", cream.recoil, 0.98, 1.1);
    MEASURED("height kept from then", cream.height, 0.98, 1.01);
    Ridges runny = run_cream(paper_matter(0.1, 10));
    KNOWN_GAP("runny: ridges after a second over those of the nozzle", runny.later / runny.fresh, 0,
              0.3, 0.369);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T14_coiling), cmocka_unit_test(conformation_T14_rope),
                cmocka_unit_test(conformation_T30_sheet), cmocka_unit_test(conformation_T31_cream))
