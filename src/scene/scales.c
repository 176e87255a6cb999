#include "scene/scales.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "physics/flow_numbers.h"
#include "solids/solid.h"

/* Spacing of the distance grids of meshes, in particle spacings: estimates need no more detail. */
static const double COARSE = 8.0;

/* A filled volume: lengths of its sides in the shape's frame, and its bounding box in the world. */
typedef struct Volume {
    int material; /* -1: ignored */
    OozeBodyKind body;
    double shortest, longest; /* sides, m */
    OozeVec3 min, max;
} Volume;

typedef struct Survey {
    OozeScene *scene;
    const OozeSceneDef *def;
    OozeSceneScale *scales;
    OozeSceneFastest fastest;
    OozeSceneExtreme *fluids, *emitters;
    Volume *volumes;
    OozeSolid *solids; /* solid_count of them could be created */
    int solid_count;
    double gravity;
    OozeVec3 down; /* unit, along gravity; 0: none */
} Survey;

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

/* Distance of the farthest corner of a box from the origin; periodic axes do not count, since
   positions are wrapped into the period. */
static double farthest_corner(const OozeSceneDef *def, OozeVec3 min, OozeVec3 max)
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double far = fmax(fabs(vec3_component(min, axis)), fabs(vec3_component(max, axis)));
        square += def->world.periodic[axis] ? 0.0 : far * far;
    }
    return sqrt(square);
}

/* Ignores all errors except lack of memory: building the world reports them. */
static void keep_memory_error(const Survey *s, const OozeError *error)
{
    s->scene->out_of_memory = s->scene->out_of_memory || error->status == OOZE_ERROR_MEMORY;
}

/* ---- speed ----------------------------------------------------------------------------------- */

static void update_fastest(Survey *s, double speed, const char *kind, const char *name)
{
    if (speed > s->fastest.speed) {
        s->fastest = (OozeSceneFastest){speed, kind, name};
    }
}

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

static void strike(Survey *s, int material, double speed, const char *from)
{
    OozeSceneScale *scale = &s->scales[material];
    if (speed > scale->scale.strike) {
        scale->scale.strike = speed;
        scale->strike_from = from;
    }
}

/* ---- falling --------------------------------------------------------------------------------- */

static double distance_to_solid(const OozeSolid *solid, OozeVec3 point)
{
    OozeVec3 normal;
    return ooze_solid_distance(solid, point, &normal);
}

static double distance_to_box(OozeVec3 p, const Volume *box)
{
    OozeVec3 d = vec3(fmax(fmax(box->min.x - p.x, p.x - box->max.x), 0.0),
                      fmax(fmax(box->min.y - p.y, p.y - box->max.y), 0.0),
                      fmax(fmax(box->min.z - p.z, p.z - box->max.z), 0.0));
    return vec3_length(d);
}

/* Distance of the fall from `point` to a solid or fluid but `excluded`, at most `max_distance`. */
static double fall(const Survey *s, OozeVec3 point, const Volume *excluded, double max_distance)
{
    enum { STEPS = 64, VOLUMES = 512 };
    double spacing = s->def->world.spacing, travel = 0.0;
    int volumes = s->def->fluid_count < VOLUMES ? s->def->fluid_count : VOLUMES;
    for (int step = 0; step < STEPS && travel < max_distance; step++) {
        OozeVec3 at = vec3_madd(point, travel, s->down);
        double room = INFINITY;
        for (int i = 0; i < s->solid_count; i++) {
            if (s->solids[i].params[OOZE_SOLID_COLLIDES] != 0.0) {
                room = fmin(room, distance_to_solid(&s->solids[i], at));
            }
        }
        for (int i = 0; i < volumes; i++) {
            if (&s->volumes[i] != excluded && s->volumes[i].material >= 0) {
                room = fmin(room, distance_to_box(at, &s->volumes[i]));
            }
        }
        if (room < spacing) {
            break;
        }
        travel += room;
    }
    return fmin(travel, max_distance);
}

/* ---- fluids ---------------------------------------------------------------------------------- */

static void place_box(const OozeShapeDef *shape, OozeBounds b, Volume *volume)
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

static void survey_volume(Survey *s, int index)
{
    const OozeSceneFluid *fluid = &s->def->fluids[index];
    Volume *volume = &s->volumes[index];
    volume->material = -1;
    OozeShape *shape = NULL;
    OozeError ignored = {0};
    if (ooze_shape_create(&fluid->def.shape, s->def->world.up, COARSE * s->def->world.spacing,
                          &shape, &ignored)) {
        keep_memory_error(s, &ignored);
        return;
    }
    OozeBounds b = ooze_shape_bounds(shape);
    ooze_shape_destroy(shape);
    OozeVec3 side = vec3_sub(b.max, b.min);
    if (!isfinite(vec3_length(side))) {
        return;
    }
    volume->material = ooze_scene_find_material(s->def, fluid->material);
    volume->body = fluid->def.body;
    volume->shortest = fmin(side.x, fmin(side.y, side.z));
    volume->longest = fmax(side.x, fmax(side.y, side.z));
    place_box(&fluid->def.shape, b, volume);
    double speed =
        vec3_length(fluid->def.velocity) +
        reach_of(b, 0.5 * s->def->world.spacing) * ooze_radians(vec3_length(fluid->def.spin));
    update_fastest(s, speed, "fluid", "the start");
    s->fluids[index] = (OozeSceneExtreme){farthest_corner(s->def, volume->min, volume->max), speed};
    if (volume->material >= 0 && volume->body != OOZE_BODY_RIGID) {
        strike(s, volume->material, speed,
               ooze_scene_format(s->scene, "thrown: fluid '%s'", fluid->def.name));
    }
}

