#include "scene/scales.h"

#include <math.h>

#include "base/vec3.h"

/* Spacing of the distance grids of meshes, in particle spacings: estimates need no more detail. */
static const double COARSE = 8.0;

typedef struct Survey {
    OozeScene *scene;
    const OozeSceneDef *def;
    OozeSceneScales *scales;
    OozeScale *found;
    OozeScaleVolume *volumes;
    OozeScaleNozzle *nozzles;
    OozeMotion *motions; /* of nozzles */
    OozeSolid *solids;   /* solid_count of them could be created */
    int solid_count;
    OozeThreads *threads; /* for meshes; NULL: the calling thread */
} Survey;

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

static void update_fastest(Survey *s, double speed, const char *kind, const char *name)
{
    if (speed > s->scales->fastest.speed) {
        s->scales->fastest = (OozeSceneFastest){speed, kind, name};
    }
}

/* ---- items ----------------------------------------------------------------------------------- */

static void survey_volume(Survey *s, int index)
{
    OozeFluidDef def = s->def->fluids[index].def;
    OozeScaleVolume *volume = &s->volumes[index];
    volume->material = -1;
    OozeShape *shape = NULL;
    OozeError ignored = {0};
    if (ooze_shape_create_with(&def.shape, s->def->world.up, COARSE * s->def->world.spacing,
                               s->threads, &shape, &ignored)) {
        keep_memory_error(s, &ignored);
        return;
    }
    def.material.index = ooze_scene_find_material(s->def, s->def->fluids[index].material);
    *volume = ooze_scale_volume(&def, shape, s->def->world.spacing);
    ooze_shape_destroy(shape);
    update_fastest(s, volume->fastest, "fluid", "the start");
    s->scales->fluids[index] =
        (OozeSceneExtreme){farthest_corner(s->def, volume->min, volume->max), volume->fastest};
}

static void survey_solids(Survey *s)
{
    OozeError ignored = {0};
    for (int i = 0; i < s->def->solid_count; i++) {
        const OozeSolidDef *def = &s->def->solids[i];
        OozeSolid *solid = &s->solids[s->solid_count];
        if (ooze_solid_create(solid, def, s->def->world.up, COARSE * s->def->world.spacing,
                              s->threads, &ignored)) {
            keep_memory_error(s, &ignored);
            continue;
        }
        s->solid_count++;
        if (def->collides || def->sampled) { /* else it is only drawn */
            update_fastest(s, ooze_scale_solid_speed(solid, s->def->duration), "solid", def->name);
        }
    }
}

static void survey_nozzle(Survey *s, int index)
{
    OozeEmitterDef def = s->def->emitters[index].def;
    OozeScaleNozzle *nozzle = &s->nozzles[index];
    OozeMotion *motion = &s->motions[index];
    OozeError ignored = {0};
    bool moves = !ooze_motion_create(motion, &def.motion, def.position, quat_identity(), &ignored);
    keep_memory_error(s, &ignored);
    def.material.index = ooze_scene_find_material(s->def, s->def->emitters[index].material);
    *nozzle = ooze_scale_nozzle(&def, moves ? motion : NULL);
    for (int i = 0; i < s->def->change_count; i++) {
        const OozeChangeDef *change = &s->def->changes[i].def;
        if (change->target == OOZE_CHANGE_EMITTER && change->index == index) {
            nozzle->changed = fmax(nozzle->changed, change->value);
        }
    }
    double speed = ooze_scale_nozzle_speed(nozzle, s->def->duration);
    update_fastest(s, speed, "emitter", def.name);
    s->scales->emitters[index] =
        (OozeSceneExtreme){farthest_corner(s->def, def.position, def.position), speed};
}

/* ---- messages -------------------------------------------------------------------------------- */

static const char *describe(const Survey *s, OozeScaleOrigin from)
{
    const OozeSceneDef *def = s->def;
    switch (from.cause) {
    case OOZE_SCALE_VOLUME:
        return ooze_scene_format(s->scene, "fluid '%s'", def->fluids[from.index].def.name);
    case OOZE_SCALE_FALL:
        return ooze_scene_format(s->scene, "fluid '%s' falls %.2g m",
                                 def->fluids[from.index].def.name, from.travel);
    case OOZE_SCALE_SOLID:
        return ooze_scene_format(s->scene, "stirred: solid '%s'", s->solids[from.index].name);
    case OOZE_SCALE_NOZZLE:
        return from.travel > 0.0
                   ? ooze_scene_format(s->scene, "falls %.2g m from nozzle '%s'", from.travel,
                                       def->emitters[from.index].def.name)
                   : ooze_scene_format(s->scene, "nozzle '%s'", def->emitters[from.index].def.name);
    default:
        return "";
    }
}

