/* Requests for the page: exact paths of a table, and nothing of the file system. */
#include <string.h>

#include "serve/assets.h"
#include "serve/server.h"

/* Scripts and workers from here only. Pages that may show this one in a frame follow. */
#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; "                 \
    "img-src 'self' data: blob:; media-src blob:; connect-src 'self'; base-uri 'none'; "           \
    "form-action 'none'; frame-ancestors "
#define POLICY_ALONE    POLICY "'none'"
#define POLICY_EMBEDDED POLICY "http://localhost:* http://127.0.0.1:*"

static bool has_header(struct lws *wsi, enum lws_token_indexes header, const char *expected)
{
    char value[OOZE_HOST_MAX + 8];
    return lws_hdr_copy(wsi, value, sizeof value, header) > 0 && strcmp(value, expected) == 0;
}

static bool accepts_host(const OozeServer *server, struct lws *wsi)
{
    bool found = false;
    for (int i = 0; i < 2; i++) {
        found |= server->hosts[i][0] && has_header(wsi, WSI_TOKEN_HOST, server->hosts[i]);
    }
    return found;
}

bool ooze_serve_accepts_origin(const OozeServer *server, struct lws *wsi)
{
    bool found = false;
    for (int i = 0; i < 2; i++) {
        char origin[OOZE_HOST_MAX + 8];
        lws_snprintf(origin, sizeof origin, "http://%s", server->hosts[i]);
        found |= server->hosts[i][0] && has_header(wsi, WSI_TOKEN_ORIGIN, origin) &&
                 has_header(wsi, WSI_TOKEN_HOST, server->hosts[i]);
    }
    return found;
}

static const OozeAsset *find_asset(const char *path, size_t size)
{
    for (int i = 0; i < ooze_asset_count; i++) {
        if (strlen(ooze_assets[i].path) == size && memcmp(ooze_assets[i].path, path, size) == 0) {
            return &ooze_assets[i];
        }
    }
    return NULL;
}

/* HEAD asks for the headers alone. */
static bool is_head(struct lws *wsi)
{
#ifdef LWS_WITH_HTTP_UNCOMMON_HEADERS
    return lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
#else
    (void)wsi;
    return false;
#endif
}

/* A short answer in place of a file; the connection closes behind it. */
static int refuse(struct lws *wsi, unsigned code, const char *sentence)
{
    if (is_head(wsi)) {
        unsigned char room[LWS_PRE + 512], *start = room + LWS_PRE, *at = start;
        unsigned char *end = room + sizeof room - 1;
        bool sent = !lws_add_http_common_headers(wsi, code, "text/html", 0, &at, end) &&
                    !lws_finalize_write_http_header(wsi, start, &at, end);
        (void)sent; /* the connection closes either way */
        return -1;
    }
    lws_return_http_status(wsi, code, sentence);
    return -1;
}

static int add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                      unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at, end);
}

static int send_headers(struct lws *wsi, const OozeAsset *asset, bool embedded)
{
    const char *policy = embedded ? POLICY_EMBEDDED : POLICY_ALONE;
    unsigned char room[LWS_PRE + 2048], *start = room + LWS_PRE, *at = start;
    unsigned char *end = room + sizeof room - 1;
    return lws_add_http_common_headers(wsi, HTTP_STATUS_OK, asset->type, asset->size, &at, end) ||
           add_header(wsi, "content-encoding:", "gzip", &at, end) ||
           add_header(wsi, "cache-control:", "no-store", &at, end) ||
           add_header(wsi, "x-content-type-options:", "nosniff", &at, end) ||
           add_header(wsi, "referrer-policy:", "no-referrer", &at, end) ||
           add_header(wsi, "content-security-policy:", policy, &at, end) ||
           lws_finalize_write_http_header(wsi, start, &at, end);
}

static int answer(const OozeServer *server, struct lws *wsi, OozePageRequest *request,
                  const char *path, size_t size)
{
    if (!accepts_host(server, wsi)) {
        return refuse(wsi, HTTP_STATUS_FORBIDDEN, "Use the address that ooze view has printed.");
    }
    if (!is_head(wsi) && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) {
        return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "GET and HEAD only.");
    }
    request->asset = find_asset(path, size);
    request->sent = 0;
    if (!request->asset) {
        return refuse(wsi, HTTP_STATUS_NOT_FOUND,
                      ooze_asset_count > 0 ? "There is no such file."
                                           : "This build of ooze has no page.");
    }
    if (send_headers(wsi, request->asset, server->options->embedded)) {
        return -1;
    }
    if (is_head(wsi)) {
        request->asset = NULL;
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_part(struct lws *wsi, OozePageRequest *request)
{
    enum { PART = 16384 };
    unsigned char room[LWS_PRE + PART];
    if (!request->asset) {
        return 0;
    }
    size_t left = request->asset->size - request->sent, size = left < PART ? left : PART;
    memcpy(room + LWS_PRE, request->asset->bytes + request->sent, size);
    request->sent += size;
    bool last = size == left;
    int written =
        lws_write(wsi, room + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
    if (written < (int)size) {
        return -1;
    }
    if (last) {
        request->asset = NULL;
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

int ooze_page_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size)
{
    const OozeServer *server = lws_context_user(lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer(server, wsi, user, in, size);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_part(wsi, user);
    /* Connections that name no protocol, or another, end here. */
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return -1;
    default:
        return 0;
    }
}
