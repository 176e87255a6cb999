#include "cli/diff.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { CONTEXT = 3, TABLE_MAX = 1 << 24 };

typedef struct Line {
    const char *text;
    size_t length;
} Line;

typedef struct Lines {
    Line *items;
    size_t count;
} Lines;

static bool split(const char *text, Lines *lines)
{
    size_t count = 0;
    for (const char *p = text; *p; p++) {
        count += *p == '\n' || p[1] == '\0';
    }
    lines->count = 0;
    lines->items = ooze_alloc(count, sizeof *lines->items);
    if (!lines->items) {
        return false;
    }
    while (*text) {
        size_t length = strcspn(text, "\n");
        lines->items[lines->count++] = (Line){text, length};
        text += length + (text[length] == '\n');
    }
    return true;
}

static bool same(const Line *a, const Line *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* The lines between the common head and tail of both texts. `common` holds the length of the
   longest common subsequence of each pair of tails, row-major, with a row and a column of zeros at
   the end. */
typedef struct Middle {
    const Line *old_lines, *new_lines;
    size_t old_count, new_count;
    uint32_t *common; /* NULL: too many lines, all count as changed */
} Middle;

static void fill_table(Middle *m)
{
    size_t width = m->new_count + 1, cells;
    if (__builtin_mul_overflow(m->old_count + 1, width, &cells) || cells > TABLE_MAX) {
        return;
    }
    m->common = ooze_alloc_zero(cells, sizeof *m->common);
    for (size_t i = m->old_count; m->common && i-- > 0;) {
        for (size_t j = m->new_count; j-- > 0;) {
            uint32_t down = m->common[(i + 1) * width + j], right = m->common[i * width + j + 1];
            m->common[i * width + j] = same(&m->old_lines[i], &m->new_lines[j])
                                           ? m->common[(i + 1) * width + j + 1] + 1
                                           : (down > right ? down : right);
        }
    }
}

/* Edits line by line: ' ' in both texts, '-' only in the old one, '+' only in the new one. */
static size_t write_edits(const Middle *m, char *edits)
{
    size_t i = 0, j = 0, n = 0, width = m->new_count + 1;
    while (i < m->old_count || j < m->new_count) {
        if (m->common && i < m->old_count && j < m->new_count &&
            same(&m->old_lines[i], &m->new_lines[j])) {
            edits[n++] = ' ';
            i++;
            j++;
        } else if (i < m->old_count &&
                   (j == m->new_count || !m->common ||
                    m->common[(i + 1) * width + j] >= m->common[i * width + j + 1])) {
            edits[n++] = '-';
            i++;
        } else {
            edits[n++] = '+';
            j++;
        }
    }
    return n;
}

typedef struct Script {
    const Lines *old_lines, *new_lines;
    const char *edits;
    size_t length;
} Script;

/* Edits begin .. end, with i lines of the old text and j of the new one before them. */
static void append_hunk(OozeText *out, const Script *script, size_t begin, size_t end, size_t i,
                        size_t j)
{
    size_t old_count = 0, new_count = 0;
    for (size_t k = begin; k < end; k++) {
        old_count += script->edits[k] != '+';
        new_count += script->edits[k] != '-';
    }
    ooze_text_append(out, "@@ -%zu,%zu +%zu,%zu @@\n", i + (old_count > 0), old_count,
                     j + (new_count > 0), new_count);
    for (size_t k = begin; k < end; k++) {
        char edit = script->edits[k];
        const Line *line =
            edit == '+' ? &script->new_lines->items[j] : &script->old_lines->items[i];
        ooze_text_append(out, "%c%.*s\n", edit, (int)line->length, line->text);
        i += edit != '+';
        j += edit != '-';
    }
}

static void append_hunks(OozeText *out, const Script *script)
{
    const char *edits = script->edits;
    size_t i = 0, j = 0, done = 0; /* lines of both texts before edits[done] */
    for (size_t k = 0; k < script->length; k++) {
        if (edits[k] == ' ') {
            continue;
        }
        size_t begin = k > done + CONTEXT ? k - CONTEXT : done;
        size_t end = k + 1, unchanged = 0;
        while (end < script->length && unchanged < 2 * CONTEXT) {
            unchanged = edits[end] == ' ' ? unchanged + 1 : 0;
            end++;
        }
        end -= unchanged > CONTEXT ? unchanged - CONTEXT : 0;
        i += begin - done; /* lines between two hunks are unchanged */
        j += begin - done;
        append_hunk(out, script, begin, end, i, j);
        for (size_t s = begin; s < end; s++) {
            i += edits[s] != '+';
            j += edits[s] != '-';
        }
        done = end;
        k = end - 1;
    }
}

void ooze_diff_unified(OozeText *out, const char *old_name, const char *old_text,
                       const char *new_name, const char *new_text)
{
    if (strcmp(old_text, new_text) == 0) {
        return;
    }
    Lines a = {0}, b = {0};
    char *edits = NULL;
    Middle middle = {0};
    if (split(old_text, &a) && split(new_text, &b)) {
        size_t head = 0, tail = 0;
        while (head < a.count && head < b.count && same(&a.items[head], &b.items[head])) {
            head++;
        }
        while (tail < a.count - head && tail < b.count - head &&
               same(&a.items[a.count - 1 - tail], &b.items[b.count - 1 - tail])) {
            tail++;
        }
        middle = (Middle){.old_lines = a.items + head,
                          .new_lines = b.items + head,
                          .old_count = a.count - head - tail,
                          .new_count = b.count - head - tail};
        fill_table(&middle);
        edits = ooze_alloc(a.count + b.count, 1);
        if (edits) {
            memset(edits, ' ', head);
            size_t length = head + write_edits(&middle, edits + head);
            memset(edits + length, ' ', tail);
            ooze_text_append(out, "--- %s\n+++ %s\n", old_name, new_name);
            append_hunks(out, &(Script){&a, &b, edits, length + tail});
        }
    }
    ooze_free(middle.common);
    ooze_free(edits);
    ooze_free(a.items);
    ooze_free(b.items);
}
