/* Version, and the list of libraries and optional components of this build. */
#include <pthread.h>
#include <stdio.h>
#include <yaml.h>

#include "ooze/types.h"

#ifdef OOZE_WITH_HDF5
#include <hdf5.h>
#endif
#ifdef OOZE_WITH_CAIRO
#include <cairo.h>
#endif
#ifdef OOZE_WITH_CUDA
#include "cuda/device.h"
#endif
#ifdef OOZE_WITH_RENDER
#include "render/renderer.h"
#endif
#ifdef OOZE_WITH_ODE
#include "ode/dynamics.h"
#endif
#ifdef OOZE_WITH_VIEW
#include "serve/server.h"
#endif
#ifdef OOZE_WITH_MESHOPT
#include <meshoptimizer.h>
#endif

#ifndef OOZE_VERSION
#error "the build defines OOZE_VERSION"
#endif

OozeVersion ooze_version(void)
{
    OozeVersion version = {.text = OOZE_VERSION};
    sscanf(OOZE_VERSION, "%d.%d.%d", &version.major, &version.minor, &version.patch);
    return version;
}

enum {
    PART_HDF5,
    PART_YAML,
    PART_CAIRO,
    PART_CUDA,
    PART_RENDER,
    PART_MESHOPT,
    PART_ODE,
    PART_VIEW,
    PART_MPI,
    PART_COUNT
};

/* Filled once, read-only afterwards. */
static OozePart parts[PART_COUNT];
static char details[PART_COUNT][128]; /* of parts that describe themselves */
static pthread_once_t parts_once = PTHREAD_ONCE_INIT;

static void describe_parts(void)
{
    (void)details; /* a build without any part */
#ifdef OOZE_WITH_HDF5
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(details[PART_HDF5], sizeof details[0], "%u.%u.%u", major, minor, release);
    parts[PART_HDF5] = (OozePart){"hdf5", true, details[PART_HDF5]};
#else
    parts[PART_HDF5] = (OozePart){"hdf5", false, "left out of builds for WebAssembly"};
#endif
    parts[PART_YAML] = (OozePart){"yaml", true, yaml_get_version_string()};
#ifdef OOZE_WITH_CAIRO
    parts[PART_CAIRO] = (OozePart){"cairo", true, cairo_version_string()};
#else
    parts[PART_CAIRO] = (OozePart){"cairo", false, "left out of builds for WebAssembly"};
#endif
#ifdef OOZE_WITH_CUDA
    ooze_cuda_describe(details[PART_CUDA], sizeof details[0]);
    parts[PART_CUDA] = (OozePart){"cuda", true, details[PART_CUDA]};
#else
    parts[PART_CUDA] = (OozePart){"cuda", false, "install the CUDA toolkit, then build again"};
#endif
#ifdef OOZE_WITH_RENDER
    ooze_render_describe(details[PART_RENDER], sizeof details[0]);
    parts[PART_RENDER] = (OozePart){"render", true, details[PART_RENDER]};
#else
    parts[PART_RENDER] =
        (OozePart){"render", false, "install libembree-dev and libpng-dev, then build again"};
#endif
#ifdef OOZE_WITH_MESHOPT
    snprintf(details[PART_MESHOPT], sizeof details[0], "%d.%d", MESHOPTIMIZER_VERSION / 1000,
             MESHOPTIMIZER_VERSION % 1000 / 10);
    parts[PART_MESHOPT] = (OozePart){"meshopt", true, details[PART_MESHOPT]};
#else
    parts[PART_MESHOPT] =
        (OozePart){"meshopt", false, "install libmeshoptimizer-dev, then build again"};
#endif
#ifdef OOZE_WITH_ODE
    ooze_ode_describe(details[PART_ODE], sizeof details[0]);
    parts[PART_ODE] = (OozePart){"ode", true, details[PART_ODE]};
#else
    parts[PART_ODE] = (OozePart){"ode", false, "install libode-dev, then build again"};
#endif
#ifdef OOZE_WITH_VIEW
    ooze_serve_describe(details[PART_VIEW], sizeof details[0]);
    parts[PART_VIEW] = (OozePart){"view", true, details[PART_VIEW]};
#else
    parts[PART_VIEW] = (OozePart){"view", false, "install libwebsockets-dev, then build again"};
#endif
#ifdef OOZE_WITH_MPI
    parts[PART_MPI] = (OozePart){"mpi", true, "of the command"};
#else
    parts[PART_MPI] = (OozePart){"mpi", false, "install libopenmpi-dev, then build again"};
#endif
}

const OozePart *ooze_parts(int *count)
{
    pthread_once(&parts_once, describe_parts);
    if (count) {
        *count = PART_COUNT;
    }
    return parts;
}
