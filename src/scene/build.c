/* Builds a world from a scene through the public API. Errors of the world are reported with their
   places in the file. */
#include <math.h>
#include <string.h>

#include "scene/scene.h"

/* Puts `file:line:column` before the world's message. */
static OozeStatus locate(const OozeScene *scene, const char *list, int index, const char *name,
                         const OozeError *cause, OozeError *error)
{
    const OozeNode *node =
        list ? ooze_scene_item_node(scene, list, index) : ooze_node_find(scene->root, "method");
    node = node ? node : scene->root;
    if (list) {
        return ooze_fail(error, cause->status, cause->hint, "%s:%d:%d: %s.%s: %s",
                         node->source->name, node->line, node->column, list, name, cause->message);
    }
    return ooze_fail(error, cause->status, cause->hint, "%s:%d:%d: %s", node->source->name,
                     node->line, node->column, cause->message);
}

static OozeStatus set_method(const OozeScene *scene, OozeWorld *world, OozeError *error)
{
    const OozeMethodInfo *info = ooze_method_info(scene->def.method.index);
    OozeError cause = {0};
    for (int i = 0; i < info->param_count && i < OOZE_SCENE_PARAMS_MAX; i++) {
        double value = scene->def.method.params[i];
        if (!isnan(value) && ooze_world_set_param(world, info->params[i].key, value, &cause)) {
            return locate(scene, NULL, 0, NULL, &cause, error);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_materials(const OozeScene *scene, OozeWorld *world, OozeError *error)
{
    const OozeSceneDef *def = &scene->def;
    OozeError cause = {0};
    for (int i = 0; i < def->material_count; i++) {
        if (ooze_world_add_material(world, &def->materials[i], NULL, &cause)) {
            return locate(scene, "materials", i, def->materials[i].name, &cause, error);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_solids(const OozeScene *scene, OozeWorld *world, OozeError *error)
{
    const OozeSceneDef *def = &scene->def;
    OozeError cause = {0};
    for (int i = 0; i < def->solid_count; i++) {
        if (ooze_world_add_solid(world, &def->solids[i], NULL, &cause)) {
            return locate(scene, "solids", i, def->solids[i].name, &cause, error);
        }
    }
    for (int i = 0; i < def->joint_count; i++) {
        OozeJointDef joint = def->joints[i].def;
        joint.solid.index = ooze_scene_find_solid(def, def->joints[i].solid);
        joint.other.index = ooze_scene_find_solid(def, def->joints[i].other);
        if (ooze_world_add_joint(world, &joint, NULL, &cause)) {
            return locate(scene, "joints", i, joint.name, &cause, error);
        }
    }
    for (int i = 0; i < def->sink_count; i++) {
        if (ooze_world_add_sink(world, &def->sinks[i], &cause)) {
            return locate(scene, "sinks", i, def->sinks[i].name, &cause, error);
        }
    }
    for (int i = 0; i < def->heat_source_count; i++) {
        if (ooze_world_add_heat_source(world, &def->heat_sources[i], &cause)) {
            return locate(scene, "heat_sources", i, def->heat_sources[i].name, &cause, error);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_fluids(const OozeScene *scene, OozeWorld *world, OozeError *error)
{
    const OozeSceneDef *def = &scene->def;
    OozeError cause = {0};
    for (int i = 0; i < def->fluid_count; i++) {
        OozeFluidDef fluid = def->fluids[i].def;
        fluid.material = (OozeMaterialId){ooze_scene_find_material(def, def->fluids[i].material)};
        if (ooze_world_add_fluid(world, &fluid, &scene->filled[i], &cause)) {
            return locate(scene, "fluids", i, fluid.name, &cause, error);
        }
    }
    for (int i = 0; i < def->emitter_count; i++) {
        OozeEmitterDef emitter = def->emitters[i].def;
        emitter.material =
            (OozeMaterialId){ooze_scene_find_material(def, def->emitters[i].material)};
        if (ooze_world_add_emitter(world, &emitter, NULL, &cause)) {
            return locate(scene, "emitters", i, emitter.name, &cause, error);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_probes(const OozeScene *scene, OozeWorld *world, OozeError *error)
{
    const OozeSceneDef *def = &scene->def;
    OozeError cause = {0};
    for (int i = 0; i < def->probe_count; i++) {
        OozeProbeDef probe = def->probes[i].def;
        probe.material = (OozeMaterialId){ooze_scene_find_material(def, def->probes[i].material)};
        if (ooze_world_add_probe(world, &probe, NULL, &cause)) {
            return locate(scene, "probes", i, probe.name, &cause, error);
        }
    }
    return OOZE_OK;
}

static OozeStatus add_changes(const OozeScene *scene, OozeWorld *world, OozeError *error)
{
    const OozeSceneDef *def = &scene->def;
    OozeError cause = {0};
    for (int i = 0; i < def->change_count; i++) {
        if (ooze_world_add_change(world, &def->changes[i].def, &cause)) {
            return locate(scene, "changes", i, def->changes[i].set, &cause, error);
        }
    }
    return OOZE_OK;
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
    OozeWorldDef def = scene->def.world;
    def.time_step = scene->info.time_step;
    if (options) {
        def.threads = options->threads;
        def.device = options->device;
        def.log = options->log;
        def.log_user = options->log_user;
    }
    OozeError cause = {0};
    if (ooze_world_create(&def, world, &cause)) {
        if (cause.status == OOZE_ERROR_UNSUPPORTED) { /* not caused by the scene */
            return ooze_fail(error, cause.status, cause.hint, "%s", cause.message);
        }
        return locate(scene, NULL, 0, NULL, &cause, error);
    }
    /* Probes come before fluid: a probe may add a field that is set when fluid is added. */
    OozeStatus status = set_method(scene, *world, error);
    status = status ? status : add_materials(scene, *world, error);
    status = status ? status : add_probes(scene, *world, error);
    status = status ? status : add_solids(scene, *world, error);
    status = status ? status : add_fluids(scene, *world, error);
    status = status ? status : add_changes(scene, *world, error);
    if (status) {
        ooze_world_destroy(*world);
        *world = NULL;
    }
    return status;
}
