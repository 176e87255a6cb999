/* `--set materials.honey.viscosity=12`: sets one value in the tree. Items of lists are given by
   name, or by number from 0. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/keys.h"
#include "scene/scene.h"

typedef struct Walk {
    OozeScene *scene;
    const OozeSource *source;
    const char *at;  /* rest of the path */
    const char *end; /* the '=' */
} Walk;

/* The next part of the path as a scalar node, with its column; NULL at the end. */
static OozeNode *next_part(Walk *walk)
{
    if (walk->at >= walk->end) {
        return NULL;
    }
    const char *begin = walk->at;
    const char *dot = memchr(begin, '.', (size_t)(walk->end - begin));
    const char *stop = dot ? dot : walk->end;
    OozeNode *part = ooze_node_create(walk->scene, OOZE_NODE_SCALAR, walk->source, 1,
                                      (int)(begin - walk->source->text) + 1);
    const char *text = part ? ooze_scene_copy(walk->scene, begin, (size_t)(stop - begin)) : NULL;
    if (!text) {
        return NULL;
    }
    part->text = text;
    walk->at = dot ? dot + 1 : walk->end;
    return part;
}

/* The item of a list or map that `part` names; NULL: an error was reported. */
static OozeNode *find_item(OozeScene *scene, const OozeKey *row, OozeNode *list,
                           const OozeNode *part)
{
    const char *known[OOZE_SCENE_KEYS_MAX];
    char *end = NULL;
    long wanted = isdigit((unsigned char)part->text[0]) ? strtol(part->text, &end, 10) : -1;
    wanted = end && *end == '\0' ? wanted : -1;
    int count = 0, index = 0;
    char shown[OOZE_CLIP_MAX];
    OozeNode *numbered = NULL;
    OozeKey name_row;
    bool named = ooze_section_find(row->section, -1, "name", &name_row);
    for (OozeNode *child = list ? list->first : NULL; child; child = child->next, index++) {
        const OozeNode *name = row->type == OOZE_KEY_MAP ? child->key
                               : named                   ? ooze_node_find(child, "name")
                                                         : NULL;
        char unnamed[OOZE_CHOICE_MAX];
        snprintf(unnamed, sizeof unnamed, "%s%d", row->section->name, index);
        if (strcmp(name ? name->text : unnamed, part->text) == 0) {
            return child;
        }
        numbered = row->type == OOZE_KEY_LIST && index == wanted ? child : numbered;
        if (name && count < OOZE_SCENE_KEYS_MAX) {
            known[count++] = name->text;
        }
    }
    if (!numbered) {
        ooze_scene_error(scene, part, ooze_scene_did_you_mean(scene, part->text, known, count),
                         "there is no '%s' among the %s", ooze_clip(part->text, shown), row->key);
    }
    return numbered;
}

static void report_unknown(OozeScene *scene, const OozeSection *section, const OozeNode *part)
{
    enum { KEYS_MAX = 96 };
    const char *known[KEYS_MAX];
    char shown[OOZE_CLIP_MAX];
    int count = 0;
    OozeKey row;
    for (int i = 0; count < KEYS_MAX && ooze_section_key(section, -1, i, &row); i++) {
        known[count++] = row.key;
    }
    ooze_scene_error(scene, part, ooze_scene_did_you_mean(scene, part->text, known, count),
                     "unknown key '%s' in the %s", ooze_clip(part->text, shown), section->name);
}

/* The map at the key `part`, created if missing; NULL: an error was reported. */
static OozeNode *enter_section(OozeScene *scene, OozeNode *map, OozeNode *part)
{
    char shown[OOZE_CLIP_MAX];
    OozeNode *child = ooze_node_find(map, part->text);
    if (!child) {
        child = ooze_node_create(scene, OOZE_NODE_MAP, part->source, part->line, part->column);
        if (child) {
            ooze_node_append(map, part, child);
        }
    } else if (child->kind != OOZE_NODE_MAP) {
        ooze_scene_error(scene, part, NULL, "'%s' is not a map of keys",
                         ooze_clip(part->text, shown));
        return NULL;
    }
    return child;
}

/* Follows the path from `map` and sets `value` at its end. */
static void descend(Walk *walk, OozeNode *map, OozeNode *value)
{
    OozeScene *scene = walk->scene;
    char shown[OOZE_CLIP_MAX];
    const OozeSection *section = &ooze_scene_root;
    OozeNode *part = next_part(walk);
    while (part && map) {
        OozeKey row;
        OozeNode *next = NULL;
        if (map->kind != OOZE_NODE_MAP) {
            ooze_scene_error(scene, part, NULL, "'%s' is not a map of keys",
                             ooze_clip(part->text, shown));
            return;
        }
        if (!ooze_section_find(section, -1, part->text, &row) &&
            !(section->params && section->variant_key)) {
            if (!ooze_scene_report_gone_key(scene, section->name, part)) {
                report_unknown(scene, section, part);
            }
            return;
        }
        if (strcmp(part->text, "include") == 0 && section == &ooze_scene_root) {
            ooze_scene_error(scene, part, "write it into the scene",
                             "an include cannot be given by an override");
            return;
        }
        if (walk->at >= walk->end) { /* unknown settings of a method are found when it is read */
            ooze_node_put(map, part, value);
            return;
        }
        if (!ooze_section_find(section, -1, part->text, &row) || !row.section) {
            ooze_scene_error(scene, part, "end the path here", "'%s' has no keys of its own",
                             ooze_clip(part->text, shown));
            return;
        }
        if (row.type == OOZE_KEY_SECTION) {
            next = enter_section(scene, map, part);
        } else {
            OozeNode *item = next_part(walk);
            OozeNode *list = item ? ooze_node_find(map, part->text) : NULL;
            next = item ? find_item(scene, &row, list, item) : NULL;
            if (next && walk->at >= walk->end) {
                ooze_scene_error(scene, item, "add .KEY",
                                 "'%s' is a whole %s: name one of its keys", item->text,
                                 row.section->name);
                return;
            }
        }
        map = next;
        section = row.section;
        part = map ? next_part(walk) : NULL;
    }
}

void ooze_scene_override(OozeScene *scene, const char *override)
{
    OozeSource *source = ooze_source_add(scene, "--set", "", 0, NULL, NULL);
    const char *text = source ? ooze_scene_copy(scene, override, strlen(override)) : NULL;
    if (!text) {
        return;
    }
    source->text = text;
    source->size = strlen(text);
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[-1] == '.') {
        ooze_scene_report(scene, OOZE_SEVERITY_ERROR, (OozePlace){source, 1, 1},
                          "such as materials.honey.viscosity=12",
                          "an override must have the form KEY.PATH=VALUE");
        return;
    }
    size_t offset = (size_t)(equals - text) + 1;
    OozeNode *value =
        ooze_document_parse(scene, source, offset, (int)offset, "the override has no value");
    if (value) {
        Walk walk = {scene, source, text, equals};
        descend(&walk, scene->root, value);
    }
}
