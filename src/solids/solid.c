#include "solids/solid.h"

#include <string.h>

#include "base/color.h"
#include "base/fail.h"
#include "base/memory.h"
#include "solids/dynamic.h"
#include "solids/mass.h"
#include "solids/shape_formula.h"

OozeSolidDef ooze_solid_def_default(void)
{
    OozeSolidDef def;
    memset(&def, 0, sizeof def);
    def.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    def.motion = ooze_motion_def_default();
    def.friction = NAN;
    def.collides = true;
    def.sampled = true;
    def.visible = true;
    def.temperature = NAN;
    def.conductivity = NAN;
    def.contact_angle = NAN;
    def.look = ooze_look_def_default();
    def.color[0] = def.color[1] = def.color[2] = 0.6f;
    return def;
}

static OozeStatus check_param(OozeSolidParam param, OozeError *error)
{
    if ((unsigned)param < OOZE_SOLID_PARAM_COUNT) {
        return OOZE_OK;
    }
    return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of the OozeSolidParam names",
                     "there is no solid parameter %d", (int)param);
}

OozeStatus ooze_solid_get(const OozeSolid *solid, OozeSolidParam param, double *value,
                          OozeError *error)
{
    OozeStatus status = check_param(param, error);
    if (!status) {
        *value = solid->params[param];
    }
    return status;
}

OozeStatus ooze_solid_set(OozeSolid *solid, OozeSolidParam param, double value, OozeError *error)
{
    static const struct {
        const char *name;
        double min, max;
        bool optional; /* may be NAN: not given */
    } rows[OOZE_SOLID_PARAM_COUNT] = {
        [OOZE_SOLID_FRICTION] = {"friction", 0.0, INFINITY, true},
        [OOZE_SOLID_RESTITUTION] = {"restitution", 0.0, 1.0, false},
        [OOZE_SOLID_STICK_DISTANCE] = {"stick_distance", 0.0, 1e6, false},
        [OOZE_SOLID_STICK_STRENGTH] = {"stick_strength", 0.0, 1e12, false},
        [OOZE_SOLID_COLLIDES] = {"collides", 0.0, 1.0, false},
        [OOZE_SOLID_TEMPERATURE] = {"temperature", -1e6, 1e6, true},
        [OOZE_SOLID_CONDUCTIVITY] = {"conductivity", 0.0, 1e9, true},
        [OOZE_SOLID_CONTACT_ANGLE] = {"contact_angle", 0.0, 180.0, true},
    };
    OozeStatus status = check_param(param, error);
    if (status) {
        return status;
    }
    bool half = param == OOZE_SOLID_COLLIDES && value != 0.0 && value != 1.0;
    bool left_out = rows[param].optional && isnan(value);
    if ((!(value >= rows[param].min && value <= rows[param].max) && !left_out) || half) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "see OozeSolidDef for what it means",
                         "%s of solid '%s' is %g; it must be %s %g %s %g", rows[param].name,
                         solid->name, value, half ? "either" : "between", rows[param].min,
                         half ? "or" : "and", rows[param].max);
    }
    solid->params[param] = value;
    return OOZE_OK;
}

static OozeStatus set_params(OozeSolid *solid, const OozeSolidDef *def, OozeError *error)
{
    const double values[OOZE_SOLID_PARAM_COUNT] = {
        [OOZE_SOLID_FRICTION] = def->friction,
        [OOZE_SOLID_RESTITUTION] = def->restitution,
        [OOZE_SOLID_STICK_DISTANCE] = def->stick_distance,
        [OOZE_SOLID_STICK_STRENGTH] = def->stick_strength,
        [OOZE_SOLID_COLLIDES] = def->collides ? 1.0 : 0.0,
        [OOZE_SOLID_TEMPERATURE] = def->temperature,
        [OOZE_SOLID_CONDUCTIVITY] = def->conductivity,
        [OOZE_SOLID_CONTACT_ANGLE] = def->contact_angle,
    };
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < OOZE_SOLID_PARAM_COUNT && !status; i++) {
        status = ooze_solid_set(solid, (OozeSolidParam)i, values[i], error);
    }
    return status;
}

/* The motion of a dynamic solid gives its initial velocity and spin only. */
static OozeStatus check_start(const OozeSolidDef *def, const char *name, OozeError *error)
{
    const OozeMotionDef *motion = &def->motion, still = ooze_motion_def_default();
    const char *what = motion->keyframe_count > 0                  ? "keyframes"
                       : vec3_length(motion->sine_amplitude) > 0.0 ? "a sine"
                       : motion->start != still.start              ? "a start"
                       : motion->stop != still.stop                ? "a stop"
                       : motion->ramp_time != still.ramp_time      ? "a ramp time"
                                                                   : NULL;
    return what ? ooze_fail(error, OOZE_ERROR_ARGUMENT,
                            "leave out its density, or all of its motion but velocity and spin",
                            "solid '%s' has a density, so that its motion only says how it starts, "
                            "but the motion has %s",
                            name, what)
                : OOZE_OK;
}

