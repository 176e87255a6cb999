/* Keys that earlier versions had: of sections, and settings and choices of a method. */
#include <math.h>
#include <string.h>

#include "methods/method.h"
#include "scene/expression.h"
#include "scene/scene.h"

/* The scene of a run is read for its frames, which show what the setting did. */
static OozeSeverity severity_in(const OozeScene *scene)
{
    return scene->of_run ? OOZE_SEVERITY_WARNING : OOZE_SEVERITY_ERROR;
}

static bool is_neutral(const OozeNode *value, const OozeGoneSetting *gone)
{
    const char *problem;
    int offset;
    double number;
    if (!value || value->kind != OOZE_NODE_SCALAR) {
        return false;
    }
    return isnan(gone->neutral) ||
           (gone->neutral_choice ? strcmp(value->text, gone->neutral_choice) == 0
                                 : ooze_expression(value->text, &number, &problem, &offset) &&
                                       number == gone->neutral);
}

bool ooze_scene_report_gone(OozeScene *scene, const OozeMethod *method, const char *key,
                            const OozeNode *at, const OozeNode *value)
{
    const char *word = value && value->kind == OOZE_NODE_SCALAR ? value->text : NULL;
    const OozeGoneSetting *choice = method && word ? ooze_method_gone(method, key, word) : NULL;
    const OozeGoneSetting *gone = method ? ooze_method_gone(method, key, NULL) : NULL;
    if (!gone) {
        return false;
    }
    if (choice) {
        ooze_scene_report(scene, severity_in(scene), ooze_node_place(at), choice->instead,
                          "%s has no '%s: %s' any more", method->info.name, key, word);
        return true;
    }
    bool neutral = is_neutral(value, gone);
    OozeSeverity severity = !value    ? OOZE_SEVERITY_ERROR
                            : neutral ? OOZE_SEVERITY_WARNING
                                      : severity_in(scene);
    if (!(neutral && scene->of_run)) { /* scenes of runs have all settings */
        ooze_scene_report(scene, severity, ooze_node_place(at), gone->instead,
                          "%s has no '%s' any more", method->info.name, key);
    }
    return true;
}

bool ooze_scene_read_gone_choice(OozeScene *scene, const OozeKey *row, const OozeNode *node,
                                 void *item)
{
    const OozeGoneSetting *gone =
        row->method ? ooze_method_gone(row->method, row->key, node->text) : NULL;
    if (!gone) {
        return false;
    }
    ooze_scene_report(scene, severity_in(scene), ooze_node_place(node), gone->instead,
                      "'%s' cannot be '%s' any more", row->key, gone->choice);
    ooze_key_store(row, item, gone->neutral);
    return true;
}

bool ooze_scene_report_gone_key(OozeScene *scene, const char *section, const OozeNode *key)
{
    static const struct {
        const char *section, *key, *instead;
    } keys[] = {{"render", "adaptive", "leave it out: samples go where the noise is, always"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].key, key->text) == 0) {
            if (!scene->of_run) { /* scenes of runs have all keys */
                ooze_scene_error(scene, key, keys[i].instead, "%s has no '%s' any more", section,
                                 key->text);
            }
            return true;
        }
    }
    return false;
}
