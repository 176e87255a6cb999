/* Cases of the multigrid preconditioner with the processor's results. */
#ifndef OOZE_TESTS_DEVICE_GRID_MULTIGRID_CASE_H
#define OOZE_TESTS_DEVICE_GRID_MULTIGRID_CASE_H

#include "ooze/status.h"
#include "particles/particles.h"
#include "solvers/multigrid/grid_multigrid_formula.h"

typedef enum MultigridCaseKind {
    MULTIGRID_BLOCK,
    MULTIGRID_FAR_APART,
    MULTIGRID_CLOSED,
    MULTIGRID_PERIODIC,
    MULTIGRID_ISOLATED, /* many particles, each far from the others */
    MULTIGRID_ONE,
    MULTIGRID_CASES
} MultigridCaseKind;

typedef struct MultigridCase {
    uint64_t n;
    double spacing;
    OozePeriodic periodic;
    OozeFloat4 *x;
    float *stiffness, *mass;
    float *r, *z; /* z: the correction of r */
    int levels;
    uint64_t cells[OOZE_MULTIGRID_LEVELS], nodes[OOZE_MULTIGRID_LEVELS];
} MultigridCase;

OozeStatus multigrid_case(MultigridCase *c, MultigridCaseKind kind, OozeError *error);
void multigrid_case_free(MultigridCase *c);

#endif
