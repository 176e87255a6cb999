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
#include "world/engine.h"

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

/* Only rank 0 prints. Errors of the others are kept, for the case that it has none. */
static void mute(OozeCluster *cluster)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    cluster->messages = dup(STDERR_FILENO);
    cluster->said = tmpfile();
    if (nowhere >= 0 && cluster->messages >= 0) {
        fflush(stderr);
        dup2(cluster->said ? fileno(cluster->said) : nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
    if (nowhere >= 0) {
        close(nowhere);
    }
}

#ifdef OOZE_WITH_MPI
/* The processes of a host share its cores. All processes call this before one of them can fail. */
static int share_cores(OozeRanks *ranks)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char *hosts = ooze_alloc_zero((size_t)ranks->count, sizeof ranks->host);
    int here = 0;
    if (!hosts) {
        ooze_report_line("ooze: process %d on '%s' is out of memory", ranks->rank, ranks->host);
        ooze_mpi_abort(EXIT_FAILURE);
        return 1;
    }
    ranks->gather(ranks, ranks->host, sizeof ranks->host, hosts);
    for (int r = 0; r < ranks->count; r++) {
        here += strcmp(hosts + (size_t)r * sizeof ranks->host, ranks->host) == 0;
    }
    ooze_free(hosts);
    return cores / here > 1 ? (int)(cores / here) : 1;
}
#endif

OozeStatus ooze_cluster_open(OozeCluster *cluster, OozeError *error)
{
    *cluster = (OozeCluster){.messages = -1};
#ifdef OOZE_WITH_MPI
    (void)error;
    cluster->ranks = ooze_mpi_open();
    cluster->threads = cluster->ranks ? share_cores(cluster->ranks) : 0;
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

/* The error with the process that has it. */
static OozeError place_error(const OozeCluster *cluster, const OozeError *error)
{
    OozeError placed = *error;
    int used = snprintf(placed.message, sizeof placed.message,
                        "process %d on '%s': ", cluster->ranks->rank, cluster->ranks->host);
    snprintf(placed.message + used, sizeof placed.message - (size_t)used, "%.800s", error->message);
    return placed;
}

int ooze_cluster_fail(OozeCluster *cluster, const OozeError *error)
{
    if (ooze_rank_count(cluster->ranks) == 1) {
        return ooze_report_error(error);
    }
    if (!ooze_cluster_leads(cluster)) {
        sleep(PATIENCE);
        unmute(cluster);
    }
    OozeError placed = place_error(cluster, error);
    bool of_all = ooze_cluster_leads(cluster) && error->status != OOZE_ERROR_MEMORY &&
                  error->status != OOZE_ERROR_WRITE;
    int code = ooze_report_error(of_all ? error : &placed);
    fflush(stderr);
#ifdef OOZE_WITH_MPI
    ooze_mpi_abort(code);
#endif
    return code;
}

/* Prints the error that this process has kept to itself. */
static void print_reason(const OozeCluster *cluster)
{
    char line[1024];
    const char *reason = NULL;
    if (cluster->said) {
        rewind(cluster->said);
        while (!reason && fgets(line, sizeof line, cluster->said)) {
            line[strcspn(line, "\n")] = '\0';
            reason = strstr(line, "error: ");
        }
    }
    ooze_report_line("ooze: process %d on '%s' cannot begin: %s", cluster->ranks->rank,
                     cluster->ranks->host,
                     reason ? reason : "can it read the scene and the run folder?");
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
        print_reason(cluster);
    }
    return (int)worst[0];
}

OozeStatus ooze_cluster_choose_device(const OozeCluster *cluster, OozeDevice *device,
                                      OozeError *error)
{
    OozeStatus status = ooze_device_choose(device, error);
    if (!status && ooze_rank_count(cluster->ranks) > 1 && *device == OOZE_DEVICE_AUTO) {
        *device = OOZE_DEVICE_CPU;
    }
    return status;
}

void ooze_cluster_report(OozeCluster *cluster, uint64_t steps, OozeText *table)
{
    OozeRanks *ranks = cluster->ranks;
    if (!ranks || ranks->count == 1 || steps == 0) {
        return;
    }
    const OozeRankTraffic *t = &ranks->traffic;
    double per = 1.0 / (double)steps,
           most[6] = {(double)t->messages, (double)t->bytes, (double)t->collectives,
                      (double)t->gathered, t->seconds,       -t->seconds};
    char bytes[OOZE_QUANTITY_SIZE], gathered[OOZE_QUANTITY_SIZE];
    ranks->max(ranks, most, 6);
    ooze_text_append(table,
                     "  %d processes; a step of the busiest: %.0f messages of %s in all, %.0f "
                     "collective calls with %s; %.3f to %.3f ms in messages and waiting\n",
                     ranks->count, most[0] * per, ooze_quantity_bytes(bytes, most[1] * per),
                     most[2] * per, ooze_quantity_bytes(gathered, most[3] * per),
                     -1e3 * most[5] * per, 1e3 * most[4] * per);
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
    if (cluster->said) {
        fclose(cluster->said);
    }
    *cluster = (OozeCluster){.messages = -1};
}
