/* Loads and frees a scene. */
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#include "scene/upgrade.h"

OozeScene *ooze_scene_create(void)
{
    OozeScene *scene = ooze_alloc_zero(1, sizeof *scene);
    if (scene) {
        scene->arena = ooze_arena_create();
    }
    if (scene && !scene->arena) {
        ooze_free(scene);
        scene = NULL;
    }
    return scene;
}

void ooze_scene_free(OozeScene *scene)
{
    if (!scene) {
        return;
    }
    for (OozeSource *source = scene->sources; source; source = source->next) {
        ooze_free(source->owned);
    }
    ooze_text_clear(&scene->canonical);
    ooze_free(scene->diagnostics);
    ooze_arena_destroy(scene->arena);
    ooze_free(scene);
}

OozeStatus ooze_scene_fail(const OozeScene *scene, OozeError *error)
{
    for (int i = 0; i < scene->diagnostic_count; i++) {
        const OozeDiagnostic *d = &scene->diagnostics[i];
        if (d->severity != OOZE_SEVERITY_ERROR) {
            continue;
        }
        char more[48] = "", place[48] = "";
        if (d->line > 0) {
            snprintf(place, sizeof place, ":%d:%d", d->line, d->column);
        }
        if (scene->error_count > 1) {
            snprintf(more, sizeof more, " (the first of %d errors)", scene->error_count);
        }
        return ooze_fail(error, OOZE_ERROR_SCENE, d->hint, "%s%s: %s%s", d->file, place, d->message,
                         more);
    }
    return ooze_fail(error, OOZE_ERROR_SCENE, NULL, "the scene has errors");
}

static void load(OozeScene *scene, OozeSource *source, const char *const *overrides,
                 int override_count)
{
    scene->main = source;
    scene->root = ooze_scene_assemble(scene, source, 0);
    for (int i = 0; i < override_count && scene->root && !scene->out_of_memory; i++) {
        ooze_scene_override(scene, overrides[i]);
    }
    if (scene->root && !scene->out_of_memory) {
        ooze_scene_merge_presets(scene);
    }
    if (scene->root && !scene->out_of_memory) {
        ooze_scene_read(scene);
    }
    if (scene->root && scene->error_count == 0 && !scene->out_of_memory) {
        ooze_scene_write_canonical(scene);
    }
}

/* Returns the scene, or frees it if memory ran out. */
static OozeStatus return_scene(OozeScene *loaded, OozeScene **scene, OozeError *error)
{
    if (loaded->out_of_memory) {
        ooze_scene_free(loaded);
        return ooze_fail_memory(error, "the scene", 0);
    }
    *scene = loaded;
    return loaded->error_count > 0 ? ooze_scene_fail(loaded, error) : OOZE_OK;
}

/* Replaces the text of a run's scene by one in the present format. Errors are left to reading. */
static void upgrade_source(OozeScene *scene, OozeSource *source)
{
    const OozeOldScene old = {source->name, source->text, source->size, OOZE_ANGLES_DEGREES};
    OozeText text = {0};
    OozeError error = {0};
    if (!ooze_scene_upgrade(&old, &text, NULL, &error) && text.data) {
        ooze_free(source->owned);
        source->owned = text.data;
        source->text = text.data;
        source->size = text.length;
    } else {
        scene->out_of_memory = scene->out_of_memory || error.status == OOZE_ERROR_MEMORY;
        ooze_text_clear(&text);
    }
}

static OozeStatus load_file(const char *path, const char *const *overrides, int override_count,
                            bool of_run, OozeScene **scene, OozeError *error)
{
    OOZE_REQUIRE(path, error);
    OOZE_REQUIRE(scene, error);
    if (override_count > 0) {
        OOZE_REQUIRE(overrides, error);
    }
    for (int i = 0; i < override_count; i++) {
        OOZE_REQUIRE(overrides[i], error);
    }
    *scene = NULL;
    OozeScene *loaded = ooze_scene_create();
    if (!loaded) {
        return ooze_fail_memory(error, "a scene", sizeof *loaded);
    }
    OozeLocaleGuard locale = ooze_locale_enter();
    OozeError reading = {0};
    OozeSource *source = ooze_source_open(loaded, path, NULL, &reading);
    if (source) {
        loaded->of_run = of_run;
        if (of_run) {
            upgrade_source(loaded, source);
        }
        load(loaded, source, overrides, override_count);
    } else if (reading.status == OOZE_ERROR_MEMORY) {
        loaded->out_of_memory = true;
    } else if (!loaded->out_of_memory) {
        loaded->main = ooze_source_add(loaded, path, "", 0, NULL, NULL);
        ooze_scene_report(loaded, OOZE_SEVERITY_ERROR, (OozePlace){0},
                          ooze_scene_copy(loaded, reading.hint, strlen(reading.hint)), "%s",
                          reading.message);
    }
    ooze_locale_leave(locale);
    return return_scene(loaded, scene, error);
}

OozeStatus ooze_scene_load(const char *path, const char *const *overrides, int override_count,
                           OozeScene **scene, OozeError *error)
{
    return load_file(path, overrides, override_count, false, scene, error);
}

OozeStatus ooze_scene_load_run(const char *path, const char *const *overrides, int override_count,
                               OozeScene **scene, OozeError *error)
{
    return load_file(path, overrides, override_count, true, scene, error);
}

OozeStatus ooze_scene_load_text(const char *text, size_t length, const char *name,
                                OozeScene **scene, OozeError *error)
{
    OOZE_REQUIRE(scene, error);
    if (length > 0) {
        OOZE_REQUIRE(text, error);
    }
    *scene = NULL;
    OozeScene *loaded = ooze_scene_create();
    if (!loaded) {
        return ooze_fail_memory(error, "a scene", sizeof *loaded);
    }
    OozeLocaleGuard locale = ooze_locale_enter();
    bool large = length > OOZE_SCENE_BYTES_MAX;
    size_t size = large ? 0 : length;
    char *copy = ooze_alloc(size + 1, 1); /* the caller's text need not outlive the call */
    if (copy) {
        memcpy(copy, size ? text : "", size);
        copy[size] = '\0';
    }
    OozeSource *source =
        copy ? ooze_source_add(loaded, name ? name : "scene", copy, size, copy, NULL) : NULL;
    if (!source) {
        loaded->out_of_memory = true;
    } else if (large) {
        loaded->main = source;
        ooze_scene_report(loaded, OOZE_SEVERITY_ERROR, (OozePlace){0}, NULL,
                          "a scene has at most %d bytes", OOZE_SCENE_BYTES_MAX);
    } else {
        load(loaded, source, NULL, 0);
    }
    ooze_locale_leave(locale);
    return return_scene(loaded, scene, error);
}

const OozeSceneInfo *ooze_scene_info(const OozeScene *scene)
{
    return scene ? &scene->info : NULL;
}

const char *ooze_scene_canonical(const OozeScene *scene)
{
    return scene && scene->canonical.data ? scene->canonical.data : "";
}

int ooze_scene_find_material(const OozeSceneDef *def, const char *name)
{
    for (int i = 0; name && i < def->material_count; i++) {
        if (strcmp(def->materials[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}
