/* The multigrid preconditioner of the velocity solve: when it is used, what its grids are made of,
   and its steps of conjugate gradients. */
#include "methods/conformation/cpu/lodge_multigrid.h"

#include <string.h>

#include "base/fail.h"
#include "methods/conformation/cost_model.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/lodge_multigrid_formula.h"
#include "physics/strain_weight.h"
#include "solvers/multigrid/grid_cells.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

static void run(OozeLodgeMultigrid *mg, OozeRangeBody body)
{
    const OozeConformationStep *s = mg->solve->step;
    ooze_parallel_for(s->context->threads, s->n, GRAIN, body, mg);
}

/* ---- coefficients of the grids ---- */

static void own_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodgeMultigrid *mg = data;
    const OozeLodge *solve = mg->solve;
    const OozeConformationStep *s = solve->step;
    float largest = 0.0f;
    bool anisotropic = false;
    for (uint64_t i = begin; i < end; i++) {
        OozeLodgeGridCoefficients own = ooze_lodge_grid_own(
            &s->rheology[s->material[i]], solve->stiffness[i], solve->bulk[i], s->dt);
        mg->mass[i] = own.mass;
        mg->stiffness[i] = own.stiffness;
        mg->bulk[i] = own.bulk;
        mg->shear[i] = own.shear;
        mg->isotropic[i] = ooze_f32x4(ooze_sym3_trace(solve->stiffness[i]) / 3.0f, solve->bulk[i],
                                      solve->hourglass[i], 0.0f);
        anisotropic = anisotropic || !ooze_velocity_is_isotropic(solve->stiffness[i]);
        largest = ooze_max(largest, mg->shear[i]);
    }
    solve->own->partial[begin / GRAIN] = (double)largest;
    mg->boundary_particle_count[begin / GRAIN] = anisotropic; /* until find_boundary_particles */
}

static void rigid_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodgeMultigrid *mg = data;
    for (uint64_t i = begin; i < end; i++) {
        if (ooze_step_is_rigid(mg->solve->step, i)) {
            mg->stiffness[i] = ooze_sym3_identity(mg->rigid_shear);
            mg->bulk[i] = mg->rigid_shear;
            mg->shear[i] = mg->rigid_shear;
        }
    }
}

/* Values at ghosts that the loops over neighbours read. */
static void refresh_ghosts(OozeLodgeMultigrid *mg)
{
    OozeLodge *solve = mg->solve;
    const OozeConformationStep *s = solve->step;
    OozeHalo *halo = s->context->halo;
    ooze_halo_refresh(halo, mg->shear, sizeof *mg->shear);
    ooze_halo_refresh(halo, mg->isotropic, sizeof *mg->isotropic);
    if (mg->correction != s->correction) {
        memcpy(mg->correction, s->correction, s->n * sizeof *s->correction);
        ooze_halo_refresh(halo, mg->correction, sizeof *mg->correction);
    }
    if (mg->anisotropic) {
        ooze_halo_refresh(halo, solve->stiffness, sizeof *solve->stiffness);
        ooze_halo_refresh(halo, solve->bulk, sizeof *solve->bulk);
    }
}

static void find_stiffness(OozeLodgeMultigrid *mg)
{
    const OozeConformationStep *s = mg->solve->step;
    run(mg, own_range);
    double found[2] = {0.0, 0.0}; /* largest shear; 1: some stiffness is anisotropic */
    for (uint64_t k = 0; k * GRAIN < s->n; k++) {
        found[0] = fmax(found[0], mg->solve->own->partial[k]);
        found[1] = mg->boundary_particle_count[k] ? 1.0 : found[1];
    }
    ooze_halo_max(s->context->halo, found, 2);
    mg->anisotropic = found[1] > 0.0;
    if (s->own->bodies && s->own->bodies->all.rigid_count > 0) {
        mg->rigid_shear = OOZE_LODGE_GRID_RIGID * (float)found[0];
        run(mg, rigid_range);
    }
    refresh_ghosts(mg);
}

/* ---- walls and contacts ---- */

/* The stresses of its neighbours act on a singular particle too: on the grids it counts as if it
   had one of its own. Alone in its cell it could otherwise move against them for the cost of its
   mass. */
static bool is_boundary_particle(const OozeConformationStep *s, uint64_t i)
{
    return s->contact_of[i] >= 0 ||
           (ooze_lodge_near_no_slip_wall(s, i) && !ooze_step_is_singular(s, i));
}

static void count_boundary_particles_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    uint64_t count = 0;
    for (uint64_t i = begin; i < end; i++) {
        count += is_boundary_particle(mg->solve->step, i);
    }
    mg->boundary_particle_count[begin / GRAIN] = count;
}

