#include "solids/motion.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

#define TURN 6.283185307179586476925

OozeMotionDef ooze_motion_def_default(void)
{
    OozeMotionDef def;
    memset(&def, 0, sizeof def);
    def.interpolation = OOZE_MOTION_SMOOTH;
    def.stop = INFINITY;
    return def;
}

static OozeStatus check_keyframes(const OozeMotionDef *def, OozeError *error)
{
    if (def->keyframe_count < 0 || (def->keyframe_count > 0 && !def->keyframes)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "pass the array and its true length",
                         "a motion has %d keyframes but %s", def->keyframe_count,
                         def->keyframes ? "a count cannot be negative" : "no array of them");
    }
    for (int i = 0; i < def->keyframe_count; i++) {
        const OozeKeyframe *key = &def->keyframes[i];
        OozeQuat q = key->rotation;
        double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (!isfinite(key->time) || !vec3_is_finite(key->position)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                             "keyframe %d has a time or position that is not a finite number",
                             i + 1);
        }
        if (!(norm > 1e-12) || !isfinite(norm)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "no rotation is the quaternion 0, 0, 0, 1",
                             "the rotation of keyframe %d is not a rotation (its length is %g)",
                             i + 1, sqrt(norm));
        }
        if (i > 0 && !(key->time > key[-1].time)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "sort keyframes by ascending time",
                             "keyframe %d at %g s does not come after keyframe %d at %g s", i + 1,
                             key->time, i, key[-1].time);
        }
    }
    return OOZE_OK;
}

static OozeStatus check_motion(const OozeMotionDef *def, OozeError *error)
{
    if (def->interpolation != OOZE_MOTION_SMOOTH && def->interpolation != OOZE_MOTION_LINEAR) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use OOZE_MOTION_SMOOTH or OOZE_MOTION_LINEAR",
                         "a motion has the unknown interpolation %d", (int)def->interpolation);
    }
    if (!vec3_is_finite(def->velocity) || !vec3_is_finite(def->spin) ||
        !vec3_is_finite(def->pivot) || !vec3_is_finite(def->sine_amplitude)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                         "a motion's velocity, spin, pivot or sine amplitude is not finite");
    }
    if (!isfinite(def->sine_frequency) || !isfinite(def->sine_phase)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                         "a motion's sine frequency %g Hz or phase %g deg is not finite",
                         def->sine_frequency, def->sine_phase);
    }
    if (!isfinite(def->start) || !(def->stop >= def->start)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "start must be finite and stop not before it; stop may be infinite",
                         "a motion acts from %g s to %g s", def->start, def->stop);
    }
    if (!(def->ramp_time >= 0.0 && isfinite(def->ramp_time))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "0 means full speed at once",
                         "a motion has the ramp time %g s; it must be 0 or more", def->ramp_time);
    }
    return check_keyframes(def, error);
}

OozeStatus ooze_motion_create(OozeMotion *motion, const OozeMotionDef *def, OozeVec3 position,
                              OozeQuat rotation, OozeError *error)
{
    memset(motion, 0, sizeof *motion);
    OozeStatus status = check_motion(def, error);
    if (status) {
        return status;
    }
    OozeKeyframe *keys = NULL;
    if (def->keyframe_count > 0) {
        size_t count = (size_t)def->keyframe_count;
        keys = ooze_alloc(count, sizeof *keys);
        if (!keys) {
            return ooze_fail_memory(error, "keyframes", count * sizeof *keys);
        }
        for (size_t i = 0; i < count; i++) {
            keys[i] = def->keyframes[i];
            keys[i].rotation = quat_unit(keys[i].rotation);
        }
    }
    *motion = (OozeMotion){
        .keyframes = keys,
        .keyframe_count = def->keyframe_count,
        .interpolation = def->interpolation,
        .velocity = def->velocity,
        .spin = ooze_vec3_radians(def->spin),
        .pivot = def->pivot,
        .sine_amplitude = def->sine_amplitude,
        .sine_frequency = def->sine_frequency,
        .sine_phase = ooze_radians(def->sine_phase),
        .start = def->start,
        .stop = def->stop,
        .ramp_time = def->ramp_time,
        .position = position,
        .rotation = quat_unit(rotation),
    };
    return OOZE_OK;
}

void ooze_motion_free(OozeMotion *motion)
{
    ooze_free(motion->keyframes);
    memset(motion, 0, sizeof *motion);
}

