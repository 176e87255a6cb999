/* Universal Scene Description as text. Each frame is a file with samples at time code 0; the stage
   run.usda plays the files as value clips, one time code per frame. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/export.h"
#include "output/export_value.h"
#include "output/usda.h"
#include "particles/field.h"

/* USD allows y and z as the up axis; a scene with x up is rotated about z. */
static void print_stage_axes(OozeWriter *writer, OozeAxis up)
{
    ooze_writer_print(writer,
                      "    defaultPrim = \"ooze\"\n    metersPerUnit = 1\n    upAxis = \"%c\"\n",
                      up == OOZE_AXIS_Z ? 'Z' : 'Y');
}

static void print_root_rotation(OozeWriter *writer, OozeAxis up)
{
    if (up == OOZE_AXIS_X) {
        ooze_writer_print(writer, "    double xformOp:rotateZ = 90\n"
                                  "    uniform token[] xformOpOrder = [\"xformOp:rotateZ\"]\n");
    }
}

void ooze_usda_print_head(OozeWriter *writer, const OozeFrame *frame, const char *remark)
{
    ooze_writer_print(writer, "#usda 1.0\n");
    if (remark) {
        ooze_writer_print(writer, "# %s\n", remark);
    }
    ooze_writer_print(writer, "(\n");
    print_stage_axes(writer, frame->up);
    ooze_writer_print(writer,
                      "    startTimeCode = 0\n    endTimeCode = 0\n    timeCodesPerSecond = 24\n"
                      "    customLayerData = {\n        string generator = \"ooze\"\n"
                      "        uint64 frame = %llu\n        uint64 step = %llu\n"
                      "        double time = %.17g\n    }\n)\n\n",
                      (unsigned long long)frame->index, (unsigned long long)frame->step,
                      frame->time);
    ooze_writer_print(writer, "def Xform \"ooze\"\n{\n");
    print_root_rotation(writer, frame->up);
}

/* A text in quotes, with quotes and backslashes escaped. */
static void print_quoted(OozeWriter *writer, const char *text)
{
    ooze_writer_put(writer, "\"", 1);
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '"' || *c == '\\') {
            ooze_writer_put(writer, "\\", 1);
        }
        ooze_writer_put(writer, (unsigned char)*c < 0x20 ? "?" : c, 1);
    }
    ooze_writer_put(writer, "\"", 1);
}

void ooze_usda_print_primvar(OozeWriter *writer, const char *type, const char *name,
                             int element_size, const char *unit)
{
    ooze_writer_print(writer, "        %s[] %s (\n            interpolation = \"vertex\"\n", type,
                      name);
    if (element_size > 1) {
        ooze_writer_print(writer, "            elementSize = %d\n", element_size);
    }
    if (unit && unit[0]) {
        ooze_writer_print(writer, "            doc = ");
        print_quoted(writer, unit);
        ooze_writer_put(writer, "\n", 1);
    }
    ooze_writer_print(writer, "        )\n");
}

/* ---- particles --------------------------------------------------------------------------- */

/* `tuples`: the components of a particle are one tuple; else all are a flat list. */
static void print_array(OozeWriter *writer, const OozeFieldView *field, bool tuples)
{
    bool wrapped = tuples && field->components > 1;
    ooze_writer_put(writer, "[", 1);
    for (uint64_t i = 0; i < field->count && !writer->error_number; i++) {
        ooze_writer_put(writer, ", ", i > 0 ? 2 : 0);
        ooze_writer_put(writer, "(", wrapped);
        for (int c = 0; c < field->components; c++) {
            ooze_writer_put(writer, ", ", c > 0 ? 2 : 0);
            ooze_export_print_value(writer, field, i, c);
        }
        ooze_writer_put(writer, ")", wrapped);
    }
    ooze_writer_put(writer, "]", 1);
}

static void print_samples(OozeWriter *writer, const char *type, const char *name,
                          const OozeFieldView *field, bool tuples)
{
    ooze_writer_print(writer, "        %s[] %s.timeSamples = {\n            0: ", type, name);
    print_array(writer, field, tuples);
    ooze_writer_print(writer, ",\n        }\n");
}

/* A field without an attribute of USD becomes a primvar of the same name. Houdini and Blender read
   signed integers, and not all of the unsigned ones. */
