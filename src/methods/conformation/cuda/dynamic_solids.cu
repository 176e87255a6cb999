#include "methods/conformation/cuda/dynamic_solids.cuh"

#include "cuda/shape_distance.cuh"

namespace ooze
{

OOZE_DEVICE OozeFloat4 plain(float4 a)
{
    return {a.x, a.y, a.z, a.w};
}

/* ---- the beginning of the step ---- */

/* Samples in the order of the lists, at the beginning of the step: copies, because the density
   stage sorts the samples again. */
static void copy_samples(Step *step, StepDynamic *dynamic)
{
    Gpu *gpu = step->gpu;
    const Walls *walls = &step->engine->walls;
    const WallView from = walls->view;
    const uint32_t last = (uint32_t)walls->count;
    const DynamicView v = dynamic->view;
    const SolidsView solids = step->engine->solids.view;
    const float4 *local = static_cast<const float4 *>(walls->local_buffer.memory);
    const uint32_t *order = walls->grid.order;
    float4 *position = scratch<float4>(gpu, last), *velocity = scratch<float4>(gpu, last);
    float4 *normal = scratch<float4>(gpu, last);
    float *volume = scratch<float>(gpu, last);
    uint16_t *solid = scratch<uint16_t>(gpu, last);
    uint8_t *no_slip = scratch<uint8_t>(gpu, last);
    int32_t *dynamic_of = scratch<int32_t>(gpu, last);
    float4 *direction = scratch<float4>(gpu, last);
    OozeVec3 *arm = scratch<OozeVec3>(gpu, last);
    for_each(
        gpu, last > 0 ? (uint64_t)last + 1 : 0, OOZE_BODY(uint32_t b) {
            const int32_t k = b < last ? v.index_of[from.solid[b]] : -1;
            position[b] = from.position[b];
            velocity[b] = from.velocity[b];
            normal[b] = from.normal[b];
            volume[b] = from.volume[b];
            solid[b] = from.solid[b];
            no_slip[b] = from.no_slip[b];
            dynamic_of[b] = k;
            direction[b] = f32x4(0, 0, 0);
            if (k >= 0) {
                const OozeSolid &of = v.of[k];
                const OozeFloat4 at = plain(local[order[b]]);
                const OozeVec3 p = vec3((double)at.x, (double)at.y, (double)at.z);
                const OozeFloat4 begin = ooze_sample_position(&of.previous, at, &v.periodic);
                arm[b] = quat_rotate(of.previous.rotation, vec3_sub(p, of.mass.centre));
                position[b] = f32x4(begin.x, begin.y, begin.z);
                no_slip[b] = solids.items[from.solid[b]].friction > 0.0;
            }
        });
    dynamic->arm = arm;
    dynamic->velocity = velocity;
    step->view.walls = {position, velocity, normal, volume, solid, no_slip, last};
    step->view.dynamic_of = dynamic_of;
    step->view.direction_velocity = direction;
}

static OozeStatus begin_pushes(Step *step, const OozeDynamicCoupling *coupling, OozeError *error)
{
    const size_t count = (size_t)coupling->count, bytes = count * sizeof(OozeSolidPush);
    OozeSolidPush *pushes =
        static_cast<OozeSolidPush *>(ooze_arena_alloc(step->context->arena, count, sizeof *pushes));
    if (!pushes) {
        return ooze_fail_memory(error, "the conformation step", bytes);
    }
    OozeStatus result =
        ooze_solid_pushes_begin(coupling, (double)step->view.plan->solid_push_share, pushes, error);
    step->view.solid_pushes = scratch<OozeSolidPush>(step->gpu, count);
    copy_in(step->gpu, step->view.solid_pushes, pushes, bytes);
    return result;
}

OozeStatus dynamic_create(Step *step, OozeError *error)
{
    OozeStepContext *c = step->context;
    StepDynamic *dynamic = nullptr;
    if (!c->dynamic) {
        return OOZE_OK;
    }
    const double density = c->materials[0].values[OOZE_MATERIAL_DENSITY];
    const double particle_mass = (double)(float)density * c->spacing * c->spacing * c->spacing;
    OozeStatus result = host_memory(step, &dynamic, error);
    result =
        result ? result : dynamic_begin(step->engine, &dynamic->solids, c, particle_mass, error);
    if (result) {
        return result;
    }
    step->dynamic = dynamic;
    dynamic->view = dynamic->solids.view;
    if (step->view.plan->expects_pushes) {
        result = begin_pushes(step, &dynamic->solids.coupling, error);
    }
    if (result) {
        return result;
    }
    copy_samples(step, dynamic);
    const DynamicSearch search = {step->view.near_walls, step->view.walls.solid, step->view.n,
                                  nullptr};
    dynamic->near = dynamic_find_near(step->gpu, c->arena, dynamic->view, search);
    dynamic_spread(step, true);
    return status(step->gpu, step->view.n, error);
}

void dynamic_spread(Step *step, bool motion)
{
    if (!step->dynamic) {
        return;
    }
    const StepDynamic *dynamic = step->dynamic;
    const DynamicView v = dynamic->view;
    const OozeVec3 *arm = dynamic->arm;
    const int32_t *dynamic_of = step->view.dynamic_of;
    float4 *to = motion ? dynamic->velocity : step->view.direction_velocity;
    for_each(
        step->gpu, step->view.walls.count, OOZE_BODY(uint32_t b) {
            if (dynamic_of[b] >= 0) {
                const OozeDynamicSolid &solid = v.solids[dynamic_of[b]];
                to[b] = narrow(
                    ooze_twist_velocity_at(motion ? &solid.motion : &solid.direction, arm[b]));
            }
        });
}

void dynamic_expect(Step *step, double sign)
{
    const OozeSolidPush *pushes = step->view.solid_pushes;
    if (!step->dynamic) {
        return;
    }
    const DynamicView v = step->dynamic->view;
    for_each(
        step->gpu, pushes ? (uint64_t)v.count : 0,
        OOZE_BODY(uint32_t k) { ooze_solid_push_add(&v.solids[k], &pushes[k], sign); });
    dynamic_spread(step, true);
}

/* ---- products of the operator ---- */

/* Force of a sample with velocity u on particle i along an edge: F g + n f (u - u_i), see
   stress_flux_formula.h. */
OOZE_DEVICE OozeVec3 force_of(const LodgeView &v, uint32_t i, Delta d, float f, float4 u)
{
    const float4 *row = v.rows + 3 * (uint64_t)i;
    const float n = v.hourglass[i];
    const float4 a = row[0], b = row[1], c = row[2];
    return vec3((double)(f * (a.x * d.x + a.y * d.y + a.z * d.z - a.w + n * u.x)),
                (double)(f * (b.x * d.x + b.y * d.y + b.z * d.z - b.w + n * u.y)),
                (double)(f * (c.x * d.x + c.y * d.y + c.z * d.z - c.w + n * u.z)));
}

/* f(b, edge, V f) for the samples of solid k near particle i. */
template <class F> OOZE_DEVICE void each_sample_of(const StepView &s, int k, uint32_t i, F f)
{
    const float4 here = s.x0[i];
    each_wall(s, i, [&](uint32_t b) {
        if (s.dynamic_of[b] == k) {
            Delta d = delta<true>(s, here, s.walls.position[b]);
            f(b, d, wall_weight(s, d.r2, b));
        }
    });
}

/* Rows M y - dt f, f being the opposite of the forces on particles; p.Ap and the other scalars. */
static void set_products(const Step *step, SolveState *state, const Product &product)
{
    const DynamicView v = step->dynamic->view;
    const double dt = (double)step->view.dt;
    const bool motion = product.explicit_terms, iteration = product.off == &state->off;
    const CgMeasure then = {state, product.off, iteration};
    const int32_t *off = product.off;
    for_each(
        step->gpu, 1, OOZE_BODY(uint32_t) {
            if (*off) {
                return;
            }
            Sum3 sum = state->particle_product;
            for (int k = 0; k < v.count; k++) {
                OozeDynamicSolid *solid = &v.solids[k];
                const OozeTwist *y = motion ? &solid->motion : &solid->direction;
                solid->product = ooze_twist_apply(&v.mass[k], y);
                ooze_twist_add(&solid->product, dt, &solid->collected);
                sum.a += ooze_twist_dot(&solid->product, y);
                const OozeTwist z = ooze_coupling_velocity_change(solid, &solid->residual);
                const OozeTwist az = ooze_coupling_velocity_change(solid, &solid->product);
                sum.b += ooze_twist_dot(&solid->product, &z);
                sum.c += ooze_twist_dot(&solid->product, &az);
            }
            then(sum);
        });
}

void dynamic_product(Lodge *solve, const Product &product)
{
    Step *step = solve->step;
    if (!step->dynamic) {
        return;
    }
    const StepDynamic *dynamic = step->dynamic;
    const StepView s = step->view;
    const LodgeView v = solve->view;
    const OozeVec3 *arm = dynamic->arm;
    const float4 *moving = product.explicit_terms ? s.walls.velocity : s.direction_velocity;
    const int32_t *off = product.off;
    CollectTwist collect = {dynamic->view.solids};
    dynamic_sums_of_list(
        step->gpu, dynamic->view, dynamic->near,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            if (*off) {
                return;
            }
            each_sample_of(s, k, i, [&](uint32_t b, Delta d, float f) {
                if (f != 0.0f) {
                    ooze_coupling_add(sum, arm[b], force_of(v, i, d, f, moving[b]));
                }
            });
        },
        collect);
    set_products(step, v.state, product);
}

