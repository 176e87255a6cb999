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
    FEATURE_HDF5,
    FEATURE_YAML,
    FEATURE_CAIRO,
    FEATURE_CUDA,
    FEATURE_RENDER,
    FEATURE_MESHOPT,
    FEATURE_ODE,
    FEATURE_VIEW,
    FEATURE_MPI,
    FEATURE_COUNT
};

/* Filled once, read-only afterwards. */
static OozeFeature features[FEATURE_COUNT];
static char details[FEATURE_COUNT][128]; /* of features that describe themselves */
static pthread_once_t features_once = PTHREAD_ONCE_INIT;

static void describe_features(void)
{
    (void)details; /* a build without any part */
#ifdef OOZE_WITH_HDF5
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(details[FEATURE_HDF5], sizeof details[0], "%u.%u.%u", major, minor, release);
    features[FEATURE_HDF5] = (OozeFeature){"hdf5", true, details[FEATURE_HDF5]};
#else
    features[FEATURE_HDF5] = (OozeFeature){"hdf5", false, "left out of builds for WebAssembly"};
#endif
    features[FEATURE_YAML] = (OozeFeature){"yaml", true, yaml_get_version_string()};
#ifdef OOZE_WITH_CAIRO
    features[FEATURE_CAIRO] = (OozeFeature){"cairo", true, cairo_version_string()};
#else
    features[FEATURE_CAIRO] = (OozeFeature){"cairo", false, "left out of builds for WebAssembly"};
#endif
#ifdef OOZE_WITH_CUDA
    ooze_cuda_describe(details[FEATURE_CUDA], sizeof details[0]);
    features[FEATURE_CUDA] = (OozeFeature){"cuda", true, details[FEATURE_CUDA]};
#else
    features[FEATURE_CUDA] =
        (OozeFeature){"cuda", false, "install the CUDA toolkit, then build again"};
#endif
#ifdef OOZE_WITH_RENDER
    ooze_render_describe(details[FEATURE_RENDER], sizeof details[0]);
    features[FEATURE_RENDER] = (OozeFeature){"render", true, details[FEATURE_RENDER]};
#else
    features[FEATURE_RENDER] =
        (OozeFeature){"render", false, "install libembree-dev and libpng-dev, then build again"};
#endif
#ifdef OOZE_WITH_MESHOPT
    snprintf(details[FEATURE_MESHOPT], sizeof details[0], "%d.%d", MESHOPTIMIZER_VERSION / 1000,
             MESHOPTIMIZER_VERSION % 1000 / 10);
    features[FEATURE_MESHOPT] = (OozeFeature){"meshopt", true, details[FEATURE_MESHOPT]};
#else
    features[FEATURE_MESHOPT] =
        (OozeFeature){"meshopt", false, "install libmeshoptimizer-dev, then build again"};
#endif
#ifdef OOZE_WITH_ODE
    ooze_ode_describe(details[FEATURE_ODE], sizeof details[0]);
    features[FEATURE_ODE] = (OozeFeature){"ode", true, details[FEATURE_ODE]};
#else
    features[FEATURE_ODE] = (OozeFeature){"ode", false, "install libode-dev, then build again"};
#endif
#ifdef OOZE_WITH_VIEW
    ooze_serve_describe(details[FEATURE_VIEW], sizeof details[0]);
    features[FEATURE_VIEW] = (OozeFeature){"view", true, details[FEATURE_VIEW]};
#else
    features[FEATURE_VIEW] =
        (OozeFeature){"view", false, "install libwebsockets-dev, then build again"};
#endif
#ifdef OOZE_WITH_MPI
    features[FEATURE_MPI] = (OozeFeature){"mpi", true, "of the command"};
#else
    features[FEATURE_MPI] = (OozeFeature){"mpi", false, "install libopenmpi-dev, then build again"};
#endif
}

const OozeFeature *ooze_features(int *count)
{
    pthread_once(&features_once, describe_features);
    if (count) {
        *count = FEATURE_COUNT;
    }
    return features;
}
