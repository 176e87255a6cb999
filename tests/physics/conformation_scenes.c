/* Acceptance tests of scenes of the paper's figures 1, 8, 10 and 11: what a figure shows happens.
   Short versions run always, whole scenes in full sweeps. */
#include "physics/fixtures.h"

#define FOLDER "barreiro2017"

/* A value of a probe of the scene, measured now. */
static double probe_value(OozeWorld *world, const char *name, int column)
{
    OozeProbeId id = {0};
    CHECK_OK(ooze_world_find_probe(world, name, &id, &error));
    return read_probe(world, id, column);
}

static OozeWorld *begin(const char *name, const char *const *overrides, int count)
{
    return begin_scene(FOLDER, name, overrides, count);
}

/* ---- T100: the heap of figure 11 is the same at every spacing ----------------------------- */

typedef struct Heap {
    double height, spread, rise, worst_density;
} Heap;

static Heap pile_up(const char *spacing, double seconds)
{
    OozeWorld *world = begin("massive", &spacing, 1);
    Heap heap = {0};
    double start = probe_value(world, "height", 0);
    for (double t = 0.1; t < seconds + 0.05; t += 0.1) {
        advance(world, 0.1);
        heap.worst_density = fmax(heap.worst_density, probe_value(world, "density", 2));
    }
    heap.height = probe_value(world, "height", 0);
    heap.spread = probe_value(world, "spread", 0);
    printf("  %s: height %.4f m (at the start %.4f), spread %.4f m, worst density %.2f%%\n",
           spacing, heap.height, start, heap.spread, 100 * heap.worst_density);
    assert_true(heap.height < 0.6 * start); /* it has landed */
    ooze_world_destroy(world);
    return heap;
}

static void conformation_T100_heap(void **state)
{
    (void)state;
    /* Limbs are three particles thick at 0.06: coarser than any use of the scene. */
    double seconds = full_sweep() ? 2 : 0.6;
    Heap first = pile_up("spacing=0.06", seconds);
    Heap fine = pile_up(full_sweep() ? "spacing=0.04" : "spacing=0.05", seconds);
    MEASURED("height over that of the coarser", fine.height / first.height, 0.9, 1.1);
    MEASURED("spread over that of the coarser", fine.spread / first.spread, 0.9, 1.1);
    MEASURED("worst density beyond rest", fine.worst_density, 0, 0.03);
    /* Clay stands: water of this volume would be a film of 0.2 m by now. */
    MEASURED("height of the heap, m", first.height, 0.55, 1.0);
}

/* ---- T101: the thread of figure 10 hangs together ------------------------------------------ */

static void conformation_T101_thread(void **state)
{
    (void)state;
    OozeWorld *world = begin("hand_and_bowl_small", NULL, 0);
    double most = 0, turns = 0, cut = 3.5, end = full_sweep() ? 3.45 : 1.6;
    for (double t = 0.015; t < end; t += 0.015) {
        advance(world, 0.015);
        most = fmax(most, probe_value(world, "components", 0));
        double now = probe_value(world, "coil", 0);
        turns = isfinite(now) ? fmax(turns, fabs(now)) : turns;
    }
    MEASURED("pieces of the thread before the cut, at most", most, 1, 1);
    MEASURED("turns of the coil on the palm", turns, 1.5, INFINITY);
    if (full_sweep()) {
        advance(world, cut + 0.1 - end);
        MEASURED("pieces after the cut", probe_value(world, "components", 0), 2, 2);
        MEASURED("share of the larger one", probe_value(world, "components", 1), 0.4, 0.8);
    }
    ooze_world_destroy(world);
}

/* ---- T102: the ice cream of figure 8 stands on its cone, melts and runs down --------------- */

static void conformation_T102_ice_cream(void **state)
{
    (void)state;
    /* Less is poured than in the scene: for 1.2 s. It melts as fast. */
    static const char *const early[] = {"spacing=0.005", "emitters.dispenser.stop=1.2",
                                        "changes.0.time=1", "changes.1.time=1.4",
                                        "changes.2.time=2.15"};
    OozeWorld *world = begin("ice_cream_small", early, 5);
    double tip = 0.03, bottom_of_cup = 0.142;
    advance(world, 1.4);
    MEASURED("lowest point before it melts, m", probe_value(world, "lowest", 0), bottom_of_cup,
             0.16);
    MEASURED("pieces before it melts", probe_value(world, "components", 0), 1, 1);
    double top = probe_value(world, "height", 0);
    advance(world, 3.4);
    MEASURED("height after over before", probe_value(world, "height", 0) / top, 0, 0.9);
    MEASURED("lowest point after it has melted, m", probe_value(world, "lowest", 0), 0, tip);
    ooze_world_destroy(world);
}

/* ---- T103: the letters of figure 1 stay above the cream ------------------------------------- */

static void conformation_T103_letters(void **state)
{
    (void)state;
    /* It ends when the letters have come to rest, before anything is poured: the whole cake takes
       seven minutes of a core. */
    static const char *const early[] = {"emitters.star.start=10", "emitters.star.stop=11",
                                        "emitters.jug.start=10", "emitters.jug.stop=11"};
    OozeWorld *world = begin("cake_small", early, 4);
    const double cake = 0.08, layer = 0.015, d = 0.0035;
    double worst = 0;
    for (int k = 0; k < 2; k++) {
        advance(world, 0.1);
        worst = fmax(worst, probe_value(world, "density", 2));
    }
    double low = probe_value(world, "letters", 0), high = probe_value(world, "letters_top", 0);
    /* Letters that touch the cream or sink into it; centres of particles lie half a spacing above
       what they rest on. */
    KNOWN_GAP("lowest point of the letters above the cake, over the layer", (low - cake) / layer,
              0.3, 1 + 0.5 * d / layer, 1.33);
    MEASURED("highest point of the letters above the layer, m", high - cake - layer, 0.001, 0.02);
    MEASURED("worst density beyond rest", worst, 0, 0.03);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T100_heap),
                cmocka_unit_test(conformation_T101_thread),
                cmocka_unit_test(conformation_T102_ice_cream),
                cmocka_unit_test(conformation_T103_letters))
