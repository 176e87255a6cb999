/* Checks of frames from worlds and from files. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "output/frame_file.h"
#include "particles/field.h"

typedef struct Reason {
    char *text;
    size_t size;
} Reason;

/* Writes the reason and returns false. */
static bool fail(const Reason *why, const char *format, ...) OOZE_PRINTF(2, 3);
static bool fail(const Reason *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, why->size, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_valid_text(const char *text)
{
    return !text || strlen(text) <= OOZE_FRAME_TEXT_MAX;
}

static bool is_valid_name(const char *name)
{
    return name && name[0] != '\0' && strcmp(name, ".") != 0 && !strchr(name, '/') &&
           is_valid_text(name);
}

/* A file stores column names as one text, separated by spaces. */
static bool are_valid_columns(const OozeFieldView *field)
{
    size_t length = 0;
    for (int k = 0; field->columns && k < field->components; k++) {
        if (!is_valid_name(field->columns[k]) || strchr(field->columns[k], ' ') ||
            ooze_field_column(field, field->columns[k]) != k) {
            return false;
        }
        length += strlen(field->columns[k]) + 1;
    }
    return length <= OOZE_FRAME_TEXT_MAX;
}

static bool check_fields(const OozeFieldView *fields, int count, const char *kind,
                         const Reason *why)
{
    if (count < 0 || count > OOZE_FRAME_FIELDS_MAX) {
        return fail(why, "%d %s fields; at most %d are allowed", count, kind,
                    OOZE_FRAME_FIELDS_MAX);
    }
    if (count > 0 && !fields) {
        return fail(why, "its %s fields are NULL", kind);
    }
    for (int i = 0; i < count; i++) {
        const OozeFieldView *field = &fields[i];
        if (!is_valid_name(field->name) || !is_valid_text(field->unit) ||
            !is_valid_text(field->help)) {
            return fail(why, "%s field %d has a bad name, or a text over %d bytes", kind, i,
                        OOZE_FRAME_TEXT_MAX);
        }
        if (!ooze_field_type_size(field->type) || field->components < 1 ||
            field->components > OOZE_FRAME_COMPONENTS_MAX || field->stride < field->components ||
            (field->count > 0 && !field->data)) {
            return fail(why, "%s field '%s' has an impossible type or shape", kind, field->name);
        }
        if (!are_valid_columns(field)) {
            return fail(why, "%s field '%s' has a column without a name of its own", kind,
                        field->name);
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(fields[k].name, field->name) == 0) {
                return fail(why, "two %s fields are called '%s'", kind, field->name);
            }
        }
    }
    return true;
}

static bool check_common_fields(const OozeFrame *frame, const Reason *why)
{
    for (int i = 0; i < frame->field_count; i++) {
        if (frame->fields[i].count != frame->particle_count) {
            return fail(why, "field '%s' has %llu rows for %llu particles", frame->fields[i].name,
                        (unsigned long long)frame->fields[i].count,
                        (unsigned long long)frame->particle_count);
        }
    }
    for (int i = 0; i < OOZE_FIELD_COMMON_COUNT; i++) {
        const OozeFieldInfo *info = &ooze_common_fields[i];
        const OozeFieldView *field = ooze_frame_field(frame, info->name);
        if (!field || field->type != info->type || field->components != info->components) {
            return fail(why, "field '%s' is %s", info->name,
                        field ? "of another type or shape than it should be" : "missing");
        }
    }
    return true;
}

static bool is_finite_pose(const OozeSolidPose *pose)
{
    double values[OOZE_POSE_COLUMNS];
    memcpy(values, pose, sizeof values);
    bool finite = true;
    for (int i = 0; i < OOZE_POSE_COLUMNS; i++) {
        finite = finite && isfinite(values[i]);
    }
    return finite;
}

static bool check_solids(const OozeFrame *frame, const Reason *why)
{
    for (int i = 0; i < frame->solid_count; i++) {
        if (!is_valid_text(frame->solids[i].name) || !is_finite_pose(&frame->solids[i].pose)) {
            return fail(why, "solid %d has a pose that is not finite, or too long a name", i);
        }
    }
    return frame->solid_count >= 0 || fail(why, "negative number of solids");
}

/* Readers of frames use material indices of particles without further checks. */
static bool check_materials(const OozeFrame *frame, const Reason *why)
{
    if (frame->material_count < 0) {
        return fail(why, "negative number of materials");
    }
    for (int i = 0; i < frame->material_count; i++) {
        const OozeMaterialView *material = &frame->materials[i];
        if (!is_valid_text(material->name) || !isfinite(material->density) ||
            !isfinite(material->color[0]) || !isfinite(material->color[1]) ||
            !isfinite(material->color[2])) {
            return fail(why, "material %d has a value that is not finite, or too long a name", i);
        }
    }
    const OozeFieldView *field =
        ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_MATERIAL].name);
    const uint16_t *material = field->data;
    for (uint64_t i = 0; i < frame->particle_count && frame->material_count > 0; i++) {
        if (material[i * (uint64_t)field->stride] >= frame->material_count) {
            return fail(why, "particle %llu is of material %u, of %d", (unsigned long long)i,
                        material[i * (uint64_t)field->stride], frame->material_count);
        }
    }
    return true;
}

bool ooze_frame_is_valid(const OozeFrame *frame, char *why, size_t why_size)
{
    const Reason reason = {why, why_size};
    if ((frame->solid_count > 0 && !frame->solids) ||
        (frame->material_count > 0 && !frame->materials)) {
        return fail(&reason, "its solids or materials are NULL");
    }
    if (!isfinite(frame->time) || !isfinite(frame->spacing) || !isfinite(frame->support) ||
        (unsigned)frame->up > OOZE_AXIS_Z || !is_valid_text(frame->method)) {
        return fail(&reason, "time, spacing, support, up or method is not possible");
    }
    return check_fields(frame->fields, frame->field_count, "particle", &reason) &&
           check_fields(frame->state, frame->state_count, "state", &reason) &&
           check_common_fields(frame, &reason) && check_solids(frame, &reason) &&
           check_materials(frame, &reason);
}
