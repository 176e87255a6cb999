/* Ooze: looks, the appearance of materials and solids in pictures. They do not affect the
   simulation. */
#ifndef OOZE_LOOK_H
#define OOZE_LOOK_H

#include "ooze/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OozeLookKind {
    OOZE_LOOK_OPAQUE,      /* a reflecting coat over a diffuse body */
    OOZE_LOOK_METAL,       /* coloured reflection */
    OOZE_LOOK_CLEAR,       /* refraction, absorption in the volume, optional scattering */
    OOZE_LOOK_TRANSLUCENT, /* subsurface scattering */
    OOZE_LOOK_KIND_COUNT
} OozeLookKind;

/* A pattern in the colour of a solid. Fluids have the plain colour. */
typedef enum OozeTexture {
    OOZE_TEXTURE_NONE,
    OOZE_TEXTURE_WOOD,   /* planks with annual rings */
    OOZE_TEXTURE_MARBLE, /* veins */
    OOZE_TEXTURE_PLATE,  /* painted rings near the rim */
    OOZE_TEXTURE_CLOTH,  /* woven checks */
    OOZE_TEXTURE_COUNT
} OozeTexture;

/* Temperature of a glowing body where nothing else is said, degC: that of fresh basalt lava. */
#define OOZE_GLOW_TEMPERATURE 1150.0

/* One row of the table of named looks. */
typedef struct OozeLookInfo {
    const char *name;
    OozeLookKind kind;
    bool has_color; /* false: the colour is that of the material or solid */
    float color[3]; /* linear RGB */
    double depth;   /* distance after which white light has the colour, over the fluid's extent */
    double refraction;   /* refractive index of the body or of its coat */
    double roughness;    /* 0: a mirror, 1: diffuse */
    double coat;         /* strength of the reflecting coat, 0 to 1 */
    double cloudiness;   /* mean number of scattering events per depth */
    double translucency; /* share of the light that enters a translucent body */
    const char *help;    /* one line of description */
    OozeTexture texture;
    double glow; /* radiance of the red light that it emits at OOZE_GLOW_TEMPERATURE; white is 1 */
} OozeLookInfo;

/* The table of looks; `*count` is its length. Row 0 is "auto": the row with the name of the
   material or solid, or a default. */
OOZE_API const OozeLookInfo *ooze_looks(int *count);

/* A look: a row of the table, with modifications. */
typedef struct OozeLookDef {
    int type;       /* index of the row */
    float color[3]; /* linear RGB; NAN: that of the row */
    double depth;   /* m; NAN: that of the row times the fluid's extent */
    double refraction, roughness, coat, cloudiness, translucency; /* NAN: that of the row */
    double scale; /* m, length of the texture's pattern; NAN: a share of what is in view */
    double glow;  /* NAN: that of the row */
    double glow_temperature; /* degC at which `glow` is emitted; NAN: OOZE_GLOW_TEMPERATURE */
} OozeLookDef;

OOZE_API OozeLookDef ooze_look_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
