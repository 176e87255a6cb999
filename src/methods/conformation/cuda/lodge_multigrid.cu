/* The preconditioner of the velocity solve by grids, which every one of several ranks has whole:
   see methods/conformation/cpu/lodge_multigrid.c. */
#include "cuda/rank_sums.cuh"
#include "cuda/repeat.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"

extern "C" {
#include "methods/conformation/cost_model.h"
#include "methods/conformation/lodge_multigrid_formula.h"
}

namespace ooze
{

/* ---- when it is used ---- */

/* Blocks need 70 bytes a particle and the grids of `auto` 2,000. Where a GPU, of one or of several
   ranks, has no room for grids, solves are by masses. */
bool takes_blocks(const OozeLodge *solve)
{
    const Step *step = step_of(solve->step);
    const uint64_t n = all_particles(step->gpu, step->view.n), refused = step->grids->refused,
                   free = free_bytes();
    const uint64_t available = step->gpu->allocated + free;
    const bool chosen = step->view.plan->settings.preconditioner == OOZE_PRECONDITIONER_MULTIGRID;
    const bool room = n <= OOZE_VELOCITY_PARTICLES && (refused == 0 || n < refused) &&
                      (free == 0 || available / VELOCITY_MULTIGRID_BYTES > n);
    double none = room ? 0.0 : 1.0;
    max_over_ranks(step->gpu, &none, 1);
    return !step->dynamic && (chosen || none == 0.0);
}

/* Building grids and cycles takes the time of `whole` products with the operator, and more where
   launches are what takes the time: measured on one H200 (see docs/methods/conformation.md). Where
   one launch repeats the iterations without grids, an iteration takes half the time, and grids take
   that of more of them. Several processes, whose loops are launched one by one, decide alike. With
   a pressure grid, whose iterations launch more, grids always save time. */
bool grids_save_time(const OozeLodge *solve, double spacings, double layers)
{
    const Step *step = step_of(solve->step);
    const OozeConformationSettings *set = &step->view.plan->settings;
    OozeConformationSettings diagonal = *set;
    diagonal.preconditioner = OOZE_PRECONDITIONER_DIAGONAL;
    const double n = (double)all_particles(step->gpu, step->view.n);
    const bool repeated = n <= REPEAT_MOST;
    const double whole = 45.0, launches = repeated ? 400.0 : 170.0,
                 busy = repeated ? 6e4 : 6e5 /* particles */;
    const double grids = whole + launches / (1.0 + n / busy);
    return ooze_cost_of_solve(set, spacings, layers, 0.0).multigrid &&
           (!step->engine->counts_launches || step->pressure ||
            ooze_cost_of_solve(&diagonal, spacings, layers, 0.0).iterations > grids);
}

/* Of all ranks. */
static Extent extent_of_all(Gpu *gpu, const Extent &own)
{
    double most[7] = {own.high[0], own.high[1], own.high[2], -own.low[0],
                      -own.low[1], -own.low[2], own.largest};
    Extent all = {};
    max_over_ranks(gpu, most, 7);
    for (int k = 0; k < 3; k++) {
        all.high[k] = (float)most[k];
        all.low[k] = (float)-most[3 + k];
    }
    all.largest = (float)most[6];
    return all;
}

OozeLodgeExtent find_extent_of_solve(OozeLodge *solve)
{
    const Step *step = step_of(solve->step);
    const OozeStepContext *c = step->context;
    const OozeSym3 *stiffness = solve->stiffness;
    const OwnRange own = own_range(step->gpu, step->view.n);
    const Extent part = find_extent(
        step->gpu, step->view.x0 + own.begin, own.count,
        OOZE_BODY(uint32_t k) { return ooze_sym3_trace(stiffness[own.begin + k]); });
    const Extent box = extent_of_all(step->gpu, part);
    const Axes axes = axes_of(box, c->spacing, &c->periodic);
    double longest = 0.0;
    for (const OozeMultigridAxis &axis : axes.axis) {
        longest = fmax(longest, (double)axis.cells / axis.inverse);
    }
    return {(double)box.largest, longest};
}

/* ---- coefficients of the grids ---- */

/* In scratch, while the matrices are computed. */
struct GridCoefficients {
    float *mass;
    OozeSym3 *stiffness;
    float *bulk, *shear, *edge_shear; /* shear: n + 1 */
};

/* Rigid particle bodies are stiffer than the stiffest particle. Waits. */
static void stiffen_rigid(Step *step, const GridCoefficients &c)
{
    const uint16_t *rigid_of = step->view.rigid_of;
    const Max1 none = {0.0f};
    Max1 largest = sum_particles_to_host(
        step->gpu, step->view.n, none, OOZE_BODY(uint32_t i) {
            Max1 own = {c.shear[i]};
            return own;
        });
    const float rigid = OOZE_LODGE_GRID_RIGID * largest.a;
    for_each(
        step->gpu, step->view.n, OOZE_BODY(uint32_t i) {
            if (rigid_of[i]) {
                c.stiffness[i] = ooze_sym3_identity(rigid);
                c.bulk[i] = c.shear[i] = rigid;
            }
        });
}

static GridCoefficients find_coefficients(Lodge *solve)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const LodgeView v = solve->view;
    const uint64_t n = s.n;
    GridCoefficients c = {scratch<float>(gpu, n), scratch<OozeSym3>(gpu, n), scratch<float>(gpu, n),
                          scratch<float>(gpu, n), scratch<float>(gpu, n)};
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            OozeLodgeGridCoefficients own =
                ooze_lodge_grid_own(&s.rheology[s.material[i]], v.stiffness[i], v.bulk[i], s.dt);
            c.mass[i] = own.mass;
            c.stiffness[i] = own.stiffness;
            c.bulk[i] = own.bulk;
            c.shear[i] = own.shear;
        });
    if (rigid_slots(step) > 0) {
        stiffen_rigid(step, c);
    }
    clear(gpu, c.shear + n, sizeof *c.shear); /* padding of lists */
    refresh(gpu, c.shear, sizeof *c.shear);
    sum_edges(step, c.shear, c.edge_shear);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            const float4 here = s.x0[i];
            float f = s.edge_sum[i].w;
            each_wall(s, i, [&](uint32_t b) {
                f -= wall_weight(s, delta<true>(s, here, s.walls.position[b]).r2, b);
            });
            float mean = f > 0.0f ? c.edge_shear[i] / f : 0.0f;
            ooze_lodge_grid_stiffen(c.shear[i], mean, s.bulk, &c.stiffness[i], &c.bulk[i]);
        });
    return c;
}

