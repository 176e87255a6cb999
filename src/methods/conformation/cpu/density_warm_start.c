#include "methods/conformation/cpu/density_warm_start.h"

#include "methods/conformation/expected_push_formula.h"

static void multipliers_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->first_multiplier[i] = ooze_push_multiplier(
            s->multiplier[i], s->rheology[s->material[i]].multiplier_share, s->dt);
    }
}

void ooze_density_warm_start_find(OozeConformationStep *s)
{
    const OozeStepContext *c = s->context;
    if (!s->first_push) {
        return;
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, multipliers_range, s);
    ooze_halo_refresh(c->halo, s->first_multiplier, sizeof *s->first_multiplier);
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN,
                      ooze_density_warm_start_loops()->pushes, s);
}
