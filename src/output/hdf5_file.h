/* A file driver of HDF5 on a descriptor of the caller.

   With the drivers of HDF5, a write that fails on a full disk leaves the file half closed, is tried
   again when the program ends, and its errno is lost in a stack of texts. This driver keeps the
   first errno and discards all later writes, so that HDF5 closes the file normally. Without a
   descriptor it only counts bytes. */
#ifndef OOZE_OUTPUT_HDF5_FILE_H
#define OOZE_OUTPUT_HDF5_FILE_H

#include <hdf5.h>

#include "ooze/frame.h"

typedef struct OozeHdf5File {
    H5FD_t base; /* the part that HDF5 uses; must stand first */
    int fd;      /* -1: only sizes are counted */
    int error_number;
    uint64_t end;       /* bytes in the file */
    uint64_t allocated; /* bytes that HDF5 has allocated in the file */
    hid_t driver;
    hid_t file;
} OozeHdf5File;

/* Both fill the caller's struct, whose address must not change until it is closed; they return 0,
   or -1 with nothing left open. The caller closes the descriptor. */
int ooze_hdf5_create(OozeHdf5File *file, int fd, hid_t creation);
int ooze_hdf5_open(OozeHdf5File *file, int fd, uint64_t length);
/* 0 where HDF5 closed the file; `error_number` is the errno of the first failed write. */
int ooze_hdf5_close(OozeHdf5File *file);

/* The type of a component in a file, little endian, and in memory; -1: not a type of fields. */
hid_t ooze_hdf5_file_type(OozeFieldType type);
hid_t ooze_hdf5_memory_type(OozeFieldType type);

/* Closes whatever the id belongs to; negative when that fails. An id of a failed call is
   ignored. */
int ooze_hdf5_release(hid_t id);

/* Turns the error messages that HDF5 prints in this thread off, and on again. */
typedef struct OozeHdf5Errors {
    H5E_auto2_t print;
    void *data;
} OozeHdf5Errors;
OozeHdf5Errors ooze_hdf5_mute_errors(void);
void ooze_hdf5_restore_errors(OozeHdf5Errors quiet);

#endif
