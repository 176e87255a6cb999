#include "view/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What follows a verb: w a word, v a value, n a number. */
typedef struct Form {
    const char *verb, *words;
} Form;

static const Form forms[OOZE_VIEW_VERB_COUNT] = {
    [OOZE_VIEW_HELLO] = {"hello", "w"},      [OOZE_VIEW_ACK] = {"ack", "n"},
    [OOZE_VIEW_CONTROL] = {"control", ""},   [OOZE_VIEW_PLAY] = {"play", ""},
    [OOZE_VIEW_PAUSE] = {"pause", ""},       [OOZE_VIEW_STEP] = {"step", ""},
    [OOZE_VIEW_RESET] = {"reset", ""},       [OOZE_VIEW_UNDO] = {"undo", ""},
    [OOZE_VIEW_SPEED] = {"speed", "n"},      [OOZE_VIEW_SET] = {"set", "nv"},
    [OOZE_VIEW_DRAG] = {"drag", "wnnnnn"},   [OOZE_VIEW_PUSH] = {"push", "nnnnnnn"},
    [OOZE_VIEW_FIELD] = {"field", "w"},      [OOZE_VIEW_OPEN] = {"open", "n"},
    [OOZE_VIEW_SAVE] = {"save", ""},         [OOZE_VIEW_SEEK] = {"seek", "n"},
    [OOZE_VIEW_RESTART] = {"restart", "wn"}, [OOZE_VIEW_LOOP] = {"loop", "n"},
    [OOZE_VIEW_PRESET] = {"preset", "nv"},
};

/* Copies the next word, of printable ASCII between single spaces; false: there is none. */
static bool next_word(const char **at, const char *end, char word[OOZE_VIEW_WORD_MAX])
{
    size_t length = 0;
    for (; *at<end &&* * at> ' ' && **at < 0x7f; (*at)++) {
        if (length + 1 == OOZE_VIEW_WORD_MAX) {
            return false;
        }
        word[length++] = **at;
    }
    word[length] = '\0';
    if (*at < end && **at == ' ') {
        (*at)++;
        return length > 0 && *at < end; /* a space stands between two words */
    }
    return length > 0 && *at == end;
}

/* strtod also reads "inf", "nan" and hexadecimal numbers; a page sends none of them. */
static bool read_number(const char *word, double *number)
{
    char *end = NULL;
    if (strspn(word, "+-.0123456789eE") != strlen(word)) {
        return false;
    }
    *number = strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*number);
}

static bool read_words(const char *at, const char *end, const char *form, OozeViewMessage *message)
{
    char word[OOZE_VIEW_WORD_MAX];
    for (; *form; form++) {
        if (!next_word(&at, end, word)) {
            return false;
        }
        if (*form == 'w') {
            memcpy(message->word, word, sizeof word);
        } else if (*form == 'v') {
            memcpy(message->value, word, sizeof word);
        } else if (!read_number(word, &message->numbers[message->number_count++])) {
            return false;
        }
    }
    return at == end;
}

bool ooze_view_message_parse(const char *bytes, size_t size, OozeViewMessage *message)
{
    memset(message, 0, sizeof *message);
    if (size == 0 || size > OOZE_VIEW_MESSAGE_MAX) {
        return false;
    }
    const char *at = bytes, *end = bytes + size;
    char verb[OOZE_VIEW_WORD_MAX] = "";
    if (!next_word(&at, end, verb)) {
        return false;
    }
    for (int i = 0; i < OOZE_VIEW_VERB_COUNT; i++) {
        if (strcmp(forms[i].verb, verb) == 0) {
            message->verb = (OozeViewVerb)i;
            return read_words(at, end, forms[i].words, message);
        }
    }
    return false;
}
