#include "view/session.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "view/describe.h"
#include "view/session_data.h"

/* ---- queue ------------------------------------------------------------------------------- */

bool ooze_view_session_command(OozeViewSession *session, const OozeViewMessage *message)
{
    pthread_mutex_lock(&session->lock);
    bool room = session->queued < OOZE_VIEW_QUEUE;
    if (room) {
        int at = (session->queue_first + session->queued) % OOZE_VIEW_QUEUE;
        session->queue[at] = *message;
        session->queued++;
        pthread_cond_signal(&session->wake);
    }
    pthread_mutex_unlock(&session->lock);
    return room;
}

void ooze_view_session_want(OozeViewSession *session)
{
    pthread_mutex_lock(&session->lock);
    session->wanted = true;
    pthread_cond_signal(&session->wake);
    pthread_mutex_unlock(&session->lock);
}

/* Takes the next command, waiting for at most `seconds`; false: there is none. */
static bool next_command(OozeViewSession *session, double seconds, OozeViewMessage *message)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double fraction = (double)until.tv_nsec * 1e-9 + fmin(seconds, 60.0);
    until.tv_sec += (time_t)fraction;
    until.tv_nsec = (long)((fraction - floor(fraction)) * 1e9);
    pthread_mutex_lock(&session->lock);
    int waited = 0;
    while (seconds > 0.0 && session->queued == 0 && !session->closing && waited == 0 &&
           !(session->wanted && session->changed)) {
        waited = pthread_cond_timedwait(&session->wake, &session->lock, &until);
    }
    bool any = session->queued > 0;
    if (any) {
        *message = session->queue[session->queue_first];
        session->queue_first = (session->queue_first + 1) % OOZE_VIEW_QUEUE;
        session->queued--;
    }
    pthread_mutex_unlock(&session->lock);
    return any;
}

static bool is_closing(OozeViewSession *session)
{
    pthread_mutex_lock(&session->lock);
    bool closing = session->closing;
    pthread_mutex_unlock(&session->lock);
    return closing;
}

/* ---- packets ----------------------------------------------------------------------------- */

uint64_t ooze_view_next_number(OozeViewSession *session)
{
    return ++session->last_number;
}

void ooze_view_publish(OozeViewSession *session, OozeViewTopic topic, OozePacket *packet)
{
    pthread_mutex_lock(&session->lock);
    OozePacket *before = session->packets[topic];
    session->packets[topic] = packet;
    pthread_mutex_unlock(&session->lock);
    ooze_packet_release(before);
    if (packet && session->options.notify) {
        session->options.notify(session->options.user);
    }
}

OozePacket *ooze_view_session_news(OozeViewSession *session, OozeViewTopic topic, uint64_t after)
{
    pthread_mutex_lock(&session->lock);
    OozePacket *packet = session->packets[topic];
    packet = packet && packet->number > after ? ooze_packet_share(packet) : NULL;
    pthread_mutex_unlock(&session->lock);
    return packet;
}

/* ---- pace -------------------------------------------------------------------------------- */

static double present_time(const OozeViewSession *session)
{
    return session->plays_run ? session->playback.frame->time : session->live.world->time;
}

/* Simulated time follows the clock from here on. */
static void restart_clock(OozeViewSession *session)
{
    session->clock_origin = ooze_clock();
    session->time_origin = present_time(session);
}

/* Seconds until the next step is due; 0 or less: now. */
static double seconds_to_step(OozeViewSession *session)
{
    if (!session->playing) {
        return 3600.0;
    }
    if (session->speed <= 0.0) {
        return 0.0;
    }
    double wall = ooze_clock() - session->clock_origin;
    double ahead = (present_time(session) - session->time_origin) / session->speed - wall;
    if (ahead < -0.1) { /* slower than real time: what is lost is not made up for */
        restart_clock(session);
    }
    return ahead;
}

