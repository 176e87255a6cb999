/* The heat stage, in the order of heat/conduct.c. */
#include "cuda/heat.cuh"

#include "cuda/pairs.cuh"
#include "cuda/ranks.cuh"
#include "cuda/shape_distance.cuh"

namespace ooze
{

/* Captured by loop bodies. Arrays that loops over neighbours read have n + 1 elements. */
struct HeatView {
    uint32_t n;
    PairView<float> pairs; /* kernel: the support */
    const uint16_t *material;
    const OozeHeatMaterial *materials;
    const OozeHeatConstants *rule;
    SolidsView solids;
    const OozeHeatWall *walls; /* per solid */
    bool open;                 /* free surfaces lose heat to the air */
    double air_temperature, air_transfer;
    double dt;
    double *temperature;
    uint8_t *phase; /* NULL: nothing melts */
    float4 *weight; /* per list entry: conductance, W/K */
    double *sum;    /* of the weights */
    double *bath, *bath_heat;
    uint8_t *held; /* a source prescribes its temperature */
};

/* Copies an array of the host to scratch memory. */
template <class T> static T *send(Gpu *gpu, const T *from, uint64_t count)
{
    T *to = scratch<T>(gpu, count);
    copy_in(gpu, to, from, count * sizeof(T));
    return to;
}

static OozeStatus describe(Engine *engine, const OozeHeatJob *job, HeatView *v, OozeError *error)
{
    const OozeStepContext *c = job->context;
    const Store *store = &engine->store;
    Gpu *gpu = &engine->gpu;
    uint64_t n = store->n, materials = (uint64_t)c->material_count,
             solids = (uint64_t)c->solid_count;
    OozeHeatMaterial *rows = static_cast<OozeHeatMaterial *>(
        ooze_arena_alloc(c->arena, materials, sizeof(OozeHeatMaterial)));
    OozeHeatWall *walls =
        static_cast<OozeHeatWall *>(ooze_arena_alloc(c->arena, solids, sizeof(OozeHeatWall)));
    if (!rows || !walls) {
        return ooze_fail_memory(error, "the heat stage", materials * sizeof *rows);
    }
    for (uint64_t m = 0; m < materials; m++) {
        rows[m] = ooze_heat_material(&c->materials[m], c->spacing);
    }
    for (uint64_t k = 0; k < solids; k++) {
        walls[k] = ooze_heat_wall(&c->solids[k]);
    }
    v->n = v->pairs.n = (uint32_t)n;
    v->pairs.x = store_positions(store);
    v->pairs.fluid = view(&engine->fluid);
    v->pairs.periodic = c->periodic;
    v->pairs.kernel = (float)c->support;
    v->material = store_materials(store);
    v->materials = send(gpu, rows, materials);
    v->rule = send(gpu, job->rule, 1);
    v->solids = engine->solids.view;
    v->walls = send(gpu, walls, solids);
    v->open = job->air_transfer > 0.0;
    v->air_temperature = job->air_temperature;
    v->air_transfer = job->air_transfer;
    v->dt = c->dt;
    v->temperature = static_cast<double *>(store_data(store, "temperature"));
    v->phase = static_cast<uint8_t *>(store_data(store, "phase"));
    v->weight = scratch<float4>(gpu, engine->fluid.quads);
    v->sum = scratch<double>(gpu, n);
    v->bath = scratch<double>(gpu, n);
    v->bath_heat = scratch<double>(gpu, n);
    v->held = scratch<uint8_t>(gpu, n);
    return status(gpu, n, error);
}

/* ---- conductances --------------------------------------------------------------------------- */

/* Exchange of particle i with solids and the air; `inward` of the particles around it. */
OOZE_DEVICE OozeHeatExchange exchange_of(const HeatView &v, uint32_t i, const double inward[3])
{
    OozeHeatExchange exchange = {0.0, 0.0, {inward[0], inward[1], inward[2]}};
    const float4 x = v.pairs.x[i];
    for (int k = 0; k < v.solids.count; k++) {
        const SolidView &solid = v.solids.items[k];
        const OozeHeatWall &wall = v.walls[k];
        OozeVec3 normal;
        if ((v.open || !isnan(wall.temperature)) && solid_within(solid, x, v.pairs.kernel, false)) {
            const double distance = solid_distance(solid, widen(x), &normal);
            ooze_heat_exchange_solid(v.rule, &wall, v.materials[v.material[i]].conductivity,
                                     distance, normal, &exchange);
        }
    }
    if (v.open) {
        ooze_heat_exchange_air(v.rule, v.air_transfer, v.air_temperature, &exchange);
    }
    return exchange;
}

template <int LANES> static void conductances_loop(Gpu *gpu, const HeatView &view)
{
    const HeatView v = view;
    for_lanes<LANES>(
        gpu, v.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = v.pairs.x[i];
            const double own = v.materials[v.material[i]].conductivity;
            double sum = 0.0, inward[3] = {0.0, 0.0, 0.0};
            set_weights<LANES>(v.pairs.fluid, v.weight, i, lane, [&](uint32_t j) {
                const float4 d = separation(v.pairs.periodic, v.pairs.x[j], here);
                const float kernel = ooze_viscosity_laplacian(d.w, v.pairs.kernel);
                const float weight = ooze_heat_conductance(
                    v.rule, own, v.materials[v.material[j]].conductivity, kernel);
                sum += (double)weight;
                inward[0] += (double)(kernel * d.x);
                inward[1] += (double)(kernel * d.y);
                inward[2] += (double)(kernel * d.z);
                return weight;
            });
            sum = lanes_sum<LANES>(sum);
            for (double &component : inward) {
                component = lanes_sum<LANES>(component);
            }
            if (lane == 0) {
                const OozeHeatExchange exchange = exchange_of(v, i, inward);
                v.sum[i] = sum;
                v.bath[i] = exchange.bath;
                v.bath_heat[i] = exchange.heat;
                v.held[i] = 0;
            }
        });
}

