/* The ranks of MPI. */
#ifndef OOZE_MPI_RANKS_H
#define OOZE_MPI_RANKS_H

#include "base/ranks.h"

/* Joins the group that mpirun or srun has started; NULL: this process was started alone. */
OozeRanks *ooze_mpi_open(void);
/* Leaves it, after all ranks have come here. */
void ooze_mpi_close(OozeRanks *ranks);
/* Ends all ranks at once. */
void ooze_mpi_abort(int code);

#endif
