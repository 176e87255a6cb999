/* Memory and text of a scene, and its list of errors and warnings with their places. */
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene.h"

OozeLocaleGuard ooze_locale_enter(void)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (OozeLocaleGuard){c, c ? uselocale(c) : NULL};
}

void ooze_locale_leave(OozeLocaleGuard guard)
{
    if (guard.c) {
        uselocale(guard.saved);
        freelocale(guard.c);
    }
}

void *ooze_scene_alloc(OozeScene *scene, size_t count, size_t size)
{
    void *block = ooze_arena_alloc(scene->arena, count, size);
    if (!block) {
        scene->out_of_memory = true;
        return NULL;
    }
    return memset(block, 0, count * size);
}

const char *ooze_scene_copy(OozeScene *scene, const char *text, size_t length)
{
    char *copy = ooze_scene_alloc(scene, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

static const char *format_text(OozeScene *scene, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : ooze_scene_alloc(scene, (size_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, arguments);
    }
    return text;
}

const char *ooze_scene_format(OozeScene *scene, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_text(scene, format, arguments);
    va_end(arguments);
    return text;
}

const char *ooze_clip(const char *text, char shown[OOZE_CLIP_MAX])
{
    static const char dots[] = "...";
    size_t room = OOZE_CLIP_MAX - sizeof dots, length = 0;
    for (; text[length] && length < room; length++) {
        unsigned char c = (unsigned char)text[length];
        shown[length] = c < 0x20 || c == 0x7f ? ' ' : text[length];
    }
    bool cut = text[length] != '\0';
    while (cut && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
        length--;
    }
    memcpy(shown + length, cut ? dots : "", cut ? sizeof dots : 1);
    return shown;
}

size_t ooze_line_break(const char *text, size_t size)
{
    const unsigned char *c = (const unsigned char *)text;
    if (size == 0) {
        return 0;
    }
    if (c[0] == '\r') {
        return size > 1 && c[1] == '\n' ? 2 : 1;
    }
    if (c[0] == '\n') {
        return 1;
    }
    if (c[0] == 0xc2 && size > 1 && c[1] == 0x85) {
        return 2;
    }
    return c[0] == 0xe2 && size > 2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9) ? 3 : 0;
}

/* The line of a report; "": it contains NUL, or is too long to show the column. */
static const char *source_line(OozeScene *scene, OozePlace place)
{
    enum { LINE_MAX_SHOWN = 400 };
    if (!place.source || place.line < 1) {
        return "";
    }
    const char *text = place.source->text;
    size_t size = place.source->size, at = 0;
    for (int line = 1; line < place.line && at < size;) {
        size_t step = ooze_line_break(text + at, size - at);
        line += step > 0;
        at += step ? step : 1;
    }
    size_t length = 0;
    while (at + length < size && length < LINE_MAX_SHOWN &&
           !ooze_line_break(text + at + length, size - at - length)) {
        unsigned char c = (unsigned char)text[at + length];
        if (c == 0) {
            return "";
        }
        length++;
    }
    if (length == LINE_MAX_SHOWN) {
        if (place.column > LINE_MAX_SHOWN / 4) {
            return "";
        }
        while (length > 0 && ((unsigned char)text[at + length] & 0xc0) == 0x80) {
            length--;
        }
    }
    return ooze_scene_copy(scene, text + at, length);
}

/* Where errors stand in the list: by line, or behind those found before. */
typedef enum Order { BY_LINE, AS_FOUND } Order;

static void add(OozeScene *scene, OozeSeverity severity, OozePlace place, Order order,
                const char *hint, const char *message)
{
    const char *source = source_line(scene, place);
    if (!message || !source) {
        return;
    }
    if (scene->diagnostic_count == scene->diagnostic_capacity) {
        int capacity = scene->diagnostic_capacity * 2 + 8;
        OozeDiagnostic *grown = ooze_grow(scene->diagnostics, (size_t)scene->diagnostic_count,
                                          (size_t)capacity, sizeof *grown);
        if (!grown) {
            scene->out_of_memory = true;
            return;
        }
        scene->diagnostics = grown;
        scene->diagnostic_capacity = capacity;
    }
    const OozeSource *where = place.source ? place.source : scene->main;
    const char *file = where ? where->name : "";
    /* insertion sort by line: names and times are checked after everything else */
    int at = scene->diagnostic_count++;
    OozeDiagnostic *d = scene->diagnostics;
    for (; order == BY_LINE && at > 0 && d[at - 1].file == file && d[at - 1].line > place.line &&
           place.line > 0;
         at--) {
        d[at] = d[at - 1];
    }
    d[at] = (OozeDiagnostic){
        .severity = severity,
        .file = file,
        .line = place.line,
        .column = place.column,
        .message = message,
        .hint = hint ? hint : "",
        .source = source,
    };
}

static void report(OozeScene *scene, OozeSeverity severity, OozePlace place, Order order,
                   const char *hint, const char *format, va_list arguments)
{
    scene->error_count += severity == OOZE_SEVERITY_ERROR && scene->error_count < INT_MAX;
    if (scene->diagnostic_count < OOZE_SCENE_DIAGNOSTICS_MAX) {
        add(scene, severity, place, order, hint, format_text(scene, format, arguments));
    } else if (scene->diagnostic_count == OOZE_SCENE_DIAGNOSTICS_MAX) {
        add(scene, severity, (OozePlace){0}, BY_LINE, NULL, "there is more than is listed here");
    }
}

void ooze_scene_report(OozeScene *scene, OozeSeverity severity, OozePlace place, const char *hint,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(scene, severity, place, BY_LINE, hint, format, arguments);
    va_end(arguments);
}

void ooze_scene_error(OozeScene *scene, const OozeNode *at, const char *hint, const char *format,
                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(scene, OOZE_SEVERITY_ERROR, ooze_node_place(at), BY_LINE, hint, format, arguments);
    va_end(arguments);
}

void ooze_scene_error_behind(OozeScene *scene, const OozeNode *at, const char *hint,
                             const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(scene, OOZE_SEVERITY_ERROR, ooze_node_place(at), AS_FOUND, hint, format, arguments);
    va_end(arguments);
}

void ooze_scene_warn(OozeScene *scene, const OozeNode *at, const char *hint, const char *format,
                     ...)
{
    OozePlace whole = {0};
    va_list arguments;
    va_start(arguments, format);
    OozePlace place = at ? ooze_node_place(at) : whole;
    report(scene, OOZE_SEVERITY_WARNING, place, BY_LINE, hint, format, arguments);
    va_end(arguments);
}

const char *ooze_scene_did_you_mean(OozeScene *scene, const char *word, const char *const *known,
                                    int count)
{
    const char *near = ooze_suggest(word, known, count);
    return near ? ooze_scene_format(scene, "did you mean '%s'?", near) : NULL;
}

int ooze_scene_diagnostic_count(const OozeScene *scene)
{
    return scene ? scene->diagnostic_count : 0;
}

const OozeDiagnostic *ooze_scene_diagnostic(const OozeScene *scene, int index)
{
    bool known = index >= 0 && index < ooze_scene_diagnostic_count(scene);
    return known ? &scene->diagnostics[index] : NULL;
}
