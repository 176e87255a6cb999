/* Ooze: the world, a simulation. Each definition has a function that returns its defaults. Create a
   world, add materials, solids, fluids, ... to it, then step.

   Every call that can fail returns an OozeStatus and fills `error` if it is not NULL. Output
   pointers for ids may be NULL; a NULL in any other place is reported as an error. The library
   never prints, exits or aborts. A world may be used by one thread at a time; inside a step it uses
   its own worker threads. */
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

typedef struct OozeWorldDef {
    const char *method;   /* name: "ballistic", ...; see ooze_method_info */
    double spacing;       /* m between neighbouring particles at rest */
    double support_ratio; /* kernel support radius over spacing; NAN: the method's default */
    double time_step;     /* s */
    double duration;      /* s, expected, which may be exceeded: presets are shown for it */
    /* Largest distance that a particle moves in a substep, in spacings: a step in which a particle
       would move farther is divided into 2 to 64 substeps. Particles in free flight, which meet no
       solids and no other particles than those that fly with them, may move any distance. 0: steps
       are never divided. */
    double max_travel;
    OozeVec3 gravity;                    /* m/s2 */
    OozeAxis up;                         /* of shapes, height probes and exporters */
    bool periodic[3];                    /* for x, y, z: the axis wraps around */
    OozeVec3 periodic_min, periodic_max; /* m, ends of the periodic axes */
    double air_temperature; /* degC, also of fluids and emitters without a temperature */
    double air_transfer;    /* W/(m2 K) between free surfaces and the air; 0: none */
    int threads;            /* 0: one per core */
    OozeDevice device;      /* results of different devices are close, but not bitwise equal */
    uint64_t seed;          /* of the jitter of fluids */
    OozeLogCallback log;    /* NULL: no log */
    void *log_user;         /* passed to `log` */
} OozeWorldDef;

OOZE_API OozeWorldDef ooze_world_def_default(void);

OOZE_API OozeStatus ooze_world_create(const OozeWorldDef *def, OozeWorld **world, OozeError *error);
OOZE_API void ooze_world_destroy(OozeWorld *world);

/* ---- methods and their solver settings -------------------------------------------------- */

typedef struct OozeMethodInfo {
    const char *name;
    const char *summary;         /* one line of description */
    const char *reference;       /* the paper, or "" */
    const OozeParamInfo *params; /* settings */
    int param_count;
} OozeMethodInfo;

OOZE_API int ooze_method_count(void);
OOZE_API const OozeMethodInfo *ooze_method_info(int index); /* NULL: out of range */
/* A setting of the world's method by its key; a new value acts from the next step on. */
OOZE_API OozeStatus ooze_world_set_param(OozeWorld *world, const char *key, double value,
                                         OozeError *error);
OOZE_API OozeStatus ooze_world_get_param(const OozeWorld *world, const char *key, double *value,
                                         OozeError *error);

/* ---- materials --------------------------------------------------------------------------- */

/* The numbers of a material, the same list for every method; `*count` is its length. */
OOZE_API const OozeParamInfo *ooze_material_params(int *count);

/* Numbers of a material at one temperature; NAN: not given. Between two rows they are interpolated
   geometrically, extension, stretch_rate and fluid_share linearly; beyond the first and the last
   row they are constant. */
typedef struct OozeTemperatureRow {
    double temperature; /* degC */
    double viscosity, modulus, relaxation_time, compliance, solvent_viscosity, yield_strain,
        surface_tension, extension, stretch_rate,
        fluid_share; /* replace the numbers of the material */
    double shift;    /* factor on viscosities and relaxation times, for time-temperature shifts */
} OozeTemperatureRow;

OOZE_API OozeTemperatureRow ooze_temperature_row_default(void);

typedef struct OozeMaterialDef {
    const char *name;
    float color[3];    /* linear RGB */
    double values[64]; /* in the order of ooze_material_params; NAN: not given */
    OozeLookDef look;  /* appearance in pictures */
    const OozeTemperatureRow *temperature_table; /* by rising temperature; copied; NULL: none */
    int temperature_row_count;
    const char *preset; /* name of the preset that its numbers come from; NULL: none */
    uint64_t stated;    /* bit i: ooze_material_def_set has set number i since */
} OozeMaterialDef;

