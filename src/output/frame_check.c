/* What every frame must satisfy, whether it comes from a world or from a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/frame_file.h"
#include "particles/field.h"

static bool good_name(const char *name)
{
    return name && name[0] != '\0' && strcmp(name, ".") != 0 && !strchr(name, '/') &&
           strlen(name) <= OOZE_FRAME_TEXT_MAX;
}

static bool good_text(const char *text)
{
    return !text || strlen(text) <= OOZE_FRAME_TEXT_MAX;
}

static bool check_fields(const OozeFieldView *fields, int count, const char *kind, char *why,
                         size_t size)
{
    if (count < 0 || count > OOZE_FRAME_FIELDS_MAX) {
        snprintf(why, size, "%d %s fields; at most %d are allowed", count, kind,
                 OOZE_FRAME_FIELDS_MAX);
        return false;
    }
    for (int i = 0; i < count; i++) {
        const OozeFieldView *field = &fields[i];
        if (!good_name(field->name) || !good_text(field->unit) || !good_text(field->help)) {
            snprintf(why, size, "%s field %d has a bad name, or a text over %d bytes", kind, i,
                     OOZE_FRAME_TEXT_MAX);
            return false;
        }
        if (!ooze_field_type_size(field->type) || field->components < 1 ||
            field->components > OOZE_FRAME_COMPONENTS_MAX || field->stride < field->components ||
            (field->count > 0 && !field->data)) {
            snprintf(why, size, "%s field '%s' has an impossible type or shape", kind, field->name);
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(fields[k].name, field->name) == 0) {
                snprintf(why, size, "two %s fields are called '%s'", kind, field->name);
                return false;
            }
        }
    }
    return true;
}

static bool check_common(const OozeFrame *frame, char *why, size_t size)
{
    for (int i = 0; i < frame->field_count; i++) {
        if (frame->fields[i].count != frame->particle_count) {
            snprintf(why, size, "field '%s' has %llu rows for %llu particles",
                     frame->fields[i].name, (unsigned long long)frame->fields[i].count,
                     (unsigned long long)frame->particle_count);
            return false;
        }
    }
    for (int i = 0; i < OOZE_FIELD_COMMON_COUNT; i++) {
        const OozeFieldInfo *row = &ooze_common_fields[i];
        const OozeFieldView *field = ooze_frame_field(frame, row->name);
        if (!field || field->type != row->type || field->components != row->components) {
            snprintf(why, size, "field '%s' is %s", row->name,
                     field ? "of another type or shape than it should be" : "missing");
            return false;
        }
    }
    return true;
}

static bool good_pose(const OozePose *pose)
{
    const double values[OOZE_POSE_COLUMNS] = {
        pose->position.x, pose->position.y, pose->position.z, pose->rotation.x, pose->rotation.y,
        pose->rotation.z, pose->rotation.w, pose->velocity.x, pose->velocity.y, pose->velocity.z,
        pose->spin.x,     pose->spin.y,     pose->spin.z};
    bool good = true;
    for (int i = 0; i < OOZE_POSE_COLUMNS; i++) {
        good = good && isfinite(values[i]);
    }
    return good;
}

static bool check_things(const OozeFrame *frame, char *why, size_t size)
{
    if (frame->solid_count < 0 || frame->material_count < 0) {
        snprintf(why, size, "negative number of solids or materials");
        return false;
    }
    for (int i = 0; i < frame->solid_count; i++) {
        if (!good_text(frame->solids[i].name) || !good_pose(&frame->solids[i].pose)) {
            snprintf(why, size, "solid %d has a pose that is not finite, or too long a name", i);
            return false;
        }
    }
    for (int i = 0; i < frame->material_count; i++) {
        const OozeMaterialView *material = &frame->materials[i];
        if (!good_text(material->name) || !isfinite(material->density) ||
            !isfinite(material->color[0]) || !isfinite(material->color[1]) ||
            !isfinite(material->color[2])) {
            snprintf(why, size, "material %d has a value that is not finite, or too long a name",
                     i);
            return false;
        }
    }
    return true;
}

/* Everything downstream looks materials up by number. */
static bool check_materials(const OozeFrame *frame, char *why, size_t size)
{
    const OozeFieldView *field =
        ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_MATERIAL].name);
    const uint16_t *material = field->data;
    for (uint64_t i = 0; i < frame->particle_count && frame->material_count > 0; i++) {
        if (material[i * (uint64_t)field->stride] >= frame->material_count) {
            snprintf(why, size, "particle %llu is of material %u, of %d", (unsigned long long)i,
                     material[i * (uint64_t)field->stride], frame->material_count);
            return false;
        }
    }
    return true;
}

bool ooze_frame_is_sound(const OozeFrame *frame, char *why, size_t why_size)
{
    if (!isfinite(frame->time) || !isfinite(frame->spacing) || !isfinite(frame->support) ||
        (unsigned)frame->up > OOZE_AXIS_Z || !good_text(frame->method)) {
        snprintf(why, why_size, "time, spacing, support, up or method is not possible");
        return false;
    }
    return check_fields(frame->fields, frame->field_count, "particle", why, why_size) &&
           check_fields(frame->state, frame->state_count, "state", why, why_size) &&
           check_common(frame, why, why_size) && check_things(frame, why, why_size) &&
           check_materials(frame, why, why_size);
}
