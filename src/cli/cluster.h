/* The processes of one run, under mpirun or srun: rank 0 prints and writes, the others follow. */
#ifndef OOZE_CLI_CLUSTER_H
#define OOZE_CLI_CLUSTER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/ranks.h"
#include "base/text.h"
#include "ooze/world.h"

typedef struct OozeCluster {
    OozeRanks *ranks; /* NULL: one process */
    int messages;     /* descriptor of stderr of a process that follows, which prints nothing; -1 */
    int threads;      /* of this process, where none are given; 0: of all cores */
    FILE *said;       /* what it would have printed; NULL: lost */
} OozeCluster;

/* Joins the processes. Fails where they were started together and this build has no MPI. */
OozeStatus ooze_cluster_open(OozeCluster *cluster, OozeError *error);
/* Leaves them with this exit code. */
void ooze_cluster_close(OozeCluster *cluster, int code);

/* Whether this process prints and writes. */
bool ooze_cluster_leads(const OozeCluster *cluster);
/* The largest code of all processes; where process 0 has none, one that has prints why. */
int ooze_cluster_agree(OozeCluster *cluster, int code);
/* Prints an error of this process, which may be the only one that has it, with the process and its
   host, and ends all. Returns the exit code where there is one process. */
int ooze_cluster_fail(OozeCluster *cluster, const OozeError *error);
/* Resolves device auto of several processes, which use GPUs where these are asked for. Before the
   world is built: that checks the memory of the scene, and does not know the processes. */
OozeStatus ooze_cluster_choose_device(const OozeCluster *cluster, OozeDevice *device,
                                      OozeError *error);
/* Messages and bytes of all processes, per step. */
void ooze_cluster_report(OozeCluster *cluster, uint64_t steps, OozeText *table);

#endif