OOZE_API OozeMaterialDef ooze_material_def_default(void);
/* Sets the number with that key in `values`. Where the numbers are those of a preset, a compliance,
   or a viscosity where the preset has a relaxation time, replaces the preset's modulus. */
OOZE_API OozeStatus ooze_material_def_set(OozeMaterialDef *def, const char *key, double value,
                                          OozeError *error);
OOZE_API OozeStatus ooze_world_add_material(OozeWorld *world, const OozeMaterialDef *def,
                                            OozeMaterialId *id, OozeError *error);
/* Sets a number of a material; the new value acts from the next step on. */
OOZE_API OozeStatus ooze_world_set_material(OozeWorld *world, OozeMaterialId id, const char *key,
                                            double value, OozeError *error);
OOZE_API OozeStatus ooze_world_get_material(const OozeWorld *world, OozeMaterialId id,
                                            const char *key, double *value, OozeError *error);

/* ---- presets ----------------------------------------------------------------------------- */

/* Origin of a number of a preset. */
typedef enum OozePresetOrigin {
    OOZE_PRESET_MEASURED, /* reported by the source, or computed from its data */
    OOZE_PRESET_TYPICAL,  /* order of magnitude of the material; samples differ */
    OOZE_PRESET_ARTISTIC, /* chosen for a plausible motion */
    OOZE_PRESET_ORIGIN_COUNT
} OozePresetOrigin;

typedef struct OozePresetNumber {
    const char *key; /* of ooze_material_params */
    double value;
    OozePresetOrigin origin;
    const char *source; /* reference of the measurement, or reason of the choice; never empty */
} OozePresetNumber;

/* A predefined material, with numbers from the literature where available. */
typedef struct OozePresetInfo {
    const char *name;    /* "whipped_cream" */
    const char *summary; /* the variety of the material */
    const char *model;   /* the fluid model, and the properties that it neglects */
    double celsius;      /* degC at which the numbers are valid; NAN: any */
    const OozePresetNumber *numbers;
    int number_count;
    float color[3];   /* linear RGB; colours and looks are chosen by eye */
    const char *look; /* name of a row of ooze_looks */
} OozePresetInfo;

OOZE_API int ooze_preset_count(void);
OOZE_API const OozePresetInfo *ooze_preset_info(int index); /* NULL: out of range */
/* "measured", "typical" or "artistic"; NULL: out of range. */
OOZE_API const char *ooze_preset_origin_name(OozePresetOrigin origin);
/* A material definition with the name, numbers, colour and look of a preset. In methods other than
   conformation, the first step of a world after such a material is added replaces its numbers by
   those with which the method comes nearest to it, as in a scene file: for the fluids, emitters and
   solids that the world has then, and for its `duration`. Also settings of the method that it needs
   are set then. Numbers that ooze_material_def_set, ooze_world_set_material and
   ooze_world_set_param have set stay, and values that differ from those of the preset. */
OOZE_API OozeStatus ooze_material_preset(const char *name, OozeMaterialDef *def, OozeError *error);

/* ---- solids ------------------------------------------------------------------------------ */

typedef struct OozeSolidDef {
    const char *name;
    OozeShapeDef shape;
    OozeMotionDef motion;
    /* Coulomb coefficient; 0: free slip, INFINITY: no slip. NAN, the default: no slip of fluid, and
       0.5 of other solids, rigid bodies and particles of `ballistic` */
    double friction;
    double restitution;    /* coefficient of restitution; 0: no bounce, 1: elastic */
    double stick_distance; /* m, range of adhesion; 0: none */
    double stick_strength; /* 1/s2, k of the adhesion k d (1 - d/stick_distance) at distance d */
    bool collides;         /* particles cannot enter it */
    bool sampled;          /* has boundary particles, for methods that use them */
    double temperature;    /* degC, of its surface; NAN: thermally insulating */
    double conductivity;   /* W/(m K); NAN: fluid at its surface has its temperature */
    double contact_angle;  /* degrees, of every liquid on it; NAN: that of the material */
    /* kg/m3. 0: the solid follows its motion. Above 0: a dynamic solid, a rigid body moved by
       gravity, particles and other solids; its motion may hold the initial velocity and spin
       only. */
    double density;
    bool visible;     /* in pictures */
    float color[3];   /* linear RGB */
    OozeLookDef look; /* appearance in pictures */
} OozeSolidDef;

