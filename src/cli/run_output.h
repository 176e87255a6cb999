/* Output of a running simulation. One thread writes rows of the probe tables, frames and
   checkpoints, in the order in which they were put; a second thread makes the meshes of frames that
   are written.

   The stepping thread copies the state and continues; a GPU copies the particles meanwhile, and the
   first thread waits for them. It waits when OOZE_RUN_OUTPUT_COPIES copies
   are not written yet. Rows are on the disk before the state that was put with them. After the
   first failure nothing more is written, and every call returns it. From start to drain only the
   first thread uses the folder and HDF5, and only the second uses the meshing. */
#ifndef OOZE_CLI_RUN_OUTPUT_H
#define OOZE_CLI_RUN_OUTPUT_H

#include <stdatomic.h>

#include "base/pipeline.h"
#include "cli/meshing.h"
#include "cli/probe_table.h"
#include "cli/run_log.h"
#include "output/frame_copy.h"
#include "output/run_folder.h"
#include "world/engine.h"

enum { OOZE_RUN_OUTPUT_COPIES = 2, OOZE_RUN_OUTPUT_TABLES = 2 };

typedef enum OozeRunItemKind {
    OOZE_RUN_ROWS, /* only rows of the tables, when many are pending */
    OOZE_RUN_CHECKPOINT,
    OOZE_RUN_FRAME,
} OozeRunItemKind;

typedef struct OozeRunItem {
    OozeRunItemKind kind;
    OozeFrameCopy state;
    OozeFetch fetch; /* memory of its particles, where these come from a GPU */
    bool fetched;    /* they do; the copy may not be complete yet */
    OozeText rows[OOZE_RUN_OUTPUT_TABLES];
} OozeRunItem;

typedef struct OozeRunOutput {
    OozeRunFolder *folder;
    OozeRunLog *log;
    OozeProbeTable *tables[OOZE_RUN_OUTPUT_TABLES]; /* NULL or closed: not written */
    OozeThreads *threads;                           /* for copying */
    OozeMeshing *meshing;                           /* NULL: no meshes */
    OozePipeline *pipeline;                         /* NULL: not started */
    OozeRunItem items[OOZE_RUN_OUTPUT_COPIES];
    double copy_seconds;
    _Atomic bool mesh_failed;
    OozeError mesh_error; /* the first one */
    bool mesh_error_reported;
} OozeRunOutput;

/* The caller sets the members up to `meshing` before. */
OozeStatus ooze_run_output_start(OozeRunOutput *output, OozeError *error);
/* Memory for the particles of the next item; waits until there is some. */
OozeStatus ooze_run_output_fetch(OozeRunOutput *output, OozeFetch **fetch, OozeError *error);
/* Queues the pending rows of the tables and, except for OOZE_RUN_ROWS, a copy of the state;
   `fetched`: its fields are in the memory of ooze_run_output_fetch. */
OozeStatus ooze_run_output_put(OozeRunOutput *output, OozeRunItemKind kind, const OozeFrame *frame,
                               bool fetched, OozeError *error);
/* Whether `put` would return without waiting. */
bool ooze_run_output_has_room(OozeRunOutput *output);
/* The first failure so far: at once, or after everything in the queue is written. */
OozeStatus ooze_run_output_check(OozeRunOutput *output, OozeError *error);
OozeStatus ooze_run_output_drain(OozeRunOutput *output, OozeError *error);
/* The first error of a mesh, in one call only; NULL: none. Such an error does not end the run,
   because the mesh can be made later. */
const OozeError *ooze_run_output_mesh_error(OozeRunOutput *output);
/* Drains and frees; does nothing where it was not started. */
void ooze_run_output_end(OozeRunOutput *output);

/* Seconds that the stepping thread copied and waited, and that the other threads wrote and
   meshed. */
typedef struct OozeRunOutputCost {
    double copied, waited, written, meshed;
    uint64_t copy_bytes; /* memory of the copies */
} OozeRunOutputCost;
OozeRunOutputCost ooze_run_output_cost(const OozeRunOutput *output);

#endif
