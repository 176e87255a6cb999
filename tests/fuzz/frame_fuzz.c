/* Fuzzes the frame reader on two sides.

   First byte 0: the rest is taken for a frame file as it is, and mostly stops at the first block's
   hash. Else: the rest chooses, object by object, how to build an HDF5 file that HDF5 finds well
   and that is wrong in types, shapes, storage or links; it gets a right hash, so that the checks
   behind the hash are reached. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ooze/frame.h"
#include "output/frame_header.h"
#include "output/hdf5_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Choices {
    const uint8_t *data;
    size_t size;
} Choices;

static unsigned choose(Choices *choices)
{
    if (choices->size == 0) {
        return 0; /* where nothing is said, all is as it should be */
    }
    choices->size--;
    return *choices->data++;
}

enum { COUNT = 3 };

/* What lies outside a frame file. HDF5 WRITES to external storage when a dataset is filled, so this
   must never be the name of a file that holds anything. */
#define OUTSIDE "/dev/null"

/* A type by number, 0 to 13; the caller closes it. */
static hid_t make_type(unsigned number)
{
    const hid_t plain[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_U8LE,  H5T_STD_U16LE,
                           H5T_STD_U32LE,  H5T_STD_U64LE,  H5T_STD_I32LE, H5T_IEEE_F32BE,
                           H5T_C_S1,       H5T_C_S1,       H5T_C_S1,      H5T_STD_REF_OBJ};
    hsize_t three = 3;
    switch (number % 14) {
    case 12:
        return H5Tarray_create2(H5T_IEEE_F32LE, 1, &three);
    case 13: {
        hid_t compound = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(compound, "x", 0, H5T_IEEE_F32LE);
        H5Tinsert(compound, "y", 4, H5T_STD_U32LE);
        return compound;
    }
    default: {
        hid_t type = H5Tcopy(plain[number % 14]);
        if (number % 14 == 8) {
            H5Tset_size(type, 6);
        } else if (number % 14 == 9) {
            H5Tset_size(type, H5T_VARIABLE);
        } else if (number % 14 == 10) {
            H5Tset_size(type, 5000); /* wider than any text should be */
        }
        return type;
    }
    }
}

/* Attributes are kept whole in memory by HDF5 while it makes them, so they stay `small`. */
static hid_t make_space(Choices *choices, bool small)
{
    static const hsize_t sizes[] = {COUNT, 0, 1, 2, 3, 13, 65, 1ull << 33, 1ull << 61};
    hsize_t dims[3];
    unsigned rank = choose(choices) % 5;
    if (rank == 4) {
        return H5Screate(H5S_NULL);
    }
    for (unsigned i = 0; i < rank; i++) {
        dims[i] = sizes[choose(choices) % (small ? 6 : 9)];
    }
    return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple((int)rank, dims, NULL);
}

/* ---- attributes -------------------------------------------------------------------------- */

static void put_attribute(Choices *choices, hid_t object, const char *name, hid_t type,
                          const void *value)
{
    unsigned choice = choose(choices);
    bool odd = choice > 240;
    if (choice > 230 && !odd) {
        return; /* missing */
    }
    hid_t kind = odd ? make_type(choose(choices)) : H5Tcopy(type);
    hid_t space = odd ? make_space(choices, true) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, kind, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        if (!odd) {
            H5Awrite(attribute, kind, value);
        }
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(kind);
}

static void put_text(Choices *choices, hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    put_attribute(choices, object, name, type, text);
    H5Tclose(type);
}

static void put_root(Choices *choices, hid_t root)
{
    static const char *const wholes[] = {"format_version", "index", "step", "particle_count"};
    static const char *const reals[] = {"time", "spacing", "support"};
    static const uint64_t values[] = {OOZE_FRAME_FORMAT_VERSION, 7, 70, COUNT};
    static const char *const axes[] = {"y", "x", "z", "w", "", "yy"};
    for (int i = 0; i < 4; i++) {
        uint64_t value = values[i] + (choose(choices) == 255);
        put_attribute(choices, root, wholes[i], H5T_STD_U64LE, &value);
    }
    for (int i = 0; i < 3; i++) {
        double value = choose(choices) == 255 ? 1.0 / 0.0 : 0.5;
        put_attribute(choices, root, reals[i], H5T_IEEE_F64LE, &value);
    }
    put_text(choices, root, "up", axes[choose(choices) % 6]);
    put_text(choices, root, "method", "ballistic");
}

/* ---- datasets and what may stand in their place ------------------------------------------- */

