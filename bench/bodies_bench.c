/* Dynamic solids in contact: processor time of a step with ODE's exact and its iterative solver.

   Heaps: boxes fall into a pit and come to rest; both solvers then continue from the same state.
   Columns: where the exact solver stops being the faster one.

     bodies_bench [bodies in a heap...] */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "base/vec3.h"
#include "ooze/ooze.h"
#include "world/world.h"

static void require(OozeStatus status, const OozeError *error)
{
    if (status) {
        fprintf(stderr, "%s (%s)\n", error->message, error->hint);
        exit(1);
    }
}

static OozeWorld *make_world(void)
{
    OozeError error = {0};
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    def.spacing = 0.05;
    def.time_step = 1.0 / 240.0;
    def.threads = 1;
    def.max_travel = 0.0;
    require(ooze_world_create(&def, &world, &error), &error);
    return world;
}

static void add_solid(OozeWorld *world, OozeSolidDef def)
{
    OozeError error = {0};
    require(ooze_world_add_solid(world, &def, NULL, &error), &error);
}

static OozeSolidDef box_def(OozeVec3 size, OozeVec3 position, double density)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.friction = 0.5;
    def.name = "box";
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    def.shape.position = position;
    def.density = density;
    return def;
}

/* Boxes of three densities and four heights, turned at random, in layers over a pit; their
   diagonals are shorter than the distance between them. */
static OozeWorld *make_heap(int count)
{
    const double apart = 0.38;
    OozeWorld *world = make_world();
    int side = (int)lround(cbrt(count / 4.0));
    double width = 0.4 * side;
    OozeSolidDef pit = box_def(vec3(width, 40, width), vec3(0, 20, 0), 0.0);
    pit.shape.inverted = true;
    add_solid(world, pit);
    for (int k = 0; k < count; k++) {
        uint64_t n = (uint64_t)k;
        OozeVec3 at = vec3(k % side - 0.5 * (side - 1), k / (side * side) + 0.6,
                           k / side % side - 0.5 * (side - 1));
        OozeVec3 turn =
            vec3(ooze_random01(1, n, 0), ooze_random01(1, n, 1), ooze_random01(1, n, 2));
        OozeSolidDef box = box_def(vec3(0.2, 0.15 + 0.02 * (k % 4), 0.24), vec3_scale(at, apart),
                                   500.0 + 500.0 * (k % 3));
        box.shape.rotation = quat_from_vector(vec3_scale(turn, 3.0));
        box.motion.velocity = vec3(0, -5, 0);
        add_solid(world, box);
    }
    return world;
}

static OozeWorld *make_column(int count)
{
    OozeWorld *world = make_world();
    OozeSolidDef floor = ooze_solid_def_default();
    floor.friction = 0.5;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    add_solid(world, floor);
    for (int k = 0; k < count; k++) {
        add_solid(world, box_def(vec3(0.2, 0.2, 0.2), vec3(0, 0.1 + 0.2 * k, 0), 1000.0));
    }
    return world;
}

/* Processor time, since other programs may run. */
static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double step_ms(OozeWorld *world, int count, int exact_contacts_max)
{
    OozeError error = {0};
    world->exact_contacts_max = exact_contacts_max;
    double begin = milliseconds();
    for (int i = 0; i < count; i++) {
        require(ooze_world_step(world, &error), &error);
    }
    return (milliseconds() - begin) / count;
}

static void measure_heap(int count)
{
    OozeWorld *world = make_heap(count);
    int few = count > 50 ? 1 : 20; /* the exact solver takes seconds */
    double fall = step_ms(world, 720, 40), rest = step_ms(world, 100, 40);
    double exact = step_ms(world, few, INT_MAX);
    printf("%6d bodies %10.3f %10.3f %10.1f %10.1f\n", count, fall, rest, exact, exact / rest);
    ooze_world_destroy(world);
}

static void measure_column(int count)
{
    OozeWorld *world = make_column(count);
    (void)step_ms(world, 20, INT_MAX);
    double exact = step_ms(world, 100, INT_MAX), iterative = step_ms(world, 100, 0);
    printf("%6d contacts %8.3f %10.3f %10.2f\n", 4 * count, iterative, exact, exact / iterative);
    ooze_world_destroy(world);
}

int main(int argc, char **argv)
{
    printf("ms a step        falling    at rest      exact      ratio\n");
    for (int k = 1; k < argc; k++) {
        measure_heap(atoi(argv[k]));
    }
    if (argc < 2) {
        measure_heap(30);
        measure_heap(100);
    }
    printf("ms a step      iterative      exact      ratio\n");
    for (int count = 2; count <= 16; count += 2) {
        measure_column(count);
    }
    return 0;
}
