/* Ooze: frames, read-only views of the state of a world. Output, surface, rendering and programs
   read the simulation through them. */
#ifndef OOZE_FRAME_H
#define OOZE_FRAME_H

#include "ooze/shape.h"
#include "ooze/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OozeFieldType {
    OOZE_FIELD_FLOAT32,
    OOZE_FIELD_FLOAT64,
    OOZE_FIELD_UINT8,
    OOZE_FIELD_UINT16,
    OOZE_FIELD_UINT32,
    OOZE_FIELD_UINT64,
    OOZE_FIELD_TYPE_COUNT
} OozeFieldType;

/* Bytes of one component. */
OOZE_API size_t ooze_field_type_size(OozeFieldType type);

/* One array, not a copy. Element i starts at data + i * stride * size of the type; its first
   `components` entries mean something (a vector is stored as four floats for fast loads). */
typedef struct OozeFieldView {
    const char *name;
    OozeFieldType type;
    int components;
    int stride;
    const char *unit;
    const char *help;
    uint64_t count;
    const void *data;
    const char *const *columns; /* a name for each component; NULL: they have none */
} OozeFieldView;

typedef struct OozeSolidView {
    const char *name;
    OozePose pose;
} OozeSolidView;

typedef struct OozeMaterialView {
    const char *name;
    double density; /* kg/m3 */
    float color[3]; /* linear RGB, 0 to 1 */
} OozeMaterialView;

typedef struct OozeFrame {
    uint64_t index; /* number of the frame within its run */
    uint64_t step;  /* steps taken since the start */
    double time;    /* s */
    double spacing; /* m, particle spacing */
    double support; /* m, kernel support radius */
    OozeAxis up;
    const char *method;
    uint64_t particle_count;
    int field_count;
    const OozeFieldView *fields; /* particles: position, velocity, id, material, ... */
    int solid_count;
    const OozeSolidView *solids;
    int material_count;
    const OozeMaterialView *materials;
    /* What a resumed run needs besides the particles: tables with one row per material, solid, ...
       and one named column per number, and the arrays of the method. Tables without rows are left
       out. */
    int state_count;
    const OozeFieldView *state;
} OozeFrame;

/* The particle field of that name, or NULL. */
OOZE_API const OozeFieldView *ooze_frame_field(const OozeFrame *frame, const char *name);
/* The table or array of the state of that name ("materials", "method", ...), or NULL. */
OOZE_API const OozeFieldView *ooze_frame_state(const OozeFrame *frame, const char *name);
/* The component of that name, or -1. */
OOZE_API int ooze_field_column(const OozeFieldView *field, const char *column);

/* One component of element i as a number, whatever the type; NAN where `field` is NULL. No bounds
   check. */
OOZE_API double ooze_field_value(const OozeFieldView *field, uint64_t i, int component);

/* One hash of the full state: equal exactly when two runs are bitwise equal. */
OOZE_API uint64_t ooze_frame_hash(const OozeFrame *frame);

/* A frame file (HDF5) holds the full state: ooze_frame_open and ooze_world_restore continue from
   it. Written aside, synced and renamed: a file of that name is there whole or not at all. */
OOZE_API OozeStatus ooze_frame_write(const OozeFrame *frame, const char *path, OozeError *error);
/* Reads a frame file, also one of a run. The frame stays valid until closed. */
OOZE_API OozeStatus ooze_frame_open(const char *path, OozeFrame **frame, OozeError *error);
OOZE_API void ooze_frame_close(OozeFrame *frame);

#ifdef __cplusplus
}
#endif
#endif
