/* The state of the world as a frame: snapshot.c creates the frame, restore.c restores the world
   from one, and state.c lists the tables that a frame holds besides the particles. */
#ifndef OOZE_WORLD_SNAPSHOT_H
#define OOZE_WORLD_SNAPSHOT_H

#include "world/world.h"

enum { OOZE_STATE_TABLES = 19 };
enum { OOZE_STATE_NEXT_ID, OOZE_STATE_EMITTED, OOZE_STATE_REMOVED, OOZE_STATE_COUNTERS };

struct OozeSnapshot {
    OozeFrame frame;
    OozeFieldView *fields;
    int field_capacity;
    OozeSolidView *solids;
    int solid_capacity;
    OozeMaterialView *materials;
    int material_capacity;
    OozeFieldView state[OOZE_STATE_TABLES + OOZE_METHOD_ARRAYS_MAX];
    const char **columns; /* names of the columns of every table, one table after the other */
    uint64_t counters[OOZE_STATE_COUNTERS];
};

/* The world's snapshot, made by the first call; NULL when out of memory. */
OozeSnapshot *ooze_world_snapshot(OozeWorld *world);

/* Names of the columns of all tables; free with ooze_free. NULL: out of memory. */
const char **ooze_state_columns(const OozeWorld *world);

/* Views of the tables that have rows, in the memory of the world; returns their number. The
   counters are those of the snapshot. */
int ooze_state_views(OozeWorld *world, OozeFieldView views[OOZE_STATE_TABLES]);

/* Checks that every table of the frame can be restored. A name that this world does not have is an
   error; so is a missing name, except for keys, which later versions may have added. */
OozeStatus ooze_state_check(OozeWorld *world, const OozeFrame *frame, OozeError *error);

/* Copies the tables of a frame that has been checked into the world. A missing setting or material
   number becomes its default; other missing numbers stay as they are. */
void ooze_state_restore(OozeWorld *world, const OozeFrame *frame);

/* Errors of a frame whose world differs from this one. */
OozeStatus ooze_state_fail_mismatch(OozeError *error, const char *format, ...) OOZE_PRINTF(2, 3);
OozeStatus ooze_state_fail_unknown(OozeError *error, const char *table, const char *column);

#endif
