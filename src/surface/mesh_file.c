#include "surface/mesh_file.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "output/export.h"

/* Adding a format is one row here and a file of its own. */
const OozeMeshFormat ooze_mesh_formats[] = {
    {"ply", "binary, with velocity, colour, material and fields: Blender, MeshLab, Houdini", ".ply",
     ooze_mesh_write_ply, NULL},
    {"obj", "text, with normals and colours: everything else", ".obj", ooze_mesh_write_obj, NULL},
    {"usda", "Universal Scene Description, text, with a stage run.usda", ".usda",
     ooze_mesh_write_usda, ooze_export_usda_stage},
};
const int ooze_mesh_format_count = (int)(sizeof ooze_mesh_formats / sizeof ooze_mesh_formats[0]);

/* Increased when the same settings give different files. */
enum { EDITION = 3 };

void ooze_mesh_remark(const OozeSurfaceSettings *settings, const char *format, uint64_t frame_hash,
                      char remark[OOZE_MESH_REMARK_MAX])
{
    const double numbers[] = {EDITION,
                              settings->method,
                              settings->cell,
                              settings->smoothing,
                              settings->mesh_smoothing,
                              settings->decimation,
                              settings->field_count};
    uint64_t hash = ooze_hash_bytes(OOZE_HASH_START, numbers, sizeof numbers);
    for (int f = 0; f < settings->field_count; f++) {
        hash = ooze_hash_text(hash, settings->fields[f]);
    }
    hash = ooze_hash_text(hash, format);
    hash = ooze_hash_bytes(hash, &frame_hash, sizeof frame_hash);
    snprintf(remark, OOZE_MESH_REMARK_MAX, "ooze mesh %016llx", (unsigned long long)hash);
}

bool ooze_mesh_is_finished(const char *path, const char *remark)
{
    char head[256] = "";
    FILE *file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    size_t length = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    head[length] = '\0';
    return strstr(head, remark) != NULL;
}
