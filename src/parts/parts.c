/* The one registration list of optional parts. */
#include "ooze/types.h"

#include <hdf5.h>
#include <yaml.h>

#ifndef OOZE_VERSION
#error "the build defines OOZE_VERSION"
#endif

OozeVersion ooze_version(void)
{
    return (OozeVersion){.major = 0, .minor = 1, .patch = 0, .text = OOZE_VERSION};
}

const OozePart *ooze_parts(int *count)
{
    static const OozePart parts[] = {
        {"hdf5", true, H5_VERS_INFO},
        {"yaml", true, "libyaml"},
#ifdef OOZE_WITH_CUDA
        {"cuda", true, "GPU back end"},
#else
        {"cuda", false, "configure with `cmake --preset cuda` where nvcc is installed"},
#endif
#ifdef OOZE_WITH_MPI
        {"mpi", true, "cluster back end"},
#else
        {"mpi", false, "configure with `cmake --preset mpi` where Open MPI is installed"},
#endif
    };
    *count = (int)(sizeof parts / sizeof parts[0]);
    return parts;
}
