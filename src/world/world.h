/* The world's inside. */
#ifndef OOZE_WORLD_WORLD_H
#define OOZE_WORLD_WORLD_H

#include "base/fail.h"
#include "heat/heat.h"
#include "methods/method.h"
#include "world/change.h"
#include "world/emitter.h"
#include "world/engine.h"
#include "world/probe.h"

/* Stages of a step, in order: the rows of the profile table. */
typedef enum OozeStage {
    OOZE_STAGE_EMIT,
    OOZE_STAGE_SOLIDS,
    OOZE_STAGE_NEIGHBOURS,
    OOZE_STAGE_METHOD,
    OOZE_STAGE_HEAT,
    OOZE_STAGE_FINISH,
    OOZE_STAGE_PROBES,
    OOZE_STAGE_COUNT
} OozeStage;

/* A growing array of things a user adds. */
#define OOZE_LIST(type)                                                                            \
    struct {                                                                                       \
        type *items;                                                                               \
        int count, capacity;                                                                       \
    }

typedef struct OozeSnapshot OozeSnapshot;

/* A step has OOZE_SUBSTEP_UNITS units of time; the length of a substep is a power of two of them.
 */
enum { OOZE_SUBSTEP_UNITS = 64 };
typedef struct OozeSubstep {
    int done;        /* units of the present step that have passed */
    int units;       /* of the present substep */
    int count;       /* of substeps so far */
    double time, dt; /* at its beginning, and its length, s */
} OozeSubstep;

/* Where the current particle data is. */
typedef enum OozeDataLocation {
    OOZE_DATA_ON_HOST,   /* in the particle store; the engine's is outdated */
    OOZE_DATA_ON_BOTH,   /* equal copies */
    OOZE_DATA_ON_ENGINE, /* the store is outdated, unless the engine is the processor */
} OozeDataLocation;

struct OozeWorld {
    OozeWorldDef def;
    const OozeMethod *method;
    void *method_data;
    double *params;
    OozeThreads *threads;
    OozeArena *arena;
    OozeParticles *particles;
    int rest_field;         /* index of rest_position, or -1: nothing needs it */
    int body_field;         /* index of body, or -1: there are none */
    int pin_field;          /* index of pin; as body_field */
    int nozzle_field;       /* index of nozzle, or -1: no emitter leads its fluid */
    int temperature_field;  /* index of temperature, or -1: no heat */
    int phase_field;        /* index of phase, or -1: nothing melts */
    OozeHeatConstants heat; /* once there is a temperature */
    OozePeriodic periodic;
    bool newcomers; /* particles were added that may stand outside the periodic box */
    double support;
    OOZE_LIST(OozeMaterial) materials;
    OOZE_LIST(OozeSolid) solids;
    OOZE_LIST(OozeJoint) joints;
    OOZE_LIST(OozeBody) bodies;
    OOZE_LIST(OozeEmitter) emitters;
    OOZE_LIST(OozeSink) sinks;
    OOZE_LIST(OozeHeatSource) sources;
    OOZE_LIST(OozeProbe) probes;
    OOZE_LIST(OozeChange) changes;
    int dynamic_count;        /* of dynamic solids */
    OozeDynamicStage dynamic; /* of the present substep, where there are any */
    OozeLoad *loads; /* of the substep, load_room of them; then as many: of the whole last step */
    int load_room;
    const OozeDynamics *dynamics; /* contacts and joints; NULL: none, or no solid is dynamic */
    void *dynamics_data;
    int exact_contacts_max; /* see OozeDynamicStage */
    OozeBoundary boundary;
    uint64_t bounded_samples; /* the first of them: those of solids that are no planes */
    bool boundary_stale;      /* solids were added: sample all again */
    bool planes_stale;        /* the fluid went elsewhere: sample the planes again */
    OozeGrid *grid;
    OozeNeighbours fluid, fluid_boundary;
    double time; /* s, always step * time_step */
    uint64_t step;
    OozeSubstep sub; /* nothing of it outlives the step */
    uint64_t emitted, removed;
    OozeStepReport report;  /* of the last step */
    OozeStepReport substep; /* of the last part of it */
    uint64_t unmet_steps;   /* whose velocity solve ended above its tolerance */
    double worst_residual;  /* of all steps of this world */
    bool records_stress;
    OozeSym3 *stress; /* of the last step, in the order of the store; NULL: not recorded */
    uint64_t stress_room;
    OozeStageTime stages[OOZE_STAGE_COUNT];
    OozeStepTimer timer;    /* of the parts of stages */
    OozeSnapshot *snapshot; /* what ooze_world_frame hands out */

