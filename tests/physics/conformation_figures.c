/* Acceptance tests of the conformation method on the scenes of the paper's figures 2, 3, 4, 5, 9 and
   12: the small variants, and in full sweeps those of the ropes whole. */
#include "physics/fixtures.h"

#define FOLDER "barreiro2017"

static OozeProbeId find_probe(OozeWorld *world, const char *name)
{
    OozeProbeId id = {0};
    CHECK_OK(ooze_world_find_probe(world, name, &id, &error));
    return id;
}

/* ---- T12: figure 2, a block by links and by conformation ------------------------------------- */

enum { FALLS_MAX = 512 };

typedef struct Landing {
    double creep; /* m/s: slope of the height from 0.1 s after the impact on */
    double swing; /* m: largest less smallest distance from that line */
} Landing;

static Landing land(const char *name, const char *const *overrides, int count)
{
    OozeWorld *world = begin_scene(FOLDER, name, overrides, count);
    OozeProbeId height = find_probe(world, "height");
    double time[FALLS_MAX], high[FALLS_MAX], dt = 1.0 / 240;
    int steps = 240, n = 0;
    for (int i = 0; i < steps; i++) {
        step_world(world);
        if ((i + 1) * dt > 0.3) {
            time[n] = (i + 1) * dt;
            high[n++] = read_probe(world, height, 0);
        }
    }
    ooze_world_destroy(world);
    double mean_time = 0, mean = 0, above = 0, below = 0, covariance = 0, variance = 0;
    for (int i = 0; i < n; i++) {
        mean_time += time[i] / n;
        mean += high[i] / n;
    }
    for (int i = 0; i < n; i++) {
        covariance += (time[i] - mean_time) * (high[i] - mean);
        variance += (time[i] - mean_time) * (time[i] - mean_time);
    }
    Landing found = {covariance / variance, 0};
    for (int i = 0; i < n; i++) {
        double off = high[i] - mean - found.creep * (time[i] - mean_time);
        above = fmax(above, off);
        below = fmin(below, off);
    }
    found.swing = above - below;
    return found;
}

/* Links either creep or ring after the block has landed; conformation does neither. */
static void conformation_T12_links(void **state)
{
    (void)state;
    Landing block = land("block_drop_small", NULL, 0);
    printf("  conformation: %.5f m/s, %.5f m\n", block.creep, block.swing);
    static const char *const extensions[] = {
        "materials.viscous.extension=1", "materials.viscous.extension=1.0005",
        "materials.viscous.extension=1.001", "materials.viscous.extension=1.005"};
    double least = INFINITY;
    for (int k = 0; k < 4; k++) {
        Landing links = land("block_drop_links_small", &extensions[k], 1);
        printf("  links, %s: %.5f m/s, %.5f m\n", extensions[k], links.creep, links.swing);
        MEASURED("swing by conformation over that by links", block.swing / links.swing, 0, 0.1);
        least = fmin(least, k > 0 ? fabs(links.creep) : INFINITY);
    }
    MEASURED("creep by conformation over the least by links that creep", fabs(block.creep) / least,
             0, 0.3);
}

/* ---- T10: figure 3, a beam by velocities only ------------------------------------------------ */

static double drift_of_beam(const char *name)
{
    OozeWorld *world = begin_scene(FOLDER, name, NULL, 0);
    OozeProbeId drift = find_probe(world, "drift");
    Census before = take_census(world);
    advance(world, 4);
    Census after = take_census(world);
    MEASURED("angular momentum kept", after.spin.y / before.spin.y, 0.999, 1.001);
    double metres = read_probe(world, drift, 0);
    ooze_world_destroy(world);
    return metres;
}

/* Steps along tangents widen a beam that turns by (omega dt)^2/2 each: constraints on velocities do
   not see it, those on positions and the second-order strain of the default do. */
