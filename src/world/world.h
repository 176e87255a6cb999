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

/* A step is cut into parts of 1/OOZE_SUB_UNITS each; a sub-step is a power of two of these. */
enum { OOZE_SUB_UNITS = 64 };
typedef struct OozeSubStep {
    int done;        /* units of the present step that have passed */
    int units;       /* of the present sub-step */
    int count;       /* of sub-steps so far */
    double time, dt; /* at its beginning, and its length, s */
} OozeSubStep;

/* Who has the particles as they are now. */
typedef enum OozeHolder {
    OOZE_HOLDER_HOST, /* the particle store; an engine has none, or old ones */
    OOZE_HOLDER_BOTH,
    OOZE_HOLDER_ENGINE, /* the store has old ones */
} OozeHolder;

struct OozeWorld {
    OozeWorldDef def;
    const OozeMethod *method;
    void *method_data;
    double *params;
    OozeThreads *threads;
    OozeArena *arena;
    OozeParticles *particles;
    int rest_field;        /* index of rest_position, or -1: nothing needs it */
    int body_field;        /* index of body, or -1: there are none */
    int pin_field;         /* index of pin; as body_field */
    int led_field;         /* index of nozzle, or -1: no emitter leads its fluid */
    int temperature_field; /* index of temperature, or -1: no heat */
    int phase_field;       /* index of phase, or -1: nothing melts */
    OozeHeatRule heat;     /* once there is a temperature */
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
    int dynamic_count;        /* of solids with a density */
    OozeDynamicStage dynamic; /* of the present stroke, where there are any */
    OozeLoad *loads; /* of the stroke, load_room of them; then as many: of the whole last step */
    int load_room;
    const OozeDynamics
        *dynamics; /* who knows contacts and joints; NULL: nobody, or no solid gives way */
    void *dynamics_data;
    OozeBoundary boundary;
    uint64_t bounded_samples; /* the first of them: those of solids that are no planes */
    bool boundary_stale;      /* solids were added: sample all again */
    bool planes_stale;        /* the fluid went elsewhere: sample the planes again */
    OozeGrid *grid;
    OozeNeighbours fluid, fluid_boundary;
    double time; /* s, always step * time_step */
    uint64_t step;
    OozeSubStep sub; /* nothing of it outlives the step */
    uint64_t emitted, removed;
    OozeStepReport report; /* of the last step */
    OozeStepReport stroke; /* of the last part of it */
    uint64_t unmet_steps;  /* whose velocity solve ended above its tolerance */
    double worst_residual; /* of all steps of this world */
    bool asks_stress;
    OozeSym3 *stress; /* of the last step, in the order of the store; NULL: nobody asked */
    uint64_t stress_room;
    OozeStageTime stages[OOZE_STAGE_COUNT];
    OozeStageClock clock;   /* of what they do inside */
    OozeSnapshot *snapshot; /* what ooze_world_frame hands out */

