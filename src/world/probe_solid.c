/* The probe of one solid: where it is, how it moves, and what the last step's particles gave it. */
#include <string.h>

#include "solids/dynamic.h"
#include "world/probe_kind.h"

static void put(double *values, OozeVec3 a)
{
    values[0] = a.x;
    values[1] = a.y;
    values[2] = a.z;
}

static int find(const OozeFrame *frame, const char *name)
{
    for (int i = 0; i < frame->solid_count; i++) {
        if (frame->solids[i].name && strcmp(frame->solids[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Of a dynamic solid the centre of mass is meant, of others the position; these have no
   momentum. */
OozeStatus ooze_probe_solid(const OozeProbeView *view, double *values, double *state,
                            OozeError *error)
{
    (void)state;
    (void)error;
    const OozeProbeContext *c = view->context;
    int i = find(c->frame, view->probe->def.solid);
    if (i < 0) {
        return OOZE_OK;
    }
    const OozePose *pose = &c->frame->solids[i].pose;
    const OozeSolid *solid = i < c->solid_count ? &c->solids[i] : NULL;
    bool heavy = solid && ooze_solid_is_dynamic(solid);
    OozeVec3 centre = heavy ? ooze_dynamic_centre(solid, pose) : pose->position;
    put(values, centre);
    put(values + 3, ooze_pose_velocity_at(pose, centre));
    put(values + 6, pose->spin);
    if (heavy) {
        put(values + 9, ooze_dynamic_momentum(solid, pose, pose->spin));
    }
    if (heavy && i < c->taken_count && c->report && c->time_step > 0.0) {
        put(values + 12, vec3_scale(c->taken[i].impulse, 1.0 / c->time_step));
        put(values + 15, vec3_scale(c->taken[i].moment, 1.0 / c->time_step));
    }
    return OOZE_OK;
}
