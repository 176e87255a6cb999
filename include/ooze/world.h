/* Ooze: the world. Fill a definition from its default function, create, add things, step.

   Every call that can fail returns an OozeStatus and fills `error` when it is not NULL. Ids that a
   call gives back may be taken as NULL; any other pointer that is NULL is an error, not a crash.
   The library never prints, exits or aborts. A world may be used by one thread at a time; it runs
   its own worker threads inside a step. */
#ifndef OOZE_WORLD_H
#define OOZE_WORLD_H

#include "ooze/frame.h"
#include "ooze/look.h"
#include "ooze/shape.h"
#include "ooze/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OozeWorld OozeWorld;

/* What takes the steps. */
typedef enum OozeDevice {
    /* The GPU where this build has that back end, the machine has one, and it takes the method with
       its settings; else the processor. The environment variable OOZE_DEVICE, `cpu` or `cuda`,
       decides in its place where it is set. */
    OOZE_DEVICE_AUTO,
    OOZE_DEVICE_CPU,
    OOZE_DEVICE_CUDA, /* an error where it cannot be */
    OOZE_DEVICE_COUNT
} OozeDevice;

typedef struct OozeWorldDef {
    const char *method;   /* "ballistic", ... see ooze_methods */
    double spacing;       /* m between neighbouring particles at rest */
    double support_ratio; /* kernel support radius over spacing; NAN: as the method wants it, 2.2 or
                             what its page says */
    double time_step;     /* s */
    /* Largest travel of a particle in a substep, in spacings: a step in which one would move
       farther is divided into 2 to 64 substeps, not all of one length. 0: never divided. */
    double max_travel;
    OozeVec3 gravity; /* m/s2 */
    OozeAxis up;      /* height probes, shapes and exporters follow it */
    bool periodic[3]; /* axes that wrap around */
    OozeVec3 periodic_min, periodic_max;
    double air_temperature; /* degC; of all that is given none of its own too */
    double air_transfer;    /* W/(m2 K) from free surfaces to the air; 0: none */
    int threads;            /* 0: one per core */
    OozeDevice device;      /* the same scene, but not the same bits, on each */
    uint64_t seed;          /* jitter and nothing else */
    OozeLogCallback log;    /* may be NULL */
    void *log_user;
} OozeWorldDef;

OOZE_API OozeWorldDef ooze_world_def_default(void);

OOZE_API OozeStatus ooze_world_create(const OozeWorldDef *def, OozeWorld **world, OozeError *error);
OOZE_API void ooze_world_destroy(OozeWorld *world);

/* ---- methods and their solver settings -------------------------------------------------- */

typedef struct OozeMethodInfo {
    const char *name;
    const char *summary;
    const char *reference; /* the paper, or "" */
    const OozeParamInfo *params;
    int param_count;
} OozeMethodInfo;

OOZE_API int ooze_method_count(void);
OOZE_API const OozeMethodInfo *ooze_method_info(int index);
OOZE_API OozeStatus ooze_world_set_param(OozeWorld *world, const char *key, double value,
                                         OozeError *error);
OOZE_API OozeStatus ooze_world_get_param(const OozeWorld *world, const char *key, double *value,
                                         OozeError *error);

/* ---- materials --------------------------------------------------------------------------- */

/* All numbers a material may have, shared by every method. */
OOZE_API const OozeParamInfo *ooze_material_params(int *count);

/* A material's numbers at a temperature, those that depend on it; NAN: not given. Between rows each
   goes in equal ratios, extension and stretch_rate in equal parts; beyond the first and last it
   stays. */
typedef struct OozeTemperatureRow {
    double temperature; /* degC */
    double viscosity, modulus, relaxation_time, compliance, solvent_viscosity, yield_strain,
        surface_tension, extension, stretch_rate; /* in place of the material's */
    double shift; /* factor on viscosities and relaxation times; 1: as given */
} OozeTemperatureRow;

OOZE_API OozeTemperatureRow ooze_temperature_row_default(void);

