/* The document tree of a scene: what was written, and where. */
#ifndef OOZE_SCENE_NODE_H
#define OOZE_SCENE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "ooze/scene.h"

/* One source of text: the scene, a file it includes, or an override. */
typedef struct OozeSource {
    const char *name;     /* as shown in messages: a path, or "--set" */
    const char *folder;   /* relative paths start here: "scenes/", or "" */
    const char *identity; /* resolved path, to recognise a file met again; "" where there is none */
    const char *text;
    size_t size;
    char *owned; /* the same text where it is ours to free */
    const struct OozeSource *includer;
    struct OozeSource *next;
} OozeSource;

typedef enum OozeNodeKind { OOZE_NODE_SCALAR, OOZE_NODE_LIST, OOZE_NODE_MAP } OozeNodeKind;

/* A pure tree: aliases are copied, so that a change in one place cannot show in another. */
typedef struct OozeNode {
    OozeNodeKind kind;
    int line, column; /* from 1 */
    const OozeSource *source;
    const char *text;     /* scalars; never NULL */
    bool plain;           /* scalars: written without quotes, on one line */
    bool quoted;          /* scalars: in quotes, so that an empty one is meant */
    int count;            /* children */
    struct OozeNode *key; /* for the children of a map: a scalar */
    struct OozeNode *first, *last, *next;
} OozeNode;

/* Bounds that stand for "no scene needs this": beyond them the input is an accident or an
   attack. */
enum {
    OOZE_SCENE_BYTES_MAX = 16 << 20,
    OOZE_SCENE_NODES_MAX = 200000, /* aliases expanded */
    OOZE_SCENE_DEPTH_MAX = 48,
    OOZE_SCENE_KEYS_MAX = 1024,   /* in one map */
    OOZE_SCENE_ANCHORS_MAX = 256, /* in one file */
    OOZE_SCENE_ITEMS_MAX = 4096,  /* named items in one list */
    OOZE_SCENE_FILES_MAX = 64,
    OOZE_SCENE_INCLUDE_DEPTH_MAX = 16,
    OOZE_SCENE_DIAGNOSTICS_MAX = 200,
    OOZE_SCENE_NAME_MAX = 63 /* bytes in a name */
};

OozeNode *ooze_node_create(OozeScene *scene, OozeNodeKind kind, const OozeSource *source, int line,
                           int column); /* NULL: out of memory or of nodes, already reported */
void ooze_node_append(OozeNode *parent, OozeNode *key, OozeNode *child);
/* Puts `child` under `key` of a map: in place of what stood there, or at the end. */
void ooze_node_put(OozeNode *map, OozeNode *key, OozeNode *child);
OozeNode *ooze_node_copy(OozeScene *scene, const OozeNode *node);
OozeNode *ooze_node_find(const OozeNode *map, const char *key); /* NULL: not there */
/* "a list", "a map", "text" ...: for messages. */
const char *ooze_node_describe(const OozeNode *node);
bool ooze_node_is_null(const OozeNode *node); /* `key:` with nothing after it, ~ or null */

/* Parses one YAML document. NULL after reporting; an empty document is reported with `empty`.
   `column_shift` is added to columns of the first line (text that stands further right). */
OozeNode *ooze_document_parse(OozeScene *scene, const OozeSource *source, size_t offset,
                              int column_shift, const char *empty);

#endif