    OozeDevice device;         /* as chosen, the environment considered */
    const OozeEngine *offered; /* besides the processor; NULL: this build has none */
    const OozeEngine *engine;  /* that takes the steps: never NULL */
    void *engine_data;
    OozeDataLocation data_location;
    bool samples_sent;       /* the engine has the boundary's samples */
    double engine_speed;     /* of the fastest particle there; NAN: not known */
    OozeParticles *arrivals; /* what emitters give, on its way to an engine; NULL until then */
    bool engine_logged;      /* which engine takes the steps */
};

/* As ooze_world_create, with a method that need not be in the list. */
OozeStatus ooze_world_create_with(const OozeWorldDef *def, const OozeMethod *method,
                                  OozeWorld **world, OozeError *error);

/* Room for one more item at the end of a list: NULL when out of memory. The count is not raised. */
void *ooze_list_room(void **items, int count, int *capacity, size_t size);
#define OOZE_LIST_ROOM(list)                                                                       \
    ooze_list_room((void **)&(list).items, (list).count, &(list).capacity, sizeof *(list).items)

/* One line to the user's log callback, where there is one. */
void ooze_world_log(const OozeWorld *world, OozeLogLevel level, const char *format, ...)
    OOZE_PRINTF(3, 4);

/* OOZE_OK where `index` is the id of one of `count` things called `what`. */
OozeStatus ooze_world_check_id(int index, int count, const char *what, OozeError *error);

/* New particles first .. first + n of the store, or of one with its fields, start their
   rest_position where they are now, and with this temperature; NAN: that of the air. */
void ooze_world_welcome(OozeWorld *world, OozeParticles *particles, uint64_t first, uint64_t n,
                        double temperature);

/* From now on particles know where they came into the world; those that are there, where they are.
   */
OozeStatus ooze_world_keep_rest(OozeWorld *world, OozeError *error);

/* From now on particles have what this material needs of them. */
OozeStatus ooze_world_add_material_fields(OozeWorld *world, const OozeMaterial *material,
                                          OozeError *error);

/* Whether these particles can make up a body, and room for it; nothing for fluid. */
OozeStatus ooze_world_prepare_body(OozeWorld *world, const OozeFluidDef *def, uint64_t n,
                                   const OozeVec3 *positions, OozeError *error);
/* The particles first .. first + n are the body that was prepared. */
void ooze_world_add_body(OozeWorld *world, OozeBodyKind kind, uint64_t first, uint64_t n);

/* ---- heat: heat.c ----------------------------------------------------------------------- */

#define OOZE_TEMPERATURE_MAX 1e6 /* degC, and as far below 0 */

/* From now on particles have temperatures; those that are there, the air's. */
OozeStatus ooze_world_keep_heat(OozeWorld *world, OozeError *error);
/* The same where a material asks for it, and phases where there is heat and it melts. */
OozeStatus ooze_world_keep_heat_of(OozeWorld *world, const OozeMaterial *material,
                                   OozeError *error);
/* Newcomers first .. first + n of the store, or of one with its fields; NAN: as warm as the air. */
void ooze_world_warm(OozeWorld *world, OozeParticles *particles, uint64_t first, uint64_t n,
                     double temperature);
OozeStatus ooze_world_check_temperature(double temperature, const char *what, const char *name,
                                        OozeError *error);
/* The heat stage of a substep. */
OozeStatus ooze_world_conduct(OozeWorld *world, OozeError *error);

/* Particles there will be at the time `end` if emitters go on as now and nothing leaves. */
double ooze_world_forecast(const OozeWorld *world, double end);

/* ---- dynamic solids: dynamic.c ---------------------------------------------------- */

