"""Functions: looks.

Written by tools/python_bindings.py from include/ooze/look.h; edit that.
"""
from __future__ import annotations

from ctypes import POINTER, byref, c_int
from ooze.c._support import bind
from ooze.c.look_types import OozeLookDef, OozeLookInfo


_ooze_looks = bind("ooze_looks", POINTER(OozeLookInfo), POINTER(c_int))
def ooze_looks() -> list[OozeLookInfo]:
    """The table of looks; `*count` is its length. Row 0 is "auto": the row with the name of the
    material or solid, or a default.
    """
    count = c_int()
    items = _ooze_looks(byref(count))
    return [items[i] for i in range(count.value)]


_ooze_look_def_default = bind("ooze_look_def_default", OozeLookDef)
def ooze_look_def_default() -> OozeLookDef:
    """The default values of OozeLookDef."""
    return _ooze_look_def_default()
