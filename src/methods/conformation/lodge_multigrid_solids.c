/* Rows of dynamic solids in the multigrid preconditioner. Fluid on the grids takes samples of
   solids to be at rest; a solid takes the fluid around it to be at rest, and responds with its mass
   and the stiffness of what clings to it. */
#include <string.h>

#include "methods/conformation/lodge_multigrid.h"
#include "methods/conformation/lodge_multigrid_formula.h"

enum { TERMS = 36 };

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

/* Adds N^T K N, N the velocity at an arm by the six unknowns. */
static void add_block(double *sum, OozeSym3 block, OozeVec3 arm)
{
    const double n[3][6] = {
        {1, 0, 0, 0, arm.z, -arm.y}, {0, 1, 0, -arm.z, 0, arm.x}, {0, 0, 1, arm.y, -arm.x, 0}};
    OozeMat3 m = ooze_mat3_from_sym3(block);
    for (int r = 0; r < 6; r++) {
        for (int q = 0; q < 6; q++) {
            for (int e = 0; e < 9; e++) {
                sum[6 * r + q] += n[e / 3][r] * (double)m.m[e] * n[e % 3][q];
            }
        }
    }
}

/* Mass of a solid as a 6 x 6 matrix. */
static void add_mass(const OozeDynamicCoupling *c, const OozeDynamicSolid *solid, double *sum)
{
    for (int q = 0; q < 6; q++) {
        OozeTwist unit = {{0}};
        unit.v[q] = 1.0;
        OozeTwist column = ooze_coupling_momentum(c, solid, &unit);
        for (int r = 0; r < 6; r++) {
            sum[6 * r + q] += column.v[r];
        }
    }
}

/* Lower factor L of a = L L^T, in place. */
static void factorise(double *a)
{
    for (int j = 0; j < 6; j++) {
        for (int i = j; i < 6; i++) {
            double sum = a[6 * i + j];
            for (int k = 0; k < j; k++) {
                sum -= a[6 * i + k] * a[6 * j + k];
            }
            a[6 * i + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / a[6 * j + j];
        }
    }
}

/* In the order of the particles, of chunks that are near solids: few. */
void ooze_lodge_multigrid_find_solids(OozeLodgeMultigrid *mg)
{
    const OozeLodge *solve = mg->solve;
    const OozeConformationStep *s = solve->step;
    OozeDynamicCoupling *c = s->coupling;
    for (int k = 0; c && k < c->count; k++) {
        double *sum = mg->solid_factor[k];
        memset(sum, 0, TERMS * sizeof *sum);
        add_mass(c, &c->solids[k], sum);
        for (uint64_t i = 0; i < s->n; i++) {
            OozeSym3 block;
            if (!c->near[i / OOZE_COUPLING_GRAIN]) {
                i += OOZE_COUPLING_GRAIN - 1; /* chunks begin at multiples of it */
            } else if (wall_block(solve, i, k, &block)) {
                add_block(sum, block, ooze_coupling_arm(c, &c->solids[k], s->x0[i]));
            }
        }
        factorise(sum);
    }
}

OozeTwist ooze_lodge_multigrid_solid_response(const OozeLodgeMultigrid *mg, int k)
{
    const double *l = mg->solid_factor[k];
    OozeTwist y = mg->solve->step->coupling->solids[k].residual;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            y.v[i] -= l[6 * i + j] * y.v[j];
        }
        y.v[i] /= l[7 * i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++) {
            y.v[i] -= l[6 * j + i] * y.v[j];
        }
        y.v[i] /= l[7 * i];
    }
    return y;
}
