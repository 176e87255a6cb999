/* Reads a frame file. The checksum is verified first, so that HDF5 reads no damaged file. A file
   with a valid checksum may come from another program: types, shapes and sizes are checked too. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/angle.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "output/frame_file.h"
#include "output/frame_header.h"
#include "output/hdf5_file.h"

/* A frame with the memory that it owns. */
typedef struct OpenFrame {
    OozeFrame frame; /* first member: ooze_frame_close converts its address */
    void **blocks;
    size_t block_count, block_capacity;
} OpenFrame;

/* The first failure is kept in `status`; every function below does nothing after it. */
typedef struct Input {
    OpenFrame *open;
    const char *path;
    hid_t file;
    uint64_t bytes_left; /* for further arrays: together they are not larger than the file */
    OozeStatus status;
    OozeError *error;
} Input;

#define FAIL_DAMAGED(in, ...)                                                                      \
    ((in)->status =                                                                                \
         (in)->status ? (in)->status : ooze_fail_damaged((in)->error, (in)->path, __VA_ARGS__))

void ooze_frame_close(OozeFrame *frame)
{
    OpenFrame *open = (OpenFrame *)frame;
    if (open) {
        for (size_t i = 0; i < open->block_count; i++) {
            ooze_free(open->blocks[i]);
        }
        ooze_free(open->blocks);
        ooze_free(open);
    }
}

/* Memory that lives as long as the frame; NULL after a failure. */
static void *reserve(Input *in, uint64_t count, size_t size)
{
    OpenFrame *open = in->open;
    if (in->status) {
        return NULL;
    }
    if (open->block_count == open->block_capacity) {
        size_t wanted = 2 * open->block_capacity + 64;
        void **grown = ooze_grow(open->blocks, open->block_count, wanted, sizeof *grown);
        open->blocks = grown ? grown : open->blocks;
        open->block_capacity = grown ? wanted : open->block_capacity;
    }
    void *block = open->block_count < open->block_capacity ? ooze_alloc((size_t)count, size) : NULL;
    if (!block) {
        in->status = ooze_fail_memory(in->error, "a frame", count * size);
        return NULL;
    }
    open->blocks[open->block_count++] = block;
    return block;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Opens an attribute of exactly one element; -1 where it is missing or has another shape. */
static hid_t open_attribute(hid_t object, const char *name)
{
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t space = H5Aget_space(attribute);
    if (attribute >= 0 && H5Sget_simple_extent_npoints(space) != 1) {
        ooze_hdf5_release(attribute);
        attribute = -1;
    }
    ooze_hdf5_release(space);
    return attribute;
}

static void get_number(Input *in, const char *name, OozeFieldType type, void *value)
{
    hid_t attribute = open_attribute(in->file, name);
    hid_t stored = H5Aget_type(attribute);
    if (H5Tequal(stored, ooze_hdf5_file_type(type)) <= 0 ||
        H5Aread(attribute, ooze_hdf5_memory_type(type), value) < 0) {
        FAIL_DAMAGED(in, "attribute '%s' is missing or of a wrong type", name);
    }
    ooze_hdf5_release(stored);
    ooze_hdf5_release(attribute);
}

/* Width of a text type of fixed length; 0: another type, or too wide. */
static size_t text_width(hid_t type)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
        return 0;
    }
    size_t width = H5Tget_size(type);
    return width <= OOZE_FRAME_TEXT_MAX + 1 ? width : 0;
}

static char *get_text(Input *in, hid_t object, const char *name)
{
    hid_t attribute = open_attribute(object, name);
    hid_t stored = H5Aget_type(attribute);
    size_t width = text_width(stored);
    char *text = width > 0 ? reserve(in, width + 1, 1) : NULL;
    if (width == 0 || (text && H5Aread(attribute, stored, text) < 0)) {
        FAIL_DAMAGED(in, "attribute '%s' is missing or not a short text", name);
    } else if (text) {
        text[width] = '\0';
    }
    ooze_hdf5_release(stored);
    ooze_hdf5_release(attribute);
    return text;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Whether the data is contiguous, unfiltered and in this file: then the file's size bounds the
   memory, and HDF5 opens no other file and no plug-in. */
static bool is_contiguous(hid_t dataset)
{
    hid_t list = H5Dget_create_plist(dataset);
    bool plain = list >= 0 && H5Pget_layout(list) == H5D_CONTIGUOUS &&
                 H5Pget_external_count(list) == 0 && H5Pget_nfilters(list) == 0;
    ooze_hdf5_release(list);
    return plain;
}

/* Opens the object of that name and kind; -1 where there is none. Soft and external links are not
   followed. */
static hid_t open_object(hid_t group, const char *name, H5I_type_t kind)
{
    H5L_info_t info;
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0 ||
        H5Lget_info(group, name, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
        return -1;
    }
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) != kind) {
        ooze_hdf5_release(object);
        return -1;
    }
    return object;
}

