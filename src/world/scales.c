#include "world/scales.h"

#include <math.h>

#include "base/vec3.h"
#include "physics/flow_numbers.h"

typedef struct Survey {
    const OozeScaleItems *items;
    OozeScale *scales;
    int material_count;
    double gravity;
    OozeVec3 down; /* unit, along gravity; 0: none */
} Survey;

/* ---- speed ----------------------------------------------------------------------------------- */

/* Fastest point of a moving body within `reach` of its position, over the whole run. */
static double motion_speed(const OozeMotion *motion, double duration, double reach)
{
    enum { SAMPLES = 256 };
    double fastest = 0.0;
    if (ooze_motion_is_still(motion)) {
        return 0.0;
    }
    for (int i = 0; i <= SAMPLES; i++) {
        OozePose pose = ooze_motion_pose(motion, duration * i / SAMPLES);
        double speed = vec3_length(pose.velocity) + reach * vec3_length(pose.spin);
        fastest = fmax(fastest, speed);
    }
    return fastest;
}

/* Largest distance of a point of the shape from its position, after moving its bounds inwards by
   `inset`. */
static double reach_of(OozeBounds bounds, double inset)
{
    OozeVec3 far = vec3(fmax(-bounds.min.x, bounds.max.x), fmax(-bounds.min.y, bounds.max.y),
                        fmax(-bounds.min.z, bounds.max.z));
    far = vec3(fmax(far.x - inset, 0.0), fmax(far.y - inset, 0.0), fmax(far.z - inset, 0.0));
    double reach = vec3_length(far);
    return isfinite(reach) ? reach : 0.0;
}

double ooze_scale_solid_speed(const OozeSolid *solid, double duration)
{
    return motion_speed(&solid->motion, duration, reach_of(ooze_shape_bounds(solid->shape), 0.0));
}

double ooze_scale_nozzle_speed(const OozeScaleNozzle *nozzle, double duration)
{
    double moves = nozzle->motion ? motion_speed(nozzle->motion, duration, 0.0) : 0.0;
    return fmax(nozzle->speed, nozzle->changed) + moves;
}

static void strike(Survey *s, int material, double speed, OozeScaleOrigin from)
{
    OozeScale *scale = &s->scales[material];
    if (speed > scale->scale.strike) {
        scale->scale.strike = speed;
        scale->strike = from;
    }
}

/* ---- falling --------------------------------------------------------------------------------- */

static double distance_to_solid(const OozeSolid *solid, OozeVec3 point)
{
    OozeVec3 normal;
    return ooze_solid_distance(solid, point, &normal);
}

static double distance_to_box(OozeVec3 p, const OozeScaleVolume *box)
{
    OozeVec3 d = vec3(fmax(fmax(box->min.x - p.x, p.x - box->max.x), 0.0),
                      fmax(fmax(box->min.y - p.y, p.y - box->max.y), 0.0),
                      fmax(fmax(box->min.z - p.z, p.z - box->max.z), 0.0));
    return vec3_length(d);
}

/* Distance of the fall from `point` to a solid or fluid but `excluded`, at most `max_distance`. */
static double fall(const Survey *s, OozeVec3 point, const OozeScaleVolume *excluded,
                   double max_distance)
{
    enum { STEPS = 64, VOLUMES = 512 };
    const OozeScaleItems *items = s->items;
    double travel = 0.0;
    int volumes = items->volume_count < VOLUMES ? items->volume_count : VOLUMES;
    for (int step = 0; step < STEPS && travel < max_distance; step++) {
        OozeVec3 at = vec3_madd(point, travel, s->down);
        double room = INFINITY;
        for (int i = 0; i < items->solid_count; i++) {
            if (items->solids[i].params[OOZE_SOLID_COLLIDES] != 0.0) {
                room = fmin(room, distance_to_solid(&items->solids[i], at));
            }
        }
        for (int i = 0; i < volumes; i++) {
            if (&items->volumes[i] != excluded && items->volumes[i].material >= 0) {
                room = fmin(room, distance_to_box(at, &items->volumes[i]));
            }
        }
        if (room < items->spacing) {
            break;
        }
        travel += room;
    }
    return fmin(travel, max_distance);
}

/* ---- volumes --------------------------------------------------------------------------------- */

