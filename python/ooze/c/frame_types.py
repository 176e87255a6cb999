"""Types: frames.

Written by tools/python_bindings.py from include/ooze/frame.h; edit that.
"""
from __future__ import annotations

from ctypes import (POINTER, Structure, c_char_p, c_double, c_float, c_int, c_uint64, c_void_p)
from enum import IntEnum
from typing import Any
from ooze.c._support import enumerated, member, structure
from ooze.c.types_types import OozeAxis
from ooze.c.shape_types import OozeSolidPose


class OozeFieldType(IntEnum):
    """The C enumeration OozeFieldType."""
    OOZE_FIELD_FLOAT32 = 0
    OOZE_FIELD_FLOAT64 = 1
    OOZE_FIELD_UINT8 = 2
    OOZE_FIELD_UINT16 = 3
    OOZE_FIELD_UINT32 = 4
    OOZE_FIELD_UINT64 = 5
    OOZE_FIELD_TYPE_COUNT = 6


@structure
class OozeFieldView(Structure):
    """A view of an array of `count` elements, in the memory of its owner. Element i starts at byte
    i * stride * (size of the type) of `data`.
    """
    name: bytes | None = member(c_char_p, "\"position\", \"velocity\", ...")
    type: int = enumerated(OozeFieldType, c_int)
    components: int = member(c_int, "values of an element")
    stride: int = member(c_int, "values from one element to the next; the rest is padding")
    unit: bytes | None = member(c_char_p)
    help: bytes | None = member(c_char_p, "one line of description")
    count: int = member(c_uint64, "elements")
    data: Any = member(c_void_p)
    columns: Any = member(POINTER(c_char_p), "names of the components; NULL: none")


@structure
class OozeSolidView(Structure):
    """The C structure OozeSolidView."""
    name: bytes | None = member(c_char_p)
    pose: OozeSolidPose = member(OozeSolidPose)


@structure
class OozeMaterialView(Structure):
    """The C structure OozeMaterialView."""
    name: bytes | None = member(c_char_p)
    density: float = member(c_double, "kg/m3, at rest")
    color: Any = member(c_float * 3, "linear RGB, 0 to 1")


@structure
class OozeFrame(Structure):
    """The C structure OozeFrame."""
    index: int = member(c_uint64, "number of the frame within its run")
    step: int = member(c_uint64, "time steps since the start of the simulation")
    time: float = member(c_double, "s")
    spacing: float = member(c_double, "m, particle spacing")
    support: float = member(c_double, "m, kernel support radius")
    up: int = enumerated(OozeAxis, c_int, "axis that points up")
    method: bytes | None = member(c_char_p, "name of the simulation method")
    particle_count: int = member(c_uint64)
    field_count: int = member(c_int)
    fields: Any = member(POINTER(OozeFieldView),
        "per particle: position, velocity, id, material, ...")
    solid_count: int = member(c_int)
    solids: Any = member(POINTER(OozeSolidView))
    material_count: int = member(c_int)
    materials: Any = member(POINTER(OozeMaterialView))
    state_count: int = member(c_int,
        "State of a resumed run besides the particles: tables with one row per material, "
        "solid, ... and one named column per number, and the arrays of the method. Empty "
        "tables are left out.")
    state: Any = member(POINTER(OozeFieldView))
