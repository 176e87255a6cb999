/* probes.csv and probes_steps.csv: the readings of the probes as comma-separated tables.

   A row is on the disk before the frame or checkpoint of its step is, so a resumed run finds every
   row up to its state, drops what came after, and ends with the same bytes as an uninterrupted
   one. */
#ifndef OOZE_CLI_PROBE_TABLE_H
#define OOZE_CLI_PROBE_TABLE_H

#include "base/text.h"
#include "ooze/world.h"

typedef struct OozeProbeTable {
    int fd; /* -1: closed */
    char *path;
    bool every_step;  /* rows of steps, only the probes of every step; else of frames, all probes */
    OozeText pending; /* rows not handed over yet */
} OozeProbeTable;

/* A new table with its header; an old one of that name is replaced. */
OozeStatus ooze_probe_table_create(OozeProbeTable *table, const char *path, const OozeWorld *world,
                                   bool every_step, OozeError *error);
/* An old table cut after the row of `step`, or the last one before it. `*whole` tells whether that
   row is the one of `expected`. A table that is missing is created. */
OozeStatus ooze_probe_table_resume(OozeProbeTable *table, const char *path, const OozeWorld *world,
                                   bool every_step, uint64_t step, uint64_t expected, bool *whole,
                                   OozeError *error);
void ooze_probe_table_close(OozeProbeTable *table);

/* The readings of the last measurement. */
OozeStatus ooze_probe_table_append(OozeProbeTable *table, const OozeWorld *world,
                                   const OozeFrame *frame, OozeError *error);
/* Whether so much is pending that it should be written before the next frame is due. */
bool ooze_probe_table_is_long(const OozeProbeTable *table);
/* Exchanges the pending rows for the memory of `rows`, whose text is done with. */
void ooze_probe_table_submit_copy(OozeProbeTable *table, OozeText *rows);
/* Writes rows that were handed over; with `sync` they are on the disk afterwards. This alone may go
   on in another thread while rows are appended. */
OozeStatus ooze_probe_table_write(const OozeProbeTable *table, const OozeText *rows, bool sync,
                                  OozeError *error);

#endif
