/* Reading a frame file. The block's hash is checked first, so HDF5 only ever sees what HDF5 wrote; but
   whoever computed that hash need not be us, so every type, shape and size is checked as well. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "output/frame_block.h"
#include "output/frame_file.h"
#include "output/frame_types.h"
#include "output/hdf5_file.h"

typedef struct OpenFrame {
    OozeFrame frame; /* must stand first: what the caller holds */
    char *method;
    OozeFieldView *fields, *state;
    OozeSolidView *solids;
    OozeMaterialView *materials;
    char *solid_names, *material_names;
} OpenFrame;

typedef struct Input {
    const char *path;
    hid_t file;
    uint64_t left; /* bytes that arrays may still take: together they fit in the file */
    OozeError *error;
} Input;

static void free_field(OozeFieldView *field)
{
    ooze_free((void *)field->name);
    ooze_free((void *)field->unit);
    ooze_free((void *)field->help);
    ooze_free((void *)field->data);
}

static void free_fields(OozeFieldView *fields, int count)
{
    for (int i = 0; fields && i < count; i++) {
        free_field(&fields[i]);
    }
    ooze_free(fields);
}

void ooze_frame_close(OozeFrame *frame)
{
    OpenFrame *open = (OpenFrame *)frame;
    if (open) {
        free_fields(open->fields, open->frame.field_count);
        free_fields(open->state, open->frame.state_count);
        ooze_free(open->solids);
        ooze_free(open->materials);
        ooze_free(open->solid_names);
        ooze_free(open->material_names);
        ooze_free(open->method);
        ooze_free(open);
    }
}

/* ---- attributes -------------------------------------------------------------------------- */

/* Opens an attribute that holds exactly one element; -1 when it is missing or has another shape. */
static hid_t open_single(hid_t object, const char *name)
{
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
    bool single = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0) {
        H5Sclose(space);
    }
    if (attribute >= 0 && !single) {
        H5Aclose(attribute);
        attribute = -1;
    }
    return attribute;
}

static OozeStatus get_number(Input *in, hid_t object, const char *name, OozeFieldType type,
                             void *value)
{
    hid_t attribute = open_single(object, name);
    hid_t kind = attribute < 0 ? -1 : H5Aget_type(attribute);
    bool good = kind >= 0 && H5Tequal(kind, ooze_frame_file_type(type)) > 0 &&
                H5Aread(attribute, ooze_frame_memory_type(type), value) >= 0;
    if (kind >= 0) {
        H5Tclose(kind);
    }
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    if (!good) {
        return ooze_fail_damaged(in->error, in->path,
                                 "attribute '%s' is missing or of a wrong type", name);
    }
    return OOZE_OK;
}

/* Width of a text type of fixed length, or 0 when it is something else or too wide. */
static size_t text_width(hid_t type)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
        return 0;
    }
    size_t width = H5Tget_size(type);
    return width <= OOZE_FRAME_TEXT_MAX + 1 ? width : 0;
}

static OozeStatus get_text(Input *in, hid_t object, const char *name, char **text)
{
    *text = NULL;
    hid_t attribute = open_single(object, name);
    hid_t kind = attribute < 0 ? -1 : H5Aget_type(attribute);
    size_t width = kind < 0 ? 0 : text_width(kind);
    char *bytes = width ? ooze_alloc_zero(width + 1, 1) : NULL;
    OozeStatus status = OOZE_OK;
    if (!width) {
        status = ooze_fail_damaged(in->error, in->path,
                                   "attribute '%s' is missing or not a short text", name);
    } else if (!bytes) {
        status = ooze_fail_memory(in->error, name, width);
    } else if (H5Aread(attribute, kind, bytes) < 0) {
        status = ooze_fail_damaged(in->error, in->path, "attribute '%s' cannot be read", name);
    }
    if (kind >= 0) {
        H5Tclose(kind);
    }
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    if (status) {
        ooze_free(bytes);
    } else {
        *text = bytes;
    }
    return status;
}

/* ---- arrays ------------------------------------------------------------------------------ */

