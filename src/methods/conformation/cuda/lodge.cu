/* The implicit velocity solve: see methods/conformation/lodge.c. */
#include "cuda/rank_sums.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/grid_pressure.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"

extern "C" {
#include "methods/conformation/grid_pressure_formula.h"
}

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
            if (i != OOZE_NO_PARTICLE && !state->off) {
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

/* z + beta p, by the diagonal preconditioner */
OOZE_DEVICE float4 next_direction(const StepView &s, const LodgeView &v, uint32_t i, float4 r,
                                  float4 p)
{
    float beta = (float)v.state->beta;
    float per = 1.0f / s.rheology[s.material[i]].preconditioner_mass;
    return f32x4(per * r.x + beta * p.x, per * r.y + beta * p.y, per * r.z + beta * p.z);
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
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    Sum1 none = {0.0};
    refresh_with_sum(solve->step->gpu, direction_part(v));
    solve->fresh_direction = true;
    sum_particles(
        solve->step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {0.0};
            if (*off) {
                return sum;
            }
            float alpha = (float)v.state->alpha;
            float per = 1.0f / s.rheology[s.material[i]].preconditioner_mass;
            float4 p = v.p[i], r = v.r[i] - alpha * v.ap[i];
            s.u[i] = s.u[i] + alpha * p;
            v.r[i] = r;
            sum.a = (double)(per * dot(r, r));
            v.p[i] = direction_set(v, i, next_direction(s, v, i, r, p));
            return sum;
        },
        then);
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

/* Waits. */
static SolveState read_state(const Lodge *solve)
{
    SolveState state;
    memset(&state, 0, sizeof state);
    copy_out(solve->step->gpu, &state, solve->view.state, sizeof state);
    state.off = state.off || solve->step->gpu->failed != cudaSuccess;
    return state;
}

static void iterate_diagonal(Lodge *solve, int iterations)
{
    const int32_t *off = &solve->view.state->off;
    conjugate_gradients<CG_BATCH>(solve->step->gpu, solve->view.state, iterations, [&]() {
        multiply_direction(solve, off);
        advance(solve, true, off);
        ooze_timer_lap(solve->step->context->timer, "velocity_vectors");
    });
}

static void iterate_multigrid(Lodge *solve, int iterations)
{
    const int32_t *off = &solve->view.state->off;
    conjugate_gradients<1>(solve->step->gpu, solve->view.state, iterations, [&]() {
        multiply_direction(solve, off);
        advance_particles(solve, off);
        ooze_timer_add(solve->step->context->timer, "velocity_vectors");
        multigrid_update(solve);
    });
}

/* In slow flow few iterations remain after the initial guess, fewer than grids are worth. The
   diagonal preconditioner continues if its residual falls fast enough. Waits. */
static SolveState try_diagonal(Lodge *solve, double begin, int iterations)
{
    int first = iterations < OOZE_LODGE_TRIAL ? iterations : OOZE_LODGE_TRIAL;
    iterate_diagonal(solve, first);
    SolveState state = read_state(solve);
    int needed = ooze_lodge_trial_iterations(begin, &state.residual);
    needed = needed < iterations ? needed : iterations;
    if (!state.off && needed <= OOZE_LODGE_TRIAL_MOST) {
        int most = iterations < OOZE_LODGE_TRIAL_MOST ? iterations : OOZE_LODGE_TRIAL_MOST;
        iterate_diagonal(solve, most - first);
        state = read_state(solve);
    }
    return state;
}

/* The residual, and the initial guess of the change. */
static void begin_iterations(Lodge *solve, int pass)
{
    Step *step = solve->step;
    const OozeConformationSettings *set = &step->plan.settings;
    bool accurate = set->second_order || pass + 1 == solve->passes;
    SolveState *state = solve->view.state;
    solve->multigrid = nullptr;
    solve->fresh_direction = false;
    if (solve->first_u) { /* multigrid may have been used before */
        for_each(
            step->gpu, 1, OOZE_BODY(uint32_t) { state->min_curvature = OOZE_LODGE_MIN_CURVATURE; });
    }
    Product residual = {step->view.u, true, false, &solve->view.state->never};
    multiply(solve, residual);
    if (solve->view.deferred && pass > 0) {
        scale_second_stage(solve, 0.5f);
        add_deferred(solve);
    }
    start(solve, (accurate ? 1.0 : OOZE_LODGE_EARLY_TOLERANCE) * set->tolerance);
    ooze_timer_add(step->context->timer, "velocity_vectors");
    if (set->velocity_iterations > 0 && (pass == 0 || step->any_contacts)) {
        warm_start(solve, pass);
    }
}

/* As iterate of methods/conformation/lodge.c. Waits where the solve may use multigrid. */
static OozeStatus iterate(Lodge *solve, int pass, OozeError *error)
{
    Step *step = solve->step;
    const int iterations = step->plan.settings.velocity_iterations;
    begin_iterations(solve, pass);
    if (solve->multigrid_use == MULTIGRID_NEVER) {
        iterate_diagonal(solve, iterations);
        return OOZE_OK;
    }
    SolveState state = read_state(solve);
    const int before = state.residual.iterations;
    bool guessed = pass > 0 || !state.warm_start_off;
    if (!state.off && solve->multigrid_use == MULTIGRID_IF_LATE && !solve->grids) {
        iterate_diagonal(solve, OOZE_LODGE_LATE);
        state = read_state(solve);
    } else if (!state.off && solve->multigrid_use == MULTIGRID_IF_SLOW && guessed &&
               !solve->grids) {
        state = try_diagonal(solve, state.residual.current, iterations);
    }
    if (!state.off) {
        int left = iterations - (state.residual.iterations - before);
        OozeStatus result = multigrid_begin(solve, error);
        if (result || !solve->multigrid) {
            iterate_diagonal(solve, result ? 0 : left);
            return result;
        }
        multigrid_start(solve);
        iterate_multigrid(solve,
                          left < OOZE_LODGE_MULTIGRID_MOST ? left : OOZE_LODGE_MULTIGRID_MOST);
    }
    return OOZE_OK;
}

/* A solve by multigrid that has failed is repeated with the diagonal preconditioner. */
static OozeStatus solve_pass(Lodge *solve, int pass, OozeError *error)
{
    Step *step = solve->step;
    const size_t size = step->view.n * sizeof *step->view.u;
    if (step->pressure) {
        return grid_pressure_solve(solve, pass, error);
    }
    if (solve->multigrid_use != MULTIGRID_NEVER) {
        copy(step->gpu, solve->first_u, step->view.u, size);
    }
    OozeStatus result = iterate(solve, pass, error);
    if (result || !solve->multigrid) {
        return result;
    }
    const SolveState state = read_state(solve);
    if (!multigrid_succeeded(&state, state.speed_square)) {
        copy(step->gpu, step->view.u, solve->first_u, size);
        solve->grids = nullptr;
        solve->multigrid_use = MULTIGRID_NEVER;
        if (solve->view.deferred && pass > 0) {
            scale_second_stage(solve, 2.0f);
        }
        result = iterate(solve, pass, error);
    }
    return result;
}

/* ---- contact ---- */

/* Contact directions take the velocity of the surface. */
static void set_contact_velocities(Step *step)
{
    StepView s = step->view;
    if (!s.contact_of) {
        return;
    }
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (s.contact_of[i] >= 0) {
                s.u[i] = ooze_contact_prescribed(&s.contact_sets[s.contact_of[i]], s.u[i]);
            }
        });
}

