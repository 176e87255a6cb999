/* Rows of dynamic solids in the multigrid preconditioner. Fluid on the grids takes samples of
   solids to be at rest; a solid takes the fluid around it to be at rest, and responds with its mass
   and the stiffness of what clings to it. */
#include "methods/conformation/lodge_multigrid.h"
#include "methods/conformation/lodge_multigrid_formula.h"
#include "solvers/dynamic_coupling_f32x4.h"

/* Stiffness of particle i against a common motion of the samples of solid k, times dt. */
static bool wall_block(const OozeLodge *solve, uint64_t i, int k, OozeSym3 *block)
{
    const OozeConformationStep *s = solve->step;
    const OozeDynamicCoupling *c = s->coupling;
    const uint32_t *sample = s->context->fluid_boundary->index;
    OozeWallRange walls = ooze_lodge_walls(s, i);
    float g[4] = {0}; /* sums over the samples */
    for (uint64_t e = walls.first; e < walls.last; e++) {
        if (c->index_of[c->view.solid[sample[e]]] == k) {
            for (int m = 0; m < 4; m++) {
                g[m] += s->wall_edge[e][m];
            }
        }
    }
    *block = ooze_lodge_gradient_block(g, s->correction[i], solve->stiffness[i], solve->bulk[i],
                                       solve->hourglass[i]);
    *block = ooze_sym3_scale(*block, s->dt);
    return g[3] > 0.0f;
}

/* Mass of a solid as a 6 x 6 matrix. */
static OozeTwistMatrix mass_of(const OozeDynamicCoupling *c, const OozeDynamicSolid *solid)
{
    OozeTwistMatrix mass;
    for (int q = 0; q < 6; q++) {
        OozeTwist unit = {{0}};
        unit.v[q] = 1.0;
        OozeTwist column = ooze_coupling_momentum(c, solid, &unit);
        for (int r = 0; r < 6; r++) {
            mass.m[6 * r + q] = column.v[r];
        }
    }
    return mass;
}

/* In the order of the particles, of chunks that are near solids: few. */
void ooze_lodge_multigrid_find_solids(OozeLodgeMultigrid *mg)
{
    const OozeLodge *solve = mg->solve;
    const OozeConformationStep *s = solve->step;
    OozeDynamicCoupling *c = s->coupling;
    for (int k = 0; c && k < c->count; k++) {
        OozeTwistMatrix sum = mass_of(c, &c->solids[k]);
        for (uint64_t i = 0; i < s->n; i++) {
            OozeSym3 block;
            if (!c->near[i / OOZE_COUPLING_GRAIN]) {
                i += OOZE_COUPLING_GRAIN - 1; /* chunks begin at multiples of it */
            } else if (wall_block(solve, i, k, &block)) {
                OozeVec3 arm = ooze_coupling_arm_to(c, &c->solids[k], s->x0[i]);
                const double at[3] = {arm.x, arm.y, arm.z};
                ooze_twist_add_point(&sum, ooze_mat3_from_sym3(block).m, at);
            }
        }
        mg->solid_inverse[k] = ooze_twist_inverse(sum);
    }
}

OozeTwist ooze_lodge_multigrid_solid_response(const OozeLodgeMultigrid *mg, int k)
{
    return ooze_twist_apply(&mg->solid_inverse[k], &mg->solve->step->coupling->solids[k].residual);
}
