/* Triangle meshes. */
#ifndef OOZE_MESH_MESH_H
#define OOZE_MESH_MESH_H

#include "ooze/shape.h"

typedef struct OozeMesh {
    OozeVec3 *vertices;
    uint64_t vertex_count;
    uint32_t *triangles; /* three indices each, counter-clockwise seen from outside */
    uint64_t triangle_count;
    bool watertight; /* every edge shared by exactly two triangles, oppositely directed */
} OozeMesh;

void ooze_mesh_free(OozeMesh *mesh);

double ooze_mesh_area(const OozeMesh *mesh);
double ooze_mesh_volume(const OozeMesh *mesh); /* signed, divergence theorem */

/* A mesh without triangles. */
OozeStatus ooze_mesh_create_empty(OozeMesh **mesh, OozeError *error);
OozeStatus ooze_mesh_copy(const OozeMesh *mesh, OozeMesh **copy, OozeError *error);
void ooze_mesh_flip(OozeMesh *mesh); /* reverses the orientation of every triangle */

/* Largest coordinate: areas and volumes stay finite. */
#define OOZE_MESH_COORDINATE_MAX 1e30

/* Sorted by low, then high: the half-edges of an edge are adjacent. */
typedef struct OozeHalfEdge {
    uint32_t low, high; /* its vertices, low < high */
    uint32_t corner;    /* 3 triangle + corner where it begins */
} OozeHalfEdge;

/* All 3 triangle_count half-edges; those of one edge are in the order of their triangles. Free with
   ooze_free. */
OozeStatus ooze_mesh_edges(const OozeMesh *mesh, OozeHalfEdge **edges, OozeError *error);

/* Whether the half-edge points from low to high. */
static inline bool ooze_half_edge_forward(const OozeMesh *mesh, const OozeHalfEdge *edge)
{
    return mesh->triangles[edge->corner] == edge->low;
}

/* Sets mesh->watertight. */
OozeStatus ooze_mesh_check_watertight(OozeMesh *mesh, OozeError *error);

static inline OozeVec3 ooze_mesh_corner(const OozeMesh *mesh, uint64_t triangle, int corner)
{
    return mesh->vertices[mesh->triangles[3 * triangle + (uint64_t)corner]];
}

#endif
