/* Tokens of mesh and height map files: words, numbers and line counts, in text that need not be
   terminated, independent of the program's locale. */
#ifndef OOZE_MESH_SCAN_H
#define OOZE_MESH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct OozeScan {
    const char *at, *end;
    uint64_t line;      /* of `at`, from 1 */
    char comment;       /* begins a comment up to the end of the line; 0: none */
    bool continuations; /* a backslash at the end of a line joins the next to it */
} OozeScan;

typedef struct OozeToken {
    const char *text;
    size_t length;
    uint64_t line;
} OozeToken;

/* The next word on this line; false at its end. */
bool ooze_scan_in_line(OozeScan *scan, OozeToken *token);
/* Skips to the end of this line and of its continuations. */
void ooze_scan_next_line(OozeScan *scan);
/* The next word on any line; false at the end of the text. */
bool ooze_scan_token(OozeScan *scan, OozeToken *token);

/* Compares without case. `word` is lower case. */
bool ooze_token_is(const OozeToken *token, const char *word);
/* A finite number that fills the whole word, rounded correctly. */
bool ooze_token_number(const OozeToken *token, double *number);
bool ooze_token_integer(const OozeToken *token, int64_t *number);
/* At most 40 printable characters of the word, for messages. */
typedef struct OozeTokenText {
    char text[44];
} OozeTokenText;
OozeTokenText ooze_token_text(const OozeToken *token);

#endif
