/* Length and speed scales of the fluid of each material: from the volumes that are filled, the
   nozzles and the solids, of a scene that is not built yet or of a world. */
#ifndef OOZE_WORLD_SCALES_H
#define OOZE_WORLD_SCALES_H

#include "methods/flow.h"
#include "solids/solid.h"

/* A filled volume. */
typedef struct OozeScaleVolume {
    int material; /* -1: the volume is ignored */
    OozeBodyKind body;
    double shortest, longest; /* m, sides in the shape's frame */
    OozeVec3 min, max;        /* m, bounding box in the world */
    double velocity;          /* m/s */
    double fastest;           /* m/s, of any point of it: with its spin */
    double temperature;       /* degC; NAN: that of the air */
} OozeScaleVolume;

/* A nozzle. */
typedef struct OozeScaleNozzle {
    int material;       /* -1: the nozzle is ignored */
    double width, area; /* m, m2: of the opening; estimates for stars and shapes */
    double start, stop; /* s */
    uint64_t limit;
    OozeVec3 position;
    double speed;             /* m/s, of the jet at the start */
    double changed;           /* m/s, largest that changes in time set */
    const OozeMotion *motion; /* NULL: none */
} OozeScaleNozzle;

typedef struct OozeScaleItems {
    OozeVec3 gravity;
    OozeAxis up;
    double spacing;
    double duration; /* s */
    const OozeScaleVolume *volumes;
    const OozeScaleNozzle *nozzles;
    const OozeSolid *solids;
    int volume_count, nozzle_count, solid_count;
} OozeScaleItems;

/* The item that determines a scale. */
typedef enum OozeScaleCause {
    OOZE_SCALE_NONE,
    OOZE_SCALE_VOLUME, /* its size, or its initial speed */
    OOZE_SCALE_FALL,   /* a volume falls */
    OOZE_SCALE_SOLID,  /* a solid moves */
    OOZE_SCALE_NOZZLE
} OozeScaleCause;

typedef struct OozeScaleOrigin {
    OozeScaleCause cause;
    int index;     /* of the item */
    double travel; /* m, of its fall; 0: none */
} OozeScaleOrigin;

typedef struct OozeScale {
    OozeFlowScale scale;
    OozeScaleOrigin length, strike, pour; /* of the scales of these names */
} OozeScale;

/* The volume of a fluid with this shape, which is that of the definition. */
OozeScaleVolume ooze_scale_volume(const OozeFluidDef *def, const OozeShape *shape, double spacing);
/* The nozzle of an emitter; `motion` may be NULL. */
OozeScaleNozzle ooze_scale_nozzle(const OozeEmitterDef *def, const OozeMotion *motion);
/* Smallest width of a nozzle's opening, m; NAN where the outline is a shape. */
double ooze_nozzle_width(const OozeEmitterDef *def);
/* Fastest speed of a jet, that of its nozzle included, m/s. */
double ooze_scale_nozzle_speed(const OozeScaleNozzle *nozzle, double duration);
/* Fastest speed of a point of a solid that follows its motion, m/s. */
double ooze_scale_solid_speed(const OozeSolid *solid, double duration);
/* Fills one element per material. */
void ooze_scales(const OozeScaleItems *items, OozeScale *scales, int material_count);

#endif
