/* Writes frame files: the header of frame_header.h and an HDF5 file with the fields. */
#include "output/frame_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/frame_header.h"
#include "output/hdf5_file.h"

/* Rows with padding are packed in blocks of this many bytes: twice as fast as an HDF5 selection of
   12-byte pieces, and the memory stays bounded. */
enum { PACK_BYTES = 1 << 20 };
_Static_assert(sizeof(OozeSolidPose) == OOZE_POSE_COLUMNS * sizeof(double), "a pose is one row");

typedef struct Output {
    OozeHdf5File hdf5;
    hid_t dataset_list, group_list; /* creation properties */
    char *pack;                     /* PACK_BYTES; NULL: only the size of the file is counted */
    bool failed;                    /* a call of HDF5 or an allocation failed */
} Output;

/* Records a failure: a negative id or status of HDF5. Calls with a negative id fail in turn, so
   that a chain of calls needs no branches. */
static hid_t check(Output *out, hid_t id)
{
    out->failed = out->failed || id < 0;
    return id;
}

static void *reserve(Output *out, size_t count, size_t size)
{
    void *block = ooze_alloc_zero(count, size);
    out->failed = out->failed || !block;
    return block;
}

static void put_attribute(Output *out, hid_t object, const char *name, const hid_t types[2],
                          const void *value)
{
    hid_t space = check(out, H5Screate(H5S_SCALAR));
    hid_t attribute =
        check(out, H5Acreate2(object, name, types[0], space, H5P_DEFAULT, H5P_DEFAULT));
    check(out, H5Awrite(attribute, types[1], value));
    check(out, ooze_hdf5_release(attribute));
    ooze_hdf5_release(space);
}

static void put_number(Output *out, const char *name, OozeFieldType type, const void *value)
{
    const hid_t types[2] = {ooze_hdf5_file_type(type), ooze_hdf5_memory_type(type)};
    put_attribute(out, out->hdf5.file, name, types, value);
}

/* A type for texts of at most `length` bytes, padded with zeros. */
static hid_t text_type(Output *out, size_t length)
{
    hid_t type = check(out, H5Tcopy(H5T_C_S1));
    check(out, H5Tset_size(type, length + 1));
    check(out, H5Tset_cset(type, H5T_CSET_UTF8));
    return type;
}

static void put_text(Output *out, hid_t object, const char *name, const char *text)
{
    text = text ? text : "";
    hid_t type = text_type(out, strlen(text)), types[2] = {type, type};
    put_attribute(out, object, name, types, text);
    ooze_hdf5_release(type);
}

static void put_columns(Output *out, hid_t dataset, const OozeFieldView *field)
{
    OozeText names = {0};
    for (int k = 0; field->columns && k < field->components; k++) {
        ooze_text_append(&names, "%s%s", k > 0 ? " " : "", field->columns[k]);
    }
    if (field->columns) {
        out->failed = out->failed || names.failed;
        put_text(out, dataset, "columns", names.data);
    }
    ooze_text_clear(&names);
}

/* Writes rows begin .. begin + n, packed at out->pack. */
static void put_packed(Output *out, hid_t dataset, const OozeFieldView *field, uint64_t begin,
                       uint64_t n)
{
    hsize_t start[2] = {begin, 0}, count[2] = {n, (hsize_t)field->components};
    hid_t space = check(out, H5Dget_space(dataset));
    hid_t memory = check(out, H5Screate_simple(2, count, NULL));
    check(out, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    check(out, H5Dwrite(dataset, ooze_hdf5_memory_type(field->type), memory, space, H5P_DEFAULT,
                        out->pack));
    ooze_hdf5_release(memory);
    ooze_hdf5_release(space);
}

static void put_rows(Output *out, hid_t dataset, const OozeFieldView *field)
{
    hid_t type = ooze_hdf5_memory_type(field->type);
    size_t used = ooze_field_type_size(field->type) * (size_t)field->components;
    size_t step = ooze_field_type_size(field->type) * (size_t)field->stride;
    if (used == step) {
        check(out, H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, field->data));
        return;
    }
    uint64_t block = PACK_BYTES / used;
    for (uint64_t begin = 0; begin < field->count && !out->failed; begin += block) {
        uint64_t n = field->count - begin < block ? field->count - begin : block;
        const char *from = (const char *)field->data + begin * step;
        for (uint64_t i = 0; i < n; i++) {
            memcpy(out->pack + i * used, from + i * step, used);
        }
        put_packed(out, dataset, field, begin, n);
    }
}

static void put_field(Output *out, hid_t group, const OozeFieldView *field)
{
    hsize_t dims[2] = {field->count, (hsize_t)field->components};
    hid_t space = check(out, H5Screate_simple(field->components > 1 ? 2 : 1, dims, NULL));
    hid_t dataset = check(out, H5Dcreate2(group, field->name, ooze_hdf5_file_type(field->type),
                                          space, H5P_DEFAULT, out->dataset_list, H5P_DEFAULT));
    put_text(out, dataset, "unit", field->unit);
    put_text(out, dataset, "help", field->help);
    put_columns(out, dataset, field);
    if (out->pack && field->count > 0 && !out->failed) {
        put_rows(out, dataset, field);
    }
    check(out, ooze_hdf5_release(dataset));
    ooze_hdf5_release(space);
}

