/* The world: its data, and the functions that the files of this folder share. */
#ifndef OOZE_WORLD_WORLD_H
#define OOZE_WORLD_WORLD_H

#include "base/fail.h"
#include "heat/heat.h"
#include "methods/method.h"
#include "world/change.h"
#include "world/emitter.h"
#include "world/engine.h"
#include "world/preset.h"
#include "world/probes/probe.h"
#include "world/scales.h"

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

/* A growing array of items that a user adds. */
#define OOZE_LIST(type)                                                                            \
    struct {                                                                                       \
        type *items;                                                                               \
        int count, capacity;                                                                       \
    }

typedef struct OozeSnapshot OozeSnapshot;

/* A unit is 1/OOZE_SUBSTEP_UNITS of a step; a substep takes a power of two of them. */
enum { OOZE_SUBSTEP_UNITS = 64 };
typedef struct OozeSubstep {
    int done;        /* units of the current step before this substep */
    int units;       /* length of this substep in units */
    int count;       /* substeps of the current step so far */
    double time, dt; /* s: beginning and length of this substep */
    /* m/s: faster particles are in free flight, see free_flight.c; INFINITY: none is */
    double free_speed;
} OozeSubstep;

/* Where the current particle data is. */
typedef enum OozeDataLocation {
    OOZE_DATA_ON_HOST,   /* in the particle store; the engine's copy is outdated */
    OOZE_DATA_ON_BOTH,   /* equal copies */
    OOZE_DATA_ON_ENGINE, /* in the engine; the particle store is outdated, except on the CPU */
} OozeDataLocation;

struct OozeWorld {
    OozeWorldDef def;
    const OozeMethod *method;
    void *method_data;
    double *params;      /* settings of the method, in the order of method->info.params */
    bool *stated_params; /* those that ooze_world_set_param has set */
    OozeThreads *threads;
    OozeArena *arena;
    OozeParticles *particles;
    /* Indices of optional particle fields; -1: the world does not have the field. */
    int rest_field;         /* rest_position: for bodies and drift probes */
    int body_field;         /* body: for particle bodies */
    int pin_field;          /* pin: for particle bodies */
    int nozzle_field;       /* nozzle: for emitters with a length */
    int temperature_field;  /* temperature: for heat */
    int phase_field;        /* phase: for heat and a material that melts */
    OozeHeatConstants heat; /* set with temperature_field */
    OozePeriodic periodic;
    bool needs_wrap; /* particles were added that may be outside the periodic box */
    double support;  /* m, kernel support radius */
    OOZE_LIST(OozeMaterial) materials;
    OOZE_LIST(OozeWorldPreset) presets;
    OOZE_LIST(OozeScaleVolume) volumes; /* that were filled with particles */
    OOZE_LIST(OozeSolid) solids;
    OOZE_LIST(OozeJoint) joints;
    OOZE_LIST(OozeBody) bodies;
    OOZE_LIST(OozeEmitter) emitters;
    OOZE_LIST(OozeSink) sinks;
    OOZE_LIST(OozeHeatSource) sources;
    OOZE_LIST(OozeProbe) probes;
    OOZE_LIST(OozeChange) changes;
    OOZE_LIST(OozePushDef) pushes;
    int dynamic_count;        /* number of dynamic solids */
    OozeDynamicStage dynamic; /* of the current substep; used if dynamic_count > 0 */
    OozeLoad *loads; /* load_capacity loads of the substep, then as many summed over the step */
    int load_capacity;
    const OozeDynamics *dynamics; /* solves contacts and joints; NULL: there is no such solver */
    void *dynamics_data;
    int exact_contacts_max; /* see OozeDynamicStage */
    OozeBoundary boundary;
    uint64_t fixed_samples;   /* boundary samples before those of large solids and planes */
    uint64_t bounded_samples; /* boundary samples before those of planes */
    bool boundary_stale;      /* solids were added: all solids must be sampled again */
    bool large_stale;         /* large solids and planes must be sampled again */
    bool planes_stale;        /* planes must be sampled again */
    OozeGrid *grid;
    OozeNeighbours fluid, fluid_boundary;
    double time; /* s, always step * time_step */
    uint64_t step;
    OozeSubstep substep;
    uint64_t emitted, removed;     /* particles since the start: by emitters, by sinks */
    OozeStepReport report;         /* of the last step */
    OozeStepReport substep_report; /* of its last substep */
    uint64_t unconverged_steps;    /* steps whose velocity solve ended above its tolerance */
    double worst_residual;         /* over all steps of this world */
    bool records_stress;
    OozeSym3 *stress; /* Pa per particle, of the last step; NULL: not recorded */
    uint64_t stress_capacity;
    OozeStageTime stages[OOZE_STAGE_COUNT];
    OozeStepTimer timer;    /* of the parts of stages */
    OozeSnapshot *snapshot; /* owner of the frame that ooze_world_frame returns */

