/* Arrays of a method (see OozeMethod.arrays) that several processes share: each has a part of the
   rows, rank 0 has all on the host. */
#ifndef OOZE_WORLD_RANKS_ARRAYS_H
#define OOZE_WORLD_RANKS_ARRAYS_H

#include "methods/method.h"

/* Memory of gathered arrays. Starts as zero. */
typedef struct OozeRanksArrays {
    void *data[OOZE_METHOD_ARRAYS_MAX];
} OozeRanksArrays;
void ooze_ranks_arrays_free(OozeRanksArrays *memory);

/* The arrays of rank 0 on all ranks, as views of `memory`. */
OozeStatus ooze_ranks_broadcast_arrays(OozeRanks *ranks, const OozeMethod *method,
                                       const OozeFieldView *arrays, OozeFieldView *all,
                                       OozeRanksArrays *memory, OozeError *error);
/* The arrays of rank 0 become the parts of all: `data` is the method's of this rank, and `context`
   has its particles. */
OozeStatus ooze_ranks_divide_arrays(OozeRanks *ranks, const OozeMethod *method, void *data,
                                    const OozeStepContext *context, const OozeFieldView *arrays,
                                    OozeError *error);
/* The parts of all, `arrays`, become the arrays of rank 0, or of all ranks; elsewhere they are
   empty. They are valid until the next call. */
OozeStatus ooze_ranks_gather_arrays(OozeRanks *ranks, const OozeMethod *method, bool on_all,
                                    OozeFieldView *arrays, OozeRanksArrays *memory,
                                    OozeError *error);

#endif
