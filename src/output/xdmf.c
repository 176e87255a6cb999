#include "output/xdmf.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "output/frame_file.h"
#include "output/frame_header.h"
#include "output/writer.h"
#include "particles/field.h"

typedef struct Field {
    char *name;
    OozeFieldType type;
    int components;
} Field;

typedef struct Layout {
    uint64_t hash;
    int field_count;
    Field *fields;
} Layout;

typedef struct Entry {
    uint64_t index, particle_count;
    double time;
    int layout;
} Entry;

struct OozeXdmf {
    Layout *layouts;
    int layout_count;
    Entry *entries; /* ascending index */
    uint64_t entry_count, entry_capacity;
};

OozeXdmf *ooze_xdmf_create(void)
{
    return ooze_alloc_zero(1, sizeof(OozeXdmf));
}

static void free_layout(Layout *layout)
{
    for (int i = 0; i < layout->field_count; i++) {
        ooze_free(layout->fields[i].name);
    }
    ooze_free(layout->fields);
}

void ooze_xdmf_destroy(OozeXdmf *xdmf)
{
    if (xdmf) {
        for (int i = 0; i < xdmf->layout_count; i++) {
            free_layout(&xdmf->layouts[i]);
        }
        ooze_free(xdmf->layouts);
        ooze_free(xdmf->entries);
        ooze_free(xdmf);
    }
}

static int find_layout(const OozeXdmf *xdmf, uint64_t hash)
{
    for (int i = xdmf->layout_count - 1; i >= 0; i--) {
        if (xdmf->layouts[i].hash == hash) {
            return i;
        }
    }
    return -1;
}

static OozeStatus add_layout(OozeXdmf *xdmf, const OozeFrame *frame, uint64_t hash,
                             OozeError *error)
{
    size_t count = (size_t)xdmf->layout_count;
    Layout layout = {.hash = hash,
                     .fields = ooze_alloc_zero((size_t)frame->field_count, sizeof(Field))};
    bool complete = layout.fields != NULL;
    for (int i = 0; complete && i < frame->field_count; i++) {
        const OozeFieldView *field = &frame->fields[i];
        layout.fields[i] = (Field){ooze_copy_text(field->name), field->type, field->components};
        layout.field_count = i + 1;
        complete = layout.fields[i].name != NULL;
    }
    Layout *grown = complete ? ooze_grow(xdmf->layouts, count, count + 1, sizeof layout) : NULL;
    if (!grown) {
        free_layout(&layout);
        return ooze_fail_memory(error, "the index of a run", count * sizeof layout);
    }
    grown[count] = layout;
    xdmf->layouts = grown;
    xdmf->layout_count++;
    return OOZE_OK;
}

