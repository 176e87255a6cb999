/* Warnings of dynamic solids: initial overlaps, contacts of very different masses. */
#include <math.h>

#include "base/memory.h"
#include "scene/scene.h"
#include "solids/manifold.h"
#include "world/world.h"

/* Smallest overlap and largest gap that are considered, relative to the smaller solid. */
static const double OVERLAP = 0.005, TOUCH = 0.005;
static const double MASS_RATIO = 1e4;

static void check_pair(OozeScene *scene, const OozeWorld *world, const OozePointShell *shells,
                       int a, int b)
{
    const OozeSolid *p = &world->solids.items[a], *q = &world->solids.items[b];
    OozeSweptSolid of_p = ooze_swept_solid(p->shape, &shells[a], &p->pose, &p->pose);
    OozeSweptSolid of_q = ooze_swept_solid(q->shape, &shells[b], &q->pose, &q->pose);
    OozeManifoldPoint meetings[OOZE_MANIFOLD_POINTS_MAX];
    double size = ooze_point_shell_smaller(&shells[a], &shells[b]);
    int count = ooze_contact_manifold(&of_p, &of_q, TOUCH * size, meetings);
    double gap = INFINITY;
    for (int k = 0; k < count; k++) {
        gap = fmin(gap, meetings[k].gap);
    }
    const OozeNode *at = ooze_scene_item_node(scene, "solids", b);
    if (gap < -OVERLAP * size) {
        ooze_scene_warn(scene, at, "move one of them, or join them",
                        "solids '%s' and '%s' start %.2g m inside each other, and will be pushed "
                        "apart",
                        p->name, q->name, -gap);
    }
    double ratio = p->mass.mass > 0.0 && q->mass.mass > 0.0
                       ? fmax(p->mass.mass / q->mass.mass, q->mass.mass / p->mass.mass)
                       : 1.0;
    if (count > 0 && ratio > MASS_RATIO) {
        ooze_scene_warn(scene, at, "make the lighter one denser or larger",
                        "solids '%s' and '%s' touch and weigh %.3g kg and %.3g kg: contacts of "
                        "masses so unlike are poorly solved",
                        p->name, q->name, p->mass.mass, q->mass.mass);
    }
}

OozeStatus ooze_scene_check_bodies(OozeScene *scene, const OozeWorld *world, OozeError *error)
{
    int n = world->dynamic_count > 0 ? world->solids.count : 0, made = 0;
    OozeStatus joints = ooze_scene_check_joints(scene, world, error);
    if (joints) {
        return joints;
    }
    OozePointShell *shells = n > 0 ? ooze_alloc_zero((size_t)n, sizeof *shells) : NULL;
    OozeStatus status = n > 0 && !shells ? ooze_fail_memory(error, "solids that meet", 0) : OOZE_OK;
    for (; made < n && !status; made++) {
        status = ooze_point_shell_create(world->solids.items[made].shape, &shells[made], error);
    }
    for (int a = 0; a < n && !status; a++) {
        for (int b = a + 1; b < n; b++) {
            if (ooze_solids_collide(world->solids.items, a, b, world->joints.items,
                                    world->joints.count)) {
                check_pair(scene, world, shells, a, b);
            }
        }
    }
    for (int i = 0; i < made; i++) {
        ooze_point_shell_free(&shells[i]);
    }
    ooze_free(shells);
    return status;
}