/* Reads a dataset of rank 1 or 2 with elements of `size` bytes; dims[1] is 1 for rank 1. NULL after
   a failure. */
static void *get_data(Input *in, hid_t dataset, const char *name, hid_t memory_type, size_t size,
                      hsize_t dims[2])
{
    hid_t space = H5Dget_space(dataset);
    int rank = H5Sget_simple_extent_ndims(space);
    dims[0] = 0;
    dims[1] = 1;
    uint64_t bytes = 0;
    if ((rank != 1 && rank != 2) || H5Sget_simple_extent_dims(space, dims, NULL) != rank ||
        dims[1] < 1 || dims[1] > OOZE_FRAME_COMPONENTS_MAX) {
        FAIL_DAMAGED(in, "'%s' has a shape that is not possible", name);
    } else if (__builtin_mul_overflow(dims[0], dims[1] * size, &bytes) || bytes > in->bytes_left ||
               H5Dget_storage_size(dataset) != bytes || !is_contiguous(dataset)) {
        FAIL_DAMAGED(in, "'%s' has %llu rows, which the file does not hold", name,
                     (unsigned long long)dims[0]);
    }
    ooze_hdf5_release(space);
    void *data = reserve(in, bytes, 1);
    if (data) {
        in->bytes_left -= bytes;
        if (bytes > 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
            FAIL_DAMAGED(in, "'%s' cannot be read", name);
        }
    }
    return in->status ? NULL : data;
}

/* Names of the components: words of one text, where the dataset has them. */
static const char *const *get_columns(Input *in, hid_t dataset, const char *name, int components)
{
    if (in->status || H5Aexists(dataset, "columns") <= 0) {
        return NULL;
    }
    char *next = get_text(in, dataset, "columns");
    const char **columns = reserve(in, (uint64_t)components, sizeof *columns);
    for (int k = 0; columns && k < components; k++) {
        columns[k] = next ? next : "";
        next = next ? strchr(next, ' ') : NULL;
        if (next) {
            *next++ = '\0';
        }
    }
    if (next) {
        FAIL_DAMAGED(in, "'%s' has more names than columns", name);
    }
    return columns;
}

static OozeFieldView get_field(Input *in, hid_t group, const char *name)
{
    hid_t dataset = open_object(group, name, H5I_DATASET);
    hid_t stored = H5Dget_type(dataset);
    OozeFieldView field = {.name = name, .type = OOZE_FIELD_TYPE_COUNT};
    for (int i = 0; i < OOZE_FIELD_TYPE_COUNT; i++) {
        if (H5Tequal(stored, ooze_hdf5_file_type((OozeFieldType)i)) > 0) {
            field.type = (OozeFieldType)i;
        }
    }
    if (field.type == OOZE_FIELD_TYPE_COUNT) {
        FAIL_DAMAGED(in, "'%s' is missing or of a wrong type", name);
    } else {
        hsize_t dims[2];
        field.data = get_data(in, dataset, name, ooze_hdf5_memory_type(field.type),
                              ooze_field_type_size(field.type), dims);
        field.count = dims[0];
        field.components = field.stride = (int)dims[1];
        field.unit = get_text(in, dataset, "unit");
        field.help = get_text(in, dataset, "help");
        field.columns = get_columns(in, dataset, name, field.components);
    }
    ooze_hdf5_release(stored);
    ooze_hdf5_release(dataset);
    return field;
}

static H5_index_t group_order(hid_t group)
{
    unsigned flags = 0;
    hid_t list = H5Gget_create_plist(group);
    H5Pget_link_creation_order(list, &flags);
    ooze_hdf5_release(list);
    return flags & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

/* Name of link i in the order of writing, or by name where a file does not keep that order. */
static char *get_link_name(Input *in, hid_t group, hsize_t i)
{
    H5_index_t order = group_order(group);
    ssize_t length = H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    if (length < 1 || length > OOZE_FRAME_TEXT_MAX) {
        FAIL_DAMAGED(in, "a field has no name, or too long a one");
        return NULL;
    }
    char *name = reserve(in, (uint64_t)length + 1, 1);
    if (name && H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, name, (size_t)length + 1,
                                   H5P_DEFAULT) < 0) {
        FAIL_DAMAGED(in, "the name of a field cannot be read");
    }
    return name;
}