typedef struct OozeMaterialDef {
    const char *name;
    float color[3];
    double values[64]; /* in the order of ooze_material_params; NAN: not given */
    OozeLookDef look;  /* for pictures */
    const OozeTemperatureRow *temperature_table; /* by rising temperature; may be NULL */
    int temperature_row_count;
} OozeMaterialDef;

OOZE_API OozeMaterialDef ooze_material_def_default(void);
OOZE_API OozeStatus ooze_material_def_set(OozeMaterialDef *def, const char *key, double value,
                                          OozeError *error);
OOZE_API OozeStatus ooze_world_add_material(OozeWorld *world, const OozeMaterialDef *def,
                                            OozeMaterialId *id, OozeError *error);
/* Change while running: acts from the next step on. */
OOZE_API OozeStatus ooze_world_set_material(OozeWorld *world, OozeMaterialId id, const char *key,
                                            double value, OozeError *error);
OOZE_API OozeStatus ooze_world_get_material(const OozeWorld *world, OozeMaterialId id,
                                            const char *key, double *value, OozeError *error);

/* ---- presets ----------------------------------------------------------------------------- */

/* Where a number of a preset comes from. */
typedef enum OozePresetOrigin {
    OOZE_PRESET_MEASURED, /* as the source reports it, or worked out from what it reports */
    OOZE_PRESET_TYPICAL,  /* the order of magnitude of the material; samples differ */
    OOZE_PRESET_ARTISTIC, /* chosen so that it moves as people expect */
    OOZE_PRESET_ORIGIN_COUNT
} OozePresetOrigin;

typedef struct OozePresetNumber {
    const char *key; /* of ooze_material_params */
    double value;
    OozePresetOrigin origin;
    const char *source; /* publication or reason of the choice; never empty */
} OozePresetNumber;

/* A material by name: everyday ones, with numbers from the literature where there are some. */
typedef struct OozePresetInfo {
    const char *name;    /* "whipped_cream" */
    const char *summary; /* which of its kind is meant */
    const char *model;   /* what kind of fluid it is taken for, and what that leaves out */
    double celsius;      /* temperature that the numbers hold at; NAN: any at which it is itself */
    const OozePresetNumber *numbers;
    int number_count;
    float color[3];   /* linear; colours and looks are always chosen by eye */
    const char *look; /* a row of ooze_looks */
} OozePresetInfo;

OOZE_API int ooze_preset_count(void);
OOZE_API const OozePresetInfo *ooze_preset_info(int index); /* NULL: out of range */
/* "measured", "typical", "artistic"; NULL past the last. */
OOZE_API const char *ooze_preset_origin_name(OozePresetOrigin origin);
/* A material definition with the numbers, colour and look of a preset, named like it. */
OOZE_API OozeStatus ooze_material_preset(const char *name, OozeMaterialDef *def, OozeError *error);

/* ---- solids ------------------------------------------------------------------------------ */

typedef struct OozeSolidDef {
    const char *name;
    OozeShapeDef shape;
    OozeMotionDef motion;
    double friction;       /* Coulomb coefficient; 0 slips freely, INFINITY never slips */
    double restitution;    /* 0: no bounce, 1: elastic */
    double stick_distance; /* m; 0: does not stick */
    double stick_strength; /* 1/s2, pull at distance d: k d (1 - d/stick_distance) */
    bool collides;         /* particles cannot enter */
    bool sampled;          /* carries boundary particles for methods that use them */
    double temperature;    /* degC, of its surface; NAN: lets no heat through */
    double conductivity;   /* W/(m K); NAN: what touches it has its temperature there */
    /* kg/m3; 0: it goes where its motion says. Else it is a rigid body, moved by gravity, by what
       pushes it and by other solids; its motion's velocity and spin are those that it starts
       with, and there may be no more of it. */
    double density;
    bool visible; /* in pictures */
    float color[3];
    OozeLookDef look; /* for pictures */
} OozeSolidDef;