/* The contact force on a particle is A u - rho u*; friction of a slipping contact joins u*. r
   becomes the force that rigid bodies take up. */
static void release_contacts(Lodge *solve)
{
    Step *step = solve->step;
    StepView s = step->view;
    LodgeView v = solve->view;
    bool rigid = rigid_slots(step) > 0;
    if (!step->any_contacts && !rigid) {
        return;
    }
    Product forces = {s.u, true, true, &solve->view.state->never};
    multiply(solve, forces);
    grid_pressure_add_force(solve);
    const float4 *pressure = step->pressure ? step->pressure->force : nullptr;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            float mass = s.rheology[s.material[i]].relative_mass;
            if (s.contact_of && s.contact_of[i] >= 0 && s.mobility[i] > 0.0f) {
                float4 force = v.ap[i] - mass * v.u_star[i], friction = f32x4(0, 0, 0);
                OozeContactSet *set = &s.contact_sets[s.contact_of[i]];
                if (pressure) {
                    force = force + ooze_grid_pressure_push_of(pressure[i].w, s.spacing, set);
                }
                float4 sliding = friction;
                if (v.deferred && v.deferred[i].w > 0.0f) {
                    float4 u = v.u_star[i] + v.deferred[i];
                    /* a first stage holds 1 - b of the forces */
                    force = (1.0f / (1.0f - v.deferred[i].w)) * force;
                    ooze_lodge_friction(set, &force.x, &u.x, mass, &sliding.x);
                }
                ooze_contact_release(set, &force.x, &friction.x);
                friction = friction + sliding;
                v.u_star[i] = v.u_star[i] + (1.0f / mass) * friction;
            }
            if (rigid) {
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
    v->flux = scratch<float4>(gpu, 3 * (n + 1));
    v->r = scratch<float4>(gpu, n);
    v->p = scratch<float4>(gpu, n);
    v->ap = scratch<float4>(gpu, n);
    v->u_star = scratch<float4>(gpu, n);
    v->pressure = solve->step->view.long_step ? scratch<float>(gpu, n) : nullptr;
    v->deferred = solve->step->plan.settings.second_order ? scratch<float4>(gpu, n) : nullptr;
    const LodgeView to = *v;
    for_each(/* padding of lists */
             gpu, 1, OOZE_BODY(uint32_t) {
                 to.hourglass[n] = 0.0f;
                 to.p[n] = to.flux[3 * n] = to.flux[3 * n + 1] = to.flux[3 * n + 2] =
                     f32x4(0, 0, 0);
             });
    v->pack = pack_places(solve->step);
    pack_positions_alone(solve->step, &v->pack);
}

/* See expected_push_formula.h. */
OOZE_DEVICE float4 expected_push(const StepView &s, uint32_t i)
{
    bool expected = s.expects_pushes && s.mobility[i] > 0.0f;
    if (s.first_push) {
        float share = s.rheology[s.material[i]].expected_push_share;
        return ooze_push_rate(expected, share, s.dt) * s.first_push[i];
    }
    OozePush push = ooze_push_expected(s.warm_start, i, expected ? s.dt : 0.0f);
    return f32x4(push.x, push.y, push.z);
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

/* Second order: velocities without the forces that are deferred, contacts without tangents. */
static void begin_first_stage(Lodge *solve)
{
    Step *step = solve->step;
    StepView s = step->view;
    LodgeView v = solve->view;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            s.u[i] = v.u_star[i];
            bool touches = s.contact_of && s.contact_of[i] >= 0;
            if (touches && s.mobility[i] > 0.0f && v.deferred[i].w > 0.0f) {
                ooze_lodge_free_tangents(&s.contact_sets[s.contact_of[i]]);
            }
        });
}

