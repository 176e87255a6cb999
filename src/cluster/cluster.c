#include "cluster/cluster.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

void ooze_cluster_describe(char *line, size_t size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) {
        length = 0;
    }
    text[length] = '\0';
    text[strcspn(text, "\n,")] = '\0';
    snprintf(line, size, "%s", text);
}
