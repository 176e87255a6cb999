/* Exchange with solids, the air and sources. */
#include <math.h>

#include "base/vec3.h"
#include "heat/work.h"
#include "physics/heat.h"

/* Particles tested together for their distance from a solid: consecutive ones are near each other.
   */
enum { GROUP = 8 };

static OozeVec3 position_of(const OozeHeatWork *w, uint64_t i)
{
    return vec3((double)w->x[i].x, (double)w->x[i].y, (double)w->x[i].z);
}

/* ---- solids --------------------------------------------------------------------------------- */

static double half_space(const OozeHeatWork *w, double distance)
{
    double at = distance / w->job->context->support * OOZE_HEAT_DISTANCES;
    int low = (int)at;
    if (low >= OOZE_HEAT_DISTANCES) {
        return 0.0;
    }
    const double *table = w->job->rule->half_space + low;
    return table[0] + (at - low) * (table[1] - table[0]);
}

static void exchange_with_solid(OozeHeatWork *w, const OozeSolid *solid, uint64_t i,
                                double inward[3])
{
    const OozeStepContext *c = w->job->context;
    OozeVec3 normal;
    double distance = ooze_solid_distance(solid, position_of(w, i), &normal);
    if (!(distance < c->support)) {
        return;
    }
    distance = fmax(distance, OOZE_HEAT_NEAREST * c->spacing);
    double gap = half_space(w, distance), temperature = solid->params[OOZE_SOLID_TEMPERATURE];
    if (!isnan(temperature)) {
        double k = w->conductivity[w->material[i]], other = solid->params[OOZE_SOLID_CONDUCTIVITY];
        k = isnan(other) ? k : ooze_harmonic_mean(k, other);
        double conductance = w->job->rule->scale * k * gap / distance;
        w->bath[i] += conductance;
        w->bath_heat[i] += conductance * temperature;
    }
    if (inward && solid->params[OOZE_SOLID_COLLIDES] != 0.0) {
        inward[0] -= gap * normal.x;
        inward[1] -= gap * normal.y;
        inward[2] -= gap * normal.z;
    }
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

void ooze_heat_exchange_air(OozeHeatWork *w, uint64_t begin, uint64_t end, double (*inward)[3])
{
    const OozeHeatJob *job = w->job;
    for (uint64_t i = begin; i < end; i++) {
        const double *s = inward[i - begin];
        double size = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        if (size > job->rule->border) {
            double conductance = job->air_transfer * job->rule->area * size;
            w->bath[i] += conductance;
            w->bath_heat[i] += conductance * job->air_temperature;
        }
    }
}

/* ---- sources -------------------------------------------------------------------------------- */

static bool is_inside(const OozeHeatSource *source, const OozeBounds *bounds, OozeVec3 x)
{
    OozeVec3 p = ooze_pose_to_local(&source->pose, x), normal;
    bool within = p.x >= bounds->min.x && p.x <= bounds->max.x && p.y >= bounds->min.y &&
                  p.y <= bounds->max.y && p.z >= bounds->min.z && p.z <= bounds->max.z;
    return within ? ooze_shape_distance(source->shape, p, &normal) < 0.0
                  : ooze_shape_inverted(source->shape);
}

static void exchange_with_source(OozeHeatWork *w, const OozeHeatSource *source, uint64_t begin,
                                 uint64_t end)
{
    const OozeStepContext *c = w->job->context;
    double from = fmax(c->time, source->start), to = fmin(c->time + c->dt, source->stop);
    if (!(to > from)) {
        return;
    }
    OozeBounds bounds = ooze_shape_bounds(source->shape);
    double volume = c->spacing * c->spacing * c->spacing;
    double power = source->power * volume * (to - from) / c->dt;
    for (uint64_t i = begin; i < end; i++) {
        if (!is_inside(source, &bounds, position_of(w, i))) {
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