static void describe_scales(Survey *s)
{
    for (int m = 0; m < s->def->material_count; m++) {
        const OozeScale *found = &s->found[m];
        bool thrown = found->strike.cause == OOZE_SCALE_VOLUME;
        const char *strike = describe(s, found->strike);
        s->scales->materials[m] = (OozeSceneScale){
            .scale = found->scale,
            .length_from = describe(s, found->length),
            .strike_from = thrown ? ooze_scene_format(s->scene, "thrown: %s", strike) : strike,
            .pour_from = describe(s, found->pour),
        };
    }
}

/* ---- survey ---------------------------------------------------------------------------------- */

static void survey(Survey *s)
{
    const OozeSceneDef *def = s->def;
    for (int i = 0; i < def->fluid_count; i++) {
        survey_volume(s, i);
    }
    survey_solids(s);
    for (int i = 0; i < def->emitter_count; i++) {
        survey_nozzle(s, i);
    }
    const OozeScaleItems items = {
        .gravity = def->world.gravity,
        .up = def->world.up,
        .spacing = def->world.spacing,
        .duration = def->duration,
        .volumes = s->volumes,
        .nozzles = s->nozzles,
        .solids = s->solids,
        .volume_count = def->fluid_count,
        .nozzle_count = def->emitter_count,
        .solid_count = s->solid_count,
    };
    ooze_scales(&items, s->found, def->material_count);
    describe_scales(s);
    for (int i = 0; i < s->solid_count; i++) {
        ooze_solid_free(&s->solids[i]);
    }
    for (int i = 0; i < def->emitter_count; i++) {
        if (s->nozzles[i].motion) {
            ooze_motion_free(&s->motions[i]);
        }
    }
}

/* Distance grids of meshes take tenths of a second of one thread. Without memory for more threads
   one makes them. */
static OozeThreads *create_threads(const OozeSceneDef *def)
{
    OozeThreads *threads = NULL;
    bool meshes = false;
    for (int i = 0; i < def->fluid_count; i++) {
        meshes = meshes || def->fluids[i].def.shape.kind == OOZE_SHAPE_MESH;
    }
    for (int i = 0; i < def->solid_count; i++) {
        meshes = meshes || def->solids[i].shape.kind == OOZE_SHAPE_MESH;
    }
    return meshes && !ooze_threads_create(0, &threads, NULL) ? threads : NULL;
}

const OozeSceneScales *ooze_scene_scales(OozeScene *scene)
{
    const OozeSceneDef *def = &scene->def;
    if (scene->scales) {
        return scene->scales;
    }
    size_t materials = (size_t)def->material_count, fluids = (size_t)def->fluid_count,
           emitters = (size_t)def->emitter_count;
    OozeSceneScales *scales = ooze_scene_alloc(scene, 1, sizeof *scales);
    Survey s = {
        .scene = scene,
        .def = def,
        .scales = scales,
        .found = ooze_scene_alloc(scene, materials, sizeof *s.found),
        .volumes = ooze_scene_alloc(scene, fluids, sizeof *s.volumes),
        .nozzles = ooze_scene_alloc(scene, emitters, sizeof *s.nozzles),
        .motions = ooze_scene_alloc(scene, emitters, sizeof *s.motions),
        .solids = ooze_scene_alloc(scene, (size_t)def->solid_count, sizeof *s.solids),
    };
    if (!scales || !s.found || !s.volumes || !s.nozzles || !s.motions || !s.solids) {
        return NULL;
    }
    *scales = (OozeSceneScales){
        .materials = ooze_scene_alloc(scene, materials, sizeof *scales->materials),
        .fastest = {0.0, "fluid", "the start"},
        .fluids = ooze_scene_alloc(scene, fluids, sizeof *scales->fluids),
        .emitters = ooze_scene_alloc(scene, emitters, sizeof *scales->emitters),
    };
    if (!scales->materials || !scales->fluids || !scales->emitters) {
        return NULL;
    }
    s.threads = create_threads(def);
    survey(&s);
    ooze_threads_destroy(s.threads);
    scene->scales = scene->out_of_memory ? NULL : scales;
    return scene->scales;
}
