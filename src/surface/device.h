/* A device besides the processor that builds surfaces. */
#ifndef OOZE_SURFACE_DEVICE_H
#define OOZE_SURFACE_DEVICE_H

#include "surface/attributes.h"

typedef struct OozeSurfaceDevice {
    bool stand_in; /* for tests: used only where the device is chosen explicitly */
    /* Whether the device exists. `text` gets its description, or the reason why it cannot be used.
       */
    bool (*available)(char *text, size_t size);
    /* Builds mesh and attributes into an empty surface. Sets *done to false, and leaves the surface
       to the processor, where it does not support the frame or the settings, or finds a fault of
       the frame. */
    OozeStatus (*build)(const OozeFrame *frame, const OozeSurfaceSettings *settings,
                        OozeOwnedSurface *owned, bool *done, OozeError *error);
} OozeSurfaceDevice;

/* NULL where this build has none. Defined in src/parts. */
const OozeSurfaceDevice *ooze_surface_device(void);

#endif
