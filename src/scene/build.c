/* Builds a world from a scene through the public API. Errors of the world are reported with their
   places in the file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/system_memory.h"
#include "scene/scene.h"
#include "solids/fill.h"
#include "world/world.h"

/* Where building failed: the error of the world, and the node that caused it. */
typedef struct Build {
    const OozeScene *scene;
    OozeWorld *world;
    double placed_max;       /* fluids of more particles in total are counted, not placed */
    double samples_max;      /* solids of more boundary samples are not sampled */
    double share;            /* fraction of each fluid that is placed */
    bool counted;            /* fluids are counted only */
    bool to_be_restored;     /* see OozeBuildOptions */
    OozeError *refusal;      /* receives the error of too large a scene; NULL: building fails */
    const OozeNode *node;    /* NULL: not caused by the scene */
    const char *list, *name; /* of the item that failed; NULL: the method */
    OozeError cause;
} Build;

/* Records the place of an error; returns its status. */
static OozeStatus locate(Build *build, const char *list, int index, const char *name)
{
    const OozeScene *scene = build->scene;
    const OozeNode *node =
        list ? ooze_scene_item_node(scene, list, index) : ooze_node_find(scene->root, "method");
    build->node = node ? node : scene->root;
    build->list = list;
    build->name = name;
    return build->cause.status;
}

