/* Messages from a page: one line of words, such as `set 3 12`. Any bytes are
   a valid input: the parser accepts them or does not. */
#ifndef OOZE_VIEW_MESSAGE_H
#define OOZE_VIEW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OOZE_VIEW_MESSAGE_MAX = 1024, /* bytes of a message */
    OOZE_VIEW_WORD_MAX = 200,     /* bytes of a word, with its end */
    OOZE_VIEW_NUMBERS_MAX = 7,
};

typedef enum OozeViewVerb {
    OOZE_VIEW_HELLO,   /* TOKEN: the first message of a connection */
    OOZE_VIEW_ACK,     /* N: frame N is on the screen, another may come */
    OOZE_VIEW_CONTROL, /* this page takes control */
    OOZE_VIEW_PLAY,
    OOZE_VIEW_PAUSE,
    OOZE_VIEW_STEP,    /* one step, and pause */
    OOZE_VIEW_RESET,   /* back to the beginning, without changes */
    OOZE_VIEW_UNDO,    /* back to the state before the last change */
    OOZE_VIEW_SPEED,   /* X: simulated seconds per second, 0: as fast as possible */
    OOZE_VIEW_SET,     /* N VALUE: parameter N of the list, by a row of `changes` */
    OOZE_VIEW_PRESET,  /* N NAME: material N of the scene gets the numbers of the preset */
    OOZE_VIEW_DRAG,    /* KIND N X Y Z SECONDS: moves a `solid` or `nozzle` on a ramp */
    OOZE_VIEW_PUSH,    /* X Y Z RADIUS VX VY VZ */
    OOZE_VIEW_FIELD,   /* NAME: colours of the particles */
    OOZE_VIEW_OPEN,    /* N: a scene of the list */
    OOZE_VIEW_RESTART, /* KEY X: begins anew with another `time_step` or `spacing` */
    OOZE_VIEW_SAVE,    /* asks for the changed scene as YAML */
    OOZE_VIEW_SEEK,    /* N: frame of a finished run */
    OOZE_VIEW_LOOP,    /* 0 or 1: a finished run begins again at its end */
    OOZE_VIEW_VERB_COUNT
} OozeViewVerb;

typedef struct OozeViewMessage {
    OozeViewVerb verb;
    char word[OOZE_VIEW_WORD_MAX];         /* the first word after the verb, or "" */
    char value[OOZE_VIEW_WORD_MAX];        /* of `set` and `preset` */
    double numbers[OOZE_VIEW_NUMBERS_MAX]; /* all finite */
    int number_count;
} OozeViewMessage;

/* False: not a message. `bytes` need not end with a NUL. */
bool ooze_view_message_parse(const char *bytes, size_t size, OozeViewMessage *message);

#endif