/* One step of a scene, or the next frame of a run. */
static void advance(OozeViewSession *session)
{
    OozeError error = {0};
    bool ended = false;
    OozeStatus status;
    double began = ooze_clock();
    if (session->plays_run) {
        status = ooze_playback_next(&session->playback, &ended, &error);
        if (session->playback.index == 0) {
            restart_clock(session);
        }
        if (status) {
            ooze_view_notice(session, error.message);
            status = OOZE_OK; /* a damaged frame is passed */
        }
    } else {
        status = ooze_live_step(&session->live, &error);
    }
    if (status) {
        ooze_view_notice(session, error.message);
    }
    if (status || ended) {
        session->playing = false;
    }
    session->steps++;
    session->step_seconds = ooze_clock() - began;
    session->changed = true;
}

/* ---- commands ---------------------------------------------------------------------------- */

/* Changes that belong to one gesture are one action: of one number or item in quick succession. A
   preset is an action of its own. */
static OozeStatus begin_action(OozeViewSession *session, const OozeViewMessage *message,
                               OozeError *error)
{
    double now = ooze_clock(), passed = now - session->action_clock;
    const OozeViewMessage *last = &session->action;
    bool same_item = strcmp(last->word, message->word) == 0 &&
                     (message->verb == OOZE_VIEW_PUSH || last->numbers[0] == message->numbers[0]);
    bool same = session->live.action_count > 0 && last->verb == message->verb && same_item &&
                message->verb != OOZE_VIEW_PRESET && passed < 0.7;
    session->action = *message;
    session->action_clock = now;
    return same ? OOZE_OK : ooze_live_begin_action(&session->live, error);
}

static OozeStatus change(OozeViewSession *session, const OozeViewMessage *message, OozeError *error)
{
    const OozeViewParameters *list = &session->live.parameters;
    double index = message->numbers[0];
    if (!(index >= 0.0 && index < list->count) ||
        strspn(message->value,
               "+-._0123456789"
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != strlen(message->value)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "there is no such parameter or value");
    }
    OozeStatus status = begin_action(session, message, error);
    return status ? status
                  : ooze_live_change(&session->live, list->items[(int)index].path, message->value,
                                     0.0, error);
}

static OozeStatus choose_preset(OozeViewSession *session, const OozeViewMessage *message,
                                OozeError *error)
{
    double index = message->numbers[0];
    if (!(index >= 0.0 && index < session->live.scene->def.material_count)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "there is no such material");
    }
    OozeStatus status = begin_action(session, message, error);
    return status ? status
                  : ooze_live_choose_preset(&session->live, (int)index, message->value, error);
}

static OozeStatus drag(OozeViewSession *session, const OozeViewMessage *message, OozeError *error)
{
    const OozeSceneDef *def = &session->live.scene->def;
    bool solid = strcmp(message->word, "solid") == 0;
    int count = solid ? def->solid_count : def->emitter_count;
    double index = message->numbers[0], ramp = message->numbers[4];
    if ((!solid && strcmp(message->word, "nozzle") != 0) || !(index >= 0.0 && index < count) ||
        !(ramp >= 0.0)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "there is nothing to drag");
    }
    const char *name = solid ? def->solids[(int)index].name : def->emitters[(int)index].def.name;
    OozeStatus status = begin_action(session, message, error);
    for (int axis = 0; axis < 3 && !status; axis++) {
        char path[OOZE_VIEW_WORD_MAX], to[OOZE_NUMBER_MAX];
        snprintf(path, sizeof path, "%s.%s.position.%c", solid ? "solids" : "emitters", name,
                 'x' + axis);
        status = ooze_live_change(&session->live, path,
                                  ooze_number_text(message->numbers[1 + axis], to), ramp, error);
    }
    return status;
}

static OozeStatus push(OozeViewSession *session, const OozeViewMessage *message, OozeError *error)
{
    const double *n = message->numbers;
    OozeStatus status = begin_action(session, message, error);
    return status ? status
                  : ooze_live_push(&session->live, vec3(n[0], n[1], n[2]), n[3],
                                   vec3(n[4], n[5], n[6]), error);
}

