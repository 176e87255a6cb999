/* The probe of one solid: position, velocity, spin, angular momentum, and the load of particles. */
#include <string.h>

#include "solids/dynamic.h"
#include "world/probes/probe_kind.h"

static void put(double *values, OozeVec3 a)
{
    values[0] = a.x;
    values[1] = a.y;
    values[2] = a.z;
}

int ooze_probe_find_solid(const OozeFrame *frame, const char *name)
{
    for (int i = 0; i < frame->solid_count; i++) {
        if (frame->solids[i].name && strcmp(frame->solids[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The position is the centre of mass of a dynamic solid, and the pose's position of other solids,
   which have no momentum. */
OozeStatus ooze_probe_solid(const OozeProbeView *view, double *values, double *state,
                            OozeError *error)
{
    (void)state;
    (void)error;
    const OozeProbeContext *c = view->context;
    int i = ooze_probe_find_solid(c->frame, view->probe->def.solid);
    if (i < 0) {
        return OOZE_OK;
    }
    const OozeSolidPose *view_pose = &c->frame->solids[i].pose;
    const OozePose pose = ooze_pose_from_public(view_pose);
    const OozeSolid *solid = i < c->solid_count ? &c->solids[i] : NULL;
    bool dynamic = solid && ooze_solid_is_dynamic(solid);
    OozeVec3 centre = dynamic ? ooze_dynamic_centre(solid, &pose) : pose.position;
    put(values, centre);
    put(values + 3, ooze_pose_velocity_at(&pose, centre));
    put(values + 6, view_pose->spin);
    if (dynamic) {
        put(values + 9, ooze_dynamic_momentum(solid, &pose, pose.spin));
    }
    if (dynamic && i < c->load_count && c->report && c->time_step > 0.0) {
        put(values + 12, vec3_scale(c->loads[i].impulse, 1.0 / c->time_step));
        put(values + 15, vec3_scale(c->loads[i].moment, 1.0 / c->time_step));
    }
    return OOZE_OK;
}
