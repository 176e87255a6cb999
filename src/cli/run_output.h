/* What a run puts on the disk while it goes on: rows of the probe tables, frames and checkpoints, in the
   order in which they were handed over, written by a thread of its own; and on a second one, behind it,
   the meshes of the frames that stand.

   The stepping thread copies and goes on; at most OOZE_RUN_OUTPUT_COPIES states are on their way, then it
   waits. Rows are on the disk before the state that was handed over with them. After the first failure
   nothing more is written, and every call reports it. From start to drain the folder and HDF5 belong to
   the first thread, the meshing to the second. */
#ifndef OOZE_CLI_RUN_OUTPUT_H
#define OOZE_CLI_RUN_OUTPUT_H

#include <stdatomic.h>

#include "base/pipeline.h"
#include "cli/meshing.h"
#include "cli/probe_table.h"
#include "cli/run_log.h"
#include "output/frame_copy.h"
#include "output/run_folder.h"

enum { OOZE_RUN_OUTPUT_COPIES = 2, OOZE_RUN_OUTPUT_TABLES = 2 };

typedef enum OozeRunItemKind {
    OOZE_RUN_ROWS, /* of the tables alone, when many are pending */
    OOZE_RUN_CHECKPOINT,
    OOZE_RUN_FRAME,
} OozeRunItemKind;

typedef struct OozeRunItem {
    OozeRunItemKind kind;
    OozeFrameCopy state;
    OozeText rows[OOZE_RUN_OUTPUT_TABLES];
} OozeRunItem;

typedef struct OozeRunOutput {
    OozeRunFolder *folder;
    OozeRunLog *log;
    OozeProbeTable *tables[OOZE_RUN_OUTPUT_TABLES]; /* NULL or closed: no such table */
    OozeThreads *threads;                           /* for copying */
    OozeMeshing *meshing;                           /* NULL: no meshes */
    OozePipeline *pipeline;                         /* NULL: not started */
    OozeRunItem items[OOZE_RUN_OUTPUT_COPIES];
    double copy_seconds;
    _Atomic bool troubled; /* a frame could not be meshed; `trouble` holds the first reason */
    OozeError trouble;
    bool trouble_told;
} OozeRunOutput;

/* The members up to `meshing` are set; from here on they are in use. */
OozeStatus ooze_run_output_start(OozeRunOutput *output, OozeError *error);
/* Hands over what is pending in the tables and, unless only rows are meant, the state. */
OozeStatus ooze_run_output_put(OozeRunOutput *output, OozeRunItemKind kind, const OozeFrame *frame,
                               OozeError *error);
/* Whether `put` would not have to wait. */
bool ooze_run_output_has_room(OozeRunOutput *output);
/* The first failure so far, without waiting; and after everything handed over is written. */
OozeStatus ooze_run_output_check(OozeRunOutput *output, OozeError *error);
OozeStatus ooze_run_output_drain(OozeRunOutput *output, OozeError *error);
/* Why a frame could not be meshed, once; NULL: no news. Only a disk that cannot be written ends a run: a
   frame is worth more than its mesh, which can be made later. */
const OozeError *ooze_run_output_news(OozeRunOutput *output);
/* Drains; harmless where it was never started. */
void ooze_run_output_end(OozeRunOutput *output);

/* What it cost the steps, and what was done beside them. */
typedef struct OozeRunOutputCost {
    double copied, waited, written, meshed; /* s */
    uint64_t copy_bytes;                    /* of memory that the copies take */
} OozeRunOutputCost;
OozeRunOutputCost ooze_run_output_cost(const OozeRunOutput *output);

#endif
