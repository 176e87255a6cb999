/* Acceptance tests of the links method at solids: stacking, a turning bar, a thread and a sheet
   that fold. */
#include "physics/links_fixtures.h"

#include "physics/formula.h"
#include "world/world.h"

#define FOLDER "takahashi2014"

static const double dx = 0.02;

static OozeWorld *links_world(double time_step)
{
    return make_world(
        (Setup){.method = "links", .spacing = dx, .time_step = time_step, .gravity = down()});
}

/* ---- a dam break in a box --------------------------------------------------------------- */

/* Particles a cubic spacing among the floor and inside, `margin` away from the sides; and within
   0.6 spacings of the upright edges, over one row of particles a spacing apart. */
typedef struct Stack {
    double floor, inside, edges;
} Stack;

static Stack break_dam(bool boundary)
{
    const int wide = 18, deep = 10;
    OozeWorld *world = links_world(2e-3);
    set_param(world, "walls", boundary ? 0 : 2);
    set_param(world, "contact_distance", boundary ? 0.25 : 0.5);
    set_param(world, "link_strength", 0);
    OozeMaterialId water = add_linked(world, 1.05, NAN, false);
    double x1 = wide * dx, z1 = deep * dx;
    add_side(world, vec3(0, 0, 0), vec3(0, 1, 0));
    add_side(world, vec3(0, 0, 0), vec3(1, 0, 0));
    add_side(world, vec3(x1, 0, 0), vec3(-1, 0, 0));
    add_side(world, vec3(0, 0, 0), vec3(0, 0, 1));
    add_side(world, vec3(0, 0, z1), vec3(0, 0, -1));
    add_lattice(world, (Lattice){.material = water, .n = {10, 25, deep}, .spacing = dx});
    advance(world, 0.9);
    Stack stack = {0, 0, 0};
    int samples = 6;
    const double margin = 2 * dx, edge = 0.6 * dx;
    double area = (x1 - 2 * margin) * (z1 - 2 * margin);
    for (int k = 0; k < samples; k++) {
        advance(world, 0.02);
        const OozeFrame *frame = ooze_world_frame(world);
        const OozeFieldView *x = ooze_frame_field(frame, "position");
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            OozeVec3 p = read_vector(x, i);
            double to_x = fmin(p.x, x1 - p.x), to_z = fmin(p.z, z1 - p.z);
            bool away = to_x > margin && to_z > margin;
            stack.floor += away && p.y < dx;
            stack.inside += away && p.y >= 3 * dx && p.y < 6 * dx;
            stack.edges += to_x < edge && to_z < edge && p.y >= 3 * dx && p.y < 6 * dx;
        }
    }
    take_census(world);
    stack.floor *= dx * dx / (area * samples);
    stack.inside *= dx * dx / (3 * area * samples);
    stack.edges /= 3 * 4 * samples;
    printf("  %s: a cubic spacing of floor %.3f, inside %.3f; a spacing of upright edge %.3f\n",
           boundary ? "boundary particles" : "distance alone", stack.floor, stack.inside,
           stack.edges);
    ooze_world_destroy(world);
    return stack;
}

/* With boundary particles fluid is as dense at walls as inside, within 10%; without them it stacks
   there, more than 25% denser. Along upright edges, where two walls meet, a row is more crowded
   than the fluid with boundary particles too. */
static void links_T05_stacking(void **state)
{
    (void)state;
    Stack with = break_dam(true), without = break_dam(false);
    MEASURED("floor layer over inside, boundary particles", with.floor / with.inside, 0.9, 1.1);
    MEASURED("floor layer over inside, distance alone", without.floor / without.inside, 1.25, 10);
    KNOWN_GAP("upright edges over a row, boundary particles", with.edges, 0.9, 1.1, 1.28);
    MEASURED("upright edges over a row, distance alone", without.edges, 1.25, 10);
    MEASURED("excess in the edges, boundary particles over distance alone",
             (with.edges - 1) / (without.edges - 1), 0, 0.5);
}

/* ---- a lump on a turning bar ------------------------------------------------------------ */

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Pieces of at least 30 particles that hang together within a distance, of what is above the floor.
   */
static int count_pieces(OozeWorld *world, double reach, double above)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    int n = (int)frame->particle_count, pieces = 0;
    int *parent = calloc((size_t)n, sizeof *parent), *size = calloc((size_t)n, sizeof *size);
    assert_true(parent && size);
    for (int i = 0; i < n; i++) {
        parent[i] = i;
        OozeVec3 a = read_vector(x, (uint64_t)i);
        for (int j = 0; j < i && a.y > above; j++) {
            OozeVec3 b = read_vector(x, (uint64_t)j);
            if (b.y > above && vec3_length(vec3_sub(a, b)) < reach) {
                parent[find_root(parent, i)] = find_root(parent, j);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        size[find_root(parent, i)]++;
    }
    for (int i = 0; i < n; i++) {
        pieces += size[i] >= 30;
    }
    free(parent);
    free(size);
    return pieces;
}

/* How deep the deepest particle is in the bar, in spacings: negative outside. */
static double deepest(OozeWorld *world, const OozeSolid *bar)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double worst = -INFINITY;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 normal;
        double d = ooze_solid_distance(bar, read_vector(x, i), &normal);
        worst = fmax(worst, -d / dx);
    }
    return worst;
}