static OozeStatus change_live(OozeViewSession *session, const OozeViewMessage *message,
                              OozeError *error)
{
    OozeLive *live = &session->live;
    OozeStatus status;
    switch (message->verb) {
    case OOZE_VIEW_RESET:
        return ooze_live_reset(live, error);
    case OOZE_VIEW_UNDO:
        return ooze_live_undo(live, error);
    case OOZE_VIEW_SET:
    case OOZE_VIEW_PRESET:
    case OOZE_VIEW_DRAG:
    case OOZE_VIEW_PUSH:
        status = message->verb == OOZE_VIEW_SET      ? change(session, message, error)
                 : message->verb == OOZE_VIEW_PRESET ? choose_preset(session, message, error)
                 : message->verb == OOZE_VIEW_DRAG   ? drag(session, message, error)
                                                     : push(session, message, error);
        if (status) {
            ooze_live_cancel_action(live);
        }
        return status;
    case OOZE_VIEW_SAVE:
        return ooze_view_reply_saved(session, error);
    default:
        return OOZE_OK;
    }
}

static OozeStatus change_playback(OozeViewSession *session, const OozeViewMessage *message,
                                  OozeError *error)
{
    double index = fmax(message->numbers[0], 0.0);
    switch (message->verb) {
    case OOZE_VIEW_SEEK:
        return ooze_playback_seek(&session->playback, (uint64_t)fmin(index, 1e15), error);
    case OOZE_VIEW_RESET:
        return ooze_playback_seek(&session->playback, 0, error);
    case OOZE_VIEW_LOOP:
        session->playback.loops = index != 0.0;
        return OOZE_OK;
    default:
        return OOZE_OK;
    }
}

/* Whether particles can be coloured by the field. */
static bool offers_field(OozeViewSession *session, const char *name)
{
    OozeWorld *world = session->plays_run ? NULL : session->live.world;
    const OozeFrame *frame = world ? ooze_world_frame(world) : session->playback.frame;
    return frame && ooze_view_offers_field(frame, world, name);
}

static OozeStatus set_field(OozeViewSession *session, const char *name, OozeError *error)
{
    if (!offers_field(session, name)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "the particles here have no '%s'", name);
    }
    snprintf(session->field, sizeof session->field, "%s", name);
    return OOZE_OK;
}

/* Opens the scene `index` of the library; -1: the one of the command line. Time step and spacing
   are those that a page has chosen. */
static OozeStatus open_scene(OozeViewSession *session, int index, OozeError *error)
{
    const OozeViewOptions *options = &session->options;
    bool first = index < 0 || strcmp(session->library.items[index].path, options->path) == 0;
    const char *path = first ? options->path : session->library.items[index].path;
    int given = first ? options->override_count : 0, count = given;
    const char **overrides = ooze_alloc((size_t)given + 2, sizeof *overrides);
    if (!overrides) {
        return ooze_fail_memory(error, "a scene", 0);
    }
    for (int i = 0; i < given; i++) {
        overrides[i] = options->overrides[i];
    }
    char texts[2][64], number[OOZE_NUMBER_MAX];
    if (session->time_step > 0.0) {
        snprintf(texts[0], sizeof texts[0], "time_step=%s",
                 ooze_number_text(session->time_step, number));
        overrides[count++] = texts[0];
    }
    if (session->spacing > 0.0) {
        snprintf(texts[1], sizeof texts[1], "spacing=%s",
                 ooze_number_text(session->spacing, number));
        overrides[count++] = texts[1];
    }
    OozeLive opened;
    OozeStatus status = ooze_live_open(&opened, path, overrides, count, &options->build, error);
    ooze_free(overrides);
    if (status) {
        return status;
    }
    if (session->plays_run) {
        ooze_playback_close(&session->playback);
    } else {
        ooze_live_close(&session->live);
    }
    session->live = opened;
    session->plays_run = false;
    session->opened = index;
    if (!offers_field(session, session->field)) {
        snprintf(session->field, sizeof session->field, "look");
    }
    return ooze_view_publish_scene(session, error);
}