static hid_t make_group(Output *out, const char *name)
{
    return check(out, H5Gcreate2(out->hdf5.file, name, H5P_DEFAULT, out->group_list, H5P_DEFAULT));
}

static void put_fields(Output *out, const char *name, const OozeFieldView *fields, int count)
{
    hid_t group = make_group(out, name);
    for (int i = 0; i < count && !out->failed; i++) {
        put_field(out, group, &fields[i]);
    }
    check(out, ooze_hdf5_release(group));
}

static const char *solid_name(const OozeFrame *frame, int i)
{
    return frame->solids[i].name ? frame->solids[i].name : "";
}

static const char *material_name(const OozeFrame *frame, int i)
{
    return frame->materials[i].name ? frame->materials[i].name : "";
}

static void put_names(Output *out, hid_t group, const OozeFrame *frame, int count,
                      const char *(*name)(const OozeFrame *frame, int i))
{
    size_t width = 0;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(name(frame, i));
        width = length > width ? length : width;
    }
    char *texts = reserve(out, (size_t)count, width + 1);
    for (int i = 0; texts && i < count; i++) {
        memcpy(texts + (size_t)i * (width + 1), name(frame, i), strlen(name(frame, i)));
    }
    hsize_t dims[1] = {(hsize_t)count};
    hid_t type = text_type(out, width), space = check(out, H5Screate_simple(1, dims, NULL));
    hid_t dataset = check(
        out, H5Dcreate2(group, "names", type, space, H5P_DEFAULT, out->dataset_list, H5P_DEFAULT));
    if (out->pack && texts && count > 0) {
        check(out, H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
    }
    check(out, ooze_hdf5_release(dataset));
    ooze_hdf5_release(space);
    ooze_hdf5_release(type);
    ooze_free(texts);
}

static void put_solids(Output *out, const OozeFrame *frame)
{
    size_t count = (size_t)frame->solid_count;
    OozeSolidPose *poses = reserve(out, count, sizeof *poses);
    for (size_t i = 0; poses && i < count; i++) {
        poses[i] = frame->solids[i].pose;
    }
    const OozeFieldView pose = {
        .name = "pose",
        .type = OOZE_FIELD_FLOAT64,
        .components = OOZE_POSE_COLUMNS,
        .stride = OOZE_POSE_COLUMNS,
        .unit = OOZE_POSE_UNIT,
        .help = "position x y z, rotation x y z w, velocity x y z, spin x y z",
        .count = count,
        .data = poses,
    };
    hid_t group = make_group(out, "solids");
    put_names(out, group, frame, frame->solid_count, solid_name);
    put_field(out, group, &pose);
    check(out, ooze_hdf5_release(group));
    ooze_free(poses);
}

static void put_materials(Output *out, const OozeFrame *frame)
{
    const size_t stride = sizeof(OozeMaterialView);
    const OozeMaterialView *first = frame->materials;
    const OozeFieldView density = {
        .name = "density",
        .type = OOZE_FIELD_FLOAT64,
        .components = 1,
        .stride = (int)(stride / sizeof(double)),
        .unit = "kg/m3",
        .help = "at rest",
        .count = (uint64_t)frame->material_count,
        .data = frame->material_count > 0 ? &first->density : NULL,
    };
    const OozeFieldView color = {
        .name = "color",
        .type = OOZE_FIELD_FLOAT32,
        .components = 3,
        .stride = (int)(stride / sizeof(float)),
        .unit = "",
        .help = "linear RGB, 0 to 1",
        .count = (uint64_t)frame->material_count,
        .data = frame->material_count > 0 ? first->color : NULL,
    };
    hid_t group = make_group(out, "materials");
    put_names(out, group, frame, frame->material_count, material_name);
    put_field(out, group, &density);
    put_field(out, group, &color);
    check(out, ooze_hdf5_release(group));
}

static void put_root(Output *out, const OozeFrame *frame)
{
    static const char *const axes[] = {"x", "y", "z"};
    const uint64_t version = OOZE_FRAME_FORMAT_VERSION;
    put_number(out, "format_version", OOZE_FIELD_UINT64, &version);
    put_text(out, out->hdf5.file, "writer", "ooze " OOZE_VERSION);
    put_number(out, "index", OOZE_FIELD_UINT64, &frame->index);
    put_number(out, "step", OOZE_FIELD_UINT64, &frame->step);
    put_number(out, "time", OOZE_FIELD_FLOAT64, &frame->time);
    put_number(out, "spacing", OOZE_FIELD_FLOAT64, &frame->spacing);
    put_number(out, "support", OOZE_FIELD_FLOAT64, &frame->support);
    put_text(out, out->hdf5.file, "up", axes[frame->up]);
    put_text(out, out->hdf5.file, "method", frame->method);
    put_number(out, "particle_count", OOZE_FIELD_UINT64, &frame->particle_count);
}

