/* Ooze: looks. What a material or a solid looks like in pictures; nothing here moves a particle. */
#ifndef OOZE_LOOK_H
#define OOZE_LOOK_H

#include "ooze/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OozeLookKind {
    OOZE_LOOK_OPAQUE,      /* a coat over a diffuse body */
    OOZE_LOOK_METAL,       /* reflects in its own colour */
    OOZE_LOOK_CLEAR,       /* refracts, absorbs with depth, may be cloudy */
    OOZE_LOOK_TRANSLUCENT, /* part of the light enters and leaves elsewhere */
    OOZE_LOOK_KIND_COUNT
} OozeLookKind;

/* One row of the table of named looks. */
typedef struct OozeLookInfo {
    const char *name;
    OozeLookKind kind;
    bool has_color;      /* else the material's or solid's own colour */
    float color[3];      /* linear RGB */
    double depth;        /* where light has taken on the colour, as a share of the fluid's extent */
    double refraction;   /* index, of the body or of its coat */
    double roughness;    /* 0: a mirror, 1: dull */
    double coat;         /* strength of the reflecting coat */
    double cloudiness;   /* times that light is scattered over the depth */
    double translucency; /* share of the light that enters a translucent body */
    const char *help;
} OozeLookInfo;

/* The table. Row 0 is "auto": the row that has the material's or solid's name, where there is
   one. */
OOZE_API const OozeLookInfo *ooze_looks(int *count);

/* A look as a scene gives it: a row of the table, and what differs. */
typedef struct OozeLookDef {
    int type;       /* row of the table */
    float color[3]; /* NAN: the row's */
    double depth;   /* m; NAN: the row's share of the fluid's extent */
    double refraction, roughness, coat, cloudiness, translucency; /* NAN: the row's */
} OozeLookDef;

OOZE_API OozeLookDef ooze_look_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