static OozeStatus solve_lodge(Step *step, OozeError *error)
{
    Gpu *gpu = step->gpu;
    uint64_t n = step->view.n;
    Mark mark = scratch_mark(gpu);
    Lodge solve;
    OozeStatus result = OOZE_OK;
    memset(&solve, 0, sizeof solve);
    LodgeMultigrid multigrid;
    Impact impact;
    solve.step = step;
    solve.multigrid_data = &multigrid;
    solve.passes = step->plan.settings.passes;
    if (step->view.long_step) {
        memset(&impact, 0, sizeof impact);
        solve.impact = &impact;
        solve.passes += step->plan.settings.impact_passes;
    }
    density_warm_start_find(step);
    allocate(&solve);
    StepView s = step->view;
    float4 *u_star = solve.view.u_star;
    const float4 *applied = step->pressure ? step->pressure->applied : nullptr;
    Sum1 none = {0.0};
    BeginSolve begin = {solve.view.state};
    sum_particles(
        gpu, n, none,
        OOZE_BODY(uint32_t i) {
            float4 u = s.u[i], push = expected_push(s, i);
            if (applied) {
                push = push + applied[i];
            }
            u_star[i] = u + push;
            float4 begin = applied ? u_star[i] : u;
            Sum1 sum = {(double)s.rheology[s.material[i]].relative_mass *
                        (double)dot(begin, begin)};
            if (s.surface_impulse) { /* see start_range of methods/conformation/lodge.c */
                u = u - s.surface_impulse[i];
            }
            s.u[i] = u + push;
            return sum;
        },
        begin);
    dynamic_expect(step, 1.0);
    for (int pass = 0; pass < solve.passes && !result; pass++) {
        refresh(gpu, step->view.u, sizeof *step->view.u);
        prepare(&solve, pass > 0);
        if (solve.view.deferred && pass == 0) {
            begin_first_stage(&solve);
        }
        set_contact_velocities(step);
        bodies_begin_pass(step, solve.view.u_star);
        pack_hourglass(step, &solve.view.pack, solve.view.hourglass);
        if (pass == 0) {
            multigrid_plan(&solve);
        }
        result = solve_pass(&solve, pass, error);
        if (!result && pass + 1 < solve.passes) {
            release_contacts(&solve);
            grid_pressure_release(&solve);
            result = solve.impact ? impact_end_pass(&solve, pass, error) : OOZE_OK;
        }
    }
    step->used_multigrid = solve.grids != nullptr;
    if (!result) {
        if (solve.grids || step->pressure) {
            grid_pressure_leave_out(&solve, -1.0f);
            restore_momentum(&solve);
            grid_pressure_leave_out(&solve, 1.0f);
        }
        warm_start_record(&solve);
        refresh(gpu, s.u, sizeof *s.u);
        if (s.expects_pushes) {
            for_each(
                gpu, n, OOZE_BODY(uint32_t i) { s.u[i] = s.u[i] - expected_push(s, i); });
        }
        bodies_apply_impulses(step);
        dynamic_expect(step, -1.0);
    }
    scratch_rewind(gpu, mark);
    return result;
}

const Formulation formulation_lodge = {solve_lodge, solve_density, finish_lodge};

} // namespace ooze
