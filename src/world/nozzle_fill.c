/* A nozzle starts full, but not where something is: what it would put on top of other particles is
   not given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "world/world.h"

/* Spacings between two particles below which one is on top of the other; in a layer they are
   farther apart. */
static const float NEAR = 0.8f;

/* What the nozzle would give, and what is near it. */
typedef struct Scene {
    const OozePeriodic *periodic;
    float low[3], high[3]; /* around all that may be too near */
    OozeFloat4 *near;      /* by x */
    uint64_t count;
} Scene;

/* The image of a coordinate that is nearest to the middle of the box. */
static float image(const Scene *scene, float x, int axis)
{
    float length = scene->periodic->length[axis];
    float middle = 0.5f * (scene->low[axis] + scene->high[axis]);
    return length > 0.0f ? x - length * rintf((x - middle) / length) : x;
}

static bool is_near(const Scene *scene, OozeFloat4 *x)
{
    *x = (OozeFloat4){image(scene, x->x, 0), image(scene, x->y, 1), image(scene, x->z, 2), 0};
    return x->x >= scene->low[0] && x->x <= scene->high[0] && x->y >= scene->low[1] &&
           x->y <= scene->high[1] && x->z >= scene->low[2] && x->z <= scene->high[2];
}

static void bound(Scene *scene, const OozeFloat4 *x, uint64_t n, float reach)
{
    for (int axis = 0; axis < 3; axis++) {
        scene->low[axis] = INFINITY;
        scene->high[axis] = -INFINITY;
        for (uint64_t i = 0; i < n; i++) {
            float at = axis == 0 ? x[i].x : axis == 1 ? x[i].y : x[i].z;
            scene->low[axis] = fminf(scene->low[axis], at - reach);
            scene->high[axis] = fmaxf(scene->high[axis], at + reach);
        }
    }
}

/* Those of n points that are near: counted, or also kept where there is room for them. */
static uint64_t gather(const Scene *scene, const OozeFloat4 *points, uint64_t n, OozeFloat4 *room)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) {
        OozeFloat4 x = points[i];
        if (is_near(scene, &x)) {
            if (room) {
                room[found] = x;
            }
            found++;
        }
    }
    return found;
}

static int by_x(const void *a, const void *b)
{
    float x = ((const OozeFloat4 *)a)->x, y = ((const OozeFloat4 *)b)->x;
    return (x > y) - (x < y);
}

static bool is_taken(const Scene *scene, OozeFloat4 x, float reach)
{
    uint64_t begin = 0, end = scene->count;
    while (begin < end) { /* to the first that may be near enough */
        uint64_t middle = begin + (end - begin) / 2;
        if (scene->near[middle].x < x.x - reach) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    bool taken = false;
    for (uint64_t i = begin; i < scene->count && scene->near[i].x <= x.x + reach && !taken; i++) {
        float a = scene->near[i].x - x.x, b = scene->near[i].y - x.y, c = scene->near[i].z - x.z;
        taken = a * a + b * b + c * c < reach * reach;
    }
    return taken;
}

static OozeStatus remove_taken(OozeWorld *world, Scene *scene, OozeParticles *arrivals,
                               uint64_t first, float reach, uint64_t *removed, OozeError *error)
{
    uint64_t n = ooze_particles_count(arrivals);
    uint8_t *remove = ooze_alloc_zero(n, 1);
    if (!remove) {
        return ooze_fail_memory(error, "the start of a nozzle", n);
    }
    qsort(scene->near, scene->count, sizeof *scene->near, by_x);
    const OozeFloat4 *x = ooze_particles_positions(arrivals);
    for (uint64_t i = first; i < n; i++) {
        remove[i] = is_taken(scene, x[i], reach);
    }
    OozeStatus status = ooze_particles_remove(arrivals, world->threads, remove, removed, error);
    ooze_free(remove);
    return status;
}

OozeStatus ooze_world_thin_fill(OozeWorld *world, OozeParticles *arrivals, uint64_t first,
                                uint64_t *removed, OozeError *error)
{
    Scene scene = {.periodic = &world->periodic};
    const OozeFloat4 *new = ooze_particles_positions(arrivals);
    const OozeFloat4 *old = ooze_particles_positions(world->particles);
    uint64_t elsewhere = ooze_particles_count(world->particles);
    float reach = NEAR * (float)world->def.spacing;
    *removed = 0;
    bound(&scene, new + first, ooze_particles_count(arrivals) - first, reach);
    scene.count = gather(&scene, new, first, NULL) + gather(&scene, old, elsewhere, NULL);
    if (scene.count == 0) {
        return OOZE_OK;
    }
    scene.near = ooze_alloc(scene.count, sizeof *scene.near);
    if (!scene.near) {
        return ooze_fail_memory(error, "the start of a nozzle", scene.count * sizeof *scene.near);
    }
    uint64_t mine = gather(&scene, new, first, scene.near);
    gather(&scene, old, elsewhere, scene.near + mine);
    OozeStatus status = remove_taken(world, &scene, arrivals, first, reach, removed, error);
    ooze_free(scene.near);
    return status;
}
