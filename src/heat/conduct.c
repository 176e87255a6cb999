/* The heat stage: conductances, then Runge-Kutta-Legendre stages as stability requires. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "heat/heat_formula.h"
#include "heat/work.h"

static const double WATER_CONDUCTIVITY = 0.6; /* W/(m K) */

double ooze_heat_conductivity(const OozeMaterial *material)
{
    const double *v = material->values;
    if (!isnan(v[OOZE_MATERIAL_DIFFUSIVITY])) {
        return v[OOZE_MATERIAL_DIFFUSIVITY] * v[OOZE_MATERIAL_DENSITY] *
               v[OOZE_MATERIAL_HEAT_CAPACITY];
    }
    return isnan(v[OOZE_MATERIAL_CONDUCTIVITY]) ? WATER_CONDUCTIVITY
                                                : v[OOZE_MATERIAL_CONDUCTIVITY];
}

double ooze_heat_capacity(const OozeMaterial *material, double spacing)
{
    const double *v = material->values;
    return v[OOZE_MATERIAL_DENSITY] * v[OOZE_MATERIAL_HEAT_CAPACITY] * spacing * spacing * spacing;
}

OozeHeatMaterial ooze_heat_material(const OozeMaterial *material, double spacing)
{
    double melting = material->values[OOZE_MATERIAL_MELTING];
    double freezing = material->values[OOZE_MATERIAL_FREEZING];
    return (OozeHeatMaterial){
        .conductivity = ooze_heat_conductivity(material),
        .capacity = ooze_heat_capacity(material, spacing),
        .melting = melting,
        .freezing = freezing <= melting ? freezing : melting,
    };
}

OozeHeatConstants ooze_heat_constants(double spacing, double support)
{
    OozeHeatConstants rule = {
        .spacing = spacing,
        .support = support,
        .scale = ooze_heat_scale(spacing, support),
        .area = ooze_heat_area_scale(spacing, support),
        .border = OOZE_HEAT_SURFACE * ooze_heat_half_space(0.5 * spacing, spacing, support),
    };
    for (int i = 0; i <= OOZE_HEAT_DISTANCES; i++) {
        rule.half_space[i] =
            ooze_heat_half_space(support * i / OOZE_HEAT_DISTANCES, spacing, support);
    }
    return rule;
}

/* ---- conductances --------------------------------------------------------------------------- */

/* Conductances of particle i to its neighbours, bitwise symmetric; returns their sum. */
static double find_conductances(OozeHeatWork *w, uint64_t i, double inward[3])
{
    const OozeStepContext *c = w->job->context;
    const OozePeriodic *p = &c->periodic;
    const OozeNeighbours *lists = c->fluid;
    const uint32_t *index = lists->index + lists->first[i];
    float *weight = w->weight + lists->first[i];
    float h = (float)c->support;
    OozeFloat4 a = w->x[i];
    double own = w->materials[w->material[i]].conductivity, sum = 0.0;
    for (uint32_t m = 0; m < lists->count[i]; m++) {
        OozeFloat4 b = w->x[index[m]];
        float dx = ooze_periodic_delta(b.x - a.x, p->length[0], p->inverse[0]);
        float dy = ooze_periodic_delta(b.y - a.y, p->length[1], p->inverse[1]);
        float dz = ooze_periodic_delta(b.z - a.z, p->length[2], p->inverse[2]);
        float kernel = ooze_viscosity_laplacian(sqrtf(dx * dx + dy * dy + dz * dz), h);
        double other = w->materials[w->material[index[m]]].conductivity;
        weight[m] = ooze_heat_conductance(w->job->rule, own, other, kernel);
        sum += (double)weight[m];
        if (inward) {
            inward[0] += (double)(kernel * dx);
            inward[1] += (double)(kernel * dy);
            inward[2] += (double)(kernel * dz);
        }
    }
    return sum;
}

static void conductance_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeHeatWork *w = context;
    double inward[OOZE_HEAT_GRAIN][3], sums[OOZE_HEAT_GRAIN], largest = 0.0;
    memset(inward, 0, sizeof inward);
    for (uint64_t i = begin; i < end; i++) {
        w->bath[i] = w->bath_heat[i] = 0.0;
        w->held[i] = 0;
        sums[i - begin] = find_conductances(w, i, w->open ? inward[i - begin] : NULL);
    }
    ooze_heat_exchange_solids(w, begin, end, w->open ? inward : NULL);
    if (w->open) {
        ooze_heat_exchange_surfaces(w, begin, end, inward);
    }
    ooze_heat_exchange_sources(w, begin, end);
    for (uint64_t i = begin; i < end; i++) {
        double rate = (sums[i - begin] + w->bath[i]) / w->materials[w->material[i]].capacity;
        largest = rate > largest ? rate : largest;
    }
    w->load[begin / OOZE_HEAT_GRAIN] = largest * w->job->context->dt;
}

static OozeStatus allocate(OozeHeatWork *w, OozeError *error)
{
    const OozeStepContext *c = w->job->context;
    size_t materials = (size_t)c->material_count;
    size_t entries = (size_t)c->fluid->first[w->n], chunks = w->n / OOZE_HEAT_GRAIN + 1;
    w->materials = ooze_arena_alloc(c->arena, materials, sizeof *w->materials);
    w->weight = ooze_arena_alloc(c->arena, entries, sizeof(float));
    w->bath = ooze_arena_alloc(c->arena, w->n, sizeof(double));
    w->bath_heat = ooze_arena_alloc(c->arena, w->n, sizeof(double));
    w->held = ooze_arena_alloc(c->arena, w->n, 1);
    w->load = ooze_arena_alloc(c->arena, chunks, sizeof(double));
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the heat stage", entries * sizeof(float));
    }
    for (size_t m = 0; m < materials; m++) {
        w->materials[m] = ooze_heat_material(&c->materials[m], c->spacing);
    }
    return OOZE_OK;
}