/* ---- diagonal blocks ---- */

template <int LANES, bool WRAPS> static void diagonal_loop(const Lodge *solve)
{
    const StepView s = solve->step->view;
    const LodgeView v = solve->view;
    OozeSym3 *diagonal = solve->view.grids->diagonal;
    for_lanes<LANES>(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            OozeSym3 sum = ooze_sym3_identity(0.0f);
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                Delta d = delta<WRAPS>(s, here, s.x0[j]);
                float f = edge_weight(s, d.r2);
                if (f > 0.0f) {
                    const float g[4] = {f * d.x, f * d.y, f * d.z, 0.0f};
                    sum = ooze_sym3_add(sum, ooze_lodge_gradient_block(g, s.correction[j],
                                                                       v.stiffness[j], v.bulk[j],
                                                                       v.hourglass[j]));
                }
            });
            sum = lanes_sum_sym3<LANES>(sum);
            if (lane == 0) {
                float4 e = s.edge_sum[i];
                const float g[4] = {e.x, e.y, e.z, 0.0f};
                sum =
                    ooze_sym3_add(sum, ooze_lodge_gradient_block(g, s.correction[i], v.stiffness[i],
                                                                 v.bulk[i], v.hourglass[i]));
                float edges = v.hourglass[i] * e.w + v.edge_hourglass[i];
                sum = ooze_sym3_add(sum, ooze_sym3_identity(edges));
                float mass = s.rheology[s.material[i]].relative_mass;
                diagonal[i] = ooze_sym3_add(ooze_sym3_scale(sum, s.dt), ooze_sym3_identity(mass));
            }
        });
}

