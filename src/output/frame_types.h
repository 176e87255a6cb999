/* The numbers of a field as HDF5 knows them: one table for writer and reader. */
#ifndef OOZE_OUTPUT_FRAME_TYPES_H
#define OOZE_OUTPUT_FRAME_TYPES_H

#include <hdf5.h>

#include "ooze/frame.h"

hid_t ooze_frame_file_type(OozeFieldType type);
hid_t ooze_frame_memory_type(OozeFieldType type);

#endif