static const OozeFieldView *get_fields(Input *in, const char *group_name, int *count)
{
    hid_t group = open_object(in->file, group_name, H5I_GROUP);
    H5G_info_t info = {0};
    if (H5Gget_info(group, &info) < 0 || info.nlinks > OOZE_FRAME_FIELDS_MAX) {
        FAIL_DAMAGED(in, "'/%s' is missing or holds too much", group_name);
    }
    OozeFieldView *fields = reserve(in, info.nlinks, sizeof *fields);
    for (hsize_t i = 0; i < info.nlinks && !in->status; i++) {
        const char *name = get_link_name(in, group, i);
        if (!in->status) {
            fields[i] = get_field(in, group, name);
        }
    }
    ooze_hdf5_release(group);
    *count = (int)info.nlinks;
    return fields;
}

/* ---- solids and materials -------------------------------------------------------------------- */

/* A list of texts, `width` bytes apart. */
typedef struct Names {
    const char *first;
    size_t width;
    uint64_t count;
} Names;

static Names get_names(Input *in, hid_t group)
{
    hid_t dataset = open_object(group, "names", H5I_DATASET);
    hid_t stored = H5Dget_type(dataset);
    Names names = {.width = text_width(stored)};
    if (names.width == 0) {
        FAIL_DAMAGED(in, "a list of names is missing or of a wrong type");
    } else {
        hsize_t dims[2];
        char *texts = get_data(in, dataset, "names", stored, names.width, dims);
        if (dims[1] != 1 || dims[0] > INT32_MAX) {
            FAIL_DAMAGED(in, "a list of names has columns, or too many rows");
        }
        for (uint64_t i = 1; texts && !in->status && i <= dims[0]; i++) {
            texts[i * names.width - 1] = '\0'; /* whatever padding the type has */
        }
        names.first = texts;
        names.count = dims[0];
    }
    ooze_hdf5_release(stored);
    ooze_hdf5_release(dataset);
    return names;
}

/* An array with one row per name, and with the type and width of `like`. */
static OozeFieldView get_rows(Input *in, hid_t group, const Names *names, const OozeFieldView *like)
{
    OozeFieldView field = get_field(in, group, like->name);
    if (!in->status && (field.type != like->type || field.components != like->components ||
                        field.count != names->count)) {
        FAIL_DAMAGED(in, "'%s' has another shape than its names", like->name);
    }
    return field;
}

static const void *get_array(Input *in, hid_t group, const Names *names, const OozeFieldView *like)
{
    return get_rows(in, group, names, like).data;
}

static void get_solids(Input *in)
{
    hid_t group = open_object(in->file, "solids", H5I_GROUP);
    Names names = get_names(in, group);
    const OozeFieldView like = {
        .name = "pose", .type = OOZE_FIELD_FLOAT64, .components = OOZE_POSE_COLUMNS};
    OozeFieldView rows = get_rows(in, group, &names, &like);
    const OozeSolidPose *poses = rows.data;
    bool radians = rows.unit && strcmp(rows.unit, OOZE_POSE_UNIT_RADIANS) == 0;
    OozeSolidView *solids = reserve(in, names.count, sizeof *solids);
    for (uint64_t i = 0; solids && i < names.count; i++) {
        solids[i] = (OozeSolidView){.name = names.first + i * names.width, .pose = poses[i]};
        if (radians) {
            solids[i].pose.spin = ooze_vec3_degrees(poses[i].spin);
        }
    }
    in->open->frame.solids = solids;
    in->open->frame.solid_count = (int)names.count;
    ooze_hdf5_release(group);
}