typedef enum OozeSolidParam {
    OOZE_SOLID_FRICTION,
    OOZE_SOLID_RESTITUTION,
    OOZE_SOLID_STICK_DISTANCE,
    OOZE_SOLID_STICK_STRENGTH,
    OOZE_SOLID_COLLIDES, /* 0 or 1 */
    OOZE_SOLID_TEMPERATURE,
    OOZE_SOLID_CONDUCTIVITY,
    OOZE_SOLID_CONTACT_ANGLE, /* degrees */
    OOZE_SOLID_PARAM_COUNT
} OozeSolidParam;

/* The key of a parameter in scenes: "friction", ...; NULL: out of range. */
OOZE_API const char *ooze_solid_param_name(OozeSolidParam param);

OOZE_API OozeSolidDef ooze_solid_def_default(void);
OOZE_API OozeStatus ooze_world_add_solid(OozeWorld *world, const OozeSolidDef *def, OozeSolidId *id,
                                         OozeError *error);
/* `value` may be NAN, as in the definition of a solid: no friction or temperature of its own. */
OOZE_API OozeStatus ooze_world_set_solid(OozeWorld *world, OozeSolidId id, OozeSolidParam param,
                                         double value, OozeError *error);
OOZE_API OozeStatus ooze_world_get_solid(const OozeWorld *world, OozeSolidId id,
                                         OozeSolidParam param, double *value, OozeError *error);
/* Replaces the motion of the solid: it moves to `pose` during the next step, and then on with the
   velocity and spin of the pose until the next call. A dynamic solid has the pose, velocity and
   spin at once, and stays dynamic. */
OOZE_API OozeStatus ooze_world_set_solid_pose(OozeWorld *world, OozeSolidId id,
                                              const OozeSolidPose *pose, OozeError *error);

/* ---- joints ------------------------------------------------------------------------------ */

typedef enum OozeJointKind {
    OOZE_JOINT_BALL,   /* free rotation about `anchor` */
    OOZE_JOINT_HINGE,  /* rotation about `axis` through `anchor` */
    OOZE_JOINT_SLIDER, /* translation along `axis`, no rotation */
    OOZE_JOINT_FIXED,  /* no relative motion */
    OOZE_JOINT_KIND_COUNT
} OozeJointKind;

/* Connects two solids, at least one of which is dynamic; they do not collide with each other. Needs
   a build with ODE. */
typedef struct OozeJointDef {
    const char *name;
    OozeJointKind kind;
    OozeSolidId solid, other; /* other.index -1: the world */
    OozeVec3 anchor;  /* m, in the world at the time of adding; not finite: the solid's position */
    OozeVec3 axis;    /* of hinge and slider, in the world at the time of adding */
    double low, high; /* deg or m, limits of the angle or displacement since adding; NAN: none */
    double speed;     /* deg/s or m/s, target of the motor, relative to the other solid */
    double force;     /* N m or N, largest torque or force of the motor; 0: no motor */
} OozeJointDef;

typedef enum OozeJointParam {
    OOZE_JOINT_SPEED,
    OOZE_JOINT_FORCE,
    OOZE_JOINT_LOW,
    OOZE_JOINT_HIGH,
    OOZE_JOINT_PARAM_COUNT
} OozeJointParam;