/* Height along gravity; along `up` without gravity. */
static double height_of(const Survey *s, const Volume *volume)
{
    OozeVec3 side = vec3_sub(volume->max, volume->min);
    OozeVec3 along = s->gravity > 0.0 ? s->down : vec3_axis(s->def->world.up);
    return fabs(side.x * along.x) + fabs(side.y * along.y) + fabs(side.z * along.z);
}

static void scale_of_volume(Survey *s, int index)
{
    const Volume *volume = &s->volumes[index];
    const char *name = s->def->fluids[index].def.name;
    if (volume->material < 0 || volume->body == OOZE_BODY_RIGID) {
        return;
    }
    OozeSceneScale *entry = &s->scales[volume->material];
    OozeFlowScale *scale = &entry->scale;
    scale->soft = volume->body == OOZE_BODY_SOFT && (scale->soft || !scale->flows);
    scale->flows = true;
    if (volume->shortest > scale->length) {
        scale->length = volume->shortest;
        entry->length_from = ooze_scene_format(s->scene, "fluid '%s'", name);
    }
    double height = height_of(s, volume);
    scale->height = fmax(scale->height, height);
    scale->extent = fmax(scale->extent, volume->longest);
    if (s->gravity > 0.0) {
        double speed = vec3_length(s->def->fluids[index].def.velocity), t = scale->duration;
        OozeVec3 middle = vec3_scale(vec3_add(volume->min, volume->max), 0.5);
        OozeVec3 bottom = vec3_madd(middle, 0.5 * height, s->down);
        double travel = fall(s, bottom, volume, speed * t + 0.5 * s->gravity * t * t);
        if (travel > s->def->world.spacing) {
            strike(s, volume->material, ooze_fall_speed(s->gravity, travel, speed),
                   ooze_scene_format(s->scene, "fluid '%s' falls %.2g m", name, travel));
        }
    }
}

/* ---- emitters -------------------------------------------------------------------------------- */

/* Area of a nozzle's opening; an estimate for stars and shapes. */
static double nozzle_area(const OozeEmitterDef *def, double width)
{
    return def->outline == OOZE_OUTLINE_RECTANGLE ? def->size.x * def->size.y
                                                  : 0.25 * OOZE_PI * width * width;
}

/* Largest speed of an emitter, changes included, plus that of its nozzle's motion. */
static double emitter_speed(const Survey *s, int index)
{
    const OozeEmitterDef *def = &s->def->emitters[index].def;
    double speed = def->speed, moves = 0.0;
    for (int i = 0; i < s->def->change_count; i++) {
        const OozeChangeDef *change = &s->def->changes[i].def;
        if (change->target == OOZE_CHANGE_EMITTER && change->index == index) {
            speed = fmax(speed, change->value);
        }
    }
    OozeMotion motion;
    OozeError ignored = {0};
    if (!ooze_motion_create(&motion, &def->motion, def->position, quat_identity(), &ignored)) {
        moves = motion_speed(&motion, s->def->duration, 0.0);
        ooze_motion_free(&motion);
    }
    keep_memory_error(s, &ignored);
    return speed + moves;
}

/* Length of a jet: to the nearest solid, or as emitted within the duration. */
static double jet_length(const Survey *s, const OozeEmitterDef *def)
{
    double reach = def->speed * s->def->duration;
    for (int i = 0; i < s->solid_count; i++) {
        reach = fmin(reach, fabs(distance_to_solid(&s->solids[i], def->position)));
    }
    return reach;
}