OozeStatus ooze_solid_create(OozeSolid *solid, const OozeSolidDef *def, OozeAxis up, double spacing,
                             OozeThreads *threads, OozeError *error)
{
    memset(solid, 0, sizeof *solid);
    const char *name = def->name ? def->name : "";
    solid->name = ooze_copy_text(name);
    if (!solid->name) {
        return ooze_fail_memory(error, "a solid's name", strlen(name) + 1);
    }
    OozeStatus status = set_params(solid, def, error);
    if (!status && !ooze_color_is_valid(def->color)) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "linear RGB, each 0 to 1",
                           "the colour of solid '%s' is (%g, %g, %g)", name, (double)def->color[0],
                           (double)def->color[1], (double)def->color[2]);
    }
    if (!status && !vec3_is_finite(def->shape.position)) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                           "the position of solid '%s' is not finite", name);
    }
    if (!status) {
        status = ooze_shape_create_with(&def->shape, up, spacing, threads, &solid->shape, error);
    }
    if (!status) {
        status = ooze_motion_create(&solid->motion, &def->motion, def->shape.position,
                                    def->shape.rotation, error);
    }
    if (!status && def->density != 0.0) {
        status = check_start(def, name, error);
        status = status ? status
                        : ooze_shape_mass(solid->shape, def->density, name, &solid->mass, error);
    }
    if (status) {
        ooze_solid_free(solid);
        return status;
    }
    solid->sampled = def->sampled;
    memcpy(solid->color, def->color, sizeof solid->color);
    solid->pose = solid->previous = ooze_motion_pose(&solid->motion, 0.0);
    return OOZE_OK;
}

void ooze_solid_free(OozeSolid *solid)
{
    ooze_free(solid->name);
    ooze_shape_destroy(solid->shape);
    ooze_motion_free(&solid->motion);
    ooze_cell_set_free(&solid->sampled_cells);
    ooze_cell_samples_free(&solid->cell_samples);
    memset(solid, 0, sizeof *solid);
}

OozeStatus ooze_solid_drive(OozeSolid *solid, const OozePose *pose, OozeError *error)
{
    OozeQuat q = pose->rotation;
    double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!vec3_is_finite(pose->position) || !vec3_is_finite(pose->velocity) ||
        !vec3_is_finite(pose->spin) || !(norm > 1e-12) || !isfinite(norm)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "start from the pose of the frame view",
                         "the pose of solid '%s' is not finite, or its rotation is zero",
                         solid->name);
    }
    if (ooze_solid_is_dynamic(solid)) { /* placed at once */
        solid->pose = *pose;
        solid->pose.rotation = quat_unit(q);
        memset(solid->kept_by_method, 0, sizeof solid->kept_by_method);
        return OOZE_OK;
    }
    if (!solid->arriving) { /* a second call within a step keeps `previous` */
        solid->previous = solid->pose;
    }
    solid->pose = *pose;
    solid->pose.rotation = quat_unit(q);
    solid->driven = solid->arriving = true;
    return OOZE_OK;
}

static void advance(OozeSolid *solid, double time, double dt)
{
    if (ooze_solid_is_dynamic(solid)) {
        return; /* moved in substeps: see dynamic.h */
    }
    if (solid->arriving) {
        solid->arriving = false;
        return;
    }
    solid->previous = solid->pose;
    if (!solid->driven) {
        solid->pose = ooze_motion_pose(&solid->motion, time);
        return;
    }
    OozePose *pose = &solid->pose;
    pose->position = vec3_madd(pose->position, dt, pose->velocity);
    pose->rotation =
        quat_unit(quat_mul(quat_from_vector(vec3_scale(pose->spin, dt)), pose->rotation));
}

void ooze_solid_advance(OozeSolid *solid, double time, double dt)
{
    advance(solid, time, dt);
    solid->begin = solid->previous;
    solid->end = solid->pose;
}

static OozePose pose_within(const OozeSolid *solid, double share, double time)
{
    if (share <= 0.0 || share >= 1.0) {
        return share <= 0.0 ? solid->begin : solid->end;
    }
    if (!solid->driven) {
        return ooze_motion_pose(&solid->motion, time);
    }
    OozePose pose = solid->end;
    OozeVec3 travel = vec3_sub(solid->end.position, solid->begin.position);
    pose.position = vec3_madd(solid->begin.position, share, travel);
    OozeQuat a = solid->begin.rotation, b = solid->end.rotation;
    double sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0 ? -1.0 : 1.0;
    double rest = sign * (1.0 - share);
    OozeQuat turn = {rest * a.x + share * b.x, rest * a.y + share * b.y, rest * a.z + share * b.z,
                     rest * a.w + share * b.w};
    pose.rotation = quat_unit(turn);
    return pose;
}

void ooze_solid_set_substep(OozeSolid *solid, double from, double to, double from_time,
                            double to_time)
{
    if (ooze_solid_is_dynamic(solid)) {
        return;
    }
    solid->previous = pose_within(solid, from, from_time);
    solid->pose = pose_within(solid, to, to_time);
}

double ooze_solid_distance(const OozeSolid *solid, OozeVec3 world_point, OozeVec3 *normal)
{
    return ooze_placed_distance(solid->shape, &solid->pose, world_point, normal);
}

OozeContact ooze_solid_contact(const OozeSolid *solid, OozeVec3 world_point)
{
    return ooze_placed_contact(solid->shape, &solid->pose, world_point);
}
