/* Connections of pages. A page first sends the token. It receives the newest packet of each topic,
   and the next frame after it has acknowledged the last. A message that is not one ends its own
   connection and nothing else. */
#include <string.h>

#include "base/clock.h"
#include "serve/server.h"

enum {
    CLIENTS_MAX = 64,
    HELLO_SECONDS = 5,         /* for the token */
    MESSAGES_PER_SECOND = 240, /* on average; twice as many at once */
};

/* ---- clients ----------------------------------------------------------------------------- */

static void broadcast_control(OozeServer *server)
{
    for (OozeClient *client = server->clients; client; client = client->next) {
        client->control_is_news = true;
        lws_callback_on_writable(client->wsi);
    }
}

/* The page that has waited longest is in control where none is. */
static void pass_control(OozeServer *server)
{
    OozeClient *first = NULL;
    for (OozeClient *client = server->clients; client; client = client->next) {
        if (client->in_control) {
            return;
        }
        first = first || !client->accepted ? first : client;
    }
    if (first) {
        first->in_control = true;
    }
}

static int add_client(OozeServer *server, struct lws *wsi, OozeClient *client)
{
    memset(client, 0, sizeof *client);
    if (server->client_count >= CLIENTS_MAX) {
        return -1; /* it is not in the list: `wsi` stays NULL */
    }
    client->wsi = wsi;
    client->allowance = 2 * MESSAGES_PER_SECOND;
    client->allowance_clock = ooze_clock();
    OozeClient **last = &server->clients;
    while (*last) {
        last = &(*last)->next;
    }
    *last = client;
    server->client_count++;
    lws_set_timeout(wsi, PENDING_TIMEOUT_AWAITING_SERVER_RESPONSE, HELLO_SECONDS);
    return 0;
}

static void remove_client(OozeServer *server, OozeClient *client)
{
    if (!client || !client->wsi) {
        return;
    }
    for (OozeClient **at = &server->clients; *at; at = &(*at)->next) {
        if (*at == client) {
            *at = client->next;
            break;
        }
    }
    server->client_count--;
    server->accepted_count -= client->accepted;
    client->wsi = NULL;
    ooze_packet_release(client->packet);
    client->packet = NULL;
    pass_control(server);
    broadcast_control(server);
}

/* ---- receiving --------------------------------------------------------------------------- */

static int end_connection(struct lws *wsi, enum lws_close_status status, const char *reason)
{
    lws_close_reason(wsi, status, (unsigned char *)reason, strlen(reason));
    return -1;
}

/* In a time that does not depend on where the texts differ. */
static bool is_token(const OozeServer *server, const char *word)
{
    unsigned difference = 0;
    if (strlen(word) != OOZE_TOKEN_DIGITS) {
        return false; /* the length is not a secret */
    }
    for (int i = 0; i < OOZE_TOKEN_DIGITS; i++) {
        difference |= (unsigned)(word[i] ^ server->token[i]);
    }
    return difference == 0;
}

static void accept_client(OozeServer *server, OozeClient *client)
{
    client->accepted = true;
    server->accepted_count++;
    lws_set_timeout(client->wsi, NO_PENDING_TIMEOUT, 0);
    for (int topic = OOZE_TOPIC_NOTICE; topic <= OOZE_TOPIC_REPLY; topic++) {
        OozePacket *old = ooze_view_session_news(server->session, (OozeViewTopic)topic, 0);
        client->seen[topic] = old ? old->number : 0; /* meant for earlier pages */
        ooze_packet_release(old);
    }
    pass_control(server);
    broadcast_control(server);
    ooze_view_session_want(server->session);
}

static void take_control(OozeServer *server, OozeClient *client)
{
    for (OozeClient *other = server->clients; other; other = other->next) {
        other->in_control = other == client;
    }
    broadcast_control(server);
}

static int handle_message(OozeServer *server, OozeClient *client, const OozeViewMessage *message)
{
    if (!client->accepted) {
        if (message->verb != OOZE_VIEW_HELLO || !is_token(server, message->word)) {
            return end_connection(client->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "token");
        }
        accept_client(server, client);
        return 0;
    }
    switch (message->verb) {
    case OOZE_VIEW_HELLO:
        return end_connection(client->wsi, LWS_CLOSE_STATUS_PROTOCOL_ERR, "hello");
    case OOZE_VIEW_ACK:
        client->has_frame = false;
        ooze_view_session_want(server->session);
        lws_callback_on_writable(client->wsi);
        return 0;
    case OOZE_VIEW_CONTROL:
        take_control(server, client);
        return 0;
    default:
        if (client->in_control) {
            ooze_view_session_command(server->session, message); /* lost where the queue is full */
        }
        return 0;
    }
}

