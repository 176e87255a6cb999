/* Ooze: plain value types shared by the whole public API. Right-handed axes, SI units. */
#ifndef OOZE_TYPES_H
#define OOZE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ooze/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OozeVec3 {
    double x, y, z;
} OozeVec3;

/* Unit quaternion; identity is {0, 0, 0, 1}. */
typedef struct OozeQuat {
    double x, y, z, w;
} OozeQuat;

typedef enum OozeAxis { OOZE_AXIS_X, OOZE_AXIS_Y, OOZE_AXIS_Z } OozeAxis;

/* Handles by value. A handle is valid for the world that gave it; index 0 is the first. */
typedef struct OozeMaterialId {
    int32_t index;
} OozeMaterialId;
typedef struct OozeSolidId {
    int32_t index;
} OozeSolidId;
typedef struct OozeJointId {
    int32_t index;
} OozeJointId;
typedef struct OozeEmitterId {
    int32_t index;
} OozeEmitterId;
typedef struct OozeProbeId {
    int32_t index;
} OozeProbeId;

/* One number that a user may set: of a material, or of a method's solver. */
typedef enum OozeParamKind {
    OOZE_PARAM_REAL,
    OOZE_PARAM_INTEGER,
    OOZE_PARAM_SWITCH, /* 0 or 1, written true or false in a scene */
    OOZE_PARAM_CHOICE  /* index into `choices` */
} OozeParamKind;

typedef struct OozeParamInfo {
    const char *key;
    OozeParamKind kind;
    const char *unit;    /* "Pa s", or "" for a pure number */
    double min, max;     /* both allowed */
    double initial;      /* NAN: not given, the method derives it */
    const char *choices; /* "paper|consistent|lodge" for OOZE_PARAM_CHOICE, else NULL */
    const char *help;
} OozeParamInfo;

typedef enum OozeLogLevel { OOZE_LOG_DEBUG, OOZE_LOG_INFO, OOZE_LOG_WARNING } OozeLogLevel;

/* Receives one line without a newline. May be called from the thread that calls the world only. */
typedef void (*OozeLogCallback)(void *user, OozeLogLevel level, const char *line);

/* Called after each step of ooze_world_advance; return false to stop there. */
typedef bool (*OozeProgressCallback)(void *user, double time, double end_time);

typedef struct OozeVersion {
    int major, minor, patch;
    const char *text; /* "0.1.0" */
} OozeVersion;
OOZE_API OozeVersion ooze_version(void);

/* Optional parts by name ("hdf5", "cuda", "render", ...), for `ooze version` and for programs. */
typedef struct OozePart {
    const char *name;
    bool present;
    const char *detail; /* version, or how to get it */
} OozePart;
OOZE_API const OozePart *ooze_parts(int *count);

#ifdef __cplusplus
}
#endif
#endif
