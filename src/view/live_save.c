/* The changed scene as YAML: the canonical text of the scene, with the rows of the session added to
   its lists and with the session's length. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "view/live.h"

static void write_number(OozeText *yaml, double value)
{
    char number[OOZE_NUMBER_MAX];
    ooze_text_append(yaml, "%s", ooze_number_text(value, number));
}

static void write_vector(OozeText *yaml, OozeVec3 v)
{
    ooze_text_append(yaml, "[");
    write_number(yaml, v.x);
    ooze_text_append(yaml, ", ");
    write_number(yaml, v.y);
    ooze_text_append(yaml, ", ");
    write_number(yaml, v.z);
    ooze_text_append(yaml, "]");
}

/* Numbers of a material that are not the defaults. */
static void write_numbers(OozeText *yaml, const OozeLive *live, const double *numbers)
{
    const OozeMaterialDef none = ooze_material_def_default();
    const char *separator = "";
    OozeKey key;
    ooze_text_append(yaml, "{");
    for (int i = 0; ooze_scene_change_row(live->scene, OOZE_CHANGE_MATERIAL, i, &key); i++) {
        int k = ooze_param_find(ooze_material_params(NULL), OOZE_MATERIAL_PARAM_COUNT, key.key);
        if (k >= 0 && !isnan(numbers[k]) && numbers[k] != none.values[k]) {
            key.offset = 0;
            ooze_text_append(yaml, "%s%s: ", separator, key.key);
            ooze_value_write(yaml, &key, &numbers[k]);
            separator = ", ";
        }
    }
    ooze_text_append(yaml, "}");
}

static void write_row(OozeText *yaml, const OozeLive *live, const OozeLiveRow *row)
{
    ooze_text_append(yaml, "  - {time: ");
    write_number(yaml, row->time);
    if (row->numbers) {
        ooze_text_append(yaml, ", set: '%s', numbers: ", row->set);
        write_numbers(yaml, live, row->numbers);
        ooze_text_append(yaml, "} # preset %s\n", row->to);
        return;
    }
    if (row->set) {
        ooze_text_append(yaml, ", set: '%s', to: '%s', ramp: ", row->set, row->to);
        write_number(yaml, row->ramp);
    } else {
        ooze_text_append(yaml, ", position: ");
        write_vector(yaml, row->push.position);
        ooze_text_append(yaml, ", radius: ");
        write_number(yaml, row->push.radius);
        ooze_text_append(yaml, ", velocity: ");
        write_vector(yaml, row->push.velocity);
    }
    ooze_text_append(yaml, "}\n");
}

static int write_rows(OozeText *yaml, const OozeLive *live, bool pushes)
{
    int count = 0;
    for (int i = 0; i < live->row_count; i++) {
        if (!live->rows[i].set == pushes) {
            write_row(yaml, live, &live->rows[i]);
            count++;
        }
    }
    return count;
}

static int count_rows(const OozeLive *live, bool pushes)
{
    int count = 0;
    for (int i = 0; i < live->row_count; i++) {
        count += !live->rows[i].set == pushes;
    }
    return count;
}

static bool begins_with(const char *line, const char *key)
{
    return strncmp(line, key, strlen(key)) == 0;
}

/* Lines of the canonical text that begin a key of the scene have no indentation: the rows follow
   the last line of their list. */
static void write_scene(OozeText *yaml, const OozeLive *live, double duration)
{
    static const char *const lists[] = {"changes:", "pushes:"};
    bool written[2] = {false, false};
    int open = -1;
    for (const char *line = ooze_scene_canonical(live->scene); *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) + 1 : strlen(line);
        if (line[0] != ' ' && open >= 0) {
            write_rows(yaml, live, open == 1);
            written[open] = true;
            open = -1;
        }
        for (int k = 0; k < 2; k++) {
            open = begins_with(line, lists[k]) ? k : open;
        }
        if (begins_with(line, "duration:")) {
            ooze_text_append(yaml, "duration: ");
            write_number(yaml, duration);
            ooze_text_append(yaml, "\n");
        } else {
            ooze_text_append_bytes(yaml, line, length);
        }
        line += length;
    }
    for (int k = 0; k < 2; k++) {
        if (!written[k] && count_rows(live, k == 1) > 0) {
            if (open != k) {
                ooze_text_append(yaml, "%s\n", lists[k]);
            }
            write_rows(yaml, live, k == 1);
        }
    }
}

OozeStatus ooze_live_save(OozeLive *live, OozeText *yaml, uint64_t *hash, OozeError *error)
{
    const OozeSceneInfo *info = &live->scene->info;
    OozeStatus status = OOZE_OK;
    while (!status && live->world->step % info->steps_per_frame != 0) {
        status = ooze_live_step(live, error);
    }
    const OozeFrame *frame = status ? NULL : ooze_world_frame(live->world);
    if (!frame) {
        return status ? status : ooze_fail_memory(error, "a frame", 0);
    }
    OozeFrame numbered = *frame;
    numbered.index = numbered.step / info->steps_per_frame;
    *hash = ooze_frame_hash(&numbered);
    write_scene(yaml, live, (double)numbered.index / info->frame_rate);
    return yaml->failed ? ooze_fail_memory(error, "the scene", 0) : OOZE_OK;
}
