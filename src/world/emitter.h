/* Emitters: nozzles that add layers of particles, one spacing apart along the jet at any speed. */
#ifndef OOZE_WORLD_EMITTER_H
#define OOZE_WORLD_EMITTER_H

#include "ooze/world.h"
#include "particles/particles.h"
#include "solids/motion.h"
#include "solids/shape.h"
#include "world/nozzle.h"
#include "world/scales.h"

/* The state that is saved with a frame. */
typedef struct OozeEmitterState {
    double travelled;         /* m of jet since the last layer */
    double speed;             /* m/s, may be changed while running */
    uint64_t layers, emitted; /* layers and particles so far */
} OozeEmitterState;

typedef struct OozeEmitter {
    char *name;
    uint16_t material;
    OozeMotion motion; /* keyframe rotations turn the aimed nozzle */
    OozeQuat aim;      /* from local +z to the jet's direction, with the roll */
    double start, stop;
    uint64_t limit;
    double spacing;
    double length;      /* m of nozzle: layers enter at this distance upstream of the exit */
    double temperature; /* degC; NAN: that of the air */
    OozeNozzlePattern pattern;
    OozeScaleNozzle scale;
    OozeEmitterState state;
} OozeEmitter;

OozeStatus ooze_emitter_create(OozeEmitter *emitter, const OozeEmitterDef *def, OozeAxis up,
                               double spacing, double support, OozeError *error);
void ooze_emitter_free(OozeEmitter *emitter);
/* Pose of the nozzle at a time: its aim, then its motion. */
OozePose ooze_emitter_pose(const OozeEmitter *emitter, double time);

typedef struct OozeEmission {
    double time, dt;  /* s: the step is (time, time + dt] */
    int nozzle_field; /* field that holds `mark` for particles inside the nozzle; -1: none */
    uint16_t mark;
} OozeEmission;

/* Emits the layers that enter the nozzle during the step, at their positions at its end. The
   velocities of particles inside are prescribed: the nozzle's motion plus the jet's speed along it,
   whatever forces act. Particles that pass the exit within the step are free, placed as if each had
   left at its own time with the jet's velocity. A nozzle starts full. */
OozeStatus ooze_emitter_emit(OozeEmitter *emitter, OozeParticles *particles,
                             const OozeEmission *emission, uint64_t *emitted, OozeError *error);

/* Whether the nozzle is filled within (time, time + dt]: its first layers enter all at once. */
bool ooze_emitter_fills(const OozeEmitter *emitter, double time, double dt);

typedef struct OozeNozzleFlow OozeNozzleFlow; /* see source_formula.h */
/* The flow inside the nozzle at `time`; false: the nozzle has no length, so it prescribes none. */
bool ooze_emitter_flow_at(const OozeEmitter *emitter, double time, OozeNozzleFlow *flow);

/* Sets the velocities of the particles inside the nozzle at `time`, and frees those that have
   passed the exit, or all once it has stopped. A nozzle at speed 0 has not stopped: particles
   inside rest in it. */
void ooze_emitter_prescribe(const OozeEmitter *emitter, OozeParticles *particles,
                            OozeThreads *threads, double time, int nozzle_field, uint16_t mark);

/* Total number of particles that it has emitted at the time `end`, if it goes on from `time` at its
   present speed. */
double ooze_emitter_forecast_particles(const OozeEmitter *emitter, double time, double end);

typedef struct OozeSink {
    char *name;
    OozeShape *shape;
    OozePose pose;
    double start, stop;
} OozeSink;

OozeStatus ooze_sink_create(OozeSink *sink, const OozeSinkDef *def, OozeAxis up, double spacing,
                            OozeError *error);
void ooze_sink_free(OozeSink *sink);
bool ooze_sink_is_open(const OozeSink *sink, double time);
/* Sets remove[i] for particles inside; `remove` has one byte a particle. */
void ooze_sink_mark(const OozeSink *sink, OozeThreads *threads, const OozeParticles *particles,
                    double time, uint8_t *remove);

#endif
