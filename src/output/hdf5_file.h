/* HDF5 on a descriptor that we own.

   HDF5's own file drivers have two habits that a run cannot live with: a write that fails because the
   disk is full leaves the file half closed (and is tried again when the program ends), and the errno is
   lost in a stack of texts. This driver keeps the first errno, drops what comes after it and lets
   HDF5 close in peace; the caller asks afterwards. Without a descriptor it only counts bytes. */
#ifndef OOZE_OUTPUT_HDF5_FILE_H
#define OOZE_OUTPUT_HDF5_FILE_H

#include <hdf5.h>
#include <stdint.h>

typedef struct OozeHdf5File {
    H5FD_t base; /* what HDF5 knows of it; must stand first */
    int fd;      /* -1: nothing is kept, only sizes are counted */
    int error_number;
    uint64_t end;       /* bytes in the file */
    uint64_t allocated; /* bytes HDF5 has given away */
    hid_t driver;
    hid_t file;
} OozeHdf5File;

/* Both fill the caller's struct, which must stay where it is until closed; they give 0, or -1 with
   nothing left open. The descriptor stays the caller's. */
int ooze_hdf5_create(OozeHdf5File *file, int fd, hid_t creation);
int ooze_hdf5_open(OozeHdf5File *file, int fd, uint64_t length);
/* 0 when HDF5 closed it well; `error_number` tells of writes that failed. */
int ooze_hdf5_close(OozeHdf5File *file);

/* HDF5 prints its errors unless told otherwise: off for the calling thread while we work. */
typedef struct OozeHdf5Quiet {
    H5E_auto2_t print;
    void *data;
} OozeHdf5Quiet;
OozeHdf5Quiet ooze_hdf5_quiet(void);
void ooze_hdf5_restore(OozeHdf5Quiet quiet);

#endif
