/* The surface of a fluid in contact with a container ends at the wall: it is rounded and uneven
   there because the particles are, and the fluid behind a cut-away wall would look so. */
#include <string.h>

#include "render/solid_meshes.h"
#include "solids/motion.h"
#include "solids/shape.h"

#define REACH      1.0  /* distance from a wall, in spacings, within which the fluid touches it */
#define GAP        0.01 /* of the fitted surface from the wall, in spacings */
#define FACES_WALL 0.3  /* cosine above which the surface takes the normal of the wall */

enum { CORNER_WALLS = 3 };

/* Moves a local point onto the wall, at an edge or corner onto each wall that is near: after the
   first, the distance is taken further inside, where another wall is the nearest. `normal` becomes
   that of the wall which the surface faces. */
static OozeVec3 fit_point(const OozeShape *shape, OozeVec3 point, double spacing, OozeVec3 *normal)
{
    const double reach = REACH * spacing, gap = GAP * spacing;
    OozeVec3 inwards = vec3(0, 0, 0), facing = *normal;
    double largest = FACES_WALL;
    for (int i = 0; i < CORNER_WALLS; i++) {
        OozeVec3 wall_normal;
        double distance =
            ooze_shape_distance(shape, vec3_madd(point, reach, inwards), &wall_normal);
        distance -= reach * vec3_dot(inwards, wall_normal);
        if (!(fabs(distance) < reach)) {
            break;
        }
        point = vec3_madd(point, gap - distance, wall_normal);
        inwards = vec3_add(inwards, wall_normal);
        double cosine = -vec3_dot(facing, wall_normal);
        if (cosine > largest) {
            largest = cosine;
            *normal = vec3_scale(wall_normal, -1.0);
        }
    }
    return point;
}

void ooze_solid_meshes_fit_surface(const OozeSolidMeshes *meshes, const OozeFrame *frame,
                                   uint64_t count, float *positions, float *normals)
{
    for (int i = 0; i < meshes->count; i++) {
        const OozeSolidMesh *mesh = &meshes->meshes[i];
        OozePose pose = ooze_solid_mesh_pose(mesh, i, frame);
        for (uint64_t k = 0; mesh->container && k < count; k++) {
            const float *p = positions + 3 * k, *n = normals + 3 * k;
            OozeVec3 world = vec3((double)p[0], (double)p[1], (double)p[2]);
            OozeVec3 world_normal = vec3((double)n[0], (double)n[1], (double)n[2]);
            OozeVec3 normal = quat_rotate_inverse(pose.rotation, world_normal);
            OozeVec3 point = fit_point(mesh->container, ooze_pose_to_local(&pose, world),
                                       frame->spacing, &normal);
            OozeF3 fitted = f3_of(ooze_pose_to_world(&pose, point));
            OozeF3 fitted_normal = f3_of(quat_rotate(pose.rotation, normal));
            memcpy(positions + 3 * k, &fitted, sizeof fitted);
            memcpy(normals + 3 * k, &fitted_normal, sizeof fitted_normal);
        }
    }
}