static void place_box(const OozeShapeDef *shape, OozeBounds b, OozeScaleVolume *volume)
{
    volume->min = vec3(INFINITY, INFINITY, INFINITY);
    volume->max = vec3(-INFINITY, -INFINITY, -INFINITY);
    for (int corner = 0; corner < 8; corner++) {
        OozeVec3 local = vec3(corner & 1 ? b.max.x : b.min.x, corner & 2 ? b.max.y : b.min.y,
                              corner & 4 ? b.max.z : b.min.z);
        OozeVec3 p = vec3_add(shape->position, quat_rotate(shape->rotation, local));
        volume->min =
            vec3(fmin(volume->min.x, p.x), fmin(volume->min.y, p.y), fmin(volume->min.z, p.z));
        volume->max =
            vec3(fmax(volume->max.x, p.x), fmax(volume->max.y, p.y), fmax(volume->max.z, p.z));
    }
}

OozeScaleVolume ooze_scale_volume(const OozeFluidDef *def, const OozeShape *shape, double spacing)
{
    OozeBounds b = ooze_shape_bounds(shape);
    OozeVec3 side = vec3_sub(b.max, b.min);
    OozeScaleVolume volume = {.material = -1, .body = def->body, .temperature = def->temperature};
    if (!isfinite(vec3_length(side))) {
        return volume;
    }
    volume.material = def->material.index;
    volume.shortest = fmin(side.x, fmin(side.y, side.z));
    volume.longest = fmax(side.x, fmax(side.y, side.z));
    place_box(&def->shape, b, &volume);
    volume.velocity = vec3_length(def->velocity);
    volume.fastest =
        volume.velocity + reach_of(b, 0.5 * spacing) * ooze_radians(vec3_length(def->spin));
    return volume;
}

/* Height along gravity; along `up` without gravity. */
static double height_of(const Survey *s, const OozeScaleVolume *volume)
{
    OozeVec3 side = vec3_sub(volume->max, volume->min);
    OozeVec3 along = s->gravity > 0.0 ? s->down : vec3_axis(s->items->up);
    return fabs(side.x * along.x) + fabs(side.y * along.y) + fabs(side.z * along.z);
}

static bool is_fluid(const OozeScaleVolume *volume)
{
    return volume->material >= 0 && volume->body != OOZE_BODY_RIGID;
}

static void scale_of_volume(Survey *s, int index)
{
    const OozeScaleVolume *volume = &s->items->volumes[index];
    if (!is_fluid(volume)) {
        return;
    }
    OozeScale *entry = &s->scales[volume->material];
    OozeFlowScale *scale = &entry->scale;
    scale->soft = volume->body == OOZE_BODY_SOFT && (scale->soft || !scale->flows);
    scale->flows = true;
    if (volume->shortest > scale->length) {
        scale->length = volume->shortest;
        entry->length = (OozeScaleOrigin){OOZE_SCALE_VOLUME, index, 0.0};
    }
    double height = height_of(s, volume);
    scale->height = fmax(scale->height, height);
    scale->extent = fmax(scale->extent, volume->longest);
    if (s->gravity > 0.0) {
        double speed = volume->velocity, t = scale->duration;
        OozeVec3 middle = vec3_scale(vec3_add(volume->min, volume->max), 0.5);
        OozeVec3 bottom = vec3_madd(middle, 0.5 * height, s->down);
        double travel = fall(s, bottom, volume, speed * t + 0.5 * s->gravity * t * t);
        if (travel > s->items->spacing) {
            strike(s, volume->material, ooze_fall_speed(s->gravity, travel, speed),
                   (OozeScaleOrigin){OOZE_SCALE_FALL, index, travel});
        }
    }
}

/* ---- nozzles --------------------------------------------------------------------------------- */

double ooze_nozzle_width(const OozeEmitterDef *def)
{
    switch (def->outline) {
    case OOZE_OUTLINE_DISC:
        return 2.0 * def->radius;
    case OOZE_OUTLINE_RECTANGLE:
        return fmin(def->size.x, def->size.y);
    case OOZE_OUTLINE_STAR:
        return 2.0 * def->inner_radius;
    default:
        return NAN;
    }
}

