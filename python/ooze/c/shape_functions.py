"""Functions: shapes.

Written by tools/python_bindings.py from include/ooze/shape.h; edit that.
"""
from __future__ import annotations

from ctypes import c_int
from ooze.c._support import bind
from ooze.c.shape_types import OozeMotionDef, OozeShapeDef


_ooze_shape_def_default = bind("ooze_shape_def_default", OozeShapeDef, c_int)
def ooze_shape_def_default(kind: int) -> OozeShapeDef:
    """The default values of OozeShapeDef."""
    return _ooze_shape_def_default(kind)


_ooze_motion_def_default = bind("ooze_motion_def_default", OozeMotionDef)
def ooze_motion_def_default() -> OozeMotionDef:
    """The default values of OozeMotionDef."""
    return _ooze_motion_def_default()