typedef enum OozeSolidParam {
    OOZE_SOLID_FRICTION,
    OOZE_SOLID_RESTITUTION,
    OOZE_SOLID_STICK_DISTANCE,
    OOZE_SOLID_STICK_STRENGTH,
    OOZE_SOLID_COLLIDES, /* 0 or 1 */
    OOZE_SOLID_TEMPERATURE,
    OOZE_SOLID_CONDUCTIVITY,
    OOZE_SOLID_PARAM_COUNT
} OozeSolidParam;

/* "friction", ...: the keys of a scene's solid. NULL past the last. */
OOZE_API const char *ooze_solid_param_name(OozeSolidParam param);

OOZE_API OozeSolidDef ooze_solid_def_default(void);
OOZE_API OozeStatus ooze_world_add_solid(OozeWorld *world, const OozeSolidDef *def, OozeSolidId *id,
                                         OozeError *error);
OOZE_API OozeStatus ooze_world_set_solid(OozeWorld *world, OozeSolidId id, OozeSolidParam param,
                                         double value, OozeError *error);
OOZE_API OozeStatus ooze_world_get_solid(const OozeWorld *world, OozeSolidId id,
                                         OozeSolidParam param, double *value, OozeError *error);
/* Takes the solid over from its motion: it goes to `pose` during the next step, then keeps moving
   with the pose's velocity and spin until set again. A dynamic solid is there at once, with
   that velocity and spin, and stays dynamic. */
OOZE_API OozeStatus ooze_world_set_solid_pose(OozeWorld *world, OozeSolidId id,
                                              const OozePose *pose, OozeError *error);

/* ---- joints ------------------------------------------------------------------------------ */

typedef enum OozeJointKind {
    OOZE_JOINT_BALL,   /* turns freely about `anchor` */
    OOZE_JOINT_HINGE,  /* turns about the axis through `anchor` */
    OOZE_JOINT_SLIDER, /* goes along the axis, and does not turn */
    OOZE_JOINT_FIXED,  /* neither */
    OOZE_JOINT_KIND_COUNT
} OozeJointKind;

/* Holds two solids together, at least one of which has a density; they pass through each other.
   Needs a build with ODE. */
typedef struct OozeJointDef {
    const char *name;
    OozeJointKind kind;
    OozeSolidId solid, other; /* other.index -1: the world */
    OozeVec3 anchor;          /* m, in the world as it is now; not finite: the solid's position */
    OozeVec3 axis;            /* of hinge and slider, in the world as it is now */
    double low, high;         /* rad or m that `solid` may turn or go from here; NAN: any */
    double speed;             /* rad/s or m/s that a motor keeps it at, relative to the other */
    double force;             /* N m or N that the motor has at most; 0: there is none */
} OozeJointDef;

typedef enum OozeJointParam {
    OOZE_JOINT_SPEED,
    OOZE_JOINT_FORCE,
    OOZE_JOINT_LOW,
    OOZE_JOINT_HIGH,
    OOZE_JOINT_PARAM_COUNT
} OozeJointParam;

/* "speed", ...: the keys of a scene's joint. NULL past the last. */
OOZE_API const char *ooze_joint_param_name(OozeJointParam param);
OOZE_API OozeJointDef ooze_joint_def_default(void);
OOZE_API OozeStatus ooze_world_add_joint(OozeWorld *world, const OozeJointDef *def, OozeJointId *id,
                                         OozeError *error);
OOZE_API OozeStatus ooze_world_set_joint(OozeWorld *world, OozeJointId id, OozeJointParam param,
                                         double value, OozeError *error);

/* ---- fluid, emitters, sinks -------------------------------------------------------------- */

typedef enum OozeFill { OOZE_FILL_LATTICE, OOZE_FILL_JITTERED, OOZE_FILL_FITTED } OozeFill;

/* What the particles of a volume make up. Bodies take part in a fluid's steps and push and drag it
   as it does them; not every method knows them. */