static void find_conductances(Gpu *gpu, const HeatView &v)
{
#define CONDUCTANCES(lanes) conductances_loop<lanes>(gpu, v)
    OOZE_LANES(all_particles(gpu, v.n), CONDUCTANCES);
}

/* Adds the power of a source, or sets the temperatures that it prescribes. */
static OozeStatus add_source(Engine *engine, const HeatView &view, const OozeHeatSource *source,
                             const OozeStepContext *context, OozeError *error)
{
    const HeatView v = view;
    const double seconds = ooze_heat_source_time(source, context);
    ShapeView shape;
    OozeStatus result = OOZE_OK;
    if (seconds > 0.0) {
        result = shape_send(&engine->gpu, &engine->solids, source->shape, &shape, error);
    }
    if (!(seconds > 0.0) || result) {
        return result;
    }
    const OozePose pose = source->pose;
    const OozeBounds bounds = ooze_shape_bounds(source->shape);
    const double power = ooze_heat_source_power(source, context, seconds);
    const double temperature = source->temperature;
    for_each(
        &engine->gpu, v.n, OOZE_BODY(uint32_t i) {
            if (!ooze_placed_contains(&shape, &pose, &bounds, widen(v.pairs.x[i]))) {
                return;
            }
            if (isnan(temperature)) {
                v.bath_heat[i] += power;
            } else {
                v.temperature[i] = temperature;
                v.held[i] = 1;
            }
        });
    return OOZE_OK;
}

struct LargestRate {
    double a;
    __device__ void operator+=(const LargestRate &o) { a = o.a > a ? o.a : a; }
};

/* Largest sum G / C of a particle, 1/s. Waits. */
static double largest_rate(Gpu *gpu, const HeatView &view)
{
    const HeatView v = view;
    const LargestRate none = {0.0};
    const uint32_t begin = own_range(gpu, v.n).begin;
    LargestRate largest = sum_to_host(
        gpu, own_range(gpu, v.n).count, none, OOZE_BODY(uint32_t k) {
            const uint32_t i = begin + k;
            LargestRate own = {(v.sum[i] + v.bath[i]) / v.materials[v.material[i]].capacity};
            return own;
        });
    max_over_ranks(gpu, &largest.a, 1);
    return largest.a;
}

/* ---- stages --------------------------------------------------------------------------------- */

struct StageArrays {
    const double *before, *earlier; /* temperatures Y_{j-1} and Y_{j-2} */
    double *next;
};

