/* The stage: everything a ray can meet, in an Embree scene, with planes kept apart as formulas. */
#ifndef OOZE_RENDER_STAGE_H
#define OOZE_RENDER_STAGE_H

#include "ooze/status.h"
#include "render/skin.h"

typedef struct OozeStage OozeStage;

/* Triangles or spheres that share an Embree geometry. Arrays are copied. */
typedef struct OozeThing {
    bool is_fluid;             /* one closed surface; else a solid */
    bool one_sided;            /* met from the front only: walls of containers */
    int skin;                  /* of all of it, or of material 0 */
    const uint16_t *materials; /* per vertex or sphere, added to `skin`; NULL: none */
    const float *colors;       /* 3 per vertex or sphere, for skins of vertex colour; NULL: none */
    uint64_t vertex_count;     /* or spheres */
    const float *positions;    /* 3 each */
    const float *normals;      /* 3 per vertex, or per corner; NULL: flat */
    bool corner_normals;
    uint64_t triangle_count;
    const uint32_t *triangles; /* NULL: spheres */
    float radius;              /* of spheres */
} OozeThing;

/* Endless, met from its front only; fades into the backdrop far away. */
typedef struct OozePlane {
    OozeF3 point, normal;
    int skin;
    float line; /* distance of the grid's lines, 0: none */
} OozePlane;

typedef struct OozeHit {
    float distance;
    OozeF3 point;
    OozeF3 facing; /* geometric normal, outwards */
    OozeF3 normal; /* smooth normal, outwards */
    OozeF3 color;  /* of the point where the skin takes it, else of the skin */
    const OozeSkin *skin;
    int skin_index;
    bool front; /* met from outside */
    bool is_fluid, is_plane;
} OozeHit;

OozeStatus ooze_stage_create(OozeStage **stage, OozeError *error);
void ooze_stage_destroy(OozeStage *stage);

/* Takes everything off the stage. */
void ooze_stage_clear(OozeStage *stage);
/* Skins are copied; they are numbered in order of being added. */
OozeStatus ooze_stage_add_skin(OozeStage *stage, const OozeSkin *skin, OozeError *error);
OozeStatus ooze_stage_add(OozeStage *stage, const OozeThing *thing, OozeError *error);
OozeStatus ooze_stage_add_plane(OozeStage *stage, const OozePlane *plane, OozeError *error);
/* After adding, before asking; `size` is that of what is looked at, and sets how far rays keep off
   the surface they leave. */
OozeStatus ooze_stage_finish(OozeStage *stage, float size, OozeError *error);

/* A hair: distances below it are none. */
float ooze_stage_hair(const OozeStage *stage);
const OozeSkin *ooze_stage_skin(const OozeStage *stage, int index);

/* The first thing on the way, false where there is none. Any number of threads may ask. */
bool ooze_stage_hit(const OozeStage *stage, OozeF3 origin, OozeF3 direction, float near, float far,
                    OozeHit *hit);

#endif
