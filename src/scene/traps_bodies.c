/* Physics traps of solids that give way: those that start inside others, and those too light beside others. */
#include <math.h>

#include "base/memory.h"
#include "scene/scene.h"
#include "solids/feelers.h"
#include "world/world.h"

/* Of the smaller of two: overlaps and gaps that count. */
static const double OVERLAP = 0.005, TOUCH = 0.005;
static const double MASS_RATIO = 1e4;

static bool are_joined(const OozeWorld *world, int a, int b)
{
    for (int k = 0; k < world->joints.count; k++) {
        const OozeJoint *joint = &world->joints.items[k];
        if ((joint->solid == a && joint->other == b) || (joint->solid == b && joint->other == a)) {
            return true;
        }
    }
    return false;
}

static void check_pair(OozeScene *scene, const OozeWorld *world, const OozeFeelers *feelers, int a,
                       int b)
{
    const OozeSolid *p = &world->solids.items[a], *q = &world->solids.items[b];
    OozeTraveller of_p = {p->shape, &feelers[a], p->pose, p->pose};
    OozeTraveller of_q = {q->shape, &feelers[b], q->pose, q->pose};
    OozeMeeting meetings[OOZE_MEETINGS_MAX];
    double size = fmin(feelers[a].count ? feelers[a].reach : INFINITY,
                       feelers[b].count ? feelers[b].reach : INFINITY);
    int count = ooze_solids_meet(&of_p, &of_q, TOUCH * size, meetings);
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
    OozeFeelers *feelers = n > 0 ? ooze_alloc_zero((size_t)n, sizeof *feelers) : NULL;
    OozeStatus status =
        n > 0 && !feelers ? ooze_fail_memory(error, "solids that meet", 0) : OOZE_OK;
    for (; made < n && !status; made++) {
        status = ooze_feelers_create(world->solids.items[made].shape, &feelers[made], error);
    }
    for (int a = 0; a < n && !status; a++) {
        for (int b = a + 1; b < n; b++) {
            const OozeSolid *p = &world->solids.items[a], *q = &world->solids.items[b];
            bool meet = p->params[OOZE_SOLID_COLLIDES] != 0.0 &&
                        q->params[OOZE_SOLID_COLLIDES] != 0.0 && !are_joined(world, a, b);
            if (meet && (ooze_solid_is_dynamic(p) || ooze_solid_is_dynamic(q))) {
                check_pair(scene, world, feelers, a, b);
            }
        }
    }
    for (int i = 0; i < made; i++) {
        ooze_feelers_free(&feelers[i]);
    }
    ooze_free(feelers);
    return status;
}