/* Position of the frame with this number, or where it is to be inserted. */
static uint64_t find_entry(const OozeXdmf *xdmf, uint64_t index)
{
    uint64_t low = 0, high = xdmf->entry_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (xdmf->entries[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool ooze_xdmf_has(const OozeXdmf *xdmf, uint64_t index)
{
    uint64_t at = find_entry(xdmf, index);
    return at < xdmf->entry_count && xdmf->entries[at].index == index;
}

static OozeStatus add_entry(OozeXdmf *xdmf, const Entry *entry, OozeError *error)
{
    uint64_t at = find_entry(xdmf, entry->index);
    if (at < xdmf->entry_count && xdmf->entries[at].index == entry->index) {
        xdmf->entries[at] = *entry;
        return OOZE_OK;
    }
    if (xdmf->entry_count == xdmf->entry_capacity) {
        uint64_t capacity = xdmf->entry_capacity * 2 + 64;
        Entry *grown = ooze_grow(xdmf->entries, xdmf->entry_count, capacity, sizeof *grown);
        if (!grown) {
            return ooze_fail_memory(error, "the index of a run", capacity * sizeof *grown);
        }
        xdmf->entries = grown;
        xdmf->entry_capacity = capacity;
    }
    memmove(xdmf->entries + at + 1, xdmf->entries + at,
            (xdmf->entry_count - at) * sizeof *xdmf->entries);
    xdmf->entries[at] = *entry;
    xdmf->entry_count++;
    return OOZE_OK;
}

OozeStatus ooze_xdmf_add(OozeXdmf *xdmf, const OozeFrame *frame, OozeError *error)
{
    uint64_t hash = ooze_frame_layout(frame);
    if (find_layout(xdmf, hash) < 0) {
        OozeStatus status = add_layout(xdmf, frame, hash, error);
        if (status) {
            return status;
        }
    }
    const Entry entry = {frame->index, frame->particle_count, frame->time, find_layout(xdmf, hash)};
    return add_entry(xdmf, &entry, error);
}

OozeStatus ooze_xdmf_add_file(OozeXdmf *xdmf, uint64_t index, const char *path, OozeError *error)
{
    OozeFrameHeader header;
    OozeStatus status = ooze_frame_header_load(path, &header, error);
    if (!status && find_layout(xdmf, header.layout) < 0) {
        OozeFrame *frame;
        status = ooze_frame_open(path, &frame, error);
        if (!status) {
            status = add_layout(xdmf, frame, header.layout, error);
            ooze_frame_close(frame);
        }
    }
    if (!status) {
        const Entry entry = {index, header.particle_count, header.time,
                             find_layout(xdmf, header.layout)};
        status = add_entry(xdmf, &entry, error);
    }
    return status;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void print_item(OozeWriter *writer, const Entry *entry, const Field *field)
{
    /* ParaView's reader has no unsigned 64-bit type; ids stay far below 2^63. */
    static const char *const kinds[OOZE_FIELD_TYPE_COUNT] = {
        [OOZE_FIELD_FLOAT32] = "Float", [OOZE_FIELD_FLOAT64] = "Float",
        [OOZE_FIELD_UINT8] = "UChar",   [OOZE_FIELD_UINT16] = "UShort",
        [OOZE_FIELD_UINT32] = "UInt",   [OOZE_FIELD_UINT64] = "Int",
    };
    ooze_writer_print(writer, "<DataItem Dimensions=\"%llu",
                      (unsigned long long)entry->particle_count);
    if (field->components > 1) {
        ooze_writer_print(writer, " %d", field->components);
    }
    ooze_writer_print(
        writer,
        "\" NumberType=\"%s\" Precision=\"%zu\" Format=\"HDF\">" OOZE_FRAME_PATH_FORMAT
        ":/particles/",
        kinds[field->type], ooze_field_type_size(field->type), (unsigned long long)entry->index);
    ooze_writer_print_xml(writer, field->name);
    ooze_writer_print(writer, "</DataItem>");
}

/* Six numbers are a matrix, because XDMF has another order of the components of a tensor. */
static const char *attribute_type(int components)
{
    return components == 1 ? "Scalar" : components == 3 ? "Vector" : "Matrix";
}

static void print_frame(OozeWriter *writer, const Entry *entry, const Layout *layout)
{
    unsigned long long count = entry->particle_count;
    ooze_writer_print(writer,
                      "<Grid Name=\"frame %llu\" GridType=\"Uniform\"><Time Value=\"%.17g\"/>\n"
                      "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%llu\" "
                      "NodesPerElement=\"1\"/>\n",
                      (unsigned long long)entry->index, entry->time, count);
    for (int i = 0; i < layout->field_count; i++) {
        const Field *field = &layout->fields[i];
        if (strcmp(field->name, ooze_common_fields[OOZE_FIELD_POSITION].name) == 0) {
            ooze_writer_print(writer, "<Geometry GeometryType=\"XYZ\">");
            print_item(writer, entry, field);
            ooze_writer_print(writer, "</Geometry>\n");
        } else {
            ooze_writer_print(writer, "<Attribute Name=\"");
            ooze_writer_print_xml(writer, field->name);
            ooze_writer_print(writer, "\" AttributeType=\"%s\" Center=\"Node\">",
                              attribute_type(field->components));
            print_item(writer, entry, field);
            ooze_writer_print(writer, "</Attribute>\n");
        }
    }
    ooze_writer_print(writer, "</Grid>\n");
}

OozeStatus ooze_xdmf_write(const OozeXdmf *xdmf, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    ooze_writer_print(&writer,
                      "<?xml version=\"1.0\" ?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n"
                      "<Xdmf Version=\"2.0\">\n<Domain>\n"
                      "<Grid Name=\"run\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (uint64_t i = 0; i < xdmf->entry_count; i++) {
        const Entry *entry = &xdmf->entries[i];
        if (entry->particle_count > 0) { /* ParaView reports an error for a grid without points */
            print_frame(&writer, entry, &xdmf->layouts[entry->layout]);
        }
    }
    ooze_writer_print(&writer, "</Grid>\n</Domain>\n</Xdmf>\n");
    return ooze_writer_commit(&writer, error);
}
