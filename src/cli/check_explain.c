#include "cli/check_explain.h"

#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "methods/explain.h"
#include "scene/advice.h"
#include "world/world.h"

/* What fluids and emitters make of each material: see OozeExplanation. Returns the number of
   bodies. */
static int find_kinds(const OozeSceneDef *def, unsigned *kinds)
{
    int bodies = 0;
    for (int i = 0; i < def->fluid_count; i++) {
        OozeBodyKind kind = def->fluids[i].def.body;
        kinds[ooze_scene_find_material(def, def->fluids[i].material)] |= 1u << kind;
        bodies += kind != OOZE_BODY_FLUID;
    }
    for (int i = 0; i < def->emitter_count; i++) {
        kinds[ooze_scene_find_material(def, def->emitters[i].material)] |= 1u << OOZE_BODY_FLUID;
    }
    return bodies;
}

/* The context of a step of the scene, also where no particle is placed yet. */
static OozeStepContext context_of(OozeWorld *world, int bodies)
{
    static const double some = 0.0; /* there is heat; no particle reads it */
    OozeStepContext context = ooze_world_step_context(world);
    context.body_count = bodies > context.body_count ? bodies : context.body_count;
    if (world->temperature_field >= 0 && !context.temperature) {
        context.temperature = &some;
    }
    return context;
}

OozeStatus ooze_check_explain(const OozeScene *scene, OozeWorld *world, OozeText *lines,
                              OozeError *error)
{
    const char *name = world->method->info.name;
    unsigned *kinds = ooze_alloc_zero((size_t)world->materials.count + 1, sizeof *kinds);
    if (!kinds) {
        return ooze_fail_memory(error, "the report", 0);
    }
    OozeStatus status = OOZE_OK;
    OozeStepContext context = context_of(world, find_kinds(&scene->def, kinds));
    if (world->method->explain) {
        OozeExplanation explanation = {kinds, lines};
        status = world->method->explain(&context, &explanation, error);
    } else {
        ooze_text_append(lines, "%s: see docs/methods/%s.md\n", name, name);
    }
    ooze_arena_reset(world->arena);
    ooze_free(kinds);
    return !status && lines->failed ? ooze_fail_memory(error, "the report", 0) : status;
}

/* The line at `at`, of `length` bytes; returns where the next one begins, NULL: there is none. */
static const char *next_line(const char *at, int *length)
{
    const char *end = at ? strchr(at, '\n') : NULL;
    *length = end ? (int)(end - at) : 0;
    return end ? end + 1 : NULL;
}

void ooze_check_explain_text(OozeText *out, const OozeScene *scene, const OozeText *lines)
{
    char step[OOZE_NUMBER_MAX];
    int length;
    ooze_text_append(out, "what acts in a step of %s s\n",
                     ooze_step_text(scene->info.time_step, step));
    for (const char *at = lines->data, *next; (next = next_line(at, &length)); at = next) {
        ooze_text_append(out, "  %.*s\n", length, at);
    }
}

void ooze_check_explain_json(OozeText *out, const OozeText *lines)
{
    int length, written = 0;
    ooze_text_append(out, ",\n  \"explain\": [");
    for (const char *at = lines->data, *next; (next = next_line(at, &length)); at = next) {
        OozeText line = {0};
        ooze_text_append(&line, "%.*s", length, at);
        ooze_text_append(out, "%s\n    ", written++ ? "," : "");
        ooze_json_text(out, line.data ? line.data : "");
        out->failed = out->failed || line.failed;
        ooze_text_clear(&line);
    }
    ooze_text_append(out, "]");
}
