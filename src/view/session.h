/* A session of `ooze view`: a thread that simulates a scene, or plays a finished run, and publishes
   packets for the pages. The pages never wait for it, nor it for them: of each kind only the newest
   packet is kept. All functions may be called from any thread. */
#ifndef OOZE_VIEW_SESSION_H
#define OOZE_VIEW_SESSION_H

#include "ooze/scene.h"
#include "view/message.h"
#include "view/packet.h"

typedef struct OozeViewSession OozeViewSession;

typedef struct OozeViewOptions {
    const char *path; /* of a scene file or a run folder */
    const char *const *overrides;
    int override_count;
    OozeBuildOptions build;
    double frame_rate;          /* most frames a second; 0: 30 */
    bool paused;                /* at the beginning */
    bool polled;                /* no thread is started: ooze_view_session_poll does its work */
    void (*notify)(void *user); /* a packet is new; called by the thread of the session */
    void *user;
} OozeViewOptions;

/* Kinds of packets, in the order in which a page needs them. */
typedef enum OozeViewTopic {
    OOZE_TOPIC_SCENE,  /* JSON: what there is */
    OOZE_TOPIC_SOLIDS, /* see encode.h */
    OOZE_TOPIC_STATE,  /* JSON: time, statistics, values, readings */
    OOZE_TOPIC_FRAME,  /* see encode.h */
    OOZE_TOPIC_NOTICE, /* JSON: a sentence for the user */
    OOZE_TOPIC_REPLY,  /* JSON: the saved scene, for the page in control */
    OOZE_TOPIC_COUNT
} OozeViewTopic;

/* Loads the scene or run and starts the thread, if there is one. */
OozeStatus ooze_view_session_open(const OozeViewOptions *options, OozeViewSession **session,
                                  OozeError *error);
void ooze_view_session_close(OozeViewSession *session);

/* A part of the thread's work, where the options say `polled`: a frame, or else all commands and at
   most one step. Returns the seconds until more is due; a command or a wanted frame may be earlier.
   */
double ooze_view_session_poll(OozeViewSession *session);

/* Queues a command; false: the queue is full, and the command is lost. */
bool ooze_view_session_command(OozeViewSession *session, const OozeViewMessage *message);
/* A page waits for a frame: one is made as soon as the state is another. */
void ooze_view_session_want(OozeViewSession *session);
/* The newest packet of the topic, if its number is above `after`; NULL: there is none. The caller
   releases it. */
OozePacket *ooze_view_session_news(OozeViewSession *session, OozeViewTopic topic, uint64_t after);

#endif
