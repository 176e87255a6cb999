#include "output/frame_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/frame_block.h"
#include "output/frame_types.h"
#include "output/hdf5_file.h"

/* Rows that stand apart in memory are brought together in blocks of this many bytes: twice as fast
   as letting HDF5 walk a selection of 12-byte pieces, and the memory stays bounded. */
enum { PACK_BYTES = 1 << 20 };

typedef struct Output {
    OozeHdf5File hdf5;
    hid_t dataset_list; /* how datasets are made */
    hid_t group_list;
    char *pack; /* PACK_BYTES, or NULL when only counting */
} Output;

hid_t ooze_frame_file_type(OozeFieldType type)
{
    switch (type) {
    case OOZE_FIELD_FLOAT32:
        return H5T_IEEE_F32LE;
    case OOZE_FIELD_FLOAT64:
        return H5T_IEEE_F64LE;
    case OOZE_FIELD_UINT8:
        return H5T_STD_U8LE;
    case OOZE_FIELD_UINT16:
        return H5T_STD_U16LE;
    case OOZE_FIELD_UINT32:
        return H5T_STD_U32LE;
    case OOZE_FIELD_UINT64:
        return H5T_STD_U64LE;
    default:
        return -1;
    }
}

hid_t ooze_frame_memory_type(OozeFieldType type)
{
    switch (type) {
    case OOZE_FIELD_FLOAT32:
        return H5T_NATIVE_FLOAT;
    case OOZE_FIELD_FLOAT64:
        return H5T_NATIVE_DOUBLE;
    case OOZE_FIELD_UINT8:
        return H5T_NATIVE_UINT8;
    case OOZE_FIELD_UINT16:
        return H5T_NATIVE_UINT16;
    case OOZE_FIELD_UINT32:
        return H5T_NATIVE_UINT32;
    case OOZE_FIELD_UINT64:
        return H5T_NATIVE_UINT64;
    default:
        return -1;
    }
}

static hid_t text_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, length + 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static bool put_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                          const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        space < 0 ? -1 : H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0) {
        good = H5Aclose(attribute) >= 0 && good;
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return good;
}

static bool put_text(hid_t object, const char *name, const char *text)
{
    text = text ? text : "";
    hid_t type = text_type(strlen(text));
    bool good = type >= 0 && put_attribute(object, name, type, type, text);
    if (type >= 0) {
        H5Tclose(type);
    }
    return good;
}