    OozeDevice device; /* the definition's, or that of the environment where it says auto */
    const OozeEngine *gpu_engine; /* NULL: this build has none, or it cannot be used */
    OozeRanks *ranks;             /* that share the steps; NULL: this process takes them alone */
    bool host_has_all;            /* the hosts of all ranks get all particles, not rank 0's alone */
    const OozeEngine *engine;     /* takes the steps; never NULL */
    void *engine_data;
    OozeDataLocation data_location;
    bool samples_sent;       /* the engine has the current boundary samples */
    double engine_speed;     /* m/s of the fastest particle in the engine; NAN: not known */
    OozeParticles *arrivals; /* particles emitted in this step; NULL before the first emission */
    bool engine_logged;      /* the log has named the engine */
};

/* As ooze_world_create, with a method that need not be in ooze_method_list. */
OozeStatus ooze_world_create_with(const OozeWorldDef *def, const OozeMethod *method,
                                  OozeWorld **world, OozeError *error);

/* Zeroed memory for one more item of a list; NULL: out of memory. The caller raises the count. */
void *ooze_list_reserve(void **items, int count, int *capacity, size_t size);
#define OOZE_LIST_RESERVE(list)                                                                    \
    ooze_list_reserve((void **)&(list).items, (list).count, &(list).capacity, sizeof *(list).items)

/* Sends one line to the user's log callback, if there is one. */
void ooze_world_log(const OozeWorld *world, OozeLogLevel level, const char *format, ...)
    OOZE_PRINTF(3, 4);

/* Fails unless 0 <= index < count; `what` names the kind of item in the error. */
OozeStatus ooze_world_check_id(int index, int count, const char *what, OozeError *error);

/* Sets rest position, temperature (degC; NAN: the air's) and phase of the new particles
   first .. first + n of `particles`, a store with the fields of the world's. */
void ooze_world_init_particles(OozeWorld *world, OozeParticles *particles, uint64_t first,
                               uint64_t n, double temperature);

/* Adds the field rest_position: the position of a particle when it or the field was added. */
OozeStatus ooze_world_add_rest_positions(OozeWorld *world, OozeError *error);

/* Adds the particle fields that the method needs for this material with its present settings. */
OozeStatus ooze_world_add_optional_fields(OozeWorld *world, const OozeMaterial *material,
                                          OozeError *error);

/* Checks that n particles at these positions can form a particle body, and allocates it. Does
   nothing for fluid. */
OozeStatus ooze_world_prepare_body(OozeWorld *world, const OozeFluidDef *def, uint64_t n,
                                   const OozeVec3 *positions, OozeError *error);
/* Makes the particles first .. first + n the body that was prepared. */
void ooze_world_add_body(OozeWorld *world, OozeBodyKind kind, uint64_t first, uint64_t n);

/* ---- presets: preset.c ------------------------------------------------------------------- */

/* Registers the preset of the material that was added last, if its definition names one. */
OozeStatus ooze_world_add_preset(OozeWorld *world, const OozeMaterialDef *def, OozeError *error);
/* A number of a material that is set by itself: its preset does not replace it. */
void ooze_world_state_number(OozeWorld *world, int material, int number);
/* Before a step: derives the numbers of presets that were added since the last one. */
OozeStatus ooze_world_derive_presets(OozeWorld *world, OozeError *error);
/* Before the numbers of a frame are restored, and after it: finds out whether those of presets in
   it are derived. */
void ooze_world_begin_restoring_presets(OozeWorld *world);
void ooze_world_end_restoring_presets(OozeWorld *world);

/* ---- heat: heat.c ----------------------------------------------------------------------- */

#define OOZE_TEMPERATURE_MAX 1e6 /* degC; the lowest is its negative */

/* Adds the field temperature, at first that of the air, and phase where a material melts. */
OozeStatus ooze_world_enable_heat(OozeWorld *world, OozeError *error);
/* The same if the material has a temperature table or the world has temperatures already. */
OozeStatus ooze_world_enable_heat_for(OozeWorld *world, const OozeMaterial *material,
                                      OozeError *error);
/* Temperature (degC; NAN: the air's) and phase of the particles first .. first + n. */
void ooze_world_init_temperatures(OozeWorld *world, OozeParticles *particles, uint64_t first,
                                  uint64_t n, double temperature);
OozeStatus ooze_world_check_temperature(double temperature, const char *what, const char *name,
                                        OozeError *error);
