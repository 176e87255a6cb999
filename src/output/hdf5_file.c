#include "output/hdf5_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The entry of a property list by which HDF5 finds the struct. */
typedef struct Access {
    OozeHdf5File *file;
} Access;

static H5FD_t *open_given(const char *name, unsigned flags, hid_t access_list, haddr_t max)
{
    (void)name, (void)flags, (void)max;
    const Access *access = H5Pget_driver_info(access_list);
    return access ? &access->file->base : NULL;
}

static herr_t close_given(H5FD_t *base)
{
    (void)base;
    return 0;
}

static herr_t query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    if (flags) {
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                 H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
                 H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    }
    return 0;
}

static haddr_t get_allocated(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const OozeHdf5File *)base)->allocated;
}

static herr_t set_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((OozeHdf5File *)base)->allocated = address;
    return 0;
}

static haddr_t get_end(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const OozeHdf5File *)base)->end;
}

static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t size, void *buffer)
{
    (void)type, (void)transfer;
    OozeHdf5File *file = (OozeHdf5File *)base;
    char *into = buffer;
    while (size > 0) {
        ssize_t got = file->fd < 0 ? 0 : pread(file->fd, into, size, (off_t)address);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            file->error_number = file->error_number ? file->error_number : errno;
            return -1;
        }
        if (got == 0) { /* space that was allocated and not written yet reads as zero */
            memset(into, 0, size);
            break;
        }
        into += got;
        address += (haddr_t)got;
        size -= (size_t)got;
    }
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, const void *buffer)
{
    (void)type, (void)transfer;
    OozeHdf5File *file = (OozeHdf5File *)base;
    if (address + size > file->end) {
        file->end = address + size;
    }
    const char *from = buffer;
    while (size > 0 && file->fd >= 0 && !file->error_number) {
        ssize_t put = pwrite(file->fd, from, size, (off_t)address);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            file->error_number = errno;
            break;
        }
        from += put;
        address += (haddr_t)put;
        size -= (size_t)put;
    }
    return 0;
}

static herr_t truncate_file(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    OozeHdf5File *file = (OozeHdf5File *)base;
    if (file->end != file->allocated) {
        file->end = file->allocated;
        if (file->fd >= 0 && !file->error_number && ftruncate(file->fd, (off_t)file->end) != 0) {
            file->error_number = errno;
        }
    }
    return 0;
}

static const H5FD_class_t driver_class = {
    .name = "ooze",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(Access),
    .open = open_given,
    .close = close_given,
    .query = query,
    .get_eoa = get_allocated,
    .set_eoa = set_allocated,
    .get_eof = get_end,
    .read = read_bytes,
    .write = write_bytes,
    .truncate = truncate_file,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* A property list with this driver and the struct, or -1. */
static hid_t prepare(OozeHdf5File *file, int fd, uint64_t length)
{
    *file = (OozeHdf5File){.fd = fd, .end = length, .driver = -1, .file = -1};
    file->driver = H5FDregister(&driver_class);
    hid_t access_list = file->driver < 0 ? -1 : H5Pcreate(H5P_FILE_ACCESS);
    Access access = {file};
    if (access_list >= 0 &&
        (H5Pset_driver(access_list, file->driver, &access) < 0 ||
         H5Pset_libver_bounds(access_list, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0)) {
        H5Pclose(access_list);
        access_list = -1;
    }
    return access_list;
}

static int finish(OozeHdf5File *file, hid_t access_list)
{
    if (access_list >= 0) {
        H5Pclose(access_list);
    }
    if (file->file < 0 && file->driver >= 0) {
        H5FDunregister(file->driver);
        file->driver = -1;
    }
    return file->file < 0 ? -1 : 0;
}

int ooze_hdf5_create(OozeHdf5File *file, int fd, hid_t creation)
{
    hid_t access_list = prepare(file, fd, 0);
    if (access_list >= 0) {
        file->file = H5Fcreate("ooze", H5F_ACC_TRUNC, creation, access_list);
    }
    return finish(file, access_list);
}

int ooze_hdf5_open(OozeHdf5File *file, int fd, uint64_t length)
{
    hid_t access_list = prepare(file, fd, length);
    if (access_list >= 0) {
        file->file = H5Fopen("ooze", H5F_ACC_RDONLY, access_list);
    }
    return finish(file, access_list);
}

int ooze_hdf5_close(OozeHdf5File *file)
{
    int result = H5Fclose(file->file) < 0 ? -1 : 0;
    result = H5FDunregister(file->driver) < 0 ? -1 : result;
    file->file = file->driver = -1;
    return result;
}

hid_t ooze_hdf5_file_type(OozeFieldType type)
{
    const hid_t types[OOZE_FIELD_TYPE_COUNT] = {
        [OOZE_FIELD_FLOAT32] = H5T_IEEE_F32LE, [OOZE_FIELD_FLOAT64] = H5T_IEEE_F64LE,
        [OOZE_FIELD_UINT8] = H5T_STD_U8LE,     [OOZE_FIELD_UINT16] = H5T_STD_U16LE,
        [OOZE_FIELD_UINT32] = H5T_STD_U32LE,   [OOZE_FIELD_UINT64] = H5T_STD_U64LE,
    };
    return (unsigned)type < OOZE_FIELD_TYPE_COUNT ? types[type] : -1;
}

hid_t ooze_hdf5_memory_type(OozeFieldType type)
{
    const hid_t types[OOZE_FIELD_TYPE_COUNT] = {
        [OOZE_FIELD_FLOAT32] = H5T_NATIVE_FLOAT, [OOZE_FIELD_FLOAT64] = H5T_NATIVE_DOUBLE,
        [OOZE_FIELD_UINT8] = H5T_NATIVE_UINT8,   [OOZE_FIELD_UINT16] = H5T_NATIVE_UINT16,
        [OOZE_FIELD_UINT32] = H5T_NATIVE_UINT32, [OOZE_FIELD_UINT64] = H5T_NATIVE_UINT64,
    };
    return (unsigned)type < OOZE_FIELD_TYPE_COUNT ? types[type] : -1;
}

int ooze_hdf5_release(hid_t id)
{
    return id < 0 ? 0 : H5Idec_ref(id);
}

OozeHdf5Errors ooze_hdf5_mute_errors(void)
{
    OozeHdf5Errors quiet = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

void ooze_hdf5_restore_errors(OozeHdf5Errors quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.data);
}