static void links_T15_turning_bar(void **state)
{
    (void)state;
    OozeWorld *world = links_world(1e-3);
    OozeMaterialId lump = add_linked(world, 1.01, NAN, false);
    add_floor(world, INFINITY);
    OozeSolidDef bar = ooze_solid_def_default();
    OozeSolidId id = {0};
    bar.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    bar.shape.size = vec3(6 * dx, 6 * dx, 30 * dx);
    bar.shape.position = vec3(0, 40 * dx, 0);
    bar.motion.spin = ooze_vec3_degrees(vec3(0, 0, 2));
    bar.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &bar, &id, &error));
    add_ball(world, (Ball){lump, 5.5 * dx, dx, vec3(0, 54 * dx, 0), 0});
    bool split = false;
    double inside = -INFINITY, spin = 0;
    for (int k = 0; k < 90 && !split; k++) {
        advance(world, 0.01);
        inside = fmax(inside, deepest(world, &world->solids.items[id.index]));
        spin = fmax(spin, fabs(take_census(world).spin.z / take_census(world).mass));
        split = world->time > 0.2 && count_pieces(world, 1.5 * dx, 2 * dx) == 2;
    }
    printf("  in two after %.2f s\n", world->time);
    MEASURED("pieces above the floor", split ? 2 : 1, 2, 2);
    MEASURED("angular momentum of the fluid about its centre, m2/s", spin, 1e-3, 10);
    MEASURED("deepest in the bar, in spacings", inside, -10, 0);
    ooze_world_destroy(world);
}

/* ---- what is poured folds --------------------------------------------------------------- */

/* Mean place of what is between two heights and, along z, two planes; false where that is next to
   nothing. */
static bool slice_centre(OozeWorld *world, double low, double high, double z0, double z1,
                         OozeVec3 *centre)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double n = 0;
    *centre = vec3(0, 0, 0);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = read_vector(x, i);
        if (p.y > low && p.y < high && p.z >= z0 && p.z < z1) {
            *centre = vec3_add(*centre, p);
            n++;
        }
    }
    *centre = vec3_scale(*centre, n > 0 ? 1 / n : 0);
    return n >= 5;
}

/* Figure 7: the thread goes round where it lands. Angles are added up with their signs, so that
   turning back counts against turning on. */
static double turns_of_thread(const char *spacing)
{
    OozeWorld *world = begin_scene(FOLDER, "thread_coiling", &spacing, 1);
    advance(world, 0.6); /* it has landed */
    double turned = 0, last = NAN;
    while (world->time < 3.4) {
        OozeVec3 at;
        advance(world, 0.02);
        if (slice_centre(world, 0.03, 0.045, -1, 1, &at)) {
            double angle = atan2(at.z, at.x);
            turned += isnan(last) ? 0 : remainder(angle - last, 2 * OOZE_PI);
            last = angle;
        }
    }
    Census end = take_census(world);
    printf("  %s: %llu particles\n", spacing, (unsigned long long)end.count);
    ooze_world_destroy(world);
    return fabs(turned) / (2 * OOZE_PI);
}

/* Coarser than the scene, for time. */
static void links_T16_coil(void **state)
{
    (void)state;
    MEASURED("turns in all, back counts against forth", turns_of_thread("spacing=0.005"), 2, 20);
    if (full_sweep()) {
        MEASURED("turns in all, at a spacing of 4 mm", turns_of_thread("spacing=0.004"), 2, 20);
    }
}

enum { PARTS = 3, SAMPLES = 120 };

/* Changes of side of the mean of `n` places, and the share of the motion that is the same in all
   parts. */
static int changes_of_side(int n, double x[PARTS][SAMPLES], double *coherence)
{
    int changes = 0;
    double sign = 0, together = 0, alone = 0;
    for (int k = 0; k < n; k++) {
        double mean = 0;
        for (int p = 0; p < PARTS; p++) {
            mean += x[p][k] / PARTS;
            alone += x[p][k] * x[p][k] / PARTS;
        }
        together += mean * mean;
        double now = fabs(mean) > 0.002 ? copysign(1, mean) : sign; /* 0.4 spacings */
        changes += sign != 0 && now != sign;
        sign = now;
    }
    *coherence = together / alone;
    return changes;
}

/* Figure 8 at twice the spacing: a sheet 15 mm thick folds to and fro, all of its width together.
   */
static void links_T16_sheet(void **state)
{
    (void)state;
    const double wide = 0.075;
    OozeWorld *world = begin_scene(FOLDER, "sheet_buckling_small", NULL, 0);
    advance(world, 0.35); /* it is about to land */
    double x[PARTS][SAMPLES] = {{0}}, coherence;
    int n = 0;
    for (int k = 0; k < SAMPLES; k++) {
        advance(world, 0.0125);
        bool all = true;
        for (int p = 0; p < PARTS; p++) {
            OozeVec3 at;
            double from = -0.5 * wide + p * wide / PARTS;
            all = slice_centre(world, 0.03, 0.045, from, from + wide / PARTS, &at) && all;
            x[p][n] = at.x;
        }
        n += all;
    }
    int changes = changes_of_side(n, x, &coherence);
    Census end = take_census(world);
    printf("  %llu particles, x %g to %g, z %g to %g\n", (unsigned long long)end.count, end.low.x,
           end.high.x, end.low.z, end.high.z);
    MEASURED("changes of side", changes, 3, 100);
    MEASURED("share of the motion that is the same along the sheet", coherence, 0.8, 1);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(links_T05_stacking), cmocka_unit_test(links_T15_turning_bar),
                cmocka_unit_test(links_T16_coil), cmocka_unit_test(links_T16_sheet))
