/* Angles: degrees in scenes, the public API and output, radians within the library. */
#ifndef OOZE_BASE_ANGLE_H
#define OOZE_BASE_ANGLE_H

#include "base/vec3.h"

#define OOZE_RADIANS_PER_DEGREE (3.14159265358979323846 / 180.0)
#define OOZE_DEGREES_PER_RADIAN (180.0 / 3.14159265358979323846)

OOZE_FORMULA double ooze_radians(double degrees)
{
    return degrees * OOZE_RADIANS_PER_DEGREE;
}

OOZE_FORMULA double ooze_degrees(double radians)
{
    return radians * OOZE_DEGREES_PER_RADIAN;
}

/* Of each component: rotation vectors and angular velocities. */
OOZE_FORMULA OozeVec3 ooze_vec3_radians(OozeVec3 degrees)
{
    return vec3_scale(degrees, OOZE_RADIANS_PER_DEGREE);
}

OOZE_FORMULA OozeVec3 ooze_vec3_degrees(OozeVec3 radians)
{
    return vec3_scale(radians, OOZE_DEGREES_PER_RADIAN);
}

#endif