/* The key of a parameter in scenes: "speed", ...; NULL: out of range. */
OOZE_API const char *ooze_joint_param_name(OozeJointParam param);
OOZE_API OozeJointDef ooze_joint_def_default(void);
OOZE_API OozeStatus ooze_world_add_joint(OozeWorld *world, const OozeJointDef *def, OozeJointId *id,
                                         OozeError *error);
OOZE_API OozeStatus ooze_world_set_joint(OozeWorld *world, OozeJointId id, OozeJointParam param,
                                         double value, OozeError *error);

/* ---- fluid, emitters, sinks -------------------------------------------------------------- */

typedef enum OozeFill {
    OOZE_FILL_LATTICE,  /* a cubic lattice */
    OOZE_FILL_JITTERED, /* the lattice with random displacements */
    OOZE_FILL_FITTED    /* points relaxed to fit the surface of the shape */
} OozeFill;

/* Whether the particles of a volume are fluid or a body. Particle bodies interact with fluid; not
   every method supports them. */
typedef enum OozeBodyKind {
    OOZE_BODY_FLUID,
    OOZE_BODY_RIGID, /* keeps its shape */
    /* Elastic, with the modulus of its material. Particles that are inside a solid when the body is
       added stay fixed to that solid. */
    OOZE_BODY_SOFT
} OozeBodyKind;

typedef struct OozeFluidDef {
    const char *name;
    OozeMaterialId material;
    OozeShapeDef shape;
    OozeBodyKind body;
    OozeFill fill;
    double jitter;      /* largest displacement of OOZE_FILL_JITTERED, in spacings */
    OozeVec3 velocity;  /* m/s */
    OozeVec3 spin;      /* deg/s, angular velocity about the shape's position */
    double temperature; /* degC; NAN: that of the air */
} OozeFluidDef;

OOZE_API OozeFluidDef ooze_fluid_def_default(void);
/* Fills the shape with particles; `*added` is their number; `added` may be NULL. */
OOZE_API OozeStatus ooze_world_add_fluid(OozeWorld *world, const OozeFluidDef *def, uint64_t *added,
                                         OozeError *error);
/* Adds n particles at given positions (m) with given velocities (m/s). `velocities` may be
   NULL: at rest. */
OOZE_API OozeStatus ooze_world_add_particles(OozeWorld *world, OozeMaterialId material, uint64_t n,
                                             const OozeVec3 *positions, const OozeVec3 *velocities,
                                             OozeError *error);

typedef enum OozeOutline {
    OOZE_OUTLINE_DISC,      /* `radius` */
    OOZE_OUTLINE_RECTANGLE, /* `size` x and y */
    OOZE_OUTLINE_STAR,      /* `points` tips at `radius`, corners between them at `inner_radius` */
    OOZE_OUTLINE_SHAPE,     /* cross-section of `shape` with the plane of the nozzle's exit */
    OOZE_OUTLINE_COUNT
} OozeOutline;

/* A nozzle that emits a jet of particles. */
typedef struct OozeEmitterDef {
    const char *name;
    OozeMaterialId material;
    OozeOutline outline;         /* of the nozzle's opening; uses some of the next five members */
    double radius, inner_radius; /* m */
    int points;
    OozeVec3 size;        /* m */
    OozeShapeDef shape;   /* in world space, cut by the plane of the exit at time 0 */
    OozeVec3 position;    /* m, centre of the exit */
    OozeVec3 direction;   /* of the jet; zero: down */
    double roll;          /* deg, rotation of the outline about the direction */
    double speed;         /* m/s, of the jet relative to the nozzle */
    double length;        /* m upstream of the exit with prescribed velocity; NAN: kernel support */
    double start, stop;   /* s, the nozzle emits between these times */
    uint64_t limit;       /* total number of particles; 0: no limit */
    OozeMotionDef motion; /* of the nozzle */
    double temperature;   /* degC, of emitted particles; NAN: that of the air */
} OozeEmitterDef;

OOZE_API OozeEmitterDef ooze_emitter_def_default(void);
OOZE_API OozeStatus ooze_world_add_emitter(OozeWorld *world, const OozeEmitterDef *def,
                                           OozeEmitterId *id, OozeError *error);
