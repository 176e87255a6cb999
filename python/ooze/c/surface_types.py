"""Types: surface reconstruction.

Written by tools/python_bindings.py from include/ooze/surface.h; edit that.
"""
from __future__ import annotations

from ctypes import (POINTER, Structure, c_char_p, c_double, c_float, c_int, c_uint16, c_uint32,
                    c_uint64)
from enum import IntEnum
from typing import Any
from ooze.c._support import enumerated, member, structure
from ooze.c.types_types import OozeDevice


class OozeSurfaceMethod(IntEnum):
    """The C enumeration OozeSurfaceMethod."""
    # kernels stretched along the surface: flat sheets, sharp threads
    OOZE_SURFACE_ANISOTROPIC = 0
    # round kernels of equal size
    OOZE_SURFACE_ISOTROPIC = 1
    # square root of the sum of squared weights (Clavet et al. 2005)
    OOZE_SURFACE_CLAVET = 2
    OOZE_SURFACE_METHOD_COUNT = 3


@structure
class OozeSurfaceSettings(Structure):
    """The C structure OozeSurfaceSettings."""
    method: int = enumerated(OozeSurfaceMethod, c_int)
    cell: float = member(c_double, "edge of a grid cell, in particle spacings")
    smoothing: float = member(c_double,
        "share of Laplacian smoothing of the particles' centres, 0 to 1")
    mesh_smoothing: int = member(c_int,
        "passes of the filter that removes ripples of the particle spacing")
    decimation: float = member(c_double, "share of the triangles to keep, 0 to 1; 1: all")
    memory: int = member(c_uint64,
        "limit in bytes; the error of a reconstruction above it states its need")
    fields: Any = member(POINTER(c_char_p),
        "names of particle fields to interpolate at the vertices")
    field_count: int = member(c_int)
    device: int = enumerated(OozeDevice, c_int,
        "With the GPU, frames of several materials, decimated surfaces and grids above the "
        "limit are left to the processor. Meshes of different devices are close, but not "
        "bitwise equal.")


@structure
class OozeSurfaceField(Structure):
    """A particle field interpolated at the vertices: `components` floats per vertex."""
    name: bytes | None = member(c_char_p)
    unit: bytes | None = member(c_char_p)
    components: int = member(c_int)
    values: Any = member(POINTER(c_float))


@structure
class OozeSurface(Structure):
    """A closed 2-manifold; triangles are counter-clockwise seen from outside. The surface of a
    frame without particles is empty.
    """
    vertex_count: int = member(c_uint64)
    triangle_count: int = member(c_uint64)
    positions: Any = member(POINTER(c_float), "3 per vertex, m")
    normals: Any = member(POINTER(c_float), "3 per vertex, unit vectors, outwards")
    velocities: Any = member(POINTER(c_float), "3 per vertex, m/s")
    colors: Any = member(POINTER(c_float), "3 per vertex, linear RGB")
    materials: Any = member(POINTER(c_uint16), "per vertex: index of the material there")
    triangles: Any = member(POINTER(c_uint32), "3 vertex indices per triangle")
    triangle_materials: Any = member(POINTER(c_uint16),
        "per triangle: index of the material behind it")
    interface_vertex_count: int = member(c_uint64,
        "Where materials touch: triangles between two of them, which share the vertices of the"
        " lines where they end on the surface. The triangles of a material and its sides of "
        "the interfaces enclose it without gaps, and no two materials overlap. None with "
        "decimation. The arrays of vertices hold interface_vertex_count more vertices after "
        "the first vertex_count.")
    interface_count: int = member(c_uint64,
        "Where materials touch: triangles between two of them, which share the vertices of the"
        " lines where they end on the surface. The triangles of a material and its sides of "
        "the interfaces enclose it without gaps, and no two materials overlap. None with "
        "decimation. The arrays of vertices hold interface_vertex_count more vertices after "
        "the first vertex_count.")
    interfaces: Any = member(POINTER(c_uint32), "3 vertex indices per triangle")
    interface_materials: Any = member(POINTER(c_uint16),
        "2 per triangle: behind it and in front of it")
    field_count: int = member(c_int)
    fields: Any = member(POINTER(OozeSurfaceField), "in the order of the settings")
    volume: float = member(c_double, "m3, enclosed")
    area: float = member(c_double, "m2")
