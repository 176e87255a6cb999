/* Momentum of components of fluid in free flight, after a solve whose iterates do not keep it.
   Dynamic solids belong to the fluid that does not slip on them: in the velocity solve nothing else
   acts on them.

   Stresses and hourglass forces exert neither force nor torque on a component as a whole, so that
   T^T A u = T^T M u for its rigid motions T, and the solution has the momenta of u*. The rest
   T (T^T M T)^-1 T^T M (u* - u) is what the tolerance of the solve has left. Adding it changes no
   stress. */
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/cpu/components.h"
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/cpu/lodge_momentum.h"
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "methods/conformation/pressure_solve.h"
#include "solvers/contact/dynamic_coupling_f32x4.h"
#include "solvers/multigrid/grid_multigrid_levels.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

typedef OozeMomentumSums Sums;
typedef OozeMomentumChunk Chunk;
typedef OozeMomentumJob Job;

/* Index of the dynamic no-slip solid of entry e of the boundary lists; -1: it is another solid's;
   -2: the solid is not no-slip. */
static int solid_at(const OozeConformationStep *s, uint64_t e)
{
    if (!(s->own->wall_edge[e][3] > 0.0f)) {
        return -2;
    }
    const OozeBoundary *boundary = s->context->boundary;
    int solid = boundary->solid[s->context->fluid_boundary->index[e]];
    return s->own->coupling ? s->own->coupling->index_of[solid] : -1;
}

static bool is_held(const OozeConformationStep *s, uint64_t i)
{
    bool held = s->mobility[i] == 0.0f || s->contact_of[i] >= 0;
    held = held || (s->own->grid_pressure && s->own->grid_pressure->walled[i] > 0.0f);
    OozeWallRange walls = ooze_lodge_walls(s, i);
    for (uint64_t e = walls.first; e < walls.last && !held; e++) {
        held = solid_at(s, e) == -1;
    }
    uint16_t rigid = s->own->bodies ? s->own->bodies->rigid_of[i] : 0;
    return held || (rigid && s->own->bodies->all.rigids[rigid - 1].contact_count > 0);
}

static void arm_of(const Job *job, uint32_t root, uint64_t i, double arm[3])
{
    const OozeConformationStep *s = job->solve->step;
    OozeF32x4 d = ooze_f32x4_nearest(s->x0[i] - job->origin[root], &s->context->periodic);
    for (int k = 0; k < 3; k++) {
        arm[k] = (double)d[k];
    }
}

void ooze_momentum_add_particle(const Job *job, uint64_t i, Sums *sum)
{
    const OozeLodge *solve = job->solve;
    const OozeConformationStep *s = solve->step;
    double mass = (double)s->rheology[s->material[i]].relative_mass, x[3], u[3];
    arm_of(job, solve->own->components.root[i], i, x);
    for (int k = 0; k < 3; k++) {
        u[k] = (double)solve->u_star[i][k] - (double)s->u[i][k];
    }
    ooze_momentum_add(sum, mass, x, u, s->context->periodic.length, is_held(s, i));
}

void ooze_momentum_add_sums(Sums *to, const Sums *from)
{
    to->mass += from->mass;
    to->held += from->held;
    to->wraps += from->wraps;
    for (int k = 0; k < 3; k++) {
        to->first[k] += from->first[k];
        to->p[k] += from->p[k];
        to->l[k] += from->l[k];
    }
    for (int k = 0; k < 6; k++) {
        to->second[k] += from->second[k];
    }
}

/* ---- pressure ---- */

/* The first particle of a cell around a node. */
static uint32_t child_at(const OozeMultigridLevel *level, uint32_t corner)
{
    return level->child[level->child_first[level->node_corner[corner] / 8]];
}