static void print_primvar(OozeWriter *writer, const OozeFieldView *field)
{
    static const char *const types[OOZE_FIELD_TYPE_COUNT] = {
        [OOZE_FIELD_FLOAT32] = "float", [OOZE_FIELD_FLOAT64] = "double",
        [OOZE_FIELD_UINT8] = "int",     [OOZE_FIELD_UINT16] = "int",
        [OOZE_FIELD_UINT32] = "int64",  [OOZE_FIELD_UINT64] = "int64",
    };
    char name[OOZE_EXPORT_NAME_MAX], full[OOZE_EXPORT_NAME_MAX + 16], type[16];
    bool real = field->type == OOZE_FIELD_FLOAT32 || field->type == OOZE_FIELD_FLOAT64;
    bool tuples = real && field->components >= 2 && field->components <= 4;
    ooze_export_identifier(field->name, name);
    snprintf(full, sizeof full, "primvars:%s", name);
    if (tuples) {
        snprintf(type, sizeof type, "%s%d", types[field->type], field->components);
    } else {
        snprintf(type, sizeof type, "%s", types[field->type]);
    }
    ooze_usda_print_primvar(writer, type, full, tuples ? 1 : field->components, field->unit);
    print_samples(writer, type, full, field, tuples);
}

static void print_extent(OozeWriter *writer, const OozeFieldView *position, double half)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (uint64_t i = 0; i < position->count; i++) {
        for (int c = 0; c < 3; c++) {
            double x = ooze_field_value(position, i, c);
            low[c] = i == 0 ? x : fmin(low[c], x);
            high[c] = i == 0 ? x : fmax(high[c], x);
        }
    }
    ooze_writer_print(writer,
                      "        float3[] extent.timeSamples = {\n"
                      "            0: [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)],\n        }\n",
                      low[0] - half, low[1] - half, low[2] - half, high[0] + half, high[1] + half,
                      high[2] + half);
}

static void print_colors(OozeWriter *writer, const OozeFrame *frame)
{
    const OozeFieldView *material =
        ooze_frame_field(frame, ooze_common_fields[OOZE_FIELD_MATERIAL].name);
    if (frame->material_count < 1) {
        return;
    }
    ooze_usda_print_primvar(writer, "color3f", "primvars:displayColor", 1, NULL);
    ooze_writer_print(writer,
                      "        color3f[] primvars:displayColor.timeSamples = {\n            0: [");
    for (uint64_t i = 0; i < frame->particle_count && !writer->error_number; i++) {
        const float *color = frame->materials[(int)ooze_field_value(material, i, 0)].color;
        ooze_writer_print(writer, "%s(%.4g, %.4g, %.4g)", i > 0 ? ", " : "", color[0], color[1],
                          color[2]);
    }
    ooze_writer_print(writer, "],\n        }\n");
}

static void print_particles(OozeWriter *writer, const OozeFrame *frame)
{
    ooze_writer_print(writer, "    def Points \"particles\"\n    {\n");
    for (int f = 0; f < frame->field_count; f++) {
        const OozeFieldView *field = &frame->fields[f];
        if (strcmp(field->name, ooze_common_fields[OOZE_FIELD_POSITION].name) == 0) {
            print_extent(writer, field, 0.5 * frame->spacing);
            print_samples(writer, "point3f", "points", field, true);
        } else if (strcmp(field->name, ooze_common_fields[OOZE_FIELD_VELOCITY].name) == 0) {
            print_samples(writer, "vector3f", "velocities", field, true);
        } else if (strcmp(field->name, ooze_common_fields[OOZE_FIELD_ID].name) == 0) {
            print_samples(writer, "int64", "ids", field, true);
        } else {
            print_primvar(writer, field);
        }
    }
    print_colors(writer, frame);
    ooze_writer_print(
        writer,
        "        float[] widths = [%.9g] (\n            interpolation = \"constant\"\n"
        "        )\n    }\n",
        frame->spacing);
}

/* ---- solids ------------------------------------------------------------------------------ */

/* Names of prims are unique identifiers: the index is appended where two solids share a name. */
void ooze_usda_solid_name(const OozeFrame *frame, int i, char name[OOZE_EXPORT_NAME_MAX])
{
    char other[OOZE_EXPORT_NAME_MAX];
    bool shared = false;
    ooze_export_identifier(frame->solids[i].name ? frame->solids[i].name : "", name);
    for (int k = 0; k < frame->solid_count && !shared; k++) {
        ooze_export_identifier(frame->solids[k].name ? frame->solids[k].name : "", other);
        shared = k != i && strcmp(name, other) == 0;
    }
    size_t length = strlen(name);
    length = length < OOZE_EXPORT_NAME_MAX - 16 ? length : OOZE_EXPORT_NAME_MAX - 16;
    if (shared) {
        snprintf(name + length, OOZE_EXPORT_NAME_MAX - length, "__%d", i);
    }
}

