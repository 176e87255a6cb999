/* Stages of the velocity solve on the GPU, and its conjugate gradients. */
#include "cuda/rank_sums.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/grid_pressure.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/cuda/lodge_iteration.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"
#include "methods/conformation/cuda/positions.cuh"
#include "methods/conformation/lodge_particle_formula.h"

namespace ooze
{

/* ---- conjugate gradients ---- */

struct RecordParticleRz {
    SolveState *state;
    __device__ void operator()(Sum1 sum) const { state->particle_rz = sum.a; }
};

/* The response of its rigid body to the residual at particle i; 0 for other particles. */
OOZE_DEVICE float4 body_response(const StepView &s, const RigidView &b, uint32_t i)
{
    return s.rigid_of[i] ? response_at(b, i) : f32x4(0, 0, 0);
}

/* r = b - A u with b = rho u*; ap holds A u. p = z. `then` receives r.z. */
template <class Then> static void start_loop(Lodge *solve, Then then)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    sum_particles(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            const OozeRheology *m = &s.rheology[s.material[i]];
            const float mass = m->preconditioner_mass;
            float4 r = project(s, i, m->relative_mass * v.u_star[i]) - v.ap[i];
            r.w = 0.0f;
            float4 p = f32x4(r.x / mass, r.y / mass, r.z / mass);
            v.r[i] = r;
            Sum1 sum = {(double)dot(r, p)};
            v.p[i] = direction_set(v, i, p);
            return sum;
        },
        then);
}

/* Rigid bodies respond to the residual as a whole. */
static void start(Lodge *solve, double tolerance)
{
    SolveState *state = solve->view.state;
    CgBegin begin = {state, tolerance};
    if (solve->step->dynamic) {
        DynamicStart with_solids = {solve->step->dynamic->view, begin};
        start_loop(solve, with_solids);
        return;
    }
    if (rigid_slots(solve->step) == 0) {
        start_loop(solve, begin);
        return;
    }
    RecordParticleRz record = {state};
    start_loop(solve, record);
    bodies_precondition(
        solve->step, solve->view.r, nullptr, OOZE_BODY(double bodies_rz) {
            Sum1 rz = {state->particle_rz + bodies_rz};
            begin(rz);
        });
    LodgeView v = solve->view;
    StepView s = solve->step->view;
    const RigidView b = solve->step->bodies->rigid;
    for_each(
        solve->step->gpu, rigid_slots(solve->step), OOZE_BODY(uint32_t slot) {
            uint32_t i = b.index[slot];
            if (i < OOZE_FAR_PARTICLE && !state->off) {
                v.p[i] = direction_set(v, i, v.p[i] + body_response(s, b, i));
            }
        });
}

/* u and r, and r.z without rigid bodies. */
static void advance_particles(Lodge *solve, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    RecordParticleRz then = {v.state};
    sum_particles(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (!*off) {
                float alpha = (float)v.state->alpha;
                float4 r = v.r[i] - alpha * v.ap[i];
                s.u[i] = s.u[i] + alpha * v.p[i];
                v.r[i] = r;
                sum.a = (double)(dot(r, r) / s.rheology[s.material[i]].preconditioner_mass);
            }
            return sum;
        },
        then);
}

/* As advance, in several loops: rigid bodies respond to the residual before the next direction is
   known. */
static void advance_bodies(Lodge *solve, bool iteration, const int32_t *off)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    CgAdvance then = {v.state, off, iteration};
    advance_particles(solve, off);
    bodies_precondition(
        solve->step, v.r, off, OOZE_BODY(double bodies_rz) {
            if (*off) {
                return;
            }
            Sum1 rz = {v.state->particle_rz + bodies_rz};
            bool keeps = iteration && !v.state->lost;
            v.state->beta = keeps ? rz.a / v.state->rz : 0.0;
            then(rz);
        });
    const RigidView b = solve->step->bodies->rigid;
    for_each(
        solve->step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (!*off) {
                float4 z = next_direction(s, v, i, v.r[i], v.p[i]);
                v.p[i] = direction_set(v, i, z + body_response(s, b, i));
            }
        });
}