OOZE_API OozeStatus ooze_world_set_emitter_speed(OozeWorld *world, OozeEmitterId id, double speed,
                                                 OozeError *error);

/* A volume that removes particles. */
typedef struct OozeSinkDef {
    const char *name;
    OozeShapeDef shape; /* particles inside are removed; if `inverted`, particles outside */
    double start, stop; /* s, the sink acts between these times */
} OozeSinkDef;

OOZE_API OozeSinkDef ooze_sink_def_default(void);
OOZE_API OozeStatus ooze_world_add_sink(OozeWorld *world, const OozeSinkDef *def, OozeError *error);

/* ---- heat -------------------------------------------------------------------------------- */

/* Heat is simulated once a fluid, emitter, solid or heat source with a temperature, a material with
   a temperature table or a heat probe is added. Particles then have a field `temperature`, and also
   a field `phase` if a material melts. */

/* A volume that heats particles. */
typedef struct OozeHeatSourceDef {
    const char *name;
    OozeShapeDef shape;
    double power;       /* W per m3 of fluid; negative: cools */
    double temperature; /* degC, fixed for all particles inside, instead of a power; NAN: none */
    double start, stop; /* s, the source acts between these times */
} OozeHeatSourceDef;

OOZE_API OozeHeatSourceDef ooze_heat_source_def_default(void);
OOZE_API OozeStatus ooze_world_add_heat_source(OozeWorld *world, const OozeHeatSourceDef *def,
                                               OozeError *error);

/* ---- changes in time --------------------------------------------------------------------- */

typedef enum OozeChangeTarget {
    OOZE_CHANGE_METHOD,   /* `key`: a setting of the method */
    OOZE_CHANGE_MATERIAL, /* `key`: a number of a material */
    /* `key`: friction, restitution, stick_distance, stick_strength, collides, temperature,
       conductivity, contact_angle; position.x, position.y or position.z, m: the solid leaves its
       motion, moves there within the step or on the ramp, and rests */
    OOZE_CHANGE_SOLID,
    OOZE_CHANGE_EMITTER, /* `key`: speed; position.x, position.y or position.z, m */
    OOZE_CHANGE_JOINT,   /* `key`: speed, force, low, high */
    OOZE_CHANGE_WORLD,   /* `key`: gravity.x, gravity.y, gravity.z, air.temperature, air.transfer */
    OOZE_CHANGE_TARGET_COUNT
} OozeChangeTarget;

/* A number that changes at a given time. Several changes of one number are its keyframes: a change
   that begins ends the one before it, finished or not. */
typedef struct OozeChangeDef {
    OozeChangeTarget target;
    int32_t index;   /* of the id of the material, solid, emitter or joint */
    const char *key; /* the number to change */
    double value;    /* its new value */
    double time;     /* s; acts from the first step that begins at this time or later */
    double ramp;     /* s, duration of a linear ramp to `value`; 0, or where the old or new value
                        is infinite or not given: at once */
} OozeChangeDef;

OOZE_API OozeChangeDef ooze_change_def_default(void);
OOZE_API OozeStatus ooze_world_add_change(OozeWorld *world, const OozeChangeDef *def,
                                          OozeError *error);

/* Velocity added at once to the particles near a point. */
typedef struct OozePushDef {
    OozeVec3 position; /* m */
    double radius;     /* m; the velocity falls smoothly from the full one to 0 there */
    OozeVec3 velocity; /* m/s, added in the middle */
    double time;       /* s; acts in the first step that begins at this time or later */
} OozePushDef;

OOZE_API OozePushDef ooze_push_def_default(void);
OOZE_API OozeStatus ooze_world_add_push(OozeWorld *world, const OozePushDef *def, OozeError *error);

/* Adds a velocity (m/s) to each particle at once, in the order of ooze_world_frame; `n` must be the
   number of particles. A force is its acceleration times the time step, added before each step. */