OozeScaleNozzle ooze_scale_nozzle(const OozeEmitterDef *def, const OozeMotion *motion)
{
    double width = ooze_nozzle_width(def);
    width = isnan(width) ? vec3_length(def->shape.size) / sqrt(3.0) : width;
    return (OozeScaleNozzle){
        .material = def->material.index,
        .width = width,
        .area = def->outline == OOZE_OUTLINE_RECTANGLE ? def->size.x * def->size.y
                                                       : 0.25 * OOZE_PI * width * width,
        .start = def->start,
        .stop = def->stop,
        .limit = def->limit,
        .position = def->position,
        .speed = def->speed,
        .motion = motion,
    };
}

/* Length of a jet: to the nearest solid, or as emitted within the duration. */
static double jet_length(const Survey *s, const OozeScaleNozzle *nozzle)
{
    double reach = nozzle->speed * s->items->duration;
    for (int i = 0; i < s->items->solid_count; i++) {
        reach = fmin(reach, fabs(distance_to_solid(&s->items->solids[i], nozzle->position)));
    }
    return reach;
}

static void scale_of_nozzle(Survey *s, int index)
{
    const OozeScaleNozzle *nozzle = &s->items->nozzles[index];
    double t = s->items->duration, spacing = s->items->spacing, width = nozzle->width;
    double open = fmin(nozzle->stop, t) - fmax(nozzle->start, 0.0);
    double speed = ooze_scale_nozzle_speed(nozzle, t);
    if (nozzle->material < 0 || !(open > 0.0)) {
        return;
    }
    OozeScale *entry = &s->scales[nozzle->material];
    OozeFlowScale *scale = &entry->scale;
    scale->flows = true;
    scale->soft = false;
    if (width > scale->length) {
        scale->length = width;
        entry->length = (OozeScaleOrigin){OOZE_SCALE_NOZZLE, index, 0.0};
    }
    double poured = nozzle->area * nozzle->speed * open;
    if (nozzle->limit > 0) {
        poured = fmin(poured, (double)nozzle->limit * spacing * spacing * spacing);
    }
    double jet = jet_length(s, nozzle), heap = cbrt(poured);
    double travel = s->gravity > 0.0
                        ? fall(s, nozzle->position, NULL, speed * t + 0.5 * s->gravity * t * t)
                        : 0.0;
    /* emitted fluid is taken as a cubic heap, not higher than the nozzle */
    scale->height = fmax(scale->height, travel > spacing ? fmin(heap, travel) : heap);
    scale->extent = fmax(scale->extent, jet);
    travel = travel > spacing ? travel : 0.0;
    if (ooze_fall_speed(s->gravity, travel, speed) >
        ooze_fall_speed(s->gravity, scale->drop, scale->pour)) {
        scale->drop = travel;
        scale->pour = speed;
        entry->pour = (OozeScaleOrigin){OOZE_SCALE_NOZZLE, index, travel};
    }
}

/* ---- survey ---------------------------------------------------------------------------------- */

static void survey_solids(Survey *s)
{
    for (int i = 0; i < s->items->solid_count; i++) {
        const OozeSolid *solid = &s->items->solids[i];
        if (solid->params[OOZE_SOLID_COLLIDES] == 0.0 && !solid->sampled) {
            continue; /* it is only drawn */
        }
        double speed = ooze_scale_solid_speed(solid, s->items->duration);
        for (int m = 0; m < s->material_count && speed > 0.0; m++) {
            strike(s, m, speed, (OozeScaleOrigin){OOZE_SCALE_SOLID, i, 0.0});
        }
    }
}

void ooze_scales(const OozeScaleItems *items, OozeScale *scales, int material_count)
{
    double g = vec3_length(items->gravity);
    Survey s = {
        .items = items,
        .scales = scales,
        .material_count = material_count,
        .gravity = g,
        .down = g > 0.0 ? vec3_scale(items->gravity, 1.0 / g) : vec3(0, 0, 0),
    };
    for (int m = 0; m < material_count; m++) {
        scales[m] = (OozeScale){.scale = {.duration = items->duration}};
    }
    for (int i = 0; i < items->volume_count; i++) {
        if (is_fluid(&items->volumes[i])) {
            strike(&s, items->volumes[i].material, items->volumes[i].fastest,
                   (OozeScaleOrigin){OOZE_SCALE_VOLUME, i, 0.0});
        }
    }
    survey_solids(&s);
    for (int i = 0; i < items->volume_count; i++) {
        scale_of_volume(&s, i);
    }
    for (int i = 0; i < items->nozzle_count; i++) {
        scale_of_nozzle(&s, i);
    }
}