/* Fluid and solids on which the same unknown of the pressure grid acts. */
static void join_by_pressure(const OozeLodge *solve, uint64_t *solid_first)
{
    const OozePressureGrid *grid = &solve->step->own->grid_pressure->grid;
    const OozeMultigridLevel *level = &grid->multigrid->grids.level[0];
    for (uint64_t c = 0; c < level->cells; c++) {
        for (uint32_t k = level->child_first[c]; k < level->child_first[c + 1]; k++) {
            ooze_component_join(solve->own->components.parent, level->child[k],
                                level->child[level->child_first[c]]);
        }
    }
    for (uint64_t g = 0; g < grid->nodes; g++) {
        uint32_t first = child_at(level, level->node_first[g]);
        for (uint32_t k = grid->column_first[g]; k < grid->column_first[g + 1] && !grid->idle[g];
             k++) {
            uint32_t a = grid->column_node[k];
            for (uint32_t e = level->node_first[a]; e < level->node_first[a + 1]; e++) {
                ooze_component_join(solve->own->components.parent, child_at(level, e), first);
            }
        }
    }
    for (uint64_t e = 0; e < grid->bodies.count; e++) {
        uint32_t particle = child_at(level, level->node_first[grid->bodies.unknown[e]]);
        uint64_t *first = &solid_first[grid->bodies.body[e]];
        *first = *first == UINT64_MAX ? particle : *first;
        ooze_component_join(solve->own->components.parent, particle, (uint32_t)*first);
    }
}

/* ---- dynamic solids ---- */

/* Joins the components that do not slip on the same solid; first[k]: a particle at solid k. */
static void join_solids(const OozeLodge *solve, uint64_t *first)
{
    const OozeConformationStep *s = solve->step;
    const OozeDynamicCoupling *c = s->own->coupling;
    for (int k = 0; k < c->count; k++) {
        first[k] = UINT64_MAX;
    }
    for (uint64_t i = 0; i < s->n; i++) {
        if (!c->near[i / OOZE_COUPLING_GRAIN]) {
            i += OOZE_COUPLING_GRAIN - 1; /* chunks begin at multiples of it */
            continue;
        }
        OozeWallRange walls = ooze_lodge_walls(s, i);
        for (uint64_t e = walls.first; e < walls.last; e++) {
            int k = solid_at(s, e);
            if (k >= 0) {
                first[k] = first[k] == UINT64_MAX ? i : first[k];
                ooze_component_join(solve->own->components.parent, (uint32_t)i, (uint32_t)first[k]);
            }
        }
    }
}

static void root_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    for (uint64_t i = begin; i < end; i++) {
        job->solve->own->components.root[i] =
            ooze_component_root(job->solve->own->components.parent, (uint32_t)i);
    }
}

/* From the origin of the component to the centre of the solid. */
static OozeVec3 centre_of(const OozeConformationStep *s, const OozeDynamicSolid *solid,
                          OozeF32x4 origin)
{
    return vec3_scale(ooze_coupling_arm_to(s->own->coupling, solid, origin), -1.0);
}

/* Moments of mass of a solid about its centre, from its inertia tr(moment) I - moment. */
static void solid_moment(const OozeDynamicCoupling *c, const OozeDynamicSolid *solid,
                         double moment[6])
{
    double inertia[3][3];
    for (int q = 0; q < 3; q++) {
        OozeTwist unit = {{0}};
        unit.v[3 + q] = 1.0;
        OozeTwist column = ooze_coupling_momentum(c, solid, &unit);
        for (int r = 0; r < 3; r++) {
            inertia[r][q] = column.v[3 + r];
        }
    }
    double half = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
    const int row[6] = {0, 1, 2, 0, 0, 1}, of[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        moment[k] = (k < 3 ? half : 0.0) - inertia[row[k]][of[k]];
    }
}