static void get_materials(Input *in)
{
    hid_t group = open_object(in->file, "materials", H5I_GROUP);
    Names names = get_names(in, group);
    const double *densities =
        get_array(in, group, &names,
                  &(OozeFieldView){.name = "density", .type = OOZE_FIELD_FLOAT64, .components = 1});
    const float *colors =
        get_array(in, group, &names,
                  &(OozeFieldView){.name = "color", .type = OOZE_FIELD_FLOAT32, .components = 3});
    OozeMaterialView *materials = reserve(in, names.count, sizeof *materials);
    for (uint64_t i = 0; materials && i < names.count; i++) {
        materials[i].name = names.first + i * names.width;
        materials[i].density = densities[i];
        memcpy(materials[i].color, colors + 3 * i, sizeof materials[i].color);
    }
    in->open->frame.materials = materials;
    in->open->frame.material_count = (int)names.count;
    ooze_hdf5_release(group);
}

/* ---- the frame ------------------------------------------------------------------------------- */

static void get_root(Input *in)
{
    OozeFrame *frame = &in->open->frame;
    uint64_t version = 0;
    get_number(in, "format_version", OOZE_FIELD_UINT64, &version);
    if (!in->status && version != OOZE_FRAME_FORMAT_VERSION) {
        FAIL_DAMAGED(in, "its format versions disagree");
    }
    get_number(in, "index", OOZE_FIELD_UINT64, &frame->index);
    get_number(in, "step", OOZE_FIELD_UINT64, &frame->step);
    get_number(in, "time", OOZE_FIELD_FLOAT64, &frame->time);
    get_number(in, "spacing", OOZE_FIELD_FLOAT64, &frame->spacing);
    get_number(in, "support", OOZE_FIELD_FLOAT64, &frame->support);
    get_number(in, "particle_count", OOZE_FIELD_UINT64, &frame->particle_count);
    frame->method = get_text(in, in->file, "method");
    const char *up = get_text(in, in->file, "up");
    if (up && (strlen(up) != 1 || up[0] < 'x' || up[0] > 'z')) {
        FAIL_DAMAGED(in, "attribute 'up' is none of x, y, z");
    } else if (up) {
        frame->up = (OozeAxis)(up[0] - 'x');
    }
}

static void get_frame(Input *in)
{
    OozeFrame *frame = &in->open->frame;
    get_root(in);
    get_solids(in);
    get_materials(in);
    frame->fields = get_fields(in, "particles", &frame->field_count);
    frame->state = get_fields(in, "state", &frame->state_count);
    char why[256];
    if (!in->status && !ooze_frame_is_valid(frame, why, sizeof why)) {
        FAIL_DAMAGED(in, "%s", why);
    }
}

static void read_hdf5(Input *in, int fd, uint64_t length)
{
    OozeHdf5Errors quiet = ooze_hdf5_mute_errors();
    OozeHdf5File hdf5;
    if (ooze_hdf5_open(&hdf5, fd, length) != 0) {
        FAIL_DAMAGED(in, "HDF5 cannot open it");
    } else {
        in->file = hdf5.file;
        in->bytes_left = length;
        get_frame(in);
        ooze_hdf5_close(&hdf5);
    }
    ooze_hdf5_restore_errors(quiet);
}

static OozeStatus verify(int fd, const char *path, const OozeFrameHeader *header, OozeError *error)
{
    uint64_t hash = 0;
    int number = ooze_frame_checksum(fd, header->length, &hash);
    if (number == ENOMEM) {
        return ooze_fail_memory(error, "reading a frame", 1 << 20);
    }
    if (number) {
        return ooze_fail_file(error, OOZE_ERROR_FILE, "read", path, number);
    }
    return hash == header->hash
               ? OOZE_OK
               : ooze_fail_damaged(error, path, "its contents changed after writing");
}

OozeStatus ooze_frame_open(const char *path, OozeFrame **frame, OozeError *error)
{
    OOZE_REQUIRE(path, error);
    OOZE_REQUIRE(frame, error);
    *frame = NULL;
    int fd;
    OozeStatus status = ooze_frame_open_descriptor(path, &fd, error);
    if (status) {
        return status;
    }
    OozeFrameHeader header;
    status = ooze_frame_header_read(fd, path, &header, error);
    status = status ? status : verify(fd, path, &header, error);
    OpenFrame *open = status ? NULL : ooze_alloc_zero(1, sizeof *open);
    if (open) {
        Input in = {.open = open, .path = path, .error = error};
        read_hdf5(&in, fd, header.length);
        status = in.status;
    } else if (!status) {
        status = ooze_fail_memory(error, "a frame", sizeof *open);
    }
    close(fd);
    if (status) {
        ooze_frame_close(open ? &open->frame : NULL);
    } else {
        *frame = &open->frame;
    }
    return status;
}
