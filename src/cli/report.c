#include "cli/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

bool ooze_is_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
}

typedef struct Colours {
    const char *bold, *red, *magenta, *green, *off;
} Colours;

static Colours colours(void)
{
    const char *no_colour = getenv("NO_COLOR");
    if (!ooze_is_terminal(stderr) || (no_colour && no_colour[0])) {
        return (Colours){"", "", "", "", ""};
    }
    return (Colours){"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;32m", "\033[0m"};
}

static void print_clean(const char *text)
{
    for (const char *c = text; *c; c++) {
        bool control = ((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7f;
        fputc(control ? '?' : *c, stderr);
    }
}

static void print_clean_line(const char *prefix, const char *format, va_list arguments)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, arguments);
    fputs(prefix, stderr);
    print_clean(line);
    fputc('\n', stderr);
}

void ooze_report_line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_clean_line("", format, arguments);
    va_end(arguments);
}

void ooze_report_warning(const char *format, ...)
{
    Colours c = colours();
    fprintf(stderr, "ooze: %swarning:%s ", c.magenta, c.off);
    va_list arguments;
    va_start(arguments, format);
    print_clean_line("", format, arguments);
    va_end(arguments);
}

int ooze_report_error(const OozeError *error)
{
    Colours c = colours();
    fprintf(stderr, "ooze: %serror:%s ", c.red, c.off);
    print_clean(error->message[0] ? error->message : ooze_status_name(error->status));
    fputc('\n', stderr);
    if (error->hint[0]) {
        fputs("  hint: ", stderr);
        print_clean(error->hint);
        fputc('\n', stderr);
    }
    return error->status == OOZE_ERROR_NUMERIC ? OOZE_EXIT_NUMERIC : OOZE_EXIT_FAILED;
}

enum { WINDOW_BEFORE = 80, WINDOW_AFTER = 60 };

static bool starts_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* The source line, cut to a window about the column when long, and a caret under the column.
   Columns count characters, so continuation bytes of UTF-8 take no room. */
static void print_source(const char *source, int column, const Colours *c)
{
    const char *caret = source;
    for (int k = 1; k < column && *caret; k++) {
        do {
            caret++;
        } while (*caret && !starts_character(*caret));
    }
    const char *begin = caret - source > WINDOW_BEFORE ? caret - WINDOW_BEFORE : source;
    while (!starts_character(*begin)) {
        begin++;
    }
    const char *end = caret;
    while (*end && *end != '\n' && *end != '\r' && end - caret < WINDOW_AFTER) {
        end++;
    }
    while (*end && !starts_character(*end)) {
        end++;
    }
    bool cut_end = *end && *end != '\n' && *end != '\r';
    fprintf(stderr, "    %s", begin > source ? "..." : "");
    for (const char *p = begin; p < end; p++) {
        bool control = ((unsigned char)*p < 0x20 && *p != '\t') || *p == 0x7f;
        fputc(control ? '?' : *p, stderr);
    }
    fprintf(stderr, "%s\n    %s", cut_end ? "..." : "", begin > source ? "   " : "");
    for (const char *p = begin; p < caret; p++) {
        if (starts_character(*p)) {
            fputc(*p == '\t' ? '\t' : ' ', stderr);
        }
    }
    fprintf(stderr, "%s^%s\n", c->green, c->off);
}

static void print_diagnostic(const OozeDiagnostic *diagnostic, const Colours *c)
{
    fputs(c->bold, stderr);
    print_clean(diagnostic->file);
    if (diagnostic->line > 0) {
        fprintf(stderr, ":%d:%d", diagnostic->line, diagnostic->column);
    }
    bool wrong = diagnostic->severity == OOZE_SEVERITY_ERROR;
    fprintf(stderr, ":%s %s%s:%s ", c->off, wrong ? c->red : c->magenta,
            wrong ? "error" : "warning", c->off);
    print_clean(diagnostic->message);
    fputc('\n', stderr);
    if (diagnostic->source && diagnostic->source[0] && diagnostic->column > 0) {
        print_source(diagnostic->source, diagnostic->column, c);
    }
    if (diagnostic->hint && diagnostic->hint[0]) {
        fputs("    ", stderr);
        print_clean(diagnostic->hint);
        fputc('\n', stderr);
    }
}

int ooze_report_damaged(uint64_t frames)
{
    OozeError error = {0};
    ooze_fail(&error, OOZE_ERROR_FORMAT, OOZE_HINT_FRAMES, "%llu frame%s missing or damaged",
              (unsigned long long)frames, frames == 1 ? " is" : "s are");
    return ooze_report_error(&error);
}

int ooze_report_scene(const OozeScene *scene, int *warnings)
{
    Colours c = colours();
    int errors = 0, others = 0;
    int count = scene ? ooze_scene_diagnostic_count(scene) : 0;
    for (int i = 0; i < count; i++) {
        const OozeDiagnostic *diagnostic = ooze_scene_diagnostic(scene, i);
        print_diagnostic(diagnostic, &c);
        if (diagnostic->severity == OOZE_SEVERITY_ERROR) {
            errors++;
        } else {
            others++;
        }
    }
    if (warnings) {
        *warnings = others;
    }
    return errors;
}