/* Stored in this file, in one piece, unfiltered: then its size bounds what we allocate, and no
   other file and no plug-in is ever opened. */
static bool stored_plainly(hid_t dataset)
{
    hid_t list = H5Dget_create_plist(dataset);
    bool plain = list >= 0 && H5Pget_layout(list) == H5D_CONTIGUOUS &&
                 H5Pget_external_count(list) == 0 && H5Pget_nfilters(list) == 0;
    if (list >= 0) {
        H5Pclose(list);
    }
    return plain;
}

/* Opens what a name leads to, if it is of that kind; -1 else. Links that lead out of the file, or to
   another name, are not followed. */
static hid_t open_object(hid_t where, const char *name, H5I_type_t kind)
{
    H5L_info_t info;
    if (H5Lexists(where, name, H5P_DEFAULT) <= 0 ||
        H5Lget_info(where, name, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
        return -1;
    }
    hid_t object = H5Oopen(where, name, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) != kind) {
        H5Oclose(object);
        return -1;
    }
    return object;
}

/* Rows and columns of a dataset of rank 1 or 2, checked against what the file can hold. */
static OozeStatus get_shape(Input *in, hid_t dataset, const char *name, size_t size, uint64_t *rows,
                            uint64_t *columns)
{
    hsize_t dims[2] = {0, 1};
    hid_t space = H5Dget_space(dataset);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, dims, NULL) == rank;
    if (space >= 0) {
        H5Sclose(space);
    }
    uint64_t bytes;
    if (!good || dims[1] < 1 || dims[1] > OOZE_FRAME_COMPONENTS_MAX) {
        return ooze_fail_damaged(in->error, in->path, "'%s' has a shape that is not possible",
                                 name);
    }
    if (__builtin_mul_overflow(dims[0], dims[1] * size, &bytes) || bytes > in->left ||
        H5Dget_storage_size(dataset) != bytes || !stored_plainly(dataset)) {
        return ooze_fail_damaged(in->error, in->path,
                                 "'%s' has %llu rows, which the file does not hold", name,
                                 (unsigned long long)dims[0]);
    }
    in->left -= bytes;
    *rows = dims[0];
    *columns = dims[1];
    return OOZE_OK;
}

static OozeStatus get_data(Input *in, hid_t dataset, const char *name, hid_t memory_type,
                           size_t bytes, void **data)
{
    *data = ooze_alloc(bytes, 1);
    if (!*data) {
        return ooze_fail_memory(in->error, name, bytes);
    }
    if (bytes > 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0) {
        ooze_free(*data);
        *data = NULL;
        return ooze_fail_damaged(in->error, in->path, "'%s' cannot be read", name);
    }
    return OOZE_OK;
}

/* On failure the parts read so far are left in `field`, for its owner to free. */
static OozeStatus get_field(Input *in, hid_t group, const char *name, OozeFieldView *field)
{
    *field = (OozeFieldView){.type = OOZE_FIELD_TYPE_COUNT};
    hid_t dataset = open_object(group, name, H5I_DATASET);
    hid_t kind = dataset < 0 ? -1 : H5Dget_type(dataset);
    OozeStatus status = OOZE_OK;
    for (int i = 0; kind >= 0 && i < OOZE_FIELD_TYPE_COUNT; i++) {
        if (H5Tequal(kind, ooze_frame_file_type((OozeFieldType)i)) > 0) {
            field->type = (OozeFieldType)i;
        }
    }
    uint64_t columns = 0;
    char *text = NULL;
    void *data = NULL;
    if (field->type == OOZE_FIELD_TYPE_COUNT) {
        status = ooze_fail_damaged(in->error, in->path, "'%s' is missing or of a wrong type", name);
    }
    size_t size = ooze_field_type_size(field->type);
    if (!status) {
        status = get_shape(in, dataset, name, size, &field->count, &columns);
        field->components = field->stride = (int)columns;
    }
    if (!status && !(field->name = ooze_copy_text(name))) {
        status = ooze_fail_memory(in->error, name, strlen(name));
    }
    if (!status) {
        status = get_text(in, dataset, "unit", &text);
        field->unit = text;
    }
    if (!status) {
        status = get_text(in, dataset, "help", &text);
        field->help = text;
    }
    if (!status) {
        status = get_data(in, dataset, name, ooze_frame_memory_type(field->type),
                          (size_t)(field->count * columns) * size, &data);
        field->data = data;
    }
    if (kind >= 0) {
        H5Tclose(kind);
    }
    if (dataset >= 0) {
        H5Oclose(dataset);
    }
    return status;
}

