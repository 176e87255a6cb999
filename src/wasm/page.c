/* The session of a page without a server, in WebAssembly: functions that the page's worker calls,
   in place of the connection of src/serve. The page is always in control, and the only one. Texts
   and packets are those of docs/view.md. */
#include <emscripten.h>
#include <stdio.h>
#include <string.h>

#include "view/session.h"

enum { OVERRIDES_MAX = 16, TEXT_MAX = 4096 };

EMSCRIPTEN_KEEPALIVE const char *ooze_page_open(const char *path, const char *overrides);
EMSCRIPTEN_KEEPALIVE void ooze_page_close(void);
EMSCRIPTEN_KEEPALIVE double ooze_page_poll(void);
EMSCRIPTEN_KEEPALIVE int ooze_page_receive(const char *text);
EMSCRIPTEN_KEEPALIVE int ooze_page_next_packet(void);
EMSCRIPTEN_KEEPALIVE const unsigned char *ooze_page_packet_bytes(void);
EMSCRIPTEN_KEEPALIVE int ooze_page_packet_is_binary(void);

static OozeViewSession *session;
static OozePacket *packet; /* that the page reads */
static uint64_t seen[OOZE_TOPIC_COUNT];
static bool has_frame; /* the page has not acknowledged the last one */
static OozeError failure;
/* What the options of the session point to. */
static char scene_path[TEXT_MAX], override_text[TEXT_MAX];
static const char *override_list[OVERRIDES_MAX];

void ooze_page_close(void)
{
    ooze_packet_release(packet);
    ooze_view_session_close(session);
    packet = NULL;
    session = NULL;
    memset(seen, 0, sizeof seen);
    has_frame = false;
}

static int split_overrides(const char *overrides)
{
    int count = 0;
    char *rest = override_text;
    snprintf(override_text, sizeof override_text, "%s", overrides);
    for (char *item; count < OVERRIDES_MAX && (item = strsep(&rest, "\n"));) {
        override_list[count] = item;
        count += item[0] != '\0';
    }
    return count;
}

/* Opens a scene of the module's file system, with overrides such as `spacing=0.01`, one in a line.
   Returns what is wrong, or "". */
const char *ooze_page_open(const char *path, const char *overrides)
{
    ooze_page_close();
    snprintf(scene_path, sizeof scene_path, "%s", path);
    OozeViewOptions options = {.path = scene_path,
                               .overrides = override_list,
                               .override_count = split_overrides(overrides),
                               .build = {.threads = 1},
                               .frame_rate = 60.0, /* a packet costs no network here */
                               .polled = true};
    failure = (OozeError){0};
    if (ooze_view_session_open(&options, &session, &failure)) {
        return failure.message;
    }
    ooze_view_session_want(session);
    return "";
}

/* See ooze_view_session_poll. */
double ooze_page_poll(void)
{
    return session ? ooze_view_session_poll(session) : 0.0;
}

/* A message of the page; 0: it is none. */
int ooze_page_receive(const char *text)
{
    OozeViewMessage message;
    if (!session || !ooze_view_message_parse(text, strlen(text), &message)) {
        return 0;
    }
    switch (message.verb) {
    case OOZE_VIEW_HELLO:
    case OOZE_VIEW_CONTROL:
        return 1;
    case OOZE_VIEW_ACK:
        has_frame = false;
        ooze_view_session_want(session);
        return 1;
    default:
        return ooze_view_session_command(session, &message);
    }
}

/* Takes the next packet; its size in bytes, 0: there is none. It stays until the next call. */
int ooze_page_next_packet(void)
{
    ooze_packet_release(packet);
    packet = NULL;
    for (int topic = 0; session && topic < OOZE_TOPIC_COUNT && !packet; topic++) {
        bool frame = topic == OOZE_TOPIC_FRAME || topic == OOZE_TOPIC_STATE;
        if (!(frame && has_frame)) {
            packet = ooze_view_session_news(session, (OozeViewTopic)topic, seen[topic]);
        }
        if (packet) {
            seen[topic] = packet->number;
            has_frame |= topic == OOZE_TOPIC_FRAME;
        }
    }
    return packet ? (int)packet->size : 0;
}

const unsigned char *ooze_page_packet_bytes(void)
{
    return packet ? packet->bytes : NULL;
}

int ooze_page_packet_is_binary(void)
{
    return packet && packet->binary;
}