static void put_dataset(Choices *choices, hid_t group, const char *name, hid_t type,
                        uint64_t columns)
{
    unsigned choice = choose(choices);
    bool odd_type = choice & 128 && choose(choices) > 128, odd_space = choice & 64;
    hsize_t dims[2] = {COUNT, columns}, chunk[3] = {1, 1, 1};
    hid_t kind = odd_type ? make_type(choose(choices)) : H5Tcopy(type);
    hid_t space = odd_space ? make_space(choices, false)
                            : H5Screate_simple(columns > 1 || choice & 1 ? 2 : 1, dims, NULL);
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    int rank = H5Sget_simple_extent_ndims(space);
    if (choice & 32) {
        unsigned storage = choose(choices) % 4;
        if (storage == 0) {
            H5Pset_layout(list, H5D_COMPACT);
        } else if (storage == 1 && rank > 0) {
            H5Pset_chunk(list, rank, chunk);
            H5Pset_deflate(list, 1);
        } else if (storage == 2) {
            H5Pset_external(list, OUTSIDE, 0, 64);
        } else {
            H5Pset_alloc_time(list, H5D_ALLOC_TIME_LATE);
        }
    }
    hid_t dataset = H5Dcreate2(group, name, kind, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (dataset >= 0) {
        put_text(choices, dataset, "unit", "m");
        put_text(choices, dataset, "help", "");
        if (columns == 2) {
            static const char *const names[] = {"a b", "a a", "a", "a b c", "a  b", "", " a"};
            put_text(choices, dataset, "columns", names[choose(choices) % 7]);
        }
        if (!odd_space && !odd_type && !(choice & 16)) {
            unsigned char bytes[COUNT * 16 * 8];
            unsigned value = choose(choices);
            memset(bytes, value < 200 ? 0 : (int)value, sizeof bytes);
            H5Dwrite(dataset, kind, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
        }
        H5Dclose(dataset);
    }
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(kind);
}

static void put_object(Choices *choices, hid_t group, const char *name, hid_t type,
                       uint64_t columns)
{
    hid_t object = -1;
    switch (choose(choices)) {
    case 255:
        return;
    case 254:
        object = H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(object);
        return;
    case 253:
        H5Lcreate_soft("/particles/position", group, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    case 252:
        H5Lcreate_external(OUTSIDE, "/x", group, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    case 251:
        H5Lcreate_hard(group, ".", group, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    case 250:
        object = H5Tcopy(H5T_STD_U8LE);
        H5Tcommit2(group, name, object, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Tclose(object);
        return;
    case 249:
        H5Lcreate_hard(group, "position", group, name, H5P_DEFAULT, H5P_DEFAULT);
        return;
    default:
        put_dataset(choices, group, name, type, columns);
        return;
    }
}

static void put_groups(Choices *choices, hid_t file)
{
    const struct {
        const char *group, *name;
        hid_t type;
        uint64_t columns;
    } objects[] = {
        {"particles", "position", H5T_IEEE_F32LE, 3}, {"particles", "velocity", H5T_IEEE_F32LE, 3},
        {"particles", "id", H5T_STD_U64LE, 1},        {"particles", "material", H5T_STD_U16LE, 1},
        {"particles", "stress", H5T_IEEE_F32LE, 6},   {"state", "seed", H5T_STD_U64LE, 1},
        {"state", "phase", H5T_IEEE_F64LE, 2},        {"solids", "names", H5T_C_S1, 1},
        {"solids", "pose", H5T_IEEE_F64LE, 13},       {"materials", "names", H5T_C_S1, 1},
        {"materials", "density", H5T_IEEE_F64LE, 1},  {"materials", "color", H5T_IEEE_F32LE, 3},
    };
    hid_t list = H5Pcreate(H5P_GROUP_CREATE);
    if (choose(choices) < 128) {
        H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    }
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        hid_t group = H5Lexists(file, objects[i].group, H5P_DEFAULT) > 0
                          ? H5Oopen(file, objects[i].group, H5P_DEFAULT)
                          : H5Gcreate2(file, objects[i].group, H5P_DEFAULT, list, H5P_DEFAULT);
        hid_t type = H5Tcopy(objects[i].type);
        if (H5Tget_class(type) == H5T_STRING) {
            H5Tset_size(type, 5);
        }
        put_object(choices, group, objects[i].name, type, objects[i].columns);
        H5Tclose(type);
        H5Oclose(group);
    }
    if (choose(choices) > 250) {
        H5Ldelete(file, objects[choose(choices) % 12].group, H5P_DEFAULT);
    }
    H5Pclose(list);
}

/* ---- files -------------------------------------------------------------------------------- */

static void build(Choices *choices, int fd)
{
    OozeHdf5Errors quiet = ooze_hdf5_mute_errors();
    OozeHdf5File hdf5;
    OozeFrameHeader block = {.particle_count = COUNT};
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, OOZE_FRAME_HEADER_BYTES);
    if (ooze_hdf5_create(&hdf5, fd, creation) == 0) {
        put_root(choices, hdf5.file);
        put_groups(choices, hdf5.file);
        ooze_hdf5_close(&hdf5);
        block.length = hdf5.end;
        ooze_frame_checksum(fd, block.length, &block.hash);
        unsigned char bytes[OOZE_FRAME_HEADER_BYTES];
        ooze_frame_header_encode(&block, bytes);
        if (pwrite(fd, bytes, sizeof bytes, 0) != sizeof bytes) {
            abort();
        }
    }
    H5Pclose(creation);
    ooze_hdf5_restore_errors(quiet);
}

static void read_back(int fd)
{
    char path[64];
    OozeFrame *frame = NULL;
    OozeError error = {0};
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    OozeStatus status = ooze_frame_open(path, &frame, &error);
    if (status == OOZE_OK) {
        ooze_frame_hash(frame); /* touches every byte it promises */
        ooze_frame_close(frame);
    } else if (frame || !error.message[0] || !error.hint[0]) {
        abort(); /* a refusal says why and leaves nothing behind */
    }
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) > 0) {
        abort(); /* something was left open */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("frame", MFD_CLOEXEC);
    if (size == 0 || fd < 0) {
        return 0;
    }
    Choices choices = {data + 1, size - 1};
    if (data[0] != 0) {
        build(&choices, fd);
    } else if (write(fd, data + 1, size - 1) != (ssize_t)(size - 1)) {
        abort();
    }
    read_back(fd);
    close(fd);
    return 0;
}
