/* probes.csv and probes_steps.csv: the readings of the probes as comma-separated tables.

   A row is written before the frame or checkpoint of its step, so a resumed run finds every row up
   to its state, removes later rows, and ends with the same bytes as an uninterrupted run. */
#ifndef OOZE_CLI_PROBE_TABLE_H
#define OOZE_CLI_PROBE_TABLE_H

#include "base/text.h"
#include "ooze/world.h"

typedef struct OozeProbeTable {
    int fd; /* -1: closed */
    char *path;
    bool every_step;  /* a row per step, of every-step probes; else a row per frame, all probes */
    OozeText pending; /* rows not submitted yet */
} OozeProbeTable;

typedef struct OozeProbeTableDef {
    const char *path;
    const OozeWorld *world;
    bool every_step; /* as in OozeProbeTable */
} OozeProbeTableDef;

/* Creates a table with its header; replaces an existing file. */
OozeStatus ooze_probe_table_create(OozeProbeTable *table, const OozeProbeTableDef *def,
                                   OozeError *error);
/* Opens an existing table and removes the rows after `step`. `*complete`: the last remaining row is
   the one of step `expected`. A missing table is created. */
OozeStatus ooze_probe_table_resume(OozeProbeTable *table, const OozeProbeTableDef *def,
                                   uint64_t step, uint64_t expected, bool *complete,
                                   OozeError *error);
void ooze_probe_table_close(OozeProbeTable *table);

/* Appends the readings of the last measurement to the pending rows. */
OozeStatus ooze_probe_table_append(OozeProbeTable *table, const OozeWorld *world,
                                   const OozeFrame *frame, OozeError *error);
/* Whether the pending rows should be written before the next frame is due. */
bool ooze_probe_table_is_long(const OozeProbeTable *table);
/* Moves the pending rows to `rows`, whose memory is reused for the next ones. */
void ooze_probe_table_submit_copy(OozeProbeTable *table, OozeText *rows);
/* Writes submitted rows; with `sync` they are on the disk afterwards. Only this function may run in
   another thread while rows are appended. */
OozeStatus ooze_probe_table_write(const OozeProbeTable *table, const OozeText *rows, bool sync,
                                  OozeError *error);

#endif
