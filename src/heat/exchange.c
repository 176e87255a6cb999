/* Exchange with solids, the air and sources. */
#include <math.h>

#include "heat/heat_formula.h"
#include "heat/work.h"
#include "solids/shape_formula.h"

/* Particles tested together for their distance from a solid: consecutive ones are near each other.
   */
enum { GROUP = 8 };

static OozeVec3 position_of(const OozeHeatWork *w, uint64_t i)
{
    return vec3((double)w->x[i].x, (double)w->x[i].y, (double)w->x[i].z);
}

/* ---- solids --------------------------------------------------------------------------------- */

OozeHeatWall ooze_heat_wall(const OozeSolid *solid)
{
    return (OozeHeatWall){
        .temperature = solid->params[OOZE_SOLID_TEMPERATURE],
        .conductivity = solid->params[OOZE_SOLID_CONDUCTIVITY],
        .collides = solid->params[OOZE_SOLID_COLLIDES] != 0.0,
    };
}

static OozeHeatExchange load_exchange(const OozeHeatWork *w, uint64_t i, const double *inward)
{
    OozeHeatExchange exchange = {.bath = w->bath[i], .heat = w->bath_heat[i]};
    for (int k = 0; inward && k < 3; k++) {
        exchange.inward[k] = inward[k];
    }
    return exchange;
}

static void store_exchange(OozeHeatWork *w, uint64_t i, double *inward,
                           const OozeHeatExchange *exchange)
{
    w->bath[i] = exchange->bath;
    w->bath_heat[i] = exchange->heat;
    for (int k = 0; inward && k < 3; k++) {
        inward[k] = exchange->inward[k];
    }
}

static void exchange_with_solid(OozeHeatWork *w, const OozeSolid *solid, uint64_t i,
                                double inward[3])
{
    OozeVec3 normal;
    OozeHeatWall wall = ooze_heat_wall(solid);
    OozeHeatExchange exchange = load_exchange(w, i, inward);
    double distance = ooze_solid_distance(solid, position_of(w, i), &normal);
    ooze_heat_exchange_solid(w->job->rule, &wall, w->materials[w->material[i]].conductivity,
                             distance, normal, &exchange);
    store_exchange(w, i, inward, &exchange);
}

/* Whether any of these particles may be within a support of the solid: the distance is 1-Lipschitz,
   and the error of distance grids is less than a spacing. */
static bool is_near(const OozeHeatWork *w, const OozeSolid *solid, uint64_t begin, uint64_t end)
{
    OozeVec3 centre = position_of(w, begin), normal;
    double reach = w->job->context->support + w->job->context->spacing, radius = 0.0;
    for (uint64_t i = begin + 1; i < end; i++) {
        double away = vec3_length(vec3_sub(position_of(w, i), centre));
        radius = away > radius ? away : radius;
    }
    return ooze_solid_distance(solid, centre, &normal) < reach + radius;
}

void ooze_heat_exchange_solids(OozeHeatWork *w, uint64_t begin, uint64_t end, double (*inward)[3])
{
    const OozeStepContext *c = w->job->context;
    for (int k = 0; k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        bool warm = !isnan(solid->params[OOZE_SOLID_TEMPERATURE]);
        for (uint64_t i = begin; (warm || inward) && i < end; i += GROUP) {
            uint64_t last = i + GROUP < end ? i + GROUP : end;
            bool near = is_near(w, solid, i, last);
            for (uint64_t j = i; near && j < last; j++) {
                exchange_with_solid(w, solid, j, inward ? inward[j - begin] : NULL);
            }
        }
    }
}

/* ---- air ------------------------------------------------------------------------------------ */

void ooze_heat_exchange_surfaces(OozeHeatWork *w, uint64_t begin, uint64_t end, double (*inward)[3])
{
    const OozeHeatJob *job = w->job;
    for (uint64_t i = begin; i < end; i++) {
        OozeHeatExchange exchange = load_exchange(w, i, inward[i - begin]);
        ooze_heat_exchange_air(job->rule, job->air_transfer, job->air_temperature, &exchange);
        store_exchange(w, i, inward[i - begin], &exchange);
    }
}

/* ---- sources -------------------------------------------------------------------------------- */

double ooze_heat_source_time(const OozeHeatSource *source, const OozeStepContext *c)
{
    double from = fmax(c->time, source->start), to = fmin(c->time + c->dt, source->stop);
    return to > from ? to - from : 0.0;
}

double ooze_heat_source_power(const OozeHeatSource *source, const OozeStepContext *c,
                              double seconds)
{
    double volume = c->spacing * c->spacing * c->spacing;
    return source->power * volume * seconds / c->dt;
}

static void exchange_with_source(OozeHeatWork *w, const OozeHeatSource *source, uint64_t begin,
                                 uint64_t end)
{
    const OozeStepContext *c = w->job->context;
    double seconds = ooze_heat_source_time(source, c);
    if (!(seconds > 0.0)) {
        return;
    }
    OozeBounds bounds = ooze_shape_bounds(source->shape);
    double power = ooze_heat_source_power(source, c, seconds);
    for (uint64_t i = begin; i < end; i++) {
        if (!ooze_placed_contains(source->shape, &source->pose, &bounds, position_of(w, i))) {
            continue;
        }
        if (isnan(source->temperature)) {
            w->bath_heat[i] += power;
        } else {
            w->job->temperature[i] = source->temperature;
            w->held[i] = 1;
        }
    }
}

void ooze_heat_exchange_sources(OozeHeatWork *w, uint64_t begin, uint64_t end)
{
    for (int k = 0; k < w->job->source_count; k++) {
        exchange_with_source(w, &w->job->sources[k], begin, end);
    }
}