static void conformation_T10_velocity_only(void **state)
{
    (void)state;
    double omega = 2.35619449, dt = 1.0 / 120, seconds = 4, length = 1.6;
    double alone = drift_of_beam("spinning_beam_velocity_only_small");
    double both = drift_of_beam("spinning_beam_doubly_small");
    double lodge = drift_of_beam("spinning_beam_small");
    /* along the beam, of which the RMS distance from the middle is length/sqrt 12 */
    double widened = 0.5 * omega * omega * dt * seconds * length / sqrt(12);
    printf("  drift: velocities only %.4f m, both %.4f m, default %.4f m\n", alone, both, lodge);
    /* the beam slows down as it widens, and keeps its volume */
    MEASURED("velocities only: drift over that of steps along tangents", alone / widened, 0.7, 1.1);
    MEASURED("both stages over velocities only", both / alone, 0, 0.75);
    MEASURED("default over velocities only", lodge / alone, 0, 0.15);
}

/* ---- T91: figures 5 and 12, ropes that coil -------------------------------------------------- */

enum { READINGS_MAX = 4096, TURNS_MAX = 128 };

typedef struct Coils {
    int turns;     /* whole ones */
    double period; /* mean of the last eight, or of all but the first where there are fewer, s */
    double spread; /* longest less shortest of these over their mean */
} Coils;

/* From an unwrapped angle, turns counted back from its end. */
static Coils find_coils(const double *time, const double *turn, int count)
{
    double sign = turn[count - 1] < turn[0] ? -1 : 1, next = sign * turn[count - 1];
    double crossing[TURNS_MAX];
    int have = 0;
    for (int i = count - 1; i > 0; i--) {
        double a = sign * turn[i - 1], b = sign * turn[i];
        for (; a < next && b >= next && have < TURNS_MAX; next -= 1) {
            crossing[have++] = time[i - 1] + (next - a) / (b - a) * (time[i] - time[i - 1]);
        }
    }
    Coils found = {have > 0 ? have - 1 : 0, NAN, INFINITY};
    int counted = found.turns > 8 ? 8 : found.turns - 1;
    double longest = 0, shortest = INFINITY, sum = 0;
    for (int k = 0; k < counted; k++) {
        double period = crossing[k] - crossing[k + 1];
        longest = fmax(longest, period);
        shortest = fmin(shortest, period);
        sum += period;
    }
    if (counted > 0) {
        found.period = sum / counted;
        found.spread = (longest - shortest) / found.period;
    }
    return found;
}

/* Coils of the probes of a scene whose names are given, read `rate` times a second. */
static void run_coils(OozeWorld *world, const char *const *names, int count, double seconds,
                      double rate, Coils *found)
{
    static double time[4][READINGS_MAX], turn[4][READINGS_MAX];
    int have[4] = {0}, readings = (int)round(seconds * rate);
    assert_true(readings <= READINGS_MAX && count <= 4);
    for (int i = 0; i < readings; i++) {
        advance(world, 1 / rate);
        for (int k = 0; k < count; k++) {
            double now = read_probe(world, find_probe(world, names[k]), 0);
            if (!isnan(now)) {
                time[k][have[k]] = (i + 1) / rate;
                turn[k][have[k]++] = now;
            }
        }
    }
    for (int k = 0; k < count; k++) {
        found[k] = have[k] > 1 ? find_coils(time[k], turn[k], have[k]) : (Coils){0, NAN, INFINITY};
        printf("  %s: %d turns, period %.3f s, spread %.3f\n", names[k], found[k].turns,
               found[k].period, found[k].spread);
    }
}

/* The viscous rope of figure 5 alone coils evenly, at the rate of the law of gravitational coiling:
   a quarter of (g Q^3/(nu a^8))^(1/4), with the constant that it has for other viscosities and
   speeds (tools/coiling_study.py). */
static void conformation_T91_rope(void **state)
{
    (void)state;
    static const char *const alone[] = {"emitters.nozzle1.speed=0", "emitters.nozzle2.speed=0",
                                        "emitters.nozzle3.speed=0"};
    static const char *const names[] = {"coil0"};
    Coils coils;
    OozeWorld *world = begin_scene(FOLDER, "coiling_bottom_small", alone, 3);
    run_coils(world, names, 1, 4.2, 60, &coils);
    ooze_world_destroy(world);
    MEASURED("turns", coils.turns, 8, 100);
    MEASURED("spread of the last eight periods", coils.spread, 0, 0.2);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T12_links),
                cmocka_unit_test(conformation_T10_velocity_only),
                cmocka_unit_test(conformation_T91_rope))
