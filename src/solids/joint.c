#include "solids/joint.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solids/dynamic.h"

OozeJointDef ooze_joint_def_default(void)
{
    return (OozeJointDef){
        .name = "",
        .kind = OOZE_JOINT_BALL,
        .solid = {-1},
        .other = {-1},
        .anchor = {NAN, NAN, NAN},
        .low = NAN,
        .high = NAN,
    };
}

const char *ooze_joint_param_name(OozeJointParam param)
{
    static const char *const names[OOZE_JOINT_PARAM_COUNT] = {
        [OOZE_JOINT_SPEED] = "speed",
        [OOZE_JOINT_FORCE] = "force",
        [OOZE_JOINT_LOW] = "low",
        [OOZE_JOINT_HIGH] = "high",
    };
    return (unsigned)param < OOZE_JOINT_PARAM_COUNT ? names[param] : NULL;
}

/* Factor from the unit of a parameter in the API to that of `params`: degrees of a hinge become
   radians. */
static double unit_of(const OozeJoint *joint, OozeJointParam param)
{
    bool angle = joint->kind == OOZE_JOINT_HINGE && param != OOZE_JOINT_FORCE;
    return angle ? OOZE_RADIANS_PER_DEGREE : 1.0;
}

OozeStatus ooze_joint_set(OozeJoint *joint, OozeJointParam param, double value, OozeError *error)
{
    const char *name = ooze_joint_param_name(param);
    bool moves = joint->kind == OOZE_JOINT_HINGE || joint->kind == OOZE_JOINT_SLIDER;
    bool limit = param == OOZE_JOINT_LOW || param == OOZE_JOINT_HIGH;
    bool still = limit ? isinf(value) : value == 0.0;
    if (!name) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of the OozeJointParam names",
                         "there is no joint parameter %d", (int)param);
    }
    if (!moves && !still) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "a hinge and a slider have motor and limits",
                         "joint '%s' is neither hinge nor slider, and has %s = %g", joint->name,
                         name, value);
    }
    bool turned =
        joint->kind == OOZE_JOINT_HINGE && limit && isfinite(value) && fabs(value) >= 180.0;
    if (isnan(value) || turned || (param == OOZE_JOINT_FORCE && value < 0.0) ||
        (param == OOZE_JOINT_SPEED && !isfinite(value))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "limits of a hinge are within 180 degrees either way; a force is not "
                         "negative",
                         "%s of joint '%s' is %g", name, joint->name, value);
    }
    double stored = value * unit_of(joint, param);
    double low = param == OOZE_JOINT_LOW ? stored : joint->params[OOZE_JOINT_LOW];
    double high = param == OOZE_JOINT_HIGH ? stored : joint->params[OOZE_JOINT_HIGH];
    if (!(low <= high)) {
        double unit = unit_of(joint, OOZE_JOINT_LOW);
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "turn them round",
                         "joint '%s' goes from low = %g to high = %g", joint->name, low / unit,
                         high / unit);
    }
    joint->params[param] = stored;
    return OOZE_OK;
}

static OozeStatus check_solids(const OozeJointDef *def, const char *name, const OozeSolid *solids,
                               int count, OozeError *error)
{
    int a = def->solid.index, b = def->other.index;
    if (a < 0 || a >= count || b < -1 || b >= count) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "add both first; other -1 is the world",
                         "joint '%s' is between solids %d and %d; the world has %d", name, a, b,
                         count);
    }
    if (a == b) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "name another solid, or leave 'other' out for a joint with the world",
                         "joint '%s' joins solid '%s' to itself", name, solids[a].name);
    }
    if (!ooze_solid_is_dynamic(&solids[a]) && (b < 0 || !ooze_solid_is_dynamic(&solids[b]))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give one of them a density",
                         "joint '%s' has no dynamic solid: solid '%s' has no density%s%s%s", name,
                         solids[a].name, b < 0 ? "" : ", nor has solid '",
                         b < 0 ? "" : solids[b].name, b < 0 ? "" : "'");
    }
    return OOZE_OK;
}

static OozeStatus set_params(OozeJoint *joint, const OozeJointDef *def, OozeError *error)
{
    double low = isnan(def->low) ? -INFINITY : def->low;
    double high = isnan(def->high) ? INFINITY : def->high;
    joint->params[OOZE_JOINT_LOW] = -INFINITY;
    joint->params[OOZE_JOINT_HIGH] = INFINITY;
    OozeStatus status = ooze_joint_set(joint, OOZE_JOINT_SPEED, def->speed, error);
    status = status ? status : ooze_joint_set(joint, OOZE_JOINT_FORCE, def->force, error);
    status = status ? status : ooze_joint_set(joint, OOZE_JOINT_LOW, low, error);
    status = status ? status : ooze_joint_set(joint, OOZE_JOINT_HIGH, high, error);
    return status;
}

OozeStatus ooze_joint_create(OozeJoint *joint, const OozeJointDef *def, const OozeSolid *solids,
                             int count, OozeError *error)
{
    memset(joint, 0, sizeof *joint);
    const char *name = def->name ? def->name : "";
    bool axial = def->kind == OOZE_JOINT_HINGE || def->kind == OOZE_JOINT_SLIDER;
    if ((unsigned)def->kind >= OOZE_JOINT_KIND_COUNT) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of OozeJointKind",
                         "joint '%s' is of no kind", name);
    }
    if (axial && !(vec3_length(def->axis) > 0.0 && vec3_is_finite(def->axis))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give its direction in the world",
                         "joint '%s' has no axis", name);
    }
    OozeStatus status = check_solids(def, name, solids, count, error);
    if (status) {
        return status;
    }
    joint->name = ooze_copy_text(name);
    if (!joint->name) {
        return ooze_fail_memory(error, "a joint's name", strlen(name) + 1);
    }
    const OozeSolid *a = &solids[def->solid.index];
    const OozeSolid *b = def->other.index < 0 ? NULL : &solids[def->other.index];
    joint->kind = def->kind;
    joint->solid = def->solid.index;
    joint->other = def->other.index;
    joint->at = a->pose;
    joint->other_at = b ? b->pose : (OozePose){.rotation = quat_identity()};
    /* default: the position of the first solid */
    joint->anchor = vec3_is_finite(def->anchor) ? def->anchor : a->pose.position;
    joint->axis = vec3_unit(def->axis, vec3(0, 0, 1));
    status = set_params(joint, def, error);
    if (status) {
        ooze_joint_free(joint);
    }
    return status;
}

void ooze_joint_free(OozeJoint *joint)
{
    ooze_free(joint->name);
    memset(joint, 0, sizeof *joint);
}
