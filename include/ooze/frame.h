/* Ooze: frames, read-only views of the state of a world, the input of output, surface
   reconstruction and rendering. */
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

/* Size of one component in bytes. */
OOZE_API size_t ooze_field_type_size(OozeFieldType type);

/* A view of an array of `count` elements, in the memory of its owner. Element i starts at byte
   i * stride * (size of the type) of `data`. */
typedef struct OozeFieldView {
    const char *name; /* "position", "velocity", ... */
    OozeFieldType type;
    int components; /* values of an element */
    int stride;     /* values from one element to the next; the rest is padding */
    const char *unit;
    const char *help; /* one line of description */
    uint64_t count;   /* elements */
    const void *data;
    const char *const *columns; /* names of the components; NULL: none */
} OozeFieldView;

typedef struct OozeSolidView {
    const char *name;
    OozeSolidPose pose;
} OozeSolidView;

typedef struct OozeMaterialView {
    const char *name;
    double density; /* kg/m3, at rest */
    float color[3]; /* linear RGB, 0 to 1 */
} OozeMaterialView;

typedef struct OozeFrame {
    uint64_t index;     /* number of the frame within its run */
    uint64_t step;      /* time steps since the start of the simulation */
    double time;        /* s */
    double spacing;     /* m, particle spacing */
    double support;     /* m, kernel support radius */
    OozeAxis up;        /* axis that points up */
    const char *method; /* name of the simulation method */
    uint64_t particle_count;
    int field_count;
    const OozeFieldView *fields; /* per particle: position, velocity, id, material, ... */
    int solid_count;
    const OozeSolidView *solids;
    int material_count;
    const OozeMaterialView *materials;
    /* State of a resumed run besides the particles: tables with one row per material, solid, ...
       and one named column per number, and the arrays of the method. Empty tables are left out. */
    int state_count;
    const OozeFieldView *state;
} OozeFrame;

/* The particle field of that name; NULL: none. */
OOZE_API const OozeFieldView *ooze_frame_field(const OozeFrame *frame, const char *name);
/* The table or array `name` of the state ("materials", "method", ...); NULL: none. */
OOZE_API const OozeFieldView *ooze_frame_state(const OozeFrame *frame, const char *name);
/* Index of the component with that column name; -1: none. */
OOZE_API int ooze_field_column(const OozeFieldView *field, const char *column);

/* One component of element i, converted to double; NAN if `field` or its data is NULL. Indices are
   not checked. */
OOZE_API double ooze_field_value(const OozeFieldView *field, uint64_t i, int component);

/* A hash of the state, equal for bitwise equal states; 0 for NULL and for a frame whose arrays are
   not valid. */
OOZE_API uint64_t ooze_frame_hash(const OozeFrame *frame);

/* Writes an HDF5 file that holds the full state. The write is atomic: the file appears under its
   name when it is complete. */
OOZE_API OozeStatus ooze_frame_write(const OozeFrame *frame, const char *path, OozeError *error);
/* Reads a frame file. ooze_world_restore continues a simulation from the frame, which stays valid
   until ooze_frame_close. */
OOZE_API OozeStatus ooze_frame_open(const char *path, OozeFrame **frame, OozeError *error);
OOZE_API void ooze_frame_close(OozeFrame *frame);

#ifdef __cplusplus
}
#endif
#endif
