/* The order of Gauss-Seidel sweeps: algorithms 2, 3 and 5 update both particles of a pair at once.

   `sequential`: one particle after the other, in a fixed random order given by a hash of the id.

   `parallel`: cells of one support are coloured; cells of one colour run in parallel, colours run
   one after the other. A particle changes itself and the adjacent cells, so cells of one colour are
   three cells apart along each axis and never access the same particle. Inside a cell, particles
   follow the order of their keys. Results do not depend on the number of threads. The order of
   colours changes from step to step, to avoid a preferred direction. */
#ifndef OOZE_METHODS_SPRINGS_SCHEDULE_H
#define OOZE_METHODS_SPRINGS_SCHEDULE_H

#include "base/f32x4.h"
#include "methods/method.h"
#include "methods/springs/schedule_formula.h"

typedef struct OozeSpringsSchedule {
    uint64_t n;
    uint32_t *sequence;    /* particles */
    uint32_t *begin, *end; /* per run: its range of the sequence, the particles of one cell */
    uint32_t *first;       /* per colour: its first run; colours + 1 elements */
    uint32_t runs, colours;
    OozeHalo *halo; /* of several processes: see ooze_springs_run */
} OozeSpringsSchedule;

typedef struct OozeSpringsScheduleInput {
    const OozeF32x4 *points; /* n */
    const uint64_t *key;     /* n: order within a cell */
    uint64_t n;
    const OozeGridAxis *axis; /* 3 */
    bool sequential;
    OozeHalo *halo; /* of several processes: points are its own and ghosts, in the order of all */
} OozeSpringsScheduleInput;

/* Builds a schedule in the arena. Points that are not sorted by cell are scheduled sequentially.

   Of several processes, each sweeps the cells that change its own particles: those in which it has
   some, and adjacent ones. Their particles and those adjacent to them are own or ghosts where the
   halo has two layers, so that they change as they do on one process. Ghosts are refreshed after
   every colour, since the cells of other processes change them as well. */
OozeStatus ooze_springs_schedule(OozeSpringsSchedule *schedule, const OozeStepContext *context,
                                 const OozeSpringsScheduleInput *input, OozeError *error);

/* What a sweep changes: an array of a schedule's points. */
typedef struct OozeSpringsValues {
    void *data;
    size_t size; /* of an element */
} OozeSpringsValues;

/* Calls body with ranges of runs, colour by colour; *first is the first run of the current
   colour. */
void ooze_springs_run(const OozeSpringsSchedule *schedule, OozeThreads *threads, OozeRangeBody body,
                      void *context, uint64_t *first, OozeSpringsValues values);

#endif
