/* Reads a file and its includes, and merges them into one tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "scene/keys.h"
#include "scene/scene.h"
#include "scene/upgrade.h"

OozeSource *ooze_source_add(OozeScene *scene, const char *name, const char *text, size_t size,
                            char *owned, const OozeSource *includer)
{
    OozeSource *source = ooze_scene_alloc(scene, 1, sizeof *source);
    if (!source) {
        ooze_free(owned);
        return NULL;
    }
    source->owned = owned;
    source->next = scene->sources;
    scene->sources = source;
    scene->source_count++;
    source->name = ooze_scene_copy(scene, name, strlen(name));
    source->folder = ooze_scene_copy(scene, name, (size_t)(ooze_base_name(name) - name));
    source->identity = "";
    source->text = text;
    source->size = size;
    source->includer = includer;
    return source->name && source->folder ? source : NULL;
}

const char *ooze_source_resolve(OozeScene *scene, const OozeSource *source, const char *path)
{
    return ooze_scene_format(scene, "%s%s", path[0] == '/' ? "" : source->folder, path);
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Whether two sections have different keys, such as those of two methods. */
static bool is_other_variant(const OozeSection *section, const OozeNode *a, const OozeNode *b)
{
    const char *key = section->variant_key;
    const OozeNode *first = key ? ooze_node_find(a, key) : NULL;
    const OozeNode *second = key ? ooze_node_find(b, key) : NULL;
    return first && second && first->kind == OOZE_NODE_SCALAR && second->kind == OOZE_NODE_SCALAR &&
           strcmp(first->text, second->text) != 0;
}

void ooze_node_merge(const OozeSection *section, OozeNode *under, OozeNode *over)
{
    for (OozeNode *child = over->first, *next; child; child = next) {
        next = child->next;
        OozeNode *old = ooze_node_find(under, child->key->text);
        OozeKey row;
        bool known = section && ooze_section_find(section, -1, child->key->text, &row);
        bool same = old && old->kind == child->kind;
        if (known && same && row.type == OOZE_KEY_SECTION && child->kind == OOZE_NODE_MAP &&
            !is_other_variant(row.section, old, child)) {
            ooze_node_merge(row.section, old, child);
        } else if (known && same && row.type == OOZE_KEY_MAP && child->kind == OOZE_NODE_MAP) {
            for (OozeNode *entry = child->first, *after; entry; entry = after) {
                after = entry->next;
                OozeNode *before = ooze_node_find(old, entry->key->text);
                if (before && before->kind == OOZE_NODE_MAP && entry->kind == OOZE_NODE_MAP) {
                    ooze_node_merge(row.section, before, entry);
                } else {
                    ooze_node_put(old, entry->key, entry);
                }
            }
        } else if (known && same && row.type == OOZE_KEY_LIST && child->kind == OOZE_NODE_LIST) {
            for (OozeNode *entry = child->first, *after; entry; entry = after) {
                after = entry->next;
                ooze_node_append(old, NULL, entry);
            }
        } else {
            ooze_node_put(under, child->key, child);
        }
    }
}

/* ---- includes -------------------------------------------------------------------------------- */

static const char *identity_of(OozeScene *scene, const char *path)
{
    char *resolved = realpath(path, NULL);
    const char *copy = resolved ? ooze_scene_copy(scene, resolved, strlen(resolved)) : "";
    free(resolved);
    return copy;
}

static const OozeSource *find_identity(const OozeScene *scene, const char *identity)
{
    for (const OozeSource *s = scene->sources; s; s = s->next) {
        if (identity[0] && strcmp(s->identity, identity) == 0) {
            return s;
        }
    }
    return NULL;
}

static bool is_being_read(const OozeSource *reader, const OozeSource *file)
{
    for (; reader; reader = reader->includer) {
        if (reader == file) {
            return true;
        }
    }
    return false;
}

OozeSource *ooze_source_open(OozeScene *scene, const char *path, const OozeSource *includer,
                             OozeError *error)
{
    char *data;
    size_t size;
    if (ooze_file_read(path, OOZE_SCENE_BYTES_MAX, &data, &size, error)) {
        return NULL;
    }
    OozeSource *source = ooze_source_add(scene, path, data, size, data, includer);
    if (source) {
        source->identity = identity_of(scene, path);
    }
    return source && source->identity ? source : NULL;
}