static OozeStatus choose_scene(OozeViewSession *session, double index, OozeError *error)
{
    if (!(index >= 0.0 && index < session->library.count)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "there is no such scene");
    }
    session->time_step = session->spacing = 0.0;
    return open_scene(session, (int)index, error);
}

/* Begins anew with another time step or spacing; where the scene cannot be built so, all stays. */
static OozeStatus restart(OozeViewSession *session, const OozeViewMessage *message,
                          OozeError *error)
{
    bool step = strcmp(message->word, "time_step") == 0;
    double *chosen = step ? &session->time_step : &session->spacing, before = *chosen;
    if (session->plays_run || (!step && strcmp(message->word, "spacing") != 0) ||
        !(message->numbers[0] > 0.0)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "", "the scene does not begin with that");
    }
    *chosen = message->numbers[0];
    OozeStatus status = open_scene(session, session->opened, error);
    *chosen = status ? before : *chosen;
    return status;
}

static void handle_message(OozeViewSession *session, const OozeViewMessage *message)
{
    OozeError error = {0};
    OozeStatus status = OOZE_OK;
    switch (message->verb) {
    case OOZE_VIEW_PLAY:
        session->playing = true;
        break;
    case OOZE_VIEW_PAUSE:
        session->playing = false;
        break;
    case OOZE_VIEW_STEP:
        session->playing = false;
        advance(session);
        break;
    case OOZE_VIEW_SPEED:
        session->speed = message->numbers[0];
        break;
    case OOZE_VIEW_FIELD:
        status = set_field(session, message->word, &error);
        break;
    case OOZE_VIEW_OPEN:
        status = choose_scene(session, message->numbers[0], &error);
        break;
    case OOZE_VIEW_RESTART:
        status = restart(session, message, &error);
        break;
    default:
        status = session->plays_run ? change_playback(session, message, &error)
                                    : change_live(session, message, &error);
        break;
    }
    if (status) {
        ooze_view_notice(session, error.message);
    }
    bool changes_number = message->verb == OOZE_VIEW_SET || message->verb == OOZE_VIEW_PRESET ||
                          message->verb == OOZE_VIEW_DRAG || message->verb == OOZE_VIEW_PUSH ||
                          message->verb == OOZE_VIEW_FIELD;
    if (!changes_number) {
        restart_clock(session);
    }
    session->changed = true;
}

/* ---- thread ------------------------------------------------------------------------------ */

/* Frames are published 30 times a second, when a page waits for one: after the step that ends
   nearest to that time, since steps of 28 ms would otherwise give 18 frames a second. */
static double seconds_to_frame(const OozeViewSession *session)
{
    double interval = 1.0 / session->options.frame_rate;
    double early = session->playing ? 0.5 * fmin(session->step_seconds, interval) : 0.0;
    return session->published + interval - early - ooze_clock();
}

static bool frame_is_wanted(OozeViewSession *session)
{
    pthread_mutex_lock(&session->lock);
    bool wanted = session->wanted && session->changed;
    pthread_mutex_unlock(&session->lock);
    return wanted;
}

static void publish_frame(OozeViewSession *session)
{
    pthread_mutex_lock(&session->lock);
    session->wanted = false;
    session->changed = false;
    pthread_mutex_unlock(&session->lock);
    session->published = ooze_clock();
    ooze_view_publish_state(session);
    ooze_view_publish_frame(session);
}

/* Handles the messages, the first within `wait` seconds, and takes a step if one is due. */
static void handle_and_advance(OozeViewSession *session, double wait)
{
    OozeViewMessage message;
    for (bool any = next_command(session, wait, &message); any;
         any = next_command(session, 0.0, &message)) {
        handle_message(session, &message);
    }
    if (seconds_to_step(session) <= 0.0) {
        advance(session);
    }
}