static OozeVelocityBoundaryParticle make_boundary_particle(const OozeLodgeMultigrid *mg, uint64_t i)
{
    const OozeConformationStep *s = mg->solve->step;
    OozeWallRange walls = ooze_lodge_walls(s, i);
    OozeVelocityBoundaryParticle p =
        ooze_lodge_boundary_particle(s, i, s->dt * mg->solve->hourglass[i], mg->diagonal[i]);
    for (uint64_t e = walls.first; e < walls.last && !ooze_step_is_singular(s, i); e++) {
        if (s->own->wall_edge[e][3] > 0.0f) {
            ooze_lodge_boundary_particle_add_wall(&p, (const float *)&s->own->wall_edge[e]);
        }
    }
    return p;
}

static void boundary_particle_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    uint64_t at = mg->boundary_particle_count[begin / GRAIN];
    for (uint64_t i = begin; i < end; i++) {
        mg->boundary_particle_of[i] = OOZE_MULTIGRID_NONE;
        if (is_boundary_particle(mg->solve->step, i)) {
            mg->boundary_particle[at] = make_boundary_particle(mg, i);
            mg->boundary_particle_of[i] = (uint32_t)at++;
        }
    }
}

static void inverse_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    for (uint64_t i = begin; i < end; i++) {
        mg->inverse[i] = ooze_lodge_grid_inverse(mg->solve->step, i, mg->diagonal[i]);
    }
}

static OozeStatus find_boundary_particles(OozeLodgeMultigrid *mg, OozeError *error)
{
    const OozeConformationStep *s = mg->solve->step;
    uint64_t total = 0;
    run(mg, count_boundary_particles_range);
    for (uint64_t k = 0; k * GRAIN < s->n; k++) {
        uint64_t here = mg->boundary_particle_count[k];
        mg->boundary_particle_count[k] = total;
        total += here;
    }
    mg->boundary_particle =
        ooze_arena_alloc(s->context->arena, total, sizeof *mg->boundary_particle);
    if (!mg->boundary_particle) {
        return ooze_fail_memory(error, "the grids of the velocity solve",
                                total * sizeof *mg->boundary_particle);
    }
    run(mg, boundary_particle_range);
    return OOZE_OK;
}

/* ---- beginning ---- */

static OozeStatus allocate(OozeLodgeMultigrid *mg, OozeError *error)
{
    const OozeConformationStep *s = mg->solve->step;
    OozeArena *arena = s->context->arena;
    uint64_t n = s->n;
    mg->correction = s->context->halo ? ooze_gathered_alloc(arena, s->local, sizeof *mg->correction)
                                      : s->correction;
    mg->z = ooze_gathered_alloc(arena, n, sizeof *mg->z);
    mg->diagonal = ooze_arena_alloc(arena, n, sizeof *mg->diagonal);
    mg->inverse = ooze_arena_alloc(arena, n, sizeof *mg->inverse);
    mg->mass = ooze_arena_alloc(arena, n, sizeof *mg->mass);
    mg->stiffness = ooze_arena_alloc(arena, n, sizeof *mg->stiffness);
    mg->bulk = ooze_arena_alloc(arena, n, sizeof *mg->bulk);
    mg->isotropic = ooze_gathered_alloc(arena, s->local, sizeof *mg->isotropic);
    mg->shear = ooze_gathered_alloc(arena, s->local, sizeof *mg->shear);
    mg->boundary_particle_of = ooze_arena_alloc(arena, n, sizeof *mg->boundary_particle_of);
    mg->boundary_particle_count =
        ooze_arena_alloc(arena, n / GRAIN + 1, sizeof *mg->boundary_particle_count);
    if (s->own->bodies && s->own->bodies->all.rigid_count > 0) {
        mg->response = ooze_arena_alloc(arena, n, sizeof *mg->response);
        mg->spread = ooze_arena_alloc(arena, n, sizeof *mg->spread);
        mg->around = ooze_arena_alloc(arena, s->local, sizeof *mg->around);
        mg->around_weight = ooze_arena_alloc(arena, s->local, sizeof *mg->around_weight);
        mg->slot_around =
            ooze_arena_alloc(arena, s->own->bodies->all.rigid_slots, sizeof *mg->slot_around);
    }
    if (s->own->coupling) {
        mg->solid_inverse =
            ooze_arena_alloc(arena, (uint64_t)s->own->coupling->count, sizeof *mg->solid_inverse);
    }
    return ooze_arena_failed(arena)
               ? ooze_fail_memory(error, "the blocks of the velocity solve", n * 140)
               : OOZE_OK;
}

/* Largest of dt tr A / 3. */
static void largest_shear_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    float largest = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        largest = ooze_max(largest, ooze_sym3_trace(solve->stiffness[i]));
    }
    solve->own->partial[begin / GRAIN] = (double)largest;
}

