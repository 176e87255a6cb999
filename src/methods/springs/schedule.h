/* In which order particles act on their neighbours at once, as algorithms 2, 3 and 5 want it.

   `sequential`: one after the other, in an order that is random but never changes, by a key made of their id.

   `parallel`: cells of one support go one after the other where they are near, and together where they are not. A particle moves
   itself and what is in the cells around its own; so cells of one colour are three apart, along each axis, and none of them moves or
   sees what another does. Inside a cell particles follow each other by their keys. Results do not depend on who does what when.
   The order of colours changes from step to step, lest a direction be preferred. */
#ifndef OOZE_METHODS_SPRINGS_SCHEDULE_H
#define OOZE_METHODS_SPRINGS_SCHEDULE_H

#include "base/four.h"
#include "methods/method.h"
#include "particles/grid.h"

/* Three along each axis; where a periodic one has not a multiple of three cells, the odd ones are of up to two more. */
enum { OOZE_SPRINGS_COLOURS_MAX = 125 };

typedef struct OozeSpringsSchedule {
    uint64_t n;
    uint32_t *sequence;    /* particles */
    uint32_t *begin, *end; /* of each run in the sequence: the particles of a cell */
    uint32_t *first;       /* run that a colour begins with: colours + 1 */
    uint32_t runs, colours;
} OozeSpringsSchedule;

/* One of points that are in the order of such cells; what is not is done sequentially. `key` is per point; memory is the
   arena's. */
OozeStatus ooze_springs_schedule(OozeSpringsSchedule *schedule, const OozeStepContext *context,
                                 const OozeFour *points, const uint64_t *key, uint64_t n,
                                 const OozeGridAxis axis[3], bool sequential, OozeError *error);

/* Runs of all colours, one after the other: body gets ranges of runs. */
void ooze_springs_run(const OozeSpringsSchedule *schedule, OozeThreads *threads, OozeRangeBody body,
                      void *context, uint64_t *first);

#endif