static void add_solid(const OozeConformationStep *s, const OozeDynamicSolid *solid,
                      OozeF32x4 origin, Sums *sum)
{
    const OozeDynamicCoupling *c = s->own->coupling;
    OozeTwist lack = ooze_coupling_momentum(c, solid, &solid->motion_star);
    OozeTwist now = ooze_coupling_momentum(c, solid, &solid->motion);
    OozeVec3 at = centre_of(s, solid, origin);
    double x[3] = {at.x, at.y, at.z}, moment[6];
    ooze_twist_add(&lack, -1.0, &now);
    OozeVec3 turned = vec3_cross(at, vec3(lack.v[0], lack.v[1], lack.v[2]));
    double l[3] = {turned.x, turned.y, turned.z};
    solid_moment(c, solid, moment);
    sum->mass += solid->mass;
    ooze_rigid_add_moment(sum->second, solid->mass, x);
    for (int k = 0; k < 3; k++) {
        sum->first[k] += solid->mass * x[k];
        sum->p[k] += lack.v[k];
        sum->l[k] += l[k] + lack.v[3 + k];
    }
    for (int k = 0; k < 6; k++) {
        sum->second[k] += moment[k];
    }
}

static void move_solid(const OozeConformationStep *s, OozeDynamicSolid *solid, OozeF32x4 origin,
                       const OozeTwist *y)
{
    OozeVec3 spin = vec3(y->v[3], y->v[4], y->v[5]);
    OozeVec3 v = vec3_cross(spin, centre_of(s, solid, origin));
    OozeTwist change = {{y->v[0] + v.x, y->v[1] + v.y, y->v[2] + v.z, spin.x, spin.y, spin.z}};
    ooze_twist_add(&solid->motion, 1.0, &change);
}

/* ---- components ---- */

static void sum_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    const OozeLodge *solve = job->solve;
    Chunk chunk = {.mixed = false};
    for (uint64_t i = begin; i < end; i++) {
        ooze_momentum_add_particle(job, i, &chunk.sums);
        chunk.mixed =
            chunk.mixed || solve->own->components.root[i] != solve->own->components.root[begin];
    }
    job->chunks[begin / GRAIN] = chunk;
}

/* In the order of the particles: the same sums for any number of threads. */
static void collect(const Job *job)
{
    const OozeLodge *solve = job->solve;
    uint64_t n = solve->step->n;
    for (uint64_t begin = 0; begin < n; begin += GRAIN) {
        const Chunk *chunk = &job->chunks[begin / GRAIN];
        for (uint64_t i = begin; i < begin + GRAIN && i < n && chunk->mixed; i++) {
            ooze_momentum_add_particle(job, i,
                                       &job->sums[job->number[solve->own->components.root[i]]]);
        }
        if (!chunk->mixed) {
            ooze_momentum_add_sums(&job->sums[job->number[solve->own->components.root[begin]]],
                                   &chunk->sums);
        }
    }
}

static void motion_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    for (uint64_t k = begin; k < end; k++) {
        ooze_momentum_motion(&job->sums[k], job->solve->step->context->spacing, job->lack[k].v);
    }
}

static void add_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Job *job = data;
    OozeConformationStep *s = job->solve->step;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t root = job->solve->own->components.root[i];
        const double *y = job->lack[job->number[root]].v;
        double x[3];
        arm_of(job, root, i, x);
        OozeF32x4 change = {0};
        ooze_momentum_velocity(y, x, (float *)&change);
        s->u[i] += change;
    }
}

/* Numbers of the components of one process, and their origins: the roots. */
static void number_components(Job *job)
{
    const OozeLodge *solve = job->solve;
    const OozeConformationStep *s = solve->step;
    job->origin = s->x0;
    for (uint64_t i = 0; i < s->n; i++) {
        job->number[i] = (uint32_t)job->components;
        job->components += solve->own->components.root[i] == i;
    }
    for (int k = 0; s->own->coupling && k < s->own->coupling->count; k++) {
        if (job->solid_first[k] != UINT64_MAX) {
            uint32_t root = solve->own->components.root[job->solid_first[k]];
            job->solid_number[k] = job->number[root];
            job->solid_origin[k] = s->x0[root];
        }
    }
}

