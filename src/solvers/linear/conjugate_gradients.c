#include "solvers/linear/conjugate_gradients.h"

void ooze_conjugate_gradients(OozeConjugateGradients *cg, const OozeCgOperations *operations,
                              void *user, int iterations)
{
    for (int k = 0; k < iterations && !cg->off; k++) {
        ooze_cg_step_length(cg, operations->multiply(user));
        if (!cg->off) {
            double rz = cg->rz, square = cg->residual.current;
            rz = cg->lost ? rz : operations->advance(user, cg->alpha, &square);
            ooze_cg_iterated(cg, rz, square);
            operations->update(user, cg->beta);
        }
    }
}

double ooze_block_sum(const OozeBlockSum *sum, OozeRangeBody body, void *data)
{
    ooze_parallel_for(sum->threads, sum->n, (uint64_t)sum->grain, body, data);
    return ooze_halo_sum(sum->halo, sum->partial, sum->n, (uint64_t)sum->grain);
}