typedef enum OozeBodyKind {
    OOZE_BODY_FLUID,
    OOZE_BODY_RIGID, /* keeps its shape */
    /* springs back to it with its material's modulus; what stands inside a solid when it is added
       stays fixed to that solid */
    OOZE_BODY_SOFT
} OozeBodyKind;

typedef struct OozeFluidDef {
    const char *name;
    OozeMaterialId material;
    OozeShapeDef shape;
    OozeBodyKind body;
    OozeFill fill;
    double jitter;      /* fraction of the spacing, OOZE_FILL_JITTERED */
    OozeVec3 velocity;  /* m/s */
    OozeVec3 spin;      /* rad/s about the shape's position */
    double temperature; /* degC; NAN: that of the air */
} OozeFluidDef;

OOZE_API OozeFluidDef ooze_fluid_def_default(void);
OOZE_API OozeStatus ooze_world_add_fluid(OozeWorld *world, const OozeFluidDef *def, uint64_t *added,
                                         OozeError *error);
/* Particles one by one: n positions and velocities (velocities may be NULL: at rest). */
OOZE_API OozeStatus ooze_world_add_particles(OozeWorld *world, OozeMaterialId material, uint64_t n,
                                             const OozeVec3 *positions, const OozeVec3 *velocities,
                                             OozeError *error);

typedef enum OozeOutline {
    OOZE_OUTLINE_DISC,      /* radius */
    OOZE_OUTLINE_RECTANGLE, /* size.x by size.y */
    OOZE_OUTLINE_STAR,      /* radius at the points, inner_radius between them, points */
    OOZE_OUTLINE_SHAPE,     /* cross-section of `shape` with the nozzle plane */
    OOZE_OUTLINE_COUNT
} OozeOutline;

typedef struct OozeEmitterDef {
    const char *name;
    OozeMaterialId material;
    OozeOutline outline;
    double radius, inner_radius;
    int points;
    OozeVec3 size;
    OozeShapeDef shape; /* placed in world space, cut by the nozzle plane at time 0 */
    OozeVec3 position;  /* centre of the nozzle */
    OozeVec3 direction; /* of the jet; zero means down */
    double roll;        /* rad, about the direction */
    double speed;       /* m/s relative to the nozzle */
    double length;      /* m of nozzle that lead the fluid to the exit; NAN: one kernel support */
    double start, stop; /* s */
    uint64_t limit;     /* particles in all; 0: no limit */
    OozeMotionDef motion;
    double temperature; /* degC; NAN: that of the air */
} OozeEmitterDef;

OOZE_API OozeEmitterDef ooze_emitter_def_default(void);
OOZE_API OozeStatus ooze_world_add_emitter(OozeWorld *world, const OozeEmitterDef *def,
                                           OozeEmitterId *id, OozeError *error);
OOZE_API OozeStatus ooze_world_set_emitter_speed(OozeWorld *world, OozeEmitterId id, double speed,
                                                 OozeError *error);

typedef struct OozeSinkDef {
    const char *name;
    OozeShapeDef shape; /* particles inside are removed; `inverted`: those outside */
    double start, stop; /* s */
} OozeSinkDef;

OOZE_API OozeSinkDef ooze_sink_def_default(void);
OOZE_API OozeStatus ooze_world_add_sink(OozeWorld *world, const OozeSinkDef *def, OozeError *error);

/* ---- heat -------------------------------------------------------------------------------- */

/* A world has heat once something in it has a temperature: fluid, an emitter, a solid, a source, a
   material's table or a probe. Its particles then have a field `temperature`, and those of
   materials that melt a field `phase`. */

/* A place where particles are heated. */
typedef struct OozeHeatSourceDef {
    const char *name;
    OozeShapeDef shape;
    double power;       /* W/m3 of fluid; negative: cools */
    double temperature; /* degC that it holds all inside at, in place of a power; NAN: none */
    double start, stop; /* s */
} OozeHeatSourceDef;

OOZE_API OozeHeatSourceDef ooze_heat_source_def_default(void);
OOZE_API OozeStatus ooze_world_add_heat_source(OozeWorld *world, const OozeHeatSourceDef *def,
                                               OozeError *error);

