#include "output/export.h"

/* The list of export formats; each is implemented in one file. */
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
