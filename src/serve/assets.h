/* The files of the page, compiled in. The build writes the table: tools/web_page.py. */
#ifndef OOZE_SERVE_ASSETS_H
#define OOZE_SERVE_ASSETS_H

#include <stddef.h>

typedef struct OozeAsset {
    const char *path;           /* "/" is the page */
    const char *type;           /* media type */
    const unsigned char *bytes; /* compressed with gzip */
    size_t size;
} OozeAsset;

extern const OozeAsset ooze_assets[];
extern const int ooze_asset_count;
extern const char *const ooze_assets_missing; /* why there is no page, or "" */

#endif
