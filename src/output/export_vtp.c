/* VTK polygon data. Arrays are inline as base64, because ParaView 5.11 refuses appended data. */
#include <string.h>

#include "base/text.h"
#include "output/export.h"
#include "output/export_value.h"
#include "particles/field.h"

/* Base64 of a stream of bytes: each group of three becomes four characters. */
typedef struct Base64 {
    OozeWriter *writer;
    unsigned char pending[3];
    int count;
} Base64;

static void encode_group(Base64 *stream)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *w = stream->pending;
    char *text = ooze_writer_reserve(stream->writer, 4);
    text[0] = letters[w[0] >> 2];
    text[1] = letters[(w[0] & 3) << 4 | w[1] >> 4];
    text[2] = stream->count > 1 ? letters[(w[1] & 15) << 2 | w[2] >> 6] : '=';
    text[3] = stream->count > 2 ? letters[w[2] & 63] : '=';
    ooze_writer_advance(stream->writer, 4);
    stream->count = 0;
    memset(stream->pending, 0, sizeof stream->pending);
}

static void put_base64(Base64 *stream, const void *data, size_t size)
{
    const unsigned char *from = data;
    for (size_t i = 0; i < size; i++) {
        stream->pending[stream->count++] = from[i];
        if (stream->count == 3) {
            encode_group(stream);
        }
    }
}

static void end_base64(Base64 *stream)
{
    if (stream->count > 0) {
        encode_group(stream);
    }
    ooze_writer_put(stream->writer, "\n", 1);
}

static void put_field(OozeWriter *writer, const OozeFieldView *field)
{
    static const char *const type_names[OOZE_FIELD_TYPE_COUNT] = {
        [OOZE_FIELD_FLOAT32] = "Float32", [OOZE_FIELD_FLOAT64] = "Float64",
        [OOZE_FIELD_UINT8] = "UInt8",     [OOZE_FIELD_UINT16] = "UInt16",
        [OOZE_FIELD_UINT32] = "UInt32",   [OOZE_FIELD_UINT64] = "UInt64",
    };
    size_t row = ooze_field_type_size(field->type) * (size_t)field->components;
    uint64_t bytes = field->count * row;
    ooze_writer_print(writer, "<DataArray type=\"%s\" Name=\"", type_names[field->type]);
    ooze_writer_print_xml(writer, field->name);
    ooze_writer_print(writer, "\" NumberOfComponents=\"%d\" format=\"binary\">\n",
                      field->components);
    Base64 stream = {.writer = writer};
    put_base64(&stream, &bytes, sizeof bytes);
    for (uint64_t i = 0; i < field->count && !writer->error_number; i++) {
        put_base64(&stream, ooze_export_component(field, i, 0), row);
    }
    end_base64(&stream);
    ooze_writer_print(writer, "</DataArray>\n");
}

/* One cell per particle, so that filters on cells treat each particle separately. */
static void put_vertices(OozeWriter *writer, uint64_t count)
{
    static const char *const names[] = {"connectivity", "offsets"};
    ooze_writer_print(writer, "<Verts>\n");
    for (uint64_t a = 0; a < 2; a++) {
        ooze_writer_print(writer, "<DataArray type=\"Int64\" Name=\"%s\" format=\"binary\">\n",
                          names[a]);
        uint64_t bytes = count * 8;
        Base64 stream = {.writer = writer};
        put_base64(&stream, &bytes, sizeof bytes);
        for (uint64_t i = 0; i < count && !writer->error_number; i++) {
            uint64_t value = i + a;
            put_base64(&stream, &value, sizeof value);
        }
        end_base64(&stream);
        ooze_writer_print(writer, "</DataArray>\n");
    }
    ooze_writer_print(writer, "</Verts>\n");
}

static const char *byte_order(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
}

OozeStatus ooze_export_vtp(const OozeFrame *frame, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    const char *position_name = ooze_common_fields[OOZE_FIELD_POSITION].name;
    const OozeFieldView *position = ooze_frame_field(frame, position_name);
    ooze_writer_print(&writer,
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                      "byte_order=\"%s\" header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n"
                      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                      "format=\"ascii\">%.17g</DataArray>\n</FieldData>\n"
                      "<Piece NumberOfPoints=\"%llu\" NumberOfVerts=\"%llu\" NumberOfLines=\"0\" "
                      "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n",
                      byte_order(), frame->time, (unsigned long long)frame->particle_count,
                      (unsigned long long)frame->particle_count);
    for (int f = 0; f < frame->field_count; f++) {
        if (&frame->fields[f] != position) {
            put_field(&writer, &frame->fields[f]);
        }
    }
    ooze_writer_print(&writer, "</PointData>\n<Points>\n");
    put_field(&writer, position);
    ooze_writer_print(&writer, "</Points>\n");
    put_vertices(&writer, frame->particle_count);
    ooze_writer_print(&writer, "</Piece>\n</PolyData>\n</VTKFile>\n");
    return ooze_writer_commit(&writer, error);
}

OozeStatus ooze_export_pvd(const char *folder, const char *const *files, const double *times,
                           uint64_t count, OozeAxis up, OozeError *error)
{
    (void)up; /* the format has no up axis */
    OozeText path = {0};
    OozeWriter writer;
    ooze_text_append(&path, "%s/run.pvd", folder);
    OozeStatus status = path.failed ? ooze_fail_memory(error, "a path", strlen(folder))
                                    : ooze_writer_open(&writer, path.data, error);
    ooze_text_clear(&path);
    if (status) {
        return status;
    }
    ooze_writer_print(&writer,
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                      "byte_order=\"%s\">\n<Collection>\n",
                      byte_order());
    for (uint64_t i = 0; i < count; i++) {
        ooze_writer_print(&writer, "<DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"",
                          times[i]);
        ooze_writer_print_xml(&writer, files[i]);
        ooze_writer_print(&writer, "\"/>\n");
    }
    ooze_writer_print(&writer, "</Collection>\n</VTKFile>\n");
    return ooze_writer_commit(&writer, error);
}
