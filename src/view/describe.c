#include "view/describe.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/vec3.h"
#include "solids/look.h"
#include "view/encode.h"

static void describe_color(const float color[3], OozeText *json)
{
    const double values[3] = {color[0], color[1], color[2]};
    ooze_json_put_numbers(json, "color", values, 3);
}

static double or_row(double given, double row)
{
    return isnan(given) ? row : given;
}

/* The look that pictures have, with the colour of the material or solid where it has no own. */
static void describe_look(const OozeLookDef *def, const char *name, const char *fallback,
                          const float color[3], OozeText *json)
{
    static const char *const kinds[OOZE_LOOK_KIND_COUNT] = {"opaque", "metal", "clear",
                                                            "translucent"};
    const OozeLookInfo *row = ooze_look_find_row(def, name, fallback);
    describe_color(!isnan(def->color[0]) ? def->color : row->has_color ? row->color : color, json);
    ooze_json_put_text(json, "look", kinds[row->kind]);
    ooze_json_put_number(json, "depth", def->depth); /* null: depth_share of the fluid's extent */
    ooze_json_put_number(json, "depth_share", row->depth);
    ooze_json_put_number(json, "refraction", or_row(def->refraction, row->refraction));
    ooze_json_put_number(json, "roughness", or_row(def->roughness, row->roughness));
    ooze_json_put_number(json, "coat", or_row(def->coat, row->coat));
    ooze_json_put_number(json, "cloudiness", or_row(def->cloudiness, row->cloudiness));
}

static void describe_vector(const char *key, OozeVec3 v, OozeText *json)
{
    ooze_json_put_numbers(json, key, &v.x, 3);
}

static void describe_solid(const OozeSceneDef *def, int i, OozeText *json)
{
    const OozeSolidDef *solid = &def->solids[i];
    const OozeShapeDef *shape = &solid->shape;
    bool plane = shape->kind == OOZE_SHAPE_PLANE;
    ooze_json_next(json);
    ooze_text_append(json, "{");
    ooze_json_put_text(json, "name", solid->name);
    describe_look(&solid->look, solid->name, "matte", solid->color, json);
    ooze_json_put_switch(json, "visible", solid->visible);
    ooze_json_put_switch(json, "container", shape->inverted);
    ooze_json_put_switch(json, "dynamic", solid->density > 0.0);
    ooze_json_put_switch(json, "plane", plane);
    if (plane) {
        OozeVec3 normal = vec3_unit(shape->normal, vec3_axis(def->world.up));
        describe_vector("normal", vec3_scale(normal, shape->inverted ? -1.0 : 1.0), json);
    }
    ooze_text_append(json, "}");
}

static void describe_nozzle(const OozeSceneDef *def, int i, OozeText *json)
{
    const OozeEmitterDef *emitter = &def->emitters[i].def;
    OozeVec3 down = vec3_scale(vec3_axis(def->world.up), -1.0);
    double half = 0.5 * fmax(emitter->size.x, emitter->size.y);
    ooze_json_next(json);
    ooze_text_append(json, "{");
    ooze_json_put_text(json, "name", emitter->name);
    describe_vector("direction", vec3_unit(emitter->direction, down), json);
    ooze_json_put_number(json, "radius",
                         emitter->outline == OOZE_OUTLINE_RECTANGLE ? half
                         : emitter->radius > 0.0                    ? emitter->radius
                                                                    : 3.0 * def->world.spacing);
    ooze_json_put_switch(json, "movable", emitter->motion.keyframe_count == 0);
    ooze_text_append(json, "}");
}

void ooze_view_describe_scene(const OozeScene *scene, OozeText *json)
{
    const OozeSceneDef *def = &scene->def;
    const OozeSceneInfo *info = &scene->info;
    ooze_json_put_text(json, "title", info->title);
    ooze_json_put_text(json, "method", def->world.method);
    ooze_json_put_number(json, "up", (double)def->world.up);
    ooze_json_put_number(json, "spacing", def->world.spacing);
    ooze_json_put_number(json, "duration", info->duration);
    ooze_json_put_number(json, "timeStep", info->time_step);
    ooze_json_put_number(json, "frameRate", info->frame_rate);
    describe_vector("camera", def->render.camera_position, json);
    describe_vector("lookAt", def->render.look_at, json);
    ooze_json_put_number(json, "fieldOfView", def->render.field_of_view);
    ooze_json_key(json, "materials");
    ooze_text_append(json, "[");
    for (int i = 0; i < def->material_count; i++) {
        const OozeMaterialDef *material = &def->materials[i];
        ooze_json_next(json);
        ooze_text_append(json, "{");
        ooze_json_put_text(json, "name", material->name);
        describe_look(&material->look, material->name, "glossy", material->color, json);
        ooze_text_append(json, "}");
    }
    ooze_text_append(json, "]");
    ooze_json_key(json, "solids");
    ooze_text_append(json, "[");
    for (int i = 0; i < def->solid_count; i++) {
        describe_solid(def, i, json);
    }
    ooze_text_append(json, "]");
    ooze_json_key(json, "nozzles");
    ooze_text_append(json, "[");
    for (int i = 0; i < def->emitter_count; i++) {
        describe_nozzle(def, i, json);
    }
    ooze_text_append(json, "]");
}

typedef struct ViewField {
    const char *name, *unit;
} ViewField;

/* Field i of those that can colour the particles; false: there are no more. */
static bool find_view_field(const OozeFrame *frame, const OozeWorld *world, int i, ViewField *found)
{
    static const ViewField always[] = {{"look", ""}, {"material", ""}, {"speed", "m/s"}};
    static const ViewField stress = {"stress", "Pa"}, density = {"density", "of that at rest"};
    for (size_t k = 0; k < sizeof always / sizeof always[0]; k++) {
        if (i-- == 0) {
            *found = always[k];
            return true;
        }
    }
    if (world && world->method->records_stress && i-- == 0) {
        *found = stress;
        return true;
    }
    if (world && !world->method->ignores_fluid && i-- == 0) {
        *found = density;
        return true;
    }
    for (int k = 0; k < frame->field_count; k++) {
        const OozeFieldView *field = &frame->fields[k];
        if (ooze_view_field_is_shown(field) && strcmp(field->name, "velocity") != 0 && i-- == 0) {
            *found = (ViewField){field->name, field->unit};
            return true;
        }
    }
    return false;
}

bool ooze_view_offers_field(const OozeFrame *frame, const OozeWorld *world, const char *name)
{
    ViewField field;
    bool found = false;
    for (int i = 0; !found && find_view_field(frame, world, i, &field); i++) {
        found = strcmp(field.name, name) == 0;
    }
    return found;
}

void ooze_view_describe_fields(const OozeFrame *frame, const OozeWorld *world, OozeText *json)
{
    ViewField field;
    ooze_text_append(json, "[");
    for (int i = 0; find_view_field(frame, world, i, &field); i++) {
        ooze_json_next(json);
        ooze_text_append(json, "{");
        ooze_json_put_text(json, "name", field.name);
        ooze_json_put_text(json, "unit", field.unit);
        ooze_text_append(json, "}");
    }
    ooze_text_append(json, "]");
}

void ooze_view_describe_presets(OozeText *json)
{
    ooze_text_append(json, "[");
    for (int i = 0; i < ooze_preset_count(); i++) {
        const OozePresetInfo *preset = ooze_preset_info(i);
        ooze_json_next(json);
        ooze_text_append(json, "{");
        ooze_json_put_text(json, "name", preset->name);
        ooze_json_put_text(json, "summary", preset->summary);
        ooze_text_append(json, "}");
    }
    ooze_text_append(json, "]");
}
