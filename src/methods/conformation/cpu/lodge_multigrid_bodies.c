/* Rigid particle bodies in the multigrid preconditioner. A body takes what is around it to be at
   rest, and responds with its mass and the stiffness of that. Without this stiffness, six motions
   of each body in a stiff fluid would be far outside the spectrum of the others, and conjugate
   gradients would spend iterations on each of them. */
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "methods/conformation/lodge_multigrid_formula.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

/* Stiffness of the gradient of each particle against a common motion of those of its neighbours
   that are not of the same rigid body. */
static void around_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodgeMultigrid *mg = data;
    const OozeLodge *solve = mg->solve;
    const OozeConformationStep *s = solve->step;
    const uint16_t *rigid_of = s->own->bodies->rigid_of;
    const OozeNeighbours *list = s->own->edges->list;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 g = {0};
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            if (rigid_of[list->index[e]] != rigid_of[i]) {
                g += ooze_edge_at(s->own->edges, i, e);
            }
        }
        OozeSym3 block =
            ooze_lodge_gradient_block((const float *)&g, s->correction[i], solve->stiffness[i],
                                      solve->bulk[i], solve->hourglass[i]);
        mg->around[i] = ooze_sym3_scale(block, g[3] > 0.0f ? s->dt : 0.0f);
        mg->around_weight[i] = g[3];
    }
}

/* What resists the particle of a rigid body: its own gradient, and its share of those of fluid. */
static OozeSym3 around_particle(const OozeLodgeMultigrid *mg, uint32_t i)
{
    const OozeConformationStep *s = mg->solve->step;
    const OozeNeighbours *list = s->own->edges->list;
    OozeSym3 sum = mg->around[i];
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        uint32_t j = list->index[e];
        if (!s->own->bodies->rigid_of[j] && mg->around_weight[j] > 0.0f) {
            float share = s->own->edges->weight[e] / mg->around_weight[j];
            sum = ooze_sym3_add(sum, ooze_sym3_scale(mg->around[j], share));
        }
    }
    return sum;
}

static void slot_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    const OozeBodies *b = &mg->solve->step->own->bodies->all;
    for (uint64_t slot = begin; slot < end; slot++) {
        if (b->index[slot] < OOZE_FAR_PARTICLE) {
            mg->slot_around[slot] = around_particle(mg, b->index[slot]);
        }
    }
}

void ooze_lodge_multigrid_find_bodies(OozeLodgeMultigrid *mg)
{
    const OozeConformationStep *s = mg->solve->step;
    if (mg->around) {
        OozeBodies *b = &s->own->bodies->all;
        ooze_parallel_for(s->context->threads, s->n, GRAIN, around_range, mg);
        ooze_halo_refresh(s->context->halo, mg->around, sizeof *mg->around);
        ooze_halo_refresh(s->context->halo, mg->around_weight, sizeof *mg->around_weight);
        ooze_parallel_for(s->context->threads, b->rigid_slots, GRAIN, slot_range, mg);
        if (b->sharing) {
            ooze_body_sharing_tensors(b, mg->slot_around);
        }
        ooze_rigid_set_smoothers(b, mg->slot_around);
    }
}
