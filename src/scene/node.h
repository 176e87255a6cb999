/* The document tree of a scene: YAML nodes with their places in the text. */
#ifndef OOZE_SCENE_NODE_H
#define OOZE_SCENE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "ooze/scene.h"

/* One source of text: the scene, a file it includes, or an override. */
typedef struct OozeSource {
    const char *name;     /* as shown in messages: a path, or "--set" */
    const char *folder;   /* relative paths start here: "scenes/", or "" */
    const char *identity; /* resolved path, to recognise a file read before; "": none */
    const char *text;
    size_t size;
    bool preset; /* the numbers of a preset */
    char *owned; /* the text, if the scene frees it; else NULL */
    const struct OozeSource *includer;
    struct OozeSource *next;
} OozeSource;

typedef enum OozeNodeKind { OOZE_NODE_SCALAR, OOZE_NODE_LIST, OOZE_NODE_MAP } OozeNodeKind;

/* Aliases are copied, so that nodes have one parent each. */
typedef struct OozeNode {
    OozeNodeKind kind;
    int line, column; /* from 1 */
    /* its first character and the one after its last, from the beginning of the source; of the
       alias, where an alias stands for it */
    size_t begin, end;
    bool flow; /* lists and maps: in brackets or braces */
    const OozeSource *source;
    const char *text;     /* scalars; never NULL */
    bool plain;           /* scalars: written without quotes, on one line */
    bool quoted;          /* scalars: in quotes; an empty one is then text, not null */
    int count;            /* children */
    struct OozeNode *key; /* for the children of a map: a scalar */
    struct OozeNode *first, *last, *next;
} OozeNode;

/* Limits far above the needs of any scene, against damaged or malicious input. */
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
/* Sets the value of `key` in a map: replaces the present one, or appends. */
void ooze_node_put(OozeNode *map, OozeNode *key, OozeNode *child);
OozeNode *ooze_node_copy(OozeScene *scene, const OozeNode *node);
OozeNode *ooze_node_find(const OozeNode *map, const char *key); /* NULL: not there */
/* "a list", "a map", "text" ...: for messages. */
const char *ooze_node_describe(const OozeNode *node);
bool ooze_node_is_null(const OozeNode *node); /* `key:` with nothing after it, ~ or null */

/* Parses one YAML document. NULL: an error was reported; that of an empty document is `empty`.
   `column_shift` is added to columns of the first line, for text from within a line. */
OozeNode *ooze_document_parse(OozeScene *scene, const OozeSource *source, size_t offset,
                              int column_shift, const char *empty);

#endif
