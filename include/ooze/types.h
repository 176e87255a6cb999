/* Ooze: value types of the public API. Right-handed axes, SI units. */
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

/* Handles of items of a world, valid for that world only. Indices start at 0, in the order in which
   items were added. */
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

typedef enum OozeParamKind {
    OOZE_PARAM_REAL,
    OOZE_PARAM_INTEGER,
    OOZE_PARAM_SWITCH, /* 0 or 1, written true or false in a scene */
    OOZE_PARAM_CHOICE  /* index into `choices` */
} OozeParamKind;

/* Describes a parameter: a number of a material, or a setting of a method. */
typedef struct OozeParamInfo {
    const char *key; /* name in scenes and in calls: "viscosity" */
    OozeParamKind kind;
    const char *unit;    /* "Pa s"; "": dimensionless */
    double min, max;     /* valid range, ends included */
    double initial;      /* default; NAN: not given, the method derives it */
    const char *choices; /* "paper|consistent|lodge" for OOZE_PARAM_CHOICE, else NULL */
    const char *help;    /* one line of description */
} OozeParamInfo;

typedef enum OozeLogLevel { OOZE_LOG_DEBUG, OOZE_LOG_INFO, OOZE_LOG_WARNING } OozeLogLevel;

/* Receives one line of the log, without a newline. It is called within calls of the world, on the
   thread of the caller. */
typedef void (*OozeLogCallback)(void *user, OozeLogLevel level, const char *line);

/* Called after each step of ooze_world_advance, with times in s; returning false stops there. */
typedef bool (*OozeProgressCallback)(void *user, double time, double end_time);

typedef struct OozeVersion {
    int major, minor, patch;
    const char *text; /* "0.1.0" */
} OozeVersion;
OOZE_API OozeVersion ooze_version(void);

/* A library or optional component of this build: "hdf5", "cuda", "render", ... */
typedef struct OozeFeature {
    const char *name;
    bool present;
    const char *detail; /* its version; if not present, how to add it to the build */
} OozeFeature;
/* All of them; `*count` is its length. */
OOZE_API const OozeFeature *ooze_features(int *count);

/* The device that computes steps and surfaces. */
typedef enum OozeDevice {
    /* The GPU if the build and the computer have one and it supports the method with its settings;
       else the processor. The environment variable OOZE_DEVICE, `cpu` or `cuda`, overrides this
       choice. */
    OOZE_DEVICE_AUTO,
    OOZE_DEVICE_CPU,
    OOZE_DEVICE_CUDA, /* the GPU; an error if it cannot be used */
    OOZE_DEVICE_COUNT
} OozeDevice;

#ifdef __cplusplus
}
#endif
#endif
