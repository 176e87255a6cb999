/* Emitters: nozzles that add layers of particles, one spacing apart along the jet at any speed. */
#ifndef OOZE_WORLD_EMITTER_H
#define OOZE_WORLD_EMITTER_H

#include "ooze/world.h"
#include "particles/particles.h"
#include "solids/motion.h"
#include "solids/shape.h"

/* What must be saved to resume bit for bit. */
typedef struct OozeEmitterState {
    double travelled; /* m of jet since the last layer */
    double speed;     /* m/s, may be changed while running */
    uint64_t layers, emitted;
} OozeEmitterState;

typedef struct OozeEmitter {
    char *name;
    uint16_t material;
    OozeMotion motion; /* keyframe rotations turn the aimed nozzle */
    OozeQuat aim;      /* from local +z to the jet's direction, with the roll */
    double start, stop;
    uint64_t limit;
    double spacing;
    double area;       /* of the outline, m2 */
    OozeVec3 *pattern; /* one layer, local: z = 0, jet along +z */
    uint64_t pattern_count;
    OozeEmitterState state;
} OozeEmitter;

OozeStatus ooze_emitter_create(OozeEmitter *emitter, const OozeEmitterDef *def, OozeAxis up,
                               double spacing, OozeError *error);
void ooze_emitter_free(OozeEmitter *emitter);

/* Emits what leaves the nozzle during (time, time + dt]: each particle is put where it would be at
   time + dt had it left at its own moment with the jet's velocity. Velocity is speed along the jet
   plus the nozzle's own velocity at that moment. */
OozeStatus ooze_emitter_emit(OozeEmitter *emitter, OozeParticles *particles, double time, double dt,
                             uint64_t *emitted, OozeError *error);

typedef struct OozeSink {
    char *name;
    OozeShape *shape;
    OozePose pose;
    double start, stop;
} OozeSink;

OozeStatus ooze_sink_create(OozeSink *sink, const OozeSinkDef *def, OozeAxis up, double spacing,
                            OozeError *error);
void ooze_sink_free(OozeSink *sink);
/* Sets remove[i] for particles inside; `remove` has one byte a particle. */
void ooze_sink_mark(const OozeSink *sink, OozeThreads *threads, const OozeParticles *particles,
                    double time, uint8_t *remove);

#endif
