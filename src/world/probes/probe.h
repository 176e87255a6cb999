/* Probes: numbers measured on a read-only frame. */
#ifndef OOZE_WORLD_PROBES_PROBE_H
#define OOZE_WORLD_PROBES_PROBE_H

#include "base/threads.h"
#include "materials/material.h"
#include "ooze/world.h"
#include "physics/periodic.h"
#include "solids/dynamic.h"
#include "step/report.h"
#include "world/probes/probe_formula.h"

/* Input of a measurement. */
typedef struct OozeProbeContext {
    const OozeFrame *frame; /* not read where the kind does not read particles */
    OozeVec3 gravity;
    OozePeriodic periodic;
    OozeThreads *threads;
    const OozeStepReport *report; /* of the last step; NULL: there has been none */
    int substeps;                 /* of that step */
    const OozeMaterial *materials;
    int material_count;
    const OozeSolid *solids; /* of the frame's world; solid_count 0: the frame is from a file */
    int solid_count;
    const OozeLoad *loads; /* of the last step's particles on each solid */
    int load_count;
    double time_step;
} OozeProbeContext;

/* Values that probes keep from one reading to the next. Each kind has its own entries. */
enum {
    OOZE_PROBE_AZIMUTH_SEEN, /* 1 once an angle was measured */
    OOZE_PROBE_AZIMUTH_TURNS,
    OOZE_PROBE_AZIMUTH_LAST,
    OOZE_PROBE_SOLVER_STEPPED, /* 1 if there was a step since the last reading */
    OOZE_PROBE_SOLVER_RESIDUAL,
    OOZE_PROBE_SOLVER_ITERATIONS,
    OOZE_PROBE_SOLVER_DENSITY,
    OOZE_PROBE_SOLVER_DENSITY_MEAN,
    OOZE_PROBE_SOLVER_SUBSTEPS,
    OOZE_PROBE_SOLVER_UNCONVERGED,
    OOZE_PROBE_THREAD_PHASE,      /* 0: never connected; 1: connected; 2: has been, and broke */
    OOZE_PROBE_THREAD_BREAK_TIME, /* s, in phase 2 */
    OOZE_PROBE_STATE_COUNT
};
/* Their column names in a frame. */
extern const char *const ooze_probe_state_names[OOZE_PROBE_STATE_COUNT];

/* Limits of a definition, also of the scene's keys. */
enum { OOZE_PROBE_BINS_MAX = 1000 };
#define OOZE_PROBE_LINK_MAX 8.0 /* spacings, about 2,000 neighbours per particle */
/* Thickness of a slice, and its distance from the ends, in spacings. */
#define OOZE_PROBE_SLICE_MIN  0.1
#define OOZE_PROBE_SLICE_MAX  1e3
#define OOZE_PROBE_MARGIN_MAX 1e6

typedef struct OozeProbe {
    OozeProbeDef def; /* texts owned; axis a unit vector; percentile filled in */
    int column_count;
    char **columns; /* "NAME.height" ... */
    const char **units;
    double *values;
    double state[OOZE_PROBE_STATE_COUNT]; /* saved with the frame */
} OozeProbe;

typedef struct OozeProbeKindInfo {
    const char *name; /* "height" in a scene */
    const char *help;
    const char *keys;        /* scene keys that it uses, separated by spaces */
    const char *needs_field; /* particle field that adding such a probe creates; NULL: none */
} OozeProbeKindInfo;
extern const OozeProbeKindInfo ooze_probe_kinds[OOZE_PROBE_KIND_COUNT];

OozeStatus ooze_probe_create(OozeProbe *probe, const OozeProbeDef *def, OozeAxis up,
                             OozeError *error);
void ooze_probe_free(OozeProbe *probe);
/* Updates the state of a solver probe after a step. */
void ooze_probe_record_step(OozeProbe *probe, const OozeStepReport *report, int substeps);
bool ooze_probe_reads_particles(OozeProbeKind kind);
/* Of a probe that is a sum or a percentile. */
OozeProbeQuery ooze_probe_query(const OozeProbe *probe, OozeVec3 gravity);
OozeStatus ooze_probe_measure(OozeProbe *probe, const OozeProbeContext *context, OozeError *error);

#endif
