"""Types: shapes.

Written by tools/python_bindings.py from include/ooze/shape.h; edit that.
"""
from __future__ import annotations

from ctypes import (POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_uint32,
                    c_uint64)
from enum import IntEnum
from typing import Any
from ooze.c._support import enumerated, member, structure
from ooze.c.types_types import OozeQuat, OozeVec3


class OozeShapeKind(IntEnum):
    """The C enumeration OozeShapeKind."""
    # half space below the plane through `position` with `normal`
    OOZE_SHAPE_PLANE = 0
    # `size`: full edge lengths; centred at the origin
    OOZE_SHAPE_BOX = 1
    # `radius`
    OOZE_SHAPE_SPHERE = 2
    # `radius`, `height` between the centres of the two caps
    OOZE_SHAPE_CAPSULE = 3
    # `radius`, `height`, centred
    OOZE_SHAPE_CYLINDER = 4
    # `radius` at the base, `height`; base centre at the origin, tip up
    OOZE_SHAPE_CONE = 5
    # `radius` of the ring, `tube_radius`
    OOZE_SHAPE_TORUS = 6
    # `size`
    OOZE_SHAPE_OPEN_BOX = 7
    # `radius`, `height`
    OOZE_SHAPE_OPEN_CYLINDER = 8
    # part of a spherical shell: `radius` of the rim, `height`
    OOZE_SHAPE_BOWL = 9
    # solid below a height map with the horizontal extents `size`
    OOZE_SHAPE_HEIGHTFIELD = 10
    # triangles from `path` (OBJ, PLY, STL) or from `mesh`
    OOZE_SHAPE_MESH = 11
    # the union of `parts`, each placed in the compound's frame
    OOZE_SHAPE_COMPOUND = 12
    OOZE_SHAPE_KIND_COUNT = 13


@structure
class OozeMeshView(Structure):
    """Triangles in memory. The library copies them during the call."""
    vertices: Any = member(POINTER(OozeVec3))
    vertex_count: int = member(c_uint64)
    triangles: Any = member(POINTER(c_uint32),
        "three vertex indices each, counter-clockwise seen from outside")
    triangle_count: int = member(c_uint64)


@structure
class OozeHeightView(Structure):
    """Heights in memory, row by row; rows follow each other along the second horizontal axis. The
    library copies them during the call.
    """
    heights: Any = member(POINTER(c_float), "metres above the shape's position")
    columns: int = member(c_uint32)
    rows: int = member(c_uint32)


OOZE_SHAPE_PARTS_MAX = 64


@structure
class OozeShapeDef(Structure):
    """The C structure OozeShapeDef."""
    kind: int = enumerated(OozeShapeKind, c_int)
    size: OozeVec3 = member(OozeVec3)
    radius: float = member(c_double)
    tube_radius: float = member(c_double)
    height: float = member(c_double)
    normal: OozeVec3 = member(OozeVec3, "plane only; zero means the world's up")
    path: bytes | None = member(c_char_p, "mesh, or height map (PGM, or ESRI ASCII grid)")
    mesh: OozeMeshView = member(OozeMeshView, "used when path is NULL")
    field: OozeHeightView = member(OozeHeightView, "used when path is NULL")
    height_scale: float = member(c_double, "m, height of the full grey range of a height map file")
    thickness: float = member(c_double,
        "m, of the walls and the bottom of an open box, open cylinder or bowl. Of a mesh with "
        "gaps, thickness of the shell that it becomes; 0: small gaps are closed and the mesh "
        "is solid, and a mesh with large gaps becomes a shell of two spacings.")
    parts: Any = member(lambda own: POINTER(own),
        "Shapes of a compound, which may overlap; no planes, height fields, inverted shapes or"
        " compounds. The library copies them during the call.")
    part_count: int = member(c_int)
    inverted: bool = member(c_bool, "the outside is solid: a container")
    position: OozeVec3 = member(OozeVec3,
        "Placement: scaled, then rotated, then moved. The axis of capsule, cylinder, cone, "
        "torus, containers and height field is the world's up before rotation. The three "
        "factors of a compound's scale must be equal.")
    rotation: OozeQuat = member(OozeQuat)
    scale: OozeVec3 = member(OozeVec3)


class OozeInterpolation(IntEnum):
    """The C enumeration OozeInterpolation."""
    OOZE_MOTION_SMOOTH = 0
    OOZE_MOTION_LINEAR = 1


@structure
class OozeKeyframe(Structure):
    """The C structure OozeKeyframe."""
    time: float = member(c_double)
    position: OozeVec3 = member(OozeVec3)
    rotation: OozeQuat = member(OozeQuat)


@structure
class OozeMotionDef(Structure):
    """Prescribed motion of a solid or a nozzle. Keyframes replace the position and rotation of the
    shape; velocity, spin and sine are added, and act between `start` and `stop` only.
    """
    keyframes: Any = member(POINTER(OozeKeyframe),
        "Ascending in time; before the first and after the last the pose is constant. The "
        "library copies them during the call.")
    keyframe_count: int = member(c_int)
    interpolation: int = enumerated(OozeInterpolation, c_int)
    velocity: OozeVec3 = member(OozeVec3, "m/s")
    spin: OozeVec3 = member(OozeVec3, "deg/s, angular velocity about `pivot`, world axes")
    pivot: OozeVec3 = member(OozeVec3, "m, relative to the shape's position")
    sine_amplitude: OozeVec3 = member(OozeVec3, "m")
    sine_frequency: float = member(c_double, "Hz")
    sine_phase: float = member(c_double, "deg: 90 is a quarter of a period")
    start: float = member(c_double, "s")
    stop: float = member(c_double, "s")
    ramp_time: float = member(c_double,
        "s, within which the speeds of velocity and spin rise from 0 at `start`, as the first "
        "quarter of a sine; 0: full speed at once")


@structure
class OozeSolidPose(Structure):
    """Placement and motion of a solid."""
    position: OozeVec3 = member(OozeVec3, "m, of the origin of the solid's axes")
    rotation: OozeQuat = member(OozeQuat, "from the solid's axes to the world's")
    velocity: OozeVec3 = member(OozeVec3, "m/s, of the origin")
    spin: OozeVec3 = member(OozeVec3, "deg/s, angular velocity, world axes")
