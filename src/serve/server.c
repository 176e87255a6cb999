/* Starting and ending the server. */
#include "serve/server.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <sys/random.h>

#include "base/fail.h"
#include "serve/assets.h"

#define POLL_MICROSECONDS 200000

void ooze_serve_describe(char *text, size_t size)
{
    lws_snprintf(text, size, "libwebsockets %s, %s", LWS_LIBRARY_VERSION,
                 ooze_asset_count > 0 ? "page built in" : "without its page");
}

static OozeStatus make_token(OozeServer *server, const char *given, OozeError *error)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char random[OOZE_TOKEN_DIGITS];
    if (given) {
        if (strlen(given) != OOZE_TOKEN_DIGITS || strspn(given, digits) != OOZE_TOKEN_DIGITS) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "such as that of `openssl rand -hex 16`",
                             "the token must have %d hexadecimal digits", OOZE_TOKEN_DIGITS);
        }
        memcpy(server->token, given, OOZE_TOKEN_DIGITS);
        return OOZE_OK;
    }
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "", "this system gives no random numbers");
    }
    for (int i = 0; i < OOZE_TOKEN_DIGITS; i++) {
        server->token[i] = digits[random[i] & 15];
    }
    return OOZE_OK;
}

/* The IPv4 address of a name. */
static OozeStatus find_address(const char *name, char address[INET_ADDRSTRLEN], OozeError *error)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
    if (strlen(name) > 255 || getaddrinfo(name, NULL, &hints, &found) != 0 || !found) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "give the name or IPv4 address of this machine",
                         "there is no address '%s'", name);
    }
    const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)found->ai_addr;
    inet_ntop(AF_INET, &in->sin_addr, address, INET_ADDRSTRLEN);
    freeaddrinfo(found);
    return OOZE_OK;
}

static const struct lws_protocols protocols[] = {
    {"http", ooze_page_callback, sizeof(OozePageRequest), 0, 0, NULL, 0},
    {"ooze", ooze_client_callback, sizeof(OozeClient), OOZE_VIEW_MESSAGE_MAX, 0, NULL, 1 << 16},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

static OozeStatus listen_at(OozeServer *server, const char *address, OozeError *error)
{
    struct lws_context_creation_info info = {
        .port = server->options->port,
        .iface = address,
        .protocols = protocols,
        .vhost_name = "ooze",
        .user = server,
        .server_string = "ooze",
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                   LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
    };
    lws_set_log_level(0, NULL);
    server->context = lws_create_context(&info);
    server->vhost = server->context ? lws_create_vhost(server->context, &info) : NULL;
    int port = server->vhost ? lws_get_vhost_listen_port(server->vhost) : 0;
    if (port <= 0) {
        return ooze_fail(error, OOZE_ERROR_FILE, "choose another one with --port",
                         "port %d of %s cannot be opened", server->options->port, address);
    }
    const char *name = server->options->listen ? server->options->listen : "127.0.0.1";
    lws_snprintf(server->hosts[0], OOZE_HOST_MAX, "%s:%d", name, port);
    if (!server->options->listen) {
        lws_snprintf(server->hosts[1], OOZE_HOST_MAX, "localhost:%d", port);
    }
    return OOZE_OK;
}

static void wake(void *user)
{
    const OozeServer *server = user;
    lws_cancel_service(server->context);
}

static void poll_again(lws_sorted_usec_list_t *timer)
{
    OozeServer *server = lws_container_of(timer, OozeServer, timer);
    lws_sul_schedule(server->context, 0, timer, poll_again, POLL_MICROSECONDS);
}

static OozeStatus serve(OozeServer *server, OozeError *error)
{
    OozeViewOptions view = server->options->view;
    view.notify = wake;
    view.user = server;
    OozeStatus status = ooze_view_session_open(&view, &server->session, error);
    if (status) {
        return status;
    }
    char address[OOZE_HOST_MAX + 64];
    lws_snprintf(address, sizeof address, "http://%s/#%s", server->hosts[0], server->token);
    server->options->ready(server->options->user, address, ooze_assets_missing);
    poll_again(&server->timer);
    while (!server->options->stopped() && lws_service(server->context, 0) >= 0) {
    }
    lws_sul_cancel(&server->timer);
    return OOZE_OK;
}

OozeStatus ooze_serve(const OozeServeOptions *options, OozeError *error)
{
    OozeServer server = {.options = options};
    char address[INET_ADDRSTRLEN] = "127.0.0.1";
    OozeStatus status = make_token(&server, options->token, error);
    if (!status && options->listen) {
        status = find_address(options->listen, address, error);
    }
    status = status ? status : listen_at(&server, address, error);
    status = status ? status : serve(&server, error);
    OozeViewSession *session = server.session;
    /* the thread of the session wakes the context, and ends before it */
    ooze_view_session_close(session);
    server.session = NULL;
    if (server.context) {
        lws_context_destroy(server.context);
    }
    return status;
}
