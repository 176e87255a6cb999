/* The server of `ooze view`: its data, and the functions that the files of this folder share. It
   all runs on the thread of ooze_serve. */
#ifndef OOZE_SERVE_SERVER_H
#define OOZE_SERVE_SERVER_H

#include <libwebsockets.h>

#include "view/serve.h"

/* Packets are sent in pieces when the connection can take one: libwebsockets copies what it cannot
   send, and a page that never reads would hold a copy of each packet. */
enum { OOZE_TOKEN_DIGITS = 32, OOZE_HOST_MAX = 280, OOZE_PIECE_MAX = 1 << 16 };

/* One connected page. libwebsockets holds its memory. */
typedef struct OozeClient {
    struct lws *wsi;
    struct OozeClient *next; /* in the order of their arrival */
    bool accepted;           /* it has sent the token */
    bool in_control;
    bool control_is_news; /* it does not know which page controls, or how many there are */
    bool has_frame;       /* a frame was sent and is not acknowledged */
    OozePacket *packet;   /* that is being sent, or NULL */
    size_t sent;          /* of its bytes */
    uint64_t seen[OOZE_TOPIC_COUNT];   /* numbers of the packets that were sent */
    double allowance, allowance_clock; /* messages that it may send, see client.c */
    size_t length;
    char message[OOZE_VIEW_MESSAGE_MAX];
} OozeClient;

typedef struct OozeServer {
    const OozeServeOptions *options;
    struct lws_context *context;
    struct lws_vhost *vhost;
    lws_sorted_usec_list_t timer;
    OozeViewSession *session;
    OozeClient *clients;
    int client_count, accepted_count;
    unsigned char piece[LWS_PRE + OOZE_PIECE_MAX]; /* of a packet, with room for its header */
    char token[OOZE_TOKEN_DIGITS + 1];
    char hosts[2][OOZE_HOST_MAX]; /* values of the header Host that are accepted; "": none */
} OozeServer;

/* Callbacks of libwebsockets: requests for the page, and connections of pages. */
int ooze_page_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size);
int ooze_client_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size);

/* A request for the page that is being answered. */
typedef struct OozePageRequest {
    const struct OozeAsset *asset;
    size_t sent;
} OozePageRequest;

/* Whether the header Host is one of the server's own names, and the header Origin, which
   connections must have, that of its page. */
bool ooze_serve_accepts_origin(const OozeServer *server, struct lws *wsi);

/* For the list of parts. */
void ooze_serve_describe(char *text, size_t size);

#endif
