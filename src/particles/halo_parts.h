/* What the sources of the halo share. */
#ifndef OOZE_PARTICLES_HALO_PARTS_H
#define OOZE_PARTICLES_HALO_PARTS_H

#include "particles/halo.h"
#include "particles/message_plan.h"

/* Keys of the first and last particle of a rank; where it has none, both are the last key of the
   rank before. */
typedef struct KeyRange {
    uint64_t first, last, n;
} KeyRange;

struct OozeHalo {
    OozeMessagePlan plan;      /* own particles that others take, and ghosts */
    OozeThreads *threads;      /* of the split */
    int layers;                /* of cells around those of own particles */
    uint64_t n, first, total;  /* own particles, those of ranks before, those of all ranks */
    uint64_t below;            /* ghosts of ranks before this one */
    uint64_t inner, inner_end; /* blocks of own particles without ghosts near them */
    KeyRange *range;           /* per rank */
    uint64_t *keys;            /* of own particles, while ghosts are sought */
    size_t key_capacity;
    uint32_t *send; /* indices of own particles, rank by rank */
    size_t send_capacity;
    uint64_t *ghost_index; /* in the order of all particles */
    size_t ghost_capacity;
    char *buffer; /* of messages */
    size_t buffer_capacity;
    char *incoming; /* ghosts' elements, of ooze_halo_refresh_sorted */
    size_t incoming_capacity;
    OozeFloat4 *sorted; /* ghosts of ranks before, own points, ghosts of ranks behind */
    size_t sorted_capacity;
};

/* The numbers of all ghosts, from the lists of particles that ranks take. */
OozeStatus ooze_halo_number_ghosts(OozeHalo *halo, OozeError *error);

#endif