    OozeDevice device;         /* as asked for, the environment considered */
    const OozeEngine *offered; /* that could take steps; NULL: this build has none */
    const OozeEngine *engine;  /* that takes them; NULL: the processor does */
    void *engine_data;
    OozeHolder holder;
    bool samples_sent;       /* the engine has the boundary's samples */
    double engine_speed;     /* of the fastest particle there; NAN: not known */
    OozeParticles *arrivals; /* what emitters give, on its way to an engine; NULL until then */
    bool machine_told;       /* the log knows which machine takes the steps */
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

/* New particles first .. first + n of the store, or of one with its fields, start their rest_position where
   they are now, and with this temperature; NAN: that of the air. */
void ooze_world_welcome(OozeWorld *world, OozeParticles *particles, uint64_t first, uint64_t n,
                        double temperature);

/* From now on particles know where they came into the world; those that are there, where they are. */
OozeStatus ooze_world_keep_rest(OozeWorld *world, OozeError *error);

/* From now on particles have what this material needs of them. */
OozeStatus ooze_world_add_material_fields(OozeWorld *world, const OozeMaterial *material,
                                          OozeError *error);

/* Whether these particles can make up a body, and room for it; nothing for fluid. */
OozeStatus ooze_world_prepare_body(OozeWorld *world, const OozeFluidDef *def, uint64_t n,
                                   const OozeVec3 *positions, OozeError *error);
/* The particles first .. first + n are the body that was prepared. */
void ooze_world_add_body(OozeWorld *world, OozeBodyKind kind, uint64_t first, uint64_t n);

/* ---- heat: heat.c --------------------------------------------------------------------------- */

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
/* The heat stage of a stroke. */
OozeStatus ooze_world_conduct(OozeWorld *world, OozeError *error);

/* Particles there will be at the time `end` if emitters go on as now and nothing leaves. */
double ooze_world_forecast(const OozeWorld *world, double end);

/* ---- solids that give way: dynamic.c -------------------------------------------------------- */

/* Counts a new solid that is dynamic. OOZE_ERROR_UNSUPPORTED: the method knows no such solids. */
OozeStatus ooze_world_admit_solid(OozeWorld *world, const OozeSolid *solid, OozeError *error);
/* Once a step, once a stroke, at each try of it, and after the method. */
OozeStatus ooze_world_prepare_loads(OozeWorld *world, OozeError *error);
void ooze_world_start_stroke(OozeWorld *world);
void ooze_world_fly_solids(OozeWorld *world);
OozeStatus ooze_world_settle_solids(OozeWorld *world, OozeError *error);
/* What the last step's particles gave a solid; NULL: there was none, or no solid gives way. */
const OozeLoad *ooze_world_taken(const OozeWorld *world, int *count);
/* Who knows contacts and joints: NULL where this build has none. Defined in src/parts. */
const OozeDynamics *ooze_dynamics_find(void);
void ooze_world_close_dynamics(OozeWorld *world);
/* m/s that no point of a dynamic solid exceeds; 0: there is none. */
double ooze_world_fastest_solid(const OozeWorld *world);

/* What a method may touch, as of now. */
OozeStepContext ooze_world_step_context(OozeWorld *world);

/* From now on steps tell the stress of each particle, on the processor. NaN where the method knows none. */
void ooze_world_ask_stress(OozeWorld *world);
/* Of the last step, Pa; NULL: there was none, or nobody asked. */
const OozeSym3 *ooze_world_stress(const OozeWorld *world);

/* Gives every number that a change is due for its value at the world's time. */
void ooze_world_apply_changes(OozeWorld *world);

/* Whether steps may be cut into sub-steps. */
bool ooze_world_cuts_steps(const OozeWorld *world);
/* The next sub-step: as long as the particles' speeds and `max_travel` allow. */
OozeStatus ooze_world_choose_sub_step(OozeWorld *world, OozeError *error);
/* The same one, half as long; false: it is as short as it gets. */
bool ooze_world_halve_sub_step(OozeWorld *world);

/* The neighbourhood stage: boundary samples, sort, reorder, lists. */
OozeStatus ooze_world_find_neighbours(OozeWorld *world, OozeError *error);

void ooze_snapshot_destroy(OozeSnapshot *snapshot);

/* ---- the machine: device.c ------------------------------------------------------------------ */

/* Reads what is asked for; OOZE_ERROR_UNSUPPORTED: it is a device that this build or machine has not. */
OozeStatus ooze_world_open_device(OozeWorld *world, OozeError *error);
/* Decides by the present settings who takes the next step. OOZE_ERROR_UNSUPPORTED: not the one asked for. */
OozeStatus ooze_world_choose_machine(OozeWorld *world, OozeError *error);
void ooze_world_close_engine(OozeWorld *world);
/* From now on each part of a step waits until the machine is done with it, so that its time is its own. */
void ooze_world_time_parts(OozeWorld *world);

/* Whoever reads particles in the store brings them home first; whoever changes or adds any there, or adds a
   field, takes them back; a step hands them over to its engine. */
OozeStatus ooze_world_bring_home(OozeWorld *world, OozeError *error);
OozeStatus ooze_world_take_back(OozeWorld *world, OozeError *error);
OozeStatus ooze_world_hand_over(OozeWorld *world, OozeError *error);
uint64_t ooze_world_particle_count(const OozeWorld *world); /* wherever they are */

/* Takes those of the newcomers from `first` on away again that stand on top of others: of the store, or that came before
   them. Particles are at home. */
OozeStatus ooze_world_thin_fill(OozeWorld *world, OozeParticles *arrivals, uint64_t first,
                                uint64_t *removed, OozeError *error);

/* The store that emitters fill in a step, with the ids that follow; and after that, in. */
OozeStatus ooze_world_open_door(OozeWorld *world, OozeParticles **arrivals, OozeError *error);
OozeStatus ooze_world_let_in(OozeWorld *world, OozeError *error);

#endif
