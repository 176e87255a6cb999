/* Acceptance tests of the conformation method on jets: threads coil, sheets fold, cream keeps the ridges of its
   nozzle. */
#include "physics/fixtures.h"

/* ---- T14: coiling ---------------------------------------------------------------------------- */

enum { SAMPLES_MAX = 4096 };

typedef struct Coil {
    double spacing, radius, height, speed, time_step, seconds;
    Matter matter;
} Coil;

typedef struct Coiling {
    double turns;  /* of the thread where it falls, in the whole run */
    double spread; /* longest less shortest period over their mean, last three turns; NAN: fewer */
    double omega;  /* rad/s over these */
    double thread; /* radius of the thread above the pile, m */
    double speed;  /* of the thread there, m/s */
    double coil;   /* radius of the coil's centre line, m */
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

/* Thread and pile at the end: the thread in a slab above the pile, the coil from what was laid last. */
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
    assert_true(steps <= SAMPLES_MAX);
    for (int i = 0; i < steps; i++) {
        step_world(world);
        double now = read_probe(world, azimuth, 0);
        if (!isnan(now)) {
            turn[count++] = now;
        }
    }
    Coiling found = {0};
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_int_equal(take_census(world).count, stats.emitted);
    find_periods(turn, count, c->time_step, &found);
    measure_coil(world, c, (double)stats.emitted / c->seconds, &found);
    printf(
        "  compliance %g: %.2f turns, %.1f rad/s, thread of %.4f m at %.3f m/s, coil of %.4f m\n",
        c->matter.compliance, found.turns, found.omega, found.thread, found.speed, found.coil);
    ooze_world_destroy(world);
    return found;
}

/* A thread of honey that falls 20 times its radius coils, evenly, and lays down as much as comes: the speed of the
   coil round its axis is that of the thread. Ten times as compliant it does not coil as much. */
static void conformation_T14_coiling(void **state)
{
    (void)state;
    Coil coil = {.spacing = 0.006,
                 .radius = 0.015,
                 .height = 0.3,
                 .speed = 0.6,
                 .time_step = 1.0 / 400,
                 .seconds = 2.2,
                 .matter = paper_matter(0.02, 0.1)};
    Coiling stiff = run_coil(&coil);
    MEASURED("turns", stiff.turns, 3, 100);
    MEASURED("spread of the last three periods", stiff.spread, 0, 0.3);
    MEASURED("omega R over the speed of the thread", stiff.omega * stiff.coil / stiff.speed, 0.8,
             1.2);
    double compliances[] = {1, 0.3};
    for (int k = 0; k < (full_sweep() ? 2 : 1); k++) {
        coil.matter = paper_matter(0.02, compliances[k]);
        coil.seconds = 1.8;
        Coiling soft = run_coil(&coil);
        MEASURED("turns of a more compliant thread, over these", fabs(soft.turns) / stiff.turns, 0,
                 0.8);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T14_coiling))
