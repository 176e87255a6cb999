#include "view/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

typedef struct Builder {
    OozeViewParameters *list;
    const OozeScene *scene;
    const OozeWorld *world;
    bool failed;
} Builder;

static void add(Builder *builder, const OozeViewParameter *parameter)
{
    OozeViewParameters *list = builder->list;
    OozeViewParameter *added =
        ooze_list_reserve((void **)&list->items, list->count, &list->capacity, sizeof *list->items);
    if (added) {
        *added = *parameter;
        list->count++;
    } else {
        builder->failed = true;
    }
}

static const char *folder_of(OozeChangeTarget target)
{
    static const char *const folders[OOZE_CHANGE_TARGET_COUNT] = {
        [OOZE_CHANGE_METHOD] = "method", [OOZE_CHANGE_MATERIAL] = "materials",
        [OOZE_CHANGE_SOLID] = "solids",  [OOZE_CHANGE_EMITTER] = "emitters",
        [OOZE_CHANGE_JOINT] = "joints",  [OOZE_CHANGE_WORLD] = "air",
    };
    return folders[target];
}

/* All keys of one item; those of a material only where the method uses them. */
static void add_item(Builder *builder, OozeChangeTarget target, int index, const char *name)
{
    OozeViewParameter parameter = {.target = target, .index = index};
    for (int i = 0; ooze_scene_change_row(builder->scene, target, i, &parameter.row); i++) {
        const char *key = parameter.row.key;
        if (target == OOZE_CHANGE_MATERIAL && !ooze_method_uses(builder->world->method, key)) {
            continue;
        }
        snprintf(parameter.group, sizeof parameter.group, "%s", name ? name : folder_of(target));
        snprintf(parameter.path, sizeof parameter.path, "%s%s%s.%s", folder_of(target),
                 name ? "." : "", name ? name : "", key);
        add(builder, &parameter);
    }
}

static void add_gravity(Builder *builder)
{
    static const char *const keys[] = {"gravity.x", "gravity.y", "gravity.z"};
    for (int i = 0; i < 3; i++) {
        OozeViewParameter parameter = {
            .group = "world",
            .target = OOZE_CHANGE_WORLD,
            .index = i,
            .row = {keys[i], OOZE_KEY_REAL, "m/s2", -OOZE_KEY_HUGE, OOZE_KEY_HUGE,
                    .help = "acceleration of particles and dynamic solids"}};
        snprintf(parameter.path, sizeof parameter.path, "%s", keys[i]);
        add(builder, &parameter);
    }
}

OozeStatus ooze_view_parameters_create(OozeViewParameters *list, const OozeScene *scene,
                                       const OozeWorld *world, OozeError *error)
{
    *list = (OozeViewParameters){0};
    Builder builder = {list, scene, world, false};
    const OozeSceneDef *def = &scene->def;
    for (int i = 0; i < def->material_count; i++) {
        add_item(&builder, OOZE_CHANGE_MATERIAL, i, def->materials[i].name);
    }
    for (int i = 0; i < def->emitter_count; i++) {
        add_item(&builder, OOZE_CHANGE_EMITTER, i, def->emitters[i].def.name);
    }
    add_gravity(&builder);
    if (world->temperature_field >= 0) {
        add_item(&builder, OOZE_CHANGE_WORLD, 3, NULL);
    }
    for (int i = 0; i < def->solid_count; i++) {
        add_item(&builder, OOZE_CHANGE_SOLID, i, def->solids[i].name);
    }
    for (int i = 0; i < def->joint_count; i++) {
        add_item(&builder, OOZE_CHANGE_JOINT, i, def->joints[i].def.name);
    }
    add_item(&builder, OOZE_CHANGE_METHOD, 0, NULL);
    if (builder.failed) {
        ooze_view_parameters_free(list);
        return ooze_fail_memory(error, "the list of parameters", 0);
    }
    return OOZE_OK;
}

void ooze_view_parameters_free(OozeViewParameters *list)
{
    ooze_free(list->items);
    *list = (OozeViewParameters){0};
}

