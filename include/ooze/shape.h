/* Ooze: shapes, used as volumes to fill with fluid, solids, sinks, heat sources and outlines of
   emitters; and motions. */
#ifndef OOZE_SHAPE_H
#define OOZE_SHAPE_H

#include "ooze/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OozeShapeKind {
    OOZE_SHAPE_PLANE,    /* half space below the plane through `position` with `normal` */
    OOZE_SHAPE_BOX,      /* `size`: full edge lengths; centred at the origin */
    OOZE_SHAPE_SPHERE,   /* `radius` */
    OOZE_SHAPE_CAPSULE,  /* `radius`, `height` between the centres of the two caps */
    OOZE_SHAPE_CYLINDER, /* `radius`, `height`, centred */
    OOZE_SHAPE_CONE,     /* `radius` at the base, `height`; base centre at the origin, tip up */
    OOZE_SHAPE_TORUS,    /* `radius` of the ring, `tube_radius` */
    /* Containers, open at the top, with walls of `thickness`. All sizes are those of the outside;
       the origin is the middle of the underside. */
    OOZE_SHAPE_OPEN_BOX,      /* `size` */
    OOZE_SHAPE_OPEN_CYLINDER, /* `radius`, `height` */
    OOZE_SHAPE_BOWL,          /* part of a spherical shell: `radius` of the rim, `height` */
    OOZE_SHAPE_HEIGHTFIELD,   /* solid below a height map with the horizontal extents `size` */
    OOZE_SHAPE_MESH,          /* triangles from `path` (OBJ, PLY, STL) or from `mesh` */
    OOZE_SHAPE_COMPOUND,      /* the union of `parts`, each placed in the compound's frame */
    OOZE_SHAPE_KIND_COUNT
} OozeShapeKind;

/* Triangles in memory. The library copies them during the call. */
typedef struct OozeMeshView {
    const OozeVec3 *vertices;
    uint64_t vertex_count;
    const uint32_t *triangles; /* three vertex indices each, counter-clockwise seen from outside */
    uint64_t triangle_count;
} OozeMeshView;

/* Heights in memory, row by row; rows follow each other along the second horizontal axis. The
   library copies them during the call. */
typedef struct OozeHeightView {
    const float *heights; /* metres above the shape's position */
    uint32_t columns, rows;
} OozeHeightView;

typedef struct OozeShapeDef OozeShapeDef;

enum { OOZE_SHAPE_PARTS_MAX = 64 };

struct OozeShapeDef {
    OozeShapeKind kind;
    OozeVec3 size;
    double radius;
    double tube_radius;
    double height;
    OozeVec3 normal;      /* plane only; zero means the world's up */
    const char *path;     /* mesh, or height map (PGM, or ESRI ASCII grid) */
    OozeMeshView mesh;    /* used when path is NULL */
    OozeHeightView field; /* used when path is NULL */
    double height_scale;  /* m, height of the full grey range of a height map file */
    /* m, of the walls and the bottom of an open box, open cylinder or bowl. Of a mesh with gaps,
       thickness of the shell that it becomes; 0: small gaps are closed and the mesh is solid, and
       a mesh with large gaps becomes a shell of two spacings. */
    double thickness;
    /* Shapes of a compound, which may overlap; no planes, height fields, inverted shapes or
       compounds. The library copies them during the call. */
    const OozeShapeDef *parts;
    int part_count;
    bool inverted; /* the outside is solid: a container */
    /* Placement: scaled, then rotated, then moved. The axis of capsule, cylinder, cone, torus,
       containers and height field is the world's up before rotation. The three factors of a
       compound's scale must be equal. */
    OozeVec3 position;
    OozeQuat rotation;
    OozeVec3 scale;
};

OOZE_API OozeShapeDef ooze_shape_def_default(OozeShapeKind kind);

typedef enum OozeInterpolation { OOZE_MOTION_SMOOTH, OOZE_MOTION_LINEAR } OozeInterpolation;

typedef struct OozeKeyframe {
    double time;
    OozeVec3 position;
    OozeQuat rotation;
} OozeKeyframe;

/* Prescribed motion of a solid or a nozzle. Keyframes replace the position and rotation of the
   shape; velocity, spin and sine are added, and act between `start` and `stop` only. */
typedef struct OozeMotionDef {
    /* Ascending in time; before the first and after the last the pose is constant. The library
       copies them during the call. */
    const OozeKeyframe *keyframes;
    int keyframe_count;
    OozeInterpolation interpolation;
    OozeVec3 velocity;       /* m/s */
    OozeVec3 spin;           /* deg/s, angular velocity about `pivot`, world axes */
    OozeVec3 pivot;          /* m, relative to the shape's position */
    OozeVec3 sine_amplitude; /* m */
    double sine_frequency;   /* Hz */
    double sine_phase;       /* deg: 90 is a quarter of a period */
    double start, stop;      /* s */
    /* s, within which the speeds of velocity and spin rise from 0 at `start`, as the first quarter
       of a sine; 0: full speed at once */
    double ramp_time;
} OozeMotionDef;

OOZE_API OozeMotionDef ooze_motion_def_default(void);

/* Placement and motion of a solid. */
typedef struct OozeSolidPose {
    OozeVec3 position; /* m, of the origin of the solid's axes */
    OozeQuat rotation; /* from the solid's axes to the world's */
    OozeVec3 velocity; /* m/s, of the origin */
    OozeVec3 spin;     /* deg/s, angular velocity, world axes */
} OozeSolidPose;

#ifdef __cplusplus
}
#endif
#endif
