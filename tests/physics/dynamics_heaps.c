/* Acceptance tests of rigid bodies: heaps of many contacts, which the iterative solver settles. */
#include <pthread.h>

#include "physics/dynamics_fixtures.h"

#include "base/hash.h"
#include "solids/manifold.h"

enum { BOXES = 30, SIDE = 3 };

/* Boxes of three densities and four heights, turned at random, fall in layers into a pit; at the
   start their diagonals are shorter than the distance between them. */
static OozeWorld *heap(void)
{
    OozeWorld *world = bodies_world(1.0 / 240.0, vec3(0, -9.81, 0));
    OozeSolidDef pit = body_def(OOZE_SHAPE_BOX, 0.0);
    world->def.max_travel = 0.0;
    pit.shape.size = vec3(0.4 * SIDE, 40, 0.4 * SIDE);
    pit.shape.position.y = 20.0;
    pit.shape.inverted = true;
    add_body(world, pit);
    for (int k = 0; k < BOXES; k++) {
        uint64_t n = (uint64_t)k;
        OozeSolidDef box = body_def(OOZE_SHAPE_BOX, 500.0 + 500.0 * (k % 3));
        OozeVec3 turn =
            vec3(ooze_random01(1, n, 0), ooze_random01(1, n, 1), ooze_random01(1, n, 2));
        box.shape.size = vec3(0.2, 0.15 + 0.02 * (k % 4), 0.24);
        box.shape.position = vec3(0.38 * (k % SIDE - 1), 0.38 * (k / (SIDE * SIDE) + 0.6),
                                  0.38 * (k / SIDE % SIDE - 1));
        box.shape.rotation = quat_from_vector(vec3_scale(turn, 3.0));
        box.motion.velocity = vec3(0, -5, 0);
        add_body(world, box);
    }
    world->exact_contacts_max = ITERATIVE;
    return world;
}

static double kinetic_energy(const OozeWorld *world)
{
    double sum = 0.0;
    for (int i = 1; i <= BOXES; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        OozeVec3 v = ooze_dynamic_velocity(solid, &solid->pose);
        sum += 0.5 * solid->mass.mass * vec3_dot(v, v) +
               0.5 * vec3_dot(solid->pose.spin, spin_momentum(world, i));
    }
    return sum;
}

/* Of any two, and of a box and the pit, m. */
static double deepest_overlap(const OozeWorld *world)
{
    OozePointShell shells[BOXES + 1];
    OozeManifoldPoint points[OOZE_MANIFOLD_POINTS_MAX];
    double most = 0.0;
    for (int a = 0; a <= BOXES; a++) {
        const OozeSolid *p = &world->solids.items[a];
        CHECK_OK(ooze_point_shell_create(p->shape, &shells[a], &error));
        for (int b = 0; b < a; b++) {
            const OozeSolid *q = &world->solids.items[b];
            OozeSweptSolid first = ooze_swept_solid(p->shape, &shells[a], &p->pose, &p->pose);
            OozeSweptSolid second = ooze_swept_solid(q->shape, &shells[b], &q->pose, &q->pose);
            int count = ooze_contact_manifold(&first, &second, 1e-3, points);
            for (int k = 0; k < count; k++) {
                most = fmax(most, -points[k].gap);
            }
        }
    }
    for (int a = 0; a <= BOXES; a++) {
        ooze_point_shell_free(&shells[a]);
    }
    return most;
}

/* Steps until 200 kg, which fall with 3 kJ, have had less than 0.01 J for a second. */
static int steps_to_rest(OozeWorld *world, int steps_max)
{
    int steps = 0;
    for (int quiet = 0; quiet < 240 && steps < steps_max; steps++) {
        run_steps(world, 1);
        quiet = kinetic_energy(world) < 1e-2 ? quiet + 1 : 0;
    }
    return steps;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One box may lean so that it slips later; the others stay. In twelve such heaps the median drift
   is 2e-6 to 7e-5 m, the largest 2e-5 to 1e-2 m, the overlap 8e-5 to 2e-4 m. */
static void dynamics_T17_heap(void **state)
{
    (void)state;
    OozeWorld *world = heap();
    OozeVec3 from[BOXES];
    double drift[BOXES], top = 0.0;
    MEASURED("steps to rest", steps_to_rest(world, 2400), 240, 2399);
    MEASURED("deepest overlap, m", deepest_overlap(world), 0.0, 1e-3);
    for (int k = 0; k < BOXES; k++) {
        from[k] = pose_of(world, k + 1)->position;
        top = fmax(top, from[k].y);
    }
    MEASURED("height of the topmost centre, m", top, 0.4, 1.0);
    run_steps(world, 240);
    for (int k = 0; k < BOXES; k++) {
        drift[k] = vec3_length(vec3_sub(pose_of(world, k + 1)->position, from[k]));
    }
    qsort(drift, BOXES, sizeof *drift, ascending);
    MEASURED("median drift in a second, m", drift[BOXES / 2], 0.0, 2e-4);
    MEASURED("largest drift in a second, m", drift[BOXES - 1], 0.0, 0.05);
    ooze_world_destroy(world);
}

static uint64_t run_heap(int steps, int resume_at)
{
    OozeWorld *world = heap();
    run_steps(world, resume_at);
    if (resume_at) {
        OozeWorld *other = heap();
        CHECK_OK(ooze_world_restore(other, ooze_world_frame(world), &error));
        ooze_world_destroy(world);
        world = other;
    }
    run_steps(world, steps - resume_at);
    uint64_t hash = ooze_frame_hash(ooze_world_frame(world));
    ooze_world_destroy(world);
    return hash;
}

enum { REPEATED_STEPS = 150 };

static void *run_beside(void *hash)
{
    *(uint64_t *)hash = run_heap(REPEATED_STEPS, 0);
    return NULL;
}

/* ODE's random numbers belong to the whole process: another world uses them at the same time. */
static void dynamics_T18_heap_repeats(void **state)
{
    (void)state;
    uint64_t hash[2];
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, run_beside, &hash[1]), 0);
    hash[0] = run_heap(REPEATED_STEPS, 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    uint64_t resumed = run_heap(REPEATED_STEPS, 101);
    MEASURED("runs with other bits", (hash[1] != hash[0]) + (resumed != hash[0]), 0, 0);
}

ACCEPTANCE_MAIN(cmocka_unit_test(dynamics_T17_heap), cmocka_unit_test(dynamics_T18_heap_repeats))