/* Bonds of soft bodies. */
static void add_bonds(const Lodge *solve)
{
    const Bodies *bodies = solve->step->bodies;
    if (!bodies || !bodies->bonds.first) {
        return;
    }
    const BondsView bonds = bodies->bonds;
    const uint32_t *index = bodies->index;
    const OwnRange own = own_range(solve->step->gpu, solve->step->view.n);
    const float square = solve->step->view.dt * solve->step->view.dt;
    OozeSym3 *diagonal = solve->view.grids->diagonal;
    for_each(
        solve->step->gpu, bodies->all.slots, OOZE_BODY(uint32_t slot) {
            const uint32_t i = index[slot];
            for (uint64_t e = bonds.first[slot]; own.has(i) && e < bonds.first[slot + 1]; e++) {
                const float k = square * bits_to_float(bonds.end[e].y);
                diagonal[i] =
                    ooze_sym3_add(diagonal[i], ooze_lodge_bond_block(&bonds.pull[e].x, k));
            }
        });
}

static void find_diagonal(const Lodge *solve)
{
#define DIAGONAL(lanes, wraps) diagonal_loop<lanes, wraps>(solve)
    Gpu *gpu = solve->step->gpu;
    const LodgeView v = solve->view;
    refresh(gpu, solve->step->view.correction, sizeof(OozeSym3));
    refresh(gpu, v.stiffness, sizeof *v.stiffness);
    refresh(gpu, v.bulk, sizeof *v.bulk);
    OOZE_EACH_KIND(solve->step, DIAGONAL);
    add_bonds(solve);
    impact_pairs_add_blocks(solve, solve->view.grids->diagonal);
}

static void find_inverse(const Lodge *solve)
{
    const StepView s = solve->step->view;
    const LodgeMultigrid mg = *solve->view.grids;
    for_each(
        solve->step->gpu, s.n,
        OOZE_BODY(uint32_t i) { mg.inverse[i] = ooze_lodge_grid_inverse(&s, i, mg.diagonal[i]); });
}

/* ---- walls and contacts ---- */

/* Particles without a gradient count as if they had one: see
   methods/conformation/cpu/lodge_multigrid.c. */
OOZE_DEVICE OozeVelocityBoundaryParticle make_boundary_particle(const StepView &s, uint32_t i,
                                                                float hourglass, OozeSym3 diagonal)
{
    OozeVelocityBoundaryParticle p = ooze_lodge_boundary_particle(&s, i, hourglass, diagonal);
    if (!ooze_step_is_singular(&s, i)) {
        each_wall(s, i, [&](uint32_t b) {
            Delta d = delta<true>(s, s.x0[i], s.walls.position[b]);
            float f = wall_weight(s, d.r2, b);
            const float g[4] = {f * d.x, f * d.y, f * d.z, f};
            if (f > 0.0f) {
                ooze_lodge_boundary_particle_add_wall(&p, g);
            }
        });
    }
    return p;
}