/* Counts a new solid that is dynamic. OOZE_ERROR_UNSUPPORTED: the method knows no such solids. */
OozeStatus ooze_world_admit_solid(OozeWorld *world, const OozeSolid *solid, OozeError *error);
/* Once a step, once a substep, at each try of it, and after the method. */
OozeStatus ooze_world_prepare_loads(OozeWorld *world, OozeError *error);
void ooze_world_begin_substep_loads(OozeWorld *world);
void ooze_world_fly_solids(OozeWorld *world);
OozeStatus ooze_world_settle_solids(OozeWorld *world, OozeError *error);
/* Loads of the particles on each solid in the last step; NULL: no step yet, or no dynamic solid. */
const OozeLoad *ooze_world_taken(const OozeWorld *world, int *count);
/* Contacts and joints: NULL where this build has none. Defined in src/parts. */
const OozeDynamics *ooze_dynamics_find(void);
void ooze_world_close_dynamics(OozeWorld *world);
/* m/s that no point of a dynamic solid exceeds; 0: there is none. */
double ooze_world_fastest_solid(const OozeWorld *world);

/* What a method may touch, as of now. */
OozeStepContext ooze_world_step_context(OozeWorld *world);

/* From now on steps record the stress of each particle, on the processor. NaN where the method has
   none. */
void ooze_world_record_stress(OozeWorld *world);
/* Of the last step, Pa; NULL: there was none, or it is not recorded. */
const OozeSym3 *ooze_world_stress(const OozeWorld *world);

/* Gives every number that a change is due for its value at the world's time. */
void ooze_world_apply_changes(OozeWorld *world);

/* The emission stage, and the velocities of particles inside nozzles: emission.c. */
OozeStatus ooze_world_emit(OozeWorld *world, OozeError *error);
OozeStatus ooze_world_prescribe(OozeWorld *world, OozeError *error);

/* Whether steps may be divided into substeps. */
bool ooze_world_cuts_steps(const OozeWorld *world);
/* The next substep: as long as the particles' speeds and `max_travel` allow. */
OozeStatus ooze_world_choose_substep(OozeWorld *world, OozeError *error);
/* The same one, half as long; false: it is as short as it gets. */
bool ooze_world_halve_substep(OozeWorld *world);

/* The neighbourhood stage: boundary samples, sort, reorder, lists. */
OozeStatus ooze_world_find_neighbours(OozeWorld *world, OozeError *error);

void ooze_snapshot_destroy(OozeSnapshot *snapshot);

/* ---- engines: device.c ------------------------------------------------------------------ */

/* Reads the choice of device; OOZE_ERROR_UNSUPPORTED: this build or computer does not have it. */
OozeStatus ooze_world_open_device(OozeWorld *world, OozeError *error);
/* Chooses the engine of the next step by the present settings. OOZE_ERROR_UNSUPPORTED: the device
   that was chosen does not implement them. */
OozeStatus ooze_world_choose_engine(OozeWorld *world, OozeError *error);
void ooze_world_close_engine(OozeWorld *world);
/* From now on each part of a step is waited for, so that its time is measured separately. */
void ooze_world_time_parts(OozeWorld *world);

/* sync_to_host precedes every read of the particle store; own_on_host every change of it, or of its
   fields; upload every step. Arrays of the method follow the particles. */
OozeStatus ooze_world_sync_to_host(OozeWorld *world, OozeError *error);
OozeStatus ooze_world_own_on_host(OozeWorld *world, OozeError *error);
OozeStatus ooze_world_upload(OozeWorld *world, OozeError *error);
uint64_t ooze_world_particle_count(const OozeWorld *world); /* wherever they are */

/* Removes those arrivals from `first` on that overlap particles of the store or earlier arrivals.
   Reads the particle store: see ooze_world_sync_to_host. */
OozeStatus ooze_world_thin_fill(OozeWorld *world, OozeParticles *arrivals, uint64_t first,
                                uint64_t *removed, OozeError *error);

/* The empty store that emitters fill in a step, with the ids that follow; and its append. */
OozeStatus ooze_world_begin_arrivals(OozeWorld *world, OozeParticles **arrivals, OozeError *error);
OozeStatus ooze_world_append_arrivals(OozeWorld *world, OozeError *error);

#endif
