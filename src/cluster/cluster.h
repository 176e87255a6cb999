/* The message-passing library of this build. Built with the mpi preset only. */
#ifndef OOZE_CLUSTER_CLUSTER_H
#define OOZE_CLUSTER_CLUSTER_H

#include <stddef.h>

/* Writes the first line of what the library says of itself; needs no MPI_Init. */
void ooze_cluster_describe(char *line, size_t size);

#endif