/* Of all ranks, in scratch. Waits. */
static void find_boundary_particles(const Lodge *solve, VelocityMultigridInput *input)
{
    Gpu *gpu = solve->step->gpu;
    const StepView s = solve->step->view;
    const LodgeView v = solve->view;
    const OozeSym3 *diagonal = solve->view.grids->diagonal;
    const uint32_t offset = solve->view.grids->offset;
    const OwnRange own = own_range(gpu, s.n);
    uint32_t *of = scratch<uint32_t>(gpu, input->n), *kept = scratch<uint32_t>(gpu, s.n);
    uint8_t *plain = scratch<uint8_t>(gpu, s.n);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            bool boundary_particle =
                ooze_step_contacts(&s, i) || (s.anchored[i] && !ooze_step_is_singular(&s, i));
            plain[i] = boundary_particle && own.has(i) ? 0 : 1;
        });
    RankList list = {};
    list.count = select_unflagged(gpu, plain, kept, s.n);
    rank_list_share(gpu, solve->step->context->arena, &list);
    OozeVelocityBoundaryParticle *boundary_particle =
        scratch<OozeVelocityBoundaryParticle>(gpu, list.count);
    uint32_t *number = scratch<uint32_t>(gpu, list.count);
    for_each(
        gpu, list.count, OOZE_BODY(uint32_t k) {
            const uint32_t i = kept[k];
            number[k] = i + offset;
            boundary_particle[k] = make_boundary_particle(s, i, s.dt * v.hourglass[i], diagonal[i]);
        });
    const uint32_t *numbers = gpu->share ? gather_list(gpu, number, list) : number;
    for_each(
        gpu, input->n, OOZE_BODY(uint32_t i) { of[i] = OOZE_MULTIGRID_NONE; });
    for_each(
        gpu, list.all, OOZE_BODY(uint32_t k) { of[numbers[k]] = k; });
    input->boundary_particle_of = of;
    input->boundary_particle =
        gpu->share ? gather_list(gpu, boundary_particle, list) : boundary_particle;
    input->boundary_particle_count = (uint32_t)list.all;
}

/* ---- beginning ---- */

static void allocate(Lodge *solve)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const uint64_t n = step->view.n;
    LodgeMultigrid *mg = solve->view.grids;
    const RankShare *share = gpu->share;
    mg->grids = step->grids;
    mg->offset = share ? (uint32_t)(share->first - share->begin) : 0;
    mg->z = scratch<float4>(gpu, n);
    mg->diagonal = scratch<OozeSym3>(gpu, n);
    mg->inverse = scratch<OozeSym3>(gpu, n);
    mg->shear = scratch<float>(gpu, n);
    if (rigid_slots(step) > 0) {
        mg->response = scratch<float4>(gpu, n);
        mg->spread = scratch<float4>(gpu, n);
    }
}

/* Coefficients of a later pass differ where materials thin or yield, and contacts where many were
   released. Waits. */
static bool has_changed(const Lodge *solve)
{
    const StepView s = solve->step->view;
    const LodgeView v = solve->view;
    const float *before = solve->view.grids->shear;
    if (solve->impact && solve->impact->new_pairs) {
        return true;
    }
    const Sum3 none = {0.0, 0.0, 0.0};
    Sum3 sum = sum_particles_to_host(
        solve->step->gpu, s.n, none, OOZE_BODY(uint32_t i) {
            const OozeContactSet *set = ooze_step_contacts(&s, i);
            float now = ooze_sym3_trace(v.stiffness[i]) / 3.0f;
            Sum3 one = {ooze_lodge_grid_changed(before[i], now) ? 1.0 : 0.0,
                        set && set->released ? 1.0 : 0.0, set ? 1.0 : 0.0};
            return one;
        });
    return sum.a > 0.0 || ooze_lodge_grid_released((uint64_t)sum.b, (uint64_t)sum.c);
}

static void find_blocks(Lodge *solve)
{
    const LodgeView v = solve->view;
    float *before = v.grids->shear;
    for_each(
        solve->step->gpu, v.step->n,
        OOZE_BODY(uint32_t i) { before[i] = ooze_sym3_trace(v.stiffness[i]) / 3.0f; });
    find_diagonal(solve);
    find_inverse(solve);
    v.grids->filled = false;
    ooze_timer_lap(solve->step->context->timer, "multigrid_diagonal");
}

