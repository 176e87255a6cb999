/* Direct solution on the coarsest grid of a multigrid preconditioner. */
#ifndef OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_DENSE_H
#define OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_DENSE_H

#include <stdint.h>

/* inverse: nodes x nodes, of the sum of the element matrices; see grid_multigrid_formula.h. At most
   OOZE_MULTIGRID_DENSE nodes; corner_node has 8 per cell. */
void ooze_multigrid_invert(const float *elements, const uint32_t *corner_node, uint64_t cells,
                           uint64_t nodes, double *inverse);

#endif
