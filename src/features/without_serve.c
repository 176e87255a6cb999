/* Serving a session in builds without libwebsockets. */
#include "base/fail.h"
#include "view/serve.h"

OozeStatus ooze_serve(const OozeServeOptions *options, OozeError *error)
{
    (void)options;
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, "install libwebsockets-dev, then build again",
                     "this build of Ooze has no viewer");
}