/* What neighbours read of a direction. */
static RefreshedPart direction_part(const LodgeView &v)
{
    static_assert(sizeof *v.p == sizeof *v.pack.directions, "the same size");
    void *data = v.pack.directions ? static_cast<void *>(v.pack.directions) : v.p;
    return {data, sizeof *v.p, sizeof *v.p, 0, nullptr};
}

/* `then` receives r.z of the particles. */
template <class Then> static void advance_loop(Lodge *solve, const int32_t *off, Then then)
{
    const StepView &s = solve->step->view;
    const AdvanceBody body = {s, solve->view};
    const Sum1 none = {0.0};
    refresh_with_sum(solve->step->gpu, direction_part(solve->view));
    solve->fresh_direction = true;
    sum_particles_lanes<1>(solve->step->gpu, s.n, none, unless_off(off, body), then);
}

void advance(Lodge *solve, bool iteration, const int32_t *off)
{
    CgAdvance then = {solve->view.state, off, iteration};
    if (rigid_slots(solve->step) > 0) {
        advance_bodies(solve, iteration, off);
    } else if (solve->step->dynamic) {
        DynamicAdvance with_solids = {solve->step->dynamic->view, then};
        advance_loop(solve, off, with_solids);
    } else {
        advance_loop(solve, off, then);
    }
}

/* The forces that the first stage has left out join the velocities here, so that every iterate has
   the momentum of u*. ap, the product of the velocities, becomes that of the sum. */
static void add_deferred(Lodge *solve)
{
    Step *step = solve->step;
    StepView s = step->view;
    LodgeView v = solve->view;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            float4 back = v.deferred[i];
            v.r[i] = v.ap[i];
            v.p[i] = project(s, i, f32x4(back.x, back.y, back.z));
        });
    Product product = {v.p, false, false, &solve->view.state->never};
    dynamic_keep_product(step);
    multiply(solve, product);
    dynamic_add_product(step);
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            v.ap[i] = v.ap[i] + v.r[i];
            s.u[i] = s.u[i] + v.p[i];
        });
}

static void read(OozeLodge *solve)
{
    SolveState state;
    memset(&state, 0, sizeof state);
    const Gpu *gpu = step_of(solve->step)->gpu;
    copy_out(step_of(solve->step)->gpu, &state, lodge_of(solve)->view.state, sizeof state);
    *solve->cg = state;
    solve->cg->off = state.off || gpu->failed != cudaSuccess;
    solve->speed_square = state.speed_square;
    solve->guessed = !state.warm_start_off;
}

/* As advance_loop, with blocks. */
static void advance_by_blocks(Lodge *solve)
{
    const StepView &s = solve->step->view;
    const LodgeView &v = solve->view;
    const CgSums none = {0.0, 0.0};
    const CgAdvanced then = {v.state};
    const BlocksAdvanceBody body = {s, v};
    refresh_with_sum(solve->step->gpu, direction_part(v));
    solve->fresh_direction = true;
    sum_particles_lanes<1>(solve->step->gpu, s.n, none, unless_off(&v.state->off, body), then);
}

/* Blocks alone, without rigid bodies, whose responses need loops of their own. */
static void iterate_by_blocks(Lodge *solve, int iterations)
{
    const int32_t *off = &solve->view.state->off;
    solve->view.blocks = solve->view.multigrid->inverse;
    if (!repeat_iterations(solve, iterations)) {
        conjugate_gradients<CG_BATCH>(solve->step->gpu, solve->view.state, iterations, [&]() {
            multiply_direction(solve, off);
            advance_by_blocks(solve);
            ooze_timer_lap(solve->step->context->timer, "velocity_vectors");
        });
    }
    solve->view.blocks = nullptr;
}

static void iterate_by_masses(OozeLodge *of, int iterations)
{
    Lodge *solve = lodge_of(of);
    const int32_t *off = &solve->view.state->off;
    if (repeat_iterations(solve, iterations)) {
        return;
    }
    conjugate_gradients<CG_BATCH>(solve->step->gpu, solve->view.state, iterations, [&]() {
        multiply_direction(solve, off);
        advance(solve, true, off);
        ooze_timer_lap(solve->step->context->timer, "velocity_vectors");
    });
}