OOZE_API OozeStatus ooze_world_add_velocities(OozeWorld *world, uint64_t n,
                                              const OozeVec3 *velocities, OozeError *error);

/* ---- probes ------------------------------------------------------------------------------ */

typedef enum OozeProbeKind {
    OOZE_PROBE_COUNT,            /* number of particles */
    OOZE_PROBE_CENTRE,           /* centre of mass, m */
    OOZE_PROBE_MOMENTUM,         /* kg m/s */
    OOZE_PROBE_ANGULAR_MOMENTUM, /* about `point`, kg m2/s */
    OOZE_PROBE_ENERGY,           /* kinetic and potential (height above `point`), J */
    OOZE_PROBE_HEIGHT,           /* percentile of height above `point`, m */
    OOZE_PROBE_SPREAD,           /* percentile of distance from the `axis` through `point`, m */
    OOZE_PROBE_DENSITY,          /* relative to rest: mean, mean absolute error, largest excess */
    OOZE_PROBE_COMPONENTS,       /* connected components: number, share of the largest */
    OOZE_PROBE_DRIFT,   /* RMS distance from the best rigid fit to the initial positions, m */
    OOZE_PROBE_PROFILE, /* velocity along the line from `point` to `end` in `bins` bins, m/s */
    OOZE_PROBE_AZIMUTH, /* unwrapped angle of the contact centroid about `axis`, turns */
    OOZE_PROBE_SOLVER,  /* residual, iterations and density errors of steps */
    OOZE_PROBE_HEAT,    /* temperatures, and heat above 0 degC, J */
    OOZE_PROBE_SOLID,   /* pose, momentum, and force of the particles on one solid */
    OOZE_PROBE_THREAD,  /* fluid drawn out between two ends: lengths, radii, break */
    OOZE_PROBE_KIND_COUNT
} OozeProbeKind;

typedef struct OozeProbeDef {
    const char *name;
    OozeProbeKind kind;
    OozeMaterialId material;   /* index -1: all materials */
    bool every_step;           /* measured every step; false: every frame */
    double percentile;         /* 0 to 100; NAN: 99 for height, 95 for spread */
    OozeVec3 point, end, axis; /* m; axis zero: the world's up */
    int bins;
    double width;       /* m, half width of a profile's line; 0: one support radius */
    double link_length; /* largest distance of connected particles, in spacings */
    /* largest distance from the plane of `point` (azimuth) or from an end (thread), in spacings */
    double contact;
    double sinking; /* azimuth: smallest speed against the axis of counted particles, m/s; 0: any */
    const char *solid; /* name of the solid of OOZE_PROBE_SOLID */
    /* thread: names of the solids at its ends; NULL or "": the heights `from` and `to` above
       `point` along the axis, m; NAN: the lowest and the highest particle */
    const char *lower, *upper;
    double from, to;
    double slice;  /* thread: thickness of the slices in which radii are measured, in spacings */
    double margin; /* thread: distance of the first and last slice from the ends, in spacings */
} OozeProbeDef;

OOZE_API OozeProbeDef ooze_probe_def_default(void);
OOZE_API OozeStatus ooze_world_add_probe(OozeWorld *world, const OozeProbeDef *def, OozeProbeId *id,
                                         OozeError *error);
OOZE_API int ooze_world_probe_count(const OozeWorld *world);

typedef struct OozeProbeReading {
    const char *name;
    bool every_step;
    int column_count;
    const char *const *columns; /* names of the values: "com.x", ... */
    const char *const *units;
    const double *values; /* of the last ooze_world_measure */
} OozeProbeReading;

/* Measures the present state with all probes; `steps_only`: with those of every step. */
OOZE_API OozeStatus ooze_world_measure(OozeWorld *world, bool steps_only, OozeError *error);
OOZE_API OozeStatus ooze_world_probe(const OozeWorld *world, OozeProbeId id,
                                     OozeProbeReading *reading, OozeError *error);

/* ---- items by name ----------------------------------------------------------------------- */

