"""Functions: frames.

Written by tools/python_bindings.py from include/ooze/frame.h; edit that.
"""
from __future__ import annotations

from ctypes import (POINTER, byref, c_double, c_int, c_size_t, c_uint64)
from typing import Any
from ooze.c._support import Text, bind, check
from ooze.c.status_types import OozeError
from ooze.c.frame_types import OozeFieldView, OozeFrame


_ooze_field_type_size = bind("ooze_field_type_size", c_size_t, c_int)
def ooze_field_type_size(type: int) -> int:
    """Size of one component in bytes."""
    return _ooze_field_type_size(type)


_ooze_frame_field = bind("ooze_frame_field", POINTER(OozeFieldView), POINTER(OozeFrame), Text)
def ooze_frame_field(frame: OozeFrame | Any, name: str | bytes | None) -> Any:
    """The particle field of that name; NULL: none."""
    return _ooze_frame_field(frame, name)


_ooze_frame_state = bind("ooze_frame_state", POINTER(OozeFieldView), POINTER(OozeFrame), Text)
def ooze_frame_state(frame: OozeFrame | Any, name: str | bytes | None) -> Any:
    """The table or array `name` of the state ("materials", "method", ...); NULL: none."""
    return _ooze_frame_state(frame, name)


_ooze_field_column = bind("ooze_field_column", c_int, POINTER(OozeFieldView), Text)
def ooze_field_column(field: OozeFieldView | Any, column: str | bytes | None) -> int:
    """Index of the component with that column name; -1: none."""
    return _ooze_field_column(field, column)


_ooze_field_value = bind("ooze_field_value", c_double, POINTER(OozeFieldView), c_uint64, c_int)
def ooze_field_value(field: OozeFieldView | Any, i: int, component: int) -> float:
    """One component of element i, converted to double; NAN if `field` or its data is NULL. Indices
    are not checked.
    """
    return _ooze_field_value(field, i, component)


_ooze_frame_hash = bind("ooze_frame_hash", c_uint64, POINTER(OozeFrame))
def ooze_frame_hash(frame: OozeFrame | Any) -> int:
    """A hash of the state, equal for bitwise equal states; 0 for NULL and for a frame whose arrays
    are not valid.
    """
    return _ooze_frame_hash(frame)


_ooze_frame_write = bind("ooze_frame_write", c_int, POINTER(OozeFrame), Text, POINTER(OozeError))
def ooze_frame_write(frame: OozeFrame | Any, path: str | bytes | None) -> None:
    """Writes an HDF5 file that holds the full state. The write is atomic: the file appears under
    its name when it is complete.
    """
    check(_ooze_frame_write, frame, path)


_ooze_frame_open = bind("ooze_frame_open", c_int, Text, POINTER(POINTER(OozeFrame)),
                        POINTER(OozeError))
def ooze_frame_open(path: str | bytes | None) -> Any:
    """Reads a frame file. ooze_world_restore continues a simulation from the frame, which stays
    valid until ooze_frame_close.
    """
    frame = POINTER(OozeFrame)()
    check(_ooze_frame_open, path, byref(frame), outputs=(frame,))
    return frame


_ooze_frame_close = bind("ooze_frame_close", None, POINTER(OozeFrame))
def ooze_frame_close(frame: OozeFrame | Any) -> None:
    """Frees the frame."""
    _ooze_frame_close(frame)