/* Name of link i in the order of writing (by name where a file does not keep that order). */
static OozeStatus get_link_name(Input *in, hid_t group, H5_index_t order, hsize_t i, char **name)
{
    ssize_t length = H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    *name = NULL;
    if (length < 1 || length > OOZE_FRAME_TEXT_MAX) {
        return ooze_fail_damaged(in->error, in->path, "a field has no name, or too long a one");
    }
    *name = ooze_alloc_zero((size_t)length + 1, 1);
    if (!*name) {
        return ooze_fail_memory(in->error, "a name", (size_t)length);
    }
    if (H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, *name, (size_t)length + 1,
                           H5P_DEFAULT) < 0) {
        ooze_free(*name);
        *name = NULL;
        return ooze_fail_damaged(in->error, in->path, "the name of a field cannot be read");
    }
    return OOZE_OK;
}

static H5_index_t group_order(hid_t group)
{
    unsigned flags = 0;
    hid_t list = H5Gget_create_plist(group);
    if (list >= 0) {
        H5Pget_link_creation_order(list, &flags);
        H5Pclose(list);
    }
    return flags & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

static OozeStatus get_fields(Input *in, const char *group_name, OozeFieldView **fields, int *count)
{
    hid_t group = open_object(in->file, group_name, H5I_GROUP);
    H5G_info_t info = {0};
    if (group < 0 || H5Gget_info(group, &info) < 0 || info.nlinks > OOZE_FRAME_FIELDS_MAX) {
        if (group >= 0) {
            H5Oclose(group);
        }
        return ooze_fail_damaged(in->error, in->path, "'/%s' is missing or holds too much",
                                 group_name);
    }
    OozeStatus status = OOZE_OK;
    *fields = ooze_alloc_zero((size_t)info.nlinks, sizeof **fields);
    if (!*fields) {
        status = ooze_fail_memory(in->error, "the list of fields", info.nlinks);
    }
    H5_index_t order = group_order(group);
    for (hsize_t i = 0; !status && i < info.nlinks; i++) {
        char *name;
        status = get_link_name(in, group, order, i, &name);
        if (!status) {
            status = get_field(in, group, name, &(*fields)[(*count)++]);
        }
        ooze_free(name);
    }
    H5Oclose(group);
    return status;
}

/* A list of texts: `*names` holds them one after the other, `*width` apart. */
static OozeStatus get_names(Input *in, hid_t group, char **names, size_t *width, uint64_t *count)
{
    hid_t dataset = open_object(group, "names", H5I_DATASET);
    hid_t kind = dataset < 0 ? -1 : H5Dget_type(dataset);
    uint64_t columns = 0;
    void *data = NULL;
    *width = kind < 0 ? 0 : text_width(kind);
    OozeStatus status = OOZE_OK;
    if (!*width) {
        status = ooze_fail_damaged(in->error, in->path, "a list of names is missing or wrong");
    } else {
        status = get_shape(in, dataset, "names", *width, count, &columns);
    }
    if (!status && columns != 1) {
        status = ooze_fail_damaged(in->error, in->path, "a list of names has columns");
    }
    if (!status) {
        status = get_data(in, dataset, "names", kind, (size_t)*count * *width, &data);
    }
    *names = data;
    for (uint64_t i = 0; !status && i < *count; i++) {
        (*names)[(i + 1) * *width - 1] = '\0'; /* whatever the padding was meant to be */
    }
    if (kind >= 0) {
        H5Tclose(kind);
    }
    if (dataset >= 0) {
        H5Oclose(dataset);
    }
    return status;
}

/* A table beside a list of names: as many rows, and the type and width we write. */
static OozeStatus get_table(Input *in, hid_t group, const char *name, OozeFieldType type,
                            int columns, uint64_t rows, OozeFieldView *table)
{
    OozeStatus status = get_field(in, group, name, table);
    if (!status && (table->type != type || table->components != columns || table->count != rows)) {
        status =
            ooze_fail_damaged(in->error, in->path, "'%s' has another shape than its names", name);
    }
    return status;
}

static OozeStatus get_solids(Input *in, OpenFrame *open)
{
    hid_t group = open_object(in->file, "solids", H5I_GROUP);
    if (group < 0) {
        return ooze_fail_damaged(in->error, in->path, "'/solids' is missing");
    }
    size_t width = 0;
    uint64_t count = 0;
    OozeFieldView pose = {0};
    OozeStatus status = get_names(in, group, &open->solid_names, &width, &count);
    if (!status) {
        status = get_table(in, group, "pose", OOZE_FIELD_FLOAT64, OOZE_POSE_COLUMNS, count, &pose);
    }
    if (!status && count > INT32_MAX) {
        status = ooze_fail_damaged(in->error, in->path, "too many solids");
    }
    if (!status && !(open->solids = ooze_alloc_zero((size_t)count, sizeof *open->solids))) {
        status = ooze_fail_memory(in->error, "solids", count);
    }
    for (uint64_t i = 0; !status && i < count; i++) {
        const double *p = (const double *)pose.data + i * OOZE_POSE_COLUMNS;
        open->solids[i].name = open->solid_names + i * width;
        open->solids[i].pose = (OozePose){.position = {p[0], p[1], p[2]},
                                          .rotation = {p[3], p[4], p[5], p[6]},
                                          .velocity = {p[7], p[8], p[9]},
                                          .spin = {p[10], p[11], p[12]}};
        open->frame.solid_count = (int)i + 1;
    }
    free_field(&pose);
    H5Oclose(group);
    return status;
}

static OozeStatus get_materials(Input *in, OpenFrame *open)
{
    hid_t group = open_object(in->file, "materials", H5I_GROUP);
    if (group < 0) {
        return ooze_fail_damaged(in->error, in->path, "'/materials' is missing");
    }
    size_t width = 0;
    uint64_t count = 0;
    OozeFieldView density = {0}, color = {0};
    OozeStatus status = get_names(in, group, &open->material_names, &width, &count);
    if (!status) {
        status = get_table(in, group, "density", OOZE_FIELD_FLOAT64, 1, count, &density);
    }
    if (!status) {
        status = get_table(in, group, "color", OOZE_FIELD_FLOAT32, 3, count, &color);
    }
    if (!status && count > INT32_MAX) {
        status = ooze_fail_damaged(in->error, in->path, "too many materials");
    }
    if (!status && !(open->materials = ooze_alloc_zero((size_t)count, sizeof *open->materials))) {
        status = ooze_fail_memory(in->error, "materials", count);
    }
    for (uint64_t i = 0; !status && i < count; i++) {
        open->materials[i].name = open->material_names + i * width;
        open->materials[i].density = ((const double *)density.data)[i];
        memcpy(open->materials[i].color, (const float *)color.data + 3 * i, 3 * sizeof(float));
        open->frame.material_count = (int)i + 1;
    }
    free_field(&density);
    free_field(&color);
    H5Oclose(group);
    return status;
}

static OozeStatus get_root(Input *in, OpenFrame *open)
{
    OozeFrame *frame = &open->frame;
    uint64_t version = 0;
    char *up = NULL;
    OozeStatus status = get_number(in, in->file, "format_version", OOZE_FIELD_UINT64, &version);
    if (!status && version != OOZE_FRAME_FORMAT_VERSION) {
        status = ooze_fail_damaged(in->error, in->path, "its format versions disagree");
    }
    const struct {
        const char *name;
        OozeFieldType type;
        void *value;
    } numbers[] = {
        {"index", OOZE_FIELD_UINT64, &frame->index},
        {"step", OOZE_FIELD_UINT64, &frame->step},
        {"time", OOZE_FIELD_FLOAT64, &frame->time},
        {"spacing", OOZE_FIELD_FLOAT64, &frame->spacing},
        {"support", OOZE_FIELD_FLOAT64, &frame->support},
        {"particle_count", OOZE_FIELD_UINT64, &frame->particle_count},
    };
    for (size_t i = 0; !status && i < sizeof numbers / sizeof numbers[0]; i++) {
        status = get_number(in, in->file, numbers[i].name, numbers[i].type, numbers[i].value);
    }
    if (!status) {
        status = get_text(in, in->file, "method", &open->method);
        frame->method = open->method;
    }
    if (!status) {
        status = get_text(in, in->file, "up", &up);
    }
    if (!status && (strlen(up) != 1 || up[0] < 'x' || up[0] > 'z')) {
        status = ooze_fail_damaged(in->error, in->path, "attribute 'up' is none of x, y, z");
    }
    if (!status) {
        frame->up = (OozeAxis)(up[0] - 'x');
    }
    ooze_free(up);
    return status;
}

static OozeStatus get_frame(Input *in, OpenFrame *open)
{
    OozeFrame *frame = &open->frame;
    OozeStatus status = get_root(in, open);
    if (!status) {
        status = get_solids(in, open);
    }
    if (!status) {
        status = get_materials(in, open);
    }
    if (!status) {
        status = get_fields(in, "particles", &open->fields, &frame->field_count);
    }
    if (!status) {
        status = get_fields(in, "state", &open->state, &frame->state_count);
    }
    if (status) {
        return status;
    }
    frame->fields = open->fields;
    frame->state = open->state;
    frame->solids = open->solids;
    frame->materials = open->materials;
    char why[256];
    if (!ooze_frame_is_sound(frame, why, sizeof why)) {
        return ooze_fail_damaged(in->error, in->path, "%s", why);
    }
    return OOZE_OK;
}

static OozeStatus read_verified(int fd, const char *path, uint64_t length, OpenFrame *open,
                                OozeError *error)
{
    OozeHdf5Quiet quiet = ooze_hdf5_quiet();
    OozeHdf5File hdf5;
    OozeStatus status;
    if (ooze_hdf5_open(&hdf5, fd, length) != 0) {
        status = ooze_fail_damaged(error, path, "HDF5 cannot open it");
    } else {
        Input in = {path, hdf5.file, length, error};
        status = get_frame(&in, open);
        ooze_hdf5_close(&hdf5);
    }
    ooze_hdf5_restore(quiet);
    return status;
}

OozeStatus ooze_frame_open(const char *path, OozeFrame **frame, OozeError *error)
{
    OOZE_REQUIRE(path, error);
    OOZE_REQUIRE(frame, error);
    *frame = NULL;
    int fd;
    OozeStatus status = ooze_frame_block_descriptor(path, &fd, error);
    if (status) {
        return status;
    }
    OozeFrameBlock block;
    uint64_t hash = 0;
    bool out_of_memory = false;
    status = ooze_frame_block_read(fd, path, &block, error);
    if (!status) {
        int number = ooze_frame_block_hash(fd, block.length, &hash, &out_of_memory);
        if (out_of_memory) {
            status = ooze_fail_memory(error, "reading a frame", 1 << 20);
        } else if (number) {
            status = ooze_fail_file(error, OOZE_ERROR_FILE, "read", path, number);
        } else if (hash != block.hash) {
            status = ooze_fail_damaged(error, path, "its contents changed after writing");
        }
    }
    OpenFrame *open = status ? NULL : ooze_alloc_zero(1, sizeof *open);
    if (!status && !open) {
        status = ooze_fail_memory(error, "a frame", sizeof *open);
    }
    if (!status) {
        status = read_verified(fd, path, block.length, open, error);
    }
    close(fd);
    if (status) {
        ooze_frame_close(open ? &open->frame : NULL);
    } else {
        *frame = &open->frame;
    }
    return status;
}