template <int LANES>
static void stage_loop(Gpu *gpu, const HeatView &view, OozeHeatStage stage, StageArrays arrays)
{
    const HeatView v = view;
    for_lanes<LANES>(
        gpu, v.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const double own = arrays.before[i];
            double heat = lane == 0 ? v.bath_heat[i] - v.bath[i] * own : 0.0;
            each_weighted<LANES>(v.pairs.fluid, v.weight, i, lane, [&](uint32_t j, float w) {
                heat += (double)w * (arrays.before[j] - own);
            });
            heat = lanes_sum<LANES>(heat);
            if (lane == 0) {
                const OozeHeatPast past = {own, arrays.earlier[i]};
                const double next =
                    ooze_heat_advance(stage, v.dt, past, heat, v.materials[v.material[i]].capacity);
                arrays.next[i] = v.held[i] ? own : next;
            }
        });
}

/* Returns the temperatures at the end. */
static const double *run_stages(Gpu *gpu, const HeatView &v, int stages)
{
    const int count = stages > 1 ? 3 : 1;
    double *buffers[3] = {};
    for (int k = 0; k < count; k++) {
        buffers[k] = scratch<double>(gpu, v.n);
        clear(gpu, buffers[k] + v.n, sizeof(double)); /* padding of lists */
    }
    StageArrays arrays = {v.temperature, v.temperature, nullptr};
    for (int j = 1; j <= stages && gpu->failed == cudaSuccess; j++) {
        const OozeHeatStage stage = ooze_heat_stage(j, stages);
        arrays.next = buffers[(j - 1) % count];
#define STAGE(lanes) stage_loop<lanes>(gpu, v, stage, arrays)
        OOZE_LANES(all_particles(gpu, v.n), STAGE);
        refresh(gpu, arrays.next, sizeof *arrays.next);
        arrays.earlier = arrays.before;
        arrays.before = arrays.next;
    }
    return arrays.before;
}

static void store_results(Gpu *gpu, const HeatView &view, const double *result)
{
    const HeatView v = view;
    for_each(
        gpu, v.n, OOZE_BODY(uint32_t i) {
            const OozeHeatMaterial &own = v.materials[v.material[i]];
            v.temperature[i] = result[i];
            if (v.phase && !isnan(own.melting)) {
                v.phase[i] =
                    (uint8_t)ooze_heat_phase(v.phase[i], result[i], own.melting, own.freezing);
            }
        });
}

OozeStatus heat_conduct(Engine *engine, OozeHeatJob *job, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    uint64_t n = engine->store.n;
    job->stages = 0;
    if (all_particles(gpu, n) == 0) {
        return OOZE_OK;
    }
    scratch_reset(gpu); /* the method's temporaries are no longer needed */
    refresh(gpu, store_positions(&engine->store), sizeof(float4));
    HeatView v = {};
    /* dynamic solids have moved since */
    OozeStatus result = solids_send(gpu, &engine->solids, job->context, error);
    result = result ? result : describe(engine, job, &v, error);
    if (result) {
        return result;
    }
    find_conductances(gpu, v);
    for (int k = 0; k < job->source_count && !result; k++) {
        result = add_source(engine, v, &job->sources[k], job->context, error);
    }
    result = result ? result
                    : ooze_heat_choose_stages(job, largest_rate(gpu, v) * job->context->dt, error);
    if (!result) {
        store_results(gpu, v, run_stages(gpu, v, job->stages));
    }
    return result ? result : status(gpu, n, error);
}

/* ---- temperature tables --------------------------------------------------------------------- */

OozeStatus tables_send(Gpu *gpu, const OozeStepContext *c, const MaterialTable **tables,
                       OozeError *error)
{
    size_t count = (size_t)c->material_count;
    bool any = false;
    MaterialTable *all =
        static_cast<MaterialTable *>(ooze_arena_alloc(c->arena, count, sizeof(MaterialTable)));
    *tables = nullptr;
    if (!all) {
        return ooze_fail_memory(error, "materials", count * sizeof *all);
    }
    for (size_t m = 0; m < count; m++) {
        const OozeMaterial *material = &c->materials[m];
        int rows = c->temperature ? material->table_count : 0;
        all[m] = {rows > 0 ? send(gpu, material->table, (uint64_t)rows) : nullptr, rows};
        any = any || rows > 0;
    }
    *tables = any ? send(gpu, all, count) : nullptr;
    return status(gpu, 0, error);
}

} // namespace ooze
