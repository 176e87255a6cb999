/* Rows of dynamic solids in the multigrid preconditioner. Fluid on the grids takes samples of
   solids to be at rest; a solid takes the fluid around it to be at rest, and responds with its mass
   and the stiffness of the fluid that does not slip on it. */
#include "base/fail.h"
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "methods/conformation/lodge_multigrid_formula.h"
#include "solvers/contact/dynamic_coupling_f32x4.h"

/* Stiffness of particle i against a common motion of the samples of solid k, times dt. */
static bool wall_block(const OozeLodge *solve, uint64_t i, int k, OozeSym3 *block)
{
    const OozeConformationStep *s = solve->step;
    const OozeDynamicCoupling *c = s->own->coupling;
    const uint32_t *sample = s->context->fluid_boundary->index;
    OozeWallRange walls = ooze_lodge_walls(s, i);
    float g[4] = {0}; /* sums over the samples */
    for (uint64_t e = walls.first; e < walls.last; e++) {
        if (c->index_of[c->view.solid[sample[e]]] == k) {
            for (int m = 0; m < 4; m++) {
                g[m] += s->own->wall_edge[e][m];
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

/* Stiffness of a particle at a solid. */
typedef struct WallPoint {
    OozeSym3 block;
    double at[3]; /* from the centre of the solid */
} WallPoint;

/* The particles of this rank at solid k, in their order, of chunks that are near solids: few.
   Returns their number; with NULL it only counts. */
static uint64_t list_points(const OozeLodge *solve, int k, WallPoint *points)
{
    const OozeConformationStep *s = solve->step;
    const OozeDynamicCoupling *c = s->own->coupling;
    uint64_t count = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        WallPoint point;
        if (!c->near[i / OOZE_COUPLING_GRAIN]) {
            i += OOZE_COUPLING_GRAIN - 1; /* chunks begin at multiples of it */
        } else if (wall_block(solve, i, k, &point.block)) {
            OozeVec3 arm = ooze_coupling_arm_to(c, &c->solids[k], s->x0[i]);
            point.at[0] = arm.x;
            point.at[1] = arm.y;
            point.at[2] = arm.z;
            if (points) {
                points[count] = point;
            }
            count++;
        }
    }
    return count;
}

/* Those of all ranks, in their order. */
static OozeStatus gather_points(const OozeLodge *solve, int k, OozeHaloList *list, OozeError *error)
{
    const OozeStepContext *c = solve->step->context;
    *list = (OozeHaloList){.count = list_points(solve, k, NULL), .size = sizeof(WallPoint)};
    WallPoint *own = ooze_arena_alloc(c->arena, list->count, sizeof *own);
    if (!own) {
        return ooze_fail_memory(error, "the velocity solve", list->count * sizeof *own);
    }
    list_points(solve, k, own);
    list->own = own;
    return ooze_halo_gather_list(c->halo, c->arena, list, error);
}

OozeStatus ooze_lodge_multigrid_find_solids(OozeLodgeMultigrid *mg, OozeError *error)
{
    const OozeLodge *solve = mg->solve;
    OozeArena *arena = solve->step->context->arena;
    OozeDynamicCoupling *c = solve->step->own->coupling;
    for (int k = 0; c && k < c->count; k++) {
        OozeArenaMark mark = ooze_arena_mark(arena);
        OozeTwistMatrix sum = mass_of(c, &c->solids[k]);
        OozeHaloList list;
        OozeStatus status = gather_points(solve, k, &list, error);
        if (status) {
            return status;
        }
        const WallPoint *points = list.all;
        for (uint64_t i = 0; i < list.total; i++) {
            ooze_twist_add_point(&sum, ooze_mat3_from_sym3(points[i].block).m, points[i].at);
        }
        mg->solid_inverse[k] = ooze_twist_inverse(sum);
        ooze_arena_rewind(arena, mark);
    }
    return OOZE_OK;
}

OozeTwist ooze_lodge_multigrid_solid_response(const OozeLodgeMultigrid *mg, int k)
{
    return ooze_twist_apply(&mg->solid_inverse[k],
                            &mg->solve->step->own->coupling->solids[k].residual);
}