static bool is_zero(OozeVec3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

bool ooze_motion_is_still(const OozeMotion *motion)
{
    for (int i = 1; i < motion->keyframe_count; i++) {
        const OozeKeyframe *a = &motion->keyframes[0], *b = &motion->keyframes[i];
        if (!is_zero(vec3_sub(a->position, b->position)) ||
            memcmp(&a->rotation, &b->rotation, sizeof a->rotation) != 0) {
            return false;
        }
    }
    bool shakes = !is_zero(motion->sine_amplitude) && motion->sine_frequency != 0.0;
    bool acts = motion->stop > motion->start;
    return !acts || (is_zero(motion->velocity) && is_zero(motion->spin) && !shakes);
}

/* Rotation vector of at most half a turn. */
static OozeVec3 rotation_vector(OozeQuat q)
{
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    OozeVec3 u = vec3(sign * q.x, sign * q.y, sign * q.z);
    double sine = vec3_length(u);
    if (sine < 1e-12) {
        return vec3_scale(u, 2.0);
    }
    return vec3_scale(u, 2.0 * atan2(sine, sign * q.w) / sine);
}

/* Rates of change over the segment that starts at key k: of the position, and of the rotation in
   the body's own axes. */
typedef struct Rate {
    OozeVec3 position, rotation;
} Rate;

static Rate segment_rate(const OozeKeyframe *keys, int k)
{
    double inverse = 1.0 / (keys[k + 1].time - keys[k].time);
    OozeQuat turn = quat_mul(quat_conjugate(keys[k].rotation), keys[k + 1].rotation);
    Rate rate;
    rate.position = vec3_scale(vec3_sub(keys[k + 1].position, keys[k].position), inverse);
    rate.rotation = vec3_scale(rotation_vector(turn), inverse);
    return rate;
}

/* Slope at a key between two segments of lengths h0, h1 and slopes d0, d1: the weighted harmonic
   mean of Fritsch and Butland, which never overshoots a key. */
static double key_slope(double h0, double h1, double d0, double d1)
{
    if (!(d0 * d1 > 0.0)) {
        return 0.0;
    }
    double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

static OozeVec3 key_slopes(double h0, double h1, OozeVec3 d0, OozeVec3 d1)
{
    return vec3(key_slope(h0, h1, d0.x, d1.x), key_slope(h0, h1, d0.y, d1.y),
                key_slope(h0, h1, d0.z, d1.z));
}

/* Zero at the first and last key, since the pose is constant beyond them. */
static Rate key_rate(const OozeKeyframe *keys, int count, int k)
{
    Rate rate = {vec3(0, 0, 0), vec3(0, 0, 0)};
    if (k > 0 && k < count - 1) {
        Rate before = segment_rate(keys, k - 1), after = segment_rate(keys, k);
        double h0 = keys[k].time - keys[k - 1].time, h1 = keys[k + 1].time - keys[k].time;
        rate.position = key_slopes(h0, h1, before.position, after.position);
        rate.rotation = key_slopes(h0, h1, before.rotation, after.rotation);
    }
    return rate;
}

/* Cubic Hermite position; rotation as the cumulative Bezier product of Kim, Kim and Shin (1995),
   each of whose factors turns about a fixed axis, so that its spin is exact. For turns about one
   axis it is the same cubic in the angle. */
static OozePose smooth_pose(const OozeKeyframe *keys, int count, int k, double time)
{
    const OozeKeyframe *a = &keys[k], *b = &keys[k + 1];
    Rate ra = key_rate(keys, count, k), rb = key_rate(keys, count, k + 1);
    double h = b->time - a->time, u = (time - a->time) / h, v = 1.0 - u;
    /* cumulative Bernstein polynomials and their derivatives */
    double c1 = 1.0 - v * v * v, c2 = u * u * (3.0 - 2.0 * u), c3 = u * u * u;
    double e1 = 3.0 * v * v / h, e2 = 6.0 * u * v / h, e3 = 3.0 * u * u / h;

    OozePose pose;
    OozeVec3 p1 = vec3_scale(ra.position, h / 3.0), p3 = vec3_scale(rb.position, h / 3.0);
    OozeVec3 p2 = vec3_sub(vec3_sub(vec3_sub(b->position, a->position), p1), p3);
    pose.position = vec3_madd(vec3_madd(vec3_madd(a->position, c1, p1), c2, p2), c3, p3);
    pose.velocity = vec3_madd(vec3_madd(vec3_scale(p1, e1), e2, p2), e3, p3);

    OozeVec3 w1 = vec3_scale(ra.rotation, h / 3.0), w3 = vec3_scale(rb.rotation, h / 3.0);
    OozeQuat turn = quat_mul(quat_conjugate(a->rotation), b->rotation);
    OozeQuat middle = quat_mul(quat_from_vector(vec3_scale(w1, -1.0)),
                               quat_mul(turn, quat_from_vector(vec3_scale(w3, -1.0))));
    OozeVec3 w2 = rotation_vector(middle);
    OozeQuat q = a->rotation;
    pose.spin = vec3_scale(quat_rotate(q, w1), e1);
    q = quat_mul(q, quat_from_vector(vec3_scale(w1, c1)));
    pose.spin = vec3_madd(pose.spin, e2, quat_rotate(q, w2));
    q = quat_mul(q, quat_from_vector(vec3_scale(w2, c2)));
    pose.spin = vec3_madd(pose.spin, e3, quat_rotate(q, w3));
    pose.rotation = quat_unit(quat_mul(q, quat_from_vector(vec3_scale(w3, c3))));
    return pose;
}

static OozePose linear_pose(const OozeKeyframe *keys, int k, double time)
{
    Rate rate = segment_rate(keys, k);
    double passed = time - keys[k].time;
    OozePose pose;
    pose.position = vec3_madd(keys[k].position, passed, rate.position);
    pose.velocity = rate.position;
    pose.rotation =
        quat_unit(quat_mul(keys[k].rotation, quat_from_vector(vec3_scale(rate.rotation, passed))));
    pose.spin = quat_rotate(keys[k].rotation, rate.rotation);
    return pose;
}

static OozePose still_pose(OozeVec3 position, OozeQuat rotation)
{
    OozePose pose;
    pose.position = position;
    pose.rotation = rotation;
    pose.velocity = pose.spin = vec3(0, 0, 0);
    return pose;
}

static OozePose keyed_pose(const OozeMotion *motion, double time)
{
    const OozeKeyframe *keys = motion->keyframes;
    int count = motion->keyframe_count;
    if (!(time > keys[0].time)) {
        return still_pose(keys[0].position, keys[0].rotation);
    }
    if (time >= keys[count - 1].time) {
        return still_pose(keys[count - 1].position, keys[count - 1].rotation);
    }
    int low = 0, high = count - 1; /* keys[low].time <= time < keys[high].time */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (keys[middle].time <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return motion->interpolation == OOZE_MOTION_LINEAR ? linear_pose(keys, low, time)
                                                       : smooth_pose(keys, count, low, time);
}

/* Speed over full speed, `passed` seconds after the start: sin(pi t / (2 T)) within the ramp. */
static double ramp_factor(const OozeMotion *motion, double passed)
{
    return passed < motion->ramp_time ? sin(0.25 * TURN * (passed / motion->ramp_time)) : 1.0;
}

/* Integral of ramp_factor from the start, s. Within the ramp (2 T / pi) (1 - cos(pi t / (2 T))), in
   a form that keeps its digits for small t. */
static double ramp_integral(const OozeMotion *motion, double passed)
{
    double ramp = motion->ramp_time;
    if (ramp == 0.0) {
        return passed;
    }
    double within = fmin(passed, ramp), half_sine = sin(0.125 * TURN * (within / ramp));
    return 8.0 * ramp / TURN * half_sine * half_sine + (passed - within);
}

OozePose ooze_motion_pose(const OozeMotion *motion, double time)
{
    OozePose pose = motion->keyframe_count > 0 ? keyed_pose(motion, time)
                                               : still_pose(motion->position, motion->rotation);
    if (is_zero(motion->velocity) && is_zero(motion->spin) && is_zero(motion->sine_amplitude)) {
        return pose;
    }
    bool acting = time >= motion->start && time < motion->stop;
    double passed = time < motion->start ? 0.0 : fmin(time, motion->stop) - motion->start;
    double rate = TURN * motion->sine_frequency, angle = rate * passed + motion->sine_phase;

    double factor = ramp_factor(motion, passed), full = ramp_integral(motion, passed);
    OozeVec3 spin = vec3_scale(motion->spin, factor);

    OozeQuat turn = quat_from_vector(vec3_scale(motion->spin, full));
    OozeVec3 arm = quat_rotate(turn, motion->pivot);
    OozeVec3 offset = vec3_madd(vec3_sub(motion->pivot, arm), full, motion->velocity);
    offset = vec3_madd(offset, sin(angle), motion->sine_amplitude);
    pose.position = vec3_add(pose.position, offset);
    pose.rotation = quat_unit(quat_mul(turn, pose.rotation));
    pose.spin = quat_rotate(turn, pose.spin);
    if (acting) {
        pose.velocity = vec3_madd(pose.velocity, factor, motion->velocity);
        pose.velocity = vec3_madd(pose.velocity, rate * cos(angle), motion->sine_amplitude);
        pose.velocity = vec3_sub(pose.velocity, vec3_cross(spin, arm));
        pose.spin = vec3_add(pose.spin, spin);
    }
    return pose;
}