static void iterate_multigrid(OozeLodge *of, int iterations)
{
    Lodge *solve = lodge_of(of);
    const int32_t *off = &solve->view.state->off;
    if (!of->uses_grids && rigid_slots(solve->step) == 0) {
        iterate_by_blocks(solve, iterations);
        return;
    }
    conjugate_gradients<1>(solve->step->gpu, solve->view.state, iterations, [&]() {
        multiply_direction(solve, off);
        advance_particles(solve, off);
        ooze_timer_add(solve->step->context->timer, "velocity_vectors");
        multigrid_update(solve);
    });
}

static void begin_iterations(OozeLodge *of, double tolerance)
{
    Lodge *solve = lodge_of(of);
    Step *step = solve->step;
    SolveState *state = solve->view.state;
    solve->fresh_direction = false;
    if (of->first_u) { /* multigrid may have been used before */
        for_each(
            step->gpu, 1, OOZE_BODY(uint32_t) { state->min_curvature = OOZE_LODGE_MIN_CURVATURE; });
    }
    Product residual = {step->view.u, true, false, &state->never};
    multiply(solve, residual);
    if (of->deferred && of->pass > 0) {
        scale_second_stage(of, 0.5f);
        add_deferred(solve);
    }
    start(solve, tolerance);
    ooze_timer_add(step->context->timer, "velocity_vectors");
}

static OozeStatus save(OozeLodge *solve, OozeError *)
{
    Gpu *gpu = step_of(solve->step)->gpu;
    if (!solve->first_u) {
        solve->first_u = scratch<float4>(gpu, solve->step->n);
    }
    copy(gpu, solve->first_u, solve->step->u, solve->step->n * sizeof *solve->first_u);
    return OOZE_OK;
}

static void restore(OozeLodge *solve)
{
    copy(step_of(solve->step)->gpu, solve->step->u, solve->first_u,
         solve->step->n * sizeof *solve->first_u);
}

/* ---- contact ---- */

/* Contact directions take the velocity of the surface. */
static void set_contact_velocities(OozeLodge *solve)
{
    Step *step = step_of(solve->step);
    StepView s = step->view;
    const LodgeView v = lodge_of(solve)->view;
    if (s.contact_of || (solve->deferred && solve->pass == 0)) {
        for_each(
            step->gpu, s.n, OOZE_BODY(uint32_t i) { ooze_lodge_set_contact_velocity(&s, &v, i); });
    }
}

/* r becomes the force that rigid bodies take up. */
static void release_contacts(OozeLodge *of)
{
    Lodge *solve = lodge_of(of);
    Step *step = solve->step;
    StepView s = step->view;
    LodgeView v = solve->view;
    bool rigid = rigid_slots(step) > 0;
    if (!step->view.any_contacts && !rigid) {
        return;
    }
    Product forces = {s.u, true, true, &solve->view.state->never};
    multiply(solve, forces);
    grid_pressure_add_force(solve);
    const float4 *pressure = step->pressure ? step->pressure->force : nullptr;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            ooze_lodge_release_particle(&s, &v, i, pressure);
            if (rigid) {
                float mass = s.rheology[s.material[i]].relative_mass;
                v.r[i] = mass * v.u_star[i] - v.ap[i];
            }
        });
    bodies_end_pass(step, v.r);
    ooze_timer_lap(step->context->timer, "contact");
}

/* ---- the solve ---- */