static OozeStatus fill(Lodge *solve, OozeError *error)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const StepView *s = &step->view;
    const float longest_link = OOZE_LODGE_GRID_LINK * s->spacing;
    Mark mark = scratch_mark(gpu);
    VelocityMultigridInput input = {};
    LodgeMultigrid *mg = solve->view.grids;
    const bool first = !mg->built;
    const GridCoefficients c = find_coefficients(solve);
    input.n = all_particles(gpu, s->n);
    input.spacing = step->context->spacing;
    input.periodic = s->periodic;
    input.x0 = gather_elements(gpu, s->x0);
    input.fluid = s->fluid;
    input.inverse2 = s->inverse2;
    input.strain = s->strain;
    input.link_weight = s->strain * ooze_strain_weight(longest_link, s->support);
    input.mass = gather_elements(gpu, c.mass);
    input.stiffness = gather_elements(gpu, c.stiffness);
    input.bulk = gather_elements(gpu, c.bulk);
    find_boundary_particles(solve, &input);
    OozeStatus result = gpu->share && first ? multigrid_list_all(step, &input, error) : OOZE_OK;
    if (!result) {
        result = first ? velocity_multigrid_build(gpu, mg->grids, &input, error)
                       : velocity_multigrid_refill(gpu, mg->grids, &input, error);
    }
    mg->built = mg->filled = !result;
    scratch_rewind(gpu, mark);
    ooze_timer_lap(step->context->timer, "multigrid_build");
    return result;
}

/* Leaves the rest of the solve to blocks, and the solves of later steps to masses. */
static void leave_to_blocks(Lodge *solve)
{
    Step *step = solve->step;
    velocity_multigrid_free(step->gpu, step->grids);
    step->grids->refused = all_particles(step->gpu, step->view.n);
    solve->view.uses_grids = false;
    solve->view.multigrid_use = OOZE_MULTIGRID_NEVER;
}

OozeStatus multigrid_begin(OozeLodge *of, OozeError *error)
{
    Lodge *solve = lodge_of(of);
    const bool first = !of->grids;
    OozeStatus result = first ? host_memory(solve->step, &of->grids, error) : OOZE_OK;
    if (result) {
        return result;
    }
    if (first) {
        allocate(solve);
    }
    if (first || has_changed(solve)) {
        find_blocks(solve);
    } else {
        find_inverse(solve); /* some contacts may have been released */
    }
    if (of->uses_grids && !of->grids->filled) {
        result = fill(solve, error);
    }
    if (!result) {
        multigrid_find_bodies(solve);
    }
    const bool may_leave = solve->view.multigrid_use != OOZE_MULTIGRID_AT_ONCE &&
                           !solve->step->gpu->share; /* other ranks may have memory */
    if (result == OOZE_ERROR_MEMORY && may_leave) {
        leave_to_blocks(solve);
        result = OOZE_OK;
    }
    solve->view.multigrid = result ? nullptr : solve->view.grids;
    return result;
}

/* ---- conjugate gradients ---- */

/* r.z where multigrid begins. */
struct MultigridStarted {
    SolveState *state;
    __device__ void operator()(Sum1 rz) const
    {
        state->rz = state->first_rz = rz.a;
        state->min_curvature = 0.0; /* the bound holds for the diagonal only */
        state->beta = 0.0;
        state->fresh = 1;
        state->off = !(rz.a > 0.0);
    }
};

/* r.z after an advance. The residual is measured by the diagonal preconditioner. */
struct MultigridIterated {
    SolveState *state;
    const double *bodies_rz; /* nullptr: no body is rigid */
    __device__ void operator()(Sum1 rz) const
    {
        if (!state->off) {
            ooze_cg_iterated(state, rz.a, state->particle_rz + (bodies_rz ? *bodies_rz : 0.0));
        }
    }
};

/* Responses of rigid bodies to the residual, and their r.z. */
static void bodies_respond(Lodge *solve, const int32_t *off)
{
    if (rigid_slots(solve->step) > 0) {
        double *to = solve->step->bodies->rigid.rz;
        bodies_precondition(
            solve->step, solve->view.r, off, OOZE_BODY(double rz) { *to = rz; });
    }
}

/* The residual that the grids see: that of rigid bodies is masses times the response of the body,
   since P is projected onto their rigid motions. */
