/* Frames and solids as packets of bytes, little-endian, for the page's worker to decode. */
#ifndef OOZE_VIEW_ENCODE_H
#define OOZE_VIEW_ENCODE_H

#include "base/vec3.h"
#include "ooze/frame.h"
#include "scene/scene.h"
#include "view/packet.h"

enum { OOZE_PACKET_FRAME = 1, OOZE_PACKET_SOLIDS = 2 };

/* A field of the particles, for their colours. */
typedef struct OozeViewField {
    const char *name;
    const float *values; /* of each particle; NULL: those of the frame's field of that name */
} OozeViewField;

/* u32 kind, u32 number, f64 time, f64 step, f32 low[3], f32 high[3] (ends of the positions),
   f32 field_low, f32 field_high (NAN where no particle has a value), u32 particles, u32 solids,
   u32 nozzles, u32 0;
   7 f32 for each solid: position and rotation (x y z w); 3 f32 for each nozzle: position;
   3 u16 for each particle: position, 0 to 65535 from low to high; then u16 for each: field; then
   u8 for each: material. Particles whose position is not finite are placed at `low`. NULL: out of
   memory. */
OozePacket *ooze_view_encode_frame(uint64_t number, const OozeFrame *frame,
                                   const OozeViewField *field, const OozeVec3 *nozzles,
                                   int nozzle_count);

/* u32 kind, u32 number, u32 solids, u32 0; for each: u32 vertices, u32 triangles, f32 3 for each
   vertex, u32 3 for each triangle. A plane and a hidden solid have none. */
OozeStatus ooze_view_encode_solids(uint64_t number, const OozeSceneDef *def, OozePacket **packet,
                                   OozeError *error);

/* Whether particles can be coloured by the field: one number, or the length of a vector. */
bool ooze_view_field_is_shown(const OozeFieldView *field);

#endif