OozeLodgeExtent ooze_lodge_multigrid_find_extent(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    const OozeStepContext *c = s->context;
    OozeMultigridAxis axis[3];
    OozeLodgeExtent extent = {0.0, 0.0};
    ooze_parallel_for(c->threads, s->n, GRAIN, largest_shear_range, solve);
    for (uint64_t k = 0; k * GRAIN < s->n; k++) {
        extent.largest_stiffness = fmax(extent.largest_stiffness, solve->own->partial[k]);
    }
    ooze_halo_max(c->halo, &extent.largest_stiffness, 1);
    ooze_grid_find_axes(s->x0, s->n, c->spacing, &c->periodic, c->threads, c->halo, axis);
    for (int k = 0; k < 3; k++) {
        extent.longest = fmax(extent.longest, (double)axis[k].cells / axis[k].inverse);
    }
    return extent;
}

bool ooze_lodge_multigrid_saves_time(const OozeLodge *solve, double diffusion, double layers)
{
    return ooze_cost_of_solve(&solve->step->plan->settings, diffusion, layers, 0.0).multigrid;
}

bool ooze_lodge_multigrid_is_possible(const OozeLodge *solve)
{
    (void)solve;
    return true;
}

static OozeStatus create(OozeLodge *solve, OozeError *error)
{
    OozeLodgeMultigrid *mg = ooze_arena_alloc(solve->step->context->arena, 1, sizeof *mg);
    if (!mg) {
        return ooze_fail_memory(error, "the velocity solve", sizeof *mg);
    }
    memset(mg, 0, sizeof *mg);
    mg->solve = solve;
    OozeStatus status = allocate(mg, error);
    solve->grids = status ? NULL : mg;
    return status;
}

static void changed_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    const OozeLodge *solve = mg->solve;
    bool changed = false;
    for (uint64_t i = begin; i < end; i++) {
        float before = mg->isotropic[i][0], now = ooze_sym3_trace(solve->stiffness[i]) / 3.0f;
        changed = changed || ooze_lodge_grid_changed(before, now);
    }
    solve->own->partial[begin / GRAIN] = changed ? 1.0 : 0.0;
}

/* Coefficients of a later pass differ where materials thin or yield, and contacts where many were
   released. */
static bool has_changed(OozeLodgeMultigrid *mg)
{
    const OozeConformationStep *s = mg->solve->step;
    OozeBlockSum sum = {s->context->threads, s->n, GRAIN, mg->solve->own->partial,
                        s->context->halo};
    uint64_t contacts[2] = {0, s->own->contact_count}; /* released, all */
    OozeRanks *ranks = ooze_halo_ranks(s->context->halo);
    for (uint64_t k = 0; k < s->own->contact_count; k++) {
        contacts[0] += s->contact_sets[k].released != 0;
    }
    if (ranks) {
        ranks->sum(ranks, contacts, 2);
    }
    return mg->solve->own->new_pairs || ooze_block_sum(&sum, changed_range, mg) > 0.0 ||
           ooze_lodge_grid_released(contacts[0], contacts[1]);
}

static OozeStatus find_blocks(OozeLodgeMultigrid *mg, OozeError *error)
{
    find_stiffness(mg);
    run(mg, ooze_lodge_multigrid_loops()->diagonal);
    run(mg, inverse_range);
    mg->filled = false;
    OozeStatus status = ooze_lodge_multigrid_find_solids(mg, error);
    ooze_timer_lap(mg->solve->step->context->timer, "multigrid_diagonal");
    return status;
}

static OozeStatus fill(OozeLodgeMultigrid *mg, OozeError *error)
{
    const OozeConformationStep *s = mg->solve->step;
    const float longest_link = OOZE_LODGE_GRID_LINK * (float)s->context->spacing;
    run(mg, ooze_lodge_multigrid_loops()->stiffness);
    OozeStatus status = find_boundary_particles(mg, error);
    if (!s->memory->multigrid) {
        s->memory->multigrid = ooze_velocity_multigrid_create();
    }
    mg->grids = s->memory->multigrid;
    if (!status && !mg->grids) {
        status = ooze_fail_memory(error, "the grids of the velocity solve", s->n * 140);
    }
    mg->input = (OozeVelocityMultigridInput){
        .n = s->n,
        .spacing = s->context->spacing,
        .periodic = &s->context->periodic,
        .edges = s->own->edges,
        .link_weight =
            s->volume * s->plan->strain_scale * ooze_strain_weight(longest_link, s->support),
        .mass = mg->mass,
        .stiffness = mg->stiffness,
        .bulk = mg->bulk,
        .boundary_particle_of = mg->boundary_particle_of,
        .boundary_particle = mg->boundary_particle,
        .halo = s->context->halo,
        .threads = s->context->threads,
    };
    if (!status) {
        status = mg->built ? ooze_velocity_multigrid_refill(mg->grids, &mg->input, error)
                           : ooze_velocity_multigrid_build(mg->grids, &mg->input, error);
    }
    mg->built = mg->filled = !status;
    ooze_timer_lap(s->context->timer, "multigrid_build");
    return status;
}