static OozeStatus allocate(Job *job, OozeError *error)
{
    const OozeConformationStep *s = job->solve->step;
    OozeArena *arena = s->context->arena;
    uint64_t solids = s->own->coupling ? (uint64_t)s->own->coupling->count : 0;
    job->number = ooze_arena_alloc(arena, s->local, sizeof *job->number);
    job->chunks = ooze_arena_alloc(arena, s->n / GRAIN + 1, sizeof *job->chunks);
    job->solid_first = ooze_arena_alloc(arena, solids, sizeof *job->solid_first);
    job->solid_number = ooze_arena_alloc(arena, solids, sizeof *job->solid_number);
    job->solid_origin = ooze_arena_alloc(arena, solids, sizeof *job->solid_origin);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the velocity solve", s->n * sizeof *job->number);
    }
    for (uint64_t k = 0; k < solids; k++) {
        job->solid_first[k] = UINT64_MAX;
        job->solid_number[k] = UINT32_MAX;
    }
    return OOZE_OK;
}

static OozeStatus allocate_sums(Job *job, OozeError *error)
{
    OozeArena *arena = job->solve->step->context->arena;
    job->sums = ooze_arena_alloc(arena, job->components, sizeof *job->sums);
    job->lack = ooze_arena_alloc(arena, job->components, sizeof *job->lack);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the velocity solve", job->components * sizeof *job->sums);
    }
    memset(job->sums, 0, job->components * sizeof *job->sums);
    return OOZE_OK;
}

/* Adds the solids to the sums of their components, or moves them with these. */
static void each_solid(Job *job, bool move)
{
    const OozeConformationStep *s = job->solve->step;
    OozeDynamicCoupling *c = s->own->coupling;
    for (int k = 0; c && k < c->count; k++) {
        uint32_t number = job->solid_number[k];
        if (number != UINT32_MAX && move) {
            move_solid(s, &c->solids[k], job->solid_origin[k], &job->lack[number]);
        } else if (number != UINT32_MAX) {
            add_solid(s, &c->solids[k], job->solid_origin[k], &job->sums[number]);
        }
    }
}

/* Roots of the components of this process. */
static void find_components(Job *job)
{
    OozeLodge *solve = job->solve;
    const OozeConformationStep *s = solve->step;
    ooze_conformation_find_components(s, true, solve->own->components.parent,
                                      solve->own->components.root);
    if (solve->own->pairs) {
        for (uint64_t k = 0; k < solve->own->pairs->count; k++) {
            const OozeImpactPair *pair = &solve->own->pairs->pair[k];
            if (pair->i < s->n && pair->j < s->n) {
                ooze_component_join(solve->own->components.parent, pair->i, pair->j);
            }
        }
    }
    if (s->own->coupling) {
        join_solids(solve, job->solid_first);
    }
    if (s->own->grid_pressure) {
        join_by_pressure(solve, job->solid_first);
    }
    if (s->own->coupling || solve->own->pairs || s->own->grid_pressure) {
        ooze_parallel_for(s->context->threads, s->local, GRAIN, root_range, job);
    }
}

OozeStatus ooze_lodge_restore_momentum(OozeLodge *solve, OozeError *error)
{
    const OozeConformationStep *s = solve->step;
    OozeThreads *threads = s->context->threads;
    Job job = {.solve = solve};
    OozeStatus status = allocate(&job, error);
    if (status) {
        return status;
    }
    find_components(&job);
    if (solve->own->components.sharing) {
        status = ooze_momentum_number_shared(&job, error);
    } else {
        number_components(&job);
    }
    status = status ? status : allocate_sums(&job, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(threads, s->n, GRAIN, sum_range, &job);
    if (solve->own->components.sharing) {
        status = ooze_momentum_collect_shared(&job, error);
    } else {
        collect(&job);
    }
    if (status) {
        return status;
    }
    each_solid(&job, false);
    ooze_parallel_for(threads, job.components, GRAIN, motion_range, &job);
    each_solid(&job, true);
    ooze_parallel_for(threads, s->n, GRAIN, add_range, &job);
    ooze_timer_lap(s->context->timer, "velocity_vectors");
    return OOZE_OK;
}