/* ---- stages --------------------------------------------------------------------------------- */

typedef struct Sweep {
    const OozeHeatWork *work;
    OozeHeatStage stage;
    const double *before, *earlier; /* temperatures Y_{j-1} and Y_{j-2} */
    double *next;
} Sweep;

static void sweep_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Sweep *s = context;
    const OozeHeatWork *w = s->work;
    const OozeNeighbours *lists = w->job->context->fluid;
    const double *t = s->before;
    double dt = w->job->context->dt;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t *index = lists->index + lists->first[i];
        const float *weight = w->weight + lists->first[i];
        double own = t[i], heat = w->bath_heat[i] - w->bath[i] * own;
        for (uint32_t m = 0; m < lists->count[i]; m++) {
            heat += (double)weight[m] * (t[index[m]] - own);
        }
        OozeHeatPast past = {own, s->earlier[i]};
        double next =
            ooze_heat_advance(s->stage, dt, past, heat, w->materials[w->material[i]].capacity);
        s->next[i] = w->held[i] ? own : next;
    }
}

static OozeStatus run_stages(OozeHeatWork *w, int stages, double **result, OozeError *error)
{
    const OozeStepContext *c = w->job->context;
    int arrays = stages > 1 ? 3 : 1;
    double *buffers[3];
    for (int k = 0; k < arrays; k++) {
        buffers[k] = ooze_arena_alloc(c->arena, ooze_halo_local(c->halo, w->n), sizeof(double));
    }
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the heat stage", w->n * sizeof(double));
    }
    ooze_halo_refresh(c->halo, w->job->temperature, sizeof *w->job->temperature);
    Sweep sweep = {.work = w, .before = w->job->temperature, .earlier = w->job->temperature};
    for (int j = 1; j <= stages; j++) {
        sweep.stage = ooze_heat_stage(j, stages);
        sweep.next = buffers[(j - 1) % arrays];
        ooze_parallel_for(c->threads, w->n, OOZE_HEAT_GRAIN, sweep_range, &sweep);
        ooze_halo_refresh(c->halo, sweep.next, sizeof *sweep.next);
        sweep.earlier = sweep.before;
        sweep.before = sweep.next;
    }
    *result = sweep.next;
    return OOZE_OK;
}

/* ---- phases --------------------------------------------------------------------------------- */

void ooze_heat_initial_phase(const OozeMaterial *materials, const uint16_t *material,
                             const double *temperature, uint8_t *phase, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++) {
        /* false where nothing melts */
        bool solid = temperature[i] < materials[material[i]].values[OOZE_MATERIAL_MELTING];
        phase[i] = solid ? OOZE_PHASE_SOLID : OOZE_PHASE_LIQUID;
    }
}

typedef struct EndJob {
    const OozeHeatWork *work;
    const double *result;
} EndJob;

static void end_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const EndJob *job = context;
    const OozeHeatWork *w = job->work;
    memcpy(w->job->temperature + begin, job->result + begin, (end - begin) * sizeof(double));
    uint8_t *phase = w->job->phase;
    for (uint64_t i = begin; phase && i < end; i++) {
        const OozeHeatMaterial *own = &w->materials[w->material[i]];
        if (!isnan(own->melting)) {
            phase[i] =
                (uint8_t)ooze_heat_phase(phase[i], job->result[i], own->melting, own->freezing);
        }
    }
}

OozeStatus ooze_heat_choose_stages(OozeHeatJob *job, double load, OozeError *error)
{
    job->stages = load < 0.4 * OOZE_HEAT_STAGES_MAX * OOZE_HEAT_STAGES_MAX
                      ? ooze_heat_stages(load)
                      : OOZE_HEAT_STAGES_MAX + 1;
    return job->stages <= OOZE_HEAT_STAGES_MAX
               ? OOZE_OK
               : ooze_fail(error, OOZE_ERROR_NUMERIC, "lower the conductivity or the time step",
                           "the time step is %.3g times the explicit limit of heat conduction",
                           load);
}

OozeStatus ooze_heat_step(OozeHeatJob *job, OozeError *error)
{
    const OozeStepContext *c = job->context;
    OozeHeatWork work = {
        .job = job,
        .n = ooze_particles_count(c->particles),
        .x = ooze_particles_positions(c->particles),
        .material = ooze_particles_materials(c->particles),
        .open = job->air_transfer > 0.0,
    };
    job->stages = 0;
    bool any = ooze_halo_all(c->halo, work.n) > 0;
    OozeStatus status = any ? allocate(&work, error) : OOZE_OK;
    if (!any || status) {
        return status;
    }
    ooze_halo_refresh(c->halo, ooze_particles_positions(c->particles), sizeof *work.x);
    ooze_parallel_for(c->threads, work.n, OOZE_HEAT_GRAIN, conductance_range, &work);
    double load = 0.0;
    for (uint64_t k = 0; k * OOZE_HEAT_GRAIN < work.n; k++) {
        load = fmax(load, work.load[k]);
    }
    ooze_halo_max(c->halo, &load, 1);
    status = ooze_heat_choose_stages(job, load, error);
    if (status) {
        return status;
    }
    EndJob end = {.work = &work};
    double *result = NULL;
    status = run_stages(&work, job->stages, &result, error);
    end.result = result;
    if (!status) {
        ooze_parallel_for(c->threads, work.n, OOZE_HEAT_GRAIN, end_range, &end);
    }
    return status;
}