/* The heat stage of a substep. */
OozeStatus ooze_world_conduct(OozeWorld *world, OozeError *error);

/* Number of particles at the time `end` at the present emitter speeds, without sinks. */
double ooze_world_forecast_particles(const OozeWorld *world, double end);

/* ---- forecasts: forecast.c -------------------------------------------------------------- */

/* Memory of the host in bytes of a run, for each particle: store, copies that are being written,
   and, unless a GPU takes the steps, lists of neighbours and scratch arrays of the method.
   Estimated from below. */
double ooze_world_bytes_per_particle(OozeWorld *world);
/* Number of particles of a fluid, without placing them; see ooze_fill_count. Of a mesh an estimate
   from a coarse distance grid. */
OozeStatus ooze_world_count_fluid(const OozeWorld *world, const OozeFluidDef *def, double *count,
                                  OozeError *error);

/* A step fails where a particle moves faster, or is farther from the origin, than this. */
#define OOZE_SPACINGS_PER_STEP_MAX    1000.0
#define OOZE_SPACINGS_FROM_ORIGIN_MAX 4e6 /* floats resolve a quarter of a spacing there */

/* ---- dynamic solids: dynamic.c ---------------------------------------------------- */

/* Registers a new solid if it is dynamic; fails if the method does not push solids. */
OozeStatus ooze_world_add_dynamic_solid(OozeWorld *world, const OozeSolid *solid, OozeError *error);
/* Once a step: allocates the loads and clears those summed over the step. */
OozeStatus ooze_world_prepare_loads(OozeWorld *world, OozeError *error);
/* Once a substep: stores the poses at its beginning. */
void ooze_world_begin_substep_loads(OozeWorld *world);
/* At each try of a substep: moves dynamic solids to where they come without loads. */
void ooze_world_predict_solids(OozeWorld *world);
/* After the method: moves dynamic solids with their loads, unless the method has done so. */
OozeStatus ooze_world_finish_solids(OozeWorld *world, OozeError *error);
/* Loads of the last step's particles on each solid; NULL: no step, or no dynamic solid. */
const OozeLoad *ooze_world_solid_loads(const OozeWorld *world, int *count);
/* The solver for contacts and joints; NULL: this build has none. Defined in src/parts. */
const OozeDynamics *ooze_dynamics_find(void);
void ooze_world_close_dynamics(OozeWorld *world);
/* Upper bound of the speed of any point of a dynamic solid, m/s; 0: there is none. */
double ooze_world_fastest_solid(const OozeWorld *world);

/* The data that a method may read and write, in its present state. */
OozeStepContext ooze_world_step_context(OozeWorld *world);

/* From now on steps on the processor record stresses; NaN where the method has none. */
void ooze_world_record_stress(OozeWorld *world);
/* Stress per particle of the last step, Pa; NULL: no step was recorded. */
const OozeSym3 *ooze_world_stress(const OozeWorld *world);

/* Sets every number that a change in time controls to its value at the world's time. */
void ooze_world_apply_changes(OozeWorld *world);
/* Fails where a step would refuse the settings and materials that the world has at the time of the
   change, with its value and those of the changes up to then. */
OozeStatus ooze_world_check_change(OozeWorld *world, const OozeChangeDef *def, OozeError *error);
/* Drops the changes that were added since the mark was taken. */
int ooze_world_mark_changes(const OozeWorld *world);
void ooze_world_drop_changes(OozeWorld *world, int mark);
/* Adds a change of every number of a material at `time`, s: of those that are not given (NAN) as
   well. `values` are in the order of ooze_material_params. Adds none where it fails. */
OozeStatus ooze_world_add_material_change(OozeWorld *world, int32_t material, const double *values,
                                          double time, OozeError *error);
/* Adds the velocities of the pushes of the coming step. */
OozeStatus ooze_world_apply_pushes(OozeWorld *world, OozeError *error);
/* Whether a change in time, past or to come, is one of gravity, of the air, or of the position of a
   nozzle: only then are these a part of the saved state. */
bool ooze_world_changes_gravity(const OozeWorld *world);
bool ooze_world_changes_air(const OozeWorld *world);
bool ooze_world_moves_nozzles(const OozeWorld *world);

/* The emission stage, and the prescribed velocities of particles inside nozzles: emission.c. */
OozeStatus ooze_world_emit(OozeWorld *world, OozeError *error);
OozeStatus ooze_world_prescribe(OozeWorld *world, OozeError *error);