static void allocate(Lodge *solve)
{
    Gpu *gpu = solve->step->gpu;
    uint64_t n = solve->step->view.n;
    LodgeView *v = &solve->view;
    v->state = solve->step->state;
    v->stiffness = scratch<OozeSym3>(gpu, n);
    v->explicit_stress = scratch<OozeSym3>(gpu, n);
    v->bulk = scratch<float>(gpu, n);
    v->hourglass = scratch<float>(gpu, n);
    v->edge_hourglass = scratch<float>(gpu, n);
    v->rows = scratch<float4>(gpu, 3 * (n + 1));
    v->r = scratch<float4>(gpu, n);
    v->p = scratch<float4>(gpu, n);
    v->ap = scratch<float4>(gpu, n);
    v->u_star = scratch<float4>(gpu, n);
    v->pressure = solve->step->view.long_step ? scratch<float>(gpu, n) : nullptr;
    v->deferred = solve->step->view.plan->settings.second_order ? scratch<float4>(gpu, n) : nullptr;
    const LodgeView to = *v;
    for_each(/* padding of lists */
             gpu, 1, OOZE_BODY(uint32_t) {
                 to.hourglass[n] = 0.0f;
                 to.p[n] = to.rows[3 * n] = to.rows[3 * n + 1] = to.rows[3 * n + 2] =
                     f32x4(0, 0, 0);
             });
    v->pack = pack_places(solve->step);
    pack_positions_alone(solve->step, &v->pack);
}

/* The tolerance is relative to sum rho u^2: a residual bounds the error of the velocities. The
   operator is the mass matrix and a positive one, so p.Ap is at least r.z in exact arithmetic. */
struct BeginSolve {
    SolveState *state;
    __device__ void operator()(Sum1 sum) const
    {
        state->residual.initial = state->speed_square = sum.a;
        state->min_curvature = OOZE_LODGE_MIN_CURVATURE;
        state->restarts = true;
    }
};

static OozeStatus create(OozeConformationStep *s, OozeLodge **out, OozeError *error)
{
    Step *step = step_of(s);
    Lodge *solve = nullptr;
    OozeStatus result = host_memory(step, &solve, error);
    if (!result && s->long_step) {
        result = host_memory(step, &solve->impact, error);
    }
    if (result) {
        return result;
    }
    solve->step = step;
    solve->view.step = s;
    solve->view.own = reinterpret_cast<OozeLodgeOwn *>(solve);
    solve->view.cg = &solve->cg;
    density_warm_start_find(step);
    allocate(solve);
    *out = &solve->view;
    return OOZE_OK;
}

static void start(OozeLodge *solve)
{
    Step *step = step_of(solve->step);
    StepView s = step->view;
    const LodgeView v = lodge_of(solve)->view;
    const float4 *applied = step->pressure ? step->pressure->applied : nullptr;
    Sum1 none = {0.0};
    BeginSolve begin = {step->state};
    sum_particles(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {ooze_lodge_start_particle(&s, &v, i, applied)};
            return sum;
        },
        begin);
}

static void expect_solids(OozeLodge *solve, double sign)
{
    dynamic_expect(step_of(solve->step), sign);
}

static void begin_bodies(OozeLodge *solve)
{
    Step *step = step_of(solve->step);
    bodies_begin_pass(step, solve->u_star);
    pack_hourglass(step, &lodge_of(solve)->view.pack, solve->hourglass);
}

static void end(OozeLodge *solve)
{
    Step *step = step_of(solve->step);
    const StepView s = step->view;
    warm_start_record(lodge_of(solve));
    refresh(step->gpu, s.u, sizeof *s.u);
    if (s.expects_pushes) {
        for_each(
            step->gpu, s.n,
            OOZE_BODY(uint32_t i) { s.u[i] = s.u[i] - ooze_lodge_expected_push(&s, i); });
    }
    bodies_apply_impulses(step);
}

/* Stresses are written on the processor alone. */
static void report_stress(OozeLodge *) {}

/* In the order of OozeLodgeStages. */
const OozeLodgeStages lodge_stages = {
    create,
    start,
    expect_solids,
    prepare,
    set_contact_velocities,
    begin_bodies,
    scale_second_stage,
    begin_iterations,
    warm_start,
    read,
    iterate_by_masses,
    iterate_multigrid,
    release_contacts,
    impact_end_pass,
    takes_blocks,
    find_extent_of_solve,
    grids_save_time,
    save,
    restore,
    multigrid_begin,
    multigrid_start,
    restore_momentum,
    grid_pressure_solve,
    grid_pressure_release,
    grid_pressure_leave_out,
    end,
    report_stress,
};

const OozeFormulation formulation_lodge = {false, ooze_lodge_solve, solve_density, finish_lodge};

} // namespace ooze