void dynamic_zero_direction(Step *step)
{
    if (step->dynamic) {
        const DynamicView v = step->dynamic->view;
        for_each(
            step->gpu, (uint64_t)v.count, OOZE_BODY(uint32_t k) {
                v.solids[k].direction = OozeTwist{{0, 0, 0, 0, 0, 0}};
            });
    }
}

void dynamic_keep_product(Step *step)
{
    if (step->dynamic) {
        const DynamicView v = step->dynamic->view;
        for_each(
            step->gpu, (uint64_t)v.count, OOZE_BODY(uint32_t k) {
                v.solids[k].remembered = v.solids[k].product;
                v.solids[k].direction = OozeTwist{{0, 0, 0, 0, 0, 0}};
            });
    }
}

void dynamic_add_product(Step *step)
{
    if (step->dynamic) {
        const DynamicView v = step->dynamic->view;
        for_each(
            step->gpu, (uint64_t)v.count, OOZE_BODY(uint32_t k) {
                ooze_twist_add(&v.solids[k].product, 1.0, &v.solids[k].remembered);
            });
    }
}

/* ---- search direction from that of the fluid ---- */

/* Sums of a moment of the guess over the edges to each solid. */
template <class Add, class Then> static void collect_moment(const Lodge *solve, Add add, Then then)
{
    const StepDynamic *dynamic = solve->step->dynamic;
    const StepView s = solve->step->view;
    const OozeVec3 *arm = dynamic->arm;
    dynamic_sums_of_list(
        solve->step->gpu, dynamic->view, dynamic->near,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            each_sample_of(s, k, i,
                           [&](uint32_t b, Delta, float f) { add(sum, (double)f, arm[b], i); });
        },
        then);
}