static bool put_uint64(hid_t object, const char *name, uint64_t value)
{
    return put_attribute(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

static bool put_double(hid_t object, const char *name, double value)
{
    return put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

/* Writes rows begin .. begin + n, packed at `data`. */
static bool put_rows(hid_t dataset, hid_t space, hid_t memory_type, int components, uint64_t begin,
                     uint64_t n, const void *data)
{
    hsize_t start[2] = {begin, 0}, count[2] = {n, (hsize_t)components};
    hid_t memory = H5Screate_simple(2, count, NULL);
    bool good = memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(dataset, memory_type, memory, space, H5P_DEFAULT, data) >= 0;
    if (memory >= 0) {
        H5Sclose(memory);
    }
    return good;
}

static bool put_field_rows(Output *out, hid_t dataset, hid_t space, const OozeFieldView *field)
{
    hid_t type = ooze_frame_memory_type(field->type);
    size_t used = ooze_field_type_size(field->type) * (size_t)field->components;
    size_t step = ooze_field_type_size(field->type) * (size_t)field->stride;
    if (used == step) {
        return H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, field->data) >= 0;
    }
    uint64_t block = PACK_BYTES / used;
    for (uint64_t begin = 0; begin < field->count; begin += block) {
        uint64_t n = field->count - begin < block ? field->count - begin : block;
        const char *from = (const char *)field->data + begin * step;
        for (uint64_t i = 0; i < n; i++) {
            memcpy(out->pack + i * used, from + i * step, used);
        }
        if (!put_rows(dataset, space, type, field->components, begin, n, out->pack)) {
            return false;
        }
    }
    return true;
}

static bool put_field(Output *out, hid_t group, const OozeFieldView *field)
{
    hsize_t dims[2] = {field->count, (hsize_t)field->components};
    hid_t space = H5Screate_simple(field->components > 1 ? 2 : 1, dims, NULL);
    hid_t dataset = space < 0 ? -1
                              : H5Dcreate2(group, field->name, ooze_frame_file_type(field->type),
                                           space, H5P_DEFAULT, out->dataset_list, H5P_DEFAULT);
    bool good = dataset >= 0 && put_text(dataset, "unit", field->unit) &&
                put_text(dataset, "help", field->help);
    if (good && out->pack && field->count > 0) {
        good = put_field_rows(out, dataset, space, field);
    }
    if (dataset >= 0) {
        good = H5Dclose(dataset) >= 0 && good;
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return good;
}

static hid_t make_group(Output *out, const char *name)
{
    return H5Gcreate2(out->hdf5.file, name, H5P_DEFAULT, out->group_list, H5P_DEFAULT);
}

static bool put_fields(Output *out, const char *name, const OozeFieldView *fields, int count)
{
    hid_t group = make_group(out, name);
    bool good = group >= 0;
    for (int i = 0; good && i < count; i++) {
        good = put_field(out, group, &fields[i]);
    }
    if (group >= 0) {
        good = H5Gclose(group) >= 0 && good;
    }
    return good;
}

/* Texts of equal width, padded with zeros. `stride` is the distance between the pointers. */
static bool put_names(Output *out, hid_t group, const void *first, size_t stride, int count)
{
    size_t width = 0;
    for (int i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)first + (size_t)i * stride);
        size_t length = name ? strlen(name) : 0;
        width = length > width ? length : width;
    }
    char *texts = ooze_alloc_zero((size_t)count, width + 1);
    for (int i = 0; texts && i < count; i++) {
        const char *name = *(const char *const *)((const char *)first + (size_t)i * stride);
        memcpy(texts + (size_t)i * (width + 1), name ? name : "", name ? strlen(name) : 0);
    }
    hsize_t dims[1] = {(hsize_t)count};
    hid_t type = text_type(width), space = H5Screate_simple(1, dims, NULL);
    hid_t dataset =
        H5Dcreate2(group, "names", type, space, H5P_DEFAULT, out->dataset_list, H5P_DEFAULT);
    bool good = texts && dataset >= 0;
    if (good && out->pack && count > 0) {
        good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0;
    }
    if (dataset >= 0) {
        good = H5Dclose(dataset) >= 0 && good;
    }
    H5Sclose(space);
    H5Tclose(type);
    ooze_free(texts);
    return good;
}

static bool put_solids(Output *out, const OozeFrame *frame)
{
    size_t count = (size_t)frame->solid_count;
    double *rows = ooze_alloc(count, OOZE_POSE_COLUMNS * sizeof(double));
    hid_t group = make_group(out, "solids");
    for (size_t i = 0; rows && i < count; i++) {
        const OozePose *p = &frame->solids[i].pose;
        const double row[OOZE_POSE_COLUMNS] = {
            p->position.x, p->position.y, p->position.z, p->rotation.x, p->rotation.y,
            p->rotation.z, p->rotation.w, p->velocity.x, p->velocity.y, p->velocity.z,
            p->spin.x,     p->spin.y,     p->spin.z};
        memcpy(rows + i * OOZE_POSE_COLUMNS, row, sizeof row);
    }
    const OozeFieldView pose = {
        .name = "pose",
        .type = OOZE_FIELD_FLOAT64,
        .components = OOZE_POSE_COLUMNS,
        .stride = OOZE_POSE_COLUMNS,
        .unit = "m, 1, m/s, rad/s",
        .help = "position x y z, rotation x y z w, velocity x y z, spin x y z",
        .count = count,
        .data = rows,
    };
    const void *names = count ? &frame->solids[0].name : NULL;
    bool good = rows && group >= 0 &&
                put_names(out, group, names, sizeof frame->solids[0], frame->solid_count) &&
                put_field(out, group, &pose);
    if (group >= 0) {
        good = H5Gclose(group) >= 0 && good;
    }
    ooze_free(rows);
    return good;
}

static bool put_materials(Output *out, const OozeFrame *frame)
{
    size_t count = (size_t)frame->material_count;
    double *densities = ooze_alloc(count, sizeof(double));
    float *colors = ooze_alloc(count, 3 * sizeof(float));
    hid_t group = make_group(out, "materials");
    for (size_t i = 0; densities && colors && i < count; i++) {
        densities[i] = frame->materials[i].density;
        memcpy(colors + 3 * i, frame->materials[i].color, 3 * sizeof(float));
    }
    const OozeFieldView density = {"density", OOZE_FIELD_FLOAT64, 1,     1,
                                   "kg/m3",   "at rest",          count, densities};
    const OozeFieldView color = {"color", OOZE_FIELD_FLOAT32,   3,     3,
                                 "",      "linear RGB, 0 to 1", count, colors};
    const void *names = count ? &frame->materials[0].name : NULL;
    bool good = densities && colors && group >= 0 &&
                put_names(out, group, names, sizeof frame->materials[0], frame->material_count) &&
                put_field(out, group, &density) && put_field(out, group, &color);
    if (group >= 0) {
        good = H5Gclose(group) >= 0 && good;
    }
    ooze_free(colors);
    ooze_free(densities);
    return good;
}

static bool put_root(Output *out, const OozeFrame *frame)
{
    static const char *const axes[] = {"x", "y", "z"};
    hid_t root = out->hdf5.file;
    return put_uint64(root, "format_version", OOZE_FRAME_FORMAT_VERSION) &&
           put_text(root, "writer", "ooze " OOZE_VERSION) &&
           put_uint64(root, "index", frame->index) && put_uint64(root, "step", frame->step) &&
           put_double(root, "time", frame->time) && put_double(root, "spacing", frame->spacing) &&
           put_double(root, "support", frame->support) && put_text(root, "up", axes[frame->up]) &&
           put_text(root, "method", frame->method) &&
           put_uint64(root, "particle_count", frame->particle_count);
}

/* Plain arrays in one piece, nothing that depends on the clock: equal frames give equal files. */
static hid_t plain_list(hid_t kind)
{
    hid_t list = H5Pcreate(kind);
    bool good = list >= 0;
    if (good && kind == H5P_DATASET_CREATE) {
        good = H5Pset_obj_track_times(list, false) >= 0 && H5Pset_layout(list, H5D_CONTIGUOUS) >= 0;
        good = good && H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0;
        good = good && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
    } else if (good) {
        unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
        good = H5Pset_link_creation_order(list, order) >= 0 &&
               H5Pset_link_phase_change(list, 64, 32) >= 0 &&
               H5Pset_attr_phase_change(list, 32, 16) >= 0;
        good = good && H5Pset_obj_track_times(list, false) >= 0;
        if (good && kind == H5P_FILE_CREATE) {
            good = H5Pset_userblock(list, OOZE_FRAME_BLOCK_BYTES) >= 0;
        }
    }
    if (!good && list >= 0) {
        H5Pclose(list);
        list = -1;
    }
    return list;
}

/* The whole HDF5 part; fd -1 only counts. False: HDF5 failed for want of memory. */
static bool put_frame(Output *out, const OozeFrame *frame, int fd)
{
    OozeHdf5Quiet quiet = ooze_hdf5_quiet();
    hid_t creation = plain_list(H5P_FILE_CREATE);
    out->dataset_list = plain_list(H5P_DATASET_CREATE);
    out->group_list = plain_list(H5P_GROUP_CREATE);
    bool good = creation >= 0 && out->dataset_list >= 0 && out->group_list >= 0 &&
                ooze_hdf5_create(&out->hdf5, fd, creation) == 0;
    if (good) {
        good = put_root(out, frame) && put_solids(out, frame) && put_materials(out, frame) &&
               put_fields(out, "state", frame->state, frame->state_count) &&
               put_fields(out, "particles", frame->fields, frame->field_count);
        good = ooze_hdf5_close(&out->hdf5) == 0 && good;
    }
    if (creation >= 0) {
        H5Pclose(creation);
    }
    if (out->dataset_list >= 0) {
        H5Pclose(out->dataset_list);
    }
    if (out->group_list >= 0) {
        H5Pclose(out->group_list);
    }
    ooze_hdf5_restore(quiet);
    return good;
}

uint64_t ooze_frame_file_bytes(const OozeFrame *frame)
{
    char why[256];
    Output out = {0};
    if (!ooze_frame_is_sound(frame, why, sizeof why) || !put_frame(&out, frame, -1)) {
        return 0;
    }
    return out.hdf5.end;
}

/* Fills the user block last: until then the file is nothing a reader would take. */
static int put_block(int fd, const OozeFrame *frame, uint64_t length)
{
    OozeFrameBlock block = {
        .length = length,
        .index = frame->index,
        .step = frame->step,
        .time = frame->time,
        .particle_count = frame->particle_count,
        .layout = ooze_frame_layout(frame),
    };
    unsigned char bytes[OOZE_FRAME_BLOCK_BYTES];
    bool out_of_memory;
    int number = ooze_frame_block_hash(fd, length, &block.hash, &out_of_memory);
    if (number) {
        return number;
    }
    ooze_frame_block_encode(&block, bytes);
    ssize_t put = pwrite(fd, bytes, sizeof bytes, 0);
    return put == (ssize_t)sizeof bytes ? 0 : put < 0 ? errno : ENOSPC;
}

static OozeStatus write_aside(const OozeFrame *frame, const char *temporary, const char *path,
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
    bool good = put_frame(&out, frame, fd);
    int number = out.hdf5.error_number;
    if (good && !number) {
        number = put_block(fd, frame, out.hdf5.end);
    }
    if (close(fd) != 0 && !number) {
        number = errno;
    }
    ooze_free(out.pack);
    if (good && !number) {
        return OOZE_OK;
    }
    unlink(temporary);
    if (number == ENOMEM || !good) {
        return ooze_fail_memory(error, path, out.hdf5.end);
    }
    return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, number);
}

OozeStatus ooze_frame_write(const OozeFrame *frame, const char *path, OozeError *error)
{
    OOZE_REQUIRE(frame, error);
    OOZE_REQUIRE(path, error);
    char why[256];
    if (!ooze_frame_is_sound(frame, why, sizeof why)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a frame as ooze_world_frame makes it",
                         "cannot write '%s': %s", path, why);
    }
    OozeText temporary = {0};
    ooze_text_append(&temporary, "%s.part", path);
    if (temporary.failed) {
        return ooze_fail_memory(error, "a path", strlen(path));
    }
    OozeStatus status = write_aside(frame, temporary.data, path, error);
    if (!status) {
        status = ooze_file_commit(temporary.data, path, error);
    }
    ooze_text_clear(&temporary);
    return status;
}
