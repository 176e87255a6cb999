#include "scene/node.h"

#include <string.h>

#include "scene/scene.h"

OozePlace ooze_node_place(const OozeNode *node)
{
    return (OozePlace){node->source, node->line, node->column};
}

OozeNode *ooze_node_create(OozeScene *scene, OozeNodeKind kind, const OozeSource *source, int line,
                           int column)
{
    if (scene->node_count >= OOZE_SCENE_NODES_MAX) {
        if (!scene->too_many_nodes) {
            ooze_scene_report(scene, OOZE_SEVERITY_ERROR, (OozePlace){source, line, column},
                              "aliases count as often as they are used",
                              "the scene has more than %d values", OOZE_SCENE_NODES_MAX);
        }
        scene->too_many_nodes = true;
        return NULL;
    }
    OozeNode *node = ooze_scene_alloc(scene, 1, sizeof *node);
    if (node) {
        scene->node_count++;
        node->kind = kind;
        node->source = source;
        node->line = line;
        node->column = column;
        node->text = "";
    }
    return node;
}

void ooze_node_append(OozeNode *parent, OozeNode *key, OozeNode *child)
{
    child->key = key;
    child->next = NULL;
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

void ooze_node_put(OozeNode *map, OozeNode *key, OozeNode *child)
{
    OozeNode *before = NULL;
    for (OozeNode *old = map->first; old; before = old, old = old->next) {
        if (strcmp(old->key->text, key->text) == 0) {
            child->key = key;
            child->next = old->next;
            *(before ? &before->next : &map->first) = child;
            map->last = map->last == old ? child : map->last;
            return;
        }
    }
    ooze_node_append(map, key, child);
}

OozeNode *ooze_node_copy(OozeScene *scene, const OozeNode *node)
{
    OozeNode *copy = ooze_node_create(scene, node->kind, node->source, node->line, node->column);
    if (!copy) {
        return NULL;
    }
    copy->text = node->text;
    copy->plain = node->plain;
    copy->quoted = node->quoted;
    copy->begin = node->begin;
    copy->end = node->end;
    copy->flow = node->flow;
    for (const OozeNode *child = node->first; child; child = child->next) {
        OozeNode *child_copy = ooze_node_copy(scene, child);
        if (!child_copy) {
            return NULL;
        }
        ooze_node_append(copy, child->key, child_copy);
    }
    return copy;
}

OozeNode *ooze_node_find(const OozeNode *map, const char *key)
{
    if (map && map->kind == OOZE_NODE_MAP) {
        for (OozeNode *child = map->first; child; child = child->next) {
            if (strcmp(child->key->text, key) == 0) {
                return child;
            }
        }
    }
    return NULL;
}

const char *ooze_node_describe(const OozeNode *node)
{
    switch (node->kind) {
    case OOZE_NODE_LIST:
        return "a list";
    case OOZE_NODE_MAP:
        return "a map";
    default:
        return ooze_node_is_null(node) ? "nothing" : "a single value";
    }
}

bool ooze_node_is_null(const OozeNode *node)
{
    return node->kind == OOZE_NODE_SCALAR && !node->quoted &&
           (!node->text[0] || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}