struct AddVelocity {
    const float4 *p;
    __device__ void operator()(OozeTwist *sum, double f, OozeVec3 arm, uint32_t i) const
    {
        ooze_coupling_add(sum, arm, vec3_scale(widen(p[i]), f));
    }
};
struct AddWeight {
    __device__ void operator()(OozeTwist *sum, double f, OozeVec3 arm, uint32_t) const
    {
        const OozeTwist more = {{f * arm.x, f * arm.y, f * arm.z, f, 0, 0}};
        ooze_twist_add(sum, 1.0, &more);
    }
};
struct AddSquare {
    __device__ void operator()(OozeTwist *sum, double f, OozeVec3 arm, uint32_t) const
    {
        const double x[3] = {arm.x, arm.y, arm.z};
        ooze_rigid_add_moment(sum->v, f, x);
    }
};
struct StoreDirection {
    OozeDynamicSolid *solids;
    const int32_t *off;
    __device__ void operator()(int k, const OozeTwist &sum) const
    {
        if (!*off) {
            solids[k].direction = sum;
        }
    }
};
struct StoreProduct {
    OozeDynamicSolid *solids;
    const int32_t *off;
    __device__ void operator()(int k, const OozeTwist &sum) const
    {
        if (!*off) {
            solids[k].product = sum;
        }
    }
};
struct FitDirection {
    OozeDynamicSolid *solids;
    const int32_t *off;
    __device__ void operator()(int k, const OozeTwist &square) const
    {
        if (*off) {
            return;
        }
        OozeDynamicSolid *solid = &solids[k];
        const OozeTwist none = {{0, 0, 0, 0, 0, 0}};
        solid->direction = solid->product.v[3] > 0.0
                               ? ooze_coupling_fit(&solid->direction, &solid->product, &square)
                               : none;
    }
};

void dynamic_follow(Lodge *solve, const int32_t *off)
{
    if (!solve->step->dynamic) {
        return;
    }
    OozeDynamicSolid *solids = solve->step->dynamic->view.solids;
    collect_moment(solve, AddVelocity{solve->view.p}, StoreDirection{solids, off});
    collect_moment(solve, AddWeight{}, StoreProduct{solids, off});
    collect_moment(solve, AddSquare{}, FitDirection{solids, off});
}

/* ---- positions ---- */

OozeStatus dynamic_density(Step *step, DensityJob *job, OozeError *error)
{
    if (!step->dynamic) {
        return OOZE_OK;
    }
    const DynamicView v = step->dynamic->view;
    for_each(
        step->gpu, (uint64_t)v.count,
        OOZE_BODY(uint32_t k) { v.solids[k].remembered = v.solids[k].motion; });
    job->dynamic = v;
    return dynamic_place(step->engine, &step->dynamic->solids, error);
}

} // namespace ooze
