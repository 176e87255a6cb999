/* The field table: each row describes one quantity per particle, for allocation, reordering,
   snapshots and output. Methods add rows. */
#ifndef OOZE_PARTICLES_FIELD_H
#define OOZE_PARTICLES_FIELD_H

#include <stdbool.h>

#include "ooze/frame.h"

typedef struct OozeFieldInfo {
    const char *name;
    OozeFieldType type;
    int components;
    int stride; /* >= components; vectors use 4 so that one aligned load fetches them */
    const char *unit;
    double initial; /* of every component */
    bool saved;     /* part of the state: written to frames, needed to resume */
    const char *help;
} OozeFieldInfo;

/* The fields of every store, by index. */
enum {
    OOZE_FIELD_POSITION, /* float x 4: x, y, z, 0 */
    OOZE_FIELD_VELOCITY, /* float x 4 */
    OOZE_FIELD_ID,       /* uint64, never re-used */
    OOZE_FIELD_MATERIAL, /* uint16 */
    OOZE_FIELD_COMMON_COUNT
};

extern const OozeFieldInfo ooze_common_fields[OOZE_FIELD_COMMON_COUNT];

#endif