/* ---- changes in time --------------------------------------------------------------------- */

typedef enum OozeChangeTarget {
    OOZE_CHANGE_METHOD,   /* `key`: one of the method's settings */
    OOZE_CHANGE_MATERIAL, /* `key`: one of the numbers of a material */
    OOZE_CHANGE_SOLID,    /* `key`: friction, restitution, stick_distance, stick_strength, collides,
                          temperature, conductivity */
    OOZE_CHANGE_EMITTER,  /* `key`: speed */
    OOZE_CHANGE_JOINT,    /* `key`: speed, force, low, high */
    OOZE_CHANGE_TARGET_COUNT
} OozeChangeTarget;

/* One number that takes another value at a given time. Several changes of one number are its
   keyframes: a change that begins ends the one before it, wherever that has got to. */
typedef struct OozeChangeDef {
    OozeChangeTarget target;
    int32_t index; /* of the material's, solid's, emitter's or joint's id */
    const char *key;
    double value;
    double time; /* s: acts from the first step that begins then or later */
    double ramp; /* s until `value` is reached, in equal steps a second; 0: at once. A value that is
                    infinite or not given has no way to or from it: it changes at once. */
} OozeChangeDef;

OOZE_API OozeChangeDef ooze_change_def_default(void);
OOZE_API OozeStatus ooze_world_add_change(OozeWorld *world, const OozeChangeDef *def,
                                          OozeError *error);

/* ---- probes ------------------------------------------------------------------------------ */

typedef enum OozeProbeKind {
    OOZE_PROBE_COUNT,            /* particles */
    OOZE_PROBE_CENTRE,           /* centre of mass, m */
    OOZE_PROBE_MOMENTUM,         /* kg m/s */
    OOZE_PROBE_ANGULAR_MOMENTUM, /* about `point`, kg m2/s */
    OOZE_PROBE_ENERGY,           /* kinetic and potential (height above `point`), J */
    OOZE_PROBE_HEIGHT,           /* percentile of height above `point`, m */
    OOZE_PROBE_SPREAD,           /* percentile of distance from the `axis` through `point`, m */
    OOZE_PROBE_DENSITY,          /* mean, mean absolute error and worst excess, relative */
    OOZE_PROBE_COMPONENTS,       /* connected components: number, share of the largest */
    OOZE_PROBE_DRIFT,            /* RMS distance from the best rigid fit to the start, m */
    OOZE_PROBE_PROFILE,          /* velocity along the line point..end in `bins` bins, m/s */
    OOZE_PROBE_AZIMUTH,          /* unwrapped angle of the contact centroid about `axis`, turns */
    OOZE_PROBE_SOLVER,           /* residual, iterations and densities of the steps themselves */
    OOZE_PROBE_HEAT,             /* temperatures, and heat above 0 degC, J */
    OOZE_PROBE_SOLID,            /* pose, momentum, and force of the particles on one solid */
    OOZE_PROBE_KIND_COUNT
} OozeProbeKind;

typedef struct OozeProbeDef {
    const char *name;
    OozeProbeKind kind;
    OozeMaterialId material;   /* index -1: all materials */
    bool every_step;           /* else every frame */
    double percentile;         /* 0..100; NAN: 99 for height, 95 for spread */
    OozeVec3 point, end, axis; /* axis zero: the world's up */
    int bins;
    double width;       /* m, half width of a profile's line; 0: one support */
    double link_length; /* components: in spacings */
    double contact;     /* azimuth: distance from the plane of `point` that counts, in spacings */
    double sinking;    /* azimuth: only what moves against the axis this fast counts, m/s; 0: all */
    const char *solid; /* name of the solid that a probe of one is about */
} OozeProbeDef;

OOZE_API OozeProbeDef ooze_probe_def_default(void);
OOZE_API OozeStatus ooze_world_add_probe(OozeWorld *world, const OozeProbeDef *def, OozeProbeId *id,
                                         OozeError *error);
