/* The order of Gauss-Seidel sweeps: algorithms 2, 3 and 5 update both particles of a pair at once.

   `sequential`: one particle after the other, in a fixed random order given by a hash of the id.

   `parallel`: cells of one support are coloured; cells of one colour run in parallel, colours run
   one after the other. A particle changes itself and the adjacent cells, so cells of one colour are
   three cells apart along each axis and never access the same particle. Inside a cell, particles
   follow the order of their keys. Results do not depend on the number of threads. The order of
   colours changes from step to step, to avoid a preferred direction. */
#ifndef OOZE_METHODS_SPRINGS_CPU_SCHEDULE_H
#define OOZE_METHODS_SPRINGS_CPU_SCHEDULE_H

#include "base/f32x4.h"
#include "methods/springs/step.h"

typedef struct OozeSpringsSchedule {
    uint64_t n;
    uint32_t *sequence;    /* particles */
    uint32_t *begin, *end; /* per run: its range of the sequence, the particles of one cell */
    uint32_t *first;       /* per colour: its first run; colours + 1 elements */
    uint32_t runs, colours;
    OozeHalo *halo; /* of several processes: see ooze_springs_run */
} OozeSpringsSchedule;

/* Builds the schedule of points, own ones and ghosts, with the order `key` within a cell, in the
   arena. Points that are not sorted by cell are scheduled sequentially.

   Of several processes, each sweeps the cells that change its own particles: those in which it has
   some, and adjacent ones. Their particles and those adjacent to them are own or ghosts where the
   halo has two layers, so that they change as they do on one process. Ghosts are refreshed after
   every colour, since the cells of other processes change them as well. */
OozeStatus ooze_springs_schedule(const OozeSpringsStep *step, OozeSpringsSchedule *schedule,
                                 const OozeF32x4 *points, const uint64_t *key,
                                 const OozeGridAxis axis[3], OozeError *error);
/* Calls body with the step and ranges of runs, colour by colour; step->first_run is the first run
   of the current colour. `values` is the array of points that it changes. */
void ooze_springs_run(OozeSpringsStep *step, const OozeSpringsSchedule *schedule,
                      OozeRangeBody body, void *values, size_t size);

#endif