static void scale_of_emitter(Survey *s, int index)
{
    const OozeEmitterDef *def = &s->def->emitters[index].def;
    int material = ooze_scene_find_material(s->def, s->def->emitters[index].material);
    double open = fmin(def->stop, s->def->duration) - fmax(def->start, 0.0);
    double speed = emitter_speed(s, index), width = ooze_nozzle_width(def);
    update_fastest(s, speed, "emitter", def->name);
    s->emitters[index] =
        (OozeSceneExtreme){farthest_corner(s->def, def->position, def->position), speed};
    if (material < 0 || !(open > 0.0)) {
        return;
    }
    double spacing = s->def->world.spacing;
    width = isnan(width) ? vec3_length(def->shape.size) / sqrt(3.0) : width;
    OozeSceneScale *entry = &s->scales[material];
    OozeFlowScale *scale = &entry->scale;
    scale->flows = true;
    scale->soft = false;
    if (width > scale->length) {
        scale->length = width;
        entry->length_from = ooze_scene_format(s->scene, "nozzle '%s'", def->name);
    }
    double poured = nozzle_area(def, width) * def->speed * open;
    if (def->limit > 0) {
        poured = fmin(poured, (double)def->limit * spacing * spacing * spacing);
    }
    double jet = jet_length(s, def), heap = cbrt(poured), t = s->def->duration;
    double travel =
        s->gravity > 0.0 ? fall(s, def->position, NULL, speed * t + 0.5 * s->gravity * t * t) : 0.0;
    /* emitted fluid is taken as a cubic heap, not higher than the nozzle */
    scale->height = fmax(scale->height, travel > spacing ? fmin(heap, travel) : heap);
    scale->extent = fmax(scale->extent, jet);
    travel = travel > spacing ? travel : 0.0;
    if (ooze_fall_speed(s->gravity, travel, speed) >
        ooze_fall_speed(s->gravity, scale->drop, scale->pour)) {
        scale->drop = travel;
        scale->pour = speed;
        entry->pour_from =
            travel > 0.0
                ? ooze_scene_format(s->scene, "falls %.2g m from nozzle '%s'", travel, def->name)
                : ooze_scene_format(s->scene, "nozzle '%s'", def->name);
    }
}

/* ---- survey ---------------------------------------------------------------------------------- */

static void survey_solids(Survey *s)
{
    OozeError ignored = {0};
    for (int i = 0; i < s->def->solid_count; i++) {
        OozeSolid *solid = &s->solids[s->solid_count];
        if (ooze_solid_create(solid, &s->def->solids[i], s->def->world.up,
                              COARSE * s->def->world.spacing, NULL, &ignored)) {
            keep_memory_error(s, &ignored);
            continue;
        }
        s->solid_count++;
        if (!s->def->solids[i].collides && !s->def->solids[i].sampled) {
            continue; /* it is only drawn */
        }
        OozeBounds bounds = ooze_shape_bounds(solid->shape);
        double speed = motion_speed(&solid->motion, s->def->duration, reach_of(bounds, 0.0));
        const char *name = s->def->solids[i].name;
        update_fastest(s, speed, "solid", name);
        for (int m = 0; m < s->def->material_count && speed > 0.0; m++) {
            strike(s, m, speed, ooze_scene_format(s->scene, "stirred: solid '%s'", name));
        }
    }
}

static void survey(Survey *s)
{
    for (int m = 0; m < s->def->material_count; m++) {
        s->scales[m] = (OozeSceneScale){.scale = {.duration = s->def->duration},
                                        .length_from = "",
                                        .strike_from = "",
                                        .pour_from = ""};
    }
    for (int i = 0; i < s->def->fluid_count; i++) {
        survey_volume(s, i);
    }
    survey_solids(s);
    for (int i = 0; i < s->def->fluid_count; i++) {
        scale_of_volume(s, i);
    }
    for (int i = 0; i < s->def->emitter_count; i++) {
        scale_of_emitter(s, i);
    }
    for (int i = 0; i < s->solid_count; i++) {
        ooze_solid_free(&s->solids[i]);
    }
}

const OozeSceneScales *ooze_scene_scales(OozeScene *scene)
{
    const OozeSceneDef *def = &scene->def;
    if (scene->scales) {
        return scene->scales;
    }
    double g = vec3_length(def->world.gravity);
    Survey s = {
        .scene = scene,
        .def = def,
        .scales = ooze_scene_alloc(scene, (size_t)def->material_count, sizeof *s.scales),
        .fluids = ooze_scene_alloc(scene, (size_t)def->fluid_count, sizeof *s.fluids),
        .emitters = ooze_scene_alloc(scene, (size_t)def->emitter_count, sizeof *s.emitters),
        .volumes = ooze_scene_alloc(scene, (size_t)def->fluid_count, sizeof *s.volumes),
        .solids = ooze_scene_alloc(scene, (size_t)def->solid_count, sizeof *s.solids),
        .gravity = g,
        .down = g > 0.0 ? vec3_scale(def->world.gravity, 1.0 / g) : vec3(0, 0, 0),
        .fastest = {0.0, "fluid", "the start"},
    };
    OozeSceneScales *scales = ooze_scene_alloc(scene, 1, sizeof *scales);
    if (!s.scales || !s.fluids || !s.emitters || !s.volumes || !s.solids || !scales) {
        return NULL;
    }
    survey(&s);
    *scales = (OozeSceneScales){s.scales, s.fastest, s.fluids, s.emitters};
    scene->scales = scene->out_of_memory ? NULL : scales;
    return scene->scales;
}