OOZE_API int ooze_world_probe_count(const OozeWorld *world);

typedef struct OozeProbeReading {
    const char *name;
    bool every_step;
    int column_count;
    const char *const *columns; /* "com.x", ... */
    const char *const *units;
    const double *values; /* as of the last ooze_world_measure */
} OozeProbeReading;

/* Measures all probes (only those of every step when `steps_only`) on the present state. */
OOZE_API OozeStatus ooze_world_measure(OozeWorld *world, bool steps_only, OozeError *error);
OOZE_API OozeStatus ooze_world_probe(const OozeWorld *world, OozeProbeId id,
                                     OozeProbeReading *reading, OozeError *error);

/* ---- things by name ---------------------------------------------------------------------- */

/* The id of what was added under that name, for worlds built from a scene. Where several share a
   name, the first. */
OOZE_API OozeStatus ooze_world_find_material(const OozeWorld *world, const char *name,
                                             OozeMaterialId *id, OozeError *error);
OOZE_API OozeStatus ooze_world_find_solid(const OozeWorld *world, const char *name, OozeSolidId *id,
                                          OozeError *error);
OOZE_API OozeStatus ooze_world_find_emitter(const OozeWorld *world, const char *name,
                                            OozeEmitterId *id, OozeError *error);
OOZE_API OozeStatus ooze_world_find_probe(const OozeWorld *world, const char *name, OozeProbeId *id,
                                          OozeError *error);

/* ---- stepping ---------------------------------------------------------------------------- */

OOZE_API OozeStatus ooze_world_step(OozeWorld *world, OozeError *error);
/* Steps until `seconds` have passed; progress may be NULL. */
OOZE_API OozeStatus ooze_world_advance(OozeWorld *world, double seconds,
                                       OozeProgressCallback progress, void *user, OozeError *error);

typedef struct OozeStageTime {
    const char *name;
    double seconds; /* total since the world was created */
} OozeStageTime;

/* What a stage does inside. A part may be done many times in a step, such as one iteration of a
   solver. */
typedef struct OozeStagePartTime {
    const char *stage; /* the OozeStageTime that it is part of */
    const char *name;
    double seconds; /* total since the world was created */
    uint64_t calls; /* likewise */
} OozeStagePartTime;

typedef struct OozeWorldStats {
    uint64_t particles, boundary_particles, emitted, removed;
    uint64_t neighbour_pairs; /* of the last step */
    uint64_t boundary_pairs;  /* of these, pairs with boundary particles */
    uint64_t memory_bytes;    /* held by the world now */
    uint64_t particle_bytes;  /* of these, what grows with the number of particles */
    /* Of the last step; NAN where the method has none. */
    double worst_density_error; /* density beyond rest, relative */
    double mean_density_error;
    double residual; /* of the velocity solve at its end, over that at its beginning */
    int iterations;  /* that the velocity solve took */
    /* Since the world was created. */
    double worst_residual;
    uint64_t unmet_steps; /* whose velocity solve ended at its cap, above its tolerance */
    int substeps;         /* that the last step was cut into; 1: none */
    int threads;
    const char *device;    /* that takes the steps: "cpu" or "cuda"; decided by the first one */
    uint64_t device_bytes; /* of a GPU's memory held now, besides memory_bytes */
    uint64_t device_free_bytes; /* of a GPU's memory; 0: not known */
    int stage_count;
    const OozeStageTime *stages;
    int part_count;
    const OozeStagePartTime *parts; /* in the order of a step; those that were never done too */
} OozeWorldStats;

OOZE_API void ooze_world_stats(const OozeWorld *world, OozeWorldStats *stats);

/* The present state. Valid until the next call that changes the world. */
OOZE_API const OozeFrame *ooze_world_frame(OozeWorld *world);

/* Continues from a frame of an equal world: same definition, same things added in the same
   order. */
OOZE_API OozeStatus ooze_world_restore(OozeWorld *world, const OozeFrame *frame, OozeError *error);

#ifdef __cplusplus
}
#endif
#endif