/* Reads one include of `source` and merges it into `tree`. */
static void include(OozeScene *scene, const OozeSource *source, const OozeNode *entry,
                    OozeNode *tree, int depth)
{
    if (entry->kind != OOZE_NODE_SCALAR || !entry->text[0]) {
        ooze_scene_error(scene, entry, "such as include: [presets/honey.yaml]",
                         "an include must be the path of a scene file");
        return;
    }
    const char *path = ooze_source_resolve(scene, source, entry->text);
    const char *identity = path ? identity_of(scene, path) : NULL;
    if (!identity) {
        return;
    }
    const OozeSource *known = find_identity(scene, identity);
    if (known && is_being_read(source, known)) {
        ooze_scene_error(scene, entry, "break the circle", "'%s' includes itself", path);
        return;
    }
    if (known) {
        return; /* a file is included once */
    }
    if (depth >= OOZE_SCENE_INCLUDE_DEPTH_MAX || scene->source_count >= OOZE_SCENE_FILES_MAX) {
        ooze_scene_error(scene, entry, NULL, "too many includes: at most %d files, %d deep",
                         OOZE_SCENE_FILES_MAX, OOZE_SCENE_INCLUDE_DEPTH_MAX);
        return;
    }
    OozeError error = {0};
    OozeSource *file = ooze_source_open(scene, path, source, &error);
    if (!file) {
        const char *hint = ooze_scene_copy(scene, error.hint, strlen(error.hint));
        scene->out_of_memory = scene->out_of_memory || error.status == OOZE_ERROR_MEMORY;
        ooze_scene_error(scene, entry, hint, "%s", error.message);
        return;
    }
    OozeNode *root = ooze_scene_assemble(scene, file, depth + 1);
    if (root) {
        ooze_node_merge(&ooze_scene_root, tree, root);
    }
}

/* Numbers of format 1 do not all mean the same in format 2, and later formats have other keys:
   neither is read. What is no number is left to the key table. */
static bool is_of_other_format(OozeScene *scene, const OozeNode *root)
{
    const OozeNode *node = ooze_node_find(root, "ooze");
    bool file = root->source->identity[0] != '\0';
    double format = node ? ooze_scene_format_of(node) : NAN;
    if (format == 1.0) {
        const char *hint =
            file ? ooze_scene_format(scene, "rewrite it: ooze upgrade '%s' --in-place",
                                     root->source->name)
                 : "save it to a file and run `ooze upgrade FILE`";
        ooze_scene_error(scene, node, hint,
                         "this %s is in format 1; this version of Ooze reads format %d",
                         file ? "file" : "text", OOZE_SCENE_FORMAT);
    } else if (format > OOZE_SCENE_FORMAT) {
        ooze_scene_error(scene, node, OOZE_SCENE_NEWER_HINT,
                         "this %s is in format %g, of a newer version of Ooze; this version reads "
                         "format %d",
                         file ? "file" : "text", format, OOZE_SCENE_FORMAT);
    }
    return format == 1.0 || format > OOZE_SCENE_FORMAT;
}

OozeNode *ooze_scene_assemble(OozeScene *scene, OozeSource *source, int depth)
{
    OozeNode *root = ooze_document_parse(scene, source, 0, 0, "the file is empty");
    if (!root) {
        return NULL;
    }
    if (root->kind != OOZE_NODE_MAP) {
        ooze_scene_error(scene, root, "begin with `ooze: 2`",
                         "a scene must be a map of keys, not %s", ooze_node_describe(root));
        return NULL;
    }
    if (is_of_other_format(scene, root)) {
        return NULL;
    }
    const OozeNode *includes = ooze_node_find(root, "include");
    if (!includes) {
        return root;
    }
    OozeNode *tree = ooze_node_create(scene, OOZE_NODE_MAP, root->source, root->line, root->column);
    if (!tree) {
        return NULL;
    }
    if (includes->kind == OOZE_NODE_LIST) {
        for (const OozeNode *entry = includes->first; entry; entry = entry->next) {
            include(scene, source, entry, tree, depth);
        }
    } else {
        include(scene, source, includes, tree, depth);
    }
    ooze_node_merge(&ooze_scene_root, tree, root);
    return tree;
}
