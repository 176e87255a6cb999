/* Wavefront OBJ, with colours after the coordinates, as most programs read them. */
#include "output/writer.h"
#include "surface/mesh_file.h"

OozeStatus ooze_mesh_write_obj(const OozeFrame *frame, const OozeSurface *surface,
                               const char *remark, const char *path, OozeError *error)
{
    OozeWriter writer;
    OozeStatus status = ooze_writer_open(&writer, path, error);
    if (status) {
        return status;
    }
    ooze_writer_print(&writer, "# %s\n# frame %llu, time %.17g s, up %c\no fluid\n", remark,
                      (unsigned long long)frame->index, frame->time, "xyz"[frame->up]);
    for (uint64_t v = 0; v < surface->vertex_count && !writer.error_number; v++) {
        const float *p = surface->positions + 3 * v, *c = surface->colors + 3 * v;
        ooze_writer_print(&writer, "v %.9g %.9g %.9g %.4g %.4g %.4g\n", (double)p[0], (double)p[1],
                          (double)p[2], (double)c[0], (double)c[1], (double)c[2]);
    }
    for (uint64_t v = 0; v < surface->vertex_count && !writer.error_number; v++) {
        const float *n = surface->normals + 3 * v;
        ooze_writer_print(&writer, "vn %.5g %.5g %.5g\n", (double)n[0], (double)n[1], (double)n[2]);
    }
    for (uint64_t t = 0; t < surface->triangle_count && !writer.error_number; t++) {
        unsigned long long c[3];
        for (uint64_t k = 0; k < 3; k++) {
            c[k] = (unsigned long long)surface->triangles[3 * t + k] + 1;
        }
        ooze_writer_print(&writer, "f %llu//%llu %llu//%llu %llu//%llu\n", c[0], c[0], c[1], c[1],
                          c[2], c[2]);
    }
    return ooze_writer_commit(&writer, error);
}
