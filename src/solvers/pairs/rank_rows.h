/* Rows of links of several processes. Between steps each rank has a contiguous range of the rows of
   all ranks, and links name rows by their numbers in all. A step divides particles among ranks
   anew: their rows follow them. */
#ifndef OOZE_SOLVERS_PAIRS_RANK_ROWS_H
#define OOZE_SOLVERS_PAIRS_RANK_ROWS_H

#include "solvers/pairs/link_table.h"

/* Who reads which rows of which rank. Its memory is in the arena of the step. */
typedef struct OozeRankRows {
    OozeRanks *ranks;
    OozeArena *arena;
    uint64_t first, n;            /* rows of ranks before this one, and its own */
    uint64_t *at;                 /* per rank and one more: its first row */
    uint64_t count;               /* rows that this rank reads */
    const uint32_t *wanted;       /* their numbers; OOZE_LINK_ROW_NONE: none */
    uint32_t *slot;               /* per row that is read: its place in messages */
    uint64_t *read_at, *serve_at; /* per rank and one more: rows in messages */
    uint64_t *bytes;              /* working memory: 2 (ranks + 1) */
    uint32_t *serve;              /* own rows that other ranks read, rank by rank */
} OozeRankRows;

/* All ranks call these functions. `n` is the number of rows of this rank; `wanted` stays valid. */
OozeStatus ooze_rank_rows_find(OozeRankRows *rows, const OozeStepContext *context, uint64_t n,
                               const uint32_t *wanted, uint64_t count, OozeError *error);
/* Rows with all their items; row k of `to` is that of row wanted[k], or empty. Items of each begin
   at a multiple of `pad`. */
OozeStatus ooze_rank_rows_fetch_items(OozeRankRows *rows, const OozeLinkRows *from,
                                      OozeLinkRows *to, uint32_t pad, OozeError *error);

/* Brings the links of the own particles of context->halo, whose old rows `plan` reads: row i of
   `to` is that of particle i, and its links name particles by their index in the order of all.
   Links to particles that are no more are left out. Changes `from`. */
OozeStatus ooze_rank_rows_follow(OozeRankRows *plan, const OozeStepContext *context,
                                 OozeLinkRows *from, OozeLinkRows *to, uint32_t pad,
                                 OozeError *error);
/* Makes the other ends of the links ghosts, and names all by their local index. */
OozeStatus ooze_rank_rows_localize(const OozeStepContext *context, OozeLinkRows *rows,
                                   OozeError *error);

#endif