static double solid_value(const OozeWorld *world, int index, const char *key)
{
    double value = NAN;
    for (int i = 0; i < OOZE_SOLID_PARAM_COUNT; i++) {
        if (strcmp(ooze_solid_param_name((OozeSolidParam)i), key) == 0) {
            ooze_world_get_solid(world, (OozeSolidId){index}, (OozeSolidParam)i, &value, NULL);
        }
    }
    return value;
}

static double world_value(const OozeWorld *world, const OozeViewParameter *parameter)
{
    const OozeWorldDef *def = &world->def;
    if (parameter->index < 3) {
        return (&def->gravity.x)[parameter->index];
    }
    return strcmp(parameter->row.key, "transfer") == 0 ? def->air_transfer : def->air_temperature;
}

/* The present value; NAN: not given. */
static double value_of(const OozeViewParameter *parameter, const OozeWorld *world)
{
    const char *key = parameter->row.key;
    double value = NAN;
    switch (parameter->target) {
    case OOZE_CHANGE_MATERIAL:
        ooze_world_get_material(world, (OozeMaterialId){parameter->index}, key, &value, NULL);
        break;
    case OOZE_CHANGE_METHOD:
        ooze_world_get_param(world, key, &value, NULL);
        break;
    case OOZE_CHANGE_SOLID:
        value = solid_value(world, parameter->index, key);
        break;
    case OOZE_CHANGE_EMITTER:
        value = world->emitters.items[parameter->index].state.speed;
        break;
    case OOZE_CHANGE_WORLD:
        value = world_value(world, parameter);
        break;
    default: /* the numbers of a joint are in other units inside; the page begins without them */
        break;
    }
    return value;
}

static void describe_choices(const OozeKey *row, OozeText *json)
{
    char choice[OOZE_CHOICE_MAX];
    ooze_json_key(json, "choices");
    ooze_text_append(json, "[");
    for (int i = 0; ooze_key_choice(row, i, choice); i++) {
        ooze_json_next(json);
        ooze_json_text(json, choice);
    }
    ooze_text_append(json, "]");
}

static const char *kind_of(const OozeKey *row)
{
    return row->type == OOZE_KEY_SWITCH    ? "switch"
           : row->type == OOZE_KEY_CHOICE  ? "choice"
           : row->type == OOZE_KEY_INTEGER ? "integer"
                                           : "real";
}

void ooze_view_parameters_describe(const OozeViewParameters *list, OozeText *json)
{
    ooze_text_append(json, "[");
    for (int i = 0; i < list->count; i++) {
        const OozeViewParameter *parameter = &list->items[i];
        const OozeKey *row = &parameter->row;
        ooze_json_next(json);
        ooze_text_append(json, "{");
        ooze_json_put_text(json, "path", parameter->path);
        ooze_json_put_text(json, "group", parameter->group);
        ooze_json_put_text(json, "target", folder_of(parameter->target));
        ooze_json_put_text(json, "key", row->key);
        ooze_json_put_text(json, "unit", row->unit);
        ooze_json_put_number(json, "low", row->min);
        ooze_json_put_number(json, "high", row->max);
        ooze_json_put_text(json, "kind", kind_of(row));
        ooze_json_put_text(json, "help", row->help);
        if (row->type == OOZE_KEY_CHOICE) {
            describe_choices(row, json);
        }
        ooze_text_append(json, "}");
    }
    ooze_text_append(json, "]");
}

void ooze_view_parameters_values(const OozeViewParameters *list, const OozeWorld *world,
                                 OozeText *json)
{
    ooze_text_append(json, "[");
    for (int i = 0; i < list->count; i++) {
        ooze_json_next(json);
        double value = value_of(&list->items[i], world);
        if (isinf(value)) {
            ooze_text_append(json, value > 0 ? "\"inf\"" : "\"-inf\"");
        } else {
            ooze_json_value(json, value);
        }
    }
    ooze_text_append(json, "]");
}
