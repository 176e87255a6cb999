#include "cli/cluster.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/quantity.h"
#include "cli/report.h"

#ifdef OOZE_WITH_MPI
#include "mpi/ranks.h"
#endif

/* Time for rank 0 to print an error that all processes have, s. */
enum { PATIENCE = 2 };

#ifndef OOZE_WITH_MPI
/* Number of processes that were started together; 0: not known. */
static int started_together(void)
{
    const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    int count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        count = text && atoi(text) > count ? atoi(text) : count;
    }
    return count;
}
#endif

/* Only rank 0 prints. */
static void mute(OozeCluster *cluster)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    cluster->messages = dup(STDERR_FILENO);
    if (nowhere >= 0 && cluster->messages >= 0) {
        fflush(stderr);
        dup2(nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
    if (nowhere >= 0) {
        close(nowhere);
    }
}

OozeStatus ooze_cluster_open(OozeCluster *cluster, OozeError *error)
{
    *cluster = (OozeCluster){.messages = -1};
#ifdef OOZE_WITH_MPI
    (void)error;
    cluster->ranks = ooze_mpi_open();
#else
    if (started_together() > 1) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED,
                         "install libopenmpi-dev, then build again; or start one process",
                         "%d processes were started, but this build has no MPI to share a run",
                         started_together());
    }
#endif
    if (!ooze_cluster_leads(cluster)) {
        mute(cluster);
    }
    return OOZE_OK;
}

bool ooze_cluster_leads(const OozeCluster *cluster)
{
    return ooze_rank(cluster->ranks) == 0;
}

/* Prints again, with the name of the process. */
static void unmute(OozeCluster *cluster)
{
    if (cluster->messages >= 0) {
        fflush(stderr);
        dup2(cluster->messages, STDERR_FILENO);
        close(cluster->messages);
        cluster->messages = -1;
    }
}

void ooze_cluster_fail(OozeCluster *cluster, const OozeError *error, int code)
{
    if (!cluster->ranks || cluster->ranks->count == 1) {
        return;
    }
    if (!ooze_cluster_leads(cluster)) {
        sleep(PATIENCE);
        unmute(cluster);
        ooze_report_line("ooze: process %d on '%s': %s", cluster->ranks->rank, cluster->ranks->host,
                         error->message);
    }
    fflush(stderr);
#ifdef OOZE_WITH_MPI
    ooze_mpi_abort(code);
#else
    (void)code;
#endif
}

int ooze_cluster_agree(OozeCluster *cluster, int code)
{
    if (!cluster->ranks) {
        return code;
    }
    double worst[2] = {code, cluster->ranks->rank == 0 ? code : 0.0};
    cluster->ranks->max(cluster->ranks, worst, 2);
    if (code != 0 && worst[1] == 0.0 && !ooze_cluster_leads(cluster)) {
        unmute(cluster);
        ooze_report_line("ooze: process %d on '%s' cannot begin: can it read the scene and the "
                         "run folder?",
                         cluster->ranks->rank, cluster->ranks->host);
    }
    return (int)worst[0];
}

int ooze_cluster_threads(OozeCluster *cluster)
{
    OozeRanks *ranks = cluster->ranks;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char *hosts = ranks ? ooze_alloc_zero((size_t)ranks->count, sizeof ranks->host) : NULL;
    int here = 0;
    if (!hosts) {
        return 0;
    }
    ranks->gather(ranks, ranks->host, sizeof ranks->host, hosts);
    for (int r = 0; r < ranks->count; r++) {
        here += strcmp(hosts + (size_t)r * sizeof ranks->host, ranks->host) == 0;
    }
    ooze_free(hosts);
    return cores / here > 1 ? (int)(cores / here) : 1;
}

void ooze_cluster_report(OozeCluster *cluster, uint64_t steps, OozeText *table)
{
    OozeRanks *ranks = cluster->ranks;
    if (!ranks || ranks->count == 1 || steps == 0) {
        return;
    }
    const OozeRankTraffic *t = &ranks->traffic;
    double per = 1.0 / (double)steps,
           most[5] = {(double)t->messages, (double)t->bytes, (double)t->collectives,
                      (double)t->gathered, t->seconds};
    char bytes[OOZE_QUANTITY_SIZE], gathered[OOZE_QUANTITY_SIZE];
    ranks->max(ranks, most, 5);
    ooze_text_append(table,
                     "  %d processes; a step of the busiest: %.0f messages of %s in all, %.0f "
                     "collective calls with %s, %.3f ms in messages and waiting\n",
                     ranks->count, most[0] * per, ooze_quantity_bytes(bytes, most[1] * per),
                     most[2] * per, ooze_quantity_bytes(gathered, most[3] * per),
                     1e3 * most[4] * per);
}

void ooze_cluster_close(OozeCluster *cluster, int code)
{
    (void)code;
#ifdef OOZE_WITH_MPI
    ooze_mpi_close(cluster->ranks);
#endif
    if (cluster->messages >= 0) {
        close(cluster->messages);
    }
    *cluster = (OozeCluster){.messages = -1};
}