static const float4 *spread_residual(Lodge *solve)
{
    const LodgeView v = solve->view;
    const LodgeMultigrid mg = *solve->view.multigrid;
    if (!mg.response) {
        return v.r;
    }
    Step *step = solve->step;
    const StepView s = step->view;
    const RigidView b = step->bodies->rigid;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const bool rigid = s.rigid_of[i] != 0;
            mg.spread[i] =
                rigid ? s.rheology[s.material[i]].relative_mass * response_at(b, i) : v.r[i];
            mg.response[i] = rigid ? smoothed_at(b, i) : f32x4(0, 0, 0);
        });
    return mg.spread;
}

/* z = omega D^-1 r + Pi P W(P^T Pi r); `then` receives r.z. */
template <class Then> static void precondition(Lodge *solve, Then then)
{
    Step *step = solve->step;
    const StepView s = step->view;
    const LodgeView v = solve->view;
    const LodgeMultigrid mg = *solve->view.multigrid;
    const int32_t *off = &v.state->off;
    const VelocityProlongation grids = velocity_prolongation(mg.grids);
    const OwnRange own = own_range(step->gpu, s.n);
    const Mark mark = scratch_mark(step->gpu);
    const float4 *spread = spread_residual(solve);
    const bool coarse = v.uses_grids;
    if (coarse) {
        velocity_multigrid_apply(step->gpu, mg.grids, gather_elements(step->gpu, spread), off);
    }
    scratch_rewind(step->gpu, mark);
    if (mg.response && coarse) {
        for_each(
            step->gpu, own.count, OOZE_BODY(uint32_t k) {
                const uint32_t i = own.begin + k;
                if (!*off) {
                    mg.z[i] = prolong_to(grids, i + mg.offset, s.x0[i]);
                }
            });
        bodies_find_projection(step, mg.z, off);
    }
    const RigidView b = mg.response ? step->bodies->rigid : RigidView();
    const Sum1 none = {0.0};
    sum_particles(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (!*off) {
                const float4 r = v.r[i];
                float4 z = !coarse         ? f32x4(0, 0, 0)
                           : !mg.response  ? prolong_to(grids, i + mg.offset, s.x0[i])
                           : s.rigid_of[i] ? response_at(b, i)
                                           : mg.z[i];
                z = project(s, i, z);
                z = z + sym3_times(mg.inverse[i], r);
                z = mg.response ? z + mg.response[i] : z;
                mg.z[i] = z;
                sum.a = (double)dot(z, r);
            }
            return sum;
        },
        then);
}

struct IgnoreSum {
    __device__ void operator()(Sum1) const {}
};

void multigrid_precondition(Lodge *solve)
{
    const IgnoreSum then = {};
    precondition(solve, then);
    ooze_timer_lap(solve->step->context->timer, "multigrid_cycle");
}

/* p = z + beta p */
static void set_direction(Lodge *solve)
{
    const StepView s = solve->step->view;
    const LodgeView v = solve->view;
    const float4 *z = solve->view.multigrid->z;
    solve->fresh_direction = false;
    for_each(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!v.state->off) {
                const float beta = (float)v.state->beta;
                const float4 old = v.p[i], own = z[i];
                v.p[i] = direction_set(
                    v, i, f32x4(own.x + beta * old.x, own.y + beta * old.y, own.z + beta * old.z));
            }
        });
    ooze_timer_lap(solve->step->context->timer, "multigrid_cycle");
}

void multigrid_start(OozeLodge *of)
{
    Lodge *solve = lodge_of(of);
    const MultigridStarted then = {solve->view.state};
    bodies_respond(solve, nullptr);
    precondition(solve, then);
    set_direction(solve);
}

void multigrid_update(Lodge *solve)
{
    Step *step = solve->step;
    const MultigridIterated then = {solve->view.state,
                                    rigid_slots(step) > 0 ? step->bodies->rigid.rz : nullptr};
    bodies_respond(solve, &solve->view.state->off);
    precondition(solve, then);
    set_direction(solve);
}

} // namespace ooze
