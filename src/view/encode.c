#include "view/encode.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "solids/display_mesh.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packets are little-endian");

/* ---- writing ----------------------------------------------------------------------------- */

static unsigned char *put_u32(unsigned char *at, uint64_t value)
{
    uint32_t number = (uint32_t)value;
    memcpy(at, &number, sizeof number);
    return at + sizeof number;
}

static unsigned char *put_f32(unsigned char *at, double value)
{
    float number = (float)value;
    memcpy(at, &number, sizeof number);
    return at + sizeof number;
}

static unsigned char *put_f64(unsigned char *at, double value)
{
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

static unsigned char *put_u16(unsigned char *at, double share)
{
    uint16_t number = share >= 0.0 && share <= 1.0 ? (uint16_t)(share * 65535.0 + 0.5) : 0;
    memcpy(at, &number, sizeof number);
    return at + sizeof number;
}

static unsigned char *put_vector(unsigned char *at, OozeVec3 v)
{
    return put_f32(put_f32(put_f32(at, v.x), v.y), v.z);
}

/* ---- fields ------------------------------------------------------------------------------ */

bool ooze_view_field_is_shown(const OozeFieldView *field)
{
    bool real = field->type == OOZE_FIELD_FLOAT32 || field->type == OOZE_FIELD_FLOAT64;
    return field->components == 1 ? real && strcmp(field->unit, "") != 0
                                  : strcmp(field->name, "velocity") == 0;
}

static const OozeFieldView *find_field(const OozeFrame *frame, const char *name)
{
    return ooze_frame_field(frame, strcmp(name, "speed") == 0 ? "velocity" : name);
}

static double field_value(const OozeViewField *field, const OozeFieldView *view, uint64_t i)
{
    if (field->values) {
        return (double)field->values[i];
    }
    if (!view) {
        return NAN;
    }
    double sum = 0.0;
    for (int k = 0; k < view->components; k++) {
        double value = ooze_field_value(view, i, k);
        if (view->components == 1) {
            return value;
        }
        sum += value * value;
    }
    return sqrt(sum);
}

/* ---- frames ------------------------------------------------------------------------------ */

typedef struct Ends {
    double low[3], high[3];
    double field_low, field_high;
} Ends;

static Ends find_ends(const OozeFrame *frame, const OozeFieldView *positions,
                      const OozeViewField *field, const OozeFieldView *view)
{
    Ends ends = {
        {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, INFINITY, -INFINITY};
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        for (int k = 0; k < 3; k++) {
            double x = ooze_field_value(positions, i, k);
            ends.low[k] = isfinite(x) ? fmin(ends.low[k], x) : ends.low[k];
            ends.high[k] = isfinite(x) ? fmax(ends.high[k], x) : ends.high[k];
        }
        double value = field_value(field, view, i);
        if (isfinite(value)) {
            ends.field_low = fmin(ends.field_low, value);
            ends.field_high = fmax(ends.field_high, value);
        }
    }
    for (int k = 0; k < 3; k++) {
        bool any = ends.low[k] <= ends.high[k];
        ends.low[k] = any ? ends.low[k] : 0.0;
        ends.high[k] = any ? ends.high[k] : 0.0;
    }
    bool any = ends.field_low <= ends.field_high;
    ends.field_low = any ? ends.field_low : NAN;
    ends.field_high = any ? ends.field_high : NAN;
    return ends;
}

static double share_of(double value, double low, double high)
{
    return high > low ? (value - low) / (high - low) : 0.0;
}

static unsigned char *put_particles(unsigned char *at, const OozeFrame *frame,
                                    const OozeViewField *field, const Ends *ends)
{
    const OozeFieldView *positions = ooze_frame_field(frame, "position");
    const OozeFieldView *materials = ooze_frame_field(frame, "material");
    const OozeFieldView *view = find_field(frame, field->name);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        for (int k = 0; k < 3; k++) {
            double x = ooze_field_value(positions, i, k);
            at = put_u16(at, share_of(x, ends->low[k], ends->high[k]));
        }
    }
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double value = field_value(field, view, i);
        at = put_u16(at, share_of(value, ends->field_low, ends->field_high));
    }
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double material = materials ? ooze_field_value(materials, i, 0) : 0.0;
        *at++ = (unsigned char)fmin(material, 255.0);
    }
    return at;
}