double ooze_view_session_poll(OozeViewSession *session)
{
    if (frame_is_wanted(session) && seconds_to_frame(session) <= 0.0) {
        publish_frame(session);
        return 0.0; /* it is sent before the next step, and acknowledged during it */
    }
    handle_and_advance(session, 0.0);
    double wait = seconds_to_step(session);
    if (frame_is_wanted(session)) {
        wait = fmin(wait, seconds_to_frame(session));
    }
    return fmax(wait, 0.0);
}

static void *run_session(void *context)
{
    OozeViewSession *session = context;
    while (!is_closing(session)) {
        double wait = seconds_to_step(session);
        if (frame_is_wanted(session)) {
            wait = fmin(wait, seconds_to_frame(session));
            if (wait > 0.0) { /* at most the 30th of a second between two frames */
                struct timespec pause = {0, (long)(fmin(wait, 1.0 / 30.0) * 1e9)};
                nanosleep(&pause, NULL);
            }
            if (seconds_to_frame(session) <= 0.0) {
                publish_frame(session);
            }
            wait = 0.0;
        }
        handle_and_advance(session, wait);
    }
    return NULL;
}

/* ---- beginning and end ------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static OozeStatus load(OozeViewSession *session, OozeError *error)
{
    const OozeViewOptions *options = &session->options;
    OozeStatus status;
    session->plays_run = is_folder(options->path);
    session->opened = -1;
    if (session->plays_run) {
        status = ooze_playback_open(&session->playback, options->path, error);
    } else {
        status = ooze_live_open(&session->live, options->path, options->overrides,
                                options->override_count, &options->build, error);
        status =
            status ? status : ooze_view_library_create(&session->library, options->path, error);
    }
    for (int i = 0; !status && i < session->library.count; i++) {
        session->opened =
            strcmp(session->library.items[i].path, options->path) == 0 ? i : session->opened;
    }
    return status ? status : ooze_view_publish_scene(session, error);
}

OozeStatus ooze_view_session_open(const OozeViewOptions *options, OozeViewSession **out,
                                  OozeError *error)
{
    OozeViewSession *session = ooze_alloc_zero(1, sizeof *session);
    *out = NULL;
    if (!session) {
        return ooze_fail_memory(error, "a session", sizeof *session);
    }
    session->options = *options;
    session->options.frame_rate = options->frame_rate > 0.0 ? options->frame_rate : 30.0;
    session->playing = !options->paused;
    session->speed = 1.0;
    session->changed = true;
    snprintf(session->field, sizeof session->field, "look");
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&session->lock, NULL);
    pthread_cond_init(&session->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    OozeStatus status = load(session, error);
    if (!status) {
        restart_clock(session);
    }
    if (!status && !options->polled) {
        session->started = pthread_create(&session->thread, NULL, run_session, session) == 0;
        status = session->started
                     ? OOZE_OK
                     : ooze_fail(error, OOZE_ERROR_MEMORY, "", "no thread can be started");
    }
    *out = session;
    if (status) {
        ooze_view_session_close(session);
        *out = NULL;
    }
    return status;
}

void ooze_view_session_close(OozeViewSession *session)
{
    if (!session) {
        return;
    }
    if (session->started) {
        pthread_mutex_lock(&session->lock);
        session->closing = true;
        pthread_cond_signal(&session->wake);
        pthread_mutex_unlock(&session->lock);
        pthread_join(session->thread, NULL);
    }
    for (int i = 0; i < OOZE_TOPIC_COUNT; i++) {
        ooze_packet_release(session->packets[i]);
    }
    if (session->plays_run) {
        ooze_playback_close(&session->playback);
    } else {
        ooze_live_close(&session->live);
    }
    ooze_view_library_free(&session->library);
    ooze_derived_free(&session->derived);
    pthread_cond_destroy(&session->wake);
    pthread_mutex_destroy(&session->lock);
    ooze_free(session);
}
