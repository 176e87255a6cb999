/* Parses YAML text into the tree, through libyaml's events. Damaged text, several documents, tags,
   merge keys, duplicate keys and recursive aliases are errors. */
#include <string.h>

#include <yaml.h>

#include "scene/scene.h"

typedef struct Anchor {
    const char *name;
    OozeNode *node;
    bool open; /* its end has not been read: an alias to it would contain itself */
} Anchor;

typedef struct Document {
    OozeScene *scene;
    const OozeSource *source;
    int column_shift;
    yaml_parser_t parser;
    OozeNode *stack[OOZE_SCENE_DEPTH_MAX];
    OozeNode *pending_key[OOZE_SCENE_DEPTH_MAX];
    int depth;
    OozeNode *root;
    Anchor anchors[OOZE_SCENE_ANCHORS_MAX];
    int anchor_count;
    bool stop;
} Document;

static OozePlace place_of(const Document *d, yaml_mark_t mark)
{
    int shift = mark.line == 0 ? d->column_shift : 0;
    return (OozePlace){d->source, (int)mark.line + 1, (int)mark.column + 1 + shift};
}

static void refuse(Document *d, yaml_mark_t mark, const char *hint, const char *message)
{
    ooze_scene_report(d->scene, OOZE_SEVERITY_ERROR, place_of(d, mark), hint, "%s", message);
    d->stop = true;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static bool is_control(uint32_t code)
{
    return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0x7f ||
           (code >= 0x80 && code < 0xa0 && code != 0x85) || code == 0xfeff || code == 0xfffe ||
           code == 0xffff;
}

size_t ooze_byte_order_mark(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Finds the first invalid character: libyaml would report it without line and column. */
static bool check_bytes(Document *d, const char *text, size_t size)
{
    yaml_mark_t mark = {0};
    size_t at = ooze_byte_order_mark(text, size);
    while (at < size) {
        size_t jump = ooze_line_break(text + at, size - at);
        if (jump) {
            mark.line++;
            mark.column = 0;
            at += jump;
            continue;
        }
        uint32_t code = 0;
        size_t length = ooze_utf8_decode(text + at, size - at, &code);
        if (length == 0) {
            refuse(d, mark, "save the file as UTF-8", "this is not UTF-8 text");
            return false;
        }
        if (is_control(code)) {
            refuse(d, mark, "is this a text file?",
                   code == 0 ? "a NUL byte stands here" : "a control character stands here");
            return false;
        }
        mark.column++;
        at += length;
    }
    return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

static OozeNode *create(Document *d, OozeNodeKind kind, const yaml_event_t *event)
{
    OozePlace place = place_of(d, event->start_mark);
    OozeNode *node = ooze_node_create(d->scene, kind, d->source, place.line, place.column);
    if (node) {
        node->begin = event->start_mark.index;
        node->end = event->end_mark.index;
    }
    d->stop = d->stop || !node;
    return node;
}

static bool check_key(Document *d, const yaml_event_t *event, const OozeNode *map,
                      const OozeNode *key)
{
    if (key->kind != OOZE_NODE_SCALAR) {
        refuse(d, event->start_mark, "write `key: value`", "a key must be a single word");
        return false;
    }
    if (key->plain && strcmp(key->text, "<<") == 0) {
        refuse(d, event->start_mark, "use include, or repeat the keys",
               "merge keys (<<) are not part of the format");
        return false;
    }
    if (map->count >= OOZE_SCENE_KEYS_MAX) {
        refuse(d, event->start_mark, NULL, "a map has more than 1024 keys");
        return false;
    }
    char shown[OOZE_CLIP_MAX];
    const OozeNode *first = ooze_node_find(map, key->text);
    if (first) {
        ooze_scene_error(d->scene, key, "keep one of the two",
                         "key '%s' is given twice (first on line %d)", ooze_clip(key->text, shown),
                         first->key->line);
    }
    return true;
}

/* Adds a node to the current list or map, as an item, a key or a value. */
static void place_node(Document *d, OozeNode *node, const yaml_event_t *event)
{
    if (d->depth == 0) {
        d->root = node;
        return;
    }
    OozeNode *parent = d->stack[d->depth - 1];
    OozeNode **pending = &d->pending_key[d->depth - 1];
    if (parent->kind == OOZE_NODE_LIST) {
        ooze_node_append(parent, NULL, node);
    } else if (!*pending) {
        if (check_key(d, event, parent, node)) {
            *pending = node;
        }
    } else {
        ooze_node_append(parent, *pending, node);
        *pending = NULL;
    }
}

static Anchor *find_anchor(Document *d, const char *name)
{
    for (int i = d->anchor_count - 1; i >= 0; i--) {
        if (strcmp(d->anchors[i].name, name) == 0) {
            return &d->anchors[i];
        }
    }
    return NULL;
}

static void add_anchor(Document *d, const yaml_event_t *event, const yaml_char_t *name,
                       OozeNode *node)
{
    if (!name) {
        return;
    }
    if (d->anchor_count == OOZE_SCENE_ANCHORS_MAX) {
        refuse(d, event->start_mark, NULL, "there are more than 256 anchors");
        return;
    }
    const char *text = (const char *)name;
    const char *copy = ooze_scene_copy(d->scene, text, strlen(text));
    if (copy) {
        d->anchors[d->anchor_count++] =
            (Anchor){copy, node, .open = node->kind != OOZE_NODE_SCALAR};
    }
}

static void on_alias(Document *d, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const Anchor *anchor = find_anchor(d, name);
    if (!anchor) {
        ooze_scene_report(d->scene, OOZE_SEVERITY_ERROR, place_of(d, event->start_mark),
                          "define it first with &", "alias '*%s' has no anchor", name);
        d->stop = true;
    } else if (anchor->open) {
        ooze_scene_report(d->scene, OOZE_SEVERITY_ERROR, place_of(d, event->start_mark),
                          "an alias cannot stand inside its own anchor",
                          "alias '*%s' would contain itself", name);
        d->stop = true;
    } else {
        OozeNode *copy = ooze_node_copy(d->scene, anchor->node);
        if (copy) {
            copy->begin = event->start_mark.index;
            copy->end = event->end_mark.index;
            place_node(d, copy, event);
        }
        d->stop = d->stop || !copy;
    }
}

static void on_scalar(Document *d, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (event->data.scalar.tag) {
        refuse(d, event->start_mark, "remove the word with !", "tags are not part of the format");
        return;
    }
    if (memchr(text, 0, length)) {
        refuse(d, event->start_mark, NULL, "the text contains a NUL character");
        return;
    }
    OozeNode *node = create(d, OOZE_NODE_SCALAR, event);
    const char *copy = node ? ooze_scene_copy(d->scene, text, length) : NULL;
    if (!copy) {
        d->stop = true;
        return;
    }
    node->text = copy;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->quoted = !node->plain;
    add_anchor(d, event, event->data.scalar.anchor, node);
    place_node(d, node, event);
}

static void on_start(Document *d, const yaml_event_t *event, OozeNodeKind kind,
                     const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (tag) {
        refuse(d, event->start_mark, "remove the word with !", "tags are not part of the format");
        return;
    }
    if (d->depth == OOZE_SCENE_DEPTH_MAX) {
        refuse(d, event->start_mark, NULL, "lists and maps are nested too deeply");
        return;
    }
    OozeNode *node = create(d, kind, event);
    if (!node) {
        return;
    }
    node->flow = kind == OOZE_NODE_MAP
                     ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                     : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    add_anchor(d, event, anchor, node);
    place_node(d, node, event);
    d->stack[d->depth] = node;
    d->pending_key[d->depth++] = NULL;
}

/* The end of a block is that of its last value: the event is behind comments that follow. */
static void on_end(Document *d, const yaml_event_t *event)
{
    OozeNode *closed = d->stack[--d->depth];
    closed->end = closed->flow   ? event->end_mark.index
                  : closed->last ? closed->last->end
                                 : closed->end;
    for (int i = 0; i < d->anchor_count; i++) {
        d->anchors[i].open = d->anchors[i].open && d->anchors[i].node != closed;
    }
}

static void on_event(Document *d, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (d->root) {
            refuse(d, event->start_mark, "keep one scene a file", "a second document begins here");
        }
        break;
    case YAML_ALIAS_EVENT:
        on_alias(d, event);
        break;
    case YAML_SCALAR_EVENT:
        on_scalar(d, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_start(d, event, OOZE_NODE_LIST, event->data.sequence_start.anchor,
                 event->data.sequence_start.tag);
        break;
    case YAML_MAPPING_START_EVENT:
        on_start(d, event, OOZE_NODE_MAP, event->data.mapping_start.anchor,
                 event->data.mapping_start.tag);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        on_end(d, event);
        break;
    default:
        break;
    }
}

static size_t find_line(const OozeSource *source, size_t line)
{
    size_t at = 0;
    while (line > 0 && at < source->size) {
        size_t jump = ooze_line_break(source->text + at, source->size - at);
        line -= jump > 0;
        at += jump ? jump : 1;
    }
    return at;
}

static bool line_begins_with_tab(const OozeSource *source, size_t line)
{
    size_t at = find_line(source, line);
    while (at < source->size && source->text[at] == ' ') {
        at++;
    }
    return at < source->size && source->text[at] == '\t';
}

static bool line_has_semicolon(const OozeSource *source, size_t line)
{
    size_t at = find_line(source, line);
    while (at < source->size && source->text[at] != ';' &&
           !ooze_line_break(source->text + at, source->size - at)) {
        at++;
    }
    return at < source->size && source->text[at] == ';';
}

/* libyaml places the end of the text on the line after the last: gives the end of the last
   non-empty line instead. */
static OozePlace clamp_to_text(const Document *d, OozePlace place)
{
    const char *text = d->source->text;
    size_t size = d->source->size;
    OozePlace end = {d->source, 1, 1}, here = end;
    for (size_t at = 0; at < size;) {
        size_t jump = ooze_line_break(text + at, size - at);
        if (jump) {
            here.line++;
            here.column = 1;
        } else {
            here.column += ((unsigned char)text[at] & 0xc0) != 0x80;
            end = text[at] == ' ' ? end : here;
        }
        at += jump ? jump : 1;
    }
    return place.line > end.line ? end : place;
}

static void report_parser(Document *d)
{
    const yaml_parser_t *parser = &d->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        d->scene->out_of_memory = true;
        return;
    }
    const char *problem = parser->problem ? parser->problem : "it cannot be read";
    bool tab = line_begins_with_tab(d->source, parser->problem_mark.line);
    bool semicolon = line_has_semicolon(d->source, parser->problem_mark.line);
    const char *hint = tab         ? "indent with spaces: YAML does not allow tabs"
                       : semicolon ? "separate keys and values by ',', not by ';'"
                                   : "check indentation, colons, brackets and quotes around here";
    OozePlace place = clamp_to_text(d, place_of(d, parser->problem_mark));
    ooze_scene_report(d->scene, OOZE_SEVERITY_ERROR, place, hint, "not valid YAML: %s%s%s",
                      parser->context ? parser->context : "", parser->context ? ", " : "", problem);
}

static void parse(Document *d, const char *text, size_t size)
{
    if (!yaml_parser_initialize(&d->parser)) {
        d->scene->out_of_memory = true;
        return;
    }
    yaml_parser_set_encoding(&d->parser, YAML_UTF8_ENCODING);
    size_t mark = ooze_byte_order_mark(text, size);
    yaml_parser_set_input_string(&d->parser, (const unsigned char *)text + mark, size - mark);
    bool done = false;
    while (!done && !d->stop && !d->scene->out_of_memory) {
        yaml_event_t event;
        if (!yaml_parser_parse(&d->parser, &event)) {
            report_parser(d);
            d->stop = true;
            break;
        }
        done = event.type == YAML_STREAM_END_EVENT;
        on_event(d, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&d->parser);
}

OozeNode *ooze_document_parse(OozeScene *scene, const OozeSource *source, size_t offset,
                              int column_shift, const char *empty)
{
    Document *d = ooze_scene_alloc(scene, 1, sizeof *d);
    if (!d) {
        return NULL;
    }
    d->scene = scene;
    d->source = source;
    d->column_shift = column_shift;
    const char *text = source->text + offset;
    size_t size = source->size - offset;
    if (!check_bytes(d, text, size)) {
        return NULL;
    }
    parse(d, text, size);
    if (d->stop || scene->out_of_memory) {
        return NULL;
    }
    if (!d->root || ooze_node_is_null(d->root)) {
        ooze_scene_report(scene, OOZE_SEVERITY_ERROR, (OozePlace){source, 0, 0},
                          "`ooze schema` and docs/scene-format.md show what may stand here", "%s",
                          empty);
        return NULL;
    }
    return d->root;
}
