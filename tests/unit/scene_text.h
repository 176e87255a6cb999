/* For tests of scenes: small scenes in memory, and looking for one message among many. */
#ifndef OOZE_TESTS_SCENE_TEXT_H
#define OOZE_TESTS_SCENE_TEXT_H

#include "check.h"

#include "ooze/scene.h"
#include "scene/scene.h"

/* Five lines every scene must have; what a test adds begins on line 6. */
#define HEAD                                                                                       \
    "ooze: 2\n"                                                                                    \
    "method: {name: ballistic}\n"                                                                  \
    "spacing: 0.1\n"                                                                               \
    "time_step: 1/240\n"                                                                           \
    "duration: 1\n"

static inline OozeScene *load_bytes(const char *text, size_t size)
{
    OozeScene *scene = NULL;
    OozeStatus status = ooze_scene_load_text(text, size, "test.yaml", &scene, NULL);
    assert_non_null(scene);
    assert_true(status == OOZE_OK || status == OOZE_ERROR_SCENE);
    return scene;
}

static inline void print_diagnostics(const OozeScene *scene)
{
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        const OozeDiagnostic *d = ooze_scene_diagnostic(scene, i);
        print_message("  %s:%d:%d: %s (%s)\n", d->file, d->line, d->column, d->message, d->hint);
    }
}

/* A scene that must be good. */
static inline OozeScene *load_good(const char *text)
{
    OozeScene *scene = load_bytes(text, strlen(text));
    if (ooze_scene_diagnostic_count(scene) > 0) {
        print_diagnostics(scene);
        fail_msg("the scene was refused");
    }
    return scene;
}

/* The diagnostic at line:column whose message contains `part`; fails when there is none. */
static inline const OozeDiagnostic *expect(const OozeScene *scene, int line, int column,
                                           const char *part)
{
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        const OozeDiagnostic *d = ooze_scene_diagnostic(scene, i);
        if (d->line == line && d->column == column && strstr(d->message, part)) {
            return d;
        }
    }
    print_diagnostics(scene);
    fail_msg("no diagnostic at %d:%d with '%s'", line, column, part);
    return NULL;
}

static inline void expect_hint(const OozeDiagnostic *d, const char *part)
{
    if (part && part[0] && !strstr(d->hint, part)) {
        print_message("hint: %s\n", d->hint);
        fail_msg("the hint does not contain '%s'", part);
    }
}

/* Exactly one error, there, saying that; with `hint` in its hint unless NULL. */
static inline void expect_one(const char *text, int line, int column, const char *part,
                              const char *hint)
{
    OozeScene *scene = load_bytes(text, strlen(text));
    const OozeDiagnostic *d = expect(scene, line, column, part);
    if (ooze_scene_diagnostic_count(scene) != 1) {
        print_diagnostics(scene);
        fail_msg("one error expected");
    }
    expect_hint(d, hint);
    assert_string_equal(d->file, "test.yaml");
    ooze_scene_free(scene);
}

#endif
