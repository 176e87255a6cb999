/* A set of cells of a surface lattice, by their keys: see cell_formula.h. */
#ifndef OOZE_SOLIDS_CELL_SET_H
#define OOZE_SOLIDS_CELL_SET_H

#include "base/fail.h"
#include "solids/cell_formula.h"

/* Starts as zero. */
typedef struct OozeCellSet {
    uint64_t *keys; /* ascending and unique after ooze_cell_set_sort */
    uint64_t count, capacity;
} OozeCellSet;

void ooze_cell_set_free(OozeCellSet *set);
/* Allocates memory for `count` keys. */
OozeStatus ooze_cell_set_reserve(OozeCellSet *set, uint64_t count, OozeError *error);
OozeStatus ooze_cell_set_add(OozeCellSet *set, uint64_t key, OozeError *error);
void ooze_cell_set_sort(OozeCellSet *set);
/* Index of a key in a sorted set; -1: it is not there. */
int64_t ooze_cell_set_find(const OozeCellSet *set, uint64_t key);
bool ooze_cell_set_has(const OozeCellSet *set, uint64_t key);

#endif
