/* Probes: numbers measured on a read-only frame. */
#ifndef OOZE_WORLD_PROBE_H
#define OOZE_WORLD_PROBE_H

#include "base/threads.h"
#include "materials/material.h"
#include "ooze/world.h"
#include "physics/periodic.h"
#include "solids/dynamic.h"
#include "solvers/step_report.h"

/* What a probe sees. */
typedef struct OozeProbeContext {
    const OozeFrame *frame;
    OozeVec3 gravity;
    OozePeriodic periodic;
    OozeThreads *threads;
    const OozeStepReport *report; /* of the last step; NULL: there has been none */
    int substeps;                 /* of that step */
    const OozeMaterial *materials;
    int material_count;
    const OozeSolid *solids; /* of the world that the frame is of; solid_count 0: it is of a file */
    int solid_count;
    const OozeLoad *taken; /* what the last step's particles gave each solid that was there */
    int taken_count;
    double time_step;
} OozeProbeContext;

/* What probes remember from one reading to the next. Each kind has entries of its own. */
enum {
    OOZE_PROBE_AZIMUTH_SEEN, /* 1 once there was an angle */
    OOZE_PROBE_AZIMUTH_TURNS,
    OOZE_PROBE_AZIMUTH_LAST,
    OOZE_PROBE_SOLVER_STEPPED, /* 1 once a step was taken since the last reading */
    OOZE_PROBE_SOLVER_RESIDUAL,
    OOZE_PROBE_SOLVER_ITERATIONS,
    OOZE_PROBE_SOLVER_DENSITY,
    OOZE_PROBE_SOLVER_DENSITY_MEAN,
    OOZE_PROBE_SOLVER_SUB_STEPS,
    OOZE_PROBE_SOLVER_UNMET,
    OOZE_PROBE_STATE_COUNT
};
/* The names of these in a frame. */
extern const char *const ooze_probe_state_names[OOZE_PROBE_STATE_COUNT];

/* What a probe may ask for; the scene's key table says the same. */
enum { OOZE_PROBE_BINS_MAX = 1000 };
#define OOZE_PROBE_LINK_MAX 8.0 /* spacings: 2,000 neighbours each are enough */

typedef struct OozeProbe {
    OozeProbeDef def; /* name owned; axis a unit vector; percentile filled in */
    int column_count;
    char **columns; /* "NAME.height" ... */
    const char **units;
    double *values;
    double state[OOZE_PROBE_STATE_COUNT]; /* saved with the frame */
} OozeProbe;

typedef struct OozeProbeKindInfo {
    const char *name; /* "height" in a scene */
    const char *help;
    const char *keys;        /* which definition keys it uses, parted by spaces */
    const char *needs_field; /* e.g. "rest_position", added to the store when such a probe exists */
} OozeProbeKindInfo;
extern const OozeProbeKindInfo ooze_probe_kinds[OOZE_PROBE_KIND_COUNT];

OozeStatus ooze_probe_create(OozeProbe *probe, const OozeProbeDef *def, OozeAxis up,
                             OozeError *error);
void ooze_probe_free(OozeProbe *probe);
/* A step has been taken: for what a probe remembers until it is read. */
void ooze_probe_note_step(OozeProbe *probe, const OozeStepReport *report, int substeps);
OozeStatus ooze_probe_measure(OozeProbe *probe, const OozeProbeContext *context, OozeError *error);

#endif