OozeStatus ooze_lodge_multigrid_begin(OozeLodge *solve, OozeError *error)
{
    bool first = !solve->grids;
    OozeStatus status = first ? create(solve, error) : OOZE_OK;
    if (!status && (first || has_changed(solve->grids))) {
        status = find_blocks(solve->grids, error);
    } else if (!status) {
        run(solve->grids, inverse_range); /* some contacts may have been released */
    }
    if (!status && solve->uses_grids && !solve->grids->filled) {
        status = fill(solve->grids, error);
    }
    if (!status) {
        ooze_lodge_multigrid_find_bodies(solve->grids);
    }
    solve->multigrid = status ? NULL : solve->grids;
    return status;
}

/* ---- solves that fail ---- */

OozeStatus ooze_lodge_multigrid_save(OozeLodge *solve, OozeError *error)
{
    const OozeConformationStep *s = solve->step;
    const uint64_t solids = s->own->coupling ? (uint64_t)s->own->coupling->count : 0;
    if (!solve->first_u) {
        solve->first_u = ooze_arena_alloc(s->context->arena, s->n, sizeof *solve->first_u);
        solve->own->first_motion =
            ooze_arena_alloc(s->context->arena, solids, sizeof *solve->own->first_motion);
    }
    if (ooze_arena_failed(s->context->arena)) {
        return ooze_fail_memory(error, "the velocity solve", s->n * sizeof *solve->first_u);
    }
    memcpy(solve->first_u, s->u, s->n * sizeof *solve->first_u);
    for (uint64_t k = 0; k < solids; k++) {
        solve->own->first_motion[k] = s->own->coupling->solids[k].motion;
    }
    return OOZE_OK;
}

void ooze_lodge_multigrid_restore(OozeLodge *solve)
{
    OozeConformationStep *s = solve->step;
    memcpy(s->u, solve->first_u, s->n * sizeof *solve->first_u);
    for (int k = 0; s->own->coupling && k < s->own->coupling->count; k++) {
        s->own->coupling->solids[k].motion = solve->own->first_motion[k];
    }
}

/* ---- conjugate gradients ---- */

/* Rigid bodies move as a whole. P becomes its projection onto rigid motions, and the restriction
   the transpose of that: masses times the response of the body. */
static void spread_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodgeMultigrid *mg = data;
    for (uint64_t i = begin; i < end; i++) {
        mg->spread[i] = ooze_step_is_rigid(mg->solve->step, i) ? mg->mass[i] * mg->response[i]
                                                               : mg->solve->r[i];
    }
}

double ooze_lodge_multigrid_precondition(OozeLodge *solve)
{
    OozeLodgeMultigrid *mg = solve->multigrid;
    OozeConformationStep *s = solve->step;
    const OozeF32x4 *r = solve->r;
    if (mg->response) {
        memset(mg->response, 0, s->n * sizeof *mg->response);
        ooze_step_bodies_precondition(s, r);
        ooze_step_bodies_respond(s, mg->response);
        run(mg, spread_range);
        memset(mg->response, 0, s->n * sizeof *mg->response);
        ooze_step_bodies_smooth(s, mg->response);
        r = mg->spread;
    }
    if (solve->uses_grids) {
        ooze_velocity_multigrid_apply(mg->grids, r, mg->z);
        ooze_step_bodies_project_velocities(s, mg->z);
    } else {
        memset(mg->z, 0, s->n * sizeof *mg->z);
    }
    OozeBlockSum sum = {s->context->threads, s->n, GRAIN, solve->own->partial, s->context->halo};
    mg->rz = ooze_block_sum(&sum, ooze_lodge_multigrid_loops()->precondition, mg);
    mg->rz += ooze_lodge_solids_precondition(solve);
    ooze_timer_lap(s->context->timer, "multigrid_cycle");
    return mg->rz;
}

void ooze_lodge_multigrid_update(OozeLodge *solve)
{
    run(solve->multigrid, ooze_lodge_multigrid_loops()->update);
}

void ooze_lodge_multigrid_start(OozeLodge *solve)
{
    OozeConjugateGradients *cg = solve->cg;
    cg->rz = cg->first_rz = ooze_lodge_multigrid_precondition(solve);
    cg->min_curvature = 0.0; /* the bound holds for the diagonal only */
    cg->fresh = 1;
    cg->off = !(cg->rz > 0.0);
    ooze_lodge_next_direction(solve, 0.0);
}