/* Whether fast particles divide steps into substeps. */
bool ooze_world_uses_substeps(const OozeWorld *world);
/* Sets the next substep, as long as the particles' speeds and `max_travel` allow. */
OozeStatus ooze_world_choose_substep(OozeWorld *world, OozeError *error);
/* Whether a particle of this speed (m/s) moves at most `max_travel` in a substep of these units. */
bool ooze_world_allows_speed(const OozeWorld *world, double speed, int units);
/* The largest such speed; below 0 where gravity alone moves a particle farther. */
double ooze_world_speed_limit(const OozeWorld *world, int units);
/* The longest substep of at most *units units in which every particle that exceeds the speed limit
   is in free flight. Sets *free_speed as in OozeSubstep. */
OozeStatus ooze_world_find_free_flight(OozeWorld *world, double fastest, int *units,
                                       double *free_speed, OozeError *error);
/* Halves the substep; false: it is one unit long already. */
bool ooze_world_halve_substep(OozeWorld *world);

/* Speed of the fastest particle, m/s. */
OozeStatus ooze_world_fastest_particle(OozeWorld *world, double *speed, OozeError *error);

/* The cells of a solid's surface at its present pose, in which it is sampled where it is large;
   false: it cannot be sampled in cells. */
bool ooze_world_find_lattice(const OozeWorld *world, const OozeSolid *solid,
                             OozeSurfaceLattice *lattice);
/* Creates boundary samples on new solids and where fluid comes near planes and large solids. `low`,
   `high`: bounding box of the particles; low > high where there are none. */
OozeStatus ooze_world_update_samples(OozeWorld *world, const float low[3], const float high[3],
                                     OozeError *error);
/* About how many boundary samples the first step creates where `particles` fill the box `fluid`;
   takes little time and memory, however many they are. */
double ooze_world_count_samples(const OozeWorld *world, const OozeBounds *fluid, double particles);
/* The neighbourhood stage: boundary samples, sort, reorder, lists. */
OozeStatus ooze_world_find_neighbours(OozeWorld *world, OozeError *error);

void ooze_snapshot_destroy(OozeSnapshot *snapshot);

/* ---- engines: device.c ------------------------------------------------------------------ */

/* Sets world->device; OOZE_ERROR_UNSUPPORTED: this build or computer does not have it. */
OozeStatus ooze_world_open_device(OozeWorld *world, OozeError *error);
/* Chooses the engine of the next step by the present settings. OOZE_ERROR_UNSUPPORTED: the device
   that was chosen does not implement them. */
OozeStatus ooze_world_choose_engine(OozeWorld *world, OozeError *error);
/* Fails, without other effects, where that would fail by the present settings on this device. */
OozeStatus ooze_world_check_engine(OozeWorld *world, OozeError *error);
/* Whether a GPU is expected to take the steps, by the present settings. */
bool ooze_world_expects_gpu(OozeWorld *world);
void ooze_world_close_engine(OozeWorld *world);
/* From now on the ranks share the steps, and rank 0 has the particles of all of them on the host.
   Call it on all ranks, before the first step. */
void ooze_world_set_ranks(OozeWorld *world, OozeRanks *ranks);
/* The engine that shares steps among ranks: ranks_engine.c. */
extern const OozeEngine ooze_ranks_engine;
/* From now on the timer waits for the engine after each part of a step, to measure it alone. */
void ooze_world_time_parts(OozeWorld *world);

/* Call sync_to_host before reading the particle store, own_on_host before changing it or its
   fields, upload before a step. The arrays of the method are copied with the particles. */
OozeStatus ooze_world_sync_to_host(OozeWorld *world, OozeError *error);
/* As ooze_world_frame, of particles that are on the engine alone: the fields are in the memory of
   `fetch`, and complete when it has been waited for; steps may go on. NULL: not possible. */
const OozeFrame *ooze_world_fetch_frame(OozeWorld *world, OozeFetch *fetch);
OozeStatus ooze_world_own_on_host(OozeWorld *world, OozeError *error);
OozeStatus ooze_world_upload(OozeWorld *world, OozeError *error);
uint64_t ooze_world_particle_count(const OozeWorld *world); /* on the host or in the engine */

/* Removes arrivals from index `first` on that overlap particles of the store or earlier arrivals.
   Reads the particle store: see ooze_world_sync_to_host. */
OozeStatus ooze_world_remove_overlaps(OozeWorld *world, OozeParticles *arrivals, uint64_t first,
                                      uint64_t *removed, OozeError *error);

/* begin_arrivals gives an empty store, whose ids follow the world's, for emitters to fill;
   append_arrivals adds its particles to the engine's. */
OozeStatus ooze_world_begin_arrivals(OozeWorld *world, OozeParticles **arrivals, OozeError *error);
OozeStatus ooze_world_append_arrivals(OozeWorld *world, OozeError *error);

#endif