static bool may_send(OozeClient *client)
{
    double now = ooze_clock();
    client->allowance += (now - client->allowance_clock) * MESSAGES_PER_SECOND;
    client->allowance_clock = now;
    if (client->allowance > 2 * MESSAGES_PER_SECOND) {
        client->allowance = 2 * MESSAGES_PER_SECOND;
    }
    client->allowance -= 1.0;
    return client->allowance >= 0.0;
}

static int receive(OozeServer *server, OozeClient *client, const void *bytes, size_t size)
{
    if (lws_frame_is_binary(client->wsi)) {
        return end_connection(client->wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "text only");
    }
    if (size > sizeof client->message - client->length) {
        return end_connection(client->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "too long");
    }
    memcpy(client->message + client->length, bytes, size);
    client->length += size;
    if (!lws_is_final_fragment(client->wsi) || lws_remaining_packet_payload(client->wsi) > 0) {
        return 0;
    }
    OozeViewMessage message;
    bool good = ooze_view_message_parse(client->message, client->length, &message);
    client->length = 0;
    if (!good) {
        return end_connection(client->wsi, LWS_CLOSE_STATUS_PROTOCOL_ERR, "not a message");
    }
    if (!may_send(client)) {
        return end_connection(client->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages");
    }
    return handle_message(server, client, &message);
}

/* ---- sending ----------------------------------------------------------------------------- */

static int send_control(const OozeServer *server, OozeClient *client)
{
    unsigned char room[LWS_PRE + 128];
    int size = lws_snprintf((char *)room + LWS_PRE, sizeof room - LWS_PRE,
                            "{\"type\":\"control\",\"you\":%s,\"viewers\":%d}",
                            client->in_control ? "true" : "false", server->accepted_count);
    client->control_is_news = false;
    return lws_write(client->wsi, room + LWS_PRE, (size_t)size, LWS_WRITE_TEXT) < size ? -1 : 0;
}

/* The next piece of the packet. */
static int send_piece(OozeServer *server, OozeClient *client)
{
    OozePacket *packet = client->packet;
    size_t left = packet->size - client->sent;
    size_t size = left < OOZE_PIECE_MAX ? left : OOZE_PIECE_MAX;
    int kind = client->sent > 0 ? LWS_WRITE_CONTINUATION
               : packet->binary ? LWS_WRITE_BINARY
                                : LWS_WRITE_TEXT;
    memcpy(server->piece + LWS_PRE, packet->bytes + client->sent, size);
    int flags = size < left ? kind | LWS_WRITE_NO_FIN : kind;
    int written =
        lws_write(client->wsi, server->piece + LWS_PRE, size, (enum lws_write_protocol)flags);
    client->sent += size;
    if (size == left) {
        ooze_packet_release(packet);
        client->packet = NULL;
    }
    lws_callback_on_writable(client->wsi);
    return written >= (int)size ? 0 : -1;
}

/* One message for each time that the connection can take one. */
static int send_news(OozeServer *server, OozeClient *client)
{
    if (!client->accepted) {
        return 0;
    }
    if (client->packet) {
        return send_piece(server, client);
    }
    if (client->control_is_news) {
        lws_callback_on_writable(client->wsi);
        return send_control(server, client);
    }
    for (int topic = 0; topic < OOZE_TOPIC_COUNT; topic++) {
        bool frame = topic == OOZE_TOPIC_FRAME || topic == OOZE_TOPIC_STATE;
        if ((frame && client->has_frame) || (topic == OOZE_TOPIC_REPLY && !client->in_control)) {
            continue;
        }
        OozePacket *packet =
            ooze_view_session_news(server->session, (OozeViewTopic)topic, client->seen[topic]);
        if (packet) {
            client->seen[topic] = packet->number;
            client->has_frame |= topic == OOZE_TOPIC_FRAME;
            client->packet = packet;
            client->sent = 0;
            return send_piece(server, client);
        }
    }
    return 0;
}

int ooze_client_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size)
{
    OozeServer *server = lws_context_user(lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return ooze_serve_accepts_origin(server, wsi) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        return add_client(server, wsi, user);
    case LWS_CALLBACK_CLOSED:
        remove_client(server, user);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive(server, user, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_news(server, user);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        for (OozeClient *client = server->clients; client; client = client->next) {
            lws_callback_on_writable(client->wsi);
        }
        return 0;
    default:
        return 0;
    }
}