static void print_solid(OozeWriter *writer, const OozeFrame *frame, int i)
{
    char name[OOZE_EXPORT_NAME_MAX];
    ooze_usda_solid_name(frame, i, name);
    const OozeSolidPose *pose = &frame->solids[i].pose;
    ooze_writer_print(writer, "        def Xform \"%s\" (\n            displayName = ", name);
    print_quoted(writer, frame->solids[i].name);
    ooze_writer_print(
        writer,
        "\n        )\n        {\n"
        "            double3 xformOp:translate.timeSamples = {\n"
        "                0: (%.17g, %.17g, %.17g),\n            }\n"
        "            quatd xformOp:orient.timeSamples = {\n"
        "                0: (%.17g, %.17g, %.17g, %.17g),\n            }\n"
        "            custom double3 velocity\n"
        "            double3 velocity.timeSamples = {\n"
        "                0: (%.17g, %.17g, %.17g),\n            }\n"
        "            custom double3 spin\n"
        "            double3 spin.timeSamples = {\n"
        "                0: (%.17g, %.17g, %.17g),\n            }\n"
        "            uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n"
        "        }\n",
        pose->position.x, pose->position.y, pose->position.z, pose->rotation.w, pose->rotation.x,
        pose->rotation.y, pose->rotation.z, pose->velocity.x, pose->velocity.y, pose->velocity.z,
        pose->spin.x, pose->spin.y, pose->spin.z);
}

OozeStatus ooze_export_usda(const OozeFrame *frame, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    ooze_usda_print_head(&writer, frame, NULL);
    print_particles(&writer, frame);
    ooze_writer_print(&writer, "    def Scope \"solids\"\n    {\n");
    for (int i = 0; i < frame->solid_count; i++) {
        print_solid(&writer, frame, i);
    }
    ooze_writer_print(&writer, "    }\n}\n");
    return ooze_writer_commit(&writer, error);
}

/* ---- the stage --------------------------------------------------------------------------- */

/* Frames per second; a whole number for evenly spaced times. */
static double frame_rate(const double *times, uint64_t count)
{
    double span = count > 1 ? times[count - 1] - times[0] : 0.0;
    double rate = span > 0.0 ? (double)(count - 1) / span : 24.0;
    return fabs(rate - round(rate)) < 1e-6 * rate ? round(rate) : rate;
}

static double time_code(double time, double rate)
{
    double code = time * rate;
    return fabs(code - round(code)) < 1e-3 ? round(code) : code;
}

static void print_clips(OozeWriter *writer, const char *const *files, const double *times,
                        uint64_t count, double rate)
{
    ooze_writer_print(writer,
                      "    clips = {\n        dictionary default = {\n"
                      "            string primPath = \"/ooze\"\n"
                      "            asset manifestAssetPath = @./%s@\n"
                      "            asset[] assetPaths = [",
                      files[0]);
    for (uint64_t i = 0; i < count; i++) {
        ooze_writer_print(writer, "%s@./%s@", i > 0 ? ", " : "", files[i]);
    }
    ooze_writer_print(writer, "]\n            double2[] active = [");
    for (uint64_t i = 0; i < count; i++) {
        ooze_writer_print(writer, "%s(%.17g, %llu)", i > 0 ? ", " : "", time_code(times[i], rate),
                          (unsigned long long)i);
    }
    ooze_writer_print(writer, "]\n            double2[] times = [");
    for (uint64_t i = 0; i < count; i++) {
        ooze_writer_print(writer, "%s(%.17g, 0)", i > 0 ? ", " : "", time_code(times[i], rate));
    }
    ooze_writer_print(writer, "]\n        }\n    }\n");
}

OozeStatus ooze_export_usda_stage(const char *folder, const char *const *files, const double *times,
                                  uint64_t count, OozeAxis up, OozeError *error)
{
    OozeText path = {0};
    OozeWriter writer;
    ooze_text_append(&path, "%s/" OOZE_USDA_SOLIDS, folder);
    bool shapes = !path.failed && ooze_file_exists(path.data);
    ooze_text_clear(&path);
    ooze_text_append(&path, "%s/run.usda", folder);
    OozeStatus status = path.failed ? ooze_fail_memory(error, "a path", strlen(folder))
                                    : ooze_writer_open(&writer, path.data, error);
    ooze_text_clear(&path);
    if (status) {
        return status;
    }
    double rate = frame_rate(times, count);
    ooze_writer_print(&writer, "#usda 1.0\n(\n");
    print_stage_axes(&writer, up);
    if (shapes) {
        ooze_writer_print(&writer, "    subLayers = [@./" OOZE_USDA_SOLIDS "@]\n");
    }
    ooze_writer_print(&writer,
                      "    startTimeCode = %.17g\n    endTimeCode = %.17g\n"
                      "    timeCodesPerSecond = %.17g\n    framesPerSecond = %.17g\n)\n\n",
                      count ? time_code(times[0], rate) : 0.0,
                      count ? time_code(times[count - 1], rate) : 0.0, rate, rate);
    ooze_writer_print(&writer, "def Xform \"ooze\" (\n");
    if (count > 0) {
        /* Constant attributes come by reference from the first frame; clips override the others. */
        ooze_writer_print(&writer, "    prepend references = @./%s@</ooze>\n", files[0]);
        print_clips(&writer, files, times, count, rate);
    }
    ooze_writer_print(&writer, ")\n{\n}\n");
    return ooze_writer_commit(&writer, error);
}
