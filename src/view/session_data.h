/* Data of a session, and the functions that its two files share. */
#ifndef OOZE_VIEW_SESSION_DATA_H
#define OOZE_VIEW_SESSION_DATA_H

#include <pthread.h>

#include "view/derived.h"
#include "view/library.h"
#include "view/live.h"
#include "view/playback.h"
#include "view/session.h"

enum { OOZE_VIEW_QUEUE = 256, OOZE_VIEW_STAGES = 16 };

struct OozeViewSession {
    OozeViewOptions options;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; /* of the members up to `packets` */
    pthread_cond_t wake;
    bool closing;
    bool wanted;  /* a page waits for a frame */
    bool changed; /* the state is another than that of the last frame */
    OozeViewMessage queue[OOZE_VIEW_QUEUE];
    int queue_first, queued;
    OozePacket *packets[OOZE_TOPIC_COUNT];

    /* Members of the session's thread alone. */
    uint64_t last_number;
    bool plays_run; /* `playback` is open, else `live` is */
    OozeLive live;
    OozePlayback playback;
    OozeViewLibrary library;
    double time_step, spacing; /* that a page has chosen instead of the scene's; 0: none */
    int opened;                /* index within the library; -1: not in it */
    bool playing;
    double speed;                     /* simulated seconds per second; 0: as fast as possible */
    double clock_origin, time_origin; /* when playing began, by the clock and simulated */
    double published;                 /* when the last frame was */
    double step_seconds;              /* of the clock, that the last step took */
    char field[OOZE_VIEW_WORD_MAX];
    OozeDerived derived;    /* numbers of the field, where a frame has none */
    OozeViewMessage action; /* the last change, and when it came */
    double action_clock;
    /* Of the last second of the clock, for the statistics. */
    uint64_t steps;
    struct {
        double clock, time;
        uint64_t steps;
        double stages[OOZE_VIEW_STAGES];
    } since;
    double steps_per_second, real_time_factor;
    double stage_ms[OOZE_VIEW_STAGES]; /* of one step */
};

uint64_t ooze_view_next_number(OozeViewSession *session);
/* Gives the packet to the session. */
void ooze_view_publish(OozeViewSession *session, OozeViewTopic topic, OozePacket *packet);
OozeStatus ooze_view_publish_scene(OozeViewSession *session, OozeError *error);
void ooze_view_publish_state(OozeViewSession *session);
void ooze_view_publish_frame(OozeViewSession *session);
void ooze_view_notice(OozeViewSession *session, const char *sentence);
OozeStatus ooze_view_reply_saved(OozeViewSession *session, OozeError *error);

#endif