static OozeStatus set_method(Build *build)
{
    const OozeMethodInfo *info = ooze_method_info(build->scene->def.method.index);
    for (int i = 0; i < info->param_count && i < OOZE_SCENE_PARAMS_MAX; i++) {
        double value = build->scene->def.method.params[i];
        if (!isnan(value) &&
            ooze_world_set_param(build->world, info->params[i].key, value, &build->cause)) {
            return locate(build, NULL, 0, NULL);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_materials(Build *build)
{
    const OozeSceneDef *def = &build->scene->def;
    for (int i = 0; i < def->material_count; i++) {
        if (ooze_world_add_material(build->world, &def->materials[i], NULL, &build->cause)) {
            return locate(build, "materials", i, def->materials[i].name);
        }
    }
    return OOZE_OK;
}

static void limit_samples(Build *build)
{
    OozeWorld *world = build->world;
    for (int i = 0; i < world->solids.count; i++) {
        OozeSolid *solid = &world->solids.items[i];
        double count = 0.0;
        bool counted = solid->sampled && ooze_shape_kind(solid->shape) != OOZE_SHAPE_PLANE &&
                       !ooze_count_samples(solid->shape, world->def.spacing, &count, NULL);
        solid->sampled = solid->sampled && !(counted && count > build->samples_max);
    }
}

static OozeStatus add_solids(Build *build)
{
    const OozeSceneDef *def = &build->scene->def;
    for (int i = 0; i < def->solid_count; i++) {
        if (ooze_world_add_solid(build->world, &def->solids[i], NULL, &build->cause)) {
            return locate(build, "solids", i, def->solids[i].name);
        }
    }
    if (isfinite(build->samples_max)) {
        limit_samples(build);
    }
    for (int i = 0; i < def->joint_count; i++) {
        OozeJointDef joint = def->joints[i].def;
        joint.solid.index = ooze_scene_find_solid(def, def->joints[i].solid);
        joint.other.index = ooze_scene_find_solid(def, def->joints[i].other);
        if (ooze_world_add_joint(build->world, &joint, NULL, &build->cause)) {
            return locate(build, "joints", i, joint.name);
        }
    }
    for (int i = 0; i < def->sink_count; i++) {
        if (ooze_world_add_sink(build->world, &def->sinks[i], &build->cause)) {
            return locate(build, "sinks", i, def->sinks[i].name);
        }
    }
    for (int i = 0; i < def->heat_source_count; i++) {
        if (ooze_world_add_heat_source(build->world, &def->heat_sources[i], &build->cause)) {
            return locate(build, "heat_sources", i, def->heat_sources[i].name);
        }
    }
    return OOZE_OK;
}

/* ---- capacity -------------------------------------------------------------------------------- */

/* Scenes that cannot hold more particles than this are not counted before they are filled. */
static const double UNCOUNTED_MAX = 1e5;
/* Particles of a scene that `ooze check` and dry runs place; those of a larger one are counted. */
static const double PLACED_MAX = 1e5;
static const double TRIAL_SAMPLES_MAX = 2e4;

/* Lattice cells of the bounding boxes of all fluids: an upper limit of the particles, except for
   fitted fills of very thin shapes. INFINITY where a shape has no bounds known here. */
static double count_cells(const OozeSceneDef *def)
{
    double cells = 0.0, s = def->world.spacing;
    for (int i = 0; i < def->fluid_count; i++) {
        const OozeShapeDef *shape = &def->fluids[i].def.shape;
        double scaled = fabs(shape->scale.x * shape->scale.y * shape->scale.z) / (s * s * s);
        cells += shape->kind == OOZE_SHAPE_BOX
                     ? scaled * shape->size.x * shape->size.y * shape->size.z
                 : shape->kind == OOZE_SHAPE_SPHERE ? scaled * pow(2.0 * shape->radius, 3.0)
                                                    : INFINITY;
    }
    return cells;
}

static OozeStatus fail_at(const Build *build, OozeError *error);

static OozeStatus refuse_size(Build *build, int largest, double total, double possible)
{
    const OozeSceneDef *def = &build->scene->def;
    double bytes = ooze_world_bytes_per_particle(build->world), s = def->world.spacing;
    bool memory = possible < (double)OOZE_PARTICLES_MAX;
    char limit[64], hint[96];
    snprintf(limit, sizeof limit, memory ? "%.3g GB are available" : "%.3g particles are possible",
             memory ? possible * bytes / 1e9 : possible);
    snprintf(hint, sizeof hint, "a spacing of %.2g m would fit; or use a smaller shape",
             ooze_fill_fitting_spacing(s, total, possible));
    ooze_fail(&build->cause, memory ? OOZE_ERROR_MEMORY : OOZE_ERROR_LIMIT, hint,
              "about %.3g particles at the spacing of %g m; the scene needs about %.*f GB of "
              "memory, and %s",
              (double)build->scene->filled[largest], s, total * bytes < 1e11 ? 1 : 0,
              total * bytes / 1e9, limit);
    OozeStatus status = locate(build, "fluids", largest, def->fluids[largest].def.name);
    if (build->refusal) {
        (void)fail_at(build, build->refusal);
        build->cause = (OozeError){0};
        build->node = NULL;
        return OOZE_OK;
    }
    return status;
}

/* Counts the particles of all fluids, and refuses them where memory does not suffice. */
static OozeStatus check_capacity(Build *build)
{
    const OozeSceneDef *def = &build->scene->def;
    double total = 0.0, most = 0.0;
    int largest = 0;
    if (count_cells(def) <= UNCOUNTED_MAX || build->share < 1.0 || build->to_be_restored) {
        return OOZE_OK;
    }
    for (int i = 0; i < def->fluid_count; i++) {
        double count;
        if (ooze_world_count_fluid(build->world, &def->fluids[i].def, &count, &build->cause)) {
            return locate(build, "fluids", i, def->fluids[i].def.name);
        }
        build->scene->filled[i] = (uint64_t)fmin(count, 1e18);
        total += count;
        largest = count > most ? i : largest;
        most = fmax(most, count);
    }
    double possible = ooze_available_memory() / ooze_world_bytes_per_particle(build->world);
    possible = fmin(possible, (double)OOZE_PARTICLES_MAX);
    build->counted = total > build->placed_max;
    return total > possible ? refuse_size(build, largest, total, possible) : OOZE_OK;
}

/* ---- fluids, emitters, probes, changes ------------------------------------------------------- */

/* Adds a fluid; one that is only counted or is restored later leaves its temperature field. Bodies
   are checked one by one and are placed, if they are not large. */
static OozeStatus add_fluid(Build *build, int i, OozeFluidDef *fluid)
{
    bool body = fluid->body != OOZE_BODY_FLUID;
    if (build->share < 1.0 &&
        ooze_scene_shrink(&build->scene->def.world, &fluid->shape, build->share, &build->cause)) {
        return build->cause.status;
    }
    if (build->share < 1.0) {
        return ooze_world_add_fluid(build->world, fluid, NULL, &build->cause);
    }
    bool placed = body ? !build->counted || (double)build->scene->filled[i] <= build->placed_max
                       : !build->counted && !build->to_be_restored;
    if (placed) {
        return ooze_world_add_fluid(build->world, fluid, &build->scene->filled[i], &build->cause);
    }
    return isnan(fluid->temperature) ? OOZE_OK
                                     : ooze_world_enable_heat(build->world, &build->cause);
}

static OozeStatus add_fluids(Build *build)
{
    const OozeSceneDef *def = &build->scene->def;
    for (int i = 0; i < def->fluid_count; i++) {
        OozeFluidDef fluid = def->fluids[i].def;
        fluid.material = (OozeMaterialId){ooze_scene_find_material(def, def->fluids[i].material)};
        if (add_fluid(build, i, &fluid)) {
            return locate(build, "fluids", i, fluid.name);
        }
    }
    for (int i = 0; i < def->emitter_count; i++) {
        OozeEmitterDef emitter = def->emitters[i].def;
        emitter.material =
            (OozeMaterialId){ooze_scene_find_material(def, def->emitters[i].material)};
        if (ooze_world_add_emitter(build->world, &emitter, NULL, &build->cause)) {
            return locate(build, "emitters", i, emitter.name);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_probes(Build *build)
{
    const OozeSceneDef *def = &build->scene->def;
    for (int i = 0; i < def->probe_count; i++) {
        OozeProbeDef probe = def->probes[i].def;
        probe.material = (OozeMaterialId){ooze_scene_find_material(def, def->probes[i].material)};
        if (ooze_world_add_probe(build->world, &probe, NULL, &build->cause)) {
            return locate(build, "probes", i, probe.name);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_changes(Build *build)
{
    const OozeSceneDef *def = &build->scene->def;
    for (int i = 0; i < def->change_count; i++) {
        if (ooze_scene_add_change(&def->changes[i], build->world, &build->cause)) {
            return locate(build, "changes", i, def->changes[i].set);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_pushes(Build *build)
{
    const OozeSceneDef *def = &build->scene->def;
    for (int i = 0; i < def->push_count; i++) {
        if (ooze_world_add_push(build->world, &def->pushes[i], &build->cause)) {
            return locate(build, "pushes", i, "push");
        }
    }
    return OOZE_OK;
}

/* ---- building -------------------------------------------------------------------------------- */

static OozeStatus create_world(Build *build, const OozeBuildOptions *options)
{
    OozeWorldDef def = build->scene->def.world;
    def.time_step = build->scene->info.time_step;
    def.duration = build->scene->def.duration;
    if (options) {
        def.threads = options->threads;
        def.device = options->device;
        def.log = options->log;
        def.log_user = options->log_user;
    }
    OozeStatus status = ooze_world_create(&def, &build->world, &build->cause);
    /* an unsupported device is not caused by the scene */
    return status && status != OOZE_ERROR_UNSUPPORTED ? locate(build, NULL, 0, NULL) : status;
}

static OozeStatus build_world(Build *build, const OozeBuildOptions *options)
{
    OozeStatus status = create_world(build, options);
    build->to_be_restored = options && options->to_be_restored;
    /* Probes come before fluid: a probe may add a field that is set when fluid is added. */
    status = status ? status : set_method(build);
    status = status ? status : add_materials(build);
    status = status ? status : add_probes(build);
    status = status ? status : add_solids(build);
    status = status ? status : check_capacity(build);
    status = status ? status : add_fluids(build);
    status = status ? status : add_changes(build);
    status = status ? status : add_pushes(build);
    if (status) {
        ooze_world_destroy(build->world);
        build->world = NULL;
    }
    return status;
}

static Build unlimited(const OozeScene *scene)
{
    return (Build){.scene = scene, .placed_max = INFINITY, .samples_max = INFINITY, .share = 1.0};
}

/* The error of building, with its place in the scene. */
static OozeStatus fail_at(const Build *build, OozeError *error)
{
    const OozeError *cause = &build->cause;
    const OozeNode *node = build->node;
    if (!node) {
        return ooze_fail(error, cause->status, cause->hint, "%s", cause->message);
    }
    return ooze_fail(error, cause->status, cause->hint, "%s:%d:%d: %s%s%s%s%s", node->source->name,
                     node->line, node->column, build->list ? build->list : "",
                     build->list ? "." : "", build->list ? build->name : "",
                     build->list ? ": " : "", cause->message);
}

OozeStatus ooze_scene_build(const OozeScene *scene, const OozeBuildOptions *options,
                            OozeWorld **world, OozeError *error)
{
    OOZE_REQUIRE(scene, error);
    OOZE_REQUIRE(world, error);
    *world = NULL;
    if (scene->error_count > 0) {
        return ooze_fail(error, OOZE_ERROR_SCENE, "see its diagnostics", "the scene has %d error%s",
                         scene->error_count, scene->error_count == 1 ? "" : "s");
    }
    Build build = unlimited(scene);
    OozeStatus status = build_world(&build, options);
    *world = build.world;
    return status ? fail_at(&build, error) : OOZE_OK;
}

OozeStatus ooze_scene_build_counted(OozeScene *scene, const OozeBuildOptions *options,
                                    OozeWorld **world, OozeError *refusal, OozeError *error)
{
    Build build = unlimited(scene);
    build.placed_max = PLACED_MAX;
    build.refusal = refusal;
    OozeStatus status = build_world(&build, options);
    *world = build.world;
    scene->counted = build.counted;
    return status ? fail_at(&build, error) : OOZE_OK;
}

OozeStatus ooze_scene_build_trial(const OozeScene *scene, const OozeBuildOptions *options,
                                  double share, OozeWorld **world, OozeError *error)
{
    Build build = unlimited(scene);
    build.share = share;
    build.samples_max = TRIAL_SAMPLES_MAX;
    OozeStatus status = build_world(&build, options);
    *world = build.world;
    return status ? fail_at(&build, error) : OOZE_OK;
}

OozeStatus ooze_scene_build_for_check(OozeScene *scene, const OozeBuildOptions *options,
                                      OozeWorld **world, OozeError *error)
{
    Build build = unlimited(scene);
    build.placed_max = PLACED_MAX;
    OozeStatus status = build_world(&build, options);
    *world = build.world;
    scene->counted = build.counted;
    if (!status) {
        return OOZE_OK;
    }
    if (!build.node) {
        return ooze_fail(error, status, build.cause.hint, "%s", build.cause.message);
    }
    const char *hint = ooze_scene_copy(scene, build.cause.hint, strlen(build.cause.hint));
    if (build.list) {
        ooze_scene_error(scene, build.node, hint, "%s.%s: %s", build.list, build.name,
                         build.cause.message);
    } else {
        ooze_scene_error(scene, build.node, hint, "%s", build.cause.message);
    }
    return OOZE_OK;
}
