/* Direct solves of the smallest matrices of velocity_multigrid.h. */
#include <string.h>

#include "solvers/multigrid/velocity_multigrid_dense_formula.h"
#include "solvers/multigrid/velocity_multigrid_levels.h"

void ooze_velocity_factorise_level(const OozeVelocityMultigrid *mg, int k, double *a)
{
    const OozeMultigridLevel *level = &mg->grids.level[k];
    const OozeVelocityRows *rows = &mg->rows[k];
    const uint64_t n = 3 * level->nodes;
    memset(a, 0, n * n * sizeof *a);
    for (uint64_t i = 0; i < level->nodes; i++) {
        for (uint32_t c = rows->row_first[i]; c < rows->row_first[i + 1]; c++) {
            const float *block = rows->block + (uint64_t)OOZE_VELOCITY_BLOCK * c;
            for (uint64_t e = 0; e < 9; e++) { /* several columns of a node, as in `rows` */
                a[(3 * i + e % 3) * n + 3 * rows->column[c] + e / 3] += (double)block[e];
            }
        }
    }
    ooze_velocity_factorise(a, n);
}

/* ---- elements that share no node with others ---- */

void ooze_velocity_invert_isolated(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeMultigridLevel *level = s->level;
    const OozeVelocityRows *rows = s->rows;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t e = level->isolated[k];
        double a[OOZE_VELOCITY_ROWS * OOZE_VELOCITY_ROWS], x[OOZE_VELOCITY_ROWS];
        ooze_velocity_invert_element(
            rows->element + OOZE_VELOCITY_ELEMENT * ooze_velocity_local(rows, e), a, x,
            rows->isolated_inverse + (uint64_t)(OOZE_VELOCITY_ROWS * OOZE_VELOCITY_ROWS) * k);
        for (uint64_t c = 0; c < 8; c++) { /* the smoother leaves them alone */
            rows->inverse[level->corner_node[8 * e + c]] = ooze_sym3_identity(0.0f);
        }
    }
}

void ooze_velocity_solve_isolated(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeMultigridLevel *level = s->level;
    const OozeVelocityRows *rows = s->rows;
    enum { N = OOZE_VELOCITY_ROWS };
    for (uint64_t k = begin; k < end; k++) {
        const uint32_t *node = level->corner_node + 8 * (uint64_t)level->isolated[k];
        const float *inverse = rows->isolated_inverse + (uint64_t)(N * N) * k;
        float sum[N] = {0};
        for (int j = 0; j < N; j++) {
            float b = rows->b[node[j / 3]][j % 3];
            for (int i = 0; i < N; i++) {
                sum[i] += inverse[N * j + i] * b;
            }
        }
        for (int c = 0; c < 8; c++) {
            rows->x[node[c]] = ooze_f32x4(sum[3 * c], sum[3 * c + 1], sum[3 * c + 2], 0.0f);
        }
    }
}
