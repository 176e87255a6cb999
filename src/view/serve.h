/* Serves a session to browsers. Needs the optional feature "view"; without it the call returns
   OOZE_ERROR_UNSUPPORTED. */
#ifndef OOZE_VIEW_SERVE_H
#define OOZE_VIEW_SERVE_H

#include "view/session.h"

typedef struct OozeServeOptions {
    OozeViewOptions view;
    const char *listen; /* name or address as browsers write it; NULL: 127.0.0.1 */
    int port;           /* 0: a free one */
    bool embedded;      /* pages of this machine may show the page in a frame */
    /* 32 hexadecimal digits, which every page must know; NULL: random */
    const char *token;
    /* Called once with the address of the page, and with a reason where the page is missing. */
    void (*ready)(void *user, const char *address, const char *missing);
    bool (*stopped)(void); /* whether to end; called several times a second */
    void *user;
} OozeServeOptions;

/* Returns when `stopped` is true. */
OozeStatus ooze_serve(const OozeServeOptions *options, OozeError *error);

#endif