/* Contiguous arrays without times of creation: equal frames give equal files. */
static hid_t dataset_properties(Output *out)
{
    hid_t list = check(out, H5Pcreate(H5P_DATASET_CREATE));
    check(out, H5Pset_obj_track_times(list, false));
    check(out, H5Pset_layout(list, H5D_CONTIGUOUS));
    check(out, H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
    check(out, H5Pset_fill_time(list, H5D_FILL_TIME_NEVER));
    return list;
}

/* Of a group, or of the file with its root group: members keep the order in which they are
   written. */
static hid_t group_properties(Output *out, hid_t kind)
{
    hid_t list = check(out, H5Pcreate(kind));
    check(out, H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    check(out, H5Pset_link_phase_change(list, 64, 32));
    check(out, H5Pset_attr_phase_change(list, 32, 16));
    check(out, H5Pset_obj_track_times(list, false));
    return list;
}

/* The HDF5 part of the file; fd -1 only counts its bytes. Errors of the disk are in
   hdf5.error_number. */
static void put_frame(Output *out, const OozeFrame *frame, int fd)
{
    OozeHdf5Errors quiet = ooze_hdf5_mute_errors();
    hid_t file_list = group_properties(out, H5P_FILE_CREATE);
    check(out, H5Pset_userblock(file_list, OOZE_FRAME_HEADER_BYTES));
    out->dataset_list = dataset_properties(out);
    out->group_list = group_properties(out, H5P_GROUP_CREATE);
    if (!out->failed && check(out, ooze_hdf5_create(&out->hdf5, fd, file_list)) == 0) {
        put_root(out, frame);
        put_solids(out, frame);
        put_materials(out, frame);
        put_fields(out, "state", frame->state, frame->state_count);
        put_fields(out, "particles", frame->fields, frame->field_count);
        check(out, ooze_hdf5_close(&out->hdf5));
    }
    ooze_hdf5_release(file_list);
    ooze_hdf5_release(out->dataset_list);
    ooze_hdf5_release(out->group_list);
    ooze_hdf5_restore_errors(quiet);
}

uint64_t ooze_frame_file_bytes(const OozeFrame *frame)
{
    char why[256];
    Output out = {0};
    if (!ooze_frame_is_valid(frame, why, sizeof why)) {
        return 0;
    }
    put_frame(&out, frame, -1);
    return out.failed ? 0 : out.hdf5.end;
}

/* Written last: readers reject a file without a header. Returns 0 or an errno. */
static int put_header(int fd, const OozeFrame *frame, uint64_t length)
{
    OozeFrameHeader header = {
        .length = length,
        .index = frame->index,
        .step = frame->step,
        .time = frame->time,
        .particle_count = frame->particle_count,
        .layout = ooze_frame_layout(frame),
    };
    unsigned char bytes[OOZE_FRAME_HEADER_BYTES];
    int number = ooze_frame_checksum(fd, length, &header.hash);
    if (number) {
        return number;
    }
    ooze_frame_header_encode(&header, bytes);
    ssize_t put = pwrite(fd, bytes, sizeof bytes, 0);
    return put == (ssize_t)sizeof bytes ? 0 : put < 0 ? errno : ENOSPC;
}

static OozeStatus write_temporary(const OozeFrame *frame, const char *temporary, const char *path,
                                  OozeError *error)
{
    Output out = {.pack = ooze_alloc(PACK_BYTES, 1)};
    if (!out.pack) {
        return ooze_fail_memory(error, "writing a frame", PACK_BYTES);
    }
    int fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        int number = errno;
        ooze_free(out.pack);
        return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, number);
    }
    put_frame(&out, frame, fd);
    int number = out.hdf5.error_number;
    if (!out.failed && !number) {
        number = put_header(fd, frame, out.hdf5.end);
    }
    if (close(fd) != 0 && !number) {
        number = errno;
    }
    ooze_free(out.pack);
    if (!out.failed && !number) {
        return OOZE_OK;
    }
    unlink(temporary);
    if (number == ENOMEM || out.failed) {
        return ooze_fail_memory(error, path, out.hdf5.end);
    }
    return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, number);
}

OozeStatus ooze_frame_write(const OozeFrame *frame, const char *path, OozeError *error)
{
    OOZE_REQUIRE(frame, error);
    OOZE_REQUIRE(path, error);
    char why[256];
    if (!ooze_frame_is_valid(frame, why, sizeof why)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a frame as ooze_world_frame makes it",
                         "cannot write '%s': %s", path, why);
    }
    OozeText temporary = {0};
    ooze_text_append(&temporary, "%s.part", path);
    if (temporary.failed) {
        return ooze_fail_memory(error, "a path", strlen(path));
    }
    OozeStatus status = write_temporary(frame, temporary.data, path, error);
    if (!status) {
        status = ooze_file_commit(temporary.data, path, error);
    }
    ooze_text_clear(&temporary);
    return status;
}