/* The id of the item of that name, for worlds built from a scene; the first of several. */
OOZE_API OozeStatus ooze_world_find_material(const OozeWorld *world, const char *name,
                                             OozeMaterialId *id, OozeError *error);
OOZE_API OozeStatus ooze_world_find_solid(const OozeWorld *world, const char *name, OozeSolidId *id,
                                          OozeError *error);
OOZE_API OozeStatus ooze_world_find_emitter(const OozeWorld *world, const char *name,
                                            OozeEmitterId *id, OozeError *error);
OOZE_API OozeStatus ooze_world_find_probe(const OozeWorld *world, const char *name, OozeProbeId *id,
                                          OozeError *error);

/* ---- stepping ---------------------------------------------------------------------------- */

/* Takes one time step. */
OOZE_API OozeStatus ooze_world_step(OozeWorld *world, OozeError *error);
/* Takes steps for `seconds` of simulated time. `progress` may be NULL; `user` is passed to it. */
OOZE_API OozeStatus ooze_world_advance(OozeWorld *world, double seconds,
                                       OozeProgressCallback progress, void *user, OozeError *error);

/* Wall-clock time of a stage of the steps. */
typedef struct OozeStageTime {
    const char *name;
    double seconds; /* total since the world was created */
} OozeStageTime;

/* Time of a part of a stage. A part may run many times in a step, such as an iteration of a
   solver. */
typedef struct OozeStagePartTime {
    const char *stage; /* name of its stage */
    const char *name;
    double seconds; /* total since the world was created */
    uint64_t calls; /* total since the world was created */
    /* On a GPU while the parts are timed (see ooze bench): kernels, copies and fills that the host
       launched, and its waits for results. */
    uint64_t launches, waits;
} OozeStagePartTime;

typedef struct OozeWorldStats {
    uint64_t particles, boundary_particles; /* present numbers */
    uint64_t emitted, removed;              /* total numbers of particles, by emitters and sinks */
    uint64_t neighbour_pairs;               /* entries of the neighbour lists of the last step */
    uint64_t boundary_pairs;                /* entries of these with boundary particles */
    uint64_t memory_bytes;                  /* host memory of the world */
    uint64_t particle_bytes; /* the part of it that grows with the number of particles */
    /* Of the last step; NAN where the method has none. */
    double worst_density_error; /* largest density above rest density, relative */
    double mean_density_error;
    double residual; /* of the velocity solve at its end, relative to its beginning */
    int iterations;  /* of the velocity solve */
    /* Since the world was created. */
    double worst_residual;
    uint64_t unconverged_steps; /* velocity solve ended at its iteration limit, above tolerance */
    int substeps;               /* of the last step; 1: it was not divided */
    int threads;
    const char *device;    /* that computes the steps: "cpu" or "cuda"; chosen by the first step */
    uint64_t device_bytes; /* GPU memory of the world, not part of memory_bytes */
    uint64_t device_free_bytes; /* free GPU memory; 0: not known */
    int stage_count;
    const OozeStageTime *stages;
    int part_count;
    const OozeStagePartTime *parts; /* in the order of a step, with parts that never ran */
} OozeWorldStats;

OOZE_API void ooze_world_stats(const OozeWorld *world, OozeWorldStats *stats);

/* The present state, valid until the next call that changes the world; NULL: out of memory. */
OOZE_API const OozeFrame *ooze_world_frame(OozeWorld *world);

/* While arrays are kept, memory of particle fields that a frame of the world points to is not freed
   when the arrays grow: old pointers stay readable, and show an earlier state. `keep` false frees
   it. For bindings whose views may outlive a step; a new world keeps none. */
OOZE_API OozeStatus ooze_world_keep_arrays(OozeWorld *world, bool keep, OozeError *error);

/* Sets the state to that of a frame. The frame's world must have had the same definition, with the
   same items added in the same order. */
OOZE_API OozeStatus ooze_world_restore(OozeWorld *world, const OozeFrame *frame, OozeError *error);

#ifdef __cplusplus
}
#endif
#endif