OozePacket *ooze_view_encode_frame(uint64_t number, const OozeFrame *frame,
                                   const OozeViewField *field, const OozeVec3 *nozzles,
                                   int nozzle_count)
{
    enum { HEAD = 72, PER_SOLID = 28, PER_NOZZLE = 12, PER_PARTICLE = 9 };
    size_t size = HEAD + PER_SOLID * (size_t)frame->solid_count +
                  PER_NOZZLE * (size_t)nozzle_count + PER_PARTICLE * frame->particle_count;
    OozePacket *packet = ooze_packet_create(number, true, NULL, size);
    if (!packet) {
        return NULL;
    }
    Ends ends = find_ends(frame, ooze_frame_field(frame, "position"), field,
                          find_field(frame, field->name));
    unsigned char *at = put_u32(put_u32(packet->bytes, OOZE_PACKET_FRAME), number);
    at = put_f64(put_f64(at, frame->time), (double)frame->step);
    at = put_vector(at, vec3(ends.low[0], ends.low[1], ends.low[2]));
    at = put_vector(at, vec3(ends.high[0], ends.high[1], ends.high[2]));
    at = put_f32(put_f32(at, ends.field_low), ends.field_high);
    at = put_u32(put_u32(at, frame->particle_count), (uint64_t)frame->solid_count);
    at = put_u32(put_u32(at, (uint64_t)nozzle_count), 0);
    for (int i = 0; i < frame->solid_count; i++) {
        const OozeSolidPose *pose = &frame->solids[i].pose;
        at = put_vector(at, pose->position);
        at = put_f32(put_f32(at, pose->rotation.x), pose->rotation.y);
        at = put_f32(put_f32(at, pose->rotation.z), pose->rotation.w);
    }
    for (int i = 0; i < nozzle_count; i++) {
        at = put_vector(at, nozzles[i]);
    }
    put_particles(at, frame, field, &ends);
    return packet;
}

/* ---- solids ------------------------------------------------------------------------------ */

static void append_u32(OozeText *bytes, uint64_t value)
{
    unsigned char number[4];
    put_u32(number, value);
    ooze_text_append_bytes(bytes, number, sizeof number);
}

static OozeStatus append_solid(OozeText *bytes, const OozeSceneDef *def, int i, OozeError *error)
{
    const OozeSolidDef *solid = &def->solids[i];
    OozeMesh *mesh = NULL;
    OozeShape *shape = NULL;
    OozeStatus status = OOZE_OK;
    if (solid->visible && solid->shape.kind != OOZE_SHAPE_PLANE) {
        status = ooze_shape_display_mesh(&solid->shape, def->world.up, def->world.spacing, &mesh,
                                         &shape, error);
    }
    append_u32(bytes, mesh ? mesh->vertex_count : 0);
    append_u32(bytes, mesh ? mesh->triangle_count : 0);
    for (uint64_t v = 0; mesh && v < mesh->vertex_count; v++) {
        unsigned char vertex[12];
        put_vector(vertex, mesh->vertices[v]);
        ooze_text_append_bytes(bytes, vertex, sizeof vertex);
    }
    if (mesh) {
        ooze_text_append_bytes(bytes, mesh->triangles,
                               3 * mesh->triangle_count * sizeof *mesh->triangles);
    }
    ooze_mesh_free(mesh);
    ooze_shape_destroy(shape);
    return status;
}

OozeStatus ooze_view_encode_solids(uint64_t number, const OozeSceneDef *def, OozePacket **packet,
                                   OozeError *error)
{
    OozeText bytes = {0};
    OozeStatus status = OOZE_OK;
    append_u32(&bytes, OOZE_PACKET_SOLIDS);
    append_u32(&bytes, number);
    append_u32(&bytes, (uint64_t)def->solid_count);
    append_u32(&bytes, 0);
    for (int i = 0; i < def->solid_count && !status; i++) {
        status = append_solid(&bytes, def, i, error);
    }
    *packet =
        status || bytes.failed ? NULL : ooze_packet_create(number, true, bytes.data, bytes.length);
    ooze_text_clear(&bytes);
    return *packet || status ? status : ooze_fail_memory(error, "the solids", 0);
}
