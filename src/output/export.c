#include "output/export.h"

#include <string.h>

/* Adding a format is one row here and a file of its own. */
const OozeExportFormat ooze_export_formats[] = {
    {"ply", "binary point cloud: Blender, MeshLab, CloudCompare", ".ply", ooze_export_ply, NULL,
     NULL},
    {"vtp", "VTK points with an index run.pvd: ParaView", ".vtp", ooze_export_vtp, ooze_export_pvd,
     NULL},
    {"bgeo", "classic Houdini geometry, version 5: Houdini, Partio", ".bgeo", ooze_export_bgeo,
     NULL, NULL},
    {"usda", "Universal Scene Description, text, with a stage run.usda", ".usda", ooze_export_usda,
     ooze_export_usda_stage, ooze_export_usda_solids},
    {"csv", "one row per particle: spreadsheets, pandas", ".csv", ooze_export_csv, NULL, NULL},
};
const int ooze_export_format_count =
    (int)(sizeof ooze_export_formats / sizeof ooze_export_formats[0]);

const OozeExportFormat *ooze_export_find(const char *name)
{
    for (int i = 0; i < ooze_export_format_count; i++) {
        if (strcmp(ooze_export_formats[i].name, name) == 0) {
            return &ooze_export_formats[i];
        }
    }
    return NULL;
}
